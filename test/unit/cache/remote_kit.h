/* Tests of remote caches with real servers: a folder with what they need, servers on free ports of the loopback interface, and stores in
 * folders of their own, which are as many machines. */
#ifndef NESO_TEST_REMOTE_KIT_H
#define NESO_TEST_REMOTE_KIT_H
#include "unit.h"
#include "folder.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"
#include "cache/store.h"

typedef struct RemoteKit {
	Arena arena;
	char dir[64];
	pid_t server; /* 0: none runs */
	int port;
	CacheRemoteOptions options;
} RemoteKit;

/* The program of a server, by names that it may have; NULL: it is not installed. */
static inline const char *kit_program(RemoteKit *kit, const char *const *names)
{
	static const char *const folders[] = {"/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"};
	for (; *names; names++)
		for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
			const char *path = os_path_join(&kit->arena, folders[i], *names);
			if (access(path, X_OK) == 0)
				return path;
		}
	return NULL;
}

static inline int kit_free_port(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof at;
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &size), 0);
	close(fd);
	return ntohs(at.sin_port);
}

/* A connection to a port, which may take a while to listen; -1: nobody does. */
static inline int kit_connect(int port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	for (int i = 0; i < 1000; i++) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (connect(fd, (struct sockaddr *)&at, sizeof at) == 0)
			return fd;
		close(fd);
		usleep(10000);
	}
	return -1;
}

/* Starts a program that listens at kit->port, and waits until it does. */
static inline void kit_start(RemoteKit *kit, const char *program, const char *const *args)
{
	kit->server = fork();
	if (kit->server == 0) {
		int null = open(os_path_join(&kit->arena, kit->dir, "log"), O_WRONLY | O_CREAT | O_APPEND, 0600);
		dup2(null, 1);
		dup2(null, 2);
		execv(program, (char *const *)(uintptr_t)args);
		_exit(127);
	}
	int fd = kit_connect(kit->port);
	if (fd < 0)
		fail_msg("%s does not listen at port %d", program, kit->port);
	close(fd);
}

static inline void kit_stop(RemoteKit *kit)
{
	int status;
	if (!kit->server)
		return;
	kill(kit->server, SIGCONT);
	kill(kit->server, SIGKILL);
	waitpid(kit->server, &status, 0);
	kit->server = 0;
}

static inline int kit_set_up(void **state)
{
	RemoteKit *kit = calloc(1, sizeof *kit);
	char self[512] = "";
	if (!test_folder(kit->dir, sizeof kit->dir, "server"))
		return -1;
	arena_init(&kit->arena, 0);
	/* The library that is tested lies above this program. */
	ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
	if (len > 0 && !getenv("NESO_REMOTE_PATH"))
		setenv("NESO_REMOTE_PATH", os_path_dir(&kit->arena, os_path_dir(&kit->arena, self)), 1);
	kit->port = kit_free_port();
	kit->options = (CacheRemoteOptions){.key_format = "triton:{key}:{filename}", .host = "localhost", .port = (uint64_t)kit->port,
					    .connect_ms = 2000, .request_ms = 20000, .flush_ms = 20000, .largest = 64 << 20};
	*state = kit;
	alarm(240); /* a hang is a failure */
	return 0;
}

static inline int kit_tear_down(void **state)
{
	RemoteKit *kit = *state;
	char command[128];
	kit_stop(kit);
	snprintf(command, sizeof command, "rm -rf '%s'", kit->dir);
	if (system(command) != 0)
		return -1;
	arena_free(&kit->arena);
	free(kit);
	return 0;
}

/* False: this build has no library for remote caches. */
static inline bool kit_has_library(RemoteKit *kit)
{
	return os_is_file(os_path_join(&kit->arena, getenv("NESO_REMOTE_PATH"), "libneso-remote.so"));
}

/* ---- machines ---- */

static inline CacheStore *kit_machine(RemoteKit *kit, const char *name, const char *place)
{
	CacheOptions options = {.dir = os_path_join(&kit->arena, kit->dir, name), .wait = 5, .remote = kit->options};
	options.remote.place = place;
	return cache_store_new(&options);
}

/* The text of a key: room for 32 bytes. */
static inline Str kit_key_text(uint32_t i, char *room)
{
	return (Str){room, (size_t)snprintf(room, 32, "n\t%u\n", i)};
}

static inline CacheDigest kit_key(uint32_t i)
{
	char room[32];
	Str text = kit_key_text(i, room);
	return cache_hash_of(text.ptr, text.len);
}

/* An entry that tells its number, with `size` bytes of noise. */
static inline Str kit_entry(Arena *arena, uint32_t i, size_t size)
{
	CacheDigest key = kit_key(i);
	uint32_t *noise = arena_alloc_raw(arena, size + 4, 16), x = i + 1;
	for (size_t at = 0; at <= size / 4; at++)
		noise[at] = x = x * 1664525 + 1013904223;
	char room[32];
	CacheSection sections[] = {{"key", kit_key_text(i, room)},
				   {"number", {arena_copy(arena, &i, sizeof i), sizeof i}},
				   {"noise", {(const char *)noise, size}}};
	return cache_entry_write(arena, &key, sections, ARRAY_LEN(sections));
}

