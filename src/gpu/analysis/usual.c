/* A walk over the inputs of the pointers. Sizes and strides that are no constants are assumed
 * large, so a quotient by one mostly stays the same, and a remainder by one mostly increases. */
#include "gpu/analysis/usual.h"

/* FEW: what wraps after fewer elements lies in no row. */
enum { MOST_VISITS = 200, FAR = 1 << 20, FEW = 32 };

typedef enum Step {
	STEP_NONE, /* the same */
	STEP_ONE,
	STEP_FAR,  /* a multiple of Steps.by */
	STEP_UNKNOWN,
} Step;

typedef struct Steps {
	Step of[IR_MAX_RANK];
	int64_t by[IR_MAX_RANK];
	bool exact[IR_MAX_RANK]; /* it is `by`, not only a multiple */
} Steps;

typedef struct Walk {
	const AxisMap *map;
	const IrCx *ir;
	unsigned visits;
} Walk;

static Steps steps_of(Walk *w, const IrValue *v);

static Steps all(Step step)
{
	Steps s;
	for (unsigned d = 0; d < IR_MAX_RANK; d++) {
		s.of[d] = step;
		s.by[d] = 1;
		s.exact[d] = false;
	}
	return s;
}

static Steps sum(Steps a, Steps b)
{
	for (unsigned d = 0; d < IR_MAX_RANK; d++) {
		if (a.of[d] == STEP_NONE) {
			a.of[d] = b.of[d];
			a.by[d] = b.by[d];
			a.exact[d] = b.exact[d];
		} else if (a.of[d] == STEP_UNKNOWN || b.of[d] == STEP_UNKNOWN) {
			a.of[d] = STEP_UNKNOWN;
		} else if (b.of[d] != STEP_NONE) {
			a.by[d] = MIN(a.of[d] == STEP_FAR ? a.by[d] : 1, b.of[d] == STEP_FAR ? b.by[d] : 1);
			a.of[d] = STEP_FAR;
			a.exact[d] = false;
		}
	}
	return a;
}

/* Times something that every element of is a multiple of `by`, or is `by`. */
static Steps product(Steps a, const Steps *scale, int64_t by, bool exact)
{
	for (unsigned d = 0; d < IR_MAX_RANK; d++) {
		if (scale->of[d] != STEP_NONE) {
			a.of[d] = STEP_UNKNOWN;
		} else if (a.of[d] == STEP_ONE || a.of[d] == STEP_FAR) {
			a.exact[d] = exact && by < FAR && (a.of[d] == STEP_ONE || a.exact[d]);
			a.by[d] = a.of[d] == STEP_FAR ? MIN(a.by[d] * by, FAR) : by;
			a.of[d] = STEP_FAR;
		}
	}
	return a;
}

/* Of a value that is the same everywhere; at most FAR. */
static int64_t multiple_of(const AxisInfo *info)
{
	int64_t most = 1;
	if (info && info->known)
		return info->value > 0 ? MIN(info->value, FAR) : FAR;
	for (unsigned d = 0; info && d < info->rank; d++)
		most = MAX(most, info->divisibility[d]);
	return MIN(most, FAR);
}

static bool is_same(const Steps *s)
{
	for (unsigned d = 0; d < IR_MAX_RANK; d++)
		if (s->of[d] != STEP_NONE)
			return false;
	return true;
}

static Steps of_product(Walk *w, const IrOp *op)
{
	const AxisInfo *info[2] = {axis_of(w->map, ir_operand(op, 0)), axis_of(w->map, ir_operand(op, 1))};
	Steps s[2] = {steps_of(w, ir_operand(op, 0)), steps_of(w, ir_operand(op, 1))};
	unsigned scale = is_same(&s[0]) ? 0 : 1;
	if (info[scale] && info[scale]->known && info[scale]->value == 1)
		return s[1 - scale];
	bool exact = info[scale] && info[scale]->known && info[scale]->value > 0;
	return product(s[1 - scale], &s[scale], multiple_of(info[scale]), exact);
}

/* By something that is the same everywhere. */
static Steps of_division(Walk *w, const IrOp *op, Step goes_on)
{
	Steps s = steps_of(w, ir_operand(op, 0)), by = steps_of(w, ir_operand(op, 1));
	const AxisInfo *info = axis_of(w->map, ir_operand(op, 1));
	bool few = info && info->known && info->value < FEW;
	for (unsigned d = 0; d < IR_MAX_RANK; d++) {
		if (by.of[d] != STEP_NONE || s.of[d] >= STEP_FAR || (few && s.of[d] == STEP_ONE))
			s.of[d] = s.of[d] == STEP_NONE && by.of[d] == STEP_NONE ? STEP_NONE : STEP_UNKNOWN;
		else if (s.of[d] == STEP_ONE)
			s.of[d] = goes_on;
	}
	return s;
}

