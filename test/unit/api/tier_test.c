/* The policy `tiered`: which variant a launch has, who compiles it, what decides. On the CPU, and
 * on a fake driver whose clock says what a launch takes. */
#include "nv_kit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>

#include <neso/background.h>
#include <neso/declare.h>
#include <neso/neso.h>

#include "fake/fake.h"

static const char text[] =
	"import triton\n"
	"import triton.language as tl\n"
	"\n"
	"@triton.jit\n"
	"def ragged(o, lens, stride: tl.constexpr, MAXLEN: tl.constexpr, BLOCK: tl.constexpr):\n"
	"    row = tl.program_id(0)\n"
	"    n = tl.load(lens + row)\n"
	"    for s in range(0, MAXLEN, BLOCK):\n"
	"        c = s + tl.arange(0, BLOCK)\n"
	"        tl.store(o + row * stride + c, (c < n).to(tl.int8), mask=c < MAXLEN)\n"
	"\n"
	"@triton.jit\n"
	"def plain(o, BLOCK: tl.constexpr):\n"
	"    tl.store(o + tl.arange(0, BLOCK), 3)\n";

enum { ROWS = 2, STRIDE = 1100, WANTED = 5, PATIENCE = 20000 /* steps of a millisecond */ };

static void a_moment(void)
{
	const struct timespec millisecond = {.tv_nsec = 1000000};
	nanosleep(&millisecond, NULL);
}

typedef struct Fixture {
	FakeCuda *fake;
	neso_context *context;
	neso_module *module;
	neso_kernel *kernel;
	neso_compile_options options;
	pthread_t self;
	atomic_int here, elsewhere; /* compilations begun */
	atomic_bool refuses;
} Fixture;

static bool on_event(void *data, const neso_event *event)
{
	Fixture *f = data;
	if (event->kind != NESO_EVENT_COMPILE_BEGIN)
		return true;
	atomic_fetch_add(pthread_equal(pthread_self(), f->self) ? &f->here : &f->elsewhere, 1);
	return !f->refuses;
}

static void begin(Fixture *f, const char *kernel)
{
	kit_find_codegen();
	memset(f, 0, sizeof *f);
	f->fake = kit_fake();
	f->fake->reset();
	f->self = pthread_self();
	const neso_context_options options = {
		.size = sizeof options,
		.event = on_event,
		.event_data = f,
		.libcuda = kit_library(),
		.constexpr_policy = NESO_POLICY_TIERED,
		.cache_dir = "",
	};
	setenv("NESO_TIER_LAUNCHES", "5", 1);
	f->options.size = sizeof f->options;
	assert_int_equal(neso_context_new(&options, &f->context, NULL), NESO_OK);
	assert_int_equal(neso_module_load_text(f->context, "t.py", text, sizeof text - 1, &f->module, NULL),
			 NESO_OK);
	assert_int_equal(neso_module_find(f->module, kernel, &f->kernel, NULL), NESO_OK);
}

static void end(Fixture *f)
{
	neso_module_free(f->module);
	neso_context_free(f->context);
	unsetenv("NESO_TIER_LAUNCHES");
}

static neso_tiers tiers_of(const Fixture *f)
{
	neso_tiers tiers = {.size = sizeof tiers};
	assert_int_equal(neso_kernel_tiers(f->kernel, &tiers), NESO_OK);
	return tiers;
}

static _Alignas(16) int8_t out[ROWS * STRIDE];
static _Alignas(16) int32_t lens[ROWS] = {5, 700};

static void fill_args(neso_arg args[5], int8_t *to, int maxlen)
{
	const neso_arg given[] = {
		neso_arg_buffer("o", NESO_INT8, to, sizeof out, NESO_READ_WRITE),
		neso_arg_buffer("lens", NESO_INT32, lens, sizeof lens, NESO_READ),
		neso_arg_int("stride", STRIDE),
		neso_arg_int("MAXLEN", maxlen),
		neso_arg_int("BLOCK", 64),
	};
	memcpy(args, given, sizeof given);
}

/* On the CPU, with its results. */
static bool launch_into(const Fixture *f, int8_t *to, int maxlen)
{
	neso_arg args[5];
	fill_args(args, to, maxlen);
	neso_launch l = neso_launch_of(args, 5, ROWS, 1, 1);
	l.options = &f->options;
	memset(to, 9, sizeof out);
	bool good = neso_kernel_launch(f->kernel, &l, NULL, NULL) == NESO_OK;
	for (int row = 0; row < ROWS; row++)
		for (int c = 0; c < STRIDE; c++)
			good &= to[row * STRIDE + c] == (c < maxlen ? c < lens[row] : 9);
	return good;
}

static void launch(const Fixture *f, int maxlen)
{
	assert_true(launch_into(f, out, maxlen));
}

/* ---- on the CPU ---- */

