/* Folders and files of unit tests. They lie in one folder below $TMPDIR (/tmp), which is removed
 * with all that is in it when the program ends, whether the tests passed or not. */
#ifndef NESO_TEST_UNIT_FOLDER_H
#define NESO_TEST_UNIT_FOLDER_H

#include <stddef.h>

/* A new empty folder, its path written to `path`; returns that, or NULL. */
char *test_folder(char *path, size_t size, const char *name);
/* A new empty file; returns its descriptor, or -1. */
int test_file(char *path, size_t size, const char *name);

#endif
