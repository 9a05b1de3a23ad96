/* flatten-tiles: tiles of a loop that shares them out among CTAs go on, as in a loop that asks for
 * it (flatten): copies of the next one's steps begin under the stores of this one.
 *
 * Needs: TTIR whose descriptors are tensor maps. Keeps: what is computed, as far as the order was
 * there before: loads through the author's descriptors are not ordered with stores through other
 * arguments (gpu/memory/global_order.c). Where a step loads through pointers, or through what a
 * store of the loop goes through, nothing is done, nor where programs may wait for one another, or
 * where the loop of steps asks for warps with roles itself.
 * Such kernels are launched with a CTA for each SM, so there is memory for more slots, and a warp
 * that copies (gpu/loop/roles.h). */
#include "gpu/gpu.h"
#include "gpu/layout/boxes.h"
#include "gpu/loop/roles.h"
#include "ir/enums.h"

/* From the CTA's number on, by as many as there are CTAs or by a number that is no less. */
static bool is_shared_out(const GpuCx *gpu, const IrOp *loop)
{
	const IrOp *from = ir_operand(loop, 0)->def, *step = ir_operand(loop, 2)->def;
	int64_t by;
	from = from && from->kind == OP_EXTSI ? ir_operand(from, 0)->def : from;
	step = step && step->kind == OP_EXTSI ? ir_operand(step, 0)->def : step;
	bool several = (ir_constant_int(ir_operand(loop, 2), &by) && by > 1) ||
		       (step && step->kind == OP_NUM_PROGRAMS);
	return ir_get_bool(loop, gpu->ir, ATTR_TILES) ||
	       (several && from && from->kind == OP_PROGRAM_ID);
}

static bool is_of_descriptor(const GpuCx *gpu, const IrOp *func, const IrValue *v)
{
	return gpu_is_map(v->type) && v->block == ir_func_body(func) &&
	       !gpu_map_is_of_pointers(gpu, func, v->index);
}

/* One product of what comes through the author's descriptors alone. */
static bool loads_by_descriptors(const GpuCx *gpu, const IrOp *func, const IrOp *steps)
{
	unsigned products = 0;
	bool good = true;
	for (const IrOp *op = steps->regions[0].first->first; op && good; op = op->next) {
		products += op->kind == OP_DOT;
		good = ir_has_trait(op, TRAIT_TERM) || (ir_is_droppable(op) && !op->region_count &&
							op->kind != OP_LOAD && op->kind != OP_DESC_GATHER);
		if (op->kind == OP_DESC_LOAD)
			good = is_of_descriptor(gpu, func, ir_operand(op, 0));
	}
	return good && products == 1;
}

/* May another program have written what a load behind this reads, or does it wait, or say
 * something? */
static bool find_meeting(void *data, IrOp *op)
{
	bool *found = data;
	bool stores = op->kind == OP_STORE || op->kind == OP_DESC_STORE || op->kind == OP_DESC_REDUCE;
	*found |= op->kind == OP_LOAD && ir_is_volatile(op);
	*found |= !stores && op->kind != OP_FOR && op->kind != OP_IF && ir_may_order(op);
	return !*found;
}

static bool can_go_on(PassCx *cx, const IrOp *func, IrOp *loop)
{
	const GpuCx *gpu = gpu_of(cx);
	IrOpVec inside = ir_collect(cx->scratch, loop, false, OP_FOR, OP_WHILE);
	IrOp *steps = inside.len == 1 ? inside.data[0] : NULL;
	if (!steps || steps->kind != OP_FOR || ir_parent_op(steps) != loop ||
	    ir_get_bool(steps, gpu->ir, ATTR_WARP_SPECIALIZE) || !is_shared_out(gpu, loop) ||
	    !loads_by_descriptors(gpu, func, steps) || gpu_stores_reach(gpu, loop, steps))
		return false;
	bool meets = false;
	ir_walk(loop, false, find_meeting, &meets);
	return !meets;
}

/* The function around it, where nothing but branches is between. (An early return of kernels whose
 * sizes may be 0 makes one.) */
static IrOp *func_around(const IrOp *loop)
{
	IrOp *around = ir_parent_op(loop);
	while (around && around->kind == OP_IF)
		around = ir_parent_op(around);
	return around && around->kind == OP_FUNC ? around : NULL;
}

bool pass_flatten_tiles(PassCx *cx, bool *changed)
{
	const GpuCx *gpu = gpu_of(cx);
	if (!gpu_may_map(gpu) || gpu->roles != GPU_ROLES_ASKED)
		return true;
	IrOpVec loops = ir_collect(cx->scratch, cx->module->op, false, OP_FOR, OP_FOR);
	for (uint32_t i = 0; i < loops.len; i++) {
		IrOp *loop = loops.data[i], *func = func_around(loop);
		if (!func || ir_get_bool(loop, gpu->ir, ATTR_FLATTEN) || !can_go_on(cx, func, loop))
			continue;
		ir_set(cx->module, loop, ATTR_FLATTEN, ir_attr_unit(gpu->ir));
		ir_set(cx->module, loop, ATTR_TILES, ir_attr_unit(gpu->ir));
		*changed = true;
	}
	return true;
}
