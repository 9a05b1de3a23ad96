/* Names as of a moment: Python gives a default or a global the values that names have when its statement runs, and a file may
 * bind a name more than once. And what else is evaluated outside of a function's body: imports, fields, arguments, defaults. */
#include "front/core.h"
#include "front/syntax/parse.h"
#include "front/reads.h"

/* ---- what has run ---- */

uint32_t resolve_limit(const FrontLower *low, const Namespace *ns)
{
	for (const AsOf *a = low->as_of; a; a = a->outer)
		if (a->ns == ns)
			return a->at;
	return UINT32_MAX;
}

Binding *resolve_visible(const FrontLower *low, const Namespace *ns, Sym name)
{
	uint32_t limit = resolve_limit(low, ns);
	Binding *b = namespace_find(ns, name);
	while (b && b->at >= limit)
		b = b->prev;
	return b;
}

/* Texts that a host made for what lives in it have their imports at the end. */
void resolve_as_of(FrontLower *low, const Namespace *ns, uint32_t at, AsOf *then, size_t room)
{
	bool live = ns && ns->module->real_path && strchr(ns->module->real_path, '\x1f');
	for (size_t i = 0; ns && !live && i < room; ns = ns->outer, i++) {
		then[i] = (AsOf){ns, at, low->as_of};
		low->as_of = &then[i];
		if (ns->function)
			break; /* what is around a function goes on after it was defined */
	}
}

/* ---- scopes and imports ---- */

Namespace *function_scope(const FrontFunction *f)
{
	return f->ns->klass ? f->ns->outer : f->ns;
}

Namespace *resolve_import(FrontLower *low, Namespace *scope, Ast *node)
{
	FrontSession *s = low->session;
	Namespace *ns = map_get_ptr(&s->body_imports, node);
	if (ns)
		return ns;
	AstList one = {&node, 1};
	ns = ARENA_NEW(s->arena, Namespace);
	namespace_init(ns, scope->module, scope);
	index_statements(ns, &one, low->diags);
	map_put_ptr(&s->body_imports, node, ns);
	return ns;
}

void bind_import(FrontLower *low, Ast *node)
{
	Namespace *scope = low->frame->ns, *ns = resolve_import(low, scope, node);
	for (uint32_t i = 0; i < ns->order.len; i++) {
		Binding *b = ns->order.data[i];
		const Val *live = resolve_live_import(low, b);
		frame_set(low, low->frame, b->name,
			  lower_read(low, node, b->name, live ? live : resolve_binding(low, b)));
	}
}

/* ---- decorators ---- */

static const char *decorator_text(const FrontFunction *f, const Ast *decorator)
{
	return arena_strndup(f->module->session->arena, f->module->source->text + decorator->span.start,
			     decorator->span.end - decorator->span.start);
}

/* Python calls it with the function; NULL: it cannot be called here. */
static const Val *apply_decorator(FrontLower *low, FrontFunction *f, Ast *decorator, const Val *v)
{
	DiagList quiet, *diags = low->diags;
	const Val *callee = resolve_eval(low, f->klass ? &f->klass->ns : f->ns, decorator);
	if (callee->kind != VAL_FUNCTION && callee->kind != VAL_METHOD)
		return NULL;
	diag_init(&quiet, low->arena, diags->sources);
	Frame *frame = frame_new(low, NULL, f->ns), *caller = low->frame;
	frame->host = frame->free_globals = true;
	frame->caller = caller;
	low->frame = frame;
	low->diags = &quiet;
	low->evaluating++;
	v = lower_call(low, callee, &(CallArgs){.args = &v, .arg_count = 1});
	low->evaluating--;
	low->diags = diags;
	low->frame = caller;
	return v->kind == VAL_POISON || v->kind == VAL_OPAQUE ? NULL : v;
}

const Val *resolve_decorated(FrontLower *low, FrontFunction *f)
{
	const Val *v = val_function(low, f);
	for (uint32_t i = f->foreign ? f->ast->decorators.len : 0; i-- > 0;) {
		Ast *decorator = f->ast->decorators.items[i];
		if (!is_foreign_decorator(f, decorator))
			continue;
		v = apply_decorator(low, f, decorator, v);
		if (!v)
			return val_opaque(low, "what its decorator '%s' makes of it is not known here", decorator_text(f, decorator));
	}
	return v;
}

bool resolve_foreign_kernel(FrontLower *low, FrontFunction *f)
{
	if (!f->foreign)
		return true;
	const Val *v = resolve_decorated(low, f);
	if (v->kind == VAL_FUNCTION && v->function->ast == f->ast)
		return true;
	const char *text = decorator_text(f, f->foreign);
	low->span = f->foreign->span;
	if (f->foreign_inside)
		lower_error(low, DIAG_DECORATOR_INSIDE, text, f->ast->name);
	else
		diag_add(low->diags, f->foreign->span, DIAG_DECORATOR_AROUND, text, f->ast->name);
	return !f->foreign_inside;
}

