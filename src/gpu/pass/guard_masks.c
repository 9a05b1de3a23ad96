/* guard-masks: work of a loop on tiles that most iterations do not need is skipped where a scalar
 * test shows that it has no effect.
 *
 * Needs: TTGIR with its final layouts. Keeps: what is computed, bit by bit.
 *
 *	x = select(mask, y, z)        where the whole mask is true, x is y, and neither mask nor
 *	                              select is computed. Causal attention then masks only the
 *	                              blocks on the diagonal. (A mask that a load takes too is
 *	                              kept: it is computed anyway)
 *	x = y + select(mask, 0, c)    is select(mask, y, y + c) where y is not -0, as no sum that
 *	                              begins with 0 is. A product that may be -0 becomes y + 0
 *	                              first. The same for a product that accumulates into such a
 *	                              tile, where c is -inf: it then accumulates into nothing
 *	m = max(s * c)                is max(s) * c where c is positive and finite, as rounding is
 *	                              monotonic; also behind a mask, where
 *	                              select(mask, s * c, -inf) is select(mask, s, -inf) * c. So
 *	                              s * c is not needed by itself where its other users can fuse
 *	                              it. For any other c, s * c takes the place of s, and 1 that
 *	                              of c
 *
 * Each becomes an scf.if on a uniform scalar. A mask is all true when each of its comparisons
 * holds between the bounds of its sides: sums and differences of scalars and ranges, and their
 * products with constants, computed in 64 bits where no 32-bit value may have wrapped. Tiles of
 * few registers are left alone; so are tiles of i1, which live in predicates that a branch would
 * move to registers. */
#include "gpu/analysis/pressure.h"
#include "gpu/gpu.h"
#include "ir/rewrite/fold.h"

#include <math.h>

enum {
	LEAST_WORDS = 8, /* of a tile */
	LEAST_IN_ONE_STAGE = 33,
	DEEPEST = 16,
	MOST_LOOKED_AT = 64,
};

typedef struct Guards {
	PassCx *cx;
	GpuCx *gpu;
	VEC(IrOp *) ops;
} Guards;

/* ---- bounds ---- */

typedef struct Bounds {
	IrValue *low, *high; /* i64 */
} Bounds;

typedef struct Look {
	IrBuilder *b;
	IrType wide;
	IrValue *all; /* i1: holds so far; NULL: nothing is asked yet */
	unsigned looked_at; /* values */
} Look;

static void ask(Look *l, IrValue *cond)
{
	l->all = l->all ? irb_2(l->b, OP_ANDI, NULL, l->all, cond) : cond;
}

/* Within 32 bits, as what is computed in them must be. */
static void ask_narrow(Look *l, Bounds v)
{
	ask(l, irb_cmpi(l->b, CMPI_SGE, v.low, irb_int(l->b, l->wide, INT32_MIN)));
	ask(l, irb_cmpi(l->b, CMPI_SLE, v.high, irb_int(l->b, l->wide, INT32_MAX)));
}

static bool bounds(Look *l, IrValue *v, Bounds *out);

static bool bounds_of_sum(Look *l, const IrOp *op, Bounds *out)
{
	Bounds x, y;
	if (!bounds(l, ir_operand(op, 0), &x) || !bounds(l, ir_operand(op, 1), &y))
		return false;
	bool plus = op->kind == OP_ADDI;
	*out = (Bounds){irb_2(l->b, op->kind, NULL, x.low, plus ? y.low : y.high), irb_2(l->b, op->kind, NULL, x.high, plus ? y.high : y.low)};
	ask_narrow(l, *out);
	return true;
}

/* x / c, x % c and x * c, for a constant c above 0: the first and the last go up with x. */
static bool bounds_by_constant(Look *l, const IrOp *op, Bounds *out)
{
	int64_t by;
	Bounds x;
	if (!ir_constant_int(ir_operand(op, 1), &by) || by <= 0 || !bounds(l, ir_operand(op, 0), &x))
		return false;
	IrValue *c = irb_int(l->b, l->wide, by);
	if (op->kind == OP_REMSI) {
		ask(l, irb_cmpi(l->b, CMPI_SGE, x.low, irb_int(l->b, l->wide, 0)));
		*out = (Bounds){irb_int(l->b, l->wide, 0), irb_int(l->b, l->wide, by - 1)};
		return true;
	}
	*out = (Bounds){irb_2(l->b, op->kind, NULL, x.low, c), irb_2(l->b, op->kind, NULL, x.high, c)};
	if (op->kind == OP_MULI)
		ask_narrow(l, *out);
	return true;
}

