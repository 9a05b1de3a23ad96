/* Floats to integers as a GPU converts them. */
#ifndef NESO_SIM_TO_INTEGER_H
#define NESO_SIM_TO_INTEGER_H

#include "base/base.h"

/* Narrow results come from 16 bits, cut, as the GPU has no conversion to 8. NaN is the highest bit
 * alone in 64-bit results, and in 32-bit ones from f64; else 0. */
static inline int64_t to_integer_signed(double x, unsigned bits, bool is_double)
{
	if (x != x)
		return bits == 64 ? INT64_MIN : bits == 32 && is_double ? INT32_MIN : 0;
	double limit = bits == 64 ? 0x1p63 : bits == 32 ? 0x1p31 : 0x1p15;
	int64_t high = bits == 64 ? INT64_MAX : bits == 32 ? INT32_MAX : INT16_MAX;
	return x >= limit ? high : x <= -limit ? -high - 1 : (int64_t)x;
}

static inline uint64_t to_integer_unsigned(double x, unsigned bits, bool is_double)
{
	if (x != x)
		return bits == 64 ? UINT64_C(1) << 63 : bits == 32 && is_double ? UINT32_C(1) << 31 : 0;
	double limit = bits == 64 ? 0x1p64 : bits == 32 ? 0x1p32 : 0x1p16;
	uint64_t high = bits == 64 ? UINT64_MAX : bits == 32 ? UINT32_MAX : UINT16_MAX;
	return x >= limit ? high : x <= 0 ? 0 : (uint64_t)x;
}

#endif
