/* Entries: writing and reading the one file. */
#include "cache/entry/entry.h"

#include <stdlib.h>

#include <zstd.h>

#include "base/fault.h"

/* Level 1 packs PTX to a fifth at 500 MB/s; 3 takes twice the time
 * for a tenth less. Unpacking costs 20 us however little there is,
 * so that what a hit reads had better be as it is, a cubin too unless it is large. */
enum { VERSION = 3, SIGNED = 56, MAC = 88, HEAD = 152, ROW = 72, LEVEL = 1 };
enum { SMALLEST_PACKED = 1024, SMALLEST_PACKED_CUBIN = 16384 };
_Static_assert(HEAD - MAC == CACHE_SIGNATURE, "entry.h");
_Static_assert(HEAD + CACHE_SECTIONS * ROW == CACHE_ENTRY_HEAD, "entry.h");
const char cache_other_version[] = "it has another version", cache_no_memory[] = "there is not enough memory";
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
	cache_hash_add(&hash, file, SIGNED);
	cache_hash_add(&hash, file + MAC, HEAD - MAC);
	cache_hash_add(&hash, file + HEAD, (size_t)count * ROW);
	return cache_hash_done(&hash);
}

/* ---- writing ---- */

static bool is_left(const CacheSection *section)
{
	const bool cubin = strcmp(section->name, "cubin") == 0;
	return section->bytes.len < (cubin ? SMALLEST_PACKED_CUBIN : SMALLEST_PACKED) ||
	       strcmp(section->name, "key") == 0;
}

/* Appends the bytes, packed where that makes them fewer. */
static void add_section(uint8_t *row, uint8_t *file, size_t *at, size_t room, const CacheSection *section)
{
	ASSERT(strlen(section->name) < CACHE_NAME_SIZE);
	memcpy(row, section->name, strlen(section->name));
	size_t len = section->bytes.len, stored = 0;
	const bool small = is_left(section);
	if (!small)
		stored = ZSTD_compress(file + *at, room, section->bytes.ptr, len, LEVEL);
	bool packed = !small && !ZSTD_isError(stored) && stored < len;
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

static bool refuse_table(const char **why)
{
	return refuse(why, "its table of sections makes no sense");
}

/* The rows, as far as they are in `head`, of a file
 * of `size` bytes that is checked as a whole by them. */
static bool read_table(CacheEntry *entry, const uint8_t *head, uint64_t size, const char **why)
{
	uint64_t at = HEAD + (uint64_t)entry->count * ROW, unpacked = 0;
	for (uint32_t i = 0; i < entry->count; i++) {
		const uint8_t *row = head + HEAD + (size_t)i * ROW;
		uint64_t codec = get_number(row + 20, 4), stored = get_number(row + 24, 8),
			 len = get_number(row + 32, 8);
		memcpy(entry->sections[i].name, row, CACHE_NAME_SIZE);
		if (!row[0] || row[CACHE_NAME_SIZE - 1] || codec > 1 || len > CACHE_SECTION_LARGEST ||
		    stored > size - at || (codec == 0 && stored != len))
			return refuse_table(why);
		entry->sections[i].packed = codec == 1;
		entry->sections[i].at = (size_t)at;
		entry->sections[i].stored = (size_t)stored;
		entry->sections[i].size = (size_t)len;
		memcpy(entry->sections[i].digest.bytes, row + 40, sizeof entry->sections[i].digest.bytes);
		at += stored;
		unpacked += len;
	}
	if (unpacked > 2 * (uint64_t)CACHE_ENTRY_LARGEST)
		return refuse(why, "it is too large");
	return at == size || refuse_table(why);
}

static bool read_head(CacheEntry *entry, Str head, uint64_t size, const CacheDigest *key, const char **why)
{
	const uint8_t *bytes = (const uint8_t *)head.ptr;
	if (head.len < sizeof magic + 8)
		return refuse(why, "it is too short");
	if (memcmp(bytes, magic, sizeof magic) != 0)
		return refuse(why, "it is no entry of this cache");
	if (get_number(bytes + 8, 4) != VERSION)
		return refuse(why, cache_other_version);
	if (head.len < HEAD)
		return refuse(why, "it is too short");
	if (size > CACHE_ENTRY_LARGEST)
		return refuse(why, "it is too large");
	if (get_number(bytes + 16, 8) != size)
		return refuse(why, "it is cut off");
	uint64_t count = get_number(bytes + 12, 4);
	if (count > CACHE_SECTIONS || count * ROW > head.len - HEAD)
		return refuse_table(why);
	entry->count = (uint32_t)count;
	CacheDigest digest = head_digest(bytes, entry->count);
	if (memcmp(digest.bytes, bytes + SIGNED, sizeof digest.bytes) != 0)
		return refuse(why, "its checksum is wrong");
	memcpy(entry->key.bytes, bytes + 24, sizeof entry->key.bytes);
	if (key && !cache_digest_eq(key, &entry->key))
		return refuse(why, "it is of another key");
	return read_table(entry, bytes, size, why);
}

bool cache_entry_check_head(Str head, uint64_t size, const CacheDigest *key, const char **why)
{
	CacheEntry entry;
	return read_head(&entry, head, size, key, why);
}

bool cache_entry_open(CacheEntry *entry, Str file, const CacheDigest *key, const char **why)
{
	entry->file = file;
	entry->count = 0;
	return read_head(entry, file, file.len, key, why);
}

static bool is_sound(const CacheEntry *entry, uint32_t i, const char **why)
{
	CacheDigest digest =
		cache_hash_of(entry->file.ptr + entry->sections[i].at, entry->sections[i].stored);
	return cache_digest_eq(&digest, &entry->sections[i].digest) || refuse(why, "its checksum is wrong");
}

char *cache_room(Arena *arena, size_t size)
{
	CONTRACT(size);
	Fault fault;
	char *volatile room = NULL;
	if (FAULT_TRY(&fault)) {
		room = arena_alloc_raw(arena, size, 16);
		fault_leave(&fault);
	}
	return room;
}

static bool unpack(const CacheEntry *entry, uint32_t i, Arena *arena, Str *out, const char **why)
{
	const char *from = entry->file.ptr + entry->sections[i].at;
	size_t stored = entry->sections[i].stored, size = entry->sections[i].size;
	if (!is_sound(entry, i, why))
		return false;
	*out = (Str){from, stored};
	if (!entry->sections[i].packed)
		return true;
	/* A size that the bytes do not bear out is found before memory is asked for. */
	if (ZSTD_getFrameContentSize(from, stored) != size)
		return refuse(why, "a section has another size than it says");
	char *to = cache_room(arena, size + 1);
	if (!to)
		return refuse(why, cache_no_memory);
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
	CONTRACT(name && out);
	*why = NULL;
	for (uint32_t i = 0; i < entry->count; i++)
		if (strcmp(entry->sections[i].name, name) == 0)
			return unpack(entry, i, arena, out, why);
	return false;
}

bool cache_entry_keyed(const CacheEntry *entry, const char **why)
{
	for (uint32_t i = 0; i < entry->count; i++) {
		if (strcmp(entry->sections[i].name, "key") != 0)
			continue;
		if (entry->sections[i].packed || !cache_digest_eq(&entry->sections[i].digest, &entry->key))
			return refuse(why, "its key is not that of the text that it carries");
		return is_sound(entry, i, why);
	}
	return refuse(why, "it carries no text of its key");
}

/* ---- checking without unpacking into memory ---- */

typedef struct Checker {
	ZSTD_DCtx *stream;
	char *room;
	size_t size;
} Checker;

/* Windows of level 1 have half a megabyte; who crafts a frame may ask for much more. */
static ZSTD_DCtx *checker_stream(void)
{
	enum { WINDOW_LOG = 23 };
	ZSTD_DCtx *stream = ZSTD_createDCtx();
	if (stream)
		ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, WINDOW_LOG);
	return stream;
}

