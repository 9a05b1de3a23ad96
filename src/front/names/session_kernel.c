/* Decorators: what a definition is (jit function, constexpr function, aggregate, ...), and what hosts are told
 * about a jit function. Names are followed through imports without evaluating anything. */
#include "front/core.h"
#include "front/session.h"
#include "front/syntax/parse.h"

#include <stdlib.h>

/* ---- dotted names ---- */

enum { MAX_RENAMES = 20 };

static const char *join(Arena *arena, const char *a, const char *b)
{
	return arena_printf(arena, "%s%s%s", a, *a ? "." : "", b);
}

static const char *dotted(Namespace *ns, const Ast *expr, unsigned depth);

/* Renames of the tile language that a file imports from a module of its own that is not at hand. */
const char *usual_name(const char *name)
{
	static const char *const usual[][2] = {
		{"triton", "triton"}, {"tl", "triton.language"}, {"libdevice", "triton.language.extra.libdevice"},
		{"tldevice", "triton.language.extra.libdevice"},
		{"tl_extra_shim", "triton.language.extra.libdevice"},
	};
	for (size_t i = 0; i < ARRAY_LEN(usual); i++)
		if (strcmp(name, usual[i][0]) == 0)
			return usual[i][1];
	return NULL;
}

static const char *member_name(FrontSession *s, Binding *b, unsigned depth)
{
	DiagList quiet;
	diag_init(&quiet, s->arena, NULL);
	bool found;
	FrontModule *m = binding_module(b, &quiet, &found);
	if (m->kind == MODULE_FILE) {
		Binding *inner = namespace_find(&m->ns, b->member);
		Ast name = {.kind = AST_NAME, .span = b->span};
		name.name.id = b->member;
		if (inner)
			return dotted(&m->ns, &name, depth + 1);
		for (uint32_t i = 0; i < m->ns.stars.len; i++) {
			Binding star = *m->ns.stars.data[i];
			star.member = b->member;
			const char *text = member_name(s, &star, depth + 1);
			if (text)
				return text;
		}
		return usual_name(b->member);
	}
	if (m->kind == MODULE_EXTERNAL && usual_name(b->member))
		return usual_name(b->member);
	return join(s->arena, m->name, b->member);
}

static const char *name_of(Namespace *ns, Sym id, unsigned depth)
{
	FrontSession *s = ns->module->session;
	for (Namespace *n = ns; n; n = n->outer) {
		Binding *b = namespace_find(n, id);
		if (!b) {
			for (uint32_t i = n->stars.len; i-- > 0;) {
				Binding star = *n->stars.data[i];
				star.member = id;
				if (star.module && import_is_tile_language(star.module))
					return join(s->arena, star.module, id);
			}
			continue;
		}
		const char *rest;
		switch (b->kind) {
		case BIND_IMPORT:
			rest = strchr(b->module, '.');
			if (import_is_tile_language(b->module))
				return b->whole && rest ? arena_printf(s->arena, "triton%s", rest) : "triton";
			return b->whole ? b->module : b->name;
		case BIND_FROM:
			return member_name(s, b, depth);
		case BIND_VALUE:
			if (b->value->kind == AST_NAME || b->value->kind == AST_ATTRIBUTE)
				return b->target->kind == AST_NAME ? dotted(n, b->value, depth + 1) : NULL;
			return usual_name(id);
		default:
			return NULL;
		}
	}
	return id;
}

static const char *dotted(Namespace *ns, const Ast *expr, unsigned depth)
{
	if (depth > MAX_RENAMES)
		return NULL;
	if (expr->kind == AST_NAME)
		return name_of(ns, expr->name.id, depth);
	if (expr->kind != AST_ATTRIBUTE)
		return NULL;
	const char *base = dotted(ns, expr->attribute.value, depth + 1);
	return base ? join(ns->module->session->arena, base, expr->attribute.attr) : NULL;
}

