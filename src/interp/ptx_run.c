/* What each PTX instruction does. Approximate instructions give the nearest value. Integer rules are PTX's: shifts
 * clamp, minima and maxima of floats drop NaN unless .NaN, conversions to integers saturate. */
#include <fenv.h>
#include <math.h>

#include "base/fp.h"
#include "base/os.h"
#include "interp/kern/math.h"
#include "interp/memory.h"
#include "interp/ptx.h"

/* ---- operands ---- */

static uint64_t low(uint64_t v, unsigned bits)
{
	return bits >= 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

static int64_t sign(uint64_t v, unsigned bits)
{
	return (int64_t)(v << (64 - bits)) >> (64 - bits);
}

static const PtxType *type_of(const PtxInstr *i)
{
	static const PtxType none = {"b32", 'b', 32, 1, -1};
	return i->type_count ? i->types[i->type_count - 1] : &none;
}

static unsigned width(const PtxType *t)
{
	return (unsigned)t->bits * t->lanes;
}

static uint64_t special(const PtxRun *r, uint32_t which)
{
	const uint32_t *grid = r->x->launch->in->grid;
	switch (which) {
	case PTX_TID:
		return 0;
	case PTX_NTID:
		return 1;
	case PTX_CLOCK:
		return (uint64_t)(os_now() * 1e9);
	default:
		return which < PTX_NCTAID_X ? r->x->program[which - PTX_CTAID_X] : grid[which - PTX_NCTAID_X];
	}
}

static uint64_t value(const PtxRun *r, const PtxOperand *o, const PtxType *t)
{
	switch (o->kind) {
	case PTX_REG:
		return r->regs[o->reg];
	case PTX_INT:
		return o->bits;
	case PTX_FLOAT:
		return t->bits == 64 ? bits_d(o->real) : bits_f((float)o->real);
	case PTX_SPECIAL:
		return special(r, o->reg);
	case PTX_ADDRESS:
		return (o->reg == PTX_NO_REG ? 0 : r->regs[o->reg]) + o->bits;
	default: {
		/* {low, ..., high} as one register. */
		uint64_t v = 0;
		unsigned each = width(t) / o->count;
		for (uint32_t k = o->count; k-- > 0;)
			v = v << each | low(value(r, &r->program->vectors[o->reg + k], t), each);
		return v;
	}
	}
}

static uint64_t source(const PtxRun *r, const PtxInstr *i, unsigned k)
{
	return value(r, &i->operands[k], type_of(i));
}

static void put(PtxRun *r, const PtxInstr *i, uint64_t v, unsigned bits)
{
	const PtxOperand *o = &i->operands[0];
	if (o->kind == PTX_REG) {
		r->regs[o->reg] = low(v, bits);
	} else if (o->kind == PTX_VECTOR) {
		unsigned each = bits / o->count;
		for (uint32_t k = 0; k < o->count; k++)
			r->regs[r->program->vectors[o->reg + k].reg] = low(v >> (k * each), each);
	}
}

/* ---- floats ---- */

static float widen(const PtxRun *r, const PtxType *t, uint64_t bits)
{
	float f;
	if (t->format < 0)
		return from_bits_f((uint32_t)bits);
	r->x->k->to_f32[t->format](&f, &bits, 1);
	return f;
}

static uint64_t narrow(const PtxRun *r, const PtxType *t, float f)
{
	uint64_t bits = 0;
	if (t->format < 0)
		return bits_f(f);
	r->x->k->from_f32[t->format](&bits, &f, 1);
	return bits;
}

static int rounding(const PtxInstr *i)
{
	return ptx_mod(i, "rz") ? FE_TOWARDZERO : ptx_mod(i, "rm") ? FE_DOWNWARD : ptx_mod(i, "rp") ? FE_UPWARD : FE_TONEAREST;
}

static float finish_f32(const PtxInstr *i, float f)
{
	if (ptx_mod(i, "ftz") && fabsf(f) < 0x1p-126f)
		f = copysignf(0, f);
	if (ptx_mod(i, "sat"))
		f = f > 0 ? (f < 1 ? f : 1) : 0;
	if (ptx_mod(i, "relu"))
		f = f > 0 || f != f ? f : 0;
	return f;
}

typedef double RealFn(const PtxInstr *i, double x, double y, double z, bool is_double);

/* Lane by lane: fn in double with inputs exact; the rounding mode is that of the host while it runs. */
static bool real_op(PtxRun *r, const PtxInstr *i, unsigned sources, RealFn *fn)
{
	const PtxType *t = type_of(i);
	uint64_t result = 0, v[3] = {0};
	for (unsigned k = 0; k < sources; k++)
		v[k] = source(r, i, k + 1);
	for (unsigned lane = 0; lane < t->lanes; lane++) {
		double in[3];
		for (unsigned k = 0; k < 3; k++) {
			uint64_t bits = low(v[k] >> (lane * t->bits % 64), t->bits);
			float f = t->bits == 64 ? 0 : widen(r, t, bits);
			if (ptx_mod(i, "ftz") && fabsf(f) < 0x1p-126f && t->bits == 32)
				f = copysignf(0, f);
			in[k] = t->bits == 64 ? from_bits_d(bits) : (double)f;
		}
		int before = fegetround();
		fesetround(rounding(i));
		volatile double d = fn(i, in[0], in[1], in[2], t->bits == 64);
		volatile float f = (float)d;
		fesetround(before);
		uint64_t bits;
		if (t->bits == 64)
			bits = bits_d(d);
		else if (t->bits == 32)
			bits = bits_f(finish_f32(i, f));
		else
			bits = ptx_mod(i, "sat") || ptx_mod(i, "relu") ? narrow(r, t, finish_f32(i, (float)d))
				: fp_from_double(t->format == KF_F16 ? FP_F16 : FP_BF16, d, FP_NEAREST_EVEN, false);
		result |= bits << (lane * t->bits % 64);
	}
	put(r, i, result, width(t));
	return true;
}

/* Sums and products of floats in double, rounded to the type once more: exact for products; sums of f32 are taken in
 * float so that they round once. */
static double add_real(const PtxInstr *i, double x, double y, double z, bool is_double)
{
	(void)i;
	(void)z;
	volatile float a = (float)x, b = (float)y;
	volatile double c = x, e = y;
	if (is_double || type_of(i)->bits < 32)
		return c + e;
	volatile float s = a + b;
	return (double)s;
}

static double sub_real(const PtxInstr *i, double x, double y, double z, bool is_double)
{
	return add_real(i, x, -y, z, is_double);
}

static double mul_real(const PtxInstr *i, double x, double y, double z, bool is_double)
{
	(void)i;
	(void)z;
	(void)is_double;
	volatile double a = x, b = y;
	return a * b;
}

static double fma_real(const PtxInstr *i, double x, double y, double z, bool is_double)
{
	volatile float a = (float)x, b = (float)y, c = (float)z;
	volatile double d = x, e = y, f = z;
	if (is_double || type_of(i)->bits < 32)
		return fma(d, e, f);
	volatile float s = fmaf(a, b, c);
	return (double)s;
}

static double div_real(const PtxInstr *i, double x, double y, double z, bool is_double)
{
	(void)i;
	(void)z;
	volatile float a = (float)x, b = (float)y;
	volatile double c = x, e = y;
	if (is_double)
		return c / e;
	volatile float q = a / b;
	return (double)q;
}

#define REAL1(name, expr)                                                                             \
	static double name(const PtxInstr *i, double x, double y, double z, bool is_double)           \
	{                                                                                             \
		(void)i; (void)y; (void)z; (void)is_double;                                           \
		volatile double v = x;                                                                \
		x = v;                                                                                \
		return expr;                                                                          \
	}
REAL1(neg_real, -x)
REAL1(abs_real, fabs(x))
REAL1(ex2_real, exp2(x))
REAL1(lg2_real, log2(x))
REAL1(sin_real, sin(x))
REAL1(cos_real, cos(x))
REAL1(tanh_real, tanh(x))
REAL1(rsqrt_real, 1 / sqrt(x))
static double rcp_real(const PtxInstr *i, double x, double y, double z, bool is_double)
{
	(void)y;
	return div_real(i, 1, x, z, is_double);
}
static double sqrt_real(const PtxInstr *i, double x, double y, double z, bool is_double)
{
	(void)i;
	(void)y;
	(void)z;
	volatile float a = (float)x;
	volatile double b = x;
	if (is_double)
		return sqrt(b);
	volatile float s = sqrtf(a);
	return (double)s;
}
static double min_real(const PtxInstr *i, double x, double y, double z, bool is_double)
{
	(void)z;
	(void)is_double;
	if (x != x || y != y)
		return ptx_mod(i, "NaN") ? NAN : x != x ? y : x;
	return x == y ? (signbit(x) ? x : y) : x < y ? x : y;
}
static double max_real(const PtxInstr *i, double x, double y, double z, bool is_double)
{
	(void)z;
	(void)is_double;
	if (x != x || y != y)
		return ptx_mod(i, "NaN") ? NAN : x != x ? y : x;
	return x == y ? (signbit(x) ? y : x) : x > y ? x : y;
}
static double copysign_real(const PtxInstr *i, double x, double y, double z, bool is_double)
{
	(void)i;
	(void)z;
	(void)is_double;
	return copysign(y, x);
}

static bool is_real(const PtxInstr *i)
{
	char c = type_of(i)->cls;
	return c == 'f' || c == 'h' || c == 'H';
}

/* ---- integers ---- */

#define INT2(name, real, expr)                                                                        \
	static bool name(PtxRun *r, const PtxInstr *i)                                                \
	{                                                                                             \
		if (is_real(i) && (real) != NULL)                                                     \
			return real_op(r, i, 2, real);                                                \
		const PtxType *t = type_of(i);                                                        \
		unsigned bits = t->bits;                                                              \
		uint64_t x = low(source(r, i, 1), bits), y = low(source(r, i, 2), bits);              \
		bool is_signed = t->cls == 's';                                                       \
		int64_t sx = sign(x, bits), sy = sign(y, bits);                                       \
		(void)sx; (void)sy; (void)is_signed;                                                  \
		put(r, i, (uint64_t)(expr), bits);                                                    \
		return true;                                                                          \
	}
static RealFn *const no_real = NULL;
INT2(do_add, add_real, x + y)
INT2(do_sub, sub_real, x - y)
INT2(do_and, no_real, x & y)
INT2(do_or, no_real, x | y)
INT2(do_xor, no_real, x ^ y)
INT2(do_min, min_real, is_signed ? (uint64_t)(sx < sy ? sx : sy) : x < y ? x : y)
INT2(do_max, max_real, is_signed ? (uint64_t)(sx > sy ? sx : sy) : x > y ? x : y)
INT2(do_div, div_real, !y ? ~UINT64_C(0) : !is_signed ? x / y : sy == -1 ? 0 - x : (uint64_t)(sx / sy))
INT2(do_rem, no_real, !y ? ~UINT64_C(0) : !is_signed ? x % y : sy == -1 ? 0 : (uint64_t)(sx % sy))
INT2(do_copysign, copysign_real, x)

static bool do_shl(PtxRun *r, const PtxInstr *i)
{
	unsigned bits = type_of(i)->bits;
	uint64_t by = low(source(r, i, 2), 32);
	put(r, i, by >= bits ? 0 : source(r, i, 1) << by, bits);
	return true;
}

static bool do_shr(PtxRun *r, const PtxInstr *i)
{
	const PtxType *t = type_of(i);
	uint64_t by = low(source(r, i, 2), 32), x = low(source(r, i, 1), t->bits);
	if (t->cls == 's')
		put(r, i, (uint64_t)(sign(x, t->bits) >> MIN(by, t->bits - 1u)), t->bits);
	else
		put(r, i, by >= t->bits ? 0 : x >> by, t->bits);
	return true;
}

/* shf.l, shf.r: a funnel of two words. */
static bool do_shf(PtxRun *r, const PtxInstr *i)
{
	uint64_t both = low(source(r, i, 2), 32) << 32 | low(source(r, i, 1), 32), by = low(source(r, i, 3), 32);
	by = ptx_mod(i, "wrap") ? by & 31 : MIN(by, 32);
	put(r, i, ptx_mod(i, "l") ? by == 32 ? both & 0xffffffff : both << by >> 32 : both >> by, 32);
	return true;
}

#define INT1(name, real, expr)                                                                        \
	static bool name(PtxRun *r, const PtxInstr *i)                                                \
	{                                                                                             \
		if (is_real(i) && (real) != NULL)                                                     \
			return real_op(r, i, 1, real);                                                \
		unsigned bits = type_of(i)->bits;                                                     \
		uint64_t x = low(source(r, i, 1), bits);                                              \
		put(r, i, (uint64_t)(expr), bits);                                                    \
		return true;                                                                          \
	}
INT1(do_not, no_real, bits == 1 ? x ^ 1 : ~x)
INT1(do_cnot, no_real, x == 0)
INT1(do_neg, neg_real, 0 - x)
INT1(do_abs, abs_real, sign(x, bits) < 0 ? 0 - x : x)
INT1(do_popc, no_real, __builtin_popcountll(x))
INT1(do_clz, no_real, x ? __builtin_clzll(x) - (64 - (int)bits) : (int)bits)

static bool do_brev(PtxRun *r, const PtxInstr *i)
{
	unsigned bits = type_of(i)->bits;
	uint64_t x = source(r, i, 1), out = 0;
	for (unsigned k = 0; k < bits; k++)
		out |= (x >> k & 1) << (bits - 1 - k);
	put(r, i, out, bits);
	return true;
}

static bool product(PtxRun *r, const PtxInstr *i, uint64_t addend)
{
	__extension__ typedef __int128 Wide;
	const PtxType *t = type_of(i);
	unsigned bits = t->bits;
	uint64_t x = low(source(r, i, 1), bits), y = low(source(r, i, 2), bits);
	Wide p = t->cls == 's' ? (Wide)sign(x, bits) * sign(y, bits) : (Wide)((unsigned __int128)x * y);
	bool wide = ptx_mod(i, "wide");
	if (ptx_mod(i, "hi"))
		p >>= bits;
	put(r, i, (uint64_t)p + addend, wide ? 2 * bits : bits);
	return true;
}

static bool do_mul(PtxRun *r, const PtxInstr *i)
{
	return is_real(i) ? real_op(r, i, 2, mul_real) : product(r, i, 0);
}

static bool do_mad(PtxRun *r, const PtxInstr *i)
{
	return is_real(i) ? real_op(r, i, 3, fma_real) : product(r, i, source(r, i, 3));
}

static bool do_fma(PtxRun *r, const PtxInstr *i)
{
	return real_op(r, i, 3, fma_real);
}

#define REAL_OP(name, fn) \
	static bool name(PtxRun *r, const PtxInstr *i) { return real_op(r, i, 1, fn); }
REAL_OP(do_ex2, ex2_real)
REAL_OP(do_lg2, lg2_real)
REAL_OP(do_sin, sin_real)
REAL_OP(do_cos, cos_real)
REAL_OP(do_tanh, tanh_real)
REAL_OP(do_rsqrt, rsqrt_real)
REAL_OP(do_sqrt, sqrt_real)
REAL_OP(do_rcp, rcp_real)

static bool do_lop3(PtxRun *r, const PtxInstr *i)
{
	uint32_t a = (uint32_t)source(r, i, 1), b = (uint32_t)source(r, i, 2), c = (uint32_t)source(r, i, 3);
	uint32_t table = (uint32_t)source(r, i, 4), out = 0;
	for (unsigned k = 0; k < 8; k++)
		if (table >> k & 1)
			out |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
	put(r, i, out, 32);
	return true;
}

uint32_t ptx_prmt(uint32_t a, uint32_t b, uint32_t selector)
{
	uint64_t bytes = (uint64_t)b << 32 | a;
	uint32_t out = 0;
	for (unsigned k = 0; k < 4; k++) {
		unsigned pick = selector >> (4 * k) & 15;
		uint32_t byte = (uint32_t)(bytes >> (8 * (pick & 7))) & 255;
		if (pick & 8)
			byte = byte & 128 ? 255 : 0;
		out |= byte << (8 * k);
	}
	return out;
}

static bool do_prmt(PtxRun *r, const PtxInstr *i)
{
	put(r, i, ptx_prmt((uint32_t)source(r, i, 1), (uint32_t)source(r, i, 2), (uint32_t)source(r, i, 3)), 32);
	return true;
}

static bool do_bfe(PtxRun *r, const PtxInstr *i)
{
	const PtxType *t = type_of(i);
	uint64_t x = low(source(r, i, 1), t->bits), at = source(r, i, 2) & 255, len = source(r, i, 3) & 255;
	if (len == 0) {
		put(r, i, 0, t->bits);
		return true;
	}
	if (t->cls == 's') {
		uint64_t last = MIN(at + len - 1, t->bits - 1u);
		uint64_t v = at >= t->bits ? 0 : x >> at;
		unsigned kept = (unsigned)(last >= at ? last - at + 1 : 0);
		put(r, i, kept ? (uint64_t)sign(v, kept) : (uint64_t)(sign(x, t->bits) >> 63), t->bits);
	} else {
		put(r, i, at >= t->bits ? 0 : low(x >> at, (unsigned)MIN(len, 64)), t->bits);
	}
	return true;
}

static bool do_bfi(PtxRun *r, const PtxInstr *i)
{
	unsigned bits = type_of(i)->bits;
	uint64_t a = source(r, i, 1), b = low(source(r, i, 2), bits), at = source(r, i, 3) & 255, len = source(r, i, 4) & 255;
	uint64_t mask = at >= bits ? 0 : low(~UINT64_C(0), (unsigned)MIN(len, 64)) << at;
	if (len == 0)
		mask = 0;
	put(r, i, (b & ~mask) | ((at >= bits ? 0 : a << at) & mask), bits);
	return true;
}

static bool do_mov(PtxRun *r, const PtxInstr *i)
{
	const PtxType *t = type_of(i);
	put(r, i, source(r, i, 1), t->cls == 'p' ? 1 : width(t));
	return true;
}

static bool do_nothing(PtxRun *r, const PtxInstr *i)
{
	(void)r;
	(void)i;
	return true;
}

/* ---- predicates ---- */

static const char *const comparisons[] = {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs",
					  "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

static bool compare(const PtxRun *r, const PtxInstr *i)
{
	const PtxType *t = type_of(i);
	uint64_t a = source(r, i, 1), b = source(r, i, 2);
	int c = (int)i->imm;
	if (is_real(i)) {
		double x = t->bits == 64 ? from_bits_d(a) : (double)widen(r, t, low(a, t->bits));
		double y = t->bits == 64 ? from_bits_d(b) : (double)widen(r, t, low(b, t->bits));
		bool unordered = x != x || y != y;
		if (c >= 16)
			return unordered == (c == 17);
		if (unordered)
			return c >= 10 || false;
		c = c >= 10 ? c - 10 : c;
		return c == 0 ? x == y : c == 1 ? x != y : c == 2 ? x < y : c == 3 ? x <= y : c == 4 ? x > y : x >= y;
	}
	a = low(a, t->bits);
	b = low(b, t->bits);
	int64_t sa = sign(a, t->bits), sb = sign(b, t->bits);
	bool is_signed = t->cls == 's' && c < 6;
	int kind = c < 6 ? c : c - 4; /* lo, ls, hi, hs are lt, le, gt, ge of unsigned numbers */
	bool less = is_signed ? sa < sb : a < b;
	return kind == 0 ? a == b : kind == 1 ? a != b : kind == 2 ? less : kind == 3 ? less || a == b
	     : kind == 4 ? !less && a != b : !less;
}

static bool do_setp(PtxRun *r, const PtxInstr *i)
{
	bool v = compare(r, i);
	if (i->count > 3) {
		bool c = source(r, i, 3) & 1;
		v = ptx_mod(i, "or") ? v || c : ptx_mod(i, "xor") ? v != c : v && c;
	}
	put(r, i, v, 1);
	return true;
}

static bool do_set(PtxRun *r, const PtxInstr *i)
{
	bool v = compare(r, i);
	const PtxType *to = i->types[0];
	put(r, i, to->cls == 'f' ? (v ? 0x3f800000 : 0) : v ? ~UINT64_C(0) : 0, to->bits);
	return true;
}

static bool do_selp(PtxRun *r, const PtxInstr *i)
{
	put(r, i, value(r, &i->operands[3], type_of(i)) & 1 ? source(r, i, 1) : source(r, i, 2), width(type_of(i)));
	return true;
}

static bool do_testp(PtxRun *r, const PtxInstr *i)
{
	const PtxType *t = type_of(i);
	uint64_t bits = source(r, i, 1);
	double x = t->bits == 64 ? from_bits_d(bits) : (double)from_bits_f((uint32_t)bits);
	put(r, i, ptx_mod(i, "finite") ? isfinite(x) : ptx_mod(i, "infinite") ? isinf(x) : ptx_mod(i, "number") ? x == x
	       : ptx_mod(i, "notanumber") ? x != x : ptx_mod(i, "normal") ? isnormal((float)x) : fpclassify((float)x) == FP_SUBNORMAL, 1);
	return true;
}

/* ---- conversions ---- */

static double real_value(const PtxRun *r, const PtxType *t, uint64_t bits)
{
	if (t->cls == 'f' || t->cls == 'h' || t->cls == 'H' || t->format >= 0)
		return t->bits == 64 ? from_bits_d(bits) : (double)widen(r, t, low(bits, t->bits));
	return t->cls == 's' ? (double)sign(bits, t->bits) : (double)low(bits, t->bits);
}

static double whole(const PtxInstr *i, double x)
{
	return ptx_mod(i, "rzi") ? trunc(x) : ptx_mod(i, "rmi") ? floor(x) : ptx_mod(i, "rpi") ? ceil(x) : ptx_mod(i, "rni") ? rint(x) : x;
}

/* NaN is the highest bit alone in 64-bit results, and in 32-bit ones from f64; else 0. */
static uint64_t to_integer(const PtxType *to, const PtxType *from, double x)
{
	unsigned bits = to->bits;
	if (x != x)
		return bits == 64 || (bits == 32 && from->bits == 64) ? UINT64_C(1) << (bits - 1) : 0;
	double limit = ldexp(1, (int)bits - (to->cls == 's'));
	if (to->cls == 's')
		return x >= limit ? (UINT64_C(1) << (bits - 1)) - 1 : x <= -limit ? UINT64_C(1) << (bits - 1) : (uint64_t)(int64_t)x;
	return x <= 0 ? 0 : x >= limit ? low(~UINT64_C(0), bits) : (uint64_t)x;
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
		uint32_t u = bits_f((float)x);
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
		fesetround(rounding(i));
		volatile double d = x;
		volatile float f = (float)d;
		fesetround(before);
		return bits_f(finish_f32(i, f));
	}
	if (ptx_mod(i, "relu") && !(x > 0) && x == x)
		x = 0;
	if (ptx_mod(i, "sat"))
		x = x > 0 ? (x < 1 ? x : 1) : 0;
	static const FpFormat formats[] = {[KF_F16] = FP_F16, [KF_BF16] = FP_BF16, [KF_E4M3FN] = FP_E4M3FN, [KF_E5M2] = FP_E5M2};
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
			uint64_t bits = low(source(r, i, 1) >> (lane * from->bits), from->bits);
			x = strcmp(from->name, "e2m1x2") == 0 ? from_e2m1(bits)
			  : strcmp(from->name, "ue8m0x2") == 0 ? (bits == 255 ? NAN : ldexp(1, (int)bits - 127))
							       : real_value(r, from, bits);
		} else {
			x = real_value(r, from, value(r, &i->operands[lane ? 1 : 2], from));
		}
		if (scaled) {
			uint64_t e = source(r, i, 2) >> (8 * lane) & 255;
			x = e == 255 ? NAN : ldexp(x, (int)e - 127);
		}
		out |= to_float(r, i, to, x) << (lane * to->bits);
	}
	put(r, i, out, width(to));
	return true;
}

