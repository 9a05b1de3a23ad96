/* Dead elements of a tile: those that reach no effect. */
#ifndef NESO_GPU_ANALYSIS_UNSEEN_H
#define NESO_GPU_ANALYSIS_UNSEEN_H

#include "gpu/analysis/strided.h"

/* Does no store write what comes from elements of `tile` with first + i >= end along `dim`?
 * Followed are ops by element, products, sums along other dims, what loops and branches hand on,
 * and stores whose masks leave such elements out. */
bool gpu_unseen(Arena *arena, const IrModule *m, const IrValue *tile, unsigned dim,
		const StridedWrap *past);

#endif