const char *dotted_name(Namespace *ns, const Ast *expr)
{
	return dotted(ns, expr, 0);
}

static const char *last_part(const char *name)
{
	const char *dot = strrchr(name, '.');
	return dot ? dot + 1 : name;
}

static bool is_tile_name(const char *name, const char *last)
{
	return name && import_is_tile_language(name) && strcmp(last_part(name), last) == 0;
}

bool is_constexpr_annotation(Namespace *ns, const Ast *annotation)
{
	if (!annotation)
		return false;
	if (annotation->kind == AST_STRING) {
		Str t = annotation->string.text;
		for (size_t i = 0; i + 9 <= t.len; i++)
			if (memcmp(t.ptr + i, "constexpr", 9) == 0)
				return true;
		return false;
	}
	if (annotation->kind == AST_SUBSCRIPT)
		return is_constexpr_annotation(ns, annotation->subscript.value);
	const char *name = dotted_name(ns, annotation);
	return name && strcmp(last_part(name), "constexpr") == 0;
}

/* ---- functions ---- */

static bool in_text(const FrontModule *m, Span span, const char *word)
{
	size_t n = strlen(word);
	for (uint32_t i = span.start; i + n <= span.end && i + n <= m->source->len; i++)
		if (memcmp(m->source->text + i, word, n) == 0)
			return true;
	return false;
}

/* A decorator of the user's own that calls triton.jit on what it gets: its text says so. */
static bool wraps_jit(FrontFunction *f, Namespace *ns, const Ast *decorator)
{
	if (decorator->kind != AST_NAME)
		return false;
	for (Namespace *n = ns; n; n = n->outer) {
		Binding *b = namespace_find(n, decorator->name.id);
		if (!b)
			continue;
		if (b->kind == BIND_FROM) {
			DiagList quiet;
			diag_init(&quiet, f->module->session->arena, NULL);
			bool found;
			FrontModule *m = binding_module(b, &quiet, &found);
			b = m->kind == MODULE_FILE ? namespace_find(&m->ns, b->member) : NULL;
		}
		return b && b->kind == BIND_FUNCTION && b->function != f &&
		       in_text(b->function->module, b->function->ast->def_span, "triton.jit(");
	}
	return false;
}

/* For a name that stands for a call, the call: fast = functools.partial(triton.jit, noinline=True). */
static Ast *renamed_call(Namespace *ns, Ast *decorator)
{
	if (decorator->kind != AST_NAME)
		return decorator;
	for (Namespace *n = ns; n; n = n->outer) {
		Binding *b = namespace_find(n, decorator->name.id);
		if (b)
			return b->kind == BIND_VALUE && b->target->kind == AST_NAME && b->value->kind == AST_CALL
				       ? b->value : decorator;
	}
	return decorator;
}

/* What leaves the function what it is, as far as kernels see. */
static bool is_known_decorator(const char *name)
{
	static const char *const known[] = {
		"jit", "constexpr_function", "autotune", "heuristics", "staticmethod", "classmethod", "property", "cached_property",
		"lru_cache", "cache", "wraps", "overload", "final", "override", "no_type_check", "abstractmethod", "perf_report",
		"setter", "getter", "deleter", "builtin", "extern", "must_use_result", "singledispatch", "contextmanager", "fixture",
		"parametrize", "skipif", "skip",
	};
	const char *last = name ? last_part(name) : "";
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strcmp(last, known[i]) == 0)
			return true;
	return import_is_tile_language(name ? name : "");
}

bool is_foreign_decorator(FrontFunction *f, Ast *decorator)
{
	Namespace *ns = f->klass ? f->klass->ns.outer : f->ns;
	Ast *d = renamed_call(ns, decorator), *head = d->kind == AST_CALL ? d->call.func : d;
	const char *name = dotted_name(ns, head);
	bool makes_jit = name && strcmp(last_part(name), "partial") == 0 && d->kind == AST_CALL && d->call.args.len &&
			 is_tile_name(dotted_name(ns, d->call.args.items[0]), "jit");
	return !makes_jit && !is_known_decorator(name) && !wraps_jit(f, ns, head);
}

