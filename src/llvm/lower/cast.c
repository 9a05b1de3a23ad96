/* Conversions: integers, floats, bits, pointers. fp8 is in fp8.c.
 *
 * Floats to f16 and bf16 go two at a time, which is one instruction for both. Float to integer is PTX's
 * cvt.rzi, that LLVM's instruction becomes: it saturates, and NaN is 0 (of 64 bits: the least number). */
#include "llvm/lower/affine.h"
#include "llvm/math/math.h"

#include "ir/enums.h"

/* ---- packing ---- */

LLVMValueRef math_pack(Lower *lw, const LLVMValueRef *in, uint32_t count, LLVMTypeRef elem, unsigned bits)
{
	CONTRACT(count * bits <= 32);
	unsigned lanes = 32 / bits;
	ASSERT(count && count <= lanes);
	LLVMValueRef v = LLVMConstNull(LLVMVectorType(elem, lanes));
	for (uint32_t i = 0; i < count; i++)
		v = LLVMBuildInsertElement(lw->b, v, in[i], lower_i32(lw, i), "");
	return LLVMBuildBitCast(lw->b, v, lw->t.i32, "");
}

void math_unpack(Lower *lw, LLVMValueRef word, LLVMValueRef *out, uint32_t count, LLVMTypeRef elem, unsigned bits)
{
	CONTRACT(count * bits <= 32);
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

/* The f32 nearest to an f64 towards zero, its last bit set where that is inexact: rounding it again to 22 bits
 * or fewer rounds the f64. */
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

/* The word whose upper half the bf16 is: it was loaded with others, as numbers or in words.
 * NULL: none. */
static LLVMValueRef word_above(Lower *lw, LLVMValueRef x)
{
	LLVMValueRef half = LLVMIsABitCastInst(x) ? LLVMGetOperand(x, 0) : x;
	LLVMValueRef down = LLVMIsATruncInst(half) ? LLVMGetOperand(half, 0) : NULL;
	if (down && LLVMIsABinaryOperator(down) && LLVMGetInstructionOpcode(down) == LLVMLShr &&
	    LLVMTypeOf(down) == lw->t.i32 && LLVMGetOperand(down, 1) == lower_i32(lw, 16))
		return LLVMGetOperand(down, 0);
	if (!LLVMIsAExtractElementInst(half))
		return NULL;
	LLVMValueRef halves = LLVMGetOperand(half, 0), at = LLVMGetOperand(half, 1);
	unsigned count = LLVMGetVectorSize(LLVMTypeOf(halves));
	uint64_t n = LLVMIsAConstantInt(at) ? LLVMConstIntGetZExtValue(at) : 0;
	if (n % 2 == 0 || count % 2 || (half == x && !LLVMIsALoadInst(halves) && !LLVMIsACallInst(halves)))
		return NULL;
	if (count == 2)
		return LLVMBuildBitCast(lw->b, halves, lw->t.i32, "");
	halves = LLVMBuildBitCast(lw->b, halves, LLVMVectorType(lw->t.i32, count / 2), "");
	return LLVMBuildExtractElement(lw->b, halves, lower_i32(lw, (int32_t)(n / 2)), "");
}

/* Two f32 that were rounded to bf16 together and are f32 again. LLVM would round each by itself,
 * which is done at the rate of exponentials (F2F, for F2FP of two). NULL: x is none of two. */
static LLVMValueRef widen_rounded(Lower *lw, LLVMValueRef x)
{
	LLVMValueRef pair = LLVMIsAExtractElementInst(x) ? LLVMGetOperand(x, 0) : NULL;
	if (!pair || !LLVMIsAFPTruncInst(pair) || LLVMGetVectorSize(LLVMTypeOf(pair)) != 2)
		return NULL;
	LLVMValueRef word = LLVMBuildBitCast(lw->b, pair, lw->t.i32, "");
	word = LLVMGetOperand(x, 1) == lower_i32(lw, 0)
		       ? LLVMBuildShl(lw->b, word, lower_i32(lw, 16), "")
		       : LLVMBuildAnd(lw->b, word, LLVMConstInt(lw->t.i32, 0xffff0000, false), "");
	return LLVMBuildBitCast(lw->b, word, lw->t.f32, "");
}

static bool look_for_halves(void *data, IrOp *op)
{
	Lower *lw = data;
	for (uint32_t i = 0; i < op->result_count; i++) {
		IrTypeKind kind = ir_elem(op->results[i].type)->kind;
		lw->has_f16 |= kind == TY_F16;
		lw->has_bf16 |= kind == TY_BF16;
	}
	return !lw->has_f16 || !lw->has_bf16;
}

/* Has the module both kinds of halves? LLVM (22, InstCombine) does an operation of f32 whose result
 * is rounded to f16 in f16 where its operands were bf16, whose digits f16 has, and not their
 * range: so it may not see what was bf16. */
static bool mixes_halves(Lower *lw)
{
	if (!lw->looked_for_halves)
		ir_walk(lw->module->op, false, look_for_halves, lw);
	lw->looked_for_halves = true;
	return lw->has_f16 && lw->has_bf16;
}

/* Made of an integer that both kinds of halves hold: LLVM makes f32 of that at once. */
static bool is_small_integer(LLVMValueRef x)
{
	enum { MOST = 256 };
	if (!LLVMIsAUIToFPInst(x) && !LLVMIsASIToFPInst(x))
		return false;
	LLVMValueRef v = LLVMGetOperand(x, 0);
	if (LLVMIsAZExtInst(v) || LLVMIsASExtInst(v))
		v = LLVMGetOperand(v, 0);
	if (LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 8)
		return true;
	bool masked = LLVMIsABinaryOperator(v) && LLVMGetInstructionOpcode(v) == LLVMAnd &&
		      LLVMIsAConstantInt(LLVMGetOperand(v, 1));
	return masked && LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1)) < MOST;
}

