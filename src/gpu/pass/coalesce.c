/* coalesce: each access to global memory gets the layout that is best for memory.
 *
 * Needs: a module of LEVEL_G. Keeps: all other layouts; conversions surround the access. Method:
 * the dim along which addresses are contiguous is the fastest. A thread takes as many neighbours
 * as alignment, contiguity and mask allow, up to 16 bytes, and no more than its share of the tile.
 * A mask that may end anywhere allows one, and then neighbours are best in neighbouring lanes; but
 * not where the load becomes a copy, which can count its elements (prefix.h). Warps go first along
 * dims that no reduction of such a tile runs over: a row for each warp needs no shared memory, and
 * 32 lanes of 16 bytes are whole lines in any case. */
#include "gpu/analysis/axis.h"
#include "gpu/analysis/prefix.h"
#include "gpu/analysis/usual.h"
#include "gpu/gpu.h"
#include "gpu/loop/schedule.h"
#include "gpu/plan/price.h"

enum { WIDEST_BYTES = 16 };

/* A tile of this shape is reduced along an axis. */
typedef struct Reduced {
	IrType type;
	uint32_t axes; /* a bit for each */
	struct Reduced *next;
} Reduced;

typedef struct Coalesce {
	PassCx *cx;
	GpuCx *gpu;
	AxisMap *axes;
	Reduced *reduced;
	bool changed;
} Coalesce;

static bool note_reduction(void *data, IrOp *op)
{
	Coalesce *c = data;
	if (op->kind != OP_REDUCE && op->kind != OP_SCAN)
		return true;
	Reduced *r = ARENA_NEW(c->cx->scratch, Reduced);
	*r = (Reduced){ir_operand(op, 0)->type, 1u << ir_get_int(op, c->gpu->ir, ATTR_AXIS, 0), c->reduced};
	c->reduced = r;
	return true;
}

static uint32_t reduced_axes(const Coalesce *c, IrType type)
{
	uint32_t axes = 0;
	for (const Reduced *r = c->reduced; r; r = r->next)
		if (ir_same_shape(r->type, type))
			axes |= r->axes;
	return axes;
}

/* ---- the layout of an access ---- */

/* The most contiguous dim first; of equal ones the last. */
static void order_of(const AxisInfo *info, IrType type, unsigned *order)
{
	for (unsigned i = 0; i < type->rank; i++) {
		unsigned k = type->rank - 1 - i, at = i;
		for (; info && at > 0 && info->contiguity[order[at - 1]] < info->contiguity[k]; at--)
			order[at] = order[at - 1];
		order[at] = k;
	}
}

/* The dim along which neighbours usually lie side by side, or nearest, first. */
static void usual_first(const Coalesce *c, const IrValue *pointers, unsigned *order)
{
	UsualRow row = usual_row(c->axes, c->gpu->ir, pointers);
	unsigned at = 0;
	while (row.any && order[at] != row.dim)
		at++;
	for (; row.any && at > 0; at--)
		order[at] = order[at - 1];
	order[0] = row.any ? row.dim : order[0];
}

/* Dims that are not reduced first; otherwise as `order`. */
static void warp_order_of(const unsigned *order, unsigned rank, uint32_t reduced, unsigned *out)
{
	unsigned n = 0;
	for (unsigned pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < rank; i++)
			if ((reduced >> order[i] & 1) == pass)
				out[n++] = order[i];
}

static const Layout *layout_for(const Coalesce *c, const IrOp *op, IrType tile, const unsigned *order, int64_t vector,
				unsigned widest)
{
	unsigned warp_order[LAYOUT_MAX_RANK], warps = gpu_num_warps(c->gpu, op);
	IrType elem = ir_is_ptr(tile->elem) ? tile->elem->elem : tile->elem;
	unsigned bytes = MAX(elem->bits / 8, 1u);
	int64_t share = ir_numel(tile) / ((int64_t)TARGET_WARP_SIZE * warps * c->gpu->num_ctas);
	vector = MIN(vector, (int64_t)MAX(widest / bytes, 1u));
	vector = MIN(vector, share > 0 ? INT64_C(1) << base_log2((uint64_t)share) : 1);
	warp_order_of(order, tile->rank, reduced_axes(c, tile), warp_order);
	return gpu_blocked_layout_by(c->gpu, tile->shape, tile->rank, order, warp_order, (unsigned)vector, warps);
}