static void a_value_seen_once_is_not_compiled_for(void **state)
{
	(void)state;
	Fixture f;
	begin(&f, "ragged");
	for (int maxlen = 1; maxlen <= 1000; maxlen++)
		launch(&f, maxlen);
	const neso_tiers tiers = tiers_of(&f);
	assert_int_equal(f.here, 1);
	assert_int_equal(f.elsewhere, 0);
	assert_int_equal(neso_kernel_variant_count(f.kernel), 1);
	assert_in_range(tiers.launches, 980, 999); /* but those that came first with so many bits */
	assert_in_range(tiers.values, 100, 512);
	assert_int_equal(tiers.compiled, 0);
	end(&f);
}

static void a_value_in_use_is(void **state)
{
	(void)state;
	Fixture f;
	begin(&f, "ragged");
	neso_tiers tiers = {0};
	for (int i = 0; i < PATIENCE && tiers.special + tiers.generic == 0; i++) {
		launch(&f, 100);
		launch(&f, 200 + i % 800); /* and others in between */
		tiers = tiers_of(&f);
		if (tiers.compiling)
			a_moment();
	}
	assert_int_equal(tiers.special + tiers.generic, 1);
	assert_int_equal(f.here, 1);
	assert_true(f.elsewhere >= 1);
	for (int i = 0; i < 10; i++)
		launch(&f, 100);
	assert_int_equal(f.here, 1);
	end(&f);
}

/* A background compilation that the host refuses, or that strict mode forbids, leaves the generic
 * variant in its place, and is not tried again. */
static void what_cannot_be_made_stays_generic(void **state)
{
	(void)state;
	for (int strict = 0; strict < 2; strict++) {
		Fixture f;
		begin(&f, "ragged");
		launch(&f, 100);
		if (strict)
			neso_context_set_strict(f.context, NESO_STRICT_ON);
		f.refuses = true;
		neso_tiers tiers = {0};
		for (int i = 0; i < PATIENCE && !tiers.failed; i++) {
			launch(&f, 100);
			tiers = tiers_of(&f);
			if (tiers.compiling)
				a_moment();
		}
		assert_int_equal(tiers.failed, 1);
		for (int i = 0; i < 20; i++)
			launch(&f, 100);
		assert_int_equal(f.here, 1);
		assert_int_equal(f.elsewhere, strict ? 0 : 1);
		end(&f);
	}
}

/* Where no constexpr is numeric, the policy changes nothing. */
static void structural_kernels_have_no_tiers(void **state)
{
	(void)state;
	Fixture f;
	begin(&f, "plain");
	neso_arg args[] = {neso_arg_buffer("o", NESO_INT8, out, sizeof out, NESO_READ_WRITE),
			   neso_arg_int("BLOCK", 64)};
	const neso_launch l = neso_launch_of(args, 2, 1, 1, 1);
	for (int i = 0; i < 3 * WANTED; i++)
		assert_int_equal(neso_kernel_launch(f.kernel, &l, NULL, NULL), NESO_OK);
	assert_int_equal(tiers_of(&f).launches, 0);
	assert_int_equal(f.here + f.elsewhere, 1);
	end(&f);
}

typedef struct Launcher {
	const Fixture *f;
	int number;
	bool good;
	_Alignas(16) int8_t out[sizeof out];
} Launcher;

static void *launch_many(void *data)
{
	Launcher *l = data;
	l->good = true;
	for (int i = 0; i < 200; i++)
		l->good &= launch_into(l->f, l->out, i % 2 ? 100 + i % 3 : 300 + 200 * l->number % 700 + i);
	return NULL;
}

