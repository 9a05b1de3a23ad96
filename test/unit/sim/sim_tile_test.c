/* Findings of the simulator name the tile: each detector on a planted fault whose accesses say what they move. */
#include "needs_llvm.h"

#ifdef NESO_HAVE_LLVM

#include <string.h>

#include "base/arena.h"
#include "codegen/codegen.h"

extern const CodegenTable neso_codegen_table;

/* Two warps, a word for each thread: of tile x at %at of shared memory and %to of global memory, of y elsewhere. In !1 and !2
 * a thread has two of x, in !3 a matrix of 8x8. */
static const char head[] =
	"target triple = \"nvptx64-nvidia-cuda\"\n"
	"!0 = !{i32 1}\n"
	"!1 = !{!10, i32 0, i32 0, i32 0}\n"
	"!2 = !{!11, i32 0, i32 0, i32 0}\n"
	"!3 = !{!12, i32 0, i32 2, i32 1, i32 1}\n"
	"!4 = !{!13, i32 1, i32 0, i32 1, i32 1}\n"
	"!5 = !{!13, i32 2, i32 0, i32 1, i32 1}\n"
	"!6 = !{!14, i32 -1}\n"
	"!10 = !{!\"x\", !\"tt.load\", !\"tensor<64xi32>\", i32 32, !\"{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], "
	"block = []} -> {dim0 = 64}\"}\n"
	"!11 = !{!\"\", !\"tt.store\", !\"tensor<64xi32>\", i32 32, !\"{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]], "
	"block = []} -> {dim0 = 64}\"}\n"
	"!12 = !{!\"y\", !\"tt.load\", !\"tensor<4x64xi16>\", i32 16, !\"{register = [[0, 1], [1, 0], [2, 0]], lane = [[0, 2], [0, 4], [0, 8], "
	"[0, 16], [0, 32]], warp = [[0, 0]], block = []} -> {dim0 = 4, dim1 = 64}\"}\n"
	"!13 = !{!\"m\", !\"ttg.local_load\", !\"tensor<8x8xf16>\", i32 16, !\"{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], "
	"[2, 0], [4, 0]], warp = [[0, 0]], block = []} -> {dim0 = 8, dim1 = 8}\"}\n"
	"!14 = !{!\"s\", !\"tt.load\", !\"i32\", i32 32, !\"\"}\n"
	"@smem = external addrspace(3) global [0 x i8], align 16\n"
	"declare i32 @neso.tid_x()\n"
	"declare i32 @neso.ctaid_x()\n"
	"declare void @neso.barrier() convergent\n"
	"declare i32 @neso.ldmatrix_x1(ptr addrspace(3)) convergent\n"
	"declare i32 @neso.ldmatrix_trans_x1(ptr addrspace(3)) convergent\n"
	"declare void @neso.cp_async_4(ptr addrspace(3), ptr addrspace(1), i1, i32)\n"
	"declare void @neso.cp_async_commit() convergent\n"
	"declare void @neso.cp_async_wait.0() convergent\n"
	"declare void @neso.st_global.v1b32(ptr addrspace(1), i1, i32)\n"
	"declare i32 @neso.ld_global.v1b32(ptr addrspace(1), i1)\n"
	"declare void @neso.red_global.relaxed.gpu.add.u32.v1b32(ptr addrspace(1), i1, i32)\n"
	"define ptx_kernel void @k(ptr addrspace(1) %out) \"neso\"=\"kernel=k args=p threads=64 shared=1024 cluster=1 scratch=0 scratch_align=0 "
	"print=0 assert=0\" {\n"
	"entry:\n"
	"  %t = call i32 @neso.tid_x()\n"
	"  %p = call i32 @neso.ctaid_x()\n"
	"  %at = getelementptr i32, ptr addrspace(3) @smem, i32 %t\n"
	"  %to = getelementptr i32, ptr addrspace(1) %out, i32 %t\n"
	"  %other = xor i32 %t, 32\n"
	"  %there = getelementptr i32, ptr addrspace(3) @smem, i32 %other\n"
	"  %beyond = getelementptr i32, ptr addrspace(1) %out, i32 %other\n"
	"  %low = icmp slt i32 %t, 32\n"
	"  %row = mul i32 %t, 16\n"
	"  %rows = getelementptr i8, ptr addrspace(3) @smem, i32 %row\n";
#define PUT(v) "  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 " v "), !neso.tile !2\n"
#define X ", !neso.tile !1\n"
#define STORE "  store i32 %t, ptr addrspace(3) %at" X
#define BARRIER "  call void @neso.barrier()\n"

typedef struct Case {
	const char *body, *code, *text, *note; /* note: of the other access; NULL: there is none */
	unsigned programs, schedules;
} Case;

