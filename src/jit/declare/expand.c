/* The variants that a declaration stands for. Each parameter has choices, which are specialised by
 * the rules of a launch (bind/), so that equal ones coincide; options have choices likewise; the
 * variants are the product. */
#include <stdlib.h>

#include "jit/declare/declare.h"
#include "jit/declare/options.h"
#include "jit/inner.h"
#include "jit/rules.h"

typedef VEC(FrontArg) Choices;
typedef struct OptionChoices {
	const char *name;
	JitEntries values;
} OptionChoices;

typedef struct Expanding {
	Arena *arena;
	JitKernel *kernel;
	const JitDeclaration *declaration;
	JitOptions base;
	VEC(OptionChoices) options;
	Choices *params; /* per parameter; none: it has its default */
	DiagList *diags;
} Expanding;

static bool wrong(const Expanding *x, size_t at, const char *why)
{
	const JitDeclaration *d = x->declaration;
	diag_add_at(x->diags, d->file, (LineCol){d->line, (uint32_t)at + 1}, DIAG_DECLARATION, why);
	return false;
}

static const char *text_of(const Expanding *x, Str s)
{
	return arena_strndup(x->arena, s.ptr, s.len);
}

/* Where a part of a parameter's text lies in the line. */
static size_t params_at(const Expanding *x, const char *at)
{
	return x->declaration->params_at + (size_t)(at - x->declaration->params);
}

/* ---- one parameter ---- */

static void add(const Expanding *x, Choices *out, FrontArg arg)
{
	for (uint32_t i = 0; i < out->len; i++) {
		const FrontArg *o = &out->data[i];
		if (o->kind == arg.kind && strcmp(o->text, arg.text) == 0 &&
		    o->divisibility == arg.divisibility)
			return;
	}
	vec_push(x->arena, out, arg);
}

static void add_value(Expanding *x, uint32_t param, const JitArg *value, Choices *out)
{
	add(x, out, jit_bind_value(x->arena, x->kernel, param, value, &x->base, x->diags));
}

static bool is_integer(Str type)
{
	return type.len > 1 && (type.ptr[0] == 'i' || type.ptr[0] == 'u') && type.ptr[1] >= '0' &&
	       type.ptr[1] <= '9' && !str_is(type, "i1") && !str_is(type, "u1");
}

static bool counts_8(const FrontParam *p, Str type)
{
	return p->div8 || (p->div8_int && is_integer(type));
}

/* A type as the parameter takes it, with what may be known of its values. */
static void add_type(Expanding *x, const FrontParam *p, Str type, uint32_t divisibility, Choices *out)
{
	const char *text = text_of(x, type);
	const TlDtype dtype = jit_dtype_of(type);
	const bool numeric = type.ptr[0] == '*' || is_integer(type);
	const bool fixed_float =
		p->dtype && (strncmp(p->dtype, "fp", 2) == 0 || strncmp(p->dtype, "bf", 2) == 0);
	if (dtype != DT__COUNT)
		text = p->dtype && p->dtype[0] != '*' ? p->dtype : jit_dtype_text(dtype);
	const bool known = numeric && !fixed_float && !x->base.no_specialize && !p->do_not_specialize &&
			   !p->do_not_specialize_on_alignment;
	if (divisibility == RULE_SMALL_DIVISOR && !counts_8(p, type))
		divisibility = 0;
	add(x, out, (FrontArg){.kind = FRONT_TYPE, .text = text, .divisibility = known ? divisibility : 0});
}

static void add_one(Expanding *x, uint32_t param, Choices *out)
{
	const JitArg one = {.kind = JIT_INT, .i = 1, .dtype = DT__COUNT};
	add_value(x, param, &one, out);
}

/* "T", "T:1", "T:8", "T:16", "T:*" */
static bool add_typed(Expanding *x, uint32_t param, Str type, Str hint, size_t at, Choices *out)
{
	const FrontParam *p = &x->kernel->info->params[param];
	const bool all = str_is(hint, "*"), integer = is_integer(type);
	if (p->is_constexpr)
		return wrong(
			x, at,
			arena_printf(x->arena, "'%s' is a constexpr: it has values, and no type", p->name));
	if (hint.len && !all && !str_is(hint, "1") && !str_is(hint, "8") && !str_is(hint, "16"))
		return wrong(x, at, "what follows ':' is 1, 8, 16, or * for all that launches tell apart");
	if (p->always_one && integer) {
		add_one(x, param, out);
		return true;
	}
	if (str_is(hint, "1"))
		add_one(x, param, out);
	if (all || !hint.len)
		add_type(x, p, type, 0, out);
	if (str_is(hint, "8") || (all && p->div8)) /* else what is without it serves too */
		add_type(x, p, type, RULE_SMALL_DIVISOR, out);
	if (all || str_is(hint, "16"))
		add_type(x, p, type, RULE_DIVISOR, out);
	if (all && integer)
		add_one(x, param, out);
	return true;
}

