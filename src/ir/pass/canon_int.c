/* Rules for integers: identities that hold for every value of the width, with wrapping. */
#include "ir/pass/canon.h"

#define RULE(kind, sets, fn, doc) CanonRule fn;
#include "ir/pass/canon.def"
#undef RULE

static IrValue *lhs(const IrOp *op) { return ir_operand(op, 0); }
static IrValue *rhs(const IrOp *op) { return ir_operand(op, 1); }

static bool is_zero(const IrValue *v) { return canon_is_int(v, 0); }
static bool is_ones(const IrValue *v) { return canon_is_int(v, -1); }

/* Replaces op by `kind` of (x, constant), with the constant's bits. */
static bool with_word(Canon *c, IrOp *op, IrOpKind kind, IrValue *x, uint64_t word)
{
	IrValue *k = canon_int(c, x->type, (int64_t)word);
	return canon_replace_op(c, op, irb_2(&c->b, kind, NULL, x, k));
}

static bool word_minus(Canon *c, IrOp *op, uint64_t word, IrValue *x)
{
	IrValue *k = canon_int(c, x->type, (int64_t)word);
	return canon_replace_op(c, op, irb_2(&c->b, OP_SUBI, NULL, k, x));
}

/* ---- sums ---- */

bool rule_addi(Canon *c, IrOp *op)
{
	IrValue *x = lhs(op), *y = rhs(op);
	if (is_zero(y))
		return canon_replace_op(c, op, x);
	IrOp *sub = canon_def(x, OP_SUBI);
	if (sub && rhs(sub) == y)
		return canon_replace_op(c, op, lhs(sub));
	sub = canon_def(y, OP_SUBI);
	return sub && rhs(sub) == x && canon_replace_op(c, op, lhs(sub));
}

/* x + y * -1 */
bool rule_add_negated(Canon *c, IrOp *op)
{
	for (int side = 0; side < 2; side++) {
		IrOp *product = canon_def(ir_operand(op, (uint32_t)side), OP_MULI);
		if (product && is_ones(rhs(product)))
			return canon_replace_op(c, op, irb_2(&c->b, OP_SUBI, NULL, side ? lhs(op) : rhs(op),
							     lhs(product)));
	}
	return false;
}

/* x op1 c1 op2 c2: one op and one constant. */
bool rule_add_constants(Canon *c, IrOp *op)
{
	uint64_t c1, c2;
	IrOp *inner = lhs(op)->def;
	if (!inner || !canon_word(rhs(op), &c2))
		return false;
	if (inner->kind == OP_ADDI && canon_word(rhs(inner), &c1))
		return with_word(c, op, OP_ADDI, lhs(inner), c1 + c2);
	if (inner->kind != OP_SUBI)
		return false;
	if (canon_word(rhs(inner), &c1))
		return with_word(c, op, OP_ADDI, lhs(inner), c2 - c1);
	return canon_word(lhs(inner), &c1) && word_minus(c, op, c1 + c2, rhs(inner));
}

bool rule_subi(Canon *c, IrOp *op)
{
	IrValue *x = lhs(op), *y = rhs(op);
	if (is_zero(y))
		return canon_replace_op(c, op, x);
	if (x == y)
		return canon_replace_op(c, op, canon_int(c, x->type, 0));
	IrOp *add = canon_def(x, OP_ADDI);
	if (add && (rhs(add) == y || lhs(add) == y))
		return canon_replace_op(c, op, rhs(add) == y ? lhs(add) : rhs(add));
	IrOp *sub = canon_def(y, OP_SUBI);
	if (sub && lhs(sub) == x)
		return canon_replace_op(c, op, rhs(sub));
	sub = canon_def(x, OP_SUBI);
	return sub && lhs(sub) == y && !is_zero(y) && word_minus(c, op, 0, rhs(sub));
}

