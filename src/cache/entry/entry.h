/* An entry of the cache: one file of named sections, each compressed and checked by itself.
 *
 * Little-endian:
 *	 0  "NESOENTR"
 *	 8  u32 version (3), u32 number of sections
 *	16  u64 bytes of the whole file
 *	24  the key's SHA-256
 *	56  SHA-256 of the bytes before, of the signature and of the table
 *	88  64 bytes: the signature of the entry's kind, of the 56 bytes at the beginning and of the table: HMAC-SHA256
 *	    and zeros, or Ed25519; zeros: it is not signed
 *	152 the table; a section: name (16 bytes, NUL-padded), u32 0, u32 codec (0 as it is, 1 zstd), u64 bytes in the file, u64
 *	    bytes unpacked, SHA-256 of the bytes in the file
 *	    the sections, in order of the table, without gaps
 *
 * So a checksum covers every byte, and who wants one section reads and checks that one; through
 * the sections' checksums a signature covers all as well. The section "key" is the text whose
 * SHA-256 the key is (cache/key.h), never packed. A reader takes any bytes: what is not exactly
 * as above is refused with a reason, before memory is asked for it. */
#ifndef NESO_CACHE_ENTRY_H
#define NESO_CACHE_ENTRY_H

#include "cache/entry/secret.h"

enum {
	CACHE_SECTIONS = 26,
	CACHE_NAME_SIZE = 16,
	CACHE_SECTION_LARGEST = 1 << 28,
	CACHE_ENTRY_LARGEST = 1 << 28, /* bytes of a file; of all sections unpacked twice as many */
	CACHE_ENTRY_HEAD = 152 + CACHE_SECTIONS * 72, /* more is read of no file before it was checked */
};

typedef struct CacheSection {
	const char *name; /* shorter than CACHE_NAME_SIZE */
	Str bytes;
} CacheSection;

/* The file, in the arena, not signed. Sections of more than CACHE_SECTION_LARGEST bytes are left out. */
Str cache_entry_write(Arena *arena, const CacheDigest *key, const CacheSection *sections, size_t count);

typedef struct CacheEntry {
	Str file;
	CacheDigest key;
	uint32_t count;
	struct {
		char name[CACHE_NAME_SIZE];
		bool packed;
		size_t at, stored, size; /* stored: bytes in the file; size: unpacked */
		CacheDigest digest;
	} sections[CACHE_SECTIONS];
} CacheEntry;

/* Checks all but the sections. key NULL: of any. On failure false, and why as a clause ("it is too short"). The file's bytes
 * must outlive the entry. */
bool cache_entry_open(CacheEntry *entry, Str file, const CacheDigest *key, const char **why);
/* The same of the beginning of a file of `size` bytes: all of it, or at least CACHE_ENTRY_HEAD bytes. */
bool cache_entry_check_head(Str head, uint64_t size, const CacheDigest *key, const char **why);
/* Checks and unpacks; the bytes, in the arena or in the file, are followed by a NUL when they were packed. No such section: false, and *why
 * is NULL. */
bool cache_entry_section(const CacheEntry *entry, const char *name, Arena *arena, Str *out, const char **why);
bool cache_entry_has(const CacheEntry *entry, const char *name);
/* Is its key the one that its text has? */
bool cache_entry_keyed(const CacheEntry *entry, const char **why);
/* Checks all sections, in a few hundred kilobytes of memory whatever they say of their sizes. */
bool cache_entry_verify(const CacheEntry *entry, const char **why);

/* Memory for what is read; NULL: there is not so much. */
char *cache_room(Arena *arena, size_t size);

/* Reasons that are no damage, to be compared by pointer. */
extern const char cache_other_version[], cache_no_memory[];

/* ---- signatures ---- */

/* The entry with its signature, in the arena. With public keys alone: the entry as it is, when
 * it is signed with one of them; else false. */
bool cache_entry_sign(Str file, const char *kind, const CacheSecret *secret, Arena *arena, Str *out);
/* For a file, or its beginning, that was checked. */
bool cache_entry_signed(Str file, const char *kind, const CacheSecret *secret, const char **why);

#endif