static bool do_cvt(PtxRun *r, const PtxInstr *i)
{
	const PtxType *to = i->types[0], *from = i->types[1];
	if (to->lanes == 2)
		return convert_lanes(r, i, to, from);
	uint64_t bits = value(r, &i->operands[1], from);
	bool to_int = strchr("bus", to->cls) != NULL, from_int = strchr("bus", from->cls) != NULL;
	if (to_int && from_int) {
		uint64_t v = from->cls == 's' ? (uint64_t)sign(bits, from->bits) : low(bits, from->bits);
		if (ptx_mod(i, "sat")) {
			double x = real_value(r, from, bits);
			double limit = ldexp(1, (int)to->bits - (to->cls == 's'));
			if (x >= limit || x < (to->cls == 's' ? -limit : 0))
				v = to_integer(to, from, x);
		}
		put(r, i, v, to->cls == 's' ? 64 : to->bits);
		if (to->cls == 's')
			put(r, i, (uint64_t)sign(low(v, to->bits), to->bits), MAX(to->bits, 32u));
		return true;
	}
	double x = real_value(r, from, bits);
	if (to_int)
		put(r, i, to_integer(to, from, whole(i, x)), to->bits);
	else
		put(r, i, to_float(r, i, to, from_int ? x : whole(i, x)), to->bits);
	return true;
}

