/* What is ordered of accesses of global memory: barriers, meetings of a warp, releases and
 * acquires.
 *
 * When is a number that goes up at barriers, meetings of lanes, and releases; programs under checks
 * run on one host thread. What is known of another program is up to when its accesses are ordered:
 * those of all its warps, and those of the warp that released last. Who acquires is a thread: the
 * other lanes of its warp know of it when they have met, the program's other warps when they have
 * met that warp at a barrier. Atomics share a number of clocks by address, and launches of very
 * many programs have no clock for each program but one time: both can only hide races, never make
 * them up. Source: PTX ISA 8.8, "Memory Consistency Model". */
#include <stdlib.h>

#include "sim/check/race.h"

enum { MANY_PROGRAMS = 16384 };

void sim_race_start(SimCta *cta)
{
	cta->since = ++cta->run->races->time;
	cta->floor = cta->fresh = 0;
	for (unsigned n = 0; n < cta->run->kernel->warps; n++) {
		cta->warps[n].floor = 0;
		cta->warps[n].met = cta->since;
	}
}

void sim_race_end(SimCta *cta)
{
	free(cta->known);
	cta->known = NULL;
	for (unsigned n = 0; cta->warps && n < cta->run->kernel->warps; n++) {
		free(cta->warps[n].known);
		cta->warps[n].known = NULL;
	}
}

static void join(Known *to, const Known *from)
{
	to->proxied = MAX(to->proxied, from->proxied);
	if (from->all > to->all)
		to->all = from->all;
	if (from->own <= to->all)
		return;
	if (to->own <= to->all || to->warp == from->warp) {
		to->own = MAX(to->own, from->own);
		to->warp = from->warp;
	} else {
		/* Two warps' releases: what either did is taken to be ordered. */
		to->all = MAX(to->own, from->own);
	}
}

void sim_race_spread(SimWarp *w)
{
	SimCta *cta = w->cta;
	cta->floor = MAX(cta->floor, w->floor);
	if (!w->known)
		return;
	if (!cta->known) {
		cta->known = w->known;
		w->known = NULL;
		return;
	}
	for (uint64_t p = 0; p < cta->run->races->programs; p++)
		join(&cta->known->of[p], &w->known->of[p]);
	for (unsigned c = 0; c < RACE_CLOCKS; c++)
		cta->known->seen[c] = MAX(cta->known->seen[c], w->known->seen[c]);
	free(w->known);
	w->known = NULL;
}

void sim_race_barrier(SimCta *cta)
{
	cta->since = ++cta->run->races->time;
	for (unsigned n = 0; n < cta->run->kernel->warps; n++)
		sim_race_spread(&cta->warps[n]);
}

void sim_race_meet(SimWarp *w)
{
	if (w->cta->run->races)
		w->met = ++w->cta->run->races->time;
}

uint32_t sim_race_tick(SimRaces *races)
{
	return ++races->time;
}

unsigned race_clock(uint64_t address)
{
	return (unsigned)(address * UINT64_C(0x9e3779b97f4a7c15) >> 58);
}

static SimKnown *new_clock(SimRaces *r)
{
	SimKnown *made = heap_zeroed(sizeof *made + r->programs * sizeof made->of[0]);
	r->no_memory |= !made;
	return made;
}

/* Which lanes know what their warp knows: all since they have met. */
static bool knows(const SimWarp *w, unsigned lane)
{
	return w->acquired_at != w->sync || w->acquired >> lane & 1;
}

void race_acquire(SimWarp *w, unsigned lane, unsigned clock, bool fresh)
{
	SimCta *cta = w->cta;
	SimRaces *r = cta->run->races;
	if (w->acquired_at != w->sync)
		w->acquired = 0;
	w->acquired_at = w->sync;
	w->acquired |= UINT32_C(1) << lane;
	w->floor = MAX(w->floor, r->floors[clock]);
	if (fresh)
		cta->fresh = r->time;
	bool known = cta->known && cta->known->seen[clock] == r->versions[clock];
	if (!r->clocks[clock] || known || (!w->known && !(w->known = new_clock(r))) ||
	    w->known->seen[clock] == r->versions[clock])
		return;
	w->known->seen[clock] = r->versions[clock];
	for (uint64_t p = 0; p < r->programs; p++)
		join(&w->known->of[p], &r->clocks[clock]->of[p]);
}

