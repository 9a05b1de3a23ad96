/* Functions of f64, one function of the module each. A value in two parts is an unevaluated sum, the second one
 * small. */
#include "llvm/math/func.h"

#include <math.h>

typedef LLVMValueRef V;

static V k64(Lower *lw, double value) { return LLVMConstReal(lw->t.f64, value); }
static V i64c(Lower *lw, uint64_t value) { return LLVMConstInt(lw->t.i64, value, false); }
static V add(Lower *lw, V a, V b) { return LLVMBuildFAdd(lw->b, a, b, ""); }
static V sub(Lower *lw, V a, V b) { return LLVMBuildFSub(lw->b, a, b, ""); }
static V mul(Lower *lw, V a, V b) { return LLVMBuildFMul(lw->b, a, b, ""); }
static V quotient(Lower *lw, V a, V b) { return LLVMBuildFDiv(lw->b, a, b, ""); }
static V neg(Lower *lw, V a) { return LLVMBuildFNeg(lw->b, a, ""); }
static V bits_of(Lower *lw, V x) { return LLVMBuildBitCast(lw->b, x, lw->t.i64, ""); }
static V float_of(Lower *lw, V x) { return LLVMBuildBitCast(lw->b, x, lw->t.f64, ""); }
static V size_of(Lower *lw, V x) { return math_intrinsic(lw, "llvm.fabs", &x, 1); }
static V floor_of(Lower *lw, V x) { return math_intrinsic(lw, "llvm.floor", &x, 1); }
static V signed_as(Lower *lw, V size, V x) { return math_intrinsic(lw, "llvm.copysign", (V[]){size, x}, 2); }
static V less(Lower *lw, V a, V b) { return math_cmp(lw, LLVMRealOLT, a, b); }
static V both(Lower *lw, V a, V b) { return LLVMBuildAnd(lw->b, a, b, ""); }

static V call(Lower *lw, const char *name, V x, FuncBody *body)
{
	return func_outline(lw, name, lw->t.f64, &x, 1, body);
}

/* Bounds that NaN passes. */
static V between(Lower *lw, V x, double low, double high)
{
	x = math_select(lw, less(lw, x, k64(lw, low)), k64(lw, low), x);
	return math_select(lw, less(lw, k64(lw, high), x), k64(lw, high), x);
}

/* The nearest integer to x * scale, |it| < 2^31, as a float and (low 32 bits) as an integer. */
static V nearest(Lower *lw, V x, double scale, V *integer)
{
	V t = lower_fma(lw, x, k64(lw, scale), k64(lw, 0x1.8p52));
	*integer = bits_of(lw, t);
	return sub(lw, t, k64(lw, 0x1.8p52));
}

/* ---- exponentials ---- */

/* e^r 2^k, |r| <= 0.347, |k| <= 1100; relative error of the polynomial 2^-60. */
static V exp_reduced(Lower *lw, V r, V k)
{
	static const double c[] = {0x1p-1, 0x1.555555555555bp-3, 0x1.5555555555502p-5, 0x1.111111110ec1ap-7,
				   0x1.6c16c16c30781p-10, 0x1.a01a01b399039p-13, 0x1.a01a0135fcbe8p-16,
				   0x1.71ddefdc787c2p-19, 0x1.27e5b4f1ded59p-22, 0x1.af6c613873de9p-26,
				   0x1.1e3cda355f8bcp-29};
	V p = lower_fma(lw, mul(lw, r, r), math_poly(lw, r, c, ARRAY_LEN(c)), r);
	V y = add(lw, p, k64(lw, 1));
	/* 2^k may lie outside the range where the product does not: two factors, of which the first is exact. */
	k = LLVMBuildTrunc(lw->b, k, lw->t.i32, "");
	V half = LLVMBuildAShr(lw->b, k, lower_i32(lw, 1), ""), part[] = {half, LLVMBuildSub(lw->b, k, half, "")};
	for (unsigned i = 0; i < 2; i++) {
		V e = LLVMBuildAdd(lw->b, LLVMBuildSExt(lw->b, part[i], lw->t.i64, ""), i64c(lw, 1023), "");
		y = mul(lw, y, float_of(lw, LLVMBuildShl(lw->b, e, i64c(lw, 52), "")));
	}
	return y;
}

/* e^(x + low). */
static V exp_sum(Lower *lw, V x, V low)
{
	V k;
	x = between(lw, x, -746, 710);
	V minus = neg(lw, nearest(lw, x, 0x1.71547652b82fep0, &k));
	V r = lower_fma(lw, minus, k64(lw, 0x1.62e42fefa39efp-1), x);
	r = lower_fma(lw, minus, k64(lw, 0x1.abc9e3b39803fp-56), r);
	return exp_reduced(lw, low ? add(lw, r, low) : r, k);
}

