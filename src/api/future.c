/* Compilations in the background (neso_future), with copies of all that they were asked with. */
#include "api/background.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
#include "neso/declare.h"

struct neso_future {
	ApiJob job;
	atomic_uint users; /* who asked, and who does it */
	pid_t pid;
	neso_kernel *kernel;
	Arena arena; /* holds this struct and the copies */
	const char *signature; /* or NULL: by launch */
	neso_launch launch;
	neso_compile_options options;
	neso_poll_fn *poll; /* the caller's */
	void *poll_data;
	int device; /* to be current; below 0: none */
	NvContext context; /* into which it is loaded; 0: it is not */
	ApiFutureDone *told;
	void *told_data;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	bool done;
	neso_status status;
	neso_variant *variant;
	neso_diagnostics *diagnostics;
};

/* ---- copies ---- */

static const char *copy_text(Arena *arena, const char *text)
{
	return text ? arena_strdup(arena, text) : NULL;
}

static void copy_value(Arena *arena, neso_value *v)
{
	v->text = copy_text(arena, v->text);
	v->path = copy_text(arena, v->path);
	v->source = copy_text(arena, v->source);
	if (!v->items || !v->count)
		return;
	neso_value *items = arena_copy(arena, v->items, v->count * sizeof *items);
	for (size_t i = 0; i < v->count; i++)
		copy_value(arena, &items[i]);
	v->items = items;
}

static void copy_options(neso_future *f, const neso_compile_options *given)
{
	f->options = *given;
	f->options.target = copy_text(&f->arena, given->target);
	f->options.dot_precision = copy_text(&f->arena, given->dot_precision);
	f->options.symbol = copy_text(&f->arena, given->symbol);
	f->options.override = copy_text(&f->arena, given->override);
}

static void copy_launch(neso_future *f, const neso_launch *given)
{
	f->launch =
		(neso_launch){.size = sizeof f->launch, .arg_size = sizeof(neso_arg), .options = &f->options};
	neso_arg *args = ARENA_ARRAY(&f->arena, neso_arg, given->arg_count + 1);
	for (size_t i = 0; i < given->arg_count; i++) {
		memcpy(&args[i], (const char *)given->args + i * given->arg_size,
		       MIN(given->arg_size, sizeof *args));
		args[i].name = copy_text(&f->arena, args[i].name);
		copy_value(&f->arena, &args[i].value);
	}
	f->launch.args = args;
	f->launch.arg_count = given->arg_count;
}

/* ---- doing it ---- */

static void release(neso_future *f)
{
	if (atomic_fetch_sub(&f->users, 1) != 1)
		return;
	neso_diagnostics_free(f->diagnostics);
	pthread_cond_destroy(&f->changed);
	pthread_mutex_destroy(&f->lock);
	Arena arena = f->arena;
	arena_free(&arena);
}

static void end(neso_future *f, neso_status status, neso_variant *variant, neso_diagnostics *diagnostics)
{
	if (f->told) {
		f->told(f->told_data, f->kernel, variant); /* which holds what it keeps */
		neso_variant_release(variant);
		variant = NULL; /* nobody asks this future */
	}
	pthread_mutex_lock(&f->lock);
	f->done = true;
	f->status = status;
	f->variant = variant;
	f->diagnostics = diagnostics;
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->lock);
}

static bool goes_on(void *data)
{
	const neso_future *f = data;
	return !atomic_load(&f->job.stop) && (!f->poll || f->poll(f->poll_data));
}

/* Makes the device's own context the thread's. Where there is none, compiling says so. */
static neso_status use_device(ApiCall *call, void *data)
{
	const neso_future *f = data;
	if (f->device >= 0)
		nv_device_use(f->kernel->module->context->host.driver, (unsigned)f->device, &call->diags);
	return NESO_OK;
}

/* What the caller launches in is loaded into if it is that context. */
static void load(const neso_future *f, neso_variant *variant)
{
	const neso_context *context = f->kernel->module->context;
	if (f->context && nv_context_now(context->host.driver) == f->context)
		neso_variant_load(variant, NULL); /* what keeps it from that the launch says */
}

static void run(ApiJob *job)
{
	neso_future *f = (neso_future *)job;
	neso_variant *variant = NULL;
	neso_diagnostics *diagnostics = NULL;
	api_run(NULL, NULL, use_device, f);
	const neso_status status =
		f->signature
			? neso_kernel_compile(f->kernel, f->signature, &f->options, &variant, &diagnostics)
			: neso_kernel_compile_for(f->kernel, &f->launch, &variant, &diagnostics);
	if (status == NESO_OK)
		load(f, variant);
	end(f, status, variant, diagnostics);
}

static void drop(ApiJob *job)
{
	end((neso_future *)job, NESO_ERROR_STOPPED, NULL, NULL);
}

static void free_job(ApiJob *job)
{
	release((neso_future *)job);
}

/* ---- asking for it ---- */

static neso_future *future_new(neso_kernel *kernel)
{
	Arena arena;
	arena_init(&arena, 0);
	neso_future *f = ARENA_NEW(&arena, neso_future);
	f->arena = arena;
	f->job = (ApiJob){.module = kernel->module, .run = run, .drop = drop, .free = free_job};
	f->pid = getpid();
	f->kernel = kernel;
	f->device = -1;
	atomic_init(&f->users, 2);
	pthread_condattr_t monotonic;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&f->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	pthread_mutex_init(&f->lock, NULL);
	return f;
}

typedef struct Asked {
	neso_kernel *kernel;
	const char *signature;
	const neso_launch *launch;
	const neso_compile_options *options;
	bool loads;
	ApiFutureDone *told;
	void *told_data;
	neso_future **out; /* NULL: nobody wants it */
} Asked;

