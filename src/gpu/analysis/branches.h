/* How often the sides of a branch run, where a loop index decides.
 *
 * `if start + BLOCK > length: masked loads, else: plain ones` in a loop up to something of
 * `length` runs its first side at the end only; the terms of a loop's start decide about its first
 * iterations in the same way. */
#ifndef NESO_GPU_ANALYSIS_BRANCHES_H
#define NESO_GPU_ANALYSIS_BRANCHES_H

#include "ir/ir.h"

/* The side of an `scf.if` that few iterations of the loop around it take: 0 where the condition
 * holds, 1 where it does not; -1: it is not known. */
int branch_seldom(const IrCx *ir, const IrOp *branch);

#endif
