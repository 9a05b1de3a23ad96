/* The remote cache with back ends of the test's own: what is found on another machine, what a server that is away or lies does to a
 * store, the queue, forks, and the end of a process. Servers are in test/check/remote*.sh. */
#define _GNU_SOURCE
#include "unit.h"
#include "folder.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "base/os.h"
#include "cache/disk/files.h"
#include "cache/store.h"
#include "neso/neso.h"

enum { SLOTS = 1024, VALUE = 4096 };

/* A server that processes may share. */
typedef struct Server {
	pthread_mutex_t lock;
	atomic_int gets, puts, closes, result, blocked, entered;
	struct {
		char key[80], name[16];
		size_t size;
		char bytes[VALUE];
	} slots[SLOTS];
	uint32_t count;
} Server;

static Server *server_new(void)
{
	Server *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t shared;
	assert_true(s != MAP_FAILED);
	pthread_mutexattr_init(&shared);
	pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&s->lock, &shared);
	return s;
}

static uint32_t slot_of(const Server *s, const char *key, const char *name)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (strcmp(s->slots[i].key, key) == 0 && strcmp(s->slots[i].name, name) == 0)
			return i;
	return s->count;
}

static int get_many(void *data, const char *const *keys, const char *const *names, size_t count, CacheGiveFn *give, void *sink, char *why,
		    size_t why_size)
{
	Server *s = data;
	s->gets++;
	if (s->result) {
		snprintf(why, why_size, "the test says so");
		return s->result;
	}
	pthread_mutex_lock(&s->lock);
	for (size_t i = count; i-- > 0;) {
		uint32_t slot = slot_of(s, keys[i], names[i]);
		if (slot < s->count)
			give(sink, i, s->slots[slot].bytes, s->slots[slot].size);
	}
	give(sink, count, "out of range", 12);
	pthread_mutex_unlock(&s->lock);
	return CACHE_REMOTE_OK;
}

static int put(void *data, const char *key, const char *name, const void *bytes, size_t size, char *why, size_t why_size)
{
	Server *s = data;
	s->entered = 1;
	while (s->blocked)
		usleep(1000);
	if (s->result) {
		snprintf(why, why_size, "the test says so");
		return s->result;
	}
	pthread_mutex_lock(&s->lock);
	uint32_t slot = slot_of(s, key, name);
	assert_true(slot < SLOTS && size <= VALUE);
	snprintf(s->slots[slot].key, sizeof s->slots[slot].key, "%s", key);
	snprintf(s->slots[slot].name, sizeof s->slots[slot].name, "%s", name);
	memcpy(s->slots[slot].bytes, bytes, size);
	s->slots[slot].size = size;
	s->count = MAX(s->count, slot + 1);
	s->puts++;
	pthread_mutex_unlock(&s->lock);
	return CACHE_REMOTE_OK;
}

static void on_close(void *data)
{
	((Server *)data)->closes++;
}

/* ---- stores in folders of their own: machines ---- */

typedef struct Kit {
	Arena arena;
	char dir[64];
	Server *server;
	CacheRemoteOptions options;
} Kit;

static int setup(void **state)
{
	Kit *kit = calloc(1, sizeof *kit);
	if (!test_folder(kit->dir, sizeof kit->dir, "remote"))
		return -1;
	arena_init(&kit->arena, 0);
	kit->server = server_new();
	kit->options = (CacheRemoteOptions){.largest = 1 << 20, .flush_ms = 5000};
	*state = kit;
	return 0;
}

static int teardown(void **state)
{
	Kit *kit = *state;
	char command[128];
	snprintf(command, sizeof command, "rm -rf '%s'", kit->dir);
	assert_int_equal(system(command), 0);
	arena_free(&kit->arena);
	munmap(kit->server, sizeof *kit->server);
	free(kit);
	return 0;
}

static CacheRemote *connect_to(Kit *kit, bool synchronous)
{
	CacheBackend backend = {kit->server, get_many, put, on_close};
	CacheRemote *remote = cache_remote_new(&backend, "the test's server", synchronous, &kit->options);
	assert_non_null(remote);
	return remote;
}

static CacheStore *machine(Kit *kit, const char *name, bool synchronous)
{
	CacheOptions options = {.dir = os_path_join(&kit->arena, kit->dir, name), .wait = 5};
	CacheStore *store = cache_store_new(&options);
	CacheRemote *remote = connect_to(kit, synchronous);
	CacheRemoteCounts rest;
	cache_store_set_remote(store, remote);
	cache_remote_drop(remote, &rest);
	return store;
}

/* The text of a key: room for 32 bytes. */
static Str key_text(uint32_t i, char *room)
{
	return (Str){room, (size_t)snprintf(room, 32, "n\t%u\n", i)};
}

static CacheDigest key_of(uint32_t i)
{
	char room[32];
	Str text = key_text(i, room);
	return cache_hash_of(text.ptr, text.len);
}

/* An entry that tells its number. */
static Str entry_of(Arena *arena, uint32_t i)
{
	CacheDigest key = key_of(i);
	char room[32];
	CacheSection sections[] = {{"key", key_text(i, room)}, {"number", {arena_copy(arena, &i, sizeof i), sizeof i}}, {"text", str_of(arena_printf(arena, "%0500u", i))}};
	return cache_entry_write(arena, &key, sections, ARRAY_LEN(sections));
}

