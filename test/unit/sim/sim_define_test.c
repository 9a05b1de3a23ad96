/* The simulator's definedness: each way in which a value is not defined, each use that decides
 * something, and beside each of them the same code without the fault. */
#include "needs_llvm.h"

#ifdef NESO_HAVE_LLVM

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "codegen/codegen.h"

extern const CodegenTable neso_codegen_table;

/* Two warps; %in and %out are 64 words, of which nothing has written those of %fresh; %is: the
 * thread is below 20. */
static const char head[] =
	"target triple = \"nvptx64-nvidia-cuda\"\n"
	"@smem = external addrspace(3) global [0 x i8], align 16\n"
	"declare i32 @neso.tid_x()\n"
	"declare void @neso.barrier() convergent\n"
	"declare i32 @neso.shfl_bfly(i32, i32, i32, i32) convergent\n"
	"declare i32 @neso.redux_add(i32, i32) convergent\n"
	"declare i32 @neso.prmt(i32, i32, i32)\n"
	"declare i32 @neso.by_zero_32(i32, i32)\n"
	"declare i32 @neso.e4m3_to_f16(i16)\n"
	"declare i32 @neso.f16_to_e4m3(i32, i32)\n"
	"declare { i32, i32 } @neso.ldmatrix_x2(ptr addrspace(3)) convergent\n"
	"declare void @neso.stmatrix_x2(ptr addrspace(3), i32, i32) convergent\n"
	"declare { float, float, float, float } @neso.mma_sync.m16n8k16.f32.f16.f16.f32(i32, i32, i32, i32, "
	"i32, i32, float, float, float, float) "
	"convergent\n"
	"declare void @neso.cp_async_4(ptr addrspace(3), ptr addrspace(1), i1, i32)\n"
	"declare void @neso.cp_async_commit() convergent\n"
	"declare void @neso.cp_async_wait.0() convergent\n"
	"declare void @neso.st_global.v1b32(ptr addrspace(1), i1, i32)\n"
	"declare i32 @neso.ld_global.v1b32(ptr addrspace(1), i1)\n"
	"declare i32 @neso.ld_global.fill0.v1b32(ptr addrspace(1), i1)\n"
	"declare i32 @neso.atom_global.relaxed.gpu.add.u32.always.v1b32(ptr addrspace(1), i32)\n"
	"define ptx_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %in, ptr addrspace(1) %fresh) "
	"\"neso\"=\"kernel=k args=ppp "
	"threads=64 shared=2048 cluster=1 scratch=0 scratch_align=0 print=0 assert=0\" {\n"
	"entry:\n"
	"  %t = call i32 @neso.tid_x()\n"
	"  %at = getelementptr i32, ptr addrspace(3) @smem, i32 %t\n"
	"  %to = getelementptr i32, ptr addrspace(1) %out, i32 %t\n"
	"  %from = getelementptr i32, ptr addrspace(1) %in, i32 %t\n"
	"  %new = getelementptr i32, ptr addrspace(1) %fresh, i32 %t\n"
	"  %is = icmp slt i32 %t, 20\n"
	/* Not defined from thread 20 on. */
	"  %x = call i32 @neso.ld_global.v1b32(ptr addrspace(1) %from, i1 %is)\n"
	"  %chosen = select i1 %is, i32 %x, i32 0\n";
static const char foot[] = "  store i32 %r, ptr addrspace(1) %to\n"
			   "  ret void\n"
			   "}\n"
			   "!0 = !{i32 64, i32 128}\n";

static uint32_t out[64], in[4096], fresh[64];
static uint64_t notes; /* of the launch */

static CodegenResult *simulate(const char *body)
{
	Arena arena;
	arena_init(&arena, 0);
	char *text = arena_printf(&arena, "%s%s%s", head, body, foot);
	CodegenRequest request = {
		.from = CODEGEN_LLIR, .text = text, .len = strlen(text), .target = "sm_90a"};
	CodegenSim *sim;
	CodegenResult *result = neso_codegen_table.sim_prepare(&request, &sim);
	assert_non_null(result);
	arena_free(&arena);
	if (!sim)
		return result;
	neso_codegen_table.free(result);
	uint64_t args[] = {(uint64_t)(uintptr_t)out, (uint64_t)(uintptr_t)in, (uint64_t)(uintptr_t)fresh};
	SimBuffer buffers[] = {{"out", out, sizeof out, true},
			       {"in", in, sizeof in, true},
			       {"fresh", fresh, sizeof fresh, true}};
	static const bool unwritten[] = {false, false, true};
	SimLaunch launch = {.args = args,
			    .arg_count = 3,
			    .buffers = buffers,
			    .buffer_count = 3,
			    .unwritten = unwritten,
			    .grid = {1, 1, 1},
			    .notes = notes,
			    .check = true,
			    .timeout = 20};
	for (uint32_t k = 0; k < 64; k++)
		in[k] = k;
	result = neso_codegen_table.sim_launch(sim, &launch);
	neso_codegen_table.sim_free(sim);
	assert_non_null(result);
	return result;
}

