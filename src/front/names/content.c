/* front_content: what of the sources decides a kernel's code.
 *
 * A graph: the kernel, the functions and classes that names in it lead to, modules that are used as values, closures; each is a row with its
 * syntax tree, followed by the values of the names that it reads, in which others stand by name, and by a number where several have
 * one name. So rows that are the same mean graphs that are the same, whatever things are called and wherever they lie.
 *
 * This is more than one lowering reads: a name counts wherever it stands, also in a branch that is not taken. That it is not less is what
 * reads.h holds each lowering to. */
#include "front/names/content.h"

#include <stdio.h>

#include "base/fault.h"
#include "front/builtin/builtin.h"
#include "front/syntax/parse.h"
#include "front/reads.h"
#include "front/tile/sem.h"

static void add_part(Content *c, FrontPartKind kind, const char *name, Text value)
{
	vec_push(c->arena, &c->parts, (FrontPart){kind, name, {value.data, value.len}});
}

/* ---- values ---- */

static void add_value(Content *c, FrontPartKind kind, const char *name, const char *prefix, const Val *v)
{
	Text text;
	text_init(&text, c->arena);
	text_str(&text, prefix);
	content_value(c, &text, v, 0);
	add_part(c, kind, name, text);
}

/* ---- names ---- */

/* What the parts behind the first dot lead to, as far as modules go; *end: where that is in the name. */
static const Val *follow(Content *c, const Val *v, const char *name, size_t *end)
{
	while (v->kind == VAL_MODULE && name[*end] == '.') {
		bool ours = v->module.builtin_path || v->module.module->kind == MODULE_BUILTIN;
		if (ours)
			return v; /* the tree says what is asked of the language's own modules */
		size_t len = strcspn(name + *end + 1, ".");
		const Val *next = resolve_module_attribute(&c->low, v, lower_sym(&c->low, (Str){name + *end + 1, len}));
		if (!next)
			return v;
		v = next;
		*end += 1 + len;
	}
	return v;
}

/* The host's number of an object is no part of its name: see content_tree.c. */
static const char *row_name(Content *c, const char *name, size_t end)
{
	size_t digits = strncmp(name, "_neso", 5) == 0 ? strspn(name + 5, "0123456789") : 0;
	if (digits)
		return arena_printf(c->arena, "_neso#%.*s", (int)(end - 5 - digits), name + 5 + digits);
	return arena_strndup(c->arena, name, end);
}

static void named_value(Content *c, const Val *v, const char *prefix, const char *name)
{
	size_t end = strcspn(name, ".");
	v = follow(c, v, name, &end);
	add_value(c, FRONT_PART_GLOBAL, row_name(c, name, end), prefix, v);
}

static const Val *in_closure(const FrontFunction *f, Sym name)
{
	for (const Frame *env = f ? f->env : NULL; env; env = env->env) {
		const Val *v = frame_get(env, name);
		if (v)
			return v;
	}
	return NULL;
}

static void name_content(Content *c, const FrontFunction *f, Namespace *scope, Sym name)
{
	Sym first = lower_sym(&c->low, (Str){name, strcspn(name, ".")});
	Binding *binding = NULL;
	const Val *v = in_closure(f, first);
	if (v) {
		named_value(c, v, "closure ", name);
		return;
	}
	v = lower_read(&c->low, scope, first, resolve_name(&c->low, scope, first, &binding));
	if (v) /* else Python's own, or one of the function's own, or an error of the lowering */
		named_value(c, v, eval_may_read(&c->low, binding, v) ? "" : "plain ", name);
}

static bool begins_with(Sym name, Sym first)
{
	size_t len = strlen(first);
	return strncmp(name, first, len) == 0 && (!name[len] || name[len] == '.');
}

/* What the imports of a body give its names. */
static void imports_content(Content *c, Namespace *scope, const ContentTree *found, const ContentNames *names)
{
	for (uint32_t i = 0; i < found->imports.len; i++) {
		const Namespace *ns = resolve_import(&c->low, scope, found->imports.data[i]);
		for (uint32_t k = 0; k < ns->order.len; k++) {
			Binding *b = ns->order.data[k];
			const Val *v = lower_read(&c->low, found->imports.data[i], b->name, resolve_binding(&c->low, b));
			for (uint32_t n = 0; n < names->len; n++)
				if (begins_with(names->data[n], b->name))
					named_value(c, v, "imported ", names->data[n]);
		}
	}
}

static void names_content(Content *c, FrontFunction *f, Namespace *scope, const ContentNames *names)
{
	Frame *frame = frame_new(&c->low, f, scope);
	Frame *outer = c->low.frame;
	c->low.frame = frame;
	for (uint32_t i = 0; i < names->len; i++)
		name_content(c, f, scope, names->data[i]);
	c->low.frame = outer;
}

/* ---- functions, classes, modules ---- */

static void add_source(Content *c, const FrontModule *m, Span span)
{
	const Source *source = source_get(&m->session->sources, span.file);
	if (!source || span.end > source->len || span.start > span.end)
		return;
	text_add(&c->source, source->text + span.start, span.end - span.start);
	text_str(&c->source, "\n\n");
}

