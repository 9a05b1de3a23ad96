/* What single operations do to contiguity, divisibility and constancy.
 *
 * Contiguity c along a dim: in each aligned group of c elements values go up by one step. Then `divisibility` is about
 * the first element of each such group; of smaller groups it follows (axis_first), and with contiguity 1 it is about
 * every element. All rules are proven against evaluation in axis_test.c.
 *
 * Wrap-around: a group of c whose first value is a multiple of c crosses no power of two from c on, so sums, extensions and
 * truncations keep it. Quotients and remainders round towards zero: below zero groups break, so they want `nonneg`,
 * which in turn trusts that sums and products of indices that are not negative do not overflow, that integer arguments of
 * a kernel (sizes, strides, starts) are not negative, and divisors positive. */
#include "gpu/analysis/axis_int.h"

/* ---- small things ---- */

int64_t axis_low_bit(int64_t x)
{
	uint64_t u = (uint64_t)x;
	u &= 0 - u;
	return u == 0 || u > (uint64_t)AXIS_MOST ? AXIS_MOST : (int64_t)u;
}

static int64_t times(int64_t a, int64_t b)
{
	return a > AXIS_MOST / b ? AXIS_MOST : a * b;
}

int64_t axis_size(IrType type, unsigned dim)
{
	return ir_is_tensor(type) ? axis_low_bit(type->shape[dim]) : 1;
}

int64_t axis_step(IrType type)
{
	IrType elem = ir_elem(type);
	return ir_is_ptr(elem) && ir_is_scalar(elem->elem) ? MAX((int64_t)elem->elem->bits / 8, 1) : 1;
}

AxisInfo axis_nothing(IrType type)
{
	AxisInfo info = {.rank = ir_is_tensor(type) ? type->rank : 1};
	for (unsigned d = 0; d < info.rank; d++)
		info.contiguity[d] = info.divisibility[d] = info.constancy[d] = 1;
	return info;
}

AxisInfo axis_all(IrType type, int64_t value)
{
	AxisInfo info = axis_nothing(type);
	info.known = true;
	info.value = value;
	info.nonneg = value >= 0;
	for (unsigned d = 0; d < info.rank; d++) {
		info.divisibility[d] = axis_low_bit(value);
		info.constancy[d] = axis_size(type, d);
	}
	return info;
}

int64_t axis_first(const AxisInfo *info, IrType type, unsigned dim, int64_t n)
{
	int64_t d = info->divisibility[dim];
	return n < info->contiguity[dim] ? MIN(d, times(n, axis_low_bit(axis_step(type)))) : d;
}

int64_t axis_every(const AxisInfo *info, IrType type)
{
	int64_t most = 1;
	for (unsigned d = 0; d < info->rank; d++)
		most = MAX(most, axis_first(info, type, d, 1));
	return most;
}

AxisInfo axis_join(const AxisInfo *a, const AxisInfo *b, IrType type)
{
	AxisInfo info = axis_nothing(type);
	info.known = a->known && b->known && a->value == b->value;
	info.value = info.known ? a->value : 0;
	info.nonneg = a->nonneg && b->nonneg;
	for (unsigned d = 0; d < info.rank; d++) {
		int64_t n = MIN(a->contiguity[d], b->contiguity[d]);
		info.contiguity[d] = n;
		info.constancy[d] = MIN(a->constancy[d], b->constancy[d]);
		info.divisibility[d] = MIN(axis_first(a, type, d, n), axis_first(b, type, d, n));
	}
	return info;
}

/* ---- arithmetic ---- */

typedef struct Binary {
	const AxisInfo *a, *b;
	IrType ta, tb, type;
} Binary;

static AxisInfo sum(const Binary *x, bool minus, int64_t scale)
{
	AxisInfo info = axis_nothing(x->type);
	const AxisInfo *a = x->a, *b = x->b;
	info.nonneg = !minus && a->nonneg && b->nonneg;
	for (unsigned d = 0; d < info.rank; d++) {
		int64_t n = MIN(a->contiguity[d], b->constancy[d]);
		if (!minus)
			n = MAX(n, MIN(a->constancy[d], b->contiguity[d]));
		info.contiguity[d] = n;
		info.constancy[d] = MIN(a->constancy[d], b->constancy[d]);
		info.divisibility[d] =
			MIN(axis_first(a, x->ta, d, n), times(axis_first(b, x->tb, d, n), axis_low_bit(scale)));
	}
	return info;
}

