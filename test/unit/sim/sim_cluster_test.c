/* Clusters in the simulator: a CTA whose shared memory others read is there until they have met
 * it. */
#include "needs_llvm.h"

#ifdef NESO_HAVE_LLVM

#include "sim_kit.h"

static uint32_t out[128], in[128];

/* Two CTAs of two warps: each thread reads what the other CTA's thread has left. */
static const char head[] = "target triple = \"nvptx64-nvidia-cuda\"\n"
			   "@smem = external addrspace(3) global [0 x i8], align 128\n"
			   "declare i32 @neso.tid_x()\n"
			   "declare i32 @neso.cluster_rank()\n"
			   "declare void @neso.barrier() convergent\n"
			   "declare void @neso.cluster_barrier() convergent\n"
			   "declare i32 @neso.ld_cluster.v1b32(ptr addrspace(3), i32)\n"
			   "define ptx_kernel void @k(ptr addrspace(1) %out, ptr addrspace(1) %in) "
			   "\"neso\"=\"kernel=k args=pp threads=64 "
			   "shared=1024 cluster=2 scratch=0 scratch_align=0 print=0 assert=0\" {\n"
			   "entry:\n"
			   "  %t = call i32 @neso.tid_x()\n"
			   "  %r = call i32 @neso.cluster_rank()\n"
			   "  %other = xor i32 %r, 1\n"
			   "  %mine = getelementptr i32, ptr addrspace(3) @smem, i32 %t\n"
			   "  %base = mul i32 %r, 64\n"
			   "  %all = add i32 %base, %t\n"
			   "  %to = getelementptr i32, ptr addrspace(1) %out, i32 %all\n"
			   "  %low = icmp slt i32 %t, 32\n"
			   "  store i32 %all, ptr addrspace(3) %mine\n";

#define MEET "  call void @neso.cluster_barrier()\n"
#define READ                                                                                                 \
	"  %v = call i32 @neso.ld_cluster.v1b32(ptr addrspace(3) %mine, i32 %other)\n"                       \
	"  store i32 %v, ptr addrspace(1) %to\n"

static CodegenResult *run(const char *body, uint64_t seed)
{
	Arena arena;
	arena_init(&arena, 0);
	SimBuffer buffers[] = {{"out", out, sizeof out, true}, {"in", in, sizeof in, false}};
	CodegenResult *result =
		sim_kit_run(arena_printf(&arena, "%s%s  ret void\n}\n", head, body), (uint64_t)(uintptr_t)out,
			    (uint64_t)(uintptr_t)in, buffers, 2, true, seed);
	arena_free(&arena);
	return result;
}

static void test_end(void **state)
{
	for (uint64_t seed = 0; seed < 4; seed++) {
		sim_kit_clean(run(MEET READ MEET, seed));
		for (uint32_t i = 0; i < 128; i++)
			assert_int_equal(out[i], i ^ 64);
		sim_kit_found(run(MEET READ, seed), "SIM_RACE",
			      "and that CTA's end have no barrier of the cluster between them");
		/* A barrier of the CTA is none of the cluster. */
		sim_kit_found(run(MEET READ "  call void @neso.barrier()\n", seed), "SIM_RACE",
			      "the shared memory of CTA 0 and that CTA's end");
	}
}

/* One's own memory is there as long as one is. */
static void test_own(void **state)
{
	sim_kit_clean(run("  %v = call i32 @neso.ld_cluster.v1b32(ptr addrspace(3) %mine, i32 %r)\n"
			  "  store i32 %v, ptr addrspace(1) %to\n",
			  0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_end), cmocka_unit_test(test_own)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
