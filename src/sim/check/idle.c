/* Over-synchronisation: barriers of a CTA and waits that order nothing in this run.
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

void sim_count_barrier(SimCta *cta)
{
	cta->barrier_site = cta->arriving;
	SimTraffic *t = &cta->run->traffic[cta->barrier_site - 1];
	t->waits++;
	t->is_barrier = true;
	t->orders += cta->tells;
	cta->tells = false;
	cta->barrier_interval = cta->interval;
}

void sim_credit_barrier(const SimCta *cta)
{
	cta->run->traffic[cta->barrier_site - 1].orders++;
}

static bool is_idle(const SimTraffic *t)
{
	return t->waits && !t->orders;
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
			sum += sim_cycles(t->waits, t->is_barrier ? costs->cta_barrier : costs->issue);
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
	for (uint32_t pc = 0; pc < k->code_count && k->ctas == 1; pc++) {
		if (!is_idle(&run->traffic[pc]) || !is_first_of_line(run, pc))
			continue;
		double cycles = 0;
		uint64_t waits = idle_of_line(run, k->code[pc].loc, &cycles);
		sim_diag(diags, k, DIAG_SIM_IDLE, k->code[pc].loc,
			 arena_printf(diags->arena,
				      "%llu %s: nothing behind needs what is before; %s; kernel '%s'",
				      (unsigned long long)waits,
				      run->traffic[pc].is_barrier ? "barriers of a CTA" : "waits of a warp",
				      sim_cycles_text(diags->arena, cycles), k->name));
	}
}
