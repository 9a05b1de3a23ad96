/* Products of a warp group in the simulator: every element against sums in C, operands in registers and in all kinds of shared memory,
 * chains and groups; what nobody waits for or fences; and the PTX. */
#include "needs_llvm.h"

#ifdef NESO_HAVE_LLVM

#include "base/float/fp.h"
#include "sim_kit.h"

enum { MOST_N = 256, BYTES = 48 << 10, A_AT = 0, B_AT = 16 << 10 };

static _Alignas(128) uint32_t out[128 * 128];
static _Alignas(128) uint8_t in[BYTES]; /* what shared memory shall hold */

typedef struct Case {
	const char *suffix, *rest; /* m64n%uk%u.SUFFIX */
	FpFormat format;           /* FP__COUNT: s8 */
	unsigned n, swizzle_a, swizzle_b; /* bytes; 0: none */
	bool a_in_words, rows_a, rows_b, half;
} Case;

static const Case cases[] = {
	{"f32.f16.f16", "", FP_F16, 64, 128, 128, false, false, false, false},
	{"f32.f16.f16", "", FP_F16, 8, 0, 0, false, false, false, false},
	{"f32.bf16.bf16", ".tb", FP_BF16, 128, 64, 128, false, false, true, false},
	{"f32.f16.f16", ".ta", FP_F16, 40, 128, 32, false, true, false, false},
	{"f32.f16.f16", ".ta.tb", FP_F16, 64, 64, 64, false, true, true, false},
	{"f32.f16.f16", ".ta.tb", FP_F16, 32, 32, 32, false, true, true, false},
	{"f32.f16.f16", ".ta.tb", FP_F16, 24, 0, 0, false, true, true, false},
	{"f32.f16.f16", "", FP_F16, 256, 32, 64, false, false, false, false},
	{"f32.f16.f16", "", FP_F16, 16, 0, 128, true, false, false, false},
	{"f32.bf16.bf16", ".tb", FP_BF16, 64, 0, 64, true, false, true, false},
	{"f16.f16.f16", "", FP_F16, 32, 128, 64, false, false, false, true},
	{"f32.tf32.tf32", "", FP_TF32, 32, 128, 32, false, false, false, false},
	{"f32.tf32.tf32", "", FP_TF32, 8, 0, 0, true, false, false, false},
	{"f32.e4m3.e4m3", "", FP_E4M3FN, 64, 64, 128, false, false, false, false},
	{"f32.e5m2.e5m2", "", FP_E5M2, 16, 0, 32, true, false, false, false},
	{"s32.s8.s8", "", FP__COUNT, 48, 128, 0, false, false, false, false},
};

static unsigned bytes_of(const Case *c)
{
	return c->format == FP__COUNT || c->format < FP_F16 ? 1 : c->format == FP_TF32 ? 4 : 2;
}

static unsigned depth_of(const Case *c)
{
	return 32 / bytes_of(c);
}

static unsigned words_of(const Case *c)
{
	return c->n / (c->half ? 4 : 2);
}

/* Small numbers, exact in all formats, and so are their sums. */
static int value(unsigned row, unsigned k, bool b)
{
	return (int)((row * 7 + k * 5 + (row * k) % 3 + (b ? 2 : 0)) % 7) - 3;
}

static uint32_t bits_of(const Case *c, int v)
{
	return c->format == FP__COUNT ? (uint8_t)v : (uint32_t)fp_from_double(c->format, v, FP_NEAREST_EVEN, false);
}

/* The descriptor's distances, chosen with gaps where they are free. */
typedef struct Distances {
	unsigned leading, stride;
} Distances;

static Distances distances(const Case *c, unsigned rows, unsigned swizzle, bool rows_first)
{
	if (!rows_first)
		return swizzle ? (Distances){16, 8 * swizzle} : (Distances){128 * (rows / 8) + 128, 128};
	/* Two groups of eight k. */
	if (swizzle)
		return (Distances){16 * swizzle, 8 * swizzle};
	(void)c;
	return (Distances){128 * (rows / 8) + 128, 128};
}

