/* Entries on disk, by key.
 *
 *	DIR/neso-1/KIND/ab/abcd...   an entry: KIND of cache_kind_names, named by its key's 64 digits, in 256 folders
 *	DIR/neso-1/tmp/              files being written: they appear under their names by rename, whole or not at all
 *	DIR/neso-1/claims            who makes what (cache_claim): locks of its bytes
 *	DIR/neso-1/usage             bytes and files, as far as was counted
 *	DIR/neso-1/log, log.1, totals  what happened (log.h)
 *	DIR/neso-1/remote            what happened between it and a remote cache
 *
 * Nothing else under DIR is touched. Folders are made with mode 0700, files with 0600. folder.h says which folders are taken: opened once,
 * they are used by their descriptors. Entries of kinds that come from elsewhere carry the text of their key (entry.h), which is held against the key;
 * with a secret they are signed, and none is taken that is not.
 *
 * Reading takes no lock. Writers of one key do not harm each other: each renames a whole file, and equal keys mean equal
 * results. Nothing is synchronised to the disk: a torn file is a miss. Threads may share a store. No function fails: what does
 * not work is a miss, or is not kept, and cache_fault says once why.
 *
 * Behind the folders there may be a remote cache (remote.h): what is in none of them is asked of it, checked whole, and put into the
 * own folder; what is put goes there too. Facts stay here. */
#ifndef NESO_CACHE_STORE_H
#define NESO_CACHE_STORE_H

#include "cache/entry/entry.h"
#include "cache/remote/remote.h"

typedef enum CacheKind {
	CACHE_VARIANT, /* a compiled kernel with its stages, by the key of the variant */
	CACHE_CUBIN,   /* by PTX, and the assembler with its flags */
	CACHE_FILE,    /* what callers keep (files.h) */
	CACHE_FACT,    /* what was found out about this machine */
	CACHE_LIBRARY, /* shared objects of callers, which are no entries (library.h) */
	CACHE_CHOICE,  /* what tuning chose (choice.h) */
	CACHE_KIND__COUNT
} CacheKind;
extern const char *const cache_kind_names[CACHE_KIND__COUNT]; /* "variant", ... */

typedef struct CacheOptions {
	const char *dir;  /* holds neso-1/; NULL: nothing is kept, because of: */
	const char *dir_why; /* a clause; NULL: it is not wanted */
	const char *const *layers; /* such folders that are only read, looked up in order after dir */
	uint32_t layer_count;
	uint64_t max_bytes, max_files; /* 0: no bound */
	double wait; /* seconds that cache_claim waits */
	const char *secret_file; /* a key of the user's: all is signed with it, and nothing taken that is not; NULL: none */
	CacheRemoteOptions remote;
} CacheOptions;

/* From TRITON_CACHE_DIR, else TRITON_HOME or the home folder with .triton/cache; NESO_CACHE_RO (folders, separated by
 * colons), NESO_CACHE_MAX_SIZE ("5G"; 0: none), NESO_CACHE_MAX_FILES, NESO_CACHE_WAIT (seconds); TRITON_REMOTE_CACHE_BACKEND, TRITON_REDIS_... and
 * NESO_REMOTE_.... Texts are in the arena, or the environment's. *wrong: what is no number, as "NAME is 'VALUE'"; else NULL. */
void cache_options_env(Arena *arena, CacheOptions *options, const char **wrong);

typedef struct CacheStore CacheStore;

CacheStore *cache_store_new(const CacheOptions *options); /* copies them; touches no folder */
void cache_store_free(CacheStore *store);                 /* NULL is fine */
const CacheOptions *cache_store_options(const CacheStore *store);
/* DIR/neso-1; NULL: there is none. */
const char *cache_store_root(const CacheStore *store);

/* From now on behind the folders; NULL: the one of the options again. The caller keeps its reference. */
void cache_store_set_remote(CacheStore *store, CacheRemote *remote);
/* Waits for what is on its way to the remote cache; how many values are left. */
size_t cache_store_flush(CacheStore *store, double seconds);

enum { CACHE_LAYER_REMOTE = 1 << 30 };
/* The entry of a key: its head is checked, and its sections are when they are asked for. Its last use is noted, but in layers. layer:
 * 0 for the store's own folder, then those of its layers, CACHE_LAYER_REMOTE for what a remote cache had; may be NULL. */