static bool bounds_of_scalar(Look *l, IrValue *v, Bounds *out)
{
	if (v->type->kind != TY_I32)
		return false;
	out->low = out->high = irb_1(l->b, OP_EXTSI, l->wide, v);
	return true;
}

static bool bounds(Look *l, IrValue *v, Bounds *out)
{
	int64_t known;
	const IrOp *op = v->def;
	if (l->looked_at++ > MOST_LOOKED_AT || ir_elem(v->type)->kind != TY_I32)
		return false;
	if (ir_constant_int(v, &known)) {
		out->low = out->high = irb_int(l->b, l->wide, known);
		return true;
	}
	if (!ir_is_tensor(v->type))
		return bounds_of_scalar(l, v, out);
	switch (op ? op->kind : OP__COUNT) {
	case OP_SPLAT:
	case OP_EXPAND_DIMS:
	case OP_BROADCAST:
	case OP_CONVERT_LAYOUT:
	case OP_TRANS:
	case OP_RESHAPE:
		return bounds(l, ir_operand(op, 0), out);
	case OP_MAKE_RANGE:
		out->low = irb_int(l->b, l->wide, ir_get_int(op, l->b->m->cx, ATTR_START, 0));
		out->high = irb_int(l->b, l->wide, ir_get_int(op, l->b->m->cx, ATTR_END, 0) - 1);
		return true;
	case OP_ADDI:
	case OP_SUBI:
		return bounds_of_sum(l, op, out);
	case OP_DIVSI:
	case OP_REMSI:
	case OP_MULI:
		return bounds_by_constant(l, op, out);
	default:
		return false;
	}
}

/* Asks for all of the mask to be true; false: that is not known from scalars. */
static bool ask_true(Look *l, const IrValue *mask)
{
	const IrOp *op = mask->def;
	Bounds x, y;
	if (!op || l->looked_at++ > MOST_LOOKED_AT)
		return false;
	if (op->kind == OP_BROADCAST || op->kind == OP_EXPAND_DIMS || op->kind == OP_CONVERT_LAYOUT)
		return ask_true(l, ir_operand(op, 0));
	if (op->kind == OP_ANDI)
		return ask_true(l, ir_operand(op, 0)) && ask_true(l, ir_operand(op, 1));
	if (op->kind != OP_CMPI || !bounds(l, ir_operand(op, 0), &x) || !bounds(l, ir_operand(op, 1), &y))
		return false;
	switch ((IrCmpI)ir_get_int(op, l->b->m->cx, ATTR_PREDICATE, -1)) {
	case CMPI_SGE:
	case CMPI_SGT:
		ask(l, irb_cmpi(l->b, (IrCmpI)ir_get_int(op, l->b->m->cx, ATTR_PREDICATE, -1), x.low, y.high));
		return true;
	case CMPI_SLE:
	case CMPI_SLT:
		ask(l, irb_cmpi(l->b, (IrCmpI)ir_get_int(op, l->b->m->cx, ATTR_PREDICATE, -1), x.high, y.low));
		return true;
	default:
		return false;
	}
}

/* ---- branches ---- */

/* A copy of what v is made from in the block, into the branch; tiles alone. */
static IrValue *sink(Guards *g, IrBlock *block, IrBlock *branch, IrMapping *map, IrValue *v)
{
	IrOp *op = v->def;
	IrValue *known = ir_mapping_get(map, v);
	if (known != v || !op || op->block != block || !ir_is_tensor(v->type) || !ir_is_pure(op) || op->region_count)
		return known;
	for (uint32_t i = 0; i < op->operand_count; i++)
		sink(g, block, branch, map, ir_operand(op, i));
	ir_op_append(branch, ir_clone(g->cx->module, op, map, NULL, NULL));
	return ir_mapping_get(map, v);
}

/* What is made for the branch alone stands there alone: the copy outside would be merged with it. */
static void drop(IrValue *v, const IrBlock *block)
{
	IrOp *op = v->def;
	if (!op || op->block != block || v->uses || op->result_count != 1 || !ir_is_pure(op))
		return;
	IrValue *operands[3] = {NULL};
	uint32_t count = MIN(op->operand_count, (uint32_t)ARRAY_LEN(operands));
	for (uint32_t i = 0; i < count; i++)
		operands[i] = ir_operand(op, i);
	ir_op_erase(op);
	for (uint32_t i = 0; i < count; i++)
		drop(operands[i], block);
}

