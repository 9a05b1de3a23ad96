/* trim-products: finds how much of a product's tile is padding, so that it is not multiplied.
 *
 * Heads of 80, 96 or 192 elements take tiles of 128 or 256, as sizes are powers of two. Masked
 * loads give zero for the rest, and the masks say where that begins.
 *
 *	neso.used_k  both operands are zero from this index on along K: no step is needed there
 *	neso.used_n  no store writes columns of the result from this index on: any value will do
 *
 * Needs: TTIR with dots as `decompose-dots` leaves them, and loads with their masks. Keeps: what is
 * stored, bit by bit. Both operands must be zero: zero times infinity is NaN. */
#include "gpu/analysis/unseen.h"
#include "gpu/gpu.h"
#include "ir/rewrite/fold.h"

enum { MOST_OPS = 12 /* between a load and its product */, ALL_LEFT_OUT = 1 };

typedef struct Trim {
	PassCx *cx;
	bool changed;
} Trim;

/* Elements with i >= the result along `dim` are left out by the mask; 0: it does not say. */
static int64_t masked_from(Trim *t, const IrOp *op, const IrValue *mask, unsigned dim)
{
	const IrOp *loop = ir_parent_op(op);
	Strides strides;
	StridedMask bounds;
	int64_t end;
	strides_init(&strides, t->cx->scratch, t->cx->module,
		     loop->kind == OP_FOR ? (IrOp *)(uintptr_t)loop : NULL);
	strided_bounds(&strides, mask, &bounds);
	return bounds.limit[dim] && poly_is_int(bounds.limit[dim], &end) ? MAX(end, ALL_LEFT_OUT) : 0;
}

/* From where on along `dim` the tile is zero, or (`any`) left out of what is loaded; 0: that is not
 * known. */
static int64_t zero_from(Trim *t, const IrValue *v, unsigned dim, bool any, unsigned depth)
{
	const IrOp *op = v->def;
	IrAttr order;
	int64_t end;
	bool zero;
	if (!op || depth == MOST_OPS || v->type->rank > STRIDED_RANK)
		return 0;
	switch (op->kind) {
	case OP_LOAD:
		zero = any ? op->operand_count > 1
			   : op->operand_count > 2 && fold_is_zero(ir_operand(op, 2));
		return zero ? masked_from(t, op, ir_operand(op, 1), dim) : 0;
	case OP_SELECT:
		zero = fold_is_zero(ir_operand(op, 2)) && ir_is_tensor(ir_operand(op, 0)->type);
		end = zero ? masked_from(t, op, ir_operand(op, 0), dim) : 0;
		return end || !zero ? end : zero_from(t, ir_operand(op, 1), dim, any, depth + 1);
	case OP_TRANS:
		order = ir_get(op, t->cx->module->cx, ATTR_ORDER);
		dim = order ? (unsigned)order->ints[dim] : dim;
		return order ? zero_from(t, ir_operand(op, 0), dim, any, depth + 1) : 0;
	case OP_TRUNCF:
	case OP_EXTF:
		return zero_from(t, ir_operand(op, 0), dim, any, depth + 1);
	default:
		return 0;
	}
}

static void say(Trim *t, IrOp *dot, IrAttrName name, int64_t from, int64_t size)
{
	if (from <= 0 || from >= size)
		return;
	ir_set(t->cx->module, dot, name, ir_attr_i32(t->cx->module->cx, from));
	t->changed = true;
}

static bool visit(void *data, IrOp *op)
{
	Trim *t = data;
	if (op->kind != OP_DOT || op->results[0].type->rank != 2)
		return true;
	Arena *arena = t->cx->scratch;
	const IrValue *a = ir_operand(op, 0), *b = ir_operand(op, 1);
	int64_t along_a = zero_from(t, a, 1, false, 0);
	int64_t along_b = along_a ? zero_from(t, b, 0, false, 0) : 0;
	int64_t columns = zero_from(t, b, 1, true, 0);
	if (along_b)
		say(t, op, ATTR_USED_K, MAX(along_a, along_b), a->type->shape[1]);
	StridedWrap past = {poly_of_int(arena, 0), poly_of_int(arena, columns)};
	if (columns && gpu_unseen(arena, t->cx->module, &op->results[0], 1, &past))
		say(t, op, ATTR_USED_N, columns, b->type->shape[1]);
	return true;
}

bool pass_trim_products(PassCx *cx, bool *changed)
{
	Trim t = {.cx = cx};
	ir_walk(cx->module->op, false, visit, &t);
	*changed |= t.changed;
	return true;
}
