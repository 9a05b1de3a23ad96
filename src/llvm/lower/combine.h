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
	bool pairs; /* the operand's registers are to be compared two at a time */
	bool magnitudes; /* by their magnitudes */
	bool wide; /* these were, and what was found is f32 */
	GpuEngine engine;
} Combine;

/* GpuEngine.fold, the first time, of what gpu_reduces_pairs. */
LLVMValueRef lower_extreme(Combine *c, LLVMValueRef a, LLVMValueRef b); /* of two f32 then */
bool lower_fold_pairs(void *data, void **values, const uint32_t *term, uint32_t terms, uint32_t results,
		      void **out);

/* The operands' registers, values[operand][register]. */
void ***lower_combine_begin(Combine *c, Lower *lw, IrOp *op);
/* Sets the op's results to values. */
void lower_combine_end(Combine *c, void ***values);

#endif
