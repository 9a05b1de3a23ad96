/* Products (wgmma) are issued, and awaited by ops of their own.
 *
 * A product that ends in its iteration is awaited behind it; others that do not need it are issued
 * in front of that wait (early) and awaited at their first use. So the arithmetic on the first
 * result overlaps with them. Accumulators are awaited at the end of the iteration (last), unless
 * they may stay in flight into the next one. A product that adds to the result of another one
 * follows it without a wait (chained), where its operands do not depend on that result. */
#include "gpu/analysis/pressure.h"
#include "gpu/pipeline/pipeline.h"
#include "gpu/plan/wgmma.h"

/* ---- what comes first ---- */

static bool is_moved(const IrOp *op)
{
	return op->kind == OP_EXPAND_DIMS || op->kind == OP_BROADCAST || op->kind == OP_SPLAT ||
	       op->kind == OP_RESHAPE || op->kind == OP_TRANS;
}

static bool is_used_before(const IrValue *v, const IrOp *end)
{
	for (const IrUse *u = v->uses; u; u = u->next)
		for (const IrOp *op = end->prev; op && op != v->def; op = op->prev)
			if (ir_is_inside(u->owner, op) &&
			    (!is_moved(op) || is_used_before(&op->results[0], end)))
				return true;
	return false;
}

/* Does it compute a tile of floats that nothing uses before `end`? */
static bool is_end(const IrOp *op, const IrOp *end)
{
	return op->result_count == 1 && ir_is_tensor(op->results[0].type) &&
	       ir_is_float(op->results[0].type->elem) && !is_moved(op) && !ir_has_trait(op, TRAIT_CONST) &&
	       !is_used_before(&op->results[0], end);
}

void pipeline_compute_first(IrModule *m, Arena *arena, IrOp *before)
{
	CONTRACT(before->block);
	VEC(IrValue *) ends = {0};
	for (IrOp *op = before->prev;
	     op && op->kind != OP_WARP_GROUP_DOT && op->kind != OP_WARP_GROUP_DOT_WAIT; op = op->prev)
		if (is_end(op, before))
			vec_push(arena, &ends, &op->results[0]);
	if (!ends.len)
		return;
	IrBuilder b = ir_at(m, before);
	irb_op(&b, OP_COMPUTE_FIRST, ends.data, ends.len, NULL, 0, 0);
}

/* ---- waits ---- */

static IrOp *await_products(Pipeline *p, IrBuilder *b, IrValue **values, uint32_t count, unsigned pending)
{
	IrType *types = ARENA_ARRAY(p->cx->scratch, IrType, count);
	for (uint32_t i = 0; i < count; i++)
		types[i] = values[i]->type;
	IrOp *wait = irb_op(b, OP_WARP_GROUP_DOT_WAIT, values, count, types, count, 0);
	ir_set(p->m, wait, ATTR_PENDINGS, ir_attr_i32(p->gpu->ir, pending));
	return wait;
}

static uint32_t add_once(IrValue **values, uint32_t n, IrValue *v)
{
	for (uint32_t i = 0; i < n; i++)
		if (values[i] == v)
			return n;
	values[n] = v;
	return n + 1;
}

/* Adds what the product takes from registers that its iteration fills: they stay as they are until
 * it has ended, as the wait takes them too. (What is read part by part is not there at once.) */
