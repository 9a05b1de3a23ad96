/* Indexing: which names a list of statements binds, and to what. Nothing is evaluated, but for
 * conditions at module level (resolve.c), so that the branch that Python would take is the one that
 * is looked at. */
#include "front/core.h"
#include "front/session.h"
#include "front/syntax/parse.h"

void namespace_init(Namespace *ns, FrontModule *module, Namespace *outer)
{
	*ns = (Namespace){.module = module, .outer = outer};
	map_init(&ns->names, module->session->arena);
}

Binding *namespace_find(const Namespace *ns, Sym name)
{
	return map_get_ptr(&ns->names, name);
}

Binding *namespace_bind(Namespace *ns, BindKind kind, Sym name, Span span)
{
	CONTRACT(name);
	Arena *arena = ns->module->session->arena;
	Binding *b = ARENA_NEW(arena, Binding);
	b->kind = kind;
	b->name = name;
	b->ns = ns;
	b->span = span;
	b->at = span.start;
	b->prev = namespace_find(ns, name);
	map_put_ptr(&ns->names, name, b);
	vec_push(arena, &ns->order, b);
	vec_push(arena, &ns->module->session->made, b);
	return b;
}

/* ---- definitions ---- */

static const char *qualify(const Namespace *ns, Sym name)
{
	Arena *arena = ns->module->session->arena;
	if (ns->klass)
		return arena_printf(arena, "%s.%s", ns->klass->qualified, name);
	if (ns->function)
		return arena_printf(arena, "%s.<locals>.%s", ns->function->qualified, name);
	return name;
}

FrontFunction *function_of_ast(Namespace *ns, AstFunction *ast)
{
	FrontSession *s = ns->module->session;
	FrontFunction *f = map_get_ptr(&s->functions, ast);
	if (f)
		return f;
	f = ARENA_NEW(s->arena, FrontFunction);
	f->module = ns->module;
	f->ns = ns;
	f->ast = ast;
	f->klass = ns->klass;
	f->outer = ns->function;
	f->qualified = ast->is_lambda ? "<lambda>" : qualify(ns, ast->name);
	f->id = ++s->next_function;
	map_put_ptr(&s->functions, ast, f);
	vec_push(s->arena, &ns->module->functions, f);
	return f;
}

bool function_parse(FrontFunction *f, DiagList *diags)
{
	return f->ast->body_parsed || ast_function_body(f->module->ast, f->ast, diags);
}

Namespace *function_namespace(FrontFunction *f, DiagList *diags)
{
	if (f->body)
		return f->body;
	if (!function_parse(f, diags))
		return NULL;
	Arena *arena = f->module->session->arena;
	Namespace *ns = ARENA_NEW(arena, Namespace);
	namespace_init(ns, f->module, f->ns->klass ? f->ns->outer : f->ns);
	ns->function = f;
	for (uint32_t i = 0; i < f->ast->param_count; i++) {
		Binding *b = namespace_bind(ns, BIND_PARAM, f->ast->params[i].name, f->ast->params[i].span);
		b->value = f->ast->params[i].value;
	}
	f->body = ns;
	index_statements(ns, &f->ast->body, diags);
	return ns;
}

static void index_class(Namespace *ns, Ast *node, DiagList *diags)
{
	CONTRACT(node->kind == AST_CLASS_DEF);
	Arena *arena = ns->module->session->arena;
	FrontClass *c = ARENA_NEW(arena, FrontClass);
	c->module = ns->module;
	c->ast = node->klass;
	c->name = node->klass->name;
	c->qualified = qualify(ns, c->name);
	/* Methods do not see the names of their class. */
	namespace_init(&c->ns, ns->module, ns->klass ? ns->outer : ns);
	c->ns.klass = c;
	Binding *b = namespace_bind(ns, BIND_CLASS, c->name, node->klass->name_span);
	b->klass = c;
	b->at = node->span.end - 1; /* its own body sees what had the name before */
	index_statements(&c->ns, &node->klass->body, diags);
	class_decorate(c);
}

/* ---- statements ---- */

static void bind_opaque_target(Namespace *ns, const Ast *target, Ast *value, const char *why)
{
	if (target->kind == AST_NAME) {
		Binding *b = namespace_bind(ns, BIND_OPAQUE, target->name.id, target->span);
		b->why = why;
		b->value = value;
	} else if (target->kind == AST_TUPLE || target->kind == AST_LIST)
		for (uint32_t i = 0; i < target->seq.items.len; i++)
			bind_opaque_target(ns, target->seq.items.items[i], value, why);
	else if (target->kind == AST_STARRED)
		bind_opaque_target(ns, target->wrap.value, value, why);
}

