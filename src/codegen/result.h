/* A call's result: copies of all that is given out, in an arena of their own. */
#ifndef NESO_CODEGEN_RESULT_H
#define NESO_CODEGEN_RESULT_H

#include "base/diag/diag.h"
#include "base/diag/remark.h"
#include "codegen/codegen.h"
#include "codegen/facts.h"

typedef struct CodegenOut {
	CodegenResult result; /* first: the caller's pointer is this one's */
	Arena arena;
} CodegenOut;

CodegenOut *result_new(void); /* NULL: out of memory */
void result_free(CodegenResult *result); /* NULL is fine */

void result_text(CodegenOut *out, CodegenStage stage, const char *text, size_t len);
void result_diags(CodegenOut *out, const DiagList *diags); /* all so far, notes behind what they belong to */
void result_remarks(CodegenOut *out, RemarkList *remarks); /* sorts them */
/* path NULL: libdevice. */
void result_file(CodegenOut *out, const char *path, Str bytes);
void result_facts(CodegenOut *out, const Facts *facts, unsigned ptx_version);

#endif
