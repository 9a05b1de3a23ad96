/* What the lang_*_test programs share: launches of the kernels of lang_kernels.py, one program each, on the interpreter. */
#ifndef NESO_TEST_LANG_KIT_H
#define NESO_TEST_LANG_KIT_H
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <neso/neso.h>

typedef struct Lang {
	neso_context *context;
	neso_module *module;
} Lang;

static inline int lang_open(void **state)
{
	static Lang lang;
	neso_diagnostics *diagnostics;
	assert_int_equal(neso_context_new(NULL, &lang.context, NULL), NESO_OK);
	neso_status status = neso_module_load_file(lang.context, NESO_SOURCE_DIR "/test/unit/front/lang_kernels.py", &lang.module,
						   &diagnostics);
	if (status != NESO_OK)
		print_error("%s", neso_diagnostics_text(diagnostics));
	neso_diagnostics_free(diagnostics);
	*state = &lang;
	return status != NESO_OK;
}

static inline int lang_close(void **state)
{
	Lang *lang = *state;
	neso_module_free(lang->module);
	neso_context_free(lang->context);
	return 0;
}

static inline void lang_run(void **state, const char *kernel, const neso_arg *args, size_t count)
{
	Lang *lang = *state;
	neso_kernel *k;
	neso_diagnostics *diagnostics;
	assert_int_equal(neso_module_find(lang->module, kernel, &k, NULL), NESO_OK);
	neso_launch launch = neso_launch_of(args, count, 1, 1, 1);
	neso_status status = neso_kernel_launch(k, &launch, NULL, &diagnostics);
	if (status != NESO_OK)
		print_error("%s", neso_diagnostics_text(diagnostics));
	neso_diagnostics_free(diagnostics);
	assert_int_equal(status, NESO_OK);
}

/* "'text'" as an argument's expression; the text lives until the next eight calls. */
static inline const char *lang_quote(const char *text)
{
	static char ring[8][32];
	static int next;
	char *at = ring[next++ % 8];
	snprintf(at, sizeof ring[0], "'%s'", text);
	return at;
}

/* A small generator of numbers, the same on every machine. */
static inline uint64_t lang_random(uint64_t *seed)
{
	uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

#endif
