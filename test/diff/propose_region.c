/* Loops, branches and functions: opened, filled with proposals, closed; all of it is taken back when it does not check. */
#include <math.h>

#include "generate.h"

typedef struct Mark {
	Checker c;
	int count;
} Mark;

static Mark mark(const Generator *g)
{
	return (Mark){g->c, g->p->count};
}

static bool take_back(Generator *g, const Mark *m)
{
	g->c = m->c;
	g->p->count = m->count;
	return false;
}

static void fill(Generator *g, int most)
{
	for (int n = below(g, most + 1); n > 0; n--)
		propose_any(g);
}

static const Stmt *stmt(const Generator *g, int i)
{
	return &g->p->stmts[i];
}

static bool results(Generator *g, int start, int count)
{
	for (int k = 0; k < count; k++)
		if (add(g, (Stmt){.op = OP_RESULT, .arg_count = 1, .args = {(uint16_t)start}, .imm = {k}}) < 0)
			return false;
	return true;
}

/* ---- loops ---- */

static bool is_exact_sum(const Stmt *s)
{
	return (s->type.dtype == NESO_FP32 || s->type.dtype == NESO_FP64) && s->range.whole && !s->range.nan &&
	       range_largest(s->range) <= 1024;
}

static int next_value(Generator *g, int start, int phi)
{
	Type t = stmt(g, phi)->type;
	if (!(stmt(g, start)->imm[1] >> stmt(g, phi)->imm[0] & 1)) {
		int i = t.dtype == NESO_INT32 && below(g, 2) ? add_product(g, phi) : -1;
		i = i < 0 ? pick_type(g, &t) : i;
		return i < 0 ? phi : i;
	}
	int i = below(g, 4) ? add_product(g, phi) : -1;
	if (i < 0) {
		int step = value_of(g, &t, true);
		i = step < 0 ? -1
			     : add(g, (Stmt){.op = OP_BINARY,
					     .sub = BIN_ADD,
					     .arg_count = 2,
					     .args = {(uint16_t)phi, (uint16_t)step}});
	}
	return i < 0 || !same_type(&stmt(g, i)->type, &t) ? phi : i;
}

bool propose_for(Generator *g)
{
	Mark m = mark(g);
	Stmt s = {.op = OP_FOR,
		  .sub = (uint8_t)below(g, LOOP__COUNT),
		  .imm = {below(g, MAX_TRIPS + 1), 0, 1 + below(g, 4)}};
	if (s.sub == LOOP_STATIC)
		s.imm[0] = 1 + below(g, 3);
	for (int n = below(g, 4); n > 0; n--) {
		int first = -1;
		if (below(g, 3) == 0)
			first = add(g, (Stmt){.op = OP_FULL,
					      .type = {.dtype = below(g, 5) ? NESO_FP32 : NESO_INT32,
						       .rank = 2,
						       .dim = {(uint16_t)(16 << below(g, 3)),
							       (uint16_t)(16 << below(g, 3))}}});
		if (first < 0)
			first = pick(g, NULL, NULL);
		if (first < 0)
			continue;
		if (is_exact_sum(stmt(g, first)) && below(g, 5))
			s.imm[1] |= 1 << s.arg_count;
		s.args[s.arg_count++] = (uint16_t)first;
	}
	int start = add(g, s), phis[MAX_ARGS];
	if (start < 0 || add(g, (Stmt){.op = OP_INDEX, .arg_count = 1, .args = {(uint16_t)start}}) < 0)
		return take_back(g, &m);
	for (int k = 0; k < s.arg_count; k++) {
		phis[k] = add(g, (Stmt){.op = OP_PHI, .arg_count = 1, .args = {(uint16_t)start}, .imm = {k}});
		if (phis[k] < 0)
			return take_back(g, &m);
	}
	fill(g, 7);
	Stmt end = {.op = OP_END_FOR, .arg_count = s.arg_count};
	for (int k = 0; k < s.arg_count; k++)
		end.args[k] = (uint16_t)next_value(g, start, phis[k]);
	if (add(g, end) < 0 || !results(g, start, s.arg_count))
		return take_back(g, &m);
	return true;
}

/* ---- branches ---- */

static bool is_condition(const Stmt *s, const void *data)
{
	(void)data;
	return s->type.dtype == NESO_INT1 && s->type.rank == 0;
}

static bool is_scalar(const Stmt *s, const void *data)
{
	(void)data;
	return s->type.rank == 0 && is_int(s->type.dtype);
}

