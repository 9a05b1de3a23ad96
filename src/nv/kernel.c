/* Kernels: a cubin with the facts of its launch, loaded into a context at its first launch there.
 *
 * The functions of a kernel form a list that only grows and is read without a lock. What cannot be
 * launched on a device at all (too much shared memory, too many threads for its registers) is
 * diagnosed here, once for each context. */
#include "nv/inner.h"

#include <stdlib.h>

#include "base/fault.h"
#include "base/option/option.h"

static void free_info(NvKernel *kernel)
{
	const NvKernelInfo *info = &kernel->info;
	for (size_t i = 0; info->arg_names && i < kernel->arg_count; i++)
		free((char *)info->arg_names[i]);
	free((void *)info->arg_names);
	free((char *)info->name);
	free((char *)info->shown);
	free((char *)info->args);
	free((void *)info->maps);
	free(kernel->map_entries);
	if (!info->borrows)
		free(kernel->cubin);
	free(kernel);
}

static void copy_info(NvKernel *kernel, const NvKernelInfo *info)
{
	NvKernelInfo *to = &kernel->info;
	*to = *info;
	to->name = to->shown = to->args = NULL;
	to->arg_names = NULL;
	to->maps = NULL;
	to->cluster = MAX(info->cluster, 1u);
	to->name = nv_text(info->name);
	to->shown = nv_text(info->shown ? info->shown : info->name);
	to->args = nv_text(info->args ? info->args : "");
	kernel->arg_count = strlen(to->args);
	kernel->given_count = strcspn(to->args, "ns");
	ASSERT(nv_maps_allowed(info->maps, info->map_count, to->args));
	if (info->map_count) {
		size_t bytes = info->map_count * sizeof *info->maps;
		to->maps = memcpy(nv_new(bytes), info->maps, bytes);
		kernel->map_entries = nv_new_lines(info->map_count * NV_MAP_WAYS * sizeof *kernel->map_entries);
	}
	if (info->arg_names) {
		const char **names = nv_new(sizeof *names * (kernel->arg_count + 1));
		to->arg_names = names;
		for (size_t i = 0; i < kernel->arg_count; i++)
			names[i] = nv_text(info->arg_names[i]);
	}
}

NvKernel *nv_kernel_new(NvDriver *driver, const void *cubin, size_t len, const NvKernelInfo *info)
{
	ASSERT(info->name && info->threads && (!info->scratch_align || base_is_pow2(info->scratch_align)));
	NvKernel *volatile kernel = nv_new(sizeof *kernel);
	Fault fault;
	if (FAULT_TRY(&fault)) {
		kernel->driver = driver;
		/* PTX, which the driver takes too, ends with NUL. */
		kernel->cubin = info->borrows ? (void *)(uintptr_t)cubin :
						memcpy(nv_new(len + 1), cubin, len);
		kernel->len = len;
		copy_info(kernel, info);
		fault_leave(&fault);
	} else {
		free_info(kernel);
		fault_raise(fault.kind, "%s", fault.text);
	}
	atomic_fetch_add(&driver->users, 1);
	return kernel;
}

void nv_kernel_free(NvKernel *kernel)
{
	if (!kernel)
		return;
	NvDriver *driver = kernel->driver;
	nv_lock(driver);
	for (NvFunction *f = kernel->first, *next; f; f = next) {
		next = f->next;
		nv_recent_forget(driver, f);
		/* A context that is gone took its modules along; so did the parent of a fork. */
		if (f->module && f->generation == nv_generation(driver) &&
		    nv_context_enter(driver, f->context_handle, f->context)) {
			const NvRelaxed relaxed = nv_relax(driver);
			if (f->marks)
				nv_marks_clear(driver, f->marks, true);
			driver->cuda.cuModuleUnload(f->module);
			nv_unrelax(driver, relaxed);
			nv_context_leave(driver);
		}
		nv_loaded_remove(f);
		free(f);
	}
	nv_unlock(driver);
	free_info(kernel);
	nv_driver_free(driver);
}

bool nv_kernel_is_loaded(NvKernel *kernel)
{
	NvDriver *driver = kernel->driver;
	bool loaded = false;
	nv_lock(driver);
	for (const NvFunction *f = kernel->first; f; f = f->next)
		loaded |= f->module && f->generation == nv_generation(driver);
	nv_unlock(driver);
	return loaded;
}

/* ---- loading ---- */

typedef struct Load {
	NvKernel *kernel;
	NvContext context;
	NvFunction *function; /* out */
} Load;

