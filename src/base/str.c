/* Slices, interning (open addressing, linear probing), text buffers, nearest names. */
#include "base/str.h"

#include <stdio.h>

/* FNV-1a by 8 bytes with a final mix: short keys, speed matters, no adversary. */
uint64_t str_hash(const void *bytes, size_t len)
{
	const unsigned char *p = bytes;
	uint64_t h = 0xcbf29ce484222325u ^ len;
	while (len >= 8) {
		uint64_t word;
		memcpy(&word, p, 8);
		h = (h ^ word) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
		p += 8;
		len -= 8;
	}
	while (len--)
		h = (h ^ *p++) * 0x100000001b3u;
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93u;
	return h ^ h >> 32;
}

unsigned str_distance(Str a, Str b)
{
	enum { LONGEST = 63 };
	if (a.len > LONGEST || b.len > LONGEST)
		return LONGEST;
	unsigned before[LONGEST + 1], last[LONGEST + 1], row[LONGEST + 1];
	for (size_t j = 0; j <= b.len; j++)
		last[j] = before[j] = (unsigned)j;
	for (size_t i = 1; i <= a.len; i++) {
		row[0] = (unsigned)i;
		for (size_t j = 1; j <= b.len; j++) {
			unsigned cost = a.ptr[i - 1] != b.ptr[j - 1];
			unsigned best = MIN(last[j] + 1, row[j - 1] + 1);
			best = MIN(best, last[j - 1] + cost);
			if (i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] && a.ptr[i - 2] == b.ptr[j - 1])
				best = MIN(best, before[j - 2] + 1);
			row[j] = best;
		}
		memcpy(before, last, sizeof before);
		memcpy(last, row, sizeof last);
	}
	return last[b.len];
}

const char *str_nearest(Str name, const char *const *candidates, size_t n)
{
	const char *best = NULL;
	unsigned best_distance = name.len <= 3 ? 2 : 3; /* exclusive */
	if (name.len <= 1)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		unsigned d = str_distance(name, str_of(candidates[i]));
		if (d < best_distance) {
			best = candidates[i];
			best_distance = d;
		}
	}
	return best;
}

void intern_init(Interner *in, Arena *arena)
{
	*in = (Interner){.arena = arena};
}

static void intern_rehash(Interner *in)
{
	uint32_t cap = in->cap ? in->cap * 2 : 256;
	Sym *slots = ARENA_ARRAY(in->arena, Sym, cap);
	uint64_t *hashes = ARENA_ARRAY(in->arena, uint64_t, cap);
	for (uint32_t i = 0; i < in->cap; i++) {
		if (!in->slots[i])
			continue;
		uint32_t at = (uint32_t)in->hashes[i] & (cap - 1);
		while (slots[at])
			at = (at + 1) & (cap - 1);
		slots[at] = in->slots[i];
		hashes[at] = in->hashes[i];
	}
	in->slots = slots;
	in->hashes = hashes;
	in->cap = cap;
}

Sym intern(Interner *in, Str text)
{
	if (in->len * 2 >= in->cap)
		intern_rehash(in);
	uint64_t hash = str_hash(text.ptr, text.len);
	uint32_t at = (uint32_t)hash & (in->cap - 1);
	for (; in->slots[at]; at = (at + 1) & (in->cap - 1)) {
		Sym s = in->slots[at];
		if (in->hashes[at] == hash && strncmp(s, text.ptr, text.len) == 0 && s[text.len] == '\0')
			return s;
	}
	in->slots[at] = arena_strndup(in->arena, text.ptr, text.len);
	in->hashes[at] = hash;
	in->len++;
	return in->slots[at];
}

void text_init(Text *t, Arena *arena)
{
	*t = (Text){.arena = arena};
}

static void text_room(Text *t, size_t more)
{
	if (t->len + more + 1 <= t->cap)
		return;
	size_t cap = MAX(t->cap * 2, t->len + more + 64);
	t->data = arena_grow(t->arena, t->data, t->cap, cap);
	t->cap = cap;
}

