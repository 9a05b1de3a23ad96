/* How a ttng.warp_group_dot is computed, derived from its types: which wgmma instruction, which of
 * a thread's elements go into each, and the matrix descriptors of operands in shared memory.
 *
 * A memory layout is usable if it is one that the instruction knows: patterns of 8 rows of 128,
 * 64, 32 or 16 bytes, with 16-byte chunks XORed with the row (except for 16-byte rows), repeated
 * at two strides. It is recognised by comparing linear maps, whatever constructed it. */
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
	uint32_t tiles, steps, c_count, a_count; /* no steps or columns of padding (neso.used_k, used_n) */
	const uint32_t *c, *a; /* a: NULL where A is in memory */
	unsigned warp_bits;
	GpuWgmmaMemory memory[2];
} GpuWgmmaPlan;

/* In the arena; NULL where types or layouts do not go together, and *why says what. */
const GpuWgmmaPlan *gpu_wgmma_plan(GpuCx *cx, Arena *arena, const IrOp *dot, const char **why);

/* The instruction for a tt.dot, turned round where `swapped`, and the warps along each dim of what it is then; NULL: mma.sync it is, and *why says what stands against it, or is
 * NULL where the types have no wgmma. */
const TargetMma *gpu_wgmma_for(GpuCx *cx, const IrOp *dot, bool swapped, unsigned *warps, const char **why);

/* Can a tt.dot take operand 0 (swapped: 1), of words or bytes that lie across K, from registers?
 * Not bytes of chained dots, whose results stay as they are, nor where one instruction takes all of
 * K, so that nothing runs beside the reading. */
bool gpu_wgmma_reads_across(GpuCx *cx, const IrOp *dot, bool swapped);

/* The layout of memory for an operand of this shape, elements of so many bits along `dim` neighbours. */
const Layout *gpu_wgmma_memory(GpuCx *cx, const int64_t *shape, unsigned bits, unsigned dim);

/* The layout of A in registers, or of the result, with other rows along `dim`: those that a warp reads from memory at once, where rows are neighbours,
 * lie in different banks of what TMA has swizzled by 128 bytes: a thread takes pairs of rows, and lanes those of two 64-byte halves of a line. */
const Layout *gpu_wgmma_scattered(GpuCx *cx, const Layout *l, unsigned dim);

/* The ttg.local_load that fills the product's operand in registers and nothing else, with no write
 * between: parts of it are read one after the other, while the product of the part before is under
 * way. NULL: there is none. */
const IrOp *gpu_wgmma_late_read(GpuCx *cx, const IrOp *dot);
/* Is that possible with elements of this type? */
bool gpu_wgmma_may_read_late(GpuCx *cx, const IrOp *dot, IrType elem);
/* Are parts of K added up by the threads (max_num_imprecise_acc)? */
bool gpu_wgmma_adds_parts(GpuCx *cx, const IrOp *dot);
/* In how many parts that is: the tiles, or parts of their steps, which are a power of two. */
uint32_t gpu_wgmma_late_parts(const GpuWgmmaPlan *plan);

/* Do products of these elements want operands whose neighbours lie along K? */
static inline bool gpu_wgmma_wants_k_first(IrType elem)
{
	return elem->bits != 16;
}

#endif
