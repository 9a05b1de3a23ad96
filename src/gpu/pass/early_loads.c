/* early-loads: a load whose tile only the next iteration of its loop takes, as authors write that who fetch ahead by hand,
 * starts with the iteration, so that all that the iteration does, its barriers too, hides the way to memory.
 *
 * Needs: TTGIR with its final layouts. Keeps: effects and values; nothing that is crossed writes global memory or orders it. */
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
		if (load->kind == OP_LOAD && ir_is_tensor(load->results[0].type) && !ir_is_volatile(load) &&
		    gpu_words(e->gpu, load->results[0].type) <= MOST_WORDS && gpu_is_carried_alone(&load->results[0]))
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
