#include "gpu/analysis/late.h"

const IrOp *gpu_late_read(const IrOp *user, const IrValue *held)
{
	const IrOp *read = ir_is_tensor(held->type) ? held->def : NULL;
	if (!read || read->kind != OP_LOCAL_LOAD || read->block != user->block || !ir_has_one_use(held))
		return NULL;
	for (const IrOp *op = read->next; op != user; op = op->next) {
		/* Loads through maps become copies that are waited for (tensor-copies). */
		bool waits = op && (op->kind == OP_DESC_LOAD || op->kind == OP_DESC_GATHER);
		if (!op || waits || ir_has_trait(op, TRAIT_WRITE | TRAIT_SYNC) || op->region_count)
			return NULL;
	}
	return read;
}

bool gpu_is_carried_alone(const IrValue *v)
{
	for (const IrUse *u = v->uses; u; u = u->next) {
		const IrOp *op = u->owner;
		bool same = op->kind == OP_EXPAND_DIMS || op->kind == OP_RESHAPE || op->kind == OP_TRANS;
		bool here = same && op->block == v->def->block;
		if (op->kind != OP_YIELD && !(here && gpu_is_carried_alone(&op->results[0])))
			return false;
	}
	return v->uses;
}