/* ---- memory ---- */

static bool out_of_bounds(PtxRun *r, const char *verb, uint64_t address, uint32_t size, bool write)
{
	if (exec_find_buffer(r->x, address, size, ORIGIN_ANY, write) >= 0)
		return false;
	exec_fault_access(r->x, r->at, verb, address, size, write, ORIGIN_ANY, r->shape, r->linear);
	return true;
}

/* ld and st move a register, or a vector of them. */
static bool transfer(PtxRun *r, const PtxInstr *i, const PtxOperand *regs, uint64_t address, bool load)
{
	const PtxType *t = type_of(i);
	uint32_t count = regs->kind == PTX_VECTOR ? regs->count : 1, size = width(t) / 8;
	if (out_of_bounds(r, load ? "load" : "store", address, count * size, !load))
		return false;
	for (uint32_t k = 0; k < count; k++) {
		const PtxOperand *o = regs->kind == PTX_VECTOR ? &r->program->vectors[regs->reg + k] : regs;
		void *at = (void *)(uintptr_t)(address + (uint64_t)k * size);
		uint64_t v = load ? 0 : value(r, o, t);
		if (load)
			memcpy(&v, at, size);
		if (load)
			r->regs[o->reg] = t->cls == 's' ? (uint64_t)sign(v, width(t)) : v;
		else if (memcmp(at, &v, size) != 0) {
			memcpy(at, &v, size);
			r->x->writes++;
		}
	}
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return true;
}

