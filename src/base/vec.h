/* Growing arrays in an arena: VEC(T) v = {0}; vec_push(arena, &v, item); v.data[i], v.len. */
#ifndef NESO_BASE_VEC_H
#define NESO_BASE_VEC_H

#include "base/arena.h"

#define VEC(T)                     \
	struct {                   \
		T *data;           \
		uint32_t len, cap; \
	}

/* Room for n more items; returns nothing, v->data may move. */
#define vec_reserve(arena, v, n)                                                                          \
	do {                                                                                              \
		if ((v)->len + (uint32_t)(n) > (v)->cap)                                                  \
			vec_grow_((arena), (void **)&(v)->data, &(v)->cap, (v)->len + (uint32_t)(n), \
				  sizeof *(v)->data);                                                     \
	} while (0)

#define vec_push(arena, v, ...)                             \
	do {                                                \
		vec_reserve((arena), (v), 1);               \
		(v)->data[(v)->len++] = (__VA_ARGS__);      \
	} while (0)

#define vec_last(v) ((v)->data[(v)->len - 1])

static inline void vec_grow_(Arena *arena, void **data, uint32_t *cap, uint32_t need, size_t size)
{
	uint32_t grown = *cap ? *cap * 2 : 8;
	while (grown < need)
		grown *= 2;
	*data = arena_grow(arena, *data, *cap * size, grown * size);
	*cap = grown;
}

#endif