/* A number of the kind that a demoted constexpr has. */
static bool add_demoted(Expanding *x, uint32_t param, Str type, size_t at, Choices *out)
{
	static const struct {
		const char *type, *number;
	} numbers[] = {
		{"i32", "2"},
		{"u32", "4294967295"},
		{"i64", "4294967296"},
		{"u64", "9223372036854775808"},
		{"i1", "True"},
		{"fp32", "0.5"},
		{"fp64", "1e300"},
	};
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		if (x->kernel->info->params[param].is_constexpr && str_is(type, numbers[i].type)) {
			x->base.policy = JIT_POLICY_GENERIC;
			add(x, out, (FrontArg){.kind = FRONT_CONST, .text = numbers[i].number});
			return true;
		}
	return wrong(
		x, at,
		"'constexpr' is followed by i32, u32, i64, u64, i1, fp32 or fp64, of a constexpr parameter");
}

enum { LONGEST_RANGE = 4096 };

typedef struct Range {
	int64_t from, to, step;
	bool multiplies;
} Range;

/* "A..B", "A..B +S", "A..B *S" */
static bool is_range(const Expanding *x, Str text, Range *out)
{
	const char *t = text_of(x, text);
	char *end;
	*out = (Range){.step = 1};
	if (!strstr(t, ".."))
		return false;
	out->from = strtoll(t, &end, 10);
	if (end == t || strncmp(end, "..", 2) != 0)
		return false;
	const char *second = end + 2;
	out->to = strtoll(second, &end, 10);
	if (end == second)
		return false;
	end += strspn(end, " ");
	if (*end == '+' || *end == '*') {
		out->multiplies = *end == '*';
		const char *step = end + 1;
		out->step = strtoll(step, &end, 10);
		if (end == step)
			return false;
	}
	return !*end;
}

static bool range_is_good(const Range *r)
{
	return r->from <= r->to && r->step > r->multiplies && (!r->multiplies || r->from > 0) &&
	       r->to < INT64_MAX / 4 && r->from > INT64_MIN / 4 && r->step < INT64_MAX / 4;
}

static bool add_literal(Expanding *x, uint32_t param, int64_t value, Choices *out)
{
	const JitArg arg = {.kind = JIT_INT, .i = value, .dtype = DT__COUNT};
	if (x->kernel->info->params[param].is_constexpr)
		add(x, out,
		    (FrontArg){.kind = FRONT_CONST,
			       .text = arena_printf(x->arena, "%lld", (long long)value)});
	else
		add_value(x, param, &arg, out);
	return true;
}

/* Of a run-time argument the values count by what is concluded from them: one of each class
 * suffices. Those are met within 32 steps of the ends of the range, of 0, of 1, and of the places
 * where its type changes. */
static void add_classes(Expanding *x, uint32_t param, const Range *r, Choices *out)
{
	const int64_t places[] = {r->from, r->to, 0, 1, INT32_MIN, (int64_t)INT32_MAX + 1};
	const int64_t last = (r->to - r->from) / r->step;
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		const int64_t around = (places[i] - r->from) / r->step;
		for (int64_t k = around - 32; k <= around + 32; k++)
			if (k >= 0 && k <= last)
				add_literal(x, param, r->from + k * r->step, out);
	}
}

static bool add_range(Expanding *x, uint32_t param, const Range *r, size_t at, Choices *out)
{
	const FrontParam *p = &x->kernel->info->params[param];
	if (!range_is_good(r))
		return wrong(x, at,
			     "a range is FROM..TO, FROM..TO +STEP or FROM..TO *FACTOR, from below to above");
	if (!p->is_constexpr && !r->multiplies) {
		add_classes(x, param, r, out);
		return true;
	}
	if (!r->multiplies && (r->to - r->from) / r->step >= LONGEST_RANGE)
		return wrong(x, at,
			     arena_printf(x->arena, "the range of the constexpr '%s' has more than %d values",
					  p->name, LONGEST_RANGE));
	for (int64_t v = r->from; v <= r->to; v = r->multiplies ? v * r->step : v + r->step)
		add_literal(x, param, v, out);
	return true;
}

