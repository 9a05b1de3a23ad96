/* Over-synchronisation by barriers of some of the warps: named ones, and those in shared memory.
 *
 * What a warp knows to be ordered before it (SimPast) comes to it through such barriers, from warps
 * that may know it through others. A way is that chain: where the warp waited, where the one came
 * that handed it on, and the way by which that one knew. Where an access needs what the warp knows
 * of another one, all of the last way is credited, but where what has been credited before is
 * enough: that is kept beside it (SimPast.sure). With what is credited alone the access would be
 * ordered as well. Ways are few, as warps go through the same places again and again. */
#include <stdlib.h>

#include "sim/check/traffic.h"

typedef struct Way {
	uint32_t waits, came; /* sites; came 0: all of a CTA met */
	uint32_t before;      /* another one; 0: none */
} Way;

struct SimWays {
	Way *ways; /* the first one is none */
	uint32_t count, cap;
};

static void credit_site(const SimCta *cta, uint32_t site)
{
	if (site)
		cta->run->traffic[site - 1].orders++;
}

static void credit_way(const SimCta *cta, uint32_t way)
{
	for (; way; way = cta->ways->ways[way].before) {
		credit_site(cta, cta->ways->ways[way].waits);
		credit_site(cta, cta->ways->ways[way].came);
	}
}

static bool has_room(SimCta *cta)
{
	if (!cta->ways && !(cta->ways = heap_zeroed(sizeof *cta->ways)))
		return sim_no_memory(cta->run);
	struct SimWays *s = cta->ways;
	if (s->count + 1 < s->cap)
		return true;
	uint32_t cap = MAX(2 * s->cap, 64u);
	Way *grown = heap_grow(s->ways, sizeof *grown * cap);
	if (!grown)
		return sim_no_memory(cta->run);
	s->ways = grown;
	s->cap = cap;
	if (!s->count)
		s->ways[s->count++] = (Way){0};
	return true;
}

/* Its number: the same for the same one. 0: no memory. */
static uint32_t number_of(SimCta *cta, Way way)
{
	struct SimWays *s = cta->ways;
	for (uint32_t n = s ? s->count : 0; n-- > 1;) {
		const Way *o = &s->ways[n];
		if (o->waits == way.waits && o->came == way.came && o->before == way.before)
			return n;
	}
	if (!has_room(cta))
		return 0;
	cta->ways->ways[cta->ways->count] = way;
	return cta->ways->count++;
}

void sim_ways_give(const SimWarp *w, SimPast *to, const SimInstr *at)
{
	if (LIKELY(!w->cta->run->traffic))
		return;
	for (unsigned n = 0; n < sim_known_count(w->cta->run->kernel); n++) {
		if (n != w->index && w->past.shared[n] <= to->shared[n])
			continue;
		to->via[n] = n == w->index ? 0 : w->past.via[n];
		to->by[n] = at->site;
	}
	if (w->tells)
		to->told_at = at->site;
}

static void join_sure(SimPast *to, const SimPast *from)
{
	for (unsigned n = 0; n < SIM_MOST_WARPS; n++) {
		to->sure[n] = MAX(to->sure[n], from->sure[n]);
		to->sure_global[n] = MAX(to->sure_global[n], from->sure_global[n]);
	}
}

static bool is_needed(const SimCta *cta, const SimInstr *at)
{
	return cta->run->traffic[at->site - 1].orders != 0;
}

void sim_ways_given(const SimWarp *w, SimPast *to, const SimInstr *at)
{
	if (LIKELY(!w->cta->run->traffic) || !is_needed(w->cta, at))
		return;
	join_sure(to, &w->past);
	to->sure[w->index] = to->shared[w->index];
	to->sure_global[w->index] = to->global[w->index];
}

void sim_ways_take(SimWarp *w, const SimPast *from, const SimInstr *at)
{
	if (LIKELY(!w->cta->run->traffic))
		return;
	for (unsigned n = 0; n < sim_known_count(w->cta->run->kernel); n++)
		if (n != w->index && from->shared[n] > w->past.shared[n])
			w->past.via[n] = number_of(w->cta, (Way){at->site, from->by[n], from->via[n]});
	if (from->told_at) {
		credit_site(w->cta, at->site);
		credit_site(w->cta, from->told_at);
		w->tells = true;
	}
	if (is_needed(w->cta, at))
		join_sure(&w->past, from);
}

/* Of the warps [from, to): the one that knows most of another. */
static const SimWarp *most_of(const SimCta *cta, unsigned from, unsigned to, unsigned other)
{
	const SimWarp *most = &cta->warps[from];
	for (unsigned n = from + 1; n < to; n++)
		if (cta->warps[n].past.shared[other] > most->past.shared[other])
			most = &cta->warps[n];
	return most;
}

void sim_ways_meet(SimCta *cta, unsigned from, unsigned to, uint32_t site)
{
	unsigned known = cta->run->kernel->ctas > 1 ? sim_known_count(cta->run->kernel) : 0;
	for (unsigned other = 0; other < known; other++) {
		const SimWarp *most = most_of(cta, from, to, other);
		bool inside = other >= from && other < to;
		uint32_t before = inside ? 0 : most->past.via[other], until = most->past.shared[other];
		for (unsigned n = from; n < to; n++) {
			SimPast *past = &cta->warps[n].past;
			if (inside || past->shared[other] < until)
				past->via[other] = number_of(cta, (Way){site, 0, before});
		}
	}
}

void sim_ways_credit(const SimWarp *w, unsigned warp)
{
	credit_way(w->cta, w->past.via[warp]);
}

void sim_ways_free(SimCta *cta)
{
	if (cta->ways)
		free(cta->ways->ways);
	free(cta->ways);
	cta->ways = NULL;
}

void sim_count_meeting(SimWarp *w, const SimInstr *at, SimWaiting waiting, unsigned warps, bool orders)
{
	SimTraffic *t = w->cta->run->traffic ? &w->cta->run->traffic[at->site - 1] : NULL;
	if (!t)
		return;
	t->waiting = waiting;
	t->warps = (uint8_t)MIN(warps, (unsigned)SIM_MOST_WARPS);
	t->waits++;
	t->orders += orders;
}