static V exp_body(Lower *lw, V fn)
{
	return exp_sum(lw, LLVMGetParam(fn, 0), NULL);
}

LLVMValueRef func64_exp(Lower *lw, LLVMValueRef x) { return call(lw, "neso_exp_f64", x, exp_body); }

static V exp2_body(Lower *lw, V fn)
{
	V k, x = between(lw, LLVMGetParam(fn, 0), -1076, 1025), ln2 = k64(lw, 0x1.62e42fefa39efp-1);
	V f = sub(lw, x, nearest(lw, x, 1, &k));
	V high = mul(lw, f, ln2), low = lower_fma(lw, f, k64(lw, 0x1.abc9e3b39803fp-56), lower_fma(lw, f, ln2, neg(lw, high)));
	return exp_reduced(lw, add(lw, high, low), k);
}

LLVMValueRef func64_exp2(Lower *lw, LLVMValueRef x) { return call(lw, "neso_exp2_f64", x, exp2_body); }

/* ---- logarithms ---- */

/* 1 / x to about 50 bits, for x of a usual size: the hardware's 20 bits, and a step of Newton's method of third order. */
static V reciprocal(Lower *lw, V x)
{
	V y = machine_family(lw, MACHINE_alu, "rcp.approx.ftz.f64", lw->t.f64, &x, 1);
	V e = lower_fma(lw, neg(lw, x), y, k64(lw, 1));
	return lower_fma(lw, y, lower_fma(lw, e, e, e), y);
}

/* log x = k ln 2 + *high + *low for a positive finite x, with about 60 bits; *high is at most 0.35. */
static V log_parts(Lower *lw, V x, V *high, V *low)
{
	static const double c[] = {0x1.5555555555555p-1, 0x1.9999999999d16p-2, 0x1.2492492438e47p-2,
				   0x1.c71c724c46a0ep-3, 0x1.745ce179dd39fp-3, 0x1.3b20331ef254fp-3,
				   0x1.0f65e697def85p-3, 0x1.0f1ad0a40632dp-3};
	V tiny = less(lw, x, k64(lw, 0x1p-1022));
	V bits = bits_of(lw, math_select(lw, tiny, mul(lw, x, k64(lw, 0x1p54)), x));
	/* m between the square roots of 1/2 and of 2 */
	V e = LLVMBuildAShr(lw->b, LLVMBuildSub(lw->b, bits, i64c(lw, 0x3fe6a09e667f3bcd), ""), i64c(lw, 52), "");
	V m = float_of(lw, LLVMBuildSub(lw->b, bits, LLVMBuildShl(lw->b, e, i64c(lw, 52), ""), ""));
	V k = LLVMBuildSIToFP(lw->b, LLVMBuildTrunc(lw->b, e, lw->t.i32, ""), lw->t.f64, "");
	k = add(lw, k, math_select(lw, tiny, k64(lw, -54), k64(lw, 0)));
	/* s = (m - 1) / (m + 1) with its rest; log m = 2 s + s^3 Q(s^2) */
	V f = sub(lw, m, k64(lw, 1)), d = add(lw, m, k64(lw, 1)), d_low = sub(lw, m, sub(lw, d, k64(lw, 1)));
	V inverse = reciprocal(lw, d), s = mul(lw, f, inverse);
	V rest = lower_fma(lw, neg(lw, s), d_low, lower_fma(lw, neg(lw, s), d, f));
	V z = mul(lw, s, s);
	V tail = mul(lw, mul(lw, s, z), math_poly(lw, z, c, ARRAY_LEN(c)));
	tail = lower_fma(lw, add(lw, rest, rest), inverse, tail);
	V twice = add(lw, s, s);
	*high = add(lw, twice, tail);
	*low = sub(lw, tail, sub(lw, *high, twice));
	return k;
}

/* The logarithm y where x is positive and finite. */
static V log_edges(Lower *lw, V x, V y)
{
	V edge = math_select(lw, less(lw, x, k64(lw, 0)), k64(lw, (double)NAN), x);
	edge = math_select(lw, math_cmp(lw, LLVMRealOEQ, x, k64(lw, 0)), k64(lw, -(double)INFINITY), edge);
	V usual = both(lw, less(lw, k64(lw, 0), x), less(lw, x, k64(lw, (double)INFINITY)));
	return math_select(lw, usual, y, edge);
}

/* a + b in two parts, |a| >= |b| or a == 0. */
static V sum_parts(Lower *lw, V a, V b, V *low)
{
	V sum = add(lw, a, b);
	*low = sub(lw, b, sub(lw, sum, a));
	return sum;
}

