/* Collecting and rendering diagnostics. */
#include "base/diag/diag.h"

typedef struct DiagInfo {
	const char *name, *format;
	DiagSeverity severity;
} DiagInfo;

static const DiagInfo info[DIAG__COUNT] = {
#define DIAG(code, sev, fmt) [DIAG_##code] = {#code, fmt, DIAG_##sev},
#include "base/diag/diag.def"
#undef DIAG
};

/* NULL: none. */
static const char *const cures[DIAG__COUNT] = {
#define CURE(code, text) [DIAG_##code] = text,
#include "base/diag/diag_cures.def"
#undef CURE
};

enum { MAX_ERRORS = 20, MAX_WARNINGS = 100, LONGEST_LINE = 400 };

/* A copy of a source line to show, or NULL: a line too long to be read is not worth its memory. */
static const char *shown_line(const DiagList *list, const Source *source, uint32_t number)
{
	Str line = source_line(source, number);
	if (line.len && line.ptr[line.len - 1] == '\r')
		line.len--;
	return line.len <= LONGEST_LINE ? str_shown(list->arena, arena_strndup(list->arena, line.ptr, line.len)) : NULL;
}

void diag_init(DiagList *list, Arena *arena, const SourceSet *sources)
{
	*list = (DiagList){.arena = arena, .sources = sources, .max_errors = MAX_ERRORS};
}

const char *diag_code_name(DiagCode code)
{
	return info[code].name;
}

DiagCode diag_code_of(const char *name)
{
	for (int i = 0; i < DIAG__COUNT; i++)
		if (strcmp(info[i].name, name) == 0)
			return (DiagCode)i;
	return DIAG__COUNT;
}

static const Source *source_by_path(const DiagList *list, const char *path)
{
	for (uint32_t i = 0; list->sources && path && i < list->sources->files.len; i++)
		if (strcmp(list->sources->files.data[i]->path, path) == 0)
			return list->sources->files.data[i];
	return NULL;
}

static Diag place_span(const DiagList *list, Span span)
{
	Diag d = {0};
	const Source *source = list->sources ? source_get(list->sources, span.file) : NULL;
	if (!source)
		return d;
	d.path = arena_strdup(list->arena, source->path); /* a list may outlive the sources */
	d.from = source_line_col(source, span.start);
	d.to = source_line_col(source, MAX(span.end, span.start));
	d.line_text = shown_line(list, source, d.from.line);
	return d;
}

static Diag place_at(const DiagList *list, const char *path, LineCol at)
{
	Diag d = {.path = path ? arena_strdup(list->arena, path) : NULL, .from = at, .to = at};
	const Source *source = source_by_path(list, path);
	if (source && at.line)
		d.line_text = shown_line(list, source, at.line);
	return d;
}

static bool same(const Diag *a, const Diag *b)
{
	return a->code == b->code && a->from.line == b->from.line && a->from.col == b->from.col &&
	       (a->path == b->path || (a->path && b->path && strcmp(a->path, b->path) == 0)) &&
	       strcmp(a->text, b->text) == 0;
}

/* text: as it is, or NULL: the row's format with args. */
static Diag *append(DiagList *list, Diag place, DiagCode code, const char *text, va_list *args)
{
	place.code = code;
	place.severity = info[code].severity;
	if (place.severity == DIAG_ERROR && list->errors >= list->max_errors) {
		list->errors++;
		return NULL;
	}
	if (place.severity == DIAG_WARNING && list->warnings >= MAX_WARNINGS)
		return NULL;
	place.text = str_shown(list->arena, text ? arena_strdup(list->arena, text) : arena_vprintf(list->arena, info[code].format, *args));
	for (Diag *d = list->first; d; d = d->next)
		if (same(d, &place))
			return NULL;
	Diag *diag = arena_copy(list->arena, &place, sizeof place);
	if (list->last)
		list->last->next = diag;
	else
		list->first = diag;
	list->last = diag;
	list->errors += place.severity == DIAG_ERROR;
	list->warnings += place.severity == DIAG_WARNING;
	/* Where a text was made elsewhere, its notes come behind it. */
	if (!text && cures[code])
		diag_note(list, diag, (Span){0}, "%s", cures[code]);
	return diag;
}

