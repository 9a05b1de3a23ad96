/* Inside accelerate-matmul. */
#ifndef NESO_GPU_PASS_ACCELERATE_H
#define NESO_GPU_PASS_ACCELERATE_H

#include "gpu/gpu.h"

/* Does the op compute its result from its operands' elements alone, so that it can be where they
 * are? */
bool accelerate_passes_on(const IrOp *op);
uint64_t accelerate_last_to_stretch(const Layout *l, unsigned dim);
const Layout *accelerate_stretched(GpuCx *gpu, const Layout *l, unsigned dim, uint64_t last);

/* Operands of words that are loaded in the loop and lie across K, as bits. */
unsigned wgmma_across_k(GpuCx *gpu, const IrOp *dot);
/* Bytes of the operands that would be put into memory. All stay there at once, at worst. */
uint64_t wgmma_operand_bytes(GpuCx *gpu, const IrOp *dot);
/* The dot becomes one; warps: along the dims of what is multiplied. */
void wgmma_take(PassCx *cx, IrOp *dot, const unsigned *warps);

#endif
