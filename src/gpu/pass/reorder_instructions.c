/* reorder-instructions: tiles that are cheap to compute (ranges, splats, index arithmetic on them) are computed
 * just before they are first needed, so that they hold no registers over loops that do not use them.
 *
 * A load whose tile only the next iteration of its loop takes starts with the iteration, so that what the loop does
 * meanwhile, its barriers too, hides the way to memory.
 *
 * Needs: TTGIR with its final layouts. Keeps: effects and values. Ops stay in their block; what a loop does not
 * change stays in front of it.
 * Method: a block is gone over in order; each op that is not cheap first fetches what it and the ops inside it
 * need. */
#include "gpu/analysis/late.h"
#include "gpu/analysis/pressure.h"
#include "gpu/choose/choose.h"

enum { MOST_WORDS = 32 /* of a tile that starts early: so many registers more */, MOST_NEEDED = 64 };

typedef struct Order {
	PassCx *cx;
	GpuCx *gpu;
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

/* ---- loads for the next iteration ---- */

/* May a load from global memory go in front of it? */
static bool lets_pass(const IrOp *op)
{
	switch (op->kind) {
	case OP_LOCAL_ALLOC:
	case OP_LOCAL_STORE:
	case OP_ASYNC_COPY:
	case OP_ASYNC_COMMIT:
	case OP_ASYNC_WAIT:
		return true;
	default:
		return ir_is_pure(op) || (!op->region_count && !ir_has_trait(op, TRAIT_WRITE | TRAIT_SYNC));
	}
}

/* What of its block an address or a mask is computed from, in order; false: not from what is cheap alone. */
typedef struct Needed {
	IrOp *ops[MOST_NEEDED];
	unsigned count;
} Needed;

static bool need(Needed *needed, const IrBlock *block, IrOp *user)
{
	for (uint32_t i = 0; i < user->operand_count; i++) {
		IrOp *op = ir_operand(user, i)->def;
		bool known = !op || op->block != block;
		for (unsigned k = 0; k < needed->count && !known; k++)
			known = needed->ops[k] == op;
		if (known)
			continue;
		bool cheap = ir_is_pure(op) && !op->region_count && (ir_has_trait(op, TRAIT_REMAT) || !ir_is_tensor(op->results[0].type));
		if (!cheap || !need(needed, block, op) || needed->count == MOST_NEEDED)
			return false;
		needed->ops[needed->count++] = op;
	}
	return true;
}

static void start_early(Order *o, IrOp *load)
{
	IrBlock *block = load->block;
	Needed needed = {.count = 0};
	bool crosses = false;
	for (const IrOp *op = load->prev; op; op = op->prev) {
		if (!lets_pass(op))
			return;
		crosses = crosses || !is_free_op(o, op);
	}
	if (!crosses || !need(&needed, block, load))
		return;
	IrOp *first = block->first;
	for (unsigned k = 0; k <= needed.count; k++) {
		IrOp *op = k < needed.count ? needed.ops[k] : load;
		if (op == first) {
			first = first->next;
			continue;
		}
		ir_op_unlink(op);
		ir_op_insert_before(op, first);
	}
	o->changed = true;
}

static void order_loads(Order *o, IrBlock *block)
{
	for (IrOp *op = block->first, *next; op; op = next) {
		next = op->next;
		if (op->kind == OP_LOAD && ir_is_tensor(op->results[0].type) && !ir_is_volatile(op) &&
		    gpu_words(o->gpu, op->results[0].type) <= MOST_WORDS && gpu_is_carried_alone(&op->results[0]))
			start_early(o, op);
	}
}

static bool visit(void *data, IrOp *op)
{
	if (op->kind == OP_FOR)
		order_loads(data, op->regions[0].first);
	for (uint32_t r = 0; r < op->region_count; r++)
		for (IrBlock *b = op->regions[r].first; b; b = b->next)
			order_block(data, b);
	return true;
}

bool pass_reorder_instructions(PassCx *cx, bool *changed)
{
	Order o = {.cx = cx, .gpu = gpu_of(cx)};
	o.is_free = ARENA_ARRAY(cx->scratch, bool, cx->module->next_value);
	o.placed = ARENA_ARRAY(cx->scratch, bool, cx->module->next_op);
	ir_walk(cx->module->op, false, find_free, &o);
	ir_walk(cx->module->op, true, visit, &o);
	*changed = o.changed;
	return true;
}
