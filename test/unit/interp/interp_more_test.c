/* Scaled and batched products, tensor descriptors, element maps: against loops written here. */
#include "interp_kit.h"

#include <math.h>

#include "base/float/fp.h"

/* Loads a tile of rank 2 or 3 laid out without gaps: %NAME from pointer %pNAME. */
static void tile_text(Text *t, const char *name, const char *type, const int *dims, int rank, bool store)
{
	int n = 1;
	char shape[64] = "";
	for (int d = 0; d < rank; d++) {
		n *= dims[d];
		snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%dx", dims[d]);
	}
	text_printf(t, "%%r%s = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>\n", name, n, n);
	text_printf(t, "%%s%s = tt.splat %%p%s : !tt.ptr<%s> -> tensor<%dx!tt.ptr<%s>>\n", name, name, type, n, type);
	text_printf(t, "%%a%s = tt.addptr %%s%s, %%r%s : tensor<%dx!tt.ptr<%s>>, tensor<%dxi32>\n", name, name, name, n, type, n);
	if (store) {
		text_printf(t, "%%f%s = tt.reshape %%%s : tensor<%s%s> -> tensor<%dx%s>\n", name, name, shape, type, n, type);
		text_printf(t, "tt.store %%a%s, %%f%s : tensor<%dx!tt.ptr<%s>>\n", name, name, n, type);
	} else {
		text_printf(t, "%%l%s = tt.load %%a%s : tensor<%dx!tt.ptr<%s>>\n", name, name, n, type);
		text_printf(t, "%%%s = tt.reshape %%l%s : tensor<%dx%s> -> tensor<%s%s>\n", name, name, n, type, shape, type);
	}
}

enum { M = 16, N = 8, K = 64 };

static double e2m1(unsigned v)
{
	static const double values[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
	return v & 8 ? -values[v & 7] : values[v & 7];
}

static void scaled_products(void **state)
{
	/* a: e2m1, two along k in a byte; b: e4m3; scales of 32 elements along k, b's of [n, k / 32]. */
	Arena arena;
	arena_init(&arena, 0);
	Text t;
	text_init(&t, &arena);
	text_str(&t, "module {\ntt.func public @kernel(%pa: !tt.ptr<i8>, %pb: !tt.ptr<f8E4M3FN>, %px: !tt.ptr<i8>, %py: !tt.ptr<i8>, "
		     "%po: !tt.ptr<f32>) {\n");
	tile_text(&t, "a", "i8", (int[]){M, K / 2}, 2, false);
	tile_text(&t, "b", "f8E4M3FN", (int[]){K, N}, 2, false);
	tile_text(&t, "x", "i8", (int[]){M, K / 32}, 2, false);
	tile_text(&t, "y", "i8", (int[]){N, K / 32}, 2, false);
	text_str(&t, "%c = arith.constant dense<1.000000e+00> : tensor<16x8xf32>\n"
		     "%o = tt.dot_scaled %a scale %x, %b scale %y, %c lhs = e2m1 rhs = e4m3 {fastMath = false} : tensor<16x32xi8>, "
		     "tensor<16x2xi8> * tensor<64x8xf8E4M3FN>, tensor<8x2xi8> -> tensor<16x8xf32>\n");
	tile_text(&t, "o", "f32", (int[]){M, N}, 2, true);
	text_str(&t, "tt.return\n}\n}\n");
	uint8_t a[M * K / 2], b[K * N], x[M * 2], y[N * 2];
	float o[M * N];
	uint64_t seed = 11;
	for (size_t i = 0; i < sizeof a; i++)
		a[i] = (uint8_t)kit_random(&seed);
	for (size_t i = 0; i < sizeof b; i++)
		b[i] = (uint8_t)fp_from_double(FP_E4M3FN, (double)kit_uniform(&seed) * 20, FP_NEAREST_EVEN, true);
	for (size_t i = 0; i < sizeof x; i++)
		x[i] = (uint8_t)(127 + (int)(kit_random(&seed) % 9) - 4);
	for (size_t i = 0; i < sizeof y; i++)
		y[i] = (uint8_t)(127 + (int)(kit_random(&seed) % 9) - 4);
	x[5] = 255; /* NaN */
	Kit *k = kit_new(t.data);
	kit_buffer(k, "a", a, sizeof a, false);
	kit_buffer(k, "b", b, sizeof b, false);
	kit_buffer(k, "x", x, sizeof x, false);
	kit_buffer(k, "y", y, sizeof y, false);
	kit_buffer(k, "o", o, sizeof o, true);
	kit_run(k, 1);
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) {
			double want = 1;
			for (int p = 0; p < K; p++) {
				double l = e2m1(a[i * K / 2 + p / 2] >> (4 * (p & 1)) & 15) * ldexp(1, x[i * 2 + p / 32] - 127);
				double r = fp_to_double(FP_E4M3FN, b[p * N + j]) * ldexp(1, y[j * 2 + p / 32] - 127);
				want += l * r;
			}
			double got = (double)o[i * N + j];
			if (i == 2) /* x[5] is of row 2 */
				assert_true(isnan(got));
			else if (!(fabs(got - want) <= 1e-5 * (1 + fabs(want))))
				fail_msg("[%d, %d]: %g, want %g", i, j, got, want);
		}
	kit_free(k);
	arena_free(&arena);
}