static void bind_target(Namespace *ns, Ast *part, Ast *target, Ast *value, Ast *annotation)
{
	if (part->kind == AST_TUPLE || part->kind == AST_LIST) {
		for (uint32_t i = 0; i < part->seq.items.len; i++)
			bind_target(ns, part->seq.items.items[i], target, value, annotation);
	} else if (part->kind == AST_STARRED) {
		bind_target(ns, part->wrap.value, target, value, annotation);
	} else if (part->kind == AST_NAME) {
		Binding *b = namespace_bind(ns, BIND_VALUE, part->name.id, part->span);
		b->target = target;
		b->value = value;
		b->annotation = annotation;
	}
}

/* fresh: only names that nothing binds yet. */
static void index_import(Namespace *ns, const Ast *node, bool fresh)
{
	FrontSession *s = ns->module->session;
	for (uint32_t i = 0; i < node->import.count; i++) {
		const AstAlias *a = &node->import.names[i];
		Sym name = a->asname ? a->asname : a->name;
		if (node->kind == AST_IMPORT_FROM && strcmp(a->name, "*") == 0) {
			Binding *b = ARENA_NEW(s->arena, Binding);
			*b = (Binding){.kind = BIND_FROM, .ns = ns, .span = a->span, .module = node->import.module,
				       .level = node->import.level, .member = a->name};
			vec_push(s->arena, &ns->stars, b);
			continue;
		}
		if (node->kind == AST_IMPORT && !a->asname) {
			const char *dot = strchr(a->name, '.');
			name = dot ? intern(&s->names, (Str){a->name, (size_t)(dot - a->name)}) : a->name;
		}
		if (fresh && namespace_find(ns, name))
			continue;
		Binding *b =
			namespace_bind(ns, node->kind == AST_IMPORT ? BIND_IMPORT : BIND_FROM, name, a->span);
		b->module = node->kind == AST_IMPORT ? a->name : node->import.module;
		b->member = a->name;
		b->level = node->import.level;
		b->whole = a->asname != NULL;
	}
}

/* ---- statements that may not run ---- */

/* Marks what was bound since as bound by statements of
 * this file of which it is not known whether they run. */
static void mark_unsure(Namespace *ns, uint32_t from, uint32_t to, const char *why)
{
	FrontSession *s = ns->module->session;
	for (uint32_t i = from; i < to; i++)
		if (s->made.data[i]->span.file == ns->module->source->id && !s->made.data[i]->unsure)
			s->made.data[i]->unsure = why;
}

static const char *decides(const Namespace *ns, Span span, const char *what)
{
	LineCol at = source_line_col(ns->module->source, span.start);
	return arena_printf(ns->module->session->arena, "it depends on line %u of %s, %s", at.line,
			    ns->module->path, what);
}

static bool is_bound_in(const FrontSession *s, uint32_t from, uint32_t to, const Binding *b)
{
	for (uint32_t i = from; i < to; i++)
		if (s->made.data[i]->ns == b->ns && s->made.data[i]->name == b->name)
			return true;
	return false;
}

/* The blocks [first, second) and [second, end): at least one of them runs, so what both bind is
 * bound. `sure`: the second one does. */
static void mark_either(Namespace *ns, uint32_t first, uint32_t second, uint32_t end, bool sure,
			const char *why)
{
	const FrontSession *s = ns->module->session;
	for (uint32_t i = second; i < end; i++)
		if (!sure || is_bound_in(s, first, second, s->made.data[i]))
			mark_unsure(ns, i, i + 1, why);
	for (uint32_t i = first; i < second; i++)
		if (!is_bound_in(s, second, end, s->made.data[i]))
			mark_unsure(ns, i, i + 1, why);
}

/* Does the import fail here? Only what can be told for sure: names of the tile language that do not
 * exist, and modules that are neither found nor known packages. */
