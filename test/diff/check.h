/* What check.c and check_ops.c share. */
#ifndef NESO_TEST_DIFF_CHECK_H
#define NESO_TEST_DIFF_CHECK_H

#include "diff.h"

#define OP(name, function, weight) bool check_##function(Checker *c, int i);
#include "ops.def"
#undef OP

static inline Stmt *stmt(const Checker *c, int i)
{
	return &c->p->stmts[i];
}

static inline const Stmt *arg(const Checker *c, int i, int k)
{
	return stmt(c, stmt(c, i)->args[k]);
}

static inline const Type *arg_type(const Checker *c, int i, int k)
{
	return &c->p->stmts[c->p->stmts[i].args[k]].type;
}

Range range_either(Range a, Range b);
Range range_sum(Range a, Range b);
/* What a result is after it was brought into its type. */
Range range_fitted(Range r, neso_dtype t);
/* The largest element of a product of two tiles. */
double dot_largest(const Stmt *a, const Stmt *b);
/* Is the sum of n of them exact in any order? */
bool sums_exactly(const Stmt *a, double n);
/* The ELSE of an IF. */
int else_of(const Program *p, int start);

#endif
