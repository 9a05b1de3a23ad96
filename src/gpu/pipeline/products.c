/* Products of warp groups are issued, and waited for by ops of their own. */
#include "gpu/pipeline/pipeline.h"

static IrOp *await_products(Pipeline *p, IrBuilder *b, IrValue **values, uint32_t count, unsigned pending)
{
	IrType *types = ARENA_ARRAY(p->cx->scratch, IrType, count);
	for (uint32_t i = 0; i < count; i++)
		types[i] = values[i]->type;
	IrOp *wait = irb_op(b, OP_WARP_GROUP_DOT_WAIT, values, count, types, count, 0);
	ir_set(p->m, wait, ATTR_PENDINGS, ir_attr_i32(p->gpu->ir, pending));
	return wait;
}

/* From here on uses of values[i] are of what the wait gives. */
static void use_awaited(IrOp *wait, IrValue *const *values, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		ir_replace_uses(values[i], &wait->results[i]);
		ir_operand_set(wait, i, values[i]);
	}
}

static bool goes_on(const Pipeline *p, const IrOp *dot)
{
	for (uint32_t i = 0; i < p->s->products.len; i++)
		if (p->s->products.data[i].dot == dot)
			return true;
	return false;
}

static bool is_issued(const Pipeline *p, const IrOp *op)
{
	for (uint32_t i = 0; i < p->issued.len; i++)
		if (p->issued.data[i] == op)
			return true;
	return false;
}

/* Behind the product, and the copies that follow it. */
static IrBuilder behind_issued(Pipeline *p, IrOp *dot)
{
	const IrOp *spot = dot;
	while (is_issued(p, spot->next))
		spot = spot->next;
	IrBuilder b = ir_at(p->m, spot->next);
	b.loc = dot->loc;
	return b;
}

/* Copies go behind a wait that says that products of the iteration before have ended, and a barrier
 * that says so of all threads. */
static void issue_behind_wait(Pipeline *p, IrOp *wait)
{
	if (!p->s->meets || p->met)
		return;
	p->met = true;
	IrBuilder b = ir_at(p->m, wait->next);
	b.loc = wait->loc;
	IrOp *spot = p->free ? irb_op(&b, OP_ARRIVE_BARRIER, &p->freed, 1, NULL, 0, 0)
			     : irb_op(&b, OP_BARRIER, NULL, 0, NULL, 0, 0);
	pipeline_move_copies(p, spot);
}

/* Waits for a product that ends in its iteration. The first one also gives what those of the
 * iteration before have added up, where that is used. */
static void end_product(Pipeline *p, IrOp *dot, bool first)
{
	IrValue *values[1 + SCHEDULE_MOST_PRODUCTS];
	uint32_t count = 0;
	values[count++] = &dot->results[0];
	for (uint32_t i = 0; i < p->s->products.len && first; i++)
		if (p->s->products.data[i].used)
			values[count++] = p->s->products.data[i].carried;
	IrBuilder b = behind_issued(p, dot);
	IrOp *wait = await_products(p, &b, values, count, 0);
	use_awaited(wait, values, count);
	issue_behind_wait(p, wait);
}

void pipeline_products(Pipeline *p)
{
	IrValue *values[SCHEDULE_MOST_PRODUCTS];
	uint32_t count = p->s->products.len;
	IrOp *last = NULL;
	bool first = true;
	for (IrOp *op = p->body->first, *next; op; op = next) {
		next = op->next;
		if (op->kind != OP_WARP_GROUP_DOT || !schedule_can_go_on(p->gpu, op))
			continue;
		ir_set(p->m, op, ATTR_IS_ASYNC, ir_attr_bool(p->gpu->ir, true));
		if (goes_on(p, op)) {
			last = op;
			continue;
		}
		end_product(p, op, first);
		first = false;
	}
	if (!last)
		return;
	IrBuilder b = behind_issued(p, last);
	for (uint32_t i = 0; i < count; i++)
		values[i] = &p->s->products.data[i].dot->results[0];
	IrOp *wait = await_products(p, &b, values, count, count);
	use_awaited(wait, values, count);
	issue_behind_wait(p, wait);
}

void pipeline_end_products(Pipeline *p, IrOp *loop)
{
	IrValue *values[SCHEDULE_MOST_PRODUCTS];
	uint32_t count = p->s->products.len;
	if (!count)
		return;
	IrBuilder b = ir_at_end(p->m, loop->block, loop->loc);
	b.before = loop->next;
	for (uint32_t i = 0; i < count; i++)
		values[i] = &loop->results[p->s->products.data[i].carried->index - 1];
	use_awaited(await_products(p, &b, values, count, 0), values, count);
}
