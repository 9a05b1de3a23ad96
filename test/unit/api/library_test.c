/* Shared objects in the compile cache: what is given a path, and what is refused and why. */
#include "unit.h"
#include "folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "neso/neso.h"

static const char object[] = "\177ELF and so on";

typedef struct Kit {
	char dir[64];
	neso_context *context;
} Kit;

static int setup(void **state)
{
	Kit *kit = calloc(1, sizeof *kit);
	if (!test_folder(kit->dir, sizeof kit->dir, "library"))
		return -1;
	char cache[96];
	snprintf(cache, sizeof cache, "%s/cache", kit->dir);
	neso_context_options options = {.size = sizeof options, .cache_dir = cache};
	*state = kit;
	return neso_context_new(&options, &kit->context, NULL) == NESO_OK ? 0 : -1;
}

/* As another process would. */
static void open_again(Kit *kit)
{
	char cache[96];
	snprintf(cache, sizeof cache, "%s/cache", kit->dir);
	neso_context_options options = {.size = sizeof options, .cache_dir = cache};
	neso_context_free(kit->context);
	assert_int_equal(neso_context_new(&options, &kit->context, NULL), NESO_OK);
}

static int teardown(void **state)
{
	Kit *kit = *state;
	char command[128];
	neso_context_free(kit->context);
	snprintf(command, sizeof command, "rm -rf '%s'", kit->dir);
	assert_int_equal(system(command), 0);
	free(kit);
	return 0;
}

typedef struct Got {
	neso_status status;
	char path[256], said[512], code[32]; /* code: of the first diagnostic */
} Got;

static Got got_of(neso_status status, char *path, neso_diagnostics *found)
{
	Got got = {.status = status};
	snprintf(got.path, sizeof got.path, "%s", path ? path : "");
	snprintf(got.said, sizeof got.said, "%s", neso_diagnostics_count(found) ? neso_diagnostics_text(found) : "");
	snprintf(got.code, sizeof got.code, "%s", neso_diagnostics_count(found) ? neso_diagnostics_get(found, 0)->code : "");
	neso_text_free(path);
	neso_diagnostics_free(found);
	return got;
}

static Got get(Kit *kit, const neso_cache_library *what)
{
	char *path;
	neso_diagnostics *found;
	neso_status status = neso_cache_get_library(kit->context, what, &path, &found);
	return got_of(status, path, found);
}

static Got put(Kit *kit, const neso_cache_library *what)
{
	char *path;
	neso_diagnostics *found;
	neso_status status = neso_cache_put_library(kit->context, what, object, sizeof object, &path, &found);
	return got_of(status, path, found);
}

static const char *const types[] = {"*fp32", "i32", "fp32"}, *const ids[] = {"x86-64", "launcher"};
static const neso_cache_library usual = {.size = sizeof usual, .version = "v1", .name = "launch", .arguments = types, .argument_count = 3,
					 .constants = "B=64", .ids = ids, .id_count = 2};

