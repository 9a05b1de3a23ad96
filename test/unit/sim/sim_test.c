/* The simulator: what LLIR computes, and each of its checks on a planted fault and on the same code without it. */
#include "needs_llvm.h"

#ifdef NESO_HAVE_LLVM

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "codegen/codegen.h"

extern const CodegenTable neso_codegen_table;

/* Two warps, 1024 bytes of shared memory; %out is 64 words, %t the thread. */
static const char head[] =
	"target triple = \"nvptx64-nvidia-cuda\"\n"
	"!0 = !{i32 1}\n"
	"@smem = external addrspace(3) global [0 x i8], align 16\n"
	"declare i32 @neso.tid_x()\n"
	"declare i13 @llvm.bitreverse.i13(i13)\n"
	"declare i13 @llvm.ctlz.i13(i13, i1)\n"
	"declare i13 @llvm.cttz.i13(i13, i1)\n"
	"declare void @neso.barrier() convergent\n"
	"declare ptr addrspace(1) @neso.address(ptr addrspace(1), i32, i32)\n"
	"declare void @neso.warp_barrier() convergent\n"
	"declare i32 @neso.shfl_bfly(i32, i32, i32, i32) convergent\n"
	"declare void @neso.cp_async_16(ptr addrspace(3), ptr addrspace(1), i1, i32)\n"
	"declare void @neso.cp_async_commit() convergent\n"
	"declare void @neso.cp_async_wait.0() convergent\n"
	"declare void @neso.cp_async_wait.1() convergent\n"
	"declare void @neso.st_global.v1b32(ptr addrspace(1), i1, i32)\n"
	"declare i32 @neso.ld_fresh.always.volatile.v1b32(ptr addrspace(1))\n"
	"declare i32 @neso.atom_global.relaxed.gpu.add.u32.always.v1b32(ptr addrspace(1), i32)\n"
	"define ptx_kernel void @k(ptr addrspace(1) %out) \"neso\"=\"kernel=k args=p threads=64 shared=1024 cluster=1 scratch=0 scratch_align=0 "
	"print=0 assert=0\" {\n"
	"entry:\n"
	"  %t = call i32 @neso.tid_x()\n"
	"  %at = getelementptr i32, ptr addrspace(3) @smem, i32 %t\n"
	"  %to = getelementptr i32, ptr addrspace(1) %out, i32 %t\n"
	"  %other = xor i32 %t, 32\n"
	"  %there = getelementptr i32, ptr addrspace(3) @smem, i32 %other\n"
	"  %next = xor i32 %t, 1\n"
	"  %beside = getelementptr i32, ptr addrspace(3) @smem, i32 %next\n"
	"  %low = icmp slt i32 %t, 32\n";

static uint32_t out[64];
static long fails_at;      /* the request for memory of the launch that fails; 0: none */
static bool has_failed;
static unsigned schedules;

static CodegenRequest request_of(const char *text)
{
	return (CodegenRequest){.from = CODEGEN_LLIR, .text = text, .len = strlen(text), .target = "sm_90a"};
}

/* Names of what was diagnosed, one after the other; "" when the run was good. The caller frees the result. */
static unsigned watch;

static CodegenResult *simulate(const char *body, bool check, uint64_t seed)
{
	Arena arena;
	arena_init(&arena, 0);
	char *text = arena_printf(&arena, "%s%s  ret void\n}\n", head, body);
	CodegenRequest request = request_of(text);
	CodegenSim *sim;
	CodegenResult *result = neso_codegen_table.sim_prepare(&request, &sim);
	assert_non_null(result);
	arena_free(&arena);
	if (!sim)
		return result;
	assert_true(result->ok);
	neso_codegen_table.free(result);
	uint64_t arg = (uint64_t)(uintptr_t)out;
	SimBuffer buffer = {"out", out, sizeof out, true};
	SimLaunch launch = {.args = &arg, .arg_count = 1, .buffers = &buffer, .buffer_count = 1, .grid = {1, 1, 1},
				   .check = check, .seed = seed, .timeout = 20, .schedules = schedules,
				   .watch = watch};
	memset(out, 0, sizeof out);
	arena_fail_after(fails_at);
	result = neso_codegen_table.sim_launch(sim, &launch);
	has_failed = arena_fail_after(0) <= 0;
	neso_codegen_table.sim_free(sim);
	assert_true(result || fails_at);
	return result;
}

