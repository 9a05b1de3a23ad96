/* Values as text: for messages, and as Python's repr() and str() would write them. */
#include "front/core.h"
#include "front/demote.h"
#include "front/host/bigint.h"
#include "front/tile/sem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The shortest digits that read back as the same double; exponents as Python writes them. */
const char *val_float_text(FrontLower *low, double f)
{
	if (isnan(f))
		return "nan";
	if (isinf(f))
		return f < 0 ? "-inf" : "inf";
	char digits[40];
	int precision = 1;
	do
		snprintf(digits, sizeof digits, "%.*e", precision - 1, f);
	while (strtod(digits, NULL) != f && ++precision <= 17);
	char *e = strchr(digits, 'e');
	long exponent = strtol(e + 1, NULL, 10);
	if (exponent >= -4 && exponent < 16) {
		int decimals = precision - 1 - (int)exponent;
		return arena_printf(low->arena, "%.*f", decimals > 1 ? decimals : 1, f);
	}
	*e = '\0';
	return arena_printf(low->arena, "%se%c%02ld", digits, exponent < 0 ? '-' : '+', labs(exponent));
}

static void repr_str(Text *t, Str s)
{
	bool single = memchr(s.ptr, '\'', s.len) != NULL, twice = memchr(s.ptr, '"', s.len) != NULL;
	char quote = single && !twice ? '"' : '\'';
	text_char(t, quote);
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];
		if (c == (unsigned char)quote || c == '\\')
			text_printf(t, "\\%c", c);
		else if (c == '\n')
			text_str(t, "\\n");
		else if (c == '\t')
			text_str(t, "\\t");
		else if (c == '\r')
			text_str(t, "\\r");
		else if (c < 0x20 || c == 0x7f)
			text_printf(t, "\\x%02x", c);
		else
			text_char(t, (char)c);
	}
	text_char(t, quote);
}

static void repr(FrontLower *low, Text *t, const Val *v, unsigned depth);

static void repr_items(FrontLower *low, Text *t, const Val *v, unsigned depth)
{
	bool tuple = v->kind == VAL_TUPLE;
	if (v->seq.klass)
		text_str(t, v->seq.klass->name);
	text_char(t, tuple ? '(' : '[');
	for (uint32_t i = 0; i < v->seq.len; i++) {
		if (i)
			text_str(t, ", ");
		if (v->seq.fields && v->seq.klass)
			text_printf(t, "%s=", v->seq.fields[i]);
		repr(low, t, v->seq.items[i], depth + 1);
	}
	text_str(t, !tuple ? "]" : v->seq.len == 1 && !v->seq.klass ? ",)" : ")");
}

static void repr_dict(FrontLower *low, Text *t, const Val *v, unsigned depth)
{
	text_char(t, '{');
	for (uint32_t i = 0; i < v->dict.len; i++) {
		text_str(t, i ? ", " : "");
		repr(low, t, v->dict.keys[i], depth + 1);
		text_str(t, ": ");
		repr(low, t, v->dict.values[i], depth + 1);
	}
	text_char(t, '}');
}

static void repr_range(FrontLower *low, Text *t, const Val *v)
{
	CONTRACT(v->kind == VAL_RANGE);
	text_str(t, "range(");
	repr(low, t, v->range.start, 1);
	text_str(t, ", ");
	repr(low, t, v->range.stop, 1);
	int64_t step;
	if (!val_as_int(v->range.step, &step) || step != 1) {
		text_str(t, ", ");
		repr(low, t, v->range.step, 1);
	}
	text_char(t, ')');
}

static void repr_object(FrontLower *low, Text *t, const Val *v, unsigned depth)
{
	CONTRACT(v->kind == VAL_OBJECT);
	const FrontClass *c = v->object.klass;
	if (c->kind == CLASS_ENUM && v->object.fields[0]) {
		text_printf(t, "%s.%s", c->name, v->object.fields[0]->s.ptr);
		return;
	}
	text_printf(t, "%s(", c->name);
	for (uint32_t i = 0; i < c->field_count; i++) {
		text_printf(t, "%s%s=", i ? ", " : "", c->fields[i].name);
		if (v->object.fields[i])
			repr(low, t, v->object.fields[i], depth + 1);
	}
	text_char(t, ')');
}

