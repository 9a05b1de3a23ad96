/* What the files of this room share. */
#ifndef NESO_API_CACHE_H
#define NESO_API_CACHE_H

#include "api/inner.h"
#include "cache/disk/library.h"

/* The store; NULL after diagnosing that there is none. */
CacheStore *api_cache_store(ApiCall *call, neso_context *context);
/* The one entry whose key begins so; false after diagnosing. */
bool api_cache_find(ApiCall *call, CacheStore *store, const char *key, CacheFile *found);

#endif
