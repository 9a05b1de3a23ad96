/* What lies in a cache and was put there by somebody else, or is no entry at all: other users, folders that are swapped, special files, sizes that
 * lie, keys that do not match, signatures. */
#define _GNU_SOURCE /* setresuid */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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

static int setup(void **state)
{
	Kit *kit = calloc(1, sizeof *kit);
	const char *base = getenv("TMPDIR");
	snprintf(kit->dir, sizeof kit->dir, "%.40s/neso-trust-XXXXXX", base ? base : "/tmp");
	if (!mkdtemp(kit->dir) || chmod(kit->dir, 0755) != 0)
		return -1;
	arena_init(&kit->arena, 0);
	*state = kit;
	return 0;
}

static int teardown(void **state)
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

static const char *below(Kit *kit, const char *name)
{
	return os_path_join(&kit->arena, kit->dir, name);
}

static CacheStore *open_store(const char *dir, const char *layer, const char *secret)
{
	CacheOptions options = {.dir = dir, .layers = &layer, .layer_count = layer ? 1 : 0, .secret_file = secret};
	return cache_store_new(&options);
}

static CacheDigest key_of(Arena *arena, unsigned n, Str *text)
{
	*text = str_of(arena_printf(arena, "n\t%u\n", n));
	return cache_hash_of(text->ptr, text->len);
}

static Str entry_of(Arena *arena, unsigned n, const char *value)
{
	Str text;
	CacheDigest key = key_of(arena, n, &text);
	CacheSection sections[] = {{"key", text}, {"value", str_of(value)}};
	return cache_entry_write(arena, &key, sections, ARRAY_LEN(sections));
}

static bool put(CacheStore *store, unsigned n, const char *value)
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
static const char *get(CacheStore *store, unsigned n)
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
static const char *place_of(Kit *kit, const char *dir, unsigned n)
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

