/* Indexing: which names a list of statements binds, and to what. Nothing is evaluated, but for conditions at
 * module level (resolve.c), so that the branch that Python would take is the one that is looked at. */
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
	index_statements(&c->ns, &node->klass->body, diags);
	class_decorate(c);
}

/* ---- statements ---- */

static void bind_opaque_target(Namespace *ns, const Ast *target, const char *why)
{
	if (target->kind == AST_NAME)
		namespace_bind(ns, BIND_OPAQUE, target->name.id, target->span)->why = why;
	else if (target->kind == AST_TUPLE || target->kind == AST_LIST)
		for (uint32_t i = 0; i < target->seq.items.len; i++)
			bind_opaque_target(ns, target->seq.items.items[i], why);
	else if (target->kind == AST_STARRED)
		bind_opaque_target(ns, target->wrap.value, why);
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

static void index_import(Namespace *ns, const Ast *node)
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
		Binding *b = namespace_bind(ns, node->kind == AST_IMPORT ? BIND_IMPORT : BIND_FROM, name, a->span);
		b->module = node->kind == AST_IMPORT ? a->name : node->import.module;
		b->member = a->name;
		b->level = node->import.level;
		b->whole = a->asname != NULL;
	}
}

/* Does an import of the list fail here? Only what can be told for sure: names of the tile language that do not
 * exist, and modules that are neither found nor known packages. */
static bool import_fails(Namespace *ns, const AstList *body, DiagList *diags)
{
	for (uint32_t i = 0; i < body->len; i++) {
		const Ast *node = body->items[i];
		if (node->kind != AST_IMPORT && node->kind != AST_IMPORT_FROM)
			continue;
		for (uint32_t k = 0; k < node->import.count; k++) {
			bool found;
			const char *module = node->kind == AST_IMPORT ? node->import.names[k].name : node->import.module;
			FrontModule *m = import_module(ns->module, module ? module : "", node->import.level,
						       node->span, diags, &found);
			if (!found)
				return true;
			if (m->kind == MODULE_BUILTIN && node->kind == AST_IMPORT_FROM &&
			    !session_has_builtin(ns->module->session, m, node->import.names[k].name))
				return true;
		}
	}
	return false;
}

static void index_try(Namespace *ns, Ast *node, DiagList *diags)
{
	if (!import_fails(ns, &node->try_stmt.body, diags)) {
		index_statements(ns, &node->try_stmt.body, diags);
		index_statements(ns, &node->try_stmt.orelse, diags);
	} else {
		index_statements(ns, &node->try_stmt.body, diags);
		if (node->try_stmt.handlers.len) {
			Ast *handler = node->try_stmt.handlers.items[0];
			if (handler->except.name)
				namespace_bind(ns, BIND_OPAQUE, handler->except.name, handler->span)->why =
					"it is a caught exception";
			index_statements(ns, &handler->except.body, diags);
		}
	}
	index_statements(ns, &node->try_stmt.finalbody, diags);
}

static void index_if(Namespace *ns, Ast *node, DiagList *diags)
{
	CONTRACT(node->kind == AST_IF || node->kind == AST_WHILE);
	int truth = session_condition(ns, node->if_stmt.test);
	if (truth != 0 && truth != 1) {
		/* Not known: both are looked at; a name of both has the value of the first branch. */
		index_statements(ns, &node->if_stmt.orelse, diags);
		index_statements(ns, &node->if_stmt.body, diags);
	} else {
		index_statements(ns, truth ? &node->if_stmt.body : &node->if_stmt.orelse, diags);
	}
}

/* What its turns leave in a name is not followed. */
static void index_loop(Namespace *ns, const AstList *body, DiagList *diags)
{
	uint32_t from = ns->order.len;
	index_statements(ns, body, diags);
	for (uint32_t i = from; i < ns->order.len; i++) {
		Binding *b = ns->order.data[i];
		if (b->kind != BIND_VALUE && b->kind != BIND_AUG)
			continue;
		b->kind = BIND_OPAQUE;
		b->why = "it is set by a loop of host code";
	}
}

static void index_statement(Namespace *ns, Ast *node, DiagList *diags)
{
	switch (node->kind) {
	case AST_FUNCTION_DEF: {
		Binding *b = namespace_bind(ns, BIND_FUNCTION, node->function->name, node->function->name_span);
		b->function = function_of_ast(ns, node->function);
		break;
	}
	case AST_CLASS_DEF:
		index_class(ns, node, diags);
		break;
	case AST_ASSIGN:
		for (uint32_t i = 0; i < node->assign.targets.len; i++) {
			bind_target(ns, node->assign.targets.items[i], node->assign.targets.items[i],
				    node->assign.value, NULL);
			change_target(ns, node->assign.targets.items[i], node->assign.value, node->span);
		}
		break;
	case AST_ANN_ASSIGN:
		if (!node->ann_assign.value)
			break;
		bind_target(ns, node->ann_assign.target, node->ann_assign.target, node->ann_assign.value, node->ann_assign.annotation);
		change_target(ns, node->ann_assign.target, node->ann_assign.value, node->span);
		break;
	case AST_AUG_ASSIGN:
		if (node->aug_assign.target->kind == AST_NAME) {
			Binding *b = namespace_bind(ns, BIND_AUG, node->aug_assign.target->name.id, node->span);
			b->value = node->aug_assign.value;
			b->op = node->aug_assign.op;
		} else {
			change_target(ns, node->aug_assign.target, NULL, node->span);
		}
		break;
	case AST_EXPR:
		change_call(ns, node->unary_stmt.value);
		break;
	case AST_DELETE:
		for (uint32_t i = 0; i < node->del.targets.len; i++)
			change_deleted(ns, node->del.targets.items[i]);
		break;
	case AST_IMPORT:
	case AST_IMPORT_FROM:
		index_import(ns, node);
		break;
	case AST_IF:
		index_if(ns, node, diags);
		break;
	case AST_TRY:
		index_try(ns, node, diags);
		break;
	case AST_FOR:
		bind_opaque_target(ns, node->for_stmt.target, "it is set by a loop of host code");
		index_loop(ns, &node->for_stmt.body, diags);
		break;
	case AST_WHILE:
		index_loop(ns, &node->if_stmt.body, diags);
		break;
	case AST_WITH:
		for (uint32_t i = 0; i < node->with_stmt.items.len; i++)
			if (node->with_stmt.items.items[i]->with_item.target)
				bind_opaque_target(ns, node->with_stmt.items.items[i]->with_item.target,
						   "it is set by a `with` of host code");
		index_statements(ns, &node->with_stmt.body, diags);
		break;
	default:
		break;
	}
}

void index_statements(Namespace *ns, const AstList *body, DiagList *diags)
{
	for (uint32_t i = 0; i < body->len; i++) {
		uint32_t from = ns->order.len;
		const Ast *node = body->items[i];
		index_statement(ns, body->items[i], diags);
		bool simple = node->kind == AST_ASSIGN || node->kind == AST_ANN_ASSIGN || node->kind == AST_AUG_ASSIGN;
		for (uint32_t k = from; simple && k < ns->order.len; k++)
			ns->order.data[k]->at = node->span.start;
	}
}
