/* Which layouts an op ties together, and that they agree.
 *
 * Shape operations move no data: what a thread holds of the result is what it holds of the operand. So the layout of
 * one side gives that of the other, but where a side has more elements (a reduction's operand, a broadcast's
 * result): that is open. Elementwise operations have one layout. Registers that only hold copies make no
 * difference. */
#include "gpu/layout/encoding.h"
#include "ir/text/text.h"

/* ---- what follows from what ---- */

static unsigned axis_of_op(const GpuCx *cx, const IrOp *op)
{
	return (unsigned)ir_get_int(op, cx->ir, ATTR_AXIS, 0);
}

/* The operand of a broadcast holds what its threads need of the result. */
static const Layout *narrow(GpuCx *cx, const IrOp *op, IrType from, const Layout *wide)
{
	IrType to = op->results[0].type;
	for (uint32_t k = 0; k < from->rank; k++)
		if (from->shape[k] != to->shape[k])
			wide = layout_expand(&cx->layouts, layout_slice(&cx->layouts, wide, k), k);
	return wide;
}

/* The operand of tt.cat: the result without its highest register, where that chooses the half. */
static const Layout *half(GpuCx *cx, const IrOp *op, IrType part, const Layout *whole)
{
	(void)op;
	unsigned top = layout_in_bits(whole, LAYOUT_REGISTER);
	LayoutSpace out = layout_space_of_shape(part->shape, part->rank), in = whole->in;
	uint64_t bases[64];
	unsigned n = 0;
	if (!top || layout_space_reps(&whole->out) > 1 || !layout_space_find(&whole->out, LAYOUT_DIM0)->bits)
		return NULL;
	for (unsigned i = 0; i < whole->in_bits; i++) {
		if (i == top - 1)
			continue;
		bases[n] = 0;
		for (unsigned k = 0; k < part->rank; k++) {
			uint64_t at = layout_coordinate(whole, whole->bases[i], k);
			if (at >> layout_space_find(&out, LAYOUT_DIM0 + k)->bits)
				return NULL;
			bases[n] |= layout_space_put(&out, LAYOUT_DIM0 + k, at);
		}
		n++;
	}
	in.dim[0].bits--;
	const Layout *made = layout_make(&cx->layouts, &in, &out, bases);
	return layout_concat(&cx->layouts, made, 0) == whole ? made : NULL;
}

static const Layout *permuted(GpuCx *cx, const IrOp *op, const Layout *layout, bool back)
{
	IrAttr order = ir_get(op, cx->ir, ATTR_ORDER);
	unsigned by[LAYOUT_MAX_RANK];
	for (uint32_t k = 0; k < order->len; k++) {
		if (back)
			by[order->ints[k]] = k;
		else
			by[k] = (unsigned)order->ints[k];
	}
	return layout_transpose(&cx->layouts, layout, by);
}

static const Layout *permuted_back(GpuCx *cx, const IrOp *op, IrType type, const Layout *layout)
{
	(void)type;
	return permuted(cx, op, layout, true);
}

static const Layout *permuted_forth(GpuCx *cx, const IrOp *op, IrType type, const Layout *layout)
{
	(void)type;
	return permuted(cx, op, layout, false);
}

static const Layout *sliced(GpuCx *cx, const IrOp *op, IrType type, const Layout *layout)
{
	(void)type;
	return layout_slice(&cx->layouts, layout, axis_of_op(cx, op));
}

static const Layout *expanded(GpuCx *cx, const IrOp *op, IrType type, const Layout *layout)
{
	(void)type;
	return layout_expand(&cx->layouts, layout, axis_of_op(cx, op));
}

static const Layout *reshaped(GpuCx *cx, const IrOp *op, IrType type, const Layout *layout)
{
	(void)op;
	return layout_reshape(&cx->layouts, layout, type->shape, type->rank);
}

static const Layout *joined(GpuCx *cx, const IrOp *op, IrType type, const Layout *layout)
{
	(void)op, (void)type;
	return layout_join(&cx->layouts, layout);
}

