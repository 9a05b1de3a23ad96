/* Reductions and scans over distributed layouts: the plan, separate from what executes it.
 *
 * A plan says which registers, lanes and warps combine, from the layout alone. Running a plan
 * calls an engine for each step: the lowering builds instructions, a test computes on simulated
 * threads. Values are opaque: one for each operand and register, for all threads at once.
 *
 * The order of combination is the same in every run and every thread:
 *	in a thread   the terms of a result, in order along the axis, are dealt to 4 chains (2 or 1
 *	              where their number is no multiple of 4), each combined from its first term on;
 *	              then chains 0 and 1, 2 and 3, and both
 *	in a warp     by pairs of lanes, one lane bit after the other
 *	across warps  the partial results of the warps, read back, like the terms of a thread (and,
 *	              where they are many or expensive to combine, of lanes)
 * The combining function is assumed associative and, as in upstream's reductions, commutative;
 * where that is not provable bit by bit (commutes), all threads still get the same bits. Scans
 * keep the order of the axis.
 *
 * Copies (layout.h) are counted once: only independent places take part. */
#ifndef NESO_GPU_REDUCE_COMBINE_H
#define NESO_GPU_REDUCE_COMBINE_H

#include "layout/plan.h"

/* What a plan is built with. Arrays of values: v[operand][register]. */
typedef struct GpuEngine {
	void *data;
	unsigned operands;
	bool commutes; /* combine(a, b) has the bits of combine(b, a) */
	/* out[operand] = the body on a (first along the axis) and b; out may be a or b. */
	void (*combine)(void *data, void *const *a, void *const *b, void **out);
	/* Of one operand: each result from its terms, values[term[result * terms ...]], at once;
	 * NULL, or false: by combine. */
	bool (*fold)(void *data, void **values, const uint32_t *term, uint32_t terms,
		     uint32_t results, void **out);
	/* The values of lane ^ lane_xor; in place. */
	void (*shuffle)(void *data, unsigned operand, void **values, uint32_t count, uint32_t lane_xor);
	/* The values of the lane that `lane` (see below) says; in place. */
	void (*shuffle_from)(void *data, unsigned operand, void **values, uint32_t count, void *lane);
	/* Each result combined over all 32 lanes at once, in every lane; false: do it by shuffles. In place. */
	bool (*combine_warp)(void *data, void ***values, uint32_t count);
	void *(*select)(void *data, unsigned operand, void *condition, void *yes, void *no);
	/* Conditions: parity of (thread word & mask) is 1; a position (below) is at least n. */
	void *(*parity)(void *data, uint32_t mask);
	void *(*at_least)(void *data, void *position, uint32_t n);
	void *(*either)(void *data, void *a, void *b); /* one of two conditions */
	/* The number whose bit i is the thread's bit thread_bits[i], or its complement. */
	void *(*position)(void *data, const unsigned *thread_bits, unsigned count, bool complement);
	/* Lanes: (own & keep) | set; and the own one with the number that the lane bits of `mask` make one less, or
	 * one more. At the ends any lane. */
	void *(*lane_at)(void *data, uint32_t keep, uint32_t set);
	void *(*lane_next)(void *data, uint32_t mask, bool more);
	/* All operands from one layout to another. Trips of one plan share no memory: trip is
	 * 0, 1, ... */
	void (*convert)(void *data, const Layout *from, const Layout *to, void ***values, unsigned trip);
	Arena *arena;
} GpuEngine;

/* ---- reductions ---- */

/* Lanes that combine: each with lane ^ `lane`, result i with its result i ^ reg. `bit` is the lane bit that tells the
 * two apart. halve: each of the two goes on with one half of the results (those with bit `half` 0 go to the lane
 * whose bit is 0). */
typedef struct GpuRound {
	uint32_t lane, reg;
	unsigned bit;
	bool halve;
} GpuRound;

/* What a thread and then a warp combine. */
typedef struct GpuFold {
	const Layout *from, *to;
	uint32_t results; /* before the rounds */
	uint32_t terms;   /* of each result: from's registers term[result * terms ...] */
	const uint32_t *term;
	unsigned kept_bits; /* bits of the result's number within a repetition, before the rounds */
	unsigned rounds;
	GpuRound round[6]; /* those that halve first: each splits the results' highest remaining bit */
	bool whole_warp;  /* the rounds meet all 32 lanes */
	bool spreads;     /* at the end lanes that halved read all results from one another */
} GpuFold;

typedef struct GpuReducePlan {
	const Layout *source; /* converted to first.from (the same, unless copies lie in other orders) */
	GpuFold first;
	/* Where the axis crosses warps: first.to has it shortened to the partial results; they are converted to
	 * `read`, which each thread combines by `second`. */
	bool crosses;
	const Layout *read;
	GpuFold second;
	const Layout *result; /* wanted at the end: the last fold's `to` is converted to it */
} GpuReducePlan;

/* What is known of the operands and of what combines two of them. */
typedef struct GpuReduceBody {
	unsigned element_bytes; /* of the widest operand */
	unsigned combine;       /* price of combining two, in plain instructions */
	unsigned exchange;      /* and of handing the operands to another lane */
	bool warp_op;		/* the engine has a combine_warp that takes these operands */
} GpuReduceBody;

/* `result` NULL: as the source without the axis (a scalar where that was all). */
GpuReducePlan gpu_plan_reduce(LayoutContext *cx, const Layout *source, unsigned axis, const Layout *result,
			      const GpuReduceBody *body);
/* Conversions of the plan, in the order of trips; their number. */
unsigned gpu_reduce_trips(const GpuReducePlan *plan, const Layout *from[3], const Layout *to[3]);
/* Replaces values[operand] (an array of the source's registers) by one of the result's. */
void gpu_run_reduce(const GpuReducePlan *plan, const GpuEngine *engine, void ***values);

/* ---- scans ---- */

typedef enum GpuScanKind { GPU_SCAN_REGISTERS, GPU_SCAN_REPS, GPU_SCAN_LANES, GPU_SCAN_WARPS } GpuScanKind;

/* Some bits of the axis that are of one kind of place, above those of the levels before. */
typedef struct GpuScanLevel {
	GpuScanKind kind;
	unsigned bits;      /* bit i of the level is place[i]: the number of a register, lane or warp bit */
	unsigned place[32]; /* of lanes ascending */
	uint32_t count;     /* 2^bits, or the repetitions of the axis */
	/* WARPS: the totals of blocks below the level; as every thread reads those of all warps, in new lowest
	 * registers. */
	const Layout *totals, *read;
} GpuScanLevel;

enum { GPU_SCAN_LEVELS = 24, GPU_SCAN_TRIPS = GPU_SCAN_LEVELS + 2 };

typedef struct GpuScanPlan {
	const Layout *source, *layout; /* the tile is converted to `layout`, scanned, and converted back */
	unsigned axis, levels;
	bool reverse;
	GpuScanLevel level[GPU_SCAN_LEVELS];
} GpuScanPlan;

GpuScanPlan gpu_plan_scan(LayoutContext *cx, const Layout *source, unsigned axis, bool reverse);
/* Conversions of the plan, in the order of trips; their number. */
unsigned gpu_scan_trips(const GpuScanPlan *plan, const Layout *from[GPU_SCAN_TRIPS], const Layout *to[GPU_SCAN_TRIPS]);
void gpu_run_scan(const GpuScanPlan *plan, const GpuEngine *engine, void ***values);

#endif
