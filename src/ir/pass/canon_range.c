/* Comparisons that every element answers alike: between which numbers an integer lies, as far
 * as constants, ranges of indices and the bounds of loops say so. What may wrap round is not
 * known. */
#include "ir/pass.h"
#include "ir/pass/canon.h"

#define RULE(kind, sets, fn, doc) CanonRule fn;
#include "ir/pass/canon.def"
#undef RULE

enum { DEEPEST = 8 }; /* definitions that are looked at behind each other */

typedef struct Interval {
	int64_t low, high; /* both included, as signed numbers */
} Interval;

static bool interval_of(const Canon *c, const IrValue *v, unsigned depth, Interval *out);

static int64_t greatest(unsigned bits)
{
	return (int64_t)(UINT64_MAX >> (65 - bits));
}

static bool fits(unsigned bits, Interval i)
{
	return i.low >= -greatest(bits) - 1 && i.high <= greatest(bits);
}

/* The counter of a loop between constants, whose last value the step says; it must not wrap
 * round behind that. */
static bool of_argument(const Canon *c, const IrValue *v, Interval *out)
{
	const IrOp *loop = v->block->region->op;
	int64_t upper, step;
	if (!loop || loop->kind != OP_FOR || v->index || ir_get(loop, c->cx, ATTR_UNSIGNED_CMP) ||
	    !ir_constant_int(ir_operand(loop, 0), &out->low) ||
	    !ir_constant_int(ir_operand(loop, 1), &upper) ||
	    !ir_constant_int(ir_operand(loop, 2), &step) || step <= 0 || upper <= out->low)
		return false;
	uint64_t span = (uint64_t)upper - (uint64_t)out->low - 1;
	out->high = (int64_t)((uint64_t)out->low + span / (uint64_t)step * (uint64_t)step);
	return out->high <= greatest(v->type->bits) - step;
}

static bool of_sum(Interval a, Interval b, bool minus, Interval *out)
{
	if (minus)
		return !__builtin_sub_overflow(a.low, b.high, &out->low) &&
		       !__builtin_sub_overflow(a.high, b.low, &out->high);
	return !__builtin_add_overflow(a.low, b.low, &out->low) &&
	       !__builtin_add_overflow(a.high, b.high, &out->high);
}

static bool of_product(Interval a, Interval b, Interval *out)
{
	int64_t corners[4];
	if (__builtin_mul_overflow(a.low, b.low, &corners[0]) ||
	    __builtin_mul_overflow(a.low, b.high, &corners[1]) ||
	    __builtin_mul_overflow(a.high, b.low, &corners[2]) ||
	    __builtin_mul_overflow(a.high, b.high, &corners[3]))
		return false;
	*out = (Interval){corners[0], corners[0]};
	for (unsigned i = 1; i < 4; i++)
		*out = (Interval){MIN(out->low, corners[i]), MAX(out->high, corners[i])};
	return true;
}

/* Of ops whose second operand is a positive constant, and whose first one is not negative. */
static bool by_constant(IrOpKind kind, Interval a, int64_t by, Interval *out)
{
	switch (kind) {
	case OP_DIVSI:
	case OP_DIVUI: *out = (Interval){a.low / by, a.high / by}; return true;
	case OP_REMSI:
	case OP_REMUI: *out = (Interval){a.high < by ? a.low : 0, MIN(a.high, by - 1)}; return true;
	case OP_ANDI: *out = (Interval){0, MIN(a.high, by)}; return true;
	default: return false;
	}
}

static bool of_op(const Canon *c, const IrOp *op, unsigned depth, Interval *out)
{
	Interval a, b;
	switch (op->kind) {
	case OP_MAKE_RANGE: {
		int64_t end = ir_get_int(op, c->cx, ATTR_END, 0);
		*out = (Interval){ir_get_int(op, c->cx, ATTR_START, 0), end - 1};
		return true;
	}
	case OP_PROGRAM_ID: *out = (Interval){0, INT32_MAX - 1}; return true;
	case OP_SPLAT:
	case OP_BROADCAST:
	case OP_EXPAND_DIMS:
	case OP_RESHAPE:
	case OP_TRANS:
	case OP_EXTSI: return interval_of(c, ir_operand(op, 0), depth, out);
	default: break;
	}
	if (op->operand_count != 2 || !interval_of(c, ir_operand(op, 0), depth, &a) ||
	    !interval_of(c, ir_operand(op, 1), depth, &b))
		return false;
	switch (op->kind) {
	case OP_ADDI:
	case OP_SUBI: return of_sum(a, b, op->kind == OP_SUBI, out);
	case OP_MULI: return of_product(a, b, out);
	case OP_MINSI: *out = (Interval){MIN(a.low, b.low), MIN(a.high, b.high)}; return true;
	case OP_MAXSI: *out = (Interval){MAX(a.low, b.low), MAX(a.high, b.high)}; return true;
	default: return b.low == b.high && b.low > 0 && a.low >= 0 && by_constant(op->kind, a, b.low, out);
	}
}

static bool interval_of(const Canon *c, const IrValue *v, unsigned depth, Interval *out)
{
	IrType elem = ir_elem(v->type);
	uint64_t word;
	if (!depth || !ir_is_int(elem) || elem->bits < 8)
		return false;
	if (canon_word(v, &word)) {
		out->low = out->high = (int64_t)(word << (64 - elem->bits)) >> (64 - elem->bits);
		return true;
	}
	bool known = v->def ? of_op(c, v->def, depth - 1, out) : of_argument(c, v, out);
	return known && fits(elem->bits, *out);
}

/* 1, 0, or -1: not known. */
static int answer(IrCmpI predicate, Interval a, Interval b)
{
	bool below = a.high < b.low, above = a.low > b.high;
	switch (predicate) {
	case CMPI_EQ: return below || above ? 0 : -1;
	case CMPI_NE: return below || above ? 1 : -1;
	case CMPI_SLT: return below ? 1 : a.low >= b.high ? 0 : -1;
	case CMPI_SGE: return below ? 0 : a.low >= b.high ? 1 : -1;
	case CMPI_SGT: return above ? 1 : a.high <= b.low ? 0 : -1;
	case CMPI_SLE: return above ? 0 : a.high <= b.low ? 1 : -1;
	default: return -1;
	}
}

bool rule_cmpi_range(Canon *c, IrOp *op)
{
	Interval a, b;
	if (!interval_of(c, ir_operand(op, 0), DEEPEST, &a) ||
	    !interval_of(c, ir_operand(op, 1), DEEPEST, &b))
		return false;
	IrCmpI predicate = (IrCmpI)ir_get_int(op, c->cx, ATTR_PREDICATE, CMPI_EQ);
	if (a.low >= 0 && b.low >= 0 && predicate >= CMPI_ULT) /* ORDER CMPI */
		predicate = (IrCmpI)(predicate - CMPI_ULT + CMPI_SLT);
	int known = answer(predicate, a, b);
	return known >= 0 && canon_replace_op(c, op, canon_int(c, op->results[0].type, known));
}
