/* Traffic of a run, by instruction, where it is asked for. */
#ifndef NESO_SIM_CHECK_TRAFFIC_H
#define NESO_SIM_CHECK_TRAFFIC_H

#include "sim/sim_int.h"

/* Of what: waits of a warp for copies or products, barriers of a CTA and of a cluster, waits of a
 * warp at a named barrier and for one in shared memory. */
typedef enum {
	SIM_OWN_WAIT,
	SIM_CTA_BARRIER,
	SIM_CLUSTER_BARRIER,
	SIM_NAMED_BARRIER,
	SIM_SHARED_BARRIER
} SimWaiting;

/* orders: waits without which something else would go wrong. */
typedef struct SimTraffic {
	uint64_t accesses, sectors, least;
	uint64_t waits, orders;
	SimWaiting waiting;
	uint8_t warps; /* of a named barrier */
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

/* ways.c: by which barriers of some of the warps a warp knows of the others; before what is known
 * of them is joined. Nothing without a count of traffic. */
void sim_ways_give(const SimWarp *w, SimPast *to, const SimInstr *at);
void sim_ways_given(const SimWarp *w, SimPast *to, const SimInstr *at); /* it is joined */
void sim_ways_take(SimWarp *w, const SimPast *from, const SimInstr *at);
void sim_ways_meet(SimCta *cta, unsigned from, unsigned to, uint32_t site); /* all these warps do */
void sim_ways_credit(const SimWarp *w, unsigned warp); /* those by which it knows of that one */
void sim_ways_free(SimCta *cta);
/* It has waited, of `warps` that meet, for one of them. Does it need that, whoever else does? */
void sim_count_meeting(SimWarp *w, const SimInstr *at, SimWaiting waiting, unsigned warps, bool orders);

#endif