bool rule_sub_constants(Canon *c, IrOp *op)
{
	uint64_t c1, c2;
	if (canon_word(rhs(op), &c2) && lhs(op)->def) {
		IrOp *inner = lhs(op)->def;
		if (inner->kind == OP_ADDI && canon_word(rhs(inner), &c1))
			return with_word(c, op, OP_ADDI, lhs(inner), c1 - c2);
		if (inner->kind == OP_SUBI && canon_word(rhs(inner), &c1))
			return with_word(c, op, OP_SUBI, lhs(inner), c1 + c2);
		return inner->kind == OP_SUBI && canon_word(lhs(inner), &c1) &&
		       word_minus(c, op, c1 - c2, rhs(inner));
	}
	if (canon_word(lhs(op), &c2) && rhs(op)->def) {
		IrOp *inner = rhs(op)->def;
		if (inner->kind == OP_ADDI && canon_word(rhs(inner), &c1))
			return word_minus(c, op, c2 - c1, lhs(inner));
		if (inner->kind == OP_SUBI && canon_word(lhs(inner), &c1))
			return with_word(c, op, OP_ADDI, rhs(inner), c2 - c1);
		return inner->kind == OP_SUBI && canon_word(rhs(inner), &c1) &&
		       word_minus(c, op, c1 + c2, lhs(inner));
	}
	return false;
}

/* ---- products ---- */

bool rule_muli(Canon *c, IrOp *op)
{
	uint64_t c1, c2;
	IrValue *x = lhs(op), *y = rhs(op);
	if (is_zero(y))
		return canon_replace_op(c, op, y);
	if (canon_is_int(y, 1))
		return canon_replace_op(c, op, x);
	IrOp *inner = canon_def(x, OP_MULI);
	return inner && canon_word(y, &c2) && canon_word(rhs(inner), &c1) &&
	       with_word(c, op, OP_MULI, lhs(inner), c1 * c2);
}

bool rule_divide_by_one(Canon *c, IrOp *op)
{
	return canon_is_int(rhs(op), 1) && canon_replace_op(c, op, lhs(op));
}

bool rule_remainder_by_one(Canon *c, IrOp *op)
{
	return canon_is_int(rhs(op), 1) && canon_replace_op(c, op, canon_int(c, lhs(op)->type, 0));
}

/* What it extends; a constant as one of that type; NULL: neither. */
static IrValue *before_extension(Canon *c, IrValue *v, IrType type)
{
	const IrOp *extension = canon_def(v, OP_EXTSI);
	uint64_t word;
	if (extension)
		return lhs(extension)->type == type ? lhs(extension) : NULL;
	if (!canon_word(v, &word) || (int64_t)word != (int32_t)word)
		return NULL;
	return canon_int(c, type, (int64_t)word);
}

static bool is_not_negative(const IrValue *v, unsigned depth)
{
	enum { DEEPEST = 8 };
	const IrOp *op = v->def;
	uint64_t word;
	if (canon_word(v, &word))
		return word <= INT32_MAX;
	if (!op || depth > DEEPEST)
		return false;
	switch (op->kind) {
	case OP_PROGRAM_ID:
	case OP_NUM_PROGRAMS:
	case OP_CTA_RANK:
		return true;
	case OP_SPLAT:
	case OP_BROADCAST:
	case OP_EXPAND_DIMS:
	case OP_REMSI:
		return is_not_negative(lhs(op), depth + 1);
	case OP_DIVSI:
		return is_not_negative(lhs(op), depth + 1) && is_not_negative(rhs(op), depth + 1);
	default:
		return false;
	}
}

/* Of 64 bits that extend 32: in 32, for which the machine has a short way. By powers of two it has
 * one for both. The least number over -1 alone would not fit. */
bool rule_narrow_division(Canon *c, IrOp *op)
{
	const IrOp *left = canon_def(lhs(op), OP_EXTSI), *right = canon_def(rhs(op), OP_EXTSI);
	IrType type = left ? lhs(left)->type : right ? lhs(right)->type : NULL;
	if (!type || ir_elem(type)->kind != TY_I32)
		return false;
	IrValue *x = before_extension(c, lhs(op), type), *y = x ? before_extension(c, rhs(op), type) : NULL;
	uint64_t word;
	bool known = y && canon_word(y, &word);
	if (!y || (known && (word & (word - 1)) == 0) || !(is_not_negative(x, 0) || (known && !is_ones(y))))
		return false;
	IrValue *narrow = irb_2(&c->b, op->kind, NULL, x, y);
	return canon_replace_op(c, op, irb_1(&c->b, OP_EXTSI, op->results[0].type, narrow));
}

