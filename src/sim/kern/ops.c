/* Arithmetic on all lanes: loops that compilers vectorise. Division by zero and shifts past the width have a value here, as
 * lanes that are not meant compute too. NaN results are the GPU's. */
#include "sim/kern/kern.h"

#include "base/float/fp_odd.h"
#include "sim/half.h"
#include "sim/to_integer.h"

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

/* ---- integers ---- */

static inline uint64_t ops_saturate(Wide v, unsigned bits)
{
	Wide high = ((Wide)1 << (bits - 1)) - 1, low = -high - 1;
	return (uint64_t)(v > high ? high : v < low ? low : v);
}

static inline bool ops_overflows(Wide v, unsigned bits)
{
	Wide high = ((Wide)1 << (bits - 1)) - 1;
	return v > high || v < -high - 1;
}

/* Has x another value when it is cut to so many of its bits, with the sign? */
static inline bool ops_cut_differs(uint64_t x, uint64_t to, unsigned bits)
{
	return (int64_t)(x << (64 - to)) >> (64 - to) != (int64_t)(x << (64 - bits)) >> (64 - bits);
}

#define INT_FN(name, suffix, U, S, bits, R, expression)                                           \
	static void name##_##suffix(void *d, const void *a, const void *b, const void *c, uint64_t imm) \
	{                                                                                         \
		typedef U T;                                                                      \
		typedef S SignedT;                                                                \
		enum { BITS = bits };                                                             \
		(void)imm;                                                                        \
		R *to = d;                                                                        \
		const T *from = a, *second = b, *third = c;                                       \
		for (unsigned lane = 0; lane < SIM_LANES; lane++) {                               \
			T x = from[lane], y = second[lane], z = third[lane];                      \
			SignedT sx = (SignedT)x, sy = (SignedT)y;                                 \
			(void)z; (void)y; (void)sx; (void)sy;                                     \
			to[lane] = (R)(expression);                                               \
		}                                                                                 \
	}
#define INT_ALL(name, expression)                                                                 \
	INT_FN(name, 8, uint8_t, int8_t, 8, uint8_t, expression)                                  \
	INT_FN(name, 16, uint16_t, int16_t, 16, uint16_t, expression)                             \
	INT_FN(name, 32, uint32_t, int32_t, 32, uint32_t, expression)                             \
	INT_FN(name, 64, uint64_t, int64_t, 64, uint64_t, expression)
#define CMP_ALL(name, expression)                                                                 \
	INT_FN(name, 8, uint8_t, int8_t, 8, uint8_t, expression)                                  \
	INT_FN(name, 16, uint16_t, int16_t, 16, uint8_t, expression)                              \
	INT_FN(name, 32, uint32_t, int32_t, 32, uint8_t, expression)                              \
	INT_FN(name, 64, uint64_t, int64_t, 64, uint8_t, expression)
#define INT_ROW(name) {name##_8, name##_16, name##_32, name##_64}

#define INT_OP(name, expression) INT_ALL(int_##name, expression)
SIM_INT_OPS
#undef INT_OP
#define INT_OP(name, expression) [OPS_##name] = INT_ROW(int_##name),
static SimPure *const ops_int[OPS_INT__COUNT][4] = {SIM_INT_OPS};
#undef INT_OP

#define INT_CMP(name, expression) CMP_ALL(icmp_##name, expression)
SIM_INT_COMPARES
#undef INT_CMP
#define INT_CMP(name, expression) [OPS_CMP_##name] = INT_ROW(icmp_##name),
static SimPure *const ops_icmp[OPS_CMP__COUNT][4] = {SIM_INT_COMPARES};
#undef INT_CMP

INT_ALL(copy, x)
static SimPure *const ops_copy[4] = INT_ROW(copy);
INT_ALL(add_imm, x + (T)imm)
static SimPure *const ops_add_imm[4] = INT_ROW(add_imm);
INT_ALL(cut, imm >= BITS ? x : (T)(x & (T)(((T)1 << (imm & (BITS - 1))) - 1)))
static SimPure *const ops_cut[4] = INT_ROW(cut);
INT_ALL(fill, imm >= BITS ? x : (T)(((int64_t)((uint64_t)x << (64 - imm))) >> (64 - imm)))
static SimPure *const ops_fill[4] = INT_ROW(fill);