static bool import_fails(Namespace *ns, const Ast *node, DiagList *diags)
{
	for (uint32_t k = 0; k < node->import.count; k++) {
		bool found;
		const char *module =
			node->kind == AST_IMPORT ? node->import.names[k].name : node->import.module;
		FrontModule *m = import_module(ns->module, module ? module : "", node->import.level,
					       node->span, diags, &found);
		if (!found)
			return true;
		if (m->kind == MODULE_BUILTIN && node->kind == AST_IMPORT_FROM &&
		    !session_has_builtin(ns->module->session, m, node->import.names[k].name))
			return true;
	}
	return false;
}

static bool is_import(const Ast *node)
{
	return node->kind == AST_IMPORT || node->kind == AST_IMPORT_FROM;
}

static bool is_literal(const Ast *value)
{
	return value->kind == AST_TRUE || value->kind == AST_FALSE || value->kind == AST_NONE ||
	       value->kind == AST_INT || value->kind == AST_FLOAT || value->kind == AST_STRING;
}

/* Goes on whatever values there are: definitions, and assignments of what needs no evaluation. */
static bool always_ends(const Ast *node)
{
	const Ast *value = node->kind == AST_ASSIGN	  ? node->assign.value
			   : node->kind == AST_ANN_ASSIGN ? node->ann_assign.value
							  : NULL;
	switch (node->kind) {
	case AST_IMPORT: case AST_IMPORT_FROM: case AST_PASS: case AST_GLOBAL:
		return true;
	case AST_FUNCTION_DEF:
		for (uint32_t i = 0; i < node->function->decorators.len; i++)
			if (node->function->decorators.items[i]->kind == AST_NAME)
				return false;
		for (uint32_t i = 0; i < node->function->param_count; i++)
			if (node->function->params[i].value && !is_literal(node->function->params[i].value))
				return false;
		return true;
	case AST_CLASS_DEF:
		for (uint32_t i = 0; i < node->klass->body.len; i++)
			if (!always_ends(node->klass->body.items[i]))
				return false;
		return !node->klass->decorators.len && !node->klass->bases.len;
	case AST_EXPR:
		return node->unary_stmt.value->kind == AST_STRING ||
		       node->unary_stmt.value->kind == AST_ELLIPSIS;
	case AST_ASSIGN: case AST_ANN_ASSIGN:
		return value && is_literal(value);
	default:
		return false;
	}
}

/* Binds what the statements bind up to an import that fails: false then. What comes behind one that
 * may raise is unsure; *raises says whether there is any. */
static bool index_attempt(Namespace *ns, const AstList *body, const char *why, bool *raises, DiagList *diags)
{
	FrontSession *s = ns->module->session;
	for (uint32_t i = 0; i < body->len; i++) {
		uint32_t from = s->made.len;
		AstList one = {&body->items[i], 1};
		bool fails = is_import(body->items[i]) && import_fails(ns, body->items[i], diags);
		if (fails) {
			/* messages say that the module is not there */
			index_import(ns, body->items[i], true);
			return false;
		}
		*raises = *raises || !always_ends(body->items[i]);
		index_statements(ns, &one, diags);
		if (*raises)
			mark_unsure(ns, from, s->made.len, why);
	}
	return true;
}

static void index_handler(Namespace *ns, Ast *handler, DiagList *diags)
{
	if (handler->except.name)
		namespace_bind(ns, BIND_OPAQUE, handler->except.name, handler->span)->why =
			"it is a caught exception";
	index_statements(ns, &handler->except.body, diags);
}

/* any: also what is no ImportError, such as a file that does not parse */
static bool takes_import_errors(const Ast *type, bool any)
{
	static const char *const names[] = {"Exception", "BaseException", "ImportError",
					    "ModuleNotFoundError"};
	if (!type)
		return true;
	for (uint32_t i = 0; type->kind == AST_TUPLE && i < type->seq.items.len; i++)
		if (takes_import_errors(type->seq.items.items[i], any))
			return true;
	for (size_t i = 0; type->kind == AST_NAME && i < (any ? 2 : ARRAY_LEN(names)); i++)
		if (strcmp(type->name.id, names[i]) == 0)
			return true;
	return false;
}

static bool takes_any_error(const Ast *node)
{
	for (uint32_t i = 0; i < node->try_stmt.handlers.len; i++)
		if (takes_import_errors(node->try_stmt.handlers.items[i]->except.type, true))
			return true;
	return false;
}

/* An import of the body fails. */
static void index_import_handler(Namespace *ns, const Ast *node, DiagList *diags)
{
	for (uint32_t i = 0; i < node->try_stmt.handlers.len; i++)
		if (takes_import_errors(node->try_stmt.handlers.items[i]->except.type, false)) {
			index_handler(ns, node->try_stmt.handlers.items[i], diags);
			return;
		}
}

