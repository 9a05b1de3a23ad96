/* Loaded modules are bounded, on the fake driver, which aborts at an unload of what is not loaded
 * and refuses launches of it. */
#include "nv_kit.h"

#include <pthread.h>

enum { BOUND = 16, KERNELS = 100 };

typedef struct Many {
	Kit kit;
	NvKernel *kernels[KERNELS];
	NvFunction *functions[KERNELS];
} Many;

static const uint32_t one[3] = {1, 1, 1};

static void many_open(Many *m, const char *bound)
{
	setenv("NESO_MAX_MODULES", bound, 1);
	kit_open(&m->kit);
	const NvKernelInfo info = {.name = "kernel", .threads = 128, .args = ""};
	for (int i = 0; i < KERNELS; i++) {
		m->kernels[i] = nv_kernel_new(m->kit.driver, "cubin", 5, &info);
		m->functions[i] = NULL;
	}
}

static int loaded(const Many *m)
{
	return m->kit.fake->loads - m->kit.fake->unloads;
}

static bool launch(Many *m, int i)
{
	void *params[1] = {NULL};
	if (!m->functions[i])
		m->functions[i] = nv_kernel_function(
			m->kernels[i], nv_context(m->kit.driver, &m->kit.diags), &m->kit.diags);
	return m->functions[i] && nv_launch(m->functions[i], one, NULL, params, &m->kit.diags);
}

static void many_close(Many *m)
{
	for (int i = 0; i < KERNELS; i++)
		nv_kernel_free(m->kernels[i]);
	assert_int_equal(loaded(m), 0);
	kit_close(&m->kit);
	unsetenv("NESO_MAX_MODULES");
}

static void the_least_recently_used_go(void **state)
{
	(void)state;
	Many m;
	many_open(&m, "16");
	int loads[2];
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < KERNELS; i++) {
			assert_true(launch(&m, i));
			assert_in_range(loaded(&m), 1, BOUND);
			if (i >= 16)
				assert_true(launch(&m, 12)); /* used all the time */
		}
		loads[round] = m.kit.fake->loads;
	}
	kit_clean(&m.kit);
	assert_int_equal(loads[0], KERNELS);
	/* Of those that are there for good, and the one that was used, none was loaded again. */
	assert_int_equal(loads[1] - loads[0], KERNELS - BOUND / 2 - 1);
	assert_int_equal(m.kit.fake->launches, 4 * KERNELS - 32);
	many_close(&m);
}

static void without_a_bound_all_stay(void **state)
{
	(void)state;
	Many m;
	many_open(&m, "0");
	for (int i = 0; i < KERNELS; i++)
		assert_true(launch(&m, i));
	assert_int_equal(loaded(&m), KERNELS);
	many_close(&m);
}

static void what_a_graph_has_stays(void **state)
{
	(void)state;
	Many m;
	many_open(&m, "16");
	for (int i = 0; i < 10; i++)
		assert_true(launch(&m, i));
	m.kit.fake->capturing = 1;
	assert_true(launch(&m, 9));
	m.kit.fake->capturing = 0;
	int loads = 0;
	for (int i = 10; i < KERNELS; i++)
		assert_true(launch(&m, i));
	loads = m.kit.fake->loads;
	assert_true(launch(&m, 9));
	assert_int_equal(m.kit.fake->loads, loads);
	assert_true(launch(&m, 8)); /* launched before it, and in no graph */
	assert_int_equal(m.kit.fake->loads, loads + 1);
	many_close(&m);
}

/* What has not ended keeps its module, and nothing is waited for: the bound is exceeded rather,
 * until it has. */
static void what_may_run_stays(void **state)
{
	(void)state;
	Many m;
	many_open(&m, "16");
	m.kit.fake->event_busy = 1;
	for (int i = 0; i < KERNELS; i++)
		assert_true(launch(&m, i));
	assert_int_equal(m.kit.fake->unloads, 0);
	assert_null(strstr(m.kit.fake->calls, "Synchronize"));
	m.kit.fake->event_busy = 0;
	const NvKernelInfo info = {.name = "kernel", .threads = 128, .args = ""};
	for (int i = 0; i < KERNELS; i++) {
		NvKernel *more = nv_kernel_new(m.kit.driver, "cubin", 5, &info);
		NvContext context = nv_context(m.kit.driver, &m.kit.diags);
		assert_non_null(nv_kernel_function(more, context, &m.kit.diags));
		nv_kernel_free(more);
	}
	assert_in_range(loaded(&m), 1, BOUND);
	many_close(&m);
}

/* Another thread captures a graph: modules come and go, and nothing is called that makes the graph
 * invalid. */
static void captures_of_others_are_not_disturbed(void **state)
{
	(void)state;
	Many m;
	many_open(&m, "16");
	m.kit.fake->capturing_stream = &m;
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < KERNELS; i++) {
			assert_true(launch(&m, i));
			assert_in_range(loaded(&m), 1, BOUND);
		}
	assert_int_equal(m.kit.fake->spoiled, 0);
	many_close(&m);
}

