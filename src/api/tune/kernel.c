/* Racing launches of a kernel: compiled side by side, arrays put back before each run, the L2 cache
 * emptied, times by events. */
#include "api/tune/tune.h"

#include <stdio.h>

#include "base/os.h"

/* An argument with memory that runs change. */
typedef struct Kept {
	const neso_arg *arg;
	void *copy; /* NULL: it is filled with zero bytes */
} Kept;

typedef struct Tuning {
	neso_kernel *kernel;
	neso_context *context;
	const neso_launch *launches;
	size_t count;
	const neso_tune_options *given;
	neso_tune_options options;
	neso_tuning **out;
	const TuneSame *same; /* NULL: results are not looked at */
	bool *looked_at; /* of each candidate */
	bool on_gpu;
	void *begin, *end; /* events */
	void *cache; /* as large as the L2 cache, twice */
	size_t cache_bytes;
	Kept *kept;
	size_t kept_count;
	neso_diagnostics *failed; /* of the call that ended the race */
} Tuning;

static bool is_gpu(const char *target)
{
	return target && strcmp(target, "interp") != 0 && strncmp(target, "sim:", 4) != 0;
}

void api_tune_clause(char why[TUNE_WHY], neso_diagnostics *diagnostics)
{
	const neso_diagnostic *first = NULL;
	for (size_t i = 0;
	     (first = neso_diagnostics_get(diagnostics, i)) && first->severity != NESO_ERROR; i++)
		;
	snprintf(why, TUNE_WHY, "%.*s", (int)(first ? strcspn(first->text, "\n") : 9),
		 first ? first->text : "it failed");
	neso_diagnostics_free(diagnostics);
}

bool api_tune_ends(neso_status status)
{
	return status == NESO_ERROR_MEMORY || status == NESO_ERROR_INTERNAL ||
	       status == NESO_ERROR_REFUSED;
}

/* ---- compiling ---- */

static TuneAnswer prepare(void *data, uint32_t i, char why[TUNE_WHY])
{
	Tuning *t = data;
	neso_variant *variant;
	neso_diagnostics *diagnostics = NULL;
	neso_status status =
		neso_kernel_compile_for(t->kernel, &t->launches[i], &variant, &diagnostics);
	if (status != NESO_OK) {
		api_tune_clause(why, diagnostics);
		return api_tune_ends(status) ? TUNE_END : TUNE_PASS;
	}
	neso_diagnostics_free(diagnostics);
	neso_variant_info info = {.size = sizeof info};
	neso_variant_get_info(variant, &info);
	neso_variant_release(variant);
	if (!info.spill_stores || t->options.spills)
		return TUNE_GOOD;
	snprintf(why, TUNE_WHY, "it spills %u bytes of registers", info.spill_stores);
	return TUNE_PASS;
}

/* ---- running ---- */

/* False: it failed, and t->failed says why. */
static bool good(Tuning *t, neso_status status, neso_diagnostics *diagnostics)
{
	if (status == NESO_OK) {
		neso_diagnostics_free(diagnostics);
		return true;
	}
	neso_diagnostics_free(t->failed);
	t->failed = diagnostics;
	return false;
}

static bool put_back(Tuning *t, const Kept *kept)
{
	neso_diagnostics *diagnostics = NULL;
	const neso_arg *arg = kept->arg;
	void *at = arg->buffer ? arg->buffer : arg->address;
	neso_status status = NESO_OK;
	if (!t->on_gpu && kept->copy)
		memcpy(at, kept->copy, arg->bytes);
	else if (!t->on_gpu)
		memset(at, 0, arg->bytes);
	else if (kept->copy)
		status = neso_gpu_copy(t->context, at, kept->copy, arg->bytes, NULL, &diagnostics);
	else
		status = neso_gpu_fill(t->context, at, 0, arg->bytes, NULL, &diagnostics);
	return good(t, status, diagnostics);
}

static bool put_all_back(Tuning *t)
{
	for (size_t i = 0; i < t->kept_count; i++)
		if (!put_back(t, &t->kept[i]))
			return false;
	return true;
}

