/* Accumulators of products of warp groups that nobody reads.
 *
 * An accumulator goes in and comes out in one register. Where its sum is not read, ptxas (13.0)
 * takes the register for one that is only read: it leaves out the copy of a value that is needed
 * later as well, and the product writes over that value. Such an accumulator gets no value here, so
 * there is nothing to leave out. What comes out of a product goes through waits, which have their
 * registers in and out too: each that is dropped may leave another unread. */
#include "llvm/machine.h"

enum { MOST_TIED = 256 };

static LLVMValueRef next_use(LLVMUseRef *use)
{
	LLVMValueRef user = *use ? LLVMGetUser(*use) : NULL;
	*use = *use ? LLVMGetNextUse(*use) : NULL;
	return user;
}

/* Which results of a call are read; extractions that nobody uses go. False: it is used whole. */
static bool find_read(LLVMValueRef call, bool *read)
{
	LLVMUseRef use = LLVMGetFirstUse(call);
	for (LLVMValueRef user = next_use(&use); user; user = next_use(&use)) {
		if (!LLVMIsAExtractValueInst(user) || LLVMGetNumIndices(user) != 1)
			return false;
		if (LLVMGetFirstUse(user))
			read[LLVMGetIndices(user)[0]] = true;
		else
			LLVMInstructionEraseFromParent(user);
	}
	return true;
}

static bool drop_of_call(LLVMValueRef call, unsigned tied)
{
	bool read[MOST_TIED] = {false}, changed = false;
	if (!LLVMIsACallInst(call) || tied > MOST_TIED || !find_read(call, read))
		return false;
	for (unsigned i = 0; i < tied; i++) {
		LLVMValueRef held = LLVMGetOperand(call, i);
		if (read[i] || LLVMIsUndef(held))
			continue;
		LLVMSetOperand(call, i, LLVMGetUndef(LLVMTypeOf(held)));
		changed = true;
	}
	return changed;
}

static bool drop_of_function(LLVMValueRef fn)
{
	size_t len;
	unsigned tied = machine_tied(LLVMGetValueName2(fn, &len), LLVMGlobalGetValueType(fn));
	LLVMUseRef use = tied ? LLVMGetFirstUse(fn) : NULL;
	bool changed = false;
	for (LLVMValueRef user = next_use(&use); user; user = next_use(&use))
		changed |= drop_of_call(user, tied);
	return changed;
}

void machine_drop_unread(LLVMModuleRef mod)
{
	CONTRACT(mod);
	for (bool changed = true; changed;) {
		changed = false;
		for (LLVMValueRef fn = LLVMGetFirstFunction(mod); fn; fn = LLVMGetNextFunction(fn))
			changed |= drop_of_function(fn);
	}
}
