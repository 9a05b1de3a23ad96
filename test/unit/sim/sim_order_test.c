#define _GNU_SOURCE /* MAP_ANONYMOUS */
/* What orders accesses of global memory among programs: who acquires is a thread, until its warp's
 * lanes meet, and its program's threads. */
#include "needs_llvm.h"

#ifdef NESO_HAVE_LLVM

#include <sys/mman.h>
#include <unistd.h>

#include "sim_kit.h"

static _Alignas(16) uint32_t data[64], flag[64];

/* Programs of two warps. The first one leaves numbers and raises the flag; the other's first thread
 * waits for it, then all read. */
static const char head[] =
	"target triple = \"nvptx64-nvidia-cuda\"\n"
	"declare i32 @neso.tid_x()\n"
	"declare i32 @neso.ctaid_x()\n"
	"declare void @neso.barrier() convergent\n"
	"declare void @neso.warp_barrier() convergent\n"
	"declare void @neso.fence_gpu() convergent\n"
	"declare i32 @neso.atom_global.acquire.gpu.add.u32.always.v1b32(ptr addrspace(1), i32) convergent\n"
	"declare i32 @neso.atom_global.relaxed.gpu.add.u32.always.v1b32(ptr addrspace(1), i32) convergent\n"
	"declare i32 @neso.atom_global.release.gpu.exch.b32.always.v1b32(ptr addrspace(1), i32) convergent\n"
	"declare i32 @neso.atom_global.relaxed.gpu.exch.b32.always.v1b32(ptr addrspace(1), i32) convergent\n"
	"declare i32 @neso.atom_global.release.cta.exch.b32.always.v1b32(ptr addrspace(1), i32) convergent\n"
	"define ptx_kernel void @k(ptr addrspace(1) %data, ptr addrspace(1) %flag) \"neso\"=\"kernel=k "
	"args=pp threads=64 "
	"shared=0 cluster=1 scratch=0 scratch_align=0 print=0 assert=0\" {\n"
	"entry:\n"
	"  %t = call i32 @neso.tid_x()\n"
	"  %p = call i32 @neso.ctaid_x()\n"
	"  %to = getelementptr i32, ptr addrspace(1) %data, i32 %t\n"
	"  %first = icmp eq i32 %t, 0\n"
	"  %low = icmp slt i32 %t, 32\n"
	"  %giver = icmp eq i32 %p, 0\n"
	"  br i1 %giver, label %give, label %take\n";

#define GIVE(barrier, raise)                                                                                 \
	"give:\n"                                                                                            \
	"  store i32 7, ptr addrspace(1) %to\n" barrier "  br i1 %first, label %up, label %end\n"            \
	"up:\n" raise "  br label %end\n"
#define TAKE(wait, meet)                                                                                     \
	"take:\n"                                                                                            \
	"  br i1 %first, label %spin, label %met\n"                                                          \
	"spin:\n" wait "  %over = icmp eq i32 %seen, 1\n"                                                    \
	"  br i1 %over, label %met, label %spin\n"                                                           \
	"met:\n" meet
#define PLAIN                                                                                                \
	"  %v = load i32, ptr addrspace(1) %to\n"                                                            \
	"  %bad = icmp ne i32 %v, 7\n"                                                                       \
	"  br i1 %bad, label %trap, label %end\n"                                                            \
	"trap:\n  br label %end\n"
#define ATOM(order, op)                                                                                      \
	"  %seen = call i32 @neso.atom_global." order "." op ".always.v1b32(ptr addrspace(1) %flag, i32 "    \
							     "0)\n"
#define RAISE(order)                                                                                         \
	"  %r = call i32 @neso.atom_global." order ".exch.b32.always.v1b32(ptr addrspace(1) %flag, i32 1)\n"
#define BARRIER "  call void @neso.barrier()\n"
#define FENCE "  call void @neso.fence_gpu()\n"
#define END "end:\n"

static CodegenResult *run(const char *body)
{
	Arena arena;
	arena_init(&arena, 0);
	memset(data, 0, sizeof data);
	memset(flag, 0, sizeof flag);
	SimBuffer buffers[] = {{"data", data, sizeof data, true}, {"flag", flag, sizeof flag, true}};
	sim_kit_programs = 2;
	CodegenResult *result =
		sim_kit_run(arena_printf(&arena, "%s%s" END "  ret void\n}\n", head, body),
			    (uint64_t)(uintptr_t)data, (uint64_t)(uintptr_t)flag, buffers, 2, true, 0);
	arena_free(&arena);
	return result;
}

