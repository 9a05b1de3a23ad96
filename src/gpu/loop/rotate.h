/* Which products of a loop run one iteration behind the others ("late"): software pipelining of
 * the products, so that the arithmetic between two of them overlaps with tensor core work.
 *
 *	loop i:  s = a * b[i]                 s = a * b[0];  p = f(s)
 *	         p = f(s)               =>    loop i > 0:  s' = a * b[i]               -- in flight
 *	         acc = p * c[i] + acc                      acc = p * c[i - 1] + acc    -- in flight
 *	                                                   p = f(s')               -- awaits s' only
 *	                                      acc = p * c[last] + acc
 *
 * A product may be late when its first operand is computed in registers, in the same iteration,
 * from another product; the second operand is in a ring or loop-invariant; and its result goes to
 * the next iteration only. The operands of the others must not need what late ones accumulate.
 *
 * A model decides whether it pays: the cycles of an iteration on one SM, in order and rotated
 * (GpuLoopCycles). The registers must suffice too. */
#ifndef NESO_GPU_LOOP_ROTATE_H
#define NESO_GPU_LOOP_ROTATE_H

#include "gpu/loop/schedule.h"

/* What threads compute runs beside products of other warp groups, and of their own that are under
 * way, but not all of it: of whichever takes less, so much is hidden by the other. Measured on an
 * H200 (bench/history.md, cycles of loops). */
static inline unsigned gpu_cycles_beside(unsigned units, unsigned threads)
{
	enum { SHOWN_PERCENT = 55 };
	return MAX(units, threads) + MIN(units, threads) * SHOWN_PERCENT / 100;
}

/* Cycles of one iteration of a CTA that has an SM of its own. */
typedef struct GpuLoopCycles {
	unsigned early, late; /* of tensor cores, by products that are not late, and by those that are */
	unsigned shared;      /* of shared memory: what products read of it and copies write */
	unsigned special;     /* of the units for exponentials and the like */
	unsigned issue;       /* of the schedulers: what threads compute */
	unsigned adding;      /* of the L2: what copies add to memory */
	unsigned in_order, rotated;
} GpuLoopCycles;

typedef struct GpuRotation {
	VEC(IrOp *) late;
	unsigned registers, in_order; /* of a thread, estimated: rotated, and as little as will do for the loop as it is */
	GpuLoopCycles cycles;
	RemarkCode rule; /* LOOP_ROTATED; why not; NONE: there are not two such products */
} GpuRotation;

/* s: with all loads decided. What it asks of the rings: that each keeps one slot more. */
void gpu_rotation(GpuCx *gpu, Arena *arena, const IrModule *m, const Schedule *s, GpuRotation *out);
/* Cycles of an iteration of the scheduled loop, rotated or not. */
GpuLoopCycles gpu_loop_cycles(GpuCx *gpu, Arena *arena, const Schedule *s);
/* Cycles that an iteration of so many CTAs on an SM takes. */
unsigned gpu_cycles_of(const GpuLoopCycles *c, bool rotated, unsigned ctas);
/* The model's cycles of a loop of warp groups' products, for `--why`. */
void gpu_cycles_remark(GpuCx *gpu, Arena *arena, const Schedule *s);
/* What became of it, for `--why`. */
void gpu_rotation_remark(GpuCx *gpu, const Schedule *s);

#endif
