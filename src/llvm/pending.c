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
