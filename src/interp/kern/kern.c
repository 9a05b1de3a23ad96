/* The kernels; see kern.h. Compiled with KERN_NAME (the table to define) once per instruction set. */
#include "interp/kern/kern.h"

#include "ir/enums.h"

#include "base/float/fp_odd.h"
#include "interp/kern/math.h"

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/* The loop carries nothing from one iteration to the next, even where `out` is an operand. */
#if defined(__clang__)
#define EACH _Pragma("clang loop vectorize(assume_safety)") for (size_t i = 0; i < n; i++)
#else
#define EACH _Pragma("GCC ivdep") for (size_t i = 0; i < n; i++)
#endif

static inline uint64_t mulhi_64(uint64_t x, uint64_t y)
{
	__extension__ typedef unsigned __int128 Wide;
	return (uint64_t)((Wide)x * y >> 64);
}

/* ---- binary ---- */

#define BINARY_FORMS(name, suffix, T, R, expr)                                                      \
	static void name##suffix##_vv(void *out, const void *a, const void *b, size_t n)            \
	{                                                                                           \
		R *o = out;                                                                         \
		const T *p = a, *q = b;                                                             \
		EACH { T x = p[i], y = q[i]; o[i] = (R)(expr); }                                    \
	}                                                                                           \
	static void name##suffix##_vs(void *out, const void *a, const void *b, size_t n)            \
	{                                                                                           \
		R *o = out;                                                                         \
		const T *p = a, y = *(const T *)b;                                                  \
		EACH { T x = p[i]; o[i] = (R)(expr); }                                              \
	}                                                                                           \
	static void name##suffix##_sv(void *out, const void *a, const void *b, size_t n)            \
	{                                                                                           \
		R *o = out;                                                                         \
		const T *q = b, x = *(const T *)a;                                                  \
		EACH { T y = q[i]; o[i] = (R)(expr); }                                              \
	}
#define BINARY_SET(name, suffix) {name##suffix##_vv, name##suffix##_vs, name##suffix##_sv}

#define BITS 8
#include "interp/kern/ints.h"
#define BITS 16
#include "interp/kern/ints.h"
#define BITS 32
#include "interp/kern/ints.h"
#define BITS 64
#include "interp/kern/ints.h"

/* Selects on bits, so that no branch is left to stop the vectoriser. Equal operands: zeros of either sign. */
#define EXTREME(name, F, U, bits, from, less, zero)                                                 \
	static inline F name(F x, F y)                                                              \
	{                                                                                           \
		U u = bits(x), v = bits(y), first = (U)0 - (U)(x less y), same = (U)0 - (U)(x == y); \
		return from((first & u) | (~first & ~same & v) | (same & (u zero v)));              \
	}
EXTREME(least_f, float, uint32_t, half_bits, half_float, <, |)
EXTREME(greatest_f, float, uint32_t, half_bits, half_float, >, &)
EXTREME(least_d, double, uint64_t, bits_d, from_bits_d, <, |)
EXTREME(greatest_d, double, uint64_t, bits_d, from_bits_d, >, &)

#define FMOD fmodf
#define LEAST(x, y) least_f(x, y)
#define GREATEST(x, y) greatest_f(x, y)
#define FLOAT_BINARY(name, expr) BINARY_FORMS(name, _f32, float, float, expr)
#include "interp/kern/kern.def"
#define CMPF(name, expr) BINARY_FORMS(name, _f32, float, uint8_t, expr)
#include "interp/kern/cmp.def"
#undef FMOD
#undef LEAST
#undef GREATEST
#define FMOD fmod
#define LEAST(x, y) least_d(x, y)
#define GREATEST(x, y) greatest_d(x, y)
#define FLOAT_BINARY(name, expr) BINARY_FORMS(name, _f64, double, double, expr)
#include "interp/kern/kern.def"
#define CMPF(name, expr) BINARY_FORMS(name, _f64, double, uint8_t, expr)
#include "interp/kern/cmp.def"

/* ---- unary, ternary ---- */

#define FLOAT_UNARY(name, e32, e64)                                                                    \
	static void name##_f32(void *out, const void *a, size_t n)                                     \
	{                                                                                              \
		float *o = out;                                                                        \
		const float *p = a;                                                                    \
		EACH { float x = p[i]; o[i] = e32; }                                                   \
	}                                                                                              \
	static void name##_f64(void *out, const void *a, size_t n)                                     \
	{                                                                                              \
		double *o = out;                                                                       \
		const double *p = a;                                                                   \
		EACH { double x = p[i]; o[i] = e64; }                                                  \
	}
#include "interp/kern/kern.def"

/* Blocks with large arguments go element by element. */
#define TRIG(name, small, large, expr)                                                                 \
	static void name(void *out, const void *a, size_t n)                                           \
	{                                                                                              \
		float *o = out;                                                                        \
		const float *p = a;                                                                    \
		for (size_t at = 0; at < n; at += 128) {                                               \
			size_t len = n - at < 128 ? n - at : 128, big = 0;                             \
			for (size_t i = 0; i < len; i++)                                               \
				big += fabsf(p[at + i]) < TRIG_LARGE ? 0 : 1;                             \
			if (!big) {                                                                    \
				small(o + at, p + at, len);                                            \
				continue;                                                              \
			}                                                                              \
			for (size_t i = at; i < at + len; i++)                                         \
				o[i] = fabsf(p[i]) < TRIG_LARGE ? expr(p[i]) : (float)large((double)p[i]); \
		}                                                                                      \
	}
