/* Contexts: what modules share, and the host's callbacks. */
#include "api/background.h"

#include <stdlib.h>

#include "base/build.h"
#include "base/option/option.h"
#include "base/os.h"
#include "ir/pass.h"

uint32_t neso_abi_version(void)
{
	return NESO_ABI;
}

const char *neso_version(void)
{
	return NESO_VERSION;
}

/* ---- callbacks ---- */

void api_log(neso_context *context, neso_log_level level, const char *text)
{
	if (!context->options.log)
		return;
	pthread_mutex_lock(&context->log_lock);
	context->options.log(context->options.log_data, level, text);
	pthread_mutex_unlock(&context->log_lock);
}

/* Texts of the compiler end with NUL behind their length. */
static void on_print(void *data, const char *text, size_t len)
{
	(void)len;
	api_log(data, NESO_LOG_OUTPUT, text);
}

static void on_dump(void *data, const char *text, size_t len)
{
	(void)len;
	api_log(data, NESO_LOG_DUMP, text);
}

static void on_note(void *data, const char *text, size_t len)
{
	(void)len;
	api_log(data, NESO_LOG_COMPILE, text);
}

static void on_warn(void *data, const char *text, size_t len)
{
	(void)len;
	api_log(data, NESO_LOG_WARNING, text);
}

static bool on_find_name(void *data, Arena *arena, const char *path, const char *function, const char *name,
			 FrontHostValue *out)
{
	const neso_context *context = data;
	neso_name_request request = {.size = sizeof request, .path = path, .function = function, .name = name};
	neso_value value;
	memset(&value, 0, sizeof value);
	if (!context->options.resolve(context->options.resolve_data, &request, &value) ||
	    value.kind == NESO_VALUE_UNKNOWN)
		return false;
	*out = (FrontHostValue){0};
	if (value.kind == NESO_VALUE_FUNCTION && value.path && value.text) {
		out->path = arena_strdup(arena, value.path);
		out->name = arena_strdup(arena, value.text);
		if (value.source)
			out->text = str_of(arena_strdup(arena, value.source));
		return true;
	}
	if (value.kind == NESO_VALUE_NAMESPACE && value.text) {
		out->space = arena_strdup(arena, value.text);
		return true;
	}
	out->expr = api_value_text(arena, &value);
	/* A constant is one that may not change, or kernels could not read it. */
	if (out->expr && value.kind != NESO_VALUE_EXPR && value.kind != NESO_VALUE_FUNCTION &&
	    value.kind != NESO_VALUE_DTYPE)
		out->expr = arena_printf(arena, "tl.constexpr(%s)", out->expr);
	return out->expr != NULL;
}

static bool on_event(void *data, const JitEvent *event)
{
	static const neso_event_kind kinds[] = {
		[JIT_COMPILE_BEGIN] = NESO_EVENT_COMPILE_BEGIN,
		[JIT_COMPILE_END] = NESO_EVENT_COMPILE_END,
		[JIT_LAUNCH_BEGIN] = NESO_EVENT_LAUNCH_BEGIN,
		[JIT_LAUNCH_END] = NESO_EVENT_LAUNCH_END,
	};
	const neso_context *context = data;
	bool listens = context->options.event != NULL;
	if (context->trace)
		api_trace(context->trace, event);
	if (!listens)
		return true;
	neso_event out = {
		.size = sizeof out,
		.kind = kinds[event->kind],
		.kernel = jit_kernel_tag(event->kernel),
		.variant = api_variant(event->variant),
		.key = event->key,
		.reason = event->reason,
		.status = api_status(event->status),
		.seconds = event->seconds,
	};
	if (event->grid)
		memcpy(out.grid, event->grid, sizeof out.grid);
	return context->options.event(context->options.event_data, &out);
}

static InterpPool *on_pool(void *data)
{
	neso_context *context = data;
	pthread_mutex_lock(&context->pool_lock);
	if (!context->pool)
		context->pool = interp_pool_new(context->options.threads);
	InterpPool *pool = context->pool;
	pthread_mutex_unlock(&context->pool_lock);
	return pool;
}

/* ---- facts ---- */

const char *neso_context_info_name(const neso_context *context, size_t index)
{
	return context ? api_fact_name(index) : NULL;
}

const char *neso_context_info(const neso_context *context, const char *name)
{
	return context && name ? api_fact(context, name) : NULL;
}

/* ---- life ---- */

typedef struct NewArgs {
	const neso_context_options *options;
	neso_context **out;
} NewArgs;

static void free_tools(const JitHost *host)
{
	nv_tools_free(host->tools);
	nv_driver_free(host->driver);
	jit_cache_free(host->cache);
	jit_records_free(host->records);
}

static JitPolicy policy_of_environment(void)
{
	const char *text = option_text(OPTION_CONSTEXPR_POLICY);
	return strcmp(text, "tiered") == 0    ? JIT_POLICY_TIERED
	       : strcmp(text, "generic") == 0 ? JIT_POLICY_GENERIC
					      : JIT_POLICY_EAGER;
}

static void open_trace(neso_context *context, DiagList *diags)
{
	const char *path = option_text(OPTION_TRACE);
	context->trace = path && *path ? api_trace_begin(&context->arena, path, diags) : NULL;
}