static void batched_products(void **state)
{
	enum { B = 4 };
	Arena arena;
	arena_init(&arena, 0);
	Text t;
	text_init(&t, &arena);
	text_str(&t, "module {\ntt.func public @kernel(%pa: !tt.ptr<f32>, %pb: !tt.ptr<f32>, %po: !tt.ptr<f32>) {\n");
	tile_text(&t, "a", "f32", (int[]){B, M, K}, 3, false);
	tile_text(&t, "b", "f32", (int[]){B, K, N}, 3, false);
	text_str(&t, "%c = arith.constant dense<0.000000e+00> : tensor<4x16x8xf32>\n"
		     "%o = tt.dot %a, %b, %c : tensor<4x16x64xf32> * tensor<4x64x8xf32> -> tensor<4x16x8xf32>\n");
	tile_text(&t, "o", "f32", (int[]){B, M, N}, 3, true);
	text_str(&t, "tt.return\n}\n}\n");
	static float a[B * M * K], b[B * K * N], o[B * M * N];
	uint64_t seed = 12;
	for (size_t i = 0; i < ARRAY_LEN(a); i++)
		a[i] = kit_uniform(&seed);
	for (size_t i = 0; i < ARRAY_LEN(b); i++)
		b[i] = kit_uniform(&seed);
	Kit *k = kit_new(t.data);
	kit_buffer(k, "a", a, sizeof a, false);
	kit_buffer(k, "b", b, sizeof b, false);
	kit_buffer(k, "o", o, sizeof o, true);
	kit_run(k, 1);
	for (int g = 0; g < B; g++)
		for (int i = 0; i < M; i++)
			for (int j = 0; j < N; j++) {
				float want = 0;
				for (int p = 0; p < K; p++)
					want = fmaf(a[(g * M + i) * K + p], b[(g * K + p) * N + j], want);
				assert_true(o[(g * M + i) * N + j] == want);
			}
	kit_free(k);
	arena_free(&arena);
}

/* A matrix of 5 x 10 seen through a window of 4 x 8: reads pad, writes clip, from a descriptor made in the kernel and
 * from one that is an argument. */
static void descriptors(void **state)
{
	const char *text =
		"module {\ntt.func public @kernel(%p: !tt.ptr<f32>, %d: !tt.tensordesc<tensor<4x8xf32>>, %y: i32, %x: i32) {\n"
		"%h = arith.constant 5 : i32\n%w = arith.constant 10 : i32\n%ws = arith.constant 10 : i64\n%one = arith.constant 1 : i64\n"
		"%s = tt.make_tensor_descriptor %p, [%h, %w], [%ws, %one] : <f32>, <tensor<4x8xf32>>\n"
		"%v = tt.descriptor_load %s[%y, %x] : !tt.tensordesc<tensor<4x8xf32>> -> tensor<4x8xf32>\n"
		"tt.descriptor_reduce add, %d[%y, %x], %v : !tt.tensordesc<tensor<4x8xf32>>, tensor<4x8xf32>\n"
		"%z = arith.constant 0 : i32\n"
		"%c = arith.constant dense<2.000000e+00> : tensor<4x8xf32>\n%t = arith.mulf %v, %c : tensor<4x8xf32>\n"
		"tt.descriptor_store %s[%y, %x], %t : !tt.tensordesc<tensor<4x8xf32>>, tensor<4x8xf32>\ntt.return\n}\n}\n";
	float p[50], q[50];
	for (int i = 0; i < 50; i++) {
		p[i] = (float)(i + 1);
		q[i] = 1000;
	}
	Kit *k = kit_new(text);
	kit_buffer(k, "p", p, sizeof p, true);
	kit_buffer(k, "q", q, sizeof q, true);
	k->args[1] = (InterpArg){.bits = (uint64_t)(uintptr_t)q, .rank = 2, .shape = {5, 10}, .strides = {10, 1}};
	kit_scalar(k, 3);
	kit_scalar(k, (uint64_t)-2);
	kit_run(k, 1);
	for (int r = 0; r < 5; r++)
		for (int c = 0; c < 10; c++) {
			bool in = r >= 3 && c < 6;
			float was = (float)(r * 10 + c + 1);
			assert_true(p[r * 10 + c] == (in ? 2 * was : was));
			assert_true(q[r * 10 + c] == (in ? 1000 + was : 1000));
		}
	kit_free(k);
}

