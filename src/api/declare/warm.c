/* Warming up: what is declared is compiled, side by side, and loaded, before anybody asks for it.
 */
#define _GNU_SOURCE /* realpath */
#include "api/inner.h"
#include "jit/declare/declare.h"
#include "neso/declare.h"

#include <limits.h>
#include <stdlib.h>

#include "base/os.h"

/* ---- one variant ---- */

static neso_context *context_of(const neso_variant *variant)
{
	const neso_kernel *kernel = jit_kernel_tag(jit_variant_kernel(api_jit_variant(variant)));
	return kernel->module->context;
}

static neso_status load(ApiCall *call, void *data)
{
	const neso_variant *variant = data;
	if (!variant)
		return api_usage(call, "neso_variant_load wants a variant");
	return api_status(jit_load(api_jit_variant(variant), &call->diags));
}

neso_status neso_variant_load(neso_variant *variant, neso_diagnostics **diagnostics)
{
	return api_run(variant ? context_of(variant) : NULL, diagnostics, load, variant);
}

/* ---- what there is to do ---- */

typedef struct Job {
	JitKernel *kernel;
	JitDeclared declared;
	const JitVariant *variant; /* NULL: it failed */
	bool compiled;
	JitStatus status;
	Arena arena;               /* of its diagnostics */
	DiagList diags;
} Job;

typedef struct Warming {
	neso_context *context;
	neso_warm_options options;
	VEC(Job) jobs;
	_Atomic uint32_t next;
	neso_warm_result result;
} Warming;

static bool same_file(const char *a, const char *b)
{
	char x[PATH_MAX], y[PATH_MAX];
	return strcmp(a, b) == 0 || (realpath(a, x) && realpath(b, y) && strcmp(x, y) == 0);
}

static neso_kernel *kernel_in(const neso_module *module, const char *name)
{
	for (size_t i = 0; i < module->kernel_count; i++)
		if (strcmp(jit_kernel_info(module->kernels[i].jit)->qualified_name, name) == 0)
			return &module->kernels[i];
	return NULL;
}

/* What launches would name, as the options of a variant have it; NULL where that is no target here.
 */
static bool is_for_here(const Warming *w, JitKernel *kernel, const JitOptions *options)
{
	const char *declared = options->target ? options->target : "interp";
	const char *wanted = w->options.target ? w->options.target : "interp";
	if (strcmp(declared, wanted) == 0)
		return true;
	Arena arena;
	DiagList diags;
	JitOptions a = {.target = declared}, b = {.target = wanted};
	arena_init(&arena, 0);
	diag_init(&diags, &arena, NULL);
	const bool good =
		jit_complete_options(kernel, &a, &diags) && jit_complete_options(kernel, &b, &diags);
	const bool same = good && a.gpu == b.gpu && a.sim == b.sim;
	arena_free(&arena);
	return same;
}

static neso_status add_line(ApiCall *call, Warming *w, neso_kernel *kernel, const JitDeclaration *line)
{
	JitDeclaredList list;
	enum { MOST = 1 << 16 };
	const JitOptions base = {.target = w->options.target};
	if (line->is_control)
		return api_control(call, kernel, line);
	const JitStatus status = jit_declared(kernel->jit, line, &base, NULL, 0, MOST, &list, &call->diags);
	for (uint32_t i = 0; status == JIT_OK && i < list.all.len; i++) {
		if (is_for_here(w, kernel->jit, &list.all.data[i].options))
			vec_push(&call->arena, &w->jobs,
				 (Job){.kernel = kernel->jit, .declared = list.all.data[i]});
		else
			w->result.skipped++;
	}
	return api_status(status);
}

/* Control lines come first, wherever they stand. */
static neso_status collect(ApiCall *call, Warming *w, const JitDeclarations *lines)
{
	neso_status status = NESO_OK;
	for (int controls = 1; controls >= 0; controls--)
		for (uint32_t i = 0; i < lines->len && status == NESO_OK; i++) {
			const JitDeclaration *line = &lines->data[i];
			const char *path = api_declared_path(&call->arena, line);
			bool found = false;
			for (const neso_module *m = w->context->modules;
			     m && line->is_control == (controls != 0); m = m->next) {
				neso_kernel *kernel = same_file(path, jit_module_path(m->jit))
							      ? kernel_in(m, line->kernel)
							      : NULL;
				found |= kernel != NULL;
				if (kernel && status == NESO_OK)
					status = add_line(call, w, kernel, line);
			}
			w->result.skipped += !found && !line->is_control && !controls;
		}
	return status;
}

/* The same where a fault is passed on once the lock is given back. */
static neso_status collect_locked(ApiCall *call, Warming *w, const JitDeclarations *lines)
{
	neso_status volatile status = NESO_ERROR_INTERNAL;
	Fault fault;
	pthread_mutex_lock(&w->context->modules_lock);
	if (FAULT_TRY(&fault)) {
		status = collect(call, w, lines);
		fault_leave(&fault);
	}
	pthread_mutex_unlock(&w->context->modules_lock);
	if (fault.kind != FAULT_NONE)
		fault_raise(fault.kind, "%s", fault.text);
	return status;
}

