/* A run's arrays on the GPU. */
#include "cli/device.h"

bool device_is_target(const char *target)
{
	return target && strcmp(target, "interp") != 0 && strncmp(target, "sim:", 4) != 0;
}

int target_check(const neso_context *context, const char *target)
{
	const char *known = neso_context_info(context, "targets");
	Nearest nearest;
	nearest_begin(&nearest, target, strlen(target));
	for (const char *at = known ? known : ""; *at; at += strspn(at, ", ")) {
		size_t len = strcspn(at, ", ");
		const char *name = take_text(at, len);
		if (strcmp(name, target) == 0)
			return EXIT_DONE;
		nearest_look(&nearest, name);
		at += len;
	}
	return strcmp(target, "cuda") == 0 ? EXIT_DONE
					   : usage_error("unknown target '%s'%s; known are: %s", target,
							 nearest_text(&nearest, ""), known ? known : "none");
}

/* The status of a call that is over, shown. */
static int done(const Device *device, neso_status status, neso_diagnostics *diagnostics)
{
	return report(device->parsed, status, diagnostics);
}

static bool has_memory(const neso_arg *arg)
{
	return arg->kind != NESO_ARG_VALUE && arg->bytes;
}

static int copy_in(Device *device, size_t i)
{
	neso_arg *arg = &device->args[i];
	neso_diagnostics *diagnostics;
	neso_status status = neso_gpu_alloc(device->context, arg->bytes, &device->copy[i], &diagnostics);
	int result = done(device, status, diagnostics);
	if (result != EXIT_DONE)
		return result;
	device->host[i] = arg->address;
	status = neso_gpu_copy(device->context, device->copy[i], arg->address, arg->bytes, NULL, &diagnostics);
	arg->address = device->copy[i];
	return done(device, status, diagnostics);
}

int device_open(Device *device, const Parsed *parsed, neso_context *context, neso_arg *args, size_t count)
{
	*device = (Device){.parsed = parsed, .context = context, .args = args, .count = count};
	device->host = take(sizeof(void *) * (count + 1));
	device->copy = take(sizeof(void *) * (count + 1));
	memset(device->copy, 0, sizeof(void *) * (count + 1));
	neso_diagnostics *diagnostics;
	neso_status status = neso_gpu_event_new(context, &device->began, &diagnostics);
	int result = done(device, status, diagnostics);
	if (result == EXIT_DONE) {
		status = neso_gpu_event_new(context, &device->ended, &diagnostics);
		result = done(device, status, diagnostics);
	}
	for (size_t i = 0; i < count && result == EXIT_DONE; i++)
		if (has_memory(&args[i]))
			result = copy_in(device, i);
	return result;
}

int device_begin(Device *device)
{
	neso_diagnostics *diagnostics;
	neso_status status = neso_gpu_event_record(device->context, device->began, NULL, &diagnostics);
	return done(device, status, diagnostics);
}

int device_end(Device *device, double *seconds)
{
	neso_diagnostics *diagnostics;
	neso_status status = neso_gpu_event_record(device->context, device->ended, NULL, &diagnostics);
	int result = done(device, status, diagnostics);
	if (result == EXIT_DONE) {
		status = neso_gpu_synchronize(device->context, NULL, &diagnostics);
		result = done(device, status, diagnostics);
	}
	if (result == EXIT_DONE) {
		status = neso_gpu_event_elapsed(device->context, device->began, device->ended, seconds, &diagnostics);
		result = done(device, status, diagnostics);
	}
	return result;
}

int device_read_back(Device *device)
{
	int result = EXIT_DONE;
	for (size_t i = 0; i < device->count && result == EXIT_DONE; i++) {
		neso_diagnostics *diagnostics;
		if (!device->copy[i])
			continue;
		neso_status status = neso_gpu_copy(device->context, device->host[i], device->copy[i],
						   device->args[i].bytes, NULL, &diagnostics);
		result = done(device, status, diagnostics);
	}
	return result;
}

void device_close(Device *device)
{
	for (size_t i = 0; i < device->count; i++)
		neso_gpu_free(device->context, device->copy[i]);
	neso_gpu_event_free(device->context, device->began);
	neso_gpu_event_free(device->context, device->ended);
}