static void rows_by_number(void **state)
{
	const char *text =
		"module {\ntt.func public @kernel(%p: !tt.ptr<f32>, %x: !tt.ptr<i32>, %o: !tt.ptr<f32>) {\n"
		"%h = arith.constant 6 : i32\n%w = arith.constant 16 : i32\n%ws = arith.constant 16 : i64\n%one = arith.constant 1 : i64\n"
		"%h8 = arith.constant 8 : i32\n%w8 = arith.constant 8 : i32\n%s8 = arith.constant 8 : i64\n"
		"%s = tt.make_tensor_descriptor %p, [%h, %w], [%ws, %one] : <f32>, <tensor<1x8xf32>>\n"
		"%t = tt.make_tensor_descriptor %o, [%h8, %w8], [%s8, %one] : <f32>, <tensor<1x8xf32>>\n"
		"%r = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>\n"
		"%xs = tt.splat %x : !tt.ptr<i32> -> tensor<8x!tt.ptr<i32>>\n%xp = tt.addptr %xs, %r : tensor<8x!tt.ptr<i32>>, tensor<8xi32>\n"
		"%rows = tt.load %xp : tensor<8x!tt.ptr<i32>>\n%c = arith.constant 4 : i32\n%z = arith.constant 0 : i32\n"
		"%g = tt.descriptor_gather %s[%rows, %c] : (!tt.tensordesc<tensor<1x8xf32>>, tensor<8xi32>, i32) -> tensor<8x8xf32>\n"
		"%k7 = arith.constant dense<7> : tensor<8xi32>\n%back = arith.subi %k7, %r : tensor<8xi32>\n"
		"tt.descriptor_scatter %t[%back, %z], %g : !tt.tensordesc<tensor<1x8xf32>>, tensor<8xi32>, i32, tensor<8x8xf32>\n"
		"tt.return\n}\n}\n";
	static const int32_t rows[8] = {5, 0, 3, 3, -1, 6, 1, 2};
	float p[96], o[64];
	for (int i = 0; i < 96; i++)
		p[i] = (float)i;
	Kit *k = kit_new(text);
	kit_buffer(k, "p", p, sizeof p, false);
	kit_buffer(k, "x", (void *)(uintptr_t)rows, sizeof rows, false);
	kit_buffer(k, "o", o, sizeof o, true);
	kit_run(k, 1);
	for (int r = 0; r < 8; r++)
		for (int c = 0; c < 8; c++) {
			int row = rows[r];
			assert_true(o[(7 - r) * 8 + c] == (row >= 0 && row < 6 ? p[row * 16 + c + 4] : 0));
		}
	kit_free(k);
}

