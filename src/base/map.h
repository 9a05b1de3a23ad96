/* A hash map from a 64-bit key (a number, an index, an interned pointer) to a 64-bit value, in an arena.
 * Iteration order is not defined: never let it reach any output. */
#ifndef NESO_BASE_MAP_H
#define NESO_BASE_MAP_H

#include "base/arena.h"

typedef struct MapSlot {
	uint64_t key, value;
	bool used;
} MapSlot;

typedef struct Map {
	Arena *arena;
	MapSlot *slots;
	uint32_t cap, len;
} Map;

void map_init(Map *map, Arena *arena);
void map_put(Map *map, uint64_t key, uint64_t value); /* replaces */
bool map_get(const Map *map, uint64_t key, uint64_t *value);

static inline uint64_t map_key(const void *ptr)
{
	return (uint64_t)(uintptr_t)ptr;
}

static inline void map_put_ptr(Map *map, const void *key, const void *value)
{
	map_put(map, map_key(key), map_key(value));
}

static inline void *map_get_ptr(const Map *map, const void *key)
{
	uint64_t value;
	return map_get(map, map_key(key), &value) ? (void *)(uintptr_t)value : NULL;
}

#endif
