/* Fuzzing signatures: any text is one for a kernel with parameters of all kinds, or is refused with a message. By the public interface:
 * a program that replays and mutates.
 *
 * driver.h says how to build it. */
#include "driver.h"

#include <neso/neso.h>

static const char source[] = "import triton\nimport triton.language as tl\n@triton.jit\ndef k(p, d, n, x, t, N: tl.constexpr, M: tl.constexpr = 3):\n"
			     "    tl.store(p, n)\n";

static void fuzz_one(Arena *arena, const uint8_t *data, size_t size)
{
	static neso_context *context;
	static neso_module *module;
	static neso_kernel *kernel;
	static unsigned runs;
	if (runs++ % 500 == 0) { /* variants stay in the module */
		neso_module_free(module);
		neso_context_free(context);
		ASSERT(neso_context_new(NULL, &context, NULL) == NESO_OK);
		ASSERT(neso_module_load_text(context, "fuzz.py", source, sizeof source - 1, &module, NULL) == NESO_OK);
		ASSERT(neso_module_find(module, "k", &kernel, NULL) == NESO_OK);
	}
	const char *text = arena_strndup(arena, (const char *)data, size);
	neso_diagnostics *diagnostics = NULL;
	neso_variant *variant = NULL;
	neso_status status = neso_kernel_compile(kernel, text, NULL, &variant, &diagnostics);
	if (strstr(neso_diagnostics_text(diagnostics), "internal error"))
		BUG("%s: %s", text, neso_diagnostics_text(diagnostics));
	ASSERT((status == NESO_OK) == (variant != NULL));
	ASSERT(status == NESO_OK || *neso_diagnostics_text(diagnostics));
	neso_diagnostics_free(diagnostics);
}

static Str fuzz_mutate(Arena *arena, Str text, uint64_t *state)
{
	static const char *const words[] = {"*fp32", "*k", "**", "i32", "u64", "fp8e4nv", ":16", ":1", ":", ",", "tensordesc<fp16[64, 32]>", "tensordesc<", ">", "[",
					    "]", "(", ")", "'", "\"", "\\", "99999999999999999999", "-1", "1e999", "None", "True", "(i32, *fp32)", "constexpr",
					    "{", "}", "lambda", "[1, 2]", "nan", "0x", "bf16", " "};
	return edit_text(arena, text, words, ARRAY_LEN(words), state);
}

static Str fuzz_sample(Arena *arena)
{
	(void)arena;
	return STR("*fp32:16, tensordesc<fp16[64, 32]>, i32:16, fp32, (i32, *fp16), 64, 'a, b'");
}
