/* Interval arithmetic on run-time values, and the rules for single ops. Magnitude bounds are kept
 * beside each interval, so that products and sums stay within 64 bits; where they might not, or
 * where a 32-bit op might wrap, a condition is added to `sound`. */
#include "gpu/analysis/range_int.h"

#include "ir/rewrite/fold.h"

/* ---- arithmetic ---- */

IrValue *range_number(Ranges *r, int64_t value)
{
	return irb_int(&r->before, range_i64(r), value);
}

IrValue *range_make(Ranges *r, IrOpKind kind, IrValue *a, IrValue *b)
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
		return range_number(r, x + y);
	case OP_SUBI:
		return range_number(r, x - y);
	case OP_MULI:
		return range_number(r, x * y);
	case OP_MINSI:
		return range_number(r, MIN(x, y));
	case OP_DIVSI:
	case OP_CEILDIVSI:
	case OP_FLOORDIVSI:
		return irb_2(&r->before, kind, NULL, a, b);
	default:
		ASSERT(kind == OP_MAXSI);
		return range_number(r, MAX(x, y));
	}
}

static void range_require(Ranges *r, IrCmpI predicate, IrValue *a, IrValue *b)
{
	IrValue *holds = irb_cmpi(&r->before, predicate, a, b);
	r->sound = r->sound ? irb_2(&r->before, OP_ANDI, NULL, r->sound, holds) : holds;
}

void range_hold_within(Ranges *r, Range *x, unsigned bits)
{
	if (x->bits <= bits)
		return;
	int64_t low = -(INT64_C(1) << bits), high = (INT64_C(1) << bits) - 1, known;
	if (!ir_constant_int(x->low, &known) || known < low)
		range_require(r, CMPI_SGE, x->low, range_number(r, low));
	if (!ir_constant_int(x->high, &known) || known > high)
		range_require(r, CMPI_SLE, x->high, range_number(r, high));
	x->bits = bits;
}

Range range_constant(Ranges *r, int64_t low, int64_t high)
{
	uint64_t most = MAX(low < 0 ? ~(uint64_t)low : (uint64_t)low, high < 0 ? ~(uint64_t)high : (uint64_t)high);
	unsigned bits = 0;
	while (bits < 63 && most >> bits)
		bits++;
	IrValue *least = range_number(r, low);
	return (Range){least, range_number(r, high), bits, KNOWN};
}

Range range_add(Ranges *r, Range a, Range b)
{
	range_hold_within(r, &a, MOST - 1);
	range_hold_within(r, &b, MOST - 1);
	IrValue *low = range_make(r, OP_ADDI, a.low, b.low);
	return (Range){low, range_make(r, OP_ADDI, a.high, b.high), MAX(a.bits, b.bits) + 1, KNOWN};
}

Range range_subtract(Ranges *r, Range a, Range b)
{
	range_hold_within(r, &a, MOST - 1);
	range_hold_within(r, &b, MOST - 1);
	IrValue *low = range_make(r, OP_SUBI, a.low, b.high);
	return (Range){low, range_make(r, OP_SUBI, a.high, b.low), MAX(a.bits, b.bits) + 1, KNOWN};
}

Range range_multiply(Ranges *r, Range a, Range b)
{
	int64_t low, high;
	if (a.bits + b.bits > MOST) {
		range_hold_within(r, &a, WORD);
		range_hold_within(r, &b, WORD);
	}
	unsigned bits = a.bits + b.bits;
	if (ir_constant_int(a.low, &low) && ir_constant_int(a.high, &high) && low == high) {
		Range swap = a;
		a = b;
		b = swap;
	}
	IrValue *ll = range_make(r, OP_MULI, a.low, b.low), *hl = range_make(r, OP_MULI, a.high, b.low);
	bool single = b.low == b.high ||
		      (ir_constant_int(b.low, &low) && ir_constant_int(b.high, &high) && low == high);
	if (single && ir_constant_int(b.low, &low))
		return low < 0 ? (Range){hl, ll, bits, KNOWN} : (Range){ll, hl, bits, KNOWN};
	IrValue *least = range_make(r, OP_MINSI, ll, hl), *most = range_make(r, OP_MAXSI, ll, hl);
	if (single)
		return (Range){least, most, bits, KNOWN};
	IrValue *lh = range_make(r, OP_MULI, a.low, b.high), *hh = range_make(r, OP_MULI, a.high, b.high);
	IrValue *other = range_make(r, OP_MINSI, lh, hh), *higher = range_make(r, OP_MAXSI, lh, hh);
	least = range_make(r, OP_MINSI, least, other);
	return (Range){least, range_make(r, OP_MAXSI, most, higher), bits, KNOWN};
}

