/* Rules for ops that move elements, and the reordering of elementwise ops with splats and broadcasts. */
#include "ir/pass/canon.h"

#define RULE(kind, sets, fn, doc) CanonRule fn;
#include "ir/pass/canon.def"
#undef RULE

static IrValue *source(const IrOp *op) { return ir_operand(op, 0); }
static IrType type_of(const IrOp *op) { return op->results[0].type; }

static bool become_splat(Canon *c, IrOp *op, IrOp *splat)
{
	return canon_replace_op(c, op, irb_1(&c->b, OP_SPLAT, type_of(op), source(splat)));
}

/* Any op that moves elements, of a splat. */
bool rule_move_splat(Canon *c, IrOp *op)
{
	IrOp *splat = canon_def(source(op), OP_SPLAT);
	return splat && become_splat(c, op, splat);
}

bool rule_move_nothing(Canon *c, IrOp *op)
{
	if (source(op)->type != type_of(op) || (op->kind == OP_RESHAPE && ir_get_bool(op, c->cx, ATTR_ALLOW_REORDER)))
		return false;
	if (op->kind == OP_TRANS) {
		IrAttr order = ir_get(op, c->cx, ATTR_ORDER);
		for (uint32_t i = 0; order && i < order->len; i++)
			if (order->ints[i] != i)
				return false;
	}
	return canon_replace_op(c, op, source(op));
}

/* A broadcast after the new dimension, so that broadcasts meet and merge. */
bool rule_expand_broadcast(Canon *c, IrOp *op)
{
	IrOp *broadcast = canon_def(source(op), OP_BROADCAST);
	if (!broadcast)
		return false;
	int64_t axis = ir_get_int(op, c->cx, ATTR_AXIS, 0);
	IrType from = source(broadcast)->type;
	int64_t shape[IR_MAX_RANK];
	if (axis < 0 || axis > from->rank || from->rank + 1 > IR_MAX_RANK)
		return false;
	for (uint32_t i = 0; i <= from->rank; i++)
		shape[i] = i == axis ? 1 : from->shape[i - (i > axis)];
	IrType type = ir_tensor(c->cx, from->elem, shape, from->rank + 1, type_of(op)->encoding);
	IrValue *expanded = irb_1(&c->b, OP_EXPAND_DIMS, type, source(broadcast));
	ir_set(c->m, expanded->def, ATTR_AXIS, ir_get(op, c->cx, ATTR_AXIS));
	return canon_replace_op(c, op, irb_1(&c->b, OP_BROADCAST, type_of(op), expanded));
}

bool rule_broadcast_broadcast(Canon *c, IrOp *op)
{
	IrOp *inner = canon_def(source(op), OP_BROADCAST);
	return inner && canon_replace_op(c, op, irb_1(&c->b, OP_BROADCAST, type_of(op), source(inner)));
}

bool rule_reshape_reshape(Canon *c, IrOp *op)
{
	IrOp *inner = canon_def(source(op), OP_RESHAPE);
	if (!inner || ir_get(op, c->cx, ATTR_EFFICIENT_LAYOUT) || ir_get(inner, c->cx, ATTR_EFFICIENT_LAYOUT))
		return false;
	IrAttr reorder = ir_get(op, c->cx, ATTR_ALLOW_REORDER);
	if (!reorder)
		reorder = ir_get(inner, c->cx, ATTR_ALLOW_REORDER);
	IrValue *made = irb_1(&c->b, OP_RESHAPE, type_of(op), source(inner));
	ir_set(c->m, made->def, ATTR_ALLOW_REORDER, reorder);
	return canon_replace_op(c, op, made);
}

/* Back to the shape it had before a dimension was added. */
bool rule_reshape_expanded(Canon *c, IrOp *op)
{
	IrOp *inner = canon_def(source(op), OP_EXPAND_DIMS);
	return inner && source(inner)->type == type_of(op) && !ir_get_bool(op, c->cx, ATTR_ALLOW_REORDER) &&
	       canon_replace_op(c, op, source(inner));
}

bool rule_trans_trans(Canon *c, IrOp *op)
{
	IrOp *inner = canon_def(source(op), OP_TRANS);
	IrAttr outer_order = ir_get(op, c->cx, ATTR_ORDER);
	IrAttr inner_order = inner ? ir_get(inner, c->cx, ATTR_ORDER) : NULL;
	if (!outer_order || !inner_order || outer_order->len != inner_order->len || outer_order->len > IR_MAX_RANK)
		return false;
	int64_t order[IR_MAX_RANK];
	for (uint32_t i = 0; i < outer_order->len; i++)
		order[i] = inner_order->ints[outer_order->ints[i]];
	IrValue *made = irb_1(&c->b, OP_TRANS, type_of(op), source(inner));
	ir_set(c->m, made->def, ATTR_ORDER, ir_attr_ints(c->cx, outer_order->type, order, outer_order->len));
	return canon_replace_op(c, op, made);
}

bool rule_unsplat(Canon *c, IrOp *op)
{
	IrOp *splat = canon_def(source(op), OP_SPLAT);
	return splat && canon_replace_op(c, op, source(splat));
}

