/* Builtins that compute: arithmetic, math, selection, matrix products. */
#include "front/builtin/builtin.h"
#include "front/tile/sem_dot.h"

static bool nan_mode(FrontLower *low, const BuiltinCall *call, const Val *v, bool *propagate)
{
	int64_t mode;
	if (!sem_arg_int(low, call->what, "propagate_nan", v, &mode))
		return false;
	*propagate = mode != NAN_NONE;
	return true;
}

/* Numbers of the host alone: the operator on their tensors, as upstream makes them. */
static void tensors_of(FrontLower *low, const Val **x, const Val **y)
{
	if (!sem_is_tensor(*x) && !sem_is_tensor(*y) && val_is_host_number(*x))
		*x = sem_to_tensor(low, *x);
}

const Val *builtin_arith(FrontLower *low, const BuiltinCall *call)
{
	bool sanitize;
	const Val *x = call->a[0], *y = call->a[1];
	if (!sem_arg_bool(low, call->what, "sanitize_overflow", call->a[2], &sanitize))
		return low->poison;
	tensors_of(low, &x, &y);
	return sem_arith(low, (AstBinOp)call->info->data, x, y, sanitize);
}

const Val *builtin_where(FrontLower *low, const BuiltinCall *call)
{
	const Val *cond = sem_arg_tensor(low, call->what, "condition", call->a[0]);
	if (cond && sem_is_tile(cond) && !tl_is(sem_elem(cond), DT_INT1))
		lower_warning(low, DIAG_TILE_WHERE_CONDITION, tl_type_text(low, sem_elem(cond)));
	return cond ? sem_select(low, cond, call->a[1], call->a[2]) : low->poison;
}

const Val *builtin_minmax(FrontLower *low, const BuiltinCall *call)
{
	bool propagate;
	const Val *x = sem_arg_tensor(low, call->what, "x", call->a[0]);
	const Val *y = x ? sem_arg_tensor(low, call->what, "y", call->a[1]) : NULL;
	if (!y || !nan_mode(low, call, call->a[2], &propagate))
		return low->poison;
	return sem_minmax(low, call->info->data, x, y, propagate);
}

const Val *builtin_clamp(FrontLower *low, const BuiltinCall *call)
{
	bool propagate;
	const Val *x = sem_arg_tensor(low, call->what, "x", call->a[0]);
	const Val *lo = x ? sem_arg_tensor(low, call->what, "min", call->a[1]) : NULL;
	const Val *hi = lo ? sem_arg_tensor(low, call->what, "max", call->a[2]) : NULL;
	if (!hi || !nan_mode(low, call, call->a[3], &propagate))
		return low->poison;
	return sem_clamp(low, x, lo, hi, propagate);
}

const Val *builtin_logical(FrontLower *low, const BuiltinCall *call)
{
	return sem_logical(low, call->info->data, call->a[0], call->a[1]);
}

/* Operators by the names of their methods: x.__rshift__(4). Those of the other side are below 0. */
const Val *builtin_operator(FrontLower *low, const BuiltinCall *call)
{
	int op = call->info->data;
	return op >= 0 ? sem_binary(low, (AstBinOp)op, call->a[0], call->a[1])
		       : sem_binary(low, (AstBinOp)(-op - 1), call->a[1], call->a[0]);
}

const Val *builtin_comparison(FrontLower *low, const BuiltinCall *call)
{
	int op = call->info->data;
	return op >= 0 ? sem_compare(low, (AstCmpOp)op, call->a[0], call->a[1])
		       : sem_compare(low, (AstCmpOp)(-op - 1), call->a[1], call->a[0]);
}

const Val *builtin_unary_operator(FrontLower *low, const BuiltinCall *call)
{
	return sem_unary(low, (AstUnOp)call->info->data, call->a[0]);
}

const Val *builtin_abs(FrontLower *low, const BuiltinCall *call)
{
	const Val *x = sem_arg_tensor(low, call->what, "x", call->a[0]);
	if (!x)
		return low->poison;
	TlType t = sem_elem(x);
	if (tl_is(t, DT_FP8E4B15)) {
		const Val *mask = sem_const_int(low, 0x7f, tl_scalar(low, DT_INT8));
		const Val *bits = sem_bitcast(low, x, tl_scalar(low, DT_INT8));
		return sem_bitcast(low, sem_binary(low, BIN_AND, bits, mask), t);
	}
	if (tl_is_float(t))
		return sem_make(low, irb_1(&low->b, OP_ABSF, NULL, sem_ir(x)), sem_type(x));
	if (tl_is_signed(t))
		return sem_make(low, irb_1(&low->b, OP_ABSI, NULL, sem_ir(x)), sem_type(x));
	return tl_is_int(t) ? x : lower_error(low, DIAG_TILE_OPERAND, call->what, sem_describe(low, x));
}