Range range_join(Ranges *r, Range a, Range b)
{
	IrValue *low = range_make(r, OP_MINSI, a.low, b.low);
	return (Range){low, range_make(r, OP_MAXSI, a.high, b.high), MAX(a.bits, b.bits), KNOWN};
}

bool range_is_number(IrType elem)
{
	return ir_is_int(elem) && elem->bits >= 8;
}

Range range_in_bytes(Ranges *r, IrType pointers, Range elements)
{
	int64_t size = MAX(gpu_element_bits(ir_elem(pointers)->elem) / 8, 1u);
	return range_multiply(r, elements, range_constant(r, size, size));
}

/* ---- single ops ---- */

bool range_op_unknown(Ranges *r, const IrValue *v, Range *out)
{
	(void)r, (void)v, (void)out;
	return false;
}

bool range_op_constant(Ranges *r, const IrValue *v, Range *out)
{
	IrAttr a = ir_constant_of(v);
	IrType type = fold_type(r->ir, a), elem = ir_elem(type);
	if (!range_is_number(elem))
		return false;
	uint64_t n = ir_is_tensor(type) && !fold_is_splat(a) ? (uint64_t)ir_numel(type) : 1;
	int64_t low = INT64_MAX, high = INT64_MIN;
	for (uint32_t i = 0; i < n; i++) {
		int64_t x = fold_signed(fold_word(a, i), elem->bits);
		low = MIN(low, x);
		high = MAX(high, x);
	}
	*out = range_constant(r, low, high);
	return true;
}

bool range_op_range(Ranges *r, const IrValue *v, Range *out)
{
	int64_t end = ir_get_int(v->def, r->ir, ATTR_END, 1);
	*out = range_constant(r, ir_get_int(v->def, r->ir, ATTR_START, 0), end - 1);
	return true;
}

uint32_t range_path_through(const Ranges *r, const IrOp *op, uint32_t path)
{
	if (op->kind == OP_TRANS || op->kind == OP_RESHAPE || path >= NO_PATH / 8)
		return op->kind == OP_TRANS || op->kind == OP_RESHAPE || op->kind == OP_EXPAND_DIMS ? NO_PATH : path;
	return op->kind == OP_EXPAND_DIMS ? path * 8 + (uint32_t)ir_get_int(op, r->ir, ATTR_AXIS, 0) + 1 : path;
}

bool range_op_same(Ranges *r, const IrValue *v, Range *out)
{
	uint32_t path = r->path;
	r->path = range_path_through(r, v->def, path);
	bool known = range_of(r, ir_operand(v->def, 0), out);
	r->path = path;
	return known;
}

bool range_op_extui(Ranges *r, const IrValue *v, Range *out)
{
	if (!range_op_same(r, v, out))
		return false;
	range_require(r, CMPI_SGE, out->low, range_number(r, 0));
	return true;
}

bool range_op_bitcast(Ranges *r, const IrValue *v, Range *out)
{
	return ir_is_ptr(ir_elem(v->type)) && range_op_same(r, v, out);
}

static bool of_both(Ranges *r, const IrValue *v, Range *a, Range *b)
{
	return range_of(r, ir_operand(v->def, 0), a) && range_of(r, ir_operand(v->def, 1), b);
}

bool range_op_sum(Ranges *r, const IrValue *v, Range *out)
{
	Range a, b;
	if (!of_both(r, v, &a, &b))
		return false;
	*out = range_add(r, a, v->def->kind == OP_ADDPTR ? range_in_bytes(r, v->type, b) : b);
	return true;
}