static void put_entry(Kit *kit, CacheStore *store, uint32_t i)
{
	CacheDigest key = key_of(i);
	assert_true(cache_put(store, CACHE_VARIANT, &key, entry_of(&kit->arena, i)));
}

/* False: it is not there. What is there must be right. */
static bool get_entry(CacheStore *store, uint32_t i, uint32_t *layer)
{
	Arena arena;
	CacheDigest key = key_of(i);
	CacheEntry entry;
	Str number, text;
	const char *why;
	arena_init(&arena, 0);
	bool there = cache_get(store, CACHE_VARIANT, &key, &arena, &entry, layer);
	if (there) {
		assert_true(cache_entry_section(&entry, "number", &arena, &number, &why));
		assert_int_equal(number.len, sizeof i);
		assert_memory_equal(number.ptr, &i, sizeof i);
		assert_true(cache_entry_section(&entry, "text", &arena, &text, &why));
		assert_string_equal(text.ptr, arena_printf(&arena, "%0500u", i));
	}
	arena_free(&arena);
	return there;
}

static void test_second_machine(void **state)
{
	Kit *kit = *state;
	CacheStore *a = machine(kit, "a", false), *b = machine(kit, "b", false);
	uint32_t layer = 99;
	for (uint32_t i = 0; i < 50; i++)
		put_entry(kit, a, i);
	assert_int_equal(cache_store_flush(a, 20), 0);
	assert_int_equal(kit->server->puts, 50);
	assert_string_equal(kit->server->slots[0].name, "variant");
	for (uint32_t i = 0; i < 50; i++) {
		assert_true(get_entry(b, i, &layer));
		assert_int_equal(layer, CACHE_LAYER_REMOTE);
	}
	assert_int_equal(kit->server->gets, 50);
	for (uint32_t i = 0; i < 50; i++) {
		assert_true(get_entry(b, i, &layer)); /* it lies there now */
		assert_int_equal(layer, 0);
	}
	assert_int_equal(kit->server->gets, 50);
	assert_int_equal(kit->server->puts, 50); /* what came from there does not go back */
	assert_false(get_entry(b, 50, NULL));
	CacheRemoteCounts counts = cache_store_remote_counts(b);
	assert_int_equal(counts.hits, 50);
	assert_int_equal(counts.misses, 1);
	assert_int_equal(counts.errors, 0);
	assert_int_equal(counts.bytes_in, cache_store_remote_counts(a).bytes_out);
	assert_int_equal(cache_fault(b).kind, CACHE_FAULT_NONE);
	cache_store_free(a);
	cache_store_free(b);
	assert_int_equal(kit->server->closes, 2);
}

/* Without a folder, and with one that cannot be written, what comes from there is used from memory. */
static void test_no_folder(void **state)
{
	Kit *kit = *state;
	CacheStore *a = machine(kit, "a", true);
	put_entry(kit, a, 1);
	const char *file = os_path_join(&kit->arena, kit->dir, "file"), *error;
	assert_true(os_write_file(&kit->arena, file, STR("no folder"), &error));
	const char *const dirs[] = {NULL, os_path_join(&kit->arena, file, "cache")};
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++) {
		CacheOptions options = {.dir = dirs[i]};
		CacheStore *b = cache_store_new(&options);
		CacheRemote *remote = connect_to(kit, true);
		CacheRemoteCounts rest;
		CacheDigest two = key_of(2 + (uint32_t)i);
		uint32_t layer;
		cache_store_set_remote(b, remote);
		cache_remote_drop(remote, &rest);
		for (int again = 0; again < 2; again++) {
			assert_true(get_entry(b, 1, &layer));
			assert_int_equal(layer, CACHE_LAYER_REMOTE);
		}
		assert_false(cache_put(b, CACHE_VARIANT, &two, entry_of(&kit->arena, 2 + (uint32_t)i))); /* not here, but there: */
		assert_true(get_entry(a, 2 + (uint32_t)i, &layer));
		assert_int_equal(layer, CACHE_LAYER_REMOTE);
		cache_store_free(b);
	}
	cache_store_free(a);
}

static void test_facts_stay(void **state)
{
	Kit *kit = *state;
	CacheStore *a = machine(kit, "a", true);
	CacheDigest key = key_of(1);
	CacheEntry entry;
	assert_true(cache_put(a, CACHE_FACT, &key, entry_of(&kit->arena, 1)));
	key = key_of(2);
	assert_false(cache_get(a, CACHE_FACT, &key, &kit->arena, &entry, NULL));
	assert_int_equal(kit->server->puts + kit->server->gets, 0);
	cache_store_free(a);
}

