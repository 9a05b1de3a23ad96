/* rotate-products: products marked neso.late run one iteration behind the rest of their loop, so
 * that the arithmetic between products overlaps with tensor core work.
 *
 * Needs: TTGIR behind `pipeline`, which marks the products according to gpu/loop/rotate.h and
 * keeps their operands in the rings. Keeps: what is computed, bit by bit. Method: the first
 * iteration, without its late products, is peeled in front of the loop; the late products of the
 * last one are peeled behind it. The loop in between starts one iteration later and does
 *
 *	products that are not late, with their inputs   -- issued
 *	late products of the previous iteration         -- issued; their operands are carried
 *	everything else                                 -- a product is awaited at its first use
 *
 * Nothing is in flight at the end of an iteration. All three parts are in a branch that a loop
 * without iterations does not take. The wait for a late product also keeps its first operand
 * alive, which must stay in its registers until then. A wait for copies that is marked late
 * precedes the late products, in the loop too unless another wait covers the same barriers; a
 * freeing of slots that is marked late follows the wait for those products. */
#include "base/vec.h"
#include "gpu/gpu.h"
#include "gpu/loop/schedule.h"
#include "gpu/pipeline/pipeline.h"
#include "gpu/plan/wgmma.h"

typedef VEC(IrValue *) Values;

typedef struct Rotation {
	PassCx *cx;
	GpuCx *gpu;
	IrModule *m;
	IrOp *loop;
	IrBlock *body;
	VEC(IrOp *) late;  /* with the views of memory that they read, in order */
	VEC(IrOp *) order; /* all else in the order of an iteration: first what stands in front of late products */
	uint32_t in_front;
	bool *placed, *of_late; /* by op id; of_late: made of what late products added up */
	Values crossing;   /* what late ones take of the iteration */
	int *result;       /* by number of what the loop carries: of which late product it is; -1: of none */
	VEC(IrOp *) under_way; /* oldest first */
	VEC(IrOp *) frees;     /* of an iteration: what late products of the one before have read */
	const IrValue *asked;
} Rotation;

static bool is_late(const Rotation *r, const IrOp *op)
{
	return ir_get_bool(op, r->gpu->ir, ATTR_LATE);
}

/* ---- the parts ---- */

/* Of the slot's barrier that a wait is for, or an arrival. */
static const IrValue *barriers_of(const IrOp *op)
{
	const IrOp *slot = ir_operand(op, 0)->def;
	return slot && slot->kind == OP_MEMDESC_INDEX ? ir_operand(slot, 0) : NULL;
}

/* For what late products read, where it has come with what the others read: the loop waits for these
 * barriers once in each iteration anyway. */
static bool is_waited_for(const Rotation *r, const IrOp *op)
{
	if (op->kind != OP_WAIT_BARRIER)
		return false;
	for (const IrOp *other = r->body->first; other; other = other->next)
		if (other->kind == OP_WAIT_BARRIER && !is_late(r, other) && barriers_of(other) == barriers_of(op))
			return true;
	return false;
}

static bool is_among(const Values *values, const IrValue *v)
{
	for (uint32_t i = 0; i < values->len; i++)
		if (values->data[i] == v)
			return true;
	return false;
}

static bool is_late_part(const Rotation *r, const IrOp *op)
{
	for (uint32_t i = 0; i < r->late.len; i++)
		if (r->late.data[i] == op)
			return true;
	return false;
}

/* The late product, or view of what it reads, and before it the views it is made of. */
static void add_late(Rotation *r, IrOp *op)
{
	if (is_late_part(r, op))
		return;
	for (uint32_t i = 0; i < op->operand_count; i++) {
		IrValue *v = ir_operand(op, i);
		if (ir_is_defined_outside(v, r->loop))
			continue;
		if (v->def && ir_has_trait(v->def, TRAIT_VIEW))
			add_late(r, v->def);
		else if (!is_among(&r->crossing, v))
			vec_push(r->cx->scratch, &r->crossing, v);
	}
	vec_push(r->cx->scratch, &r->late, op);
}

static void place(Rotation *r, IrOp *op)
{
	r->placed[op->id] = true;
	vec_push(r->cx->scratch, &r->order, op);
}

typedef struct Inner {
	Rotation *r;
	bool (*look)(Rotation *r, IrValue *v);
	const IrOp *op;
	bool ok;
} Inner;

