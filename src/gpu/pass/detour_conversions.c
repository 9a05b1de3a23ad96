/* detour-conversions: a conversion that needs more shared memory than a CTA has, in any number of
 * passes, goes by way of a third layout.
 *
 * Needs: TTGIR with its final layouts. Keeps: effects and values. A conversion runs in passes over
 * the registers that its two layouts share. Where they share few, because each has in registers
 * what the other has in lanes and warps, a layout that takes half of its registers from either
 * shares some with both. */
#include "gpu/gpu.h"
#include "gpu/memory/memory.h"
#include "layout/f2.h"
#include "layout/plan.h"

enum { LANE_BITS = 5 };

static const LayoutPlan *plan_within(GpuCx *gpu, const Layout *from, const Layout *to, unsigned bits)
{
	LayoutTarget target = gpu->plan_target;
	target.shared_bytes = gpu->target->shared_cta;
	return layout_plan(&gpu->layouts, from, to, bits, &target);
}

static bool fits(GpuCx *gpu, const Layout *from, const Layout *to, unsigned bits)
{
	return plan_within(gpu, from, to, bits)->cost.shared_bytes <= gpu->target->shared_cta;
}

static bool is_plain(const Layout *l)
{
	return layout_space_reps(&l->out) == 1 && layout_in_bits(l, LAYOUT_BLOCK) == 0;
}

/* Registers by turns from the one and the other, their last ones first, as the first are vectors of accesses; what is left
 * goes to lanes and warps. NULL: the tile is too small. */
static const Layout *halfway(GpuCx *gpu, const Layout *from, const Layout *to)
{
	unsigned warps = layout_in_bits(from, LAYOUT_WARP), total = from->out_bits, n = 0;
	uint64_t a[64], b[64], bases[64];
	unsigned in_a = layout_bases(from, LAYOUT_REGISTER, a), in_b = layout_bases(to, LAYOUT_REGISTER, b);
	F2Span span = f2_span_none();
	if (total < LANE_BITS + warps)
		return NULL;
	unsigned registers = total - LANE_BITS - warps;
	for (unsigned i = 0; i < MAX(in_a, in_b); i++) {
		if (i < in_a && n < registers)
			n += f2_extend(&span, &a[in_a - 1 - i], 1, bases + n, 1);
		if (i < in_b && n < registers)
			n += f2_extend(&span, &b[in_b - 1 - i], 1, bases + n, 1);
	}
	n += f2_extend(&span, to->bases, to->in_bits, bases + n, 64 - n);
	ASSERT(n == total);
	LayoutSpace in = layout_space_of_threads(registers, LANE_BITS, warps, 0, 1);
	return layout_make(&gpu->layouts, &in, &from->out, bases);
}

static bool detour(PassCx *cx, IrOp *op)
{
	GpuCx *gpu = gpu_of(cx);
	IrType type = op->results[0].type;
	const Layout *from = gpu_layout(gpu, ir_operand(op, 0)->type), *to = gpu_layout(gpu, type);
	unsigned bits = gpu_element_bits(type->elem);
	if (!is_plain(from) || !is_plain(to) || fits(gpu, from, to, bits))
		return false;
	const Layout *between = halfway(gpu, from, to);
	if (!between || !fits(gpu, from, between, bits) || !fits(gpu, between, to, bits))
		return false;
	IrBuilder b = ir_at(cx->module, op);
	ir_operand_set(op, 0, gpu_convert(gpu, &b, ir_operand(op, 0), between));
	return true;
}

bool pass_detour_conversions(PassCx *cx, bool *changed)
{
	IrOpVec conversions =
		ir_collect(cx->scratch, cx->module->op, false, OP_CONVERT_LAYOUT, OP_CONVERT_LAYOUT);
	for (uint32_t i = 0; i < conversions.len; i++)
		*changed = detour(cx, conversions.data[i]) || *changed;
	return true;
}
