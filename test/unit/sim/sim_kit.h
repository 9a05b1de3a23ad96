/* For tests of the simulator on LLIR: a kernel's text, run on buffers, and what is found. */
#ifndef NESO_TEST_SIM_KIT_H
#define NESO_TEST_SIM_KIT_H

#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "codegen/codegen.h"

extern const CodegenTable neso_codegen_table;

/* The request for memory of a launch that fails, 0: none; whether there was one. */
static long sim_kit_fails_at;
static bool sim_kit_failed;
static uint32_t sim_kit_programs = 1;

/* Of a launch that is clean with all its memory: does it say so where there is none? */
static inline bool sim_kit_tells(CodegenResult *result)
{
	bool told = !result;
	for (size_t i = 0; result && i < result->diag_count; i++)
		told |= strcmp(result->diags[i].code, "OUT_OF_MEMORY") == 0;
	bool good = sim_kit_failed ? told : result && result->ok;
	neso_codegen_table.free(result);
	return good;
}

/* The caller frees the result; what decoding refuses is the result too. */
static inline CodegenResult *sim_kit_launch(const char *text, const uint64_t *args, size_t arg_count,
					    const SimBuffer *buffers, size_t count, bool check, uint64_t seed)
{
	CodegenRequest request = {.from = CODEGEN_LLIR, .text = text, .len = strlen(text), .target = "sm_90a"};
	CodegenSim *sim;
	CodegenResult *result = neso_codegen_table.sim_prepare(&request, &sim);
	assert_non_null(result);
	if (!sim)
		return result;
	neso_codegen_table.free(result);
	SimLaunch launch = {.args = args,
			    .arg_count = arg_count,
			    .buffers = buffers,
			    .buffer_count = count,
			    .grid = {sim_kit_programs, 1, 1},
			    .check = check,
			    .seed = seed,
			    .timeout = 60};
	arena_fail_after(sim_kit_fails_at);
	result = neso_codegen_table.sim_launch(sim, &launch);
	sim_kit_failed = arena_fail_after(0) <= 0;
	neso_codegen_table.sim_free(sim);
	assert_true(result || sim_kit_fails_at);
	return result;
}

/* Two arguments. */
static inline CodegenResult *sim_kit_run(const char *text, uint64_t first, uint64_t second,
					 const SimBuffer *buffers, size_t count, bool check, uint64_t seed)
{
	return sim_kit_launch(text, (uint64_t[]){first, second}, 2, buffers, count, check, seed);
}

static inline void sim_kit_clean(CodegenResult *result)
{
	for (size_t i = 0; i < result->diag_count; i++)
		print_error("%s: %s\n", result->diags[i].code, result->diags[i].text);
	assert_true(result->ok);
	assert_int_equal(result->diag_count, 0);
	neso_codegen_table.free(result);
}

static inline void sim_kit_found(CodegenResult *result, const char *code, const char *text)
{
	bool found = false;
	for (size_t i = 0; i < result->diag_count; i++)
		found |= strcmp(result->diags[i].code, code) == 0 && strstr(result->diags[i].text, text);
	for (size_t i = 0; !found && i < result->diag_count; i++)
		print_error("%s: %s\n", result->diags[i].code, result->diags[i].text);
	assert_false(result->ok);
	assert_true(found);
	neso_codegen_table.free(result);
}

/* The PTX of the text, which the caller's arena holds. */
static inline const char *sim_kit_ptx(Arena *arena, const char *text)
{
	CodegenRequest request = {.from = CODEGEN_LLIR, .to = CODEGEN_PTX, .text = text, .len = strlen(text), .target = "sm_90a"};
	CodegenResult *result = neso_codegen_table.compile(&request);
	assert_non_null(result);
	if (!result->ok)
		print_error("%s\n", result->diags[0].text);
	assert_true(result->ok);
	const char *ptx = arena_strdup(arena, result->stage[CODEGEN_PTX].data);
	neso_codegen_table.free(result);
	return ptx;
}

#endif
