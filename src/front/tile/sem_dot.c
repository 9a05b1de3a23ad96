/* Matrix products: dot (batched too) and dot_scaled. */
#include "front/tile/sem_dot.h"

#include <ctype.h>
#include <strings.h>

static const char *const precisions[] = {"tf32", "tf32x3", "ieee", "bf16x3", "bf16x6", NULL};
static const int precision_values[] = {PREC_TF32 + 1, PREC_TF32X3 + 1, PREC_IEEE + 1, PREC_BF16X3 + 1,
	PREC_BF16X6 + 1};

bool front_is_dot_precision(const char *name)
{
	for (size_t i = 0; precisions[i]; i++)
		if (strcasecmp(precisions[i], name) == 0)
			return true;
	return false;
}

static bool dtypes_ok(FrontLower *low, TlType a, TlType b)
{
	static const TlDtype allowed[] = {DT_INT8, DT_UINT8, DT_FP16, DT_BF16, DT_FP32, DT_FP64};
	if (tl_is_fp8(a) && tl_is_fp8(b))
		return true;
	bool known = false;
	for (size_t i = 0; i < ARRAY_LEN(allowed); i++)
		known |= tl_is(a, allowed[i]);
	if (known && a == b)
		return true;
	lower_error(low, DIAG_TILE_DOT_DTYPES, tl_describe(low, a), tl_describe(low, b));
	return false;
}

/* What of two operands must be equal and is not; NULL: they can be multiplied. */
static const char *shapes_differ(TlType x, TlType y)
{
	if (!tl_is_block(x) || !tl_is_block(y) || x->rank != y->rank || x->rank < 2)
		return "ranks >= 2";
	for (uint32_t i = 0; i + 2 < x->rank; i++)
		if (x->shape[i] != y->shape[i])
			return "batch shapes";
	return x->shape[x->rank - 1] == y->shape[y->rank - 2] ? NULL : "reduction dimensions";
}

static bool shapes_ok(FrontLower *low, const Val *a, const Val *b)
{
	TlType x = sem_type(a), y = sem_type(b);
	const char *differ = shapes_differ(x, y);
	if (differ)
		lower_error(low, DIAG_TILE_DOT_SHAPES, tl_describe(low, x), tl_describe(low, y), differ);
	return !differ;
}

/* The least K that tensor cores take. */
static int64_t least_k(TlType a)
{
	return tl_bits(a->elem) == 8 ? 32 : 16;
}

/* M, N >= 1; a smaller K than that is what Triton refuses. */
static bool size_ok(FrontLower *low, TlType a)
{
	int64_t k = a->shape[a->rank - 1];
	if (tl_padded_size(k) >= least_k(a) || low->options->no_gpu_limits || !low->options->strict)
		return true;
	lower_error(low, DIAG_TILE_DOT_SMALL, (long long)least_k(a), tl_describe(low, a), (long long)k);
	return false;
}

/* The operand with zeros behind its elements along the axis of K, up to what tensor cores take. */
static const Val *lengthen(FrontLower *low, const Val *v, uint32_t axis)
{
	TlType t = sem_type(v);
	int64_t shape[IR_MAX_RANK];
	memcpy(shape, t->shape, t->rank * sizeof *shape);
	shape[axis] = tl_padded_size(shape[axis]);
	v = sem_make(low, sem_ir(v), tl_block(low, t->elem, shape, t->rank));
	while (!sem_is_poison(v) && sem_type(v)->shape[axis] < least_k(t)) {
		const Val *zero = sem_const_int(low, 0, t->elem);
		const Val *zeros = sem_splat(low, zero, sem_type(v)->shape, t->rank);
		v = sem_cat(low, v, zeros, axis, false);
	}
	return v;
}