/* Of a function that is a kernel by then it comes before that. */
static void note_foreign(FrontFunction *f, Ast *decorator)
{
	bool inside = f->kind != FN_HOST;
	if (!is_foreign_decorator(f, decorator) || (f->foreign && (!inside || f->foreign_inside)))
		return;
	f->foreign = decorator;
	f->foreign_inside = inside;
}

void function_decorate(FrontFunction *f)
{
	if (f->decorated)
		return;
	f->decorated = true;
	Namespace *ns = f->klass ? f->klass->ns.outer : f->ns;
	for (uint32_t i = 0; i < f->ast->decorators.len; i++) {
		note_foreign(f, f->ast->decorators.items[i]);
		Ast *d = renamed_call(ns, f->ast->decorators.items[i]);
		Ast *head = d->kind == AST_CALL ? d->call.func : d;
		const char *name = dotted_name(ns, head);
		const char *last = name ? last_part(name) : "";
		if (is_tile_name(name, "jit")) {
			f->kind = FN_JIT;
			f->jit_call = d->kind == AST_CALL ? d : NULL;
		} else if (is_tile_name(name, "constexpr_function")) {
			f->kind = FN_CONSTEXPR;
		} else if (name && strcmp(last, "partial") == 0 && d->kind == AST_CALL && d->call.args.len &&
			   is_tile_name(dotted_name(ns, d->call.args.items[0]), "jit")) {
			f->kind = FN_JIT;
			f->jit_call = d;
		} else if (strcmp(last, "autotune") == 0 || strcmp(last, "heuristics") == 0) {
			f->tuned = true;
		} else if (name && strcmp(name, "staticmethod") == 0) {
			f->is_static = true;
		} else if (name && strcmp(name, "classmethod") == 0) {
			f->is_class_method = true;
		} else if (strcmp(last, "property") == 0 || strcmp(last, "cached_property") == 0) {
			f->is_property = true;
		} else if (f->kind == FN_HOST && wraps_jit(f, ns, head)) {
			f->kind = FN_JIT;
		}
	}
	for (uint32_t i = 0; f->jit_call && i < f->jit_call->call.keyword_count; i++) {
		const AstKeyword *k = &f->jit_call->call.keywords[i];
		if (k->name && strcmp(k->name, "noinline") == 0)
			f->noinline = k->value->kind == AST_TRUE;
		if (k->name && strcmp(k->name, "debug") == 0)
			f->debug = k->value->kind == AST_TRUE;
	}
}

/* ---- classes ---- */

static FrontClass *base_class(FrontClass *c, const Ast *base)
{
	if (base->kind != AST_NAME)
		return NULL;
	for (Namespace *ns = c->ns.outer; ns; ns = ns->outer) {
		Binding *b = namespace_find(ns, base->name.id);
		if (b && b->kind == BIND_CLASS && b->klass != c)
			return b->unsure ? NULL : b->klass;
		if (b && b->kind == BIND_FROM) {
			DiagList quiet;
			diag_init(&quiet, c->module->session->arena, NULL);
			bool found;
			FrontModule *m = binding_module(b, &quiet, &found);
			b = m->kind == MODULE_FILE ? namespace_find(&m->ns, b->member) : NULL;
			return b && b->kind == BIND_CLASS && !b->unsure ? b->klass : NULL;
		}
		if (b)
			return NULL;
	}
	return NULL;
}

static ClassKind kind_by_base(FrontClass *c, const char *name, ClassKind otherwise)
{
	const char *last = last_part(name);
	if (strcmp(last, "NamedTuple") == 0)
		return CLASS_TUPLE;
	if (strcmp(last, "Enum") == 0 || strcmp(last, "IntEnum") == 0 || strcmp(last, "Flag") == 0 ||
	    strcmp(last, "IntFlag") == 0 || strcmp(last, "StrEnum") == 0)
		return CLASS_ENUM;
	size_t n = strlen(last);
	if (strcmp(last, "Exception") == 0 || (n > 5 && strcmp(last + n - 5, "Error") == 0))
		return CLASS_EXCEPTION;
	return c->base ? c->base->kind : otherwise;
}

