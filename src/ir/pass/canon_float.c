/* Rules for floats and for conversions: those that keep every bit, NaN and -0.0 included. x + 0.0 (which turns
 * -0.0 into 0.0), x - x, x * 0.0 and the like are not among them. */
#include "ir/pass/canon.h"

#include <math.h>

#define RULE(kind, sets, fn, doc) CanonRule fn;
#include "ir/pass/canon.def"
#undef RULE

static IrValue *lhs(const IrOp *op) { return ir_operand(op, 0); }
static IrValue *rhs(const IrOp *op) { return ir_operand(op, 1); }

static bool is_float(const IrValue *v, double value)
{
	IrType elem = ir_elem(v->type);
	return ir_is_float(elem) && canon_is_word(v, ir_float_bits(elem, value));
}

bool rule_add_negative_zero(Canon *c, IrOp *op)
{
	return is_float(rhs(op), -0.0) && canon_replace_op(c, op, lhs(op));
}

bool rule_sub_zero(Canon *c, IrOp *op)
{
	return is_float(rhs(op), 0.0) && canon_replace_op(c, op, lhs(op));
}

bool rule_times_one(Canon *c, IrOp *op)
{
	return is_float(rhs(op), 1.0) && canon_replace_op(c, op, lhs(op));
}

bool rule_negf(Canon *c, IrOp *op)
{
	IrOp *inner = canon_def(lhs(op), OP_NEGF);
	return inner && canon_replace_op(c, op, lhs(inner));
}

bool rule_absf(Canon *c, IrOp *op)
{
	IrOp *inner = lhs(op)->def;
	if (inner && inner->kind == OP_ABSF)
		return canon_replace_op(c, op, lhs(op));
	if (!inner || inner->kind != OP_NEGF)
		return false;
	canon_set_operand(c, op, 0, lhs(inner));
	return true;
}

/* Of something that is whole already. */
bool rule_round_whole(Canon *c, IrOp *op)
{
	IrOp *inner = lhs(op)->def;
	return inner && (inner->kind == OP_FLOOR || inner->kind == OP_CEIL) && canon_replace_op(c, op, lhs(op));
}

bool rule_min_max_float(Canon *c, IrOp *op)
{
	if (lhs(op) == rhs(op))
		return canon_replace_op(c, op, lhs(op));
	/* NaN stays NaN in these two; in minnum and maxnum it would become the infinity. */
	double neutral = op->kind == OP_MINIMUMF ? (double)INFINITY : -(double)INFINITY;
	bool propagates = op->kind == OP_MINIMUMF || op->kind == OP_MAXIMUMF;
	return propagates && is_float(rhs(op), neutral) && canon_replace_op(c, op, lhs(op));
}

bool rule_not_cmpf(Canon *c, IrOp *op)
{
	IrOp *compare = canon_def(lhs(op), OP_CMPF);
	if (!compare || !canon_is_word(rhs(op), 1) || !ir_has_one_use(lhs(op)))
		return false;
	/* The negation holds for unordered operands exactly when the comparison does not. ORDER CMPF */
	static const uint8_t negated[] = {
		[CMPF_FALSE] = CMPF_TRUE, [CMPF_OEQ] = CMPF_UNE, [CMPF_OGT] = CMPF_ULE, [CMPF_OGE] = CMPF_ULT,
		[CMPF_OLT] = CMPF_UGE,	  [CMPF_OLE] = CMPF_UGT, [CMPF_ONE] = CMPF_UEQ, [CMPF_ORD] = CMPF_UNO,
		[CMPF_UEQ] = CMPF_ONE,	  [CMPF_UGT] = CMPF_OLE, [CMPF_UGE] = CMPF_OLT, [CMPF_ULT] = CMPF_OGE,
		[CMPF_ULE] = CMPF_OGT,	  [CMPF_UNE] = CMPF_OEQ, [CMPF_UNO] = CMPF_ORD, [CMPF_TRUE] = CMPF_FALSE,
	};
	IrCmpF predicate = (IrCmpF)negated[ir_get_int(compare, c->cx, ATTR_PREDICATE, 0) & 15];
	return canon_replace_op(c, op, irb_cmpf(&c->b, predicate, lhs(compare), rhs(compare)));
}

/* Nothing is less than -infinity or greater than infinity, and what says "not" of that is true
 * of NaN too. */
bool rule_cmpf_infinite(Canon *c, IrOp *op)
{
	for (unsigned side = 0; side < 2; side++) {
		const IrValue *bound = ir_operand(op, side);
		bool least = is_float(bound, -(double)INFINITY), least_left = least == (side == 0);
		if (!least && !is_float(bound, (double)INFINITY))
			continue;
		/* -inf > x, x > inf; x < -inf, inf < x */
		int64_t predicate = ir_get_int(op, c->cx, ATTR_PREDICATE, CMPF_FALSE);
		if (predicate == (least_left ? CMPF_OGT : CMPF_OLT))
			return canon_replace_op(c, op, canon_int(c, op->results[0].type, 0));
		if (predicate == (least_left ? CMPF_ULE : CMPF_UGE))
			return canon_replace_op(c, op, canon_int(c, op->results[0].type, 1));
	}
	return false;
}