static void write_file(const char *path, Str bytes, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
	assert_true(fd >= 0 && os_write_all(fd, bytes));
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void plant(Kit *kit, const char *dir, unsigned n, const char *value)
{
	write_file(place_of(kit, dir, n), entry_of(&kit->arena, n, value), 0644);
}

static void expect_fault(CacheStore *store, CacheFaultKind kind, const char *why)
{
	CacheFault fault = cache_fault(store);
	assert_int_equal(fault.kind, kind);
	if (kind != CACHE_FAULT_NONE)
		assert_string_equal(fault.why, why);
}

/* ---- as other users ---- */

static void become(uid_t user)
{
	if (setgroups(0, NULL) != 0 || setresgid(user, user, user) != 0 || setresuid(user, user, user) != 0)
		abort();
}

/* Runs a part as another user, in a process of its own. */
static void as(uid_t user, void (*run)(Kit *kit), Kit *kit)
{
	int status;
	pid_t child = fork();
	if (child == 0) {
		umask(022);
		become(user);
		run(kit);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

#define WANT(condition) ((condition) ? (void)0 : (fprintf(stderr, "%d: %s\n", __LINE__, #condition), _exit(1)))

static void put_crafted(Kit *kit)
{
	plant(kit, below(kit, "open"), 1, "crafted");
	plant(kit, below(kit, "open"), 2, "crafted");
}

static void take_away(Kit *kit)
{
	WANT(rename(below(kit, "open/neso-1"), below(kit, "open/gone")) == 0);
	put_crafted(kit);
}

/* The folder is another's by the time that it is used again. */
static void use_while_swapped(Kit *kit)
{
	const char *dir = below(kit, "open");
	CacheStore *store = open_store(dir, NULL, NULL);
	WANT(put(store, 1, "right") && strcmp(get(store, 1), "right") == 0);
	WANT(write(open(below(kit, "open/ready"), O_CREAT | O_WRONLY, 0644), "x", 1) == 1);
	for (int i = 0; access(below(kit, "open/gone"), F_OK) != 0 && i < 500; i++)
		usleep(10000);
	for (int i = 0; access(below(kit, "open/done"), F_OK) != 0 && i < 500; i++)
		usleep(10000);
	/* What is held is the folder that was opened. */
	WANT(strcmp(get(store, 1), "right") == 0);
	/* A miss looks at the path again, and finds the other's. */
	WANT(!*get(store, 2));
	CacheFault fault = cache_fault(store);
	WANT(fault.kind == CACHE_FAULT_OPEN && strcmp(fault.why, "it belongs to another user") == 0);
	WANT(!*get(store, 1) && !put(store, 3, "x"));
	cache_store_free(store);
	store = open_store(dir, NULL, NULL);
	WANT(!*get(store, 1) && !put(store, 1, "x"));
	cache_store_free(store);
}

static void a_swapped_folder_is_not_taken(void **state)
{
	Kit *kit = *state;
	int status;
	if (geteuid() != 0)
		skip();
	const char *dir = below(kit, "open");
	assert_int_equal(mkdir(dir, 0777), 0);
	assert_int_equal(chmod(dir, 0777), 0);
	pid_t user = fork();
	if (user == 0) {
		become(VICTIM);
		use_while_swapped(kit);
		_exit(0);
	}
	for (int i = 0; access(below(kit, "open/ready"), F_OK) != 0 && i < 500; i++)
		usleep(10000);
	as(OTHER, take_away, kit);
	close(open(below(kit, "open/done"), O_CREAT | O_WRONLY, 0644));
	assert_int_equal(waitpid(user, &status, 0), user);
	assert_int_equal(status, 0);
}

/* A link of theirs leads to a folder of ours. */
static void link_theirs(Kit *kit)
{
	WANT(symlink(below(kit, "mine"), below(kit, "open/neso-1")) == 0);
}

static void use_link(Kit *kit)
{
	CacheStore *store = open_store(below(kit, "open"), NULL, NULL);
	WANT(!put(store, 1, "x"));
	WANT(strcmp(cache_fault(store).why, "a link leads to it that others can change") == 0);
	cache_store_free(store);
}

static void links_of_others_are_not_followed(void **state)
{
	Kit *kit = *state;
	if (geteuid() != 0)
		skip();
	const char *dir = below(kit, "open"), *mine = below(kit, "mine");
	assert_int_equal(mkdir(dir, 0777), 0);
	assert_int_equal(chmod(dir, 0777), 0);
	assert_int_equal(mkdir(mine, 0700), 0);
	assert_int_equal(chown(mine, VICTIM, VICTIM), 0);
	as(OTHER, link_theirs, kit);
	as(VICTIM, use_link, kit);
	/* Ours are. */
	assert_int_equal(symlink(below(kit, "real"), below(kit, "link")), 0);
	assert_int_equal(mkdir(below(kit, "real"), 0755), 0);
	CacheStore *store = open_store(below(kit, "link"), NULL, NULL);
	assert_true(put(store, 1, "x"));
	assert_string_equal(get(store, 1), "x");
	cache_store_free(store);
}

/* ---- layers ---- */

static void plant_layer(Kit *kit)
{
	plant(kit, below(kit, "layer"), 1, "of the owner");
}

static void plant_into(Kit *kit)
{
	plant(kit, below(kit, "layer"), 2, "of a third");
}

static const char *through_layer(Kit *kit, unsigned n, const char *fault)
{
	CacheStore *store = open_store(NULL, below(kit, "layer"), NULL);
	const char *found = get(store, n);
	expect_fault(store, fault ? CACHE_FAULT_OPEN : CACHE_FAULT_NONE, fault);
	cache_store_free(store);
	return found;
}

static void layers_are_their_owner_s(void **state)
{
	Kit *kit = *state;
	if (geteuid() != 0)
		skip();
	const char *layer = below(kit, "layer");
	assert_int_equal(mkdir(layer, 0755), 0);
	assert_int_equal(chown(layer, OTHER, OTHER), 0);
	as(OTHER, plant_layer, kit);
	assert_string_equal(through_layer(kit, 1, NULL), "of the owner");
	/* Others could put something there. */
	const char *root = below(kit, "layer/neso-1");
	assert_int_equal(chmod(root, 0777), 0);
	assert_string_equal(through_layer(kit, 1, "others can write to it"), "");
	assert_int_equal(chmod(root, 0775), 0);
	assert_string_equal(through_layer(kit, 1, "others can write to it"), "");
	/* Or could have, while they were let in. */
	assert_int_equal(system(arena_printf(&kit->arena, "chmod -R go+w '%s'", layer)), 0);
	as(THIRD, plant_into, kit);
	assert_int_equal(system(arena_printf(&kit->arena, "chmod -R go-w '%s'", layer)), 0);
	CacheStore *store = open_store(NULL, layer, NULL);
	assert_string_equal(get(store, 2), "");
	expect_fault(store, CACHE_FAULT_DAMAGED, "it belongs to another user");
	assert_string_equal(get(store, 1), "of the owner");
	cache_store_free(store);
	/* Or another layer in its place. */
	assert_int_equal(chmod(layer, 0777), 0);
	assert_string_equal(through_layer(kit, 1, "it belongs to another user, and others can change a folder that leads to it"), "");
	assert_int_equal(chmod(layer, 01777), 0);
	assert_string_equal(through_layer(kit, 1, "it belongs to another user, and others can change a folder that leads to it"), "");
}

/* ---- special files ---- */

static void make_fifo(const char *path)
{
	assert_int_equal(mkfifo(path, 0600), 0);
}

static void make_folder(const char *path)
{
	assert_int_equal(mkdir(path, 0700), 0);
}

static void make_link(const char *path)
{
	assert_int_equal(symlink("/etc/passwd", path), 0);
}

static void make_device(const char *path)
{
	if (mknod(path, S_IFCHR | 0600, 5 << 8) != 0) /* /dev/tty */
		make_link(path);
}

static void make_socket(const char *path)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), here = open(".", O_RDONLY);
	const char *slash = strrchr(path, '/');
	char folder[300];
	snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
	snprintf(name.sun_path, sizeof name.sun_path, "%.90s", slash + 1);
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof name), 0);
	assert_int_equal(fchdir(here), 0);
	close(here);
	close(fd);
}