static const Layout *parted(GpuCx *cx, const IrOp *op, IrType type, const Layout *layout)
{
	unsigned bit;
	(void)op, (void)type;
	return layout_split(&cx->layouts, layout, &bit);
}

static const Layout *doubled(GpuCx *cx, const IrOp *op, IrType type, const Layout *layout)
{
	(void)op, (void)type;
	return layout_concat(&cx->layouts, layout, 0);
}

const GpuTie gpu_tie_none = {0};
const GpuTie gpu_tie_equal = {.driven = true, .one = true};
const GpuTie gpu_tie_any = {.driven = true, .any = UINT32_MAX};
const GpuTie gpu_tie_accumulate = {.like = 2};
const GpuTie gpu_tie_gather = {.driven = true, .like = 1, .any = 1};
const GpuTie gpu_tie_expand_dims = {.driven = true, .follows = true, .operand = sliced, .result = expanded};
const GpuTie gpu_tie_broadcast = {.driven = true, .follows = true, .operand = narrow};
const GpuTie gpu_tie_reshape = {.driven = true, .follows = true, .operand = reshaped, .result = reshaped};
const GpuTie gpu_tie_trans = {.driven = true, .follows = true, .operand = permuted_back,
			      .result = permuted_forth};
const GpuTie gpu_tie_cat = {.driven = true, .operands = true, .operand = half, .result = doubled};
const GpuTie gpu_tie_reduce = {.driven = true, .by_operand = true, .operands = true, .result = sliced};
const GpuTie gpu_tie_histogram = {.driven = true, .by_operand = true, .operands = true};
const GpuTie gpu_tie_split = {.driven = true, .by_operand = true, .follows = true, .operand = joined,
			      .result = parted};
const GpuTie gpu_tie_join = {.driven = true, .by_operand = true, .operands = true, .operand = parted,
			     .result = joined};

const GpuTie *gpu_tie(const IrOp *op)
{
#define TILES(layout, cost, scratch, axis, range) &gpu_tie_##layout
	static const GpuTie *const ties[OP__COUNT] = {
#define OP(name, text, levels, takes, gives, regions, traits, type, format, attrs, rules, tiles, doc) \
	[OP_##name] = tiles,
#include "ir/ops.def"
#undef OP
	};
	return ties[op->kind];
}

const Layout *gpu_infer_operand(GpuCx *cx, const IrOp *op, unsigned operand, const Layout *result)
{
	CONTRACT(operand < op->operand_count);
	const GpuTie *tie = gpu_tie(op);
	IrType type = ir_operand(op, operand)->type;
	if (!ir_is_tensor(type))
		return NULL;
	if (tie->one || (tie->like && operand == tie->like))
		return result;
	return tie->operand ? tie->operand(cx, op, type, result) : NULL;
}

const Layout *gpu_infer_result(GpuCx *cx, const IrOp *op, unsigned result, unsigned operand, const Layout *layout)
{
	CONTRACT(result < op->result_count && operand < op->operand_count);
	const GpuTie *tie = gpu_tie(op);
	IrType type = op->results[result].type;
	if (!ir_is_tensor(type))
		return NULL;
	if (tie->one || (tie->like && operand == tie->like))
		return layout;
	return tie->result ? tie->result(cx, op, type, layout) : NULL;
}

bool gpu_same_layout(GpuCx *cx, const Layout *a, const Layout *b)
{
	return a == b || (a && b && layout_strip_registers(&cx->layouts, a) == layout_strip_registers(&cx->layouts, b));
}

bool gpu_is_reordering(GpuCx *cx, const IrOp *op, const Layout *from, const Layout *to)
{
	const Layout *same = op->kind == OP_RESHAPE && ir_get_bool(op, cx->ir, ATTR_ALLOW_REORDER)
				     ? gpu_infer_result(cx, op, 0, 0, from)
				     : to;
	return same && !gpu_same_layout(cx, same, to) && layout_is_one_to_one(from) && layout_is_one_to_one(to) &&
	       layout_in_bits(from, LAYOUT_REGISTER) == layout_in_bits(to, LAYOUT_REGISTER);
}