/* Element type of the result; NULL after diagnosing. */
static TlType result_elem(FrontLower *low, TlType a, TlType out)
{
	if (tl_is_int(a)) {
		if (tl_is(a, DT_INT8))
			return tl_scalar(low, DT_INT32);
		lower_error(low, DIAG_TILE_DOT_DTYPES, tl_describe(low, a), tl_describe(low, a));
		return NULL;
	}
	if (!tl_is_float(out) || tl_is(out, DT_BF16)) {
		lower_error(low, DIAG_TILE_DOT_OUT, tl_describe(low, out));
		return NULL;
	}
	if (tl_is(a, DT_FP32) || tl_is(a, DT_BF16))
		return tl_scalar(low, DT_FP32);
	if (tl_is(a, DT_FP64))
		return a;
	if (!tl_is(out, DT_FP16) && !tl_is(out, DT_FP32)) {
		lower_error(low, DIAG_TILE_DOT_OUT, tl_describe(low, out));
		return NULL;
	}
	return out;
}

static int precision_of(FrontLower *low, const char *name)
{
	char lower[16] = "";
	if (!name)
		name = low->options->default_dot_precision ? low->options->default_dot_precision : "tf32";
	for (size_t i = 0; name[i] && i + 1 < sizeof lower; i++)
		lower[i] = (char)tolower((unsigned char)name[i]);
	return sem_option(low, "tl.dot", "input_precision", lower, precisions, precision_values) - 1;
}

/* Formats without hardware support on the target are multiplied as fp16. */
static const Val *upcast(FrontLower *low, const Val *v)
{
	TlType t = sem_elem(v);
	if (tl_is(t, DT_FP8E4B15) || tl_is(t, DT_FP8E4B8) || tl_is(t, DT_FP8E5B16))
		return sem_cast(low, v, tl_scalar(low, DT_FP16));
	return v;
}

static const Val *accumulator(FrontLower *low, const Val *acc, TlType type, const char *what)
{
	if (!acc)
		return sem_splat(low, sem_const_int(low, 0, type->elem), type->shape, type->rank);
	if (sem_is_tile(acc) && sem_type(acc) == type)
		return acc;
	return lower_error(low, DIAG_TILE_DOT_ACC, what, sem_describe(low, acc), tl_describe(low, type));
}

/* Dimensions before the last two as one batch dimension. */
static const Val *fold_batch(FrontLower *low, const Val *v)
{
	TlType t = sem_type(v);
	int64_t shape[3] = {1, t->shape[t->rank - 2], t->shape[t->rank - 1]};
	for (uint32_t i = 0; i + 2 < t->rank; i++)
		shape[0] *= t->shape[i];
	return sem_reshape(low, "tl.dot", v, shape, 3, false);
}

static const Val *imprecise_limit(FrontLower *low, const SemDot *dot, TlType a, TlType b, int64_t *limit)
{
	bool fp8 = tl_is_fp8(tl_elem(a)) && tl_is_fp8(tl_elem(b));
	int64_t k = a->shape[a->rank - 1];
	if (!dot->has_max_imprecise)
		*limit = fp8 && low->options->target_arch == 90 ? 1 << 30 : 0;
	else if (fp8 && dot->max_imprecise > k)
		return lower_error(low, DIAG_TILE_DOT_IMPRECISE, (long long)dot->max_imprecise, (long long)k);
	else
		*limit = dot->max_imprecise;
	return low->none;
}

