/* Rules for pointers, memory, dots and assertions. */
#include "ir/pass/canon.h"

#define RULE(kind, sets, fn, doc) CanonRule fn;
#include "ir/pass/canon.def"
#undef RULE

bool rule_addptr_zero(Canon *c, IrOp *op)
{
	return canon_is_int(ir_operand(op, 1), 0) && canon_replace_op(c, op, ir_operand(op, 0));
}

bool rule_advance_zero(Canon *c, IrOp *op)
{
	for (uint32_t i = 1; i < op->operand_count; i++)
		if (!canon_is_int(ir_operand(op, i), 0))
			return false;
	return canon_replace_op(c, op, ir_operand(op, 0));
}

/* ---- masks that are constant ---- */

static bool mask_is(const IrOp *op, uint32_t at, uint64_t value)
{
	return op->operand_count > at && canon_is_word(ir_operand(op, at), value);
}

static void drop_operands_from(Canon *c, IrOp *op, uint32_t at)
{
	while (op->operand_count > at) {
		IrOp *def = ir_operand(op, op->operand_count - 1)->def;
		ir_operand_erase(op, op->operand_count - 1);
		canon_push(c, def);
	}
}

bool rule_load_mask(Canon *c, IrOp *op)
{
	if (mask_is(op, 1, 1)) {
		drop_operands_from(c, op, 1);
		return true;
	}
	return mask_is(op, 1, 0) && op->operand_count == 3 && !ir_is_volatile(op) &&
	       canon_replace_op(c, op, ir_operand(op, 2));
}

bool rule_store_mask(Canon *c, IrOp *op)
{
	if (mask_is(op, 2, 1)) {
		drop_operands_from(c, op, 2);
		return true;
	}
	if (!mask_is(op, 2, 0))
		return false;
	canon_erase(c, op);
	return true;
}

/* A condition that always holds. */
bool rule_assert_true(Canon *c, IrOp *op)
{
	if (!mask_is(op, 0, 1))
		return false;
	canon_erase(c, op);
	return true;
}

/* ---- combinations, as upstream makes them ---- */

/* addptr (addptr p a) b is addptr p (a + b) where the sum cannot wrap: 64-bit offsets, or constants. */
bool rule_addptr_addptr(Canon *c, IrOp *op)
{
	IrOp *inner = canon_def(ir_operand(op, 0), OP_ADDPTR);
	IrValue *b = ir_operand(op, 1);
	if (!inner || !ir_has_one_use(&inner->results[0]) || ir_operand(inner, 1)->type != b->type)
		return false;
	IrValue *a = ir_operand(inner, 1);
	unsigned bits = ir_elem(b->type)->bits;
	if (bits < 64) {
		uint64_t wa, wb;
		if (!canon_word(a, &wa) || !canon_word(b, &wb))
			return false;
		int64_t sum = fold_signed(wa, bits) + fold_signed(wb, bits);
		if (sum != fold_signed((uint64_t)sum, bits))
			return false;
	}
	IrValue *offset = irb_2(&c->b, OP_ADDI, NULL, a, b);
	return canon_replace_op(c, op, irb_2(&c->b, OP_ADDPTR, NULL, ir_operand(inner, 0), offset));
}

/* Would the product, to start from c, come behind other products or loops? Its operands would be
 * held meanwhile, which are more than its result. */
static bool is_late(const IrOp *dot, const IrOp *add, const IrValue *c)
{
	bool behind = false, meets = false;
	for (const IrOp *op = dot->next; op && op != add; op = op->next) {
		behind |= op == c->def;
		meets |= op->kind == OP_DOT || op->kind == OP_FOR || op->kind == OP_WHILE;
	}
	return behind && meets;
}

/* The sum of a product from zero and c: the product from c. The rounding is that of accumulation, which a
 * dot leaves open in any case. */
