/* Scratch memory of kernels: one buffer for each stream, as large as its largest launch so far.
 *
 * Launches of a stream run one after the other, so they can share a buffer. It is replaced by a
 * larger one in stream order (cuMemFreeAsync behind what was launched, cuMemAllocAsync before what
 * comes), without waiting. A device without memory pools gets plain memory, whose freeing waits
 * for the device. In a stream that captures a graph, the launch gets memory of its own, allocated
 * and freed by the graph: its kernel may run much later, and concurrently with others. */
#include "nv/inner.h"

#include <stdlib.h>

/* Allocations are aligned to 256 bytes. */
enum { DEVICE_ALIGN = 256 };

static bool allocate(const NvDriver *driver, size_t bytes, NvStream stream, NvPtr *ptr, bool *ordered)
{
	const CudaApi *cuda = &driver->cuda;
	*ordered = cuda->cuMemAllocAsync && cuda->cuMemFreeAsync;
	if (*ordered && cuda->cuMemAllocAsync(ptr, bytes, stream) == CUDA_SUCCESS)
		return true;
	*ordered = false;
	const NvRelaxed relaxed = nv_relax(driver);
	const bool good = cuda->cuMemAlloc(ptr, bytes) == CUDA_SUCCESS;
	nv_unrelax(driver, relaxed);
	return good;
}

static void free_plain(const NvDriver *driver, NvPtr ptr)
{
	const NvRelaxed relaxed = nv_relax(driver);
	driver->cuda.cuMemFree(ptr);
	nv_unrelax(driver, relaxed);
}

static NvPtr align_up(NvPtr ptr, size_t align)
{
	return (ptr + align - 1) & ~(NvPtr)(align - 1);
}

static NvScratch *find_or_add(NvFunction *f, NvStream stream)
{
	NvDriver *driver = f->driver;
	unsigned long long id = 0;
	if (driver->cuda.cuStreamGetId)
		driver->cuda.cuStreamGetId(stream, &id); /* a handle may come back, its number not */
	NvScratch *s = driver->scratch;
	while (s && (s->context != f->context || s->stream != stream))
		s = s->next;
	if (s && s->stream_id != id) {
		/* The stream that had the handle is gone; what was launched there may still run, and this waits for it. */
		free_plain(driver, s->ptr);
		s->ptr = 0, s->size = 0;
		s->stream_id = id;
	}
	if (s || !(s = calloc(1, sizeof *s)))
		return s;
	s->context = f->context;
	s->context_handle = f->context_handle;
	s->stream = stream;
	s->stream_id = id;
	s->next = driver->scratch;
	driver->scratch = s;
	return s;
}

NvPtr nv_scratch_get(NvFunction *f, size_t bytes, size_t align, NvStream stream, bool *once)
{
	CONTRACT(bytes && base_is_pow2(align));
	const CudaApi *cuda = &f->driver->cuda;
	int capturing = CUDA_CAPTURE_NONE;
	size_t room = bytes + (align > DEVICE_ALIGN ? align : 0);
	NvPtr ptr = 0;
	*once = false;
	if (cuda->cuStreamIsCapturing(stream, &capturing) == CUDA_SUCCESS && capturing == CUDA_CAPTURE_ACTIVE) {
		if (align > DEVICE_ALIGN || !cuda->cuMemAllocAsync || !cuda->cuMemFreeAsync ||
		    cuda->cuMemAllocAsync(&ptr, room, stream) != CUDA_SUCCESS)
			return 0;
		*once = true;
		return ptr;
	}
	NvScratch *s = find_or_add(f, stream);
	if (!s)
		return 0;
	if (s->size < room) {
		bool ordered;
		/* Half as much again: a grid that grows step by step does not allocate at each step. */
		size_t size = MAX(room, s->size + s->size / 2);
		if (s->ptr && s->ordered)
			cuda->cuMemFreeAsync(s->ptr, stream);
		else if (s->ptr)
			free_plain(f->driver, s->ptr);
		s->ptr = 0, s->size = 0;
		if (!allocate(f->driver, size, stream, &ptr, &ordered))
			return 0;
		s->ptr = ptr, s->size = size, s->ordered = ordered;
	}
	return align_up(s->ptr, align);
}

void nv_scratch_free(NvDriver *driver)
{
	for (NvScratch *s = driver->scratch; s; s = s->next) {
		if (!s->ptr || !nv_context_enter(driver, s->context_handle, s->context))
			continue;
		driver->cuda.cuMemFree(s->ptr);
		nv_context_leave(driver);
	}
}
