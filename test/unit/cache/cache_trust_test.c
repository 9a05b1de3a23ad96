/* What lies in a cache and was put there by somebody else, or is no entry at all: other users, folders that are swapped, special
 * files, sizes that lie. */
#define _GNU_SOURCE /* setresuid */
#include "trust_kit.h"

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
	static const char *const names[] = {"tmp/thesis.tex", "tmp/1234.5678", "tmp/door",
					    "tmp/0000.77.abcdef"};
	CacheStore *store = open_store(dir, NULL, NULL);
	CacheGc gc;
	assert_true(put(store, 1, "x"));
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
	enum { HEAD = 152, ROW = 72 };
	Str text;
	CacheDigest key = key_of(arena, n, &text);
	uint64_t stored = packed ? 20 : each;
	uint8_t *file = arena_alloc(arena, HEAD + count * ROW);
	*size = HEAD + count * ROW + count * stored;
	memcpy(file, "NESOENTR\3", 9);
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
	plant_head(kit, dir, 2, 6, 250u << 20, true); /* 152 bytes that say they are 1.5 GB */
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
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
