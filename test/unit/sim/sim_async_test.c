/* Barriers in shared memory and bulk copies: what the simulator makes of them, faults and clean twins, and their PTX. */
#include "needs_llvm.h"

#ifdef NESO_HAVE_LLVM

#include <string.h>

#include "base/arena.h"
#include "codegen/codegen.h"

extern const CodegenTable neso_codegen_table;

/* Two warps. A barrier %b at byte 0 for one thread, %e at byte 8 for all; %data at 128; %first is thread 0. */
static const char head[] =
	"target triple = \"nvptx64-nvidia-cuda\"\n"
	"@smem = external addrspace(3) global [0 x i8], align 128\n"
	"declare i32 @neso.tid_x()\n"
	"declare void @neso.barrier() convergent\n"
	"declare void @neso.mbarrier_init(ptr addrspace(3), i32) convergent\n"
	"declare void @neso.mbarrier_inval(ptr addrspace(3)) convergent\n"
	"declare void @neso.mbarrier_arrive(ptr addrspace(3), i1) convergent\n"
	"declare void @neso.mbarrier_expect_tx(ptr addrspace(3), i32) convergent\n"
	"declare i1 @neso.mbarrier_test(ptr addrspace(3), i32) convergent\n"
	"declare void @neso.mbarrier_wait(ptr addrspace(3), i32) convergent\n"
	"declare void @neso.bulk_copy(ptr addrspace(3), ptr addrspace(1), i32, ptr addrspace(3)) convergent\n"
	"declare void @neso.fence_async() convergent\n"
	"declare void @neso.st_global.v1b32(ptr addrspace(1), i1, i32)\n"
	"define ptx_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %in) \"neso\"=\"kernel=k args=pp "
	"threads=64 shared=1024 cluster=1 "
	"scratch=0 scratch_align=0 print=0 assert=0\" {\n"
	"entry:\n"
	"  %b = getelementptr i8, ptr addrspace(3) @smem, i32 0\n"
	"  %e = getelementptr i8, ptr addrspace(3) @smem, i32 8\n"
	"  %data = getelementptr i8, ptr addrspace(3) @smem, i32 128\n"
	"  %t = call i32 @neso.tid_x()\n"
	"  %to = getelementptr i32, ptr addrspace(1) %out, i32 %t\n"
	"  %mine = getelementptr i32, ptr addrspace(3) %data, i32 %t\n"
	"  %more = getelementptr i8, ptr addrspace(1) %in, i32 256\n"
	"  %first = icmp eq i32 %t, 0\n"
	"  %low = icmp slt i32 %t, 32\n"
	"  br i1 %first, label %make, label %made\n"
	"make:\n"
	"  call void @neso.mbarrier_init(ptr addrspace(3) %b, i32 1)\n"
	"  call void @neso.mbarrier_init(ptr addrspace(3) %e, i32 64)\n"
	"  call void @neso.fence_async()\n"
	"  br label %made\n"
	"made:\n"
	"  call void @neso.barrier()\n";

#define ISSUE(n, from)                                                                                         \
	"  br i1 %first, label %issue" #n ", label %issued" #n "\n"                                           \
	"issue" #n ":\n"                                                                                       \
	"  call void @neso.mbarrier_expect_tx(ptr addrspace(3) %b, i32 256)\n"                                \
	"  call void @neso.bulk_copy(ptr addrspace(3) %data, ptr addrspace(1) " from ", i32 256, ptr addrspace(3) %b)\n" \
	"  br label %issued" #n "\n"                                                                           \
	"issued" #n ":\n"
#define WAIT(barrier, parity) "  call void @neso.mbarrier_wait(ptr addrspace(3) " barrier ", i32 " parity ")\n"
#define READ(n)                                                                                                \
	"  %v" #n " = load i32, ptr addrspace(3) %mine\n"                                                     \
	"  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 %v" #n ")\n"
#define READ_IN                                                                                              \
	"  %from = getelementptr i32, ptr addrspace(1) %in, i32 %t\n"                                        \
	"  %own = load i32, ptr addrspace(1) %from\n"                                                        \
	"  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 %own)\n"
#define ARRIVE "  call void @neso.mbarrier_arrive(ptr addrspace(3) %e, i1 true)\n"

