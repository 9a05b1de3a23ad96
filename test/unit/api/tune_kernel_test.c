/* Tuning a kernel through the public API, in the interpreter by a made-up clock; files of choices.
 */
#include "unit.h"
#include "folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <neso/tune.h>

enum { N = 100, COUNT = 3 };

static const char source[] = "import triton\n"
			     "import triton.language as tl\n"
			     "@triton.jit\n"
			     "def add(x, sums, n, BLOCK: tl.constexpr):\n"
			     "    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
			     "    tl.store(x + at, tl.load(x + at, at < n) + 1, at < n)\n"
			     "    tl.atomic_add(sums, 1.0)\n";

typedef struct Kit {
	neso_context *context;
	neso_module *module;
	neso_kernel *kernel;
	float x[N], sums;
	neso_arg args[COUNT][4];
	neso_launch launches[COUNT];
	neso_compile_options options;
	double times[COUNT];
	float seen; /* what the runs found in sums, at most */
	int runs;
} Kit;

static void kit_open(Kit *k)
{
	memset(k, 0, sizeof *k);
	neso_compile_options_init(&k->options);
	assert_int_equal(neso_context_new(NULL, &k->context, NULL), NESO_OK);
	assert_int_equal(neso_module_load_text(k->context, "add.py", source, strlen(source),
					       &k->module, NULL),
			 NESO_OK);
	k->kernel = neso_module_kernel(k->module, 0);
	for (int i = 0; i < N; i++)
		k->x[i] = 5;
	for (int i = 0; i < COUNT; i++) {
		int block = 16 << i;
		k->args[i][0] = neso_arg_buffer("x", NESO_FP32, k->x, sizeof k->x, NESO_READ_WRITE);
		k->args[i][1] = neso_arg_buffer("sums", NESO_FP32, &k->sums, sizeof k->sums,
						NESO_READ_WRITE);
		k->args[i][2] = neso_arg_int("n", N);
		k->args[i][3] = neso_arg_int("BLOCK", block);
		k->launches[i] =
			neso_launch_of(k->args[i], 4, (uint32_t)((N + block - 1) / block), 1, 1);
		k->launches[i].options = &k->options;
	}
}

static void kit_close(Kit *k)
{
	neso_module_free(k->module);
	neso_context_free(k->context);
}

static double run_time(void *data, size_t candidate)
{
	Kit *k = data;
	k->runs++;
	k->seen = k->sums > k->seen ? k->sums : k->seen;
	assert_true(k->x[0] == 6); /* each run began with what was there before */
	return k->times[candidate];
}

static void arrays_are_put_back(void **state)
{
	(void)state;
	static const char *const restore[] = {"x"}, *const zero[] = {"sums"};
	Kit k;
	kit_open(&k);
	k.times[0] = 2e-5;
	k.times[1] = 1e-5;
	k.times[2] = 1.2e-5;
	neso_tune_options options;
	neso_tune_options_init(&options);
	options.restore = restore;
	options.zero = zero;
	options.restore_count = options.zero_count = 1;
	options.run_time = run_time;
	options.data = &k;
	neso_tuning *tuning;
	assert_int_equal(neso_tune_kernel(k.kernel, k.launches, COUNT, &options, &tuning, NULL),
			 NESO_OK);
	neso_tune_summary summary = {.size = sizeof summary};
	assert_int_equal(neso_tuning_get_summary(tuning, &summary), NESO_OK);
	assert_int_equal(summary.chosen, 1);
	assert_true(summary.settled && summary.count == COUNT && summary.rounds >= 5);
	neso_tune_candidate found = {.size = sizeof found};
	assert_int_equal(neso_tuning_get(tuning, 2, &found), NESO_OK);
	assert_int_equal(found.state, NESO_TUNE_SLOWER);
	assert_true(found.low > 1.19 && found.high < 1.21);
	assert_int_equal(neso_tuning_get(tuning, COUNT, &found), NESO_ERROR_USAGE);
	neso_tuning_free(tuning);
	assert_true(k.x[0] == 5 && k.x[N - 1] == 5); /* and is there after the last */
	assert_true(k.seen == 7); /* 100 elements by 16: not two runs' sums */
	kit_close(&k);
}

