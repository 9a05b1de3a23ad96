/* Statements of kernels. A list of statements is a stream: what a branch with an early return leaves to be done is
 * the rest of its stream, which becomes the region of the other branch (stmt_if.c). */
#include "front/core.h"

/* ---- assignment ---- */

const Val *sanitize(FrontLower *low, const Val *v)
{
	if (val_is_number(v))
		return val_add_origin(low, sem_to_tensor(low, v), v);
	if (v->kind != VAL_TUPLE)
		return v;
	Val *t = arena_copy(low->arena, v, sizeof *v);
	t->seq.items = ARENA_ARRAY(low->arena, const Val *, MAX(v->seq.len, 1u));
	for (uint32_t i = 0; i < v->seq.len; i++)
		t->seq.items[i] = sanitize(low, v->seq.items[i]);
	return t;
}

static bool assign_items(FrontLower *low, const AstList *targets, const Val *value)
{
	ValVec items = {0};
	if (!eval_items(low, value, &items))
		return false;
	uint32_t star = targets->len;
	for (uint32_t i = 0; i < targets->len; i++)
		if (targets->items[i]->kind == AST_STARRED)
			star = i;
	if (star == targets->len ? items.len != targets->len : items.len + 1 < targets->len) {
		lower_error(low, DIAG_UNPACK_COUNT, items.len, targets->len);
		return false;
	}
	bool ok = true;
	uint32_t extra = star < targets->len ? items.len + 1 - targets->len : 0;
	for (uint32_t i = 0; i < targets->len; i++) {
		if (i == star)
			ok = assign_target(low, targets->items[i]->wrap.value,
					   val_list(low, items.data + i, extra)) && ok;
		else
			ok = assign_target(low, targets->items[i], items.data[i > star ? i + extra - 1 : i]) && ok;
	}
	return ok;
}

/* After an error the names of the target are poison, so that nothing is said twice. */
static void poison_target(FrontLower *low, const Ast *target)
{
	if (target->kind == AST_NAME)
		frame_set(low, low->frame, target->name.id, low->poison);
	else if (target->kind == AST_TUPLE || target->kind == AST_LIST)
		for (uint32_t i = 0; i < target->seq.items.len; i++)
			poison_target(low, target->seq.items.items[i]);
	else if (target->kind == AST_STARRED)
		poison_target(low, target->wrap.value);
	else if (target->kind == AST_SUBSCRIPT)
		poison_target(low, target->subscript.value);
}

static bool assign_attribute(FrontLower *low, Ast *target, const Val *value)
{
	CONTRACT(target->kind == AST_ATTRIBUTE);
	const Val *object = eval(low, target->attribute.value);
	if (object->kind == VAL_POISON)
		return false;
	if (object->kind == VAL_OBJECT) {
		FrontClass *c = object->object.klass;
		/* Elsewhere it would be assigned whatever the branch, in the first turn of a loop alone, or in a copy. */
		if (object->object.home != low->b.block) {
			lower_error(low, DIAG_FIELD_ELSEWHERE, target->attribute.attr, val_describe(low, object));
			return false;
		}
		for (uint32_t i = 0; i < c->field_count; i++)
			if (c->fields[i].name == target->attribute.attr) {
				object->object.fields[i] = value;
				return true;
			}
		if (low->frame->host) {
			lower_error(low, DIAG_FIELD_UNKNOWN, c->name, target->attribute.attr);
			return false;
		}
	}
	lower_error(low, DIAG_UNSUPPORTED, "assignment to an attribute");
	return false;
}

/* An element of what the target's value is, `base`. Tiles are values: the target names another
 * one afterwards. */
