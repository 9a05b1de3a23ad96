/* The variants of a kernel: looked up by key, or compiled once while other threads that want the
 * same one wait.
 *
 * A variant enters its kernel's list before it is compiled, with ready = false. The thread that
 * put it there compiles it without the lock, and marks it ready, or removes it again on failure.
 * Then every waiting thread tries for itself, and so gets the diagnostics itself. */
#include "jit/inner.h"

#include <time.h>

#include "base/fault.h"
#include "base/option/option.h"
#include "base/os.h"
#include "base/stop.h"
#include "ir/text/text.h"
#include "jit/keep/cache.h"
#include "jit/rules.h"

static JitVariant *find(const JitKernel *kernel, const char *key)
{
	for (JitVariant *v = kernel->variants; v; v = v->next)
		if (strcmp(v->key, key) == 0)
			return v;
	return NULL;
}

void jit_variant_free(JitVariant *variant)
{
	if (variant->interp)
		interp_free(variant->interp);
	for (JitDispatch *d = variant->old_calls, *next; d; d = next) {
		next = d->next;
		jit_dispatch_free(d);
	}
	jit_gpu_free(variant->gpu);
	jit_sim_free(variant->sim);
	jit_remade_free(variant);
}

/* Until the table changes, or who compiles wants to be asked again. */
static void wait_for_change(JitModule *module)
{
	struct timespec until;
	double wait = stop_wait(1);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += (long)(wait * 1e9);
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&module->table_changed, &module->table_lock, &until);
}

/* The variant, held, when it is there or comes while waiting; NULL after *fresh was put into the
 * list. */
static JitVariant *find_or_add(JitKernel *kernel, JitVariant *fresh)
{
	JitModule *module = kernel->module;
	pthread_mutex_lock(&module->table_lock);
	JitVariant *found;
	bool goes_on = true;
	while ((found = find(kernel, fresh->key)) && !found->ready && (goes_on = stop_goes_on(NULL)))
		wait_for_change(module);
	if (!goes_on) {
		pthread_mutex_unlock(&module->table_lock);
		jit_variant_free(fresh);
		stop_point();
		BUG("waiting ended, and nobody wanted it");
	}
	if (!found) {
		fresh->next = kernel->variants;
		kernel->variants = fresh;
	}
	jit_hold(found ? found : fresh);
	pthread_mutex_unlock(&module->table_lock);
	return found;
}

JitVariant *jit_find_ready(JitKernel *kernel, const char *key)
{
	pthread_mutex_lock(&kernel->module->table_lock);
	JitVariant *found = find(kernel, key);
	if (found && !found->ready)
		found = NULL;
	jit_hold(found);
	pthread_mutex_unlock(&kernel->module->table_lock);
	return found;
}

static void finish(JitVariant *variant, bool good)
{
	JitKernel *kernel = variant->kernel;
	pthread_mutex_lock(&kernel->module->table_lock);
	if (good) {
		variant->ready = true;
		kernel->variant_count++;
	} else {
		JitVariant **at = &kernel->variants;
		while (*at != variant)
			at = &(*at)->next;
		*at = variant->next;
	}
	pthread_cond_broadcast(&kernel->module->table_changed);
	pthread_mutex_unlock(&kernel->module->table_lock);
}

static const char *copy_text(Arena *arena, const char *text)
{
	return text ? arena_strdup(arena, text) : NULL;
}