/* By the tables of PTX: core matrices of eight times 16 bytes. */
static unsigned place(const Case *c, unsigned rows, unsigned swizzle, bool rows_first, unsigned row, unsigned k)
{
	unsigned bytes = bytes_of(c), part = 16 / bytes;
	Distances d = distances(c, rows, swizzle, rows_first);
	unsigned at;
	if (!rows_first && !swizzle)
		at = row / 8 * d.stride + k / part * d.leading + row % 8 * 16 + k % part * bytes;
	else if (!rows_first)
		at = row / 8 * d.stride + row % 8 * swizzle + k * bytes;
	else if (!swizzle)
		at = row / part * d.stride + k / 8 * d.leading + k % 8 * 16 + row % part * bytes;
	else
		at = row / (swizzle / bytes) * d.leading + k / 8 * d.stride + k % 8 * swizzle + row % (swizzle / bytes) * bytes;
	if (swizzle) {
		unsigned line = at / 128, chunk = at / 16 % 8;
		at = line * 128 + (chunk ^ line % (swizzle / 16)) * 16 + at % 16;
	}
	return at;
}

static void put(const Case *c, unsigned at, unsigned rows, unsigned swizzle, bool rows_first, bool b)
{
	for (unsigned row = 0; row < rows; row++) {
		for (unsigned k = 0; k < depth_of(c); k++) {
			uint32_t bits = bits_of(c, value(row, k, b));
			unsigned to = at + place(c, rows, swizzle, rows_first, row, k);
			assert_true(to + bytes_of(c) <= BYTES);
			memcpy(in + to, &bits, bytes_of(c));
		}
	}
}

static uint64_t descriptor(const Case *c, unsigned at, unsigned rows, unsigned swizzle, bool rows_first)
{
	Distances d = distances(c, rows, swizzle, rows_first);
	uint64_t mode = swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0;
	return at / 16 | (uint64_t)(d.leading / 16) << 16 | (uint64_t)(d.stride / 16) << 32 | mode << 62;
}

static const char *name_of(Arena *arena, const Case *c)
{
	return arena_printf(arena, "m64n%uk%u.%s%s%s", c->n, depth_of(c), c->suffix, c->a_in_words ? ".ra" : "", c->rest);
}

static const char *accumulator_of(const Case *c)
{
	return c->half || c->format == FP__COUNT ? "i32" : "float";
}

static void struct_of(Text *t, const Case *c)
{
	text_str(t, "{");
	for (unsigned k = 0; k < words_of(c); k++)
		text_printf(t, "%s%s", k ? ", " : "", accumulator_of(c));
	text_str(t, "}");
}

static void list_of(Text *t, const Case *c, const char *name, bool values)
{
	for (unsigned k = 0; k < words_of(c); k++) {
		text_printf(t, "%s%s", k ? ", " : "", accumulator_of(c));
		if (values)
			text_printf(t, " %%%s%u", name, k);
	}
}

static void extract(Text *t, const Case *c, const char *from, const char *name)
{
	for (unsigned k = 0; k < words_of(c); k++) {
		text_printf(t, "  %%%s%u = extractvalue ", name, k);
		struct_of(t, c);
		text_printf(t, " %%%s, %u\n", from, k);
	}
}

/* "  %r = call {...} @neso.wgmma...(accumulators, A, B, added)"; accumulators NAME0 ... */
static void product(Text *t, const Case *c, Arena *arena, const char *result, const char *accumulators, bool added)
{
	text_printf(t, "  %%%s = call ", result);
	struct_of(t, c);
	text_printf(t, " @neso.wgmma.%s(", name_of(arena, c));
	list_of(t, c, accumulators, true);
	if (c->a_in_words)
		text_str(t, ", i32 %a0, i32 %a1, i32 %a2, i32 %a3");
	else
		text_printf(t, ", i64 %llu", (unsigned long long)descriptor(c, A_AT, 64, c->swizzle_a, c->rows_a));
	text_printf(t, ", i64 %llu, i1 %s)\n", (unsigned long long)descriptor(c, B_AT, c->n, c->swizzle_b, c->rows_b), added ? "true" : "false");
}

static void wait(Text *t, const Case *c, const char *result, const char *accumulators, unsigned pending)
{
	text_printf(t, "  %%%s = call ", result);
	struct_of(t, c);
	text_printf(t, " @neso.wgmma_wait.%u(", pending);
	list_of(t, c, accumulators, true);
	text_str(t, ")\n");
}

