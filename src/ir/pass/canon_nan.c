/* Rules for tests whether a float is NaN, and an analysis of what never is: an integer converted
 * to float, and sums and products of such values. Libraries write maxima as `a > b or a != a`. */
#include "ir/pass/canon.h"

#include <math.h>

#define RULE(kind, sets, fn, doc) CanonRule fn;
#include "ir/pass/canon.def"
#undef RULE

static IrValue *lhs(const IrOp *op) { return ir_operand(op, 0); }
static IrValue *rhs(const IrOp *op) { return ir_operand(op, 1); }

enum { DEPTH = 8 }; /* of definitions looked at behind a value */

/* What a value cannot be. */
typedef struct Range {
	bool number; /* never NaN */
	bool bounded; /* and its magnitude is at most 2^exponent, which is finite in its type */
	bool scales; /* a constant that makes no NaN of an infinity: neither 0 nor infinite */
	int exponent;
} Range;

static Range bounded(IrType type, int exponent)
{
	static const int16_t greatest[] = {
		[TY_F16] = 15, [TY_BF16] = 127, [TY_F32] = 127, [TY_F64] = 1023,
	};
	IrTypeKind kind = ir_elem(type)->kind;
	bool fits = kind < ARRAY_LEN(greatest) && greatest[kind] && exponent <= greatest[kind];
	exponent = exponent > -2000 ? exponent : -2000; /* of products of products */
	return (Range){ .number = fits, .bounded = fits, .exponent = exponent };
}

static bool is_wide(IrType type) /* has infinities, so that rounding alone makes no NaN */
{
	IrTypeKind kind = ir_elem(type)->kind;
	return kind == TY_F16 || kind == TY_BF16 || kind == TY_F32 || kind == TY_F64;
}

static int64_t predicate_of(const Canon *c, const IrOp *compare)
{
	return ir_get_int(compare, c->cx, ATTR_PREDICATE, CMPF_FALSE);
}

/* ORDER CMPF: between false and ord, and between it and uno. */
static bool is_ordered(int64_t p) { return p > CMPF_FALSE && p < CMPF_ORD; }
static bool is_unordered(int64_t p) { return p > CMPF_ORD && p < CMPF_UNO; }
enum { UNORDERED = CMPF_UEQ - CMPF_OEQ };

static bool compares(const IrOp *compare, const IrValue *v)
{
	return lhs(compare) == v || rhs(compare) == v;
}

static Range range_of(const Canon *c, const IrValue *v, int depth);

static Range either(IrType type, Range a, Range b)
{
	Range r = bounded(type, a.exponent > b.exponent ? a.exponent : b.exponent);
	return a.bounded && b.bounded ? r : (Range){ .number = a.number && b.number };
}

/* An arm that is taken where a comparison of it held is a number, whatever it is elsewhere. */
static Range selected(const Canon *c, const IrOp *op, int depth)
{
	IrValue *yes = ir_operand(op, 1), *no = ir_operand(op, 2);
	Range a = range_of(c, yes, depth), b = range_of(c, no, depth);
	const IrOp *test = canon_def(lhs(op), OP_CMPF);
	int64_t p = test ? predicate_of(c, test) : CMPF_FALSE;
	if (test && (is_ordered(p) || p == CMPF_ORD) && compares(test, yes))
		a.number = true;
	if (test && (is_unordered(p) || p == CMPF_UNO) && compares(test, no))
		b.number = true;
	return either(op->results[0].type, a, b);
}

static Range constant(const IrValue *v, uint64_t word)
{
	double x = ir_float_value(ir_elem(v->type), word);
	int exponent;
	if (isnan(x) || isinf(x))
		return (Range){ .number = !isnan(x) };
	(void)frexp(x, &exponent);
	Range r = bounded(v->type, exponent);
	r.number |= is_wide(v->type);
	r.scales = exponent > -13 && x != 0; /* normal in each format: it is not flushed to 0 */
	return r;
}

static Range of_sum(IrType type, Range a, Range b)
{
	Range r = {0};
	if (a.bounded && b.bounded)
		r = bounded(type, 1 + (a.exponent > b.exponent ? a.exponent : b.exponent));
	r.number |= a.number && b.number && (a.bounded || b.bounded);
	return r;
}

/* 0 times infinity is the one way in which a product of numbers is none. */
static Range of_product(IrType type, Range a, Range b)
{
	Range r = {0};
	if (a.bounded && b.bounded)
		r = bounded(type, a.exponent + b.exponent);
	r.number |= a.number && b.number && ((a.bounded && b.bounded) || a.scales || b.scales);
	return r;
}