/* Bases that give a class no attributes that kernels read, and metaclasses and decorators that leave it as it is written. */
static bool is_plain_base(const char *name)
{
	static const char *const known[] = {
		"object", "ABC", "ABCMeta", "EnumMeta", "EnumType", "Protocol", "Generic", "NamedTuple", "TypedDict", "Enum", "IntEnum", "Flag",
		"IntFlag", "StrEnum", "type", "str", "int", "dict", "list", "tuple", "dataclass", "aggregate", "_aggregate", "final", "unique",
		"runtime_checkable", "total_ordering", "no_type_check", "dataclass_transform", "verify",
	};
	const char *last = name ? last_part(name) : "";
	size_t n = strlen(last);
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strcmp(last, known[i]) == 0)
			return true;
	return import_is_tile_language(name ? name : "") || strncmp(name ? name : "", "torch.", 6) == 0 || strstr(last, "Exception") ||
	       (n > 5 && strcmp(last + n - 5, "Error") == 0);
}

static const char *class_doubt(FrontClass *c, const Ast *made_by, const char *format)
{
	Arena *arena = c->module->session->arena;
	const char *text = arena_strndup(arena, c->module->source->text + made_by->span.start, made_by->span.end - made_by->span.start);
	return arena_printf(arena, format, text);
}

/* What a decorator, a metaclass or a base whose text is not at hand makes of a class is not known. */
static void note_unknown(FrontClass *c, Namespace *ns)
{
	for (uint32_t i = 0; i < c->ast->decorators.len && !c->unknown; i++) {
		const Ast *d = c->ast->decorators.items[i];
		if (!is_plain_base(dotted_name(ns, d->kind == AST_CALL ? d->call.func : d)))
			c->unknown = class_doubt(c, d, "what its decorator '%s' makes of it is not known here");
	}
	for (uint32_t i = 0; i < c->ast->keyword_count && !c->unknown; i++)
		if (c->ast->keywords[i].name && strcmp(c->ast->keywords[i].name, "metaclass") == 0 &&
		    !is_plain_base(dotted_name(ns, c->ast->keywords[i].value)))
			c->unknown = class_doubt(c, c->ast->keywords[i].value, "what its metaclass '%s' makes of it is not known here");
	for (FrontClass *k = c->base; k && !c->unknown; k = k->base)
		for (uint32_t i = 0; i < k->ns.order.len; i++)
			if (strcmp(k->ns.order.data[i]->name, "__init_subclass__") == 0)
				c->unknown = "its base has an __init_subclass__";
}

