/* Tiles that TMA moves as boxes of a tensor: the shared memory that holds them, and which
 * descriptors are tensor maps.
 *
 * A descriptor that is a map is an argument of the kernel: its type is !tt.tensordesc<tensor<shape
 * x elem, #memory>>, with the memory's encoding, and the argument has neso.map, which tells the
 * launch how to build the map from the other arguments. Descriptors without an encoding are
 * pointers (lower-descriptors). A tensor may have more dims than the tile, in front: the tile has
 * one element of each, and their indices come first. */
#ifndef NESO_GPU_BOXES_H
#define NESO_GPU_BOXES_H

#include "gpu/layout/encoding.h"
#include "target/tensor_map.h"

typedef struct GpuBox {
	unsigned swizzle; /* bytes: 0, 32, 64, 128 */
	unsigned rank;
	unsigned side[TENSOR_MAP_RANK]; /* elements, dim 0 first */
	unsigned count; /* boxes of the tile */
	uint64_t bytes; /* of one */
} GpuBox;

/* The memory of a tile whose boxes are swizzled so; NULL: its sides do not allow it. */
const Layout *gpu_box_memory(GpuCx *cx, IrType tile, unsigned swizzle);
/* The memory that reads with fewest conflicts, and the whole is at a multiple of what is swizzled; NULL: TMA cannot move such a tile. */
const Layout *gpu_box_best(GpuCx *cx, IrType tile);
/* The boxes of a tile in this memory, as many as are there where the tile's type says so (gpu_is_cut);
 * false: it is none that TMA fills. */
bool gpu_box_of(GpuCx *cx, IrType tile, const Layout *memory, GpuBox *out);
/* Where box `number` begins: along each dim of the tile, and bytes in the memory. */
uint64_t gpu_box_place(const GpuBox *box, IrType tile, unsigned number, int64_t *at);

/* Can CTAs that share a tile bring parts of it, as many boxes each, or of one box as many rows? */
bool gpu_box_may_share(const GpuBox *box, unsigned ctas);
/* Boxes as they are then. */
void gpu_box_share(GpuBox *box, unsigned ctas);

/* Is it a descriptor that is a map? */
static inline bool gpu_is_map(IrType type)
{
	return type->kind == TY_TENSORDESC && type->elem->encoding;
}
/* The memory of a map's tiles: mutable, of the tile's shape. */
IrType gpu_map_memdesc(GpuCx *cx, IrType map);
const Layout *gpu_map_layout(GpuCx *cx, IrType map);
/* How the launch makes argument `number` of the kernel; false: it is no map. */
bool gpu_map_recipe(GpuCx *cx, const IrOp *func, uint32_t number, TensorMapPlan *out);
/* The argument at which the tensor of map `number` begins; -1: it is no map. */
int64_t gpu_map_base(const GpuCx *cx, const IrOp *func, uint32_t number);
/* Is it a map of what the kernel reaches through pointers, which any store may reach too? */
bool gpu_map_is_of_pointers(const GpuCx *cx, const IrOp *func, uint32_t number);

#endif
