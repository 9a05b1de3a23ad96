/* `if` on a run-time condition: both branches are lowered into blocks of their
 * own, then one scf.if yields what they made different. A branch that returns
 * has nothing to go on with, so the statements after the `if` go into the other
 * one; when both may go on and one may return, the scf.if yields a flag for it,
 * and what follows stands under a second scf.if. Nothing is lowered twice. */
#include "front/core.h"

#include <stdlib.h>

typedef struct Side {
	IrBlock *block;
	IrBuilder b; /* its end */
	SlotVec slots;
	Flow flow;
} Side;

/* One leaf of a merged value: the same on both sides, or result `index`. */
typedef struct Leaf {
	IrValue *same;
	uint32_t index;
} Leaf;

typedef struct Merge {
	const Val *like;
	uint32_t first, count; /* leaves */
	int64_t slot;          /* -1: the returned value */
} Merge;

typedef struct Join {
	FrontLower *low;
	Side *t, *e;
	ValueVec then_values, else_values;
	VEC(Leaf) leaves;
	VEC(Merge) merges;
} Join;

void frame_restore(FrontLower *low, Frame *frame, const SlotVec *saved)
{
	CONTRACT(saved->len <= frame->slots.len);
	SlotVec copy = {.len = frame->names.len, .cap = MAX(frame->names.len, 1u)};
	copy.data = ARENA_ARRAY(low->arena, Slot, copy.cap);
	memcpy(copy.data, saved->data, saved->len * sizeof *saved->data);
	frame->slots = copy;
}

/* ---- sides ---- */

static void side_open(FrontLower *low, Side *side, const SlotVec *live)
{
	frame_restore(low, low->frame, live);
	side->block = ir_block_new(low->m, NULL);
	low->b.block = side->block;
	low->b.before = NULL;
}

static void side_close(FrontLower *low, Side *side, Flow flow)
{
	side->flow = flow;
	side->b = low->b;
	side->slots = low->frame->slots;
}

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

static const Slot *side_slot(const Side *side, uint32_t i)
{
	static const Slot none = {0};
	return i < side->slots.len ? &side->slots.data[i] : &none;
}

/* ---- joining ---- */

static IrValue *poison_at(Side *side, IrType type)
{
	return irb_0(&side->b, OP_POISON, type);
}

static uint32_t add_pair(Join *j, IrValue *t, IrValue *e)
{
	if (!t)
		t = poison_at(j->t, e->type);
	if (!e)
		e = poison_at(j->e, t->type);
	vec_push(j->low->arena, &j->then_values, t);
	vec_push(j->low->arena, &j->else_values, e);
	return j->then_values.len - 1;
}

/* Merges two values of the same shape; either may be NULL where its side never goes that way. */
static void add_merge(Join *j, int64_t slot, const Val *t, const Val *e)
{
	ValueVec tv = {0}, ev = {0};
	if (t)
		val_flatten(j->low, t, &tv);
	if (e)
		val_flatten(j->low, e, &ev);
	Merge m = {.like = t ? t : e, .first = j->leaves.len, .count = MAX(tv.len, ev.len), .slot = slot};
	for (uint32_t i = 0; i < m.count; i++) {
		IrValue *a = t ? tv.data[i] : NULL, *b = e ? ev.data[i] : NULL;
		Leaf leaf = {.same = a == b ? a : NULL};
		if (!leaf.same)
			leaf.index = add_pair(j, a, b);
		vec_push(j->low->arena, &j->leaves, leaf);
	}
	vec_push(j->low->arena, &j->merges, m);
}

static const Val *merged(Join *j, const Merge *m, const IrOp *op)
{
	ValueVec handles = {0};
	for (uint32_t i = 0; i < m->count; i++) {
		const Leaf *leaf = &j->leaves.data[m->first + i];
		vec_push(j->low->arena, &handles, leaf->same ? leaf->same : ir_result(op, leaf->index));
	}
	uint32_t cursor = 0;
	return val_rebuild(j->low, m->like, handles.data, &cursor);
}

static void lost(Join *j, uint32_t slot, SlotWhy why)
{
	j->low->frame->slots.data[slot] = (Slot){.why = why, .at = j->low->span};
}

static void type_error(Join *j, uint32_t slot, const Val *before)
{
	FrontLower *low = j->low;
	Sym name = low->frame->names.data[slot];
	const Slot *t = side_slot(j->t, slot), *e = side_slot(j->e, slot);
	Span old = low->span;
	bool in_then = t->val != before && (!before || !val_same_shape(t->val, before));
	lower_at(low, in_then || e->val == before ? t->at : e->at);
	if (before && before->kind == VAL_TENSOR)
		lower_error(low, DIAG_IF_TYPE, name, val_describe(low, before), in_then ? "then" : "else",
			    val_describe(low, in_then ? t->val : e->val));
	else
		lower_error(low, DIAG_IF_TYPES, name, val_describe(low, t->val), val_describe(low, e->val));
	lower_at(low, old);
	frame_set(low, low->frame, name, low->poison);
}

