/* Races in global memory: between programs, between the warps of one, and between the lanes of a
 * warp.
 *
 * A word of four bytes remembers its last plain store, its last atomic operation and one that
 * nothing orders before that, and two reads by different programs or warps; where a part of it is accessed by itself, its bytes do from then on. Two accesses of
 * different programs or warps of which one writes are a race, if not both are atomic (of a scope
 * that both are in) and nothing orders them (order.c). Lanes of a warp that have not met race where
 * one reads what another has written, or both store, and not the same; loads are issued for all
 * lanes at once, so a store behind them is fine, but two lanes that both load a word and store it
 * lose one's update. Programs that store what is there already are told apart, as no order changes
 * the result.
 *
 * A load that volatile loads alone order behind another program's store may find what the
 * first-level cache holds, if the program has loaded the word before. Forgetting the pages that
 * were noted first, when there is too much to note, can hide races, never make them up. */
#include <stdlib.h>

#include "sim/check/race.h"

enum { WORD = RACE_WORD, PAGE = RACE_PAGE };
#define MOST_BYTES (UINT64_C(1) << 30)

typedef RaceMark Mark;
typedef RaceCell Cell;
typedef RacePage Page;

SimRaces *sim_races_new(uint64_t programs)
{
	SimRaces *r = heap_zeroed(sizeof *r);
	if (r) {
		r->programs = programs;
		r->most = MOST_BYTES;
		r->time = 1;
	}
	return r;
}

void sim_races_free(SimRaces *r)
{
	if (!r)
		return;
	for (size_t k = 0; k < r->count; k++) {
		free(r->pages[k]->bytes);
		free(r->pages[k]);
	}
	for (unsigned k = 0; k < RACE_CLOCKS; k++)
		free(r->clocks[k]);
	free(r->pages);
	free(r);
}

/* ---- pages ---- */

static void unlink_page(SimRaces *r, Page *p)
{
	Page **at = &r->buckets[p->number % RACE_BUCKETS];
	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
}

static Page *new_page(SimRaces *r)
{
	if (r->count == r->cap) {
		size_t cap = MAX(2 * r->cap, (size_t)64);
		Page **grown = heap_grow(r->pages, sizeof *grown * cap);
		if (!grown)
			return NULL;
		r->pages = grown;
		r->cap = cap;
	}
	Page *p = heap_grow(NULL, sizeof *p);
	if (!p)
		return NULL;
	p->bytes = NULL;
	r->bytes += sizeof *p;
	r->pages[r->count++] = p;
	return p;
}

/* NULL: no memory. */
static Page *page_of(SimRaces *r, uint64_t number)
{
	if (r->last && r->last->number == number)
		return r->last;
	Page *p = r->buckets[number % RACE_BUCKETS];
	while (p && p->number != number)
		p = p->next;
	if (!p) {
		if (r->bytes < r->most) {
			p = new_page(r);
		} else {
			p = r->pages[r->oldest++ % r->count];
			r->forgot = true;
			unlink_page(r, p);
		}
		if (!p) {
			r->no_memory = true;
			return NULL;
		}
		memset(p->words, 0, sizeof p->words);
		memset(p->split, 0, sizeof p->split);
		p->number = number;
		p->next = r->buckets[number % RACE_BUCKETS];
		r->buckets[number % RACE_BUCKETS] = p;
	}
	r->last = p;
	return p;
}

Cell *race_cell_at(SimRaces *r, uint64_t at, uint64_t end, uint64_t *next)
{
	Page *p = page_of(r, at / PAGE);
	uint32_t word = (uint32_t)(at % PAGE / WORD);
	if (!p)
		return NULL;
	if (!p->split[word] && at % WORD == 0 && end - at >= WORD) {
		*next = at + WORD;
		return &p->words[word];
	}
	if (!p->bytes) {
		p->bytes = heap_grow(NULL, sizeof *p->bytes * PAGE);
		r->bytes += sizeof *p->bytes * PAGE;
		if (!p->bytes) {
			r->no_memory = true;
			return NULL;
		}
	}
	for (unsigned k = 0; !p->split[word] && k < WORD; k++)
		p->bytes[word * WORD + k] = p->words[word];
	p->split[word] = true;
	*next = at + 1;
	return &p->bytes[at % PAGE];
}

