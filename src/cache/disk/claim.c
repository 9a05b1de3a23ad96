/* Claims: one maker of a key at a time, between processes and threads.
 *
 * A claim is a lock on one byte of the file `claims`, at an offset that the key gives. It
 * belongs to the open file, so threads exclude one another too, and the system lets go of it
 * when its holder ends, however it ends: nothing is ever left behind. Two keys with one offset
 * wait for each other, which harms nobody. */
#define _GNU_SOURCE /* F_OFD_SETLK */
#include "cache/inner.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
#include "base/stop.h"

/* The byte of a key: the file has none, and needs none. */
static off_t offset_of(const CacheDigest *key)
{
	enum { BITS = sizeof(off_t) * 8 - 2 };
	uint64_t number;
	memcpy(&number, key->bytes, sizeof number);
	return (off_t)(number & ((UINT64_C(1) << BITS) - 1));
}

/* 0, or an errno: EWOULDBLOCK where another has it. */
static int lock_byte(int fd, const CacheDigest *key)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = offset_of(key), .l_len = 1};
	int result;
	do {
		result = fcntl(fd, F_OFD_SETLK, &lock);
	} while (result != 0 && errno == EINTR);
	return result == 0 ? 0 : errno == EACCES || errno == EAGAIN ? EWOULDBLOCK : errno;
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

/* Once the claim is held: who had to wait finds what the other made, and without having waited
 * it may have come since it was looked for. */
static CacheClaimed take_claim(int root, CacheKind kind, CacheClaim *claim)
{
	if (!is_there(root, kind, &claim->key))
		return CACHE_MINE;
	cache_release(claim);
	return CACHE_THERE;
}

CacheClaimed cache_claim(CacheStore *store, CacheKind kind, const CacheDigest *key, CacheClaim *claim)
{
	int root = cache_own(store, true);
	*claim = (CacheClaim){.fd = -1, .key = *key};
	double until = os_now() + store->options.wait, pause = 1e-3;
	for (bool waited = false; root >= 0; waited = true) {
		struct stat st;
		int fd = cache_file_own(root, "claims", O_RDWR | O_CREAT, &st);
		int error = fd < 0 ? EBADF : lock_byte(fd, key);
		if (!error) {
			claim->fd = fd;
			return take_claim(root, kind, claim);
		}
		if (fd >= 0)
			close(fd);
		if (error != EWOULDBLOCK)
			break;
		if (waited && is_there(root, kind, key))
			return CACHE_THERE;
		if (os_now() >= until)
			return CACHE_BUSY;
		stop_point();
		nap(pause);
		pause = MIN(pause * 1.5, 0.05);
	}
	return CACHE_MINE;
}

void cache_release(CacheClaim *claim)
{
	if (claim->fd >= 0)
		close(claim->fd);
	claim->fd = -1;
}
