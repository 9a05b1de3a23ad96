/* From count-loops to uncount-loops (pass/count_loops.c) a loop with an early exit is counted, as
 * an scf.for that carries whether another iteration comes:
 *
 *	more, values = test(init)              more, values = test(init)
 *	while more:                            for t = 0 to most, more, go = more, values:
 *	    body                                   body
 *	    more, values = test(next)              more, values = test(next)
 *	                                           go = go and what is known ahead
 *
 * Afterwards it is a while again, whose test is `more`. In between, `go` of iteration k does what
 * `exists` does in a loop with known bounds. */
#include "gpu/pipeline/left.h"

#include "gpu/memory/tensor_copies.h"

enum { LEFT_INITS = 3 /* operands of scf.for in front of what it carries */ };

/* ---- scf.while -> scf.for ---- */

typedef struct Holds {
	bool loads, dots, stops;
} Holds;

static bool visit_body(void *data, IrOp *op)
{
	Holds *h = data;
	/* Whether the loop ends may be what others say, who have written what is loaded then. */
	h->stops |= op->kind == OP_FOR || op->kind == OP_WHILE || ir_is_volatile(op);
	h->dots |= schedule_is_dot(op);
	h->loads |= (op->kind == OP_LOAD || op->kind == OP_DESC_LOAD) && ir_is_tensor(op->results[0].type);
	return !h->stops;
}

/* A test that computes and loads can stand at the end of the body as well. */
static bool can_move_test(const IrBlock *test)
{
	for (const IrOp *op = test->first; op != test->last; op = op->next)
		if (op->region_count || (!ir_is_pure(op) && op->kind != OP_LOAD))
			return false;
	return true;
}

/* The test once more, of `args`; what its scf.condition says. */
static IrOp *copy_test(IrBuilder *b, Arena *scratch, const IrBlock *test, IrValue *const *args)
{
	IrMapping map;
	IrOp *copy = NULL;
	ir_mapping_init(&map, scratch);
	for (uint32_t i = 0; i < test->arg_count; i++)
		ir_mapping_put(&map, test->args[i], args[i]);
	for (const IrOp *op = test->first; op; op = op->next) {
		copy = ir_clone(b->m, op, &map, NULL, NULL);
		if (b->before)
			ir_op_insert_before(copy, b->before);
		else
			ir_op_append(b->block, copy);
	}
	return copy;
}

static IrValue **operands_of(Arena *scratch, const IrOp *op)
{
	IrValue **list = ARENA_ARRAY(scratch, IrValue *, op->operand_count + 1);
	for (uint32_t i = 0; i < op->operand_count; i++)
		list[i] = ir_operand(op, i);
	return list;
}

/* The body, with the counter, `more` and `go` in front of its arguments. */
static IrBlock *copy_body(IrModule *m, GpuCx *gpu, Arena *scratch, const IrOp *loop, IrType counter)
{
	const IrBlock *body = loop->regions[1].first;
	IrBlock *made = ir_block_new(m, NULL);
	IrType i1 = ir_scalar(gpu->ir, TY_I1);
	IrMapping map;
	ir_mapping_init(&map, scratch);
	ir_block_arg_add(m, made, counter, loop->loc);
	ir_block_arg_add(m, made, i1, loop->loc);
	IrValue *go = ir_block_arg_add(m, made, i1, loop->loc);
	for (uint32_t i = 0; i < body->arg_count; i++)
		ir_mapping_put(&map, body->args[i],
			       ir_block_arg_add(m, made, body->args[i]->type, ir_value_loc(body->args[i])));
	for (const IrOp *op = body->first; op != body->last; op = op->next)
		ir_op_append(made, ir_clone(m, op, &map, NULL, NULL));
	IrValue **next = operands_of(scratch, body->last);
	for (uint32_t i = 0; i < body->last->operand_count; i++)
		next[i] = ir_mapping_get(&map, next[i]);
	IrBuilder b = ir_at_end(m, made, body->last->loc);
	IrOp *condition = copy_test(&b, scratch, loop->regions[0].first, next);
	IrValue **yielded = ARENA_ARRAY(scratch, IrValue *, condition->operand_count + 1);
	yielded[0] = ir_operand(condition, 0);
	yielded[1] = go;
	for (uint32_t i = 1; i < condition->operand_count; i++)
		yielded[i + 1] = ir_operand(condition, i);
	uint32_t count = condition->operand_count + 1;
	ir_op_erase(condition);
	irb_op(&b, OP_YIELD, yielded, count, NULL, 0, 0);
	return made;
}