/* ---- bits ---- */

static bool is_not_of(const IrValue *v, const IrValue *x)
{
	IrOp *inversion = canon_def(v, OP_XORI);
	return inversion && lhs(inversion) == x && is_ones(rhs(inversion));
}

bool rule_andi(Canon *c, IrOp *op)
{
	uint64_t c1, c2;
	IrValue *x = lhs(op), *y = rhs(op);
	if (is_zero(y) || is_ones(y) || x == y)
		return canon_replace_op(c, op, is_zero(y) ? y : x);
	if (is_not_of(x, y) || is_not_of(y, x))
		return canon_replace_op(c, op, canon_int(c, x->type, 0));
	IrOp *a = canon_def(x, OP_ANDI), *b = canon_def(y, OP_ANDI);
	if (a && (lhs(a) == y || rhs(a) == y))
		return canon_replace_op(c, op, x);
	if (b && (lhs(b) == x || rhs(b) == x))
		return canon_replace_op(c, op, y);
	return a && canon_word(y, &c2) && canon_word(rhs(a), &c1) && with_word(c, op, OP_ANDI, lhs(a), c1 & c2);
}

bool rule_ori(Canon *c, IrOp *op)
{
	uint64_t c1, c2;
	IrValue *x = lhs(op), *y = rhs(op);
	if (is_zero(y) || is_ones(y) || x == y)
		return canon_replace_op(c, op, is_ones(y) ? y : x);
	if (is_not_of(x, y) || is_not_of(y, x))
		return canon_replace_op(c, op, canon_int(c, x->type, -1));
	IrOp *a = canon_def(x, OP_ORI), *b = canon_def(y, OP_ORI);
	if (a && (lhs(a) == y || rhs(a) == y))
		return canon_replace_op(c, op, x);
	if (b && (lhs(b) == x || rhs(b) == x))
		return canon_replace_op(c, op, y);
	return a && canon_word(y, &c2) && canon_word(rhs(a), &c1) && with_word(c, op, OP_ORI, lhs(a), c1 | c2);
}

bool rule_xori(Canon *c, IrOp *op)
{
	uint64_t c1, c2;
	IrValue *x = lhs(op), *y = rhs(op);
	if (is_zero(y))
		return canon_replace_op(c, op, x);
	if (x == y)
		return canon_replace_op(c, op, canon_int(c, x->type, 0));
	for (int side = 0; side < 2; side++) {
		IrOp *inner = canon_def(side ? y : x, OP_XORI);
		IrValue *other = side ? x : y;
		if (inner && (lhs(inner) == other || rhs(inner) == other))
			return canon_replace_op(c, op, lhs(inner) == other ? rhs(inner) : lhs(inner));
	}
	IrOp *a = canon_def(x, OP_XORI);
	return a && canon_word(y, &c2) && canon_word(rhs(a), &c1) && with_word(c, op, OP_XORI, lhs(a), c1 ^ c2);
}

bool rule_shift(Canon *c, IrOp *op)
{
	/* Shifting by the width or more is undefined, so nothing shifted is nothing always. */
	return (is_zero(rhs(op)) || is_zero(lhs(op))) && canon_replace_op(c, op, lhs(op));
}

/* ---- minimum and maximum ---- */

bool rule_min_max(Canon *c, IrOp *op)
{
	uint64_t k;
	IrValue *x = lhs(op), *y = rhs(op);
	if (x == y)
		return canon_replace_op(c, op, x);
	if (!canon_word(y, &k))
		return false;
	unsigned bits = ir_elem(x->type)->bits;
	bool is_signed = op->kind == OP_MINSI || op->kind == OP_MAXSI;
	bool is_min = op->kind == OP_MINSI || op->kind == OP_MINUI;
	uint64_t least = is_signed ? UINT64_C(1) << (bits - 1) : 0;
	uint64_t greatest = fold_low(least - 1, bits);
	if (k != least && k != greatest)
		return false;
	return canon_replace_op(c, op, (k == least) == is_min ? y : x);
}

