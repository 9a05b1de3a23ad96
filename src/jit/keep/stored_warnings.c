/* Warnings of a compilation as text, so that a variant from the cache gives the same warnings as
 * one that was compiled. A line each: code, path, line, column, text, separated by tabs; notes
 * have "-" for the code and follow their warning. */
#include <stdlib.h>

#include "jit/keep/cache.h"

static void one(CacheKey *rows, const char *code, const Diag *d)
{
	/* A key's rows bring their escapes along; a value holds the rest of the line. */
	cache_key_printf(rows, code, "%s\t%u\t%u\t%s", d->path ? d->path : "", d->from.line, d->from.col, d->text);
}

/* What folders and files of this process could not do is not a warning of the code. */
static bool is_of_the_code(const Diag *d)
{
	return d->severity == DIAG_WARNING && strncmp(diag_code_name(d->code), "CACHE_", 6) != 0;
}

uint32_t jit_warnings_count(const DiagList *diags)
{
	uint32_t n = 0;
	for (const Diag *d = diags->first; d; d = d->next)
		n++;
	return n;
}

Str jit_warnings_write(Arena *arena, const DiagList *diags, uint32_t skip)
{
	CacheKey rows;
	cache_key_init(&rows, arena);
	for (const Diag *d = diags->first; d; d = d->next) {
		if (skip && skip--)
			continue;
		if (!is_of_the_code(d))
			continue;
		one(&rows, diag_code_name(d->code), d);
		for (const Diag *note = d->notes; note; note = note->next)
			one(&rows, "-", note);
	}
	return cache_key_text(&rows);
}

void jit_warnings_read(Str text, DiagList *diags)
{
	CacheKey rows;
	Diag *last = NULL;
	cache_key_read(&rows, diags->arena, text);
	for (uint32_t i = 0; i < rows.rows.len; i++) {
		const CacheRow *row = &rows.rows.data[i];
		size_t len = strcspn(row->value, "\t");
		const char *path = len ? arena_strndup(diags->arena, row->value, len) : NULL;
		char *end;
		if (!row->value[len])
			continue;
		unsigned long line = strtoul(row->value + len + 1, &end, 10);
		unsigned long col = *end == '\t' ? strtoul(end + 1, &end, 10) : 0;
		if (*end != '\t' || line > UINT32_MAX || col > UINT32_MAX)
			continue;
		LineCol at = {(uint32_t)line, (uint32_t)col};
		if (strcmp(row->name, "-") == 0) {
			diag_note_at(diags, last, path, at, "%s", end + 1);
			continue;
		}
		DiagCode code = diag_code_of(row->name);
		if (code < DIAG__COUNT)
			last = diag_add_text(diags, path, at, code, end + 1);
	}
}