static bool begin_run(Tuning *t)
{
	neso_diagnostics *diagnostics = NULL;
	if (!put_all_back(t))
		return false;
	if (!t->on_gpu)
		return true;
	neso_status status =
		neso_gpu_fill(t->context, t->cache, 0, t->cache_bytes, NULL, &diagnostics);
	if (!good(t, status, diagnostics))
		return false;
	status = neso_gpu_event_record(t->context, t->begin, NULL, &diagnostics);
	return good(t, status, diagnostics);
}

static bool end_run(Tuning *t, double *seconds)
{
	neso_diagnostics *diagnostics = NULL;
	neso_status status = neso_gpu_event_record(t->context, t->end, NULL, &diagnostics);
	if (!good(t, status, diagnostics))
		return false;
	status = neso_gpu_event_elapsed(t->context, t->begin, t->end, seconds, &diagnostics);
	return good(t, status, diagnostics);
}

/* Before its first run that counts. */
static TuneAnswer look_at_results(Tuning *t, uint32_t i, char why[TUNE_WHY])
{
	neso_diagnostics *diagnostics = NULL;
	t->looked_at[i] = true;
	TuneAnswer answer = api_tune_same(t->same, &t->launches[i], why, &diagnostics);
	if (answer == TUNE_END)
		good(t, NESO_ERROR_RUN, diagnostics);
	else
		neso_diagnostics_free(diagnostics);
	return answer;
}

static TuneAnswer measure(void *data, uint32_t i, double *seconds, char why[TUNE_WHY])
{
	Tuning *t = data;
	neso_diagnostics *diagnostics = NULL;
	if (t->same && !t->looked_at[i]) {
		TuneAnswer answer = look_at_results(t, i, why);
		if (answer != TUNE_GOOD)
			return answer;
	}
	neso_launch launch = t->launches[i];
	launch.stream = NULL; /* that of the events */
	if (!begin_run(t))
		return TUNE_END;
	double began = os_now();
	neso_status status = neso_kernel_launch(t->kernel, &launch, NULL, &diagnostics);
	*seconds = os_now() - began;
	if (status != NESO_OK) {
		if (api_tune_ends(status)) {
			good(t, status, diagnostics);
			return TUNE_END;
		}
		api_tune_clause(why, diagnostics);
		return TUNE_PASS;
	}
	neso_diagnostics_free(diagnostics);
	if (t->on_gpu && !end_run(t, seconds))
		return TUNE_END; /* a kernel that faults takes the context with it */
	if (t->options.run_time)
		*seconds = t->options.run_time(t->options.data, i);
	return TUNE_GOOD;
}

static double now(void *data)
{
	const Tuning *t = data;
	return t->options.now ? t->options.now(t->options.data) : os_now();
}

static void progress(void *data, uint32_t candidate, uint32_t done, uint32_t all)
{
	const Tuning *t = data;
	if (t->options.progress)
		t->options.progress(t->options.data, candidate, done, all);
}

/* ---- before and after ---- */

const char *api_tune_param(const neso_kernel *kernel, const neso_launch *launch, size_t i)
{
	const neso_arg *arg = &launch->args[i];
	uint32_t number = arg->name ? api_param_of(kernel, arg->name, i) : (uint32_t)i;
	return number < kernel->param_count ? jit_kernel_info(kernel->jit)->params[number].name : "";
}

/* NULL after diagnosing. */
static const neso_arg *find_arg(const Tuning *t, ApiCall *call, const char *name)
{
	const neso_launch *launch = &t->launches[0];
	for (size_t i = 0; name && i < launch->arg_count; i++) {
		const neso_arg *arg = &launch->args[i];
		if (arg->bytes && arg->kind != NESO_ARG_VALUE &&
		    strcmp(api_tune_param(t->kernel, launch, i), name) == 0)
			return arg;
	}
	diag_add_at(&call->diags, NULL, (LineCol){0, 0}, DIAG_TUNE_ARGUMENT, name ? name : "");
	return NULL;
}

