#include "gpu/analysis/strided.h"

#include "ir/enums.h"

enum { DEEPEST = 64 };

void strides_init(Strides *s, Arena *arena, const IrModule *m, IrOp *loop)
{
	CONTRACT(loop == NULL || loop->region_count);
	*s = (Strides){.arena = arena, .ir = m->cx, .loop = loop, .values = m->next_value};
	s->known = ARENA_ARRAY(arena, const Strided *, s->values + 1);
	s->asked = ARENA_ARRAY(arena, uint8_t, s->values + 1);
}

static unsigned rank_of(const IrValue *v)
{
	return ir_is_tensor(v->type) ? v->type->rank : 0;
}

static Strided *plain(Strides *s, const IrValue *v, const Poly *first)
{
	Strided *out = ARENA_NEW(s->arena, Strided);
	out->rank = rank_of(v);
	out->first = first;
	for (unsigned d = 0; d < STRIDED_RANK; d++)
		out->step[d] = poly_of_int(s->arena, 0);
	return out;
}

static bool is_uniform(const Strided *v)
{
	for (unsigned d = 0; d < v->rank; d++)
		if (!poly_is_zero(v->step[d]) || v->wrap[d].end)
			return false;
	return true;
}

/* NULL where some part is too large. */
static const Strided *checked(const Strided *v)
{
	bool good = v->first != NULL;
	for (unsigned d = 0; d < v->rank; d++)
		good = good && v->step[d];
	return good ? v : NULL;
}

/* Along dim d of `out` either may wrap, or both alike. */
static bool join_wraps(Strided *out, const Strided *a, const Strided *b)
{
	for (unsigned d = 0; d < out->rank; d++) {
		const StridedWrap *x = &a->wrap[d], *y = &b->wrap[d];
		if (x->end && y->end && !(poly_same(x->end, y->end) && poly_same(x->first, y->first)))
			return false;
		out->wrap[d] = x->end ? *x : *y;
	}
	return true;
}

/* a + scale * b */
static const Strided *sum(Strides *s, const IrValue *v, const Strided *a, const Strided *b, int64_t scale)
{
	if (!a || !b || b->base)
		return NULL;
	Strided *out = plain(s, v, poly_add(s->arena, a->first, b->first, scale));
	out->base = a->base;
	for (unsigned d = 0; d < out->rank; d++)
		out->step[d] = poly_add(s->arena, a->step[d], b->step[d], scale);
	return join_wraps(out, a, b) ? checked(out) : NULL;
}

static const Strided *product(Strides *s, const IrValue *v, const Strided *a, const Strided *b)
{
	if (!a || !b || a->base || b->base || (!is_uniform(a) && !is_uniform(b)))
		return NULL;
	const Strided *by = is_uniform(b) ? b : a, *of = by == b ? a : b;
	bool wide = ir_elem(v->type)->bits > 32;
	Strided *out = plain(s, v, poly_multiply(s->arena, of->first, by->first, wide));
	for (unsigned d = 0; d < out->rank; d++) {
		out->step[d] = poly_multiply(s->arena, of->step[d], by->first, false);
		out->wrap[d] = of->wrap[d];
	}
	return checked(out);
}

/* x where x < end, along the one dim that x goes up along by 1. */
static const Strided *wrapped(Strides *s, const Strided *x, const Poly *end)
{
	int64_t step;
	bool good = x && end && x->rank == 1 && !x->base && !x->wrap[0].end;
	if (!good || !poly_is_int(x->step[0], &step) || step != 1)
		return NULL;
	Strided *out = ARENA_NEW(s->arena, Strided);
	*out = *x;
	out->wrap[0] = (StridedWrap){x->first, end};
	return out;
}

static const Strided *remainder_of(Strides *s, const IrOp *op)
{
	const Strided *x = strided_of(s, ir_operand(op, 0)), *n = strided_of(s, ir_operand(op, 1));
	return n && is_uniform(n) ? wrapped(s, x, n->first) : NULL;
}

static const Strided *least_of(Strides *s, const IrOp *op)
{
	const Strided *a = strided_of(s, ir_operand(op, 0)), *b = strided_of(s, ir_operand(op, 1));
	const Strided *end = b && is_uniform(b) ? b : a, *x = end == b ? a : b;
	if (!x || !end || !is_uniform(end))
		return NULL;
	return wrapped(s, x, poly_add(s->arena, end->first, poly_of_int(s->arena, 1), 1));
}

/* select(x < end, x, anything) */
static const Strided *chosen(Strides *s, const IrOp *op)
{
	const IrOp *cmp = ir_operand(op, 0)->def;
	if (!cmp || cmp->kind != OP_CMPI || ir_get_int(cmp, s->ir, ATTR_PREDICATE, CMPI_EQ) != CMPI_SLT ||
	    ir_operand(cmp, 0) != ir_operand(op, 1))
		return NULL;
	const Strided *end = strided_of(s, ir_operand(cmp, 1));
	return end && is_uniform(end) ? wrapped(s, strided_of(s, ir_operand(op, 1)), end->first) : NULL;
}