static inline void kit_put(CacheStore *store, CacheKind kind, uint32_t i, size_t size)
{
	Arena arena;
	CacheDigest key = kit_key(i);
	arena_init(&arena, 0);
	assert_true(cache_put(store, kind, &key, kit_entry(&arena, i, size)));
	arena_free(&arena);
}

/* Is it there? What is there must be what was put. */
static inline bool kit_get(CacheStore *store, CacheKind kind, uint32_t i, size_t size)
{
	Arena arena;
	CacheDigest key = kit_key(i);
	CacheEntry entry;
	arena_init(&arena, 0);
	bool there = cache_get(store, kind, &key, &arena, &entry, NULL);
	if (there) {
		Str want = kit_entry(&arena, i, size);
		assert_int_equal(entry.file.len, want.len);
		assert_memory_equal(entry.file.ptr, want.ptr, want.len);
	}
	arena_free(&arena);
	return there;
}

/* The one fault of the store says this of its remote cache. */
static inline void kit_says(CacheStore *store, const char *text)
{
	CacheFault fault = cache_fault(store);
	assert_int_equal(fault.kind, CACHE_FAULT_REMOTE);
	if (!strstr(fault.why, text))
		fail_msg("it says: %s", fault.why);
	assert_null(strstr(fault.path, "secret"));
	assert_null(strstr(fault.why, "secret"));
	assert_int_equal(cache_fault(store).kind, CACHE_FAULT_NONE);
}

/* ---- what holds with every server ---- */

typedef struct KitServer {
	const char *place;
	void (*start)(RemoteKit *kit);
} KitServer;

/* Another machine has what one put, of every size that matters. */
static inline void kit_second_machine(RemoteKit *kit, const char *place)
{
	static const size_t sizes[] = {0, 1, 100, 127, 128, 1000, 16300, 16384, 65536, 100000, 3000000};
	CacheStore *a = kit_machine(kit, "second-a", place), *b = kit_machine(kit, "second-b", place);
	for (uint32_t i = 0; i < ARRAY_LEN(sizes); i++)
		kit_put(a, CACHE_VARIANT, i, sizes[i]);
	kit_put(a, CACHE_CUBIN, 100, 5000);
	kit_put(a, CACHE_FILE, 101, 5000);
	kit_put(a, CACHE_FACT, 102, 5000);
	assert_int_equal(cache_store_flush(a, 60), 0);
	assert_int_equal(cache_fault(a).kind, CACHE_FAULT_NONE);
	for (uint32_t i = 0; i < ARRAY_LEN(sizes); i++)
		assert_true(kit_get(b, CACHE_VARIANT, i, sizes[i]));
	assert_true(kit_get(b, CACHE_CUBIN, 100, 5000));
	assert_true(kit_get(b, CACHE_FILE, 101, 5000));
	assert_false(kit_get(b, CACHE_FACT, 102, 5000));
	assert_false(kit_get(b, CACHE_VARIANT, 103, 5000));
	assert_int_equal(cache_fault(b).kind, CACHE_FAULT_NONE);
	CacheRemoteCounts put = cache_store_remote_counts(a), got = cache_store_remote_counts(b);
	assert_int_equal(put.puts, ARRAY_LEN(sizes) + 2);
	assert_int_equal(got.hits, ARRAY_LEN(sizes) + 2);
	assert_int_equal(got.misses, 1);
	assert_int_equal(got.errors + put.errors + put.dropped, 0);
	assert_int_equal(got.bytes_in, put.bytes_out);
	cache_store_free(a);
	cache_store_free(b);
}

/* It stops, and comes back. */
static inline void kit_stop_and_start(RemoteKit *kit, const KitServer *server)
{
	CacheStore *a = kit_machine(kit, "stop-a", server->place), *b = kit_machine(kit, "stop-b", server->place);
	kit_put(a, CACHE_VARIANT, 1, 1000);
	assert_int_equal(cache_store_flush(a, 60), 0);
	assert_true(kit_get(b, CACHE_VARIANT, 1, 1000));
	kit_stop(kit);
	for (uint32_t i = 10; i < 30; i++) {
		assert_false(kit_get(b, CACHE_VARIANT, i, 1000));
		kit_put(b, CACHE_VARIANT, i, 1000);
		assert_true(kit_get(b, CACHE_VARIANT, i, 1000));
	}
	CacheFault fault = cache_fault(b);
	assert_int_equal(fault.kind, CACHE_FAULT_REMOTE);
	assert_int_equal(cache_fault(b).kind, CACHE_FAULT_NONE);
	server->start(kit);
	/* What b has put meanwhile comes to it by itself. */
	for (int i = 0; cache_store_flush(b, 1) && i < 6000; i++)
		usleep(10000);
	assert_int_equal(cache_store_remote_counts(b).puts, 20);
	for (uint32_t i = 10; i < 30; i++)
		assert_true(kit_get(a, CACHE_VARIANT, i, 1000)); /* over a connection from before */
	assert_int_equal(cache_fault(a).kind, CACHE_FAULT_NONE);
	cache_store_free(a);
	cache_store_free(b);
}

