/* Tiles of integers and pointers with a constant step along each dim: base + first + sum of
 * step[d] * i[d].
 *
 * `first` and the steps are polynomials of scalars (poly.h). A loop-carried value that grows by
 * the same amount in each iteration is one of the loop counter. Indices that wrap (`x % n`,
 * `where(x < n, x, 0)`, `min(x, n - 1)`) are x where x < n, and record that: nothing is known of
 * the other elements. */
#ifndef NESO_GPU_ANALYSIS_STRIDED_H
#define NESO_GPU_ANALYSIS_STRIDED_H

#include "gpu/analysis/poly.h"

enum { STRIDED_RANK = 3 };

/* Along a dim, elements are as described while first + i < end. NULL: all are. */
typedef struct StridedWrap {
	const Poly *first, *end;
} StridedWrap;

typedef struct Strided {
	const IrValue *base; /* a scalar pointer; NULL: integers */
	const Poly *first, *step[STRIDED_RANK];
	StridedWrap wrap[STRIDED_RANK];
	unsigned rank; /* 0: a scalar */
} Strided;

typedef struct Strides {
	Arena *arena;
	const IrCx *ir;
	IrOp *loop; /* scf.for whose carried values are followed; NULL: of none */
	const Strided **known; /* by value id */
	uint8_t *asked;
	uint32_t values;
} Strides;

void strides_init(Strides *s, Arena *arena, const IrModule *m, IrOp *loop);
/* NULL: it is not of that kind. */
const Strided *strided_of(Strides *s, const IrValue *v);

/* What a mask lets through along each dim: elements with i < limit, and where `from` is there with
 * from + i >= 0. NULL: all. */
typedef struct StridedMask {
	const Poly *limit[STRIDED_RANK], *from[STRIDED_RANK];
} StridedMask;

/* `mask` may be NULL. False: it is no conjunction of such bounds. */
bool strided_mask(Strides *s, const IrValue *mask, StridedMask *out);
/* Of a mask of which other parts may be anything: the bounds that all elements it lets through
 * keep. */
void strided_bounds(Strides *s, const IrValue *mask, StridedMask *out);

#endif