/* Four warps put `in` to shared memory, and have accumulators of 1. */
static Text begin(Arena *arena, const Case *c, const char *fence)
{
	Text t;
	text_init(&t, arena);
	text_str(&t, "target triple = \"nvptx64-nvidia-cuda\"\n@smem = external addrspace(3) global [0 x i8], align 1024\n"
		     "declare i32 @neso.tid_x()\ndeclare void @neso.barrier() convergent\ndeclare void @neso.fence_async() convergent\n"
		     "declare void @neso.wgmma_fence() convergent\ndeclare void @neso.wgmma_commit() convergent\n");
	for (unsigned pending = 0; pending < 2; pending++) {
		text_str(&t, "declare ");
		struct_of(&t, c);
		text_printf(&t, " @neso.wgmma_wait.%u(", pending);
		list_of(&t, c, "", false);
		text_str(&t, ") convergent\n");
	}
	text_str(&t, "declare ");
	struct_of(&t, c);
	text_printf(&t, " @neso.wgmma.%s(", name_of(arena, c));
	list_of(&t, c, "", false);
	text_printf(&t, ", %s, i64, i1) convergent\n", c->a_in_words ? "i32, i32, i32, i32" : "i64");
	text_printf(&t, "define ptx_kernel void @k(ptr addrspace(1) %%out, ptr addrspace(1) %%in) \"neso\"=\"kernel=k args=pp threads=128 shared=%d "
			"cluster=1 scratch=0 scratch_align=0 print=0 assert=0\" {\nentry:\n  %%t = call i32 @neso.tid_x()\n  %%o = mul i32 %%t, 16\n"
			"  br label %%fill\nfill:\n  %%at = phi i32 [ %%o, %%entry ], [ %%next, %%fill ]\n"
			"  %%from = getelementptr i8, ptr addrspace(1) %%in, i32 %%at\n  %%into = getelementptr i8, ptr addrspace(3) @smem, i32 %%at\n"
			"  %%v = load <4 x i32>, ptr addrspace(1) %%from, align 16\n  store <4 x i32> %%v, ptr addrspace(3) %%into, align 16\n"
			"  %%next = add i32 %%at, 2048\n  %%more = icmp slt i32 %%next, %d\n  br i1 %%more, label %%fill, label %%filled\nfilled:\n"
			"%s  call void @neso.barrier()\n", BYTES, BYTES, fence);
	/* As the fragments of A lie in registers: rows of 16 bytes of words, lane by lane. */
	text_str(&t, "  %w = lshr i32 %t, 5\n  %l = and i32 %t, 31\n  %w2 = mul i32 %w, 2048\n  %l4 = mul i32 %l, 4\n  %wl = add i32 %w2, %l4\n"
		     "  %words = getelementptr i8, ptr addrspace(1) %in, i32 %wl\n");
	for (unsigned k = 0; k < 4; k++)
		text_printf(&t, "  %%ap%u = getelementptr i8, ptr addrspace(1) %%words, i32 %u\n  %%a%u = load i32, ptr addrspace(1) %%ap%u\n", k, k * 128, k, k);
	/* No constants: accumulators are registers. */
	text_str(&t, "  %zero = lshr i32 %t, 20\n  %one = add i32 %zero, 1\n  %half = mul i32 %one, 1006648320\n  %real = uitofp i32 %one to float\n");
	for (unsigned k = 0; k < words_of(c); k++)
		text_printf(&t, "  %%c%u = %s\n", k, c->half ? "add i32 %half, 0" : c->format == FP__COUNT ? "add i32 %one, 0" : "fadd float %real, 0.0");
	return t;
}

static void end(Text *t, const Case *c, const char *name)
{
	for (unsigned k = 0; k < words_of(c); k++)
		text_printf(t, "  %%ow%u = shl i32 %%t, 2\n  %%od%u = add i32 %%ow%u, %u\n  %%op%u = getelementptr i8, ptr addrspace(1) %%out, i32 %%od%u\n"
			       "  store %s %%%s%u, ptr addrspace(1) %%op%u\n", k, k, k, k * 512, k, k, accumulator_of(c), name, k, k);
	text_str(t, "  ret void\n}\n");
}

static CodegenResult *run(const char *text, bool check, uint64_t seed)
{
	SimBuffer buffers[] = {{"out", out, sizeof out, true}, {"in", in, sizeof in, false}};
	memset(out, 0, sizeof out);
	return sim_kit_run(text, (uint64_t)(uintptr_t)out, (uint64_t)(uintptr_t)in, buffers, 2, check, seed);
}

