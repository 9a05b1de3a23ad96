/* Coverage of a checked run, by instruction. */
#ifndef NESO_SIM_CHECK_COVERAGE_H
#define NESO_SIM_CHECK_COVERAGE_H

#include "sim/sim_int.h"

enum { SIM_SEEN = 1, SIM_SEEN_TRUE = 2, SIM_SEEN_FALSE = 4 };

bool sim_coverage_new(SimRun *run); /* false: no memory */
void sim_report_coverage(const SimRun *run, DiagList *diags);

/* An instruction runs; one with a condition, which is true in the lanes `yes`. */
static inline void sim_see(const SimWarp *w, const SimInstr *i)
{
	w->cta->run->seen[i->site - 1] |= SIM_SEEN;
}

static inline void sim_see_condition(const SimWarp *w, const SimInstr *i, uint32_t mask, uint32_t yes)
{
	unsigned ways = (yes & mask ? SIM_SEEN_TRUE : 0u) | (mask & ~yes ? SIM_SEEN_FALSE : 0u);
	w->cta->run->seen[i->site - 1] |= (uint8_t)(SIM_SEEN | ways);
}

#endif