static bool add_one_of(Expanding *x, uint32_t param, Str entry, size_t at, Choices *out)
{
	static const char demoted[] = "constexpr ";
	const FrontParam *p = &x->kernel->info->params[param];
	Str type = entry, hint = {"", 0};
	Range range;
	JitArg literal;
	if (!entry.len)
		return wrong(x, at, arena_printf(x->arena, "nothing is said of '%s'", p->name));
	if (is_range(x, entry, &range))
		return add_range(x, param, &range, at, out);
	if (entry.len > sizeof demoted - 1 && memcmp(entry.ptr, demoted, sizeof demoted - 1) == 0)
		return add_demoted(x, param,
				   (Str){entry.ptr + sizeof demoted - 1, entry.len - sizeof demoted + 1}, at,
				   out);
	const char *colon = memchr(entry.ptr, ':', entry.len);
	if (colon) {
		type.len = (size_t)(colon - entry.ptr);
		hint = (Str){colon + 1, entry.len - type.len - 1};
	}
	if (str_is(type, "int")) {
		static const char *const widths[] = {"i32", "i64", "u64"};
		for (size_t i = 0; i < ARRAY_LEN(widths); i++)
			if (!add_typed(x, param, str_of(widths[i]), hint, at, out))
				return false;
		return true;
	}
	if (jit_is_type(type))
		return add_typed(x, param, type, hint, at, out);
	const char *text = text_of(x, entry);
	if (!p->is_constexpr && jit_literal(text, &literal))
		add_value(x, param, &literal, out);
	else
		add(x, out, (FrontArg){.kind = FRONT_CONST, .text = text});
	return true;
}

/* "{A, B}", "{A, B}:HINT", or one. */
static bool add_entry(Expanding *x, uint32_t param, Str entry, size_t at, Choices *out)
{
	const char *close = entry.len && entry.ptr[0] == '{' ? memchr(entry.ptr, '}', entry.len) : NULL;
	if (!close)
		return add_one_of(x, param, entry, at, out);
	const Str rest = {close + 1, entry.len - (size_t)(close + 1 - entry.ptr)};
	if (rest.len && rest.ptr[0] != ':')
		return wrong(x, at, "behind '}' there may be ':' and what is known of the values");
	JitEntries parts = {0};
	jit_split(x->arena, arena_strndup(x->arena, entry.ptr + 1, (size_t)(close - entry.ptr) - 1), &parts);
	for (uint32_t i = 0; i < parts.len; i++) {
		const Str part = str_of(arena_printf(x->arena, "%.*s%.*s", (int)parts.data[i].len,
						     parts.data[i].ptr, (int)rest.len, rest.ptr));
		if (!add_one_of(x, param, part, at, out))
			return false;
	}
	return true;
}

/* "NAME: ENTRY" or "NAME=ENTRY"; the number of the parameter, or -1 after diagnosing. */
static int64_t named(Expanding *x, Str item, Str *rest)
{
	const FrontInfo *info = x->kernel->info;
	const size_t len = strcspn(item.ptr, ":=,");
	const char **names = ARENA_ARRAY(x->arena, const char *, info->param_count + 1);
	if (len >= item.len || item.ptr[len] == ',') {
		wrong(x, params_at(x, item.ptr), "a parameter is NAME: TYPE or NAME=VALUE");
		return -1;
	}
	Str name = {item.ptr, len};
	while (name.len && name.ptr[name.len - 1] == ' ')
		name.len--;
	*rest = (Str){item.ptr + len + 1, item.len - len - 1};
	while (rest->len && rest->ptr[0] == ' ')
		rest->ptr++, rest->len--;
	for (uint32_t i = 0; i < info->param_count; i++) {
		names[i] = info->params[i].name;
		if (str_is(name, names[i]))
			return i;
	}
	const char *text = text_of(x, name);
	wrong(x, params_at(x, item.ptr),
	      arena_printf(x->arena, "%s has no parameter '%s'%s", info->qualified_name, text,
			   jit_nearest(x->arena, text, names, info->param_count)));
	return -1;
}

