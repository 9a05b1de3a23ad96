/* Names to values: what a global, a closure variable, an attribute of a module or class is worth in
 * one lowering.
 *
 * A binding is evaluated when it is first asked for, with Python's semantics, and remembered in the
 * FrontLower. Host code that cannot be evaluated here gives VAL_OPAQUE with the reason; only a use
 * of it is an error. */
#include "front/core.h"
#include "front/syntax/parse.h"
#include "front/names/change.h"
#include "front/reads.h"

/* ---- evaluating expressions of a namespace ---- */

/* Errors become the reason of an opaque value. */
const Val *resolve_eval(FrontLower *low, Namespace *ns, Ast *expr)
{
	DiagList quiet, *diags = low->diags;
	diag_init(&quiet, low->arena, diags->sources);
	low->diags = &quiet;
	Frame *frame = frame_new(low, ns->function, ns);
	frame->host = frame->free_globals = true;
	frame->caller = low->frame;
	low->frame = frame;
	Span span = low->span;
	low->evaluating++;
	const Val *v = eval(low, expr);
	low->evaluating--;
	low->span = span;
	low->frame = frame->caller;
	low->diags = diags;
	if (v->kind != VAL_POISON)
		return v;
	return val_opaque(low, "%s", quiet.first ? quiet.first->text : "it is host code");
}

/* x = None at module level, set by a function that says `global x`. */
static bool is_set_elsewhere(const Binding *b)
{
	const Source *source = b->ns->module->source;
	if (b->ns->outer || !source)
		return false;
	size_t n = strlen(b->name);
	for (const char *line = source->text; (line = strstr(line, "global ")) != NULL; line++) {
		const char *begin = line;
		while (begin > source->text && (begin[-1] == ' ' || begin[-1] == '\t'))
			begin--;
		size_t len = strcspn(line, "\n#");
		if (begin > source->text && begin[-1] != '\n')
			continue;
		for (const char *at = line + 6; (at = strstr(at, b->name)) != NULL && at < line + len; at++)
			if (strchr(" ,", at[-1]) && strchr(" ,;\r\n", at[n]))
				return true;
	}
	return false;
}

/* ---- bindings ---- */

/* The part of an unpacked value that a name of the target stands for. */
static const Val *unpack(FrontLower *low, const Ast *target, Sym name, const Val *value)
{
	if (target->kind == AST_NAME)
		return target->name.id == name ? value : NULL;
	if (target->kind != AST_TUPLE && target->kind != AST_LIST)
		return NULL;
	if (value->kind == VAL_OPAQUE)
		return value;
	ValVec items = {0};
	if (!eval_items(low, value, &items) || items.len != target->seq.items.len)
		return val_opaque(low, "it is unpacked from something of another length");
	for (uint32_t i = 0; i < items.len; i++) {
		const Val *v = unpack(low, target->seq.items.items[i], name, items.data[i]);
		if (v)
			return v;
	}
	return NULL;
}

static const Val *enum_member(FrontLower *low, Binding *b)
{
	Val *v = val_new(low, VAL_OBJECT);
	v->object.klass = b->ns->klass;
	v->object.fields = ARENA_ARRAY(low->arena, const Val *, b->ns->klass->field_count);
	v->object.fields[0] = val_str(low, str_of(b->name));
	const Val *value = resolve_live_member(low, b);
	if (!value && b->value->kind == AST_CALL && b->value->call.args.len == 0) {
		const char *f = dotted_name(b->ns, b->value->call.func);
		if (f && (strcmp(f, "auto") == 0 || strcmp(f, "enum.auto") == 0)) {
			int64_t n = 1;
			for (uint32_t i = 0; b->ns->order.data[i] != b; i++)
				n += b->ns->order.data[i]->kind == BIND_VALUE;
			value = val_int(low, n);
		}
	}
	v->object.fields[1] = value ? value : resolve_eval(low, b->ns, b->value);
	return v;
}

static const Val *depends_on_itself(FrontLower *low, const Binding *b)
{
	return val_opaque(low, "its value depends on itself%s",
			  b->kind == BIND_FROM ? " (the files import it from each other)" : "");
}

/* A list or an object that another name stands for as well, which a statement changes. */
typedef struct Shared {
	const Namespace *ns;
	const Binding *by;
} Shared;

