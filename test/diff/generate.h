/* What generate.c and propose.c share. */
#ifndef NESO_TEST_DIFF_GENERATE_H
#define NESO_TEST_DIFF_GENERATE_H

#include "diff.h"

typedef struct Generator {
	Program *p;
	Checker c;
	Random r;
	neso_dtype dtypes[4]; /* that leaves are made of */
	int dims[3];          /* that leaves are made of */
	int weights[OP__COUNT];
} Generator;

/* Adds a statement; its number, or -1 when program_check would refuse it. */
int add(Generator *g, Stmt s);
static inline int below(Generator *g, int n)
{
	return random_below(&g->r, n);
}

typedef bool Wanted(const Stmt *s, const void *data);
/* A visible value, late ones rather than early ones; -1: there is none. wanted NULL: any. */
int pick(Generator *g, Wanted *wanted, const void *data);
int pick_type(Generator *g, const Type *t);
neso_dtype some_dtype(Generator *g);
Type some_type(Generator *g, neso_dtype dtype);
/* A value of the type: one that is there, or a new one. small: its sums and products should be exact. */
int value_of(Generator *g, const Type *t, bool small);
int new_leaf(Generator *g, const Type *t, bool small);

/* A statement by weight; false when it did not fit. */
bool propose_any(Generator *g);

/* phi + a product, as most loops with a dot have it; -1: its shape is no product's. */
int add_product(Generator *g, int phi);

#define OP(name, function, weight) bool propose_##function(Generator *g);
#include "ops.def"
#undef OP

#endif