static uint32_t hold_registers(const Pipeline *p, const IrOp *dot, IrValue **values, uint32_t n)
{
	for (uint32_t i = 0; i < 2; i++) {
		IrValue *v = ir_operand(dot, i);
		bool filled = ir_is_tensor(v->type) && v->def && v->def->block == dot->block;
		if (filled && !gpu_wgmma_late_read(p->gpu, dot))
			n = add_once(values, n, v);
	}
	return n;
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

static bool is_early(const Pipeline *p, const IrOp *op)
{
	for (uint32_t i = 0; i < p->early.len; i++)
		if (p->early.data[i] == op)
			return true;
	return false;
}

/* Behind the product, those that started with it, and the copies that follow it. */
static IrBuilder behind_issued(Pipeline *p, IrOp *dot)
{
	const IrOp *spot = dot;
	while (is_issued(p, spot->next) || is_early(p, spot->next))
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
	IrOp *spot = p->free ? pipeline_say_free(p, &b)
			     : irb_op(&b, OP_BARRIER, NULL, 0, NULL, 0, 0);
	pipeline_move_copies(p, spot);
}

/* ---- products that start early ---- */

static bool is_in_front(const IrOp *op, const IrOp *of)
{
	for (const IrOp *at = of; at; at = at->prev)
		if (at == op)
			return true;
	return false;
}

/* Memory that is filled where it is allocated, and changes no more. */
static bool is_filled(const IrOp *op)
{
	return op->kind == OP_LOCAL_ALLOC && op->operand_count && !op->results[0].type->is_mutable;
}

/* Can the value be there at `dot`? filled: memory may be filled in front of it as well. */
static bool is_ready(const Pipeline *p, const IrValue *v, const IrOp *dot, bool filled)
{
	const IrOp *op = v->def;
	if (ir_is_defined_outside(v, p->loop))
		return true;
	if (!op || op->block != p->body)
		return !op;
	if (schedule_is_dot(op) || op->kind == OP_WARP_GROUP_DOT_WAIT)
		return false;
	if (is_in_front(op, dot))
		return true;
	bool ok = (ir_is_pure(op) && !op->region_count) || (filled && is_filled(op));
	for (uint32_t i = 0; i < op->operand_count && ok; i++)
		ok = is_ready(p, ir_operand(op, i), dot, filled);
	return ok;
}

/* What the value comes from goes in front of `dot`. */
static void move_in_front(const Pipeline *p, IrOp *op, IrOp *dot)
{
	if (!op || op->block != p->body || is_in_front(op, dot))
		return;
	for (uint32_t i = 0; i < op->operand_count; i++)
		move_in_front(p, ir_operand(op, i)->def, dot);
	ir_op_unlink(op);
	ir_op_insert_before(op, dot);
}

/* Does it end in its iteration, and start with sums that are there before the loop? */
static bool is_awaited(const Pipeline *p, const IrOp *op)
{
	return op->kind == OP_WARP_GROUP_DOT && schedule_can_go_on(p->gpu, op) && !goes_on(p, op) &&
	       ir_is_defined_outside(ir_operand(op, 2), p->loop);
}

/* Products behind `dot` that need nothing of it, and fit into registers beside it, follow it. */
static void start_early(Pipeline *p, IrOp *dot)
{
	const TargetBudgets *budgets = p->gpu->target->budgets;
	unsigned words = budgets->beside_sums + gpu_carried_words(p->gpu, p->loop) +
			 gpu_words(p->gpu, dot->results[0].type);
	IrOp *last = dot;
	for (IrOp *op = dot->next, *next; op; op = next) {
		next = op->next;
		bool ready = is_awaited(p, op);
		for (uint32_t i = 0; i < op->operand_count && ready; i++)
			ready = is_ready(p, ir_operand(op, i), dot, false);
		unsigned more = ready ? gpu_words(p->gpu, op->results[0].type) : 0;
		if (!ready || words + more > budgets->early_products)
			continue;
		words += more;
		for (uint32_t i = 0; i < op->operand_count; i++)
			move_in_front(p, ir_operand(op, i)->def, dot);
		ir_op_unlink(op);
		ir_op_insert_before(op, last->next);
		vec_push(p->cx->scratch, &p->early, op);
		last = op;
	}
}

static void start_all_early(Pipeline *p)
{
	for (IrOp *op = p->body->first; op; op = op->next)
		if (is_awaited(p, op) && !is_early(p, op))
			start_early(p, op);
}

/* Products that are issued between `dot` and `end`. */
static unsigned issued_between(const IrOp *dot, const IrOp *end)
{
	unsigned n = 0;
	for (const IrOp *op = dot->next; op && op != end; op = op->next)
		n += op->kind == OP_WARP_GROUP_DOT;
	return n;
}

/* Waits for a product that started early in front of the first op that takes its result. */
static void end_early(Pipeline *p, IrOp *dot)
{
	IrValue *value = &dot->results[0];
	IrOp *user = dot->next;
	bool used = false;
	while (user && !used) {
		for (const IrUse *u = value->uses; u && !used; u = u->next)
			used = ir_is_inside(u->owner, user);
		user = used ? user : user->next;
	}
	if (!used)
		user = p->body->last;
	unsigned behind = issued_between(dot, user);
	if (!behind)
		pipeline_compute_first(p->m, p->cx->scratch, user);
	IrBuilder b = ir_at(p->m, user);
	b.loc = dot->loc;
	IrValue *values[3] = {value};
	uint32_t n = hold_registers(p, dot, values, 1);
	use_awaited(await_products(p, &b, values, n, behind), values, 1);
}

/* ---- products in a chain ---- */

enum { MOST_CHAINED = 8 /* what they take from registers is held for all of them */ };

static bool is_chained(const Pipeline *p, const IrOp *op)
{
	for (uint32_t i = 0; i < p->chained.len; i++)
		if (p->chained.data[i] == op)
			return true;
	return false;
}

/* The product whose result this one adds to at once, or NULL. */
static IrOp *chained_before(const Pipeline *p, const IrOp *dot)
{
	IrOp *op = ir_operand(dot, 2)->def;
	return is_chained(p, op) ? op : NULL;
}

/* The product of the body that adds to the result of `dot`, which nothing else takes. */
static IrOp *adding_to(const Pipeline *p, const IrOp *dot)
{
	const IrUse *use = dot->results[0].uses;
	IrOp *op = use && !use->next ? use->owner : NULL;
	bool adds = op && op->kind == OP_WARP_GROUP_DOT && use == &op->operands[2];
	return adds && op->block == p->body ? op : NULL;
}

static bool may_chain(const Pipeline *p, const IrOp *dot)
{
	return dot->kind == OP_WARP_GROUP_DOT && schedule_can_go_on(p->gpu, dot) && !goes_on(p, dot) &&
	       !is_early(p, dot);
}

/* What it multiplies goes in front of `spot`, if it can. */
static bool bring_operands(Pipeline *p, const IrOp *dot, IrOp *spot)
{
	for (uint32_t i = 0; i < 2; i++)
		if (!is_ready(p, ir_operand(dot, i), spot, true))
			return false;
	for (uint32_t i = 0; i < 2; i++)
		move_in_front(p, ir_operand(dot, i)->def, spot);
	return true;
}

/* Products behind `head` that add up what it began follow it at once. */
static void chain(Pipeline *p, IrOp *head)
{
	IrOp *last = head, *next = adding_to(p, head);
	for (unsigned n = 1; n < MOST_CHAINED && next && may_chain(p, next); n++) {
		if (!bring_operands(p, next, head))
			return;
		ir_op_unlink(next);
		ir_op_insert_before(next, last->next);
		vec_push(p->cx->scratch, &p->chained, last);
		last = next;
		next = adding_to(p, last);
	}
}

/* What `dot` and those that it follows at once multiply goes in front of `spot`, where it can. */
static void bring_chain(Pipeline *p, const IrOp *dot, IrOp *spot)
{
	for (; dot; dot = chained_before(p, dot))
		bring_operands(p, dot, spot);
}

static IrOp *head_of(const Pipeline *p, IrOp *dot)
{
	for (IrOp *before; (before = chained_before(p, dot)); dot = before)
		;
	return dot;
}

static void chain_all(Pipeline *p)
{
	for (IrOp *op = p->body->first; op; op = op->next)
		if (may_chain(p, op) && !is_chained(p, op) && !is_chained(p, ir_operand(op, 2)->def))
			chain(p, op);
}

/* ---- products that end with the iteration ---- */

static IrOp *memory_of(const IrValue *v)
{
	IrOp *op = v->def;
	while (op && ir_has_trait(op, TRAIT_VIEW))
		op = ir_operand(op, 0)->def;
	return op && op->kind == OP_LOCAL_ALLOC ? op : NULL;
}

/* Is what it reads from memory put there in the body, or in front of the loop? */
static bool has_known_memory(const Pipeline *p, const IrOp *dot)
{
	for (uint32_t i = 0; i < 2; i++) {
		const IrValue *v = ir_operand(dot, i);
		const IrOp *memory = memory_of(v);
		bool known = memory && (memory->block == p->body || !ir_is_inside(memory, p->loop));
		if (v->type->kind == TY_MEMDESC && !known)
			return false;
	}
	return true;
}

/* Does its sum go round the loop alone, so that nothing asks for it before the iteration ends? */
static bool ends_last(const Pipeline *p, const IrOp *dot)
{
	const IrUse *use = dot->results[0].uses;
	if (!ir_has_one_use(&dot->results[0]) || use->owner != p->body->last)
		return false;
	uint32_t number = (uint32_t)(use - p->body->last->operands) + 1;
	const IrOp *head = dot;
	for (const IrOp *op = dot; op; head = op, op = chained_before(p, op))
		if (!has_known_memory(p, op))
			return false;
	return number < p->body->arg_count && ir_operand(head, 2) == p->body->args[number] &&
	       ir_has_one_use(p->body->args[number]);
}

static bool is_dropped(const IrOp *memory)
{
	for (const IrUse *u = memory->results[0].uses; u; u = u->next)
		if (u->owner->kind == OP_LOCAL_DEALLOC)
			return true;
	return false;
}

/* Memory that is filled in the iteration is not free before the wait. */
static void keep_memory(Pipeline *p, const IrOp *dot)
{
	for (uint32_t i = 0; i < 2; i++) {
		IrOp *memory = memory_of(ir_operand(dot, i));
		if (!memory || !ir_is_inside(memory, p->loop) || is_dropped(memory))
			continue;
		IrBuilder b = ir_at(p->m, p->body->last);
		IrValue *held = &memory->results[0];
		irb_op(&b, OP_LOCAL_DEALLOC, &held, 1, NULL, 0, 0);
	}
}

/* What a product, and those that it follows at once, take from registers. */
static uint32_t hold_chain(const Pipeline *p, const IrOp *dot, IrValue **values, uint32_t n)
{
	for (; dot; dot = chained_before(p, dot))
		n = hold_registers(p, dot, values, n);
	return n;
}

/* One wait at the end of the body for all, which holds what they take from registers too. */
static void end_last(Pipeline *p)
{
	IrValue *values[(1 + MOST_CHAINED) * SCHEDULE_MOST_PRODUCTS];
	uint32_t count = p->last.len, n = count;
	if (!count)
		return;
	for (uint32_t i = 0; i < count; i++)
		values[i] = &p->last.data[i]->results[0];
	for (uint32_t i = 0; i < count; i++) {
		const IrOp *dot = p->last.data[i];
		if (ir_is_tensor(ir_operand(dot, 0)->type))
			n = add_once(values, n, ir_operand(dot, 0));
		n = hold_chain(p, dot, values, n);
	}
	IrBuilder b = ir_at(p->m, p->body->last);
	b.loc = p->last.data[0]->loc;
	unsigned go_on = 0;
	for (const IrOp *op = p->last.data[count - 1]; op; op = op->next)
		go_on += goes_on(p, op);
	IrOp *wait = await_products(p, &b, values, n, go_on);
	use_awaited(wait, values, count);
	for (uint32_t i = 0; i < count; i++)
		for (const IrOp *dot = p->last.data[i]; dot; dot = chained_before(p, dot))
			keep_memory(p, dot);
}

/* What it multiplies is put into memory in front of the first that ends last, where it can be: then
 * threads meet once, and hold less in registers. */
static void end_with_iteration(Pipeline *p, IrOp *dot)
{
	if (p->last.len)
		bring_chain(p, dot, head_of(p, p->last.data[0]));
	vec_push(p->cx->scratch, &p->last, dot);
}

/* Waits for a product that ends in its iteration. The first one also gives what those of the
 * iteration before have added up, where that is used. */
static void end_product(Pipeline *p, IrOp *dot, bool first)
{
	IrValue *values[1 + MOST_CHAINED + SCHEDULE_MOST_PRODUCTS];
	uint32_t count = 0;
	values[count++] = &dot->results[0];
	for (uint32_t i = 0; i < p->s->products.len && first; i++)
		if (p->s->products.data[i].used)
			values[count++] = p->s->products.data[i].carried;
	IrBuilder b = behind_issued(p, dot);
	unsigned behind = issued_between(dot, b.before);
	bool held = behind || chained_before(p, dot);
	uint32_t n = held ? hold_chain(p, dot, values, count) : count;
	IrOp *wait = await_products(p, &b, values, n, behind);
	use_awaited(wait, values, count);
	issue_behind_wait(p, wait);
}

static uint32_t count_products(const Pipeline *p)
{
	uint32_t n = 0;
	for (const IrOp *op = p->body->first; op; op = op->next)
		n += op->kind == OP_WARP_GROUP_DOT && schedule_can_go_on(p->gpu, op);
	return n;
}

void pipeline_products(Pipeline *p)
{
	IrValue *values[SCHEDULE_MOST_PRODUCTS];
	uint32_t count = p->s->products.len;
	IrOp *last = NULL;
	bool first = true;
	start_all_early(p);
	chain_all(p);
	bool alone = count_products(p) == 1;
	for (IrOp *op = p->body->first, *next; op; op = next) {
		next = op->next;
		if (op->kind != OP_WARP_GROUP_DOT || !schedule_can_go_on(p->gpu, op))
			continue;
		ir_set(p->m, op, ATTR_IS_ASYNC, ir_attr_bool(p->gpu->ir, true));
		if (goes_on(p, op))
			last = op;
		if (goes_on(p, op) || is_early(p, op) || is_chained(p, op))
			continue;
		bool may_last = !first || (!p->s->meets && !count && !alone);
		if (may_last && p->last.len < SCHEDULE_MOST_PRODUCTS && ends_last(p, op)) {
			end_with_iteration(p, op);
			continue;
		}
		end_product(p, op, first);
		first = false;
	}
	for (uint32_t i = 0; i < p->early.len; i++)
		end_early(p, p->early.data[i]);
	end_last(p);
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
