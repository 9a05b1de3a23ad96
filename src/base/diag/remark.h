/* Remarks: what the compiler did with a program and by which rule, as data. One row of remark.def each.
 *
 * Passes and analyses add to the list that they are given; nothing is printed. Without a list (NULL) nobody asked, and
 * adding does nothing. What a list holds lives in its arena. */
#ifndef NESO_BASE_DIAG_REMARK_H
#define NESO_BASE_DIAG_REMARK_H

#include "base/source.h"

typedef enum {
	REMARK_NONE,
#define REMARK(code, kind, outcome, rule, text, advice) REMARK_##code,
#include "base/diag/remark.def"
#undef REMARK
	REMARK__COUNT
} RemarkCode;

typedef enum { REMARK_DONE, REMARK_MISSED, REMARK_FACT } RemarkOutcome;

enum { REMARK_FIGURES = 8 };

typedef struct RemarkFigure {
	const char *name; /* static */
	int64_t value;
} RemarkFigure;

typedef struct Remark {
	RemarkCode code;
	const char *path; /* NULL: no place */
	LineCol at;
	const char *text;
	RemarkFigure figures[REMARK_FIGURES];
	unsigned figure_count;
	unsigned times; /* that it was said: of copies of an op, by unrolling or inlining */
} Remark;

typedef struct RemarkList {
	Arena *arena;
	VEC(Remark) all; /* a pointer into it holds until the next is added */
} RemarkList;

void remark_init(RemarkList *list, Arena *arena);
/* With the row's format, and with a text of one's own. NULL without a list. */
Remark *remark_add(RemarkList *list, const char *path, LineCol at, RemarkCode code, ...);
Remark *remark_add_text(RemarkList *list, const char *path, LineCol at, RemarkCode code, const char *text);
/* Numbers of the text, for programs; remark may be NULL. */
void remark_figure(Remark *remark, const char *name, int64_t value);
/* By place, then in the order they were added; equal ones become one. */
void remark_sort(RemarkList *list);

const char *remark_kind(RemarkCode code);
const char *remark_rule(RemarkCode code);
const char *remark_clause(RemarkCode code); /* the row's text, where it is a reason; NULL of NONE */
const char *remark_advice(RemarkCode code); /* NULL: none */
RemarkOutcome remark_outcome(RemarkCode code);

#endif
