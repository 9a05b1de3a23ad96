/* What functions of the host change when they are called, and what is done to things that cannot be
 * told from here.
 *
 * Nobody knows here whether and when a function is called. So what it may change has no known value
 * at any time: a global that it declares `global` (resolve.c), items of a list, attributes of a
 * class, a variable of the environment. Functions are looked at when the first name is read that
 * may be changed. */
#include "front/names/change.h"
#include "front/syntax/parse.h"

typedef VEC(Sym) Names;

typedef struct FunctionScan {
	FrontModule *module;
	FrontFunction *function;
	const struct FunctionScan *outer;
	Names bound, params, globals;
	AstList body;
	unsigned depth; /* of aliases that are followed */
	Span at;
	Sym attr;
} FunctionScan;

/* ---- the lists ---- */

void effect_add(FrontModule *m, Sym base, Sym attr, Span span)
{
	vec_push(m->session->arena, &m->session->effects,
		 (HostEffect){.module = m, .base = base, .attr = attr, .span = span});
}

void effect_add_environment(FrontModule *m, Sym variable, Span span)
{
	vec_push(m->session->arena, &m->session->effects,
		 (HostEffect){.module = m, .attr = variable, .span = span, .environment = true});
}

void effect_add_text(FrontModule *m, Span span, bool any)
{
	vec_push(m->session->arena, &m->session->effects,
		 (HostEffect){.module = m, .span = span, .text = true, .any = any});
}

/* ---- names of a function ---- */

static bool has(const Names *names, Sym name)
{
	for (uint32_t i = 0; i < names->len; i++)
		if (names->data[i] == name)
			return true;
	return false;
}

static void bind_names(FunctionScan *f, const Ast *target)
{
	Arena *arena = f->module->session->arena;
	if (target->kind == AST_NAME)
		vec_push(arena, &f->bound, target->name.id);
	else if (target->kind == AST_TUPLE || target->kind == AST_LIST)
		for (uint32_t i = 0; i < target->seq.items.len; i++)
			bind_names(f, target->seq.items.items[i]);
	else if (target->kind == AST_STARRED)
		bind_names(f, target->wrap.value);
}

static void find_names(void *data, Ast *node)
{
	FunctionScan *f = data;
	Arena *arena = f->module->session->arena;
	switch (node->kind) {
	case AST_ASSIGN:
		for (uint32_t i = 0; i < node->assign.targets.len; i++)
			bind_names(f, node->assign.targets.items[i]);
		break;
	case AST_ANN_ASSIGN: bind_names(f, node->ann_assign.target); break;
	case AST_AUG_ASSIGN: bind_names(f, node->aug_assign.target); break;
	case AST_FOR: bind_names(f, node->for_stmt.target); break;
	case AST_COMP_FOR: bind_names(f, node->comp_for.target); break;
	case AST_NAMED_EXPR: bind_names(f, node->named.target); break;
	case AST_WITH_ITEM:
		if (node->with_item.target)
			bind_names(f, node->with_item.target);
		break;
	case AST_IMPORT: case AST_IMPORT_FROM: /* what it stands for is the same everywhere */
		return;
	case AST_FUNCTION_DEF: vec_push(arena, &f->bound, node->function->name); break;
	case AST_CLASS_DEF: vec_push(arena, &f->bound, node->klass->name); break;
	case AST_GLOBAL:
		for (uint32_t i = 0; i < node->names.count; i++)
			vec_push(arena, &f->globals, node->names.names[i]);
		break;
	default: break;
	}
	ast_each(node, find_names, f);
}

/* ---- what is changed ---- */

typedef enum { OWN_NONE, OWN_LOCAL, OWN_PARAM } Owner;

static Owner owner_of(const FunctionScan *f, Sym name)
{
	for (; f; f = f->outer) {
		if (has(&f->globals, name))
			return OWN_NONE;
		if (has(&f->params, name))
			return OWN_PARAM;
		if (has(&f->bound, name))
			return OWN_LOCAL;
	}
	return OWN_NONE;
}

static void changed_object(FunctionScan *f, const Ast *object);

static void changed_alias(void *data, Ast *node)
{
	changed_object(data, node);
}

