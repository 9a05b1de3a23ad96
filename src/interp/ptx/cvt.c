/* Comparisons and conversions of inline PTX. Integer results saturate. */
#include <fenv.h>
#include <math.h>

#include "base/float/fp.h"
#include "interp/kern/math.h"
#include "interp/ptx/ptx.h"

/* ---- predicates ---- */

static const char *const comparisons[] = {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs",
					  "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

int ptx_comparison(const PtxInstr *i)
{
	for (size_t k = 0; k < ARRAY_LEN(comparisons); k++)
		if (ptx_mod(i, comparisons[k]))
			return (int)k;
	return -1;
}

static bool compare(const PtxRun *r, const PtxInstr *i)
{
	const PtxType *t = ptx_type(i);
	uint64_t a = ptx_source(r, i, 1), b = ptx_source(r, i, 2);
	int c = (int)i->imm;
	if (ptx_is_real(i)) {
		double x = t->bits == 64 ? from_bits_d(a) : (double)ptx_widen(r, t, ptx_low(a, t->bits));
		double y = t->bits == 64 ? from_bits_d(b) : (double)ptx_widen(r, t, ptx_low(b, t->bits));
		bool unordered = x != x || y != y;
		if (c >= 16)
			return unordered == (c == 17);
		if (unordered)
			return c >= 10 || false;
		c = c >= 10 ? c - 10 : c;
		return c == 0 ? x == y : c == 1 ? x != y : c == 2 ? x < y : c == 3 ? x <= y : c == 4 ? x > y : x >= y;
	}
	a = ptx_low(a, t->bits);
	b = ptx_low(b, t->bits);
	int64_t sa = ptx_sign(a, t->bits), sb = ptx_sign(b, t->bits);
	bool is_signed = t->cls == 's' && c < 6;
	int kind = c < 6 ? c : c - 4; /* lo, ls, hi, hs are lt, le, gt, ge of unsigned numbers */
	bool less = is_signed ? sa < sb : a < b;
	return kind == 0 ? a == b : kind == 1 ? a != b : kind == 2 ? less : kind == 3 ? less || a == b
	     : kind == 4 ? !less && a != b : !less;
}

bool ptx_do_setp(PtxRun *r, const PtxInstr *i)
{
	bool v = compare(r, i);
	if (i->count > 3) {
		bool c = ptx_source(r, i, 3) & 1;
		v = ptx_mod(i, "or") ? v || c : ptx_mod(i, "xor") ? v != c : v && c;
	}
	ptx_put(r, i, v, 1);
	return true;
}

bool ptx_do_set(PtxRun *r, const PtxInstr *i)
{
	bool v = compare(r, i);
	const PtxType *to = i->types[0];
	ptx_put(r, i, to->cls == 'f' ? (v ? 0x3f800000 : 0) : v ? ~UINT64_C(0) : 0, to->bits);
	return true;
}

bool ptx_do_selp(PtxRun *r, const PtxInstr *i)
{
	ptx_put(r, i,
		ptx_value(r, &i->operands[3], ptx_type(i)) & 1 ? ptx_source(r, i, 1) : ptx_source(r, i, 2),
		ptx_width(ptx_type(i)));
	return true;
}

bool ptx_do_testp(PtxRun *r, const PtxInstr *i)
{
	const PtxType *t = ptx_type(i);
	uint64_t bits = ptx_source(r, i, 1);
	double x = t->bits == 64 ? from_bits_d(bits) : (double)half_float((uint32_t)bits);
	bool holds = ptx_mod(i, "finite")       ? isfinite(x)
		     : ptx_mod(i, "infinite")   ? isinf(x)
		     : ptx_mod(i, "number")     ? !isnan(x)
		     : ptx_mod(i, "notanumber") ? isnan(x)
		     : ptx_mod(i, "normal")     ? isnormal((float)x)
						: fpclassify((float)x) == FP_SUBNORMAL;
	ptx_put(r, i, holds, 1);
	return true;
}

/* ---- conversions ---- */

static double real_value(const PtxRun *r, const PtxType *t, uint64_t bits)
{
	if (t->cls == 'f' || t->cls == 'h' || t->cls == 'H' || t->format >= 0)
		return t->bits == 64 ? from_bits_d(bits) : (double)ptx_widen(r, t, ptx_low(bits, t->bits));
	return t->cls == 's' ? (double)ptx_sign(bits, t->bits) : (double)ptx_low(bits, t->bits);
}

static double whole(const PtxInstr *i, double x)
{
	return ptx_mod(i, "rzi")   ? trunc(x)
	       : ptx_mod(i, "rmi") ? floor(x)
	       : ptx_mod(i, "rpi") ? ceil(x)
	       : ptx_mod(i, "rni") ? rint(x)
				   : x;
}

/* NaN is the highest bit alone in 64-bit results, and in 32-bit ones from f64; else 0. */
static uint64_t to_integer(const PtxType *to, const PtxType *from, double x)
{
	unsigned bits = to->bits;
	if (x != x)
		return bits == 64 || (bits == 32 && from->bits == 64) ? UINT64_C(1) << (bits - 1) : 0;
	double limit = ldexp(1, (int)bits - (to->cls == 's'));
	if (to->cls == 's')
		return x >= limit    ? (UINT64_C(1) << (bits - 1)) - 1
		       : x <= -limit ? UINT64_C(1) << (bits - 1)
				     : (uint64_t)(int64_t)x;
	return x <= 0 ? 0 : x >= limit ? ptx_low(~UINT64_C(0), bits) : (uint64_t)x;
}

static uint64_t to_e2m1(double x)
{
	static const double values[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
	double a = x != x ? 6 : fabs(x);
	unsigned best = 7;
	for (unsigned k = 0; k < 7; k++) {
		double middle = (values[k] + values[k + 1]) / 2;
		if (a < middle || (a == middle && !(k & 1))) {
			best = k;
			break;
		}
	}
	return best | (x == x && signbit(x) ? 8u : 0u);
}

static uint64_t to_e8m0(const PtxInstr *i, double x)
{
	if (x != x)
		return 255;
	int e;
	double m = frexp(fabs(x), &e); /* |x| = m * 2^e */
	if (m == 0)
		return 0;
	int k = ptx_mod(i, "rp") && m > 0.5 ? e : e - 1;
	return (uint64_t)MAX(0, MIN(k + 127, 254));
}

/* One lane of a destination format from an exact value. */
static uint64_t to_float(const PtxRun *r, const PtxInstr *i, const PtxType *to, double x)
{
	FpRounding mode = ptx_mod(i, "rz") ? FP_TOWARD_ZERO : FP_NEAREST_EVEN;
	if (strcmp(to->name, "e2m1x2") == 0)
		return to_e2m1(x);
	if (strcmp(to->name, "ue8m0x2") == 0)
		return to_e8m0(i, x);
	if (strcmp(to->name, "tf32") == 0) {
		uint32_t u = half_bits((float)x);
		if ((u & 0x7f800000) == 0x7f800000)
			return u;
		if (ptx_mod(i, "rna"))
			return (u + 0x1000) & 0xffffe000;
		return ptx_mod(i, "rz") ? u & 0xffffe000 : fp_from_double(FP_TF32, x, FP_NEAREST_EVEN, false);
	}
	if (to->bits == 64)
		return bits_d(x);
	if (to->bits == 32) {
		int before = fegetround();
		fesetround(ptx_rounding(i));
		volatile double d = x;
		volatile float f = (float)d;
		fesetround(before);
		return half_bits(ptx_finish_f32(i, f));
	}
	if (ptx_mod(i, "relu") && !(x > 0) && x == x)
		x = 0;
	if (ptx_mod(i, "sat"))
		x = x > 0 ? (x < 1 ? x : 1) : 0;
	static const FpFormat formats[] = {
		[KF_F16] = FP_F16, [KF_BF16] = FP_BF16, [KF_E4M3FN] = FP_E4M3FN, [KF_E5M2] = FP_E5M2};
	(void)r;
	return fp_from_double(formats[to->format], x, mode, ptx_mod(i, "satfinite") || to->bits == 8);
}

static double from_e2m1(uint64_t bits)
{
	static const double values[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
	return bits & 8 ? -values[bits & 7] : values[bits & 7];
}

/* d = {a high, b low}, or both lanes of one packed source. */
static bool convert_lanes(PtxRun *r, const PtxInstr *i, const PtxType *to, const PtxType *from)
{
	uint64_t out = 0;
	bool scaled = ptx_mod(i, "scaled::n2::ue8m0");
	for (unsigned lane = 0; lane < 2; lane++) {
		double x;
		if (from->lanes == 2) {
			uint64_t bits = ptx_low(ptx_source(r, i, 1) >> (lane * from->bits), from->bits);
			x = strcmp(from->name, "e2m1x2") == 0 ? from_e2m1(bits)
			  : strcmp(from->name, "ue8m0x2") == 0 ? (bits == 255 ? NAN : ldexp(1, (int)bits - 127))
							       : real_value(r, from, bits);
		} else {
			x = real_value(r, from, ptx_value(r, &i->operands[lane ? 1 : 2], from));
		}
		if (scaled) {
			uint64_t e = ptx_source(r, i, 2) >> (8 * lane) & 255;
			x = e == 255 ? NAN : ldexp(x, (int)e - 127);
		}
		out |= to_float(r, i, to, x) << (lane * to->bits);
	}
	ptx_put(r, i, out, ptx_width(to));
	return true;
}

bool ptx_do_cvt(PtxRun *r, const PtxInstr *i)
{
	const PtxType *to = i->types[0], *from = i->types[1];
	if (to->lanes == 2)
		return convert_lanes(r, i, to, from);
	uint64_t bits = ptx_value(r, &i->operands[1], from);
	bool to_int = strchr("bus", to->cls) != NULL, from_int = strchr("bus", from->cls) != NULL;
	if (to_int && from_int) {
		uint64_t v = from->cls == 's' ? (uint64_t)ptx_sign(bits, from->bits) : ptx_low(bits, from->bits);
		if (ptx_mod(i, "sat")) {
			double x = real_value(r, from, bits);
			double limit = ldexp(1, (int)to->bits - (to->cls == 's'));
			if (x >= limit || x < (to->cls == 's' ? -limit : 0))
				v = to_integer(to, from, x);
		}
		ptx_put(r, i, v, to->cls == 's' ? 64 : to->bits);
		if (to->cls == 's')
			ptx_put(r, i, (uint64_t)ptx_sign(ptx_low(v, to->bits), to->bits), MAX(to->bits, 32u));
		return true;
	}
	double x = real_value(r, from, bits);
	if (to_int)
		ptx_put(r, i, to_integer(to, from, whole(i, x)), to->bits);
	else
		ptx_put(r, i, to_float(r, i, to, from_int ? x : whole(i, x)), to->bits);
	return true;
}