static void expect(const char *body, bool check, const char *code, const char *text)
{
	for (uint64_t seed = 0; seed < 3; seed++) {
		CodegenResult *result = simulate(body, check, seed);
		if (!code) {
			if (result->diag_count)
				print_error("%s\n", result->diags[0].text);
			assert_true(result->ok);
			assert_int_equal(result->diag_count, 0);
		} else {
			assert_false(result->ok);
			assert_true(result->diag_count >= 1);
			/* In some orders a race is a read of what was not written yet as well. */
			bool found = false;
			for (size_t i = 0; i < result->diag_count; i++)
				found |= strcmp(result->diags[i].code, code) == 0 && strstr(result->diags[i].text, text);
			if (!found)
				print_error("%s: %s\n", result->diags[0].code, result->diags[0].text);
			assert_true(found);
		}
		neso_codegen_table.free(result);
	}
}

static void fault(const char *body, const char *code, const char *text)
{
	expect(body, true, code, text);
}

static void clean(const char *body)
{
	expect(body, true, NULL, NULL);
}

static const char store_and_load[] =
	"  store i32 %t, ptr addrspace(3) %at\n"
	"  call void @neso.barrier()\n"
	"  %v = load i32, ptr addrspace(3) %there\n"
	"  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 %v)\n";

static void test_runs(void **state)
{
	(void)state;
	clean(store_and_load);
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(out[i], i ^ 32);
	/* A loop that lanes leave one after the other, and an operation of the warp behind it. */
	clean("  br label %loop\n"
	      "loop:\n"
	      "  %i = phi i32 [ 0, %entry ], [ %j, %loop ]\n"
	      "  %s = phi i32 [ 0, %entry ], [ %u, %loop ]\n"
	      "  %u = add i32 %s, %i\n"
	      "  %j = add i32 %i, 1\n"
	      "  %more = icmp sle i32 %j, %t\n"
	      "  br i1 %more, label %loop, label %after\n"
	      "after:\n"
	      "  %x = call i32 @neso.shfl_bfly(i32 -1, i32 %u, i32 1, i32 31)\n"
	      "  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 %x)\n");
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(out[i], (i ^ 1) * ((i ^ 1) + 1) / 2);
	/* Lanes beyond the clamp keep what they have; its upper bits are a segment's. */
	clean("  %x = call i32 @neso.shfl_bfly(i32 -1, i32 %t, i32 1, i32 15)\n"
	      "  %y = call i32 @neso.shfl_bfly(i32 -1, i32 %x, i32 2, i32 4099)\n"
	      "  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 %y)\n");
	for (uint32_t i = 0; i < 64; i++) {
		uint32_t from = i % 16 < 4 ? i ^ 2 : i;
		assert_int_equal(out[i], from % 32 < 16 ? from ^ 1 : from);
	}
}

/* Constants of a phi that are casts of vectors: their bits are those in memory. */
static void test_cast_constants(void **state)
{
	(void)state;
	clean("  br i1 %low, label %one, label %after\n"
	      "one:\n"
	      "  br label %after\n"
	      "after:\n"
	      "  %p = phi <2 x half> [ bitcast (<1 x i32> <i32 u0x4c004d00> to <2 x half>), %entry ], "
	      "[ bitcast (<4 x i8> <i8 1, i8 2, i8 3, i8 4> to <2 x half>), %one ]\n"
	      "  %a = extractelement <2 x half> %p, i64 0\n"
	      "  %b = extractelement <2 x half> %p, i64 1\n"
	      "  %c = bitcast half %a to i16\n"
	      "  %d = bitcast half %b to i16\n"
	      "  %e = zext i16 %c to i32\n"
	      "  %f = zext i16 %d to i32\n"
	      "  %g = shl i32 %e, 16\n"
	      "  %h = or i32 %g, %f\n"
	      "  %i = add i32 %h, bitcast (<2 x i16> <i16 5, i16 0> to i32)\n"
	      "  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 %i)\n");
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(out[i], (i < 32 ? 0x02010403 : 0x4d004c00) + 5);
}