bool rule_dot_add(Canon *c, IrOp *op)
{
	for (uint32_t side = 0; side < 2; side++) {
		IrOp *dot = canon_def(ir_operand(op, side), OP_DOT);
		if (!dot || !ir_has_one_use(&dot->results[0]) || !canon_is_word(ir_operand(dot, 2), 0))
			continue;
		if (op->kind == OP_ADDF && ir_get_int(dot, c->cx, ATTR_MAX_IMPRECISE, 0) != 0)
			continue;
		if (is_late(dot, op, ir_operand(op, 1 - side)))
			continue;
		c->b.loc = dot->loc;
		IrValue *made = irb_3(&c->b, OP_DOT, NULL, ir_operand(dot, 0), ir_operand(dot, 1),
				      ir_operand(op, 1 - side));
		made->def->attrs = arena_copy(c->cx->arena, dot->attrs, dot->attr_count * sizeof *dot->attrs);
		made->def->attr_count = dot->attr_count;
		return canon_replace_op(c, op, made);
	}
	return false;
}

/* Is the body of a reduction nothing but the sum of its two arguments? */
static bool is_sum(const IrOp *reduce)
{
	CONTRACT(reduce->region_count);
	const IrBlock *body = reduce->regions[0].first;
	const IrOp *add = body->first;
	return add && add->kind == OP_ADDF && add->next == body->last && body->arg_count == 2 &&
	       ir_operand(body->last, 0) == &add->results[0] && ir_operand(add, 0) != ir_operand(add, 1) &&
	       !ir_operand(add, 0)->def && ir_operand(add, 0)->block == body && !ir_operand(add, 1)->def &&
	       ir_operand(add, 1)->block == body;
}

/* The operand of `v` = broadcast(expand_dims(x, axis)), or NULL. */
static IrValue *spread_along(const Canon *c, const IrValue *v, int64_t axis)
{
	IrOp *broadcast = canon_def(v, OP_BROADCAST);
	IrOp *expand = broadcast ? canon_def(ir_operand(broadcast, 0), OP_EXPAND_DIMS) : NULL;
	bool fits = expand && ir_get_int(expand, c->cx, ATTR_AXIS, -1) == axis;
	return fits ? ir_operand(expand, 0) : NULL;
}

/* sum(x[:, :, None] * y[None, :, :], 1) is x * y as a dot. Upstream makes a tf32 dot of it; here it keeps the
 * precision that was written. */
bool rule_reduce_product(Canon *c, IrOp *op)
{
	enum { SMALLEST = 16 };
	IrOp *product = op->operand_count == 1 ? canon_def(ir_operand(op, 0), OP_MULF) : NULL;
	if (!product || ir_get_int(op, c->cx, ATTR_AXIS, -1) != 1 || !is_sum(op) ||
	    !ir_has_one_use(&product->results[0]))
		return false;
	IrType cube = product->results[0].type;
	IrValue *x = spread_along(c, ir_operand(product, 0), 2), *y = spread_along(c, ir_operand(product, 1), 0);
	if (!x || !y || cube->elem->kind != TY_F32 || cube->shape[0] < SMALLEST || cube->shape[2] < SMALLEST ||
	    x->type->shape[1] != cube->shape[1] || y->type->shape[0] != cube->shape[1])
		return false;
	IrType type = op->results[0].type;
	IrValue *dot = irb_3(&c->b, OP_DOT, NULL, x, y, canon_constant(c, fold_splat(c->cx, type, 0)));
	ir_set(c->m, dot->def, ATTR_INPUT_PRECISION, ir_attr_i32(c->cx, PREC_IEEE));
	ir_set(c->m, dot->def, ATTR_MAX_IMPRECISE, ir_attr_i32(c->cx, 0));
	return canon_replace_op(c, op, dot);
}

/* How far a load is moved down at most. */
enum { MOVE_OPS = 64 };

static bool nothing_written_between(const IrOp *first, const IrOp *second)
{
	if (first->block != second->block)
		return false;
	unsigned left = MOVE_OPS;
	for (const IrOp *op = first->next; op != second; op = op->next)
		if (!op || !left-- || !(ir_is_droppable(op) || ir_is_pure(op)))
			return false;
	return true;
}

