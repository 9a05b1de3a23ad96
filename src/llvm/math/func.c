/* Functions of f32, and fmod of both. */
#include "llvm/math/func.h"

#include <math.h>

static LLVMValueRef c32(Lower *lw, uint32_t value)
{
	return LLVMConstInt(lw->t.i32, value, false);
}

static LLVMValueRef bits_of(Lower *lw, LLVMValueRef x)
{
	return LLVMBuildBitCast(lw->b, x, lw->t.i32, "");
}

static LLVMValueRef float_of(Lower *lw, LLVMValueRef bits)
{
	return LLVMBuildBitCast(lw->b, bits, lw->t.f32, "");
}

static LLVMValueRef fabs_of(Lower *lw, LLVMValueRef x)
{
	return math_intrinsic(lw, "llvm.fabs", &x, 1);
}

static LLVMValueRef copysign_of(Lower *lw, LLVMValueRef size, LLVMValueRef sign)
{
	return math_intrinsic(lw, "llvm.copysign", (LLVMValueRef[]){size, sign}, 2);
}

/* Attribute of the functions that are built here. */
static const char mark[] = "neso-function";

LLVMValueRef func_outline(Lower *lw, const char *name, LLVMTypeRef result, const LLVMValueRef *args, unsigned count,
			  FuncBody *body)
{
	static const struct {
		const char *name;
		uint64_t value;
	} attributes[] = {{"nounwind", 0}, {"willreturn", 0}, {"nosync", 0}, {"nofree", 0}, {"speculatable", 0}, {"memory", 0}};
	LLVMTypeRef types[MATH_MAX_OPERANDS];
	for (unsigned i = 0; i < count; i++)
		types[i] = LLVMTypeOf(args[i]);
	LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
	LLVMValueRef fn = LLVMGetNamedFunction(lw->mod, name);
	if (!fn) {
		LLVMBasicBlockRef here = LLVMGetInsertBlock(lw->b);
		LLVMMetadataRef line = LLVMGetCurrentDebugLocation2(lw->b);
		LLVMValueRef outer = lw->fn;
		lw->fn = fn = LLVMAddFunction(lw->mod, name, type);
		LLVMSetLinkage(fn, LLVMInternalLinkage);
		for (unsigned i = 0; i < ARRAY_LEN(attributes); i++) {
			unsigned kind = LLVMGetEnumAttributeKindForName(attributes[i].name, strlen(attributes[i].name));
			LLVMAddAttributeAtIndex(fn, LOWER_ON_FUNCTION,
						LLVMCreateEnumAttribute(lw->cx, kind, attributes[i].value));
		}
		LLVMAddAttributeAtIndex(fn, LOWER_ON_FUNCTION,
					LLVMCreateStringAttribute(lw->cx, mark, sizeof mark - 1, "", 0));
		LLVMSetCurrentDebugLocation2(lw->b, NULL);
		LLVMPositionBuilderAtEnd(lw->b, LLVMAppendBasicBlockInContext(lw->cx, fn, ""));
		LLVMBuildRet(lw->b, body(lw, fn));
		lw->fn = outer;
		LLVMPositionBuilderAtEnd(lw->b, here);
		LLVMSetCurrentDebugLocation2(lw->b, line);
	}
	return LLVMBuildCall2(lw->b, type, fn, (LLVMValueRef *)(uintptr_t)args, count, "");
}

/* Calls of one function above which they stay calls: by then the code is large enough for ptxas to take its time. */
enum { MAX_INLINED = 16 };

void func_finish(Lower *lw)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
	for (LLVMValueRef fn = LLVMGetFirstFunction(lw->mod); fn; fn = LLVMGetNextFunction(fn)) {
		unsigned calls = 0;
		if (!LLVMGetStringAttributeAtIndex(fn, LOWER_ON_FUNCTION, mark, sizeof mark - 1) || LLVMCountBasicBlocks(fn) != 1)
			continue;
		for (LLVMUseRef use = LLVMGetFirstUse(fn); use && calls <= MAX_INLINED; use = LLVMGetNextUse(use))
			calls++;
		if (calls <= MAX_INLINED)
			LLVMAddAttributeAtIndex(fn, LOWER_ON_FUNCTION, LLVMCreateEnumAttribute(lw->cx, kind, 0));
	}
}

