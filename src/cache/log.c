/* The log: appended lines, "TIME KIND KEY MICROSECONDS KERNEL". */
#define _GNU_SOURCE
#include "cache/log.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
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

static void read_events(CacheStore *store, const char *name, Arena *arena, const char *kernel, CacheEvents *events)
{
	char path[CACHE_PATH];
	const char *error;
	Str text;
	if (!cache_path(path, store->roots[0].path, "%s", name) || !os_read_file(arena, path, &text, &error))
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
	if (!cache_own_usable(store, false))
		return;
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
	char path[CACHE_PATH], kind[16];
	const char *error;
	Str text;
	*totals = (CacheTotals){0};
	if (!cache_path(path, store->roots[0].path, "totals") || !os_read_file(arena, path, &text, &error))
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
	if (!cache_own_usable(store, false))
		return;
	read_totals(store, arena, totals);
	read_events(store, "log", arena, NULL, &events);
	count_events(&events, totals);
}

/* ---- writing ---- */

/* The log becomes log.1, by whoever gets its lock; others go on writing to it for a moment. */
static void rotate(CacheStore *store, int fd, const char *path)
{
	char old[CACHE_PATH], sums[CACHE_PATH];
	struct stat a, b;
	if (flock(fd, LOCK_EX | LOCK_NB) != 0 || fstat(fd, &a) != 0 || stat(path, &b) != 0 || a.st_ino != b.st_ino ||
	    !cache_path(old, store->roots[0].path, "log.1") || !cache_path(sums, store->roots[0].path, "totals") ||
	    rename(path, old) != 0)
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
	(void)cache_publish(store, sums, (Str){text.data, text.len});
	arena_free(&arena);
}

void cache_log(CacheStore *store, CacheEventKind kind, const CacheDigest *key, double seconds, const char *kernel)
{
	char path[CACHE_PATH], line[LONGEST_NAME + 160], hex[CACHE_HEX_SIZE];
	struct timespec now;
	struct stat st;
	if (!cache_own_usable(store, false) || !cache_path(path, store->roots[0].path, "log"))
		return;
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	clock_gettime(CLOCK_REALTIME, &now);
	cache_digest_hex(key, hex);
	int len = snprintf(line, sizeof line, "%llu %s %s %.0f %.*s\n",
			   (unsigned long long)now.tv_sec * 1000 + (unsigned long long)now.tv_nsec / 1000000, cache_event_names[kind],
			   hex, seconds * 1e6, LONGEST_NAME, kernel);
	ssize_t put = write(fd, line, (size_t)len);
	if (put == len && fstat(fd, &st) == 0 && st.st_size > LARGEST)
		rotate(store, fd, path);
	close(fd);
}
