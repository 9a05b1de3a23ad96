/* Bank conflicts: wavefronts of accesses of shared memory, counted and held against what the layout planner said (layout/plan.h).
 *
 * A warp's access is taken in groups of 32, 16 or 8 lanes when a lane's share is up to 4, 8 or 16 bytes; a group takes as many
 * wavefronts as the busiest of the 32 banks of 4 bytes has different words. */
#include <stdlib.h>

#include "sim/check/traffic.h"
#include "target/cost.h"

enum { BANKS = 32, WORD = 4 };

typedef struct Count {
	uint64_t accesses, wavefronts, least;
} Count;

struct SimBanks {
	uint32_t code_count;
	Count of[]; /* by instruction */
};

SimBanks *sim_banks_new(const SimKernel *k)
{
	SimBanks *b = heap_zeroed(sizeof *b + sizeof b->of[0] * k->code_count);
	if (b)
		b->code_count = k->code_count;
	return b;
}

void sim_banks_free(SimBanks *b)
{
	free(b);
}

/* Words are listed by their bank; few have more than one. */
typedef struct Group {
	uint32_t words[BANKS * WORD], next[BANKS * WORD], first[BANKS]; /* index + 1; 0: none */
	uint8_t depth[BANKS];
	uint32_t count, deepest;
} Group;

static void add_word(Group *g, uint32_t word)
{
	unsigned bank = word % BANKS;
	for (uint32_t k = g->first[bank]; k; k = g->next[k - 1])
		if (g->words[k - 1] == word)
			return;
	g->words[g->count] = word;
	g->next[g->count] = g->first[bank];
	g->first[bank] = ++g->count;
	if (++g->depth[bank] > g->deepest)
		g->deepest = g->depth[bank];
}

void sim_count_banks(SimWarp *w, const SimInstr *i, uint32_t mask, const uint32_t *offsets, uint32_t size)
{
	CONTRACT(size);
	Count *c = &w->cta->run->banks->of[i - w->cta->run->kernel->code];
	unsigned lanes = size <= 4 ? 32 : size <= 8 ? 16 : 8;
	for (unsigned from = 0; from < SIM_LANES; from += lanes) {
		Group g;
		uint32_t of = mask & (lanes == 32 ? SIM_ALL : ((UINT32_C(1) << lanes) - 1) << from);
		if (!of)
			continue;
		memset(g.first, 0, sizeof g.first);
		memset(g.depth, 0, sizeof g.depth);
		g.count = g.deepest = 0;
		EACH_LANE(lane, of)
			for (uint32_t word = offsets[lane] / WORD; word <= (offsets[lane] + size - 1) / WORD; word++)
				add_word(&g, word);
		c->wavefronts += g.deepest;
		c->least += (g.count + BANKS - 1) / BANKS;
	}
	c->accesses += mask != 0;
}

/* Of all accesses of this line. */
static void report_line(const SimRun *run, DiagList *diags, uint32_t loc, const SimElements *tile)
{
	char text[512];
	SimPoint nowhere = {.byte = SIM_NO_BYTE};
	const SimKernel *k = run->kernel;
	Count sum = {0};
	uint64_t planned = 0;
	for (uint32_t pc = 0; pc < k->code_count; pc++) {
		const Count *c = &run->banks->of[pc];
		if (k->code[pc].loc != loc || !k->code[pc].wavefronts)
			continue;
		sum.accesses += c->accesses;
		sum.wavefronts += c->wavefronts;
		sum.least += c->least;
		planned += c->accesses * k->code[pc].wavefronts;
	}
	if (sum.wavefronts > planned)
		sim_diag(diags, k, DIAG_SIM_BANKS, loc,
			 arena_printf(diags->arena,
				      "%llu accesses of shared memory take %llu wavefronts, where the plan of their layouts counts %llu and the "
				      "least possible is %llu; kernel '%s'%s",
				      (unsigned long long)sum.accesses, (unsigned long long)sum.wavefronts, (unsigned long long)planned,
				      (unsigned long long)sum.least, k->name, sim_tile_text(tile, &nowhere, false, text, sizeof text)));
}

void sim_report_banks(const SimRun *run, DiagList *diags)
{
	const SimKernel *k = run->kernel;
	for (uint32_t pc = 0; pc < k->code_count; pc++) {
		uint32_t first = 0;
		const Count *c = &run->banks->of[pc];
		if (c->wavefronts <= c->accesses * k->code[pc].wavefronts || !k->code[pc].wavefronts)
			continue;
		/* Once for each line. */
		while (k->code[first].loc != k->code[pc].loc || !k->code[first].wavefronts ||
		       run->banks->of[first].wavefronts <= run->banks->of[first].accesses * k->code[first].wavefronts)
			first++;
		if (first == pc)
			report_line(run, diags, k->code[pc].loc, k->code[pc].elements);
	}
}

static bool has_conflicts(const SimRun *run, uint32_t pc)
{
	return run->banks->of[pc].wavefronts > run->banks->of[pc].least;
}

static void report_conflicts_of(const SimRun *run, DiagList *diags, uint32_t loc)
{
	const SimKernel *k = run->kernel;
	Count sum = {0};
	for (uint32_t pc = 0; pc < k->code_count; pc++) {
		if (k->code[pc].loc != loc)
			continue;
		sum.accesses += run->banks->of[pc].accesses;
		sum.wavefronts += run->banks->of[pc].wavefronts;
		sum.least += run->banks->of[pc].least;
	}
	unsigned cost = k->resident.costs ? k->resident.costs->wavefront : 4;
	double cycles = sim_cycles(sum.wavefronts - sum.least, cost);
	sim_diag(diags, k, DIAG_SIM_TRAFFIC, loc,
		 arena_printf(diags->arena,
			      "%llu accesses of shared memory by a warp take %llu wavefronts, each "
			      "a cycle of their SM, where their bytes would take %llu: %s; kernel '%s'",
			      (unsigned long long)sum.accesses, (unsigned long long)sum.wavefronts,
			      (unsigned long long)sum.least, sim_cycles_text(diags->arena, cycles),
			      k->name));
}

void sim_report_conflicts(const SimRun *run, DiagList *diags)
{
	const SimKernel *k = run->kernel;
	for (uint32_t pc = 0; pc < k->code_count; pc++) {
		uint32_t first = 0;
		if (!has_conflicts(run, pc))
			continue;
		while (k->code[first].loc != k->code[pc].loc || !has_conflicts(run, first))
			first++;
		if (first == pc)
			report_conflicts_of(run, diags, k->code[pc].loc);
	}
}