/* ---- exponentials ---- */

LLVMValueRef func_exp2(Lower *lw, LLVMValueRef x)
{
	return MACHINE1(lw, ex2_ftz, x);
}

LLVMValueRef func_exp(Lower *lw, LLVMValueRef x)
{
	return MACHINE1(lw, ex2, LLVMBuildFMul(lw->b, x, math_f32(lw, 0x1.715476p0), ""));
}

/* ---- logarithms ---- */

/* x = 2^e (1 + m), -0.25 <= m < 0.5, for x that is positive and finite. x becomes what it is scaled
 * to where it is tiny: edges are the same ones then, and nobody reads what was before, so that
 * ptxas scales it in its register. */
static LLVMValueRef split_exponent(Lower *lw, LLVMValueRef *x, LLVMValueRef *m)
{
	LLVMValueRef tiny = math_cmp(lw, LLVMRealOLT, *x, math_f32(lw, 0x1p-126));
	*x = math_select(lw, tiny, LLVMBuildFMul(lw->b, *x, math_f32(lw, 0x1p23), ""), *x);
	LLVMValueRef bits = bits_of(lw, *x);
	LLVMValueRef e = LLVMBuildAnd(lw->b, LLVMBuildSub(lw->b, bits, c32(lw, 0x3f400000), ""), c32(lw, 0xff800000), "");
	LLVMValueRef one = float_of(lw, LLVMBuildSub(lw->b, bits, e, ""));
	*m = LLVMBuildFSub(lw->b, one, math_f32(lw, 1), "");
	/* e is the exponent times 2^23: a multiple that a float holds. */
	LLVMValueRef offset = math_select(lw, tiny, math_f32(lw, -23), math_f32(lw, 0));
	return lower_fma(lw, LLVMBuildSIToFP(lw->b, e, lw->t.f32, ""), math_f32(lw, 0x1p-23), offset);
}

/* The logarithm y of x, where x is neither negative, zero, infinite nor NaN. x infinity + infinity is what belongs there, but
 * for zeros: seen as an unsigned number, the bits of all these are large. */
static LLVMValueRef log_edges(Lower *lw, LLVMValueRef x, LLVMValueRef y)
{
	LLVMValueRef infinity = math_f32(lw, (double)INFINITY), zero = math_f32(lw, 0);
	LLVMValueRef edge = LLVMBuildICmp(lw->b, LLVMIntUGE, bits_of(lw, x), c32(lw, 0x7f800000), "");
	y = math_select(lw, edge, lower_fma(lw, x, infinity, infinity), y);
	return math_select(lw, math_cmp(lw, LLVMRealOEQ, x, zero), math_f32(lw, -(double)INFINITY), y);
}

LLVMValueRef func_log(Lower *lw, LLVMValueRef x)
{
	/* log(1 + m) = m + m^2 (-1/2 + m Q(m)), relative error 2^-30 */
	static const double q[] = {0.33333340287208557, -0.2500016391277313, 0.19999605417251587, -0.16655296087265015,
				   0.14276240766048431, -0.12727785110473633, 0.11700654029846191, -0.09116142243146896,
				   0.037672463804483414};
	LLVMValueRef m, e = split_exponent(lw, &x, &m);
	LLVMValueRef p = lower_fma(lw, m, math_poly(lw, m, q, ARRAY_LEN(q)), math_f32(lw, -0.5));
	LLVMValueRef one = lower_fma(lw, LLVMBuildFMul(lw->b, m, p, ""), m, m);
	LLVMValueRef y = lower_fma(lw, e, math_f32(lw, 0x1.62e43p-1), one);
	return log_edges(lw, x, y);
}

LLVMValueRef func_log2(Lower *lw, LLVMValueRef x)
{
	static const double q[] = {-0x1.715476p-1, 0x1.ec7122p-2, -0x1.71559ep-2, 0x1.275162p-2,
				   -0x1.eb99a4p-3, 0x1.ab9c7cp-3, -0x1.878fe6p-3, 0x1.3c02c6p-3,
				   -0x1.140002p-4};
	LLVMValueRef m, e = split_exponent(lw, &x, &m);
	/* m / ln 2 in two parts, of which the high one is rounded once with e */
	LLVMValueRef low = lower_fma(lw, m, math_f32(lw, 0x1.4ae0cp-26), LLVMBuildFMul(lw->b, LLVMBuildFMul(lw->b, m, m, ""),
									       math_poly(lw, m, q, ARRAY_LEN(q)), ""));
	LLVMValueRef y = LLVMBuildFAdd(lw->b, e, lower_fma(lw, m, math_f32(lw, 0x1.715476p0), low), "");
	return log_edges(lw, x, y);
}

