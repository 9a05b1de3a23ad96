/* front_content: what of the sources decides a kernel's code.
 *
 * The trees of the kernel and of all functions and classes that names in them lead to, and the values of the other names.
 * This is a superset of what one lowering reads: a name counts wherever it stands, also in a branch that is
 * not taken. Names that a function binds itself are its own business. What attributes are asked of is followed through modules; a class
 * counts whole, with its methods. */
#include "front/names/content.h"

#include <stdio.h>

#include "base/fault.h"
#include "front/builtin/builtin.h"
#include "front/syntax/parse.h"
#include "front/tile/sem.h"

typedef struct Found {
	FrontFunction *function; /* or: */
	FrontClass *klass;       /* or: */
	FrontModule *module;
} Found;

typedef struct Content {
	Arena *arena;
	Lower low;
	VEC(Found) queue;
	VEC(FrontPart) parts;
	Map seen; /* functions, classes, modules: by address */
	Text source;
	bool failed;
} Content;

static bool is_lib(const FrontModule *m)
{
	return m && m->path && strncmp(m->path, "<neso>/", 7) == 0;
}

static void enqueue(Content *c, const void *what, Found found)
{
	uint64_t known;
	if (map_get(&c->seen, map_key(what), &known))
		return;
	map_put(&c->seen, map_key(what), 1);
	vec_push(c->arena, &c->queue, found);
}

static void add_part(Content *c, FrontPartKind kind, const char *name, Str value)
{
	vec_push(c->arena, &c->parts, (FrontPart){kind, name, value});
}

/* ---- values ---- */

static void value_text(Content *c, Text *out, const Val *v, unsigned depth);

static void items_text(Content *c, Text *out, const Val *const *items, uint32_t len, unsigned depth)
{
	text_char(out, '(');
	for (uint32_t i = 0; i < len; i++) {
		if (i)
			text_str(out, ", ");
		if (items[i])
			value_text(c, out, items[i], depth + 1);
	}
	text_char(out, ')');
}

static void class_text(Content *c, Text *out, FrontClass *klass)
{
	text_printf(out, "class %s", klass->qualified ? klass->qualified : klass->name);
	if (klass->ast && !is_lib(klass->module))
		enqueue(c, klass, (Found){.klass = klass});
	for (uint32_t i = 0; !klass->ast && i < klass->field_count; i++)
		text_printf(out, " %s", klass->fields[i].name);
}

static void value_text(Content *c, Text *out, const Val *v, unsigned depth)
{
	if (depth > 50) {
		c->failed = true;
		return;
	}
	switch (v->kind) {
	case VAL_TUPLE: case VAL_LIST:
		text_str(out, v->kind == VAL_LIST ? "list" : "");
		if (v->seq.klass)
			class_text(c, out, v->seq.klass);
		items_text(c, out, v->seq.items, v->seq.len, depth);
		break;
	case VAL_DICT:
		text_str(out, "dict");
		items_text(c, out, v->dict.keys, v->dict.len, depth);
		items_text(c, out, v->dict.values, v->dict.len, depth);
		break;
	case VAL_FUNCTION:
		text_printf(out, "function %s%s", is_lib(v->function->module) ? "neso:" : "", v->function->qualified);
		if (!is_lib(v->function->module))
			enqueue(c, v->function->ast, (Found){.function = v->function});
		break;
	case VAL_CLASS:
		class_text(c, out, v->klass);
		break;
	case VAL_OBJECT:
		class_text(c, out, v->object.klass);
		items_text(c, out, v->object.fields, v->object.klass->field_count, depth);
		break;
	case VAL_METHOD:
		value_text(c, out, v->method.callee, depth + 1);
		text_str(out, " of ");
		value_text(c, out, v->method.self, depth + 1);
		break;
	case VAL_BUILTIN:
		text_printf(out, "builtin %s %u %d", v->builtin->name, v->builtin->where, v->builtin->data);
		break;
	case VAL_MODULE:
		/* An object of the host's that is handed on: what will be asked of it cannot be seen here. */
		if (!v->module.builtin_path && v->module.module->kind == MODULE_EXTERNAL)
			c->failed = true;
		text_printf(out, "module %s", v->module.builtin_path ? v->module.builtin_path : v->module.module->name);
		break;
	case VAL_OPAQUE:
		text_str(out, "unknown");
		break;
	default:
		text_str(out, val_repr(&c->low, v));
		break;
	}
}

