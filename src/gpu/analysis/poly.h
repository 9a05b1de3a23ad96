/* Polynomials of symbolic scalars: what two addresses or bounds share shows as equal terms.
 *
 * A polynomial is immutable and lives in an arena. Terms are sorted and have no zero coefficient,
 * so equal polynomials have equal terms. NULL stands for one with too many terms or factors; every
 * function accepts and returns it. Arithmetic is exact: indices are assumed not to overflow. */
#ifndef NESO_GPU_ANALYSIS_POLY_H
#define NESO_GPU_ANALYSIS_POLY_H

#include "ir/ir.h"

enum { POLY_FACTORS = 3, POLY_TERMS = 12 };

typedef struct PolyTerm {
	int64_t scale;
	const IrValue *of[POLY_FACTORS]; /* in the order of their ids */
	uint32_t count;
	/* Factors of one group were multiplied in 32 bits, and so the product of them fits there;
	 * groups with one another in 64, where nothing says that it does. */
	uint8_t group[POLY_FACTORS], scale_group;
} PolyTerm;

typedef struct Poly {
	uint32_t count;
	PolyTerm terms[POLY_TERMS];
} Poly;

const Poly *poly_of_int(Arena *arena, int64_t value);
const Poly *poly_of_value(Arena *arena, const IrValue *value);
const Poly *poly_of_term(Arena *arena, const PolyTerm *term);
/* a + scale * b */
const Poly *poly_add(Arena *arena, const Poly *a, const Poly *b, int64_t scale);
const Poly *poly_multiply(Arena *arena, const Poly *a, const Poly *b, bool wide);
/* Was all of it multiplied in 32 bits? */
bool poly_term_is_word(const PolyTerm *term);
/* Each scale divided by `by`; NULL where that is not exact. */
const Poly *poly_divide(Arena *arena, const Poly *p, int64_t by);
bool poly_same(const Poly *a, const Poly *b);
bool poly_is_int(const Poly *p, int64_t *out);
bool poly_is_invariant(const Poly *p, const IrOp *loop); /* the same in all iterations */
static inline bool poly_is_zero(const Poly *p)
{
	return p && !p->count;
}

#endif
