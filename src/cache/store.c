/* The store: its life, reading, putting, and what is remembered of failures. */
#define _GNU_SOURCE /* strerror_r that gives the text */
#include "cache/inner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/os.h"

const char *const cache_kind_names[CACHE_KIND__COUNT] = {
	[CACHE_VARIANT] = "variant", [CACHE_CUBIN] = "cubin", [CACHE_FILE] = "file", [CACHE_FACT] = "fact",
	[CACHE_LIBRARY] = "library", [CACHE_CHOICE] = "choice",
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

/* Where a key is asked for nothing goes without one. */
static void read_secret(CacheStore *store, const char *path)
{
	const char *why;
	if (!path)
		return;
	store->is_signed = cache_secret_read(&store->secret, path, &why);
	store->is_shut = !store->is_signed;
	if (store->is_shut)
		cache_report(store, CACHE_FAULT_SECRET, path, why);
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
	for (uint32_t i = 0; i < options->layer_count; i++) {
		store->roots[store->root_count++].path = heap_text(options->layers[i], "/neso-1");
		if (!os_is_dir(options->layers[i]))
			cache_report(store, CACHE_FAULT_LAYER, options->layers[i], "no folder is there");
	}
	store->options = *options;
	store->options.dir = NULL;
	store->options.layers = NULL;
	store->options.secret_file = NULL;
	store->options.remote = (CacheRemoteOptions){0};
	store->options.dir = options->dir ? heap_text(options->dir, "") : NULL;
	read_secret(store, options->secret_file);
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
	for (uint32_t i = 0; i < store->root_count; i++) {
		cache_root_close(&store->roots[i]);
		free(store->roots[i].path);
	}
	for (uint32_t i = 0; i < store->fault_count; i++) {
		free(store->faults[i].path);
		free(store->faults[i].why);
	}
	explicit_bzero(&store->secret, sizeof store->secret);
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
	bool known = store->fault_count == CACHE_FAULTS,
	     once = kind == CACHE_FAULT_UNUSABLE || kind == CACHE_FAULT_REMOTE;
	for (uint32_t i = 0; i < store->fault_count; i++)
		known = known ||
			(store->faults[i].kind == kind && (once || strcmp(store->faults[i].path, path) == 0));
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
			found = (CacheFault){store->faults[i].kind, store->faults[i].path,
					     store->faults[i].why};
		}
	pthread_mutex_unlock(&store->lock);
	return found;
}

/* ---- reading ---- */

typedef struct Found {
	CacheRoot *root;
	int fd; /* the root's */
	uid_t owner;
	char name[CACHE_NAME];
} Found;

static bool find_root(CacheStore *store, CacheRoot *root, CacheKind kind, const CacheDigest *key,
		      Found *found)
{
	const CacheOpened *o = cache_root(store, root);
	if (!o)
		return false;
	uid_t owner = root->own ? geteuid() : store->is_signed ? (uid_t)CACHE_ANYBODY : o->owner;
	*found = (Found){.root = root, .fd = o->fd, .owner = owner};
	cache_entry_name(found->name, kind, key);
	return true;
}

/* The last use is what eviction goes by; to the minute is enough, and keeps most hits from
 * writing. */
static void note_use(int fd, const struct stat *st)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	if (now.tv_sec - st->st_mtim.tv_sec > 60)
		(void)futimens(fd, NULL);
}

/* The beginning of an entry is checked before memory is taken for the whole; most are no longer
 * than what is read for that. 0, or an errno; EBADMSG: *why says what is wrong. */
static int read_checked(int fd, size_t size, const CacheDigest *key, Arena *arena, Str *bytes,
			const char **why)
{
	char head[MAX((int)CACHE_ENTRY_HEAD, 16 * 1024)];
	ssize_t got = pread(fd, head, sizeof head, 0);
	if (got < 0)
		return errno;
	if (!cache_entry_check_head((Str){head, (size_t)got}, size, key, why))
		return EBADMSG;
	return (size_t)got == size ? cache_file_keep(head, size, arena, bytes) :
				     cache_file_read(fd, size, arena, bytes);
}

