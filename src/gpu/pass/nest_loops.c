/* nest-loops: a loop of products over the steps of all tiles, which counts the steps of each tile
 * itself, becomes a loop over tiles around one over a tile's steps.
 *
 * Needs: TTIR. Keeps: what is stored, bit by bit, and in which order.
 * Persistent products are written so:
 *
 *	for _ in range(steps * tiles):
 *		ki = where(ki == steps - 1, 0, ki + 1)
 *		if ki == 0: the next tile's place
 *		acc = dot(load, load, acc)
 *		if ki == steps - 1: store acc; acc = 0
 *
 * There each step may store, so that no load of a later step may start early. Nested, the loop
 * inside stores nothing:
 *
 *	for tile in range(all // steps):
 *		the next tile's place
 *		for ki in range(steps): acc = dot(load, load, acc)
 *		store acc; acc = 0
 *
 * Why it is the same: a loop may be cut into runs of `steps` iterations wherever one likes. The
 * counter is 0 in a run's first iteration and steps - 1 in its last: its start says so of the first
 * run, and it begins anew behind each. Iterations that are left over form no whole run. They never
 * reach the last step, and only there is something written: nothing is seen of them where nobody
 * takes the loop's results. The same holds of all iterations where `steps` is not positive, as the
 * counter never gets there.
 *
 * Method: the new loops are built of copies. Values are needed at two places outside of the loop
 * inside: in front of it those of a tile's first step that the branch `ki == 0` reads, and behind
 * it those of its last step that the branch `ki == steps - 1` and the next tile read. What is
 * computed of what is carried is computed there once more; what is not is a result of the loop. */
#include "gpu/pass/nest.h"
#include "gpu/remark.h"

/* ---- the new loops ---- */

/* base + off */
static IrValue *sum_of(IrBuilder *b, IrValue *base, IrType type, int64_t off)
{
	IrValue *number = base && !off ? base : irb_int(b, type, off);
	return base && off ? irb_2(b, OP_ADDI, NULL, base, number) : number;
}

/* The runs of `steps` iterations that the loop has. */
static IrValue *runs_of(IrBuilder *b, IrValue *steps, IrValue *all)
{
	IrValue *one = irb_int(b, all->type, 1);
	IrValue *runs = irb_2(b, OP_DIVSI, NULL, all, irb_2(b, OP_MAXSI, NULL, steps, one));
	return irb_3(b, OP_SELECT, NULL, irb_cmpi(b, CMPI_SGE, steps, one), runs, irb_int(b, all->type, 0));
}

/* A loop from 0 by 1; its body has the counter and what is carried. */
static IrOp *counted_loop(Nest *n, IrBuilder *b, IrValue *to, IrValue *const *inits, uint32_t count)
{
	IrValue **operands = ARENA_ARRAY(n->cx->scratch, IrValue *, count + 3);
	IrType *types = ARENA_ARRAY(n->cx->scratch, IrType, count + 1);
	operands[0] = irb_int(b, to->type, 0);
	operands[1] = to;
	operands[2] = irb_int(b, to->type, 1);
	for (uint32_t i = 0; i < count; i++) {
		operands[3 + i] = inits[i];
		types[i] = inits[i]->type;
	}
	IrOp *loop = irb_op(b, OP_FOR, operands, count + 3, types, count, 1);
	IrBlock *body = ir_block_new(n->m, &loop->regions[0]);
	ir_block_arg_add(n->m, body, to->type, ir_value_loc(n->body->args[0]));
	for (uint32_t i = 0; i < count; i++)
		ir_block_arg_add(n->m, body, types[i], b->loc);
	return loop;
}

static void copy_other_side(Nest *n, IrBlock *to, IrMapping *map, const IrOp *branch)
{
	const IrBlock *other = nest_side(n, branch, false);
	for (IrOp *op = other ? other->first : NULL; op && op != other->last; op = op->next)
		ir_op_append(to, ir_clone(n->m, op, map, NULL, NULL));
}

/* All steps of a tile; they know that they are neither the first nor the last one where the
 * branches ask. */
static void fill_inner(Nest *n)
{
	IrBlock *body = n->inner->regions[0].first;
	IrMapping map;
	ir_mapping_init(&map, n->cx->scratch);
	for (uint32_t i = 0; i < n->loop->result_count; i++) {
		body->args[1 + i]->loc = n->body->args[1 + i]->loc;
		ir_mapping_put(&map, n->body->args[1 + i], body->args[1 + i]);
	}
	ir_mapping_put(&map, n->step, body->args[0]);
	for (IrOp *op = n->body->first; op != n->yield; op = op->next) {
		bool decides = nest_is_first(n, op) || nest_is_last(n, op);
		if (op == n->quotient)
			ir_mapping_put(&map, &op->results[0], n->tile);
		if (decides && op->kind == OP_IF)
			copy_other_side(n, body, &map, op);
		for (uint32_t i = 0; decides && i < op->result_count; i++)
			ir_mapping_put(&map, &op->results[i],
				       ir_mapping_get(&map, nest_value(n, op, i, false)));
		if (!decides && op != n->quotient && op != n->step->def)
			ir_op_append(body, ir_clone(n->m, op, &map, NULL, NULL));
	}
	IrBuilder b = ir_at_end(n->m, body, n->yield->loc);
	IrOp *yield = irb_op(&b, OP_YIELD, NULL, 0, NULL, 0, 0);
	for (uint32_t i = 0; i < n->yield->operand_count; i++)
		ir_operand_add(n->m, yield, ir_mapping_get(&map, ir_operand(n->yield, i)));
	for (uint32_t i = 0; i < n->more.len; i++)
		ir_operand_add(n->m, yield, ir_mapping_get(&map, n->more.data[i]));
}

