/* Stores through tensor maps, in pieces. Such a tile goes through shared memory. Where its boxes
 * lie side by side along the last dim and each thread can tell them apart by its registers, it is
 * stored a box at a time: threads write the next piece while the first is copied, and in a loop
 * two buffers serve all pieces. Where threads can tell rows apart instead, as with a transposed
 * product, pieces are rows, and so are the boxes of a map that only this store uses. */
#ifndef NESO_GPU_PIECES_H
#define NESO_GPU_PIECES_H

#include "gpu/layout/boxes.h"
#include "gpu/memory/memory.h"
#include "ir/ir.h"

enum {
	GPU_MOST_PIECES = 8,
	GPU_PIECES_AHEAD = 2, /* that a loop has memory for, as a rule */
	GPU_GROUP_WARPS = 4,
	GPU_MOST_GROUPS = 4,
	GPU_PATTERN_ROWS = 8, /* of a box, with which its swizzle begins again */
	GPU_PIECE_BYTES = 16384, /* of rows, at least */
};

typedef struct GpuStorePlan {
	unsigned pieces; /* a power of two; 1: the tile as it is */
	unsigned dim;    /* along which they follow one another: the last one or 0 */
	IrType memory; /* of one */
	uint64_t bytes; /* of it */
} GpuStorePlan;

/* The tile in the layout that it comes in: any will do. */
IrValue *gpu_stored_tile(const IrOp *store);
/* store: tt.descriptor_store or _reduce through a map. */
GpuStorePlan gpu_plan_store(GpuCx *cx, const IrOp *store);
/* The parts of a tile along the dim, in order, for a plan with so many. */
void gpu_tile_pieces(GpuCx *cx, IrBuilder *b, IrValue *tile, unsigned dim, unsigned pieces, IrValue **out);
/* May each warp group write and copy its own rows of a tile in memory of its own, and wait for no
 * other? */
bool gpu_rows_are_of_groups(GpuCx *cx, const IrOp *store);
/* Pieces of the store that have memory at once where it has its own beside all else in a loop
 * (neso.pieces_ahead, or as many as are usual), and bytes of so many. */
unsigned gpu_pieces_ahead(const GpuCx *cx, const IrOp *store, const GpuStorePlan *plan);
uint64_t gpu_store_beside(GpuCx *cx, const IrOp *store, unsigned most_pieces);
/* Do pieces of both take turns in the same memory, which their loop has for them? */
bool gpu_stores_share(GpuCx *cx, const IrOp *one, const IrOp *other);

#endif
