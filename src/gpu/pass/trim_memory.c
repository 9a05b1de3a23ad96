/* trim-memory: tiles that come by TMA for products alone end in shared memory where what the products
 * read of them ends.
 *
 * Needs: TTGIR with products as `accelerate-matmul` leaves them. Keeps: what products read. A head of
 * 192 numbers is three boxes of the four that its tile of 256 has: the last one, which a mask leaves
 * out and no product reads (trim-products), is not copied and has no place, so that there is room for
 * more slots. Boxes lie one behind the other along the last dim; only the last ones can be left
 * out. */
#include "gpu/layout/boxes.h"
#include "gpu/pass/map_args.h"
#include "gpu/plan/wgmma.h"

typedef struct TrimMemory {
	PassCx *cx;
	GpuCx *gpu;
	VEC(IrOp *) functions;
} TrimMemory;

/* How far along `dim` a product reads its operand. */
static int64_t read_by(TrimMemory *t, const IrOp *dot, uint32_t operand, unsigned dim)
{
	const char *why;
	const GpuWgmmaPlan *plan = gpu_wgmma_plan(t->gpu, t->cx->scratch, dot, &why);
	int64_t all = ir_operand(dot, operand)->type->shape[dim];
	if (!plan || operand > 1)
		return all;
	if (dim != operand)
		return MIN(all, (int64_t)plan->steps * plan->mma->k);
	/* Columns of which an instruction takes more than half are trimmed, or all. */
	return operand == 1 && !plan->swapped && plan->n > all / 2 ? (int64_t)plan->n : all;
}

static int64_t read_of(TrimMemory *t, const IrValue *memory, unsigned dim)
{
	int64_t all = memory->type->shape[dim], end = 0;
	for (const IrUse *u = memory->uses; u; u = u->next) {
		const IrOp *op = u->owner;
		uint32_t operand = (uint32_t)(u - op->operands);
		IrAttr order = op->kind == OP_MEMDESC_TRANS ? ir_get(op, t->gpu->ir, ATTR_ORDER) : NULL;
		if (op->kind == OP_WARP_GROUP_DOT)
			end = MAX(end, read_by(t, op, operand, dim));
		else if (order)
			end = MAX(end, read_of(t, &op->results[0], order->ints[0] == (int64_t)dim ? 0 : 1));
		else
			return all;
	}
	return end;
}

/* How far along the last dim all that come by the map are read; 0: not by products alone. */
static int64_t read_of_map(TrimMemory *t, const IrValue *map)
{
	IrType tile = map->type->elem;
	int64_t end = 0;
	for (const IrUse *u = map->uses; u; u = u->next) {
		if (u->owner->kind != OP_DESC_LOAD)
			return 0;
		for (const IrUse *taker = u->owner->results[0].uses; taker; taker = taker->next) {
			const IrOp *op = taker->owner;
			if (ir_is_pure(op) && op->result_count == 1 && !op->results[0].uses)
				continue;
			if (op->kind != OP_LOCAL_ALLOC || op->results[0].type->encoding != tile->encoding)
				return 0;
			end = MAX(end, read_of(t, &op->results[0], tile->rank - 1));
		}
	}
	return end;
}

static void retype(TrimMemory *t, IrValue *memory, uint64_t used)
{
	IrType type = memory->type;
	IrAttr encoding = gpu_encoding_used(t->gpu, gpu_layout(t->gpu, type), used);
	memory->type = ir_memdesc(t->gpu->ir, type->elem, type->shape, type->rank, encoding, type->space,
				  type->is_mutable);
	for (const IrUse *u = memory->uses; u; u = u->next)
		if (u->owner->kind == OP_MEMDESC_TRANS)
			retype(t, &u->owner->results[0], used);
}

static bool trim(TrimMemory *t, IrValue *map)
{
	IrType tile = map->type->elem;
	const Layout *memory = gpu_map_layout(t->gpu, map->type);
	unsigned last = tile->rank - 1;
	GpuBox box;
	if (tile->rank != 2 || !gpu_box_of(t->gpu, tile, memory, &box))
		return false;
	int64_t end = read_of_map(t, map), side = box.side[last];
	uint64_t needed = (uint64_t)((end + side - 1) / side);
	if (!end || needed >= box.count || box.count != tile->shape[last] / side)
		return false;
	uint64_t used = needed * box.bytes / (tile->elem->bits / 8);
	for (const IrUse *u = map->uses; u; u = u->next)
		for (const IrUse *taker = u->owner->results[0].uses; taker; taker = taker->next)
			if (taker->owner->kind == OP_LOCAL_ALLOC)
				retype(t, &taker->owner->results[0], used);
	IrType held = ir_tensor(t->gpu->ir, tile->elem, tile->shape, tile->rank,
				gpu_encoding_used(t->gpu, memory, used));
	map->type = ir_tensordesc_signed(t->gpu->ir, held, (IrSign)map->type->space);
	return true;
}

static bool visit(void *data, IrOp *op)
{
	TrimMemory *t = data;
	if (op->kind == OP_FUNC && op->regions[0].first)
		vec_push(t->cx->scratch, &t->functions, op);
	return true;
}

bool pass_trim_memory(PassCx *cx, bool *changed)
{
	TrimMemory t = {.cx = cx, .gpu = gpu_of(cx)};
	ir_walk(cx->module->op, false, visit, &t);
	for (uint32_t i = 0; i < t.functions.len; i++) {
		IrBlock *body = ir_func_body(t.functions.data[i]);
		bool any = false;
		for (uint32_t k = 0; k < body->arg_count; k++)
			if (gpu_is_map(body->args[k]->type))
				any |= trim(&t, body->args[k]);
		if (!any)
			continue;
		GpuMapArgs args;
		gpu_map_args_init(&args, cx, t.functions.data[i], false);
		gpu_map_args_describe(&args);
		*changed = true;
	}
	return true;
}
