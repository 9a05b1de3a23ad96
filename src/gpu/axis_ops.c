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
#include "gpu/axis_int.h"

/* ---- small things ---- */

static int64_t low_bit(int64_t x)
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
	return ir_is_tensor(type) ? low_bit(type->shape[dim]) : 1;
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
		info.divisibility[d] = low_bit(value);
		info.constancy[d] = axis_size(type, d);
	}
	return info;
}

int64_t axis_first(const AxisInfo *info, IrType type, unsigned dim, int64_t n)
{
	int64_t d = info->divisibility[dim];
	return n < info->contiguity[dim] ? MIN(d, times(n, low_bit(axis_step(type)))) : d;
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
			MIN(axis_first(a, x->ta, d, n), times(axis_first(b, x->tb, d, n), low_bit(scale)));
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

/* ---- shapes ---- */

static AxisInfo range(const IrOp *op, const IrCx *cx)
{
	IrType type = op->results[0].type;
	AxisInfo info = axis_nothing(type);
	int64_t start = ir_get_int(op, cx, ATTR_START, 0), n = axis_size(type, 0);
	info.contiguity[0] = n;
	info.divisibility[0] = n == type->shape[0] ? low_bit(start) : MIN(low_bit(start), n);
	info.nonneg = start >= 0;
	if (type->shape[0] == 1)
		return axis_all(type, start);
	return info;
}

static AxisInfo keep_facts(AxisInfo info, const AxisInfo *from)
{
	info.known = from->known;
	info.value = from->value;
	info.nonneg = from->nonneg;
	return info;
}

static AxisInfo splat(const AxisInfo *a, IrType type)
{
	AxisInfo info = keep_facts(axis_nothing(type), a);
	for (unsigned d = 0; d < info.rank; d++) {
		info.divisibility[d] = a->divisibility[0];
		info.constancy[d] = axis_size(type, d);
	}
	return info;
}

static AxisInfo expanded(const AxisInfo *a, IrType from, IrType type, unsigned axis)
{
	AxisInfo info = keep_facts(axis_nothing(type), a);
	for (unsigned d = 0; d < info.rank; d++) {
		unsigned old = d < axis ? d : d - 1;
		info.divisibility[d] = d == axis ? axis_every(a, from) : a->divisibility[old];
		if (d != axis) {
			info.contiguity[d] = a->contiguity[old];
			info.constancy[d] = a->constancy[old];
		}
	}
	return info;
}

static AxisInfo broadcast(const AxisInfo *a, IrType from, IrType type)
{
	AxisInfo info = *a;
	for (unsigned d = 0; d < info.rank; d++)
		if (from->shape[d] != type->shape[d])
			info.constancy[d] = axis_size(type, d);
	return info;
}

static AxisInfo transposed(const AxisInfo *a, IrType type, IrAttr order)
{
	AxisInfo info = keep_facts(axis_nothing(type), a);
	for (unsigned d = 0; d < info.rank; d++) {
		info.contiguity[d] = a->contiguity[order->ints[d]];
		info.divisibility[d] = a->divisibility[order->ints[d]];
		info.constancy[d] = a->constancy[order->ints[d]];
	}
	return info;
}

/* Elements that follow one another in row-major order stay neighbours: along the last dim that is longer than 1. */
static AxisInfo reshaped(const AxisInfo *a, IrType from, IrType type)
{
	int last = (int)from->rank - 1, to = (int)type->rank - 1;
	bool constant = true;
	while (last > 0 && from->shape[last] == 1)
		last--;
	while (to > 0 && type->shape[to] == 1)
		to--;
	for (unsigned d = 0; d < from->rank; d++)
		constant = constant && a->constancy[d] == from->shape[d];
	AxisInfo info = keep_facts(axis_nothing(type), a);
	for (unsigned d = 0; d < info.rank; d++) {
		info.divisibility[d] = axis_every(a, from);
		info.constancy[d] = constant ? axis_size(type, d) : 1;
	}
	if (constant || last < 0 || to < 0)
		return info;
	unsigned l = (unsigned)last, t = (unsigned)to;
	info.contiguity[t] = MIN(a->contiguity[l], axis_size(type, t));
	info.constancy[t] = MIN(a->constancy[l], axis_size(type, t));
	info.divisibility[t] = MAX(axis_first(a, from, l, info.contiguity[t]), info.contiguity[t] == 1 ? axis_every(a, from) : 1);
	return info;
}

static AxisInfo joined(const AxisArgs *args, IrType from, IrType type)
{
	AxisInfo both = axis_join(args->a[0], args->a[1], from), info = axis_nothing(type);
	info.nonneg = both.nonneg;
	for (unsigned d = 0; d < both.rank; d++) {
		info.contiguity[d] = both.contiguity[d];
		info.divisibility[d] = both.divisibility[d];
		info.constancy[d] = both.constancy[d];
	}
	info.divisibility[both.rank] = axis_every(&both, from);
	return info;
}

static AxisInfo without_last(const AxisInfo *a, IrType type)
{
	AxisInfo info = keep_facts(axis_nothing(type), a);
	for (unsigned d = 0; d < info.rank && d < a->rank; d++) {
		info.contiguity[d] = a->contiguity[d];
		info.divisibility[d] = a->divisibility[d];
		info.constancy[d] = a->constancy[d];
	}
	return info;
}

/* ---- types ---- */

/* The same numbers; where the step changes, only runs of 1 remain. */
static AxisInfo retyped(const AxisInfo *a, IrType from, IrType type)
{
	AxisInfo info = keep_facts(*a, a);
	if (axis_step(from) == axis_step(type))
		return info;
	for (unsigned d = 0; d < info.rank; d++) {
		info.contiguity[d] = 1;
		info.divisibility[d] = axis_every(a, from);
	}
	return info;
}

static AxisInfo truncated(const AxisInfo *a, IrType from, IrType type)
{
	AxisInfo info = *a;
	unsigned bits = ir_elem(type)->bits;
	int64_t most = bits < AXIS_MOST_BITS ? INT64_C(1) << bits : AXIS_MOST;
	info.nonneg = false;
	for (unsigned d = 0; d < info.rank; d++) {
		info.contiguity[d] = MIN(info.contiguity[d], most);
		info.divisibility[d] = axis_first(a, from, d, info.contiguity[d]);
		if (info.divisibility[d] >= most)
			info.divisibility[d] = AXIS_MOST;
	}
	if (info.known) {
		IrType elem = ir_elem(type);
		unsigned unused = 64 - elem->bits;
		return axis_all(type, (int64_t)((uint64_t)a->value << unused) >> unused);
	}
	return info;
}

/* Narrow integers wrap soon: runs must not cross a multiple of their length. */
static AxisInfo extended(const AxisInfo *a, IrType from, bool unsign)
{
	AxisInfo info = *a;
	unsigned bits = ir_elem(from)->bits;
	if (info.known && unsign && bits < 64 && info.value < 0)
		info.value &= (INT64_C(1) << bits) - 1;
	info.nonneg = info.nonneg || unsign;
	for (unsigned d = 0; d < info.rank && bits < 32; d++) {
		info.contiguity[d] = MIN(a->contiguity[d], a->divisibility[d]);
		info.divisibility[d] = axis_first(a, from, d, info.contiguity[d]);
	}
	/* Past the width there were no bits to know of. */
	for (unsigned d = 0; d < info.rank && bits < AXIS_MOST_BITS; d++)
		if (info.divisibility[d] > INT64_C(1) << bits)
			info.divisibility[d] = AXIS_MOST;
	return info;
}

/* Elementwise ops of which only this is known: equal operands give equal results. */
static AxisInfo equal_operands(const IrOp *op, const AxisArgs *args)
{
	AxisInfo info = axis_nothing(op->results[0].type);
	if (!ir_is_tensor(op->results[0].type))
		return info;
	for (unsigned d = 0; d < info.rank; d++) {
		info.constancy[d] = axis_size(op->results[0].type, d);
		for (uint32_t i = 0; i < op->operand_count && i < 3; i++)
			if (ir_is_tensor(ir_operand(op, i)->type))
				info.constancy[d] = MIN(info.constancy[d], args->a[i]->constancy[d]);
	}
	return info;
}

/* ---- constants ---- */

static int64_t word_value(IrType elem, uint64_t word)
{
	unsigned unused = 64 - elem->bits;
	return elem->bits == 1 ? (int64_t)(word & 1) : (int64_t)(word << unused) >> unused;
}

typedef struct Words {
	IrAttr attr;
	uint32_t inner; /* elements between neighbours of the dim */
	int64_t size;   /* of the dim */
} Words;

/* Does element i of an aligned group of n lie at step * i from the first, and the first at a multiple of `of`? */
static bool groups_fit(const Words *w, int64_t n, int64_t step, int64_t of)
{
	IrType elem = w->attr->type->elem;
	for (uint32_t i = 0; i < w->attr->len; i++) {
		int64_t at = i / w->inner % w->size, offset = at % n;
		int64_t first = word_value(elem, w->attr->words[i - (uint32_t)offset * w->inner]);
		int64_t value = word_value(elem, w->attr->words[i]);
		if ((int64_t)((uint64_t)first + (uint64_t)(step * offset)) != value || first % of != 0)
			return false;
	}
	return true;
}

static AxisInfo constant(const IrOp *op)
{
	IrType type = op->results[0].type;
	AxisInfo info = axis_nothing(type);
	IrAttr attr = ir_constant_of(&op->results[0]);
	if (!attr || !ir_is_int(ir_elem(type)))
		return info;
	if (attr->kind != ATTR_KIND_DENSE)
		return axis_all(type, attr->i);
	if (attr->splat)
		return axis_all(type, word_value(type->elem, attr->words[0]));
	info.nonneg = true;
	for (uint32_t i = 0; i < attr->len; i++)
		info.nonneg = info.nonneg && word_value(type->elem, attr->words[i]) >= 0;
	Words w = {.attr = attr, .inner = 1};
	for (unsigned d = info.rank; d-- > 0; w.inner *= (uint32_t)w.size) {
		w.size = type->shape[d];
		int64_t n = axis_size(type, d);
		for (int64_t k = 2; k <= n && groups_fit(&w, k, 0, 1); k *= 2)
			info.constancy[d] = k;
		for (int64_t k = 2; k <= n && groups_fit(&w, k, 1, 1); k *= 2)
			info.contiguity[d] = k;
		for (int64_t k = 2; k <= 1024 && groups_fit(&w, info.contiguity[d], 1, k); k *= 2)
			info.divisibility[d] = k;
	}
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
		return constant(op);
	case OP_MAKE_RANGE:
		return range(op, cx);
	case OP_PROGRAM_ID:
	case OP_NUM_PROGRAMS:
		info = axis_nothing(type);
		info.nonneg = true;
		return info;
	case OP_SPLAT:
		return splat(a, type);
	case OP_UNSPLAT:
		info = keep_facts(axis_nothing(type), a);
		info.divisibility[0] = axis_every(a, from);
		return info;
	case OP_EXPAND_DIMS:
		return expanded(a, from, type, (unsigned)ir_get_int(op, cx, ATTR_AXIS, 0));
	case OP_BROADCAST:
		return broadcast(a, from, type);
	case OP_TRANS:
		return transposed(a, type, ir_get(op, cx, ATTR_ORDER));
	case OP_RESHAPE:
		return reshaped(a, from, type);
	case OP_JOIN:
		return joined(args, from, type);
	case OP_SPLIT:
		return without_last(a, type);
	case OP_CONVERT_LAYOUT:
		return *a;
	case OP_EXTSI:
	case OP_EXTUI:
		return extended(a, from, op->kind == OP_EXTUI);
	case OP_TRUNCI:
		return truncated(a, from, type);
	case OP_BITCAST:
	case OP_INT_TO_PTR:
	case OP_PTR_TO_INT:
		return retyped(a, from, type);
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
		return equal_operands(op, args);
	return axis_nothing(type);
}