static NvFunction *find(const NvKernel *kernel, NvContext context, unsigned generation)
{
	NvFunction *f = atomic_load_explicit(&kernel->first, memory_order_acquire);
	while (f && (f->context != context || f->generation != generation))
		f = f->next;
	return f;
}

static bool load_failed(const NvFunction *f, int result, DiagList *diags)
{
	char text[NV_RESULT_TEXT];
	if (nv_failed_before(f->driver, result, diags))
		return false;
	Diag *diag = diag_add(diags, (Span){0}, DIAG_NV_LOAD, f->kernel->info.shown,
			      nv_result_text(f->driver, result, text));
	if (result == CUDA_NO_BINARY_FOR_GPU || result == CUDA_INVALID_IMAGE)
		diag_note(diags, diag, (Span){0}, "the GPU is %s, of capability %u.%u", f->device->name,
			  f->device->capability / 10, f->device->capability % 10);
	if (result == CUDA_NOT_FOUND)
		diag_note(diags, diag, (Span){0}, "the module has no kernel '%s'", f->kernel->info.name);
	return false;
}

static unsigned fact(const NvFunction *f, int attribute)
{
	int value = 0;
	int result = f->driver->cuda.cuFuncGetAttribute(&value, attribute, f->code);
	return result == CUDA_SUCCESS && value > 0 ? (unsigned)value : 0;
}

/* More than a CTA gets by itself is asked for; the L1 cache, which shares the memory, gives way then. */
static bool set_shared(NvFunction *f, DiagList *diags)
{
	const CudaApi *cuda = &f->driver->cuda;
	uint64_t need = (uint64_t)f->shared + f->facts.shared;
	if (need > f->device->shared_cta) {
		diag_add(diags, (Span){0}, DIAG_NV_SHARED, f->kernel->info.shown, (unsigned long long)need,
			 f->device->name, f->device->shared_cta);
		return false;
	}
	if (need <= TARGET_SHARED_DEFAULT)
		return true;
	int result = cuda->cuFuncSetAttribute(f->code, CUDA_FUNCTION_MAX_DYNAMIC_SHARED, (int)f->shared);
	if (result == CUDA_SUCCESS)
		result = cuda->cuFuncSetCacheConfig(f->code, CUDA_CACHE_PREFER_SHARED);
	return result == CUDA_SUCCESS || load_failed(f, result, diags);
}

static bool set_cluster(NvFunction *f, DiagList *diags)
{
	const NvKernelInfo *info = &f->kernel->info;
	const CudaApi *cuda = &f->driver->cuda;
	const char *why = NULL;
	if (info->cluster > 1 && f->device->capability < 90)
		why = arena_printf(diags->arena, "%s has none", f->device->name);
	else if (info->cluster > 1 && !cuda->cuLaunchKernelEx)
		why = arena_printf(diags->arena, "%s cannot launch them", f->driver->text);
	else if (info->cluster > TARGET_CLUSTER_CTAS &&
		 cuda->cuFuncSetAttribute(f->code, CUDA_FUNCTION_ANY_CLUSTER, 1) != CUDA_SUCCESS)
		why = arena_printf(diags->arena, "%s takes at most %d", f->device->name, TARGET_CLUSTER_CTAS);
	if (why)
		diag_add(diags, (Span){0}, DIAG_NV_CLUSTER, info->shown, info->cluster, why);
	return !why;
}

static bool check_function(NvFunction *f, DiagList *diags)
{
	const NvKernelInfo *info = &f->kernel->info;
	f->facts = (NvFunctionFacts){
		.registers = fact(f, CUDA_FUNCTION_REGISTERS),
		.local = fact(f, CUDA_FUNCTION_LOCAL),
		.shared = fact(f, CUDA_FUNCTION_SHARED),
		.max_threads = fact(f, CUDA_FUNCTION_MAX_THREADS),
	};
	if (f->facts.max_threads && info->threads > f->facts.max_threads) {
		diag_add(diags, (Span){0}, DIAG_NV_THREADS, info->shown, info->threads, f->facts.registers,
			 f->facts.max_threads);
		return false;
	}
	return set_shared(f, diags) && set_cluster(f, diags);
}

static void fill_function(NvFunction *f)
{
	const NvKernelInfo *info = &f->kernel->info;
	f->threads = info->threads;
	f->shared = info->shared;
	const char *counts = strchr(info->args, 'n');
	f->program_counts = counts ? (uint8_t)strspn(counts, "n") : 0;
	f->mapped = info->map_count > 0 || counts;
	f->special = info->cluster > 1 || info->scratch_bytes || info->cooperative ||
		     (info->dependent && f->driver->cuda.cuLaunchKernelEx && f->device->capability >= 90);
	memcpy(f->max_grid, f->device->max_grid, sizeof f->max_grid);
	f->max_grid[0] /= info->cluster; /* the CTAs of a program lie along x */
	f->is_chosen = info->programs != NV_PROGRAMS_ANY;
	f->recorded = (uint8_t)MIN(f->kernel->arg_count, (size_t)NV_RECENT_ARGS);
	for (unsigned i = 0; i < f->recorded; i++)
		f->arg_size[i] = (uint8_t)nv_letter_bytes(info->args[i]);
}

