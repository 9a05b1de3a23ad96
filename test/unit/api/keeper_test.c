/* Callers that keep compiled kernels themselves (neso_keeper): what they are given is what makes the next process's kernel, and what is
 * not what they were given makes none. */
#define _GNU_SOURCE
#include "unit.h"
#include "folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "neso/neso.h"

static const char source[] =
	"import triton\n"
	"import triton.language as tl\n"
	"\n"
	"@triton.jit\n"
	"def kernel(p, B: tl.constexpr):\n"
	"    tl.store(p + tl.arange(0, B), 1.0)\n";

typedef struct File {
	char name[16];
	char *bytes;
	size_t size;
} File;

/* Keeps one variant, and counts. */
typedef struct Shelf {
	File files[24];
	size_t count;
	char key[65], kernel[32];
	unsigned asked, gets, puts;
	bool absent;
} Shelf;

static bool is_active(void *data)
{
	Shelf *shelf = data;
	shelf->asked++;
	return !shelf->absent;
}

static void get(void *data, const neso_kept_request *request, neso_kept_answer *answer)
{
	Shelf *shelf = data;
	shelf->gets++;
	assert_int_equal(request->what, NESO_KEPT_VARIANT);
	for (size_t i = 0; i < shelf->count && strcmp(request->key, shelf->key) == 0; i++)
		neso_kept_give(answer, shelf->files[i].name, shelf->files[i].bytes, shelf->files[i].size);
}

static void clear(Shelf *shelf)
{
	for (size_t i = 0; i < shelf->count; i++)
		free(shelf->files[i].bytes);
	shelf->count = 0;
}

static void put(void *data, const neso_kept_request *request, const neso_cache_file *files, size_t count)
{
	Shelf *shelf = data;
	clear(shelf);
	shelf->puts++;
	snprintf(shelf->key, sizeof shelf->key, "%s", request->key);
	snprintf(shelf->kernel, sizeof shelf->kernel, "%s", request->kernel);
	for (size_t i = 0; i < count; i++) {
		File *f = &shelf->files[shelf->count++];
		snprintf(f->name, sizeof f->name, "%s", files[i].name);
		f->bytes = malloc(files[i].size + 1);
		f->size = files[i].size;
		memcpy(f->bytes, files[i].bytes, files[i].size);
	}
}

static File *file_of(Shelf *shelf, const char *name)
{
	for (size_t i = 0; i < shelf->count; i++)
		if (strcmp(shelf->files[i].name, name) == 0)
			return &shelf->files[i];
	return NULL;
}

static const char *cache_dir = "";
static const neso_cache_remote *behind;

static neso_status new_context(const neso_keeper *keeper, neso_context **context)
{
	neso_context_options options = {.size = sizeof options, .cache_dir = cache_dir, .keeper = keeper};
	return neso_context_new(&options, context, NULL);
}

static bool can_compile(const neso_context *context)
{
	const char *codegen = neso_context_info(context, "codegen"), *ptxas = neso_context_info(context, "ptxas");
	return codegen && strncmp(codegen, "none", 4) != 0 && ptxas && strncmp(ptxas, "none", 4) != 0;
}

/* How a new process gets the kernel: "hit", "miss", "off"; *code (may be NULL): of the first diagnostic. */
static const char *how(Shelf *shelf, const char **code)
{
	const neso_keeper keeper = {.size = sizeof keeper, .data = shelf, .active = is_active, .get = get, .put = put};
	static char result[8], first[32];
	neso_context *context;
	neso_module *module;
	neso_kernel *kernel;
	neso_variant *variant;
	neso_diagnostics *found;
	neso_compile_options options = {.size = sizeof options, .target = "sm_80"};
	assert_int_equal(new_context(&keeper, &context), NESO_OK);
	assert_int_equal(neso_cache_set_remote(context, behind, NULL), NESO_OK);
	if (!can_compile(context)) {
		neso_context_free(context);
		skip();
	}
	assert_int_equal(neso_module_load_text(context, "k.py", source, strlen(source), &module, NULL), NESO_OK);
	assert_int_equal(neso_module_find(module, "kernel", &kernel, NULL), NESO_OK);
	assert_int_equal(neso_kernel_compile(kernel, "*fp32:16, 64", &options, &variant, &found), NESO_OK);
	neso_variant_info info = {.size = sizeof info};
	assert_int_equal(neso_variant_get_info(variant, &info), NESO_OK);
	snprintf(result, sizeof result, "%s", info.cache);
	snprintf(first, sizeof first, "%s", neso_diagnostics_count(found) ? neso_diagnostics_get(found, 0)->code : "");
	if (code)
		*code = first;
	if (!shelf->absent)
		assert_string_equal(info.cache_key, shelf->key);
	char *text = NULL;
	assert_int_equal(neso_variant_text(variant, "ptx", &text, NULL), NESO_OK);
	assert_non_null(strstr(text, ".entry kernel"));
	neso_text_free(text);
	neso_diagnostics_free(found);
	neso_module_free(module);
	neso_context_free(context);
	return result;
}

