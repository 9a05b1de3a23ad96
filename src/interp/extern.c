#include "interp/elem.h"
bool interp_EXTERN(Decoder *d, const IrOp *op) { return decode_refuse(d, op, "this function"); }
