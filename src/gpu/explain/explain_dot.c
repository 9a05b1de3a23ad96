/* Which instruction a dot uses, or why none. */
#include "gpu/explain/explain.h"
#include "gpu/plan/dot.h"
#include "gpu/plan/wgmma.h"
#include "ir/text/text.h"

static void explain_mma(GpuCx *cx, Arena *scratch, const IrOp *dot, const TargetMma *mma, const GpuDotPlan *plan)
{
	TargetProduct product = gpu_product_of(mma, ir_operand(dot, 1)->type->elem);
	const char *name = arena_printf(scratch, "mma.sync.%s", target_product_name(scratch, &product));
	Remark *r = gpu_remark_of(cx, dot, NULL, REMARK_DOT_MMA, name, plan->steps);
	remark_figure(r, "m", mma->m);
	remark_figure(r, "n", mma->n);
	remark_figure(r, "k", mma->k);
	remark_figure(r, "instructions", plan->steps);
	unsigned warps[2];
	const char *why;
	if (gpu_wgmma_for(cx, dot, false, warps, &why))
		why = ir_operand(dot, 0)->type->elem->bits == 32 ?
			      "operands of fp32 lie across K in memory, and wgmma wants one of them along K" :
			      "its operands do not fit into shared memory, beside those of others";
	if (why)
		gpu_remark_of(cx, dot, NULL, REMARK_DOT_NO_WGMMA, why);
	if (target_has(cx->target, TARGET_TCGEN05))
		gpu_remark_of(cx, dot, NULL, REMARK_DOT_NO_TCGEN05);
}

/* Is it still under way behind the next wait? */
static bool goes_on(const GpuCx *cx, const IrOp *dot)
{
	const IrUse *use = dot->results[0].uses;
	return ir_get_bool(dot, cx->ir, ATTR_IS_ASYNC) &&
	       !(use && use->owner->kind == OP_WARP_GROUP_DOT_WAIT && ir_get_int(use->owner, cx->ir, ATTR_PENDINGS, 0) == 0);
}

void gpu_explain_product(GpuCx *cx, Arena *scratch, const IrOp *dot)
{
	const char *why;
	const GpuWgmmaPlan *plan = gpu_wgmma_plan(cx, scratch, dot, &why);
	if (!plan)
		return;
	TargetProduct product = gpu_product_of(plan->mma, ir_operand(dot, 1)->type->elem);
	product.n = plan->n;
	const char *name = arena_printf(scratch, "wgmma.%s", target_product_name(scratch, &product));
	bool async = goes_on(cx, dot);
	const char *from = !plan->a	  ? "shared memory" :
			   plan->swapped ? "registers, which is operand 1, as both are turned round" :
					   "registers";
	Remark *r = gpu_remark_of(cx, dot, NULL, REMARK_DOT_WGMMA, name, plan->tiles * plan->steps, from,
				  async ? "goes on into the next iteration" : "is waited for");
	remark_figure(r, "m", plan->mma->m);
	remark_figure(r, "n", plan->n);
	remark_figure(r, "k", plan->mma->k);
	remark_figure(r, "instructions", plan->tiles * plan->steps);
	remark_figure(r, "asynchronous", async);
	int64_t columns = dot->results[0].type->shape[1];
	bool trimmed = plan->n > columns / 2;
	const unsigned most[] = {0, plan->steps * plan->mma->k, trimmed ? plan->n : (unsigned)columns};
	gpu_explain_padded(cx, dot, most);
}

/* Multiply-adds: `before` says of what, and the reason follows. */
static Remark *explain_none(GpuCx *cx, Arena *scratch, const IrOp *dot, const char *before)
{
	enum { ANY_K = 1024 };
	IrType at = ir_operand(dot, 0)->type, a = at->elem, b = ir_operand(dot, 1)->type->elem, c = dot->results[0].type->elem;
	IrPrecision precision = (IrPrecision)ir_get_int(dot, cx->ir, ATTR_INPUT_PRECISION, PREC_IEEE);
	int64_t k = at->shape[at->rank - 1];
	if (gpu_mma_for(cx->target, a, b, c, k, precision))
		return gpu_remark_of(cx, dot, before, REMARK_DOT_LAYOUT);
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

/* What is multiplied along K and N where padding is skipped, in whole instructions; 0: all. */
static void find_most(const GpuCx *cx, const IrOp *dot, const TargetMma *mma, unsigned *most)
{
	unsigned k = (unsigned)ir_get_int(dot, cx->ir, ATTR_USED_K, 0);
	unsigned n = (unsigned)ir_get_int(dot, cx->ir, ATTR_USED_N, 0);
	most[1] = (k + mma->k - 1) / mma->k * mma->k;
	most[2] = (n + mma->n - 1) / mma->n * mma->n;
}

void gpu_explain_dot(GpuCx *cx, Arena *scratch, const IrOp *dot)
{
	const GpuDotPlan *plan = gpu_dot_plan(cx, scratch, dot);
	unsigned most[3] = {0};
	if (plan && plan->kind == GPU_DOT_MMA)
		find_most(cx, dot, plan->mma, most);
	gpu_explain_padded(cx, dot, most);
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