static int condition(Generator *g)
{
	int i = below(g, 2) ? pick(g, is_condition, NULL) : -1;
	if (i >= 0)
		return i;
	int a = pick(g, is_scalar, NULL);
	if (a < 0)
		a = add(g, (Stmt){.op = OP_PID});
	Type t = {.dtype = NESO_INT32};
	int b = a < 0 || stmt(g, a)->type.dtype != NESO_INT32 ? a : value_of(g, &t, true);
	return b < 0 ? -1
		     : add(g, (Stmt){.op = OP_COMPARE,
				     .sub = (uint8_t)below(g, 6),
				     .arg_count = 2,
				     .args = {(uint16_t)a, (uint16_t)b}});
}

/* What is matched. */
static int subject(Generator *g)
{
	Type t = {.dtype = NESO_INT32};
	return value_of(g, &t, false);
}

bool propose_if(Generator *g)
{
	Mark m = mark(g);
	int branch = below(g, 4) ? BRANCH_IF : 1 + below(g, 2), count = below(g, 3);
	int c = branch == BRANCH_IF ? condition(g) : subject(g);
	Type types[2];
	Stmt s = {.op = OP_IF, .sub = (uint8_t)branch, .arg_count = 1, .args = {(uint16_t)c}, .imm = {count}};
	int start = c < 0 ? -1 : add(g, s);
	if (start < 0)
		return take_back(g, &m);
	fill(g, 4);
	Stmt then = {.op = OP_ELSE, .arg_count = (uint8_t)count},
	     end = {.op = OP_END_IF, .arg_count = (uint8_t)count};
	for (int k = 0; k < count; k++) {
		int i = pick(g, NULL, NULL);
		if (i < 0)
			return take_back(g, &m);
		types[k] = stmt(g, i)->type;
		then.args[k] = (uint16_t)i;
	}
	if (add(g, then) < 0)
		return take_back(g, &m);
	fill(g, 4);
	for (int k = 0; k < count; k++) {
		int i = value_of(g, &types[k], false);
		if (i < 0)
			return take_back(g, &m);
		end.args[k] = (uint16_t)i;
	}
	if (add(g, end) < 0 || !results(g, start, count))
		return take_back(g, &m);
	return true;
}

bool propose_leave(Generator *g)
{
	int a = enclosing(&g->c, OP_FOR) >= 0 ? condition(g) : -1;
	Stmt s = {.op = OP_LEAVE, .sub = (uint8_t)below(g, 2), .arg_count = 1, .args = {(uint16_t)a}};
	return a >= 0 && add(g, s) >= 0;
}

bool propose_return(Generator *g)
{
	int a = condition(g);
	return a >= 0 && add(g, (Stmt){.op = OP_RETURN, .arg_count = 1, .args = {(uint16_t)a}}) >= 0;
}

/* ---- functions ---- */

bool propose_fn(Generator *g)
{
	Mark m = mark(g);
	int kind = below(g, 3);
	Stmt s = {.op = OP_FN, .imm = {kind == 1, kind == 2, kind != 1 && below(g, 3) == 0}},
	     end = {.op = OP_END_FN, .arg_count = (uint8_t)(1 + below(g, 2))};
	for (int n = 1 + below(g, 3); n > 0; n--) {
		int i = pick(g, NULL, NULL);
		if (i >= 0)
			s.args[s.arg_count++] = (uint16_t)i;
	}
	for (int k = 0; k < s.arg_count; k++)
		s.imm[0] = s.imm[0] && stmt(g, s.args[k])->type.rank == 0;
	int start = s.arg_count ? add(g, s) : -1;
	if (start < 0)
		return take_back(g, &m);
	for (int k = 0; k < s.arg_count; k++)
		if (add(g, (Stmt){.op = OP_PARAM, .arg_count = 1, .args = {(uint16_t)start}, .imm = {k}}) < 0)
			return take_back(g, &m);
	fill(g, 7);
	for (int k = 0; k < end.arg_count; k++) {
		int i = pick(g, NULL, NULL);
		if (i < 0)
			return take_back(g, &m);
		end.args[k] = (uint16_t)i;
	}
	if (add(g, end) < 0 || !results(g, start, end.arg_count))
		return take_back(g, &m);
	return true;
}

/* ---- what only comes with a region ---- */

bool propose_index(Generator *g)
{
	(void)g;
	return false;
}

bool propose_phi(Generator *g)
{
	return propose_index(g);
}

bool propose_param(Generator *g)
{
	return propose_index(g);
}

bool propose_result(Generator *g)
{
	return propose_index(g);
}

bool propose_else(Generator *g)
{
	return propose_index(g);
}

bool propose_end_for(Generator *g)
{
	return propose_index(g);
}

bool propose_end_if(Generator *g)
{
	return propose_index(g);
}

bool propose_end_fn(Generator *g)
{
	return propose_index(g);
}
