/* The parts of nest-loops (nest_loops.c): a loop that counts the steps of tiles, as it was found,
 * and values at two places outside of the loop that it becomes. */
#ifndef NESO_GPU_PASS_NEST_H
#define NESO_GPU_PASS_NEST_H

#include "gpu/gpu.h"

enum { NEST_DEEP = 8 };

/* base + off; base NULL: a constant. Sums wrap, as the program's do. */
typedef struct NestLine {
	const IrValue *base;
	int64_t off;
} NestLine;

typedef struct Nest {
	PassCx *cx;
	IrModule *m;
	IrOp *loop;
	IrBlock *body;
	IrOp *yield;
	IrValue *step;		 /* the number of a tile's step */
	const IrValue *counter;	 /* what the loop carries for it, where that is another one; or NULL */
	const IrOp *quotient;	 /* the number of the tile; or NULL */
	NestLine steps;		 /* of a tile */
	VEC(IrOp *) first, last; /* branches and selects of the first and the last step, in order */
	IrValue **fresh;	 /* by what is carried: what the first step takes in its place; or NULL */
	bool *varies;		 /* by value: computed of what the last step decides */
	uint32_t values;
	VEC(IrValue *) more; /* of the last step, which nobody carries */
	IrOp *inner;
	IrValue *tile, *end; /* of the new loops: the tile's number; steps - 1 */
	const char *why;
} Nest;

/* ---- nest_find.c ---- */

/* Is it such a loop? Then n->why: what else keeps it from becoming two, or NULL. */
bool nest_find(Nest *n);
/* A branch or select of a tile's first or last step. */
bool nest_is_first(const Nest *n, const IrOp *op);
bool nest_is_last(const Nest *n, const IrOp *op);
/* Of a branch's sides the one that is taken where the step is that one. */
IrBlock *nest_side(const Nest *n, const IrOp *branch, bool taken);
/* The values of a branch or a select where the step is that one, and where it is not. */
IrValue *nest_value(const Nest *n, const IrOp *op, uint32_t result, bool taken);
/* Is it computed of what the last step decides? */
bool nest_varies(const Nest *n, const IrValue *v);
bool nest_is_outside(const Nest *n, const IrValue *v);
/* May it be computed elsewhere as well, where no condition stands between? Quotients too. */
bool nest_computes(const IrOp *op);

/* ---- nest_places.c: values of a tile's first and last step, outside of the loop inside ---- */

typedef struct NestPlace {
	Nest *nest;
	bool last;    /* else the first step */
	IrBuilder *b; /* NULL: may it be had there? */
	IrMapping map;
	bool *seen; /* by value, where b is NULL */
} NestPlace;

NestPlace nest_place(Nest *n, bool last, IrBuilder *b);
/* NULL: it is not to be had there. */
IrValue *nest_take(NestPlace *p, IrValue *v);
/* All that the first step decides, and what its branches do; all that goes to the next tile, and
 * what the branches of the last step do. */
bool nest_take_first(NestPlace *p);
bool nest_take_last(NestPlace *p);

/* ---- nest_tiles.c ---- */

/* What goes from tile to tile in the new loop is told by the tile's number, where it can be. */
void nest_tell_by_number(PassCx *cx, IrOp *outer);

#endif
