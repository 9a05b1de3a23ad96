/* What a program's resolver tells is in the key as it was told to the lowering; what changes in between is not kept. */
#include "unit.h"
#include "folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "neso/neso.h"

static const char source[] =
	"import triton\n"
	"import triton.language as tl\n"
	"\n"
	"@triton.jit\n"
	"def kernel(p, B: tl.constexpr):\n"
	"    i = tl.arange(0, B)\n"
	"    tl.store(p + i, act(tl.load(p + i)) * SCALE)\n";

typedef struct Kit {
	char dir[64];
	const char *scale[2]; /* its first answer, and those that follow */
	const char *act;      /* source of the function */
	unsigned asked;       /* of SCALE, in this context */
	bool able;
} Kit;

static bool resolve(void *data, const neso_name_request *request, neso_value *value)
{
	Kit *kit = data;
	if (strcmp(request->name, "SCALE") == 0) {
		value->kind = NESO_VALUE_EXPR;
		value->text = kit->scale[kit->asked++ > 0];
		return true;
	}
	if (strcmp(request->name, "act") != 0)
		return false;
	value->kind = NESO_VALUE_FUNCTION;
	value->path = "act.py";
	value->source = kit->act;
	value->text = "act";
	return true;
}

/* How a new process gets the kernel: "hit", "miss", "off". */
static const char *compile(Kit *kit, char **ptx)
{
	static char how[8];
	char dir[96];
	neso_context *context;
	neso_module *module;
	neso_kernel *kernel;
	neso_variant *variant;
	neso_diagnostics *found = NULL;
	snprintf(dir, sizeof dir, "%s/cache", kit->dir);
	neso_context_options options = {.size = sizeof options, .cache_dir = dir, .resolve = resolve, .resolve_data = kit};
	neso_compile_options compile_options = {.size = sizeof compile_options, .target = "sm_80"};
	kit->asked = 0;
	assert_int_equal(neso_context_new(&options, &context, NULL), NESO_OK);
	assert_int_equal(neso_module_load_text(context, "k.py", source, strlen(source), &module, NULL), NESO_OK);
	assert_int_equal(neso_module_find(module, "kernel", &kernel, NULL), NESO_OK);
	neso_status status = neso_kernel_compile(kernel, "*fp32:16, 64", &compile_options, &variant, &found);
	if (status != NESO_OK)
		print_error("%s\n", neso_diagnostics_text(found));
	assert_int_equal(status, NESO_OK);
	neso_variant_info info = {.size = sizeof info};
	assert_int_equal(neso_variant_get_info(variant, &info), NESO_OK);
	snprintf(how, sizeof how, "%s", info.cache);
	assert_int_equal(neso_variant_text(variant, "ptx", ptx, NULL), NESO_OK);
	neso_diagnostics_free(found);
	neso_module_free(module);
	neso_context_free(context);
	return how;
}

static int setup(void **state)
{
	static Kit kit;
	kit = (Kit){.scale = {"tl.constexpr(2.0)", "tl.constexpr(2.0)"}};
	kit.act = "import triton\n@triton.jit\ndef act(v):\n    return v + 5.0\n";
	*state = &kit;
	neso_context *context;
	if (!test_folder(kit.dir, sizeof kit.dir, "jit-key") ||
	    neso_context_new(NULL, &context, NULL) != NESO_OK)
		return -1;
	const char *codegen = neso_context_info(context, "codegen"), *ptxas = neso_context_info(context, "ptxas");
	kit.able = codegen && strncmp(codegen, "none", 4) != 0 && ptxas && strncmp(ptxas, "none", 4) != 0;
	neso_context_free(context);
	return 0;
}

static int teardown(void **state)
{
	Kit *kit = *state;
	char command[160];
	snprintf(command, sizeof command, "rm -rf '%s'", kit->dir);
	return system(command);
}

static void expect(Kit *kit, const char *how, const char *in_ptx)
{
	char *ptx;
	assert_string_equal(compile(kit, &ptx), how);
	if (!strstr(ptx, in_ptx))
		print_error("no %s in\n%s\n", in_ptx, ptx);
	assert_non_null(strstr(ptx, in_ptx));
	neso_text_free(ptx);
}

static void answers_are_in_the_key(void **state)
{
	Kit *kit = *state;
	if (!kit->able)
		skip();
	expect(kit, "miss", "0f40A00000"); /* 5 */
	expect(kit, "hit", "0f40A00000");
	kit->scale[0] = kit->scale[1] = "tl.constexpr(3.0)";
	expect(kit, "miss", "0f40400000"); /* 3 */
	kit->act = "import triton\n@triton.jit\ndef act(v):\n    return v + 7.0\n";
	expect(kit, "miss", "0f40E00000"); /* 7 */
	kit->act = "import triton\n\n# moved\n@triton.jit\ndef act(v):\n    return v + 7.0  # the same\n";
	expect(kit, "hit", "0f40E00000");
}

static void what_changes_meanwhile_is_not_kept(void **state)
{
	Kit *kit = *state;
	if (!kit->able)
		skip();
	kit->scale[1] = "tl.constexpr(3.0)";
	expect(kit, "off", "0f40400000"); /* the lowering was told 3, the key 2 */
	kit->scale[1] = "tl.constexpr(2.0)";
	expect(kit, "miss", "0f40A00000");
	kit->scale[0] = kit->scale[1] = "tl.constexpr(3.0)";
	expect(kit, "miss", "0f40400000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(answers_are_in_the_key, setup, teardown),
		cmocka_unit_test_setup_teardown(what_changes_meanwhile_is_not_kept, setup, teardown),
	};
	if (getenv("NESO_BUILD"))
		setenv("NESO_CODEGEN_PATH", getenv("NESO_BUILD"), 0);
	unsetenv("TRITON_CACHE_DIR");
	unsetenv("NESO_CACHE_STRICT");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
