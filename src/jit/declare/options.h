/* Options of a declaration, by name. */
#ifndef NESO_JIT_DECLARE_OPTIONS_H
#define NESO_JIT_DECLARE_OPTIONS_H

#include "jit/jit.h"

/* " num_warps=8 target=sm_90a debug": those that are not at their preset. */
void jit_options_write(Text *out, const JitOptions *options);
/* Sets one from its text; a flag has none (""). NULL, or what is wrong. The text must live as long
 * as the options. */
const char *jit_options_set(JitOptions *options, const char *name, const char *text, Arena *arena);

#endif
