/* Keys of users that entries are signed with. Who has no key can change nothing that is signed,
 * wherever it lies.
 *
 * A file of any bytes is a key of HMAC-SHA256 (RFC 2104): who checks can sign, too. A file in
 * PEM holds keys of Ed25519: a private one signs, and public ones check. */
#ifndef NESO_CACHE_SECRET_H
#define NESO_CACHE_SECRET_H

#include "cache/entry/ed25519.h"
#include "cache/entry/hash.h"

enum { CACHE_SECRET_LEAST = 16, CACHE_SECRET_LARGEST = 4096 }; /* bytes of a key file */

enum { CACHE_PUBLIC_KEYS = 16 /* in a file */, CACHE_SIGNATURE = ED25519_SIGNATURE /* bytes */ };

typedef struct CacheSecret {
	/* HMAC: the hash's state behind either pad: the key itself is not kept. */
	CacheHash inner, outer;
	/* Ed25519 */
	bool is_ed25519, signs; /* signs: there is a private key */
	Ed25519 crypto;
	uint8_t private_key[ED25519_KEY];
	uint8_t public_keys[CACHE_PUBLIC_KEYS][ED25519_KEY];
	size_t public_count;
} CacheSecret;

void cache_secret_init(CacheSecret *secret, const void *key, size_t len);
/* From a file: PEM, or its bytes without blank ones at the end. Others than this user and root
 * must not have written it, nor be able to write it, nor to read what is secret of it. False
 * with a clause. */
bool cache_secret_read(CacheSecret *secret, const char *path, const char **why);

/* Can it sign, or check alone? */
static inline bool cache_secret_signs(const CacheSecret *secret)
{
	return !secret->is_ed25519 || secret->signs;
}
/* The signature of a message; false: it checks alone. Unused bytes are 0. */
bool cache_secret_sign(const CacheSecret *secret, Str message, uint8_t out[CACHE_SIGNATURE]);
bool cache_secret_check(const CacheSecret *secret, Str message, const uint8_t signature[CACHE_SIGNATURE]);

void cache_mac_init(CacheHash *mac, const CacheSecret *secret); /* then cache_hash_add */
CacheDigest cache_mac_done(CacheHash *mac, const CacheSecret *secret);
/* In a time that does not depend on where they differ. */
bool cache_mac_eq(const void *a, const void *b);

#endif
