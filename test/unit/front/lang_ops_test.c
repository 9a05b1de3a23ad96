/* Operators and casts of every integer and float type on the interpreter, against C. */
#include "lang_kit.h"

#include <math.h>

enum { N = 64 };

typedef struct Type {
	neso_dtype dtype;
	const char *name;
	unsigned bits;
	enum { SIGNED, UNSIGNED, FLOAT } kind;
} Type;

static const Type types[] = {
	{NESO_INT8, "tl.int8", 8, SIGNED},       {NESO_UINT8, "tl.uint8", 8, UNSIGNED},
	{NESO_INT16, "tl.int16", 16, SIGNED},    {NESO_UINT16, "tl.uint16", 16, UNSIGNED},
	{NESO_INT32, "tl.int32", 32, SIGNED},    {NESO_UINT32, "tl.uint32", 32, UNSIGNED},
	{NESO_INT64, "tl.int64", 64, SIGNED},    {NESO_UINT64, "tl.uint64", 64, UNSIGNED},
	{NESO_FP32, "tl.float32", 32, FLOAT},    {NESO_FP64, "tl.float64", 64, FLOAT},
};

#define TYPES (sizeof types / sizeof types[0])

/* An integer as its 64-bit pattern: sign- or zero-extended by its type. */
static uint64_t wrap(const Type *t, uint64_t v)
{
	if (t->bits == 64)
		return v;
	unsigned unused = 64 - t->bits;
	return t->kind == SIGNED ? (uint64_t)((int64_t)(v << unused) >> unused) : v << unused >> unused;
}

static uint64_t get(const Type *t, const void *data, int i)
{
	uint64_t v = 0;
	memcpy(&v, (const char *)data + (size_t)i * (t->bits / 8), t->bits / 8);
	return wrap(t, v);
}

static void put(const Type *t, void *data, int i, uint64_t v)
{
	memcpy((char *)data + (size_t)i * (t->bits / 8), &v, t->bits / 8);
}

