/* What single operations do to contiguity, divisibility and constancy.
 *
 * Contiguity c along a dim: in each aligned group of c elements values go up by one step. Then
 * `divisibility` is about the first element of each such group; for smaller groups it follows
 * (axis_first), and with contiguity 1 it is about every element. All rules are checked against
 * evaluation in axis_test.c.
 *
 * Wrap-around: a group of c whose first value is a multiple of c crosses no power of two from c
 * on, so sums, extensions and truncations keep it. Quotients and remainders round towards zero and
 * break groups below zero, so they need `nonneg`. That in turn assumes that sums and products of
 * non-negative indices do not overflow, that integer arguments of a kernel (sizes, strides,
 * starts) are not negative, and that divisors are positive. */
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

AxisInfo axis_op_unknown(const AxisOp *x) { return axis_nothing(x->type); }
AxisInfo axis_op_same(const AxisOp *x) { return *x->a; }

AxisInfo axis_op_program(const AxisOp *x)
{
	AxisInfo info = axis_nothing(x->type);
	info.nonneg = true;
	return info;
}

AxisInfo axis_op_sum(const AxisOp *x)
{
	AxisInfo info = axis_nothing(x->type);
	const AxisInfo *a = x->a, *b = x->b;
	bool minus = x->op->kind == OP_SUBI;
	int64_t scale = x->op->kind == OP_ADDPTR ? axis_step(x->type) : 1;
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

AxisInfo axis_op_product(const AxisOp *x)
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
static int64_t within(const AxisOp *x, unsigned d)
{
	int64_t n = MIN(x->a->contiguity[d], MIN(x->a->divisibility[d], x->b->constancy[d]));
	return MIN(n, axis_every(x->b, x->tb));
}

static AxisInfo quotient(const AxisOp *x, bool unsign)
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

AxisInfo axis_op_quotient(const AxisOp *x) { return quotient(x, x->op->kind == OP_DIVUI); }

static AxisInfo remainder_of(const AxisOp *x, bool unsign)
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

AxisInfo axis_op_remainder(const AxisOp *x) { return remainder_of(x, x->op->kind == OP_REMUI); }

/* ---- bits ---- */

/* The same op with a number in place of the second operand. */
static AxisOp with_number(const AxisOp *x, AxisInfo *number, int64_t value)
{
	AxisOp y = *x;
	*number = axis_all(x->type, value);
	y.b = number;
	y.tb = x->type;
	return y;
}

AxisInfo axis_op_conjunction(const AxisOp *x)
{
	AxisInfo info = axis_nothing(x->type), number;
	const AxisInfo *b = x->b;
	int64_t every = MAX(axis_every(x->a, x->ta), axis_every(x->b, x->tb));
	if (b->known && b->value >= 0 && b->value < INT64_MAX && base_is_pow2((uint64_t)b->value + 1)) {
		/* The low bits: a remainder that rounds down. */
		AxisOp y = with_number(x, &number, b->value + 1);
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
AxisInfo axis_op_disjunction(const AxisOp *x)
{
	AxisInfo info = axis_nothing(x->type);
	info.nonneg = x->a->nonneg && x->b->nonneg;
	for (unsigned d = 0; d < info.rank; d++) {
		AxisOp turned = {.a = x->b, .b = x->a, .ta = x->tb, .tb = x->ta, .type = x->type};
		int64_t n = MAX(within(x, d), within(&turned, d));
		info.contiguity[d] = n;
		info.constancy[d] = MIN(x->a->constancy[d], x->b->constancy[d]);
		info.divisibility[d] = MIN(axis_first(x->a, x->ta, d, n), axis_first(x->b, x->tb, d, n));
	}
	return info;
}

AxisInfo axis_op_shift_left(const AxisOp *x)
{
	AxisInfo number;
	if (x->b->known && x->b->value >= 0 && x->b->value < AXIS_MOST_BITS) {
		AxisOp y = with_number(x, &number, INT64_C(1) << x->b->value);
		return axis_op_product(&y);
	}
	AxisInfo info = axis_nothing(x->type);
	info.nonneg = x->a->nonneg;
	for (unsigned d = 0; d < info.rank; d++) {
		info.constancy[d] = MIN(x->a->constancy[d], x->b->constancy[d]);
		info.divisibility[d] = axis_every(x->a, x->ta);
	}
	return info;
}

AxisInfo axis_op_shift_right(const AxisOp *x)
{
	AxisInfo number;
	/* A shift rounds down, whatever the sign. */
	if (x->b->known && x->b->value >= 0 && x->b->value < AXIS_MOST_BITS) {
		AxisOp y = with_number(x, &number, INT64_C(1) << x->b->value);
		AxisInfo info = quotient(&y, true);
		info.nonneg = x->a->nonneg || (x->op->kind == OP_SHRUI && x->b->value > 0);
		return info;
	}
	AxisInfo info = axis_nothing(x->type);
	info.nonneg = x->a->nonneg;
	for (unsigned d = 0; d < info.rank; d++)
		info.constancy[d] = MIN(x->a->constancy[d], x->b->constancy[d]);
	return info;
}

/* ---- choices ---- */

AxisInfo axis_op_extremum(const AxisOp *x)
{
	AxisInfo info = axis_nothing(x->type);
	int64_t every = MIN(axis_every(x->a, x->ta), axis_every(x->b, x->tb));
	bool both = x->a->nonneg && x->b->nonneg, any = x->a->nonneg || x->b->nonneg;
	info.nonneg = x->op->kind == OP_MAXSI || x->op->kind == OP_MINUI ? any : both;
	for (unsigned d = 0; d < info.rank; d++) {
		info.constancy[d] = MIN(x->a->constancy[d], x->b->constancy[d]);
		info.divisibility[d] = every;
	}
	return info;
}

/* Comparing a count with a number that the group's first element cannot have passed inside the group. */
AxisInfo axis_op_comparison(const AxisOp *x)
{
	int64_t predicate = ir_get_int(x->op, x->cx, ATTR_PREDICATE, CMPI_EQ);
	AxisInfo info = axis_nothing(x->type);
	AxisOp turned = {.a = x->b, .b = x->a, .ta = x->tb, .tb = x->ta, .type = x->type};
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

/* One address gives one value: rows of a table are found by an index that is read. */
AxisInfo axis_op_load(const AxisOp *x)
{
	bool same = ir_is_tensor(x->ta) && !ir_is_volatile(x->op);
	return same ? axis_op_equal(x) : axis_nothing(x->type);
}

AxisInfo axis_op_select(const AxisOp *op)
{
	IrType type = op->type;
	AxisInfo info = axis_nothing(type);
	const AxisInfo *c = op->a, *x = op->b, *y = op->c;
	bool scalar = !ir_is_tensor(op->ta);
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

AxisInfo axis_transfer(const IrOp *op, const IrCx *cx, const AxisArgs *args)
{
#define TILES(layout, cost, scratch, axis, range) axis_op_##axis
	static AxisFn *const hooks[OP__COUNT] = {
#define OP(name, text, levels, takes, gives, regions, traits, type, format, attrs, rules, tiles, doc) \
	[OP_##name] = tiles,
#include "ir/ops.def"
#undef OP
	};
	uint32_t n = op->operand_count;
	AxisOp x = {.op = op, .cx = cx, .a = args->a[0], .b = args->a[1], .c = args->a[2]};
	x.type = op->results[0].type;
	x.ta = n > 0 ? ir_operand(op, 0)->type : NULL;
	x.tb = n > 1 ? ir_operand(op, 1)->type : NULL;
	return hooks[op->kind](&x);
}
