/* The shared memory that the lowering of an op uses as scratch. Each hook asks the function that
 * plans the op, so the two agree. */
#include "gpu/memory/memory.h"

#include "gpu/plan/dot.h"

/* ---- conversions ---- */

const LayoutPlan *gpu_convert_plan(GpuCx *cx, const Layout *from, const Layout *to, IrType elem)
{
	CONTRACT(from && to && layout_space_equal(&from->out, &to->out));
	return layout_plan(&cx->layouts, from, to, gpu_element_bits(elem), &cx->plan_target);
}

const LayoutPlan *gpu_convert_plan_shared(GpuCx *cx, const Layout *from, const Layout *to, IrType elem)
{
	CONTRACT(from && to && layout_space_equal(&from->out, &to->out));
	return layout_plan_shared(&cx->layouts, from, to, gpu_element_bits(elem), &cx->plan_target);
}

static GpuScratch scratch_of_plan(const LayoutPlan *plan)
{
	GpuScratch scratch = {0, 16, false};
	if (plan->kind != LAYOUT_PLAN_SHARED)
		return scratch;
	scratch.bytes = plan->cost.shared_bytes;
	scratch.own_warp = true;
	for (uint32_t i = 0; i < plan->step_count; i++) {
		if (plan->steps[i].kind == LAYOUT_STEP_BARRIER && plan->steps[i].barrier != LAYOUT_BARRIER_WARP)
			scratch.own_warp = false;
	}
	return scratch;
}

GpuScratch gpu_convert_scratch(GpuCx *cx, const Layout *from, const Layout *to, IrType elem)
{
	return scratch_of_plan(gpu_convert_plan(cx, from, to, elem));
}

/* ---- atomics and volatile loads: threads that hold copies get what one of them asked for ---- */

static GpuScratch scratch_of_copies(GpuCx *cx, const IrOp *op)
{
	IrType type = op->results[0].type;
	if (!ir_is_tensor(type))
		return (GpuScratch){gpu_element_bits(type) / 8, 16, false};
	const Layout *l = gpu_layout(cx, type);
	if (!(layout_free_bits(l, LAYOUT_LANE) | layout_free_bits(l, LAYOUT_WARP) | layout_free_bits(l, LAYOUT_BLOCK)))
		return (GpuScratch){0, 0, false};
	GpuScratch scratch = scratch_of_plan(gpu_convert_plan_shared(cx, l, l, type->elem));
	if (layout_free_bits(l, LAYOUT_BLOCK)) { /* an element of each thread, for other CTAs */
		uint64_t threads = (uint64_t)TARGET_WARP_SIZE * gpu_num_warps(cx, op);
		uint64_t bytes = threads * gpu_element_bits(type->elem) / 8;
		scratch = (GpuScratch){MAX(scratch.bytes, bytes), 16, false};
	}
	return scratch;
}

GpuScratch gpu_scratch_atomic(GpuCx *cx, const IrOp *op)
{
	return op->results[0].uses ? scratch_of_copies(cx, op) : (GpuScratch){0, 0, false};
}

/* Threads that loaded by themselves what others change meanwhile could go different ways. */
GpuScratch gpu_scratch_load(GpuCx *cx, const IrOp *op)
{
	bool alone = gpu_num_warps(cx, op) == 1 && cx->num_ctas == 1;
	if (cx->portable_order || !ir_is_volatile(op) || !op->results[0].uses || alone)
		return (GpuScratch){0, 0, false};
	return scratch_of_copies(cx, op);
}

/* ---- warps with roles: what to do next, and what partitions take ---- */

GpuScratch gpu_scratch_roles(GpuCx *cx, const IrOp *op)
{
	(void)cx;
	return (GpuScratch){GPU_CAPTURE_BYTES * (1 + (uint64_t)op->operand_count), 16, false};
}

/* ---- any op ---- */

GpuScratch gpu_scratch_none(GpuCx *cx, const IrOp *op)
{
	(void)cx, (void)op;
	return (GpuScratch){0, 0, false};
}

GpuScratch gpu_scratch_convert(GpuCx *cx, const IrOp *op)
{
	IrType from = ir_operand(op, 0)->type;
	return gpu_convert_scratch(cx, gpu_layout(cx, from), gpu_layout(cx, op->results[0].type), from->elem);
}

GpuScratch gpu_scratch_dot(GpuCx *cx, const IrOp *op)
{
	return (GpuScratch){gpu_dot_scratch(cx, op), 16, false};
}

GpuScratch gpu_scratch(GpuCx *cx, const IrOp *op)
{
#define TILES(layout, cost, scratch, axis, range) gpu_scratch_##scratch
	static GpuScratchFn *const hooks[OP__COUNT] = {
#define OP(name, text, levels, takes, gives, regions, traits, type, format, attrs, rules, tiles, doc) \
	[OP_##name] = tiles,
#include "ir/ops.def"
#undef OP
	};
	return hooks[op->kind](cx, op);
}

uint64_t gpu_memdesc_bytes(GpuCx *cx, IrType memdesc)
{
	CONTRACT(memdesc->kind == TY_MEMDESC);
	const Layout *l = gpu_layout(cx, memdesc);
	LayoutPadded padded;
	uint64_t elements = (uint64_t)layout_space_reps(&l->in) << layout_in_bits(l, LAYOUT_OFFSET);
	uint64_t used, all;
	if (gpu_padded(cx, memdesc, &padded))
		elements = layout_padded_size(&padded);
	else if (gpu_is_cut(memdesc->encoding, &used, &all))
		elements = elements / all * used;
	return elements * gpu_element_bits(memdesc->elem) / 8;
}

uint64_t gpu_shared_offset(const GpuCx *cx, const IrOp *op)
{
	return (uint64_t)ir_get_int(op, cx->ir, ATTR_SHARED_OFFSET, 0);
}
