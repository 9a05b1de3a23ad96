/* Loads the GPU compiler, a library of its own, on first use. */
#ifndef NESO_JIT_CODEGEN_LOAD_H
#define NESO_JIT_CODEGEN_LOAD_H

#include "base/diag/diag.h"
#include "codegen/codegen.h"

#define CODEGEN_LIBRARY "libneso-codegen.so"

/* The table of libneso-codegen.so: NESO_CODEGEN_PATH (the file, or its folder) if that is set, else beside this library, else
 * wherever the system looks. NULL after a diagnostic that says where it was looked for and why it was not taken. Once
 * mapped it stays; asking again costs microseconds. Any thread may ask. */
const CodegenTable *codegen_load(DiagList *diags);

/* Of any result: where the work ended before it was done, frees it and raises what ends this thread's. */
void codegen_ended(const CodegenTable *table, CodegenResult *result);
/* What a call of the table found goes into the caller's list. False when there was an error. */
bool codegen_take_diags(const CodegenResult *result, DiagList *diags);
#endif
