/* Bounds the number of loaded modules.
 *
 * The first half of the bound is loaded for good: their launches are as fast as the driver's.
 * Those after them stay loaded until others need the place: the least recently used are unloaded,
 * several at a time, and a launch loads them again. Such a function's `launch` is
 * nv_loaded_launch, and its `handle` is the function itself, so that launches of the first kind
 * pay nothing.
 *
 * `uses` counts launches under way on the CPU; LOADED_CLOSED in it means that the function is not
 * loaded. Unloading closes it first, and only where no launch is under way; then it asks whether
 * what was launched has ended (marks.c). It waits for nothing: what still runs stays until the
 * next time. A function that was launched into a graph stays, as the lifetime of graphs is
 * unknown. Functions with scratch memory, clusters and the like (`special`) stay as well, except
 * those of kernels that may be evicted (NvKernelInfo.passing). */
#include "nv/inner.h"

#include "base/option/option.h"

enum { LOADED_CLOSED = -(1 << 30) };

void nv_loaded_init(NvDriver *driver)
{
	uint64_t most = option_number(OPTION_MAX_MODULES);
	driver->max_modules = (unsigned)MIN(most, (uint64_t)1 << 30);
}

/* ---- unloading ---- */

typedef struct Victims {
	NvFunction *at[64];
	unsigned count;
} Victims;

static bool may_go(const NvFunction *f, unsigned generation)
{
	return f->module && f->generation == generation && !atomic_load(&f->pinned) &&
	       atomic_load(&f->uses) == 0;
}

/* The oldest come first; at most `most`. */
static void find_victims(const NvDriver *driver, unsigned most, Victims *out)
{
	out->count = 0;
	for (NvFunction *f = driver->evictable; f; f = f->older) {
		if (!may_go(f, nv_generation(driver)))
			continue;
		unsigned at = out->count;
		while (at > 0 && atomic_load(&out->at[at - 1]->used) > atomic_load(&f->used))
			at--;
		if (at >= most)
			continue;
		unsigned last = MIN(out->count, most - 1);
		memmove(out->at + at + 1, out->at + at, (last - at) * sizeof *out->at);
		out->at[at] = f;
		out->count = last + 1;
	}
}

static void unload(NvDriver *driver, NvFunction *f, bool there)
{
	nv_recent_forget(driver, f);
	nv_marks_clear(driver, f->marks, there);
	if (there)
		driver->cuda.cuModuleUnload(f->module);
	f->module = f->code = NULL;
	driver->evictable_loaded--;
}

/* Those of one context, of which the first is closed. */
static void unload_context(NvDriver *driver, Victims *victims, unsigned first)
{
	NvFunction *lead = victims->at[first];
	bool there = nv_context_enter(driver, lead->context_handle, lead->context);
	const NvRelaxed relaxed = nv_relax(driver);
	for (unsigned i = first; i < victims->count; i++) {
		NvFunction *f = victims->at[i];
		if (!f || f->context != lead->context)
			continue;
		/* A context that is gone took its modules along. */
		if (!there || nv_marks_done(driver, f->marks))
			unload(driver, f, there);
		else
			atomic_fetch_sub(&f->uses, LOADED_CLOSED);
		victims->at[i] = NULL;
	}
	nv_unrelax(driver, relaxed);
	if (there)
		nv_context_leave(driver);
}

/* Makes room for one more. With the lock. */
static void make_room(NvDriver *driver)
{
	unsigned most = MAX(driver->max_modules - driver->max_modules / 2, 1u);
	if (driver->evictable_loaded < most)
		return;
	Victims victims;
	find_victims(driver, MIN(MAX(most / 8, 1u), (unsigned)ARRAY_LEN(victims.at) - 1), &victims);
	unsigned closed = 0;
	for (unsigned i = 0; i < victims.count; i++) {
		int none = 0;
		if (atomic_compare_exchange_strong(&victims.at[i]->uses, &none, LOADED_CLOSED))
			victims.at[closed++] = victims.at[i];
	}
	victims.count = closed;
	for (unsigned i = 0; i < victims.count; i++)
		if (victims.at[i])
			unload_context(driver, &victims, i);
}

/* ---- loading ---- */

bool nv_loaded_place(NvFunction *f)
{
	NvDriver *driver = f->driver;
	const bool stays = f->special || driver->direct_loaded < driver->max_modules / 2;
	if (!driver->max_modules || (stays && !f->kernel->info.passing))
		return false;
	make_room(driver);
	return true;
}

