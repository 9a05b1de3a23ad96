/* Ops for TMA copies: shared memory for tiles where boxes may begin, and the mbarriers that count
 * their bytes. */
#include "gpu/memory/tensor_copies.h"

#include "gpu/memory/memory.h"
#include "layout/kinds.h"

enum { TMA_ALIGN = 128, SHARED_SPACE = 0 };

uint64_t gpu_map_bytes(GpuCx *cx, IrType map)
{
	return gpu_memdesc_bytes(cx, gpu_map_memdesc(cx, map));
}

static IrType buffers_of(GpuCx *cx, IrType one, uint32_t count)
{
	int64_t shape[IR_MAX_RANK] = {count};
	for (uint32_t k = 0; k < one->rank; k++)
		shape[k + 1] = one->shape[k];
	return ir_memdesc(cx->ir, one->elem, shape, one->rank + 1, one->encoding, SHARED_SPACE, true);
}

IrValue *gpu_map_alloc(GpuCx *cx, IrBuilder *b, IrType map, uint32_t slots)
{
	CONTRACT(gpu_is_map(map));
	IrType one = gpu_map_memdesc(cx, map);
	IrValue *memory = irb_0(b, OP_LOCAL_ALLOC, slots ? buffers_of(cx, one, slots) : one);
	if (gpu_memdesc_bytes(cx, memory->type) < TMA_ALIGN)
		ir_set(b->m, memory->def, ATTR_ALIGNMENT, ir_attr_i32(cx->ir, TMA_ALIGN));
	return memory;
}

static IrType barrier_type(GpuCx *cx)
{
	int64_t one = 1;
	const Layout *plain = layout_shared_plain(&cx->layouts, &one, 1, (unsigned[]){0});
	return ir_memdesc(cx->ir, ir_scalar(cx->ir, TY_I64), &one, 1, gpu_encoding(cx, plain), SHARED_SPACE,
			  true);
}

static IrValue *buffer_at(IrBuilder *b, IrValue *buffers, IrValue *number)
{
	IrType t = buffers->type;
	IrType one =
		ir_memdesc(b->m->cx, t->elem, t->shape + 1, t->rank - 1, t->encoding, SHARED_SPACE, true);
	return irb_2(b, OP_MEMDESC_INDEX, one, buffers, number);
}

IrValue *gpu_barrier_at(GpuCx *cx, IrBuilder *b, IrValue *barriers, IrValue *number)
{
	CONTRACT(number->type->kind == TY_I32);
	CONTRACT(barriers->type->kind == TY_MEMDESC);
	(void)cx;
	return buffer_at(b, barriers, number);
}

IrValue *gpu_slot_at(IrBuilder *b, IrValue *ring, IrValue *number)
{
	CONTRACT(number->type->kind == TY_I32);
	CONTRACT(ring->type->kind == TY_MEMDESC);
	return buffer_at(b, ring, number);
}

IrValue *gpu_barriers_alloc(GpuCx *cx, IrBuilder *b, uint32_t count, unsigned arrivals)
{
	CONTRACT(arrivals);
	CONTRACT(count);
	IrType i32 = ir_scalar(cx->ir, TY_I32);
	IrValue *barriers = irb_0(b, OP_LOCAL_ALLOC, buffers_of(cx, barrier_type(cx), count));
	for (uint32_t i = 0; i < count; i++) {
		IrValue *one = buffer_at(b, barriers, irb_int(b, i32, i));
		IrOp *init = irb_op(b, OP_INIT_BARRIER, &one, 1, NULL, 0, 0);
		ir_set(b->m, init, ATTR_COUNT, ir_attr_i32(cx->ir, arrivals));
	}
	return barriers;
}

void gpu_barriers_drop(GpuCx *cx, IrBuilder *b, IrValue *barriers)
{
	IrType i32 = ir_scalar(cx->ir, TY_I32);
	for (int64_t i = 0; i < barriers->type->shape[0]; i++) {
		IrValue *one = buffer_at(b, barriers, irb_int(b, i32, i));
		irb_op(b, OP_INVAL_BARRIER, &one, 1, NULL, 0, 0);
	}
	irb_op(b, OP_LOCAL_DEALLOC, &barriers, 1, NULL, 0, 0);
}

IrValue *gpu_memory_transposed(GpuCx *gpu, IrBuilder *b, IrValue *memory)
{
	CONTRACT(memory->type->kind == TY_MEMDESC && memory->type->rank == 2);
	IrType from = memory->type;
	static const int64_t order[] = {1, 0};
	const int64_t shape[] = {from->shape[1], from->shape[0]};
	const Layout *l = layout_transpose(&gpu->layouts, gpu_layout(gpu, from), (const unsigned[]){1, 0});
	uint64_t used = 0, all;
	if (!gpu_is_cut(from->encoding, &used, &all))
		used = 0;
	IrAttr encoding = gpu_encoding_used(gpu, l, used);
	IrType type = ir_memdesc(gpu->ir, from->elem, shape, 2, encoding, SHARED_SPACE, from->is_mutable);
	IrValue *view = irb_1(b, OP_MEMDESC_TRANS, type, memory);
	ir_set(b->m, view->def, ATTR_ORDER, ir_attr_ints(gpu->ir, ir_scalar(gpu->ir, TY_I32), order, 2));
	return view;
}

/* A view of memory that may change is one that may change. */
static void retype_views(GpuCx *gpu, IrValue *memory)
{
	for (const IrUse *u = memory->uses; u; u = u->next) {
		if (u->owner->kind != OP_MEMDESC_TRANS && u->owner->kind != OP_MEMDESC_REINTERPRET)
			continue;
		IrValue *view = &u->owner->results[0];
		IrType t = view->type;
		view->type = ir_memdesc(gpu->ir, t->elem, t->shape, t->rank, t->encoding, SHARED_SPACE, true);
		retype_views(gpu, view);
	}
}

void gpu_read_as_it_lies(GpuCx *gpu, IrOp *alloc, IrValue *memory)
{
	CONTRACT(alloc->kind == OP_LOCAL_ALLOC);
	CONTRACT(ir_same_shape(alloc->results[0].type, memory->type) &&
		 alloc->results[0].type->elem == memory->type->elem);
	CONTRACT(gpu_layout(gpu, alloc->results[0].type) == gpu_layout(gpu, memory->type));
	ir_replace_uses(&alloc->results[0], memory);
	retype_views(gpu, memory);
	ir_op_erase(alloc);
}
