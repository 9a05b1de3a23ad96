/* Variants through neso.h: what makes one, why, how many; constexprs as arguments; threads that ask at once. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <pthread.h>
#include <neso/neso.h>

static const char text[] =
	"import triton\n"
	"import triton.language as tl\n"
	"\n"
	"@triton.jit\n"
	"def scaled(x, C: tl.constexpr, F: tl.constexpr):\n"
	"    if F:\n"
	"        return x * C\n"
	"    return x\n"
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
	"def simple(x, n, K: tl.constexpr, F: tl.constexpr = True):\n"
	"    i = tl.arange(0, 16)\n"
	"    tl.store(x + i, scaled(tl.load(x + i), K, F) + n)\n"
	"\n"
	"@triton.jit\n"
	"def small(x, C: tl.constexpr):\n"
	"    i = tl.arange(0, 16)\n"
	"    tl.store(x + i, tl.load(x + i) + C)\n"
	"\n"
	"@triton.jit\n"
	"def chooses(x, A: tl.constexpr, B: tl.constexpr):\n"
	"    if A > 0:\n"
	"        tl.store(x + tl.arange(0, 16), B)\n"
	"    else:\n"
	"        tl.store(x + tl.arange(0, B), 1)\n"
	"\n"
	"@triton.jit\n"
	"def shapes(x, n, BLOCK: tl.constexpr, T: tl.constexpr, S: tl.constexpr = 2):\n"
	"    tl.static_print('lowered', S)\n"
	"    i = tl.arange(0, BLOCK)\n"
	"    tl.store(x + i, tl.full([BLOCK], S, T), mask=i < n)\n";

enum { REASONS = 64 };

typedef struct Fixture {
	neso_context *context;
	neso_module *module;
	neso_kernel *kernel;
	neso_compile_options options;
	_Atomic int compilations;
	char reasons[REASONS][256];
	char log[4096];
} Fixture;

static bool on_event(void *data, const neso_event *event)
{
	Fixture *f = data;
	if (event->kind == NESO_EVENT_COMPILE_BEGIN)
		snprintf(f->reasons[f->compilations++ % REASONS], sizeof f->reasons[0], "%s", event->reason);
	else if (event->kind != NESO_EVENT_COMPILE_END)
		assert_null(event->reason);
	return true;
}

static void on_log(void *data, neso_log_level level, const char *line)
{
	Fixture *f = data;
	size_t len = strlen(f->log);
	snprintf(f->log + len, sizeof f->log - len, "%d %s", (int)level, line);
}

static void begin(Fixture *f, const char *kernel, neso_constexpr_policy policy)
{
	memset(f, 0, sizeof *f);
	neso_context_options options;
	memset(&options, 0, sizeof options);
	options.size = sizeof options;
	options.event = on_event;
	options.event_data = f;
	options.log = on_log;
	options.log_data = f;
	options.log_compiles = true;
	options.constexpr_policy = policy;
	f->options.size = sizeof f->options;
	assert_int_equal(neso_context_new(&options, &f->context, NULL), NESO_OK);
	assert_int_equal(neso_module_load_text(f->context, "v.py", text, sizeof text - 1, &f->module, NULL), NESO_OK);
	assert_int_equal(neso_module_find(f->module, kernel, &f->kernel, NULL), NESO_OK);
}

static void end(Fixture *f)
{
	neso_module_free(f->module);
	neso_context_free(f->context);
}

static void launch(neso_kernel *kernel, const neso_arg *args, size_t count, uint32_t grid)
{
	neso_launch l = neso_launch_of(args, count, grid, 1, 1);
	neso_diagnostics *diagnostics;
	neso_status status = neso_kernel_launch(kernel, &l, NULL, &diagnostics);
	if (status != NESO_OK)
		print_error("%s", neso_diagnostics_text(diagnostics));
	neso_diagnostics_free(diagnostics);
	assert_int_equal(status, NESO_OK);
}

static neso_variant *compile(Fixture *f, const char *signature)
{
	neso_variant *variant;
	neso_diagnostics *diagnostics;
	neso_status status = neso_kernel_compile(f->kernel, signature, &f->options, &variant, &diagnostics);
	if (status != NESO_OK)
		print_error("%s: %s", signature, neso_diagnostics_text(diagnostics));
	neso_diagnostics_free(diagnostics);
	assert_int_equal(status, NESO_OK);
	return variant;
}

/* ---- constexprs as arguments ---- */

