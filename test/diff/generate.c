/* A random program: statements are proposed by weight, kept when they check; regions are opened and closed on the way; what nothing uses is
 * stored at the end. A program has a few types, shapes and kinds of ops that it prefers, so that they meet one another. */
#include <math.h>
#include <string.h>

#include "generate.h"

int add(Generator *g, Stmt s)
{
	if (g->p->count >= MAX_STMTS - 40)
		return -1;
	g->p->stmts[g->p->count] = s;
	if (!check_stmt(&g->c, g->p->count))
		return -1;
	return g->p->count++;
}

int pick(Generator *g, Wanted *wanted, const void *data)
{
	int found[MAX_STMTS], n = 0;
	for (int i = 0; i < g->p->count; i++)
		if (visible(&g->c, i) && (!wanted || wanted(&g->p->stmts[i], data)))
			found[n++] = i;
	if (n == 0)
		return -1;
	int a = below(g, n), b = below(g, n);
	return found[a > b ? a : b];
}

static bool has_type(const Stmt *s, const void *data)
{
	return same_type(&s->type, data);
}

int pick_type(Generator *g, const Type *t)
{
	return pick(g, has_type, t);
}

neso_dtype some_dtype(Generator *g)
{
	return g->dtypes[below(g, 4)];
}

Type some_type(Generator *g, neso_dtype dtype)
{
	static const int ranks[] = {1, 1, 1, 2, 2, 2, 2, 3, 3, 0};
	Type t = {.dtype = dtype, .rank = (uint8_t)ranks[below(g, 10)]};
	int room = 1 << (below(g, 16) ? 6 + below(g, 7) : 14);
	for (int d = 0; d < t.rank; d++) {
		int dim = g->dims[below(g, 3)];
		if (below(g, 12) == 0)
			dim = 1 << below(g, 9);
		else if (below(g, 40) == 0)
			dim = 1 + below(g, 70);
		while (dim > room)
			dim /= 2;
		t.dim[d] = (uint16_t)dim;
		room /= dim;
	}
	return t;
}

int new_leaf(Generator *g, const Type *t, bool small)
{
	Stmt s = {.op = OP_LOAD, .type = *t};
	if (t->rank && below(g, 2))
		s.imm[0] = below(g, AT__COUNT);
	if (below(g, 3) == 0)
		s.imm[1] = t->rank ? 1 + below(g, 3) : MASK_LAST;
	if (t->rank && t->dtype != NESO_FP8E5 && below(g, 12) == 0) {
		Type boolean = *t;
		boolean.dtype = NESO_INT1;
		int mask = pick_type(g, &boolean);
		if (mask >= 0) {
			s.imm[1] = MASK_VALUE;
			s.args[0] = (uint16_t)mask;
			s.arg_count = 1;
		}
	}
	s.imm[2] = small || below(g, 2) ? 1 + below(g, 9) : 0;
	s.imm[3] = below(g, 4) ? 0 : below(g, 8);
	s.sub = (uint8_t)below(g, BY__COUNT);
	int i = below(g, 10) ? add(g, s) : -1;
	if (i < 0) {
		s.imm[0] = AT_ROWS;
		s.imm[1] = s.imm[3] = MASK_NONE;
		s.arg_count = s.sub = 0;
		i = add(g, s);
	}
	if (i < 0 || (below(g, 16) == 0 && !is_fp8(t->dtype)))
		i = add(g, (Stmt){.op = OP_FULL,
				  .type = *t,
				  .imm = {t->dtype == NESO_INT1 ? below(g, 2)
								: below(g, 20) - (is_unsigned(t->dtype) ? 0 : 10)}});
	return i;
}

static bool small_of_type(const Stmt *s, const void *data)
{
	return same_type(&s->type, data) && s->range.whole && !s->range.nan && range_largest(s->range) <= 64;
}

int value_of(Generator *g, const Type *t, bool small)
{
	int i = below(g, 4) ? pick(g, small ? small_of_type : has_type, t) : -1;
	return i >= 0 ? i : new_leaf(g, t, small);
}

/* ---- the whole ---- */

typedef bool ProposeFn(Generator *g);
#define OP(name, function, weight) [OP_##name] = propose_##function,
static ProposeFn *const proposals[OP__COUNT] = {
#include "ops.def"
};
#undef OP

#define OP(name, function, weight) [OP_##name] = weight,
static const int usual[OP__COUNT] = {
#include "ops.def"
};
#undef OP

