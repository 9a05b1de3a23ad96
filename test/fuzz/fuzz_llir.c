/* Fuzzing LLIR that is given back (overrides, the simulator's tests): any bytes are a module with a kernel, decoded and made PTX, or are
 * refused with a reason. CMake builds it, as it needs LLVM: a program that replays and mutates. */
#include "driver.h"

#include "codegen/codegen.h"

extern const CodegenTable neso_codegen_table;

static void must_say(const char *llir, CodegenResult *result)
{
	ASSERT(!result || result->ok || result->diag_count);
	for (size_t i = 0; result && i < result->diag_count; i++)
		if (strcmp(result->diags[i].code, "INTERNAL") == 0 || strstr(result->diags[i].text, "internal error"))
			BUG("%s: %s\n%s", result->diags[i].code, result->diags[i].text, llir);
	neso_codegen_table.free(result);
}

static void fuzz_one(Arena *arena, const uint8_t *data, size_t size)
{
	CodegenRequest request = {.from = CODEGEN_LLIR, .to = CODEGEN_PTX, .len = size, .target = "sm_80"};
	CodegenSim *sim = NULL;
	request.text = arena_strndup(arena, (const char *)data, size);
	must_say(request.text, neso_codegen_table.sim_prepare(&request, &sim));
	if (!sim)
		return;
	neso_codegen_table.sim_free(sim);
	must_say(request.text, neso_codegen_table.compile(&request));
}

static Str fuzz_mutate(Arena *arena, Str text, uint64_t *state)
{
	static const char *const words[] = {"i32", "i1", "float", "ptr", "0", "-1", "undef", "poison", "%1", "%2", "br", "ret void", "add", "lshr",
					    "call", "@neso.barrier()", "<2 x i32>", "[4 x i8]", "addrspace(3)", ", align 4", "threads=64", "args=p", "shared=99999"};
	return edit_text(arena, text, words, ARRAY_LEN(words), state);
}

static Str fuzz_sample(Arena *arena)
{
	(void)arena;
	return STR("define ptx_kernel void @k(ptr addrspace(1) %out) \"neso\"=\"kernel=k args=p threads=32 shared=0 cluster=1 scratch=0 "
		   "scratch_align=0 print=0 assert=0\" {\n  %t = call i32 @neso.tid_x()\n  %c = icmp eq i32 %t, 0\n  br i1 %c, label %a, label %b\na:\n"
		   "  %s = add i32 %t, 7\n  store i32 %s, ptr addrspace(1) %out, align 4\n  br label %b\nb:\n  ret void\n}\n"
		   "declare i32 @neso.tid_x()\n");
}
