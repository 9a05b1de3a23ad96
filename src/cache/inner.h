/* Inside the cache: what its files share. Paths are made in buffers, so that nothing is raised while a file is open. */
#ifndef NESO_CACHE_INNER_H
#define NESO_CACHE_INNER_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

#include "cache/store.h"

enum { CACHE_PATH = 4096, CACHE_SHARDS = 256, CACHE_FAULTS = 16 };

typedef struct CacheRoot {
	char *path;       /* .../neso-1 */
	bool own;         /* written too, and held to the rule of who can write it */
	atomic_int state; /* 0: not looked at, 1: usable, -1: not */
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
	atomic_uint counter; /* of temporaries */
	CacheRemote *remote, *given; /* of the options, and the one that goes before it; under the lock; either may be NULL */
};

/* False when the path is too long. */
bool cache_path(char out[CACHE_PATH], const char *root, const char *format, ...) PRINTF_LIKE(3, 4);
bool cache_entry_path(char out[CACHE_PATH], const char *root, CacheKind kind, const CacheDigest *key);
/* Is the own folder there (made when `make`) and fit for use? Reports why not. */
bool cache_own_usable(CacheStore *store, bool make);
struct stat;
/* Can only this user and root put anything into it? */
bool cache_is_private(const struct stat *st);
/* cache_read_file, as a use. */
bool cache_read_used(CacheStore *store, CacheKind kind, const CacheDigest *key, Arena *arena, Str *bytes);
/* Remembers a fault; `error` is an errno. */
void cache_report(CacheStore *store, CacheFaultKind kind, const char *path, const char *why);
void cache_report_errno(CacheStore *store, const char *path, int error);
/* Adds to the count of what there is. */
void cache_count(CacheStore *store, int64_t bytes, int64_t files, CacheUsage *now);
void cache_count_set(CacheStore *store, CacheUsage usage);

/* ---- store_remote.c ---- */

/* What is behind the folders; NULL: nothing, or not for this kind. With a reference. */
CacheRemote *cache_remote_take(CacheStore *store, CacheKind kind);
/* Takes over what it has to tell: counts, and why it is away. NULL is fine. */
void cache_remote_give_back(CacheStore *store, CacheRemote *remote);
void cache_remote_look(CacheStore *store); /* both */
bool cache_remote_find(CacheStore *store, CacheKind kind, const CacheDigest *key, Arena *arena, CacheEntry *entry);
void cache_remote_store_open(CacheStore *store, const CacheOptions *options);
void cache_remote_store_close(CacheStore *store);

/* The file `name` for counts, locked; -1: not now. */
int cache_open_counts(CacheStore *store, const char *name);

/* A number of this machine in names of temporaries. */
uint32_t cache_host(void);
/* Writes a file under tmp/ and renames it. 0, or an errno. */
int cache_publish(CacheStore *store, const char *path, Str bytes);

#endif
