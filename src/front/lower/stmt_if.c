/* `if` on a run-time condition: both branches are lowered into blocks of their
 * own, then one scf.if yields what they made different. A branch that returns
 * has nothing to go on with, so the statements after the `if` go into the other
 * one; when both may go on and one may return, the scf.if yields a flag for it,
 * and what follows stands under a second scf.if. Nothing is lowered twice. */
#include "front/core.h"
#include "front/lower/join.h"
#include "front/tile/sem.h"

/* ---- sides ---- */

static void side_lower(FrontLower *low, Side *side, const SlotVec *live, const AstList *body, bool tail)
{
	side_open(low, side, live);
	side_close(low, side, lower_stream(low, (Stream){.list = *body}, tail));
}

/* Lowers the rest of the stream at the end of a side. */
static void side_go_on(FrontLower *low, Side *side, const Stream *rest, bool tail)
{
	low->b = side->b;
	low->frame->slots = side->slots;
	side_close(low, side, lower_stream(low, *rest, tail));
}

/* In tail position the end of the statements is the end of the function. */
static void fall_is_return(Side *side)
{
	if (side->flow.kind == FLOW_FALL)
		side->flow = (Flow){.kind = FLOW_RETURN};
}

static bool anything_left(const Stream *s)
{
	for (; s; s = s->next)
		if (s->at < s->list.len || s->unroll)
			return true;
	return false;
}

Flow lower_if(FrontLower *low, Ast *node, const Val *cond, const Stream *rest, bool tail, bool *went_on)
{
	CONTRACT(node->kind == AST_IF || node->kind == AST_WHILE);
	Span test = lower_at(low, node->if_stmt.test->span);
	if (node->kind == AST_IF && cond->kind == VAL_TENSOR && cond->tensor.type->kind == TL_BLOCK &&
	    sem_is_one(cond))
		lower_warning(low, DIAG_IF_BLOCK, lower_source_text(low));
	const Val *c = node->if_stmt.of_match && sem_is_tile(cond) && !sem_is_one(cond)
			       ? lower_error(low, DIAG_TILE_CASE, sem_describe(low, cond))
			       : sem_condition(low, cond);
	lower_restore(low, test);
	SlotVec before = frame_save(low, low->frame);
	IrBuilder outer = low->b;
	bool last = !anything_left(rest);
	Side t, e;
	side_lower(low, &t, &before, &node->if_stmt.body, tail && last);
	side_lower(low, &e, &before, &node->if_stmt.orelse, tail && last);
	t.is_case = node->if_stmt.of_match;
	bool t_returns = t.flow.kind == FLOW_RETURN, e_returns = e.flow.kind == FLOW_RETURN;
	Side *open = t_returns && e.flow.kind == FLOW_FALL   ? &e
		     : e_returns && t.flow.kind == FLOW_FALL ? &t
							     : NULL;
	if (open && !last) {
		side_go_on(low, open, rest, tail);
		*went_on = true;
	}
	if (tail && (last || *went_on) && (t.flow.kind != FLOW_FALL || e.flow.kind != FLOW_FALL)) {
		fall_is_return(&t);
		fall_is_return(&e);
	}
	lower_at(low, node->span);
	if (c->kind == VAL_POISON) {
		low->b = outer;
		frame_restore(low, low->frame, &before);
		return *went_on || (t_returns && e_returns)
			       ? (Flow){.kind = FLOW_RETURN, .value = low->poison}
			       : (Flow){.kind = FLOW_FALL};
	}
	return join_sides(low, outer, c->tensor.ir, &t, &e, &before);
}

/* What follows statements that may have returned stands under the flag that says so. */
Flow lower_guarded(FrontLower *low, Flow maybe, const Stream *rest, bool tail)
{
	SlotVec before = frame_save(low, low->frame);
	IrBuilder outer = low->b;
	Side t, e;
	side_open(low, &t, &before);
	side_close(low, &t, (Flow){.kind = FLOW_RETURN, .value = maybe.value, .at = maybe.at});
	side_open(low, &e, &before);
	side_close(low, &e, lower_stream(low, *rest, tail));
	if (tail)
		fall_is_return(&e);
	return join_sides(low, outer, maybe.returned, &t, &e, &before);
}

void lower_unless(FrontLower *low, IrValue *cond, StepFn *fn, void *data)
{
	SlotVec before = frame_save(low, low->frame);
	IrBuilder outer = low->b;
	Side t, e;
	side_open(low, &t, &before);
	side_close(low, &t, (Flow){.kind = FLOW_FALL});
	side_open(low, &e, &before);
	fn(low, data);
	side_close(low, &e, (Flow){.kind = FLOW_FALL});
	join_sides(low, outer, cond, &t, &e, &before);
}

/* ---- expressions of which a part runs only under a condition ---- */