static void test_damage(void **state)
{
	Kit *kit = *state;
	CacheStore *a = machine(kit, "a", true);
	size_t size = entry_of(&kit->arena, 7).len;
	put_entry(kit, a, 7);
	char *bytes = kit->server->slots[0].bytes;
	for (size_t at = 0; at < size; at++) { /* any bit of any byte */
		CacheStore *b = machine(kit, arena_printf(&kit->arena, "b%zu", at), true);
		bytes[at] ^= (char)(1 << at % 8);
		assert_false(get_entry(b, 7, NULL));
		CacheFault fault = cache_fault(b);
		assert_int_equal(fault.kind, CACHE_FAULT_DAMAGED);
		assert_non_null(strstr(fault.path, "at the test's server"));
		assert_false(get_entry(b, 7, NULL));
		assert_int_equal(cache_fault(b).kind, CACHE_FAULT_NONE); /* told once */
		bytes[at] ^= (char)(1 << at % 8);
		cache_store_free(b);
	}
	for (size_t len = 0; len < size; len += 13) { /* cut off anywhere */
		CacheStore *b = machine(kit, arena_printf(&kit->arena, "cut%zu", len), true);
		kit->server->slots[0].size = len;
		assert_false(get_entry(b, 7, NULL));
		assert_int_equal(cache_fault(b).kind, CACHE_FAULT_DAMAGED);
		cache_store_free(b);
	}
	CacheStore *b = machine(kit, "b", true), *c = machine(kit, "c", true);
	assert_false(get_entry(b, 7, NULL));
	CacheRemoteCounts counts = cache_store_remote_counts(b);
	assert_int_equal(counts.hits, 0);
	assert_int_equal(counts.errors, 1);
	assert_int_equal(counts.bytes_in, 0);
	put_entry(kit, b, 7); /* made again: healed */
	assert_true(get_entry(c, 7, NULL));
	/* An entry of another key, whole, is no entry of this one. */
	CacheDigest key = key_of(8);
	cache_digest_hex(&key, kit->server->slots[0].key);
	assert_false(get_entry(c, 8, NULL));
	cache_store_free(a);
	cache_store_free(b);
	cache_store_free(c);
}

/* With a key nothing is taken that others could have put there. */
static void test_signed(void **state)
{
	Kit *kit = *state;
	const char *key = os_path_join(&kit->arena, kit->dir, "key"), *error;
	assert_true(os_write_file(&kit->arena, key, STR("0123456789abcdef"), &error));
	assert_int_equal(chmod(key, 0600), 0);
	CacheStore *plain = machine(kit, "plain", true), *stores[2];
	for (int i = 0; i < 2; i++) {
		CacheOptions options = {.dir = os_path_join(&kit->arena, kit->dir, i ? "b" : "a"), .secret_file = key};
		CacheRemote *remote = connect_to(kit, true);
		CacheRemoteCounts rest;
		stores[i] = cache_store_new(&options);
		cache_store_set_remote(stores[i], remote);
		cache_remote_drop(remote, &rest);
	}
	put_entry(kit, plain, 1);
	put_entry(kit, stores[0], 2);
	assert_false(get_entry(stores[1], 1, NULL));
	CacheFault fault = cache_fault(stores[1]);
	assert_int_equal(fault.kind, CACHE_FAULT_DAMAGED);
	assert_string_equal(fault.why, "it is not signed");
	uint32_t layer;
	assert_true(get_entry(stores[1], 2, &layer));
	assert_int_equal(layer, CACHE_LAYER_REMOTE);
	assert_true(get_entry(stores[1], 2, &layer));
	assert_int_equal(layer, 0);
	assert_true(get_entry(plain, 2, NULL));
	/* Its own text, of another kind or key. */
	CacheDigest other = key_of(3);
	cache_digest_hex(&other, kit->server->slots[1].key);
	assert_false(get_entry(stores[1], 3, NULL));
	cache_store_free(plain);
	cache_store_free(stores[0]);
	cache_store_free(stores[1]);
}

/* What is damaged there is asked for once in a while: by nobody else until it was put anew. */
static void test_damage_is_remembered(void **state)
{
	Kit *kit = *state;
	CacheStore *a = machine(kit, "a", true);
	put_entry(kit, a, 7);
	kit->server->slots[0].bytes[200] ^= 1;
	for (int process = 0; process < 3; process++) {
		CacheStore *b = machine(kit, "b", true);
		assert_false(get_entry(b, 7, NULL));
		assert_int_equal(cache_fault(b).kind, process ? CACHE_FAULT_NONE : CACHE_FAULT_DAMAGED);
		assert_int_equal(kit->server->gets, 1);
		cache_store_free(b);
	}
	/* Ten minutes later. */
	assert_int_equal(system(arena_printf(&kit->arena, "touch -d '11 minutes ago' '%s'/b/neso-1/fact/*/*", kit->dir)), 0);
	CacheStore *b = machine(kit, "b", true);
	assert_false(get_entry(b, 7, NULL));
	assert_int_equal(kit->server->gets, 2);
	assert_int_equal(cache_fault(b).kind, CACHE_FAULT_DAMAGED);
	/* Put anew here, and lost again. */
	put_entry(kit, b, 7);
	CacheDigest key = key_of(7);
	cache_remove(b, CACHE_VARIANT, &key);
	assert_true(get_entry(b, 7, NULL));
	assert_int_equal(kit->server->gets, 3);
	cache_store_free(a);
	cache_store_free(b);
}