static void expect_code(neso_diagnostics *diagnostics, const char *code, const char *text)
{
	assert_int_equal(neso_diagnostics_errors(diagnostics), 1);
	assert_string_equal(neso_diagnostics_get(diagnostics, 0)->code, code);
	assert_non_null(strstr(neso_diagnostics_get(diagnostics, 0)->text, text));
	neso_diagnostics_free(diagnostics);
}

static void wrong_calls_are_told(void **state)
{
	(void)state;
	static const char *const other[] = {"n"};
	Kit k;
	kit_open(&k);
	neso_tune_options options;
	neso_tune_options_init(&options);
	options.restore = other;
	options.restore_count = 1;
	neso_tuning *tuning;
	neso_diagnostics *diagnostics;
	assert_int_equal(
		neso_tune_kernel(k.kernel, k.launches, COUNT, &options, &tuning, &diagnostics),
		NESO_ERROR_ARGUMENT);
	expect_code(diagnostics, "TUNE_ARGUMENT", "no argument 'n' with memory");
	assert_null(tuning);
	assert_int_equal(neso_tune_kernel(k.kernel, k.launches, 0, NULL, &tuning, NULL),
			 NESO_ERROR_USAGE);
	k.launches[1].size = 8;
	assert_int_equal(neso_tune_kernel(k.kernel, k.launches, COUNT, NULL, &tuning, NULL),
			 NESO_ERROR_USAGE);
	assert_int_equal(neso_tune_race(1, NULL, NULL, &tuning, NULL), NESO_ERROR_USAGE);
	kit_close(&k);
}

static neso_tune_candidate candidate(const neso_tuning *tuning, size_t i)
{
	neso_tune_candidate found = {.size = sizeof found};
	assert_int_equal(neso_tuning_get(tuning, i, &found), NESO_OK);
	return found;
}

/* The second candidate's grid does not cover the array: it would be the fastest. */
static void results_are_those_of_a_reference(void **state)
{
	(void)state;
	static const char *const restore[] = {"x"}, *const zero[] = {"sums"};
	Kit k;
	kit_open(&k);
	neso_launch references[2] = {k.launches[0], k.launches[2]};
	neso_arg broken[4];
	memcpy(broken, k.args[0], sizeof broken);
	broken[3] = neso_arg_int("BLOCK", 0);
	references[0].args = broken; /* does not compile: the next one says what is expected */
	k.launches[1].grid[0]--;
	k.times[0] = k.times[2] = 2e-5;
	k.times[1] = 1e-5;
	/* Sums count programs: 7, 3 and 2, so they are no part of what is compared. */
	for (int i = 0; i < COUNT; i++)
		k.args[i][1].bytes = 0;
	broken[1].bytes = 0;
	neso_tune_options options;
	neso_tune_options_init(&options);
	options.restore = restore;
	options.restore_count = 1;
	options.run_time = run_time;
	options.data = &k;
	options.references = references;
	options.reference_count = 2;
	neso_tuning *tuning;
	neso_diagnostics *diagnostics;
	assert_int_equal(
		neso_tune_kernel(k.kernel, k.launches, COUNT, &options, &tuning, &diagnostics),
		NESO_ERROR_USAGE); /* memory without its bytes cannot be compared */
	neso_diagnostics_free(diagnostics);
	for (int i = 0; i < COUNT; i++)
		k.args[i][1].bytes = sizeof k.sums;
	broken[1].bytes = sizeof k.sums;
	options.zero = zero;
	options.zero_count = 1;
	assert_int_equal(neso_tune_kernel(k.kernel, k.launches, COUNT, &options, &tuning, NULL),
			 NESO_OK);
	assert_int_equal(candidate(tuning, 0).state, NESO_TUNE_FAILED);
	assert_string_equal(candidate(tuning, 0).why, "its results are others: sums differs at element 0");
	assert_int_equal(candidate(tuning, 1).state, NESO_TUNE_FAILED);
	assert_string_equal(candidate(tuning, 1).why, "its results are others: x differs at element 96");
	assert_int_equal(candidate(tuning, 2).state, NESO_TUNE_CHOSEN);
	neso_tuning_free(tuning);
	assert_true(k.x[0] == 5 && k.x[N - 1] == 5);
	options.reference_count = 1;
	assert_int_equal(neso_tune_kernel(k.kernel, k.launches, COUNT, &options, &tuning, NULL),
			 NESO_OK);
	assert_string_equal(candidate(tuning, 2).why,
			    "nothing that is listed runs, so its results cannot be compared");
	neso_tuning_free(tuning);
	options.references = NULL;
	assert_int_equal(neso_tune_kernel(k.kernel, k.launches, COUNT, &options, &tuning, NULL),
			 NESO_ERROR_USAGE);
	kit_close(&k);
}

