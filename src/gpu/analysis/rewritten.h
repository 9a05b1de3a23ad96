/* Whether iterations of a loop may store to the same place: the last one's value must stay, and
 * copies in flight may arrive in any order. */
#ifndef NESO_GPU_ANALYSIS_REWRITTEN_H
#define NESO_GPU_ANALYSIS_REWRITTEN_H

#include "gpu/layout/encoding.h"

typedef enum GpuRewritten {
	GPU_REWRITTEN_NOT,      /* each iteration stores elsewhere, or is another program (neso.programs) */
	GPU_REWRITTEN_WHOLE,    /* tiles are apart or the same */
	GPU_REWRITTEN_ANYWHERE, /* they may have a part in common */
} GpuRewritten;

/* Of a tt.descriptor_store. parts: others of its block store parts of the tensor, too, apart from
 * it (gpu_stores_apart). */
GpuRewritten gpu_rewritten(const GpuCx *gpu, const IrOp *store, bool parts);
/* Do two of a block store to places apart in each iteration, which in all iterations are apart or
 * the same? */
bool gpu_stores_apart(const IrOp *one, const IrOp *other);

#endif