static void it_is_asked_and_given(void **state)
{
	static const char *const names[] = {"key", "facts", "metadata", "cubin", "source", "ttir", "ttgir", "llir", "ptx", "digests"};
	Shelf shelf = {0};
	assert_string_equal(how(&shelf, NULL), "miss");
	assert_int_equal(shelf.gets, 1);
	assert_int_equal(shelf.puts, 1);
	assert_string_equal(shelf.kernel, "kernel");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		assert_non_null(file_of(&shelf, names[i]));
	assert_string_equal(how(&shelf, NULL), "hit");
	assert_int_equal(shelf.puts, 1);
	shelf.absent = true;
	assert_string_equal(how(&shelf, NULL), "off");
	assert_int_equal(shelf.gets, 2);
	assert_int_equal(shelf.asked, 3);
	clear(&shelf);
}

static void what_is_not_what_was_put_is_noticed(void **state)
{
	static const char *const names[] = {"facts", "cubin", "digests"};
	Shelf shelf = {0};
	const char *code;
	assert_string_equal(how(&shelf, NULL), "miss");
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (int cut = 0; cut < 2; cut++) {
			File *f = file_of(&shelf, names[i]);
			if (cut)
				f->size = i == 2 ? 0 : f->size / 2; /* half of the digests may hold all that is needed */
			else
				memset(f->bytes + f->size / 4, '0', f->size / 2);
			assert_string_equal(how(&shelf, &code), "miss");
			assert_string_equal(code, "CACHE_DAMAGED");
			assert_string_equal(how(&shelf, NULL), "hit");
		}
	clear(&shelf);
}

static int count_gets(void *data, const char *const *keys, const char *const *names, size_t count, neso_cache_give_fn *give, void *sink,
		      char *why, size_t why_size)
{
	(void)keys, (void)give, (void)sink, (void)why, (void)why_size;
	for (size_t i = 0; i < count; i++)
		*(unsigned *)data += strcmp(names[i], "variant") == 0 || strcmp(names[i], "cubin") == 0;
	return NESO_REMOTE_OK;
}

/* Nor is the cache asked for the stages of a hit. */
static void the_cache_is_not_asked(void **state)
{
	unsigned gets = 0;
	Shelf shelf = {0};
	char folder[200], command[220];
	const neso_cache_remote remote = {.size = sizeof remote, .name = "the test's", .data = &gets, .get_many = count_gets};
	assert_non_null(test_folder(folder, sizeof folder, "keeper"));
	cache_dir = folder;
	behind = &remote;
	assert_string_equal(how(&shelf, NULL), "miss");
	assert_string_equal(how(&shelf, NULL), "hit");
	assert_int_equal(gets, 0);
	cache_dir = "";
	behind = NULL;
	clear(&shelf);
	snprintf(command, sizeof command, "rm -rf '%s'", folder);
	assert_int_equal(system(command), 0);
}

static void a_keeper_has_get_and_put(void **state)
{
	neso_context *context;
	neso_keeper keeper = {.size = sizeof keeper, .get = get};
	assert_int_equal(new_context(&keeper, &context), NESO_ERROR_USAGE);
	assert_null(context);
	keeper.put = put;
	assert_int_equal(new_context(&keeper, &context), NESO_OK);
	neso_context_free(context);
	neso_kept_give(NULL, "x", "", 0);
}

int main(void)
{
	if (getenv("NESO_BUILD"))
		setenv("NESO_CODEGEN_PATH", getenv("NESO_BUILD"), 0);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_asked_and_given),
		cmocka_unit_test(what_is_not_what_was_put_is_noticed),
		cmocka_unit_test(the_cache_is_not_asked),
		cmocka_unit_test(a_keeper_has_get_and_put),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
