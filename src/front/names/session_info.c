/* What hosts are told about a jit function. */
#include "front/core.h"
#include "front/session.h"
#include "front/syntax/parse.h"

static const char *source_text(const FrontModule *m, Span span)
{
	return arena_strndup(m->session->arena, m->source->text + span.start, span.end - span.start);
}

/* What jit(specialize={"x": "never_one, div8"}) says of parameter i, by name or by number; or NULL.
 */
static const char *control_of(FrontFunction *f, uint32_t i)
{
	Arena *arena = f->module->session->arena;
	for (uint32_t k = 0; f->jit_call && k < f->jit_call->call.keyword_count; k++) {
		const AstKeyword *word = &f->jit_call->call.keywords[k];
		if (!word->name || strcmp(word->name, "specialize") != 0)
			continue;
		const Val *map = resolve_eval(session_probe(f->module->session), f->ns, word->value);
		for (uint32_t j = 0; map->kind == VAL_DICT && j < map->dict.len; j++) {
			const Val *key = map->dict.keys[j], *value = map->dict.values[j];
			int64_t number;
			bool is_it = key->kind == VAL_STR ? str_is(key->s, f->ast->params[i].name)
							  : val_as_int(key, &number) && number == (int64_t)i;
			if (is_it && value->kind == VAL_STR)
				return arena_strndup(arena, value->s.ptr, value->s.len);
		}
	}
	return NULL;
}

/* The signature notation of an annotation that forces a type, or NULL. */
static const char *forced_dtype(FrontFunction *f, const Ast *annotation)
{
	static const char *const names[][2] = {
		{"bool", "u1"},
		{"int1", "u1"},
		{"i1", "u1"},
		{"u1", "u1"},
		{"half", "fp16"},
		{"float", "fp32"},
		{"double", "fp64"},
		{"int", "i32"},
		{"float8_e4m3fn", "fp8e4nv"},
		{"float8_e5m2", "fp8e5"},
#define DTYPE(kind, name, bits, cls, ir, short_name, doc) {name, short_name}, {short_name, short_name},
#include "front/dtypes.def"
#undef DTYPE
	};
	FrontSession *s = f->module->session;
	const char *text = NULL;
	if (annotation->kind == AST_STRING) {
		Str t = annotation->string.text;
		text = arena_strndup(s->arena, t.ptr, t.len); /* "i64, div8": the type comes first */
		text = arena_strndup(s->arena, text, strcspn(text, ","));
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
	text = dotted_last(text);
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
	for (const char *at = text + span.start, *end = text + span.end; (size_t)(end - at) >= n; at++) {
		at = memchr(at, *name, (size_t)(end - at) - n + 1);
		if (!at)
			return false;
		if (memcmp(at, name, n) == 0 && !is_word(at[n]) && (at == text || !is_word(at[-1])))
			return true;
	}
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

static bool is_called(const FrontFunction *f)
{
	for (uint32_t i = 0; i < f->module->kernels.len; i++) {
		const FrontFunction *g = f->module->kernels.data[i];
		if (g != f && mentions(f->module, g->ast->def_span, f->ast->name))
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
	return !f->info.is_called && !(function_parse(f, &quiet) && returns_value(&f->ast->body));
}

static const char *docstring(FrontFunction *f)
{
	const AstList *body = &f->ast->body;
	DiagList quiet;
	diag_init(&quiet, f->module->session->arena, NULL);
	function_parse(f, &quiet);
	if (!body->len || body->items[0]->kind != AST_EXPR ||
	    body->items[0]->unary_stmt.value->kind != AST_STRING)
		return NULL;
	Str text = body->items[0]->unary_stmt.value->string.text;
	return arena_strndup(f->module->session->arena, text.ptr, text.len);
}

static void fill_params(FrontFunction *f)
{
	Arena *arena = f->module->session->arena;
	FrontParam *params = ARENA_ARRAY(arena, FrontParam, MAX(f->ast->param_count, 1u));
	bool *bounds = ARENA_ARRAY(arena, bool, MAX(f->ast->param_count, 1u));
	function_bounds(f, bounds);
	for (uint32_t i = 0; i < f->ast->param_count; i++) {
		const AstParam *p = &f->ast->params[i];
		params[i].name = p->name;
		params[i].at = source_line_col(f->module->source, p->span.start);
		if (p->annotation) {
			params[i].annotation = source_text(f->module, p->annotation->span);
			params[i].is_constexpr = is_constexpr_annotation(f->ns, p->annotation);
			params[i].dtype = params[i].is_constexpr ? NULL : forced_dtype(f, p->annotation);
			if (p->annotation->kind == AST_STRING && !params[i].is_constexpr)
				params[i].annotation_control =
					arena_strndup(arena, p->annotation->string.text.ptr,
						      p->annotation->string.text.len);
		}
		if (p->value)
			params[i].value = source_text(f->module, p->value->span);
		params[i].control = params[i].is_constexpr ? NULL : control_of(f, i);
		params[i].do_not_specialize = is_listed(f, "do_not_specialize", i);
		params[i].do_not_specialize_on_alignment = is_listed(f, "do_not_specialize_on_alignment", i);
		params[i].div8_int = bounds[i] && !params[i].is_constexpr && !params[i].do_not_specialize &&
				     !params[i].do_not_specialize_on_alignment;
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
		const char **decorators =
			ARENA_ARRAY(s->arena, const char *, MAX(f->ast->decorators.len, 1u));
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
		f->info.is_called = is_called(f);
		f->info.is_kernel = looks_like_kernel(f);
		f->info.docstring = docstring(f);
		f->info_ready = true;
	}
	session_unlock(s);
	return &f->info;
}
