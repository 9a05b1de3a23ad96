/* decompose-dots against the interpreter: what a dot of parts, of small floats, with scales, is before and
 * after. Scales are powers of two and sums are taken in the same order, so that the bits must be the same; any
 * NaN is like another. */
#include "gpu_kit.h"
#include "interp_kit.h"

#include <math.h>

enum { M = 32, N = 16, K = 64, GROUP = 32, BYTES = 32 * 64 * 4 };

typedef struct Case {
	const char *name;
	const char *a, *b;             /* types of the operands; f32 is loaded as numbers, all else as bytes */
	int64_t a_shape[2], b_shape[2];
	const char *dot;               /* %a, %b, %c, %sa, %sb */
	const char *target;
} Case;

/* A tile of `elem` at the pointer %name_ptr, which is of integers of the same width. */
static const char *load_text(Arena *arena, const char *name, const char *elem, const int64_t *shape)
{
	bool f32 = strcmp(elem, "f32") == 0, wide = strcmp(elem, "f16") == 0 || strcmp(elem, "bf16") == 0;
	const char *stored = f32 ? "f32" : wide ? "i16" : "i8";
	long long n = (long long)(shape[0] * shape[1]), r = (long long)shape[0], c = (long long)shape[1];
	const char *load = arena_printf(
		arena,
		"%%%s0 = tt.make_range {start = 0 : i32, end = %lld : i32} : tensor<%lldxi32>\n"
		"%%%s1 = tt.splat %%%s_ptr : !tt.ptr<%s> -> tensor<%lldx!tt.ptr<%s>>\n"
		"%%%s2 = tt.addptr %%%s1, %%%s0 : tensor<%lldx!tt.ptr<%s>>, tensor<%lldxi32>\n"
		"%%%s3 = tt.load %%%s2 : tensor<%lldx!tt.ptr<%s>>\n"
		"%%%s4 = tt.reshape %%%s3 : tensor<%lldx%s> -> tensor<%lldx%lldx%s>\n",
		name, n, n, name, name, stored, n, stored, name, name, name, n, stored, n, name, name, n, stored, name, name, n,
		stored, r, c, stored);
	const char *last = strcmp(elem, stored) == 0
				   ? arena_printf(arena, "%%%s = tt.reshape %%%s3 : tensor<%lldx%s> -> tensor<%lldx%lldx%s>\n", name,
						  name, n, stored, r, c, stored)
				   : arena_printf(arena, "%%%s = tt.bitcast %%%s4 : tensor<%lldx%lldx%s> -> tensor<%lldx%lldx%s>\n",
						  name, name, r, c, stored, r, c, elem);
	return arena_printf(arena, "%s%s", load, last);
}

static const char *stored_type(const char *elem)
{
	return strcmp(elem, "f32") == 0 ? "f32" : strcmp(elem, "f16") == 0 || strcmp(elem, "bf16") == 0 ? "i16" : "i8";
}

static const char *program(Arena *arena, const Case *c)
{
	const int64_t sa[2] = {M, K / GROUP}, sb[2] = {N, K / GROUP}, sum[2] = {M, N};
	return arena_printf(
		arena,
		"tt.func public @kernel(%%a_ptr: !tt.ptr<%s>, %%b_ptr: !tt.ptr<%s>, %%sa_ptr: !tt.ptr<i8>, %%sb_ptr: !tt.ptr<i8>, "
		"%%c_ptr: !tt.ptr<f32>, %%o: !tt.ptr<f32>) {\n%s%s%s%s%s%%d = %s\n"
		"%%e = tt.reshape %%d : tensor<32x16xf32> -> tensor<512xf32>\n%%p = tt.splat %%o : !tt.ptr<f32> -> "
		"tensor<512x!tt.ptr<f32>>\n%%q = tt.addptr %%p, %%c0 : tensor<512x!tt.ptr<f32>>, tensor<512xi32>\n"
		"tt.store %%q, %%e : tensor<512x!tt.ptr<f32>>\ntt.return\n}\n",
		stored_type(c->a), stored_type(c->b), load_text(arena, "a", c->a, c->a_shape),
		load_text(arena, "b", c->b, c->b_shape), load_text(arena, "sa", "i8", sa), load_text(arena, "sb", "i8", sb),
		load_text(arena, "c", "f32", sum), c->dot);
}

static const char *decomposed(GpuKit *k, const char *text)
{
	static const char *const names[] = {"decompose-dots"};
	IrModule *m = gpu_kit_read(k, text);
	PassOptions options = {.verify = true, .stress = true, .host = &k->cx, .find = gpu_pass_by_name,
			       .open_analyses = gpu_analyses_open};
	if (!pass_run_list(m, names, 1, &options, &k->diags)) {
		Text out;
		text_init(&out, &k->arena);
		diag_render_all(&out, &k->diags);
		fail_msg("%s\n%s", out.data, text);
	}
	Text out;
	text_init(&out, &k->arena);
	ir_print(&out, m, (IrPrintOptions){.no_locations = true});
	return out.data;
}

static void fill(uint8_t *bytes, const char *elem, uint64_t *random)
{
	for (unsigned i = 0; i < BYTES; i++)
		bytes[i] = (uint8_t)(kit_random(random) >> 40);
	for (unsigned i = 0; i < BYTES / 4 && strcmp(elem, "f32") == 0; i++)
		((float *)(void *)bytes)[i] = kit_uniform(random);
	/* Below 4, so that nothing overflows fp16 with its scale; fp8 of three mantissa bits keeps its NaN. */
	for (unsigned i = 0; i < BYTES / 2 && stored_type(elem)[1] == '1'; i++)
		((uint16_t *)(void *)bytes)[i] &= 0xbfff;
	for (unsigned i = 0; i < BYTES && strcmp(elem, "f8E5M2") == 0; i++)
		bytes[i] &= 0xbf;
}

