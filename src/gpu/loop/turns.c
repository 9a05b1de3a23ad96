#include "gpu/loop/turns.h"

#include "gpu/plan/price.h"
#include "gpu/plan/wgmma.h"

enum { WARPS_OF_A_GROUP = 4, LEAST_SLOTS = 3 };

static bool is_product(const IrOp *op)
{
	return op->kind == OP_WARP_GROUP_DOT;
}

/* Where there are no more slots than two, the tile that it waits for may come to the one that other
 * groups free when they have had their next turn. */
static bool may_come(const IrOp *wait)
{
	const IrOp *at = ir_operand(wait, 0)->def;
	return at && at->kind == OP_MEMDESC_INDEX && ir_operand(at, 0)->type->shape[0] >= LEAST_SLOTS;
}

bool gpu_is_light(const GpuCx *gpu, const IrOp *op)
{
	switch (op->kind) {
	case OP_WARP_GROUP_DOT_WAIT: return ir_get_int(op, gpu->ir, ATTR_PENDINGS, 0) > 0;
	case OP_WAIT_BARRIER:
	case OP_ARRIVE_BARRIER:
	case OP_YIELD: return true;
	default: break;
	}
	for (uint32_t i = 0; i < op->result_count; i++)
		if (ir_is_tensor(op->results[i].type) && !ir_has_trait(op, TRAIT_CONST))
			return false;
	return ir_is_pure(op) && !op->region_count;
}

/* The next product, round the loop; *light: there is little between; *comes: what is waited for
 * there comes meanwhile. */
static IrOp *next_product(const GpuCx *gpu, IrOp *dot, bool *light, bool *comes)
{
	IrBlock *body = dot->block;
	IrOp *op = dot->next ? dot->next : body->first;
	*light = *comes = true;
	while (!is_product(op)) {
		*light &= gpu_is_light(gpu, op);
		*comes &= op->kind != OP_WAIT_BARRIER || may_come(op);
		op = op->next ? op->next : body->first;
	}
	return op;
}

typedef struct Inner {
	const IrOp *loop;
	bool other, special;
} Inner;

/* Warps that meet in the loop stay in step. */
static bool visit(void *data, IrOp *op)
{
	Inner *in = data;
	in->other |= (op->kind == OP_FOR || op->kind == OP_WHILE) && op != in->loop;
	in->other |= op->kind == OP_CALL || op->kind == OP_BARRIER || op->kind == OP_WARP_SPECIALIZE;
	in->other |= op->kind == OP_ASYNC_WAIT; /* others wait for what this one's threads copy */
	in->other |= is_product(op) && op->block != in->loop->regions[0].first;
	in->special |= gpu_is_special(op);
	return !in->other;
}

/* Does shared memory leave an SM to one CTA? Others would fill what a turn leaves idle. */
static bool is_alone(const GpuCx *gpu, const IrOp *loop)
{
	enum { LEAST_REGISTERS = 32 };
	const IrOp *module = loop;
	TargetOccupancy o;
	while (ir_parent_op(module))
		module = ir_parent_op(module);
	unsigned bytes = (unsigned)ir_get_int(module, gpu->ir, ATTR_MODULE_SHARED, 0);
	target_occupancy(gpu->target, LEAST_REGISTERS, bytes, gpu_all_warps(gpu, module), &o);
	return o.ctas <= 1;
}

static bool may_take_turns(const GpuCx *gpu, IrOp *loop, bool *special)
{
	Inner in = {.loop = loop};
	unsigned warps = gpu_num_warps(gpu, loop);
	if (gpu->turns == GPU_TURNS_NONE || warps % WARPS_OF_A_GROUP || warps < 2 * WARPS_OF_A_GROUP ||
	    warps != gpu->num_warps)
		return false;
	ir_walk(loop, false, visit, &in);
	*special = in.special;
	return !in.other;
}

/* The ends of the one stretch that is not little; false: there is none, or several, or no turns are
 * possible: what a product reads while it is under way, nothing may come in front of. */
static bool find_turn(GpuCx *gpu, IrOp *first, GpuTurns *out)
{
	IrOp *dot = first;
	unsigned stretches = 0;
	do {
		bool light, comes;
		IrOp *next = next_product(gpu, dot, &light, &comes);
		if (!ir_get_bool(dot, gpu->ir, ATTR_IS_ASYNC) || (light && !comes) ||
		    gpu_wgmma_late_read(gpu, dot))
			return false;
		if (!light) {
			stretches++;
			out->pass = dot;
			out->take = next;
		}
		out->products++;
		dot = next;
	} while (dot != first);
	return stretches == 1;
}

void gpu_turns(GpuCx *gpu, IrOp *loop, GpuTurns *out)
{
	CONTRACT(loop->kind == OP_FOR && loop->region_count);
	IrOp *first = loop->regions[0].first->first;
	bool special = false;
	*out = (GpuTurns){0};
	if (!may_take_turns(gpu, loop, &special))
		return;
	while (first && !is_product(first))
		first = first->next;
	bool pays = gpu->turns == GPU_TURNS_ALL || (special && is_alone(gpu, loop));
	if (!first || !pays || !find_turn(gpu, first, out)) {
		out->take = out->pass = NULL;
		return;
	}
	out->around = out->take != first;
	out->groups = gpu->num_warps / WARPS_OF_A_GROUP;
}
