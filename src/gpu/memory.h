/* Shared memory: what an op needs of it, where it lies, and where threads must wait.
 *
 * allocate   gives every ttg.local_alloc, and every op that works through shared memory (a conversion, a reduction
 *            across warps, ...), an offset by liveness: attribute allocation.offset (i32, bytes); the module gets ttg.shared.
 *            An op in a region with warps of its own never shares bytes with ops of other such regions.
 * barriers   puts gpu.barrier where a write and another access of the same bytes may meet, from these intervals and the
 *            effects of ops; never elsewhere. Barriers inside an op's own lowering are counted as what they are. */
#ifndef NESO_GPU_MEMORY_H
#define NESO_GPU_MEMORY_H

#include "gpu/encoding.h"

/* Bytes of shared memory that the lowering of an op works in, besides its operands and results; 0: none. The
 * lowering plans by the same functions, so that both agree. */
typedef struct GpuScratch {
	uint64_t bytes;
	unsigned align;
} GpuScratch;

GpuScratch gpu_scratch(GpuCx *cx, const IrOp *op);
/* Offset that `allocate` gave to an op's scratch or to the memory of a ttg.local_alloc. */
uint64_t gpu_shared_offset(const GpuCx *cx, const IrOp *op);
/* Bytes of a memdesc type: all of its elements, with the holes of its layout. */
uint64_t gpu_memdesc_bytes(GpuCx *cx, IrType memdesc);

#endif
