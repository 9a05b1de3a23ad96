/* Bits of f32, and floats of 16 bits: exact widening, rounding to nearest even. NaN becomes what the GPU makes of it. */
#ifndef NESO_BASE_FLOAT_HALF_H
#define NESO_BASE_FLOAT_HALF_H

#include <string.h>

#include "base/float/fp.h"

static inline uint32_t half_bits(float x)
{
	uint32_t u;
	memcpy(&u, &x, 4);
	return u;
}

static inline float half_float(uint32_t u)
{
	float x;
	memcpy(&x, &u, 4);
	return x;
}

static inline float half_from_f16(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16, u = (uint32_t)(h & 0x7fff) << 13, exponent = u & 0x0f800000;
	uint32_t normal = u + (112u << 23);
	uint32_t special = u + (224u << 23);
	uint32_t tiny = half_bits(half_float(u + (113u << 23)) - half_float(113u << 23));
	return half_float(sign | (exponent == 0x0f800000 ? special : exponent ? normal : tiny));
}

static inline uint16_t half_to_f16(float x)
{
	uint32_t u = half_bits(x), sign = u >> 16 & 0x8000;
	u &= 0x7fffffff;
	/* The tiny ones: adding 0.5 leaves their bits, rounded, at the bottom. */
	uint32_t tiny = half_bits(half_float(u < 0x38800000 ? u : 0) + 0.5f) - 0x3f000000;
	uint32_t normal = (u + 0xc8000fff + (u >> 13 & 1)) >> 13;
	uint32_t out = u < 0x38800000 ? tiny : u >= 0x47800000 ? 0x7c00 : normal;
	return (uint16_t)(u > 0x7f800000 ? 0x7fff : out | sign);
}

static inline float half_from_bf16(uint16_t h)
{
	return half_float((uint32_t)h << 16);
}

static inline uint16_t half_to_bf16(float x)
{
	uint32_t u = half_bits(x);
	uint32_t out = (u + 0x7fff + (u >> 16 & 1)) >> 16;
	return (uint16_t)((u & 0x7fffffff) > 0x7f800000 ? 0x7fff : out);
}

static inline uint16_t half_to_f16_d(double x)
{
	return x != x ? 0x7fff : (uint16_t)fp_from_double(FP_F16, x, FP_NEAREST_EVEN, false);
}

static inline uint16_t half_to_bf16_d(double x)
{
	return x != x ? 0x7fff : (uint16_t)fp_from_double(FP_BF16, x, FP_NEAREST_EVEN, false);
}

#endif
