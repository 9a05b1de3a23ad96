/* Shared objects in the store: what may be loaded, and what not. */
#define _GNU_SOURCE /* realpath, sticky folders, noexec */
#include "cache/disk/library.h"

#include <errno.h>
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

static bool is_noexec(int fd)
{
	struct statvfs fs;
	return fstatvfs(fd, &fs) == 0 && (fs.f_flag & ST_NOEXEC);
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

/* Why nothing in the own folder can be used, though there is one. */
static const char *shut(Arena *arena, const char *root)
{
	struct stat st;
	if (lstat(root, &st) != 0)
		return NULL;
	return S_ISDIR(st.st_mode) && !cache_is_private(&st) ? arena_printf(arena, "the folder %s %s", root, others_than_us(&st))
							     : "the cache's folder cannot be used";
}

/* Of a file below the own folder; NULL: it may be loaded. */
static const char *not_to_load(CacheStore *store, Arena *arena, int fd, const char *path)
{
	const char *why = is_noexec(fd) ? "its file system is mounted noexec" : open_folder(arena, folder_of(arena, path));
	/* The path is what will be loaded: it has to lead to the folder that was checked. */
	if (!why && cache_root_moved(store, &store->roots[0]))
		why = "another folder was put in the place of the cache's";
	return why;
}

CacheLibrary cache_library_get(CacheStore *store, Arena *arena, const CacheDigest *key, const char **path, const char **why)
{
	char place[CACHE_PATH], name[CACHE_NAME];
	Str file;
	struct stat st;
	*path = *why = NULL;
	const char *root = cache_store_root(store);
	int own = root ? cache_own(store, false) : -1;
	if (own < 0) {
		*why = root ? shut(arena, root) : NULL;
		*path = *why ? arena_strdup(arena, root) : NULL;
		return *why ? CACHE_LIBRARY_REFUSED : CACHE_LIBRARY_NONE;
	}
	cache_entry_name(name, CACHE_LIBRARY, key);
	cache_show_path(place, &store->roots[0], name);
	*path = arena_strdup(arena, place);
	int fd = cache_file_open(own, name, geteuid(), &st, why);
	if (fd < 0 && !*why && errno == ENOENT)
		return CACHE_LIBRARY_NONE;
	if (fd < 0 && !*why)
		*why = arena_strdup(arena, strerror(errno));
	if (fd >= 0) {
		*why = not_to_load(store, arena, fd, place);
		close(fd);
	}
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
