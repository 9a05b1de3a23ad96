/* Inline PTX and the device library, by values. */
#include "interp_kit.h"

#include <fenv.h>
#include <math.h>

static uint32_t bits_of(float f)
{
	uint32_t u;
	memcpy(&u, &f, 4);
	return u;
}

static float float_of(uint32_t u)
{
	float f;
	memcpy(&f, &u, 4);
	return f;
}

/* Runs `text` over 16 elements of a and b (32 bits each) and compares the low bits of the result. */
static void asm_gives(const char *text, const char *constraints, const uint32_t *a, const uint32_t *b, const uint32_t *want)
{
	Arena arena;
	arena_init(&arena, 0);
	char *module = arena_printf(&arena,
		"module {\ntt.func public @kernel(%%a: !tt.ptr<i32>, %%b: !tt.ptr<i32>, %%o: !tt.ptr<i32>) {\n"
		"%%i = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>\n"
		"%%as = tt.splat %%a : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>\n%%ap = tt.addptr %%as, %%i : tensor<16x!tt.ptr<i32>>, tensor<16xi32>\n"
		"%%bs = tt.splat %%b : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>\n%%bp = tt.addptr %%bs, %%i : tensor<16x!tt.ptr<i32>>, tensor<16xi32>\n"
		"%%os = tt.splat %%o : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>\n%%op = tt.addptr %%os, %%i : tensor<16x!tt.ptr<i32>>, tensor<16xi32>\n"
		"%%av = tt.load %%ap : tensor<16x!tt.ptr<i32>>\n%%bv = tt.load %%bp : tensor<16x!tt.ptr<i32>>\n"
		"%%r = tt.elementwise_inline_asm \"%s\" {constraints = \"%s\", packed_element = 1 : i32, pure = true} %%av, %%bv : tensor<16xi32>, tensor<16xi32> -> tensor<16xi32>\n"
		"tt.store %%op, %%r : tensor<16x!tt.ptr<i32>>\ntt.return\n}\n}\n", text, constraints);
	uint32_t out[16];
	Kit *k = kit_new(module);
	kit_buffer(k, "a", (void *)(uintptr_t)a, 64, false);
	kit_buffer(k, "b", (void *)(uintptr_t)b, 64, false);
	kit_buffer(k, "o", out, 64, true);
	kit_run(k, 1);
	for (int i = 0; i < 16; i++)
		if (out[i] != want[i])
			fail_msg("%s on %x, %x: %x, want %x", text, a[i], b[i], out[i], want[i]);
	kit_free(k);
	arena_free(&arena);
}

#define CASE(text, expr)                                                            \
	do {                                                                        \
		for (int i = 0; i < 16; i++) {                                      \
			uint32_t x = a[i], y = b[i];                                \
			float fx = float_of(x), fy = float_of(y);                   \
			(void)y; (void)fx; (void)fy; (void)x;                       \
			want[i] = (uint32_t)(expr);                                 \
		}                                                                   \
		asm_gives(text, "=r,r,r", a, b, want);                              \
	} while (0)

