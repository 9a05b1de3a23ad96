/* Loading and launching on the fake driver: lazily, per context, limits with both numbers, scratch memory, faults. */
#include "nv_kit.h"

#include <pthread.h>
#include <sys/wait.h>

static const char *const names[] = {"x_ptr", "n", "scale", "big"};

static NvKernelInfo plain_info(void)
{
	return (NvKernelInfo){
		.name = "kernel",
		.shown = "add.py:5 add_kernel",
		.threads = 128,
		.shared = 1024,
		.args = "p4f8",
		.arg_names = names,
	};
}

typedef struct Args {
	uint64_t pointer;
	int32_t n;
	float scale;
	int64_t big;
	void *params[5];
} Args;

static void fill_args(Args *args)
{
	*args = (Args){.pointer = 0x7f0000001000, .n = -98, .scale = 1.5f, .big = 1ll << 40};
	args->params[0] = &args->pointer;
	args->params[1] = &args->n;
	args->params[2] = &args->scale;
	args->params[3] = &args->big;
	args->params[4] = NULL;
}

static NvFunction *load(Kit *kit, NvKernel *kernel)
{
	NvContext context = nv_context(kit->driver, &kit->diags);
	return context ? nv_kernel_function(kernel, context, &kit->diags) : NULL;
}

static const uint32_t grid_of_12[3] = {3, 2, 2};

/* What a test has: an open driver, the facts of a kernel, and its arguments. */
typedef struct Launch {
	Kit kit;
	Args args;
	NvKernelInfo info;
	NvKernel *kernel;
} Launch;

static int launch_open(void **state)
{
	static Launch l;
	kit_open(&l.kit);
	fill_args(&l.args);
	l.info = plain_info();
	l.kernel = NULL;
	*state = &l;
	return 0;
}

static void unload(Launch *l)
{
	nv_kernel_free(l->kernel);
	l->kernel = NULL;
}

/* The kernel as its facts are now, in the place of the last one. */
static NvFunction *load_info(Launch *l)
{
	unload(l);
	l->kernel = nv_kernel_new(l->kit.driver, "cubin", 5, &l->info);
	NvFunction *f = load(&l->kit, l->kernel);
	if (!f)
		unload(l);
	return f;
}

static int launch_close(void **state)
{
	Launch *l = *state;
	unload(l);
	kit_close(&l->kit);
	return 0;
}

static void launch_reaches_the_driver(void **state)
{
	Launch *l = *state;
	l->kernel = nv_kernel_new(l->kit.driver, "cubin", 5, &l->info);
	assert_string_equal(l->kit.fake->calls, ""); /* nothing is loaded before it is launched */
	NvFunction *f = load(&l->kit, l->kernel);
	assert_non_null(f);
	assert_ptr_equal(load(&l->kit, l->kernel), f);
	assert_int_equal(l->kit.fake->loads, 1);
	assert_int_equal(nv_function_occupancy(f, &l->kit.diags), 4);
	int stream;
	assert_true(nv_launch(f, grid_of_12, &stream, l->args.params, &l->kit.diags));
	kit_clean(&l->kit);
	const FakeLaunch *last = &l->kit.fake->last;
	assert_int_equal(last->grid[0], 3);
	assert_int_equal(last->grid[2], 2);
	assert_int_equal(last->block[0], 128);
	assert_int_equal(last->shared, 1024);
	assert_ptr_equal(last->stream, &stream);
	assert_ptr_equal(last->params, l->args.params);
	/* No programs: nothing is launched, nothing is wrong. */
	for (int axis = 0; axis < 3; axis++) {
		uint32_t grid[3] = {1, 1, 1};
		grid[axis] = 0;
		assert_true(nv_launch(f, grid, NULL, l->args.params, &l->kit.diags));
	}
	assert_int_equal(l->kit.fake->launches, 1);
	unload(l);
	assert_int_equal(l->kit.fake->unloads, 1);
}

