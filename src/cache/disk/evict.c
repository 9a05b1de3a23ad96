/* Keeping the store small: counting, eviction by last use, leftovers.
 *
 * Puts add to a count of bytes and files (the file `usage`), so that knowing whether a bound is passed costs the same for any
 * number of entries. Above a bound, a put looks at some of the 256 folders, as many as hold some thousand entries, and
 * removes the oldest there until their share of the bound holds with a tenth to spare: keys are hashes, so the folders are
 * alike, and each such look frees room for hundreds of puts. A store of a few thousand entries is looked at whole, and exactly the
 * oldest go. The count may drift when processes die; each look corrects it by what it saw. */
#define _GNU_SOURCE
#include "cache/inner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_AT = 4096 };

/* ---- counting ---- */

/* A process that stopped while it held the lock stops nobody else. */
int cache_open_counts(CacheStore *store, const char *name)
{
	struct stat st;
	int root = cache_own(store, false),
	    fd = root < 0 ? -1 : cache_file_own(root, name, O_RDWR | O_CREAT, &st);
	for (int i = 0; fd >= 0 && i < 20; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
			return fd;
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

static CacheUsage read_usage(int fd)
{
	char text[64] = "";
	CacheUsage usage = {0};
	unsigned long long bytes, files;
	ssize_t got = pread(fd, text, sizeof text - 1, 0);
	if (got > 0 && sscanf(text, "%llu %llu", &bytes, &files) == 2)
		usage = (CacheUsage){bytes, files};
	return usage;
}

static void write_usage(int fd, CacheUsage usage)
{
	char text[64];
	int len = snprintf(text, sizeof text, "%-20llu %-20llu\n", (unsigned long long)usage.bytes,
			   (unsigned long long)usage.files);
	ssize_t put = pwrite(fd, text, (size_t)len, 0);
	(void)put; /* a full disk: the count drifts */
}

static uint64_t add(uint64_t count, int64_t more)
{
	return more < 0 && (uint64_t)-more > count ? 0 : count + (uint64_t)more;
}

void cache_count(CacheStore *store, int64_t bytes, int64_t files, CacheUsage *now)
{
	CacheUsage usage = {0};
	int fd = store->has_own ? cache_open_counts(store, "usage") : -1;
	if (fd >= 0) {
		usage = read_usage(fd);
		usage.bytes = add(usage.bytes, bytes);
		usage.files = add(usage.files, files);
		write_usage(fd, usage);
		close(fd);
	}
	if (now)
		*now = usage;
}

static void cache_count_set(CacheStore *store, CacheUsage usage)
{
	int fd = cache_open_counts(store, "usage");
	if (fd < 0)
		return;
	write_usage(fd, usage);
	close(fd);
}

CacheUsage cache_usage(CacheStore *store)
{
	CacheUsage usage;
	cache_count(store, 0, 0, &usage);
	return usage;
}

/* ---- looking through it ---- */

/* False: `each` said so. */
static bool each_in(int dir_fd, CacheKind kind, bool (*each)(void *data, const CacheFile *file), void *data)
{
	DIR *dir = fdopendir(dir_fd);
	bool on = true;
	if (!dir) {
		close(dir_fd);
		return true;
	}
	for (struct dirent *d; on && (d = readdir(dir)) != NULL;) {
		CacheFile file = {.kind = kind};
		struct stat st;
		if (!cache_digest_read(d->d_name, strlen(d->d_name), &file.key) ||
		    fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
			continue;
		file.bytes = (uint64_t)st.st_size;
		file.used = (double)st.st_mtim.tv_sec + (double)st.st_mtim.tv_nsec * 1e-9;
		on = each(data, &file);
	}
	closedir(dir);
	return on;
}

void cache_each(CacheStore *store, uint32_t first, uint32_t shards, bool (*each)(void *data, const CacheFile *file), void *data)
{
	char name[CACHE_NAME];
	int root = cache_own(store, false);
	if (root < 0)
		return;
	for (uint32_t i = 0; i < MIN(shards, (uint32_t)CACHE_SHARDS); i++)
		for (CacheKind kind = 0; kind < CACHE_KIND__COUNT; kind++) {
			snprintf(name, sizeof name, "%s/%02x", cache_kind_names[kind], (first + i) % CACHE_SHARDS);
			int fd = openat(root, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
			if (fd >= 0 && !each_in(fd, kind, each, data))
				return;
		}
}

/* ---- eviction ---- */

typedef struct Look {
	CacheFile *files; /* malloc */
	size_t count, cap;
	CacheUsage seen;
} Look;

static bool collect(void *data, const CacheFile *file)
{
	Look *look = data;
	if (look->count == look->cap) {
		size_t cap = look->cap ? look->cap * 2 : 1024;
		CacheFile *files = realloc(look->files, cap * sizeof *files);
		if (!files)
			return false;
		look->files = files;
		look->cap = cap;
	}
	look->files[look->count++] = *file;
	look->seen.bytes += file->bytes;
	look->seen.files++;
	return true;
}

static int by_use(const void *a, const void *b)
{
	const CacheFile *x = a, *y = b;
	return x->used < y->used ? -1 : x->used > y->used ? 1 : memcmp(&x->key, &y->key, sizeof x->key);
}

static bool unlink_entry(CacheStore *store, const CacheFile *file)
{
	char name[CACHE_NAME];
	int root = cache_own(store, false);
	cache_entry_name(name, file->kind, &file->key);
	return root >= 0 && unlinkat(root, name, 0) == 0;
}

/* Removes the oldest until at most so much is left; 0: no bound. How many went. */
static uint64_t shrink(CacheStore *store, Look *look, uint64_t max_bytes, uint64_t max_files)
{
	uint64_t gone = 0;
	if (look->count)
		qsort(look->files, look->count, sizeof *look->files, by_use);
	for (size_t i = 0; i < look->count; i++) {
		if ((!max_bytes || look->seen.bytes <= max_bytes) && (!max_files || look->seen.files <= max_files))
			break;
		if (!unlink_entry(store, &look->files[i]))
			continue;
		look->seen.bytes -= look->files[i].bytes;
		look->seen.files--;
		gone++;
	}
	return gone;
}

/* A part of a bound with a tenth to spare, and never 0, which is no bound. */
static uint64_t share(uint64_t bound, uint32_t shards)
{
	double part = (double)bound * 0.9 * shards / CACHE_SHARDS;
	return bound ? MAX((uint64_t)part, UINT64_C(1)) : 0;
}

void cache_evict(CacheStore *store)
{
	CacheUsage usage = cache_usage(store);
	uint32_t shards = CACHE_SHARDS;
	if (usage.files > LOOK_AT)
		shards = (uint32_t)MAX(UINT64_C(1), (uint64_t)LOOK_AT * CACHE_SHARDS / usage.files);
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	uint32_t first = ((uint32_t)now.tv_nsec / 1000 ^ (uint32_t)getpid() * 2654435761u) % CACHE_SHARDS;
	Look look = {0};
	cache_each(store, first, shards, collect, &look);
	CacheUsage before = look.seen;
	shrink(store, &look, share(store->options.max_bytes, shards), share(store->options.max_files, shards));
	if (shards == CACHE_SHARDS)
		cache_count_set(store, look.seen);
	else
		cache_count(store, (int64_t)look.seen.bytes - (int64_t)before.bytes, (int64_t)look.seen.files - (int64_t)before.files,
			    NULL);
	free(look.files);
}

/* ---- leftovers ---- */

/* Is a temporary's maker gone? Its name: machine.pid.number. Files with other names are not ours. */
static bool is_left_over(const char *name, const struct stat *st)
{
	enum { TOO_OLD = 3600 };
	unsigned host;
	long pid;
	int at = 0;
	if (sscanf(name, "%4x.%ld.%n", &host, &pid, &at) != 2 || !at || pid <= 0 || !name[at] ||
	    strspn(name + at, "0123456789abcdef.") != strlen(name + at) || !S_ISREG(st->st_mode))
		return false;
	if (time(NULL) - st->st_mtim.tv_sec > TOO_OLD)
		return true;
	if (host != cache_host())
		return false;
	return kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

static uint64_t remove_leftovers(CacheStore *store)
{
	uint64_t gone = 0;
	int root = cache_own(store, false),
	    fd = root < 0 ? -1 : openat(root, "tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir && fd >= 0)
		close(fd);
	for (struct dirent *d; dir && (d = readdir(dir)) != NULL;) {
		struct stat st;
		if (d->d_name[0] == '.' || fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		if (is_left_over(d->d_name, &st))
			gone += unlinkat(dirfd(dir), d->d_name, 0) == 0;
	}
	if (dir)
		closedir(dir);
	return gone;
}

/* ---- the whole store ---- */

static void sweep(CacheStore *store, uint64_t max_bytes, uint64_t max_files, bool all, CacheGc *result)
{
	*result = (CacheGc){0};
	if (cache_own(store, false) < 0)
		return;
	Look look = {0};
	cache_each(store, 0, CACHE_SHARDS, collect, &look);
	result->before = look.seen;
	for (size_t i = 0; all && i < look.count; i++)
		if (unlink_entry(store, &look.files[i])) {
			look.seen.bytes -= look.files[i].bytes;
			look.seen.files--;
			result->evicted++;
		}
	if (!all)
		result->evicted = shrink(store, &look, max_bytes, max_files);
	result->after = look.seen;
	cache_count_set(store, look.seen);
	free(look.files);
	result->leftovers = remove_leftovers(store);
}

void cache_gc(CacheStore *store, uint64_t max_bytes, uint64_t max_files, CacheGc *result)
{
	sweep(store, max_bytes, max_files, false, result);
}

void cache_clear(CacheStore *store, CacheGc *result)
{
	sweep(store, 0, 0, true, result);
}