static bool read_params(Expanding *x)
{
	const FrontInfo *info = x->kernel->info;
	JitEntries items = {0};
	const char *params = x->declaration->params;
	bool good = true;
	if (params[strspn(params, " \t")])
		jit_split(x->arena, params, &items);
	for (uint32_t i = 0; i < items.len; i++) {
		Str rest;
		const int64_t param = named(x, items.data[i], &rest);
		const size_t at = params_at(x, items.data[i].ptr);
		if (param >= 0 && x->params[param].len)
			good = wrong(
				x, at,
				arena_printf(x->arena, "'%s' stands here twice", info->params[param].name));
		else
			good &= param >= 0 && add_entry(x, (uint32_t)param, rest, at, &x->params[param]);
	}
	for (uint32_t i = 0; good && i < info->param_count; i++) {
		JitArg literal;
		const char *value = info->params[i].value;
		if (x->params[i].len)
			continue;
		if (!value)
			good = wrong(x, 0,
				     arena_printf(x->arena, "nothing is said of the parameter '%s' of %s",
						  info->params[i].name, info->qualified_name));
		else if (!info->params[i].is_constexpr && jit_literal(value, &literal))
			add_value(x, i, &literal, &x->params[i]);
		else
			add(x, &x->params[i], (FrontArg){.kind = FRONT_CONST, .text = value});
	}
	return good;
}

/* ---- options ---- */

static bool add_option(Expanding *x, Str name, Str value, size_t at)
{
	OptionChoices choices = {.name = text_of(x, name)};
	const bool many = value.len > 1 && value.ptr[0] == '{';
	if (many)
		jit_split(x->arena, arena_strndup(x->arena, value.ptr + 1, value.len - 2), &choices.values);
	else
		vec_push(x->arena, &choices.values, value);
	for (uint32_t i = 0; i < choices.values.len; i++) {
		JitOptions probe = {0};
		const char *why =
			jit_options_set(&probe, choices.name, text_of(x, choices.values.data[i]), x->arena);
		if (why)
			return wrong(x, at, why);
	}
	for (uint32_t i = 0; i < x->options.len; i++)
		if (strcmp(x->options.data[i].name, choices.name) == 0)
			return wrong(
				x, at,
				arena_printf(x->arena, "the option '%s' stands here twice", choices.name));
	vec_push(x->arena, &x->options, choices);
	return true;
}

static bool read_options(Expanding *x)
{
	const JitDeclaration *d = x->declaration;
	for (const char *at = d->options; *(at += strspn(at, " \t\r,"));) {
		const size_t name = strcspn(at, "= \t\r");
		size_t len = name;
		Str value = {"", 0};
		if (at[name] == '=') {
			value.ptr = at + name + 1;
			const char *close = *value.ptr == '{' ? strchr(value.ptr, '}') : NULL;
			value.len = close ? (size_t)(close + 1 - value.ptr) : strcspn(value.ptr, " \t\r");
			len += 1 + value.len;
		}
		if (!add_option(x, (Str){at, name}, value, d->options_at + (size_t)(at - d->options)))
			return false;
		at += len;
	}
	return true;
}

/* ---- the product ---- */

static void replace_targets(Expanding *x, const char *const *targets, uint32_t count)
{
	OptionChoices *to = NULL;
	if (!count)
		return;
	for (uint32_t i = 0; i < x->options.len; i++)
		if (strcmp(x->options.data[i].name, "target") == 0)
			to = &x->options.data[i];
	if (!to) {
		vec_push(x->arena, &x->options, (OptionChoices){.name = "target"});
		to = &vec_last(&x->options);
	}
	to->values.len = 0;
	for (uint32_t i = 0; i < count; i++)
		vec_push(x->arena, &to->values, str_of(targets[i]));
}

static void count_axis(JitDeclaredList *out, Arena *arena, const char *name, uint64_t count)
{
	out->count = count && out->count > UINT64_MAX / count ? UINT64_MAX : out->count * count;
	if (count > 1)
		vec_push(arena, &out->axes, (JitAxis){name, count});
}