IrOp *left_count(IrModule *m, GpuCx *gpu, Arena *scratch, IrOp *loop)
{
	CONTRACT(loop->kind == OP_WHILE);
	const IrBlock *test = loop->regions[0].first;
	Holds holds = {0};
	ir_walk(loop, false, visit_body, &holds);
	bool asks = holds.dots || ir_get(loop, gpu->ir, ATTR_NUM_STAGES);
	if (holds.stops || !holds.loads || !asks || !can_move_test(test))
		return NULL;
	IrType i32 = ir_scalar(gpu->ir, TY_I32);
	IrBuilder b = ir_at(m, loop);
	IrOp *condition = copy_test(&b, scratch, test, operands_of(scratch, loop));
	uint32_t carried = condition->operand_count + 1;
	IrValue **operands = ARENA_ARRAY(scratch, IrValue *, LEFT_INITS + carried);
	IrType *types = ARENA_ARRAY(scratch, IrType, carried);
	operands[0] = irb_int(&b, i32, 0);
	operands[1] = irb_3(&b, OP_SELECT, i32, ir_operand(condition, 0), irb_int(&b, i32, INT32_MAX),
			    irb_int(&b, i32, 0));
	operands[2] = irb_int(&b, i32, 1);
	operands[LEFT_INITS] = operands[LEFT_INITS + 1] = ir_operand(condition, 0);
	for (uint32_t i = 1; i < condition->operand_count; i++)
		operands[LEFT_INITS + 1 + i] = ir_operand(condition, i);
	for (uint32_t i = 0; i < carried; i++)
		types[i] = operands[LEFT_INITS + i]->type;
	ir_op_erase(condition);
	IrOp *made = irb_op(&b, OP_FOR, operands, LEFT_INITS + carried, types, carried, 1);
	for (uint32_t i = 0; i < loop->attr_count; i++)
		ir_set_named(m, made, loop->attrs[i].name, loop->attrs[i].value);
	ir_set(m, made, ATTR_LEFT, ir_attr_unit(gpu->ir));
	ir_block_append(&made->regions[0], copy_body(m, gpu, scratch, loop, i32));
	for (uint32_t i = 0; i < loop->result_count; i++)
		ir_replace_uses(&loop->results[i], &made->results[i + LEFT_GO]);
	ir_op_erase(loop);
	return made;
}

/* ---- and back ---- */

IrOp *left_uncount(IrModule *m, Arena *scratch, IrOp *loop)
{
	CONTRACT(loop->kind == OP_FOR);
	uint32_t count = loop->result_count;
	IrBlock *body = loop->regions[0].first, *test = ir_block_new(m, NULL);
	IrType *types = ARENA_ARRAY(scratch, IrType, count);
	IrValue **values = ARENA_ARRAY(scratch, IrValue *, count + 1);
	for (uint32_t i = 0; i < count; i++) {
		types[i] = loop->results[i].type;
		values[i + 1] = ir_block_arg_add(m, test, types[i], ir_value_loc(body->args[i + 1]));
	}
	values[0] = values[LEFT_MORE];
	IrBuilder at_end = ir_at_end(m, test, loop->loc);
	irb_op(&at_end, OP_CONDITION, values, count + 1, NULL, 0, 0);
	IrOp *made = ir_op_new(m, OP_WHILE, loop->loc, operands_of(scratch, loop) + LEFT_INITS, count, types,
			       count, 2);
	for (uint32_t i = 0; i < loop->attr_count; i++)
		ir_set_named(m, made, loop->attrs[i].name, loop->attrs[i].value);
	ir_set(m, made, ATTR_LEFT, NULL);
	ir_op_insert_before(made, loop);
	ir_block_unlink(body);
	ir_block_arg_erase(body, 0);
	ir_block_append(&made->regions[0], test);
	ir_block_append(&made->regions[1], body);
	for (uint32_t i = 0; i < count; i++)
		ir_replace_uses(&loop->results[i], &made->results[i]);
	ir_op_erase(loop);
	return made;
}

