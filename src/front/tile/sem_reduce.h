/* Operations with a function inside, histogram, gather: sem_reduce.c, for builtin_reduce.c. */
#ifndef NESO_FRONT_TILE_SEM_REDUCE_H
#define NESO_FRONT_TILE_SEM_REDUCE_H

#include "front/tile/sem.h"

const Val *sem_map_elementwise(FrontLower *low, const Val *fn, const Val *args, int64_t pack);
const Val *sem_histogram(FrontLower *low, const Val *v, int64_t bins, const Val *mask); /* mask may be NULL */
const Val *sem_gather(FrontLower *low, const Val *src, const Val *index, const Val *axis);

#endif
