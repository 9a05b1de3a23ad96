/* Declarations: which variants of a kernel a program may ask for, written by a person or by a
 * program that ran (docs/declare.md has the language). One line each:
 *
 *	kernels.py:add(x: *fp32:*, n: i32:*, BLOCK: {512, 1024}) num_warps={4, 8} target=sm_90a
 *	control kernels.py:add(n: never_one)
 *
 * read.c parses a file, expand.c lists the variants that a line stands for, write.c writes a
 * variant's line. */
#ifndef NESO_JIT_DECLARE_H
#define NESO_JIT_DECLARE_H

#include "jit/jit.h"

typedef struct JitDeclaration {
	const char *file; /* that it stands in */
	uint32_t line;
	const char *path, *kernel; /* as written */
	const char *params, *options;
	const char *text;  /* the line */
	size_t params_at, options_at; /* in it */
	bool is_control;
} JitDeclaration;
typedef VEC(JitDeclaration) JitDeclarations;

/* False after diagnosing. `file` is for messages; text NULL: read from it. */
bool jit_declarations_read(Arena *arena, const char *file, const Str *text, JitDeclarations *out,
			   DiagList *diags);
/* Sets what a `control` line says of the kernel's parameters. */
JitStatus jit_declared_control(JitKernel *kernel, const JitDeclaration *declaration, DiagList *diags);

typedef struct JitDeclared {
	const char *signature;
	JitOptions options;
} JitDeclared;

/* A parameter or option with more than one value. */
typedef struct JitAxis {
	const char *name;
	uint64_t count;
} JitAxis;

typedef struct JitDeclaredList {
	VEC(JitDeclared) all; /* each once; in the order of the line, its last value changing first */
	VEC(JitAxis) axes;
	uint64_t count; /* UINT64_MAX: that, or more */
} JitDeclaredList;

/* What a line stands for. base: options of those that the line does not have. targets: in place of
 * those of the line; NULL: none. JIT_ARGUMENT after diagnosing, also when there are more than
 * `most`. Texts are in the list's arena. */
JitStatus jit_declared(JitKernel *kernel, const JitDeclaration *declaration, const JitOptions *base,
		       const char *const *targets, uint32_t target_count, uint64_t most, JitDeclaredList *out,
		       DiagList *diags);

/* The line for this variant alone, with the path as seen from a folder (NULL: as it is). NULL:
 * there is none. */
const char *jit_declaration(Arena *arena, const JitVariant *variant, const char *folder);

#endif
