/* What the host is asked while names are resolved: globals that no text gives, attributes of its objects, and what became of what lives in it. */
#include "front/core.h"
#include "front/reads.h"
#include "front/syntax/parse.h"

static Ast *host_expression(FrontSession *s, const char *text)
{
	Sym key = session_sym(s, text);
	Ast *ast = map_get_ptr(&s->host_exprs, key);
	if (ast)
		return ast;
	DiagList quiet;
	diag_init(&quiet, s->arena, NULL);
	Source *source = source_add(&s->sources, "<host>", key, strlen(key), 1);
	ast = ast_parse_expression(s->arena, &s->names, source, &quiet);
	map_put_ptr(&s->host_exprs, key, ast);
	return ast;
}

static FrontFunction *module_function(FrontModule *m, const char *qualified, DiagList *diags)
{
	module_find_kernels(m, diags);
	for (uint32_t i = m->functions.len; i-- > 0;)
		if (strcmp(m->functions.data[i]->qualified, qualified) == 0)
			return m->functions.data[i];
	return NULL;
}

/* What an answer of the host is worth, among the names of `ns`; *wrapped: it says tl.constexpr(...). */
static const Val *host_value(FrontLower *low, Namespace *ns, const FrontHostValue *answer, bool *wrapped)
{
	FrontSession *s = low->session;
	*wrapped = true;
	if (answer->expr) {
		Ast *ast = host_expression(s, answer->expr);
		if (!ast)
			return val_opaque(low, "the host describes it as %s, which is no expression", answer->expr);
		Namespace *module = ns;
		while (module->outer)
			module = module->outer;
		*wrapped = resolve_is_constexpr(low, module, ast, 0);
		return resolve_eval(low, module, ast);
	}
	if (answer->space)
		return val_module(low, session_module(s, MODULE_EXTERNAL, answer->space, NULL));
	if (!answer->path || !answer->name)
		return NULL;
	FrontModule *m = session_load(s, answer->path, answer->name, answer->text.ptr ? &answer->text : NULL, low->span,
				      low->diags);
	FrontFunction *f = m ? module_function(m, answer->name, low->diags) : NULL;
	Binding *b = m && !f ? namespace_find(&m->ns, session_sym(s, answer->name)) : NULL;
	const Val *v = f ? val_function(low, f) : b ? resolve_binding(low, b) : NULL;
	return v ? v : val_opaque(low, "the host's %s was not found", answer->name);
}

static void note_answer(FrontLower *low, const char *question, const FrontHostValue *answer)
{
	if (!low->reads)
		return;
	const char *parts[] = {answer ? answer->expr : NULL, answer ? answer->space : NULL, answer ? answer->path : NULL,
			       answer ? answer->name : NULL, answer ? answer->text.ptr : NULL};
	Text text;
	text_init(&text, low->arena);
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		text_printf(&text, "%c%s", parts[i] ? '+' : '-', parts[i] ? parts[i] : "");
	lower_answer(low, question, text.data);
}

const Val *resolve_ask_host(FrontLower *low, Namespace *ns, Sym name, bool *wrapped)
{
	FrontSession *s = low->session;
	FrontHostValue answer = {0};
	Namespace *n = ns;
	while (!n->function && n->outer)
		n = n->outer;
	const char *function = low->frame && low->frame->function && low->frame->function->module == ns->module
				       ? low->frame->function->qualified
				       : n->function ? n->function->qualified : "";
	if (!s->host.find_name || ns->module->kind != MODULE_FILE)
		return NULL;
	const char *path = strchr(ns->module->real_path, '\x1f') ? ns->module->real_path : ns->module->path;
	bool told = s->host.find_name(s->host.data, path, function, name, &answer);
	note_answer(low, arena_printf(low->arena, "%s\n%s\n%s", path, function, name), told ? &answer : NULL);
	return told ? host_value(low, ns, &answer, wrapped) : NULL;
}

/* An attribute of something of the host's, asked for by its dotted name. */
const Val *resolve_ask_attribute(FrontLower *low, const FrontModule *m, Sym name)
{
	FrontSession *s = low->session;
	FrontHostValue answer = {0};
	bool wrapped;
	const Namespace *ns = low->frame ? low->frame->ns : NULL;
	while (ns && ns->outer)
		ns = ns->outer;
	if (!s->host.find_name || !ns)
		return NULL;
	const char *dotted = arena_printf(low->arena, "%s.%s", m->name, name);
	bool told = s->host.find_name(s->host.data, "", "", dotted, &answer);
	note_answer(low, dotted, told ? &answer : NULL);
	if (!told)
		return NULL;
	return host_value(low, (Namespace *)(uintptr_t)ns, &answer, &wrapped);
}

/* Is the text of something that lives in the host, which knows what became of it? */
static bool is_live(const FrontModule *m)
{
	return m->session->host.find_name && m->real_path && strchr(m->real_path, '\x1f');
}

const Val *resolve_live_member(FrontLower *low, Binding *b)
{
	bool wrapped, is_member = b->ns->klass && (b->kind == BIND_VALUE || b->kind == BIND_FUNCTION);
	if (!is_member || !is_live(b->ns->module))
		return NULL;
	const char *name = arena_printf(low->arena, "%s.%s=", b->ns->klass->qualified, b->name);
	return resolve_ask_host(low, b->ns, lower_sym(low, str_of(name)), &wrapped);
}

const Val *resolve_host_default(FrontLower *low, FrontFunction *f, const AstParam *p)
{
	bool wrapped;
	if (!is_live(f->module))
		return NULL;
	Frame *frame = frame_new(low, f, f->ns), *caller = low->frame;
	low->frame = frame;
	const char *question = arena_printf(low->arena, "%s=", p->name);
	const Val *v = resolve_ask_host(low, f->ns, lower_sym(low, str_of(question)), &wrapped);
	low->frame = caller;
	return v;
}

/* What an import inside a function gives: as the statement that Python would run, "from .p import x" or
 * "import p.q". Modules that are imported already may be others than their files say. */
const Val *resolve_live_import(FrontLower *low, Binding *b)
{
	bool wrapped, is_from = b->kind == BIND_FROM;
	if (!is_live(b->ns->module) || (!b->level && b->module && import_is_known(b->module)))
		return NULL;
	char dots[32] = "";
	for (uint32_t i = 0; i < b->level && i < sizeof dots - 1; i++)
		dots[i] = '.';
	const char *module = b->module ? b->module : "", *whole = b->whole ? " as" : "";
	const char *text = is_from ? arena_printf(low->arena, "from %s%s import %s", dots, module, b->member)
				   : arena_printf(low->arena, "import %s%s", module, whole);
	return resolve_ask_host(low, b->ns, lower_sym(low, str_of(text)), &wrapped);
}
