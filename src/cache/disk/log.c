/* The log: appended lines, "TIME KIND KEY MICROSECONDS KERNEL". */
#define _GNU_SOURCE
#include "cache/disk/log.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cache/inner.h"

enum { LARGEST = 1 << 20, LONGEST_NAME = 500 };

const char *const cache_event_names[CACHE_EVENT__COUNT] = {
	[CACHE_EVENT_HIT] = "hit",   [CACHE_EVENT_LAYER] = "layer",   [CACHE_EVENT_HALF] = "half",
	[CACHE_EVENT_MISS] = "miss", [CACHE_EVENT_FORCED] = "forced", [CACHE_EVENT_DAMAGED] = "damaged",
	[CACHE_EVENT_REMOTE] = "remote",
};

/* ---- reading ---- */

static bool read_line(Str line, CacheEvent *event)
{
	char kind[16], hex[CACHE_HEX_SIZE];
	unsigned long long when, us;
	int at = 0;
	char text[LONGEST_NAME + 160];
	if (line.len >= sizeof text)
		return false;
	memcpy(text, line.ptr, line.len);
	text[line.len] = '\0';
	if (sscanf(text, "%llu %15s %64s %llu %n", &when, kind, hex, &us, &at) != 4 || !at ||
	    !cache_digest_read(hex, strlen(hex), &event->key))
		return false;
	for (int k = 0; k < CACHE_EVENT__COUNT; k++)
		if (strcmp(kind, cache_event_names[k]) == 0) {
			event->kind = (CacheEventKind)k;
			event->time = when;
			event->microseconds = us;
			event->kernel = line.ptr + at; /* to the line's end */
			return true;
		}
	return false;
}

/* A file of the own folder. */
static bool read_small(CacheStore *store, const char *name, Arena *arena, Str *text)
{
	struct stat st;
	const char *why;
	int root = cache_own(store, false), fd = root < 0 ? -1 : cache_file_open(root, name, geteuid(), &st, &why);
	if (fd < 0)
		return false;
	bool good = st.st_size <= 2 * LARGEST && cache_file_read(fd, (size_t)st.st_size, arena, text) == 0;
	close(fd);
	return good;
}

static void read_events(CacheStore *store, const char *name, Arena *arena, const char *kernel, CacheEvents *events)
{
	Str text;
	if (!read_small(store, name, arena, &text))
		return;
	size_t wanted = kernel ? strlen(kernel) : 0;
	while (text.len) {
		const char *end = memchr(text.ptr, '\n', text.len);
		Str line = {text.ptr, end ? (size_t)(end - text.ptr) : text.len};
		CacheEvent event;
		text.ptr += line.len + (end != NULL);
		text.len -= line.len + (end != NULL);
		if (!end || !read_line(line, &event))
			continue;
		size_t len = (size_t)(line.ptr + line.len - event.kernel);
		if (kernel && (len != wanted || memcmp(event.kernel, kernel, len) != 0))
			continue;
		event.kernel = arena_strndup(arena, event.kernel, len);
		vec_push(arena, events, event);
	}
}

void cache_events(CacheStore *store, Arena *arena, const char *kernel, CacheEvents *events)
{
	read_events(store, "log.1", arena, kernel, events);
	read_events(store, "log", arena, kernel, events);
}

static void count_events(const CacheEvents *events, CacheTotals *totals)
{
	for (uint32_t i = 0; i < events->len; i++) {
		totals->count[events->data[i].kind]++;
		totals->microseconds[events->data[i].kind] += events->data[i].microseconds;
	}
}

static void read_totals(CacheStore *store, Arena *arena, CacheTotals *totals)
{
	char kind[16];
	Str text;
	*totals = (CacheTotals){0};
	if (!read_small(store, "totals", arena, &text))
		return;
	unsigned long long count, us;
	int len;
	for (const char *at = text.ptr; sscanf(at, " %15s %llu %llu%n", kind, &count, &us, &len) == 3; at += len)
		for (int k = 0; k < CACHE_EVENT__COUNT; k++)
			if (strcmp(kind, cache_event_names[k]) == 0) {
				totals->count[k] = count;
				totals->microseconds[k] = us;
			}
}

void cache_totals(CacheStore *store, Arena *arena, CacheTotals *totals)
{
	CacheEvents events = {0};
	*totals = (CacheTotals){0};
	read_totals(store, arena, totals);
	read_events(store, "log", arena, NULL, &events);
	count_events(&events, totals);
}

/* ---- writing ---- */

/* The log becomes log.1, by whoever gets its lock; others go on writing to it for a moment. */
static void rotate(CacheStore *store, int root, int fd)
{
	struct stat a, b;
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 || fstat(fd, &a) != 0 || fstatat(root, "log", &b, AT_SYMLINK_NOFOLLOW) != 0 ||
	    a.st_ino != b.st_ino || renameat(root, "log", root, "log.1") != 0)
		return;
	Arena arena;
	arena_init(&arena, 0);
	CacheEvents events = {0};
	CacheTotals totals;
	Text text;
	text_init(&text, &arena);
	read_totals(store, &arena, &totals);
	read_events(store, "log.1", &arena, NULL, &events);
	count_events(&events, &totals);
	for (int k = 0; k < CACHE_EVENT__COUNT; k++)
		text_printf(&text, "%s %llu %llu\n", cache_event_names[k], (unsigned long long)totals.count[k],
			    (unsigned long long)totals.microseconds[k]);
	(void)cache_publish(store, "totals", (Str){text.data, text.len});
	arena_free(&arena);
}

void cache_log(CacheStore *store, CacheEventKind kind, const CacheDigest *key, double seconds, const char *kernel)
{
	char line[LONGEST_NAME + 160], hex[CACHE_HEX_SIZE];
	struct timespec now;
	struct stat st;
	int root = cache_own(store, false),
	    fd = root < 0 ? -1 : cache_file_own(root, "log", O_WRONLY | O_CREAT | O_APPEND, &st);
	if (fd < 0)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	cache_digest_hex(key, hex);
	int len = snprintf(line, sizeof line, "%llu %s %s %.0f %.*s\n",
			   (unsigned long long)now.tv_sec * 1000 + (unsigned long long)now.tv_nsec / 1000000, cache_event_names[kind],
			   hex, seconds * 1e6, LONGEST_NAME, kernel);
	ssize_t put = write(fd, line, (size_t)len);
	if (put == len && st.st_size + len > LARGEST)
		rotate(store, root, fd);
	close(fd);
}
