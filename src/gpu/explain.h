/* What became of a kernel, as remarks (base/remark.h): passes say what they decided, and gpu_explain what can be read off
 * the TTGIR that is lowered. */
#ifndef NESO_GPU_EXPLAIN_H
#define NESO_GPU_EXPLAIN_H

#include "gpu/encoding.h"

/* At an op's place: of the innermost function that is not the language's own library. Both return NULL where nobody asked
 * (cx->remarks). */
Remark *gpu_remark(GpuCx *cx, const IrOp *op, RemarkCode code, const char *text);
/* With the row's format; before != NULL goes in front. */
Remark *gpu_remark_of(GpuCx *cx, const IrOp *op, const char *before, RemarkCode code, ...);

/* Of a module as the lowering takes it: dots, conversions, tiles in shared memory, accesses of global memory, and where
 * registers are needed most. Nothing where nobody asked. */
void gpu_explain(GpuCx *cx, const IrModule *module);

/* Its parts (explain_dot.c, explain_access.c). */
void gpu_explain_dot(GpuCx *cx, Arena *scratch, const IrOp *dot);
void gpu_explain_accesses(GpuCx *cx, Arena *scratch, const IrModule *module);

#endif
