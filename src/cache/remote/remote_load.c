/* Back ends by name: libneso-remote.so, loaded when a process first misses. */
#include "cache/remote/remote.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/fault.h"
#include "base/option/library.h"

static const char library[] = "libneso-remote.so";

static bool is_redis_class(const char *place)
{
	static const char *const classes[] = {"triton.runtime.cache:RedisRemoteCacheBackend",
					      "neso.runtime.cache:RedisRemoteCacheBackend"};
	for (size_t i = 0; i < ARRAY_LEN(classes); i++)
		if (strcmp(place, classes[i]) == 0)
			return true;
	return false;
}

void cache_place_text(const char *place, char *out, size_t size)
{
	const char *slashes = strstr(place, "://");
	if (!slashes) {
		snprintf(out, size, "%s", place);
		return;
	}
	/* A password may hold any character but a slash. */
	const char *host = slashes + 3;
	size_t len = strcspn(host, "/?#");
	for (size_t i = len; i-- > 0;)
		if (host[i] == '@') {
			host += i + 1;
			break;
		}
	snprintf(out, size, "%.*s%s", (int)(slashes + 3 - place), place, host);
}

static bool is_known_scheme(const char *url, size_t len)
{
	static const char *const schemes[] = {"redis", "rediss", "http", "https", "s3", "s3+http"};
	for (size_t i = 0; i < ARRAY_LEN(schemes); i++)
		if (strlen(schemes[i]) == len && strncasecmp(url, schemes[i], len) == 0)
			return true;
	return false;
}

/* HOST, HOST:PORT or [ADDRESS]:PORT. */
static const char *host_fault(const char *host, size_t len)
{
	const char *end = host + len, *bracket = len && *host == '[' ? memchr(host, ']', len) : NULL;
	const char *colon = bracket ? bracket + 1 : memchr(host, ':', len);
	if (!len || *host == ':')
		return "it names no server";
	if (!colon || colon >= end)
		return NULL;
	unsigned long port = 0;
	for (const char *at = colon + 1; at < end; at++) {
		if (*at < '0' || *at > '9' || port > UINT16_MAX)
			return "what stands behind the server's name is no port";
		port = port * 10 + (unsigned long)(*at - '0');
	}
	return port && port <= UINT16_MAX ? NULL : "its port is none from 1 to 65535";
}

const char *cache_url_fault(const char *url)
{
	const char *slashes = strstr(url, "://");
	char shown[CACHE_REMOTE_WHY];
	if (!slashes)
		return "it is no URL";
	if (!is_known_scheme(url, (size_t)(slashes - url)))
		return "its URL begins with none of redis://, rediss://, http://, https://, s3://";
	cache_place_text(url, shown, sizeof shown);
	const char *host = strstr(shown, "://") + 3;
	return host_fault(host, strcspn(host, "/?#"));
}

/* The URL that a place stands for; NULL, with why, when it is none. */
static const char *url_of(const CacheRemoteOptions *o, Arena *arena, const char **why)
{
	if (is_redis_class(o->place)) {
		bool bare = strchr(o->host, ':') && *o->host != '['; /* an address of IPv6 */
		return arena_printf(arena, bare ? "redis://[%s]:%llu" : "redis://%s:%llu", o->host, (unsigned long long)o->port);
	}
	if (strstr(o->place, "://"))
		return o->place;
	*why = "a class of Python's gives the cache in Python programs alone; redis://, rediss://, http:// and https:// do everywhere";
	return NULL;
}

static bool load(const CacheRemoteOptions *options, CacheBackend *backend, char *said, size_t size, Arena *arena)
{
	CacheRemoteOptions o = *options;
	const char *why = "", *path;
	o.place = url_of(options, arena, &why);
	if (!o.place) {
		snprintf(said, size, "%s", why);
		return false;
	}
	const CacheRemoteTable *table = library_symbol(arena, library, OPTION_REMOTE_LIBRARY, CACHE_REMOTE_SYMBOL, &path);
	if (!table) {
		snprintf(said, size, "%s, which speaks to it, cannot be loaded: %s", library, path);
		return false;
	}
	if (table->abi != CACHE_REMOTE_ABI || strcmp(table->version, NESO_VERSION) != 0) {
		snprintf(said, size, "%s is of another version of Neso than this, %s", path, NESO_VERSION);
		return false;
	}
	return table->open(&o, backend, said, size);
}

bool cache_backend_open(const CacheRemoteOptions *options, CacheBackend *backend, char *why, size_t why_size)
{
	Arena arena;
	Fault fault;
	volatile bool opened = false;
	arena_init(&arena, 0);
	if (FAULT_TRY(&fault)) {
		opened = load(options, backend, why, why_size, &arena);
		fault_leave(&fault);
	} else {
		snprintf(why, why_size, "%s", fault.text);
	}
	arena_free(&arena);
	return opened;
}