typedef struct Assigned {
	FunctionScan *scan;
	Sym name;
} Assigned;

static bool names_it(const Ast *target, Sym name)
{
	if (target->kind == AST_TUPLE || target->kind == AST_LIST)
		for (uint32_t i = 0; i < target->seq.items.len; i++)
			if (names_it(target->seq.items.items[i], name))
				return true;
	return target->kind == AST_NAME && target->name.id == name;
}

/* What a local name was given may be the object that is changed. */
static void follow_local(void *data, Ast *node)
{
	Assigned *a = data;
	for (uint32_t i = 0; node->kind == AST_ASSIGN && i < node->assign.targets.len; i++)
		if (names_it(node->assign.targets.items[i], a->name))
			change_each_alias(node->assign.value, changed_alias, a->scan);
	if (node->kind == AST_FOR && names_it(node->for_stmt.target, a->name))
		change_each_alias(node->for_stmt.iter, changed_alias, a->scan);
	if (node->kind == AST_COMP_FOR && names_it(node->comp_for.target, a->name))
		change_each_alias(node->comp_for.iter, changed_alias, a->scan);
	if (node->kind == AST_WITH_ITEM && node->with_item.target &&
	    names_it(node->with_item.target, a->name))
		change_each_alias(node->with_item.value, changed_alias, a->scan);
	ast_each(node, follow_local, a);
}

static void changed_local(FunctionScan *f, Sym name)
{
	if (f->depth >= 4)
		return;
	f->depth++;
	for (const FunctionScan *s = f; s; s = s->outer)
		for (uint32_t i = 0; i < s->body.len; i++)
			follow_local(&(Assigned){f, name}, s->body.items[i]);
	f->depth--;
}

/* The attribute f->attr of it, or its items. */
static void changed_object(FunctionScan *f, const Ast *object)
{
	const Ast *root = object;
	while (root->kind == AST_SUBSCRIPT || root->kind == AST_ATTRIBUTE)
		root = root->kind == AST_SUBSCRIPT ? root->subscript.value : root->attribute.value;
	if (!f->attr && change_is_environment(f->function->ns, object)) {
		effect_add_environment(f->module, NULL, f->at);
		return;
	}
	Owner owner = root->kind == AST_NAME ? owner_of(f, root->name.id) : OWN_NONE;
	if (owner == OWN_PARAM) {
		for (FunctionScan *s = f; s; s = (FunctionScan *)(uintptr_t)s->outer)
			s->function->changes_arguments = true;
	} else if (owner == OWN_LOCAL && object == root) {
		changed_local(f, root->name.id);
	} else if (owner != OWN_LOCAL && object->kind == AST_NAME) {
		effect_add(f->module, object->name.id, f->attr, f->at);
	} else if (owner != OWN_LOCAL && f->attr) {
		effect_add(f->module, NULL, f->attr, f->at);
	} else if (owner != OWN_LOCAL && object->kind == AST_ATTRIBUTE) {
		effect_add(f->module,
			   object->attribute.value->kind == AST_NAME ? object->attribute.value->name.id
								     : NULL,
			   object->attribute.attr, f->at);
	} else if (object->kind == AST_SUBSCRIPT && root->kind == AST_NAME && owner == OWN_NONE) {
		effect_add(f->module, root->name.id, NULL, f->at);
	}
}

static void changed(void *data, const Change *change)
{
	FunctionScan *f = data;
	f->attr = change->attr;
	f->at = change->span;
	if (change->object)
		changed_object(f, change->object);
	else
		effect_add(f->module, change->attr, NULL, change->span);
}

static void scan_node(void *data, Ast *node);

static void scan_function(FrontFunction *function, AstFunction *ast, const FunctionScan *outer)
{
	FrontModule *m = function->module;
	FunctionScan f = {.module = m, .function = function, .outer = outer};
	DiagList quiet;
	diag_init(&quiet, m->session->arena, NULL);
	if (!ast->body_parsed && !ast_function_body(m->ast, ast, &quiet))
		return;
	f.body = ast->body;
	for (uint32_t i = 0; i < ast->param_count; i++)
		vec_push(m->session->arena, &f.params, ast->params[i].name);
	for (uint32_t i = 0; i < ast->body.len; i++)
		find_names(&f, ast->body.items[i]);
	for (uint32_t i = 0; i < ast->body.len; i++)
		scan_node(&f, ast->body.items[i]);
}