/* Of kernels whose CTAs run several programs. All CTAs of a cooperative grid meet, and are the
 * user's. */
static void find_most_ctas(NvFunction *f)
{
	const NvKernelInfo *info = &f->kernel->info;
	uint64_t given = option_number(OPTION_PERSIST_CTAS);
	const CudaApi *cuda = &f->driver->cuda;
	int each = 0;
	if (!strchr(info->args, 'n') || info->cluster > 1 || info->cooperative)
		return;
	if (given)
		f->most_ctas = (uint32_t)MIN(given, (uint64_t)UINT32_MAX);
	else if (cuda->cuOccupancyMaxActiveBlocksPerMultiprocessor(&each, f->code, (int)f->threads,
								   f->shared) == CUDA_SUCCESS)
		f->most_ctas = (uint32_t)MAX(each, 1) * f->device->sms;
}

static bool load_module(NvFunction *f, DiagList *diags)
{
	const CudaApi *cuda = &f->driver->cuda;
	/* A module may be loaded while this thread captures a graph: loading is no part of the graph. */
	const NvRelaxed relaxed = nv_relax(f->driver);
	int result = cuda->cuModuleLoadData(&f->module, f->kernel->cubin);
	nv_unrelax(f->driver, relaxed);
	if (result != CUDA_SUCCESS)
		return load_failed(f, result, diags);
	result = cuda->cuModuleGetFunction(&f->code, f->module, f->kernel->info.name);
	if ((result == CUDA_SUCCESS || load_failed(f, result, diags)) && check_function(f, diags)) {
		find_most_ctas(f);
		return true;
	}
	cuda->cuModuleUnload(f->module);
	return false;
}

/* A fault on the way leaves its kind in *fault. */
static bool load_caught(NvFunction *f, DiagList *diags, Fault *fault)
{
	volatile bool ok = false;
	if (FAULT_TRY(fault)) {
		ok = load_module(f, diags);
		fault_leave(fault);
	}
	return ok;
}

static bool load(NvDriver *driver, void *data, DiagList *diags)
{
	Load *l = data;
	NvKernel *kernel = l->kernel;
	l->function = find(kernel, l->context, nv_generation(driver));
	if (l->function)
		return true;
	const NvDevice *device = nv_context_device(driver, diags);
	if (!device)
		return false;
	NvFunction *f = nv_new_lines(sizeof *f);
	*f = (NvFunction){.driver = driver,
			  .kernel = kernel,
			  .context = l->context,
			  .device = device,
			  .generation = nv_generation(driver)};
	fill_function(f);
	driver->cuda.cuCtxGetCurrent(&f->context_handle);
	Fault fault;
	bool evictable = nv_loaded_place(f);
	if (!load_caught(f, diags, &fault)) {
		free(f);
		if (fault.kind != FAULT_NONE)
			fault_raise(fault.kind, "%s", fault.text);
		return false;
	}
	nv_loaded_add(f, evictable);
	f->next = atomic_load_explicit(&kernel->first, memory_order_relaxed);
	atomic_store_explicit(&kernel->first, f, memory_order_release);
	l->function = f;
	return true;
}

NvFunction *nv_kernel_function(NvKernel *kernel, NvContext context, DiagList *diags)
{
	CONTRACT(kernel->driver);
	NvFunction *f = find(kernel, context, nv_generation(kernel->driver));
	if (LIKELY(f != NULL))
		return f;
	Load l = {.kernel = kernel, .context = context};
	return nv_locked(kernel->driver, load, &l, diags) ? l.function : NULL;
}

unsigned nv_function_occupancy(NvFunction *f, DiagList *diags)
{
	int blocks = 0, result = nv_loaded_begin(f);
	if (result == CUDA_SUCCESS) {
		result = f->driver->cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(
			&blocks, f->code, (int)f->threads, f->shared);
		nv_loaded_end(f);
	}
	if (result == CUDA_SUCCESS && blocks > 0)
		return (unsigned)blocks;
	nv_failed(f->driver, result ? result : CUDA_LAUNCH_OUT_OF_RESOURCES,
		  "cuOccupancyMaxActiveBlocksPerMultiprocessor", diags);
	return 0;
}