/* fp32 and fp64 only, as upstream; sqrt_rn fp32 only. Methods do not look at types there: x.exp()
 * of fp16 and bf16 is computed in fp32. */
const Val *builtin_math(FrontLower *low, const BuiltinCall *call)
{
	IrOpKind op = (IrOpKind)call->info->data;
	const Val *x = sem_arg_tensor(low, call->what, "x", call->a[0]);
	if (!x)
		return low->poison;
	bool single = op == OP_PRECISE_SQRT;
	if (call->method && !single && (tl_is(sem_elem(x), DT_FP16) || tl_is(sem_elem(x), DT_BF16))) {
		const Val *wide = sem_cast(low, x, tl_scalar(low, DT_FP32));
		wide = sem_make(low, irb_1(&low->b, op, NULL, sem_ir(wide)), sem_type(wide));
		return sem_cast(low, wide, sem_elem(x));
	}
	if (!tl_is(sem_elem(x), DT_FP32) && (single || !tl_is(sem_elem(x), DT_FP64)))
		return lower_error(low, DIAG_TILE_MATH_DTYPE, call->what, single ? "fp32" : "fp32 or fp64",
				   sem_describe(low, x));
	return sem_make(low, irb_1(&low->b, op, NULL, sem_ir(x)), sem_type(x));
}

const Val *builtin_fdiv(FrontLower *low, const BuiltinCall *call)
{
	const Val *x = sem_arg_tensor(low, call->what, "x", call->a[0]);
	const Val *y = x ? sem_arg_tensor(low, call->what, "y", call->a[1]) : NULL;
	bool exact, approx;
	if (!y || !sem_arg_bool(low, call->what, "ieee_rounding", call->a[2], &exact) ||
	    !sem_arg_bool(low, call->what, "approx", call->a[3], &approx))
		return low->poison;
	if (exact && approx)
		return lower_error(low, DIAG_TILE_FDIV, call->what);
	/* It may be rough, and is not. */
	const Val *quotient = sem_fdiv(low, x, y);
	if (approx && !sem_is_poison(quotient) && !tl_is(sem_elem(quotient), DT_FP32))
		return lower_error(low, DIAG_TILE_MATH_DTYPE, "tl.fdiv(approx=True)", "fp32",
				   sem_describe(low, x));
	return quotient;
}

/* Two tensors, brought to one type and shape. */
static bool two(FrontLower *low, const BuiltinCall *call, const Val **x, const Val **y)
{
	SemRules rules = {.what = call->what, .arithmetic = true};
	*x = sem_arg_tensor(low, call->what, "x", call->a[0]);
	*y = *x ? sem_arg_tensor(low, call->what, "y", call->a[1]) : NULL;
	return *y && sem_operands(low, &rules, x, y);
}

const Val *builtin_div_rn(FrontLower *low, const BuiltinCall *call)
{
	const Val *x, *y;
	if (!two(low, call, &x, &y))
		return low->poison;
	if (!tl_is(sem_elem(x), DT_FP32))
		return lower_error(low, DIAG_TILE_MATH_DTYPE, call->what, "fp32", sem_describe(low, x));
	return sem_make(low, irb_2(&low->b, OP_PRECISE_DIVF, NULL, sem_ir(x), sem_ir(y)), sem_type(x));
}

const Val *builtin_umulhi(FrontLower *low, const BuiltinCall *call)
{
	const Val *x, *y;
	if (!two(low, call, &x, &y))
		return low->poison;
	if (!tl_is_int(sem_elem(x)) || tl_bits(sem_elem(x)) < 32)
		return lower_error(low, DIAG_TILE_MATH_DTYPE, call->what, "integers of 32 or 64 bits",
				   sem_describe(low, x));
	return sem_make(low, irb_2(&low->b, OP_MULHIUI, NULL, sem_ir(x), sem_ir(y)), sem_type(x));
}

const Val *builtin_fma(FrontLower *low, const BuiltinCall *call)
{
	SemRules rules = {.what = call->what, .arithmetic = true};
	const Val *x, *y, *z = sem_arg_tensor(low, call->what, "z", call->a[2]);
	if (!z || !two(low, call, &x, &y) || !sem_operands(low, &rules, &z, &x) ||
	    !sem_operands(low, &rules, &z, &y) ||
	    !sem_operands(low, &rules, &z, &x))
		return low->poison;
	if (!tl_is_float(sem_elem(x)))
		return lower_error(low, DIAG_TILE_MATH_DTYPE, call->what, "floats", sem_describe(low, x));
	if (!sem_computes(low, &rules, &z, NULL) || !sem_computes(low, &rules, &x, &y))
		return low->poison;
	return sem_make(low, irb_3(&low->b, OP_FMA, NULL, sem_ir(x), sem_ir(y), sem_ir(z)), sem_type(x));
}

