/* Variants that may be forgotten: a process that meets ever new values remembers as many as it may,
 * and takes the others from the cache again. On the fake driver, which refuses launches of what is
 * not loaded. */
#include "folder.h"
#include "nv_kit.h"

#include <pthread.h>

#include <neso/declare.h>
#include <neso/neso.h>

#include "fake/fake.h"

/* TAG makes variants, and no code: one run of the assembler serves all. */
static const char text[] =
	"import triton\n"
	"import triton.language as tl\n"
	"\n"
	"@triton.jit\n"
	"def scale(x, n, TAG: tl.constexpr, B: tl.constexpr):\n"
	"    i = tl.program_id(0) * B + tl.arange(0, B)\n"
	"    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)\n";

enum { MOST = 32, LOADED = 8, VALUES = 150 };

typedef struct Fixture {
	FakeCuda *fake;
	neso_context *context;
	neso_module *module;
	neso_kernel *kernel;
	neso_compile_options options;
	char dir[64];
} Fixture;

static void open_context(Fixture *f)
{
	const neso_context_options options = {
		.size = sizeof options, .libcuda = kit_library(), .cache_dir = f->dir};
	assert_int_equal(neso_context_new(&options, &f->context, NULL), NESO_OK);
	assert_int_equal(neso_module_load_text(f->context, "s.py", text, sizeof text - 1, &f->module, NULL),
			 NESO_OK);
	assert_int_equal(neso_module_find(f->module, "scale", &f->kernel, NULL), NESO_OK);
}

static void begin(Fixture *f)
{
	kit_find_codegen();
	setenv("NESO_MAX_VARIANTS", "32", 1);
	setenv("NESO_MAX_MODULES", "8", 1);
	memset(f, 0, sizeof *f);
	assert_non_null(test_folder(f->dir, sizeof f->dir, "records"));
	f->fake = kit_fake();
	f->fake->reset();
	f->options = (neso_compile_options){.size = sizeof f->options, .target = "cuda"};
	open_context(f);
}

static void close_context(Fixture *f)
{
	neso_module_free(f->module);
	neso_context_free(f->context);
}

static void end(Fixture *f)
{
	char command[96];
	close_context(f);
	snprintf(command, sizeof command, "rm -rf '%s'", f->dir);
	assert_int_equal(system(command), 0);
	unsetenv("NESO_MAX_VARIANTS");
	unsetenv("NESO_MAX_MODULES");
}

static void fill_args(neso_arg args[4], int tag)
{
	const neso_arg given[] = {
		{.name = "x", .kind = NESO_ARG_POINTER, .dtype = NESO_FP32, .address = (void *)0x10000,
		 .bytes = 4096, .access = NESO_READ_WRITE},
		neso_arg_int("n", 64),
		neso_arg_int("TAG", tag),
		neso_arg_int("B", 64),
	};
	memcpy(args, given, sizeof given);
}

static neso_status launch(const Fixture *f, int tag, neso_launch_result *result)
{
	neso_arg args[4];
	neso_diagnostics *diagnostics;
	fill_args(args, tag);
	neso_launch l = neso_launch_of(args, 4, 1, 1, 1);
	l.options = &f->options;
	const neso_status status = neso_kernel_launch(f->kernel, &l, result, &diagnostics);
	if (status != NESO_OK && status != NESO_ERROR_MISS)
		print_error("%s", neso_diagnostics_text(diagnostics));
	neso_diagnostics_free(diagnostics);
	return status;
}

/* Skips where GPU code cannot be made. */
static void need_compiler(Fixture *f)
{
	neso_variant *variant;
	const neso_compile_options options = {.size = sizeof options, .target = "sm_80"};
	if (neso_kernel_compile(f->kernel, "*fp32:16,i32:16,0,64", &options, &variant, NULL) == NESO_OK)
		return;
	end(f);
	skip();
}

static void launch_all(const Fixture *f, int values)
{
	for (int tag = 0; tag < values; tag++) {
		const int before = f->fake->launches;
		assert_int_equal(launch(f, tag, NULL), NESO_OK);
		assert_int_equal(f->fake->launches, before + 1);
		assert_in_range(neso_kernel_variant_count(f->kernel), 1, MOST);
	}
}

static void what_was_forgotten_comes_from_the_cache(void **state)
{
	(void)state;
	Fixture f;
	begin(&f);
	need_compiler(&f);
	launch_all(&f, VALUES);
	assert_int_equal(neso_context_set_strict(f.context, NESO_STRICT_ON), NESO_OK);
	launch_all(&f, VALUES);
	size_t heap = 0;
	for (int round = 0; round < 10; round++) {
		heap = round == 4 ? kit_heap() : heap;
		launch_all(&f, VALUES);
	}
	/* Of 900 that came again nothing is left behind: a record has about 17,000 bytes. */
	assert_true(kit_heap() < heap + 40000);
	assert_int_equal(launch(&f, VALUES, NULL), NESO_ERROR_MISS);
	end(&f);
}