bool rule_absi(Canon *c, IrOp *op)
{
	return canon_def(lhs(op), OP_ABSI) && canon_replace_op(c, op, lhs(op));
}

/* ---- comparison ---- */

/* The predicate of the swapped comparison, of the negated one, and whether equal operands satisfy it. ORDER CMPI */
static const struct {
	IrCmpI swapped, negated;
	bool equal, is_unsigned;
} predicates[] = {
	[CMPI_EQ] = {CMPI_EQ, CMPI_NE, true, false},	[CMPI_NE] = {CMPI_NE, CMPI_EQ, false, false},
	[CMPI_SLT] = {CMPI_SGT, CMPI_SGE, false, false}, [CMPI_SLE] = {CMPI_SGE, CMPI_SGT, true, false},
	[CMPI_SGT] = {CMPI_SLT, CMPI_SLE, false, false}, [CMPI_SGE] = {CMPI_SLE, CMPI_SLT, true, false},
	[CMPI_ULT] = {CMPI_UGT, CMPI_UGE, false, true},	[CMPI_ULE] = {CMPI_UGE, CMPI_UGT, true, true},
	[CMPI_UGT] = {CMPI_ULT, CMPI_ULE, false, true},	[CMPI_UGE] = {CMPI_ULE, CMPI_ULT, true, true},
};

static IrCmpI predicate_of(const Canon *c, const IrOp *op)
{
	return (IrCmpI)ir_get_int(op, c->cx, ATTR_PREDICATE, CMPI_EQ);
}

static bool always(Canon *c, IrOp *op, bool value)
{
	return canon_replace_op(c, op, canon_int(c, op->results[0].type, value));
}

bool rule_cmpi_same(Canon *c, IrOp *op)
{
	return lhs(op) == rhs(op) && always(c, op, predicates[predicate_of(c, op)].equal);
}

bool rule_cmpi_swap(Canon *c, IrOp *op)
{
	if (!ir_constant_of(lhs(op)) || ir_constant_of(rhs(op)))
		return false;
	IrCmpI predicate = predicates[predicate_of(c, op)].swapped;
	return canon_replace_op(c, op, irb_cmpi(&c->b, predicate, rhs(op), lhs(op)));
}

/* Comparisons with the least or greatest value of the type. */
bool rule_cmpi_extreme(Canon *c, IrOp *op)
{
	uint64_t k;
	if (!canon_word(rhs(op), &k))
		return false;
	IrCmpI predicate = predicate_of(c, op);
	unsigned bits = ir_elem(lhs(op)->type)->bits;
	uint64_t least = predicates[predicate].is_unsigned ? 0 : UINT64_C(1) << (bits - 1);
	uint64_t greatest = fold_low(least - 1, bits);
	switch (predicate) {
	case CMPI_SLT:
	case CMPI_ULT:
		return k == least && always(c, op, false);
	case CMPI_SGE:
	case CMPI_UGE:
		return k == least && always(c, op, true);
	case CMPI_SGT:
	case CMPI_UGT:
		return k == greatest && always(c, op, false);
	case CMPI_SLE:
	case CMPI_ULE:
		return k == greatest && always(c, op, true);
	default:
		return false;
	}
}

/* Of an i1 (extended or not) with 0 or 1: the i1 itself. */
bool rule_cmpi_bool(Canon *c, IrOp *op)
{
	IrCmpI predicate = predicate_of(c, op);
	IrValue *x = lhs(op);
	if (predicate != CMPI_EQ && predicate != CMPI_NE)
		return false;
	if (ir_elem(x->type)->kind == TY_I1)
		return canon_is_word(rhs(op), predicate == CMPI_EQ) && canon_replace_op(c, op, x);
	if (!x->def || (x->def->kind != OP_EXTUI && x->def->kind != OP_EXTSI))
		return false;
	IrValue *flag = ir_operand(x->def, 0);
	if (ir_elem(flag->type)->kind != TY_I1)
		return false;
	int64_t one = x->def->kind == OP_EXTUI ? 1 : -1;
	bool is_flag = (predicate == CMPI_NE && is_zero(rhs(op))) ||
		       (predicate == CMPI_EQ && canon_is_int(rhs(op), one));
	return is_flag && canon_replace_op(c, op, flag);
}