static LLVMValueRef widen_bits(Lower *lw, LLVMValueRef x)
{
	LLVMValueRef word = LLVMBuildBitCast(lw->b, x, lw->t.i16, "");
	word = LLVMBuildZExt(lw->b, word, lw->t.i32, "");
	return LLVMBuildBitCast(lw->b, LLVMBuildShl(lw->b, word, lower_i32(lw, 16), ""), lw->t.f32, "");
}

/* A bf16 that is the upper half of a word is an f32 with that word's lower half cleared: one
 * instruction, where taking the half out of the word and putting it up again are two. */
LLVMValueRef lower_widen(Lower *lw, LLVMValueRef x)
{
	LLVMValueRef rounded = LLVMTypeOf(x) == lw->t.bf16 ? widen_rounded(lw, x) : NULL;
	if (rounded)
		return rounded;
	LLVMValueRef word = LLVMTypeOf(x) == lw->t.bf16 ? word_above(lw, x) : NULL;
	if (!word && LLVMTypeOf(x) == lw->t.bf16 && mixes_halves(lw) && !is_small_integer(x))
		return widen_bits(lw, x);
	if (!word)
		return LLVMBuildFPExt(lw->b, x, lw->t.f32, "");
	word = LLVMBuildAnd(lw->b, word, LLVMConstInt(lw->t.i32, 0xffff0000, false), "");
	return LLVMBuildBitCast(lw->b, word, lw->t.f32, "");
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
			out[i] = from == lw->t.bf16 || to == lw->t.f32 ? lower_widen(lw, in[i]) : in[i];
		for (uint32_t i = 0; i < count && to == lw->t.f64; i++)
			out[i] = LLVMBuildFPExt(lw->b, out[i], to, "");
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
	CONTRACT(ir_is_float(from) && ir_is_float(to));
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

bool lower_EXTF(Lower *lw, IrOp *op) { return cast_float_op(lw, op, ROUND_RTNE); }

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
CAST(INT_TO_PTR, LLVMBuildIntToPtr)
CAST(PTR_TO_INT, LLVMBuildPtrToInt)

/* ---- floats to integers ---- */

/* By operations that say what becomes of values beyond the type: those of 16, 32 and 64 bits. Of
 * the first of them come integers that are narrower. */
static LLVMValueRef to_integer(Lower *lw, const IrOp *op, LLVMValueRef v, bool is_signed)
{
	static const MachineOp ops[2][2][3] = {
		{{MACHINE_f32_to_u16, MACHINE_f32_to_u32, MACHINE_f32_to_u64},
		 {MACHINE_f64_to_u16, MACHINE_f64_to_u32, MACHINE_f64_to_u64}},
		{{MACHINE_f32_to_s16, MACHINE_f32_to_s32, MACHINE_f32_to_s64},
		 {MACHINE_f64_to_s16, MACHINE_f64_to_s32, MACHINE_f64_to_s64}}};
	unsigned bits = ir_elem(op->results[0].type)->bits;
	bool wide = LLVMTypeOf(v) == lw->t.f64;
	if (!wide && LLVMTypeOf(v) != lw->t.f32)
		v = LLVMBuildFPExt(lw->b, v, lw->t.f32, "");
	v = machine_call(lw, ops[is_signed][wide][bits == 64 ? 2 : bits == 32], &v, 1);
	return bits < 16 ? LLVMBuildTrunc(lw->b, v, result_type(lw, op), "") : v;
}

static LLVMValueRef build_FPTOSI(Lower *lw, const IrOp *op, const LLVMValueRef *args)
{
	return to_integer(lw, op, args[0], true);
}

static LLVMValueRef build_FPTOUI(Lower *lw, const IrOp *op, const LLVMValueRef *args)
{
	return to_integer(lw, op, args[0], false);
}

bool lower_FPTOSI(Lower *lw, IrOp *op)
{
	return lower_elementwise(lw, op, build_FPTOSI);
}

bool lower_FPTOUI(Lower *lw, IrOp *op)
{
	return lower_elementwise(lw, op, build_FPTOUI);
}

/* ---- bytes to floats ----
 *
 * A byte below the high byte of a power of two is that power plus the byte, if the mantissa has room: taking
 * the power away is exact. Conversions of integers run at a quarter of the rate of what stands here. */

static LLVMValueRef c32(Lower *lw, uint32_t value)
{
	return LLVMConstInt(lw->t.i32, value, false);
}

static LLVMValueRef halves(Lower *lw, LLVMValueRef word, LLVMTypeRef type)
{
	return LLVMBuildBitCast(lw->b, word, LLVMVectorType(type, 2), "");
}

static LLVMValueRef both(LLVMTypeRef type, double value)
{
	LLVMValueRef v[] = {LLVMConstReal(type, value), LLVMConstReal(type, value)};
	return LLVMConstVector(v, 2);
}

/* Two of the bytes of a word. */
static LLVMValueRef bytes_to_halves(Lower *lw, LLVMTypeRef type, bool is_signed, LLVMValueRef word, unsigned which)
{
	/* Byte, constant byte, byte, constant byte. */
	LLVMValueRef pick = c32(lw, which ? 0x4342 : 0x4140);
	if (type == lw->t.f16) {
		LLVMValueRef sum = halves(lw, MACHINE3(lw, prmt, word, c32(lw, 0x64646464), pick), type);
		return LLVMBuildFSub(lw->b, sum, both(type, is_signed ? 1152 : 1024), "");
	}
	/* 128 plus the low seven bits; 128, or 256 where the high bit is set. */
	word = MACHINE3(lw, prmt, word, c32(lw, 0x43434343), pick);
	LLVMValueRef low = halves(lw, LLVMBuildAnd(lw->b, word, c32(lw, 0xff7fff7f), ""), type);
	LLVMValueRef high = halves(lw, LLVMBuildAnd(lw->b, word, c32(lw, 0xff80ff80), ""), type);
	if (is_signed)
		return LLVMBuildFSub(lw->b, low, high, "");
	return LLVMBuildFAdd(lw->b, LLVMBuildFSub(lw->b, low, both(type, 256), ""), high, "");
}

/* One of the bytes of a word, in the low end of 2^23. */
static LLVMValueRef byte_to_f32(Lower *lw, bool is_signed, LLVMValueRef word, unsigned which)
{
	LLVMValueRef sum = MACHINE3(lw, prmt, word, c32(lw, 0x4b000000), c32(lw, 0x7440 | which));
	double excess = is_signed ? 0x1p23 + 128 : 0x1p23;
	return LLVMBuildFSub(lw->b, LLVMBuildBitCast(lw->b, sum, lw->t.f32, ""), LLVMConstReal(lw->t.f32, excess), "");
}

void cast_bytes(Lower *lw, LLVMTypeRef to, bool is_signed, const LLVMValueRef *in, LLVMValueRef *out)
{
	LLVMValueRef word = math_pack(lw, in, 4, lw->t.i8, 8);
	if (is_signed && to != lw->t.bf16) /* 128 more than each is */
		word = LLVMBuildXor(lw->b, word, c32(lw, 0x80808080), "");
	for (unsigned k = 0; k < 4 && to == lw->t.f32; k++)
		out[k] = byte_to_f32(lw, is_signed, word, k);
	if (to == lw->t.f32)
		return;
	for (unsigned k = 0; k < 4; k += 2) {
		LLVMValueRef pair = bytes_to_halves(lw, to, is_signed, word, k / 2);
		for (unsigned i = 0; i < 2; i++)
			out[k + i] = LLVMBuildExtractElement(lw->b, pair, lower_i32(lw, i), "");
	}
}

/* ---- numbers of few bits to floats ----
 *
 * The same for what a constant mask leaves of integers (weights of four bits, taken out of words by shifts): masks and powers of
 * two are put on two at a time. */

typedef struct Power {
	uint32_t bits;  /* of 2^n, where an integer up to `most` in the low end adds to it exactly */
	double value;
	int64_t most;
} Power;

static Power power_below(const Lower *lw, LLVMTypeRef to)
{
	return to == lw->t.f16	  ? (Power){0x64006400, 0x1p10, 0x3ff}
	       : to == lw->t.bf16 ? (Power){0x43004300, 0x1p7, 0x7f}
	       : to == lw->t.f32  ? (Power){0x4b000000, 0x1p23, 0x7fffff}
				  : (Power){0};
}

/* Low ends of registers of any width. */
static LLVMValueRef low_word(Lower *lw, LLVMValueRef v)
{
	unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(v));
	return bits == 32 ? v : bits < 32 ? LLVMBuildZExt(lw->b, v, lw->t.i32, "") : LLVMBuildTrunc(lw->b, v, lw->t.i32, "");
}

