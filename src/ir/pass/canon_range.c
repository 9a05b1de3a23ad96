/* Comparisons that hold, or fail, whatever the program's arguments are: between what can be told of
 * their sides' bounds. So a mask of a loop whose counts and sizes are constants is none. */
#include "ir/pass/canon.h"

#define RULE(kind, sets, fn, doc) CanonRule fn;
#include "ir/pass/canon.def"
#undef RULE

enum { MOST_LOOKED_AT = 48 };

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

static bool span_of_two(Look *l, const IrOp *op, unsigned bits, Between *out)
{
	Between x, y;
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