/* log x + extra in two parts; the high part of ln 2 has 32 bits, so that its product with k is exact. */
static V log_sum(Lower *lw, V x, V extra, V *low)
{
	V high, tail, rest, k = log_parts(lw, x, &high, &tail);
	V y = sum_parts(lw, mul(lw, k, k64(lw, 0x1.62e42feep-1)), high, &rest);
	rest = add(lw, rest, lower_fma(lw, k, k64(lw, 0x1.a39ef35793c76p-33), tail));
	return sum_parts(lw, y, extra ? add(lw, rest, extra) : rest, low);
}

static V log_body(Lower *lw, V fn)
{
	V low, x = LLVMGetParam(fn, 0);
	return log_edges(lw, x, log_sum(lw, x, NULL, &low));
}

LLVMValueRef func64_log(Lower *lw, LLVMValueRef x) { return call(lw, "neso_log_f64", x, log_body); }

static V log2_body(Lower *lw, V fn)
{
	V x = LLVMGetParam(fn, 0), high, low, rest, k = log_parts(lw, x, &high, &low), scale = k64(lw, 0x1.71547652b82fep0);
	V p = mul(lw, high, scale);
	V p_low = lower_fma(lw, high, scale, neg(lw, p));
	p_low = add(lw, p_low, lower_fma(lw, high, k64(lw, 0x1.777d0ffda0d24p-56), mul(lw, low, scale)));
	V y = sum_parts(lw, k, p, &rest);
	return log_edges(lw, x, add(lw, y, add(lw, rest, p_low)));
}

LLVMValueRef func64_log2(Lower *lw, LLVMValueRef x) { return call(lw, "neso_log2_f64", x, log2_body); }

/* log(1 + x) = log u + c / u, where u is 1 + x as rounded and c what that lost. */
static V log1p_body(Lower *lw, V fn)
{
	V x = LLVMGetParam(fn, 0), one = k64(lw, 1), u = add(lw, one, x), low;
	V small = less(lw, size_of(lw, x), one);
	V c = math_select(lw, small, sub(lw, x, sub(lw, u, one)), sub(lw, one, sub(lw, u, x)));
	V y = log_edges(lw, u, log_sum(lw, u, quotient(lw, c, u), &low));
	return math_select(lw, math_cmp(lw, LLVMRealOEQ, x, k64(lw, 0)), x, y);
}

LLVMValueRef func64_log1p(Lower *lw, LLVMValueRef x)
{
	return call(lw, "neso_log1p_f64", x, log1p_body);
}

/* ---- powers ---- */

/* The value of x^y by its magnitude, with the rules of IEEE 754 for signs and edges. */
static V pow_rules(Lower *lw, V x, V y, V value)
{
	V zero = k64(lw, 0), one = k64(lw, 1), infinity = k64(lw, (double)INFINITY), size = size_of(lw, x);
	V half = mul(lw, y, k64(lw, 0.5));
	V whole = math_cmp(lw, LLVMRealOEQ, floor_of(lw, y), y);
	V odd = both(lw, whole, math_cmp(lw, LLVMRealUNE, floor_of(lw, half), half));
	V is_number = math_cmp(lw, LLVMRealORD, x, x);
	V negative = both(lw, LLVMBuildICmp(lw->b, LLVMIntSLT, bits_of(lw, x), i64c(lw, 0), ""), is_number);
	value = math_select(lw, math_cmp(lw, LLVMRealOEQ, size, one), one, value);
	value = math_select(lw, is_number, value, x);
	value = math_select(lw, both(lw, negative, odd), neg(lw, value), value);
	V undefined = both(lw, both(lw, less(lw, zero, size), less(lw, size, infinity)), less(lw, size_of(lw, y), infinity));
	undefined = both(lw, both(lw, negative, LLVMBuildNot(lw->b, whole, "")), undefined);
	value = math_select(lw, undefined, k64(lw, (double)NAN), value);
	value = math_select(lw, math_cmp(lw, LLVMRealUNO, y, y), y, value);
	V trivial = LLVMBuildOr(lw->b, math_cmp(lw, LLVMRealOEQ, y, zero), math_cmp(lw, LLVMRealOEQ, x, one), "");
	return math_select(lw, trivial, one, value);
}

