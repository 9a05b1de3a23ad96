/* Tensors out of nothing: constants, full, arange; host numbers as tensors. */
#include "front/demote.h"
#include "front/tile/sem.h"

#include <math.h>

const Val *sem_host(const Val *v)
{
	if (!sem_is_tensor(v))
		return val_known(v);
	return v->origin ? val_known(v->origin) : NULL;
}

static const Val *float_const(FrontLower *low, double value, TlType type)
{
	if (!tl_is(type, DT_FP8E4B15))
		return sem_make(low, irb_float(&low->b, type->ir, value), type);
	TlType half = tl_scalar(low, DT_FP16);
	return sem_cast(low, sem_make(low, irb_float(&low->b, half->ir, value), half), type);
}

const Val *sem_const_int(FrontLower *low, int64_t value, TlType type)
{
	if (tl_is_ptr(type)) {
		TlType address = tl_scalar(low, DT_INT64);
		IrValue *bits = irb_int(&low->b, address->ir, value);
		return sem_make(low, irb_1(&low->b, OP_INT_TO_PTR, type->ir, bits), type);
	}
	if (tl_is_float(type))
		return float_const(low, (double)value, type);
	if (tl_is(type, DT_INT1))
		value = value != 0;
	return sem_make(low, irb_int(&low->b, type->ir, value), type);
}

const Val *sem_const(FrontLower *low, const Val *number, TlType type)
{
	if (!val_is_host_number(number) || type->kind == TL_BLOCK || type->kind == TL_DESC || type->kind == TL_VOID)
		return lower_error(low, DIAG_TILE_CONSTANT, sem_describe(low, number), tl_describe(low, type));
	if (val_demoted(number))
		return demoted_tensor(low, number, type, false);
	if (tl_is_float(type)) {
		double d;
		if (!val_as_double(number, &d))
			return lower_error(low, DIAG_TILE_LITERAL_RANGE, val_brief(low, number),
					   tl_describe(low, type));
		return float_const(low, d, type);
	}
	int64_t i = 0;
	uint64_t u;
	if (number->kind == VAL_FLOAT) {
		if (tl_is(type, DT_INT1))
			i = number->f != 0;
		else if (number->f != 0)
			return lower_error(low, DIAG_TILE_LITERAL_RANGE, val_brief(low, number),
					   tl_describe(low, type));
	} else if (number->kind == VAL_BOOL) {
		i = number->b;
	} else if (!val_as_int(number, &i)) {
		if (!val_as_uint(number, &u))
			return lower_error(low, DIAG_TILE_LITERAL_RANGE, val_brief(low, number),
					   tl_describe(low, type));
		i = (int64_t)u;
	}
	if (tl_is_ptr(type) && i != 0)
		return lower_error(low, DIAG_TILE_LITERAL_RANGE, val_brief(low, number), tl_describe(low, type));
	return sem_const_int(low, i, type);
}

TlDtype tl_dtype_of_int(int64_t value)
{
	if (value >= INT32_MIN && value <= INT32_MAX)
		return DT_INT32;
	return value > 0 && value <= UINT32_MAX ? DT_UINT32 : DT_INT64;
}

TlDtype tl_dtype_of_float(double value)
{
	double a = fabs(value);
	bool fits = a == 0 || isinf(a) || isnan(a) || (a >= 0x1p-126 && a <= 0x1.fffffep127);
	return fits ? DT_FP32 : DT_FP64;
}

bool sem_number_type(FrontLower *low, const Val *v, TlType *out)
{
	if (v->kind == VAL_DEMOTED) {
		*out = v->demoted->type;
		return true;
	}
	if (v->kind == VAL_BOOL) {
		*out = tl_scalar(low, DT_INT1);
		return true;
	}
	if (v->kind == VAL_FLOAT) {
		*out = tl_scalar(low, tl_dtype_of_float(v->f));
		return true;
	}
	int64_t i;
	uint64_t u;
	if (v->kind != VAL_INT)
		return false;
	if (val_as_int(v, &i)) {
		*out = tl_scalar(low, tl_dtype_of_int(i));
		return true;
	}
	if (!val_as_uint(v, &u))
		return false;
	*out = tl_scalar(low, DT_UINT64);
	return true;
}

const Val *sem_to_tensor(FrontLower *low, const Val *v)
{
	if (sem_is_tensor(v) || sem_is_poison(v))
		return v;
	TlType type;
	if (!sem_number_type(low, v, &type)) {
		if (v->kind == VAL_INT)
			return lower_error(low, DIAG_TILE_LITERAL_RANGE, val_brief(low, v), "any integer type");
		return lower_error(low, DIAG_TILE_NO_TENSOR, sem_describe(low, v));
	}
	const Val *made = sem_const(low, v, type);
	if (sem_is_poison(made))
		return made;
	Val *t = ARENA_NEW(low->arena, Val);
	*t = *made;
	t->origin = v;
	return t;
}

const Val *sem_scalar_of(FrontLower *low, const char *what, const Val *v, TlType type)
{
	if (!sem_is_tensor(v))
		return sem_const(low, v, type);
	if (tl_numel(sem_type(v)) != 1)
		return lower_error(low, DIAG_TILE_SCALAR_EXPECTED, what, sem_describe(low, v));
	return sem_cast(low, sem_unsplat(low, what, v), type);
}

const Val *sem_full(FrontLower *low, const char *what, const SemInts *shape, const Val *value, TlType dtype)
{
	if (!sem_check_dtype(low, dtype) || !sem_check_shape(low, what, shape->at, shape->len))
		return low->poison;
	const Val *scalar = sem_scalar_of(low, what, value, dtype);
	if (sem_is_poison(scalar))
		return scalar;
	return sem_splat(low, scalar, shape->at, shape->len);
}

const Val *sem_arange(FrontLower *low, const Val *start, const Val *end)
{
	int64_t from, to;
	if (!sem_arg_int(low, "tl.arange", "start", start, &from) ||
	    !sem_arg_int(low, "tl.arange", "end", end, &to))
		return low->poison;
	if (from < INT32_MIN || to > INT32_MAX || to <= from || from + tl_padded_size(to - from) > INT32_MAX)
		return lower_error(low, DIAG_TILE_ARANGE_BOUNDS, (long long)from, (long long)to);
	int64_t size = to - from;
	if (low->options->strict && !base_is_pow2((uint64_t)size))
		return lower_error(low, DIAG_TILE_ARANGE_SIZE, (long long)from, (long long)to, (long long)size,
				   1LL << (base_log2((uint64_t)size) + 1));
	if (!sem_check_shape(low, "tl.arange", &size, 1))
		return low->poison;
	TlType type = tl_block(low, tl_scalar(low, DT_INT32), &size, 1);
	IrValue *ir = irb_0(&low->b, OP_MAKE_RANGE, type->ir);
	ir_set(low->m, ir->def, ATTR_START, ir_attr_i32(low->cx, from));
	ir_set(low->m, ir->def, ATTR_END, ir_attr_i32(low->cx, from + tl_padded_size(size)));
	return sem_make(low, ir, type);
}
