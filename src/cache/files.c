/* Files and groups of callers as entries: a group is one entry, so that it appears and goes as a whole. */
#include "cache/files.h"

#include "cache/key.h"

static CacheDigest digest_of(Arena *arena, const char *kind, const char *key, const char *name)
{
	CacheKey rows;
	cache_key_init(&rows, arena);
	cache_key_add(&rows, "kind", kind);
	cache_key_add(&rows, "key", key);
	cache_key_add(&rows, "name", name);
	return cache_key_digest(&rows);
}

static bool get(CacheStore *store, Arena *arena, const CacheDigest *digest, CacheEntry *entry, const char **why)
{
	*why = NULL;
	return cache_get(store, CACHE_FILE, digest, arena, entry, NULL);
}

bool cache_file_put(CacheStore *store, Arena *arena, const char *key, const char *name, Str bytes)
{
	CacheDigest digest = digest_of(arena, "file", key, name);
	CacheSection section = {"data", bytes};
	return bytes.len <= CACHE_SECTION_LARGEST &&
	       cache_put(store, CACHE_FILE, &digest, cache_entry_write(arena, &digest, &section, 1));
}

bool cache_file_get(CacheStore *store, Arena *arena, const char *key, const char *name, Str *bytes)
{
	CacheDigest digest = digest_of(arena, "file", key, name);
	CacheEntry entry;
	const char *why;
	if (!get(store, arena, &digest, &entry, &why))
		return false;
	if (cache_entry_section(&entry, "data", arena, bytes, &why))
		return true;
	cache_drop(store, CACHE_FILE, &digest, why ? why : "a section is missing");
	return false;
}

bool cache_group_put(CacheStore *store, Arena *arena, const char *key, const char *name, const CacheNamed *files, uint32_t count)
{
	CacheSection sections[CACHE_SECTIONS];
	CacheKey names;
	if (count > CACHE_GROUP_LARGEST)
		return false;
	cache_key_init(&names, arena);
	for (uint32_t i = 0; i < count; i++) {
		if (files[i].bytes.len > CACHE_SECTION_LARGEST)
			return false;
		const char *section = arena_printf(arena, "%u", i);
		cache_key_add(&names, section, files[i].name);
		sections[i + 1] = (CacheSection){section, files[i].bytes};
	}
	sections[0] = (CacheSection){"names", cache_key_text(&names)};
	CacheDigest digest = digest_of(arena, "group", key, name);
	return cache_put(store, CACHE_FILE, &digest, cache_entry_write(arena, &digest, sections, count + 1));
}

bool cache_group_get(CacheStore *store, Arena *arena, const char *key, const char *name, CacheNameds *files)
{
	CacheDigest digest = digest_of(arena, "group", key, name);
	CacheEntry entry;
	CacheKey names;
	Str text;
	const char *why;
	*files = (CacheNameds){0};
	if (!get(store, arena, &digest, &entry, &why))
		return false;
	bool good = cache_entry_section(&entry, "names", arena, &text, &why);
	if (good)
		cache_key_read(&names, arena, text);
	for (uint32_t i = 0; good && i < names.rows.len; i++) {
		CacheNamed file = {.name = names.rows.data[i].value};
		good = cache_entry_section(&entry, names.rows.data[i].name, arena, &file.bytes, &why);
		vec_push(arena, files, file);
	}
	if (!good)
		cache_drop(store, CACHE_FILE, &digest, why ? why : "a section is missing");
	return good;
}