/* Inner functions see the names of the outer one's scope, or of a namespace of its body, where one was made of it. */
static void inner_content(Content *c, FrontFunction *f, Namespace *scope, const ContentTree *found, const ContentNames *names)
{
	for (uint32_t i = 0; i < found->functions.len; i++) {
		reads_know(c->low.reads, found->functions.data[i]);
		FrontFunction *inner = map_get_ptr(&c->low.session->functions, found->functions.data[i]);
		if (inner && inner->ast != f->ast && function_scope(inner) != scope)
			names_content(c, inner, function_scope(inner), names);
	}
}

/* Of a kernel those that the call leaves to it. */
static void defaults_content(Content *c, FrontFunction *f)
{
	const FrontArg *args = f == c->kernel ? c->args : NULL;
	for (uint32_t i = 0; i < f->ast->param_count; i++) {
		const char *name = f->ast->params[i].name;
		if (!f->ast->params[i].value)
			continue;
		/* A default that a call leaves is as if it were given. */
		if (args && i < c->arg_count && args[i].kind == FRONT_DEFAULT)
			add_value(c, FRONT_PART_ARGUMENT, name, "", param_default(&c->low, f, i));
		else if (!args || i >= c->arg_count)
			add_value(c, FRONT_PART_GLOBAL, arena_printf(c->arena, "%s=", name), "",
				  param_default(&c->low, f, i));
	}
}

static void function_content(Content *c, Found *found)
{
	FrontFunction *f = found->function;
	Text text;
	ContentNames names = {0};
	ContentTree inside = {0};
	Namespace *scope = function_scope(f);
	text_init(&text, c->arena);
	if (!f->module->ast || !content_function(scope, f->ast, c->arena, &text, &names, &inside)) {
		c->failed = true;
		return;
	}
	found->part = c->parts.len;
	add_part(c, FRONT_PART_FUNCTION, found->name, text);
	add_source(c, f->module, f->ast->def_span);
	names_content(c, f, scope, &names);
	imports_content(c, scope, &inside, &names);
	inner_content(c, f, scope, &inside, &names);
	defaults_content(c, f);
	if (f->klass && f->klass->ast)
		add_value(c, FRONT_PART_GLOBAL, "class of it", "", val_class(&c->low, f->klass));
}

static void kind_text(Text *out, const FrontFunction *f)
{
	text_printf(out, " %d%d%d%d%d%d", (int)f->kind, f->is_static, f->is_class_method, f->is_property, f->noinline, f->debug);
}

static void member_content(Content *c, FrontClass *klass, Sym name, const Val *v)
{
	const char *row = arena_printf(c->arena, "%s.%s", klass->name, name);
	if (v->kind != VAL_FUNCTION || v->function->env || !v->function->klass || module_in_lib(v->function->module)) {
		add_value(c, FRONT_PART_GLOBAL, row, "", v);
		return;
	}
	Text text; /* of the method is in the class's */
	text_init(&text, c->arena);
	text_printf(&text, "method %s", v->function->qualified);
	kind_text(&text, v->function);
	add_part(c, FRONT_PART_GLOBAL, row, text);
	defaults_content(c, v->function);
}

/* With all members: what an instance or the class is asked for need not stand near it. */
static void members_content(Content *c, FrontClass *klass)
{
	unsigned depth = 0;
	for (const FrontClass *k = klass; k && depth < 50; k = k->base, depth++)
		for (uint32_t i = 0; i < k->ns.order.len; i++) {
			Sym name = k->ns.order.data[i]->name;
			const Val *v = resolve_class_member(&c->low, klass, name, NULL);
			if (v)
				member_content(c, klass, name, v);
		}
	for (uint32_t i = 0; i < klass->field_count; i++)
		if (klass->fields[i].value)
			add_value(c, FRONT_PART_GLOBAL, arena_printf(c->arena, "%s.%s=", klass->name, klass->fields[i].name), "",
				  resolve_field(&c->low, klass, i));
}

static void class_content(Content *c, const Found *found)
{
	FrontClass *klass = found->klass;
	Text text;
	ContentNames names = {0};
	ContentTree inside = {0};
	text_init(&text, c->arena);
	Ast node = {.kind = AST_CLASS_DEF};
	node.klass = klass->ast;
	if (!content_tree(klass->ns.outer, &node, c->arena, &text, &names, &inside)) {
		c->failed = true;
		return;
	}
	text_printf(&text, " %d", (int)klass->kind);
	add_part(c, FRONT_PART_CLASS, found->name, text);
	names_content(c, NULL, klass->ns.outer, &names);
	imports_content(c, klass->ns.outer, &inside, &names);
	inner_content(c, &(FrontFunction){0}, klass->ns.outer, &inside, &names);
	members_content(c, klass);
	reads_know(c->low.reads, klass);
	if (klass->base)
		add_value(c, FRONT_PART_GLOBAL, "base of it", "", val_class(&c->low, klass->base));
}

