/* Where the cache is and how large it may grow, from the environment. */
#include "cache/store.h"

#include <pwd.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/option/option.h"
#include "base/os.h"

static uint64_t number(Arena *arena, OptionId id, const char **wrong)
{
	const char *variable, *text = option_wrong(id, &variable);
	if (text)
		*wrong = arena_printf(arena, "%s is '%s'", variable, text);
	return option_number(id);
}

/* What the system says, which is no setting of ours. */
static const char *user_home(void)
{
	const char *text = getenv("HOME");
	return text && *text ? text : NULL;
}

static const char *home(Arena *arena)
{
	const char *given = option_given(OPTION_CACHE_HOME, NULL);
	if (!given)
		given = user_home();
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
	if (path[0] != '~' || (path[1] && path[1] != '/') || !user_home())
		return arena_strdup(arena, path);
	return arena_printf(arena, "%s%s", user_home(), path + 1);
}

static void read_layers(Arena *arena, CacheOptions *options)
{
	const char *text = option_given(OPTION_CACHE_READ_ONLY, NULL);
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

static void read_remote(Arena *arena, CacheRemoteOptions *remote, const char **wrong)
{
	const char *mode = option_text(OPTION_REMOTE_MODE);
	*remote = (CacheRemoteOptions){
		.place = option_given(OPTION_CACHE_REMOTE, NULL),
		.key_format = option_text(OPTION_REDIS_FORMAT),
		.host = option_text(OPTION_REDIS_HOST),
		.certificates = option_given(OPTION_REMOTE_CERTIFICATES, NULL),
		.port = option_number(OPTION_REDIS_PORT),
		.connect_ms = number(arena, OPTION_REMOTE_CONNECT, wrong),
		.request_ms = number(arena, OPTION_REMOTE_REQUEST, wrong),
		.flush_ms = number(arena, OPTION_REMOTE_FLUSH, wrong),
		.largest = number(arena, OPTION_REMOTE_LARGEST, wrong),
		.no_reads = strcmp(mode, "write-only") == 0,
		.no_writes = strcmp(mode, "read-only") == 0,
	};
}

void cache_options_env(Arena *arena, CacheOptions *options, const char **wrong)
{
	*wrong = NULL;
	*options = (CacheOptions){0};
	const char *dir = option_given(OPTION_CACHE_DIR, NULL);
	if (dir) {
		options->dir = expand(arena, dir);
	} else if ((dir = home(arena)) != NULL) {
		options->dir = os_path_join(arena, expand(arena, dir), ".triton/cache");
	} else {
		options->dir_why = "there is no home folder; TRITON_CACHE_DIR can name another";
	}
	options->max_bytes = number(arena, OPTION_CACHE_SIZE, wrong);
	options->max_files = number(arena, OPTION_CACHE_FILES, wrong);
	options->wait = (double)number(arena, OPTION_CACHE_WAIT, wrong);
	const char *secret = option_given(OPTION_CACHE_SECRET, NULL);
	options->secret_file = secret ? expand(arena, secret) : NULL;
	read_layers(arena, options);
	read_remote(arena, &options->remote, wrong);
}
