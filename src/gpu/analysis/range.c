/* Interval arithmetic on values that run, see range.h. Bounds of magnitude are kept beside each interval, so that products
 * and sums stay within 64 bits; where they might not, or where a 32-bit op might wrap, a condition is added to `sound`. */
#include "gpu/analysis/range.h"

#include "ir/rewrite/fold.h"

enum { UNSEEN, UNDER_WAY, UNKNOWN, KNOWN }; /* Range.state */
enum { NO_PATH = UINT32_MAX >> 4 /* elements have changed their places: no mask is theirs */ };
enum { WORD = 31, MOST = 62, ADDRESS = 57 /* bits of a virtual address */ };

static bool range_of(Ranges *r, const IrValue *v, Range *out);

void ranges_init(Ranges *r, IrModule *m, IrCx *ir, Arena *arena, IrOp *loop)
{
	*r = (Ranges){.ir = ir, .arena = arena, .loop = loop, .before = ir_at(m, loop), .values = m->next_value};
	for (unsigned i = 0; i < ARRAY_LEN(r->known); i++) {
		r->known[i] = ARENA_ARRAY(arena, Range, r->values);
		r->paths[i] = ARENA_ARRAY(arena, uint32_t, r->values);
	}
}

/* ---- arithmetic ---- */

static IrType i64(const Ranges *r)
{
	return ir_scalar(r->ir, TY_I64);
}

static IrValue *number(Ranges *r, int64_t value)
{
	return irb_int(&r->before, i64(r), value);
}

/* a OP b of numbers that do not leave 64 bits. */
static IrValue *make(Ranges *r, IrOpKind kind, IrValue *a, IrValue *b)
{
	int64_t x, y;
	bool left = ir_constant_int(a, &x), right = ir_constant_int(b, &y);
	if (right && ((kind == OP_MULI && y == 1) || ((kind == OP_ADDI || kind == OP_SUBI) && y == 0)))
		return a;
	if (left && ((kind == OP_MULI && x == 1) || (kind == OP_ADDI && x == 0)))
		return b;
	if (!left || !right)
		return a == b && (kind == OP_MINSI || kind == OP_MAXSI) ? a : irb_2(&r->before, kind, NULL, a, b);
	switch (kind) {
	case OP_ADDI:
		return number(r, x + y);
	case OP_SUBI:
		return number(r, x - y);
	case OP_MULI:
		return number(r, x * y);
	case OP_MINSI:
		return number(r, MIN(x, y));
	default:
		ASSERT(kind == OP_MAXSI);
		return number(r, MAX(x, y));
	}
}

static void require(Ranges *r, IrCmpI predicate, IrValue *a, IrValue *b)
{
	IrValue *holds = irb_cmpi(&r->before, predicate, a, b);
	r->sound = r->sound ? irb_2(&r->before, OP_ANDI, NULL, r->sound, holds) : holds;
}

/* From here on the interval lies within -2^bits ... 2^bits - 1, or `sound` is false. */
static void hold_within(Ranges *r, Range *x, unsigned bits)
{
	if (x->bits <= bits)
		return;
	int64_t low = -(INT64_C(1) << bits), high = (INT64_C(1) << bits) - 1, known;
	if (!ir_constant_int(x->low, &known) || known < low)
		require(r, CMPI_SGE, x->low, number(r, low));
	if (!ir_constant_int(x->high, &known) || known > high)
		require(r, CMPI_SLE, x->high, number(r, high));
	x->bits = bits;
}

static Range constant(Ranges *r, int64_t low, int64_t high)
{
	uint64_t most = MAX(low < 0 ? ~(uint64_t)low : (uint64_t)low, high < 0 ? ~(uint64_t)high : (uint64_t)high);
	unsigned bits = 0;
	while (bits < 63 && most >> bits)
		bits++;
	IrValue *least = number(r, low);
	return (Range){least, number(r, high), bits, KNOWN};
}

static Range add(Ranges *r, Range a, Range b)
{
	hold_within(r, &a, MOST - 1);
	hold_within(r, &b, MOST - 1);
	IrValue *low = make(r, OP_ADDI, a.low, b.low);
	return (Range){low, make(r, OP_ADDI, a.high, b.high), MAX(a.bits, b.bits) + 1, KNOWN};
}