/* Is what its name stands for in its file, when all of that has run, another function, or not known? Somebody named it so. */
const char *resolve_kernel_doubt(FrontLower *low, FrontFunction *f)
{
	Binding *b = namespace_find(f->ns, f->ast->name);
	if (!b || f->env || f->ns->function || strchr(f->module->real_path, '\x1f'))
		return NULL;
	const Val *v = resolve_binding(low, b);
	if (v->kind == VAL_FUNCTION && v->function->ast != f->ast)
		return arena_printf(low->arena, "it is bound to '%s' by then", v->function->qualified);
	return v->kind == VAL_OPAQUE && b->unsure && b->prev ? v->opaque.why : NULL;
}

/* ---- fields, arguments, defaults ---- */

const Val *resolve_field(FrontLower *low, FrontClass *c, uint32_t i)
{
	const ClassField *field = &c->fields[i];
	AsOf then[8];
	const AsOf *outer = low->as_of;
	resolve_as_of(low, &c->ns, field->value->span.start, then, ARRAY_LEN(then));
	const Val *v = resolve_eval(low, &c->ns, field->value);
	low->as_of = outer;
	return module_in_lib(c->module) ? v : lower_read(low, field, field->name, v);
}

/* Of which there may be ever new ones: a number. */
static bool is_number(const char *text)
{
	text += *text == '-';
	return *text >= '0' && *text <= '9' && text[strspn(text, "0123456789.eE+-")] == '\0';
}

/* As long as the lowering lives; all are at the same place. */
static Ast *parse_number(FrontLower *low, const char *text, DiagList *quiet)
{
	FrontSession *s = low->session;
	if (!s->numbers)
		s->numbers = source_add(&s->sources, "<argument>", "", 0, 1);
	SourceSet own;
	source_set_init(&own, low->arena);
	Source *source = source_add(&own, "<argument>", text, strlen(text), 1);
	source->id = s->numbers->id;
	return ast_parse_expression(low->arena, &s->names, source, quiet);
}

static Ast *parse_argument(FrontLower *low, const char *text, const char **why)
{
	FrontSession *s = low->session;
	DiagList quiet;
	const bool number = is_number(text);
	Sym key = number ? NULL : session_sym(s, text);
	Ast *ast = number ? NULL : map_get_ptr(&s->arg_exprs, key);
	if (ast)
		return ast;
	diag_init(&quiet, number ? low->arena : s->arena, NULL);
	ast = number ? parse_number(low, text, &quiet)
		     : ast_parse_expression(s->arena, &s->names,
					    source_add(&s->sources, "<argument>", key, strlen(key), 1),
					    &quiet);
	if (!ast)
		*why = quiet.first ? quiet.first->text : "no expression";
	else if (!number)
		map_put_ptr(&s->arg_exprs, key, ast);
	return ast;
}

const Val *resolve_argument(FrontLower *low, FrontFunction *f, uint32_t i, const char *text, const char **why)
{
	Ast *ast = parse_argument(low, text, why);
	if (!ast)
		return NULL;
	Namespace *ns = f->ns;
	while (ns->outer)
		ns = ns->outer;
	/* The owner is the parameter, as its argument: not as its default. */
	return lower_read(low, &f->ast->params[i].kind, f->ast->params[i].name, resolve_eval(low, ns, ast));
}

static const Val *evaluate_default(FrontLower *low, FrontFunction *f, const AstParam *p)
{
	AsOf then[8];
	const AsOf *outer = low->as_of;
	resolve_as_of(low, f->ns, f->ast->name_span.start, then, ARRAY_LEN(then));
	const Val *v = resolve_host_default(low, f, p);
	v = v ? v : resolve_eval(low, f->klass ? &f->klass->ns : f->ns, p->value);
	low->as_of = outer;
	return v;
}

const Val *param_default(FrontLower *low, FrontFunction *f, uint32_t i)
{
	const AstParam *p = &f->ast->params[i];
	if (f->defaults)
		return f->defaults[i];
	const Val *v = evaluate_default(low, f, p);
	return module_in_lib(f->module) ? v : lower_read(low, p, p->name, v);
}

/* Of a function that is made while something is evaluated: in the frame that makes it, as it is then. */
bool function_defaults(FrontLower *low, FrontFunction *f)
{
	const Val **values = ARENA_ARRAY(low->arena, const Val *, f->ast->param_count + 1);
	bool ok = true;
	for (uint32_t i = 0; i < f->ast->param_count; i++) {
		values[i] = f->ast->params[i].value ? eval(low, f->ast->params[i].value) : NULL;
		ok = ok && (!values[i] || values[i]->kind != VAL_POISON);
	}
	f->defaults = values;
	return ok;
}
