/* Diagnostics at an op's place, with a note for each call that the op was inlined through. */
#ifndef NESO_IR_DIAG_H
#define NESO_IR_DIAG_H

#include "base/diag/diag.h"
#include "ir/type.h"

/* Of a location's position (ir_loc_position), which may be NULL. Columns of the IR count from 0, a diagnostic's from 1. */
LineCol ir_loc_place(IrLoc position);

Diag *ir_diag(DiagList *list, IrLoc loc, DiagCode code, ...);
Diag *ir_diag_v(DiagList *list, IrLoc loc, DiagCode code, va_list args);

#endif
