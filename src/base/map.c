/* The 64-bit hash map: open addressing, linear probing, no deletion. */
#include "base/map.h"

static uint32_t slot_of(const Map *map, uint64_t key)
{
	uint64_t h = key * 0x9e3779b97f4a7c15u;
	return (uint32_t)(h >> 32) & (map->cap - 1);
}

void map_init(Map *map, Arena *arena)
{
	*map = (Map){.arena = arena};
}

static MapSlot *find(const Map *map, uint64_t key)
{
	uint32_t at = slot_of(map, key);
	while (map->slots[at].used && map->slots[at].key != key)
		at = (at + 1) & (map->cap - 1);
	return &map->slots[at];
}

void map_put(Map *map, uint64_t key, uint64_t value)
{
	if (map->len * 2 >= map->cap) {
		MapSlot *old = map->slots;
		uint32_t old_cap = map->cap;
		map->cap = old_cap ? old_cap * 2 : 16;
		map->slots = ARENA_ARRAY(map->arena, MapSlot, map->cap);
		for (uint32_t i = 0; i < old_cap; i++)
			if (old[i].used)
				*find(map, old[i].key) = old[i];
	}
	MapSlot *slot = find(map, key);
	map->len += !slot->used;
	*slot = (MapSlot){key, value, true};
}

bool map_get(const Map *map, uint64_t key, uint64_t *value)
{
	if (!map->cap)
		return false;
	MapSlot *slot = find(map, key);
	if (slot->used)
		*value = slot->value;
	return slot->used;
}
