/* Libraries of ours that are loaded when they are first needed: libneso-codegen.so, libneso-remote.so. */
#ifndef NESO_BASE_LIBRARY_H
#define NESO_BASE_LIBRARY_H

#include "base/option/option.h"

/* The folder that this library, or the program that it is linked into, was loaded from; NULL: not known. */
const char *library_folder(Arena *arena);

/* The address of `symbol` in the library of that file name: the option's path (the file, or its folder) if it is set, else beside this
 * library, else wherever the system looks. *path: which it was. NULL: *path is what was tried and why it was not taken, one after the
 * other. Once mapped it stays, and asking again costs microseconds; the dynamic linker keeps one copy however many threads ask. */
const void *library_symbol(Arena *arena, const char *library, OptionId option, const char *symbol, const char **path);

/* The file that would be tried first, if it is there; NULL: the system's search decides. */
const char *library_file(Arena *arena, const char *library, OptionId option);

#endif