bool rule_split(Canon *c, IrOp *op)
{
	IrOp *inner = source(op)->def;
	if (!inner || (inner->kind != OP_JOIN && inner->kind != OP_SPLAT && inner->kind != OP_CONSTANT))
		return false;
	IrValue *halves[2];
	if (inner->kind == OP_JOIN) {
		halves[0] = ir_operand(inner, 0);
		halves[1] = ir_operand(inner, 1);
	} else if (inner->kind == OP_SPLAT) {
		halves[0] = halves[1] = irb_1(&c->b, OP_SPLAT, type_of(op), source(inner));
	} else {
		uint64_t word;
		if (!canon_word(source(op), &word))
			return false;
		halves[0] = halves[1] = canon_constant(c, fold_splat(c->cx, type_of(op), word));
	}
	for (uint32_t i = 0; i < 2; i++)
		canon_replace(c, &op->results[i], halves[i]);
	canon_erase(c, op);
	return true;
}

bool rule_join_split(Canon *c, IrOp *op)
{
	IrOp *split = canon_def(source(op), OP_SPLIT);
	return split && ir_operand(op, 1) == &split->results[1] && source(op) == &split->results[0] &&
	       source(split)->type == type_of(op) && canon_replace_op(c, op, source(split));
}

/* ---- elementwise ops of splats and broadcasts ---- */

static bool is_movable(const IrOp *op)
{
	if (op->result_count != 1 || op->operand_count == 0 || op->region_count || !ir_is_tensor(type_of(op)))
		return false;
	return ir_has_trait(op, TRAIT_ELEM) || (op->kind == OP_EXTERN && ir_is_pure(op));
}

/* The scalar that is in every element, or NULL. A constant is made only when `make` is set. */
static IrValue *scalar_of(Canon *c, IrValue *v, bool make)
{
	if (!ir_is_tensor(v->type))
		return v;
	IrOp *splat = canon_def(v, OP_SPLAT);
	if (splat)
		return source(splat);
	uint64_t word;
	if (!canon_word(v, &word))
		return NULL;
	return make ? canon_constant(c, fold_splat(c->cx, v->type->elem, word)) : v;
}

/* The same op with other operands and another result type. */
static IrValue *rebuild(Canon *c, const IrOp *op, IrValue *const *operands, IrType type)
{
	IrOp *made = irb_op(&c->b, op->kind, operands, op->operand_count, &type, 1, 0);
	made->attrs = arena_copy(c->cx->arena, op->attrs, op->attr_count * sizeof *op->attrs);
	made->attr_count = op->attr_count;
	return &made->results[0];
}

/* All operands splats: the op once, on scalars, and a splat. */
bool rule_elementwise_splat(Canon *c, IrOp *op)
{
	if (!is_movable(op))
		return false;
	for (uint32_t i = 0; i < op->operand_count; i++)
		if (!scalar_of(c, ir_operand(op, i), false))
			return false;
	IrValue **operands = ARENA_ARRAY(c->scratch, IrValue *, op->operand_count);
	for (uint32_t i = 0; i < op->operand_count; i++)
		operands[i] = scalar_of(c, ir_operand(op, i), true);
	IrValue *scalar = rebuild(c, op, operands, type_of(op)->elem);
	return canon_replace_op(c, op, irb_1(&c->b, OP_SPLAT, type_of(op), scalar));
}

/* Operands broadcast from one shape, or splats: the op on the small shape, and a broadcast. */
bool rule_elementwise_broadcast(Canon *c, IrOp *op)
{
	if (!is_movable(op))
		return false;
	IrType small = NULL;
	for (uint32_t i = 0; i < op->operand_count; i++) {
		IrOp *broadcast = canon_def(ir_operand(op, i), OP_BROADCAST);
		if (!broadcast && !scalar_of(c, ir_operand(op, i), false))
			return false;
		if (!broadcast)
			continue;
		if (small && !ir_same_shape(small, source(broadcast)->type))
			return false;
		small = source(broadcast)->type;
	}
	if (!small)
		return false;
	IrValue **operands = ARENA_ARRAY(c->scratch, IrValue *, op->operand_count);
	for (uint32_t i = 0; i < op->operand_count; i++) {
		IrValue *v = ir_operand(op, i);
		IrOp *broadcast = canon_def(v, OP_BROADCAST);
		uint64_t word;
		if (broadcast)
			operands[i] = source(broadcast);
		else if (!ir_is_tensor(v->type))
			operands[i] = v;
		else if (canon_word(v, &word))
			operands[i] = canon_constant(
				c, fold_splat(c->cx, ir_with_elem(c->cx, small, v->type->elem), word));
		else
			operands[i] = irb_splat(&c->b, scalar_of(c, v, true), small);
	}
	IrValue *made = rebuild(c, op, operands, ir_with_elem(c->cx, small, type_of(op)->elem));
	return canon_replace_op(c, op, irb_1(&c->b, OP_BROADCAST, type_of(op), made));
}
