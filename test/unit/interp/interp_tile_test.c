/* Shapes, reductions, scans, products, histogram: against loops written here, in fast and in plain form. */
#include "interp_kit.h"

#include <math.h>

#include "base/float/fp.h"

/* A kernel that loads a flat tile of `n` elements from %x, runs `body` on %v and stores %r (of `m` elements, flat). */
static Kit *flat_kernel(Arena *arena, const char *in, int n, const char *out, int m, const char *body)
{
	char *text = arena_printf(arena,
		"module {\n tt.func public @kernel(%%x: !tt.ptr<%s>, %%o: !tt.ptr<%s>) {\n"
		"  %%i = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>\n"
		"  %%xs = tt.splat %%x : !tt.ptr<%s> -> tensor<%dx!tt.ptr<%s>>\n"
		"  %%xp = tt.addptr %%xs, %%i : tensor<%dx!tt.ptr<%s>>, tensor<%dxi32>\n"
		"  %%v = tt.load %%xp : tensor<%dx!tt.ptr<%s>>\n"
		"%s\n"
		"  %%j = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>\n"
		"  %%os = tt.splat %%o : !tt.ptr<%s> -> tensor<%dx!tt.ptr<%s>>\n"
		"  %%op = tt.addptr %%os, %%j : tensor<%dx!tt.ptr<%s>>, tensor<%dxi32>\n"
		"  tt.store %%op, %%r : tensor<%dx!tt.ptr<%s>>\n"
		"  tt.return\n }\n}\n",
		in, out, n, n, in, n, in, n, in, n, n, in, body, m, m, out, m, out, m, out, m, m, out);
	return kit_new(text);
}

static void run_flat(const char *in, int n, const void *x, size_t in_size, const char *out, int m, void *o, size_t out_size,
		     const char *body, bool plain)
{
	Arena arena;
	arena_init(&arena, 0);
	Kit *k = flat_kernel(&arena, in, n, out, m, body);
	kit_buffer(k, "x", (void *)(uintptr_t)x, (size_t)n * in_size, false);
	kit_buffer(k, "o", o, (size_t)m * out_size, true);
	k->launch.plain = plain;
	kit_run(k, 1);
	kit_free(k);
	arena_free(&arena);
}

static void check_ints(const char *body, int n, int m, const int32_t *x, const int32_t *want)
{
	for (int plain = 0; plain < 2; plain++) {
		int32_t *o = calloc((size_t)m, 4);
		run_flat("i32", n, x, 4, "i32", m, o, 4, body, plain);
		for (int i = 0; i < m; i++)
			if (o[i] != want[i])
				fail_msg("element %d: %d, want %d (plain %d)\n%s", i, o[i], want[i], plain, body);
		free(o);
	}
}

static int32_t numbers[64];

