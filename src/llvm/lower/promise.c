/* What tl.multiple_of and tl.max_contiguous promise, said as assumptions: for who runs the code
 * and checks them.
 *
 * Of a number, that it is a multiple. Of a tile, where an access takes several elements at once:
 * that their addresses are what it takes them to be, if the kernel has such a hint at all.
 * Alignment is checked by the access itself. */
#include "gpu/analysis/axis.h"
#include "llvm/lower_int.h"
#include "llvm/memory/memory.h"

static void assume(Lower *lw, LLVMValueRef holds)
{
	if (!LLVMIsAConstantInt(holds) || !LLVMConstIntGetZExtValue(holds))
		lower_intrinsic1(lw, "llvm.assume", lw->t.void_, holds);
}

static LLVMValueRef as_number(Lower *lw, LLVMValueRef v)
{
	bool pointer = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind;
	return pointer ? LLVMBuildPtrToInt(lw->b, v, lw->t.i64, "") : v;
}

static void assume_multiple(Lower *lw, const LowerValue *v, int64_t of)
{
	LLVMValueRef number = as_number(lw, v->regs[0]);
	LLVMTypeRef type = LLVMTypeOf(number);
	if (of < 2 || LLVMGetTypeKind(type) != LLVMIntegerTypeKind || (of & (of - 1)))
		return;
	LLVMValueRef rest = LLVMBuildAnd(lw->b, number, LLVMConstInt(type, (uint64_t)of - 1, false), "");
	assume(lw, LLVMBuildICmp(lw->b, LLVMIntEQ, rest, LLVMConstNull(type), ""));
}

/* Of an element that an access moves with its first one: nothing is promised where it is masked
 * off. */
static void assume_next(Lower *lw, LLVMValueRef first, LLVMValueRef next, uint64_t bytes,
			LLVMValueRef condition)
{
	LLVMValueRef wanted = LLVMBuildAdd(lw->b, first, LLVMConstInt(lw->t.i64, bytes, false), "");
	LLVMValueRef holds = LLVMBuildICmp(lw->b, LLVMIntEQ, as_number(lw, next), wanted, "");
	if (condition && !LLVMIsAConstantInt(holds))
		holds = LLVMBuildOr(lw->b, holds, LLVMBuildNot(lw->b, condition, ""), "");
	assume(lw, holds);
}

void lower_promised_run(Lower *lw, const GlobalTile *tile, uint32_t rep, uint32_t start, LLVMValueRef access)
{
	bool masked = LLVMIsACallInst(access) && LLVMGetNumArgOperands(access) > 1 &&
		      LLVMTypeOf(LLVMGetOperand(access, 1)) == lw->t.i1;
	LLVMValueRef condition = masked ? LLVMGetOperand(access, 1) : NULL;
	if (!lw->predictions || !lw->hinted || !tile->layout)
		return;
	LLVMValueRef first = as_number(lw, lower_global_address(lw, tile, rep, start));
	for (uint32_t e = 0; e < 1u << tile->vector_bits; e++)
		assume_next(lw, first, tile->pointers[lower_global_register(tile, rep, start, e)],
			    e * (uint64_t)(tile->element_bits / 8), condition);
}

void lower_promises(Lower *lw, const IrOp *op)
{
	const IrCx *cx = lw->module->cx;
	IrAttr multiple = ir_get(op, cx, ATTR_DIVISIBILITY), contiguity = ir_get(op, cx, ATTR_CONTIGUITY);
	if ((!multiple && !contiguity) || op->result_count != 1)
		return;
	LowerValue v = lower_get(lw, ir_result(op, 0));
	lw->hinted |= contiguity != NULL;
	if (v.kind == LOWER_SCALAR && multiple)
		assume_multiple(lw, &v, axis_hint(multiple, 0));
}