static bool may_raise(const AstList *body)
{
	for (uint32_t i = 0; i < body->len; i++)
		if (!always_ends(body->items[i]))
			return true;
	return false;
}

/* Where a statement of the body may raise, what handlers bind comes first, as what counts where the
 * body's own is not reached. */
static void index_try(Namespace *ns, Ast *node, DiagList *diags)
{
	FrontSession *s = ns->module->session;
	const char *why = decides(ns, node->span, "a `try` whose end is not known here");
	bool raises = false;
	uint32_t first = s->made.len;
	for (uint32_t i = 0; i < node->try_stmt.handlers.len && may_raise(&node->try_stmt.body); i++)
		index_handler(ns, node->try_stmt.handlers.items[i], diags);
	uint32_t second = s->made.len;
	DiagList quiet;
	diag_init(&quiet, s->arena, &s->sources);
	bool ends =
		index_attempt(ns, &node->try_stmt.body, why, &raises, takes_any_error(node) ? &quiet : diags);
	uint32_t behind = s->made.len;
	if (ends)
		index_statements(ns, &node->try_stmt.orelse, diags);
	if (raises)
		mark_unsure(ns, behind, s->made.len, why);
	if (second > first)
		mark_either(ns, first, second, s->made.len, true, why);
	if (!ends)
		index_import_handler(ns, node, diags);
	index_statements(ns, &node->try_stmt.finalbody, diags);
}

static void index_if(Namespace *ns, Ast *node, DiagList *diags)
{
	CONTRACT(node->kind == AST_IF || node->kind == AST_WHILE);
	FrontSession *s = ns->module->session;
	int truth = session_condition(ns, node->if_stmt.test);
	if (truth == 0 || truth == 1) {
		index_statements(ns, truth ? &node->if_stmt.body : &node->if_stmt.orelse, diags);
		return;
	}
	/* Not known: a name has a value where it has the same one either way. */
	uint32_t first = s->made.len;
	index_statements(ns, &node->if_stmt.orelse, diags);
	uint32_t second = s->made.len;
	index_statements(ns, &node->if_stmt.body, diags);
	mark_either(ns, first, second, s->made.len, false,
		    decides(ns, node->span, "a condition that is not known here"));
}

/* What its turns leave in a name is not followed. */
static void index_loop(Namespace *ns, const Ast *node, const AstList *body, const AstList *orelse,
		       DiagList *diags)
{
	FrontSession *s = ns->module->session;
	uint32_t from = s->made.len;
	index_statements(ns, body, diags);
	for (uint32_t i = from; i < s->made.len; i++) {
		Binding *b = s->made.data[i];
		if ((b->kind != BIND_VALUE && b->kind != BIND_AUG) || b->span.file != ns->module->source->id)
			continue;
		b->kind = BIND_OPAQUE;
		b->why = "it is set by a loop of host code";
	}
	index_statements(ns, orelse, diags);
	mark_unsure(ns, from, s->made.len, decides(ns, node->span, "a loop of host code"));
}

static void index_with(Namespace *ns, Ast *node, DiagList *diags)
{
	FrontSession *s = ns->module->session;
	const char *why = decides(ns, node->span, "a `with` that may end early");
	bool raises = false;
	for (uint32_t i = 0; i < node->with_stmt.items.len; i++) {
		const Ast *item = node->with_stmt.items.items[i];
		if (item->with_item.target)
			bind_opaque_target(ns, item->with_item.target, item->with_item.value,
					   "it is set by a `with` of host code");
	}
	uint32_t from = s->made.len;
	if (!index_attempt(ns, &node->with_stmt.body, why, &raises, diags))
		mark_unsure(ns, from, s->made.len, why);
}

/* ---- one statement ---- */

static void index_definition(Namespace *ns, Ast *node)
{
	Binding *b = namespace_bind(ns, BIND_FUNCTION, node->function->name, node->function->name_span);
	b->function = function_of_ast(ns, node->function);
}

static void index_assignment(Namespace *ns, Ast *node)
{
	for (uint32_t i = 0; i < node->assign.targets.len; i++) {
		bind_target(ns, node->assign.targets.items[i], node->assign.targets.items[i],
			    node->assign.value, NULL);
		change_target(ns, node->assign.targets.items[i], node->assign.value, node->span);
	}
}

