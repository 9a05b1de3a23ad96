/* The tile language's standard library: the files of lib/, put into the binary at build time. */
#ifndef NESO_FRONT_NAMES_LIB_EMBED_H
#define NESO_FRONT_NAMES_LIB_EMBED_H

#include <stddef.h>

typedef struct FrontLibFile {
	const char *name; /* file name without ".py" */
	const char *text; /* NUL-terminated */
	size_t len;
} FrontLibFile;

extern const FrontLibFile front_lib_files[]; /* sorted by path, ends with a row of NULL */
extern const size_t front_lib_count;

#endif
