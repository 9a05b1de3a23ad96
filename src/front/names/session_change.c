/* Statements that change what a name stands for without binding it: P.X = 1, c.f = g, D["a"] = 2, L.append(3), del C.
 *
 * An assignment to a class of this namespace is obeyed: the class has one more binding. Of the others the name, or the attribute, is what host
 * code alone knows from there on: a use of it is an error that says where. */
#include "front/session.h"

static const char *changed(const Namespace *ns, Span span)
{
	LineCol at = source_line_col(ns->module->source, span.start);
	return arena_printf(ns->module->session->arena, "line %u of %s changes it", at.line, ns->module->path);
}

static void bind_changed(Namespace *ns, Namespace *in, Sym name, Span span)
{
	Binding *b = namespace_bind(in, BIND_OPAQUE, name, span);
	b->why = changed(ns, span);
	if (in->module != ns->module)
		b->at = UINT32_MAX - 1; /* its own statements ran before */
}

/* ---- what is changed ---- */

static bool makes_other_code(Sym attribute)
{
	static const char *const names[] = {"__code__", "__defaults__", "__kwdefaults__", "fn", "src", "noinline"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(attribute, names[i]) == 0)
			return true;
	return false;
}

static void class_attribute(Namespace *ns, FrontClass *klass, Sym attribute, Ast *value, Span span)
{
	if (!value || klass->kind == CLASS_ENUM) {
		bind_changed(ns, &klass->ns, attribute, span);
		return;
	}
	Ast *target = ARENA_NEW(ns->module->session->arena, Ast);
	target->kind = AST_NAME;
	target->span = span;
	target->name.id = attribute;
	Binding *b = namespace_bind(&klass->ns, BIND_VALUE, attribute, span);
	b->target = target;
	b->value = value;
	b->scope = ns;
}

static void module_attribute(Namespace *ns, Binding *b, Sym attribute, Span span)
{
	DiagList quiet;
	bool found;
	diag_init(&quiet, ns->module->session->arena, NULL);
	FrontModule *m = binding_module(b, &quiet, &found);
	if (m->kind == MODULE_FILE && m != ns->module)
		bind_changed(ns, &m->ns, attribute, span);
}

/* What `from c import P` stands for, where that is a class or a function of a file. */
static Binding *definition(Binding *b)
{
	for (unsigned depth = 0; b && b->kind == BIND_FROM && depth < 20; depth++) {
		DiagList quiet;
		bool found;
		diag_init(&quiet, b->ns->module->session->arena, NULL);
		FrontModule *m = binding_module(b, &quiet, &found);
		Binding *inner = m->kind == MODULE_FILE ? namespace_find(&m->ns, b->member) : NULL;
		if (!inner)
			return b;
		b = inner;
	}
	return b;
}

/* value: NULL where it is not known. */
static void change_attribute(Namespace *ns, const Ast *object, Sym attribute, Ast *value, Span span)
{
	if (object->kind != AST_NAME)
		return;
	Binding *b = namespace_find(ns, object->name.id), *defined = definition(b);
	if (!b)
		return;
	if (b->kind == BIND_IMPORT || (b->kind == BIND_FROM && defined->kind == BIND_FROM))
		module_attribute(ns, b, attribute, span);
	else if (defined->kind == BIND_CLASS)
		class_attribute(ns, defined->klass, attribute, defined == b ? value : NULL, span);
	else if (defined->kind != BIND_FUNCTION || makes_other_code(attribute))
		bind_changed(ns, ns, object->name.id, span);
}

static void change_value(Namespace *ns, const Ast *object, Span span)
{
	while (object->kind == AST_SUBSCRIPT)
		object = object->subscript.value;
	if (object->kind == AST_ATTRIBUTE) {
		change_attribute(ns, object->attribute.value, object->attribute.attr, NULL, span);
		return;
	}
	const Binding *b = object->kind == AST_NAME ? namespace_find(ns, object->name.id) : NULL;
	if (b && (b->kind == BIND_VALUE || b->kind == BIND_AUG || b->kind == BIND_FROM))
		bind_changed(ns, ns, object->name.id, span);
}

/* ---- statements ---- */

static bool is_call_of(const Ast *node, const char *name)
{
	return node->kind == AST_CALL && node->call.func->kind == AST_NAME && strcmp(node->call.func->name.id, name) == 0;
}

static Sym text_of(Namespace *ns, const Ast *node)
{
	CONTRACT(node->kind == AST_STRING);
	Str text = node->string.text;
	return node->kind == AST_STRING ? session_sym(ns->module->session, arena_strndup(ns->module->session->arena, text.ptr, text.len))
					: NULL;
}

void change_target(Namespace *ns, Ast *target, Ast *value, Span span)
{
	if (target->kind == AST_ATTRIBUTE)
		change_attribute(ns, target->attribute.value, target->attribute.attr, value, span);
	else if (target->kind == AST_TUPLE || target->kind == AST_LIST)
		for (uint32_t i = 0; i < target->seq.items.len; i++)
			change_target(ns, target->seq.items.items[i], NULL, span);
	if (target->kind != AST_SUBSCRIPT)
		return;
	Sym name = is_call_of(target->subscript.value, "globals") ? text_of(ns, target->subscript.index) : NULL;
	if (name)
		bind_changed(ns, ns, name, span);
	else
		change_value(ns, target->subscript.value, span);
}

void change_deleted(Namespace *ns, Ast *target)
{
	if (target->kind == AST_NAME)
		bind_changed(ns, ns, target->name.id, target->span);
	else
		change_target(ns, target, NULL, target->span);
}

static bool changes_its_object(Sym method)
{
	static const char *const names[] = {"append", "extend", "insert", "update", "pop", "popitem", "clear", "remove", "sort", "reverse",
					    "setdefault", "add", "discard", "__setitem__", "__delitem__", "__setattr__"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(method, names[i]) == 0)
			return true;
	return false;
}

/* L.append(3), setattr(P, "X", 3), as statements. */
void change_call(Namespace *ns, Ast *node)
{
	if (node->kind != AST_CALL)
		return;
	const Ast *func = node->call.func;
	if (func->kind == AST_ATTRIBUTE && changes_its_object(func->attribute.attr)) {
		change_value(ns, func->attribute.value, node->span);
		return;
	}
	bool sets = is_call_of(node, "setattr"), deletes = is_call_of(node, "delattr");
	if ((!sets && !deletes) || node->call.args.len < 2)
		return;
	Sym name = text_of(ns, node->call.args.items[1]);
	if (name)
		change_attribute(ns, node->call.args.items[0], name, sets && node->call.args.len == 3 ? node->call.args.items[2] : NULL,
				 node->span);
	else if (node->call.args.items[0]->kind == AST_NAME)
		bind_changed(ns, ns, node->call.args.items[0]->name.id, node->span);
}
