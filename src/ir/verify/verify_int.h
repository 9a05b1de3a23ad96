/* Between the files of the verifier: structure and dominance (verify.c), regions, calls and branches
 * (verify_flow.c), types and attributes of single ops (verify_ops.c). */
#ifndef NESO_IR_VERIFY_VERIFY_INT_H
#define NESO_IR_VERIFY_VERIFY_INT_H

#include "base/map.h"
#include "ir/diag.h"
#include "ir/text/asm.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"

typedef struct VerifyFlow {
	const IrBlock *idom; /* immediate dominator; of the entry block itself */
	uint32_t number;     /* in reverse post order of its region, from 1; 0: not reached */
	bool seen;
} VerifyFlow;

typedef struct Verifier {
	const IrModule *m;
	IrCx *cx;
	IrLevel level;
	DiagList *diags;
	Arena *arena;
	uint32_t *order;  /* by op id: place in its block, from 1 */
	VerifyFlow *flow; /* by block id */
	Map funcs; /* by name */
	bool failed;
} Verifier;

/* All of these are false after diagnosing, at the op's location and with its callers as notes. */
bool verify_failed(Verifier *v);
#define VERIFY_FAIL(v, op, ...) (ir_diag((v)->diags, (op)->loc, __VA_ARGS__), verify_failed(v))
bool verify_structure(Verifier *v, const IrOp *op, const char *text);
/* `tt.dot: WHAT must be EXPECTED; found FOUND` */
bool verify_must(Verifier *v, const IrOp *op, const char *what, const char *expected, const char *found);
bool verify_type(Verifier *v, const IrOp *op, const char *what, IrType expected, IrType found);
bool verify_number(Verifier *v, const IrOp *op, const char *what, int64_t expected, int64_t found);
/* The number of indices of a tile of a tensor. */
void verify_indices(Verifier *v, const IrOp *op, IrType tile, uint32_t found);
const char *verify_text(Verifier *v, const char *format, ...) PRINTF_LIKE(2, 3);

typedef void VerifyRule(Verifier *v, const IrOp *op);

#define RULES(verify, fold, neutral) VerifyRule verify_##verify;
#define OP(name, text, levels, takes, gives, regions, traits, type, format, attrs, rules, ...) rules
#include "ir/ops.def"
#undef OP
#undef RULES

/* Terminators and arguments of the op's regions. */
void verify_regions(Verifier *v, const IrOp *op);

#endif
