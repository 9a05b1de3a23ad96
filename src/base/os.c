/* POSIX: files, paths, clock, processors. */
#define _GNU_SOURCE /* sched_getaffinity, syscall */
#include "base/os.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static bool fail(Arena *arena, const char **error, int code)
{
	*error = arena_strdup(arena, strerror(code));
	return false;
}

static bool read_all(Arena *arena, int fd, Str *bytes, const char **error)
{
	enum { LARGEST = 1 << 30 };
	size_t len = 0, cap = 0;
	struct stat st;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && st.st_size <= LARGEST)
		cap = (size_t)st.st_size + 1;
	cap = MAX(cap, (size_t)4096);
	char *data = arena_alloc_raw(arena, cap, 16);
	for (;;) {
		if (len + 1 >= cap) {
			data = arena_grow(arena, data, cap, cap * 2);
			cap *= 2;
		}
		ssize_t got = read(fd, data + len, cap - len - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return fail(arena, error, errno);
		if (got == 0)
			break;
		len += (size_t)got;
		if (len > LARGEST)
			return fail(arena, error, EFBIG);
	}
	data[len] = '\0';
	*bytes = (Str){data, len};
	return true;
}

bool os_read_file(Arena *arena, const char *path, Str *bytes, const char **error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fail(arena, error, errno);
	bool ok = read_all(arena, fd, bytes, error);
	close(fd);
	return ok;
}

static bool write_all(int fd, Str bytes)
{
	while (bytes.len) {
		ssize_t put = write(fd, bytes.ptr, bytes.len);
		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0) {
			errno = put ? errno : ENOSPC;
			return false;
		}
		bytes.ptr += put;
		bytes.len -= (size_t)put;
	}
	return true;
}

/* Beyond the limit of file sizes the kernel sends SIGXFSZ, which would end the process; EFBIG says the
 * same. */
bool os_write_all(int fd, Str bytes)
{
	sigset_t limit, before;
	sigemptyset(&limit);
	sigaddset(&limit, SIGXFSZ);
	int masked = pthread_sigmask(SIG_BLOCK, &limit, &before);
	bool ok = write_all(fd, bytes);
	int code = errno;
	if (masked == 0 && !sigismember(&before, SIGXFSZ)) {
		if (!ok && code == EFBIG)
			sigtimedwait(&limit, NULL, &(struct timespec){0});
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	errno = code;
	return ok;
}

static uint64_t random_number(const void *salt)
{
	uint64_t number;
	if (getrandom(&number, sizeof number, GRND_NONBLOCK) == (ssize_t)sizeof number)
		return number;
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_nsec << 32 ^ (uint64_t)(uintptr_t)salt;
}

bool os_output_open(OsOutput *out, Arena *arena, const char *path, const char **error)
{
	struct stat st;
	*out = (OsOutput){.fd = -1, .path = arena_strdup(arena, path)};
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		out->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		return out->fd >= 0 || fail(arena, error, errno);
	}
	for (int i = 0; i < 8 && out->fd < 0; i++) {
		out->temp = arena_printf(arena, "%s.%016llx.tmp", path, (unsigned long long)random_number(out));
		out->fd = open(out->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (out->fd < 0 && errno != EEXIST)
			break;
	}
	return out->fd >= 0 || fail(arena, error, errno);
}

bool os_output_close(OsOutput *out, Arena *arena, bool good, const char **error)
{
	int code = errno;
	if (close(out->fd) != 0 && good) {
		good = false;
		code = errno;
	}
	if (good && out->temp && rename(out->temp, out->path) != 0) {
		good = false;
		code = errno;
	}
	if (good)
		return true;
	if (out->temp)
		unlink(out->temp);
	return fail(arena, error, code);
}

bool os_write_file(Arena *arena, const char *path, Str bytes, const char **error)
{
	OsOutput out;
	return os_output_open(&out, arena, path, error) && os_output_close(&out, arena, os_write_all(out.fd, bytes), error);
}

bool os_is_file(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool os_is_dir(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

char *os_path_dir(Arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');
	if (!slash)
		return arena_strdup(arena, ".");
	return arena_strndup(arena, path, slash == path ? 1 : (size_t)(slash - path));
}

char *os_path_join(Arena *arena, const char *dir, const char *name)
{
	size_t len = strlen(dir);
	return arena_printf(arena, "%s%s%s", dir, len && dir[len - 1] == '/' ? "" : "/", name);
}

double os_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double os_now_coarse(void)
{
#ifdef CLOCK_MONOTONIC_COARSE
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
#else
	return os_now();
#endif
}

/* The kernel looks at what it is asked to write, and refuses with EFAULT what is no memory; a
 * sanitizer that stands before write() would look itself. */
bool os_is_readable(const void *at, size_t size)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
		return at != NULL; /* nobody can say */
	bool good = syscall(SYS_write, ends[1], at, size) >= 0 || errno != EFAULT;
	close(ends[0]);
	close(ends[1]);
	return good;
}

unsigned os_cpu_count(void)
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof set, &set) == 0)
		return (unsigned)MAX(1, CPU_COUNT(&set));
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	return n > 0 ? (unsigned)n : 1;
}

bool os_make_folders(Arena *arena, const char *path)
{
	char *copy = arena_strdup(arena, path);
	for (char *at = copy + 1; *at; at++)
		if (*at == '/') {
			*at = '\0';
			(void)mkdir(copy, 0777);
			*at = '/';
		}
	return mkdir(copy, 0777) == 0 || errno == EEXIST;
}