/* Takes the place of the op's result: `plain` where the condition holds, else the op, with what `from` is made of. */
static IrOp *branch(Guards *g, IrOp *op, IrValue *cond, IrBlock *plain, IrValue *from)
{
	IrModule *m = g->cx->module;
	IrBlock *block = op->block;
	IrBuilder b = ir_at(m, op);
	IrMapping map;
	IrOp *choice = irb_op(&b, OP_IF, &cond, 1, &op->results[0].type, 1, 2);
	ir_replace_uses(&op->results[0], &choice->results[0]);
	ir_block_append(&choice->regions[0], plain);
	IrBlock *other = ir_block_new(m, &choice->regions[1]);
	ir_mapping_init(&map, g->cx->scratch);
	sink(g, block, other, &map, from);
	ir_op_unlink(op);
	for (uint32_t i = 0; i < op->operand_count; i++)
		ir_operand_set(op, i, ir_mapping_get(&map, ir_operand(op, i)));
	ir_op_append(other, op);
	IrBuilder end = ir_at_end(m, other, op->loc);
	IrValue *result = &op->results[0];
	irb_op(&end, OP_YIELD, &result, 1, NULL, 0, 0);
	drop(from, block);
	return choice;
}

/* What else a selection takes, where it alone does so, goes into its branch. */
static void sink_other(IrOp *op, IrValue *other, const IrBlock *block)
{
	IrOp *made = other->def;
	if (!made || made->block != block || !ir_has_one_use(other) ||
	    !ir_has_trait(made, TRAIT_ELEM) || !ir_is_pure(made))
		return;
	ir_op_unlink(made);
	ir_op_insert_before(made, op);
}

/* A mask that something other than selections takes, as a load does, is computed in any case: a
 * branch would save selections alone, and have all of their tile's words wait for it at once. */
static bool is_needed(const IrValue *mask)
{
	for (const IrUse *u = mask->uses; u; u = u->next)
		if (u->owner->kind != OP_SELECT || ir_operand(u->owner, 0) != mask)
			return true;
	return false;
}

static bool guard_select(Guards *g, IrOp *op)
{
	if (is_needed(ir_operand(op, 0)))
		return false;
	IrModule *m = g->cx->module;
	IrBuilder b = ir_at(m, op);
	IrOp *before = op->prev;
	Look look = {.b = &b, .wide = ir_scalar(g->gpu->ir, TY_I64)};
	if (!ask_true(&look, ir_operand(op, 0)) || !look.all) {
		/* What was built is of no use. */
		for (IrOp *made = op->prev, *next; made != before; made = next) {
			next = made->prev;
			ir_op_erase(made);
		}
		return false;
	}
	IrBlock *plain = ir_block_new(m, NULL);
	IrBuilder then = ir_at_end(m, plain, op->loc);
	IrValue *kept = ir_operand(op, 1), *other = ir_operand(op, 2);
	irb_op(&then, OP_YIELD, &kept, 1, NULL, 0, 0);
	IrOp *choice = branch(g, op, look.all, plain, ir_operand(op, 0));
	sink_other(op, other, choice->block);
	return true;
}

/* ---- masks that are added ---- */

static bool is_all(const IrValue *v, double number)
{
	IrAttr a = ir_constant_of(v);
	uint64_t word = number == 0 ? 0 : 0xff800000;
	return a && ir_elem(v->type)->kind == TY_F32 && fold_is_constant(a) && fold_is_splat(a) &&
	       fold_word(a, 0) == word;
}

/* select(mask, 0, constant), perhaps of one row or column for all; nothing else takes it. */
static IrOp *mask_of_zeros(const IrValue *v)
{
	if (v->def && v->def->kind == OP_BROADCAST && ir_has_one_use(v))
		v = ir_operand(v->def, 0);
	IrOp *op = v->def;
	bool zeros = op && op->kind == OP_SELECT && ir_has_one_use(v) && is_all(ir_operand(op, 1), 0) &&
		     ir_is_tensor(ir_operand(op, 0)->type);
	IrAttr other = zeros ? ir_constant_of(ir_operand(op, 2)) : NULL;
	return other && fold_is_constant(other) && fold_is_splat(other) ? op : NULL;
}

