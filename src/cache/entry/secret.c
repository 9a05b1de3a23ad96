/* HMAC-SHA256 by the hash's plain functions: libcrypto's own HMAC needs its providers, which a static libcrypto would bring along. */
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
	if (st->st_mode & (S_IWGRP | S_IROTH | S_IWOTH))
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

bool cache_secret_read(CacheSecret *secret, const char *path, const char **why)
{
	char bytes[CACHE_SECRET_LARGEST];
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st) != 0) {
		*why = errno == ENOENT ? "it is not there" : "it cannot be read";
		if (fd >= 0)
			close(fd);
		return false;
	}
	*why = wrong_file(&st);
	size_t len = *why ? 0 : read_up_to(fd, bytes, sizeof bytes);
	close(fd);
	while (len && is_blank(bytes[len - 1]))
		len--;
	if (!*why && len < CACHE_SECRET_LEAST)
		*why = "it has fewer than 16 bytes";
	if (!*why)
		cache_secret_init(secret, bytes, len);
	explicit_bzero(bytes, sizeof bytes);
	return !*why;
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
