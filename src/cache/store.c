/* The store: paths, reading, publishing, and what is remembered of failures. */
#define _GNU_SOURCE /* strerror_r that gives the text */
#include "cache/inner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/os.h"

const char *const cache_kind_names[CACHE_KIND__COUNT] = {
	[CACHE_VARIANT] = "variant", [CACHE_CUBIN] = "cubin", [CACHE_FILE] = "file", [CACHE_FACT] = "fact",
	[CACHE_LIBRARY] = "library",
};

/* ---- life ---- */

static void *heap(size_t size)
{
	void *block = calloc(1, size);
	if (!block)
		fault_raise(FAULT_MEMORY, "out of memory (%zu bytes asked for)", size);
	return block;
}

static char *heap_text(const char *text, const char *tail)
{
	char *copy = heap(strlen(text) + strlen(tail) + 1);
	memcpy(copy, text, strlen(text));
	memcpy(copy + strlen(text), tail, strlen(tail) + 1);
	return copy;
}

static void fill(CacheStore *store, const CacheOptions *options)
{
	store->roots = heap((options->layer_count + 1) * sizeof *store->roots);
	store->has_own = options->dir != NULL;
	if (options->dir) {
		store->roots[0].path = heap_text(options->dir, "/neso-1");
		store->roots[0].own = true;
		store->root_count = 1;
	}
	for (uint32_t i = 0; i < options->layer_count; i++)
		store->roots[store->root_count++].path = heap_text(options->layers[i], "/neso-1");
	store->options = *options;
	store->options.dir = NULL;
	store->options.layers = NULL;
	store->options.remote = (CacheRemoteOptions){0};
	store->options.dir = options->dir ? heap_text(options->dir, "") : NULL;
	cache_remote_store_open(store, options);
}

CacheStore *cache_store_new(const CacheOptions *options)
{
	CacheStore *volatile store = heap(sizeof *store);
	pthread_mutex_init(&store->lock, NULL);
	Fault fault;
	if (FAULT_TRY(&fault)) {
		fill(store, options);
		fault_leave(&fault);
	} else {
		cache_store_free(store);
		fault_raise(fault.kind, "%s", fault.text);
	}
	if (!options->dir && options->dir_why)
		cache_report(store, CACHE_FAULT_UNUSABLE, "(none)", options->dir_why);
	return store;
}

void cache_store_free(CacheStore *store)
{
	if (!store)
		return;
	cache_remote_store_close(store);
	for (uint32_t i = 0; i < store->root_count; i++)
		free(store->roots[i].path);
	for (uint32_t i = 0; i < store->fault_count; i++) {
		free(store->faults[i].path);
		free(store->faults[i].why);
	}
	free(store->roots);
	free((char *)store->options.dir);
	pthread_mutex_destroy(&store->lock);
	free(store);
}

const CacheOptions *cache_store_options(const CacheStore *store)
{
	return &store->options;
}

const char *cache_store_root(const CacheStore *store)
{
	return store->has_own ? store->roots[0].path : NULL;
}

/* ---- faults ---- */

void cache_report(CacheStore *store, CacheFaultKind kind, const char *path, const char *why)
{
	pthread_mutex_lock(&store->lock);
	bool known = store->fault_count == CACHE_FAULTS;
	for (uint32_t i = 0; i < store->fault_count; i++)
		known = known || (store->faults[i].kind == kind &&
				  (kind != CACHE_FAULT_DAMAGED || strcmp(store->faults[i].path, path) == 0));
	if (!known) {
		char *a = strdup(path), *b = strdup(why);
		if (a && b) {
			store->faults[store->fault_count].kind = kind;
			store->faults[store->fault_count].path = a;
			store->faults[store->fault_count++].why = b;
		} else {
			free(a);
			free(b);
		}
	}
	pthread_mutex_unlock(&store->lock);
}

void cache_report_errno(CacheStore *store, const char *path, int error)
{
	char text[128];
	/* glibc's own strerror_r gives the text, which need not be in the buffer. */
	cache_report(store, CACHE_FAULT_UNUSABLE, path, strerror_r(error, text, sizeof text));
}

CacheFault cache_fault(CacheStore *store)
{
	CacheFault found = {0};
	cache_remote_look(store);
	pthread_mutex_lock(&store->lock);
	for (uint32_t i = 0; i < store->fault_count && !found.kind; i++)
		if (!store->faults[i].told) {
			store->faults[i].told = true;
			found = (CacheFault){store->faults[i].kind, store->faults[i].path, store->faults[i].why};
		}
	pthread_mutex_unlock(&store->lock);
	return found;
}

/* ---- paths ---- */

bool cache_path(char out[CACHE_PATH], const char *root, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int head = snprintf(out, CACHE_PATH, "%s/", root);
	int tail = head < CACHE_PATH ? vsnprintf(out + head, (size_t)(CACHE_PATH - head), format, args) : 0;
	va_end(args);
	return head + tail < CACHE_PATH;
}

