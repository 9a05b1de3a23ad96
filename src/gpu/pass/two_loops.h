/* A loop that is there twice, of which a condition in front chooses one. */
#ifndef NESO_GPU_PASS_TWO_LOOPS_H
#define NESO_GPU_PASS_TWO_LOOPS_H

#include "gpu/gpu.h"

/* The copy runs where `when` (i1, in front of the loop) holds, else the loop as it was; both are in
 * an scf.if with the loop's results, which its users take. Returns the copy. */
IrOp *gpu_two_loops(PassCx *cx, IrOp *loop, IrValue *when);
/* Takes it back: the loop stands where the scf.if was. */
void gpu_one_loop(IrOp *loop);

#endif