static void repr(FrontLower *low, Text *t, const Val *v, unsigned depth)
{
	if (depth > 20) {
		text_str(t, "...");
		return;
	}
	v = val_known_for(v, "text is made of it");
	switch (v->kind) {
	case VAL_NONE:
		text_str(t, "None");
		break;
	case VAL_BOOL:
		text_str(t, v->b ? "True" : "False");
		break;
	case VAL_INT:
		if (v->i.big)
			text_str(t, big_text(low->arena, v->i.big, 10));
		else
			text_printf(t, "%lld", (long long)v->i.small);
		break;
	case VAL_FLOAT:
		text_str(t, val_float_text(low, v->f));
		break;
	case VAL_STR:
		repr_str(t, v->s);
		break;
	case VAL_ELLIPSIS:
		text_str(t, "Ellipsis");
		break;
	case VAL_SLICE:
		text_str(t, "slice");
		break;
	case VAL_TUPLE:
	case VAL_LIST:
		repr_items(low, t, v, depth);
		break;
	case VAL_DICT:
		repr_dict(low, t, v, depth);
		break;
	case VAL_RANGE:
		repr_range(low, t, v);
		break;
	case VAL_DTYPE:
		text_str(t, tl_type_text(low, v->type));
		break;
	case VAL_CONST_TYPE:
		text_str(t, "constexpr_type[");
		repr(low, t, v->typed, depth + 1);
		text_char(t, ']');
		break;
	case VAL_FUNCTION:
		text_printf(t, "<function %s>", v->function->qualified);
		break;
	case VAL_BUILTIN:
		text_str(t, "<builtin>");
		break;
	case VAL_PYTHON:
		text_printf(t, v->python->is_type ? "<class '%s'>" : "<built-in function %s>", v->python->name);
		break;
	case VAL_METHOD:
		text_str(t, "<bound method>");
		break;
	case VAL_MODULE:
		text_printf(t, "<module '%s'>",
			    v->module.builtin_path ? v->module.builtin_path : v->module.module->name);
		break;
	case VAL_CLASS:
		text_printf(t, "<class '%s'>", v->klass->name);
		break;
	case VAL_OBJECT:
		repr_object(low, t, v, depth);
		break;
	case VAL_TENSOR:
		text_printf(t, "%s", tl_type_text(low, v->tensor.type));
		break;
	case VAL_OPAQUE:
		text_str(t, "<unknown>");
		break;
	case VAL_DEMOTED: /* known above */
	case VAL_POISON:
		text_str(t, "<error>");
		break;
	}
}

const char *val_repr(FrontLower *low, const Val *v)
{
	Text t;
	text_init(&t, low->arena);
	repr(low, &t, v, 0);
	return t.data ? t.data : "";
}

const char *val_brief(FrontLower *low, const Val *v)
{
	const char *text = val_repr(low, v);
	if (strlen(text) <= 60)
		return text;
	int len = 57;
	while ((text[len] & 0xc0) == 0x80)
		len--;
	return arena_printf(low->arena, "%.*s...", len, text);
}

const char *val_int_text(FrontLower *low, const Val *v, unsigned base)
{
	return big_text(low->arena, val_to_big(low, v), base);
}

const char *val_str_text(FrontLower *low, const Val *v)
{
	if (v->kind == VAL_STR)
		return arena_strndup(low->arena, v->s.ptr, v->s.len);
	if (v->kind == VAL_OBJECT && v->object.klass->kind == CLASS_EXCEPTION && v->object.fields[0])
		return v->object.fields[0]->seq.len ? val_str_text(low, v->object.fields[0]->seq.items[0]) : "";
	return val_repr(low, v);
}

const char *val_type_name(const Val *v)
{
	if (v->kind == VAL_DEMOTED)
		return val_type_name(v->demoted->value);
	static const char *const names[] = {
		[VAL_POISON] = "error", [VAL_NONE] = "NoneType", [VAL_BOOL] = "bool", [VAL_INT] = "int",
		[VAL_FLOAT] = "float", [VAL_STR] = "str", [VAL_ELLIPSIS] = "ellipsis", [VAL_SLICE] = "slice",
		[VAL_TUPLE] = "tuple", [VAL_LIST] = "list", [VAL_DICT] = "dict", [VAL_RANGE] = "range",
		[VAL_DTYPE] = "dtype", [VAL_CONST_TYPE] = "constexpr_type",
		[VAL_FUNCTION] = "function", [VAL_BUILTIN] = "builtin",
		[VAL_METHOD] = "method", [VAL_MODULE] = "module", [VAL_CLASS] = "type", [VAL_TENSOR] = "tensor",
		[VAL_PYTHON] = "builtin", [VAL_OPAQUE] = "object",
	};
	if (v->kind == VAL_OBJECT)
		return v->object.klass->name;
	if (v->kind == VAL_PYTHON && v->python->is_type)
		return "type";
	return v->seq.klass && v->kind == VAL_TUPLE ? v->seq.klass->name : names[v->kind];
}

const char *val_describe(FrontLower *low, const Val *v)
{
	switch (v->kind) {
	case VAL_NONE:
		return "None";
	case VAL_TENSOR:
		return arena_printf(low->arena, "%s %s", tl_describe(low, v->tensor.type),
				    v->tensor.type->kind == TL_BLOCK ? "tensor" :
				    v->tensor.type->kind == TL_DESC  ? "descriptor" :
								       "scalar");
	case VAL_FUNCTION:
		return arena_printf(low->arena, "function %s", v->function->qualified);
	case VAL_MODULE:
		if (!v->module.builtin_path && strncmp(v->module.module->name, "_neso", 5) == 0)
			return "an object of the host"; /* its name there is a number */
		return arena_printf(low->arena, "module %s",
				    v->module.builtin_path ? v->module.builtin_path : v->module.module->name);
	case VAL_CLASS:
		return arena_printf(low->arena, "class %s", v->klass->name);
	case VAL_OBJECT:
		return arena_printf(low->arena, "%s object", v->object.klass->name);
	case VAL_DTYPE:
		return arena_printf(low->arena, "dtype %s", tl_type_text(low, v->type));
	case VAL_BUILTIN:
	case VAL_METHOD:
	case VAL_PYTHON:
	case VAL_OPAQUE:
	case VAL_POISON:
		return val_type_name(v);
	default:
		return arena_printf(low->arena, "%s %s", val_type_name(v), val_brief(low, v));
	}
}