static void add_global(Content *c, const char *name, const char *prefix, const Val *v)
{
	Text text;
	text_init(&text, c->arena);
	text_str(&text, prefix);
	value_text(c, &text, v, 0);
	/* One for each function that reads it: closures may give one name several values. */
	add_part(c, FRONT_PART_GLOBAL, arena_strdup(c->arena, name), (Str){text.data, text.len});
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

/* `own`: what the function itself binds, or NULL; `ns`: where its other names are looked up. */
static void name_content(Content *c, Namespace *own, Namespace *ns, Sym name)
{
	size_t end = strcspn(name, ".");
	Sym first = lower_sym(&c->low, (Str){name, end});
	Binding *local = own ? namespace_find(own, first) : NULL, *binding = NULL;
	if (local && local->kind != BIND_IMPORT && local->kind != BIND_FROM)
		return;
	const Val *v = local ? resolve_binding(&c->low, local) : resolve_name(&c->low, ns, first, &binding);
	if (!v)
		return; /* Python's own, or an error of the lowering */
	const char *prefix = eval_may_read(&c->low, binding, v) ? "" : "plain ";
	bool file = v->kind == VAL_MODULE && !v->module.builtin_path && v->module.module->kind == MODULE_FILE;
	if (file && !name[end])
		enqueue(c, v->module.module, (Found){.module = v->module.module});
	v = follow(c, v, name, &end);
	add_global(c, arena_strndup(c->arena, name, end), prefix, v);
}

/* ---- functions, classes ---- */

static void add_source(Content *c, const FrontModule *m, Span span)
{
	const Source *source = source_get(&m->session->sources, span.file);
	if (!source || span.end > source->len || span.start > span.end)
		return;
	text_add(&c->source, source->text + span.start, span.end - span.start);
	text_str(&c->source, "\n\n");
}

static void names_content(Content *c, FrontFunction *f, Namespace *own, Namespace *ns, const ContentNames *names)
{
	Frame *frame = frame_new(&c->low, f, ns);
	Frame *outer = c->low.frame;
	c->low.frame = frame;
	for (uint32_t i = 0; i < names->len; i++)
		name_content(c, own, ns, names->data[i]);
	c->low.frame = outer;
}

static void function_content(Content *c, FrontFunction *f)
{
	Text text;
	ContentNames names = {0};
	DiagList none;
	diag_init(&none, c->arena, NULL);
	text_init(&text, c->arena);
	Namespace *own = f->module->ast ? function_namespace(f, &none) : NULL;
	if (!own || !content_function(f->module, f->ast, c->arena, &text, &names)) {
		c->failed = true;
		return;
	}
	add_part(c, FRONT_PART_FUNCTION, f->qualified, (Str){text.data, text.len});
	add_source(c, f->module, f->ast->def_span);
	names_content(c, f, own, f->ns->klass ? f->ns->outer : f->ns, &names);
	if (f->klass && f->klass->ast)
		enqueue(c, f->klass, (Found){.klass = f->klass});
}

static void class_content(Content *c, FrontClass *klass)
{
	Text text;
	ContentNames names = {0};
	text_init(&text, c->arena);
	Ast node = {.kind = AST_CLASS_DEF};
	node.klass = klass->ast;
	if (!content_tree(klass->module, &node, c->arena, &text, &names)) {
		c->failed = true;
		return;
	}
	add_part(c, FRONT_PART_CLASS, klass->qualified, (Str){text.data, text.len});
	names_content(c, NULL, NULL, klass->ns.outer, &names);
	if (klass->base)
		class_text(c, &text, klass->base);
}

static void found_content(Content *c, const Found *found)
{
	if (found->function)
		function_content(c, found->function);
	else if (found->klass)
		class_content(c, found->klass);
	else if (found->module->source)
		add_part(c, FRONT_PART_MODULE, found->module->name,
			 (Str){found->module->source->text, found->module->source->len});
}

/* ---- arguments ---- */

/* Names in the constants of a call. */
static void argument_content(Content *c, FrontFunction *f, const FrontArg *arg)
{
	FrontSession *s = c->low.session;
	if (arg->kind != FRONT_CONST && arg->kind != FRONT_DEMOTED)
		return;
	Sym key = session_sym(s, arg->text);
	Ast *ast = map_get_ptr(&s->arg_exprs, key);
	if (!ast) {
		DiagList quiet;
		diag_init(&quiet, s->arena, NULL);
		Source *source = source_add(&s->sources, "<argument>", key, strlen(key), 1);
		ast = ast_parse_expression(s->arena, &s->names, source, &quiet);
		if (!ast) {
			c->failed = true;
			return;
		}
		map_put_ptr(&s->arg_exprs, key, ast);
	}
	Text text;
	ContentNames names = {0};
	text_init(&text, c->arena);
	Namespace *ns = f->ns;
	while (ns->outer)
		ns = ns->outer;
	content_tree(f->module, ast, c->arena, &text, &names);
	names_content(c, NULL, NULL, ns, &names);
}

/* ---- the whole ---- */

static void collect(Content *c, FrontFunction *f, const FrontArg *args, uint32_t arg_count)
{
	enqueue(c, f->ast, (Found){.function = f});
	for (uint32_t i = 0; i < c->queue.len && !c->failed; i++) {
		Found found = c->queue.data[i]; /* the array may move */
		found_content(c, &found);
		for (uint32_t a = 0; i == 0 && a < arg_count; a++)
			argument_content(c, f, &args[a]);
	}
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
	text_init(&c->source, arena);
	text_str(&c->source, "");
	Fault fault;
	session_lock(s);
	if (FAULT_TRY(&fault)) {
		diag_init(&diags, arena, &s->sources);
		ir_cx_init(&cx, arena);
		lower_open(&c->low, s, arena, &cx, &diags, options);
		c->low.m = ir_module_new(&cx);
		c->low.b = ir_at_end(c->low.m, ir_module_block(c->low.m), cx.unknown);
		c->low.quiet = true;
		collect(c, function, args, arg_count);
		fault_leave(&fault);
		session_unlock(s);
	} else {
		session_unlock(s);
		fault_raise(fault.kind, "%s", fault.text);
	}
	*content = (FrontContent){c->parts.data, c->parts.len, {c->source.data, c->source.len}};
	return !c->failed;
}
