/* What an op touches of shared memory. */
#include "gpu/memory/barriers_int.h"

/* The bytes of buffer `alloc` that a memdesc may be: all of it, or the one that constant indices choose. */
static GpuBytes bytes_of(const GpuBarriers *w, const IrValue *memory, const IrOp *alloc)
{
	uint64_t base = gpu_shared_offset(w->gpu, alloc), lo = base;
	GpuBytes whole = {base, base + gpu_memdesc_bytes(w->gpu, alloc->results[0].type)};
	for (const IrOp *view = memory->def; view != alloc; view = ir_operand(view, 0)->def) {
		int64_t index;
		if (!view)
			return whole;
		if (view->kind == OP_MEMDESC_INDEX && ir_constant_int(ir_operand(view, 1), &index))
			lo += (uint64_t)index * gpu_memdesc_bytes(w->gpu, view->results[0].type);
		else if (view->kind != OP_MEMDESC_TRANS && view->kind != OP_MEMDESC_RESHAPE)
			return whole;
	}
	return (GpuBytes){lo, lo + gpu_memdesc_bytes(w->gpu, memory->type)};
}

static void touch(const GpuBarriers *w, GpuEffects *e, const IrValue *memory, bool write, bool under_way)
{
	for (uint32_t i = 0; i < w->aliases->count; i++) {
		if (gpu_may_be(w->aliases, memory, i))
			vec_push(w->arena, &e->touches,
				 (GpuTouch){.span = bytes_of(w, memory, w->aliases->allocs[i]), .write = write, .under_way = under_way});
	}
}

static void memory_effects(const GpuBarriers *w, const IrOp *op, GpuEffects *e)
{
	switch (op->kind) {
	case OP_LOCAL_ALLOC:
		if (op->operand_count)
			touch(w, e, ir_result(op, 0), true, false);
		return;
	case OP_LOCAL_STORE:
		touch(w, e, ir_operand(op, 1), true, false);
		return;
	case OP_ASYNC_COPY:
		touch(w, e, ir_operand(op, 1), true, true);
		for (uint32_t i = 0; i < e->touches.len; i++)
			e->touches.data[i].free_slot = ir_get_bool(op, w->gpu->ir, ATTR_FREE_SLOT);
		e->counted = ir_get_bool(op, w->gpu->ir, ATTR_COUNTED);
		return;
	case OP_TMA_LOAD:
	case OP_TMA_STORE:
	case OP_TMA_REDUCE:
		touch(w, e, ir_operand(op, 1), op->kind == OP_TMA_LOAD, false);
		for (uint32_t i = 0; i < e->touches.len; i++)
			e->touches.data[i].free_slot = ir_get_bool(op, w->gpu->ir, ATTR_FREE_SLOT);
		e->tensor = true;
		return;
	case OP_WAIT_BARRIER:
	case OP_WAIT_FREE:
	case OP_ARRIVE_BARRIER:
		touch(w, e, ir_operand(op, 0), false, false);
		return;
	case OP_TMA_STORE_WAIT: /* one thread's: the others meet it before they write there */
		for (uint32_t i = 0; i < op->operand_count; i++)
			touch(w, e, ir_operand(op, i), false, false);
		return;
	case OP_INIT_BARRIER:
	case OP_INVAL_BARRIER:
		touch(w, e, ir_operand(op, 0), true, false);
		return;
	case OP_TMA_STORE_ROWS: /* its groups meet by themselves, in memory of their own */
	case OP_BARRIER_EXPECT: /* of the thread that made it */
	case OP_LOCAL_DEALLOC:
		return;
	case OP_WARP_GROUP_DOT:
		for (uint32_t i = 0; i < 2; i++)
			if (ir_operand(op, i)->type->kind == TY_MEMDESC)
				touch(w, e, ir_operand(op, i), false, false);
		e->product = true;
		e->async = ir_get_bool(op, w->gpu->ir, ATTR_IS_ASYNC);
		return;
	default:
		if (ir_has_trait(op, TRAIT_VIEW) || ir_has_trait(op, TRAIT_TERM))
			return;
		for (uint32_t i = 0; i < op->operand_count; i++) {
			if (ir_operand(op, i)->type->kind != TY_MEMDESC)
				continue;
			touch(w, e, ir_operand(op, i), false, false);
			if (ir_has_trait(op, TRAIT_WRITE | TRAIT_SYNC))
				touch(w, e, ir_operand(op, i), true, false);
		}
	}
}

/* The memory that the op fills or reads, where each thread does that for itself; NULL: none. */
static const IrOp *own_memory(const GpuBarriers *w, const IrOp *op)
{
	const IrOp *alloc = op->kind == OP_LOCAL_LOAD	? ir_operand(op, 0)->def
			    : op->kind == OP_LOCAL_STORE ? ir_operand(op, 1)->def
							 : op;
	bool own = alloc && alloc->kind == OP_LOCAL_ALLOC && ir_get_bool(alloc, w->gpu->ir, ATTR_OWN);
	return own ? alloc : NULL;
}

static GpuEffects find_effects(const GpuBarriers *w, const IrOp *op)
{
	GpuEffects e = {0};
	const IrOp *own = own_memory(w, op);
	if (own) {
		uint64_t lo = gpu_shared_offset(w->gpu, own);
		e.scratch = e.own_warp = true;
		e.scratch_span = (GpuBytes){lo, lo + gpu_memdesc_bytes(w->gpu, own->results[0].type)};
		e.plan = own;
		return e;
	}
	memory_effects(w, op, &e);
	GpuScratch scratch = gpu_scratch(w->gpu, op);
	if (scratch.bytes) {
		uint64_t lo = gpu_shared_offset(w->gpu, op);
		e.scratch = true;
		e.scratch_span = (GpuBytes){lo, lo + scratch.bytes};
		e.own_warp = scratch.own_warp;
		e.meets = !scratch.own_warp;
		if (op->kind == OP_CONVERT_LAYOUT && scratch.own_warp) {
			IrType from = ir_operand(op, 0)->type;
			e.plan = gpu_convert_plan(w->gpu, gpu_layout(w->gpu, from),
						  gpu_layout(w->gpu, op->results[0].type), from->elem);
		}
	}
	return e;
}

const GpuEffects *gpu_effects_of(GpuBarriers *w, const IrOp *op)
{
	CONTRACT(op->block);
	GpuEffects **e = &w->effects[op->id];
	if (!*e) {
		*e = ARENA_NEW(w->arena, GpuEffects);
		**e = find_effects(w, op);
	}
	return *e;
}
