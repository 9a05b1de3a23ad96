/* The compile cache as a user of neso.h meets it: what hits, what misses, and that trouble with it stops nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "neso/neso.h"

static const char source[] =
	"import os\n"
	"import triton\n"
	"import triton.language as tl\n"
	"\n"
	"SCALE = tl.constexpr(2)\n"
	"\n"
	"@triton.jit\n"
	"def helper(x):\n"
	"    return x * SCALE\n"
	"\n"
	"@triton.jit\n"
	"def other(p, B: tl.constexpr):\n"
	"    tl.store(p + tl.arange(0, B), 1.0)\n"
	"\n"
	"@triton.jit\n"
	"def kernel(p, q, n, B: tl.constexpr):\n"
	"    i = tl.program_id(0) * B + tl.arange(0, B)\n"
	"    tl.store(q + i, helper(tl.load(p + i, mask=i < n)), mask=i < n)\n";

typedef struct Kit {
	char dir[64];
	char ptxas[96]; /* a script that counts its runs */
	neso_context *context;
} Kit;

static const char *real_ptxas(void)
{
	static char path[512];
	neso_context *context;
	assert_int_equal(neso_context_new(NULL, &context, NULL), NESO_OK);
	const char *codegen = neso_context_info(context, "codegen"), *ptxas = neso_context_info(context, "ptxas");
	bool there = codegen && strncmp(codegen, "none", 4) != 0 && ptxas && strncmp(ptxas, "none", 4) != 0;
	path[0] = '\0';
	FILE *which = popen("command -v ptxas || ls ${CUDA_HOME:-/usr/local/cuda}/bin/ptxas 2>/dev/null", "r");
	if (fscanf(which, "%511s", path) != 1)
		there = false;
	pclose(which);
	neso_context_free(context);
	return there ? path : NULL;
}

static int setup(void **state)
{
	const char *ptxas = real_ptxas();
	Kit *kit = calloc(1, sizeof *kit);
	*state = kit;
	snprintf(kit->dir, sizeof kit->dir, "/tmp/neso-jit-cache-XXXXXX");
	if (!mkdtemp(kit->dir))
		return -1;
	if (!ptxas)
		return 0;
	snprintf(kit->ptxas, sizeof kit->ptxas, "%s/ptxas", kit->dir);
	FILE *file = fopen(kit->ptxas, "w");
	fprintf(file, "#!/bin/sh\necho \"$1\" >>%s/runs\nexec %s \"$@\"\n", kit->dir, ptxas);
	fclose(file);
	chmod(kit->ptxas, 0700);
	unsetenv("TRITON_CACHE_DIR");
	return 0;
}

static int teardown(void **state)
{
	Kit *kit = *state;
	char command[160];
	neso_context_free(kit->context);
	snprintf(command, sizeof command, "rm -rf '%s'", kit->dir);
	assert_int_equal(system(command), 0);
	free(kit);
	return 0;
}

/* A context as a new process would have it. */
static void fresh(Kit *kit)
{
	char dir[96];
	if (!*kit->ptxas)
		skip();
	snprintf(dir, sizeof dir, "%s/cache", kit->dir);
	neso_context_options options = {.size = sizeof options, .cache_dir = dir, .ptxas = kit->ptxas};
	neso_context_free(kit->context);
	assert_int_equal(neso_context_new(&options, &kit->context, NULL), NESO_OK);
}

/* How often ptxas compiled, and was asked for its version, since the last call. */
static void runs(Kit *kit, unsigned *compiled, unsigned *asked)
{
	char path[96], line[256];
	snprintf(path, sizeof path, "%s/runs", kit->dir);
	*compiled = *asked = 0;
	FILE *file = fopen(path, "r");
	if (!file)
		return;
	while (fgets(line, sizeof line, file)) {
		*asked += strstr(line, "--version") != NULL;
		*compiled += strstr(line, "--version") == NULL;
	}
	fclose(file);
	unlink(path);
}

typedef struct Made {
	char how[8], key[65], warnings[1024];
	char *texts[5];
	unsigned ptxas, asked, registers, shared;
} Made;
static const char *const stages[5] = {"ttir", "ttgir", "llir", "ptx", "source"};

static void made_free(Made *made)
{
	for (int i = 0; i < 5; i++)
		neso_text_free(made->texts[i]);
}

