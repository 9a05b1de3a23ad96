/* Claims: one maker of a key at a time, between processes.
 *
 * A claim is a lock (flock) on a file of lock/; the system lets go of it when its holder's process ends, however it ends. The
 * holder removes the file before it lets go, so whoever got the lock of a removed file looks again. */
#define _GNU_SOURCE
#include "cache/inner.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"

static bool lock_path(CacheStore *store, const CacheDigest *key, char out[CACHE_PATH])
{
	char hex[CACHE_HEX_SIZE];
	cache_digest_hex(key, hex);
	return cache_path(out, store->roots[0].path, "lock/%s", hex);
}

static int open_lock(CacheStore *store, const char *path)
{
	char folder[CACHE_PATH];
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0 || errno != ENOENT || !cache_path(folder, store->roots[0].path, "lock"))
		return fd;
	if (mkdir(folder, 0700) != 0 && errno != EEXIST)
		return -1;
	return open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

/* Is the file still the one of this name? */
static bool is_current(int fd, const char *path)
{
	struct stat a, b;
	return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

static void nap(double seconds)
{
	struct timespec t = {.tv_nsec = (long)(seconds * 1e9)};
	nanosleep(&t, NULL);
}

static bool is_there(CacheStore *store, CacheKind kind, const CacheDigest *key)
{
	char path[CACHE_PATH];
	return cache_entry_path(path, store->roots[0].path, kind, key) && access(path, F_OK) == 0;
}

CacheClaimed cache_claim(CacheStore *store, CacheKind kind, const CacheDigest *key, CacheClaim *claim)
{
	char path[CACHE_PATH];
	*claim = (CacheClaim){.fd = -1, .key = *key};
	if (!cache_own_usable(store, true) || !lock_path(store, key, path))
		return CACHE_MINE;
	double until = os_now() + store->options.wait, pause = 1e-3;
	bool waited = false;
	for (;;) {
		int fd = open_lock(store, path);
		if (fd < 0)
			return CACHE_MINE;
		if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
			/* A file system whose numbers of files change would have us try for ever. */
			if (!is_current(fd, path)) {
				close(fd);
				if (os_now() >= until)
					return CACHE_BUSY;
				nap(1e-4);
				continue;
			}
			/* Who had to wait finds what the other made. Without having waited: it may have come since it was looked for. */
			claim->fd = fd;
			if (!is_there(store, kind, key))
				return CACHE_MINE;
			cache_release(store, claim);
			return CACHE_THERE;
		}
		int error = errno;
		close(fd);
		if (error != EWOULDBLOCK && error != EINTR)
			return CACHE_MINE;
		if (waited && is_there(store, kind, key))
			return CACHE_THERE;
		if (os_now() >= until)
			return CACHE_BUSY;
		waited = true;
		nap(pause);
		pause = MIN(pause * 1.5, 0.05);
	}
}

void cache_release(CacheStore *store, CacheClaim *claim)
{
	char path[CACHE_PATH];
	if (claim->fd < 0)
		return;
	if (lock_path(store, &claim->key, path))
		unlink(path);
	close(claim->fd);
	claim->fd = -1;
}