/* in[] & mask to floats; an even number where they are of 16 bits. */
static void cast_masked(Lower *lw, LLVMTypeRef to, const Power *power, uint32_t mask, const LLVMValueRef *in, LLVMValueRef *out,
			uint32_t count)
{
	bool pairs = to != lw->t.f32;
	for (uint32_t i = 0; i < count; i += 1 + pairs) {
		LLVMValueRef v = low_word(lw, in[i]);
		if (pairs)
			v = MACHINE3(lw, prmt, v, low_word(lw, in[i + 1]), c32(lw, 0x5410));
		v = MACHINE3(lw, and_or, v, c32(lw, pairs ? mask << 16 | mask : mask), c32(lw, power->bits));
		if (!pairs) {
			v = LLVMBuildBitCast(lw->b, v, to, "");
			out[i] = LLVMBuildFSub(lw->b, v, LLVMConstReal(to, power->value), "");
			continue;
		}
		v = LLVMBuildFSub(lw->b, halves(lw, v, to), both(to, power->value), "");
		out[i] = LLVMBuildExtractElement(lw->b, v, lower_i32(lw, 0), "");
		out[i + 1] = LLVMBuildExtractElement(lw->b, v, lower_i32(lw, 1), "");
	}
}

/* Tiles that are masked by a constant, of which each register is another number. */
static bool cast_few_bits(Lower *lw, IrOp *op)
{
	LLVMTypeRef to = lower_type(lw, ir_elem(op->results[0].type));
	const IrOp *mask = ir_operand(op, 0)->def;
	Power power = power_below(lw, to);
	int64_t bits;
	if (!mask || mask->kind != OP_ANDI || !ir_constant_int(ir_operand(mask, 1), &bits) || bits < 1 || bits > power.most ||
	    ir_elem(mask->results[0].type)->bits < 8)
		return false;
	LowerValue v = lower_get(lw, ir_operand(mask, 0));
	if (v.count < 2 || v.count % 2 || v.regs[0] == v.regs[1])
		return false;
	LLVMValueRef *out = lower_array(lw, v.count);
	cast_masked(lw, to, &power, (uint32_t)bits, v.regs, out, v.count);
	lower_set(lw, ir_result(op, 0), out, v.count);
	return true;
}

