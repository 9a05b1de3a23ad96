/* Inside `barriers`: pending accesses (barrier_state.c), the accesses of an op
 * (barrier_effects.c), barriers that are left out (barrier_trials.c). */
#ifndef NESO_GPU_MEMORY_BARRIERS_INT_H
#define NESO_GPU_MEMORY_BARRIERS_INT_H

#include "base/vec.h"
#include "gpu/gpu.h"
#include "gpu/memory/memory_int.h"

/* Bytes [lo, hi). */
typedef struct GpuBytes {
	uint64_t lo, hi;
} GpuBytes;

typedef VEC(GpuBytes) GpuSpans; /* apart and in order */

/* An op whose warps, or threads, use their bytes each alone. */
typedef struct GpuOwnWarp {
	const IrOp *op;
	const void *plan; /* by which, or the memory; NULL: its own */
	GpuBytes span;
} GpuOwnWarp;

/* A load or store of global memory. */
typedef struct GpuPendingGlobal {
	const IrOp *op;
	bool carried; /* by a loop, from an iteration before */
	bool told;    /* a store: behind it all threads have met by a barrier of the author's */
} GpuPendingGlobal;

/* Sets: in the order of the ops' ids. */
typedef VEC(GpuOwnWarp) GpuOwnWarps;
typedef VEC(GpuPendingGlobal) GpuPendingGlobals;

typedef struct GpuPending {
	GpuSpans written, read, under_way;
	GpuSpans unfenced; /* written, and not fenced for products */
	GpuSpans products; /* read by products that are under way */
	GpuOwnWarps own;
	GpuPendingGlobals globals;
	GpuPendingGlobals stores; /* of threads, not fenced for tensor maps */
} GpuPending;

bool gpu_spans_touch(const GpuSpans *s, GpuBytes x);
void gpu_spans_add(Arena *arena, GpuSpans *s, GpuBytes x);
void gpu_spans_join(Arena *arena, GpuSpans *to, const GpuSpans *from);

void gpu_pending_add_own(Arena *arena, GpuPending *s, GpuOwnWarp own);
void gpu_pending_add_global(Arena *arena, GpuPending *s, GpuPendingGlobal global);
void gpu_pending_add_store(Arena *arena, GpuPending *s, const IrOp *op, bool told);
void gpu_pending_join(Arena *arena, GpuPending *to, const GpuPending *from);
GpuPending gpu_pending_copy(Arena *arena, const GpuPending *from);
bool gpu_pending_equal(const GpuPending *a, const GpuPending *b);
/* All threads meet. */
void gpu_pending_meet(GpuPending *s);

typedef struct GpuTouch {
	GpuBytes span;
	bool write, under_way;
	bool free_slot; /* of a buffer that nothing has read since the last wait: such reads are pending, but of other bytes */
} GpuTouch;

typedef struct GpuEffects {
	VEC(GpuTouch) touches;
	bool scratch, own_warp;
	GpuBytes scratch_span;
	const void *plan; /* as of GpuOwnWarp */
	bool meets; /* all threads meet inside */
	bool product, async; /* async: goes on behind the op */
	bool tensor;         /* a copy by a tensor map */
	bool counted;        /* a copy whose readers wait for it by a barrier in memory */
} GpuEffects;

enum { GPU_FENCE_SHARED = 1, GPU_FENCE_GLOBAL = 2 };

typedef struct GpuFenceChange {
	uint32_t op; /* its id */
	uint8_t was;
} GpuFenceChange;

typedef struct GpuBarriers {
	PassCx *cx;
	GpuCx *gpu;
	Arena *arena;
	const GpuAliases *aliases;
	GpuEffects **effects; /* by op id; NULL: not asked for yet */
	bool *marked;  /* by op id: a barrier before it */
	uint8_t *fenced; /* likewise: with fences in front of it */
	VEC(GpuFenceChange) changes; /* of `fenced`, by walks */
	GpuSpans of_products; /* bytes that products and copies by tensor maps touch, anywhere */
	bool tensors;      /* there are copies by tensor maps */
	GpuOrder order;
	bool checking; /* nothing is marked; a hazard is only seen */
	bool fences_stay; /* none is added */
	bool hazard, grew;
} GpuBarriers;

const GpuEffects *gpu_effects_of(GpuBarriers *w, const IrOp *op);

/* The walk: *s is in front of the op or region, and then behind it. With `checking` it may end
 * where a hazard is seen. */
void gpu_barriers_walk_op(GpuBarriers *w, const IrOp *op, GpuPending *s);
void gpu_barriers_walk_region(GpuBarriers *w, const IrRegion *region, GpuPending *s);
/* Of a loop; returns what is pending at the head of its body, or test, in any iteration. */
GpuPending gpu_barriers_head(GpuBarriers *w, const IrOp *loop, GpuPending *s);

/* Of the ops that are marked, in the order of the text; w->hazard says whether the last walk of the
 * function saw one. Unmarks those whose barrier is needless. */
void gpu_barriers_leave_out(GpuBarriers *w, const IrOp *func, const GpuPending *entry, IrOp *const *ops,
			    uint32_t count);
/* Likewise fences of shared memory that a later one makes needless: it waits for all loads under
 * way. */
void gpu_barriers_leave_out_fences(GpuBarriers *w, const IrOp *func, const GpuPending *entry,
				   IrOp *const *ops, uint32_t count);

#endif
