/* Many threads on the same handles; memory that runs out at every point. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <pthread.h>
#include <neso/neso.h>

#include "base/arena.h"

static const char text[] =
	"import triton\n"
	"import triton.language as tl\n"
	"\n"
	"@triton.jit\n"
	"def helper(x, K: tl.constexpr):\n"
	"    return x * K\n"
	"\n"
	"@triton.jit\n"
	"def scale(x_ptr, out_ptr, n, K: tl.constexpr, BLOCK: tl.constexpr):\n"
	"    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
	"    x = tl.load(x_ptr + i, mask=i < n, other=0)\n"
	"    tl.store(out_ptr + i, helper(x, K), mask=i < n)\n"
	"\n"
	"@triton.jit\n"
	"def wrong(x_ptr, K: tl.constexpr):\n"
	"    tl.store(x_ptr, missing_name + K)\n";

enum { N = 300, BLOCK = 64, THREADS = 8, ROUNDS = 40 };

/* Launches `scale` with a constant K; true when the result is right. */
static bool launch(neso_kernel *kernel, int k, neso_status *status)
{
	int32_t x[N], out[N];
	for (int i = 0; i < N; i++) {
		x[i] = i - 100;
		out[i] = -1;
	}
	neso_arg args[] = {
		neso_arg_buffer("x_ptr", NESO_INT32, x, sizeof x, NESO_READ),
		neso_arg_buffer("out_ptr", NESO_INT32, out, sizeof out, NESO_READ_WRITE),
		neso_arg_int("n", N),
		neso_arg_int("K", k),
		neso_arg_int("BLOCK", BLOCK),
	};
	neso_launch l = neso_launch_of(args, 5, (N + BLOCK - 1) / BLOCK, 1, 1);
	l.threads = 2;
	*status = neso_kernel_launch(kernel, &l, NULL, NULL);
	for (int i = 0; *status == NESO_OK && i < N; i++)
		if (out[i] != x[i] * k)
			return false;
	return true;
}

typedef struct Worker {
	neso_module *module;
	int number, failures;
} Worker;

static void *work(void *data)
{
	Worker *w = data;
	for (int round = 0; round < ROUNDS; round++) {
		neso_kernel *scale, *wrong;
		neso_variant *variant;
		neso_status status;
		neso_diagnostics *diagnostics;
		int k = 2 + (round + w->number) % 13;
		w->failures += neso_module_find(w->module, "scale", &scale, NULL) != NESO_OK;
		w->failures += !launch(scale, k, &status) || status != NESO_OK;
		/* A kernel that never compiles, asked for at the same time by all. */
		w->failures += neso_module_find(w->module, "wrong", &wrong, NULL) != NESO_OK;
		w->failures += neso_kernel_compile(wrong, "*i32,1", NULL, &variant, &diagnostics) != NESO_ERROR_SOURCE;
		w->failures += neso_diagnostics_errors(diagnostics) != 1;
		neso_diagnostics_free(diagnostics);
		if (round % 8 == 0) {
			char *ttir;
			w->failures += neso_kernel_compile(scale, "*i32,*i32,i32,3,64", NULL, &variant, NULL) != NESO_OK;
			w->failures += neso_variant_text(variant, "ttir-raw", &ttir, NULL) != NESO_OK;
			neso_text_free(ttir);
		}
	}
	return NULL;
}

static void threads_compile_and_launch_at_once(void **state)
{
	neso_context *context;
	Worker workers[THREADS];
	pthread_t threads[THREADS];
	assert_int_equal(neso_context_new(NULL, &context, NULL), NESO_OK);
	neso_module *module;
	assert_int_equal(neso_module_load_text(context, "t.py", text, sizeof text - 1, &module, NULL), NESO_OK);
	for (int i = 0; i < THREADS; i++) {
		workers[i] = (Worker){module, i, 0};
		assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(workers[i].failures, 0);
	neso_kernel *scale;
	assert_int_equal(neso_module_find(module, "scale", &scale, NULL), NESO_OK);
	/* Thirteen constants, x_ptr aligned or not as the stack has it, and the signature above. */
	assert_in_range(neso_kernel_variant_count(scale), 13, 4 * 13 + 1);
	neso_module_free(module);
	neso_context_free(context);
}

/* All of a program's life, with the n-th request for memory failing. True when it came to its end. */
static bool live(long fail_at)
{
	neso_context *context = NULL;
	neso_module *module = NULL;
	neso_kernel *kernel = NULL;
	neso_variant *variant = NULL;
	neso_diagnostics *diagnostics = NULL;
	neso_status status;
	char *ttir = NULL;
	arena_fail_after(fail_at);
	status = neso_context_new(NULL, &context, NULL);
	if (status == NESO_OK)
		status = neso_module_load_text(context, "t.py", text, sizeof text - 1, &module, &diagnostics);
	if (status == NESO_OK)
		status = neso_module_find(module, "scale", &kernel, &diagnostics);
	if (status == NESO_OK)
		status = neso_kernel_compile(kernel, "*i32,*i32,i32,3,64", NULL, &variant, &diagnostics);
	if (status == NESO_OK)
		status = neso_variant_text(variant, "ttir", &ttir, NULL);
	if (status == NESO_OK && !launch(kernel, 5, &status))
		fail_msg("a launch gave a wrong result when memory ran out");
	arena_fail_after(0);
	bool done = status == NESO_OK;
	if (!done && status != NESO_ERROR_MEMORY)
		fail_msg("the %ld-th allocation: %s\n%s", fail_at, neso_status_text(status), neso_diagnostics_text(diagnostics));
	/* What memory ran out in goes on working. */
	if (module) {
		if (neso_module_find(module, "scale", &kernel, NULL) != NESO_OK || !launch(kernel, 7, &status) ||
		    status != NESO_OK)
			fail_msg("after the %ld-th allocation failed, a launch gives: %s", fail_at, neso_status_text(status));
	}
	neso_text_free(ttir);
	neso_diagnostics_free(diagnostics);
	neso_module_free(module);
	neso_context_free(context);
	return done;
}

static void memory_may_run_out_anywhere(void **state)
{
	long n = 1;
	while (!live(n))
		n++;
	assert_in_range(n, 10, 100000);
}

static void a_limit_is_kept_and_said(void **state)
{
	enum { LONG = 2 << 20 };
	char *file = malloc(LONG);
	neso_context_options options;
	memset(&options, 0, sizeof options);
	options.size = sizeof options;
	options.compile_memory = 1 << 20;
	neso_context *context;
	neso_module *module;
	neso_diagnostics *diagnostics;
	assert_non_null(file);
	memset(file, '#', LONG);
	assert_int_equal(neso_context_new(&options, &context, NULL), NESO_OK);
	assert_int_equal(neso_module_load_text(context, "long.py", file, LONG, &module, &diagnostics), NESO_ERROR_MEMORY);
	assert_null(module);
	assert_string_equal(neso_diagnostics_get(diagnostics, 0)->code, "OUT_OF_MEMORY");
	assert_string_equal(neso_diagnostics_get(diagnostics, 0)->text, "more than 1 MB of memory needed");
	neso_diagnostics_free(diagnostics);
	assert_int_equal(neso_module_load_text(context, "short.py", text, sizeof text - 1, &module, NULL), NESO_OK);
	neso_module_free(module);
	neso_context_free(context);
	free(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_compile_and_launch_at_once),
		cmocka_unit_test(memory_may_run_out_anywhere),
		cmocka_unit_test(a_limit_is_kept_and_said),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
