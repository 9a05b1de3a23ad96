/* Classes of the tile language as functions (constexpr, dtype, pointer_type, ranges) and the methods of dtypes. */
#include "front/builtin/builtin.h"
#include "front/core.h"
#include "front/demote.h"

const Val *builtin_identity(FrontLower *low, const BuiltinCall *call)
{
	(void)low;
	return call->a[0];
}

/* The loop whose test this is takes the wish (lower_while). */
const Val *builtin_condition(FrontLower *low, const BuiltinCall *call)
{
	low->licm_disabled = val_is_constexpr(call->a[1]) && val_truth(call->a[1]);
	return call->a[0];
}

const Val *builtin_constexpr(FrontLower *low, const BuiltinCall *call)
{
	if (val_demoted(call->a[0]))
		return call->a[0];
	const Val *host = sem_host(call->a[0]);
	if (host)
		return host;
	return lower_error(low, DIAG_TILE_ARG_KIND, call->what, "value", "known when compiling",
			   sem_describe(low, call->a[0]));
}

const Val *builtin_constexpr_type(FrontLower *low, const BuiltinCall *call)
{
	const Val *host = sem_host(call->a[0]);
	if (host)
		return val_const_type(low, host);
	return lower_error(low, DIAG_TILE_ARG_KIND, call->what, "value", "known when compiling",
			   sem_describe(low, call->a[0]));
}

const Val *builtin_not_called(FrontLower *low, const BuiltinCall *call)
{
	return lower_error(low, DIAG_TILE_NOT_CALLED, call->what, call->info->doc);
}

const Val *builtin_range(FrontLower *low, const BuiltinCall *call)
{
	Val *v = ARENA_NEW(low->arena, Val);
	v->kind = VAL_RANGE;
	v->range.range = (RangeKind)call->info->data;
	bool one = call->a[1]->kind == VAL_NONE;
	v->range.start = one ? val_int(low, 0) : call->a[0];
	v->range.stop = one ? call->a[0] : call->a[1];
	v->range.step = call->a[2]->kind == VAL_NONE ? val_int(low, 1) : call->a[2];
	if (call->info->data == RANGE_STATIC) {
		const Val *parts[] = {v->range.start, v->range.stop, v->range.step};
		static const char *const names[] = {"start", "end", "step"};
		for (int i = 0; i < 3; i++) {
			int64_t value;
			if (!sem_arg_int(low, call->what, names[i], parts[i], &value))
				return low->poison;
		}
		return v;
	}
	const Val **hints[] = {&v->range.num_stages, &v->range.loop_unroll_factor,
		&v->range.disallow_acc_multi_buffer,
			       &v->range.flatten, &v->range.warp_specialize, &v->range.disable_licm};
	for (size_t i = 0; i < ARRAY_LEN(hints); i++) {
		static const char *const names[] = {"num_stages", "loop_unroll_factor",
						    "disallow_acc_multi_buffer", "flatten",
						    "warp_specialize", "disable_licm"};
		enum { NUMBERS = 2 };
		int64_t number = 0;
		bool flag;
		*hints[i] = call->a[3 + i]->kind == VAL_NONE ? NULL : call->a[3 + i];
		if (*hints[i] && !(i < NUMBERS ? sem_arg_int(low, call->what, names[i], *hints[i], &number)
					       : sem_arg_bool(low, call->what, names[i], *hints[i], &flag)))
			return low->poison;
		if (*hints[i] && i < NUMBERS && number < 0)
			return lower_error(low, DIAG_TILE_ARG_KIND, call->what, names[i],
					   "a number from 0 on", sem_describe(low, *hints[i]));
	}
	return v;
}

const Val *builtin_tuple(FrontLower *low, const BuiltinCall *call)
{
	if (!sem_is_seq(call->a[0]))
		return lower_error(low, DIAG_TILE_ARG_KIND, call->what, "args", "a sequence",
				   sem_describe(low, call->a[0]));
	return val_tuple(low, call->a[0]->seq.items, call->a[0]->seq.len);
}

