/* early-loads: a load that only the next iteration uses (prefetching written by hand) is hoisted
 * to the start of its iteration, so that the whole iteration, barriers included, hides its
 * latency.
 *
 * Needs: TTGIR with its final layouts. Keeps: effects and values; nothing that it is moved across
 * writes global memory or orders it. */
#include "gpu/analysis/late.h"
#include "gpu/analysis/pressure.h"
#include "gpu/gpu.h"

enum { MOST_WORDS = 32 /* of a tile: so many registers more */, MOST_NEEDED = 64 };

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
		return ir_is_pure(op) || (!op->region_count && !ir_may_order(op));
	}
}

/* What addresses and masks are computed from in the block; false: not from what is cheap alone. */
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
		bool cheap = ir_is_pure(op) && !op->region_count &&
			     (ir_has_trait(op, TRAIT_REMAT) || !ir_is_tensor(op->results[0].type));
		if (!cheap || !need(needed, block, op) || needed->count == MOST_NEEDED)
			return false;
		needed->ops[needed->count++] = op;
	}
	return true;
}

static void start_early(bool *changed, IrOp *load)
{
	IrBlock *block = load->block;
	Needed needed = {.count = 0};
	bool crosses = false;
	for (const IrOp *op = load->prev; op; op = op->prev) {
		if (!lets_pass(op))
			return;
		crosses = crosses || !ir_has_trait(op, TRAIT_REMAT);
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
	*changed = true;
}

typedef struct Early {
	GpuCx *gpu;
	bool *changed;
} Early;

static bool visit(void *data, IrOp *op)
{
	Early *e = data;
	if (op->kind != OP_FOR)
		return true;
	for (IrOp *load = op->regions[0].first->first, *next; load; load = next) {
		next = load->next;
		if (load->kind != OP_LOAD || ir_is_volatile(load))
			continue;
		const IrValue *tile = &load->results[0];
		if (ir_is_tensor(tile->type) && gpu_words(e->gpu, tile->type) <= MOST_WORDS &&
		    gpu_is_carried_alone(tile))
			start_early(e->changed, load);
	}
	return true;
}

bool pass_early_loads(PassCx *cx, bool *changed)
{
	Early e = {gpu_of(cx), changed};
	ir_walk(cx->module->op, false, visit, &e);
	return true;
}
