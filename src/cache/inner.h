/* Inside the cache: what its files share. Paths are made in buffers, so that nothing is raised while a file is open. */
#ifndef NESO_CACHE_INNER_H
#define NESO_CACHE_INNER_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

#include "cache/folder.h"
#include "cache/store.h"

enum { CACHE_PATH = 4096, CACHE_NAME = 96, CACHE_SHARDS = 256, CACHE_FAULTS = 16 };

/* A root that was opened. It stays what it was to threads that use it when the folder is removed and another is opened. */
typedef struct CacheOpened {
	struct CacheOpened *before;
	int fd;
	dev_t device;
	ino_t file;
	uid_t owner;
} CacheOpened;

typedef struct CacheRoot {
	char *path; /* .../neso-1; for messages, and to open it */
	bool own;   /* written too */
	atomic_bool refused; /* looked at, and not to be used */
	_Atomic(CacheOpened *) opened; /* NULL: not yet */
} CacheRoot;

struct CacheStore {
	CacheOptions options;
	CacheRoot *roots; /* the own one first, when there is one */
	uint32_t root_count;
	bool has_own;
	pthread_mutex_t lock; /* faults */
	struct {
		CacheFaultKind kind;
		char *path, *why;
		bool told;
	} faults[CACHE_FAULTS];
	uint32_t fault_count;
	CacheSecret secret;
	bool is_signed, is_shut; /* entries are signed by `secret`; the key could not be had: nothing is read or written */
	CacheRemote *remote, *given; /* of the options, and the one that goes before it; under the lock; either may be NULL */
};

/* ---- root.c: opening the roots ---- */

/* Of a root that is there and fit for use; NULL: it is not, and why was reported. Good until the next call for this root. */
const CacheOpened *cache_root(CacheStore *store, CacheRoot *root);
/* A descriptor of the own folder, made when `make`; -1: there is none. */
int cache_own(CacheStore *store, bool make);
/* After what was looked for was not there: does its path lead to another folder by now? Then that is the one from now on, if it is fit. */
bool cache_root_moved(CacheStore *store, CacheRoot *root);
void cache_root_close(CacheRoot *root);

/* ---- entry names, relative to a root ---- */

void cache_entry_name(char out[CACHE_NAME], CacheKind kind, const CacheDigest *key);
/* For messages, "NAME of ROOT"; cut when it is too long. */
void cache_show_path(char out[CACHE_PATH], const CacheRoot *root, const char *name);

/* ---- file.c: files below a root ---- */

/* A regular file without waiting for anybody, as others than this user, root and `owner` could not have made it; -1: *why is a clause, or NULL
 * with errno. */
int cache_file_open(int root, const char *name, uid_t owner, struct stat *st, const char **why);
/* All of it. 0, or an errno; FAULT_MEMORY never. */
int cache_file_read(int fd, size_t size, Arena *arena, Str *bytes);
/* The same of what was read already. */
int cache_file_keep(const char *data, size_t size, Arena *arena, Str *bytes);
/* To append to, or to read and write: made where it is not there. *st: of the file. -1: it is no file, or
 * cannot be had. */
int cache_file_own(int root, const char *name, int flags, struct stat *st);
/* Removes a file, a link, or an empty folder. */
bool cache_file_remove(int root, const char *name);
/* cache_read_file, as a use. */
bool cache_read_used(CacheStore *store, CacheKind kind, const CacheDigest *key, Arena *arena, Str *bytes);
/* Remembers a fault; `error` is an errno. */
void cache_report(CacheStore *store, CacheFaultKind kind, const char *path, const char *why);
void cache_report_errno(CacheStore *store, const char *path, int error);
/* Adds to the count of what there is. */
void cache_count(CacheStore *store, int64_t bytes, int64_t files, CacheUsage *now);

/* ---- store_remote.c ---- */

/* What is behind the folders; NULL: nothing, or not for this kind. With a reference. */
CacheRemote *cache_remote_take(CacheStore *store, CacheKind kind);
/* Takes over what it has to tell: counts, and why it is away. NULL is fine. */
void cache_remote_give_back(CacheStore *store, CacheRemote *remote);
void cache_remote_look(CacheStore *store); /* both */
bool cache_remote_find(CacheStore *store, CacheKind kind, const CacheDigest *key, Arena *arena, CacheEntry *entry);
void cache_remote_trust(CacheStore *store, CacheKind kind, const CacheDigest *key);
void cache_remote_store_open(CacheStore *store, const CacheOptions *options);
void cache_remote_store_close(CacheStore *store);

/* The file `name` for counts, locked; -1: not now. */
int cache_open_counts(CacheStore *store, const char *name);

/* A number of this machine in names of temporaries. */
uint32_t cache_host(void);
/* Writes a file of the own folder that gets its name when it is whole. 0, or an errno. */
int cache_publish(CacheStore *store, const char *name, Str bytes);

#endif
