/* LLVM by its C API: context, target machine, passes, PTX. See emit.h for what can go wrong. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif
#include "llvm/emit.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>

/* Where a fatal error of this thread lands. LLVM's handler is of the process and takes no data of
 * the thread's, so this cannot be an argument. */
static _Thread_local Emit *current;

static const char triple[] = "nvptx64-nvidia-cuda";

/* ---- what LLVM reports ---- */

static void keep_error(Emit *e, const char *text)
{
	if (!e->failed)
		snprintf(e->error, sizeof e->error, "%s", text && *text ? text : "no reason given");
	e->failed = true;
}

static void on_fatal_error(const char *reason)
{
	Emit *e = current;
	if (!e)
		return; /* not ours: LLVM ends the process */
	keep_error(e, reason);
	current = e->outer;
	longjmp(e->landing, 1);
}

void emit_left_out(void)
{
	on_fatal_error("a pass of LLVM that this build leaves out (cmake/llvm.cmake names those it keeps)");
}

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *data)
{
	if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
		return;
	char *text = LLVMGetDiagInfoDescription(info);
	keep_error(data, text);
	LLVMDisposeMessage(text);
}

/* Options of LLVM are global to it. What is switched off grows
 * faster than the number of instructions and finds nothing in code
 * that is addressed as ours is; shared memory takes 32-bit pointers. */
static void set_up(void)
{
	static const char *const options[] = {
		"neso",
		"-nvptx-short-ptr",
		"-opt-disable=slsr,load-store-vectorizer,nary-reassociate",
		"-disable-lsr",
	};
	LLVMInitializeNVPTXTargetInfo();
	LLVMInitializeNVPTXTarget();
	LLVMInitializeNVPTXTargetMC();
	LLVMInitializeNVPTXAsmPrinter();
	LLVMParseCommandLineOptions(ARRAY_LEN(options), options, NULL);
	LLVMInstallFatalErrorHandler(on_fatal_error);
}

void emit_enter(Emit *e)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, set_up);
	*e = (Emit){.outer = current};
	current = e;
}

void emit_leave(Emit *e)
{
	current = e->outer;
}

/* ---- targets ---- */

/* The highest PTX version that this LLVM has. */
enum {
	MAX_PTX = LLVM_VERSION_MAJOR >= 22   ? 90
		  : LLVM_VERSION_MAJOR >= 21 ? 88
		  : LLVM_VERSION_MAJOR >= 20 ? 87
					     : 85
};

void emit_llvm_version(char out[32])
{
	unsigned major, minor, patch;
	LLVMGetVersion(&major, &minor, &patch);
	snprintf(out, 32, "%u.%u.%u", major, minor, patch);
}

const char *emit_llvm_file(void)
{
	Dl_info info;
	void *symbol;
	void (*function)(unsigned *, unsigned *, unsigned *) = LLVMGetVersion;
	memcpy(&symbol, &function, sizeof symbol);
	return dladdr(symbol, &info) ? info.dli_fname : NULL;
}

EmitPtxRange emit_ptx_range(const TargetGpu *target, Arena *arena)
{
	/* Conversions of fp8 came to sm_89 with 8.1 (PTX ISA, cvt); 8.0 is what came with CUDA
	 * 12.0. What needs more says so in its row (machine.h). */
	unsigned least = MAX(target->ptx, target_has(target, TARGET_FP8) ? 81u : 80u);
	EmitPtxRange range = {.least = least, .most = MAX_PTX};
	if (target->llvm > LLVM_VERSION_MAJOR)
		range.error = arena_printf(arena, "LLVM %s does not know %s", LLVM_VERSION_STRING, target->name);
	else if (least > MAX_PTX)
		range.error = arena_printf(arena, "LLVM %s does not know PTX %u.%u, which %s needs", LLVM_VERSION_STRING,
					   least / 10, least % 10, target->name);
	return range;
}

bool emit_ptx_exists(unsigned version)
{
	return version != 89; /* 9.0 follows 8.8 */
}

/* ---- opening and closing ---- */

