/* Choices of tuning: sections "number" (a double in decimal) and "choice". */
#include "cache/choice.h"

#include <stdlib.h>

#include "cache/inner.h"

static bool section(const CacheEntry *entry, const char *name, Arena *arena, Str *out)
{
	const char *why;
	return cache_entry_section(entry, name, arena, out, &why);
}

/* False: it has none. */
static bool number_of(const CacheEntry *entry, Arena *arena, double *number)
{
	Str text;
	if (!section(entry, "number", arena, &text))
		return false;
	*number = strtod(arena_strndup(arena, text.ptr, text.len), NULL);
	return *number >= 0; /* no NaN */
}

static bool is_there_as_good(CacheStore *store, const CacheDigest *key, double number, Arena *arena)
{
	CacheEntry there;
	double known;
	return cache_get(store, CACHE_CHOICE, key, arena, &there, NULL) && number_of(&there, arena, &known) &&
	       known <= number;
}

bool cache_choice_put(CacheStore *store, const CacheKey *key, double number, Str what, bool keep_better,
		      Arena *arena)
{
	const CacheDigest digest = cache_key_digest(key);
	if (keep_better && is_there_as_good(store, &digest, number, arena))
		return true;
	const char *text = arena_printf(arena, "%.9g", number);
	const CacheSection sections[] = {
		{"key", cache_key_text(key)}, {"number", {text, strlen(text)}}, {"choice", what}};
	return cache_put(store, CACHE_CHOICE, &digest,
			 cache_entry_write(arena, &digest, sections, ARRAY_LEN(sections)));
}

bool cache_choice_get(CacheStore *store, const CacheKey *key, Arena *arena, Str *what)
{
	const CacheDigest digest = cache_key_digest(key);
	CacheEntry entry;
	return cache_get(store, CACHE_CHOICE, &digest, arena, &entry, NULL) &&
	       section(&entry, "choice", arena, what);
}

typedef struct Looking {
	CacheStore *store;
	void (*each)(void *data, Str what);
	void *data;
} Looking;

static bool look_at(void *data, const CacheFile *file)
{
	const Looking *l = data;
	Arena arena;
	CacheEntry entry;
	Str bytes, what;
	const char *why;
	if (file->kind != CACHE_CHOICE)
		return true;
	arena_init(&arena, 0);
	if (cache_read_file(l->store, file->kind, &file->key, &arena, &bytes, &why) &&
	    cache_entry_accept(l->store, file->kind, &file->key, bytes, &entry, &why) &&
	    section(&entry, "choice", &arena, &what))
		l->each(l->data, what);
	arena_free(&arena);
	return true;
}

void cache_choices(CacheStore *store, void (*each)(void *data, Str what), void *data)
{
	Looking looking = {store, each, data};
	cache_each(store, 0, CACHE_SHARDS, look_at, &looking);
}

bool cache_choice_take(CacheStore *store, const CacheEntry *entry)
{
	Arena arena;
	double number;
	arena_init(&arena, 0);
	const bool sound = number_of(entry, &arena, &number);
	const bool good = sound && (is_there_as_good(store, &entry->key, number, &arena) ||
				    cache_put_here(store, CACHE_CHOICE, &entry->key, entry->file));
	arena_free(&arena);
	return good;
}
