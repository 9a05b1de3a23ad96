/* Files by what is in them, without reading them each time: a digest is remembered under the file's stamp. */
#ifndef NESO_CACHE_STAMP_H
#define NESO_CACHE_STAMP_H

#include "cache/entry/hash.h"

/* A file as it is now: path, device, number, size, and the times of its last change and of its last change of
 * state to the nanosecond (the second cannot be set back by a program). NULL: it cannot be looked at.
 *
 * *settled: false for a file that changed less than two seconds ago. Clocks of file systems tick that slowly,
 * so a stamp that is so young may stand for two contents; nothing may be remembered under it. */
const char *cache_stamp(const char *path, Arena *arena, bool *settled);

/* 64 digits; NULL: it cannot be read, or it changed while it was read. */
const char *cache_file_hex(const char *path, Arena *arena);
/* The same for who looks at the bytes too: they come piece by piece, in order. A piece at 0 begins
 * anew, as the file changed meanwhile. */
typedef void CacheReader(void *data, uint64_t at, Str piece);
const char *cache_file_hex_read(const char *path, Arena *arena, CacheReader *reader, void *data);

#endif