/* ---- matrix products ---- */

static bool dot_precision(FrontLower *low, const BuiltinCall *call, SemDot *dot)
{
	const char *precision;
	bool tf32;
	if (call->a[3]->kind != VAL_NONE && call->a[4]->kind != VAL_NONE) {
		lower_error(low, DIAG_TILE_DOT_PRECISIONS, call->what);
		return false;
	}
	if (!sem_arg_str(low, call->what, "input_precision", call->a[3], &precision) ||
	    !sem_arg_bool(low, call->what, "allow_tf32", call->a[4], &tf32))
		return false;
	/* TRITON_F32_DEFAULT wins over allow_tf32, which only chooses between tf32 and ieee. */
	const char *set = low->options->default_dot_precision;
	bool is_set = set && strcmp(set, "tf32") != 0;
	const char *otherwise = call->a[4]->kind == VAL_NONE || tf32 ? "tf32" : "ieee";
	dot->precision = *precision ? precision : is_set ? set : otherwise;
	return true;
}

/* Where nobody says it, fp32; of products of halves that are added to halves, those. NULL after
 * diagnosing. */
static TlType dot_out(FrontLower *low, const Val *a, const Val *acc)
{
	bool halves = acc && sem_is_tile(acc) && tl_is(sem_elem(acc), DT_FP16) && tl_is(sem_elem(a), DT_FP16);
	if (halves && !lower_extension(low, "accumulators of halves without out_dtype"))
		return NULL;
	return tl_scalar(low, halves ? DT_FP16 : DT_FP32);
}

const Val *builtin_dot(FrontLower *low, const BuiltinCall *call)
{
	SemDot dot = {.acc = NULL};
	const Val *a = sem_arg_tensor(low, call->what, "input", call->a[0]);
	const Val *b = a ? sem_arg_tensor(low, call->what, "other", call->a[1]) : NULL;
	if (!b || !dot_precision(low, call, &dot))
		return low->poison;
	if (call->a[2]->kind != VAL_NONE) {
		dot.acc = sem_arg_tensor(low, call->what, "acc", call->a[2]);
		if (!dot.acc)
			return low->poison;
	}
	if (call->a[6]->kind == VAL_NONE)
		dot.out = dot_out(low, a, dot.acc);
	else if (!sem_arg_dtype(low, call->what, "out_dtype", call->a[6], &dot.out))
		dot.out = NULL;
	if (!dot.out)
		return low->poison;
	dot.has_max_imprecise = call->a[5]->kind != VAL_NONE;
	if (dot.has_max_imprecise &&
	    !sem_arg_int(low, call->what, "max_num_imprecise_acc", call->a[5], &dot.max_imprecise))
		return low->poison;
	return sem_dot(low, a, b, &dot);
}

static bool scaled_side(FrontLower *low, const BuiltinCall *call, uint32_t first, const char *name,
			const Val *k_pack,
			SemScaledSide *out)
{
	*out = (SemScaledSide){.v = sem_arg_tensor(low, call->what, name, call->a[first])};
	if (!out->v || !sem_arg_str(low, call->what, "format", call->a[first + 2], &out->format) ||
	    !sem_arg_bool(low, call->what, "k_pack", k_pack, &out->k_pack))
		return false;
	if (call->a[first + 1]->kind == VAL_NONE)
		return true;
	out->scale = sem_arg_tensor(low, call->what, "scale", call->a[first + 1]);
	return out->scale != NULL;
}

const Val *builtin_dot_scaled(FrontLower *low, const BuiltinCall *call)
{
	SemScaledSide a, b;
	TlType out;
	bool fast;
	if (!scaled_side(low, call, 0, "lhs", call->a[8], &a) ||
	    !scaled_side(low, call, 3, "rhs", call->a[9], &b) ||
	    !sem_arg_bool(low, call->what, "fast_math", call->a[7], &fast) ||
	    !sem_arg_dtype(low, call->what, "out_dtype", call->a[10], &out))
		return low->poison;
	if (!tl_is(out, DT_FP32))
		return lower_error(low, DIAG_TILE_DOT_OUT, tl_describe(low, out));
	const Val *acc = NULL;
	if (call->a[6]->kind != VAL_NONE) {
		acc = sem_arg_tensor(low, call->what, "acc", call->a[6]);
		if (!acc)
			return low->poison;
	}
	return sem_dot_scaled(low, &a, &b, acc, fast);
}
