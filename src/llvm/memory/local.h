/* A tile in memory of the CTA: what loads, stores and asynchronous copies share. */
#ifndef NESO_LLVM_MEMORY_LOCAL_H
#define NESO_LLVM_MEMORY_LOCAL_H

#include "layout/plan_parts.h"
#include "llvm/memory/shared.h"

typedef struct LocalTile {
	const Layout *tile, *memory;
	const Layout *address; /* of a register: the offset in the memory */
	LLVMValueRef word;     /* of the thread */
	SharedPlace place;     /* of repetition 0 */
} LocalTile;

/* False after diagnosing. */
bool lower_local_tile(Lower *lw, const IrOp *op, const IrValue *memory, const Layout *tile, LocalTile *out);
SharedPlace lower_local_place(const LocalTile *local, uint32_t rep);
/* What a ttg.local_load gives, read here; NULL after diagnosing. */
LLVMValueRef *lower_local_read(Lower *lw, const IrOp *op);
void lower_local_store(Lower *lw, const LocalTile *local, LLVMValueRef *regs, IrType elem);

#endif