/* The struct in its own arena; a fault raised while it is made frees it. */
static JitVariant *variant_new(JitKernel *kernel, const JitBinding *binding, const JitOptions *options)
{
	Arena arena;
	arena_init_small(&arena, kernel->module->host->compile_memory);
	JitVariant *variant = ARENA_NEW(&arena, JitVariant);
	variant->arena = arena;
	arena_init(&variant->work, kernel->module->host->compile_memory);
	Fault fault;
	if (FAULT_TRY(&fault)) {
		uint32_t count = kernel->info->param_count;
		Arena *own = &variant->arena;
		variant->kernel = kernel;
		variant->options = *options;
		variant->options.target = options->sim ? arena_printf(own, "sim:%s", options->gpu->name) : NULL;
		variant->options.ask = NULL;
		variant->options.ask_data = NULL;
		variant->options.dot_precision = copy_text(own, options->dot_precision);
		variant->options.override = copy_text(own, options->override);
		variant->options.symbol = copy_text(own, options->symbol);
		variant->passes = jit_passes(kernel, options);
		variant->key = arena_strdup(own, binding->key);
		variant->args = ARENA_ARRAY(own, FrontArg, count + 1);
		variant->params = ARENA_ARRAY(own, JitParam, count + 1);
		for (uint32_t i = 0; i < count; i++) {
			variant->args[i] = binding->args[i];
			variant->args[i].text = copy_text(own, binding->args[i].text);
			variant->params[i] = jit_param_of(&variant->args[i]);
		}
		variant->reason = jit_reason(own, variant, binding->given);
		fault_leave(&fault);
		return variant;
	}
	jit_variant_free(variant);
	fault_raise(fault.kind, "%s", fault.text);
}

static bool tell(const JitKernel *kernel, JitEvent event)
{
	const JitHost *host = kernel->module->host;
	event.kernel = kernel;
	return !host->event || host->event(host->data, &event);
}

static void note(const JitVariant *variant, double seconds)
{
	const JitHost *host = variant->kernel->module->host;
	if (!host->note)
		return;
	Arena arena;
	arena_init(&arena, 0);
	const char *text = arena_printf(&arena, "compiled %s in %.1f ms: %s\n", variant->key, seconds * 1e3, variant->reason);
	host->note(host->data, text, strlen(text));
	arena_free(&arena);
}

/* Compiles what find_or_add put into the list. Whatever happens, nobody is left waiting. */
static JitStatus compile(JitVariant *variant, DiagList *diags)
{
	JitKernel *kernel = variant->kernel;
	double began = os_now();
	if (!tell(kernel, (JitEvent){.kind = JIT_COMPILE_BEGIN, .key = variant->key, .reason = variant->reason})) {
		finish(variant, false);
		jit_variant_free(variant);
		jit_diag(diags, kernel, DIAG_REFUSED);
		return JIT_REFUSED;
	}
	volatile bool good = false;
	Fault fault;
	if (FAULT_TRY(&fault)) {
		good = jit_compile(variant, diags);
		fault_leave(&fault);
	}
	const JitStatus failed = variant->missed ? JIT_MISS : JIT_SOURCE;
	variant->options.no_compile = JIT_STRICT_DEFAULT;
	diags->sources = &kernel->module->sources; /* the variant's own may go with it */
	finish(variant, good);
	tell(kernel, (JitEvent){.kind = JIT_COMPILE_END,
				.key = variant->key,
				.reason = variant->reason,
				.variant = good ? variant : NULL,
				.status = good ? JIT_OK : failed,
				.seconds = os_now() - began});
	if (good)
		note(variant, os_now() - began);
	else
		jit_variant_free(variant);
	if (fault.kind != FAULT_NONE)
		fault_raise(fault.kind, "%s", fault.text);
	return good ? JIT_OK : failed;
}

/* The variant with the binding's key, compiled when it is not there. */
static JitStatus get(JitKernel *kernel, const JitBinding *binding, const JitOptions *options, const JitVariant **variant,
		     bool *compiled, DiagList *diags)
{
	*compiled = false;
	*variant = jit_find_ready(kernel, binding->key);
	if (*variant)
		return JIT_OK;
	*variant = jit_serves_both(kernel, binding, options, diags->arena);
	if (*variant)
		return JIT_OK;
	JitVariant *fresh = variant_new(kernel, binding, options);
	*variant = find_or_add(kernel, fresh);
	if (*variant) {
		jit_variant_free(fresh);
		return JIT_OK;
	}
	/* What runs on this processor is kept nowhere. */
	if ((!fresh->options.gpu || fresh->options.sim) && !jit_may_compile(fresh)) {
		jit_strict_miss(fresh, diags);
		finish(fresh, false);
		jit_variant_free(fresh);
		return JIT_MISS;
	}
	JitStatus status = compile(fresh, diags);
	if (status == JIT_OK) {
		jit_records_add(fresh);
		jit_warn_variants(kernel, fresh, diags);
		*variant = fresh;
		*compiled = true;
	}
	return status;
}

