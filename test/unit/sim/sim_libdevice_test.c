/* Functions of the CUDA device library (libdevice.10.bc, where a toolkit is installed) in the simulator, against the host's; and
 * arithmetic and conversions in all roundings, which the library has by name, bit by bit. */
#include "needs_llvm.h"

#ifdef NESO_HAVE_LLVM

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "codegen/codegen.h"

extern const CodegenTable neso_codegen_table;

enum { COUNT = 256 };

static bool installed(void)
{
	const char *named = getenv("TRITON_LIBDEVICE_PATH"), *home = getenv("CUDA_HOME");
	char path[1024];
	snprintf(path, sizeof path, "%s/nvvm/libdevice/libdevice.10.bc", home && *home ? home : "/usr/local/cuda");
	return access(named && *named ? named : path, R_OK) == 0;
}

/* out[i] = symbol(a[i], b[i], c[i]), as many as `arity`. */
static void run(const char *symbol, const char *from, const char *to, unsigned arity, void *const in[3], size_t in_size, void *out, size_t out_size)
{
	static char text[8192];
	static const char *const names[] = {"a", "b", "c"};
	size_t n = 0;
	n += (size_t)snprintf(text + n, sizeof text - n, "module {\n  tt.func public @k(");
	for (unsigned k = 0; k < 3; k++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%%p%s: !tt.ptr<%s> {tt.divisibility = 16 : i32}, ", names[k], from);
	n += (size_t)snprintf(text + n, sizeof text - n,
			      "%%po: !tt.ptr<%s> {tt.divisibility = 16 : i32}) {\n"
			      "    %%i = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>\n", to);
	for (unsigned k = 0; k < arity; k++)
		n += (size_t)snprintf(text + n, sizeof text - n,
				      "    %%s%s = tt.splat %%p%s : !tt.ptr<%s> -> tensor<256x!tt.ptr<%s>>\n"
				      "    %%q%s = tt.addptr %%s%s, %%i : tensor<256x!tt.ptr<%s>>, tensor<256xi32>\n"
				      "    %%%s = tt.load %%q%s : tensor<256x!tt.ptr<%s>>\n",
				      names[k], names[k], from, from, names[k], names[k], from, names[k], names[k], from);
	n += (size_t)snprintf(text + n, sizeof text - n, "    %%r = tt.extern_elementwise ");
	for (unsigned k = 0; k < arity; k++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%%%s", k ? ", " : "", names[k]);
	n += (size_t)snprintf(text + n, sizeof text - n, " {libname = \"libdevice\", libpath = \"\", pure = true, symbol = \"%s\"} : (", symbol);
	for (unsigned k = 0; k < arity; k++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%stensor<256x%s>", k ? ", " : "", from);
	snprintf(text + n, sizeof text - n,
		 ") -> tensor<256x%s>\n"
		 "    %%so = tt.splat %%po : !tt.ptr<%s> -> tensor<256x!tt.ptr<%s>>\n"
		 "    %%qo = tt.addptr %%so, %%i : tensor<256x!tt.ptr<%s>>, tensor<256xi32>\n"
		 "    tt.store %%qo, %%r : tensor<256x!tt.ptr<%s>>\n"
		 "    tt.return\n  }\n}\n", to, to, to, to, to);
	CodegenRequest request = {.from = CODEGEN_TTIR, .text = text, .len = strlen(text), .path = "test.ttir", .target = "sm_90a", .num_warps = 1,
				  .num_ctas = 1, .num_stages = 1, .verify_passes = true};
	CodegenSim *sim;
	CodegenResult *result = neso_codegen_table.sim_prepare(&request, &sim);
	if (!sim)
		fail_msg("%s: %s", symbol, result && result->diag_count ? result->diags[0].text : "");
	neso_codegen_table.free(result);
	uint64_t args[4];
	SimBuffer buffers[4];
	for (unsigned k = 0; k < 4; k++) {
		void *at = k < 3 ? in[k] : out;
		args[k] = (uint64_t)(uintptr_t)at;
		buffers[k] = (SimBuffer){"buffer", at, COUNT * (k < 3 ? in_size : out_size), k == 3};
	}
	SimLaunch launch = {.args = args, .arg_count = 4, .buffers = buffers, .buffer_count = 4, .grid = {1, 1, 1}, .check = true, .timeout = 60};
	result = neso_codegen_table.sim_launch(sim, &launch);
	if (!result->ok)
		fail_msg("%s: %s", symbol, result->diag_count ? result->diags[0].text : "");
	neso_codegen_table.free(result);
	neso_codegen_table.sim_free(sim);
}

/* ---- functions ---- */

typedef struct Function {
	const char *name;
	double (*f64)(double);
	double low, high, ulps; /* of f32 and f64: what NVIDIA's table of the library says, and one more */
} Function;

static const Function functions[] = {
	{"tan", tan, -100, 100, 5}, {"sin", sin, -1e5, 1e5, 3}, {"cos", cos, -1e5, 1e5, 3}, {"asin", asin, -1, 1, 5}, {"acos", acos, -1, 1, 4},
	{"atan", atan, -20, 20, 3}, {"sinh", sinh, -20, 20, 4}, {"cosh", cosh, -20, 20, 3}, {"tanh", tanh, -5, 5, 3}, {"asinh", asinh, -50, 50, 4},
	{"acosh", acosh, 1, 50, 5}, {"atanh", atanh, -0.99, 0.99, 4}, {"exp", exp, -50, 50, 3}, {"exp2", exp2, -50, 50, 3},
	{"expm1", expm1, -5, 5, 2}, {"log", log, 0.01, 100, 2}, {"log2", log2, 0.01, 100, 2}, {"log10", log10, 0.01, 100, 3},
	{"log1p", log1p, -0.9, 100, 2}, {"cbrt", cbrt, -100, 100, 2}, {"erf", erf, -3, 3, 3}, {"erfc", erfc, -3, 5, 6}, {"lgamma", lgamma, 3, 50, 7},
	{"tgamma", tgamma, 0.5, 20, 12}, {"sqrt", sqrt, 0, 100, 0}, {"floor", floor, -50, 50, 0}, {"ceil", ceil, -50, 50, 0},
	{"trunc", trunc, -50, 50, 0}, {"rint", rint, -50, 50, 0}, {"round", round, -50, 50, 0}, {"logb", logb, 0.01, 100, 0},
};

static void test_functions(void **state)
{
	static float a[COUNT], out[COUNT];
	static double wide[COUNT], wide_out[COUNT];
	if (!installed())
		skip();
	for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
		const Function *fn = &functions[f];
		char symbol[64];
		for (unsigned i = 0; i < COUNT; i++) {
			wide[i] = fn->low + (fn->high - fn->low) * i / (COUNT - 1);
			a[i] = (float)wide[i];
		}
		snprintf(symbol, sizeof symbol, "__nv_%sf", fn->name);
		run(symbol, "f32", "f32", 1, (void *const[]){a, a, a}, 4, out, 4);
		snprintf(symbol, sizeof symbol, "__nv_%s", fn->name);
		run(symbol, "f64", "f64", 1, (void *const[]){wide, wide, wide}, 8, wide_out, 8);
		for (unsigned i = 0; i < COUNT; i++) {
			double want = fn->f64((double)a[i]), unit = (double)(nextafterf(fabsf((float)want), INFINITY) - fabsf((float)want));
			if (!(fabs((double)out[i] - want) <= (fn->ulps + 0.5) * unit))
				fail_msg("%sf(%.9g): %.9g, not %.9g", fn->name, (double)a[i], (double)out[i], want);
			want = fn->f64(wide[i]);
			unit = nextafter(fabs(want), INFINITY) - fabs(want);
			if (!(fabs(wide_out[i] - want) <= (fn->ulps + 1) * unit))
				fail_msg("%s(%.17g): %.17g, not %.17g", fn->name, wide[i], wide_out[i], want);
		}
	}
}

/* ---- roundings ---- */

static const struct {
	const char *name;
	int mode;
} roundings[] = {{"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rd", FE_DOWNWARD}, {"ru", FE_UPWARD}};

typedef union Bits {
	float f;
	double d;
	uint32_t u;
	uint64_t w;
} Bits;

static uint64_t state_of_numbers = 1;

static uint64_t next_number(void)
{
	state_of_numbers = state_of_numbers * 6364136223846793005u + 1442695040888963407u;
	return state_of_numbers >> 11;
}

/* With the processor's rounding; operands that the compiler cannot know. */
static double rounded(const char *op, int mode, double x_, double y_, double z_, bool narrow)
{
	volatile double x = x_, y = y_, z = z_, r = 0;
	volatile float fx = (float)x_, fy = (float)y_, fz = (float)z_, fr = 0;
	fesetround(mode);
	if (strcmp(op, "add") == 0)
		r = x + y, fr = fx + fy;
	else if (strcmp(op, "mul") == 0)
		r = x * y, fr = fx * fy;
	else if (strcmp(op, "div") == 0)
		r = x / y, fr = fx / fy;
	else if (strcmp(op, "rcp") == 0)
		r = 1 / x, fr = 1 / fx;
	else if (strcmp(op, "sqrt") == 0)
		r = sqrt(x), fr = sqrtf(fx);
	else
		r = fma(x, y, z), fr = fmaf(fx, fy, fz);
	fesetround(FE_TONEAREST);
	return narrow ? (double)fr : r;
}

static void test_roundings(void **state)
{
	static const struct {
		const char *op, *f32, *f64;
		unsigned arity;
	} all[] = {{"add", "__nv_fadd_", "__nv_dadd_", 2}, {"mul", "__nv_fmul_", "__nv_dmul_", 2}, {"div", "__nv_fdiv_", "__nv_ddiv_", 2},
		   {"rcp", "__nv_frcp_", "__nv_drcp_", 1}, {"sqrt", "__nv_fsqrt_", "__nv_dsqrt_", 1}, {"fma", "__nv_fmaf_", "__nv_fma_", 3}};
	static float in[3][COUNT], out[COUNT];
	static double wide[3][COUNT], wide_out[COUNT];
	if (!installed())
		skip();
	for (unsigned k = 0; k < 3; k++) {
		for (unsigned i = 0; i < COUNT; i++) {
			in[k][i] = (float)(next_number() % 2000000) / 7919.0f + 0.001f;
			wide[k][i] = (double)next_number() / 7919.0 + 0.001;
		}
	}
	for (size_t f = 0; f < sizeof all / sizeof *all; f++) {
		for (size_t m = 0; m < 4; m++) {
			char symbol[64];
			snprintf(symbol, sizeof symbol, "%s%s", all[f].f32, roundings[m].name);
			run(symbol, "f32", "f32", all[f].arity, (void *const[]){in[0], in[1], in[2]}, 4, out, 4);
			snprintf(symbol, sizeof symbol, "%s%s", all[f].f64, roundings[m].name);
			run(symbol, "f64", "f64", all[f].arity, (void *const[]){wide[0], wide[1], wide[2]}, 8, wide_out, 8);
			for (unsigned i = 0; i < COUNT; i++) {
				double want = rounded(all[f].op, roundings[m].mode, (double)in[0][i], (double)in[1][i], (double)in[2][i], true);
				if ((double)out[i] != want)
					fail_msg("f32 %s, %s: %a, not %a", all[f].op, roundings[m].name, (double)out[i], want);
				want = rounded(all[f].op, roundings[m].mode, wide[0][i], wide[1][i], wide[2][i], false);
				if (wide_out[i] != want)
					fail_msg("f64 %s, %s: %a, not %a", all[f].op, roundings[m].name, wide_out[i], want);
			}
		}
	}
}

static double to_whole(double x, size_t mode)
{
	return mode == 0 ? rint(x) : mode == 1 ? trunc(x) : mode == 2 ? floor(x) : ceil(x);
}

static void test_conversions(void **state)
{
	static float in[COUNT], out[COUNT];
	static double wide[COUNT];
	static int32_t words[COUNT];
	static int64_t longs[COUNT];
	char symbol[64];
	if (!installed())
		skip();
	for (unsigned i = 0; i < COUNT; i++) {
		wide[i] = ((double)(int64_t)(next_number() % 4000001) - 2000000) / 16;
		in[i] = (float)wide[i];
	}
	wide[0] = 1e30, in[0] = 1e30f, wide[1] = -1e30, in[1] = -1e30f;
	for (size_t m = 0; m < 4; m++) {
		snprintf(symbol, sizeof symbol, "__nv_float2int_%s", roundings[m].name);
		run(symbol, "f32", "i32", 1, (void *const[]){in, in, in}, 4, words, 4);
		for (unsigned i = 0; i < COUNT; i++)
			assert_int_equal(words[i], (int32_t)fmax(INT32_MIN, fmin(INT32_MAX, to_whole((double)in[i], m))));
		snprintf(symbol, sizeof symbol, "__nv_float2uint_%s", roundings[m].name);
		run(symbol, "f32", "i32", 1, (void *const[]){in, in, in}, 4, words, 4);
		for (unsigned i = 0; i < COUNT; i++)
			assert_int_equal((uint32_t)words[i], (uint32_t)fmax(0, fmin(UINT32_MAX, to_whole((double)in[i], m))));
		snprintf(symbol, sizeof symbol, "__nv_double2int_%s", roundings[m].name);
		run(symbol, "f64", "i32", 1, (void *const[]){wide, wide, wide}, 8, words, 4);
		for (unsigned i = 0; i < COUNT; i++)
			assert_int_equal(words[i], (int32_t)fmax(INT32_MIN, fmin(INT32_MAX, to_whole(wide[i], m))));
		snprintf(symbol, sizeof symbol, "__nv_double2ll_%s", roundings[m].name);
		run(symbol, "f64", "i64", 1, (void *const[]){wide, wide, wide}, 8, longs, 8);
		for (unsigned i = 2; i < COUNT; i++)
			assert_int_equal(longs[i], (int64_t)to_whole(wide[i], m));
		assert_true(longs[0] == INT64_MAX && longs[1] == INT64_MIN);
		for (unsigned i = 0; i < COUNT; i++)
			longs[i] = (int64_t)(next_number() << 11 ^ next_number());
		snprintf(symbol, sizeof symbol, "__nv_ll2float_%s", roundings[m].name);
		run(symbol, "i64", "f32", 1, (void *const[]){longs, longs, longs}, 8, out, 4);
		for (unsigned i = 0; i < COUNT; i++) {
			volatile int64_t v = longs[i];
			fesetround(roundings[m].mode);
			volatile float want = (float)v;
			fesetround(FE_TONEAREST);
			assert_true(out[i] == want);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_functions), cmocka_unit_test(test_roundings), cmocka_unit_test(test_conversions)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
