/* setmaxnreg: registers of a warp group's threads, which go to the CTA's pool and come from it.
 *
 * The kernel's limit (.maxnreg) is what each thread has at the start; the pool is empty then. Who
 * asks for more than the pool has waits until others have given. All warps of a group do the same,
 * and meet before they do it again. Source: PTX ISA 8.8, "setmaxnreg". */
#include <stdio.h>

#include "sim/ops/machine.h"

enum { GROUP_WARPS = 4, LEAST = 24, MOST = 256, STEP = 8, RAISES = 1 << 16 };

/* The first warp of its group; *end: behind the last one that there is. */
static unsigned group_of(const SimWarp *w, unsigned *end)
{
	unsigned each = w->cta->run->kernel->cta_warps, first = w->rank * each, own = w->index - first;
	unsigned begin = own / GROUP_WARPS * GROUP_WARPS;
	*end = first + MIN(begin + GROUP_WARPS, each);
	return first + begin;
}

static const char *name_of(uint32_t move)
{
	return move & RAISES ? "inc" : "dec";
}

/* Of warps of one group, of which the other may have come more often. */
static bool is_together(SimWarp *w, const SimInstr *i, const SimWarp *other)
{
	const SimRegisters *mine = &w->registers, *o = &other->registers;
	uint32_t move = (uint32_t)i->imm;
	unsigned each = w->cta->run->kernel->cta_warps;
	if (o->moves == mine->moves + 1 && o->move != move)
		return sim_fault(w, i, -1, DIAG_SIM_REGISTERS,
				 "%s to %u registers, where warp %u of its group did %s to %u", name_of(move),
				 move % RAISES, other->index % each, name_of(o->move), o->move % RAISES);
	bool met = !mine->moves || (o->moves == mine->moves && o->at < w->past.shared[other->index]);
	if (w->cta->shadow && o->moves <= mine->moves && !met)
		return sim_fault(w, i, -1, DIAG_SIM_REGISTERS,
				 "the second one, and it has not met warp %u of its group since the first",
				 other->index % each);
	return true;
}

static bool is_right(SimWarp *w, const SimInstr *i)
{
	uint32_t to = (uint32_t)i->imm % RAISES, now = w->registers.threads;
	unsigned end, first = group_of(w, &end);
	bool raises = i->imm & RAISES;
	if (!now)
		return sim_fault(
			w, i, -1, DIAG_SIM_REGISTERS,
			"the kernel has no limit of registers (maxnreg), without which it does nothing");
	if (end - first < GROUP_WARPS)
		return sim_fault(w, i, -1, DIAG_SIM_REGISTERS,
				 "its group has %u warps, and it is for groups of %d", end - first,
				 GROUP_WARPS);
	if (raises ? to < now : to > now)
		return sim_fault(w, i, -1, DIAG_SIM_REGISTERS, "%s to %u registers of threads that have %u",
				 name_of((uint32_t)i->imm), to, now);
	for (unsigned n = first; n < end; n++)
		if (n != w->index && !is_together(w, i, &w->cta->warps[n]))
			return false;
	return true;
}

static bool registers(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	SimRegisters *mine = &w->registers;
	uint32_t to = (uint32_t)i->imm % RAISES, *pool = &w->cta->registers[w->rank];
	if (!machine_whole(w, i, mask, "setmaxnreg") || (!mine->wanted && !is_right(w, i)))
		return false;
	mine->wanted = to > mine->threads ? (to - mine->threads) * SIM_LANES : 0;
	if (mine->wanted > *pool) {
		w->cta->read_loc = i->loc;
		w->cta->read_at = 0;
		return false; /* once more at the next turn */
	}
	*pool -= mine->wanted;
	*pool += mine->threads > to ? (mine->threads - to) * SIM_LANES : 0;
	w->cta->changed = true;
	*mine = (SimRegisters){.threads = to,
			       .moves = mine->moves + 1,
			       .move = (uint32_t)i->imm,
			       .by = i,
			       .at = w->cta->interval};
	return true;
}

static bool decode_registers(SimDecoder *d, LLVMValueRef call, const char *suffix)
{
	unsigned n = 0;
	char which[4] = "";
	if (!suffix || sscanf(suffix, "%3[a-z].%u", which, &n) != 2 ||
	    (strcmp(which, "inc") != 0 && strcmp(which, "dec") != 0) || n % STEP || n < LEAST || n > MOST)
		return sim_refuse(d, "setmaxnreg.%s: inc or dec, to 24 to 256 registers in eights",
				  suffix ? suffix : "");
	return machine_effect(d, call, registers, n | (strcmp(which, "inc") == 0 ? RAISES : 0)) != NULL;
}
const SimMachine sim_machine_setmaxnreg = {.decode = decode_registers};

void sim_registers_start(SimCta *cta)
{
	const SimKernel *k = cta->run->kernel;
	memset(cta->registers, 0, sizeof cta->registers);
	for (unsigned n = 0; n < k->warps; n++)
		cta->warps[n].registers = (SimRegisters){.threads = (k->registers + STEP - 1) / STEP * STEP};
}

/* A warp that did it more often than another of its group. */
void sim_registers_end(SimCta *cta)
{
	const SimKernel *k = cta->run->kernel;
	for (unsigned n = 0; cta->shadow && n < k->warps; n++) {
		SimWarp *w = &cta->warps[n];
		unsigned end, first = group_of(w, &end);
		for (unsigned o = first; o < end; o++)
			if (cta->warps[o].registers.moves < w->registers.moves)
				sim_finding(cta->run, sim_party(w, w->registers.by, 0, SIM_NO_BYTE), NULL,
					    DIAG_SIM_REGISTERS, "warp %u of the group does not come to it",
					    o % k->cta_warps);
	}
}

/* For a message: ", and warp 4 waits for 512 registers, of which its CTA has 0 to give". */
void sim_registers_text(const SimCta *cta, char *out, size_t size)
{
	char warp[64];
	for (unsigned n = 0; n < cta->run->kernel->warps; n++) {
		const SimWarp *w = &cta->warps[n];
		if (!w->registers.wanted)
			continue;
		snprintf(out, size, ", and %s waits for %u registers, of which its CTA has %u to give",
			 sim_warp_text(cta->run->kernel, n, warp, sizeof warp), w->registers.wanted,
			 cta->registers[w->rank]);
		return;
	}
}
