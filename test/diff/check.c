/* Types, ranges and regions of a program, statement by statement in order: what a program means, and whether it means one thing only. The
 * rules of single ops are in check_ops.c. */
#include <math.h>
#include <string.h>

#include "check.h"

int type_elements(const Type *t)
{
	int n = 1;
	for (int d = 0; d < t->rank; d++)
		n *= t->dim[d];
	return n;
}

bool same_shape(const Type *a, const Type *b)
{
	bool same = a->rank == b->rank;
	for (int d = 0; d < a->rank && same; d++)
		same = a->dim[d] == b->dim[d];
	return same;
}

bool same_type(const Type *a, const Type *b)
{
	return a->dtype == b->dtype && same_shape(a, b);
}

static int padded_dim(int dim)
{
	int whole = 1;
	while (whole < dim)
		whole *= 2;
	return whole;
}

bool is_unpadded(const Type *t)
{
	bool whole = true;
	for (int d = 0; d < t->rank; d++)
		whole = whole && padded_dim(t->dim[d]) == t->dim[d];
	return whole;
}

/* What engines compute. */
static int padded_elements(const Type *t)
{
	int n = 1;
	for (int d = 0; d < t->rank; d++)
		n *= padded_dim(t->dim[d]);
	return n;
}

int dtype_digits(neso_dtype t)
{
	switch (t) {
	case NESO_FP8E5: return 3;
	case NESO_FP8E4NV: return 4;
	case NESO_FP16: return 11;
	case NESO_BF16: return 8;
	case NESO_FP32: return 24;
	case NESO_FP64: return 53;
	default: return 8 * (int)neso_dtype_size(t);
	}
}

Range dtype_range(neso_dtype t)
{
	if (is_float(t))
		return (Range){-INFINITY, INFINITY, false, true};
	int bits = t == NESO_INT1 ? 1 : 8 * (int)neso_dtype_size(t);
	if (t == NESO_INT1 || is_unsigned(t))
		return (Range){0, ldexp(1, bits) - 1, true, false};
	return (Range){-ldexp(1, bits - 1), ldexp(1, bits - 1) - 1, true, false};
}

double range_largest(Range r)
{
	return fmax(fabs(r.lo), fabs(r.hi));
}

/* ---- regions ---- */

/* Number of the innermost region, then and else told apart. */
static int scope_at(const Checker *c, int depth)
{
	return c->open[depth].start + (c->open[depth].in_else ? MAX_STMTS : 0);
}

bool visible(const Checker *c, int value)
{
	int function = -1;
	for (int d = 0; d < c->depth; d++)
		if (c->p->stmts[c->open[d].start].op == OP_FN && !c->p->stmts[c->open[d].start].imm[1])
			function = d;
	if (c->p->stmts[value].type.dtype == NESO_DTYPE_NONE)
		return false;
	if (c->scope[value] == -1)
		return function == -1;
	for (int d = function < 0 ? 0 : function; d < c->depth; d++)
		if (c->scope[value] == scope_at(c, d))
			return true;
	return false;
}

int enclosing(const Checker *c, Op op)
{
	for (int d = c->depth - 1; d >= 0; d--) {
		if (c->p->stmts[c->open[d].start].op == op)
			return c->open[d].start;
		if (c->p->stmts[c->open[d].start].op == OP_FN)
			return -1;
	}
	return -1;
}

int iterations(const Checker *c)
{
	int n = 1;
	for (int d = 0; d < c->depth; d++)
		if (c->p->stmts[c->open[d].start].op == OP_FOR)
			n *= c->p->stmts[c->open[d].start].imm[0] > 0 ? c->p->stmts[c->open[d].start].imm[0] : 1;
	return n;
}

static bool open_region(Checker *c, int i)
{
	if (c->depth == 3)
		return false;
	c->open[c->depth].start = i;
	c->open[c->depth++].in_else = false;
	return true;
}

static int innermost(const Checker *c, Op op)
{
	if (c->depth == 0 || c->p->stmts[c->open[c->depth - 1].start].op != op)
		return -1;
	return c->open[c->depth - 1].start;
}

static void close_region(Checker *c, int i)
{
	c->end[c->open[--c->depth].start] = (int16_t)i;
}

bool check_for(Checker *c, int i)
{
	const Stmt *s = &c->p->stmts[i];
	if (s->imm[0] < 0 || s->imm[0] > MAX_TRIPS || (s->sub == LOOP_STATIC && s->imm[0] > 3))
		return false;
	for (int d = 0; d < c->depth; d++) /* a function does not see the kernel's arguments */
		if (c->p->stmts[c->open[d].start].op == OP_FN && !c->p->stmts[c->open[d].start].imm[1] &&
		    s->sub != LOOP_CONSTANT && s->sub != LOOP_STATIC)
			return false;
	return open_region(c, i);
}

