/* Arithmetic and bit operations of inline PTX. Floats are computed in double and rounded to their type, sums
 * and fused products of f32 in float, so that all round once; rounding modes are those of the host while it
 * computes. Shifts clamp; minima and maxima of floats drop NaN unless .NaN; approximate instructions give the
 * nearest value. */
#include <fenv.h>
#include <math.h>

#include "base/float/fp.h"
#include "interp/kern/math.h"
#include "interp/ptx/ptx.h"

typedef double RealFn(const PtxInstr *i, double x, double y, double z, bool is_double);

/* Lane by lane: fn in double with inputs exact; the rounding mode is that of the host while it runs. */
static bool real_op(PtxRun *r, const PtxInstr *i, unsigned sources, RealFn *fn)
{
	const PtxType *t = ptx_type(i);
	uint64_t result = 0, v[3] = {0};
	for (unsigned k = 0; k < sources; k++)
		v[k] = ptx_source(r, i, k + 1);
	for (unsigned lane = 0; lane < t->lanes; lane++) {
		double in[3];
		for (unsigned k = 0; k < 3; k++) {
			uint64_t bits = ptx_low(v[k] >> (lane * t->bits % 64), t->bits);
			float f = t->bits == 64 ? 0 : ptx_widen(r, t, bits);
			if (ptx_mod(i, "ftz") && fabsf(f) < 0x1p-126f && t->bits == 32)
				f = copysignf(0, f);
			in[k] = t->bits == 64 ? from_bits_d(bits) : (double)f;
		}
		int before = fegetround();
		fesetround(ptx_rounding(i));
		volatile double d = fn(i, in[0], in[1], in[2], t->bits == 64);
		volatile float f = (float)d;
		fesetround(before);
		uint64_t bits;
		if (t->bits == 64)
			bits = bits_d(d);
		else if (t->bits == 32)
			bits = half_bits(ptx_finish_f32(i, f));
		else
			bits = ptx_mod(i, "sat") || ptx_mod(i, "relu") ? ptx_narrow(r, t, ptx_finish_f32(i, (float)d))
				: fp_from_double(t->format == KF_F16 ? FP_F16 : FP_BF16, d, FP_NEAREST_EVEN, false);
		result |= bits << (lane * t->bits % 64);
	}
	ptx_put(r, i, result, ptx_width(t));
	return true;
}

/* Sums and products of floats in double, rounded to the type once more: exact for products; sums of f32 are taken in
 * float so that they round once. */
static double add_real(const PtxInstr *i, double x, double y, double z, bool is_double)
{
	(void)i;
	(void)z;
	volatile float a = (float)x, b = (float)y;
	volatile double c = x, e = y;
	if (is_double || ptx_type(i)->bits < 32)
		return c + e;
	volatile float s = a + b;
	return (double)s;
}

static double sub_real(const PtxInstr *i, double x, double y, double z, bool is_double)
{
	return add_real(i, x, -y, z, is_double);
}

static double mul_real(const PtxInstr *i, double x, double y, double z, bool is_double)
{
	(void)i;
	(void)z;
	(void)is_double;
	volatile double a = x, b = y;
	return a * b;
}

static double fma_real(const PtxInstr *i, double x, double y, double z, bool is_double)
{
	volatile float a = (float)x, b = (float)y, c = (float)z;
	volatile double d = x, e = y, f = z;
	if (is_double || ptx_type(i)->bits < 32)
		return fma(d, e, f);
	volatile float s = fmaf(a, b, c);
	return (double)s;
}

static double div_real(const PtxInstr *i, double x, double y, double z, bool is_double)
{
	(void)i;
	(void)z;
	volatile float a = (float)x, b = (float)y;
	volatile double c = x, e = y;
	if (is_double)
		return c / e;
	volatile float q = a / b;
	return (double)q;
}

#define REAL1(name, expr)                                                                             \
	static double name(const PtxInstr *i, double x, double y, double z, bool is_double)           \
	{                                                                                             \
		(void)i; (void)y; (void)z; (void)is_double;                                           \
		volatile double v = x;                                                                \
		x = v;                                                                                \
		return expr;                                                                          \
	}