#define OF_X " of 'x' (tt.load, tensor<64xi32>)"
#define OF_STORE " of tt.store (tensor<64xi32>)"

static const Case cases[] = {
	{"  %far = getelementptr i32, ptr addrspace(1) %to, i32 1\n"
	 "  %v = call i32 @neso.ld_global.v1b32(ptr addrspace(1) %far, i1 true)" X PUT("%v"),
	 "RUN_OUT_OF_BOUNDS", "warp 1, lane 31, element [63]" OF_X, NULL, 1, 0},
	/* Four elements of two words; the third one is outside. */
	{"  %far = getelementptr i64, ptr addrspace(1) %out, i32 %t\n"
	 "  %off = getelementptr i8, ptr addrspace(1) %far, i32 -4\n"
	 "  %v = load <2 x i16>, ptr addrspace(1) %off, align 4, !neso.tile !3\n"
	 "  %w = bitcast <2 x i16> %v to i32\n" PUT("%w"),
	 "RUN_OUT_OF_BOUNDS", "lane 0, element [1, 0] of 'y' (tt.load, tensor<4x64xi16>)", NULL, 1, 0},
	{"  %far = getelementptr i8, ptr addrspace(1) %to, i32 254\n"
	 "  %v = load <2 x i16>, ptr addrspace(1) %far, align 2, !neso.tile !3\n"
	 "  %w = bitcast <2 x i16> %v to i32\n" PUT("%w"),
	 "RUN_OUT_OF_BOUNDS", "lane 0, element [1, 1] of 'y' (tt.load, tensor<4x64xi16>)", NULL, 1, 0},
	{"  %off = getelementptr i8, ptr addrspace(1) %to, i32 2\n"
	 "  %v = call i32 @neso.ld_global.v1b32(ptr addrspace(1) %off, i1 %low)" X PUT("%v"),
	 "RUN_MISALIGNED", "lane 0, element [0]" OF_X, NULL, 1, 0},
	{"  %far = getelementptr i32, ptr addrspace(3) %at, i32 200\n  store i32 %t, ptr addrspace(3) %far" X,
	 "RUN_OUT_OF_BOUNDS", "of the 1024 bytes of shared memory; kernel 'k', program (0, 0, 0), warp 1, lane 24, element [56]" OF_X, NULL, 1, 0},
	{"  %s = load i32, ptr addrspace(3) %at, !neso.tile !6\n" PUT("%s"), "SIM_UNWRITTEN", ", of 's' (tt.load, i32)", NULL, 1, 0},
	/* Row 3 of the matrix lacks bytes 8 ... 11. */
	{"  %n = icmp eq i32 %t, 14\n  br i1 %n, label %b, label %a\na:\n" STORE "  br label %b\nb:\n" BARRIER
	 "  %v = call i32 @neso.ldmatrix_x1(ptr addrspace(3) %rows), !neso.tile !4\n" PUT("%v"),
	 "SIM_UNWRITTEN", "lane 3, element [3, 4] of 'm' (ttg.local_load, tensor<8x8xf16>)", NULL, 1, 0},
	{"  %n = icmp eq i32 %t, 14\n  br i1 %n, label %b, label %a\na:\n" STORE "  br label %b\nb:\n" BARRIER
	 "  %v = call i32 @neso.ldmatrix_trans_x1(ptr addrspace(3) %rows), !neso.tile !5\n" PUT("%v"),
	 "SIM_UNWRITTEN", "lane 3, element [4, 3] of 'm' (ttg.local_load, tensor<8x8xf16>)", NULL, 1, 0},
	{"  %n = icmp eq i32 %t, 37\n" STORE BARRIER "  br i1 %n, label %a, label %b\na:\n"
	 "  %v = load i32, ptr addrspace(3) %there, !neso.tile !2\n" PUT("%v") "  br label %b\nb:\n"
	 "  store i32 7, ptr addrspace(3) %at" X,
	 "SIM_RACE", "warp 1, lane 5, element [37]" OF_STORE, "warp 0, lane 5, element [5]" OF_X, 1, 0},
	{PUT("%t") "  %n = icmp eq i32 %t, 37\n"
	 "  %v = call i32 @neso.ld_global.v1b32(ptr addrspace(1) %beyond, i1 %n)" X PUT("%v"),
	 "SIM_RACE", "warp 1, lane 5, element [37]" OF_X, "warp 0, lane 5, element [5]" OF_STORE, 1, 0},
	{"  %n = icmp eq i32 %t, 5\n  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 %n, i32 %p), !neso.tile !2\n",
	 "SIM_PROGRAM_RACE", "warp 0, lane 5, element [5]" OF_STORE, "program (0, 0, 0), warp 0, lane 5, element [5]" OF_STORE, 2, 0},
	{"  %n = icmp eq i32 %t, 5\n  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 %n, i32 %t), !neso.tile !2\n",
	 "SIM_SAME_STORE", "warp 0, lane 5, element [5]" OF_STORE, "program (0, 0, 0), warp 0, lane 5, element [5]" OF_STORE, 2, 0},
	{"  call void @neso.red_global.relaxed.gpu.add.u32.v1b32(ptr addrspace(1) %to, i1 true, i32 1)" X
	 "  %n = icmp eq i32 %t, 9\n  %v = call i32 @neso.ld_global.v1b32(ptr addrspace(1) %beyond, i1 %n), !neso.tile !2\n" PUT("%v"),
	 "SIM_RACE", "warp 0, lane 9, element [9]" OF_STORE, "warp 1, lane 9, element [41]" OF_X, 1, 0},
	{"  %n = icmp eq i32 %t, 6\n  call void @neso.cp_async_4(ptr addrspace(3) %at, ptr addrspace(1) %to, i1 true, i32 4)" X
	 "  call void @neso.cp_async_commit()\n"
	 "  br i1 %n, label %a, label %b\na:\n  %v = load i32, ptr addrspace(3) %at, !neso.tile !2\n" PUT("%v") "  br label %b\nb:\n",
	 "SIM_WAIT", "warp 0, lane 6, element [6]" OF_STORE, "warp 0, lane 6, element [6]" OF_X, 1, 0},
	{"  call void @neso.cp_async_4(ptr addrspace(3) %at, ptr addrspace(1) %to, i1 true, i32 4)" X
	 "  call void @neso.cp_async_commit()\n"
	 "  %n = icmp eq i32 %t, 6\n  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 %n, i32 %t)\n"
	 "  call void @neso.cp_async_wait.0()\n",
	 "SIM_WAIT", "warp 0, lane 6, element [6]" OF_X, NULL, 1, 0},
	{"  %o = shl i32 %t, 3\n  %q = getelementptr i8, ptr addrspace(3) @smem, i32 %o\n"
	 "  store i32 %t, ptr addrspace(3) %q, align 4, !neso.wavefronts !0" X,
	 "SIM_BANKS", "kernel 'k', the tile" OF_X, NULL, 1, 0},
	{"  %s = lshr i32 %t, 5\n  store volatile i32 %s, ptr addrspace(1) %out" X, "SIM_SCHEDULE", "element [", NULL, 1, 4},
};

