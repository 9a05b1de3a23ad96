/* The two sides of an `if` on a run-time condition: each is lowered into a block of its own, from
 * the same names; then one scf.if yields what they made different. */
#ifndef NESO_FRONT_LOWER_JOIN_H
#define NESO_FRONT_LOWER_JOIN_H

#include "front/core.h"

typedef struct Side {
	IrBlock *block;
	IrBuilder b; /* its end */
	SlotVec slots;
	Flow flow;
	bool is_case; /* of a `match`; the other side: the cases below it */
} Side;

/* What is lowered from here on goes to the side, with the names as `live` has them; until it is
 * closed. */
void side_open(FrontLower *low, Side *side, const SlotVec *live);
void side_close(FrontLower *low, Side *side, Flow flow);
/* One scf.if at `outer`, which low->b goes on behind; `before`: the names in front of it. */
Flow join_sides(FrontLower *low, IrBuilder outer, IrValue *cond, Side *t, Side *e, const SlotVec *before);
/* One scf.if of two sides that both go on: names that they assigned are joined, and their values
 * unless NULL. */
const Val *join_values(FrontLower *low, IrValue *cond, Side *t, Side *e, const SlotVec *before, const Val *a,
		       const Val *b);

#endif
