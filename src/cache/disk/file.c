/* Files of a store, by descriptors: reading what may be anything, and publishing. */
#define _GNU_SOURCE /* getrandom */
#include "cache/inner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"

/* ---- names ---- */

void cache_entry_name(char out[CACHE_NAME], CacheKind kind, const CacheDigest *key)
{
	char hex[CACHE_HEX_SIZE];
	cache_digest_hex(key, hex);
	snprintf(out, CACHE_NAME, "%s/%.2s/%s", cache_kind_names[kind], hex, hex);
}

void cache_show_path(char out[CACHE_PATH], const CacheRoot *root, const char *name)
{
	snprintf(out, CACHE_PATH, "%.*s/%s", (int)(CACHE_PATH - CACHE_NAME - 2), root->path, name);
}

/* ---- reading ---- */

static const char *is_for_us(int fd, uid_t owner, struct stat *st)
{
	if (fstat(fd, st) != 0 || !S_ISREG(st->st_mode))
		return "it is no file";
	return cache_file_open_to_others(st, owner);
}

int cache_file_open(int root, const char *name, uid_t owner, struct stat *st, const char **why)
{
	/* Nothing is waited for at a pipe without a writer, and a link is none of ours. */
	int fd = openat(root, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	*why = NULL;
	if (fd < 0) {
		if (errno == ELOOP)
			*why = "it is a link";
		else if (errno == ENXIO || errno == ENODEV)
			*why = "it is no file";
		return -1;
	}
	*why = is_for_us(fd, owner, st);
	if (!*why)
		return fd;
	close(fd);
	return -1;
}

int cache_file_read(int fd, size_t size, Arena *arena, Str *bytes)
{
	size_t have = 0;
	char *data = cache_room(arena, size + 1);
	if (!data)
		return ENOMEM;
	while (have < size) {
		ssize_t got = read(fd, data + have, size - have);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno;
		if (got == 0)
			break;
		have += (size_t)got;
	}
	data[have] = '\0';
	*bytes = (Str){data, have};
	return 0;
}

int cache_file_keep(const char *data, size_t size, Arena *arena, Str *bytes)
{
	char *copy = cache_room(arena, size + 1);
	if (!copy)
		return ENOMEM;
	memcpy(copy, data, size);
	copy[size] = '\0';
	*bytes = (Str){copy, size};
	return 0;
}

int cache_file_own(int root, const char *name, int flags, struct stat *st)
{
	int fd = openat(root, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
	if (fd >= 0 && !is_for_us(fd, geteuid(), st))
		return fd;
	int error = fd >= 0 ? EINVAL : errno;
	if (fd >= 0)
		close(fd);
	errno = error;
	return -1;
}

bool cache_file_remove(int root, const char *name)
{
	return unlinkat(root, name, 0) == 0 || ((errno == EISDIR || errno == EPERM) && unlinkat(root, name, AT_REMOVEDIR) == 0);
}

/* ---- writing ---- */

static int write_new(int root, const char *name, Str bytes)
{
	int fd = openat(root, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return errno;
	int error = os_write_all(fd, bytes) ? 0 : errno;
	if (close(fd) != 0 && !error)
		error = errno;
	if (error)
		unlinkat(root, name, 0);
	return error;
}

uint32_t cache_host(void)
{
	char name[256] = "";
	gethostname(name, sizeof name - 1);
	return (uint32_t)cache_hash_of(name, strlen(name)).bytes[0] << 8 | cache_hash_of(name, strlen(name)).bytes[1];
}

/* Names of temporaries tell machine and process, so that gc knows whose are left over. */
static void temporary(char out[CACHE_NAME])
{
	uint64_t number[2] = {0};
	if (getrandom(number, sizeof number, GRND_NONBLOCK) != (ssize_t)sizeof number) {
		struct timespec now;
		clock_gettime(CLOCK_REALTIME, &now);
		number[0] = (uint64_t)now.tv_nsec;
		number[1] = (uint64_t)now.tv_sec ^ (uint64_t)(uintptr_t)out;
	}
	snprintf(out, CACHE_NAME, "tmp/%04x.%ld.%016llx%016llx", cache_host(), (long)getpid(), (unsigned long long)number[0],
		 (unsigned long long)number[1]);
}

/* The folders of a name, below a root. */
static int make_folder_of(int root, const char *name)
{
	char part[CACHE_NAME];
	for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
		memcpy(part, name, (size_t)(slash - name));
		part[slash - name] = '\0';
		if (mkdirat(root, part, 0700) != 0 && errno != EEXIST)
			return errno;
	}
	return 0;
}

static int rename_to(int root, const char *from, const char *to)
{
	if (renameat(root, from, root, to) == 0)
		return 0;
	if (errno != EISDIR || unlinkat(root, to, AT_REMOVEDIR) != 0)
		return errno;
	return renameat(root, from, root, to) == 0 ? 0 : errno;
}

static int open_unnamed(int root)
{
	int fd = openat(root, "tmp", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	if (fd >= 0 || errno != ENOENT || mkdirat(root, "tmp", 0700) != 0)
		return fd;
	return openat(root, "tmp", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
}

static int link_at(int fd, int root, const char *name)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, path, root, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

/* Writes a file that has no name until it is whole, so that a process that is killed leaves
 * nothing. Then it gets `name` where that is free (*placed), else `temp`. 0, or an errno: the
 * file system may not be able to do so. */
static int write_unnamed(int root, const char *temp, const char *name, Str bytes, bool *placed)
{
	int fd = open_unnamed(root);
	if (fd < 0)
		return errno;
	int error = os_write_all(fd, bytes) ? link_at(fd, root, name) : errno;
	if (error == ENOENT && make_folder_of(root, name) == 0)
		error = link_at(fd, root, name);
	*placed = !error;
	if (error == EEXIST)
		error = link_at(fd, root, temp);
	close(fd);
	return error;
}

int cache_publish(CacheStore *store, const char *name, Str bytes)
{
	char temp[CACHE_NAME];
	bool placed = false;
	int root = cache_own(store, true);
	temporary(temp);
	int error = root < 0 ? EACCES : write_unnamed(root, temp, name, bytes, &placed);
	if (placed)
		return 0;
	if (error && root >= 0)
		error = write_new(root, temp, bytes);
	if (error == ENOENT) { /* the first time, or the folder vanished: who made one since is looked at */
		root = cache_own(store, true);
		error = root < 0 ? EACCES : make_folder_of(root, temp);
		error = error ? error : write_new(root, temp, bytes);
	}
	if (error)
		return error;
	error = rename_to(root, temp, name);
	if (error == ENOENT) {
		error = make_folder_of(root, name);
		error = error ? error : rename_to(root, temp, name);
	}
	if (error)
		unlinkat(root, temp, 0);
	return error;
}
