/* Decorators: what a definition is (jit function, constexpr function, aggregate, ...). */
#include "front/core.h"
#include "front/session.h"

/* ---- functions ---- */

bool is_in_text(const FrontModule *m, Span span, const char *word)
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
		if (b->kind == BIND_FROM)
			b = binding_imported(b);
		return b && b->kind == BIND_FUNCTION && b->function != f &&
		       is_in_text(b->function->module, b->function->ast->def_span, "triton.jit(");
	}
	return false;
}

/* For a name that stands for a call, the call: fast = functools.partial(triton.jit,
 * noinline=True). */
static Ast *renamed_call(Namespace *ns, Ast *decorator)
{
	if (decorator->kind != AST_NAME)
		return decorator;
	for (Namespace *n = ns; n; n = n->outer) {
		Binding *b = namespace_find(n, decorator->name.id);
		if (b)
			return b->kind == BIND_VALUE && b->target->kind == AST_NAME &&
					       b->value->kind == AST_CALL
				       ? b->value
				       : decorator;
	}
	return decorator;
}

/* What leaves the function what it is, as far as kernels see. */
static bool is_known_decorator(const char *name)
{
	static const char *const known[] = {
		"jit",
		"constexpr_function",
		"autotune",
		"heuristics",
		"staticmethod",
		"classmethod",
		"property",
		"cached_property",
		"lru_cache",
		"cache",
		"wraps",
		"overload",
		"final",
		"override",
		"no_type_check",
		"abstractmethod",
		"perf_report",
		"setter",
		"getter",
		"deleter",
		"builtin",
		"extern",
		"must_use_result",
		"singledispatch",
		"contextmanager",
		"fixture",
		"parametrize",
		"skipif",
		"skip",
	};
	const char *last = name ? dotted_last(name) : "";
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
	bool makes_jit = name && strcmp(dotted_last(name), "partial") == 0 && d->kind == AST_CALL &&
			 d->call.args.len && is_tile_name(dotted_name(ns, d->call.args.items[0]), "jit");
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
		const char *last = name ? dotted_last(name) : "";
		if (is_tile_name(name, "jit")) {
			f->kind = FN_JIT;
			f->jit_call = d->kind == AST_CALL ? d : NULL;
		} else if (is_tile_name(name, "constexpr_function")) {
			f->kind = FN_CONSTEXPR;
			f->plain = d->kind == AST_CALL; /* the Python package's */
		} else if (is_tile_name(name, "must_use_result")) {
			f->must_use = d;
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
		if (k->name && strcmp(k->name, "_must_use") == 0) /* the Python package's */
			f->must_use = k->value;
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
			b = binding_imported(b);
			return b && b->kind == BIND_CLASS && !b->unsure ? b->klass : NULL;
		}
		if (b)
			return NULL;
	}
	return NULL;
}

static ClassKind kind_by_base(FrontClass *c, const char *name, ClassKind otherwise)
{
	const char *last = dotted_last(name);
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

/* Bases that give a class no attributes that kernels read, and metaclasses and decorators that
 * leave it as it is written. */
static bool is_plain_base(const char *name)
{
	static const char *const known[] = {
		"object",
		"ABC",
		"ABCMeta",
		"EnumMeta",
		"EnumType",
		"Protocol",
		"Generic",
		"NamedTuple",
		"TypedDict",
		"Enum",
		"IntEnum",
		"Flag",
		"IntFlag",
		"StrEnum",
		"type",
		"str",
		"int",
		"dict",
		"list",
		"tuple",
		"dataclass",
		"aggregate",
		"_aggregate",
		"final",
		"unique",
		"runtime_checkable",
		"total_ordering",
		"no_type_check",
		"dataclass_transform",
		"verify",
	};
	const char *last = name ? dotted_last(name) : "";
	size_t n = strlen(last);
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strcmp(last, known[i]) == 0)
			return true;
	return import_is_tile_language(name ? name : "") || strncmp(name ? name : "", "torch.", 6) == 0 ||
	       strstr(last, "Exception") || (n > 5 && strcmp(last + n - 5, "Error") == 0);
}

static const char *class_doubt(FrontClass *c, const Ast *made_by, const char *format)
{
	Arena *arena = c->module->session->arena;
	const char *text = arena_strndup(arena, c->module->source->text + made_by->span.start,
					 made_by->span.end - made_by->span.start);
	return arena_printf(arena, format, text);
}

/* What a decorator, a metaclass or a base whose text is not at hand makes of a class is not
 * known. */
static void note_unknown(FrontClass *c, Namespace *ns)
{
	for (uint32_t i = 0; i < c->ast->decorators.len && !c->unknown; i++) {
		const Ast *d = c->ast->decorators.items[i];
		if (!is_plain_base(dotted_name(ns, d->kind == AST_CALL ? d->call.func : d)))
			c->unknown =
				class_doubt(c, d, "what its decorator '%s' makes of it is not known here");
	}
	for (uint32_t i = 0; i < c->ast->keyword_count && !c->unknown; i++)
		if (c->ast->keywords[i].name && strcmp(c->ast->keywords[i].name, "metaclass") == 0 &&
		    !is_plain_base(dotted_name(ns, c->ast->keywords[i].value)))
			c->unknown = class_doubt(c, c->ast->keywords[i].value,
						 "what its metaclass '%s' makes of it is not known here");
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
		if (!base && !c->base_unknown && !is_plain_base(name) &&
		    c->ast->bases.items[i]->kind != AST_SUBSCRIPT)
			c->base_unknown =
				class_doubt(c, c->ast->bases.items[i], "its base '%s' is not known here");
		else if (c->base && base && !c->base_unknown)
			c->base_unknown = "it has several bases";
		if (!c->base)
			c->base = base;
		c->kind = kind_by_base(c, name ? name : "", c->kind);
	}
	for (uint32_t i = 0; ns && i < c->ast->decorators.len; i++) {
		Ast *d = c->ast->decorators.items[i];
		const char *name = dotted_name(ns, d->kind == AST_CALL ? d->call.func : d);
		const char *last = name ? dotted_last(name) : "";
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
		vec_push(s->arena, &fields,
			 (ClassField){.name = session_sym(s, c->kind == CLASS_ENUM ? "name" : "args")});
		vec_push(s->arena, &fields, (ClassField){.name = session_sym(s, "value")});
	}
	for (uint32_t i = 0; c->kind != CLASS_ENUM && i < c->ast->body.len; i++) {
		Ast *node = c->ast->body.items[i];
		if (node->kind == AST_ANN_ASSIGN && node->ann_assign.target->kind == AST_NAME)
			vec_push(s->arena, &fields,
				 (ClassField){node->ann_assign.target->name.id, node->ann_assign.annotation,
					      node->ann_assign.value});
	}
	c->fields = fields.data;
	c->field_count = fields.len;
}
