/* Over-synchronisation: barriers of a CTA or a cluster and waits that order nothing in this run.
 *
 * A barrier orders something when an access behind it meets one before it, by another warp, that is
 * ordered by nothing else: what meets is credited to the last barrier between the two, so all
 * barriers without credit can be left out at once. A release, and what one thread acquired or saw
 * for all, need the barrier too. A wait orders something when it completes a copy or a product.
 * Barriers of some of the warps, named or in shared memory, are credited by ways.c: all those that
 * hand on what is needed. What is uncertain is credited: a barrier that is told of is needless on
 * this input, as far as the checks see. */
#include "sim/check/traffic.h"
#include "target/cost.h"

void sim_count_wait(SimWarp *w, const SimInstr *i, bool orders)
{
	SimTraffic *t = w->cta->run->traffic ? &w->cta->run->traffic[i->site - 1] : NULL;
	if (!t)
		return;
	t->waits++;
	t->orders += orders;
}

/* A barrier that is needed orders all before it. */
static void make_sure(SimCta *cta, const SimMeeting *m, SimWarp *w)
{
	for (unsigned n = 0; n < cta->run->kernel->warps; n++) {
		if (m != cta->meetings && cta->warps[n].rank != w->rank)
			continue; /* of other CTAs its warps know what they knew */
		w->past.sure[n] = m->interval;
		w->past.sure_global[n] = m->time;
	}
}

void sim_count_barrier(SimCta *cta, SimMeeting *m)
{
	SimTraffic *t = &cta->run->traffic[m->arriving - 1];
	bool all = m == cta->meetings;
	m->site = m->arriving;
	m->interval = cta->interval;
	m->time = cta->run->races ? sim_race_tick(cta->run->races) : 0;
	t->waits++;
	t->waiting = all && cta->run->kernel->ctas > 1 ? SIM_CLUSTER_BARRIER : SIM_CTA_BARRIER;
	t->orders += m->tells;
	m->tells = false;
	for (unsigned n = 1; all && n <= cta->run->kernel->ctas; n++)
		cta->meetings[n].tells = false;
	for (unsigned n = 0; n < cta->run->kernel->warps; n++) {
		SimWarp *w = &cta->warps[n];
		if (!all && m != &cta->meetings[1 + w->rank])
			continue;
		w->tells = false;
		if (t->orders)
			make_sure(cta, m, w);
	}
}

/* Of the CTA's last barrier and the cluster's, those that lie between: the last one, or the
 * cluster's where warps of two CTAs meet. Where neither does, barriers of some of the warps. */
static const SimMeeting *last_of(const SimWarp *w, unsigned warp, bool own, bool all)
{
	const SimCta *cta = w->cta;
	const SimMeeting *whole = &cta->meetings[0], *one = &cta->meetings[1 + w->rank];
	bool same = warp >= cta->run->kernel->warps || cta->warps[warp].rank == w->rank;
	if (own && (!all || (same && one->interval > whole->interval)))
		return one;
	return all ? whole : NULL;
}

static const SimMeeting *credit(const SimWarp *w, unsigned warp, bool own, bool all)
{
	const SimMeeting *m = last_of(w, warp, own, all);
	if (m)
		w->cta->run->traffic[m->site - 1].orders++;
	else
		sim_ways_credit(w, warp);
	return m;
}

void sim_credit_shared(SimWarp *w, unsigned warp, uint32_t interval)
{
	const SimMeeting *whole = &w->cta->meetings[0], *one = &w->cta->meetings[1 + w->rank];
	if (interval < w->past.sure[warp])
		return;
	const SimMeeting *m = credit(w, warp, one->site && interval < one->interval,
				     whole->site && interval < whole->interval);
	w->past.sure[warp] = m ? m->interval : w->past.shared[warp];
}