static void one_module_for_each_context(void **state)
{
	Kit kit;
	Args args;
	kit_open(&kit);
	fill_args(&args);
	NvKernelInfo info = plain_info();
	NvKernel *kernel = nv_kernel_new(kit.driver, "cubin", 5, &info);
	NvFunction *first = load(&kit, kernel);
	void *mine = kit.fake->context_new(1);
	NvFunction *second = load(&kit, kernel);
	assert_true(first && second && first != second);
	assert_int_equal(kit.fake->loads, 2);
	assert_true(nv_launch(second, grid_of_12, NULL, args.params, &kit.diags));
	assert_ptr_equal(kit.fake->last.context, mine);
	/* A context that is gone took its module along; its number does not come back. */
	kit.fake->context_destroy(mine);
	assert_ptr_equal(load(&kit, kernel), first);
	kit_clean(&kit);
	/* The driver outlives its owner as long as a kernel needs it. */
	nv_driver_free(kit.driver);
	nv_kernel_free(kernel);
	assert_int_equal(kit.fake->unloads, 1);
	assert_int_equal(kit.fake->contexts_retained, 0);
	arena_free(&kit.arena);
}

static void loads_that_fail(void **state)
{
	Launch *l = *state;
	l->kernel = nv_kernel_new(l->kit.driver, "cubin", 5, &l->info);
	l->kit.fake->fail_call = "cuModuleLoadData";
	l->kit.fake->fail_result = CUDA_NO_BINARY_FOR_GPU;
	assert_null(load(&l->kit, l->kernel));
	kit_expect(&l->kit, DIAG_NV_LOAD, "add.py:5 add_kernel cannot be loaded: CUDA_ERROR_NO_BINARY_FOR_GPU: as injected\n"
				       "note: the GPU is Fake GPU 0, of capability 9.0");
	assert_non_null(load(&l->kit, l->kernel)); /* the next one tries again */
	kit_clean(&l->kit);
	unload(l);
	l->info.name = "other";
	l->kernel = nv_kernel_new(l->kit.driver, "cubin", 5, &l->info);
	assert_null(load(&l->kit, l->kernel));
	kit_expect(&l->kit, DIAG_NV_LOAD, "the module has no kernel 'other'");
	assert_int_equal(l->kit.fake->loads, l->kit.fake->unloads);
}

static void shared_memory(void **state)
{
	Launch *l = *state;
	l->info.shared = 48 * 1024;
	assert_non_null(load_info(l));
	assert_null(strstr(l->kit.fake->calls, "cuFuncSetAttribute"));
	l->info.shared++;
	assert_non_null(load_info(l));
	assert_non_null(strstr(l->kit.fake->calls, "cuFuncSetAttribute cuFuncSetCacheConfig"));
	l->info.shared = 232448;
	assert_non_null(load_info(l));
	unload(l);
	kit_clean(&l->kit);
	l->kit.fake->static_shared = 16; /* what the cubin has itself counts too */
	assert_null(load_info(l));
	kit_expect(&l->kit, DIAG_NV_SHARED,
		   "add.py:5 add_kernel needs 232464 bytes of shared memory, but Fake GPU 0 gives a CTA at most 232448");
	assert_int_equal(l->kit.fake->loads, l->kit.fake->unloads);
}

static void threads_and_registers(void **state)
{
	Launch *l = *state;
	l->kit.fake->registers = 200;
	l->kit.fake->max_threads = 256;
	l->info.threads = 512;
	assert_null(load_info(l));
	kit_expect(&l->kit, DIAG_NV_THREADS,
		   "has 512 threads in a CTA, but with 200 registers each at most 256 can run");
}