/* Is no element -0? A sum is that only where both parts are. */
static bool is_never_minus_zero(const IrValue *v, unsigned depth)
{
	const IrOp *op = v->def;
	if (!op || depth > DEEPEST)
		return false;
	IrAttr a = ir_constant_of(v);
	if (a)
		return fold_is_constant(a) && fold_is_splat(a) && ir_elem(v->type)->kind == TY_F32 &&
		       fold_word(a, 0) != 0x80000000;
	if (op->kind == OP_WARP_GROUP_DOT)
		return is_never_minus_zero(ir_operand(op, 2), depth + 1);
	if (op->kind == OP_BROADCAST)
		return is_never_minus_zero(ir_operand(op, 0), depth + 1);
	if (op->kind == OP_ADDF)
		return is_never_minus_zero(ir_operand(op, 0), depth + 1) ||
		       is_never_minus_zero(ir_operand(op, 1), depth + 1);
	if (op->kind == OP_SELECT)
		return is_never_minus_zero(ir_operand(op, 1), depth + 1) &&
		       is_never_minus_zero(ir_operand(op, 2), depth + 1);
	if (op->kind != OP_IF)
		return false;
	for (unsigned i = 0; i < op->region_count; i++)
		if (!is_never_minus_zero(ir_operand(op->regions[i].first->last, v->index), depth + 1))
			return false;
	return true;
}

/* tile + select(mask, 0, c), made `sum`, is a selection in place of that sum; false, and nothing is
 * changed, where no branch comes of it. */
static bool select_sum(Guards *g, IrOp *mask, IrValue *tile, IrOp *sum)
{
	IrModule *m = g->cx->module;
	IrBuilder b = ir_at(m, sum);
	IrValue *added = &sum->results[0];
	IrType type = tile->type, bits = ir_operand(mask, 0)->type;
	IrType wide = ir_tensor(g->gpu->ir, bits->elem, type->shape, type->rank, type->encoding);
	IrValue *where = ir_operand(mask, 0);
	where = bits == wide ? where : irb_1(&b, OP_BROADCAST, wide, where);
	uint64_t word = fold_word(ir_constant_of(ir_operand(mask, 2)), 0);
	IrValue *number = irb_constant(&b, fold_splat(g->gpu->ir, type, word));
	IrValue *both = irb_2(&b, OP_ADDF, NULL, tile, number);
	IrValue *parts[] = {where, tile, both};
	IrOp *select = irb_op(&b, OP_SELECT, parts, ARRAY_LEN(parts), &added->type, 1, 0);
	ir_replace_uses(added, &select->results[0]);
	if (guard_select(g, select))
		return true;
	ir_replace_uses(&select->results[0], added);
	ir_op_erase(select);
	ir_op_erase(both->def);
	ir_op_erase(number->def);
	if (bits != wide)
		ir_op_erase(where->def);
	return false;
}

/* The tile, where no element is -0; else a product and 0, which is one op. NULL: neither. */
static IrValue *without_minus_zero(Guards *g, IrValue *tile, IrOp *sum)
{
	if (is_never_minus_zero(tile, 0))
		return tile;
	if (!tile->def || tile->def->kind != OP_MULF || ir_elem(tile->type)->kind != TY_F32)
		return NULL;
	IrBuilder b = ir_at(g->cx->module, sum);
	IrValue *zeros = irb_constant(&b, fold_splat(g->gpu->ir, tile->type, 0));
	return irb_2(&b, OP_ADDF, NULL, tile, zeros);
}

/* The number that a mask adds where it is not true: -0 would be no number like others. */
static bool adds_minus_zero(const IrOp *mask)
{
	return fold_word(ir_constant_of(ir_operand(mask, 2)), 0) == 0x80000000;
}

static bool guard_sum(Guards *g, IrOp *op)
{
	for (unsigned i = 0; i < 2; i++) {
		IrValue *added = ir_operand(op, i), *tile = ir_operand(op, 1 - i);
		IrOp *mask = mask_of_zeros(added);
		IrValue *kept = mask && !adds_minus_zero(mask) ? without_minus_zero(g, tile, op) : NULL;
		if (!kept)
			continue;
		if (!select_sum(g, mask, kept, op)) {
			if (kept != tile)
				drop(kept, op->block);
			continue;
		}
		ir_op_erase(op);
		drop(added, mask->block);
		return true;
	}
	return false;
}