/* An integer made a float, compared with a constant: compared as it is. Rounding keeps the order, and what is
 * below 2^24 in magnitude (2^11 for f16, ...) is exact; so a constant below that divides the integers alike. */
bool rule_cmpf_converted(Canon *c, IrOp *op)
{
	IrOp *convert = lhs(op)->def;
	uint64_t word;
	if (!convert || (convert->kind != OP_SITOFP && convert->kind != OP_UITOFP) || !canon_word(rhs(op), &word))
		return false;
	IrType to = ir_elem(lhs(op)->type);
	int exact_bits = to->kind == TY_F64 ? 53 : to->kind == TY_F32 ? 24 : to->kind == TY_F16 ? 11 : 8;
	double k = ir_float_value(to, word);
	unsigned bits = ir_elem(lhs(convert)->type)->bits;
	bool is_signed = convert->kind == OP_SITOFP;
	/* The bound and its neighbours must be values of the integer type. */
	double greatest = ldexp(1, (int)(bits - is_signed)) - 2, least = is_signed ? -greatest : 1;
	if (isnan(k) || fabs(k) >= ldexp(1, exact_bits) || k > greatest || k < least)
		return false;
	bool whole = floor(k) == k;
	int64_t bound;
	IrCmpI predicate;
	switch ((IrCmpF)(ir_get_int(op, c->cx, ATTR_PREDICATE, CMPF_FALSE))) {
	case CMPF_OEQ:
	case CMPF_UEQ:
	case CMPF_ONE:
	case CMPF_UNE: {
		int64_t p = ir_get_int(op, c->cx, ATTR_PREDICATE, CMPF_FALSE);
		bool equal = p == CMPF_OEQ || p == CMPF_UEQ;
		if (!whole)
			return canon_replace_op(c, op, canon_int(c, op->results[0].type, !equal));
		predicate = equal ? CMPI_EQ : CMPI_NE;
		bound = (int64_t)k;
		break;
	}
	case CMPF_OLT:
	case CMPF_ULT:
		predicate = is_signed ? CMPI_SLT : CMPI_ULT;
		bound = (int64_t)ceil(k);
		break;
	case CMPF_OLE:
	case CMPF_ULE:
		predicate = is_signed ? CMPI_SLE : CMPI_ULE;
		bound = (int64_t)floor(k);
		break;
	case CMPF_OGT:
	case CMPF_UGT:
		predicate = is_signed ? CMPI_SGT : CMPI_UGT;
		bound = (int64_t)floor(k);
		break;
	case CMPF_OGE:
	case CMPF_UGE:
		predicate = is_signed ? CMPI_SGE : CMPI_UGE;
		bound = (int64_t)ceil(k);
		break;
	default:
		return false;
	}
	return canon_replace_op(c, op, irb_cmpi(&c->b, predicate, lhs(convert),
						canon_int(c, lhs(convert)->type, bound)));
}

/* ---- conversions ---- */

static bool convert(Canon *c, IrOp *op, IrOpKind kind, IrValue *x)
{
	IrType type = op->results[0].type;
	return canon_replace_op(c, op, x->type == type ? x : irb_1(&c->b, kind, type, x));
}

bool rule_extend_integer(Canon *c, IrOp *op)
{
	IrOp *inner = lhs(op)->def;
	if (!inner)
		return false;
	if (inner->kind == op->kind || (op->kind == OP_EXTSI && inner->kind == OP_EXTUI))
		return convert(c, op, inner->kind, lhs(inner));
	return false;
}

bool rule_trunci(Canon *c, IrOp *op)
{
	IrOp *inner = lhs(op)->def;
	if (!inner)
		return false;
	if (inner->kind == OP_TRUNCI)
		return convert(c, op, OP_TRUNCI, lhs(inner));
	if (inner->kind != OP_EXTSI && inner->kind != OP_EXTUI)
		return false;
	bool wider = ir_elem(op->results[0].type)->bits > ir_elem(lhs(inner)->type)->bits;
	return convert(c, op, wider ? inner->kind : OP_TRUNCI, lhs(inner));
}

bool rule_extf(Canon *c, IrOp *op)
{
	IrOp *inner = canon_def(lhs(op), OP_EXTF);
	return inner && convert(c, op, OP_EXTF, lhs(inner));
}

bool rule_truncf(Canon *c, IrOp *op)
{
	IrOp *inner = canon_def(lhs(op), OP_EXTF);
	return inner && lhs(inner)->type == op->results[0].type && canon_replace_op(c, op, lhs(inner));
}

