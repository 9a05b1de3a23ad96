/* Folders of the cache: opened once, checked by their descriptors, and used relative to these. So whoever can write above such a folder
 * can take it away, but never put another in its place under a process that uses it.
 *
 * A folder is taken when nobody else can write to it, and when its owner may say what is run: this user or root; of a layer anybody, as
 * who names a layer trusts its owner. Where others can change what leads to it (a folder above it that they can write to, a
 * link of theirs), only this user's own is taken: another one could be theirs. */
#ifndef NESO_CACHE_FOLDER_H
#define NESO_CACHE_FOLDER_H

#include <sys/stat.h>

#include "base/base.h"

typedef enum CacheTrust {
	CACHE_TRUST_OWN,   /* this user and root */
	CACHE_TRUST_OWNER, /* and its owner, whoever that is */
	CACHE_TRUST_ALL,   /* what lies there is signed */
} CacheTrust;

/* A descriptor for openat and its like (O_PATH); -1: *why is a clause, or NULL with errno for what the system said. */
int cache_folder_open(const char *path, CacheTrust trust, struct stat *st, const char **why);
/* Can only this user and root put anything into it? */
bool cache_is_private(const struct stat *st);
enum { CACHE_ANYBODY = -1 };
/* A file that is read: why others than this user, root and `owner` (or CACHE_ANYBODY) could have put it there; NULL: they could not. */
const char *cache_file_open_to_others(const struct stat *st, uid_t owner);

#endif
