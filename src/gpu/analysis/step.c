#include "gpu/analysis/step.h"

/* MOST: values that are looked at. FEW: what wraps after fewer elements lies in no row. */
enum { MOST = 200, FEW = 32 };

#define FAR (INT64_C(1) << 40)     /* some steps that are not known, or large */
#define UNKNOWN (INT64_C(1) << 62) /* nothing is known */

static int64_t step_of(const IrCx *cx, const IrValue *v, unsigned dim, unsigned *left);

static int64_t sum(int64_t a, int64_t b)
{
	if (a == UNKNOWN || b == UNKNOWN)
		return UNKNOWN;
	return a == FAR || b == FAR ? FAR : a + b;
}

static int64_t product(int64_t step, int64_t by)
{
	int64_t most = FAR / (by < 0 ? -by : MAX(by, 1));
	return step == UNKNOWN || step == FAR || step > most || step < -most ? MIN(step, FAR) : step * by;
}

/* Of a number times something that is the same along the dim. */
static int64_t scaled(const IrValue *by, int64_t step)
{
	int64_t c;
	if (step == 0 || step == UNKNOWN)
		return step;
	return ir_constant_int(by, &c) ? product(step, c) : FAR;
}

/* A quotient stays, a remainder goes on. */
static int64_t divided(const IrOp *op, int64_t step, int64_t by_step)
{
	int64_t c = 0;
	bool known = ir_constant_int(ir_operand(op, 1), &c), remainder = op->kind == OP_REMSI || op->kind == OP_REMUI;
	if (step == UNKNOWN || by_step != 0)
		return UNKNOWN;
	if (known && (c < FEW || step >= c))
		return step == 0 ? 0 : UNKNOWN;
	return remainder ? step : 0;
}

static int64_t step_of_arith(const IrCx *cx, const IrOp *op, unsigned dim, unsigned *left)
{
	int64_t a = step_of(cx, ir_operand(op, 0), dim, left), b = step_of(cx, ir_operand(op, 1), dim, left);
	switch (op->kind) {
	case OP_ADDPTR:
	case OP_ADDI:
		return sum(a, b);
	case OP_SUBI:
		return sum(a, b == UNKNOWN || b == FAR ? b : -b);
	case OP_MULI:
		return a == 0 ? scaled(ir_operand(op, 0), b) : b == 0 ? scaled(ir_operand(op, 1), a) : UNKNOWN;
	default:
		return divided(op, a, b);
	}
}

static const IrValue *before_loop(const IrValue *v)
{
	const IrOp *loop = v->block ? v->block->region->op : NULL;
	return loop && loop->kind == OP_FOR && v->index ? ir_operand(loop, 3 + v->index - 1) : NULL;
}

static int64_t step_of(const IrCx *cx, const IrValue *v, unsigned dim, unsigned *left)
{
	const IrOp *op = v->def;
	if (!ir_is_tensor(v->type) || v->type->shape[dim] == 1 || ir_constant_of(v))
		return 0;
	if (!*left)
		return UNKNOWN;
	--*left;
	if (!op)
		return before_loop(v) ? step_of(cx, before_loop(v), dim, left) : UNKNOWN;
	switch (op->kind) {
	case OP_MAKE_RANGE:
		return 1;
	case OP_SPLAT:
		return 0;
	case OP_EXPAND_DIMS: {
		unsigned axis = (unsigned)ir_get_int(op, cx, ATTR_AXIS, 0);
		return dim == axis ? 0 : step_of(cx, ir_operand(op, 0), dim - (dim > axis), left);
	}
	case OP_BROADCAST:
	case OP_CONVERT_LAYOUT:
	case OP_EXTSI:
	case OP_EXTUI:
	case OP_TRUNCI:
		return step_of(cx, ir_operand(op, 0), dim, left);
	case OP_ADDPTR:
	case OP_ADDI:
	case OP_SUBI:
	case OP_MULI:
	case OP_DIVSI:
	case OP_DIVUI:
	case OP_REMSI:
	case OP_REMUI:
		return step_of_arith(cx, op, dim, left);
	default:
		return UNKNOWN;
	}
}

bool step_is_one(const IrCx *cx, const IrValue *pointers, unsigned dim)
{
	unsigned left = MOST;
	return step_of(cx, pointers, dim, &left) == 1;
}
