/* Checks of shared memory: reads of what nobody wrote, races, copies that nobody waited for.
 *
 * A word of four bytes remembers its last write (warp, lane, and when) and reads since; where a part of it is accessed by itself,
 * its bytes do from then on. "When" is a number that goes up with each barrier of the CTA and each arrival at one in shared
 * memory (the interval): a warp knows up to when each other's accesses are ordered before its own; within a warp, what orders lanes is the warp's own count of meetings. A pair of accesses of which one writes is a race when
 * they come from different warps and nothing orders them, or from lanes of one warp that have not met in between. A copy that is
 * under way is its thread's write, at the time when the thread has waited for it. Asynchronous units read what threads have written
 * only behind a fence of a thread that it is ordered before; while they read, nobody may write. */
#include <stdlib.h>

#include "sim/sim_int.h"

typedef struct Access {
	uint32_t interval, sync; /* interval 0: none */
	uint32_t lanes;
	uint32_t site; /* as in SimParty */
	uint8_t warp;
	bool atomic;
	uint8_t lane, byte; /* of the last of them */
} Access;

typedef struct Cell {
	Access write, read, other; /* other: a read of another warp than `read` in the same interval */
	bool written : 1, flying : 1;
	bool async : 1;   /* an asynchronous unit wrote it */
	bool barrier : 1; /* of an mbarrier: `write` made it, reads are its uses */
	uint16_t reading; /* asynchronous reads under way; `read` is one of them */
} Cell;

enum { WORD = 4 };

struct SimShadow {
	Cell *words, *bytes; /* a byte's is valid where its word is split */
	bool *split;         /* by word */
	uint32_t word_count;
};

SimShadow *sim_shadow_new(unsigned bytes)
{
	SimShadow *s = heap_zeroed(sizeof *s);
	if (!s)
		return NULL;
	s->word_count = bytes / WORD + 1;
	s->words = heap_grow(NULL, sizeof *s->words * s->word_count);
	s->bytes = heap_grow(NULL, sizeof *s->bytes * s->word_count * WORD);
	s->split = heap_grow(NULL, sizeof *s->split * s->word_count);
	if (s->words && s->bytes && s->split)
		return s;
	sim_shadow_free(s);
	return NULL;
}

void sim_shadow_free(SimShadow *shadow)
{
	if (!shadow)
		return;
	free(shadow->words);
	free(shadow->bytes);
	free(shadow->split);
	free(shadow);
}

void sim_shadow_reset(SimShadow *shadow)
{
	memset(shadow->words, 0, sizeof *shadow->words * shadow->word_count);
	memset(shadow->split, 0, sizeof *shadow->split * shadow->word_count);
}

/* The cell of what begins at `at` and ends before `end`; *next: where the next one's begins. */
static inline Cell *cell_at(SimShadow *s, uint32_t at, uint32_t end, uint32_t *next)
{
	uint32_t word = at / WORD;
	if (!s->split[word]) {
		if (at % WORD == 0 && end - at >= WORD) {
			*next = at + WORD;
			return &s->words[word];
		}
		for (unsigned k = 0; k < WORD; k++)
			s->bytes[word * WORD + k] = s->words[word];
		s->split[word] = true;
	}
	*next = at + 1;
	return &s->bytes[at];
}

/* The same of a warp's own CTA. */
static inline Cell *own_cell(const SimWarp *w, uint32_t at, uint32_t end, uint32_t *next)
{
	Cell *c = cell_at(w->cta->shadow, w->base + at, w->base + end, next);
	*next -= w->base;
	return c;
}

/* Is an access of this lane, now, unordered with an earlier one? */
static bool is_unordered(const SimWarp *w, unsigned lane, const Access *a)
{
	if (!a->interval)
		return false;
	if (a->warp != w->index)
		return a->interval >= w->past.shared[a->warp];
	return a->sync == w->sync && (a->lanes & ~(UINT32_C(1) << lane)) != 0;
}