/* `body` gives %r, which is stored. Code NULL: nothing is found. */
static void expect(const char *body, const char *code, const char *text)
{
	CodegenResult *result = simulate(body);
	bool found = !code && !result->diag_count;
	for (size_t k = 0; k < result->diag_count && code; k++)
		found |= strcmp(result->diags[k].code, code) == 0 && strstr(result->diags[k].text, text);
	if (!found)
		print_error("%s\n%s\n", body,
			    result->diag_count ? result->diags[0].text : "nothing was found");
	assert_true(found);
	neso_codegen_table.free(result);
}

static void undefined(const char *body, const char *text)
{
	expect(body, "SIM_UNDEFINED", text);
}

static void clean(const char *body)
{
	expect(body, NULL, NULL);
}

static void test_uses(void **state)
{
	undefined("  %r = add i32 %x, 0\n", "what is stored; a load leaves it out");
	clean("  %r = add i32 %chosen, 0\n");
	/* An address. */
	undefined("  %i = and i32 %x, 31\n  %p = getelementptr i32, ptr addrspace(1) %in, i32 %i\n  %r = "
		  "load i32, ptr addrspace(1) %p\n",
		  "an address");
	clean("  %i = and i32 %chosen, 31\n  %p = getelementptr i32, ptr addrspace(1) %in, i32 %i\n  %r = "
	      "load i32, ptr addrspace(1) %p\n");
	clean("  %p = getelementptr i32, ptr addrspace(1) %in, i32 %x\n"
	      "  %y = call i32 @neso.ld_global.v1b32(ptr addrspace(1) %p, i1 %is)\n  %r = select i1 %is, i32 "
	      "%y, i32 1\n");
	undefined("  %i = and i32 %x, 31\n  %p = getelementptr i32, ptr addrspace(3) @smem, i32 %i\n  store "
		  "i32 1, ptr addrspace(3) %p\n  %r = add i32 0, 0\n",
		  "an address");
	/* A mask, a branch. */
	undefined("  %c = icmp slt i32 %x, 5\n  call void @neso.st_global.v1b32(ptr addrspace(1) %from, i1 "
		  "%c, i32 1)\n  %r = add i32 0, 0\n",
		  "the mask of an access");
	clean("  %c = icmp slt i32 %x, 5\n  %d = and i1 %c, %is\n"
	      "  call void @neso.st_global.v1b32(ptr addrspace(1) %from, i1 %d, i32 1)\n  %r = add i32 0, "
	      "0\n");
	undefined("  %c = icmp slt i32 %x, 5\n  br i1 %c, label %a, label %b\na:\n  br label %b\nb:\n  %r = "
		  "phi i32 [ 1, %entry ], [ 2, %a ]\n",
		  "a branch");
	clean("  %c = icmp slt i32 %chosen, 5\n  br i1 %c, label %a, label %b\na:\n  br label %b\nb:\n  %r = "
	      "phi i32 [ 1, %entry ], [ 2, %a ]\n");
	undefined("  switch i32 %x, label %a [ i32 3, label %b ]\na:\n  br label %b\nb:\n  %r = phi i32 [ 1, "
		  "%entry ], [ 2, %a ]\n",
		  "a branch");
	/* What is cleared before. */
	clean("  %r = call i32 @neso.ld_global.fill0.v1b32(ptr addrspace(1) %from, i1 %is)\n");
	assert_int_equal(out[19], 19);
	assert_int_equal(out[20], 0);
	/* What an atomic operation adds. */
	undefined("  %r = call i32 @neso.atom_global.relaxed.gpu.add.u32.always.v1b32(ptr addrspace(1) "
		  "%from, i32 %x)\n",
		  "atomic");
	clean("  %r = call i32 @neso.atom_global.relaxed.gpu.add.u32.always.v1b32(ptr addrspace(1) %from, "
	      "i32 %chosen)\n");
}

