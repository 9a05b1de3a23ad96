/* The store on real folders: what is found again, what failures leave behind, and many processes at once. */
#define _GNU_SOURCE /* unshare */
#include "unit.h"
#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
#include "cache/disk/files.h"
#include "cache/disk/log.h"
#include "cache/pack.h"

typedef struct Kit {
	Arena arena;
	char dir[64];
	CacheStore *store;
} Kit;

static CacheStore *open_store(const char *dir, uint64_t max_files)
{
	CacheOptions options = {.dir = dir, .wait = 5, .max_files = max_files};
	return cache_store_new(&options);
}

static int setup(void **state)
{
	Kit *kit = calloc(1, sizeof *kit);
	if (!test_folder(kit->dir, sizeof kit->dir, "cache"))
		return -1;
	arena_init(&kit->arena, 0);
	kit->store = open_store(kit->dir, 0);
	*state = kit;
	return 0;
}

static void remove_tree(const char *path)
{
	char command[256];
	snprintf(command, sizeof command, "chmod -R u+rwx '%s'; rm -rf '%s'", path, path);
	assert_int_equal(system(command), 0);
}

static int teardown(void **state)
{
	Kit *kit = *state;
	cache_store_free(kit->store);
	remove_tree(kit->dir);
	arena_free(&kit->arena);
	free(kit);
	return 0;
}

typedef struct KeyText {
	char text[32];
	Str str;
} KeyText;

static CacheDigest key_text(unsigned n, KeyText *out)
{
	out->str = (Str){out->text, (size_t)snprintf(out->text, sizeof out->text, "n\t%u\n", n)};
	return cache_hash_of(out->str.ptr, out->str.len);
}

static CacheDigest key_of(unsigned n)
{
	KeyText text;
	return key_text(n, &text);
}

static bool put(CacheStore *store, Arena *arena, unsigned n)
{
	KeyText said;
	CacheDigest key = key_text(n, &said);
	Text text;
	text_init(&text, arena);
	for (unsigned i = 0; i < 200; i++)
		text_printf(&text, "%u.%u ", n, i * n);
	CacheSection sections[] = {{"key", said.str}, {"number", {(const char *)&n, sizeof n}}, {"text", {text.data, text.len}}};
	return cache_put(store, CACHE_VARIANT, &key, cache_entry_write(arena, &key, sections, ARRAY_LEN(sections)));
}

/* Is it there? What is there must be right. */
static bool get(CacheStore *store, Arena *arena, unsigned n)
{
	CacheDigest key = key_of(n);
	CacheEntry entry;
	Str bytes;
	const char *why;
	if (!cache_get(store, CACHE_VARIANT, &key, arena, &entry, NULL))
		return false;
	if (!cache_entry_section(&entry, "number", arena, &bytes, &why) || !cache_entry_verify(&entry, &why)) {
		cache_drop(store, CACHE_VARIANT, &key, why);
		return false;
	}
	assert_int_equal(bytes.len, sizeof n);
	assert_memory_equal(bytes.ptr, &n, sizeof n);
	return true;
}

static void entry_path(const Kit *kit, unsigned n, char *out, size_t size)
{
	char hex[CACHE_HEX_SIZE];
	CacheDigest key = key_of(n);
	cache_digest_hex(&key, hex);
	snprintf(out, size, "%s/neso-1/variant/%.2s/%s", kit->dir, hex, hex);
}

static unsigned files_in(const Kit *kit, const char *folder)
{
	char command[160];
	unsigned count = 0;
	snprintf(command, sizeof command, "find '%s/neso-1/%s' -type f 2>/dev/null | wc -l", kit->dir, folder);
	FILE *pipe = popen(command, "r");
	assert_int_equal(fscanf(pipe, "%u", &count), 1);
	pclose(pipe);
	return count;
}

/* ---- the plain cases ---- */

