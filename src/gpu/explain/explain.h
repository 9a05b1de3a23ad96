/* What became of a kernel, as remarks (base/diag/remark.h): passes report their decisions
 * (gpu/remark.h), and gpu_explain reports what can be derived from the TTGIR that is lowered. */
#ifndef NESO_GPU_EXPLAIN_EXPLAIN_H
#define NESO_GPU_EXPLAIN_EXPLAIN_H

#include "gpu/remark.h"

/* Of a module as the lowering takes it: dots, conversions, tiles in shared memory, accesses of global memory, and where
 * registers are needed most. Nothing where nobody asked. */
void gpu_explain(GpuCx *cx, const IrModule *module);

/* What padding costs (explain_padding.c): of the accesses of a module as the front end writes it; of
 * one op, whose sizes are at most rounded up to `most` (NULL or 0: to powers of two). */
void gpu_explain_padding(GpuCx *cx, const IrModule *module);
void gpu_explain_padded(GpuCx *cx, const IrOp *op, const unsigned *most);

/* Its parts (explain_dot.c, explain_access.c). */
void gpu_explain_dot(GpuCx *cx, Arena *scratch, const IrOp *dot);
void gpu_explain_product(GpuCx *cx, Arena *scratch, const IrOp *dot);
void gpu_explain_accesses(GpuCx *cx, Arena *scratch, const IrModule *module);

#endif