/* It takes connections and never answers. */
static inline void kit_hang(RemoteKit *kit, const char *place)
{
	kit->options.request_ms = 1000;
	CacheStore *a = kit_machine(kit, "hang-a", place);
	kit_put(a, CACHE_VARIANT, 1, 1000);
	assert_int_equal(cache_store_flush(a, 60), 0);
	kill(kit->server, SIGSTOP);
	for (uint32_t i = 10; i < 1000; i++) /* with a wait for each, the alarm would ring */
		assert_false(kit_get(a, CACHE_VARIANT, i, 1000));
	kit_says(a, "it does not answer in time");
	kit_put(a, CACHE_VARIANT, 10, 1000);
	cache_store_free(a); /* does not wait for it */
	kill(kit->server, SIGCONT);
	kit->options.request_ms = 20000;
	CacheStore *b = kit_machine(kit, "hang-b", place);
	assert_true(kit_get(b, CACHE_VARIANT, 1, 1000));
	cache_store_free(b);
}

/* What lies there is damaged: a miss, told once, and healed by the next put. */
static inline void kit_damage(RemoteKit *kit, const char *place)
{
	CacheBackend raw;
	char why[CACHE_REMOTE_WHY] = "", hex[CACHE_HEX_SIZE];
	CacheDigest key = kit_key(7);
	CacheRemoteOptions options = kit->options;
	options.place = place;
	assert_true(cache_backend_open(&options, &raw, why, sizeof why));
	cache_digest_hex(&key, hex);
	Str whole = kit_entry(&kit->arena, 7, 3000);
	for (size_t i = 0; i < 60; i++) {
		char *bytes = arena_copy(&kit->arena, whole.ptr, whole.len);
		size_t at = i * whole.len / 60, len = i % 3 ? whole.len : at;
		bytes[at] ^= (char)(1 << i % 8);
		assert_int_equal(raw.put(raw.data, hex, "variant", bytes, len, why, sizeof why), CACHE_REMOTE_OK);
		CacheStore *b = kit_machine(kit, arena_printf(&kit->arena, "damage-%zu", i), place);
		assert_false(kit_get(b, CACHE_VARIANT, 7, 3000));
		if (len) /* to a Redis server nothing is nothing */
			assert_int_equal(cache_fault(b).kind, CACHE_FAULT_DAMAGED);
		cache_store_free(b);
	}
	raw.close(raw.data);
	CacheStore *a = kit_machine(kit, "damage-a", place), *b = kit_machine(kit, "damage-b", place);
	assert_false(kit_get(a, CACHE_VARIANT, 7, 3000));
	kit_put(a, CACHE_VARIANT, 7, 3000);
	assert_int_equal(cache_store_flush(a, 60), 0);
	assert_true(kit_get(b, CACHE_VARIANT, 7, 3000));
	cache_store_free(a);
	cache_store_free(b);
}

/* What holds of every kind of server. */
static inline void kit_common(RemoteKit *kit, const KitServer *server)
{
	kit_second_machine(kit, server->place);
	kit_damage(kit, server->place);
	kit_hang(kit, server->place);
	kit_stop_and_start(kit, server);
}

/* Processes on machines of their own, while the server comes and goes. */
static inline void kit_processes(RemoteKit *kit, const KitServer *server)
{
	enum { PROCESSES = 8, KEYS = 60 };
	pid_t children[PROCESSES];
	kit->options.flush_ms = 1000;
	for (int p = 0; p < PROCESSES; p++) {
		children[p] = fork();
		if (children[p])
			continue;
		char name[24];
		snprintf(name, sizeof name, "many-%d", p);
		CacheStore *store = kit_machine(kit, name, server->place);
		for (uint32_t n = 0; n < KEYS; n++) {
			uint32_t i = (n * 7 + (uint32_t)p * 13) % KEYS;
			if (!kit_get(store, CACHE_VARIANT, i, 2000 + i * 50))
				kit_put(store, CACHE_VARIANT, i, 2000 + i * 50);
			usleep(20000);
		}
		for (uint32_t i = 0; i < KEYS; i++)
			if (!kit_get(store, CACHE_VARIANT, i, 2000 + i * 50))
				_exit(2);
		cache_store_free(store);
		_exit(0);
	}
	for (int i = 0; i < 3; i++) {
		usleep(250000);
		kit_stop(kit);
		usleep(100000);
		server->start(kit);
	}
	for (int p = 0; p < PROCESSES; p++) {
		int status;
		assert_int_equal(waitpid(children[p], &status, 0), children[p]);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	kit->options.flush_ms = 20000;
	/* What got there is right. */
	CacheStore *last = kit_machine(kit, "many-last", server->place);
	for (uint32_t i = 0; i < KEYS; i++)
		(void)kit_get(last, CACHE_VARIANT, i, 2000 + i * 50);
	assert_int_equal(cache_fault(last).kind, CACHE_FAULT_NONE);
	cache_store_free(last);
}

#endif