/* Of two values extended the same way: the values themselves. */
bool rule_cmpi_extended(Canon *c, IrOp *op)
{
	IrOp *a = lhs(op)->def, *b = rhs(op)->def;
	IrCmpI predicate = predicate_of(c, op);
	if (!a || !b || a->kind != b->kind || (a->kind != OP_EXTSI && a->kind != OP_EXTUI) || lhs(a)->type != lhs(b)->type)
		return false;
	bool equality = predicate == CMPI_EQ || predicate == CMPI_NE;
	bool fits = a->kind == OP_EXTSI ? equality || !predicates[predicate].is_unsigned
					: equality || predicates[predicate].is_unsigned;
	return fits && canon_replace_op(c, op, irb_cmpi(&c->b, predicate, lhs(a), lhs(b)));
}

/* Bits at the low end of the scalar that are 0, whatever it is. */
static unsigned zeros_of(const IrValue *v, unsigned depth)
{
	enum { DEEPEST = 4, ALL = 64 };
	uint64_t word;
	const IrOp *def = v->def;
	if (canon_word(v, &word))
		return word ? (unsigned)__builtin_ctzll(word) : ALL;
	if (!def || depth == DEEPEST || !def->operand_count)
		return 0;
	bool two = def->kind == OP_MULI || def->kind == OP_ADDI;
	if (!two && def->kind != OP_EXTSI && def->kind != OP_EXTUI)
		return 0;
	unsigned first = zeros_of(ir_operand(def, 0), depth + 1);
	unsigned second = two ? zeros_of(ir_operand(def, 1), depth + 1) : 0;
	return def->kind == OP_MULI ? first + second : def->kind == OP_ADDI ? MIN(first, second) : first;
}

/* A range beside a scalar: what is added to it at each place. */
typedef struct Beside {
	const IrValue *scalar; /* NULL: it is none */
	IrValue *range;	       /* of 32 bits */
	int64_t end;
} Beside;

static Beside beside_of(const Canon *c, const IrValue *v)
{
	Beside none = {0};
	const IrOp *def = v->def;
	while (def && (def->kind == OP_BROADCAST || def->kind == OP_EXPAND_DIMS))
		def = ir_operand(def, 0)->def;
	for (uint32_t i = 0; i < 2 && def && def->kind == OP_ADDI; i++) {
		const IrOp *splat = canon_def(ir_operand(def, i), OP_SPLAT);
		const IrOp *range = ir_operand(def, 1 - i)->def;
		if (range && (range->kind == OP_EXTSI || range->kind == OP_EXTUI))
			range = ir_operand(range, 0)->def;
		if (!splat || !range || range->kind != OP_MAKE_RANGE ||
		    ir_get_int(range, c->cx, ATTR_START, -1) < 0)
			continue;
		int64_t end = ir_get_int(range, c->cx, ATTR_END, 0);
		return (Beside){ir_operand(splat, 0), ir_result(range, 0), end};
	}
	return none;
}

/* The range in the shape that the sum has. */
static IrValue *shaped(Canon *c, IrValue *range, const IrValue *like)
{
	const IrOp *def = like->def;
	if (def->kind == OP_ADDI)
		return range;
	IrValue *inner = shaped(c, range, ir_operand(def, 0));
	IrType type = ir_with_elem(c->cx, like->type, range->type->elem);
	IrValue *made = irb_1(&c->b, def->kind, type, inner);
	if (def->kind == OP_EXPAND_DIMS)
		ir_set(c->m, made->def, ATTR_AXIS, ir_get(def, c->cx, ATTR_AXIS));
	return made;
}

/* Of a scalar and one range each, which take none of its bits: the ranges. So rows and columns of a
 * square on the diagonal compare, wherever it is. */
