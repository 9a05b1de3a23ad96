/* The CTA of a program: its memory and its warps. One after the other use it. */
#include <stdlib.h>

#include "sim/check/define.h"
#include "sim/check/traffic.h"

static void fill_constants(SimWarp *w)
{
	const SimKernel *k = w->cta->run->kernel;
	for (uint32_t s = 0; s < k->fixed; s++)
		for (unsigned lane = 0; lane < SIM_LANES; lane++)
			memcpy(w->regs + (size_t)s * SIM_SLOT + lane * k->constant_bytes[s], &k->constants[s], k->constant_bytes[s]);
}

uint32_t sim_scratch_pitch(const SimRun *run)
{
	return (run->scratch_bytes + 255u) & ~127u;
}

static void set_args(SimWarp *w)
{
	const SimKernel *k = w->cta->run->kernel;
	const SimLaunch *l = w->cta->run->launch;
	for (uint32_t a = 0; a < k->arg_count; a++) {
		uint64_t bits = a < l->arg_count ? l->args[a]
						 : (uint64_t)(uintptr_t)w->cta->scratch +
							   w->rank * (uint64_t)sim_scratch_pitch(w->cta->run);
		uint32_t s = k->arg_slots[a];
		for (unsigned lane = 0; lane < SIM_LANES; lane++)
			memcpy(w->regs + (size_t)s * SIM_SLOT + lane * k->constant_bytes[s], &bits, k->constant_bytes[s]);
	}
}

void sim_cta_free(SimCta *cta)
{
	if (!cta)
		return;
	sim_race_end(cta);
	for (unsigned n = 0; cta->warps && n < cta->run->kernel->warps; n++) {
		free(cta->warps[n].regs);
		free(cta->warps[n].local);
		sim_check_free(&cta->warps[n]);
		sim_defined_free(cta->warps[n].defined);
		sim_products_free(&cta->warps[n]);
		sim_stores_free(&cta->warps[n]);
	}
	free(cta->warps);
	free(cta->shared);
	free(cta->scratch);
	free(cta->named);
	sim_shadow_free(cta->shadow);
	sim_hollow_free(cta->hollow);
	sim_barriers_free(cta);
	sim_ways_free(cta);
	sim_remote_free(cta);
	free(cta->text);
	free(cta);
}

SimCta *sim_cta_new(SimRun *run)
{
	const SimKernel *k = run->kernel;
	SimCta *cta = heap_zeroed(sizeof *cta);
	if (!cta)
		return NULL;
	cta->run = run;
	cta->warps = heap_aligned(64, sizeof *cta->warps * k->warps);
	cta->shared = heap_aligned(1024, (size_t)k->shared_pitch * k->ctas + 1024);
	cta->scratch =
		run->scratch_bytes ? heap_aligned(128, (size_t)sim_scratch_pitch(run) * k->ctas) : NULL;
	cta->shadow = run->check ? sim_shadow_new(k->shared_pitch * k->ctas) : NULL;
	cta->hollow = run->check ? sim_hollow_new(run) : NULL;
	bool good = cta->warps && cta->shared && (cta->hollow || !run->check) &&
		    (cta->scratch || !run->scratch_bytes) && (cta->shadow || !run->check);
	if (cta->warps)
		memset(cta->warps, 0, sizeof *cta->warps * k->warps);
	for (unsigned n = 0; cta->warps && n < k->warps; n++) {
		SimWarp *w = &cta->warps[n];
		w->cta = cta;
		w->index = n;
		w->rank = n / k->cta_warps;
		w->base = w->rank * k->shared_pitch;
		w->shared = cta->shared + w->base;
		w->regs = heap_aligned(64, (size_t)k->slot_count * SIM_SLOT);
		w->local = k->local ? heap_aligned(64, ((size_t)k->local * SIM_LANES + 63) & ~(size_t)63) : NULL;
		w->defined = run->check ? sim_defined_new(k) : NULL;
		good &= w->regs && (w->local || !k->local) && (w->defined || !run->check);
		if (!good)
			break;
		memset(w->regs, 0, (size_t)k->slot_count * SIM_SLOT);
		fill_constants(w);
		set_args(w);
	}
	if (good)
		return cta;
	sim_cta_free(cta);
	return NULL;
}

