/* Whether iterations of loops may store to one place: the last one's is to stay there, and copies
 * under way may arrive in any order. */
#ifndef NESO_GPU_ANALYSIS_REWRITTEN_H
#define NESO_GPU_ANALYSIS_REWRITTEN_H

#include "gpu/layout/encoding.h"

typedef enum GpuRewritten {
	GPU_REWRITTEN_NOT,      /* each iteration stores elsewhere, or is another program (neso.programs) */
	GPU_REWRITTEN_WHOLE,    /* tiles are apart or the same */
	GPU_REWRITTEN_ANYWHERE, /* they may have a part in common */
} GpuRewritten;

/* Of a tt.descriptor_store. */
GpuRewritten gpu_rewritten(const GpuCx *gpu, const IrOp *store);

#endif
