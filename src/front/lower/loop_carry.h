/* The names that a run-time loop hands from turn to turn: each that its body may assign and that
 * has a value before it. Values that come out as they went in are taken back out when the body has
 * been lowered. */
#ifndef NESO_FRONT_LOWER_LOOP_CARRY_H
#define NESO_FRONT_LOWER_LOOP_CARRY_H

#include "front/core.h"

typedef struct Carried {
	Sym name;
	uint32_t slot;
	const Val *init;
	uint32_t first, count; /* of its IR values among the loop's */
	bool changed;          /* an object whose fields the body assigns */
	bool fleeting;         /* each turn assigns it before it is read: nothing is handed on */
} Carried;

typedef struct Loop {
	FrontLower *low;
	Span span;
	VEC(Carried) names;
	ValueVec init, args, next; /* args: of the block that the body reads them from */
	bool *drop;                /* by IR value: not carried after all */
	LoopExits exits;
	Sym whole; /* as loop_may_break gives it */
	const Ast *test; /* of a `while`, else NULL */
} Loop;

/* What the loop may carry: `skip` is its own variable. */
void carry_find(Loop *loop, const AstList *body, const SymVec *assigned, Sym skip);
/* Block arguments for the carried values; the names mean them from here on. is_body: the fields of
 * objects may be assigned in this block. */
void carry_enter(Loop *loop, IrBlock *block, bool is_body, ValueVec *args);
/* A name that has no value before the loop is carried as well: nothing goes in. An argument for
 * each of its values in `block`. */
void carry_late(Loop *loop, IrBuilder *outer, Sym name, const Val *v, IrBlock *block, ValueVec *args);
/* What the loop may return is known when its body has been lowered. True when it is carried
 * late. */
bool carry_returned(Loop *loop, IrBuilder *outer, IrBlock *block);
bool carry_has(const Loop *loop, uint32_t slot);
bool carry_is_same(const Val *a, const Val *b); /* of what has no IR values */
void carry_error(Loop *loop, const Carried *c, const Slot *slot); /* the body leaves another kind of value */
/* What the body leaves in the carried names. */
void carry_collect(Loop *loop);
/* `passed`: what the test of a `while` hands on of the arguments `first`; NULL for a `for`. */
void carry_find_dropped(Loop *loop, const ValueVec *first, ValueVec *passed);
void carry_drop_args(const Loop *loop, IrBlock *block, const ValueVec *args);
ValueVec carry_kept(const Loop *loop, const ValueVec *all);
IrType *carry_types(FrontLower *low, const ValueVec *values);
/* After the loop: carried names are its results, from `result` on; what was first assigned in it
 * has no value. */
void carry_leave(Loop *loop, const SlotVec *before, const IrOp *op, uint32_t result, Sym variable);

#endif
