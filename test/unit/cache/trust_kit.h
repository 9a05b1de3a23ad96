/* Stores in folders of their own, for tests of what others put there. */
#ifndef NESO_TEST_TRUST_KIT_H
#define NESO_TEST_TRUST_KIT_H
#include "unit.h"
#include "folder.h"

#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os.h"
#include "cache/disk/files.h"
#include "cache/disk/log.h"
#include "cache/pack.h"

enum { VICTIM = 54321, OTHER = 54322, THIRD = 54323 };

typedef struct Kit {
	Arena arena;
	char dir[64];
} Kit;

static inline int setup(void **state)
{
	Kit *kit = calloc(1, sizeof *kit);
	if (!test_folder(kit->dir, sizeof kit->dir, "trust") || chmod(kit->dir, 0755) != 0)
		return -1;
	arena_init(&kit->arena, 0);
	*state = kit;
	return 0;
}

static inline int teardown(void **state)
{
	Kit *kit = *state;
	char command[160];
	snprintf(command, sizeof command, "rm -rf '%s'", kit->dir);
	int result = system(command);
	arena_free(&kit->arena);
	free(kit);
	return result;
}

/* ---- stores and entries ---- */

static inline const char *below(Kit *kit, const char *name)
{
	return os_path_join(&kit->arena, kit->dir, name);
}

static inline CacheStore *open_store(const char *dir, const char *layer, const char *secret)
{
	if (layer)
		(void)mkdir(layer, 0777);
	CacheOptions options = {.dir = dir, .layers = &layer, .layer_count = layer ? 1 : 0, .secret_file = secret};
	return cache_store_new(&options);
}

static inline CacheDigest key_of(Arena *arena, unsigned n, Str *text)
{
	*text = str_of(arena_printf(arena, "n\t%u\n", n));
	return cache_hash_of(text->ptr, text->len);
}

static inline Str entry_of(Arena *arena, unsigned n, const char *value)
{
	Str text;
	CacheDigest key = key_of(arena, n, &text);
	CacheSection sections[] = {{"key", text}, {"value", str_of(value)}};
	return cache_entry_write(arena, &key, sections, ARRAY_LEN(sections));
}

static inline bool put(CacheStore *store, unsigned n, const char *value)
{
	Arena arena;
	Str text;
	arena_init(&arena, 0);
	CacheDigest key = key_of(&arena, n, &text);
	bool good = cache_put(store, CACHE_VARIANT, &key, entry_of(&arena, n, value));
	arena_free(&arena);
	return good;
}

/* The value that is found; "" when none is. */
static inline const char *get(CacheStore *store, unsigned n)
{
	static char found[64];
	Arena arena;
	CacheEntry entry;
	Str text, value;
	const char *why;
	arena_init(&arena, 0);
	CacheDigest key = key_of(&arena, n, &text);
	*found = '\0';
	if (cache_get(store, CACHE_VARIANT, &key, &arena, &entry, NULL) && cache_entry_section(&entry, "value", &arena, &value, &why))
		snprintf(found, sizeof found, "%.*s", STR_ARG(value));
	arena_free(&arena);
	return found;
}

/* The path of an entry of a cache; its folders are made, owned by who runs this. */
static inline const char *place_of(Kit *kit, const char *dir, unsigned n)
{
	char hex[CACHE_HEX_SIZE];
	Str text;
	CacheDigest key = key_of(&kit->arena, n, &text);
	cache_digest_hex(&key, hex);
	const char *parts[] = {dir, arena_printf(&kit->arena, "%s/neso-1", dir), arena_printf(&kit->arena, "%s/neso-1/variant", dir),
			       arena_printf(&kit->arena, "%s/neso-1/variant/%.2s", dir, hex)};
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		(void)mkdir(parts[i], i ? 0755 : 0777);
	return arena_printf(&kit->arena, "%s/%s", parts[3], hex);
}

static inline void write_file(const char *path, Str bytes, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
	assert_true(fd >= 0 && os_write_all(fd, bytes));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static inline void plant(Kit *kit, const char *dir, unsigned n, const char *value)
{
	write_file(place_of(kit, dir, n), entry_of(&kit->arena, n, value), 0644);
}

static inline void expect_fault(CacheStore *store, CacheFaultKind kind, const char *why)
{
	CacheFault fault = cache_fault(store);
	assert_int_equal(fault.kind, kind);
	if (kind != CACHE_FAULT_NONE)
		assert_string_equal(fault.why, why);
}

/* In a child: cmocka's own are the parent's. */
#define WANT(condition) ((condition) ? (void)0 : (fprintf(stderr, "%d: %s\n", __LINE__, #condition), _exit(1)))

static inline void make_fifo(const char *path)
{
	assert_int_equal(mkfifo(path, 0600), 0);
}

#endif
