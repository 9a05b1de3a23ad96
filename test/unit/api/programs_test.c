/* Kernels that have a variant for launches of few programs and one for many
 * (jit/launch/programs.c): which is compiled, and launched, by grid; what strict mode, warm-up and
 * the cache make of it. On a fake driver, with the simulator beside it. */
#include "folder.h"
#include "nv_kit.h"

#include <neso/declare.h>
#include <neso/neso.h>

static const char text[] =
	"import triton\nimport triton.language as tl\n\n"
	"@triton.jit\n"
	"def product(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):\n"
	"    n = N // BN\n"
	"    row, col = tl.program_id(0) // n, tl.program_id(0) % n\n"
	"    i, j, k = row * BM + tl.arange(0, BM), col * BN + tl.arange(0, BN), tl.arange(0, BK)\n"
	"    a += i[:, None] * K + k[None, :]\n"
	"    b += k[:, None] * N + j[None, :]\n"
	"    acc = tl.zeros((BM, BN), tl.float32)\n"
	"    for at in range(0, K, BK):\n"
	"        acc = tl.dot(tl.load(a), tl.load(b), acc)\n"
	"        a += BK\n"
	"        b += BK * N\n"
	"    tl.store(c + i[:, None] * N + j[None, :], acc)\n";

enum { SMS = 132, HELD = 4 * SMS, PLAIN = 8 * 32, ROLES = PLAIN + 4 * 32 };
static const char signature[] = 
	"a: *fp16:16, b: *fp16:16, c: *fp32:16, M: i32:16, N: i32:16, K: i32:16, BM=128, BN=256, BK=64";

typedef struct Fixture {
	FakeCuda *fake;
	neso_context *context;
	neso_module *module;
	neso_kernel *kernel;
	neso_compile_options options;
	int compiles;
	uint32_t bm, bn;
} Fixture;

static bool count_compiles(void *data, const neso_event *event)
{
	const bool made = event->kind == NESO_EVENT_COMPILE_END && event->status == NESO_OK;
	((Fixture *)data)->compiles += made;
	return true;
}

static void begin(Fixture *f, const char *cache_dir)
{
	kit_find_codegen();
	memset(f, 0, sizeof *f);
	f->fake = kit_fake();
	f->fake->reset();
	f->fake->sms = SMS;
	neso_context_options options;
	neso_context_options_init(&options);
	options.event = count_compiles;
	options.event_data = f;
	options.libcuda = kit_library();
	options.cache_dir = cache_dir;
	neso_compile_options_init(&f->options);
	f->options.num_warps = 8;
	f->options.target = "cuda";
	f->bm = 128;
	f->bn = 256;
	assert_int_equal(neso_context_new(&options, &f->context, NULL), NESO_OK);
	assert_int_equal(neso_module_load_text(f->context, "p.py", text, sizeof text - 1, &f->module, NULL),
			 NESO_OK);
	assert_int_equal(neso_module_find(f->module, "product", &f->kernel, NULL), NESO_OK);
}

static void end(Fixture *f)
{
	neso_module_free(f->module);
	neso_context_free(f->context);
}

static void fill(const Fixture *f, neso_arg args[9], void *a, void *b, void *c, uint32_t rows, uint32_t k)
{
	const neso_arg given[] = {
		neso_arg_buffer("a", NESO_FP16, a, 16, NESO_READ_WRITE),
		neso_arg_buffer("b", NESO_FP16, b, 16, NESO_READ_WRITE),
		neso_arg_buffer("c", NESO_FP32, c, 16, NESO_READ_WRITE),
		neso_arg_int("M", rows * f->bm),
		neso_arg_int("N", f->bn),
		neso_arg_int("K", k),
		neso_arg_int("BM", f->bm),
		neso_arg_int("BN", f->bn),
		neso_arg_int("BK", 64),
	};
	memcpy(args, given, sizeof given);
}