static void shapes(void **state)
{
	int32_t want[128];
	for (int i = 0; i < 64; i++)
		numbers[i] = i * i - 100;
	for (int i = 0; i < 64; i++)
		want[i] = numbers[i % 8 * 8 + i / 8];
	check_ints("%a = tt.reshape %v : tensor<64xi32> -> tensor<8x8xi32>\n"
		   "%b = tt.trans %a {order = array<i32: 1, 0>} : tensor<8x8xi32> -> tensor<8x8xi32>\n"
		   "%r = tt.reshape %b : tensor<8x8xi32> -> tensor<64xi32>", 64, 64, numbers, want);
	for (int i = 0; i < 64; i++) /* [2, 4, 8] to [8, 2, 4] */
		want[i] = numbers[(i / 4 % 2) * 32 + i % 4 * 8 + i / 8];
	check_ints("%a = tt.reshape %v : tensor<64xi32> -> tensor<2x4x8xi32>\n"
		   "%b = tt.trans %a {order = array<i32: 2, 0, 1>} : tensor<2x4x8xi32> -> tensor<8x2x4xi32>\n"
		   "%r = tt.reshape %b : tensor<8x2x4xi32> -> tensor<64xi32>", 64, 64, numbers, want);
	for (int i = 0; i < 128; i++)
		want[i] = numbers[i / 2] + (i & 1);
	check_ints("%one = arith.constant dense<1> : tensor<64xi32>\n"
		   "%w = arith.addi %v, %one : tensor<64xi32>\n"
		   "%a = tt.join %v, %w : tensor<64xi32> -> tensor<64x2xi32>\n"
		   "%r = tt.reshape %a : tensor<64x2xi32> -> tensor<128xi32>", 64, 128, numbers, want);
	for (int i = 0; i < 32; i++)
		want[i] = numbers[2 * i] - numbers[2 * i + 1];
	check_ints("%a = tt.reshape %v : tensor<64xi32> -> tensor<32x2xi32>\n"
		   "%b, %c = tt.split %a : tensor<32x2xi32> -> tensor<32xi32>\n"
		   "%r = arith.subi %b, %c : tensor<32xi32>", 64, 32, numbers, want);
	for (int i = 0; i < 128; i++)
		want[i] = numbers[i % 64];
	check_ints("%r = tt.cat %v, %v : tensor<64xi32> -> tensor<128xi32>", 64, 128, numbers, want);
	for (int i = 0; i < 64; i++)
		want[i] = numbers[63 - i];
	check_ints("%c = arith.constant dense<63> : tensor<64xi32>\n"
		   "%k = arith.subi %c, %i : tensor<64xi32>\n"
		   "%r = tt.gather %v[%k] {axis = 0 : i32} : (tensor<64xi32>, tensor<64xi32>) -> tensor<64xi32>", 64, 64, numbers,
		   want);
}

/* Affine integers through reshape, remainder, comparison, selection: what lazy forms must not get wrong. */
static void lazy_integers(void **state)
{
	int32_t want[64];
	for (int i = 0; i < 64; i++)
		want[i] = (i + 30) % 50 + (3 * i - 20 < 40 && i >= 7 ? 1000 : 0) + (i % 8) * 100000;
	check_ints("%c30 = arith.constant dense<30> : tensor<64xi32>\n%c50 = arith.constant dense<50> : tensor<64xi32>\n"
		   "%c3 = arith.constant dense<3> : tensor<64xi32>\n%c20 = arith.constant dense<20> : tensor<64xi32>\n"
		   "%c40 = arith.constant dense<40> : tensor<64xi32>\n%c7 = arith.constant dense<7> : tensor<64xi32>\n"
		   "%k = arith.constant dense<1000> : tensor<64xi32>\n%z = arith.constant dense<0> : tensor<64xi32>\n"
		   "%a0 = arith.addi %i, %c30 : tensor<64xi32>\n%a = arith.remsi %a0, %c50 : tensor<64xi32>\n"
		   "%b0 = arith.muli %i, %c3 : tensor<64xi32>\n%b = arith.subi %b0, %c20 : tensor<64xi32>\n"
		   "%m0 = arith.cmpi slt, %b, %c40 : tensor<64xi32>\n%m1 = arith.cmpi sge, %i, %c7 : tensor<64xi32>\n"
		   "%m = arith.andi %m0, %m1 : tensor<64xi1>\n"
		   "%s = arith.select %m, %k, %z : tensor<64xi1>, tensor<64xi32>\n"
		   "%e = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>\n"
		   "%e1 = tt.expand_dims %e {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>\n"
		   "%e2 = tt.broadcast %e1 : tensor<1x8xi32> -> tensor<8x8xi32>\n"
		   "%e3 = tt.reshape %e2 : tensor<8x8xi32> -> tensor<64xi32>\n"
		   "%big = arith.constant dense<100000> : tensor<64xi32>\n%e4 = arith.muli %e3, %big : tensor<64xi32>\n"
		   "%r0 = arith.addi %a, %s : tensor<64xi32>\n%r = arith.addi %r0, %e4 : tensor<64xi32>",
		   64, 64, numbers, want);
	/* Wrap-around inside a tile must not be taken for an order. */
	for (int i = 0; i < 64; i++)
		want[i] = (int32_t)(0x7ffffff0u + (uint32_t)i) < 0;
	check_ints("%c = arith.constant dense<2147483632> : tensor<64xi32>\n%z = arith.constant dense<0> : tensor<64xi32>\n"
		   "%a = arith.addi %i, %c : tensor<64xi32>\n%m = arith.cmpi slt, %a, %z : tensor<64xi32>\n"
		   "%r = arith.extui %m : tensor<64xi1> to tensor<64xi32>", 64, 64, numbers, want);
	for (int i = 0; i < 64; i++)
		want[i] = i == 12;
	check_ints("%c = arith.constant dense<36> : tensor<64xi32>\n%c3 = arith.constant dense<3> : tensor<64xi32>\n"
		   "%a = arith.muli %i, %c3 : tensor<64xi32>\n%m = arith.cmpi eq, %a, %c : tensor<64xi32>\n"
		   "%r = arith.extui %m : tensor<64xi1> to tensor<64xi32>", 64, 64, numbers, want);
	for (int i = 0; i < 64; i++)
		want[i] = 3 * (63 - i) > 100;
	check_ints("%c = arith.constant dense<100> : tensor<64xi32>\n%c3 = arith.constant dense<-3> : tensor<64xi32>\n"
		   "%d = arith.constant dense<189> : tensor<64xi32>\n"
		   "%a0 = arith.muli %i, %c3 : tensor<64xi32>\n%a = arith.addi %a0, %d : tensor<64xi32>\n"
		   "%m = arith.cmpi ugt, %a, %c : tensor<64xi32>\n"
		   "%r = arith.extui %m : tensor<64xi1> to tensor<64xi32>", 64, 64, numbers, want);
}

