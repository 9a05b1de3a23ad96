/* The operating system, as far as the library needs it: files, paths, clock, processors. */
#ifndef NESO_BASE_OS_H
#define NESO_BASE_OS_H

#include "base/str.h"

/* Reads a whole file; the bytes are followed by a NUL. On failure returns false and sets *error to a
 * text that lives in the arena. Files above 1 GB are refused. */
bool os_read_file(Arena *arena, const char *path, Str *bytes, const char **error);
/* The folder and those above it, as far as they are not there; false: errno says why not. */
bool os_make_folders(Arena *arena, const char *path);
/* Writes to a temporary file beside `path` and renames it: readers see the old bytes or the new. */
bool os_write_file(Arena *arena, const char *path, Str bytes, const char **error);
/* A file that is being written: beside its path, under a name that nobody knows before, until it is whole. What is there and no file (a pipe, a
 * device) is written to as it is. */
typedef struct OsOutput {
	int fd;
	const char *path;
	char *temp; /* NULL: none */
} OsOutput;
bool os_output_open(OsOutput *out, Arena *arena, const char *path, const char **error);
/* good: all of it could be written (else errno says why not). False: it is not there, and no rest of it. */
bool os_output_close(OsOutput *out, Arena *arena, bool good, const char **error);
/* To the end, whatever interrupts it; false with errno set, EFBIG at the process's limit of file sizes. */
bool os_write_all(int fd, Str bytes);
bool os_is_file(const char *path);
bool os_is_dir(const char *path);
char *os_path_dir(Arena *arena, const char *path);             /* "." for a bare name */
char *os_path_join(Arena *arena, const char *dir, const char *name);
bool os_is_readable(const void *at, size_t size); /* is there memory? size: at most a page */
double os_now(void);       /* seconds of a monotonic clock */
double os_now_coarse(void); /* the same clock to a few milliseconds, for a fraction of the cost */
unsigned os_cpu_count(void); /* processors this process may run on, at least 1 */

#endif
