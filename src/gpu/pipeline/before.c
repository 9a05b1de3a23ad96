/* Sinks code in front of a loop that waits for loads behind the copies of the prologue, so that
 * memory serves both at once.
 *
 *	q = load; a = local_alloc q; copy 0; copy 1; loop	becomes
 *	q = load; copy 0; copy 1; a = local_alloc q; loop */
#include "gpu/analysis/pressure.h"
#include "gpu/memory/memory.h"
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

static bool is_read_in(const IrValue *v, const IrOp *loop)
{
	for (const IrUse *u = v->uses; u; u = u->next)
		if (ir_is_inside(u->owner, loop))
			return true;
	return false;
}

/* Memory that is free again when the loop begins shares the rings' while it stands in front of
 * their copies, and has its own behind them. Does that cost CTAs of an SM? */
static bool costs_ctas(const Pipeline *p, const Before *s)
{
	uint64_t rings = p->s->bytes, front = 0;
	for (const IrOp *op = p->loop->block->first; op != p->loop; op = op->next)
		if (s->waits[op->id] && op->kind != OP_LOCAL_ALLOC)
			front += gpu_scratch(p->gpu, op).bytes;
		else if (s->waits[op->id] && !is_read_in(&op->results[0], p->loop))
			front += gpu_memdesc_bytes(p->gpu, op->results[0].type);
	unsigned words = gpu_carried_words(p->gpu, p->loop);
	return schedule_words_cost_ctas(p->gpu, words, MAX(rings, front), rings + front);
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
	if (costs_ctas(p, &s))
		return;
	for (IrOp *op = p->loop->block->first, *next; op != spot; op = next) {
		next = op->next;
		if (!s.waits[op->id])
			continue;
		s.waits[op->id] = false; /* it is met again in front of the spot */
		ir_op_unlink(op);
		ir_op_insert_before(op, spot);
	}
}
