/* The compile cache under everything that befalls it: many processes, each of two threads, that work on the same keys and are killed at random;
 * entries whose bits are flipped and that are cut off meanwhile; a disk that is full from time to time; bounds that have entries evicted.
 *
 *	cache_stress [--processes N] [--keys N] [--seconds S] [--seed N] [--small] FOLDER
 *
 * The cache lies in FOLDER, else as the environment says: with TRITON_REMOTE_CACHE_BACKEND there is a server behind it. A process
 * does for each key what a launch does: it gets it, or claims, makes and puts it. What it has then must be what the key
 * stands for: that is checked byte by byte, also of files and groups. Processes are begun until the time is over and each of the N
 * has once done all keys. Then gc must leave no temporary and no lock, and a last process must find every key or make it, and
 * after that find all.
 *
 * That the disk is full is feigned: writing and renaming fail by the linker's --wrap. --small: it is not, as FOLDER lies on a small
 * file system that fills; then not all keys need be there in the end. Exit status 1 when anything was wrong. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
#include "cache/disk/files.h"
#include "cache/disk/log.h"

enum { THREADS = 2, LARGEST = 20000 };

/* What all processes see. */
typedef struct Shared {
	atomic_bool full; /* the disk */
	atomic_uint wrong, hits, made, waited, not_put, killed, damaged, refused;
} Shared;
static Shared *shared; /* of this program alone: a handler of the linker's has no other way to it */

typedef struct Run {
	unsigned processes, keys;
	double seconds;
	uint64_t seed;
	bool small; /* the disk is: it really fills */
	const char *folder;
} Run;

/* ---- a disk that is full ---- */

ssize_t __real_write(int fd, const void *bytes, size_t size);
int __real_rename(const char *from, const char *to);
ssize_t __wrap_write(int fd, const void *bytes, size_t size);
int __wrap_rename(const char *from, const char *to);

ssize_t __wrap_write(int fd, const void *bytes, size_t size)
{
	if (!shared || fd <= 2 || !atomic_load(&shared->full))
		return __real_write(fd, bytes, size);
	atomic_fetch_add(&shared->refused, 1);
	if (size > 8192) /* what there was room for */
		return __real_write(fd, bytes, 8192);
	errno = ENOSPC;
	return -1;
}

int __wrap_rename(const char *from, const char *to)
{
	if (!shared || !atomic_load(&shared->full) || to[strlen(to) - 1] % 4)
		return __real_rename(from, to);
	errno = ENOSPC;
	return -1;
}

/* ---- what keys stand for ---- */

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void wrong(const char *what, unsigned n)
{
	atomic_fetch_add(&shared->wrong, 1);
	fprintf(stderr, "cache_stress: key %u: %s\n", n, what);
}

enum { KEY_TEXT = 32 };

static Str key_text(unsigned n, char room[KEY_TEXT])
{
	return (Str){room, (size_t)snprintf(room, KEY_TEXT, "key %u", n)};
}

static CacheDigest key_of(unsigned n)
{
	char room[KEY_TEXT];
	Str text = key_text(n, room);
	return cache_hash_of(text.ptr, text.len);
}

/* Up to LARGEST bytes that follow from the key, half of them random. */
static Str value_of(Arena *arena, unsigned n)
{
	uint64_t state = 88172645463325252u + n * 7919u;
	for (int i = 0; i < 10; i++)
		next_random(&state);
	size_t len = 200 + next_random(&state) % (LARGEST - 200);
	char *bytes = arena_alloc_raw(arena, len, 16);
	for (size_t i = 0; i < len; i++)
		bytes[i] = (char)(i % 2 ? next_random(&state) : n);
	return (Str){bytes, len};
}

static bool is_value(Arena *arena, unsigned n, Str bytes)
{
	Str value = value_of(arena, n);
	return bytes.len == value.len && memcmp(bytes.ptr, value.ptr, value.len) == 0;
}

/* ---- a launch ---- */