/* Used as a value, so that any name in it may be asked for. */
static void module_names(Content *c, FrontModule *m, const FrontModule *from, unsigned depth)
{
	const Val *module = val_module(&c->low, m);
	for (uint32_t i = 0; i < from->ns.order.len; i++) {
		const Binding *b = from->ns.order.data[i];
		const Val *v = namespace_find(&from->ns, b->name) == b ? resolve_module_attribute(&c->low, module, b->name) : NULL;
		if (v)
			add_value(c, FRONT_PART_GLOBAL, arena_printf(c->arena, "%s.%s", m->name, b->name), "", v);
	}
	for (uint32_t i = 0; i < from->ns.stars.len && depth < 50; i++) {
		bool found;
		const FrontModule *star = binding_module(from->ns.stars.data[i], c->low.diags, &found);
		if (star->kind == MODULE_FILE && star != from)
			module_names(c, m, star, depth + 1);
	}
}

static void module_content(Content *c, const Found *found)
{
	Text text;
	text_init(&text, c->arena);
	text_str(&text, found->module->name);
	add_part(c, FRONT_PART_MODULE, found->name, text);
	module_names(c, found->module, found->module, 0);
	reads_know(c->low.reads, found->module);
}

static void found_content(Content *c, uint32_t at)
{
	Found found = c->queue.data[at]; /* the array may move */
	if (found.function)
		function_content(c, &found);
	else if (found.klass)
		class_content(c, &found);
	else
		module_content(c, &found);
	c->queue.data[at] = found;
}

/* What decorators and other files make of a function is known when all was looked at. */
static void add_kinds(Content *c)
{
	for (uint32_t i = 0; i < c->queue.len && !c->failed; i++) {
		FrontFunction *f = c->queue.data[i].function;
		if (!f)
			continue;
		FrontPart *part = &c->parts.data[c->queue.data[i].part];
		Text text;
		function_decorate(f);
		text_init(&text, c->arena);
		text_add(&text, part->value.ptr, part->value.len);
		kind_text(&text, f);
		part->value = (Str){text.data, text.len};
	}
}

/* ---- arguments ---- */

/* What its text is worth: names may be in it. */
static void argument_content(Content *c, FrontFunction *f, const FrontArg *arg, uint32_t i)
{
	if (arg->kind != FRONT_CONST && arg->kind != FRONT_DEMOTED)
		return;
	Frame *outer = c->low.frame;
	c->low.frame = frame_new(&c->low, f, function_scope(f));
	const char *why;
	const Val *v = resolve_argument(&c->low, f, i, arg->text, &why);
	c->low.frame = outer;
	if (v && arg->kind == FRONT_CONST)
		add_value(c, FRONT_PART_ARGUMENT, f->ast->params[i].name, "", v);
	c->failed = c->failed || !v;
}

/* ---- the whole ---- */

static void collect(Content *c, FrontFunction *f, const FrontArg *args, uint32_t arg_count)
{
	c->kernel = f;
	c->args = args;
	c->arg_count = arg_count;
	c->failed = resolve_kernel_doubt(&c->low, f) != NULL;
	content_reference(c, f->ast, (Found){.function = f});
	for (uint32_t i = 0; i < c->queue.len && !c->failed; i++) {
		found_content(c, i);
		for (uint32_t a = 0; i == 0 && !c->failed && a < arg_count && a < f->ast->param_count; a++)
			argument_content(c, f, &args[a], a);
	}
	add_kinds(c);
}

bool front_content(FrontFunction *function, const FrontArg *args, uint32_t arg_count, const FrontOptions *options,
		   Arena *arena, FrontContent *content)
{
	FrontSession *s = function->module->session;
	Content *c = ARENA_NEW(arena, Content);
	DiagList diags;
	IrCx cx;
	c->arena = arena;
	map_init(&c->seen, arena);
	map_init(&c->names, arena);
	text_init(&c->source, arena);
	text_str(&c->source, "");
	FrontReads *reads = reads_new(arena);
	Fault fault;
	session_lock(s);
	if (FAULT_TRY(&fault)) {
		diag_init(&diags, arena, &s->sources);
		ir_cx_init(&cx, arena);
		lower_open(&c->low, s, arena, &cx, &diags, options);
		c->low.reads = reads;
		c->low.m = ir_module_new(&cx);
		c->low.b = ir_at_end(c->low.m, ir_module_block(c->low.m), cx.unknown);
		c->low.quiet = true;
		collect(c, function, args, arg_count);
		c->failed = c->failed || diags.errors; /* a file that it imports is broken: the lowering says so */
		fault_leave(&fault);
		session_unlock(s);
	} else {
		session_unlock(s);
		fault_raise(fault.kind, "%s", fault.text);
	}
	reads->open = false;
	*content = (FrontContent){c->parts.data, c->parts.len, {c->source.data, c->source.len}, reads};
	return !c->failed && !reads->beyond;
}
