#include "interp/elem.h"
bool interp_INLINE_ASM(Decoder *d, const IrOp *op) { return decode_refuse(d, op, "inline PTX"); }