static void (*const special[])(const char *) = {make_fifo, make_folder, make_link, make_device, make_socket};

static void special_files_are_told_and_removed(void **state)
{
	Kit *kit = *state;
	const char *dir = below(kit, "own");
	CacheStore *store = open_store(dir, NULL, NULL);
	struct stat st;
	assert_true(put(store, 0, "x"));
	for (unsigned n = 1; n <= ARRAY_LEN(special); n++) {
		const char *path = place_of(kit, dir, n);
		special[n - 1](path);
		assert_string_equal(get(store, n), "");
		expect_fault(store, CACHE_FAULT_DAMAGED, special[n - 1] == make_link ? "it is a link" : "it is no file");
		assert_int_not_equal(lstat(path, &st), 0);
		special[n - 1](path);
		assert_true(put(store, n, "y"));
		assert_string_equal(get(store, n), "y");
	}
	/* A folder with something in it stays, and is told. */
	const char *full = place_of(kit, dir, 50);
	make_folder(full);
	make_folder(arena_printf(&kit->arena, "%s/in it", full));
	assert_string_equal(get(store, 50), "");
	expect_fault(store, CACHE_FAULT_DAMAGED, "it is no file");
	assert_false(put(store, 50, "y"));
	cache_store_free(store);
	/* In a layer they are passed by. */
	store = open_store(below(kit, "above"), dir, NULL);
	for (unsigned n = 1; n <= ARRAY_LEN(special); n++) {
		const char *path = place_of(kit, dir, 10 + n);
		special[n - 1](path);
		assert_string_equal(get(store, 10 + n), "");
		assert_int_equal(lstat(path, &st), 0);
		assert_true(put(store, 10 + n, "z"));
		assert_string_equal(get(store, 10 + n), "z");
	}
	cache_store_free(store);
}

static void counts_and_logs_wait_for_nobody(void **state)
{
	static const char *const names[] = {"usage", "log", "log.1", "totals", "remote"};
	Kit *kit = *state;
	const char *dir = below(kit, "own");
	for (size_t how = 0; how < ARRAY_LEN(special); how++) {
		CacheStore *store = open_store(dir, NULL, NULL);
		CacheTotals totals;
		CacheEvents events = {0};
		assert_true(put(store, 0, "x"));
		for (size_t i = 0; i < ARRAY_LEN(names); i++) {
			const char *path = os_path_join(&kit->arena, dir, arena_printf(&kit->arena, "neso-1/%s", names[i]));
			(void)remove(path);
			special[how](path);
		}
		Str text;
		CacheDigest key = key_of(&kit->arena, 1, &text);
		cache_log(store, CACHE_EVENT_HIT, &key, 1, "kernel");
		cache_totals(store, &kit->arena, &totals);
		cache_events(store, &kit->arena, NULL, &events);
		(void)cache_usage(store);
		(void)cache_store_remote_counts(store);
		assert_true(put(store, 1, "y"));
		assert_string_equal(get(store, 1), "y");
		cache_store_free(store);
		assert_int_equal(system(arena_printf(&kit->arena, "rm -rf '%s'", dir)), 0);
	}
}