/* ---- accesses ---- */

/* Each cell's mark gets the byte of the access that it is. */
static Mark mark_now(const SimWarp *w, const SimInstr *i, unsigned lane)
{
	return (Mark){.program = (uint32_t)w->cta->pid + 1,
		      .time = w->cta->run->races->time,
		      .site = i->site,
		      .warp = (uint8_t)w->index,
		      .lane = (uint8_t)lane};
}

SimParty race_party(const Mark *m)
{
	return (SimParty){.site = m->site,
			  .pid = m->program - 1,
			  .warp = m->warp,
			  .lanes = UINT32_C(1) << m->lane,
			  .lane = m->lane,
			  .byte = m->byte};
}

static bool is_mine(const SimWarp *w, const Mark *m)
{
	return m->program == w->cta->pid + 1;
}

static bool is_of_warp(const SimWarp *w, const Mark *m)
{
	return is_mine(w, m) && m->warp == w->index;
}

static bool is_of_lane(const SimWarp *w, unsigned lane, const Mark *m)
{
	return is_of_warp(w, m) && m->lane == lane;
}

/* Of an earlier read, before a write now. */
static bool is_read_ordered(const SimWarp *w, unsigned lane, const Mark *m)
{
	return is_of_warp(w, m) || race_is_ordered(w, lane, m);
}

static bool is_plain_race(const SimWarp *w, unsigned lane, const Mark *read)
{
	return !(read->flags & MARK_FRESH) && !is_read_ordered(w, lane, read);
}

/* Two atomic operations: one of a CTA's scope is none to another CTA. */
static bool is_out_of_scope(const SimWarp *w, unsigned lane, const Mark *m, uint8_t flags)
{
	unsigned warps = w->cta->run->kernel->cta_warps;
	bool same = is_mine(w, m) && m->warp / warps == w->index / warps;
	return m->program && (m->flags | flags) & MARK_CTA && !same && !race_is_ordered(w, lane, m);
}

/* Kept where it says most: over an older one of the same warp, or one that is ordered before; of a program's the first warp's and
 * the last one's. */
static void note_read(const SimWarp *w, Cell *c, Mark now)
{
	if (is_of_warp(w, &c->read) || is_read_ordered(w, now.lane, &c->read))
		c->read = now;
	else if (!is_mine(w, &c->other) || is_mine(w, &c->read) || is_read_ordered(w, now.lane, &c->other))
		c->other = now;
}

/* Of an access that is ordered behind an earlier one of another warp of the program. */
static void credit(SimWarp *w, const Mark *m)
{
	if (LIKELY(!w->cta->run->traffic))
		return;
	if (is_mine(w, m) && m->warp != w->index)
		sim_credit_global(w, m->warp, m->time);
}

bool race_in_buffers(const SimCta *cta, uint64_t address)
{
	const SimRun *run = cta->run;
	if (!run->buffer_count)
		return false;
	const SimArray *b = &run->buffers[cta->hint];
	return address - b->base < b->size;
}

/* An access of this lane, at a byte of which it meets an earlier one. */
typedef struct Meeting {
	SimWarp *w;
	const SimInstr *i;
	unsigned lane;
	uint32_t byte; /* of the access */
	uint64_t at; /* its address */
	const Mark *with;
} Meeting;