/* The parameter or option that has the most choices. False after diagnosing. */
static bool few_enough(Expanding *x, const JitDeclaredList *list, uint64_t most)
{
	const FrontInfo *info = x->kernel->info;
	const JitAxis *worst = list->axes.len ? &list->axes.data[0] : NULL;
	for (uint32_t i = 0; i < list->axes.len; i++)
		worst = list->axes.data[i].count > worst->count ? &list->axes.data[i] : worst;
	if (list->count <= most)
		return true;
	const char *advice = "each value of an option has its own code";
	for (uint32_t i = 0; i < info->param_count; i++) {
		const FrontParam *p = &info->params[i];
		if (worst->name == p->name)
			advice = p->is_constexpr ? "declare fewer values; of a numeric one (neso list --why) "
						   "the constexpr "
						   "policy 'generic' makes one variant"
						 : jit_multiplier_advice(
							   p, x->params[i].data[0].text[0] == '*', x->arena);
	}
	const char *number = list->count == UINT64_MAX
				     ? "more than 10^19"
				     : arena_printf(x->arena, "%llu", (unsigned long long)list->count);
	diag_add_at(x->diags, x->declaration->file, (LineCol){x->declaration->line, 1}, DIAG_DECLARED_MANY,
		    info->qualified_name, number, (unsigned long long)most, worst->name,
		    (unsigned long long)worst->count, advice);
	return false;
}

/* The index-th variant: a number whose digits are the choices, the last one first. */
static JitDeclared variant_at(const Expanding *x, uint64_t index, Arena *arena)
{
	const uint32_t params = x->kernel->info->param_count;
	JitDeclared out = {.options = x->base};
	const FrontArg **chosen = ARENA_ARRAY(x->arena, const FrontArg *, params + 1);
	for (uint32_t i = x->options.len; i-- > 0;) {
		const OptionChoices *o = &x->options.data[i];
		jit_options_set(&out.options, o->name, text_of(x, o->values.data[index % o->values.len]),
				arena);
		index /= o->values.len;
	}
	for (uint32_t i = params; i-- > 0;) {
		chosen[i] = &x->params[i].data[index % x->params[i].len];
		index /= x->params[i].len;
	}
	Text signature;
	text_init(&signature, arena);
	for (uint32_t i = 0; i < params; i++) {
		text_printf(&signature, "%s%s", i ? "," : "", chosen[i]->text);
		if (chosen[i]->divisibility > 1)
			text_printf(&signature, ":%u", chosen[i]->divisibility);
	}
	out.signature = signature.data;
	return out;
}

JitStatus jit_declared(JitKernel *kernel, const JitDeclaration *declaration, const JitOptions *base,
		       const char *const *targets, uint32_t target_count, uint64_t most, JitDeclaredList *out,
		       DiagList *diags)
{
	Expanding x = {.arena = diags->arena, .kernel = kernel, .declaration = declaration, .diags = diags};
	const uint32_t before = diags->errors;
	*out = (JitDeclaredList){.count = 1};
	diags->sources = &kernel->module->sources;
	x.base = base ? *base : (JitOptions){0};
	x.params = ARENA_ARRAY(x.arena, Choices, kernel->info->param_count + 1);
	if (!read_options(&x) || !read_params(&x) || diags->errors != before)
		return JIT_ARGUMENT;
	replace_targets(&x, targets, target_count);
	for (uint32_t i = 0; i < kernel->info->param_count; i++)
		count_axis(out, x.arena, kernel->info->params[i].name, x.params[i].len);
	for (uint32_t i = 0; i < x.options.len; i++)
		count_axis(out, x.arena, x.options.data[i].name, x.options.data[i].values.len);
	if (!few_enough(&x, out, most))
		return JIT_ARGUMENT;
	for (uint64_t i = 0; i < out->count; i++)
		vec_push(x.arena, &out->all, variant_at(&x, i, x.arena));
	return JIT_OK;
}

/* ---- what a line says of parameters ---- */

JitStatus jit_declared_control(JitKernel *kernel, const JitDeclaration *declaration, DiagList *diags)
{
	Expanding x = {.arena = diags->arena, .kernel = kernel, .declaration = declaration, .diags = diags};
	JitEntries items = {0};
	/* Words of one parameter have "," between, as parameters have: what has no name belongs to
	 * the one before. */
	jit_split(x.arena, declaration->params, &items);
	const char *param = NULL;
	for (uint32_t i = 0; i < items.len; i++) {
		Str words = items.data[i];
		if (!param || memchr(words.ptr, ':', words.len)) {
			const int64_t number = named(&x, items.data[i], &words);
			if (number < 0)
				return JIT_ARGUMENT;
			param = kernel->info->params[number].name;
		}
		const JitStatus status = jit_kernel_control(kernel, param, text_of(&x, words), diags);
		if (status != JIT_OK)
			return status;
	}
	return JIT_OK;
}