static void it_is_found_as_it_was_put(void **state)
{
	Kit *kit = *state;
	Got none = get(kit, &usual);
	assert_int_equal(none.status, NESO_OK);
	assert_string_equal(none.path, "");
	Got one = put(kit, &usual), again = get(kit, &usual);
	assert_int_equal(one.status, NESO_OK);
	assert_string_equal(one.path, again.path);
	FILE *file = fopen(again.path, "rb");
	char bytes[sizeof object];
	assert_int_equal(fread(bytes, 1, sizeof bytes, file), sizeof bytes);
	assert_memory_equal(bytes, object, sizeof object);
	fclose(file);
	struct stat st;
	assert_int_equal(stat(again.path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void what_it_was_built_for_tells_it_apart(void **state)
{
	static const char *const same[] = {"*i8", "i32", "fp32"}, *const other[] = {"*fp32", "i64", "fp32"};
	Kit *kit = *state;
	put(kit, &usual);
	neso_cache_library what = usual;
	what.arguments = same; /* a pointer is a pointer */
	assert_true(*get(kit, &what).path);
	what.arguments = other;
	assert_false(*get(kit, &what).path);
	what = usual;
	what.argument_count = 2;
	assert_false(*get(kit, &what).path);
	what = usual;
	what.version = "v2";
	assert_false(*get(kit, &what).path);
	what = usual;
	what.name = NULL;
	assert_false(*get(kit, &what).path);
	what = usual;
	what.constants = "B=32";
	assert_false(*get(kit, &what).path);
	what = usual;
	what.id_count = 1;
	assert_false(*get(kit, &what).path);
}

static void damage(const char *path, long at, int flip, long size)
{
	if (size >= 0) {
		assert_int_equal(truncate(path, size), 0);
		return;
	}
	FILE *file = fopen(path, "r+b");
	fseek(file, at, at < 0 ? SEEK_END : SEEK_SET);
	int c = fgetc(file);
	fseek(file, -1, SEEK_CUR);
	fputc(c ^ flip, file);
	fclose(file);
}

static void what_is_damaged_goes(void **state)
{
	Kit *kit = *state;
	for (int i = 0; i < 6; i++) {
		Got one = put(kit, &usual);
		assert_string_equal(one.said, "");
		long places[] = {0, -1, -60, -80};
		damage(one.path, i < 4 ? places[i] : 0, 1, i < 4 ? -1 : i == 4 ? 40 : 0);
		Got bad = get(kit, &usual);
		assert_int_equal(bad.status, NESO_OK);
		assert_string_equal(bad.path, "");
		assert_non_null(strstr(bad.said, "damaged"));
		assert_int_equal(access(one.path, F_OK), -1);
		assert_string_equal(get(kit, &usual).said, "");
	}
	/* One of another key in its place. */
	neso_cache_library what = usual;
	what.version = "v2";
	Got one = put(kit, &usual), other = put(kit, &what);
	assert_int_equal(rename(other.path, one.path), 0);
	assert_non_null(strstr(get(kit, &usual).said, "another key"));
}

enum { OWN_FOLDER = 3 /* up from the file: 43, library, neso-1 */ };

static void what_others_could_change_is_refused(void **state)
{
	Kit *kit = *state;
	Got one = put(kit, &usual);
	/* The file, each folder on its way in the cache, and the one that the cache is in. */
	char path[256];
	snprintf(path, sizeof path, "%s", one.path);
	for (int up = 0; up < 6; up++) {
		struct stat st;
		assert_int_equal(stat(path, &st), 0);
		for (mode_t bit = 0; bit < 2; bit++) {
			assert_int_equal(chmod(path, st.st_mode | (bit ? S_IWGRP : S_IWOTH)), 0);
			Got bad = get(kit, &usual);
			assert_int_equal(bad.status, NESO_ERROR_REFUSED);
			assert_string_equal(bad.path, "");
			assert_non_null(strstr(bad.said, up ? "can be written by others" : "others can write to it"));
			/* It is not put into such a place either. */
			Got worse = put(kit, &usual);
			assert_int_equal(worse.status, up ? NESO_ERROR_REFUSED : NESO_OK);
			if (up)
				assert_int_equal(chmod(path, st.st_mode), 0);
			/* Who saw the cache's own folder open to others does without it. */
			if (up == OWN_FOLDER) {
				assert_int_equal(get(kit, &usual).status, NESO_ERROR_REFUSED);
				open_again(kit);
			}
		}
		assert_string_equal(get(kit, &usual).path, one.path);
		if (strcmp(path, kit->dir) == 0)
			break;
		*strrchr(path, '/') = '\0';
	}
	assert_string_equal(path, kit->dir);
	/* A link to what is fine elsewhere. */
	char copy[96];
	snprintf(copy, sizeof copy, "%s/copy", kit->dir);
	assert_int_equal(rename(one.path, copy), 0);
	assert_int_equal(symlink(copy, one.path), 0);
	Got linked = get(kit, &usual);
	assert_int_equal(linked.status, NESO_ERROR_REFUSED);
	assert_string_equal(linked.code, "CACHE_LIBRARY");
	assert_non_null(strstr(linked.said, "is not to be loaded: it is a link"));
}

static bool count_library(void *data, const neso_cache_entry *entry)
{
	if (strcmp(entry->kind, "library") == 0 && !entry->damage)
		++*(unsigned *)data;
	return true;
}

static void it_goes_with_the_cache(void **state)
{
	Kit *kit = *state;
	unsigned count = 0;
	Got one = put(kit, &usual);
	assert_int_equal(neso_cache_each(kit->context, count_library, &count, NULL), NESO_OK);
	assert_int_equal(count, 1);
	assert_int_equal(neso_cache_verify(kit->context, count_library, &count, NULL), NESO_OK);
	assert_string_equal(get(kit, &usual).path, one.path);
	assert_int_equal(neso_cache_clear(kit->context, NULL, NULL), NESO_OK);
	assert_false(*get(kit, &usual).path);
}

static void wrong_use_and_no_cache(void **state)
{
	Kit *kit = *state;
	neso_cache_library what = usual;
	what.version = NULL;
	assert_int_equal(get(kit, &what).status, NESO_ERROR_USAGE);
	what = usual;
	what.arguments = NULL;
	assert_int_equal(get(kit, &what).status, NESO_ERROR_USAGE);
	assert_int_equal(neso_cache_get_library(kit->context, &usual, NULL, NULL), NESO_ERROR_USAGE);
	char *path;
	assert_int_equal(neso_cache_put_library(kit->context, &usual, NULL, 4, &path, NULL), NESO_ERROR_USAGE);
	neso_context_options options = {.size = sizeof options, .cache_dir = ""};
	neso_context_free(kit->context);
	assert_int_equal(neso_context_new(&options, &kit->context, NULL), NESO_OK);
	assert_false(*get(kit, &usual).path);
	Got none = put(kit, &usual);
	assert_int_equal(none.status, NESO_ERROR_REFUSED);
	assert_non_null(strstr(none.said, "no compile cache"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(it_is_found_as_it_was_put, setup, teardown),
		cmocka_unit_test_setup_teardown(what_it_was_built_for_tells_it_apart, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_damaged_goes, setup, teardown),
		cmocka_unit_test_setup_teardown(what_others_could_change_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(it_goes_with_the_cache, setup, teardown),
		cmocka_unit_test_setup_teardown(wrong_use_and_no_cache, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
