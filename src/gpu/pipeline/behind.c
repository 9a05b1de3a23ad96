/* What a product that is awaited in its iteration need not wait for stands behind it: loads for the
 * next iteration, and the arithmetic of their addresses, which may be long (a division by the size
 * of a block). In front of it the tensor cores would wait for that. */
#include "gpu/pipeline/pipeline.h"

typedef struct Behind {
	const Pipeline *p;
	IrOp *dot, *wait;
	uint32_t *place; /* by op id: in the body, from 1; 0: elsewhere */
	bool *moves;	 /* by op id */
} Behind;

/* The loop's only product, and its wait; false: no such. */
static bool find_product(Behind *b)
{
	const IrCx *ir = b->p->gpu->ir;
	for (IrOp *op = b->p->body->first; op; op = op->next) {
		if (op->kind == OP_WARP_GROUP_DOT && b->dot)
			return false;
		if (op->kind == OP_WARP_GROUP_DOT)
			b->dot = op;
		if (op->kind == OP_WARP_GROUP_DOT_WAIT && b->dot && !b->wait)
			b->wait = op;
	}
	return b->dot && b->wait && ir_get_bool(b->dot, ir, ATTR_IS_ASYNC) &&
	       !ir_get_int(b->wait, ir, ATTR_PENDINGS, 0);
}

/* Nothing that writes may come in front of a load. */
static bool writes_before_wait(const Behind *b)
{
	for (const IrOp *op = b->p->body->first; op != b->wait; op = op->next)
		if (op->region_count || op->kind == OP_STORE || op->kind == OP_DESC_STORE ||
		    op->kind == OP_ATOMIC_RMW || op->kind == OP_ATOMIC_CAS || op->kind == OP_CALL)
			return true;
	return false;
}

/* Are all users behind the wait, or move too? */
static bool is_used_behind(const Behind *b, const IrOp *op)
{
	bool any = false;
	for (uint32_t i = 0; i < op->result_count; i++)
		for (const IrUse *u = op->results[i].uses; u; u = u->next) {
			const IrOp *owner = u->owner;
			while (owner->block != b->p->body)
				owner = ir_parent_op(owner);
			any = true;
			if (b->place[owner->id] <= b->place[b->wait->id] && !b->moves[owner->id])
				return false;
		}
	return any;
}

static bool only_moved_use_it(const Behind *b, const IrOp *op)
{
	for (uint32_t i = 0; i < op->result_count; i++)
		for (const IrUse *u = op->results[i].uses; u; u = u->next)
			if (!b->moves[u->owner->id])
				return false;
	return true;
}

void pipeline_loads_behind(const Pipeline *p)
{
	Behind b = {.p = p};
	if (!find_product(&b) || writes_before_wait(&b))
		return;
	b.place = ARENA_ARRAY(p->cx->scratch, uint32_t, p->m->next_op + 1);
	b.moves = ARENA_ARRAY(p->cx->scratch, bool, p->m->next_op + 1);
	uint32_t place = 0;
	for (const IrOp *op = p->body->first; op; op = op->next)
		b.place[op->id] = ++place;
	IrOp *before = b.wait;
	for (IrOp *op = b.dot->prev, *prev; op; op = prev) {
		prev = op->prev;
		bool load = op->kind == OP_LOAD && !ir_is_volatile(op);
		bool pure = !op->region_count && (ir_is_pure(op) || ir_has_trait(op, TRAIT_NOFX));
		bool address = pure && !ir_has_trait(op, TRAIT_CONST) && only_moved_use_it(&b, op);
		if (!(load || address) || !is_used_behind(&b, op))
			continue;
		b.moves[op->id] = true;
		ir_op_unlink(op);
		ir_op_insert_before(op, before);
		before = op;
	}
}
