/* The library (lib/) on the interpreter: random numbers against known values and a C Philox, sorting, scans, reductions, libdevice
 * functions against long doubles. */
#include "lang_kit.h"

#include <math.h>

/* ---- random numbers ---- */

typedef struct Words {
	uint64_t c[4];
} Words;

static uint64_t high(uint64_t a, uint64_t b, unsigned bits)
{
	if (bits == 32)
		return a * b >> 32;
	uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
	uint64_t mid = ah * bl + (al * bl >> 32), low_mid = (uint32_t)mid + al * bh;
	return ah * bh + (mid >> 32) + (low_mid >> 32);
}

/* After the paper's description: two products, two exclusive ors with the key, key steps. */
static Words philox(Words w, uint64_t k0, uint64_t k1, int rounds, unsigned bits)
{
	const uint64_t mask = bits == 64 ? ~UINT64_C(0) : 0xffffffff;
	const uint64_t m0 = bits == 64 ? UINT64_C(0xD2E7470EE14C6C93) : 0xD2511F53;
	const uint64_t m1 = bits == 64 ? UINT64_C(0xCA5A826395121157) : 0xCD9E8D57;
	for (int i = 0; i < rounds; i++) {
		uint64_t a = w.c[0], b = w.c[2];
		w = (Words){{high(m1, b, bits) ^ w.c[1] ^ k0, m1 * b & mask, high(m0, a, bits) ^ w.c[3] ^ k1, m0 * a & mask}};
		k0 = (k0 + (bits == 64 ? UINT64_C(0x9E3779B97F4A7C15) : 0x9E3779B9)) & mask;
		k1 = (k1 + (bits == 64 ? UINT64_C(0xBB67AE8584CAA73B) : 0xBB67AE85)) & mask;
	}
	return w;
}

static float uniform(uint64_t word)
{
	int32_t s = (int32_t)(uint32_t)word;
	return (float)(s < 0 ? -s - 1 : s) * 4.6566127342e-10f;
}

enum { R = 128 };

static const int64_t seed = 123456789012345;

static void random_of(void **state, const char *f, neso_dtype dtype, void *out, size_t size)
{
	neso_arg args[] = {
		neso_arg_buffer("out", dtype, out, R * size, NESO_READ_WRITE), neso_arg_int("seed", seed),
		neso_arg_expr("F", lang_quote(f)), neso_arg_int("B", R),
	};
	lang_run(state, "random", args, 4);
}

