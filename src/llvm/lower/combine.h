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
	IrType elem; /* of the first operand */
	bool magnitudes; /* the operand's registers are numbers whose magnitudes are combined */
	GpuEngine engine;
} Combine;

/* Does lower_fold_pairs do what of this op is within a thread (GpuEngine.fold)? */
bool lower_folds_pairs(const Lower *lw, const IrOp *op);
void lower_fold_pairs(void *data, void **values, const uint32_t *term, uint32_t terms, uint32_t results, void **out);

/* The operands' registers, values[operand][register]. */
void ***lower_combine_begin(Combine *c, Lower *lw, IrOp *op);
/* Sets the op's results to values. */
void lower_combine_end(Combine *c, void ***values);

#endif
