/* Where a loaded value is first needed. */
#ifndef NESO_GPU_ANALYSIS_LATE_H
#define NESO_GPU_ANALYSIS_LATE_H

#include "ir/ir.h"

/* The read of memory whose result the op alone takes, with nothing in between that writes or orders
 * memory; NULL: it is none. */
const IrOp *gpu_late_read(const IrOp *user, const IrValue *held);

/* Does the tile go nowhere but to the next iteration of its loop, each thread's part as it is? */
bool gpu_is_carried_alone(const IrValue *v);

#endif