#define REDUCE(axis, type, op)                                                          \
	"\"tt.reduce\"(%a) <{axis = " #axis " : i32}> ({\n^bb0(%p: " type ", %q: " type "):\n" \
	"%s = " op " %p, %q : " type "\ntt.reduce.return %s : " type "\n})"

static void reductions(void **state)
{
	uint64_t seed = 3;
	float x[64], o[64];
	for (int i = 0; i < 64; i++)
		x[i] = kit_uniform(&seed) * 10;
	for (int plain = 0; plain < 2; plain++) {
		run_flat("f32", 64, x, 4, "f32", 8, o, 4,
			 "%a = tt.reshape %v : tensor<64xf32> -> tensor<8x8xf32>\n%r = " REDUCE(1, "f32", "arith.addf")
			 " : (tensor<8x8xf32>) -> tensor<8xf32>", plain);
		for (int r = 0; r < 8; r++) {
			const float *v = x + 8 * r;
			float want = ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
			assert_true(o[r] == want);
		}
		run_flat("f32", 64, x, 4, "f32", 8, o, 4,
			 "%a = tt.reshape %v : tensor<64xf32> -> tensor<8x8xf32>\n%r = " REDUCE(0, "f32", "arith.maxnumf")
			 " : (tensor<8x8xf32>) -> tensor<8xf32>", plain);
		for (int c = 0; c < 8; c++) {
			float want = -INFINITY;
			for (int r = 0; r < 8; r++)
				want = fmaxf(want, x[8 * r + c]);
			assert_true(o[c] == want);
		}
	}
	int32_t want[64], v[64];
	for (int i = 0; i < 64; i++)
		v[i] = (i * 37 + 11) % 64 - 20;
	v[5] = v[50] = 99;
	/* Index of the greatest, the first of equals: two operands, a body of several ops. */
	want[0] = 5;
	check_ints("%m, %am = \"tt.reduce\"(%v, %i) <{axis = 0 : i32}> ({\n^bb0(%a: i32, %ai: i32, %b: i32, %bi: i32):\n"
		   "%gt = arith.cmpi sgt, %a, %b : i32\n%eq = arith.cmpi eq, %a, %b : i32\n%lt = arith.cmpi slt, %ai, %bi : i32\n"
		   "%tie = arith.andi %eq, %lt : i1\n%first = arith.ori %gt, %tie : i1\n"
		   "%rv = arith.select %first, %a, %b : i32\n%ri = arith.select %first, %ai, %bi : i32\n"
		   "tt.reduce.return %rv, %ri : i32, i32\n}) : (tensor<64xi32>, tensor<64xi32>) -> (i32, i32)\n"
		   "%r = tt.splat %am : i32 -> tensor<1xi32>", 64, 1, v, want);
	/* A body with a branch runs element by element. */
	want[0] = 0;
	for (int i = 0; i < 64; i++)
		want[0] += v[i];
	check_ints("%m = \"tt.reduce\"(%v) <{axis = 0 : i32}> ({\n^bb0(%a: i32, %b: i32):\n%t = arith.constant true\n"
		   "%s = scf.if %t -> (i32) {\n%x1 = arith.addi %a, %b : i32\nscf.yield %x1 : i32\n} else {\nscf.yield %a : i32\n}\n"
		   "tt.reduce.return %s : i32\n}) : (tensor<64xi32>) -> i32\n"
		   "%r = tt.splat %m : i32 -> tensor<1xi32>", 64, 1, v, want);
}