static void philox_is_that_of_the_paper(void **state)
{
	/* Known answers of the reference implementation (Random123, kat_vectors). */
	Words zero = philox((Words){{0}}, 0, 0, 10, 32);
	assert_int_equal(zero.c[0], 0x6627e8d5);
	assert_int_equal(zero.c[3], 0x9b00dbd8);
	Words pi = philox((Words){{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0, 10, 32);
	assert_int_equal(pi.c[0], 0xd16cfe09);
	assert_int_equal(pi.c[1], 0x94fdcceb);
	Words wide = philox((Words){{0}}, 0, 0, 10, 64);
	assert_true(wide.c[0] == UINT64_C(0x16554d9eca36314c));
	assert_true(wide.c[1] == UINT64_C(0xdb20fe9d672d0fdc) && wide.c[3] == UINT64_C(0x7e68b68aec7ba23b));
}

static void random_integers(void **state)
{
	uint32_t first[R], last[R];
	uint64_t wide[R];
	random_of(state, "randint", NESO_UINT32, first, 4);
	random_of(state, "randint4x", NESO_UINT32, last, 4);
	random_of(state, "philox64", NESO_UINT64, wide, 8);
	for (uint64_t i = 0; i < R; i++) {
		Words w = {{i, 0, 0, 0}}, v = {{i, 3 * i, 5 * i, 7 * i}};
		uint64_t k0 = (uint32_t)seed, k1 = (uint64_t)seed >> 32;
		assert_int_equal(first[i], philox(w, k0, k1, 10, 32).c[0]);
		assert_int_equal(last[i], philox(w, k0, k1, 7, 32).c[3]);
		assert_true(wide[i] == philox(v, (uint64_t)seed, 0, 10, 64).c[1]);
	}
}

static void random_floats(void **state)
{
	float u[R], far[R], n[R];
	random_of(state, "rand", NESO_FP32, u, 4);
	random_of(state, "rand64", NESO_FP32, far, 4);
	random_of(state, "randn", NESO_FP32, n, 4);
	for (uint64_t i = 0; i < R; i++) {
		uint64_t k0 = (uint32_t)seed, k1 = (uint64_t)seed >> 32, at = i + 5000000000u;
		Words w = philox((Words){{i}}, k0, k1, 10, 32), v = philox((Words){{(uint32_t)at, at >> 32}}, k0, k1, 10, 32);
		assert_true(u[i] == uniform(w.c[0]) && u[i] >= 0 && u[i] < 1);
		assert_true(far[i] == uniform(v.c[0]));
		double r = sqrt(-2 * log(fmax(1e-7, (double)uniform(w.c[0]))));
		assert_true(fabs((double)n[i] - r * cos(6.283185307179586 * (double)uniform(w.c[1]))) < 2e-6);
	}
}

/* ---- order ---- */

enum { M = 8, W = 32, K = 8 };

static int up(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
	return (x > y) - (x < y);
}

static void order_of(void **state, const char *f, const int32_t *x, int32_t *out, size_t n)
{
	neso_arg args[] = {
		neso_arg_buffer("x", NESO_INT32, x, sizeof(int32_t) * M * W, NESO_READ),
		neso_arg_buffer("out", NESO_INT32, out, n * 4, NESO_READ_WRITE),
		neso_arg_expr("F", lang_quote(f)), neso_arg_int("M", M), neso_arg_int("N", W), neso_arg_int("K", K),
	};
	lang_run(state, "order", args, 6);
}

static void values(int32_t *x)
{
	uint64_t r = 3;
	for (int i = 0; i < M * W; i++)
		x[i] = (int32_t)(lang_random(&r) % 1000) - 500; /* some are equal */
}

static void sorting(void **state)
{
	int32_t x[M * W], sorted[M * W], out[M * W * 2];
	values(x);
	memcpy(sorted, x, sizeof x);
	for (int i = 0; i < M; i++)
		qsort(sorted + i * W, W, sizeof *sorted, up);
	order_of(state, "sort", x, out, M * W);
	assert_memory_equal(out, sorted, sizeof sorted);
	order_of(state, "down", x, out, M * W);
	for (int i = 0; i < M * W; i++)
		assert_int_equal(out[i], sorted[i / W * W + W - 1 - i % W]);
	order_of(state, "topk", x, out, M * K);
	for (int i = 0; i < M * K; i++)
		assert_int_equal(out[i], sorted[i / K * W + W - 1 - i % K]);
	order_of(state, "merge", x, out, M * W * 2);
	for (int i = 0; i < M * W * 2; i++)
		assert_int_equal(out[i], sorted[i / 2]);
}

static void flips_and_scans(void **state)
{
	int32_t x[M * W], out[M * W];
	values(x);
	order_of(state, "flip", x, out, M * W);
	for (int i = 0; i < M * W; i++)
		assert_int_equal(out[i], x[i / W * W + W - 1 - i % W]);
	order_of(state, "flip0", x, out, M * W);
	for (int i = 0; i < M * W; i++)
		assert_int_equal(out[i], x[(M - 1 - i / W) * W + i % W]);
	order_of(state, "cumsum", x, out, M * W);
	for (int i = 0, sum = 0; i < M * W; i++) {
		sum = i % W ? sum + x[i] : x[i];
		assert_int_equal(out[i], sum);
	}
	order_of(state, "reverse", x, out, M * W);
	for (int i = M * W - 1; i >= 0; i--)
		assert_int_equal(out[i], x[i] + (i + W < M * W ? out[i + W] : 0));
	order_of(state, "cumprod", x, out, M * W);
	for (int i = 0, product = 1; i < M * W; i++) {
		product = (i % W ? product : 1) * (x[i] % 3 - 1);
		assert_int_equal(out[i], product);
	}
}

static void reductions(void **state)
{
	static const char *const names[] = {"sum", "max", "min", "argmax", "argmin", "xor", "or"};
	int32_t x[M * W], out[M];
	values(x);
	for (size_t f = 0; f < sizeof names / sizeof names[0]; f++) {
		neso_arg args[] = {
			neso_arg_buffer("x", NESO_INT32, x, sizeof x, NESO_READ),
			neso_arg_buffer("out", NESO_INT32, out, sizeof out, NESO_READ_WRITE),
			neso_arg_expr("F", lang_quote(names[f])), neso_arg_int("M", M), neso_arg_int("N", W),
		};
		lang_run(state, "rows", args, 5);
		for (int i = 0; i < M; i++) {
			const int32_t *row = x + i * W;
			int32_t want[7] = {row[0], row[0], row[0], 0, 0, row[0], row[0]};
			for (int j = 1; j < W; j++) {
				want[0] += row[j];
				want[3] = row[j] > row[want[3]] ? j : want[3];
				want[4] = row[j] < row[want[4]] ? j : want[4];
				want[5] ^= row[j];
				want[6] |= row[j];
			}
			want[1] = row[want[3]];
			want[2] = row[want[4]];
			assert_int_equal(out[i], want[f]);
		}
	}
}

/* 16-bit floats take another way through the interpreter than 32-bit ones. */
static void sums_of_halves(void **state)
{
	static const uint16_t small[] = {0x0000, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700}; /* 0 .. 7 */
	uint16_t x[M * W];
	float out[M];
	uint64_t r = 13;
	float want[M] = {0};
	for (int i = 0; i < M * W; i++) {
		unsigned v = (unsigned)lang_random(&r) % 8;
		x[i] = small[v];
		want[i / W] += (float)v;
	}
	neso_arg args[] = {
		neso_arg_buffer("x", NESO_FP16, x, sizeof x, NESO_READ),
		neso_arg_buffer("out", NESO_FP32, out, sizeof out, NESO_READ_WRITE),
		neso_arg_expr("F", "'sum'"), neso_arg_int("M", M), neso_arg_int("N", W),
	};
	lang_run(state, "rows", args, 5);
	for (int i = 0; i < M; i++)
		assert_true(out[i] == want[i]);
}

/* ---- libdevice ---- */

enum { V = 2048 };

static const float special[] = {0.0f, -0.0f, 1, -1, INFINITY, -INFINITY, NAN, 0.5f, -0.5f, 1.5f, 2.5f, -2.5f, 1e-40f, 3e38f,
				-3e38f, 1e-30f, 88.7f, -87.5f, -103, -104, 0.6f, 0.59999f, 1e8f, 8388607.5f, 4194304.5f,
				0.49999997f};

static void samples(float *x, float from, float to)
{
	uint64_t r = 11;
	for (int i = 0; i < V; i++)
		x[i] = from + (to - from) * ((float)(lang_random(&r) >> 40) / 16777216.0f);
	memcpy(x, special, sizeof special);
}

/* Distance of got from the exact value, in units of the last place of the rounded one. */
static double ulps(float got, long double exact)
{
	float rounded = (float)exact;
	if (isnan(got) || isnan(rounded))
		return isnan(got) && isnan(rounded) ? 0 : INFINITY;
	if (isinf(rounded) || isinf(got))
		return got == rounded ? 0 : INFINITY;
	float next = nextafterf(fabsf(rounded), INFINITY);
	long double unit = isinf(next) ? 0x1p104L : (long double)next - fabsl((long double)rounded);
	return (double)(fabsl((long double)got - exact) / unit);
}

static long double rcp_of(long double x) { return 1 / x; }
static long double rsqrt_of(long double x) { return 1 / sqrtl(x); }
static long double sigmoid_of(long double x) { return 1 / (1 + expl(-x)); }
static long double exp2_of(long double x) { return x < -126 ? 0 : exp2l(x); }
static long double half_away(long double x) { return copysignl(floorl(fabsl(x) + 0.5L), x); }

static void device_functions_are_near(void **state)
{
	static const struct {
		const char *name;
		long double (*exact)(long double);
		float from, to;
		double ulps;
	} functions[] = {
		{"exp", expl, -105, 90, 1.1},        {"log", logl, 0, 100, 1},          {"log1p", log1pl, -1, 3, 1},
		{"tanh", tanhl, -10, 10, 1.5}, {"fast_tanhf", tanhl, -10, 10, 1.5},      {"erf", erfl, -4, 4, 1},           {"exp2", exp2_of, -150, 128, 1},
		{"rsqrt_rn", rsqrt_of, 0, 1e6f, 0.5001}, {"rcp_rn", rcp_of, -50, 50, 0.5}, {"sqrt_rn", sqrtl, 0, 1e6f, 0.5},
		{"round", half_away, -100, 100, 0},  {"rint", rintl, -100, 100, 0},     {"trunc", truncl, -100, 100, 0},
		{"sigmoid", sigmoid_of, -20, 20, 3},
	};
	float x[V], out[V];
	for (size_t f = 0; f < sizeof functions / sizeof functions[0]; f++) {
		samples(x, functions[f].from, functions[f].to);
		neso_arg args[] = {
			neso_arg_buffer("x", NESO_FP32, x, sizeof x, NESO_READ),
			neso_arg_buffer("out", NESO_FP32, out, sizeof out, NESO_READ_WRITE),
			neso_arg_expr("F", lang_quote(functions[f].name)), neso_arg_int("B", V),
		};
		lang_run(state, "unary", args, 4);
		for (int i = 0; i < V; i++) {
			long double exact = functions[f].exact((long double)x[i]);
			if (!(ulps(out[i], exact) <= functions[f].ulps) || (exact == 0 && !signbit(out[i]) != !signbit(exact)))
				fail_msg("%s(%.9g) is %.9g, exactly %.9Lg: %.3f ulp", functions[f].name, (double)x[i],
					 (double)out[i], exact, ulps(out[i], exact));
		}
	}
}

static void kinds_of_floats(void **state)
{
	static const char *const names[] = {"isnan", "isinf", "finitef"};
	float x[V];
	uint8_t out[V];
	samples(x, -1, 1);
	for (size_t f = 0; f < 3; f++) {
		neso_arg args[] = {
			neso_arg_buffer("x", NESO_FP32, x, sizeof x, NESO_READ),
			neso_arg_buffer("out", NESO_INT1, out, sizeof out, NESO_READ_WRITE),
			neso_arg_expr("F", lang_quote(names[f])), neso_arg_int("B", V),
		};
		lang_run(state, "unary", args, 4);
		for (int i = 0; i < V; i++)
			assert_int_equal(out[i], f == 0 ? !!isnan(x[i]) : f == 1 ? !!isinf(x[i]) : !!isfinite(x[i]));
	}
}

static void powers(void **state)
{
	static const float bases[] = {0.0f, -0.0f, 1, -1, 2, -2, 0.5f, INFINITY, -INFINITY, NAN, -8, 3, 1e-20f, 1e20f, 0.99f, 7};
	static const float exponents[] = {0.0f, -0.0f, 1, -1, 2, 3, 0.5f, -0.5f, INFINITY, -INFINITY, NAN, -3, 4, 0.3f, 100, -101};
	float x[256], y[256], out[256];
	for (int i = 0; i < 256; i++) {
		x[i] = bases[i / 16];
		y[i] = exponents[i % 16];
	}
	neso_arg args[] = {
		neso_arg_buffer("x", NESO_FP32, x, sizeof x, NESO_READ), neso_arg_buffer("y", NESO_FP32, y, sizeof y, NESO_READ),
		neso_arg_buffer("out", NESO_FP32, out, sizeof out, NESO_READ_WRITE), neso_arg_int("B", 256),
	};
	lang_run(state, "power", args, 4);
	for (int i = 0; i < 256; i++) {
		long double exact = powl((long double)x[i], (long double)y[i]);
		if (!(ulps(out[i], exact) <= 0.5001) || (exact == 0 && !signbit(out[i]) != !signbit(exact)))
			fail_msg("pow(%g, %g) is %g, exactly %Lg", (double)x[i], (double)y[i], (double)out[i], exact);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(philox_is_that_of_the_paper),
		cmocka_unit_test(random_integers),
		cmocka_unit_test(random_floats),
		cmocka_unit_test(sorting),
		cmocka_unit_test(flips_and_scans),
		cmocka_unit_test(reductions),
		cmocka_unit_test(sums_of_halves),
		cmocka_unit_test(device_functions_are_near),
		cmocka_unit_test(kinds_of_floats),
		cmocka_unit_test(powers),
	};
	return cmocka_run_group_tests(tests, lang_open, lang_close);
}
