/* Builtins with a function inside, histogram, gather. */
#include "front/builtin/builtin.h"
#include "front/tile/sem_reduce.h"

const Val *builtin_reduce(FrontLower *low, const BuiltinCall *call)
{
	bool keep;
	if (!sem_arg_bool(low, call->what, "keep_dims", call->a[3], &keep))
		return low->poison;
	return sem_reduce(low, call->a[0], call->a[1], call->a[2], keep);
}

/* 0, 1, ... along one axis, in the shape of v. */
static const Val *positions(FrontLower *low, const Val *v, uint32_t axis)
{
	TlType t = sem_type(v);
	const Val *index = sem_arange(low, val_int(low, 0), val_int(low, t->shape[axis]));
	for (uint32_t i = 0; i < t->rank && !sem_is_poison(index); i++) {
		if (i != axis)
			index = sem_expand_dims(low, index, i);
	}
	return sem_is_poison(index) ? index : sem_broadcast_to(low, "tl.reduce", index, t->shape, t->rank);
}

const Val *builtin_reduce_indices(FrontLower *low, const BuiltinCall *call)
{
	bool keep;
	uint32_t axis;
	const Val *v = sem_arg_tensor(low, call->what, "input", call->a[0]);
	if (!v || !sem_arg_bool(low, call->what, "keep_dims", call->a[3], &keep))
		return low->poison;
	if (!tl_is_block(sem_type(v)))
		return lower_error(low, DIAG_TILE_TILE_EXPECTED, call->what, sem_describe(low, v));
	if (!sem_arg_axis(low, call->what, call->a[1], sem_type(v)->rank, &axis))
		return low->poison;
	const Val *pair[2] = {v, positions(low, v, axis)};
	if (sem_is_poison(pair[1]))
		return low->poison;
	return sem_reduce(low, val_tuple(low, pair, 2), val_int(low, axis), call->a[2], keep);
}

const Val *builtin_promote_bf16(FrontLower *low, const BuiltinCall *call)
{
	const Val *v = sem_arg_tensor(low, call->what, "t", call->a[0]);
	if (!v)
		return low->poison;
	return tl_is(sem_elem(v), DT_BF16) ? sem_cast(low, v, tl_scalar(low, DT_FP32)) : v;
}

const Val *builtin_scan(FrontLower *low, const BuiltinCall *call)
{
	bool reverse;
	if (!sem_arg_bool(low, call->what, "reverse", call->a[3], &reverse))
		return low->poison;
	return sem_scan(low, call->a[0], call->a[1], call->a[2], reverse);
}

const Val *builtin_map_elementwise(FrontLower *low, const BuiltinCall *call)
{
	int64_t pack;
	if (!sem_arg_int(low, call->what, "pack", call->a[2], &pack))
		return low->poison;
	if (pack < 1 || pack > 32)
		return lower_error(low, DIAG_TILE_ARG_KIND, call->what, "pack", "from 1 to 32",
				   sem_describe(low, call->a[2]));
	return sem_map_elementwise(low, call->a[0], call->a[1], pack);
}

const Val *builtin_histogram(FrontLower *low, const BuiltinCall *call)
{
	int64_t bins;
	const Val *v = sem_arg_tensor(low, call->what, "input", call->a[0]), *mask = NULL;
	if (!v || !sem_arg_int(low, call->what, "num_bins", call->a[1], &bins))
		return low->poison;
	if (call->a[2]->kind != VAL_NONE) {
		mask = sem_arg_tensor(low, call->what, "mask", call->a[2]);
		if (!mask)
			return low->poison;
	}
	if (call->a[3]->kind == VAL_NONE)
		return sem_histogram(low, v, bins, mask);
	const Val *args[] = {v, call->a[1], call->a[2], call->a[3]};
	return lower_call(low, lower_lib_name(low, "standard", "_weighted_histogram"),
			  &(CallArgs){.args = args, .arg_count = ARRAY_LEN(args)});
}

/* ---- for lib/ ---- */

const Val *builtin_extension(FrontLower *low, const BuiltinCall *call)
{
	const char *what;
	if (!sem_arg_str(low, call->what, "what", call->a[0], &what) || !lower_extension(low, what))
		return low->poison;
	return low->none;
}

const Val *builtin_whole(FrontLower *low, const BuiltinCall *call)
{
	const Val *v = sem_arg_tensor(low, call->what, "x", call->a[0]);
	if (!v)
		return low->poison;
	const Val *fill = sem_scalar_of(low, call->what, call->a[1], sem_elem(v));
	return sem_is_poison(fill) ? fill : sem_whole(low, sem_fill_padding(low, v, -1, fill));
}

const Val *builtin_crop(FrontLower *low, const BuiltinCall *call)
{
	SemInts shape;
	const Val *v = sem_arg_tensor(low, call->what, "x", call->a[0]);
	if (!v || !sem_arg_shape(low, call->what, call->a[1], &shape))
		return low->poison;
	TlType type = tl_block(low, sem_elem(v), shape.at, shape.len);
	CONTRACT(type->ir == sem_ir(v)->type);
	return sem_make(low, sem_ir(v), type);
}

const Val *builtin_gather(FrontLower *low, const BuiltinCall *call)
{
	const Val *src = sem_arg_tensor(low, call->what, "src", call->a[0]);
	const Val *index = src ? sem_arg_tensor(low, call->what, "index", call->a[1]) : NULL;
	return index ? sem_gather(low, src, index, call->a[2]) : low->poison;
}