static void test_odd_widths(void **state)
{
	(void)state;
	clean("  %n = trunc i32 %t to i5\n"
	      "  %m = mul i5 %n, %n\n"
	      "  %h = ashr i5 %m, 1\n"
	      "  %w = sext i5 %h to i32\n"
	      "  %v = insertelement <2 x i16> <i16 1, i16 2>, i16 7, i32 1\n"
	      "  %c = bitcast <2 x i16> %v to i32\n"
	      "  %r = add i32 %w, %c\n"
	      "  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 %r)\n");
	for (int i = 0; i < 64; i++) {
		int m = i * i & 31, wide = m >= 16 ? m - 32 : m;
		assert_int_equal((int)out[i], (wide >> 1) + 0x70001);
	}
	clean("  %n = trunc i32 %t to i13\n"
	      "  %b = call i13 @llvm.bitreverse.i13(i13 %n)\n"
	      "  %l = call i13 @llvm.ctlz.i13(i13 %n, i1 false)\n"
	      "  %z = call i13 @llvm.cttz.i13(i13 %n, i1 false)\n"
	      "  %b4 = zext i13 %b to i32\n"
	      "  %l4 = zext i13 %l to i32\n"
	      "  %z4 = zext i13 %z to i32\n"
	      "  %ls = shl i32 %l4, 16\n"
	      "  %zs = shl i32 %z4, 24\n"
	      "  %bl = or i32 %b4, %ls\n"
	      "  %r = or i32 %bl, %zs\n"
	      "  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 %r)\n");
	for (uint32_t i = 0; i < 64; i++) {
		uint32_t reversed = 0;
		for (unsigned bit = 0; bit < 13; bit++)
			reversed |= (i >> bit & 1) << (12 - bit);
		uint32_t leading = i ? (uint32_t)__builtin_clz(i) - 19 : 13, trailing = i ? (uint32_t)__builtin_ctz(i) : 13;
		assert_int_equal(out[i], reversed | leading << 16 | trailing << 24);
	}
}

static void test_races(void **state)
{
	(void)state;
	fault("  store i32 %t, ptr addrspace(3) %at\n"
	      "  %v = load i32, ptr addrspace(3) %there\n"
	      "  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 %v)\n"
	      "  call void @neso.barrier()\n",
	      "SIM_RACE", "no barrier between them");
	/* Written again before all have read. */
	fault("  store i32 %t, ptr addrspace(3) %at\n"
	      "  call void @neso.barrier()\n"
	      "  %v = load i32, ptr addrspace(3) %there\n"
	      "  store i32 %v, ptr addrspace(3) %at\n"
	      "  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 %v)\n",
	      "SIM_RACE", "no barrier between them");
	clean("  store i32 %t, ptr addrspace(3) %at\n"
	      "  call void @neso.barrier()\n"
	      "  %v = load i32, ptr addrspace(3) %there\n"
	      "  call void @neso.barrier()\n"
	      "  store i32 %v, ptr addrspace(3) %at\n");
	/* Lanes of a warp meet at its own barrier. */
	fault("  store i32 %t, ptr addrspace(3) %at\n"
	      "  %v = load i32, ptr addrspace(3) %beside\n"
	      "  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 %v)\n",
	      "SIM_RACE", "no barrier between them");
	clean("  store i32 %t, ptr addrspace(3) %at\n"
	      "  call void @neso.warp_barrier()\n"
	      "  %v = load i32, ptr addrspace(3) %beside\n"
	      "  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 %v)\n");
}

/* The low warp writes one byte of each word, the high one reads a byte of it: another, or the same. */
#define BYTES(which)                                                                              \
	"  store i32 %t, ptr addrspace(3) %at\n"                                                 \
	"  call void @neso.barrier()\n"                                                          \
	"  br i1 %low, label %a, label %b\n"                                                     \
	"a:\n"                                                                                   \
	"  store i8 7, ptr addrspace(3) %at\n"                                                   \
	"  br label %c\n"                                                                        \
	"b:\n"                                                                                   \
	"  %byte = getelementptr i8, ptr addrspace(3) %there, i32 " which "\n"                   \
	"  %v = load i8, ptr addrspace(3) %byte\n"                                               \
	"  %w = zext i8 %v to i32\n"                                                             \
	"  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 %w)\n"             \
	"  br label %c\n"                                                                        \
	"c:\n"

