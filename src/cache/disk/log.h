/* What happened in a store: a line for each variant that was asked for, so that `neso cache stats` and `explain` can tell. Lines go to
 * the file `log`; when it is large it becomes log.1, and its numbers go into `totals`. Nothing depends on these files: what cannot
 * be written is not counted. */
#ifndef NESO_CACHE_LOG_H
#define NESO_CACHE_LOG_H

#include "base/vec.h"
#include "cache/store.h"

typedef enum CacheEventKind {
	CACHE_EVENT_HIT,    /* in the store's own folder */
	CACHE_EVENT_LAYER,  /* in a read-only layer */
	CACHE_EVENT_REMOTE, /* in a remote cache */
	CACHE_EVENT_HALF,   /* compiled up to PTX, whose cubin was there */
	CACHE_EVENT_MISS,   /* compiled: it was not there, */
	CACHE_EVENT_FORCED, /* it was not to be read, */
	CACHE_EVENT_DAMAGED, /* or it was damaged */
	CACHE_EVENT__COUNT
} CacheEventKind;
extern const char *const cache_event_names[CACHE_EVENT__COUNT];

typedef struct CacheEvent {
	CacheEventKind kind;
	CacheDigest key;
	uint64_t time;         /* milliseconds since 1970 */
	uint64_t microseconds; /* that it took to compile, now or when it was made */
	const char *kernel;
} CacheEvent;

void cache_log(CacheStore *store, CacheEventKind kind, const CacheDigest *key, double seconds, const char *kernel);

typedef struct CacheTotals {
	uint64_t count[CACHE_EVENT__COUNT], microseconds[CACHE_EVENT__COUNT];
} CacheTotals;
void cache_totals(CacheStore *store, Arena *arena, CacheTotals *totals);

typedef VEC(CacheEvent) CacheEvents;
/* The last ones, oldest first; kernel NULL: of all. */
void cache_events(CacheStore *store, Arena *arena, const char *kernel, CacheEvents *events);

#endif
