/* How far apart neighbours of a tile of pointers are, but where an index wraps. */
#ifndef NESO_GPU_ANALYSIS_STEP_H
#define NESO_GPU_ANALYSIS_STEP_H

#include "ir/ir.h"

/* Do addresses go up by one element along `dim`, if indices are taken not to wrap within the tile: what is divided
 * stays, and a remainder goes on? A guess, for what is fast: x % 257 of a row of indices is nearly one. */
bool step_is_one(const IrCx *cx, const IrValue *pointers, unsigned dim);

#endif