static AxisInfo product(const Binary *x)
{
	AxisInfo info = axis_nothing(x->type);
	if (x->a->known && x->a->value == 1)
		return *x->b;
	if (x->b->known && x->b->value == 1)
		return *x->a;
	int64_t every = times(axis_every(x->a, x->ta), axis_every(x->b, x->tb));
	info.nonneg = x->a->nonneg && x->b->nonneg;
	for (unsigned d = 0; d < info.rank; d++) {
		info.constancy[d] = MIN(x->a->constancy[d], x->b->constancy[d]);
		info.divisibility[d] = every;
	}
	return info;
}

/* Contiguous elements that lie within one multiple of b, which is the same for all of them. */
static int64_t within(const Binary *x, unsigned d)
{
	int64_t n = MIN(x->a->contiguity[d], MIN(x->a->divisibility[d], x->b->constancy[d]));
	return MIN(n, axis_every(x->b, x->tb));
}

static AxisInfo quotient(const Binary *x, bool unsign)
{
	AxisInfo info = axis_nothing(x->type);
	const AxisInfo *b = x->b;
	bool down = unsign || x->a->nonneg;
	int64_t every = 1;
	if (b->known && b->value == 1)
		return *x->a;
	if (b->known && b->value > 0 && base_is_pow2((uint64_t)b->value))
		every = MAX(axis_every(x->a, x->ta) / b->value, 1);
	info.nonneg = x->a->nonneg && !(b->known && b->value < 0);
	for (unsigned d = 0; d < info.rank; d++) {
		info.constancy[d] = MIN(x->a->constancy[d], b->constancy[d]);
		if (down)
			info.constancy[d] = MAX(info.constancy[d], within(x, d));
		info.divisibility[d] = every;
	}
	return info;
}

static AxisInfo remainder_of(const Binary *x, bool unsign)
{
	AxisInfo info = axis_nothing(x->type);
	bool down = unsign || x->a->nonneg;
	int64_t every = axis_every(x->b, x->tb);
	info.nonneg = x->a->nonneg;
	for (unsigned d = 0; d < info.rank; d++) {
		int64_t n = down ? within(x, d) : 1;
		info.contiguity[d] = n;
		info.constancy[d] = MIN(x->a->constancy[d], x->b->constancy[d]);
		info.divisibility[d] = MIN(axis_first(x->a, x->ta, d, n), every);
	}
	return info;
}

/* ---- bits ---- */

/* The same op with a number in place of the second operand. */
static Binary with_number(const Binary *x, AxisInfo *number, int64_t value)
{
	Binary y = *x;
	*number = axis_all(x->type, value);
	y.b = number;
	y.tb = x->type;
	return y;
}

static AxisInfo conjunction(const Binary *x)
{
	AxisInfo info = axis_nothing(x->type), number;
	const AxisInfo *b = x->b;
	int64_t every = MAX(axis_every(x->a, x->ta), axis_every(x->b, x->tb));
	if (b->known && b->value >= 0 && b->value < INT64_MAX && base_is_pow2((uint64_t)b->value + 1)) {
		/* The low bits: a remainder that rounds down. */
		Binary y = with_number(x, &number, b->value + 1);
		info = remainder_of(&y, true);
		info.nonneg = true;
		return info;
	}
	info.nonneg = x->a->nonneg || b->nonneg;
	for (unsigned d = 0; d < info.rank; d++) {
		info.constancy[d] = MIN(x->a->constancy[d], b->constancy[d]);
		/* Where the low bits go, neighbours become equal. */
		info.constancy[d] = MAX(info.constancy[d], within(x, d));
		info.divisibility[d] = every;
	}
	return info;
}

/* or, exclusive or: with b's low bits 0, and a's those of a count, it is a sum. */
static AxisInfo disjunction(const Binary *x)
{
	AxisInfo info = axis_nothing(x->type);
	info.nonneg = x->a->nonneg && x->b->nonneg;
	for (unsigned d = 0; d < info.rank; d++) {
		Binary turned = {.a = x->b, .b = x->a, .ta = x->tb, .tb = x->ta, .type = x->type};
		int64_t n = MAX(within(x, d), within(&turned, d));
		info.contiguity[d] = n;
		info.constancy[d] = MIN(x->a->constancy[d], x->b->constancy[d]);
		info.divisibility[d] = MIN(axis_first(x->a, x->ta, d, n), axis_first(x->b, x->tb, d, n));
	}
	return info;
}

