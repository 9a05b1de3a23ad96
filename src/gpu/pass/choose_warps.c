/* choose-warps: doubles num_warps of a kernel whose product loops accumulate more than its threads
 * can hold, where warps form warpgroups.
 *
 * Needs: TTIR. Keeps: what is computed; num_warps only says how a program is spread over threads,
 * which it cannot observe. Kernels with inline assembly or calls that may look at threads keep
 * what was asked for. Method: loop-carried accumulators are in registers all the time.
 * (Attention's backward with head dim 128, 128 keys and 4 warps: sums alone would take 256 of a
 * thread's 255 registers.) */
#include "gpu/gpu.h"
#include "gpu/plan/dot.h"
#include "gpu/remark.h"

enum { WARPS_OF_A_GROUP = 4, MOST_WARPS = 8 };

typedef struct Chooser {
	GpuCx *gpu;
	const IrOp *loop; /* that carries most */
	uint64_t words;   /* of all threads */
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

static bool visit(void *data, IrOp *op)
{
	Chooser *c = data;
	c->looks |= op->kind == OP_INLINE_ASM || op->kind == OP_CALL;
	c->looks |= op->kind == OP_EXTERN && !ir_is_pure(op);
	if (op->kind != OP_FOR)
		return true;
	uint64_t words = gpu_holds_dot(op) ? words_carried(op) : 0;
	if (words > c->words) {
		c->words = words;
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
	uint64_t each = c.words / (TARGET_WARP_SIZE * asked);
	if (c.looks || each <= c.gpu->target->budgets->carried_sums)
		return true;
	*warps = MOST_WARPS;
	*changed = true;
	gpu_remark_of(c.gpu, c.loop, NULL, REMARK_REGISTERS_WARPS, *warps, asked, (unsigned)each);
	return true;
}
