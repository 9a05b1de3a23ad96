/* choose-warps: doubles num_warps of a kernel whose product loops accumulate more than its threads
 * can hold, where warps form warpgroups, alone or with the result of another product.
 *
 * Needs: TTIR. Keeps: what is computed; num_warps only says how a program is spread over threads,
 * which it cannot observe. Kernels with inline assembly or calls that may look at threads keep
 * what was asked for. Method: loop-carried accumulators are in registers all the time.
 * (Attention's backward with head dim 128, 128 keys and 4 warps: sums alone would take 256 of a
 * thread's 255 registers.) The result of a product that adds to none of them is there beside them
 * (attention's scores; what is scaled before it is added). */
#include "gpu/gpu.h"
#include "gpu/plan/dot.h"
#include "gpu/remark.h"

enum { WARPS_OF_A_GROUP = 4, MOST_WARPS = 8, ROWS_OF_A_WARP = 16 };

typedef struct Chooser {
	GpuCx *gpu;
	const IrOp *loop; /* that holds most */
	unsigned words;   /* of a thread, of those that are too many */
	bool looks;       /* the kernel may look at its threads */
} Chooser;

static uint64_t words_carried(const IrOp *loop)
{
	const IrBlock *body = loop->regions[0].first;
	uint64_t bits = 0;
	for (uint32_t i = 1; i < body->arg_count; i++) {
		IrType type = body->args[i]->type;
		if (ir_is_tensor(type) && ir_is_float(type->elem) && type->rank >= 2)
			bits += (uint64_t)ir_numel(type) * type->elem->bits;
	}
	return bits / 32;
}

/* Of the largest result that is there beside what the loop carries and whose rows suffice for the
 * warps that there would be: with fewer, two of them would share a row. */
static uint64_t words_beside(const IrOp *loop)
{
	uint64_t words = 0;
	for (const IrOp *op = loop->regions[0].first->first; op; op = op->next) {
		IrType type = op->kind == OP_DOT ? op->results[0].type : NULL;
		if (type && ir_constant_of(ir_operand(op, 2)) &&
		    type->shape[type->rank - 2] >= ROWS_OF_A_WARP * MOST_WARPS)
			words = MAX(words, (uint64_t)ir_numel(type) * type->elem->bits / 32);
	}
	return words;
}

static bool visit(void *data, IrOp *op)
{
	Chooser *c = data;
	c->looks |= op->kind == OP_INLINE_ASM || op->kind == OP_CALL;
	c->looks |= op->kind == OP_EXTERN && !ir_is_pure(op);
	if (op->kind != OP_FOR)
		return true;
	const TargetBudgets *budgets = c->gpu->target->budgets;
	unsigned threads = TARGET_WARP_SIZE * c->gpu->num_warps;
	unsigned carried = gpu_holds_dot(op) ? (unsigned)(words_carried(op) / threads) : 0;
	unsigned beside = (unsigned)(words_beside(op) / threads);
	bool many = carried > budgets->carried_sums ||
		    (carried && beside && carried + beside > budgets->sums_and_result);
	if (many && carried + beside > c->words) {
		c->words = carried + beside;
		c->loop = op;
	}
	return true;
}

bool pass_choose_warps(PassCx *cx, bool *changed)
{
	Chooser c = {.gpu = gpu_of(cx)};
	unsigned *warps = &c.gpu->num_warps, asked = *warps;
	if (!target_has(c.gpu->target, TARGET_WGMMA) || asked != WARPS_OF_A_GROUP || c.gpu->num_ctas > 1)
		return true;
	ir_walk(cx->module->op, false, visit, &c);
	if (c.looks || !c.loop)
		return true;
	*warps = MOST_WARPS;
	*changed = true;
	gpu_remark_of(c.gpu, c.loop, NULL, REMARK_REGISTERS_WARPS, *warps, asked, c.words);
	return true;
}