static void test_away_and_back(void **state)
{
	Kit *kit = *state;
	CacheStore *a = machine(kit, "a", false), *b = machine(kit, "b", false);
	kit->server->result = CACHE_REMOTE_AWAY;
	for (uint32_t i = 0; i < 100; i++) {
		assert_false(get_entry(a, i, NULL));
		put_entry(kit, a, i);
	}
	/* It was asked at the start, and then left alone; who waits for it does not. */
	assert_true(kit->server->gets <= 2);
	assert_int_equal(cache_store_flush(a, 1000), 100);
	CacheFault fault = cache_fault(a);
	assert_int_equal(fault.kind, CACHE_FAULT_REMOTE);
	assert_string_equal(fault.path, "the test's server");
	assert_string_equal(fault.why, "the test says so");
	assert_int_equal(cache_fault(a).kind, CACHE_FAULT_NONE);
	for (uint32_t i = 0; i < 100; i++)
		assert_true(get_entry(a, i, NULL));
	/* It is back: what waited gets there. */
	kit->server->result = CACHE_REMOTE_OK;
	for (int i = 0; kit->server->puts < 100 && i < 3000; i++)
		usleep(10000);
	assert_int_equal(kit->server->puts, 100);
	for (uint32_t i = 0; i < 100; i++)
		assert_true(get_entry(b, i, NULL));
	assert_int_equal(cache_store_flush(a, 20), 0);
	cache_store_free(a);
	cache_store_free(b);
}

static void test_closed_while_away(void **state)
{
	Kit *kit = *state;
	CacheStore *a = machine(kit, "a", false);
	kit->server->result = CACHE_REMOTE_AWAY;
	assert_false(get_entry(a, 1, NULL));
	put_entry(kit, a, 1);
	kit->options.flush_ms = 1000 * 1000; /* it is not waited for */
	cache_store_free(a);
	assert_int_equal(kit->server->closes, 1);
	a = machine(kit, "a", false);
	assert_int_equal(cache_store_remote_counts(a).dropped, 1);
	cache_store_free(a);
}

/* A value that the server fails of does not keep others from it for ever. */
static int fails_of_one(void *data, const char *key, const char *name, const void *bytes, size_t size, char *why, size_t why_size)
{
	Server *s = data;
	char hex[CACHE_HEX_SIZE];
	CacheDigest poison = key_of(1);
	cache_digest_hex(&poison, hex);
	if (strcmp(key, hex) != 0)
		return put(data, key, name, bytes, size, why, why_size);
	s->gets++; /* how often it was tried */
	return CACHE_REMOTE_AWAY;
}

static void test_poison(void **state)
{
	Kit *kit = *state;
	CacheBackend backend = {kit->server, NULL, fails_of_one, on_close};
	CacheRemote *remote = cache_remote_new(&backend, "the test's server", false, &kit->options);
	CacheRemoteCounts rest;
	for (uint32_t i = 0; i < 5; i++) {
		CacheDigest key = key_of(i);
		cache_remote_put(remote, "variant", &key, STR("value"));
	}
	for (int i = 0; kit->server->puts < 4 && i < 6000; i++)
		usleep(10000);
	cache_remote_drop(remote, &rest);
	assert_int_equal(kit->server->gets, 3);
	assert_int_equal(rest.puts, 4);
	assert_int_equal(rest.dropped, 1);
}

static void test_refused(void **state)
{
	Kit *kit = *state;
	CacheStore *a = machine(kit, "a", false);
	kit->server->result = CACHE_REMOTE_REFUSED;
	put_entry(kit, a, 1);
	assert_int_equal(cache_store_flush(a, 20), 0);
	kit->server->result = CACHE_REMOTE_OK;
	put_entry(kit, a, 2); /* the next one is tried */
	assert_int_equal(cache_store_flush(a, 20), 0);
	assert_int_equal(kit->server->puts, 1);
	CacheRemoteCounts counts = cache_store_remote_counts(a);
	assert_int_equal(counts.dropped, 1);
	assert_int_equal(counts.errors, 1);
	assert_int_equal(cache_fault(a).kind, CACHE_FAULT_REMOTE);
	cache_store_free(a);
}

static void test_too_large(void **state)
{
	Kit *kit = *state;
	size_t size = entry_of(&kit->arena, 1).len;
	CacheStore *a = machine(kit, "a", true);
	put_entry(kit, a, 1);
	kit->options.largest = size - 1;
	CacheStore *b = machine(kit, "b", true);
	assert_false(get_entry(b, 1, NULL));
	put_entry(kit, b, 1);
	assert_int_equal(kit->server->puts, 1);
	assert_int_equal(cache_store_remote_counts(b).dropped, 1);
	assert_true(get_entry(b, 1, NULL)); /* here it is kept */
	cache_store_free(a);
	cache_store_free(b);
}

static void test_modes(void **state)
{
	Kit *kit = *state;
	kit->options.no_writes = true;
	CacheStore *a = machine(kit, "a", true);
	put_entry(kit, a, 1);
	assert_false(get_entry(a, 2, NULL));
	assert_int_equal(kit->server->gets, 1);
	kit->options.no_writes = false;
	kit->options.no_reads = true;
	CacheStore *b = machine(kit, "b", true);
	assert_false(get_entry(b, 1, NULL));
	put_entry(kit, b, 1);
	assert_int_equal(kit->server->gets, 1);
	assert_int_equal(kit->server->puts, 1);
	cache_store_free(a);
	cache_store_free(b);
}

