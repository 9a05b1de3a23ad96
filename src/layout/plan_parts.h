/* Between the files of the planner: the parts of two
 * layouts, and what each way of converting offers. */
#ifndef NESO_LAYOUT_PLAN_PARTS_H
#define NESO_LAYOUT_PLAN_PARTS_H

#include "base/vec.h"
#include "layout/f2.h"
#include "layout/plan.h"

/* A distributed layout taken apart: images of the register bits and of the bits of the thread
 * word. */
typedef struct LayoutSide {
	unsigned registers, lanes, warps, blocks, threads;
	uint64_t reg[32], thread[LAYOUT_MAX_THREAD_BITS];
	F2Span span;     /* of the registers, in order */
	uint32_t pivots; /* registers whose image is not made of lower ones */
} LayoutSide;

typedef struct LayoutConversion {
	LayoutContext *cx;
	const Layout *source, *destination;
	LayoutSide src, dst;
	unsigned element_bits;
	uint32_t reps;
	const LayoutTarget *target;
	VEC(LayoutStep) steps;
} LayoutConversion;

static inline LayoutStep *layout_add_step(LayoutConversion *c, LayoutStepKind kind)
{
	vec_push(c->cx->arena, &c->steps, (LayoutStep){.kind = kind});
	return &vec_last(&c->steps);
}

/* Adds exchanges that XOR the index of an array of `count` elements with the sum of by[] over the
 * thread's bits. The number of steps. */
unsigned layout_add_exchanges(LayoutConversion *c, uint32_t count, const uint32_t *by, unsigned thread_bits);
/* Adds a rename unless it changes nothing. */
void layout_add_rename(LayoutConversion *c, const uint32_t *rename, uint32_t count, uint32_t old_count);
/* The selects of an exchange of this many elements, in 32-bit words. */
unsigned layout_exchange_selects(uint32_t count, unsigned element_bits);
/* From the costs of one repetition to those of all, and their sum. */
void layout_cost_finish(LayoutCost *cost, const LayoutTarget *target, uint32_t reps, LayoutBarrier barrier);

/* As layout_plan_access, with the instruction given, each within one pass (offset >> pass_shift);
 * false where it does not fit. */
bool layout_plan_access_as(const Layout *address, bool store, unsigned element_bits, LayoutAccessKind kind,
			   unsigned vector_bits, unsigned pass_shift, LayoutAccess *access);
/* Of one access, in quarter cycles of an SM: for comparing. */
unsigned layout_access_cost(const LayoutAccess *access);
/* How many exchanges the order of a thread's registers takes. */
unsigned layout_access_swaps(const LayoutAccess *access);
/* Instructions that put words together, or take them apart, where the vectors' words are not those
 * of neighbouring registers: what uses the elements (matrix instructions, packed arithmetic) wants
 * them by such words. */
unsigned layout_access_packs(const LayoutAccess *access);

/* Both fill plan's kind and cost and the conversion's
 * steps. Within warps: false where data crosses warps. */
bool layout_plan_within_warps(LayoutConversion *c, LayoutPlan *plan);
void layout_plan_through_shared(LayoutConversion *c, LayoutPlan *plan);

#endif