/* ---- doing it ---- */

static void compile(Job *job)
{
	Fault fault;
	if (FAULT_TRY(&fault)) {
		job->status =
			jit_compile_signature(job->kernel, job->declared.signature, &job->declared.options,
					      &job->variant, &job->compiled, &job->diags);
		const JitVariant *other = NULL;
		if (job->status == JIT_OK)
			job->status = jit_make_counterpart(job->variant, &other, &job->diags);
		jit_let_go(other);
		fault_leave(&fault);
		return;
	}
	job->status = JIT_SOURCE;
	job->variant = NULL;
}

static void *work(void *data)
{
	Warming *w = data;
	uint32_t i;
	while ((i = w->next++) < w->jobs.len)
		compile(&w->jobs.data[i]);
	return NULL;
}

static void compile_all(Warming *w)
{
	enum { MOST_THREADS = 256 };
	pthread_t threads[MOST_THREADS];
	uint32_t wanted = w->options.threads ? w->options.threads : os_cpu_count(), started = 0;
	wanted = MIN(MIN(wanted, w->jobs.len), (uint32_t)MOST_THREADS);
	while (started + 1 < wanted && pthread_create(&threads[started], NULL, work, w) == 0)
		started++;
	work(w);
	while (started)
		pthread_join(threads[--started], NULL);
}

/* Takes over what a job has to say, and loads what it made. */
static neso_status finish(ApiCall *call, Warming *w, Job *job)
{
	JitVariantInfo info;
	neso_status status = api_status(job->status);
	for (const Diag *d = job->diags.first; d; d = d->next)
		if (d->code != DIAG_VARIANTS_MANY) /* that is what was declared */
			diag_add_text(&call->diags, d->path ? arena_strdup(&call->arena, d->path) : NULL,
				      d->from, d->code, d->text);
	w->result.variants++;
	w->result.failed += status != NESO_OK;
	if (status != NESO_OK)
		return status;
	jit_variant_info(job->variant, &info);
	const bool hit = info.cache && strcmp(info.cache, "hit") == 0;
	w->result.present += !job->compiled;
	w->result.hits += job->compiled && hit;
	w->result.compiled += job->compiled && !hit;
	if (w->options.no_load || !info.cubin)
		return NESO_OK;
	status = api_status(jit_load(job->variant, &call->diags));
	w->result.loaded += status == NESO_OK;
	return status;
}

static neso_status run(ApiCall *call, Warming *w)
{
	neso_status status = NESO_OK;
	const double began = os_now();
	for (uint32_t i = 0; i < w->jobs.len; i++) {
		arena_init(&w->jobs.data[i].arena, 0);
		diag_init(&w->jobs.data[i].diags, &w->jobs.data[i].arena, NULL);
	}
	compile_all(w);
	for (uint32_t i = 0; i < w->jobs.len; i++) {
		const neso_status one = finish(call, w, &w->jobs.data[i]);
		if (w->jobs.data[i].status == JIT_OK)
			jit_let_go(w->jobs.data[i].variant);
		status = status == NESO_OK ? one : status;
		arena_free(&w->jobs.data[i].arena);
	}
	w->result.seconds = os_now() - began;
	return status;
}

typedef struct WarmArgs {
	neso_context *context;
	const char *file, *text;
	const neso_warm_options *options;
	neso_warm_result *result;
} WarmArgs;

static neso_status warm(ApiCall *call, void *data)
{
	const WarmArgs *args = data;
	JitDeclarations lines = {0};
	if (!args->context || !args->file)
		return api_usage(call, "neso_context_warm wants a context and a file's name");
	Warming *w = ARENA_NEW(&call->arena, Warming);
	w->context = args->context;
	w->result.size = sizeof w->result;
	if (!api_read_struct(call, &w->options, sizeof w->options, args->options, "neso_warm_options"))
		return NESO_ERROR_USAGE;
	const Str text = str_of(args->text ? args->text : "");
	if (!jit_declarations_read(&call->arena, args->file, args->text ? &text : NULL, &lines, &call->diags))
		return NESO_ERROR_SOURCE;
	neso_status status = collect_locked(call, w, &lines);
	if (status == NESO_OK)
		status = run(call, w);
	if (args->result && !api_write_struct(args->result, &w->result, sizeof w->result))
		return api_usage(call, "neso_warm_result.size is not set");
	return status;
}

neso_status neso_context_warm(neso_context *context, const char *file, const char *text,
			      const neso_warm_options *options, neso_warm_result *result,
			      neso_diagnostics **diagnostics)
{
	WarmArgs args = {context, file, text, options, result};
	return api_run(context, diagnostics, warm, &args);
}