/* Bits that other bits decide are of no account. */
static void test_bits(void **state)
{
	clean("  %m = sext i1 %is to i32\n  %r = and i32 %x, %m\n");
	undefined("  %r = and i32 %x, 255\n", "what is stored");
	clean("  %n = icmp sge i32 %t, 20\n  %m = sext i1 %n to i32\n  %r = or i32 %x, %m\n");
	clean("  %h = shl i32 %x, 16\n  %r = and i32 %h, 65535\n");
	undefined("  %h = shl i32 %x, 15\n  %r = and i32 %h, 65535\n", "what is stored");
	clean("  %h = shl i32 %x, 16\n  %s = add i32 %h, %t\n  %r = and i32 %s, 65535\n");
	undefined("  %h = shl i32 %x, 16\n  %s = add i32 %h, %t\n  %r = and i32 %s, 131071\n",
		  "what is stored");
	/* The other half of a word. */
	clean("  %h = shl i32 %x, 16\n  %v = bitcast i32 %h to <2 x i16>\n  %e = extractelement <2 x i16> "
	      "%v, i32 0\n  %r = zext i16 %e to i32\n");
	undefined("  %h = shl i32 %x, 16\n  %v = bitcast i32 %h to <2 x i16>\n  %e = extractelement <2 x "
		  "i16> %v, i32 1\n  %r = zext i16 %e to i32\n",
		  "what is stored");
	/* Bytes 0, 1, 0, 1. */
	clean("  %h = shl i32 %x, 16\n  %r = call i32 @neso.prmt(i32 %h, i32 0, i32 4112)\n");
}

static void test_compares(void **state)
{
	/* The highest bit is there, and it decides. */
	clean("  %l = lshr i32 %x, 1\n  %c = icmp ult i32 %l, -2147483648\n  %r = zext i1 %c to i32\n");
	clean("  %l = lshr i32 %x, 1\n  %c = icmp sge i32 %l, 0\n  %r = zext i1 %c to i32\n");
	undefined("  %l = lshr i32 %x, 1\n  %c = icmp ult i32 %l, 5\n  %r = zext i1 %c to i32\n",
		  "what is stored");
	clean("  %l = or i32 %x, 1\n  %c = icmp eq i32 %l, 2\n  %r = zext i1 %c to i32\n");
	undefined("  %l = or i32 %x, 1\n  %c = icmp eq i32 %l, 3\n  %r = zext i1 %c to i32\n",
		  "what is stored");
	/* A choice by it between two that are the same. */
	clean("  %c = icmp eq i32 %x, 3\n  %r = select i1 %c, i32 %t, i32 %t\n");
	undefined("  %c = icmp eq i32 %x, 3\n  %r = select i1 %c, i32 %t, i32 1000\n", "what is stored");
}

static void test_code(void **state)
{
	undefined("  br i1 %is, label %a, label %b\na:\n  br label %b\nb:\n  %p = phi i32 [ poison, %entry "
		  "], [ %t, %a ]\n  %r = add i32 %p, 1\n",
		  "the code says nothing of it");
	clean("  br i1 %is, label %a, label %b\na:\n  br label %b\nb:\n  %p = phi i32 [ poison, %entry ], [ "
	      "%t, %a ]\n  %r = select i1 %is, i32 %p, i32 1\n");
	clean("  %v = insertelement <2 x i32> poison, i32 %t, i32 0\n  %w = insertelement <2 x i32> %v, i32 "
	      "%t, i32 1\n"
	      "  %s = add <2 x i32> %w, %w\n  %r = extractelement <2 x i32> %s, i32 1\n");
	undefined("  %v = insertelement <2 x i32> poison, i32 %t, i32 0\n  %s = add <2 x i32> %v, %v\n  %r = "
		  "extractelement <2 x i32> %s, i32 1\n",
		  "what is stored");
	undefined("  %f = freeze i32 %x\n  %r = add i32 %f, 1\n", "what is stored");
}