static void scan_node(void *data, Ast *node)
{
	FunctionScan *f = data;
	change_of_node(f->function->ns, node, changed, f);
	if (node->kind == AST_FUNCTION_DEF)
		scan_function(f->function, node->function, f);
	ast_each(node, scan_node, f);
}

/* ---- which functions ---- */

/* Kernels change nothing of the host's. */
static bool is_kernel(const AstFunction *f)
{
	for (uint32_t i = 0; i < f->decorators.len; i++) {
		const Ast *d = f->decorators.items[i];
		d = d->kind == AST_CALL ? d->call.func : d;
		Sym last = d->kind == AST_NAME	      ? d->name.id
			   : d->kind == AST_ATTRIBUTE ? d->attribute.attr
						      : "";
		if (strcmp(last, "jit") == 0)
			return true;
	}
	return false;
}

static void scan(FrontFunction *f)
{
	if (f->scanned)
		return;
	f->scanned = true;
	if (!is_kernel(f->ast) && !f->ast->is_lambda)
		scan_function(f, f->ast, NULL);
}

/* Texts that a host made for what lives in it are not run: the host knows what became of it. */
static bool is_host_file(const FrontModule *m)
{
	return m->kind == MODULE_FILE && m->ast && !module_in_lib(m) && !strchr(m->real_path, '\x1f');
}

static void scan_all(FrontSession *s)
{
	for (uint32_t i = 0; i < s->modules.len; i++) {
		FrontModule *m = s->modules.data[i];
		while (is_host_file(m) && m->scanned < m->functions.len)
			scan(m->functions.data[m->scanned++]);
	}
}

bool effect_changes_arguments(FrontFunction *f)
{
	scan(f);
	return f->changes_arguments;
}

bool effect_method_changes(FrontSession *s, Sym name)
{
	scan_all(s);
	for (uint32_t i = 0; i < s->modules.len; i++) {
		const FrontModule *m = s->modules.data[i];
		for (uint32_t k = 0; is_host_file(m) && k < m->functions.len; k++)
			if (m->functions.data[k]->ast->name == name &&
			    m->functions.data[k]->changes_arguments)
				return true;
	}
	return false;
}

/* ---- texts without a tree ---- */

static bool is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool follows(const char *text, uint32_t at, const char *word)
{
	size_t n = strlen(word);
	while (at && text[at - 1] == ' ')
		at--;
	return at >= n && memcmp(text + at - n, word, n) == 0 && (at == n || !is_word(text[at - n - 1]));
}

/* The name is an occurrence of a word that begins at `at`: is it assigned to, or bound in another
 * way, as far as its line says? */
static bool is_bound_at(const char *text, uint32_t at, const char *end, bool attributes)
{
	static const char *const before[] = {"def",  "class", "as",	"import", "for",
					     "case", "del",   "global", ","};
	const char *line = end + strcspn(end, "\n");
	for (size_t i = 0; i < ARRAY_LEN(before); i++)
		if (follows(text, at, before[i]))
			return true;
	if (*end == '.' || *end == '[')
		return attributes && memchr(end, '=', (size_t)(line - end));
	while (*end == ' ')
		end++;
	return (*end == '=' && end[1] != '=') || *end == ',' || *end == ':' || *end == '"' || *end == '\'' ||
	       (*end && end[1] == '=' && strchr("+-*/|&^%@", *end));
}

static bool text_binds(const HostEffect *e, const Binding *b)
{
	const char *text = e->module->source->text;
	size_t n = strlen(b->name);
	for (uint32_t i = e->span.start; i + n <= e->span.end; i++)
		if (memcmp(text + i, b->name, n) == 0 && !is_word(text[i + n]) &&
		    (!i || (!is_word(text[i - 1]) && text[i - 1] != '.')) &&
		    is_bound_at(text, i, text + i + n, b->kind != BIND_IMPORT && b->kind != BIND_FROM))
			return true;
	return false;
}

