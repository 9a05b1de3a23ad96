/* Conversions: integers, floats, bits, pointers. fp8 is in lower_fp8.c.
 *
 * Floats to f16 and bf16 go two at a time, which is one instruction for both. Float to integer is PTX's cvt.rzi, that
 * LLVM's instruction becomes: it saturates, and NaN is 0 (of 64 bits: the least number). */
#include "llvm/lower_affine.h"
#include "llvm/lower_math.h"

#include "ir/enums.h"

/* ---- packing ---- */

LLVMValueRef math_pack(Lower *lw, const LLVMValueRef *in, uint32_t count, LLVMTypeRef elem, unsigned bits)
{
	unsigned lanes = 32 / bits;
	ASSERT(count && count <= lanes);
	LLVMValueRef v = LLVMConstNull(LLVMVectorType(elem, lanes));
	for (uint32_t i = 0; i < count; i++)
		v = LLVMBuildInsertElement(lw->b, v, in[i], lower_i32(lw, i), "");
	return LLVMBuildBitCast(lw->b, v, lw->t.i32, "");
}

void math_unpack(Lower *lw, LLVMValueRef word, LLVMValueRef *out, uint32_t count, LLVMTypeRef elem, unsigned bits)
{
	LLVMValueRef v = LLVMBuildBitCast(lw->b, word, LLVMVectorType(elem, 32 / bits), "");
	for (uint32_t i = 0; i < count; i++)
		out[i] = LLVMBuildExtractElement(lw->b, v, lower_i32(lw, i), "");
}

/* ---- floats ---- */

static LLVMValueRef pair_of(Lower *lw, LLVMValueRef a, LLVMValueRef b)
{
	LLVMValueRef v = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(a), 2));
	v = LLVMBuildInsertElement(lw->b, v, a, lower_i32(lw, 0), "");
	return LLVMBuildInsertElement(lw->b, v, b, lower_i32(lw, 1), "");
}

/* f32 to f16 or bf16 (which). An odd last one is converted alone. */
static void round_nearest(Lower *lw, LLVMTypeRef to, const LLVMValueRef *in, LLVMValueRef *out, uint32_t count)
{
	uint32_t i = 0;
	for (; i + 2 <= count; i += 2) {
		LLVMValueRef v = LLVMBuildFPTrunc(lw->b, pair_of(lw, in[i], in[i + 1]), LLVMVectorType(to, 2), "");
		out[i] = LLVMBuildExtractElement(lw->b, v, lower_i32(lw, 0), "");
		out[i + 1] = LLVMBuildExtractElement(lw->b, v, lower_i32(lw, 1), "");
	}
	if (i < count)
		out[i] = LLVMBuildFPTrunc(lw->b, in[i], to, "");
}

static void round_to_zero(Lower *lw, LLVMTypeRef to, const LLVMValueRef *in, LLVMValueRef *out, uint32_t count)
{
	MachineOp op = to == lw->t.f16 ? MACHINE_cvt_rz_f16x2 : MACHINE_cvt_rz_bf16x2;
	for (uint32_t i = 0; i < count; i += 2) {
		LLVMValueRef args[] = {in[i], i + 1 < count ? in[i + 1] : in[i]};
		math_unpack(lw, machine_call(lw, op, args, 2), out + i, MIN(2, count - i), to, 16);
	}
}

/* The f32 nearest to an f64 towards zero, its last bit set where that is inexact: rounding it again to 22 bits or fewer
 * rounds the f64. */
static LLVMValueRef to_odd_f32(Lower *lw, LLVMValueRef x)
{
	LLVMValueRef cut = MACHINE1(lw, cvt_rz_f32_f64, x);
	LLVMValueRef inexact = math_cmp(lw, LLVMRealUNE, LLVMBuildFPExt(lw->b, cut, lw->t.f64, ""), x);
	LLVMValueRef bits = LLVMBuildBitCast(lw->b, cut, lw->t.i32, "");
	bits = LLVMBuildOr(lw->b, bits, LLVMBuildZExt(lw->b, inexact, lw->t.i32, ""), "");
	return LLVMBuildBitCast(lw->b, bits, lw->t.f32, "");
}

static bool is_fp8(IrType t)
{
	return ir_is_float(t) && t->bits == 8;
}

/* Floats of 16 bits and more to any such. */
static void cast_wide(Lower *lw, LLVMTypeRef from, LLVMTypeRef to, bool nearest, const LLVMValueRef *in, LLVMValueRef *out,
		      uint32_t count)
{
	bool small = to == lw->t.f16 || to == lw->t.bf16;
	if (from == to) {
		memcpy(out, in, count * sizeof *out);
		return;
	}
	if (to == lw->t.f64 || (to == lw->t.f32 && from != lw->t.f64)) {
		for (uint32_t i = 0; i < count; i++)
			out[i] = LLVMBuildFPExt(lw->b, in[i], to, "");
		return;
	}
	if (from == lw->t.f64 && nearest) {
		for (uint32_t i = 0; i < count; i++)
			out[i] = LLVMBuildFPTrunc(lw->b, in[i], to, "");
		return;
	}
	LLVMValueRef *wide = lower_array(lw, count);
	for (uint32_t i = 0; i < count; i++) /* towards zero twice is towards zero */
		wide[i] = from == lw->t.f64   ? MACHINE1(lw, cvt_rz_f32_f64, in[i])
			  : from == lw->t.f32 ? in[i]
					      : LLVMBuildFPExt(lw->b, in[i], lw->t.f32, "");
	if (!small)
		memcpy(out, wide, count * sizeof *out);
	else if (nearest)
		round_nearest(lw, to, wide, out, count);
	else
		round_to_zero(lw, to, wide, out, count);
}