/* "cuda" is another thread's GPU where the work is done. */
static void note_device(neso_future *f, bool loads, DiagList *diags)
{
	NvDriver *driver = f->kernel->module->context->host.driver;
	if (!f->options.target || strcmp(f->options.target, "cuda") != 0 || !nv_context(driver, diags))
		return;
	const NvDevice *device = nv_context_device(driver, diags);
	f->device = device ? (int)device->ordinal : -1;
	f->context = loads ? nv_context_now(driver) : 0;
}

static bool fill(ApiCall *call, neso_future *f, const Asked *asked)
{
	neso_compile_options options;
	neso_launch launch;
	const neso_compile_options *given = asked->options;
	if (asked->launch && !api_read_struct(call, &launch, sizeof launch, asked->launch, "neso_launch"))
		return false;
	if (asked->launch)
		given = launch.options;
	if (!api_read_struct(call, &options, sizeof options, given, "neso_compile_options"))
		return false;
	if (asked->launch && launch.arg_count && (!launch.args || launch.arg_size < sizeof(void *))) {
		api_usage(call, "neso_launch.args and arg_size are to be set");
		return false;
	}
	options.size = sizeof options;
	copy_options(f, &options);
	if (asked->launch)
		copy_launch(f, &launch);
	f->signature = asked->launch ? NULL : copy_text(&f->arena, asked->signature);
	f->poll = options.poll;
	f->poll_data = options.poll_data;
	f->options.poll = goes_on;
	f->options.poll_data = f;
	f->told = asked->told;
	f->told_data = asked->told_data;
	note_device(f, asked->loads, &call->diags);
	return true;
}

static void discard(neso_future *f)
{
	atomic_store(&f->users, 1);
	release(f);
}

static neso_status ask(ApiCall *call, void *data)
{
	const Asked *asked = data;
	if (!asked->kernel || (!asked->launch && !asked->signature) || (!asked->out && !asked->told))
		return api_usage(call, "compiling in the background wants a kernel, a signature or a "
				       "launch, and a place for the future");
	neso_future *f = future_new(asked->kernel);
	volatile bool good = false;
	Fault fault;
	if (FAULT_TRY(&fault)) {
		good = fill(call, f, asked);
		fault_leave(&fault);
	}
	if (!good) {
		discard(f);
		if (fault.kind != FAULT_NONE)
			fault_raise(fault.kind, "%s", fault.text);
		return NESO_ERROR_USAGE;
	}
	if (!api_background_add(asked->kernel->module->context, &f->job)) {
		discard(f);
		fault_raise(FAULT_MEMORY, "out of memory: a thread");
	}
	if (asked->out)
		*asked->out = f;
	else
		release(f);
	return NESO_OK;
}

static neso_status start(const Asked *asked, neso_diagnostics **diagnostics)
{
	if (asked->out)
		*asked->out = NULL;
	return api_run(asked->kernel ? asked->kernel->module->context : NULL, diagnostics, ask,
		       (void *)(uintptr_t)asked);
}

neso_status neso_kernel_compile_async(neso_kernel *kernel, const char *signature,
				      const neso_compile_options *options, neso_future **future,
				      neso_diagnostics **diagnostics)
{
	return start(&(Asked){.kernel = kernel, .signature = signature, .options = options, .out = future},
		     diagnostics);
}

neso_status neso_kernel_compile_for_async(neso_kernel *kernel, const neso_launch *launch,
					  neso_future **future, neso_diagnostics **diagnostics)
{
	return start(&(Asked){.kernel = kernel, .launch = launch, .out = future}, diagnostics);
}

bool api_future_begin(neso_kernel *kernel, const neso_launch *launch, ApiFutureDone *done, void *data)
{
	return start(&(Asked){.kernel = kernel,
			      .launch = launch,
			      .loads = true,
			      .told = done,
			      .told_data = data},
		     NULL) == NESO_OK;
}

/* ---- waiting ---- */

/* The thread that would do it is in the parent. */
static bool is_lost(const neso_future *f)
{
	return f->pid != getpid();
}

bool neso_future_done(const neso_future *future)
{
	return neso_future_wait((neso_future *)(uintptr_t)future, 0);
}

bool neso_future_wait(neso_future *future, double seconds)
{
	static const double ages = 1e9;
	if (!future || is_lost(future))
		return true;
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	const double whole = seconds < 0 || seconds > ages ? ages : seconds;
	until.tv_sec += (time_t)whole;
	until.tv_nsec += (long)((whole - (double)(time_t)whole) * 1e9);
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&future->lock);
	while (!future->done && whole > 0 &&
	       pthread_cond_timedwait(&future->changed, &future->lock, &until) == 0)
		;
	const bool done = future->done;
	pthread_mutex_unlock(&future->lock);
	return done;
}

neso_status neso_future_result(neso_future *future, neso_variant **variant,
			       const neso_diagnostics **diagnostics)
{
	neso_future_wait(future, -1);
	const bool there = future && !is_lost(future);
	if (variant)
		*variant = there ? future->variant : NULL;
	if (diagnostics)
		*diagnostics = there ? future->diagnostics : NULL;
	return there ? future->status : future ? NESO_ERROR_STOPPED : NESO_ERROR_USAGE;
}

bool neso_future_cancel(neso_future *future)
{
	if (!future || neso_future_wait(future, 0))
		return false;
	atomic_store(&future->job.stop, true);
	/* Where it is not done its module is there: the end of that waits for it. */
	if (api_background_take(future->kernel->module->context, &future->job)) {
		drop(&future->job);
		free_job(&future->job);
	}
	return true;
}

void neso_future_free(neso_future *future)
{
	if (future && !is_lost(future))
		release(future);
}
