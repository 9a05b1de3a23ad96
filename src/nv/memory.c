/* Memory, streams, events: what tools, tests and measurements need of the driver. */
#include "nv/inner.h"

/* A row of most functions here: start, call, diagnose. */
#define CALL(driver, diags, name, ...)                                                              \
	(nv_context((driver), (diags)) != 0 && done((driver), (driver)->cuda.name(__VA_ARGS__), #name, (diags)))

static bool done(NvDriver *driver, int result, const char *call, DiagList *diags)
{
	return LIKELY(result == CUDA_SUCCESS) || nv_failed(driver, result, call, diags);
}

bool nv_alloc(NvDriver *driver, size_t bytes, NvPtr *ptr, DiagList *diags)
{
	*ptr = 0;
	if (!nv_context(driver, diags))
		return false;
	if (!bytes)
		return true;
	int result = driver->cuda.cuMemAlloc(ptr, bytes);
	size_t available = 0, total = 0;
	if (result != CUDA_OUT_OF_MEMORY)
		return done(driver, result, "cuMemAlloc", diags);
	driver->cuda.cuMemGetInfo(&available, &total);
	diag_add(diags, (Span){0}, DIAG_NV_MEMORY, (unsigned long long)bytes, (unsigned long long)available,
		 (unsigned long long)total);
	return false;
}

void nv_free(NvDriver *driver, NvPtr ptr)
{
	if (ptr && nv_generation(driver) != 0)
		driver->cuda.cuMemFree(ptr);
}

bool nv_copy_in(NvDriver *driver, NvPtr to, const void *from, size_t bytes, NvStream stream, DiagList *diags)
{
	return !bytes || CALL(driver, diags, cuMemcpyHtoDAsync, to, from, bytes, stream);
}

bool nv_copy_out(NvDriver *driver, void *to, NvPtr from, size_t bytes, NvStream stream, DiagList *diags)
{
	return (!bytes || CALL(driver, diags, cuMemcpyDtoHAsync, to, from, bytes, stream)) &&
	       nv_synchronize(driver, stream, diags);
}

bool nv_copy(NvDriver *driver, NvPtr to, NvPtr from, size_t bytes, NvStream stream, DiagList *diags)
{
	return !bytes || CALL(driver, diags, cuMemcpyDtoDAsync, to, from, bytes, stream);
}

bool nv_fill(NvDriver *driver, NvPtr to, int byte, size_t bytes, NvStream stream, DiagList *diags)
{
	return !bytes || CALL(driver, diags, cuMemsetD8Async, to, (unsigned char)byte, bytes, stream);
}

/* ---- streams ---- */

bool nv_synchronize(NvDriver *driver, NvStream stream, DiagList *diags)
{
	if (!CALL(driver, diags, cuStreamSynchronize, stream))
		return false;
	nv_recent_done(driver, nv_context_number(driver, NULL), stream, false);
	return true;
}

bool nv_synchronize_all(NvDriver *driver, DiagList *diags)
{
	if (!nv_context(driver, diags) || !done(driver, driver->cuda.cuCtxSynchronize(), "cuCtxSynchronize", diags))
		return false;
	nv_recent_done(driver, nv_context_number(driver, NULL), NULL, true);
	return true;
}

/* ---- events ---- */

bool nv_event_new(NvDriver *driver, NvEvent *event, DiagList *diags)
{
	*event = NULL;
	return CALL(driver, diags, cuEventCreate, event, 0);
}

bool nv_event_record(NvDriver *driver, NvEvent event, NvStream stream, DiagList *diags)
{
	return CALL(driver, diags, cuEventRecord, event, stream);
}

static bool event_wait(NvDriver *driver, NvEvent event, DiagList *diags)
{
	const NvRelaxed relaxed = nv_relax(driver);
	const bool good = CALL(driver, diags, cuEventSynchronize, event);
	nv_unrelax(driver, relaxed);
	return good;
}

bool nv_event_done(const NvDriver *driver, NvEvent event)
{
	const NvRelaxed relaxed = nv_relax(driver);
	const int result = driver->cuda.cuEventQuery(event);
	nv_unrelax(driver, relaxed);
	return result != CUDA_NOT_READY;
}

bool nv_stream_captures(const NvDriver *driver, NvStream stream)
{
	int status = 0;
	return driver->cuda.cuStreamIsCapturing(stream, &status) != CUDA_SUCCESS || status != 0;
}

bool nv_event_elapsed(NvDriver *driver, NvEvent from, NvEvent to, double *seconds, DiagList *diags)
{
	float milliseconds = 0;
	*seconds = 0;
	if (!event_wait(driver, to, diags) || !CALL(driver, diags, cuEventElapsedTime, &milliseconds, from, to))
		return false;
	*seconds = (double)milliseconds * 1e-3;
	return true;
}

void nv_event_free(NvDriver *driver, NvEvent event)
{
	if (event && nv_generation(driver) != 0)
		driver->cuda.cuEventDestroy(event);
}

/* ---- addresses ---- */

NvPointer nv_pointer(NvDriver *driver, uint64_t address)
{
	NvPointer p = {0};
	const CudaApi *cuda = &driver->cuda;
	unsigned type = 0, managed = 0;
	int ordinal = 0;
	if (!address || nv_generation(driver) == 0 ||
	    cuda->cuPointerGetAttribute(&type, CUDA_POINTER_MEMORY_TYPE, address) != CUDA_SUCCESS)
		return p;
	cuda->cuPointerGetAttribute(&managed, CUDA_POINTER_MANAGED, address);
	p.managed = managed != 0;
	p.device = p.managed || type == CUDA_MEMORY_DEVICE || type == CUDA_MEMORY_UNIFIED;
	p.pinned = !p.device && type == CUDA_MEMORY_HOST;
	if (cuda->cuPointerGetAttribute(&ordinal, CUDA_POINTER_ORDINAL, address) == CUDA_SUCCESS && ordinal >= 0)
		p.ordinal = (unsigned)ordinal;
	if (cuda->cuPointerGetAttribute(&p.base, CUDA_POINTER_START, address) != CUDA_SUCCESS ||
	    cuda->cuPointerGetAttribute(&p.size, CUDA_POINTER_SIZE, address) != CUDA_SUCCESS)
		p.base = 0, p.size = 0;
	return p;
}
