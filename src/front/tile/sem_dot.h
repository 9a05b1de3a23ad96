/* tl.dot and tl.dot_scaled: sem_dot.c, for builtin_math.c. */
#ifndef NESO_FRONT_TILE_SEM_DOT_H
#define NESO_FRONT_TILE_SEM_DOT_H

#include "front/tile/sem.h"

/* One side of a scaled product. */
typedef struct SemScaledSide {
	const Val *v, *scale; /* scale: or NULL */
	const char *format;   /* "e2m1", ... */
	bool k_pack;          /* two 4-bit elements of a byte follow each other along K */
} SemScaledSide;

const Val *sem_dot_scaled(FrontLower *low, const SemScaledSide *a, const SemScaledSide *b, const Val *acc,
			  bool fast_math);

#endif