const Val *builtin_slice(FrontLower *low, const BuiltinCall *call)
{
	Val *v = ARENA_NEW(low->arena, Val);
	v->kind = VAL_SLICE;
	v->slice.lower = call->a[0];
	v->slice.upper = call->a[1];
	v->slice.step = call->a[2];
	return v;
}

/* ---- types ---- */

const Val *builtin_dtype(FrontLower *low, const BuiltinCall *call)
{
	TlType type;
	if (call->a[0]->kind == VAL_DTYPE)
		return call->a[0];
	if (call->a[0]->kind != VAL_STR || !tl_type_by_name(low, call->a[0]->s, &type))
		return lower_error(low, DIAG_TILE_ARG_KIND, call->what, "name", "the name of a dtype",
				   sem_describe(low, call->a[0]));
	return val_dtype(low, type);
}

const Val *builtin_pointer_type(FrontLower *low, const BuiltinCall *call)
{
	TlType elem;
	int64_t space;
	bool is_const;
	if (!sem_arg_dtype(low, call->what, "element_ty", call->a[0], &elem) ||
	    !sem_arg_int(low, call->what, "address_space", call->a[1], &space) ||
	    !sem_arg_bool(low, call->what, "const", call->a[2], &is_const))
		return low->poison;
	return val_dtype(low, tl_ptr(low, elem, is_const, (uint32_t)space));
}

const Val *builtin_block_type(FrontLower *low, const BuiltinCall *call)
{
	TlType elem;
	SemInts shape;
	if (!sem_arg_dtype(low, call->what, "element_ty", call->a[0], &elem) ||
	    !sem_arg_shape(low, call->what, call->a[1], &shape))
		return low->poison;
	return val_dtype(low, tl_block(low, elem, shape.at, shape.len));
}

const Val *builtin_int_dtype(FrontLower *low, const BuiltinCall *call)
{
	int64_t bits;
	bool is_signed;
	if (!sem_arg_int(low, call->what, "bitwidth", call->a[0], &bits) ||
	    !sem_arg_bool(low, call->what, "signed", call->a[1], &is_signed))
		return low->poison;
	if (bits != 1 && bits != 8 && bits != 16 && bits != 32 && bits != 64)
		return lower_error(low, DIAG_TILE_ARG_KIND, call->what, "bitwidth", "1, 8, 16, 32 or 64",
				   sem_describe(low, call->a[0]));
	return val_dtype(low, tl_int(low, (unsigned)bits, is_signed));
}

/* ---- methods of dtypes; self is a DTYPE ---- */

/* `data` of the rows that ask for more than one dtype. */
typedef enum {
	ASK_FLOAT = -1,
	ASK_STANDARD_FLOAT = -2,
	ASK_INT = -3,
	ASK_SIGNED = -4,
	ASK_UNSIGNED = -5,
	ASK_FP8 = -6,
	ASK_PTR = -7,
	ASK_BLOCK = -8,
	ASK_CONST = -9,
} DtypeQuestion;

const Val *builtin_dtype_is(FrontLower *low, const BuiltinCall *call)
{
	TlType t = call->a[0]->type;
	bool yes = false;
	switch ((DtypeQuestion)call->info->data) {
	case ASK_FLOAT:
		yes = tl_is_float(t);
		break;
	case ASK_STANDARD_FLOAT:
		yes = tl_is_float(t) && !tl_is_fp8(t);
		break;
	case ASK_INT:
		yes = tl_is_int(t);
		break;
	case ASK_SIGNED:
		yes = tl_is_signed(t);
		break;
	case ASK_UNSIGNED:
		yes = tl_is_int(t) && !tl_is_signed(t);
		break;
	case ASK_FP8:
		yes = tl_is_fp8(t);
		break;
	case ASK_PTR:
		yes = tl_is_ptr(t);
		break;
	case ASK_BLOCK:
		yes = tl_is_block(t);
		break;
	case ASK_CONST:
		yes = tl_is_ptr(t) && t->is_const;
		break;
	default:
		yes = tl_is(t, (TlDtype)call->info->data);
	}
	return val_bool(low, yes);
}