/* ---- error function ---- */

LLVMValueRef func_erf(Lower *lw, LLVMValueRef x)
{
	/* Below 1: x + x P(x^2), relative error 2^-29. Above: 1 - 2^(x Q(x)), absolute error 2^-31; from 4 on
	 * it is 1. */
	static const double p[] = {0x1.06eba8p-3, -0x1.81273ep-2, 0x1.ce2ce6p-4, -0x1.b7f71ap-6, 0x1.53f224p-8, -0x1.a3515ep-11,
				   0x1.4771fcp-14};
	static const double q[] = {-0x1.a0dc94p+0, -0x1.d504aep-1, -0x1.3ad052p-3, 0x1.1bf20ep-5, -0x1.63f03p-8, 0x1.0a7dc6p-11,
				   -0x1.561352p-16};
	LLVMValueRef size = fabs_of(lw, x), four = math_f32(lw, 4);
	LLVMValueRef small = lower_fma(lw, math_poly(lw, LLVMBuildFMul(lw->b, x, x, ""), p, ARRAY_LEN(p)), x, x);
	LLVMValueRef at = math_intrinsic(lw, "llvm.minnum", (LLVMValueRef[]){size, four}, 2);
	LLVMValueRef power = MACHINE1(lw, ex2_ftz, LLVMBuildFMul(lw->b, at, math_poly(lw, at, q, ARRAY_LEN(q)), ""));
	LLVMValueRef large = copysign_of(lw, LLVMBuildFSub(lw->b, math_f32(lw, 1), power, ""), x);
	return math_select(lw, math_cmp(lw, LLVMRealOGE, size, math_f32(lw, 1)), large, small);
}

/* ---- arc tangent ---- */

LLVMValueRef func_atan(Lower *lw, LLVMValueRef x)
{
	/* x + x^3 P(x^2) up to 1; above pi/2 - atan(1/x) */
	static const double p[] = {-0x1.555542p-2, 0x1.999298p-3, -0x1.242666p-3, 0x1.c0bdcp-4,
				   -0x1.587e6ap-4, 0x1.db6ffep-5, -0x1.ff88p-6, 0x1.65dddap-7,
				   -0x1.d5b086p-10};
	LLVMValueRef size = fabs_of(lw, x), one = math_f32(lw, 1);
	LLVMValueRef large = math_cmp(lw, LLVMRealOGT, size, one);
	LLVMValueRef t = math_select(lw, large, MACHINE2(lw, div_rn, one, size), size);
	LLVMValueRef z = LLVMBuildFMul(lw->b, t, t, "");
	LLVMValueRef y = lower_fma(lw, LLVMBuildFMul(lw->b, t, z, ""), math_poly(lw, z, p, ARRAY_LEN(p)), t);
	y = math_select(lw, large, LLVMBuildFSub(lw->b, math_f32(lw, 0x1.921fb6p0), y, ""), y);
	return copysign_of(lw, y, x);
}

/* ---- sine and cosine ---- */

static LLVMValueRef c64(Lower *lw, uint64_t value)
{
	return LLVMConstInt(lw->t.i64, value, false);
}

/* 96 bits of 2/pi from bit `at` on, in three words, highest first; at counts from 32 bits before the binary
 * point. */
static void window(Lower *lw, LLVMValueRef at, LLVMValueRef *out)
{
	static const uint32_t words[] = {0, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};
	enum { STARTS = ARRAY_LEN(words) - 3 };
	LLVMValueRef index = LLVMBuildLShr(lw->b, at, c32(lw, 5), ""), shift = LLVMBuildAnd(lw->b, at, c32(lw, 31), "");
	LLVMValueRef w[4];
	for (unsigned i = 0; i < 4; i++) {
		w[i] = c32(lw, words[i]);
		for (unsigned k = 1; k < STARTS; k++)
			w[i] = math_select(lw, LLVMBuildICmp(lw->b, LLVMIntEQ, index, c32(lw, k), ""), c32(lw, words[i + k]), w[i]);
	}
	for (unsigned i = 0; i < 3; i++)
		out[i] = math_intrinsic(lw, "llvm.fshl", (LLVMValueRef[]){w[i], w[i + 1], shift}, 3);
}