static void report(const Meeting *m, DiagCode code, const char *now, const char *then)
{
	SimRun *run = m->w->cta->run;
	const SimArray *b = &run->buffers[m->w->cta->hint];
	SimParty other = race_party(m->with);
	unsigned long long offset = m->at - b->base;
	char place[512];
	const char *at = sim_place(run->kernel, sim_loc_of(run->kernel, &other), place, sizeof place);
	SimParty who = sim_party(m->w, m->i, m->lane, m->byte);
	if (is_of_warp(m->w, m->with))
		sim_finding(run, who, &other, DIAG_SIM_RACE,
			    "%s at byte %llu of '%s' and %s at %s are by lanes of a warp that have not met "
			    "in between",
			    now, offset, b->name, then, at);
	else if (is_mine(m->w, m->with))
		sim_finding(run, who, &other, DIAG_SIM_RACE,
			    "%s at byte %llu of '%s' and %s at %s have no barrier between them", now, offset,
			    b->name, then, at);
	else
		sim_finding(run, who, &other, code,
			    "%s at byte %llu of '%s' and %s at %s by another program, in any order", now,
			    offset, b->name, then, at);
}

/* Programs may all have operated on it, one after another: the last one of them knows of itself alone. */
static const Mark *unordered_atomic(const SimWarp *w, unsigned lane, const Cell *c)
{
	if (!race_is_ordered(w, lane, &c->atomic))
		return &c->atomic;
	return race_is_ordered(w, lane, &c->earlier) ? NULL : &c->earlier;
}

/* ---- loads ---- */

/* Ordered behind another program's store, but by volatile loads alone: has the program loaded it
 * before? */
static bool is_stale(const SimWarp *w, const SimInstr *i, const Cell *c)
{
	const Mark *had = is_mine(w, &c->read) ? &c->read : &c->other;
	return i->cached && c->write.program && !is_mine(w, &c->write) && is_mine(w, had) &&
	       had->flags & MARK_CACHED && had->time <= c->write.time && w->cta->fresh <= c->write.time;
}

static void report_stale(const Meeting *m, const Cell *c)
{
	SimRun *run = m->w->cta->run;
	const SimArray *b = &run->buffers[m->w->cta->hint];
	SimParty other = race_party(&c->write);
	char place[512];
	sim_finding(run, sim_party(m->w, m->i, m->lane, m->byte), &other, DIAG_SIM_STALE,
		    "byte %llu of '%s' may be what the first-level cache holds since the program loaded it "
		    "first, not what the store at %s wrote: "
		    "volatile loads leave the cache as it is",
		    (unsigned long long)(m->at - b->base), b->name,
		    sim_place(run->kernel, sim_loc_of(run->kernel, &other), place, sizeof place));
}

void sim_race_read(SimWarp *w, const SimInstr *i, unsigned lane, const void *memory, uint32_t size, SimOrder order)
{
	uint64_t begin = (uint64_t)(uintptr_t)memory;
	SimCta *cta = w->cta;
	if (!race_in_buffers(cta, begin))
		return;
	if (order != SIM_PLAIN) {
		sim_credit_tells(w, false);
		race_acquire(w, lane, race_clock(begin), order == SIM_ACQUIRE);
	}
	Mark now = mark_now(w, i, lane);
	now.flags = (order != SIM_PLAIN ? MARK_FRESH : 0) | (i->cached ? MARK_CACHED : 0);
	bool told = false;
	for (uint64_t at = begin, next; at < begin + size; at = next) {
		Cell *c = race_cell_at(cta->run->races, at, begin + size, &next);
		if (!c)
			return;
		now.byte = (uint8_t)(at - begin);
		Meeting m = {w, i, lane, now.byte, at, NULL};
		m.with = !race_is_ordered(w, lane, &c->write) ? &c->write
			 : order == SIM_PLAIN		      ? unordered_atomic(w, lane, c)
							      : NULL;
		if (!m.with && !told && UNLIKELY(is_stale(w, i, c))) {
			report_stale(&m, c);
			told = true;
		}
		if (!m.with && !told && UNLIKELY((c->write.flags | c->atomic.flags) & MARK_FLYING)) {
			const Mark *flying = c->write.flags & MARK_FLYING ? &c->write : &c->atomic;
			race_report_flying(w, i, lane, now.byte, at, flying, "load");
			told = true;
		}
		note_read(w, c, now);
		credit(w, &c->write);
		credit(w, &c->atomic);
		if (m.with) {
			report(&m, DIAG_SIM_PROGRAM_RACE, "the load",
			       m.with == &c->write ? "the store" : "the atomic operation");
			return;
		}
	}
}

