/* Over-synchronisation: barriers of a CTA or a cluster and waits that order nothing in this run.
 *
 * A barrier orders something when an access behind it meets one before it, by another warp, that is
 * ordered by nothing else: what meets is credited to the last barrier between the two, so all
 * barriers without credit can be left out at once. A release, and what one thread acquired or saw
 * for all, need the barrier too. A wait orders something when it completes a copy or a product.
 * What is uncertain is credited: a barrier that is told of is needless on this input, as far as the
 * checks see. */
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

void sim_count_barrier(SimCta *cta, SimMeeting *m)
{
	SimTraffic *t = &cta->run->traffic[m->arriving - 1];
	bool all = m == cta->meetings;
	m->site = m->arriving;
	m->interval = cta->interval;
	m->time = cta->run->races ? sim_race_tick(cta->run->races) : 0;
	t->waits++;
	t->is_barrier = true;
	t->of_cluster = all && cta->run->kernel->ctas > 1;
	t->orders += m->tells;
	m->tells = false;
	for (unsigned n = 1; all && n <= cta->run->kernel->ctas; n++)
		cta->meetings[n].tells = false;
}

/* Of the CTA's last barrier and the cluster's, those that lie between: the last one, or the
 * cluster's where warps of two CTAs meet. */
static void credit(const SimWarp *w, unsigned warp, bool own, bool all)
{
	const SimCta *cta = w->cta;
	const SimMeeting *whole = &cta->meetings[0], *one = &cta->meetings[1 + w->rank];
	bool same = cta->warps[warp].rank == w->rank;
	const SimMeeting *m = own && (!all || (same && one->interval > whole->interval)) ? one
			      : all							 ? whole
											 : NULL;
	if (m)
		cta->run->traffic[m->site - 1].orders++;
}

void sim_credit_shared(const SimWarp *w, unsigned warp, uint32_t interval)
{
	const SimMeeting *whole = &w->cta->meetings[0], *one = &w->cta->meetings[1 + w->rank];
	credit(w, warp, one->site && interval < one->interval, whole->site && interval < whole->interval);
}

void sim_credit_global(const SimWarp *w, unsigned warp, uint32_t time)
{
	const SimMeeting *whole = &w->cta->meetings[0], *one = &w->cta->meetings[1 + w->rank];
	credit(w, warp, one->site && time < one->time, whole->site && time < whole->time);
}

void sim_credit_tells(SimWarp *w, bool releases)
{
	SimMeeting *of[] = {&w->cta->meetings[0], &w->cta->meetings[1 + w->rank]};
	for (unsigned k = 0; k < ARRAY_LEN(of) && w->cta->run->traffic; k++) {
		of[k]->tells = true;
		if (releases && of[k]->site)
			w->cta->run->traffic[of[k]->site - 1].orders++;
	}
}

static bool is_idle(const SimTraffic *t)
{
	return t->waits && !t->orders;
}

static unsigned cost_of(const TargetCosts *costs, const SimTraffic *t)
{
	return t->of_cluster ? costs->cluster_barrier : t->is_barrier ? costs->cta_barrier : costs->issue;
}

static const char *name_of(const SimTraffic *t)
{
	return t->of_cluster   ? "barriers of a cluster"
	       : t->is_barrier ? "barriers of a CTA"
			       : "waits of a warp";
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
