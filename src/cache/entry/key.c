/* Keys as rows, as text, and compared. */
#include "cache/entry/key.h"

void cache_key_init(CacheKey *key, Arena *arena)
{
	*key = (CacheKey){.arena = arena};
}

void cache_key_add(CacheKey *key, const char *name, const char *value)
{
	CONTRACT(name && value);
	vec_push(key->arena, &key->rows,
		 (CacheRow){arena_strdup(key->arena, name), arena_strdup(key->arena, value)});
}

void cache_key_printf(CacheKey *key, const char *name, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	const char *value = arena_vprintf(key->arena, format, args);
	va_end(args);
	vec_push(key->arena, &key->rows, (CacheRow){arena_strdup(key->arena, name), value});
}

/* ---- text ---- */

static void escape(Text *out, const char *text)
{
	for (; *text; text++) {
		size_t plain = strcspn(text, "\n\t\r\\");
		text_add(out, text, plain);
		text += plain;
		if (!*text)
			break;
		text_char(out, '\\');
		text_char(out, *text == '\n' ? 'n' : *text == '\t' ? 't' : *text == '\r' ? 'r' : '\\');
	}
}

Str cache_key_text(const CacheKey *key)
{
	Text out;
	text_init(&out, key->arena);
	text_str(&out, "");
	for (uint32_t i = 0; i < key->rows.len; i++) {
		escape(&out, key->rows.data[i].name);
		text_char(&out, '\t');
		escape(&out, key->rows.data[i].value);
		text_char(&out, '\n');
	}
	return (Str){out.data, out.len};
}

CacheDigest cache_key_digest(const CacheKey *key)
{
	Str text = cache_key_text(key);
	return cache_hash_of(text.ptr, text.len);
}

static const char *unescape(Arena *arena, Str text)
{
	char *out = arena_strndup(arena, text.ptr, text.len);
	size_t len = 0;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];
		if (c == '\\' && i + 1 < text.len) {
			c = text.ptr[++i];
			c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
		}
		out[len++] = c;
	}
	out[len] = '\0';
	return out;
}

void cache_key_read(CacheKey *key, Arena *arena, Str text)
{
	cache_key_init(key, arena);
	while (text.len) {
		const char *end = memchr(text.ptr, '\n', text.len);
		Str line = {text.ptr, end ? (size_t)(end - text.ptr) : text.len};
		text.ptr += line.len + (end != NULL);
		text.len -= line.len + (end != NULL);
		const char *tab = memchr(line.ptr, '\t', line.len);
		if (!tab)
			continue;
		Str name = {line.ptr, (size_t)(tab - line.ptr)}, value = {tab + 1, line.len - name.len - 1};
		vec_push(arena, &key->rows, (CacheRow){unescape(arena, name), unescape(arena, value)});
	}
}

/* ---- looking and comparing ---- */

/* The nth row of a name, counted from 0. */
static const char *nth(const CacheKey *key, const char *name, uint32_t n)
{
	for (uint32_t i = 0; i < key->rows.len; i++)
		if (strcmp(key->rows.data[i].name, name) == 0 && n-- == 0)
			return key->rows.data[i].value;
	return NULL;
}

const char *cache_key_value(const CacheKey *key, const char *name)
{
	return nth(key, name, 0);
}

static uint32_t earlier(const CacheKey *key, uint32_t row)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < row; i++)
		n += strcmp(key->rows.data[i].name, key->rows.data[row].name) == 0;
	return n;
}

void cache_key_compare(Arena *arena, const CacheKey *a, const CacheKey *b, CacheDifferences *out)
{
	for (uint32_t i = 0; i < a->rows.len; i++) {
		const CacheRow *row = &a->rows.data[i];
		const char *other = nth(b, row->name, earlier(a, i));
		if (!other || strcmp(other, row->value) != 0)
			vec_push(arena, out, (CacheDifference){row->name, row->value, other});
	}
	for (uint32_t i = 0; i < b->rows.len; i++) {
		const CacheRow *row = &b->rows.data[i];
		if (!nth(a, row->name, earlier(b, i)))
			vec_push(arena, out, (CacheDifference){row->name, NULL, row->value});
	}
}