static _Alignas(16) uint32_t out[64], in[128];
static long fails_at; /* the request for memory of the launch that fails; 0: none */
static bool has_failed;

static char *text_of(Arena *arena, const char *body)
{
	return arena_printf(arena, "%s%s  ret void\n}\n", head, body);
}

static CodegenResult *simulate(const char *body, bool check, uint64_t seed)
{
	Arena arena;
	arena_init(&arena, 0);
	char *text = text_of(&arena, body);
	CodegenRequest request = {.from = CODEGEN_LLIR, .text = text, .len = strlen(text), .target = "sm_90a"};
	CodegenSim *sim;
	CodegenResult *result = neso_codegen_table.sim_prepare(&request, &sim);
	assert_non_null(result);
	arena_free(&arena);
	if (!result->ok)
		print_error("%s\n", result->diags[0].text);
	assert_true(result->ok);
	neso_codegen_table.free(result);
	uint64_t args[] = {(uint64_t)(uintptr_t)out, (uint64_t)(uintptr_t)in};
	SimBuffer buffers[] = {{"out", out, sizeof out, true}, {"in", in, sizeof in, false}};
	SimLaunch launch = {.args = args, .arg_count = 2, .buffers = buffers, .buffer_count = 2, .grid = {1, 1, 1},
				   .check = check, .seed = seed, .timeout = 20};
	arena_fail_after(fails_at);
	memset(out, 0, sizeof out);
	for (uint32_t i = 0; i < 128; i++)
		in[i] = 1000 + i;
	result = neso_codegen_table.sim_launch(sim, &launch);
	has_failed = arena_fail_after(0) <= 0;
	neso_codegen_table.sim_free(sim);
	assert_true(result || fails_at);
	return result;
}

static void clean(const char *body, uint32_t first)
{
	for (unsigned n = 0; n < 6; n++) {
		CodegenResult *result = simulate(body, n & 1, n / 2);
		if (result->diag_count)
			print_error("%s\n", result->diags[0].text);
		assert_true(result->ok);
		assert_int_equal(result->diag_count, 0);
		neso_codegen_table.free(result);
		for (uint32_t i = 0; i < 64; i++)
			assert_int_equal(out[i], first + i);
	}
}

static void fault(const char *body, bool check, const char *code, const char *text)
{
	for (uint64_t seed = 0; seed < 3; seed++) {
		CodegenResult *result = simulate(body, check, seed);
		bool found = false;
		for (size_t i = 0; i < result->diag_count; i++)
			found |= strncmp(result->diags[i].code, code, strlen(code)) == 0 && strstr(result->diags[i].text, text);
		if (!found)
			print_error("%s: %s\n", result->diag_count ? result->diags[0].code : "-",
				    result->diag_count ? result->diags[0].text : "no finding");
		assert_false(result->ok);
		assert_true(found);
		neso_codegen_table.free(result);
	}
}

static void test_copy(void **state)
{
	clean(ISSUE(1, "%in") WAIT("%b", "0") READ(1), 1000);
	/* Nobody waits; the phase before this one; one warp alone, and the other comes before or after. */
	fault(ISSUE(1, "%in") READ(1), true, "SIM_WAIT", "while the copy of");
	fault(ISSUE(1, "%in") WAIT("%b", "1") READ(1), true, "SIM_WAIT", "while the copy of");
	fault(ISSUE(1, "%in")
	      "  br i1 %low, label %some, label %all\nsome:\n" WAIT("%b", "0") "  br label %all\nall:\n"
	      "  %seen = call i1 @neso.mbarrier_test(ptr addrspace(3) %e, i32 1)\n" READ(1),
	      true, "SIM_", "");
}

#define ONE(name, body)                                                                                      \
	"  br i1 %first, label %" name ", label %" name ".end\n" name ":\n" body "  br label %" name         \
	".end\n" name ".end:\n"
#define AT_F "  %f = getelementptr i8, ptr addrspace(3) @smem, i32 64\n"
#define MAKE_F "  call void @neso.mbarrier_init(ptr addrspace(3) %f, i32 1)\n"
#define COPY(to, from, size, barrier)                                                                        \
	"  call void @neso.bulk_copy(ptr addrspace(3) " to ", ptr addrspace(1) " from ", i32 " size          \
	", ptr addrspace(3) " barrier ")\n"