#define SCAN(reverse, op)                                                                           \
	"%r2 = \"tt.scan\"(%a) <{axis = 1 : i32, reverse = " reverse "}> ({\n^bb0(%p: i32, %q: i32):\n" op \
	"tt.scan.return %s : i32\n}) : (tensor<4x16xi32>) -> tensor<4x16xi32>\n"                    \
	"%r = tt.reshape %r2 : tensor<4x16xi32> -> tensor<64xi32>"

static void scans(void **state)
{
	int32_t v[64], want[64];
	for (int i = 0; i < 64; i++)
		v[i] = (i * 29 + 3) % 17 - 5;
	const char *const shape = "%a = tt.reshape %v : tensor<64xi32> -> tensor<4x16xi32>\n";
	char body[1024];
	for (int i = 0; i < 64; i++)
		want[i] = i % 16 ? want[i - 1] + v[i] : v[i];
	snprintf(body, sizeof body, "%s%s", shape, SCAN("false", "%s = arith.addi %p, %q : i32\n"));
	check_ints(body, 64, 64, v, want);
	for (int i = 63; i >= 0; i--)
		want[i] = i % 16 != 15 ? want[i + 1] + v[i] : v[i];
	snprintf(body, sizeof body, "%s%s", shape, SCAN("true", "%s = arith.addi %p, %q : i32\n"));
	check_ints(body, 64, 64, v, want);
	/* "The later one": associative, not commutative. */
	for (int i = 0; i < 64; i++)
		want[i] = v[i];
	snprintf(body, sizeof body, "%s%s", shape, SCAN("false", "%s0 = arith.subi %p, %p : i32\n%s = arith.addi %s0, %q : i32\n"));
	check_ints(body, 64, 64, v, want);
	/* x, y -> 2 x + y carries no associativity over, but (a, b) pairs of a linear recurrence do. */
	int32_t b = 0;
	for (int i = 0; i < 64; i++)
		want[i] = b = (int32_t)(3u * (uint32_t)b + (uint32_t)v[i]);
	check_ints("%c = arith.constant dense<3> : tensor<64xi32>\n"
		   "%ra, %r = \"tt.scan\"(%c, %v) <{axis = 0 : i32, reverse = false}> ({\n"
		   "^bb0(%a1: i32, %b1: i32, %a2: i32, %b2: i32):\n%a3 = arith.muli %a1, %a2 : i32\n"
		   "%t = arith.muli %a2, %b1 : i32\n%b3 = arith.addi %t, %b2 : i32\n"
		   "tt.scan.return %a3, %b3 : i32, i32\n}) : (tensor<64xi32>, tensor<64xi32>) -> (tensor<64xi32>, tensor<64xi32>)",
		   64, 64, v, want);
}

