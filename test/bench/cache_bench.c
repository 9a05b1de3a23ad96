/* The compile cache's costs: a hit from key to verified cubin and a put, for entries as kernels have them; eviction in a large store.
 *
 *	cache_bench [FOLDER]   a folder to work in (a new one in /tmp)
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/os.h"
#include "cache/log.h"

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
		CacheDigest key = cache_hash_of(&n, sizeof n);
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
		CacheDigest key = cache_hash_of(&n, sizeof n);
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

static void eviction(const char *folder)
{
	enum { FILES = 20000, MORE = 4000 };
	CacheOptions options = {.dir = folder, .max_files = FILES};
	CacheStore *store = cache_store_new(&options);
	Arena arena;
	CacheSection section = {"x", STR("y")};
	static double times[MORE];
	for (unsigned n = 0; n < FILES + MORE; n++) {
		arena_init(&arena, 0);
		CacheDigest key = cache_hash_of(&n, sizeof n);
		Str file = cache_entry_write(&arena, &key, &section, 1);
		double began = os_now();
		cache_put(store, CACHE_CUBIN, &key, file);
		if (n >= FILES)
			times[n - FILES] = os_now() - began;
		arena_free(&arena);
	}
	double sum = 0;
	for (unsigned n = 0; n < MORE; n++)
		sum += times[n];
	printf("%-44s %8.1f us (mean, evictions among them)\n", "put of small entries above the bound", sum / MORE * 1e6);
	cache_store_free(store);
}

int main(int argc, char **argv)
{
	char folder[] = "/tmp/neso-cache-bench-XXXXXX", small[256];
	const char *dir = argc > 1 ? argv[1] : mkdtemp(folder);
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
	snprintf(small, sizeof small, "%.200s/small", dir);
	eviction(small);
	printf("the folder is %s\n", dir);
	return 0;
}