void class_decorate(FrontClass *c)
{
	FrontSession *s = c->module->session;
	Namespace *ns = c->ns.outer;
	for (uint32_t i = 0; ns && i < c->ast->bases.len; i++) {
		const char *name = dotted_name(ns, c->ast->bases.items[i]);
		FrontClass *base = base_class(c, c->ast->bases.items[i]);
		if (!base && !c->base_unknown && !is_plain_base(name) && c->ast->bases.items[i]->kind != AST_SUBSCRIPT)
			c->base_unknown = class_doubt(c, c->ast->bases.items[i], "its base '%s' is not known here");
		else if (c->base && base && !c->base_unknown)
			c->base_unknown = "it has several bases";
		if (!c->base)
			c->base = base;
		c->kind = kind_by_base(c, name ? name : "", c->kind);
	}
	for (uint32_t i = 0; ns && i < c->ast->decorators.len; i++) {
		Ast *d = c->ast->decorators.items[i];
		const char *name = dotted_name(ns, d->kind == AST_CALL ? d->call.func : d);
		const char *last = name ? last_part(name) : "";
		if (strcmp(last, "_aggregate") == 0 || strcmp(last, "aggregate") == 0)
			c->kind = CLASS_AGGREGATE;
		else if (strcmp(last, "dataclass") == 0)
			c->kind = CLASS_RECORD;
	}
	if (ns)
		note_unknown(c, ns);
	VEC(ClassField) fields = {0};
	for (uint32_t i = 0; c->base && i < c->base->field_count; i++)
		vec_push(s->arena, &fields, c->base->fields[i]);
	if (c->kind == CLASS_ENUM || c->kind == CLASS_EXCEPTION) {
		fields.len = 0;
		vec_push(s->arena, &fields, (ClassField){.name = session_sym(s, c->kind == CLASS_ENUM ? "name" : "args")});
		vec_push(s->arena, &fields, (ClassField){.name = session_sym(s, "value")});
	}
	for (uint32_t i = 0; c->kind != CLASS_ENUM && i < c->ast->body.len; i++) {
		Ast *node = c->ast->body.items[i];
		if (node->kind == AST_ANN_ASSIGN && node->ann_assign.target->kind == AST_NAME)
			vec_push(s->arena, &fields, (ClassField){node->ann_assign.target->name.id,
								 node->ann_assign.annotation, node->ann_assign.value});
	}
	c->fields = fields.data;
	c->field_count = fields.len;
}

/* ---- finding kernels ---- */

/* May something inside the function be decorated? Said by its text, so that other bodies stay unparsed. */
static bool has_decorators(const FrontFunction *f)
{
	Span body = f->ast->def_span;
	body.start = f->ast->def_offset;
	return in_text(f->module, body, "@");
}

FrontFunction *jitted_function(const Binding *made)
{
	Namespace *ns = made->scope ? made->scope : made->ns;
	const Ast *value = made->value;
	for (unsigned depth = 0; value->kind == AST_CALL && value->call.args.len == 1 && depth < MAX_RENAMES; depth++) {
		const Ast *head = value->call.func, *argument = value->call.args.items[0];
		if (argument->kind != AST_NAME) {
			value = argument;
			continue;
		}
		if (!is_tile_name(dotted_name(ns, head->kind == AST_CALL ? head->call.func : head), "jit"))
			return NULL;
		Binding *b = namespace_find(ns, argument->name.id);
		while (b && b->at >= made->at)
			b = b->prev;
		if (!b || b->kind != BIND_FUNCTION)
			return NULL;
		function_decorate(b->function);
		return b->function;
	}
	return NULL;
}

static void collect(Namespace *ns, FrontModule *m, DiagList *diags, unsigned depth)
{
	Arena *arena = m->session->arena;
	for (uint32_t i = 0; i < ns->order.len; i++) {
		Binding *b = ns->order.data[i];
		if (b->kind == BIND_CLASS)
			collect(&b->klass->ns, m, diags, depth + 1);
		if (b->kind == BIND_VALUE && b->value) {
			FrontFunction *plain = jitted_function(b);
			if (plain && plain->kind == FN_HOST) {
				plain->kind = FN_JIT;
				vec_push(arena, &m->kernels, plain);
			}
		}
		if (b->kind != BIND_FUNCTION)
			continue;
		FrontFunction *f = b->function;
		function_decorate(f);
		if (f->kind == FN_JIT) {
			vec_push(arena, &m->kernels, f);
		} else if (depth < 20 && has_decorators(f)) {
			DiagList quiet;
			diag_init(&quiet, arena, NULL);
			Namespace *body = function_namespace(f, &quiet);
			if (body)
				collect(body, m, diags, depth + 1);
		}
	}
}

static int by_place(const void *a, const void *b)
{
	uint32_t x = (*(FrontFunction *const *)a)->ast->def_offset, y = (*(FrontFunction *const *)b)->ast->def_offset;
	return x < y ? -1 : x > y;
}

