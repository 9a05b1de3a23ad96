/* How to get a tile from one distributed layout to another, as data.
 *
 * A plan is a list of steps over the array of elements that each thread holds. It starts with the
 * source's registers and ends with the destination's. Everything is linear over F2: a step that
 * depends on the thread says by which bits of the `thread word` (lane bits lowest, then warp, then
 * block bits), so that lowering is a few ANDs, XORs and selects, and a simulator can run it. All
 * repetitions of a tile whose size is no power of two do the same steps, on their own part of the
 * registers (see layout_plan_source_rep).
 *
 * What is predicted is per warp, for all repetitions: instructions, and the wavefronts of shared
 * memory (passes through its 32 banks of 4 bytes) that conflicts cause. The hardware takes a warp's
 * access in groups of 32, 16 or 8 lanes when a lane's share is up to 4, 8 or 16 bytes; a group
 * takes as many wavefronts as the busiest bank has different words. */
#ifndef NESO_LAYOUT_PLAN_H
#define NESO_LAYOUT_PLAN_H

#include "layout/layout.h"

#define LAYOUT_MAX_THREAD_BITS 20

/* ---- one side of a trip through shared memory ---- */

typedef enum LayoutAccessKind {
	LAYOUT_ACCESS_VECTOR,       /* ld.shared / st.shared of 2^vector_bits elements */
	LAYOUT_ACCESS_MATRIX,       /* ldmatrix / stmatrix, .b16 */
	LAYOUT_ACCESS_MATRIX_TRANS, /* the same with .trans; elements of 16 bits, or pairs of 8 */
} LayoutAccessKind;

typedef struct LayoutRepeat {
	uint32_t registers;
	uint64_t address;
} LayoutRepeat;

/* All that a thread loads or stores of one F2 tile. Instruction i (its bits select `repeat`s) uses
 *
 *	registers  XOR of the chosen repeat[].registers; in it the element with bits e (of vector) and
 *	           m (of matrix) is the XOR of the chosen vector[] and matrix[]
 *	address    XOR of the chosen repeat[].address and of thread_address[] over the bits of the
 *	           thread word. Its low offset_bits are the offset in elements: of the vector's start
 *	           or, for matrices, of the row whose address this lane gives (row lane % 8 of matrix
 *	           lane / 8). The bits above are the block whose shared memory it is: the own one
 *	           unless data crosses blocks
 *
 * A vector is its 2^vector_bits elements from low to high
 * offsets. For matrices the vector is one 32-bit register. */
typedef struct LayoutAccess {
	LayoutAccessKind kind;
	bool store;
	unsigned element_bits;
	unsigned vector_bits, matrix_bits, repeat_bits, thread_bits, offset_bits;
	uint32_t vector[5];
	uint32_t matrix[2];
	LayoutRepeat repeat[32];
	uint64_t thread_address[LAYOUT_MAX_THREAD_BITS];
	/* Where this is not 0 the order of a thread's registers depends
	 * on the thread: before a store, or after a load, element i
	 * trades places with i ^ (XOR of swap[] over the thread's bits). */
	uint32_t swap[LAYOUT_MAX_THREAD_BITS];
	uint32_t idle;       /* threads with any of these bits hold copies and take no part (stores alone) */
	uint32_t registers;  /* register bits that are accessed; the others are copies of these */
	unsigned wavefronts; /* of one instruction of a warp */
	unsigned least;      /* the same without conflicts */
} LayoutAccess;

typedef struct LayoutTarget {
	const struct TargetCosts *costs; /* target/cost.h */
	bool ldmatrix, stmatrix;
	uint64_t shared_bytes; /* what a conversion may take; 0: any amount */
} LayoutTarget;

/* Loads or stores between a distributed layout and shared memory. `address` maps register, lane,
 * warp, block to offset (and block): compose the inverse of a shared layout with a distributed one,
 * or take layout_plan's. */
void layout_plan_access(const Layout *address, bool store, unsigned element_bits, const LayoutTarget *target,
			LayoutAccess *access);
unsigned layout_access_instructions(const LayoutAccess *access);
/* For each register its copy that is accessed; out has 2^(register bits) places. */
void layout_access_copies(const Layout *address, uint32_t *out);

/* ---- plans ---- */

