/* dlopen of libneso-codegen.so. The dynamic linker keeps one copy however many threads ask, so nothing is kept here. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include "jit/codegen_load.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "base/option.h"
#include "base/os.h"

static const char library[] = "libneso-codegen.so";

/* The folder that this code was loaded from; NULL: not known. */
static const char *own_folder(Arena *arena)
{
	Dl_info info;
	static const char here;
	if (!dladdr(&here, &info) || !info.dli_fname || !strchr(info.dli_fname, '/'))
		return NULL;
	return os_path_dir(arena, info.dli_fname);
}

/* Where to look, best first; the last one leaves it to the system. */
static size_t candidates(Arena *arena, const char *out[3])
{
	const char *path = option_given(OPTION_CODEGEN, NULL);
	size_t count = 0;
	if (path) {
		out[count++] = os_is_dir(path) ? os_path_join(arena, path, library) : path;
		return count;
	}
	const char *folder = own_folder(arena);
	if (folder)
		out[count++] = os_path_join(arena, folder, library);
	out[count++] = library;
	return count;
}

static const CodegenTable *check(const CodegenTable *table, const char *path, DiagList *diags)
{
	if (table->abi == CODEGEN_ABI && strcmp(table->version, NESO_VERSION) == 0)
		return table;
	diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_CODEGEN_VERSION, path, table->abi == CODEGEN_ABI ? table->version : "another",
		    NESO_VERSION);
	return NULL;
}

const CodegenTable *codegen_load(DiagList *diags)
{
	const char *paths[3];
	size_t count = candidates(diags->arena, paths);
	Text tried;
	text_init(&tried, diags->arena);
	for (size_t i = 0; i < count; i++) {
		/* What is there and does not load says more than what the next place says. */
		void *handle = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL);
		const char *why = handle ? NULL : dlerror();
		const CodegenTable *table = handle ? dlsym(handle, CODEGEN_SYMBOL) : NULL;
		if (table)
			return check(table, paths[i], diags);
		text_printf(&tried, "%s%s", tried.len ? "; " : "", why ? why : "no compiler in it");
		if (os_is_file(paths[i]))
			break;
	}
	diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_CODEGEN_MISSING, library, tried.data);
	return NULL;
}

bool codegen_take_diags(const CodegenResult *result, DiagList *diags)
{
	Diag *last = NULL;
	uint32_t errors = diags->errors;
	for (size_t i = 0; i < result->diag_count; i++) {
		const CodegenDiag *d = &result->diags[i];
		LineCol at = {d->line, d->col};
		const char *path = d->path ? arena_strdup(diags->arena, d->path) : NULL;
		if (d->severity == DIAG_NOTE) {
			diag_note_at(diags, last, path, at, "%s", d->text);
			continue;
		}
		DiagCode code = diag_code_of(d->code);
		last = diag_add_text(diags, path, at, code < DIAG__COUNT ? code : DIAG_INTERNAL, d->text);
	}
	return diags->errors == errors;
}
