/* Sums of floats by atomic operations: a word, how many numbers were added to it, and the sum of
 * their sizes.
 *
 * What comes out depends on the order. n numbers are added with n roundings, each of which is off
 * by at most half a unit in the last place of a number that is no larger than the sum of all sizes:
 * two orders differ by at most 2 n u S, where u is half that unit of 1. */
#include <math.h>
#include <stdlib.h>

#include "sim/sim_int.h"

typedef struct Sum {
	uint64_t address; /* 0: free */
	uint32_t count;
	uint8_t size, digits;
	double sizes;
} Sum;

struct SimSums {
	Sum *table;
	uint64_t cap, count; /* cap: a power of two */
};

SimSums *sim_sums_new(void)
{
	return heap_zeroed(sizeof(SimSums));
}

void sim_sums_free(SimSums *s)
{
	if (s)
		free(s->table);
	free(s);
}

static Sum *find(const SimSums *s, uint64_t address)
{
	uint64_t at = address * UINT64_C(0x9e3779b97f4a7c15) >> 20;
	while (s->table[at & (s->cap - 1)].address && s->table[at & (s->cap - 1)].address != address)
		at++;
	return &s->table[at & (s->cap - 1)];
}

static bool grow(SimSums *s)
{
	SimSums wider = {.cap = MAX(2 * s->cap, (uint64_t)1024), .count = s->count};
	wider.table = heap_zeroed(wider.cap * sizeof *wider.table);
	if (!wider.table)
		return false;
	for (uint64_t k = 0; k < s->cap; k++)
		if (s->table[k].address)
			*find(&wider, s->table[k].address) = s->table[k];
	free(s->table);
	*s = wider;
	return true;
}

bool sim_sums_add(SimSums *s, uint64_t address, SimFloatType type, double before, double value)
{
	if (2 * s->count >= s->cap && !grow(s))
		return false;
	Sum *sum = find(s, address);
	if (!sum->address) {
		*sum = (Sum){
			.address = address, .size = type.size, .digits = type.digits, .sizes = fabs(before)};
		s->count++;
	}
	sum->count++;
	sum->sizes += fabs(value);
	return true;
}

bool sim_sums_get(const SimSums *s, uint64_t address, SimFloatType *type, uint64_t *word, double *apart)
{
	static const uint8_t sizes[] = {2, 4, 8};
	for (unsigned k = 0; s && s->cap && k < ARRAY_LEN(sizes); k++) {
		*word = address & ~(uint64_t)(sizes[k] - 1);
		const Sum *sum = find(s, *word);
		if (!sum->address || sum->size != sizes[k])
			continue;
		*type = (SimFloatType){sum->size, sum->digits};
		*apart = 2 * sum->count * ldexp(sum->sizes, -sum->digits);
		return true;
	}
	return false;
}
