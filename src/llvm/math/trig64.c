/* Sine and cosine of f64. */
#include "llvm/math/func.h"

#include <math.h>

typedef LLVMValueRef V;

static V k64(Lower *lw, double value) { return LLVMConstReal(lw->t.f64, value); }
static V i64c(Lower *lw, uint64_t value) { return LLVMConstInt(lw->t.i64, value, false); }
static V shr(Lower *lw, V a, unsigned by) { return LLVMBuildLShr(lw->b, a, i64c(lw, by), ""); }
static V mul(Lower *lw, V a, V b) { return LLVMBuildFMul(lw->b, a, b, ""); }

/* 64-bit words of 2/pi, highest first; one word of zeros stands for what is before the binary point. */
static V two_over_pi(Lower *lw, V index)
{
	static const uint64_t words[] = {0,
		0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
		0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
		0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
		0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
		0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};
	enum { WORDS = ARRAY_LEN(words) };
	LLVMTypeRef type = LLVMArrayType2(lw->t.i64, WORDS);
	V table = LLVMGetNamedGlobal(lw->mod, "neso_two_over_pi");
	if (!table) {
		V values[WORDS];
		for (unsigned i = 0; i < WORDS; i++)
			values[i] = i64c(lw, words[i]);
		table = LLVMAddGlobalInAddressSpace(lw->mod, type, "neso_two_over_pi", 4); /* .const */
		LLVMSetInitializer(table, LLVMConstArray2(lw->t.i64, values, WORDS));
		LLVMSetGlobalConstant(table, true);
		LLVMSetLinkage(table, LLVMInternalLinkage);
	}
	V at = LLVMBuildInBoundsGEP2(lw->b, type, table, (V[]){i64c(lw, 0), index}, 2, "");
	return LLVMBuildLoad2(lw->b, lw->t.i64, at, "");
}

/* High and low 64 bits of a * b + carry. */
static V mul_wide(Lower *lw, V a, V b, V carry, V *low)
{
	LLVMTypeRef wide = LLVMIntTypeInContext(lw->cx, 128);
	V p = LLVMBuildMul(lw->b, LLVMBuildZExt(lw->b, a, wide, ""), LLVMBuildZExt(lw->b, b, wide, ""), "");
	p = LLVMBuildAdd(lw->b, p, LLVMBuildZExt(lw->b, carry, wide, ""), "");
	*low = LLVMBuildTrunc(lw->b, p, lw->t.i64, "");
	return LLVMBuildTrunc(lw->b, LLVMBuildLShr(lw->b, p, LLVMConstInt(wide, 64, false), ""), lw->t.i64, "");
}

/* x = (4 n + k) pi/2 + r, |r| <= pi/4, of |x| >= 2^30; r is NaN where x is infinite or NaN. x = m 2^s with an
 * integer m of 53 bits, so bits of 2/pi above 2^(2 - s) only add multiples of 4; with the 192 bits below them,
 * what is left out is less than 2^-137. */
static V reduce_large(Lower *lw, V x, V *k)
{
	V bits = LLVMBuildBitCast(lw->b, x, lw->t.i64, ""), w[4], a[3], p[3], carry = i64c(lw, 0);
	V exponent = LLVMBuildAnd(lw->b, shr(lw, bits, 52), i64c(lw, 2047), "");
	V at = LLVMBuildSub(lw->b, exponent, i64c(lw, 1075 + 2 - 64), "");
	V finite = LLVMBuildICmp(lw->b, LLVMIntNE, exponent, i64c(lw, 2047), "");
	V index = math_select(lw, finite, shr(lw, at, 6), i64c(lw, 0));
	V shift = LLVMBuildAnd(lw->b, at, i64c(lw, 63), "");
	for (unsigned i = 0; i < 4; i++)
		w[i] = two_over_pi(lw, LLVMBuildAdd(lw->b, index, i64c(lw, i), ""));
	for (unsigned i = 0; i < 3; i++)
		a[i] = math_intrinsic(lw, "llvm.fshl", (V[]){w[i], w[i + 1], shift}, 3);
	V m = LLVMBuildAnd(lw->b, bits, i64c(lw, (UINT64_C(1) << 52) - 1), "");
	m = LLVMBuildOr(lw->b, m, i64c(lw, UINT64_C(1) << 52), "");
	for (unsigned i = 3; i-- > 0;)
		carry = mul_wide(lw, m, a[i], carry, &p[i]);
	/* quadrant: two bits; then 128 bits of fraction, to the nearest as a signed number */
	V high = math_intrinsic(lw, "llvm.fshl", (V[]){p[0], p[1], i64c(lw, 2)}, 3);
	V low = math_intrinsic(lw, "llvm.fshl", (V[]){p[1], p[2], i64c(lw, 2)}, 3);
	*k = LLVMBuildAdd(lw->b, shr(lw, p[0], 62), shr(lw, high, 63), "");
	V r = mul(lw, LLVMBuildSIToFP(lw->b, high, lw->t.f64, ""), k64(lw, 0x1p-64));
	r = lower_fma(lw, LLVMBuildUIToFP(lw->b, low, lw->t.f64, ""), k64(lw, 0x1p-128), r);
	r = mul(lw, r, k64(lw, 0x1.921fb54442d18p0));
	V negative = LLVMBuildICmp(lw->b, LLVMIntSLT, bits, i64c(lw, 0), "");
	*k = math_select(lw, negative, LLVMBuildNeg(lw->b, *k, ""), *k);
	r = math_select(lw, negative, LLVMBuildFNeg(lw->b, r, ""), r);
	return math_select(lw, finite, r, k64(lw, (double)NAN));
}

