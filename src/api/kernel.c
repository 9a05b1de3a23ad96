/* Compiling, and what is to be known of variants. */
#include "api/inner.h"

/* ---- compile ---- */

typedef struct CompileArgs {
	neso_kernel *kernel;
	const char *signature;
	const neso_compile_options *options;
	const neso_launch *launch; /* NULL: by signature */
	bool by_launch;
	neso_variant **out;
} CompileArgs;

static neso_status compile(ApiCall *call, void *data)
{
	const CompileArgs *args = data;
	const JitVariant *variant;
	bool compiled;
	JitOptions options;
	JitStatus status;
	if (!args->kernel || !args->out || (args->by_launch ? !args->launch : !args->signature))
		return api_usage(call, "compiling wants a kernel, a signature or a launch, and a place for the variant");
	if (args->by_launch) {
		neso_launch launch;
		JitLaunch jit;
		ApiKey key;
		if (!api_read_struct(call, &launch, sizeof launch, args->launch, "neso_launch") ||
		    !api_read_launch(call, &launch, &jit) ||
		    !api_read_options(call, launch.options, &options))
			return NESO_ERROR_USAGE;
		jit_let_go(api_find(args->kernel, args->launch, &key));
		const JitKey jit_key = api_jit_key(&key);
		jit.key = key.count ? &jit_key : NULL;
		status = jit_compile_launch(args->kernel->jit, &jit, &options, &variant, &call->diags);
	} else {
		if (!api_read_options(call, args->options, &options))
			return NESO_ERROR_USAGE;
		status = jit_compile_signature(args->kernel->jit, args->signature, &options, &variant, &compiled,
					       &call->diags);
	}
	if (status == JIT_OK)
		*args->out = api_variant(variant);
	return api_status(status);
}

neso_status neso_kernel_compile(neso_kernel *kernel, const char *signature, const neso_compile_options *options,
				neso_variant **variant, neso_diagnostics **diagnostics)
{
	CompileArgs args = {.kernel = kernel, .signature = signature, .options = options, .out = variant};
	if (variant)
		*variant = NULL;
	return api_run(kernel ? kernel->module->context : NULL, diagnostics, compile, &args);
}

neso_status neso_kernel_compile_for(neso_kernel *kernel, const neso_launch *launch, neso_variant **variant,
				    neso_diagnostics **diagnostics)
{
	CompileArgs args = {.kernel = kernel, .launch = launch, .by_launch = true, .out = variant};
	if (variant)
		*variant = NULL;
	return api_run(kernel ? kernel->module->context : NULL, diagnostics, compile, &args);
}

neso_variant *neso_kernel_find(const neso_kernel *kernel, const neso_launch *launch)
{
	ApiKey key;
	return kernel && launch ? api_variant(api_find(kernel, launch, &key)) : NULL;
}

void neso_variant_hold(neso_variant *variant)
{
	if (variant)
		jit_hold(api_jit_variant(variant));
}

void neso_variant_release(neso_variant *variant)
{
	if (variant)
		jit_let_go(api_jit_variant(variant));
}

/* ---- constexprs ---- */

typedef struct ClassifyArgs {
	neso_kernel *kernel;
	const char *signature;
	const neso_compile_options *options;
	neso_constexpr_fn *each;
	void *data;
} ClassifyArgs;

static neso_status classify(ApiCall *call, void *data)
{
	const ClassifyArgs *args = data;
	JitOptions options;
	const FrontClassed *classed;
	const char *guessed;
	if (!args->kernel || !args->each)
		return api_usage(call, "neso_kernel_classify wants a kernel and a function to call");
	if (!api_read_options(call, args->options, &options))
		return NESO_ERROR_USAGE;
	JitStatus status = jit_classify_signature(args->kernel->jit, args->signature, &options, &classed, &guessed, &call->diags);
	const FrontInfo *info = jit_kernel_info(args->kernel->jit);
	for (uint32_t i = 0; status == JIT_OK && i < info->param_count; i++) {
		const neso_constexpr found = {
			.size = sizeof found,
			.parameter = i,
			.numeric = classed[i].numeric,
			.path = classed[i].path,
			.line = classed[i].at.line,
			.column = classed[i].at.col,
			.reason = classed[i].numeric ? NULL : classed[i].reason,
			.signature = guessed ? guessed : args->signature,
		};
		if (info->params[i].is_constexpr)
			args->each(args->data, &found);
	}
	return api_status(status);
}