static void test_queue_has_a_bound(void **state)
{
	Kit *kit = *state;
	CacheStore *a = machine(kit, "a", false);
	kit->server->blocked = 1;
	for (uint32_t i = 0; i < 1000; i++)
		put_entry(kit, a, i);
	uint64_t dropped = cache_store_remote_counts(a).dropped;
	assert_true(dropped >= 1000 - 513);
	kit->server->blocked = 0;
	assert_int_equal(cache_store_flush(a, 60), 0);
	assert_int_equal((uint64_t)kit->server->puts + dropped, 1000);
	cache_store_free(a);
}

static void test_stuck_put(void **state)
{
	Kit *kit = *state;
	kit->options.flush_ms = 50;
	CacheStore *a = machine(kit, "a", false);
	kit->server->blocked = 1;
	put_entry(kit, a, 1);
	while (!kit->server->entered)
		usleep(1000);
	cache_store_free(a); /* returns all the same, and closes nothing under the put's feet */
	assert_int_equal(kit->server->closes, 0);
	kit->server->blocked = 0;
	for (int i = 0; !kit->server->closes && i < 3000; i++) /* but then */
		usleep(10000);
	assert_int_equal(kit->server->puts, 1);
	assert_int_equal(kit->server->closes, 1);
}

typedef struct Reader {
	CacheStore *store;
	uint32_t found;
} Reader;

static void *read_all(void *data)
{
	Reader *reader = data;
	for (uint32_t i = 0; i < 200; i++)
		reader->found += get_entry(reader->store, i, NULL);
	return NULL;
}

static void test_threads(void **state)
{
	Kit *kit = *state;
	CacheStore *a = machine(kit, "a", false), *b = machine(kit, "b", false);
	for (uint32_t i = 0; i < 200; i++)
		put_entry(kit, a, i);
	assert_int_equal(cache_store_flush(a, 20), 0);
	Reader readers[8];
	pthread_t threads[8];
	for (int i = 0; i < 8; i++) {
		readers[i] = (Reader){.store = b};
		pthread_create(&threads[i], NULL, read_all, &readers[i]);
	}
	for (int i = 0; i < 8; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(readers[i].found, 200);
	}
	CacheRemoteCounts counts = cache_store_remote_counts(b);
	assert_int_equal(counts.hits, kit->server->gets);
	assert_int_equal(counts.errors, 0);
	cache_store_free(a);
	cache_store_free(b);
}