static void test_parts(void **state)
{
	(void)state;
	clean(BYTES("1"));
	fault(BYTES("0"), "SIM_RACE", "no barrier between them");
	/* A word whose bytes different warps wrote. */
	clean("  %l = and i32 %t, 31\n"
	      "  %h = lshr i32 %t, 5\n"
	      "  %l2 = mul i32 %l, 2\n"
	      "  %o = add i32 %l2, %h\n"
	      "  %byte = getelementptr i8, ptr addrspace(3) @smem, i32 %o\n"
	      "  %v = trunc i32 %o to i8\n"
	      "  store i8 %v, ptr addrspace(3) %byte\n"
	      "  call void @neso.barrier()\n"
	      "  %i = and i32 %t, 15\n"
	      "  %p = getelementptr i32, ptr addrspace(3) @smem, i32 %i\n"
	      "  %w = load i32, ptr addrspace(3) %p\n"
	      "  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 %w)\n");
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(out[i], 0x03020100u + (i & 15) * 0x04040404u);
	/* Three of four bytes written. */
	fault("  %o = mul i32 %t, 4\n"
	      "  %byte = getelementptr i8, ptr addrspace(3) @smem, i32 %o\n"
	      "  store <2 x i8> <i8 1, i8 2>, ptr addrspace(3) %byte, align 2\n"
	      "  %third = getelementptr i8, ptr addrspace(3) %byte, i32 2\n"
	      "  store i8 3, ptr addrspace(3) %third\n"
	      "  call void @neso.barrier()\n"
	      "  %w = load i32, ptr addrspace(3) %at\n"
	      "  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 %w)\n",
	      "SIM_UNWRITTEN", "of shared memory; kernel 'k', program (0, 0, 0), warp ");
}

static void test_unwritten(void **state)
{
	(void)state;
	fault("  %v = load i32, ptr addrspace(3) %at\n"
	      "  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 %v)\n",
	      "SIM_UNWRITTEN", "of shared memory; kernel 'k', program (0, 0, 0), warp ");
	/* Without checks it is zero. */
	expect("  %v = load i32, ptr addrspace(3) %at\n"
	       "  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 %v)\n",
	       false, NULL, NULL);
}

/* Thread t copies bytes 16 t ... of shared memory, of the first four threads. */
#define COPY                                                                                      \
	"  %few = icmp slt i32 %t, 4\n"                                                           \
	"  %o = mul i32 %t, 16\n"                                                                 \
	"  %from = getelementptr i8, ptr addrspace(1) %out, i32 %o\n"                             \
	"  %into = getelementptr i8, ptr addrspace(3) @smem, i32 %o\n"                            \
	"  call void @neso.cp_async_16(ptr addrspace(3) %into, ptr addrspace(1) %from, i1 %few, i32 16)\n" \
	"  call void @neso.cp_async_commit()\n"
#define READ_COPY                                                                                 \
	"  %q = and i32 %t, 15\n"                                                                 \
	"  %p = getelementptr i32, ptr addrspace(3) @smem, i32 %q\n"                              \
	"  %v = load i32, ptr addrspace(3) %p\n"                                                  \
	"  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 %v)\n"

static void test_waits(void **state)
{
	(void)state;
	fault(COPY "  call void @neso.barrier()\n" READ_COPY, "SIM_WAIT", "has not waited for it");
	fault(COPY "  call void @neso.cp_async_wait.1()\n  call void @neso.barrier()\n" READ_COPY, "SIM_WAIT", "has not waited for it");
	/* Waited for, but by the copying threads alone. */
	fault(COPY "  call void @neso.cp_async_wait.0()\n" READ_COPY, "SIM_RACE", "no barrier between them");
	clean(COPY "  call void @neso.cp_async_wait.0()\n  call void @neso.barrier()\n" READ_COPY);
	/* What is copied changes before it has come. */
	fault(COPY "  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 1)\n"
		   "  call void @neso.cp_async_wait.0()\n  call void @neso.barrier()\n" READ_COPY,
	      "SIM_WAIT", "the source of the copy to byte 0 of shared memory changes before");
	clean(COPY "  call void @neso.cp_async_wait.0()\n  call void @neso.barrier()\n"
		   "  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 1)\n" READ_COPY);
}

