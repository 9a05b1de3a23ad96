/* The compile cache's costs: a hit from key to verified cubin and a put, for entries as kernels have them; eviction in a large store.
 *
 *	cache_bench [FOLDER [ENTRIES]]   a folder to work in (a new one in /tmp); how many entries the large store has (20000); it stays
 *
 * With TRITON_REMOTE_CACHE_BACKEND (and NESO_REMOTE_PATH, the folder of libneso-remote.so) also what a hit and a miss in a remote cache cost. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/os.h"
#include "cache/disk/log.h"

enum { ROUNDS = 400 };

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static void say(const char *what, double *times, size_t count)
{
	qsort(times, count, sizeof *times, by_value);
	printf("%-44s %8.1f us (least %.1f, 99 %% %.1f)\n", what, times[count / 2] * 1e6, times[0] * 1e6, times[count * 99 / 100] * 1e6);
}

/* Bytes that pack about as machine code does. */
static Str code(Arena *arena, size_t len, unsigned seed)
{
	char *bytes = arena_alloc_raw(arena, len, 16);
	for (size_t i = 0; i < len; i++) {
		seed = seed * 1664525u + 1013904223u;
		bytes[i] = (char)(i % 16 < 4 ? seed >> 24 : i % 16 < 8 ? (seed >> 28) : i / 16 % 7);
	}
	return (Str){bytes, len};
}

static Str text(Arena *arena, size_t len, unsigned seed)
{
	Text out;
	text_init(&out, arena);
	while (out.len < len) {
		seed = seed * 1664525u + 1013904223u;
		text_printf(&out, "\tmad.lo.s32 %%r%u, %%r%u, %u, %%r%u;\n", seed >> 8 & 1023, seed >> 18 & 1023, seed >> 28, seed & 255);
	}
	return (Str){out.data, out.len};
}

/* That of the text that its entry carries. */
static CacheDigest key_of(Arena *arena, unsigned n)
{
	Str said = text(arena, 1500, n);
	return cache_hash_of(said.ptr, said.len);
}

static void entries(CacheStore *store, size_t cubin)
{
	static double hits[ROUNDS], stores[ROUNDS];
	Arena arena;
	char what[64];
	size_t packed = 0;
	arena_init(&arena, 0);
	Str machine = code(&arena, cubin, 1), ttir = text(&arena, cubin / 4, 2), llir = text(&arena, cubin, 3), ptx = text(&arena, cubin, 4);
	for (unsigned n = 0; n < ROUNDS; n++) {
		ArenaMark mark = arena_mark(&arena);
		CacheDigest key = key_of(&arena, n);
		CacheSection sections[] = {{"key", text(&arena, 1500, n)}, {"facts", text(&arena, 600, n)}, {"metadata", text(&arena, 600, n)},
					   {"cubin", machine}, {"ttir", ttir}, {"ttgir", ttir}, {"llir", llir}, {"ptx", ptx}};
		double began = os_now();
		Str file = cache_entry_write(&arena, &key, sections, ARRAY_LEN(sections));
		cache_put(store, CACHE_VARIANT, &key, file);
		stores[n] = os_now() - began;
		packed = file.len;
		arena_reset(&arena, mark);
	}
	for (unsigned n = 0; n < ROUNDS; n++) {
		ArenaMark mark = arena_mark(&arena);
		CacheDigest key = key_of(&arena, n);
		CacheEntry entry;
		Str out;
		const char *why;
		double began = os_now();
		bool good = cache_get(store, CACHE_VARIANT, &key, &arena, &entry, NULL) &&
			    cache_entry_section(&entry, "facts", &arena, &out, &why) &&
			    cache_entry_section(&entry, "cubin", &arena, &out, &why) && out.len == cubin;
		hits[n] = os_now() - began;
		if (!good)
			abort();
		arena_reset(&arena, mark);
	}
	snprintf(what, sizeof what, "hit, cubin of %zu KB in %zu KB", cubin >> 10, packed >> 10);
	say(what, hits, ROUNDS);
	snprintf(what, sizeof what, "put, cubin of %zu KB and its texts", cubin >> 10);
	say(what, stores, ROUNDS);
	arena_free(&arena);
}

