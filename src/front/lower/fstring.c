/* f-strings. Where all values are known they are text. Of values that run, print and assertions
 * take a template: each value is printed on a line of its own, behind the text before it. */
#include "front/core.h"
#include "front/tile/sem.h"

static const Val *field_value(FrontLower *low, const Ast *node)
{
	CONTRACT(node->kind == AST_FORMATTED);
	const Val *v = eval(low, node->formatted.value);
	return v->kind == VAL_TENSOR && v->origin ? v->origin : v;
}

static const Val *format_field(FrontLower *low, const Ast *node, const Val *v)
{
	if (v->kind == VAL_POISON)
		return v;
	if (v->kind == VAL_TENSOR) {
		lower_error(low, DIAG_NOT_CONSTEXPR, "a value in an f-string", val_describe(low, v));
		lower_note(low, "print, tl.device_print and assertions take f-strings of such values");
		return low->poison;
	}
	if (v->kind == VAL_OPAQUE)
		return low->frame->host ? v : lower_error(low, DIAG_VALUE_OPAQUE, v->opaque.why);
	const Val *spec = node->formatted.format_spec ? eval(low, node->formatted.format_spec) : NULL;
	if (spec && spec->kind != VAL_STR)
		return spec;
	return host_format(low, v, spec ? spec->s : (Str){"", 0}, node->formatted.conversion);
}

const Val *eval_joined(FrontLower *low, Ast *node)
{
	Text t;
	text_init(&t, low->arena);
	for (uint32_t i = 0; i < node->joined.values.len; i++) {
		Ast *part = node->joined.values.items[i];
		Span old = lower_at(low, part->span);
		bool field = part->kind == AST_FORMATTED;
		const Val *v = field ? format_field(low, part, field_value(low, part)) : eval(low, part);
		lower_restore(low, old);
		if (v->kind != VAL_STR)
			return v;
		text_add(&t, v->s.ptr, v->s.len);
	}
	return val_str(low, (Str){t.data ? t.data : "", t.len});
}

/* ---- templates ---- */

/* A value that runs, as a part; its source goes into the text. */
static bool add_running(FrontLower *low, const Ast *node, const Val *v, Template *t, Text *shown)
{
	if (node->formatted.format_spec) {
		lower_error(low, DIAG_UNSUPPORTED, "a format of a value that runs");
		lower_note(low, "{x} without a format prints it; hex=True of tl.device_print prints whole "
				"numbers as hexadecimal");
		return false;
	}
	if (!lower_extension(low, "f-string of values that run"))
		return false;
	Span old = lower_at(low, node->formatted.value->span);
	text_printf(shown, "{%s}", lower_source_text(low));
	lower_restore(low, old);
	vec_push(low->arena, &t->parts, v);
	t->runs = true;
	return true;
}

bool template_read(FrontLower *low, const Ast *node, Template *t)
{
	CONTRACT(node->kind == AST_JOINED_STR);
	Text shown;
	text_init(&shown, low->arena);
	text_str(&shown, "");
	*t = (Template){0};
	bool good = true;
	for (uint32_t i = 0; good && i < node->joined.values.len; i++) {
		Ast *part = node->joined.values.items[i];
		Span old = lower_at(low, part->span);
		const Val *v = part->kind == AST_FORMATTED ? field_value(low, part) : eval(low, part);
		if (v->kind == VAL_TENSOR) {
			good = add_running(low, part, v, t, &shown);
		} else {
			v = part->kind == AST_FORMATTED ? format_field(low, part, v) : v;
			good = v->kind == VAL_STR;
			if (good)
				text_add(&shown, v->s.ptr, v->s.len);
			vec_push(low->arena, &t->parts, v);
		}
		lower_restore(low, old);
	}
	t->shown = val_str(low, (Str){shown.data, shown.len});
	return good;
}

/* Prints texts and values that run; whole: also the text behind the last value. */
static const Val *print_parts(FrontLower *low, const ValVec *parts, bool hex, bool whole)
{
	Text text;
	text_init(&text, low->arena);
	text_str(&text, " ");
	for (size_t i = 0; i < parts->len; i++) {
		const Val *v = parts->data[i];
		if (v->kind != VAL_TENSOR) {
			text_str(&text, val_str_text(low, v));
			continue;
		}
		if (sem_print(low, text.data, &v, 1, hex)->kind == VAL_POISON)
			return low->poison;
		text_init(&text, low->arena);
		text_str(&text, " ");
	}
	return whole && text.len > 1 ? sem_print(low, text.data, NULL, 0, hex) : low->none;
}

static const Template *template_of(const TemplateVec *templates, const Val *v)
{
	for (size_t i = 0; i < templates->len; i++)
		if (templates->data[i].shown == v)
			return &templates->data[i];
	return NULL;
}

const Val *template_print(FrontLower *low, const CallArgs *args, const TemplateVec *templates)
{
	ValVec parts = {0};
	bool hex = false;
	for (uint32_t i = 0; i < args->arg_count; i++) {
		const Template *t = template_of(templates, args->args[i]);
		if (i)
			vec_push(low->arena, &parts, val_str(low, STR(" ")));
		for (size_t k = 0; t && k < t->parts.len; k++)
			vec_push(low->arena, &parts, t->parts.data[k]);
		if (!t)
			vec_push(low->arena, &parts, args->args[i]);
	}
	for (uint32_t i = 0; i < args->keyword_count; i++) {
		if (strcmp(args->names[i], "hex") != 0)
			return sem_call_with(low, "device_print", args);
		if (!sem_arg_bool(low, "tl.device_print", "hex", args->values[i], &hex))
			return low->poison;
	}
	return print_parts(low, &parts, hex, true);
}

static void print_step(FrontLower *low, void *data)
{
	const Template *t = data;
	print_parts(low, &t->parts, false, false);
}

bool template_assert(FrontLower *low, const Val *cond, const Template *t)
{
	if (!t->runs || !low->options->debug || cond->kind != VAL_TENSOR)
		return true;
	cond = sem_cast(low, cond, tl_scalar(low, DT_INT1));
	if (cond->kind == VAL_TENSOR && cond->tensor.type->kind == TL_BLOCK) {
		cond = sem_cast(low, cond, tl_scalar(low, DT_INT32));
		cond = cond->kind == VAL_POISON ? cond : sem_call(low, "min", &cond, 1);
		cond = cond->kind == VAL_POISON ? cond : sem_cast(low, cond, tl_scalar(low, DT_INT1));
	}
	if (cond->kind == VAL_POISON)
		return false;
	lower_unless(low, sem_ir(cond), print_step, (void *)(uintptr_t)t);
	return true;
}
