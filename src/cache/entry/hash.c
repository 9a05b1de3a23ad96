/* SHA-256. The plain functions of libcrypto: they need neither its providers nor any set-up, so that linking it
 * statically takes a few kilobytes. */
#define OPENSSL_API_COMPAT 0x10100000L /* from OpenSSL 3.0 on they are deprecated, and stay */
#include "cache/entry/hash.h"

#include <openssl/sha.h>

_Static_assert(sizeof(SHA256_CTX) <= sizeof(CacheHash), "CacheHash.state");
_Static_assert(_Alignof(SHA256_CTX) <= _Alignof(CacheHash), "CacheHash.state");

void cache_hash_init(CacheHash *hash)
{
	SHA256_Init((SHA256_CTX *)hash->state);
}

void cache_hash_add(CacheHash *hash, const void *bytes, size_t len)
{
	if (len)
		SHA256_Update((SHA256_CTX *)hash->state, bytes, len);
}

CacheDigest cache_hash_done(CacheHash *hash)
{
	CacheDigest digest;
	SHA256_Final(digest.bytes, (SHA256_CTX *)hash->state);
	return digest;
}

CacheDigest cache_hash_of(const void *bytes, size_t len)
{
	CacheHash hash;
	cache_hash_init(&hash);
	cache_hash_add(&hash, bytes, len);
	return cache_hash_done(&hash);
}

/* ---- as text ---- */

void cache_digest_hex(const CacheDigest *digest, char out[CACHE_HEX_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	for (size_t i = 0; i < sizeof digest->bytes; i++) {
		out[2 * i] = digits[digest->bytes[i] >> 4];
		out[2 * i + 1] = digits[digest->bytes[i] & 15];
	}
	out[CACHE_HEX_SIZE - 1] = '\0';
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool cache_digest_read(const char *hex, size_t len, CacheDigest *out)
{
	if (len != CACHE_HEX_SIZE - 1)
		return false;
	for (size_t i = 0; i < sizeof out->bytes; i++) {
		int high = hex_value(hex[2 * i]), low = hex_value(hex[2 * i + 1]);
		if (high < 0 || low < 0)
			return false;
		out->bytes[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

void cache_digest_base32(const CacheDigest *digest, char out[CACHE_BASE32_SIZE])
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
	uint32_t bits = 0, have = 0;
	size_t at = 0;
	for (size_t i = 0; i < sizeof digest->bytes; i++) {
		bits = bits << 8 | digest->bytes[i];
		for (have += 8; have >= 5; have -= 5)
			out[at++] = digits[bits >> (have - 5) & 31];
		bits &= (1u << have) - 1;
	}
	if (have)
		out[at++] = digits[bits << (5 - have) & 31];
	out[at] = '\0';
}
