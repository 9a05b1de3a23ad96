/* The floating-point formats of the tile language: exact conversions between bits and doubles.
 *
 * A format is (exponent bits, mantissa bits, bias, what the all-ones exponent means). Every value of each
 * format is a double, so a conversion to a format is one rounding of an exact value. Sources: IEEE 754-2019;
 * "FP8 Formats for Deep Learning" (2022) for e4m3fn and e5m2; the fnuz formats have no infinity, no negative
 * zero, and one NaN (0x80). */
#ifndef NESO_BASE_FLOAT_FP_H
#define NESO_BASE_FLOAT_FP_H

#include "base/base.h"

typedef enum {
	FP_E4M3FN,
	FP_E5M2,
	FP_E4M3B11FNUZ,
	FP_E4M3FNUZ,
	FP_E5M2FNUZ,
	FP_F16,
	FP_BF16,
	FP_F32,
	FP_F64,
	FP_TF32, /* 19 bits, held in the high bits of an f32 */
	FP__COUNT
} FpFormat;

typedef enum { FP_NEAREST_EVEN, FP_TOWARD_ZERO } FpRounding;

/* What a value beyond the largest finite one becomes: infinity (NaN in formats without one), or the
 * largest finite value (hardware conversions to fp8 with .satfinite). Infinities stay what `saturate` says,
 * NaN stays NaN. */
double fp_to_double(FpFormat format, uint64_t bits);
uint64_t fp_from_double(FpFormat format, double value, FpRounding rounding, bool saturate);

#endif
