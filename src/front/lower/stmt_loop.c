/* Run-time loops. The body is lowered once, with every name that it may assign carried
 * (loop_carry.h). */
#include "front/core.h"
#include "front/lower/loop_carry.h"
#include "front/lower/loop_range.h"

/* Whether the body leaves the loop, at its end; NULL: never. */
static const Val *lower_body(Loop *loop, const AstList *body)
{
	FrontLower *low = loop->low;
	LoopScope *outer = low->frame->scope, scope = {.whole = loop->whole};
	if (!loop_is_left(loop->exits)) {
		low->frame->scope = NULL;
		lower_stream(low, (Stream){.list = *body}, false);
		low->frame->scope = outer;
		return NULL;
	}
	for (uint32_t i = 0; i < loop->names.len; i++)
		if (!loop->names.data[i].fleeting)
			vec_push(low->arena, &scope.kept, loop->names.data[i].name);
	const Val *returned = frame_get(low->frame, loop_returned(low));
	uint32_t returns = low->frame->returns;
	loop_open(low, &scope, outer);
	lower_stream(low, (Stream){.list = *body}, true);
	const Val *broken = loop_close(low, &scope);
	if (loop->exits.returns && low->frame->returns == returns) { /* constants keep it from them */
		loop->exits.returns = false;
		frame_set(low, low->frame, loop_returned(low), returned);
	}
	return broken;
}

/* Hidden names that a loop with a `return`, or an `else`, carries. */
static void open_exits(Loop *loop, const AstList *body, SymVec *assigned)
{
	FrontLower *low = loop->low;
	loop->exits = loop_exits(body);
	if (loop->whole)
		vec_push(low->arena, assigned, loop->whole);
	if (!loop->exits.returns)
		return;
	loop_may_return(low);
	vec_push(low->arena, assigned, loop_returned(low));
	vec_push(low->arena, assigned, loop_value(low));
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
	loop_flag(low, op, ATTR_DISABLE_LICM, range->range.disable_licm);
}

static void append(FrontLower *low, ValueVec *out, const ValueVec *more)
{
	for (uint32_t i = 0; i < more->len; i++)
		vec_push(low->arena, out, more->data[i]);
}

/* A `for` that may be left is a `while`: its last value says whether another turn comes. The
 * body's block has the variable and the carried values as arguments. */
static IrOp *make_left_for(FrontLower *low, IrBuilder *outer, IrBlock *block, const LoopRange *r,
			   const Val *broken, const ValueVec *next, const ValueVec *init)
{
	IrValue *iv = block->args[0];
	IrType i1 = ir_scalar(low->cx, TY_I1);
	const Val *more = sem_logical(low, false, sem_unary(low, UN_NOT, broken),
				      loop_range_more(low, r, iv));
	ValueVec results = {0}, first = {0}, condition = {0};
	vec_push(low->arena, &results, loop_range_next(low, r, iv)->tensor.ir);
	append(low, &results, next);
	vec_push(low->arena, &results, more->tensor.ir);
	ir_block_arg_add(low->m, block, i1, outer->loc);
	irb_op(&low->b, OP_YIELD, results.data, results.len, NULL, 0, 0);
	outer->loc = low->b.loc;
	low->b = *outer;
	vec_push(low->arena, &first, r->from->tensor.ir);
	append(low, &first, init);
	vec_push(low->arena, &first, loop_range_any(low, r)->tensor.ir);
	IrBlock *test = ir_block_new(low->m, NULL);
	for (uint32_t i = 0; i < first.len; i++)
		vec_push(low->arena, &condition,
			 ir_block_arg_add(low->m, test, first.data[i]->type, outer->loc));
	IrBuilder b = low->b;
	ValueVec operands = {0};
	vec_push(low->arena, &operands, condition.data[condition.len - 1]);
	append(low, &operands, &condition);
	b.block = test;
	b.before = NULL;
	irb_op(&b, OP_CONDITION, operands.data, operands.len, NULL, 0, 0);
	IrOp *op = irb_op(&low->b, OP_WHILE, first.data, first.len, carry_types(low, &first), first.len, 2);
	ir_block_append(&op->regions[0], test);
	ir_block_append(&op->regions[1], block);
	return op;
}

static IrOp *make_for(FrontLower *low, IrBuilder *outer, IrBlock *block, const LoopRange *r,
		      const ValueVec *next, const ValueVec *init)
{
	irb_op(&low->b, OP_YIELD, next->data, next->len, NULL, 0, 0);
	outer->loc = low->b.loc;
	low->b = *outer;
	ValueVec operands = {0};
	vec_push(low->arena, &operands, r->from->tensor.ir);
	vec_push(low->arena, &operands, r->to->tensor.ir);
	vec_push(low->arena, &operands, r->by->tensor.ir);
	append(low, &operands, init);
	IrOp *op = irb_op(&low->b, OP_FOR, operands.data, operands.len, carry_types(low, init), init->len, 1);
	ir_block_append(&op->regions[0], block);
	return op;
}

