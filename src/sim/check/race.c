/* Races in global memory, between programs and between the warps of one.
 *
 * A word of four bytes remembers its last plain store, its last atomic operation, and two reads by different programs or
 * warps; where a part of it is accessed by itself, its bytes do from then on. Two accesses of different programs of which one
 * writes are a race, if not both are atomic and nothing orders them; so are two of different warps of a program with no barrier
 * between them. What orders programs are atomic operations of at least the device's scope: who acquires what another has
 * released comes after all that one did before (with fences likewise). Volatile loads acquire too: kernels that wait by them are
 * right on all GPUs, if not by the book. Programs that store what is there already are told apart, as no order changes the result.
 *
 * When is a number that goes up at barriers and releases; programs under checks run on one host thread. What a program knows of
 * another is up to when its accesses are ordered: those of all its warps, and those of the warp that released last. Atomics share
 * a number of clocks by address, and launches of very many programs have no clock for each program but one time: both can only
 * hide races, never make them up. So does forgetting the pages that were noted first, when there is too much to note. */
#include <stdlib.h>

#include "sim/sim_int.h"

enum { WORD = 4, PAGE = 1024, PAGE_WORDS = PAGE / WORD, BUCKETS = 1 << 14, CLOCKS = 64, MANY_PROGRAMS = 16384 };
#define MOST_BYTES (UINT64_C(1) << 30)

typedef struct Mark {
	uint32_t program; /* its number and one; 0: none */
	uint32_t time;
	uint32_t site;    /* as in SimParty */
	uint8_t warp, lane, byte;
	bool is_volatile; /* a load, which is no race with atomic operations */
} Mark;

typedef struct Cell {
	Mark write, atomic, read, other; /* other: a read by another program than `read` */
} Cell;

typedef struct Page {
	uint64_t number; /* of its address */
	struct Page *next;
	Cell words[PAGE_WORDS];
	Cell *bytes;     /* NULL, or a byte's where its word is split */
	bool split[PAGE_WORDS];
} Page;

/* What is ordered of a program's accesses: all before `all`, and its warp's before `own`. */
typedef struct Known {
	uint32_t all, own, warp;
} Known;

/* What is ordered before a program, or what was released at some addresses. */
struct SimKnown {
	uint32_t seen[CLOCKS]; /* of a program: the clocks' versions that are in it */
	Known of[];            /* by program */
};

struct SimRaces {
	uint32_t time;
	uint64_t programs;
	Page *buckets[BUCKETS], *last;
	Page **pages;    /* in the order in which they were made */
	size_t count, cap, oldest;
	uint64_t bytes, most; /* of pages; how many there may be */
	bool forgot;
	SimKnown *clocks[CLOCKS]; /* NULL: nothing was released there */
	uint32_t versions[CLOCKS];
	uint32_t floors[CLOCKS];  /* of many programs: all before it is ordered */
	bool no_memory;
};

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
	for (unsigned k = 0; k < CLOCKS; k++)
		free(r->clocks[k]);
	free(r->pages);
	free(r);
}

/* ---- pages ---- */

static void unlink_page(SimRaces *r, Page *p)
{
	Page **at = &r->buckets[p->number % BUCKETS];
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
	Page *p = r->buckets[number % BUCKETS];
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
		p->next = r->buckets[number % BUCKETS];
		r->buckets[number % BUCKETS] = p;
	}
	r->last = p;
	return p;
}

/* The cell of what begins at `at` and ends before `end`; *next: where the next one's begins. NULL: no memory. */
static Cell *cell_at(SimRaces *r, uint64_t at, uint64_t end, uint64_t *next)
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

/* ---- what is ordered ---- */

void sim_race_start(SimCta *cta)
{
	cta->since = ++cta->run->races->time;
	cta->floor = 0;
}

void sim_race_end(SimCta *cta)
{
	free(cta->known);
	cta->known = NULL;
}

void sim_race_barrier(SimCta *cta)
{
	cta->since = ++cta->run->races->time;
}

uint32_t sim_race_tick(SimRaces *races)
{
	return ++races->time;
}

static void join(Known *to, const Known *from)
{
	if (from->all > to->all)
		to->all = from->all;
	if (from->own <= to->all)
		return;
	if (to->own <= to->all || to->warp == from->warp) {
		to->own = MAX(to->own, from->own);
		to->warp = from->warp;
	} else {
		/* Two warps' releases: what either did is taken to be ordered. */
		to->all = MAX(to->own, from->own);
	}
}

static unsigned clock_of(uint64_t address)
{
	return (unsigned)(address / WORD * UINT64_C(0x9e3779b97f4a7c15) >> 58);
}

