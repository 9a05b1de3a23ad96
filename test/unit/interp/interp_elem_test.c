/* Every elementwise op on every type it takes, against scalar references written here: dense operands, a splat on
 * either side, broadcast rows and columns, lazy (affine) integers; in fast and in plain form. */
#include "interp_kit.h"

#include <math.h>

#include "base/float/fp.h"

enum { ROWS = 8, COLUMNS = 64, N = ROWS * COLUMNS };

typedef struct Kind {
	const char *text;
	unsigned bits;
	bool is_float;
	FpFormat format;
} Kind;

static const Kind kinds[] = {
	{"i1", 1, false, 0},		   {"i8", 8, false, 0},		    {"i16", 16, false, 0},
	{"i32", 32, false, 0},		   {"i64", 64, false, 0},	    {"f8E4M3FN", 8, true, FP_E4M3FN},
	{"f8E5M2", 8, true, FP_E5M2},	   {"f16", 16, true, FP_F16},	    {"bf16", 16, true, FP_BF16},
	{"f32", 32, true, FP_F32},	   {"f64", 64, true, FP_F64},	    {"f8E4M3B11FNUZ", 8, true, FP_E4M3B11FNUZ},
	{"f8E4M3FNUZ", 8, true, FP_E4M3FNUZ}, {"f8E5M2FNUZ", 8, true, FP_E5M2FNUZ},
};
enum { I1, I8, I16, I32, I64, E4M3, E5M2, F16, BF16, F32, F64, E4B11, E4FNUZ, E5FNUZ };

static unsigned bytes_of(const Kind *k)
{
	return k->bits < 8 ? 1 : k->bits / 8;
}

