/* Memory, shapes, products and functions inside operations, on the interpreter, against C. */
#include "lang_kit.h"

#include <math.h>

enum { N = 64 };

static void values(float *x)
{
	uint64_t r = 17;
	for (int i = 0; i < N; i++)
		x[i] = (float)((int)(lang_random(&r) % 41) - 20); /* whole numbers: sums are exact */
}

static void memory_of(void **state, const char *f, const float *x, float *out, int n)
{
	for (int i = 0; i < N; i++)
		out[i] = 0;
	neso_arg args[] = {
		neso_arg_buffer("x", NESO_FP32, x, N * sizeof *x, NESO_READ),
		neso_arg_buffer("out", NESO_FP32, out, N * sizeof *out, NESO_READ_WRITE),
		neso_arg_int("n", n), neso_arg_expr("F", lang_quote(f)), neso_arg_int("B", N),
	};
	lang_run(state, "memory", args, 5);
}

static void masks_and_scalars(void **state)
{
	float x[N], out[N];
	values(x);
	memory_of(state, "mask", x, out, 20);
	for (int i = 0; i < N; i++)
		assert_true(out[i] == (i < 20 ? x[i] : i < 24 ? -1 : 0));
	memory_of(state, "scalar", x, out, 9);
	assert_true(out[0] == x[9] + 1);
}

/* Rows from `row` on of an 8 x 8 tensor as a block of 4 x 16, zero outside. */
static float block_at(const float *x, int row, int i)
{
	int r = row + i / 16, c = i % 16;
	return r < 8 && c < 8 ? x[r * 8 + c] : 0;
}

static void block_pointers_and_descriptors(void **state)
{
	static const char *const names[] = {"block", "desc"};
	float x[N], out[N];
	values(x);
	for (int f = 0; f < 2; f++) {
		memory_of(state, names[f], x, out, 8);
		for (int i = 0; i < N; i++)
			assert_true(out[i] == block_at(x, 2, i) + block_at(x, 6, i));
	}
}

static void shapes(void **state)
{
	float x[N], out[N];
	values(x);
	memory_of(state, "gather", x, out, 0);
	for (int i = 0; i < N; i++)
		assert_true(out[i] == x[i * 3 % N]);
	memory_of(state, "interleave", x, out, 0);
	for (int i = 0; i < N; i++)
		assert_true(out[i] == x[i ^ 1]);
	memory_of(state, "cat", x, out, 0);
	for (int i = 0; i < N; i++)
		assert_true(out[i] == (i < N / 2 ? x[i] : x[i - N / 2] + 1));
	memory_of(state, "histogram", x, out, 20);
	for (int i = 0; i < 16; i++)
		assert_true(out[i] == (i < 4 ? 2 : 1));
	memory_of(state, "clamp", x, out, 0);
	for (int i = 0; i < N; i++)
		assert_true(out[i] == fminf(fmaxf(x[i], -4), 4));
}

static void swizzled_programs(void **state)
{
	static const int want[16] = {0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15};
	float x[N], out[N];
	values(x);
	memory_of(state, "swizzle", x, out, 0);
	for (int i = 0; i < 16; i++)
		assert_true(out[i] == (float)want[i]);
}

static void functions_of_the_user(void **state)
{
	float x[N], out[N];
	values(x);
	memory_of(state, "map", x, out, 0);
	for (int i = 0; i < N; i++)
		assert_true(out[i] == (x[i] > 0 ? x[i] * 2 : x[i] - 2));
	memory_of(state, "scan", x, out, 0);
	float top = x[0], sum = 0;
	for (int i = 0; i < N; i++) {
		top = fmaxf(top, x[i]);
		sum += x[i];
		assert_true(out[i] == top + sum);
	}
	memory_of(state, "reduce", x, out, 0);
	int at = 0;
	for (int i = 1; i < N; i++)
		at = x[i] > x[at] ? i : at;
	assert_true(out[0] == x[at] && out[1] == (float)at);
}

/* 8-bit floats of bias 15: three mantissa bits, halves away from zero, at most 1.75. */
static float e4b15(float x)
{
	if (fabsf(x) >= 1.75f)
		return copysignf(1.75f, x);
	int e = fabsf(x) < 0x1p-14f ? -14 : ilogbf(x);
	float unit = ldexpf(1, e - 3);
	return copysignf(fminf(floorf(fabsf(x) / unit + 0.5f) * unit, 1.75f), x);
}

