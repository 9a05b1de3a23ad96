/* An entry of the cache: one file of named sections, each compressed and checked by itself.
 *
 * Little-endian:
 *	 0  "NESOENTR"
 *	 8  u32 version (1), u32 number of sections
 *	16  u64 bytes of the whole file
 *	24  the key's SHA-256
 *	56  SHA-256 of the bytes before and of the table
 *	88  the table; a section: name (16 bytes, NUL-padded), u32 0, u32 codec (0 as it is, 1 zstd), u64 bytes in the file, u64
 *	    bytes unpacked, SHA-256 of the bytes in the file
 *	    the sections, in order of the table, without gaps
 *
 * So a checksum covers every byte, and who wants one section reads and checks that one. A reader takes any bytes: what is
 * not exactly as above is refused with a reason. */
#ifndef NESO_CACHE_ENTRY_H
#define NESO_CACHE_ENTRY_H

#include "cache/hash.h"

enum { CACHE_SECTIONS = 24, CACHE_NAME_SIZE = 16, CACHE_SECTION_LARGEST = 1 << 28 };

typedef struct CacheSection {
	const char *name; /* shorter than CACHE_NAME_SIZE */
	Str bytes;
} CacheSection;

/* The file, in the arena. Sections of more than CACHE_SECTION_LARGEST bytes are left out. */
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
/* Checks and unpacks; the bytes, in the arena or in the file, are followed by a NUL when they were packed. No such section: false, and *why
 * is NULL. */
bool cache_entry_section(const CacheEntry *entry, const char *name, Arena *arena, Str *out, const char **why);
bool cache_entry_has(const CacheEntry *entry, const char *name);
/* Checks all sections. */
bool cache_entry_verify(const CacheEntry *entry, Arena *arena, const char **why);

#endif