/* {k, r}: x = (4 n + k) pi/2 + r for some n, |r| <= pi/4, of |x| >= 2^16; r is NaN where x is infinite. x = m
 * 2^s with an integer m of 24 bits, so that bits of 2/pi above 2^(2 - s) only add multiples of 4, and what
 * comes after the 96 bits below them is less than 2^-70: the product of m and these 96 bits is the quotient
 * modulo 4. */
static LLVMValueRef reduce_large(Lower *lw, LLVMValueRef fn)
{
	LLVMValueRef x = LLVMGetParam(fn, 0), bits = bits_of(lw, x), w[3];
	LLVMValueRef exponent = LLVMBuildAnd(lw->b, LLVMBuildLShr(lw->b, bits, c32(lw, 23), ""), c32(lw, 255), "");
	window(lw, LLVMBuildSub(lw->b, exponent, c32(lw, 150 + 2 - 32), ""), w);
	LLVMValueRef m = LLVMBuildOr(lw->b, LLVMBuildAnd(lw->b, bits, c32(lw, 0x7fffff), ""), c32(lw, 0x800000), "");
	LLVMValueRef wide = LLVMBuildZExt(lw->b, m, lw->t.i64, ""), carry = NULL, part[3];
	for (unsigned i = 3; i-- > 0;) {
		part[i] = LLVMBuildMul(lw->b, wide, LLVMBuildZExt(lw->b, w[i], lw->t.i64, ""), "");
		if (carry)
			part[i] = LLVMBuildAdd(lw->b, part[i], LLVMBuildLShr(lw->b, carry, c64(lw, 32), ""), "");
		carry = part[i];
	}
	LLVMValueRef low = LLVMBuildAnd(lw->b, part[1], c64(lw, 0xffffffff), "");
	LLVMValueRef top = LLVMBuildOr(lw->b, LLVMBuildShl(lw->b, part[0], c64(lw, 32), ""), low, "");
	LLVMValueRef rest = LLVMBuildAnd(lw->b, LLVMBuildLShr(lw->b, part[2], c64(lw, 30), ""), c64(lw, 3), "");
	LLVMValueRef fraction = LLVMBuildOr(lw->b, LLVMBuildShl(lw->b, top, c64(lw, 2), ""), rest, "");
	/* To the nearest: a fraction of a half and more is one less than itself, of the next quadrant. */
	LLVMValueRef k = LLVMBuildAdd(lw->b, LLVMBuildLShr(lw->b, top, c64(lw, 62), ""),
				      LLVMBuildLShr(lw->b, fraction, c64(lw, 63), ""), "");
	LLVMValueRef r = LLVMBuildSIToFP(lw->b, fraction, lw->t.f64, "");
	r = LLVMBuildFMul(lw->b, r, math_f64(lw, 0x1.921fb54442d18p-64), "");
	r = LLVMBuildFPTrunc(lw->b, r, lw->t.f32, "");
	k = LLVMBuildTrunc(lw->b, k, lw->t.i32, "");
	LLVMValueRef negative = LLVMBuildICmp(lw->b, LLVMIntSLT, bits, c32(lw, 0), "");
	k = math_select(lw, negative, LLVMBuildNeg(lw->b, k, ""), k);
	r = math_select(lw, negative, LLVMBuildFNeg(lw->b, r, ""), r);
	LLVMValueRef finite = math_cmp(lw, LLVMRealOLT, fabs_of(lw, x), math_f32(lw, (double)INFINITY));
	r = math_select(lw, finite, r, math_f32(lw, (double)NAN));
	LLVMTypeRef parts[] = {lw->t.i32, lw->t.f32};
	LLVMValueRef both = LLVMGetPoison(LLVMStructTypeInContext(lw->cx, parts, 2, false));
	both = LLVMBuildInsertValue(lw->b, both, k, 0, "");
	return LLVMBuildInsertValue(lw->b, both, r, 1, "");
}