/* What a loop may return: a side that does not return has nothing. */
static void join_loop_value(Join *j, uint32_t i)
{
	FrontLower *low = j->low;
	const Slot *t = side_slot(j->t, i), *e = side_slot(j->e, i);
	low->frame->slots.data[i] = t->val ? *t : *e;
	if (t->val && e->val && !val_same_shape(t->val, e->val)) {
		Span old = lower_at(low, e->at);
		if (t->val->kind != VAL_POISON && e->val->kind != VAL_POISON)
			lower_error(low, DIAG_RETURN_TYPES, val_describe(low, t->val), val_describe(low,
					e->val));
		lower_restore(low, old);
		low->frame->slots.data[i].val = low->poison;
	} else if (val_has_tensor(low->frame->slots.data[i].val)) {
		add_merge(j, i, t->val, e->val);
	}
}

/* One name after an `if` whose sides both go on. */
static void join_slot(Join *j, uint32_t i, const Val *before)
{
	FrontLower *low = j->low;
	const Slot *t = side_slot(j->t, i), *e = side_slot(j->e, i);
	Slot *out = &low->frame->slots.data[i];
	if (t->val == e->val) {
		*out = *t;
	} else if (low->frame->names.data[i] == loop_value(low)) {
		join_loop_value(j, i);
	} else if (!t->val || !e->val) {
		lost(j, i, WHY_BRANCH);
	} else if (t->val->kind == VAL_POISON || e->val->kind == VAL_POISON) {
		*out = (Slot){.val = low->poison, .at = low->span};
	} else if (val_same_shape(t->val, e->val)) {
		*out = *t;
		if (val_has_tensor(t->val))
			add_merge(j, i, t->val, e->val);
	} else if (before ? val_has_tensor(before) || val_is_number(before)
			  : t->val->kind == VAL_TENSOR && e->val->kind == VAL_TENSOR) {
		type_error(j, i, before);
	} else {
		lost(j, i, WHY_MIXED);
	}
}

/* One name after an `if` of which only one side goes on. */
static void join_one_sided(Join *j, uint32_t i, bool then_lives, const Val *before)
{
	const Slot *s = side_slot(then_lives ? j->t : j->e, i);
	j->low->frame->slots.data[i] = *s;
	if (s->val && s->val != before && val_has_tensor(s->val))
		add_merge(j, i, then_lives ? s->val : NULL, then_lives ? NULL : s->val);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const Sym *)a, *(const Sym *)b);
}

/* After an `if` that at least one side leaves, a name has what the other side gives it. At the
 * end of a loop's body all sides meet again: names that the loop keeps have a value of each. */
static void join_name(Join *j, uint32_t i, const Val *before)
{
	FrontLower *low = j->low;
	bool then_lives = j->t->flow.kind != FLOW_RETURN, else_lives = j->e->flow.kind != FLOW_RETURN;
	LoopScope *scope = low->frame->scope;
	Sym name = low->frame->names.data[i];
	bool kept = scope && loop_keeps(low, scope, name), one = then_lives != else_lives;
	if (kept && one && !side_slot(then_lives ? j->e : j->t, i)->val) {
		vec_push(low->arena, &scope->unset, name);
		scope->unset_at = low->span;
		kept = false;
	}
	if ((then_lives && else_lives) || kept)
		join_slot(j, i, before);
	else if (one)
		join_one_sided(j, i, then_lives, before);
}

/* Names that were there before come first, in order of definition; then the new ones by name. */
static void join_names(Join *j, const SlotVec *before)
{
	FrontLower *low = j->low;
	Frame *frame = low->frame;
	frame_restore(low, frame, before);
	if (j->t->flow.kind == FLOW_RETURN && j->e->flow.kind == FLOW_RETURN && !frame->scope)
		return;
	SymVec fresh = {0};
	for (uint32_t i = 0; i < frame->names.len; i++) {
		const Val *old = i < before->len ? before->data[i].val : NULL;
		if (!old)
			vec_push(low->arena, &fresh, frame->names.data[i]);
		else
			join_name(j, i, old);
	}
	if (fresh.len)
		qsort(fresh.data, fresh.len, sizeof *fresh.data, by_name);
	for (uint32_t k = 0; k < fresh.len; k++)
		join_name(j, frame_slot(low, frame, fresh.data[k]), NULL);
}

/* The returned value of both sides in one; *ok false
 * after diagnosing. `first` is the number of its merge. */
