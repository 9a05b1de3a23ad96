/* GPUs: the driver's devices, memory, streams and events, for callers that have no way to them of their own. */
#include "api/inner.h"

typedef struct GpuCall {
	neso_context *context;
	NvDriver *driver;
	/* as each function needs them */
	uint32_t index;
	uint32_t *number;
	neso_gpu *gpu;
	void **handle;
	void *address, *stream;
	const void *from;
	size_t bytes;
	int byte;
	double *seconds;
} GpuCall;

static neso_status run(neso_context *context, neso_diagnostics **diagnostics, ApiFn *fn, GpuCall *data)
{
	data->context = context;
	data->driver = context ? context->host.driver : NULL;
	return api_run(context, diagnostics, fn, data);
}

/* Every call needs a context to say what went wrong and how the driver is reached. */
static bool lacks_context(ApiCall *call, const GpuCall *data)
{
	if (data->context)
		return false;
	api_usage(call, "a function for GPUs wants a context");
	return true;
}

static neso_status status_of(bool good)
{
	return good ? NESO_OK : NESO_ERROR_RUN;
}

static NvPtr address_of(const void *p)
{
	return (NvPtr)(uintptr_t)p;
}

/* ---- devices ---- */

static neso_status count(ApiCall *call, void *data)
{
	const GpuCall *c = data;
	if (lacks_context(call, c) || !c->number)
		return api_usage(call, "neso_gpu_count wants a context and a place for the number");
	/* A machine without a driver has no GPUs: nothing is wrong with that. */
	DiagList none;
	diag_init(&none, &call->arena, NULL);
	*c->number = nv_driver_start(c->driver, &none) ? nv_device_count(c->driver) : 0;
	return NESO_OK;
}

neso_status neso_gpu_count(neso_context *context, uint32_t *number, neso_diagnostics **diagnostics)
{
	GpuCall data = {.number = number};
	if (number)
		*number = 0;
	return run(context, diagnostics, count, &data);
}

static neso_status get(ApiCall *call, void *data)
{
	const GpuCall *c = data;
	if (lacks_context(call, c) || !c->gpu)
		return api_usage(call, "neso_gpu_get wants a context and a neso_gpu");
	if (!nv_driver_start(c->driver, &call->diags))
		return NESO_ERROR_RUN;
	const NvDevice *device = nv_device(c->driver, c->index);
	if (!device)
		return api_usage(call, "there is no GPU %u: there are %u", c->index, nv_device_count(c->driver));
	NvClocks clocks = nv_device_clocks(c->driver, device);
	const neso_gpu out = {
		.size = sizeof out,
		.name = device->name,
		.capability = device->capability,
		.target = device->target ? device->target->name : NULL,
		.sms = device->sms,
		.shared_cta = device->shared_cta,
		.memory = device->memory,
		.l2 = device->l2,
		.clock_khz = clocks.sm,
		.memory_clock_khz = clocks.memory,
		.bus_bits = device->bus_bits,
	};
	return api_write_struct(c->gpu, &out, sizeof out) ? NESO_OK : api_usage(call, "neso_gpu.size is not set");
}

neso_status neso_gpu_get(neso_context *context, uint32_t index, neso_gpu *gpu, neso_diagnostics **diagnostics)
{
	GpuCall data = {.index = index, .gpu = gpu};
	return run(context, diagnostics, get, &data);
}

static neso_status current(ApiCall *call, void *data)
{
	const GpuCall *c = data;
	if (lacks_context(call, c) || !c->number)
		return api_usage(call, "neso_gpu_current wants a context and a place for the number");
	const NvDevice *device =
		nv_context(c->driver, &call->diags) ? nv_context_device(c->driver, &call->diags) : NULL;
	if (device)
		*c->number = device->ordinal;
	return status_of(device != NULL);
}

neso_status neso_gpu_current(neso_context *context, uint32_t *index, neso_diagnostics **diagnostics)
{
	GpuCall data = {.number = index};
	return run(context, diagnostics, current, &data);
}

static neso_status use(ApiCall *call, void *data)
{
	const GpuCall *c = data;
	if (lacks_context(call, c))
		return NESO_ERROR_USAGE;
	return status_of(nv_device_use(c->driver, c->index, &call->diags) != 0);
}

neso_status neso_gpu_use(neso_context *context, uint32_t index, neso_diagnostics **diagnostics)
{
	GpuCall data = {.index = index};
	return run(context, diagnostics, use, &data);
}

/* ---- memory ---- */

static neso_status alloc(ApiCall *call, void *data)
{
	const GpuCall *c = data;
	NvPtr made = 0;
	if (lacks_context(call, c) || !c->handle)
		return api_usage(call, "neso_gpu_alloc wants a context and a place for the address");
	if (!nv_context(c->driver, &call->diags) || !nv_alloc(c->driver, c->bytes, &made, &call->diags))
		return NESO_ERROR_RUN;
	*c->handle = (void *)(uintptr_t)made; /* NOLINT: the driver's addresses are numbers */
	return NESO_OK;
}

neso_status neso_gpu_alloc(neso_context *context, size_t bytes, void **address, neso_diagnostics **diagnostics)
{
	GpuCall data = {.bytes = bytes, .handle = address};
	if (address)
		*address = NULL;
	return run(context, diagnostics, alloc, &data);
}