static neso_status launched(Fixture *f, uint32_t programs)
{
	static _Alignas(16) char there[3][16];
	neso_arg args[9];
	fill(f, args, there[0], there[1], there[2], programs, 640);
	neso_launch l = neso_launch_of(args, 9, programs, 1, 1);
	l.options = &f->options;
	f->fake->last = (FakeLaunch){0};
	return neso_kernel_launch(f->kernel, &l, NULL, NULL);
}

/* As a launch for few: a CTA for each program. */
static void plain(Fixture *f, uint32_t programs)
{
	assert_int_equal(launched(f, programs), NESO_OK);
	assert_int_equal(f->fake->last.grid[0], programs);
	assert_int_equal(f->fake->last.block[0], PLAIN);
}

/* CTAs for several programs each, with a warp group that copies. */
static void persistent(Fixture *f, uint32_t programs)
{
	assert_int_equal(launched(f, programs), NESO_OK);
	assert_int_equal(f->fake->last.grid[0], programs < HELD ? programs : HELD);
	assert_int_equal(f->fake->last.block[0], ROLES);
}

static void the_grid_chooses(void **state)
{
	(void)state;
	Fixture f;
	begin(&f, "");
	plain(&f, 4);
	assert_int_equal(f.compiles, 1);
	plain(&f, SMS);
	assert_int_equal(f.compiles, 1);
	persistent(&f, SMS + 1);
	assert_int_equal(f.compiles, 2);
	for (uint32_t i = 1; i < 40; i++) {
		plain(&f, i);
		persistent(&f, 1000 * i);
	}
	assert_int_equal(f.compiles, 2);
	assert_int_equal(neso_kernel_variant_count(f.kernel), 2);
	end(&f);
}

static void many_alone_compile_once(void **state)
{
	(void)state;
	Fixture f;
	begin(&f, "");
	persistent(&f, 600);
	persistent(&f, 5000);
	assert_int_equal(f.compiles, 1);
	plain(&f, 7);
	persistent(&f, 600);
	assert_int_equal(f.compiles, 2);
	end(&f);
}

/* Tiles of which several CTAs share an SM: none is persistent, and where a launch has few, each has
 * an SM for itself. */
static void others_are_not_persistent(void **state)
{
	(void)state;
	Fixture f;
	begin(&f, "");
	f.options.num_warps = 4;
	f.bm = f.bn = 64;
	for (int turn = 0; turn < 2; turn++) {
		assert_int_equal(launched(&f, turn ? 5000 : 5), NESO_OK);
		assert_int_equal(f.fake->last.grid[0], turn ? 5000 : 5);
		assert_int_equal(f.compiles, 1);
		assert_int_equal(launched(&f, turn ? 6 : 6000), NESO_OK);
		assert_int_equal(f.fake->last.grid[0], turn ? 6 : 6000);
		assert_int_equal(launched(&f, turn ? 7000 : 7), NESO_OK);
		assert_int_equal(f.compiles, 2);
		end(&f);
		begin(&f, "");
		f.options.num_warps = 4;
		f.bm = f.bn = 64;
	}
	end(&f);
}

static void the_setting_forbids_it(void **state)
{
	(void)state;
	Fixture f;
	setenv("NESO_PERSIST", "0", 1);
	begin(&f, "");
	plain(&f, 4);
	plain(&f, 4000);
	assert_int_equal(f.compiles, 1);
	end(&f);
	unsetenv("NESO_PERSIST");
}

/* What is missing is no reason to refuse: the variant for few does it. */
static void strict_mode_takes_what_there_is(void **state)
{
	(void)state;
	Fixture f;
	begin(&f, "");
	plain(&f, 4);
	neso_context_set_strict(f.context, NESO_STRICT_ON);
	plain(&f, 4000);
	plain(&f, 4000);
	assert_int_equal(f.compiles, 1);
	end(&f);
	begin(&f, "");
	persistent(&f, 4000);
	neso_context_set_strict(f.context, NESO_STRICT_ON);
	persistent(&f, 4); /* is right for few, too */
	assert_int_equal(f.compiles, 1);
	end(&f);
}

