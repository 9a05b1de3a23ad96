/* reorder-instructions: shortens live ranges. Tiles that are cheap to compute (ranges, splats,
 * index arithmetic on them) are sunk to their first use, so they hold no registers across loops
 * that do not use them. A tile that is widened in front of a reduction and needed again behind it
 * stays narrow in between. Loads behind a reduction whose address differs between programs are
 * hoisted to the loads in front of it, if they hold few registers: memory then answers while lanes
 * and warps reduce.
 *
 * Needs: TTGIR with its final layouts. Keeps: effects and values. Ops stay in their block; loop
 * invariants stay in front of their loop. Method: go over a block in order; each op that is not
 * cheap first fetches what it and the ops inside it need. */
#include "gpu/analysis/pressure.h"
#include "gpu/choose/choose.h"
#include "gpu/gpu.h"
#include "gpu/memory/memory.h"
#include "gpu/pass/move_early.h"

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

/* A cast of a tile to wider elements. */
static bool is_widening(const IrOp *op)
{
	bool cast = op->kind == OP_EXTF || op->kind == OP_EXTSI || op->kind == OP_EXTUI ||
		    op->kind == OP_SITOFP || op->kind == OP_UITOFP;
	return cast && ir_is_tensor(op->results[0].type) &&
	       ir_elem(ir_operand(op, 0)->type)->bits < ir_elem(op->results[0].type)->bits;
}

static bool needs(const IrOp *op, const IrValue *v)
{
	for (const IrUse *u = v->uses; u; u = u->next)
		if (u->owner == op || ir_is_inside(u->owner, op))
			return true;
	return false;
}

/* Widening ops go to where they are first needed, where a reduction is in front of that: until
 * then lanes and warps meet. */
static void widen_late(Order *o, IrBlock *block)
{
	for (IrOp *op = block->last, *prev; op; op = prev) {
		prev = op->prev;
		if (!is_widening(op) || !op->results[0].uses)
			continue;
		bool waits = false;
		IrOp *at = op->next;
		for (; at && !needs(at, &op->results[0]); at = at->next)
			waits |= at->kind == OP_REDUCE || at->kind == OP_SCAN;
		if (!at || !waits)
			continue;
		ir_op_unlink(op);
		ir_op_insert_before(op, at);
		o->changed = true;
	}
}

enum { MOST_WORDS = 8, DEEPEST = 16 };

/* Is it another place for each program? What all of them load is soon in a cache. */
static bool is_own(const IrValue *v, unsigned depth)
{
	const IrOp *op = v->def;
	if (!op || depth > DEEPEST || op->region_count)
		return false;
	if (op->kind == OP_PROGRAM_ID || op->kind == OP_CTA_RANK)
		return true;
	for (uint32_t i = 0; i < op->operand_count; i++)
		if (is_own(ir_operand(op, i), depth + 1))
			return true;
	return false;
}

static bool is_reduction(const IrOp *op)
{
	return op->kind == OP_REDUCE || op->kind == OP_SCAN;
}

static bool is_plain_load(const IrOp *op)
{
	return op->kind == OP_LOAD && !ir_is_volatile(op);
}

/* Do threads meet there, which loads from global memory may pass? */
static bool is_meeting(GpuCx *gpu, const IrOp *op)
{
	return is_reduction(op) || (op->kind == OP_LOCAL_ALLOC && op->operand_count) ||
	       (op->kind == OP_CONVERT_LAYOUT && gpu_scratch(gpu, op).bytes);
}

/* The load behind which this one may stand, where threads meet between them and nothing but pure
 * ops and loads stand beside. */
static IrOp *load_in_front(GpuCx *gpu, IrOp *load)
{
	bool met = false;
	for (IrOp *at = load->prev; at; at = at->prev) {
		if (is_meeting(gpu, at))
			met = true;
		else if (is_plain_load(at) && met)
			return at;
		else if (!is_plain_load(at) && (!ir_is_pure(at) || at->region_count))
			return NULL;
	}
	return NULL;
}

static void load_early(Order *o, IrOp *load)
{
	IrOp *front = load_in_front(gpu_of(o->cx), load);
	o->changed |= front && gpu_move_behind(load, front);
}

static void load_own_early(Order *o, IrBlock *block)
{
	for (IrOp *op = block->first, *next; op; op = next) {
		next = op->next;
		if (is_plain_load(op) && ir_is_tensor(op->results[0].type) &&
		    gpu_words(gpu_of(o->cx), op->results[0].type) <= MOST_WORDS &&
		    is_own(ir_operand(op, 0), 0))
			load_early(o, op);
	}
}

static bool visit(void *data, IrOp *op)
{
	for (uint32_t r = 0; r < op->region_count; r++) {
		for (IrBlock *b = op->regions[r].first; b; b = b->next) {
			order_block(data, b);
			widen_late(data, b);
			load_own_early(data, b);
		}
	}
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