static void run(const char *text, const Case *c, float *out)
{
	static uint8_t a[BYTES], b[BYTES], sa[M * K / GROUP], sb[N * K / GROUP];
	static float sums[M * N];
	uint64_t random = 7;
	fill(a, c->a, &random);
	fill(b, c->b, &random);
	for (unsigned i = 0; i < sizeof sa; i++)
		sa[i] = (uint8_t)(120 + kit_random(&random) % 16);
	for (unsigned i = 0; i < sizeof sb; i++)
		sb[i] = (uint8_t)(120 + kit_random(&random) % 16);
	sa[5] = 255;
	for (unsigned i = 0; i < M * N; i++)
		sums[i] = kit_uniform(&random);
	Kit *k = kit_new(text);
	kit_buffer(k, "a", a, sizeof a, false);
	kit_buffer(k, "b", b, sizeof b, false);
	kit_buffer(k, "sa", sa, sizeof sa, false);
	kit_buffer(k, "sb", sb, sizeof sb, false);
	kit_buffer(k, "c", sums, sizeof sums, false);
	kit_buffer(k, "o", out, sizeof *out * M * N, true);
	kit_run(k, 1);
	kit_free(k);
}

#define C32 "tensor<32x16xf32>"
#define SA "tensor<32x2xi8>"
#define SB "tensor<16x2xi8>"

static const Case cases[] = {
	{"tf32x3", "f32", "f32", {M, K}, {K, N},
	 "tt.dot %a, %b, %c, inputPrecision = tf32x3 : tensor<32x64xf32> * tensor<64x16xf32> -> " C32, "sm_80"},
	{"bf16x3", "f32", "f32", {M, K}, {K, N},
	 "tt.dot %a, %b, %c, inputPrecision = bf16x3 : tensor<32x64xf32> * tensor<64x16xf32> -> " C32, "sm_80"},
	{"bf16x6", "f32", "f32", {M, K}, {K, N},
	 "tt.dot %a, %b, %c, inputPrecision = bf16x6 : tensor<32x64xf32> * tensor<64x16xf32> -> " C32, "sm_80"},
	{"fp8", "f8E4M3FN", "f8E5M2", {M, K}, {K, N},
	 "tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<32x64xf8E4M3FN> * tensor<64x16xf8E5M2> -> " C32, "sm_80"},
	{"scaled e4m3", "f8E4M3FN", "f8E4M3FN", {M, K}, {K, N},
	 "tt.dot_scaled %a scale %sa, %b scale %sb, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<32x64xf8E4M3FN>, " SA
	 " * tensor<64x16xf8E4M3FN>, " SB " -> " C32, "sm_80"},
	{"scaled e5m2, e2m1", "f8E5M2", "i8", {M, K}, {K / 2, N},
	 "tt.dot_scaled %a scale %sa, %b scale %sb, %c lhs = e5m2 rhs = e2m1 {fastMath = false} : tensor<32x64xf8E5M2>, " SA
	 " * tensor<32x16xi8>, " SB " -> " C32, "sm_80"},
	{"scaled e2m1 along rows", "i8", "i8", {M / 2, K}, {K, N / 2},
	 "tt.dot_scaled %a scale %sa, %b scale %sb, %c lhs = e2m1 rhs = e2m1 {fastMath = false, lhs_k_pack = false, rhs_k_pack = "
	 "false} : tensor<16x64xi8>, " SA " * tensor<64x8xi8>, " SB " -> " C32, "sm_80"},
	{"scaled bf16, e2m1", "bf16", "i8", {M, K}, {K / 2, N},
	 "tt.dot_scaled %a, %b scale %sb, %c lhs = bf16 rhs = e2m1 {fastMath = true} : tensor<32x64xbf16> * tensor<32x16xi8>, " SB
	 " -> " C32, "sm_80"},
	{"scaled fp16, e5m2", "f16", "f8E5M2", {M, K}, {K, N},
	 "tt.dot_scaled %a, %b scale %sb, %c lhs = fp16 rhs = e5m2 {fastMath = true} : tensor<32x64xf16> * tensor<64x16xf8E5M2>, "
	 SB " -> " C32, "sm_80"},
	{"scaled e2m3, e3m2", "i8", "i8", {M, K}, {K, N},
	 "tt.dot_scaled %a scale %sa, %b scale %sb, %c lhs = e2m3 rhs = e3m2 {fastMath = false} : tensor<32x64xi8>, " SA
	 " * tensor<64x16xi8>, " SB " -> " C32, "sm_80"},
};

static void dots_keep_their_values(void **state)
{
	static float before[M * N], after[M * N];
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		GpuKit k;
		unsigned numbers = 0;
		gpu_kit_init(&k, 4, 1);
		gpu_cx_init(&k.cx, &k.ir, target_find(cases[i].target), 4, 1, 3);
		const char *text = program(&k.arena, &cases[i]), *other = decomposed(&k, text);
		run(text, &cases[i], before);
		run(other, &cases[i], after);
		for (unsigned e = 0; e < M * N; e++) {
			if (memcmp(&before[e], &after[e], sizeof before[e]) != 0 && !(isnan(before[e]) && isnan(after[e])))
				fail_msg("%s, element %u: %a, was %a", cases[i].name, e, (double)after[e], (double)before[e]);
			numbers += isfinite(before[e]) && before[e] != 0;
		}
		print_message("%s: %u of %u finite\n", cases[i].name, numbers, M * N);
		assert_true(numbers >= 32);
		gpu_kit_free(&k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dots_keep_their_values),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