REAL1(neg_real, -x)
REAL1(abs_real, fabs(x))
REAL1(ex2_real, exp2(x))
REAL1(lg2_real, log2(x))
REAL1(sin_real, sin(x))
REAL1(cos_real, cos(x))
REAL1(tanh_real, tanh(x))
REAL1(rsqrt_real, 1 / sqrt(x))
static double rcp_real(const PtxInstr *i, double x, double y, double z, bool is_double)
{
	(void)y;
	return div_real(i, 1, x, z, is_double);
}
static double sqrt_real(const PtxInstr *i, double x, double y, double z, bool is_double)
{
	(void)i;
	(void)y;
	(void)z;
	volatile float a = (float)x;
	volatile double b = x;
	if (is_double)
		return sqrt(b);
	volatile float s = sqrtf(a);
	return (double)s;
}
static double min_real(const PtxInstr *i, double x, double y, double z, bool is_double)
{
	(void)z;
	(void)is_double;
	if (x != x || y != y)
		return ptx_mod(i, "NaN") ? NAN : x != x ? y : x;
	return x == y ? (signbit(x) ? x : y) : x < y ? x : y;
}
static double max_real(const PtxInstr *i, double x, double y, double z, bool is_double)
{
	(void)z;
	(void)is_double;
	if (x != x || y != y)
		return ptx_mod(i, "NaN") ? NAN : x != x ? y : x;
	return x == y ? (signbit(x) ? y : x) : x > y ? x : y;
}
static double copysign_real(const PtxInstr *i, double x, double y, double z, bool is_double)
{
	(void)i;
	(void)z;
	(void)is_double;
	return copysign(y, x);
}


/* ---- integers ---- */

#define INT2(name, real, expr)                                                                        \
	bool name(PtxRun *r, const PtxInstr *i)                                                \
	{                                                                                             \
		if (ptx_is_real(i) && (real) != NULL)                                                     \
			return real_op(r, i, 2, real);                                                \
		const PtxType *t = ptx_type(i);                                                        \
		unsigned bits = t->bits;                                                              \
		uint64_t x = ptx_low(ptx_source(r, i, 1), bits), y = ptx_low(ptx_source(r, i, 2), bits);              \
		bool is_signed = t->cls == 's';                                                       \
		int64_t sx = ptx_sign(x, bits), sy = ptx_sign(y, bits);                                       \
		(void)sx; (void)sy; (void)is_signed;                                                  \
		ptx_put(r, i, (uint64_t)(expr), bits);                                                    \
		return true;                                                                          \
	}
static RealFn *const no_real = NULL;
INT2(ptx_do_add, add_real, x + y)
INT2(ptx_do_sub, sub_real, x - y)
INT2(ptx_do_and, no_real, x & y)
INT2(ptx_do_or, no_real, x | y)
INT2(ptx_do_xor, no_real, x ^ y)
INT2(ptx_do_min, min_real, is_signed ? (uint64_t)(sx < sy ? sx : sy) : x < y ? x : y)
INT2(ptx_do_max, max_real, is_signed ? (uint64_t)(sx > sy ? sx : sy) : x > y ? x : y)
INT2(ptx_do_div, div_real, !y ? ~UINT64_C(0) : !is_signed ? x / y : sy == -1 ? 0 - x : (uint64_t)(sx / sy))
INT2(ptx_do_rem, no_real, !y ? ~UINT64_C(0) : !is_signed ? x % y : sy == -1 ? 0 : (uint64_t)(sx % sy))
INT2(ptx_do_copysign, copysign_real, x)

bool ptx_do_shl(PtxRun *r, const PtxInstr *i)
{
	unsigned bits = ptx_type(i)->bits;
	uint64_t by = ptx_low(ptx_source(r, i, 2), 32);
	ptx_put(r, i, by >= bits ? 0 : ptx_source(r, i, 1) << by, bits);
	return true;
}

bool ptx_do_shr(PtxRun *r, const PtxInstr *i)
{
	const PtxType *t = ptx_type(i);
	uint64_t by = ptx_low(ptx_source(r, i, 2), 32), x = ptx_low(ptx_source(r, i, 1), t->bits);
	if (t->cls == 's')
		ptx_put(r, i, (uint64_t)(ptx_sign(x, t->bits) >> MIN(by, t->bits - 1u)), t->bits);
	else
		ptx_put(r, i, by >= t->bits ? 0 : x >> by, t->bits);
	return true;
}

