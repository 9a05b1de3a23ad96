/* Layouts as people read them: text of a layout, or an encoding of TTGIR on a type. */
#include "codegen/layout_text.h"

#include "gpu/layout/encoding.h"
#include "ir/text/text.h"
#include "layout/plan.h"

typedef struct Shower {
	Arena *arena;
	GpuCx gpu;
	IrCx ir;
	SourceSet sources;
	DiagList *diags;
	unsigned element_bits;
} Shower;

static bool refuse(Shower *s, const char *what, size_t at, const char *error)
{
	diag_add_at(s->diags, what, (LineCol){1, (uint32_t)at + 1}, DIAG_CODEGEN_TEXT, error);
	return false;
}

/* 16x32xf16, also as tensor<...>. */
static const char *bare_type(Shower *s, const char *type)
{
	size_t len = strlen(type), word = strlen("tensor<");
	if (strncmp(type, "tensor<", word) != 0 || type[len - 1] != '>')
		return type;
	return arena_strndup(s->arena, type + word, len - word - 1);
}

/* The one argument of a function of this text, in which the encoding is spelled. */
static IrType read_type_text(Shower *s, const char *type)
{
	const char *text = arena_printf(s->arena, "tt.func @layout(%%tile: %s) {\n  tt.return\n}\n", type);
	DiagList found;
	diag_init(&found, s->arena, &s->sources);
	IrModule *m = ir_read(&s->ir, source_add(&s->sources, "layout", text, strlen(text), 1), &found);
	if (!m) {
		refuse(s, "layout", 0, found.first ? found.first->text : "it is no type");
		return NULL;
	}
	return ir_func_body(ir_module_block(m)->first)->args[0]->type;
}

static const Layout *encoding_layout(Shower *s, const char *encoding, const char *type)
{
	const char *error = NULL;
	if (!type) {
		refuse(s, "layout", 0, "an encoding wants a type: --type 16x32xf16");
		return NULL;
	}
	bool memory = strstr(encoding, "shared") != NULL;
	IrType t = read_type_text(s, arena_printf(s->arena,
						  memory ? "!ttg.memdesc<%s, %s, #ttg.shared_memory, mutable>"
							 : "tensor<%s, %s>",
						  bare_type(s, type), encoding));
	if (!t)
		return NULL;
	const Layout *layout = gpu_layout_checked(&s->gpu, t, &error);
	if (!layout)
		refuse(s, "layout", 0, error);
	s->element_bits = MAX(ir_is_ptr(t->elem) ? 64 : t->elem->bits, 8u);
	return layout;
}

static const Layout *parse(Shower *s, const char *text, const char *type)
{
	const char *error;
	size_t at;
	if (*text == '#')
		return encoding_layout(s, text, type);
	const Layout *layout = layout_parse(&s->gpu.layouts, str_of(text), &error, &at);
	if (!layout)
		refuse(s, "layout", at, error);
	return layout;
}

/* Both are of one tile, held by equally many threads. */
static bool goes_with(Shower *s, const Layout *from, const Layout *to)
{
	static const LayoutName names[] = {LAYOUT_LANE, LAYOUT_WARP, LAYOUT_BLOCK};
	bool ok = layout_space_equal(&from->out, &to->out) && layout_space_find(&from->in, LAYOUT_REGISTER) &&
		  layout_space_find(&to->in, LAYOUT_REGISTER);
	for (size_t i = 0; ok && i < ARRAY_LEN(names); i++)
		ok = layout_in_bits(from, names[i]) == layout_in_bits(to, names[i]);
	ok = ok && layout_is_onto(from) && layout_is_onto(to);
	return ok ||
	       refuse(s, "layout", 0,
		      "the two must be layouts of one tile, whole, on equally many lanes, warps and CTAs");
}

bool codegen_layout(Arena *arena, const char *text, const char *to_text, const char *type,
		    const TargetGpu *target, Text *out, DiagList *diags)
{
	Shower *s = ARENA_NEW(arena, Shower);
	*s = (Shower){.arena = arena, .diags = diags, .element_bits = 32};
	source_set_init(&s->sources, arena);
	ir_cx_init(&s->ir, arena);
	gpu_cx_init(&s->gpu, &s->ir, target ? target : target_find("sm_90a"), 4, 1, 3);
	const Layout *layout = parse(s, text, type), *to = layout && to_text ? parse(s, to_text, type) : NULL;
	if (!layout || (to_text && !to))
		return false;
	if (to) {
		if (!goes_with(s, layout, to))
			return false;
		layout_plan_print(
			out, layout_plan(&s->gpu.layouts, layout, to, s->element_bits, &s->gpu.plan_target));
		return true;
	}
	layout_print(out, layout);
	text_str(out, "\n");
	layout_print_table(out, layout);
	return true;
}
