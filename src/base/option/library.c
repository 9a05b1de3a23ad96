/* dlopen of libraries of ours. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include "base/option/library.h"

#include <dlfcn.h>

#include "base/os.h"

const char *library_folder(Arena *arena)
{
	Dl_info info;
	static const char here;
	if (!dladdr(&here, &info) || !info.dli_fname || !strchr(info.dli_fname, '/'))
		return NULL;
	return os_path_dir(arena, info.dli_fname);
}

/* Where to look, best first; the last one leaves it to the system. */
static size_t candidates(Arena *arena, const char *library, OptionId option, const char *out[2])
{
	const char *path = option_given(option, NULL);
	size_t count = 0;
	if (path) {
		out[count++] = os_is_dir(path) ? os_path_join(arena, path, library) : path;
		return count;
	}
	const char *folder = library_folder(arena);
	if (folder)
		out[count++] = os_path_join(arena, folder, library);
	out[count++] = library;
	return count;
}

const void *library_symbol(Arena *arena, const char *library, OptionId option, const char *symbol, const char **path)
{
	const char *paths[2];
	size_t count = candidates(arena, library, option, paths);
	Text tried;
	text_init(&tried, arena);
	for (size_t i = 0; i < count; i++) {
		/* What is there and does not load says more than what the next place says. */
		void *handle = dlopen(paths[i], RTLD_NOW | RTLD_LOCAL);
		const char *why = handle ? NULL : dlerror();
		*path = paths[i];
		const void *found = handle ? dlsym(handle, symbol) : NULL;
		if (found)
			return found;
		text_printf(&tried, "%s%s", tried.len ? "; " : "", why ? why : "nothing of ours is in it");
		if (os_is_file(paths[i]))
			break;
	}
	*path = tried.data;
	return NULL;
}

const char *library_file(Arena *arena, const char *library, OptionId option)
{
	const char *paths[2];
	size_t count = candidates(arena, library, option, paths);
	return count && os_is_file(paths[0]) ? paths[0] : NULL;
}