static bool find(CacheStore *store, Arena *arena, unsigned n, CacheKind kind, Str *value)
{
	CacheDigest key = key_of(n);
	CacheEntry entry;
	const char *why;
	if (!cache_get(store, kind, &key, arena, &entry, NULL))
		return false;
	if (cache_entry_section(&entry, "value", arena, value, &why))
		return true;
	cache_drop(store, kind, &key, why ? why : "a section is missing");
	return false;
}

static Str make(CacheStore *store, Arena *arena, unsigned n, CacheKind kind, uint64_t *state)
{
	CacheDigest key = key_of(n);
	Str value = value_of(arena, n);
	nanosleep(&(struct timespec){.tv_nsec = (long)(next_random(state) % 2000000)}, NULL);
	char room[KEY_TEXT];
	CacheSection sections[] = {{"key", key_text(n, room)}, {"value", value}};
	if (!cache_put(store, kind, &key, cache_entry_write(arena, &key, sections, ARRAY_LEN(sections))))
		atomic_fetch_add(&shared->not_put, 1);
	atomic_fetch_add(&shared->made, 1);
	return value;
}

static void launch(CacheStore *store, Arena *arena, unsigned n, uint64_t *state)
{
	CacheDigest key = key_of(n);
	Str value = {0};
	bool hit = find(store, arena, n, CACHE_VARIANT, &value);
	atomic_fetch_add(&shared->hits, hit);
	if (!hit) {
		CacheClaim claim;
		CacheClaimed claimed = cache_claim(store, CACHE_VARIANT, &key, &claim);
		hit = claimed == CACHE_THERE && find(store, arena, n, CACHE_VARIANT, &value);
		atomic_fetch_add(&shared->waited, hit);
		if (!hit && !find(store, arena, n, CACHE_CUBIN, &value))
			make(store, arena, n, CACHE_CUBIN, state);
		if (!hit)
			value = make(store, arena, n, CACHE_VARIANT, state);
		cache_release(&claim);
	}
	if (!is_value(arena, n, value))
		wrong("another value", n);
	cache_log(store, hit ? CACHE_EVENT_HIT : CACHE_EVENT_MISS, &key, 0.01, "kernel");
}

/* Files of callers: a group is found whole or not at all. */
static void keep_files(CacheStore *store, Arena *arena, unsigned n)
{
	const char *key = arena_printf(arena, "files %u", n);
	CacheNameds found;
	Str value = value_of(arena, n), bytes;
	CacheNamed files[] = {{"a", value}, {"b", {value.ptr, value.len / 2}}};
	if (cache_group_get(store, arena, key, "group", &found)) {
		if (found.len != 2 || !is_value(arena, n, found.data[0].bytes) || found.data[1].bytes.len != value.len / 2)
			wrong("another group", n);
	} else {
		cache_group_put(store, arena, key, "group", files, 2);
	}
	if (!cache_file_get(store, arena, key, "file", &bytes))
		cache_file_put(store, arena, key, "file", value);
	else if (!is_value(arena, n, bytes))
		wrong("another file", n);
}

/* ---- processes ---- */

typedef struct Worker {
	const Run *run;
	CacheStore *store;
	uint64_t seed;
} Worker;

static void *all_keys(void *data)
{
	Worker *w = data;
	uint64_t state = w->seed * 2654435761u + 88172645463325252u;
	Arena arena;
	arena_init(&arena, 0);
	uint64_t first = next_random(&state), step = 1 + next_random(&state) % 97;
	while (w->run->keys % step == 0 && step > 1)
		step++;
	for (uint64_t i = 0; i < w->run->keys; i++) {
		unsigned n = (unsigned)((first + i * (w->run->keys % step ? step : 1)) % w->run->keys);
		ArenaMark mark = arena_mark(&arena);
		launch(w->store, &arena, n, &state);
		if (n % 4 == 0)
			keep_files(w->store, &arena, n);
		arena_reset(&arena, mark);
	}
	arena_free(&arena);
	return NULL;
}

static CacheStore *open_store(const Run *run, Arena *arena, bool bounds)
{
	CacheOptions options;
	const char *none;
	cache_options_env(arena, &options, &none);
	options.dir = run->folder ? run->folder : options.dir;
	options.wait = 2;
	options.max_files = bounds ? run->keys * 2 : 0;
	options.max_bytes = 0;
	return cache_store_new(&options);
}