static double get_float(const Type *t, const void *data, int i)
{
	return t->bits == 32 ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

static void fill(const Type *t, void *data, uint64_t seed)
{
	for (int i = 0; i < N; i++) {
		uint64_t r = lang_random(&seed);
		if (t->kind != FLOAT)
			put(t, data, i, i % 5 == 0 ? r % 9 : r); /* small ones too */
		else if (t->bits == 32)
			((float *)data)[i] = (float)((double)(int64_t)r / 1e17);
		else
			((double *)data)[i] = (double)(int64_t)r / 1e17;
	}
}

/* ---- integers: operators ---- */

typedef struct Op {
	const char *name;
	int comparison;
	uint64_t (*of)(const Type *t, uint64_t a, uint64_t b);
} Op;

static uint64_t add(const Type *t, uint64_t a, uint64_t b) { (void)t; return a + b; }
static uint64_t sub(const Type *t, uint64_t a, uint64_t b) { (void)t; return a - b; }
static uint64_t mul(const Type *t, uint64_t a, uint64_t b) { (void)t; return a * b; }
static uint64_t and_(const Type *t, uint64_t a, uint64_t b) { (void)t; return a & b; }
static uint64_t or_(const Type *t, uint64_t a, uint64_t b) { (void)t; return a | b; }
static uint64_t xor_(const Type *t, uint64_t a, uint64_t b) { (void)t; return a ^ b; }
static uint64_t neg(const Type *t, uint64_t a, uint64_t b) { (void)t; (void)b; return 0 - a; }
static uint64_t not_(const Type *t, uint64_t a, uint64_t b) { (void)t; (void)b; return ~a; }
static uint64_t lit(const Type *t, uint64_t a, uint64_t b) { (void)t; (void)b; return a * 2 + 1; }
static uint64_t shl(const Type *t, uint64_t a, uint64_t b) { (void)t; return a << (b & 7); }
static int less(const Type *t, uint64_t a, uint64_t b) { return t->kind == SIGNED ? (int64_t)a < (int64_t)b : a < b; }
static uint64_t lt(const Type *t, uint64_t a, uint64_t b) { return (uint64_t)less(t, a, b); }
static uint64_t ge(const Type *t, uint64_t a, uint64_t b) { return (uint64_t)!less(t, a, b); }
static uint64_t eq(const Type *t, uint64_t a, uint64_t b) { (void)t; return a == b; }
static uint64_t max_(const Type *t, uint64_t a, uint64_t b) { return less(t, a, b) ? b : a; }
static uint64_t min_(const Type *t, uint64_t a, uint64_t b) { return less(t, a, b) ? a : b; }
static uint64_t abs_(const Type *t, uint64_t a, uint64_t b) { (void)b; return t->kind == SIGNED && (int64_t)a < 0 ? 0 - a : a; }
static uint64_t shr(const Type *t, uint64_t a, uint64_t b)
{
	return t->kind == SIGNED ? (uint64_t)((int64_t)a >> (b & 7)) : a >> (b & 7);
}
/* b is never 0 or -1: see fill_divisor. */
static uint64_t quotient(const Type *t, uint64_t a, uint64_t b)
{
	return t->kind == SIGNED ? (uint64_t)((int64_t)a / (int64_t)b) : a / b;
}
static uint64_t rest(const Type *t, uint64_t a, uint64_t b)
{
	return t->kind == SIGNED ? (uint64_t)((int64_t)a % (int64_t)b) : a % b;
}

static const Op ops[] = {
	{"+", 0, add}, {"-", 0, sub}, {"*", 0, mul}, {"//", 0, quotient}, {"%", 0, rest}, {"&", 0, and_}, {"|", 0, or_},
	{"^", 0, xor_}, {"<<", 0, shl}, {">>", 0, shr}, {"<", 1, lt}, {">=", 1, ge}, {"==", 1, eq}, {"max", 0, max_},
	{"min", 0, min_}, {"neg", 0, neg}, {"~", 0, not_}, {"abs", 0, abs_}, {"lit", 0, lit},
};

static void integer_operators(void **state)
{
	for (size_t t = 0; t < TYPES; t++) {
		if (types[t].kind == FLOAT)
			continue;
		uint64_t x[N], y[N], out[N];
		fill(&types[t], x, 1);
		fill(&types[t], y, 2);
		for (int i = 0; i < N; i++) {
			uint64_t v = get(&types[t], y, i);
			if (i % 7 == 3)
				put(&types[t], y, i, get(&types[t], x, i));
			if (v == 0 || v == UINT64_MAX || get(&types[t], y, i) == 0 || get(&types[t], y, i) == UINT64_MAX)
				put(&types[t], y, i, 3);
		}
		for (size_t o = 0; o < sizeof ops / sizeof ops[0]; o++) {
			const Type *result = ops[o].comparison ? &types[1] : &types[t];
			neso_arg args[] = {
				neso_arg_buffer("x", types[t].dtype, x, N * types[t].bits / 8, NESO_READ),
				neso_arg_buffer("y", types[t].dtype, y, N * types[t].bits / 8, NESO_READ),
				neso_arg_buffer("out", result->dtype, out, N * result->bits / 8, NESO_READ_WRITE),
				neso_arg_expr("OP", lang_quote(ops[o].name)), neso_arg_int("B", N),
			};
			lang_run(state, "binary", args, 5);
			for (int i = 0; i < N; i++) {
				uint64_t a = get(&types[t], x, i), b = get(&types[t], y, i);
				uint64_t want = wrap(result, ops[o].of(&types[t], a, b));
				if (get(result, out, i) != want)
					fail_msg("%s %s: %llx, %llx: %llx, not %llx", types[t].name, ops[o].name,
						 (unsigned long long)a, (unsigned long long)b,
						 (unsigned long long)get(result, out, i), (unsigned long long)want);
			}
		}
	}
}

/* ---- casts ---- */

static void check_cast(const Type *from, const Type *to, const void *x, const void *out)
{
	for (int i = 0; i < N; i++) {
		if (to->kind != FLOAT) {
			uint64_t want = from->kind != FLOAT ? wrap(to, get(from, x, i))
							    : (uint64_t)(int64_t)get_float(from, x, i);
			if (get(to, out, i) != wrap(to, want))
				fail_msg("%s to %s: element %d", from->name, to->name, i);
			continue;
		}
		double v = from->kind == FLOAT    ? get_float(from, x, i)
			   : from->kind == SIGNED ? (double)(int64_t)get(from, x, i)
						  : (double)get(from, x, i);
		float narrow = from->kind == FLOAT    ? (float)v
			       : from->kind == SIGNED ? (float)(int64_t)get(from, x, i)
						      : (float)get(from, x, i);
		double want = to->bits == 32 ? (double)narrow : v;
		if (get_float(to, out, i) != want)
			fail_msg("%s to %s: %.17g, not %.17g", from->name, to->name, get_float(to, out, i), want);
	}
}

static void casts(void **state)
{
	for (size_t f = 0; f < TYPES; f++) {
		for (size_t t = 0; t < TYPES; t++) {
			uint64_t x[N], out[N];
			fill(&types[f], x, 5);
			for (int i = 0; i < N && types[f].kind == FLOAT && types[t].kind != FLOAT; i++) {
				/* Values that every integer type holds. */
				double v = fabs(get_float(&types[f], x, i));
				if (types[f].bits == 32)
					((float *)x)[i] = (float)v;
				else
					((double *)x)[i] = v;
			}
			neso_arg args[] = {
				neso_arg_buffer("x", types[f].dtype, x, N * types[f].bits / 8, NESO_READ),
				neso_arg_buffer("out", types[t].dtype, out, N * types[t].bits / 8, NESO_READ_WRITE),
				neso_arg_expr("T", types[t].name), neso_arg_expr("BITS", "False"), neso_arg_int("B", N),
			};
			lang_run(state, "cast", args, 5);
			check_cast(&types[f], &types[t], x, out);
		}
	}
}

static void casts_of_bits(void **state)
{
	uint64_t x[N], out[N];
	fill(&types[8], x, 9);
	neso_arg args[] = {
		neso_arg_buffer("x", NESO_FP32, x, N * 4, NESO_READ),
		neso_arg_buffer("out", NESO_INT32, out, N * 4, NESO_READ_WRITE),
		neso_arg_expr("T", "tl.int32"), neso_arg_expr("BITS", "True"), neso_arg_int("B", N),
	};
	lang_run(state, "cast", args, 5);
	assert_memory_equal(x, out, N * 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integer_operators),
		cmocka_unit_test(casts),
		cmocka_unit_test(casts_of_bits),
	};
	return cmocka_run_group_tests(tests, lang_open, lang_close);
}
