/* Reads of another CTA's shared memory: that CTA may end only when who reads has met it since.
 *
 * Of each CTA and each warp of others the last read is kept. A CTA is there until its last warp
 * ends: one of its warps must know, when the program has ended, that the read comes before. */
#include <stdlib.h>

#include "sim/sim_int.h"

enum { MOST_CTAS = 16 };

typedef struct Read {
	uint32_t interval; /* 0: none */
	SimParty who;
} Read;

struct SimRemote {
	Read of[MOST_CTAS][SIM_MOST_WARPS]; /* by CTA that is read, by warp */
};

void sim_check_remote_read(SimWarp *w, const SimInstr *i, unsigned lane, unsigned rank, uint32_t offset,
			   uint32_t size)
{
	SimCta *cta = w->cta;
	uint32_t own = w->base;
	w->base = rank * cta->run->kernel->shared_pitch;
	sim_check_read(w, i, lane, offset, size);
	w->base = own;
	if (rank == w->rank || rank >= MOST_CTAS)
		return;
	if (!cta->remote && !(cta->remote = heap_zeroed(sizeof *cta->remote))) {
		sim_no_memory(cta->run);
		return;
	}
	cta->remote->of[rank][w->index] = (Read){cta->interval, sim_party(w, i, lane, 0)};
}

static bool outlives(const SimCta *cta, unsigned rank, unsigned warp, uint32_t interval)
{
	unsigned each = cta->run->kernel->cta_warps;
	for (unsigned n = rank * each; n < (rank + 1) * each; n++)
		if (cta->warps[n].past.shared[warp] > interval)
			return true;
	return false;
}

void sim_remote_end(SimCta *cta)
{
	const SimKernel *k = cta->run->kernel;
	for (unsigned rank = 0; cta->remote && rank < MIN(k->ctas, (unsigned)MOST_CTAS); rank++) {
		for (unsigned n = 0; n < k->warps; n++) {
			const Read *r = &cta->remote->of[rank][n];
			if (r->interval && cta->run->traffic)
				sim_credit_shared(&cta->warps[rank * k->cta_warps], n, r->interval);
			if (r->interval && !outlives(cta, rank, n, r->interval))
				sim_finding(cta->run, r->who, NULL, DIAG_SIM_RACE,
					    "the read of the shared memory of CTA %u and that CTA's end have "
					    "no barrier of the cluster between them",
					    rank);
		}
	}
	sim_remote_free(cta);
}

void sim_remote_free(SimCta *cta)
{
	free(cta->remote);
	cta->remote = NULL;
}