/* Plans that count fewer wavefronts than there are: two words of a bank; the same words, and fewer lanes, are none. */
static void test_banks(void **state)
{
	static const char access[] = "  %%o = %s\n"
				     "  %%p = getelementptr i8, ptr addrspace(3) @smem, i32 %%o\n"
				     "  store i32 %%t, ptr addrspace(3) %%p, align 4, !neso.wavefronts !0\n";
	static const struct {
		const char *offset;
		unsigned wavefronts; /* of a warp; 1: no finding */
	} cases[] = {{"shl i32 %t, 2", 1}, {"shl i32 %t, 3", 2}, {"shl i32 %t, 4", 4}, {"and i32 %t, 960", 1}};
	(void)state;
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		char body[512], text[128];
		snprintf(body, sizeof body, access, cases[k].offset);
		CodegenResult *result = simulate(body, true, 0);
		bool found = false;
		snprintf(text, sizeof text, "2 accesses of shared memory take %u wavefronts, where the plan of their layouts counts 2 and the least",
			 2 * cases[k].wavefronts);
		for (size_t i = 0; i < result->diag_count; i++)
			found |= strcmp(result->diags[i].code, "SIM_BANKS") == 0 && strstr(result->diags[i].text, text);
		assert_int_equal(found, cases[k].wavefronts > 1);
		neso_codegen_table.free(result);
	}
}

/* Where traffic is asked for: bank conflicts, whatever the plan says, and their cycles. */
static void test_traffic(void **state)
{
	static const char body[] = "  %o = shl i32 %t, 3\n"
				   "  %p = getelementptr i8, ptr addrspace(3) @smem, i32 %o\n"
				   "  store i32 %t, ptr addrspace(3) %p, align 4\n"
				   "  %q = getelementptr i32, ptr addrspace(3) @smem, i32 %t\n"
				   "  store i32 %t, ptr addrspace(3) %q, align 4\n";
	(void)state;
	for (unsigned asked = 0; asked < 2; asked++) {
		watch = asked ? SIM_WATCH_TRAFFIC : 0;
		CodegenResult *result = simulate(body, true, 0);
		unsigned found = 0;
		for (size_t i = 0; i < result->diag_count; i++)
			found += strcmp(result->diags[i].code, "SIM_TRAFFIC") == 0 &&
				 strstr(result->diags[i].text,
					"4 accesses of shared memory by a warp take 6 wavefronts, each a "
					"cycle of their SM, where their bytes would take 4: about 2 cycles");
		assert_int_equal(found, asked);
		neso_codegen_table.free(result);
	}
	watch = 0;
}

static void test_barriers(void **state)
{
	(void)state;
	fault("  br i1 %low, label %a, label %b\n"
	      "a:\n"
	      "  call void @neso.barrier()\n"
	      "  br label %c\n"
	      "b:\n"
	      "  call void @neso.barrier()\n"
	      "  br label %c\n"
	      "c:\n",
	      "SIM_BARRIER", "different barriers");
	clean("  br i1 %low, label %a, label %c\n"
	      "a:\n"
	      "  br label %c\n"
	      "c:\n"
	      "  call void @neso.barrier()\n");
	/* Half of the lanes at a shuffle of all. */
	expect("  %odd = trunc i32 %t to i1\n"
	       "  br i1 %odd, label %a, label %c\n"
	       "a:\n"
	       "  %x = call i32 @neso.shfl_bfly(i32 -1, i32 %t, i32 1, i32 31)\n"
	       "  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 %x)\n"
	       "  br label %c\n"
	       "c:\n",
	       false, "SIM_CONVERGENCE", "a shuffle");
}

static void test_deadlock(void **state)
{
	(void)state;
	/* One warp waits for its other half, which waits for all. */
	expect("  %half = and i32 %t, 16\n"
	       "  %is = icmp eq i32 %half, 0\n"
	       "  br i1 %is, label %a, label %b\n"
	       "a:\n"
	       "  call void @neso.warp_barrier()\n"
	       "  br label %c\n"
	       "b:\n"
	       "  call void @neso.barrier()\n"
	       "  br label %c\n"
	       "c:\n",
	       false, "RUN_DEADLOCK", "waits for its other lanes");
}