static Made make(Kit *kit, const char *path, const char *text, const char *kernel_name, const char *signature, bool texts)
{
	Made made;
	memset(&made, 0, sizeof made);
	neso_module *module;
	neso_kernel *kernel;
	neso_variant *variant;
	neso_diagnostics *found;
	neso_compile_options options = {.size = sizeof options, .target = "sm_80"};
	fresh(kit);
	assert_int_equal(neso_module_load_text(kit->context, path, text, strlen(text), &module, NULL), NESO_OK);
	assert_int_equal(neso_module_find(module, kernel_name, &kernel, NULL), NESO_OK);
	neso_status status = neso_kernel_compile(kernel, signature, &options, &variant, &found);
	snprintf(made.warnings, sizeof made.warnings, "%s", neso_diagnostics_text(found));
	if (status != NESO_OK)
		print_error("%s\n", made.warnings);
	assert_int_equal(status, NESO_OK);
	neso_variant_info info = {.size = sizeof info};
	assert_int_equal(neso_variant_get_info(variant, &info), NESO_OK);
	snprintf(made.how, sizeof made.how, "%s", info.cache);
	snprintf(made.key, sizeof made.key, "%s", info.cache_key ? info.cache_key : "");
	made.registers = info.registers;
	made.shared = info.shared;
	for (int i = 0; texts && i < 5; i++)
		assert_int_equal(neso_variant_text(variant, stages[i], &made.texts[i], NULL), NESO_OK);
	runs(kit, &made.ptxas, &made.asked);
	neso_diagnostics_free(found);
	neso_module_free(module);
	return made;
}

static Made simple(Kit *kit, const char *text)
{
	return make(kit, "k.py", text, "kernel", "*fp32:16, *fp32:16, i32, 64", false);
}

/* The source with one piece changed. */
static char *changed(const char *from, const char *to)
{
	const char *at = strstr(source, from);
	assert_non_null(at);
	size_t size = strlen(source) + strlen(to) + 1;
	char *text = malloc(size);
	snprintf(text, size, "%.*s%s%s", (int)(at - source), source, to, at + strlen(from));
	return text;
}

static Made with(Kit *kit, const char *from, const char *to)
{
	char *text = changed(from, to);
	Made made = simple(kit, text);
	free(text);
	return made;
}

/* ---- hits ---- */

static void a_new_process_finds_it(void **state)
{
	Kit *kit = *state;
	Made first = make(kit, "k.py", source, "kernel", "*fp32:16, *fp32:16, i32, 64", true);
	assert_string_equal(first.how, "miss");
	assert_int_equal(first.ptxas, 1);
	assert_int_equal(first.asked, 1);
	Made again = make(kit, "k.py", source, "kernel", "*fp32:16, *fp32:16, i32, 64", true);
	assert_string_equal(again.how, "hit");
	assert_string_equal(again.key, first.key);
	assert_int_equal(again.ptxas + again.asked, 0);
	assert_int_equal(again.registers, first.registers);
	assert_int_equal(again.shared, first.shared);
	for (int i = 0; i < 5; i++)
		assert_string_equal(again.texts[i], first.texts[i]);
	made_free(&first);
	made_free(&again);
}

static void what_does_not_matter_does_not(void **state)
{
	Kit *kit = *state;
	assert_string_equal(simple(kit, source).how, "miss");
	assert_string_equal(with(kit, "import os\n", "import os\nx = 1\n\n\n\ndef host():\n    pass\n").how, "hit");
	assert_string_equal(with(kit, "    return x", "    # twice\n    return    x").how, "hit");
	assert_string_equal(with(kit, "    return x", "    '''Doubles it.'''\n    return (x)").how, "hit");
	assert_string_equal(with(kit, "    tl.store(p + tl.arange(0, B), 1.0)", "    tl.store(p + tl.arange(0, B), 3.0)").how, "hit");
	assert_string_equal(make(kit, "/elsewhere/name.py", source, "kernel", "*fp32:16, *fp32:16, i32, 64", false).how, "hit");
}

static void what_matters_does(void **state)
{
	Kit *kit = *state;
	assert_string_equal(simple(kit, source).how, "miss");
	assert_string_equal(make(kit, "k.py", source, "other", "*fp32:16, 64", false).how, "miss");
	assert_string_equal(with(kit, "constexpr(2)", "constexpr(3)").how, "miss");
	assert_string_equal(with(kit, "return x *", "return x +").how, "miss");
	assert_string_equal(with(kit, "i < n)), mask", "i <= n)), mask").how, "miss");
	assert_string_equal(make(kit, "k.py", source, "kernel", "*fp32:16, *fp32:16, i32:16, 64", false).how, "miss");
	assert_string_equal(make(kit, "k.py", source, "kernel", "*fp16:16, *fp32:16, i32, 64", false).how, "miss");
	assert_string_equal(make(kit, "k.py", source, "kernel", "*fp32:16, *fp32:16, i32, 128", false).how, "miss");
	/* Another kernel of the file does not read what was changed. */
	char *text = changed("constexpr(2)", "constexpr(3)");
	assert_string_equal(make(kit, "k.py", text, "other", "*fp32:16, 64", false).how, "hit");
	free(text);
	assert_string_equal(simple(kit, source).how, "hit");
}

/* Other names of local variables are another key, and the same PTX. */
static void equal_ptx_is_assembled_once(void **state)
{
	Kit *kit = *state;
	assert_int_equal(simple(kit, source).ptxas, 1);
	char *text = changed("def helper(x):\n    return x *", "def helper(z):\n    return z *");
	Made made = simple(kit, text);
	free(text);
	assert_string_equal(made.how, "miss");
	assert_int_equal(made.ptxas, 0);
}

/* ---- switches ---- */