/* Of two of which one writes. */
static bool races(SimWarp *w, unsigned lane, const Access *a)
{
	if (is_unordered(w, lane, a))
		return true;
	if (UNLIKELY(w->cta->run->traffic != NULL) && a->interval && a->warp != w->index)
		sim_credit_shared(w, a->warp, a->interval);
	return false;
}

/* Of the earlier access; the lane that it is about is not the own one. */
static SimParty party_of(const SimWarp *w, unsigned lane, const Access *a)
{
	bool unit = a->warp == w->cta->run->kernel->warps; /* then `sync` is who issued it */
	SimParty p = {.site = a->site, .lanes = a->lanes, .pid = w->cta->pid, .warp = unit ? (uint8_t)a->sync : a->warp,
		      .lane = a->lane, .byte = a->byte};
	if (a->warp == w->index && a->lane == lane && a->lanes & ~(UINT32_C(1) << lane))
		p.byte = SIM_NO_BYTE;
	return p;
}

/* `begin`: of the lane's access, which meets the earlier one at `at`. */
static void report(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t begin, uint32_t at, const Access *a, const char *now, const char *then)
{
	char place[512];
	const SimKernel *k = w->cta->run->kernel;
	SimParty other = party_of(w, lane, a);
	sim_finding(w->cta->run, sim_party(w, i, lane, at - begin), &other, DIAG_SIM_RACE,
		    "%s of byte %u of shared memory and %s at %s have no barrier between them", now, at, then,
		    sim_place(k, sim_loc_of(k, &other), place, sizeof place));
}

static void note(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t byte, Access *a)
{
	bool same = a->interval == w->cta->interval && a->warp == w->index && a->sync == w->sync;
	*a = (Access){.interval = w->cta->interval, .sync = w->sync, .lanes = (same ? a->lanes : 0) | UINT32_C(1) << lane,
		      .site = i->site, .warp = (uint8_t)w->index, .lane = (uint8_t)lane, .byte = byte < SIM_NO_BYTE ? (uint8_t)byte : SIM_NO_BYTE};
}

static void report_flying(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t begin, uint32_t at, const Cell *c, const char *what)
{
	char place[512];
	const SimKernel *k = w->cta->run->kernel;
	SimParty other = party_of(w, lane, &c->write);
	sim_finding(w->cta->run, sim_party(w, i, lane, at - begin), &other, DIAG_SIM_WAIT,
		    "%s of byte %u of shared memory while the copy of %s is under way: its thread has not waited for it", what, at,
		    sim_place(k, sim_loc_of(k, &other), place, sizeof place));
}

static void report_reading(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t begin, uint32_t at, const Cell *c)
{
	char place[512];
	const SimKernel *k = w->cta->run->kernel;
	SimParty other = party_of(w, lane, &c->read);
	sim_finding(w->cta->run, sim_party(w, i, lane, at - begin), &other, DIAG_SIM_WAIT,
		    "write of byte %u of shared memory while what was issued at %s reads it: nobody has waited for it", at,
		    sim_place(k, sim_loc_of(k, &other), place, sizeof place));
}

/* Memory that an mbarrier holds is its own until it is invalidated. */
static void report_barrier(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t begin, uint32_t at,
			   const Cell *c, const char *what)
{
	char place[512];
	const SimKernel *k = w->cta->run->kernel;
	SimParty other = party_of(w, SIM_LANES, &c->write);
	sim_finding(w->cta->run, sim_party(w, i, lane, at - begin), &other, DIAG_SIM_MBARRIER,
		    "%s of byte %u of shared memory, where the barrier made at %s still is", what, at,
		    sim_place(k, sim_loc_of(k, &other), place, sizeof place));
}

/* Kept where it says most: the last of a warp, and one of another. */
static void note_read(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t byte, Cell *c)
{
	bool other = c->reading || (c->read.warp != w->index && is_unordered(w, lane, &c->read));
	note(w, i, lane, byte, other ? &c->other : &c->read);
}