/* ---- which iterations come ---- */

/* Selects, not conjunctions: a part is not looked at where one before it is false, as what it loads
 * then is not defined. */
void left_predict(Pipeline *p)
{
	CONTRACT(p->s->left);
	IrOp *yield = p->body->last;
	IrBuilder b = ir_at(p->m, yield);
	IrValue *go = p->body->args[LEFT_GO];
	for (uint32_t i = 0; i < p->s->comes.len; i++)
		go = irb_3(&b, OP_SELECT, go->type, go, p->s->comes.data[i], irb_int(&b, go->type, 0));
	ir_operand_set(yield, LEFT_GO - 1, go);
	p->values = p->m->next_value;
}

IrValue *left_exists(Pipeline *p, bool first, unsigned k)
{
	CONTRACT(p->s->left);
	IrValue *go = p->body->args[LEFT_GO];
	if (first)
		return pipeline_value(p, true, go, k);
	return k ? pipeline_value(p, false, ir_operand(p->body->last, LEFT_GO - 1), k - 1)
		 : irb_int(&p->top, go->type, 1);
}

/* Is the value computed for some later iteration? */
static bool is_ahead(const Pipeline *p, const IrValue *v)
{
	for (unsigned k = 0; k < ARRAY_LEN(p->ahead); k++)
		if (p->ahead[k] && p->ahead[k]->done[v->id])
			return true;
	return false;
}

IrValue **left_hold(Pipeline *p)
{
	CONTRACT(p->s->left);
	IrValue **held = ARENA_ARRAY(p->cx->scratch, IrValue *, p->values);
	for (IrOp *op = p->top.before; op; op = op->next)
		if (op->kind == OP_LOAD && !ir_is_tensor(op->results[0].type) && is_ahead(p, &op->results[0]))
			held[op->results[0].id] = pipeline_value(p, false, &op->results[0], 0);
	return held;
}

void left_use_held(Pipeline *p, IrValue *const *held)
{
	for (IrOp *op = p->body->first, *next; op; op = next) {
		next = op->next;
		if (op->kind != OP_LOAD || op->results[0].id >= p->values || !held[op->results[0].id])
			continue;
		ir_replace_uses(&op->results[0], held[op->results[0].id]);
		ir_op_erase(op);
	}
}

/* ---- copies under way when the loop is left ---- */

void left_note_copies(Pipeline *p)
{
	CONTRACT(p->s->left);
	IrValue *no = irb_int(&p->before, ir_scalar(p->gpu->ir, TY_I1), 0);
	for (unsigned k = 1; p->barriers && k <= p->s->ahead; k++) {
		IrValue *comes = pipeline_exists(p, false, k);
		IrValue *arg = ir_block_arg_add(p->m, p->body, no->type, p->loop->loc);
		vec_push(p->cx->scratch, &p->under_way, arg);
		vec_push(p->cx->scratch, &p->carried, (PipelineCarried){NULL, no, arg, comes, 0});
	}
}

/* Slots that nothing is on the way to are waited for as of the phase before, which has ended. */
void left_await(Pipeline *p, IrBuilder *b, const IrOp *loop)
{
	CONTRACT(loop->kind == OP_FOR);
	if (!p->under_way.len)
		return;
	IrValue *number = &loop->results[p->read->index - 1], *zero = irb_int(b, number->type, 0);
	IrValue *parity = &loop->results[p->awaited->index - 1], *one = irb_int(b, number->type, 1);
	b->loc = loop->loc;
	for (uint32_t k = 0; k < p->under_way.len; k++) {
		IrValue *comes = irb_1(b, OP_EXTUI, number->type,
				       &loop->results[p->under_way.data[k]->index - 1]);
		IrValue *before = irb_2(b, OP_XORI, NULL, comes, one);
		IrValue *args[] = {gpu_barrier_at(p->gpu, b, p->barriers, number),
				   irb_2(b, OP_XORI, NULL, parity, before)};
		irb_op(b, OP_WAIT_BARRIER, args, 2, NULL, 0, 0);
		IrValue *next = pipeline_next_slot(p, b, number, zero);
		parity = pipeline_next_parity(b, parity, next, zero);
		number = next;
	}
}