static int status_of(pid_t child)
{
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_fork_and_exit(void **state)
{
	Kit *kit = *state;
	static CacheStore *a; /* the child's stays, and is to be seen */
	a = machine(kit, "a", false);
	put_entry(kit, a, 1);
	assert_int_equal(cache_store_flush(a, 20), 0);
	kit->server->blocked = 1;
	put_entry(kit, a, 2); /* the parent's thread is in a put while it forks */
	pid_t child = fork();
	if (child == 0) {
		bool good = get_entry(a, 1, NULL) && !get_entry(a, 3, NULL);
		for (uint32_t i = 10; i < 20; i++)
			put_entry(kit, a, i);
		exit(good ? 0 : 1); /* flushes, without a word of closing */
	}
	usleep(100000);
	kit->server->blocked = 0;
	assert_int_equal(status_of(child), 0);
	assert_int_equal(cache_store_flush(a, 20), 0);
	assert_int_equal(kit->server->puts, 12);
	CacheStore *b = machine(kit, "b", false);
	for (uint32_t i = 10; i < 20; i++)
		assert_true(get_entry(b, i, NULL));
	cache_store_free(a);
	cache_store_free(b);
}

/* What a parent counted is the parent's to tell. */
static void test_fork_and_counts(void **state)
{
	Kit *kit = *state;
	CacheRemote *remote = connect_to(kit, true);
	CacheDigest key = key_of(1);
	CacheRemoteValue value = {.name = "variant", .key = key};
	CacheRemoteCounts counts, rest;
	for (int i = 0; i < 3; i++)
		cache_remote_put(remote, "variant", &key, STR("value"));
	assert_true(cache_remote_get(remote, &value, 1));
	free(value.bytes);
	pid_t child = fork();
	if (child == 0) {
		bool none = !cache_remote_has_counts(remote);
		cache_remote_put(remote, "variant", &key, STR("value"));
		counts = cache_remote_counts(remote);
		_exit(!none ? 1 : counts.puts != 1 ? 2 : counts.hits ? 3 : 0);
	}
	assert_int_equal(status_of(child), 0);
	counts = cache_remote_counts(remote);
	assert_int_equal(counts.puts, 3);
	assert_int_equal(counts.hits, 1);
	cache_remote_drop(remote, &rest);
}

typedef struct Late {
	atomic_int forked, ended;
} Late;

/* While the process's end waits for what is on its way. */
static void *fork_late(void *data)
{
	Late *late = data;
	usleep(300000);
	pid_t child = fork();
	if (child == 0) {
		atomic_store(&late->ended, 0);
		exit(5);
	}
	atomic_store(&late->forked, child);
	int status;
	waitpid(child, &status, 0);
	atomic_store(&late->ended, WIFEXITED(status) && WEXITSTATUS(status) == 5 ? 1 : 2);
	for (;;)
		pause();
	return NULL;
}

/* From 2.41 on glibc holds a lock of its own while exit() runs handlers: a child that another thread forks
 * then waits for it for ever in its own exit(), whoever the handlers are of. */
static bool exit_is_locked(void)
{
#ifdef __GLIBC__
	return strverscmp(gnu_get_libc_version(), "2.41") >= 0;
#else
	return false;
#endif
}

static void test_fork_at_the_end(void **state)
{
	Kit *kit = *state;
#ifdef __SANITIZE_THREAD__ /* it makes an error of threads that an exit leaves, as this one does */
	skip();
#endif
	if (exit_is_locked())
		skip();
	Late *late = mmap(NULL, sizeof *late, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	static CacheStore *a;
	kit->options.flush_ms = 60000;
	kit->server->blocked = 1;
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		pthread_t thread;
		a = machine(kit, "a", false);
		put_entry(kit, a, 1);
		pthread_create(&thread, NULL, fork_late, late);
		exit(0);
	}
	for (int i = 0; i < 3000 && !late->ended; i++)
		usleep(10000);
	if (late->forked && !late->ended)
		kill(late->forked, SIGKILL);
	assert_int_equal(late->ended, 1);
	kit->server->blocked = 0;
	assert_int_equal(status_of(child), 0);
	munmap(late, sizeof *late);
}

static void test_many_at_once(void **state)
{
	Kit *kit = *state;
	CacheStore *a = machine(kit, "a", true);
	CacheRemote *remote = connect_to(kit, true);
	CacheRemoteValue values[100];
	CacheRemoteCounts rest;
	for (uint32_t i = 0; i < 100; i += 2)
		put_entry(kit, a, i);
	for (uint32_t i = 0; i < 100; i++)
		values[i] = (CacheRemoteValue){.name = "variant", .key = key_of(i)};
	assert_true(cache_remote_get(remote, values, 100));
	assert_int_equal(kit->server->gets, 2); /* 64 in a request */
	for (uint32_t i = 0; i < 100; i++) {
		Str entry = entry_of(&kit->arena, i);
		assert_int_equal(values[i].bytes != NULL, i % 2 == 0);
		if (!values[i].bytes)
			continue;
		assert_int_equal(values[i].size, entry.len);
		assert_memory_equal(values[i].bytes, entry.ptr, entry.len);
		free(values[i].bytes);
	}
	cache_remote_drop(remote, &rest);
	assert_int_equal(rest.hits, 50);
	assert_int_equal(rest.misses, 50);
	cache_store_free(a);
}

/* ---- by the public functions ---- */

static neso_context *context_in(Kit *kit, const char *name)
{
	neso_context_options options = {.size = sizeof options, .cache_dir = os_path_join(&kit->arena, kit->dir, name)};
	neso_context *context;
	assert_int_equal(neso_context_new(&options, &context, NULL), NESO_OK);
	neso_cache_remote remote = {.size = sizeof remote, .name = "the test's server", .data = kit->server, .get_many = get_many,
				    .put = put, .close = on_close};
	assert_int_equal(neso_cache_set_remote(context, &remote, NULL), NESO_OK);
	return context;
}

static void test_api(void **state)
{
	Kit *kit = *state;
	neso_context *a = context_in(kit, "a"), *b = context_in(kit, "b");
	char *bytes;
	size_t size;
	uint64_t left = 9;
	neso_cache_file pair[] = {{"one", "1", 1}, {"two", "22", 2}}, *files;
	assert_int_equal(neso_cache_put(a, "key", "name", "hello", 5, NULL, NULL), NESO_OK);
	assert_int_equal(neso_cache_put_group(a, "key", "group", pair, 2, NULL, NULL), NESO_OK);
	assert_int_equal(neso_cache_flush(a, 20, &left, NULL), NESO_OK);
	assert_int_equal(left, 0);
	assert_int_equal(neso_cache_get(b, "key", "name", &bytes, &size, NULL), NESO_OK);
	assert_int_equal(size, 5);
	assert_string_equal(bytes, "hello");
	neso_text_free(bytes);
	assert_int_equal(neso_cache_get_group(b, "key", "group", &files, &size, NULL), NESO_OK);
	assert_int_equal(size, 2);
	assert_string_equal(files[1].name, "two");
	assert_memory_equal(files[1].bytes, "22", 2);
	neso_cache_group_free(files);
	neso_cache_stats stats = {.size = sizeof stats};
	assert_int_equal(neso_cache_get_stats(b, &stats, NULL), NESO_OK);
	assert_int_equal(stats.remote_found, 2);
	assert_true(stats.remote_bytes_in > 200);
	assert_int_equal(stats.remote_hits, 0); /* no variant was asked for */
	assert_int_equal(neso_cache_get_stats(a, &stats, NULL), NESO_OK);
	assert_int_equal(stats.remote_puts, 2);
	/* Without it again: nothing is asked, and the one that was is closed. */
	assert_int_equal(neso_cache_set_remote(b, NULL, NULL), NESO_OK);
	assert_int_equal(kit->server->closes, 1);
	int gets = kit->server->gets;
	assert_int_equal(neso_cache_get(b, "key", "another", &bytes, &size, NULL), NESO_OK);
	assert_null(bytes);
	assert_int_equal(kit->server->gets, gets);
	neso_context_free(a);
	neso_context_free(b);
	assert_int_equal(kit->server->closes, 2);
}

/* What a URL says wrong shows before its server is asked. */
static void test_urls(void **state)
{
	(void)state;
	static const char *const good[] = {
		"redis://h",	     "rediss://me:pa%2Fss@h:6380/1", "HTTP://h:8080/x?y",
		"https://[::1]:443", "s3://bucket/a",		     "s3+http://127.0.0.1:9000/b",
	};
	static const struct {
		const char *url, *fault;
	} bad[] = {
		{"redis.example", "no URL"},
		{"gopher://h", "begins with none of redis://"},
		{"redis://", "names no server"},
		{"http:///path", "names no server"},
		{"redis://:6379", "names no server"},
		{"redis://h:abc", "no port"},
		{"redis://h:0", "from 1 to 65535"},
		{"redis://h:65536", "from 1 to 65535"},
		{"redis://h:99999999999", "no port"},
		{"redis://me:secret@", "names no server"},
	};
	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		assert_null(cache_url_fault(good[i]));
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		assert_non_null(cache_url_fault(bad[i].url));
		assert_non_null(strstr(cache_url_fault(bad[i].url), bad[i].fault));
	}
}

