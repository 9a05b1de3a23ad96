/* Loading libneso-codegen.so: where it is looked for, and what is said when it cannot be taken. */
#include "unit.h"
#include "folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os.h"
#include "jit/codegen_load.h"

typedef struct Kit {
	Arena arena;
	SourceSet sources;
	DiagList diags;
} Kit;

static int set_up(void **state)
{
	Kit *kit = calloc(1, sizeof *kit);
	arena_init(&kit->arena, 0);
	source_set_init(&kit->sources, &kit->arena);
	diag_init(&kit->diags, &kit->arena, &kit->sources);
	*state = kit;
	return 0;
}

static int tear_down(void **state)
{
	Kit *kit = *state;
	arena_free(&kit->arena);
	free(kit);
	unsetenv("NESO_CODEGEN_PATH");
	return 0;
}

static void says_where_it_looked(void **state)
{
	Kit *kit = *state;
	setenv("NESO_CODEGEN_PATH", "/nowhere/libneso-codegen.so", 1);
	assert_null(codegen_load(&kit->diags));
	assert_int_equal(kit->diags.errors, 1);
	assert_int_equal(kit->diags.first->code, DIAG_CODEGEN_MISSING);
	assert_non_null(strstr(kit->diags.first->text, "/nowhere/libneso-codegen.so"));
}

static void refuses_what_is_no_library(void **state)
{
	Kit *kit = *state;
	setenv("NESO_CODEGEN_PATH", NESO_SOURCE_DIR "/README.md", 1);
	assert_null(codegen_load(&kit->diags));
	assert_int_equal(kit->diags.first->code, DIAG_CODEGEN_MISSING);
	assert_non_null(strstr(kit->diags.first->text, "README.md"));
}

/* A library of another version, made here: a table with another number. */
static void refuses_another_version(void **state)
{
	Kit *kit = *state;
	char folder[64];
	assert_non_null(test_folder(folder, sizeof folder, "codegen"));
	char *source = arena_printf(&kit->arena, "%s/other.c", folder), *out = arena_printf(&kit->arena, "%s/other.so", folder);
	const char *error, *code = arena_printf(&kit->arena,
		"struct { unsigned abi; const char *version; } neso_codegen_table = {%d, \"0.0.0\"};\n", (int)CODEGEN_ABI);
	assert_true(os_write_file(&kit->arena, source, str_of(code), &error));
	if (system(arena_printf(&kit->arena, "cc -shared -fPIC -o %s %s 2>/dev/null", out, source)) != 0) {
		remove(source);
		skip();
	}
	setenv("NESO_CODEGEN_PATH", out, 1);
	assert_null(codegen_load(&kit->diags));
	remove(source);
	remove(out);
	assert_int_equal(kit->diags.first->code, DIAG_CODEGEN_VERSION);
	assert_non_null(strstr(kit->diags.first->text, "0.0.0"));
}

/* The one of this build, by its folder, twice; it compiles. */
static void loads_the_one_of_this_build(void **state)
{
	Kit *kit = *state;
	const char *build = getenv("NESO_BUILD");
	if (!build || !os_is_file(os_path_join(&kit->arena, build, "libneso-codegen.so")))
		skip();
	setenv("NESO_CODEGEN_PATH", build, 1);
	const CodegenTable *table = codegen_load(&kit->diags);
	assert_non_null(table);
	assert_ptr_equal(codegen_load(&kit->diags), table);
	assert_true(table->passes().count > 10);
	CodegenRequest request = {.from = CODEGEN_TTIR, .to = CODEGEN_PTX, .text = "module {\n  x\n}\n", .len = 15, .path = "bad.ttir",
				  .target = "sm_80"};
	CodegenResult *r = table->compile(&request);
	assert_non_null(r);
	assert_false(codegen_take_diags(r, &kit->diags));
	assert_string_equal(kit->diags.first->path, "bad.ttir");
	assert_int_equal(kit->diags.first->from.line, 2);
	table->free(r);
}

static void takes_diagnostics_over(void **state)
{
	Kit *kit = *state;
	const CodegenDiag diags[] = {
		{.severity = DIAG_ERROR, .code = "CODEGEN_LLVM", .path = "a.py", .line = 3, .col = 5, .text = "first"},
		{.severity = DIAG_NOTE, .code = "CODEGEN_LLVM", .path = "b.py", .line = 7, .col = 1, .text = "from %s"},
		{.severity = DIAG_ERROR, .code = "NEVER_HEARD_OF", .text = "second"},
	};
	CodegenResult result = {.diags = diags, .diag_count = 3};
	assert_false(codegen_take_diags(&result, &kit->diags));
	const Diag *d = kit->diags.first;
	assert_int_equal(d->code, DIAG_CODEGEN_LLVM);
	assert_string_equal(d->text, "first");
	assert_int_equal(d->from.col, 5);
	assert_string_equal(d->notes->text, "from %s");
	assert_int_equal(d->next->code, DIAG_INTERNAL);
	assert_string_equal(d->next->text, "second");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(says_where_it_looked, set_up, tear_down),
		cmocka_unit_test_setup_teardown(refuses_what_is_no_library, set_up, tear_down),
		cmocka_unit_test_setup_teardown(refuses_another_version, set_up, tear_down),
		cmocka_unit_test_setup_teardown(loads_the_one_of_this_build, set_up, tear_down),
		cmocka_unit_test_setup_teardown(takes_diagnostics_over, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
