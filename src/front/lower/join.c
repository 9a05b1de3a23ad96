/* Joining of the two sides of an `if` (join.h). */
#include "front/core.h"
#include "front/lower/join.h"

#include <stdlib.h>

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

void side_open(FrontLower *low, Side *side, const SlotVec *live)
{
	frame_restore(low, low->frame, live);
	side->block = ir_block_new(low->m, NULL);
	side->is_case = false;
	low->b.block = side->block;
	low->b.before = NULL;
}

void side_close(FrontLower *low, Side *side, Flow flow)
{
	CONTRACT(side->block);
	side->flow = flow;
	side->b = low->b;
	side->slots = low->frame->slots;
}

static const Slot *side_slot(const Side *side, uint32_t i)
{
	static const Slot none = {0};
	return i < side->slots.len ? &side->slots.data[i] : &none;
}

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
	CONTRACT(m->first + m->count <= j->leaves.len);
	for (uint32_t i = 0; i < m->count; i++) {
		const Leaf *leaf = &j->leaves.data[m->first + i];
		vec_push(j->low->arena, &handles, leaf->same ? leaf->same : ir_result(op, leaf->index));
	}
	uint32_t cursor = 0;
	return val_rebuild(j->low, m->like, handles.data, &cursor);
}

/* The names mean what the scf.if gives. Returns the merged value, or `value` where there is
 * none. */
static const Val *take_merges(Join *j, const IrOp *op, const Val *value)
{
	for (uint32_t i = 0; i < j->merges.len; i++) {
		const Merge *m = &j->merges.data[i];
		const Val *v = merged(j, m, op);
		if (m->slot < 0)
			value = v;
		else
			j->low->frame->slots.data[m->slot] = (Slot){.val = v, .at = j->low->span};
	}
	return value;
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
		lower_error(low, DIAG_IF_TYPE, name, val_describe(low, before),
			    j->t->is_case ? (in_then ? "case" : "later case") : in_then ? "then" : "else",
			    val_describe(low, in_then ? t->val : e->val));
	else
		lower_error(low, j->t->is_case ? DIAG_CASE_TYPES : DIAG_IF_TYPES, name,
			    val_describe(low, t->val), val_describe(low, e->val));
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

/* What a side leaves in a name, where it is a number as a tensor. */
static const Val *running_at(FrontLower *low, Side *side, const Val *v)
{
	IrBuilder outer = low->b;
	low->b = side->b;
	v = sanitize(low, v);
	side->b = low->b;
	low->b = outer;
	return v;
}

/* The target of an unrolled loop: sides that left it in other turns may meet in a number each, or
 * in values that have nothing in common; only who reads the name then needs one of it. */
static void join_turned(Join *j, uint32_t i)
{
	FrontLower *low = j->low;
	const Val *t = running_at(low, j->t, side_slot(j->t, i)->val);
	const Val *e = running_at(low, j->e, side_slot(j->e, i)->val);
	if (!val_has_tensor(t) || !val_same_shape(t, e)) {
		lost(j, i, WHY_MIXED);
		return;
	}
	low->frame->slots.data[i] = (Slot){.val = t, .at = low->span};
	add_merge(j, i, t, e);
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
		lost(j, i, j->t->is_case ? WHY_CASE : WHY_BRANCH);
	} else if (t->val->kind == VAL_POISON || e->val->kind == VAL_POISON) {
		*out = (Slot){.val = low->poison, .at = low->span};
	} else if (val_same_shape(t->val, e->val)) {
		*out = *t;
		if (val_has_tensor(t->val))
			add_merge(j, i, t->val, e->val);
	} else if (frame_is_subject(low->frame->names.data[i])) {
		lost(j, i, WHY_MIXED);
	} else if (frame_is_turned(low->frame, low->frame->names.data[i])) {
		join_turned(j, i);
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
	/* What is returned counts where something is: a side that leaves without it needs none. */
	bool unset = !side_slot(then_lives ? j->e : j->t, i)->val && name != loop_value(low);
	if (kept && one && unset) {
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
	CONTRACT(before->len <= frame->names.len);
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
	CONTRACT(side->block);
	side->b.loc = low->b.loc;
	irb_op(&side->b, OP_YIELD, values->data, values->len, NULL, 0, 0);
}

static IrOp *make_if(Join *j, IrBuilder *outer, IrValue *cond)
{
	FrontLower *low = j->low;
	uint32_t n = j->then_values.len;
	CONTRACT(n == j->else_values.len);
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

Flow join_sides(FrontLower *low, IrBuilder outer, IrValue *cond, Side *t, Side *e,
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
	out.value = take_merges(&j, op, out.value);
	if (out.kind == FLOW_MAYBE)
		out.returned = ir_result(op, 0);
	return out;
}

/* One scf.if of two sides that both go on: names that
 * they assigned are joined, and their values unless NULL. */
const Val *join_values(FrontLower *low, IrValue *cond, Side *t, Side *e, const SlotVec *before,
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
	return take_merges(&j, op, a);
}
