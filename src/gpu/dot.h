/* How a tt.dot is computed, read off its types: which matrix instruction, or multiply-adds of each thread, and
 * which of a thread's elements go into each.
 *
 * `accelerate-matmul` chooses the layouts, everything later asks here. wgmma has an op of its own
 * (ttng.warp_group_dot) and is none of these. */
#ifndef NESO_GPU_DOT_H
#define NESO_GPU_DOT_H

#include "gpu/encoding.h"

typedef enum GpuDotKind {
	GPU_DOT_FMA, /* c = fma(a, b, c), or integer multiply and add */
	GPU_DOT_MMA, /* mma.sync: all lanes of a warp together */
} GpuDotKind;

/* Steps in the order in which they are to be issued: neighbours do not depend on one another where that is
 * possible, and each c is added to by ascending steps. Step i takes elements a[i * a_count ...], in the order
 * of the instruction's registers (PTX ISA; several to a 32-bit register from the low bits up), and writes its
 * results to where it took c from. Numbers are indices into the thread's elements of the operand. Where the
 * tile is smaller than the instruction an element stands more than once, and all of them get the same result. */
typedef struct GpuDotPlan {
	GpuDotKind kind;
	const TargetMma *mma; /* NULL for FMA */
	uint32_t steps;
	uint32_t a_count, b_count, c_count;
	const uint32_t *a, *b, *c;
} GpuDotPlan;

/* In the arena; NULL where the operands' layouts do not go with the result's, which no verified module has. */
const GpuDotPlan *gpu_dot_plan(GpuCx *cx, Arena *arena, const IrOp *dot);

/* The instruction that the dot's layouts are made for, NULL for FMA. */
const TargetMma *gpu_dot_mma(GpuCx *cx, const IrOp *dot);

/* The mma.sync for operands of these element types (before any conversion) and tiles of this K; NULL: there is
 * none. */
const TargetMma *gpu_mma_for(const TargetGpu *target, IrType a, IrType b, IrType c, int64_t k,
			     IrPrecision precision);

/* What FMA asks of operand 0 or 1 for a result of this layout: each thread all of K for its rows or columns. */
const Layout *gpu_fma_operand(GpuCx *cx, const Layout *result, unsigned operand, int64_t k);

#endif
