/* Loops with additional carried values. */
#ifndef NESO_GPU_PIPELINE_CARRY_H
#define NESO_GPU_PIPELINE_CARRY_H

#include "ir/ir.h"

/* A value that a loop is to carry besides: `arg` was added to its body's block. */
typedef struct GpuCarried {
	IrValue *arg, *init, *next; /* next: what the yield hands on */
} GpuCarried;

/* The same loop (scf.for) with what it carries besides, in the order of the block's arguments.
 * Takes the place of `loop`, which is erased; its body's block is the old one. */
IrOp *gpu_carry(IrModule *m, Arena *scratch, IrOp *loop, const GpuCarried *more, uint32_t count);

#endif