/* One compilation for a thousand values, and each result is right. */
static void numeric_constexprs_are_arguments(void **state)
{
	enum { ROWS = 2, STRIDE = 1100 };
	Fixture f;
	begin(&f, "ragged", NESO_POLICY_GENERIC);
	static _Alignas(16) int8_t out[ROWS * STRIDE];
	static _Alignas(16) int32_t lens[ROWS] = {5, 700};
	for (int maxlen = 1; maxlen <= 1000; maxlen++) {
		memset(out, 9, sizeof out);
		neso_arg args[] = {
			neso_arg_buffer("o", NESO_INT8, out, sizeof out, NESO_READ_WRITE),
			neso_arg_buffer("lens", NESO_INT32, lens, sizeof lens, NESO_READ),
			neso_arg_int("stride", STRIDE - maxlen % 7),
			neso_arg_int("MAXLEN", maxlen),
			neso_arg_int("BLOCK", 64),
		};
		launch(f.kernel, args, 5, ROWS);
		for (int row = 0; row < ROWS; row++)
			for (int c = 0; c < maxlen; c++)
				if (out[row * (STRIDE - maxlen % 7) + c] != (c < lens[row]))
					fail_msg("MAXLEN %d: row %d, column %d", maxlen, row, c);
	}
	assert_int_equal(f.compilations, 1);
	assert_int_equal(neso_kernel_variant_count(f.kernel), 1);
	end(&f);
}

static void policies_are_chosen_per_call(void **state)
{
	Fixture f;
	begin(&f, "simple", NESO_POLICY_DEFAULT);
	neso_variant *a = compile(&f, "*fp32,i32,3"), *b = compile(&f, "*fp32,i32,4");
	assert_ptr_not_equal(a, b);
	f.options.constexpr_policy = NESO_POLICY_GENERIC;
	neso_variant *c = compile(&f, "*fp32,i32,3"), *d = compile(&f, "*fp32,i32,4");
	assert_ptr_equal(c, d);
	assert_string_equal(neso_variant_key(c), "simple(x: *fp32, n: i32, K: constexpr i32, F=True)");
	/* Each kind and size is typed otherwise. */
	assert_ptr_not_equal(c, compile(&f, "*fp32,i32,5000000000"));
	assert_ptr_not_equal(c, compile(&f, "*fp32,i32,0.5"));
	assert_ptr_not_equal(c, compile(&f, "*fp32,i32,True"));
	assert_ptr_not_equal(c, compile(&f, "*fp32,i32,3,False"));
	f.options.constexpr_policy = (neso_constexpr_policy)7;
	neso_variant *none;
	assert_int_equal(neso_kernel_compile(f.kernel, "*fp32,i32,3", &f.options, &none, NULL), NESO_ERROR_USAGE);
	end(&f);
	setenv("NESO_CONSTEXPR_POLICY", "generic", 1);
	begin(&f, "simple", NESO_POLICY_DEFAULT);
	unsetenv("NESO_CONSTEXPR_POLICY");
	assert_ptr_equal(compile(&f, "*fp32,i32,3"), compile(&f, "*fp32,i32,4"));
	end(&f);
}