static bool assign_element(FrontLower *low, Ast *target, const Val *base, const Val *index, const Val *value)
{
	CONTRACT(target->kind == AST_SUBSCRIPT);
	if (base->kind == VAL_POISON || index->kind == VAL_POISON)
		return false;
	if (base->kind == VAL_TENSOR) {
		const Val *tile = sem_assign(low, base, index, value);
		if (tile->kind == VAL_POISON && value->kind != VAL_POISON)
			hint_element(low, base);
		return tile->kind != VAL_POISON && assign_target(low, target->subscript.value, tile);
	}
	int64_t i;
	if (low->frame->host && base->kind == VAL_LIST && val_as_int(index, &i)) {
		i += i < 0 ? base->seq.len : 0;
		if (i < 0 || i >= base->seq.len) {
			lower_error(low, DIAG_INDEX, (long long)i, base->seq.len);
			return false;
		}
		base->seq.items[i] = value;
		return true;
	}
	if (low->frame->host && base->kind == VAL_DICT) {
		ValVec keys = {0}, values = {0};
		for (uint32_t k = 0; k < base->dict.len; k++) {
			vec_push(low->arena, &keys, base->dict.keys[k]);
			vec_push(low->arena, &values, base->dict.values[k]);
		}
		vec_push(low->arena, &keys, index);
		vec_push(low->arena, &values, value);
		((Val *)base)->dict = val_dict(low, keys.data, values.data, keys.len)->dict;
		return true;
	}
	lower_error(low, DIAG_UNSUPPORTED, "assignment to an element of a tuple or list");
	hint_element(low, base);
	return false;
}

static bool is_declared_constexpr(const Frame *frame, Sym name)
{
	for (uint32_t i = 0; i < frame->constexprs.len; i++)
		if (frame->constexprs.data[i] == name)
			return true;
	return false;
}

/* The value as it was before an assignment made tensors of its numbers; NULL after saying that it
 * was never known. */
static const Val *unsanitized(FrontLower *low, Sym name, const Val *v)
{
	if (v->kind == VAL_TENSOR) {
		if (!v->origin)
			lower_error(low, DIAG_NOT_CONSTEXPR, name, val_describe(low, v));
		return v->origin;
	}
	if (v->kind != VAL_TUPLE)
		return v;
	Val *t = arena_copy(low->arena, v, sizeof *v);
	t->seq.items = ARENA_ARRAY(low->arena, const Val *, MAX(v->seq.len, 1u));
	for (uint32_t i = 0; i < v->seq.len; i++)
		if (!(t->seq.items[i] = unsanitized(low, name, v->seq.items[i])))
			return NULL;
	return t;
}

static bool assign_name(FrontLower *low, Sym name, const Val *value)
{
	if (is_declared_constexpr(low->frame, name))
		value = unsanitized(low, name, value);
	frame_set(low, low->frame, name, value ? value : low->poison);
	return value != NULL;
}

bool assign_target(FrontLower *low, Ast *target, const Val *value)
{
	if (value->kind == VAL_POISON) {
		poison_target(low, target);
		return false;
	}
	Span old = lower_at(low, target->span);
	bool ok = true;
	switch (target->kind) {
	case AST_NAME:
		ok = assign_name(low, target->name.id, value);
		break;
	case AST_TUPLE:
	case AST_LIST:
		ok = assign_items(low, &target->seq.items, value);
		if (!ok)
			poison_target(low, target);
		break;
	case AST_ATTRIBUTE:
		ok = assign_attribute(low, target, value);
		break;
	case AST_SUBSCRIPT: {
		const Val *base = eval(low, target->subscript.value), *index = eval(low,
				target->subscript.index);
		ok = assign_element(low, target, base, index, value);
		break;
	}
	default:
		lower_error(low, DIAG_UNSUPPORTED, "this target of an assignment");
		ok = false;
	}
	lower_restore(low, old);
	return ok;
}

/* The value under the target's name as prefix of its locations. */
static const Val *eval_for(FrontLower *low, const Ast *target, Ast *value)
{
	Sym old = low->frame->prefix;
	low->frame->prefix = target->kind == AST_NAME ? target->name.id : NULL;
	lower_at(low, low->span);
	const Val *v = sanitize(low, eval(low, value));
	low->frame->prefix = old;
	lower_at(low, low->span);
	return v;
}