static void grid_limits(void **state)
{
	Launch *l = *state;
	NvFunction *f = load_info(l);
	const uint32_t largest[3] = {2147483647u, 65535, 1};
	assert_true(nv_launch(f, largest, NULL, l->args.params, &l->kit.diags));
	const uint32_t wide[3] = {2147483648u, 1, 1}, high[3] = {1, 65536, 1}, deep[3] = {0, 1, 70000};
	assert_false(nv_launch(f, wide, NULL, l->args.params, &l->kit.diags));
	kit_expect(&l->kit, DIAG_NV_GRID,
		   "the grid has 2147483648 programs along axis 0, but Fake GPU 0 takes at most 2147483647");
	assert_false(nv_launch(f, high, NULL, l->args.params, &l->kit.diags));
	kit_expect(&l->kit, DIAG_NV_GRID, "65536 programs along axis 1, but Fake GPU 0 takes at most 65535");
	assert_false(nv_launch(f, deep, NULL, l->args.params, &l->kit.diags));
	kit_expect(&l->kit, DIAG_NV_GRID, "70000 programs along axis 2");
	l->info.cluster = 2;
	f = load_info(l);
	const uint32_t pairs[3] = {1073741824u, 1, 1};
	assert_false(nv_launch(f, pairs, NULL, l->args.params, &l->kit.diags));
	kit_expect(&l->kit, DIAG_NV_GRID, "2147483648 CTAs along axis 0");
}

