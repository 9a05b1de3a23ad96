/* Packs: writing and reading. */
#include "cache/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cache/inner.h"

static const char head[16] = "NESOPACK\1\0\0\0\0\0\0\0";

static void put_number(char *at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (char)(value >> 8 * i & 255);
}

static uint64_t get_number(const char *at, unsigned bytes)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)(uint8_t)at[i] << 8 * i;
	return value;
}

/* ---- writing ---- */

typedef VEC(CacheFile) Files;
typedef struct Packing {
	Arena *arena;
	Files files;
	bool (*wants)(void *data, const CacheFile *file);
	void *data;
} Packing;

static bool collect(void *data, const CacheFile *file)
{
	Packing *p = data;
	if ((file->kind == CACHE_VARIANT || file->kind == CACHE_CUBIN) && (!p->wants || p->wants(p->data, file)))
		vec_push(p->arena, &p->files, *file);
	return true;
}

static int by_key(const void *a, const void *b)
{
	const CacheFile *x = a, *y = b;
	return x->kind != y->kind ? (int)x->kind - (int)y->kind : memcmp(&x->key, &y->key, sizeof x->key);
}

static bool write_all(FILE *file, const char *bytes, size_t len)
{
	return fwrite(bytes, 1, len, file) == len;
}

static bool write_entry(CacheStore *store, const CacheFile *file, FILE *out, CachePacked *result)
{
	Arena arena;
	arena_init(&arena, 0);
	char row[16] = {0};
	CacheEntry entry;
	Str bytes;
	const char *why;
	bool written = true;
	if (!cache_read_file(store, file->kind, &file->key, &arena, &bytes) ||
	    !cache_entry_open(&entry, bytes, &file->key, &why) || !cache_entry_verify(&entry, &arena, &why)) {
		result->refused++;
	} else {
		put_number(row, file->kind, 4);
		put_number(row + 8, bytes.len, 8);
		written = write_all(out, row, sizeof row) && write_all(out, bytes.ptr, bytes.len);
		result->entries++;
		result->bytes += sizeof row + bytes.len;
	}
	arena_free(&arena);
	return written;
}

bool cache_pack(CacheStore *store, const char *path, bool (*wants)(void *data, const CacheFile *file), void *data,
		CachePacked *result, const char **error, Arena *arena)
{
	Packing p = {.arena = arena, .wants = wants, .data = data};
	*result = (CachePacked){0};
	cache_each(store, 0, CACHE_SHARDS, collect, &p);
	if (p.files.len)
		qsort(p.files.data, p.files.len, sizeof *p.files.data, by_key);
	char *temp = arena_printf(arena, "%s.%ld.tmp", path, (long)getpid());
	FILE *out = fopen(temp, "wbe");
	bool good = out && write_all(out, head, sizeof head);
	result->bytes = sizeof head;
	for (uint32_t i = 0; good && i < p.files.len; i++)
		good = write_entry(store, &p.files.data[i], out, result);
	int code = errno;
	if (out && fclose(out) != 0 && good) {
		good = false;
		code = errno;
	}
	if (good && rename(temp, path) != 0) {
		good = false;
		code = errno;
	}
	if (!good) {
		*error = arena_strdup(arena, strerror(code));
		if (out)
			unlink(temp);
	}
	return good;
}

/* ---- reading ---- */

bool cache_pack_read(Str pack, bool (*each)(void *data, CacheKind kind, const CacheEntry *entry), void *data,
		     CachePacked *result, const char **why)
{
	*result = (CachePacked){0};
	if (pack.len < sizeof head || memcmp(pack.ptr, head, 8) != 0) {
		*why = "it is no pack";
		return false;
	}
	if (memcmp(pack.ptr, head, sizeof head) != 0) {
		*why = "it is a pack of another version";
		return false;
	}
	size_t at = sizeof head;
	while (pack.len - at >= 16) {
		uint64_t kind = get_number(pack.ptr + at, 4), len = get_number(pack.ptr + at + 8, 8);
		at += 16;
		if (len > pack.len - at) {
			at = pack.len - 1;
			break;
		}
		CacheEntry entry;
		const char *reason;
		Str file = {pack.ptr + at, (size_t)len};
		at += (size_t)len;
		if (kind >= CACHE_KIND__COUNT || !cache_entry_open(&entry, file, NULL, &reason)) {
			result->refused++;
			continue;
		}
		result->entries++;
		result->bytes += len;
		if (!each(data, (CacheKind)kind, &entry))
			return true;
	}
	result->refused += at != pack.len; /* it is cut off */
	return true;
}

typedef struct Unpacking {
	CacheStore *store;
	uint64_t refused;
} Unpacking;

static bool put(void *data, CacheKind kind, const CacheEntry *entry)
{
	Unpacking *u = data;
	Arena arena;
	const char *why;
	arena_init(&arena, 0);
	Str key;
	bool good = (kind == CACHE_VARIANT || kind == CACHE_CUBIN) && cache_entry_verify(entry, &arena, &why);
	/* A variant's key is the hash of what it says of itself. */
	if (good && kind == CACHE_VARIANT) {
		good = cache_entry_section(entry, "key", &arena, &key, &why);
		CacheDigest digest = good ? cache_hash_of(key.ptr, key.len) : entry->key;
		good = good && cache_digest_eq(&digest, &entry->key);
	}
	arena_free(&arena);
	if (!good || !cache_put_here(u->store, kind, &entry->key, entry->file))
		u->refused++;
	return true;
}

bool cache_unpack(CacheStore *store, Str pack, CachePacked *result, const char **why)
{
	Unpacking u = {.store = store};
	if (!cache_pack_read(pack, put, &u, result, why))
		return false;
	result->entries -= u.refused;
	result->refused += u.refused;
	return true;
}
