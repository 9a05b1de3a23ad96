/* The same launch in several orders of warps and programs, whose results are compared.
 *
 * With `schedules` so many; with checks alone three where programs may tell one another anything
 * (atomic operations whose order can be seen, volatile loads): one after the other, and twice
 * together. Where nothing is told, what is ordered and what is not is the same in any order, and
 * the checks know it from one. The first order's results stay.
 *
 * Floats may differ as sums in another order do: words that atomic operations add to by what was
 * added (sums.c); what stores wrote where programs go in any order, by as many roundings as there
 * are programs, of numbers as large as the array's largest. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/half.h"
#include "sim/run/orders.h"

enum { COMPANY = 4, CHECKED_ORDERS = 3 };

SimSchedule sim_schedule(const SimLaunch *launch, unsigned number)
{
	SimSchedule s = {
		.number = number, .ordering = SIM_RANDOM, .seed = launch->seed + number, .company = COMPANY};
	if (number == 0)
		return (SimSchedule){.ordering = launch->seed ? SIM_RANDOM : SIM_BY_TURNS,
				     .seed = launch->seed,
				     .company = 1};
	if (number == 1)
		return (SimSchedule){.number = 1, .ordering = SIM_UNTIL_BLOCKED, .company = 1};
	if (number == 2)
		s.ordering = SIM_REVERSED;
	return s;
}

/* Memory that is not restored: a second order would begin with what the first one wrote there. */
static bool writes_ambient(const SimLaunch *launch)
{
	for (size_t i = 0; launch->ambient && i < launch->buffer_count; i++)
		if (launch->ambient[i] && launch->buffers[i].writable)
			return true;
	return false;
}

unsigned sim_orders(const SimKernel *kernel, const SimLaunch *launch)
{
	if (writes_ambient(launch))
		return 1;
	if (launch->schedules > 1)
		return launch->schedules;
	return launch->check && kernel->ordered ? CHECKED_ORDERS : 1;
}

/* ---- contents ---- */

typedef struct Contents {
	uint8_t *bytes; /* of the buffers that may be written, one after the other */
	size_t size;
} Contents;

static bool copy_contents(const SimRun *run, Contents *out)
{
	out->size = 0;
	for (uint32_t k = 0; k < run->buffer_count; k++)
		out->size += run->buffers[k].writable ? run->buffers[k].size : 0;
	out->bytes = heap_grow(NULL, out->size + 1);
	size_t at = 0;
	for (uint32_t k = 0; out->bytes && k < run->buffer_count; k++) {
		if (!run->buffers[k].writable)
			continue;
		memcpy(out->bytes + at, (const void *)(uintptr_t)run->buffers[k].base, run->buffers[k].size);
		at += run->buffers[k].size;
	}
	return out->bytes != NULL;
}

static void restore_contents(const SimRun *run, const Contents *from)
{
	size_t at = 0;
	for (uint32_t k = 0; k < run->buffer_count; k++) {
		if (!run->buffers[k].writable)
			continue;
		memcpy((void *)(uintptr_t)run->buffers[k].base, from->bytes + at, run->buffers[k].size);
		at += run->buffers[k].size;
	}
}

static const char *name_of(const SimSchedule *s, char *out, size_t size)
{
	static const char *const names[] = {"by turns", "each until it waits", "from the last on",
					    "by chance, seed"};
	if (s->ordering == SIM_RANDOM)
		snprintf(out, size, "%s %llu", names[s->ordering], (unsigned long long)s->seed);
	else
		snprintf(out, size, "%s", names[s->ordering]);
	return out;
}

/* ---- floats ---- */

static double float_at(const uint8_t *at, SimFloatType type)
{
	uint64_t bits = 0;
	double x;
	memcpy(&bits, at, type.size);
	if (type.size == 2)
		return (double)(type.digits == 11 ? half_from_f16((uint16_t)bits)
						  : half_from_bf16((uint16_t)bits));
	if (type.size == 4)
		return (double)half_float((uint32_t)bits);
	memcpy(&x, &bits, sizeof x);
	return x;
}

/* Of an array, as it is now and as it was. */
typedef struct Compared {
	SimRun *run;
	const SimArray *array;
	const uint8_t *now, *then;
	SimFloatType type; /* of `largest`; size 0: not looked for yet */
	double largest;
} Compared;

static double largest_of(Compared *c, SimFloatType type)
{
	if (c->type.size == type.size && c->type.digits == type.digits)
		return c->largest;
	c->type = type;
	c->largest = 0;
	for (uint64_t at = 0; at + type.size <= c->array->size; at += type.size) {
		double x = fabs(float_at(c->now + at, type)), y = fabs(float_at(c->then + at, type));
		c->largest = isfinite(x) && x > c->largest ? x : c->largest;
		c->largest = isfinite(y) && y > c->largest ? y : c->largest;
	}
	return c->largest;
}

