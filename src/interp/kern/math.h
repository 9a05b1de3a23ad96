/* Elementary functions for f32 results, evaluated in double by branch-free polynomials that compilers vectorise;
 * no fused operations, so all instruction sets agree. Error before the final rounding to f32: below 1e-9 relative, so
 * results are within 0.51 ulp of f32. */
#ifndef NESO_INTERP_KERN_MATH_H
#define NESO_INTERP_KERN_MATH_H

#include <math.h>
#include <string.h>

#include "base/float/half.h"

static inline uint64_t bits_d(double x)
{
	uint64_t u;
	memcpy(&u, &x, 8);
	return u;
}

static inline double from_bits_d(uint64_t u)
{
	double x;
	memcpy(&x, &u, 8);
	return x;
}

/* As the instructions with .ftz take and give floats: a subnormal number is a zero of its sign. */
static inline float flush_f(float x)
{
	return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

/* Adding it rounds to a whole number, whose two's complement is then in the low bits. */
#define ROUND_SHIFT 0x1.8p52

/* e^r for |r| < 0.35 (Taylor, degree 9), times 2^k where the low bits of `whole` are those of k. */
static inline double exp_reduced(double r, double whole)
{
	double p = 1 / 362880.0;
	p = p * r + 1 / 40320.0;
	p = p * r + 1 / 5040.0;
	p = p * r + 1 / 720.0;
	p = p * r + 1 / 120.0;
	p = p * r + 1 / 24.0;
	p = p * r + 1 / 6.0;
	p = p * r + 0.5;
	p = p * r + 1;
	p = p * r + 1;
	return from_bits_d(bits_d(p) + (bits_d(whole) << 52));
}

static inline double exp_of_d(double x)
{
	x = x > 160 ? 160 : x < -160 ? -160 : x;
	double whole = x * 0x1.71547652b82fep0 + ROUND_SHIFT;
	double k = whole - ROUND_SHIFT;
	double r = x - k * 0x1.62e42fefa39efp-1;
	double e = exp_reduced(r, whole);
	return x != x ? x : e;
}

static inline double exp_d(float f)
{
	return exp_of_d((double)f);
}

static inline double exp2_d(float f)
{
	double x = (double)f;
	x = x > 200 ? 200 : x < -200 ? -200 : x;
	double whole = x + ROUND_SHIFT;
	double r = (x - (whole - ROUND_SHIFT)) * 0x1.62e42fefa39efp-1;
	double e = exp_reduced(r, whole);
	return x != x ? x : e;
}

/* x = m * 2^k with m in [sqrt(1/2), sqrt(2)): *k and log(m). x is a positive normal double. */
static inline double log_reduced(double x, double *k)
{
	uint64_t u = bits_d(x);
	uint64_t shifted = u - UINT64_C(0x3fe6a09e00000000) + (UINT64_C(1024) << 52);
	uint64_t biased = shifted >> 52; /* k + 1024 */
	*k = from_bits_d(UINT64_C(0x4330000000000000) | biased) - (0x1p52 + 1024);
	double m = from_bits_d(u - (biased << 52) + (UINT64_C(1024) << 52));
	double s = (m - 1) / (m + 1), z = s * s;
	double p = 1 / 15.0;
	p = p * z + 1 / 13.0;
	p = p * z + 1 / 11.0;
	p = p * z + 1 / 9.0;
	p = p * z + 1 / 7.0;
	p = p * z + 1 / 5.0;
	p = p * z + 1 / 3.0;
	return 2 * s + 2 * s * z * p;
}

static inline double log_special(double x, double result)
{
	return x > 0 ? (x > 3.5e38 ? x : result) : x == 0 ? -INFINITY : NAN;
}

static inline double log_d(float f)
{
	double x = (double)f, k;
	double l = log_reduced(x, &k);
	return log_special(x, k * 0x1.62e42fefa39efp-1 + l);
}

static inline double log2_d(float f)
{
	double x = (double)f, k;
	double l = log_reduced(x, &k);
	return log_special(x, k + l * 0x1.71547652b82fep0);
}

/* Past this the reduction below loses bits; the caller takes libm's double function. */
#define TRIG_LARGE 100000.0f

static inline double trig_reduce(double x, uint64_t *quadrant)
{
	double whole = x * 0x1.45f306dc9c883p-1 + ROUND_SHIFT;
	double k = whole - ROUND_SHIFT;
	*quadrant = bits_d(whole);
	/* pi/2 in two parts; the first has 33 bits, so k times it is exact. */
	return (x - k * 0x1.921fb544p0) - k * 0x1.0b4611a626331p-34;
}

static inline double sin_poly(double r)
{
	double z = r * r;
	double p = -1 / 39916800.0;
	p = p * z + 1 / 362880.0;
	p = p * z - 1 / 5040.0;
	p = p * z + 1 / 120.0;
	p = p * z - 1 / 6.0;
	return r + r * z * p;
}

static inline double cos_poly(double r)
{
	double z = r * r;
	double p = 1 / 479001600.0;
	p = p * z - 1 / 3628800.0;
	p = p * z + 1 / 40320.0;
	p = p * z - 1 / 720.0;
	p = p * z + 1 / 24.0;
	return 1 - 0.5 * z + z * z * p;
}

static inline double trig_quadrant(double r, uint64_t q)
{
	double s = sin_poly(r), c = cos_poly(r);
	double v = q & 1 ? c : s;
	return from_bits_d(bits_d(v) ^ (q & 2) << 62);
}

static inline float sin_f(float x)
{
	uint64_t q;
	double r = trig_reduce((double)x, &q);
	float v = (float)trig_quadrant(r, q);
	return x == 0 ? x : v;
}

static inline float cos_f(float x)
{
	uint64_t q;
	double r = trig_reduce((double)x, &q);
	return (float)trig_quadrant(r, q + 1);
}

/* erf(x) / x as a Chebyshev fit in x^2 on [0, 16], as a polynomial of (x^2 - 8) / 8; from 4 on erf is 1 in f32. */
static inline double erf_d(float f)
{
	double x = (double)f;
	double clamped = x > 4 ? 4 : x < -4 ? -4 : x;
	double u = (clamped * clamped - 8) * 0.125;
	static const double c[23] = {
		0.35353099564340495, -0.17657623330392602, 0.13167511689547207, -0.10771044230403215,
		0.09020899404424358, -0.07472787156784315, 0.05988690674393009, -0.04576504084136504,
		0.033060611596419896, -0.02247402944863727, 0.01434973873577006, -0.008604359881842768,
		0.004852986669306072, -0.0025830290325423205, 0.0012940700205056187, -0.0006048631720031436,
		0.0002730868781407246, -0.00012649419013464726, 5.0516480984461565e-05, -1.2635295810882527e-05,
		5.069598611100321e-06, -4.586436654384096e-06, 1.4883137738024427e-06,
	};
	double p = c[22];
#define STEP(i) p = p * u + c[i];
	STEP(21) STEP(20) STEP(19) STEP(18) STEP(17) STEP(16) STEP(15) STEP(14) STEP(13) STEP(12) STEP(11)
	STEP(10) STEP(9) STEP(8) STEP(7) STEP(6) STEP(5) STEP(4) STEP(3) STEP(2) STEP(1) STEP(0)
#undef STEP
	return clamped * p;
}

static inline double tanh_d(float f)
{
	double x = (double)f;
	double z = fabs(x);
	z = z > 20 ? 20 : z;
	double e = exp_of_d(2 * z);
	double large = (e - 1) / (e + 1);
	double q = z * z;
	double small = z + z * q * (-1 / 3.0 + q * (2 / 15.0 - q * (17 / 315.0 - q * (62 / 2835.0))));
	double v = z < 0.05 ? small : large;
	v = x != x ? x : v;
	return copysign(v, x);
}

#endif