#define EXPECT(barrier, size)                                                                                \
	"  call void @neso.mbarrier_expect_tx(ptr addrspace(3) " barrier ", i32 " size ")\n"
#define MEET "  call void @neso.barrier()\n"
#define FENCE "  call void @neso.fence_async()\n"

/* Who uses a barrier comes after who made it, and who drops it after them; asynchronous copies
 * are fenced from its making. */
static void test_making(void **state)
{
	clean(AT_F ONE("make2", MAKE_F FENCE)
		      MEET ONE("load", EXPECT("%f", "256") COPY("%data", "%in", "256", "%f")) WAIT("%f", "0")
			      READ(1),
	      1000);
	fault(AT_F ONE("make2", MAKE_F)
		      MEET ONE("load", EXPECT("%f", "256") COPY("%data", "%in", "256", "%f")) WAIT("%f", "0")
			      READ(1),
	      true, "SIM_PROXY",
	      "an asynchronous copy counts on the barrier at byte 64 of shared memory, whose making");
	fault(AT_F ONE("make2", MAKE_F FENCE "  call void @neso.mbarrier_arrive(ptr addrspace(3) %f, i1 1)\n")
		      WAIT("%f", "0"),
	      true, "SIM_", "the barrier at byte 64 of shared memory");
	fault(ISSUE(1, "%in") WAIT("%b", "0") READ(1)
		      ONE("drop", "  call void @neso.mbarrier_inval(ptr addrspace(3) %b)\n"),
	      true, "SIM_", "the barrier at byte 0 of shared memory");
	clean(ISSUE(1, "%in") WAIT("%b", "0") READ(1)
		      MEET ONE("drop", "  call void @neso.mbarrier_inval(ptr addrspace(3) %b)\n"
				       "  store i32 7, ptr addrspace(3) %b\n"),
	      1000);
	fault(ISSUE(1, "%in") WAIT("%b", "0") READ(1)
		      MEET ONE("over", "  store i32 7, ptr addrspace(3) %b\n"),
	      true, "SIM_MBARRIER", "write of byte 0 of shared memory, where the barrier made at");
}

/* A copy that has come tells who waits for it of its bytes, and of nothing else that its issuer has
 * done behind its arrival. */
static void test_issuer(void **state)
{
#define AT_X "  %x = getelementptr i8, ptr addrspace(3) @smem, i32 640\n"
#define STORE_X "  store i32 7, ptr addrspace(3) %x\n"
#define READ_X "  %seven = load volatile i32, ptr addrspace(3) %x\n"
	clean(AT_X ONE("load", STORE_X EXPECT("%b", "256") COPY("%data", "%in", "256", "%b")) WAIT("%b", "0")
		      READ_X READ(1),
	      1000);
	fault(AT_X ONE("load", EXPECT("%b", "256") COPY("%data", "%in", "256", "%b") STORE_X) WAIT("%b", "0")
		      READ_X READ(1),
	      true, "SIM_", "byte 640 of shared memory");
	/* The issuer's warp does not wait for it, nor meet who has. */
	fault(ISSUE(1, "%in") "  br i1 %low, label %read, label %wait\nwait:\n" WAIT("%b", "0") ARRIVE
			      "  ret void\nread:\n" READ(1),
	      true, "SIM_", "byte 128 of shared memory");
}

/* Who waits for a phase knows what those did who came for it, and not what they did before they
 * came for the next one. */
static void test_phases(void **state)
{
#define ALL_MEET(parity) ARRIVE WAIT("%e", parity)
	clean(AT_X ONE("store", STORE_X) ALL_MEET("0") READ_X READ_IN, 1000);
	fault(AT_X ALL_MEET("0") ONE("store", STORE_X ARRIVE) READ_X READ_IN, true, "SIM_",
	      "byte 640 of shared memory");
}

/* A phase is over when the bytes that were announced have come, whichever they are; nothing is
 * under way when a program ends. */
