/* SHA-256 by OpenSSL's libcrypto: what the cache is keyed and checked by. No function allocates or fails. */
#ifndef NESO_CACHE_HASH_H
#define NESO_CACHE_HASH_H

#include "base/str.h"

typedef struct CacheDigest {
	uint8_t bytes[32];
} CacheDigest;

enum { CACHE_HEX_SIZE = 65, CACHE_BASE32_SIZE = 53 }; /* with NUL */

typedef struct CacheHash {
	uint64_t state[16]; /* a SHA256_CTX */
} CacheHash;

void cache_hash_init(CacheHash *hash);
void cache_hash_add(CacheHash *hash, const void *bytes, size_t len);
CacheDigest cache_hash_done(CacheHash *hash);
CacheDigest cache_hash_of(const void *bytes, size_t len);

static inline bool cache_digest_eq(const CacheDigest *a, const CacheDigest *b)
{
	return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

void cache_digest_hex(const CacheDigest *digest, char out[CACHE_HEX_SIZE]);
bool cache_digest_read(const char *hex, size_t len, CacheDigest *out); /* 64 digits, and nothing else */
/* RFC 4648 without padding, as upstream names its folders. */
void cache_digest_base32(const CacheDigest *digest, char out[CACHE_BASE32_SIZE]);

#endif
