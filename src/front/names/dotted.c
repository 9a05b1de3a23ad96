/* Dotted names: what a name in the sources stands for, followed
 * through imports and renames without evaluating anything. */
#include "front/core.h"
#include "front/session.h"

enum { MAX_RENAMES = 20 };

static const char *dotted(Namespace *ns, const Ast *expr, unsigned depth);

/* Kept once: names are asked for in each compilation. */
static const char *join(FrontSession *s, const char *a, const char *b)
{
	Arena arena;
	arena_init_small(&arena, 0);
	Sym name = session_sym(s, arena_printf(&arena, "%s%s%s", a, *a ? "." : "", b));
	arena_free(&arena);
	return name;
}

/* Renames of the tile language that a file imports from a module of its own that is not at hand. */
const char *usual_name(const char *name)
{
	static const char *const usual[][2] = {
		{"triton", "triton"},
		{"tl", "triton.language"},
		{"libdevice", "triton.language.extra.libdevice"},
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
	FrontModule *m = binding_module_quietly(b);
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
	return join(s, m->name, b->member);
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
					return join(s, star.module, id);
			}
			continue;
		}
		const char *rest;
		switch (b->kind) {
		case BIND_IMPORT:
			rest = strchr(b->module, '.');
			if (import_is_tile_language(b->module))
				return b->whole && rest ? join(s, "triton", rest + 1) : "triton";
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
	return base ? join(ns->module->session, base, expr->attribute.attr) : NULL;
}

const char *dotted_name(Namespace *ns, const Ast *expr)
{
	return dotted(ns, expr, 0);
}

const char *dotted_last(const char *name)
{
	const char *dot = strrchr(name, '.');
	return dot ? dot + 1 : name;
}

bool is_tile_name(const char *name, const char *last)
{
	return name && import_is_tile_language(name) && strcmp(dotted_last(name), last) == 0;
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
	return name && strcmp(dotted_last(name), "constexpr") == 0;
}
