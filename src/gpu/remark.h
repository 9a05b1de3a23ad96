/* What a pass decided, as a remark (base/diag/remark.h). */
#ifndef NESO_GPU_REMARK_H
#define NESO_GPU_REMARK_H

#include "gpu/layout/encoding.h"

/* At an op's place: of the innermost function that is not the language's own library. Both return NULL where nobody asked
 * (cx->remarks). */
Remark *gpu_remark(GpuCx *cx, const IrOp *op, RemarkCode code, const char *text);
/* With the row's format; before != NULL goes in front. */
Remark *gpu_remark_of(GpuCx *cx, const IrOp *op, const char *before, RemarkCode code, ...);

#endif
