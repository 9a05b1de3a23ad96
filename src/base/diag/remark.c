/* Collecting remarks, and the table of their rows. */
#include "base/diag/remark.h"

#include <stdarg.h>

typedef struct RemarkInfo {
	const char *kind, *rule, *text, *advice;
	RemarkOutcome outcome;
} RemarkInfo;

static const RemarkInfo info[REMARK__COUNT] = {
#define REMARK(code, kind, outcome, rule, text, advice) [REMARK_##code] = {#kind, rule, text, advice, REMARK_##outcome},
#include "base/diag/remark.def"
#undef REMARK
};

const char *remark_kind(RemarkCode code)
{
	return info[code].kind;
}

const char *remark_rule(RemarkCode code)
{
	return info[code].rule;
}

const char *remark_clause(RemarkCode code)
{
	return info[code].text;
}

const char *remark_advice(RemarkCode code)
{
	return info[code].advice && info[code].advice[0] ? info[code].advice : NULL;
}

RemarkOutcome remark_outcome(RemarkCode code)
{
	return info[code].outcome;
}

void remark_init(RemarkList *list, Arena *arena)
{
	*list = (RemarkList){.arena = arena};
}

Remark *remark_add_text(RemarkList *list, const char *path, LineCol at, RemarkCode code, const char *text)
{
	if (!list)
		return NULL;
	ASSERT(code > REMARK_NONE && code < REMARK__COUNT);
	vec_push(list->arena, &list->all, (Remark){
		.code = code,
		.path = path ? arena_strdup(list->arena, path) : NULL,
		.at = at,
		.text = arena_strdup(list->arena, text),
		.times = 1,
	});
	return &vec_last(&list->all);
}

Remark *remark_add(RemarkList *list, const char *path, LineCol at, RemarkCode code, ...)
{
	va_list args;
	if (!list)
		return NULL;
	va_start(args, code);
	const char *text = arena_vprintf(list->arena, info[code].text, args);
	va_end(args);
	return remark_add_text(list, path, at, code, text);
}

void remark_figure(Remark *remark, const char *name, int64_t value)
{
	if (remark && remark->figure_count < REMARK_FIGURES)
		remark->figures[remark->figure_count++] = (RemarkFigure){name, value};
}

/* ---- order ---- */

static int by_place(const Remark *a, const Remark *b)
{
	if (!a->path || !b->path)
		return (a->path != NULL) - (b->path != NULL);
	int order = strcmp(a->path, b->path);
	return order ? order : (a->at.line > b->at.line) - (a->at.line < b->at.line);
}

static bool same(const Remark *a, const Remark *b)
{
	bool equal = a->code == b->code && by_place(a, b) == 0 && a->at.col == b->at.col && strcmp(a->text, b->text) == 0 &&
		     a->figure_count == b->figure_count;
	for (unsigned i = 0; i < a->figure_count && equal; i++)
		equal = strcmp(a->figures[i].name, b->figures[i].name) == 0 && a->figures[i].value == b->figures[i].value;
	return equal;
}

/* Insertion: lists are short, and nearly in order. */
void remark_sort(RemarkList *list)
{
	Remark *all = list->all.data;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < list->all.len; i++) {
		Remark r = all[i];
		uint32_t at = kept;
		bool merged = false;
		for (uint32_t k = 0; k < kept && !merged; k++) {
			merged = same(&all[k], &r);
			all[k].times += merged ? r.times : 0;
		}
		if (merged)
			continue;
		for (; at > 0 && by_place(&all[at - 1], &r) > 0; at--)
			all[at] = all[at - 1];
		all[at] = r;
		kept++;
	}
	list->all.len = kept;
}
