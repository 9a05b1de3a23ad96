/* Bounds of integers that hold whatever the program's arguments are, and what they decide:
 * comparisons, so a mask of a loop whose counts and sizes are constants is none; quotients and
 * remainders of sums, which fall apart where one part is a multiple of the divisor. */
#include "ir/pass/canon.h"

#define RULE(kind, sets, fn, doc) CanonRule fn;
#include "ir/pass/canon.def"
#undef RULE

enum { MOST_LOOKED_AT = 48, DEEPEST = 6 };

/* The least and the greatest value of all elements, as signed numbers. */
typedef struct Between {
	int64_t low, high;
} Between;

typedef struct Look {
	const Canon *c;
	unsigned looked_at; /* values */
} Look;

static bool span_of(Look *l, const IrValue *v, Between *out);

static int64_t greatest(unsigned bits)
{
	return (int64_t)(UINT64_MAX >> (65 - bits));
}

/* A result outside of the type wraps. */
static bool fits(Between s, unsigned bits)
{
	return s.low <= s.high && s.high <= greatest(bits) && s.low >= -greatest(bits) - 1;
}

static bool span_of_sum(const IrOp *op, Between x, Between y, Between *out)
{
	if (op->kind == OP_ADDI)
		return !__builtin_add_overflow(x.low, y.low, &out->low) &&
		       !__builtin_add_overflow(x.high, y.high, &out->high);
	return !__builtin_sub_overflow(x.low, y.high, &out->low) &&
	       !__builtin_sub_overflow(x.high, y.low, &out->high);
}

static bool span_of_product(Between x, Between y, Between *out)
{
	int64_t p[4];
	if (__builtin_mul_overflow(x.low, y.low, &p[0]) ||
	    __builtin_mul_overflow(x.low, y.high, &p[1]) ||
	    __builtin_mul_overflow(x.high, y.low, &p[2]) ||
	    __builtin_mul_overflow(x.high, y.high, &p[3]))
		return false;
	out->low = MIN(MIN(p[0], p[1]), MIN(p[2], p[3]));
	out->high = MAX(MAX(p[0], p[1]), MAX(p[2], p[3]));
	return true;
}

/* Quotients and remainders by numbers above 0, masks by numbers that are not negative. */
static bool span_of_part(IrOpKind kind, Between x, Between y, Between *out)
{
	bool by_unsigned = kind == OP_DIVUI || kind == OP_REMUI;
	if (kind == OP_ANDI) {
		if (x.low < 0 && y.low < 0)
			return false;
		int64_t most = x.low < 0 ? y.high : y.low < 0 ? x.high : MIN(x.high, y.high);
		*out = (Between){0, most};
		return true;
	}
	if (y.low <= 0 || (by_unsigned && x.low < 0))
		return false; /* y above 0: no quotient wraps */
	if (kind == OP_DIVSI || kind == OP_DIVUI)
		*out = (Between){x.low / (x.low < 0 ? y.low : y.high),
				 x.high / (x.high < 0 ? y.high : y.low)};
	else
		*out = (Between){x.low < 0 ? MAX(x.low, -(y.high - 1)) : 0,
				 x.high < 0 ? 0 : MIN(x.high, y.high - 1)};
	return true;
}

static const IrValue *unextended(const IrValue *v)
{
	const IrOp *op = canon_def(v, OP_EXTSI);
	return op ? ir_operand(op, 0) : v;
}

/* Is the count how many parts of `by` x falls into, the last of which may be smaller? A sum that
 * wraps is below 0, and so is the count. */
static bool is_count_of_parts(const IrValue *count, const IrValue *x, int64_t by)
{
	int64_t more;
	const IrOp *division = canon_def(count, OP_DIVSI);
	const IrOp *sum = division ? canon_def(ir_operand(division, 0), OP_ADDI) : NULL;
	return sum && ir_operand(sum, 0) == x && ir_constant_int(ir_operand(sum, 1), &more) &&
	       more == by - 1 && ir_constant_int(ir_operand(division, 1), &more) && more == by;
}

/* x - i * by, of which i counts the parts: what is left of x when part i begins is not nothing. */
static bool span_of_rest(const Look *l, const IrOp *op, unsigned bits, Between *out)
{
	int64_t by, lower, step;
	const IrOp *product = canon_def(ir_operand(op, 1), OP_MULI);
	if (op->kind != OP_SUBI || !product || !ir_constant_int(ir_operand(product, 1), &by) || by < 1)
		return false;
	const IrValue *x = unextended(ir_operand(op, 0)), *i = unextended(ir_operand(product, 0));
	const IrOp *loop = i->def || !i->block ? NULL : i->block->region->op;
	bool counts = loop && loop->kind == OP_FOR && !i->index &&
		      !ir_get(loop, l->c->cx, ATTR_UNSIGNED_CMP) &&
		      ir_constant_int(ir_operand(loop, 0), &lower) && lower >= 0 &&
		      ir_constant_int(ir_operand(loop, 2), &step) && step > 0 &&
		      is_count_of_parts(ir_operand(loop, 1), x, by);
	*out = (Between){1, greatest(bits)};
	return counts;
}