/* The error of a constant is met with the same words; what fits goes on without a compilation. */
static void values_that_do_not_fit_are_constants(void **state)
{
	Fixture f;
	begin(&f, "small", NESO_POLICY_GENERIC);
	neso_variant *variant = compile(&f, "*i8,100"), *none;
	assert_ptr_equal(compile(&f, "*i8,-128"), variant);
	neso_diagnostics *diagnostics[2];
	for (int i = 0; i < 2; i++) {
		f.options.constexpr_policy = i ? NESO_POLICY_EAGER : NESO_POLICY_GENERIC;
		assert_int_equal(neso_kernel_compile(f.kernel, "*i8,200", &f.options, &none, &diagnostics[i]), NESO_ERROR_SOURCE);
	}
	assert_string_equal(neso_diagnostics_text(diagnostics[0]), neso_diagnostics_text(diagnostics[1]));
	neso_diagnostics_free(diagnostics[0]);
	neso_diagnostics_free(diagnostics[1]);
	/* A variant chosen before the call checks what it is given. */
	static _Alignas(16) int8_t x[16];
	neso_arg args[] = {neso_arg_buffer("x", NESO_INT8, x, sizeof x, NESO_READ_WRITE), neso_arg_int("C", 100)};
	neso_launch l = neso_launch_of(args, 2, 1, 1, 1);
	assert_int_equal(neso_variant_launch(variant, &l, NULL, NULL), NESO_OK);
	assert_int_equal(x[3], 100);
	args[1].value.i = 200;
	assert_int_equal(neso_variant_launch(variant, &l, NULL, &diagnostics[0]), NESO_ERROR_ARGUMENT);
	assert_non_null(strstr(neso_diagnostics_text(diagnostics[0]), "the variant wants constexpr i32 for 'C'"));
	neso_diagnostics_free(diagnostics[0]);
	l.arg_count = 1;
	assert_int_equal(neso_variant_launch(variant, &l, NULL, &diagnostics[0]), NESO_ERROR_ARGUMENT);
	assert_string_equal(neso_diagnostics_get(diagnostics[0], 0)->code, "ARG_MISSING_CONSTEXPR");
	neso_diagnostics_free(diagnostics[0]);
	end(&f);
}

/* What is structural may depend on what others are. */
static void sets_depend_on_structural_values(void **state)
{
	Fixture f;
	begin(&f, "chooses", NESO_POLICY_GENERIC);
	assert_ptr_equal(compile(&f, "*i32,1,16"), compile(&f, "*i32,1,8"));
	assert_ptr_not_equal(compile(&f, "*i32,0,16"), compile(&f, "*i32,0,8"));
	assert_ptr_equal(compile(&f, "*i32,1,16"), compile(&f, "*i32,1,32"));
	assert_ptr_equal(compile(&f, "*i32,0,8"), compile(&f, "*i32,0,8"));
	assert_int_equal(f.compilations, 3);
	end(&f);
}

typedef struct Classes {
	char text[2048];
} Classes;

static void on_class(void *data, const neso_constexpr *found)
{
	Classes *c = data;
	size_t len = strlen(c->text);
	snprintf(c->text + len, sizeof c->text - len, "%zu %s %s:%u:%u %s\n", found->parameter, found->numeric ? "numeric" : "structural",
		 found->path ? found->path : "-", (unsigned)found->line, (unsigned)found->column, found->reason ? found->reason : "-");
}

static void constexprs_are_classed(void **state)
{
	Fixture f;
	Classes c = {""};
	neso_diagnostics *diagnostics;
	begin(&f, "shapes", NESO_POLICY_DEFAULT);
	assert_int_equal(neso_kernel_classify(f.kernel, "*fp32,i32,64,tl.float32,3", NULL, on_class, &c, NULL), NESO_OK);
	assert_string_equal(c.text, "2 structural v.py:38:9 tl.arange wants 'end' when compiling\n"
				    "3 structural -:0:0 it is no number\n"
				    "4 structural v.py:37:5 text is made of it\n");
	assert_string_equal(f.log, ""); /* nothing is printed by asking */
	c.text[0] = '\0';
	assert_int_equal(neso_module_find(f.module, "simple", &f.kernel, NULL), NESO_OK);
	assert_int_equal(neso_kernel_classify(f.kernel, NULL, NULL, on_class, &c, NULL), NESO_OK);
	assert_string_equal(c.text, "2 numeric -:0:0 -\n3 structural v.py:6:5 it decides which code there is\n");
	assert_int_equal(neso_kernel_classify(f.kernel, "*fp32,*fp32,3", NULL, on_class, &c, &diagnostics), NESO_ERROR_SOURCE);
	assert_string_equal(neso_diagnostics_get(diagnostics, 0)->code, "CLASSIFY_FAILED");
	neso_diagnostics_free(diagnostics);
	assert_int_equal(neso_kernel_classify(f.kernel, NULL, NULL, NULL, NULL, NULL), NESO_ERROR_USAGE);
	end(&f);
}

/* ---- reasons ---- */

/* A default that is given is the variant of one that is not. */
static void a_default_may_be_given(void **state)
{
	(void)state;
	Fixture f;
	begin(&f, "shapes", NESO_POLICY_DEFAULT);
	const neso_variant *variant = compile(&f, "*fp32:16,i32,128,tl.float16");
	assert_ptr_equal(compile(&f, "*fp32:16,i32,128,tl.float16,2"), variant);
	end(&f);
}