static void histogram(void **state)
{
	int32_t v[64], want[16] = {0};
	for (int i = 0; i < 64; i++) {
		v[i] = i * i % 20;
		if (v[i] < 16)
			want[v[i]]++;
	}
	check_ints("%r = tt.histogram %v : tensor<64xi32> -> tensor<16xi32>", 64, 16, v, want);
}

/* ---- products ---- */

typedef struct Format {
	const char *text;
	FpFormat format;
	unsigned size;
} Format;

/* [M, K] times [K, N] plus a constant; %a and %b are views: b is read transposed from [N, K]. */
static void product(const Format *in, const Format *out, const char *precision, int m, int n, int k, double tolerance,
		    double (*round)(double))
{
	Arena arena;
	arena_init(&arena, 0);
	char *text = arena_printf(&arena,
		"module {\ntt.func public @kernel(%%pa: !tt.ptr<%s>, %%pb: !tt.ptr<%s>, %%pc: !tt.ptr<%s>) {\n"
		"%%ra = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>\n"
		"%%sa = tt.splat %%pa : !tt.ptr<%s> -> tensor<%dx!tt.ptr<%s>>\n"
		"%%aa = tt.addptr %%sa, %%ra : tensor<%dx!tt.ptr<%s>>, tensor<%dxi32>\n"
		"%%la = tt.load %%aa : tensor<%dx!tt.ptr<%s>>\n%%a = tt.reshape %%la : tensor<%dx%s> -> tensor<%dx%dx%s>\n"
		"%%rb = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>\n"
		"%%sb = tt.splat %%pb : !tt.ptr<%s> -> tensor<%dx!tt.ptr<%s>>\n"
		"%%ab = tt.addptr %%sb, %%rb : tensor<%dx!tt.ptr<%s>>, tensor<%dxi32>\n"
		"%%lb = tt.load %%ab : tensor<%dx!tt.ptr<%s>>\n%%tb = tt.reshape %%lb : tensor<%dx%s> -> tensor<%dx%dx%s>\n"
		"%%b = tt.trans %%tb {order = array<i32: 1, 0>} : tensor<%dx%dx%s> -> tensor<%dx%dx%s>\n",
		in->text, in->text, out->text, m * k, m * k, in->text, m * k, in->text, m * k, in->text, m * k, m * k, in->text,
		m * k, in->text, m, k, in->text, n * k, n * k, in->text, n * k, in->text, n * k, in->text, n * k, n * k,
		in->text, n * k, in->text, n, k, in->text, n, k, in->text, k, n, in->text);
	text = arena_printf(&arena,
		"%s%%c = arith.constant dense<%s> : tensor<%dx%dx%s>\n"
		"%%d = tt.dot %%a, %%b, %%c%s : tensor<%dx%dx%s> * tensor<%dx%dx%s> -> tensor<%dx%dx%s>\n"
		"%%f = tt.reshape %%d : tensor<%dx%dx%s> -> tensor<%dx%s>\n"
		"%%rc = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>\n"
		"%%sc = tt.splat %%pc : !tt.ptr<%s> -> tensor<%dx!tt.ptr<%s>>\n"
		"%%ac = tt.addptr %%sc, %%rc : tensor<%dx!tt.ptr<%s>>, tensor<%dxi32>\n"
		"tt.store %%ac, %%f : tensor<%dx!tt.ptr<%s>>\ntt.return\n}\n}\n",
		text, out->format == FP__COUNT ? "2" : "2.000000e+00", m, n, out->text, precision, m, k, in->text, k, n, in->text,
		m, n, out->text, m, n, out->text, m * n, out->text, m * n, m * n, out->text, m * n, out->text, m * n, out->text,
		m * n, m * n, out->text);
	char *a = calloc((size_t)(m * k), in->size), *b = calloc((size_t)(n * k), in->size);
	char *c = calloc((size_t)(m * n), out->size);
	double *da = calloc((size_t)(m * k), 8), *db = calloc((size_t)(n * k), 8);
	uint64_t seed = 99;
	for (int i = 0; i < m * k + n * k; i++) {
		double v = (double)kit_uniform(&seed);
		uint64_t bits = in->format == FP__COUNT ? kit_random(&seed) & 255 : fp_from_double(in->format, v, FP_NEAREST_EVEN, true);
		v = in->format == FP__COUNT ? (int8_t)bits : fp_to_double(in->format, bits);
		bool first = i < m * k;
		memcpy(first ? a + (size_t)i * in->size : b + (size_t)(i - m * k) * in->size, &bits, in->size);
		*(first ? &da[i] : &db[i - m * k]) = round ? round(v) : v;
	}
	Kit *kit = kit_new(text);
	kit_buffer(kit, "a", a, (size_t)(m * k) * in->size, false);
	kit_buffer(kit, "b", b, (size_t)(n * k) * in->size, false);
	kit_buffer(kit, "c", c, (size_t)(m * n) * out->size, true);
	kit_run(kit, 1);
	for (int i = 0; i < m; i++)
		for (int j = 0; j < n; j++) {
			double want = 2, got;
			for (int p = 0; p < k; p++)
				want += da[i * k + p] * db[j * k + p];
			uint64_t bits = 0;
			memcpy(&bits, c + (size_t)(i * n + j) * out->size, out->size);
			got = out->format == FP__COUNT ? (int32_t)bits : fp_to_double(out->format, bits);
			if (!(fabs(got - want) <= tolerance * (1 + fabs(want))))
				fail_msg("%s %s %dx%dx%d: [%d, %d] is %.9g, want %.9g", in->text, precision, m, n, k, i, j, got,
					 want);
		}
	kit_free(kit);
	free(a);
	free(b);
	free(c);
	free(da);
	free(db);
	arena_free(&arena);
}

