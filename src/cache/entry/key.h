/* Keys: what decides a result, as rows that can be printed and compared. The digest of a key is that of its text, and
 * the text is stored with the result, so that whoever reads an entry can check that it is what was asked for, and
 * say in which row two keys differ. */
#ifndef NESO_CACHE_KEY_H
#define NESO_CACHE_KEY_H

#include "base/vec.h"
#include "cache/entry/hash.h"

typedef struct CacheRow {
	const char *name;  /* "num_warps"; may stand several times in a key */
	const char *value; /* any text; NUL-terminated, as is name */
} CacheRow;

typedef struct CacheKey {
	Arena *arena;
	VEC(CacheRow) rows;
} CacheKey;

void cache_key_init(CacheKey *key, Arena *arena);
void cache_key_add(CacheKey *key, const char *name, const char *value); /* copies both */
void cache_key_printf(CacheKey *key, const char *name, const char *format, ...) PRINTF_LIKE(3, 4);

/* A row a line: name, tab, value; what would break a line is written \n, \t, \\. In the key's arena. */
Str cache_key_text(const CacheKey *key);
CacheDigest cache_key_digest(const CacheKey *key);
/* Reads such a text back; any bytes give some rows. */
void cache_key_read(CacheKey *key, Arena *arena, Str text);
/* The value of the first row of that name; NULL: there is none. */
const char *cache_key_value(const CacheKey *key, const char *name);

/* A row that two keys do not share. Rows are matched by name, the i-th of a name with the i-th. */
typedef struct CacheDifference {
	const char *name;
	const char *a, *b; /* NULL: that key has no such row */
} CacheDifference;
typedef VEC(CacheDifference) CacheDifferences;
/* In the order of a's rows, then those that b alone has. */
void cache_key_compare(Arena *arena, const CacheKey *a, const CacheKey *b, CacheDifferences *out);

#endif
