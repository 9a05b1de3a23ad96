/* Warps with roles: named barriers, fences between threads and asynchronous units, one lane of a warp.
 *
 * A named barrier is for a number of threads, a warp at a time; who waits tries again at each turn. What a warp did before it comes
 * is ordered before what those do who have waited. Source: PTX ISA 8.8, "bar", "fence.proxy.async", "elect.sync". */
#include "sim/check/traffic.h"
#include "sim/ops/machine.h"

#define EFFECT_OP(name, fn, n) const SimMachine sim_machine_##name = {.effect = fn, .imm = n};

/* ---- what is known of others ---- */

static void join(uint32_t *to, const uint32_t *from)
{
	for (unsigned n = 0; n < SIM_MOST_WARPS; n++)
		to[n] = MAX(to[n], from[n]);
}

void sim_past_give(SimWarp *w, SimPast *to, const SimInstr *at)
{
	SimCta *cta = w->cta;
	if (!to)
		return;
	sim_ways_give(w, to, at);
	join(to->shared, w->past.shared);
	join(to->fenced, w->past.fenced);
	join(to->global, w->past.global);
	join(to->proxied, w->past.proxied);
	to->shared[w->index] = ++cta->interval;
	if (cta->run->races) {
		to->global[w->index] = sim_race_tick(cta->run->races);
		sim_race_spread(w);
	}
	sim_ways_given(w, to, at);
}

void sim_past_take(SimWarp *w, const SimPast *from, const SimInstr *at)
{
	w->sync++;
	sim_race_meet(w);
	if (!from)
		return;
	sim_ways_take(w, from, at);
	join(w->past.shared, from->shared);
	join(w->past.fenced, from->fenced);
	join(w->past.global, from->global);
	join(w->past.proxied, from->proxied);
}

/* Its writes, and those that it knows of, are seen by asynchronous units. */
static void past_fence(SimWarp *w)
{
	join(w->past.fenced, w->past.shared);
	w->past.fenced[w->index] = ++w->cta->interval;
	w->cta->fenced = true;
}

/* Of global memory: what the warp knows is what the program's last barrier ordered, and its own past. */
static void fence_global(SimWarp *w)
{
	SimCta *cta = w->cta;
	for (unsigned n = 0; n < cta->run->kernel->warps; n++)
		w->past.proxied[n] = MAX(w->past.proxied[n], MAX(cta->since, w->past.global[n]));
	w->past.proxied[w->index] = sim_race_tick(cta->run->races);
	w->cta->fenced = true;
	sim_race_proxied(w);
}

enum { OF_SHARED = 1, OF_GLOBAL = 2 };

/* imm: of which memory. */
static bool proxy(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	(void)mask;
	if (i->imm & OF_SHARED && w->cta->shadow)
		past_fence(w);
	if (i->imm & OF_GLOBAL && w->cta->run->races)
		fence_global(w);
	return true;
}
EFFECT_OP(fence_async, proxy, OF_SHARED)
EFFECT_OP(fence_async_global, proxy, OF_GLOBAL)
EFFECT_OP(fence_async_all, proxy, OF_SHARED | OF_GLOBAL)

/* ---- named barriers ---- */

static bool find(SimWarp *w, const SimInstr *i, uint32_t mask, SimNamed **out)
{
	const uint32_t *number = sim_operand(w, i, 0), *threads = sim_operand(w, i, 1);
	uint32_t first = number[0], count = threads[0];
	if (!machine_whole(w, i, mask, "a named barrier"))
		return false;
	EACH_LANE(lane, mask)
		if (number[lane] != first || threads[lane] != count)
			return sim_fault(w, i, (int)lane, DIAG_SIM_NAMED, "lanes of a warp come to different ones");
	if (!first || first >= SIM_NAMED_BARRIERS)
		return sim_fault(w, i, -1, DIAG_SIM_NAMED, "its number is %u; they are numbered from 1 to %d", first, SIM_NAMED_BARRIERS - 1);
	if (!count || count % SIM_LANES || count > w->cta->run->kernel->cta_warps * SIM_LANES)
		return sim_fault(w, i, -1, DIAG_SIM_NAMED, "%u threads; it is for whole warps of the %u threads that there are", count,
				 w->cta->run->kernel->cta_warps * SIM_LANES);
	if (!w->cta->named && !(w->cta->named = heap_zeroed(sizeof **out * SIM_NAMED_BARRIERS * w->cta->run->kernel->ctas)))
		return sim_no_memory(w->cta->run);
	*out = &w->cta->named[w->rank * SIM_NAMED_BARRIERS + first];
	return true;
}

static bool come(SimWarp *w, const SimInstr *i, SimNamed *b, uint32_t threads)
{
	if (b->come && b->threads != threads)
		return sim_fault(w, i, -1, DIAG_SIM_NAMED, "%u threads, where who came before said %u", threads, b->threads);
	unsigned own = w->index % w->cta->run->kernel->cta_warps;
	if (b->warps[own / 32] >> own % 32 & 1)
		return sim_fault(w, i, -1, DIAG_SIM_NAMED, "the warp comes twice before %u threads have come", threads);
	b->warps[own / 32] |= UINT32_C(1) << own % 32;
	b->threads = threads;
	b->come += SIM_LANES;
	w->cta->changed = true;
	sim_past_give(w, &b->past, i);
	if (b->come == b->threads) {
		b->come = 0;
		memset(b->warps, 0, sizeof b->warps);
		b->generation++;
		b->met = b->past;
	}
	return true;
}

static bool arrive(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	SimNamed *b;
	return find(w, i, mask, &b) && come(w, i, b, *(const uint32_t *)sim_operand(w, i, 1));
}

static bool meet(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	SimNamed *b;
	if (!find(w, i, mask, &b))
		return false;
	if (!w->at_barrier) {
		uint32_t generation = b->generation;
		if (!come(w, i, b, *(const uint32_t *)sim_operand(w, i, 1)))
			return false;
		w->at_barrier = true;
		w->at_generation = generation;
	}
	if (b->generation == w->at_generation) {
		w->cta->read_loc = i->loc;
		w->cta->read_at = 0;
		return false; /* once more at the next turn */
	}
	w->at_barrier = false;
	sim_past_take(w, &b->met, i);
	sim_count_meeting(w, i, SIM_NAMED_BARRIER, b->threads / SIM_LANES, false);
	return true;
}
EFFECT_OP(named_barrier, meet, 0)
EFFECT_OP(named_arrive, arrive, 0)

/* ---- a warp ---- */

static bool elect(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const uint32_t *members = sim_operand(w, i, 0);
	uint8_t *to = sim_result(w, i, 0);
	EACH_LANE(lane, mask) {
		if ((members[lane] & mask) != members[lane] || !members[lane])
			return machine_whole(w, i, mask, "elect.sync");
		to[lane] = lane == (uint32_t)__builtin_ctz(members[lane]);
	}
	return true;
}
EFFECT_OP(elect, elect, 0)