static bool unpacks(const Checker *c, const CacheEntry *entry, uint32_t i, const char **why)
{
	ZSTD_inBuffer in = {entry->file.ptr + entry->sections[i].at, entry->sections[i].stored, 0};
	size_t made = 0, rest = 1;
	ZSTD_initDStream(c->stream);
	while (rest) {
		ZSTD_outBuffer out = {c->room, c->size, 0};
		size_t before = in.pos;
		rest = ZSTD_decompressStream(c->stream, &out, &in);
		made += out.pos;
		if (ZSTD_isError(rest) || made > entry->sections[i].size ||
		    (rest && in.pos == before && !out.pos))
			return refuse(why, "a section does not unpack");
	}
	return (made == entry->sections[i].size && in.pos == in.size) ||
	       refuse(why, "a section has another size than it says");
}

bool cache_entry_verify(const CacheEntry *entry, const char **why)
{
	Checker c = {NULL, NULL, ZSTD_DStreamOutSize()};
	bool good = true;
	for (uint32_t i = 0; good && i < entry->count; i++) {
		good = is_sound(entry, i, why);
		if (!good || !entry->sections[i].packed)
			continue;
		c.stream = c.stream ? c.stream : checker_stream();
		c.room = c.room ? c.room : malloc(c.size);
		good = c.stream && c.room ? unpacks(&c, entry, i, why) : refuse(why, cache_no_memory);
	}
	ZSTD_freeDCtx(c.stream);
	free(c.room);
	return good;
}

/* ---- signatures ---- */

/* What a signature covers, in `room`. */
enum { MESSAGE_ROOM = 32 + SIGNED + CACHE_SECTIONS * ROW };
static Str message_of(const uint8_t *file, const char *kind, char room[MESSAGE_ROOM])
{
	size_t n = strlen(kind) + 1, rows = (size_t)get_number(file + 12, 4) * ROW;
	ASSERT(n <= 32 && rows <= CACHE_SECTIONS * ROW);
	memcpy(room, kind, n);
	memcpy(room + n, file, SIGNED);
	memcpy(room + n + SIGNED, file + HEAD, rows);
	return (Str){room, n + SIGNED + rows};
}

bool cache_entry_sign(Str file, const char *kind, const CacheSecret *secret, Arena *arena, Str *out)
{
	ASSERT(file.len >= HEAD);
	char room[MESSAGE_ROOM];
	const char *why;
	uint8_t *copy = arena_alloc_raw(arena, file.len + 1, 16);
	memcpy(copy, file.ptr, file.len);
	copy[file.len] = '\0';
	*out = (Str){(const char *)copy, file.len};
	if (!cache_secret_sign(secret, message_of(copy, kind, room), copy + MAC)) {
		/* Who has public keys alone hands on what is signed. */
		*out = file;
		return cache_entry_signed(file, kind, secret, &why);
	}
	CacheDigest sum = head_digest(copy, (uint32_t)get_number(copy + 12, 4));
	memcpy(copy + SIGNED, sum.bytes, sizeof sum.bytes);
	return true;
}

bool cache_entry_signed(Str file, const char *kind, const CacheSecret *secret, const char **why)
{
	static const char none[CACHE_SIGNATURE];
	char room[MESSAGE_ROOM];
	const uint8_t *bytes = (const uint8_t *)file.ptr;
	if (cache_secret_check(secret, message_of(bytes, kind, room), bytes + MAC))
		return true;
	return refuse(why, memcmp(none, bytes + MAC, sizeof none) == 0
				   ? "it is not signed"
				   : "its signature is not that of the key");
}
