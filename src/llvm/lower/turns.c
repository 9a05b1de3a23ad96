/* Turns of warp groups: a named barrier for each, at which it waits, and the one before it arrives.
 *
 * They are the last ones that there are; roles count from the first (roles.c). Source: PTX ISA 8.8,
 * "bar": who waits and who arrives are counted together. */
#include "llvm/lower.h"
#include "llvm/machine.h"

enum {
	WARPS_OF_A_GROUP = 4,
	NAMED_BARRIERS = 16,
	MEETING = 2 /* the group that waits, the one that arrives */
};

static unsigned groups_of(const Lower *lw)
{
	CONTRACT(lw->gpu->num_warps % WARPS_OF_A_GROUP == 0);
	return lw->gpu->num_warps / WARPS_OF_A_GROUP;
}

static LLVMValueRef threads(Lower *lw)
{
	return lower_i32(lw, (int64_t)MEETING * WARPS_OF_A_GROUP * TARGET_WARP_SIZE);
}

static LLVMValueRef group(Lower *lw)
{
	return LLVMBuildUDiv(lw->b, lower_warp(lw), lower_i32(lw, WARPS_OF_A_GROUP), "");
}

static LLVMValueRef is_last(Lower *lw)
{
	return LLVMBuildICmp(lw->b, LLVMIntEQ, group(lw), lower_i32(lw, (int64_t)groups_of(lw) - 1), "");
}

static LLVMValueRef barrier_of(Lower *lw, LLVMValueRef number)
{
	return LLVMBuildAdd(lw->b, number, lower_i32(lw, NAMED_BARRIERS - (int64_t)groups_of(lw)), "");
}

bool lower_BEGIN_TURNS(Lower *lw, IrOp *op)
{
	(void)op;
	LowerIf last = lower_begin_if(lw, is_last(lw));
	MACHINE2(lw, named_arrive, barrier_of(lw, lower_i32(lw, 0)), threads(lw));
	lower_end_if(lw, last);
	return true;
}

bool lower_TAKE_TURN(Lower *lw, IrOp *op)
{
	(void)op;
	MACHINE2(lw, named_barrier, barrier_of(lw, group(lw)), threads(lw));
	return true;
}

bool lower_PASS_TURN(Lower *lw, IrOp *op)
{
	bool last_round = ir_get_bool(op, lw->gpu->ir, ATTR_LAST_ROUND);
	LLVMValueRef last = is_last(lw), more = LLVMBuildAdd(lw->b, group(lw), lower_i32(lw, 1), "");
	LLVMValueRef next = LLVMBuildSelect(lw->b, last, lower_i32(lw, 0), more, "");
	LowerIf others = {0};
	if (last_round)
		others = lower_begin_if(lw, LLVMBuildNot(lw->b, last, ""));
	MACHINE2(lw, named_arrive, barrier_of(lw, next), threads(lw));
	if (last_round)
		lower_end_if(lw, others);
	return true;
}