static void test_bounds(void **state)
{
	(void)state;
	expect("  %far = getelementptr i32, ptr addrspace(1) %to, i32 1\n"
	       "  call void @neso.st_global.v1b32(ptr addrspace(1) %far, i1 true, i32 1)\n",
	       false, "RUN_OUT_OF_BOUNDS", "passes the end of 'out' (256 bytes) by 4 bytes");
	/* An index that is widened in the address keeps its sign. */
	static const char addresses[] =
		"  %twice = shl i32 %t, 1\n  %back = sub i32 63, %twice\n"
		"  %p = call ptr addrspace(1) @neso.address(ptr addrspace(1) %to, i32 %back, i32 4)\n"
		"  store i32 %t, ptr addrspace(1) %p\n";
	expect(addresses, true, NULL, NULL);
	for (uint32_t k = 0; k < 64; k++)
		assert_int_equal(out[k], 63 - k);
	expect("  %p = call ptr addrspace(1) @neso.address(ptr addrspace(1) %to, i32 1, i32 4)\n"
	       "  store i32 %t, ptr addrspace(1) %p\n",
	       true, "RUN_OUT_OF_BOUNDS", "passes the end of 'out' (256 bytes) by 4 bytes");
	expect("  %far = getelementptr i32, ptr addrspace(1) %to, i32 1\n"
	       "  %in = icmp slt i32 %t, 63\n"
	       "  call void @neso.st_global.v1b32(ptr addrspace(1) %far, i1 %in, i32 1)\n",
	       false, NULL, NULL);
	expect("  %off = getelementptr i8, ptr addrspace(1) %out, i32 2\n"
	       "  call void @neso.st_global.v1b32(ptr addrspace(1) %off, i1 true, i32 1)\n",
	       false, "RUN_MISALIGNED", "no multiple of 4");
	expect("  %far = getelementptr i32, ptr addrspace(3) %at, i32 200\n"
	       "  store i32 %t, ptr addrspace(3) %far\n",
	       false, "RUN_OUT_OF_BOUNDS", "of the 1024 bytes of shared memory");
}

/* Blocks of instructions: carries, fields, comparisons; each against C. */
static void test_assembly(void **state)
{
	(void)state;
	clean("  %m = mul i32 %t, -1640531527\n"
	      "  %w = call {i32, i32} asm \"{ mad.lo.cc.u32 $0, $2, $3, $4;\\0A madc.hi.u32 $1, $2, $3, 0; }\", \"=r,=r,r,r,r\"(i32 %m, i32 %m, i32 -1)\n"
	      "  %l = extractvalue {i32, i32} %w, 0\n"
	      "  %h = extractvalue {i32, i32} %w, 1\n"
	      "  %x = xor i32 %l, %h\n"
	      "  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 %x)\n");
	for (uint32_t i = 0; i < 64; i++) {
		uint64_t m = (uint32_t)(i * 2654435769u), sum = m * m + UINT32_MAX;
		assert_int_equal(out[i], (uint32_t)sum ^ (uint32_t)(sum >> 32));
	}
	clean("  %v = call i32 asm \"{ .reg .u32 a, b; .reg .pred p; sub.cc.u32 a, $1, 40; subc.u32 b, 0, 0; bfe.s32 $0, $1, 1, 3; shl.b32 $0, $0, 8; "
	      "and.b32 b, b, 0xff; or.b32 $0, $0, b; not.b32 $0, $0; }\", \"=r,r,~{memory}\"(i32 %t)\n"
	      "  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 %v)\n");
	for (uint32_t i = 0; i < 64; i++) {
		uint32_t field = (uint32_t)((int32_t)(i << 28) >> 29);
		assert_int_equal(out[i], ~(field << 8 | (i < 40 ? 255u : 0)));
	}
	clean("  %v = call i32 asm \"{ .reg .b32 a; lop3.b32 a, $1, $2, $3, $4; "
	      "lop3.b32 $0, a, $1, 0x55, 0x96; }\", \"=r,r,n,n,n\""
	      "(i32 %t, i32 983055, i32 1677747200, i32 234)\n"
	      "  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 %v)\n");
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(out[i], ((i & 983055) | 1677747200) ^ i ^ 0x55);
	clean("  %f = uitofp i32 %t to float\n"
	      "  %v = call i32 asm \"{ .reg .pred p; .reg .f32 x; setp.gt.f32 p, $1, 0f41200000; selp.f32 x, $1, 0f3F800000, p; bfind.shiftamt.u32 $0, $2; "
	      "mov.b32 $0, x; }\", \"=r,f,r\"(float %f, i32 %t)\n"
	      "  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 %v)\n");
	for (uint32_t i = 0; i < 64; i++) {
		float x = i > 10 ? (float)i : 1;
		assert_memory_equal(&out[i], &x, 4);
	}
	clean("  %f = uitofp i32 %t to float\n"
	      "  %v = call float asm \"{ .reg .pred p; setp.gt.f32 p, $1, 15.; @p mov.f32 $0, $1; @!p add.f32 $0, $1, 1.5; @!p add.f32 $0, $0, 0.5; }\", "
	      "\"=f,f\"(float %f)\n"
	      "  %w = fptoui float %v to i32\n"
	      "  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 %w)\n");
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(out[i], i > 15 ? i : i + 2);
	expect("  %x = call i32 asm \"{ .reg .pred p; @p mov.u32 $0, $1; }\", \"=r,r\"(i32 %t)\n"
	       "  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 %x)\n",
	       false, "RUN_UNSUPPORTED", "@p mov.u32");
	expect("  %x = call i32 asm \"{ .reg .u32 a; mov.u32 $0, a; }\", \"=r,r\"(i32 %t)\n"
	       "  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 %x)\n",
	       false, "RUN_UNSUPPORTED", "inline assembly");
}

