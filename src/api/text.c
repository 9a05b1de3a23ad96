/* Texts that the library makes: stages of a variant, IR through passes; and what it says of a function's text. */
#include "api/inner.h"

#include <stdlib.h>

#include "ir/pass.h"

/* A copy that the caller owns. */
char *api_bytes(const void *bytes, size_t len)
{
	char *copy = malloc(len + 1);
	if (!copy)
		fault_raise(FAULT_MEMORY, "out of memory (%zu bytes asked for)", len);
	if (len)
		memcpy(copy, bytes, len);
	copy[len] = '\0';
	return copy;
}

static char *own_text(const Text *text)
{
	return api_bytes(text->data, text->len);
}

void neso_text_free(char *text)
{
	free(text);
}

typedef struct StageArgs {
	const neso_variant *variant;
	const char *stage;
	char **out;
} StageArgs;

static neso_status stage_text(ApiCall *call, void *data)
{
	const StageArgs *args = data;
	if (!args->variant || !args->stage || !args->out)
		return api_usage(call, "neso_variant_text wants a variant, a stage, and a place for the text");
	Text text;
	text_init(&text, &call->arena);
	JitStatus status = jit_variant_text(api_jit_variant(args->variant), args->stage, &text, &call->diags);
	if (status == JIT_OK)
		*args->out = own_text(&text);
	return api_status(status);
}

neso_status neso_variant_text(const neso_variant *variant, const char *stage, char **text,
			      neso_diagnostics **diagnostics)
{
	StageArgs args = {variant, stage, text};
	if (text)
		*text = NULL;
	return api_run(NULL, diagnostics, stage_text, &args);
}

typedef struct IrArgs {
	neso_context *context;
	const char *path, *text;
	size_t length;
	const neso_ir_options *options;
	char **out;
} IrArgs;

static neso_status ir_run(ApiCall *call, void *data)
{
	const IrArgs *args = data;
	neso_ir_options options;
	if (!args->context || !args->path || !args->text || !args->out)
		return api_usage(call, "neso_ir_run wants a context, a path, text, and a place for the result");
	if (!api_read_struct(call, &options, sizeof options, args->options, "neso_ir_options"))
		return NESO_ERROR_USAGE;
	if (options.pass_count && !options.passes)
		return api_usage(call, "neso_ir_options.passes is NULL");
	Text text;
	text_init(&text, &call->arena);
	JitIrOptions jit = {
		.passes = options.passes,
		.pass_count = (uint32_t)options.pass_count,
		.stop_after = options.stop_after,
		.verify_each = options.verify_each,
		.stress = options.stress,
		.no_locations = options.no_locations,
		.no_verify = options.no_verify,
		.target = options.target,
		.num_warps = options.num_warps,
		.num_ctas = options.num_ctas,
		.num_stages = options.num_stages,
	};
	JitStatus status = jit_ir_run(&args->context->host, args->path, (Str){args->text, args->length}, &jit, &text,
				      &call->diags);
	if (status == JIT_OK)
		*args->out = own_text(&text);
	return api_status(status);
}

neso_status neso_ir_run(neso_context *context, const char *path, const char *text, size_t length,
			const neso_ir_options *options, char **out, neso_diagnostics **diagnostics)
{
	IrArgs args = {context, path, text, length, options, out};
	if (out)
		*out = NULL;
	return api_run(context, diagnostics, ir_run, &args);
}

typedef struct Pass {
	const char *name, *doc; /* NULL: past the end */
	bool optional;
} Pass;

static Pass pass_at(size_t index)
{
	size_t count;
	const PassInfo *table = pass_table(&count);
	if (index < count)
		return (Pass){table[index].name, table[index].doc, pass_may_be_skipped(&table[index])};
	Pass pass = {0};
	pass.name = jit_codegen_pass(index - count, &pass.doc, &pass.optional);
	return pass;
}

const char *neso_ir_pass_name(size_t index)
{
	return pass_at(index).name;
}

const char *neso_ir_pass_doc(size_t index)
{
	return pass_at(index).doc;
}

bool neso_ir_pass_optional(size_t index)
{
	return pass_at(index).optional;
}

typedef struct LayoutArgs {
	neso_context *context;
	const char *layout, *to, *type, *target;
	char **out;
} LayoutArgs;