static void custom_floats(void **state)
{
	float x[N], out[N];
	for (int i = 0; i < N; i++)
		x[i] = ldexpf((float)(i % 19) - 9, -(i % 12)) / 8;
	memory_of(state, "fp8e4b15", x, out, 0);
	for (int i = 0; i < N; i++)
		assert_true(out[i] == e4b15(x[i]));
}

static void atomics(void **state)
{
	float x[N], out[N];
	values(x);
	for (int i = 0; i < N; i++)
		out[i] = i >= 16 && i < 24 ? 100 : 0;
	neso_arg args[] = {
		neso_arg_buffer("x", NESO_FP32, x, sizeof x, NESO_READ),
		neso_arg_buffer("out", NESO_FP32, out, sizeof out, NESO_READ_WRITE),
		neso_arg_int("n", 20), neso_arg_int("B", N),
	};
	lang_run(state, "atomics", args, 4);
	for (int i = 0; i < 8; i++) {
		float top = 0, low = 100;
		for (int j = i; j < N; j += 8) {
			top = fmaxf(top, x[j]);
			low = j < 20 ? fminf(low, x[j]) : low;
		}
		assert_true(out[i] == 8 && out[8 + i] == top && out[16 + i] == low);
	}
	assert_true(out[24] == 5 && out[25] == 0 && out[26] == 5 && out[27] == 9 && out[28] == 7);
}

/* ---- products ---- */

enum { M = 16, C = 32, K = 64 };

static void products_of_floats(void **state)
{
	static const char *const names[] = {"plain", "acc", "batch"};
	static float a[M * K], b[K * C], c[M * C], out[M * C];
	uint64_t r = 23;
	for (int i = 0; i < M * K; i++)
		a[i] = (float)((int)(lang_random(&r) % 9) - 4);
	for (int i = 0; i < K * C; i++)
		b[i] = (float)((int)(lang_random(&r) % 9) - 4);
	for (int i = 0; i < M * C; i++)
		c[i] = (float)i;
	for (size_t f = 0; f < 3; f++) {
		neso_arg args[] = {
			neso_arg_buffer("a", NESO_FP32, a, sizeof a, NESO_READ), neso_arg_buffer("b", NESO_FP32, b, sizeof b, NESO_READ),
			neso_arg_buffer("c", NESO_FP32, c, sizeof c, NESO_READ),
			neso_arg_buffer("out", NESO_FP32, out, sizeof out, NESO_READ_WRITE),
			neso_arg_expr("F", lang_quote(names[f])), neso_arg_int("M", M), neso_arg_int("N", C), neso_arg_int("K", K),
		};
		lang_run(state, "dot", args, 8);
		for (int i = 0; i < M * C; i++) {
			float want = f == 1 ? c[i] : 0;
			for (int k = 0; k < K; k++)
				want += a[i / C * K + k] * b[k * C + i % C];
			assert_true(out[i] == want);
		}
	}
}

static void products_of_integers(void **state)
{
	static int8_t a[M * K], b[K * C];
	static int32_t c[M * C], out[M * C];
	uint64_t r = 29;
	for (int i = 0; i < M * K; i++)
		a[i] = (int8_t)lang_random(&r);
	for (int i = 0; i < K * C; i++)
		b[i] = (int8_t)lang_random(&r);
	for (int i = 0; i < M * C; i++)
		c[i] = i;
	neso_arg args[] = {
		neso_arg_buffer("a", NESO_INT8, a, sizeof a, NESO_READ), neso_arg_buffer("b", NESO_INT8, b, sizeof b, NESO_READ),
		neso_arg_buffer("c", NESO_INT32, c, sizeof c, NESO_READ),
		neso_arg_buffer("out", NESO_INT32, out, sizeof out, NESO_READ_WRITE),
		neso_arg_expr("F", "'acc'"), neso_arg_int("M", M), neso_arg_int("N", C), neso_arg_int("K", K),
	};
	lang_run(state, "dot", args, 8);
	for (int i = 0; i < M * C; i++) {
		int32_t want = c[i];
		for (int k = 0; k < K; k++)
			want += a[i / C * K + k] * b[k * C + i % C];
		assert_int_equal(out[i], want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(masks_and_scalars),
		cmocka_unit_test(block_pointers_and_descriptors),
		cmocka_unit_test(shapes),
		cmocka_unit_test(swizzled_programs),
		cmocka_unit_test(functions_of_the_user),
		cmocka_unit_test(custom_floats),
		cmocka_unit_test(atomics),
		cmocka_unit_test(products_of_floats),
		cmocka_unit_test(products_of_integers),
	};
	return cmocka_run_group_tests(tests, lang_open, lang_close);
}
