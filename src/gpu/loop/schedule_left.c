/* Loops with an early exit: what may be prefetched.
 *
 * Whether an iteration comes is predicted where it depends only on scalars that can be computed
 * ahead: counters, arguments, loads indexed by them. Then a load is issued only if its iteration
 * comes. Otherwise it is speculative and must be harmless: a descriptor has bounds, and a mask
 * that compares what varies between iterations with what does not says where memory ends. */
#include "gpu/loop/schedule_int.h"

#include "ir/enums.h"

/* ---- the condition ---- */

/* Is it computed from scalars alone, of this iteration? */
static bool is_of_scalars(const ScheduleCx *d, const IrValue *v, uint8_t *met)
{
	const IrOp *op = v->def;
	if (ir_is_defined_outside(v, d->s->loop) || !op || met[v->id])
		return true;
	met[v->id] = 1;
	if (op->region_count || ir_is_tensor(v->type))
		return false;
	for (uint32_t i = 0; i < op->operand_count; i++)
		if (!is_of_scalars(d, ir_operand(op, i), met))
			return false;
	return true;
}

bool schedule_is_scalar_ahead(ScheduleCx *d, const IrValue *v)
{
	CONTRACT(v->id < d->values);
	return is_of_scalars(d, v, ARENA_ARRAY(d->arena, uint8_t, d->values)) && schedule_can_be_ahead(d, v);
}

/* The parts of a conjunction that can be computed ahead; false: there are others. */
static bool add_parts(ScheduleCx *d, IrValue *v)
{
	bool is_and = v->def && v->def->kind == OP_ANDI && !ir_is_defined_outside(v, d->s->loop);
	if (is_and) {
		bool left = add_parts(d, ir_operand(v->def, 0));
		return add_parts(d, ir_operand(v->def, 1)) && left;
	}
	if (!schedule_is_scalar_ahead(d, v))
		return false;
	vec_push(d->arena, &d->s->comes, v);
	return true;
}

void schedule_leaving(ScheduleCx *d)
{
	CONTRACT(!d->s->rule);
	Schedule *s = d->s;
	if (!ir_get_bool(s->loop, d->gpu->ir, ATTR_LEFT))
		return;
	IrValue *more = ir_operand(s->loop->regions[0].first->last, 0);
	s->left = SCHEDULE_PREDICTED;
	if (add_parts(d, more))
		return;
	s->left = SCHEDULE_GUESSED;
	s->comes.len = 0;
	add_parts(d, more);
}

/* ---- loads ---- */

static bool is_order(int64_t predicate)
{
	return predicate != CMPI_EQ && predicate != CMPI_NE;
}

/* Does it stay the same in all iterations? */
static bool stays(const ScheduleCx *d, const IrValue *v, uint8_t *met)
{
	if (ir_is_defined_outside(v, d->s->loop))
		return true;
	if (!v->def || !ir_is_pure(v->def) || v->def->region_count)
		return false;
	if (met[v->id])
		return met[v->id] == 1;
	met[v->id] = 1;
	for (uint32_t i = 0; i < v->def->operand_count; i++)
		if (!stays(d, ir_operand(v->def, i), met)) {
			met[v->id] = 2;
			return false;
		}
	return true;
}

/* Does it move from iteration to iteration, and not by what is loaded? */
static bool moves(const ScheduleCx *d, const IrValue *v, uint8_t *met)
{
	const IrBlock *body = d->s->loop->regions[0].first;
	if (ir_is_defined_outside(v, d->s->loop) || met[v->id])
		return true;
	met[v->id] = 1;
	if (v->block == body && v->index > 0)
		return moves(d, ir_operand(body->last, v->index - 1), met);
	if (!v->def || !ir_is_pure(v->def) || v->def->region_count)
		return false;
	for (uint32_t i = 0; i < v->def->operand_count; i++)
		if (!moves(d, ir_operand(v->def, i), met))
			return false;
	return true;
}

static bool is_bound(const ScheduleCx *d, const IrOp *compare)
{
	if (!is_order(ir_get_int(compare, d->gpu->ir, ATTR_PREDICATE, CMPI_EQ)))
		return false;
	for (unsigned k = 0; k < 2; k++) {
		const IrValue *one = ir_operand(compare, k), *other = ir_operand(compare, 1 - k);
		uint8_t *met = ARENA_ARRAY(d->arena, uint8_t, d->values);
		if (stays(d, other, met) && !stays(d, one, met) &&
		    moves(d, one, ARENA_ARRAY(d->arena, uint8_t, d->values)))
			return true;
	}
	return false;
}

static bool has_bound(const ScheduleCx *d, const IrValue *mask)
{
	const IrOp *op = mask->def;
	if (!op || ir_is_defined_outside(mask, d->s->loop))
		return false;
	switch (op->kind) {
	case OP_ANDI:
		return has_bound(d, ir_operand(op, 0)) || has_bound(d, ir_operand(op, 1));
	case OP_SPLAT:
	case OP_BROADCAST:
	case OP_EXPAND_DIMS:
	case OP_CONVERT_LAYOUT:
		return has_bound(d, ir_operand(op, 0));
	case OP_CMPI:
		return is_bound(d, op);
	default:
		return false;
	}
}

bool schedule_is_harmless(ScheduleCx *d, const IrOp *load)
{
	CONTRACT(load->operand_count > 0);
	return load->kind != OP_LOAD || (load->operand_count > 1 && has_bound(d, ir_operand(load, 1)));
}