static bool visit_inner(void *data, IrOp *inner)
{
	Inner *in = data;
	for (uint32_t i = 0; i < inner->operand_count && in->ok; i++)
		if (ir_is_defined_outside(ir_operand(inner, i), in->op))
			in->ok = in->look(in->r, ir_operand(inner, i));
	return in->ok;
}

/* Of all that the op takes, inside its regions too. */
static bool all_taken(Rotation *r, IrOp *op, bool (*look)(Rotation *, IrValue *))
{
	Inner in = {r, look, op, true};
	for (uint32_t i = 0; i < op->operand_count && in.ok; i++)
		in.ok = look(r, ir_operand(op, i));
	if (in.ok && op->region_count)
		ir_walk(op, false, visit_inner, &in);
	return in.ok;
}

static bool carries_late(const Rotation *r, const IrValue *v)
{
	return v->block == r->body && v->index && r->result[v->index - 1] >= 0;
}

/* Does it not need a product of this iteration, or what late ones added up? */
static bool is_ready(Rotation *r, IrValue *v)
{
	if (carries_late(r, v))
		return false;
	if (!v->def || v->def->block != r->body || r->placed[v->def->id])
		return !(v->def && v->def->block == r->body && schedule_is_dot(v->def));
	return ir_is_pure(v->def) && all_taken(r, v->def, is_ready);
}

static bool place_taken(Rotation *r, IrValue *v)
{
	if (v->def && v->def->block == r->body && !r->placed[v->def->id]) {
		all_taken(r, v->def, place_taken);
		place(r, v->def);
	}
	return true;
}

/* In front of the late products: what stands before the first other one, and all others that need none. */
static void order_front(Rotation *r)
{
	bool met = false;
	for (IrOp *op = r->body->first; op != r->body->last; op = op->next) {
		bool dot = schedule_is_dot(op) && !is_late(r, op);
		if (is_late(r, op) || r->placed[op->id] || (met && !dot) || !all_taken(r, op, is_ready))
			continue;
		all_taken(r, op, place_taken);
		place(r, op);
		met |= dot;
	}
	r->in_front = r->order.len;
}

/* Do late products alone take it? What else does stands in front of them. */
static bool goes_to_late(const Rotation *r, const IrValue *v)
{
	for (const IrUse *u = v->uses; u; u = u->next)
		if (u->owner->block != r->body || !is_late(r, u->owner))
			return false;
	return true;
}

/* Is it made of what late products added up, or narrowed for those of the next iteration? Their registers are free when those of this
 * one have ended. */
static bool wants_late(Rotation *r, const IrOp *op)
{
	bool narrows = op->kind == OP_TRUNCF || op->kind == OP_FP_TO_FP;
	return r->of_late[op->id] ||
	       (narrows && is_among(&r->crossing, &op->results[0]) && goes_to_late(r, &op->results[0]));
}

static bool is_not_of_late(Rotation *r, IrValue *v)
{
	return !carries_late(r, v) && !(v->def && v->def->block == r->body && (r->of_late[v->def->id] || is_late(r, v->def)));
}

static bool is_placed(Rotation *r, IrValue *v)
{
	return !v->def || v->def->block != r->body || r->placed[v->def->id] || is_late(r, v->def);
}

/* What can wait for the late products does so behind all else; so does what takes it, and effects
 * stay in their order. */
static void order_rest(Rotation *r)
{
	for (IrOp *op = r->body->first; op != r->body->last; op = op->next)
		r->of_late[op->id] = !is_late(r, op) && !all_taken(r, op, is_not_of_late);
	for (unsigned late = 0; late < 2; late++) {
		bool held = false;
		for (IrOp *op = r->body->first; op != r->body->last; op = op->next) {
			if (is_late(r, op) || r->placed[op->id])
				continue;
			bool pure = ir_is_pure(op);
			bool waits = (pure ? wants_late(r, op) : held) || !all_taken(r, op, is_placed);
			held |= !pure && waits;
			if (late || !waits)
				place(r, op);
		}
	}
}

