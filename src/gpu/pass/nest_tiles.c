/* What goes from tile to tile in a nested loop (nest_loops.c), told by the tile's number. */
#include "gpu/pass/nest.h"

typedef struct Outer {
	PassCx *cx;
	IrOp *loop;
	IrBlock *body;
	const IrOp *yield;
} Outer;

static IrValue *start_of(const Outer *o, uint32_t i) { return ir_operand(o->loop, 3 + i); }
static IrValue *next_of(const Outer *o, uint32_t i) { return ir_operand(o->yield, i); }

/* What is added to it for each tile, always the same; NULL: it is no such number. */
static IrValue *added_to(const Outer *o, uint32_t i)
{
	const IrValue *arg = o->body->args[1 + i];
	const IrOp *add = next_of(o, i)->def;
	if (arg->type != o->body->args[0]->type || !add || add->kind != OP_ADDI ||
	    (ir_operand(add, 0) != arg && ir_operand(add, 1) != arg))
		return NULL;
	IrValue *by = ir_operand(add, ir_operand(add, 0) == arg ? 1 : 0);
	return ir_is_defined_outside(by, o->loop) ? by : NULL;
}

typedef struct Twin {
	const Outer *outer;
	uint32_t number; /* of what is carried and goes up */
	IrMapping starts; /* what is computed in the loop -> the same of the first tile */
	unsigned left;	  /* ops that are looked at */
} Twin;

/* Are both computed in one way, of the first tile's number the one, of the next one's the other? */
static bool are_twins(Twin *t, IrValue *start, IrValue *next)
{
	if (start == next || (start == start_of(t->outer, t->number) && next == next_of(t->outer, t->number)))
		return true;
	const IrOp *a = start->def, *b = next->def;
	IrValue *known = ir_mapping_get(&t->starts, next);
	if (known != next)
		return known == start;
	bool same = a && b && t->left && a->kind == b->kind && start->index == next->index &&
		    nest_computes(a) && a->operand_count == b->operand_count && start->type == next->type &&
		    ir_same_attrs(a, b);
	t->left -= t->left > 0;
	for (uint32_t i = 0; same && i < a->operand_count; i++)
		same = are_twins(t, ir_operand(a, i), ir_operand(b, i));
	if (same)
		ir_mapping_put(&t->starts, next, start);
	return same;
}

/* Carried, and computed of the number alone, as a place is that the last step of the tile before
 * computes: computed of it in front of the tile's steps, where loads' addresses are seen to be
 * tiles of a tensor, and no thread holds it meanwhile. */
static void compute_of_number(const Outer *o, uint32_t number)
{
	enum { MOST = 256 };
	IrOp *front = o->body->first;
	IrMapping map;
	ir_mapping_init(&map, o->cx->scratch);
	ir_mapping_put(&map, next_of(o, number), o->body->args[1 + number]);
	for (uint32_t i = 0; i < o->loop->result_count; i++) {
		Twin t = {.outer = o, .number = number, .left = MOST};
		ir_mapping_init(&t.starts, o->cx->scratch);
		if (i != number && are_twins(&t, start_of(o, i), next_of(o, i)))
			ir_replace_uses(o->body->args[1 + i], ir_clone_value(o->cx->module, next_of(o, i),
									      o->loop, &map, front));
	}
}

/* The number of the tile, which the loop counts, tells it: a sum of what is not negative, where it
 * is none. */
static void tell_by_tile(const Outer *o, uint32_t number, IrValue *by)
{
	IrValue *arg = o->body->args[1 + number], *next = next_of(o, number), *start = start_of(o, number);
	IrBuilder b = ir_at(o->cx->module, o->body->first), front = ir_at(o->cx->module, o->loop);
	IrValue *way = irb_2(&b, OP_MULI, NULL, o->body->args[0], by);
	const IrOp *less = start->def;
	bool begins = less && less->kind == OP_SUBI && ir_operand(less, 1) == by;
	IrValue *second = begins ? ir_operand(less, 0) : irb_2(&front, OP_ADDI, NULL, start, by);
	ir_replace_uses(next, irb_2(&b, OP_ADDI, NULL, second, way));
	ir_replace_uses(arg, irb_2(&b, OP_ADDI, NULL, start, way));
}

void nest_tell_by_number(PassCx *cx, IrOp *loop)
{
	IrBlock *body = loop->regions[0].first;
	Outer o = {cx, loop, body, ir_terminator(body)};
	for (uint32_t i = 0; i < loop->result_count; i++)
		if (added_to(&o, i))
			compute_of_number(&o, i);
	for (uint32_t i = 0; i < loop->result_count; i++) {
		IrValue *by = added_to(&o, i);
		if (by)
			tell_by_tile(&o, i, by);
	}
}