static void misses_have_reasons(void **state)
{
	static const struct {
		const char *signature;
		uint32_t warps;
		const char *reason;
	} steps[] = {
		{"*fp16:16,i32:16,64,tl.float16", 4, "first variant"},
		{"*fp16:16,i32,64,tl.float16", 4, "n: divisible by 16 before, now it is not"},
		{"*fp32:16,i32,64,tl.float16", 4, "x: fp16 before, now fp32"},
		{"*fp32:16,i32,128,tl.float16", 4, "BLOCK: 64 before, now 128"},
		{"*fp32,i32,128,tl.float16", 8, "x: aligned to 16 bytes before, now it is not; num_warps: 4 before, now 8"},
		{"*fp32,i32:1,128,tl.float16", 8, "n: i32 before, now 1"},
	};
	Fixture f;
	begin(&f, "shapes", NESO_POLICY_DEFAULT);
	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
		f.options.num_warps = steps[i].warps;
		f.compilations = 0;
		neso_variant *variant = compile(&f, steps[i].signature);
		assert_int_equal(f.compilations, 1);
		assert_string_equal(f.reasons[0], steps[i].reason);
		neso_variant_info info = {.size = sizeof info};
		assert_int_equal(neso_variant_get_info(variant, &info), NESO_OK);
		assert_string_equal(info.reason, steps[i].reason);
	}
	assert_non_null(strstr(f.log, "3 compiled shapes(x: *fp16:16, n: i32:16, BLOCK=64, T=tl.float16"));
	assert_non_null(strstr(f.log, " ms: BLOCK: 64 before, now 128\n"));
	end(&f);
}

static void reasons_name_the_values(void **state)
{
	static const struct {
		int64_t n, k;
		neso_constexpr_policy policy;
		const char *reason;
	} steps[] = {
		{32, 3, NESO_POLICY_EAGER, "first variant"},
		{1001, 3, NESO_POLICY_EAGER, "n: divisible by 16 before, 1001 is not"},
		{1, 3, NESO_POLICY_EAGER, "n: i32 before, now 1"},
		{5000000000, 3, NESO_POLICY_EAGER, "n: 1 before, now 5000000000"},
		{1001, 4, NESO_POLICY_EAGER, "K: 3 before, now 4"},
		{1001, 4, NESO_POLICY_GENERIC, "K: 4 before, 4 is i32"},
		{1001, 5000000000, NESO_POLICY_GENERIC, "K: any i32 before, 5000000000 is i64"},
	};
	Fixture f;
	begin(&f, "simple", NESO_POLICY_DEFAULT);
	static _Alignas(16) float x[16];
	for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
		neso_arg args[] = {neso_arg_buffer("x", NESO_FP32, x, sizeof x, NESO_READ_WRITE), neso_arg_int("n", steps[i].n),
				   neso_arg_int("K", steps[i].k)};
		neso_launch l = neso_launch_of(args, 3, 1, 1, 1);
		f.options.constexpr_policy = steps[i].policy;
		l.options = &f.options;
		f.compilations = 0;
		assert_int_equal(neso_kernel_launch(f.kernel, &l, NULL, NULL), NESO_OK);
		assert_int_equal(f.compilations, 1);
		assert_string_equal(f.reasons[0], steps[i].reason);
	}
	end(&f);
}

/* Compiles for 20 values of one parameter: one warning, with what ends it. */
static void expect_warning(const char *kernel, const char *format, const char *expected)
{
	Fixture f;
	begin(&f, kernel, NESO_POLICY_EAGER);
	int warnings = 0;
	for (int i = 0; i < 20; i++) {
		char signature[64];
		neso_variant *variant;
		neso_diagnostics *diagnostics;
		snprintf(signature, sizeof signature, format, 1 << i % 10, i);
		assert_int_equal(neso_kernel_compile(f.kernel, signature, NULL, &variant, &diagnostics), NESO_OK);
		if (neso_diagnostics_count(diagnostics)) {
			assert_int_equal(i, 16);
			assert_int_equal(neso_diagnostics_get(diagnostics, 0)->severity, NESO_WARNING);
			assert_string_equal(neso_diagnostics_get(diagnostics, 0)->code, "VARIANTS_MANY");
			assert_string_equal(neso_diagnostics_get(diagnostics, 0)->text, expected);
			warnings++;
		}
		neso_diagnostics_free(diagnostics);
	}
	assert_int_equal(warnings, 1);
	end(&f);
}