void sim_check_read(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t offset, uint32_t size)
{
	CONTRACT(size);
	for (uint32_t at = offset, next; at < offset + size; at = next) {
		Cell *c = own_cell(w, at, offset + size, &next);
		if (UNLIKELY(c->barrier)) {
			report_barrier(w, i, lane, offset, at, c, "read");
			return;
		}
		if (!c->written) {
			sim_finding(w->cta->run, sim_party(w, i, lane, at - offset), NULL, DIAG_SIM_UNWRITTEN, "byte %u of shared memory", at);
			note(w, i, lane, at - offset, &c->read);
			return;
		}
		if (UNLIKELY(c->flying)) {
			report_flying(w, i, lane, offset, at, c, "read");
			return;
		}
		if (races(w, lane, &c->write)) {
			report(w, i, lane, offset, at, &c->write, "the read", "the write");
			return;
		}
		note_read(w, i, lane, at - offset, c);
	}
}

void sim_check_write(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t offset, uint32_t size)
{
	CONTRACT(size);
	for (uint32_t at = offset, next; at < offset + size; at = next) {
		Cell *c = own_cell(w, at, offset + size, &next);
		if (UNLIKELY(c->flying)) {
			report_flying(w, i, lane, offset, at, c, "write");
			return;
		}
		if (UNLIKELY(c->barrier)) {
			report_barrier(w, i, lane, offset, at, c, "write");
			return;
		}
		if (UNLIKELY(c->reading)) {
			report_reading(w, i, lane, offset, at, c);
			return;
		}
		const Access *with = races(w, lane, &c->write) ? &c->write : races(w, lane, &c->read) ? &c->read :
				     races(w, lane, &c->other) ? &c->other : NULL;
		if (with)
			report(w, i, lane, offset, at, with, "the write", with == &c->write ? "the write" : "the read");
		c->written = true;
		c->async = false;
		c->write = (Access){0};
		note(w, i, lane, at - offset, &c->write);
		if (with)
			return;
	}
}

/* Atomic operations do not race with one another. */
void sim_check_atomic(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t offset, uint32_t size)
{
	CONTRACT(size);
	uint32_t next;
	const Cell *first = own_cell(w, offset, offset + size, &next);
	if (first->written && first->write.atomic && races(w, lane, &first->write))
		return;
	sim_check_read(w, i, lane, offset, size);
	sim_check_write(w, i, lane, offset, size);
	for (uint32_t at = offset; at < offset + size; at = next) {
		Cell *c = own_cell(w, at, offset + size, &next);
		c->read = c->other = (Access){0};
		c->write.atomic = true;
		c->write.lanes = SIM_ALL; /* whoever else comes later is another lane */
	}
}

void sim_check_flies(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t offset, uint32_t size)
{
	sim_check_write(w, i, lane, offset, size);
	for (uint32_t at = offset, next; at < offset + size; at = next)
		own_cell(w, at, offset + size, &next)->flying = true;
}

void sim_check_landed(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t offset, uint32_t size, bool bulk)
{
	for (uint32_t at = offset, end = at + size, next; at < end; at = next) {
		Cell *c = own_cell(w, at, end, &next);
		c->flying = false;
		c->async = bulk;
		c->write = (Access){0};
		note(w, i, lane, at - offset, &c->write);
		if (bulk && sim_unit(w->cta->run->kernel, w->index) != w->index) {
			c->write.warp = (uint8_t)w->cta->run->kernel->warps;
			c->write.sync = w->index;
		}
	}
}

/* Did a thread write it with no fence behind? */
static bool is_unfenced(const SimWarp *w, const Cell *c)
{
	return c->written && !c->async && c->write.interval && c->write.interval >= w->past.fenced[c->write.warp];
}

void sim_check_async_write(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t offset, uint32_t size)
{
	CONTRACT(size);
	char place[512];
	const SimKernel *k = w->cta->run->kernel;
	for (uint32_t at = offset, next; at < offset + size; at = next) {
		Cell *c = own_cell(w, at, offset + size, &next);
		if (!is_unfenced(w, c) || races(w, lane, &c->write))
			continue;
		SimParty other = party_of(w, SIM_LANES, &c->write);
		sim_finding(w->cta->run, sim_party(w, i, lane, at - offset), &other, DIAG_SIM_PROXY,
			    "asynchronous write of byte %u of shared memory, which the threads' write at %s is not fenced for", at,
			    sim_place(k, sim_loc_of(k, &other), place, sizeof place));
		break;
	}
	sim_check_flies(w, i, lane, offset, size);
}

