/* Makes a program smaller while it fails in the same way: statements go, regions are opened, values become constants, tiles and loops shrink.
 * Each step is tried on a copy, checked, and run in a process of its own. */
#include <string.h>

#include "check.h"

typedef struct Shrinker {
	Program *p;
	Engines engines;
	Outcome *outcome; /* to be kept */
	double until;
	bool progress;
} Shrinker;

/* Takes q when it fails as p does. */
static bool attempt(Shrinker *s, Program *q)
{
	Case c;
	Outcome outcome;
	if (seconds_now() > s->until || !program_check(q))
		return false;
	program_print(q, &c);
	case_run_apart(&c, &s->engines, &outcome);
	case_free(&c);
	if (!same_outcome(&outcome, s->outcome))
		return false;
	*s->p = *q;
	*s->outcome = outcome;
	s->progress = true;
	return true;
}

/* ---- edits ---- */

static bool is_used(const Program *p, int i)
{
	for (int k = i + 1; k < p->count; k++)
		for (int a = 0; a < p->stmts[k].arg_count; a++)
			if (p->stmts[k].args[a] == i)
				return true;
	return false;
}

static void drop(Program *p, int i)
{
	memmove(&p->stmts[i], &p->stmts[i + 1], sizeof p->stmts[0] * (size_t)(p->count - i - 1));
	p->count--;
	for (int k = i; k < p->count; k++)
		for (int a = 0; a < p->stmts[k].arg_count; a++)
			if (p->stmts[k].args[a] > i)
				p->stmts[k].args[a]--;
}

/* What uses i uses `value` instead. */
static void redirect(Program *p, int i, int value)
{
	for (int k = i + 1; k < p->count; k++)
		for (int a = 0; a < p->stmts[k].arg_count; a++)
			if (p->stmts[k].args[a] == i)
				p->stmts[k].args[a] = (uint16_t)value;
}

static bool is_plain(const Stmt *s)
{
	return s->op < OP_FOR;
}

static bool has_effect(const Stmt *s)
{
	return s->op == OP_STORE || s->op == OP_ATOMIC || s->op == OP_OLD || s->op == OP_EXCHANGE ||
	       s->op == OP_RETURN;
}

static void drop_dead(Program *p)
{
	for (int i = p->count - 1; i >= 0; i--)
		if (is_plain(&p->stmts[i]) && !has_effect(&p->stmts[i]) && !is_used(p, i))
			drop(p, i);
}

static bool opens(int op)
{
	return op == OP_FOR || op == OP_IF || op == OP_FN;
}

static bool closes(int op)
{
	return op == OP_END_FOR || op == OP_END_IF || op == OP_END_FN;
}

static int end_of(const Program *p, int start)
{
	int depth = 0, i = start;
	do {
		depth += opens(p->stmts[i].op) - closes(p->stmts[i].op);
		i++;
	} while (depth > 0 && i < p->count);
	return i - 1;
}

static void drop_span(Program *p, int from, int to)
{
	for (int i = to - 1; i >= from; i--)
		drop(p, i);
}

/* Values of the region's results, for what comes behind it; then the results go. */
static void replace_results(Program *p, int end, const uint16_t *values)
{
	int n = p->stmts[end].arg_count;
	for (int k = n - 1; k >= 0; k--) {
		redirect(p, end + 1 + k, values[k]);
		drop(p, end + 1 + k);
	}
}

/* The region's body stands where it was, once. which: of an IF, 0 then, 1 else. */
static void unwrap(Program *p, int start, int which)
{
	int end = end_of(p, start), op = p->stmts[start].op;
	Stmt first = p->stmts[start];
	if (op == OP_IF) {
		int other = else_of(p, start);
		replace_results(p, end, which ? p->stmts[end].args : p->stmts[other].args);
		drop_span(p, which ? start : other, (which ? other : end) + 1);
		drop(p, which ? end - (other - start + 1) : start);
		return;
	}
	for (int i = start; i < end; i++)
		if (p->stmts[i].op == OP_LOAD || p->stmts[i].op == OP_STORE)
			p->stmts[i].sub = BY_NOTHING;
	replace_results(p, end, p->stmts[end].args);
	drop(p, end);
	int head = op == OP_FOR ? start + 2 : start + 1;
	for (int k = first.arg_count - 1; k >= 0; k--) {
		redirect(p, head + k, first.args[k]);
		drop(p, head + k);
	}
	if (op == OP_FOR)
		p->stmts[start + 1] = (Stmt){.op = OP_FULL, .type = {.dtype = NESO_INT32}};
	drop(p, start);
}