static void clusters_and_attributes(void **state)
{
	Launch *l = *state;
	l->info.cluster = 4;
	l->info.cooperative = l->info.dependent = true;
	NvFunction *f = load_info(l);
	assert_true(nv_launch(f, grid_of_12, NULL, l->args.params, &l->kit.diags));
	assert_int_equal(l->kit.fake->last.grid[0], 12);
	assert_int_equal(l->kit.fake->last.grid[1], 2);
	assert_int_equal(l->kit.fake->last.cluster, 4);
	assert_int_equal(l->kit.fake->last.cooperative, 1);
	assert_int_equal(l->kit.fake->last.dependent, 1);
	assert_int_equal(l->kit.fake->last.attributes, 3);
	/* 132 SMs, 4 CTAs each: 528 at once. */
	const uint32_t fits[3] = {132, 1, 1}, too_many[3] = {133, 1, 1};
	assert_true(nv_launch(f, fits, NULL, l->args.params, &l->kit.diags));
	kit_clean(&l->kit);
	assert_false(nv_launch(f, too_many, NULL, l->args.params, &l->kit.diags));
	kit_expect(&l->kit, DIAG_NV_COOPERATIVE, "a cooperative grid of 532 CTAs cannot run at once: Fake GPU 0 has 132 SMs, "
					      "each for 4 of them");
	l->kit.fake->blocks_per_sm = 0;
	assert_false(nv_launch(f, fits, NULL, l->args.params, &l->kit.diags));
	kit_expect(&l->kit, DIAG_NV_CALL, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
	l->info = plain_info();
	l->info.cluster = 16;
	assert_non_null(load_info(l));
	assert_non_null(strstr(l->kit.fake->calls, "cuFuncSetAttribute:cluster"));
	l->kit.fake->fail_call = "cuFuncSetAttribute:cluster";
	l->kit.fake->fail_result = CUDA_INVALID_VALUE;
	assert_null(load_info(l));
	kit_expect(&l->kit, DIAG_NV_CLUSTER, "needs clusters of 16 CTAs: Fake GPU 0 takes at most 8");
}

static void clusters_where_there_are_none(void **state)
{
	Launch *l = *state;
	l->kit.fake->major = 8;
	l->info.cluster = 2;
	assert_null(load_info(l));
	kit_expect(&l->kit, DIAG_NV_CLUSTER, "needs clusters of 2 CTAs: Fake GPU 0 has none");
	/* Overlapping is a hint: where it is not known, the launch is an ordinary one. */
	l->info.cluster = 1;
	l->info.dependent = true;
	NvFunction *f = load_info(l);
	assert_true(nv_launch(f, grid_of_12, NULL, l->args.params, &l->kit.diags));
	assert_null(strstr(l->kit.fake->calls, "cuLaunchKernelEx"));
	unload(l);
	kit_close(&l->kit);
	kit_open(&l->kit);
	l->kit.fake->without = 1;
	l->info.cluster = 2;
	assert_null(load_info(l));
	kit_expect(&l->kit, DIAG_NV_CLUSTER, "driver 13.0");
}

/* ---- scratch ---- */

static NvKernelInfo scratch_info(void)
{
	NvKernelInfo info = plain_info();
	info.args = "p4f8s";
	info.arg_names = NULL;
	info.scratch_bytes = 1000;
	info.scratch_align = 128;
	return info;
}

static uint64_t launch_scratch(Kit *kit, NvFunction *f, uint32_t programs, NvStream stream)
{
	Args args;
	fill_args(&args);
	const uint32_t grid[3] = {programs, 1, 1};
	kit->fake->arg_count = 5;
	if (!nv_launch(f, grid, stream, args.params, &kit->diags))
		return 0;
	return kit->fake->last.args[4];
}

static void scratch_grows_with_its_stream(void **state)
{
	Launch *l = *state;
	l->info = scratch_info();
	NvFunction *f = load_info(l);
	int a, b;
	uint64_t first = launch_scratch(&l->kit, f, 10, &a);
	assert_true(first != 0 && first % 128 == 0);
	assert_int_equal(launch_scratch(&l->kit, f, 9, &a), first);
	uint64_t other = launch_scratch(&l->kit, f, 10, &b);
	assert_true(other != 0 && other != first); /* streams run beside each other */
	assert_int_equal(l->kit.fake->allocations, 2);
	assert_true(launch_scratch(&l->kit, f, 11, &a) != 0);
	assert_int_equal(l->kit.fake->allocations, 3);
	assert_int_equal(l->kit.fake->frees, 1);
	assert_int_equal(l->kit.fake->bytes, 10000 + 15000);
	assert_true(launch_scratch(&l->kit, f, 15, &a) != 0); /* half as much again was there */
	assert_int_equal(l->kit.fake->allocations, 3);
	kit_clean(&l->kit);
	assert_int_equal(launch_scratch(&l->kit, f, 1000000, &a), 0);
	kit_expect(&l->kit, DIAG_NV_SCRATCH, "no scratch memory of 1000000000 bytes for a grid of (1000000, 1, 1)");
	assert_true(launch_scratch(&l->kit, f, 1, &a) != 0);
	/* A stream that has the handle of one that is gone: the old buffer is not left behind, nor taken over as it is. */
	assert_true(launch_scratch(&l->kit, f, 12, &a) != 0);
	l->kit.fake->stream_ids = 1000;
	assert_true(launch_scratch(&l->kit, f, 3, &a) != 0);
	assert_non_null(strstr(l->kit.fake->calls, "cuMemFree "));
	assert_int_equal(l->kit.fake->bytes, 10000 + 3000);
	unload(l);
	kit_close(&l->kit);
	assert_int_equal(l->kit.fake->bytes, 0);
	kit_open(&l->kit);
}

static void scratch_without_pools_and_in_graphs(void **state)
{
	Launch *l = *state;
	l->info = scratch_info();
	l->kit.fake->pools = 0;
	NvFunction *f = load_info(l);
	assert_true(launch_scratch(&l->kit, f, 10, NULL) != 0 && launch_scratch(&l->kit, f, 20, NULL) != 0);
	assert_int_equal(l->kit.fake->allocations, 2);
	assert_int_equal(l->kit.fake->bytes, 20000);
	assert_non_null(strstr(l->kit.fake->calls, "cuMemFree "));
	/* A graph gets memory of its own, which it frees. */
	l->kit.fake->pools = 1;
	l->kit.fake->capturing = CUDA_CAPTURE_ACTIVE;
	assert_true(launch_scratch(&l->kit, f, 10, NULL) != 0);
	assert_int_equal(l->kit.fake->allocations, 3);
	assert_int_equal(l->kit.fake->bytes, 20000);
	l->kit.fake->fail_call = "cuMemAllocAsync";
	l->kit.fake->fail_result = CUDA_OUT_OF_MEMORY;
	assert_int_equal(launch_scratch(&l->kit, f, 10, NULL), 0);
	kit_expect(&l->kit, DIAG_NV_SCRATCH, "no scratch memory of 10000 bytes");
}

static NvPtr host_scratch(void *data, size_t bytes, size_t align, NvStream stream)
{
	(void)stream;
	*(size_t *)data = bytes;
	return align == 128 && bytes < 100000 ? 0xabc00 : 0;
}

static void scratch_of_the_host(void **state)
{
	Launch *l = *state;
	size_t asked = 0;
	NvDriverOptions options = {.library = kit_library(), .scratch = host_scratch, .scratch_data = &asked};
	nv_driver_free(l->kit.driver);
	l->kit.driver = nv_driver_new(&options);
	l->info = scratch_info();
	l->info.cluster = 2;
	NvFunction *f = load_info(l);
	assert_int_equal(launch_scratch(&l->kit, f, 10, NULL), 0xabc00);
	assert_int_equal(asked, 20000);
	assert_int_equal(l->kit.fake->allocations, 0);
	assert_int_equal(launch_scratch(&l->kit, f, 100, NULL), 0);
	kit_expect(&l->kit, DIAG_NV_SCRATCH, "200000 bytes");
}

/* ---- faults ---- */

static void launch_refused_by_the_driver(void **state)
{
	Launch *l = *state;
	NvFunction *f = load_info(l);
	l->kit.fake->fail_call = "cuLaunchKernel";
	l->kit.fake->fail_result = CUDA_LAUNCH_OUT_OF_RESOURCES;
	assert_false(nv_launch(f, grid_of_12, NULL, l->args.params, &l->kit.diags));
	kit_expect(&l->kit, DIAG_NV_LAUNCH,
		   "add.py:5 add_kernel cannot be launched: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES: as injected\n"
		   "note: grid (3, 2, 2), 128 threads and 1024 bytes of shared memory a CTA, called with "
		   "x_ptr = 0x7f0000001000, n = -98, scale = 1.5, big = 1099511627776\n"
		   "note: it uses 32 registers a thread");
	assert_true(nv_launch(f, grid_of_12, NULL, l->args.params, &l->kit.diags));
	kit_clean(&l->kit);
}

static void fault_names_what_ran(void **state)
{
	Launch *l = *state;
	NvFunction *f = load_info(l);
	l->info.shown = "mul.py:9 mul_kernel";
	NvKernel *second = nv_kernel_new(l->kit.driver, "cubin", 5, &l->info);
	NvFunction *g = load(&l->kit, second);
	/* What ended well is not named. */
	assert_true(nv_launch(g, grid_of_12, NULL, l->args.params, &l->kit.diags));
	assert_true(nv_synchronize(l->kit.driver, NULL, &l->kit.diags));
	assert_true(nv_launch(f, grid_of_12, NULL, l->args.params, &l->kit.diags));
	l->kit.fake->kernel_fault(CUDA_ILLEGAL_ADDRESS);
	assert_false(nv_synchronize(l->kit.driver, NULL, &l->kit.diags));
	kit_expect(&l->kit, DIAG_NV_FAULT,
		   "a kernel failed on the GPU: CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered\n"
		   "note: the targets interp and sim:GPU with --check find the line, on the CPU\n"
		   "note: launched before: add.py:5 add_kernel, grid (3, 2, 2), called with x_ptr = 0x7f0000001000, "
		   "n = -98, scale = 1.5, big = 1099511627776\n");
	/* A later launch meets it too, and is not the one to blame. */
	assert_false(nv_launch(g, grid_of_12, NULL, l->args.params, &l->kit.diags));
	Text text;
	text_init(&text, &l->kit.arena);
	diag_render_all(&text, &l->kit.diags);
	assert_null(strstr(text.data, "mul_kernel"));
	kit_expect(&l->kit, DIAG_NV_FAULT, "add_kernel");
	/* So does loading; kernels that are gone are not named. */
	assert_null(load_info(l));
	kit_expect(&l->kit, DIAG_NV_FAULT, "no launch of Neso was pending");
	nv_kernel_free(second);
}

static void fault_after_many_launches(void **state)
{
	Launch *l = *state;
	int stream;
	NvFunction *f = load_info(l);
	for (uint32_t i = 1; i <= 7; i++) {
		const uint32_t grid[3] = {i, 1, 1};
		assert_true(nv_launch(f, grid, i % 2 ? &stream : NULL, l->args.params, &l->kit.diags));
	}
	assert_true(nv_synchronize(l->kit.driver, &stream, &l->kit.diags)); /* 1, 3, 5, 7 ended */
	l->kit.fake->kernel_fault(CUDA_ASSERT);
	assert_false(nv_synchronize_all(l->kit.driver, &l->kit.diags));
	Text text;
	text_init(&text, &l->kit.arena);
	diag_render_all(&text, &l->kit.diags);
	const char *newest = strstr(text.data, "grid (6, 1, 1)"), *oldest = strstr(text.data, "grid (2, 1, 1)");
	assert_true(newest && oldest && newest < oldest);
	assert_null(strstr(text.data, "grid (7, 1, 1)"));
	kit_expect(&l->kit, DIAG_NV_FAULT, "CUDA_ERROR_ASSERT");
	l->kit.fake->kernel_fault(0);
	for (uint32_t i = 0; i < 200; i++)
		assert_true(nv_launch(f, grid_of_12, NULL, l->args.params, &l->kit.diags));
	l->kit.fake->kernel_fault(CUDA_ILLEGAL_ADDRESS);
	assert_false(nv_synchronize_all(l->kit.driver, &l->kit.diags));
	kit_expect(&l->kit, DIAG_NV_FAULT, "note: and at least 59 more");
}

/* ---- threads, fork ---- */

typedef struct Worker {
	Kit *kit;
	NvKernel *kernel;
	bool ok;
} Worker;

static void *work(void *data)
{
	Worker *w = data;
	Arena arena;
	DiagList diags;
	Args args;
	fill_args(&args);
	arena_init(&arena, 0);
	diag_init(&diags, &arena, NULL);
	w->ok = true;
	for (int i = 0; i < 500 && w->ok; i++) {
		NvContext context = nv_context(w->kit->driver, &diags);
		NvFunction *f = context ? nv_kernel_function(w->kernel, context, &diags) : NULL;
		w->ok = f && nv_launch(f, grid_of_12, NULL, args.params, &diags) &&
			(i % 100 || nv_synchronize(w->kit->driver, NULL, &diags));
	}
	arena_free(&arena);
	return NULL;
}

static void many_threads_launch(void **state)
{
	Launch *l = *state;
	l->kernel = nv_kernel_new(l->kit.driver, "cubin", 5, &l->info);
	pthread_t threads[8];
	Worker workers[8];
	for (int i = 0; i < 8; i++) {
		workers[i] = (Worker){&l->kit, l->kernel, false};
		assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
	}
	for (int i = 0; i < 8; i++) {
		pthread_join(threads[i], NULL);
		assert_true(workers[i].ok);
	}
	assert_int_equal(l->kit.fake->loads, 1);
	assert_int_equal(l->kit.fake->launches, 4000);
}

static void child_cannot_launch(void **state)
{
	Launch *l = *state;
	NvFunction *f = load_info(l);
	fflush(NULL);
	pid_t pid = fork();
	if (!pid) {
		int before = l->kit.fake->unloads;
		bool said = !nv_launch(f, grid_of_12, NULL, l->args.params, &l->kit.diags) &&
			    l->kit.diags.first->code == DIAG_NV_FORKED;
		bool none = l->kit.fake->launches == 0 && !load(&l->kit, l->kernel);
		unload(l);
		_exit(said && none && l->kit.fake->unloads == before ? 0 : 1);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_true(nv_launch(f, grid_of_12, NULL, l->args.params, &l->kit.diags));
}

/* A map of what x_ptr points to: n rows of 64 fp16, `big` elements apart. */
static const TensorMapPlan map_plan = {
	.type = TENSOR_MAP_F16, .rank = 2, .swizzle = 128, .base = 0, .fill = TENSOR_MAP_NAN,
	.shape = {{1, 1}, {-1, 64}}, .strides = {{3, 1}, {-1, 1}}, .box = {16, 64},
};

static void tensor_maps(void **state)
{
	Launch *l = *state;
	l->kit.fake->map_at = 4;
	l->args.n = 30;
	l->args.big = 72;
	l->info.args = "p4f8t";
	l->info.maps = &map_plan;
	l->info.map_count = 1;
	l->info.arg_names = NULL;
	assert_true(nv_maps_allowed(&map_plan, 1, "p4f8t"));
	assert_false(nv_maps_allowed(&map_plan, 1, "p4f8"));
	assert_false(nv_maps_allowed(&map_plan, 1, "84f8t")); /* the base is a pointer */
	assert_false(nv_maps_allowed(&map_plan, 1, "pff8t"));
	assert_false(nv_maps_allowed(&map_plan, 1, "p4ft"));
	assert_false(nv_maps_allowed(NULL, 0, "p4f8t"));
	NvFunction *f = load_info(l);
	for (int i = 0; i < 3; i++) /* made once */
		assert_int_equal(nv_launch_plain(f, grid_of_12, NULL, l->args.params), 0);
	assert_int_equal(l->kit.fake->encoded, 1);
	const uint64_t *map = l->kit.fake->last_map;
	assert_int_equal(map[0], l->args.pointer);
	assert_int_equal(map[1], 6 | 2 << 8 | 3 << 16 | 2 << 24 | UINT64_C(1) << 32);
	assert_int_equal(map[2], 64);
	assert_int_equal(map[3], 30);
	assert_int_equal(map[8], 144);
	assert_int_equal(map[12], 64 << 9 | 16);
	/* Buffers that take turns are remembered; another size is another map. */
	for (int i = 0; i < 4; i++) {
		l->args.pointer ^= 0x40000;
		assert_int_equal(nv_launch_plain(f, grid_of_12, NULL, l->args.params), 0);
		assert_int_equal(map[0], l->args.pointer);
	}
	assert_true(l->kit.fake->encoded <= 5);
	l->args.n = 31;
	assert_true(nv_launch(f, grid_of_12, NULL, l->args.params, &l->kit.diags));
	assert_int_equal(map[3], 31);
	/* What no map can say, and a driver that knows none. */
	assert_true(nv_can_launch(f, l->args.params));
	l->args.big = 71;
	assert_false(nv_can_launch(f, l->args.params));
	assert_int_equal(nv_launch_plain(f, grid_of_12, NULL, l->args.params), NV_NO_MAP);
	kit_clean(&l->kit);
	unload(l);
	kit_close(&l->kit);
	kit_open(&l->kit);
	l->kit.fake->without = 1;
	f = load_info(l);
	l->args.big = 72;
	assert_false(nv_can_launch(f, l->args.params));
}

#define LAUNCH_TEST(name) cmocka_unit_test_setup_teardown(name, launch_open, launch_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAUNCH_TEST(launch_reaches_the_driver),
		cmocka_unit_test(one_module_for_each_context),
		LAUNCH_TEST(loads_that_fail),
		LAUNCH_TEST(shared_memory),
		LAUNCH_TEST(threads_and_registers),
		LAUNCH_TEST(grid_limits),
		LAUNCH_TEST(clusters_and_attributes),
		LAUNCH_TEST(clusters_where_there_are_none),
		LAUNCH_TEST(scratch_grows_with_its_stream),
		LAUNCH_TEST(scratch_without_pools_and_in_graphs),
		LAUNCH_TEST(scratch_of_the_host),
		LAUNCH_TEST(launch_refused_by_the_driver),
		LAUNCH_TEST(fault_names_what_ran),
		LAUNCH_TEST(fault_after_many_launches),
		LAUNCH_TEST(many_threads_launch),
		LAUNCH_TEST(tensor_maps),
		LAUNCH_TEST(child_cannot_launch),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
