/* Declarations: files of them, the variants that they stand for, what is concluded from arguments,
 * strict mode. */
#include "api/inner.h"
#include "jit/declare/declare.h"
#include "neso/declare.h"

#include "base/os.h"

enum { MOST_VARIANTS = 4096 };

/* ---- files ---- */

typedef struct ReadArgs {
	const char *file, *text;
	neso_declaration_fn *each;
	void *data;
} ReadArgs;

const char *api_declared_path(Arena *arena, const JitDeclaration *declaration)
{
	if (declaration->path[0] == '/' || strchr(declaration->file, '/') == NULL)
		return declaration->path;
	return os_path_join(arena, os_path_dir(arena, declaration->file), declaration->path);
}

static neso_status read_file(ApiCall *call, void *data)
{
	const ReadArgs *args = data;
	JitDeclarations all = {0};
	if (!args->file || !args->each)
		return api_usage(call, "neso_declarations_read wants a file's name and a function to call");
	const Str text = str_of(args->text ? args->text : "");
	const bool good = jit_declarations_read(&call->arena, args->file, args->text ? &text : NULL, &all,
						&call->diags);
	for (uint32_t i = 0; good && i < all.len; i++) {
		const JitDeclaration *d = &all.data[i];
		const neso_declaration out = {
			.size = sizeof out,
			.file = d->file,
			.line = d->line,
			.path = api_declared_path(&call->arena, d),
			.kernel = d->kernel,
			.text = d->text,
			.is_control = d->is_control,
		};
		args->each(args->data, &out);
	}
	return good ? NESO_OK : NESO_ERROR_SOURCE;
}

neso_status neso_declarations_read(neso_context *context, const char *file, const char *text,
				   neso_declaration_fn *each, void *data, neso_diagnostics **diagnostics)
{
	ReadArgs args = {file, text, each, data};
	return api_run(context, diagnostics, read_file, &args);
}

/* ---- what a line stands for ---- */

static neso_compile_options options_of(const JitOptions *o)
{
	return (neso_compile_options){
		.size = sizeof(neso_compile_options),
		.num_warps = o->num_warps,
		.num_stages = o->num_stages,
		.num_ctas = o->num_ctas,
		.maxnreg = o->maxnreg,
		.target = o->target,
		.debug = o->debug,
		.no_overflow_checks = o->no_overflow_checks,
		.no_specialize = o->no_specialize,
		.no_gpu_limits = o->no_gpu_limits,
		.dot_precision = o->dot_precision,
		.no_fp_fusion = o->no_fp_fusion,
		.no_reflect_ftz = o->no_reflect_ftz,
		.strict_triton = o->strict,
		.wide_offsets = o->wide_offsets,
		.no_line_info = o->no_line_info,
		.ptx_version = o->ptx_version,
		.cooperative = o->cooperative,
		.dependent_launch = o->dependent,
		.constexpr_policy = (neso_constexpr_policy)o->policy,
		.symbol = o->symbol,
		.compile_timeout = o->seconds,
		.poll = o->ask,
		.poll_data = o->ask_data,
	};
}

typedef struct DeclaredArgs {
	neso_kernel *kernel;
	const char *declaration;
	const neso_declare_options *options;
	neso_declared_fn *each;
	void *data;
} DeclaredArgs;

static const char *axes_text(Arena *arena, const JitDeclaredList *list, const JitAxis **most)
{
	Text text;
	text_init(&text, arena);
	*most = NULL;
	for (uint32_t i = 0; i < list->axes.len; i++) {
		const JitAxis *axis = &list->axes.data[i];
		text_printf(&text, "%s%s %llu", i ? ", " : "", axis->name, (unsigned long long)axis->count);
		*most = !*most || axis->count > (*most)->count ? axis : *most;
	}
	return text.data ? text.data : "";
}

static void give(ApiCall *call, const DeclaredArgs *args, const JitDeclaredList *list)
{
	const JitAxis *most;
	const char *axes = axes_text(&call->arena, list, &most);
	for (uint32_t i = 0; i < list->all.len && args->each; i++) {
		const neso_compile_options options = options_of(&list->all.data[i].options);
		const neso_declared out = {
			.size = sizeof out,
			.signature = list->all.data[i].signature,
			.options = &options,
			.index = i,
			.count = list->count,
			.axes = axes,
			.multiplier = most ? most->name : NULL,
			.multiplier_values = most ? most->count : 0,
		};
		args->each(args->data, &out);
	}
}

