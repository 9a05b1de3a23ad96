/* Which products of a loop are done an iteration later than the others ("late"), so that what stands between the two runs while
 * products are under way.
 *
 *	loop i:  s = a * b[i]                  s = a * b[0];  p = f(s)
 *	         p = f(s)                =>    loop i > 0:  s' = a * b[i]                      -- under way
 *	         acc = p * c[i] + acc                       acc = p * c[i - 1] + acc           -- under way
 *	                                                    p = f(s')                          -- waits for s' alone
 *	                                       acc = p * c[last] + acc
 *
 * A product may be late when its first operand is computed in the iteration from another product, in registers; the second one lies
 * in a ring or was there in front of the loop; and its result goes to the next iteration alone. The others must not need, in their
 * operands, what late ones have added up.
 *
 * Whether it pays is asked of a model: an iteration's cycles on one SM, in order and rotated (GpuLoopCycles); and the registers
 * must do. */
#ifndef NESO_GPU_LOOP_ROTATE_H
#define NESO_GPU_LOOP_ROTATE_H

#include "gpu/loop/schedule.h"

/* What threads compute runs beside products of other warp groups, and of their own that are under
 * way, but not all of it: of whichever takes less, so much is hidden by the other. Measured on an
 * H200 (bench/NOTES.md, cycles of loops). */
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
