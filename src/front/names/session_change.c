/* Statements that change what a name stands for without binding it: P.X = 1, c.f = g, D["a"] = 2,
 * L.append(3), fill(L), del C.
 *
 * An assignment to a class of this namespace is obeyed: the class has one more binding. Of the
 * others the name, or the attribute, is what host code alone knows from there on, and so is what it
 * was made of: a use of it is an error that says where. */
#include "front/core.h"
#include "front/names/change.h"

const char *change_told(const FrontModule *m, Span span)
{
	LineCol at = source_line_col(m->source, span.start);
	return arena_printf(m->session->arena, "line %u of %s changes it", at.line, m->path);
}

static void bind_changed(Namespace *ns, Namespace *in, Sym name, Span span)
{
	Binding *b = namespace_bind(in, BIND_OPAQUE, name, span);
	b->why = change_told(ns->module, span);
	b->changed = true;
	if (in->module != ns->module)
		b->at = UINT32_MAX - 1; /* its own statements ran before */
}

static bool is_one_of(Sym name, const char *const *names, size_t count)
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
	return is_one_of(attribute, names, ARRAY_LEN(names));
}

/* ---- what a node says ---- */

static bool is_call_of(const Ast *node, const char *name)
{
	return node->kind == AST_CALL && node->call.func->kind == AST_NAME &&
	       strcmp(node->call.func->name.id, name) == 0;
}

bool change_is_namespace(const Ast *node)
{
	if (node->kind == AST_ATTRIBUTE && strcmp(node->attribute.attr, "__dict__") == 0)
		return true;
	return (is_call_of(node, "globals") || is_call_of(node, "vars") || is_call_of(node, "locals")) &&
	       !node->call.args.len;
}

