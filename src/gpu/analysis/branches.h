/* How often the sides of a branch run, where a loop's index decides.
 *
 * `if start + BLOCK > length: masked loads, else: plain ones` in a loop up to something of `length`
 * runs its first side at the end alone; what a loop's start is made of decides about its first
 * iterations alike. */
#ifndef NESO_GPU_ANALYSIS_BRANCHES_H
#define NESO_GPU_ANALYSIS_BRANCHES_H

#include "ir/ir.h"

/* The side of an `scf.if` that few iterations of the loop around it take: 0 where the condition
 * holds, 1 where it does not; -1: it is not known. */
int branch_seldom(const IrCx *ir, const IrOp *branch);

#endif
