/* Statements of kernels. A list of statements is a stream: what a branch with an early return
 * leaves to be done is the rest of its stream, which becomes the region of the other branch
 * (stmt_if.c). */
#include "front/core.h"

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
	if (node->function->is_async) {
		lower_error(low, DIAG_UNSUPPORTED, "`async`");
		return;
	}
	FrontFunction *ast = function_of_ast(low->frame->ns, node->function);
	function_decorate(ast);
	if (ast->kind == FN_HOST && !lower_extension(low, "functions inside kernels without a decorator"))
		return;
	FrontFunction *f = arena_copy(low->arena, ast, sizeof *ast);
	f->kind = ast->kind == FN_HOST ? FN_JIT : ast->kind;
	f->env = low->frame;
	f->id = FIRST_CLOSURE + ++low->closures;
	nonlocal_defined(low, f);
	if (function_defaults(low, f))
		frame_set(low, low->frame, node->function->name, val_function(low, f));
}

/* The function that a name or an attribute stands for: @must_use_result is about it. */
static const FrontFunction *named_function(FrontLower *low, Ast *func)
{
	bool of_name = func->kind == AST_ATTRIBUTE && func->attribute.value->kind == AST_NAME;
	if (func->kind != AST_NAME && !of_name)
		return NULL;
	const Val *v = eval(low, func);
	v = v->kind == VAL_METHOD ? v->method.callee : v;
	if (v->kind != VAL_FUNCTION)
		return NULL;
	function_decorate(v->function);
	return v->function;
}

static bool may_be_dropped(FrontLower *low, Ast *expr)
{
	if (expr->kind != AST_CALL || low->frame->host)
		return true;
	uint32_t before = low->diags->errors;
	const FrontFunction *f = named_function(low, expr->call.func);
	if (low->diags->errors != before)
		return false;
	if (!f || !f->must_use)
		return true;
	Ast *said = f->must_use;
	if (said->kind == AST_CALL && said->call.args.len)
		said = said->call.args.items[0];
	bool says = said->kind == AST_STRING;
	Span old = lower_at(low, expr->call.func->span);
	const char *name = lower_source_text(low);
	lower_at(low, expr->span);
	const Val *text = says ? eval(low, said) : NULL;
	lower_error(low, DIAG_RESULT_DROPPED, name, text ? " " : "",
		    text ? val_str_text(low, text) : "");
	lower_restore(low, old);
	return false;
}

/* An operation that is computed for nothing: as what it gives is dropped, it does not change
 * what it was given. */
static void lower_dropped(FrontLower *low, Ast *expr)
{
	if (!may_be_dropped(low, expr))
		return;
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

/* What it declares was bound when the function was entered, where it stands in the body itself. */
static void lower_nonlocal(FrontLower *low, const Ast *node)
{
	bool declared = true;
	for (uint32_t i = 0; i < node->names.count; i++)
		declared = declared && nonlocal_is_declared(low, node->names.names[i]);
	if (!declared)
		lower_error(low, DIAG_UNSUPPORTED,
			    "`nonlocal` under a condition, or outside a function of the kernel");
}

static void lower_simple(FrontLower *low, Ast *node)
{
	if (!strict_statement(low, node))
		return;
	switch (node->kind) {
	case AST_ASSIGN:
	case AST_ANN_ASSIGN:
	case AST_AUG_ASSIGN:
		lower_assignment(low, node);
		break;
	case AST_EXPR:
		if (node->unary_stmt.value->kind != AST_STRING && !list_appended(low, node->unary_stmt.value))
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
		if (low->frame->host || lower_extension(low, "`import` inside a kernel"))
			bind_import(low, node);
		break;
	case AST_FUNCTION_DEF:
		lower_nested_def(low, node);
		break;
	case AST_WITH:
		lower_error(low, DIAG_UNSUPPORTED, "a `with` statement");
		lower_note(low, "what it opens is the host's: it stands around the launch");
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
	case AST_NONLOCAL:
		lower_nonlocal(low, node);
		break;
	case AST_GLOBAL:
		lower_error(low, DIAG_UNSUPPORTED, "`global`");
		lower_note(low, "tl.store through a pointer argument gives results to the host, "
				"`return` to a caller in the kernel");
		break;
	case AST_CLASS_DEF:
		lower_error(low, DIAG_UNSUPPORTED, "a class defined inside a kernel");
		lower_note(low, "a class at module level, decorated with "
				"@triton.language.core._aggregate, holds values of a kernel");
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
	uint32_t errors; /* that there were before its first turn */
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
		/* Behind a turn with errors the others would repeat them, or what follows. */
		if (s->unroll && s->unroll->errors < low->diags->errors)
			s->unroll->next = s->unroll->items.len;
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
	v = nonlocal_returned(low, v);
	if (low->frame->scope)
		return loop_return(low, v, node->span);
	return (Flow){.kind = FLOW_RETURN, .value = v, .at = node->span};
}

/* The `else` of a loop comes next. */
static void put_else(FrontLower *low, const Ast *node, Sym whole, const AstList *orelse, Stream *s)
{
	if (orelse->len)
		*s = (Stream){.list = *loop_else(low, node, whole, orelse), .next = keep(low, s)};
}

static Flow enter_while(FrontLower *low, Ast *node, Stream *s)
{
	const AstList *orelse = &node->if_stmt.orelse;
	Sym whole = loop_may_break(low, node, &node->if_stmt.body, orelse);
	Flow flow = lower_while(low, node, whole);
	put_else(low, node, whole, orelse, s);
	return flow;
}

/* What a `for` runs over: an unrolled loop joins the stream, a run-time one is lowered here. */
static Flow enter_for(FrontLower *low, Ast *node, Stream *s)
{
	const AstList *orelse = &node->for_stmt.orelse;
	Span old = lower_at(low, node->for_stmt.iter->span);
	const Val *iter = eval(low, node->for_stmt.iter);
	bool dynamic = iter->kind == VAL_RANGE && iter->range.range != RANGE_STATIC;
	ValVec items = {0};
	bool ok = iter->kind != VAL_POISON && strict_for(low, iter) &&
		  (dynamic || eval_items(low, iter, &items));
	lower_restore(low, old);
	if (!ok) {
		poison_target(low, node->for_stmt.target);
		return (Flow){.kind = FLOW_FALL};
	}
	if (!dynamic)
		loop_note_targets(low, node->for_stmt.target);
	Sym whole = loop_may_break(low, node, &node->for_stmt.body, orelse);
	LoopExits exits = loop_exits(&node->for_stmt.body);
	bool left = exits.breaks || exits.continues || (exits.returns && low->frame->scope);
	Flow flow = {.kind = FLOW_FALL};
	if (dynamic)
		flow = lower_for(low, node, iter, whole);
	else if (left)
		flow = loop_turns(low, node, &items, whole);
	put_else(low, node, whole, orelse, s);
	if (dynamic || left)
		return flow;
	Unroll *unroll = ARENA_NEW(low->arena, Unroll);
	unroll->items = items;
	unroll->errors = low->diags->errors;
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

/* An `if` known now joins the stream; false when the condition is only known at run time
 * (*cond). */
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
			bool is_for = node->kind == AST_FOR;
			Flow flow = is_for ? enter_for(low, node, &s) : enter_while(low, node, &s);
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
