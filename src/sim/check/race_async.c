/* Races of asynchronous units in global memory: copies of boxes and bytes.
 *
 * What threads have written such a unit sees behind a fence (fence.proxy.async) that stands on the
 * way to it: of those that wrote it, or of those that were told so. What a unit writes is under way
 * until its thread has waited for it to be written, and not only read: nobody may access it till
 * then, nor the thread itself, by another copy of the unit, whose order is no thread's. What is
 * copied from must stay until the copy has been waited for. Source: PTX ISA 8.8, "Proxies",
 * "Causality order", "cp.async.bulk.wait_group". */
#include "sim/check/race.h"

static const char *name_of(const SimCta *cta)
{
	return cta->run->buffers[cta->hint].name;
}

static unsigned long long place_of(const SimCta *cta, uint64_t at)
{
	return at - cta->run->buffers[cta->hint].base;
}

static const char *line_of(const SimRun *run, const SimParty *other, char *out, size_t size)
{
	return sim_place(run->kernel, sim_loc_of(run->kernel, other), out, size);
}

void race_report_flying(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t byte, uint64_t at,
			const RaceMark *m, const char *now)
{
	SimCta *cta = w->cta;
	SimParty other = race_party(m);
	char line[512];
	sim_finding(cta->run, sim_party(w, i, lane, byte), &other, DIAG_SIM_WAIT,
		    "%s of byte %llu of '%s' while the store of %s is under way: nobody has waited until it "
		    "is written",
		    now, place_of(cta, at), name_of(cta), line_of(cta->run, &other, line, sizeof line));
}

/* Did a thread write it, of this program or of one that has told so, with no fence behind? */
static bool is_unfenced(const SimWarp *w, unsigned lane, const RaceMark *m)
{
	if (!m->program || (m->flags & MARK_ASYNC) || !race_is_ordered(w, lane, m))
		return false;
	return m->program == w->cta->pid + 1 ? m->time >= w->past.proxied[m->warp] : !race_is_proxied(w, m);
}

void sim_race_fenced(SimWarp *w, const SimInstr *i, unsigned lane, const void *memory, uint32_t size)
{
	uint64_t begin = (uint64_t)(uintptr_t)memory;
	SimCta *cta = w->cta;
	if (!race_in_buffers(cta, begin) || !cta->run->buffers[cta->hint].written)
		return;
	for (uint64_t at = begin, next; at < begin + size; at = next) {
		const RaceCell *c = race_cell_at(cta->run->races, at, begin + size, &next);
		const RaceMark *m = !c				       ? NULL
				    : is_unfenced(w, lane, &c->write)  ? &c->write
				    : is_unfenced(w, lane, &c->atomic) ? &c->atomic
								       : NULL;
		if (!c)
			return;
		if (!m)
			continue;
		SimParty other = race_party(m);
		char line[512];
		sim_finding(cta->run, sim_party(w, i, lane, (uint32_t)(at - begin)), &other, DIAG_SIM_PROXY,
			    "asynchronous access of byte %llu of '%s', which the threads' write at %s is not "
			    "fenced for",
			    place_of(cta, at), name_of(cta), line_of(cta->run, &other, line, sizeof line));
		return;
	}
}

/* By the instruction, for the lane. */
static bool is_of(const SimWarp *w, const SimInstr *i, unsigned lane, const RaceMark *m)
{
	return m->program == w->cta->pid + 1 && m->warp == w->index && m->lane == lane && m->site == i->site;
}

/* What the instruction's write left there, plain or atomic; NULL: another one has written since. */
static RaceMark *mark_of(const SimWarp *w, const SimInstr *i, unsigned lane, RaceCell *c)
{
	if (is_of(w, i, lane, &c->write))
		return &c->write;
	return is_of(w, i, lane, &c->atomic) ? &c->atomic : NULL;
}

void sim_race_overtakes(SimWarp *w, const SimInstr *i, unsigned lane, const void *memory, uint32_t size)
{
	uint64_t begin = (uint64_t)(uintptr_t)memory;
	if (!race_in_buffers(w->cta, begin))
		return;
	for (uint64_t at = begin, next; at < begin + size; at = next) {
		const RaceCell *c = race_cell_at(w->cta->run->races, at, begin + size, &next);
		if (!c)
			return;
		if (!is_of(w, i, lane, &c->write) || !(c->write.flags & MARK_FLYING))
			continue;
		race_report_flying(w, i, lane, (uint32_t)(at - begin), at, &c->write, "store");
		return;
	}
}

void sim_race_flies(SimWarp *w, const SimInstr *i, unsigned lane, const void *memory, uint32_t size)
{
	uint64_t begin = (uint64_t)(uintptr_t)memory;
	for (uint64_t at = begin, next; at < begin + size; at = next) {
		RaceCell *c = race_cell_at(w->cta->run->races, at, begin + size, &next);
		if (!c)
			return;
		RaceMark *m = mark_of(w, i, lane, c);
		if (m)
			m->flags |= MARK_ASYNC | MARK_FLYING;
	}
}

void sim_race_written(SimWarp *w, const SimInstr *i, unsigned lane, const void *memory, uint32_t size,
		      bool known)
{
	uint64_t begin = (uint64_t)(uintptr_t)memory;
	for (uint64_t at = begin, next; at < begin + size; at = next) {
		RaceCell *c = race_cell_at(w->cta->run->races, at, begin + size, &next);
		if (!c)
			return;
		RaceMark *m = mark_of(w, i, lane, c);
		if (!m)
			continue;
		m->flags &= (uint8_t)~MARK_FLYING;
		m->time = known ? w->cta->run->races->time : m->time;
	}
}

/* Has anyone written the array since? */
static bool was_written(const SimRun *run, uint64_t at, uint32_t since)
{
	for (uint32_t k = 0; k < run->buffer_count; k++)
		if (at - run->buffers[k].base < run->buffers[k].size)
			return run->buffers[k].written >= since;
	return false;
}

void sim_race_source(SimWarp *w, const SimInstr *i, unsigned lane, const void *memory, uint32_t size,
		     uint32_t issued)
{
	uint64_t begin = (uint64_t)(uintptr_t)memory;
	SimCta *cta = w->cta;
	if (!was_written(cta->run, begin, issued))
		return;
	for (uint64_t at = begin, next; at < begin + size; at = next) {
		const RaceCell *c = race_cell_at(cta->run->races, at, begin + size, &next);
		if (!c)
			return;
		if (!c->write.program || c->write.time < issued)
			continue;
		SimParty other = race_party(&c->write);
		char line[512];
		sim_finding(cta->run, sim_party(w, i, lane, (uint32_t)(at - begin)), &other, DIAG_SIM_WAIT,
			    "what is copied changes, by the store of %s, while the copy is under way: nobody "
			    "has waited for it",
			    line_of(cta->run, &other, line, sizeof line));
		return;
	}
}