TRIG(sin_any, SIN_f32, sin, sin_f)
TRIG(cos_any, COS_f32, cos, cos_f)

#define TERNARY(name, T, expr)                                                                         \
	static void name(void *out, const void *a, const void *b, const void *c, size_t n)             \
	{                                                                                              \
		T *o = out;                                                                            \
		const T *p = a, *q = b, *r = c;                                                        \
		EACH { T x = p[i], y = q[i], z = r[i]; o[i] = expr; }                                  \
	}
TERNARY(fma_f32, float, fmaf(x, y, z))
TERNARY(fma_f64, double, fma(x, y, z))
/* Of 16-bit floats, and rounded to them afterwards. */
TERNARY(fma_half, float, fp_odd_float(fp_fma_odd(x, y, z)))
/* clampf: x, least, greatest; a NaN x becomes the least, or stays. */
TERNARY(clamp_f32, float, !(x > y) ? (y < z ? y : z) : x < z ? x : z)
TERNARY(clamp_f64, double, !(x > y) ? (y < z ? y : z) : x < z ? x : z)
TERNARY(clamp_nan_f32, float, x != x ? x : !(x > y) ? (y < z ? y : z) : x < z ? x : z)
TERNARY(clamp_nan_f64, double, x != x ? x : !(x > y) ? (y < z ? y : z) : x < z ? x : z)

#define SELECT(T, suffix)                                                                                    \
	static void select##suffix##_vv(void *out, const void *m, const void *a, const void *b, size_t n)    \
	{                                                                                                    \
		T *o = out;                                                                                  \
		const T *p = a, *q = b;                                                                      \
		const uint8_t *c = m;                                                                        \
		EACH { T x = p[i], y = q[i]; o[i] = c[i] ? x : y; }                                          \
	}                                                                                                    \
	static void select##suffix##_vs(void *out, const void *m, const void *a, const void *b, size_t n)    \
	{                                                                                                    \
		T *o = out;                                                                                  \
		const T *p = a, y = *(const T *)b;                                                           \
		const uint8_t *c = m;                                                                        \
		EACH { T x = p[i]; o[i] = c[i] ? x : y; }                                                    \
	}                                                                                                    \
	static void select##suffix##_sv(void *out, const void *m, const void *a, const void *b, size_t n)    \
	{                                                                                                    \
		T *o = out;                                                                                  \
		const T *q = b, x = *(const T *)a;                                                           \
		const uint8_t *c = m;                                                                        \
		EACH { T y = q[i]; o[i] = c[i] ? x : y; }                                                    \
	}                                                                                                    \
	static void select##suffix##_ss(void *out, const void *m, const void *a, const void *b, size_t n)    \
	{                                                                                                    \
		T *o = out;                                                                                  \
		const T y = *(const T *)b, x = *(const T *)a;                                                \
		const uint8_t *c = m;                                                                        \
		EACH o[i] = c[i] ? x : y;                                                                    \
	}
SELECT(uint8_t, _1)
SELECT(uint16_t, _2)
SELECT(uint32_t, _4)
SELECT(uint64_t, _8)

/* ---- runs ---- */

#define FILL(T)                                    \
	{                                          \
		T *o = out, v = (T)bits;           \
		EACH o[i] = v;                     \
		return;                            \
	}
static void fill(void *out, uint64_t bits, unsigned size, size_t n)
{
	switch (size) {
	case 1:
		memset(out, (int)(uint8_t)bits, n);
		return;
	case 2:
		FILL(uint16_t)
	case 4:
		FILL(uint32_t)
	default:
		FILL(uint64_t)
	}
}

#define IOTA(T)                                              \
	{                                                    \
		T *o = out;                                  \
		EACH o[i] = (T)(base + step * (T)i);         \
		return;                                      \
	}
static void iota(void *out, uint64_t base, uint64_t step, unsigned size, size_t n)
{
	switch (size) {
	case 1:
		IOTA(uint8_t)
	case 2:
		IOTA(uint16_t)
	case 4: {
		uint32_t *o = out, first = (uint32_t)base, by = (uint32_t)step;
		EACH o[i] = first + by * (uint32_t)i;
		return;
	}
	default:
		IOTA(uint64_t)
	}
}

#define COPY_STRIDED(T, to, from)                                                              \
	for (size_t i = 0; i < n; i++) {                                                       \
		T v;                                                                           \
		memcpy(&v, from, sizeof v);                                                    \
		memcpy(to, &v, sizeof v);                                                      \
	}
