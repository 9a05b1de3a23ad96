/* Entries: writing and reading the one file. */
#include "cache/entry.h"

#include <zstd.h>

/* Level 1 packs PTX to a fifth at 500 MB/s; 3 takes twice the time for a tenth less. Unpacking costs 20 us however little there is, so that
 * what a hit reads besides the cubin had better be as it is. */
enum { VERSION = 1, HEAD = 88, ROW = 72, LEVEL = 1, SMALLEST_PACKED = 1024 };
static const char magic[8] = {'N', 'E', 'S', 'O', 'E', 'N', 'T', 'R'};

/* ---- numbers ---- */

static void put_number(uint8_t *at, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get_number(const uint8_t *at, unsigned bytes)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)at[i] << 8 * i;
	return value;
}

static CacheDigest head_digest(const uint8_t *file, uint32_t count)
{
	CacheHash hash;
	cache_hash_init(&hash);
	cache_hash_add(&hash, file, 56);
	cache_hash_add(&hash, file + HEAD, (size_t)count * ROW);
	return cache_hash_done(&hash);
}

/* ---- writing ---- */

/* Appends the bytes, packed where that makes them fewer. */
static void add_section(uint8_t *row, uint8_t *file, size_t *at, size_t room, const CacheSection *section)
{
	ASSERT(strlen(section->name) < CACHE_NAME_SIZE);
	memcpy(row, section->name, strlen(section->name));
	size_t len = section->bytes.len, stored = 0;
	if (len >= SMALLEST_PACKED)
		stored = ZSTD_compress(file + *at, room, section->bytes.ptr, len, LEVEL);
	bool packed = len >= SMALLEST_PACKED && !ZSTD_isError(stored) && stored < len;
	if (!packed) {
		stored = len;
		if (len)
			memcpy(file + *at, section->bytes.ptr, len);
	}
	put_number(row + 20, packed, 4);
	put_number(row + 24, stored, 8);
	put_number(row + 32, len, 8);
	CacheDigest digest = cache_hash_of(file + *at, stored);
	memcpy(row + 40, digest.bytes, sizeof digest.bytes);
	*at += stored;
}

Str cache_entry_write(Arena *arena, const CacheDigest *key, const CacheSection *sections, size_t count)
{
	uint32_t kept = 0;
	size_t bound = HEAD + count * ROW;
	ASSERT(count <= CACHE_SECTIONS);
	for (size_t i = 0; i < count; i++)
		bound += ZSTD_compressBound(sections[i].bytes.len);
	for (size_t i = 0; i < count; i++)
		kept += sections[i].bytes.len <= CACHE_SECTION_LARGEST;
	uint8_t *file = arena_alloc_raw(arena, bound, 16);
	memset(file, 0, HEAD + (size_t)kept * ROW);
	memcpy(file, magic, sizeof magic);
	put_number(file + 8, VERSION, 4);
	put_number(file + 12, kept, 4);
	memcpy(file + 24, key->bytes, sizeof key->bytes);
	size_t at = HEAD + (size_t)kept * ROW;
	uint8_t *row = file + HEAD;
	for (size_t i = 0; i < count; i++) {
		if (sections[i].bytes.len > CACHE_SECTION_LARGEST)
			continue;
		add_section(row, file, &at, bound - at, &sections[i]);
		row += ROW;
	}
	put_number(file + 16, at, 8);
	CacheDigest digest = head_digest(file, kept);
	memcpy(file + 56, digest.bytes, sizeof digest.bytes);
	return (Str){(const char *)file, at};
}

/* ---- reading ---- */

static bool refuse(const char **why, const char *reason)
{
	*why = reason;
	return false;
}