typedef enum LayoutPlanKind {
	LAYOUT_PLAN_NOTHING,
	LAYOUT_PLAN_REGISTERS, /* renames, and selects where lanes differ; nothing leaves the thread */
	LAYOUT_PLAN_SHUFFLE,   /* warp shuffles with selects around */
	LAYOUT_PLAN_SHARED,
} LayoutPlanKind;

typedef enum LayoutStepKind {
	LAYOUT_STEP_RENAME,   /* element i becomes old element rename[i] */
	/* where the parity of (thread & mask) is 1: element i trades with i ^ distance */
	LAYOUT_STEP_EXCHANGE,
	LAYOUT_STEP_SHUFFLE,
	LAYOUT_STEP_STORE,
	LAYOUT_STEP_BARRIER,
	LAYOUT_STEP_LOAD,
} LayoutStepKind;

typedef enum LayoutBarrier { LAYOUT_BARRIER_WARP, LAYOUT_BARRIER_CTA, LAYOUT_BARRIER_CLUSTER } LayoutBarrier;

/* New element `to` is old element `from` of lane (lane_map of the own thread) ^ lane. */
typedef struct LayoutMove {
	uint32_t to, from, lane;
} LayoutMove;

typedef struct LayoutStep {
	LayoutStepKind kind;
	uint32_t count; /* elements afterwards */
	const uint32_t *rename;
	uint32_t distance, mask;
	/* A shuffle: moves in groups of per_word, each group one value of up to 32 bits (two for
	 * 64-bit elements) from one lane. The lane map is linear: XOR of lane_map[] over the
	 * thread's bits. A group whose lane is always the own one is a plain move. */
	const LayoutMove *moves;
	uint32_t move_count;
	unsigned per_word;
	bool own_lane; /* the lane map is the identity */
	uint32_t lane_map[LAYOUT_MAX_THREAD_BITS];
	/* Stores read the elements as they are; loads fill the elements of afterwards. A store or
	 * load of pass p is those instructions whose offset >> pass_shift is p. */
	unsigned pass;
	LayoutBarrier barrier;
} LayoutStep;

typedef struct LayoutCost {
	unsigned shuffles, selects, stores, loads, barriers;
	unsigned packs; /* instructions that make words of elements below 32 bits */
	unsigned idle_bits; /* one of 2^idle_bits warps stores, the others hold copies */
	unsigned store_wavefronts, load_wavefronts;
	unsigned excess_wavefronts; /* those due to bank conflicts */
	uint64_t shared_bytes;
	unsigned total; /* quarter cycles of an SM; only for comparing plans */
} LayoutCost;

typedef struct LayoutPlan {
	LayoutPlanKind kind;
	const Layout *source, *destination;
	unsigned element_bits;
	const LayoutStep *steps;
	uint32_t step_count;
	/* Shared memory: offsets are in elements within one repetition; repetition r starts at r <<
	 * offset_bits, r counted as in the source. Where the repetitions take turns, all start at
	 * 0, and the steps from the first store to the last load are done for each, with their
	 * barrier in between. */
	LayoutAccess store, load;
	const Layout *store_address, *load_address;
	unsigned offset_bits, pass_shift, passes;
	bool repetitions_take_turns;
	LayoutCost cost;
	LayoutTarget target;
	struct LayoutPlan *next; /* in the context's memory of plans */
} LayoutPlan;

/* Offset -> tile: the memory of a plan through shared memory, as it stores there. */
const Layout *layout_plan_memory(LayoutContext *cx, const LayoutPlan *plan);
/* Both layouts are onto the same tile and have equally many lanes, warps and blocks. The context
 * remembers plans: asking again for the same is a lookup. */
const LayoutPlan *layout_plan(LayoutContext *cx, const Layout *source, const Layout *destination,
			      unsigned element_bits, const LayoutTarget *target);
/* The same, but always through shared memory. */
const LayoutPlan *layout_plan_shared(LayoutContext *cx, const Layout *source, const Layout *destination,
				     unsigned element_bits, const LayoutTarget *target);
/* The repetition of the source that holds what repetition `rep` of the destination wants. */
uint32_t layout_plan_source_rep(const Layout *source, const Layout *destination, uint32_t rep);
void layout_plan_print(Text *t, const LayoutPlan *plan);

#endif