/* By three parts of pi/2 of one sign (as in func.c). The first difference is exact: both are multiples of 2^-52, and it is less than 1. */
static V reduce_small(Lower *lw, V x, V *k)
{
	V magic = k64(lw, 0x1.8p52), t = lower_fma(lw, x, k64(lw, 0x1.45f306dc9c883p-1), magic);
	V whole = LLVMBuildFSub(lw->b, t, magic, "");
	V r = lower_fma(lw, whole, k64(lw, -0x1.921fb54442d18p0), x);
	r = lower_fma(lw, whole, k64(lw, -0x1.1a62633145c06p-54), r);
	*k = LLVMBuildBitCast(lw->b, t, lw->t.i64, "");
	return lower_fma(lw, whole, k64(lw, -0x1.c1cd129024e09p-107), r);
}

static V sine_of_quadrant(Lower *lw, V k, V r)
{
	static const double s[] = {-0x1.5555555555555p-3, 0x1.1111111111067p-7, -0x1.a01a019ffdbd4p-13,
				   0x1.71de3a32b260ep-19, -0x1.ae642ae891395p-26, 0x1.6108c3b853488p-33,
				   -0x1.9f7acf67f86e1p-41};
	static const double c[] = {0x1.555555555554cp-5, -0x1.6c16c16c1521p-10, 0x1.a01a019cbcd8cp-16,
				   -0x1.27e4f81044e99p-22, 0x1.1ee9ef51fca04p-29, -0x1.8fb001045b028p-37};
	V z = mul(lw, r, r), half = mul(lw, z, k64(lw, 0.5)), one = k64(lw, 1);
	V sine = lower_fma(lw, lower_fma(lw, r, z, k64(lw, 0)), math_poly(lw, z, s, ARRAY_LEN(s)), r);
	V top = LLVMBuildFSub(lw->b, one, half, ""), lost = LLVMBuildFSub(lw->b, LLVMBuildFSub(lw->b, one, top, ""), half, "");
	V cosine = lower_fma(lw, mul(lw, z, z), math_poly(lw, z, c, ARRAY_LEN(c)), lost);
	cosine = LLVMBuildFAdd(lw->b, top, cosine, "");
	V y = math_select(lw, LLVMBuildTrunc(lw->b, k, lw->t.i1, ""), cosine, sine);
	V sign = LLVMBuildShl(lw->b, LLVMBuildAnd(lw->b, k, i64c(lw, 2), ""), i64c(lw, 62), "");
	y = LLVMBuildXor(lw->b, LLVMBuildBitCast(lw->b, y, lw->t.i64, ""), sign, "");
	return LLVMBuildBitCast(lw->b, y, lw->t.f64, "");
}

static V trig(Lower *lw, V x, uint64_t turns)
{
	V k[2], r[2] = {reduce_small(lw, x, &k[0])};
	V large = math_cmp(lw, LLVMRealUGE, math_intrinsic(lw, "llvm.fabs", &x, 1), k64(lw, 0x1p30));
	LLVMBasicBlockRef blocks[2] = {LLVMGetInsertBlock(lw->b)};
	LowerIf part = lower_begin_if(lw, large);
	r[1] = reduce_large(lw, x, &k[1]);
	blocks[1] = LLVMGetInsertBlock(lw->b);
	lower_end_if(lw, part);
	V quadrant = LLVMBuildPhi(lw->b, lw->t.i64, ""), rest = LLVMBuildPhi(lw->b, lw->t.f64, "");
	LLVMAddIncoming(quadrant, k, blocks, 2);
	LLVMAddIncoming(rest, r, blocks, 2);
	return sine_of_quadrant(lw, LLVMBuildAdd(lw->b, quadrant, i64c(lw, turns), ""), rest);
}

static V sin_body(Lower *lw, V fn)
{
	return trig(lw, LLVMGetParam(fn, 0), 0);
}

static V cos_body(Lower *lw, V fn)
{
	return trig(lw, LLVMGetParam(fn, 0), 1);
}

LLVMValueRef func64_trig(Lower *lw, LLVMValueRef x, bool cosine)
{
	return func_outline(lw, cosine ? "neso_cos_f64" : "neso_sin_f64", lw->t.f64, &x, 1, cosine ? cos_body : sin_body);
}