static void find_parts(Rotation *r)
{
	uint32_t count = r->loop->result_count;
	r->body = r->loop->regions[0].first;
	r->placed = ARENA_ARRAY(r->cx->scratch, bool, r->m->next_op);
	r->of_late = ARENA_ARRAY(r->cx->scratch, bool, r->m->next_op);
	r->result = ARENA_ARRAY(r->cx->scratch, int, count + 1);
	for (IrOp *op = r->body->first; op; op = op->next)
		if (is_late(r, op))
			add_late(r, op);
	for (uint32_t i = 0; i < count; i++) {
		const IrOp *def = ir_operand(r->body->last, i)->def;
		r->result[i] = -1;
		for (uint32_t k = 0; k < r->late.len; k++)
			if (r->late.data[k] == def && is_late(r, def))
				r->result[i] = (int)k;
	}
	order_front(r);
	order_rest(r);
}

/* ---- what they become ---- */

static IrOp *put(Rotation *r, IrBlock *block, IrMapping *map, const IrOp *op)
{
	IrOp *copy = ir_clone(r->m, op, map, NULL, NULL);
	ir_set(r->m, copy, ATTR_LATE, NULL);
	ir_op_append(block, copy);
	return copy;
}

/* In the loop, what an iteration has waited for may hold what its late products read: behind it
 * nothing has been waited for, and nothing is under way. */
static void put_late(Rotation *r, IrBlock *block, IrMapping *map, bool behind)
{
	for (uint32_t i = 0; i < r->late.len; i++) {
		const IrOp *op = r->late.data[i];
		if (!behind && is_waited_for(r, op))
			continue;
		IrOp *copy = put(r, block, map, op);
		if (!behind && op->kind == OP_ARRIVE_BARRIER)
			vec_push(r->cx->scratch, &r->frees, copy);
	}
}

/* Of what the loop carries as number i. */
static IrValue *late_result(const Rotation *r, const IrMapping *map, uint32_t i)
{
	return ir_mapping_get(map, &r->late.data[r->result[i]]->results[0]);
}

static void put_first(Rotation *r, IrBlock *block, IrMapping *map)
{
	ir_mapping_put(map, r->body->args[0], ir_operand(r->loop, 0));
	for (uint32_t i = 0; i < r->loop->result_count; i++)
		ir_mapping_put(map, r->body->args[i + 1], ir_operand(r->loop, i + 3));
	for (uint32_t i = 0; i < r->order.len; i++)
		put(r, block, map, r->order.data[i]);
}

/* ---- waits ---- */

/* Waits in front of `before` for the `count` products that have been under way longest. */
static void await(Rotation *r, IrOp *before, uint32_t count)
{
	IrOp **ends = r->under_way.data;
	uint32_t n = count;
	IrValue **values = ARENA_ARRAY(r->cx->scratch, IrValue *, 2 * count);
	IrType *types = ARENA_ARRAY(r->cx->scratch, IrType, 2 * count);
	for (uint32_t i = 0; i < count; i++) {
		values[i] = &ends[i]->results[0];
		bool second = ir_is_tensor(ir_operand(ends[i], 1)->type) &&
			      !gpu_wgmma_late_read(r->gpu, ends[i]);
		if (ir_is_tensor(ir_operand(ends[i], 0)->type) || second)
			values[n++] = ir_operand(ends[i], second);
	}
	for (uint32_t i = 0; i < n; i++)
		types[i] = values[i]->type;
	IrBuilder b = ir_at(r->m, before);
	b.loc = ends[count - 1]->loc;
	IrOp *wait = irb_op(&b, OP_WARP_GROUP_DOT_WAIT, values, n, types, n, 0);
	ir_set(r->m, wait, ATTR_PENDINGS, ir_attr_i32(r->gpu->ir, r->under_way.len - count));
	for (uint32_t i = 0; i < count; i++) {
		ir_replace_uses(values[i], &wait->results[i]);
		ir_operand_set(wait, i, values[i]);
	}
	memmove(ends, ends + count, (r->under_way.len - count) * sizeof *ends);
	r->under_way.len -= count;
}

static bool is_not_asked(Rotation *r, IrValue *v)
{
	return v != r->asked;
}

/* How many of those under way must have ended for the op: all up to the last one that it takes. */
static uint32_t taken_by(Rotation *r, IrOp *op)
{
	for (uint32_t count = r->under_way.len; count > 0; count--) {
		r->asked = &r->under_way.data[count - 1]->results[0];
		if (!all_taken(r, op, is_not_asked))
			return count;
	}
	return 0;
}

