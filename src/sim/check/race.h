/* Inside race.c and order.c: what is noted of global memory, and what is ordered. */
#ifndef NESO_SIM_CHECK_RACE_H
#define NESO_SIM_CHECK_RACE_H

#include "sim/sim_int.h"

enum { RACE_PAGE = 1024, RACE_WORD = 4, RACE_PAGE_WORDS = RACE_PAGE / RACE_WORD };
enum { RACE_BUCKETS = 1 << 14, RACE_CLOCKS = 64 };

/* An access. FRESH: a load that is no race with atomic operations. CTA: an atomic operation of a
 * CTA's scope. CACHED: a load that leaves what it finds in the first-level cache. ASYNC: a write of
 * an asynchronous unit; FLYING: it is under way. */
enum { MARK_FRESH = 1, MARK_CTA = 2, MARK_CACHED = 4, MARK_ASYNC = 8, MARK_FLYING = 16 };
typedef struct RaceMark {
	uint32_t program; /* its number and one; 0: none */
	uint32_t time;
	uint32_t site;    /* as in SimParty */
	uint8_t warp, lane, byte, flags;
} RaceMark;

typedef struct RaceCell {
	RaceMark write, atomic, read, other; /* other: a read by another program than `read` */
	/* An atomic operation that nothing orders before `atomic`; another program's, if any. */
	RaceMark earlier;
} RaceCell;

typedef struct RacePage {
	uint64_t number; /* of its address */
	struct RacePage *next;
	RaceCell words[RACE_PAGE_WORDS];
	RaceCell *bytes; /* NULL, or a byte's where its word is split */
	bool split[RACE_PAGE_WORDS];
} RacePage;

/* What is ordered of a program's accesses: all before `all`, and its warp's before `own`; and, of
 * its writes, those before `proxied` for asynchronous units too: somebody on the way has fenced
 * them. */
typedef struct Known {
	uint32_t all, own, warp, proxied;
} Known;

/* What is ordered before a program or a warp, or what was released at some addresses. */
struct SimKnown {
	uint32_t seen[RACE_CLOCKS]; /* of who acquires: the clocks' versions that are in it */
	Known of[];                 /* by program */
};

struct SimRaces {
	uint32_t time;
	uint64_t programs;
	RacePage *buckets[RACE_BUCKETS], *last;
	RacePage **pages; /* in the order in which they were made */
	size_t count, cap, oldest;
	uint64_t bytes, most; /* of pages; how many there may be */
	bool forgot;
	SimKnown *clocks[RACE_CLOCKS]; /* NULL: nothing was released there */
	uint32_t versions[RACE_CLOCKS];
	uint32_t floors[RACE_CLOCKS];  /* of many programs: all before it is ordered */
	bool no_memory;
};

/* The cell of what begins at `at` and ends before `end`; *next: where the next one's begins.
 * NULL: no memory. */
RaceCell *race_cell_at(SimRaces *r, uint64_t at, uint64_t end, uint64_t *next);
SimParty race_party(const RaceMark *m);
bool race_in_buffers(const SimCta *cta, uint64_t address);
/* race_async.c: the finding that an access, `now`, meets a write that is under way. */
void race_report_flying(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t byte, uint64_t at,
			const RaceMark *m, const char *now);
/* Is the earlier access, by anyone, ordered before one of this lane now? Lanes of a warp are not,
 * between meetings of theirs. */
bool race_is_ordered(const SimWarp *w, unsigned lane, const RaceMark *m);
unsigned race_clock(uint64_t address);
/* A write of another program, which is ordered: has somebody fenced it for asynchronous units? */
bool race_is_proxied(const SimWarp *w, const RaceMark *m);
/* The lane has acquired what was released there; `fresh`: by an operation that drops what the
 * first-level cache holds, too. */
void race_acquire(SimWarp *w, unsigned lane, unsigned clock, bool fresh);

#endif