static void instructions(void **state)
{
	uint32_t a[16], b[16], want[16];
	uint64_t seed = 5;
	for (int i = 0; i < 16; i++) {
		a[i] = i < 8 ? bits_of(kit_uniform(&seed) * 100) : (uint32_t)kit_random(&seed);
		b[i] = i < 8 ? bits_of(kit_uniform(&seed) * 100) : (uint32_t)kit_random(&seed) >> (i & 31);
	}
	a[15] = 0x80000000;
	b[15] = 0xffffffff;
	b[14] = 0;
	CASE("mov.b32 $0, $1;", x);
	CASE("add.u32 $0, $1, $2;", x + y);
	CASE("sub.s32 $0, $1, $2;", x - y);
	CASE("mul.lo.u32 $0, $1, $2;", x * y);
	CASE("mul.hi.u32 $0, $1, $2;", (uint64_t)x * y >> 32);
	CASE("mul.hi.s32 $0, $1, $2;", (uint64_t)((int64_t)(int32_t)x * (int32_t)y) >> 32);
	CASE("mad.lo.s32 $0, $1, $2, 7;", x * y + 7);
	CASE("div.u32 $0, $1, $2;", y ? x / y : 0xffffffff);
	CASE("rem.s32 $0, $1, $2;", !y ? 0xffffffff : y == 0xffffffff ? 0 : (uint32_t)((int32_t)x % (int32_t)y));
	CASE("and.b32 $0, $1, $2;", x & y);
	CASE("or.b32 $0, $1, 0xff;", x | 255);
	CASE("xor.b32 $0, $1, $2;", x ^ y);
	CASE("not.b32 $0, $1;", ~x);
	CASE("shl.b32 $0, $1, 5;", x << 5);
	CASE("shl.b32 $0, $1, 32;", 0);
	CASE("shr.u32 $0, $1, 5;", x >> 5);
	CASE("shr.s32 $0, $1, 40;", (int32_t)x >> 31);
	CASE("min.s32 $0, $1, $2;", (int32_t)x < (int32_t)y ? x : y);
	CASE("max.u32 $0, $1, $2;", x > y ? x : y);
	CASE("lop3.b32 $0, $1, $2, 0x0f0f0f0f, 0xE8;", (x & y) | (x & 0x0f0f0f0f) | (y & 0x0f0f0f0f));
	CASE("prmt.b32 $0, $1, $2, 0x5410;", (x & 0xffff) | y << 16);
	CASE("prmt.b32 $0, $1, 0, 0x4140;", (x & 0xff) | (x & 0xff00) << 8);
	CASE("bfe.u32 $0, $1, 4, 8;", x >> 4 & 255);
	CASE("bfe.s32 $0, $1, 4, 8;", (int32_t)(x << 20) >> 24);
	CASE("bfi.b32 $0, $1, $2, 8, 4;", (y & ~0xf00u) | (x & 15) << 8);
	CASE("popc.b32 $0, $1;", __builtin_popcount(x));
	CASE("clz.b32 $0, $1;", x ? __builtin_clz(x) : 32);
	CASE("fns.b32 $0, 0xa4, 0, 2;", 5);
	CASE("fns.b32 $0, 0xa4, 6, -2;", 2);
	CASE("fns.b32 $0, 0xa4, 2, 0;", 2);
	CASE("fns.b32 $0, 0xa4, 3, 0;", -1);
	CASE("fns.b32 $0, 0xa4, 0, 4;", -1);
	CASE("fns.b32 $0, $1, 0, 1;", x ? __builtin_ctz(x) : -1);
	CASE("shf.l.wrap.b32 $0, $1, $2, 8;", y << 8 | x >> 24);
	CASE("{ .reg .pred p; setp.lt.s32 p, $1, $2; selp.b32 $0, 1, 2, p; }", (int32_t)x < (int32_t)y ? 1 : 2);
	CASE("{ .reg .pred p; setp.ge.u32 p, $1, $2; mov.u32 $0, 5; @p mov.u32 $0, 6; @!p add.u32 $0, $0, 2; }", x >= y ? 6 : 7);
	CASE("{ .reg .b16 l, h; mov.b32 {l, h}, $1; mov.b32 $0, {h, l}; } // swap", x << 16 | x >> 16);
	CASE("cvt.u32.u16 $0, $1;", x & 0xffff);
	CASE("cvt.s32.s8 $0, $1;", (int32_t)(int8_t)x);
	CASE("cvt.rn.f32.u32 $0, $1;", bits_of((float)x));
	CASE("cvt.rzi.s32.f32 $0, $1;", fx != fx ? 0 : fx >= 0x1p31f ? INT32_MAX : fx <= -0x1p31f ? INT32_MIN : (int32_t)fx);
	CASE("cvt.rna.tf32.f32 $0, $1;", (x & 0x7f800000) == 0x7f800000 ? x : (x + 0x1000) & 0xffffe000);
	/* Only the first eight are numbers of moderate size; no NaN beyond them is compared bit by bit. */
	for (int i = 8; i < 16; i++) {
		a[i] = bits_of((float)(i - 11) * 0.37f);
		b[i] = bits_of((float)(i - 8) * 1.25f + 0.5f);
	}
	CASE("add.f32 $0, $1, $2;", bits_of(fx + fy));
	CASE("mul.rn.f32 $0, $1, $2;", bits_of(fx * fy));
	CASE("fma.rn.f32 $0, $1, $2, 0f3F800000;", bits_of(fmaf(fx, fy, 1)));
	CASE("max.f32 $0, $1, $2;", bits_of(fmaxf(fx, fy)));
	CASE("neg.f32 $0, $1;", bits_of(-fx));
	CASE("abs.f32 $0, $1;", bits_of(fabsf(fx)));
	CASE("ex2.approx.ftz.f32 $0, $1;", fabs(exp2((double)fx)) < 0x1p-126 ? 0 : bits_of((float)exp2((double)fx)));
	CASE("sin.approx.f32 $0, $1;", bits_of((float)sin((double)fx)));
	CASE("cos.approx.f32 $0, $1;", bits_of((float)cos((double)fx)));
	CASE("tanh.approx.f32 $0, $1;", bits_of((float)tanh((double)fx)));
	CASE("rcp.approx.ftz.f32 $0, $2;", bits_of(1 / fy));
	CASE("add.sat.f32 $0, $1, $2;", bits_of(fx + fy > 0 ? (fx + fy < 1 ? fx + fy : 1) : 0));
}

