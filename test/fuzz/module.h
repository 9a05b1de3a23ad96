/* Bytes as a module of IR text, for fuzzers. */
#ifndef NESO_TEST_FUZZ_MODULE_H
#define NESO_TEST_FUZZ_MODULE_H

#include "driver.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"

typedef struct FuzzModule {
	SourceSet set;
	DiagList diags;
	IrCx cx;
	IrModule *m; /* NULL: diagnosed */
	Text out;
} FuzzModule;

static void fuzz_module(FuzzModule *f, Arena *arena, const char *name, const uint8_t *data, size_t size)
{
	source_set_init(&f->set, arena);
	diag_init(&f->diags, arena, &f->set);
	ir_cx_init(&f->cx, arena);
	text_init(&f->out, arena);
	const char *text = arena_strndup(arena, (const char *)data, size);
	f->m = ir_read(&f->cx, source_add(&f->set, name, text, size, 1), &f->diags);
	ASSERT(f->m || f->diags.errors);
}

#endif