enum { DEEPEST_MASK = 8 };

/* The same computed twice: `combine` runs in front of `cse`. */
static bool is_same(const IrValue *x, const IrValue *y, unsigned depth)
{
	const IrOp *a = x->def, *b = y->def;
	if (x == y || !a || !b || depth == DEEPEST_MASK)
		return x == y;
	if (a->kind != b->kind || x->type != y->type || x->index != y->index || !ir_is_pure(a) ||
	    a->region_count || a->operand_count != b->operand_count || !ir_same_attrs(a, b))
		return false;
	for (uint32_t i = 0; i < a->operand_count; i++)
		if (!is_same(ir_operand(a, i), ir_operand(b, i), depth + 1))
			return false;
	return true;
}

/* Does the mask let nothing through where the flag is false? */
static bool implies(const IrValue *mask, const IrValue *flag, unsigned depth)
{
	const IrOp *op = mask->def;
	if (!op || op->kind != OP_ANDI || depth == DEEPEST_MASK)
		return is_same(mask, flag, 0);
	return implies(ir_operand(op, 0), flag, depth + 1) || implies(ir_operand(op, 1), flag, depth + 1) ||
	       is_same(mask, flag, 0);
}

/* select(c, load(p, c and m), 0) is load(p, c and m, 0): what is left out without another value may
 * be anything, and another use of the load has zero there. */
bool rule_select_left_out(Canon *c, IrOp *op)
{
	IrValue *flag = ir_operand(op, 0), *no = ir_operand(op, 2);
	IrOp *load = canon_def(ir_operand(op, 1), OP_LOAD);
	bool tile = ir_is_tensor(flag->type) && load && load->operand_count >= 2;
	if (!tile || ir_is_volatile(load) || !canon_is_word(no, 0) || !implies(ir_operand(load, 1), flag, 0))
		return false;
	if (load->operand_count == 2) {
		ir_operand_add(c->m, load, canon_constant(c, ir_constant_of(no)));
		canon_push(c, load);
	}
	return canon_is_word(ir_operand(load, 2), 0) && canon_replace_op(c, op, &load->results[0]);
}

/* select(c, load(p, splat c, anything), x) is load(p, splat c, x). */
bool rule_select_load(Canon *c, IrOp *op)
{
	IrValue *flag = ir_operand(op, 0);
	IrOp *load = canon_def(ir_operand(op, 1), OP_LOAD);
	if (!load || load->operand_count < 2 || !ir_has_one_use(&load->results[0]) || ir_is_tensor(flag->type))
		return false;
	IrOp *mask = canon_def(ir_operand(load, 1), OP_SPLAT);
	if (!mask || ir_operand(mask, 0) != flag || ir_is_volatile(load) ||
	    !nothing_written_between(load, op))
		return false;
	c->b.loc = load->loc;
	IrValue *made = irb_3(&c->b, OP_LOAD, load->results[0].type, ir_operand(load, 0), ir_operand(load, 1),
			      ir_operand(op, 2));
	made->def->attrs = arena_copy(c->cx->arena, load->attrs, load->attr_count * sizeof *load->attrs);
	made->def->attr_count = load->attr_count;
	return canon_replace_op(c, op, made);
}

/* Elements that are only counted or combined may come in any order. */
bool rule_reshape_reduced(Canon *c, IrOp *op)
{
	if (op->results[0].type->rank != 1 || ir_get_bool(op, c->cx, ATTR_ALLOW_REORDER) || !op->results[0].uses)
		return false;
	for (IrUse *use = op->results[0].uses; use; use = use->next)
		if (use->owner->kind != OP_REDUCE && use->owner->kind != OP_HISTOGRAM)
			return false;
	ir_set(c->m, op, ATTR_ALLOW_REORDER, ir_attr_unit(c->cx));
	return true;
}