/* Puts into a store that holds as many entries as it may. */
static void eviction(const char *folder, unsigned files)
{
	enum { MORE = 4000 };
	CacheOptions options = {.dir = folder, .max_files = files};
	CacheStore *store = cache_store_new(&options);
	Arena arena;
	CacheSection section = {"x", STR("y")};
	static double times[MORE];
	char what[64];
	double began = os_now(), sum = 0;
	for (unsigned n = 0; n < files + MORE; n++) {
		arena_init(&arena, 0);
		CacheDigest key = cache_hash_of(&n, sizeof n);
		Str file = cache_entry_write(&arena, &key, &section, 1);
		double since = os_now();
		cache_put(store, CACHE_CUBIN, &key, file);
		if (n >= files) {
			times[n - files] = os_now() - since;
			sum += times[n - files];
		}
		arena_free(&arena);
		if (n == files)
			fprintf(stderr, "%u entries were made in %.1f s\n", n, os_now() - began);
	}
	CacheUsage usage = cache_usage(store);
	snprintf(what, sizeof what, "put of a small entry above %u", files);
	say(what, times, MORE);
	printf("%-44s %8.1f us (mean; worst %.1f ms; %llu entries then)\n", "  evictions among them", sum / MORE * 1e6,
	       times[MORE - 1] * 1e3, (unsigned long long)usage.files);
	CacheGc gc;
	began = os_now();
	cache_gc(store, 0, files / 2, &gc);
	printf("%-44s %8.1f ms (%llu removed)\n", "  gc to half of them", (os_now() - began) * 1e3, (unsigned long long)gc.evicted);
	cache_store_free(store);
}

/* A machine puts, another finds: a hit is checked whole, and written there. */
static void remote(const char *folder)
{
	static double hits[ROUNDS], misses[ROUNDS];
	CacheOptions options;
	Arena arena;
	const char *wrong;
	arena_init(&arena, 0);
	cache_options_env(&arena, &options, &wrong);
	if (!options.remote.place)
		return;
	options.dir = os_path_join(&arena, folder, "here");
	CacheStore *here = cache_store_new(&options);
	options.dir = os_path_join(&arena, folder, "there");
	CacheStore *there = cache_store_new(&options);
	Str machine = code(&arena, 100 << 10, 1), ptx = text(&arena, 100 << 10, 4);
	CacheDigest key;
	CacheEntry entry;
	for (unsigned n = 0; n < ROUNDS; n++) {
		key = key_of(&arena, n);
		CacheSection sections[] = {{"key", text(&arena, 1500, n)}, {"cubin", machine}, {"ptx", ptx}};
		ArenaMark mark = arena_mark(&arena);
		cache_put(here, CACHE_VARIANT, &key, cache_entry_write(&arena, &key, sections, ARRAY_LEN(sections)));
		arena_reset(&arena, mark);
	}
	if (cache_store_flush(here, 60))
		abort();
	for (unsigned n = 0; n < 2 * ROUNDS; n++) {
		ArenaMark mark = arena_mark(&arena);
		key = key_of(&arena, n);
		double began = os_now();
		bool found = cache_get(there, CACHE_VARIANT, &key, &arena, &entry, NULL);
		(n < ROUNDS ? hits : misses)[n % ROUNDS] = os_now() - began;
		if (found != (n < ROUNDS))
			abort();
		arena_reset(&arena, mark);
	}
	say("remote hit, cubin of 100 KB", hits, ROUNDS);
	say("remote miss", misses, ROUNDS);
	cache_store_free(here);
	cache_store_free(there);
	arena_free(&arena);
}

int main(int argc, char **argv)
{
	char folder[] = "/tmp/neso-cache-bench-XXXXXX", small[256];
	const char *dir = argc > 1 ? argv[1] : mkdtemp(folder);
	unsigned files = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 20000;
	CacheOptions options = {.dir = dir};
	CacheStore *store = cache_store_new(&options);
	static double logs[ROUNDS];
	CacheDigest key = cache_hash_of("k", 1);
	entries(store, 8 << 10);
	entries(store, 100 << 10);
	for (int i = 0; i < ROUNDS; i++) {
		double began = os_now();
		cache_log(store, CACHE_EVENT_HIT, &key, 0.1, "kernel");
		logs[i] = os_now() - began;
	}
	say("a line of the log", logs, ROUNDS);
	cache_store_free(store);
	remote(dir);
	snprintf(small, sizeof small, "%.200s/small", dir);
	eviction(small, files);
	printf("the folder is %s\n", dir);
	return 0;
}