static void lower_assign(FrontLower *low, Ast *node)
{
	CONTRACT(node->kind == AST_ASSIGN);
	const AstList *targets = &node->assign.targets;
	const Ast *first = targets->items[0];
	/* The subject of a `match` stays what it is: a constant decides when compiling. */
	bool is_subject = first->kind == AST_NAME && strncmp(first->name.id, "%match", 6) == 0;
	if (is_subject)
		lower_extension(low, "`match`");
	const Val *v = is_subject ? eval(low, node->assign.value) : eval_for(low, first, node->assign.value);
	for (uint32_t i = 0; i < targets->len; i++)
		assign_target(low, targets->items[i], v);
}

static void lower_ann_assign(FrontLower *low, Ast *node)
{
	CONTRACT(node->kind == AST_ANN_ASSIGN);
	Ast *target = node->ann_assign.target;
	bool is_constexpr = is_constexpr_annotation(low->frame->ns, node->ann_assign.annotation);
	if (!node->ann_assign.value) {
		if (target->kind == AST_NAME && is_constexpr)
			vec_push(low->arena, &low->frame->constexprs, target->name.id);
		return;
	}
	if (!is_constexpr) {
		assign_target(low, target, eval_for(low, target, node->ann_assign.value));
		return;
	}
	const Val *v = eval(low, node->ann_assign.value);
	if (target->kind == AST_NAME) {
		uint64_t index;
		const Slot *slot = map_get(&low->frame->slot_of, map_key(target->name.id), &index)
					   ? &low->frame->slots.data[index] : NULL;
		/* The same statement again is a turn of an unrolled loop. */
		if (slot && slot->val && slot->val->kind != VAL_POISON && slot->at.start != target->span.start) {
			Span old = lower_at(low, target->span);
			lower_error(low, DIAG_CONSTEXPR_AGAIN, target->name.id);
			lower_restore(low, old);
			return;
		}
	}
	assign_target(low, target, v->kind == VAL_TENSOR && v->origin ? v->origin : v);
}

static void lower_aug_assign(FrontLower *low, Ast *node)
{
	CONTRACT(node->kind == AST_AUG_ASSIGN);
	Ast *target = node->aug_assign.target;
	Sym old = low->frame->prefix;
	low->frame->prefix = target->kind == AST_NAME ? target->name.id : NULL;
	lower_at(low, low->span);
	const Val *base = NULL, *index = NULL; /* evaluated once */
	if (target->kind == AST_SUBSCRIPT) {
		base = eval(low, target->subscript.value);
		index = eval(low, target->subscript.index);
	}
	const Val *l = base ? eval_subscript(low, base, index) : eval(low, target);
	const Val *r = eval(low, node->aug_assign.value);
	lower_at(low, node->span);
	const Val *v = sanitize(low, eval_binary(low, node->aug_assign.op, l, r));
	low->frame->prefix = old;
	lower_at(low, node->span);
	if (base && v->kind != VAL_POISON)
		assign_element(low, target, base, index, v);
	else
		assign_target(low, target, v);
}

/* ---- small statements ---- */

/* An exception that the kernel raises while it is compiled: class and message. */
static void lower_raise(FrontLower *low, Ast *node)
{
	CONTRACT(node->kind == AST_RAISE);
	Ast *exc = node->raise.exc;
	if (!exc) {
		lower_error(low, DIAG_RAISED, "exception", "");
		return;
	}
	const Val *v = eval(low, exc);
	if (v->kind == VAL_POISON)
		return;
	const char *name = v->kind == VAL_OBJECT ? v->object.klass->name :
			   v->kind == VAL_CLASS	 ? v->klass->name :
						   val_type_name(v);
	const char *text = "";
	if (v->kind == VAL_OBJECT && v->object.klass->kind == CLASS_EXCEPTION && v->object.fields[0] &&
	    v->object.fields[0]->seq.len)
		text = arena_printf(low->arena, ": %s", val_str_text(low, v->object.fields[0]->seq.items[0]));
	lower_error(low, DIAG_RAISED, name, text);
}