static V pow_body(Lower *lw, V fn)
{
	V x = LLVMGetParam(fn, 0), y = LLVMGetParam(fn, 1), size = size_of(lw, x), low;
	V high = log_edges(lw, size, log_sum(lw, size, NULL, &low));
	V p = mul(lw, y, high), p_low = lower_fma(lw, y, low, lower_fma(lw, y, high, neg(lw, p)));
	V counts = less(lw, size_of(lw, p), k64(lw, 1000)); /* beyond that it is 0 or infinite, and the rest may be NaN */
	return pow_rules(lw, x, y, exp_sum(lw, p, math_select(lw, counts, p_low, k64(lw, 0))));
}

LLVMValueRef func64_pow(Lower *lw, LLVMValueRef x, LLVMValueRef y)
{
	return func_outline(lw, "neso_pow_f64", lw->t.f64, (V[]){x, y}, 2, pow_body);
}

/* Newton's method once, of third order, on the hardware's approximation. 0 and infinity have no finite product. */
static V rsqrt_body(Lower *lw, V fn)
{
	V x = LLVMGetParam(fn, 0), y = MACHINE1(lw, rsqrt_f64, x);
	V e = lower_fma(lw, neg(lw, mul(lw, x, y)), y, k64(lw, 1));
	V step = mul(lw, mul(lw, y, e), lower_fma(lw, e, k64(lw, 0.375), k64(lw, 0.5)));
	return math_select(lw, less(lw, size_of(lw, e), k64(lw, 1)), add(lw, y, step), y);
}

LLVMValueRef func64_rsqrt(Lower *lw, LLVMValueRef x)
{
	return call(lw, "neso_rsqrt_f64", x, rsqrt_body);
}

/* ---- error function, hyperbolic tangent, arc tangent ---- */

/* Below 1: x + x P(x^2), relative error 2^-56. Above: 1 - e^(Q(t) - x^2), absolute error 2^-59;
 * from 6 on it is 1. */
static V erf_body(Lower *lw, V fn)
{
	static const double p[] = {0x1.06eba8214db68p-3, -0x1.812746b03799dp-2, 0x1.ce2f21a03f8bap-4,
				   -0x1.b82ce311a9836p-6, 0x1.565bcceedb2fcp-8, -0x1.c02daeb7307ddp-11,
				   0x1.f9a296b9674cap-14, -0x1.f4c82f5c611abp-17, 0x1.b96b5b9963b76p-20,
				   -0x1.5b8c8b8ff438ep-23, 0x1.d3dead16ec46bp-27, -0x1.a241ac6462b42p-31};
	static const double q[] = {-0x1.dcc8b29512dc1p+0, -0x1.549b835b8e102p-1, 0x1.a98f9717f3ea5p-3,
				   -0x1.4e712f2b48375p-4, 0x1.1794781292db8p-5, -0x1.d75a475426acbp-7,
				   0x1.862e785ec4c48p-8, -0x1.372e9944f1a5ep-9, 0x1.d44f262d7d3f6p-11,
				   -0x1.42a5c829df7bp-12, 0x1.8786cb14ef2e1p-14, -0x1.c8cdc3f743e4fp-17,
				   -0x1.9e3e1ac434c17p-21, -0x1.102d53cd10c2fp-17, -0x1.b2b8371d0e313p-16,
				   -0x1.4b4f7869747aep-17, 0x1.b4061f6f82bf2p-17, 0x1.f661403996f5dp-16,
				   0x1.8ed013b745997p-16, 0x1.5077bf08feff4p-17, 0x1.ec818115c6862p-20};
	V x = LLVMGetParam(fn, 0), size = size_of(lw, x);
	V small = lower_fma(lw, math_poly(lw, mul(lw, x, x), p, ARRAY_LEN(p)), x, x);
	V at = math_select(lw, less(lw, k64(lw, 6), size), k64(lw, 6), size);
	V t = mul(lw, sub(lw, at, k64(lw, 3.5)), k64(lw, 0.4));
	V square = neg(lw, mul(lw, at, at)), rest = lower_fma(lw, neg(lw, at), at, neg(lw, square)), low;
	V power = sum_parts(lw, math_poly(lw, t, q, ARRAY_LEN(q)), square, &low);
	V large = sub(lw, k64(lw, 1), exp_sum(lw, power, add(lw, low, rest)));
	return math_select(lw, less(lw, size, k64(lw, 1)), small, signed_as(lw, large, x));
}

LLVMValueRef func64_erf(Lower *lw, LLVMValueRef x) { return call(lw, "neso_erf_f64", x, erf_body); }