/* Another's folder may come under our name: what is not ours stays. */
static void cleaning_leaves_what_is_not_ours(void **state)
{
	Kit *kit = *state;
	const char *dir = below(kit, "own");
	const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	static const char *const names[] = {"tmp/thesis.tex", "tmp/1234.5678", "lock/door", "tmp/0000.77.abcdef"};
	CacheStore *store = open_store(dir, NULL, NULL);
	CacheGc gc;
	assert_true(put(store, 1, "x"));
	(void)mkdir(below(kit, "own/neso-1/lock"), 0700);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *path = os_path_join(&kit->arena, below(kit, "own/neso-1"), names[i]);
		write_file(path, STR("x"), 0600);
		assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
	}
	cache_gc(store, 0, 0, &gc);
	assert_int_equal(gc.leftovers, 1);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		assert_int_equal(os_is_file(os_path_join(&kit->arena, below(kit, "own/neso-1"), names[i])), i < 3);
	cache_store_free(store);
}

/* ---- sizes ---- */

/* Head and table of an entry with these sections, and its checksum. */
static Str head_of(Arena *arena, unsigned n, unsigned count, uint64_t each, bool packed, uint64_t *size)
{
	enum { HEAD = 120, ROW = 72 };
	Str text;
	CacheDigest key = key_of(arena, n, &text);
	uint64_t stored = packed ? 20 : each;
	uint8_t *file = arena_alloc(arena, HEAD + count * ROW);
	*size = HEAD + count * ROW + count * stored;
	memcpy(file, "NESOENTR\2", 9);
	file[12] = (uint8_t)count;
	for (int i = 0; i < 8; i++)
		file[16 + i] = (uint8_t)(*size >> 8 * i);
	memcpy(file + 24, key.bytes, 32);
	for (unsigned s = 0; s < count; s++) {
		uint8_t *row = file + HEAD + s * ROW;
		row[0] = (uint8_t)('a' + s);
		row[20] = packed;
		for (int i = 0; i < 8; i++) {
			row[24 + i] = (uint8_t)(stored >> 8 * i);
			row[32 + i] = (uint8_t)(each >> 8 * i);
		}
	}
	CacheHash hash;
	cache_hash_init(&hash);
	cache_hash_add(&hash, file, 56);
	cache_hash_add(&hash, file + 88, HEAD - 88 + count * ROW);
	CacheDigest sum = cache_hash_done(&hash);
	memcpy(file + 56, sum.bytes, 32);
	return (Str){(const char *)file, HEAD + count * ROW};
}

static void plant_head(Kit *kit, const char *dir, unsigned n, unsigned count, uint64_t each, bool packed)
{
	uint64_t size;
	Str head = head_of(&kit->arena, n, count, each, packed, &size);
	const char *path = place_of(kit, dir, n);
	write_file(path, head, 0600);
	assert_int_equal(truncate(path, (off_t)size), 0);
}

/* With little memory: none is asked for. */
static void sizes_are_read_first(void **state)
{
	Kit *kit = *state;
	const char *dir = below(kit, "own");
	int status;
	CacheStore *store = open_store(dir, NULL, NULL);
	assert_true(put(store, 0, "x"));
	plant_head(kit, dir, 1, 8, 250u << 20, false);  /* 2 GB, of which nothing is on the disk */
	plant_head(kit, dir, 2, 6, 250u << 20, true);   /* 120 bytes that say they are 1.5 GB */
	plant_head(kit, dir, 3, 1, 1 << 20, false);     /* a size that is fine, and not that of the file */
	assert_int_equal(truncate(place_of(kit, dir, 3), (off_t)3 << 30), 0);
	write_file(place_of(kit, dir, 4), STR("x"), 0600);
	assert_int_equal(truncate(place_of(kit, dir, 4), (off_t)1 << 40), 0);
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		const struct rlimit limit = {256 << 20, 256 << 20};
		WANT(getenv("NESO_SANITIZED") || setrlimit(RLIMIT_AS, &limit) == 0);
		static const char *const why[] = {NULL, "it is too large", "it is too large", "it is too large", "it is no entry of this cache"};
		for (unsigned n = 1; n <= 4; n++) {
			WANT(!*get(store, n));
			CacheFault fault = cache_fault(store);
			WANT(fault.kind == CACHE_FAULT_DAMAGED && strcmp(fault.why, why[n]) == 0);
			WANT(access(place_of(kit, dir, n), F_OK) != 0);
		}
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	cache_store_free(store);
}

