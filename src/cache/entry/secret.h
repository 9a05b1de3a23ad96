/* Keys of users that entries are signed with, and HMAC-SHA256 (RFC 2104). Who has no key can change nothing that is signed, wherever it lies. */
#ifndef NESO_CACHE_SECRET_H
#define NESO_CACHE_SECRET_H

#include "cache/entry/hash.h"

enum { CACHE_SECRET_LEAST = 16, CACHE_SECRET_LARGEST = 4096 }; /* bytes of a key file */

/* The hash's state behind either pad: the key itself is not kept. */
typedef struct CacheSecret {
	CacheHash inner, outer;
} CacheSecret;

void cache_secret_init(CacheSecret *secret, const void *key, size_t len);
/* From a file: its bytes, without blank ones at the end. Others than this user and root must not have written it, nor be able to read or write it.
 * False with a clause. */
bool cache_secret_read(CacheSecret *secret, const char *path, const char **why);

void cache_mac_init(CacheHash *mac, const CacheSecret *secret); /* then cache_hash_add */
CacheDigest cache_mac_done(CacheHash *mac, const CacheSecret *secret);
/* In a time that does not depend on where they differ. */
bool cache_mac_eq(const void *a, const void *b);

#endif