static void fill(const Case *c)
{
	for (unsigned k = 0; k < BYTES; k++)
		in[k] = (uint8_t)(k % 3 ? 0x11 : 0x22); /* of what is between */
	put(c, B_AT, c->n, c->swizzle_b, c->rows_b, true);
	if (!c->a_in_words) {
		put(c, A_AT, 64, c->swizzle_a, c->rows_a, false);
		return;
	}
	unsigned per = 4 / bytes_of(c);
	for (unsigned w = 0; w < 4; w++) {
		for (unsigned k = 0; k < 4; k++) {
			for (unsigned lane = 0; lane < 32; lane++) {
				for (unsigned e = 0; e < per; e++) {
					unsigned row = w * 16 + lane / 4 + 8 * (k % 2), column = lane % 4 * per + e + 4 * per * (k / 2);
					uint32_t bits = bits_of(c, value(row, column, false));
					memcpy(in + w * 2048 + k * 128 + lane * 4 + e * bytes_of(c), &bits, bytes_of(c));
				}
			}
		}
	}
}

/* `times` products added up on `from`. */
static void expect(const Case *c, int times, int from)
{
	for (unsigned row = 0; row < 64; row++) {
		for (unsigned column = 0; column < c->n; column++) {
			int sum = from;
			for (unsigned k = 0; k < depth_of(c); k++)
				sum += times * value(row, k, false) * value(column, k, true);
			unsigned thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
			unsigned word = c->half ? column / 8 * 2 + row % 16 / 8 : column / 8 * 4 + row % 16 / 8 * 2 + column % 2;
			uint32_t have = out[word * 128 + thread];
			if (c->half) {
				double x = fp_to_double(FP_F16, have >> (column % 2 * 16) & 0xffff);
				assert_true(x == sum);
			} else if (c->format == FP__COUNT) {
				assert_int_equal((int)have, sum);
			} else {
				assert_true(fp_to_double(FP_F32, have) == sum);
			}
		}
	}
}

#define FENCE "  call void @neso.wgmma_fence()\n"
#define COMMIT "  call void @neso.wgmma_commit()\n"
#define PROXY "  call void @neso.fence_async()\n"

static void test_products(void **state)
{
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		const Case *c = &cases[k];
		for (unsigned added = 0; added < 2; added++) {
			Arena arena;
			arena_init(&arena, 0);
			fill(c);
			Text t = begin(&arena, c, PROXY);
			text_str(&t, FENCE);
			product(&t, c, &arena, "r", "c", added);
			extract(&t, c, "r", "d");
			text_str(&t, COMMIT);
			wait(&t, c, "f", "d", 0);
			extract(&t, c, "f", "e");
			end(&t, c, "e");
			for (unsigned n = 0; n < 2; n++) {
				sim_kit_clean(run(t.data, n, n));
				expect(c, 1, added ? 1 : 0);
			}
			arena_free(&arena);
		}
	}
}

/* Three on the same accumulators in two groups, and a loop that carries them. */
static void test_chains(void **state)
{
	const Case *c = &cases[0];
	Arena arena;
	arena_init(&arena, 0);
	fill(c);
	Text t = begin(&arena, c, PROXY);
	text_str(&t, FENCE);
	product(&t, c, &arena, "r", "c", true);
	extract(&t, c, "r", "d");
	product(&t, c, &arena, "s", "d", true);
	extract(&t, c, "s", "g");
	text_str(&t, COMMIT "  br label %loop\nloop:\n  %k = phi i32 [ 0, %filled ], [ %kn, %loop ]\n");
	for (unsigned n = 0; n < words_of(c); n++)
		text_printf(&t, "  %%h%u = phi float [ %%g%u, %%filled ], [ %%n%u, %%loop ]\n", n, n, n);
	product(&t, c, &arena, "u", "h", true);
	extract(&t, c, "u", "m");
	text_str(&t, COMMIT);
	wait(&t, c, "x", "m", 1);
	extract(&t, c, "x", "n");
	text_str(&t, FENCE "  %kn = add i32 %k, 1\n  %go = icmp slt i32 %kn, 3\n  br i1 %go, label %loop, label %done\ndone:\n");
	wait(&t, c, "y", "n", 0);
	extract(&t, c, "y", "z");
	end(&t, c, "z");
	for (unsigned n = 0; n < 4; n++) {
		sim_kit_clean(run(t.data, n & 1, n / 2));
		expect(c, 5, 1);
	}
	arena_free(&arena);
}

typedef enum { NO_WAIT, LATE, WRONG_GROUP, NOT_HANDED, NO_PROXY, NO_FENCE, OVERWRITTEN, GOOD } Fault;

