/* The rewriting engine of `fold` and `canonicalize`: a worklist of ops, constant folding, and the
 * rules of canon.def; and what a rule may use.
 *
 * A rule looks at one op and either changes nothing and returns false, or rewrites and returns
 * true. Contract of a rule:
 *	- It keeps the meaning exactly: every bit of every result, NaN and -0.0 included, and all
 *	  effects. (Undefined results may become anything.)
 *	- New ops go before the op that it was given (c->b stands there, with the op's location).
 *	- It changes uses by canon_replace and canon_set_operand, and erases ops by canon_erase, so
 *	  that the engine revisits everything that may have become simpler.
 *
 * Termination. Each rule makes (ops of the module, weighted) smaller in this lexical order:
 * regions, then memory ops, then elements computed (numel of results), then ops, then operands in
 * non-canonical position (constants on the left, comparisons of > kind with a constant that a <
 * could say). A rule that adds ops must remove more expensive ones. No rule undoes another: moves
 * go one way only (broadcast, splat and expand_dims towards uses; casts towards definitions;
 * constants to the right). Should a new rule break this, the engine stops after a bounded number
 * of steps; the result is still right. */
#ifndef NESO_IR_PASS_CANON_H
#define NESO_IR_PASS_CANON_H

#include "base/map.h"
#include "ir/pass.h"
#include "ir/rewrite/fold.h"

typedef VEC(IrOp *) CanonList;

/* Sets of rules: each pass runs some. */
enum { CANON_SIMPLIFY = 1, CANON_COMBINE = 2, CANON_REORDER = 4 };

typedef struct Canon {
	IrModule *m;
	IrCx *cx;
	Arena *scratch;
	IrBuilder b;       /* before the op that is looked at */
	IrOp *func;        /* the isolated op worked on */
	IrOp *last_constant; /* the constants stand first in the entry block, up to this one; or NULL */
	Map constants;     /* attribute -> op */
	CanonList work;    /* a stack */
	CanonList later;   /* loops and branches: looked at when `work` is empty, for it takes time */
	VEC(IrValue *) lost; /* operands of the op that is being erased */
	uint8_t *state;    /* by op id: CANON_QUEUED, CANON_DEAD */
	uint32_t state_cap;
	unsigned sets; /* of rules */
	bool changed;
	uint64_t fuel; /* rewrites left */
} Canon;

typedef bool CanonRule(Canon *c, IrOp *op);

/* ---- for rules ---- */

void canon_push(Canon *c, IrOp *op);         /* to be looked at (again) */
void canon_replace(Canon *c, IrValue *from, IrValue *to); /* all uses */
void canon_set_operand(Canon *c, IrOp *op, uint32_t i, IrValue *v);
void canon_erase(Canon *c, IrOp *op);        /* with its regions; results must be unused */
/* The op's only result becomes v, and the op goes. Returns true, for rules to end with. */
bool canon_replace_op(Canon *c, IrOp *op, IrValue *v);
/* The one op of this constant in the function, at its start. */
IrValue *canon_constant(Canon *c, IrAttr value);
IrValue *canon_int(Canon *c, IrType type, int64_t value); /* a tensor type: in all elements */
/* Before the terminator, or at the end, of `to` (which is moved, not copied). */
void canon_inline_block(Canon *c, IrBlock *from, IrOp *before, IrValue *const *args);

/* ---- questions ---- */

static inline IrOp *canon_def(const IrValue *v, IrOpKind kind)
{
	return v->def && v->def->kind == kind ? v->def : NULL;
}
/* Splat or scalar constant: *word gets the bits. */
static inline bool canon_word(const IrValue *v, uint64_t *word)
{
	IrAttr a = ir_constant_of(v);
	if (!a || !fold_is_constant(a) || !fold_is_splat(a))
		return false;
	*word = fold_word(a, 0);
	return true;
}
static inline bool canon_is_word(const IrValue *v, uint64_t word)
{
	uint64_t w;
	return canon_word(v, &w) && w == word;
}
static inline bool canon_is_int(const IrValue *v, int64_t value) /* compared in the type's width */
{
	uint64_t w;
	IrType elem = ir_elem(v->type);
	return ir_is_int(elem) && canon_word(v, &w) && w == fold_low((uint64_t)value, elem->bits);
}

#endif
