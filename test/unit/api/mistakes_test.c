/* Mistakes that callers of neso.h make: each ends with a status and a diagnostic that names it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <math.h>
#include <neso/neso.h>
#include <neso/tune.h>

static const char text[] = "import triton\nimport triton.language as tl\n\n"
			   "@triton.jit\n"
			   "def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):\n"
			   "    i = tl.arange(0, BLOCK)\n"
			   "    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)\n";

enum { COUNT = 16 };

typedef struct Call {
	neso_context *context;
	neso_module *module;
	neso_kernel *kernel;
	float x[COUNT], out[COUNT];
	neso_arg args[4];
	neso_launch launch;
	neso_compile_options options;
} Call;

static void fill(Call *c)
{
	c->args[0] = neso_arg_buffer("x_ptr", NESO_FP32, c->x, sizeof c->x, NESO_READ);
	c->args[1] = neso_arg_buffer("out_ptr", NESO_FP32, c->out, sizeof c->out, NESO_READ_WRITE);
	c->args[2] = neso_arg_int("n", COUNT);
	c->args[3] = neso_arg_int("BLOCK", COUNT);
	c->launch = neso_launch_of(c->args, 4, 1, 1, 1);
	neso_compile_options_init(&c->options);
	c->launch.options = &c->options;
}

static int setup(void **state)
{
	Call *c = calloc(1, sizeof *c);
	*state = c;
	assert_int_equal(neso_context_new(NULL, &c->context, NULL), NESO_OK);
	assert_int_equal(neso_module_load_text(c->context, "k.py", text, sizeof text - 1, &c->module, NULL),
			 NESO_OK);
	assert_int_equal(neso_module_find(c->module, "double", &c->kernel, NULL), NESO_OK);
	fill(c);
	return 0;
}

static int teardown(void **state)
{
	Call *c = *state;
	neso_module_free(c->module);
	neso_context_free(c->context);
	free(c);
	return 0;
}

/* The first diagnostic has this code. */
static void expect_code(Call *c, const char *code)
{
	neso_diagnostics *diagnostics;
	assert_int_equal(neso_kernel_launch(c->kernel, &c->launch, NULL, &diagnostics), NESO_ERROR_ARGUMENT);
	assert_string_equal(neso_diagnostics_get(diagnostics, 0)->code, code);
	neso_diagnostics_free(diagnostics);
}

/* The first diagnostic has these words. */
static void expect(neso_status status, neso_status wanted, neso_diagnostics *diagnostics, const char *words)
{
	assert_int_equal(status, wanted);
	assert_int_not_equal(neso_diagnostics_count(diagnostics), 0);
	const char *said = neso_diagnostics_get(diagnostics, 0)->text;
	if (!strstr(said, words))
		fail_msg("'%s' lacks '%s'", said, words);
	neso_diagnostics_free(diagnostics);
}

static void expect_launch(Call *c, neso_status wanted, const char *words)
{
	neso_diagnostics *diagnostics;
	neso_status status = neso_kernel_launch(c->kernel, &c->launch, NULL, &diagnostics);
	expect(status, wanted, diagnostics, words);
	fill(c);
	assert_int_equal(neso_kernel_launch(c->kernel, &c->launch, NULL, NULL), NESO_OK);
}

static void test_memory_that_is_not_there(void **state)
{
	Call *c = *state;
	c->args[0].address = NULL;
	expect_launch(c, NESO_ERROR_USAGE, "the address of argument 'x_ptr' is NULL, and 64 bytes");
	/* What is compiled alone needs no memory. */
	neso_variant *variant;
	c->args[0].address = NULL;
	assert_int_equal(neso_kernel_compile_for(c->kernel, &c->launch, &variant, NULL), NESO_OK);
}

static void test_sizes_that_no_version_has(void **state)
{
	Call *c = *state;
	c->launch.size = 13;
	expect_launch(c, NESO_ERROR_USAGE, "neso_launch.size is 13: set it to sizeof(neso_launch)");
	c->launch.size = 16;
	expect_launch(c, NESO_ERROR_USAGE, "neso_launch.size is 16: set it to sizeof(neso_launch)");
	c->launch.arg_size = 8;
	expect_launch(c, NESO_ERROR_USAGE, "neso_launch.arg_size is 8: set it to sizeof(neso_arg)");
	c->options.size = 9;
	expect_launch(c, NESO_ERROR_USAGE, "neso_compile_options.size is 9");
}

static void test_kinds_and_bits(void **state)
{
	Call *c = *state;
	c->args[2].kind = (neso_arg_kind)42;
	expect_launch(c, NESO_ERROR_USAGE, "the kind of argument 'n' is 42");
	c->launch.watch = 1u << 20;
	expect_launch(c, NESO_ERROR_USAGE, "neso_launch.watch is 1048576");
	c->launch.timeout = NAN;
	expect_launch(c, NESO_ERROR_USAGE, "neso_launch.timeout is no number");
	c->options.compile_timeout = NAN;
	expect_launch(c, NESO_ERROR_USAGE, "neso_compile_options.compile_timeout is no number");
}

