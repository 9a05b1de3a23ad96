/* Claims: one maker of a key at a time, between processes.
 *
 * A claim is a lock (flock) on a file of lock/; the system lets go of it when its holder's process ends, however it ends. The
 * holder removes the file before it lets go, so whoever got the lock of a removed file looks again. */
#define _GNU_SOURCE
#include "cache/inner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
#include "base/stop.h"

static void lock_name(const CacheDigest *key, char out[CACHE_NAME])
{
	char hex[CACHE_HEX_SIZE];
	cache_digest_hex(key, hex);
	snprintf(out, CACHE_NAME, "lock/%s", hex);
}

static int open_lock(int root, const char *name)
{
	int fd = cache_file_own(root, name, O_RDWR | O_CREAT);
	if (fd >= 0 || errno != ENOENT || (mkdirat(root, "lock", 0700) != 0 && errno != EEXIST))
		return fd;
	return cache_file_own(root, name, O_RDWR | O_CREAT);
}

/* Is the file still the one of this name? */
static bool is_current(int root, int fd, const char *name)
{
	struct stat a, b;
	return fstat(fd, &a) == 0 && fstatat(root, name, &b, AT_SYMLINK_NOFOLLOW) == 0 && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

static void nap(double seconds)
{
	struct timespec t = {.tv_nsec = (long)(seconds * 1e9)};
	nanosleep(&t, NULL);
}

static bool is_there(int root, CacheKind kind, const CacheDigest *key)
{
	char name[CACHE_NAME];
	struct stat st;
	cache_entry_name(name, kind, key);
	return fstatat(root, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
}

CacheClaimed cache_claim(CacheStore *store, CacheKind kind, const CacheDigest *key, CacheClaim *claim)
{
	char name[CACHE_NAME];
	int root = cache_own(store, true);
	*claim = (CacheClaim){.fd = -1, .key = *key};
	if (root < 0)
		return CACHE_MINE;
	lock_name(key, name);
	double until = os_now() + store->options.wait, pause = 1e-3;
	bool waited = false;
	for (;;) {
		int fd = open_lock(root, name);
		if (fd < 0)
			return CACHE_MINE;
		if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
			/* A file system whose numbers of files change would have us try for ever. */
			if (!is_current(root, fd, name)) {
				close(fd);
				if (os_now() >= until)
					return CACHE_BUSY;
				nap(1e-4);
				continue;
			}
			/* Who had to wait finds what the other made. Without having waited: it may have come since it was looked for. */
			claim->fd = fd;
			if (!is_there(root, kind, key))
				return CACHE_MINE;
			cache_release(store, claim);
			return CACHE_THERE;
		}
		int error = errno;
		close(fd);
		if (error != EWOULDBLOCK && error != EINTR)
			return CACHE_MINE;
		if (waited && is_there(root, kind, key))
			return CACHE_THERE;
		if (os_now() >= until)
			return CACHE_BUSY;
		stop_point();
		waited = true;
		nap(pause);
		pause = MIN(pause * 1.5, 0.05);
	}
}

void cache_release(CacheStore *store, CacheClaim *claim)
{
	char name[CACHE_NAME];
	int root = claim->fd < 0 ? -1 : cache_own(store, false);
	if (claim->fd < 0)
		return;
	lock_name(&claim->key, name);
	if (root >= 0 && is_current(root, claim->fd, name))
		unlinkat(root, name, 0);
	close(claim->fd);
	claim->fd = -1;
}
