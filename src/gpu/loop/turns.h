/* Ping-pong scheduling: loops in which warpgroups issue their products in turns.
 *
 * An SM issues the instructions of a product only as fast as tensor cores take them, and the
 * arithmetic of one warpgroup runs beside the products of others. So they must not be in step:
 * while one computes, another should issue.
 *
 *	products of the first iteration, in front of the loop: in turns likewise
 *	loop i:  take the turn              -- the first warpgroup has it at the start
 *	         products                   -- issued
 *	         pass the turn on           -- the next warpgroup issues its products
 *	         arithmetic of the threads
 *	take the turn; pass it on; no other round begins
 *
 * Where the arithmetic stands between products of an iteration, the turn lasts from those behind
 * it to those in front of it in the next iteration:
 *
 *	take the turn
 *	loop i:  products a                 -- issued
 *	         pass the turn on
 *	         arithmetic of the threads
 *	         take the turn
 *	         products b                 -- issued
 *	pass the turn on; no other round begins
 *
 * All warpgroups do the same number of iterations, so each has its turn in each round, and the
 * last round leaves all barriers as they were found. There is no deadlock: the one that has the
 * turn does not synchronise with other warps, and the copies that it waits for arrive without
 * them. */
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
