/* Compiling in the background: futures that are asked, waited for, cancelled and left alone. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <neso/background.h>

static const char text[] = "import triton\n"
			   "import triton.language as tl\n"
			   "\n"
			   "@triton.jit\n"
			   "def kernel(x, n, C: tl.constexpr):\n"
			   "    i = tl.arange(0, 16)\n"
			   "    tl.store(x + i, tl.load(x + i) + C, mask=i < n)\n"
			   "\n"
			   "@triton.jit\n"
			   "def wrong(x):\n"
			   "    tl.store(x, nothing)\n";

typedef struct Fixture {
	neso_context *context;
	neso_module *module;
	neso_kernel *kernel;
	pthread_mutex_t gate; /* while it is held compilations wait at their beginning */
	atomic_int begun, ended;
} Fixture;

static bool on_event(void *data, const neso_event *event)
{
	Fixture *f = data;
	if (event->kind == NESO_EVENT_COMPILE_BEGIN) {
		atomic_fetch_add(&f->begun, 1);
		pthread_mutex_lock(&f->gate);
		pthread_mutex_unlock(&f->gate);
	} else if (event->kind == NESO_EVENT_COMPILE_END) {
		atomic_fetch_add(&f->ended, 1);
	}
	return true;
}

static void begin(Fixture *f)
{
	memset(f, 0, sizeof *f);
	pthread_mutex_init(&f->gate, NULL);
	const neso_context_options options = {.size = sizeof options, .event = on_event, .event_data = f};
	assert_int_equal(neso_context_new(&options, &f->context, NULL), NESO_OK);
	assert_int_equal(neso_module_load_text(f->context, "f.py", text, sizeof text - 1, &f->module, NULL),
			 NESO_OK);
	assert_int_equal(neso_module_find(f->module, "kernel", &f->kernel, NULL), NESO_OK);
}

static void end(Fixture *f)
{
	neso_module_free(f->module);
	neso_context_free(f->context);
	pthread_mutex_destroy(&f->gate);
}

static neso_future *ask(const Fixture *f, const char *signature)
{
	neso_future *future;
	char copy[64];
	strcpy(copy, signature);
	assert_int_equal(neso_kernel_compile_async(f->kernel, copy, NULL, &future, NULL), NESO_OK);
	memset(copy, '?', sizeof copy - 1); /* what was given was copied */
	assert_non_null(future);
	return future;
}

static void a_future_gives_the_variant(void **state)
{
	(void)state;
	Fixture f;
	begin(&f);
	pthread_mutex_lock(&f.gate);
	neso_future *future = ask(&f, "*fp32:16,i32,3");
	assert_false(neso_future_done(future));
	assert_false(neso_future_wait(future, 0.01));
	pthread_mutex_unlock(&f.gate);
	neso_variant *variant, *same;
	const neso_diagnostics *diagnostics;
	assert_int_equal(neso_future_result(future, &variant, &diagnostics), NESO_OK);
	assert_true(neso_future_done(future));
	assert_false(neso_future_cancel(future));
	assert_null(diagnostics);
	assert_string_equal(neso_variant_key(variant), "kernel(x: *fp32:16, n: i32, C=3)");
	assert_int_equal(neso_kernel_compile(f.kernel, "*fp32:16,i32,3", NULL, &same, NULL), NESO_OK);
	assert_ptr_equal(same, variant);
	neso_future_free(future);
	end(&f);
}

static void a_launch_may_be_asked_for(void **state)
{
	(void)state;
	Fixture f;
	begin(&f);
	neso_future *future;
	{
		char name[] = "C";
		neso_arg args[] = {neso_arg_buffer("x", NESO_FP32, NULL, 0, NESO_READ_WRITE),
				   neso_arg_int("n", 7), neso_arg_int(name, 3)};
		neso_launch l = neso_launch_of(args, 3, 1, 1, 1);
		assert_int_equal(neso_kernel_compile_for_async(f.kernel, &l, &future, NULL), NESO_OK);
		memset(args, 0xff, sizeof args);
		name[0] = '?';
	}
	neso_variant *variant;
	assert_int_equal(neso_future_result(future, &variant, NULL), NESO_OK);
	assert_string_equal(neso_variant_key(variant), "kernel(x: *fp32:16, n: i32, C=3)");
	neso_future_free(future);
	end(&f);
}

