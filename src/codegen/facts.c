/* Facts as text: words key=value with blanks between, in one line. */
#include "codegen/facts.h"

#include <string.h>

const char *facts_text(Arena *arena, const Facts *f)
{
	CONTRACT(f->kernel && f->args && f->threads % 32 == 0);
	return arena_printf(arena,
			    "kernel=%s args=%s threads=%u shared=%u cluster=%u scratch=%u scratch_align=%u "
			    "print=%d assert=%d%s%s%s%s",
			    f->kernel, f->args, f->threads, f->shared, f->cluster, f->scratch_bytes,
			    f->scratch_align, f->uses_print, f->uses_assert, f->by_number ? " few=1" : "",
			    f->uneven ? " uneven=1" : "",
			    f->maps && *f->maps ? " maps=" : "", f->maps ? f->maps : "");
}

static Str value_of(Str line, const char *key)
{
	size_t len = strlen(key);
	for (size_t at = 0; at + len < line.len; at++) {
		if ((at && line.ptr[at - 1] != ' ') || memcmp(line.ptr + at, key, len) != 0 ||
		    line.ptr[at + len] != '=')
			continue;
		size_t start = at + len + 1, end = start;
		while (end < line.len && line.ptr[end] != ' ' && line.ptr[end] != '"')
			end++;
		return (Str){line.ptr + start, end - start};
	}
	return (Str){NULL, 0};
}

/* Digits and nothing else, up to `most`; 0 where the key is missing. */
static bool number_of(Str line, const char *key, unsigned most, unsigned *out)
{
	Str value = value_of(line, key);
	uint64_t n = 0;
	for (size_t i = 0; i < value.len; i++) {
		if (value.ptr[i] < '0' || value.ptr[i] > '9' || n > most)
			return false;
		n = n * 10 + (unsigned)(value.ptr[i] - '0');
	}
	*out = (unsigned)n;
	return n <= most;
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

static bool is_name(Str name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c && strchr("_$.", c));
		if (!letter && !(i && c >= '0' && c <= '9'))
			return false;
	}
	return name.len != 0;
}

/* What the line must say for the kernel to be launched at all; NULL where it does. */
static const char *wrong(Str line, Str kernel, Str args, Facts *f)
{
	enum { THREADS = 1024, SHARED = 1 << 20, CLUSTER = 16, ALIGN = 4096 };
	unsigned print, asserts, few, uneven;
	if (!is_name(kernel))
		return "kernel is no name";
	if (!number_of(line, "threads", THREADS, &f->threads) || !f->threads || f->threads % 32)
		return "threads is no multiple of 32 up to 1024";
	if (!number_of(line, "shared", SHARED, &f->shared))
		return "shared is no number of bytes";
	if (!number_of(line, "cluster", CLUSTER, &f->cluster) || !base_is_pow2(f->cluster))
		return "cluster is no power of two up to 16";
	if (!number_of(line, "scratch", INT32_MAX, &f->scratch_bytes) ||
	    !number_of(line, "scratch_align", ALIGN, &f->scratch_align) ||
	    (f->scratch_align ? !base_is_pow2(f->scratch_align) : f->scratch_bytes != 0))
		return "scratch and scratch_align are no size and its alignment";
	if (!number_of(line, "print", 1, &print) || !number_of(line, "assert", 1, &asserts) ||
	    !number_of(line, "few", 1, &few) || !number_of(line, "uneven", 1, &uneven))
		return "print, assert, few and uneven are neither 0 nor 1";
	size_t counts = 0; /* of programs, which stand last, but for the scratch */
	for (size_t i = 0; i < args.len; i++)
		counts += args.ptr[i] == 'n';
	for (size_t i = 0; i < args.len; i++)
		if (!memchr("p1248fdhtns", args.ptr[i], 11) ||
		    (args.ptr[i] == 'n' && i + counts + (f->scratch_bytes != 0) < args.len) ||
		    (args.ptr[i] == 's' && (i + 1 < args.len || !f->scratch_bytes)))
			return "args has a letter that means nothing there";
	if (f->scratch_bytes && (!args.len || args.ptr[args.len - 1] != 's'))
		return "args has no scratch, of which there are bytes";
	f->uses_print = print != 0;
	f->uses_assert = asserts != 0;
	f->by_number = few != 0;
	f->uneven = uneven != 0;
	return NULL;
}

bool facts_read(Arena *arena, Str text, const char *mark, Facts *f, const char **why)
{
	const char *at = find(text, mark);
	*why = NULL;
	if (!at)
		return false;
	size_t left = (size_t)(text.ptr + text.len - at);
	const char *end = memchr(at, '\n', left);
	Str line = {at, end ? (size_t)(end - at) : left};
	Str kernel = value_of(line, "kernel"), args = value_of(line, "args"), maps = value_of(line, "maps");
	if (!kernel.ptr || !args.ptr)
		return false;
	*f = (Facts){
		.kernel = arena_strndup(arena, kernel.ptr, kernel.len),
		.args = arena_strndup(arena, args.ptr, args.len),
		.maps = maps.ptr ? arena_strndup(arena, maps.ptr, maps.len) : "",
	};
	*why = wrong(line, kernel, args, f);
	return !*why;
}
