#include "llvm/math/libdevice.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Target.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/option/option.h"

struct LowerLibrary {
	const char *path;
	LLVMModuleRef mod;
	struct LowerLibrary *next;
};

static const char *find_libdevice(Lower *lw)
{
	const char *const roots[] = {option_given(OPTION_CUDA_HOME, NULL), option_given(OPTION_CUDA_PATH, NULL), "/usr/local/cuda"};
	const char *named = option_given(OPTION_LIBDEVICE, NULL);
	if (lw->libdevice)
		return lw->libdevice;
	if (named)
		return named;
	for (size_t i = 0; i < ARRAY_LEN(roots); i++) {
		if (!roots[i])
			continue;
		const char *path = arena_printf(lw->arena, "%s/nvvm/libdevice/libdevice.10.bc", roots[i]);
		if (access(path, R_OK) == 0)
			return path;
	}
	return NULL;
}

/* Lazily: bodies stay in the file until they are linked. */
static struct LowerLibrary *open_library(Lower *lw, const char *path, const char **error)
{
	for (struct LowerLibrary *l = lw->libraries; l; l = l->next)
		if (strcmp(l->path, path) == 0)
			return l;
	LLVMMemoryBufferRef bytes;
	LLVMModuleRef mod;
	char *message = NULL;
	if (LLVMCreateMemoryBufferWithContentsOfFile(path, &bytes, &message)) {
		*error = arena_printf(lw->arena, "'%s' cannot be read: %s", path, message);
		LLVMDisposeMessage(message);
		return NULL;
	}
	/* On failure the buffer is still ours. */
	if (LLVMGetBitcodeModuleInContext2(lw->cx, bytes, &mod)) {
		LLVMDisposeMemoryBuffer(bytes);
		*error = arena_printf(lw->arena, "'%s' is no LLVM bitcode that this library reads", path);
		return NULL;
	}
	struct LowerLibrary *l = ARENA_NEW(lw->arena, struct LowerLibrary);
	*l = (struct LowerLibrary){path, mod, NULL};
	struct LowerLibrary **end = &lw->libraries;
	while (*end)
		end = &(*end)->next;
	*end = l;
	return l;
}

bool libdevice_has(Lower *lw, const char *path, const char *symbol, const char **error)
{
	if (!path)
		path = find_libdevice(lw);
	if (!path) {
		*error = "libdevice.10.bc, which has it, was not found: set TRITON_LIBDEVICE_PATH, or CUDA_HOME to a CUDA toolkit";
		return false;
	}
	struct LowerLibrary *l = open_library(lw, path, error);
	if (!l)
		return false;
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
	return str_is(question, "__CUDA_FTZ") ? 1 : str_is(question, "__CUDA_ARCH") ? (int)lw->target->capability * 10 : 0;
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
	lw->libraries = NULL;
	return true;
}