/* Shared objects are no entries, and as large as a build makes them. */
static int read_library(int fd, const struct stat *st, Arena *arena, Str *bytes)
{
	enum { LARGEST = 1 << 30 };
	return st->st_size > LARGEST ? EFBIG : cache_file_read(fd, (size_t)st->st_size, arena, bytes);
}

static int read_file(const Found *f, CacheKind kind, const CacheDigest *key, bool used, Arena *arena,
		     Str *bytes, const char **why)
{
	struct stat st;
	uid_t owner = f->owner;
	int fd = cache_file_open(f->fd, f->name, owner, &st, why);
	if (fd < 0)
		return *why ? EBADMSG : errno;
	int error = kind == CACHE_LIBRARY ? read_library(fd, &st, arena, bytes)
					  : read_checked(fd, (size_t)st.st_size, key, arena, bytes, why);
	if (used && !error)
		note_use(fd, &st);
	close(fd);
	return error;
}

/* Is it an entry of its key, and signed where that is asked for? Facts are told of by the programs
 * of this machine alone, and carry no key. */
static bool accept(const CacheStore *store, CacheKind kind, const CacheEntry *entry, const char **why)
{
	if (store->is_signed && !cache_entry_signed(entry->file, cache_kind_names[kind], &store->secret, why))
		return false;
	return kind == CACHE_FACT || cache_entry_keyed(entry, why);
}

bool cache_entry_accept(CacheStore *store, CacheKind kind, const CacheDigest *key, Str file,
			CacheEntry *entry, const char **why)
{
	CONTRACT(file.ptr);
	return cache_entry_open(entry, file, key, why) && accept(store, kind, entry, why);
}

