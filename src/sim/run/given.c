/* What a launch is given, looked at before it begins: arguments, tensor maps, arrays. */
#include <stdio.h>

#include "base/os.h"
#include "sim/sim_int.h"

static bool refuse(DiagList *diags, const char *text)
{
	diag_add_at(diags, NULL, (LineCol){0, 0}, DIAG_RUN_ARGUMENT, text);
	return false;
}

static bool check_arguments(const SimKernel *k, const SimLaunch *l, unsigned scratch_bytes, DiagList *diags)
{
	char text[256];
	size_t wanted = k->arg_count - (scratch_bytes && k->arg_count ? 1 : 0);
	if (l->arg_count < wanted) {
		snprintf(text, sizeof text, "kernel '%s' takes %zu arguments, %zu are given", k->name, wanted,
			 l->arg_count);
		return refuse(diags, text);
	}
	for (uint32_t a = 0; a < wanted; a++) {
		uint64_t at = l->args[a];
		if (!k->arg_maps[a] ||
		    (at % 64 == 0 && os_is_readable((const void *)(uintptr_t)at, sizeof(SimTensorMap))))
			continue;
		snprintf(text, sizeof text, "argument %u of kernel '%s' is a tensor map, and 0x%llx is %s", a,
			 k->name, (unsigned long long)at, at % 64 ? "no multiple of 64" : "no memory");
		return refuse(diags, text);
	}
	return true;
}

static bool is_there(const SimBuffer *b)
{
	const uint8_t *base = b->base;
	return !b->size || (b->size - 1 <= UINTPTR_MAX - (uintptr_t)base && os_is_readable(base, 1) &&
			    os_is_readable(base + b->size - 1, 1));
}

bool sim_check_launch(const SimKernel *kernel, const SimLaunch *launch, unsigned scratch_bytes,
		      DiagList *diags)
{
	char text[256];
	for (size_t i = 0; i < launch->buffer_count; i++) {
		const SimBuffer *b = &launch->buffers[i];
		if ((launch->ambient && launch->ambient[i]) || is_there(b))
			continue;
		snprintf(text, sizeof text, "the array '%s' of %llu bytes at 0x%llx is no memory",
			 b->name ? b->name : "?", (unsigned long long)b->size,
			 (unsigned long long)(uintptr_t)b->base);
		return refuse(diags, text);
	}
	return check_arguments(kernel, launch, scratch_bytes, diags);
}
