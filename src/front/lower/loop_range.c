/* The bounds of run-time loops. A loop of the IR compares as signed and goes up. What Python's
 * range() says beyond that, a step of which only the run knows the sign, or unsigned bounds, is a
 * loop that counts turns. */
#include "front/lower/loop_range.h"

#include "front/demote.h"
#include "front/tile/sem.h"

static bool is_scalar_int(const Val *v)
{
	return v->kind == VAL_TENSOR && v->tensor.type->kind == TL_SCALAR &&
	       v->tensor.type->dtype < DT_FP8E4B15;
}

static const Val *bound(FrontLower *low, const Val *v, const char *what)
{
	const Val *t = sem_to_tensor(low, v);
	if (t->kind == VAL_POISON || is_scalar_int(t))
		return t;
	return lower_error(low, DIAG_LOOP_BOUND, what, val_describe(low, t));
}

static bool is_unsigned(TlDtype d)
{
	return d == DT_INT1 || d == DT_UINT8 || d == DT_UINT16 || d == DT_UINT32 || d == DT_UINT64;
}

/* The wider one; of equal width the unsigned one (as integer operands are promoted). */
static TlType promote(TlType a, TlType b)
{
	if (a->ir->bits != b->ir->bits && is_unsigned(a->dtype) == is_unsigned(b->dtype))
		return a->ir->bits > b->ir->bits ? a : b;
	if (is_unsigned(a->dtype))
		return a->ir->bits >= b->ir->bits ? a : b;
	return b->ir->bits >= a->ir->bits ? b : a;
}

/* ---- signs ---- */

static bool is_positive(const IrValue *v, unsigned depth)
{
	const IrOp *op = v->def;
	int64_t n;
	if (ir_constant_int(v, &n))
		return n > 0;
	if (!op || depth > 8)
		return false;
	switch (op->kind) {
	case OP_NUM_PROGRAMS:
		return true;
	case OP_EXTSI: case OP_EXTUI:
		return is_positive(ir_operand(op, 0), depth + 1);
	case OP_MAXSI:
		return is_positive(ir_operand(op, 0), depth + 1) || is_positive(ir_operand(op, 1), depth + 1);
	case OP_ADDI: case OP_MULI: case OP_MINSI:
		return is_positive(ir_operand(op, 0), depth + 1) && is_positive(ir_operand(op, 1), depth + 1);
	default:
		return false;
	}
}

/* A constant that is the same number as a signed one? */
static bool is_small(const Val *v, const Val *given)
{
	int64_t n;
	unsigned bits = v->tensor.type->ir->bits;
	return (given->kind == VAL_INT || given->kind == VAL_BOOL) && val_as_int(given, &n) && n >= 0 &&
	       n <= (INT64_MAX >> (64 - bits));
}

/* ---- turns ---- */

static const Val *op2(FrontLower *low, AstBinOp op, const Val *l, const Val *r)
{
	return sem_arith(low, op, l, r, false);
}

/* Python's error of a step of 0. */
static void check_step(FrontLower *low, const Val *step)
{
	const Val *ok = sem_compare(low, CMP_NE, step, val_int(low, 0));
	IrValue *cond = ok->tensor.ir;
	IrOp *check = irb_op(&low->b, OP_ASSERT, &cond, 1, NULL, 0, 0);
	ir_set(low->m, check, ATTR_MESSAGE,
	       ir_attr_string(low->cx, str_of("range() arg 3 must not be zero")));
	ir_set(low->m, check, ATTR_IMPLIED, ir_attr_unit(low->cx));
}

/* A step that is known is above 0. How many turns, as an int64: (high - low - 1) / |step| + 1 where
 * low < high. More than an int64 holds nobody waits for. */
static const Val *turns(FrontLower *low, const Val *start, const Val *stop, const Val *step, int sign,
			bool known)
{
	bool is_signed = !is_unsigned(start->tensor.type->dtype);
	unsigned bits = start->tensor.type->ir->bits;
	TlType u = tl_scalar(low, bits == 64 ? DT_UINT64 : DT_UINT32), narrow = start->tensor.type;
	const Val *zero = val_int(low, 0), *one = val_int(low, 1), *first = start, *last = stop, *by = step;
	if (sign < 0) {
		first = stop;
		last = start;
	} else if (!sign) {
		const Val *up = sem_compare(low, CMP_GT, step, zero);
		first = sem_select(low, up, start, stop);
		last = sem_select(low, up, stop, start);
		by = sem_select(low, up, step, op2(low, BIN_SUB, sem_const_int(low, 0, narrow), step));
	}
	const Val *any = sem_compare(low, CMP_LT, first, last);
	TlType wide = is_signed ? tl_scalar(low, bits == 64 ? DT_INT64 : DT_INT32) : u;
	first = sem_cast(low, sem_cast(low, first, wide), u);
	last = sem_cast(low, sem_cast(low, last, wide), u);
	by = sem_cast(low, sem_cast(low, by, wide), u);
	if (!known)
		by = sem_select(low, sem_compare(low, CMP_EQ, by, zero), sem_const_int(low, 1, u), by);
	const Val *count =
		sem_binary(low, BIN_FLOORDIV, op2(low, BIN_SUB, op2(low, BIN_SUB, last, first), one), by);
	if (bits == 64)
		count = sem_minmax(low, false, count, sem_const_int(low, INT64_MAX - 1, u), false);
	count = op2(low, BIN_ADD, sem_cast(low, count, tl_scalar(low, DT_INT64)), one);
	return sem_select(low, any, count, sem_const_int(low, 0, tl_scalar(low, DT_INT64)));
}

