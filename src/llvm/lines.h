/* Line tables of PTX with the calls that code was inlined through. */
#ifndef NESO_LLVM_LINES_H
#define NESO_LLVM_LINES_H

#include "base/str.h"

/* Adds PTX as LLVM wrote it to `out`. LLVM says in a comment behind .loc what a place was inlined through; this makes
 * `.loc ..., function_name, inlined_at` of it, and the section that the names are in. */
void lines_rewrite(Arena *arena, Str ptx, Text *out);

#endif
