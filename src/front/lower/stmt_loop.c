/* Run-time loops. Every name that the body may assign and that has a
 * value before the loop is carried; those that come out as they went
 * in are taken back out afterwards, so the body is lowered once. */
#include "front/core.h"
#include "front/lower/loop_range.h"

#include <stdlib.h>

typedef struct Carried {
	Sym name;
	uint32_t slot;
	const Val *init;
	uint32_t first, count; /* of its IR values among the loop's */
} Carried;

typedef struct Loop {
	FrontLower *low;
	Span span;
	VEC(Carried) names;
	ValueVec init, args, next; /* args: of the block that the body reads them from */
	bool *drop;                /* by IR value: not carried after all */
} Loop;

static int by_slot(const void *a, const void *b)
{
	const Carried *x = a, *y = b;
	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* What the loop may carry: `skip` is its own variable. */
static void find_carried(Loop *loop, const SymVec *assigned, Sym skip)
{
	FrontLower *low = loop->low;
	for (uint32_t i = 0; i < assigned->len; i++) {
		const Val *v = frame_get(low->frame, assigned->data[i]);
		if (!v || assigned->data[i] == skip || v->kind == VAL_POISON)
			continue;
		vec_push(low->arena, &loop->names,
			 (Carried){.name = assigned->data[i],
				   .slot = frame_slot(low, low->frame, assigned->data[i]),
				   .init = v});
	}
	if (loop->names.len)
		qsort(loop->names.data, loop->names.len, sizeof *loop->names.data, by_slot);
	for (uint32_t i = 0; i < loop->names.len; i++) {
		Carried *c = &loop->names.data[i];
		c->first = loop->init.len;
		val_flatten(low, c->init, &loop->init);
		c->count = loop->init.len - c->first;
	}
}

/* Block arguments for the carried values; the names mean them from here on. */
static void enter_block(Loop *loop, IrBlock *block, ValueVec *args)
{
	FrontLower *low = loop->low;
	for (uint32_t i = 0; i < loop->names.len; i++) {
		const Carried *c = &loop->names.data[i];
		IrLoc loc = lower_named_loc(low, c->name, loop->span);
		for (uint32_t k = 0; k < c->count; k++)
			vec_push(low->arena, args,
				 ir_block_arg_add(low->m, block, loop->init.data[c->first + k]->type, loc));
		if (!c->count)
			continue;
		uint32_t cursor = c->first;
		low->frame->slots.data[c->slot].val = val_rebuild(low, c->init, args->data, &cursor);
	}
}

static bool same_known(const Val *a, const Val *b)
{
	return !val_has_tensor(b) && val_equal(a, b);
}

static void carried_error(Loop *loop, const Carried *c, const Slot *slot)
{
	FrontLower *low = loop->low;
	const Source *source = source_get(&low->session->sources, loop->span.file);
	uint32_t line = source ? source_line_col(source, loop->span.start).line : 0;
	Span old = lower_at(low, slot->at);
	if (c->count)
		lower_error(low, DIAG_LOOP_TYPE, c->name, val_describe(low, c->init), line,
			    val_describe(low, slot->val));
	else
		lower_error(low, DIAG_LOOP_CONSTEXPR, c->name, val_describe(low, c->init), line);
	lower_restore(low, old);
}

/* A function, a class, ... that is one of several at the end of a turn: the next would begin with
 * any of them. */
static void mixed_error(Loop *loop, const Carried *c, const Slot *slot)
{
	FrontLower *low = loop->low;
	const Source *source = source_get(&low->session->sources, slot->at.file);
	Span old = lower_at(low, slot->at);
	lower_error(low, DIAG_NAME_MIXED, c->name, source ? source_line_col(source, slot->at.start).line : 0);
	lower_restore(low, old);
}

static void poison_assigned(FrontLower *low, const SlotVec *before, const SymVec *assigned)
{
	frame_restore(low, low->frame, before);
	for (uint32_t i = 0; i < assigned->len; i++)
		frame_set(low, low->frame, assigned->data[i], low->poison);
}

/* What is left in the carried names, or the argument that was there, to `out`. */
static void collect(Loop *loop, const ValueVec *args, ValueVec *out)
{
	CONTRACT(args->len >= loop->init.len);
	FrontLower *low = loop->low;
	for (uint32_t i = 0; i < loop->names.len; i++) {
		const Carried *c = &loop->names.data[i];
		const Slot *slot = &low->frame->slots.data[c->slot];
		const Val *v = slot->val;
		bool keeps = !v || v->kind == VAL_POISON;
		if (!keeps && (c->count ? !val_same_shape(v, c->init) : !same_known(c->init, v))) {
			carried_error(loop, c, slot);
			keeps = true;
		}
		if (!keeps && c->count)
			val_flatten(low, v, out);
		for (uint32_t k = 0; keeps && k < c->count; k++)
			vec_push(low->arena, out, args->data[c->first + k]);
	}
}

/* What the body leaves in the carried names. */
static void collect_next(Loop *loop)
{
	for (uint32_t i = 0; i < loop->names.len; i++) {
		const Slot *slot = &loop->low->frame->slots.data[loop->names.data[i].slot];
		if (!slot->val && slot->why == WHY_MIXED)
			mixed_error(loop, &loop->names.data[i], slot);
	}
	collect(loop, &loop->args, &loop->next);
}

/* Values that every turn hands on as it got them are those from before the loop. */
static bool unchanged(const Loop *loop, const ValueVec *values, const ValueVec *args, uint32_t i)
{
	return values->data[i] == args->data[i] || values->data[i] == loop->init.data[i];
}

/* Values that are handed on may be block arguments that are dropped: those are the values from
 * before the loop. */
static void name_init(const Loop *loop, ValueVec *values, const ValueVec *args)
{
	for (uint32_t i = 0; i < values->len; i++)
		for (uint32_t k = 0; k < args->len; k++)
			if (loop->drop[k] && values->data[i] == args->data[k]) {
				values->data[i] = loop->init.data[k];
				break;
			}
}

/* `passed`: what the test of a `while` hands on of the arguments `first`; NULL for a `for`. */
static void find_dropped(Loop *loop, const ValueVec *first, ValueVec *passed)
{
	uint32_t n = loop->init.len;
	loop->drop = ARENA_ARRAY(loop->low->arena, bool, MAX(n, 1u));
	for (uint32_t i = 0; i < n; i++)
		loop->drop[i] = unchanged(loop, &loop->next, &loop->args, i) &&
				(!passed || unchanged(loop, passed, first, i));
	name_init(loop, &loop->next, &loop->args);
	if (passed)
		name_init(loop, passed, first);
}

static void drop_args(const Loop *loop, IrBlock *block, const ValueVec *args)
{
	for (uint32_t i = args->len; i-- > 0;) {
		if (!loop->drop[i])
			continue;
		ir_replace_uses(args->data[i], loop->init.data[i]);
		ir_block_arg_erase(block, args->data[i]->index);
	}
}

static ValueVec kept(const Loop *loop, const ValueVec *all)
{
	ValueVec out = {0};
	for (uint32_t i = 0; i < all->len; i++)
		if (!loop->drop[i])
			vec_push(loop->low->arena, &out, all->data[i]);
	return out;
}

static IrType *types_of(FrontLower *low, const ValueVec *values)
{
	IrType *types = ARENA_ARRAY(low->arena, IrType, MAX(values->len, 1u));
	for (uint32_t i = 0; i < values->len; i++)
		types[i] = values->data[i]->type;
	return types;
}

/* After the loop: carried names are its results; what was first assigned in it has no value. */
static void leave(Loop *loop, const SlotVec *before, const IrOp *op, Sym variable)
{
	FrontLower *low = loop->low;
	Frame *frame = low->frame;
	SlotVec inside = frame->slots;
	frame_restore(low, frame, before);
	ValueVec out = {0};
	uint32_t result = 0;
	for (uint32_t i = 0; i < loop->init.len; i++)
		vec_push(low->arena, &out, loop->drop[i] ? loop->init.data[i] : ir_result(op, result++));
	for (uint32_t i = 0; i < loop->names.len; i++) {
		const Carried *c = &loop->names.data[i];
		uint32_t cursor = c->first;
		if (c->count)
			frame->slots.data[c->slot].val = val_rebuild(low, c->init, out.data, &cursor);
		if (!inside.data[c->slot].val) /* deleted */
			frame->slots.data[c->slot] = inside.data[c->slot];
	}
	for (uint32_t i = 0; i < frame->names.len; i++) {
		Slot *slot = &frame->slots.data[i];
		if (frame->names.data[i] == variable)
			*slot = (Slot){.why = WHY_LOOP_VARIABLE, .at = loop->span};
		else if (!slot->val && i < inside.len && inside.data[i].val)
			*slot = inside.data[i].val->kind == VAL_POISON
					? (Slot){.val = low->poison, .at = loop->span}
					: (Slot){.why = WHY_LOOP, .at = loop->span};
	}
}

static void lower_body(Loop *loop, const AstList *body)
{
	FrontLower *low = loop->low;
	low->frame->loops++;
	lower_stream(low, (Stream){.list = *body}, false);
	low->frame->loops--;
}

/* ---- for ---- */

static void loop_attr(FrontLower *low, IrOp *op, IrAttrName name, const Val *v)
{
	int64_t i;
	if (v && v->kind != VAL_NONE && val_as_int(v, &i))
		ir_set(low->m, op, name, ir_attr_i32(low->cx, i));
}

static void loop_flag(FrontLower *low, IrOp *op, IrAttrName name, const Val *v)
{
	if (v && val_is_constexpr(v) && val_truth(v))
		ir_set(low->m, op, name, ir_attr_unit(low->cx));
}

static void loop_attrs(FrontLower *low, IrOp *op, const Val *range)
{
	CONTRACT(range->kind == VAL_RANGE);
	loop_attr(low, op, ATTR_NUM_STAGES, range->range.num_stages);
	loop_attr(low, op, ATTR_LOOP_UNROLL, range->range.loop_unroll_factor);
	loop_flag(low, op, ATTR_DISALLOW_ACC_MULTI_BUFFER, range->range.disallow_acc_multi_buffer);
	loop_flag(low, op, ATTR_FLATTEN, range->range.flatten);
	loop_flag(low, op, ATTR_WARP_SPECIALIZE, range->range.warp_specialize);
}

void lower_for(FrontLower *low, Ast *node, const Val *range)
{
	CONTRACT(node->kind == AST_FOR);
	Span span = node->span;
	Span old = lower_at(low, node->for_stmt.iter->span);
	LoopRange b = loop_range(low, range);
	lower_restore(low, old);
	lower_at(low, span);
	if (node->for_stmt.target->kind != AST_NAME) {
		lower_error(low, DIAG_UNSUPPORTED, "a loop variable that is not a name");
		return;
	}
	Sym variable = node->for_stmt.target->name.id;
	Loop loop = {.low = low, .span = span};
	SymVec assigned = {0};
	assigned_names(low, &node->for_stmt.body, &assigned);
	SlotVec before = frame_save(low, low->frame);
	IrBuilder outer = low->b;
	find_carried(&loop, &assigned, variable);
	IrBlock *block = ir_block_new(low->m, NULL);
	IrValue *iv = ir_block_arg_add(low->m, block, b.ok ? b.from->tensor.ir->type : b.type->ir,
				       lower_named_loc(low, variable, node->for_stmt.target->span));
	low->b.block = block;
	low->b.before = NULL;
	const Val *value = b.ok ? loop_range_at(low, &b, iv) : val_tensor(low, iv, b.type);
	enter_block(&loop, block, &loop.args);
	frame_set(low, low->frame, variable, value);
	lower_body(&loop, &node->for_stmt.body);
	lower_at(low, span);
	collect_next(&loop);
	find_dropped(&loop, NULL, NULL);
	drop_args(&loop, block, &loop.args);
	ValueVec next = kept(&loop, &loop.next), init = kept(&loop, &loop.init), operands = {0};
	irb_op(&low->b, OP_YIELD, next.data, next.len, NULL, 0, 0);
	outer.loc = low->b.loc;
	low->b = outer;
	if (!b.ok) {
		poison_assigned(low, &before, &assigned);
		return;
	}
	vec_push(low->arena, &operands, b.from->tensor.ir);
	vec_push(low->arena, &operands, b.to->tensor.ir);
	vec_push(low->arena, &operands, b.by->tensor.ir);
	for (uint32_t i = 0; i < init.len; i++)
		vec_push(low->arena, &operands, init.data[i]);
	IrOp *op = irb_op(&low->b, OP_FOR, operands.data, operands.len, types_of(low, &init), init.len, 1);
	ir_block_append(&op->regions[0], block);
	loop_attrs(low, op, range);
	leave(&loop, &before, op, variable);
}

/* ---- while ---- */

/* Names that the test assigned first are carried as
 * well: nothing before it, what it assigned after it. */
static void carry_fresh(Loop *loop, IrBuilder *outer, IrBlock *first, const SymVec *fresh,
			ValueVec *first_args)
{
	FrontLower *low = loop->low;
	for (uint32_t i = 0; i < fresh->len; i++) {
		const Val *v = frame_get(low->frame, fresh->data[i]);
		uint32_t slot = frame_slot(low, low->frame, fresh->data[i]);
		bool known = false;
		for (uint32_t k = 0; k < loop->names.len; k++)
			known = known || loop->names.data[k].slot == slot;
		if (known || !v || !val_has_tensor(v))
			continue;
		ValueVec values = {0};
		val_flatten(low, v, &values);
		Carried c = {.name = fresh->data[i],
			     .slot = slot,
			     .init = v,
			     .first = loop->init.len,
			     .count = values.len};
		for (uint32_t k = 0; k < values.len; k++) {
			IrType type = values.data[k]->type;
			vec_push(low->arena, &loop->init, irb_0(outer, OP_POISON, type));
			vec_push(low->arena, first_args, ir_block_arg_add(low->m, first, type, outer->loc));
		}
		vec_push(low->arena, &loop->names, c);
	}
}

void lower_while(FrontLower *low, Ast *node)
{
	if (node->if_stmt.orelse.len)
		lower_error(low, DIAG_UNSUPPORTED, "`else` of a loop");
	Span span = node->span;
	Loop loop = {.low = low, .span = span};
	SymVec assigned = {0}, in_test = {0};
	AstList test = {&node->if_stmt.test, 1};
	assigned_in_expressions(low, &test, &assigned);
	assigned_in_expressions(low, &test, &in_test);
	assigned_names(low, &node->if_stmt.body, &assigned);
	SlotVec before = frame_save(low, low->frame);
	IrBuilder outer = low->b;
	find_carried(&loop, &assigned, NULL);

	IrBlock *first = ir_block_new(low->m, NULL), *second = ir_block_new(low->m, NULL);
	ValueVec first_args = {0}, passed = {0};
	low->b.block = first;
	low->b.before = NULL;
	enter_block(&loop, first, &first_args);
	Span old = lower_at(low, node->if_stmt.test->span);
	const Val *cond = eval(low, node->if_stmt.test);
	if (val_is_number(cond) || cond->kind == VAL_NONE)
		cond = sem_to_tensor(low, val_bool(low, val_truth(cond)));
	if (cond->kind != VAL_POISON)
		cond = sem_condition(low, cond);
	lower_restore(low, old);
	lower_at(low, span);
	carry_fresh(&loop, &outer, first, &in_test, &first_args);
	collect(&loop, &first_args, &passed);
	IrBuilder test_end = low->b;

	low->b.block = second;
	enter_block(&loop, second, &loop.args);
	lower_body(&loop, &node->if_stmt.body);
	lower_at(low, span);
	collect_next(&loop);
	find_dropped(&loop, &first_args, &passed);
	drop_args(&loop, first, &first_args);
	drop_args(&loop, second, &loop.args);
	ValueVec next = kept(&loop, &loop.next), init = kept(&loop, &loop.init), pass = kept(&loop, &passed);
	irb_op(&low->b, OP_YIELD, next.data, next.len, NULL, 0, 0);
	outer.loc = low->b.loc;
	low->b = outer;
	if (cond->kind == VAL_POISON) {
		poison_assigned(low, &before, &assigned);
		return;
	}
	ValueVec condition = {0};
	vec_push(low->arena, &condition, cond->tensor.ir);
	for (uint32_t i = 0; i < pass.len; i++)
		vec_push(low->arena, &condition, pass.data[i]);
	irb_op(&test_end, OP_CONDITION, condition.data, condition.len, NULL, 0, 0);
	IrOp *op = irb_op(&low->b, OP_WHILE, init.data, init.len, types_of(low, &init), init.len, 2);
	ir_block_append(&op->regions[0], first);
	ir_block_append(&op->regions[1], second);
	leave(&loop, &before, op, NULL);
}
