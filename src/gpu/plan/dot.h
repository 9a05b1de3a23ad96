/* How a tt.dot is computed, read off its types: which matrix instruction, or multiply-adds of each thread, and
 * which of a thread's elements go into each.
 *
 * `accelerate-matmul` chooses the layouts, everything later asks here. wgmma has an op of its own
 * (ttng.warp_group_dot, gpu/plan/wgmma.h) and is none of these. */
#ifndef NESO_GPU_PLAN_DOT_H
#define NESO_GPU_PLAN_DOT_H

#include "gpu/layout/encoding.h"
#include "layout/plan.h"
#include "target/mma.h"

typedef enum GpuDotKind {
	GPU_DOT_FMA,    /* c = fma(a, b, c), or integer multiply and add */
	GPU_DOT_SHARED, /* the same in a loop along K: each round takes some from shared memory */
	GPU_DOT_MMA,    /* mma.sync: all lanes of a warp together */
} GpuDotKind;

/* An operand of GPU_DOT_SHARED. It comes in any layout and lies where the trip from there to its users is cheapest
 * (layout/plan.h). Offsets are in elements from `place`; those of round i are XORed with those of round_offset[] over
 * the bits of i, which leaves vectors whole. */
typedef struct GpuDotMemory {
	uint64_t place, bytes;  /* within the op's scratch */
	LayoutAccess store;     /* of the operand's registers */
	LayoutAccess load;      /* of the fragment's, in round 0 */
	const Layout *fragment; /* what a thread holds in a round: K is k_step */
	const uint32_t *copies; /* for each register of the fragment the one that is loaded */
	const IrOp *read;       /* it lies where this op reads it; NULL: in the op's scratch */
	uint64_t round_offset[32];
} GpuDotMemory;

/* Steps in the order in which they are to be issued: neighbours do not depend on one another where that is
 * possible, and each c is added to by ascending steps. Step i takes elements a[i * a_count ...], in the order
 * of the instruction's registers (PTX ISA; several to a 32-bit register from the low bits up), and writes its
 * results to where it took c from. Numbers are indices into the thread's elements of the operand. Where the
 * tile is smaller than the instruction an element stands more than once, and all of them get the same result.
 *
 * Of GPU_DOT_SHARED these are the steps of one round, which takes k_step of K; elements of a and b are those of the
 * fragments. There are 2^round_bits rounds, in order. */
typedef struct GpuDotPlan {
	GpuDotKind kind;
	const TargetMma *mma; /* NULL for FMA */
	uint32_t steps;
	uint32_t a_count, b_count, c_count;
	const uint32_t *a, *b, *c;
	uint32_t k_step; /* of K, that the steps take: all but for GPU_DOT_SHARED */
	/* Of GPU_DOT_MMA: elements of the result in columns that nobody sees (neso.used_n). No step
	 * writes them. There are no steps of padding along K either (neso.used_k). */
	const uint32_t *unseen;
	uint32_t unseen_count;
	unsigned round_bits;
	const GpuDotMemory *memory; /* of a and of b; NULL for others */
} GpuDotPlan;

/* In the arena; NULL where the operands' layouts do not go with the result's, which no verified module has. */
const GpuDotPlan *gpu_dot_plan(GpuCx *cx, Arena *arena, const IrOp *dot);

/* The product of operands of these element types by an instruction, of its own N. */
TargetProduct gpu_product_of(const TargetMma *mma, IrType b);

/* The instruction that the dot's layouts are made for, NULL for FMA. */
const TargetMma *gpu_dot_mma(GpuCx *cx, const IrOp *dot);

/* The mma.sync for operands of these element types (before any conversion) and tiles of this K; NULL: there is
 * none. */
const TargetMma *gpu_mma_for(const TargetGpu *target, IrType a, IrType b, IrType c, int64_t k,
			     IrPrecision precision);

/* The wgmma of these element types; NULL: the target has none. */
const TargetMma *gpu_wgmma_of_types(const TargetGpu *target, IrType a, IrType b, IrType c, IrPrecision precision);

/* Bytes of shared memory that it works in; 0: none. */
uint64_t gpu_dot_scratch(GpuCx *cx, const IrOp *dot);

/* Is there a tt.dot inside the op? */
bool gpu_holds_dot(IrOp *op);

/* May operand 0 or 1 come in any layout? */
bool gpu_dot_takes_any(GpuCx *cx, const IrOp *dot);

/* Are both operands taken from where they lie in memory, round by round? Their reads hold nothing
 * then. */
bool gpu_dot_reads_in_place(GpuCx *cx, const IrOp *dot);

/* Are operands from shared memory possible for these layouts of the result and the operands? Not for tiles that are
 * split among CTAs, nor for sizes that are no powers of two. */
bool gpu_dot_shared_fits(const Layout *c, const Layout *a, const Layout *b);

/* What FMA asks of operand 0 or 1 for a result of this layout: each thread all of K for its rows or columns. */
const Layout *gpu_fma_operand(GpuCx *cx, const Layout *result, unsigned operand, int64_t k);

#endif
