/* Where the cache is and how large it may grow, from the environment. */
#include "cache/store.h"

#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/os.h"

static const char *variable(const char *name)
{
	const char *text = getenv(name);
	return text && *text ? text : NULL;
}

bool cache_read_size(const char *text, uint64_t *bytes)
{
	static const char units[] = "KMGTP";
	char *end;
	double value = strtod(text, &end);
	if (end == text || !(value >= 0) || value > 1e18)
		return false;
	const char *unit = *end ? strchr(units, *end >= 'a' ? *end - 'a' + 'A' : *end) : NULL;
	if (unit) {
		for (const char *u = units; u <= unit; u++)
			value *= 1024;
		end++;
		if (*end == 'i')
			end++;
		if (*end == 'B' || *end == 'b')
			end++;
	}
	if (*end || value > 1e18)
		return false;
	*bytes = (uint64_t)value;
	return true;
}

static uint64_t number(Arena *arena, const char *name, uint64_t preset, const char **wrong)
{
	const char *text = variable(name);
	uint64_t value = preset;
	if (text && !cache_read_size(text, &value))
		*wrong = arena_printf(arena, "%s is '%s'", name, text);
	return value;
}

static const char *home(Arena *arena)
{
	const char *given = variable("TRITON_HOME");
	if (!given)
		given = variable("HOME");
	if (given)
		return given;
	struct passwd entry, *found = NULL;
	char *buffer = arena_alloc_raw(arena, 4096, 16);
	if (getpwuid_r(geteuid(), &entry, buffer, 4096, &found) != 0 || !found || !found->pw_dir || !*found->pw_dir)
		return NULL;
	return found->pw_dir;
}

/* "~" and "~/..." as the shell would have made it of them. */
static const char *expand(Arena *arena, const char *path)
{
	if (path[0] != '~' || (path[1] && path[1] != '/') || !variable("HOME"))
		return arena_strdup(arena, path);
	return arena_printf(arena, "%s%s", variable("HOME"), path + 1);
}

static void read_layers(Arena *arena, CacheOptions *options)
{
	const char *text = variable("NESO_CACHE_RO");
	if (!text)
		return;
	uint32_t most = 1;
	for (const char *c = text; *c; c++)
		most += *c == ':';
	const char **layers = ARENA_ARRAY(arena, const char *, most);
	while (*text) {
		size_t len = strcspn(text, ":");
		if (len)
			layers[options->layer_count++] = expand(arena, arena_strndup(arena, text, len));
		text += len + (text[len] == ':');
	}
	options->layers = layers;
}

void cache_options_env(Arena *arena, CacheOptions *options, const char **wrong)
{
	enum { MAX_FILES = 250000, WAIT = 30 };
	*wrong = NULL;
	*options = (CacheOptions){0};
	const char *dir = variable("TRITON_CACHE_DIR");
	if (dir) {
		options->dir = expand(arena, dir);
	} else if ((dir = home(arena)) != NULL) {
		options->dir = os_path_join(arena, expand(arena, dir), ".triton/cache");
	} else {
		options->dir_why = "there is no home folder; TRITON_CACHE_DIR can name another";
	}
	options->max_bytes = number(arena, "NESO_CACHE_MAX_SIZE", UINT64_C(5) << 30, wrong);
	options->max_files = number(arena, "NESO_CACHE_MAX_FILES", MAX_FILES, wrong);
	options->wait = (double)number(arena, "NESO_CACHE_WAIT", WAIT, wrong);
	read_layers(arena, options);
}
