/* From LLVM IR to PTX: LLVM's own state, and what can go wrong in it.
 *
 * LLVM reports by handlers that nothing of ours may leave by unwinding, but for one: what it calls a fatal error ends the
 * process unless its handler does not return. So everything that LLVM does for one compilation runs between emit_enter and
 * emit_leave, and lands there. Nothing is shared between threads: each Emit has a context and a target machine of its own. */
#ifndef NESO_LLVM_EMIT_H
#define NESO_LLVM_EMIT_H

#include <setjmp.h>

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "base/str.h"
#include "target/target.h"

typedef struct Emit {
	LLVMContextRef cx;
	LLVMModuleRef mod;
	LLVMBuilderRef builder;
	LLVMTargetMachineRef machine;
	LLVMTargetDataRef layout;
	jmp_buf landing;
	struct Emit *outer;
	bool failed;     /* LLVM reported an error */
	char error[512]; /* the first one */
} Emit;

/* PTX versions that can be written: from the least that the target and what every kernel may use need to the newest that
 * LLVM knows. With an error there are none. */
typedef struct EmitPtxRange {
	unsigned least, most;
	const char *error;
} EmitPtxRange;
EmitPtxRange emit_ptx_range(const TargetGpu *target, Arena *arena);
/* False: a number between two versions that is none. */
bool emit_ptx_exists(unsigned version);

/*	Emit e;
 *	emit_enter(&e);
 *	if (setjmp(e.landing) == 0) { ... emit_leave(&e); } else { ... e.error ...; already left; LLVM's objects are lost }
 *
 * A fault (fault.h) that passes an open Emit must be followed by emit_close. */
void emit_enter(Emit *e);
void emit_leave(Emit *e);

/* Context, builder, target machine. False: e->error. */
bool emit_open(Emit *e, const TargetGpu *target, unsigned ptx, bool line_info);
void emit_close(Emit *e); /* of whatever is there */
/* Another PTX version from here on; likewise. */
bool emit_raise_ptx(Emit *e, const TargetGpu *target, unsigned ptx, bool line_info);
/* An empty module for the target. */
void emit_new_module(Emit *e, const char *name);
/* Takes over the module that text holds. False: e->error. */
bool emit_read_module(Emit *e, const char *text, size_t len);
void emit_module_text(Emit *e, Text *out);
bool emit_verify(Emit *e);                         /* false: e->error */
bool emit_passes(Emit *e, const char *pipeline);   /* likewise */
bool emit_ptx(Emit *e, Text *out);                 /* likewise */

/* A fatal error: a function of LLVM that is not linked was called (compat/left_out.c). */
void emit_left_out(void);

/* As CodegenTable's. */
void emit_llvm_version(char out[32]);
const char *emit_llvm_file(void);

#endif