static void test_api_usage(void **state)
{
	Kit *kit = *state;
	neso_context *a = context_in(kit, "a");
	neso_cache_remote remote = {.size = sizeof remote, .name = "nothing"};
	assert_int_equal(neso_cache_set_remote(NULL, NULL, NULL), NESO_ERROR_USAGE);
	assert_int_equal(neso_cache_set_remote(a, &remote, NULL), NESO_ERROR_USAGE);
	remote = (neso_cache_remote){.size = sizeof remote, .get_many = get_many};
	assert_int_equal(neso_cache_set_remote(a, &remote, NULL), NESO_ERROR_USAGE);
	remote = (neso_cache_remote){.size = sizeof remote, .name = "x", .url = "redis://host"};
	assert_int_equal(neso_cache_set_remote(a, &remote, NULL), NESO_ERROR_USAGE);
	remote = (neso_cache_remote){.size = sizeof remote, .url = "redis://host", .put = put};
	assert_int_equal(neso_cache_set_remote(a, &remote, NULL), NESO_ERROR_USAGE);
	remote = (neso_cache_remote){.name = "x", .get_many = get_many};
	assert_int_equal(neso_cache_set_remote(a, &remote, NULL), NESO_ERROR_USAGE);
	neso_diagnostics *diagnostics;
	remote = (neso_cache_remote){.size = sizeof remote, .url = "gopher://me:secret@host"};
	assert_int_equal(neso_cache_set_remote(a, &remote, &diagnostics), NESO_ERROR_USAGE);
	const char *said = neso_diagnostics_text(diagnostics);
	assert_non_null(strstr(said, "gopher://host: its URL begins with none of redis://"));
	assert_null(strstr(said, "secret"));
	neso_diagnostics_free(diagnostics);
	assert_int_equal(neso_cache_flush(NULL, 1, NULL, NULL), NESO_ERROR_USAGE);
	assert_int_equal(neso_cache_flush(a, 0.0 / 0.0, NULL, NULL), NESO_ERROR_USAGE);
	assert_int_equal(neso_cache_flush(a, -1, NULL, NULL), NESO_OK);
	neso_context_free(a);
	assert_int_equal(kit->server->closes, 1); /* though nothing was asked of it */
}

/* What all stores have in common is counted once. */
static void test_api_left(void **state)
{
	Kit *kit = *state;
	neso_context *a = context_in(kit, "a");
	uint64_t left = 9;
	for (int i = 0; i < 3; i++) {
		char *bytes;
		size_t size;
		setenv("NESO_CACHE_WAIT", arena_printf(&kit->arena, "%d", 10 + i), 1);
		assert_int_equal(neso_cache_get(a, "key", "nothing", &bytes, &size, NULL), NESO_OK);
	}
	kit->server->blocked = 1;
	for (int i = 0; i < 5; i++)
		assert_int_equal(neso_cache_put(a, "key", arena_printf(&kit->arena, "%d", i), "hello", 5, NULL, NULL), NESO_OK);
	unsetenv("NESO_CACHE_WAIT");
	assert_int_equal(neso_cache_flush(a, 0.05, &left, NULL), NESO_OK);
	assert_int_equal(left, 5);
	kit->server->blocked = 0;
	assert_int_equal(neso_cache_flush(a, 20, &left, NULL), NESO_OK);
	assert_int_equal(left, 0);
	assert_int_equal(kit->server->puts, 5);
	neso_context_free(a);
}

static void *unblock(void *data)
{
	usleep(100000);
	((Server *)data)->blocked = 0;
	return NULL;
}

enum { SETS = 20 };

static void *set_many(void *data)
{
	const neso_cache_remote *remote = ((void **)data)[1];
	for (int i = 0; i < SETS; i++)
		if (neso_cache_set_remote(((void **)data)[0], remote, NULL) != NESO_OK)
			return data;
	return NULL;
}