void nv_loaded_add(NvFunction *f, bool evictable)
{
	NvDriver *driver = f->driver;
	f->is_evictable = evictable;
	f->launch = evictable ? nv_loaded_launch : driver->cuda.cuLaunchKernel;
	f->handle = evictable ? (void *)f : f->code;
	if (!evictable) {
		driver->direct_loaded++;
		return;
	}
	f->marks = nv_marks_new();
	if (!f->marks)
		atomic_store(&f->pinned, true);
	atomic_store(&f->used, ++driver->ticks);
	f->older = driver->evictable;
	driver->evictable = f;
	driver->evictable_loaded++;
}

void nv_loaded_remove(NvFunction *f)
{
	NvDriver *driver = f->driver;
	bool ours = f->generation == nv_generation(driver);
	if (!f->is_evictable) {
		driver->direct_loaded -= ours && driver->direct_loaded ? 1 : 0;
		return;
	}
	driver->evictable_loaded -= ours && f->module && driver->evictable_loaded ? 1 : 0;
	NvFunction **at = &driver->evictable;
	while (*at != f)
		at = &(*at)->older;
	*at = f->older;
	nv_marks_free(f->marks);
}

/* The lock is held, and the context current. A result of the driver's. */
static int load_again(NvFunction *f)
{
	NvDriver *driver = f->driver;
	const CudaApi *cuda = &driver->cuda;
	make_room(driver);
	const NvRelaxed relaxed = nv_relax(driver);
	int result = cuda->cuModuleLoadData(&f->module, f->kernel->cubin);
	nv_unrelax(driver, relaxed);
	if (result != CUDA_SUCCESS) {
		f->module = NULL;
		return result;
	}
	result = cuda->cuModuleGetFunction(&f->code, f->module, f->kernel->info.name);
	if (result == CUDA_SUCCESS && f->shared + f->facts.shared > TARGET_SHARED_DEFAULT) {
		int shared = (int)f->shared;
		result =
			cuda->cuFuncSetAttribute(f->code, CUDA_FUNCTION_MAX_DYNAMIC_SHARED, shared);
		if (result == CUDA_SUCCESS)
			result = cuda->cuFuncSetCacheConfig(f->code, CUDA_CACHE_PREFER_SHARED);
	}
	if (result == CUDA_SUCCESS && f->kernel->info.cluster > TARGET_CLUSTER_CTAS)
		result = cuda->cuFuncSetAttribute(f->code, CUDA_FUNCTION_ANY_CLUSTER, 1);
	if (result != CUDA_SUCCESS) {
		cuda->cuModuleUnload(f->module);
		f->module = f->code = NULL;
		return result;
	}
	driver->evictable_loaded++;
	driver->ticks++;
	return result;
}

int nv_loaded_begin(NvFunction *f)
{
	if (!f->is_evictable)
		return CUDA_SUCCESS;
	if (LIKELY(atomic_fetch_add(&f->uses, 1) >= 0))
		return CUDA_SUCCESS;
	atomic_fetch_sub(&f->uses, 1);
	int result = CUDA_SUCCESS;
	nv_lock(f->driver);
	/* Under the lock nobody closes or opens it: it is open, or not loaded. */
	if (f->module) {
		atomic_fetch_add(&f->uses, 1);
	} else {
		result = load_again(f);
		if (result == CUDA_SUCCESS)
			atomic_fetch_add(&f->uses, 1 - LOADED_CLOSED);
	}
	nv_unlock(f->driver);
	return result;
}

void nv_loaded_end(NvFunction *f)
{
	if (f->is_evictable)
		atomic_fetch_sub(&f->uses, 1);
}

void nv_loaded_launched(NvFunction *f, NvStream stream)
{
	int status = 0;
	if (!f->is_evictable)
		return;
	atomic_store_explicit(&f->used,
			      atomic_load_explicit(&f->driver->ticks, memory_order_relaxed),
			      memory_order_relaxed);
	if (atomic_load_explicit(&f->pinned, memory_order_relaxed))
		return;
	if (f->driver->cuda.cuStreamIsCapturing(stream, &status) != CUDA_SUCCESS || status != 0)
		atomic_store(&f->pinned, true);
}

void nv_loaded_behind(NvFunction *f, NvStream stream)
{
	if (f->is_evictable && !atomic_load_explicit(&f->pinned, memory_order_relaxed) &&
	    !nv_marks_add(f->driver, f->marks, stream))
		atomic_store(&f->pinned, true);
}

int nv_loaded_launch(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
		     unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
		     void *stream, void **params, void **extra)
{
	NvFunction *f = function;
	int result = nv_loaded_begin(f);
	if (result != CUDA_SUCCESS)
		return result;
	nv_loaded_launched(f, stream);
	result = f->driver->cuda.cuLaunchKernel(f->code, grid_x, grid_y, grid_z, block_x, block_y,
						block_z, shared, stream, params, extra);
	nv_loaded_behind(f, stream);
	nv_loaded_end(f);
	return result;
}
