/* The driver of elementwise operations, for all that applies a function to elements. */
#ifndef NESO_INTERP_ELEM_H
#define NESO_INTERP_ELEM_H

#include "interp/exec.h"

enum { ELEM_MAX_IN = 5 };
typedef struct ElemOp ElemOp;
/* n elements, all operands with unit stride. */
typedef void ElemScalar(const ElemOp *e, void *out, const void *const *in, size_t n);

enum { ELEM_UNARY, ELEM_BINARY, ELEM_TERNARY, ELEM_SELECT, ELEM_SCALAR };
struct ElemOp {
	uint8_t shape, count, size_log;
	bool mask_bool; /* the kernel leaves more than the low bit of an i1 */
	int8_t in_format[ELEM_MAX_IN], out_format; /* KF_..., or -1: as it is */
	KernUnary *unary;
	const KernBinarySet *binary;
	KernTernary *ternary;
	ElemScalar *scalar;
	const void *data; /* for scalar */
	int64_t imm;
};

ElemOp *elem_new(Decoder *d, unsigned shape, unsigned count);
/* out = e(in): out has type and shape; `i` (or NULL) names operands whose buffers may be taken over. */
void elem_run(Exec *x, const Instr *i, const ElemOp *e, Tile *out, const Tile *const *in);
/* As elem_run, for an `out` that has memory already, and views or splats. */
void elem_runs(Exec *x, const ElemOp *e, Tile *out, const Tile *const *in);
InstrFn elem_plain, elem_cmpi;
const Instr *elem_copy(Exec *x, const Instr *i, unsigned k); /* the result is operand k */
ElemScalar elem_sext_bool;
/* The instruction that knows lazy forms of this op, or NULL. */
InstrFn *elem_lazy_of(IrOpKind op, unsigned kind);

#endif
