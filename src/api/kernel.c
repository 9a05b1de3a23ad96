/* Compiling and launching. */
#include "api/inner.h"

#include <stdlib.h>

bool api_read_options(ApiCall *call, const neso_compile_options *given, JitOptions *out)
{
	neso_compile_options options;
	if (!api_read_struct(call, &options, sizeof options, given, "neso_compile_options"))
		return false;
	*out = (JitOptions){
		.num_warps = options.num_warps,
		.num_stages = options.num_stages,
		.num_ctas = options.num_ctas,
		.maxnreg = options.maxnreg,
		.target = options.target,
		.debug = options.debug,
		.no_specialize = options.no_specialize,
		.no_gpu_limits = options.no_gpu_limits,
		.dot_precision = options.dot_precision,
		.no_fp_fusion = options.no_fp_fusion,
		.no_line_info = options.no_line_info,
		.ptx_version = options.ptx_version,
		.cooperative = options.cooperative,
		.dependent = options.dependent_launch,
		.ptx_only = options.ptx_only,
		.policy = (JitPolicy)options.constexpr_policy,
	};
	if ((unsigned)options.constexpr_policy <= NESO_POLICY_GENERIC)
		return true;
	api_usage(call, "neso_compile_options.constexpr_policy is %d", (int)options.constexpr_policy);
	return false;
}

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
		JitArg *jit_args;
		if (!api_read_struct(call, &launch, sizeof launch, args->launch, "neso_launch") ||
		    !api_read_args(call, &launch, &jit_args) || !api_read_options(call, launch.options, &options))
			return NESO_ERROR_USAGE;
		status = jit_compile_args(args->kernel->jit, jit_args, (uint32_t)launch.arg_count, &options, &variant,
					  &compiled, &call->diags);
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

/* ---- launch ---- */

typedef struct LaunchArgs {
	neso_kernel *kernel;
	const neso_variant *variant; /* or NULL */
	const neso_launch *launch;
	neso_launch_result *result;
	const ApiKey *key;        /* or NULL: not to be remembered */
	const JitDispatch *again; /* or NULL: the call is like none before */
	int again_result;         /* of api_launch_again */
} LaunchArgs;

static bool read_launch(ApiCall *call, const neso_launch *launch, JitLaunch *out)
{
	JitArg *args;
	if (!api_read_args(call, launch, &args))
		return false;
	if (launch->buffer_count && !launch->buffers) {
		api_usage(call, "neso_launch.buffers is NULL");
		return false;
	}
	InterpBuffer *buffers = ARENA_ARRAY(&call->arena, InterpBuffer, launch->buffer_count + 1);
	for (size_t i = 0; i < launch->buffer_count; i++)
		buffers[i] = (InterpBuffer){"buffer", launch->buffers[i].address, launch->buffers[i].bytes,
					    launch->buffers[i].access == NESO_READ_WRITE};
	*out = (JitLaunch){
		.args = args,
		.arg_count = (uint32_t)launch->arg_count,
		.grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
		.buffers = buffers,
		.buffer_count = (uint32_t)launch->buffer_count,
		.threads = launch->threads,
		.timeout = launch->timeout,
		.poll = launch->poll,
		.poll_data = launch->poll_data,
		.stream = launch->stream,
		.check = launch->check,
		.schedules = launch->schedules,
	};
	return true;
}

static bool write_result(neso_launch_result *to, const JitResult *result)
{
	const neso_launch_result out = {
		.size = sizeof out,
		.variant = api_variant(result->variant),
		.compiled = result->compiled,
		.compile_seconds = result->compile_seconds,
		.run_seconds = result->run_seconds,
	};
	return !to || api_write_struct(to, &out, sizeof out);
}

static neso_status give_result(ApiCall *call, neso_launch_result *to, const JitResult *result)
{
	return write_result(to, result) ? NESO_OK : api_usage(call, "neso_launch_result.size is not set");
}

static neso_status run(ApiCall *call, void *data)
{
	const LaunchArgs *args = data;
	neso_launch launch;
	JitLaunch jit;
	JitOptions options;
	JitResult result = {0};
	if (!args->kernel || !args->launch)
		return api_usage(call, "a launch wants a kernel and a neso_launch");
	if (args->again) {
		JitStatus status = api_launch_rest(args->again, args->launch, args->again_result, &call->diags);
		result.variant = args->again->variant;
		neso_status given = give_result(call, args->result, &result);
		return given == NESO_OK ? api_status(status) : given;
	}
	if (!api_read_struct(call, &launch, sizeof launch, args->launch, "neso_launch") ||
	    !api_read_options(call, launch.options, &options) || !read_launch(call, &launch, &jit))
		return NESO_ERROR_USAGE;
	if (args->key) {
		jit.key = args->key->words;
		jit.key_count = args->key->count;
		jit.key_hash = args->key->hash;
		jit.key_set = args->key->demoted;
		jit.key_places = &api_places;
		jit.key_rows = api_key_rows(&call->arena, args->key, args->kernel, args->launch, &jit.key_row_words);
	}
	JitStatus status = args->variant
				   ? jit_launch_variant(api_jit_variant(args->variant), &jit, &result, &call->diags)
				   : jit_launch(args->kernel->jit, &jit, &options, &result, &call->diags);
	neso_status given = give_result(call, args->result, &result);
	return given == NESO_OK ? api_status(status) : given;
}

/* What was launched before needs nothing but its key: no arena, and nothing that a fault could leave. */
neso_status neso_kernel_launch(neso_kernel *kernel, const neso_launch *launch, neso_launch_result *result,
			       neso_diagnostics **diagnostics)
{
	LaunchArgs args = {.kernel = kernel, .launch = launch, .result = result};
	ApiKey key;
	if (kernel && launch) {
		args.again = api_find_again(kernel, launch, &key);
		args.key = key.count ? &key : NULL;
	}
	if (LIKELY(args.again != NULL)) {
		args.again_result = api_launch_again(args.again, launch);
		const JitResult done = {.variant = result ? args.again->variant : NULL};
		if (LIKELY(args.again_result == 0) && (!result || write_result(result, &done))) {
			if (diagnostics)
				*diagnostics = NULL;
			return NESO_OK;
		}
	}
	return api_run(kernel ? kernel->module->context : NULL, diagnostics, run, &args);
}

neso_status neso_variant_launch(neso_variant *variant, const neso_launch *launch, neso_launch_result *result,
				neso_diagnostics **diagnostics)
{
	neso_kernel *kernel = variant ? jit_kernel_tag(jit_variant_kernel(api_jit_variant(variant))) : NULL;
	LaunchArgs args = {.kernel = kernel, .variant = variant, .launch = launch, .result = result};
	return api_run(kernel ? kernel->module->context : NULL, diagnostics, run, &args);
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
	};
	memcpy(out.seconds, info.seconds, sizeof out.seconds);
	return api_write_struct(to, &out, sizeof out) ? NESO_OK : NESO_ERROR_USAGE;
}