static const Val *join_returns(Join *j, bool *merges)
{
	FrontLower *low = j->low;
	const Flow *t = &j->t->flow, *e = &j->e->flow;
	*merges = false;
	const Val *a = t->kind != FLOW_FALL ? t->value : NULL, *b = e->kind != FLOW_FALL ? e->value : NULL;
	if ((a && a->kind == VAL_POISON) || (b && b->kind == VAL_POISON))
		return low->poison;
	/* A side that returns nothing, or ends without
	 * `return`: undefined where the other returns a value. */
	if (!a || !b) {
		const Val *v = a ? a : b;
		if (v && val_has_tensor(v)) {
			add_merge(j, -1, a, b);
			*merges = true;
		}
		return v;
	}
	if (!val_same_shape(a, b)) {
		Span old = lower_at(low, e->at);
		lower_error(low, DIAG_RETURN_TYPES, val_describe(low, a), val_describe(low, b));
		lower_restore(low, old);
		return low->poison;
	}
	if (val_has_tensor(a)) {
		add_merge(j, -1, a, b);
		*merges = true;
	}
	return a;
}

static void close_block(FrontLower *low, Side *side, const ValueVec *values)
{
	side->b.loc = low->b.loc;
	irb_op(&side->b, OP_YIELD, values->data, values->len, NULL, 0, 0);
}

static IrOp *make_if(Join *j, IrBuilder *outer, IrValue *cond)
{
	FrontLower *low = j->low;
	uint32_t n = j->then_values.len;
	IrType *types = ARENA_ARRAY(low->arena, IrType, MAX(n, 1u));
	for (uint32_t i = 0; i < n; i++)
		types[i] = j->then_values.data[i]->type;
	outer->loc = low->b.loc;
	IrOp *op = irb_op(outer, OP_IF, &cond, 1, types, n, 2);
	close_block(low, j->t, &j->then_values);
	ir_block_append(&op->regions[0], j->t->block);
	if (n || j->e->block->first) {
		close_block(low, j->e, &j->else_values);
		ir_block_append(&op->regions[1], j->e->block);
	}
	return op;
}

/* The flag of a side: does it return? */
static IrValue *flag(FrontLower *low, Side *side)
{
	if (side->flow.kind == FLOW_MAYBE)
		return side->flow.returned;
	return irb_int(&side->b, ir_scalar(low->cx, TY_I1), side->flow.kind == FLOW_RETURN);
}

static Flow join_sides(FrontLower *low, IrBuilder outer, IrValue *cond, Side *t, Side *e,
		       const SlotVec *before)
{
	Join j = {.low = low, .t = t, .e = e};
	Flow out = {.kind = FLOW_FALL, .at = t->flow.kind != FLOW_FALL ? t->flow.at : e->flow.at};
	if (t->flow.kind == FLOW_RETURN && e->flow.kind == FLOW_RETURN)
		out.kind = FLOW_RETURN;
	else if (t->flow.kind != FLOW_FALL || e->flow.kind != FLOW_FALL)
		out.kind = FLOW_MAYBE;
	if (out.kind == FLOW_MAYBE)
		add_pair(&j, flag(low, t), flag(low, e));
	bool value_merges = false;
	if (out.kind != FLOW_FALL && !low->frame->scope)
		out.value = join_returns(&j, &value_merges);
	join_names(&j, before);
	IrOp *op = make_if(&j, &outer, cond);
	low->b = outer;
	for (uint32_t i = 0; i < j.merges.len; i++) {
		const Merge *m = &j.merges.data[i];
		const Val *v = merged(&j, m, op);
		if (m->slot < 0)
			out.value = v;
		else
			low->frame->slots.data[m->slot] = (Slot){.val = v, .at = low->span};
	}
	if (out.kind == FLOW_MAYBE)
		out.returned = ir_result(op, 0);
	return out;
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
	const Val *c = sem_condition(low, cond);
	lower_restore(low, test);
	SlotVec before = frame_save(low, low->frame);
	IrBuilder outer = low->b;
	bool last = !anything_left(rest);
	Side t, e;
	side_lower(low, &t, &before, &node->if_stmt.body, tail && last);
	side_lower(low, &e, &before, &node->if_stmt.orelse, tail && last);
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

/* One scf.if of two sides that both go on: names that
 * they assigned are joined, and their values unless NULL. */
static const Val *join_values(FrontLower *low, IrValue *cond, Side *t, Side *e, const SlotVec *before,
			      const Val *a,
			      const Val *b)
{
	Join j = {.low = low, .t = t, .e = e};
	IrBuilder outer = low->b;
	if (a)
		add_merge(&j, -1, a, b);
	join_names(&j, before);
	IrOp *op = make_if(&j, &outer, cond);
	low->b = outer;
	const Val *value = a;
	for (uint32_t i = 0; i < j.merges.len; i++) {
		const Merge *m = &j.merges.data[i];
		const Val *v = merged(&j, m, op);
		if (m->slot < 0)
			value = v;
		else
			low->frame->slots.data[m->slot] = (Slot){.val = v, .at = low->span};
	}
	return value;
}

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