void cast_floats(Lower *lw, IrType from, IrType to, int rounding, const LLVMValueRef *in, LLVMValueRef *out, uint32_t count)
{
	bool nearest = rounding != ROUND_RTZ;
	LLVMTypeRef have = lower_type(lw, from);
	if (from == to) {
		memcpy(out, in, count * sizeof *out);
		return;
	}
	if (is_fp8(from)) {
		LLVMValueRef *wide = lower_array(lw, count);
		fp8_decode(lw, from, in, wide, count);
		have = fp8_wide(lw, from);
		in = wide;
	}
	if (!is_fp8(to)) {
		cast_wide(lw, have, lower_type(lw, to), nearest, in, out, count);
		return;
	}
	if (have != lw->t.f16 && have != lw->t.f32) {
		LLVMValueRef *wide = lower_array(lw, count);
		for (uint32_t i = 0; i < count; i++)
			wide[i] = have != lw->t.f64 ? LLVMBuildFPExt(lw->b, in[i], lw->t.f32, "")
				  : nearest	    ? to_odd_f32(lw, in[i])
						    : MACHINE1(lw, cvt_rz_f32_f64, in[i]);
		in = wide;
	}
	fp8_encode(lw, to, nearest, in, out, count);
}

static bool cast_float_op(Lower *lw, IrOp *op, int rounding)
{
	LowerValue v = lower_get(lw, ir_operand(op, 0));
	LLVMValueRef *out = lower_array(lw, v.count);
	cast_floats(lw, ir_elem(ir_operand(op, 0)->type), ir_elem(op->results[0].type), rounding, v.regs, out, v.count);
	lower_set(lw, ir_result(op, 0), out, v.count);
	return true;
}

bool lower_EXTF(Lower *lw, IrOp *op)
{
	return cast_float_op(lw, op, ROUND_RTNE);
}

/* arith's rounding modes: 0 to nearest even, 3 towards zero; the front end writes no others. */
bool lower_TRUNCF(Lower *lw, IrOp *op)
{
	int64_t mode = ir_get_int(op, lw->module->cx, ATTR_ROUNDING_MODE, 0);
	if (mode != 0 && mode != 3)
		return lower_diag(lw, op->loc, DIAG_LOWER_ROUNDING);
	return cast_float_op(lw, op, mode == 0 ? ROUND_RTNE : ROUND_RTZ);
}

bool lower_FP_TO_FP(Lower *lw, IrOp *op)
{
	return cast_float_op(lw, op, (int)ir_get_int(op, lw->module->cx, ATTR_ROUNDING, ROUND_RTNE));
}

/* ---- integers ---- */

static LLVMTypeRef result_type(Lower *lw, const IrOp *op)
{
	return lower_type(lw, ir_elem(op->results[0].type));
}

#define CAST(name, build)                                                                    \
	static LLVMValueRef build_##name(Lower *lw, const IrOp *op, const LLVMValueRef *args) \
	{                                                                                    \
		return build(lw->b, args[0], result_type(lw, op), "");                       \
	}                                                                                    \
	bool lower_##name(Lower *lw, IrOp *op)                                               \
	{                                                                                    \
		return lower_elementwise(lw, op, build_##name);                                      \
	}

/* Indices keep their constants apart. */
bool lower_EXTSI(Lower *lw, IrOp *op)
{
	LowerValue v = lower_get(lw, ir_operand(op, 0));
	LowerAffineOp affine = lower_affine_op(lw, op);
	LLVMValueRef *regs = lower_array(lw, v.count);
	for (uint32_t r = 0; r < v.count; r++)
		regs[r] = r && v.regs[r] == v.regs[r - 1] ? regs[r - 1] :
			  lower_affine_extend(lw, &affine, v.regs[r], result_type(lw, op));
	lower_set(lw, ir_result(op, 0), regs, v.count);
	return true;
}

CAST(EXTUI, LLVMBuildZExt)
CAST(TRUNCI, LLVMBuildTrunc)
CAST(FPTOSI, LLVMBuildFPToSI)
CAST(FPTOUI, LLVMBuildFPToUI)
CAST(SITOFP, LLVMBuildSIToFP)
CAST(UITOFP, LLVMBuildUIToFP)
CAST(INT_TO_PTR, LLVMBuildIntToPtr)
CAST(PTR_TO_INT, LLVMBuildPtrToInt)

/* ---- bits ---- */

static LLVMValueRef same_bits(Lower *lw, const IrOp *op, const LLVMValueRef *args)
{
	LLVMTypeRef from = LLVMTypeOf(args[0]), to = result_type(lw, op);
	bool was = LLVMGetTypeKind(from) == LLVMPointerTypeKind, is = LLVMGetTypeKind(to) == LLVMPointerTypeKind;
	if (from == to)
		return args[0];
	if (was && is)
		return LLVMBuildAddrSpaceCast(lw->b, args[0], to, "");
	if (was)
		return LLVMBuildBitCast(lw->b, LLVMBuildPtrToInt(lw->b, args[0], lw->t.i64, ""), to, "");
	if (is)
		return LLVMBuildIntToPtr(lw->b, LLVMBuildBitCast(lw->b, args[0], lw->t.i64, ""), to, "");
	return LLVMBuildBitCast(lw->b, args[0], to, "");
}

bool lower_BITCAST(Lower *lw, IrOp *op)
{
	return lower_elementwise(lw, op, same_bits);
}

bool lower_ARITH_BITCAST(Lower *lw, IrOp *op)
{
	return lower_elementwise(lw, op, same_bits);
}
