/* Plain Python run while compiling: bodies of host functions and constexpr functions, and classes. Statements run
 * one after the other on host values; an exception that nobody catches is an error at its `raise`. */
#include "front/core.h"
#include "front/demote.h"
#include "front/syntax/parse.h"

typedef enum { EXEC_NEXT, EXEC_RETURN, EXEC_BREAK, EXEC_CONTINUE, EXEC_RAISE } ExecKind;

typedef struct Exec {
	ExecKind kind;
	const Val *value; /* of RETURN */
} Exec;

static Exec exec_block(FrontLower *low, const AstList *body);

static Exec failed(FrontLower *low)
{
	return (Exec){EXEC_RAISE, low->poison};
}

static const Exec next = {EXEC_NEXT, NULL};

/* ---- statements ---- */

static bool test(FrontLower *low, Ast *node, bool *ok)
{
	const Val *v = eval(low, node);
	*ok = v->kind != VAL_POISON;
	return *ok && eval_truth(low, v, ok);
}

static Exec exec_loop_body(FrontLower *low, const AstList *body, bool *stop)
{
	Exec e = exec_block(low, body);
	*stop = e.kind != EXEC_NEXT && e.kind != EXEC_CONTINUE;
	return e.kind == EXEC_BREAK || e.kind == EXEC_CONTINUE ? next : e;
}

static Exec exec_for(FrontLower *low, Ast *node)
{
	CONTRACT(node->kind == AST_FOR);
	const Val *iter = eval(low, node->for_stmt.iter);
	ValVec items = {0};
	if (iter->kind == VAL_POISON || !eval_items(low, iter, &items))
		return failed(low);
	for (uint32_t i = 0; i < items.len; i++) {
		bool stop;
		if (!lower_step(low) || !assign_target(low, node->for_stmt.target, items.data[i]))
			return failed(low);
		Exec e = exec_loop_body(low, &node->for_stmt.body, &stop);
		if (stop)
			return e;
	}
	return exec_block(low, &node->for_stmt.orelse);
}

static Exec exec_while(FrontLower *low, Ast *node)
{
	for (;;) {
		bool ok, stop, go = test(low, node->if_stmt.test, &ok);
		if (!ok || !lower_step(low))
			return failed(low);
		if (!go)
			return exec_block(low, &node->if_stmt.orelse);
		Exec e = exec_loop_body(low, &node->if_stmt.body, &stop);
		if (stop)
			return e;
	}
}

static Exec exec_raise(FrontLower *low, Ast *node)
{
	CONTRACT(node->kind == AST_RAISE);
	const Val *exc = node->raise.exc ? eval(low, node->raise.exc) : low->frame->raised;
	if (exc && exc->kind == VAL_POISON)
		return failed(low);
	const char *name = !exc ? "exception" : exc->kind == VAL_OBJECT ? exc->object.klass->name :
			   exc->kind == VAL_CLASS ? exc->klass->name : val_type_name(exc);
	const char *text = exc && exc->kind == VAL_OBJECT ? val_str_text(low, exc) : "";
	low->frame->raised = exc;
	lower_error(low, DIAG_RAISED, name, *text ? arena_printf(low->arena, ": %s", text) : "");
	return failed(low);
}

static Exec exec_assert(FrontLower *low, Ast *node)
{
	CONTRACT(node->kind == AST_ASSERT);
	bool ok, holds = test(low, node->assert_stmt.test, &ok);
	if (!ok)
		return failed(low);
	if (holds)
		return next;
	const Val *msg = node->assert_stmt.msg ? eval(low, node->assert_stmt.msg) : NULL;
	lower_error(low, DIAG_ASSERT, msg ? ": " : "", msg ? val_str_text(low, msg) : "");
	return failed(low);
}

static bool class_is(const FrontClass *c, const FrontClass *base)
{
	for (; c; c = c->base)
		if (c == base)
			return true;
	return false;
}

/* Does an `except` clause take the exception? One that the compiler found (no object) is taken by any. */
static bool catches(FrontLower *low, const Ast *handler, const Val *raised)
{
	if (!handler->except.type || !raised || raised->kind != VAL_OBJECT)
		return true;
	const Val *types = eval(low, handler->except.type);
	uint32_t n = types->kind == VAL_TUPLE ? types->seq.len : 1;
	for (uint32_t i = 0; i < n; i++) {
		const Val *t = types->kind == VAL_TUPLE ? types->seq.items[i] : types;
		if (t->kind == VAL_CLASS && class_is(raised->object.klass, t->klass))
			return true;
		if (t->kind == VAL_CLASS && (strcmp(t->klass->name, "Exception") == 0 ||
					     strcmp(t->klass->name, "BaseException") == 0))
			return true;
	}
	return false;
}

