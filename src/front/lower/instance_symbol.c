/* The symbol of an instance, spelled as upstream spells it: module.function, the types of what
 * runs, each constant with its place among the arguments. CHECK lines of kernels name functions
 * so. */
#include "front/core.h"
#include "front/demote.h"
#include "front/session.h"
#include "front/tile/sem.h"

#include <ctype.h>

enum { MAX_SYMBOL = 400, MAX_PATH = 8 };

typedef struct SymbolParts {
	FrontLower *low;
	Text types, constants;
	uint32_t path[MAX_PATH]; /* of the value at hand: argument, item, item of that, ... */
	uint32_t depth;
} SymbolParts;

/* The last part of the name that the module is imported by: its file's, or its folder's; where the
 * folder lies differs from machine to machine. */
static void module_name(Text *out, const FrontModule *module)
{
	const char *path = module ? module->path : NULL;
	if (!path)
		return;
	text_str(out, module_in_lib(module) ? "triton.language." : "");
	const char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path;
	if (slash && strncmp(from, "__init__.", 9) == 0)
		for (from = slash; from > path && from[-1] != '/';)
			from--;
	for (const char *c = from; *c && *c != '.' && *c != '/' && *c != '\x1f'; c++)
		text_char(out, isalnum((unsigned char)*c) ? *c : '_');
	text_char(out, '.');
}

static void type_mangle(FrontLower *low, Text *out, TlType t)
{
	switch (t->kind) {
	case TL_SCALAR:
		text_str(out, t->dtype == DT_INT1 ? "u1" : tl_dtypes[t->dtype].short_name);
		break;
	case TL_PTR:
	case TL_DESC:
		text_str(out, t->kind == TL_DESC ? "TD" : "P");
		type_mangle(low, out, t->elem);
		break;
	case TL_BLOCK:
		type_mangle(low, out, t->elem);
		for (uint32_t i = 0; i < t->rank; i++)
			text_printf(out, "%c%lld", i ? '_' : 'S', (long long)t->shape[i]);
		text_char(out, 'S');
		break;
	case TL_VOID:
		text_char(out, 'V');
		break;
	}
}

/* As Python's str(), but for what has an address or a number of the session. */
static void constant_text(FrontLower *low, Text *out, const Val *v)
{
	switch (v->kind) {
	case VAL_STR:
		text_add(out, v->s.ptr, v->s.len);
		break;
	case VAL_DTYPE:
		text_str(out, v->type->kind == TL_SCALAR ? tl_dtypes[v->type->dtype].short_name
							 : tl_type_text(low, v->type));
		break;
	case VAL_FUNCTION:
		text_str(out, "JITFunction(");
		module_name(out, v->function->module);
		if (out->data[out->len - 1] == '.')
			out->data[out->len - 1] = ':';
		text_printf(out, "%s)", v->function->qualified);
		break;
	case VAL_CLASS:
		text_str(out, v->klass->qualified);
		break;
	case VAL_BUILTIN:
		text_str(out, "builtin");
		break;
	default:
		text_str(out, val_repr(low, v));
	}
}

static void mangle(FrontLower *low, Text *out, const Val *v)
{
	switch (v->kind) {
	case VAL_TENSOR:
		type_mangle(low, out, v->tensor.type);
		break;
	case VAL_TUPLE:
	case VAL_LIST:
		text_char(out, 'T');
		for (uint32_t i = 0; i < v->seq.len; i++) {
			text_str(out, i ? "_" : "");
			mangle(low, out, v->seq.items[i]);
		}
		text_char(out, 'T');
		break;
	case VAL_DICT:
		text_char(out, 'D');
		for (uint32_t i = 0; i < v->dict.len; i++) {
			mangle(low, out, v->dict.keys[i]);
			text_char(out, '_');
			mangle(low, out, v->dict.values[i]);
		}
		text_char(out, 'D');
		break;
	case VAL_OBJECT:
		module_name(out, v->object.klass->module);
		text_printf(out, "%s<", v->object.klass->qualified);
		for (uint32_t i = 0; i < v->object.klass->field_count; i++) {
			text_str(out, i ? ", " : "");
			if (v->object.fields[i])
				mangle(low, out, v->object.fields[i]);
		}
		text_char(out, '>');
		break;
	case VAL_METHOD:
		mangle(low, out, v->method.callee);
		text_char(out, '.');
		mangle(low, out, v->method.self);
		break;
	case VAL_DEMOTED:
		text_str(out, v->demoted->name);
		break;
	default:
		text_str(out, "constexpr_type[");
		constant_text(low, out, v);
		text_char(out, ']');
	}
}

static void escape_constant(Text *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '.')
			text_str(out, "_d_");
		else if (*text == '\'')
			text_str(out, "_sq_");
		else
			text_char(out, *text == '[' || *text == ']' ? '_' : *text);
	}
}

static void add_constant(SymbolParts *s, const Val *v, bool bare_none)
{
	Text text;
	text_init(&text, s->low->arena);
	CONTRACT(s->depth > 0);
	for (uint32_t i = 0; i < s->depth; i++)
		text_printf(&text, "%s%u", i ? ", " : "(", s->path[i]);
	text_str(&text, s->depth == 1 ? ",)c" : ")c");
	bool bare = bare_none || (v->kind == VAL_FUNCTION && s->depth > 1);
	text_str(&text, bare ? "" : "constexpr[");
	constant_text(s->low, &text, v);
	text_str(&text, bare ? "" : "]");
	text_str(&s->constants, s->constants.len ? "_" : "");
	escape_constant(&s->constants, text.data);
}

static bool runs(const Val *v)
{
	return v->kind == VAL_TENSOR || v->kind == VAL_OBJECT || v->kind == VAL_DEMOTED ||
	       v->kind == VAL_METHOD || v->kind == VAL_DICT;
}

static void add_value(SymbolParts *s, const Val *v, uint32_t place, bool has_default)
{
	if (s->depth == MAX_PATH)
		return;
	s->path[s->depth++] = place;
	if (v->kind == VAL_TUPLE || v->kind == VAL_LIST) {
		for (uint32_t i = 0; i < v->seq.len; i++)
			add_value(s, v->seq.items[i], i, false);
	} else if (runs(v)) {
		text_str(&s->types, s->types.len ? "_" : "");
		mangle(s->low, &s->types, v);
	} else {
		add_constant(s, v, v->kind == VAL_NONE && has_default);
	}
	s->depth--;
}

Sym instance_symbol(FrontLower *low, FrontFunction *f, const Val **values)
{
	SymbolParts s = {.low = low};
	text_init(&s.types, low->arena);
	text_init(&s.constants, low->arena);
	for (uint32_t i = 0; i < f->ast->param_count; i++)
		add_value(&s, values[i], i, f->ast->params[i].value != NULL);
	Text name;
	text_init(&name, low->arena);
	module_name(&name, f->module);
	text_printf(&name, "%s__", f->qualified);
	text_add(&name, s.types.data, s.types.len);
	text_str(&name, "__");
	text_add(&name, s.constants.data, s.constants.len);
	if (name.len > MAX_SYMBOL)
		name.data[MAX_SYMBOL] = '\0';
	Sym symbol = ir_sym(low->cx, name.data);
	for (unsigned n = 1; ir_find_func(low->m, symbol); n++)
		symbol = ir_sym(low->cx, arena_printf(low->arena, "%s_%u", name.data, n));
	return symbol;
}
