/* Which products (wgmma) stay in flight into the next iteration.
 *
 * A product may where
 *	- the memory that it reads does not change: it was written in front of the loop, or copies
 *	  bring it to a ring;
 *	- its result only goes to the next iteration, into the same product. Other ops may use the
 *	  carried value (to scale it) behind a product that ends in its iteration, as the wait for
 *	  that one waits for all. So may ops that compute its first operand in registers, which
 *	  would otherwise be written while they are read.
 * All others are awaited where they stand. */
#include "gpu/loop/schedule.h"
#include "gpu/plan/wgmma.h"

const ScheduledLoad *schedule_load_of(GpuCx *gpu, const Schedule *s, const IrValue *memory)
{
	const IrOp *op = memory->def;
	while (op && op->kind == OP_MEMDESC_TRANS)
		op = ir_operand(op, 0)->def;
	if (!op || op->kind != OP_LOCAL_ALLOC || !op->operand_count)
		return NULL;
	for (uint32_t i = 0; i < s->loads.len; i++) {
		const ScheduledLoad *l = &s->loads.data[i];
		/* In a branch of the loop threads put it into memory of its own. */
		if (l->kind == SCHEDULE_COPIED && &l->load->results[0] == ir_operand(op, 0) &&
		    l->load->block == op->block && l->memory == gpu_layout(gpu, op->results[0].type))
			return l;
	}
	return NULL;
}

bool schedule_can_go_on(GpuCx *gpu, const IrOp *dot)
{
	return dot->results[0].type->elem->bits == 32 && !gpu_wgmma_adds_parts(gpu, dot);
}

bool schedule_is_turned(const Schedule *s, const IrValue *memory)
{
	const IrOp *op = memory->def;
	while (op && op->kind == OP_MEMDESC_TRANS)
		op = ir_operand(op, 0)->def;
	for (uint32_t i = 0; op && i < s->loads.len; i++)
		if (s->loads.data[i].turned == op)
			return true;
	return false;
}

static bool is_kept(GpuCx *gpu, const Schedule *s, const IrValue *memory)
{
	return ir_is_defined_outside(memory, s->loop) || schedule_load_of(gpu, s, memory) ||
	       schedule_is_turned(s, memory);
}

/* Does `op` of the loop stand behind `first` in its body? */
static bool is_behind(const Schedule *s, const IrOp *op, const IrOp *first)
{
	const IrBlock *body = s->loop->regions[0].first;
	while (op && op->block != body)
		op = ir_parent_op(op);
	for (const IrOp *at = first ? first->next : NULL; at; at = at->next)
		if (at == op)
			return true;
	return false;
}

/* What the loop carries of the product's result; NULL: it goes elsewhere too. */
static IrValue *carried_of(const Schedule *s, const IrOp *dot)
{
	const IrBlock *body = s->loop->regions[0].first;
	const IrUse *use = dot->results[0].uses;
	if (!ir_has_one_use(&dot->results[0]) || use->owner != body->last)
		return NULL;
	return body->args[(uint32_t)(use - body->last->operands) + 1];
}

/* Is the operand in registers read from a ring, part by part (wgmma.h)? Then registers are filled
 * again when what read them has ended. */
static bool is_read_late(GpuCx *gpu, const Schedule *s, const IrOp *dot, const IrValue *a)
{
	const IrValue *tile = a;
	const char *why;
	while (tile->def && (tile->def->kind == OP_CONVERT_LAYOUT || tile->def->kind == OP_TRANS) &&
	       ir_has_one_use(tile))
		tile = ir_operand(tile->def, 0);
	if (!gpu_wgmma_may_read_late(gpu, dot, a->type->elem))
		return false;
	bool copied = false;
	for (uint32_t i = 0; i < s->loads.len; i++)
		if (&s->loads.data[i].load->results[0] == tile)
			copied = s->loads.data[i].kind == SCHEDULE_COPIED &&
				 !schedule_fills(s->loads.data[i].load);
	const GpuWgmmaPlan *plan =
		copied && ir_has_one_use(tile) ? gpu_wgmma_plan(gpu, gpu->arena, dot, &why) : NULL;
	return plan && gpu_wgmma_late_parts(plan) > 1;
}

