/* Reads of shared memory that may be done where their result is used. */
#ifndef NESO_GPU_ANALYSIS_LATE_H
#define NESO_GPU_ANALYSIS_LATE_H

#include "ir/ir.h"

/* The read of memory whose result the op alone takes, with nothing in between that writes or orders
 * memory; NULL: it is none. */
const IrOp *gpu_late_read(const IrOp *user, const IrValue *held);

#endif