bool check_if(Checker *c, int i)
{
	const Type *t = arg_type(c, i, 0);
	neso_dtype asked = stmt(c, i)->sub == BRANCH_IF ? NESO_INT1 : NESO_INT32;
	return t->dtype == asked && t->rank == 0 && open_region(c, i);
}

bool check_fn(Checker *c, int i)
{
	for (int d = 0; d < c->depth; d++)
		if (c->p->stmts[c->open[d].start].op == OP_FN)
			return false;
	const Stmt *s = &c->p->stmts[i];
	return s->arg_count > 0 && !(s->imm[0] && (s->imm[1] || s->imm[2])) && open_region(c, i);
}

bool check_index(Checker *c, int i)
{
	Stmt *s = &c->p->stmts[i];
	int start = innermost(c, OP_FOR);
	if (start < 0 || s->args[0] != start || i != start + 1)
		return false;
	s->type = (Type){.dtype = NESO_INT32};
	s->range = (Range){0, 2 * MAX_TRIPS, true, false};
	return true;
}

/* Sums that are carried stay below this, half of what is exact. */
static double carried_limit(neso_dtype t)
{
	return ldexp(1, dtype_digits(t) - 3);
}

bool check_phi(Checker *c, int i)
{
	Stmt *s = &c->p->stmts[i];
	int start = innermost(c, OP_FOR), k = s->imm[0];
	if (start < 0 || s->args[0] != start || i != start + 2 + k || k >= c->p->stmts[start].arg_count)
		return false;
	const Stmt *first = &c->p->stmts[c->p->stmts[start].args[k]];
	s->type = first->type;
	s->range = dtype_range(s->type.dtype);
	if (is_float(s->type.dtype) && c->p->stmts[start].imm[1] >> k & 1) {
		double limit = carried_limit(s->type.dtype);
		s->range = (Range){-limit, limit, true, false};
		return first->range.whole && !first->range.nan && range_largest(first->range) < limit;
	}
	return true;
}

/* Is `next` phi + t, or phi with a product added, with sums that stay exact over all iterations? */
static bool accumulates(const Checker *c, const Stmt *loop, int phi, int next)
{
	const Stmt *s = &c->p->stmts[next], *first = &c->p->stmts[loop->args[c->p->stmts[phi].imm[0]]];
	double step;
	if (next == phi)
		return true;
	if (s->op == OP_BINARY && s->sub == BIN_ADD && s->args[0] == phi)
		step = range_largest(c->p->stmts[s->args[1]].range);
	else if (s->op == OP_DOT && s->arg_count == 3 && s->args[2] == phi)
		step = dot_largest(&c->p->stmts[s->args[0]], &c->p->stmts[s->args[1]]);
	else
		return false;
	return range_largest(first->range) + step * loop->imm[0] <= carried_limit(s->type.dtype);
}

bool check_end_for(Checker *c, int i)
{
	const Stmt *s = &c->p->stmts[i];
	int start = innermost(c, OP_FOR);
	if (start < 0 || s->arg_count != c->p->stmts[start].arg_count || start + 1 + s->arg_count >= i)
		return false;
	for (int k = 0; k <= s->arg_count; k++)
		if (c->p->stmts[start + 1 + k].op != (k ? OP_PHI : OP_INDEX))
			return false;
	for (int k = 0; k < s->arg_count; k++) {
		const Stmt *phi = &c->p->stmts[start + 2 + k];
		if (!same_type(&phi->type, arg_type(c, i, k)))
			return false;
		if (is_float(phi->type.dtype) && c->p->stmts[start].imm[1] >> k & 1 &&
		    !accumulates(c, &c->p->stmts[start], start + 2 + k, s->args[k]))
			return false;
	}
	close_region(c, i);
	return true;
}

bool check_else(Checker *c, int i)
{
	int start = innermost(c, OP_IF);
	if (start < 0 || c->open[c->depth - 1].in_else || c->p->stmts[i].arg_count != c->p->stmts[start].imm[0])
		return false;
	c->open[c->depth - 1].in_else = true;
	return true;
}

int else_of(const Program *p, int start)
{
	int depth = 0;
	for (int i = start + 1; i < p->count; i++) {
		if (p->stmts[i].op == OP_ELSE && depth == 0)
			return i;
		depth += (p->stmts[i].op == OP_IF) - (p->stmts[i].op == OP_END_IF);
	}
	return -1;
}

