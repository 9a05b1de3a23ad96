/* neso_diagnostics: a DiagList as data that outlives the call, rendered once. */
#include "api/inner.h"

struct neso_diagnostics {
	Arena arena; /* holds this struct */
	const neso_diagnostic **items;
	size_t count, errors;
	const char *text, *json;
};

static const char *const severity_names[] = {"error", "warning", "note"};

static const neso_diagnostic *convert(Arena *arena, const Diag *diag)
{
	neso_diagnostic *out = ARENA_NEW(arena, neso_diagnostic);
	*out = (neso_diagnostic){
		.severity = (neso_severity)diag->severity,
		.code = diag_code_name(diag->code),
		.text = diag->text,
		.path = diag->path,
		.line = diag->from.line,
		.column = diag->from.col,
		.end_line = diag->to.line,
		.end_column = diag->to.col,
		.source_line = diag->line_text,
	};
	for (const Diag *note = diag->notes; note; note = note->next)
		out->note_count++;
	const neso_diagnostic **notes = ARENA_ARRAY(arena, const neso_diagnostic *, out->note_count + 1);
	size_t i = 0;
	for (const Diag *note = diag->notes; note; note = note->next)
		notes[i++] = convert(arena, note);
	out->notes = notes;
	return out;
}

static void json_diagnostic(Text *out, const neso_diagnostic *d)
{
	text_printf(out, "{\"severity\": \"%s\", \"code\": \"%s\", \"text\": ", severity_names[d->severity], d->code);
	text_json(out, d->text);
	text_str(out, ", \"path\": ");
	text_json(out, d->path);
	text_printf(out, ", \"line\": %u, \"column\": %u, \"end_line\": %u, \"end_column\": %u, \"notes\": [", d->line,
		    d->column, d->end_line, d->end_column);
	for (size_t i = 0; i < d->note_count; i++) {
		text_str(out, i ? ", " : "");
		json_diagnostic(out, d->notes[i]);
	}
	text_str(out, "]}");
}

neso_diagnostics *api_diagnostics_new(ApiCall *call)
{
	Arena *arena = &call->arena;
	neso_diagnostics *out = ARENA_NEW(arena, neso_diagnostics);
	for (const Diag *diag = call->diags.first; diag; diag = diag->next)
		out->count++;
	out->errors = call->diags.errors;
	out->items = ARENA_ARRAY(arena, const neso_diagnostic *, out->count + 1);
	size_t i = 0;
	for (const Diag *diag = call->diags.first; diag; diag = diag->next)
		out->items[i++] = convert(arena, diag);
	Text text, json;
	text_init(&text, arena);
	diag_render_all(&text, &call->diags);
	text_init(&json, arena);
	text_char(&json, '[');
	for (i = 0; i < out->count; i++) {
		text_str(&json, i ? ", " : "");
		json_diagnostic(&json, out->items[i]);
	}
	text_char(&json, ']');
	out->text = text.data;
	out->json = json.data;
	out->arena = *arena;
	return out;
}

void neso_diagnostics_free(neso_diagnostics *diagnostics)
{
	if (!diagnostics)
		return;
	Arena arena = diagnostics->arena;
	arena_free(&arena);
}

size_t neso_diagnostics_count(const neso_diagnostics *diagnostics)
{
	return diagnostics ? diagnostics->count : 0;
}

size_t neso_diagnostics_errors(const neso_diagnostics *diagnostics)
{
	return diagnostics ? diagnostics->errors : 0;
}

const neso_diagnostic *neso_diagnostics_get(const neso_diagnostics *diagnostics, size_t index)
{
	return diagnostics && index < diagnostics->count ? diagnostics->items[index] : NULL;
}

const char *neso_diagnostics_text(const neso_diagnostics *diagnostics)
{
	return diagnostics ? diagnostics->text : "";
}

const char *neso_diagnostics_json(const neso_diagnostics *diagnostics)
{
	return diagnostics ? diagnostics->json : "[]";
}
