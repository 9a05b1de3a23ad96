/* Conversions between element types: a part of kern.c. */

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

/* Saturating. NaN is 0, but the highest bit alone in 64-bit results, and in 32-bit results from f64
 * (as cvt.rzi). 8 bits go through 16, as cvt.rzi has no narrower form. */
#define TO_INT(F, f, T, R, name, low, high, least, most)                                          \
	CONVERT(f##_##name, F, R,                                                                 \
		x != x ? (T)(sizeof(T) == 8 || (sizeof(F) == 8 && sizeof(T) == 4)                 \
				     ? INT64_MIN >> (64 - 8 * sizeof(T)) : 0)                     \
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

/* An encoding with `m` mantissa bits and bias `b`, by
 * shifting into f32's fields and one exact multiplication. */
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

/* The nearest value of a format with `m` mantissa bits and bias
 * `b`, ties to even, without sign; `u` are the bits of a finite f32
 * that is not negative. Large values run past the format's largest. */
static inline uint32_t narrow(uint32_t u, uint32_t m, uint32_t b)
{
	uint32_t shift = 23 - m;
	uint32_t normal =
		((u + (((uint32_t)1 << (shift - 1)) - 1) + (u >> shift & 1)) >> shift) - ((127 - b) << m);
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
		_mm512_storeu_ps(
			o + at, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)(p + at))));
#elif defined(__F16C__)
	for (; at + 8 <= n; at += 8)
		_mm256_storeu_ps(o + at,
				 _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(p + at))));
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