static void many_variants_are_warned_of(void **state)
{
	expect_warning("simple", "*fp32,i32,%2$d", /* K */
		       "simple has 17 variants, and 'K' has 17 values among them: it is numeric: with the constexpr policy 'generic' "
		       "one variant serves them all");
	expect_warning("shapes", "*fp32,i32,%1$d,tl.float32,%2$d",
		       "shapes has 17 variants, and 'S' has 17 values among them: it is structural at v.py:37:5 (text is made of it), so "
		       "each of them has its own code");
}

/* Forty configurations of two parameters: nobody multiplies them alone, until a third one does. */
static void configurations_are_not_warned_of(void **state)
{
	Fixture f;
	begin(&f, "shapes", NESO_POLICY_EAGER);
	int warnings = 0;
	for (int i = 0; i < 80; i++) {
		char signature[64];
		neso_variant *variant;
		neso_diagnostics *diagnostics;
		snprintf(signature, sizeof signature, "*fp32,i32,%d,tl.float32,%d", 1 << i % 8, i < 40 ? i / 8 : i);
		assert_int_equal(neso_kernel_compile(f.kernel, signature, NULL, &variant, &diagnostics), NESO_OK);
		if (neso_diagnostics_count(diagnostics)) {
			assert_int_equal(i, 67); /* 68 are four times 17 */
			assert_non_null(strstr(neso_diagnostics_get(diagnostics, 0)->text, "68 variants, and 'S' has 33 values among them"));
			warnings++;
		}
		neso_diagnostics_free(diagnostics);
	}
	assert_int_equal(warnings, 1);
	end(&f);
}

/* ---- threads ---- */

typedef struct Asker {
	neso_kernel *kernel;
	const char *signature;
	neso_constexpr_policy policy;
	pthread_barrier_t *barrier;
	neso_variant *variant;
} Asker;

static void *ask(void *data)
{
	Asker *a = data;
	neso_compile_options options = {.size = sizeof options, .constexpr_policy = a->policy};
	pthread_barrier_wait(a->barrier);
	neso_kernel_compile(a->kernel, a->signature, &options, &a->variant, NULL);
	return NULL;
}

/* A miss compiles once however many threads ask; kernels of one module compile side by side. */
static void a_miss_compiles_once(void **state)
{
	enum { THREADS = 8, KERNELS = 2, ROUNDS = 6 };
	static const char *const kernels[KERNELS] = {"simple", "small"};
	for (int round = 0; round < ROUNDS; round++) {
		Fixture f;
		begin(&f, "simple", round % 2 ? NESO_POLICY_GENERIC : NESO_POLICY_EAGER);
		pthread_barrier_t barrier;
		pthread_t threads[THREADS];
		Asker askers[THREADS];
		pthread_barrier_init(&barrier, NULL, THREADS);
		for (int i = 0; i < THREADS; i++) {
			askers[i] = (Asker){.signature = i % KERNELS ? "*fp32,3" : "*fp32,i32,3", .barrier = &barrier};
			assert_int_equal(neso_module_find(f.module, kernels[i % KERNELS], &askers[i].kernel, NULL), NESO_OK);
			assert_int_equal(pthread_create(&threads[i], NULL, ask, &askers[i]), 0);
		}
		for (int i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
		for (int i = 0; i < THREADS; i++) {
			assert_non_null(askers[i].variant);
			assert_ptr_equal(askers[i].variant, askers[i % KERNELS].variant);
			assert_int_equal(neso_kernel_variant_count(askers[i].kernel), 1);
		}
		pthread_barrier_destroy(&barrier);
		end(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numeric_constexprs_are_arguments),
		cmocka_unit_test(policies_are_chosen_per_call),
		cmocka_unit_test(values_that_do_not_fit_are_constants),
		cmocka_unit_test(sets_depend_on_structural_values),
		cmocka_unit_test(constexprs_are_classed),
		cmocka_unit_test(a_default_may_be_given),
		cmocka_unit_test(misses_have_reasons),
		cmocka_unit_test(reasons_name_the_values),
		cmocka_unit_test(many_variants_are_warned_of),
		cmocka_unit_test(configurations_are_not_warned_of),
		cmocka_unit_test(a_miss_compiles_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