/* With constexprs that may be demoted: the variant is one of those that were made for the sets of demoted ones known
 * so far. When none is there, the front end says which set it is. A value that does not fit the arguments made of it is
 * a constant after all. */
static JitStatus get_demoted(JitKernel *kernel, const JitBinding *binding, const JitOptions *options,
			     const JitVariant **variant, bool *compiled, DiagList *diags)
{
	JitBinding settled;
	JitSet set = {{0}};
	*compiled = false;
	*variant = NULL;
	for (const JitDemotion *d = jit_demotions(kernel); d && !*variant; d = d->next) {
		set = d->set;
		jit_settle(diags->arena, kernel, binding, &set, options, &settled);
		*variant = jit_find_ready(kernel, settled.key);
	}
	if (!*variant) {
		set = jit_classify(kernel, binding, options, diags->arena);
		jit_settle(diags->arena, kernel, binding, &set, options, &settled);
		JitStatus status = get(kernel, &settled, options, variant, compiled, diags);
		if (status != JIT_OK)
			return status;
	}
	if (jit_numbers_fit(*variant, binding, &set))
		return JIT_OK;
	jit_let_go(*variant);
	*variant = NULL;
	jit_settle(diags->arena, kernel, binding, &set, options, &settled);
	return get(kernel, &settled, options, variant, compiled, diags);
}

/* ---- without what 8 says by itself ---- */

/* The binding as if 8 were told apart of no integer that did not ask for it. False: that is the
 * same. */
static bool without_8(Arena *arena, const JitKernel *kernel, const JitBinding *binding,
		      const JitOptions *options, JitBinding *out)
{
	const FrontInfo *info = kernel->info;
	bool any = false;
	*out = *binding;
	out->args = ARENA_ARRAY(arena, FrontArg, info->param_count + 1);
	for (uint32_t i = 0; i < info->param_count; i++) {
		out->args[i] = binding->args[i];
		if (info->params[i].div8 || out->args[i].kind != FRONT_TYPE ||
		    out->args[i].divisibility != RULE_SMALL_DIVISOR)
			continue;
		out->args[i].divisibility = 0;
		any = true;
	}
	out->key = any ? jit_key(arena, kernel, out->args, options) : binding->key;
	return any;
}

static JitStatus get_any(JitKernel *kernel, const JitBinding *binding, const JitOptions *options,
			 const JitVariant **variant, bool *compiled, DiagList *diags)
{
	return (binding->demotes ? get_demoted : get)(kernel, binding, options, variant, compiled, diags);
}

/* What knows less serves as well where nothing is compiled: declarations need not name the 8. */
static JitStatus get_launched(JitKernel *kernel, const JitBinding *binding, const JitOptions *options,
			      const JitVariant **variant, bool *compiled, DiagList *diags)
{
	JitBinding less;
	if (!binding->launched || options->no_compile != JIT_STRICT_ON ||
	    !without_8(diags->arena, kernel, binding, options, &less))
		return get_any(kernel, binding, options, variant, compiled, diags);
	const uint64_t missed = kernel->missed;
	const JitBinding *const tried[] = {binding, &less};
	for (size_t i = 0; i < ARRAY_LEN(tried); i++) {
		DiagList quiet;
		diag_init(&quiet, diags->arena, &kernel->module->sources);
		if (get_any(kernel, tried[i], options, variant, compiled, &quiet) == JIT_OK) {
			kernel->missed = missed;
			return JIT_OK;
		}
	}
	kernel->missed = missed;
	return get_any(kernel, binding, options, variant, compiled, diags);
}

JitStatus jit_get(JitKernel *kernel, const JitBinding *binding, const JitOptions *options, const JitVariant **variant,
		  bool *compiled, DiagList *diags)
{
	Stop stop;
	Fault fault;
	*compiled = false;
	if (!binding->demotes && (*variant = jit_find_ready(kernel, binding->key)))
		return JIT_OK;
	if (FAULT_TRY(&fault)) {
		double seconds = options->seconds > 0 ? options->seconds : (double)option_number(OPTION_COMPILE_TIMEOUT);
		stop_enter(&stop, seconds, options->ask, options->ask_data);
		JitStatus status = get_launched(kernel, binding, options, variant, compiled, diags);
		stop_leave(&stop);
		fault_leave(&fault);
		return status;
	}
	if (fault.kind != FAULT_TIME && fault.kind != FAULT_STOPPED)
		fault_raise(fault.kind, "%s", fault.text);
	diags->sources = &kernel->module->sources;
	*variant = NULL;
	if (fault.kind == FAULT_TIME)
		jit_diag(diags, kernel, DIAG_COMPILE_TIME, kernel->info->qualified_name, fault.text);
	else
		jit_diag(diags, kernel, DIAG_COMPILE_STOPPED, kernel->info->qualified_name);
	return JIT_STOPPED;
}