/* The region goes; of a loop, what it began with stands for its results. */
static void remove_region(Program *p, int start)
{
	int end = end_of(p, start);
	if (p->stmts[start].op == OP_FOR) {
		uint16_t first[MAX_ARGS];
		memcpy(first, p->stmts[start].args, sizeof first);
		replace_results(p, end, first);
	}
	drop_span(p, start, end + 1);
}

static void drop_arg(Stmt *s, int k)
{
	for (int a = k; a + 1 < s->arg_count; a++)
		s->args[a] = s->args[a + 1];
	s->arg_count--;
}

/* A result that is not used, and what is carried for it. */
static void drop_result(Program *p, int start, int k)
{
	int end = end_of(p, start), op = p->stmts[start].op;
	drop(p, end + 1 + k);
	for (int r = end + 1 + k; r < end + p->stmts[end].arg_count; r++)
		p->stmts[r].imm[0]--;
	drop_arg(&p->stmts[end], k);
	if (op == OP_IF) {
		drop_arg(&p->stmts[else_of(p, start)], k);
		p->stmts[start].imm[0]--;
	} else if (op == OP_FOR) {
		int phi = start + 2 + k, bits = p->stmts[start].imm[1];
		redirect(p, phi, p->stmts[start].args[k]);
		drop(p, phi);
		for (int r = phi; r < start + 1 + p->stmts[start].arg_count; r++)
			p->stmts[r].imm[0]--;
		drop_arg(&p->stmts[start], k);
		p->stmts[start].imm[1] = (bits & ((1 << k) - 1)) | (bits >> (k + 1) << k);
	}
}

/* ---- steps ---- */

static void shrink_launch(Shrinker *s)
{
	Program q = *s->p;
	q.grid = 1;
	if (q.grid != s->p->grid)
		attempt(s, &q);
	for (uint32_t warps = 1; warps < s->p->num_warps; warps *= 2) {
		q = *s->p;
		q.num_warps = warps;
		if (attempt(s, &q))
			break;
	}
	q = *s->p;
	q.plain = false;
	if (s->p->plain)
		attempt(s, &q);
	q = *s->p;
	q.ctas = 1;
	if (s->p->ctas != 1)
		attempt(s, &q);
	q = *s->p;
	q.schedules = 1;
	if (q.schedules != s->p->schedules)
		attempt(s, &q);
	q = *s->p;
	q.num_stages = 1;
	if (q.num_stages != s->p->num_stages)
		attempt(s, &q);
}

/* Half of all that can go, then single ones. */
static void shrink_stores(Shrinker *s)
{
	for (int i = s->p->count - 1; i >= 0; i--) {
		if (i >= s->p->count || !is_plain(&s->p->stmts[i]) || is_used(s->p, i))
			continue;
		Program q = *s->p;
		drop(&q, i);
		Program r = q;
		drop_dead(&r);
		if (!attempt(s, &r))
			attempt(s, &q);
	}
}

static void shrink_regions(Shrinker *s)
{
	for (int i = 0; i < s->p->count; i++) {
		if (!opens(s->p->stmts[i].op))
			continue;
		Program q = *s->p;
		remove_region(&q, i);
		bool gone = attempt(s, &q);
		for (int which = 0; which < (s->p->stmts[i].op == OP_IF ? 2 : 1) && !gone; which++) {
			q = *s->p;
			unwrap(&q, i, which);
			gone = attempt(s, &q);
		}
		for (int k = 0; !gone && k < s->p->stmts[end_of(s->p, i)].arg_count; k++) {
			if (is_used(s->p, end_of(s->p, i) + 1 + k) ||
			    (s->p->stmts[i].op == OP_FN && s->p->stmts[end_of(s->p, i)].arg_count == 1))
				continue;
			q = *s->p;
			drop_result(&q, i, k);
			attempt(s, &q);
		}
		for (int trips = 0; !gone && s->p->stmts[i].op == OP_FOR && trips < s->p->stmts[i].imm[0]; trips++) {
			q = *s->p;
			q.stmts[i].imm[0] = trips;
			if (attempt(s, &q))
				break;
		}
		q = *s->p;
		q.stmts[i].sub = LOOP_CONSTANT;
		if (!gone && q.stmts[i].op == OP_FOR && s->p->stmts[i].sub != LOOP_CONSTANT)
			attempt(s, &q);
	}
}

