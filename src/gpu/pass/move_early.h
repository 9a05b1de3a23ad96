/* Ops that begin earlier in their block. */
#ifndef NESO_GPU_PASS_MOVE_EARLY_H
#define NESO_GPU_PASS_MOVE_EARLY_H

#include "ir/ir.h"

/* Moves the op, and what behind `front` its operands are made from, to behind `front`, which
 * stands before it in its block. False, and nothing is moved: that is too much, or not pure. */
bool gpu_move_behind(IrOp *op, IrOp *front);

#endif