static bool span_of_two(Look *l, const IrOp *op, unsigned bits, Between *out)
{
	Between x, y;
	if (span_of_rest(l, op, bits, out))
		return true;
	if (!span_of(l, ir_operand(op, 0), &x) || !span_of(l, ir_operand(op, 1), &y))
		return false;
	switch (op->kind) {
	case OP_ADDI:
	case OP_SUBI:
		return span_of_sum(op, x, y, out) && fits(*out, bits);
	case OP_MULI:
		return span_of_product(x, y, out) && fits(*out, bits);
	case OP_MINSI:
		*out = (Between){MIN(x.low, y.low), MIN(x.high, y.high)};
		return true;
	case OP_MAXSI:
		*out = (Between){MAX(x.low, y.low), MAX(x.high, y.high)};
		return true;
	default:
		return span_of_part(op->kind, x, y, out);
	}
}

/* The counter of a loop lies between its bounds: below the upper one by what steps reach, where it
 * is known from where they start and how far each goes. */
static bool span_of_counter(Look *l, const IrValue *v, Between *out)
{
	const IrOp *loop = v->block->region->op;
	Between lower, upper, step;
	if (!loop || loop->kind != OP_FOR || v->index || ir_get(loop, l->c->cx, ATTR_UNSIGNED_CMP) ||
	    !span_of(l, ir_operand(loop, 2), &step) || step.low <= 0 ||
	    !span_of(l, ir_operand(loop, 0), &lower) || !span_of(l, ir_operand(loop, 1), &upper) ||
	    upper.high <= lower.low)
		return false;
	*out = (Between){lower.low, upper.high - 1};
	uint64_t way = (uint64_t)out->high - (uint64_t)out->low;
	if (lower.low == lower.high && step.low == step.high)
		out->high -= (int64_t)(way % (uint64_t)step.low);
	return true;
}

static bool span_of_op(Look *l, const IrOp *op, unsigned bits, Between *out)
{
	switch (op->kind) {
	case OP_MAKE_RANGE:
		out->low = ir_get_int(op, l->c->cx, ATTR_START, 0);
		out->high = ir_get_int(op, l->c->cx, ATTR_END, 0) - 1;
		return fits(*out, bits);
	case OP_PROGRAM_ID:
	case OP_NUM_PROGRAMS:
		*out = (Between){0, greatest(32)};
		return true;
	case OP_SPLAT:
	case OP_BROADCAST:
	case OP_EXPAND_DIMS:
	case OP_RESHAPE:
	case OP_TRANS:
	case OP_EXTSI:
		return span_of(l, ir_operand(op, 0), out);
	case OP_EXTUI:
		return span_of(l, ir_operand(op, 0), out) && out->low >= 0;
	case OP_TRUNCI:
		return span_of(l, ir_operand(op, 0), out) && fits(*out, bits);
	case OP_ADDI:
	case OP_SUBI:
	case OP_MULI:
	case OP_MINSI:
	case OP_MAXSI:
	case OP_ANDI:
	case OP_DIVSI:
	case OP_DIVUI:
	case OP_REMSI:
	case OP_REMUI:
		return span_of_two(l, op, bits, out);
	default:
		return false;
	}
}

/* What nothing is known of may be all that the type holds. False: no integer of 2 to 64 bits. */
static bool span_of(Look *l, const IrValue *v, Between *out)
{
	uint64_t word;
	IrType elem = ir_elem(v->type);
	if (!ir_is_int(elem) || elem->bits < 2 || elem->bits > 64)
		return false;
	if (canon_word(v, &word)) {
		unsigned unused = 64 - elem->bits;
		out->low = out->high = (int64_t)(word << unused) >> unused;
		return true;
	}
	bool known = l->looked_at++ < MOST_LOOKED_AT &&
		     (v->def ? span_of_op(l, v->def, elem->bits, out) : span_of_counter(l, v, out));
	if (!known)
		*out = (Between){-greatest(elem->bits) - 1, greatest(elem->bits)};
	return true;
}

/* 1 or 0; -1: it depends. */
static int decided(IrCmpI predicate, Between x, Between y)
{
	switch (predicate) {
	case CMPI_SLT:
	case CMPI_ULT: return x.high < y.low ? 1 : x.low >= y.high ? 0 : -1;
	case CMPI_SLE:
	case CMPI_ULE: return x.high <= y.low ? 1 : x.low > y.high ? 0 : -1;
	case CMPI_SGT:
	case CMPI_UGT: return x.low > y.high ? 1 : x.high <= y.low ? 0 : -1;
	case CMPI_SGE:
	case CMPI_UGE: return x.low >= y.high ? 1 : x.high < y.low ? 0 : -1;
	case CMPI_EQ:
	case CMPI_NE: return x.high < y.low || y.high < x.low ? predicate == CMPI_NE : -1;
	}
	return -1;
}