static SimKnown *new_clock(SimRaces *r)
{
	SimKnown *made = heap_zeroed(sizeof *made + r->programs * sizeof made->of[0]);
	r->no_memory |= !made;
	return made;
}

static void acquire(SimCta *cta, unsigned clock)
{
	SimRaces *r = cta->run->races;
	cta->floor = MAX(cta->floor, r->floors[clock]);
	if (!r->clocks[clock] || (!cta->known && !(cta->known = new_clock(r))))
		return;
	if (cta->known->seen[clock] == r->versions[clock])
		return;
	cta->known->seen[clock] = r->versions[clock];
	for (uint64_t p = 0; p < r->programs; p++)
		join(&cta->known->of[p], &r->clocks[clock]->of[p]);
}

static void release_at(SimWarp *w, unsigned clock, uint32_t all, uint32_t own)
{
	SimCta *cta = w->cta;
	SimRaces *r = cta->run->races;
	if (r->programs > MANY_PROGRAMS) {
		r->floors[clock] = MAX(r->floors[clock], own);
		return;
	}
	if (!r->clocks[clock] && !(r->clocks[clock] = new_clock(r)))
		return;
	Known *mine = &r->clocks[clock]->of[cta->pid];
	if (mine->own == own && mine->warp == w->index)
		return; /* the same fence's */
	for (uint64_t p = 0; cta->known && p < r->programs; p++)
		join(&r->clocks[clock]->of[p], &cta->known->of[p]);
	join(mine, &(Known){all, own, w->index});
	r->versions[clock]++;
}

void sim_race_release(SimWarp *w, const void *memory, SimOrder order)
{
	unsigned clock = clock_of((uint64_t)(uintptr_t)memory);
	if (order == SIM_RELEASE || order == SIM_ACQ_REL)
		release_at(w, clock, w->cta->since, ++w->cta->run->races->time);
	else if (w->fence.own)
		release_at(w, clock, w->fence.all, w->fence.own);
}

/* Fences make an order of relaxed operations: a release of those behind it, an acquire of those before it. */
void sim_race_fence(SimWarp *w)
{
	for (unsigned c = 0; c < CLOCKS; c++)
		if (w->fence.pending >> c & 1)
			acquire(w->cta, c);
	w->fence = (SimFence){.all = w->cta->since, .own = ++w->cta->run->races->time};
}

static bool is_ordered(const SimWarp *w, const Mark *m)
{
	const SimCta *cta = w->cta;
	unsigned warp = w->index;
	if (!m->program || m->time < cta->floor)
		return true;
	if (m->program == cta->pid + 1)
		return m->time < cta->since || m->warp == warp || m->time < w->past.global[m->warp];
	if (!cta->known)
		return false;
	const Known *k = &cta->known->of[m->program - 1];
	return m->time < k->all || (m->time < k->own && m->warp == k->warp);
}

static bool is_plain_race(const SimWarp *w, const Mark *read)
{
	return !read->is_volatile && !is_ordered(w, read);
}

/* ---- accesses ---- */

/* Each cell's mark gets the byte of the access that it is. */
static Mark mark_now(const SimWarp *w, const SimInstr *i, unsigned lane)
{
	return (Mark){.program = (uint32_t)w->cta->pid + 1, .time = w->cta->run->races->time, .site = i->site, .warp = (uint8_t)w->index,
		      .lane = (uint8_t)lane};
}

static SimParty party_of(const Mark *m)
{
	return (SimParty){.site = m->site, .pid = m->program - 1, .warp = m->warp, .lanes = UINT32_C(1) << m->lane, .lane = m->lane,
			  .byte = m->byte};
}

static bool is_mine(const SimWarp *w, const Mark *m)
{
	return m->program == w->cta->pid + 1;
}

/* Kept where it says most: over an older one of the same warp, or one that is ordered before; of a program's the first warp's and
 * the last one's. */
static void note_read(SimWarp *w, Cell *c, Mark now)
{
	if ((is_mine(w, &c->read) && c->read.warp == w->index) || is_ordered(w, &c->read))
		c->read = now;
	else if (!is_mine(w, &c->other) || is_mine(w, &c->read) || is_ordered(w, &c->other))
		c->other = now;
}

static bool in_buffers(const SimCta *cta, uint64_t address)
{
	const SimRun *run = cta->run;
	if (!run->buffer_count)
		return false;
	const SimArray *b = &run->buffers[cta->hint];
	return address - b->base < b->size;
}

