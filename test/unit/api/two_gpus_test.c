/* One process with two GPUs, of one kind or of two: whose code a launch runs, what strict mode
 * allows, what a policy decides, what is loaded where. On the fake driver, which refuses a function
 * of another context. */
#include "nv_kit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include <neso/background.h>
#include <neso/declare.h>
#include <neso/neso.h>

static const char text[] =
	"import triton\n"
	"import triton.language as tl\n"
	"\n"
	"@triton.jit\n"
	"def fill(x, START: tl.constexpr, B: tl.constexpr):\n"
	"    tl.store(x + START + tl.arange(0, B), 3)\n";

typedef struct Fixture {
	FakeCuda *fake;
	neso_context *context;
	neso_module *module;
	neso_kernel *kernel;
	neso_compile_options options;
	void *contexts[2];
	atomic_int compiles;
} Fixture;

static bool on_event(void *data, const neso_event *event)
{
	const bool compiled = event->kind == NESO_EVENT_COMPILE_END && event->status == NESO_OK;
	atomic_fetch_add(&((Fixture *)data)->compiles, compiled);
	return true;
}

static neso_status launch(const Fixture *f, int start, neso_diagnostics **diagnostics)
{
	neso_arg args[] = {neso_arg_buffer("x", NESO_INT8, (void *)0x10000, 4096, NESO_READ_WRITE),
			   neso_arg_int("START", start), neso_arg_int("B", 64)};
	neso_launch l = neso_launch_of(args, 3, 1, 1, 1);
	l.options = &f->options;
	l.stream = (void *)0x77;
	return neso_kernel_launch(f->kernel, &l, NULL, diagnostics);
}

/* Launches on a GPU, and says which code ran. */
static const void *launch_on(Fixture *f, unsigned gpu, int start)
{
	assert_int_equal(neso_gpu_use(f->context, gpu, NULL), NESO_OK);
	assert_int_equal(launch(f, start, NULL), NESO_OK);
	if (!f->contexts[gpu])
		f->contexts[gpu] = f->fake->last.context;
	assert_ptr_equal(f->fake->last.context, f->contexts[gpu]);
	return f->fake->last.image;
}

static void close_all(Fixture *f)
{
	f->fake->cost = NULL;
	neso_module_free(f->module);
	neso_context_free(f->context);
}

/* minor: the second GPU is an sm_8MINOR, beside an sm_80. Skips where GPU code cannot be made. */
static void begin(Fixture *f, int minor)
{
	kit_find_codegen();
	memset(f, 0, sizeof *f);
	f->fake = kit_fake();
	f->fake->reset();
	f->fake->major = f->fake->second_major = 8;
	f->fake->minor = 0;
	f->fake->second_minor = minor;
	const neso_context_options options = {.size = sizeof options,
					      .event = on_event,
					      .event_data = f,
					      .libcuda = kit_library(),
					      .cache_dir = ""};
	neso_compile_options_init(&f->options);
	f->options.target = "sm_80";
	assert_int_equal(neso_context_new(&options, &f->context, NULL), NESO_OK);
	assert_int_equal(neso_module_load_text(f->context, "k.py", text, sizeof text - 1, &f->module, NULL),
			 NESO_OK);
	assert_int_equal(neso_module_find(f->module, "fill", &f->kernel, NULL), NESO_OK);
	const char *ptxas = neso_context_info(f->context, "ptxas"),
		   *codegen = neso_context_info(f->context, "codegen");
	if (strncmp(ptxas, "none", 4) == 0 || strncmp(codegen, "none", 4) == 0) {
		close_all(f);
		skip();
	}
	f->options.target = "cuda";
}

static void code_of_one_kind_serves_both(void **state)
{
	(void)state;
	Fixture f;
	begin(&f, 0);
	const void *image = launch_on(&f, 0, 0);
	for (int i = 0; i < 20; i++)
		assert_ptr_equal(launch_on(&f, (unsigned)i % 2, 0), image);
	assert_ptr_not_equal(f.contexts[0], f.contexts[1]);
	assert_int_equal(f.compiles, 1);
	assert_int_equal(f.fake->loads, 2); /* once in each context */
	close_all(&f);
}

static void each_kind_has_its_own_code(void **state)
{
	(void)state;
	Fixture f;
	begin(&f, 6);
	const void *first = launch_on(&f, 0, 0), *second = launch_on(&f, 1, 0);
	assert_ptr_not_equal(first, second);
	for (int i = 0; i < 20; i++)
		assert_ptr_equal(launch_on(&f, (unsigned)i % 2, 0), i % 2 ? second : first);
	assert_int_equal(f.compiles, 2);
	assert_int_equal(f.fake->loads, 2);
	close_all(&f);
}

static void strict_mode_knows_the_gpu(void **state)
{
	(void)state;
	for (int minor = 0; minor <= 6; minor += 6) {
		Fixture f;
		neso_diagnostics *diagnostics;
		begin(&f, minor);
		launch_on(&f, 0, 0);
		neso_context_set_strict(f.context, NESO_STRICT_ON);
		launch_on(&f, 0, 0);
		assert_int_equal(neso_gpu_use(f.context, 1, NULL), NESO_OK);
		if (minor) {
			assert_int_equal(launch(&f, 0, &diagnostics), NESO_ERROR_MISS);
			const char *said = neso_diagnostics_text(diagnostics);
			assert_non_null(strstr(said, "target: sm_80 before, now sm_86"));
			assert_non_null(strstr(said, "target=sm_86"));
			neso_diagnostics_free(diagnostics);
		} else {
			assert_int_equal(launch(&f, 0, NULL), NESO_OK);
		}
		assert_int_equal(f.compiles, 1);
		launch_on(&f, 0, 0);
		close_all(&f);
	}
}

