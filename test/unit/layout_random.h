/* What the tests of layouts share: seeded random numbers and random layouts. Not a test. */
#ifndef NESO_TEST_LAYOUT_RANDOM_H
#define NESO_TEST_LAYOUT_RANDOM_H

#include "layout/f2.h"
#include "layout/kinds.h"

typedef struct Random {
	uint64_t state;
} Random;

static inline uint64_t random_next(Random *r)
{
	uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static inline unsigned random_below(Random *r, unsigned n)
{
	return (unsigned)(random_next(r) % n);
}

/* Shuffles n words. */
static inline void random_order(Random *r, uint64_t *items, unsigned n)
{
	for (unsigned i = n; i > 1; i--) {
		unsigned j = random_below(r, i);
		uint64_t item = items[i - 1];
		items[i - 1] = items[j];
		items[j] = item;
	}
}

/* Adds bases to one another at random: the span stays. */
static inline void random_mix(Random *r, uint64_t *items, unsigned n, unsigned times)
{
	for (unsigned k = 0; k < times && n > 1; k++) {
		unsigned i = random_below(r, n), j = random_below(r, n);
		if (i != j)
			items[i] ^= items[j];
	}
}

/* A shape of rank 1 to 4 with this many F2 bits; one dim in four shapes repeats 3, 5 or 7 times when asked
 * for. */
static inline unsigned random_shape(Random *r, unsigned bits, bool repeat, int64_t *shape)
{
	unsigned rank = 1 + random_below(r, 4);
	for (unsigned k = 0; k < rank; k++)
		shape[k] = 1;
	for (unsigned i = 0; i < bits; i++)
		shape[random_below(r, rank)] *= 2;
	if (repeat && random_below(r, 4) == 0)
		shape[random_below(r, rank)] *= 3 + 2 * random_below(r, 3);
	if (repeat && random_below(r, 8) == 0)
		shape[random_below(r, rank)] *= 3;
	return rank;
}

/* An onto layout: the tile's bits in random order over the hardware's; what is left over makes copies, zero
 * or a sum of others. mix > 0 adds bases to one another. */
static inline const Layout *random_layout(Random *r, LayoutContext *cx, const LayoutSpace *tile, unsigned registers,
					  unsigned warps, unsigned blocks, unsigned mix)
{
	LayoutSpace in = layout_space_of_threads(registers, 5, warps, blocks, layout_space_reps(tile));
	unsigned bits = layout_space_bits(tile), total = registers + 5 + warps + blocks;
	uint64_t bases[64] = {0};
	ASSERT(total >= bits);
	for (unsigned i = 0; i < bits; i++)
		bases[i] = UINT64_C(1) << i;
	random_mix(r, bases, bits, mix);
	for (unsigned i = bits; i < total; i++)
		bases[i] = mix && random_below(r, 3) == 0 && bits ? bases[random_below(r, bits)] : 0;
	random_order(r, bases, total);
	return layout_make(cx, &in, tile, bases);
}

#endif
