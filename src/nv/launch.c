/* Launching. The fast path is a check of the grid, a record in the ring, and cuLaunchKernel.
 * Clusters, cooperative grids, programmatic dependent launches, and scratch memory take the slow
 * path. */
#include "nv/inner.h"

static uint64_t cta_count(const NvFunction *f, const uint32_t grid[3])
{
	return (uint64_t)grid[0] * grid[1] * grid[2] * f->kernel->info.cluster;
}

/* The grid of CTAs for one of programs. */
static void ctas_of(const NvFunction *f, const uint32_t grid[3], uint32_t ctas[3])
{
	memcpy(ctas, grid, 3 * sizeof *ctas);
	if (f->most_ctas)
		target_persistent_grid(grid, f->most_ctas, f->program_counts > 1, ctas);
}

static bool grid_fits(const NvFunction *f, const uint32_t grid[3])
{
	return grid[0] <= f->max_grid[0] && grid[1] <= f->max_grid[1] && grid[2] <= f->max_grid[2];
}

/* A grid that is empty, or too large: what is too large is wrong even where another axis is empty. */
static bool odd_grid(const NvFunction *f, const uint32_t grid[3], DiagList *diags)
{
	const NvKernelInfo *info = &f->kernel->info;
	for (unsigned axis = 0; axis < 3; axis++) {
		if (grid[axis] <= f->max_grid[axis])
			continue;
		bool clusters = axis == 0 && info->cluster > 1;
		diag_add(diags, (Span){0}, DIAG_NV_GRID, info->shown,
			 (unsigned long long)grid[axis] * (clusters ? info->cluster : 1),
			 clusters ? "CTAs" : "programs", axis, f->device->name, f->device->max_grid[axis]);
		return false;
	}
	return true;
}

static bool launch_failed(NvFunction *f, int result, const uint32_t grid[3], void **params, DiagList *diags)
{
	NvDriver *driver = f->driver;
	char text[NV_RESULT_TEXT];
	if (nv_failed_before(driver, result, diags))
		return false;
	Diag *diag = diag_add(diags, (Span){0}, DIAG_NV_LAUNCH, f->kernel->info.shown,
			      nv_result_text(driver, result, text));
	diag_note(diags, diag, (Span){0}, "grid (%u, %u, %u), %u threads and %u bytes of shared memory a CTA%s",
		  grid[0], grid[1], grid[2], f->threads, f->shared, nv_args_text(f->kernel, params, diags));
	if (result == CUDA_LAUNCH_OUT_OF_RESOURCES)
		diag_note(diags, diag, (Span){0}, "it uses %u registers a thread, and %u bytes of static shared memory",
			  f->facts.registers, f->facts.shared);
	return false;
}

/* A cooperative grid must be resident at once. */
static bool cooperative_fits(NvFunction *f, const uint32_t grid[3], DiagList *diags)
{
	unsigned each = nv_function_occupancy(f, diags);
	if (!each)
		return false;
	if (cta_count(f, grid) <= (uint64_t)each * f->device->sms)
		return true;
	diag_add(diags, (Span){0}, DIAG_NV_COOPERATIVE, f->kernel->info.shown, (unsigned long long)cta_count(f, grid),
		 f->device->name, f->device->sms, each);
	return false;
}

static int launch_with_attributes(NvFunction *f, const uint32_t grid[3], NvStream stream, void **params)
{
	const NvKernelInfo *info = &f->kernel->info;
	const CudaApi *cuda = &f->driver->cuda;
	uint32_t ctas[3];
	ctas_of(f, grid, ctas);
	unsigned x = ctas[0] * info->cluster, n = 0;
	CudaLaunchAttribute attributes[3];
	if (!cuda->cuLaunchKernelEx || (info->cluster <= 1 && !info->cooperative && !info->dependent))
		return f->launch(f->handle, x, ctas[1], ctas[2], f->threads, 1, 1, f->shared, stream, params, NULL);
	memset(attributes, 0, sizeof attributes);
	if (info->cluster > 1) {
		attributes[n].id = CUDA_LAUNCH_CLUSTER;
		attributes[n].value.cluster.x = info->cluster;
		attributes[n].value.cluster.y = attributes[n].value.cluster.z = 1;
		n++;
	}
	if (info->cooperative) {
		attributes[n].id = CUDA_LAUNCH_COOPERATIVE;
		attributes[n++].value.number = 1;
	}
	if (info->dependent && f->device->capability >= 90) {
		attributes[n].id = CUDA_LAUNCH_DEPENDENT;
		attributes[n++].value.number = 1;
	}
	CudaLaunchConfig config = {
		.grid = {x, ctas[1], ctas[2]},
		.block = {f->threads, 1, 1},
		.shared = f->shared,
		.stream = stream,
		.attributes = attributes,
		.attribute_count = n,
	};
	int result = nv_loaded_begin(f);
	if (result != CUDA_SUCCESS)
		return result;
	nv_loaded_launched(f, stream);
	result = cuda->cuLaunchKernelEx(&config, f->code, params, NULL);
	nv_loaded_behind(f, stream);
	nv_loaded_end(f);
	return result;
}

static int recorded_launch(NvFunction *f, const uint32_t grid[3], NvStream stream, void **params)
{
	unsigned record = nv_recent_add(f, grid, stream, params);
	int result = launch_with_attributes(f, grid, stream, params);
	if (result != CUDA_SUCCESS)
		nv_recent_drop(f->driver, record);
	return result;
}