static const Strided *with_dim(Strides *s, const IrOp *op)
{
	const Strided *x = strided_of(s, ir_operand(op, 0));
	unsigned axis = (unsigned)ir_get_int(op, s->ir, ATTR_AXIS, 0);
	if (!x)
		return NULL;
	Strided *out = plain(s, ir_result(op, 0), x->first);
	out->base = x->base;
	for (unsigned d = 0; d < x->rank; d++) {
		out->step[d + (d >= axis)] = x->step[d];
		out->wrap[d + (d >= axis)] = x->wrap[d];
	}
	return out;
}

static const Strided *broadcast(Strides *s, const IrOp *op)
{
	const Strided *x = strided_of(s, ir_operand(op, 0));
	IrType from = ir_operand(op, 0)->type, to = op->results[0].type;
	if (!x)
		return NULL;
	Strided *out = ARENA_NEW(s->arena, Strided);
	*out = *x;
	for (unsigned d = 0; d < x->rank; d++)
		if (from->shape[d] != to->shape[d]) {
			out->step[d] = poly_of_int(s->arena, 0);
			if (out->wrap[d].end)
				return NULL;
		}
	return out;
}

static const Strided *same_as(Strides *s, const IrValue *v, const Strided *x)
{
	if (!x)
		return NULL;
	Strided *out = plain(s, v, x->first);
	out->base = x->base;
	for (unsigned d = 0; d < MIN(x->rank, out->rank); d++) {
		out->step[d] = x->step[d];
		out->wrap[d] = x->wrap[d];
	}
	return out;
}

/* ---- what a loop carries ---- */

/* What an iteration adds to the carried value; NULL: not the same in each. */
static const Poly *added_to(Strides *s, const IrValue *arg)
{
	const IrOp *add = ir_operand(s->loop->regions[0].first->last, arg->index - 1)->def;
	if (!add || (add->kind != OP_ADDPTR && add->kind != OP_ADDI))
		return NULL;
	bool second = add->kind == OP_ADDI && ir_operand(add, 1) == arg;
	if (!second && ir_operand(add, 0) != arg)
		return NULL;
	const Strided *more = strided_of(s, ir_operand(add, !second));
	return more && !more->base && is_uniform(more) && poly_is_invariant(more->first, s->loop)
		       ? more->first
		       : NULL;
}

/* init + added * (counter - lower) / step */
static const Strided *carried(Strides *s, const IrValue *arg)
{
	int64_t step;
	const IrBlock *body = s->loop->regions[0].first;
	const Strided *init = strided_of(s, ir_operand(s->loop, arg->index + 2));
	const Strided *lower = strided_of(s, ir_operand(s->loop, 0));
	const Poly *added = added_to(s, arg);
	if (!init || !added || !lower || !ir_constant_int(ir_operand(s->loop, 2), &step))
		return NULL;
	const Poly *past = poly_add(s->arena, poly_of_value(s->arena, body->args[0]), lower->first, -1);
	const Poly *all = poly_multiply(s->arena, past, poly_divide(s->arena, added, step), false);
	return sum(s, arg, init, all ? plain(s, arg, all) : NULL, 1);
}

static const Strided *of_argument(Strides *s, const IrValue *v)
{
	bool followed = s->loop && v->block == s->loop->regions[0].first && v->index > 0;
	return followed ? carried(s, v) : NULL;
}

/* ---- ops ---- */

static const Strided *of_op(Strides *s, const IrOp *op)
{
	const IrValue *v = ir_result(op, 0);
	switch (op->kind) {
	case OP_ADDI:
	case OP_ADDPTR:
		return sum(s, v, strided_of(s, ir_operand(op, 0)), strided_of(s, ir_operand(op, 1)), 1);
	case OP_SUBI:
		return sum(s, v, strided_of(s, ir_operand(op, 0)), strided_of(s, ir_operand(op, 1)), -1);
	case OP_MULI:
		return product(s, v, strided_of(s, ir_operand(op, 0)), strided_of(s, ir_operand(op, 1)));
	case OP_EXTSI:
		return same_as(s, v, strided_of(s, ir_operand(op, 0)));
	case OP_SPLAT:
		return same_as(s, v, strided_of(s, ir_operand(op, 0)));
	case OP_EXPAND_DIMS:
		return with_dim(s, op);
	case OP_BROADCAST:
		return broadcast(s, op);
	case OP_REMSI:
		return remainder_of(s, op);
	case OP_MINSI:
		return least_of(s, op);
	case OP_SELECT:
		return chosen(s, op);
	default:
		return NULL;
	}
}

static const Strided *range(Strides *s, const IrOp *op)
{
	Strided *out =
		plain(s, ir_result(op, 0), poly_of_int(s->arena, ir_get_int(op, s->ir, ATTR_START, 0)));
	out->step[0] = poly_of_int(s->arena, 1);
	return out;
}

