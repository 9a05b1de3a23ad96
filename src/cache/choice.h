/* Choices of tuning as entries: a number that says how good one is, and what it is, which the cache
 * does not look into. Packs have them; of two with one key that with the smaller number stays. */
#ifndef NESO_CACHE_CHOICE_H
#define NESO_CACHE_CHOICE_H

#include "cache/entry/key.h"
#include "cache/store.h"

/* Here and remotely. keep_better: unless one as good is there. False: not here. */
bool cache_choice_put(CacheStore *store, const CacheKey *key, double number, Str what, bool keep_better,
		      Arena *arena);
/* What was put; in the arena. */
bool cache_choice_get(CacheStore *store, const CacheKey *key, Arena *arena, Str *what);
/* All in the store's own folder. */
void cache_choices(CacheStore *store, void (*each)(void *data, Str what), void *data);
/* Puts a whole entry of this kind here, unless one as good is there. */
bool cache_choice_take(CacheStore *store, const CacheEntry *entry);

#endif