/* ---- stores ---- */

/* Has another lane of the warp loaded and stored it, as this one does, and they have not met? What
 * the store itself makes of its old value is lost among the warps, too, and behind a barrier. */
static bool is_lost(const SimWarp *w, const SimInstr *i, unsigned lane, const Cell *c)
{
	if (i->updates && w->cta->run->kernel->code[c->write.site - 1].updates)
		return true;
	return is_of_warp(w, &c->write) && is_of_warp(w, &c->read) && c->read.time >= w->met &&
	       c->read.time <= c->write.time && !race_is_ordered(w, lane, &c->write);
}

static void report_lost(const Meeting *m)
{
	SimRun *run = m->w->cta->run;
	const SimArray *b = &run->buffers[m->w->cta->hint];
	SimParty other = race_party(m->with), who = sim_party(m->w, m->i, m->lane, m->byte);
	unsigned long long offset = m->at - b->base;
	if (!is_of_warp(m->w, m->with))
		sim_finding(run, who, &other, DIAG_SIM_RACE,
			    "threads of two warps both load byte %llu of '%s' and store it: one's "
			    "update is lost",
			    offset, b->name);
	else
		sim_finding(run, who, &other, DIAG_SIM_RACE,
			    "lanes %u and %u of a warp both load byte %llu of '%s' and store it: one's "
			    "update is lost",
			    m->with->lane, m->lane, offset, b->name);
}

/* What is under way where a store goes; NULL: nothing. Of its own box there may be a row already:
 * whether a box meets the one that this instruction stored before is sim_race_overtakes'. */
static const Mark *flying_below(const SimWarp *w, const SimInstr *i, unsigned lane, const Cell *c)
{
	bool own = is_of_lane(w, lane, &c->write) && c->write.site == i->site;
	if (c->atomic.flags & MARK_FLYING)
		return &c->atomic;
	return c->write.flags & MARK_FLYING && !own ? &c->write : NULL;
}

void sim_race_write(SimWarp *w, const SimInstr *i, unsigned lane, const void *memory, uint32_t size, const void *value)
{
	uint64_t begin = (uint64_t)(uintptr_t)memory;
	SimCta *cta = w->cta;
	if (!race_in_buffers(cta, begin))
		return;
	cta->run->buffers[cta->hint].written = cta->run->races->time;
	Mark now = mark_now(w, i, lane);
	bool told = false;
	for (uint64_t at = begin, next; at < begin + size; at = next) {
		Cell *c = race_cell_at(cta->run->races, at, begin + size, &next);
		if (!c)
			return;
		now.byte = (uint8_t)(at - begin);
		Meeting m = {w, i, lane, now.byte, at, NULL};
		const Mark *atomic = unordered_atomic(w, lane, c);
		m.with = !race_is_ordered(w, lane, &c->write)	 ? &c->write
			 : atomic				 ? atomic
			 : !is_read_ordered(w, lane, &c->read)	 ? &c->read
			 : !is_read_ordered(w, lane, &c->other)	 ? &c->other
								 : NULL;
		bool same =
			m.with == &c->write && memcmp((const uint8_t *)memory + (at - begin),
						      (const uint8_t *)value + (at - begin), next - at) == 0;
		if (m.with && !told && same && is_mine(w, m.with) && is_lost(w, i, lane, c))
			report_lost(&m);
		else if (m.with && !told && !(same && is_mine(w, m.with)))
			report(&m, same ? DIAG_SIM_SAME_STORE : DIAG_SIM_PROGRAM_RACE, "the store",
			       m.with == &c->write ? "the store"
			       : m.with == atomic  ? "the atomic operation"
						   : "the load");
		told |= m.with != NULL;
		const Mark *flying = flying_below(w, i, lane, c);
		if (UNLIKELY(flying) && !told) {
			race_report_flying(w, i, lane, now.byte, at, flying, "store");
			told = true;
		}
		credit(w, &c->write);
		credit(w, &c->atomic);
		credit(w, &c->read);
		credit(w, &c->other);
		c->write = now;
	}
}

