/* Comprehensions, and formats of values that are known. */
#include "front/core.h"
#include "front/demote.h"

#include <stdio.h>

/* ---- comprehensions ---- */

typedef struct Comp {
	FrontLower *low;
	Ast *node;
	ValVec keys, values;
} Comp;

static bool run_clause(Comp *c, uint32_t clause);

static bool produce(Comp *c)
{
	FrontLower *low = c->low;
	const Val *v = eval(low, c->node->comp.elt);
	if (v->kind == VAL_POISON)
		return false;
	if (c->node->kind == AST_DICT_COMP) {
		vec_push(low->arena, &c->keys, v);
		v = eval(low, c->node->comp.value);
		if (v->kind == VAL_POISON)
			return false;
	}
	vec_push(low->arena, &c->values, v);
	return true;
}

static bool run_item(Comp *c, const Ast *clause, uint32_t number, const Val *item)
{
	FrontLower *low = c->low;
	if (!assign_target(low, clause->comp_for.target, item))
		return false;
	for (uint32_t i = 0; i < clause->comp_for.ifs.len; i++) {
		const Val *cond = eval(low, clause->comp_for.ifs.items[i]);
		bool ok, truth = eval_truth(low, cond, &ok);
		if (!ok)
			return false;
		if (!truth)
			return true;
	}
	return run_clause(c, number + 1);
}

static bool run_clause(Comp *c, uint32_t number)
{
	if (number == c->node->comp.clauses.len)
		return produce(c);
	FrontLower *low = c->low;
	const Ast *clause = c->node->comp.clauses.items[number];
	const Val *iter = eval(low, clause->comp_for.iter);
	ValVec items = {0};
	if (iter->kind == VAL_POISON)
		return false;
	if (c->node->kind == AST_LIST_COMP && !strict_comprehension(low, iter))
		return false;
	if (!eval_items(low, iter, &items))
		return false;
	for (uint32_t i = 0; i < items.len; i++)
		if (!lower_step(low) || !run_item(c, clause, number, items.data[i]))
			return false;
	return true;
}

/* The names of the clauses are the comprehension's own. */
static void clause_names(FrontLower *low, const Ast *target, SymVec *out)
{
	if (target->kind == AST_NAME)
		vec_push(low->arena, out, target->name.id);
	else if (target->kind == AST_TUPLE || target->kind == AST_LIST)
		for (uint32_t i = 0; i < target->seq.items.len; i++)
			clause_names(low, target->seq.items.items[i], out);
}

/* Functions that the comprehension made see its names as the last item left them. */
static void keep_names(const Val *v, uint32_t last_closure, Frame *names)
{
	if (val_is_seq(v))
		for (uint32_t i = 0; i < v->seq.len; i++)
			keep_names(v->seq.items[i], last_closure, names);
	if (v->kind != VAL_FUNCTION || v->function->id <= last_closure)
		return;
	/* Behind the names of comprehensions in this one. */
	Frame **env = &v->function->env;
	while (*env && *env != names && *env != names->env && (*env)->function == names->function)
		env = &(*env)->env;
	if (*env == names->env)
		*env = names;
}

static void keep_names_of_all(FrontLower *low, const ValVec *values, const SymVec *names,
			      uint32_t last_closure)
{
	if (FIRST_CLOSURE + low->closures == last_closure)
		return;
	Frame *kept = frame_new(low, low->frame->function, low->frame->ns);
	kept->env = low->frame;
	kept->host = low->frame->host;
	for (uint32_t i = 0; i < names->len; i++)
		if (frame_get(low->frame, names->data[i]))
			frame_set(low, kept, names->data[i], frame_get(low->frame, names->data[i]));
	for (size_t i = 0; i < values->len; i++)
		keep_names(values->data[i], last_closure, kept);
}

const Val *eval_comprehension(FrontLower *low, Ast *node)
{
	uint32_t last_closure = FIRST_CLOSURE + low->closures;
	SymVec names = {0};
	for (uint32_t i = 0; i < node->comp.clauses.len; i++)
		clause_names(low, node->comp.clauses.items[i]->comp_for.target, &names);
	Slot *old = ARENA_ARRAY(low->arena, Slot, MAX(names.len, 1u));
	for (uint32_t i = 0; i < names.len; i++)
		frame_slot(low, low->frame, names.data[i]);
	for (uint32_t i = 0; i < names.len; i++)
		old[i] = low->frame->slots.data[frame_slot(low, low->frame, names.data[i])];
	Comp c = {.low = low, .node = node};
	bool ok = run_clause(&c, 0);
	keep_names_of_all(low, &c.values, &names, last_closure);
	for (uint32_t i = 0; i < names.len; i++)
		low->frame->slots.data[frame_slot(low, low->frame, names.data[i])] = old[i];
	if (!ok)
		return low->poison;
	if (node->kind == AST_DICT_COMP)
		return val_dict(low, c.keys.data, c.values.data, c.values.len);
	if (node->kind == AST_SET_COMP) {
		const Val *d = val_dict(low, c.values.data, c.values.data, c.values.len);
		return val_list(low, d->dict.keys, d->dict.len);
	}
	return low->frame->host ? val_list(low, c.values.data, c.values.len)
				: val_tuple(low, c.values.data, c.values.len);
}