/* Memory that runs out anywhere in a launch is told, or there is no result at all; never a clean run with a check left out. */
static void runs_out(const char *body, unsigned orders, const char *code)
{
	bool whole = false;
	schedules = orders;
	for (long n = 1; n < 1000 && !whole; n++) {
		fails_at = n;
		CodegenResult *result = simulate(body, true, 0);
		bool told = !result, found = false;
		whole = !has_failed;
		for (size_t i = 0; result && i < result->diag_count; i++) {
			told |= strcmp(result->diags[i].code, "OUT_OF_MEMORY") == 0;
			found |= strcmp(result->diags[i].code, code) == 0;
		}
		assert_true(whole ? found : told);
		assert_false(result && result->ok);
		neso_codegen_table.free(result);
	}
	fails_at = 0;
	schedules = 0;
	assert_true(whole);
}

static void test_memory(void **state)
{
	(void)state;
	runs_out(COPY "  call void @neso.cp_async_wait.0()\n" READ_COPY, 0, "SIM_RACE");
	runs_out("  call void @neso.cp_async_commit()\n" COPY READ_COPY, 0, "SIM_WAIT");
	/* Orders whose results are kept and compared. */
	runs_out("  %v = load volatile i32, ptr addrspace(1) %out\n"
		 "  %w = add i32 %v, %t\n"
		 "  store volatile i32 %w, ptr addrspace(1) %out\n"
		 "  store i8 3, ptr addrspace(1) %out\n",
		 3, "SIM_RACE");
	/* A proof that nothing goes on. */
	runs_out("  br label %again\n"
		 "again:\n"
		 "  %v = call i32 @neso.ld_fresh.always.volatile.v1b32(ptr addrspace(1) %out)\n"
		 "  %z = icmp eq i32 %v, 0\n"
		 "  br i1 %z, label %again, label %done\n"
		 "done:\n",
		 0, "RUN_DEADLOCK");
}

static void test_refusals(void **state)
{
	(void)state;
	expect("  %x = call i32 asm \"mov.u32 $0, %clock;\", \"=r\"()\n"
	       "  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 %x)\n",
	       false, "RUN_UNSUPPORTED", "mov.u32 $0, %clock");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cast_constants),
		cmocka_unit_test(test_runs), cmocka_unit_test(test_odd_widths), cmocka_unit_test(test_races),
		cmocka_unit_test(test_parts), cmocka_unit_test(test_unwritten), cmocka_unit_test(test_waits), cmocka_unit_test(test_banks),
		cmocka_unit_test(test_traffic),
		cmocka_unit_test(test_barriers), cmocka_unit_test(test_deadlock), cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_assembly), cmocka_unit_test(test_memory), cmocka_unit_test(test_refusals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