static Range subtract(Ranges *r, Range a, Range b)
{
	hold_within(r, &a, MOST - 1);
	hold_within(r, &b, MOST - 1);
	IrValue *low = make(r, OP_SUBI, a.low, b.high);
	return (Range){low, make(r, OP_SUBI, a.high, b.low), MAX(a.bits, b.bits) + 1, KNOWN};
}

static Range multiply(Ranges *r, Range a, Range b)
{
	int64_t low, high;
	if (a.bits + b.bits > MOST) {
		hold_within(r, &a, WORD);
		hold_within(r, &b, WORD);
	}
	unsigned bits = a.bits + b.bits;
	if (ir_constant_int(a.low, &low) && ir_constant_int(a.high, &high) && low == high) {
		Range swap = a;
		a = b;
		b = swap;
	}
	IrValue *ll = make(r, OP_MULI, a.low, b.low), *hl = make(r, OP_MULI, a.high, b.low);
	bool single = b.low == b.high || (ir_constant_int(b.low, &low) && ir_constant_int(b.high, &high) && low == high);
	if (single && ir_constant_int(b.low, &low))
		return low < 0 ? (Range){hl, ll, bits, KNOWN} : (Range){ll, hl, bits, KNOWN};
	IrValue *least = make(r, OP_MINSI, ll, hl), *most = make(r, OP_MAXSI, ll, hl);
	if (single)
		return (Range){least, most, bits, KNOWN};
	IrValue *lh = make(r, OP_MULI, a.low, b.high), *hh = make(r, OP_MULI, a.high, b.high);
	IrValue *other = make(r, OP_MINSI, lh, hh), *higher = make(r, OP_MAXSI, lh, hh);
	least = make(r, OP_MINSI, least, other);
	return (Range){least, make(r, OP_MAXSI, most, higher), bits, KNOWN};
}

static Range join(Ranges *r, Range a, Range b)
{
	IrValue *low = make(r, OP_MINSI, a.low, b.low);
	return (Range){low, make(r, OP_MAXSI, a.high, b.high), MAX(a.bits, b.bits), KNOWN};
}

/* ---- values ---- */

static IrValue *widened(Ranges *r, IrValue *v)
{
	return v->type->bits == 64 ? v : irb_1(&r->before, OP_EXTSI, i64(r), v);
}

static bool is_number(IrType elem)
{
	return ir_is_int(elem) && elem->bits >= 8;
}

/* A scalar that is there in front of the loop. */
static bool leaf(Ranges *r, IrValue *v, Range *out)
{
	int64_t known;
	if (ir_is_ptr(v->type)) {
		IrValue *address = irb_1(&r->before, OP_PTR_TO_INT, i64(r), v);
		*out = (Range){address, address, ADDRESS, KNOWN};
		return true;
	}
	if (!is_number(v->type))
		return false;
	if (ir_constant_int(v, &known)) {
		*out = constant(r, known, known);
		return true;
	}
	IrValue *wide = widened(r, v);
	*out = (Range){wide, wide, v->type->bits - 1, KNOWN};
	return true;
}

static bool of_constant(Ranges *r, IrAttr a, Range *out)
{
	IrType type = fold_type(r->ir, a), elem = ir_elem(type);
	if (!is_number(elem))
		return false;
	uint64_t n = ir_is_tensor(type) && !fold_is_splat(a) ? (uint64_t)ir_numel(type) : 1;
	int64_t low = INT64_MAX, high = INT64_MIN;
	for (uint32_t i = 0; i < n; i++) {
		int64_t x = fold_signed(fold_word(a, i), elem->bits);
		low = MIN(low, x);
		high = MAX(high, x);
	}
	*out = constant(r, low, high);
	return true;
}