bool rule_cmpi_bounds(Canon *c, IrOp *op)
{
	Between x, y;
	Look l = {.c = c};
	IrCmpI predicate = (IrCmpI)ir_get_int(op, c->cx, ATTR_PREDICATE, CMPI_EQ);
	bool is_unsigned = predicate == CMPI_ULT || predicate == CMPI_ULE || predicate == CMPI_UGT ||
			   predicate == CMPI_UGE;
	if (!span_of(&l, ir_operand(op, 1), &y) || !span_of(&l, ir_operand(op, 0), &x))
		return false;
	if (is_unsigned && (x.low < 0 || y.low < 0))
		return false;
	int known = decided(predicate, x, y);
	return known >= 0 && canon_replace_op(c, op, canon_int(c, op->results[0].type, known));
}

/* ---- quotients and remainders ---- */

bool rule_known_quotient(Canon *c, IrOp *op)
{
	Between x;
	Look l = {.c = c};
	return span_of(&l, &op->results[0], &x) && x.low == x.high &&
	       canon_replace_op(c, op, canon_int(c, op->results[0].type, x.low));
}

/* Is it one in all elements, whatever wraps? `by` is a power of two. */
static bool is_multiple(const IrValue *v, uint64_t by, unsigned depth)
{
	uint64_t word;
	const IrOp *op = v->def, *loop = op ? NULL : v->block->region->op;
	if (canon_word(v, &word))
		return !(word & (by - 1));
	if (depth > DEEPEST)
		return false;
	if (loop)
		return loop->kind == OP_FOR && !v->index &&
		       is_multiple(ir_operand(loop, 0), by, depth + 1) &&
		       is_multiple(ir_operand(loop, 2), by, depth + 1);
	switch (op ? op->kind : OP__COUNT) {
	case OP_SPLAT:
	case OP_BROADCAST:
	case OP_EXPAND_DIMS:
	case OP_EXTSI:
		return is_multiple(ir_operand(op, 0), by, depth + 1);
	case OP_ADDI:
	case OP_SUBI:
		return is_multiple(ir_operand(op, 0), by, depth + 1) &&
		       is_multiple(ir_operand(op, 1), by, depth + 1);
	case OP_MULI:
		return is_multiple(ir_operand(op, 0), by, depth + 1) ||
		       is_multiple(ir_operand(op, 1), by, depth + 1);
	default:
		return false;
	}
}

/* Made from ranges and constants alone: the same in each iteration of a loop. */
static bool is_fixed(const IrValue *v, unsigned depth)
{
	const IrOp *op = v->def;
	if (!op || depth > DEEPEST || op->region_count || !ir_has_trait(op, TRAIT_REMAT))
		return false;
	for (uint32_t i = 0; i < op->operand_count; i++)
		if (!is_fixed(ir_operand(op, i), depth + 1))
			return false;
	return true;
}

static bool is_not_negative(const Canon *c, const IrValue *v, Between *out)
{
	Look l = {.c = c};
	return span_of(&l, v, out) && out->low >= 0;
}

/* Of a tile that is one number, on that number. */
static IrValue *quotient(Canon *c, IrOpKind kind, IrValue *x, int64_t by)
{
	IrOp *splat = canon_def(x, OP_SPLAT);
	IrValue *of = splat ? ir_operand(splat, 0) : x;
	IrValue *made = irb_2(&c->b, kind, NULL, of, canon_int(c, of->type, by));
	return splat ? irb_splat(&c->b, made, x->type) : made;
}

/* The sum by `by`: no part is negative, the sum does not wrap, x is a multiple of it. */
static bool divide_parts(Canon *c, IrOp *op, IrValue *x, IrValue *y, int64_t by)
{
	Between all, of_x, of_y;
	bool remainder = op->kind == OP_REMSI || op->kind == OP_REMUI;
	if (!is_multiple(x, (uint64_t)by, 0) || !is_not_negative(c, ir_operand(op, 0), &all) ||
	    !is_not_negative(c, x, &of_x) || !is_not_negative(c, y, &of_y))
		return false;
	if (remainder)
		return canon_replace_op(c, op, of_y.high < by ? y : quotient(c, op->kind, y, by));
	if (of_y.high < by)
		return canon_replace_op(c, op, quotient(c, op->kind, x, by));
	if (!ir_is_tensor(y->type) || !is_fixed(y, 0))
		return false;
	IrValue *whole = quotient(c, op->kind, x, by);
	return canon_replace_op(c, op, irb_2(&c->b, OP_ADDI, NULL, whole, quotient(c, op->kind, y, by)));
}

/* By a power of two, (x + y) / b as x / b + y / b and (x + y) % b as y % b where b divides x: so of
 * the tokens of a loop over pages, what the loop does not change is computed in front of it. */
bool rule_divide_sum(Canon *c, IrOp *op)
{
	int64_t by;
	const IrOp *sum = canon_def(ir_operand(op, 0), OP_ADDI);
	if (!sum || !ir_constant_int(ir_operand(op, 1), &by) || by < 2 || (by & (by - 1)))
		return false;
	IrValue *x = ir_operand(sum, 0), *y = ir_operand(sum, 1);
	return divide_parts(c, op, x, y, by) || divide_parts(c, op, y, x, by);
}