#define SELECT(bits, T)                                                                           \
	static void select_##bits(void *d, const void *a, const void *b, const void *c, uint64_t imm) \
	{                                                                                         \
		(void)imm;                                                                        \
		T *to = d;                                                                        \
		const uint8_t *condition = a;                                                     \
		const T *x = b, *y = c;                                                           \
		for (unsigned lane = 0; lane < SIM_LANES; lane++)                                 \
			to[lane] = condition[lane] ? x[lane] : y[lane];                           \
	}
SELECT(8, uint8_t)
SELECT(16, uint16_t)
SELECT(32, uint32_t)
SELECT(64, uint64_t)
static SimPure *const ops_select[4] = INT_ROW(select);

/* ---- widths ---- */

#define CAST(name, F, T)                                                                          \
	static void name(void *d, const void *a, const void *b, const void *c, uint64_t imm)      \
	{                                                                                         \
		(void)b; (void)c; (void)imm;                                                      \
		T *to = d;                                                                        \
		const F *from = a;                                                                \
		for (unsigned lane = 0; lane < SIM_LANES; lane++)                                 \
			to[lane] = (T)from[lane];                                                 \
	}
#define CASTS(name, f, F)                                                                         \
	CAST(name##_##f##_8, F, uint8_t)                                                          \
	CAST(name##_##f##_16, F, uint16_t)                                                        \
	CAST(name##_##f##_32, F, uint32_t)                                                        \
	CAST(name##_##f##_64, F, uint64_t)
CASTS(zext, 8, uint8_t)
CASTS(zext, 16, uint16_t)
CASTS(zext, 32, uint32_t)
CASTS(zext, 64, uint64_t)
CASTS(sext, 8, int8_t)
CASTS(sext, 16, int16_t)
CASTS(sext, 32, int32_t)
CASTS(sext, 64, int64_t)
static SimPure *const ops_zext[4][4] = {INT_ROW(zext_8), INT_ROW(zext_16), INT_ROW(zext_32), INT_ROW(zext_64)};
static SimPure *const ops_sext[4][4] = {INT_ROW(sext_8), INT_ROW(sext_16), INT_ROW(sext_32), INT_ROW(sext_64)};

#define ADDRESS(name, P, I)                                                                       \
	static void name(void *d, const void *a, const void *b, const void *c, uint64_t imm)      \
	{                                                                                         \
		(void)c;                                                                          \
		P *to = d, scale = (P)imm;                                                        \
		const P *base = a;                                                                \
		const I *index = b;                                                               \
		for (unsigned lane = 0; lane < SIM_LANES; lane++)                                 \
			to[lane] = base[lane] + (P)(int64_t)index[lane] * scale;                  \
	}
ADDRESS(address64_8, uint64_t, int8_t)
ADDRESS(address64_16, uint64_t, int16_t)
ADDRESS(address64_32, uint64_t, int32_t)
ADDRESS(address64_64, uint64_t, int64_t)
ADDRESS(address32_8, uint32_t, int8_t)
ADDRESS(address32_16, uint32_t, int16_t)
ADDRESS(address32_32, uint32_t, int32_t)
ADDRESS(address32_64, uint32_t, int64_t)
static SimPure *const ops_address64[4] = INT_ROW(address64);
static SimPure *const ops_address32[4] = INT_ROW(address32);

/* ---- floats ---- */

/* M: in memory; C: what it is computed in. */
#define GET_F16(x) half_from_f16(x)
#define PUT_F16(x) half_to_f16(x)
#define GET_BF16(x) half_from_bf16(x)
#define PUT_BF16(x) half_to_bf16(x)
#define GET_F32(x) (x)
#define PUT_F32(x) ((x) == (x) ? (x) : half_float(0x7fffffff))
#define GET_F64(x) (x)
#define PUT_F64(x) ((x) == (x) ? (x) : (double)NAN)

#define FLOAT_FN(name, KIND, M, CT, R, PUT, expression)                                           \
	static void name##_##KIND(void *d, const void *a, const void *b, const void *c, uint64_t imm) \
	{                                                                                         \
		typedef CT C;                                                                     \
		(void)imm;                                                                        \
		R *to = d;                                                                        \
		const M *from = a, *second = b, *third = c;                                       \
		for (unsigned lane = 0; lane < SIM_LANES; lane++) {                               \
			C x = GET_##KIND(from[lane]), y = GET_##KIND(second[lane]), z = GET_##KIND(third[lane]); \
			(void)y; (void)z;                                                         \
			R r = (R)PUT((expression));                                               \
			to[lane] = r;                                                             \
		}                                                                                 \
	}
#define AS_IT_IS(x) (x)
#define FLOAT_ALL(name, expression)                                                               \
	FLOAT_FN(name, F16, uint16_t, float, uint16_t, PUT_F16, expression)                       \
	FLOAT_FN(name, BF16, uint16_t, float, uint16_t, PUT_BF16, expression)                     \
	FLOAT_FN(name, F32, float, float, float, put_f32, expression)                             \
	FLOAT_FN(name, F64, double, double, double, put_f64, expression)
#define FLOAT_TESTS(name, expression)                                                             \
	FLOAT_FN(name, F16, uint16_t, float, uint8_t, AS_IT_IS, expression)                       \
	FLOAT_FN(name, BF16, uint16_t, float, uint8_t, AS_IT_IS, expression)                      \
	FLOAT_FN(name, F32, float, float, uint8_t, AS_IT_IS, expression)                          \
	FLOAT_FN(name, F64, double, double, uint8_t, AS_IT_IS, expression)
#define FLOAT_ROW(name) {name##_F16, name##_BF16, name##_F32, name##_F64}

static inline float put_f32(float x)
{
	return PUT_F32(x);
}

static inline double put_f64(double x)
{
	return PUT_F64(x);
}

#define FLOAT_OP(name, expression) FLOAT_ALL(float_##name, expression)
SIM_FLOAT_OPS
#undef FLOAT_OP
#define FLOAT_OP(name, expression) [OPS_##name] = FLOAT_ROW(float_##name),
static SimPure *const ops_float[OPS_FLOAT__COUNT][FLOAT__COUNT] = {SIM_FLOAT_OPS};
#undef FLOAT_OP

#define FLOAT_CMP(name, expression) FLOAT_TESTS(fcmp_##name, expression)
SIM_FLOAT_COMPARES
#undef FLOAT_CMP
#define FLOAT_CMP(name, expression) [OPS_FCMP_##name] = FLOAT_ROW(fcmp_##name),
static SimPure *const ops_fcmp[OPS_FCMP__COUNT][FLOAT__COUNT] = {SIM_FLOAT_COMPARES};
#undef FLOAT_CMP

FLOAT_FN(fma, F16, uint16_t, double, uint16_t, half_to_f16_d, fp_fma_odd(x, y, z))
FLOAT_FN(fma, BF16, uint16_t, double, uint16_t, half_to_bf16_d, fp_fma_odd(x, y, z))
FLOAT_FN(fma, F32, float, float, float, put_f32, fmaf(x, y, z))
FLOAT_FN(fma, F64, double, double, double, put_f64, fma(x, y, z))
static SimPure *const ops_fma[FLOAT__COUNT] = FLOAT_ROW(fma);

#define SIGNS(name, expression)                                                                   \
	INT_FN(name, F16, uint16_t, int16_t, 16, uint16_t, expression)                            \
	INT_FN(name, F32, uint32_t, int32_t, 32, uint32_t, expression)                            \
	INT_FN(name, F64, uint64_t, int64_t, 64, uint64_t, expression)                            \
	static SimPure *const ops_##name[FLOAT__COUNT] = {name##_F16, name##_F16, name##_F32, name##_F64};
#define SIGN ((T)1 << (BITS - 1))
SIGNS(fabs, x & (T)~SIGN)
SIGNS(fneg, x ^ SIGN)
SIGNS(copysign, (x & (T)~SIGN) | (y & SIGN))

/* Bits of LLVM's FPClassTest: signalling and quiet NaN, -inf, -normal, -denormal, -0, 0, denormal, normal, inf. */
static inline bool in_class(uint64_t bits, unsigned width, unsigned mantissa, uint64_t mask)
{
	uint64_t fraction = bits & ((UINT64_C(1) << mantissa) - 1);
	uint64_t all = (UINT64_C(1) << (width - 1 - mantissa)) - 1, exponent = bits >> mantissa & all;
	bool negative = bits >> (width - 1) & 1;
	unsigned class;
	if (exponent == all)
		class = !fraction ? (negative ? 2U : 9U) : fraction >> (mantissa - 1) & 1 ? 1U : 0U;
	else if (exponent)
		class = negative ? 3U : 8U;
	else
		class = fraction ? (negative ? 4U : 7U) : negative ? 5U : 6U;
	return mask >> class & 1;
}
INT_FN(class_f16, n, uint16_t, int16_t, 16, uint8_t, in_class(x, 16, 10, imm))
INT_FN(class_bf16, n, uint16_t, int16_t, 16, uint8_t, in_class(x, 16, 7, imm))
INT_FN(class_f32, n, uint32_t, int32_t, 32, uint8_t, in_class(x, 32, 23, imm))
INT_FN(class_f64, n, uint64_t, int64_t, 64, uint8_t, in_class(x, 64, 52, imm))
static SimPure *const ops_class[FLOAT__COUNT] = {class_f16_n, class_bf16_n, class_f32_n, class_f64_n};

/* ---- between floats, and integers ---- */

#define FLOAT_CASTS(KIND, M, f16, bf16)                                                           \
	OPS_LANEWISE(fcast_##KIND##_F16, uint16_t, M, f16(GET_##KIND(x)))                              \
	OPS_LANEWISE(fcast_##KIND##_BF16, uint16_t, M, bf16(GET_##KIND(x)))                            \
	OPS_LANEWISE(fcast_##KIND##_F32, float, M, put_f32((float)GET_##KIND(x)))                      \
	OPS_LANEWISE(fcast_##KIND##_F64, double, M, put_f64((double)GET_##KIND(x)))
FLOAT_CASTS(F16, uint16_t, half_to_f16, half_to_bf16)
FLOAT_CASTS(BF16, uint16_t, half_to_f16, half_to_bf16)
FLOAT_CASTS(F32, float, half_to_f16, half_to_bf16)
FLOAT_CASTS(F64, double, half_to_f16_d, half_to_bf16_d)
static SimPure *const ops_fcast[FLOAT__COUNT][FLOAT__COUNT] = {
	FLOAT_ROW(fcast_F16), FLOAT_ROW(fcast_BF16), FLOAT_ROW(fcast_F32), FLOAT_ROW(fcast_F64)};

/* To 16 bits by way of f32: integers of more than 24 bits are rounded to odd there, so that they round once. */
static inline float to_odd(uint64_t size)
{
	unsigned bits = size ? 64u - (unsigned)__builtin_clzll(size) : 0;
	if (bits <= 24)
		return (float)size;
	unsigned drop = bits - 24;
	return (float)((size >> drop | ((size & ((UINT64_C(1) << drop) - 1)) != 0)) << drop);
}

static inline float odd_signed(int64_t x)
{
	return x < 0 ? -to_odd(0 - (uint64_t)x) : to_odd((uint64_t)x);
}
#define FROM_INTEGER(name, bits, I, odd)                                                          \
	OPS_LANEWISE(name##_##bits##_F16, uint16_t, I, half_to_f16(odd(x)))                            \
	OPS_LANEWISE(name##_##bits##_BF16, uint16_t, I, half_to_bf16(odd(x)))                          \
	OPS_LANEWISE(name##_##bits##_F32, float, I, (float)x)                                          \
	OPS_LANEWISE(name##_##bits##_F64, double, I, (double)x)
FROM_INTEGER(sitofp, 8, int8_t, odd_signed)
FROM_INTEGER(sitofp, 16, int16_t, odd_signed)
FROM_INTEGER(sitofp, 32, int32_t, odd_signed)
FROM_INTEGER(sitofp, 64, int64_t, odd_signed)
FROM_INTEGER(uitofp, 8, uint8_t, to_odd)
FROM_INTEGER(uitofp, 16, uint16_t, to_odd)
FROM_INTEGER(uitofp, 32, uint32_t, to_odd)
FROM_INTEGER(uitofp, 64, uint64_t, to_odd)
static SimPure *const ops_sitofp[4][FLOAT__COUNT] = {FLOAT_ROW(sitofp_8), FLOAT_ROW(sitofp_16), FLOAT_ROW(sitofp_32),
					       FLOAT_ROW(sitofp_64)};
static SimPure *const ops_uitofp[4][FLOAT__COUNT] = {FLOAT_ROW(uitofp_8), FLOAT_ROW(uitofp_16), FLOAT_ROW(uitofp_32),
					       FLOAT_ROW(uitofp_64)};

#define TO_INTEGER(name, fn, KIND, M, wide)                                                       \
	OPS_LANEWISE(name##_##KIND##_8, uint8_t, M, fn((double)GET_##KIND(x), 16, wide))               \
	OPS_LANEWISE(name##_##KIND##_16, uint16_t, M, fn((double)GET_##KIND(x), 16, wide))             \
	OPS_LANEWISE(name##_##KIND##_32, uint32_t, M, fn((double)GET_##KIND(x), 32, wide))             \
	OPS_LANEWISE(name##_##KIND##_64, uint64_t, M, fn((double)GET_##KIND(x), 64, wide))
TO_INTEGER(fptosi, to_integer_signed, F16, uint16_t, false)
TO_INTEGER(fptosi, to_integer_signed, BF16, uint16_t, false)
TO_INTEGER(fptosi, to_integer_signed, F32, float, false)
TO_INTEGER(fptosi, to_integer_signed, F64, double, true)
TO_INTEGER(fptoui, to_integer_unsigned, F16, uint16_t, false)
TO_INTEGER(fptoui, to_integer_unsigned, BF16, uint16_t, false)
TO_INTEGER(fptoui, to_integer_unsigned, F32, float, false)
TO_INTEGER(fptoui, to_integer_unsigned, F64, double, true)
static SimPure *const ops_fptosi[FLOAT__COUNT][4] = {INT_ROW(fptosi_F16), INT_ROW(fptosi_BF16), INT_ROW(fptosi_F32),
					      INT_ROW(fptosi_F64)};
static SimPure *const ops_fptoui[FLOAT__COUNT][4] = {INT_ROW(fptoui_F16), INT_ROW(fptoui_BF16), INT_ROW(fptoui_F32),
					      INT_ROW(fptoui_F64)};

const SimOps SIM_NAME(sim_ops) = {
	.name = SIM_TEXT(SIM_SET),
	.ints = ops_int,
	.icmp = ops_icmp,
	.floats = ops_float,
	.fcmp = ops_fcmp,
	.fma = ops_fma,
	.fabs = ops_fabs,
	.fneg = ops_fneg,
	.copysign = ops_copysign,
	.class = ops_class,
	.fcast = ops_fcast,
	.sitofp = ops_sitofp,
	.uitofp = ops_uitofp,
	.fptosi = ops_fptosi,
	.fptoui = ops_fptoui,
	.copy = ops_copy,
	.select = ops_select,
	.zext = ops_zext,
	.sext = ops_sext,
	.cut = ops_cut,
	.fill = ops_fill,
	.address64 = ops_address64,
	.address32 = ops_address32,
	.add_imm = ops_add_imm,
	.product = SIM_NAME(sim_product),
};
