/* Statements of a module that may not run: branches, `try`, loops, `with`. What they bind is
 * unsure, where it is not known that the statement runs, or that a name has the same value without
 * it. */
#include "front/core.h"
#include "front/names/change.h"
#include "front/session.h"

/* Marks what was bound since as bound by statements of
 * this file of which it is not known whether they run. */
static void mark_unsure(Namespace *ns, uint32_t from, uint32_t to, const char *why)
{
	FrontSession *s = ns->module->session;
	CONTRACT(to <= s->made.len);
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
	CONTRACT(first <= second && second <= end);
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
	return type->kind == AST_NAME && change_is_one_of(type->name.id, names, any ? 2 : ARRAY_LEN(names));
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
void index_try(Namespace *ns, Ast *node, DiagList *diags)
{
	CONTRACT(node->kind == AST_TRY);
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

void index_if(Namespace *ns, Ast *node, DiagList *diags)
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
void index_loop(Namespace *ns, const Ast *node, const AstList *body, const AstList *orelse, DiagList *diags)
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

void index_with(Namespace *ns, Ast *node, DiagList *diags)
{
	CONTRACT(node->kind == AST_WITH);
	FrontSession *s = ns->module->session;
	const char *why = decides(ns, node->span, "a `with` that may end early");
	bool raises = false;
	for (uint32_t i = 0; i < node->with_stmt.items.len; i++) {
		const Ast *item = node->with_stmt.items.items[i];
		if (item->with_item.target)
			index_opaque(ns, item->with_item.target, item->with_item.value,
					   "it is set by a `with` of host code");
	}
	uint32_t from = s->made.len;
	if (!index_attempt(ns, &node->with_stmt.body, why, &raises, diags))
		mark_unsure(ns, from, s->made.len, why);
}
