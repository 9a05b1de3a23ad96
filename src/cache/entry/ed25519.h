/* Ed25519 (RFC 8032) by the system's libcrypto, which is loaded when a key of that kind is read:
 * its signatures need libcrypto's providers, of which the functions that are linked (hash.c)
 * bring none. */
#ifndef NESO_CACHE_ED25519_H
#define NESO_CACHE_ED25519_H

#include "base/str.h"

enum { ED25519_KEY = 32, ED25519_SIGNATURE = 64 };

/* Functions of libcrypto.so: CRYPTO(result, name, parameters). */
#define CRYPTO_ROWS                                                                                          \
	CRYPTO(void *, EVP_PKEY_new_raw_private_key,                                                         \
	       (int type, void *engine, const uint8_t *key, size_t len))                                     \
	CRYPTO(void *, EVP_PKEY_new_raw_public_key,                                                          \
	       (int type, void *engine, const uint8_t *key, size_t len))                                     \
	CRYPTO(int, EVP_PKEY_get_raw_public_key, (const void *pkey, uint8_t *key, size_t *len))              \
	CRYPTO(void, EVP_PKEY_free, (void *pkey))                                                            \
	CRYPTO(void *, EVP_MD_CTX_new, (void))                                                               \
	CRYPTO(void, EVP_MD_CTX_free, (void *context))                                                       \
	CRYPTO(int, EVP_DigestSignInit, (void *context, void *pctx, void *type, void *engine, void *pkey))   \
	CRYPTO(int, EVP_DigestSign,                                                                          \
	       (void *context, uint8_t *signature, size_t *len, const uint8_t *message, size_t message_len)) \
	CRYPTO(int, EVP_DigestVerifyInit, (void *context, void *pctx, void *type, void *engine, void *pkey)) \
	CRYPTO(int, EVP_DigestVerify,                                                                        \
	       (void *context, const uint8_t *signature, size_t len, const uint8_t *message,                 \
		size_t message_len))

typedef struct Ed25519 {
#define CRYPTO(result, name, parameters) result(*name) parameters;
	CRYPTO_ROWS
#undef CRYPTO
} Ed25519;

/* Fills in libcrypto's functions, which stay as long as the process. False with a clause. */
bool ed25519_open(Ed25519 *crypto, const char **why);
bool ed25519_public(const Ed25519 *crypto, const uint8_t private_key[ED25519_KEY], uint8_t out[ED25519_KEY]);
bool ed25519_sign(const Ed25519 *crypto, const uint8_t private_key[ED25519_KEY], Str message,
		  uint8_t out[ED25519_SIGNATURE]);
bool ed25519_verify(const Ed25519 *crypto, const uint8_t public_key[ED25519_KEY], Str message,
		    const uint8_t signature[ED25519_SIGNATURE]);

#endif
