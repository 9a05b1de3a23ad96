/* Traffic: what warps' accesses of memory take, by line, and the least that the same bytes could.
 *
 * Global memory goes in sectors of 32 bytes: those that a warp's lanes touch, against as many as
 * their bytes would fill side by side. Shared memory goes in wavefronts (banks.c), each a cycle of
 * the SM's load and store unit. */
#include <stdlib.h>

#include "sim/check/define.h"
#include "sim/check/traffic.h"
#include "target/cost.h"

enum { SECTOR = 32 };

bool sim_traffic_new(SimRun *run)
{
	run->traffic = heap_zeroed(sizeof *run->traffic * (run->kernel->code_count + 1u));
	return run->traffic != NULL;
}

static int by_address(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

void sim_count_sectors(SimWarp *w, const SimInstr *i, uint32_t mask, const uint64_t *address, uint32_t size)
{
	SimTraffic *t = &w->cta->run->traffic[i->site - 1];
	uint64_t at[SIM_LANES], end = 0, next = 0, bytes = 0;
	unsigned count = 0;
	EACH_LANE(lane, mask)
		at[count++] = address[lane];
	qsort(at, count, sizeof *at, by_address);
	for (unsigned k = 0; k < count; k++) {
		uint64_t last = (at[k] + size - 1) / SECTOR, first = MAX(at[k] / SECTOR, next);
		t->sectors += last + 1 > first ? last + 1 - first : 0;
		next = MAX(next, last + 1);
		bytes += at[k] + size - MIN(MAX(at[k], end), at[k] + size);
		end = MAX(end, at[k] + size);
	}
	t->accesses += count != 0;
	t->least += (bytes + SECTOR - 1) / SECTOR;
}

static unsigned sector_cost(const TargetCosts *costs, const SimInstr *i)
{
	bool loads = i->loads || i->define == sim_define_copy;
	return loads ? costs->load_sector : costs->store_sector;
}

/* *cycles: of the sectors beyond the least. */
static SimTraffic sum_of_line(const SimRun *run, uint32_t loc, double *cycles)
{
	const TargetCosts *costs = run->kernel->resident.costs;
	SimTraffic sum = {0};
	*cycles = 0;
	for (uint32_t pc = 0; pc < run->kernel->code_count; pc++) {
		const SimTraffic *t = &run->traffic[pc];
		if (run->kernel->code[pc].loc != loc)
			continue;
		sum.accesses += t->accesses;
		sum.sectors += t->sectors;
		sum.least += t->least;
		const SimInstr *i = &run->kernel->code[pc];
		if (costs && t->sectors > t->least)
			*cycles += sim_cycles(t->sectors - t->least, sector_cost(costs, i));
	}
	return sum;
}

static bool is_first_of_line(const SimRun *run, uint32_t pc)
{
	const SimInstr *code = run->kernel->code;
	for (uint32_t at = 0; at < pc; at++)
		if (code[at].loc == code[pc].loc && run->traffic[at].accesses)
			return false;
	return true;
}

double sim_cycles(uint64_t times, unsigned quarters)
{
	return (double)times * quarters / 4;
}

const char *sim_cycles_text(Arena *arena, double cycles)
{
	return arena_printf(arena, "about %.0f cycles of an SM by the target's costs", cycles);
}

static const char *traffic_text(Arena *arena, const SimKernel *k, const SimTraffic *t, double cycles)
{
	return arena_printf(arena,
			    "%llu accesses of global memory by a warp move %llu sectors of %d bytes, where "
			    "their bytes would fill %llu: %s; kernel '%s'",
			    (unsigned long long)t->accesses, (unsigned long long)t->sectors, SECTOR,
			    (unsigned long long)t->least, sim_cycles_text(arena, cycles), k->name);
}

void sim_report_traffic(const SimRun *run, DiagList *diags)
{
	const SimKernel *k = run->kernel;
	for (uint32_t pc = 0; pc < k->code_count; pc++) {
		if (!run->traffic[pc].accesses || !is_first_of_line(run, pc))
			continue;
		double cycles;
		SimTraffic t = sum_of_line(run, k->code[pc].loc, &cycles);
		if (t.sectors > t.least)
			sim_diag(diags, k, DIAG_SIM_TRAFFIC, k->code[pc].loc,
				 traffic_text(diags->arena, k, &t, cycles));
	}
}
