/* Traffic of a run, by instruction, where it is asked for. */
#ifndef NESO_SIM_CHECK_TRAFFIC_H
#define NESO_SIM_CHECK_TRAFFIC_H

#include "sim/sim_int.h"

typedef struct SimTraffic {
	uint64_t accesses, sectors, least;
} SimTraffic;

bool sim_traffic_new(SimRun *run); /* false: no memory */
/* An access of global memory by the lanes of the mask, `size` bytes each. */
void sim_count_sectors(SimWarp *w, const SimInstr *i, uint32_t mask, const uint64_t *address, uint32_t size);
void sim_report_traffic(const SimRun *run, DiagList *diags);

#endif