/* Nothing is wrong with an entry for which there is no memory now. */
static void without_memory_it_is_a_miss(void **state)
{
	Kit *kit = *state;
	const char *dir = below(kit, "own");
	int status;
	CacheStore *store = open_store(dir, NULL, NULL);
	Str text, value;
	const char *why;
	CacheEntry entry;
	if (getenv("NESO_SANITIZED") && *getenv("NESO_SANITIZED"))
		skip();
	CacheDigest key = key_of(&kit->arena, 1, &text);
	char *large = arena_alloc(&kit->arena, 100 << 20);
	CacheSection sections[] = {{"key", text}, {"value", {large, 100 << 20}}};
	assert_true(cache_put(store, CACHE_VARIANT, &key, cache_entry_write(&kit->arena, &key, sections, 2)));
	plant_head(kit, dir, 2, 1, 200 << 20, false);
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		struct rlimit limit;
		unsigned long pages = 0;
		FILE *statm = fopen("/proc/self/statm", "re");
		WANT(statm && fscanf(statm, "%lu", &pages) == 1);
		limit.rlim_cur = limit.rlim_max = pages * (unsigned long)sysconf(_SC_PAGESIZE) + (40 << 20);
		WANT(setrlimit(RLIMIT_AS, &limit) == 0);
		/* The file is small: what it unpacks to is not. */
		WANT(cache_get(store, CACHE_VARIANT, &key, &kit->arena, &entry, NULL));
		WANT(!cache_entry_section(&entry, "value", &kit->arena, &value, &why) && why == cache_no_memory);
		WANT(cache_entry_verify(&entry, &why));
		cache_drop(store, CACHE_VARIANT, &key, cache_no_memory);
		WANT(cache_fault(store).kind == CACHE_FAULT_NONE);
		WANT(!*get(store, 2) && cache_fault(store).kind == CACHE_FAULT_UNUSABLE);
		WANT(access(place_of(kit, dir, 2), F_OK) == 0);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_true(cache_get(store, CACHE_VARIANT, &key, &kit->arena, &entry, NULL));
	cache_store_free(store);
}

/* ---- keys ---- */

static void an_entry_s_text_is_held_against_its_key(void **state)
{
	Kit *kit = *state;
	Arena *arena = &kit->arena;
	const char *dir = below(kit, "own");
	CacheStore *store = open_store(dir, NULL, NULL), *above = open_store(below(kit, "above"), dir, NULL);
	Str text, other;
	CacheDigest key = key_of(arena, 1, &text);
	CacheEntry entry;
	key_of(arena, 2, &other);
	CacheSection wrong[] = {{"key", other}, {"value", STR("x")}}, none[] = {{"value", STR("x")}};
	for (CacheKind kind = CACHE_VARIANT; kind <= CACHE_FILE; kind++) {
		assert_true(cache_put(store, kind, &key, cache_entry_write(arena, &key, wrong, 2)));
		assert_false(cache_get(above, kind, &key, arena, &entry, NULL));
		expect_fault(above, CACHE_FAULT_DAMAGED, "its key is not that of the text that it carries");
		assert_false(cache_get(store, kind, &key, arena, &entry, NULL));
		expect_fault(store, CACHE_FAULT_DAMAGED, "its key is not that of the text that it carries");
		assert_true(cache_put(store, kind, &key, cache_entry_write(arena, &key, none, 1)));
		assert_false(cache_get(store, kind, &key, arena, &entry, NULL));
	}
	/* Under another's name. */
	assert_true(put(store, 5, "five"));
	assert_int_equal(rename(place_of(kit, dir, 5), place_of(kit, dir, 6)), 0);
	assert_string_equal(get(store, 6), "");
	expect_fault(store, CACHE_FAULT_DAMAGED, "it is of another key");
	/* Another version's is no damage. */
	char *bytes = arena_copy(arena, entry_of(arena, 7, "x").ptr, 200);
	bytes[8] = 1;
	write_file(place_of(kit, dir, 7), (Str){bytes, 200}, 0600);
	assert_string_equal(get(store, 7), "");
	expect_fault(store, CACHE_FAULT_NONE, NULL);
	assert_true(os_is_file(place_of(kit, dir, 7)));
	assert_true(put(store, 7, "y"));
	assert_string_equal(get(store, 7), "y");
	cache_store_free(store);
	cache_store_free(above);
}