void sim_credit_global(SimWarp *w, unsigned warp, uint32_t time)
{
	const SimMeeting *whole = &w->cta->meetings[0], *one = &w->cta->meetings[1 + w->rank];
	if (time < w->past.sure_global[warp])
		return;
	const SimMeeting *m =
		credit(w, warp, one->site && time < one->time, whole->site && time < whole->time);
	w->past.sure_global[warp] = m ? m->time : w->past.global[warp];
}

void sim_credit_tells(SimWarp *w, bool releases)
{
	SimMeeting *of[] = {&w->cta->meetings[0], &w->cta->meetings[1 + w->rank]};
	for (unsigned k = 0; k < ARRAY_LEN(of) && w->cta->run->traffic; k++) {
		of[k]->tells = true;
		if (releases && of[k]->site)
			w->cta->run->traffic[of[k]->site - 1].orders++;
	}
	w->tells = true;
	for (unsigned n = 0; releases && w->cta->run->traffic && n < w->cta->run->kernel->warps; n++)
		sim_ways_credit(w, n);
}

static bool is_idle(const SimTraffic *t)
{
	return t->waits && !t->orders;
}

/* Of one wait: a named barrier's warps share its cost. */
static unsigned cost_of(const TargetCosts *costs, const SimTraffic *t)
{
	switch (t->waiting) {
	case SIM_CTA_BARRIER: return costs->cta_barrier;
	case SIM_CLUSTER_BARRIER: return costs->cluster_barrier;
	case SIM_NAMED_BARRIER: return MAX(costs->cta_barrier / MAX(t->warps, 1u), 1u);
	case SIM_SHARED_BARRIER: return costs->shared_barrier;
	case SIM_OWN_WAIT: break;
	}
	return costs->issue;
}

static const char *name_of(const SimTraffic *t)
{
	static const char *const names[] = {
		[SIM_OWN_WAIT] = "waits of a warp",
		[SIM_CTA_BARRIER] = "barriers of a CTA",
		[SIM_CLUSTER_BARRIER] = "barriers of a cluster",
		[SIM_NAMED_BARRIER] = "waits of a warp at a named barrier",
		[SIM_SHARED_BARRIER] = "waits of a warp for a barrier in shared memory",
	};
	return names[t->waiting];
}

/* Of a line: those that order nothing; how often they came, each warp of a wait. */
static uint64_t idle_of_line(const SimRun *run, uint32_t loc, double *cycles)
{
	const TargetCosts *costs = run->kernel->resident.costs;
	uint64_t waits = 0;
	double sum = 0;
	for (uint32_t pc = 0; pc < run->kernel->code_count; pc++) {
		const SimInstr *i = &run->kernel->code[pc];
		const SimTraffic *t = &run->traffic[pc];
		if (i->loc != loc || !is_idle(t))
			continue;
		waits += t->waits;
		if (costs)
			sum += sim_cycles(t->waits, cost_of(costs, t));
	}
	*cycles = sum;
	return waits;
}

static bool is_first_of_line(const SimRun *run, uint32_t pc)
{
	const SimInstr *code = run->kernel->code;
	for (uint32_t at = 0; at < pc; at++)
		if (code[at].loc == code[pc].loc && is_idle(&run->traffic[at]))
			return false;
	return true;
}

void sim_report_idle(const SimRun *run, DiagList *diags)
{
	const SimKernel *k = run->kernel;
	for (uint32_t pc = 0; pc < k->code_count; pc++) {
		if (!is_idle(&run->traffic[pc]) || !is_first_of_line(run, pc))
			continue;
		double cycles = 0;
		uint64_t waits = idle_of_line(run, k->code[pc].loc, &cycles);
		sim_diag(diags, k, DIAG_SIM_IDLE, k->code[pc].loc,
			 arena_printf(diags->arena,
				      "%llu %s: nothing behind needs what is before; %s; kernel '%s'",
				      (unsigned long long)waits, name_of(&run->traffic[pc]),
				      sim_cycles_text(diags->arena, cycles), k->name));
	}
}