static CodegenResult *planted(const Case *c, Fault fault)
{
	Arena arena;
	arena_init(&arena, 0);
	fill(c);
	Text t = begin(&arena, c, fault == NO_PROXY ? "" : PROXY);
	text_str(&t, fault == NO_FENCE ? "" : FENCE);
	product(&t, c, &arena, "r", "c", true);
	extract(&t, c, "r", "d");
	text_str(&t, fault == WRONG_GROUP ? "" : COMMIT);
	if (fault == LATE)
		text_printf(&t, "  %%early = fadd float %%d0, 1.0\n  store float %%early, ptr addrspace(1) %%out\n");
	if (fault == OVERWRITTEN)
		text_printf(&t, "  call void @neso.barrier()\n  %%mine = getelementptr i8, ptr addrspace(3) @smem, i32 %%o\n"
				"  %%over = getelementptr i8, ptr addrspace(3) %%mine, i32 %d\n  store i32 0, ptr addrspace(3) %%over\n", B_AT);
	if (fault == NO_WAIT) {
		end(&t, c, "d");
	} else {
		wait(&t, c, "f", "d", 0);
		extract(&t, c, "f", "e");
		end(&t, c, fault == NOT_HANDED ? "d" : "e");
	}
	CodegenResult *result = run(t.data, true, 0);
	arena_free(&arena);
	return result;
}

static void test_faults(void **state)
{
	const Case *c = &cases[1];
	sim_kit_clean(planted(c, GOOD));
	sim_kit_found(planted(c, NO_WAIT), "SIM_WAIT", "are used while it is under way: no wait has given them");
	sim_kit_found(planted(c, LATE), "SIM_WAIT", "are used while it is under way: no wait has given them");
	sim_kit_found(planted(c, WRONG_GROUP), "SIM_WAIT", "are used while it is under way: no wait has given them");
	sim_kit_found(planted(c, NOT_HANDED), "SIM_WAIT", "were not handed through its wait");
	sim_kit_found(planted(c, NO_PROXY), "SIM_PROXY", "is not fenced for");
	sim_kit_found(planted(c, NO_FENCE), "SIM_PROXY", "with no wgmma.fence since the last wait");
	sim_kit_found(planted(c, OVERWRITTEN), "SIM_WAIT", "of shared memory while what was issued at");
}

static void test_memory(void **state)
{
	do {
		sim_kit_fails_at++;
		assert_true(sim_kit_tells(planted(&cases[1], GOOD)));
	} while (sim_kit_failed);
	assert_in_range(sim_kit_fails_at, 10, 1000);
	sim_kit_fails_at = 0;
}

static void test_ptx(void **state)
{
	static const struct {
		size_t which;
		const char *wanted[3];
	} texts[] = {
		{0, {"wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%", ", 1, 1, 0, 0;", "wgmma.wait_group.sync.aligned 0;"}},
		{4, {", 1, 1, 1, 1;", "wgmma.fence.sync.aligned;", "wgmma.commit_group.sync.aligned;"}},
		{9, {"m64n64k16.f32.bf16.bf16 {%", "}, {%", ", 1, 1, 1;"}},
		{10, {"m64n32k16.f16.f16.f16 {%", ", 1, 1, 0, 0;", "wgmma.wait"}},
		{11, {"m64n32k8.f32.tf32.tf32 {%", ", 1, 1;", "wgmma.wait"}},
		{13, {"m64n64k32.f32.e4m3.e4m3 {%", ", 1, 1;", "wgmma.wait"}},
		{15, {"m64n48k32.s32.s8.s8 {%", ", %p", "wgmma.wait"}},
	};
	for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
		const Case *c = &cases[texts[k].which];
		Arena arena;
		arena_init(&arena, 0);
		Text t = begin(&arena, c, PROXY);
		text_str(&t, FENCE);
		product(&t, c, &arena, "r", "c", true);
		extract(&t, c, "r", "d");
		text_str(&t, COMMIT);
		wait(&t, c, "f", "d", 0);
		extract(&t, c, "f", "e");
		end(&t, c, "e");
		const char *ptx = sim_kit_ptx(&arena, t.data);
		for (unsigned n = 0; n < 3; n++)
			if (!strstr(ptx, texts[k].wanted[n]))
				fail_msg("no '%s' in\n%s", texts[k].wanted[n], ptx);
		arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_products),
		cmocka_unit_test(test_chains),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_ptx),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
