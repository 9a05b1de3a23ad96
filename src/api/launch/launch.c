/* Launching. What was launched on a GPU before takes no arena, no lock and no api_run: what was
 * found (again.c) says where each of the function's arguments lies in the caller's. */
#include "api/background.h"

/* ---- arguments of the GPU's function ---- */

static double double_of(const neso_value *v)
{
	if (v->kind == NESO_VALUE_FLOAT)
		return v->f;
	return v->is_unsigned ? (double)(uint64_t)v->i : (double)v->i;
}

static uint64_t number_bits(TlDtype dtype, const neso_value *v)
{
	const JitArg number = {
		.kind = v->kind == NESO_VALUE_FLOAT ? JIT_FLOAT : v->kind == NESO_VALUE_BOOL ? JIT_BOOL : JIT_INT,
		.i = v->i,
		.is_unsigned = v->is_unsigned,
		.f = v->f,
	};
	return jit_number_bits(&number, dtype);
}

static uint64_t made_bits(const JitFill *f, const neso_arg *args)
{
	if (f->arg == UINT32_MAX)
		return f->bits;
	const neso_arg *arg = &args[f->arg];
	switch (f->what) {
	case JIT_FILL_FLOAT: return jit_float_bits((TlDtype)f->dtype, double_of(&arg->value));
	case JIT_FILL_NUMBER: return number_bits((TlDtype)f->dtype, &arg->value);
	default: return arg->pad_nan;
	}
}

static const JitPlaces places = {
	.stride = sizeof(neso_arg),
	.of = {
		[JIT_FILL_INT] = offsetof(neso_arg, value.i), [JIT_FILL_ADDRESS] = offsetof(neso_arg, address),
		[JIT_FILL_SHAPE] = offsetof(neso_arg, shape), [JIT_FILL_STRIDE] = offsetof(neso_arg, strides),
		[JIT_FILL_FLOAT] = JIT_NO_PLACE, [JIT_FILL_NUMBER] = JIT_NO_PLACE, [JIT_FILL_PAD] = JIT_NO_PLACE,
	},
};

/* A launch takes most values from where the caller has them. bits: room for those that are made. */
static void fill_all(const JitDispatch *d, const neso_launch *launch, uint64_t *bits, void **params)
{
	char *args = (char *)(uintptr_t)launch->args; /* which nobody writes through params */
	for (uint32_t i = 0; i < d->place_count; i++)
		params[i] = args + d->places[i];
	for (uint32_t i = 0; i < d->made_count; i++) {
		bits[i] = made_bits(&d->made[i], launch->args);
		params[d->made[i].slot] = &bits[i];
	}
}

/* As nv_launch_plain. */
static int launch_again(const JitDispatch *dispatch, const neso_launch *launch)
{
	enum { USUAL = 128 };
	uint64_t bits[USUAL];
	void *params[USUAL + 1];
	if (dispatch->place_count > USUAL || dispatch->has_events)
		return NV_NOT_PLAIN;
	fill_all(dispatch, launch, bits, params);
	return nv_launch_plain(dispatch->function, launch->grid, launch->stream, params);
}

/* Does what is left after `result` of launch_again. */
static JitStatus launch_rest(const JitDispatch *dispatch, const neso_launch *launch, int result,
			     DiagList *diags)
{
	uint64_t *bits = ARENA_ARRAY(diags->arena, uint64_t, dispatch->made_count + 1);
	void **params = ARENA_ARRAY(diags->arena, void *, dispatch->place_count + 1);
	fill_all(dispatch, launch, bits, params);
	const JitLaunch again = {.grid = {launch->grid[0], launch->grid[1], launch->grid[2]}, .stream = launch->stream};
	return jit_gpu_launch(dispatch->variant, dispatch->function, result, &again, params,
			      diags);
}

/* ---- launches ---- */

