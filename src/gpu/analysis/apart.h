/* Masked loads of one place by different masks. */
#ifndef NESO_GPU_ANALYSIS_APART_H
#define NESO_GPU_ANALYSIS_APART_H

#include "gpu/analysis/axis.h"

/* May a masked load, or another of its function, read what this one reads where this one's mask is false: its pointers begin
 * where the other's do, or nobody knows where, and the masks are not alike? Or is one address read by several masks of its own?
 *
 * ptxas 13.0 takes the registers of a predicated load that nothing set before to be loaded always, and gives them to
 * a later load of the same address, whose predicate may be true where the first one's is false. */
bool gpu_masked_apart(const AxisMap *axis, const IrOp *load);

#endif