void sim_cta_start(SimCta *cta, uint64_t pid)
{
	CONTRACT(cta->run);
	const uint32_t *grid = cta->run->launch->grid;
	cta->pid = pid;
	cta->program[0] = (uint32_t)(pid % grid[0]);
	cta->program[1] = (uint32_t)(pid / grid[0] % grid[1]);
	cta->program[2] = (uint32_t)(pid / grid[0] / grid[1]);
	cta->interval = 1;
	sim_barriers_free(cta);
	sim_remote_free(cta);
	sim_ways_free(cta);
	if (cta->named)
		memset(cta->named, 0, sizeof *cta->named * SIM_NAMED_BARRIERS * cta->run->kernel->ctas);
	cta->fenced = false;
	sim_registers_start(cta);
	cta->random = (cta->run->schedule.seed + pid) * UINT64_C(0x9e3779b97f4a7c15) | 1;
	cta->careful = cta->run->races != NULL;
	cta->told = (SimTold){0};
	memset(cta->meetings, 0, sizeof cta->meetings);
	cta->text_len = 0;
	memset(cta->shared, 0, (size_t)cta->run->kernel->shared_pitch * cta->run->kernel->ctas);
	if (cta->shadow)
		sim_shadow_reset(cta->shadow);
	if (cta->hollow)
		sim_hollow_start(cta);
	if (cta->run->races)
		sim_race_start(cta);
	for (unsigned n = 0; n < cta->run->kernel->warps; n++) {
		SimWarp *w = &cta->warps[n];
		w->fragments[0] = (SimFragment){0, SIM_ALL, WAIT_NOTHING};
		w->fragment_count = 1;
		w->faulted = false;
		w->turns = 0;
		if (w->defined)
			sim_defined_start(w);
		w->spin = w->before = (SimSpin){0};
		w->sync = 1;
		w->fence = (SimFence){0};
		memset(&w->past, 0, sizeof w->past);
		for (unsigned k = 0; k < SIM_MOST_WARPS; k++)
			w->past.shared[k] = 1;
		w->at_barrier = w->tells = false;
		sim_check_free(w);
		sim_tokens_drop(w);
		sim_products_free(w);
		sim_stores_free(w);
	}
}

/* Not by a fault. */
static bool has_ended(const SimCta *cta)
{
	for (unsigned n = 0; n < cta->run->kernel->warps; n++)
		if (cta->warps[n].fragment_count)
			return false;
	return true;
}

/* Printed text goes out in the order of programs. */
void sim_cta_end(SimCta *cta)
{
	SimRun *run = cta->run;
	const SimLaunch *l = run->launch;
	for (unsigned n = 0; n < run->kernel->warps; n++)
		sim_stores_end(&cta->warps[n]);
	if (has_ended(cta)) {
		sim_barriers_end(cta);
		sim_remote_end(cta);
		sim_registers_end(cta);
	}
	sim_race_end(cta);
	if (!l->print || !run->printed)
		return;
	pthread_mutex_lock(&run->lock);
	char *text = heap_grow(NULL, cta->text_len + 1);
	if (text) {
		memcpy(text, cta->text ? cta->text : "", cta->text_len);
		text[cta->text_len] = 0;
	} else {
		sim_no_memory(run);
	}
	run->printed[cta->pid] = text;
	while (run->print_next < run->programs && run->printed[run->print_next]) {
		char *out = run->printed[run->print_next];
		if (*out)
			l->print(l->print_data, out, strlen(out));
		free(out);
		run->printed[run->print_next++] = NULL;
	}
	pthread_mutex_unlock(&run->lock);
}
