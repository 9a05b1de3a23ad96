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

#define MULHI_SMALL(x, y) (U)(((uint64_t)(x) * (y)) >> BITS)
#define MULHI_64(x, y) mulhi_64(x, y)

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

#define U uint8_t
#define S int8_t
#define W uint32_t
#define BITS 8
#define ONES UINT8_MAX
#define MULHI MULHI_SMALL
#define INT_BINARY(name, expr) BINARY_FORMS(name, _8, U, U, expr)
#include "interp/kern/kern.def"
#define CMPI(name, expr) BINARY_FORMS(name, _8, U, uint8_t, expr)
#include "interp/kern/cmp.def"
#define INT_UNARY(name, expr) \
	static void name##_8(void *out, const void *a, size_t n) { U *o = out; const U *p = a; EACH { U x = p[i]; o[i] = expr; } }
#include "interp/kern/kern.def"
#undef U
#undef S
#undef W
#undef BITS
#undef ONES

#define U uint16_t
#define S int16_t
#define W uint32_t
#define BITS 16
#define ONES UINT16_MAX
#define INT_BINARY(name, expr) BINARY_FORMS(name, _16, U, U, expr)
#include "interp/kern/kern.def"
#define CMPI(name, expr) BINARY_FORMS(name, _16, U, uint8_t, expr)
#include "interp/kern/cmp.def"
#define INT_UNARY(name, expr) \
	static void name##_16(void *out, const void *a, size_t n) { U *o = out; const U *p = a; EACH { U x = p[i]; o[i] = expr; } }
#include "interp/kern/kern.def"
#undef U
#undef S
#undef W
#undef BITS
#undef ONES

#define U uint32_t
#define S int32_t
#define W uint32_t
#define BITS 32
#define ONES UINT32_MAX
#define INT_BINARY(name, expr) BINARY_FORMS(name, _32, U, U, expr)
#include "interp/kern/kern.def"
#define CMPI(name, expr) BINARY_FORMS(name, _32, U, uint8_t, expr)
#include "interp/kern/cmp.def"
#define INT_UNARY(name, expr) \
	static void name##_32(void *out, const void *a, size_t n) { U *o = out; const U *p = a; EACH { U x = p[i]; o[i] = expr; } }
#include "interp/kern/kern.def"
#undef U
#undef S
#undef W
#undef BITS
#undef ONES
#undef MULHI

#define U uint64_t
#define S int64_t
#define W uint64_t
#define BITS 64
#define ONES UINT64_MAX
#define MULHI MULHI_64
#define INT_BINARY(name, expr) BINARY_FORMS(name, _64, U, U, expr)
#include "interp/kern/kern.def"
#define CMPI(name, expr) BINARY_FORMS(name, _64, U, uint8_t, expr)
#include "interp/kern/cmp.def"
#define INT_UNARY(name, expr) \
	static void name##_64(void *out, const void *a, size_t n) { U *o = out; const U *p = a; EACH { U x = p[i]; o[i] = expr; } }
#include "interp/kern/kern.def"
#undef U
#undef S
#undef W
#undef BITS
#undef ONES
#undef MULHI

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

/* ---- conversions ---- */

#define CONVERT(name, T, R, expr)                                                                      \
	static void name(void *out, const void *a, size_t n)                                           \
	{                                                                                              \
		R *o = out;                                                                            \
		const T *p = a;                                                                        \
		EACH { T x = p[i]; o[i] = (R)(expr); }                                                 \
	}