/* As reduce_large, of |x| < 105615, by three parts of pi/2; k in the low bits of the result. The
 * parts have one sign, so that their products with a k of 0 are -0, which leaves a zero x as it is. */
static LLVMValueRef reduce_small(Lower *lw, LLVMValueRef x, LLVMValueRef *r)
{
	LLVMValueRef magic = math_f32(lw, 0x1.8p23);
	LLVMValueRef t = lower_fma(lw, x, math_f32(lw, 0x1.45f306p-1), magic);
	LLVMValueRef k = LLVMBuildFSub(lw->b, t, magic, "");
	*r = lower_fma(lw, k, math_f32(lw, -0x1.921fb4p0), x);
	*r = lower_fma(lw, k, math_f32(lw, -0x1.4442d0p-24), *r);
	*r = lower_fma(lw, k, math_f32(lw, -0x1.84698ap-48), *r);
	return bits_of(lw, t);
}

static LLVMValueRef sine_of_quadrant(Lower *lw, LLVMValueRef k, LLVMValueRef r)
{
	static const double s[] = {-0x1.555544p-3, 0x1.1106bcp-7, -0x1.9916ap-13};
	static const double c[] = {-0.5, 0x1.55554ap-5, -0x1.6c0c1ap-10, 0x1.99e0eep-16};
	LLVMValueRef z = LLVMBuildFMul(lw->b, r, r, "");
	/* r z + 0 is 0 for either zero, and 0 times the polynomial is -0: the sum is r then. */
	LLVMValueRef cube = lower_fma(lw, r, z, math_f32(lw, 0));
	LLVMValueRef sine = lower_fma(lw, cube, math_poly(lw, z, s, ARRAY_LEN(s)), r);
	LLVMValueRef cosine = lower_fma(lw, z, math_poly(lw, z, c, ARRAY_LEN(c)), math_f32(lw, 1));
	LLVMValueRef odd = LLVMBuildTrunc(lw->b, k, lw->t.i1, "");
	LLVMValueRef y = bits_of(lw, math_select(lw, odd, cosine, sine));
	LLVMValueRef sign = LLVMBuildShl(lw->b, LLVMBuildAnd(lw->b, k, c32(lw, 2), ""), c32(lw, 30), "");
	return float_of(lw, LLVMBuildXor(lw->b, y, sign, ""));
}

/* Replaces k and r of the arguments that are large, in a branch that is taken where there is one. */
static void reduce_rest(Lower *lw, const LLVMValueRef *x, LLVMValueRef *k, LLVMValueRef *r, uint32_t count)
{
	LLVMTypeRef parts[] = {lw->t.i32, lw->t.f32}, both = LLVMStructTypeInContext(lw->cx, parts, 2, false);
	LLVMValueRef *large = lower_array(lw, count), *k2 = lower_array(lw, count), *r2 = lower_array(lw, count), any = NULL;
	for (uint32_t i = 0; i < count; i++) {
		large[i] = math_cmp(lw, LLVMRealOGE, fabs_of(lw, x[i]), math_f32(lw, 105615));
		any = any ? LLVMBuildOr(lw->b, any, large[i], "") : large[i];
	}
	LLVMBasicBlockRef before = LLVMGetInsertBlock(lw->b);
	LowerIf part = lower_begin_if(lw, any);
	for (uint32_t i = 0; i < count; i++) {
		LLVMValueRef v = func_outline(lw, "neso_reduce_f32", both, &x[i], 1, reduce_large);
		k2[i] = math_select(lw, large[i], LLVMBuildExtractValue(lw->b, v, 0, ""), k[i]);
		r2[i] = math_select(lw, large[i], LLVMBuildExtractValue(lw->b, v, 1, ""), r[i]);
	}
	LLVMBasicBlockRef blocks[] = {before, LLVMGetInsertBlock(lw->b)};
	lower_end_if(lw, part);
	for (uint32_t i = 0; i < 2 * count; i++) {
		LLVMValueRef *slot = i < count ? &k[i] : &r[i - count], other = i < count ? k2[i] : r2[i - count];
		LLVMValueRef values[] = {*slot, other};
		*slot = LLVMBuildPhi(lw->b, LLVMTypeOf(other), "");
		LLVMAddIncoming(*slot, values, blocks, 2);
	}
}

