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
	return head != node && change_is_one_of(last, names, ARRAY_LEN(names));
}

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
	change_of_target(ns, target, value, span, changed, ns);
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
	    change_is_one_of(arena_strndup(ns->module->session->arena, name, strcspn(name, ".")), harmless,
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
