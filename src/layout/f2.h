/* Linear algebra over F2 on vectors of at most 64 bits, one machine word each.
 *
 * A vector is a word, addition is XOR, a matrix is the array of its columns. A span keeps one vector for each
 * leading bit, together with the combination of added vectors that it is made of: rank, membership, solving
 * and intersection are all a reduction against it. */
#ifndef NESO_LAYOUT_F2_H
#define NESO_LAYOUT_F2_H

#include "base/base.h"

typedef struct F2Span {
	uint64_t vec[64];   /* vec[i] has leading bit i, where leads has bit i */
	uint64_t combo[64]; /* bit j: the j-th added vector takes part in vec[i] */
	uint64_t leads;
	uint64_t pivots;    /* bit j: the j-th added vector was independent of those before it */
	unsigned added;     /* at most 64 */
} F2Span;

static inline F2Span f2_span_none(void)
{
	F2Span span;
	span.leads = span.pivots = 0;
	span.added = 0;
	return span;
}

static inline unsigned f2_span_rank(const F2Span *span)
{
	return (unsigned)__builtin_popcountll(span->leads);
}

static inline bool f2_parity(uint64_t v)
{
	return __builtin_parityll(v);
}

/* Adds v; true when it was independent of what was there. */
bool f2_span_add(F2Span *span, uint64_t v);
/* Adds n vectors; the number of independent ones. */
unsigned f2_span_add_all(F2Span *span, const uint64_t *vecs, unsigned n);
F2Span f2_span_of(const uint64_t *vecs, unsigned n);
/* What of v is left after subtracting what the span can make; *combo (may be NULL) says of which added
 * vectors that was made. Only independent ones, the earliest, take part. */
uint64_t f2_span_reduce(const F2Span *span, uint64_t v, uint64_t *combo);

static inline bool f2_span_has(const F2Span *span, uint64_t v)
{
	return f2_span_reduce(span, v, NULL) == 0;
}

unsigned f2_rank(const uint64_t *vecs, unsigned n);
/* The XOR of the columns that v selects. */
uint64_t f2_apply(const uint64_t *columns, unsigned n, uint64_t v);
/* A basis of the kernel of the matrix with these columns: out has room for n; their number. Each vector has
 * one bit at a dependent column, which no other vector has, and otherwise bits at independent columns. */
unsigned f2_kernel(const uint64_t *columns, unsigned n, uint64_t *out);
/* A basis of span(a) and span(b)'s intersection: out has room for MIN(na, nb); their number. na +
 * nb <= 64. */
unsigned f2_intersect(const uint64_t *a, unsigned na, const uint64_t *b, unsigned nb, uint64_t *out);
/* Those of the vectors that are independent of the span and of those kept before; adds them to the span. */
unsigned f2_extend(F2Span *span, const uint64_t *vecs, unsigned n, uint64_t *out, unsigned limit);

#endif