const Val *sem_dot(FrontLower *low, const Val *a, const Val *b, const SemDot *dot)
{
	if (!shapes_ok(low, a, b) || !dtypes_ok(low, sem_elem(a), sem_elem(b)))
		return low->poison;
	if (low->options->target_arch >= 90 &&
	    (tl_is(sem_elem(a), DT_FP8E4B15) || tl_is(sem_elem(b), DT_FP8E4B15)))
		lower_warning(low, DIAG_TILE_DOT_E4B15);
	a = upcast(low, a);
	b = upcast(low, b);
	TlType x = sem_type(a), y = sem_type(b), elem = result_elem(low, x->elem, dot->out);
	int precision = elem ? precision_of(low, dot->precision) : -1;
	if (!elem || precision < 0 || !size_ok(low, x))
		return low->poison;
	int64_t shape[IR_MAX_RANK], limit = 0;
	memcpy(shape, x->shape, x->rank * sizeof *shape);
	shape[x->rank - 1] = y->shape[x->rank - 1];
	if (!sem_check_shape(low, "tl.dot", shape, x->rank))
		return low->poison;
	TlType type = tl_block(low, elem, shape, x->rank);
	const Val *acc = accumulator(low, dot->acc, type, "tl.dot");
	if (sem_is_poison(acc) || sem_is_poison(imprecise_limit(low, dot, x, y, &limit)))
		return low->poison;
	bool fold = x->rank > 3;
	if (fold) {
		a = fold_batch(low, a);
		b = fold_batch(low, b);
		acc = fold_batch(low, acc);
	}
	a = sem_fill_padding(low, a, (int)sem_type(a)->rank - 1, sem_const_int(low, 0, sem_elem(a)));
	b = sem_fill_padding(low, b, (int)sem_type(b)->rank - 2, sem_const_int(low, 0, sem_elem(b)));
	if (!low->options->no_gpu_limits) {
		a = lengthen(low, a, sem_type(a)->rank - 1);
		b = lengthen(low, b, sem_type(b)->rank - 2);
	}
	if (sem_is_poison(a) || sem_is_poison(b))
		return low->poison;
	IrValue *ir = irb_3(&low->b, OP_DOT, NULL, sem_ir(a), sem_ir(b), sem_ir(acc));
	ir_set(low->m, ir->def, ATTR_INPUT_PRECISION, ir_attr_i32(low->cx, precision));
	sem_note_padding(low, ir->def, x, y->shape[y->rank - 1]);
	if (limit)
		ir_set(low->m, ir->def, ATTR_MAX_IMPRECISE, ir_attr_i32(low->cx, limit));
	const Val *result = sem_make(low, ir, sem_type(acc));
	return fold ? sem_reshape(low, "tl.dot", result, shape, x->rank, false) : result;
}

/* ---- dot_scaled ---- */

static const struct {
	const char *name;
	IrScaleFormat format;
	TlDtype dtype, bits_dtype; /* the element type; or the integers that hold its bits */
} formats[] = {
	{"e2m1", SCALE_E2M1, DT_UINT8, DT_UINT8},   {"e4m3", SCALE_E4M3, DT_FP8E4NV, DT_UINT8},
	{"e5m2", SCALE_E5M2, DT_FP8E5, DT_UINT8},   {"bf16", SCALE_BF16, DT_BF16, DT_UINT16},
	{"fp16", SCALE_FP16, DT_FP16, DT_UINT16},
};

/* Finds the format and brings v to its type; NULL after diagnosing. */
static const Val *scaled_operand(FrontLower *low, const char *arg, const SemScaledSide *side,
				 IrScaleFormat *format)
{
	for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
		if (strcmp(formats[i].name, side->format) != 0)
			continue;
		*format = formats[i].format;
		TlType want = tl_scalar(low, formats[i].dtype);
		if (sem_elem(side->v) == want)
			return side->v;
		/* Every target unpacks them, also one whose kernels have no values of that type. */
		TlType type = tl_with_elem(low, sem_type(side->v), want);
		if (tl_is(sem_elem(side->v), formats[i].bits_dtype))
			return sem_make(low, irb_1(&low->b, OP_BITCAST, type->ir, sem_ir(side->v)), type);
		lower_error(low, DIAG_TILE_SCALED_DTYPE, arg, side->format, sem_describe(low, side->v));
		return NULL;
	}
	lower_error(low, DIAG_TILE_OPTION_WORD, "tl.dot_scaled", arg, side->format,
		    "'e2m1', 'e4m3', 'e5m2', 'bf16', 'fp16'");
	return NULL;
}

static bool scale_ok(FrontLower *low, const char *arg, const Val *scale, TlType operand, int64_t rows,
		     int64_t k)
{
	if (!scale)
		return true;
	TlType t = sem_type(scale);
	int64_t group = tl_is(sem_elem(scale), DT_FP8E4NV) ? 16 : 32;
	uint32_t rank = operand->rank;
	bool ok = tl_is_block(t) && t->rank == rank && t->shape[rank - 2] == rows &&
			t->shape[rank - 1] == k / group &&
		  (rank == 2 || t->shape[0] == operand->shape[0]);
	if (!ok)
		lower_error(low, DIAG_TILE_SCALED_SCALE, arg, (long long)rows, (long long)(k / group),
			    sem_describe(low, scale));
	return ok;
}