static void fill(neso_context *context, const neso_context_options *options)
{
	enum { COMPILE_MEMORY = 1 << 30 };
	Arena *arena = &context->arena;
	context->options = *options;
	const uint32_t threads = options->threads ? options->threads : (uint32_t)MIN(option_number(OPTION_THREADS), UINT32_MAX);
	const char **paths = ARENA_ARRAY(arena, const char *, options->search_path_count + 1);
	for (size_t i = 0; i < options->search_path_count; i++)
		paths[i] = arena_strdup(arena, options->search_paths[i]);
	context->options.search_paths = paths;
	const bool counts = context->counts_launches =
		options->count_launches || option_is_on(OPTION_COUNT_LAUNCHES);
	context->host = (JitHost){
		.data = context,
		.threads = threads,
		.pool = on_pool,
		.compile_memory = options->compile_memory ? options->compile_memory : COMPILE_MEMORY,
		.dump_passes = options->dump_passes,
		.verify_passes = options->verify_passes || option_is_on(OPTION_VERIFY_PASSES),
		.search_paths = paths,
		.search_path_count = (uint32_t)options->search_path_count,
		.print = options->log ? on_print : NULL,
		.dump = options->log ? on_dump : NULL,
		.warn = options->log ? on_warn : NULL,
		.note = options->log && (options->log_compiles || option_is_on(OPTION_LOG_COMPILES)) ? on_note : NULL,
		.find_name = options->resolve ? on_find_name : NULL,
		.event = options->event || context->trace || counts ? on_event : NULL,
		.no_compile = (JitStrict)options->strict,
		.launched = api_record_launch,
		.policy = options->constexpr_policy ? (JitPolicy)options->constexpr_policy : policy_of_environment(),
	};
	NvDriverOptions driver = {.library = options->libcuda, .scratch = options->scratch, .scratch_data = options->scratch_data};
	NvToolsOptions tools = {.ptxas = options->ptxas, .packages = options->packages};
	context->host.cache = jit_cache_new(options->cache_dir);
	jit_cache_tools(context->host.cache, &tools);
	context->host.records = jit_records_new(option_number(OPTION_MAX_VARIANTS));
	context->host.driver = nv_driver_new(&driver);
	context->host.tools = nv_tools_new(&tools);
}

static neso_status context_new(ApiCall *call, void *data)
{
	const NewArgs *args = data;
	neso_context_options options;
	if (!args->out)
		return api_usage(call, "neso_context_new has nowhere to put the context");
	if (!api_read_struct(call, &options, sizeof options, args->options, "neso_context_options"))
		return NESO_ERROR_USAGE;
	if ((unsigned)options.constexpr_policy > NESO_POLICY_TIERED)
		return api_usage(call, "neso_context_options.constexpr_policy is %d", (int)options.constexpr_policy);
	if ((unsigned)options.strict > NESO_STRICT_OFF)
		return api_usage(call, "neso_context_options.strict is %d", (int)options.strict);
	if (options.search_path_count && !options.search_paths)
		return api_usage(call, "neso_context_options.search_paths is NULL");
	option_check(&call->diags);
	Arena arena;
	arena_init(&arena, 0);
	neso_context *context = ARENA_NEW(&arena, neso_context);
	context->arena = arena;
	Fault fault;
	volatile bool good = false;
	if (FAULT_TRY(&fault)) {
		open_trace(context, &call->diags);
		fill(context, &options);
		good = api_read_keeper(call, context, options.keeper);
		fault_leave(&fault);
	}
	if (!good) {
		free_tools(&context->host);
		arena = context->arena;
		arena_free(&arena);
		if (fault.kind != FAULT_NONE)
			fault_raise(fault.kind, "%s", fault.text);
		return NESO_ERROR_USAGE;
	}
	pthread_mutex_init(&context->log_lock, NULL);
	pthread_mutex_init(&context->pool_lock, NULL);
	pthread_mutex_init(&context->modules_lock, NULL);
	pthread_mutex_init(&context->record_lock, NULL);
	atomic_init(&context->users, 1);
	api_record_begin(context, options.record ? options.record : option_text(OPTION_RECORD), &call->diags);
	api_explain_begin(context, options.explain ? options.explain : option_text(OPTION_EXPLAIN),
			  &call->diags);
	*args->out = context;
	return NESO_OK;
}

neso_status neso_context_new(const neso_context_options *options, neso_context **context,
			     neso_diagnostics **diagnostics)
{
	NewArgs args = {options, context};
	if (context)
		*context = NULL;
	return api_run(NULL, diagnostics, context_new, &args);
}

void neso_context_free(neso_context *context)
{
	if (!context || atomic_fetch_sub(&context->users, 1) != 1)
		return;
	api_background_end(context);
	api_explain_end(context);
	api_record_end(context);
	interp_pool_free(context->pool);
	api_facts_free(context);
	free_tools(&context->host);
	pthread_mutex_destroy(&context->pool_lock);
	pthread_mutex_destroy(&context->log_lock);
	pthread_mutex_destroy(&context->modules_lock);
	pthread_mutex_destroy(&context->record_lock);
	Arena arena = context->arena;
	arena_free(&arena);
}
