/* Builtins that make tiles and change their shapes. */
#include "front/builtin/builtin.h"

/* *shape: several integers, or one sequence of them. */
static const Val *unpacked(const Val *rest)
{
	CONTRACT(rest->kind == VAL_TUPLE || rest->kind == VAL_LIST);
	return rest->seq.len == 1 && sem_is_seq(rest->seq.items[0]) ? rest->seq.items[0] : rest;
}

const Val *builtin_arange(FrontLower *low, const BuiltinCall *call)
{
	return sem_arange(low, call->a[0], call->a[1]);
}

const Val *builtin_full(FrontLower *low, const BuiltinCall *call)
{
	SemInts shape;
	TlType dtype;
	if (!sem_arg_ints(low, call->what, "shape", call->a[0], &shape) ||
	    !sem_arg_dtype(low, call->what, "dtype", call->a[2], &dtype))
		return low->poison;
	return sem_full(low, call->what, &shape, call->a[1], dtype);
}

const Val *builtin_to_tensor(FrontLower *low, const BuiltinCall *call)
{
	const Val *v = sem_arg_tensor(low, call->what, "x", call->a[0]);
	return v ? v : low->poison;
}

const Val *builtin_cast(FrontLower *low, const BuiltinCall *call)
{
	TlType dtype;
	const char *rounding;
	bool bits;
	const Val *v = sem_arg_tensor(low, call->what, "input", call->a[0]);
	if (!v || !sem_arg_dtype(low, call->what, "dtype", call->a[1], &dtype) ||
	    !sem_arg_str(low, call->what, "fp_downcast_rounding", call->a[2], &rounding) ||
	    !sem_arg_bool(low, call->what, "bitcast", call->a[3], &bits))
		return low->poison;
	if (call->info->data) /* the target's own conversions: the mode says nothing there */
		rounding = "";
	return bits ? sem_bitcast(low, v, dtype) : sem_cast_rounded(low, v, dtype, rounding);
}

const Val *builtin_broadcast(FrontLower *low, const BuiltinCall *call)
{
	const Val *pair[2];
	pair[0] = sem_arg_tensor(low, call->what, "input", call->a[0]);
	pair[1] = sem_arg_tensor(low, call->what, "other", call->a[1]);
	if (!pair[0] || !pair[1] || !sem_broadcast_pair(low, &pair[0], &pair[1]))
		return low->poison;
	return val_tuple(low, pair, 2);
}

const Val *builtin_broadcast_to(FrontLower *low, const BuiltinCall *call)
{
	SemInts shape;
	const Val *v = sem_arg_tensor(low, call->what, "input", call->a[0]);
	if (!v || !sem_arg_shape(low, call->what, unpacked(call->a[1]), &shape))
		return low->poison;
	return sem_broadcast_to(low, call->what, v, shape.at, shape.len);
}

/* Axes count in the result, which has all of them. */
const Val *builtin_expand_dims(FrontLower *low, const BuiltinCall *call)
{
	SemInts axes;
	const Val *v = sem_arg_tensor(low, call->what, "input", call->a[0]);
	if (!v || !sem_arg_ints(low, call->what, "axis", call->a[1], &axes))
		return low->poison;
	uint32_t rank = (tl_is_block(sem_type(v)) ? sem_type(v)->rank : 0) + axes.len, wanted = 0;
	if (rank > IR_MAX_RANK)
		return lower_error(low, DIAG_TILE_RANK_LIMIT, IR_MAX_RANK);
	bool again = false;
	Text normal;
	text_init(&normal, low->arena);
	for (uint32_t i = 0; i < axes.len; i++) {
		int64_t axis = axes.at[i] < 0 ? axes.at[i] + rank : axes.at[i];
		if (axis < 0 || axis >= (int64_t)rank)
			return lower_error(low, DIAG_TILE_AXIS, call->what, (long long)axes.at[i], rank);
		again = again || (wanted & 1u << axis);
		wanted |= 1u << axis;
		text_printf(&normal, i ? ", %lld" : "%lld", (long long)axis);
	}
	if (again)
		return lower_error(low, DIAG_TILE_AXES_TWICE, call->what, normal.data);
	for (uint32_t i = 0; i < rank; i++) {
		if (wanted & 1u << i)
			v = sem_expand_dims(low, v, i);
	}
	return v;
}

const Val *builtin_squeeze(FrontLower *low, const BuiltinCall *call)
{
	uint32_t dim, n = 0;
	const Val *v = sem_arg_tensor(low, call->what, "input", call->a[0]);
	TlType t = v ? sem_type(v) : NULL;
	if (!v || !sem_arg_axis(low, call->what, call->a[1], tl_is_block(t) ? t->rank : 0, &dim))
		return low->poison;
	int64_t shape[IR_MAX_RANK];
	for (uint32_t i = 0; i < t->rank; i++) {
		if (i != dim)
			shape[n++] = t->shape[i];
	}
	return sem_reshape(low, call->what, v, shape, n, false);
}

const Val *builtin_reshape(FrontLower *low, const BuiltinCall *call)
{
	SemInts shape;
	bool reorder;
	const Val *v = sem_arg_tensor(low, call->what, "input", call->a[0]);
	if (!v || !sem_arg_ints(low, call->what, "shape", unpacked(call->a[1]), &shape) ||
	    !sem_arg_bool(low, call->what, "can_reorder", call->a[2], &reorder))
		return low->poison;
	if (call->info->data)
		lower_warning(low, DIAG_TILE_VIEW);
	return sem_reshape(low, call->what, v, shape.at, shape.len, reorder);
}

const Val *builtin_permute(FrontLower *low, const BuiltinCall *call)
{
	SemInts dims;
	const Val *v = sem_arg_tensor(low, call->what, "input", call->a[0]);
	if (!v || !sem_arg_ints(low, call->what, "dims", unpacked(call->a[1]), &dims))
		return low->poison;
	if (call->info->data && !dims.len)
		return sem_trans(low, v);
	uint32_t rank = tl_is_block(sem_type(v)) ? sem_type(v)->rank : 0;
	for (uint32_t i = 0; i < dims.len; i++)
		dims.at[i] += dims.at[i] < 0 ? rank : 0;
	return sem_permute(low, call->what, v, &dims);
}

const Val *builtin_join(FrontLower *low, const BuiltinCall *call)
{
	const Val *a = sem_arg_tensor(low, call->what, "a", call->a[0]);
	const Val *b = a ? sem_arg_tensor(low, call->what, "b", call->a[1]) : NULL;
	return b ? sem_join(low, a, b) : low->poison;
}

const Val *builtin_split(FrontLower *low, const BuiltinCall *call)
{
	const Val *v = sem_arg_tensor(low, call->what, "a", call->a[0]);
	return v ? sem_split(low, v) : low->poison;
}

const Val *builtin_cat(FrontLower *low, const BuiltinCall *call)
{
	bool reorder;
	uint32_t dim;
	const Val *a = sem_arg_tensor(low, call->what, "input", call->a[0]);
	const Val *b = a ? sem_arg_tensor(low, call->what, "other", call->a[1]) : NULL;
	if (!b || !sem_arg_bool(low, call->what, "can_reorder", call->a[2], &reorder) ||
	    !sem_arg_axis(low, call->what, call->a[3], MAX(sem_type(a)->rank, 1u), &dim))
		return low->poison;
	return sem_cat(low, a, b, dim, reorder);
}

const Val *builtin_item(FrontLower *low, const BuiltinCall *call)
{
	return sem_unsplat(low, ".item", call->a[0]);
}
