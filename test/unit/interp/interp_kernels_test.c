/* Whole kernels as upstream's compiler writes them, against plain C: vector addition, softmax, matrix products. */
#include "interp_kit.h"

#include <math.h>

static const char *const add_text =
	"module {\n"
	"  tt.func public @kernel(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %o: !tt.ptr<f32>, %n: i32) {\n"
	"    %c = arith.constant 1024 : i32\n"
	"    %pid = tt.get_program_id x : i32\n"
	"    %0 = arith.muli %pid, %c : i32\n"
	"    %1 = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>\n"
	"    %2 = tt.splat %0 : i32 -> tensor<1024xi32>\n"
	"    %3 = arith.addi %2, %1 : tensor<1024xi32>\n"
	"    %4 = tt.splat %n : i32 -> tensor<1024xi32>\n"
	"    %m = arith.cmpi slt, %3, %4 : tensor<1024xi32>\n"
	"    %5 = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>\n"
	"    %6 = tt.addptr %5, %3 : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>\n"
	"    %7 = tt.load %6, %m : tensor<1024x!tt.ptr<f32>>\n"
	"    %8 = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>\n"
	"    %9 = tt.addptr %8, %3 : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>\n"
	"    %10 = tt.load %9, %m : tensor<1024x!tt.ptr<f32>>\n"
	"    %11 = arith.addf %7, %10 : tensor<1024xf32>\n"
	"    %12 = tt.splat %o : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>\n"
	"    %13 = tt.addptr %12, %3 : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>\n"
	"    tt.store %13, %11, %m : tensor<1024x!tt.ptr<f32>>\n"
	"    tt.return\n"
	"  }\n"
	"}\n";

static void vector_addition(void **state)
{
	for (int plain = 0; plain < 2; plain++) {
		enum { N = 10007 };
		float *x = malloc(N * 4), *y = malloc(N * 4), *o = malloc(N * 4);
		uint64_t seed = 1;
		for (int i = 0; i < N; i++) {
			x[i] = kit_uniform(&seed);
			y[i] = kit_uniform(&seed);
		}
		Kit *k = kit_new(add_text);
		kit_buffer(k, "x", x, N * 4, false);
		kit_buffer(k, "y", y, N * 4, false);
		kit_buffer(k, "o", o, N * 4, true);
		kit_scalar(k, N);
		k->launch.plain = plain;
		kit_run(k, (N + 1023) / 1024);
		for (int i = 0; i < N; i++)
			assert_true(o[i] == x[i] + y[i]);
		kit_free(k);
		free(x);
		free(y);
		free(o);
	}
}

static void past_the_end_is_reported(void **state)
{
	enum { N = 10000 };
	float *x = malloc(N * 4), *o = malloc(N * 4);
	Kit *k = kit_new(add_text);
	kit_buffer(k, "x", x, N * 4, false);
	kit_buffer(k, "y", x, N * 4, false);
	kit_buffer(k, "o", o, N * 4, true);
	kit_scalar(k, N + 7);
	const Diag *d = kit_fails(k, (N + 1023) / 1024);
	assert_int_equal(d->code, DIAG_RUN_OUT_OF_BOUNDS);
	assert_int_equal(d->from.line, 13);
	assert_non_null(strstr(d->text, "load of 4 bytes"));
	assert_non_null(strstr(d->text, "element [784]: it passes the end of 'x' (40000 bytes) by 4 bytes"));
	assert_non_null(strstr(d->text, "kernel 'kernel', program (9, 0, 0)"));
	kit_free(k);
	free(x);
	free(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vector_addition),
		cmocka_unit_test(past_the_end_is_reported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
