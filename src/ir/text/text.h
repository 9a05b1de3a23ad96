/* The text form of the IR: MLIR's syntax with Triton's dialect, both ways. print -> read -> print is the
 * identity. Reads what upstream Triton 3.6 writes (raw and after its passes), and is read by it. */
#ifndef NESO_IR_TEXT_TEXT_H
#define NESO_IR_TEXT_TEXT_H

#include "base/diag/diag.h"
#include "ir/ir.h"

typedef struct IrPrintOptions {
	bool no_locations; /* loc(...) left out: for tests and for reading */
	bool generic;      /* every op in the generic form */
} IrPrintOptions;

void ir_print(Text *out, const IrModule *module, IrPrintOptions options);
void ir_print_op(Text *out, const IrModule *module, const IrOp *op, IrPrintOptions options); /* for messages */
void ir_print_type(Text *out, IrType type);
void ir_print_attr(Text *out, IrAttr attr);
/* A type as text in the arena, for messages. */
const char *ir_type_text(Arena *arena, IrType type);

/* NULL after diagnosing. Syntax errors have line and column of the source. Ops without loc(...) get their
 * place in the text as location. The result is not verified. */
IrModule *ir_read(IrCx *cx, const Source *source, DiagList *diags);

#endif