/* Is it handed on to the next iteration's products alone, in registers that those of this one still hold? */
static bool narrows(const IrOp *op)
{
	return (op->kind == OP_TRUNCF || op->kind == OP_FP_TO_FP) && ir_is_tensor(op->results[0].type) && ir_has_one_use(&op->results[0]) &&
	       op->results[0].uses->owner == op->block->last;
}

/* No product is under way in front of the op: what they have read is free. */
static void free_before(Rotation *r, IrOp *op)
{
	for (uint32_t i = 0; i < r->frees.len; i++) {
		ir_op_unlink(r->frees.data[i]);
		ir_op_insert_before(r->frees.data[i], op);
	}
	r->frees.len = 0;
}

/* Each product goes on until an op takes its result, or the iteration ends. */
static void place_waits(Rotation *r, IrBlock *block)
{
	bool waited = false;
	for (IrOp *op = block->first; op; op = op->next) {
		uint32_t count = op == block->last || narrows(op) ? r->under_way.len : taken_by(r, op);
		if (count && waited)
			pipeline_compute_first(r->m, r->cx->scratch, op);
		if (count)
			await(r, op, count);
		if (count && !r->under_way.len)
			free_before(r, op);
		waited |= count > 0;
		if (op->kind != OP_WARP_GROUP_DOT)
			continue;
		ir_set(r->m, op, ATTR_IS_ASYNC, ir_attr_bool(r->gpu->ir, true));
		vec_push(r->cx->scratch, &r->under_way, op);
	}
}

/* ---- the loop ---- */

/* What the new loop carries: values of an iteration. */
typedef struct Carried {
	IrValue *arg, *next; /* of the loop as it was: what stands for it in an iteration, and what is handed on */
	bool late;           /* late products take it */
} Carried;

typedef VEC(Carried) CarriedList;

static void list_carried(const Rotation *r, CarriedList *out)
{
	for (uint32_t i = 0; i < r->loop->result_count; i++)
		if (r->result[i] < 0)
			vec_push(r->cx->scratch, out, (Carried){r->body->args[i + 1], ir_operand(r->body->last, i), false});
	for (uint32_t i = 0; i < r->crossing.len; i++)
		vec_push(r->cx->scratch, out, (Carried){r->crossing.data[i], r->crossing.data[i], true});
}

/* One iteration: late products of the one before, whose values are in *late, all else in *map. */
static void put_iteration(Rotation *r, IrBlock *block, IrMapping *map, IrMapping *late)
{
	for (uint32_t i = 0; i < r->in_front; i++)
		put(r, block, map, r->order.data[i]);
	put_late(r, block, late, false);
	for (uint32_t i = 0; i < r->loop->result_count; i++)
		if (r->result[i] >= 0)
			ir_mapping_put(map, r->body->args[i + 1], late_result(r, late, i));
	for (uint32_t i = r->in_front; i < r->order.len; i++)
		put(r, block, map, r->order.data[i]);
}

/* The loop from its second iteration on; *first: values of the first one. */
static IrOp *put_loop(Rotation *r, IrBuilder *b, const CarriedList *carried, const IrMapping *first)
{
	uint32_t n = carried->len;
	IrValue **operands = ARENA_ARRAY(r->cx->scratch, IrValue *, 3 + n), **next = ARENA_ARRAY(r->cx->scratch, IrValue *, n + 1);
	IrType *types = ARENA_ARRAY(r->cx->scratch, IrType, n + 1);
	IrValue *step = ir_operand(r->loop, 2), *counter = r->body->args[0];
	IrMapping map, late;
	operands[0] = irb_2(b, OP_ADDI, NULL, ir_operand(r->loop, 0), step);
	operands[1] = ir_operand(r->loop, 1);
	operands[2] = step;
	for (uint32_t i = 0; i < n; i++) {
		operands[3 + i] = ir_mapping_get(first, carried->data[i].next);
		types[i] = operands[3 + i]->type;
	}
	IrOp *loop = irb_op(b, OP_FOR, operands, 3 + n, types, n, 1);
	for (uint32_t i = 0; i < r->loop->attr_count; i++)
		ir_set_named(r->m, loop, r->loop->attrs[i].name, r->loop->attrs[i].value);
	IrBlock *block = ir_block_new(r->m, &loop->regions[0]);
	ir_mapping_init(&map, r->cx->scratch);
	ir_mapping_init(&late, r->cx->scratch);
	ir_mapping_put(&map, counter, ir_block_arg_add(r->m, block, counter->type, ir_value_loc(counter)));
	for (uint32_t i = 0; i < n; i++) {
		const Carried *c = &carried->data[i];
		ir_mapping_put(c->late ? &late : &map, c->arg, ir_block_arg_add(r->m, block, types[i], ir_value_loc(c->arg)));
	}
	put_iteration(r, block, &map, &late);
	for (uint32_t i = 0; i < n; i++)
		next[i] = ir_mapping_get(&map, carried->data[i].next);
	IrBuilder end = ir_at_end(r->m, block, r->loop->loc);
	irb_op(&end, OP_YIELD, next, n, NULL, 0, 0);
	place_waits(r, block);
	return loop;
}