static void threads_launch_while_it_changes(void **state)
{
	enum { THREADS = 16 };
	(void)state;
	Fixture f;
	static Launcher launchers[THREADS];
	pthread_t threads[THREADS];
	begin(&f, "ragged");
	for (int i = 0; i < THREADS; i++) {
		launchers[i].f = &f;
		launchers[i].number = i;
		assert_int_equal(pthread_create(&threads[i], NULL, launch_many, &launchers[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		assert_true(launchers[i].good);
	}
	end(&f); /* with whatever is under way */
}

static void a_child_launches_and_compiles(void **state)
{
	(void)state;
	Fixture f;
	begin(&f, "ragged");
	for (int i = 0; i < WANTED + 1; i++)
		launch(&f, 100);
	while (tiers_of(&f).compiling)
		a_moment(); /* a thread is there, and holds nothing */
	const pid_t pid = fork();
	if (pid == 0) {
		bool good = true;
		neso_tiers tiers = {.size = sizeof tiers};
		for (int i = 0; i < PATIENCE && good && !tiers.compiled; i++) {
			good = launch_into(&f, out, 200);
			neso_kernel_tiers(f.kernel, &tiers);
			if (tiers.compiling)
				a_moment();
		}
		_exit(good ? 0 : 1);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	end(&f);
}

/* ---- on a GPU ---- */

static const void *generic_image;
static float special_cost;

static float cost(const void *image)
{
	return image == generic_image ? 2.0f : special_cost;
}

static void launch_gpu(Fixture *f, int maxlen)
{
	neso_arg args[5];
	fill_args(args, out, maxlen);
	neso_launch l = neso_launch_of(args, 5, ROWS, 1, 1);
	l.options = &f->options;
	l.stream = (void *)0x77;
	assert_int_equal(neso_kernel_launch(f->kernel, &l, NULL, NULL), NESO_OK);
}

/* Skips the test where GPU code cannot be made. */
static void begin_gpu(Fixture *f)
{
	begin(f, "ragged");
	f->options.target = "sm_80";
	neso_variant *variant;
	neso_diagnostics *diagnostics;
	const neso_status status =
		neso_kernel_compile(f->kernel, "*i8:16,*i32:16,7,8,32", &f->options, &variant, &diagnostics);
	const char *said = diagnostics ? neso_diagnostics_text(diagnostics) : "";
	const bool missing = strstr(said, "libneso-codegen") || strstr(said, "ptxas");
	neso_diagnostics_free(diagnostics);
	if (missing) {
		end(f);
		skip();
	}
	assert_int_equal(status, NESO_OK);
	f->options.target = "cuda";
	launch_gpu(f, 1);
	generic_image = f->fake->last.image;
	f->fake->cost = cost;
}

/* Launches a value until it is decided. */
static neso_tiers decide(Fixture *f, int maxlen)
{
	neso_tiers tiers = tiers_of(f);
	const uint32_t before = tiers.special + tiers.generic;
	for (int i = 0; i < PATIENCE && tiers.special + tiers.generic == before; i++) {
		launch_gpu(f, maxlen);
		tiers = tiers_of(f);
		if (tiers.compiling)
			a_moment();
	}
	return tiers;
}

static void the_faster_one_serves(void **state)
{
	(void)state;
	Fixture f;
	begin_gpu(&f);
	special_cost = 1.5f;
	neso_tiers tiers = decide(&f, 100);
	assert_int_equal(tiers.special, 1);
	assert_int_equal(tiers.generic, 0);
	launch_gpu(&f, 100);
	assert_ptr_not_equal(f.fake->last.image, generic_image);
	launch_gpu(&f, 101);
	assert_ptr_equal(f.fake->last.image, generic_image);
	launch_gpu(&f, 100);
	assert_ptr_not_equal(f.fake->last.image, generic_image);
	/* By less than the margin it is not faster. */
	special_cost = 1.99f;
	tiers = decide(&f, 200);
	assert_int_equal(tiers.special, 1);
	assert_int_equal(tiers.generic, 1);
	launch_gpu(&f, 200);
	assert_ptr_equal(f.fake->last.image, generic_image);
	assert_int_equal(tiers.compiled, 2);
	f.fake->cost = NULL;
	end(&f);
}

/* Events in a graph would be nodes of it: launches that are captured are not timed. */
static void captured_launches_are_not_timed(void **state)
{
	(void)state;
	Fixture f;
	begin_gpu(&f);
	special_cost = 1.0f;
	neso_tiers tiers = tiers_of(&f);
	for (int i = 0; i < PATIENCE && !tiers.tried; i++) {
		launch_gpu(&f, 100);
		tiers = tiers_of(&f);
		a_moment();
	}
	assert_int_equal(tiers.tried, 1);
	f.fake->capturing = 1;
	f.fake->calls[0] = '\0';
	for (int i = 0; i < 100; i++)
		launch_gpu(&f, 100);
	assert_null(strstr(f.fake->calls, "cuEventRecord"));
	assert_int_equal(tiers_of(&f).tried, 1);
	f.fake->capturing = 0;
	assert_int_equal(decide(&f, 100).special, 1);
	f.fake->cost = NULL;
	end(&f);
}

/* Nobody waits for events: those that are not over are looked at later. */
static void times_are_taken_when_they_are_there(void **state)
{
	(void)state;
	Fixture f;
	begin_gpu(&f);
	special_cost = 1.0f;
	f.fake->event_busy = 1;
	for (int i = 0; i < PATIENCE && !tiers_of(&f).tried; i++) {
		launch_gpu(&f, 100);
		a_moment();
	}
	for (int i = 0; i < 100; i++)
		launch_gpu(&f, 100);
	assert_null(strstr(f.fake->calls, "cuEventSynchronize"));
	assert_int_equal(tiers_of(&f).tried, 1);
	f.fake->event_busy = 0;
	assert_int_equal(decide(&f, 100).special, 1);
	f.fake->cost = NULL;
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_seen_once_is_not_compiled_for),
		cmocka_unit_test(a_value_in_use_is),
		cmocka_unit_test(what_cannot_be_made_stays_generic),
		cmocka_unit_test(structural_kernels_have_no_tiers),
		cmocka_unit_test(threads_launch_while_it_changes),
		cmocka_unit_test(a_child_launches_and_compiles),
		cmocka_unit_test(the_faster_one_serves),
		cmocka_unit_test(captured_launches_are_not_timed),
		cmocka_unit_test(times_are_taken_when_they_are_there),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