static void nothing_goes_that_would_have_to_be_compiled(void **state)
{
	(void)state;
	Fixture f;
	begin(&f);
	need_compiler(&f);
	close_context(&f);
	setenv("TRITON_DISABLE_CACHE", "1", 1);
	open_context(&f);
	for (int tag = 0; tag < MOST + 8; tag++)
		assert_int_equal(launch(&f, tag, NULL), NESO_OK);
	assert_int_equal(neso_kernel_variant_count(f.kernel), MOST + 8);
	unsetenv("TRITON_DISABLE_CACHE");
	end(&f);
}

/* Each that a call gave stays until it is given back. */
static void what_a_caller_has_stays(void **state)
{
	(void)state;
	Fixture f;
	neso_variant *given[VALUES];
	begin(&f);
	need_compiler(&f);
	for (int tag = 0; tag < VALUES; tag++) {
		neso_launch_result result = {.size = sizeof result};
		assert_int_equal(launch(&f, tag, &result), NESO_OK);
		given[tag] = result.variant;
	}
	assert_true(neso_kernel_variant_count(f.kernel) >= VALUES);
	for (int tag = 0; tag < VALUES; tag++) {
		char want[32];
		snprintf(want, sizeof want, "TAG=%d,", tag);
		assert_non_null(strstr(neso_variant_key(given[tag]), want));
		neso_variant_release(given[tag]);
	}
	launch_all(&f, 0);
	for (int tag = VALUES; tag < 2 * VALUES; tag++)
		assert_int_equal(launch(&f, tag, NULL), NESO_OK);
	assert_in_range(neso_kernel_variant_count(f.kernel), 1, MOST);
	end(&f);
}

/* A handle made ready, and a variant whose code a graph has. */
static void what_is_in_use_stays(void **state)
{
	(void)state;
	Fixture f;
	neso_arg args[4];
	neso_variant *variant;
	neso_ready *ready;
	begin(&f);
	need_compiler(&f);
	launch_all(&f, MOST);
	fill_args(args, 1000);
	neso_launch l = neso_launch_of(args, 4, 1, 1, 1);
	l.options = &f.options;
	assert_int_equal(neso_kernel_compile_for(f.kernel, &l, &variant, NULL), NESO_OK);
	assert_int_equal(neso_variant_ready(variant, &ready, NULL), NESO_OK);
	neso_variant_release(variant);
	f.fake->capturing = 1;
	assert_int_equal(launch(&f, 1001, NULL), NESO_OK);
	f.fake->capturing = 0;
	launch_all(&f, VALUES);
	uint64_t address = 0x10000;
	int32_t n = 64;
	void *values[3] = {&address, &n, NULL};
	const uint32_t grid[3] = {1, 1, 1};
	assert_int_equal(neso_ready_launch(ready, grid, NULL, values, NULL), NESO_OK);
	neso_ready_free(ready);
	const int loads = f.fake->loads;
	assert_int_equal(launch(&f, 1001, NULL), NESO_OK);
	assert_int_equal(f.fake->loads, loads);
	char *explained;
	assert_int_equal(neso_context_explain(f.context, "json", &explained, NULL), NESO_OK);
	assert_non_null(strstr(explained, "\"forgotten\": "));
	neso_text_free(explained);
	end(&f);
}

static void without_a_bound_all_stay(void **state)
{
	(void)state;
	Fixture f;
	begin(&f);
	need_compiler(&f);
	close_context(&f);
	setenv("NESO_MAX_VARIANTS", "0", 1);
	open_context(&f);
	for (int tag = 0; tag < VALUES; tag++)
		assert_int_equal(launch(&f, tag, NULL), NESO_OK);
	assert_int_equal(neso_kernel_variant_count(f.kernel), VALUES);
	end(&f);
}

/* ---- threads ---- */

enum { THREADS = 8, ROUNDS = 400 };

typedef struct Worker {
	const Fixture *f;
	unsigned seed;
	int failed;
	char pad[48];
} Worker;

static void *work(void *data)
{
	Worker *w = data;
	for (int i = 0; i < ROUNDS; i++) {
		w->seed = w->seed * 1103515245u + 12345u;
		const int tag = (int)(w->seed >> 16) % VALUES;
		w->failed += launch(w->f, tag, NULL) != NESO_OK;
		if (i % 50 == 0) {
			char *explained = NULL;
			neso_context_explain(w->f->context, "text", &explained, NULL);
			neso_text_free(explained);
		}
	}
	return NULL;
}

static void threads_launch_what_others_forget(void **state)
{
	(void)state;
	Fixture f;
	pthread_t threads[THREADS];
	Worker workers[THREADS];
	begin(&f);
	need_compiler(&f);
	launch_all(&f, VALUES);
	f.fake->quiet = 1; /* the fake counts without a lock */
	for (int i = 0; i < THREADS; i++) {
		workers[i] = (Worker){.f = &f, .seed = 77u + (unsigned)i};
		assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(workers[i].failed, 0);
	}
	f.fake->quiet = 0;
	assert_in_range(neso_kernel_variant_count(f.kernel), 1, MOST + THREADS);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_forgotten_comes_from_the_cache),
		cmocka_unit_test(nothing_goes_that_would_have_to_be_compiled),
		cmocka_unit_test(what_a_caller_has_stays),
		cmocka_unit_test(what_is_in_use_stays),
		cmocka_unit_test(without_a_bound_all_stay),
		cmocka_unit_test(threads_launch_what_others_forget),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
