/* Shared objects that callers built and keep, to be loaded: launchers, code for the CPU, dispatchers.
 *
 * A file is the object, and behind it, where loaders do not look:
 *	 0  "NESOLIBR"
 *	 8  u64 bytes of the object, little-endian
 *	16  the key's SHA-256
 *	48  SHA-256 of the object and of the bytes before
 *
 * What is loaded runs as this user, so more is asked than of entries: the file comes from the store's own folder alone (layers and
 * remote caches vouch for nothing), it and all folders on its way belong to this user or root, nobody else can write to them, and its
 * checksum holds. A folder that anybody can write and only owners can delete from (/tmp) is no way for others. */
#ifndef NESO_CACHE_LIBRARY_H
#define NESO_CACHE_LIBRARY_H

#include "cache/store.h"

/* False: it is not kept; *why says so as a clause. */
bool cache_library_put(CacheStore *store, Arena *arena, const CacheDigest *key, Str object, const char **why);
typedef enum CacheLibrary {
	CACHE_LIBRARY_GOOD,
	CACHE_LIBRARY_NONE,    /* it is not there */
	CACHE_LIBRARY_DAMAGED, /* it was, and is no more; *why */
	CACHE_LIBRARY_REFUSED  /* it is, and is not to be loaded; *why */
} CacheLibrary;
/* *path (in the arena) is what was looked at; it stays what it is as long as nobody but this user and root can write there. */
CacheLibrary cache_library_get(CacheStore *store, Arena *arena, const CacheDigest *key, const char **path, const char **why);
/* Is it such a file? key NULL: of any. */
bool cache_library_check(Str file, const CacheDigest *key, const char **why);

#endif