/* Order of sums does not matter where -inf is one of them. */
static bool guard_product(Guards *g, IrOp *op)
{
	IrValue *added = ir_operand(op, 2);
	IrOp *mask = mask_of_zeros(added);
	if (!mask || !is_all(ir_operand(mask, 2), -INFINITY))
		return false;
	IrModule *m = g->cx->module;
	IrBuilder b = ir_at(m, op);
	IrMapping map;
	ir_mapping_init(&map, g->cx->scratch);
	IrValue *zeros = irb_constant(&b, fold_splat(g->gpu->ir, added->type, 0));
	ir_mapping_put(&map, added, zeros);
	IrOp *product = ir_clone(m, op, &map, NULL, NULL);
	ir_op_insert_before(product, op);
	if (!select_sum(g, mask, &product->results[0], op)) {
		ir_op_erase(product);
		return false;
	}
	ir_op_erase(op);
	drop(&mask->results[0], mask->block);
	return true;
}

/* The one op of a reduction's body, of both its arguments: a maximum or minimum of floats. */
static bool is_extreme(const IrOp *reduce)
{
	const IrBlock *body = reduce->regions[0].first;
	const IrOp *op = body->first;
	return reduce->operand_count == 1 && op && op->next == body->last && ir_operand(body->last, 0) == &op->results[0] &&
	       (op->kind == OP_MAXNUMF || op->kind == OP_MINNUMF || op->kind == OP_MAXIMUMF || op->kind == OP_MINIMUMF) &&
	       ir_operand(op, 0)->block == body && ir_operand(op, 1)->block == body;
}

/* The scalar that is in all elements; NULL: none. */
static IrValue *scalar_of(const IrValue *v)
{
	return v->def && v->def->kind == OP_SPLAT ? ir_operand(v->def, 0) : NULL;
}

/* A product of a tile and one positive, finite number for all: `tile` is the operand of that name. */
typedef struct Scaled {
	IrValue *tile, *factor;
} Scaled;

static Scaled scaled_of(const IrOp *op)
{
	for (unsigned i = 0; i < 2; i++) {
		IrValue *factor = scalar_of(ir_operand(op, 1 - i));
		if (factor)
			return (Scaled){ir_operand(op, i), factor};
	}
	return (Scaled){NULL, NULL};
}

static bool is_infinite(const IrValue *v)
{
	IrAttr a = ir_constant_of(v);
	return a && ir_elem(v->type)->kind == TY_F32 && fold_is_constant(a) && fold_is_splat(a) &&
	       (fold_word(a, 0) & 0x7fffffff) == 0x7f800000;
}

/* A selection between the value and an infinity. */
static bool is_masked(const IrOp *op, const IrValue *v)
{
	return op->kind == OP_SELECT &&
	       ((ir_operand(op, 1) == v && is_infinite(ir_operand(op, 2))) ||
		(ir_operand(op, 2) == v && is_infinite(ir_operand(op, 1))));
}

static bool has_extreme(const IrValue *v, bool masked)
{
	for (const IrUse *u = v->uses; u; u = u->next)
		if ((u->owner->kind == OP_REDUCE && is_extreme(u->owner)) ||
		    (masked && is_masked(u->owner, v) && has_extreme(&u->owner->results[0], false)))
			return true;
	return false;
}

/* The tile, or the one number that a whole tile's extreme is, times the number, behind `op`, and
 * behind any branch that `op` is to stand in. */
static IrValue *scale(Guards *g, IrOp *op, IrValue *tile, IrValue *number)
{
	IrBuilder b = ir_at(g->cx->module, op->next);
	b.loc = op->loc;
	IrValue *by = ir_is_tensor(tile->type) ? irb_splat(&b, number, tile->type) : number;
	return irb_2(&b, OP_MULF, NULL, tile, by);
}

/* Users of the product `from`, which is `tile` times the number, take the tile where they come to the
 * same: selections between it and an infinity, and extremes. */
static void take_unscaled(Guards *g, IrValue *from, IrValue *tile, IrValue *number)
{
	VEC(IrOp *) users = {0};
	for (const IrUse *u = from->uses; u; u = u->next)
		vec_push(g->cx->scratch, &users, u->owner);
	for (uint32_t i = 0; i < users.len; i++) {
		IrOp *op = users.data[i];
		bool extreme = op->kind == OP_REDUCE && is_extreme(op);
		if (!extreme && !is_masked(op, from))
			continue;
		for (uint32_t n = 0; n < op->operand_count; n++)
			if (ir_operand(op, n) == from)
				ir_operand_set(op, n, tile);
		IrValue *result = &op->results[0], *scaled = scale(g, op, result, number);
		ir_replace_uses(result, scaled);
		ir_operand_set(scaled->def, 0, result);
		if (!extreme)
			take_unscaled(g, scaled, result, number);
	}
}