/* ---- format specifications: [[fill]align][sign][#][0][width][,][.precision][type] ---- */

typedef struct Spec {
	char fill, align, sign, type;
	bool alternate, zero;
	char group;
	uint32_t width;
	int precision;
} Spec;

enum { MAX_WIDTH = 10000 };

static bool parse_spec(Str s, Spec *out)
{
	*out = (Spec){.fill = ' ', .precision = -1};
	size_t i = 0;
	if (s.len > 1 && strchr("<>=^", s.ptr[1])) {
		out->fill = s.ptr[0];
		out->align = s.ptr[1];
		i = 2;
	} else if (s.len && strchr("<>=^", s.ptr[0])) {
		out->align = s.ptr[i++];
	}
	if (i < s.len && strchr("+- ", s.ptr[i]))
		out->sign = s.ptr[i++];
	if (i < s.len && s.ptr[i] == '#')
		out->alternate = true, i++;
	if (i < s.len && s.ptr[i] == '0')
		out->zero = true, i++;
	for (; i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9' && out->width <= MAX_WIDTH; i++)
		out->width = out->width * 10 + (uint32_t)(s.ptr[i] - '0');
	if (i < s.len && (s.ptr[i] == ',' || s.ptr[i] == '_'))
		out->group = s.ptr[i++];
	if (i < s.len && s.ptr[i] == '.') {
		out->precision = 0;
		for (i++; i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9' && out->precision <= MAX_WIDTH; i++)
			out->precision = out->precision * 10 + (s.ptr[i] - '0');
	}
	if (i < s.len)
		out->type = s.ptr[i++];
	return i == s.len && out->width <= MAX_WIDTH && out->precision <= MAX_WIDTH;
}

static const char *grouped(FrontLower *low, const char *digits, char group)
{
	size_t whole = strspn(digits, "0123456789");
	Text t;
	text_init(&t, low->arena);
	for (size_t i = 0; i < whole; i++) {
		if (i && (whole - i) % 3 == 0)
			text_char(&t, group);
		text_char(&t, digits[i]);
	}
	text_str(&t, digits + whole);
	return t.data;
}

static const char *number_text(FrontLower *low, const Val *v, const Spec *spec)
{
	double d;
	if (v->kind == VAL_FLOAT || (spec->type && strchr("eEfFgG%", spec->type))) {
		if (!val_as_double(v, &d))
			return NULL;
		if (d < 0)
			d = -d;
		int precision = spec->precision < 0 ? 6 : spec->precision;
		switch (spec->type) {
		case 0:
			return spec->precision < 0 ? val_float_text(low, d) : arena_printf(low->arena, "%.*g", precision, d);
		case 'e':
			return arena_printf(low->arena, "%.*e", precision, d);
		case 'E':
			return arena_printf(low->arena, "%.*E", precision, d);
		case 'f':
		case 'F':
			return arena_printf(low->arena, "%.*f", precision, d);
		case 'g':
		case 'G':
			return arena_printf(low->arena, "%.*g", precision, d);
		case '%':
			return arena_printf(low->arena, "%.*f%%", precision, d * 100);
		default:
			return NULL;
		}
	}
	unsigned base = spec->type == 'x' || spec->type == 'X' ? 16 : spec->type == 'o' ? 8 : spec->type == 'b' ? 2 : 10;
	if (spec->type && !strchr("dxXobn", spec->type))
		return NULL;
	const char *text = val_int_text(low, v, base);
	if (*text == '-')
		text++;
	if (spec->type == 'X') {
		char *upper = arena_strdup(low->arena, text);
		for (char *p = upper; *p; p++)
			if (*p >= 'a' && *p <= 'f')
				*p = (char)(*p - 32);
		text = upper;
	}
	return spec->alternate && base != 10 ? arena_printf(low->arena, "0%c%s", spec->type, text) : text;
}

static bool is_negative(const Val *v)
{
	double d;
	return val_as_double(v, &d) && (d < 0 || (d == 0 && v->kind == VAL_FLOAT && 1 / d < 0));
}

static const Val *padded(FrontLower *low, const Spec *spec, const char *sign, const char *text, char align)
{
	size_t columns = 0;
	for (const char *p = text; *p; p++)
		columns += ((unsigned char)*p & 0xc0) != 0x80;
	size_t len = strlen(sign) + columns, room = spec->width > len ? spec->width - len : 0;
	size_t left = align == '>' ? room : align == '^' ? room / 2 : 0;
	Text t;
	text_init(&t, low->arena);
	for (size_t i = 0; i < left; i++)
		text_char(&t, spec->fill);
	text_str(&t, sign);
	for (size_t i = 0; align == '=' && i < room; i++)
		text_char(&t, spec->fill);
	text_str(&t, text);
	for (size_t i = left; align != '=' && i < room; i++)
		text_char(&t, spec->fill);
	return val_str(low, (Str){t.data ? t.data : "", t.len});
}

const Val *host_format(FrontLower *low, const Val *v, Str text, char conversion)
{
	v = val_known_for(v, "text is made of it");
	if (conversion == 'r' || conversion == 'a')
		v = val_str(low, str_of(val_repr(low, v)));
	else if (conversion == 's')
		v = val_str(low, str_of(val_str_text(low, v)));
	Spec spec;
	if (!parse_spec(text, &spec))
		return lower_error(low, DIAG_FORMAT_SPEC, STR_ARG(text));
	if (!text.len)
		return val_str(low, str_of(val_str_text(low, v)));
	if (val_is_number(v) && (v->kind != VAL_BOOL || spec.type)) {
		const char *digits = number_text(low, v, &spec);
		if (!digits)
			return lower_error(low, DIAG_FORMAT_SPEC, STR_ARG(text));
		if (spec.group)
			digits = grouped(low, digits, spec.group);
		const char *sign = is_negative(v) ? "-" : spec.sign == '+' ? "+" : spec.sign == ' ' ? " " : "";
		if (spec.zero && !spec.align)
			spec.fill = '0';
		return padded(low, &spec, sign, digits, spec.align ? spec.align : spec.zero ? '=' : '>');
	}
	if (spec.type && spec.type != 's')
		return lower_error(low, DIAG_FORMAT_SPEC, STR_ARG(text));
	const char *shown = val_str_text(low, v);
	if (spec.precision >= 0 && (size_t)spec.precision < strlen(shown))
		shown = arena_strndup(low->arena, shown, (size_t)spec.precision);
	return padded(low, &spec, "", shown, spec.align && spec.align != '=' ? spec.align : '<');
}

/* ---- "..." % values ---- */

const Val *host_percent(FrontLower *low, Str format, const Val *args)
{
	Text t;
	text_init(&t, low->arena);
	uint32_t next = 0, count = args->kind == VAL_TUPLE ? args->seq.len : 1;
	for (size_t i = 0; i < format.len; i++) {
		if (format.ptr[i] != '%' || i + 1 >= format.len) {
			text_char(&t, format.ptr[i]);
			continue;
		}
		size_t start = ++i;
		if (format.ptr[i] == '%') {
			text_char(&t, '%');
			continue;
		}
		while (i < format.len && strchr("0123456789.+- #", format.ptr[i]))
			i++;
		char type = i < format.len ? format.ptr[i] : '\0';
		if (!type || !strchr("sdirxXofFeEgG", type) || next >= count)
			return lower_error(low, DIAG_FORMAT_SPEC, STR_ARG(format));
		const Val *v = args->kind == VAL_TUPLE ? args->seq.items[next] : args;
		next++;
		if (type == 's' || type == 'r') {
			text_str(&t, type == 's' ? val_str_text(low, v) : val_repr(low, v));
			continue;
		}
		Str spec = {format.ptr + start, i - start + 1};
		if (type == 'i')
			spec = (Str){arena_printf(low->arena, "%.*sd", (int)(i - start), format.ptr + start), spec.len};
		const Val *part = host_format(low, v, spec, 0);
		if (part->kind != VAL_STR)
			return part;
		text_add(&t, part->s.ptr, part->s.len);
	}
	if (next < count && args->kind != VAL_DICT)
		return lower_error(low, DIAG_FORMAT_SPEC, STR_ARG(format));
	return val_str(low, (Str){t.data ? t.data : "", t.len});
}
