/* The pipeline for others of the library: its module as LLIR, in memory, and results that are
 * diagnostics alone. */
#ifndef NESO_CODEGEN_TAKE_H
#define NESO_CODEGEN_TAKE_H

#include <llvm-c/Core.h>

#include "base/diag/diag.h"
#include "codegen/codegen.h"
#include "codegen/facts.h"

/* Sees the module after the passes on LLIR; keeps nothing of it. False after diagnosing. */
typedef bool CodegenTake(void *data, LLVMModuleRef mod, const Facts *facts, DiagList *diags);

/* As the table's compile, of a request to LLIR, whose text is made only where it is to be kept. */
CodegenResult *codegen_take(const CodegenRequest *request, CodegenTake *take, void *data);
/* Faults of fn become diagnostics. NULL: out of memory. */
CodegenResult *codegen_with_diags(bool (*fn)(void *data, DiagList *diags), void *data);

#endif