const JitVariant *jit_without_maps(const JitVariant *variant, JitStrict strict, JitStatus *status,
				   DiagList *diags)
{
	JitOptions options = variant->options;
	const JitVariant *plain = NULL;
	bool compiled;
	options.no_maps = true;
	options.many = false;
	options.no_compile = strict;
	options.no_compile = jit_launch_strict(variant->kernel, &options);
	JitBinding binding = {
		.args = variant->args,
		.given = ARENA_ARRAY(diags->arena, const JitArg *, variant->kernel->info->param_count + 1),
		.key = jit_key(diags->arena, variant->kernel, variant->args, &options),
	};
	*status = jit_get(variant->kernel, &binding, &options, &plain, &compiled, diags);
	return *status == JIT_OK ? plain : NULL;
}

JitStatus jit_load(const JitVariant *variant, DiagList *diags)
{
	JitStatus status = JIT_OK;
	const JitVariant *plain = NULL, *other;
	diags->sources = &variant->sources;
	if (variant->gpu && variant->gpu->map_count) {
		plain = jit_without_maps(variant, JIT_STRICT_OFF, &status, diags);
		jit_let_go(plain);
		if (!plain)
			return status;
	}
	if (!variant->options.many) {
		status = jit_make_counterpart(variant, &other, diags);
		status = other ? jit_load(other, diags) : status;
		jit_let_go(other);
	}
	if (status != JIT_OK)
		return status;
	return !variant->gpu || !variant->gpu->cubin.data || jit_gpu_function(variant, diags) ? JIT_OK
											      : JIT_RUN;
}

JitStatus jit_compile_signature(JitKernel *kernel, const char *signature, const JitOptions *options,
				const JitVariant **variant, bool *compiled, DiagList *diags)
{
	JitOptions complete;
	JitBinding binding;
	diags->sources = &kernel->module->sources;
	if (!jit_options(kernel, options, &complete, diags) ||
	    !jit_bind_signature(diags->arena, kernel, signature, &complete, &binding, diags))
		return JIT_ARGUMENT;
	complete.no_compile = JIT_STRICT_OFF;
	return jit_get(kernel, &binding, &complete, variant, compiled, diags);
}

void jit_launch_asks(const JitLaunch *launch, JitOptions *options)
{
	if (options->ask)
		return;
	options->ask = launch->poll;
	options->ask_data = launch->poll_data;
}

JitStatus jit_compile_launch(JitKernel *kernel, const JitLaunch *launch, const JitOptions *options,
			     const JitVariant **variant, DiagList *diags)
{
	JitOptions complete;
	JitBinding binding;
	bool compiled;
	diags->sources = &kernel->module->sources;
	if (!jit_options(kernel, options, &complete, diags))
		return JIT_ARGUMENT;
	complete.many = jit_launches_many(kernel, &complete, launch->grid);
	if (!jit_bind(diags->arena, kernel, launch->args, launch->arg_count, &complete, &binding, diags))
		return JIT_ARGUMENT;
	jit_launch_asks(launch, &complete);
	complete.no_compile = jit_launch_strict(kernel, &complete);
	JitStatus status = jit_get(kernel, &binding, &complete, variant, &compiled, diags);
	if (status == JIT_OK && launch->key)
		jit_find_add(*variant, launch->key);
	return status;
}