bool range_op_difference(Ranges *r, const IrValue *v, Range *out)
{
	Range a, b;
	if (!of_both(r, v, &a, &b))
		return false;
	*out = range_subtract(r, a, b);
	return true;
}

bool range_op_product(Ranges *r, const IrValue *v, Range *out)
{
	Range a, b;
	if (!of_both(r, v, &a, &b))
		return false;
	*out = range_multiply(r, a, b);
	return true;
}

bool range_op_shift_left(Ranges *r, const IrValue *v, Range *out)
{
	Range a, b;
	int64_t known;
	if (!ir_constant_int(ir_operand(v->def, 1), &known) || known < 0 || known > WORD || !of_both(r, v, &a, &b))
		return false;
	*out = range_multiply(r, a, range_constant(r, INT64_C(1) << known, INT64_C(1) << known));
	return true;
}

/* By a positive number, which is known: quotients go up with what is divided, however they are
 * rounded. */
bool range_op_quotient(Ranges *r, const IrValue *v, Range *out)
{
	Range x;
	int64_t by;
	if (!ir_constant_int(ir_operand(v->def, 1), &by) || by <= 0 ||
	    !range_of(r, ir_operand(v->def, 0), &x))
		return false;
	IrValue *divisor = range_number(r, by), *low = range_make(r, v->def->kind, x.low, divisor);
	*out = (Range){low, range_make(r, v->def->kind, x.high, divisor), x.bits, KNOWN};
	return true;
}

/* x REM y has the sign of x, and neither is farther from 0. */
bool range_op_remainder(Ranges *r, const IrValue *v, Range *out)
{
	Range x, y;
	if (!of_both(r, v, &x, &y))
		return false;
	IrValue *zero = range_number(r, 0), *one = range_number(r, 1);
	range_hold_within(r, &y, MOST);
	IrValue *most = range_make(r, OP_MAXSI, y.high, range_make(r, OP_SUBI, zero, y.low));
	most = range_make(r, OP_SUBI, most, one);
	IrValue *least = range_make(r, OP_SUBI, zero, most);
	IrValue *low = range_make(r, OP_MAXSI, range_make(r, OP_MINSI, x.low, zero), least);
	*out = (Range){low, range_make(r, OP_MINSI, range_make(r, OP_MAXSI, x.high, zero), most), x.bits, KNOWN};
	return true;
}

bool range_op_extremum(Ranges *r, const IrValue *v, Range *out)
{
	Range a, b;
	if (!of_both(r, v, &a, &b))
		return false;
	IrValue *low = range_make(r, v->def->kind, a.low, b.low);
	*out = (Range){low, range_make(r, v->def->kind, a.high, b.high), MAX(a.bits, b.bits), KNOWN};
	return true;
}

static bool of_either(Ranges *r, const IrValue *x, const IrValue *y, Range *out)
{
	Range a, b;
	if (!range_of(r, x, &a) || !range_of(r, y, &b))
		return false;
	*out = range_join(r, a, b);
	return true;
}

bool range_op_select(Ranges *r, const IrValue *v, Range *out)
{
	return of_either(r, ir_operand(v->def, 1), ir_operand(v->def, 2), out);
}

bool range_op_branches(Ranges *r, const IrValue *v, Range *out)
{
	const IrRegion *regions = v->def->regions;
	const IrValue *then = ir_operand(regions[0].first->last, v->index);
	return of_either(r, then, ir_operand(regions[1].first->last, v->index), out);
}

bool range_transfer(Ranges *r, const IrValue *v, Range *out)
{
#define TILES(layout, cost, scratch, axis, range) range_op_##range
	static RangeFn *const hooks[OP__COUNT] = {
#define OP(name, text, levels, takes, gives, regions, traits, type, format, attrs, rules, tiles, doc) \
	[OP_##name] = tiles,
#include "ir/ops.def"
#undef OP
	};
	return hooks[v->def->kind](r, v, out);
}