static void what_is_put_is_found(void **state)
{
	Kit *kit = *state;
	struct stat st;
	char path[256];
	assert_false(get(kit->store, &kit->arena, 1));
	assert_int_equal(files_in(kit, ""), 0); /* looking makes nothing */
	assert_true(put(kit->store, &kit->arena, 1));
	assert_true(get(kit->store, &kit->arena, 1));
	assert_false(get(kit->store, &kit->arena, 2));
	CacheStore *other = open_store(kit->dir, 0);
	assert_true(get(other, &kit->arena, 1));
	cache_store_free(other);
	snprintf(path, sizeof path, "%s/neso-1", kit->dir);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	entry_path(kit, 1, path, sizeof path);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(cache_usage(kit->store).files, 1);
	assert_int_equal(cache_usage(kit->store).bytes, st.st_size);
	assert_int_equal(cache_fault(kit->store).kind, CACHE_FAULT_NONE);
	assert_int_equal(files_in(kit, "tmp"), 0);
}

static void layers_are_read_in_order_and_not_written(void **state)
{
	Kit *kit = *state;
	char own[96], first[96];
	snprintf(own, sizeof own, "%s/own", kit->dir);
	snprintf(first, sizeof first, "%s/first", kit->dir);
	put(kit->store, &kit->arena, 7);
	const char *layers[] = {first, kit->dir};
	CacheOptions options = {.dir = own, .layers = layers, .layer_count = 2};
	CacheStore *store = cache_store_new(&options);
	CacheDigest key = key_of(7);
	CacheEntry entry;
	uint32_t layer = 9;
	assert_true(cache_get(store, CACHE_VARIANT, &key, &kit->arena, &entry, &layer));
	assert_int_equal(layer, 2);
	put(store, &kit->arena, 7);
	assert_true(cache_get(store, CACHE_VARIANT, &key, &kit->arena, &entry, &layer));
	assert_int_equal(layer, 0);
	cache_store_free(store);
}

static void damage_is_a_miss_that_heals(void **state)
{
	Kit *kit = *state;
	char path[256];
	struct stat st;
	put(kit->store, &kit->arena, 3);
	entry_path(kit, 3, path, sizeof path);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(truncate(path, st.st_size / 2), 0);
	assert_false(get(kit->store, &kit->arena, 3));
	CacheFault fault = cache_fault(kit->store);
	assert_int_equal(fault.kind, CACHE_FAULT_DAMAGED);
	assert_string_equal(fault.path, path);
	assert_string_equal(fault.why, "it is cut off");
	assert_int_equal(cache_fault(kit->store).kind, CACHE_FAULT_NONE);
	assert_int_not_equal(stat(path, &st), 0);
	assert_true(put(kit->store, &kit->arena, 3));
	assert_true(get(kit->store, &kit->arena, 3));
	/* A bit of a section: its head is fine. */
	int fd = open(path, O_RDWR);
	char byte;
	assert_int_equal(pread(fd, &byte, 1, st.st_size - 5), 1);
	byte ^= 4;
	assert_int_equal(pwrite(fd, &byte, 1, st.st_size - 5), 1);
	close(fd);
	assert_false(get(kit->store, &kit->arena, 3));
	assert_int_not_equal(stat(path, &st), 0);
}

/* ---- folders that do not serve ---- */

static void a_folder_that_others_can_write_is_not_used(void **state)
{
	Kit *kit = *state;
	char root[96];
	put(kit->store, &kit->arena, 4);
	snprintf(root, sizeof root, "%s/neso-1", kit->dir);
	assert_int_equal(chmod(root, 0770), 0);
	CacheStore *store = open_store(kit->dir, 0);
	assert_false(get(store, &kit->arena, 4));
	assert_false(put(store, &kit->arena, 5));
	CacheFault fault = cache_fault(store);
	assert_int_equal(fault.kind, CACHE_FAULT_OPEN);
	assert_string_equal(fault.path, root);
	assert_int_equal(cache_fault(store).kind, CACHE_FAULT_NONE);
	cache_store_free(store);
}

static void a_file_in_the_folder_s_place(void **state)
{
	Kit *kit = *state;
	char path[96];
	snprintf(path, sizeof path, "%s/file", kit->dir);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	CacheStore *store = open_store(path, 0);
	assert_false(get(store, &kit->arena, 4));
	assert_false(put(store, &kit->arena, 4));
	CacheFault fault = cache_fault(store);
	assert_int_equal(fault.kind, CACHE_FAULT_UNUSABLE);
	assert_string_equal(fault.why, "Not a directory");
	cache_store_free(store);
}

