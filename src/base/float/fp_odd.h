/* Rounding to odd: what is not exact ends in a one, so that a second rounding, to at least two bits less, gives what one rounding would
 * have given (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008). For multiply-adds of 16-bit floats, which hardware
 * rounds once. Loops over these vectorise; the files that include it are compiled without contraction. */
#ifndef NESO_BASE_FLOAT_FP_ODD_H
#define NESO_BASE_FLOAT_FP_ODD_H

#include <stdint.h>
#include <string.h>

/* x * y + z of 16-bit floats, whose product a double holds exactly. */
static inline double fp_fma_odd(double x, double y, double z)
{
	double product = x * y, sum = product + z, back = sum - product;
	double rest = (product - (sum - back)) + (z - back); /* NaN of infinities */
	int64_t bits;
	memcpy(&bits, &sum, sizeof bits);
	if ((rest < 0 || rest > 0) && !(bits & 1))
		bits += (rest > 0) == (sum > 0) ? 1 : -1;
	memcpy(&sum, &bits, sizeof sum);
	return sum;
}

static inline float fp_odd_float(double d)
{
	float f = (float)d;
	double back = (double)f;
	uint32_t bits;
	memcpy(&bits, &f, sizeof bits);
	if (back < d || back > d) {
		bits -= (back > d) == (d > 0); /* away from zero, or to infinity */
		bits |= 1;
	}
	memcpy(&f, &bits, sizeof f);
	return f;
}

#endif