/* sys.modules["a"], importlib.import_module("a"): a module that no import names. */
static bool is_module_object(const Ast *node)
{
	const Ast *head = node->kind == AST_SUBSCRIPT ? node->subscript.value
			  : node->kind == AST_CALL    ? node->call.func
						      : node;
	Sym last = head->kind == AST_ATTRIBUTE ? head->attribute.attr
		   : head->kind == AST_NAME    ? head->name.id
					       : "";
	static const char *const names[] = {"modules", "import_module", "__import__"};
	return head != node && is_one_of(last, names, ARRAY_LEN(names));
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
	return is_one_of(method, names, ARRAY_LEN(names));
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
	if (strncmp(name, "os.environ.", 11) == 0 && !is_one_of(name + 11, methods, ARRAY_LEN(methods)))
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
	if (!is_one_of(called, names, ARRAY_LEN(names)) || args->len < 2)
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

/* ---- what a module's statement changes ---- */

typedef struct Here {
	Namespace *ns;
	Change change;
	unsigned depth; /* of other names of it */
} Here;

static void class_attribute(Namespace *ns, FrontClass *klass, const Change *c)
{
	if (!c->value || klass->kind == CLASS_ENUM || klass->ns.module != ns->module) {
		bind_changed(ns, &klass->ns, c->attr, c->span);
		return;
	}
	Ast *target = ARENA_NEW(ns->module->session->arena, Ast);
	target->kind = AST_NAME;
	target->span = c->span;
	target->name.id = c->attr;
	Binding *b = namespace_bind(&klass->ns, BIND_VALUE, c->attr, c->span);
	b->target = target;
	b->value = c->value;
	b->scope = ns;
}

static void module_attribute(Namespace *ns, Binding *b, Sym attribute, Span span)
{
	FrontModule *m = binding_module_quietly(b);
	if (m->kind == MODULE_FILE && m != ns->module)
		bind_changed(ns, &m->ns, attribute, span);
}

Binding *change_definition(Binding *b)
{
	for (unsigned depth = 0; b && b->kind == BIND_FROM && depth < 20; depth++) {
		Binding *inner = binding_imported(b);
		if (!inner)
			return b;
		b = inner;
	}
	return b;
}

/* What it was made of cannot be changed: tl.constexpr(3), 3, "a". */
static bool is_plain(const Binding *b)
{
	const Ast *v = b->value;
	if (b->kind != BIND_VALUE || !v)
		return false;
	if (v->kind == AST_CALL)
		return resolve_is_constexpr(NULL, b->ns, v, 0);
	return v->kind == AST_INT || v->kind == AST_FLOAT || v->kind == AST_STRING || v->kind == AST_TRUE ||
	       v->kind == AST_FALSE || v->kind == AST_NONE || v->kind == AST_BIN_OP ||
	       v->kind == AST_UNARY_OP || v->kind == AST_COMPARE;
}

static void changed_here(Here *here, const Ast *object);

static void changed_alias(void *data, Ast *node)
{
	changed_here(data, node);
}

static void changed_name(Here *here, Sym name)
{
	Namespace *ns = here->ns;
	const Change *c = &here->change;
	Binding *b = namespace_find(ns, name), *defined = change_definition(b);
	if (!b)
		return;
	if (b->kind == BIND_IMPORT || (b->kind == BIND_FROM && defined->kind == BIND_FROM)) {
		if (c->attr)
			module_attribute(ns, b, c->attr, c->span);
	} else if (defined->kind == BIND_CLASS) {
		Change known = *c;
		if (defined != b || here->depth)
			known.value = NULL;
		if (c->attr)
			class_attribute(ns, defined->klass, &known);
		else
			defined->klass->unknown = change_told(ns->module, c->span);
	} else if (defined->kind == BIND_FUNCTION) {
		if (c->attr && change_makes_other_code(c->attr))
			bind_changed(ns, ns, name, c->span);
	} else if (!(here->depth && is_plain(b))) {
		bind_changed(ns, ns, name, c->span);
		if (defined->ns != ns)
			bind_changed(ns, defined->ns, defined->name, c->span);
		here->depth++;
		if (here->depth < 5)
			change_each_alias(b->value, changed_alias, here);
		here->depth--;
	}
}

static void changed_here(Here *here, const Ast *object)
{
	Namespace *ns = here->ns;
	const Change *c = &here->change;
	if (!c->attr)
		while (object->kind == AST_SUBSCRIPT)
			object = object->subscript.value;
	if (object->kind == AST_NAME) {
		changed_name(here, object->name.id);
	} else if (c->attr) {
		if (is_module_object(object) || object->kind == AST_ATTRIBUTE ||
		    object->kind == AST_SUBSCRIPT || object->kind == AST_CALL)
			effect_add(ns->module, NULL, c->attr, c->span);
	} else if (object->kind == AST_ATTRIBUTE) {
		/* the attribute stands for what was changed */
		Here of = {ns, {.attr = object->attribute.attr, .span = c->span}, here->depth + 1};
		if (here->depth < 5)
			changed_here(&of, object->attribute.value);
	}
}

static void changed(void *data, const Change *change)
{
	Here here = {data, *change, 0};
	if (change->object)
		changed_here(&here, change->object);
	else
		bind_changed(data, data, change->attr, change->span);
}

void change_target(Namespace *ns, Ast *target, Ast *value, Span span)
{
	Node n = {ns, changed, ns, span};
	target_of(&n, target, value);
}

/* Of L += [1] the new value is a binding's
 * (session_index.c); here is what else the list is known as. */
void change_augmented(Namespace *ns, Ast *node)
{
	const Ast *target = node->aug_assign.target;
	const Binding *b = target->kind == AST_NAME ? namespace_find(ns, target->name.id) : NULL;
	Here here = {ns, {.span = node->span}, 1};
	if (target->kind != AST_NAME || change_is_environment(ns, target))
		change_of_node(ns, node, changed, ns);
	else if (b && b->kind == BIND_VALUE && !is_plain(b))
		change_each_alias(b->value, changed_alias, &here);
}

void change_skipped(Namespace *ns, Span span)
{
	effect_add_text(ns->module, span, false);
}

void change_deleted(Namespace *ns, Ast *target)
{
	if (target->kind == AST_NAME)
		bind_changed(ns, ns, target->name.id, target->span);
	else
		change_target(ns, target, NULL, target->span);
}

/* ---- calls ---- */

typedef struct Statement {
	Namespace *ns;
	Span span;
} Statement;

/* Things that somebody else may have changed when the call is over. */
static void handed_over(const Statement *s, Ast *argument)
{
	if (argument->kind == AST_STARRED)
		argument = argument->wrap.value;
	const Binding *b = argument->kind == AST_NAME ? namespace_find(s->ns, argument->name.id) : NULL;
	if (argument->kind == AST_ATTRIBUTE ||
	    (b && !is_plain(b) && b->kind != BIND_FUNCTION && b->kind != BIND_IMPORT))
		changed(s->ns, &(Change){argument, NULL, NULL, s->span});
}

static bool is_container(const Namespace *ns, const Ast *argument)
{
	const Binding *b = argument->kind == AST_NAME ? namespace_find(ns, argument->name.id) : NULL;
	return b && b->kind == BIND_VALUE && b->value &&
	       (b->value->kind == AST_LIST || b->value->kind == AST_DICT || b->value->kind == AST_SET ||
		b->value->kind == AST_LIST_COMP || b->value->kind == AST_DICT_COMP);
}

/* What a package that is not read does with a list or a dictionary is not known; what the tile
 * language and Python's own functions do is. */
static bool is_foreign(Namespace *ns, const Ast *func)
{
	const Ast *root = func;
	while (root->kind == AST_ATTRIBUTE)
		root = root->attribute.value;
	const char *name = dotted_name(ns, func);
	static const char *const harmless[] = {"functools",   "itertools",   "math",  "typing",
					       "dataclasses", "collections", "torch", "numpy"};
	if (!name || import_is_tile_language(name) ||
	    is_one_of(arena_strndup(ns->module->session->arena, name, strcspn(name, ".")), harmless,
		      ARRAY_LEN(harmless)))
		return false;
	const Binding *b = root->kind == AST_NAME ? namespace_find(ns, root->name.id) : NULL;
	return b && (b->kind == BIND_IMPORT || b->kind == BIND_FROM) &&
	       change_definition((Binding *)(uintptr_t)b)->kind != BIND_FUNCTION;
}

static void call_here(const Statement *s, Ast *node)
{
	const Ast *func = node->call.func;
	Binding *b = func->kind == AST_NAME ? change_definition(namespace_find(s->ns, func->name.id)) : NULL;
	bool method = func->kind == AST_ATTRIBUTE &&
		      effect_method_changes(s->ns->module->session, func->attribute.attr);
	bool all = method || (b && b->kind == BIND_FUNCTION && effect_changes_arguments(b->function));
	if (method)
		handed_over(s, func->attribute.value);
	bool foreign = !all && is_foreign(s->ns, func);
	for (uint32_t i = 0; i < node->call.args.len; i++)
		if (all || (foreign && is_container(s->ns, node->call.args.items[i])))
			handed_over(s, node->call.args.items[i]);
	for (uint32_t i = 0; i < node->call.keyword_count; i++)
		if (all || (foreign && is_container(s->ns, node->call.keywords[i].value)))
			handed_over(s, node->call.keywords[i].value);
}

static void expression_here(void *data, Ast *node)
{
	const Statement *s = data;
	if (node->kind == AST_NAMED_EXPR && node->named.target->kind == AST_NAME) {
		Binding *b = namespace_bind(s->ns, BIND_OPAQUE, node->named.target->name.id, node->span);
		b->why = "it is set inside an expression of host code";
		b->at = s->span.start ? s->span.start - 1 : 0; /* the rest of the statement sees it */
	}
	if (node->kind == AST_CALL || node->kind == AST_COMP_FOR)
		change_of_node(s->ns, node, changed, s->ns);
	if (node->kind == AST_CALL)
		call_here(s, node);
	ast_each(node, expression_here, data);
}

void change_expression(Namespace *ns, Ast *node, Span statement)
{
	Statement s = {ns, statement};
	if (node && !ns->function)
		expression_here(&s, node);
}
