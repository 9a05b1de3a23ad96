/* Kernels whose CTAs run several programs, on the fake driver: how many CTAs a launch starts, the
 * count of programs that they get, and that errors tell of programs. */
#include "nv_kit.h"

enum { HELD = 4 * 132 /* CTAs that the fake GPU holds at once */ };

typedef struct Persist {
	Kit kit;
	NvKernelInfo info;
	NvKernel *kernel;
	NvFunction *function;
	uint64_t pointer;
	void *params[2];
	bool all; /* it counts programs along all axes */
} Persist;

static int persist_open(void **state)
{
	static Persist p;
	kit_open(&p.kit);
	p.info = (NvKernelInfo){.name = "kernel", .shown = "mm.py:5 mm", .threads = 128, .args = "pn"};
	p.pointer = 0x7f0000001000;
	p.params[0] = &p.pointer;
	p.kit.fake->arg_count = 2;
	p.kit.fake->arg_bytes[1] = p.kit.fake->arg_bytes[2] = p.kit.fake->arg_bytes[3] = 4;
	p.all = false;
	*state = &p;
	return 0;
}

static int persist_close(void **state)
{
	Persist *p = *state;
	nv_kernel_free(p->kernel);
	kit_close(&p->kit);
	return 0;
}

static void load(Persist *p)
{
	NvContext context = nv_context(p->kit.driver, &p->kit.diags);
	p->kernel = nv_kernel_new(p->kit.driver, "cubin", 5, &p->info);
	p->function = nv_kernel_function(p->kernel, context, &p->kit.diags);
	assert_non_null(p->function);
}

static void starts(Persist *p, uint32_t x, uint32_t y, uint32_t z, unsigned ctas)
{
	const uint32_t grid[3] = {x, y, z};
	const FakeLaunch *last = &p->kit.fake->last;
	assert_true(nv_launch(p->function, grid, NULL, p->params, &p->kit.diags));
	kit_clean(&p->kit);
	assert_int_equal(last->grid[0], ctas);
	const bool several = p->all && ctas == HELD;
	assert_int_equal(last->grid[1], several ? 1 : y);
	assert_int_equal(last->grid[2], several ? 1 : z);
	assert_int_equal(last->args[0], p->pointer);
	for (unsigned axis = 0; axis < (p->all ? 3 : 1); axis++)
		assert_int_equal((uint32_t)last->args[1 + axis], grid[axis]);
}

static void as_many_as_the_gpu_holds(void **state)
{
	Persist *p = *state;
	load(p);
	starts(p, 1, 1, 1, 1);
	starts(p, HELD, 1, 1, HELD);
	starts(p, HELD + 1, 1, 1, HELD);
	starts(p, 10000, 1, 1, HELD);
	starts(p, 10000, 3, 2, HELD / 6);
	starts(p, 10000, 1000, 1, 1);
	starts(p, INT32_MAX - HELD, 1, 1, HELD);
	starts(p, INT32_MAX, 1, 1, INT32_MAX); /* a step further is no int32 */
}

static void all_along_the_first_axis(void **state)
{
	Persist *p = *state;
	p->info.args = "pnnn";
	p->kit.fake->arg_count = 4;
	p->all = true;
	load(p);
	starts(p, 1, 1, 1, 1);
	starts(p, HELD / 2, 2, 1, HELD / 2);
	starts(p, HELD / 2, 2, 2, HELD);
	starts(p, 1, 700, 1, HELD);
	starts(p, 10000, 1000, 20, HELD);
	starts(p, 1 << 16, 1 << 14, 2, 1 << 16); /* a step further is no int32 */
}

static void cooperative_grids_are_the_users(void **state)
{
	Persist *p = *state;
	p->info.cooperative = true;
	load(p);
	starts(p, HELD, 1, 1, HELD);
	starts(p, HELD / 2, 2, 1, HELD / 2);
}

static void launches_that_overlap(void **state)
{
	Persist *p = *state;
	p->info.dependent = true;
	load(p);
	starts(p, 10000, 1, 1, HELD);
}

static void scratch_comes_last(void **state)
{
	Persist *p = *state;
	p->info.args = "pns";
	p->info.scratch_bytes = 64;
	load(p);
	p->kit.fake->arg_count = 3;
	p->kit.fake->arg_bytes[2] = 8; /* a pointer, whose lower half may be 0 */
	starts(p, 1000, 1, 1, HELD);
	assert_true(p->kit.fake->last.args[2] != 0);
}

static void scratch_comes_behind_all_counts(void **state)
{
	Persist *p = *state;
	p->info.args = "pnnns";
	p->info.scratch_bytes = 64;
	p->kit.fake->arg_count = 5;
	p->kit.fake->arg_bytes[4] = 8;
	p->all = true;
	load(p);
	starts(p, 10, 1000, 20, HELD);
	assert_true(p->kit.fake->last.args[4] != 0);
}

static void errors_tell_of_programs(void **state)
{
	Persist *p = *state;
	const uint32_t grid[3] = {5000, 1, 1};
	load(p);
	p->kit.fake->fail_call = "cuLaunchKernel";
	p->kit.fake->fail_result = CUDA_INVALID_VALUE;
	assert_false(nv_launch(p->function, grid, NULL, p->params, &p->kit.diags));
	Text text;
	text_init(&text, &p->kit.arena);
	diag_render(&text, p->kit.diags.first);
	assert_non_null(strstr(text.data, "grid (5000, 1, 1)"));
	assert_non_null(strstr(text.data, "the grid's programs"));
}

/* A kernel of two takes the grids that it is for, along all axes; any is right when it is asked by
 * itself. */
static void grids_choose(void **state)
{
	static const struct {
		uint32_t grid[3];
		bool many, uneven; /* of programs that take alike long, and of others */
	} cases[] = {{{132, 1, 1}, false, false}, {{133, 1, 1}, true, false}, {{32, 128, 1}, true, true},
		     {{32, 2, 64}, true, true},   {{1, 128, 2}, true, false}, {{4, 8, 2}, false, false}};
	Persist *p = *state;
	for (int kind = 0; kind < 4; kind++) {
		const bool many = kind & 1, uneven = kind & 2;
		p->info.programs = many ? NV_PROGRAMS_MANY : NV_PROGRAMS_FEW;
		p->info.uneven = uneven;
		load(p);
		for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
			int result = nv_launch_plain(p->function, cases[i].grid, NULL, p->params);
			bool own = (uneven ? cases[i].uneven : cases[i].many) == many;
			assert_int_equal(result, own ? CUDA_SUCCESS : NV_NOT_PLAIN);
			assert_true(nv_launch(p->function, cases[i].grid, NULL, p->params, &p->kit.diags));
		}
		nv_kernel_free(p->kernel);
		p->kernel = NULL;
	}
}

#define PERSIST_TEST(name) cmocka_unit_test_setup_teardown(name, persist_open, persist_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		PERSIST_TEST(as_many_as_the_gpu_holds),
		PERSIST_TEST(all_along_the_first_axis),
		PERSIST_TEST(cooperative_grids_are_the_users),
		PERSIST_TEST(launches_that_overlap),
		PERSIST_TEST(scratch_comes_last),
		PERSIST_TEST(scratch_comes_behind_all_counts),
		PERSIST_TEST(errors_tell_of_programs),
		PERSIST_TEST(grids_choose),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
