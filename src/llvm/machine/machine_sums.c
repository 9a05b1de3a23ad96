/* Accumulators of products of warp groups: those that nobody reads, and copies of those that are
 * needed later as well.
 *
 * An accumulator goes in and comes out in one register. Where its sum is not read, ptxas (13.0)
 * takes the register for one that is only read: it leaves out the copy of a value that is needed
 * later as well, and the product writes over that value. Such an accumulator gets no value here, so
 * there is nothing to leave out. What comes out of a product goes through waits, which have their
 * registers in and out too: each that is dropped may leave another unread. */
#include <stdio.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

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

/* ---- copies in front of the fence ---- */

/* The fence in front of the product, in its block; NULL: none. */
static LLVMValueRef fence_of(LLVMValueRef call)
{
	static const char fence[] = "neso.wgmma_fence";
	for (LLVMValueRef i = LLVMGetPreviousInstruction(call); i; i = LLVMGetPreviousInstruction(i)) {
		size_t len;
		if (LLVMIsACallInst(i) && !strcmp(LLVMGetValueName2(LLVMGetCalledValue(i), &len), fence))
			return i;
	}
	return NULL;
}

/* Is the value there in front of `at`? It is if it was not made between that and `end`. */
static bool is_before(LLVMValueRef value, LLVMValueRef at, LLVMValueRef end)
{
	for (LLVMValueRef i = at; i && i != end; i = LLVMGetNextInstruction(i))
		if (i == value)
			return false;
	return true;
}

/* Others may use the value too: it has more than one use, or is a part of what was loaded. */
static bool may_be_shared(LLVMValueRef v)
{
	LLVMUseRef use = LLVMIsConstant(v) ? NULL : LLVMGetFirstUse(v);
	return use && (LLVMGetNextUse(use) || LLVMIsAExtractElementInst(v) || LLVMIsABitCastInst(v));
}

/* Registers that products write are set in front of the fence: operands that others use too are
 * copied there, by assembly that does nothing. LLVM would copy them behind it: there ptxas puts a
 * fence in front of each product (C7519), and lets none begin before the last one has ended. */
static void copy_of_call(LLVMBuilderRef b, LLVMValueRef call, unsigned tied)
{
	LLVMValueRef fence = LLVMIsACallInst(call) ? fence_of(call) : NULL, held[MOST_TIED];
	LLVMTypeRef types[MOST_TIED];
	unsigned which[MOST_TIED], n = 0;
	for (unsigned i = 0; fence && i < tied && i < MOST_TIED; i++) {
		LLVMValueRef v = LLVMGetOperand(call, i);
		if (!may_be_shared(v) || !is_before(v, fence, call))
			continue;
		types[n] = LLVMTypeOf(v);
		held[n] = v;
		which[n++] = i;
	}
	if (!n)
		return;
	LLVMContextRef cx = LLVMGetModuleContext(LLVMGetGlobalParent(LLVMGetCalledValue(call)));
	char constraints[MOST_TIED * 8];
	size_t at = 0;
	for (unsigned k = 0; k < n; k++) {
		bool real = LLVMGetTypeKind(types[k]) == LLVMFloatTypeKind;
		at += (size_t)snprintf(constraints + at, sizeof constraints - at, "=%c,", real ? 'f' : 'r');
	}
	for (unsigned k = 0; k < n; k++)
		at += (size_t)snprintf(constraints + at, sizeof constraints - at, k ? ",%u" : "%u", k);
	LLVMTypeRef result = n > 1 ? LLVMStructTypeInContext(cx, types, n, false) : types[0];
	LLVMTypeRef type = LLVMFunctionType(result, types, n, false);
	LLVMValueRef nothing = LLVMGetInlineAsm(type, "", 0, constraints, at, true, false,
						LLVMInlineAsmDialectATT, false);
	LLVMPositionBuilderBefore(b, fence);
	LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(fence));
	LLVMValueRef copies = LLVMBuildCall2(b, type, nothing, held, n, "");
	for (unsigned k = 0; k < n; k++)
		LLVMSetOperand(call, which[k], n > 1 ? LLVMBuildExtractValue(b, copies, k, "") : copies);
}

static void copy_shared(LLVMModuleRef mod)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(mod));
	for (LLVMValueRef fn = LLVMGetFirstFunction(mod); fn; fn = LLVMGetNextFunction(fn)) {
		size_t len;
		const char *name = LLVMGetValueName2(fn, &len);
		bool product = !strncmp(name, "neso.wgmma.", strlen("neso.wgmma."));
		unsigned tied = product ? machine_tied(name, LLVMGlobalGetValueType(fn)) : 0;
		LLVMUseRef use = tied ? LLVMGetFirstUse(fn) : NULL;
		for (LLVMValueRef user = next_use(&use); user; user = next_use(&use))
			copy_of_call(b, user, tied);
	}
	LLVMDisposeBuilder(b);
}

void machine_prepare_sums(LLVMModuleRef mod)
{
	CONTRACT(mod);
	for (bool changed = true; changed;) {
		changed = false;
		for (LLVMValueRef fn = LLVMGetFirstFunction(mod); fn; fn = LLVMGetNextFunction(fn))
			changed |= drop_of_function(fn);
	}
	copy_shared(mod);
}