static double to_tf32(double v)
{
	float f = (float)v;
	uint32_t u;
	memcpy(&u, &f, 4);
	u &= 0xffffe000;
	memcpy(&f, &u, 4);
	return (double)f;
}

static void products(void **state)
{
	static const Format f16 = {"f16", FP_F16, 2}, bf16 = {"bf16", FP_BF16, 2}, f32 = {"f32", FP_F32, 4};
	static const Format f64 = {"f64", FP_F64, 8}, e4m3 = {"f8E4M3FN", FP_E4M3FN, 1}, e5m2 = {"f8E5M2", FP_E5M2, 1};
	static const Format i8 = {"i8", FP__COUNT, 1}, i32 = {"i32", FP__COUNT, 4};
	static const int sizes[][3] = {{16, 16, 16}, {64, 32, 32}, {16, 128, 64}, {32, 8, 128}, {1, 4, 8}, {128, 256, 16}};
	for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
		int m = sizes[s][0], n = sizes[s][1], k = sizes[s][2];
		product(&f32, &f32, "", m, n, k, 6e-6, NULL);
		product(&f32, &f32, ", inputPrecision = tf32", m, n, k, 6e-6, to_tf32);
		product(&f32, &f32, ", inputPrecision = tf32x3", m, n, k, 6e-6, NULL);
		product(&f32, &f32, ", inputPrecision = bf16x3", m, n, k, 1e-4, NULL);
		product(&f32, &f32, ", inputPrecision = bf16x6", m, n, k, 6e-6, NULL);
		product(&f16, &f32, "", m, n, k, 6e-6, NULL);
		product(&f16, &f16, "", m, n, k, 1e-3, NULL);
		product(&bf16, &f32, "", m, n, k, 6e-6, NULL);
		product(&e4m3, &f32, "", m, n, k, 6e-6, NULL);
		product(&e5m2, &f32, "", m, n, k, 6e-6, NULL);
		product(&f64, &f64, "", m, n, k, 1e-14, NULL);
		product(&i8, &i32, "", m, n, k, 0, NULL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes),   cmocka_unit_test(lazy_integers), cmocka_unit_test(reductions),
		cmocka_unit_test(scans),    cmocka_unit_test(histogram),     cmocka_unit_test(products),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