/* Messages of the body are kept aside: they only count when no clause takes the exception. */
static Exec exec_try(FrontLower *low, Ast *node)
{
	CONTRACT(node->kind == AST_TRY);
	DiagList aside, *diags = low->diags;
	diag_init(&aside, low->arena, diags->sources);
	low->diags = &aside;
	low->frame->raised = NULL;
	Exec e = exec_block(low, &node->try_stmt.body);
	low->diags = diags;
	bool stopped = low->stopped && !diag_full(diags);
	if (e.kind == EXEC_RAISE && !stopped) {
		const Val *raised = low->frame->raised;
		for (uint32_t i = 0; i < node->try_stmt.handlers.len; i++) {
			const Ast *handler = node->try_stmt.handlers.items[i];
			if (!catches(low, handler, raised))
				continue;
			if (handler->except.name)
				frame_set(low, low->frame, handler->except.name, raised ? raised : low->none);
			aside.first = NULL;
			e = exec_block(low, &handler->except.body);
			break;
		}
	} else if (e.kind == EXEC_NEXT) {
		e = exec_block(low, &node->try_stmt.orelse);
	}
	if (aside.first) {
		for (Diag *d = aside.first; d; d = d->next)
			diags->errors += d->severity == DIAG_ERROR;
		if (diags->last)
			diags->last->next = aside.first;
		else
			diags->first = aside.first;
		diags->last = aside.last;
	}
	Exec last = exec_block(low, &node->try_stmt.finalbody);
	return last.kind == EXEC_NEXT ? e : last;
}

static Exec exec_def(FrontLower *low, Ast *node)
{
	CONTRACT(node->kind == AST_FUNCTION_DEF || node->kind == AST_LAMBDA);
	FrontFunction *ast = function_of_ast(low->frame->ns, node->function);
	function_decorate(ast);
	FrontFunction *f = arena_copy(low->arena, ast, sizeof *ast);
	f->env = low->frame;
	f->id = FIRST_CLOSURE + ++low->closures;
	if (!function_defaults(low, f))
		return failed(low);
	frame_set(low, low->frame, node->function->name, val_function(low, f));
	return next;
}

static Exec exec_import(FrontLower *low, Ast *node)
{
	bind_import(low, node);
	return next;
}

static Exec exec_assign(FrontLower *low, Ast *node)
{
	const Val *v;
	if (node->kind == AST_ANN_ASSIGN) {
		if (!node->ann_assign.value)
			return next;
		v = eval(low, node->ann_assign.value);
		return assign_target(low, node->ann_assign.target, v) ? next : failed(low);
	}
	if (node->kind == AST_AUG_ASSIGN) {
		const Val *l = eval(low, node->aug_assign.target), *r = eval(low, node->aug_assign.value);
		v = eval_binary(low, node->aug_assign.op, l, r);
		return assign_target(low, node->aug_assign.target, v) ? next : failed(low);
	}
	if (refuse_named_generator(low, node->assign.targets.items[0], node->assign.value))
		return failed(low);
	v = eval(low, node->assign.value);
	for (uint32_t i = 0; i < node->assign.targets.len; i++)
		if (!assign_target(low, node->assign.targets.items[i], v))
			return failed(low);
	return next;
}

static Exec exec_statement(FrontLower *low, Ast *node)
{
	switch (node->kind) {
	case AST_RETURN: {
		const Val *v = node->unary_stmt.value ? eval(low, node->unary_stmt.value) : low->none;
		return v->kind == VAL_POISON ? failed(low) : (Exec){EXEC_RETURN, v};
	}
	case AST_ASSIGN:
	case AST_ANN_ASSIGN:
	case AST_AUG_ASSIGN:
		return exec_assign(low, node);
	case AST_EXPR:
		return eval(low, node->unary_stmt.value)->kind == VAL_POISON ? failed(low) : next;
	case AST_IF: {
		bool ok, go = test(low, node->if_stmt.test, &ok);
		return ok ? exec_block(low, go ? &node->if_stmt.body : &node->if_stmt.orelse) : failed(low);
	}
	case AST_FOR:
		return exec_for(low, node);
	case AST_WHILE:
		return exec_while(low, node);
	case AST_BREAK:
		return (Exec){EXEC_BREAK, NULL};
	case AST_CONTINUE:
		return (Exec){EXEC_CONTINUE, NULL};
	case AST_RAISE:
		return exec_raise(low, node);
	case AST_ASSERT:
		return exec_assert(low, node);
	case AST_TRY:
		return exec_try(low, node);
	case AST_FUNCTION_DEF:
		return exec_def(low, node);
	case AST_IMPORT:
	case AST_IMPORT_FROM:
		return exec_import(low, node);
	case AST_PASS:
		return next;
	default:
		lower_error(low, DIAG_HOST_STATEMENT, ast_kind_name(node->kind));
		return failed(low);
	}
}