static Fixture *timed;
static const void *generic[2];

/* On the first GPU the variant for one value is faster, on the second it is not. */
static float cost(const void *image)
{
	const int gpu = timed->fake->last.context == timed->contexts[1];
	return image == generic[gpu] ? 2 : gpu ? 3 : 1;
}

static void a_value_is_decided_on_each_gpu(void **state)
{
	enum { PATIENCE = 20000 };
	(void)state;
	for (int minor = 0; minor <= 6; minor += 6) {
		Fixture f;
		setenv("NESO_TIER_LAUNCHES", "5", 1);
		begin(&f, minor);
		f.options.constexpr_policy = NESO_POLICY_TIERED;
		for (unsigned gpu = 0; gpu < 2; gpu++)
			generic[gpu] = launch_on(&f, gpu, 0);
		timed = &f;
		f.fake->cost = cost;
		neso_tiers tiers = {.size = sizeof tiers};
		for (int i = 0; i < PATIENCE && tiers.special + tiers.generic < 2; i++) {
			launch_on(&f, (unsigned)i % 2, 64);
			assert_int_equal(neso_kernel_tiers(f.kernel, &tiers), NESO_OK);
			if (tiers.compiling)
				nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
		}
		assert_int_equal(tiers.special, 1);
		assert_int_equal(tiers.generic, 1);
		for (int i = 0; i < 6; i++) {
			const void *image = launch_on(&f, (unsigned)i % 2, 64);
			assert_true((image == generic[i % 2]) == (i % 2 == 1));
		}
		unsetenv("NESO_TIER_LAUNCHES");
		close_all(&f);
	}
}

/* Modules that go from one context are not those of the other. */
static void loaded_modules_are_each_contexts_own(void **state)
{
	enum { VALUES = 24 };
	(void)state;
	Fixture f;
	const void *images[2][VALUES];
	setenv("NESO_MAX_MODULES", "8", 1);
	begin(&f, 6);
	for (int round = 0; round < 4; round++)
		for (int i = 0; i < 2 * VALUES; i++) {
			const void *image = launch_on(&f, (unsigned)i % 2, i / 2);
			const void **before = &images[i % 2][i / 2];
			assert_true(round == 0 || image == *before);
			*before = image;
		}
	assert_int_equal(f.compiles, 2 * VALUES);
	assert_in_range(f.fake->loads - f.fake->unloads, 1, 8);
	/* What is captured on the second stays, whatever the first one loads. */
	const void *captured = launch_on(&f, 1, 7);
	f.fake->capturing = 1;
	assert_ptr_equal(launch_on(&f, 1, 7), captured);
	f.fake->capturing = 0;
	void *function = f.fake->last.function;
	for (int i = 0; i < VALUES; i++)
		launch_on(&f, 0, i);
	for (int i = 0; i < VALUES; i++)
		if (i != 7)
			launch_on(&f, 1, i);
	const int loads = f.fake->loads;
	launch_on(&f, 1, 7);
	assert_ptr_equal(f.fake->last.function, function);
	assert_int_equal(f.fake->loads, loads);
	unsetenv("NESO_MAX_MODULES");
	close_all(&f);
}

typedef struct Worker {
	Fixture *f;
	unsigned number;
	bool good;
} Worker;

static void *work(void *data)
{
	Worker *w = data;
	w->good = true;
	for (unsigned i = 0; i < 300; i++)
		w->good = w->good && neso_gpu_use(w->f->context, (w->number + i / 50) % 2, NULL) == NESO_OK &&
			  launch(w->f, (int)((w->number * 7 + i) % 12), NULL) == NESO_OK;
	return NULL;
}

static void threads_go_from_one_to_the_other(void **state)
{
	enum { THREADS = 8 };
	(void)state;
	Fixture f;
	Worker workers[THREADS];
	pthread_t threads[THREADS];
	setenv("NESO_MAX_MODULES", "8", 1);
	begin(&f, 6);
	for (unsigned i = 0; i < THREADS; i++) {
		workers[i] = (Worker){&f, i, false};
		assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		assert_true(workers[i].good);
	}
	assert_int_equal(f.compiles, 24);
	assert_int_equal(f.fake->launches, THREADS * 300);
	unsetenv("NESO_MAX_MODULES");
	close_all(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_of_one_kind_serves_both),
		cmocka_unit_test(each_kind_has_its_own_code),
		cmocka_unit_test(strict_mode_knows_the_gpu),
		cmocka_unit_test(a_value_is_decided_on_each_gpu),
		cmocka_unit_test(loaded_modules_are_each_contexts_own),
		cmocka_unit_test(threads_go_from_one_to_the_other),
	};
	return cmocka_run_group_tests_name("two_gpus", tests, NULL, NULL);
}