/* What fills the registers of a value. What is loaded may be moved to where it is. */
static const IrOp *filled_by(const IrValue *v)
{
	const IrOp *op = v->def;
	while (op && (op->kind == OP_TRANS || op->kind == OP_CONVERT_LAYOUT))
		op = ir_operand(op, 0)->def;
	return op && op->kind == OP_LOAD ? op : v->def;
}

/* Do several read the tile that copies bring to a ring? Its registers are filled for the first of
 * them, and nothing holds them for a product that has not ended. */
static bool is_read_for_several(const Schedule *s, const IrValue *a)
{
	bool several = !ir_has_one_use(a);
	while (a->def && (a->def->kind == OP_TRANS || a->def->kind == OP_CONVERT_LAYOUT)) {
		a = ir_operand(a->def, 0);
		several |= !ir_has_one_use(a);
	}
	for (uint32_t i = 0; i < s->loads.len && several; i++)
		if (&s->loads.data[i].load->results[0] == a)
			return s->loads.data[i].kind == SCHEDULE_COPIED;
	return false;
}

/* Does a thread have registers for what the product adds up, what it reads from registers, and
 * what `first` makes of the next iteration in the meantime? Else ptxas lets no product begin before
 * the one in front of it has ended (C7511). */
static bool fits_beside(GpuCx *gpu, const IrOp *dot, const IrValue *a, const IrOp *first)
{
	unsigned words = gpu_words(gpu, dot->results[0].type) + gpu_words(gpu, a->type) +
			 gpu_words(gpu, first->results[0].type);
	return words <= TARGET_REGISTERS_THREAD;
}

/* first: a product that ends in its iteration, or NULL. */
static bool may_go_on(GpuCx *gpu, const Schedule *s, const IrOp *dot, const IrOp *first,
		      ScheduledProduct *out)
{
	/* comes from registers, the first one from memory */
	bool second = ir_is_tensor(ir_operand(dot, 1)->type);
	const IrValue *a = ir_operand(dot, second);
	out->carried = carried_of(s, dot);
	out->used = false;
	if (!out->carried || !schedule_can_go_on(gpu, dot) || !is_kept(gpu, s, ir_operand(dot, !second)))
		return false;
	bool held = a->type->kind != TY_MEMDESC;
	const IrOp *filled = filled_by(a);
	if (held && (is_read_for_several(s, a) || (first && first != dot && first->kind == OP_WARP_GROUP_DOT &&
						   !fits_beside(gpu, dot, a, first))))
		return false;
	if (held ? !filled || !(is_behind(s, filled, first) || is_read_late(gpu, s, dot, a))
		 : !is_kept(gpu, s, a))
		return false;
	for (const IrUse *u = out->carried->uses; u; u = u->next) {
		if (u->owner == dot && u == &dot->operands[2])
			continue;
		out->used = true;
		if (!is_behind(s, u->owner, first))
			return false;
	}
	/* What is asked for as it was must not be added to while it is under way. */
	if (ir_operand(dot, 2) == out->carried)
		return !out->used || is_behind(s, dot, first);
	return out->used;
}

/* A product that cannot go on, whatever stands around it: NULL where all may. */
static const IrOp *first_to_end(GpuCx *gpu, const Schedule *s)
{
	const IrBlock *body = s->loop->regions[0].first;
	ScheduledProduct ignored;
	for (const IrOp *op = body->first; op; op = op->next)
		if (op->kind == OP_WARP_GROUP_DOT && !may_go_on(gpu, s, op, body->first, &ignored))
			return op;
	return NULL;
}

void schedule_products(GpuCx *gpu, Arena *arena, Schedule *out)
{
	IrBlock *body = out->loop->regions[0].first;
	const IrOp *first = first_to_end(gpu, out);
	for (IrOp *op = body->first; op; op = op->next) {
		ScheduledProduct product = {.dot = op};
		if (op->kind == OP_WARP_GROUP_DOT && may_go_on(gpu, out, op, first, &product) &&
		    out->products.len < SCHEDULE_MOST_PRODUCTS)
			vec_push(arena, &out->products, product);
	}
}
