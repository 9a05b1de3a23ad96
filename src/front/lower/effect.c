/* What ops do besides making values, as far as the front end has made them: functions that are called count with what
 * they do. */
#include "front/core.h"

/* Ops that are looked at for one question: a call chain that doubles at each step would have no end. */
enum { MAX_OPS = 20000 };

typedef struct Effects {
	const IrModule *m;
	uint32_t ops;
} Effects;

static IrEffect of_ops(Effects *fx, const IrOp *from);

static IrEffect of_regions(Effects *fx, const IrOp *op)
{
	IrEffect most = EFFECT_NONE;
	for (uint32_t r = 0; r < op->region_count && most != EFFECT_WRITE; r++)
		for (const IrBlock *b = op->regions[r].first; b && most != EFFECT_WRITE; b = b->next)
			most = MAX(most, of_ops(fx, b->first));
	return most;
}

/* Division by a constant that is neither 0 nor -1 is defined whatever is divided. */
static bool divides_safely(const IrOp *op)
{
	if (!ir_has_trait(op, TRAIT_NOFX) || op->operand_count != 2)
		return false;
	IrAttr by = ir_constant_of(ir_operand(op, 1));
	return by && by->kind == ATTR_KIND_INT && by->i != 0 && by->i != -1;
}

static IrEffect of_op(Effects *fx, const IrOp *op)
{
	if (++fx->ops > MAX_OPS)
		return EFFECT_WRITE;
	if (ir_has_trait(op, TRAIT_TERM) || ir_is_pure(op) || divides_safely(op))
		return EFFECT_NONE;
	if (op->kind == OP_CALL) {
		IrAttr callee = ir_get(op, fx->m->cx, ATTR_CALLEE);
		const IrOp *func = callee ? ir_find_func(fx->m, callee->text) : NULL;
		return func && func->regions[0].first ? of_regions(fx, func) : EFFECT_WRITE;
	}
	if (op->region_count && op->kind != OP_WHILE)
		return of_regions(fx, op);
	return ir_is_droppable(op) ? EFFECT_GUARD : EFFECT_WRITE;
}

static IrEffect of_ops(Effects *fx, const IrOp *from)
{
	IrEffect most = EFFECT_NONE;
	for (const IrOp *op = from; op && most != EFFECT_WRITE; op = op->next)
		most = MAX(most, of_op(fx, op));
	return most;
}

IrEffect effect_behind(const IrModule *m, const IrBlock *block, const IrOp *after)
{
	return of_ops(&(Effects){.m = m}, after ? after->next : block->first);
}

IrEffect effect_of_block(const IrModule *m, const IrBlock *block)
{
	return effect_behind(m, block, NULL);
}
