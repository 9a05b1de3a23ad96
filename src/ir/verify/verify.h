/* The verifier: structure, types, and each op's own rules, per level. Collects all faults. */
#ifndef NESO_IR_VERIFY_VERIFY_H
#define NESO_IR_VERIFY_VERIFY_H

#include "base/diag/diag.h"
#include "ir/ir.h"

/* True when nothing is wrong. A fault is diagnosed at the op's location, with what was expected and found. */
bool ir_verify(const IrModule *module, IrLevel level, DiagList *diags);

#endif