/* `byte`: of the lane's access, which is at `at`. */
static void report(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t byte, uint64_t at, DiagCode code, const Mark *m,
		   const char *now, const char *then)
{
	const SimRun *run = w->cta->run;
	const SimArray *b = &run->buffers[w->cta->hint];
	SimParty other = party_of(m);
	char place[512];
	sim_finding(w->cta->run, sim_party(w, i, lane, byte), &other, is_mine(w, m) ? DIAG_SIM_RACE : code,
		    is_mine(w, m) ? "%s at byte %llu of '%s' and %s at %s have no barrier between them" :
				    "%s at byte %llu of '%s' and %s at %s by another program, in any order",
		    now, (unsigned long long)(at - b->base), b->name, then, sim_place(run->kernel, sim_loc_of(run->kernel, &other), place, sizeof place));
}

void sim_race_read(SimWarp *w, const SimInstr *i, unsigned lane, const void *memory, uint32_t size, SimOrder order)
{
	uint64_t begin = (uint64_t)(uintptr_t)memory;
	SimCta *cta = w->cta;
	if (!in_buffers(cta, begin))
		return;
	if (order != SIM_PLAIN)
		acquire(cta, clock_of(begin));
	Mark now = mark_now(w, i, lane);
	now.is_volatile = order != SIM_PLAIN;
	for (uint64_t at = begin, next; at < begin + size; at = next) {
		Cell *c = cell_at(cta->run->races, at, begin + size, &next);
		if (!c)
			return;
		now.byte = (uint8_t)(at - begin);
		const Mark *with = !is_ordered(w, &c->write) ? &c->write : order == SIM_PLAIN && !is_ordered(w, &c->atomic) ? &c->atomic : NULL;
		note_read(w, c, now);
		if (with) {
			report(w, i, lane, now.byte, at, DIAG_SIM_PROGRAM_RACE, with, "the load",
			       with == &c->write ? "the store" : "the atomic operation");
			return;
		}
	}
}

void sim_race_write(SimWarp *w, const SimInstr *i, unsigned lane, const void *memory, uint32_t size, const void *value)
{
	uint64_t begin = (uint64_t)(uintptr_t)memory;
	SimCta *cta = w->cta;
	if (!in_buffers(cta, begin))
		return;
	Mark now = mark_now(w, i, lane);
	bool told = false;
	for (uint64_t at = begin, next; at < begin + size; at = next) {
		Cell *c = cell_at(cta->run->races, at, begin + size, &next);
		if (!c)
			return;
		now.byte = (uint8_t)(at - begin);
		const Mark *with = !is_ordered(w, &c->write) ? &c->write : !is_ordered(w, &c->atomic) ? &c->atomic :
				   !is_ordered(w, &c->read) ? &c->read : !is_ordered(w, &c->other) ? &c->other : NULL;
		bool same = with == &c->write && memcmp((const uint8_t *)memory + (at - begin), (const uint8_t *)value + (at - begin),
							next - at) == 0;
		if (with && !told && !(same && is_mine(w, with)))
			report(w, i, lane, now.byte, at, same ? DIAG_SIM_SAME_STORE : DIAG_SIM_PROGRAM_RACE, with, "the store",
			       with == &c->write ? "the store" : with == &c->atomic ? "the atomic operation" : "the load");
		told |= with != NULL;
		c->write = now;
	}
}

void sim_race_atomic(SimWarp *w, const SimInstr *i, unsigned lane, const void *memory, uint32_t size, SimOrder order)
{
	uint64_t begin = (uint64_t)(uintptr_t)memory;
	SimCta *cta = w->cta;
	if (!in_buffers(cta, begin))
		return;
	unsigned clock = clock_of(begin);
	if (order == SIM_ACQUIRE || order == SIM_ACQ_REL)
		acquire(cta, clock);
	else
		w->fence.pending |= UINT64_C(1) << clock;
	Mark now = mark_now(w, i, lane);
	for (uint64_t at = begin, next; at < begin + size; at = next) {
		Cell *c = cell_at(cta->run->races, at, begin + size, &next);
		if (!c)
			return;
		now.byte = (uint8_t)(at - begin);
		const Mark *with = !is_ordered(w, &c->write) ? &c->write : is_plain_race(w, &c->read) ? &c->read :
				   is_plain_race(w, &c->other) ? &c->other : NULL;
		c->atomic = now;
		if (with) {
			report(w, i, lane, now.byte, at, DIAG_SIM_PROGRAM_RACE, with, "the atomic operation",
			       with == &c->write ? "the store" : "the load");
			return;
		}
	}
}

bool sim_race_writer(const SimRaces *r, uint64_t address, SimParty *out)
{
	const Page *p = r->buckets[address / PAGE % BUCKETS];
	while (p && p->number != address / PAGE)
		p = p->next;
	if (!p)
		return false;
	uint32_t word = (uint32_t)(address % PAGE / WORD);
	const Cell *c = p->split[word] ? &p->bytes[address % PAGE] : &p->words[word];
	const Mark *m = c->atomic.time > c->write.time ? &c->atomic : &c->write;
	*out = party_of(m);
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