/* Pairs of elements: (a, b) -> (b if b > a else a + b, a), in lifted form and with a branch. */
static void element_maps(void **state)
{
	static const char *const bodies[] = {
		"%g = arith.cmpi sgt, %b, %a : i32\n%s = arith.addi %a, %b : i32\n%r = arith.select %g, %b, %s : i32\n",
		"%g = arith.cmpi sgt, %b, %a : i32\n%r = scf.if %g -> (i32) {\nscf.yield %b : i32\n} else {\n%s = arith.addi %a, %b : i32\n"
		"scf.yield %s : i32\n}\n",
	};
	for (size_t v = 0; v < ARRAY_LEN(bodies); v++) {
		Arena arena;
		arena_init(&arena, 0);
		char *text = arena_printf(&arena,
			"module {\ntt.func public @kernel(%%p: !tt.ptr<i32>, %%o: !tt.ptr<i32>) {\n"
			"%%i = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>\n"
			"%%ps = tt.splat %%p : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>\n%%pp = tt.addptr %%ps, %%i : tensor<32x!tt.ptr<i32>>, tensor<32xi32>\n"
			"%%os = tt.splat %%o : !tt.ptr<i32> -> tensor<32x!tt.ptr<i32>>\n%%op = tt.addptr %%os, %%i : tensor<32x!tt.ptr<i32>>, tensor<32xi32>\n"
			"%%v = tt.load %%pp : tensor<32x!tt.ptr<i32>>\n"
			"%%m = \"tt.map_elementwise\"(%%v) <{pack = 2 : i32}> ({\n^bb0(%%a: i32, %%b: i32):\n%s"
			"tt.map_elementwise.return %%r, %%a : i32, i32\n}) : (tensor<32xi32>) -> tensor<32xi32>\n"
			"tt.store %%op, %%m : tensor<32x!tt.ptr<i32>>\ntt.return\n}\n}\n", bodies[v]);
		int32_t p[32], o[32];
		for (int i = 0; i < 32; i++)
			p[i] = (i * 13 + 5) % 31;
		Kit *k = kit_new(text);
		kit_buffer(k, "p", p, sizeof p, false);
		kit_buffer(k, "o", o, sizeof o, true);
		kit_run(k, 1);
		for (int i = 0; i < 32; i += 2) {
			assert_int_equal(o[i], p[i + 1] > p[i] ? p[i + 1] : p[i] + p[i + 1]);
			assert_int_equal(o[i + 1], p[i]);
		}
		kit_free(k);
		arena_free(&arena);
	}
}

/* x becomes x + y where x lies over y, shifted by one element: loads come before the store. */
static void overlapping_memory(void **state)
{
	const char *text =
		"module {\ntt.func public @kernel(%p: !tt.ptr<f32>) {\n"
		"%i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>\n%one = arith.constant dense<1> : tensor<64xi32>\n"
		"%j = arith.addi %i, %one : tensor<64xi32>\n"
		"%ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>\n"
		"%pp = tt.addptr %ps, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>\n%pq = tt.addptr %ps, %j : tensor<64x!tt.ptr<f32>>, tensor<64xi32>\n"
		"%a = tt.load %pp : tensor<64x!tt.ptr<f32>>\n%b = tt.load %pq : tensor<64x!tt.ptr<f32>>\n"
		"%c = arith.addf %a, %b : tensor<64xf32>\ntt.store %pq, %c : tensor<64x!tt.ptr<f32>>\ntt.return\n}\n}\n";
	for (int plain = 0; plain < 2; plain++) {
		float p[65];
		for (int i = 0; i < 65; i++)
			p[i] = (float)i;
		Kit *k = kit_new(text);
		kit_buffer(k, "p", p, sizeof p, true);
		k->launch.plain = plain;
		kit_run(k, 1);
		for (int i = 0; i < 64; i++)
			assert_true(p[i + 1] == (float)(2 * i + 1));
		kit_free(k);
	}
}

/* What was loaded stays what it was when the memory is written before its use. */
static void loads_are_not_changed_by_later_stores(void **state)
{
	const char *text =
		"module {\ntt.func public @kernel(%p: !tt.ptr<f32>, %o: !tt.ptr<f32>) {\n"
		"%i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>\n"
		"%ps = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>\n%pp = tt.addptr %ps, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>\n"
		"%os = tt.splat %o : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>\n%op = tt.addptr %os, %i : tensor<64x!tt.ptr<f32>>, tensor<64xi32>\n"
		"%a = tt.load %pp : tensor<64x!tt.ptr<f32>>\n%z = arith.constant dense<0.000000e+00> : tensor<64xf32>\n"
		"tt.store %pp, %z : tensor<64x!tt.ptr<f32>>\n"
		"%c = arith.addf %a, %a : tensor<64xf32>\ntt.store %op, %c : tensor<64x!tt.ptr<f32>>\ntt.return\n}\n}\n";
	float p[64], o[64];
	for (int i = 0; i < 64; i++)
		p[i] = (float)i + 1;
	Kit *k = kit_new(text);
	kit_buffer(k, "p", p, sizeof p, true);
	kit_buffer(k, "o", o, sizeof o, true);
	kit_run(k, 1);
	for (int i = 0; i < 64; i++) {
		assert_true(o[i] == 2 * ((float)i + 1));
		assert_true(p[i] == 0);
	}
	kit_free(k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scaled_products), cmocka_unit_test(batched_products),
		cmocka_unit_test(descriptors),	   cmocka_unit_test(rows_by_number),
		cmocka_unit_test(element_maps),	   cmocka_unit_test(overlapping_memory),
		cmocka_unit_test(loads_are_not_changed_by_later_stores),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