void neso_gpu_free(neso_context *context, void *address)
{
	if (context && address)
		nv_free(context->host.driver, address_of(address));
}

static neso_status copy(ApiCall *call, void *data)
{
	const GpuCall *c = data;
	if (lacks_context(call, c) || (c->bytes && (!c->address || !c->from)))
		return api_usage(call, "neso_gpu_copy wants a context and two addresses");
	if (!nv_context(c->driver, &call->diags))
		return NESO_ERROR_RUN;
	NvPtr to = address_of(c->address), from = address_of(c->from);
	bool to_device = nv_pointer(c->driver, to).device, from_device = nv_pointer(c->driver, from).device;
	if (to_device && from_device)
		return status_of(nv_copy(c->driver, to, from, c->bytes, c->stream, &call->diags));
	if (to_device)
		return status_of(nv_copy_in(c->driver, to, c->from, c->bytes, c->stream, &call->diags));
	if (from_device)
		return status_of(nv_copy_out(c->driver, c->address, from, c->bytes, c->stream, &call->diags));
	if (!nv_synchronize(c->driver, c->stream, &call->diags))
		return NESO_ERROR_RUN;
	memmove(c->address, c->from, c->bytes);
	return NESO_OK;
}

neso_status neso_gpu_copy(neso_context *context, void *to, const void *from, size_t bytes, void *stream,
			  neso_diagnostics **diagnostics)
{
	GpuCall data = {.address = to, .from = from, .bytes = bytes, .stream = stream};
	return run(context, diagnostics, copy, &data);
}

static neso_status fill(ApiCall *call, void *data)
{
	const GpuCall *c = data;
	if (lacks_context(call, c))
		return NESO_ERROR_USAGE;
	return status_of(nv_context(c->driver, &call->diags) &&
			 nv_fill(c->driver, address_of(c->address), c->byte, c->bytes, c->stream, &call->diags));
}

neso_status neso_gpu_fill(neso_context *context, void *address, int byte, size_t bytes, void *stream,
			  neso_diagnostics **diagnostics)
{
	GpuCall data = {.address = address, .byte = byte, .bytes = bytes, .stream = stream};
	return run(context, diagnostics, fill, &data);
}

static neso_status start(ApiCall *call, void *data)
{
	const GpuCall *c = data;
	DiagList none;
	diag_init(&none, &call->arena, NULL);
	return status_of(nv_driver_start(c->driver, &none));
}

static bool reachable(NvPointer p)
{
	return p.device || p.pinned;
}

bool neso_gpu_is_device(neso_context *context, const void *address)
{
	GpuCall data = {0};
	return context && run(context, NULL, start, &data) == NESO_OK &&
	       reachable(nv_pointer(context->host.driver, address_of(address)));
}

/* ---- streams and events ---- */

static neso_status synchronize(ApiCall *call, void *data)
{
	const GpuCall *c = data;
	if (lacks_context(call, c))
		return NESO_ERROR_USAGE;
	return status_of(nv_context(c->driver, &call->diags) && nv_synchronize(c->driver, c->stream, &call->diags));
}

neso_status neso_gpu_synchronize(neso_context *context, void *stream, neso_diagnostics **diagnostics)
{
	GpuCall data = {.stream = stream};
	return run(context, diagnostics, synchronize, &data);
}

static neso_status event_new(ApiCall *call, void *data)
{
	const GpuCall *c = data;
	if (lacks_context(call, c) || !c->handle)
		return api_usage(call, "neso_gpu_event_new wants a context and a place for the event");
	return status_of(nv_context(c->driver, &call->diags) && nv_event_new(c->driver, c->handle, &call->diags));
}

neso_status neso_gpu_event_new(neso_context *context, void **event, neso_diagnostics **diagnostics)
{
	GpuCall data = {.handle = event};
	if (event)
		*event = NULL;
	return run(context, diagnostics, event_new, &data);
}

static neso_status event_record(ApiCall *call, void *data)
{
	const GpuCall *c = data;
	if (lacks_context(call, c) || !c->address)
		return api_usage(call, "neso_gpu_event_record wants a context and an event");
	return status_of(nv_event_record(c->driver, c->address, c->stream, &call->diags));
}

neso_status neso_gpu_event_record(neso_context *context, void *event, void *stream, neso_diagnostics **diagnostics)
{
	GpuCall data = {.address = event, .stream = stream};
	return run(context, diagnostics, event_record, &data);
}

static neso_status event_elapsed(ApiCall *call, void *data)
{
	GpuCall *c = data;
	if (lacks_context(call, c) || !c->address || !c->stream || !c->seconds)
		return api_usage(call, "neso_gpu_event_elapsed wants a context, two events and a place for the time");
	return status_of(nv_event_elapsed(c->driver, c->address, c->stream, c->seconds, &call->diags));
}

neso_status neso_gpu_event_elapsed(neso_context *context, void *from, void *to, double *seconds,
				   neso_diagnostics **diagnostics)
{
	GpuCall data = {.address = from, .stream = to, .seconds = seconds};
	return run(context, diagnostics, event_elapsed, &data);
}

void neso_gpu_event_free(neso_context *context, void *event)
{
	if (context && event)
		nv_event_free(context->host.driver, event);
}