static void errors_are_the_futures(void **state)
{
	(void)state;
	Fixture f;
	begin(&f);
	neso_kernel *wrong;
	neso_future *future;
	neso_diagnostics *now;
	const neso_diagnostics *diagnostics;
	neso_variant *variant;
	assert_int_equal(neso_module_find(f.module, "wrong", &wrong, NULL), NESO_OK);
	assert_int_equal(neso_kernel_compile_async(wrong, "*fp32", NULL, &future, NULL), NESO_OK);
	neso_module_free(f.module); /* what is said outlives it */
	const neso_status status = neso_future_result(future, &variant, &diagnostics);
	assert_true(status == NESO_ERROR_SOURCE || status == NESO_ERROR_STOPPED);
	assert_null(variant);
	if (status == NESO_ERROR_SOURCE)
		assert_non_null(strstr(neso_diagnostics_text(diagnostics), "f.py:11:"));
	neso_future_free(future);
	assert_int_equal(neso_module_load_text(f.context, "f.py", text, sizeof text - 1, &f.module, NULL),
			 NESO_OK);
	assert_int_equal(neso_module_find(f.module, "wrong", &wrong, NULL), NESO_OK);
	assert_int_equal(neso_kernel_compile_async(wrong, "*fp32", NULL, &future, NULL), NESO_OK);
	assert_int_equal(neso_future_result(future, &variant, &diagnostics), NESO_ERROR_SOURCE);
	assert_non_null(strstr(neso_diagnostics_text(diagnostics), "f.py:11:"));
	neso_future_free(future);
	assert_int_equal(neso_kernel_compile_async(wrong, NULL, NULL, &future, &now), NESO_ERROR_USAGE);
	assert_null(future);
	assert_non_null(strstr(neso_diagnostics_text(now), "wants a kernel, a signature"));
	neso_diagnostics_free(now);
	assert_int_equal(neso_future_result(NULL, &variant, NULL), NESO_ERROR_USAGE);
	end(&f);
}

/* More than there are threads for: the last ones wait, and never begin. */
static void what_waits_is_cancelled(void **state)
{
	enum { MANY = 12 }; /* threads are fewer */
	(void)state;
	Fixture f;
	begin(&f);
	pthread_mutex_lock(&f.gate);
	neso_future *futures[MANY];
	for (int i = 0; i < MANY; i++) {
		char signature[32];
		snprintf(signature, sizeof signature, "*fp32:16,i32,%d", i);
		futures[i] = ask(&f, signature);
	}
	assert_true(neso_future_cancel(futures[MANY - 1]));
	assert_true(neso_future_done(futures[MANY - 1]));
	assert_int_equal(neso_future_result(futures[MANY - 1], NULL, NULL), NESO_ERROR_STOPPED);
	pthread_mutex_unlock(&f.gate);
	for (int i = 0; i < MANY; i++) {
		const neso_status want = i == MANY - 1 ? NESO_ERROR_STOPPED : NESO_OK;
		assert_int_equal(neso_future_result(futures[i], NULL, NULL), want);
		neso_future_free(futures[i]);
	}
	assert_int_equal(f.begun, MANY - 1);
	assert_int_equal(neso_kernel_variant_count(f.kernel), MANY - 1);
	end(&f);
}

/* Freed, a future's compilation goes on. */
static void a_future_may_be_left_alone(void **state)
{
	(void)state;
	Fixture f;
	begin(&f);
	neso_future_free(ask(&f, "*fp32:16,i32,3"));
	neso_variant *variant;
	assert_int_equal(neso_kernel_compile(f.kernel, "*fp32:16,i32,3", NULL, &variant, NULL), NESO_OK);
	neso_future_free(NULL);
	for (int i = 0; i < 20; i++)
		neso_future_free(ask(&f, "*fp32:16,i32,4"));
	end(&f); /* with some of them under way */
}

static void a_module_stops_its_own(void **state)
{
	(void)state;
	for (int i = 0; i < 10; i++) {
		Fixture f;
		begin(&f);
		neso_future *a = ask(&f, "*fp32:16,i32,3"), *b = ask(&f, "*fp32,i32,3");
		neso_module_free(f.module);
		neso_context_free(f.context);
		assert_true(neso_future_done(a) && neso_future_done(b));
		assert_int_equal(f.begun, f.ended);
		neso_future_free(a);
		neso_future_free(b);
		pthread_mutex_destroy(&f.gate);
	}
}

static void a_child_has_threads_of_its_own(void **state)
{
	(void)state;
	Fixture f;
	begin(&f);
	pthread_mutex_lock(&f.gate);
	neso_future *future = ask(&f, "*fp32:16,i32,3");
	while (!f.begun)
		neso_future_wait(future, 0.001);
	const pid_t pid = fork();
	if (pid == 0) {
		pthread_mutex_unlock(&f.gate);
		neso_future *own;
		bool good = neso_future_done(future) &&
			    neso_future_result(future, NULL, NULL) == NESO_ERROR_STOPPED;
		good &= neso_kernel_compile_async(f.kernel, "*fp32:16,i32,4", NULL, &own, NULL) == NESO_OK;
		good &= neso_future_result(own, NULL, NULL) == NESO_OK;
		neso_future_free(own);
		neso_future_free(future);
		_exit(good ? 0 : 1);
	}
	pthread_mutex_unlock(&f.gate);
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(neso_future_result(future, NULL, NULL), NESO_OK);
	neso_future_free(future);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_future_gives_the_variant),
		cmocka_unit_test(a_launch_may_be_asked_for),
		cmocka_unit_test(errors_are_the_futures),	  cmocka_unit_test(what_waits_is_cancelled),
		cmocka_unit_test(a_future_may_be_left_alone),
		cmocka_unit_test(a_module_stops_its_own),
		cmocka_unit_test(a_child_has_threads_of_its_own),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