static bool do_ld(PtxRun *r, const PtxInstr *i)
{
	return transfer(r, i, &i->operands[0], source(r, i, 1), true);
}

static bool do_st(PtxRun *r, const PtxInstr *i)
{
	return transfer(r, i, &i->operands[1], value(r, &i->operands[0], type_of(i)), false);
}

static IrRmw rmw_of(const PtxInstr *i)
{
	static const struct {
		const char *name;
		IrRmw op;
	} ops[] = {{"add", RMW_ADD}, {"and", RMW_AND}, {"or", RMW_OR}, {"xor", RMW_XOR}, {"exch", RMW_XCHG}, {"min", RMW_MIN}, {"max", RMW_MAX}};
	for (size_t k = 0; k < ARRAY_LEN(ops); k++)
		if (ptx_mod(i, ops[k].name))
			return ops[k].op == RMW_MIN && type_of(i)->cls == 'u' ? RMW_UMIN
			     : ops[k].op == RMW_MAX && type_of(i)->cls == 'u' ? RMW_UMAX : ops[k].op;
	return 0;
}

/* atom d, [a], b(, c); red [a], b. */
static bool do_atom(PtxRun *r, const PtxInstr *i)
{
	const PtxType *t = type_of(i);
	unsigned first = strncmp(i->name, "red", 3) == 0 ? 0 : 1, size = width(t) / 8;
	uint64_t address = value(r, &i->operands[first], t), old;
	if (out_of_bounds(r, "atomic update", address, size, true))
		return false;
	if (address % size) {
		exec_fault(r->x, r->at, DIAG_RUN_MISALIGNED, "%s at 0x%llx", i->name, (unsigned long long)address);
		return false;
	}
	Tile type = {.size = (uint8_t)size, .bits = (uint8_t)(size * 8)};
	type.kind = is_real(i) ? (t->bits == 64 ? TY_F64 : t->bits == 32 ? TY_F32 : t->cls == 'h' ? TY_F16 : TY_BF16)
			       : size == 8 ? TY_I64 : size == 4 ? TY_I32 : TY_I16;
	if (ptx_mod(i, "cas")) {
		old = atomic_compare_swap(r->x, address, &type, value(r, &i->operands[first + 1], t),
					  value(r, &i->operands[first + 2], t));
	} else {
		IrRmw op = is_real(i) && rmw_of(i) == RMW_ADD ? RMW_FADD : rmw_of(i);
		old = atomic_update(r->x, address, &type, op, tile_normal(&type, value(r, &i->operands[first + 1], t)));
	}
	if (first)
		put(r, i, old, width(t));
	return true;
}