/* The lock is held from getting the buffer to the launch: another thread that makes the stream's buffer grow frees
 * the old one behind what was launched before. */
static int launch_with_scratch(NvFunction *f, const uint32_t grid[3], NvStream stream, void **params, bool *no_memory)
{
	const NvKernelInfo *info = &f->kernel->info;
	NvDriver *driver = f->driver;
	size_t bytes = (size_t)cta_count(f, grid) * info->scratch_bytes, align = MAX(info->scratch_align, 1u);
	bool once = false;
	*no_memory = false;
	int result = nv_loaded_begin(f); /* which may want the lock */
	if (result != CUDA_SUCCESS)
		return result;
	nv_lock(driver);
	const NvDriverOptions *o = &driver->options;
	NvPtr ptr = o->scratch ? o->scratch(o->scratch_data, bytes, align, stream) : NV_SCRATCH_OWN;
	if (ptr == NV_SCRATCH_OWN)
		ptr = nv_scratch_get(f, bytes, align, stream, &once);
	*no_memory = !ptr;
	if (ptr) {
		for (size_t i = 0; i < f->kernel->arg_count; i++)
			if (info->args[i] == 's')
				params[i] = &ptr;
		result = recorded_launch(f, grid, stream, params);
		if (once)
			driver->cuda.cuMemFreeAsync(ptr, stream);
	}
	nv_unlock(driver);
	nv_loaded_end(f);
	return result;
}

static bool launch_special(NvFunction *f, const uint32_t grid[3], NvStream stream, void **params, DiagList *diags)
{
	const NvKernelInfo *info = &f->kernel->info;
	if (info->cooperative && !cooperative_fits(f, grid, diags))
		return false;
	int result;
	bool no_memory = false;
	if (info->scratch_bytes) {
		result = launch_with_scratch(f, grid, stream, params, &no_memory);
	} else {
		result = recorded_launch(f, grid, stream, params);
	}
	if (no_memory) {
		diag_add(diags, (Span){0}, DIAG_NV_SCRATCH, info->shown,
			 (unsigned long long)cta_count(f, grid) * info->scratch_bytes, grid[0], grid[1], grid[2]);
		return false;
	}
	return result == CUDA_SUCCESS || launch_failed(f, result, grid, params, diags);
}

/* grid: of programs, as it is remembered. */
static inline int launch_ctas(NvFunction *f, const uint32_t grid[3], const uint32_t ctas[3], NvStream stream,
			      void **params)
{
	unsigned record = nv_recent_add(f, grid, stream, params);
	int result = f->launch(f->handle, ctas[0], ctas[1], ctas[2], f->threads, 1, 1, f->shared, stream, params,
			       NULL);
	if (UNLIKELY(result != CUDA_SUCCESS))
		nv_recent_drop(f->driver, record);
	return result;
}

static int launch_mapped(NvFunction *f, const uint32_t grid[3], NvStream stream, void **params)
{
	NvArguments arguments;
	uint32_t ctas[3];
	if (!nv_arguments(f, grid, params, &arguments))
		return NV_NO_MAP;
	ctas_of(f, grid, ctas);
	return launch_ctas(f, grid, ctas, stream, arguments.params);
}

/* Does the grid have as many programs as this kernel is for? */
static bool is_for(const NvFunction *f, const uint32_t grid[3])
{
	const NvKernelInfo *info = &f->kernel->info;
	return target_is_many(grid, f->device->sms, info->uneven) == (info->programs == NV_PROGRAMS_MANY);
}

int nv_launch_plain(NvFunction *f, const uint32_t grid[3], NvStream stream, void **params)
{
	bool plain = grid[0] - 1 < f->max_grid[0] && grid[1] - 1 < f->max_grid[1] &&
		     grid[2] - 1 < f->max_grid[2] && !f->special &&
		     f->generation == nv_generation(f->driver) && (!f->is_chosen || is_for(f, grid));
	if (UNLIKELY(!plain))
		return NV_NOT_PLAIN;
	return UNLIKELY(f->mapped) ? launch_mapped(f, grid, stream, params) :
				   launch_ctas(f, grid, grid, stream, params);
}

bool nv_launch_report(NvFunction *f, int result, const uint32_t grid[3], NvStream stream, void **params, DiagList *diags)
{
	if (result == CUDA_SUCCESS)
		return true;
	if (result == NV_NO_MAP)
		return launch_failed(f, CUDA_INVALID_VALUE, grid, params, diags);
	if (result != NV_NOT_PLAIN)
		return launch_failed(f, result, grid, params, diags);
	if (!grid_fits(f, grid) || !grid[0] || !grid[1] || !grid[2])
		return odd_grid(f, grid, diags);
	if (f->generation != nv_generation(f->driver))
		return launch_failed(f, CUDA_NOT_INITIALIZED, grid, params, diags);
	NvArguments arguments;
	if (!f->mapped)
		return launch_special(f, grid, stream, params, diags);
	if (nv_arguments(f, grid, params, &arguments))
		return launch_special(f, grid, stream, arguments.params, diags);
	return launch_failed(f, CUDA_INVALID_VALUE, grid, params, diags);
}

bool nv_launch(NvFunction *f, const uint32_t grid[3], NvStream stream, void **params, DiagList *diags)
{
	CONTRACT(f && grid);
	int result = nv_launch_plain(f, grid, stream, params);
	return LIKELY(result == CUDA_SUCCESS) || nv_launch_report(f, result, grid, stream, params, diags);
}