static void names_in_groups_are_names(void **state)
{
	Kit *kit = *state;
	Arena *arena = &kit->arena;
	CacheStore *store = open_store(below(kit, "own"), NULL, NULL);
	CacheNameds found;
	static const char *const bad[] = {"../../x", "/etc/x", "a/b", ".", "..", "", "a\nb", "\x1b[2J"};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		CacheNamed file = {bad[i], STR("x")};
		assert_false(cache_name_is_plain(bad[i]));
		assert_false(cache_group_put(store, arena, "key", "name", &file, 1));
	}
	/* As somebody else writes it. */
	CacheNamed file = {"good name.so", STR("x")};
	assert_true(cache_group_put(store, arena, "key", "name", &file, 1));
	assert_true(cache_group_get(store, arena, "key", "name", &found));
	Str text = STR("kind\tgroup\nkey\tkey\nname\tname\n");
	CacheDigest key = cache_hash_of(text.ptr, text.len);
	CacheSection sections[] = {{"key", text}, {"names", STR("0\t../../x\n")}, {"0", STR("x")}};
	assert_true(cache_put(store, CACHE_FILE, &key, cache_entry_write(arena, &key, sections, 3)));
	assert_false(cache_group_get(store, arena, "key", "name", &found));
	expect_fault(store, CACHE_FAULT_DAMAGED, "the name of a file in it is none");
	cache_store_free(store);
}

/* ---- signatures ---- */

static const char *secret_file(Kit *kit, const char *name, const char *text)
{
	const char *path = below(kit, name);
	write_file(path, str_of(text), 0600);
	return path;
}

static void entries_are_signed(void **state)
{
	Kit *kit = *state;
	Arena *arena = &kit->arena;
	const char *a = secret_file(kit, "a.key", "0123456789abcdef\n"), *b = secret_file(kit, "b.key", "0123456789abcdeF\n");
	const char *dir = below(kit, "own");
	CacheStore *plain = open_store(dir, NULL, NULL);
	assert_true(put(plain, 1, "unsigned"));
	CacheStore *with_a = open_store(dir, NULL, a);
	assert_string_equal(get(with_a, 1), "");
	expect_fault(with_a, CACHE_FAULT_DAMAGED, "it is not signed");
	assert_true(put(with_a, 1, "by a"));
	assert_string_equal(get(with_a, 1), "by a");
	assert_string_equal(get(plain, 1), "by a"); /* who asks for no key takes what is whole */
	/* In a layer, even of anybody. */
	assert_int_equal(chmod(below(kit, "own/neso-1"), 0777), 0);
	CacheStore *above_a = open_store(below(kit, "above-a"), dir, a), *above_b = open_store(below(kit, "above-b"), dir, b),
		   *above = open_store(below(kit, "above"), dir, NULL);
	assert_string_equal(get(above_a, 1), "by a");
	assert_string_equal(get(above_b, 1), "");
	expect_fault(above_b, CACHE_FAULT_DAMAGED, "its signature is not that of the key");
	assert_string_equal(get(above, 1), "");
	expect_fault(above, CACHE_FAULT_OPEN, "others can write to it");
	plant(kit, dir, 2, "crafted");
	assert_string_equal(get(above_a, 2), "");
	expect_fault(above_a, CACHE_FAULT_DAMAGED, "it is not signed");
	/* A signature is of a kind. */
	CacheSecret secret;
	const char *why;
	CacheEntry entry;
	Str text;
	assert_true(cache_secret_read(&secret, a, &why));
	CacheDigest key = key_of(arena, 9, &text);
	write_file(place_of(kit, dir, 9), cache_entry_sign(entry_of(arena, 9, "x"), "cubin", &secret, arena), 0644);
	assert_false(cache_get(above_a, CACHE_VARIANT, &key, arena, &entry, NULL));
	cache_store_free(plain);
	cache_store_free(with_a);
	cache_store_free(above_a);
	cache_store_free(above_b);
	cache_store_free(above);
}