/* A value by one that is there before, or by a constant. */
static void shrink_values(Shrinker *s)
{
	for (int i = s->p->count - 1; i >= 0; i--) {
		if (i >= s->p->count || s->p->stmts[i].type.dtype == NESO_DTYPE_NONE || !is_used(s->p, i))
			continue;
		bool done = false;
		for (int k = 0; k < s->p->stmts[i].arg_count && is_plain(&s->p->stmts[i]) && !done; k++) {
			if (!same_type(&s->p->stmts[i].type, &s->p->stmts[s->p->stmts[i].args[k]].type))
				continue;
			Program q = *s->p;
			redirect(&q, i, q.stmts[i].args[k]);
			drop_dead(&q);
			done = attempt(s, &q);
		}
		int tried = 0;
		for (int k = 0; k < i && !done && tried < 3; k++) {
			if (!same_type(&s->p->stmts[i].type, &s->p->stmts[k].type))
				continue;
			Program q = *s->p;
			redirect(&q, i, k);
			drop_dead(&q);
			tried++;
			done = attempt(s, &q);
		}
		for (int leaf = 0; leaf < 2 && !done && is_plain(&s->p->stmts[i]) && s->p->stmts[i].op != OP_FULL &&
				   (leaf == 0 || s->p->stmts[i].arg_count);
		     leaf++) {
			Program q = *s->p;
			q.stmts[i] = (Stmt){.op = leaf ? OP_LOAD : OP_FULL,
					    .type = q.stmts[i].type,
					    .imm = {leaf ? 0 : 1, 0, leaf ? 4 : 0}};
			drop_dead(&q);
			done = attempt(s, &q);
		}
	}
}

static void set_plain(Shrinker *s, int i, size_t which)
{
	Program q = *s->p;
	Stmt *m = &q.stmts[i];
	switch (which) {
	case 0: m->sub = 0; break;
	case 1: m->imm[0] = AT_ROWS; break;
	case 2:
		if (m->imm[1] == MASK_VALUE)
			m->arg_count--;
		m->imm[1] = MASK_NONE;
		break;
	default: m->imm[3] = 0; break;
	}
	if (memcmp(m, &s->p->stmts[i], sizeof *m) != 0)
		attempt(s, &q);
}

static void shrink_memory(Shrinker *s)
{
	for (int i = 0; i < s->p->count; i++)
		if (s->p->stmts[i].op == OP_LOAD || s->p->stmts[i].op == OP_STORE)
			for (size_t which = 0; which < 4; which++)
				set_plain(s, i, which);
}

/* Tiles of leaves have `to` where they had `from`; reshapes follow. False when that does not check. */
static bool resize(Program *p, int from, int to)
{
	Checker c;
	checker_start(&c, p);
	for (int i = 0; i < p->count; i++) {
		Stmt *m = &p->stmts[i];
		if (m->op == OP_LOAD || m->op == OP_FULL || m->op == OP_ARANGE || m->op == OP_BROADCAST)
			for (int d = 0; d < m->type.rank; d++)
				if (m->type.dim[d] == from)
					m->type.dim[d] = (uint16_t)to;
		if (m->op == OP_RESHAPE) {
			int wanted = type_elements(&p->stmts[m->args[0]].type);
			while (type_elements(&m->type) > wanted) {
				int best = 0;
				for (int d = 0; d < m->type.rank; d++)
					if (m->type.dim[d] == from ||
					    (m->type.dim[best] != from && m->type.dim[d] > m->type.dim[best]))
						best = d;
				m->type.dim[best] /= 2;
			}
		}
		if (!check_stmt(&c, i))
			return false;
	}
	return true;
}

static bool has_dim(const Program *p, int dim)
{
	bool found = false;
	for (int i = 0; i < p->count; i++)
		for (int d = 0; d < p->stmts[i].type.rank; d++)
			found = found || p->stmts[i].type.dim[d] == dim;
	return found;
}

static void shrink_shapes(Shrinker *s)
{
	for (int from = MAX_ELEMENTS; from >= 2; from--) {
		for (int to = has_dim(s->p, from) ? 1 : from; to < from; to += to < 3 ? 1 : to) {
			Program q = *s->p;
			if (resize(&q, from, to) && memcmp(&q, s->p, sizeof q) != 0 && attempt(s, &q))
				break;
		}
	}
}

void program_shrink(Program *p, const Engines *engines, Outcome *outcome, double seconds)
{
	Shrinker s = {
		.p = p, .engines = *engines, .outcome = outcome, .until = seconds_now() + seconds, .progress = true};
	/* Only where it fails. */
	s.engines.count = 0;
	for (int k = 0; k < engines->count; k++)
		if (outcome->kind == CRASHED || outcome->kind == HUNG ||
		    strcmp(engines->targets[k], outcome->target) == 0)
			s.engines.targets[s.engines.count++] = engines->targets[k];
	while (s.progress && seconds_now() < s.until) {
		s.progress = false;
		shrink_stores(&s);
		shrink_launch(&s);
		shrink_regions(&s);
		shrink_values(&s);
		shrink_memory(&s);
		shrink_shapes(&s);
	}
}