static AxisInfo shift_left(const Binary *x)
{
	AxisInfo number;
	if (x->b->known && x->b->value >= 0 && x->b->value < AXIS_MOST_BITS) {
		Binary y = with_number(x, &number, INT64_C(1) << x->b->value);
		return product(&y);
	}
	AxisInfo info = axis_nothing(x->type);
	info.nonneg = x->a->nonneg;
	for (unsigned d = 0; d < info.rank; d++) {
		info.constancy[d] = MIN(x->a->constancy[d], x->b->constancy[d]);
		info.divisibility[d] = axis_every(x->a, x->ta);
	}
	return info;
}

static AxisInfo shift_right(const Binary *x, bool unsign)
{
	AxisInfo number;
	/* A shift rounds down, whatever the sign. */
	if (x->b->known && x->b->value >= 0 && x->b->value < AXIS_MOST_BITS) {
		Binary y = with_number(x, &number, INT64_C(1) << x->b->value);
		AxisInfo info = quotient(&y, true);
		info.nonneg = x->a->nonneg || (unsign && x->b->value > 0);
		return info;
	}
	AxisInfo info = axis_nothing(x->type);
	info.nonneg = x->a->nonneg;
	for (unsigned d = 0; d < info.rank; d++)
		info.constancy[d] = MIN(x->a->constancy[d], x->b->constancy[d]);
	return info;
}

/* ---- choices ---- */

static AxisInfo extremum(const Binary *x, const IrOp *op)
{
	AxisInfo info = axis_nothing(x->type);
	int64_t every = MIN(axis_every(x->a, x->ta), axis_every(x->b, x->tb));
	bool both = x->a->nonneg && x->b->nonneg, any = x->a->nonneg || x->b->nonneg;
	info.nonneg = op->kind == OP_MAXSI || op->kind == OP_MINUI ? any : both;
	for (unsigned d = 0; d < info.rank; d++) {
		info.constancy[d] = MIN(x->a->constancy[d], x->b->constancy[d]);
		info.divisibility[d] = every;
	}
	return info;
}

/* Comparing a count with a number that the group's first element cannot have passed inside the group. */
static AxisInfo comparison(const Binary *x, int64_t predicate)
{
	AxisInfo info = axis_nothing(x->type);
	Binary turned = {.a = x->b, .b = x->a, .ta = x->tb, .tb = x->ta, .type = x->type};
	bool below = predicate == CMPI_SLT || predicate == CMPI_SGE || predicate == CMPI_ULT || predicate == CMPI_UGE;
	bool above = predicate == CMPI_SGT || predicate == CMPI_SLE || predicate == CMPI_UGT || predicate == CMPI_ULE;
	for (unsigned d = 0; d < info.rank; d++) {
		int64_t n = MIN(x->a->constancy[d], x->b->constancy[d]);
		if (below)
			n = MAX(n, within(x, d));
		if (above)
			n = MAX(n, within(&turned, d));
		info.constancy[d] = n;
	}
	return info;
}

static AxisInfo selection(const IrOp *op, const AxisArgs *args)
{
	IrType type = op->results[0].type;
	AxisInfo info = axis_nothing(type);
	const AxisInfo *c = args->a[0], *x = args->a[1], *y = args->a[2];
	bool scalar = !ir_is_tensor(ir_operand(op, 0)->type);
	if (c->known)
		return c->value ? *x : *y;
	info.nonneg = x->nonneg && y->nonneg;
	for (unsigned d = 0; d < info.rank; d++) {
		int64_t same = scalar ? AXIS_MOST : c->constancy[d];
		int64_t n = MIN(same, MIN(x->contiguity[d], y->contiguity[d]));
		info.contiguity[d] = n;
		info.divisibility[d] = MIN(axis_first(x, type, d, n), axis_first(y, type, d, n));
		info.constancy[d] = MIN(same, MIN(x->constancy[d], y->constancy[d]));
	}
	/* Both may be the same number. */
	if (x->known && y->known && x->value == y->value)
		return *x;
	return info;
}

