/* Files and groups of callers as entries: a group is one entry, so that it appears and goes as a whole. */
#include "cache/disk/files.h"

#include "cache/entry/key.h"

/* The text of what an entry is found by, which it carries. */
static CacheDigest digest_of(Arena *arena, const char *kind, const char *key, const char *name, Str *text)
{
	CacheKey rows;
	cache_key_init(&rows, arena);
	cache_key_add(&rows, "kind", kind);
	cache_key_add(&rows, "key", key);
	cache_key_add(&rows, "name", name);
	*text = cache_key_text(&rows);
	return cache_hash_of(text->ptr, text->len);
}

static bool get(CacheStore *store, Arena *arena, const CacheDigest *digest, CacheEntry *entry, const char **why)
{
	*why = NULL;
	return cache_get(store, CACHE_FILE, digest, arena, entry, NULL);
}

bool cache_name_is_plain(const char *name)
{
	if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return false;
	for (const unsigned char *c = (const unsigned char *)name; *c; c++)
		if (*c == '/' || *c < 32 || *c == 127)
			return false;
	return true;
}

bool cache_file_put(CacheStore *store, Arena *arena, const char *key, const char *name, Str bytes)
{
	CONTRACT(name && key);
	Str text;
	CacheDigest digest = digest_of(arena, "file", key, name, &text);
	CacheSection sections[] = {{"key", text}, {"data", bytes}};
	return bytes.len <= CACHE_SECTION_LARGEST &&
	       cache_put(store, CACHE_FILE, &digest, cache_entry_write(arena, &digest, sections, ARRAY_LEN(sections)));
}

bool cache_file_get(CacheStore *store, Arena *arena, const char *key, const char *name, Str *bytes)
{
	Str text;
	CacheDigest digest = digest_of(arena, "file", key, name, &text);
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
	CONTRACT(count);
	CacheSection sections[CACHE_SECTIONS];
	CacheKey names;
	size_t size = 0;
	Str text;
	if (count > CACHE_GROUP_LARGEST)
		return false;
	cache_key_init(&names, arena);
	for (uint32_t i = 0; i < count; i++) {
		size += MIN(files[i].bytes.len, (size_t)CACHE_ENTRY_LARGEST + 1);
		if (files[i].bytes.len > CACHE_SECTION_LARGEST || size > CACHE_ENTRY_LARGEST || !cache_name_is_plain(files[i].name))
			return false;
		const char *section = arena_printf(arena, "%u", i);
		cache_key_add(&names, section, files[i].name);
		sections[i + 2] = (CacheSection){section, files[i].bytes};
	}
	CacheDigest digest = digest_of(arena, "group", key, name, &text);
	sections[0] = (CacheSection){"key", text};
	sections[1] = (CacheSection){"names", cache_key_text(&names)};
	return cache_put(store, CACHE_FILE, &digest, cache_entry_write(arena, &digest, sections, count + 2));
}

bool cache_group_get(CacheStore *store, Arena *arena, const char *key, const char *name, CacheNameds *files)
{
	Str text;
	CacheDigest digest = digest_of(arena, "group", key, name, &text);
	CacheEntry entry;
	CacheKey names;
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
		if (good && !cache_name_is_plain(file.name)) {
			good = false;
			why = "the name of a file in it is none";
		}
		vec_push(arena, files, file);
	}
	if (!good)
		cache_drop(store, CACHE_FILE, &digest, why ? why : "a section is missing");
	return good;
}
