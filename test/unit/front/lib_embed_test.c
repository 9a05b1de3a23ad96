/* The embedded library is the files of lib/, byte for byte. */
#include "unit.h"

#include "base/os.h"
#include "front/names/lib_embed.h"

static void embedded_files_are_those_of_lib(void **state)
{
	Arena arena;
	arena_init(&arena, 0);
	assert_in_range(front_lib_count, 1, 100);
	for (size_t i = 0; i < front_lib_count; i++) {
		const FrontLibFile *file = &front_lib_files[i];
		const char *error;
		Str bytes;
		assert_true(os_read_file(&arena, arena_printf(&arena, NESO_SOURCE_DIR "/lib/%s.py", file->name), &bytes, &error));
		assert_int_equal(bytes.len, file->len);
		assert_memory_equal(bytes.ptr, file->text, bytes.len);
		assert_int_equal(file->text[file->len], 0);
	}
	assert_null(front_lib_files[front_lib_count].name);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(embedded_files_are_those_of_lib),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
