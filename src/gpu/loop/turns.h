/* In which loops warp groups issue products in turns.
 *
 * An SM issues the instructions of a product only as fast as tensor cores take them, and what a
 * warp group computes runs beside products of other groups. So they must not be in step: while one
 * computes, the other is to issue.
 *
 *	products of the first iteration, that stand in front of the loop: in turns likewise
 *	loop i:  take the turn              -- the first group's begins in front of all
 *	         products                   -- issued
 *	         pass the turn on           -- the next group issues its products
 *	         what threads compute
 *	take the turn; pass it on; no other round begins
 *
 * Where what threads compute stands between products of an iteration, the turn goes from those
 * behind it to those in front of it in the next iteration:
 *
 *	take the turn
 *	loop i:  products a                 -- issued
 *	         pass the turn on
 *	         what threads compute
 *	         take the turn
 *	         products b                 -- issued
 *	pass the turn on; no other round begins
 *
 * All groups do the same number of iterations, so each has its turn in each round, and the last
 * round ends with all barriers as they were found. Who has the turn waits for nobody who waits for
 * it: it meets no other warps, and what it waits for of copies is on its way without them. */
#ifndef NESO_GPU_LOOP_TURNS_H
#define NESO_GPU_LOOP_TURNS_H

#include "gpu/gpu.h"

typedef struct GpuTurns {
	IrOp *take, *pass; /* the products in front of, and behind which; NULL: no turns */
	bool around;	   /* `pass` stands in front of `take`: the turn goes into the next iteration */
	unsigned groups, products;
} GpuTurns;

/* May who has the turn do it? Nothing that waits for other warp groups, and little in all. */
bool gpu_is_light(const GpuCx *gpu, const IrOp *op);
/* loop: with its barriers in place. */
void gpu_turns(GpuCx *gpu, IrOp *loop, GpuTurns *out);

#endif
