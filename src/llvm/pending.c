/* Hooks of ops that are not lowered yet: a diagnostic at the op. */
#include "llvm/lower_int.h"

static bool pending(Lower *lw, IrOp *op)
{
	return lower_diag(lw, op->loc, DIAG_INTERNAL, ir_op_info[op->kind].text);
}

#define PENDING(name)                                \
	bool lower_##name(Lower *lw, IrOp *op)       \
	{                                            \
		return pending(lw, op);              \
	}

PENDING(DOT_SCALED)
PENDING(EXTERN)
PENDING(MAKE_TENSOR_PTR)
PENDING(ADVANCE)
PENDING(MAKE_TENSOR_DESC)
PENDING(DESC_LOAD)
PENDING(DESC_STORE)
PENDING(DESC_REDUCE)
PENDING(DESC_GATHER)
PENDING(DESC_SCATTER)
PENDING(WARP_SPECIALIZE)
PENDING(WARP_PARTITIONS)
PENDING(WARP_YIELD)
PENDING(WARP_RETURN)