bool cache_get(CacheStore *store, CacheKind kind, const CacheDigest *key, Arena *arena, CacheEntry *entry, uint32_t *layer);
/* Takes an entry away that turned out damaged, and reports it. */
void cache_drop(CacheStore *store, CacheKind kind, const CacheDigest *key, const char *why);
/* An entry that a remote cache had, whole, makes no sense: it is not asked for again for some minutes, or until it was put anew. */
void cache_remote_distrust(CacheStore *store, CacheKind kind, const CacheDigest *key);
/* Keeps what cache_entry_write gave, here and remotely; may evict others to hold the bounds. False: not here. */
bool cache_put(CacheStore *store, CacheKind kind, const CacheDigest *key, Str file);
bool cache_put_here(CacheStore *store, CacheKind kind, const CacheDigest *key, Str file); /* not remotely */

/* ---- one maker at a time, between processes ---- */

typedef enum CacheClaimed {
	CACHE_MINE,   /* nobody else makes it: cache_release when it was put, or failed */
	CACHE_THERE,  /* another made it meanwhile */
	CACHE_BUSY,   /* another is at it, for longer than the bound: make it, without a claim */
} CacheClaimed;
typedef struct CacheClaim {
	int fd; /* -1: none */
	CacheDigest key;
} CacheClaim;
/* Waits while another process (or thread) holds the claim and lives, up to options.wait. The system lets go of a claim when
 * its holder dies. Where the folder does not take locks, all are CACHE_MINE. */
CacheClaimed cache_claim(CacheStore *store, CacheKind kind, const CacheDigest *key, CacheClaim *claim);
void cache_release(CacheClaim *claim);

/* ---- what went wrong ---- */

typedef enum CacheFaultKind {
	CACHE_FAULT_NONE,
	CACHE_FAULT_UNUSABLE, /* cannot be read or written */
	CACHE_FAULT_LAYER,    /* a folder that is only read is not there */
	CACHE_FAULT_OPEN,     /* others can write it */
	CACHE_FAULT_DAMAGED,  /* an entry */
	CACHE_FAULT_REMOTE,   /* the remote cache is away; path is its name */
	CACHE_FAULT_SECRET,   /* the key cannot be had: the store is not used */
} CacheFaultKind;
typedef struct CacheFault {
	CacheFaultKind kind;
	const char *path, *why; /* live as long as the store */
} CacheFault;
/* The next one that was not told yet; each folder, and each kind of trouble with it, once. NONE: there is none. */
CacheFault cache_fault(CacheStore *store);

/* Of all processes that used the folder. */
CacheRemoteCounts cache_store_remote_counts(CacheStore *store);

/* ---- looking through it, and keeping it small (evict.c) ---- */

typedef struct CacheFile {
	CacheKind kind;
	CacheDigest key;
	uint64_t bytes;
	double used; /* seconds since 1970 */
} CacheFile;
/* Calls `each` for every entry, in no order, until it returns false. shards: how many of the 256 folders of each kind, from `first` on. */
void cache_each(CacheStore *store, uint32_t first, uint32_t shards, bool (*each)(void *data, const CacheFile *file), void *data);
/* The bytes of a file that cache_each gave; that is no use. Of an entry the head was checked. False: *why says what is wrong with it; NULL: it is
 * not there, or cannot be read. */
bool cache_read_file(CacheStore *store, CacheKind kind, const CacheDigest *key, Arena *arena, Str *bytes, const char **why);
/* Opens an entry, holds its key against the text that it carries, and its signature against the store's key. */
bool cache_entry_accept(CacheStore *store, CacheKind kind, const CacheDigest *key, Str file, CacheEntry *entry, const char **why);
void cache_remove(CacheStore *store, CacheKind kind, const CacheDigest *key);

typedef struct CacheUsage {
	uint64_t bytes, files;
} CacheUsage;
CacheUsage cache_usage(CacheStore *store); /* as counted; exact after cache_gc */

typedef struct CacheGc {
	CacheUsage before, after;
	uint64_t evicted, leftovers; /* leftovers: temporaries of processes that ended */
} CacheGc;
/* Removes leftovers, and the least recently used until both bounds hold; counts anew. */
void cache_gc(CacheStore *store, uint64_t max_bytes, uint64_t max_files, CacheGc *result);
/* Called by cache_put when the bounds are passed: looks at a part of a large store. */
void cache_evict(CacheStore *store);
/* Removes all entries. */
void cache_clear(CacheStore *store, CacheGc *result);

#endif