/* Threads that name another one all the time: in the end all stores have the same, and the others are closed, each once. */
static void test_api_set_by_threads(void **state)
{
	enum { THREADS = 4, ROUNDS = 100, STORES = 64 };
	Kit *kit = *state;
	neso_context *a = context_in(kit, "a");
	neso_cache_remote remote = {.size = sizeof remote, .name = "the test's server", .data = kit->server, .get_many = get_many,
				    .put = put, .close = on_close, .synchronous = true};
	void *data[] = {a, &remote};
	pthread_t threads[THREADS];
	char *bytes;
	size_t size;
	for (int i = 0; i < STORES; i++) {
		setenv("NESO_CACHE_WAIT", arena_printf(&kit->arena, "%d", 10 + i), 1);
		assert_int_equal(neso_cache_get(a, "key", "name", &bytes, &size, NULL), NESO_OK);
	}
	unsetenv("NESO_CACHE_WAIT");
	for (int round = 1; round <= ROUNDS; round++) {
		for (int i = 0; i < THREADS; i++)
			assert_int_equal(pthread_create(&threads[i], NULL, set_many, data), 0);
		for (int i = 0; i < THREADS; i++) {
			void *failed;
			pthread_join(threads[i], &failed);
			assert_null(failed);
		}
		assert_int_equal(kit->server->closes, round * THREADS * SETS);
	}
	neso_context_free(a);
	assert_int_equal(kit->server->closes, ROUNDS * THREADS * SETS + 1);
}

/* However long a flush may take, it ends when all is there. */
static void test_api_endless_flush(void **state)
{
	Kit *kit = *state;
	static const double ways[] = {INFINITY, 1e300, 1e19};
	neso_context *a = context_in(kit, "a");
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		pthread_t thread;
		uint64_t left = 9;
		char key[2] = {(char)('a' + i), '\0'};
		kit->server->blocked = 1;
		assert_int_equal(neso_cache_put(a, key, "name", "hello", 5, NULL, NULL), NESO_OK);
		assert_int_equal(pthread_create(&thread, NULL, unblock, kit->server), 0);
		assert_int_equal(neso_cache_flush(a, ways[i], &left, NULL), NESO_OK);
		assert_int_equal(left, 0);
		assert_int_equal(kit->server->puts, i + 1);
		pthread_join(thread, NULL);
	}
	neso_context_free(a);
}

/* The first warning of a flush after a miss; the environment says which cache. */
static void warned(Kit *kit, const char *place, const char *text, bool by_call)
{
	neso_context_options options = {.size = sizeof options, .cache_dir = os_path_join(&kit->arena, kit->dir, "w")};
	neso_context *context;
	neso_diagnostics *diagnostics;
	char *bytes;
	size_t size;
	neso_cache_remote remote = {.size = sizeof remote, .url = place};
	if (!by_call)
		setenv("TRITON_REMOTE_CACHE_BACKEND", place, 1);
	assert_int_equal(neso_context_new(&options, &context, NULL), NESO_OK);
	if (by_call)
		assert_int_equal(neso_cache_set_remote(context, &remote, NULL), NESO_OK);
	assert_int_equal(neso_cache_get(context, "key", "nothing", &bytes, &size, NULL), NESO_OK);
	assert_null(bytes);
	assert_int_equal(neso_cache_flush(context, 1, NULL, &diagnostics), NESO_OK); /* DIAG_CACHE_REMOTE */
	assert_int_equal(neso_diagnostics_count(diagnostics), 1);
	const char *said = neso_diagnostics_text(diagnostics);
	if (!strstr(said, text))
		fail_msg("%s", said);
	assert_null(strstr(said, "secret"));
	neso_diagnostics_free(diagnostics);
	neso_context_free(context);
	unsetenv("TRITON_REMOTE_CACHE_BACKEND");
}

static void test_no_library(void **state)
{
	Kit *kit = *state;
	setenv("NESO_REMOTE_PATH", "/nowhere/libneso-remote.so", 1);
	for (int by_call = 0; by_call < 2; by_call++)
		warned(kit, "redis://me:secret@host:1/2",
		       "the remote cache at redis://host:1/2 is not to be had: libneso-remote.so, which speaks to it", by_call);
	unsetenv("NESO_REMOTE_PATH");
	warned(kit, "my.module:Class", "a class of Python's", false);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_second_machine), TEST(test_no_folder), TEST(test_facts_stay),	 TEST(test_damage), TEST(test_damage_is_remembered), TEST(test_signed),   TEST(test_away_and_back),
		TEST(test_closed_while_away), TEST(test_poison), TEST(test_refused),	 TEST(test_too_large), TEST(test_modes),
		TEST(test_queue_has_a_bound), TEST(test_stuck_put),	 TEST(test_threads),  TEST(test_fork_and_exit), TEST(test_fork_and_counts), TEST(test_fork_at_the_end),
		TEST(test_urls),
		TEST(test_many_at_once),   TEST(test_api),		 TEST(test_api_usage), TEST(test_api_left), TEST(test_api_endless_flush), TEST(test_api_set_by_threads),
		TEST(test_no_library),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
