/* Facts as text: words key=value with blanks between, in one line. */
#include "codegen/facts.h"

#include <stdlib.h>

const char *facts_text(Arena *arena, const Facts *f)
{
	return arena_printf(arena, "kernel=%s args=%s threads=%u shared=%u cluster=%u scratch=%u scratch_align=%u print=%d assert=%d",
			    f->kernel, f->args, f->threads, f->shared, f->cluster, f->scratch_bytes, f->scratch_align,
			    f->uses_print, f->uses_assert);
}

static Str value_of(Str line, const char *key)
{
	size_t len = strlen(key);
	for (size_t at = 0; at + len < line.len; at++) {
		if ((at && line.ptr[at - 1] != ' ') || memcmp(line.ptr + at, key, len) != 0 || line.ptr[at + len] != '=')
			continue;
		size_t start = at + len + 1, end = start;
		while (end < line.len && line.ptr[end] != ' ' && line.ptr[end] != '"')
			end++;
		return (Str){line.ptr + start, end - start};
	}
	return (Str){NULL, 0};
}

static unsigned number_of(Arena *arena, Str line, const char *key)
{
	Str value = value_of(line, key);
	return value.ptr ? (unsigned)strtoul(arena_strndup(arena, value.ptr, value.len), NULL, 10) : 0;
}

static const char *find(Str text, const char *mark)
{
	size_t len = strlen(mark);
	for (const char *at = text.ptr; (size_t)(text.ptr + text.len - at) >= len; at++) {
		at = memchr(at, mark[0], (size_t)(text.ptr + text.len - at) - len + 1);
		if (!at)
			return NULL;
		if (memcmp(at, mark, len) == 0)
			return at + len;
	}
	return NULL;
}

bool facts_read(Arena *arena, Str text, const char *mark, Facts *f)
{
	const char *at = find(text, mark);
	if (!at)
		return false;
	size_t left = (size_t)(text.ptr + text.len - at);
	const char *end = memchr(at, '\n', left);
	Str line = {at, end ? (size_t)(end - at) : left};
	Str kernel = value_of(line, "kernel"), args = value_of(line, "args");
	if (!kernel.ptr || !args.ptr)
		return false;
	*f = (Facts){
		.kernel = arena_strndup(arena, kernel.ptr, kernel.len),
		.args = arena_strndup(arena, args.ptr, args.len),
		.threads = number_of(arena, line, "threads"),
		.shared = number_of(arena, line, "shared"),
		.cluster = number_of(arena, line, "cluster"),
		.scratch_bytes = number_of(arena, line, "scratch"),
		.scratch_align = number_of(arena, line, "scratch_align"),
		.uses_print = number_of(arena, line, "print") != 0,
		.uses_assert = number_of(arena, line, "assert") != 0,
	};
	return true;
}
