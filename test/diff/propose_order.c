/* Sorting, searching, counting, scans, and constructs that a value goes through. */
#include "generate.h"

static const Stmt *stmt(const Generator *g, int i)
{
	return &g->p->stmts[i];
}

static bool is_tile(const Stmt *s, const void *data)
{
	(void)data;
	return s->type.rank > 0;
}

static bool is_integer_tile(const Stmt *s, const void *data)
{
	return is_tile(s, data) && is_int(s->type.dtype);
}

static bool is_orderable(const Stmt *s, const void *data)
{
	(void)data;
	return s->type.rank > 0 && s->type.rank <= 3 && type_elements(&s->type) <= 512;
}

static bool is_index(const Stmt *s, const void *data)
{
	(void)data;
	return s->type.rank == 1 && (s->type.dtype == NESO_INT32 || s->type.dtype == NESO_INT64);
}

/* How many are taken: fewer than there are, where that can be. */
static int some_of(Generator *g, int a)
{
	int n = stmt(g, a)->type.dim[stmt(g, a)->type.rank - 1];
	return below(g, 2) && n > 2 ? 1 + below(g, n - 1) : 2 << below(g, 4);
}

bool propose_sort(Generator *g)
{
	int a = pick(g, is_orderable, NULL);
	return a >= 0 && add(g, (Stmt){.op = OP_SORT,
				       .arg_count = 1,
				       .args = {(uint16_t)a},
				       .imm = {0, below(g, 2), below(g, 3) ? 0 : some_of(g, a)}}) >= 0;
}

bool propose_order(Generator *g)
{
	int a = pick(g, is_orderable, NULL);
	return a >= 0 && add(g, (Stmt){.op = OP_ORDER,
				       .sub = (uint8_t)below(g, ORDER__COUNT),
				       .arg_count = 1,
				       .args = {(uint16_t)a},
				       .imm = {0, below(g, 2), some_of(g, a)}}) >= 0;
}

bool propose_search(Generator *g)
{
	int b = pick(g, is_orderable, NULL);
	if (b < 0)
		return false;
	Type t = {.dtype = stmt(g, b)->type.dtype, .rank = 1, .dim = {(uint16_t)g->dims[below(g, 3)]}};
	int a = value_of(g, &t, false);
	return a >= 0 && add(g, (Stmt){.op = OP_SEARCH,
				       .sub = (uint8_t)below(g, 2),
				       .arg_count = 2,
				       .args = {(uint16_t)a, (uint16_t)b}}) >= 0;
}

bool propose_histogram(Generator *g)
{
	int a = pick(g, is_index, NULL);
	if (a < 0) {
		Type t = {.dtype = NESO_INT32, .rank = 1, .dim = {(uint16_t)g->dims[below(g, 3)]}};
		a = value_of(g, &t, false);
	}
	if (a < 0)
		return false;
	int bins = below(g, 3) ? 2 << below(g, 8) : 2 + below(g, 40);
	Stmt s = {.op = OP_HISTOGRAM,
		  .arg_count = 1,
		  .args = {(uint16_t)a},
		  .type = {.rank = 1, .dim = {(uint16_t)bins}}};
	if (below(g, 3) == 0) {
		Type t = stmt(g, a)->type;
		t.dtype = some_dtype(g);
		int weights = value_of(g, &t, true);
		if (weights < 0)
			return false;
		s.args[s.arg_count++] = (uint16_t)weights;
	}
	return add(g, s) >= 0;
}

bool propose_scan(Generator *g)
{
	int sub = below(g, SCAN__COUNT);
	int a = pick(g, sub == SCAN_PRODUCT || sub == SCAN_THEN ? is_integer_tile : is_tile, NULL);
	if (a < 0)
		return false;
	Type t = stmt(g, a)->type;
	Stmt s = {.op = OP_SCAN,
		  .sub = (uint8_t)sub,
		  .arg_count = 1,
		  .args = {(uint16_t)a},
		  .imm = {below(g, t.rank), below(g, 3) == 0, sub <= SCAN_PRODUCT && below(g, 3) == 0}};
	if (sub == SCAN_THEN) {
		int b = value_of(g, &t, false);
		if (b < 0)
			return false;
		s.args[s.arg_count++] = (uint16_t)b;
	}
	return add(g, s) >= 0;
}

bool propose_wrap(Generator *g)
{
	int a = pick(g, NULL, NULL);
	return a >= 0 && add(g, (Stmt){.op = OP_WRAP,
				       .sub = (uint8_t)below(g, WRAP__COUNT),
				       .arg_count = 1,
				       .args = {(uint16_t)a}}) >= 0;
}