static void packed_instructions(void **state)
{
	uint32_t a[16], b[16], want[16];
	for (int i = 0; i < 16; i++) { /* two halves: 1.5 and i; bf16 alike */
		a[i] = 0x3e003e00;
		b[i] = 0x40004200; /* f16 2.0, 3.0 */
	}
	CASE("mul.f16x2 $0, $1, $2;", 0x42004480); /* 3.0, 4.5 */
	CASE("sub.f16x2 $0, $1, $2;", 0xb800be00); /* -0.5, -1.5 */
	CASE("fma.rn.f16x2 $0, $1, $2, $1;", 0x44804600); /* 4.5, 6.0 */
	for (int i = 0; i < 16; i++) {
		a[i] = 0x3fc03f80; /* bf16 1.5, 1.0 */
		b[i] = 0x40004040; /* 2.0, 3.0 */
	}
	CASE("mul.bf16x2 $0, $1, $2;", 0x40404040);
	for (int i = 0; i < 16; i++) {
		static const float values[16] = {0, 0.24f, 0.25f, 0.26f, 0.75f, 1.25f, 1.75f, 2.5f, 3.5f, 5, 5.1f, 7, -0.3f, -100, 1, 4};
		a[i] = bits_of(values[i]);
		b[i] = bits_of(1);
	}
	/* The first source is the high nibble; ties to even. */
	static const uint8_t e2m1[16] = {0, 0, 0, 1, 2, 2, 4, 4, 6, 6, 7, 7, 9, 15, 2, 6};
	CASE("{ .reg .b8 t; cvt.rn.satfinite.e2m1x2.f32 t, $1, $2; cvt.u32.u8 $0, t; }", e2m1[i] << 4 | 2);
	CASE("{ .reg .b16 t; cvt.rn.satfinite.e4m3x2.f32 t, $2, $2; cvt.u32.u16 $0, t; }", 0x3838);
	CASE("cvt.rn.f16x2.f32 $0, $2, $2;", 0x3c003c00);
}

