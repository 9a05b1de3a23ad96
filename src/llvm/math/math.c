/* Arithmetic of floats that is one instruction or a few: quotients, roots, minimum and maximum, powers of two,
 * rounding. Functions that take a polynomial are in func.c and func64.c.
 *
 * f32 takes the hardware's approximations where the language allows them: div.full (2 ulps), sqrt.approx and
 * rsqrt.approx, ex2.approx. f16 and bf16 go through f32 and are rounded once, but for what is exact in them.
 * f64 is rounded right, or of the accuracy that func64.c says. */
#include "llvm/math/func.h"

#include "ir/enums.h"

/* ---- driving ---- */

static bool same_args(const LLVMValueRef *a, const LLVMValueRef *b, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

/* lower_elementwise, on f32 where the op's floats are narrower: each operand is extended, each
 * result rounded to nearest. */
static bool math_each_f32(Lower *lw, IrOp *op, LowerElement *fn)
{
	IrType t = ir_elem(op->results[0].type), f32 = ir_scalar(lw->module->cx, TY_F32);
	if (t->kind != TY_F16 && t->kind != TY_BF16)
		return lower_elementwise(lw, op, fn);
	LowerValue in[MATH_MAX_OPERANDS];
	uint32_t n = lower_count(lw, op->results[0].type), k = op->operand_count;
	ASSERT(k && k <= MATH_MAX_OPERANDS && op->result_count == 1);
	LLVMValueRef *out = lower_array(lw, n), last[MATH_MAX_OPERANDS], args[MATH_MAX_OPERANDS];
	for (uint32_t i = 0; i < k; i++)
		in[i] = lower_get(lw, ir_operand(op, i));
	for (uint32_t r = 0; r < n; r++) {
		for (uint32_t i = 0; i < k; i++)
			args[i] = in[i].regs[r];
		if (r && same_args(args, last, k)) {
			out[r] = out[r - 1];
			continue;
		}
		memcpy(last, args, k * sizeof *args);
		for (uint32_t i = 0; i < k; i++)
			args[i] = LLVMBuildFPExt(lw->b, args[i], lw->t.f32, "");
		out[r] = fn(lw, op, args);
	}
	cast_floats(lw, f32, t, ROUND_RTNE, out, out, n);
	lower_set(lw, ir_result(op, 0), out, n);
	return true;
}

LLVMValueRef math_intrinsic(Lower *lw, const char *name, const LLVMValueRef *args, unsigned count)
{
	LLVMTypeRef type = LLVMTypeOf(args[0]);
	return lower_intrinsic(lw, arena_printf(lw->arena, "%s.%s", name, lower_type_suffix(lw, type)), type, args, count);
}

LLVMValueRef math_f32(Lower *lw, double value)
{
	return LLVMConstReal(lw->t.f32, value);
}

LLVMValueRef math_f64(Lower *lw, double value)
{
	return LLVMConstReal(lw->t.f64, value);
}

LLVMValueRef math_poly(Lower *lw, LLVMValueRef x, const double *c, unsigned count)
{
	CONTRACT(count);
	LLVMTypeRef type = LLVMTypeOf(x);
	LLVMValueRef sum = LLVMConstReal(type, c[count - 1]);
	for (unsigned i = count - 1; i-- > 0;)
		sum = lower_fma(lw, sum, x, LLVMConstReal(type, c[i]));
	return sum;
}

/* ---- quotients and roots ---- */

static bool is_f64(Lower *lw, LLVMValueRef v)
{
	return LLVMTypeOf(v) == lw->t.f64;
}

static LLVMValueRef divide(Lower *lw, const IrOp *op, const LLVMValueRef *a)
{
	(void)op;
	return is_f64(lw, a[0]) ? LLVMBuildFDiv(lw->b, a[0], a[1], "") : MACHINE2(lw, div_full, a[0], a[1]);
}

/* Of each register the first that has the same divisor; NULL: most have one of their own. */
static const uint32_t *shared_divisors(Lower *lw, LowerValue divisor, uint32_t count)
{
	enum { FEW = 4, MOST = 64 }; /* quotients of a divisor, divisors */
	uint32_t *first = ARENA_ARRAY(lw->arena, uint32_t, count), seen[MOST], n = 0;
	for (uint32_t r = 0; r < count; r++) {
		uint32_t k = 0;
		while (k < n && divisor.regs[seen[k]] != divisor.regs[r])
			k++;
		if (k == n && n == MOST)
			return NULL;
		if (k == n)
			seen[n++] = r;
		first[r] = seen[k];
	}
	return n * FEW <= count ? first : NULL;
}

/* Many quotients of few divisors, as of a tile by its rows' sums: what div.full does, bit by bit,
 * but what depends on the divisor alone is done once. Divisors whose reciprocal would be no normal
 * number are scaled, and what they divide as well. */
static bool divide_by_few(Lower *lw, IrOp *op)
{
	const IrValue *result = ir_result(op, 0);
	uint32_t count = lower_count(lw, result->type);
	LowerValue a = lower_get(lw, ir_operand(op, 0)), b = lower_get(lw, ir_operand(op, 1));
	if (ir_elem(result->type)->kind != TY_F32 || a.count != count || b.count != count)
		return false;
	const uint32_t *first = shared_divisors(lw, b, count);
	if (!first)
		return false;
	LLVMValueRef *regs = lower_array(lw, count), *scale = lower_array(lw, count),
		     *inverse = lower_array(lw, count);
	for (uint32_t r = 0; r < count; r++) {
		if (first[r] == r) {
			LLVMValueRef size = math_intrinsic(lw, "llvm.fabs", &b.regs[r], 1);
			LLVMValueRef large = math_cmp(lw, LLVMRealOGT, size, math_f32(lw, 0x1p126));
			LLVMValueRef small = math_cmp(lw, LLVMRealOLT, size, math_f32(lw, 0x1p-126));
			scale[r] = math_select(lw, small, math_f32(lw, 0x1p24), math_f32(lw, 1));
			scale[r] = math_select(lw, large, math_f32(lw, 0.25), scale[r]);
			inverse[r] = MACHINE1(lw, rcp_ftz, LLVMBuildFMul(lw->b, b.regs[r], scale[r], ""));
		}
		LLVMValueRef scaled = LLVMBuildFMul(lw->b, a.regs[r], scale[first[r]], "");
		regs[r] = LLVMBuildFMul(lw->b, scaled, inverse[first[r]], "");
	}
	lower_set(lw, result, regs, count);
	return true;
}

bool lower_DIVF(Lower *lw, IrOp *op) { return divide_by_few(lw, op) || math_each_f32(lw, op, divide); }

static LLVMValueRef divide_exactly(Lower *lw, const IrOp *op, const LLVMValueRef *a)
{
	(void)op;
	return is_f64(lw, a[0]) ? LLVMBuildFDiv(lw->b, a[0], a[1], "") : MACHINE2(lw, div_rn, a[0], a[1]);
}

/* An f32 quotient of two f16 or bf16 rounds to theirs as the exact one does: it has more than twice their
 * digits. */
bool lower_PRECISE_DIVF(Lower *lw, IrOp *op) { return math_each_f32(lw, op, divide_exactly); }

static LLVMValueRef square_root(Lower *lw, const IrOp *op, const LLVMValueRef *a)
{
	(void)op;
	return is_f64(lw, a[0]) ? math_intrinsic(lw, "llvm.sqrt", a, 1) : MACHINE1(lw, sqrt_ftz, a[0]);
}

bool lower_SQRT(Lower *lw, IrOp *op) { return math_each_f32(lw, op, square_root); }

static LLVMValueRef square_root_exactly(Lower *lw, const IrOp *op, const LLVMValueRef *a)
{
	(void)op;
	return is_f64(lw, a[0]) ? math_intrinsic(lw, "llvm.sqrt", a, 1) : MACHINE1(lw, sqrt_rn, a[0]);
}

bool lower_PRECISE_SQRT(Lower *lw, IrOp *op) { return math_each_f32(lw, op, square_root_exactly); }

static LLVMValueRef reciprocal_root(Lower *lw, const IrOp *op, const LLVMValueRef *a)
{
	(void)op;
	return is_f64(lw, a[0]) ? func64_rsqrt(lw, a[0]) : MACHINE1(lw, rsqrt_ftz, a[0]);
}

bool lower_RSQRT(Lower *lw, IrOp *op) { return math_each_f32(lw, op, reciprocal_root); }

static LLVMValueRef remainder_of(Lower *lw, const IrOp *op, const LLVMValueRef *a)
{
	(void)op;
	return func_fmod(lw, a[0], a[1]);
}

bool lower_REMF(Lower *lw, IrOp *op) { return math_each_f32(lw, op, remainder_of); }

/* ---- smallest and largest ---- */

#define BINARY(name, intrinsic)                                                              \
	static LLVMValueRef build_##name(Lower *lw, const IrOp *op, const LLVMValueRef *args) \
	{                                                                                    \
		(void)op;                                                                    \
		return math_intrinsic(lw, intrinsic, args, 2);                               \
	}                                                                                    \
	bool lower_##name(Lower *lw, IrOp *op)                                               \
	{                                                                                    \
		return lower_elementwise(lw, op, build_##name);                                      \
	}

BINARY(MINIMUMF, "llvm.minimum")
BINARY(MAXIMUMF, "llvm.maximum")
BINARY(MINNUMF, "llvm.minnum")
BINARY(MAXNUMF, "llvm.maxnum")

/* The lower bound first, as upstream: it decides where bounds cross. */
static LLVMValueRef clamp(Lower *lw, const IrOp *op, const LLVMValueRef *a)
{
	bool all = ir_get_int(op, lw->module->cx, ATTR_PROPAGATE_NAN, NAN_NONE) == NAN_ALL;
	LLVMValueRef low = math_intrinsic(lw, all ? "llvm.maximum" : "llvm.maxnum", a, 2);
	return math_intrinsic(lw, all ? "llvm.minimum" : "llvm.minnum", (LLVMValueRef[]){low, a[2]}, 2);
}

bool lower_CLAMPF(Lower *lw, IrOp *op) { return lower_elementwise(lw, op, clamp); }

/* ---- to integers, signs ---- */

#define UNARY(name, intrinsic)                                                               \
	static LLVMValueRef build_##name(Lower *lw, const IrOp *op, const LLVMValueRef *args) \
	{                                                                                    \
		(void)op;                                                                    \
		return math_intrinsic(lw, intrinsic, args, 1);                               \
	}

UNARY(FLOOR, "llvm.floor")
UNARY(CEIL, "llvm.ceil")

/* Floats of 8 bits are integers to LLVM, their sign the highest bit. The only NaN of the formats
 * without a negative zero is that bit alone: it stays. */
static LLVMValueRef build_ABSF(Lower *lw, const IrOp *op, const LLVMValueRef *args)
{
	IrTypeKind kind = ir_elem(op->results[0].type)->kind;
	LLVMTypeRef type = LLVMTypeOf(args[0]);
	if (type != lw->t.i8)
		return math_intrinsic(lw, "llvm.fabs", args, 1);
	LLVMValueRef bits = LLVMBuildAnd(lw->b, args[0], LLVMConstInt(type, 0x7f, false), "");
	if (kind == TY_F8E4M3FN || kind == TY_F8E5M2)
		return bits;
	LLVMValueRef nan = LLVMConstInt(type, 0x80, false);
	return LLVMBuildSelect(lw->b, LLVMBuildICmp(lw->b, LLVMIntEQ, args[0], nan, ""), nan, bits, "");
}

bool lower_FLOOR(Lower *lw, IrOp *op) { return math_each_f32(lw, op, build_FLOOR); }
bool lower_CEIL(Lower *lw, IrOp *op) { return math_each_f32(lw, op, build_CEIL); }
bool lower_ABSF(Lower *lw, IrOp *op) { return lower_elementwise(lw, op, build_ABSF); }

/* ---- functions ---- */

#define FUNCTION(name, f32, f64)                                                             \
	static LLVMValueRef build_##name(Lower *lw, const IrOp *op, const LLVMValueRef *args) \
	{                                                                                    \
		(void)op;                                                                    \
		return is_f64(lw, args[0]) ? f64(lw, args[0]) : f32(lw, args[0]);            \
	}                                                                                    \
	bool lower_##name(Lower *lw, IrOp *op)                                               \
	{                                                                                    \
		return math_each_f32(lw, op, build_##name);                                  \
	}

FUNCTION(EXP, func_exp, func64_exp)
FUNCTION(EXP2, func_exp2, func64_exp2)
FUNCTION(LOG, func_log, func64_log)
FUNCTION(LOG2, func_log2, func64_log2)
FUNCTION(ERF, func_erf, func64_erf)

/* All elements of a tile together: one test asks whether any needs the long way. */
static bool trigonometric(Lower *lw, IrOp *op, bool cosine)
{
	LowerValue in = lower_get(lw, ir_operand(op, 0));
	IrType type = ir_elem(op->results[0].type), f32 = ir_scalar(lw->module->cx, TY_F32);
	LLVMValueRef *out = lower_array(lw, in.count);
	if (type->kind == TY_F64) {
		for (uint32_t i = 0; i < in.count; i++)
			out[i] = func64_trig(lw, in.regs[i], cosine);
	} else {
		cast_floats(lw, type, f32, ROUND_RTNE, in.regs, out, in.count);
		func_trig(lw, out, in.count, cosine);
		cast_floats(lw, f32, type, ROUND_RTNE, out, out, in.count);
	}
	lower_set(lw, ir_result(op, 0), out, in.count);
	return true;
}

bool lower_SIN(Lower *lw, IrOp *op) { return trigonometric(lw, op, false); }
bool lower_COS(Lower *lw, IrOp *op) { return trigonometric(lw, op, true); }
