/* Packs: entries of a store in one file, to be brought to other machines.
 *
 *	"NESOPACK", u32 version (1), u32 0, then for each entry u32 kind, u32 0, u64 bytes, and the entry's file (entry.h)
 *
 * Each entry checks itself; what is damaged or cut off is left out and counted. */
#ifndef NESO_CACHE_PACK_H
#define NESO_CACHE_PACK_H

#include "base/vec.h"
#include "cache/store.h"

typedef struct CachePacked {
	uint64_t entries, bytes, refused;
} CachePacked;

/* All variants, cubins and choices, or those that `wants` (may be NULL) takes; sorted by key, so that equal stores make equal packs. secret: they are signed
 * with it; NULL: they are as they lie there. The file appears at `path` whole; what is there and no file is written to as it is. False, with a
 * text of the system, when it cannot be written. */
bool cache_pack(CacheStore *store, const char *path, bool (*wants)(void *data, const CacheFile *file), void *data, const CacheSecret *secret,
		CachePacked *result, const char **error, Arena *arena);
/* Puts every entry of a pack into the store; of a pack that is to be signed, with `secret` or else with the store's key, those that are. False with
 * a reason when the bytes are no pack. */
bool cache_unpack(CacheStore *store, Str pack, const CacheSecret *secret, CachePacked *result, const char **why);
/* The same from a file, an entry at a time. */
bool cache_unpack_file(CacheStore *store, const char *path, const CacheSecret *secret, CachePacked *result, const char **why, Arena *arena);
/* The entries of a pack, without a store: each gets kind and file; false from it ends. Any bytes are taken. */
bool cache_pack_read(Str pack, bool (*each)(void *data, CacheKind kind, const CacheEntry *entry), void *data,
		     CachePacked *result, const char **why);
/* A pack's entries, checked whole, without a store: those that are signed with `secret` (NULL:
 * that are sound) are counted, the others refused. False with a reason. */
bool cache_pack_check(const char *path, const CacheSecret *secret, CachePacked *result, const char **why,
		      Arena *arena);
/* The same pack in a file of its own, with entries signed anew; those that are not sound are
 * left out and refused. */
bool cache_pack_sign(const char *path, const char *to, const CacheSecret *secret, CachePacked *result,
		     const char **why, Arena *arena);

#endif
