/* Starting the driver, its devices and contexts, memory, fork: on the fake driver. */
#include "nv_kit.h"

#include <pthread.h>
#include <sys/wait.h>

static void nothing_before_use(void **state)
{
	Kit kit;
	kit_open(&kit);
	assert_string_equal(kit.fake->calls, "");
	nv_free(kit.driver, 4096);
	assert_false(nv_pointer(kit.driver, 4096).device);
	assert_string_equal(kit.fake->calls, "");
	kit_close(&kit);
	assert_int_equal(kit.fake->inits, 0);
}

static void devices_are_described(void **state)
{
	Kit kit;
	kit_open(&kit);
	assert_true(nv_driver_start(kit.driver, &kit.diags));
	assert_true(nv_driver_start(kit.driver, &kit.diags));
	kit_clean(&kit);
	assert_int_equal(kit.fake->inits, 1);
	assert_int_equal(nv_driver_version(kit.driver), 13000);
	assert_non_null(strstr(nv_driver_text(kit.driver), "driver 13.0"));
	assert_non_null(strstr(nv_driver_path(kit.driver), "fake/libcuda.so.1"));
	assert_int_equal(nv_device_count(kit.driver), 2);
	const NvDevice *device = nv_device(kit.driver, 1);
	assert_int_equal(device->ordinal, 1);
	assert_int_equal(device->capability, 90);
	assert_string_equal(device->target->name, "sm_90a");
	assert_string_equal(device->name, "Fake GPU 1");
	assert_int_equal(device->sms, 132);
	assert_int_equal(device->shared_cta, 232448);
	assert_int_equal(device->max_grid[2], 65535);
	assert_int_equal(device->memory, 64 << 20);
	assert_int_equal(device->l2, 60 << 20);
	assert_null(nv_device(kit.driver, 2));
	kit_close(&kit);
}

/* The GPU is asked for its clocks when somebody wants to know them. */
static void clocks_are_no_part_of_starting(void **state)
{
	Kit kit;
	kit_open(&kit);
	assert_true(nv_driver_start(kit.driver, &kit.diags));
	assert_null(strstr(kit.fake->calls, "clock"));
	NvClocks clocks = nv_device_clocks(kit.driver, nv_device(kit.driver, 1));
	assert_int_equal(clocks.sm, 1980000);
	assert_int_equal(clocks.memory, 3201000);
	assert_non_null(strstr(kit.fake->calls, "cuDeviceGetAttribute:clock"));
	kit_close(&kit);
}

static void library_that_is_not_there(void **state)
{
	Kit kit;
	kit_open(&kit);
	NvDriverOptions options = {.library = "/no/such/libcuda.so.1"};
	NvDriver *driver = nv_driver_new(&options);
	assert_false(nv_driver_start(driver, &kit.diags));
	kit_expect(&kit, DIAG_NV_NO_DRIVER, "/no/such/libcuda.so.1");
	/* Each call says so, and nothing was started. */
	NvPtr ptr = 1;
	assert_false(nv_alloc(driver, 16, &ptr, &kit.diags));
	assert_int_equal(ptr, 0);
	kit_expect(&kit, DIAG_NV_NO_DRIVER, "/no/such/libcuda.so.1");
	nv_driver_free(driver);
	kit_close(&kit);
}

static void folder_of_the_library(void **state)
{
	Kit kit;
	kit_open(&kit);
	char folder[4096];
	strcpy(folder, kit_library());
	*strrchr(folder, '/') = '\0';
	setenv("TRITON_LIBCUDA_PATH", folder, 1);
	NvDriver *driver = nv_driver_new(NULL);
	assert_true(nv_driver_start(driver, &kit.diags));
	unsetenv("TRITON_LIBCUDA_PATH");
	kit_clean(&kit);
	nv_driver_free(driver);
	kit_close(&kit);
}