static const Strided *find(Strides *s, const IrValue *v)
{
	int64_t number;
	bool pointer = ir_is_ptr(ir_elem(v->type));
	if (!pointer && !ir_is_int(ir_elem(v->type)))
		return NULL;
	if (ir_constant_int(v, &number))
		return plain(s, v, poly_of_int(s->arena, number));
	if (v->def && v->def->kind == OP_MAKE_RANGE)
		return range(s, v->def);
	const Strided *made = v->def ? of_op(s, v->def) : of_argument(s, v);
	if (made || ir_is_tensor(v->type))
		return made;
	/* Any other scalar stands for itself. */
	Strided *self = plain(s, v, pointer ? poly_of_int(s->arena, 0) : poly_of_value(s->arena, v));
	self->base = pointer ? v : NULL;
	return self;
}

const Strided *strided_of(Strides *s, const IrValue *v)
{
	if (v->id >= s->values || rank_of(v) > STRIDED_RANK)
		return NULL;
	if (!s->asked[v->id]) {
		s->asked[v->id] = 1;
		s->known[v->id] = find(s, v);
	}
	return s->known[v->id];
}

/* ---- masks ---- */

typedef struct Masking {
	Strides *s;
	StridedMask *out;
	bool any; /* parts that are no bounds are passed over */
} Masking;

static bool keep(const Poly **to, const Poly *p)
{
	if (*to)
		return poly_same(*to, p);
	*to = p;
	return p != NULL;
}

/* above - below > 0, or >= 0 where closed; dims[d] is dim d of the comparison in the mask. */
static bool bound(Masking *m, const Strided *above, const Strided *below, bool closed, const unsigned *dims)
{
	Arena *arena = m->s->arena;
	unsigned along = STRIDED_RANK;
	int64_t step = 0, other;
	if (!above || !below)
		return false;
	const Poly *apart = poly_add(arena, above->first, below->first, -1);
	const Poly *first = poly_add(arena, apart, poly_of_int(arena, closed), 1);
	for (unsigned d = 0; d < above->rank; d++) {
		const Poly *more = poly_add(arena, above->step[d], below->step[d], -1);
		if (above->wrap[d].end || below->wrap[d].end || !poly_is_int(more, &other))
			return false;
		if (!other)
			continue;
		if (step)
			return false;
		step = other;
		along = d;
	}
	if (step == -1) /* first - i > 0 */
		return keep(&m->out->limit[dims[along]], first);
	if (step == 1) /* first + i > 0 */
		return keep(&m->out->from[dims[along]], poly_add(arena, first, poly_of_int(arena, 1), -1));
	return false;
}

static bool compared(Masking *m, const IrOp *op, const unsigned *dims)
{
	if (!ir_is_tensor(ir_operand(op, 0)->type))
		return false;
	const Strided *l = strided_of(m->s, ir_operand(op, 0)), *r = strided_of(m->s, ir_operand(op, 1));
	switch (ir_get_int(op, m->s->ir, ATTR_PREDICATE, CMPI_EQ)) {
	case CMPI_SLT: return bound(m, r, l, false, dims);
	case CMPI_SLE: return bound(m, r, l, true, dims);
	case CMPI_SGT: return bound(m, l, r, false, dims);
	case CMPI_SGE: return bound(m, l, r, true, dims);
	default: return false;
	}
}

static bool part(Masking *m, const IrValue *mask, const unsigned *dims)
{
	const IrOp *op = mask->def;
	unsigned inner[STRIDED_RANK] = {0};
	int64_t number;
	if (ir_constant_int(mask, &number))
		return number != 0;
	if (!op || rank_of(mask) > STRIDED_RANK)
		return false;
	if (op->kind == OP_ANDI) {
		bool first = part(m, ir_operand(op, 0), dims) || m->any;
		return first && part(m, ir_operand(op, 1), dims);
	}
	if (op->kind == OP_BROADCAST || op->kind == OP_CONVERT_LAYOUT)
		return part(m, ir_operand(op, 0), dims);
	if (op->kind == OP_EXPAND_DIMS) {
		unsigned axis = (unsigned)ir_get_int(op, m->s->ir, ATTR_AXIS, 0);
		for (unsigned d = 0; d + 1 < rank_of(mask); d++)
			inner[d] = dims[d + (d >= axis)];
		return part(m, ir_operand(op, 0), inner);
	}
	return op->kind == OP_CMPI && compared(m, op, dims);
}

static const unsigned all_dims[STRIDED_RANK] = {0, 1, 2};

bool strided_mask(Strides *s, const IrValue *mask, StridedMask *out)
{
	Masking m = {s, out, false};
	*out = (StridedMask){0};
	return !mask || part(&m, mask, all_dims);
}

void strided_bounds(Strides *s, const IrValue *mask, StridedMask *out)
{
	Masking m = {s, out, true};
	*out = (StridedMask){0};
	if (mask)
		part(&m, mask, all_dims);
}
