/* Tuning a kernel on several GPUs at the same time, on the fake driver, which has two, by a made-up
 * clock. */
#include "nv_kit.h"

#include <stdatomic.h>

#include <neso/tune.h>

enum { N = 100, MANY = 12 };

static const char source[] = "import triton\n"
			     "import triton.language as tl\n"
			     "@triton.jit\n"
			     "def add(x, sums, n, BLOCK: tl.constexpr):\n"
			     "    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
			     "    tl.store(x + at, tl.load(x + at, at < n) + 1, at < n)\n"
			     "    tl.atomic_add(sums, 1.0)\n";

typedef struct Many {
	neso_context *context;
	atomic_int runs[MANY][2]; /* on each GPU */
	FakeCuda *fake;
} Many;

static double time_of(void *data, size_t candidate)
{
	Many *m = data;
	uint32_t device = 2;
	assert_int_equal(neso_gpu_current(m->context, &device, NULL), NESO_OK);
	m->runs[candidate][device]++;
	return candidate == 7 ? 1e-5 : candidate == 4 ? 1.02e-5 : 2e-5 + 1e-6 * (double)candidate;
}

static void gpus_share_the_candidates(void **state)
{
	(void)state;
	Many m;
	memset(&m, 0, sizeof m);
	m.fake = kit_fake();
	m.fake->reset();
	kit_find_codegen();
	const neso_context_options with = {.size = sizeof with, .libcuda = kit_library()};
	neso_module *module;
	neso_compile_options gpu = {.size = sizeof gpu, .target = "cuda"};
	assert_int_equal(neso_context_new(&with, &m.context, NULL), NESO_OK);
	assert_int_equal(neso_module_load_text(m.context, "add.py", source, strlen(source), &module, NULL),
			 NESO_OK);
	neso_kernel *kernel = neso_module_kernel(module, 0);
	void *x, *sums;
	assert_int_equal(neso_gpu_use(m.context, 1, NULL), NESO_OK);
	assert_int_equal(neso_gpu_alloc(m.context, 400, &x, NULL), NESO_OK);
	assert_int_equal(neso_gpu_alloc(m.context, 4, &sums, NULL), NESO_OK);
	neso_arg args[MANY][4];
	neso_launch launches[MANY];
	for (int i = 0; i < MANY; i++) {
		args[i][0] = neso_arg_buffer("x", NESO_FP32, x, 400, NESO_READ_WRITE);
		args[i][1] = neso_arg_buffer("sums", NESO_FP32, sums, 4, NESO_READ_WRITE);
		args[i][2] = neso_arg_int("n", N);
		args[i][3] = neso_arg_int("BLOCK", 16 << i % 4);
		launches[i] = neso_launch_of(args[i], 4, 1, 1, 1);
		launches[i].options = &gpu;
	}
	static const char *const restore[] = {"x"};
	neso_tune_options options;
	neso_tune_options_init(&options);
	options.restore = restore;
	options.restore_count = 1;
	options.run_time = time_of;
	options.data = &m;
	options.gpus = 8; /* there are two */
	neso_tuning *tuning;
	neso_diagnostics *diagnostics;
	const neso_status status = neso_tune_kernel(kernel, launches, MANY, &options, &tuning, &diagnostics);
	const bool missing = status != NESO_OK && strstr(neso_diagnostics_text(diagnostics), "ptxas");
	neso_tune_summary summary = {.size = sizeof summary};
	neso_tuning_get_summary(tuning, &summary);
	bool none = missing || !neso_context_info(m.context, "ptxas") || summary.chosen == MANY;
	if (!none) {
		assert_int_equal(summary.chosen, 7);
		for (int i = 0; i < MANY; i++) {
			/* Even ones ran on the current GPU, and of the others a good one. */
			assert_true((m.runs[i][1] > 0) == (i % 2 == 0 || i == 7));
			assert_true((m.runs[i][0] > 0) == (i % 2 == 1));
			neso_tune_candidate found = {.size = sizeof found};
			assert_int_equal(neso_tuning_get(tuning, (size_t)i, &found), NESO_OK);
			assert_true((found.state == NESO_TUNE_CHOSEN) == (i == 7));
			assert_true(found.runs > 0);
		}
		uint32_t current;
		assert_int_equal(neso_gpu_current(m.context, &current, NULL), NESO_OK);
		assert_int_equal(current, 1);
	}
	neso_diagnostics_free(diagnostics);
	neso_tuning_free(tuning);
	neso_gpu_free(m.context, x);
	neso_gpu_free(m.context, sums);
	assert_int_equal(m.fake->bytes, 0); /* the copies went */
	neso_module_free(module);
	neso_context_free(m.context);
	if (none)
		skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gpus_share_the_candidates),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
