/* The engine (gpu/reduce/combine.h) that builds instructions, for tt.reduce and tt.scan. */
#ifndef NESO_LLVM_LOWER_COMBINE_H
#define NESO_LLVM_LOWER_COMBINE_H

#include "gpu/reduce/combine_ops.h"
#include "llvm/lower.h"

typedef struct Combine {
	Lower *lw;
	IrOp *op;
	GpuTrips trips;
	LLVMValueRef word; /* of the thread */
	bool products; /* the operand's registers are products, to be fused with the sums */
	GpuEngine engine;
} Combine;

/* The operands' registers, values[operand][register]. */
void ***lower_combine_begin(Combine *c, Lower *lw, IrOp *op);
/* Sets the op's results to values. */
void lower_combine_end(Combine *c, void ***values);

#endif
