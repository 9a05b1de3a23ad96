#include "base/option/toolkit.h"

#include <unistd.h>

const char *toolkit_libdevice(Arena *arena)
{
	const char *const roots[] = {option_given(OPTION_CUDA_HOME, NULL),
				     option_given(OPTION_CUDA_PATH, NULL), "/usr/local/cuda"};
	const char *named = option_given(OPTION_LIBDEVICE, NULL);
	if (named)
		return named;
	for (size_t i = 0; i < ARRAY_LEN(roots); i++) {
		if (!roots[i])
			continue;
		const char *path = arena_printf(arena, "%s/nvvm/libdevice/libdevice.10.bc", roots[i]);
		if (access(path, R_OK) == 0)
			return path;
	}
	return NULL;
}