static void a_folder_that_vanishes_comes_back(void **state)
{
	Kit *kit = *state;
	char root[96];
	put(kit->store, &kit->arena, 4);
	snprintf(root, sizeof root, "%s/neso-1", kit->dir);
	remove_tree(root);
	assert_false(get(kit->store, &kit->arena, 4));
	assert_true(put(kit->store, &kit->arena, 4));
	assert_true(get(kit->store, &kit->arena, 4));
	assert_int_equal(cache_fault(kit->store).kind, CACHE_FAULT_NONE);
}

/* A disk that is full, as far as a process can have it to itself: no file may grow past a size. */
static void what_does_not_fit_is_not_kept(void **state)
{
	Kit *kit = *state;
	pid_t child = fork();
	if (child == 0) {
		struct rlimit limit = {100, 100};
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &limit);
		bool kept = put(kit->store, &kit->arena, 4);
		CacheFault fault = cache_fault(kit->store);
		_exit(kept ? 1 : fault.kind != CACHE_FAULT_UNUSABLE ? 2 : strcmp(fault.why, "File too large") != 0 ? 3 : 0);
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(files_in(kit, "tmp"), 0);
	assert_false(get(kit->store, &kit->arena, 4));
}

/* What is wrong with a store on a disk of 128 KB; 0: nothing. */
static int fill(Kit *kit, const char *disk)
{
	CacheStore *store = open_store(disk, 0);
	unsigned kept = 0;
	for (unsigned n = 0; n < 200; n++)
		kept += put(store, &kit->arena, n);
	for (unsigned n = 0; n < 200; n++)
		get(store, &kit->arena, n);
	CacheFault fault = cache_fault(store), none = cache_fault(store);
	if (kept < 5 || kept > 199)
		return 1;
	if (fault.kind != CACHE_FAULT_UNUSABLE || strcmp(fault.why, "No space left on device") != 0)
		return 2;
	return none.kind != CACHE_FAULT_NONE ? 3 : 0;
}

/* The disk is mounted for a child alone, so it is gone with that, however that ends. */
static void a_small_disk_that_fills(void **state)
{
	enum { CANNOT_MOUNT = 77 };
	Kit *kit = *state;
	char disk[80];
	snprintf(disk, sizeof disk, "%s/disk", kit->dir);
	assert_int_equal(mkdir(disk, 0755), 0);
	pid_t child = fork();
	if (child == 0) {
		bool mounted = unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
			       mount("tmpfs", disk, "tmpfs", 0, "size=128k") == 0;
		_exit(mounted ? fill(kit, disk) : CANNOT_MOUNT);
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT_MOUNT)
		skip();
	assert_int_equal(status, 0);
}

static void a_folder_without_permission(void **state)
{
	Kit *kit = *state;
	if (geteuid() == 0) {
		/* root may write anywhere: as nobody, in a process of its own. */
		assert_int_equal(chmod(kit->dir, 0755), 0);
		pid_t child = fork();
		if (child == 0) {
			if (setuid(65534) != 0)
				_exit(9);
			bool kept = put(kit->store, &kit->arena, 4);
			CacheFault fault = cache_fault(kit->store);
			_exit(kept ? 1 : fault.kind != CACHE_FAULT_UNUSABLE ? 2 : strcmp(fault.why, "Permission denied") != 0 ? 3 : 0);
		}
		int status;
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_int_equal(status, 0);
		return;
	}
	assert_int_equal(chmod(kit->dir, 0500), 0);
	assert_false(put(kit->store, &kit->arena, 4));
	assert_string_equal(cache_fault(kit->store).why, "Permission denied");
}

static void without_a_folder_nothing_is_kept(void **state)
{
	Kit *kit = *state;
	CacheOptions options = {.dir_why = "there is no home folder"};
	CacheStore *store = cache_store_new(&options);
	assert_null(cache_store_root(store));
	assert_false(put(store, &kit->arena, 4));
	assert_false(get(store, &kit->arena, 4));
	assert_string_equal(cache_fault(store).why, "there is no home folder");
	cache_store_free(store);
}

/* ---- bounds ---- */

