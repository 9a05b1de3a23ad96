/* Settings: what the environment says, types, presets, names that are like others. */
#include "unit.h"

#include <stdlib.h>

#include "base/option/option.h"

static void values_are_of_their_type(void **state)
{
	const char *from = NULL;
	unsetenv("NESO_THREADS");
	assert_null(option_given(OPTION_THREADS, &from));
	assert_int_equal(option_number(OPTION_THREADS), 0);
	setenv("NESO_THREADS", "12", 1);
	assert_string_equal(option_given(OPTION_THREADS, &from), "12");
	assert_string_equal(from, "NESO_THREADS");
	assert_int_equal(option_number(OPTION_THREADS), 12);
	static const char *const wrong[] = {"", "x", "3x", "-1", " "};
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		setenv("NESO_THREADS", wrong[i], 1);
		assert_null(option_given(OPTION_THREADS, NULL));
		assert_string_equal(option_text(OPTION_THREADS), "0");
	}
	unsetenv("NESO_THREADS");
	setenv("NESO_CACHE_MAX_SIZE", "1.5k", 1);
	assert_int_equal(option_number(OPTION_CACHE_SIZE), 1536);
	setenv("NESO_CACHE_MAX_SIZE", "1.5q", 1);
	assert_true(option_number(OPTION_CACHE_SIZE) == UINT64_C(5) << 30);
	unsetenv("NESO_CACHE_MAX_SIZE");
	setenv("NESO_CONSTEXPR_POLICY", "generic", 1);
	assert_string_equal(option_text(OPTION_CONSTEXPR_POLICY), "generic");
	setenv("NESO_CONSTEXPR_POLICY", "gen", 1);
	assert_string_equal(option_text(OPTION_CONSTEXPR_POLICY), "eager");
	unsetenv("NESO_CONSTEXPR_POLICY");
}

static void truth_is_spelt_as_upstream_has_it(void **state)
{
	static const char *const on[] = {"1", "true", "TRUE", "On", "yes", "Y"}, *const off[] = {"0", "false", "no", "2", "truely", "t"};
	for (size_t i = 0; i < ARRAY_LEN(on); i++) {
		setenv("DISABLE_PTXAS_OPT", on[i], 1);
		assert_true(option_is_on(OPTION_PTXAS_OPT));
		setenv("DISABLE_PTXAS_OPT", off[i], 1);
		assert_false(option_is_on(OPTION_PTXAS_OPT));
	}
	unsetenv("DISABLE_PTXAS_OPT");
	assert_false(option_is_on(OPTION_PTXAS_OPT));
	assert_true(option_is_on(OPTION_FP_FUSION));
}

static void a_second_name_comes_second(void **state)
{
	const char *from = NULL;
	setenv("NESO_PTXAS", "/b", 1);
	unsetenv("TRITON_PTXAS_PATH");
	assert_string_equal(option_given(OPTION_PTXAS, &from), "/b");
	assert_string_equal(from, "NESO_PTXAS");
	setenv("TRITON_PTXAS_PATH", "/a", 1);
	assert_string_equal(option_given(OPTION_PTXAS, &from), "/a");
	setenv("TRITON_PTXAS_PATH", "", 1);
	assert_string_equal(option_given(OPTION_PTXAS, &from), "/b");
	unsetenv("NESO_PTXAS");
	unsetenv("TRITON_PTXAS_PATH");
}

static void names_are_known_or_near(void **state)
{
	static const char *const rows[][2] = {
		{"TRITON_PTXS_PATH", "TRITON_PTXAS_PATH"}, {"NESO_CACHE_DIR", "TRITON_CACHE_DIR"}, {"TRITON_TARGET", "NESO_TARGET"},
		{"NESO_LOG", "NESO_LOG_COMPILES"},	   {"TRITON_SOMETHING_ELSE", NULL},	   {"NESO_", NULL},
	};
	const char *near;
	for (int id = 0; id < OPTION__COUNT; id++)
		assert_true(option_known(option_info((OptionId)id)->variable, &near));
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		near = NULL;
		assert_false(option_known(rows[i][0], &near));
		if (rows[i][1])
			assert_string_equal(near, rows[i][1]);
		else
			assert_null(near);
	}
}

/* Every row can be shown and found; presets are of their type. */
static void rows_are_whole(void **state)
{
	for (int id = 0; id < OPTION__COUNT; id++) {
		const OptionInfo *o = option_info((OptionId)id);
		uint64_t bytes;
		assert_non_null(strchr(o->name, '.'));
		assert_true(strlen(o->doc) > 10);
		if (o->type == OPTION_SIZE)
			assert_true(option_read_size(o->preset, &bytes));
		for (int k = 0; k < id; k++) {
			assert_string_not_equal(o->name, option_info((OptionId)k)->name);
			assert_string_not_equal(o->variable, option_info((OptionId)k)->variable);
		}
	}
}

static void the_environment_is_checked(void **state)
{
	Arena arena;
	DiagList diags;
	Text text;
	arena_init(&arena, 0);
	diag_init(&diags, &arena, NULL);
	option_check(&diags);
	assert_null(diags.first);
	setenv("TRITON_DEBUGG", "1", 1);
	setenv("NESO_THREADS", "many", 1);
	option_check(&diags);
	unsetenv("TRITON_DEBUGG");
	unsetenv("NESO_THREADS");
	text_init(&text, &arena);
	diag_render_all(&text, &diags);
	assert_string_equal(text.data, /* DIAG_SETTING_UNKNOWN, DIAG_SETTING_VALUE */
			    "warning: the environment variable TRITON_DEBUGG means nothing here; did you mean TRITON_DEBUG?\n"
			    "warning: the environment's NESO_THREADS is 'many', which is no int (threads of a launch on the CPU; 0: one "
			    "per processor): taken as not set, '0'\n");
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_of_their_type),
		cmocka_unit_test(truth_is_spelt_as_upstream_has_it),
		cmocka_unit_test(a_second_name_comes_second),
		cmocka_unit_test(names_are_known_or_near),
		cmocka_unit_test(rows_are_whole),
		cmocka_unit_test(the_environment_is_checked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