/* Iterations but one, 0 when there is none. A step of 0 or less does not count up: such loops do not end. */
static Range trips(Ranges *r)
{
	if (r->trips.low)
		return r->trips;
	IrValue *lower = widened(r, ir_operand(r->loop, 0)), *upper = widened(r, ir_operand(r->loop, 1));
	IrValue *step = widened(r, ir_operand(r->loop, 2)), *one = number(r, 1), *zero = number(r, 0);
	unsigned bits = ir_operand(r->loop, 0)->type->bits - 1;
	Range first = {lower, lower, bits, KNOWN}, last = {upper, upper, bits, KNOWN};
	Range span = subtract(r, last, first);
	IrValue *left = make(r, OP_MAXSI, make(r, OP_SUBI, span.high, one), zero);
	int64_t known;
	if (!ir_constant_int(step, &known) || known != 1)
		left = irb_2(&r->before, OP_DIVSI, NULL, left, make(r, OP_MAXSI, step, one));
	return r->trips = (Range){zero, left, span.bits, KNOWN};
}

/* What is added to a pointer. */
static Range in_bytes(Ranges *r, IrType pointers, Range elements)
{
	int64_t size = MAX(gpu_element_bits(ir_elem(pointers)->elem) / 8, 1u);
	return multiply(r, elements, constant(r, size, size));
}

/* A value that the loop carries, to which each iteration adds. */
static bool of_carried(Ranges *r, const IrValue *v, Range *out)
{
	const IrValue *next = ir_operand(v->block->last, v->index - 1);
	Range first, added;
	if (!range_of(r, ir_operand(r->loop, v->index + 2), &first))
		return false;
	if (next == v) {
		*out = first;
		return true;
	}
	IrOpKind kind = next->def ? next->def->kind : OP__COUNT;
	if (kind != OP_ADDI && kind != OP_SUBI && kind != OP_ADDPTR)
		return false;
	unsigned other = ir_operand(next->def, 0) == v ? 1 : 0;
	if (ir_operand(next->def, !other) != v || (other == 0 && kind != OP_ADDI))
		return false;
	bool past = r->past;
	r->past = true;
	bool known = range_of(r, ir_operand(next->def, other), &added);
	r->past = past;
	if (!known)
		return false;
	if (kind == OP_SUBI)
		added = subtract(r, constant(r, 0, 0), added);
	if (kind == OP_ADDPTR)
		added = in_bytes(r, v->type, added);
	Range none = constant(r, 0, 0);
	*out = add(r, first, join(r, none, multiply(r, added, trips(r))));
	return true;
}

static bool of_if(Ranges *r, const IrValue *v, Range *out)
{
	Range then, otherwise;
	if (!range_of(r, ir_operand(v->def->regions[0].first->last, v->index), &then) ||
	    !range_of(r, ir_operand(v->def->regions[1].first->last, v->index), &otherwise))
		return false;
	*out = join(r, then, otherwise);
	return true;
}

/* x REM y has the sign of x, and neither is farther from 0. */
static Range remainder_of(Ranges *r, Range x, Range y)
{
	IrValue *zero = number(r, 0), *one = number(r, 1);
	hold_within(r, &y, MOST);
	IrValue *most = make(r, OP_SUBI, make(r, OP_MAXSI, y.high, make(r, OP_SUBI, zero, y.low)), one);
	IrValue *least = make(r, OP_SUBI, zero, most), *low = make(r, OP_MAXSI, make(r, OP_MINSI, x.low, zero), least);
	return (Range){low, make(r, OP_MINSI, make(r, OP_MAXSI, x.high, zero), most), x.bits, KNOWN};
}

static uint32_t path_through(const Ranges *r, const IrOp *op, uint32_t path)
{
	if (op->kind == OP_TRANS || op->kind == OP_RESHAPE || path >= NO_PATH / 8)
		return op->kind == OP_TRANS || op->kind == OP_RESHAPE || op->kind == OP_EXPAND_DIMS ? NO_PATH : path;
	return op->kind == OP_EXPAND_DIMS ? path * 8 + (uint32_t)ir_get_int(op, r->ir, ATTR_AXIS, 0) + 1 : path;
}

static bool of_unary(Ranges *r, const IrOp *op, Range *out)
{
	uint32_t path = r->path;
	r->path = path_through(r, op, path);
	bool known = range_of(r, ir_operand(op, 0), out);
	r->path = path;
	if (!known)
		return false;
	if (op->kind == OP_EXTUI)
		require(r, CMPI_SGE, out->low, number(r, 0));
	return true;
}