static Range range_of(const Canon *c, const IrValue *v, int depth)
{
	Range none = { 0 }, a, b;
	const IrOp *op = v->def;
	IrType type = v->type;
	uint64_t word;
	if (!ir_is_float(ir_elem(type)) || !is_wide(type) || !op || depth == 0)
		return none;
	if (canon_word(v, &word))
		return constant(v, word);
	switch (op->kind) {
	case OP_SITOFP:
	case OP_UITOFP:
		a = bounded(type, (int)ir_elem(lhs(op)->type)->bits);
		a.number = true;
		return a;
	case OP_EXTF:
	case OP_TRUNCF:
		a = range_of(c, lhs(op), depth - 1);
		b = bounded(type, a.exponent);
		return a.bounded && b.bounded ? b : (Range){ .number = a.number };
	case OP_NEGF: case OP_ABSF:
	case OP_SPLAT: case OP_BROADCAST: case OP_EXPAND_DIMS: case OP_RESHAPE: case OP_TRANS:
	case OP_CONVERT_LAYOUT:
		return range_of(c, lhs(op), depth - 1);
	case OP_FLOOR:
	case OP_CEIL:
		a = range_of(c, lhs(op), depth - 1);
		b = bounded(type, a.exponent > 0 ? a.exponent : 0);
		return a.bounded ? b : (Range){ .number = a.number };
	case OP_EXP:
	case OP_EXP2:
		return (Range){ .number = range_of(c, lhs(op), depth - 1).number };
	case OP_ADDF:
	case OP_SUBF:
		a = range_of(c, lhs(op), depth - 1);
		b = range_of(c, rhs(op), depth - 1);
		return of_sum(type, a, b);
	case OP_MULF:
		a = range_of(c, lhs(op), depth - 1);
		b = range_of(c, rhs(op), depth - 1);
		return of_product(type, a, b);
	case OP_MINIMUMF:
	case OP_MAXIMUMF:
		return either(type, range_of(c, lhs(op), depth - 1), range_of(c, rhs(op), depth - 1));
	case OP_MINNUMF:
	case OP_MAXNUMF:
		a = range_of(c, lhs(op), depth - 1);
		b = range_of(c, rhs(op), depth - 1);
		none = either(type, a, b);
		none.number = a.number || b.number;
		return none;
	case OP_SELECT:
		return selected(c, op, depth - 1);
	default:
		return none;
	}
}

static bool is_number(const Canon *c, const IrValue *v) { return range_of(c, v, DEPTH).number; }

/* The value of which a comparison asks whether it is NaN (or is not), or NULL. */
static const IrValue *asked(const Canon *c, const IrValue *v, bool nan)
{
	const IrOp *compare = canon_def(v, OP_CMPF);
	if (!compare)
		return NULL;
	int64_t p = predicate_of(c, compare);
	bool same = lhs(compare) == rhs(compare);
	if (p != (nan ? CMPF_UNO : CMPF_ORD) && !(same && p == (nan ? CMPF_UNE : CMPF_OEQ)))
		return NULL;
	if (same || is_number(c, rhs(compare)))
		return lhs(compare);
	return is_number(c, lhs(compare)) ? rhs(compare) : NULL;
}

bool rule_cmpf_number(Canon *c, IrOp *op)
{
	int64_t p = predicate_of(c, op);
	bool same = lhs(op) == rhs(op), nan = p == CMPF_UNO || (same && p == CMPF_UNE);
	if (!nan && p != CMPF_ORD && !(same && p == CMPF_OEQ))
		return false;
	return is_number(c, lhs(op)) && (same || is_number(c, rhs(op))) &&
	       canon_replace_op(c, op, canon_int(c, op->results[0].type, !nan));
}

/* The comparison that is left of one and a test whether an operand of it is a number. */
static bool one_comparison(Canon *c, IrOp *op, bool nan)
{
	for (unsigned side = 0; side < 2; side++) {
		IrValue *v = ir_operand(op, side);
		const IrOp *compare = canon_def(v, OP_CMPF);
		const IrValue *x = asked(c, ir_operand(op, 1 - side), nan);
		if (!compare || !x || !compares(compare, x))
			continue;
		int64_t p = predicate_of(c, compare);
		if (nan ? is_unordered(p) : is_ordered(p))
			return canon_replace_op(c, op, v);
		const IrValue *other = lhs(compare) == x ? rhs(compare) : lhs(compare);
		if (!(nan ? is_ordered(p) : is_unordered(p)) || (other != x && !is_number(c, other)))
			continue;
		IrCmpF predicate = (IrCmpF)(nan ? p + UNORDERED : p - UNORDERED);
		return canon_replace_op(c, op, irb_cmpf(&c->b, predicate, lhs(compare), rhs(compare)));
	}
	return false;
}

bool rule_or_nan(Canon *c, IrOp *op) { return one_comparison(c, op, true); }

bool rule_and_number(Canon *c, IrOp *op) { return one_comparison(c, op, false); }