/* Below 0.55: x + x^3 P(x^2), relative error 2^-65; above 1 - 2 / (e^2x + 1). */
static V tanh_body(Lower *lw, V fn)
{
	static const double p[] = {-0x1.5555555555555p-2, 0x1.111111111108p-3, -0x1.ba1ba1ba10e02p-5,
				   0x1.664f487f8d285p-6, -0x1.226e34cf27794p-7, 0x1.d6d3b0ef655dep-9,
				   -0x1.7da1025c1698ap-10, 0x1.3538f0979405p-11, -0x1.f348ba4e6cd4p-13,
				   0x1.88d29c0b2c2a8p-14, -0x1.1124df46fbadfp-15, 0x1.e477577039f4p-18};
	V x = LLVMGetParam(fn, 0), size = size_of(lw, x), z = mul(lw, x, x), one = k64(lw, 1);
	/* x z + 0 is 0 for either zero, and 0 times the polynomial is -0: the sum is x then. */
	V cube = lower_fma(lw, x, z, k64(lw, 0));
	V small = lower_fma(lw, cube, math_poly(lw, z, p, ARRAY_LEN(p)), x);
	V power = add(lw, exp_sum(lw, add(lw, size, size), NULL), one);
	V large = sub(lw, one, quotient(lw, k64(lw, 2), power));
	return math_select(lw, less(lw, size, k64(lw, 0.55)), small, signed_as(lw, large, x));
}

LLVMValueRef func64_tanh(Lower *lw, LLVMValueRef x) { return call(lw, "neso_tanh_f64", x, tanh_body); }

/* Above 1, pi/2 less the arc tangent of 1/x; above tan(pi/8), pi/4 more than that of (t - 1) / (t + 1). */
static V atan_body(Lower *lw, V fn)
{
	static const double p[] = {-0x1.5555555555555p-2, 0x1.9999999999811p-3, -0x1.249249248282ep-3,
				   0x1.c71c71bd9d817p-4, -0x1.745d15a5606c7p-4, 0x1.3b138469aa6dbp-4,
				   -0x1.110ddd80d3616p-4, 0x1.e191d518419c2p-5, -0x1.ac7431c186899p-5,
				   0x1.75fcfddc113fep-5, -0x1.236bfbcb1c047p-5, 0x1.3d3efd0e51303p-6,
				   -0x1.e0c471ed7811p-9};
	V x = LLVMGetParam(fn, 0), size = size_of(lw, x), one = k64(lw, 1);
	V large = less(lw, one, size);
	V t = math_select(lw, large, quotient(lw, one, size), size);
	V middle = less(lw, k64(lw, 0x1.a827999fcef32p-2), t);
	t = math_select(lw, middle, quotient(lw, sub(lw, t, one), add(lw, t, one)), t);
	V z = mul(lw, t, t);
	V y = lower_fma(lw, mul(lw, t, z), math_poly(lw, z, p, ARRAY_LEN(p)), t);
	V turn = add(lw, k64(lw, 0x1.921fb54442d18p-1), add(lw, y, k64(lw, 0x1.1a62633145c07p-55)));
	y = math_select(lw, middle, turn, y);
	y = math_select(lw, large, sub(lw, k64(lw, 0x1.921fb54442d18p0), sub(lw, y, k64(lw, 0x1.1a62633145c07p-54))), y);
	return signed_as(lw, y, x);
}

LLVMValueRef func64_atan(Lower *lw, LLVMValueRef x) { return call(lw, "neso_atan_f64", x, atan_body); }

/* Of a point (x, y): by the quotient of the sizes, which has no value where both are 0 or infinite. */
static V atan2_body(Lower *lw, V fn)
{
	V y = LLVMGetParam(fn, 0), x = LLVMGetParam(fn, 1), infinity = k64(lw, (double)INFINITY), zero = k64(lw, 0);
	V ys = size_of(lw, y), xs = size_of(lw, x), one = k64(lw, 1), q = quotient(lw, ys, xs);
	V equal = math_cmp(lw, LLVMRealOEQ, ys, xs);
	q = math_select(lw, both(lw, equal, math_cmp(lw, LLVMRealOEQ, ys, infinity)), one, q);
	q = math_select(lw, both(lw, equal, math_cmp(lw, LLVMRealOEQ, ys, zero)), zero, q);
	V a = func64_atan(lw, q);
	V turned = sub(lw, k64(lw, 0x1.921fb54442d18p1), sub(lw, a, k64(lw, 0x1.1a62633145c07p-53)));
	V left = LLVMBuildICmp(lw->b, LLVMIntSLT, bits_of(lw, x), i64c(lw, 0), "");
	return signed_as(lw, math_select(lw, left, turned, a), y);
}

LLVMValueRef func64_atan2(Lower *lw, LLVMValueRef y, LLVMValueRef x)
{
	return func_outline(lw, "neso_atan2_f64", lw->t.f64, (V[]){y, x}, 2, atan2_body);
}
