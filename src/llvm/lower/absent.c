/* Ops that passes replace before anything is lowered. They get here from TTGIR text that was written or edited by hand. */
#include "llvm/lower.h"

#define ABSENT(name, why)                                                                           \
	bool lower_##name(Lower *lw, IrOp *op)                                                      \
	{                                                                                           \
		return lower_diag(lw, op->loc, DIAG_LOWER_ABSENT, ir_op_info[op->kind].text, why);  \
	}

#define POINTERS "descriptors become pointers in TTIR (lower-descriptors), or copies of tensor maps (tensor-copies)"
ABSENT(MAKE_TENSOR_PTR, "rewrite-tensor-pointer makes pointers of block pointers in TTIR")
ABSENT(ADVANCE, "rewrite-tensor-pointer makes pointers of block pointers in TTIR")
ABSENT(MAKE_TENSOR_DESC, POINTERS)
ABSENT(DESC_LOAD, POINTERS)
ABSENT(DESC_STORE, POINTERS)
ABSENT(DESC_REDUCE, POINTERS)
ABSENT(DESC_GATHER, POINTERS)
ABSENT(DESC_SCATTER, POINTERS)

ABSENT(DOT_SCALED, "decompose-dots makes other dots of it in TTIR")