bool rule_cmpi_beside(Canon *c, IrOp *op)
{
	Beside a = beside_of(c, lhs(op)), b = beside_of(c, rhs(op));
	if (!a.scalar || a.scalar != b.scalar || !ir_is_tensor(lhs(op)->type))
		return false;
	unsigned zeros = zeros_of(a.scalar, 0);
	if (zeros < 31 && MAX(a.end, b.end) > INT64_C(1) << zeros)
		return false;
	IrValue *l = shaped(c, a.range, lhs(op)), *r = shaped(c, b.range, rhs(op));
	return canon_replace_op(c, op, irb_cmpi(&c->b, predicate_of(c, op), l, r));
}

/* not (a < b) is a >= b. */
bool rule_not_cmpi(Canon *c, IrOp *op)
{
	IrOp *compare = canon_def(lhs(op), OP_CMPI);
	if (!compare || ir_elem(lhs(op)->type)->kind != TY_I1 || !is_ones(rhs(op)))
		return false;
	IrCmpI predicate = predicates[predicate_of(c, compare)].negated;
	return canon_replace_op(c, op, irb_cmpi(&c->b, predicate, lhs(compare), rhs(compare)));
}

/* ---- select ---- */

bool rule_select(Canon *c, IrOp *op)
{
	IrValue *flag = ir_operand(op, 0), *yes = ir_operand(op, 1), *no = ir_operand(op, 2);
	uint64_t k;
	if (yes == no)
		return canon_replace_op(c, op, yes);
	if (canon_word(flag, &k))
		return canon_replace_op(c, op, k ? yes : no);
	if (flag->type != yes->type || ir_elem(yes->type)->kind != TY_I1)
		return false;
	if (is_ones(yes) && is_zero(no))
		return canon_replace_op(c, op, flag);
	return is_zero(yes) && is_ones(no) &&
	       canon_replace_op(c, op, irb_2(&c->b, OP_XORI, NULL, flag, canon_int(c, flag->type, 1)));
}

/* c ? 1 : 0 is the condition extended. */
bool rule_select_extend(Canon *c, IrOp *op)
{
	IrValue *flag = ir_operand(op, 0), *yes = ir_operand(op, 1);
	IrType elem = ir_elem(yes->type);
	if (!ir_is_int(elem) || elem->kind == TY_I1 || !is_zero(ir_operand(op, 2)) ||
	    !ir_same_shape(flag->type, yes->type))
		return false;
	if (!canon_is_int(yes, 1) && !is_ones(yes))
		return false;
	return canon_replace_op(c, op, irb_1(&c->b, canon_is_int(yes, 1) ? OP_EXTUI : OP_EXTSI, yes->type, flag));
}

bool rule_select_nested(Canon *c, IrOp *op)
{
	IrValue *flag = ir_operand(op, 0);
	IrOp *inversion = canon_def(flag, OP_XORI);
	if (inversion && is_ones(rhs(inversion))) {
		IrValue *yes = ir_operand(op, 1), *no = ir_operand(op, 2);
		return canon_replace_op(c, op, irb_3(&c->b, OP_SELECT, NULL, lhs(inversion), no, yes));
	}
	for (uint32_t side = 1; side <= 2; side++) {
		IrOp *inner = canon_def(ir_operand(op, side), OP_SELECT);
		if (inner && ir_operand(inner, 0) == flag) {
			canon_set_operand(c, op, side, ir_operand(inner, side));
			return true;
		}
	}
	return false;
}

/* a == b ? a : b is b, a != b ? a : b is a, for integers. */
bool rule_select_equal(Canon *c, IrOp *op)
{
	IrOp *compare = canon_def(ir_operand(op, 0), OP_CMPI);
	IrValue *yes = ir_operand(op, 1), *no = ir_operand(op, 2);
	if (!compare || !((lhs(compare) == yes && rhs(compare) == no) || (lhs(compare) == no && rhs(compare) == yes)))
		return false;
	IrCmpI predicate = predicate_of(c, compare);
	if (predicate != CMPI_EQ && predicate != CMPI_NE)
		return false;
	return canon_replace_op(c, op, predicate == CMPI_EQ ? no : yes);
}
