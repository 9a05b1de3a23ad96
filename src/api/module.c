/* Modules and kernels: handles around those of jit. */
#include "api/background.h"

#include <stdlib.h>

typedef struct LoadArgs {
	neso_context *context;
	const char *path;
	const char *text; /* NULL: from the file */
	size_t length;
	bool from_text, is_ir;
	neso_module **out;
} LoadArgs;

void api_param_flags(const JitKernel *jit, uint8_t *flags)
{
	const FrontInfo *info = jit_kernel_info(jit);
	for (uint32_t i = 0; i < info->param_count; i++)
		flags[i] = (uint8_t)((info->params[i].is_constexpr ? API_PARAM_CONSTEXPR : 0) |
				     (info->params[i].dtype ? API_PARAM_TYPED : 0) |
				     (info->params[i].div8 ? API_PARAM_DIV8 | API_PARAM_DIV8_INT : 0) |
				     (info->params[i].div8_int ? API_PARAM_DIV8_INT : 0));
}

static neso_kernel wrap_kernel(neso_module *module, JitKernel *jit)
{
	const FrontInfo *info = jit_kernel_info(jit);
	uint8_t *params = ARENA_ARRAY(&module->arena, uint8_t, info->param_count + 1);
	api_param_flags(jit, params);
	return (neso_kernel){.module = module, .jit = jit, .param_count = info->param_count, .params = params,
			    .policy = module->context->host.policy};
}

static void wrap(neso_module *module, neso_context *context, JitModule *jit)
{
	module->context = context;
	module->kernel_count = jit_module_kernels(jit);
	module->kernels = ARENA_ARRAY(&module->arena, neso_kernel, module->kernel_count + 1);
	for (size_t i = 0; i < module->kernel_count; i++) {
		JitKernel *kernel = jit_module_kernel(jit, (uint32_t)i);
		module->kernels[i] = wrap_kernel(module, kernel);
		jit_kernel_set_tag(kernel, &module->kernels[i]);
	}
}

static neso_status load(ApiCall *call, void *data)
{
	const LoadArgs *args = data;
	if (!args->context || !args->path || !args->out || (args->from_text && !args->text && args->length))
		return api_usage(call, "a module needs a context, a path, text, and a place for the handle");
	Str text = {args->text ? args->text : "", args->length};
	Arena arena;
	arena_init(&arena, 0);
	neso_module *module = ARENA_NEW(&arena, neso_module);
	module->arena = arena;
	Fault fault;
	if (FAULT_TRY(&fault)) {
		JitModule *(*make)(const JitHost *, const char *, const Str *, DiagList *) = args->is_ir ? jit_module_load_ir
												     : jit_module_load;
		module->jit = make(&args->context->host, args->path, args->from_text ? &text : NULL, &call->diags);
		if (module->jit)
			wrap(module, args->context, module->jit);
		fault_leave(&fault);
	}
	if (module->jit && fault.kind == FAULT_NONE) {
		atomic_fetch_add(&args->context->users, 1);
		pthread_mutex_lock(&args->context->modules_lock);
		module->next = args->context->modules;
		args->context->modules = module;
		pthread_mutex_unlock(&args->context->modules_lock);
		*args->out = module;
		return NESO_OK;
	}
	jit_module_free(module->jit);
	arena = module->arena;
	arena_free(&arena);
	if (fault.kind != FAULT_NONE)
		fault_raise(fault.kind, "%s", fault.text);
	return NESO_ERROR_SOURCE;
}

neso_status neso_module_load_file(neso_context *context, const char *path, neso_module **module,
				  neso_diagnostics **diagnostics)
{
	LoadArgs args = {.context = context, .path = path, .out = module};
	if (module)
		*module = NULL;
	return api_run(context, diagnostics, load, &args);
}

neso_status neso_module_load_text(neso_context *context, const char *path, const char *text, size_t length,
				  neso_module **module, neso_diagnostics **diagnostics)
{
	LoadArgs args = {.context = context, .path = path, .text = text, .length = length, .from_text = true, .out = module};
	if (module)
		*module = NULL;
	return api_run(context, diagnostics, load, &args);
}