Flow lower_for(FrontLower *low, Ast *node, const Val *range, Sym whole)
{
	CONTRACT(node->kind == AST_FOR);
	Span span = node->span;
	Span old = lower_at(low, node->for_stmt.iter->span);
	LoopRange b = loop_range(low, range);
	lower_restore(low, old);
	lower_at(low, span);
	if (node->for_stmt.target->kind != AST_NAME) {
		lower_error(low, DIAG_UNSUPPORTED, "a loop variable that is not a name");
		lower_note(low, "for i in range(n): a, b = ... in the body");
		return (Flow){.kind = FLOW_FALL};
	}
	Sym variable = node->for_stmt.target->name.id;
	Loop loop = {.low = low, .span = span, .whole = whole};
	SymVec assigned = {0};
	assigned_names(low, &node->for_stmt.body, &assigned);
	open_exits(&loop, &node->for_stmt.body, &assigned);
	SlotVec before = frame_save(low, low->frame);
	IrBuilder outer = low->b;
	carry_find(&loop, &node->for_stmt.body, &assigned, variable);
	IrBlock *block = ir_block_new(low->m, NULL);
	IrValue *iv = ir_block_arg_add(low->m, block, b.ok ? b.from->tensor.ir->type : b.type->ir,
				       lower_named_loc(low, variable, node->for_stmt.target->span));
	low->b.block = block;
	low->b.before = NULL;
	const Val *value = b.ok ? loop_range_at(low, &b, iv) : val_tensor(low, iv, b.type);
	carry_enter(&loop, block, true, &loop.args);
	frame_set(low, low->frame, variable, value);
	const Val *broken = lower_body(&loop, &node->for_stmt.body);
	lower_at(low, span);
	carry_returned(&loop, &outer, block);
	carry_collect(&loop);
	carry_find_dropped(&loop, NULL, NULL);
	carry_drop_args(&loop, block, &loop.args);
	ValueVec next = carry_kept(&loop, &loop.next), init = carry_kept(&loop, &loop.init);
	if (!b.ok || (broken && broken->kind == VAL_POISON)) {
		irb_op(&low->b, OP_YIELD, next.data, next.len, NULL, 0, 0);
		outer.loc = low->b.loc;
		low->b = outer;
		frame_restore(low, low->frame, &before);
		for (uint32_t i = 0; i < assigned.len; i++)
			frame_set(low, low->frame, assigned.data[i], low->poison);
		return (Flow){.kind = FLOW_FALL};
	}
	if (broken) {
		IrOp *op = make_left_for(low, &outer, block, &b, broken, &next, &init);
		loop_attr(low, op, ATTR_NUM_STAGES, range->range.num_stages);
		loop_flag(low, op, ATTR_DISABLE_LICM, range->range.disable_licm);
		carry_leave(&loop, &before, op, 1, variable);
		return loop_after(low, loop.exits);
	}
	IrOp *op = make_for(low, &outer, block, &b, &next, &init);
	loop_attrs(low, op, range);
	carry_leave(&loop, &before, op, 0, variable);
	return loop_after(low, loop.exits);
}

/* ---- while ---- */

/* Names that the test assigned first are carried as well: nothing before it, what it assigned
 * after it. */
static void carry_fresh(Loop *loop, IrBuilder *outer, IrBlock *first, const SymVec *fresh,
			ValueVec *first_args)
{
	FrontLower *low = loop->low;
	for (uint32_t i = 0; i < fresh->len; i++) {
		const Val *v = frame_get(low->frame, fresh->data[i]);
		if (v && val_has_tensor(v) && !carry_has(loop, frame_slot(low, low->frame, fresh->data[i])))
			carry_late(loop, outer, fresh->data[i], v, first, first_args);
	}
}

/* What the test leaves in the carried names goes on into the body, and out of the loop. */
static void pass_on(Loop *loop, const ValueVec *first_args, ValueVec *out)
{
	FrontLower *low = loop->low;
	for (uint32_t i = 0; i < loop->names.len; i++) {
		const Carried *c = &loop->names.data[i];
		const Slot *slot = &low->frame->slots.data[c->slot];
		const Val *v = slot->val;
		bool keeps = !v || v->kind == VAL_POISON || !c->count;
		bool same = c->fleeting || !v || v->kind == VAL_POISON ||
			    (c->count ? val_same_shape(v, c->init) : carry_is_same(c->init, v));
		if (!same) {
			carry_error(loop, c, slot);
			keeps = true;
		}
		if (!keeps) {
			val_flatten(low, v, out);
			continue;
		}
		for (uint32_t k = 0; k < c->count; k++)
			vec_push(low->arena, out, first_args->data[c->first + k]);
	}
}

typedef struct Test {
	Ast *node;
} Test;

static const Val *test_of(FrontLower *low, void *data)
{
	const Test *t = data;
	const Val *cond = eval(low, t->node);
	if (val_is_number(cond) || cond->kind == VAL_NONE)
		cond = sem_to_tensor(low, val_bool(low, val_truth(cond)));
	return cond->kind == VAL_POISON ? cond : sem_condition(low, cond);
}

/* The test, which is not evaluated again after a turn that left the loop (`go`: it did not;
 * NULL: there is no such turn). */
