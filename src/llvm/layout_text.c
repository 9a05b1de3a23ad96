/* Layouts as people read them. */
#include "llvm/layout_text.h"

#include "layout/plan.h"

static const Layout *parse(LayoutContext *cx, const char *text, DiagList *diags)
{
	const char *error;
	size_t at;
	const Layout *layout = layout_parse(cx, str_of(text), &error, &at);
	if (!layout)
		diag_add_at(diags, "layout", (LineCol){1, (uint32_t)at + 1}, DIAG_CODEGEN_TEXT, error);
	return layout;
}

bool codegen_layout(Arena *arena, const char *text, const char *to_text, const char *type, const TargetGpu *target, Text *out,
		    DiagList *diags)
{
	(void)type;
	LayoutContext cx;
	layout_context_init(&cx, arena);
	const Layout *layout = parse(&cx, text, diags), *to = layout && to_text ? parse(&cx, to_text, diags) : NULL;
	if (!layout || (to_text && !to))
		return false;
	if (to) {
		LayoutTarget plan = {.ldmatrix = true, .stmatrix = target && target_has(target, TARGET_STMATRIX)};
		layout_plan_print(out, layout_plan(&cx, layout, to, 32, &plan));
		return true;
	}
	layout_print(out, layout);
	text_str(out, "\n");
	layout_print_table(out, layout);
	return true;
}
