/* Diagnostics: what is wrong with the user's input, as data. One row of diag.def each.
 *
 * A DiagList collects; nothing is printed. A list takes at most `max_errors` errors: past it, diag_add
 * returns NULL, counts on, and diag_full tells the caller to give up. Warnings past 100 are dropped. Two diagnostics with the same text
 * at the same place are one. */
#ifndef NESO_BASE_DIAG_DIAG_H
#define NESO_BASE_DIAG_DIAG_H

#include "base/source.h"

typedef enum { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE } DiagSeverity;

typedef enum {
#define DIAG(code, severity, format) DIAG_##code,
#include "base/diag/diag.def"
#undef DIAG
	DIAG__COUNT
} DiagCode;

typedef struct Diag {
	DiagCode code; /* of a note: its parent's */
	DiagSeverity severity;
	const char *path; /* NULL: no place */
	LineCol from, to; /* to is exclusive; from.line 0: the file as a whole */
	const char *text;
	const char *line_text; /* source line of `from`; NULL when there is none or it is too long to show */
	struct Diag *notes;    /* in order; only at the top level */
	struct Diag *next;
} Diag;

typedef struct DiagList {
	Arena *arena;
	const SourceSet *sources;
	Diag *first, *last;
	uint32_t errors, warnings;
	uint32_t max_errors;
} DiagList;

void diag_init(DiagList *list, Arena *arena, const SourceSet *sources);

/* The arguments are those of the row's format. */
Diag *diag_add(DiagList *list, Span span, DiagCode code, ...);
Diag *diag_add_v(DiagList *list, Span span, DiagCode code, va_list args);
/* For places known only by name and numbers (locations of the IR). */
Diag *diag_add_at(DiagList *list, const char *path, LineCol at, DiagCode code, ...);
Diag *diag_add_at_v(DiagList *list, const char *path, LineCol at, DiagCode code, va_list args);
/* With a text that was made before, elsewhere. */
Diag *diag_add_text(DiagList *list, const char *path, LineCol at, DiagCode code, const char *text);
/* Notes hang below a diagnostic; `diag` may be NULL (a diagnostic that was not taken). */
void diag_note(DiagList *list, Diag *diag, Span span, const char *format, ...) PRINTF_LIKE(4, 5);
void diag_note_at(DiagList *list, Diag *diag, const char *path, LineCol at, const char *format, ...)
	PRINTF_LIKE(5, 6);

static inline bool diag_full(const DiagList *list)
{
	return list->errors >= list->max_errors;
}

const char *diag_code_name(DiagCode code);
DiagCode diag_code_of(const char *name); /* DIAG__COUNT: none */

/* One diagnostic as people read it: "path:line:col: error: text", the source line, a caret, the notes. */
void diag_render(Text *out, const Diag *diag);
void diag_render_all(Text *out, const DiagList *list);

#endif