static void find_shared(void *data, Ast *node)
{
	Shared *s = data;
	while (node->kind == AST_ATTRIBUTE)
		node = node->attribute.value;
	for (const Namespace *n = node->kind == AST_NAME ? s->ns : NULL; n; n = n->outer)
		for (const Binding *b = namespace_find(n, node->name.id); b; b = b->prev)
			if (b->changed || b->kind == BIND_AUG)
				s->by = b;
}

static const Val *shared(FrontLower *low, const Binding *b, const Val *v)
{
	bool holds = v->kind == VAL_LIST || v->kind == VAL_DICT || v->kind == VAL_OBJECT || v->kind == VAL_TUPLE;
	Shared s = {b->scope ? b->scope : b->ns, NULL};
	if (holds && !module_in_lib(b->ns->module))
		change_each_alias(b->value, find_shared, &s);
	return s.by ? val_opaque(low, "what it is made of is changed: %s", s.by->why ? s.by->why : s.by->name) : v;
}

static const Val *evaluate(FrontLower *low, Binding *b)
{
	switch (b->kind) {
	case BIND_FUNCTION: {
		if (!strchr(b->ns->module->real_path, '\x1f') && is_set_elsewhere(b))
			return val_opaque(low, "it is set by host code");
		const Val *live = resolve_live_member(low, b);
		function_decorate(b->function);
		return live ? live : resolve_decorated(low, b->function);
	}
	case BIND_CLASS:
		if (!strchr(b->ns->module->real_path, '\x1f') && is_set_elsewhere(b))
			return val_opaque(low, "it is set by host code");
		return val_class(low, b->klass);
	case BIND_IMPORT:
		return resolve_import_whole(low, b);
	case BIND_FROM: {
		const Val *v = resolve_import_member(low, b, b->member, NULL);
		if (!v && b->from && namespace_find(&b->from->ns, b->member))
			return depends_on_itself(low, b);
		return v ? v : val_opaque(low, "module '%s' has no '%s'", b->module ? b->module : ".", b->member);
	}
	case BIND_VALUE: {
		if (b->ns->klass && b->ns->klass->kind == CLASS_ENUM && b->target->kind == AST_NAME)
			return enum_member(low, b);
		const Val *live = resolve_live_member(low, b);
		if (live)
			return live;
		if (is_set_elsewhere(b))
			return val_opaque(low, "it is set by host code");
		FrontFunction *jitted = b->target->kind == AST_NAME ? jitted_function(b) : NULL;
		if (jitted) {
			if (jitted->kind == FN_HOST)
				jitted->kind = FN_JIT;
			return val_function(low, jitted);
		}
		const Val *v = resolve_eval(low, b->scope ? b->scope : b->ns, b->value);
		return shared(low, b, unpack(low, b->target, b->name, v));
	}
	case BIND_AUG: {
		const Val *old = b->prev ? resolve_binding(low, b->prev) : NULL;
		const Val *more = resolve_eval(low, b->ns, b->value);
		if (!old || old->kind == VAL_OPAQUE || more->kind == VAL_OPAQUE || val_has_tensor(old))
			return val_opaque(low, "it is changed by host code");
		return eval_binary(low, b->op, old, more);
	}
	case BIND_PARAM:
		return val_opaque(low, "it is a parameter of %s(), whose value only its caller knows",
				  b->ns->function->ast->name);
	case BIND_OPAQUE:
		return val_opaque(low, "%s", b->why);
	}
	BUG("binding of kind %d", (int)b->kind);
}

/* With the names that were there when the statement ran: those of its namespace, and of the classes
 * and the module around it. */
static const Val *evaluate_then(FrontLower *low, Binding *b)
{
	AsOf then[8];
	const AsOf *outer = low->as_of;
	if (b->kind == BIND_VALUE || b->kind == BIND_AUG)
		resolve_as_of(low, b->scope ? b->scope : b->ns, b->at, then, ARRAY_LEN(then));
	const Val *v = evaluate(low, b);
	low->as_of = outer;
	return v;
}

/* Where it is not known whether the statement runs, the value is known if it is the same without
 * it. */
