/* Handles taken apart: block pointers and tensor descriptors are values that stand for several
 * plain ones (base, shape, strides, ...: the parts). This engine replaces each handle by its parts
 * through loops, branches, selects and calls; the two passes on top of it say what makes a handle
 * and what uses one.
 *
 * A part that is the same value wherever a loop or branch could hand it on stays outside of it;
 * only parts that vary are carried. */
#ifndef NESO_IR_REWRITE_EXPLODE_H
#define NESO_IR_REWRITE_EXPLODE_H

#include "base/map.h"
#include "ir/pass.h"

enum { EXPLODE_MAX_PARTS = 3 * IR_MAX_RANK + 1 };

/* The parts of one handle, in the order that the pass defines. */
typedef struct Parts {
	uint32_t count;
	IrValue *at[EXPLODE_MAX_PARTS];
} Parts;

typedef struct Explode Explode;

typedef struct ExplodeHooks {
	bool (*is_handle)(IrType type);
	uint32_t (*part_types)(Explode *e, IrType handle, IrType *types);
	/* Which value is part i of what `op` makes, before any conversion to the part's type; NULL:
	 * one of its own. */
	IrValue *(*token)(const IrOp *op, uint32_t i);
	/* Is it an op that makes a handle (perhaps out of another one, operand 0)? */
	bool (*makes)(const IrOp *op);
	/* Fills the parts that have no token; e->b stands before op. */
	void (*make)(Explode *e, IrOp *op, const Parts *from, Parts *parts);
	/* Replaces an op that uses handles otherwise, or returns false when it is not known. */
	bool (*use)(Explode *e, IrOp *op);
} ExplodeHooks;

struct Explode {
	PassCx *cx;
	IrModule *m;
	const ExplodeHooks *hooks;
	IrBuilder b;
	Map known;          /* handle -> Tokens */
	Map parts;          /* handle -> Parts */
	Map moved;          /* plain value that was replaced, because its op or block was -> the new one */
	VEC(IrOp *) touched; /* ops with handles among operands, results or arguments, in program order */
	VEC(IrOp *) dead;   /* ops that stood for handles */
	bool failed;
};

bool explode_run(PassCx *cx, const ExplodeHooks *hooks, bool *changed);
const Parts *explode_parts(Explode *e, IrValue *handle);
/* The value as type `type`: sign-extended when it is a narrower integer. */
IrValue *explode_as(Explode *e, IrValue *v, IrType type);

/* ---- explode_tokens.c, for explode.c ---- */

bool explode_is_handle(const Explode *e, const IrValue *v);
bool explode_find_tokens(Explode *e); /* true when there are handles */
IrValue *explode_token(Explode *e, IrValue *handle, uint32_t part); /* NULL: it varies, or is never known */
bool explode_varies(Explode *e, IrValue *handle, uint32_t part);

/* ---- access to a tile in memory ---- */

typedef struct TileAccess {
	IrType tile;                      /* tensor<shape x elem> */
	IrValue *base;                    /* scalar pointer */
	IrValue *shape[IR_MAX_RANK];      /* i64 */
	IrValue *strides[IR_MAX_RANK];    /* i64, in elements */
	IrValue *offsets[IR_MAX_RANK];    /* i64 scalar: a range from here; or i64 tile of rank 1: as given */
	bool check[IR_MAX_RANK];          /* is dimension d masked to [0, shape)? */
} TileAccess;

IrValue *tile_pointers(IrBuilder *b, const TileAccess *t);
IrValue *tile_mask(IrBuilder *b, const TileAccess *t); /* NULL: nothing is checked */

#endif