static const Val *lower_test(FrontLower *low, Ast *node, Sym go)
{
	Span old = lower_at(low, node->span);
	Test t = {node};
	const Val *cond = go ? lower_lazy(low, false, frame_get(low->frame, go), test_of, &t, false)
			: test_of(low, &t);
	lower_restore(low, old);
	return cond;
}

/* The body of a `while`; afterwards `go` says whether it was left. */
static void lower_while_body(Loop *loop, const AstList *body, Sym go, IrBuilder *outer, IrBlock *first,
			     IrBlock *second, ValueVec *first_args, ValueVec *passed)
{
	FrontLower *low = loop->low;
	const Val *broken = lower_body(loop, body);
	lower_at(low, loop->span);
	if (broken)
		frame_set(low, low->frame, go,
			  broken->kind == VAL_POISON ? broken : sem_unary(low, UN_NOT, broken));
	uint32_t from = loop->init.len;
	if (!carry_returned(loop, outer, second))
		return;
	for (uint32_t i = from; i < loop->init.len; i++) {
		IrValue *arg = ir_block_arg_add(low->m, first, loop->init.data[i]->type, outer->loc);
		vec_push(low->arena, first_args, arg);
		vec_push(low->arena, passed, arg);
	}
}

/* The names that the loop changes; `go` is the hidden one among them that says whether another
 * iteration may come, NULL where nothing leaves the loop early. */
static Sym while_names(Loop *loop, Ast *node, SymVec *assigned, SymVec *in_test)
{
	FrontLower *low = loop->low;
	AstList test = {&node->if_stmt.test, 1};
	assigned_in_expressions(low, &test, assigned);
	assigned_in_expressions(low, &test, in_test);
	assigned_names(low, &node->if_stmt.body, assigned);
	open_exits(loop, &node->if_stmt.body, assigned);
	if (!loop->exits.breaks && !loop->exits.returns)
		return NULL;
	Sym go = loop_hidden(low, "go", low->frame->scope);
	frame_set(low, low->frame, go, sem_to_tensor(low, low->true_));
	vec_push(low->arena, assigned, go);
	return go;
}

/* After a faulty test: nothing is built, and what the loop would change is poison. */
static Flow while_poisoned(FrontLower *low, SlotVec *before, const SymVec *assigned)
{
	frame_restore(low, low->frame, before);
	for (uint32_t i = 0; i < assigned->len; i++)
		frame_set(low, low->frame, assigned->data[i], low->poison);
	return (Flow){.kind = FLOW_FALL};
}

Flow lower_while(FrontLower *low, Ast *node, Sym whole)
{
	Span span = node->span;
	Loop loop = {.low = low, .span = span, .whole = whole, .test = node->if_stmt.test};
	SymVec assigned = {0}, in_test = {0};
	Sym go = while_names(&loop, node, &assigned, &in_test);
	SlotVec before = frame_save(low, low->frame);
	IrBuilder outer = low->b;
	carry_find(&loop, &node->if_stmt.body, &assigned, NULL);

	IrBlock *first = ir_block_new(low->m, NULL), *second = ir_block_new(low->m, NULL);
	ValueVec first_args = {0}, passed = {0};
	low->b.block = first;
	low->b.before = NULL;
	carry_enter(&loop, first, false, &first_args);
	low->licm_disabled = false;
	const Val *cond = lower_test(low, node->if_stmt.test, go);
	bool licm_disabled = low->licm_disabled;
	lower_at(low, span);
	carry_fresh(&loop, &outer, first, &in_test, &first_args);
	pass_on(&loop, &first_args, &passed);
	IrBuilder test_end = low->b;

	low->b.block = second;
	carry_enter(&loop, second, true, &loop.args);
	lower_while_body(&loop, &node->if_stmt.body, go, &outer, first, second, &first_args, &passed);
	carry_collect(&loop);
	carry_find_dropped(&loop, &first_args, &passed);
	carry_drop_args(&loop, first, &first_args);
	carry_drop_args(&loop, second, &loop.args);
	ValueVec next = carry_kept(&loop, &loop.next), init = carry_kept(&loop, &loop.init);
	ValueVec pass = carry_kept(&loop, &passed);
	irb_op(&low->b, OP_YIELD, next.data, next.len, NULL, 0, 0);
	outer.loc = low->b.loc;
	low->b = outer;
	if (cond->kind == VAL_POISON)
		return while_poisoned(low, &before, &assigned);
	ValueVec condition = {0};
	vec_push(low->arena, &condition, cond->tensor.ir);
	for (uint32_t i = 0; i < pass.len; i++)
		vec_push(low->arena, &condition, pass.data[i]);
	irb_op(&test_end, OP_CONDITION, condition.data, condition.len, NULL, 0, 0);
	IrOp *op = irb_op(&low->b, OP_WHILE, init.data, init.len, carry_types(low, &init), init.len, 2);
	if (licm_disabled)
		ir_set(low->m, op, ATTR_DISABLE_LICM, ir_attr_unit(low->cx));
	ir_block_append(&op->regions[0], first);
	ir_block_append(&op->regions[1], second);
	carry_leave(&loop, &before, op, 0, NULL);
	return loop_after(low, loop.exits);
}