neso_status api_control(ApiCall *call, neso_kernel *kernel, const JitDeclaration *line)
{
	const JitStatus status = jit_declared_control(kernel->jit, line, &call->diags);
	api_param_flags(kernel->jit, kernel->params);
	return api_status(status);
}

static neso_status declared(ApiCall *call, void *data)
{
	const DeclaredArgs *args = data;
	neso_declare_options options;
	JitDeclarations lines = {0};
	JitDeclaredList list;
	JitOptions base;
	if (!args->kernel || !args->declaration)
		return api_usage(call, "neso_kernel_declared wants a kernel and a declaration");
	if (!api_read_struct(call, &options, sizeof options, args->options, "neso_declare_options") ||
	    !api_read_options(call, options.options, &base))
		return NESO_ERROR_USAGE;
	if (options.target_count && !options.targets)
		return api_usage(call, "neso_declare_options.targets is NULL");
	const Str text = str_of(args->declaration);
	if (!jit_declarations_read(&call->arena, options.file ? options.file : "declaration", &text, &lines,
				   &call->diags))
		return NESO_ERROR_SOURCE;
	if (lines.len != 1)
		return api_usage(call, "a declaration is one line, and not %u", (unsigned)lines.len);
	JitDeclaration *line = &lines.data[0];
	line->line = options.line ? options.line : line->line;
	if (line->is_control)
		return api_control(call, args->kernel, line);
	const JitStatus status =
		jit_declared(args->kernel->jit, line, &base, options.targets, (uint32_t)options.target_count,
			     options.most ? options.most : MOST_VARIANTS, &list, &call->diags);
	if (status == JIT_OK)
		give(call, args, &list);
	return api_status(status);
}

neso_status neso_kernel_declared(neso_kernel *kernel, const char *declaration,
				 const neso_declare_options *options, neso_declared_fn *each, void *data,
				 neso_diagnostics **diagnostics)
{
	DeclaredArgs args = {kernel, declaration, options, each, data};
	return api_run(kernel ? kernel->module->context : NULL, diagnostics, declared, &args);
}

/* ---- single parameters ---- */

typedef struct ControlArgs {
	neso_kernel *kernel;
	const char *parameter, *words;
} ControlArgs;

static neso_status control(ApiCall *call, void *data)
{
	const ControlArgs *args = data;
	if (!args->kernel || !args->parameter || !args->words)
		return api_usage(call, "neso_kernel_control wants a kernel, a parameter and words");
	const JitStatus status =
		jit_kernel_control(args->kernel->jit, args->parameter, args->words, &call->diags);
	api_param_flags(args->kernel->jit, args->kernel->params);
	return api_status(status);
}

neso_status neso_kernel_control(neso_kernel *kernel, const char *parameter, const char *words,
				neso_diagnostics **diagnostics)
{
	ControlArgs args = {kernel, parameter, words};
	return api_run(kernel ? kernel->module->context : NULL, diagnostics, control, &args);
}

typedef struct LineArgs {
	const neso_variant *variant;
	char **text;
} LineArgs;

static neso_status line_of(ApiCall *call, void *data)
{
	const LineArgs *args = data;
	if (!args->variant || !args->text)
		return api_usage(call, "neso_variant_declaration wants a variant and a place for the text");
	const char *line = jit_declaration(&call->arena, api_jit_variant(args->variant), NULL);
	if (line)
		*args->text = api_bytes(line, strlen(line));
	return NESO_OK;
}

neso_status neso_variant_declaration(const neso_variant *variant, char **text, neso_diagnostics **diagnostics)
{
	LineArgs args = {variant, text};
	if (text)
		*text = NULL;
	return api_run(NULL, diagnostics, line_of, &args);
}

/* ---- strict mode ---- */

neso_status neso_kernel_set_strict(neso_kernel *kernel, neso_strict strict)
{
	if (!kernel || (unsigned)strict > NESO_STRICT_OFF)
		return NESO_ERROR_USAGE;
	jit_kernel_set_strict(kernel->jit, (JitStrict)strict);
	return NESO_OK;
}

neso_status neso_context_set_strict(neso_context *context, neso_strict strict)
{
	if (!context || (unsigned)strict > NESO_STRICT_OFF)
		return NESO_ERROR_USAGE;
	context->host.no_compile = (JitStrict)strict;
	return NESO_OK;
}