static void the_least_recently_used_go(void **state)
{
	Kit *kit = *state;
	char path[256];
	CacheStore *store = open_store(kit->dir, 20);
	for (unsigned n = 0; n < 20; n++) {
		assert_true(put(store, &kit->arena, n));
		entry_path(kit, n, path, sizeof path);
		/* 10 is used last, then the others from 19 down */
		struct timespec used[2] = {{.tv_sec = n == 10 ? 100000 : 90000 - (time_t)n}, {.tv_sec = n == 10 ? 100000 : 90000 - (time_t)n}};
		assert_int_equal(utimensat(AT_FDCWD, path, used, 0), 0);
	}
	assert_true(put(store, &kit->arena, 20));
	assert_int_equal(cache_usage(store).files, 18);
	assert_int_equal(files_in(kit, "variant"), 18);
	assert_true(get(store, &kit->arena, 20));
	assert_true(get(store, &kit->arena, 10));
	assert_true(get(store, &kit->arena, 0));
	assert_true(get(store, &kit->arena, 16));
	assert_false(get(store, &kit->arena, 17));
	assert_false(get(store, &kit->arena, 18));
	assert_false(get(store, &kit->arena, 19));
	CacheGc gc;
	cache_gc(store, 0, 5, &gc);
	assert_int_equal(gc.evicted, 13);
	assert_int_equal(gc.after.files, 5);
	assert_int_equal(files_in(kit, "variant"), 5);
	cache_clear(store, &gc);
	assert_int_equal(gc.evicted, 5);
	assert_int_equal(files_in(kit, "variant"), 0);
	cache_store_free(store);
}

static void a_large_store_keeps_its_bound(void **state)
{
	enum { FILES = 6500, BOUND = 4500 };
	Kit *kit = *state;
	CacheStore *store = open_store(kit->dir, BOUND);
	CacheDigest key;
	CacheSection section = {"x", STR("y")};
	for (unsigned n = 0; n < FILES; n++) {
		key = key_of(n);
		ArenaMark mark = arena_mark(&kit->arena);
		assert_true(cache_put(store, CACHE_CUBIN, &key, cache_entry_write(&kit->arena, &key, &section, 1)));
		arena_reset(&kit->arena, mark);
	}
	CacheGc gc;
	uint64_t counted = cache_usage(store).files;
	cache_gc(store, 0, 0, &gc);
	assert_int_equal(gc.before.files, counted);
	assert_in_range(counted, BOUND * 85 / 100, BOUND);
	cache_store_free(store);
}

static void use_is_noted(void **state)
{
	Kit *kit = *state;
	char path[256];
	struct stat st;
	put(kit->store, &kit->arena, 1);
	entry_path(kit, 1, path, sizeof path);
	struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
	/* Who lists or packs the entries does not use them, and a layer is not written. */
	CacheDigest key = key_of(1);
	Str bytes;
	const char *why;
	assert_true(cache_read_file(kit->store, CACHE_VARIANT, &key, &kit->arena, &bytes, &why));
	char own[96];
	snprintf(own, sizeof own, "%s/own", kit->dir);
	const char *layers[] = {kit->dir};
	CacheOptions options = {.dir = own, .layers = layers, .layer_count = 1};
	CacheStore *above = cache_store_new(&options);
	assert_true(get(above, &kit->arena, 1));
	cache_store_free(above);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mtim.tv_sec, 1000);
	assert_true(get(kit->store, &kit->arena, 1));
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_mtim.tv_sec > time(NULL) - 100);
}

/* ---- claims ---- */