/* More streams than a function has places for: those that are through give theirs. */
static void many_streams_are_told_apart(void **state)
{
	(void)state;
	enum { STREAMS = 40 };
	Many m;
	void *params[1] = {NULL};
	many_open(&m, "16");
	for (int i = 0; i < 9; i++)
		assert_true(launch(&m, i));
	for (uintptr_t stream = 1; stream <= STREAMS; stream++)
		assert_true(nv_launch(m.functions[8], one, (void *)stream, params, &m.kit.diags));
	for (int i = 9; i < KERNELS; i++)
		assert_true(launch(&m, i));
	assert_false(nv_kernel_is_loaded(m.kernels[8]));
	/* In flight in all of them: it stays for good. */
	m.kit.fake->event_busy = 1;
	for (uintptr_t stream = 1; stream <= STREAMS; stream++)
		assert_true(nv_launch(m.functions[8], one, (void *)stream, params, &m.kit.diags));
	m.kit.fake->event_busy = 0;
	for (int round = 0; round < 2; round++)
		for (int i = 9; i < KERNELS; i++)
			assert_true(launch(&m, i));
	assert_true(nv_kernel_is_loaded(m.kernels[8]));
	kit_clean(&m.kit);
	many_close(&m);
}

static void loading_again_may_fail(void **state)
{
	(void)state;
	Many m;
	many_open(&m, "16");
	for (int i = 0; i < KERNELS; i++)
		assert_true(launch(&m, i));
	m.kit.fake->fail_call = "cuModuleLoadData";
	m.kit.fake->fail_result = CUDA_OUT_OF_MEMORY;
	m.kit.fake->fail_always = 1;
	assert_false(launch(&m, 20));
	kit_expect(&m.kit, DIAG_NV_LAUNCH, "OUT_OF_MEMORY");
	m.kit.fake->fail_call = NULL;
	assert_true(launch(&m, 20));
	kit_clean(&m.kit);
	many_close(&m);
}

/* Kernels that may be forgotten are all among those that are unloaded, also with clusters or
 * scratch memory; unloaded, they are not loaded. */
static void those_that_may_go_leave_nothing_loaded(void **state)
{
	(void)state;
	Many m;
	many_open(&m, "16");
	const NvKernelInfo infos[] = {
		{.name = "kernel", .threads = 128, .args = "", .passing = true},
		{.name = "kernel", .threads = 128, .args = "", .passing = true, .cluster = 2},
		{.name = "kernel", .threads = 128, .args = "s", .passing = true, .scratch_bytes = 64},
		{.name = "kernel", .threads = 128, .args = "", .passing = true, .cooperative = true},
	};
	for (int i = 0; i < KERNELS; i++) {
		nv_kernel_free(m.kernels[i]);
		m.kernels[i] = nv_kernel_new(m.kit.driver, "cubin", 5, &infos[i % 4]);
	}
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < KERNELS; i++) {
			assert_true(launch(&m, i));
			assert_in_range(loaded(&m), 1, BOUND);
			assert_true(nv_kernel_is_loaded(m.kernels[i]));
		}
	int left = 0;
	for (int i = 0; i < KERNELS; i++)
		left += nv_kernel_is_loaded(m.kernels[i]);
	assert_int_equal(left, loaded(&m));
	m.kit.fake->capturing = 1;
	for (int i = 0; i < 4; i++)
		assert_true(launch(&m, i));
	m.kit.fake->capturing = 0;
	for (int i = 4; i < KERNELS; i++)
		assert_true(launch(&m, i));
	for (int i = 0; i < 4; i++)
		assert_true(nv_kernel_is_loaded(m.kernels[i]));
	kit_clean(&m.kit);
	many_close(&m);
}

/* ---- threads ---- */

typedef struct Thread {
	Many *many;
	unsigned seed;
	int failed;
} Thread;

static void *launch_at_random(void *data)
{
	Thread *t = data;
	void *params[1] = {NULL};
	Arena arena;
	DiagList diags;
	arena_init(&arena, 0);
	diag_init(&diags, &arena, NULL);
	NvContext context = nv_context(t->many->kit.driver, &diags);
	for (int n = 0; n < 5000; n++) {
		t->seed = t->seed * 1664525 + 1013904223;
		NvFunction *f =
			nv_kernel_function(t->many->kernels[t->seed >> 16 & 63], context, &diags);
		t->failed += !f || !nv_launch(f, one, NULL, params, &diags);
	}
	arena_free(&arena);
	return NULL;
}

static void threads_never_launch_what_is_not_loaded(void **state)
{
	(void)state;
	enum { THREADS = 6 };
	Many m;
	many_open(&m, "16");
	pthread_t ids[THREADS];
	Thread threads[THREADS];
	for (unsigned i = 0; i < THREADS; i++) {
		threads[i] = (Thread){&m, i, 0};
		assert_int_equal(pthread_create(&ids[i], NULL, launch_at_random, &threads[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(ids[i], NULL);
		assert_int_equal(threads[i].failed, 0);
	}
	assert_int_equal(m.kit.fake->launches, THREADS * 5000);
	assert_in_range(loaded(&m), 1, BOUND + THREADS); /* one that each launches may exceed it */
	assert_true(m.kit.fake->unloads > 100);
	many_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_least_recently_used_go),
		cmocka_unit_test(without_a_bound_all_stay),
		cmocka_unit_test(what_a_graph_has_stays),
		cmocka_unit_test(what_may_run_stays),
		cmocka_unit_test(captures_of_others_are_not_disturbed),
		cmocka_unit_test(many_streams_are_told_apart),
		cmocka_unit_test(those_that_may_go_leave_nothing_loaded),
		cmocka_unit_test(loading_again_may_fail),
		cmocka_unit_test(threads_never_launch_what_is_not_loaded),
	};
	return cmocka_run_group_tests_name("nv_loaded", tests, NULL, NULL);
}