static void packs_are_signed(void **state)
{
	Kit *kit = *state;
	Arena *arena = &kit->arena;
	const char *a = secret_file(kit, "a.key", "0123456789abcdef"), *b = secret_file(kit, "b.key", "another key, of b"), *why;
	const char *bare = below(kit, "bare.pack"), *by_a = below(kit, "a.pack");
	CacheSecret secret_a, secret_b;
	CachePacked packed;
	assert_true(cache_secret_read(&secret_a, a, &why) && cache_secret_read(&secret_b, b, &why));
	CacheStore *store = open_store(below(kit, "own"), NULL, NULL);
	for (unsigned n = 0; n < 5; n++)
		assert_true(put(store, n, "x"));
	assert_true(cache_pack(store, bare, NULL, NULL, NULL, &packed, &why, arena));
	assert_true(cache_pack(store, by_a, NULL, NULL, &secret_a, &packed, &why, arena));
	assert_int_equal(packed.entries, 5);
	const struct {
		const char *pack;
		const CacheSecret *secret;
		const char *own;
		unsigned good;
	} tries[] = {
		{bare, NULL, NULL, 5}, {bare, &secret_a, NULL, 0}, {bare, NULL, a, 0},      {by_a, NULL, NULL, 5},     {by_a, &secret_a, NULL, 5},
		{by_a, &secret_b, NULL, 0}, {by_a, NULL, a, 5},    {by_a, NULL, b, 0}, {by_a, &secret_a, b, 5},
	};
	for (size_t i = 0; i < ARRAY_LEN(tries); i++) {
		CacheStore *other = open_store(arena_printf(arena, "%s/other-%zu", kit->dir, i), NULL, tries[i].own);
		assert_true(cache_unpack_file(other, tries[i].pack, tries[i].secret, &packed, &why, arena));
		assert_int_equal(packed.entries, tries[i].good);
		assert_int_equal(packed.refused, 5 - tries[i].good);
		assert_string_equal(get(other, 3), tries[i].good ? "x" : "");
		cache_store_free(other);
	}
	assert_false(cache_unpack_file(store, below(kit, "nowhere"), NULL, &packed, &why, arena));
	assert_string_equal(why, "No such file or directory");
	assert_false(cache_unpack_file(store, kit->dir, NULL, &packed, &why, arena));
	assert_string_equal(why, "Is a directory");
	cache_store_free(store);
}

static void keys_that_are_none(void **state)
{
	Kit *kit = *state;
	const char *open_key = secret_file(kit, "open.key", "0123456789abcdef"), *long_key = secret_file(kit, "long.key", "0123456789abcdef");
	assert_int_equal(chmod(open_key, 0644), 0);
	assert_int_equal(truncate(long_key, 5000), 0);
	const char *fifo = below(kit, "fifo.key");
	make_fifo(fifo);
	const struct {
		const char *path, *why;
	} bad[] = {
		{below(kit, "no.key"), "it is not there"},
		{secret_file(kit, "short.key", "0123456789abcde\n\n"), "it has fewer than 16 bytes"},
		{open_key, "others can read or write it"},
		{long_key, "it is larger than 4096 bytes"},
		{fifo, "it is no file"},
		{kit->dir, "it is no file"},
	};
	CacheStore *plain = open_store(below(kit, "own"), NULL, NULL);
	assert_true(put(plain, 1, "x"));
	cache_store_free(plain);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		CacheStore *store = open_store(below(kit, "own"), below(kit, "own"), bad[i].path);
		expect_fault(store, CACHE_FAULT_SECRET, bad[i].why);
		assert_string_equal(get(store, 1), "");
		assert_false(put(store, 2, "y"));
		cache_store_free(store);
	}
}