/* Back to where the sides were opened; the location stays the current one. */
static void leave_sides(FrontLower *low, IrBuilder outer)
{
	outer.loc = low->b.loc;
	low->b = outer;
}

static const Val *side_value(FrontLower *low, Side *side, Ast *expr, const SlotVec *live, bool dropped)
{
	side_open(low, side, live);
	const Val *v = dropped ? eval_dropped(low, expr) : sanitize(low, eval(low, expr));
	side_close(low, side, (Flow){.kind = FLOW_FALL});
	return v;
}

const Val *lower_if_exp(FrontLower *low, Ast *node, const Val *cond, bool dropped)
{
	CONTRACT(node->kind == AST_IF_EXP);
	const Val *c = sem_condition(low, cond);
	SlotVec before = frame_save(low, low->frame);
	IrBuilder outer = low->b;
	Side t, e;
	const Val *a = side_value(low, &t, node->if_exp.body, &before, dropped);
	const Val *b = side_value(low, &e, node->if_exp.orelse, &before, dropped);
	lower_at(low, node->span);
	leave_sides(low, outer);
	frame_restore(low, low->frame, &before);
	if (c->kind == VAL_POISON || a->kind == VAL_POISON || b->kind == VAL_POISON)
		return low->poison;
	if (dropped)
		a = b = NULL;
	else if (!val_same_shape(a, b))
		return lower_error(low, DIAG_IF_EXP_TYPES, val_describe(low, a), val_describe(low, b));
	const Val *v = join_values(low, c->tensor.ir, &t, &e, &before, a, b);
	return v ? v : low->none;
}

/* The side becomes part of what is around it. */
static void splice(FrontLower *low, IrBuilder outer, const Side *side)
{
	for (IrOp *op = side->block->first, *next; op; op = next) {
		next = op->next;
		ir_op_unlink(op);
		if (outer.before)
			ir_op_insert_before(op, outer.before);
		else
			ir_op_append(outer.block, op);
	}
	leave_sides(low, outer);
}

static bool assigns(const Side *side, const SlotVec *before)
{
	for (uint32_t i = 0; i < side->slots.len; i++)
		if (side->slots.data[i].val != (i < before->len ? before->data[i].val : NULL))
			return true;
	return false;
}

/* What `left and right` is worth, once it is known that right was, or may have been, evaluated. */
static const Val *combine(FrontLower *low, bool is_or, const Val *left, const Val *right)
{
	if (right->kind == VAL_POISON)
		return right;
	if (right->kind == VAL_TENSOR)
		return sem_logical(low, is_or, left, right);
	bool ok, truth = eval_truth(low, right, &ok);
	return !ok ? low->poison : truth == is_or ? right : left;
}

const Val *lower_lazy(FrontLower *low, bool is_or, const Val *left, LazyFn *right_of, void *data,
		      bool dropped)
{
	CONTRACT(left->kind == VAL_TENSOR);
	SlotVec before = frame_save(low, low->frame);
	IrBuilder outer = low->b;
	Span span = low->span;
	Side runs, skips;
	side_open(low, &runs, &before);
	const Val *right = right_of(low, data);
	side_close(low, &runs, (Flow){.kind = FLOW_FALL});
	lower_at(low, span);
	IrEffect effect = effect_of_block(low->m, runs.block);
	bool one = left->tensor.type->kind != TL_BLOCK || sem_is_one(left);
	if (right->kind != VAL_POISON && effect == EFFECT_WRITE && !one)
		return lower_error(low, DIAG_LAZY_TILE, is_or ? "or" : "and", val_describe(low, left));
	if (right->kind == VAL_POISON || !one || (effect == EFFECT_NONE && !assigns(&runs, &before))) {
		splice(low, outer, &runs);
		return dropped ? low->none : combine(low, is_or, left, right);
	}
	const Val *v = NULL;
	if (!dropped && right->kind == VAL_TENSOR) {
		low->b = runs.b;
		v = sem_logical(low, is_or, left, right);
		runs.b = low->b;
	}
	side_open(low, &skips, &before);
	const Val *other = v && v->kind != VAL_POISON ? sem_splat_like(low, left, v) : NULL;
	side_close(low, &skips, (Flow){.kind = FLOW_FALL});
	leave_sides(low, outer);
	frame_restore(low, low->frame, &before);
	const Val *cond = sem_condition(low, left);
	if (cond->kind == VAL_POISON || (v && v->kind == VAL_POISON))
		return low->poison;
	Side *t = is_or ? &skips : &runs, *e = is_or ? &runs : &skips;
	const Val *joined =
		join_values(low, cond->tensor.ir, t, e, &before, is_or ? other : v, is_or ? v : other);
	return dropped ? low->none : joined ? joined : combine(low, is_or, left, right);
}
