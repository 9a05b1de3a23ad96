/* Promises about memory: loads of what nobody writes (!invariant.load), arguments that share
 * memory with none (noalias); each kept and broken. */
#include "needs_llvm.h"

#ifdef NESO_HAVE_LLVM

#include "sim_kit.h"

static uint32_t memory[128];

/* Threads load of %in what thread t + `load` says, and store to %out at t. */
static CodegenResult *run(const char *out_attribute, const char *load, const char *in_plus, const char *first,
			  uint32_t *out)
{
	Arena arena;
	arena_init(&arena, 0);
	const char *text = arena_printf(
		&arena,
		"target triple = \"nvptx64-nvidia-cuda\"\n"
		"declare i32 @neso.tid_x()\n"
		"declare void @neso.barrier() convergent\n"
		"define ptx_kernel void @k(ptr addrspace(1) %s %%out, ptr addrspace(1) %%in) "
		"\"neso\"=\"kernel=k args=pp threads=64 shared=0 cluster=1 scratch=0 scratch_align=0 print=0 "
		"assert=0\" {\n"
		"entry:\n"
		"  %%t = call i32 @neso.tid_x()\n"
		"  %%from = getelementptr i32, ptr addrspace(1) %%in, i32 %%t\n"
		"  %%to = getelementptr i32, ptr addrspace(1) %%out, i32 %%t\n"
		"%s"
		"  call void @neso.barrier()\n"
		"  %%x = load i32, ptr addrspace(1) %%from%s\n"
		"  call void @neso.barrier()\n"
		"%s"
		"  ret void\n"
		"}\n"
		"!0 = !{}\n",
		out_attribute, *first == 's' ? "  store i32 %t, ptr addrspace(1) %to\n" : "", load,
		*first == 'l' ? "  store i32 %x, ptr addrspace(1) %to\n" : "");
	SimBuffer buffers[] = {{"memory", memory, sizeof memory, true}};
	const uint32_t *in = memory + (*in_plus ? 64 : 0);
	uint64_t to = (uint64_t)(uintptr_t)out, from = (uint64_t)(uintptr_t)in;
	CodegenResult *result = sim_kit_run(text, to, from, buffers, 1, true, 0);
	arena_free(&arena);
	return result;
}

#define INVARIANT ", !invariant.load !0"
static const char written[] = "is written, and loaded as what nobody writes";
static const char two[] = "is reached through two arguments and written";

static void invariant_loads(void **state)
{
	(void)state;
	sim_kit_clean(run("", INVARIANT, "apart", "load first", memory));
	sim_kit_clean(run("", INVARIANT, "apart", "store first", memory));
	sim_kit_clean(run("", "", "", "load first", memory));
	sim_kit_found(run("", INVARIANT, "", "load first", memory), "SIM_PROMISE", written);
	sim_kit_found(run("", INVARIANT, "", "store first", memory), "SIM_PROMISE", written);
}

static void arguments_that_share(void **state)
{
	(void)state;
	sim_kit_clean(run("noalias", "", "apart", "load first", memory));
	sim_kit_clean(run("noalias", "", "apart", "store first", memory));
	sim_kit_clean(run("", "", "", "store first", memory));
	sim_kit_found(run("noalias", "", "", "load first", memory), "SIM_PROMISE", two);
	sim_kit_found(run("noalias", "", "", "store first", memory), "SIM_PROMISE", two);
}

static void without_memory(void **state)
{
	(void)state;
	sim_kit_failed = true;
	for (sim_kit_fails_at = 1; sim_kit_failed; sim_kit_fails_at++)
		assert_true(sim_kit_tells(run("noalias", INVARIANT, "apart", "load first", memory)));
	sim_kit_fails_at = 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(invariant_loads),
		cmocka_unit_test(arguments_that_share),
		cmocka_unit_test(without_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
