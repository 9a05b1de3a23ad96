/* Arenas: memory that lives as long as one compilation (or one call), freed at once.
 *
 * Allocation never returns NULL. When the system has no memory left, or the arena's limit is passed, a
 * FAULT_MEMORY or FAULT_LIMIT is raised (fault.h). An arena belongs to one thread at a time. */
#ifndef NESO_BASE_ARENA_H
#define NESO_BASE_ARENA_H

#include <stdarg.h>
#include "base/base.h"

typedef struct ArenaChunk ArenaChunk;

typedef struct Arena {
	ArenaChunk *chunk; /* newest first */
	char *at, *end;    /* free space of the newest chunk */
	size_t total;      /* bytes taken from the system */
	size_t limit;      /* 0: none */
	size_t first;      /* bytes of the first chunk; 0: 16 KiB */
} Arena;

/* A position to which an arena can be taken back. */
typedef struct ArenaMark {
	ArenaChunk *chunk;
	char *at;
} ArenaMark;

void arena_init(Arena *arena, size_t limit);
/* For what is small and lives long. */
void arena_init_small(Arena *arena, size_t limit);
void arena_free(Arena *arena);
ArenaMark arena_mark(const Arena *arena);
void arena_reset(Arena *arena, ArenaMark mark); /* frees all that was allocated since the mark */

/* Zeroed memory aligned for any type of size up to 16. */
void *arena_alloc(Arena *arena, size_t size);
/* Not zeroed, aligned to a power of two. */
void *arena_alloc_raw(Arena *arena, size_t size, size_t align);
/* A larger copy of an array of old_size bytes; the tail is zeroed. Grows in place where it can. */
void *arena_grow(Arena *arena, void *old, size_t old_size, size_t new_size);
void *arena_copy(Arena *arena, const void *bytes, size_t size);
char *arena_strndup(Arena *arena, const char *text, size_t len);
char *arena_strdup(Arena *arena, const char *text);
char *arena_printf(Arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);
char *arena_vprintf(Arena *arena, const char *format, va_list args);

#define ARENA_NEW(arena, T) ((T *)arena_alloc((arena), sizeof(T)))
#define ARENA_ARRAY(arena, T, n) ((T *)arena_alloc((arena), sizeof(T) * (size_t)(n)))

/* Memory of the heap, for what does not live in an arena; NULL: there is none. free() gives it back. Zeroed; grown as by
 * realloc (NULL: new); aligned to a power of two. */
void *heap_zeroed(size_t size);
void *heap_grow(void *old, size_t size);
void *heap_aligned(size_t align, size_t size);

/* Test hook: the n-th request for memory from the system, of arenas and by the functions above, counted from now over all
 * threads, fails; 0 switches it off. Returns how many were still to come of the n before: 0 or less when it has failed. */
long arena_fail_after(long n);

#endif
