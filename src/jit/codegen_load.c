/* Finds and loads libneso-codegen.so, and reports what is wrong with it. */
#include "jit/codegen_load.h"

#include "base/option/library.h"
#include "base/stop.h"

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
	const char *path;
	const CodegenTable *table = library_symbol(diags->arena, CODEGEN_LIBRARY, OPTION_CODEGEN, CODEGEN_SYMBOL, &path);
	if (table)
		return check(table, path, diags);
	diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_CODEGEN_MISSING, CODEGEN_LIBRARY, path);
	return NULL;
}

void codegen_ended(const CodegenTable *table, CodegenResult *result)
{
	if (!result || !result->ended)
		return;
	table->free(result);
	stop_point();
	BUG("code generation ended, and nobody wanted it");
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
