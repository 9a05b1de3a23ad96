/* Inside the core of lowering: what lower.c, lower/thread.c, lower/function.c and codegen/to_ptx.c share. Hooks of ops need
 * llvm/lower.h and llvm/machine.h alone. */
#ifndef NESO_LLVM_LOWER_INT_H
#define NESO_LLVM_LOWER_INT_H

#include "llvm/lower.h"
#include "llvm/machine.h"

/* Types and the table of values; cx, module, arena are set. */
void lower_init(Lower *lw);
/* Where predictions are asked for: hints of the source as assumptions (promise.c). */
void lower_promises(Lower *lw, const IrOp *op);

/* All functions of the module. False after diagnosing. */
bool lower_module(Lower *lw);
bool lower_is_kernel(const Lower *lw, const IrOp *func);

/* Of lw->func, whose body starts where the builder is: sets lw->roles where it has
 * ttg.warp_specialize. Then, where it returns. */
void lower_roles_begin(Lower *lw);
void lower_roles_return(Lower *lw);
/* i1, in the entry block: this warp begins at lw->roles->begin; NULL: there are no such warps. */
LLVMValueRef lower_roles_other(Lower *lw);
/* Registers of each thread when the kernel starts; 0: as the assembler likes. */
unsigned lower_roles_registers(const Lower *lw, const IrOp *func);

/* Does it for an scf.if that is a chain of comparisons of one number with constants, each with a
 * constant result (lower/table.c); false: it is none. */
bool lower_as_table(Lower *lw, IrOp *op);

/* Line tables, where lw->line_info asks for them (lower/line.c). */
void lower_line_begin(Lower *lw);    /* of the module */
void lower_line_function(Lower *lw); /* of lw->fn */
void lower_line_end(Lower *lw);

/* Ids of the function lw->func from here on are built in its entry block. */
void lower_thread_begin(Lower *lw, LLVMBasicBlockRef entry);

#endif
