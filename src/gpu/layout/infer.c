/* Which layouts an op ties together, and that they agree.
 *
 * Shape operations move no data: what a thread holds of the result is what it holds of the operand. So the layout of
 * one side gives that of the other, but where a side has more elements (a reduction's operand, a broadcast's result): that is
 * open. Elementwise operations have one layout. Registers that only hold copies make no difference. */
#include "gpu/layout/encoding.h"
#include "ir/text/text.h"

/* ---- what follows from what ---- */

static unsigned axis_of_op(const GpuCx *cx, const IrOp *op)
{
	return (unsigned)ir_get_int(op, cx->ir, ATTR_AXIS, 0);
}

bool gpu_has_one_layout(const IrOp *op)
{
	switch (op->kind) {
	case OP_SCAN:
	case OP_MAP_ELEMENTWISE:
	case OP_EXTERN:
	case OP_INLINE_ASM:
	case OP_LOAD:
	case OP_STORE:
	case OP_ATOMIC_RMW:
	case OP_ATOMIC_CAS:
		return true;
	default:
		return ir_has_trait(op, TRAIT_ELEM);
	}
}

/* The operand of a broadcast holds what its threads need of the result. */
static const Layout *narrow(GpuCx *cx, const Layout *wide, IrType from, IrType to)
{
	for (uint32_t k = 0; k < from->rank; k++)
		if (from->shape[k] != to->shape[k])
			wide = layout_expand(&cx->layouts, layout_slice(&cx->layouts, wide, k), k);
	return wide;
}

/* The operand of tt.cat: the result without its highest register, where that chooses the half. */
static const Layout *half(GpuCx *cx, const Layout *whole, IrType part)
{
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
			uint64_t at = layout_space_get(&whole->out, whole->bases[i], LAYOUT_DIM0 + k);
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

const Layout *gpu_infer_operand(GpuCx *cx, const IrOp *op, unsigned operand, const Layout *result)
{
	CONTRACT(operand < op->operand_count);
	LayoutContext *lc = &cx->layouts;
	IrType type = ir_operand(op, operand)->type;
	unsigned bit;
	if (!ir_is_tensor(type))
		return NULL;
	if (gpu_has_one_layout(op))
		return result;
	switch (op->kind) {
	case OP_EXPAND_DIMS:
		return layout_slice(lc, result, axis_of_op(cx, op));
	case OP_BROADCAST:
		return narrow(cx, result, type, op->results[0].type);
	case OP_RESHAPE:
		return layout_reshape(lc, result, type->shape, type->rank);
	case OP_TRANS:
		return permuted(cx, op, result, true);
	case OP_JOIN:
		return layout_split(lc, result, &bit);
	case OP_SPLIT:
		return layout_join(lc, result);
	case OP_CAT:
		return half(cx, result, type);
	case OP_DOT:
	case OP_DOT_SCALED:
	case OP_WARP_GROUP_DOT:
		return operand == 2 ? result : NULL;
	case OP_GATHER:
		return operand == 1 ? result : NULL;
	default:
		return NULL;
	}
}

const Layout *gpu_infer_result(GpuCx *cx, const IrOp *op, unsigned result, unsigned operand, const Layout *layout)
{
	CONTRACT(result < op->result_count && operand < op->operand_count);
	LayoutContext *lc = &cx->layouts;
	IrType type = op->results[result].type;
	unsigned bit;
	if (!ir_is_tensor(type))
		return NULL;
	if (gpu_has_one_layout(op))
		return layout;
	switch (op->kind) {
	case OP_EXPAND_DIMS:
		return layout_expand(lc, layout, axis_of_op(cx, op));
	case OP_REDUCE:
		return layout_slice(lc, layout, axis_of_op(cx, op));
	case OP_RESHAPE:
		return layout_reshape(lc, layout, type->shape, type->rank);
	case OP_TRANS:
		return permuted(cx, op, layout, false);
	case OP_JOIN:
		return layout_join(lc, layout);
	case OP_SPLIT:
		return layout_split(lc, layout, &bit);
	case OP_CAT:
		return layout_concat(lc, layout, 0);
	case OP_DOT:
	case OP_DOT_SCALED:
	case OP_WARP_GROUP_DOT:
		return operand == 2 ? layout : NULL;
	case OP_GATHER:
		return operand == 1 ? layout : NULL;
	default:
		return NULL;
	}
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
