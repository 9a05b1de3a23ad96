/* tt.extern_elementwise: the CUDA device library, table driven (libdevice.def). f32 functions are those of double
 * rounded once, so they are at least as accurate as the GPU's. The forms with a rounding mode run under that mode of
 * the host's arithmetic and are exact; their operands are volatile, so that nothing is computed beforehand.
 * NaN converts to 0, what is out of an integer's range to its nearest end, as PTX cvt. */
#define _DEFAULT_SOURCE /* j0, lgamma_r */

#include <fenv.h>
#include <limits.h>

#include "interp/elem.h"
#include "interp/kern/math.h"
#include "interp/ptx/ptx.h"

/* ---- functions that libm does not have ---- */

static double sin_pi(double x)
{
	double r = remainder(x, 2);
	if (r == 0 || fabs(r) == 1)
		return copysign(0, x);
	return fabs(r) <= 0.25 ? sin(M_PI * r) : r > 0 ? (r < 0.75 ? cos(M_PI * (r - 0.5)) : sin(M_PI * (1 - r)))
			       : (r > -0.75 ? -cos(M_PI * (r + 0.5)) : sin(M_PI * (-1 - r)));
}

static double cos_pi(double x)
{
	double r = fabs(remainder(x, 2));
	return r == 0.5 ? 0 : r <= 0.25 ? cos(M_PI * r) : r < 0.75 ? sin(M_PI * (0.5 - r)) : -cos(M_PI * (1 - r));
}

static double log_gamma(double x)
{
	int sign;
	return lgamma_r(x, &sign);
}

/* hypot: libm's is of glibc 2.35, and nothing else needs one newer than 2.34. long double holds the
 * squares of all doubles. */
static double length(double x, double y)
{
	if (isinf(x) || isinf(y))
		return INFINITY;
	return (double)sqrtl((long double)x * x + (long double)y * y);
}

static double norm(double x, double y, double z, double w)
{
	return length(length(x, y), length(z, w));
}

/* I_0 or I_1 by the power series: all terms have one sign, so nothing cancels. */
static double bessel_i(double x, int order)
{
	double q = x * x / 4, term = order ? x / 2 : 1, sum = term;
	if (isnan(x))
		return x;
	if (fabs(x) > 720)
		return order && x < 0 ? -INFINITY : INFINITY;
	for (int k = 1; k < 2000 && fabs(term) > 1e-18 * fabs(sum); k++) {
		term *= q / ((double)k * (k + order));
		sum += term;
	}
	return sum;
}

/* exp(x^2) erfc(x). */
static double erfc_scaled(double x)
{
	if (x < 20) {
		/* x^2 as a sum, so that its rounding does not reach the exponent. */
		double high = x * x, low = fma(x, x, -high);
		return x < -26.7 ? INFINITY : exp(high) * erfc(x) * (1 + low);
	}
	double q = 0.5 / (x * x);
	return 0x1.20dd750429b6dp-1 / x * (1 - q * (1 - 3 * q * (1 - 5 * q * (1 - 7 * q))));
}

/* y with erfc(y) = p, 0 < p < 2: Newton's method (with Halley's term) from Winitzki's approximation. */
static double erfc_inverse(double p)
{
	if (!(p >= 0 && p <= 2))
		return NAN;
	if (p == 0 || p == 2)
		return p == 0 ? INFINITY : -INFINITY;
	if (p > 1)
		return p == 1 ? 0 : -erfc_inverse(2 - p);
	double l = log(p * (2 - p)), t = 2 / (M_PI * 0.147) + l / 2;
	double y = sqrt(sqrt(t * t - l / 0.147) - t);
	for (int k = 0; k < 4; k++) {
		double slope = -0x1.20dd750429b6dp0 * exp(-y * y);
		if (slope == 0)
			break;
		double e = (erfc(y) - p) / slope;
		y -= e / (1 + y * e);
	}
	return y;
}

static double erf_inverse(double x)
{
	if (!(fabs(x) < 0.5))
		return x < 0 ? -erfc_inverse(1 + x) : erfc_inverse(1 - x);
	double y = x * 0x1.c5bf891b4ef6bp-1; /* sqrt(pi) / 2 */
	for (int k = 0; k < 6; k++) {
		double e = (erf(y) - x) / (0x1.20dd750429b6dp0 * exp(-y * y));
		y -= e / (1 + y * e);
	}
	return x == 0 ? x : y;
}

static int32_t int_logb(double x)
{
	return x == 0 || isnan(x) ? INT_MIN : isinf(x) ? INT_MAX : ilogb(x);
}

/* NaN: 0 of float to 32 bits, else the highest bit alone. */
static int32_t to_s32(double x)
{
	return isnan(x) || x <= -0x1p31 ? INT32_MIN : x >= 0x1p31 ? INT32_MAX : (int32_t)x;
}

static uint32_t to_u32(double x)
{
	return isnan(x) ? UINT32_C(1) << 31 : x <= 0 ? 0 : x >= 0x1p32 ? UINT32_MAX : (uint32_t)x;
}

