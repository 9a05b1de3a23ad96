/* Launches of kernels whose CTAs run several programs, in the simulator: the count of programs, how
 * many CTAs there are, and what messages call them. */
#include "needs_llvm.h"

#ifdef NESO_HAVE_LLVM

#include <stdlib.h>

#include "sim_kit.h"

/* Adds the programs of the grid and 65536 for each CTA; CTA 2 then stores beyond the array. */
static const char text[] =
	"target triple = \"nvptx64-nvidia-cuda\"\n"
	"declare i32 @neso.tid_x()\n"
	"declare i32 @neso.ctaid_x()\n"
	"declare i32 @neso.nctaid_x()\n"
	"declare void @neso.st_global.v1b32(ptr addrspace(1), i1, i32)\n"
	"define ptx_kernel void @k(ptr addrspace(1) %out, i32 %far, i32 %programs) "
	"\"neso\"=\"kernel=k args=p4n threads=32 shared=0 cluster=1 scratch=0 "
	"scratch_align=0 print=0 assert=0\" {\n"
	"  %t = call i32 @neso.tid_x()\n"
	"  %c = call i32 @neso.ctaid_x()\n"
	"  %n = call i32 @neso.nctaid_x()\n"
	"  %first = icmp eq i32 %t, 0\n"
	"  %third = icmp eq i32 %c, 2\n"
	"  %at = select i1 %third, i32 %far, i32 %c\n"
	"  %to = getelementptr i32, ptr addrspace(1) %out, i32 %at\n"
	"  %high = shl i32 %n, 16\n"
	"  %both = or i32 %high, %programs\n"
	"  call void @neso.st_global.v1b32(ptr addrspace(1) %to, i1 %first, i32 %both)\n"
	"  ret void\n"
	"}\n";

static uint32_t out[64];

static CodegenResult *launch(uint32_t programs, uint32_t far)
{
	SimBuffer buffers[] = {{"out", out, sizeof out, true}};
	sim_kit_programs = programs;
	memset(out, 0, sizeof out);
	return sim_kit_run(text, (uint64_t)(uintptr_t)out, far, buffers, 1, true, 0);
}

static void starts(uint32_t programs, uint32_t ctas)
{
	sim_kit_clean(launch(programs, 2));
	for (uint32_t i = 0; i < ARRAY_LEN(out); i++)
		assert_int_equal(out[i], i < ctas ? ctas << 16 | programs : 0);
}

static void test_ctas(void **state)
{
	setenv("NESO_PERSIST_CTAS", "5", 1);
	starts(1, 1);
	starts(5, 5);
	starts(6, 5);
	starts(50, 5);
	unsetenv("NESO_PERSIST_CTAS");
	starts(6, 6);
}

static void test_names(void **state)
{
	setenv("NESO_PERSIST_CTAS", "4", 1);
	sim_kit_found(launch(10, 1000), "RUN_OUT_OF_BOUNDS", "CTA (2, 0, 0)");
	unsetenv("NESO_PERSIST_CTAS");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ctas),
		cmocka_unit_test(test_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