static void starts_that_fail(void **state)
{
	Kit kit;
	kit_open(&kit);
	kit.fake->missing = "cuLaunchKernel";
	assert_false(nv_driver_start(kit.driver, &kit.diags));
	kit_expect(&kit, DIAG_NV_DRIVER_OLD, "too old: it has no cuLaunchKernel, which CUDA 4.0 brought");
	kit.fake->missing = NULL;
	kit.fake->fail_call = "cuInit";
	kit.fake->fail_result = CUDA_UNKNOWN;
	assert_false(nv_driver_start(kit.driver, &kit.diags));
	kit_expect(&kit, DIAG_NV_DRIVER_START, "CUDA_ERROR_UNKNOWN: as injected");
	kit.fake->devices = 0;
	setenv("CUDA_VISIBLE_DEVICES", "7", 1);
	assert_false(nv_driver_start(kit.driver, &kit.diags));
	kit_expect(&kit, DIAG_NV_NO_DEVICE, "sees no GPU (CUDA_VISIBLE_DEVICES is '7')");
	unsetenv("CUDA_VISIBLE_DEVICES");
	assert_int_equal(nv_context(kit.driver, &kit.diags), 0);
	kit_expect(&kit, DIAG_NV_NO_DEVICE, "sees no GPU");
	kit.fake->devices = 1;
	kit.fake->fail_call = "cuDeviceGet";
	kit.fake->fail_result = 12345; /* a number without a name */
	assert_false(nv_driver_start(kit.driver, &kit.diags));
	kit_expect(&kit, DIAG_NV_CALL, "cuDeviceGet fails: error 12345");
	/* What was wrong is gone: the next call works. */
	assert_true(nv_driver_start(kit.driver, &kit.diags));
	kit_clean(&kit);
	kit_close(&kit);
}

static void current_context_is_respected(void **state)
{
	Kit kit;
	kit_open(&kit);
	assert_true(nv_driver_start(kit.driver, &kit.diags));
	void *mine = kit.fake->context_new(1);
	NvContext number = nv_context(kit.driver, &kit.diags);
	assert_true(number != 0);
	assert_int_equal(kit.fake->contexts_retained, 0);
	assert_int_equal(nv_context_device(kit.driver, &kit.diags)->ordinal, 1);
	kit.fake->context_destroy(mine);
	/* None is current now: the primary one of device 0. */
	NvContext primary = nv_context(kit.driver, &kit.diags);
	assert_true(primary != 0 && primary != number);
	assert_int_equal(kit.fake->contexts_retained, 1);
	assert_int_equal(nv_context(kit.driver, &kit.diags), primary);
	assert_int_equal(nv_context_device(kit.driver, &kit.diags)->ordinal, 0);
	NvContext other = nv_device_use(kit.driver, 1, &kit.diags);
	assert_true(other != 0 && other != primary);
	assert_int_equal(nv_device_use(kit.driver, 1, &kit.diags), other);
	assert_int_equal(kit.fake->contexts_retained, 2);
	kit_clean(&kit);
	assert_int_equal(nv_device_use(kit.driver, 2, &kit.diags), 0);
	kit_expect(&kit, DIAG_NV_DEVICE_UNKNOWN, "no GPU 2: the driver sees 2");
	kit_close(&kit);
	assert_int_equal(kit.fake->contexts_retained, 0);
}

static void contexts_of_old_drivers(void **state)
{
	Kit kit;
	kit_open(&kit);
	kit.fake->version = 11040;
	kit.fake->without = 1;
	NvContext number = nv_context(kit.driver, &kit.diags);
	assert_true(number != 0);
	assert_int_equal(nv_context(kit.driver, &kit.diags), number);
	assert_int_equal(kit.fake->contexts_retained, 1);
	kit.fake->fail_call = "cuCtxSetCurrent";
	kit.fake->fail_result = CUDA_INVALID_VALUE;
	assert_int_equal(nv_device_use(kit.driver, 1, &kit.diags), 0);
	kit_expect(&kit, DIAG_NV_CALL, "cuCtxSetCurrent fails: CUDA_ERROR_INVALID_VALUE");
	kit_close(&kit);
}