/* Through other lanes, shared memory, products. */
static void test_moves(void **state)
{
	undefined("  %r = call i32 @neso.shfl_bfly(i32 -1, i32 %x, i32 16, i32 31)\n", "what is stored");
	clean("  %s = call i32 @neso.shfl_bfly(i32 -1, i32 %x, i32 16, i32 31)\n  %c = icmp slt i32 %t, 4\n  "
	      "%d = icmp slt i32 %t, 32\n"
	      "  %e = icmp sge i32 %t, 16\n  %f = and i1 %d, %e\n  %g = or i1 %c, %f\n  %r = select i1 %g, "
	      "i32 %s, i32 0\n");
	undefined("  %s = call i32 @neso.redux_add(i32 %x, i32 -1)\n  %r = add i32 %s, 0\n",
		  "what is stored");
	clean("  %s = call i32 @neso.redux_add(i32 %chosen, i32 -1)\n  %r = add i32 %s, 0\n");
	undefined("  store i32 %x, ptr addrspace(3) %at\n  call void @neso.barrier()\n  %o = xor i32 %t, 40\n"
		  "  %p = getelementptr i32, ptr addrspace(3) @smem, i32 %o\n  %r = load i32, ptr "
		  "addrspace(3) %p\n",
		  "what is stored; a load leaves it out");
	clean("  store i32 %x, ptr addrspace(3) %at\n  store i32 %t, ptr addrspace(3) %at\n  call void "
	      "@neso.barrier()\n  %o = xor i32 %t, 40\n"
	      "  %p = getelementptr i32, ptr addrspace(3) @smem, i32 %o\n  %r = load i32, ptr addrspace(3) "
	      "%p\n");
	/* Bytes: those of a word that are not looked at. */
	clean("  %h = shl i32 %x, 8\n  %b = trunc i32 %h to i16\n  %w = call i32 @neso.e4m3_to_f16(i16 %b)\n"
	      "  %r = and i32 %w, 65535\n");
	undefined("  %h = shl i32 %x, 8\n  %b = trunc i32 %h to i16\n"
		  "  %r = call i32 @neso.e4m3_to_f16(i16 %b)\n",
		  "what is stored");
	clean("  %h = shl i32 %x, 16\n  %c = call i32 @neso.f16_to_e4m3(i32 %h, i32 0)\n  %r = and i32 %c, "
	      "255\n");
}

static void test_matrices(void **state)
{
	static const char matrix[] = "  %%w = and i32 %%t, 31\n  %%warp = and i32 %%t, 32\n  %%base = shl "
				     "i32 %%warp, 4\n  %%row = shl i32 %%w, 4\n"
				     "  %%place = or i32 %%base, %%row\n  %%p = getelementptr i8, ptr "
				     "addrspace(3) @smem, i32 %%place\n"
				     "  call void @neso.stmatrix_x2(ptr addrspace(3) %%p, i32 %s, i32 %%t)\n "
				     " call void @neso.barrier()\n"
				     "  %%m = call { i32, i32 } @neso.ldmatrix_x2(ptr addrspace(3) %%p)\n  "
				     "%%r = extractvalue { i32, i32 } %%m, %d\n";
	static const char product[] =
		"  %%m = call { float, float, float, float } @neso.mma_sync.m16n8k16.f32.f16.f16.f32(i32 %s, "
		"i32 0, i32 0, i32 0, i32 %s, i32 0, "
		"float 0.0, float 0.0, float 0.0, float 0.0)\n"
		"  %%f = extractvalue { float, float, float, float } %%m, %d\n  %%b = bitcast float %%f to "
		"i32\n"
		"  %%lane = and i32 %%t, %d\n  %%c = icmp slt i32 %%lane, %d\n  %%r = select i1 %%c, i32 "
		"%%b, i32 0\n";
	Arena arena;
	arena_init(&arena, 0);
	undefined(arena_printf(&arena, matrix, "%x", 0), "what is stored");
	clean(arena_printf(&arena, matrix, "%x", 1));
	clean(arena_printf(&arena, matrix, "%chosen", 0));
	/* Rows of A: a lane's first word is of row lane / 4, and result 2 of row lane / 4 + 8. */
	undefined(arena_printf(&arena, product, "%x", "0", 0, 63, 64), "what is stored");
	clean(arena_printf(&arena, product, "%x", "0", 2, 63, 64));
	clean(arena_printf(&arena, product, "%x", "0", 0, 63, 20));
	/* Columns of B: those of lanes 20 and on are 5 and on; columns 2 and 3 are lanes 1, 5,
	 * ... */
	undefined(arena_printf(&arena, product, "0", "%x", 0, 3, 4), "what is stored");
	clean(arena_printf(&arena, product, "0", "%chosen", 0, 3, 4));
	arena_free(&arena);
}