/* The word that the byte is of, if it is a float whose sum may differ; *apart: by how much. */
static bool float_of(Compared *c, uint64_t byte, SimFloatType *type, uint64_t *word, double *apart)
{
	const SimRun *run = c->run;
	SimParty who;
	if (sim_sums_get(run->sums, c->array->base + byte, type, word, apart)) {
		*word -= c->array->base;
		return true;
	}
	if (!run->kernel->ordered || !run->races ||
	    !sim_race_writer(run->races, c->array->base + byte, &who) || !who.site)
		return false;
	*type = sim_tile_float(run->kernel->code[who.site - 1].elements);
	if (!type->size || c->array->base % type->size)
		return false;
	*word = byte & ~(uint64_t)(type->size - 1);
	*apart = 2 * (double)run->programs * ldexp(largest_of(c, *type), -type->digits);
	return *word + type->size <= c->array->size;
}

/* ---- comparing ---- */

/* A finding at the store of which something came out otherwise; *byte goes behind it. */
static void compare_word(Compared *c, uint64_t *byte, const char *name)
{
	const SimArray *b = c->array;
	unsigned number = c->run->schedule.number;
	SimFloatType type;
	uint64_t word, at = *byte;
	double apart;
	if (!float_of(c, at, &type, &word, &apart)) {
		sim_find_difference(
			c->run, b->base + at,
			"byte %llu of '%s' is 0x%02x in schedule %u (%s), and 0x%02x in schedule 0",
			(unsigned long long)at, b->name, c->now[at], number, name, c->then[at]);
		++*byte;
		return;
	}
	double x = float_at(c->now + word, type), y = float_at(c->then + word, type);
	*byte = word + type.size;
	if (fabs(x - y) <= apart)
		return;
	for (uint64_t k = word; k < *byte; k++)
		if (c->now[k] != c->then[k])
			sim_find_difference(c->run, b->base + k,
					    "byte %llu of '%s' is of %.9g in schedule %u (%s), and of %.9g "
					    "in schedule 0: further apart than "
					    "the %.2g of sums in another order",
					    (unsigned long long)at, b->name, x, number, name, y, apart);
}

static void compare_contents(SimRun *run, const Contents *first)
{
	char name[64];
	size_t at = 0;
	name_of(&run->schedule, name, sizeof name);
	for (uint32_t k = 0; k < run->buffer_count; k++) {
		const SimArray *b = &run->buffers[k];
		Compared c = {.run = run,
			      .array = b,
			      .now = (const uint8_t *)(uintptr_t)b->base,
			      .then = first->bytes + at};
		if (!b->writable)
			continue;
		at += b->size;
		if (memcmp(c.now, c.then, b->size) == 0)
			continue;
		for (uint64_t byte = 0; byte < b->size;) {
			if (c.now[byte] != c.then[byte])
				compare_word(&c, &byte, name);
			else
				byte++;
		}
	}
}

/* With checks alone the orders after the first look for what it has not found: with findings they
 * add nothing. */
static bool goes_on(const SimRun *run)
{
	bool found = false;
	for (const SimFinding *f = run->findings; f; f = f->next)
		found |= f->code != DIAG_SIM_SAME_STORE;
	return !run->fault.set && !run->no_memory && (run->launch->schedules > 1 || !found);
}

void sim_run_orders(SimRun *run, unsigned count)
{
	Contents before = {0}, result = {0};
	run->sums = sim_sums_new();
	if (!run->sums || !copy_contents(run, &before))
		sim_no_memory(run);
	for (unsigned n = 0; n < count && goes_on(run); n++) {
		if (n)
			restore_contents(run, &before);
		/* With checks alone: 0, then those in which programs run together. */
		sim_run_once(run, sim_schedule(run->launch, run->launch->schedules > 1 || !n ? n : n + 1));
		if (n == 0 && !copy_contents(run, &result))
			sim_no_memory(run);
		else if (n && goes_on(run))
			compare_contents(run, &result);
		if (n == 0 && run->launch->whose && run->races)
			sim_find_writer(run, run->launch->whose);
		sim_races_free(run->races);
		run->races = NULL;
	}
	if (result.bytes && !run->fault.set)
		restore_contents(run, &result);
	sim_sums_free(run->sums);
	run->sums = NULL;
	free(before.bytes);
	free(result.bytes);
}
