/* Analyses that passes share: computed on first use, dropped when a pass changes their inputs. */
#include "ir/pass.h"

void pass_analyses_open(PassAnalyses *a, const PassAnalysis *rows, unsigned count, size_t limit)
{
	ASSERT(count <= PASS_MOST_ANALYSES);
	*a = (PassAnalyses){.rows = rows, .count = count};
	for (unsigned i = 0; i < count; i++)
		arena_init(&a->arenas[i], limit);
}

void pass_analyses_free(PassAnalyses *a)
{
	pass_analyses_drop(a, 0);
}

void *pass_analysis(PassCx *cx, unsigned which)
{
	PassAnalyses *a = cx->analyses;
	ASSERT(a && which < a->count);
	ASSERT(!cx->pass || (cx->pass->needs >> which & 1));
	if (!a->values[which])
		a->values[which] = a->rows[which].compute(cx, &a->arenas[which]);
	return a->values[which];
}

void pass_analyses_drop(PassAnalyses *a, unsigned keep)
{
	for (unsigned i = 0; i < a->count; i++) {
		if (keep >> i & 1)
			continue;
		size_t limit = a->arenas[i].limit;
		arena_free(&a->arenas[i]);
		arena_init(&a->arenas[i], limit);
		a->values[i] = NULL;
	}
}