static const Val *evaluate_surely(FrontLower *low, Binding *b)
{
	const char *effect = effect_on_name(b);
	const Val *v = effect ? val_opaque(low, "%s", effect) : evaluate_then(low, b);
	if (!b->unsure || v->kind == VAL_OPAQUE)
		return v;
	bool beside = b->ns->stars.len || (b->ns->klass && b->ns->klass->base);
	const Val *without = b->prev ? resolve_binding(low, b->prev) : beside ? NULL : v;
	return without && reads_same(v, without) ? v : val_opaque(low, "%s", b->unsure);
}

const Val *resolve_binding(FrontLower *low, Binding *b)
{
	const Val *v = map_get_ptr(&low->globals, b);
	if (v)
		return v;
	if (b->busy)
		return depends_on_itself(low, b);
	b->busy = true;
	low->evaluating++;
	v = evaluate_surely(low, b);
	low->evaluating--;
	b->busy = false;
	if (v->kind == VAL_OPAQUE) {
		bool wrapped = true;
		const Val *told = resolve_ask_host(low, b->ns, b->name, &wrapped);
		if (told)
			map_put(&low->told, map_key(b), wrapped);
		if (!told && b->kind == BIND_VALUE)
			told = resolve_usual_module(low, b->name);
		v = told ? told : v;
	}
	map_put_ptr(&low->globals, b, v);
	return v;
}

const Val *resolve_name(FrontLower *low, Namespace *ns, Sym name, Binding **binding)
{
	for (Namespace *n = ns; n; n = n->outer) {
		Binding *b = resolve_visible(low, n, name);
		const Val *v = resolve_from_stars(low, n, b ? b->at : 0, name, binding);
		if (v)
			return v;
		if (b) {
			if (binding)
				*binding = resolve_imported(low, b);
			return resolve_binding(low, b);
		}
	}
	bool wrapped = false;
	const Val *v = resolve_ask_host(low, ns, name, &wrapped);
	if (!v && strcmp(name, "__name__") == 0 && ns->module->kind == MODULE_FILE)
		v = val_str(low, str_of(ns->module->name));
	if (v && binding && !wrapped)
		*binding = &low->session->plain_host_value;
	return v;
}

/* ---- classes ---- */

/* Statements behind a class may give it attributes: those of them that have run, as of the
 * moment. */
static Binding *class_visible(const FrontLower *low, const FrontClass *c, Sym name)
{
	uint32_t around = c->ns.outer ? resolve_limit(low, c->ns.outer) : UINT32_MAX;
	Binding *b = resolve_visible(low, &c->ns, name);
	while (b && b->at >= around)
		b = b->prev;
	return b;
}

static const Val *class_member(FrontLower *low, FrontClass *c, Sym name, Binding **binding)
{
	for (unsigned depth = 0; c && depth < 50; c = c->base, depth++) {
		Binding *b = class_visible(low, c, name);
		const char *why = b ? NULL : c->base_unknown;
		if (why && c->base)
			return val_opaque(low, "%s", why);
		if (b) {
			if (binding)
				*binding = b;
			return resolve_binding(low, b);
		}
	}
	return NULL;
}

const Val *resolve_class_member(FrontLower *low, FrontClass *c, Sym name, Binding **binding)
{
	const char *effect = effect_on_member(c, name);
	const Val *v = class_member(low, c, name, binding);
	v = v && effect ? val_opaque(low, "%s", effect) : v;
	return c->ast && !module_in_lib(c->module) ? lower_read(low, c, name, v) : v;
}

const Val *resolve_class_attribute(FrontLower *low, FrontClass *c, Sym name)
{
	const Val *v = resolve_class_member(low, c, name, NULL);
	if (v && v->kind == VAL_FUNCTION && v->function->is_class_method)
		return val_method(low, v, val_class(low, c));
	if (!v && strcmp(name, "__name__") == 0)
		return val_str(low, str_of(c->name));
	return v;
}

/* ---- which globals a kernel may read ---- */