/* A spin on a flag that a later program raises, inside the assembly. */
static void waiting_in_assembly(void **state)
{
	const char *text =
		"module {\ntt.func public @kernel(%p: !tt.ptr<i32>) {\n%pid = tt.get_program_id x : i32\n%c0 = arith.constant 0 : i32\n"
		"%first = arith.cmpi eq, %pid, %c0 : i32\nscf.if %first {\n"
		"%r = tt.elementwise_inline_asm \"{ .reg .u32 t; .reg .pred q; wait: atom.global.acquire.sys.cas.b32 t, [$1], 1, 2; setp.eq.u32 q, t, 1; @!q bra wait; mov.u32 $0, t; }\" "
		"{constraints = \"=r,l\", packed_element = 1 : i32, pure = false} %p : !tt.ptr<i32> -> i32\n"
		"} else {\n"
		"%s = tt.elementwise_inline_asm \"{ st.relaxed.sys.global.u32 [$1], 1; mov.u32 $0, 0; }\" "
		"{constraints = \"=r,l\", packed_element = 1 : i32, pure = false} %p : !tt.ptr<i32> -> i32\n}\n"
		"tt.return\n}\n}\n";
	int32_t flag = 0;
	Kit *k = kit_new(text);
	kit_buffer(k, "p", &flag, 4, true);
	kit_run(k, 2);
	assert_int_equal(flag, 2);
	flag = 0;
	const Diag *d = kit_fails(k, 1); /* nobody raises it */
	assert_int_equal(d->code, DIAG_RUN_DEADLOCK);
	kit_free(k);
}

/* ---- the device library ---- */

static double library(const char *symbol, const char *in, const char *out, double a, double b)
{
	Arena arena;
	arena_init(&arena, 0);
	bool two = !isnan(b);
	bool narrow = strcmp(in, "f32") == 0, narrow_out = strcmp(out, "f32") == 0, whole = out[0] == 'i';
	char *text = arena_printf(&arena,
		"module {\ntt.func public @kernel(%%a: %s, %%b: %s, %%o: !tt.ptr<%s>) {\n"
		"%%r = tt.extern_elementwise %s {libname = \"\", libpath = \"\", pure = true, symbol = \"%s\"} : (%s%s%s) -> %s\n"
		"tt.store %%o, %%r : !tt.ptr<%s>\ntt.return\n}\n}\n", in, in, out, two ? "%a, %b" : "%a", symbol, in, two ? ", " : "",
		two ? in : "", out, out);
	Kit *k = kit_new(text);
	double args[2] = {a, b};
	for (int i = 0; i < 2; i++) {
		uint64_t bits = 0;
		if (in[0] == 'i')
			bits = (uint64_t)(int64_t)(i && !two ? 0 : args[i]);
		else if (narrow)
			bits = bits_of((float)args[i]);
		else
			memcpy(&bits, &args[i], 8);
		kit_scalar(k, bits);
	}
	uint64_t cell = 0;
	kit_buffer(k, "o", &cell, 8, true);
	kit_run(k, 1);
	double r;
	memcpy(&r, &cell, 8);
	if (whole)
		r = strcmp(out, "i64") == 0 ? (double)(int64_t)cell : (double)(int32_t)cell;
	else if (narrow_out)
		r = (double)float_of((uint32_t)cell);
	kit_free(k);
	arena_free(&arena);
	return r;
}

static void near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance * fabs(want)) && !(isnan(got) && isnan(want)) && got != want)
		fail_msg("%.17g, want %.17g", got, want);
}