static pid_t start(const Run *run, uint64_t seed)
{
	pid_t pid = fork();
	if (pid)
		return pid;
	Arena arena;
	arena_init(&arena, 0);
	Worker w = {run, open_store(run, &arena, seed % 4 == 0), seed};
	Worker other = {run, w.store, seed + 1000003};
	pthread_t thread;
	bool two = pthread_create(&thread, NULL, all_keys, &other) == 0;
	all_keys(&w);
	if (two)
		pthread_join(thread, NULL);
	cache_store_free(w.store);
	arena_free(&arena);
	_exit(0);
}

/* ---- damage ---- */

/* A file of a random folder of entries; false: there is none. */
static bool pick(const char *root, uint64_t *state, char *out, size_t size)
{
	char path[2048];
	snprintf(path, sizeof path, "%.1000s/%s/%02x", root, cache_kind_names[next_random(state) % CACHE_FACT], (unsigned)(next_random(state) % 256));
	DIR *dir = opendir(path);
	bool found = false;
	for (struct dirent *d; dir && (d = readdir(dir)) != NULL;)
		if (d->d_name[0] != '.' && (!found || next_random(state) % 2)) {
			int len = snprintf(out, size, "%s/%s", path, d->d_name);
			found = len > 0 && (size_t)len < size;
		}
	if (dir)
		closedir(dir);
	return found;
}

static void damage(const char *root, uint64_t *state)
{
	char path[4096];
	struct stat st;
	if (!pick(root, state, path, sizeof path))
		return;
	int fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0 || !st.st_size) {
		if (fd >= 0)
			close(fd);
		return;
	}
	off_t at = (off_t)(next_random(state) % (uint64_t)st.st_size);
	unsigned char byte;
	switch (next_random(state) % 4) {
	case 0:
		if (ftruncate(fd, at) != 0)
			perror(path);
		break;
	case 1:
		unlink(path);
		break;
	default:
		if (pread(fd, &byte, 1, at) == 1) {
			byte = (unsigned char)(byte ^ 1u << next_random(state) % 8);
			if (pwrite(fd, &byte, 1, at) != 1)
				perror(path);
		}
	}
	close(fd);
	atomic_fetch_add(&shared->damaged, 1);
}

/* ---- the run ---- */

/* By itself? Else it was killed. */
static bool ended(unsigned i, int status)
{
	bool was_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	if (status && !was_killed)
		wrong("a process failed", i);
	return !was_killed;
}

/* Keeps the processes going, kills some of them; ends when the time is over and each place's process has once ended by itself. */
static void trouble(const Run *run, const char *root, pid_t *pids, bool *done)
{
	uint64_t state = run->seed + 88172645463325252u, seed = run->seed;
	double until = os_now() + run->seconds;
	for (unsigned i = 0; i < 10; i++)
		next_random(&state);
	for (unsigned left = run->processes; left || os_now() < until;) {
		bool late = os_now() >= until;
		for (unsigned i = 0; i < run->processes; i++) {
			int status;
			if (!pids[i] && !(late && done[i]))
				pids[i] = start(run, ++seed);
			if (pids[i] <= 0 || waitpid(pids[i], &status, WNOHANG) != pids[i])
				continue;
			pids[i] = 0;
			bool by_itself = ended(i, status);
			left -= !done[i] && by_itself;
			done[i] = done[i] || by_itself;
		}
		/* What is late is let finish. */
		unsigned victim = (unsigned)(next_random(&state) % run->processes);
		if (!late && next_random(&state) % 4 == 0 && pids[victim] > 0 && kill(pids[victim], SIGKILL) == 0)
			atomic_fetch_add(&shared->killed, 1);
		for (int i = 0; i < 3 && !late; i++)
			damage(root, &state);
		atomic_store(&shared->full, !run->small && !late && (uint64_t)(os_now() * 10) % 5 == 0);
		nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
	}
	atomic_store(&shared->full, false);
	for (unsigned i = 0; i < run->processes; i++) {
		int status = 0;
		if (pids[i] > 0 && waitpid(pids[i], &status, 0) == pids[i])
			ended(i, status);
	}
}

