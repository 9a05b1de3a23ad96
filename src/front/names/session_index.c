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

void index_opaque(Namespace *ns, const Ast *target, Ast *value, const char *why)
{
	if (target->kind == AST_NAME) {
		Binding *b = namespace_bind(ns, BIND_OPAQUE, target->name.id, target->span);
		b->why = why;
		b->value = value;
	} else if (target->kind == AST_TUPLE || target->kind == AST_LIST)
		for (uint32_t i = 0; i < target->seq.items.len; i++)
			index_opaque(ns, target->seq.items.items[i], value, why);
	else if (target->kind == AST_STARRED)
		index_opaque(ns, target->wrap.value, value, why);
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
void index_import(Namespace *ns, const Ast *node, bool fresh)
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
		index_opaque(ns, node->for_stmt.target, node->for_stmt.iter,
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