/* s * c, of which maxima or minima are taken, perhaps where a mask leaves an infinity: s is scaled in
 * front by what is not positive and finite, and then c is 1. */
static bool guard_scale(Guards *g, IrOp *op)
{
	IrModule *m = g->cx->module;
	IrValue *product = &op->results[0];
	Scaled s = scaled_of(op);
	if (!s.factor || ir_elem(product->type)->kind != TY_F32 || !has_extreme(product, true))
		return false;
	IrBuilder b = ir_at(m, op);
	IrType f32 = s.factor->type, type = product->type;
	IrValue *positive = irb_cmpf(&b, CMPF_OGT, s.factor, irb_float(&b, f32, 0));
	IrValue *finite = irb_cmpf(&b, CMPF_OLT, s.factor, irb_float(&b, f32, INFINITY));
	IrValue *cond = irb_2(&b, OP_ANDI, NULL, positive, finite);
	IrOp *choice = irb_op(&b, OP_IF, &cond, 1, &type, 1, 2);
	IrBuilder then = ir_at_end(m, ir_block_new(m, &choice->regions[0]), op->loc);
	irb_op(&then, OP_YIELD, &s.tile, 1, NULL, 0, 0);
	IrBuilder other = ir_at_end(m, ir_block_new(m, &choice->regions[1]), op->loc);
	IrValue *all = irb_2(&other, OP_MULF, NULL, s.tile, irb_splat(&other, s.factor, type));
	irb_op(&other, OP_YIELD, &all, 1, NULL, 0, 0);
	IrValue *args[] = {cond, s.factor, irb_float(&b, f32, 1)}, *tile = &choice->results[0];
	IrValue *number = irb_op(&b, OP_SELECT, args, 3, &f32, 1, 0)->results;
	ir_operand_set(op, 0, tile);
	ir_operand_set(op, 1, irb_splat(&b, number, type));
	take_unscaled(g, product, tile, number);
	return true;
}

/* Loops of a kernel of one stage often wait for loads where they stand, and what is scheduled
 * beside that ends at a branch: on an H100 vLLM's prefill with a prefix, of 32 words, lost 10 % by
 * branches around its scale and its mask. */
static unsigned least_words(const Guards *g)
{
	return g->gpu->num_stages < 2 ? LEAST_IN_ONE_STAGE : LEAST_WORDS;
}

static bool visit(void *data, IrOp *op)
{
	Guards *g = data;
	const IrOp *loop = ir_parent_op(op);
	bool select = op->kind == OP_SELECT && ir_is_tensor(ir_operand(op, 0)->type) &&
		      ir_elem(op->results[0].type)->kind != TY_I1;
	bool adds = op->kind == OP_ADDF || op->kind == OP_WARP_GROUP_DOT;
	bool scales = op->kind == OP_MULF && ir_is_tensor(op->results[0].type);
	if ((select || adds || scales) && loop && loop->kind == OP_FOR &&
	    gpu_words(g->gpu, op->results[0].type) >= least_words(g))
		vec_push(g->cx->scratch, &g->ops, op);
	return true;
}

static bool guard(Guards *g, IrOp *op)
{
	switch (op->kind) {
	case OP_SELECT:
		return guard_select(g, op);
	case OP_ADDF:
		return guard_sum(g, op);
	case OP_WARP_GROUP_DOT:
		return guard_product(g, op);
	default:
		return guard_scale(g, op);
	}
}

bool pass_guard_masks(PassCx *cx, bool *changed)
{
	Guards g = {.cx = cx, .gpu = gpu_of(cx)};
	ir_walk(cx->module->op, true, visit, &g);
	/* Scales first: selections are between what is not scaled then. Then masks that are added: their
	 * selections are in no branch yet. */
	for (unsigned turn = 0; turn < 3; turn++) {
		for (uint32_t i = 0; i < g.ops.len; i++) {
			IrOp *op = g.ops.data[i];
			unsigned its = op->kind == OP_MULF ? 0 : op->kind == OP_SELECT ? 2 : 1;
			if (its == turn && op->block)
				*changed |= guard(&g, op);
		}
	}
	return true;
}