static unsigned files_in(const char *root, const char *folder)
{
	char path[1024];
	unsigned count = 0;
	snprintf(path, sizeof path, "%s/%s", root, folder);
	DIR *dir = opendir(path);
	for (struct dirent *d; dir && (d = readdir(dir)) != NULL;)
		count += d->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return count;
}

/* After it: nothing is left over, all heals, and what is there is what is counted. */
static void look_after(const Run *run)
{
	Arena arena;
	CacheGc gc;
	uint64_t state = run->seed;
	arena_init(&arena, 0);
	CacheStore *store = open_store(run, &arena, false);
	const char *root = cache_store_root(store);
	unsigned temporaries = files_in(root, "tmp");
	cache_gc(store, 0, 0, &gc);
	printf("after it: %llu entries; %u temporaries of killed processes\n",
	       (unsigned long long)gc.after.files, temporaries);
	if (files_in(root, "tmp"))
		wrong("gc leaves temporaries", files_in(root, "tmp"));
	for (unsigned n = 0; n < run->keys; n++)
		launch(store, &arena, n, &state);
	for (unsigned n = 0; n < run->keys; n++) {
		Str value;
		bool there = find(store, &arena, n, CACHE_VARIANT, &value);
		if (there ? !is_value(&arena, n, value) : !run->small)
			wrong("it is not there after it was made", n);
	}
	CacheUsage counted = cache_usage(store);
	cache_gc(store, 0, 0, &gc);
	if (gc.before.files != counted.files || gc.before.bytes != counted.bytes)
		wrong("the count of entries is wrong", (unsigned)counted.files);
	cache_store_free(store);
	arena_free(&arena);
}

static bool read_arguments(int argc, char **argv, Run *run)
{
	*run = (Run){.processes = 16, .keys = 20, .seconds = 3, .seed = (uint64_t)time(NULL)};
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";
		if (strcmp(argv[i], "--processes") == 0 && ++i)
			run->processes = (unsigned)strtoul(value, NULL, 10);
		else if (strcmp(argv[i], "--keys") == 0 && ++i)
			run->keys = (unsigned)strtoul(value, NULL, 10);
		else if (strcmp(argv[i], "--seconds") == 0 && ++i)
			run->seconds = strtod(value, NULL);
		else if (strcmp(argv[i], "--seed") == 0 && ++i)
			run->seed = strtoull(value, NULL, 10);
		else if (strcmp(argv[i], "--small") == 0)
			run->small = true;
		else if (argv[i][0] != '-' && !run->folder)
			run->folder = argv[i];
		else
			return false;
	}
	return run->processes && run->processes <= 4096 && run->keys;
}

int main(int argc, char **argv)
{
	Run run;
	if (!read_arguments(argc, argv, &run)) {
		fprintf(stderr, "usage: cache_stress [--processes N] [--keys N] [--seconds S] [--seed N] [--small] FOLDER\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t *pids = calloc(run.processes, sizeof *pids);
	bool *done = calloc(run.processes, sizeof *done);
	if (shared == MAP_FAILED || !pids || !done)
		return 2;
	Arena arena;
	arena_init(&arena, 0);
	CacheStore *store = open_store(&run, &arena, false);
	char root[1024];
	snprintf(root, sizeof root, "%s", cache_store_root(store) ? cache_store_root(store) : "");
	cache_store_free(store);
	arena_free(&arena);
	printf("%u processes, %u keys, seed %llu, %s\n", run.processes, run.keys, (unsigned long long)run.seed, root);
	double began = os_now();
	trouble(&run, root, pids, done);
	printf("%.1f s: %u hits, %u made, %u waited for, %u not kept; %u processes killed, %u entries damaged, %u writes to a full disk\n",
	       os_now() - began, shared->hits, shared->made, shared->waited, shared->not_put, shared->killed, shared->damaged,
	       shared->refused);
	look_after(&run);
	printf("%u wrong\n", shared->wrong);
	free(pids);
	free(done);
	return shared->wrong ? 1 : 0;
}