static bool keep_copy(Tuning *t, Arena *arena, Kept *kept)
{
	const neso_arg *arg = kept->arg;
	const void *at = arg->buffer ? arg->buffer : arg->address;
	neso_diagnostics *diagnostics = NULL;
	if (!t->on_gpu) {
		kept->copy = arena_copy(arena, at, arg->bytes);
		return true;
	}
	neso_status status = neso_gpu_alloc(t->context, arg->bytes, &kept->copy, &diagnostics);
	if (!good(t, status, diagnostics))
		return false;
	status = neso_gpu_copy(t->context, kept->copy, at, arg->bytes, NULL, &diagnostics);
	return good(t, status, diagnostics);
}

static neso_status keep(Tuning *t, ApiCall *call)
{
	const neso_tune_options *o = &t->options;
	t->kept = ARENA_ARRAY(&call->arena, Kept, o->zero_count + o->restore_count + 1);
	for (size_t i = 0; i < o->restore_count + o->zero_count; i++) {
		bool zero = i >= o->restore_count;
		Kept *kept = &t->kept[t->kept_count];
		kept->arg = find_arg(t, call, zero ? o->zero[i - o->restore_count] : o->restore[i]);
		if (!kept->arg)
			return NESO_ERROR_ARGUMENT;
		t->kept_count++;
		if (!zero && !keep_copy(t, &call->arena, kept))
			return NESO_ERROR_RUN;
	}
	return NESO_OK;
}

static bool open_gpu(Tuning *t)
{
	neso_diagnostics *diagnostics = NULL;
	uint32_t index = 0;
	neso_gpu gpu = {.size = sizeof gpu};
	neso_status status = neso_gpu_current(t->context, &index, &diagnostics);
	if (!good(t, status, diagnostics))
		return false;
	status = neso_gpu_get(t->context, index, &gpu, &diagnostics);
	if (!good(t, status, diagnostics))
		return false;
	/* Twice the cache; where memory is short, what there is. */
	enum { LEAST = 1 << 20 };
	for (t->cache_bytes = 2 * MAX((size_t)gpu.l2, (size_t)LEAST); t->cache_bytes > LEAST;
	     t->cache_bytes /= 2) {
		status = neso_gpu_alloc(t->context, t->cache_bytes, &t->cache, &diagnostics);
		neso_diagnostics_free(diagnostics);
		if (status == NESO_OK)
			break;
	}
	if (status != NESO_OK) {
		status = neso_gpu_alloc(t->context, t->cache_bytes, &t->cache, &diagnostics);
		if (!good(t, status, diagnostics))
			return false;
	}
	status = neso_gpu_event_new(t->context, &t->begin, &diagnostics);
	if (!good(t, status, diagnostics))
		return false;
	status = neso_gpu_event_new(t->context, &t->end, &diagnostics);
	if (t->options.resolution <= 0)
		t->options.resolution = 5e-7; /* of cuEventElapsedTime, by its documentation */
	return good(t, status, diagnostics);
}

static void close_all(Tuning *t)
{
	if (!t->on_gpu)
		return;
	neso_gpu_event_free(t->context, t->begin);
	neso_gpu_event_free(t->context, t->end);
	neso_gpu_free(t->context, t->cache);
	for (size_t i = 0; i < t->kept_count; i++)
		neso_gpu_free(t->context, t->kept[i].copy);
}

static bool are_launches(const neso_launch *launches, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (launches[i].size != sizeof(neso_launch) || launches[i].arg_size != sizeof(neso_arg))
			return false;
	return true;
}

/* Has each array of a launch the length of that of the first reference? */
static bool has_arrays_of(const neso_launch *launch, const neso_launch *first)
{
	size_t i = 0, k = 0;
	for (;; i++, k++) {
		while (i < launch->arg_count && launch->args[i].kind == NESO_ARG_VALUE)
			i++;
		while (k < first->arg_count && first->args[k].kind == NESO_ARG_VALUE)
			k++;
		if (i >= launch->arg_count || k >= first->arg_count)
			return i >= launch->arg_count && k >= first->arg_count;
		if (!launch->args[i].bytes || launch->args[i].bytes != first->args[k].bytes ||
		    launch->args[i].dtype != first->args[k].dtype)
			return false;
	}
}

