/* Ed25519 through EVP, by names that libcrypto has had since 1.1.1. */
#include "cache/entry/ed25519.h"

#include <dlfcn.h>

enum { TYPE_ED25519 = 1087 }; /* NID_ED25519 */

static bool fill(Ed25519 *crypto, void *library)
{
	void *found;
	bool good = true;
#define CRYPTO(result, name, parameters)                                                                     \
	found = dlsym(library, #name);                                                                       \
	memcpy(&crypto->name, &found, sizeof found);                                                         \
	good = good && found;
	CRYPTO_ROWS
#undef CRYPTO
	return good;
}

bool ed25519_open(Ed25519 *crypto, const char **why)
{
	static const char *const names[] = {"libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.so"};
	void *library = NULL;
	for (size_t i = 0; i < ARRAY_LEN(names) && !library; i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (library && fill(crypto, library))
		return true;
	*why = "libcrypto, which Ed25519 needs, cannot be loaded";
	return false;
}

bool ed25519_public(const Ed25519 *c, const uint8_t private_key[ED25519_KEY], uint8_t out[ED25519_KEY])
{
	size_t len = ED25519_KEY;
	void *key = c->EVP_PKEY_new_raw_private_key(TYPE_ED25519, NULL, private_key, ED25519_KEY);
	bool good = key && c->EVP_PKEY_get_raw_public_key(key, out, &len) == 1 && len == ED25519_KEY;
	c->EVP_PKEY_free(key);
	return good;
}

bool ed25519_sign(const Ed25519 *c, const uint8_t private_key[ED25519_KEY], Str message,
		  uint8_t out[ED25519_SIGNATURE])
{
	size_t len = ED25519_SIGNATURE;
	void *key = c->EVP_PKEY_new_raw_private_key(TYPE_ED25519, NULL, private_key, ED25519_KEY);
	void *context = c->EVP_MD_CTX_new();
	bool good = key && context && c->EVP_DigestSignInit(context, NULL, NULL, NULL, key) == 1 &&
		    c->EVP_DigestSign(context, out, &len, (const uint8_t *)message.ptr, message.len) == 1 &&
		    len == ED25519_SIGNATURE;
	c->EVP_MD_CTX_free(context);
	c->EVP_PKEY_free(key);
	return good;
}

bool ed25519_verify(const Ed25519 *c, const uint8_t public_key[ED25519_KEY], Str message,
		    const uint8_t signature[ED25519_SIGNATURE])
{
	void *key = c->EVP_PKEY_new_raw_public_key(TYPE_ED25519, NULL, public_key, ED25519_KEY);
	void *context = c->EVP_MD_CTX_new();
	bool good = key && context && c->EVP_DigestVerifyInit(context, NULL, NULL, NULL, key) == 1 &&
		    c->EVP_DigestVerify(context, signature, ED25519_SIGNATURE, (const uint8_t *)message.ptr,
					message.len) == 1;
	c->EVP_MD_CTX_free(context);
	c->EVP_PKEY_free(key);
	return good;
}
