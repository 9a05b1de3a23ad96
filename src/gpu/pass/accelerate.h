/* Inside accelerate-matmul. */
#ifndef NESO_GPU_PASS_ACCELERATE_H
#define NESO_GPU_PASS_ACCELERATE_H

#include "base/vec.h"
#include "gpu/analysis/text_order.h"
#include "gpu/gpu.h"

uint64_t accelerate_last_to_stretch(const Layout *l, unsigned dim);
const Layout *accelerate_stretched(GpuCx *gpu, const Layout *l, unsigned dim, uint64_t last);

/* A layout of words along K that ldmatrix.trans gives of bytes that lie the other way round:
 * threads hold pairs of the other dim. */
const Layout *wgmma_turning(GpuCx *gpu, IrType type, unsigned k_dim, unsigned warps, bool reordered);
/* Operands that are loaded in the loop and lie across K, which threads then read from the ring: as
 * bits. The instruction takes words that lie so from registers alone, perhaps both. Of bytes it is
 * one at most: the other one, and any that has to come some other way, is turned round. */
unsigned wgmma_across_k(GpuCx *gpu, const IrOp *dot);
typedef struct WgmmaTile {
	const IrValue *value;
	uint64_t bytes;
	uint64_t there; /* bytes of all that are there where it begins */
	uint32_t first, last;
} WgmmaTile;

typedef VEC(WgmmaTile) WgmmaTiles;

/* The operands that are put into memory, and from where to where in the text they stay there. */
typedef struct WgmmaStored {
	Arena *arena;
	TextOrder order; /* of the module as it was */
	WgmmaTiles tiles;
	WgmmaTiles with; /* those and what is looked at, while it is */
} WgmmaStored;

WgmmaStored wgmma_stored(PassCx *cx);
/* Is there room for the dot's operands, beside those that are there at the same time? They are
 * listed then. */
bool wgmma_has_room(GpuCx *gpu, WgmmaStored *stored, const IrOp *dot);
/* The dot becomes one; warps: along the dims of what is multiplied. */
void wgmma_take(PassCx *cx, IrOp *dot, const unsigned *warps);

#endif
