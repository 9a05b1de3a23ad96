/* Floats on constants: computed in doubles and rounded once to the element's format.
 *
 * Rounding a double result again is innocuous for + - * / and square root of formats up to f32 (a double has
 * more than 2 p + 2 bits), not for fma nor for integers above 2^53: those take other ways below. */
#include "ir/rewrite/fold.h"

#include <math.h>

static double value(const FoldCell *f, uint64_t bits)
{
	return ir_float_value(f->from, bits);
}

static bool give(const FoldCell *f, uint64_t *out, double x)
{
	*out = ir_float_bits(f->to, isnan(x) ? (double)NAN : x); /* one NaN, whatever the host makes */
	return true;
}

#define A value(f, f->a)
#define B value(f, f->b)
#define C value(f, f->c)
#define FLOAT(name, expression)                            \
	bool fold_##name(const FoldCell *f, uint64_t *out) \
	{                                                  \
		return give(f, out, (expression));         \
	}

static double minimum(double a, double b)
{
	if (isnan(a) || isnan(b))
		return NAN;
	return a < b || (a == b && signbit(a)) ? a : b;
}

static double maximum(double a, double b)
{
	if (isnan(a) || isnan(b))
		return NAN;
	return a > b || (a == b && !signbit(a)) ? a : b;
}

static double minnum(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : minimum(a, b);
}

static double maxnum(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : maximum(a, b);
}

FLOAT(ADDF, A + B)
FLOAT(SUBF, A - B)
FLOAT(MULF, A * B)
FLOAT(DIVF, A / B)
FLOAT(PRECISE_DIVF, A / B)
FLOAT(REMF, fmod(A, B))
FLOAT(MINIMUMF, minimum(A, B))
FLOAT(MAXIMUMF, maximum(A, B))
FLOAT(MINNUMF, minnum(A, B))
FLOAT(MAXNUMF, maxnum(A, B))
FLOAT(SQRT, sqrt(A))
FLOAT(PRECISE_SQRT, sqrt(A))
FLOAT(RSQRT, 1 / sqrt(A))
FLOAT(FLOOR, floor(A))
FLOAT(CEIL, ceil(A))

/* Formats without a negative zero hold NaN where the sign bit alone would be: through the value there. */
static bool plain_sign(IrType type)
{
	return type->kind != TY_F8E4M3B11FNUZ && type->kind != TY_F8E4M3FNUZ && type->kind != TY_F8E5M2FNUZ;
}

bool fold_NEGF(const FoldCell *f, uint64_t *out)
{
	*out = f->a ^ UINT64_C(1) << (f->width - 1);
	return plain_sign(f->from) || give(f, out, -A);
}

bool fold_ABSF(const FoldCell *f, uint64_t *out)
{
	*out = fold_low(f->a, f->width - 1);
	return plain_sign(f->from) || give(f, out, fabs(A));
}

/* Functions for which a tolerance is promised at run time: the double result, rounded. Not of f64, where that
 * would be the C library's own error. */
#define FUNCTION(name, expression)                                          \
	bool fold_##name(const FoldCell *f, uint64_t *out)                  \
	{                                                                   \
		return f->to->kind != TY_F64 && give(f, out, (expression)); \
	}

FUNCTION(EXP, exp(A))
FUNCTION(EXP2, exp2(A))
FUNCTION(LOG, log(A))
FUNCTION(LOG2, log2(A))
FUNCTION(COS, cos(A))
FUNCTION(SIN, sin(A))
FUNCTION(ERF, erf(A))

bool fold_FMA(const FoldCell *f, uint64_t *out)
{
	if (f->from->kind == TY_F32)
		return give(f, out, (double)fmaf((float)A, (float)B, (float)C));
	return f->from->kind == TY_F64 && give(f, out, fma(A, B, C));
}

bool fold_CLAMPF(const FoldCell *f, uint64_t *out)
{
	bool all = ir_get_int(f->op, f->cx, ATTR_PROPAGATE_NAN, NAN_NONE) == NAN_ALL;
	if (isnan(B) || isnan(C))
		return false;
	if (isnan(A))
		return give(f, out, all ? NAN : B);
	return give(f, out, minnum(maxnum(A, B), C));
}

bool fold_CMPF(const FoldCell *f, uint64_t *out)
{
	double a = A, b = B;
	/* Bit 0: equal, bit 1: greater, bit 2: less, bit 3: unordered. ORDER CMPF */
	static const uint8_t holds[] = {
		[CMPF_FALSE] = 0, [CMPF_OEQ] = 1, [CMPF_OGT] = 2, [CMPF_OGE] = 3,
		[CMPF_OLT] = 4,	  [CMPF_OLE] = 5, [CMPF_ONE] = 6, [CMPF_ORD] = 7,
		[CMPF_UEQ] = 9,	  [CMPF_UGT] = 10, [CMPF_UGE] = 11, [CMPF_ULT] = 12,
		[CMPF_ULE] = 13,  [CMPF_UNE] = 14, [CMPF_UNO] = 8, [CMPF_TRUE] = 15,
	};
	int64_t predicate = ir_get_int(f->op, f->cx, ATTR_PREDICATE, -1);
	if (predicate < 0 || predicate >= (int64_t)ARRAY_LEN(holds))
		return false;
	unsigned relation = isnan(a) || isnan(b) ? 8 : a < b ? 4 : a > b ? 2 : 1;
	*out = (holds[predicate] & relation) != 0;
	return true;
}

