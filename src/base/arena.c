/* Arenas: a list of chunks that double in size; bump allocation in the newest. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"

struct ArenaChunk {
	ArenaChunk *next;
	char *end;
	alignas(16) char data[];
};

enum { CHUNK_SMALL = 2 << 10, CHUNK_FIRST = 16 << 10, CHUNK_LARGEST = 4 << 20 };

static atomic_long fail_countdown;

long arena_fail_after(long n)
{
	return atomic_exchange(&fail_countdown, n);
}

static bool must_fail(void)
{
	if (LIKELY(atomic_load_explicit(&fail_countdown, memory_order_relaxed) == 0))
		return false;
	return atomic_fetch_sub(&fail_countdown, 1) == 1;
}

void arena_init(Arena *arena, size_t limit)
{
	*arena = (Arena){.limit = limit};
}

void arena_init_small(Arena *arena, size_t limit)
{
	*arena = (Arena){.limit = limit, .first = CHUNK_SMALL};
}

void arena_free(Arena *arena)
{
	arena_reset(arena, (ArenaMark){0});
}

ArenaMark arena_mark(const Arena *arena)
{
	return (ArenaMark){arena->chunk, arena->at};
}

void arena_reset(Arena *arena, ArenaMark mark)
{
	while (arena->chunk != mark.chunk) {
		ArenaChunk *chunk = arena->chunk;
		arena->chunk = chunk->next;
		arena->total -= (size_t)(chunk->end - (char *)chunk);
		free(chunk);
	}
	arena->at = mark.at;
	arena->end = mark.chunk ? mark.chunk->end : NULL;
}

void *heap_zeroed(size_t size)
{
	return must_fail() ? NULL : calloc(1, size);
}

void *heap_grow(void *old, size_t size)
{
	return must_fail() ? NULL : realloc(old, size);
}

void *heap_aligned(size_t align, size_t size)
{
	return must_fail() ? NULL : aligned_alloc(align, (size + align - 1) & ~(align - 1));
}

static void add_chunk(Arena *arena, size_t need)
{
	stop_time();
	size_t size = arena->first ? arena->first : CHUNK_FIRST;
	if (arena->chunk)
		size = (size_t)(arena->chunk->end - (char *)arena->chunk) * 2;
	size = MIN(size, (size_t)CHUNK_LARGEST);
	size = MAX(size, need + sizeof(ArenaChunk));
	if (need > SIZE_MAX - sizeof(ArenaChunk) || (arena->limit && arena->total + size > arena->limit))
		fault_raise(FAULT_LIMIT, "more than %zu MB of memory needed", arena->limit >> 20);
	ArenaChunk *chunk = must_fail() ? NULL : malloc(size);
	if (!chunk)
		fault_raise(FAULT_MEMORY, "out of memory (%zu bytes asked for)", size);
	chunk->next = arena->chunk;
	chunk->end = (char *)chunk + size;
	arena->chunk = chunk;
	arena->at = chunk->data;
	arena->end = chunk->end;
	arena->total += size;
}

void *arena_alloc_raw(Arena *arena, size_t size, size_t align)
{
	ASSERT(base_is_pow2(align));
	uintptr_t at = ((uintptr_t)arena->at + align - 1) & ~(uintptr_t)(align - 1);
	if (UNLIKELY(!arena->at || at > (uintptr_t)arena->end || size > (uintptr_t)arena->end - at)) {
		if (size > SIZE_MAX - align)
			fault_raise(FAULT_LIMIT, "a block of %zu bytes was asked for", size);
		add_chunk(arena, size + align);
		at = ((uintptr_t)arena->at + align - 1) & ~(uintptr_t)(align - 1);
	}
	arena->at = (char *)(at + size);
	return (void *)at;
}

void *arena_alloc(Arena *arena, size_t size)
{
	return memset(arena_alloc_raw(arena, size, 16), 0, size);
}

void *arena_grow(Arena *arena, void *old, size_t old_size, size_t new_size)
{
	ASSERT(new_size >= old_size);
	size_t more = new_size - old_size;
	if (old && (char *)old + old_size == arena->at && more <= (size_t)(arena->end - arena->at)) {
		memset(arena->at, 0, more);
		arena->at += more;
		return old;
	}
	char *bytes = arena_alloc_raw(arena, new_size, 16);
	if (old_size)
		memcpy(bytes, old, old_size);
	memset(bytes + old_size, 0, more);
	return bytes;
}

void *arena_copy(Arena *arena, const void *bytes, size_t size)
{
	void *copy = arena_alloc_raw(arena, size, 16);
	if (size)
		memcpy(copy, bytes, size);
	return copy;
}

char *arena_strndup(Arena *arena, const char *text, size_t len)
{
	char *copy = arena_alloc_raw(arena, len + 1, 1);
	if (len)
		memcpy(copy, text, len);
	copy[len] = '\0';
	return copy;
}

char *arena_strdup(Arena *arena, const char *text)
{
	return arena_strndup(arena, text, strlen(text));
}

char *arena_vprintf(Arena *arena, const char *format, va_list args)
{
	char shorter[256]; /* most texts are: they are formatted once */
	va_list again;
	va_copy(again, args);
	int len = vsnprintf(shorter, sizeof shorter, format, args);
	ASSERT(len >= 0);
	char *text = arena_alloc_raw(arena, (size_t)len + 1, 1);
	if ((size_t)len < sizeof shorter)
		memcpy(text, shorter, (size_t)len + 1);
	else
		vsnprintf(text, (size_t)len + 1, format, again);
	va_end(again);
	return text;
}

char *arena_printf(Arena *arena, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	char *text = arena_vprintf(arena, format, args);
	va_end(args);
	return text;
}