static Exec exec_block(FrontLower *low, const AstList *body)
{
	for (uint32_t i = 0; i < body->len; i++) {
		if (!lower_step(low))
			return failed(low);
		if (++low->depth > LOWER_MAX_NEST) {
			lower_stop(low, DIAG_LIMIT_NEST);
			low->depth--;
			return failed(low);
		}
		Span old = lower_at(low, body->items[i]->span);
		Exec e = exec_statement(low, body->items[i]);
		lower_restore(low, old);
		low->depth--;
		if (e.kind != EXEC_NEXT)
			return e;
	}
	return next;
}

/* ---- functions ---- */

static uint32_t host_depth(const Frame *frame)
{
	uint32_t n = 0;
	for (; frame; frame = frame->caller)
		n++;
	return n;
}

const Val *host_call(FrontLower *low, const Val *callee, FrontFunction *f, const CallArgs *args)
{
	(void)callee;
	if (host_depth(low->frame) > LOWER_MAX_CALLS) {
		lower_stop(low, DIAG_LIMIT_CALLS, f->ast->name ? f->ast->name : "<lambda>", LOWER_MAX_CALLS);
		return low->poison;
	}
	const Val **values = ARENA_ARRAY(low->arena, const Val *, MAX(f->ast->param_count, 1u));
	if (!bind_arguments(low, f, args, values) || !function_parse(f, low->diags))
		return low->poison;
	Frame *caller = low->frame;
	Frame *frame = frame_new(low, f, function_scope(f));
	frame->host = frame->free_globals = true;
	frame->env = f->env;
	frame->caller = caller;
	frame->call_span = low->span;
	low->frame = frame;
	for (uint32_t i = 0; i < f->ast->param_count; i++) {
		const Val *v = values[i];
		/* A number that was assigned in a kernel is the number here. */
		frame_set(low, frame, f->ast->params[i].name,
			  v->kind == VAL_TENSOR && v->origin && f->kind == FN_CONSTEXPR ? v->origin : v);
	}
	Exec e = exec_block(low, &f->ast->body);
	low->frame = caller;
	if (e.kind == EXEC_RAISE) {
		caller->raised = frame->raised;
		return low->poison;
	}
	return e.kind == EXEC_RETURN ? e.value : low->none;
}

/* ---- classes ---- */

static bool fill_fields(FrontLower *low, FrontClass *c, const CallArgs *args, const Val **fields)
{
	if (args->arg_count > c->field_count) {
		lower_error(low, DIAG_ARGUMENT_COUNT, c->name, c->field_count, args->arg_count);
		return false;
	}
	for (uint32_t i = 0; i < args->arg_count; i++)
		fields[i] = args->args[i];
	for (uint32_t k = 0; k < args->keyword_count; k++) {
		uint32_t i = 0;
		while (i < c->field_count && c->fields[i].name != args->names[k])
			i++;
		if (i == c->field_count) {
			lower_error(low, DIAG_ARGUMENT_UNKNOWN, c->name, args->names[k]);
			return false;
		}
		fields[i] = args->values[k];
	}
	for (uint32_t i = 0; i < c->field_count; i++) {
		if (!fields[i] && c->fields[i].value)
			fields[i] = resolve_field(low, c, i);
		if (!fields[i]) {
			lower_error(low, DIAG_ARGUMENT_MISSING, c->name,
				    arena_printf(low->arena, "'%s'", c->fields[i].name));
			return false;
		}
	}
	return true;
}

/* What an aggregate's field is declared to be: constexprs stay known, numbers become tensors. */
static const Val *field_value(FrontLower *low, FrontClass *c, const ClassField *field, const Val *v)
{
	if (is_constexpr_annotation(c->ns.outer, field->annotation))
		return v->kind == VAL_TENSOR && v->origin ? v->origin : v;
	return c->kind == CLASS_AGGREGATE ? sanitize(low, v) : v;
}