bool resolve_is_constexpr(FrontLower *low, Namespace *ns, const Ast *expr, unsigned depth)
{
	if (!expr || depth > 20)
		return false;
	switch (expr->kind) {
	case AST_CALL: {
		const char *name = dotted_name(ns, expr->call.func);
		const char *last = name ? strrchr(name, '.') : NULL;
		return name && strcmp(last ? last + 1 : name, "constexpr") == 0;
	}
	case AST_NAME:
		for (Namespace *n = ns; n; n = n->outer) {
			Binding *b = namespace_find(n, expr->name.id);
			if (b && b->kind == BIND_VALUE)
				return is_constexpr_annotation(n, b->annotation) ||
				       resolve_is_constexpr(low, n, b->value, depth + 1);
			if (b && b->kind == BIND_FROM) {
				Binding *inner = resolve_imported(low, b);
				return inner->kind == BIND_VALUE &&
				       (is_constexpr_annotation(inner->ns, inner->annotation) ||
					resolve_is_constexpr(low, inner->ns, inner->value, depth + 1));
			}
			if (b)
				return false;
		}
		return false;
	case AST_BIN_OP:
		return resolve_is_constexpr(low, ns, expr->bin.left, depth + 1) ||
		       resolve_is_constexpr(low, ns, expr->bin.right, depth + 1);
	case AST_UNARY_OP:
		return resolve_is_constexpr(low, ns, expr->un.operand, depth + 1);
	case AST_COMPARE:
		return resolve_is_constexpr(low, ns, expr->compare.left, depth + 1);
	case AST_IF_EXP:
		return resolve_is_constexpr(low, ns, expr->if_exp.body, depth + 1) &&
		       resolve_is_constexpr(low, ns, expr->if_exp.orelse, depth + 1);
	default:
		return false;
	}
}

/* A class without a file: ValueError, the result of torch.finfo(). */
FrontClass *class_of_python(FrontLower *low, const char *name, ClassKind kind, const char *const *fields,
			    uint32_t count)
{
	FrontSession *s = low->session;
	Sym sym = session_sym(s, name);
	FrontClass *c = map_get_ptr(&s->python_classes, sym);
	if (c)
		return c;
	c = ARENA_NEW(s->arena, FrontClass);
	c->name = sym;
	c->qualified = sym;
	c->kind = kind;
	map_init(&c->ns.names, s->arena);
	ClassField *all = ARENA_ARRAY(s->arena, ClassField, count);
	for (uint32_t i = 0; i < count; i++)
		all[i].name = session_sym(s, fields[i]);
	c->fields = all;
	c->field_count = count;
	map_put_ptr(&s->python_classes, sym, c);
	return c;
}

static const Val *exception_class(FrontLower *low, Sym name)
{
	static const char *const names[] = {
		"ArithmeticError", "AssertionError", "AttributeError", "BaseException", "Exception", "ImportError",
		"IndexError", "KeyError", "LookupError", "ModuleNotFoundError", "NameError", "NotImplementedError",
		"OSError", "OverflowError", "RuntimeError", "StopIteration", "TypeError", "ValueError",
		"ZeroDivisionError",
	};
	static const char *const fields[] = {"args"};
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(name, names[i]) == 0)
			return val_class(low, class_of_python(low, name, CLASS_EXCEPTION, fields, 1));
	return NULL;
}

const Val *resolve_python(FrontLower *low, Sym name)
{
	const PyBuiltin *p = python_find(NULL, name);
	if (!p)
		return exception_class(low, name);
	Val *v = val_new(low, VAL_PYTHON);
	v->python = p;
	return v;
}

const Val *lower_lib_name(FrontLower *low, const char *file, const char *name)
{
	FrontModule *m = session_lib(low->session, file, low->diags);
	return m ? resolve_name(low, &m->ns, lower_sym(low, str_of(name)), NULL) : NULL;
}

/* ---- did you mean ---- */

const char *resolve_nearest(FrontLower *low, Sym name)
{
	VEC(const char *) names = {0};
	for (const Frame *f = low->frame; f; f = f->env)
		for (uint32_t i = 0; i < f->names.len; i++)
			vec_push(low->arena, &names, f->names.data[i]);
	for (const Namespace *n = low->frame ? low->frame->ns : NULL; n; n = n->outer)
		for (uint32_t i = 0; i < n->order.len; i++)
			vec_push(low->arena, &names, n->order.data[i]->name);
	return names.len ? str_nearest(str_of(name), names.data, names.len) : NULL;
}