static void count_turns(FrontLower *low, LoopRange *r, const Val *start, const Val *stop, const Val *step,
			int sign, bool known)
{
	TlType i64 = tl_scalar(low, DT_INT64);
	r->kind = RANGE_COUNTED;
	if (!known)
		check_step(low, step);
	r->start = start;
	r->step = sign < 0 ? op2(low, BIN_SUB, sem_const_int(low, 0, r->type), step) : step;
	r->from = sem_const_int(low, 0, i64);
	r->to = turns(low, start, stop, step, sign, known);
	r->by = sem_const_int(low, 1, i64);
	r->ok = r->to->kind != VAL_POISON;
}

/* ---- the whole ---- */

LoopRange loop_range(FrontLower *low, const Val *range)
{
	CONTRACT(range->kind == VAL_RANGE);
	LoopRange r = {.kind = RANGE_FORWARD, .type = tl_scalar(low, DT_INT32)};
	const Val *given[] = {range->range.start, range->range.stop};
	int64_t by;
	const Val *step =
		val_known_for(range->range.step, "a loop's step says when compiling which way it goes");
	bool backward = step->kind != VAL_TENSOR && val_as_int(step, &by) && by < 0 && by > INT64_MIN;
	if (backward)
		step = val_int(low, -by);
	const Val *start = bound(low, given[0], "lower bound"), *stop = bound(low, given[1], "upper bound");
	bool known = step->kind != VAL_TENSOR;
	if (known && val_as_int(step, &by) && by == 0)
		step = lower_error(low, DIAG_RANGE_STEP);
	step = bound(low, step, "step");
	r.ok = start->kind != VAL_POISON && stop->kind != VAL_POISON && step->kind != VAL_POISON;
	if (!r.ok)
		return r;
	known = known || is_positive(step->tensor.ir, 0);
	r.type = promote(promote(start->tensor.type, stop->tensor.type), step->tensor.type);
	start = sem_cast(low, start, r.type);
	stop = sem_cast(low, stop, r.type);
	step = sem_cast(low, step, r.type);
	bool is_counted = is_unsigned(r.type->dtype)
				  ? !known || !is_small(start, given[0]) || !is_small(stop, given[1])
				  : !known;
	if (is_counted) {
		count_turns(low, &r, start, stop, step,
			    backward				  ? -1
			    : known || is_unsigned(r.type->dtype) ? 1
								  : 0,
			    known);
		return r;
	}
	r.kind = backward ? RANGE_BACKWARD : RANGE_FORWARD;
	r.from = backward ? stop : start;
	r.to = backward ? start : stop;
	r.by = step;
	return r;
}

const Val *loop_range_at(FrontLower *low, const LoopRange *r, IrValue *turn)
{
	CONTRACT(turn->type);
	const Val *at = val_tensor(low, turn, r->kind == RANGE_COUNTED ? tl_scalar(low, DT_INT64) : r->type);
	if (r->kind == RANGE_FORWARD)
		return at;
	if (r->kind == RANGE_BACKWARD)
		return op2(low, BIN_ADD, op2(low, BIN_SUB, r->to, at), r->from);
	return op2(low, BIN_ADD, op2(low, BIN_MUL, sem_cast(low, at, r->type), r->step), r->start);
}

/* ---- loops that may be left ---- */

const Val *loop_range_any(FrontLower *low, const LoopRange *r)
{
	return val_tensor(low, irb_cmpi(&low->b, CMPI_SLT, r->from->tensor.ir, r->to->tensor.ir),
			tl_scalar(low, DT_INT1));
}

const Val *loop_range_more(FrontLower *low, const LoopRange *r, IrValue *turn)
{
	IrValue *left = irb_2(&low->b, OP_SUBI, turn->type, r->to->tensor.ir, turn);
	return val_tensor(low, irb_cmpi(&low->b, CMPI_UGT, left, r->by->tensor.ir), tl_scalar(low, DT_INT1));
}

const Val *loop_range_next(FrontLower *low, const LoopRange *r, IrValue *turn)
{
	return val_tensor(low, irb_2(&low->b, OP_ADDI, turn->type, turn, r->by->tensor.ir),
			r->from->tensor.type);
}
