/* Chained dots, whose results are operands of other dots, as in attention. */
#include "gpu/plan/chain.h"

enum { MOST_STEPS = 12 };

bool gpu_keeps_elements(const IrOp *op)
{
	bool assembly = op->kind == OP_INLINE_ASM && op->result_count == 1 && ir_is_pure(op);
	return ir_has_trait(op, TRAIT_ELEM) || op->kind == OP_CONVERT_LAYOUT || assembly;
}

/* Does the value reach the first operand of a dot, through ops that keep elements in place? */
static bool feeds_dot(const IrValue *v, unsigned depth)
{
	for (const IrUse *u = v->uses; u; u = u->next) {
		if (u->owner->kind == OP_DOT && u == &u->owner->operands[0])
			return true;
		if (depth && gpu_keeps_elements(u->owner) && u->owner->result_count == 1 &&
		    feeds_dot(&u->owner->results[0], depth - 1))
			return true;
	}
	return false;
}

static bool comes_from_dot(const IrValue *v, unsigned depth)
{
	const IrOp *op = v->def;
	if (!op || depth == 0)
		return false;
	if (op->kind == OP_DOT || op->kind == OP_WARP_GROUP_DOT)
		return true;
	for (uint32_t i = 0; i < op->operand_count && gpu_keeps_elements(op); i++)
		if (comes_from_dot(ir_operand(op, i), depth - 1))
			return true;
	return false;
}

bool gpu_comes_from_dot(const IrValue *v)
{
	return comes_from_dot(v, MOST_STEPS);
}

bool gpu_dot_is_chained(const IrOp *dot)
{
	return feeds_dot(&dot->results[0], MOST_STEPS) || gpu_comes_from_dot(ir_operand(dot, 0));
}
