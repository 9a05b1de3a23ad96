/* Demoted constexprs: numbers that the kernel's source takes for constants and that the launch gives.
 *
 * A demoted parameter is a VAL_DEMOTED. It types as the number that it stands for: next to a tensor it takes the
 * tensor's type, alone the type of numbers of its size. Where a tensor is made of it, the function being lowered gets an
 * argument of the type wanted there (one for each type), which the launch converts the value to as the front end
 * converts constants. So nothing is rounded twice, and the code is that of a constant but for the operand.
 *
 * Who asks for the value itself (val_known) makes the parameter structural: that is noted with its place, the value is
 * given, and the caller of the lowering starts again with this parameter as a constant. Code that knows nothing of demotion
 * asks through val_as_int and the like, and so is right. */
#ifndef NESO_FRONT_DEMOTE_H
#define NESO_FRONT_DEMOTE_H

#include "front/lower.h"

typedef struct Demoted {
	FrontLower *low;
	uint32_t param;   /* of the kernel */
	Sym name;
	Span at;          /* of the parameter */
	const Val *value; /* a BOOL, INT or FLOAT */
	TlType type;      /* that it has as a tensor when nothing else says */
	bool structural;
	Span where;       /* what made it so: in the user's own files as long as there is a call from them */
	const char *why;  /* as a clause: "tl.arange wants 'end' when compiling" */
} Demoted;

/* An argument that a function takes besides its parameters: for a demoted parameter, or for a value
 * of the function around it (capture.c). */
typedef struct DemotedArg {
	Demoted *number; /* NULL: captured */
	TlType type;
	bool must_fit; /* a value that the type does not hold is an error where it is a constant */
	IrValue *ir;
	/* captured: the value, and the frame that has it */
	IrValue *outer;
	const struct Frame *frame;
} DemotedArg;

/* Of a function being lowered. */
typedef struct DemotedArgs {
	IrOp *func;
	VEC(DemotedArg) list;
} DemotedArgs;

/* The demoted number that a value is, or NULL. */
static inline Demoted *val_demoted(const Val *v)
{
	return v->kind == VAL_DEMOTED ? v->demoted : NULL;
}

/* v, or for a demoted number what it is worth, which makes it structural; why, as a clause, or NULL. */
const Val *val_known(const Val *v);
const Val *val_known_for(const Val *v, const char *why);
/* A demoted number as a tensor of a scalar type. must_fit: as for the operand of an operator. */
const Val *demoted_tensor(FrontLower *low, const Val *v, TlType type, bool must_fit);
/* The argument of the function being lowered for a value of another frame. */
IrValue *captured_argument(FrontLower *low, const struct Frame *frame, IrValue *outer);
/* What a call of a function with these arguments passes for them. */
IrValue *demoted_operand(FrontLower *low, const DemotedArg *arg);

#endif
