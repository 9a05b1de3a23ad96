/* A run's arrays on the GPU: copied there before the launches, back after them. */
#ifndef NESO_CLI_DEVICE_H
#define NESO_CLI_DEVICE_H

#include "cli/cli.h"

typedef struct Device {
	const Parsed *parsed;
	neso_context *context;
	neso_arg *args; /* those with memory get the copy's address */
	size_t count;
	void **host, **copy; /* for each argument; NULL: no memory */
	void *began, *ended; /* events */
} Device;

/* Is this target's memory the GPU's? */
bool device_is_target(const char *target);
/* A usage error for a target that no GPU has: told before a driver is asked for. */
int target_check(const neso_context *context, const char *target);
int device_open(Device *device, const Parsed *parsed, neso_context *context, neso_arg *args, size_t count);
/* Around what is timed; the second waits and gives seconds. */
int device_begin(Device *device);
int device_end(Device *device, double *seconds);
int device_read_back(Device *device);
void device_close(Device *device);

#endif