/* ---- control ---- */

/* A jump back that follows no change of memory waits for another program: the instruction is begun anew later. */
static bool do_bra(PtxRun *r, const PtxInstr *i)
{
	Exec *x = r->x;
	if (r->next > i->target) {
		if (!exec_tick(x, r->at))
			return false;
		if (x->writes == r->writes && x->depth == 0) {
			x->at = r->at;
			x->waiting = r->at;
			x->state = EXEC_STUCK;
			return false;
		}
		r->writes = x->writes;
	}
	r->next = i->target;
	return true;
}

static bool do_exit(PtxRun *r, const PtxInstr *i)
{
	(void)i;
	r->next = r->program->len;
	return true;
}

bool ptx_run(PtxRun *r)
{
	for (r->next = 0; r->next < r->program->len;) {
		const PtxInstr *i = &r->program->code[r->next++];
		if (i->guard != PTX_NO_REG && (r->regs[i->guard] & 1) == i->negated)
			continue;
		if (!i->fn(r, i))
			return false;
	}
	return true;
}

/* ---- the table ---- */

static const struct {
	const char *name;
	PtxFn *fn;
	uint8_t least, most, types; /* operands, types */
} table[] = {
	{"mov", do_mov, 2, 2, 1}, {"cvta", do_mov, 2, 2, 1}, {"add", do_add, 3, 3, 1}, {"sub", do_sub, 3, 3, 1},
	{"mul", do_mul, 3, 3, 1}, {"mul24", do_mul, 3, 3, 1}, {"mad", do_mad, 4, 4, 1}, {"fma", do_fma, 4, 4, 1},
	{"div", do_div, 3, 3, 1}, {"rem", do_rem, 3, 3, 1}, {"min", do_min, 3, 3, 1}, {"max", do_max, 3, 3, 1},
	{"abs", do_abs, 2, 2, 1}, {"neg", do_neg, 2, 2, 1}, {"and", do_and, 3, 3, 1}, {"or", do_or, 3, 3, 1},
	{"xor", do_xor, 3, 3, 1}, {"not", do_not, 2, 2, 1}, {"cnot", do_cnot, 2, 2, 1}, {"shl", do_shl, 3, 3, 1},
	{"shr", do_shr, 3, 3, 1}, {"shf", do_shf, 4, 4, 1}, {"lop3", do_lop3, 5, 5, 1}, {"prmt", do_prmt, 4, 4, 1},
	{"bfe", do_bfe, 4, 4, 1}, {"bfi", do_bfi, 5, 5, 1}, {"brev", do_brev, 2, 2, 1}, {"popc", do_popc, 2, 2, 1},
	{"clz", do_clz, 2, 2, 1}, {"setp", do_setp, 3, 4, 1}, {"set", do_set, 3, 3, 2}, {"selp", do_selp, 4, 4, 1},
	{"testp", do_testp, 2, 2, 1}, {"copysign", do_copysign, 3, 3, 1}, {"cvt", do_cvt, 2, 4, 2},
	{"ex2", do_ex2, 2, 2, 1}, {"lg2", do_lg2, 2, 2, 1}, {"sin", do_sin, 2, 2, 1}, {"cos", do_cos, 2, 2, 1},
	{"tanh", do_tanh, 2, 2, 1}, {"rcp", do_rcp, 2, 2, 1}, {"rsqrt", do_rsqrt, 2, 2, 1}, {"sqrt", do_sqrt, 2, 2, 1},
	{"ld", do_ld, 2, 2, 1}, {"st", do_st, 2, 2, 1}, {"atom", do_atom, 3, 4, 1}, {"red", do_atom, 2, 2, 1},
	{"bra", do_bra, 0, 0, 0}, {"ret", do_exit, 0, 0, 0}, {"exit", do_exit, 0, 0, 0}, {"bar", do_nothing, 0, 3, 0},
	{"barrier", do_nothing, 0, 3, 0}, {"membar", do_nothing, 0, 0, 0}, {"fence", do_nothing, 0, 2, 0},
	{"nanosleep", do_nothing, 1, 1, 0}, {"prefetch", do_nothing, 1, 1, 0}, {"griddepcontrol", do_nothing, 0, 0, 0},
};

