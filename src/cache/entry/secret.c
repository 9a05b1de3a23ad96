/* HMAC-SHA256 by the hash's plain functions: libcrypto's own HMAC needs its providers, which a
 * static libcrypto would bring along. Keys in PEM are of two fixed forms (RFC 8410): what stands
 * before the 32 bytes of a key is compared, and nothing is parsed. */
#define _GNU_SOURCE /* explicit_bzero */
#include "cache/entry/secret.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 64 };

static void pad(CacheHash *hash, const uint8_t key[BLOCK], uint8_t with)
{
	uint8_t block[BLOCK];
	for (int i = 0; i < BLOCK; i++)
		block[i] = key[i] ^ with;
	cache_hash_init(hash);
	cache_hash_add(hash, block, BLOCK);
	explicit_bzero(block, sizeof block);
}

void cache_secret_init(CacheSecret *secret, const void *key, size_t len)
{
	uint8_t block[BLOCK] = {0};
	*secret = (CacheSecret){0};
	if (len > BLOCK) {
		CacheDigest digest = cache_hash_of(key, len);
		memcpy(block, digest.bytes, sizeof digest.bytes);
	} else if (len) {
		memcpy(block, key, len);
	}
	pad(&secret->inner, block, 0x36);
	pad(&secret->outer, block, 0x5c);
	explicit_bzero(block, sizeof block);
}

/* ---- key files ---- */

static const char *wrong_file(const struct stat *st)
{
	if (!S_ISREG(st->st_mode))
		return "it is no file";
	if (st->st_uid != geteuid() && st->st_uid != 0)
		return "it belongs to another user";
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return "others can read or write it";
	return st->st_size > CACHE_SECRET_LARGEST ? "it is larger than 4096 bytes" : NULL;
}

static size_t read_up_to(int fd, char *bytes, size_t room)
{
	size_t have = 0;
	while (have < room) {
		ssize_t got = read(fd, bytes + have, room - have);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		have += (size_t)got;
	}
	return have;
}

static bool is_blank(char c)
{
	return c == '\n' || c == '\r' || c == ' ' || c == '\t';
}

/* ---- PEM ---- */

static int base64_value(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;
	return at ? (int)(at - digits) : -1;
}

/* What stands between two lines, blank bytes apart; how many bytes, SIZE_MAX: it is no base64 or
 * too long. */
static size_t base64_read(const char *at, const char *end, uint8_t *out, size_t room)
{
	uint32_t bits = 0, have = 0;
	size_t n = 0;
	for (; at < end && *at != '='; at++) {
		int value = base64_value(*at);
		if (is_blank(*at))
			continue;
		if (value < 0 || n == room)
			return SIZE_MAX;
		bits = bits << 6 | (uint32_t)value;
		have += 6;
		if (have >= 8) {
			have -= 8;
			out[n++] = (uint8_t)(bits >> have);
		}
	}
	return n;
}

static const char *take_key(CacheSecret *secret, const char *label, const uint8_t *der, size_t len)
{
	static const uint8_t private_head[] = {0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06,
					       0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20};
	static const uint8_t public_head[] = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03,
					      0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};
	bool is_private = strncmp(label, "PRIVATE KEY-----", 16) == 0;
	size_t head = is_private ? sizeof private_head : sizeof public_head;
	if (!is_private && strncmp(label, "PUBLIC KEY-----", 15) != 0)
		return "it has a part that is neither PRIVATE KEY nor PUBLIC KEY";
	if (len != head + ED25519_KEY || memcmp(der, is_private ? private_head : public_head, head) != 0)
		return "it has a key that is none of Ed25519";
	if (is_private && secret->signs)
		return "it has two private keys";
	if (secret->public_count == CACHE_PUBLIC_KEYS)
		return "it has more than 16 keys";
	uint8_t *public_key = secret->public_keys[secret->public_count++];
	memcpy(is_private ? secret->private_key : public_key, der + head, ED25519_KEY);
	if (is_private && !ed25519_public(&secret->crypto, secret->private_key, public_key))
		return "libcrypto does not take its key";
	secret->signs |= is_private;
	return NULL;
}

