/* What the tests of the interpreter share: TTIR text to a kernel, buffers, launches in plain and in fast form. */
#ifndef NESO_TEST_INTERP_KIT_H
#define NESO_TEST_INTERP_KIT_H
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/diag/diag.h"
#include "interp/interp.h"
#include "ir/text/text.h"

typedef struct Kit {
	Arena arena;
	SourceSet sources;
	DiagList diags;
	IrCx cx;
	InterpKernel *kernel;
	InterpArg args[16];
	InterpBuffer buffers[16];
	InterpLaunch launch;
	Text printed;
} Kit;

UNUSED static void kit_print(void *data, const char *text, size_t len)
{
	Kit *k = data;
	text_add(&k->printed, text, len);
}

UNUSED static const char *kit_diags(Kit *k)
{
	Text out;
	text_init(&out, &k->arena);
	text_str(&out, "");
	diag_render_all(&out, &k->diags);
	return out.data;
}

/* Reads `text`, whose kernel is called `kernel`. */
UNUSED static Kit *kit_try(const char *text, const char *kernel)
{
	Kit *k = calloc(1, sizeof *k);
	arena_init(&k->arena, 0);
	source_set_init(&k->sources, &k->arena);
	diag_init(&k->diags, &k->arena, &k->sources);
	ir_cx_init(&k->cx, &k->arena);
	text_init(&k->printed, &k->arena);
	text_str(&k->printed, "");
	Source *source = source_add(&k->sources, "test.mlir", text, strlen(text), 1);
	IrModule *module = ir_read(&k->cx, source, &k->diags);
	if (!module)
		fail_msg("%s", kit_diags(k));
	k->kernel = interp_prepare(module, ir_sym(&k->cx, kernel), &k->diags);
	k->launch = (InterpLaunch){.args = k->args, .buffers = k->buffers, .grid = {1, 1, 1}, .timeout = 20,
				   .print = kit_print, .print_data = k};
	return k;
}

UNUSED static Kit *kit_new(const char *text)
{
	Kit *k = kit_try(text, "kernel");
	if (!k->kernel)
		fail_msg("%s", kit_diags(k));
	return k;
}

UNUSED static void kit_free(Kit *k)
{
	interp_free(k->kernel);
	arena_free(&k->arena);
	free(k);
}

UNUSED static void kit_scalar(Kit *k, uint64_t bits)
{
	k->args[k->launch.arg_count++] = (InterpArg){.bits = bits};
}

UNUSED static void kit_buffer(Kit *k, const char *name, void *base, size_t bytes, bool writable)
{
	kit_scalar(k, (uint64_t)(uintptr_t)base);
	if (bytes)
		k->buffers[k->launch.buffer_count++] = (InterpBuffer){name, base, bytes, writable, false};
}

UNUSED static void kit_run(Kit *k, uint32_t grid)
{
	k->launch.grid[0] = grid;
	if (!interp_launch(k->kernel, &k->launch, &k->diags))
		fail_msg("%s", kit_diags(k));
}

/* The launch must fail; the only diagnostic. */
UNUSED static const Diag *kit_fails(Kit *k, uint32_t grid)
{
	k->launch.grid[0] = grid;
	assert_false(interp_launch(k->kernel, &k->launch, &k->diags));
	assert_int_equal(k->diags.errors, 1);
	return k->diags.last;
}

/* A small generator of numbers, the same everywhere. */
UNUSED static uint64_t kit_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state * UINT64_C(0x2545F4914F6CDD1D);
}

UNUSED static float kit_uniform(uint64_t *state)
{
	return (float)((double)(kit_random(state) >> 40) * 0x1p-23 - 1);
}

#endif