static bool of_binary(Ranges *r, const IrOp *op, Range *out)
{
	Range a, b;
	int64_t known;
	if (op->kind == OP_SHLI && (!ir_constant_int(ir_operand(op, 1), &known) || known < 0 || known > WORD))
		return false;
	if (!range_of(r, ir_operand(op, 0), &a) || !range_of(r, ir_operand(op, 1), &b))
		return false;
	switch (op->kind) {
	case OP_ADDPTR:
		*out = add(r, a, in_bytes(r, op->results[0].type, b));
		return true;
	case OP_ADDI:
		*out = add(r, a, b);
		return true;
	case OP_SUBI:
		*out = subtract(r, a, b);
		return true;
	case OP_MULI:
		*out = multiply(r, a, b);
		return true;
	case OP_SHLI:
		*out = multiply(r, a, constant(r, INT64_C(1) << known, INT64_C(1) << known));
		return true;
	case OP_REMSI:
		*out = remainder_of(r, a, b);
		return true;
	default:
		out->low = make(r, op->kind, a.low, b.low);
		*out = (Range){out->low, make(r, op->kind, a.high, b.high), MAX(a.bits, b.bits), KNOWN};
		return true;
	}
}

static bool of_op(Ranges *r, const IrValue *v, Range *out)
{
	const IrOp *op = v->def;
	Range other;
	switch (op->kind) {
	case OP_CONSTANT:
		return of_constant(r, ir_constant_of(v), out);
	case OP_MAKE_RANGE:
		*out = constant(r, ir_get_int(op, r->ir, ATTR_START, 0), ir_get_int(op, r->ir, ATTR_END, 1) - 1);
		return true;
	case OP_SPLAT:
	case OP_BROADCAST:
	case OP_EXPAND_DIMS:
	case OP_RESHAPE:
	case OP_TRANS:
	case OP_CONVERT_LAYOUT:
	case OP_EXTSI:
	case OP_EXTUI:
	case OP_TRUNCI:
		return of_unary(r, op, out);
	case OP_BITCAST:
		return ir_is_ptr(ir_elem(v->type)) && of_unary(r, op, out);
	case OP_ADDPTR:
	case OP_ADDI:
	case OP_SUBI:
	case OP_MULI:
	case OP_SHLI:
	case OP_REMSI:
	case OP_MINSI:
	case OP_MAXSI:
		return of_binary(r, op, out);
	case OP_SELECT:
		if (!range_of(r, ir_operand(op, 1), out) || !range_of(r, ir_operand(op, 2), &other))
			return false;
		*out = join(r, *out, other);
		return true;
	case OP_IF:
		return of_if(r, v, out);
	default:
		return false;
	}
}

static bool of_counter(Ranges *r, Range *out)
{
	IrValue *lower = ir_operand(r->loop, 0), *upper = ir_operand(r->loop, 1);
	IrValue *low = widened(r, lower), *one = number(r, 1);
	*out = (Range){low, make(r, OP_SUBI, widened(r, upper), one), lower->type->bits - 1, KNOWN};
	return !ir_get_bool(r->loop, r->ir, ATTR_UNSIGNED_CMP);
}

static bool compute(Ranges *r, IrValue *v, Range *out)
{
	const IrBlock *body = r->loop->regions[0].first;
	if (!ir_is_tensor(v->type) && ir_is_defined_outside(v, r->loop))
		return leaf(r, v, out);
	if (v->block)
		return v->block == body && (v->index ? of_carried(r, v, out) : of_counter(r, out));
	return of_op(r, v, out);
}

static void narrow(Ranges *r, const IrValue *v, Range *x)
{
	if (r->past && !ir_is_defined_outside(v, r->loop))
		return;
	for (uint32_t i = 0; i < r->clamps.len; i++) {
		RangeClamp c = r->clamps.data[i];
		if (c.of != v || (ir_is_tensor(v->type) && (c.path != r->path || r->path == NO_PATH)))
			continue;
		x->low = c.low ? make(r, OP_MAXSI, x->low, c.low) : x->low;
		x->high = c.high ? make(r, OP_MINSI, x->high, c.high) : x->high;
	}
}