static void lower_assert(FrontLower *low, Ast *node)
{
	CONTRACT(node->kind == AST_ASSERT);
	const Val *test = eval(low, node->assert_stmt.test);
	if (test->kind == VAL_POISON)
		return;
	if (test->kind != VAL_TENSOR) {
		bool ok, truth = eval_truth(low, test, &ok);
		if (!ok || truth)
			return;
		const Val *msg = node->assert_stmt.msg ? eval(low, node->assert_stmt.msg) : NULL;
		if (!msg || msg->kind != VAL_POISON)
			lower_error(low, DIAG_ASSERT, msg ? ": " : "", msg ? val_str_text(low, msg) : "");
		return;
	}
	Ast *text = node->assert_stmt.msg;
	const Val *msg = low->poison;
	Template t;
	if (text && text->kind == AST_JOINED_STR)
		msg = template_read(low, text, &t) && template_assert(low, test, &t) ? t.shown : low->poison;
	else
		msg = text ? eval_early(low, text, "the message of an `assert`") : val_str(low, STR(""));
	const Val *args[] = {test, msg};
	if (msg->kind != VAL_POISON)
		sem_call(low, "device_assert", args, 2);
}

static void lower_delete(FrontLower *low, Ast *node)
{
	for (uint32_t i = 0; i < node->del.targets.len; i++) {
		Ast *target = node->del.targets.items[i];
		if (target->kind != AST_NAME) {
			lower_error(low, DIAG_UNSUPPORTED, "del of anything but a name");
			continue;
		}
		if (eval(low, target)->kind == VAL_POISON)
			continue;
		uint32_t slot = frame_slot(low, low->frame, target->name.id);
		low->frame->slots.data[slot] = (Slot){.why = WHY_DELETED, .at = node->span};
	}
}

static void lower_nested_def(FrontLower *low, Ast *node)
{
	CONTRACT(node->kind == AST_FUNCTION_DEF || node->kind == AST_LAMBDA);
	FrontFunction *ast = function_of_ast(low->frame->ns, node->function);
	function_decorate(ast);
	if (ast->kind == FN_HOST) {
		lower_error(low, DIAG_UNSUPPORTED, "a function defined inside a kernel");
		return;
	}
	FrontFunction *f = arena_copy(low->arena, ast, sizeof *ast);
	f->env = low->frame;
	f->id = 0x80000000u + ++low->closures;
	if (function_defaults(low, f))
		frame_set(low, low->frame, node->function->name, val_function(low, f));
}

/* An operation that is computed for nothing: as what it gives is dropped, it does not change
 * what it was given. */
static void lower_dropped(FrontLower *low, Ast *expr)
{
	const IrOp *last = low->b.block->last;
	const Val *v = eval_dropped(low, expr);
	bool operation = expr->kind == AST_CALL || expr->kind == AST_BIN_OP || expr->kind == AST_COMPARE ||
			 expr->kind == AST_UNARY_OP;
	const IrOp *made = v->kind == VAL_TENSOR && v->tensor.ir ? v->tensor.ir->def : NULL;
	if (!operation || low->frame->host || !made || made == last || made != low->b.block->last ||
	    !ir_is_pure(made))
		return;
	bool advance = made->kind == OP_ADVANCE && expr->kind == AST_CALL;
	Span old = lower_at(low, advance ? expr->call.func->span : expr->span);
	if (advance)
		lower_error(low, DIAG_ADVANCE_UNUSED, lower_source_text(low));
	else
		lower_warning(low, DIAG_RESULT_UNUSED, lower_source_text(low));
	lower_restore(low, old);
}