bool cache_entry_path(char out[CACHE_PATH], const char *root, CacheKind kind, const CacheDigest *key)
{
	char hex[CACHE_HEX_SIZE];
	cache_digest_hex(key, hex);
	return cache_path(out, root, "%s/%.2s/%s", cache_kind_names[kind], hex, hex);
}

/* mkdir with all above it; those above keep the user's mask. 0, or an errno. */
static int make_folders(const char *path, mode_t mode)
{
	char part[CACHE_PATH];
	size_t len = strlen(path);
	if (len >= sizeof part)
		return ENAMETOOLONG;
	memcpy(part, path, len + 1);
	for (size_t i = 1; i < len; i++) {
		if (part[i] != '/')
			continue;
		part[i] = '\0';
		if (mkdir(part, 0777) != 0 && errno != EEXIST && errno != EISDIR && errno != EROFS && errno != EACCES &&
		    errno != EPERM)
			return errno;
		part[i] = '/';
	}
	return mkdir(part, mode) == 0 || errno == EEXIST ? 0 : errno;
}

bool cache_is_private(const struct stat *st)
{
	return (st->st_uid == geteuid() || st->st_uid == 0) && (st->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* -1: not there (errno says why), 0: not to be used, 1: fine. */
static int look_at(CacheStore *store, const CacheRoot *root)
{
	struct stat st;
	if (stat(root->path, &st) != 0)
		return -1;
	if (!S_ISDIR(st.st_mode)) {
		cache_report_errno(store, root->path, ENOTDIR);
		return 0;
	}
	if (!root->own || cache_is_private(&st))
		return 1;
	cache_report(store, CACHE_FAULT_OPEN, root->path,
		     st.st_uid != geteuid() && st.st_uid != 0 ? "it belongs to another user" : "others can write to it");
	return 0;
}

/* Is there something to read? */
static bool readable(CacheStore *store, CacheRoot *root)
{
	int state = atomic_load_explicit(&root->state, memory_order_acquire);
	if (state == 0) {
		int found = look_at(store, root);
		/* What is not there may come; what is no folder of ours is looked at once. */
		state = found < 0 ? 0 : found > 0 ? 1 : -1;
		if (state)
			atomic_store_explicit(&root->state, state, memory_order_release);
	}
	return state > 0;
}

bool cache_own_usable(CacheStore *store, bool make)
{
	if (!store->has_own)
		return false;
	CacheRoot *root = &store->roots[0];
	if (readable(store, root))
		return true;
	if (atomic_load(&root->state) < 0 || !make)
		return false;
	int error = make_folders(root->path, 0700);
	if (error == 0 && readable(store, root))
		return true;
	if (error)
		cache_report_errno(store, root->path, error);
	return false;
}

/* ---- reading ---- */

/* used: note that this was a use. */
static int read_fd(int fd, bool used, Arena *arena, Str *bytes)
{
	struct stat st;
	if (fstat(fd, &st) != 0)
		return errno;
	if (!S_ISREG(st.st_mode) || st.st_size < 0 || st.st_size > INT_MAX)
		return EINVAL;
	size_t size = (size_t)st.st_size, have = 0;
	char *data = arena_alloc_raw(arena, size + 1, 16);
	while (have < size) {
		ssize_t got = read(fd, data + have, size - have);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno;
		if (got == 0)
			break;
		have += (size_t)got;
	}
	data[have] = '\0';
	*bytes = (Str){data, have};
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	/* The last use is what eviction goes by; to the minute is enough, and keeps most hits from writing. */
	if (used && now.tv_sec - st.st_mtim.tv_sec > 60)
		(void)futimens(fd, NULL);
	return 0;
}

/* 0, or an errno. */
static int read_entry(const char *path, bool used, Arena *arena, Str *bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return errno;
	int error = EIO;
	Fault fault;
	if (FAULT_TRY(&fault)) {
		error = read_fd(fd, used, arena, bytes);
		fault_leave(&fault);
	} else {
		close(fd);
		fault_raise(fault.kind, "%s", fault.text);
	}
	close(fd);
	return error;
}

bool cache_get(CacheStore *store, CacheKind kind, const CacheDigest *key, Arena *arena, CacheEntry *entry, uint32_t *layer)
{
	char path[CACHE_PATH];
	for (uint32_t i = 0; i < store->root_count; i++) {
		CacheRoot *root = &store->roots[i];
		Str bytes;
		const char *why;
		if (!readable(store, root) || !cache_entry_path(path, root->path, kind, key))
			continue;
		int error = read_entry(path, root->own, arena, &bytes);
		if (error == ENOENT || error == ENOTDIR)
			continue;
		if (error) {
			cache_report_errno(store, path, error);
			continue;
		}
		if (cache_entry_open(entry, bytes, key, &why)) {
			if (layer)
				*layer = i + !store->has_own;
			return true;
		}
		cache_report(store, CACHE_FAULT_DAMAGED, path, why);
		if (root->own && unlink(path) == 0)
			cache_count(store, -(int64_t)bytes.len, -1, NULL);
	}
	if (!cache_remote_find(store, kind, key, arena, entry))
		return false;
	if (layer)
		*layer = CACHE_LAYER_REMOTE;
	return true;
}

void cache_drop(CacheStore *store, CacheKind kind, const CacheDigest *key, const char *why)
{
	char path[CACHE_PATH];
	struct stat st;
	for (uint32_t i = 0; i < store->root_count; i++)
		if (readable(store, &store->roots[i]) && cache_entry_path(path, store->roots[i].path, kind, key) && stat(path, &st) == 0) {
			cache_report(store, CACHE_FAULT_DAMAGED, path, why);
			if (store->roots[i].own && unlink(path) == 0)
				cache_count(store, -(int64_t)st.st_size, -1, NULL);
			return;
		}
}

static bool read_own(CacheStore *store, CacheKind kind, const CacheDigest *key, bool used, Arena *arena, Str *bytes)
{
	char path[CACHE_PATH];
	return cache_own_usable(store, false) && cache_entry_path(path, store->roots[0].path, kind, key) &&
	       read_entry(path, used, arena, bytes) == 0;
}

bool cache_read_file(CacheStore *store, CacheKind kind, const CacheDigest *key, Arena *arena, Str *bytes)
{
	return read_own(store, kind, key, false, arena, bytes);
}

bool cache_read_used(CacheStore *store, CacheKind kind, const CacheDigest *key, Arena *arena, Str *bytes)
{
	return read_own(store, kind, key, true, arena, bytes);
}

/* ---- writing ---- */

static int write_new(const char *path, Str bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return errno;
	int error = os_write_all(fd, bytes) ? 0 : errno;
	if (close(fd) != 0 && !error)
		error = errno;
	if (error)
		unlink(path);
	return error;
}

uint32_t cache_host(void)
{
	char name[256] = "";
	gethostname(name, sizeof name - 1);
	return (uint32_t)cache_hash_of(name, strlen(name)).bytes[0] << 8 | cache_hash_of(name, strlen(name)).bytes[1];
}

/* Names of temporaries tell machine and process, so that gc knows whose are left over. */
static bool temporary(CacheStore *store, char out[CACHE_PATH])
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return cache_path(out, store->roots[0].path, "tmp/%04x.%ld.%lld.%09ld.%u", cache_host(), (long)getpid(),
			  (long long)now.tv_sec, now.tv_nsec, atomic_fetch_add(&store->counter, 1));
}

static int make_folder_of(const char *path)
{
	char folder[CACHE_PATH];
	size_t len = (size_t)(strrchr(path, '/') - path);
	memcpy(folder, path, len);
	folder[len] = '\0';
	return make_folders(folder, 0700);
}

int cache_publish(CacheStore *store, const char *path, Str bytes)
{
	char temp[CACHE_PATH];
	if (!temporary(store, temp))
		return ENAMETOOLONG;
	int error = write_new(temp, bytes);
	if (error == ENOENT) { /* the first time, or the folder vanished: who made one since is to be looked at */
		atomic_store(&store->roots[0].state, 0);
		error = cache_own_usable(store, true) ? make_folder_of(temp) : EACCES;
		error = error ? error : write_new(temp, bytes);
	}
	if (error)
		return error;
	error = rename(temp, path) == 0 ? 0 : errno;
	if (error == ENOENT) {
		error = make_folder_of(path);
		if (!error)
			error = rename(temp, path) == 0 ? 0 : errno;
	}
	if (error)
		unlink(temp);
	return error;
}

bool cache_put_here(CacheStore *store, CacheKind kind, const CacheDigest *key, Str file)
{
	char path[CACHE_PATH];
	if (!cache_own_usable(store, true) || !cache_entry_path(path, store->roots[0].path, kind, key))
		return false;
	struct stat old;
	bool replaces = stat(path, &old) == 0;
	int error = cache_publish(store, path, file);
	if (error) {
		cache_report_errno(store, path, error);
		return false;
	}
	CacheUsage now;
	cache_count(store, (int64_t)file.len - (replaces ? (int64_t)old.st_size : 0), replaces ? 0 : 1, &now);
	const CacheOptions *o = &store->options;
	if ((o->max_bytes && now.bytes > o->max_bytes) || (o->max_files && now.files > o->max_files))
		cache_evict(store);
	return true;
}

void cache_remove(CacheStore *store, CacheKind kind, const CacheDigest *key)
{
	char path[CACHE_PATH];
	struct stat st;
	if (!cache_own_usable(store, false) || !cache_entry_path(path, store->roots[0].path, kind, key))
		return;
	if (stat(path, &st) == 0 && unlink(path) == 0)
		cache_count(store, -(int64_t)st.st_size, -1, NULL);
}