static void the_environment_switches_it(void **state)
{
	Kit *kit = *state;
	setenv("TRITON_DISABLE_CACHE", "1", 1);
	assert_string_equal(simple(kit, source).how, "off");
	unsetenv("TRITON_DISABLE_CACHE");
	assert_string_equal(simple(kit, source).how, "miss");
	setenv("TRITON_ALWAYS_COMPILE", "1", 1);
	Made made = simple(kit, source);
	assert_string_equal(made.how, "miss");
	assert_int_equal(made.ptxas, 1);
	unsetenv("TRITON_ALWAYS_COMPILE");
	assert_string_equal(simple(kit, source).how, "hit");
	setenv("NESO_CACHE_POSITION", "1", 1);
	assert_string_equal(simple(kit, source).how, "miss");
	assert_string_equal(with(kit, "import os\n", "import os\n\n").how, "miss");
	unsetenv("NESO_CACHE_POSITION");
	assert_string_equal(with(kit, "import os\n", "import os\n\n").how, "hit");
}

/* Texts are made again where they are not kept. */
static void binaries_alone_can_be_kept(void **state)
{
	Kit *kit = *state;
	setenv("TRITON_STORE_BINARY_ONLY", "1", 1);
	Made first = make(kit, "k.py", source, "kernel", "*fp32:16, *fp32:16, i32, 64", true);
	Made again = make(kit, "k.py", source, "kernel", "*fp32:16, *fp32:16, i32, 64", true);
	unsetenv("TRITON_STORE_BINARY_ONLY");
	assert_string_equal(again.how, "hit");
	for (int i = 0; i < 5; i++)
		assert_string_equal(again.texts[i], first.texts[i]);
	assert_int_equal(again.ptxas, 0);
	made_free(&first);
	made_free(&again);
}

/* ---- trouble ---- */

static void damage(Kit *kit, const char *kind, const char *what)
{
	char command[256];
	snprintf(command, sizeof command, "for f in '%s'/cache/neso-1/%s/*/*; do %s; done", kit->dir, kind, what);
	assert_int_equal(system(command), 0);
}

static void damaged_entries_are_made_again(void **state)
{
	Kit *kit = *state;
	simple(kit, source);
	damage(kit, "variant", "printf x | dd of=\"$f\" bs=1 seek=2000 conv=notrunc 2>/dev/null");
	damage(kit, "cubin", "printf xyz >\"$f\"");
	Made made = simple(kit, source);
	assert_string_equal(made.how, "miss");
	assert_int_equal(made.ptxas, 1);
	assert_non_null(strstr(made.warnings, "of the compile cache is damaged: "));
	assert_non_null(strstr(made.warnings, "it is made again"));
	made = simple(kit, source);
	assert_string_equal(made.how, "hit");
	assert_string_equal(made.warnings, "");
}

static void trouble_is_told_once(void **state)
{
	Kit *kit = *state;
	char path[96];
	simple(kit, source);
	snprintf(path, sizeof path, "%s/cache/neso-1", kit->dir);
	chmod(path, 0777);
	Made made = simple(kit, source);
	assert_string_equal(made.how, "miss");
	assert_non_null(strstr(made.warnings, "is not used, as others can write to it")); /* DIAG_CACHE_OPEN */
	assert_ptr_equal(strstr(strstr(made.warnings, "others can write to it") + 1, "warning:"), NULL);
	damage(kit, "..", "true");
	char command[160];
	snprintf(command, sizeof command, "rm -rf '%s/cache' && touch '%s/cache'", kit->dir, kit->dir);
	assert_int_equal(system(command), 0);
	made = simple(kit, source); /* DIAG_CACHE_UNUSABLE */
	assert_string_equal(made.how, "miss");
	assert_non_null(strstr(made.warnings, "cannot be used: Not a directory; results are kept in memory alone"));
	setenv("NESO_CACHE_MAX_SIZE", "many", 1);
	made = simple(kit, source); /* DIAG_CACHE_VARIABLE, DIAG_CACHE_DAMAGED above */
	assert_non_null(strstr(made.warnings, "NESO_CACHE_MAX_SIZE is 'many', which is no number; the preset is used"));
	unsetenv("NESO_CACHE_MAX_SIZE");
}

int main(void)
{
	if (getenv("NESO_BUILD"))
		setenv("NESO_CODEGEN_PATH", getenv("NESO_BUILD"), 0);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_new_process_finds_it, setup, teardown),
		cmocka_unit_test_setup_teardown(what_does_not_matter_does_not, setup, teardown),
		cmocka_unit_test_setup_teardown(what_matters_does, setup, teardown),
		cmocka_unit_test_setup_teardown(equal_ptx_is_assembled_once, setup, teardown),
		cmocka_unit_test_setup_teardown(the_environment_switches_it, setup, teardown),
		cmocka_unit_test_setup_teardown(binaries_alone_can_be_kept, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged_entries_are_made_again, setup, teardown),
		cmocka_unit_test_setup_teardown(trouble_is_told_once, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