/* ---- all of them ---- */

static AxisInfo two_operands(const IrOp *op, const IrCx *cx, const AxisArgs *args)
{
	Binary x = {.a = args->a[0], .b = args->a[1], .ta = ir_operand(op, 0)->type, .tb = ir_operand(op, 1)->type,
		    .type = op->results[0].type};
	switch (op->kind) {
	case OP_ADDI:
		return sum(&x, false, 1);
	case OP_SUBI:
		return sum(&x, true, 1);
	case OP_ADDPTR:
		return sum(&x, false, axis_step(x.type));
	case OP_MULI:
		return product(&x);
	case OP_DIVSI:
	case OP_FLOORDIVSI:
		return quotient(&x, false);
	case OP_DIVUI:
		return quotient(&x, true);
	case OP_REMSI:
		return remainder_of(&x, false);
	case OP_REMUI:
		return remainder_of(&x, true);
	case OP_ANDI:
		return conjunction(&x);
	case OP_ORI:
	case OP_XORI:
		return disjunction(&x);
	case OP_SHLI:
		return shift_left(&x);
	case OP_SHRSI:
		return shift_right(&x, false);
	case OP_SHRUI:
		return shift_right(&x, true);
	case OP_CMPI:
		return comparison(&x, ir_get_int(op, cx, ATTR_PREDICATE, CMPI_EQ));
	default:
		return extremum(&x, op);
	}
}

AxisInfo axis_transfer(const IrOp *op, const IrCx *cx, const AxisArgs *args)
{
	IrType type = op->results[0].type;
	IrType from = op->operand_count ? ir_operand(op, 0)->type : NULL;
	const AxisInfo *a = args->a[0];
	AxisInfo info;
	switch (op->kind) {
	case OP_CONSTANT:
		return axis_of_constant(op);
	case OP_MAKE_RANGE:
		return axis_of_range(op, cx);
	case OP_PROGRAM_ID:
	case OP_NUM_PROGRAMS:
		info = axis_nothing(type);
		info.nonneg = true;
		return info;
	case OP_SPLAT:
		return axis_splat(a, type);
	case OP_UNSPLAT:
		info = axis_keep_facts(axis_nothing(type), a);
		info.divisibility[0] = axis_every(a, from);
		return info;
	case OP_EXPAND_DIMS:
		return axis_expanded(a, from, type, (unsigned)ir_get_int(op, cx, ATTR_AXIS, 0));
	case OP_BROADCAST:
		return axis_broadcast(a, from, type);
	case OP_TRANS:
		return axis_transposed(a, type, ir_get(op, cx, ATTR_ORDER));
	case OP_RESHAPE:
		return axis_reshaped(a, from, type);
	case OP_JOIN:
		return axis_joined(args, from, type);
	case OP_SPLIT:
		return axis_without_last(a, type);
	case OP_CONVERT_LAYOUT:
		return *a;
	case OP_EXTSI:
	case OP_EXTUI:
		return axis_extended(a, from, op->kind == OP_EXTUI);
	case OP_TRUNCI:
		return axis_truncated(a, from, type);
	case OP_BITCAST:
	case OP_INT_TO_PTR:
	case OP_PTR_TO_INT:
		return axis_retyped(a, from, type);
	case OP_SELECT:
		return selection(op, args);
	case OP_ADDI:
	case OP_SUBI:
	case OP_ADDPTR:
	case OP_MULI:
	case OP_DIVSI:
	case OP_FLOORDIVSI:
	case OP_DIVUI:
	case OP_REMSI:
	case OP_REMUI:
	case OP_ANDI:
	case OP_ORI:
	case OP_XORI:
	case OP_SHLI:
	case OP_SHRSI:
	case OP_SHRUI:
	case OP_MINSI:
	case OP_MAXSI:
	case OP_MINUI:
	case OP_MAXUI:
	case OP_CMPI:
		return two_operands(op, cx, args);
	default:
		break;
	}
	if (ir_has_trait(op, TRAIT_ELEM) && ir_has_trait(op, TRAIT_PURE | TRAIT_NOFX))
		return axis_of_equal_operands(op, args);
	return axis_nothing(type);
}
