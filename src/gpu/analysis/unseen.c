/* Follows a tile to all that is computed from it, one dim at a time, as long as elements stay in
 * their rows (or columns). An op that mixes rows, or lets a value decide where something goes,
 * ends the search. */
#include "gpu/analysis/unseen.h"

#include "base/vec.h"

typedef struct Reached {
	const IrValue *value;
	unsigned dim;
} Reached;

typedef struct Search {
	Arena *arena;
	const IrModule *m;
	const StridedWrap *past;
	Strides strides;
	VEC(Reached) reached;
} Search;

static void reach(Search *s, const IrValue *v, unsigned dim)
{
	for (uint32_t i = 0; i < s->reached.len; i++)
		if (s->reached.data[i].value == v && s->reached.data[i].dim == dim)
			return;
	vec_push(s->arena, &s->reached, (Reached){v, dim});
}

static bool leaves_out(Search *s, const IrOp *op, uint32_t mask, unsigned dim)
{
	StridedMask bounds;
	if (op->operand_count <= mask)
		return false;
	strided_bounds(&s->strides, ir_operand(op, mask), &bounds);
	return poly_same(bounds.limit[dim], poly_add(s->arena, s->past->end, s->past->first, -1));
}

/* What a region hands on: to its loop or branch, and to the next iteration. */
static bool hand_on(Search *s, const IrOp *yield, uint32_t number, unsigned dim)
{
	const IrOp *outer = ir_parent_op(yield);
	if (outer->kind == OP_FOR) {
		if (!poly_is_invariant(s->past->first, outer) || !poly_is_invariant(s->past->end, outer))
			return false;
		reach(s, outer->regions[0].first->args[number + 1], dim);
	} else if (outer->kind != OP_IF) {
		return false;
	}
	reach(s, &outer->results[number], dim);
	return true;
}

static bool through_dot(Search *s, const IrOp *op, uint32_t operand, unsigned dim)
{
	bool kept = operand == 2 || dim == operand;
	if (kept && op->results[0].type->rank == 2)
		reach(s, &op->results[0], dim);
	return kept && op->results[0].type->rank == 2;
}

static bool through(Search *s, const IrUse *use, unsigned dim)
{
	const IrOp *op = use->owner;
	const IrValue *result = op->result_count ? &op->results[0] : NULL;
	uint32_t operand = (uint32_t)(use - op->operands);
	int64_t axis = ir_get_int(op, s->m->cx, ATTR_AXIS, 0);
	IrAttr order;
	switch (op->kind) {
	case OP_DOT:
		return through_dot(s, op, operand, dim);
	case OP_TRANS:
		order = ir_get(op, s->m->cx, ATTR_ORDER);
		for (unsigned d = 0; order && d < result->type->rank; d++)
			if (order->ints[d] == (int64_t)dim)
				reach(s, result, d);
		return order != NULL;
	case OP_EXPAND_DIMS:
		reach(s, result, dim + ((int64_t)dim >= axis));
		return true;
	case OP_BROADCAST:
		reach(s, result, dim);
		return use->value->type->shape[dim] == result->type->shape[dim];
	case OP_REDUCE:
		for (uint32_t r = 0; r < op->result_count; r++)
			reach(s, &op->results[r], dim - ((int64_t)dim > axis));
		return axis != (int64_t)dim;
	case OP_FOR:
		if (operand < 3)
			return false;
		reach(s, op->regions[0].first->args[operand - 2], dim);
		reach(s, &op->results[operand - 3], dim);
		return true;
	case OP_YIELD:
		return hand_on(s, op, operand, dim);
	case OP_STORE:
		return operand == 1 && leaves_out(s, op, 2, dim);
	case OP_ATOMIC_RMW:
		return operand == 1 && !op->results[0].uses && leaves_out(s, op, 2, dim);
	default:
		if (!ir_has_trait(op, TRAIT_ELEM) || !ir_is_pure(op) || op->region_count)
			return false;
		if (op->result_count != 1 || !ir_is_tensor(result->type))
			return false;
		reach(s, result, dim);
		return true;
	}
}

bool gpu_unseen(Arena *arena, const IrModule *m, const IrValue *tile, unsigned dim, const StridedWrap *past)
{
	Search s = {.arena = arena, .m = m, .past = past};
	strides_init(&s.strides, arena, m, NULL);
	reach(&s, tile, dim);
	for (uint32_t i = 0; i < s.reached.len; i++) {
		Reached r = s.reached.data[i];
		for (const IrUse *u = r.value->uses; u; u = u->next)
			if (!through(&s, u, r.dim))
				return false;
	}
	return true;
}