void text_add(Text *t, const char *bytes, size_t len)
{
	text_room(t, len);
	if (len)
		memcpy(t->data + t->len, bytes, len);
	t->len += len;
	t->data[t->len] = '\0';
}

void text_str(Text *t, const char *text)
{
	text_add(t, text, strlen(text));
}

void text_char(Text *t, char c)
{
	text_add(t, &c, 1);
}

void text_printf(Text *t, const char *format, ...)
{
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	/* Most fit into what room there is, and are formatted once. */
	size_t room = t->cap - t->len;
	int len = vsnprintf(room ? t->data + t->len : NULL, room, format, args);
	ASSERT(len >= 0);
	if ((size_t)len >= room) {
		text_room(t, (size_t)len);
		vsnprintf(t->data + t->len, (size_t)len + 1, format, again);
	}
	t->len += (size_t)len;
	va_end(again);
	va_end(args);
}

void text_unsigned(Text *t, uint64_t value)
{
	char digits[20];
	size_t at = sizeof digits;
	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	text_add(t, digits + at, sizeof digits - at);
}

void text_json(Text *t, const char *text)
{
	if (!text) {
		text_str(t, "null");
		return;
	}
	text_char(t, '"');
	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		if (*p == '"' || *p == '\\')
			text_printf(t, "\\%c", *p);
		else if (*p < 0x20 || *p == 0x7f)
			text_printf(t, "\\u%04x", *p);
		else
			text_char(t, (char)*p);
	}
	text_char(t, '"');
}

/* ---- for terminals ---- */

/* Bytes of the character at `at` of `len`; 0: it is none of UTF-8's. */
static size_t character(const unsigned char *at, size_t len)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t size = *at < 0x80 ? 1 : *at < 0xc0 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : *at < 0xf8 ? 4 : 0;
	if (size < 2)
		return size;
	uint32_t code = *at & (0x7fu >> size);
	if (size > len)
		return 0;
	for (size_t i = 1; i < size; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (at[i] & 0x3f);
	}
	return code < least[size] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : size;
}

static bool is_control(const unsigned char *at, size_t size)
{
	if (size == 1)
		return (*at < 32 && *at != '\t' && *at != '\n') || *at == 127;
	return size == 2 && at[0] == 0xc2 && at[1] < 0xa0; /* C1 */
}

/* Unicode has pictures of those below 32 from U+2400 on, and one of 127; for others its sign of what cannot be shown. */
static void add_sign(Text *t, const unsigned char *at, size_t size)
{
	if (size == 1)
		text_printf(t, "\xe2\x90%c", *at == 127 ? 0xa1 : 0x80 + *at);
	else
		text_str(t, "\xef\xbf\xbd");
}

/* How many bytes may be shown as they are. */
static size_t plain_bytes(const char *bytes, size_t len)
{
	const unsigned char *at = (const unsigned char *)bytes;
	size_t i = 0;
	while (i < len) {
		size_t size = character(at + i, len - i);
		if (!size || is_control(at + i, size))
			break;
		i += size;
	}
	return i;
}

void text_shown(Text *t, const char *bytes, size_t len)
{
	while (len) {
		size_t plain = plain_bytes(bytes, len);
		text_add(t, bytes, plain);
		bytes += plain;
		len -= plain;
		if (!len)
			return;
		const unsigned char *at = (const unsigned char *)bytes;
		size_t size = character(at, len);
		add_sign(t, at, size);
		bytes += MAX(size, (size_t)1);
		len -= MAX(size, (size_t)1);
	}
}

const char *str_shown(Arena *arena, const char *text)
{
	Text out;
	size_t len = strlen(text);
	if (plain_bytes(text, len) == len)
		return text;
	text_init(&out, arena);
	text_shown(&out, text, len);
	return out.data;
}
