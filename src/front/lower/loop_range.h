/* What a run-time `for` runs over. */
#ifndef NESO_FRONT_LOWER_LOOP_RANGE_H
#define NESO_FRONT_LOWER_LOOP_RANGE_H

#include "front/core.h"

/* The loop of the IR goes from `from` below `to`, compared as signed numbers, by a `by` above 0. */
typedef struct LoopRange {
	const Val *from, *to, *by;
	const Val *start, *step; /* COUNTED: the loop counts turns */
	TlType type;             /* of the variable */
	enum { RANGE_FORWARD, RANGE_BACKWARD, RANGE_COUNTED } kind;
	bool ok;                 /* false: diagnosed */
} LoopRange;

LoopRange loop_range(FrontLower *low, const Val *range);
/* The variable in the turn of the loop's own. */
const Val *loop_range_at(FrontLower *low, const LoopRange *r, IrValue *turn);
/* Of a loop that may be left, which asks at the end of a turn: does another one come, and which?
 * The count of turns that are left is what says so: the last turn and a step may be more than
 * the type holds. */
const Val *loop_range_any(FrontLower *low, const LoopRange *r);
const Val *loop_range_more(FrontLower *low, const LoopRange *r, IrValue *turn);
const Val *loop_range_next(FrontLower *low, const LoopRange *r, IrValue *turn);

#endif