static void test_promises(void **state)
{
	/* 64 threads: the sums of some pass the limit. */
	static const struct {
		const char *broken, *kept;
	} pairs[] = {
		{"  %r = add nsw i32 %t, 2147483600\n", "  %r = add nsw i32 %t, 2147483500\n"},
		{"  %r = add nuw i32 %t, -10\n", "  %r = add nuw i32 %t, -100\n"},
		{"  %r = sub nuw i32 %t, 1\n", "  %r = sub nsw i32 %t, 1\n"},
		{"  %r = mul nsw i32 %t, 100000000\n", "  %r = mul i32 %t, 100000000\n"},
		{"  %r = shl nuw i32 %t, 27\n", "  %r = shl nuw i32 %t, 26\n"},
		{"  %r = shl nsw i32 %t, 26\n", "  %r = shl nsw i32 %t, 25\n"},
		{"  %r = shl i32 1, %t\n", "  %l = and i32 %t, 31\n  %r = shl i32 1, %l\n"},
		{"  %r = lshr exact i32 %t, 1\n", "  %e = shl i32 %t, 1\n  %r = lshr exact i32 %e, 1\n"},
		{"  %r = udiv exact i32 %t, 3\n", "  %e = mul i32 %t, 3\n  %r = udiv exact i32 %e, 3\n"},
		{"  %r = or disjoint i32 %t, 1\n", "  %r = or disjoint i32 %t, 64\n"},
		{"  %c = trunc nuw i32 %t to i16\n  %d = sub i16 %c, 1\n  %e = zext nneg i16 %d to i32\n  %r "
		 "= add i32 %e, 0\n",
		 "  %c = trunc nuw i32 %t to i16\n  %e = zext nneg i16 %c to i32\n  %r = add i32 %e, 0\n"},
		{"  %h = shl i32 %t, 12\n  %c = trunc nuw i32 %h to i16\n  %r = zext i16 %c to i32\n",
		 "  %h = shl i32 %t, 10\n  %c = trunc nuw i32 %h to i16\n  %r = zext i16 %c to i32\n"},
	};
	for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
		undefined(pairs[k].broken, "is not what the code promises");
		clean(pairs[k].kept);
	}
	/* Nobody uses it. */
	clean("  %s = add nsw i32 %t, 2147483600\n  %c = icmp slt i32 %t, 10\n  %r = select i1 %c, i32 %s, "
	      "i32 0\n");
}

static void test_division(void **state)
{
	expect("  %r = call i32 @neso.by_zero_32(i32 %t, i32 5)\n", "SIM_DIVISION", "decides what is stored");
	assert_int_equal((int32_t)out[0], -1);
	assert_int_equal((int32_t)out[1], 5);
	clean("  %d = add i32 %t, 1\n  %r = call i32 @neso.by_zero_32(i32 %d, i32 5)\n");
	clean("  %q = call i32 @neso.by_zero_32(i32 %t, i32 5)\n  %c = icmp eq i32 %t, 0\n  %r = select i1 "
	      "%c, i32 0, i32 %q\n");
}

static void test_arrays(void **state)
{
	undefined("  %r = load i32, ptr addrspace(1) %new\n", "from memory that nothing has written");
	clean("  store i32 %t, ptr addrspace(1) %new\n  %r = load i32, ptr addrspace(1) %new\n");
	clean("  %y = load i32, ptr addrspace(1) %new\n  %r = add i32 %t, 1\n");
	undefined("  %r = call i32 @neso.atom_global.relaxed.gpu.add.u32.always.v1b32(ptr addrspace(1) %new, "
		  "i32 1)\n",
		  "nothing has written it");
	undefined("  call void @neso.cp_async_4(ptr addrspace(3) %at, ptr addrspace(1) %new, i1 true, i32 "
		  "4)\n  call void @neso.cp_async_commit()\n"
		  "  call void @neso.cp_async_wait.0()\n  %r = load i32, ptr addrspace(3) %at\n",
		  "from memory that nothing has written");
	clean("  call void @neso.cp_async_4(ptr addrspace(3) %at, ptr addrspace(1) %from, i1 true, i32 4)\n  "
	      "call void @neso.cp_async_commit()\n"
	      "  call void @neso.cp_async_wait.0()\n  %r = load i32, ptr addrspace(3) %at\n");
	/* A thread's own memory. */
	undefined("  %own = alloca i32\n  %p = getelementptr i32, ptr %own, i32 0\n  %v = load volatile i32, "
		  "ptr %p\n  %r = add i32 %v, 0\n",
		  "from memory that nothing has written");
	clean("  %own = alloca i32\n  store volatile i32 %t, ptr %own\n  %v = load volatile i32, ptr %own\n  "
	      "%r = add i32 %v, 0\n");
}