static bool make_machine(Emit *e, const TargetGpu *target, unsigned ptx, bool line_info)
{
	char features[16], *error = NULL;
	LLVMTargetRef of;
	if (LLVMGetTargetFromTriple(triple, &of, &error)) {
		keep_error(e, error);
		LLVMDisposeMessage(error);
		return false;
	}
	snprintf(features, sizeof features, "+ptx%u", ptx);
	e->machine = LLVMCreateTargetMachine(of, triple, target->name, features, LLVMCodeGenLevelDefault,
					     LLVMRelocDefault, LLVMCodeModelDefault);
	if (!e->machine) {
		keep_error(e, "no target machine");
		return false;
	}
	/* Comments say which calls a line was inlined through; lines.c makes directives of them. */
	LLVMSetTargetMachineAsmVerbosity(e->machine, line_info);
	return true;
}

bool emit_open(Emit *e, const TargetGpu *target, unsigned ptx, bool line_info)
{
	CONTRACT(target && ptx);
	e->cx = LLVMContextCreate();
	LLVMContextSetDiagnosticHandler(e->cx, on_diagnostic, e);
	e->builder = LLVMCreateBuilderInContext(e->cx);
	if (!make_machine(e, target, ptx, line_info))
		return false;
	e->layout = LLVMCreateTargetDataLayout(e->machine);
	return true;
}

bool emit_raise_ptx(Emit *e, const TargetGpu *target, unsigned ptx, bool line_info)
{
	if (ptx > MAX_PTX) {
		keep_error(e, "it does not know the PTX version that an instruction needs");
		return false;
	}
	LLVMDisposeTargetMachine(e->machine);
	e->machine = NULL;
	return make_machine(e, target, ptx, line_info);
}

void emit_close(Emit *e)
{
	if (e->builder)
		LLVMDisposeBuilder(e->builder);
	if (e->mod)
		LLVMDisposeModule(e->mod);
	if (e->layout)
		LLVMDisposeTargetData(e->layout);
	if (e->machine)
		LLVMDisposeTargetMachine(e->machine);
	if (e->cx)
		LLVMContextDispose(e->cx);
	e->builder = NULL;
	e->mod = NULL;
	e->layout = NULL;
	e->machine = NULL;
	e->cx = NULL;
}

/* ---- modules ---- */

static void set_target(Emit *e)
{
	LLVMSetTarget(e->mod, triple);
	LLVMSetModuleDataLayout(e->mod, e->layout);
}

void emit_new_module(Emit *e, const char *name)
{
	CONTRACT(e->cx && !e->mod);
	e->mod = LLVMModuleCreateWithNameInContext(name, e->cx);
	set_target(e);
}

bool emit_read_module(Emit *e, const char *text, size_t len)
{
	char *error = NULL;
	/* The buffer is the reader's from here on. */
	LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, len, "");
	if (LLVMParseIRInContext(e->cx, buffer, &e->mod, &error)) {
		e->mod = NULL;
		keep_error(e, error);
		LLVMDisposeMessage(error);
		return false;
	}
	set_target(e);
	return true;
}

void emit_module_text(Emit *e, Text *out)
{
	char *text = LLVMPrintModuleToString(e->mod);
	text_str(out, text);
	LLVMDisposeMessage(text);
}

bool emit_verify(Emit *e)
{
	CONTRACT(e->mod);
	char *error = NULL;
	bool bad = LLVMVerifyModule(e->mod, LLVMReturnStatusAction, &error);
	if (bad)
		keep_error(e, error);
	LLVMDisposeMessage(error);
	return !bad;
}

bool emit_passes(Emit *e, const char *pipeline)
{
	CONTRACT(e->mod);
	LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
	LLVMErrorRef error = LLVMRunPasses(e->mod, pipeline, e->machine, options);
	LLVMDisposePassBuilderOptions(options);
	if (error) {
		char *text = LLVMGetErrorMessage(error);
		keep_error(e, text);
		LLVMDisposeErrorMessage(text);
	}
	return !e->failed;
}

bool emit_ptx(Emit *e, Text *out)
{
	CONTRACT(e->mod && e->machine);
	char *error = NULL;
	LLVMMemoryBufferRef buffer = NULL;
	if (LLVMTargetMachineEmitToMemoryBuffer(e->machine, e->mod, LLVMAssemblyFile, &error, &buffer)) {
		keep_error(e, error);
		LLVMDisposeMessage(error);
		return false;
	}
	text_add(out, LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
	LLVMDisposeMemoryBuffer(buffer);
	return !e->failed;
}