#define WIDEN_FROM(b)                                                              \
	CONVERT(zext_##b##_8, uint##b##_t, uint8_t, x)                             \
	CONVERT(zext_##b##_16, uint##b##_t, uint16_t, x)                           \
	CONVERT(zext_##b##_32, uint##b##_t, uint32_t, x)                           \
	CONVERT(zext_##b##_64, uint##b##_t, uint64_t, x)                           \
	CONVERT(sext_##b##_8, int##b##_t, int8_t, x)                               \
	CONVERT(sext_##b##_16, int##b##_t, int16_t, x)                             \
	CONVERT(sext_##b##_32, int##b##_t, int32_t, x)                             \
	CONVERT(sext_##b##_64, int##b##_t, int64_t, x)                             \
	CONVERT(u##b##_f32, uint##b##_t, float, x)                                 \
	CONVERT(s##b##_f32, int##b##_t, float, x)                                  \
	CONVERT(u##b##_f64, uint##b##_t, double, x)                                \
	CONVERT(s##b##_f64, int##b##_t, double, x)
WIDEN_FROM(8)
WIDEN_FROM(16)
WIDEN_FROM(32)
WIDEN_FROM(64)

/* Saturating. NaN is 0, but the highest bit alone in 64-bit results, and in 32-bit results from f64 (as cvt.rzi). 8 bits
 * go through 16, as cvt.rzi has no narrower form. */
#define TO_INT(F, f, T, R, name, low, high, least, most)                                                            \
	CONVERT(f##_##name, F, R,                                                                                   \
		x != x ? (T)(sizeof(T) == 8 || (sizeof(F) == 8 && sizeof(T) == 4) ? INT64_MIN >> (64 - 8 * sizeof(T)) : 0) \
		       : x <= (F)low ? (T)least : x >= (F)high ? (T)most : (T)x)
#define TO_INTS(F, f)                                                                                     \
	TO_INT(F, f, int16_t, int8_t, s8, -32768.0, 32767.0, INT16_MIN, INT16_MAX)                        \
	TO_INT(F, f, uint16_t, uint8_t, u8, 0, 65535.0, 0, UINT16_MAX)                                    \
	TO_INT(F, f, int16_t, int16_t, s16, -32768.0, 32767.0, INT16_MIN, INT16_MAX)                      \
	TO_INT(F, f, uint16_t, uint16_t, u16, 0, 65535.0, 0, UINT16_MAX)                                  \
	TO_INT(F, f, int32_t, int32_t, s32, -0x1p31, 0x1p31, INT32_MIN, INT32_MAX)                        \
	TO_INT(F, f, uint32_t, uint32_t, u32, 0, 0x1p32, 0, UINT32_MAX)                                   \
	TO_INT(F, f, int64_t, int64_t, s64, -0x1p63, 0x1p63, INT64_MIN, INT64_MAX)                        \
	TO_INT(F, f, uint64_t, uint64_t, u64, 0, 0x1p64, 0, UINT64_MAX)
TO_INTS(float, f32)
TO_INTS(double, f64)
CONVERT(f32_to_f64, float, double, x)
CONVERT(f64_to_f32, double, float, x)

/* An encoding with `m` mantissa bits and bias `b`, by shifting into f32's fields and one exact multiplication. */
#define WIDE(x, bits, m, b) \
	half_float(half_bits(half_float((uint32_t)((x) & ((1u << ((bits)-1)) - 1)) << (23 - (m))) * \
		half_float((uint32_t)(254 - (b)) << 23)) | (uint32_t)((x) >> ((bits)-1)) << 31)
CONVERT(bf16_to_f32, uint16_t, float, half_from_bf16(x))
CONVERT(e4m3fn_to_f32, uint8_t, float, (x & 0x7f) == 0x7f ? NAN : WIDE(x, 8, 3, 7))
CONVERT(e5m2_to_f32, uint8_t, float,
	(x & 0x7f) > 0x7c ? NAN : (x & 0x7f) == 0x7c ? (x & 0x80 ? -INFINITY : INFINITY) : WIDE(x, 8, 2, 15))
CONVERT(e4m3b11_to_f32, uint8_t, float, x == 0x80 ? NAN : WIDE(x, 8, 3, 11))
CONVERT(e4m3fnuz_to_f32, uint8_t, float, x == 0x80 ? NAN : WIDE(x, 8, 3, 8))
CONVERT(e5m2fnuz_to_f32, uint8_t, float, x == 0x80 ? NAN : WIDE(x, 8, 2, 16))

/* The nearest value of a format with `m` mantissa bits and bias `b`, ties to even, without sign; `u` are the bits of a
 * finite f32 that is not negative. Large values run past the format's largest. */
static inline uint32_t narrow(uint32_t u, uint32_t m, uint32_t b)
{
	uint32_t shift = 23 - m;
	uint32_t normal = ((u + (((uint32_t)1 << (shift - 1)) - 1) + (u >> shift & 1)) >> shift) - ((127 - b) << m);
	/* Below the least normal value: add a number whose last place is the format's. */
	float magic = half_float((127 + 1 - b - m + 23) << 23);
	uint32_t small = half_bits(half_float(u) + magic) - half_bits(magic);
	return u < (128 - b) << 23 ? small : normal;
}

/* fp8: saturating, as cvt.rn.satfinite. */
static inline uint8_t narrow_fp8(float x, uint32_t m, uint32_t b, uint32_t most, uint32_t nan, bool fnuz)
{
	uint32_t u = half_bits(x), rest = u & 0x7fffffff, sign = u >> 24 & 0x80;
	uint32_t r = narrow(rest, m, b);
	r = rest >= 0x47800000 || r > most ? most : r; /* 2^16: beyond all of them */
	uint32_t v = fnuz && !r ? 0 : r | sign;
	return (uint8_t)(rest > 0x7f800000 ? nan : v);
}
CONVERT(f32_to_bf16, float, uint16_t, half_to_bf16(x))
CONVERT(f32_to_e4m3fn, float, uint8_t, narrow_fp8(x, 3, 7, 0x7e, 0x7f, false))
CONVERT(f32_to_e5m2, float, uint8_t, narrow_fp8(x, 2, 15, 0x7b, 0x7f, false))
CONVERT(f32_to_e4m3b11, float, uint8_t, narrow_fp8(x, 3, 11, 0x7f, 0x80, true))
CONVERT(f32_to_e4m3fnuz, float, uint8_t, narrow_fp8(x, 3, 8, 0x7f, 0x80, true))
CONVERT(f32_to_e5m2fnuz, float, uint8_t, narrow_fp8(x, 2, 16, 0x7f, 0x80, true))

static void f16_to_f32(void *out, const void *a, size_t n)
{
	float *o = out;
	const uint16_t *p = a;
	size_t at = 0;
#if defined(__AVX512F__)
	for (; at + 16 <= n; at += 16)
		_mm512_storeu_ps(o + at, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)(p + at))));
#elif defined(__F16C__)
	for (; at + 8 <= n; at += 8)
		_mm256_storeu_ps(o + at, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(p + at))));
#endif
	for (size_t i = at; i < n; i++)
		o[i] = half_from_f16(p[i]);
}

static void f32_to_f16(void *out, const void *a, size_t n)
{
	uint16_t *o = out;
	const float *p = a;
	size_t at = 0;
#if defined(__AVX512F__)
	for (; at + 16 <= n; at += 16) {
		__m512 v = _mm512_loadu_ps(p + at);
		__m256i h = _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
		__mmask16 nan = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q);
		if (nan)
			h = _mm256_mask_mov_epi16(h, nan, _mm256_set1_epi16(0x7fff));
		_mm256_storeu_si256((__m256i *)(void *)(o + at), h);
	}
#elif defined(__F16C__)
	for (; at + 8 <= n; at += 8) {
		__m256 v = _mm256_loadu_ps(p + at);
		if (_mm256_movemask_ps(_mm256_cmp_ps(v, v, _CMP_UNORD_Q)))
			break;
		_mm_storeu_si128((__m128i *)(void *)(o + at), _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
	}
#endif
	for (size_t i = at; i < n; i++)
		o[i] = half_to_f16(p[i]);
}

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

/* ---- matrix products ---- */

#define GEMM_T float
#define GEMM_NAME gemm_f32
#if defined(__AVX512F__)
#define V __m512
#define VLEN 16
#define VLOAD(p) _mm512_loadu_ps(p)
#define VSTORE(p, v) _mm512_storeu_ps(p, v)
#define VSET(x) _mm512_set1_ps(x)
#define VFMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define GEMM_MR 4
#define GEMM_NV 4
#elif defined(__AVX2__)
#define V __m256
#define VLEN 8
#define VLOAD(p) _mm256_loadu_ps(p)
#define VSTORE(p, v) _mm256_storeu_ps(p, v)
#define VSET(x) _mm256_set1_ps(x)
#define VFMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define GEMM_MR 4
#define GEMM_NV 2
#elif defined(__aarch64__)
#define V float32x4_t
#define VLEN 4
#define VLOAD(p) vld1q_f32(p)
#define VSTORE(p, v) vst1q_f32(p, v)
#define VSET(x) vdupq_n_f32(x)
#define VFMA(a, b, c) vfmaq_f32(c, a, b)
#define GEMM_MR 4
#define GEMM_NV 4
#else
#define V float
#define VLEN 1
#define VLOAD(p) (*(p))
#define VSTORE(p, v) (*(p) = (v))
#define VSET(x) (x)
#define VFMA(a, b, c) fmaf(a, b, c)
#define GEMM_MR 2
#define GEMM_NV 4
#endif
#include "interp/kern/gemm.h"

#define GEMM_T double
#define GEMM_NAME gemm_f64
#if defined(__AVX512F__)
#define V __m512d
#define VLEN 8
#define VLOAD(p) _mm512_loadu_pd(p)
#define VSTORE(p, v) _mm512_storeu_pd(p, v)
#define VSET(x) _mm512_set1_pd(x)
#define VFMA(a, b, c) _mm512_fmadd_pd(a, b, c)
#define GEMM_MR 4
#define GEMM_NV 4
#elif defined(__AVX2__)
#define V __m256d
#define VLEN 4
#define VLOAD(p) _mm256_loadu_pd(p)
#define VSTORE(p, v) _mm256_storeu_pd(p, v)
#define VSET(x) _mm256_set1_pd(x)
#define VFMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define GEMM_MR 4
#define GEMM_NV 2
#else
#define V double
#define VLEN 1
#define VLOAD(p) (*(p))
#define VSTORE(p, v) (*(p) = (v))
#define VSET(x) (x)
#define VFMA(a, b, c) fma(a, b, c)
#define GEMM_MR 2
#define GEMM_NV 4
#endif
#include "interp/kern/gemm.h"

#define GEMM_T uint32_t
#define GEMM_NAME gemm_i32
#if defined(__AVX512F__)
#define V __m512i
#define VLEN 16
#define VLOAD(p) _mm512_loadu_si512(p)
#define VSTORE(p, v) _mm512_storeu_si512(p, v)
#define VSET(x) _mm512_set1_epi32((int)(x))
#define VFMA(a, b, c) _mm512_add_epi32(_mm512_mullo_epi32(a, b), c)
#define GEMM_MR 4
#define GEMM_NV 4
#elif defined(__AVX2__)
#define V __m256i
#define VLEN 8
#define VLOAD(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define VSTORE(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define VSET(x) _mm256_set1_epi32((int)(x))
#define VFMA(a, b, c) _mm256_add_epi32(_mm256_mullo_epi32(a, b), c)
#define GEMM_MR 4
#define GEMM_NV 2
#else
#define V uint32_t
#define VLEN 1
#define VLOAD(p) (*(p))
#define VSTORE(p, v) (*(p) = (v))
#define VSET(x) (x)
#define VFMA(a, b, c) ((a) * (b) + (c))
#define GEMM_MR 2
#define GEMM_NV 4
#endif
#include "interp/kern/gemm.h"

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