static void report_unfenced(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t begin, uint32_t at,
			    const Cell *c)
{
	char place[512];
	const SimKernel *k = w->cta->run->kernel;
	SimParty other = party_of(w, SIM_LANES, &c->write);
	sim_finding(w->cta->run, sim_party(w, i, lane, at - begin), &other, DIAG_SIM_PROXY,
		    "asynchronous read of byte %u of shared memory, which the threads' write at %s is not fenced for",
		    at, sim_place(k, sim_loc_of(k, &other), place, sizeof place));
}

void sim_check_async_read(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t offset, uint32_t size)
{
	CONTRACT(size);
	bool looked = false, told = false;
	for (uint32_t at = offset, next; at < offset + size; at = next) {
		Cell *c = own_cell(w, at, offset + size, &next);
		bool bad = c->barrier || c->flying || !c->written || races(w, lane, &c->write);
		if (UNLIKELY(bad && !looked)) {
			sim_check_read(w, i, lane, at, offset + size - at);
			looked = true;
		}
		if (UNLIKELY(!bad && !told && is_unfenced(w, c))) {
			report_unfenced(w, i, lane, offset, at, c);
			told = true;
		}
		note(w, i, lane, at - offset, &c->read);
		c->reading++;
	}
}

/* It has read until now: who writes must come behind the wait, and not behind the issue alone. */
void sim_check_async_done(SimWarp *w, uint32_t offset, uint32_t size)
{
	uint32_t interval = w->cta->interval, sync = w->sync;
	for (uint32_t at = offset, next; at < offset + size; at = next) {
		Cell *c = own_cell(w, at, offset + size, &next);
		if (!c->reading)
			continue;
		c->reading--;
		Access *own = &c->read;
		if (c->read.warp != w->index) {
			own = &c->other;
			*own = c->read;
			own->warp = (uint8_t)w->index;
		}
		own->interval = interval;
		own->sync = sync;
	}
}

/* ---- mbarriers: made and dropped by threads, used by threads and asynchronous units ---- */

void sim_check_barrier(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t offset, SimBarrierUse use)
{
	char place[512];
	const SimKernel *k = w->cta->run->kernel;
	/* What is copied to another CTA touches its barrier when it comes. */
	bool told = false, own = w->base == w->rank * k->shared_pitch;
	if (use == SIM_BARRIER_MAKE)
		sim_check_write(w, i, lane, offset, 8);
	for (uint32_t at = offset, next; at < offset + 8; at = next) {
		Cell *c = own_cell(w, at, offset + 8, &next);
		const Access *with = races(w, lane, &c->write)	 ? &c->write
				     : use != SIM_BARRIER_DROP	 ? NULL
				     : races(w, lane, &c->read)	 ? &c->read
				     : races(w, lane, &c->other) ? &c->other
								 : NULL;
		SimParty other = party_of(w, lane, with ? with : &c->write);
		if (with && !told)
			sim_finding(w->cta->run, sim_party(w, i, lane, 0), &other, DIAG_SIM_RACE,
				    "the use of the barrier at byte %u of shared memory and %s at %s have no "
				    "barrier between them",
				    offset, with == &c->write ? "its making" : "the use",
				    sim_place(k, sim_loc_of(k, &other), place, sizeof place));
		else if (use == SIM_BARRIER_ASYNC && !told && is_unfenced(w, c))
			sim_finding(w->cta->run, sim_party(w, i, lane, 0), &other, DIAG_SIM_PROXY,
				    "an asynchronous copy counts on the barrier at byte %u of shared memory, "
				    "whose making at %s is not fenced for it",
				    offset, sim_place(k, sim_loc_of(k, &other), place, sizeof place));
		told = true;
		c->barrier = use != SIM_BARRIER_DROP;
		if (use == SIM_BARRIER_DROP)
			note(w, i, lane, 0, &c->write);
		else if (use != SIM_BARRIER_MAKE && (own || use != SIM_BARRIER_ASYNC))
			note_read(w, i, lane, 0, c);
	}
}

