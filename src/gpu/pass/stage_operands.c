/* stage-operands: a loop-invariant dot operand moves to shared memory where the loop's threads
 * lack the registers for it (the rows of Q in attention with long rows).
 *
 * Needs: TTGIR with its final layouts, before `pipeline`, whose rings get the memory that is left.
 * Keeps: effects and values. Method: while the loop runs a thread holds the carried values, the
 * result of the largest dot, and operands from outside. If that exceeds its registers, such an
 * operand is stored once and loaded in front of each dot, which costs less than the assembler's
 * spills would. */
#include "gpu/analysis/pressure.h"
#include "gpu/loop/schedule.h"

enum { SHARED_SPACE = 0 };

typedef struct Staging {
	PassCx *cx;
	GpuCx *gpu;
} Staging;

typedef struct Held {
	GpuCx *gpu;
	const IrOp *loop;
	const IrValue *counted[8];
	unsigned count, outside, result;
} Held;

static bool count_dot(void *data, IrOp *op)
{
	Held *h = data;
	if (op->kind != OP_DOT)
		return true;
	bool carried = ir_operand(op, 2)->block == h->loop->regions[0].first;
	h->result = MAX(h->result, carried ? 0 : gpu_words(h->gpu, op->results[0].type));
	for (uint32_t i = 0; i < 2; i++) {
		const IrValue *v = ir_operand(op, i);
		bool again = !ir_is_defined_outside(v, h->loop);
		for (unsigned k = 0; k < h->count; k++)
			again |= h->counted[k] == v;
		if (again || h->count == ARRAY_LEN(h->counted))
			continue;
		h->counted[h->count++] = v;
		h->outside += gpu_words(h->gpu, v->type);
	}
	return true;
}

static bool is_crowded(GpuCx *gpu, IrOp *loop)
{
	CONTRACT(loop->region_count);
	const IrBlock *body = loop->regions[0].first;
	Held h = {.gpu = gpu, .loop = loop};
	unsigned carried = 0;
	for (uint32_t i = 1; i < body->arg_count; i++)
		if (ir_is_tensor(body->args[i]->type) && !ir_is_ptr(body->args[i]->type->elem))
			carried += gpu_words(gpu, body->args[i]->type);
	ir_walk(loop, false, count_dot, &h);
	return carried + h.result + h.outside > gpu->target->budgets->loop_of_dots;
}

/* Does a dot of a crowded loop take the value, which is from outside, as operand 0 or 1? */
static bool is_staged(const Staging *s, const IrUse *use)
{
	IrOp *dot = use->owner;
	if (dot->kind != OP_DOT || use == &dot->operands[2])
		return false;
	IrOp *loop = ir_parent_op(dot);
	return loop->kind == OP_FOR &&
	       ir_is_defined_outside(ir_operand(dot, (uint32_t)(use - dot->operands)), loop) && is_crowded(s->gpu, loop);
}

static bool stage(const Staging *s, IrOp *conversion)
{
	IrValue *source = ir_operand(conversion, 0), *wanted = &conversion->results[0], *memory = NULL;
	IrType tile = source->type;
	VEC(IrUse *) uses = {0};
	unsigned width = 16;
	const TargetGpu *target = s->gpu->target;
	for (IrUse *u = wanted->uses; u; u = u->next)
		if (is_staged(s, u))
			vec_push(s->cx->scratch, &uses, u);
	uint64_t bytes = (uint64_t)ir_numel(tile) * tile->elem->bits / 8;
	if (!uses.len || !source->def || source != &source->def->results[0] || tile->elem->bits < 8 ||
	    bytes > target->shared_cta / target->budgets->staged_operand)
		return false;
	const Layout *l = schedule_memory(s->gpu, source->def, &width);
	if (!l)
		return false;
	IrBuilder b = ir_at(s->cx->module, conversion);
	IrType type = ir_memdesc(s->gpu->ir, tile->elem, tile->shape, tile->rank, gpu_encoding(s->gpu, l), SHARED_SPACE, false);
	memory = irb_1(&b, OP_LOCAL_ALLOC, type, source);
	for (uint32_t i = 0; i < uses.len; i++) {
		IrOp *dot = uses.data[i]->owner;
		uint32_t operand = (uint32_t)(uses.data[i] - dot->operands);
		IrBuilder at = ir_at(s->cx->module, dot);
		ir_operand_set(dot, operand, irb_1(&at, OP_LOCAL_LOAD, wanted->type, memory));
	}
	return true;
}

bool pass_stage_operands(PassCx *cx, bool *changed)
{
	Staging s = {.cx = cx, .gpu = gpu_of(cx)};
	if (s.gpu->num_ctas > 1) /* an operand may be in another CTA's registers */
		return true;
	IrOpVec conversions =
		ir_collect(cx->scratch, cx->module->op, false, OP_CONVERT_LAYOUT, OP_CONVERT_LAYOUT);
	for (uint32_t i = 0; i < conversions.len; i++)
		*changed = stage(&s, conversions.data[i]) || *changed;
	return true;
}