const Val *builtin_dtype_kind(FrontLower *low, const BuiltinCall *call)
{
	TlType t = call->a[0]->type;
	if (t->kind != TL_SCALAR)
		return lower_error(low, DIAG_TILE_NO_ATTRIBUTE, tl_describe(low, t), "kind");
	return val_int(low, tl_is_float(t) ? 2 : t->dtype == DT_INT1 ? 0 : 1);
}

/* 2^64 - 1 has no small host value: it is what the largest unsigned 64-bit literal is. */
const Val *builtin_dtype_bound(FrontLower *low, const BuiltinCall *call)
{
	TlType t = call->a[0]->type;
	if (!tl_is_int(t))
		return lower_error(low, DIAG_TILE_NO_ATTRIBUTE, tl_describe(low, t), call->info->name);
	unsigned bits = tl_bits(t);
	bool max = call->info->data;
	if (tl_is_signed(t)) {
		int64_t top = bits == 64 ? INT64_MAX : (INT64_C(1) << (bits - 1)) - 1;
		return val_int(low, max ? top : -top - 1);
	}
	if (!max)
		return val_int(low, 0);
	return bits == 64 ? val_uint(low, UINT64_MAX) : val_int(low, (int64_t)((UINT64_C(1) << bits) - 1));
}

const Val *builtin_dtype_shape(FrontLower *low, const BuiltinCall *call)
{
	const Val *shape = sem_attribute(low, call->a[0], "shape");
	return shape ? shape : lower_error(low, DIAG_TILE_NO_ATTRIBUTE, tl_describe(low, call->a[0]->type),
					   call->info->name);
}

const Val *builtin_dtype_with_elem(FrontLower *low, const BuiltinCall *call)
{
	TlType elem;
	if (!sem_arg_dtype(low, call->what, "element_ty", call->a[1], &elem))
		return low->poison;
	return val_dtype(low, tl_with_elem(low, call->a[0]->type, elem));
}

/* The field's new value, or the one that it has. */
static const Val *field_of(const BuiltinCall *call, uint32_t field)
{
	const Val *object = call->a[0];
	for (uint32_t i = 0; i < call->given->keyword_count; i++)
		if (call->given->names[i] == object->object.klass->fields[field].name)
			return call->given->values[i];
	return object->object.fields[field];
}

static bool has_field(const FrontClass *c, Sym name)
{
	for (uint32_t i = 0; i < c->field_count; i++)
		if (c->fields[i].name == name)
			return true;
	return false;
}

const Val *builtin_aggregate_replace(FrontLower *low, const BuiltinCall *call)
{
	const Val *object = call->a[0];
	if (object->kind != VAL_OBJECT || object->object.klass->kind != CLASS_AGGREGATE)
		return lower_error(low, DIAG_AGGREGATE_EXPECTED, call->what, val_describe(low, object));
	FrontClass *c = object->object.klass;
	for (uint32_t i = 0; i < call->given->keyword_count; i++)
		if (!has_field(c, call->given->names[i]))
			return lower_error(low, DIAG_FIELD_UNKNOWN, c->name, call->given->names[i]);
	CallArgs with = {.keyword_count = c->field_count};
	Sym *names = ARENA_ARRAY(low->arena, Sym, MAX(c->field_count, 1u));
	with.values = ARENA_ARRAY(low->arena, const Val *, MAX(c->field_count, 1u));
	for (uint32_t i = 0; i < c->field_count; i++) {
		names[i] = c->fields[i].name;
		with.values[i] = field_of(call, i);
		if (sem_is_poison(with.values[i]))
			return low->poison;
	}
	with.names = names;
	return class_call(low, c, &with);
}