JitStatus jit_signature_rows(JitKernel *kernel, const char *signature, const JitOptions *options, CacheKey *key, DiagList *diags)
{
	JitOptions complete;
	JitBinding binding;
	JitContent content;
	diags->sources = &kernel->module->sources;
	cache_key_init(key, diags->arena);
	if (!jit_options(kernel, options, &complete, diags) ||
	    !jit_bind_signature(diags->arena, kernel, signature, &complete, &binding, diags))
		return JIT_ARGUMENT;
	if (!complete.gpu || complete.sim) {
		jit_diag(diags, kernel, DIAG_CACHE_TARGET, complete.target ? complete.target : "interp");
		return JIT_ARGUMENT;
	}
	JitVariant *variant = variant_new(kernel, &binding, &complete);
	bool read = jit_content(variant, diags->arena, &content);
	bool good = read && jit_variant_rows(variant, &content, key, diags);
	jit_variant_free(variant);
	if (!read)
		jit_diag(diags, kernel, DIAG_CACHE_SOURCE, kernel->info->qualified_name);
	return good ? JIT_OK : JIT_SOURCE;
}

const char *jit_variant_key(const JitVariant *variant)
{
	return variant->key;
}

bool jit_variant_demotes(const JitVariant *variant)
{
	return variant->numbers.count != 0;
}

JitKernel *jit_variant_kernel(const JitVariant *variant)
{
	return variant->kernel;
}

static JitStatus raw_text(const JitVariant *variant, Text *out, DiagList *diags)
{
	IrCx *cx = ARENA_NEW(out->arena, IrCx);
	SourceSet *sources = ARENA_NEW(out->arena, SourceSet);
	ir_cx_init(cx, out->arena);
	FrontNumbers numbers;
	IrModule *ir = jit_lower(variant, cx, sources, &numbers, diags);
	if (!ir)
		return JIT_SOURCE;
	ir_print(out, ir, (IrPrintOptions){0});
	return JIT_OK;
}

static JitStatus ttir_text(const JitVariant *variant, Text *out, DiagList *diags)
{
	if (!variant->ir && jit_stored_text(variant, "ttir", out))
		return JIT_OK;
	JitVariant *again = variant->ir ? NULL : jit_remake(variant, diags);
	const IrModule *ir = again ? again->ir : variant->ir;
	if (ir)
		ir_print(out, ir, (IrPrintOptions){0});
	if (again)
		jit_remade_free(again);
	return ir ? JIT_OK : JIT_SOURCE;
}

/* Why there is none of this name. */
static DiagCode missing_stage(const JitVariant *variant, const char *stage)
{
	static const char *const stages[] = {"ttgir", "llir", "ptx", "cubin", "sass"};
	for (size_t i = 0; i < ARRAY_LEN(stages); i++)
		if (strcmp(stage, stages[i]) == 0)
			return variant->options.gpu ? DIAG_STAGE_ASSEMBLED : DIAG_STAGE_TARGET;
	return DIAG_STAGE_UNKNOWN;
}

JitStatus jit_variant_text(const JitVariant *variant, const char *stage, Text *out, DiagList *diags)
{
	diags->sources = &variant->sources;
	if (strcmp(stage, "ttir") == 0)
		return ttir_text(variant, out, diags);
	if (strcmp(stage, "ttir-raw") == 0)
		return raw_text(variant, out, diags);
	static const char *const gpu_stages[] = {"ttgir", "llir", "ptx", "sass"}; /* the last from a cubin */
	bool has_cubin = variant->gpu && variant->gpu->cubin.data;
	size_t stages = has_cubin ? ARRAY_LEN(gpu_stages) : variant->options.gpu ? ARRAY_LEN(gpu_stages) - 1 : 0;
	for (size_t i = 0; i < stages; i++)
		if (strcmp(stage, gpu_stages[i]) == 0)
			return jit_gpu_text(variant, stage, out, diags);
	if (strcmp(stage, "facts") == 0 && variant->gpu) {
		jit_stored_facts(out, variant);
		return JIT_OK;
	}
	const FrontInfo *info = variant->kernel->info;
	if (strcmp(stage, "source") != 0) {
		diag_add_at(diags, NULL, (LineCol){0, 0}, missing_stage(variant, stage), stage);
		return JIT_ARGUMENT;
	}
	for (uint32_t i = 0; i < variant->sources.files.len; i++) {
		const Source *source = variant->sources.files.data[i];
		if (strcmp(source->path, info->path) == 0) {
			text_add(out, source->text, source->len);
			break;
		}
	}
	return JIT_OK;
}