static void lower_simple(FrontLower *low, Ast *node)
{
	switch (node->kind) {
	case AST_ASSIGN:
		lower_assign(low, node);
		break;
	case AST_ANN_ASSIGN:
		lower_ann_assign(low, node);
		break;
	case AST_AUG_ASSIGN:
		lower_aug_assign(low, node);
		break;
	case AST_EXPR:
		if (node->unary_stmt.value->kind != AST_STRING)
			lower_dropped(low, node->unary_stmt.value);
		break;
	case AST_PASS:
		break;
	case AST_ASSERT:
		lower_assert(low, node);
		break;
	case AST_DELETE:
		lower_delete(low, node);
		break;
	case AST_IMPORT:
	case AST_IMPORT_FROM:
		bind_import(low, node);
		break;
	case AST_FUNCTION_DEF:
		lower_nested_def(low, node);
		break;
	case AST_WITH:
		lower_error(low, DIAG_UNSUPPORTED, "a `with` statement");
		break;
	case AST_BREAK:
		lower_error(low, DIAG_UNSUPPORTED, "`break` outside a loop");
		break;
	case AST_CONTINUE:
		lower_error(low, DIAG_UNSUPPORTED, "`continue` outside a loop");
		break;
	case AST_TRY:
		lower_error(low, DIAG_UNSUPPORTED, "`try`");
		lower_note(low, "device_assert tells of what must not be, and static_assert of what is known when compiling");
		break;
	case AST_GLOBAL:
	case AST_NONLOCAL:
		lower_error(low, DIAG_UNSUPPORTED, node->kind == AST_GLOBAL ? "`global`" : "`nonlocal`");
		break;
	case AST_CLASS_DEF:
		lower_error(low, DIAG_UNSUPPORTED, "a class defined inside a kernel");
		break;
	case AST_SKIPPED:
		lower_error(low, DIAG_UNSUPPORTED, "this statement");
		break;
	default:
		BUG("statement %s", ast_kind_name(node->kind));
	}
}

/* ---- streams ---- */

typedef struct Unroll {
	ValVec items;
	uint32_t next;
	Ast *target;
} Unroll;

static const Stream *keep(FrontLower *low, const Stream *s)
{
	return arena_copy(low->arena, s, sizeof *s);
}

/* Moves past the ends of lists; false when nothing is left. */
static bool stream_ready(FrontLower *low, Stream *s)
{
	for (;;) {
		if (s->at < s->list.len)
			return true;
		if (s->unroll && s->unroll->next < s->unroll->items.len) {
			if (!lower_step(low))
				return false;
			assign_target(low, s->unroll->target, s->unroll->items.data[s->unroll->next++]);
			s->at = 0;
			if (!s->list.len)
				return false;
			continue;
		}
		if (!s->next)
			return false;
		*s = *s->next;
	}
}

static Flow flow_return(FrontLower *low, Ast *node)
{
	const Val *v = low->none;
	if (node->unary_stmt.value)
		v = sanitize(low, eval(low, node->unary_stmt.value));
	if (low->frame->scope)
		return loop_return(low, v, node->span);
	return (Flow){.kind = FLOW_RETURN, .value = v, .at = node->span};
}

/* What a `for` runs over: an unrolled loop joins the stream, a run-time one is lowered here. */
static Flow enter_for(FrontLower *low, Ast *node, Stream *s)
{
	if (node->for_stmt.orelse.len)
		lower_error(low, DIAG_UNSUPPORTED, "`else` of a loop");
	Span old = lower_at(low, node->for_stmt.iter->span);
	const Val *iter = eval(low, node->for_stmt.iter);
	bool dynamic = iter->kind == VAL_RANGE && iter->range.range != RANGE_STATIC;
	ValVec items = {0};
	bool ok = iter->kind != VAL_POISON && (dynamic || eval_items(low, iter, &items));
	lower_restore(low, old);
	if (!ok) {
		poison_target(low, node->for_stmt.target);
		return (Flow){.kind = FLOW_FALL};
	}
	if (dynamic)
		return lower_for(low, node, iter);
	LoopExits exits = loop_exits(&node->for_stmt.body);
	if (exits.breaks || exits.continues)
		return loop_turns(low, node, &items);
	Unroll *unroll = ARENA_NEW(low->arena, Unroll);
	unroll->items = items;
	unroll->target = node->for_stmt.target;
	*s = (Stream){.list = node->for_stmt.body, .at = node->for_stmt.body.len, .unroll = unroll, .next = keep(low, s)};
	return (Flow){.kind = FLOW_FALL};
}

