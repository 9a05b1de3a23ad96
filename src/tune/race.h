/* Finds the fastest of several candidates by running them: which is a kernel's configuration, and
 * what running means, is the caller's.
 *
 * Method. Candidates are prepared (compiled) side by side. Then rounds: each runs every candidate
 * that is left once, in an order that changes from round to round, so that a clock that drifts
 * slows all of them alike. Two candidates are compared by the ratios of their times within rounds:
 * the median of these, and an interval from their spread and Student's distribution. One whose
 * interval lies above the best leaves. What many looks at the data would find by chance is allowed
 * for: a look at round n of `count` candidates has 1/(count n (n+1)) of the error that the whole
 * race may make.
 *
 * Deterministic: the same times give the same choice. Of candidates that differ by less than `tie`
 * the first one of the list is chosen. */
#ifndef NESO_TUNE_RACE_H
#define NESO_TUNE_RACE_H

#include "base/arena.h"

typedef enum TuneState {
	TUNE_UNTRIED, /* the budget ended before it ran */
	TUNE_FAILED, /* it does not compile, does not fit, spills, does not run, or computes
			something else: why says which */
	TUNE_HOPELESS, /* several times slower: it ran once or twice */
	TUNE_SLOWER, /* slower, with the confidence asked for */
	TUNE_CLOSE, /* not told apart from the one that was chosen, or within `tie` of it */
	TUNE_CHOSEN,
	TUNE__COUNT
} TuneState;

typedef enum TuneAnswer {
	TUNE_GOOD,
	TUNE_PASS, /* this candidate is out */
	TUNE_END /* so is the race: an error, or the caller wants to stop */
} TuneAnswer;

enum { TUNE_WHY = 256 };

/* Of options that are 0. */
#define TUNE_CONFIDENCE 0.99
#define TUNE_TIE 0.005

typedef struct TuneHooks {
	void *data;
	/* On any of `threads` threads; NULL: nothing is to be prepared. */
	TuneAnswer (*prepare)(void *data, uint32_t candidate, char why[TUNE_WHY]);
	/* One run, on the calling thread. */
	TuneAnswer (*measure)(void *data, uint32_t candidate, double *seconds, char why[TUNE_WHY]);
	/* A clock for the budget; NULL: the system's. */
	double (*now)(void *data);
	/* After each step, under a lock; steps are unknown before: `left` candidates are in the
	 * race. NULL: none. */
	void (*progress)(void *data, uint32_t candidate, uint32_t done, uint32_t all);
} TuneHooks;

typedef struct TuneOptions {
	double budget; /* seconds for all; 0: none */
	double confidence; /* 0: TUNE_CONFIDENCE */
	double tie; /* relative difference that does not count; 0: TUNE_TIE */
	double hopeless; /* times the best; 0: 2 */
	double resolution; /* of the clock, in seconds; 0: not known */
	uint32_t rounds_min, rounds_max; /* 0: 5, 100 */
	uint32_t warmups; /* runs of each that do not count; UINT32_MAX: none; 0: 1 */
	uint32_t threads; /* for preparing; 0: one per processor */
} TuneOptions;

typedef struct TuneCandidate {
	TuneState state;
	const char *why; /* FAILED; in the arena */
	uint32_t runs; /* that count */
	double median; /* seconds; of one that ran */
	double noise; /* standard deviation of a run by the median deviation, relative to the median
		       */
	double low, high; /* interval of its time relative to the chosen one's, 1: the same */
} TuneCandidate;

typedef struct TuneOutcome {
	TuneCandidate *candidates;
	uint32_t count;
	uint32_t chosen; /* count: none ran */
	bool settled; /* all others are slower or within `tie`, with the confidence asked for */
	bool out_of_time; /* the budget ended it */
	bool ended; /* TUNE_END */
	uint32_t rounds;
	double seconds; /* by the clock of the budget */
	double noise; /* the chosen one's */
} TuneOutcome;

/* Results live in the arena. */
void tune_race(Arena *arena, uint32_t count, const TuneHooks *hooks, const TuneOptions *options,
	       TuneOutcome *out);
const char *tune_state_text(TuneState state); /* "slower" */

#endif