static bool read_table(CacheEntry *entry, const uint8_t *file, const char **why)
{
	size_t at = HEAD + (size_t)entry->count * ROW;
	for (uint32_t i = 0; i < entry->count; i++) {
		const uint8_t *row = file + HEAD + (size_t)i * ROW;
		uint64_t codec = get_number(row + 20, 4), stored = get_number(row + 24, 8), size = get_number(row + 32, 8);
		memcpy(entry->sections[i].name, row, CACHE_NAME_SIZE);
		if (!row[0] || row[CACHE_NAME_SIZE - 1] || codec > 1 || size > CACHE_SECTION_LARGEST ||
		    stored > entry->file.len - at || (codec == 0 && stored != size))
			return refuse(why, "its table of sections makes no sense");
		entry->sections[i].packed = codec == 1;
		entry->sections[i].at = at;
		entry->sections[i].stored = (size_t)stored;
		entry->sections[i].size = (size_t)size;
		memcpy(entry->sections[i].digest.bytes, row + 40, sizeof entry->sections[i].digest.bytes);
		at += (size_t)stored;
	}
	return at == entry->file.len || refuse(why, "its table of sections makes no sense");
}

bool cache_entry_open(CacheEntry *entry, Str file, const CacheDigest *key, const char **why)
{
	const uint8_t *bytes = (const uint8_t *)file.ptr;
	*entry = (CacheEntry){.file = file};
	if (file.len < HEAD)
		return refuse(why, "it is too short");
	if (memcmp(bytes, magic, sizeof magic) != 0)
		return refuse(why, "it is no entry of this cache");
	if (get_number(bytes + 8, 4) != VERSION)
		return refuse(why, "it has another version");
	if (get_number(bytes + 16, 8) != file.len)
		return refuse(why, "it is cut off");
	uint64_t count = get_number(bytes + 12, 4);
	if (count > CACHE_SECTIONS || count * ROW > file.len - HEAD)
		return refuse(why, "its table of sections makes no sense");
	entry->count = (uint32_t)count;
	CacheDigest digest = head_digest(bytes, entry->count);
	if (memcmp(digest.bytes, bytes + 56, sizeof digest.bytes) != 0)
		return refuse(why, "its checksum is wrong");
	memcpy(entry->key.bytes, bytes + 24, sizeof entry->key.bytes);
	if (key && !cache_digest_eq(key, &entry->key))
		return refuse(why, "it is of another key");
	return read_table(entry, bytes, why);
}

static bool unpack(const CacheEntry *entry, uint32_t i, Arena *arena, Str *out, const char **why)
{
	const char *from = entry->file.ptr + entry->sections[i].at;
	size_t stored = entry->sections[i].stored, size = entry->sections[i].size;
	CacheDigest digest = cache_hash_of(from, stored);
	if (!cache_digest_eq(&digest, &entry->sections[i].digest))
		return refuse(why, "its checksum is wrong");
	*out = (Str){from, stored};
	if (!entry->sections[i].packed)
		return true;
	/* A size that the bytes do not bear out is found before memory is asked for. */
	if (ZSTD_getFrameContentSize(from, stored) != size)
		return refuse(why, "a section has another size than it says");
	char *to = arena_alloc_raw(arena, size + 1, 16);
	size_t got = ZSTD_decompress(to, size, from, stored);
	if (ZSTD_isError(got) || got != size)
		return refuse(why, "a section does not unpack");
	to[size] = '\0';
	*out = (Str){to, size};
	return true;
}

bool cache_entry_has(const CacheEntry *entry, const char *name)
{
	for (uint32_t i = 0; i < entry->count; i++)
		if (strcmp(entry->sections[i].name, name) == 0)
			return true;
	return false;
}

bool cache_entry_section(const CacheEntry *entry, const char *name, Arena *arena, Str *out, const char **why)
{
	*why = NULL;
	for (uint32_t i = 0; i < entry->count; i++)
		if (strcmp(entry->sections[i].name, name) == 0)
			return unpack(entry, i, arena, out, why);
	return false;
}

bool cache_entry_verify(const CacheEntry *entry, Arena *arena, const char **why)
{
	for (uint32_t i = 0; i < entry->count; i++) {
		ArenaMark mark = arena_mark(arena);
		Str bytes;
		bool good = unpack(entry, i, arena, &bytes, why);
		arena_reset(arena, mark);
		if (!good)
			return false;
	}
	return true;
}