/* ---- asynchronous copies ---- */

/* Its bytes come when its thread waits; until then the destination holds poison. */
typedef struct Copy {
	uint32_t offset, size, group;
	const SimInstr *by;
	uint32_t read;         /* bytes of the source; the rest are 0 */
	const uint8_t *source; /* as it was when the copy was issued: */
	uint8_t bytes[16];
} Copy;

enum { POISON = 0xff }; /* NaN in all floats, -1 in integers */

/* Of a warp: copies of each lane that nobody has waited for, oldest first. */
struct SimAsync {
	struct {
		Copy *copies;
		uint32_t count, cap, group; /* group: being filled */
	} lane[SIM_LANES];
};

static bool has_async(SimWarp *w)
{
	if (!w->async)
		w->async = heap_zeroed(sizeof *w->async);
	return w->async || sim_no_memory(w->cta->run);
}

bool sim_check_copy(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t offset, uint32_t size, const uint8_t *source, uint32_t read)
{
	ASSERT(size <= 16 && read <= size);
	sim_check_flies(w, i, lane, offset, size);
	if (!has_async(w))
		return false;
	uint32_t count = w->async->lane[lane].count;
	if (count == w->async->lane[lane].cap) {
		uint32_t cap = MAX(count * 2, 16u);
		Copy *grown = heap_grow(w->async->lane[lane].copies, sizeof *grown * cap);
		if (!grown)
			return sim_no_memory(w->cta->run);
		w->async->lane[lane].copies = grown;
		w->async->lane[lane].cap = cap;
	}
	Copy *copy = &w->async->lane[lane].copies[w->async->lane[lane].count++];
	*copy = (Copy){.offset = offset, .size = size, .group = w->async->lane[lane].group, .by = i, .read = read, .source = source};
	if (read)
		memcpy(copy->bytes, source, read);
	memset(w->shared + offset, POISON, size);
	return true;
}

bool sim_check_commit(SimWarp *w, uint32_t mask)
{
	if (!has_async(w))
		return false;
	EACH_LANE(lane, mask)
		w->async->lane[lane].group++;
	return true;
}

static void land(SimWarp *w, unsigned lane, const Copy *copy)
{
	/* Who changes what is being copied gets either. */
	if (copy->read && memcmp(copy->source, copy->bytes, copy->read) != 0)
		sim_finding(w->cta->run, sim_party(w, copy->by, lane, 0), NULL, DIAG_SIM_WAIT,
			    "the source of the copy to byte %u of shared memory changes before its thread has waited for it", copy->offset);
	if (copy->read)
		memcpy(w->shared + copy->offset, copy->source, copy->read);
	memset(w->shared + copy->offset + copy->read, 0, copy->size - copy->read);
	sim_check_landed(w, copy->by, lane, copy->offset, copy->size, false);
}

bool sim_check_wait(SimWarp *w, uint32_t mask, uint32_t pending)
{
	bool landed = false;
	if (!w->async)
		return false;
	EACH_LANE(lane, mask) {
		uint32_t kept = 0, count = w->async->lane[lane].count, group = w->async->lane[lane].group;
		Copy *copies = w->async->lane[lane].copies;
		for (uint32_t k = 0; k < count; k++) {
			/* Committed, and so many groups ago. */
			if (copies[k].group < group && group - copies[k].group > pending)
				land(w, lane, &copies[k]);
			else
				copies[kept++] = copies[k];
		}
		w->async->lane[lane].count = kept;
		landed |= kept < count;
	}
	return landed;
}

void sim_check_free(SimWarp *w)
{
	for (unsigned lane = 0; w->async && lane < SIM_LANES; lane++)
		free(w->async->lane[lane].copies);
	free(w->async);
	w->async = NULL;
}