/* NULL, or what is wrong with it. */
static const char *read_pem(CacheSecret *secret, const char *text)
{
	static const char begin[] = "-----BEGIN ", end[] = "-----END ";
	const char *why = NULL;
	uint8_t der[96];
	*secret = (CacheSecret){0};
	secret->is_ed25519 = ed25519_open(&secret->crypto, &why);
	for (const char *at = strstr(text, begin); at && !why; at = strstr(at, begin)) {
		const char *label = at + sizeof begin - 1, *from = strchr(label, '\n'),
			   *to = strstr(label, end);
		size_t len = from && to && from < to ? base64_read(from, to, der, sizeof der) : SIZE_MAX;
		why = len == SIZE_MAX ? "it is no PEM" : take_key(secret, label, der, len);
		at = label;
	}
	explicit_bzero(der, sizeof der);
	return why;
}

bool cache_secret_read(CacheSecret *secret, const char *path, const char **why)
{
	char bytes[CACHE_SECRET_LARGEST + 1];
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st) != 0) {
		*why = errno == ENOENT ? "it is not there" : "it cannot be read";
		if (fd >= 0)
			close(fd);
		return false;
	}
	*why = wrong_file(&st);
	size_t len = *why ? 0 : read_up_to(fd, bytes, CACHE_SECRET_LARGEST);
	close(fd);
	while (len && is_blank(bytes[len - 1]))
		len--;
	bytes[len] = '\0';
	bool pem = strncmp(bytes, "-----BEGIN ", 11) == 0;
	if (!*why && pem)
		*why = read_pem(secret, bytes);
	if (!*why && (!pem || secret->signs) && st.st_mode & S_IROTH)
		*why = "others can read or write it";
	if (!*why && !pem && len < CACHE_SECRET_LEAST)
		*why = "it has fewer than 16 bytes";
	if (!*why && !pem)
		cache_secret_init(secret, bytes, len);
	explicit_bzero(bytes, sizeof bytes);
	return !*why;
}

/* ---- signatures ---- */

bool cache_secret_sign(const CacheSecret *secret, Str message, uint8_t out[CACHE_SIGNATURE])
{
	CacheHash mac;
	memset(out, 0, CACHE_SIGNATURE);
	if (secret->is_ed25519)
		return secret->signs && ed25519_sign(&secret->crypto, secret->private_key, message, out);
	cache_mac_init(&mac, secret);
	cache_hash_add(&mac, message.ptr, message.len);
	CacheDigest code = cache_mac_done(&mac, secret);
	memcpy(out, code.bytes, sizeof code.bytes);
	return true;
}

bool cache_secret_check(const CacheSecret *secret, Str message, const uint8_t signature[CACHE_SIGNATURE])
{
	uint8_t code[CACHE_SIGNATURE];
	if (!secret->is_ed25519)
		return cache_secret_sign(secret, message, code) && cache_mac_eq(code, signature);
	for (size_t i = 0; i < secret->public_count; i++)
		if (ed25519_verify(&secret->crypto, secret->public_keys[i], message, signature))
			return true;
	return false;
}

/* ---- codes ---- */

void cache_mac_init(CacheHash *mac, const CacheSecret *secret)
{
	*mac = secret->inner;
}

CacheDigest cache_mac_done(CacheHash *mac, const CacheSecret *secret)
{
	CacheDigest inner = cache_hash_done(mac);
	*mac = secret->outer;
	cache_hash_add(mac, inner.bytes, sizeof inner.bytes);
	return cache_hash_done(mac);
}

bool cache_mac_eq(const void *a, const void *b)
{
	const volatile uint8_t *x = a, *y = b;
	uint8_t different = 0;
	for (size_t i = 0; i < sizeof((CacheDigest *)0)->bytes; i++)
		different |= x[i] ^ y[i];
	return different == 0;
}
