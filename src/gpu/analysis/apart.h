/* Masked loads of one place under different masks. */
#ifndef NESO_GPU_ANALYSIS_APART_H
#define NESO_GPU_ANALYSIS_APART_H

#include "gpu/analysis/axis.h"

/* May another load of its function read, by another mask, what this masked load reads: its pointers
 * begin where the other's do, or nobody knows where, and the masks are not alike? Or does its own
 * mask differ between elements of one address?
 *
 * ptxas 13.0 takes the registers of a predicated load that nothing set before to be loaded always,
 * and gives them to a later load of the same address, whose predicate may be true where the first
 * one's is false. */
bool gpu_masked_apart(const AxisMap *axis, const IrOp *load);

#endif
