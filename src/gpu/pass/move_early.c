#include "gpu/pass/move_early.h"

enum { MOST_MOVED = 32 };

static bool is_taken(IrOp *const *ops, uint32_t count, const IrOp *op)
{
	for (uint32_t r = 0; r < op->result_count; r++)
		for (const IrUse *u = op->results[r].uses; u; u = u->next)
			for (uint32_t i = 0; i < count; i++)
				if (u->owner == ops[i])
					return true;
	return false;
}

bool gpu_move_behind(IrOp *op, IrOp *front)
{
	CONTRACT(op->block == front->block);
	IrOp *moved[MOST_MOVED] = {op};
	uint32_t count = 1;
	for (IrOp *at = op->prev; at != front; at = at->prev) {
		if (!is_taken(moved, count, at))
			continue;
		if (count == MOST_MOVED || !ir_is_pure(at) || at->region_count || at->kind == OP_DOT)
			return false;
		moved[count++] = at;
	}
	for (uint32_t i = count; i-- > 0; front = moved[i]) {
		ir_op_unlink(moved[i]);
		ir_op_insert_after(moved[i], front);
	}
	return true;
}