void func_trig(Lower *lw, LLVMValueRef *v, uint32_t count, bool cosine)
{
	LLVMValueRef *k = lower_array(lw, count), *r = lower_array(lw, count);
	for (uint32_t i = 0; i < count; i++)
		k[i] = reduce_small(lw, v[i], &r[i]);
	reduce_rest(lw, v, k, r, count);
	for (uint32_t i = 0; i < count; i++)
		v[i] = sine_of_quadrant(lw, cosine ? LLVMBuildAdd(lw->b, k[i], c32(lw, 1), "") : k[i], r[i]);
}

/* ---- fmod ---- */

typedef struct Format {
	LLVMTypeRef type, bits;
	unsigned mantissa, step; /* step: bits of a quotient that one remainder of 64-bit integers gives */
	uint64_t exponents;
} Format;

static LLVMValueRef number(const Format *f, uint64_t value)
{
	return LLVMConstInt(f->bits, value, false);
}

/* The mantissa of a finite x > 0, and its exponent: x = m 2^(e - 1) least denormals. */
static LLVMValueRef mantissa_of(Lower *lw, const Format *f, LLVMValueRef x, LLVMValueRef *e)
{
	LLVMValueRef bits = LLVMBuildBitCast(lw->b, x, f->bits, "");
	LLVMValueRef field = LLVMBuildLShr(lw->b, bits, number(f, f->mantissa), "");
	LLVMValueRef denormal = LLVMBuildICmp(lw->b, LLVMIntEQ, field, number(f, 0), "");
	LLVMValueRef fraction = LLVMBuildAnd(lw->b, bits, number(f, (UINT64_C(1) << f->mantissa) - 1), "");
	*e = math_select(lw, denormal, number(f, 1), field);
	LLVMValueRef m = math_select(lw, denormal, fraction,
				     LLVMBuildOr(lw->b, fraction, number(f, UINT64_C(1) << f->mantissa), ""));
	return f->bits == lw->t.i64 ? m : LLVMBuildZExt(lw->b, m, lw->t.i64, "");
}

/* 2^(e - 1) least denormals. */
static LLVMValueRef unit_of(Lower *lw, const Format *f, LLVMValueRef e)
{
	LLVMValueRef low = LLVMBuildSub(lw->b, e, number(f, 1), "");
	LLVMValueRef denormal = LLVMBuildICmp(lw->b, LLVMIntULT, low, number(f, f->mantissa), "");
	LLVMValueRef at = math_select(lw, denormal, low, number(f, 0));
	LLVMValueRef small = LLVMBuildShl(lw->b, number(f, 1), at, "");
	LLVMValueRef large = LLVMBuildShl(lw->b, LLVMBuildSub(lw->b, low, number(f, f->mantissa - 1), ""),
					  number(f, f->mantissa), "");
	return LLVMBuildBitCast(lw->b, math_select(lw, denormal, small, large), f->type, "");
}