static neso_status layout_text(ApiCall *call, void *data)
{
	const LayoutArgs *args = data;
	if (!args->context || !args->layout || !args->out)
		return api_usage(call, "neso_layout_text wants a context, a layout, and a place for the text");
	Text text;
	text_init(&text, &call->arena);
	JitStatus status = jit_layout_text(args->layout, args->to, args->type, args->target, &text, &call->diags);
	if (status == JIT_OK)
		*args->out = own_text(&text);
	return api_status(status);
}

neso_status neso_layout_text(neso_context *context, const char *layout, const char *to, const char *type, const char *target,
			     char **out, neso_diagnostics **diagnostics)
{
	LayoutArgs args = {context, layout, to, type, target, out};
	if (out)
		*out = NULL;
	return api_run(context, diagnostics, layout_text, &args);
}

/* ---- remarks ---- */

typedef struct RemarkArgs {
	const neso_variant *variant;
	neso_remark_fn *each;
	void *data;
} RemarkArgs;

static void give_remark(ApiCall *call, const RemarkArgs *args, const Remark *r)
{
	static const neso_outcome outcomes[] = {
		[REMARK_DONE] = NESO_OUTCOME_DONE, [REMARK_MISSED] = NESO_OUTCOME_MISSED, [REMARK_FACT] = NESO_OUTCOME_FACT,
	};
	neso_figure *figures = ARENA_ARRAY(&call->arena, neso_figure, r->figure_count + 1);
	for (unsigned i = 0; i < r->figure_count; i++)
		figures[i] = (neso_figure){r->figures[i].name, r->figures[i].value};
	const neso_remark out = {
		.size = sizeof out,
		.kind = remark_kind(r->code),
		.rule = remark_rule(r->code),
		.outcome = outcomes[remark_outcome(r->code)],
		.path = r->path,
		.line = r->at.line,
		.column = r->at.col,
		.text = r->text,
		.advice = remark_advice(r->code),
		.times = r->times,
		.figures = figures,
		.figure_count = r->figure_count,
	};
	args->each(args->data, &out);
}

static neso_status remarks(ApiCall *call, void *data)
{
	const RemarkArgs *args = data;
	if (!args->variant || !args->each)
		return api_usage(call, "neso_variant_remarks wants a variant and a function to call");
	RemarkList list;
	remark_init(&list, &call->arena);
	JitStatus status = jit_variant_remarks(api_jit_variant(args->variant), &list, &call->diags);
	for (uint32_t i = 0; i < list.all.len && status == JIT_OK; i++)
		give_remark(call, args, &list.all.data[i]);
	return api_status(status);
}

neso_status neso_variant_remarks(const neso_variant *variant, neso_remark_fn *each, void *data,
				 neso_diagnostics **diagnostics)
{
	RemarkArgs args = {variant, each, data};
	return api_run(NULL, diagnostics, remarks, &args);
}

typedef struct NamesCall {
	Str text;
	neso_name_fn *each;
	void *data;
} NamesCall;

static neso_status names(ApiCall *call, void *data)
{
	static const neso_name_group groups[FRONT_NAMES__COUNT] = {
		[FRONT_NAMES_BOUND] = NESO_NAMES_BOUND,
		[FRONT_NAMES_EARLY] = NESO_NAMES_EARLY,
		[FRONT_NAMES_BODY] = NESO_NAMES_BODY,
		[FRONT_NAMES_HEAD] = NESO_NAMES_HEAD,
		[FRONT_NAMES_DEFAULTS] = NESO_NAMES_DEFAULTS,
	};
	const NamesCall *n = data;
	FrontNames found;
	if (!front_names(n->text, &call->arena, &found))
		return NESO_ERROR_SOURCE;
	for (int g = 0; g < FRONT_NAMES__COUNT; g++)
		for (uint32_t i = 0; i < found.count[g]; i++)
			n->each(n->data, groups[g], found.names[g][i]);
	return NESO_OK;
}

neso_status neso_names(const char *text, size_t len, neso_name_fn *each, void *data)
{
	if (!text || !each)
		return NESO_ERROR_USAGE;
	NamesCall call = {{text, len}, each, data};
	return api_run(NULL, NULL, names, &call);
}
