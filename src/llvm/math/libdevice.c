#include "llvm/math/libdevice.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Target.h>

#include "base/option/toolkit.h"
#include "base/os.h"

/* Lazily: bodies are read when they are linked. */
static struct LowerLibrary *open_library(Lower *lw, const char *path, const char **error)
{
	for (struct LowerLibrary *l = lw->libraries; l; l = l->next)
		if (strcmp(l->path, path) == 0)
			return l;
	Str bytes;
	LLVMModuleRef mod;
	const char *why;
	if (!os_read_file(lw->arena, path, &bytes, &why)) {
		*error = arena_printf(lw->arena, "'%s' cannot be read: %s", path, why);
		return NULL;
	}
	/* On failure the buffer is still ours. */
	LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(bytes.ptr, bytes.len, path, true);
	if (LLVMGetBitcodeModuleInContext2(lw->cx, buffer, &mod)) {
		LLVMDisposeMemoryBuffer(buffer);
		*error = arena_printf(lw->arena, "'%s' is no LLVM bitcode that this library reads", path);
		return NULL;
	}
	struct LowerLibrary *l = ARENA_NEW(lw->arena, struct LowerLibrary);
	*l = (struct LowerLibrary){.path = path, .bytes = bytes, .mod = mod};
	struct LowerLibrary **end = &lw->libraries;
	while (*end)
		end = &(*end)->next;
	*end = l;
	return l;
}

bool libdevice_has(Lower *lw, const char *path, const char *symbol, const char **error)
{
	bool named = path != NULL;
	if (!path)
		path = lw->libdevice ? lw->libdevice : toolkit_libdevice(lw->arena);
	if (!path) {
		*error = "libdevice.10.bc, which has it, was not found: set TRITON_LIBDEVICE_PATH, or CUDA_HOME to a CUDA toolkit";
		return false;
	}
	struct LowerLibrary *l = open_library(lw, path, error);
	if (!l)
		return false;
	l->is_named |= named;
	l->is_libdevice |= !named;
	LLVMValueRef fn = LLVMGetNamedFunction(l->mod, symbol);
	if (fn && !LLVMIsDeclaration(fn))
		return true;
	*error = arena_printf(lw->arena, "'%s' has no such function", path);
	return false;
}

/* Of functions with this linkage the linker takes those that are called. */
static bool link_one(Lower *lw, LLVMModuleRef from)
{
	for (LLVMValueRef fn = LLVMGetFirstFunction(from); fn; fn = LLVMGetNextFunction(fn))
		if (!LLVMIsDeclaration(fn) && LLVMGetLinkage(fn) == LLVMExternalLinkage)
			LLVMSetLinkage(fn, LLVMLinkOnceODRLinkage);
	LLVMSetTarget(from, LLVMGetTarget(lw->mod));
	LLVMSetDataLayout(from, LLVMGetDataLayoutStr(lw->mod));
	return !LLVMLinkModules2(lw->mod, from);
}

/* What the library asks of its compiler, by name: __CUDA_FTZ, __CUDA_ARCH; of anything else it is told 0. */
static int answer(const Lower *lw, LLVMValueRef name)
{
	while (LLVMIsAConstantExpr(name))
		name = LLVMGetOperand(name, 0);
	LLVMValueRef text = LLVMIsAGlobalVariable(name) ? LLVMGetInitializer(name) : NULL;
	size_t len = 0;
	const char *at = text && LLVMIsAConstantDataArray(text) ? LLVMGetAsString(text, &len) : "";
	Str question = {at, strnlen(at, len)};
	return str_is(question, "__CUDA_FTZ") ? !lw->no_reflect_ftz : str_is(question, "__CUDA_ARCH") ? (int)lw->target->capability * 10 : 0;
}

/* Answered here, the code is the same for whoever runs it. */
static void answer_questions(Lower *lw)
{
	LLVMValueRef asked = LLVMGetNamedFunction(lw->mod, "__nvvm_reflect");
	for (LLVMUseRef use = asked ? LLVMGetFirstUse(asked) : NULL; use; use = LLVMGetFirstUse(asked)) {
		LLVMValueRef call = LLVMGetUser(use);
		if (!LLVMIsACallInst(call))
			return;
		LLVMReplaceAllUsesWith(call, LLVMConstInt(lw->t.i32, (unsigned)answer(lw, LLVMGetOperand(call, 0)), false));
		LLVMInstructionEraseFromParent(call);
	}
	if (asked)
		LLVMDeleteFunction(asked);
}

bool libdevice_link(Lower *lw, const char **error)
{
	if (!lw->libraries)
		return true;
	for (struct LowerLibrary *l = lw->libraries; l; l = l->next)
		if (!link_one(lw, l->mod)) {
			*error = arena_printf(lw->arena, "'%s' cannot be linked", l->path);
			return false;
		}
	for (LLVMValueRef fn = LLVMGetFirstFunction(lw->mod); fn; fn = LLVMGetNextFunction(fn))
		if (LLVMGetLinkage(fn) == LLVMLinkOnceODRLinkage)
			LLVMSetLinkage(fn, LLVMInternalLinkage);
	answer_questions(lw);
	return true;
}