bool check_end_if(Checker *c, int i)
{
	const Stmt *s = &c->p->stmts[i];
	int start = innermost(c, OP_IF);
	if (start < 0 || !c->open[c->depth - 1].in_else || s->arg_count != c->p->stmts[start].imm[0])
		return false;
	int other = else_of(c->p, start);
	for (int k = 0; k < s->arg_count; k++)
		if (!same_type(arg_type(c, i, k), arg_type(c, other, k)))
			return false;
	close_region(c, i);
	return true;
}

bool check_param(Checker *c, int i)
{
	Stmt *s = &c->p->stmts[i];
	int start = innermost(c, OP_FN), k = s->imm[0];
	if (start < 0 || s->args[0] != start || i != start + 1 + k || k >= c->p->stmts[start].arg_count)
		return false;
	s->type = *arg_type(c, start, k);
	s->range = c->p->stmts[c->p->stmts[start].args[k]].range;
	return s->type.rank == 0 || !c->p->stmts[start].imm[0]; /* noinline: scalars alone */
}

bool check_end_fn(Checker *c, int i)
{
	int start = innermost(c, OP_FN);
	if (start < 0 || c->p->stmts[i].arg_count == 0)
		return false;
	for (int k = 0; k < c->p->stmts[start].arg_count; k++)
		if (c->p->stmts[start + 1 + k].op != OP_PARAM)
			return false;
	for (int k = 0; k < c->p->stmts[i].arg_count; k++)
		if (c->p->stmts[start].imm[0] && arg_type(c, i, k)->rank > 0)
			return false;
	close_region(c, i);
	return true;
}

bool check_result(Checker *c, int i)
{
	Stmt *s = &c->p->stmts[i];
	int start = s->args[0], k = s->imm[0], end = start < i ? c->end[start] : 0;
	if (end == 0 || i != end + 1 + k || k >= c->p->stmts[end].arg_count)
		return false;
	int value = c->p->stmts[end].args[k];
	s->type = c->p->stmts[value].type;
	s->range = c->p->stmts[value].range;
	if (c->p->stmts[start].op == OP_FOR)
		s->range = c->p->stmts[start + 2 + k].range;
	if (c->p->stmts[start].op == OP_IF)
		s->range = range_either(s->range, c->p->stmts[c->p->stmts[else_of(c->p, start)].args[k]].range);
	return true;
}

/* ---- statements ---- */

typedef bool CheckFn(Checker *c, int i);
#define OP(name, function, weight) [OP_##name] = check_##function,
static CheckFn *const checks[OP__COUNT] = {
#include "ops.def"
};
#undef OP

void checker_start(Checker *c, Program *p)
{
	memset(c, 0, sizeof *c);
	c->p = p;
	p->fused = true;
	p->new_floats = false;
}

static bool names_region(int op)
{
	return op == OP_INDEX || op == OP_PHI || op == OP_PARAM || op == OP_RESULT;
}

/* A result stands behind its region without anything between. */
static bool results_missing(const Checker *c, int i)
{
	const Stmt *s = &c->p->stmts[i];
	if (i == 0 || s->op == OP_RESULT)
		return false;
	const Stmt *before = &c->p->stmts[i - 1];
	if (before->op == OP_END_FOR || before->op == OP_END_IF || before->op == OP_END_FN)
		return before->arg_count > 0;
	return before->op == OP_RESULT && before->imm[0] + 1 < c->p->stmts[c->end[before->args[0]]].arg_count;
}

bool check_stmt(Checker *c, int i)
{
	Stmt *s = &c->p->stmts[i];
	for (int k = 0; k < s->arg_count; k++)
		if (s->args[k] >= i || (!names_region(s->op) && !visible(c, s->args[k])))
			return false;
	if (results_missing(c, i))
		return false;
	int16_t scope = (int16_t)(c->depth ? scope_at(c, c->depth - 1) : -1);
	if (!checks[s->op](c, i))
		return false;
	for (int d = 0; d < s->type.rank; d++)
		if (s->type.dim[d] == 0)
			return false;
	if (padded_elements(&s->type) > MAX_ELEMENTS)
		return false;
	c->scope[i] = scope;
	c->work += (double)padded_elements(&s->type) * iterations(c);
	c->p->new_floats |= s->type.dtype == NESO_FP8E4NV;
	/* A sum or product that is rounded is another one when it is fused. */
	if (is_float(s->type.dtype) && s->type.dtype != NESO_DTYPE_NONE && !s->range.whole)
		c->p->fused = false;
	return true;
}

bool program_check(Program *p)
{
	Checker c;
	checker_start(&c, p);
	for (int i = 0; i < p->count; i++)
		if (!check_stmt(&c, i))
			return false;
	return c.depth == 0 && c.work < 2e6;
}
