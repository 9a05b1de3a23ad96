/* Between `allocate` and `barriers`: which memory a value may refer to. */
#ifndef NESO_GPU_MEMORY_MEMORY_INT_H
#define NESO_GPU_MEMORY_MEMORY_INT_H

#include "base/map.h"
#include "gpu/analysis/axis.h"
#include "gpu/memory/memory.h"
#include "ir/pass.h"

/* The ttg.local_alloc ops of a function, counted in the order of the text, and for each memdesc or token the set of those
 * that it may be (a token: that copies under way write to). A forward fixpoint through views, tokens and control flow. */
typedef struct GpuAliases {
	const IrOp *func;
	struct GpuAliases *next; /* of the module's next function */
	IrOp **allocs;
	uint32_t count, words;
	uint64_t **sets; /* by value id: `words` words; NULL: none */
} GpuAliases;

/* Of the module's functions with a body, a list; NULL: there are none. */
GpuAliases *gpu_aliases(const IrModule *module, Arena *arena);
/* Do both say the same? */
bool gpu_same_aliases(const IrModule *module, const GpuAliases *a, const GpuAliases *b);
/* What the pass's module has of the function (PassCx.analyses). */
const GpuAliases *gpu_aliases_in(PassCx *cx, const IrOp *func);

static inline bool gpu_may_be(const GpuAliases *aliases, const IrValue *value, uint32_t alloc)
{
	CONTRACT(alloc < aliases->count);
	const uint64_t *set = aliases->sets[value->id];
	return set && (set[alloc / 64] >> (alloc % 64) & 1);
}

/* What accesses of global memory may overtake (global_order.c): every one is compared with many. */
typedef struct GpuAccess {
	const IrValue *root; /* where its pointer begins; NULL: not known, or there is none */
	const IrValue *base; /* likewise, or that of its tensor map (gpu_global_access) */
	bool is_there;	     /* the rest */
	bool tensor, loads, stores;
} GpuAccess;

typedef struct GpuOrder {
	GpuCx *gpu;
	PassCx *cx;
	const uint32_t *start; /* by op id: where it is in the text */
	GpuAccess *accesses; /* by op id, as they are asked for */
	Map copies;	     /* types of pointers: has_copies */
	Map places;	     /* same_place.c */
} GpuOrder;

/* Of a function, for as long as nothing in it changes. */
GpuOrder gpu_order_of(GpuCx *gpu, PassCx *cx, const IrOp *func);

/* A load, a copy, a store, an atomic operation; a call, that may do any. */
bool gpu_is_global(const IrOp *op);
/* Must the threads meet between two of them, so that a load sees what it would if the program were one thread? `carried`: the first
 * one is of an iteration before. */
bool gpu_overtakes(GpuOrder *o, const IrOp *first, const IrOp *then, bool carried);

/* Are the shapes of two tiles equal, but for dims of one element? */
bool gpu_same_elements(IrType a, IrType b);
/* May two tiles of pointers with the same elements be the same, element by element
 * (same_place.c)? `loop`: or the second one's in one of the next iterations of it; NULL: there is
 * none. */
bool gpu_may_be_same_place(GpuOrder *o, const IrValue *a, const IrValue *b, const IrOp *loop);

/* Does the op access global memory, through pointers or through a tensor map? *root: where its pointer begins; NULL: not known. */
bool gpu_global_access(const GpuCx *gpu, const IrOp *op, const IrValue **root);
/* Does it tell other programs what this one has stored? The threads meet before a scalar's
 * release. */
bool gpu_releases(const GpuCx *gpu, const IrOp *op);
/* Does a tensor map look at what threads may have stored before, so that a fence must stand between?
 * told: the author has put a barrier behind the store, which may be to the same tensor by another
 * argument. */
bool gpu_crosses_proxies(const GpuOrder *o, const IrOp *first, const IrOp *then, bool told);

/* The region of the innermost ttg.warp_specialize that holds op, and that op; NULL: none. */
const IrRegion *gpu_own_warps_region(const IrOp *op, const IrOp **specialize);

#endif