/* ---- reads ---- */

static bool in_chain(const FrontClass *c, const FrontClass *one)
{
	for (unsigned depth = 0; c && depth < 50; c = c->base, depth++)
		if (c == one)
			return true;
	return false;
}

/* P = C, P = (C, D)[0], P = get(): another name of a class or module; an instance is none. */
static bool may_be_other_name(const Namespace *ns, const Binding *b)
{
	if (!b || b->kind == BIND_PARAM || b->kind == BIND_OPAQUE)
		return true;
	if (b->kind != BIND_VALUE || !b->value)
		return false;
	if (b->value->kind != AST_CALL)
		return b->value->kind == AST_NAME || b->value->kind == AST_ATTRIBUTE ||
		       b->value->kind == AST_SUBSCRIPT;
	const Ast *func = b->value->call.func;
	const Binding *made =
		func->kind == AST_NAME ? change_definition(namespace_find(ns, func->name.id)) : NULL;
	return made && made->kind == BIND_FUNCTION;
}

static bool changes_member(const HostEffect *e, const FrontClass *c, Sym name)
{
	const Namespace *ns = &e->module->ns;
	const Binding *base = e->base ? change_definition(namespace_find(ns, e->base)) : NULL;
	if (base && base->kind == BIND_CLASS)
		return in_chain(c, base->klass) && (!e->attr || e->attr == name);
	return e->attr == name && (!e->base || may_be_other_name(ns, base));
}

/* What is changed is the thing itself that the name stands for. */
static bool changes_thing(const HostEffect *e, const Binding *defined)
{
	if (defined->kind == BIND_FUNCTION)
		return e->attr && change_makes_other_code(e->attr);
	return defined->kind == BIND_VALUE || defined->kind == BIND_AUG;
}

static bool changes_global(const HostEffect *e, const Binding *b)
{
	Namespace *ns = &e->module->ns;
	Binding *base = e->base ? namespace_find(ns, e->base) : NULL, *defined = change_definition(base);
	if (defined && (base == b || defined == b || (defined->ns == b->ns && defined->name == b->name)))
		return changes_thing(e, defined);
	if (!e->attr || e->attr != b->name)
		return false;
	if (!base)
		return true;
	if (base->kind != BIND_IMPORT && base->kind != BIND_FROM)
		return base->kind != BIND_CLASS && base->kind != BIND_FUNCTION && may_be_other_name(ns, base);
	if (base->kind == BIND_FROM)
		return defined->kind == BIND_FROM;
	return strchr(base->module, '.') || binding_module_quietly(base) == b->ns->module;
}

static const char *told(const HostEffect *e)
{
	return change_told(e->module, e->span);
}

const char *effect_on_member(FrontClass *c, Sym name)
{
	FrontSession *s = c->module ? c->module->session : NULL;
	if (!s || !is_host_file(c->module))
		return NULL;
	if (c->unknown)
		return c->unknown;
	scan_all(s);
	for (uint32_t i = 0; i < s->effects.len; i++) {
		const HostEffect *e = &s->effects.data[i];
		if (!e->environment && !e->text && changes_member(e, c, name))
			return told(e);
	}
	return NULL;
}

const char *effect_on_name(const Binding *b)
{
	FrontSession *s = b->ns->module->session;
	if (!is_host_file(b->ns->module) || b->ns->function)
		return NULL;
	scan_all(s);
	for (uint32_t i = 0; i < s->effects.len; i++) {
		const HostEffect *e = &s->effects.data[i];
		if (e->environment)
			continue;
		if (e->text ? e->module == b->ns->module && (e->any || text_binds(e, b))
			    : !b->ns->klass && changes_global(e, b))
			return told(e);
	}
	return NULL;
}

const char *effect_on_environment(FrontSession *s, Sym variable, FrontEffectRan *ran, const void *data)
{
	scan_all(s);
	for (uint32_t i = 0; i < s->effects.len; i++) {
		const HostEffect *e = &s->effects.data[i];
		if (e->environment && (!e->attr || e->attr == variable) && ran(data, e->module, e->span))
			return told(e);
	}
	return NULL;
}
