/* Text: slices, interned names, and a text buffer to build output in. */
#ifndef NESO_BASE_STR_H
#define NESO_BASE_STR_H

#include <string.h>
#include "base/arena.h"

/* A slice; not NUL-terminated. */
typedef struct Str {
	const char *ptr;
	size_t len;
} Str;

#define STR(literal) ((Str){(literal), sizeof(literal) - 1})
#define STR_ARG(s) (int)(s).len, (s).ptr /* for %.*s */

static inline Str str_of(const char *text)
{
	return (Str){text, strlen(text)};
}

static inline bool str_eq(Str a, Str b)
{
	return a.len == b.len && memcmp(a.ptr, b.ptr, a.len) == 0;
}

static inline bool str_is(Str a, const char *text)
{
	return str_eq(a, str_of(text));
}

uint64_t str_hash(const void *bytes, size_t len); /* not for keys that leave the process */

/* Edit distance (insert, delete, replace, swap of neighbours), for "did you mean". */
unsigned str_distance(Str a, Str b);
/* The candidate nearest to name, or NULL when none is near enough to be worth naming. */
const char *str_nearest(Str name, const char *const *candidates, size_t n);

/* An interned, NUL-terminated string: equal text is an equal pointer within one Interner. */
typedef const char *Sym;

typedef struct Interner {
	Arena *arena;
	Sym *slots;
	uint64_t *hashes;
	uint32_t cap, len;
} Interner;

void intern_init(Interner *in, Arena *arena);
Sym intern(Interner *in, Str text);
static inline Sym intern_text(Interner *in, const char *text)
{
	return intern(in, str_of(text));
}

/* Growing text; always NUL-terminated once something was added. */
typedef struct Text {
	Arena *arena;
	char *data;
	size_t len, cap;
} Text;

void text_init(Text *t, Arena *arena);
void text_add(Text *t, const char *bytes, size_t len);
void text_str(Text *t, const char *text);
void text_char(Text *t, char c);
void text_printf(Text *t, const char *format, ...) PRINTF_LIKE(2, 3);
void text_unsigned(Text *t, uint64_t value); /* in decimal digits; where text_printf would be felt */
/* As it may be shown on a terminal: control characters but tabs and line ends, and bytes that are no UTF-8, become signs of one column each. */
void text_shown(Text *t, const char *bytes, size_t len);
/* The same of a text, in the arena; the text itself where nothing changes. */
const char *str_shown(Arena *arena, const char *text);
/* As JSON writes it, with its quotes; "null" for NULL. */
void text_json(Text *t, const char *text);

#endif