static void choose_taste(Generator *g)
{
	static const neso_dtype dtypes[] = {NESO_INT32, NESO_INT32,   NESO_FP32,   NESO_FP32,   NESO_FP16,
					    NESO_FP16,  NESO_BF16,    NESO_INT8,   NESO_INT16,  NESO_INT64,
					    NESO_UINT8, NESO_UINT16,  NESO_UINT32, NESO_UINT64, NESO_FP64,
					    NESO_FP8E5, NESO_FP8E4NV, NESO_INT1};
	static const Op pairs[][5] = {{OP_RESHAPE, OP_PERMUTE, OP_EXPAND, OP_JOIN, OP_SPLIT},
				      {OP_REDUCE, OP_SCAN, OP_EXPAND, OP_BROADCAST, OP_BINARY},
				      {OP_DOT, OP_DOT, OP_FOR, OP_CAST, OP_PERMUTE},
				      {OP_FOR, OP_IF, OP_FN, OP_BINARY, OP_COMPARE},
				      {OP_LOAD, OP_STORE, OP_ATOMIC, OP_LOOKUP, OP_OLD},
				      {OP_BINARY, OP_CAST, OP_UNARY, OP_BITCAST, OP_BINARY_IMM},
				      {OP_GATHER, OP_HISTOGRAM, OP_SORT, OP_FLIP, OP_EXCHANGE},
				      {OP_MAP, OP_ASM, OP_SCALED, OP_ROWS, OP_BULK},
				      {OP_ORDER, OP_SEARCH, OP_SCAN, OP_SLICE, OP_PUT},
				      {OP_WRAP, OP_FN, OP_IF, OP_LEAVE, OP_FOR}};
	static const int sizes[] = {3,  5,  6,  7,  9,  10, 11, 12, 13, 15,
				    17, 20, 24, 28, 31, 33, 40, 48, 65, 96};
	bool odd = below(g, 3) == 0;
	for (int k = 0; k < 4; k++)
		g->dtypes[k] = dtypes[below(g, sizeof dtypes / sizeof dtypes[0])];
	for (int k = 0; k < 3; k++)
		g->dims[k] = odd && below(g, 3) ? sizes[below(g, 20)]
						: 1 << (below(g, 4) ? 3 + below(g, 4) : below(g, 9));
	memcpy(g->weights, usual, sizeof usual);
	for (int n = 1 + below(g, 2); n > 0; n--) {
		const Op *favoured = pairs[below(g, sizeof pairs / sizeof pairs[0])];
		for (int k = 0; k < 5; k++)
			g->weights[favoured[k]] += 14;
	}
	g->p->grid = below(g, 3) ? 1 : 2 + (uint32_t)below(g, 2);
	g->p->num_warps = 1u << (below(g, 2) ? 2 : below(g, 5));
	g->p->num_stages = 1 + (uint32_t)below(g, 4);
	g->p->ctas = below(g, 10) ? 1 : below(g, 4) ? 2 : 4;
	g->p->plain = below(g, 8) == 0;
	g->p->schedules = below(g, 4) ? 1 : 2 + (uint32_t)below(g, 2);
}

bool propose_any(Generator *g)
{
	int sum = 0, op = 0;
	for (int k = 0; k < OP__COUNT; k++)
		sum += g->weights[k];
	int left = below(g, sum);
	while (left >= g->weights[op])
		left -= g->weights[op++];
	return proposals[op](g);
}

static bool is_used(const Program *p, int i)
{
	for (int k = i + 1; k < p->count; k++)
		for (int a = 0; a < p->stmts[k].arg_count; a++)
			if (p->stmts[k].args[a] == i)
				return true;
	return false;
}

static void store_results(Generator *g)
{
	int stored = 0;
	for (int i = g->p->count - 1; i >= 0 && stored < 12; i--) {
		const Stmt *v = &g->p->stmts[i];
		if (!visible(&g->c, i) || is_used(g->p, i))
			continue;
		Stmt s = {.op = OP_STORE, .arg_count = 1, .args = {(uint16_t)i}};
		if (v->type.rank && below(g, 2))
			s.imm[0] = below(g, AT__COUNT);
		if (v->type.rank && below(g, 4) == 0)
			s.imm[1] = 1 + below(g, 3);
		if (add(g, s) < 0)
			stored += add(g, (Stmt){.op = OP_STORE, .arg_count = 1, .args = {(uint16_t)i}}) >= 0;
		else
			stored++;
	}
}

void program_generate(Program *p, uint64_t seed)
{
	static const int sizes[] = {3, 6, 10, 14, 20, 28};
	for (uint64_t attempt = 0;; attempt++) {
		Generator g = {.p = p, .r = {seed * 1000003 + attempt}};
		random_next(&g.r);
		memset(p, 0, sizeof *p);
		p->seed = random_next(&g.r);
		choose_taste(&g);
		checker_start(&g.c, p);
		for (int size = sizes[below(&g, 6)], tries = 0; tries < size * 4 && p->count < size + 8; tries++)
			propose_any(&g);
		store_results(&g);
		if (p->count > 1 && program_check(p))
			return;
	}
}