static void one_makes_it_while_others_wait(void **state)
{
	enum { PROCESSES = 6 };
	Kit *kit = *state;
	int made[2];
	assert_int_equal(pipe(made), 0);
	CacheDigest key = key_of(1);
	for (int i = 0; i < PROCESSES; i++)
		if (fork() == 0) {
			CacheClaim claim;
			CacheClaimed claimed = cache_claim(kit->store, CACHE_VARIANT, &key, &claim);
			if (claimed == CACHE_MINE) {
				nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
				bool sent = write(made[1], "m", 1) == 1 && put(kit->store, &kit->arena, 1);
				cache_release(&claim);
				_exit(sent ? 0 : 2);
			}
			_exit(claimed == CACHE_THERE && get(kit->store, &kit->arena, 1) ? 0 : 1);
		}
	for (int i = 0; i < PROCESSES; i++) {
		int status;
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	char bytes[PROCESSES];
	assert_int_equal(read(made[0], bytes, sizeof bytes), 1);
	close(made[0]);
	close(made[1]);
}

static void a_dead_holder_is_noticed(void **state)
{
	Kit *kit = *state;
	CacheDigest key = key_of(1);
	int ready[2];
	char byte;
	assert_int_equal(pipe(ready), 0);
	pid_t child = fork();
	if (child == 0) {
		CacheClaim claim;
		cache_claim(kit->store, CACHE_VARIANT, &key, &claim);
		if (write(ready[1], "r", 1) == 1)
			pause();
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	CacheOptions hurried = {.dir = kit->dir, .wait = 0.05};
	CacheStore *store = cache_store_new(&hurried);
	CacheClaim claim;
	assert_int_equal(cache_claim(store, CACHE_VARIANT, &key, &claim), CACHE_BUSY);
	assert_int_equal(claim.fd, -1);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_int_equal(cache_claim(store, CACHE_VARIANT, &key, &claim), CACHE_MINE);
	cache_release(&claim);
	cache_store_free(store);
}

/* Claims of two keys do not meet, those of one do, of threads and stores of one process too;
 * none leaves a file. */
static void claims_are_of_keys(void **state)
{
	Kit *kit = *state;
	CacheOptions hurried = {.dir = kit->dir, .wait = 0.05};
	CacheStore *store = cache_store_new(&hurried);
	CacheDigest one = key_of(1), two = key_of(2);
	CacheClaim a, b, c;
	assert_int_equal(cache_claim(kit->store, CACHE_VARIANT, &one, &a), CACHE_MINE);
	assert_int_equal(cache_claim(store, CACHE_VARIANT, &two, &b), CACHE_MINE);
	assert_true(a.fd >= 0 && b.fd >= 0);
	unsigned files = files_in(kit, "");
	assert_int_equal(cache_claim(store, CACHE_VARIANT, &one, &c), CACHE_BUSY);
	cache_release(&a);
	assert_int_equal(cache_claim(store, CACHE_VARIANT, &one, &c), CACHE_MINE);
	cache_release(&b);
	cache_release(&c);
	assert_int_equal(files_in(kit, ""), files);
	cache_store_free(store);
}

/* ---- processes that are killed, entries that are damaged meanwhile ---- */

/* Random puts and gets until it is killed; what it finds must be right. */
static void work(Kit *kit, unsigned seed)
{
	enum { KEYS = 200 };
	for (unsigned i = 0;; i++) {
		seed = seed * 1664525u + 1013904223u;
		unsigned n = seed >> 8 & 0xffff;
		ArenaMark mark = arena_mark(&kit->arena);
		CacheClaim claim = {.fd = -1};
		CacheDigest key = key_of(n % KEYS);
		if (!get(kit->store, &kit->arena, n % KEYS) &&
		    cache_claim(kit->store, CACHE_VARIANT, &key, &claim) != CACHE_THERE)
			put(kit->store, &kit->arena, n % KEYS);
		cache_release(&claim);
		if (i % 16 == 0) {
			char path[256];
			entry_path(kit, n % KEYS, path, sizeof path);
			int fd = open(path, O_RDWR);
			if (fd >= 0 && i % 32 == 0)
				(void)!ftruncate(fd, n % 700);
			else if (fd >= 0)
				(void)!pwrite(fd, &seed, 1, n % 900);
			if (fd >= 0)
				close(fd);
		}
		arena_reset(&kit->arena, mark);
	}
}

static void processes_may_be_killed_at_any_time(void **state)
{
	enum { PROCESSES = 8, KILLS = 60 };
	Kit *kit = *state;
	pid_t pids[PROCESSES] = {0};
	unsigned seed = 1;
	for (int round = 0; round < KILLS; round++) {
		int i = round % PROCESSES;
		if (pids[i]) {
			int status;
			kill(pids[i], SIGKILL);
			assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
			assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL); /* no assertion failed before */
		}
		pids[i] = fork();
		if (pids[i] == 0) {
			work(kit, seed + (unsigned)round);
			_exit(0);
		}
		seed = seed * 69069 + 1;
		nanosleep(&(struct timespec){.tv_nsec = (long)(seed >> 8) % 20000000}, NULL);
	}
	for (int i = 0; i < PROCESSES; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	CacheGc gc;
	cache_gc(kit->store, 0, 0, &gc);
	assert_int_equal(files_in(kit, "tmp"), 0);
	unsigned good = 0;
	for (unsigned n = 0; n < 200; n++)
		good += get(kit->store, &kit->arena, n);
	assert_true(good > 0);
	for (unsigned n = 0; n < 200; n++) {
		put(kit->store, &kit->arena, n);
		assert_true(get(kit->store, &kit->arena, n));
	}
}

/* ---- files, groups, the log, packs ---- */

static void files_and_groups_come_back(void **state)
{
	Kit *kit = *state;
	Arena *arena = &kit->arena;
	CacheNamed files[] = {{"a launcher with a long name.so", STR("binary\0text")}, {"empty", STR("")}, {"x", STR("x")}};
	CacheNameds found;
	Str bytes;
	assert_false(cache_file_get(kit->store, arena, "key", "name", &bytes));
	assert_true(cache_file_put(kit->store, arena, "key", "name", STR("1\0002")));
	assert_true(cache_file_get(kit->store, arena, "key", "name", &bytes));
	assert_int_equal(bytes.len, 3);
	assert_memory_equal(bytes.ptr, "1\0002", 3);
	assert_false(cache_file_get(kit->store, arena, "key", "other", &bytes));
	assert_false(cache_file_get(kit->store, arena, "keyn", "ame", &bytes));
	assert_false(cache_group_get(kit->store, arena, "key", "name", &found));
	assert_true(cache_group_put(kit->store, arena, "key", "name", files, 3));
	assert_true(cache_group_get(kit->store, arena, "key", "name", &found));
	assert_int_equal(found.len, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_string_equal(found.data[i].name, files[i].name);
		assert_true(str_eq(found.data[i].bytes, files[i].bytes));
	}
	assert_true(cache_group_put(kit->store, arena, "key", "name", files, 1));
	assert_true(cache_group_get(kit->store, arena, "key", "name", &found));
	assert_int_equal(found.len, 1);
	assert_false(cache_group_put(kit->store, arena, "key", "name", files, CACHE_GROUP_LARGEST + 1));
}

static void the_log_is_kept_and_folded(void **state)
{
	enum { EVENTS = 15000 }; /* more than fit into one log */
	Kit *kit = *state;
	CacheTotals totals;
	CacheEvents events = {0};
	put(kit->store, &kit->arena, 1);
	CacheDigest key = key_of(1);
	for (unsigned i = 0; i < EVENTS; i++)
		cache_log(kit->store, i % 3 ? CACHE_EVENT_HIT : CACHE_EVENT_MISS, &key, 0.002, i % 2 ? "a kernel" : "b");
	cache_totals(kit->store, &kit->arena, &totals);
	assert_int_equal(totals.count[CACHE_EVENT_MISS], EVENTS / 3);
	assert_int_equal(totals.count[CACHE_EVENT_HIT], EVENTS - EVENTS / 3);
	assert_int_equal(totals.microseconds[CACHE_EVENT_MISS], EVENTS / 3 * 2000);
	assert_int_equal(files_in(kit, "log.1"), 1);
	cache_events(kit->store, &kit->arena, "a kernel", &events);
	assert_in_range(events.len, 100, EVENTS / 2);
	assert_string_equal(vec_last(&events).kernel, "a kernel");
	assert_true(cache_digest_eq(&vec_last(&events).key, &key));
	/* Lines of others' making. */
	char path[96];
	snprintf(path, sizeof path, "%s/neso-1/log", kit->dir);
	FILE *log = fopen(path, "a");
	fputs("nonsense\n12 hit zz 5 k\n\n99 miss", log);
	fclose(log);
	events.len = 0;
	cache_events(kit->store, &kit->arena, NULL, &events);
	assert_in_range(events.len, 200, EVENTS);
}

/* A variant, whole, whose key is not that of the text that it carries. */
static void put_misnamed(CacheStore *store, Arena *arena, unsigned n)
{
	CacheDigest key = key_of(n);
	CacheSection sections[] = {{"key", STR("n\t1000\n")}, {"number", {(const char *)&n, sizeof n}}};
	assert_true(cache_put(store, CACHE_VARIANT, &key, cache_entry_write(arena, &key, sections, ARRAY_LEN(sections))));
}

static bool is_even(void *data, const CacheFile *file)
{
	(void)data;
	return file->key.bytes[0] % 2 == 0;
}

static void packs_carry_entries(void **state)
{
	Kit *kit = *state;
	Arena *arena = &kit->arena;
	char path[96], dir[96];
	CachePacked packed;
	const char *why;
	Str first, second;
	for (unsigned n = 0; n < 40; n++) {
		KeyText said;
		CacheDigest key = key_text(n, &said);
		CacheSection sections[] = {{"key", said.str}, {"x", STR("y")}};
		assert_true(cache_put(kit->store, CACHE_CUBIN, &key, cache_entry_write(arena, &key, sections, ARRAY_LEN(sections))));
	}
	put(kit->store, arena, 77);
	put_misnamed(kit->store, arena, 78);
	snprintf(path, sizeof path, "%s/pack", kit->dir);
	assert_true(cache_pack(kit->store, path, NULL, NULL, NULL, &packed, &why, arena));
	assert_int_equal(packed.entries, 41);
	assert_int_equal(packed.refused, 1); /* what does not hold its key */
	assert_true(os_read_file(arena, path, &first, &why));
	assert_int_equal(packed.bytes, first.len);
	assert_true(cache_pack(kit->store, path, NULL, NULL, NULL, &packed, &why, arena));
	assert_true(os_read_file(arena, path, &second, &why));
	assert_true(str_eq(first, second));
	snprintf(dir, sizeof dir, "%s/other", kit->dir);
	CacheStore *other = open_store(dir, 0);
	assert_true(cache_unpack(other, first, NULL, &packed, &why));
	assert_int_equal(packed.entries, 41);
	assert_int_equal(packed.refused, 0);
	CacheGc gc;
	cache_gc(other, 0, 0, &gc);
	assert_int_equal(gc.after.files, 41);
	assert_true(cache_pack(kit->store, path, is_even, NULL, NULL, &packed, &why, arena));
	assert_in_range(packed.entries, 5, 35);
	assert_false(cache_unpack(other, STR("NESOPACK"), NULL, &packed, &why));
	assert_string_equal(why, "it is no pack");
	assert_false(cache_unpack(other, STR("NESOPACK\2\0\0\0\0\0\0\0"), NULL, &packed, &why));
	assert_string_equal(why, "it is a pack of another version");
	for (size_t len = 16; len < first.len; len += 61) {
		assert_true(cache_unpack(other, (Str){first.ptr, len}, NULL, &packed, &why));
		assert_in_range(packed.refused, 0, 2);
	}
	snprintf(path, sizeof path, "%s/nowhere/pack", kit->dir);
	assert_false(cache_pack(kit->store, path, NULL, NULL, NULL, &packed, &why, arena));
	assert_string_equal(why, "No such file or directory");
	cache_store_free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_put_is_found, setup, teardown),
		cmocka_unit_test_setup_teardown(layers_are_read_in_order_and_not_written, setup, teardown),
		cmocka_unit_test_setup_teardown(damage_is_a_miss_that_heals, setup, teardown),
		cmocka_unit_test_setup_teardown(a_folder_that_others_can_write_is_not_used, setup, teardown),
		cmocka_unit_test_setup_teardown(a_file_in_the_folder_s_place, setup, teardown),
		cmocka_unit_test_setup_teardown(a_folder_that_vanishes_comes_back, setup, teardown),
		cmocka_unit_test_setup_teardown(what_does_not_fit_is_not_kept, setup, teardown),
		cmocka_unit_test_setup_teardown(a_small_disk_that_fills, setup, teardown),
		cmocka_unit_test_setup_teardown(a_folder_without_permission, setup, teardown),
		cmocka_unit_test_setup_teardown(without_a_folder_nothing_is_kept, setup, teardown),
		cmocka_unit_test_setup_teardown(the_least_recently_used_go, setup, teardown),
		cmocka_unit_test_setup_teardown(a_large_store_keeps_its_bound, setup, teardown),
		cmocka_unit_test_setup_teardown(use_is_noted, setup, teardown),
		cmocka_unit_test_setup_teardown(one_makes_it_while_others_wait, setup, teardown),
		cmocka_unit_test_setup_teardown(a_dead_holder_is_noticed, setup, teardown),
		cmocka_unit_test_setup_teardown(claims_are_of_keys, setup, teardown),
		cmocka_unit_test_setup_teardown(processes_may_be_killed_at_any_time, setup, teardown),
		cmocka_unit_test_setup_teardown(files_and_groups_come_back, setup, teardown),
		cmocka_unit_test_setup_teardown(the_log_is_kept_and_folded, setup, teardown),
		cmocka_unit_test_setup_teardown(packs_carry_entries, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
