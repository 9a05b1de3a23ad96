/* f32 as the GPU's arithmetic leaves it: one NaN; small numbers flushed to zeros. */
#ifndef NESO_SIM_OPS_HALF_H
#define NESO_SIM_OPS_HALF_H

#include <math.h>

#include "base/float/half.h"

static inline float half_clean(float x)
{
	return x == x ? x : half_float(0x7fffffff);
}

static inline float half_flush(float x)
{
	return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

#endif