/* Long division of the mantissas, x >= y > 0 and finite. */
static LLVMValueRef long_remainder(Lower *lw, const Format *f, LLVMValueRef x, LLVMValueRef y)
{
	LLVMValueRef ex, ey, mx = mantissa_of(lw, f, x, &ex), my = mantissa_of(lw, f, y, &ey);
	LLVMValueRef rest = LLVMBuildURem(lw->b, mx, my, ""), steps = LLVMBuildSub(lw->b, ex, ey, "");
	LLVMBasicBlockRef before = LLVMGetInsertBlock(lw->b), head = lower_new_block(lw, "head");
	LLVMBasicBlockRef body = lower_new_block(lw, "body"), after = lower_new_block(lw, "after");
	LLVMBuildBr(lw->b, head);
	LLVMPositionBuilderAtEnd(lw->b, head);
	LLVMValueRef left = LLVMBuildPhi(lw->b, f->bits, ""), r = LLVMBuildPhi(lw->b, lw->t.i64, "");
	LLVMBuildCondBr(lw->b, LLVMBuildICmp(lw->b, LLVMIntNE, left, number(f, 0), ""), body, after);
	LLVMPositionBuilderAtEnd(lw->b, body);
	LLVMValueRef some = LLVMBuildICmp(lw->b, LLVMIntULT, left, number(f, f->step), "");
	some = math_select(lw, some, left, number(f, f->step));
	LLVMValueRef by = f->bits == lw->t.i64 ? some : LLVMBuildZExt(lw->b, some, lw->t.i64, "");
	LLVMValueRef next = LLVMBuildURem(lw->b, LLVMBuildShl(lw->b, r, by, ""), my, "");
	LLVMValueRef fewer = LLVMBuildSub(lw->b, left, some, "");
	LLVMBuildBr(lw->b, head);
	LLVMAddIncoming(left, (LLVMValueRef[]){steps, fewer}, (LLVMBasicBlockRef[]){before, body}, 2);
	LLVMAddIncoming(r, (LLVMValueRef[]){rest, next}, (LLVMBasicBlockRef[]){before, body}, 2);
	LLVMPositionBuilderAtEnd(lw->b, after);
	return LLVMBuildFMul(lw->b, LLVMBuildUIToFP(lw->b, r, f->type, ""), unit_of(lw, f, ey), "");
}

/* A quotient below 2^24 (2^53) is, cut to an integer, right or one too large, and fma gives the exact rest. */
static LLVMValueRef fmod_body(Lower *lw, LLVMValueRef fn)
{
	LLVMTypeRef t = LLVMTypeOf(LLVMGetParam(fn, 0));
	bool wide = t == lw->t.f64;
	Format f = {t, wide ? lw->t.i64 : lw->t.i32, wide ? 52 : 23, wide ? 11 : 32, wide ? 2047 : 255};
	LLVMValueRef x = fabs_of(lw, LLVMGetParam(fn, 0)), y = fabs_of(lw, LLVMGetParam(fn, 1));
	LLVMValueRef infinity = LLVMConstReal(t, (double)INFINITY), zero = LLVMConstReal(t, 0);
	LLVMValueRef quotient = wide ? LLVMBuildFDiv(lw->b, x, y, "") : MACHINE2(lw, div_rn, x, y);
	LLVMValueRef q = math_intrinsic(lw, "llvm.trunc", &quotient, 1);
	LLVMValueRef r = lower_fma(lw, LLVMBuildFNeg(lw->b, q, ""), y, x);
	r = math_select(lw, math_cmp(lw, LLVMRealOLT, r, zero), LLVMBuildFAdd(lw->b, r, y, ""), r);
	LLVMValueRef finite = math_cmp(lw, LLVMRealOLT, x, infinity);
	LLVMValueRef endless = LLVMBuildAnd(lw->b, math_cmp(lw, LLVMRealOEQ, y, infinity), finite, "");
	r = math_select(lw, endless, x, r);
	LLVMValueRef far = math_cmp(lw, LLVMRealUGE, q, LLVMConstReal(t, wide ? 0x1p53 : 0x1p24));
	far = LLVMBuildAnd(lw->b, far, LLVMBuildAnd(lw->b, finite, math_cmp(lw, LLVMRealOGT, y, zero), ""), "");
	far = LLVMBuildAnd(lw->b, far, math_cmp(lw, LLVMRealOLT, y, infinity), "");
	LLVMBasicBlockRef blocks[2] = {LLVMGetInsertBlock(lw->b)};
	LowerIf part = lower_begin_if(lw, far);
	LLVMValueRef values[] = {r, long_remainder(lw, &f, x, y)};
	blocks[1] = LLVMGetInsertBlock(lw->b);
	lower_end_if(lw, part);
	LLVMValueRef phi = LLVMBuildPhi(lw->b, t, "");
	LLVMAddIncoming(phi, values, blocks, 2);
	return copysign_of(lw, phi, LLVMGetParam(fn, 0));
}

LLVMValueRef func_fmod(Lower *lw, LLVMValueRef x, LLVMValueRef y)
{
	LLVMTypeRef t = LLVMTypeOf(x);
	return func_outline(lw, t == lw->t.f64 ? "neso_fmod_f64" : "neso_fmod_f32", t, (LLVMValueRef[]){x, y}, 2,
			    fmod_body);
}