/* All iterations, where there is one, to the end of the block; results[i]: what the loop gave. */
static void put_all(Rotation *r, IrBlock *block, IrValue **results)
{
	CarriedList carried = {0};
	IrMapping first, last;
	IrBuilder b = ir_at_end(r->m, block, r->loop->loc);
	ir_mapping_init(&first, r->cx->scratch);
	ir_mapping_init(&last, r->cx->scratch);
	list_carried(r, &carried);
	put_first(r, block, &first);
	IrOp *loop = put_loop(r, &b, &carried, &first);
	for (uint32_t i = 0; i < carried.len; i++)
		if (carried.data[i].late)
			ir_mapping_put(&last, carried.data[i].arg, &loop->results[i]);
	put_late(r, block, &last, true);
	for (uint32_t i = 0, k = 0; i < r->loop->result_count; i++)
		results[i] = r->result[i] >= 0 ? late_result(r, &last, i) : &loop->results[k++];
}

static void rotate(Rotation *r)
{
	uint32_t count = r->loop->result_count;
	IrValue **results = ARENA_ARRAY(r->cx->scratch, IrValue *, count + 1), **none = ARENA_ARRAY(r->cx->scratch, IrValue *, count + 1);
	IrType *types = ARENA_ARRAY(r->cx->scratch, IrType, count + 1);
	IrBuilder b = ir_at(r->m, r->loop);
	bool is_unsigned = ir_get_bool(r->loop, r->gpu->ir, ATTR_UNSIGNED_CMP);
	find_parts(r);
	for (uint32_t i = 0; i < count; i++) {
		types[i] = r->loop->results[i].type;
		none[i] = ir_operand(r->loop, i + 3);
	}
	IrValue *some = irb_cmpi(&b, is_unsigned ? CMPI_ULT : CMPI_SLT, ir_operand(r->loop, 0), ir_operand(r->loop, 1));
	IrOp *choice = irb_op(&b, OP_IF, &some, 1, types, count, 2);
	IrBuilder then = ir_at_end(r->m, ir_block_new(r->m, &choice->regions[0]), r->loop->loc);
	put_all(r, then.block, results);
	irb_op(&then, OP_YIELD, results, count, NULL, 0, 0);
	IrBuilder otherwise = ir_at_end(r->m, ir_block_new(r->m, &choice->regions[1]), r->loop->loc);
	irb_op(&otherwise, OP_YIELD, none, count, NULL, 0, 0);
	for (uint32_t i = 0; i < count; i++)
		ir_replace_uses(&r->loop->results[i], &choice->results[i]);
	ir_op_erase(r->loop);
}

typedef struct Loops {
	GpuCx *gpu;
	Arena *arena;
	VEC(IrOp *) list;
} Loops;

static bool visit(void *data, IrOp *op)
{
	Loops *loops = data;
	IrOp *loop = ir_parent_op(op);
	bool late = op->kind == OP_WARP_GROUP_DOT && ir_get_bool(op, loops->gpu->ir, ATTR_LATE);
	if (late && loop->kind == OP_FOR && (!loops->list.len || loops->list.data[loops->list.len - 1] != loop))
		vec_push(loops->arena, &loops->list, loop);
	return true;
}

bool pass_rotate_products(PassCx *cx, bool *changed)
{
	Loops loops = {.gpu = gpu_of(cx), .arena = cx->scratch};
	ir_walk(cx->module->op, true, visit, &loops);
	for (uint32_t i = 0; i < loops.list.len; i++) {
		Rotation r = {.cx = cx, .gpu = gpu_of(cx), .m = cx->module, .loop = loops.list.data[i]};
		rotate(&r);
		*changed = true;
	}
	return true;
}