/* Options of a caller that was compiled with fewer fields. */
static void old_callers_are_served(void **state)
{
	(void)state;
	Kit k;
	kit_open(&k);
	k.times[0] = 1;
	neso_tune_options options;
	neso_tune_options_init(&options);
	options.size = offsetof(neso_tune_options, spills);
	options.run_time = run_time; /* behind what it says it has */
	neso_tuning *tuning;
	assert_int_equal(neso_tune_kernel(k.kernel, k.launches, COUNT, &options, &tuning, NULL),
			 NESO_OK);
	assert_int_equal(k.runs, 0);
	neso_tuning_free(tuning);
	kit_close(&k);
}

static void files_are_kept_and_found(void **state)
{
	(void)state;
	char folder[64], path[80], said[80];
	assert_non_null(test_folder(folder, sizeof folder, "tune"));
	snprintf(path, sizeof path, "%s/tuned.json", folder);
	Kit k;
	kit_open(&k);
	char *content, *gpu, *driver;
	assert_int_equal(neso_tune_content(k.kernel, &content, NULL), NESO_OK);
	assert_int_equal(strlen(content), 16);
	assert_int_equal(neso_tune_machine(k.context, true, &gpu, &driver, NULL), NESO_OK);
	assert_string_equal(gpu, "cpu");
	neso_tuned_entry entry = {sizeof entry, "add",	    content, gpu,  driver,
				  "n=100",	"BLOCK=32", 1e-5,    0.01, 3};
	assert_int_equal(neso_tuned_record(path, &entry, NULL), NESO_OK);
	entry.key = "n=101";
	assert_int_equal(neso_tuned_record(path, &entry, NULL), NESO_OK);
	neso_tuned *tuned;
	assert_int_equal(neso_tuned_new(&tuned, NULL), NESO_OK);
	assert_int_equal(neso_tuned_read(tuned, path, NULL), NESO_OK);
	assert_int_equal(neso_tuned_count(tuned), 2);
	entry.config = "";
	assert_true(neso_tuned_find(tuned, &entry, false));
	assert_string_equal(entry.config, "BLOCK=32");
	entry.key = "n=102";
	assert_false(neso_tuned_find(tuned, &entry, true));
	neso_diagnostics *diagnostics;
	assert_int_equal(neso_tuned_read(tuned, folder, &diagnostics), NESO_ERROR_SOURCE);
	snprintf(said, sizeof said, "tuning: %s", folder);
	expect_code(diagnostics, "TUNED_FILE", said);
	FILE *broken = fopen(path, "w");
	fputs("{\"neso-tuned\": 1}", broken);
	fclose(broken);
	assert_int_equal(neso_tuned_read(tuned, path, &diagnostics), NESO_ERROR_SOURCE);
	expect_code(diagnostics, "TUNED_TEXT", "tuned.json:1: no tuning results: ',' is missing");
	/* What cannot be read is not overwritten. */
	entry.config = "BLOCK=64";
	assert_int_equal(neso_tuned_record(path, &entry, NULL), NESO_ERROR_SOURCE);
	neso_tuned_free(tuned);
	neso_text_free(content);
	neso_text_free(gpu);
	neso_text_free(driver);
	kit_close(&k);
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrays_are_put_back),
		cmocka_unit_test(wrong_calls_are_told),
		cmocka_unit_test(results_are_those_of_a_reference),
		cmocka_unit_test(old_callers_are_served),
		cmocka_unit_test(files_are_kept_and_found),
	};
	return cmocka_run_group_tests_name("tune_kernel", tests, NULL, NULL);
}
