/* Launches in the simulator: a host that ends them, and the same result each time. */
#include "needs_llvm.h"

#ifdef NESO_HAVE_LLVM

#include <string.h>

#include "codegen/codegen.h"

extern const CodegenTable neso_codegen_table;

#define FACTS "\"neso\"=\"kernel=k args=p threads=32 shared=0 cluster=1 scratch=0 scratch_align=0 print=0 assert=0\""

/* Counts for longer than anybody waits. */
static const char counts[] =
	"target triple = \"nvptx64-nvidia-cuda\"\n"
	"define ptx_kernel void @k(ptr addrspace(1) %out) " FACTS " {\n"
	"entry:\n"
	"  br label %loop\n"
	"loop:\n"
	"  %i = phi i64 [ 0, %entry ], [ %j, %loop ]\n"
	"  %j = add i64 %i, 1\n"
	"  %more = icmp ult i64 %j, 1000000000000\n"
	"  br i1 %more, label %loop, label %after\n"
	"after:\n"
	"  store i64 %j, ptr addrspace(1) %out, align 8\n"
	"  ret void\n"
	"}\n";

/* Each program adds one over its number to a sum of floats, whose last digits tell the order. */
static const char sums[] =
	"target triple = \"nvptx64-nvidia-cuda\"\n"
	"declare i32 @neso.ctaid_x()\n"
	"declare i32 @neso.tid_x()\n"
	"declare void @neso.red_global.relaxed.gpu.add.f32.v1b32(ptr addrspace(1), i1, i32)\n"
	"define ptx_kernel void @k(ptr addrspace(1) %out) " FACTS " {\n"
	"  %p = call i32 @neso.ctaid_x()\n"
	"  %t = call i32 @neso.tid_x()\n"
	"  %n = mul i32 %p, 32\n"
	"  %q = add i32 %n, %t\n"
	"  %r = add i32 %q, 1\n"
	"  %f = uitofp i32 %r to float\n"
	"  %v = fdiv float 1.0, %f\n"
	"  %b = bitcast float %v to i32\n"
	"  call void @neso.red_global.relaxed.gpu.add.f32.v1b32(ptr addrspace(1) %out, i1 true, i32 %b)\n"
	"  ret void\n"
	"}\n";

static uint64_t out;

static CodegenResult *launch(const char *text, SimLaunch launch)
{
	CodegenRequest request = {.from = CODEGEN_LLIR, .text = text, .len = strlen(text), .target = "sm_90a"};
	CodegenSim *sim;
	CodegenResult *result = neso_codegen_table.sim_prepare(&request, &sim);
	assert_non_null(result);
	assert_true(result->ok);
	neso_codegen_table.free(result);
	uint64_t arg = (uint64_t)(uintptr_t)&out;
	SimBuffer buffer = {"out", &out, sizeof out, true};
	launch.args = &arg;
	launch.arg_count = 1;
	launch.buffers = &buffer;
	launch.buffer_count = 1;
	launch.grid[1] = launch.grid[2] = 1;
	out = 0;
	result = neso_codegen_table.sim_launch(sim, &launch);
	neso_codegen_table.sim_free(sim);
	assert_non_null(result);
	return result;
}

static bool third_time_no(void *data)
{
	return ++*(int *)data < 3;
}

static void test_poll(void **state)
{
	for (uint32_t programs = 1; programs <= 4; programs += 3) {
		for (unsigned check = 0; check < 2; check++) {
			int asked = 0;
			SimLaunch l = {.grid = {programs}, .threads = 2, .check = check, .poll = third_time_no, .poll_data = &asked};
			CodegenResult *result = launch(counts, l);
			assert_false(result->ok);
			assert_int_equal(result->diag_count, 1);
			assert_string_equal(result->diags[0].code, "RUN_STOPPED");
			assert_int_equal(asked, 3);
			neso_codegen_table.free(result);
		}
	}
}

static void test_timeout(void **state)
{
	CodegenResult *result = launch(counts, (SimLaunch){.grid = {3}, .timeout = 0.1});
	assert_false(result->ok);
	assert_string_equal(result->diags[0].code, "RUN_TIMEOUT");
	neso_codegen_table.free(result);
}

/* With checks and without, on any number of threads; other seeds, other orders. */
static void test_same_each_time(void **state)
{
	uint64_t first[3] = {0};
	for (unsigned n = 0; n < 12; n++) {
		unsigned seed = n % 3;
		SimLaunch l = {.grid = {64}, .threads = 1 + n / 6 * 3, .check = n / 3 & 1, .seed = seed * 77};
		CodegenResult *result = launch(sums, l);
		assert_true(result->ok);
		neso_codegen_table.free(result);
		if (n < 3)
			first[seed] = out;
		assert_int_equal(out, first[seed]);
	}
	assert_int_not_equal(first[0], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_poll),
		cmocka_unit_test(test_timeout),
		cmocka_unit_test(test_same_each_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