static Steps of_new_dim(const Steps *s, unsigned axis)
{
	Steps out = all(STEP_NONE);
	for (unsigned d = 0, from = 0; d < IR_MAX_RANK; d++) {
		if (d == axis)
			continue;
		out.of[d] = s->of[from];
		out.exact[d] = s->exact[from];
		out.by[d] = s->by[from++];
	}
	return out;
}

static Steps of_op(Walk *w, const IrOp *op)
{
	Steps s;
	switch (op->kind) {
	case OP_EXPAND_DIMS:
		s = steps_of(w, ir_operand(op, 0));
		return of_new_dim(&s, (unsigned)ir_get_int(op, w->ir, ATTR_AXIS, 0));
	case OP_BROADCAST:
	case OP_CONVERT_LAYOUT:
	case OP_EXTSI:
	case OP_EXTUI:
	case OP_TRUNCI:
		return steps_of(w, ir_operand(op, 0));
	case OP_ADDI:
	case OP_ADDPTR:
		return sum(steps_of(w, ir_operand(op, 0)), steps_of(w, ir_operand(op, 1)));
	case OP_MULI:
		return of_product(w, op);
	case OP_DIVSI:
	case OP_DIVUI:
		return of_division(w, op, STEP_NONE);
	case OP_REMSI:
	case OP_REMUI:
		return of_division(w, op, STEP_ONE);
	default:
		return all(STEP_UNKNOWN);
	}
}

/* What a loop carries steps as what it starts with; NULL: it is no such value. */
static const IrValue *before_loop(const IrValue *v)
{
	const IrOp *loop = v->block ? v->block->region->op : NULL;
	return loop && loop->kind == OP_FOR && v->index ? ir_operand(loop, v->index + 2) : NULL;
}

static Steps of_value(Walk *w, const IrValue *v)
{
	if (v->def)
		return of_op(w, v->def);
	return before_loop(v) ? steps_of(w, before_loop(v)) : all(STEP_UNKNOWN);
}

/* What is known for certain goes first. */
static Steps steps_of(Walk *w, const IrValue *v)
{
	const AxisInfo *info = axis_of(w->map, v);
	Steps s = all(STEP_NONE);
	bool certain = true;
	if (!ir_is_tensor(v->type))
		return s;
	for (unsigned d = 0; d < v->type->rank; d++) {
		bool same = info && info->constancy[d] >= v->type->shape[d];
		bool one = info && info->contiguity[d] >= v->type->shape[d];
		s.of[d] = same ? STEP_NONE : one ? STEP_ONE : STEP_UNKNOWN;
		certain = certain && (same || one);
	}
	if (certain || ++w->visits > MOST_VISITS)
		return s;
	Steps usual = of_value(w, v);
	for (unsigned d = 0; d < v->type->rank; d++) {
		if (s.of[d] == STEP_UNKNOWN) {
			s.of[d] = usual.of[d];
			s.by[d] = usual.by[d];
			s.exact[d] = usual.exact[d];
		}
	}
	return s;
}

UsualRow usual_row(const AxisMap *map, const IrCx *ir, const IrValue *pointers)
{
	CONTRACT(ir_is_tensor(pointers->type));
	Walk w = {.map = map, .ir = ir};
	Steps s = steps_of(&w, pointers);
	UsualRow row = {0};
	unsigned rank = pointers->type->rank, far = 0;
	for (unsigned d = rank; d-- > 0 && !row.any;)
		row = s.of[d] == STEP_ONE ? (UsualRow){true, d, true, 1} : row;
	for (unsigned d = rank; d-- > 0 && !row.any;)
		far += s.of[d] == STEP_FAR;
	if (rank == 1 && far && s.exact[0])
		return (UsualRow){true, 0, false, s.by[0]};
	if (row.any || far < 2)
		return row;
	/* The nearest of those that are far, if one is. */
	unsigned near = rank;
	bool equal = false;
	for (unsigned d = rank; d-- > 0;) {
		if (s.of[d] == STEP_UNKNOWN)
			return row;
		if (s.of[d] != STEP_FAR)
			continue;
		equal = near < rank && s.by[d] == s.by[near];
		near = near == rank || s.by[d] < s.by[near] ? d : near;
	}
	return equal ? row : (UsualRow){true, near, false, s.exact[near] ? s.by[near] : 0};
}