Diag *diag_add(DiagList *list, Span span, DiagCode code, ...)
{
	va_list args;
	va_start(args, code);
	Diag *diag = diag_add_v(list, span, code, args);
	va_end(args);
	return diag;
}

Diag *diag_add_v(DiagList *list, Span span, DiagCode code, va_list args)
{
	va_list copy;
	va_copy(copy, args);
	Diag *diag = append(list, place_span(list, span), code, NULL, &copy);
	va_end(copy);
	return diag;
}

Diag *diag_add_at_v(DiagList *list, const char *path, LineCol at, DiagCode code, va_list args)
{
	va_list copy;
	va_copy(copy, args);
	Diag *diag = append(list, place_at(list, path, at), code, NULL, &copy);
	va_end(copy);
	return diag;
}

Diag *diag_add_text(DiagList *list, const char *path, LineCol at, DiagCode code, const char *text)
{
	return append(list, place_at(list, path, at), code, text, NULL);
}

Diag *diag_add_at(DiagList *list, const char *path, LineCol at, DiagCode code, ...)
{
	va_list args;
	va_start(args, code);
	Diag *diag = diag_add_at_v(list, path, at, code, args);
	va_end(args);
	return diag;
}

static void append_note(DiagList *list, Diag *diag, Diag place, const char *format, va_list args)
{
	if (!diag)
		return;
	place.code = diag->code;
	place.severity = DIAG_NOTE;
	place.text = str_shown(list->arena, arena_vprintf(list->arena, format, args));
	Diag **at = &diag->notes;
	while (*at)
		at = &(*at)->next;
	*at = arena_copy(list->arena, &place, sizeof place);
}

void diag_note(DiagList *list, Diag *diag, Span span, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	append_note(list, diag, place_span(list, span), format, args);
	va_end(args);
}

void diag_note_at(DiagList *list, Diag *diag, const char *path, LineCol at, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	append_note(list, diag, place_at(list, path, at), format, args);
	va_end(args);
}

/* The caret line repeats the tabs of the source line, so that it lines up at any tab width. */
static void render_caret(Text *out, const Diag *d)
{
	text_str(out, "    ");
	uint32_t col = 1;
	for (const char *p = d->line_text; *p && col < d->from.col; p++) {
		if (((unsigned char)*p & 0xc0) == 0x80)
			continue;
		text_char(out, *p == '\t' ? '\t' : ' ');
		col++;
	}
	text_char(out, '^');
	if (d->to.line == d->from.line)
		for (col = d->from.col + 1; col < d->to.col; col++)
			text_char(out, '~');
	text_char(out, '\n');
}

static void render_one(Text *out, const Diag *d)
{
	static const char *const severity[] = {"error", "warning", "note"};
	if (d->path)
		text_shown(out, d->path, strlen(d->path));
	if (d->path && d->from.line)
		text_printf(out, ":%u:%u: ", d->from.line, d->from.col);
	else if (d->path)
		text_str(out, ": ");
	text_printf(out, "%s: %s\n", severity[d->severity], d->text);
	if (d->line_text && d->line_text[0]) {
		text_printf(out, "    %s\n", d->line_text);
		if (d->from.col)
			render_caret(out, d);
	}
}

void diag_render(Text *out, const Diag *diag)
{
	render_one(out, diag);
	for (const Diag *note = diag->notes; note; note = note->next)
		render_one(out, note);
}

void diag_render_all(Text *out, const DiagList *list)
{
	for (const Diag *d = list->first; d; d = d->next)
		diag_render(out, d);
	if (list->errors > list->max_errors)
		text_printf(out, "%u more errors not shown\n", list->errors - list->max_errors);
}