const Val *sem_dot_scaled(FrontLower *low, const SemScaledSide *a, const SemScaledSide *b, const Val *acc,
			  bool fast_math)
{
	IrScaleFormat fa, fb;
	const Val *l = scaled_operand(low, "lhs", a, &fa);
	const Val *r = l ? scaled_operand(low, "rhs", b, &fb) : NULL;
	if (!r)
		return low->poison;
	TlType x = sem_type(l), y = sem_type(r);
	int64_t pack_a = fa == SCALE_E2M1 ? 2 : 1, pack_b = fb == SCALE_E2M1 ? 2 : 1;
	if ((!a->k_pack && pack_a == 1) || (!b->k_pack && pack_b == 1))
		return lower_error(low, DIAG_TILE_SCALED_PACK);
	bool ranks = tl_is_block(x) && tl_is_block(y) && x->rank == y->rank && (x->rank == 2 || x->rank == 3);
	uint32_t n = ranks ? x->rank : 2;
	const char *differ = ranks ? NULL : "ranks >= 2";
	if (ranks && n == 3 && x->shape[0] != y->shape[0])
		differ = "batch shapes";
	else if (ranks && x->shape[n - 1] * (a->k_pack ? pack_a : 1) !=
				  y->shape[n - 2] * (b->k_pack ? pack_b : 1))
		differ = "reduction dimensions";
	if (differ)
		return lower_error(low, DIAG_TILE_DOT_SHAPES, tl_describe(low, x), tl_describe(low, y),
				   differ);
	int64_t shape[3] = {x->shape[0]}, k = x->shape[n - 1] * (a->k_pack ? pack_a : 1);
	shape[n - 2] = x->shape[n - 2] * (a->k_pack ? 1 : pack_a);
	shape[n - 1] = y->shape[n - 1] * (b->k_pack ? 1 : pack_b);
	if (!sem_check_shape(low, "tl.dot_scaled", shape, n) ||
	    !scale_ok(low, "lhs_scale", a->scale, x, shape[n - 2], k) ||
	    !scale_ok(low, "rhs_scale", b->scale, y, shape[n - 1], k))
		return low->poison;
	TlType type = tl_block(low, tl_scalar(low, DT_FP32), shape, n);
	acc = accumulator(low, acc, type, "tl.dot_scaled");
	if (sem_is_poison(acc))
		return acc;
	IrValue *operands[5] = {sem_ir(l), sem_ir(r), sem_ir(acc)};
	uint32_t count = 3;
	if (a->scale)
		operands[count++] = sem_ir(a->scale);
	if (b->scale)
		operands[count++] = sem_ir(b->scale);
	IrOp *op = irb_op(&low->b, OP_DOT_SCALED, operands, count, &type->ir, 1, 0);
	ir_set(low->m, op, ATTR_LHS_FORMAT, ir_attr_i32(low->cx, fa));
	ir_set(low->m, op, ATTR_RHS_FORMAT, ir_attr_i32(low->cx, fb));
	ir_set(low->m, op, ATTR_FAST_MATH, ir_attr_bool(low->cx, fast_math));
	ir_set(low->m, op, ATTR_LHS_K_PACK, ir_attr_bool(low->cx, a->k_pack));
	ir_set(low->m, op, ATTR_RHS_K_PACK, ir_attr_bool(low->cx, b->k_pack));
	ir_set(low->m, op, ATTR_HAS_LHS_SCALE, ir_attr_bool(low->cx, a->scale != NULL));
	ir_set(low->m, op, ATTR_HAS_RHS_SCALE, ir_attr_bool(low->cx, b->scale != NULL));
	return sem_make(low, ir_result(op, 0), type);
}
