/* What tests of src/nv share: a diagnostics list, and the fake driver (test/unit/fake/libcuda.c) with its controls.
 * */
#ifndef NESO_TEST_NV_KIT_H
#define NESO_TEST_NV_KIT_H

#include "unit.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/fault.h"
#include "nv/cuda.h"
#include "nv/nv.h"
#include "fake/fake.h"

typedef struct Kit {
	Arena arena;
	DiagList diags;
	FakeCuda *fake;
	NvDriver *driver;
} Kit;

/* The fake, found beside the test's program: one for the process, whichever way it is loaded. */
static inline char *kit_library(void)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 64);
	assert_true(n > 0);
	path[n] = '\0';
	strcpy(strrchr(path, '/'), "/fake/libcuda.so.1");
	return path;
}

/* Code for GPUs is made by this build's library, which lies a folder above the tests. */
static inline void kit_find_codegen(void)
{
	char path[4096];
	snprintf(path, sizeof path, "%s", kit_library());
	for (int up = 0; up < 3; up++)
		*strrchr(path, '/') = '\0';
	setenv("NESO_CODEGEN_PATH", path, 0);
}

static inline FakeCuda *kit_fake(void)
{
	void *library = dlopen(kit_library(), RTLD_NOW | RTLD_LOCAL);
	assert_non_null(library);
	FakeCuda *(*get)(void);
	void *found = dlsym(library, "fake_cuda");
	assert_non_null(found);
	memcpy(&get, &found, sizeof get);
	return get();
}

/* Bytes of the heap in use; 0 where the C library does not tell, or a sanitizer has the heap. */
static inline size_t kit_heap(void)
{
#ifdef __GLIBC__
	return mallinfo2().uordblks;
#else
	return 0;
#endif
}

static inline void kit_open(Kit *kit)
{
	memset(kit, 0, sizeof *kit);
	arena_init(&kit->arena, 0);
	diag_init(&kit->diags, &kit->arena, NULL);
	kit->fake = kit_fake();
	kit->fake->reset();
	NvDriverOptions options = {.library = kit_library()};
	kit->driver = nv_driver_new(&options);
}

static inline void kit_close(Kit *kit)
{
	nv_driver_free(kit->driver);
	arena_free(&kit->arena);
}

static inline void kit_forget(Kit *kit)
{
	diag_init(&kit->diags, &kit->arena, NULL);
}

/* Exactly one error, of this code; its text and those of its notes, a line each, hold `part`. Empties the list. */
static inline void kit_expect(Kit *kit, DiagCode code, const char *part)
{
	Text text;
	text_init(&text, &kit->arena);
	text_str(&text, "");
	diag_render_all(&text, &kit->diags);
	if (kit->diags.errors != 1 || kit->diags.first->code != code || !strstr(text.data, part))
		fail_msg("expected %s with '%s', found:\n%s", diag_code_name(code), part, text.data);
	kit_forget(kit);
}

static inline void kit_clean(Kit *kit)
{
	Text text;
	text_init(&text, &kit->arena);
	text_str(&text, "");
	diag_render_all(&text, &kit->diags);
	if (kit->diags.first)
		fail_msg("expected nothing, found:\n%s", text.data);
}

#endif