static void test_options(void **state)
{
	Call *c = *state;
	c->options.dot_precision = "fp33";
	expect_code(c, "OPTION_PRECISION");
	expect_launch(c, NESO_ERROR_ARGUMENT, "dot_precision is 'fp33'"); /* OPTION_PRECISION */
	c->options.maxnreg = 7;
	expect_launch(c, NESO_ERROR_ARGUMENT, "maxnreg is 7, but must be 0, or 16 to 256");
	c->options.target = "sim:sm_80";
	c->options.num_ctas = 2;
	expect_code(c, "OPTION_CLUSTER");
	expect_launch(c, NESO_ERROR_ARGUMENT, "num_ctas is 2, but sm_80 has no clusters");
	c->options.dot_precision = "IEEE";
	assert_int_equal(neso_kernel_launch(c->kernel, &c->launch, NULL, NULL), NESO_OK);
}

static void test_other_constants_than_a_variant_has(void **state)
{
	Call *c = *state;
	neso_variant *variant;
	neso_diagnostics *diagnostics;
	const char *signature = "*fp32,*fp32,i32:1,16";
	assert_int_equal(neso_kernel_compile(c->kernel, signature, NULL, &variant, NULL), NESO_OK);
	c->launch.options = NULL;
	c->args[2] = neso_arg_int("n", 1);
	assert_int_equal(neso_variant_launch(variant, &c->launch, NULL, NULL), NESO_OK);
	c->args[3] = neso_arg_int("BLOCK", 32);
	neso_status status = neso_variant_launch(variant, &c->launch, NULL, &diagnostics);
	expect(status, NESO_ERROR_ARGUMENT, diagnostics, "wants the constant 16 for 'BLOCK'");
	c->args[3] = neso_arg_float("BLOCK", 16);
	c->args[2] = neso_arg_int("n", 5);
	status = neso_variant_launch(variant, &c->launch, NULL, &diagnostics);
	expect(status, NESO_ERROR_ARGUMENT, diagnostics, "wants the constant 1 for 'n'");
}

static void test_tuning(void **state)
{
	Call *c = *state;
	neso_tuning *tuning;
	neso_diagnostics *diagnostics;
	neso_tune_options options;
	neso_tune_options_init(&options);
	options.zero_count = 1;
	neso_status status = neso_tune_kernel(c->kernel, &c->launch, 1, &options, &tuning, &diagnostics);
	expect(status, NESO_ERROR_USAGE, diagnostics, "neso_tune_options.zero is NULL");
	options.zero_count = 0;
	options.restore_count = 2;
	status = neso_tune_kernel(c->kernel, &c->launch, 1, &options, &tuning, &diagnostics);
	expect(status, NESO_ERROR_USAGE, diagnostics, "neso_tune_options.restore is NULL");
	options.restore_count = 0;
	options.confidence = 7;
	status = neso_tune_kernel(c->kernel, &c->launch, 1, &options, &tuning, &diagnostics);
	expect(status, NESO_ERROR_USAGE, diagnostics, "neso_tune_options.confidence is 7");
	options.confidence = 0;
	options.budget = NAN;
	status = neso_tune_kernel(c->kernel, &c->launch, 1, &options, &tuning, &diagnostics);
	expect(status, NESO_ERROR_USAGE, diagnostics, "are 0 or more");
}

/* DIAG_SYMBOL_TAKEN */
static void test_a_name_that_is_taken(void **state)
{
	Call *c = *state;
	static const char ir[] = "module {\n"
				 "tt.func public @k(%n: i32) {\ntt.call @other() : () -> ()\ntt.return\n}\n"
				 "tt.func private @other() attributes {noinline = true} {\ntt.return\n}\n}\n";
	neso_module *module;
	neso_kernel *kernel;
	neso_variant *variant;
	neso_diagnostics *diagnostics;
	assert_int_equal(neso_module_load_ir(c->context, "k.ttir", ir, sizeof ir - 1, &module, NULL),
			 NESO_OK);
	assert_int_equal(neso_module_find(module, "k", &kernel, NULL), NESO_OK);
	c->options.symbol = "other";
	neso_status status = neso_kernel_compile(kernel, "i32", &c->options, &variant, &diagnostics);
	expect(status, NESO_ERROR_SOURCE, diagnostics,
	       "'other' is no name for the code of k: a function that it calls has it");
	neso_module_free(module);
}

static void test_a_number_that_is_not_there(void **state)
{
	(void)state;
	assert_int_equal(neso_number_class(NULL), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_memory_that_is_not_there, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sizes_that_no_version_has, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kinds_and_bits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_options, setup, teardown),
		cmocka_unit_test_setup_teardown(test_other_constants_than_a_variant_has, setup, teardown),
		cmocka_unit_test_setup_teardown(test_tuning, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_name_that_is_taken, setup, teardown),
		cmocka_unit_test(test_a_number_that_is_not_there),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