/* An address stays within what its argument points to. */
static void test_bounds(void **state)
{
	static const char far[] = "  %a = ptrtoint ptr addrspace(1) %in to i64\n  %b = ptrtoint ptr "
				  "addrspace(1) %out to i64\n  %d = sub i64 %a, %b\n";
	Arena arena;
	arena_init(&arena, 0);
	expect(arena_printf(&arena,
			    "%s  %%p = getelementptr i8, ptr addrspace(1) %%out, i64 %%d\n  %%r = load i32, "
			    "ptr addrspace(1) %%p\n",
			    far),
	       "RUN_OUT_OF_BOUNDS", "'out'");
	expect(arena_printf(&arena,
			    "%s  %%p = getelementptr i8, ptr addrspace(1) %%out, i64 %%d\n"
			    "  %%r = call i32 @neso.ld_global.v1b32(ptr addrspace(1) %%p, i1 true)\n",
			    far),
	       "RUN_OUT_OF_BOUNDS", "'out'");
	expect(arena_printf(&arena,
			    "%s  %%p = getelementptr i8, ptr addrspace(1) %%out, i64 %%d\n  store i32 1, ptr "
			    "addrspace(1) %%p\n  %%r = add i32 0, 0\n",
			    far),
	       "RUN_OUT_OF_BOUNDS", "'out'");
	/* Either one's, and one that is made of a number. */
	clean("  %c = icmp slt i32 %t, 7\n  %p = select i1 %c, ptr addrspace(1) %in, ptr addrspace(1) %out\n "
	      " %q = getelementptr i32, ptr addrspace(1) %p, i32 %t\n"
	      "  %r = load i32, ptr addrspace(1) %q\n");
	clean("  %a = ptrtoint ptr addrspace(1) %in to i64\n  %v = trunc i64 %a to i32\n  %h = lshr i64 %a, "
	      "32\n  %w = trunc i64 %h to i32\n"
	      "  %m = mul i32 %w, 1\n  %e = zext i32 %m to i64\n  %f = shl i64 %e, 32\n  %g = zext i32 %v to "
	      "i64\n  %i = or i64 %f, %g\n"
	      "  %p = inttoptr i64 %i to ptr addrspace(1)\n  %r = load i32, ptr addrspace(1) %p\n");
	clean("  %own = alloca ptr addrspace(1)\n  store volatile ptr addrspace(1) %in, ptr %own\n  %p = "
	      "load volatile ptr addrspace(1), ptr %own\n"
	      "  %c = icmp slt i32 %t, 7\n  %s = select i1 %c, ptr addrspace(1) %p, "
	      "ptr addrspace(1) %from\n  "
	      "%l = load i32, ptr addrspace(1) %s\n  %r = add i32 %l, 0\n");
	/* Shared memory of a buffer: bytes 64 to 127. */
	static const char store[] = "  %%i = and i32 %%t, 15\n  %%l = or i32 %%i, %d\n  %%p = getelementptr "
				    "i32, ptr addrspace(3) @smem, i32 %%l\n"
				    "  br label %%b\nb:\n  store i32 1, ptr addrspace(3) %%p, !neso.buffer "
				    "!0\n  %%r = add i32 0, 0\n";
	expect(arena_printf(&arena, store, 32), "RUN_OUT_OF_BOUNDS", "its buffer is bytes 64 to 127");
	expect(arena_printf(&arena, store, 0), "RUN_OUT_OF_BOUNDS", "its buffer is bytes 64 to 127");
	expect(arena_printf(&arena, store, 16), "SIM_RACE", "of shared memory");
	arena_free(&arena);
}

/* Notes of one access are there at least; the next page's take their place, and that is said. */
static void test_limits(void **state)
{
	static const char far[] = "  %own = getelementptr i32, ptr addrspace(1) %in, i32 %t\n"
				  "  store i32 1, ptr addrspace(1) %own\n"
				  "  %p = getelementptr i32, ptr addrspace(1) %own, i32 1024\n"
				  "  store i32 1, ptr addrspace(1) %p\n  %r = add i32 0, 0\n";
	clean(far);
	notes = 1;
	expect(far, "SIM_FORGOTTEN", "than there are notes for");
	notes = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_uses),	 cmocka_unit_test(test_bits),
		cmocka_unit_test(test_compares), cmocka_unit_test(test_code),
		cmocka_unit_test(test_moves),	 cmocka_unit_test(test_matrices),
		cmocka_unit_test(test_promises), cmocka_unit_test(test_division),
		cmocka_unit_test(test_arrays),	 cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
