/* Coverage: which lines ran, which branches and masks went both ways; told where that is asked
 * for, and as a warning where the checks saw less than half of the lines. */
#include <stdlib.h>

#include "sim/check/coverage.h"

bool sim_coverage_new(SimRun *run)
{
	run->seen = heap_zeroed(run->kernel->code_count + 1u);
	return run->seen != NULL;
}

/* ---- by line ---- */

typedef struct Line {
	uint32_t loc;    /* of its first instruction */
	unsigned code, ran;
} Line;

static bool same_line(const SimKernel *k, uint32_t a, uint32_t b)
{
	const SimLoc *l = &k->locs[a], *m = &k->locs[b];
	return l->line == m->line && l->path && m->path && strcmp(l->path, m->path) == 0;
}

static int by_place(const void *a, const void *b)
{
	const Line *l = a, *m = b;
	return l->loc < m->loc ? -1 : l->loc > m->loc;
}

/* Of code that has a place; lines in the order of the source. Code that ends a function belongs
 * to none. */
static size_t list_lines(const SimRun *run, Line *lines)
{
	const SimKernel *k = run->kernel;
	size_t count = 0;
	for (uint32_t pc = 0; pc < k->code_count; pc++) {
		const SimInstr *i = &k->code[pc];
		size_t at = 0;
		if (!k->locs[i->loc].path || i->kind == SIM_JUMP || i->kind == SIM_RETURN)
			continue;
		while (at < count && !same_line(k, lines[at].loc, i->loc))
			at++;
		if (at == count)
			lines[count++] = (Line){.loc = i->loc};
		lines[at].code++;
		lines[at].ran += run->seen[pc] != 0;
	}
	qsort(lines, count, sizeof *lines, by_place);
	return count;
}

static void tell(const SimRun *run, DiagList *diags, uint32_t loc, const char *text)
{
	sim_diag(diags, run->kernel, DIAG_SIM_COVERAGE, loc,
		 arena_printf(diags->arena, "%s; kernel '%s'", text, run->kernel->name));
}

/* ---- branches and masks ---- */

static bool is_branch(const SimInstr *i)
{
	return i->kind == SIM_BRANCH;
}

static bool is_masked(const SimInstr *i)
{
	return i->kind == SIM_EFFECT && i->condition;
}

typedef struct Ways {
	unsigned all, both;
} Ways;

/* What all of them at one place have seen: a loop's copies, the parts of a tile. */
static unsigned seen_at(const SimRun *run, uint32_t loc, bool (*is)(const SimInstr *))
{
	const SimKernel *k = run->kernel;
	unsigned seen = 0;
	for (uint32_t pc = 0; pc < k->code_count; pc++)
		if (k->code[pc].loc == loc && is(&k->code[pc]))
			seen |= run->seen[pc];
	return seen;
}

static bool is_first_at(const SimKernel *k, uint32_t pc, bool (*is)(const SimInstr *))
{
	for (uint32_t at = 0; at < pc; at++)
		if (k->code[at].loc == k->code[pc].loc && is(&k->code[at]))
			return false;
	return true;
}

static Ways tell_ways(const SimRun *run, DiagList *diags, bool (*is)(const SimInstr *), const char *what)
{
	const SimKernel *k = run->kernel;
	Ways ways = {0};
	for (uint32_t pc = 0; pc < k->code_count; pc++) {
		if (!is(&k->code[pc]) || !k->locs[k->code[pc].loc].path || !is_first_at(k, pc, is))
			continue;
		unsigned seen = seen_at(run, k->code[pc].loc, is), both = SIM_SEEN_TRUE | SIM_SEEN_FALSE;
		ways.all++;
		ways.both += (seen & both) == both;
		if (seen & SIM_SEEN && (seen & both) != both)
			tell(run, diags, k->code[pc].loc,
			     arena_printf(diags->arena, "the %s is never %s", what,
					  seen & SIM_SEEN_TRUE ? "false" : "true"));
	}
	return ways;
}

/* ---- all of it ---- */

static void tell_lines(const SimRun *run, DiagList *diags, const Line *lines, size_t count)
{
	for (size_t n = 0; n < count; n++)
		if (!lines[n].ran)
			tell(run, diags, lines[n].loc, "the line never ran");
}

void sim_report_coverage(const SimRun *run, DiagList *diags)
{
	const SimKernel *k = run->kernel;
	if (!run->seen || run->fault.set)
		return;
	Line *lines = ARENA_ARRAY(diags->arena, Line, k->code_count + 1);
	size_t count = list_lines(run, lines), ran = 0;
	for (size_t n = 0; n < count; n++)
		ran += lines[n].ran != 0;
	if (run->launch->watch & SIM_WATCH_COVERAGE) {
		tell_lines(run, diags, lines, count);
		Ways branches = tell_ways(run, diags, is_branch, "branch");
		Ways masks = tell_ways(run, diags, is_masked, "mask");
		tell(run, diags, count ? lines[0].loc : 0,
		     arena_printf(diags->arena,
				  "%zu of %zu lines ran; %u of %u branches and %u of %u masks were true "
				  "and false",
				  ran, count, branches.both, branches.all, masks.both, masks.all));
	} else if (2 * ran < count) {
		sim_diag(diags, k, DIAG_SIM_UNCOVERED, count ? lines[0].loc : 0,
			 arena_printf(diags->arena, "%zu of the %zu lines of kernel '%s' ran", ran, count,
				      k->name));
	}
}
