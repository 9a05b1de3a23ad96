/* Traffic of a run, by instruction, where it is asked for. */
#ifndef NESO_SIM_CHECK_TRAFFIC_H
#define NESO_SIM_CHECK_TRAFFIC_H

#include "sim/sim_int.h"

/* waits: a barrier's of the CTA, a wait's for copies or products; orders: those without which
 * something else would go wrong. */
typedef struct SimTraffic {
	uint64_t accesses, sectors, least;
	uint64_t waits, orders;
	bool is_barrier, of_cluster;
} SimTraffic;

bool sim_traffic_new(SimRun *run); /* false: no memory */
/* An access of global memory by the lanes of the mask, `size` bytes each. */
void sim_count_sectors(SimWarp *w, const SimInstr *i, uint32_t mask, const uint64_t *address, uint32_t size);
void sim_report_traffic(const SimRun *run, DiagList *diags);
double sim_cycles(uint64_t times, unsigned quarters); /* of target/cost.h */
const char *sim_cycles_text(Arena *arena, double cycles);

/* idle.c: barriers and waits that order nothing */
void sim_count_wait(SimWarp *w, const SimInstr *i, bool orders);
void sim_count_barrier(SimCta *cta, SimMeeting *meeting);
void sim_report_idle(const SimRun *run, DiagList *diags);


#endif