static int64_t to_s64(double x)
{
	return isnan(x) || x <= -0x1p63 ? INT64_MIN : x >= 0x1p63 ? INT64_MAX : (int64_t)x;
}

static uint64_t to_u64(double x)
{
	return isnan(x) ? UINT64_C(1) << 63 : x <= 0 ? 0 : x >= 0x1p64 ? UINT64_MAX : (uint64_t)x;
}

/* Rounded once: the double quotient may lie on a tie of floats only if it is exact. */
static float rsqrt_exact(float x)
{
	return (float)(1 / sqrt((double)x));
}

/* To a whole number in the current rounding mode (compilers expand rint for the nearest only). */
static double whole(double x)
{
	switch (fegetround()) {
	case FE_DOWNWARD:
		return floor(x);
	case FE_UPWARD:
		return ceil(x);
	case FE_TOWARDZERO:
		return trunc(x);
	default:
		return rint(x);
	}
}

static uint64_t reverse_bits(uint64_t x)
{
	x = (x >> 1 & UINT64_C(0x5555555555555555)) | (x & UINT64_C(0x5555555555555555)) << 1;
	x = (x >> 2 & UINT64_C(0x3333333333333333)) | (x & UINT64_C(0x3333333333333333)) << 2;
	x = (x >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) | (x & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
	return __builtin_bswap64(x);
}

static uint64_t mul_high_u64(uint64_t x, uint64_t y)
{
	__extension__ typedef unsigned __int128 Wide;
	return (uint64_t)((Wide)x * y >> 64);
}

static int64_t mul_high_s64(int64_t x, int64_t y)
{
	__extension__ typedef __int128 Wide;
	return (int64_t)((Wide)x * y >> 64);
}

/* ---- the rows as functions ---- */

#define BODY(R, ...)                               \
	R *o = out;                                \
	(void)e;                                   \
	for (size_t i = 0; i < n; i++) {           \
		__VA_ARGS__                                \
	}
#define HEAD(name) static void lib_##name(const ElemOp *e, void *out, const void *const *in, size_t n)

#define LIB1(name, X, R, expr) \
	HEAD(name) { const X *p = in[0]; BODY(R, X x = p[i]; o[i] = (R)(expr);) }
#define LIB2(name, X, Y, R, expr) \
	HEAD(name) { const X *p = in[0]; const Y *q = in[1]; BODY(R, X x = p[i]; Y y = q[i]; o[i] = (R)(expr);) }
#define LIB3(name, X, Y, Z, R, expr)                                                             \
	HEAD(name)                                                                               \
	{                                                                                        \
		const X *p = in[0];                                                              \
		const Y *q = in[1];                                                              \
		const Z *r = in[2];                                                              \
		BODY(R, X x = p[i]; Y y = q[i]; Z z = r[i]; o[i] = (R)(expr);)                   \
	}
#define MATH_N(name, F, count, expr)                                                             \
	HEAD(name)                                                                               \
	{                                                                                        \
		const F *const *p = (const F *const *)(const void *)in;                          \
		BODY(F, double x = (double)p[0][i], y = count > 1 ? (double)p[count > 1 ? 1 : 0][i] : 0,     \
			z = count > 2 ? (double)p[count > 2 ? 2 : 0][i] : 0,                                 \
			w = count > 3 ? (double)p[count > 3 ? 3 : 0][i] : 0;                                 \
		     (void)y; (void)z; (void)w; o[i] = (F)(expr);)                               \
	}
#define MATH1(name, expr) MATH_N(name, double, 1, expr) MATH_N(name##f, float, 1, expr)
#define FTZ1(name, expr)                                                                         \
	MATH_N(name, double, 1, expr)                                                            \
	HEAD(name##f)                                                                            \
	{                                                                                        \
		const float *p = in[0];                                                          \
		BODY(float, double x = (double)flush_f(p[i]); o[i] = flush_f((float)(expr));)    \
	}
#define MATH2(name, expr) MATH_N(name, double, 2, expr) MATH_N(name##f, float, 2, expr)
#define MATH3(name, expr) MATH_N(name, double, 3, expr) MATH_N(name##f, float, 3, expr)
#define MATH4(name, expr) MATH_N(name, double, 4, expr) MATH_N(name##f, float, 4, expr)

#define ROUNDED_N(name, X, R, mode, load, expr)                                                  \
	HEAD(name)                                                                               \
	{                                                                                        \
		const X *const *p = (const X *const *)(const void *)in;                          \
		int before = fegetround();                                                       \
		fesetround(mode);                                                                \
		BODY(R, load volatile R v = (R)(expr); o[i] = v;)                                \
		fesetround(before);                                                              \
	}
#define ALL_MODES(name, X, R, load, expr)                        \
	ROUNDED_N(name##_rn, X, R, FE_TONEAREST, load, expr)     \
	ROUNDED_N(name##_rz, X, R, FE_TOWARDZERO, load, expr)    \
	ROUNDED_N(name##_rd, X, R, FE_DOWNWARD, load, expr)      \
	ROUNDED_N(name##_ru, X, R, FE_UPWARD, load, expr)
#define ROUNDED1(name, X, R, expr) ALL_MODES(name, X, R, volatile X x = p[0][i];, expr)
#define ROUNDED2(name, X, R, expr) ALL_MODES(name, X, R, volatile X x = p[0][i]; volatile X y = p[1][i];, expr)
#define ROUNDED3(name, X, R, expr) \
	ALL_MODES(name, X, R, volatile X x = p[0][i]; volatile X y = p[1][i]; volatile X z = p[2][i];, expr)
#define KERNEL(name, kernel)
#include "interp/libdevice.def"
#undef LIB1
#undef LIB2
#undef LIB3
#undef MATH1
#undef FTZ1
#undef MATH2
#undef MATH3
#undef MATH4
#undef ROUNDED1
#undef ROUNDED2
#undef ROUNDED3
#undef KERNEL

typedef struct LibRow {
	const char *name;
	ElemScalar *fn; /* NULL: a vector kernel */
	uint8_t count, in_size[4], out_size;
	int kernel;
} LibRow;

#define S(T) (uint8_t)sizeof(T)
#define MATH_ROWS(name, n)                                                      \
	{#name, lib_##name, n, {8, 8, 8, 8}, 8, 0}, {#name "f", lib_##name##f, n, {4, 4, 4, 4}, 4, 0},
#define MATH1(name, expr) MATH_ROWS(name, 1)
#define FTZ1(name, expr) MATH_ROWS(name, 1)
#define MATH2(name, expr) MATH_ROWS(name, 2)
#define MATH3(name, expr) MATH_ROWS(name, 3)
#define MATH4(name, expr) MATH_ROWS(name, 4)
#define LIB1(name, X, R, expr) {#name, lib_##name, 1, {S(X)}, S(R), 0},
#define LIB2(name, X, Y, R, expr) {#name, lib_##name, 2, {S(X), S(Y)}, S(R), 0},
#define LIB3(name, X, Y, Z, R, expr) {#name, lib_##name, 3, {S(X), S(Y), S(Z)}, S(R), 0},
#define MODE_ROWS(name, n, X, R)                                                                                   \
	{#name "_rn", lib_##name##_rn, n, {S(X), S(X), S(X)}, S(R), 0},                                            \
	{#name "_rz", lib_##name##_rz, n, {S(X), S(X), S(X)}, S(R), 0},                                            \
	{#name "_rd", lib_##name##_rd, n, {S(X), S(X), S(X)}, S(R), 0},                                            \
	{#name "_ru", lib_##name##_ru, n, {S(X), S(X), S(X)}, S(R), 0},
#define ROUNDED1(name, X, R, expr) MODE_ROWS(name, 1, X, R)
#define ROUNDED2(name, X, R, expr) MODE_ROWS(name, 2, X, R)
#define ROUNDED3(name, X, R, expr) MODE_ROWS(name, 3, X, R)
#define KERNEL(name, kernel) {#name, NULL, 1, {4}, 4, kernel},
static const LibRow rows[] = {
#include "interp/libdevice.def"
};

static const LibRow *find_row(const char *symbol)
{
	if (strncmp(symbol, "__nv_", 5) != 0)
		return NULL;
	for (size_t k = 0; k < ARRAY_LEN(rows); k++)
		if (strcmp(rows[k].name, symbol + 5) == 0)
			return &rows[k];
	return NULL;
}

/* What is not known is an error of the program that gets there, not of the kernel. */
static const Instr *run_unknown(Exec *x, const Instr *i)
{
	return exec_fault(x, i, DIAG_RUN_UNSUPPORTED, "%s", (const char *)i->aux);
}

static bool decode_unknown(Decoder *d, const IrOp *op, const char *text)
{
	decode_instr(d, op, run_unknown)->aux = text;
	return true;
}

bool interp_EXTERN(Decoder *d, const IrOp *op)
{
	IrAttr symbol = ir_get(op, d->cx, ATTR_SYMBOL);
	const char *name = symbol ? symbol->text : "";
	const LibRow *row = find_row(name);
	if (!row)
		return decode_unknown(d, op, arena_printf(d->arena, "the external function '%s'", name));
	bool fits = op->operand_count == row->count && decode_type(d, op->results[0].type).size == row->out_size;
	for (uint32_t k = 0; k < op->operand_count && fits; k++)
		fits = decode_type(d, ir_operand(op, k)->type).size == row->in_size[k];
	if (!fits)
		return decode_unknown(d, op, arena_printf(d->arena, "the function '%s' with such operands", name));
	ElemOp *e = elem_new(d, row->fn ? ELEM_SCALAR : ELEM_UNARY, row->count);
	e->scalar = row->fn;
	if (!row->fn)
		e->unary = d->kernel->k->unary[row->kernel][KT_F32];
	decode_instr(d, op, elem_plain)->aux = e;
	return true;
}
