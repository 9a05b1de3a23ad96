/* Shared memory: what an op needs, where it lies, and where threads must wait.
 *
 *	allocate   gives every ttg.local_alloc, and every op that works through shared memory (a
 *	           conversion, a reduction across warps, ...), an offset by liveness: attribute
 *	           allocation.offset (i32, bytes); the module gets ttg.shared. Ops of different
 *	           warp-specialised regions never share bytes
 *	barriers   inserts gpu.barrier where a write and another access of the same bytes may meet,
 *	           from these intervals and the effects of ops, and where accesses of global memory
 *	           may be reordered (global_order.c); never elsewhere. Barriers inside an op's own
 *	           lowering count */
#ifndef NESO_GPU_MEMORY_MEMORY_H
#define NESO_GPU_MEMORY_MEMORY_H

#include "gpu/layout/encoding.h"

/* Bytes of shared memory that the lowering of an op works in, besides its operands and results; 0: none. The
 * lowering plans by the same functions, so that both agree.
 *
 * What `barriers` relies on: a lowering's first access of its scratch is a write; between its writes and its reads all
 * threads of the region meet (lower_barrier), so whatever came before the op is done by then; after its last
 * barrier it only reads. With own_warp no byte is touched by two warps, and the lowering has no
 * barrier but those of the warp, one of them before its first access. */
typedef struct GpuScratch {
	uint64_t bytes;
	unsigned align; /* a power of two; 0 counts as 16 */
	bool own_warp;
} GpuScratch;

/* The scratch of a ttg.warp_specialize: the number of the op that begins, then each operand. It is
 * nobody else's as long as the function runs. */
enum { GPU_CAPTURE_BYTES = 8 };

/* Of any op: asks what the column `scratch` of ops.def names. */
GpuScratch gpu_scratch(GpuCx *cx, const IrOp *op);
typedef GpuScratch GpuScratchFn(GpuCx *cx, const IrOp *op);
#define TILES(layout, cost, scratch, axis, range) GpuScratchFn gpu_scratch_##scratch;
#define OP(name, text, levels, takes, gives, regions, traits, type, format, attrs, rules, tiles, doc) tiles
#include "ir/ops.def"
#undef OP
#undef TILES
/* ttg.convert_layout, and any other conversion that a lowering does by lower_convert. */
GpuScratch gpu_convert_scratch(GpuCx *cx, const Layout *from, const Layout *to, IrType elem);

/* The plan by which lower_convert converts; and one that goes through shared memory in any case. */
const LayoutPlan *gpu_convert_plan(GpuCx *cx, const Layout *from, const Layout *to, IrType elem);
const LayoutPlan *gpu_convert_plan_shared(GpuCx *cx, const Layout *from, const Layout *to, IrType elem);

/* Offset that `allocate` gave to an op's scratch or to the memory of a ttg.local_alloc. */
uint64_t gpu_shared_offset(const GpuCx *cx, const IrOp *op);
/* Bytes of a memdesc type: all of its elements, with the holes of its layout. */
uint64_t gpu_memdesc_bytes(GpuCx *cx, IrType memdesc);

/* The argument of the kernel, or the pointer that was loaded, at which what an access of
 * global memory reaches begins; NULL: not known. Different ones are different arrays
 * (global_order.c). */
const IrValue *gpu_access_base(const GpuCx *cx, const IrOp *op);

#endif