/* shf.l, shf.r: a funnel of two words. */
bool ptx_do_shf(PtxRun *r, const PtxInstr *i)
{
	uint64_t both = ptx_low(ptx_source(r, i, 2), 32) << 32 | ptx_low(ptx_source(r, i, 1), 32),
		 by = ptx_low(ptx_source(r, i, 3), 32);
	by = ptx_mod(i, "wrap") ? by & 31 : MIN(by, 32);
	ptx_put(r, i, ptx_mod(i, "l") ? by == 32 ? both & 0xffffffff : both << by >> 32 : both >> by, 32);
	return true;
}

#define INT1(name, real, expr)                                                                        \
	bool name(PtxRun *r, const PtxInstr *i)                                                \
	{                                                                                             \
		if (ptx_is_real(i) && (real) != NULL)                                                     \
			return real_op(r, i, 1, real);                                                \
		unsigned bits = ptx_type(i)->bits;                                                     \
		uint64_t x = ptx_low(ptx_source(r, i, 1), bits);                                              \
		ptx_put(r, i, (uint64_t)(expr), bits);                                                    \
		return true;                                                                          \
	}
INT1(ptx_do_not, no_real, bits == 1 ? x ^ 1 : ~x)
INT1(ptx_do_cnot, no_real, x == 0)
INT1(ptx_do_neg, neg_real, 0 - x)
INT1(ptx_do_abs, abs_real, ptx_sign(x, bits) < 0 ? 0 - x : x)
INT1(ptx_do_popc, no_real, __builtin_popcountll(x))
INT1(ptx_do_clz, no_real, x ? __builtin_clzll(x) - (64 - (int)bits) : (int)bits)

/* The n-th set bit from a base, upwards, or downwards for a negative n; n = 0 asks for the base. */
bool ptx_do_fns(PtxRun *r, const PtxInstr *i)
{
	uint32_t word = (uint32_t)ptx_source(r, i, 1), found = UINT32_MAX;
	int64_t base = (int32_t)ptx_source(r, i, 2), n = (int32_t)ptx_source(r, i, 3);
	int64_t step = n < 0 ? -1 : 1, left = n ? n * step : 1;
	for (int64_t at = base; at >= 0 && at < 32 && left; at += n ? step : 32)
		if ((word >> at & 1) && --left == 0)
			found = (uint32_t)at;
	ptx_put(r, i, found, 32);
	return true;
}

bool ptx_do_brev(PtxRun *r, const PtxInstr *i)
{
	unsigned bits = ptx_type(i)->bits;
	uint64_t x = ptx_source(r, i, 1), out = 0;
	for (unsigned k = 0; k < bits; k++)
		out |= (x >> k & 1) << (bits - 1 - k);
	ptx_put(r, i, out, bits);
	return true;
}

static bool product(PtxRun *r, const PtxInstr *i, uint64_t addend)
{
	__extension__ typedef __int128 Wide;
	const PtxType *t = ptx_type(i);
	unsigned bits = t->bits;
	uint64_t x = ptx_low(ptx_source(r, i, 1), bits), y = ptx_low(ptx_source(r, i, 2), bits);
	Wide p = t->cls == 's' ? (Wide)ptx_sign(x, bits) * ptx_sign(y, bits) : (Wide)((unsigned __int128)x * y);
	bool wide = ptx_mod(i, "wide");
	if (ptx_mod(i, "hi"))
		p >>= bits;
	ptx_put(r, i, (uint64_t)p + addend, wide ? 2 * bits : bits);
	return true;
}

bool ptx_do_mul(PtxRun *r, const PtxInstr *i)
{
	return ptx_is_real(i) ? real_op(r, i, 2, mul_real) : product(r, i, 0);
}

bool ptx_do_mad(PtxRun *r, const PtxInstr *i)
{
	return ptx_is_real(i) ? real_op(r, i, 3, fma_real) : product(r, i, ptx_source(r, i, 3));
}