static uint64_t low_bits(uint64_t v, unsigned bits)
{
	return bits == 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

static int64_t sign_of(uint64_t v, unsigned bits)
{
	return (int64_t)(v << (64 - bits)) >> (64 - bits);
}

/* A double in the format, as the GPU's arithmetic leaves it: fp8 saturates. */
static uint64_t encode(const Kind *k, double v)
{
	return fp_from_double(k->format, v, FP_NEAREST_EVEN, k->bits == 8);
}

static double decode(const Kind *k, uint64_t bits)
{
	return fp_to_double(k->format, bits);
}

/* Interesting bits: edge cases first, then random ones. */
static uint64_t sample(const Kind *k, unsigned i, uint64_t *seed)
{
	static const uint64_t ints[] = {0, 1, 2, 3, 7, 8, 31, 32, 63, 64, 127, 128, 255, 256, 0x7fff, 0x8000, 0x7fffffff, 0x80000000,
					INT64_MAX, UINT64_C(1) << 63, ~UINT64_C(0), ~UINT64_C(1)};
	static const double reals[] = {0, -0.0, 1, -1, 0.5, 1.5, 2.5, -2.5, 3, INFINITY, -INFINITY, NAN, 448, 465, 500, 65504, 65519, 65520,
				       1e-8, 6e-8, 5.9e-5, 1e-40, 3.4e38, 100, -100, 0.1, 1e10, -1e10, 57344, 61440, 62000};
	if (!k->is_float) {
		uint64_t v = i < ARRAY_LEN(ints) ? ints[i] : kit_random(seed) >> (kit_random(seed) & 63);
		return low_bits(kit_random(seed) & 1 ? v : 0 - v, k->bits);
	}
	if (i < ARRAY_LEN(reals))
		return encode(k, reals[i]);
	return kit_random(seed) & 1 ? low_bits(kit_random(seed), k->bits) : encode(k, (double)kit_uniform(seed) * 8);
}

typedef struct Case Case;
/* The bits of the result for the bits of the operands. */
typedef uint64_t Reference(const Case *c, const uint64_t *v);
struct Case {
	const char *op, *attr;
	unsigned operands;
	const Kind *in, *out;
	Reference *reference;
	double ulps; /* tolerance, for approximated functions */
};

/* ---- references ---- */

#define INT_REF(name, expr)                                                                             \
	static uint64_t name(const Case *c, const uint64_t *v)                                          \
	{                                                                                               \
		unsigned bits = c->in->bits;                                                            \
		uint64_t x = v[0], y = v[1], ones = low_bits(~UINT64_C(0), bits);                       \
		int64_t sx = sign_of(x, bits), sy = sign_of(y, bits);                                   \
		(void)y; (void)sx; (void)sy; (void)ones;                                                \
		return low_bits((uint64_t)(expr), c->out->bits);                                        \
	}
INT_REF(ref_add, x + y)
INT_REF(ref_sub, x - y)
INT_REF(ref_mul, x * y)
INT_REF(ref_and, x & y)
INT_REF(ref_or, x | y)
INT_REF(ref_xor, x ^ y)
INT_REF(ref_shl, y >= bits ? 0 : x << y)
INT_REF(ref_shru, y >= bits ? 0 : x >> y)
INT_REF(ref_shrs, sx >> (y >= bits ? bits - 1 : y))
INT_REF(ref_mins, sx < sy ? sx : sy)
INT_REF(ref_maxs, sx > sy ? sx : sy)
INT_REF(ref_minu, x < y ? x : y)
INT_REF(ref_maxu, x > y ? x : y)
INT_REF(ref_divu, y ? x / y : ones)
INT_REF(ref_remu, y ? x % y : ones)
INT_REF(ref_divs, !y ? ones : sy == -1 ? 0 - x : (uint64_t)(sx / sy))
INT_REF(ref_rems, !y ? ones : sy == -1 ? 0 : (uint64_t)(sx % sy))
INT_REF(ref_floordiv, !y ? ones : sy == -1 ? 0 - x : (uint64_t)(sx / sy - (sx % sy && (sx < 0) != (sy < 0))))
INT_REF(ref_ceildiv, !y ? ones : sy == -1 ? 0 - x : (uint64_t)(sx / sy + (sx % sy && (sx < 0) == (sy < 0))))
INT_REF(ref_abs, sx < 0 ? 0 - x : x)
INT_REF(ref_sext, sx)
INT_REF(ref_zext, x)
INT_REF(ref_eq, x == y)
INT_REF(ref_ne, x != y)
INT_REF(ref_slt, sx < sy)
INT_REF(ref_sle, sx <= sy)
INT_REF(ref_sgt, sx > sy)
INT_REF(ref_sge, sx >= sy)
INT_REF(ref_ult, x < y)
INT_REF(ref_ule, x <= y)
INT_REF(ref_ugt, x > y)
INT_REF(ref_uge, x >= y)

static uint64_t ref_mulhi(const Case *c, const uint64_t *v)
{
	__extension__ typedef unsigned __int128 Wide;
	return (uint64_t)((Wide)v[0] * v[1] >> c->in->bits);
}

static uint64_t from_int(const Case *c, bool negative, uint64_t magnitude)
{
	/* Long double holds every 64-bit integer; a sticky bit makes the double round alike. */
	double d = (double)magnitude;
	if (magnitude >> 53) {
		unsigned shift = 11;
		uint64_t kept = magnitude >> shift;
		kept |= (magnitude & 2047) != 0;
		d = ldexp((double)kept, (int)shift);
		if (c->out->format == FP_F64)
			d = (double)magnitude;
	}
	return encode(c->out, negative ? -d : d);
}

static uint64_t ref_sitofp(const Case *c, const uint64_t *v)
{
	int64_t x = sign_of(v[0], c->in->bits);
	return from_int(c, x < 0, x < 0 ? 0 - (uint64_t)x : (uint64_t)x);
}

static uint64_t ref_uitofp(const Case *c, const uint64_t *v)
{
	return from_int(c, false, v[0]);
}

static uint64_t ref_nan(const Case *c)
{
	bool high = c->out->bits == 64 || (c->out->bits == 32 && c->in->bits == 64);
	return high ? UINT64_C(1) << (c->out->bits - 1) : 0;
}

/* To an integer type of at least 16 bits, saturating; then the low bits. */
static uint64_t ref_fptosi(const Case *c, const uint64_t *v)
{
	double x = decode(c->in, v[0]);
	unsigned bits = c->out->bits < 16 ? 16 : c->out->bits;
	double limit = ldexp(1, (int)bits - 1);
	int64_t least = bits == 64 ? INT64_MIN : -(INT64_C(1) << (bits - 1)), most = -(least + 1);
	int64_t r = isnan(x) ? (int64_t)ref_nan(c) : x <= -limit ? least : x >= limit ? most : (int64_t)x;
	return low_bits((uint64_t)r, c->out->bits);
}

static uint64_t ref_fptoui(const Case *c, const uint64_t *v)
{
	double x = decode(c->in, v[0]);
	unsigned bits = c->out->bits < 16 ? 16 : c->out->bits;
	double limit = ldexp(1, (int)bits);
	uint64_t r = isnan(x) ? ref_nan(c) : x <= 0 ? 0 : x >= limit ? low_bits(~UINT64_C(0), bits) : (uint64_t)x;
	return low_bits(r, c->out->bits);
}

static uint64_t ref_fpcast(const Case *c, const uint64_t *v)
{
	return encode(c->out, decode(c->in, v[0]));
}

static uint64_t ref_rtz(const Case *c, const uint64_t *v)
{
	double x = decode(c->in, v[0]);
	bool stays = c->out->format == FP_E5M2 && isinf(x);
	return fp_from_double(c->out->format, x, FP_TOWARD_ZERO, c->out->bits == 8 && !stays);
}

/* What .ftz makes of a float. */
static float flushed(float x)
{
	return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

/* Arithmetic of narrow floats is f32's, rounded; of f32 its own; of f64 its own. */
#define REAL_REF(name, e32, e64)                                                                        \
	static uint64_t name(const Case *c, const uint64_t *v)                                          \
	{                                                                                               \
		double dx = decode(c->in, v[0]), dy = decode(c->in, v[1]), dz = decode(c->in, v[2]);    \
		float x = (float)dx, y = (float)dy, z = (float)dz;                                      \
		(void)dy; (void)dz; (void)y; (void)z; (void)x;                                          \
		double r = c->in->format == FP_F64 ? (e64) : (double)(e32);                             \
		return c->out->is_float ? encode(c->out, r) : r != 0;                                   \
	}
REAL_REF(ref_addf, x + y, dx + dy)
REAL_REF(ref_subf, x - y, dx - dy)
REAL_REF(ref_mulf, x * y, dx * dy)
REAL_REF(ref_divf, x / y, dx / dy)
REAL_REF(ref_remf, fmodf(x, y), fmod(dx, dy))
REAL_REF(ref_negf, -x, -dx)
REAL_REF(ref_absf, fabsf(x), fabs(dx))
REAL_REF(ref_fma, fmaf(x, y, z), fma(dx, dy, dz))
REAL_REF(ref_floor, floorf(x), floor(dx))
REAL_REF(ref_ceil, ceilf(x), ceil(dx))
REAL_REF(ref_sqrt, sqrtf(flushed(x)), sqrt(dx))
REAL_REF(ref_precise_sqrt, sqrtf(x), sqrt(dx))
REAL_REF(ref_rsqrt, 1 / sqrt((double)flushed(x)), 1 / sqrt(dx))
REAL_REF(ref_exp, exp(dx), exp(dx))
REAL_REF(ref_exp2, flushed((float)exp2(dx)), exp2(dx))
REAL_REF(ref_log, log(dx), log(dx))
REAL_REF(ref_log2, log2(dx), log2(dx))
REAL_REF(ref_sin, sin(dx), sin(dx))
REAL_REF(ref_cos, cos(dx), cos(dx))
REAL_REF(ref_erf, erf(dx), erf(dx))
static double smaller(double a, double b)
{
	return a == b ? (signbit(a) ? a : b) : a < b ? a : b;
}
static double greater(double a, double b)
{
	return a == b ? (signbit(a) ? b : a) : a > b ? a : b;
}
REAL_REF(ref_minimum, isnan(dx) || isnan(dy) ? NAN : smaller(dx, dy), isnan(dx) || isnan(dy) ? NAN : smaller(dx, dy))
REAL_REF(ref_maximum, isnan(dx) || isnan(dy) ? NAN : greater(dx, dy), isnan(dx) || isnan(dy) ? NAN : greater(dx, dy))
REAL_REF(ref_minnum, isnan(dx) ? dy : isnan(dy) ? dx : smaller(dx, dy), isnan(dx) ? dy : isnan(dy) ? dx : smaller(dx, dy))
REAL_REF(ref_maxnum, isnan(dx) ? dy : isnan(dy) ? dx : greater(dx, dy), isnan(dx) ? dy : isnan(dy) ? dx : greater(dx, dy))
#define CMP(name, expr) REAL_REF(name, expr, expr)
CMP(ref_oeq, dx == dy)
CMP(ref_ogt, dx > dy)
CMP(ref_oge, dx >= dy)
CMP(ref_olt, dx < dy)
CMP(ref_ole, dx <= dy)
CMP(ref_one, dx < dy || dx > dy)
CMP(ref_ord, !isnan(dx) && !isnan(dy))
CMP(ref_ueq, !(dx < dy || dx > dy))
CMP(ref_ugtf, !(dx <= dy))
CMP(ref_ugef, !(dx < dy))
CMP(ref_ultf, !(dx >= dy))
CMP(ref_ulef, !(dx > dy))
CMP(ref_une, dx != dy)
CMP(ref_uno, isnan(dx) || isnan(dy))

/* ---- running a case ---- */

/* How an operand reaches the op. */
typedef enum { DENSE, SPLAT, ROW, COLUMN } Form;

static void operand_text(Text *t, unsigned k, Form form, const char *type)
{
	char shape[32];
	int rows = form == ROW || form == SPLAT ? 1 : ROWS, columns = form == COLUMN || form == SPLAT ? 1 : COLUMNS;
	snprintf(shape, sizeof shape, "%dx%dx", rows, columns);
	if (form == SPLAT) {
		text_printf(t, "%%v%u = tt.load %%p%u : !tt.ptr<%s>\n%%o%u = tt.splat %%v%u : %s -> tensor<%dx%dx%s>\n", k, k,
			    type, k, k, type, ROWS, COLUMNS, type);
		return;
	}
	text_printf(t, "%%b%u = tt.splat %%p%u : !tt.ptr<%s> -> tensor<%s!tt.ptr<%s>>\n", k, k, type, shape, type);
	const char *offset = form == DENSE ? "%all" : form == ROW ? "%columns" : "%rows";
	text_printf(t, "%%a%u = tt.addptr %%b%u, %s : tensor<%s!tt.ptr<%s>>, tensor<%si32>\n", k, k, offset, shape, type,
		    shape);
	text_printf(t, "%%v%u = tt.load %%a%u : tensor<%s!tt.ptr<%s>>\n", k, k, shape, type);
	if (form == DENSE)
		text_printf(t, "%%o%u = tt.trans %%v%u {order = array<i32: 0, 1>} : tensor<%s%s> -> tensor<%s%s>\n", k, k,
			    shape, type, shape, type);
	else
		text_printf(t, "%%o%u = tt.broadcast %%v%u : tensor<%s%s> -> tensor<%dx%dx%s>\n", k, k, shape, type, ROWS,
			    COLUMNS, type);
}

static char *case_text(Arena *arena, const Case *c, const Form *forms)
{
	Text t;
	text_init(&t, arena);
	text_str(&t, "module {\ntt.func public @kernel(");
	for (unsigned k = 0; k < c->operands; k++)
		text_printf(&t, "%%p%u: !tt.ptr<%s>, ", k, c->in->text);
	text_printf(&t, "%%po: !tt.ptr<%s>) {\n", c->out->text);
	text_printf(&t, "%%r = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>\n", ROWS, ROWS);
	text_printf(&t, "%%c = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>\n", COLUMNS, COLUMNS);
	text_printf(&t, "%%rows = tt.expand_dims %%r {axis = 1 : i32} : tensor<%dxi32> -> tensor<%dx1xi32>\n", ROWS, ROWS);
	text_printf(&t, "%%columns = tt.expand_dims %%c {axis = 0 : i32} : tensor<%dxi32> -> tensor<1x%dxi32>\n", COLUMNS,
		    COLUMNS);
	text_printf(&t, "%%w = arith.constant dense<%d> : tensor<%dx1xi32>\n", COLUMNS, ROWS);
	text_printf(&t, "%%s = arith.muli %%rows, %%w : tensor<%dx1xi32>\n", ROWS);
	text_printf(&t, "%%sb = tt.broadcast %%s : tensor<%dx1xi32> -> tensor<%dx%dxi32>\n", ROWS, ROWS, COLUMNS);
	text_printf(&t, "%%cb = tt.broadcast %%columns : tensor<1x%dxi32> -> tensor<%dx%dxi32>\n", COLUMNS, ROWS, COLUMNS);
	text_printf(&t, "%%all = arith.addi %%sb, %%cb : tensor<%dx%dxi32>\n", ROWS, COLUMNS);
	for (unsigned k = 0; k < c->operands; k++)
		operand_text(&t, k, forms[k], c->in->text);
	text_printf(&t, "%%res = \"%s\"(", c->op);
	for (unsigned k = 0; k < c->operands; k++)
		text_printf(&t, "%s%%o%u", k ? ", " : "", k);
	text_printf(&t, ") %s : (", c->attr ? c->attr : "");
	for (unsigned k = 0; k < c->operands; k++)
		text_printf(&t, "%stensor<%dx%dx%s>", k ? ", " : "", ROWS, COLUMNS, c->in->text);
	text_printf(&t, ") -> tensor<%dx%dx%s>\n", ROWS, COLUMNS, c->out->text);
	text_printf(&t, "%%bo = tt.splat %%po : !tt.ptr<%s> -> tensor<%dx%dx!tt.ptr<%s>>\n", c->out->text, ROWS, COLUMNS,
		    c->out->text);
	text_printf(&t, "%%ao = tt.addptr %%bo, %%all : tensor<%dx%dx!tt.ptr<%s>>, tensor<%dx%dxi32>\n", ROWS, COLUMNS,
		    c->out->text, ROWS, COLUMNS);
	text_printf(&t, "tt.store %%ao, %%res : tensor<%dx%dx!tt.ptr<%s>>\ntt.return\n}\n}\n", ROWS, COLUMNS, c->out->text);
	return t.data;
}

static bool close_enough(const Case *c, uint64_t got, uint64_t want)
{
	if (got == want)
		return true;
	if (!c->out->is_float)
		return false;
	double g = decode(c->out, got), w = decode(c->out, want);
	if (isnan(g) || isnan(w))
		return isnan(g) && isnan(w);
	if (c->ulps == 0)
		return g == w && signbit(g) == signbit(w);
	/* Neighbouring encodings differ by one. */
	int64_t a = (int64_t)low_bits(got, c->out->bits - 1), b = (int64_t)low_bits(want, c->out->bits - 1);
	return signbit(g) == signbit(w) && fabs((double)(a - b)) <= c->ulps;
}

static void run_case(const Case *c, const Form *forms)
{
	uint64_t seed = 12345;
	static uint64_t values[3][N];
	char *in[3], *out = malloc(N * 8);
	unsigned size = bytes_of(c->in), out_size = bytes_of(c->out);
	Kit *k = NULL;
	Arena arena;
	arena_init(&arena, 0);
	for (unsigned plain = 0; plain < 2; plain++) {
		k = kit_new(case_text(&arena, c, forms));
		for (unsigned o = 0; o < c->operands; o++) {
			in[o] = malloc(N * 8);
			for (unsigned i = 0; i < N; i++) {
				/* Every edge case of one operand meets every one of the other, in part. */
				values[o][i] = sample(c->in, o ? i / 24 : i % 24 + (i / 24 > 20 ? 200u : 0u), &seed);
				memcpy(in[o] + i * size, &values[o][i], size);
			}
			kit_buffer(k, "in", in[o], N * size, false);
		}
		memset(out, 0xee, N * 8);
		kit_buffer(k, "out", out, N * out_size, true);
		k->launch.plain = plain;
		kit_run(k, 1);
		for (unsigned i = 0; i < N; i++) {
			uint64_t v[3] = {0}, got = 0;
			for (unsigned o = 0; o < c->operands; o++) {
				Form f = forms[o];
				v[o] = values[o][f == SPLAT ? 0 : f == ROW ? i % COLUMNS : f == COLUMN ? i / COLUMNS : i];
			}
			memcpy(&got, out + i * out_size, out_size);
			uint64_t want = c->reference(c, v);
			if (!close_enough(c, got, want))
				fail_msg("%s on %s -> %s (%llx, %llx, %llx): got %llx, want %llx (plain %u, forms %d %d)", c->op,
					 c->in->text, c->out->text, (unsigned long long)v[0], (unsigned long long)v[1],
					 (unsigned long long)v[2], (unsigned long long)got, (unsigned long long)want, plain,
					 (int)forms[0], (int)forms[1]);
		}
		for (unsigned o = 0; o < c->operands; o++)
			free(in[o]);
		kit_free(k);
	}
	free(out);
	arena_free(&arena);
}

static const Form some_forms[][3] = {
	{DENSE, DENSE, DENSE}, {DENSE, SPLAT, ROW}, {SPLAT, DENSE, COLUMN}, {ROW, COLUMN, DENSE}, {COLUMN, DENSE, SPLAT},
	{SPLAT, SPLAT, SPLAT},
};

static void all_forms(Case c)
{
	for (size_t f = 0; f < ARRAY_LEN(some_forms); f++)
		run_case(&c, some_forms[f]);
}

static void integer_arithmetic(void **state)
{
	static const struct {
		const char *op;
		Reference *reference;
	} ops[] = {
		{"arith.addi", ref_add}, {"arith.subi", ref_sub}, {"arith.muli", ref_mul}, {"arith.andi", ref_and},
		{"arith.ori", ref_or}, {"arith.xori", ref_xor}, {"arith.shli", ref_shl}, {"arith.shrui", ref_shru},
		{"arith.shrsi", ref_shrs}, {"arith.minsi", ref_mins}, {"arith.maxsi", ref_maxs}, {"arith.minui", ref_minu},
		{"arith.maxui", ref_maxu}, {"arith.divui", ref_divu}, {"arith.remui", ref_remu}, {"arith.divsi", ref_divs},
		{"arith.remsi", ref_rems}, {"arith.floordivsi", ref_floordiv}, {"arith.ceildivsi", ref_ceildiv},
		{"tt.mulhiui", ref_mulhi},
	};
	for (size_t o = 0; o < ARRAY_LEN(ops); o++)
		for (int k = I1; k <= I64; k++)
			all_forms((Case){ops[o].op, NULL, 2, &kinds[k], &kinds[k], ops[o].reference, 0});
	for (int k = I8; k <= I64; k++)
		all_forms((Case){"math.absi", NULL, 1, &kinds[k], &kinds[k], ref_abs, 0});
}

static void integer_comparison(void **state)
{
	static Reference *const references[] = {ref_eq, ref_ne, ref_slt, ref_sle, ref_sgt, ref_sge, ref_ult, ref_ule, ref_ugt,
						ref_uge};
	for (unsigned p = 0; p < ARRAY_LEN(references); p++) {
		char attr[64];
		snprintf(attr, sizeof attr, "<{predicate = %u : i64}>", p);
		for (int k = I1; k <= I64; k++)
			all_forms((Case){"arith.cmpi", attr, 2, &kinds[k], &kinds[I1], references[p], 0});
	}
}

static void integer_conversion(void **state)
{
	for (int from = I1; from <= I64; from++)
		for (int to = I1; to <= I64; to++) {
			if (from < to) {
				all_forms((Case){"arith.extsi", NULL, 1, &kinds[from], &kinds[to], ref_sext, 0});
				all_forms((Case){"arith.extui", NULL, 1, &kinds[from], &kinds[to], ref_zext, 0});
			} else if (from > to) {
				all_forms((Case){"arith.trunci", NULL, 1, &kinds[from], &kinds[to], ref_zext, 0});
			}
		}
}

static void float_arithmetic(void **state)
{
	static const struct {
		const char *op;
		unsigned operands;
		Reference *reference;
		double ulps;
	} ops[] = {
		{"arith.addf", 2, ref_addf, 0}, {"arith.subf", 2, ref_subf, 0}, {"arith.mulf", 2, ref_mulf, 0},
		{"arith.divf", 2, ref_divf, 0}, {"tt.precise_divf", 2, ref_divf, 0}, {"arith.remf", 2, ref_remf, 0},
		{"arith.negf", 1, ref_negf, 0}, {"math.absf", 1, ref_absf, 0}, {"math.fma", 3, ref_fma, 0},
		{"arith.minimumf", 2, ref_minimum, 0}, {"arith.maximumf", 2, ref_maximum, 0},
		{"arith.minnumf", 2, ref_minnum, 0}, {"arith.maxnumf", 2, ref_maxnum, 0}, {"math.floor", 1, ref_floor, 0},
		{"math.ceil", 1, ref_ceil, 0}, {"math.sqrt", 1, ref_sqrt, 0}, {"tt.precise_sqrt", 1, ref_precise_sqrt, 0},
		{"math.rsqrt", 1, ref_rsqrt, 1}, {"math.exp", 1, ref_exp, 1}, {"math.exp2", 1, ref_exp2, 1},
		{"math.log", 1, ref_log, 1}, {"math.log2", 1, ref_log2, 1}, {"math.sin", 1, ref_sin, 1},
		{"math.cos", 1, ref_cos, 1}, {"math.erf", 1, ref_erf, 1},
	};
	for (size_t o = 0; o < ARRAY_LEN(ops); o++)
		for (int k = E4M3; k <= F64; k++)
			all_forms((Case){ops[o].op, NULL, ops[o].operands, &kinds[k], &kinds[k], ops[o].reference, ops[o].ulps});
}

static void float_comparison(void **state)
{
	static Reference *const references[] = {NULL, ref_oeq, ref_ogt, ref_oge, ref_olt, ref_ole, ref_one, ref_ord,
						ref_ueq, ref_ugtf, ref_ugef, ref_ultf, ref_ulef, ref_une, ref_uno};
	for (unsigned p = 1; p < ARRAY_LEN(references); p++) {
		char attr[64];
		snprintf(attr, sizeof attr, "<{predicate = %u : i64}>", p);
		for (int k = E4M3; k <= F64; k++)
			all_forms((Case){"arith.cmpf", attr, 2, &kinds[k], &kinds[I1], references[p], 0});
	}
}

static void conversion_between_floats(void **state)
{
	for (int from = E4M3; from <= E5FNUZ; from++)
		for (int to = E4M3; to <= E5FNUZ; to++) {
			if (from == to)
				continue;
			Case c = {"tt.fp_to_fp", "{rounding = 1 : i32}", 1, &kinds[from], &kinds[to], ref_fpcast, 0};
			all_forms(c);
			if (kinds[to].bits < kinds[from].bits) {
				c.attr = "{rounding = 0 : i32}";
				c.reference = ref_rtz;
				all_forms(c);
			}
		}
	all_forms((Case){"arith.truncf", NULL, 1, &kinds[F64], &kinds[F16], ref_fpcast, 0});
	all_forms((Case){"arith.truncf", NULL, 1, &kinds[F32], &kinds[BF16], ref_fpcast, 0});
	all_forms((Case){"arith.extf", NULL, 1, &kinds[F16], &kinds[F64], ref_fpcast, 0});
}

static void conversion_of_numbers(void **state)
{
	static const int floats[] = {F16, BF16, F32, F64};
	for (size_t f = 0; f < ARRAY_LEN(floats); f++)
		for (int i = I1; i <= I64; i++) {
			const Kind *real = &kinds[floats[f]], *whole = &kinds[i];
			all_forms((Case){"arith.sitofp", NULL, 1, whole, real, ref_sitofp, 0});
			all_forms((Case){"arith.uitofp", NULL, 1, whole, real, ref_uitofp, 0});
			if (i != I1) {
				all_forms((Case){"arith.fptosi", NULL, 1, real, whole, ref_fptosi, 0});
				all_forms((Case){"arith.fptoui", NULL, 1, real, whole, ref_fptoui, 0});
			}
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integer_arithmetic),
		cmocka_unit_test(integer_comparison),
		cmocka_unit_test(integer_conversion),
		cmocka_unit_test(float_arithmetic),
		cmocka_unit_test(float_comparison),
		cmocka_unit_test(conversion_between_floats),
		cmocka_unit_test(conversion_of_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
