#include "cache/entry/stamp.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"

enum { TICK = 2 /* seconds */ };

static bool is_past(const struct timespec *t)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return t->tv_sec + TICK < now.tv_sec;
}

const char *cache_stamp(const char *path, Arena *arena, bool *settled)
{
	struct stat st;
	*settled = false;
	if (stat(path, &st) != 0)
		return NULL;
	*settled = is_past(&st.st_mtim) && is_past(&st.st_ctim);
	return arena_printf(arena, "%s %llu %llu %lld %lld.%09ld %lld.%09ld", path,
			    (unsigned long long)st.st_dev, (unsigned long long)st.st_ino,
			    (long long)st.st_size, (long long)st.st_mtim.tv_sec, (long)st.st_mtim.tv_nsec,
			    (long long)st.st_ctim.tv_sec, (long)st.st_ctim.tv_nsec);
}

static bool hash_all(int fd, CacheHash *hash, CacheReader *reader, void *data)
{
	char bytes[16384];
	uint64_t at = 0;
	ssize_t got;
	cache_hash_init(hash);
	for (; (got = read(fd, bytes, sizeof bytes)) > 0; at += (uint64_t)got) {
		cache_hash_add(hash, bytes, (size_t)got);
		if (reader)
			reader(data, at, (Str){bytes, (size_t)got});
	}
	return got == 0;
}

/* Once more where it changed meanwhile: a file that is being written is not taken for what it is half-way. */
const char *cache_file_hex_read(const char *path, Arena *arena, CacheReader *reader, void *data)
{
	bool settled;
	for (int tries = 0; tries < 3; tries++) {
		CacheHash hash;
		const char *before = cache_stamp(path, arena, &settled), *after;
		int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0)
			return NULL;
		bool good = os_is_file(path) && hash_all(fd, &hash, reader, data);
		close(fd);
		after = cache_stamp(path, arena, &settled);
		if (!good || !before || !after)
			return NULL;
		if (strcmp(before, after) == 0) {
			char hex[CACHE_HEX_SIZE];
			CacheDigest digest = cache_hash_done(&hash);
			cache_digest_hex(&digest, hex);
			return arena_strdup(arena, hex);
		}
	}
	return NULL;
}

const char *cache_file_hex(const char *path, Arena *arena)
{
	return cache_file_hex_read(path, arena, NULL, NULL);
}