void module_find_kernels(FrontModule *m, DiagList *diags)
{
	if (m->kernels_found)
		return;
	m->kernels_found = true;
	collect(&m->ns, m, diags, 0);
	if (m->kernels.len)
		qsort(m->kernels.data, m->kernels.len, sizeof *m->kernels.data, by_place);
}

/* ---- what hosts are told ---- */

static const char *source_text(const FrontModule *m, Span span)
{
	return arena_strndup(m->session->arena, m->source->text + span.start, span.end - span.start);
}

/* The signature notation of an annotation that forces a type, or NULL. */
static const char *forced_dtype(FrontFunction *f, const Ast *annotation)
{
	static const char *const names[][2] = {
		{"bool", "u1"}, {"int1", "u1"}, {"i1", "u1"}, {"u1", "u1"}, {"half", "fp16"}, {"float", "fp32"},
		{"double", "fp64"}, {"int", "i32"}, {"float8_e4m3fn", "fp8e4nv"}, {"float8_e5m2", "fp8e5"},
#define DTYPE(kind, name, bits, cls, ir, short_name, doc) {name, short_name}, {short_name, short_name},
#include "front/dtypes.def"
#undef DTYPE
	};
	FrontSession *s = f->module->session;
	const char *text = NULL;
	if (annotation->kind == AST_STRING) {
		Str t = annotation->string.text;
		text = arena_strndup(s->arena, t.ptr, t.len);
	} else if (annotation->kind == AST_CALL && annotation->call.args.len == 1 &&
		   is_tile_name(dotted_name(f->ns, annotation->call.func), "pointer_type")) {
		const char *elem = forced_dtype(f, annotation->call.args.items[0]);
		return elem ? arena_printf(s->arena, "*%s", elem) : NULL;
	} else {
		text = dotted_name(f->ns, annotation);
		if (!text || (strchr(text, '.') && !import_is_tile_language(text)))
			return NULL;
	}
	const char *prefix = "";
	while (*text == ' ')
		text++;
	if (strncmp(text, "const ", 6) == 0)
		return NULL;
	if (*text == '*') {
		prefix = text[1] == 'k' ? "*k" : "*";
		text += strlen(prefix);
	}
	text = last_part(text);
	size_t n = strlen(text);
	if (n > 2 && strcmp(text + n - 2, "_t") == 0)
		text = arena_strndup(s->arena, text, n - 2);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(text, names[i][0]) == 0)
			return arena_printf(s->arena, "%s%s", prefix, names[i][1]);
	return NULL;
}

/* Is parameter i listed in jit(keyword=[...]) by name or by number? */
static bool is_listed(FrontFunction *f, const char *keyword, uint32_t i)
{
	for (uint32_t k = 0; f->jit_call && k < f->jit_call->call.keyword_count; k++) {
		const AstKeyword *word = &f->jit_call->call.keywords[k];
		if (!word->name || strcmp(word->name, keyword) != 0)
			continue;
		FrontLower *probe = session_probe(f->module->session);
		const Val *list = resolve_eval(probe, f->ns, word->value);
		for (uint32_t j = 0; val_is_seq(list) && j < list->seq.len; j++) {
			const Val *item = list->seq.items[j];
			int64_t number;
			if (item->kind == VAL_STR ? str_is(item->s, f->ast->params[i].name)
						  : val_as_int(item, &number) && number == (int64_t)i)
				return true;
		}
	}
	return false;
}

static bool is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool mentions(const FrontModule *m, Span span, const char *name)
{
	size_t n = strlen(name);
	const char *text = m->source->text;
	for (uint32_t i = span.start; i + n <= span.end; i++)
		if (memcmp(text + i, name, n) == 0 && !is_word(text[i + n]) && (i == 0 || !is_word(text[i - 1])))
			return true;
	return false;
}

