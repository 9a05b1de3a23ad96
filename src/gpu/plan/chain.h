/* Chained dots, whose results are operands of other dots, as in attention. */
#ifndef NESO_GPU_PLAN_CHAIN_H
#define NESO_GPU_PLAN_CHAIN_H

#include "gpu/gpu.h"

/* Does the op compute its result from its operands' elements alone, so that it can be where they
 * are? */
bool gpu_keeps_elements(const IrOp *op);
/* Is it a dot's result, through such ops? */
bool gpu_comes_from_dot(const IrValue *v);
/* Is its result the first operand of a dot, or its first operand a dot's result? */
bool gpu_dot_is_chained(const IrOp *dot);

#endif