static bool has_left(const Stream *s)
{
	for (; s; s = s->next)
		if (s->at < s->list.len || (s->unroll && s->unroll->next < s->unroll->items.len))
			return true;
	return false;
}

/* An `if` known now joins the stream; false when the condition is only known at run time (*cond). */
static bool enter_if(FrontLower *low, Ast *node, Stream *s, const Val **cond)
{
	*cond = eval(low, node->if_stmt.test);
	if ((*cond)->kind == VAL_TENSOR)
		return false;
	bool ok = false, truth = (*cond)->kind != VAL_POISON && eval_truth(low, *cond, &ok);
	if (!ok) {
		/* Both branches, for the errors in them; their names are poison after it. */
		SymVec names = {0};
		assigned_names(low, &node->if_stmt.body, &names);
		assigned_names(low, &node->if_stmt.orelse, &names);
		for (uint32_t i = 0; i < names.len; i++)
			frame_set(low, low->frame, names.data[i], low->poison);
		return true;
	}
	const AstList *active = truth ? &node->if_stmt.body : &node->if_stmt.orelse;
	if (active->len)
		*s = (Stream){.list = *active, .next = keep(low, s)};
	return true;
}

static Flow lower_statements(FrontLower *low, Stream s, bool tail)
{
	while (!low->stopped && stream_ready(low, &s)) {
		Ast *node = s.list.items[s.at++];
		if (!lower_step(low))
			break;
		lower_at(low, node->span);
		const Val *cond = NULL;
		if (node->kind == AST_RETURN)
			return flow_return(low, node);
		if (node->kind == AST_RAISE) {
			lower_raise(low, node);
			return (Flow){.kind = FLOW_RETURN, .value = low->poison, .at = node->span};
		}
		if (node->kind == AST_IF) {
			if (enter_if(low, node, &s, &cond))
				continue;
			lower_at(low, node->span);
			bool went_on = false;
			Flow flow = lower_if(low, node, cond, &s, tail, &went_on);
			if (flow.kind == FLOW_MAYBE && !went_on && has_left(&s))
				return lower_guarded(low, flow, &s, tail);
			if (went_on || flow.kind != FLOW_FALL)
				return flow;
		} else if (node->kind == AST_FOR || node->kind == AST_WHILE) {
			Flow flow = node->kind == AST_FOR ? enter_for(low, node, &s) : lower_while(low, node);
			if (flow.kind == FLOW_MAYBE && has_left(&s))
				return lower_guarded(low, flow, &s, tail);
			if (flow.kind == FLOW_MAYBE && tail)
				flow.kind = FLOW_RETURN;
			if (flow.kind != FLOW_FALL)
				return flow;
		} else if (low->frame->scope && (node->kind == AST_BREAK || node->kind == AST_CONTINUE)) {
			return loop_leave(low, node);
		} else {
			lower_simple(low, node);
		}
	}
	return (Flow){.kind = FLOW_FALL};
}

Flow lower_stream(FrontLower *low, Stream s, bool tail)
{
	if (++low->depth > LOWER_MAX_NEST) {
		lower_stop(low, DIAG_LIMIT_NEST);
		low->depth--;
		return (Flow){.kind = FLOW_RETURN, .value = low->poison};
	}
	Span old = low->span;
	Flow flow = lower_statements(low, s, tail);
	lower_at(low, old);
	low->depth--;
	return flow;
}
