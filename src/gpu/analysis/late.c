#include "gpu/analysis/late.h"

const IrOp *gpu_late_read(const IrOp *user, const IrValue *held)
{
	const IrOp *read = ir_is_tensor(held->type) ? held->def : NULL;
	if (!read || read->kind != OP_LOCAL_LOAD || read->block != user->block || !ir_has_one_use(held))
		return NULL;
	for (const IrOp *op = read->next; op != user; op = op->next)
		if (!op || ir_has_trait(op, TRAIT_WRITE | TRAIT_SYNC) || op->region_count)
			return NULL;
	return read;
}
