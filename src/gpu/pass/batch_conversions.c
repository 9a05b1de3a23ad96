/* batch-conversions: neighbouring conversions through shared memory store together and load
 * together, with one barrier in between instead of one each.
 *
 * Needs: TTGIR with its final layouts. Keeps: effects and values.
 *	b = convert a; d = convert c    becomes    m = alloc a; n = alloc c; b = load m; d = load n
 * with the memory layouts that the plans of the conversions chose. Conversions of a block are
 * batched where nothing between the first and the last uses one of the results, enters a region or
 * synchronises; their memory, with that of batches before whose loads are still to come, must leave
 * room for another CTA on the SM. Each load is sunk to the first use of its elements. */
#include "gpu/gpu.h"
#include "gpu/memory/memory.h"

enum { SHARED_SPACE = 0 };

typedef struct Member {
	IrOp *op;
	const LayoutPlan *plan;
} Member;

typedef struct Batch {
	PassCx *cx;
	GpuCx *gpu;
	VEC(Member) members;
	VEC(IrOp *) waiting; /* loads of earlier ones that are further down in the block */
	uint64_t bytes, limit;
	uint64_t held; /* by those that wait */
	bool changed;
} Batch;

static const LayoutPlan *shared_plan(const Batch *b, const IrOp *op)
{
	GpuCx *gpu = b->gpu;
	if (op->kind != OP_CONVERT_LAYOUT)
		return NULL;
	IrType type = op->results[0].type;
	if (!ir_is_scalar(type->elem) || type->elem->bits < 8 || gpu->num_ctas > 1)
		return NULL;
	const Layout *from = gpu_layout(gpu, ir_operand(op, 0)->type), *to = gpu_layout(gpu, type);
	const LayoutPlan *plan = layout_plan(&gpu->layouts, from, to, type->elem->bits, &gpu->plan_target);
	bool whole = plan->kind == LAYOUT_PLAN_SHARED && plan->passes == 1 && !plan->repetitions_take_turns;
	return whole && layout_space_reps(&plan->source->out) == 1 ? plan : NULL;
}

/* The first op of the block, from `from` on, that needs the value or holds one that does. */
static IrOp *first_user(const IrValue *v, IrOp *from)
{
	IrOp *first = NULL;
	for (const IrUse *u = v->uses; u; u = u->next) {
		IrOp *op = u->owner;
		while (op->block != from->block)
			op = ir_parent_op(op);
		for (IrOp *at = first ? first->prev : NULL; at && first != op; at = at->prev)
			if (at == op)
				first = op;
		first = first ? first : op;
	}
	return first ? first : from;
}

/* here: the op that is looked at; what it needs is loaded in front of it; NULL: the block ends. */
static void close_batch(Batch *b, const IrOp *here)
{
	IrModule *m = b->cx->module;
	uint32_t n = b->members.len;
	b->members.len = 0;
	b->bytes = 0;
	if (n < 2)
		return;
	for (uint32_t i = 0; i < n; i++) {
		IrOp *op = b->members.data[i].op;
		IrType type = op->results[0].type;
		IrAttr encoding =
			gpu_encoding(b->gpu, layout_plan_memory(&b->gpu->layouts, b->members.data[i].plan));
		IrType memory = ir_memdesc(b->gpu->ir, type->elem, type->shape, type->rank, encoding,
					   SHARED_SPACE, false);
		IrOp *user = first_user(&op->results[0], op->next);
		IrBuilder store = ir_at(m, op), load = ir_at(m, user);
		load.loc = op->loc;
		IrValue *at = irb_1(&store, OP_LOCAL_ALLOC, memory, ir_operand(op, 0));
		IrValue *read = irb_1(&load, OP_LOCAL_LOAD, type, at);
		ir_replace_uses(&op->results[0], read);
		ir_op_erase(op);
		if (!here || user == here)
			continue;
		vec_push(b->cx->scratch, &b->waiting, read->def);
		b->held += gpu_memdesc_bytes(b->gpu, memory);
	}
	b->changed = true;
}

static bool uses_member(const Batch *b, const IrOp *op)
{
	for (uint32_t i = 0; i < op->operand_count; i++)
		for (uint32_t k = 0; k < b->members.len; k++)
			if (ir_operand(op, i) == &b->members.data[k].op->results[0])
				return true;
	return false;
}

/* The memory of a load that waited is free behind it. */
static void end_waiting(Batch *b, const IrOp *load)
{
	for (uint32_t i = 0; i < b->waiting.len; i++)
		if (b->waiting.data[i] == load) {
			b->held -= gpu_memdesc_bytes(b->gpu, ir_operand(load, 0)->type);
			b->waiting.data[i] = b->waiting.data[--b->waiting.len];
			return;
		}
}

static void visit_op(Batch *b, IrOp *op)
{
	const LayoutPlan *plan = shared_plan(b, op);
	if (op->kind == OP_LOCAL_LOAD)
		end_waiting(b, op);
	bool combines = op->kind == OP_REDUCE || op->kind == OP_SCAN || op->kind == OP_MAP_ELEMENTWISE;
	bool apart = op->region_count && !combines;
	if (apart || ir_has_trait(op, TRAIT_SYNC | TRAIT_TERM) || uses_member(b, op))
		close_batch(b, op);
	if (!plan)
		return;
	if (b->bytes + b->held + plan->cost.shared_bytes > b->limit)
		close_batch(b, op);
	if (b->held && b->held + plan->cost.shared_bytes > b->limit)
		return;
	Member member = {op, plan};
	vec_push(b->cx->scratch, &b->members, member);
	b->bytes += plan->cost.shared_bytes;
}

static bool visit_regions(void *data, IrOp *op)
{
	Batch *b = data;
	for (uint32_t r = 0; r < op->region_count; r++) {
		for (IrBlock *block = op->regions[r].first; block; block = block->next) {
			for (IrOp *inner = block->first, *next; inner; inner = next) {
				next = inner->next;
				visit_op(b, inner);
			}
			close_batch(b, NULL);
			b->waiting.len = 0;
			b->held = 0;
		}
	}
	return true;
}

/* Memory that is there already (rings) is not for conversions. */
static bool subtract_memory(void *data, IrOp *op)
{
	Batch *b = data;
	if (op->kind == OP_LOCAL_ALLOC)
		b->limit -= MIN(b->limit, gpu_memdesc_bytes(b->gpu, op->results[0].type));
	return true;
}

bool pass_batch_conversions(PassCx *cx, bool *changed)
{
	Batch b = {.cx = cx, .gpu = gpu_of(cx)};
	b.limit = MIN(b.gpu->target->shared_cta, b.gpu->target->shared_sm / 2 - TARGET_SHARED_RESERVED);
	ir_walk(cx->module->op, false, subtract_memory, &b);
	ir_walk(cx->module->op, true, visit_regions, &b);
	*changed = b.changed;
	return true;
}
