/* Ops that move data between threads while they compute, as both shared-memory allocation and
 * lowering see them: tt.reduce, tt.scan, tt.gather, tt.histogram. */
#ifndef NESO_GPU_REDUCE_COMBINE_OPS_H
#define NESO_GPU_REDUCE_COMBINE_OPS_H

#include "gpu/memory/memory.h"
#include "gpu/reduce/combine.h"

/* Does the body give the same bits when its two halves of arguments change places? Proven by comparing both as
 * expressions; false where that does not show it. */
bool gpu_region_commutes(const IrRegion *region, Arena *arena);
/* The op of a body that is one op on its two arguments, OP__COUNT otherwise. */
IrOpKind gpu_region_op(const IrRegion *region);
/* Does redux.sync combine the lanes of a warp for this tt.reduce? */
bool gpu_reduces_in_hardware(const GpuCx *cx, const IrOp *reduce);
/* Is this tt.reduce the greatest or smallest of floats of 16 bits, which a thread compares two
 * at a time? What it found goes between lanes and warps as f32. */
bool gpu_reduces_pairs(const GpuCx *cx, const IrOp *op);

GpuReducePlan gpu_reduce_plan(GpuCx *cx, const IrOp *op);
GpuScanPlan gpu_scan_plan(GpuCx *cx, const IrOp *op);

/* The conversions of a plan of tt.reduce or tt.scan, and where in the op's scratch each operand goes. */
typedef struct GpuTrips {
	unsigned count, operands;
	const Layout *from[GPU_SCAN_TRIPS], *to[GPU_SCAN_TRIPS];
	uint64_t *offset; /* [trip * operands + operand], bytes */
	GpuScratch scratch;
} GpuTrips;

GpuTrips gpu_trips(GpuCx *cx, const IrOp *op);

/* How tt.gather gets at elements of its source. Either within the warp: the lane and register of a source element are
 * linear in its coordinates, its register takes one of 2^pick_bits values that depend on the index; or from a
 * row-major copy in shared memory. */
typedef struct GpuGatherPlan {
	bool within_warp;
	unsigned pick_bits;
	uint32_t pick[8];               /* register: what bit i of the choice adds */
	uint32_t index_pick[32];        /* choice: what bit i of the index adds */
	uint32_t index_lane[32];        /* lane: what bit i of the index adds */
	uint32_t lane_lane[8];          /* lane: what the own lane's bits add */
	/* [register of the indices]: the source register, and lane, that its other coordinates give */
	const uint32_t *register_from;
	const uint32_t *register_lane;
} GpuGatherPlan;

GpuGatherPlan gpu_gather_plan(GpuCx *cx, const IrOp *op);

/* A tile that every CTA of a cluster is to hold all of: its layout without a part for the blocks; the conversion to
 * that takes scratch from `offset` on (and a mask's from mask_offset), up to `end`. */
typedef struct GpuSpread {
	const Layout *layout;
	uint64_t offset, mask_offset, end;
} GpuSpread;

GpuSpread gpu_spread(GpuCx *cx, IrType tile);
GpuSpread gpu_spread_histogram(GpuCx *cx, const IrOp *op);
/* The layout as each CTA sees it, who holds an element first: without blocks. */
const Layout *gpu_holders(GpuCx *cx, const Layout *layout);

/* tt.map_elementwise: the layout that it is done in, where a body's neighbours along the last dim are registers that
 * differ by bits[]; where the conversions of operands and then of results work in the op's scratch. */
typedef struct GpuMapPlan {
	const Layout *layout;
	uint32_t pack, bits[5];
	uint64_t *offset;
	GpuScratch scratch;
} GpuMapPlan;

GpuMapPlan gpu_map_plan(GpuCx *cx, const IrOp *op);

#endif
