/* take-turns: ping-pong scheduling: the warpgroups of a loop issue their products in turns
 * (loop/turns.h).
 *
 * Needs: TTGIR with its barriers in place. Keeps: what is computed, bit by bit.
 *
 * Copies that the loop issues itself are issued by the last warpgroup, in front of its turn: by
 * then all others have read the slot that is overwritten, and no warpgroup waits for another.
 * Where the last warpgroup reads that slot itself until the products of its turn, the copies stay
 * behind them. */
#include "gpu/gpu.h"
#include "gpu/loop/turns.h"
#include "gpu/pipeline/pipeline.h"
#include "gpu/remark.h"

typedef struct Turns {
	PassCx *cx;
	GpuCx *gpu;
	IrModule *m;
	IrOp *loop;
	GpuTurns plan;
} Turns;

static IrOp *put(const Turns *t, IrOp *before, IrOpKind kind, const IrOp *at)
{
	IrBuilder b = ir_at(t->m, before);
	b.loc = at->loc;
	return irb_op(&b, kind, NULL, 0, NULL, 0, 0);
}

static void put_last(const Turns *t, IrOp *before)
{
	ir_set(t->m, put(t, before, OP_PASS_TURN, t->loop), ATTR_LAST_ROUND, ir_attr_bool(t->gpu->ir, true));
}

/* ---- copies ---- */

static bool is_copy(const IrOp *op)
{
	return op->kind == OP_WAIT_FREE || op->kind == OP_BARRIER_EXPECT || op->kind == OP_TMA_LOAD;
}

static bool is_behind(const IrOp *op, const IrOp *spot)
{
	for (const IrOp *at = spot; at; at = at->next)
		if (at == op)
			return true;
	return false;
}

/* The barriers of a ring. */
static const IrValue *ring_of(const IrOp *op)
{
	const IrOp *slot = ir_operand(op, 0)->def;
	return slot && slot->kind == OP_MEMDESC_INDEX ? ir_operand(slot, 0) : ir_operand(op, 0);
}

/* Does who waits for a free slot say behind `spot` that it has read there itself? */
static bool waits_for_itself(const IrOp *wait, const IrOp *spot)
{
	for (const IrOp *op = spot; op != wait; op = op->next)
		if (op->kind == OP_ARRIVE_BARRIER && ring_of(op) == ring_of(wait))
			return true;
	return false;
}

/* Is all that the copies take, and wait for, in front of `spot`? */
static bool may_move(const IrOp *spot)
{
	bool good = true;
	for (const IrOp *op = spot; op && good; op = op->next) {
		good &= op->kind != OP_WAIT_FREE || !waits_for_itself(op, spot);
		for (uint32_t i = 0; is_copy(op) && i < op->operand_count; i++) {
			const IrValue *v = ir_operand(op, i);
			good &= !(v->def && v->def->block == spot->block && is_behind(v->def, spot));
		}
	}
	return good;
}

static void move_copies(const Turns *t, IrOp *spot)
{
	IrBlock *body = spot->block;
	bool good = may_move(spot);
	for (IrOp *op = body->first, *next; op; op = next) {
		next = op->next;
		if (!is_copy(op))
			continue;
		ir_set(t->m, op, ATTR_ISSUER, ir_attr_i32(t->gpu->ir, t->plan.groups - 1));
		if (!t->plan.around && good && is_behind(op, spot)) {
			ir_op_unlink(op);
			ir_op_insert_before(op, spot);
		}
	}
}

/* ---- products in front of the loop ---- */

typedef VEC(IrOp *) Products;

/* Those of a first iteration: the last ones in front of the loop, that stand together. */
static void find_first(const Turns *t, Products *out)
{
	IrOp *op = t->loop->prev;
	while (op && op->kind != OP_WARP_GROUP_DOT && op->kind != OP_FOR && op->kind != OP_WHILE)
		op = op->prev;
	for (; op && (op->kind == OP_WARP_GROUP_DOT || gpu_is_light(t->gpu, op)); op = op->prev)
		if (op->kind == OP_WARP_GROUP_DOT && !ir_get_bool(op, t->gpu->ir, ATTR_IS_ASYNC))
			vec_push(t->cx->scratch, out, op);
}

/* Waits for them in front of `before`. */
static void await(const Turns *t, IrOp *before, const Products *products)
{
	IrValue **values = ARENA_ARRAY(t->cx->scratch, IrValue *, products->len);
	IrType *types = ARENA_ARRAY(t->cx->scratch, IrType, products->len);
	for (uint32_t i = 0; i < products->len; i++) {
		values[i] = &products->data[i]->results[0];
		types[i] = values[i]->type;
	}
	IrBuilder b = ir_at(t->m, before);
	b.loc = products->data[0]->loc;
	IrOp *wait = irb_op(&b, OP_WARP_GROUP_DOT_WAIT, values, products->len, types, products->len, 0);
	ir_set(t->m, wait, ATTR_PENDINGS, ir_attr_i32(t->gpu->ir, 0));
	for (uint32_t i = 0; i < products->len; i++) {
		ir_replace_uses(values[i], &wait->results[i]);
		ir_operand_set(wait, i, values[i]);
	}
}

/* They are issued in turns too, so that what threads make of them is out of step from the start. */
static bool take_first_turns(const Turns *t)
{
	Products products = {0};
	find_first(t, &products);
	if (!products.len)
		return false;
	IrOp *first = products.data[products.len - 1], *behind = products.data[0]->next;
	put(t, first, OP_BEGIN_TURNS, t->loop);
	put(t, first, OP_TAKE_TURN, first);
	put(t, behind, OP_PASS_TURN, first);
	await(t, behind, &products);
	for (uint32_t i = 0; i < products.len; i++)
		ir_set(t->m, products.data[i], ATTR_IS_ASYNC, ir_attr_bool(t->gpu->ir, true));
	return true;
}

/* ---- the loop ---- */

static void take_turns(const Turns *t)
{
	const GpuTurns *plan = &t->plan;
	if (plan->around || !take_first_turns(t))
		put(t, t->loop, OP_BEGIN_TURNS, t->loop);
	if (plan->around) {
		put(t, t->loop, OP_TAKE_TURN, t->loop);
		/* The assembler would wait for the turn first of all. */
		pipeline_compute_first(t->m, t->cx->scratch, plan->take);
	}
	IrOp *spot = put(t, plan->take, OP_TAKE_TURN, plan->take);
	put(t, plan->pass->next, OP_PASS_TURN, plan->pass);
	move_copies(t, spot);
	if (!plan->around)
		put(t, t->loop->next, OP_TAKE_TURN, t->loop);
	IrOp *behind = t->loop->next;
	put_last(t, plan->around ? behind : behind->next);
}

bool pass_take_turns(PassCx *cx, bool *changed)
{
	IrOpVec loops = ir_collect(cx->scratch, cx->module->op, true, OP_FOR, OP_FOR);
	for (uint32_t i = 0; i < loops.len; i++) {
		Turns t = {.cx = cx, .gpu = gpu_of(cx), .m = cx->module, .loop = loops.data[i]};
		gpu_turns(t.gpu, t.loop, &t.plan);
		if (!t.plan.take)
			continue;
		gpu_remark_of(t.gpu, t.loop, NULL, REMARK_LOOP_TURNS, t.plan.groups, t.plan.products);
		take_turns(&t);
		*changed = true;
	}
	return true;
}