static uint32_t out[64];

static CodegenResult *simulate(const Case *c)
{
	Arena arena;
	arena_init(&arena, 0);
	char *text = arena_printf(&arena, "%s%s  ret void\n}\n", head, c->body);
	CodegenRequest request = {.from = CODEGEN_LLIR, .text = text, .len = strlen(text), .target = "sm_90a"};
	CodegenSim *sim;
	CodegenResult *result = neso_codegen_table.sim_prepare(&request, &sim);
	assert_non_null(result);
	if (!result->ok)
		print_error("%s\n", result->diags[0].text);
	assert_true(result->ok);
	neso_codegen_table.free(result);
	arena_free(&arena);
	uint64_t arg = (uint64_t)(uintptr_t)out;
	SimBuffer buffer = {"out", out, sizeof out, true};
	SimLaunch launch = {.args = &arg, .arg_count = 1, .buffers = &buffer, .buffer_count = 1, .grid = {c->programs, 1, 1},
				   .check = true, .schedules = c->schedules, .timeout = 20};
	memset(out, 0, sizeof out);
	result = neso_codegen_table.sim_launch(sim, &launch);
	neso_codegen_table.sim_free(sim);
	assert_non_null(result);
	return result;
}

static bool is_told(const CodegenResult *r, const Case *c)
{
	for (size_t i = 0; i < r->diag_count; i++) {
		if (strcmp(r->diags[i].code, c->code) != 0 || !strstr(r->diags[i].text, c->text))
			continue;
		if (!c->note)
			return true;
		for (size_t n = i + 1; n < r->diag_count && n <= i + 2; n++) /* a cure may stand before it */
			if (strstr(r->diags[n].text, c->note))
				return true;
	}
	return false;
}

static void test_tiles(void **state)
{
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		CodegenResult *result = simulate(&cases[k]);
		bool told = is_told(result, &cases[k]);
		for (size_t i = 0; !told && i < result->diag_count; i++)
			print_error("%s: %s\n", result->diags[i].code, result->diags[i].text);
		if (!told)
			fail_msg("case %zu: no '%s ... %s'", k, cases[k].code, cases[k].text);
		neso_codegen_table.free(result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_tiles)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
