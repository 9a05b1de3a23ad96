/* What warps do in another CTA's shared memory, reads, arrivals at barriers and copies that they
 * issue: that CTA may end only when who does it has met it since.
 *
 * Of each CTA and each warp of others the last access is kept. A CTA is there until its last warp
 * ends: one of its warps must know, when the program has ended, that the read comes before. */
#include <stdlib.h>

#include "sim/sim_int.h"

enum { MOST_CTAS = 16 };

typedef struct Access {
	uint32_t interval; /* 0: none */
	SimParty who;
} Access;

struct SimRemote {
	Access of[MOST_CTAS][SIM_MOST_WARPS]; /* by CTA whose memory it is, by warp */
};

SimPlace sim_go_to(SimWarp *w, unsigned rank)
{
	CONTRACT(rank < w->cta->run->kernel->ctas);
	SimPlace own = {w->base, w->shared};
	w->base = rank * w->cta->run->kernel->shared_pitch;
	w->shared = w->cta->shared + w->base;
	return own;
}

void sim_come_back(SimWarp *w, SimPlace own)
{
	w->base = own.base;
	w->shared = own.shared;
}

void sim_check_remote_read(SimWarp *w, const SimInstr *i, unsigned lane, unsigned rank, uint32_t offset,
			   uint32_t size)
{
	SimPlace own = sim_go_to(w, rank);
	sim_check_read(w, i, lane, offset, size);
	sim_come_back(w, own);
	sim_note_remote(w, i, lane, rank);
}

void sim_note_remote(SimWarp *w, const SimInstr *i, unsigned lane, unsigned rank)
{
	SimCta *cta = w->cta;
	if (rank == w->rank || rank >= MOST_CTAS || !cta->shadow)
		return;
	if (!cta->remote && !(cta->remote = heap_zeroed(sizeof *cta->remote))) {
		sim_no_memory(cta->run);
		return;
	}
	cta->remote->of[rank][w->index] = (Access){cta->interval, sim_party(w, i, lane, 0)};
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
			const Access *r = &cta->remote->of[rank][n];
			if (r->interval && cta->run->traffic)
				sim_credit_shared(&cta->warps[rank * k->cta_warps], n, r->interval);
			if (r->interval && !outlives(cta, rank, n, r->interval))
				sim_finding(cta->run, r->who, NULL, DIAG_SIM_RACE,
					    "the access of the shared memory of CTA %u and that CTA's end "
					    "have no barrier of the cluster between them",
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
