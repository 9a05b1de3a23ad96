/* Which instruction a dot is, or why none. */
#include "gpu/explain/explain.h"
#include "gpu/plan/dot.h"
#include "ir/text/text.h"

static void explain_mma(GpuCx *cx, Arena *scratch, const IrOp *dot, const TargetMma *mma, const GpuDotPlan *plan)
{
	IrType a = ir_operand(dot, 0)->type, b = ir_operand(dot, 1)->type, c = dot->results[0].type;
	const char *sum = gpu_mma_element(c->elem, false);
	const char *name = arena_printf(scratch, "mma.sync.m%un%uk%u.%s.%s.%s.%s", mma->m, mma->n, mma->k, sum,
					gpu_mma_element(a->elem, true), gpu_mma_element(b->elem, true), sum);
	Remark *r = gpu_remark_of(cx, dot, NULL, REMARK_DOT_MMA, name, plan->steps);
	remark_figure(r, "m", mma->m);
	remark_figure(r, "n", mma->n);
	remark_figure(r, "k", mma->k);
	remark_figure(r, "instructions", plan->steps);
	if (target_mma(cx->target, TARGET_MMA_WGMMA, mma->operand, mma->accumulator))
		gpu_remark_of(cx, dot, NULL, REMARK_DOT_NO_WGMMA, cx->target->name);
}

/* Multiply-adds: `before` says of what, and the reason follows. */
static Remark *explain_none(GpuCx *cx, Arena *scratch, const IrOp *dot, const char *before)
{
	enum { ANY_K = 1024 };
	IrType at = ir_operand(dot, 0)->type, a = at->elem, b = ir_operand(dot, 1)->type->elem, c = dot->results[0].type->elem;
	IrPrecision precision = (IrPrecision)ir_get_int(dot, cx->ir, ATTR_INPUT_PRECISION, PREC_IEEE);
	int64_t k = at->shape[at->rank - 1];
	if (gpu_mma_for(cx->target, a, b, c, k, precision))
		return gpu_remark_of(cx, dot, before, cx->num_ctas > 1 ? REMARK_DOT_CLUSTER : REMARK_DOT_LAYOUT);
	const char *type = ir_type_text(scratch, a);
	if (gpu_mma_for(cx->target, a, b, c, ANY_K, precision)) {
		int64_t least = k;
		while (!gpu_mma_for(cx->target, a, b, c, least, precision))
			least++;
		return gpu_remark_of(cx, dot, before, REMARK_DOT_SMALL_K, (long long)k, type, (unsigned)least);
	}
	if (a->kind == TY_F32 && gpu_mma_for(cx->target, a, b, c, ANY_K, PREC_TF32))
		return gpu_remark_of(cx, dot, before, REMARK_DOT_IEEE);
	return gpu_remark_of(cx, dot, before, REMARK_DOT_TYPES, cx->target->name, type, ir_type_text(scratch, b),
			     ir_type_text(scratch, c));
}

void gpu_explain_dot(GpuCx *cx, Arena *scratch, const IrOp *dot)
{
	const GpuDotPlan *plan = gpu_dot_plan(cx, scratch, dot);
	if (!plan)
		return;
	if (plan->kind == GPU_DOT_MMA) {
		explain_mma(cx, scratch, dot, plan->mma, plan);
		return;
	}
	uint64_t steps = (uint64_t)plan->steps << plan->round_bits;
	const char *from = plan->kind == GPU_DOT_FMA ? "registers" : "shared memory";
	const char *before = arena_printf(scratch, "%llu multiply-adds a thread, operands from %s: ", (unsigned long long)steps, from);
	Remark *r = explain_none(cx, scratch, dot, before);
	remark_figure(r, "instructions", (int64_t)steps);
	remark_figure(r, "from_shared_memory", plan->kind == GPU_DOT_SHARED);
	unsigned excess = 0;
	for (unsigned i = 0; i < 2 && plan->memory; i++)
		excess += plan->memory[i].load.wavefronts - plan->memory[i].load.least;
	remark_figure(r, "conflicts", excess);
}