static void remove_damaged(CacheStore *store, const Found *f)
{
	struct stat st;
	if (!f->root->own || fstatat(f->fd, f->name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !cache_file_remove(f->fd, f->name))
		return;
	if (S_ISREG(st.st_mode))
		cache_count(store, -(int64_t)st.st_size, -1, NULL);
}

/* What another version wrote is no damage: that one may need it still. */
static void tell_damaged(CacheStore *store, const Found *f, const char *why)
{
	char path[CACHE_PATH];
	if (why == cache_other_version || why == cache_no_memory)
		return;
	cache_show_path(path, f->root, f->name);
	cache_report(store, CACHE_FAULT_DAMAGED, path, why);
	remove_damaged(store, f);
}

static bool get_from(CacheStore *store, CacheRoot *root, CacheKind kind, const CacheDigest *key, Arena *arena,
		     CacheEntry *entry)
{
	char path[CACHE_PATH];
	Found found;
	Str bytes;
	const char *why;
	if (!find_root(store, root, kind, key, &found))
		return false;
	int error = read_file(&found, kind, key, root->own, arena, &bytes, &why);
	if (error == ENOENT && cache_root_moved(store, root) && find_root(store, root, kind, key, &found))
		error = read_file(&found, kind, key, root->own, arena, &bytes, &why);
	if (error == ENOENT || error == ENOTDIR)
		return false;
	if (error == 0 && cache_entry_accept(store, kind, key, bytes, entry, &why))
		return true;
	if (error == 0 || error == EBADMSG) {
		tell_damaged(store, &found, why);
		return false;
	}
	cache_show_path(path, root, found.name);
	cache_report_errno(store, path, error);
	return false;
}

bool cache_get(CacheStore *store, CacheKind kind, const CacheDigest *key, Arena *arena, CacheEntry *entry,
	       uint32_t *layer)
{
	CONTRACT(key && entry);
	uint32_t at = CACHE_LAYER_REMOTE;
	for (uint32_t i = 0; i < store->root_count && at == CACHE_LAYER_REMOTE; i++)
		if (get_from(store, &store->roots[i], kind, key, arena, entry))
			at = i + !store->has_own;
	if (at == CACHE_LAYER_REMOTE && !cache_remote_find(store, kind, key, arena, entry))
		return false;
	if (layer)
		*layer = at;
	return true;
}

void cache_drop(CacheStore *store, CacheKind kind, const CacheDigest *key, const char *why)
{
	struct stat st;
	Found found;
	if (why == cache_no_memory)
		return;
	for (uint32_t i = 0; i < store->root_count; i++)
		if (find_root(store, &store->roots[i], kind, key, &found) &&
		    fstatat(found.fd, found.name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
			tell_damaged(store, &found, why);
			return;
		}
}

static int read_own(CacheStore *store, CacheKind kind, const CacheDigest *key, bool used, Arena *arena,
		    Str *bytes, const char **why)
{
	Found found;
	*why = NULL;
	if (!store->has_own || !find_root(store, &store->roots[0], kind, key, &found))
		return ENOENT;
	return read_file(&found, kind, key, used, arena, bytes, why);
}

bool cache_read_file(CacheStore *store, CacheKind kind, const CacheDigest *key, Arena *arena, Str *bytes,
		     const char **why)
{
	return read_own(store, kind, key, false, arena, bytes, why) == 0;
}

bool cache_read_used(CacheStore *store, CacheKind kind, const CacheDigest *key, Arena *arena, Str *bytes)
{
	const char *why;
	return read_own(store, kind, key, true, arena, bytes, &why) == 0;
}

/* ---- writing ---- */

static bool publish_entry(CacheStore *store, CacheKind kind, const CacheDigest *key, Str file)
{
	char path[CACHE_PATH], name[CACHE_NAME];
	struct stat old;
	cache_entry_name(name, kind, key);
	int root = cache_own(store, true);
	if (root < 0)
		return false;
	bool replaces = fstatat(root, name, &old, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(old.st_mode);
	int error = cache_publish(store, name, file);
	if (error) {
		cache_show_path(path, &store->roots[0], name);
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

static bool put_entry(CacheStore *store, CacheKind kind, const CacheDigest *key, Str file, bool remotely)
{
	CacheRemote *remote = remotely && !store->is_shut ? cache_remote_take(store, kind) : NULL;
	if (remote) {
		cache_remote_put(remote, cache_kind_names[kind], key, file);
		cache_remote_trust(store, kind, key);
	}
	cache_remote_give_back(store, remote);
	return publish_entry(store, kind, key, file);
}

static bool put_signed(CacheStore *store, CacheKind kind, const CacheDigest *key, Str file, bool remotely)
{
	Arena arena;
	Fault fault;
	volatile bool put = false;
	arena_init(&arena, 0);
	if (FAULT_TRY(&fault)) {
		Str signed_file;
		put = cache_entry_sign(file, cache_kind_names[kind], &store->secret, &arena, &signed_file) &&
		      put_entry(store, kind, key, signed_file, remotely);
		fault_leave(&fault);
	}
	arena_free(&arena);
	return put;
}

static bool put(CacheStore *store, CacheKind kind, const CacheDigest *key, Str file, bool remotely)
{
	if (kind != CACHE_LIBRARY && file.len > CACHE_ENTRY_LARGEST)
		return false;
	return (store->is_signed && kind != CACHE_LIBRARY ? put_signed : put_entry)(store, kind, key, file,
										    remotely);
}

bool cache_put(CacheStore *store, CacheKind kind, const CacheDigest *key, Str file)
{
	CONTRACT(file.ptr && file.len);
	return put(store, kind, key, file, true);
}

bool cache_put_here(CacheStore *store, CacheKind kind, const CacheDigest *key, Str file)
{
	CONTRACT(file.ptr && file.len);
	return put(store, kind, key, file, false);
}

void cache_remove(CacheStore *store, CacheKind kind, const CacheDigest *key)
{
	Found found;
	if (store->has_own && find_root(store, &store->roots[0], kind, key, &found))
		remove_damaged(store, &found);
}