neso_status neso_module_load_ir(neso_context *context, const char *path, const char *text, size_t length,
				neso_module **module, neso_diagnostics **diagnostics)
{
	LoadArgs args = {.context = context, .path = path, .text = text, .length = length, .from_text = true, .is_ir = true,
			 .out = module};
	if (module)
		*module = NULL;
	return api_run(context, diagnostics, load, &args);
}

void neso_module_free(neso_module *module)
{
	if (!module)
		return;
	neso_context *context = module->context;
	pthread_mutex_lock(&context->modules_lock);
	neso_module **at = &context->modules;
	while (*at != module)
		at = &(*at)->next;
	*at = module->next;
	pthread_mutex_unlock(&context->modules_lock);
	api_background_forget(module);
	for (size_t i = 0; i < module->kernel_count; i++)
		api_tier_free(&module->kernels[i]);
	jit_module_free(module->jit);
	Arena arena = module->arena;
	arena_free(&arena);
	neso_context_free(context);
}

const char *neso_module_path(const neso_module *module)
{
	return module ? jit_module_path(module->jit) : NULL;
}

size_t neso_module_kernel_count(const neso_module *module)
{
	return module ? module->kernel_count : 0;
}

neso_kernel *neso_module_kernel(const neso_module *module, size_t index)
{
	return module && index < module->kernel_count ? &module->kernels[index] : NULL;
}

typedef struct FindArgs {
	neso_module *module;
	const char *name;
	neso_kernel **out;
} FindArgs;

static neso_status find(ApiCall *call, void *data)
{
	const FindArgs *args = data;
	if (!args->module || !args->name || !args->out)
		return api_usage(call, "neso_module_find wants a module, a name, and a place for the handle");
	JitKernel *kernel = jit_module_find(args->module->jit, args->name, &call->diags);
	if (!kernel)
		return NESO_ERROR_ARGUMENT;
	*args->out = jit_kernel_tag(kernel);
	return NESO_OK;
}

neso_status neso_module_find(neso_module *module, const char *name, neso_kernel **kernel,
			     neso_diagnostics **diagnostics)
{
	FindArgs args = {module, name, kernel};
	if (kernel)
		*kernel = NULL;
	return api_run(module ? module->context : NULL, diagnostics, find, &args);
}

/* ---- what a kernel says of itself ---- */

neso_status neso_kernel_get_info(const neso_kernel *kernel, neso_kernel_info *info)
{
	if (!kernel || !info)
		return NESO_ERROR_USAGE;
	const FrontInfo *front = jit_kernel_info(kernel->jit);
	neso_kernel_info out = {
		.size = sizeof out,
		.name = front->qualified_name,
		.path = front->path,
		.line = front->at.line,
		.doc = front->docstring ? front->docstring : "",
		.parameter_count = front->param_count,
		.decorator_count = front->decorator_count,
		.is_helper = !front->is_kernel,
		.is_called = front->is_called,
	};
	return api_write_struct(info, &out, sizeof out) ? NESO_OK : NESO_ERROR_USAGE;
}

neso_status neso_kernel_get_parameter(const neso_kernel *kernel, size_t index, neso_parameter *parameter)
{
	if (!kernel || !parameter || index >= jit_kernel_info(kernel->jit)->param_count)
		return NESO_ERROR_USAGE;
	const FrontParam *front = &jit_kernel_info(kernel->jit)->params[index];
	neso_parameter out = {
		.size = sizeof out,
		.name = front->name,
		.annotation = front->annotation,
		.default_value = front->value,
		.is_constexpr = front->is_constexpr,
		.no_specialize = front->do_not_specialize,
		.no_alignment = front->do_not_specialize_on_alignment,
		.never_one = front->never_one,
		.always_one = front->always_one,
		.div8 = front->div8,
		.dtype = front->dtype,
		.div8_int = front->div8_int,
	};
	return api_write_struct(parameter, &out, sizeof out) ? NESO_OK : NESO_ERROR_USAGE;
}

const char *neso_kernel_decorator(const neso_kernel *kernel, size_t index)
{
	if (!kernel || index >= jit_kernel_info(kernel->jit)->decorator_count)
		return NULL;
	return jit_kernel_info(kernel->jit)->decorators[index];
}

neso_module *neso_kernel_module(const neso_kernel *kernel)
{
	return kernel ? kernel->module : NULL;
}

size_t neso_kernel_variant_count(const neso_kernel *kernel)
{
	return kernel ? jit_kernel_variants(kernel->jit) : 0;
}
