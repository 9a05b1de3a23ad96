/* One generic decoder and encoder driven by a table of formats. Speed matters in constant folding only;
 * the interpreter has vector forms of the frequent conversions and is tested against these. */
#include "base/float/fp.h"

#include <math.h>
#include <string.h>

typedef enum { TOP_IEEE, TOP_NAN_ONLY, TOP_FINITE } TopExponent; /* meaning of the all-ones exponent */

typedef struct Format {
	int bits, mantissa, bias;
	TopExponent top; /* NAN_ONLY: finite but for the all-ones mantissa; FINITE: NaN is the negative zero */
} Format;

static const Format formats[FP__COUNT] = {
	[FP_E4M3FN] = {8, 3, 7, TOP_NAN_ONLY},
	[FP_E5M2] = {8, 2, 15, TOP_IEEE},
	[FP_E4M3B11FNUZ] = {8, 3, 11, TOP_FINITE},
	[FP_E4M3FNUZ] = {8, 3, 8, TOP_FINITE},
	[FP_E5M2FNUZ] = {8, 2, 16, TOP_FINITE},
	[FP_F16] = {16, 10, 15, TOP_IEEE},
	[FP_BF16] = {16, 7, 127, TOP_IEEE},
	[FP_F32] = {32, 23, 127, TOP_IEEE},
	[FP_TF32] = {32, 23, 127, TOP_IEEE},
};

double fp_to_double(FpFormat format, uint64_t bits)
{
	if (format == FP_F64) {
		double d;
		memcpy(&d, &bits, 8);
		return d;
	}
	const Format *f = &formats[format];
	uint64_t sign = bits >> (f->bits - 1) & 1;
	uint64_t mantissa = bits & ((UINT64_C(1) << f->mantissa) - 1);
	int exponent_bits = f->bits - 1 - f->mantissa;
	uint64_t top = (UINT64_C(1) << exponent_bits) - 1;
	uint64_t exponent = bits >> f->mantissa & top;
	if (f->top == TOP_FINITE && sign && !exponent && !mantissa)
		return NAN;
	if (exponent == top && f->top == TOP_IEEE)
		return mantissa ? NAN : sign ? -INFINITY : INFINITY;
	if (exponent == top && f->top == TOP_NAN_ONLY && mantissa == (UINT64_C(1) << f->mantissa) - 1)
		return NAN;
	double value = exponent ? ldexp((double)(mantissa | UINT64_C(1) << f->mantissa),
					(int)exponent - f->bias - f->mantissa)
				: ldexp((double)mantissa, 1 - f->bias - f->mantissa);
	return sign ? -value : value;
}

static uint64_t largest(const Format *f)
{
	uint64_t all = (UINT64_C(1) << (f->bits - 1)) - 1;
	switch (f->top) {
	case TOP_IEEE:
		return all - (UINT64_C(1) << f->mantissa);
	case TOP_NAN_ONLY:
		return all - 1;
	default:
		return all;
	}
}

static uint64_t quiet_nan(const Format *f)
{
	uint64_t all = (UINT64_C(1) << (f->bits - 1)) - 1;
	switch (f->top) {
	case TOP_IEEE:
		return (all >> f->mantissa << f->mantissa) |
		       UINT64_C(1) << (f->mantissa - 1);
	case TOP_NAN_ONLY:
		return all;
	default:
		return UINT64_C(1) << (f->bits - 1);
	}
}

/* x is finite and not negative: the bits of the nearest value of an unbounded format, without sign. */
static uint64_t round_magnitude(const Format *f, int mantissa_bits, double x, FpRounding rounding)
{
	int exponent;
	frexp(x, &exponent); /* x = m * 2^exponent, m in [0.5, 1) */
	int unit = MAX(exponent - 1, 1 - f->bias) - mantissa_bits; /* of the last place */
	double scaled = ldexp(x, -unit);
	double whole = floor(scaled); /* below 2^(mantissa_bits + 1): exact */
	double rest = scaled - whole;
	if (rounding == FP_NEAREST_EVEN && (rest > 0.5 || (rest == 0.5 && fmod(whole, 2) != 0)))
		whole += 1;
	uint64_t units = (uint64_t)whole;
	uint64_t biased = (uint64_t)(unit + mantissa_bits + f->bias); /* 1 also for subnormal values */
	uint64_t implicit = UINT64_C(1) << mantissa_bits;
	/* A carry out of the mantissa runs into the exponent, as it should. */
	return units < implicit ? units : ((biased - 1) << mantissa_bits) + units;
}

uint64_t fp_from_double(FpFormat format, double value, FpRounding rounding, bool saturate)
{
	if (format == FP_F64) {
		uint64_t bits;
		memcpy(&bits, &value, 8);
		return bits;
	}
	const Format *f = &formats[format];
	if (isnan(value))
		return quiet_nan(f);
	uint64_t sign = (uint64_t)(signbit(value) != 0) << (f->bits - 1);
	bool no_infinity = f->top != TOP_IEEE;
	uint64_t overflow = saturate ? largest(f) : no_infinity ? quiet_nan(f) : largest(f) + 1;
	if (f->top == TOP_FINITE && overflow == quiet_nan(f))
		sign = 0;
	if (isinf(value))
		return sign | overflow;
	int mantissa_bits = format == FP_TF32 ? 10 : f->mantissa;
	uint64_t bits = round_magnitude(f, mantissa_bits, fabs(value), rounding);
	if (format == FP_TF32)
		bits <<= 13;
	if (bits > largest(f)) {
		bool clip = saturate || rounding == FP_TOWARD_ZERO;
		return sign | (clip ? largest(f) : overflow);
	}
	if (f->top == TOP_FINITE) {
		sign = (uint64_t)(signbit(value) != 0) << (f->bits - 1);
		if (!bits)
			sign = 0; /* no negative zero */
	}
	return sign | bits;
}