static LLVMValueRef int_to_float(Lower *lw, const IrOp *op, const LLVMValueRef *args)
{
	LLVMTypeRef to = result_type(lw, op);
	return op->kind == OP_SITOFP ? LLVMBuildSIToFP(lw->b, args[0], to, "") : LLVMBuildUIToFP(lw->b, args[0], to, "");
}

static bool cast_int(Lower *lw, IrOp *op)
{
	LLVMTypeRef to = result_type(lw, op);
	LowerValue v = lower_get(lw, ir_operand(op, 0));
	const IrOp *def = ir_operand(op, 0)->def;
	if (cast_few_bits(lw, op))
		return true;
	/* Bytes from memory lie together; computed ones would have to be put together first. */
	bool bytes = ir_elem(ir_operand(op, 0)->type)->kind == TY_I8 && !(def && ir_has_trait(def, TRAIT_ELEM)) &&
		     (to == lw->t.f16 || to == lw->t.bf16 || to == lw->t.f32);
	if (!bytes || v.count % 4 || v.regs[0] == v.regs[1])
		return lower_elementwise(lw, op, int_to_float);
	LLVMValueRef *out = lower_array(lw, v.count);
	for (uint32_t i = 0; i < v.count; i += 4)
		cast_bytes(lw, to, op->kind == OP_SITOFP, v.regs + i, out + i);
	lower_set(lw, ir_result(op, 0), out, v.count);
	return true;
}

bool lower_SITOFP(Lower *lw, IrOp *op) { return cast_int(lw, op); }
bool lower_UITOFP(Lower *lw, IrOp *op) { return cast_int(lw, op); }

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

bool lower_BITCAST(Lower *lw, IrOp *op) { return lower_elementwise(lw, op, same_bits); }
bool lower_ARITH_BITCAST(Lower *lw, IrOp *op) { return lower_elementwise(lw, op, same_bits); }