/* RFC 4231, test cases 1, 2, 6 and 7. */
static void codes_are_those_of_the_standard(void **state)
{
	static char a3[20], aa[131];
	memset(a3, 0x0b, sizeof a3);
	memset(aa, 0xaa, sizeof aa);
	const struct {
		Str key, data;
		const char *hex;
	} cases[] = {
		{{a3, 20}, STR("Hi There"), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
		{STR("Jefe"), STR("what do ya want for nothing?"), "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
		{{aa, 131}, STR("Test Using Larger Than Block-Size Key - Hash Key First"),
		 "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
		{{aa, 131},
		 STR("This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before "
		     "being used by the HMAC algorithm."),
		 "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CacheSecret secret;
		CacheHash mac;
		char hex[CACHE_HEX_SIZE];
		cache_secret_init(&secret, cases[i].key.ptr, cases[i].key.len);
		cache_mac_init(&mac, &secret);
		cache_hash_add(&mac, cases[i].data.ptr, cases[i].data.len);
		CacheDigest code = cache_mac_done(&mac, &secret);
		cache_digest_hex(&code, hex);
		assert_string_equal(hex, cases[i].hex);
		CacheDigest other = code;
		assert_true(cache_mac_eq(code.bytes, other.bytes));
		other.bytes[i * 9] ^= 1;
		assert_false(cache_mac_eq(code.bytes, other.bytes));
	}
}

/* ---- descriptors ---- */

/* Programs that become daemons close what they find; the numbers are others' then. */
static void descriptors_may_be_closed_under_it(void **state)
{
	Kit *kit = *state;
	int status;
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		CacheStore *store = open_store(below(kit, "own"), NULL, NULL);
		WANT(put(store, 1, "x"));
		for (int fd = 3; fd < 64; fd++)
			close(fd);
		WANT(strcmp(get(store, 1), "x") == 0);
		for (int fd = 3; fd < 64; fd++)
			close(fd);
		const char *elsewhere = below(kit, "elsewhere");
		WANT(mkdir(elsewhere, 0700) == 0);
		for (int fd = 3; fd < 20; fd++)
			WANT(open(elsewhere, O_RDONLY | O_DIRECTORY) >= 0);
		WANT(strcmp(get(store, 1), "x") == 0 && put(store, 2, "y") && strcmp(get(store, 2), "y") == 0);
		WANT(rmdir(elsewhere) == 0); /* nothing is in it */
		/* None is left. */
		const struct rlimit limit = {3, 3};
		CacheStore *late = open_store(below(kit, "own"), NULL, NULL);
		for (int fd = 3; fd < 64; fd++)
			close(fd);
		WANT(setrlimit(RLIMIT_NOFILE, &limit) == 0);
		WANT(!*get(late, 1) && !put(late, 3, "z"));
		cache_store_free(store);
		cache_store_free(late);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void a_folder_that_opens_up_is_left(void **state)
{
	Kit *kit = *state;
	CacheStore *store = open_store(below(kit, "own"), NULL, NULL);
	assert_true(put(store, 1, "x"));
	assert_int_equal(chmod(below(kit, "own/neso-1"), 0777), 0);
	assert_string_equal(get(store, 1), "");
	expect_fault(store, CACHE_FAULT_OPEN, "others can write to it");
	cache_store_free(store);
}

/* Each removal opens the folder again, with the descriptor that it had. */
static void a_folder_may_vanish_often(void **state)
{
	Kit *kit = *state;
	CacheStore *store = open_store(below(kit, "own"), NULL, NULL);
	int before = dup(0);
	close(before);
	for (unsigned n = 0; n < 20; n++) {
		assert_true(put(store, n, "x"));
		assert_string_equal(get(store, n), "x");
		assert_int_equal(system(arena_printf(&kit->arena, "rm -rf '%s'", below(kit, "own"))), 0);
		assert_string_equal(get(store, n), "");
	}
	int after = dup(0);
	close(after);
	assert_in_range(after, before, before + 1);
	expect_fault(store, CACHE_FAULT_NONE, NULL);
	cache_store_free(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_swapped_folder_is_not_taken, setup, teardown),
		cmocka_unit_test_setup_teardown(links_of_others_are_not_followed, setup, teardown),
		cmocka_unit_test_setup_teardown(layers_are_their_owner_s, setup, teardown),
		cmocka_unit_test_setup_teardown(special_files_are_told_and_removed, setup, teardown),
		cmocka_unit_test_setup_teardown(counts_and_logs_wait_for_nobody, setup, teardown),
		cmocka_unit_test_setup_teardown(cleaning_leaves_what_is_not_ours, setup, teardown),
		cmocka_unit_test_setup_teardown(sizes_are_read_first, setup, teardown),
		cmocka_unit_test_setup_teardown(without_memory_it_is_a_miss, setup, teardown),
		cmocka_unit_test_setup_teardown(an_entry_s_text_is_held_against_its_key, setup, teardown),
		cmocka_unit_test_setup_teardown(names_in_groups_are_names, setup, teardown),
		cmocka_unit_test_setup_teardown(entries_are_signed, setup, teardown),
		cmocka_unit_test_setup_teardown(packs_are_signed, setup, teardown),
		cmocka_unit_test_setup_teardown(keys_that_are_none, setup, teardown),
		cmocka_unit_test(codes_are_those_of_the_standard),
		cmocka_unit_test_setup_teardown(descriptors_may_be_closed_under_it, setup, teardown),
		cmocka_unit_test_setup_teardown(a_folder_that_opens_up_is_left, setup, teardown),
		cmocka_unit_test_setup_teardown(a_folder_may_vanish_often, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