static bool returns_value(const AstList *body)
{
	for (uint32_t i = 0; i < body->len; i++) {
		const Ast *n = body->items[i];
		if (n->kind == AST_RETURN && n->unary_stmt.value && n->unary_stmt.value->kind != AST_NONE)
			return true;
		if ((n->kind == AST_IF || n->kind == AST_WHILE) &&
		    (returns_value(&n->if_stmt.body) || returns_value(&n->if_stmt.orelse)))
			return true;
		if (n->kind == AST_FOR && returns_value(&n->for_stmt.body))
			return true;
	}
	return false;
}

static bool looks_like_kernel(FrontFunction *f)
{
	if (f->tuned)
		return true;
	DiagList quiet;
	diag_init(&quiet, f->module->session->arena, NULL);
	if (function_parse(f, &quiet) && returns_value(&f->ast->body))
		return false;
	for (uint32_t i = 0; i < f->module->kernels.len; i++) {
		const FrontFunction *g = f->module->kernels.data[i];
		if (g != f && mentions(f->module, g->ast->def_span, f->ast->name))
			return false;
	}
	return true;
}

static const char *docstring(FrontFunction *f)
{
	const AstList *body = &f->ast->body;
	DiagList quiet;
	diag_init(&quiet, f->module->session->arena, NULL);
	function_parse(f, &quiet);
	if (!body->len || body->items[0]->kind != AST_EXPR || body->items[0]->unary_stmt.value->kind != AST_STRING)
		return NULL;
	Str text = body->items[0]->unary_stmt.value->string.text;
	return arena_strndup(f->module->session->arena, text.ptr, text.len);
}

static void fill_params(FrontFunction *f)
{
	Arena *arena = f->module->session->arena;
	FrontParam *params = ARENA_ARRAY(arena, FrontParam, MAX(f->ast->param_count, 1u));
	for (uint32_t i = 0; i < f->ast->param_count; i++) {
		const AstParam *p = &f->ast->params[i];
		params[i].name = p->name;
		params[i].at = source_line_col(f->module->source, p->span.start);
		if (p->annotation) {
			params[i].annotation = source_text(f->module, p->annotation->span);
			params[i].is_constexpr = is_constexpr_annotation(f->ns, p->annotation);
			params[i].dtype = params[i].is_constexpr ? NULL : forced_dtype(f, p->annotation);
		}
		if (p->value)
			params[i].value = source_text(f->module, p->value->span);
		params[i].do_not_specialize = is_listed(f, "do_not_specialize", i);
		params[i].do_not_specialize_on_alignment = is_listed(f, "do_not_specialize_on_alignment", i);
	}
	f->info.params = params;
	f->info.param_count = f->ast->param_count;
}

/* outer.inner for Python's outer.<locals>.inner. */
static const char *dotted_qualified(Arena *arena, const char *qualified)
{
	Text t;
	text_init(&t, arena);
	for (const char *p = qualified; *p;) {
		if (strncmp(p, "<locals>.", 9) == 0)
			p += 9;
		else
			text_char(&t, *p++);
	}
	return t.data;
}

const FrontInfo *front_info(FrontFunction *f)
{
	FrontSession *s = f->module->session;
	session_lock(s);
	if (!f->info_ready) {
		function_decorate(f);
		const char **decorators = ARENA_ARRAY(s->arena, const char *, MAX(f->ast->decorators.len, 1u));
		for (uint32_t i = 0; i < f->ast->decorators.len; i++)
			decorators[i] = source_text(f->module, f->ast->decorators.items[i]->span);
		f->info.name = f->ast->name;
		f->info.qualified_name = dotted_qualified(s->arena, f->qualified);
		f->info.path = f->module->path;
		f->info.at = source_line_col(f->module->source, f->ast->def_offset);
		f->info.decorators = decorators;
		f->info.decorator_count = f->ast->decorators.len;
		f->info.noinline = f->noinline;
		fill_params(f);
		f->info.is_kernel = looks_like_kernel(f);
		f->info.docstring = docstring(f);
		f->info_ready = true;
	}
	session_unlock(s);
	return &f->info;
}
