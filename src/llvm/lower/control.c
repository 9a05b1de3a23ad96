/* Control flow but for counted loops (loop.c). */
#include "llvm/lower/regs.h"
#include "llvm/lower_int.h"

/* ---- scf.while, scf.if ---- */

bool lower_WHILE(Lower *lw, IrOp *op)
{
	CONTRACT(op->region_count);
	IrBlock *test = op->regions[0].first, *body = op->regions[1].first;
	Regs inits = regs_of_operands(lw, op, 0);
	LLVMBasicBlockRef before = LLVMGetInsertBlock(lw->b), head = lower_new_block(lw, "while");
	LLVMBuildBr(lw->b, head);
	LLVMPositionBuilderAtEnd(lw->b, head);
	Regs carried = regs_phis(lw, &inits);
	regs_incoming(&carried, &inits, before);
	regs_give_args(lw, test, 0, &carried);
	if (!lower_block(lw, test))
		return false;
	const IrOp *condition = ir_terminator(test);
	Regs passed = regs_of_operands(lw, condition, 1);
	lower_line(lw, condition->loc);
	LLVMBasicBlockRef inside = lower_new_block(lw, "do"), exit = lower_new_block(lw, "done");
	LLVMBuildCondBr(lw->b, lower_scalar(lw, ir_operand(condition, 0)), inside, exit);

	LLVMPositionBuilderAtEnd(lw->b, inside);
	regs_give_args(lw, body, 0, &passed);
	if (!lower_block(lw, body))
		return false;
	Regs yields = regs_of_operands(lw, ir_terminator(body), 0);
	LLVMBasicBlockRef end = LLVMGetInsertBlock(lw->b);
	lower_line(lw, op->loc);
	lower_end_loop(lw, op, LLVMBuildBr(lw->b, head), false);
	regs_incoming(&carried, &yields, end);

	LLVMMoveBasicBlockAfter(exit, end);
	LLVMPositionBuilderAtEnd(lw->b, exit);
	regs_give_results(lw, op, &passed);
	return true;
}

bool lower_IF(Lower *lw, IrOp *op)
{
	CONTRACT(op->region_count);
	if (lower_as_table(lw, op))
		return true;
	IrBlock *sides[2] = {op->regions[0].first, op->regions[1].first};
	LLVMBasicBlockRef then = lower_new_block(lw, "then"), after = lower_new_block(lw, "endif");
	LLVMBasicBlockRef other = sides[1] ? lower_new_block(lw, "else") : after;
	LLVMBuildCondBr(lw->b, lower_scalar(lw, ir_operand(op, 0)), then, other);
	Regs yields[2];
	LLVMBasicBlockRef ends[2] = {NULL, NULL};
	for (int i = 0; i < 2; i++) {
		if (!sides[i])
			continue;
		LLVMBasicBlockRef start = i ? other : then;
		LLVMMoveBasicBlockAfter(start, i ? ends[0] : LLVMGetInsertBlock(lw->b));
		LLVMPositionBuilderAtEnd(lw->b, start);
		if (!lower_block(lw, sides[i]))
			return false;
		const IrOp *end = ir_terminator(sides[i]);
		yields[i] = end ? regs_of_operands(lw, end, 0) : (Regs){0};
		ends[i] = LLVMGetInsertBlock(lw->b);
		lower_line(lw, op->loc);
		LLVMBuildBr(lw->b, after);
	}
	LLVMMoveBasicBlockAfter(after, ends[1] ? ends[1] : ends[0]);
	LLVMPositionBuilderAtEnd(lw->b, after);
	if (!op->result_count)
		return true;
	Regs results = regs_phis(lw, &yields[0]);
	for (int i = 0; i < 2; i++)
		regs_incoming(&results, &yields[i], ends[i]);
	regs_give_results(lw, op, &results);
	return true;
}

/* Terminators are read by the ops that they end. */
#define TERMINATOR(name)                         \
	bool lower_##name(Lower *lw, IrOp *op)   \
	{                                        \
		(void)lw;                        \
		(void)op;                        \
		BUG("a terminator in a block");  \
	}
TERMINATOR(YIELD)
TERMINATOR(CONDITION)
TERMINATOR(RETURN)
TERMINATOR(WARP_YIELD)
TERMINATOR(WARP_RETURN)
TERMINATOR(WARP_PARTITIONS)

/* TTIR has them before `structure` alone. */
TERMINATOR(BR)
TERMINATOR(COND_BR)

bool lower_POISON(Lower *lw, IrOp *op)
{
	const IrValue *result = ir_result(op, 0);
	uint32_t count = lower_count(lw, result->type);
	LLVMValueRef *regs = lower_array(lw, count);
	for (uint32_t i = 0; i < count; i++)
		regs[i] = LLVMGetUndef(lower_type(lw, result->type));
	lower_set(lw, result, regs, count);
	return true;
}

bool lower_ASSUME(Lower *lw, IrOp *op)
{
	lower_intrinsic1(lw, "llvm.assume", lw->t.void_, lower_scalar(lw, ir_operand(op, 0)));
	return true;
}