static bool range_of(Ranges *r, const IrValue *v, Range *out)
{
	ASSERT(v->id < r->values);
	Range *known = &r->known[r->past][v->id];
	uint32_t *path = &r->paths[r->past][v->id];
	IrType elem = ir_elem(v->type);
	if (known->state == UNSEEN || (known->state != UNDER_WAY && *path != r->path)) {
		known->state = UNDER_WAY;
		Range x = {0};
		bool ok = (ir_is_ptr(elem) || is_number(elem)) && compute(r, (IrValue *)v, &x);
		if (ok && is_number(elem))
			hold_within(r, &x, elem->bits - 1);
		if (ok)
			narrow(r, v, &x);
		*known = x;
		known->state = ok ? KNOWN : UNKNOWN;
		*path = r->path;
	}
	*out = *known;
	return known->state == KNOWN;
}

/* ---- masks ---- */

static IrValue *plus(Ranges *r, IrValue *v, int64_t n)
{
	return v ? make(r, OP_ADDI, v, number(r, n)) : NULL;
}

/* x COMPARED WITH y: what x is narrowed to. */
static void clamp(Ranges *r, const IrValue *x, IrCmpI predicate, const IrValue *y)
{
	Range bound;
	RangeClamp c = {.of = x, .path = r->path};
	if (!range_of(r, y, &bound))
		return;
	switch (predicate) {
	case CMPI_SLT:
		c.high = plus(r, bound.high, -1);
		break;
	case CMPI_SLE:
		c.high = bound.high;
		break;
	case CMPI_SGT:
		c.low = plus(r, bound.low, 1);
		break;
	case CMPI_SGE:
		c.low = bound.low;
		break;
	case CMPI_EQ:
		c.low = bound.low;
		c.high = bound.high;
		break;
	default:
		return;
	}
	vec_push(r->arena, &r->clamps, c);
}

static void read_mask(Ranges *r, const IrValue *mask)
{
	static const IrCmpI turned[] = {[CMPI_EQ] = CMPI_EQ, [CMPI_SLT] = CMPI_SGT, [CMPI_SLE] = CMPI_SGE, [CMPI_SGT] = CMPI_SLT, [CMPI_SGE] = CMPI_SLE};
	const IrOp *op = mask->def;
	if (!op)
		return;
	switch (op->kind) {
	case OP_ANDI:
		read_mask(r, ir_operand(op, 0));
		read_mask(r, ir_operand(op, 1));
		return;
	case OP_SPLAT:
	case OP_BROADCAST:
	case OP_EXPAND_DIMS:
	case OP_CONVERT_LAYOUT: {
		uint32_t path = r->path;
		r->path = path_through(r, op, path);
		read_mask(r, ir_operand(op, 0));
		r->path = path;
		return;
	}
	case OP_CMPI: {
		int64_t predicate = ir_get_int(op, r->ir, ATTR_PREDICATE, CMPI_NE);
		if (predicate == CMPI_NE || predicate > CMPI_SGE || !is_number(ir_elem(ir_operand(op, 0)->type)))
			return;
		clamp(r, ir_operand(op, 0), (IrCmpI)predicate, ir_operand(op, 1));
		clamp(r, ir_operand(op, 1), turned[predicate], ir_operand(op, 0));
		return;
	}
	default:
		return;
	}
}

static void forget(Ranges *r)
{
	for (unsigned i = 0; i < ARRAY_LEN(r->known); i++)
		memset(r->known[i], 0, r->values * sizeof *r->known[i]);
}

bool ranges_access(Ranges *r, const IrValue *pointers, const IrValue *mask, IrValue **low, IrValue **high)
{
	Range x;
	r->clamps.len = 0;
	r->path = 0;
	forget(r);
	if (mask)
		read_mask(r, mask);
	forget(r);
	if (!range_of(r, pointers, &x))
		return false;
	*low = x.low;
	*high = plus(r, x.high, MAX(gpu_element_bits(ir_elem(pointers->type)->elem) / 8, 1u));
	return true;
}