typedef struct LaunchArgs {
	neso_kernel *kernel;
	const neso_variant *variant; /* or NULL */
	const neso_launch *launch;
	neso_launch_result *result;
	const ApiKey *key;        /* or NULL: not to be remembered */
	const JitDispatch *again; /* or NULL: the call is like none before */
	int again_result;         /* of launch_again */
} LaunchArgs;

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

/* The variant is held: the caller has it from here on, or nobody. */
static neso_status give_result(ApiCall *call, neso_launch_result *to, const JitResult *result)
{
	const bool given = write_result(to, result);
	if (!to || !given)
		jit_let_go(result->variant);
	return given ? NESO_OK : api_usage(call, "neso_launch_result.size is not set");
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
		JitStatus status = launch_rest(args->again, args->launch, args->again_result, &call->diags);
		result.variant = args->again->variant; /* as held as what was found */
		neso_status given = give_result(call, args->result, &result);
		return given == NESO_OK ? api_status(status) : given;
	}
	if (!api_read_struct(call, &launch, sizeof launch, args->launch, "neso_launch") ||
	    !api_read_options(call, launch.options, &options) || !api_read_launch(call, &launch, &jit) ||
	    !api_has_memory(call, &jit))
		return NESO_ERROR_USAGE;
	JitKey key;
	if (args->key) {
		key = api_jit_key(args->key);
		key.places = &places;
		key.rows = api_key_rows(&call->arena, args->key, args->kernel, args->launch, &key.row_words);
		jit.key = &key;
	}
	JitStatus status = args->variant
				   ? jit_launch_variant(api_jit_variant(args->variant), &jit, &result, &call->diags)
				   : jit_launch(args->kernel->jit, &jit, &options, &result, &call->diags);
	if (args->variant)
		jit_hold(result.variant);
	neso_status given = give_result(call, args->result, &result);
	return given == NESO_OK ? api_status(status) : given;
}

/* What was launched before needs nothing but its key: no arena, and nothing that a fault could leave. */
neso_status api_launch(neso_kernel *kernel, const neso_launch *launch, const JitDispatch *dispatch,
		       const ApiKey *by, neso_launch_result *result, neso_diagnostics **diagnostics)
{
	LaunchArgs args = {.kernel = kernel, .launch = launch, .result = result, .again = dispatch};
	ApiKey key;
	if (kernel && launch && !dispatch) {
		args.again = api_find_again(kernel, launch, &key);
		args.key = key.count ? &key : by && by->count ? by : NULL;
	}
	if (LIKELY(args.again != NULL)) {
		args.again_result = launch_again(args.again, launch);
		const JitResult done = {.variant = result ? args.again->variant : NULL};
		if (LIKELY(args.again_result == 0) && (!result || write_result(result, &done))) {
			if (diagnostics)
				*diagnostics = NULL;
			if (UNLIKELY(args.again->passes) && !result)
				jit_let_go(args.again->variant);
			return NESO_OK;
		}
	}
	return api_run(kernel ? kernel->module->context : NULL, diagnostics, run, &args);
}

neso_status neso_kernel_launch(neso_kernel *kernel, const neso_launch *launch, neso_launch_result *result,
			       neso_diagnostics **diagnostics)
{
	if (UNLIKELY(api_is_tiered(kernel, launch)))
		return api_tiered_launch(kernel, launch, result, diagnostics);
	return api_launch(kernel, launch, NULL, NULL, result, diagnostics);
}

neso_status neso_variant_launch(neso_variant *variant, const neso_launch *launch, neso_launch_result *result,
				neso_diagnostics **diagnostics)
{
	neso_kernel *kernel = variant ? jit_kernel_tag(jit_variant_kernel(api_jit_variant(variant))) : NULL;
	LaunchArgs args = {.kernel = kernel, .variant = variant, .launch = launch, .result = result};
	return api_run(kernel ? kernel->module->context : NULL, diagnostics, run, &args);
}
