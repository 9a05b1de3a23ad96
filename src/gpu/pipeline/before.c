/* What stands in front of a loop and waits for loads: it goes behind the copies of the first
 * iterations, so that memory answers both at once.
 *
 *	q = load; a = local_alloc q; copy 0; copy 1; loop	becomes
 *	q = load; copy 0; copy 1; a = local_alloc q; loop */
#include "gpu/pipeline/pipeline.h"

typedef struct Before {
	const Pipeline *p;
	bool *stands, *waits; /* by op id: in the loop's block in front of it; for a tile that is loaded */
} Before;

static bool is_load(const IrOp *op)
{
	return (op->kind == OP_LOAD || op->kind == OP_DESC_LOAD) && ir_is_tensor(op->results[0].type);
}

static bool waits_for_load(const Before *s, const IrOp *op)
{
	for (uint32_t i = 0; i < op->operand_count; i++) {
		const IrOp *def = ir_operand(op, i)->def;
		if (!def || def->block != s->p->loop->block)
			continue;
		if (s->waits[def->id] || is_load(def))
			return true;
	}
	return false;
}

static bool may_move(const IrOp *op)
{
	return !op->region_count && (ir_is_pure(op) || (op->kind == OP_LOCAL_ALLOC && op->operand_count));
}

/* Something needs the op that stays in front of the copies, or is one of them. */
static bool is_needed_earlier(const Before *s, const IrOp *op)
{
	for (uint32_t i = 0; i < op->result_count; i++)
		for (const IrUse *use = op->results[i].uses; use; use = use->next) {
			const IrOp *user = use->owner;
			while (user->block != op->block)
				user = ir_parent_op(user);
			if (s->stands[user->id] && !s->waits[user->id])
				return true;
		}
	return false;
}

void pipeline_wait_late(Pipeline *p, IrOp *spot)
{
	CONTRACT(spot->block == p->loop->block);
	Arena *arena = p->cx->scratch;
	Before s = {p, ARENA_ARRAY(arena, bool, p->m->next_op), ARENA_ARRAY(arena, bool, p->m->next_op)};
	for (IrOp *op = p->loop->block->first; op != p->loop; op = op->next) {
		s.stands[op->id] = true;
		s.waits[op->id] = may_move(op) && waits_for_load(&s, op);
	}
	for (IrOp *op = p->loop->prev; op; op = op->prev)
		s.waits[op->id] = s.waits[op->id] && !is_needed_earlier(&s, op);
	for (IrOp *op = p->loop->block->first, *next; op != spot; op = next) {
		next = op->next;
		if (!s.waits[op->id])
			continue;
		s.waits[op->id] = false; /* it is met again in front of the spot */
		ir_op_unlink(op);
		ir_op_insert_before(op, spot);
	}
}