static void release_at(SimWarp *w, unsigned clock, uint32_t all, uint32_t own)
{
	SimCta *cta = w->cta;
	SimRaces *r = cta->run->races;
	if (r->programs > MANY_PROGRAMS) {
		r->floors[clock] = MAX(r->floors[clock], own);
		return;
	}
	if (!r->clocks[clock] && !(r->clocks[clock] = new_clock(r)))
		return;
	Known *mine = &r->clocks[clock]->of[cta->pid];
	if (mine->own == own && mine->warp == w->index)
		return; /* the same fence's */
	uint32_t proxied = own;
	for (unsigned n = 0; n < cta->run->kernel->warps; n++)
		proxied = MIN(proxied, w->past.proxied[n]);
	for (uint64_t p = 0; cta->known && p < r->programs; p++)
		join(&r->clocks[clock]->of[p], &cta->known->of[p]);
	for (uint64_t p = 0; w->known && p < r->programs; p++)
		join(&r->clocks[clock]->of[p], &w->known->of[p]);
	join(mine, &(Known){all, own, w->index, proxied});
	r->versions[clock]++;
}

void sim_race_release(SimWarp *w, const void *memory, SimOrder order)
{
	unsigned clock = race_clock((uint64_t)(uintptr_t)memory);
	if (order == SIM_RELEASE || order == SIM_ACQ_REL)
		release_at(w, clock, w->cta->since, ++w->cta->run->races->time);
	else if (w->fence.own)
		release_at(w, clock, w->fence.all, w->fence.own);
}

/* Fences make an order of relaxed operations: a release of those behind it, an acquire of those
 * before it. */
void sim_race_fence(SimWarp *w, uint32_t lanes)
{
	for (unsigned c = 0; c < RACE_CLOCKS; c++)
		EACH_LANE(lane, w->fence.pending >> c & 1 ? lanes : 0)
			race_acquire(w, lane, c, true);
	w->cta->fresh = w->cta->run->races->time;
	w->fence = (SimFence){.all = w->cta->since, .own = ++w->cta->run->races->time};
}

static bool is_known(const SimKnown *known, const RaceMark *m)
{
	if (!known)
		return false;
	const Known *k = &known->of[m->program - 1];
	return m->time < k->all || (m->time < k->own && m->warp == k->warp);
}

static void proxy(SimKnown *known, uint64_t programs)
{
	for (uint64_t p = 0; known && p < programs; p++)
		known->of[p].proxied = MAX(known->of[p].all, known->of[p].own);
}

void sim_race_proxied(SimWarp *w)
{
	proxy(w->cta->known, w->cta->run->races->programs);
	proxy(w->known, w->cta->run->races->programs);
}

bool race_is_proxied(const SimWarp *w, const RaceMark *m)
{
	const SimKnown *all = w->cta->known, *own = w->known;
	return (all && m->time < all->of[m->program - 1].proxied) ||
	       (own && m->time < own->of[m->program - 1].proxied) || m->time < MAX(w->cta->floor, w->floor);
}

bool race_is_ordered(const SimWarp *w, unsigned lane, const RaceMark *m)
{
	const SimCta *cta = w->cta;
	if (!m->program || m->time < cta->floor)
		return true;
	if (m->program == cta->pid + 1) {
		if (m->warp == w->index)
			return m->lane == lane || m->time < w->met;
		return m->time < cta->since || m->time < w->past.global[m->warp];
	}
	return is_known(cta->known, m) || (knows(w, lane) && (m->time < w->floor || is_known(w->known, m)));
}