static void device_library(void **state)
{
	near(library("__nv_tanhf", "f32", "f32", 0.7, NAN), tanh((double)0.7f), 1e-7);
	near(library("__nv_tanhf", "f32", "f32", 1e-5, NAN), tanh((double)1e-5f), 1e-7);
	near(library("__nv_pow", "f64", "f64", 2.5, 3.5), pow(2.5, 3.5), 1e-15);
	near(library("__nv_powf", "f32", "f32", 2.5, 3.5), pow(2.5, 3.5), 1e-7);
	near(library("__nv_erfinv", "f64", "f64", erf(0.3), NAN), 0.3, 1e-14);
	near(library("__nv_erfinv", "f64", "f64", -erf(2.1), NAN), -2.1, 1e-13);
	near(library("__nv_erfcinv", "f64", "f64", erfc(4), NAN), 4, 1e-14);
	near(library("__nv_erfcx", "f64", "f64", 1.5, NAN), exp(2.25) * erfc(1.5), 1e-14);
	near(library("__nv_erfcx", "f64", "f64", 30, NAN), 0.018795888861416751, 1e-9);
	near(library("__nv_normcdf", "f64", "f64", 1.96, NAN), 0.97500210485177952, 1e-14);
	near(library("__nv_normcdfinv", "f64", "f64", 0.975, NAN), 1.9599639845400545, 1e-14);
	near(library("__nv_cyl_bessel_i0", "f64", "f64", 2.5, NAN), 3.2898391440501231, 1e-14);
	near(library("__nv_cyl_bessel_i1", "f64", "f64", 2.5, NAN), 2.5167162452886984, 1e-14);
	near(library("__nv_sinpi", "f64", "f64", 1e15 + 0.5, NAN), 1, 1e-15);
	near(library("__nv_cospi", "f64", "f64", 0.75, NAN), cos(0.75 * 3.14159265358979323846), 1e-15);
	near(library("__nv_sinpi", "f64", "f64", -0.25, NAN), -0.70710678118654752, 1e-15);
	near(library("__nv_rcbrt", "f64", "f64", 27, NAN), 1.0 / 3, 1e-15);
	near(library("__nv_rhypot", "f64", "f64", 3, 4), 0.2, 1e-15);
	assert_true(library("__nv_float2int_rd", "f32", "i32", -2.5, NAN) == -3);
	assert_true(library("__nv_float2int_ru", "f32", "i32", -2.5, NAN) == -2);
	assert_true(library("__nv_float2int_rn", "f32", "i32", 2.5, NAN) == 2);
	assert_true(library("__nv_float2int_rz", "f32", "i32", 1e20, NAN) == INT32_MAX);
	assert_true(library("__nv_llroundf", "f32", "i64", 2.5, NAN) == 3);
	assert_true(library("__nv_clz", "i32", "i32", 1, NAN) == 31);
	assert_true(library("__nv_popc", "i32", "i32", -1, NAN) == 32);
	assert_true(library("__nv_ffs", "i32", "i32", 8, NAN) == 4);
	assert_true(library("__nv_brev", "i32", "i32", 1, NAN) == INT32_MIN);
	assert_true(library("__nv_mulhi", "i32", "i32", -1, 5) == -1);
	assert_true(library("__nv_hadd", "i32", "i32", -3, 6) == 1);
	assert_true(library("__nv_isnanf", "f32", "i32", NAN, NAN) == 1);
	/* The rounding modes bracket the exact value. */
	float third_down = (float)library("__nv_fdiv_rd", "f32", "f32", 1, 3), third_up = (float)library("__nv_fdiv_ru", "f32", "f32", 1, 3);
	assert_true(nextafterf(third_down, 1) == third_up);
	assert_true((double)third_down < 1.0 / 3 && (double)third_up > 1.0 / 3);
	assert_true(library("__nv_fadd_rz", "f32", "f32", 1, 0x1p-30) == 1);
	assert_true(library("__nv_fadd_ru", "f32", "f32", 1, 0x1p-30) == 1 + 0x1p-23);
	assert_true(library("__nv_dadd_rd", "f64", "f64", 1, -0x1p-80) == 1 - 0x1p-53);
	assert_true(library("__nv_int2float_ru", "i32", "f32", 16777217, NAN) == 16777218);
	assert_true(library("__nv_int2float_rd", "i32", "f32", 16777217, NAN) == 16777216);
	assert_true(library("__nv_fsqrt_ru", "f32", "f32", 2, NAN) > library("__nv_fsqrt_rd", "f32", "f32", 2, NAN));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions),
		cmocka_unit_test(packed_instructions),
		cmocka_unit_test(waiting_in_assembly),
		cmocka_unit_test(device_library),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