neso_status neso_kernel_classify(neso_kernel *kernel, const char *signature, const neso_compile_options *options,
				 neso_constexpr_fn *each, void *data, neso_diagnostics **diagnostics)
{
	ClassifyArgs args = {kernel, signature, options, each, data};
	return api_run(kernel ? kernel->module->context : NULL, diagnostics, classify, &args);
}

typedef struct GuessArgs {
	neso_kernel *kernel;
	const neso_compile_options *options;
	char **signature;
} GuessArgs;

static neso_status guess(ApiCall *call, void *data)
{
	const GuessArgs *args = data;
	JitOptions options;
	const char *guessed = "";
	if (!args->kernel || !args->signature)
		return api_usage(call, "neso_kernel_guess_signature wants a kernel and room for a text");
	if (!api_read_options(call, args->options, &options))
		return NESO_ERROR_USAGE;
	JitStatus status = jit_guess_signature(args->kernel->jit, &options, &guessed, &call->diags);
	*args->signature = status == JIT_OK ? strdup(guessed) : NULL;
	return status == JIT_OK && !*args->signature ? NESO_ERROR_MEMORY : api_status(status);
}

neso_status neso_kernel_guess_signature(neso_kernel *kernel, const neso_compile_options *options,
					char **signature, neso_diagnostics **diagnostics)
{
	GuessArgs args = {kernel, options, signature};
	if (signature)
		*signature = NULL;
	return api_run(kernel ? kernel->module->context : NULL, diagnostics, guess, &args);
}

/* ---- variants ---- */

const char *neso_variant_key(const neso_variant *variant)
{
	return variant ? jit_variant_key(api_jit_variant(variant)) : NULL;
}

neso_kernel *neso_variant_kernel(const neso_variant *variant)
{
	return variant ? jit_kernel_tag(jit_variant_kernel(api_jit_variant(variant))) : NULL;
}

const void *neso_variant_binary(const neso_variant *variant, const char *stage, size_t *size)
{
	JitVariantInfo info = {0};
	if (variant && stage && strcmp(stage, "cubin") == 0)
		jit_variant_info(api_jit_variant(variant), &info);
	if (size)
		*size = info.cubin_len;
	return info.cubin;
}

const char *neso_step_name(size_t step)
{
	return step < JIT_STEP__COUNT ? jit_step_names[step] : NULL;
}

neso_status neso_variant_get_info(const neso_variant *variant, neso_variant_info *to)
{
	_Static_assert((int)NESO_STEPS == (int)JIT_STEP__COUNT, "the same steps");
	if (!variant || !to)
		return NESO_ERROR_USAGE;
	JitVariantInfo info;
	jit_variant_info(api_jit_variant(variant), &info);
	neso_variant_info out = {
		.size = sizeof out,
		.target = info.target,
		.num_warps = info.options.num_warps,
		.num_stages = info.options.num_stages,
		.num_ctas = info.options.num_ctas,
		.maxnreg = info.options.maxnreg,
		.threads = info.threads,
		.shared = info.shared,
		.scratch = info.scratch,
		.registers = info.registers,
		.stack = info.stack,
		.spill_stores = info.spill_stores,
		.spill_loads = info.spill_loads,
		.assembler = info.assembler,
		.log = info.log,
		.reason = info.reason,
		.cache = info.cache,
		.cache_key = info.cache_key,
		.store_seconds = info.store_seconds,
		.maps = info.maps,
	};
	memcpy(out.seconds, info.seconds, sizeof out.seconds);
	return api_write_struct(to, &out, sizeof out) ? NESO_OK : NESO_ERROR_USAGE;
}
