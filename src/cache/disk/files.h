/* What callers keep in the cache under keys of their own: a file under a key and a name, or a group of files that belong together and
 * are never mixed with those of another put. */
#ifndef NESO_CACHE_FILES_H
#define NESO_CACHE_FILES_H

#include "base/vec.h"
#include "cache/store.h"

typedef struct CacheNamed {
	const char *name;
	Str bytes;
} CacheNamed;
typedef VEC(CacheNamed) CacheNameds;

enum { CACHE_GROUP_LARGEST = CACHE_SECTIONS - 2 }; /* files of a group */

bool cache_file_put(CacheStore *store, Arena *arena, const char *key, const char *name, Str bytes);
bool cache_file_get(CacheStore *store, Arena *arena, const char *key, const char *name, Str *bytes);
/* Is it the name of a file: no path, nothing that steers a terminal? Those of a group are, put and got: callers write files of such names. */
bool cache_name_is_plain(const char *name);
/* False also for more than CACHE_GROUP_LARGEST files, or CACHE_ENTRY_LARGEST bytes, and for names that are not plain. */
bool cache_group_put(CacheStore *store, Arena *arena, const char *key, const char *name, const CacheNamed *files, uint32_t count);
bool cache_group_get(CacheStore *store, Arena *arena, const char *key, const char *name, CacheNameds *files);

#endif
