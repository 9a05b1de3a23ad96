/* What tt.print shows of tiles whose sizes are no powers of two: their elements, and not what pads
 * them in the IR. The attribute `neso.padded` of the op has the sizes of each operand, "6x7;;24":
 * those of a whole tile are left out. */
#ifndef NESO_IR_SHOWN_H
#define NESO_IR_SHOWN_H

#include "ir/ir.h"

/* The size of a dimension of an operand, of those that are printed. */
int64_t ir_shown_size(const IrOp *op, const IrCx *cx, uint32_t operand, uint32_t dim);

#endif