static void test_bytes(void **state)
{
#define HALVES(announced)                                                                                    \
	"  %half = getelementptr i8, ptr addrspace(3) %data, i32 128\n"                                      \
	"  %in.half = getelementptr i8, ptr addrspace(1) %in, i32 128\n" ONE(                                \
		"load", EXPECT("%b", announced) COPY("%data", "%in", "128", "%b")                            \
				COPY("%half", "%in.half", "128", "%b")) WAIT("%b", "0") READ(1)
	clean(HALVES("256"), 1000);
	fault(HALVES("128"), true, "SIM_WAIT", "while the copy of");
	fault(ISSUE(1, "%in"), true, "SIM_WAIT",
	      "the program ends while the copy to byte 128 of shared memory is under way");
}

/* The second copy goes where the first one was read: all have arrived before. */
static void test_ring(void **state)
{
	clean(ISSUE(1, "%in") WAIT("%b", "0") READ(1) ARRIVE
	      "  br i1 %low, label %again, label %other\nagain:\n" WAIT("%e", "0") "  br label %other\nother:\n"
	      ISSUE(2, "%more") WAIT("%b", "1") READ(2), 1064);
	fault(ISSUE(1, "%in") WAIT("%b", "0") READ(1) ISSUE(2, "%more") WAIT("%b", "1") READ(2), true, "SIM_RACE",
	      "have no barrier between them");
}

/* What a barrier orders and which copies are under way takes memory: where there is none, that is told. */
static void test_memory(void **state)
{
	bool whole = false;
	for (long n = 1; n < 1000 && !whole; n++) {
		fails_at = n;
		CodegenResult *result = simulate(ISSUE(1, "%in") WAIT("%b", "0") READ(1), true, 0);
		whole = !has_failed;
		assert_true(whole ? result && result->ok : !result || strcmp(result->diags[result->diag_count - 1].code, "OUT_OF_MEMORY") == 0);
		neso_codegen_table.free(result);
	}
	fails_at = 0;
	assert_true(whole);
	assert_int_equal(out[63], 1063);
}

static void test_faults(void **state)
{
	/* Nothing arrives. */
	fault(WAIT("%b", "0"), false, "RUN_DEADLOCK", "waits in this loop");
	/* Every thread arrives at a barrier for one. */
	fault("  call void @neso.mbarrier_expect_tx(ptr addrspace(3) %b, i32 16)\n", false, "SIM_MBARRIER", "more threads arrive");
	fault("  call void @neso.mbarrier_arrive(ptr addrspace(3) %data, i1 true)\n", true, "SIM_UNWRITTEN", "which was not made");
	fault("  %off = getelementptr i8, ptr addrspace(1) %in, i32 8\n" ISSUE(1, "%off"), false, "RUN_MISALIGNED", "no multiple of 16");
	/* Past the end of what is copied. */
	fault("  %far = getelementptr i8, ptr addrspace(1) %in, i32 272\n" ISSUE(1, "%far"), false, "RUN_OUT_OF_BOUNDS", "load of 256 bytes");
}

static void test_ptx(void **state)
{
	static const char *const wanted[] = {"mbarrier.init.shared::cta.b64", "mbarrier.arrive.expect_tx.shared::cta.b64 _,",
					     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes",
					     "mbarrier.try_wait.parity.shared::cta.b64 %over", "fence.proxy.async.shared::cta",
					     "mbarrier.arrive.shared::cta.b64 _,"};
	Arena arena;
	arena_init(&arena, 0);
	char *text = text_of(&arena, ISSUE(1, "%in") WAIT("%b", "0") ARRIVE
			     "  %seen = call i1 @neso.mbarrier_test(ptr addrspace(3) %e, i32 0)\n"
			     "  %word = zext i1 %seen to i32\n"
			     "  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 true, i32 %word)\n");
	CodegenRequest request = {.from = CODEGEN_LLIR, .to = CODEGEN_PTX, .text = text, .len = strlen(text), .target = "sm_90a"};
	CodegenResult *result = neso_codegen_table.compile(&request);
	assert_non_null(result);
	if (!result->ok)
		print_error("%s\n", result->diags[0].text);
	assert_true(result->ok);
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		assert_non_null(strstr(result->stage[CODEGEN_PTX].data, wanted[i]));
	neso_codegen_table.free(result);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copy),  cmocka_unit_test(test_ring),   cmocka_unit_test(test_making),
		cmocka_unit_test(test_issuer), cmocka_unit_test(test_phases),
		cmocka_unit_test(test_bytes), cmocka_unit_test(test_memory), cmocka_unit_test(test_faults),
		cmocka_unit_test(test_ptx),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