static const Val *construct(FrontLower *low, FrontClass *c, const CallArgs *args)
{
	Val *object = val_new(low, VAL_OBJECT);
	object->object.klass = c;
	object->object.fields = ARENA_ARRAY(low->arena, const Val *, MAX(c->field_count, 1u));
	object->object.home = low->b.block;
	const Val *init = resolve_class_member(low, c, lower_sym(low, STR("__init__")), NULL);
	if (!init) {
		if (!fill_fields(low, c, args, object->object.fields))
			return low->poison;
	} else {
		const Val *r = NULL;
		CallArgs with = *args;
		with.arg_count++;
		with.args = ARENA_ARRAY(low->arena, const Val *, with.arg_count);
		with.args[0] = object;
		if (args->arg_count)
			memcpy(with.args + 1, args->args, args->arg_count * sizeof *args->args);
		r = host_call(low, init, init->function, &with);
		if (r->kind == VAL_POISON)
			return r;
	}
	for (uint32_t i = 0; i < c->field_count; i++) {
		if (!object->object.fields[i])
			return lower_error(low, DIAG_FIELD_UNSET, c->name, c->fields[i].name);
		object->object.fields[i] = field_value(low, c, &c->fields[i], object->object.fields[i]);
	}
	return object;
}

static const Val *enum_by_value(FrontLower *low, FrontClass *c, const CallArgs *args)
{
	ValVec members = {0};
	eval_items(low, val_class(low, c), &members);
	for (uint32_t i = 0; args->arg_count == 1 && i < members.len; i++)
		if (val_equal(members.data[i]->object.fields[1], args->args[0]))
			return members.data[i];
	return lower_error(low, DIAG_KEY, args->arg_count ? val_brief(low, args->args[0]) : c->name);
}

const Val *class_call(FrontLower *low, FrontClass *c, const CallArgs *args)
{
	switch (c->kind) {
	case CLASS_ENUM:
		return enum_by_value(low, c, args);
	case CLASS_TUPLE: {
		const Val **fields = ARENA_ARRAY(low->arena, const Val *, MAX(c->field_count, 1u));
		if (!fill_fields(low, c, args, fields))
			return low->poison;
		Val *v = (Val *)val_tuple(low, fields, c->field_count);
		Sym *names = ARENA_ARRAY(low->arena, Sym, MAX(c->field_count, 1u));
		for (uint32_t i = 0; i < c->field_count; i++)
			names[i] = c->fields[i].name;
		v->seq.klass = c;
		v->seq.fields = names;
		return v;
	}
	case CLASS_EXCEPTION: {
		Val *v = val_new(low, VAL_OBJECT);
		v->object.klass = c;
		v->object.fields = ARENA_ARRAY(low->arena, const Val *, MAX(c->field_count, 1u));
		v->object.fields[0] = val_tuple(low, args->args, args->arg_count);
		return v;
	}
	default:
		return construct(low, c, args);
	}
}

/* ---- isinstance ---- */

static int instance_of_python(const Val *v, const char *type)
{
	if (strcmp(type, "int") == 0)
		return v->kind == VAL_INT || v->kind == VAL_BOOL;
	if (strcmp(type, "object") == 0)
		return 1;
	if (strcmp(type, "tuple") == 0)
		return v->kind == VAL_TUPLE;
	return strcmp(type, val_type_name(v)) == 0;
}

int host_is_instance(FrontLower *low, const Val *v, const Val *cls)
{
	if (val_demoted(v))
		v = val_demoted(v)->value; /* which kind of number it is does not change */
	if (cls->kind == VAL_TUPLE || cls->kind == VAL_LIST) {
		for (uint32_t i = 0; i < cls->seq.len; i++) {
			int one = host_is_instance(low, v, cls->seq.items[i]);
			if (one)
				return one;
		}
		return 0;
	}
	if (cls->kind == VAL_PYTHON && cls->python->is_type)
		return instance_of_python(v, cls->python->name);
	if (cls->kind == VAL_CLASS) {
		const FrontClass *c = v->kind == VAL_OBJECT ? v->object.klass :
				      v->kind == VAL_TUPLE  ? v->seq.klass : NULL;
		return class_is(c, cls->klass);
	}
	int is = sem_is_instance(v, cls);
	if (is >= 0)
		return is;
	/* A type of a package that is not read: nothing here is of it. */
	if (cls->kind == VAL_OPAQUE)
		return 0;
	lower_error(low, DIAG_NOT_A_CLASS, val_describe(low, cls));
	return -1;
}