/* ---- conversions ---- */

/* A double that rounds to every narrower format as the 64-bit magnitude itself does: what is beyond 53 bits
 * is or-ed into the last one (rounding to odd). */
static double odd_double(uint64_t magnitude)
{
	if (magnitude >> 53) {
		uint64_t lost = magnitude & 0x7ff;
		magnitude = (magnitude & ~UINT64_C(0x7ff)) | (lost ? 0x800 : 0);
	}
	return (double)magnitude;
}

static bool from_magnitude(const FoldCell *f, uint64_t *out, uint64_t magnitude, bool negative)
{
	double x = f->to->kind == TY_F64 ? (double)magnitude : odd_double(magnitude);
	return give(f, out, negative ? -x : x);
}

bool fold_SITOFP(const FoldCell *f, uint64_t *out)
{
	int64_t a = fold_signed(f->a, f->width);
	return from_magnitude(f, out, a < 0 ? 0 - (uint64_t)a : (uint64_t)a, a < 0);
}

bool fold_UITOFP(const FoldCell *f, uint64_t *out) { return from_magnitude(f, out, f->a, false); }

/* As GPUs convert, which know no integers below 16 bits: those are the low bits of such ones. NaN
 * is the highest bit alone in 64 bits, and in 32 from f64; else 0. */
static uint64_t not_a_number(const FoldCell *f)
{
	unsigned bits = f->to->bits;
	return bits == 64 || (bits == 32 && f->from->kind == TY_F64) ? UINT64_C(1) << (bits - 1) : 0;
}

bool fold_FPTOSI(const FoldCell *f, uint64_t *out)
{
	unsigned bits = MAX(f->to->bits, 16);
	double limit = ldexp(1, (int)bits - 1), x = trunc(A);
	uint64_t largest = (UINT64_C(1) << (bits - 1)) - 1;
	if (isnan(x))
		*out = not_a_number(f);
	else if (x >= limit)
		*out = fold_low(largest, f->to->bits);
	else if (x <= -limit)
		*out = fold_low(largest + 1, f->to->bits);
	else
		*out = fold_low((uint64_t)(int64_t)x, f->to->bits);
	return true;
}

bool fold_FPTOUI(const FoldCell *f, uint64_t *out)
{
	double x = trunc(A);
	if (isnan(x))
		*out = not_a_number(f);
	else if (x <= 0)
		*out = 0;
	else if (x >= ldexp(1, (int)MAX(f->to->bits, 16)))
		*out = fold_low(UINT64_MAX, f->to->bits);
	else
		*out = fold_low((uint64_t)x, f->to->bits);
	return true;
}

static bool is_fp8(IrType type)
{
	return type->bits == 8;
}

/* What becomes of a value beyond the range of an fp8 format, of infinity and of NaN is the target's choice
 * (saturation), so those stay as they are; so does every inexact value of the formats that targets
 * convert in software. */
static bool to_fp8(const FoldCell *f, uint64_t *out)
{
	double x = A;
	uint64_t bits = ir_float_bits(f->to, x);
	double back = ir_float_value(f->to, bits);
	bool exact = back == x;
	bool by_hardware = f->to->kind == TY_F8E4M3FN || f->to->kind == TY_F8E5M2;
	*out = bits;
	return isfinite(x) && isfinite(back) && (exact || by_hardware) && (x != 0 || !signbit(x) || signbit(back));
}

bool fold_FP_TO_FP(const FoldCell *f, uint64_t *out)
{
	if (f->to->kind == f->from->kind) {
		*out = f->a;
		return true;
	}
	int64_t rounding = ir_get_int(f->op, f->cx, ATTR_ROUNDING, ROUND_RTNE);
	double x = A;
	bool exact = ir_float_value(f->to, ir_float_bits(f->to, x)) == x;
	if (is_fp8(f->to))
		return (rounding == ROUND_RTNE || exact) && to_fp8(f, out);
	/* fp_from_double knows the other rounding; it matters for inexact values only. */
	if (rounding != ROUND_RTNE && !exact && !isnan(x))
		return false;
	return give(f, out, x);
}

bool fold_EXTF(const FoldCell *f, uint64_t *out) { return fold_FP_TO_FP(f, out); }
bool fold_TRUNCF(const FoldCell *f, uint64_t *out) { return fold_FP_TO_FP(f, out); }