static neso_status check_references(const Tuning *t, ApiCall *call)
{
	const neso_tune_options *o = &t->options;
	bool same = are_launches(o->references, o->reference_count);
	for (size_t i = 0; i < o->reference_count && same; i++)
		same = has_arrays_of(&o->references[i], &o->references[0]);
	for (size_t i = 0; i < t->count && same; i++)
		same = has_arrays_of(&t->launches[i], &o->references[0]);
	return same ? NESO_OK
		    : api_usage(call, "the references of neso_tune_kernel have the arrays of its launches, "
				      "each with its bytes");
}

static neso_status check(Tuning *t, ApiCall *call)
{
	if (!t->kernel || !t->launches || !t->count || !t->out)
		return api_usage(
			call,
			"neso_tune_kernel wants a kernel, launches and a place for the tuning");
	if (!are_launches(t->launches, t->count))
		return api_usage(call, "the launches of neso_tune_kernel are of this "
				       "version of the library, and so is neso_arg");
	if (!api_read_tune_options(call, t->given, &t->options))
		return NESO_ERROR_USAGE;
	return t->options.reference_count ? check_references(t, call) : NESO_OK;
}

/* What a call inside said is the call's. */
static void take_failed(Tuning *t, ApiCall *call)
{
	for (size_t i = 0; i < neso_diagnostics_count(t->failed); i++) {
		const neso_diagnostic *d = neso_diagnostics_get(t->failed, i);
		if (d->severity == NESO_ERROR)
			diag_add_at(&call->diags, NULL, (LineCol){0, 0}, DIAG_TUNED_FILE,
				    arena_strdup(&call->arena, d->text));
	}
	neso_diagnostics_free(t->failed);
	t->failed = NULL;
}

static neso_status tune(ApiCall *call, void *data)
{
	Tuning *t = data;
	neso_status status = check(t, call);
	if (status != NESO_OK)
		return status;
	t->on_gpu = t->launches[0].options && is_gpu(t->launches[0].options->target);
	t->context = t->kernel->module->context;
	if (t->options.reference_count && !t->same)
		t->same = api_tune_same_new(call, t->kernel, &t->options, t->on_gpu);
	if (t->on_gpu && t->options.gpus > 1 &&
	    api_tune_on_gpus(call, t->kernel, t->launches, t->count, &t->options, t->same, t->out))
		return NESO_OK;
	t->looked_at = ARENA_ARRAY(&call->arena, bool, t->count);
	const TuneHooks hooks = {.data = t,
				 .prepare = prepare,
				 .measure = measure,
				 .now = now,
				 .progress = progress};
	status = t->on_gpu && !open_gpu(t) ? NESO_ERROR_RUN : keep(t, call);
	if (status == NESO_OK)
		status = api_tune(call, t->count, &hooks, &t->options, t->out);
	if (status == NESO_OK && !t->failed)
		put_all_back(t);
	close_all(t);
	if (!t->failed)
		return status;
	neso_tuning_free(*t->out);
	*t->out = NULL;
	take_failed(t, call);
	return NESO_ERROR_RUN;
}

neso_status api_tune_kernel(neso_kernel *kernel, const neso_launch *launches, size_t count,
			    const neso_tune_options *options, const TuneSame *same,
			    neso_tuning **tuning, neso_diagnostics **diagnostics)
{
	Tuning t = {.kernel = kernel,
		    .launches = launches,
		    .count = count,
		    .given = options,
		    .same = same,
		    .out = tuning};
	if (tuning)
		*tuning = NULL;
	return api_run(kernel ? kernel->module->context : NULL, diagnostics, tune, &t);
}

neso_status neso_tune_kernel(neso_kernel *kernel, const neso_launch *candidates, size_t count,
			     const neso_tune_options *options, neso_tuning **tuning,
			     neso_diagnostics **diagnostics)
{
	return api_tune_kernel(kernel, candidates, count, options, NULL, tuning, diagnostics);
}