bool ptx_do_fma(PtxRun *r, const PtxInstr *i)
{
	return real_op(r, i, 3, fma_real);
}

#define REAL_OP(name, fn) \
	bool name(PtxRun *r, const PtxInstr *i) { return real_op(r, i, 1, fn); }
REAL_OP(ptx_do_ex2, ex2_real)
REAL_OP(ptx_do_lg2, lg2_real)
REAL_OP(ptx_do_sin, sin_real)
REAL_OP(ptx_do_cos, cos_real)
REAL_OP(ptx_do_tanh, tanh_real)
REAL_OP(ptx_do_rsqrt, rsqrt_real)
REAL_OP(ptx_do_sqrt, sqrt_real)
REAL_OP(ptx_do_rcp, rcp_real)

bool ptx_do_lop3(PtxRun *r, const PtxInstr *i)
{
	uint32_t a = (uint32_t)ptx_source(r, i, 1), b = (uint32_t)ptx_source(r, i, 2),
		 c = (uint32_t)ptx_source(r, i, 3);
	uint32_t table = (uint32_t)ptx_source(r, i, 4), out = 0;
	for (unsigned k = 0; k < 8; k++)
		if (table >> k & 1)
			out |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
	ptx_put(r, i, out, 32);
	return true;
}

uint32_t ptx_prmt(uint32_t a, uint32_t b, uint32_t selector)
{
	uint64_t bytes = (uint64_t)b << 32 | a;
	uint32_t out = 0;
	for (unsigned k = 0; k < 4; k++) {
		unsigned pick = selector >> (4 * k) & 15;
		uint32_t byte = (uint32_t)(bytes >> (8 * (pick & 7))) & 255;
		if (pick & 8)
			byte = byte & 128 ? 255 : 0;
		out |= byte << (8 * k);
	}
	return out;
}

bool ptx_do_prmt(PtxRun *r, const PtxInstr *i)
{
	ptx_put(r, i,
		ptx_prmt((uint32_t)ptx_source(r, i, 1), (uint32_t)ptx_source(r, i, 2),
			 (uint32_t)ptx_source(r, i, 3)),
		32);
	return true;
}

bool ptx_do_bfe(PtxRun *r, const PtxInstr *i)
{
	const PtxType *t = ptx_type(i);
	uint64_t x = ptx_low(ptx_source(r, i, 1), t->bits), at = ptx_source(r, i, 2) & 255,
		 len = ptx_source(r, i, 3) & 255;
	if (len == 0) {
		ptx_put(r, i, 0, t->bits);
		return true;
	}
	if (t->cls == 's') {
		uint64_t last = MIN(at + len - 1, t->bits - 1u);
		uint64_t v = at >= t->bits ? 0 : x >> at;
		unsigned kept = (unsigned)(last >= at ? last - at + 1 : 0);
		ptx_put(r, i, kept ? (uint64_t)ptx_sign(v, kept) : (uint64_t)(ptx_sign(x, t->bits) >> 63), t->bits);
	} else {
		ptx_put(r, i, at >= t->bits ? 0 : ptx_low(x >> at, (unsigned)MIN(len, 64)), t->bits);
	}
	return true;
}

bool ptx_do_bfi(PtxRun *r, const PtxInstr *i)
{
	unsigned bits = ptx_type(i)->bits;
	uint64_t a = ptx_source(r, i, 1), b = ptx_low(ptx_source(r, i, 2), bits),
		 at = ptx_source(r, i, 3) & 255, len = ptx_source(r, i, 4) & 255;
	uint64_t mask = at >= bits ? 0 : ptx_low(~UINT64_C(0), (unsigned)MIN(len, 64)) << at;
	if (len == 0)
		mask = 0;
	ptx_put(r, i, (b & ~mask) | ((at >= bits ? 0 : a << at) & mask), bits);
	return true;
}

bool ptx_do_mov(PtxRun *r, const PtxInstr *i)
{
	const PtxType *t = ptx_type(i);
	ptx_put(r, i, ptx_source(r, i, 1), t->cls == 'p' ? 1 : ptx_width(t));
	return true;
}
