/* TMA copies as ops: what `pipeline` and `tensor-copies` build. */
#ifndef NESO_GPU_TENSOR_COPIES_H
#define NESO_GPU_TENSOR_COPIES_H

#include "gpu/layout/boxes.h"

/* Memory for `slots` tiles of a map, one after the other; 0: for one, which is no ring. */
IrValue *gpu_map_alloc(GpuCx *cx, IrBuilder *b, IrType map, uint32_t slots);
/* Words for so many barriers, each for the arrival of one thread; made and in phase 0. */
IrValue *gpu_barriers_alloc(GpuCx *cx, IrBuilder *b, uint32_t count, unsigned arrivals); /* in each phase */
void gpu_barriers_drop(GpuCx *cx, IrBuilder *b, IrValue *barriers);
IrValue *gpu_barrier_at(GpuCx *cx, IrBuilder *b, IrValue *barriers, IrValue *number);
IrValue *gpu_slot_at(IrBuilder *b, IrValue *ring, IrValue *number);
/* What reads the memory of `alloc`, which holds the
 * same in the same layout, reads `memory` instead. */
void gpu_read_as_it_lies(GpuCx *cx, IrOp *alloc, IrValue *memory);
/* A view of a matrix in memory, turned round. */
IrValue *gpu_memory_transposed(GpuCx *cx, IrBuilder *b, IrValue *memory);
/* Bytes of a tile of the map. */
uint64_t gpu_map_bytes(GpuCx *cx, IrType map);

#endif
