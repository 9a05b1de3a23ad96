/* reorder-instructions: tiles that are cheap to compute (ranges, splats, index arithmetic on them) are computed
 * just before they are first needed, so that they hold no registers over loops that do not use them.
 *
 * Needs: TTGIR with its final layouts. Keeps: effects and values. Ops stay in their block; what a loop does not
 * change stays in front of it.
 * Method: a block is gone over in order; each op that is not cheap first fetches what it and the ops inside it
 * need. */
#include "gpu/choose/choose.h"

typedef struct Order {
	PassCx *cx;
	bool *is_free; /* by value id */
	bool *placed;  /* by op id, of cheap ops */
	IrBlock *block;
	IrOp *before;  /* who fetches */
	bool changed;
} Order;

static bool find_free(void *data, IrOp *op)
{
	Order *o = data;
	if (!ir_has_trait(op, TRAIT_REMAT) || op->result_count != 1 || !ir_is_tensor(op->results[0].type))
		return true;
	for (uint32_t i = 0; i < op->operand_count; i++) {
		const IrValue *v = ir_operand(op, i);
		if (ir_is_tensor(v->type) && !o->is_free[v->id])
			return true;
	}
	o->is_free[op->results[0].id] = true;
	return true;
}

static bool is_free_op(const Order *o, const IrOp *op)
{
	return op->result_count == 1 && o->is_free[op->results[0].id];
}

/* Everything cheap of the block that the op's operands need, before `before`. */
static bool fetch(void *data, IrOp *op)
{
	Order *o = data;
	for (uint32_t i = 0; i < op->operand_count; i++) {
		IrOp *def = ir_operand(op, i)->def;
		if (!def || def->block != o->block || !is_free_op(o, def) || o->placed[def->id])
			continue;
		o->placed[def->id] = true;
		fetch(o, def);
		o->changed = o->changed || def->next != o->before;
		ir_op_unlink(def);
		ir_op_insert_before(def, o->before);
	}
	return true;
}

static void order_block(Order *o, IrBlock *block)
{
	o->block = block;
	for (IrOp *op = block->first, *next; op; op = next) {
		next = op->next;
		if (is_free_op(o, op)) {
			if (!op->results[0].uses)
				ir_op_erase(op);
			continue;
		}
		o->before = op;
		fetch(o, op);
		ir_walk(op, false, fetch, o);
	}
}

static bool visit(void *data, IrOp *op)
{
	for (uint32_t r = 0; r < op->region_count; r++)
		for (IrBlock *b = op->regions[r].first; b; b = b->next)
			order_block(data, b);
	return true;
}

bool pass_reorder_instructions(PassCx *cx, bool *changed)
{
	Order o = {.cx = cx};
	o.is_free = ARENA_ARRAY(cx->scratch, bool, cx->module->next_value);
	o.placed = ARENA_ARRAY(cx->scratch, bool, cx->module->next_op);
	ir_walk(cx->module->op, false, find_free, &o);
	ir_walk(cx->module->op, true, visit, &o);
	*changed = o.changed;
	return true;
}
