/* Lists of registers: what blocks, calls and functions take and give. */
#ifndef NESO_LLVM_LOWER_REGS_H
#define NESO_LLVM_LOWER_REGS_H

#include "llvm/lower_int.h"

typedef struct Regs {
	LLVMValueRef *data;
	LLVMTypeRef *types;
	uint32_t count;
} Regs;

Regs regs_of_types(Lower *lw, const IrValue *values, uint32_t count);
/* The operands of an op from `first` on. */
Regs regs_of_operands(Lower *lw, const IrOp *op, uint32_t first);
/* Gives the results their parts of a list. */
void regs_give_results(Lower *lw, const IrOp *op, const Regs *r);
void regs_give_args(Lower *lw, const IrBlock *block, uint32_t first, const Regs *r);
/* Phis for as many, and what comes to them from a block. */
Regs regs_phis(Lower *lw, const Regs *like);
void regs_incoming(const Regs *phis, const Regs *values, LLVMBasicBlockRef from);

#endif
