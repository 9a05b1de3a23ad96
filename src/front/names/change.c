/* What a piece of the tree says that it changes, wherever it stands (change.h). */
#include "front/core.h"
#include "front/names/change.h"

bool change_is_one_of(Sym name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

bool change_makes_other_code(Sym attribute)
{
	static const char *const names[] = {"__code__", "__defaults__", "__kwdefaults__",
					    "fn",	"src",		"noinline"};
	return change_is_one_of(attribute, names, ARRAY_LEN(names));
}

static bool is_call_of(const Ast *node, const char *name)
{
	return node->kind == AST_CALL && node->call.func->kind == AST_NAME &&
	       strcmp(node->call.func->name.id, name) == 0;
}

static bool change_is_namespace(const Ast *node)
{
	if (node->kind == AST_ATTRIBUTE && strcmp(node->attribute.attr, "__dict__") == 0)
		return true;
	return (is_call_of(node, "globals") || is_call_of(node, "vars") || is_call_of(node, "locals")) &&
	       !node->call.args.len;
}

static Sym text_of(Namespace *ns, const Ast *node)
{
	if (!node || node->kind != AST_STRING)
		return NULL;
	Str text = node->string.text;
	return session_sym(ns->module->session,
			   arena_strndup(ns->module->session->arena, text.ptr, text.len));
}

bool change_is_environment(Namespace *ns, const Ast *object)
{
	const char *name = dotted_name(ns, object);
	return name && strcmp(name, "os.environ") == 0;
}

typedef struct Node {
	Namespace *ns;
	ChangeFn *each;
	void *data;
	Span span;
} Node;

static void report(const Node *n, const Ast *object, Sym attr, Ast *value)
{
	if (attr || !object || !change_is_environment(n->ns, object))
		n->each(n->data, &(Change){object, attr, value, n->span});
}

static void target_of(const Node *n, Ast *target, Ast *value)
{
	switch (target->kind) {
	case AST_ATTRIBUTE:
		report(n, target->attribute.value, target->attribute.attr, value);
		break;
	case AST_SUBSCRIPT: {
		const Ast *of = target->subscript.value;
		Sym key = text_of(n->ns, target->subscript.index);
		if (change_is_environment(n->ns, of))
			effect_add_environment(n->ns->module, key, n->span);
		else if (change_is_namespace(of) && key)
			report(n, of->kind == AST_ATTRIBUTE ? of->attribute.value : NULL, key, NULL);
		else if (change_is_namespace(of))
			effect_add_text(n->ns->module, n->span, true);
		else
			report(n, of, NULL, NULL);
		break;
	}
	case AST_TUPLE: case AST_LIST:
		for (uint32_t i = 0; i < target->seq.items.len; i++)
			target_of(n, target->seq.items.items[i], NULL);
		break;
	case AST_STARRED:
		target_of(n, target->wrap.value, NULL);
		break;
	default:
		break;
	}
}

static bool changes_its_object(Sym method)
{
	static const char *const names[] = {"append",
					    "extend",
					    "insert",
					    "update",
					    "pop",
					    "popitem",
					    "clear",
					    "remove",
					    "sort",
					    "reverse",
					    "setdefault",
					    "add",
					    "discard",
					    "appendleft",
					    "popleft",
					    "rotate",
					    "difference_update",
					    "intersection_update",
					    "symmetric_difference_update",
					    "__setitem__",
					    "__delitem__",
					    "__iadd__",
					    "__ior__",
					    "__init__"};
	return change_is_one_of(method, names, ARRAY_LEN(names));
}

/* Every name that it binds stands in its text as a word. */
static bool names_are_written(const Ast *call)
{
	for (uint32_t i = 0; i < call->call.args.len; i++) {
		const Ast *a = call->call.args.items[i];
		if (a->kind != AST_STRING && a->kind != AST_DICT && !change_is_namespace(a))
			return false;
	}
	for (uint32_t i = 0; i < call->call.keyword_count; i++)
		if (!call->call.keywords[i].name)
			return false;
	return true;
}

/* os.environ.update(A="1"), os.putenv("A", "1"). */
static bool sets_environment(const Node *n, const Ast *node)
{
	const Ast *func = node->call.func;
	const char *name = dotted_name(n->ns, func);
	if (!name || (strncmp(name, "os.environ.", 11) != 0 && strcmp(name, "os.putenv") != 0 &&
		      strcmp(name, "os.unsetenv") != 0))
		return false;
	static const char *const methods[] = {"update", "setdefault",  "pop",	      "popitem",
					      "clear",	"__setitem__", "__delitem__", "__ior__"};
	if (strncmp(name, "os.environ.", 11) == 0 &&
	    !change_is_one_of(name + 11, methods, ARRAY_LEN(methods)))
		return true;
	Sym key = node->call.args.len ? text_of(n->ns, node->call.args.items[0]) : NULL;
	effect_add_environment(n->ns->module, key, n->span);
	return true;
}

/* setattr(P, "X", 3), object.__setattr__(P, "X", 3). */
static bool sets_attribute(const Node *n, Ast *node)
{
	const Ast *func = node->call.func;
	const AstList *args = &node->call.args;
	Sym called = func->kind == AST_ATTRIBUTE ? func->attribute.attr
		     : func->kind == AST_NAME	 ? func->name.id
						 : "";
	static const char *const names[] = {"setattr", "delattr", "__setattr__", "__delattr__"};
	if (!change_is_one_of(called, names, ARRAY_LEN(names)) || args->len < 2)
		return false;
	Sym attr = text_of(n->ns, args->items[1]);
	bool plain = func->kind == AST_NAME && strcmp(called, "setattr") == 0 && args->len == 3;
	n->each(n->data, &(Change){args->items[0], attr, plain && attr ? args->items[2] : NULL, n->span});
	return true;
}

static void call_of(const Node *n, Ast *node)
{
	const Ast *func = node->call.func;
	const AstList *args = &node->call.args;
	if (sets_environment(n, node) || sets_attribute(n, node))
		return;
	if (is_call_of(node, "exec") ||
	    (func->kind == AST_ATTRIBUTE && change_is_namespace(func->attribute.value) &&
	     changes_its_object(func->attribute.attr))) {
		effect_add_text(n->ns->module, n->span, !names_are_written(node));
	} else if (func->kind == AST_ATTRIBUTE && changes_its_object(func->attribute.attr)) {
		/* list.append(L, 3) too */
		report(n, func->attribute.value, NULL, NULL);
		if (args->len)
			report(n, args->items[0], NULL, NULL);
	}
}

void change_of_node(Namespace *ns, Ast *node, ChangeFn *each, void *data)
{
	Node n = {ns, each, data, node->span};
	switch (node->kind) {
	case AST_ASSIGN:
		for (uint32_t i = 0; i < node->assign.targets.len; i++)
			target_of(&n, node->assign.targets.items[i], node->assign.value);
		break;
	case AST_ANN_ASSIGN:
		if (node->ann_assign.value)
			target_of(&n, node->ann_assign.target, node->ann_assign.value);
		break;
	case AST_AUG_ASSIGN:
		if (change_is_environment(ns, node->aug_assign.target))
			effect_add_environment(ns->module, NULL, node->span);
		else if (node->aug_assign.target->kind != AST_NAME)
			target_of(&n, node->aug_assign.target, NULL);
		else if (node->aug_assign.value->kind != AST_INT && node->aug_assign.value->kind != AST_FLOAT)
			report(&n, node->aug_assign.target, NULL, NULL); /* L += [1] changes L */
		break;
	case AST_DELETE:
		for (uint32_t i = 0; i < node->del.targets.len; i++)
			target_of(&n, node->del.targets.items[i], NULL);
		break;
	case AST_FOR:
		target_of(&n, node->for_stmt.target, NULL);
		break;
	case AST_COMP_FOR:
		target_of(&n, node->comp_for.target, NULL);
		break;
	case AST_WITH_ITEM:
		if (node->with_item.target)
			target_of(&n, node->with_item.target, NULL);
		break;
	case AST_CALL:
		call_of(&n, node);
		break;
	default:
		break;
	}
}

/* Python's own functions make something new. */
static bool makes_copy(const Ast *call)
{
	return call->call.func->kind == AST_NAME && python_find(NULL, call->call.func->name.id);
}

void change_each_alias(Ast *value, AstVisit *visit, void *data)
{
	if (!value)
		return;
	switch (value->kind) {
	case AST_NAME: case AST_ATTRIBUTE:
		visit(data, value);
		break;
	case AST_TUPLE: case AST_LIST: case AST_SET:
		for (uint32_t i = 0; i < value->seq.items.len; i++)
			change_each_alias(value->seq.items.items[i], visit, data);
		break;
	case AST_DICT:
		for (uint32_t i = 0; i < value->dict.values.len; i++)
			change_each_alias(value->dict.values.items[i], visit, data);
		break;
	case AST_SUBSCRIPT: change_each_alias(value->subscript.value, visit, data); break;
	case AST_STARRED: change_each_alias(value->wrap.value, visit, data); break;
	case AST_NAMED_EXPR: change_each_alias(value->named.value, visit, data); break;
	case AST_IF_EXP:
		change_each_alias(value->if_exp.body, visit, data);
		change_each_alias(value->if_exp.orelse, visit, data);
		break;
	case AST_BOOL_OP:
		for (uint32_t i = 0; i < value->bool_op.values.len; i++)
			change_each_alias(value->bool_op.values.items[i], visit, data);
		break;
	case AST_CALL:
		if (value->call.func->kind == AST_ATTRIBUTE)
			change_each_alias(value->call.func->attribute.value, visit, data);
		for (uint32_t i = 0; !makes_copy(value) && i < value->call.args.len; i++)
			change_each_alias(value->call.args.items[i], visit, data);
		for (uint32_t i = 0; !makes_copy(value) && i < value->call.keyword_count; i++)
			change_each_alias(value->call.keywords[i].value, visit, data);
		break;
	case AST_LIST_COMP: case AST_SET_COMP: case AST_DICT_COMP: case AST_GENERATOR:
		for (uint32_t i = 0; i < value->comp.clauses.len; i++)
			change_each_alias(value->comp.clauses.items[i]->comp_for.iter, visit, data);
		change_each_alias(value->comp.elt, visit, data);
		change_each_alias(value->comp.value, visit, data);
		break;
	default:
		break;
	}
}

void change_of_target(Namespace *ns, Ast *target, Ast *value, Span span, ChangeFn *each, void *data)
{
	Node n = {ns, each, data, span};
	target_of(&n, target, value);
}
