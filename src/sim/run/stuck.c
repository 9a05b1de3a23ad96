/* Programs that wait for a change of memory: found out by their coming back to where they were.
 *
 * What a program does next depends on its registers, where its lanes are, its own and its CTA's memory, and global memory. If all
 * of its own is as it was and global memory has not changed meanwhile, it goes round for ever unless another program changes memory. The
 * state is remembered after 1, 2, 4, ... rounds, and each later one is compared with it; a loop that counts differs in the
 * slot in which it differed before, which is looked at first. */
#include <stdio.h>
#include <stdlib.h>

#include "sim/sim_int.h"

typedef struct WarpState {
	SimFragment fragments[SIM_LANES];
	unsigned fragment_count, turns;
	size_t differs; /* byte of the registers at which a later state differed */
} WarpState;

struct SimProof {
	WarpState *warps;
	uint8_t *regs, *local, *shared; /* of all warps, one after the other */
	size_t reg_bytes, local_bytes, shared_bytes;
};

SimProof *sim_proof_new(const SimKernel *k)
{
	SimProof *p = heap_zeroed(sizeof *p);
	if (!p)
		return NULL;
	p->reg_bytes = (size_t)k->slot_count * SIM_SLOT;
	p->local_bytes = (size_t)k->local * SIM_LANES;
	p->shared_bytes = (size_t)k->shared_pitch * k->ctas;
	p->warps = heap_zeroed(k->warps * sizeof *p->warps);
	p->regs = heap_grow(NULL, p->reg_bytes * k->warps + 1);
	p->local = heap_grow(NULL, p->local_bytes * k->warps + 1);
	p->shared = heap_grow(NULL, p->shared_bytes + 1);
	if (p->warps && p->regs && p->local && p->shared)
		return p;
	sim_proof_free(p);
	return NULL;
}

void sim_proof_free(SimProof *p)
{
	if (!p)
		return;
	free(p->warps);
	free(p->regs);
	free(p->local);
	free(p->shared);
	free(p);
}

static void remember(SimProof *p, const SimCta *cta)
{
	for (unsigned n = 0; n < cta->run->kernel->warps; n++) {
		const SimWarp *w = &cta->warps[n];
		WarpState *s = &p->warps[n];
		*s = (WarpState){.fragment_count = w->fragment_count, .turns = w->turns % SIM_ROTATE};
		memcpy(s->fragments, w->fragments, sizeof *s->fragments * w->fragment_count);
		memcpy(p->regs + n * p->reg_bytes, w->regs, p->reg_bytes);
		if (p->local_bytes)
			memcpy(p->local + n * p->local_bytes, w->local, p->local_bytes);
	}
	memcpy(p->shared, cta->shared, p->shared_bytes);
}

static bool same_place(const WarpState *s, const SimWarp *w)
{
	if (s->fragment_count != w->fragment_count || s->turns != w->turns % SIM_ROTATE)
		return false;
	for (unsigned k = 0; k < w->fragment_count; k++) {
		const SimFragment *a = &s->fragments[k], *b = &w->fragments[k];
		if (a->pc != b->pc || a->lanes != b->lanes || a->wait != b->wait)
			return false;
	}
	return true;
}

static bool same_registers(WarpState *s, const uint8_t *then, const uint8_t *now, size_t bytes)
{
	if (then[s->differs] != now[s->differs])
		return false;
	for (size_t at = 0; at < bytes; at += SIM_SLOT) {
		if (memcmp(then + at, now + at, SIM_SLOT) == 0)
			continue;
		while (then[at] == now[at])
			at++;
		s->differs = at;
		return false;
	}
	return true;
}

static bool is_back(SimProof *p, const SimCta *cta)
{
	unsigned warps = cta->run->kernel->warps;
	for (unsigned n = 0; n < warps; n++)
		if (!same_place(&p->warps[n], &cta->warps[n]))
			return false;
	for (unsigned n = 0; n < warps; n++) {
		if (!same_registers(&p->warps[n], p->regs + n * p->reg_bytes, cta->warps[n].regs, p->reg_bytes))
			return false;
		if (p->local_bytes && memcmp(p->local + n * p->local_bytes, cta->warps[n].local, p->local_bytes) != 0)
			return false;
	}
	return memcmp(p->shared, cta->shared, p->shared_bytes) == 0;
}

static SimVerdict prove(SimProof *p, SimCta *cta, uint32_t rounds)
{
	for (uint32_t round = 0; round < rounds; round++) {
		if ((round & (round - 1)) == 0)
			remember(p, cta);
		if (!sim_cta_round(cta, SIM_BY_TURNS))
			return SIM_ENDED;
		if (cta->changed)
			return SIM_MOVED;
		if (is_back(p, cta))
			return SIM_STUCK;
	}
	return SIM_UNDECIDED;
}

SimVerdict sim_prove(SimProof *p, SimCta *cta, uint32_t rounds)
{
	bool careful = cta->careful;
	cta->careful = cta->watched = true;
	cta->changed = false;
	cta->read_loc = 0;
	SimVerdict verdict = prove(p, cta, rounds);
	cta->careful = careful;
	cta->watched = false;
	return verdict;
}

/* ---- telling ---- */

/* "byte 4 of 'lock'"; "" where it reads none of the launch's. */
static void describe_read(const SimCta *cta, char *out, size_t size)
{
	const SimRun *run = cta->run;
	*out = 0;
	for (uint32_t k = 0; cta->read_loc && k < run->buffer_count; k++)
		if (cta->read_at - run->buffers[k].base < run->buffers[k].size)
			snprintf(out, size, ", and reads byte %llu of '%s'", (unsigned long long)(cta->read_at - run->buffers[k].base),
				 run->buffers[k].name);
}

void sim_note_stuck(SimCta *const *ctas, unsigned count)
{
	const SimCta *first = ctas[0];
	char text[1024], read[256], others[256] = "";
	for (unsigned k = 1; k < count; k++)
		if (ctas[k]->pid < first->pid)
			first = ctas[k];
	const SimRun *run = first->run;
	uint32_t loc = first->read_loc;
	for (unsigned n = 0; !loc && n < run->kernel->warps; n++)
		if (first->warps[n].fragment_count)
			loc = run->kernel->code[first->warps[n].fragments[0].pc].loc;
	describe_read(first, read, sizeof read);
	sim_registers_text(first, read, sizeof read);
	uint64_t begun = MIN(atomic_load(&run->next), run->programs);
	if (count > 1)
		snprintf(others, sizeof others, "; %u programs wait so", count);
	if (begun < run->programs)
		snprintf(others + strlen(others), sizeof others - strlen(others),
			 count < run->kernel->resident.programs
				 ? "; %llu programs are not begun, as %u others are there"
				 : "; %llu programs are not begun, as %u others are there and an %s holds no "
				   "more at once (%s)",
			 (unsigned long long)(run->programs - begun), count, run->kernel->resident.gpu,
			 run->kernel->resident.limit);
	const uint32_t *at = first->program;
	snprintf(text, sizeof text,
		 "it waits in this loop for a change of memory that no program will make%s%s; kernel '%s', "
		 "%s (%u, %u, %u)",
		 read, others, run->kernel->name, sim_program_word(run), at[0], at[1], at[2]);
	sim_keep_fault(first->run, first->pid, DIAG_RUN_DEADLOCK, loc, text);
}
