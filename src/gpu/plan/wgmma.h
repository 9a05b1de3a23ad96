/* How a ttng.warp_group_dot is computed, read off its types: which wgmma, which of a thread's elements go into each, and
 * how descriptors say where operands lie in shared memory.
 *
 * Any layout of memory will do that is one of those that the instruction knows: 8 rows of 128, 64, 32 or 16 bytes make a
 * pattern, 16-byte parts are XORed with the row but in that of 16, patterns follow one another at two distances. Found
 * by comparing maps, whatever they were made as. */
#ifndef NESO_GPU_PLAN_WGMMA_H
#define NESO_GPU_PLAN_WGMMA_H

#include "gpu/layout/encoding.h"
#include "target/mma.h"

/* An operand in shared memory. Rows are those of A, or the columns of B. */
typedef struct GpuWgmmaMemory {
	unsigned swizzle; /* bytes of a row of the pattern; 0: 16, without a swizzle */
	bool rows_first;  /* along rows elements are neighbours, not along K */
	uint32_t leading, stride; /* bytes, as descriptors have them */
	/* Bytes from the start: of instruction (tile, step), [tile * steps + step], and what each bit of the warp adds. */
	const uint32_t *at;
	uint64_t warp[8];
} GpuWgmmaMemory;

/* There are tiles * steps instructions; those of a tile add to the same accumulators, by ascending steps. The thread's
 * accumulators of tile i are the elements c[i * c_count ...] of its part of the result; A in registers is the
 * elements a[(i * steps + step) * a_count ...], both in the order of the instruction's registers. */
typedef struct GpuWgmmaPlan {
	const TargetMma *mma;
	bool swapped; /* it is the product of both operands turned round, of operand 1 by operand 0: A and B are these */
	unsigned n;
	uint32_t tiles, steps, c_count, a_count;
	const uint32_t *c, *a; /* a: NULL where A is in memory */
	unsigned warp_bits;
	GpuWgmmaMemory memory[2];
} GpuWgmmaPlan;

/* In the arena; NULL where types or layouts do not go together, and *why says what. */
const GpuWgmmaPlan *gpu_wgmma_plan(GpuCx *cx, Arena *arena, const IrOp *dot, const char **why);

/* The instruction for a tt.dot, turned round where `swapped`, and the warps along each dim of what it is then; NULL: mma.sync it is, and *why says what stands against it, or is
 * NULL where the types have no wgmma. */
const TargetMma *gpu_wgmma_for(GpuCx *cx, const IrOp *dot, bool swapped, unsigned *warps, const char **why);

/* The layout of memory for an operand of this shape, elements of so many bits along `dim` neighbours. */
const Layout *gpu_wgmma_memory(GpuCx *cx, const int64_t *shape, unsigned bits, unsigned dim);

/* Do products of these elements want operands whose neighbours lie along K? */
static inline bool gpu_wgmma_wants_k_first(IrType elem)
{
	return elem->bits != 16;
}

#endif
