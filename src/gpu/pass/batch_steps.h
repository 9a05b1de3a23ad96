/* Unrolling of loops with small steps (batch_steps.c). */
#ifndef NESO_GPU_PASS_BATCH_STEPS_H
#define NESO_GPU_PASS_BATCH_STEPS_H

#include "gpu/gpu.h"

/* Would several steps of the loop be done at once, if no store in it reached what it loads? Of
 * TTGIR with its final layouts. */
bool gpu_has_steps(PassCx *cx, IrOp *loop);

#endif
