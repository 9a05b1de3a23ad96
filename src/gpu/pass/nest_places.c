/* Values of a tile's first step in front of the loop over its steps, and of its last step behind
 * it (nest_loops.c). What is carried by that loop is a result of it; what is computed of that is
 * computed once more. A first round asks whether all can be had, and notes what more the loop has
 * to give. */
#include "gpu/pass/nest.h"

/* What a step hands on to the next one of its tile. */
static const IrValue *carried_on(const Nest *n, uint32_t number)
{
	const IrValue *v = ir_operand(n->yield, number);
	for (unsigned i = 0; i < NEST_DEEP && nest_is_last(n, v->def); i++)
		v = nest_value(n, v->def, v->index, false);
	return v;
}

/* What the loop inside carries for it is the same in all of its steps. */
static bool is_held(const Nest *n, const IrValue *arg)
{
	const IrValue *next = carried_on(n, arg->index - 1);
	if (nest_is_first(n, next->def))
		next = nest_value(n, next->def, next->index, false);
	return next == arg;
}

typedef struct Operands {
	NestPlace *place;
	const IrOp *root;
	bool good;
} Operands;

static bool take_operands(void *data, IrOp *op)
{
	Operands *o = data;
	for (uint32_t i = 0; i < op->operand_count && o->good; i++) {
		IrValue *v = ir_operand(op, i);
		if (op == o->root || ir_is_defined_outside(v, o->root))
			o->good = nest_take(o->place, v) != NULL;
	}
	return o->good;
}

/* The op, with regions that it has, at that place. */
static bool take_op(NestPlace *p, IrOp *op)
{
	Operands o = {p, op, true};
	if (!take_operands(&o, op) || !ir_walk(op, false, take_operands, &o))
		return false;
	if (p->b) {
		IrOp *copy = ir_clone(p->nest->m, op, &p->map, NULL, NULL);
		if (p->b->before)
			ir_op_insert_before(copy, p->b->before);
		else
			ir_op_append(p->b->block, copy);
	}
	return true;
}

static bool take_branch(NestPlace *p, const IrOp *branch)
{
	const IrBlock *taken = nest_side(p->nest, branch, true);
	bool good = true;
	for (IrOp *op = taken->first; op != taken->last && good; op = op->next) {
		for (uint32_t i = 0; i < op->result_count && !p->b; i++)
			p->seen[op->results[i].id] = true;
		good = take_op(p, op);
	}
	return good;
}

/* Of the last step, as a result of the loop inside. */
static IrValue *result_of_inner(NestPlace *p, IrValue *v)
{
	const Nest *n = p->nest;
	for (uint32_t i = 0; i < n->yield->operand_count; i++)
		if (carried_on(n, i) == v)
			return p->b ? &n->inner->results[i] : v;
	for (uint32_t i = 0; i < n->more.len; i++)
		if (n->more.data[i] == v)
			return p->b ? &n->inner->results[n->yield->operand_count + i] : v;
	return NULL;
}

/* Likewise, of what nobody carries yet. */
static IrValue *one_more_result(NestPlace *p, IrValue *v)
{
	if (p->b || !ir_is_scalar(v->type))
		return NULL;
	vec_push(p->nest->cx->scratch, &p->nest->more, v);
	return v;
}

static IrValue *take_carried(NestPlace *p, IrValue *v)
{
	const Nest *n = p->nest;
	if (v->index == 0 || v == n->counter)
		return NULL;
	if (!p->last)
		return p->b ? NULL : v; /* they are in the map */
	if (is_held(n, v))
		return p->b ? ir_operand(n->inner, 2 + v->index) : v;
	IrValue *result = result_of_inner(p, v);
	return result ? result : one_more_result(p, v);
}

static IrValue *take_anew(NestPlace *p, IrValue *v)
{
	Nest *n = p->nest;
	IrOp *op = v->def;
	if (v == n->step)
		return p->b ? n->end : v; /* of the first step it is in the map */
	if (v->block)
		return take_carried(p, v);
	if (op == n->quotient)
		return p->b ? n->tile : v;
	if (p->last ? nest_is_last(n, op) : nest_is_first(n, op))
		return nest_take(p, nest_value(n, op, v->index, true));
	if (p->last && nest_is_first(n, op))
		return nest_take(p, nest_value(n, op, v->index, false));
	IrValue *result = p->last && !nest_varies(n, v) ? result_of_inner(p, v) : NULL;
	if (result)
		return result;
	if (nest_computes(op))
		return !take_op(p, op) ? NULL : p->b ? ir_mapping_get(&p->map, v) : v;
	return p->last && !nest_varies(n, v) ? one_more_result(p, v) : NULL;
}

IrValue *nest_take(NestPlace *p, IrValue *v)
{
	if (nest_is_outside(p->nest, v) || (!p->b && p->seen[v->id]))
		return v;
	IrValue *known = ir_mapping_get(&p->map, v);
	if (known != v)
		return known;
	IrValue *made = take_anew(p, v);
	if (made && p->b)
		ir_mapping_put(&p->map, v, made);
	else if (made)
		p->seen[v->id] = true;
	return made;
}

NestPlace nest_place(Nest *n, bool last, IrBuilder *b)
{
	NestPlace p = {.nest = n, .last = last, .b = b};
	ir_mapping_init(&p.map, n->cx->scratch);
	if (!b)
		p.seen = ARENA_ARRAY(n->cx->scratch, bool, n->values + 1);
	return p;
}

bool nest_take_first(NestPlace *p)
{
	const Nest *n = p->nest;
	bool good = true;
	for (uint32_t i = 0; i < n->first.len && good; i++)
		if (n->first.data[i]->kind == OP_IF)
			good = take_branch(p, n->first.data[i]);
	for (uint32_t i = 0; i < n->loop->result_count && good; i++)
		good = !n->fresh[i] || nest_take(p, n->fresh[i]);
	return good;
}

bool nest_take_last(NestPlace *p)
{
	const Nest *n = p->nest;
	bool good = true;
	for (uint32_t i = 0; i < n->last.len && good; i++)
		if (n->last.data[i]->kind == OP_IF)
			good = take_branch(p, n->last.data[i]);
	for (uint32_t i = 0; i < n->loop->result_count && good; i++)
		good = nest_take(p, ir_operand(n->yield, i)) != NULL;
	return good;
}