static void primary_context_refused(void **state)
{
	Kit kit;
	kit_open(&kit);
	kit.fake->fail_call = "cuDevicePrimaryCtxRetain";
	kit.fake->fail_result = CUDA_OUT_OF_MEMORY;
	assert_int_equal(nv_context(kit.driver, &kit.diags), 0);
	kit_expect(&kit, DIAG_NV_CALL, "cuDevicePrimaryCtxRetain fails: CUDA_ERROR_OUT_OF_MEMORY");
	assert_true(nv_context(kit.driver, &kit.diags) != 0);
	kit_clean(&kit);
	kit_close(&kit);
}

static void memory_goes_there_and_back(void **state)
{
	Kit kit;
	kit_open(&kit);
	NvPtr a = 0, b = 0;
	NvStream stream = kit.fake;
	char in[64], out[64];
	for (int i = 0; i < 64; i++)
		in[i] = (char)i;
	assert_true(nv_alloc(kit.driver, 64, &a, &kit.diags) && nv_alloc(kit.driver, 64, &b, &kit.diags));
	assert_true(nv_copy_in(kit.driver, a, in, 64, stream, &kit.diags));
	assert_true(nv_fill(kit.driver, b, 7, 64, stream, &kit.diags));
	assert_true(nv_copy(kit.driver, b + 8, a + 8, 8, stream, &kit.diags));
	assert_true(nv_copy_out(kit.driver, out, b, 64, stream, &kit.diags));
	assert_int_equal(out[7], 7);
	assert_int_equal(out[8], 8);
	assert_int_equal(out[15], 15);
	assert_int_equal(out[16], 7);
	NvPointer p = nv_pointer(kit.driver, a + 5);
	assert_true(p.device && !p.managed && p.base == a && p.size == 64 && p.ordinal == 0);
	assert_false(nv_pointer(kit.driver, (uint64_t)(uintptr_t)in).device);
	NvEvent from = NULL, to = NULL;
	double seconds;
	assert_true(nv_event_new(kit.driver, &from, &kit.diags) && nv_event_new(kit.driver, &to, &kit.diags));
	assert_true(nv_event_record(kit.driver, from, stream, &kit.diags));
	assert_true(nv_event_record(kit.driver, to, stream, &kit.diags));
	assert_true(nv_event_elapsed(kit.driver, from, to, &seconds, &kit.diags));
	assert_true(seconds > 0.00149 && seconds < 0.00151);
	kit_clean(&kit);
	/* Nothing of no bytes is an error; too much is. */
	NvPtr none = 1;
	assert_true(nv_alloc(kit.driver, 0, &none, &kit.diags) && none == 0);
	assert_true(nv_copy_in(kit.driver, 0, NULL, 0, NULL, &kit.diags));
	assert_false(nv_alloc(kit.driver, (size_t)1 << 30, &none, &kit.diags));
	kit_expect(&kit, DIAG_NV_MEMORY, "1073741824 bytes on the GPU: 67108736 of 67108864 are free");
	nv_event_free(kit.driver, from);
	nv_event_free(kit.driver, to);
	nv_free(kit.driver, a);
	nv_free(kit.driver, b);
	assert_int_equal(kit.fake->bytes, 0);
	kit_close(&kit);
}

