/* Between `allocate` and `barriers`: which memory a value may stand for. */
#ifndef NESO_GPU_MEMORY_INT_H
#define NESO_GPU_MEMORY_INT_H

#include "gpu/memory.h"

/* The ttg.local_alloc ops of a function, counted in the order of the text, and for each memdesc or token the set of those
 * that it may be (a token: that copies under way write to). A forward fixpoint through views, tokens and control flow. */
typedef struct GpuAliases {
	IrOp **allocs;
	uint32_t count, words;
	uint64_t **sets; /* by value id: `words` words; NULL: none */
} GpuAliases;

GpuAliases gpu_aliases(const IrModule *module, const IrOp *func, Arena *arena);

static inline bool gpu_may_be(const GpuAliases *aliases, const IrValue *value, uint32_t alloc)
{
	const uint64_t *set = aliases->sets[value->id];
	return set && (set[alloc / 64] >> (alloc % 64) & 1);
}

/* The region of the innermost ttg.warp_specialize that holds op, and that op; NULL: none. */
const IrRegion *gpu_own_warps_region(const IrOp *op, const IrOp **specialize);

#endif