/* What nobody reads before it is set: steps set what is `more`. */
static IrValue *anything(IrBuilder *b, IrType type)
{
	return ir_is_int(type) ? irb_int(b, type, 0) : irb_float(b, type, 0);
}

static void move_attrs(const Nest *n, IrOp *outer)
{
	static const IrAttrName around[] = {ATTR_FLATTEN, ATTR_WARP_SPECIALIZE};
	for (uint32_t i = 0; i < n->loop->attr_count; i++)
		ir_set_named(n->m, n->inner, n->loop->attrs[i].name, n->loop->attrs[i].value);
	for (size_t i = 0; i < ARRAY_LEN(around); i++) {
		ir_set(n->m, outer, around[i], ir_get(n->loop, n->m->cx, around[i]));
		ir_set(n->m, n->inner, around[i], NULL);
	}
	if (!outer->attr_count)
		ir_set(n->m, outer, ATTR_TILES, ir_attr_unit(n->m->cx));
}

static IrOp *build(Nest *n)
{
	uint32_t count = n->loop->result_count;
	IrValue **inits = ARENA_ARRAY(n->cx->scratch, IrValue *, count + n->more.len + 1);
	IrBuilder front = ir_at(n->m, n->loop);
	IrMapping map;
	ir_mapping_init(&map, n->cx->scratch);
	IrValue *all = ir_operand(n->loop, 1);
	IrValue *base = (IrValue *)(uintptr_t)n->steps.base;
	base = base ? ir_clone_value(n->m, base, n->loop, &map, front.before) : NULL;
	IrValue *steps = sum_of(&front, base, all->type, n->steps.off);
	n->end = sum_of(&front, base, all->type, (int32_t)(n->steps.off - 1));
	for (uint32_t i = 0; i < count; i++)
		inits[i] = ir_operand(n->loop, 3 + i);
	IrOp *outer = counted_loop(n, &front, runs_of(&front, steps, all), inits, count);
	IrBlock *body = outer->regions[0].first;
	n->tile = body->args[0];
	IrBuilder b = ir_at_end(n->m, body, n->loop->loc);
	NestPlace first = nest_place(n, false, &b), last = nest_place(n, true, &b);
	for (uint32_t i = 0; i < count; i++)
		ir_mapping_put(&first.map, n->body->args[1 + i], body->args[1 + i]);
	ir_mapping_put(&first.map, n->step, irb_int(&b, all->type, 0));
	bool good = nest_take_first(&first);
	for (uint32_t i = 0; i < count && good; i++)
		inits[i] = n->fresh[i] ? nest_take(&first, n->fresh[i]) : body->args[1 + i];
	for (uint32_t i = 0; i < n->more.len; i++)
		inits[count + i] = anything(&b, n->more.data[i]->type);
	n->inner = counted_loop(n, &b, steps, inits, count + n->more.len);
	fill_inner(n);
	move_attrs(n, outer);
	good = good && nest_take_last(&last);
	CONTRACT(good); /* it was asked before */
	for (uint32_t i = 0; i < count; i++)
		inits[i] = nest_take(&last, ir_operand(n->yield, i));
	irb_op(&b, OP_YIELD, inits, count, NULL, 0, 0);
	return outer;
}

/* ---- the pass ---- */

static bool can_be_nested(Nest *n)
{
	if (!nest_find(n))
		return false;
	NestPlace first = nest_place(n, false, NULL), last = nest_place(n, true, NULL);
	if (!n->why && !nest_take_first(&first))
		n->why = "what the first step of a tile decides is computed of what is loaded";
	if (!n->why && !nest_take_last(&last))
		n->why = "what the last step of a tile takes is computed in that step alone";
	return !n->why;
}

static bool nest(PassCx *cx, IrOp *loop)
{
	Nest n = {.cx = cx, .m = cx->module, .loop = loop, .body = loop->regions[0].first};
	GpuCx *gpu = gpu_of(cx);
	n.yield = ir_terminator(n.body);
	n.values = n.m->next_value;
	n.fresh = ARENA_ARRAY(cx->scratch, IrValue *, loop->result_count + 1);
	n.varies = ARENA_ARRAY(cx->scratch, bool, n.values + 1);
	if (!can_be_nested(&n)) {
		if (n.why)
			gpu_remark_of(gpu, loop, NULL, REMARK_LOOP_NESTED_NOT, n.why);
		return false;
	}
	gpu_remark_of(gpu, loop, NULL, REMARK_LOOP_NESTED);
	IrOp *outer = build(&n);
	ir_op_erase(loop);
	nest_tell_by_number(cx, outer);
	return true;
}

bool pass_nest_loops(PassCx *cx, bool *changed)
{
	IrOpVec loops = ir_collect(cx->scratch, cx->module->op, true, OP_FOR, OP_FOR);
	for (uint32_t i = 0; i < loops.len; i++)
		*changed = nest(cx, loops.data[i]) || *changed;
	bool more;
	return !*changed || (pass_canonicalize(cx, &more) && pass_cse(cx, &more) && pass_dce(cx, &more));
}