/* What fp32 adds of two fp16 or two bf16 and rounds to that type again is their sum rounded
 * once: 24 bits are at least 2 * 11 + 2 (Figueroa, "When is double rounding innocuous?", 1995),
 * and sums below the normal numbers are exact. Products that would be fused with a sum of their
 * own type stay apart from it. */
bool rule_truncf_sum(Canon *c, IrOp *op)
{
	IrOp *sum = lhs(op)->def;
	IrType type = op->results[0].type;
	IrTypeKind kind = ir_elem(type)->kind;
	if (!sum || (sum->kind != OP_ADDF && sum->kind != OP_SUBF) || !ir_has_one_use(&sum->results[0]) ||
	    ir_elem(lhs(op)->type)->kind != TY_F32 || (kind != TY_F16 && kind != TY_BF16) ||
	    ir_get(op, c->cx, ATTR_ROUNDING_MODE))
		return false;
	IrValue *sides[2];
	for (unsigned i = 0; i < 2; i++) {
		const IrOp *extended = canon_def(ir_operand(sum, i), OP_EXTF);
		const IrOp *product = extended ? canon_def(lhs(extended), OP_MULF) : NULL;
		bool fused = product && !ir_get(product, c->cx, ATTR_ROUNDED);
		if (!extended || lhs(extended)->type != type || fused)
			return false;
		sides[i] = lhs(extended);
	}
	return canon_replace_op(c, op, irb_2(&c->b, sum->kind, NULL, sides[0], sides[1]));
}

static bool only_spreads(const IrOp *op)
{
	return op && (op->kind == OP_BROADCAST || op->kind == OP_EXPAND_DIMS || op->kind == OP_SPLAT);
}

/* Was it extended from that type, in its shape or before it had that shape? */
static bool is_extended_from(const IrValue *v, IrTypeKind kind)
{
	while (only_spreads(v->def))
		v = lhs(v->def);
	return v->def && v->def->kind == OP_EXTF && ir_elem(lhs(v->def)->type)->kind == kind;
}

static IrValue *without_extension(Canon *c, IrValue *v)
{
	const IrOp *op = v->def;
	if (op->kind == OP_EXTF)
		return lhs(op);
	IrValue *narrow = without_extension(c, lhs(op));
	IrValue *spread = irb_1(&c->b, op->kind, ir_with_elem(c->cx, v->type, ir_elem(narrow->type)), narrow);
	for (uint32_t i = 0; i < op->attr_count; i++)
		ir_set_named(c->m, spread->def, op->attrs[i].name, op->attrs[i].value);
	return spread;
}

/* Their product likewise, which fp32 holds exactly. Of bf16 it may be below 2^-126, and would be
 * rounded twice there: once is nearer, and what LLVM makes of it for Triton. It is not fused
 * with a sum, as it was rounded in front of it. */
bool rule_truncf_product(Canon *c, IrOp *op)
{
	IrOp *product = lhs(op)->def;
	IrTypeKind kind = ir_elem(op->results[0].type)->kind;
	if (!product || product->kind != OP_MULF || !ir_has_one_use(&product->results[0]) ||
	    ir_elem(lhs(op)->type)->kind != TY_F32 || (kind != TY_F16 && kind != TY_BF16) ||
	    ir_get(op, c->cx, ATTR_ROUNDING_MODE))
		return false;
	if (!is_extended_from(lhs(product), kind) || !is_extended_from(rhs(product), kind))
		return false;
	IrValue *a = without_extension(c, lhs(product)), *b = without_extension(c, rhs(product));
	IrValue *narrow = irb_2(&c->b, OP_MULF, NULL, a, b);
	ir_set(c->m, narrow->def, ATTR_ROUNDED, ir_attr_unit(c->cx));
	return canon_replace_op(c, op, narrow);
}

bool rule_same_type(Canon *c, IrOp *op)
{
	return lhs(op)->type == op->results[0].type && canon_replace_op(c, op, lhs(op));
}

bool rule_bitcast(Canon *c, IrOp *op)
{
	IrOp *inner = canon_def(lhs(op), op->kind);
	return inner && convert(c, op, op->kind, lhs(inner));
}

bool rule_int_to_ptr(Canon *c, IrOp *op)
{
	IrOp *inner = canon_def(lhs(op), OP_PTR_TO_INT);
	return inner && lhs(inner)->type == op->results[0].type && canon_replace_op(c, op, lhs(inner));
}

bool rule_ptr_to_int(Canon *c, IrOp *op)
{
	IrOp *inner = canon_def(lhs(op), OP_INT_TO_PTR);
	return inner && lhs(inner)->type == op->results[0].type && canon_replace_op(c, op, lhs(inner));
}