PtxFn *ptx_function(const char *base)
{
	for (size_t k = 0; k < ARRAY_LEN(table); k++)
		if (strcmp(table[k].name, base) == 0)
			return table[k].fn;
	return NULL;
}

/* Operands are as many and of such kinds as the functions above expect. */
bool ptx_check(const PtxInstr *i, const PtxProgram *p, const char **error, Arena *arena)
{
	size_t n = strcspn(i->name, "."), row = 0;
	while (strlen(table[row].name) != n || strncmp(table[row].name, i->name, n) != 0)
		row++;
	bool good = i->count >= table[row].least && i->count <= table[row].most && i->type_count >= table[row].types;
	PtxFn *fn = table[row].fn;
	if (good && fn == do_cvt) {
		const PtxType *to = i->types[0], *from = i->types[1];
		unsigned sources = (to->lanes == 2 && from->lanes == 1 ? 2u : 1u) + (ptx_mod(i, "scaled::n2::ue8m0") ? 1u : 0u);
		good = i->count == sources + 1 && !ptx_mod(i, "rs");
	}
	if (good && (fn == do_setp || fn == do_set)) {
		int64_t *imm = (int64_t *)(uintptr_t)&i->imm;
		*imm = -1;
		for (size_t k = 0; k < ARRAY_LEN(comparisons); k++)
			if (ptx_mod(i, comparisons[k]))
				*imm = (int64_t)k;
		good = *imm >= 0;
	}
	if (good && fn == do_atom)
		good = ptx_mod(i, "cas") ? i->count == 4 : rmw_of(i) != 0 && type_of(i)->lanes == 1;
	if (good && (fn == do_ld || fn == do_atom || fn == do_st)) {
		unsigned at = fn == do_st || strncmp(i->name, "red", 3) == 0 ? 0 : 1;
		good = i->operands[at].kind == PTX_ADDRESS && !ptx_mod(i, "shared") && width(type_of(i)) >= 8;
	}
	/* Results go to registers. */
	if (good && i->count && fn != do_st && fn != do_nothing && !(fn == do_atom && strncmp(i->name, "red", 3) == 0)) {
		const PtxOperand *o = &i->operands[0];
		good = o->kind == PTX_REG || o->kind == PTX_VECTOR;
		for (uint32_t k = 0; good && o->kind == PTX_VECTOR && k < o->count; k++)
			good = p->vectors[o->reg + k].kind == PTX_REG;
	}
	if (!good)
		*error = arena_printf(arena, "inline PTX: this form of '%s'", i->name);
	return good;
}
