/* Shared objects in the store: what may be loaded, and what not. */
#define _GNU_SOURCE /* realpath, sticky folders, noexec */
#include "cache/library.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "cache/inner.h"

enum { TRAILER = 80, SIGNED = 48 };
static const char magic[8] = {'N', 'E', 'S', 'O', 'L', 'I', 'B', 'R'};

/* ---- files ---- */

static CacheDigest digest_of(Str object, const char trailer[TRAILER])
{
	CacheHash hash;
	cache_hash_init(&hash);
	cache_hash_add(&hash, object.ptr, object.len);
	cache_hash_add(&hash, trailer, SIGNED);
	return cache_hash_done(&hash);
}

static void write_trailer(char out[TRAILER], Str object, const CacheDigest *key)
{
	memcpy(out, magic, sizeof magic);
	for (int i = 0; i < 8; i++)
		out[8 + i] = (char)(unsigned char)((uint64_t)object.len >> 8 * i);
	memcpy(out + 16, key->bytes, sizeof key->bytes);
	CacheDigest digest = digest_of(object, out);
	memcpy(out + SIGNED, digest.bytes, sizeof digest.bytes);
}

bool cache_library_check(Str file, const CacheDigest *key, const char **why)
{
	char wanted[TRAILER];
	CacheDigest own;
	*why = "it is too short";
	if (file.len < TRAILER)
		return false;
	Str object = {file.ptr, file.len - TRAILER};
	const char *trailer = file.ptr + object.len;
	*why = "it is no shared object of this cache";
	if (memcmp(trailer, magic, sizeof magic) != 0)
		return false;
	memcpy(own.bytes, trailer + 16, sizeof own.bytes);
	*why = "it is that of another key";
	if (key && !cache_digest_eq(key, &own))
		return false;
	write_trailer(wanted, object, &own);
	*why = "its checksum is another";
	return memcmp(wanted, trailer, TRAILER) == 0;
}

/* ---- who can write where ---- */

static const char *others_than_us(const struct stat *st)
{
	return st->st_uid != geteuid() && st->st_uid != 0 ? "belongs to another user" : "can be written by others";
}

/* All folders from the root of the file system to this one; NULL, or why not. */
static const char *open_folder(Arena *arena, const char *folder)
{
	struct stat st;
	char *path = realpath(folder, NULL);
	if (!path)
		return arena_printf(arena, "%s: %s", folder, strerror(errno));
	const char *why = NULL;
	size_t len = strlen(path);
	/* "/" first; then up to each slash, and the whole. */
	for (size_t end = 1; !why && end <= len; end++) {
		if (end != 1 && end != len && path[end] != '/')
			continue;
		const char *at = arena_printf(arena, "%.*s", (int)end, path);
		if (lstat(at, &st) != 0)
			why = arena_printf(arena, "%s: %s", at, strerror(errno));
		else if (!cache_is_private(&st) && !((st.st_mode & S_ISVTX) && st.st_uid == 0))
			why = arena_printf(arena, "the folder %s %s", at, others_than_us(&st));
	}
	free(path);
	return why;
}

static const char *folder_of(Arena *arena, const char *path)
{
	return arena_strndup(arena, path, (size_t)(strrchr(path, '/') - path));
}

static const char *open_file(int fd)
{
	struct stat st;
	struct statvfs fs;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return "it is no file";
	if (!cache_is_private(&st))
		return st.st_uid != geteuid() && st.st_uid != 0 ? "it belongs to another user" : "others can write to it";
	if (fstatvfs(fd, &fs) == 0 && (fs.f_flag & ST_NOEXEC))
		return "its file system is mounted noexec";
	return NULL;
}

/* ---- putting and getting ---- */

bool cache_library_put(CacheStore *store, Arena *arena, const CacheDigest *key, Str object, const char **why)
{
	char *file = arena_alloc_raw(arena, object.len + TRAILER, 16);
	*why = "the cache's folder cannot be written";
	memcpy(file, object.ptr, object.len);
	write_trailer(file + object.len, object, key);
	return cache_put_here(store, CACHE_LIBRARY, key, (Str){file, object.len + TRAILER});
}

CacheLibrary cache_library_get(CacheStore *store, Arena *arena, const CacheDigest *key, const char **path, const char **why)
{
	char place[CACHE_PATH];
	Str file;
	*path = *why = NULL;
	const char *root = cache_store_root(store);
	struct stat st;
	if (root && !cache_own_usable(store, false) && lstat(root, &st) == 0) {
		*path = arena_strdup(arena, root);
		*why = S_ISDIR(st.st_mode) && !cache_is_private(&st) ? arena_printf(arena, "the folder %s %s", root, others_than_us(&st))
							    : "the cache's folder cannot be used";
		return CACHE_LIBRARY_REFUSED;
	}
	if (!root || !cache_own_usable(store, false) || !cache_entry_path(place, store->roots[0].path, CACHE_LIBRARY, key))
		return CACHE_LIBRARY_NONE;
	*path = arena_strdup(arena, place);
	int fd = open(place, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 && errno == ENOENT)
		return CACHE_LIBRARY_NONE;
	if (fd < 0)
		*why = errno == ELOOP ? "it is a link" : arena_strdup(arena, strerror(errno));
	else
		*why = open_file(fd);
	if (fd >= 0)
		close(fd);
	if (!*why)
		*why = open_folder(arena, folder_of(arena, place));
	if (*why)
		return CACHE_LIBRARY_REFUSED;
	/* From here on only this user and root can change what lies there. */
	if (!cache_read_used(store, CACHE_LIBRARY, key, arena, &file))
		return CACHE_LIBRARY_NONE;
	if (cache_library_check(file, key, why))
		return CACHE_LIBRARY_GOOD;
	cache_drop(store, CACHE_LIBRARY, key, *why);
	return CACHE_LIBRARY_DAMAGED;
}
