/* Inside gpu/plan/parts.h: how ops lead parts from operands to results. */
#ifndef NESO_GPU_PLAN_PARTS_OPS_H
#define NESO_GPU_PLAN_PARTS_OPS_H

#include "gpu/plan/parts.h"

/* The part that results of an op get where operand `i` has this one; false: the op then needs what
 * several CTAs have. Dims that say nothing of the results are left out. */
bool gpu_part_result(const GpuParts *p, const IrOp *op, uint32_t i, GpuPart part, GpuPart *out);
/* Both, where they do not contradict each other. */
bool gpu_part_merge(const GpuParts *p, GpuPart a, GpuPart b, GpuPart *out);
/* Is the op one that can be done in parts at all? */
bool gpu_part_knows(const GpuParts *p, const IrOp *op);

#endif
