/* The address ranges of a loop's accesses over all its iterations, as values computed in front of
 * it.
 *
 * Intervals are propagated through integer arithmetic and pointers as two i64 values each. A tile
 * has one interval for all its elements; the loop counter has the one between its bounds; the
 * increment of a carried value is multiplied by the trip count. Masks that compare an index with a
 * bound narrow it in the iteration of the access: they say nothing of what earlier iterations
 * added to a carried value. Intervals are exact; `sound` says, at run time, that nothing wraps on
 * the way. Loaded or otherwise unknown values have none. */
#ifndef NESO_GPU_ANALYSIS_RANGE_H
#define NESO_GPU_ANALYSIS_RANGE_H

#include "base/vec.h"
#include "gpu/layout/encoding.h"
#include "ir/ir.h"
#include "target/tensor_map.h"

/* i64 each: the least and the greatest value; of pointers: the address of the first byte of an element. */
typedef struct Range {
	IrValue *low, *high;
	unsigned bits; /* both lie in -2^bits ... 2^bits - 1 */
	int state;     /* range_int.h's */
} Range;

typedef struct RangeClamp {
	const IrValue *of;
	IrValue *low, *high; /* NULL: not narrowed there */
	uint32_t path;       /* of a tile: by which dims its elements are the access's */
} RangeClamp;

typedef struct Ranges {
	IrCx *ir;
	Arena *arena;
	IrOp *loop;       /* scf.for with signed comparison */
	IrBuilder before; /* where the values go: in front of the loop */
	IrValue *sound;   /* i1; NULL: always */
	Range *known[2];  /* by id of the values that there were at the start; [1]: as of iterations that have passed */
	uint32_t *paths[2]; /* likewise: with which path that was */
	bool past;        /* which of them is being computed */
	uint32_t values;
	Range trips;      /* iterations but one; low NULL: not computed yet */
	VEC(RangeClamp) clamps;
	uint32_t path;    /* the dims that were added between the access and what is looked at: digits of base 8 */
} Ranges;

void ranges_init(Ranges *r, IrModule *m, IrCx *ir, Arena *arena, IrOp *loop);
/* Of the bytes that an access in the loop may touch: *low the first, *high the one behind the last. `mask` may be NULL. False: not
 * known; ops that were made for it have no uses. */
bool ranges_access(Ranges *r, const IrValue *pointers, const IrValue *mask, IrValue **low, IrValue **high);
/* Likewise of the tensor behind a tensor map, all of it: args are the kernel's. */
bool ranges_tensor(Ranges *r, const TensorMapPlan *plan, IrValue *const *args, IrValue **low, IrValue **high);

#endif