static void calls_that_fail(void **state)
{
	static const char *const calls[] = {"cuMemcpyHtoDAsync", "cuMemsetD8Async", "cuEventCreate", "cuStreamSynchronize",
					    "cuCtxSynchronize"};
	Kit kit;
	kit_open(&kit);
	NvPtr a;
	void *handle;
	char byte = 1;
	assert_true(nv_alloc(kit.driver, 1, &a, &kit.diags));
	for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
		kit.fake->fail_call = calls[i];
		kit.fake->fail_result = CUDA_INVALID_HANDLE;
		bool ok = i == 0   ? nv_copy_in(kit.driver, a, &byte, 1, NULL, &kit.diags)
			  : i == 1 ? nv_fill(kit.driver, a, 1, 1, NULL, &kit.diags)
			  : i == 2 ? nv_event_new(kit.driver, &handle, &kit.diags)
			  : i == 3 ? nv_synchronize(kit.driver, NULL, &kit.diags)
				   : nv_synchronize_all(kit.driver, &kit.diags);
		assert_false(ok);
		kit_expect(&kit, DIAG_NV_CALL, calls[i]);
	}
	assert_true(nv_synchronize_all(kit.driver, &kit.diags));
	nv_free(kit.driver, a);
	kit_close(&kit);
}

/* In a child: 0 when `check` holds. */
static int in_child(Kit *kit, bool (*check)(Kit *kit))
{
	fflush(NULL);
	pid_t pid = fork();
	if (!pid)
		_exit(check(kit) ? 0 : 1);
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool starts_itself(Kit *kit)
{
	return nv_context(kit->driver, &kit->diags) != 0 && kit->fake->inits == 1;
}

static bool says_forked(Kit *kit)
{
	NvPtr ptr;
	bool ok = !nv_alloc(kit->driver, 16, &ptr, &kit->diags) && kit->diags.errors == 1 &&
		  kit->diags.first->code == DIAG_NV_FORKED;
	nv_driver_free(kit->driver); /* touches no driver */
	return ok;
}

static bool starts_again(Kit *kit)
{
	kit->fake->allow_fork = 1;
	return nv_context(kit->driver, &kit->diags) != 0 && kit->fake->inits == 2;
}

static void fork_before_and_after(void **state)
{
	Kit kit;
	kit_open(&kit);
	assert_int_equal(in_child(&kit, starts_itself), 0);
	assert_true(nv_context(kit.driver, &kit.diags) != 0);
	assert_int_equal(in_child(&kit, says_forked), 0);
	assert_int_equal(in_child(&kit, starts_again), 0);
	/* The parent goes on. */
	assert_true(nv_synchronize_all(kit.driver, &kit.diags));
	kit_clean(&kit);
	kit_close(&kit);
}

static void *start_in_thread(void *data)
{
	Kit *kit = data;
	Arena arena;
	DiagList diags;
	arena_init(&arena, 0);
	diag_init(&diags, &arena, NULL);
	bool ok = nv_context(kit->driver, &diags) != 0 && nv_device_use(kit->driver, 1, &diags) != 0;
	arena_free(&arena);
	return ok ? kit : NULL;
}

static void threads_start_once(void **state)
{
	for (int round = 0; round < 20; round++) {
		Kit kit;
		kit_open(&kit);
		pthread_t threads[8];
		for (int i = 0; i < 8; i++)
			assert_int_equal(pthread_create(&threads[i], NULL, start_in_thread, &kit), 0);
		for (int i = 0; i < 8; i++) {
			void *ok;
			pthread_join(threads[i], &ok);
			assert_non_null(ok);
		}
		assert_int_equal(kit.fake->inits, 1);
		assert_int_equal(kit.fake->contexts_retained, 2);
		kit_close(&kit);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_before_use),
		cmocka_unit_test(devices_are_described),
		cmocka_unit_test(clocks_are_no_part_of_starting),
		cmocka_unit_test(library_that_is_not_there),
		cmocka_unit_test(folder_of_the_library),
		cmocka_unit_test(starts_that_fail),
		cmocka_unit_test(current_context_is_respected),
		cmocka_unit_test(contexts_of_old_drivers),
		cmocka_unit_test(primary_context_refused),
		cmocka_unit_test(memory_goes_there_and_back),
		cmocka_unit_test(calls_that_fail),
		cmocka_unit_test(fork_before_and_after),
		cmocka_unit_test(threads_start_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
