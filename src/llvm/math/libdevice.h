/* Libraries of LLVM bitcode that functions are taken from: libdevice.10.bc of the CUDA toolkit, and files that
 * an op names.
 *
 * libdevice is the path of the request, else what base/toolkit.h finds. Only what is called is read from a file. Its f32 functions take denormal
 * numbers for 0 (__nvvm_reflect of __CUDA_FTZ is 1), as upstream has it, unless the request says otherwise. */
#ifndef NESO_LLVM_MATH_LIBDEVICE_H
#define NESO_LLVM_MATH_LIBDEVICE_H

#include "llvm/lower.h"

/* One that was opened, in Lower.libraries. */
struct LowerLibrary {
	const char *path;
	Str bytes; /* what was read, also where another file comes under this path meanwhile */
	bool is_libdevice, is_named; /* how it was asked for; both may be */
	LLVMModuleRef mod;           /* gone once linked */
	struct LowerLibrary *next;
};

/* Does the library (path NULL: libdevice) define the symbol? Opens it at first. False: *error says why not. */
bool libdevice_has(Lower *lw, const char *path, const char *symbol, const char **error);
/* Brings in the functions that are called, once everything is lowered. False: *error is a sentence in the arena. */
bool libdevice_link(Lower *lw, const char **error);

#endif