static void gather(void *out, const void *in, int64_t stride, unsigned size, size_t n)
{
	const char *p = in;
	char *o = out;
	switch (size) {
	case 1:
		COPY_STRIDED(uint8_t, o + i, p + (int64_t)i * stride)
		break;
	case 2:
		COPY_STRIDED(uint16_t, o + 2 * i, p + (int64_t)i * stride)
		break;
	case 4:
		COPY_STRIDED(uint32_t, o + 4 * i, p + (int64_t)i * stride)
		break;
	default:
		COPY_STRIDED(uint64_t, o + 8 * i, p + (int64_t)i * stride)
	}
}

static void scatter(void *out, int64_t stride, const void *in, unsigned size, size_t n)
{
	const char *p = in;
	char *o = out;
	switch (size) {
	case 1:
		COPY_STRIDED(uint8_t, o + (int64_t)i * stride, p + i)
		break;
	case 2:
		COPY_STRIDED(uint16_t, o + (int64_t)i * stride, p + 2 * i)
		break;
	case 4:
		COPY_STRIDED(uint32_t, o + (int64_t)i * stride, p + 4 * i)
		break;
	default:
		COPY_STRIDED(uint64_t, o + (int64_t)i * stride, p + 8 * i)
	}
}

#include "interp/kern/convert.h"
#include "interp/kern/products.h"

/* ---- the table ---- */

const Kernels KERN_NAME = {
	.name = KERN_TEXT,
	.binary = {
#define INT_BINARY(name, expr) \
	[KB_##name] = {BINARY_SET(name, _8), BINARY_SET(name, _16), BINARY_SET(name, _32), BINARY_SET(name, _64)},
#include "interp/kern/kern.def"
#define FLOAT_BINARY(name, expr) \
	[KB_##name] = {[KT_F32] = BINARY_SET(name, _f32), [KT_F64] = BINARY_SET(name, _f64)},
#include "interp/kern/kern.def"
	},
	.unary = {
#define INT_UNARY(name, expr) [KU_##name] = {name##_8, name##_16, name##_32, name##_64},
#include "interp/kern/kern.def"
#define SIN_f32 sin_any
#define COS_f32 cos_any
#define FLOAT_UNARY(name, e32, e64) [KU_##name] = {[KT_F32] = name##_f32, [KT_F64] = name##_f64},
#include "interp/kern/kern.def"
	},
	.ternary = {
		[KX_FMA] = {[KT_F32] = fma_f32, [KT_F64] = fma_f64},
		[KX_FMA_HALF] = {[KT_F32] = fma_half},
		[KX_CLAMP] = {[KT_F32] = clamp_f32, [KT_F64] = clamp_f64},
		[KX_CLAMP_NAN] = {[KT_F32] = clamp_nan_f32, [KT_F64] = clamp_nan_f64},
	},
#define CMPI(name, expr) [name] = {BINARY_SET(name, _8), BINARY_SET(name, _16), BINARY_SET(name, _32), BINARY_SET(name, _64)},
	.cmpi = {
#include "interp/kern/cmp.def"
	},
#define CMPF(name, expr) [name] = {BINARY_SET(name, _f32), BINARY_SET(name, _f64)},
	.cmpf = {
#include "interp/kern/cmp.def"
	},
#define SELECT_SET(s) {{select##s##_vv, select##s##_vs}, {select##s##_sv, select##s##_ss}}
	.select = {SELECT_SET(_1), SELECT_SET(_2), SELECT_SET(_4), SELECT_SET(_8)},
#define WIDEN_ROW(b) {{zext_##b##_8, sext_##b##_8}, {zext_##b##_16, sext_##b##_16}, \
		      {zext_##b##_32, sext_##b##_32}, {zext_##b##_64, sext_##b##_64}}
	.widen = {WIDEN_ROW(8), WIDEN_ROW(16), WIDEN_ROW(32), WIDEN_ROW(64)},
#define INT_ROW(b) {{u##b##_f32, s##b##_f32}, {u##b##_f64, s##b##_f64}}
	.int_to_fp = {INT_ROW(8), INT_ROW(16), INT_ROW(32), INT_ROW(64)},
#define FP_ROW(f) {{f##_u8, f##_s8}, {f##_u16, f##_s16}, {f##_u32, f##_s32}, {f##_u64, f##_s64}}
	.fp_to_int = {FP_ROW(f32), FP_ROW(f64)},
	.to_f32 = {f16_to_f32, bf16_to_f32, e4m3fn_to_f32, e5m2_to_f32, e4m3b11_to_f32, e4m3fnuz_to_f32,
		   e5m2fnuz_to_f32},
	.from_f32 = {f32_to_f16, f32_to_bf16, f32_to_e4m3fn, f32_to_e5m2, f32_to_e4m3b11, f32_to_e4m3fnuz,
		     f32_to_e5m2fnuz},
	.f32_to_f64 = f32_to_f64,
	.f64_to_f32 = f64_to_f32,
	.fill = fill,
	.iota = iota,
	.gather = gather,
	.scatter = scatter,
	.gemm_f32 = GEMM_SET(gemm_f32),
	.gemm_f64 = GEMM_SET(gemm_f64),
	.gemm_i32 = GEMM_SET(gemm_i32),
};