static void a_declaration_stands_for_both(void **state)
{
	(void)state;
	Fixture f;
	char line[300];
	begin(&f, "");
	neso_warm_result result = {.size = sizeof result};
	snprintf(line, sizeof line, "p.py:product(%s) num_warps=8\n", signature);
	const neso_warm_options options = {.size = sizeof options, .target = "cuda"};
	assert_int_equal(neso_context_warm(f.context, "p.variants", line, &options, &result, NULL), NESO_OK);
	assert_int_equal(result.variants, 1);
	assert_int_equal(f.compiles, 3); /* and one for launches that cannot make tensor maps */
	neso_context_set_strict(f.context, NESO_STRICT_ON);
	plain(&f, 4);
	persistent(&f, 4000);
	assert_int_equal(f.compiles, 3);
	end(&f);
}

static void both_are_kept(void **state)
{
	(void)state;
	Fixture f;
	char folder[64], command[100];
	assert_non_null(test_folder(folder, sizeof folder, "programs"));
	for (int turn = 0; turn < 2; turn++) {
		begin(&f, folder);
		if (turn)
			neso_context_set_strict(f.context, NESO_STRICT_ON);
		plain(&f, 4);
		persistent(&f, 4000);
		plain(&f, 5);
		end(&f);
	}
	snprintf(command, sizeof command, "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

/* The simulator runs what a GPU would. */
static void simulated_results_are_right(void **state)
{
	(void)state;
	enum { ROWS = SMS + 3, K = 64, N = 256 };
	Fixture f;
	begin(&f, "");
	f.options.target = "sim:sm_90a";
	uint16_t *a = aligned_alloc(16, ROWS * 128 * K * 2), *b = aligned_alloc(16, K * N * 2);
	float *c = aligned_alloc(16, ROWS * 128 * N * 4);
	for (size_t i = 0; i < ROWS * 128 * K; i++)
		a[i] = (uint16_t)(i % 7 ? 0x3c00 : 0x4000); /* 1 and 2 */
	for (size_t i = 0; i < K * N; i++)
		b[i] = (uint16_t)(i % 3 ? 0 : 0x3c00);
	for (uint32_t rows = 2; rows <= ROWS; rows += SMS + 1) {
		neso_arg args[9];
		fill(&f, args, a, b, c, rows, K);
		args[0].bytes = (size_t)ROWS * 128 * K * 2;
		args[1].bytes = (size_t)K * N * 2;
		args[2].bytes = (size_t)ROWS * 128 * N * 4;
		neso_launch l = neso_launch_of(args, 9, rows, 1, 1);
		l.options = &f.options;
		memset(c, 0xff, (size_t)ROWS * 128 * N * 4);
		assert_int_equal(neso_kernel_launch(f.kernel, &l, NULL, NULL), NESO_OK);
		for (uint32_t i = 0; i < rows * 128; i += 61) {
			float want[3] = {0};
			for (size_t k = 0; k < K; k++)
				for (size_t j = 0; j < 3; j++)
					want[j] += (k * N + j) % 3 ? 0.0F : (i * K + k) % 7 ? 1.0F : 2.0F;
			for (size_t j = 0; j < 3; j++)
				assert_true(c[(size_t)i * N + j] == want[j]);
		}
		assert_int_equal(f.compiles, rows > SMS ? 2 : 1);
	}
	free(a);
	free(b);
	free(c);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_grid_chooses),
		cmocka_unit_test(many_alone_compile_once),
		cmocka_unit_test(others_are_not_persistent),
		cmocka_unit_test(the_setting_forbids_it),
		cmocka_unit_test(strict_mode_takes_what_there_is),
		cmocka_unit_test(a_declaration_stands_for_both),
		cmocka_unit_test(both_are_kept),
		cmocka_unit_test(simulated_results_are_right),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