/* Of a tile of pointers: operand 0. */
static const Layout *pointer_layout(const Coalesce *c, IrOp *op, uint32_t mask_at, unsigned widest)
{
	const IrValue *pointers = ir_operand(op, 0);
	const IrValue *mask = mask_at < op->operand_count ? ir_operand(op, mask_at) : NULL;
	const AxisInfo *info = axis_of(c->axes, pointers);
	unsigned order[LAYOUT_MAX_RANK];
	order_of(info, pointers->type, order);
	if (info && info->contiguity[order[0]] == 1)
		usual_first(c, pointers, order);
	int64_t vector = axis_vector(c->axes, pointers, mask, order[0]);
	ScheduleSeen seen = {0}; /* loops change meanwhile */
	if (mask && op->kind == OP_LOAD &&
	    schedule_may_copy(c->gpu, c->cx->module, c->cx->scratch, op, &seen))
		vector = prefix_vector(c->axes, c->gpu->ir, pointers, mask, order[0]);
	return layout_for(c, op, pointers->type, order, vector, widest);
}

/* A descriptor's block is contiguous along its last dim. */
static const Layout *block_layout(const Coalesce *c, const IrOp *op, IrType tile)
{
	unsigned order[LAYOUT_MAX_RANK];
	order_of(NULL, tile, order);
	return layout_for(c, op, tile, order, WIDEST_BYTES, WIDEST_BYTES);
}

static const Layout *access_layout(const Coalesce *c, IrOp *op)
{
	bool pointers = op->operand_count && ir_is_tensor(ir_operand(op, 0)->type);
	switch (op->kind) {
	case OP_LOAD:
		return pointers ? pointer_layout(c, op, 1, WIDEST_BYTES) : NULL;
	case OP_STORE:
	case OP_ASYNC_COPY:
		return pointers ? pointer_layout(c, op, 2, WIDEST_BYTES) : NULL;
	case OP_ATOMIC_RMW:
		return pointers ? pointer_layout(c, op, 2, gpu_atomic_bytes(c->gpu, op)) : NULL;
	case OP_ATOMIC_CAS:
		return pointers ? pointer_layout(c, op, UINT32_MAX, gpu_atomic_bytes(c->gpu, op)) : NULL;
	case OP_DESC_LOAD:
		return block_layout(c, op, op->results[0].type);
	case OP_DESC_STORE:
	case OP_DESC_REDUCE:
		return block_layout(c, op, ir_operand(op, 1)->type);
	default:
		return NULL;
	}
}

/* ---- putting it there ---- */

static bool coalesce_op(void *data, IrOp *op)
{
	Coalesce *c = data;
	const Layout *layout = access_layout(c, op);
	if (!layout)
		return true;
	IrBuilder b = ir_at(c->cx->module, op);
	for (uint32_t i = 0; i < op->operand_count; i++) {
		IrValue *old = ir_operand(op, i);
		if (!ir_is_tensor(old->type))
			continue;
		IrValue *value = gpu_convert(c->gpu, &b, old, layout);
		c->changed |= value != old;
		ir_operand_set(op, i, value);
	}
	for (uint32_t i = 0; i < op->result_count; i++)
		if (ir_is_tensor(op->results[i].type))
			c->changed |= gpu_convert_result(c->gpu, c->cx->module, op, &op->results[i], layout);
	return true;
}

bool pass_coalesce(PassCx *cx, bool *changed)
{
	Coalesce c = {.cx = cx, .gpu = gpu_of(cx), .axes = gpu_axis(cx)};
	ir_walk(cx->module->op, false, note_reduction, &c);
	ir_walk(cx->module->op, false, coalesce_op, &c);
	*changed = c.changed;
	return true;
}