static void index_augmented(Namespace *ns, Ast *node)
{
	change_augmented(ns, node);
	if (node->aug_assign.target->kind != AST_NAME)
		return;
	Binding *b = namespace_bind(ns, BIND_AUG, node->aug_assign.target->name.id, node->span);
	b->value = node->aug_assign.value;
	b->op = node->aug_assign.op;
}

/* What calls in the statement's own expressions change. */
static void index_expressions(Namespace *ns, Ast *node)
{
	switch (node->kind) {
	case AST_ASSIGN: change_expression(ns, node->assign.value, node->span); break;
	case AST_ANN_ASSIGN: change_expression(ns, node->ann_assign.value, node->span); break;
	case AST_AUG_ASSIGN: change_expression(ns, node->aug_assign.value, node->span); break;
	case AST_EXPR: change_expression(ns, node->unary_stmt.value, node->span); break;
	case AST_IF: case AST_WHILE: change_expression(ns, node->if_stmt.test, node->span); break;
	case AST_FOR: change_expression(ns, node->for_stmt.iter, node->span); break;
	case AST_ASSERT: change_expression(ns, node->assert_stmt.test, node->span); break;
	case AST_RAISE: change_expression(ns, node->raise.exc, node->span); break;
	case AST_WITH:
		for (uint32_t i = 0; i < node->with_stmt.items.len; i++)
			change_expression(ns, node->with_stmt.items.items[i]->with_item.value, node->span);
		break;
	case AST_FUNCTION_DEF:
		for (uint32_t i = 0; i < node->function->decorators.len; i++)
			change_expression(ns, node->function->decorators.items[i], node->span);
		for (uint32_t i = 0; i < node->function->param_count; i++)
			change_expression(ns, node->function->params[i].value, node->span);
		break;
	case AST_CLASS_DEF:
		for (uint32_t i = 0; i < node->klass->decorators.len; i++)
			change_expression(ns, node->klass->decorators.items[i], node->span);
		break;
	default: break;
	}
}

static void index_statement(Namespace *ns, Ast *node, DiagList *diags)
{
	switch (node->kind) {
	case AST_FUNCTION_DEF: index_definition(ns, node); break;
	case AST_CLASS_DEF: index_class(ns, node, diags); break;
	case AST_ASSIGN: index_assignment(ns, node); break;
	case AST_ANN_ASSIGN:
		if (!node->ann_assign.value)
			break;
		bind_target(ns, node->ann_assign.target, node->ann_assign.target, node->ann_assign.value,
			    node->ann_assign.annotation);
		change_target(ns, node->ann_assign.target, node->ann_assign.value, node->span);
		break;
	case AST_AUG_ASSIGN: index_augmented(ns, node); break;
	case AST_DELETE:
		for (uint32_t i = 0; i < node->del.targets.len; i++)
			change_deleted(ns, node->del.targets.items[i]);
		break;
	case AST_IMPORT:
	case AST_IMPORT_FROM:
		index_import(ns, node, false);
		break;
	case AST_IF: index_if(ns, node, diags); break;
	case AST_TRY: index_try(ns, node, diags); break;
	case AST_FOR:
		bind_opaque_target(ns, node->for_stmt.target, node->for_stmt.iter,
				   "it is set by a loop of host code");
		change_target(ns, node->for_stmt.target, NULL, node->span);
		index_loop(ns, node, &node->for_stmt.body, &node->for_stmt.orelse, diags);
		break;
	case AST_WHILE: index_loop(ns, node, &node->if_stmt.body, &node->if_stmt.orelse, diags); break;
	case AST_WITH: index_with(ns, node, diags); break;
	case AST_SKIPPED: change_skipped(ns, node->span); break;
	default: break;
	}
}

void index_statements(Namespace *ns, const AstList *body, DiagList *diags)
{
	for (uint32_t i = 0; i < body->len; i++) {
		const Ast *node = body->items[i];
		index_expressions(ns, body->items[i]);
		uint32_t from = ns->order.len;
		index_statement(ns, body->items[i], diags);
		bool simple = node->kind == AST_ASSIGN || node->kind == AST_ANN_ASSIGN ||
			      node->kind == AST_AUG_ASSIGN;
		for (uint32_t k = from; simple && k < ns->order.len; k++)
			ns->order.data[k]->at = node->span.start;
	}
}