/* ---- atomic operations ---- */

void sim_race_atomic(SimWarp *w, const SimInstr *i, unsigned lane, const void *memory, uint32_t size, SimOrder order)
{
	uint64_t begin = (uint64_t)(uintptr_t)memory;
	SimCta *cta = w->cta;
	if (!race_in_buffers(cta, begin))
		return;
	unsigned clock = race_clock(begin);
	sim_credit_tells(w, true);
	if (order == SIM_ACQUIRE || order == SIM_ACQ_REL)
		race_acquire(w, lane, clock, true);
	else
		w->fence.pending |= UINT64_C(1) << clock;
	cta->run->buffers[cta->hint].written = cta->run->races->time;
	Mark now = mark_now(w, i, lane);
	now.flags = i->cta_scope ? MARK_CTA : 0;
	for (uint64_t at = begin, next; at < begin + size; at = next) {
		Cell *c = race_cell_at(cta->run->races, at, begin + size, &next);
		if (!c)
			return;
		now.byte = (uint8_t)(at - begin);
		bool scope = is_out_of_scope(w, lane, &c->atomic, now.flags);
		Mark before = c->atomic;
		Meeting m = {w, i, lane, now.byte, at, NULL};
		m.with = !race_is_ordered(w, lane, &c->write) ? &c->write
			 : is_plain_race(w, lane, &c->read)   ? &c->read
			 : is_plain_race(w, lane, &c->other)  ? &c->other
			 : scope			      ? &before
							      : NULL;
		if (UNLIKELY(c->write.flags & MARK_FLYING) && !m.with)
			race_report_flying(w, i, lane, now.byte, at, &c->write, "atomic operation");
		credit(w, &c->write);
		credit(w, &c->read);
		credit(w, &c->other);
		if (!race_is_ordered(w, lane, &c->atomic) &&
		    (!is_mine(w, &c->atomic) || race_is_ordered(w, lane, &c->earlier)))
			c->earlier = c->atomic;
		c->atomic = now;
		if (m.with) {
			report(&m, DIAG_SIM_PROGRAM_RACE,
			       now.flags & MARK_CTA ? "the atomic operation of a CTA's scope"
						    : "the atomic operation",
			       m.with == &c->write	 ? "the store"
			       : m.with != &before	 ? "the load"
			       : before.flags & MARK_CTA ? "the atomic operation of a CTA's scope"
							 : "the atomic operation");
			return;
		}
	}
}

bool sim_race_writer(const SimRaces *r, uint64_t address, SimParty *out)
{
	const Page *p = r->buckets[address / PAGE % RACE_BUCKETS];
	while (p && p->number != address / PAGE)
		p = p->next;
	if (!p)
		return false;
	uint32_t word = (uint32_t)(address % PAGE / WORD);
	const Cell *c = p->split[word] ? &p->bytes[address % PAGE] : &p->words[word];
	const Mark *m = c->atomic.time > c->write.time ? &c->atomic : &c->write;
	*out = race_party(m);
	return m->program != 0;
}

bool sim_race_memory(const SimRaces *races)
{
	return !races->no_memory;
}

void sim_races_limit(SimRaces *races, uint64_t bytes)
{
	races->most = bytes;
}

bool sim_race_forgot(const SimRaces *races)
{
	return races->forgot;
}
