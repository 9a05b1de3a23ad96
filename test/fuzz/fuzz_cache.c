/* Fuzzing the readers of the cache: any bytes are an entry, a key or a pack, or are refused with a reason. Each text is read as it
 * is and with its checksums put right, so that what lies behind them is reached.
 *
 * driver.h says how to build it; its sources are those of src/base and src/cache, with -DNESO_VERSION='""' -lcrypto -lzstd. Entries of a cache, and packs,
 * are its corpus. */
#include "driver.h"

#include "cache/entry/entry.h"
#include "cache/entry/key.h"
#include "cache/pack.h"

enum { HEAD = 152, ROW = 72 };

static uint64_t number(const uint8_t *at, unsigned bytes)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)at[i] << 8 * i;
	return value;
}

/* Makes size and checksums those of the bytes, where there is room for them. */
static void put_right(uint8_t *file, size_t size)
{
	if (size < HEAD)
		return;
	memcpy(file, "NESOENTR\3\0\0\0", 12);
	for (unsigned i = 0; i < 8; i++)
		file[16 + i] = (uint8_t)((uint64_t)size >> 8 * i);
	size_t count = MIN((size_t)number(file + 12, 4), (size - HEAD) / ROW), at = HEAD + count * ROW;
	for (size_t i = 0; i < count; i++) {
		uint8_t *row = file + HEAD + i * ROW;
		uint64_t stored = number(row + 24, 8);
		if (stored > size - at)
			break;
		CacheDigest digest = cache_hash_of(file + at, (size_t)stored);
		memcpy(row + 40, digest.bytes, sizeof digest.bytes);
		at += (size_t)stored;
	}
	CacheHash hash;
	cache_hash_init(&hash);
	cache_hash_add(&hash, file, 56);
	cache_hash_add(&hash, file + 88, HEAD - 88);
	cache_hash_add(&hash, file + HEAD, count * ROW);
	CacheDigest digest = cache_hash_done(&hash);
	memcpy(file + 56, digest.bytes, sizeof digest.bytes);
}

static void read_all(Arena *arena, Str file)
{
	CacheEntry entry;
	CacheKey key;
	const char *why = NULL;
	Str bytes;
	cache_key_read(&key, arena, file);
	ASSERT(cache_key_text(&key).len <= 2 * file.len + 2);
	if (!cache_entry_open(&entry, file, NULL, &why)) {
		ASSERT(why);
		return;
	}
	for (uint32_t i = 0; i < entry.count; i++)
		if (cache_entry_section(&entry, entry.sections[i].name, arena, &bytes, &why))
			ASSERT(bytes.len <= CACHE_SECTION_LARGEST);
		else
			ASSERT(why);
	cache_entry_verify(&entry, &why);
	cache_entry_keyed(&entry, &why);
	CacheSecret secret;
	cache_secret_init(&secret, "key", 3);
	ASSERT(!cache_entry_signed(file, "variant", &secret, &why));
	Str marked;
	cache_entry_sign(file, "variant", &secret, arena, &marked);
	ASSERT(cache_entry_open(&entry, marked, NULL, &why) && cache_entry_signed(marked, "variant", &secret, &why));
	ASSERT(!cache_entry_signed(marked, "cubin", &secret, &why));
}

static bool look(void *data, CacheKind kind, const CacheEntry *entry)
{
	const char *why;
	ASSERT(kind < CACHE_KIND__COUNT);
	cache_entry_verify(entry, &why);
	return true;
}

/* The bytes as what follows a pack's head. */
static void read_pack(Arena *arena, Str bytes)
{
	CachePacked packed;
	const char *why;
	Text pack;
	text_init(&pack, arena);
	text_add(&pack, "NESOPACK\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24);
	for (unsigned i = 0; i < 8; i++)
		text_char(&pack, (char)((uint64_t)bytes.len >> 8 * i & 255));
	text_add(&pack, bytes.ptr, bytes.len);
	ASSERT(cache_pack_read((Str){pack.data, pack.len}, look, arena, &packed, &why));
	if (!cache_pack_read(bytes, look, arena, &packed, &why))
		ASSERT(why);
}

static void fuzz_one(Arena *arena, const uint8_t *data, size_t size)
{
	uint8_t *copy = arena_copy(arena, data, size);
	read_all(arena, (Str){(const char *)copy, size});
	put_right(copy, size);
	read_all(arena, (Str){(const char *)copy, size});
	read_pack(arena, (Str){(const char *)copy, size});
}

#ifndef NESO_FUZZER
static Str fuzz_sample(Arena *arena)
{
	Text text;
	text_init(&text, arena);
	for (int i = 0; i < 60; i++)
		text_printf(&text, "row %d\tvalue %d\\n\n", i, i * i);
	CacheSection sections[] = {{"key", {text.data, text.len}}, {"cubin", {text.data, 100}}, {"ptx", {text.data, text.len / 2}}};
	CacheDigest key = cache_hash_of(text.data, text.len);
	return cache_entry_write(arena, &key, sections, ARRAY_LEN(sections));
}

/* A few edits: other bytes, most of them in the head and the table, and cuts. */
static Str fuzz_mutate(Arena *arena, Str file, uint64_t *state)
{
	uint8_t *copy = arena_copy(arena, file.ptr, file.len);
	size_t len = file.len;
	for (uint64_t edits = 1 + next_random(state) % 4; edits > 0 && len; edits--) {
		size_t at = next_random(state) % (next_random(state) % 2 ? MIN(len, (size_t)(HEAD + 8 * ROW)) : len);
		if (next_random(state) % 8 == 0)
			len = at + 1;
		else
			copy[MIN(at, len - 1)] = (uint8_t)(next_random(state) % 3 ? next_random(state) : 0);
	}
	return (Str){(const char *)copy, len};
}
#endif