static void test_acquire(void **state)
{
	(void)state;
	sim_kit_clean(
		run(GIVE(BARRIER, RAISE("release.gpu")) TAKE(ATOM("acquire.gpu", "add.u32"), BARRIER) PLAIN));
	/* The warp's lanes meet, the other warp knows nothing. */
	sim_kit_found(run(GIVE(BARRIER, RAISE("release.gpu")) TAKE(
			      ATOM("acquire.gpu", "add.u32"), "  call void @neso.warp_barrier()\n") PLAIN),
		      "SIM_PROGRAM_RACE", "of 'data'");
	sim_kit_found(run(GIVE(BARRIER, RAISE("release.gpu")) TAKE(ATOM("acquire.gpu", "add.u32"), "") PLAIN),
		      "SIM_PROGRAM_RACE", "of 'data'");
	/* Its lanes alone, and they have met. */
	sim_kit_clean(run(GIVE(BARRIER, RAISE("release.gpu")) TAKE(
		ATOM("acquire.gpu", "add.u32"), "  call void @neso.warp_barrier()\n"
						"  br i1 %low, label %mine, label %end\nmine:\n") PLAIN));
	sim_kit_found(run(GIVE(BARRIER, RAISE("release.gpu"))
				  TAKE(ATOM("acquire.gpu", "add.u32"),
				       "  br i1 %low, label %mine, label %end\nmine:\n") PLAIN),
		      "SIM_PROGRAM_RACE", "of 'data'");
}

static void test_release(void **state)
{
	(void)state;
	/* Who raises the flag has not met the others. */
	sim_kit_found(run(GIVE("", RAISE("release.gpu")) TAKE(ATOM("acquire.gpu", "add.u32"), BARRIER) PLAIN),
		      "SIM_PROGRAM_RACE", "of 'data'");
	sim_kit_found(
		run(GIVE(BARRIER, RAISE("relaxed.gpu")) TAKE(ATOM("acquire.gpu", "add.u32"), BARRIER) PLAIN),
		"SIM_PROGRAM_RACE", "of 'data'");
	sim_kit_found(
		run(GIVE(BARRIER, RAISE("release.gpu")) TAKE(ATOM("relaxed.gpu", "add.u32"), BARRIER) PLAIN),
		"SIM_PROGRAM_RACE", "of 'data'");
	sim_kit_clean(run(GIVE(BARRIER, FENCE RAISE("relaxed.gpu"))
				  TAKE(ATOM("relaxed.gpu", "add.u32"), FENCE BARRIER) PLAIN));
	/* Of another scope it orders nothing, and is none to the other program. */
	sim_kit_found(
		run(GIVE(BARRIER, RAISE("release.cta")) TAKE(ATOM("acquire.gpu", "add.u32"), BARRIER) PLAIN),
		"SIM_PROGRAM_RACE", "the atomic operation of a CTA's scope");
}

static CodegenResult *count_once(const SimBuffer *buffer, bool ambient, unsigned schedules)
{
	static const char body[] =
		"target triple = \"nvptx64-nvidia-cuda\"\n"
		"declare i32 @neso.atom_global.relaxed.gpu.add.u32.always.v1b32(ptr addrspace(1), i32) "
		"convergent\n"
		"define ptx_kernel void @k(ptr addrspace(1) %count) \"neso\"=\"kernel=k args=p threads=32 "
		"shared=0 cluster=1 scratch=0 scratch_align=0 print=0 assert=0\" {\n"
		"  %seen = call i32 @neso.atom_global.relaxed.gpu.add.u32.always.v1b32(ptr addrspace(1) "
		"%count, i32 1)\n"
		"  ret void\n}\n";
	CodegenRequest request = {
		.from = CODEGEN_LLIR, .text = body, .len = sizeof body - 1, .target = "sm_90a"};
	CodegenSim *sim;
	neso_codegen_table.free(neso_codegen_table.sim_prepare(&request, &sim));
	assert_non_null(sim);
	uint64_t args[] = {(uint64_t)(uintptr_t)buffer->base};
	SimLaunch launch = {.args = args,
			    .arg_count = 1,
			    .buffers = buffer,
			    .buffer_count = 1,
			    .ambient = &ambient,
			    .grid = {1, 1, 1},
			    .check = true,
			    .schedules = schedules,
			    .timeout = 60};
	CodegenResult *result = neso_codegen_table.sim_launch(sim, &launch);
	neso_codegen_table.sim_free(sim);
	return result;
}

/* Memory that others use is neither looked at nor put back: its end is gone here. */
static void test_ambient(void **state)
{
	(void)state;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint32_t *pages =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(pages, MAP_FAILED);
	assert_int_equal(mprotect((char *)pages + page, page, PROT_NONE), 0);
	SimBuffer whole = {"whole", pages, 2 * page, true}, own = {"own", pages, page, true};
	sim_kit_clean(count_once(&own, false, 3));
	assert_int_equal(pages[0], 32);
	sim_kit_clean(count_once(&whole, true, 0));
	assert_int_equal(pages[0], 64);
	CodegenResult *told = count_once(&whole, true, 3);
	assert_true(told->ok);
	assert_int_equal(told->diag_count, 1);
	assert_string_equal(told->diags[0].code, "SIM_ONE_ORDER");
	neso_codegen_table.free(told);
	assert_int_equal(pages[0], 96);
	sim_kit_found(count_once(&whole, false, 0), "RUN_ARGUMENT", "is no memory");
	munmap(pages, 2 * page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_acquire), cmocka_unit_test(test_release),
					   cmocka_unit_test(test_ambient)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
