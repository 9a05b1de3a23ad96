/* neso.h from the outside: handles, introspection, launches, diagnostics, versions of structs, hooks. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <neso/neso.h>

#define FILE_HEAD "import triton\nimport triton.language as tl\n\n"

static const char add_text[] = FILE_HEAD
	"SCALE = tl.constexpr(2)\n"
	"\n"
	"@triton.jit\n"
	"def helper(x):\n"
	"    return x * SCALE\n"
	"\n"
	"@triton.jit(do_not_specialize=['n'])\n"
	"def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr = 16):\n"
	"    \"\"\"out = 2 (x + y)\"\"\"\n"
	"    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
	"    x = tl.load(x_ptr + i, mask=i < n)\n"
	"    y = tl.load(y_ptr + i, mask=i < n)\n"
	"    tl.store(out_ptr + i, helper(x + y), mask=i < n)\n"
	"\n"
	"def host():\n"
	"    pass\n";

typedef struct Fixture {
	neso_context *context;
	neso_module *module;
	neso_kernel *kernel;
} Fixture;

static neso_module *load(neso_context *context, const char *text)
{
	neso_module *module;
	neso_diagnostics *diagnostics;
	neso_status status = neso_module_load_text(context, "test.py", text, strlen(text), &module, &diagnostics);
	if (status != NESO_OK)
		print_error("%s", neso_diagnostics_text(diagnostics));
	neso_diagnostics_free(diagnostics);
	assert_int_equal(status, NESO_OK);
	return module;
}

static Fixture open_fixture(const neso_context_options *options, const char *text, const char *name)
{
	Fixture f;
	assert_int_equal(neso_context_new(options, &f.context, NULL), NESO_OK);
	f.module = load(f.context, text);
	assert_int_equal(neso_module_find(f.module, name, &f.kernel, NULL), NESO_OK);
	return f;
}

static void close_fixture(Fixture *f)
{
	neso_module_free(f->module);
	neso_context_free(f->context);
}

static neso_context_options context_options(void)
{
	neso_context_options options;
	memset(&options, 0, sizeof options);
	options.size = sizeof options;
	return options;
}

/* The only diagnostic must have this code. */
static void expect_code(neso_diagnostics *diagnostics, const char *code)
{
	assert_int_equal(neso_diagnostics_count(diagnostics), 1);
	assert_string_equal(neso_diagnostics_get(diagnostics, 0)->code, code);
	neso_diagnostics_free(diagnostics);
}

/* ---- launches ---- */

enum { N = 40 };

typedef struct Data {
	float x[N], y[N], out[N];
	neso_arg args[5];
	neso_launch launch;
} Data;

static void fill(Data *d)
{
	for (int i = 0; i < N; i++) {
		d->x[i] = (float)i;
		d->y[i] = (float)i / 2;
		d->out[i] = -1;
	}
	d->args[0] = neso_arg_buffer("x_ptr", NESO_FP32, d->x, sizeof d->x, NESO_READ);
	d->args[1] = neso_arg_buffer("y_ptr", NESO_FP32, d->y, sizeof d->y, NESO_READ);
	d->args[2] = neso_arg_buffer("out_ptr", NESO_FP32, d->out, sizeof d->out, NESO_READ_WRITE);
	d->args[3] = neso_arg_int("n", N);
	d->args[4] = neso_arg_int("BLOCK", 16);
	d->launch = neso_launch_of(d->args, 5, 3, 1, 1);
}

static void expect_sum(const Data *d)
{
	for (int i = 0; i < N; i++)
		assert_true(d->out[i] == 2 * (d->x[i] + d->y[i]));
}

static void a_launch_computes(void **state)
{
	(void)state;
	Fixture f = open_fixture(NULL, add_text, "add");
	Data d;
	neso_launch_result result;
	result.size = sizeof result;
	fill(&d);
	assert_int_equal(neso_kernel_launch(f.kernel, &d.launch, &result, NULL), NESO_OK);
	expect_sum(&d);
	assert_true(result.compiled);
	assert_true(result.compile_seconds > 0);
	assert_ptr_equal(neso_variant_kernel(result.variant), f.kernel);

	fill(&d);
	assert_int_equal(neso_kernel_launch(f.kernel, &d.launch, &result, NULL), NESO_OK);
	expect_sum(&d);
	assert_false(result.compiled);
	assert_int_equal(neso_kernel_variant_count(f.kernel), 1);
	close_fixture(&f);
}

static void arguments_go_by_position_too_and_defaults_count(void **state)
{
	(void)state;
	Fixture f = open_fixture(NULL, add_text, "add");
	Data d;
	fill(&d);
	for (int i = 0; i < 4; i++)
		d.args[i].name = NULL;
	d.launch.arg_count = 4;
	assert_int_equal(neso_kernel_launch(f.kernel, &d.launch, NULL, NULL), NESO_OK);
	expect_sum(&d);
	close_fixture(&f);
}

static void a_compiled_variant_is_launched(void **state)
{
	(void)state;
	Fixture f = open_fixture(NULL, add_text, "add");
	neso_variant *variant, *again;
	neso_diagnostics *diagnostics;
	const char *signature = "*fp32,*fp32,*fp32,i32,16";
	assert_int_equal(neso_kernel_compile(f.kernel, signature, NULL, &variant, NULL), NESO_OK);
	assert_int_equal(neso_kernel_compile(f.kernel, " *fp32, *fp32 ,*fp32,i32 , 16", NULL, &again, NULL), NESO_OK);
	assert_ptr_equal(variant, again);
	assert_non_null(strstr(neso_variant_key(variant), "BLOCK=16"));
	Data d;
	fill(&d);
	d.launch.arg_count = 4; /* BLOCK is a constant of the variant */
	assert_int_equal(neso_variant_launch(variant, &d.launch, NULL, NULL), NESO_OK);
	expect_sum(&d);

	d.args[0].dtype = NESO_FP16;
	assert_int_equal(neso_variant_launch(variant, &d.launch, NULL, &diagnostics), NESO_ERROR_ARGUMENT);
	expect_code(diagnostics, "ARG_TYPE");
	fill(&d);
	d.args[3] = neso_arg_int("n", (int64_t)1 << 40);
	assert_int_equal(neso_variant_launch(variant, &d.launch, NULL, &diagnostics), NESO_ERROR_ARGUMENT);
	expect_code(diagnostics, "ARG_RANGE");
	close_fixture(&f);
}

static void the_text_of_a_stage_is_given(void **state)
{
	(void)state;
	Fixture f = open_fixture(NULL, add_text, "add");
	neso_variant *variant;
	neso_diagnostics *diagnostics;
	char *text;
	assert_int_equal(neso_kernel_compile(f.kernel, "*fp32:16,*fp32,*fp32,i32,16", NULL, &variant, NULL), NESO_OK);
	assert_int_equal(neso_variant_text(variant, "ttir", &text, NULL), NESO_OK);
	assert_non_null(strstr(text, "tt.func public @add("));
	assert_non_null(strstr(text, "tt.divisibility = 16"));
	assert_null(strstr(text, "tt.call"));
	neso_text_free(text);
	assert_int_equal(neso_variant_text(variant, "ttir-raw", &text, NULL), NESO_OK);
	assert_non_null(strstr(text, "tt.call"));
	neso_text_free(text);
	assert_int_equal(neso_variant_text(variant, "source", &text, NULL), NESO_OK);
	assert_string_equal(text, add_text);
	neso_text_free(text);
	assert_int_equal(neso_variant_text(variant, "sass", &text, &diagnostics), NESO_ERROR_ARGUMENT);
	assert_null(text);
	expect_code(diagnostics, "STAGE_TARGET");
	assert_int_equal(neso_variant_text(variant, "sas", &text, &diagnostics), NESO_ERROR_ARGUMENT);
	assert_null(text);
	expect_code(diagnostics, "STAGE_UNKNOWN");
	close_fixture(&f);
}

/* ---- specialisation ---- */

static const char spec_text[] = FILE_HEAD
	"@triton.jit(do_not_specialize=['b'], do_not_specialize_on_alignment=['c'])\n"
	"def spec(p, a, b, c, d: tl.int64, e=None):\n"
	"    tl.store(p, a + b + c + d)\n";

static const char *key_of(Fixture *f, void *p, int64_t a, int64_t b, int64_t c, int64_t d)
{
	neso_variant *variant;
	neso_arg args[] = {
		neso_arg_buffer("p", NESO_INT64, p, 64, NESO_READ_WRITE), neso_arg_int("a", a), neso_arg_int("b", b),
		neso_arg_int("c", c), neso_arg_int("d", d),
	};
	neso_launch launch = neso_launch_of(args, 5, 1, 1, 1);
	assert_int_equal(neso_kernel_compile_for(f->kernel, &launch, &variant, NULL), NESO_OK);
	return neso_variant_key(variant);
}

static void values_are_specialised_as_upstream_does(void **state)
{
	(void)state;
	Fixture f = open_fixture(NULL, spec_text, "spec");
	_Alignas(16) int64_t memory[16];
	assert_string_equal(key_of(&f, memory, 1, 1, 1, 1), "spec(p: *i64:16, a=1, b: i32, c=1, d: i64)");
	assert_string_equal(key_of(&f, memory + 1, 32, 32, 32, 32), "spec(p: *i64, a: i32:16, b: i32, c: i32, d: i64:16)");
	assert_string_equal(key_of(&f, memory, 3, (int64_t)1 << 40, 7, 3), "spec(p: *i64:16, a: i32, b: i64, c: i32, d: i64)");
	close_fixture(&f);
}

typedef struct FindCall {
	void *p;
	int64_t a, b, d;
	const char *e; /* a text, or NULL for None */
	const char *target;
} FindCall;

/* The variant of a call as it was found, or NULL; compile: it is compiled for. */
static neso_variant *ask(Fixture *f, const FindCall *c, bool compile)
{
	neso_variant *variant;
	neso_compile_options options = {.size = sizeof options, .target = c->target};
	neso_arg args[] = {
		neso_arg_buffer(NULL, NESO_INT64, c->p, 64, NESO_READ_WRITE),
		neso_arg_int(NULL, c->a),
		neso_arg_int(NULL, c->b),
		neso_arg_int(NULL, 3),
		neso_arg_int(NULL, c->d),
		{.value.kind = c->e ? NESO_VALUE_STRING : NESO_VALUE_NONE, .value.text = c->e},
	};
	neso_launch launch = neso_launch_of(args, 6, 1, 1, 1);
	launch.options = &options;
	if (!compile)
		return neso_kernel_find(f->kernel, &launch);
	assert_int_equal(neso_kernel_compile_for(f->kernel, &launch, &variant, NULL), NESO_OK);
	assert_ptr_equal(neso_kernel_find(f->kernel, &launch), variant);
	return variant;
}

/* What one call compiled, calls with the same conclusions find; others find nothing until they are
 * compiled for. */
static void calls_find_what_was_compiled_for_such_ones(void **state)
{
	(void)state;
	Fixture f = open_fixture(NULL, spec_text, "spec");
	_Alignas(16) int64_t memory[16];
	char longest[600];
	memset(longest, 'x', sizeof longest);
	longest[sizeof longest - 1] = '\0';
	const FindCall first = {memory, 7, 7, 7, NULL, NULL};
	assert_null(ask(&f, &first, false));
	neso_variant *variant = ask(&f, &first, true);
	FindCall same[] = {first, first, first};
	same[0].a = -9;
	same[1].p = memory + 2;
	same[2].d = -5;
	for (size_t i = 0; i < sizeof same / sizeof *same; i++)
		assert_ptr_equal(ask(&f, &same[i], false), variant);
	FindCall others[] = {first, first, first, first, first, first, first};
	others[0].a = 1;
	others[1].a = 32;
	others[2].a = (int64_t)1 << 40 | 1;
	others[3].p = memory + 1;
	others[4].e = "relu";
	others[5].e = longest;
	others[6].target = "sim:sm_80"; /* without its code generator it is not compiled */
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		assert_null(ask(&f, &others[i], false));
		if (!others[i].target)
			assert_ptr_not_equal(ask(&f, &others[i], true), variant);
	}
	longest[300] = 'y';
	assert_null(ask(&f, &others[5], false));
	longest[300] = 'x';
	assert_non_null(ask(&f, &others[5], false));
	/* Of what the parameter says that nothing is concluded, the call is another and the variant
	 * the same. */
	FindCall plain = first;
	plain.b = 1;
	assert_null(ask(&f, &plain, false));
	assert_ptr_equal(ask(&f, &plain, true), variant);
	assert_null(neso_kernel_find(NULL, NULL));
	close_fixture(&f);
}

/* ---- introspection ---- */

static void a_kernel_says_what_it_is(void **state)
{
	(void)state;
	Fixture f = open_fixture(NULL, add_text, "add");
	neso_kernel_info info;
	neso_parameter parameter;
	info.size = sizeof info;
	parameter.size = sizeof parameter;
	assert_int_equal(neso_module_kernel_count(f.module), 2);
	assert_ptr_equal(neso_module_kernel(f.module, 1), f.kernel);
	assert_null(neso_module_kernel(f.module, 2));
	assert_string_equal(neso_module_path(f.module), "test.py");
	assert_ptr_equal(neso_kernel_module(f.kernel), f.module);
	assert_int_equal(neso_kernel_get_info(f.kernel, &info), NESO_OK);
	assert_string_equal(info.name, "add");
	assert_string_equal(info.doc, "out = 2 (x + y)");
	assert_int_equal(info.line, 11);
	assert_int_equal(info.parameter_count, 5);
	assert_int_equal(info.decorator_count, 1);
	assert_false(info.is_helper);
	assert_string_equal(neso_kernel_decorator(f.kernel, 0), "triton.jit(do_not_specialize=['n'])");
	assert_null(neso_kernel_decorator(f.kernel, 1));
	assert_int_equal(neso_kernel_get_info(neso_module_kernel(f.module, 0), &info), NESO_OK);
	assert_true(info.is_helper);
	assert_int_equal(neso_kernel_get_parameter(f.kernel, 3, &parameter), NESO_OK);
	assert_string_equal(parameter.name, "n");
	assert_null(parameter.annotation);
	assert_null(parameter.default_value);
	assert_true(parameter.no_specialize);
	assert_int_equal(neso_kernel_get_parameter(f.kernel, 4, &parameter), NESO_OK);
	assert_string_equal(parameter.annotation, "tl.constexpr");
	assert_string_equal(parameter.default_value, "16");
	assert_true(parameter.is_constexpr);
	assert_int_equal(neso_kernel_get_parameter(f.kernel, 5, &parameter), NESO_ERROR_USAGE);
	close_fixture(&f);
}

/* ---- diagnostics ---- */

static void a_fault_has_place_and_text(void **state)
{
	(void)state;
	static const char text[] = FILE_HEAD "@triton.jit\ndef bad(p):\n    tl.store(p, nothing)\n";
	Fixture f = open_fixture(NULL, text, "bad");
	neso_variant *variant = (neso_variant *)1;
	neso_diagnostics *diagnostics;
	assert_int_equal(neso_kernel_compile(f.kernel, "*fp32", NULL, &variant, &diagnostics), NESO_ERROR_SOURCE);
	assert_null(variant);
	assert_int_equal(neso_diagnostics_errors(diagnostics), 1);
	const neso_diagnostic *d = neso_diagnostics_get(diagnostics, 0);
	assert_int_equal(d->severity, NESO_ERROR);
	assert_string_equal(d->path, "test.py");
	assert_int_equal(d->line, 6);
	assert_int_equal(d->column, 17);
	assert_string_equal(d->source_line, "    tl.store(p, nothing)");
	assert_non_null(strstr(neso_diagnostics_text(diagnostics), "test.py:6:17: error: "));
	assert_non_null(strstr(neso_diagnostics_json(diagnostics), "\"line\": 6, \"column\": 17"));
	assert_null(neso_diagnostics_get(diagnostics, 1));
	neso_diagnostics_free(diagnostics);
	assert_int_equal(neso_kernel_variant_count(f.kernel), 0);
	close_fixture(&f);
}

static void nothing_to_say_is_null(void **state)
{
	(void)state;
	neso_diagnostics *diagnostics = (neso_diagnostics *)1;
	neso_context *context;
	assert_int_equal(neso_context_new(NULL, &context, &diagnostics), NESO_OK);
	assert_null(diagnostics);
	assert_int_equal(neso_diagnostics_count(NULL), 0);
	assert_string_equal(neso_diagnostics_text(NULL), "");
	assert_string_equal(neso_diagnostics_json(NULL), "[]");
	neso_diagnostics_free(NULL);
	neso_context_free(context);
	neso_context_free(NULL);
	neso_module_free(NULL);
}

static void unknown_kernels_are_told_apart(void **state)
{
	(void)state;
	Fixture f = open_fixture(NULL, add_text, "add");
	neso_kernel *kernel;
	neso_diagnostics *diagnostics;
	assert_int_equal(neso_module_find(f.module, "addd", &kernel, &diagnostics), NESO_ERROR_ARGUMENT);
	assert_null(kernel);
	assert_non_null(strstr(neso_diagnostics_text(diagnostics), "did you mean 'add'?"));
	expect_code(diagnostics, "KERNEL_UNKNOWN");
	assert_int_equal(neso_module_find(f.module, "host", &kernel, &diagnostics), NESO_ERROR_ARGUMENT);
	assert_int_equal(neso_diagnostics_get(diagnostics, 0)->line, 18);
	assert_int_equal(neso_diagnostics_get(diagnostics, 0)->column, 5);
	expect_code(diagnostics, "KERNEL_NOT_JIT");
	close_fixture(&f);
}

static void wrong_arguments_are_named(void **state)
{
	(void)state;
	Fixture f = open_fixture(NULL, add_text, "add");
	neso_diagnostics *diagnostics;
	Data d;
	struct {
		const char *code;
		int at;
		neso_arg arg;
	} cases[] = {
		{"ARG_UNKNOWN", 3, neso_arg_int("m", 3)},
		{"ARG_TWICE", 3, neso_arg_int("BLOCK", 3)},
		{"ARG_NOT_CONSTEXPR", 4, d.args[0]},
		{"ARG_MISSING", 3, neso_arg_int("BLOCK", 16)},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		fill(&d);
		d.args[cases[i].at] = cases[i].arg;
		if (strcmp(cases[i].code, "ARG_NOT_CONSTEXPR") == 0)
			d.args[4] = neso_arg_buffer("BLOCK", NESO_FP32, d.x, sizeof d.x, NESO_READ);
		if (strcmp(cases[i].code, "ARG_MISSING") == 0)
			d.launch.arg_count = 4;
		assert_int_equal(neso_kernel_launch(f.kernel, &d.launch, NULL, &diagnostics), NESO_ERROR_ARGUMENT);
		if (strcmp(cases[i].code, neso_diagnostics_get(diagnostics, 0)->code) != 0)
			fail_msg("%s: %s", cases[i].code, neso_diagnostics_text(diagnostics));
		neso_diagnostics_free(diagnostics);
	}
	neso_arg many[6];
	fill(&d);
	memcpy(many, d.args, sizeof d.args);
	many[5] = neso_arg_int(NULL, 1);
	d.launch.args = many;
	d.launch.arg_count = 6;
	assert_int_equal(neso_kernel_launch(f.kernel, &d.launch, NULL, &diagnostics), NESO_ERROR_ARGUMENT);
	expect_code(diagnostics, "ARG_TOO_MANY");
	close_fixture(&f);
}

static void wrong_signatures_are_named(void **state)
{
	(void)state;
	static const struct {
		const char *signature, *code;
	} cases[] = {
		{"*fp32,*fp32,*fp32,i32,16,4", "SIGNATURE_LENGTH"}, {"*fp32:7,*fp32,*fp32,i32,16", "SIGNATURE_HINT"},
		{"*fp32,,*fp32,i32,16", "SIGNATURE_EMPTY"},         {"*fp32,*fp32,*fp32,i32,i32", "SIGNATURE_TYPE"},
		{"*fp32,*fp32,*fp32", "ARG_MISSING"},
	};
	Fixture f = open_fixture(NULL, add_text, "add");
	neso_variant *variant;
	neso_diagnostics *diagnostics;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(neso_kernel_compile(f.kernel, cases[i].signature, NULL, &variant, &diagnostics),
				 NESO_ERROR_ARGUMENT);
		expect_code(diagnostics, cases[i].code);
	}
	close_fixture(&f);
	static const char text[] = FILE_HEAD "@triton.jit\ndef k(p, B: tl.constexpr):\n    tl.store(p, B)\n";
	f = open_fixture(NULL, text, "k");
	assert_int_equal(neso_kernel_compile(f.kernel, "*i32", NULL, &variant, &diagnostics), NESO_ERROR_ARGUMENT);
	expect_code(diagnostics, "ARG_MISSING_CONSTEXPR");
	close_fixture(&f);
}

static void wrong_options_are_named(void **state)
{
	(void)state;
	Fixture f = open_fixture(NULL, add_text, "add");
	neso_variant *variant;
	neso_diagnostics *diagnostics;
	neso_compile_options options;
	memset(&options, 0, sizeof options);
	options.size = sizeof options;
	options.num_warps = 3;
	const char *signature = "*fp32,*fp32,*fp32,i32,16";
	assert_int_equal(neso_kernel_compile(f.kernel, signature, &options, &variant, &diagnostics), NESO_ERROR_ARGUMENT);
	expect_code(diagnostics, "OPTION_VALUE");
	options.num_warps = 8;
	options.target = "abacus";
	assert_int_equal(neso_kernel_compile(f.kernel, signature, &options, &variant, &diagnostics), NESO_ERROR_ARGUMENT);
	expect_code(diagnostics, "TARGET_UNKNOWN");
	options.target = "interp";
	assert_int_equal(neso_kernel_compile(f.kernel, signature, &options, &variant, NULL), NESO_OK);
	assert_non_null(strstr(neso_variant_key(variant), "num_warps=8"));
	close_fixture(&f);
}

static void wrong_descriptors_are_named(void **state)
{
	(void)state;
	static const char text[] = FILE_HEAD
		"@triton.jit\ndef k(d, out):\n"
		"    t = d.load([0, 0])\n"
		"    i = tl.arange(0, 4)\n"
		"    tl.store(out + i[:, None] * 4 + i[None, :], t)\n";
	Fixture f = open_fixture(NULL, text, "k");
	neso_diagnostics *diagnostics;
	float in[6 * 8], out[16];
	for (int i = 0; i < 48; i++)
		in[i] = (float)i;
	neso_arg args[] = {
		neso_arg_buffer("d", NESO_FP32, in, sizeof in, NESO_READ),
		neso_arg_buffer("out", NESO_FP32, out, sizeof out, NESO_READ_WRITE),
	};
	args[0].kind = NESO_ARG_DESCRIPTOR;
	args[0].rank = 2;
	args[0].shape[0] = 3; /* a row less than the block: padding */
	args[0].shape[1] = 8;
	args[0].strides[0] = 8;
	args[0].strides[1] = 1;
	args[0].block_shape[0] = args[0].block_shape[1] = 4;
	neso_launch launch = neso_launch_of(args, 2, 1, 1, 1);
	neso_status status = neso_kernel_launch(f.kernel, &launch, NULL, &diagnostics);
	if (status != NESO_OK)
		print_error("%s", neso_diagnostics_text(diagnostics));
	assert_int_equal(status, NESO_OK);
	for (int i = 0; i < 16; i++)
		assert_true(out[i] == (i / 4 < 3 ? in[i / 4 * 8 + i % 4] : 0));
	args[0].block_shape[1] = 3;
	assert_int_equal(neso_kernel_launch(f.kernel, &launch, NULL, &diagnostics), NESO_ERROR_ARGUMENT);
	expect_code(diagnostics, "ARG_DESCRIPTOR");
	close_fixture(&f);
}

static void a_run_that_fails_says_where(void **state)
{
	(void)state;
	Fixture f = open_fixture(NULL, add_text, "add");
	Data d;
	neso_diagnostics *diagnostics;
	fill(&d);
	d.args[1].bytes = 20 * sizeof(float);
	assert_int_equal(neso_kernel_launch(f.kernel, &d.launch, NULL, &diagnostics), NESO_ERROR_RUN);
	const neso_diagnostic *first = neso_diagnostics_get(diagnostics, 0);
	assert_non_null(first);
	assert_int_equal(first->line, 15);
	assert_non_null(strstr(neso_diagnostics_text(diagnostics), "y_ptr"));
	neso_diagnostics_free(diagnostics);
	fill(&d);
	d.args[2].access = NESO_READ;
	assert_int_equal(neso_kernel_launch(f.kernel, &d.launch, NULL, &diagnostics), NESO_ERROR_RUN);
	assert_int_equal(neso_diagnostics_get(diagnostics, 0)->line, 16);
	neso_diagnostics_free(diagnostics);
	assert_true(d.out[0] == -1);
	close_fixture(&f);
}

static void a_file_that_is_not_there_is_said(void **state)
{
	(void)state;
	neso_context *context;
	neso_module *module;
	neso_diagnostics *diagnostics;
	assert_int_equal(neso_context_new(NULL, &context, NULL), NESO_OK);
	assert_int_equal(neso_module_load_file(context, "/nowhere/at/all.py", &module, &diagnostics), NESO_ERROR_SOURCE);
	assert_null(module);
	expect_code(diagnostics, "FILE_UNREADABLE");
	neso_context_free(context);
}

/* ---- wrong use, other versions ---- */

static void wrong_use_is_said(void **state)
{
	(void)state;
	Fixture f = open_fixture(NULL, add_text, "add");
	neso_diagnostics *diagnostics;
	neso_variant *variant;
	Data d;
	assert_int_equal(neso_kernel_compile(NULL, "", NULL, &variant, &diagnostics), NESO_ERROR_USAGE);
	expect_code(diagnostics, "USAGE");
	assert_int_equal(neso_kernel_launch(f.kernel, NULL, NULL, NULL), NESO_ERROR_USAGE);
	fill(&d);
	d.launch.size = 3;
	assert_int_equal(neso_kernel_launch(f.kernel, &d.launch, NULL, &diagnostics), NESO_ERROR_USAGE);
	expect_code(diagnostics, "USAGE");
	fill(&d);
	d.args[0].address = d.x + N + 1;
	d.args[0].buffer = d.x;
	assert_int_equal(neso_kernel_launch(f.kernel, &d.launch, NULL, &diagnostics), NESO_ERROR_USAGE);
	expect_code(diagnostics, "USAGE");
	fill(&d);
	d.args[0].dtype = NESO_DTYPE_NONE;
	assert_int_equal(neso_kernel_launch(f.kernel, &d.launch, NULL, &diagnostics), NESO_ERROR_USAGE);
	expect_code(diagnostics, "USAGE");
	close_fixture(&f);
}

static void structs_of_other_versions_work(void **state)
{
	(void)state;
	Fixture f = open_fixture(NULL, add_text, "add");
	Data d;
	struct {
		neso_launch known;
		int64_t later;
	} newer;
	memset(&newer, 0, sizeof newer);
	fill(&d);
	newer.known = d.launch;
	newer.known.size = sizeof newer;
	assert_int_equal(neso_kernel_launch(f.kernel, &newer.known, NULL, NULL), NESO_OK);
	newer.later = 1;
	assert_int_equal(neso_kernel_launch(f.kernel, &newer.known, NULL, NULL), NESO_ERROR_USAGE);

	/* An older caller: its struct ends before `buffers`. */
	d.launch.size = offsetof(neso_launch, buffers);
	assert_int_equal(neso_kernel_launch(f.kernel, &d.launch, NULL, NULL), NESO_OK);
	struct {
		neso_launch_result result;
		uint64_t guard;
	} small = {.guard = 42};
	small.result.size = offsetof(neso_launch_result, compiled);
	small.result.compile_seconds = -1;
	fill(&d);
	assert_int_equal(neso_kernel_launch(f.kernel, &d.launch, &small.result, NULL), NESO_OK);
	assert_non_null(small.result.variant);
	assert_true(small.result.compile_seconds == -1);
	assert_int_equal(small.guard, 42);
	close_fixture(&f);
}

/* ---- the host's callbacks ---- */

typedef struct Seen {
	char log[256];
	int kinds[4];
	char key[128];
	bool refuse_compile, refuse_launch;
	int asked;
} Seen;

static void take_log(void *data, neso_log_level level, const char *text)
{
	Seen *seen = data;
	if (level == NESO_LOG_OUTPUT)
		strncat(seen->log, text, sizeof seen->log - strlen(seen->log) - 1);
}

static bool take_event(void *data, const neso_event *event)
{
	Seen *seen = data;
	seen->kinds[event->kind]++;
	snprintf(seen->key, sizeof seen->key, "%s", event->key);
	assert_non_null(event->kernel);
	assert_true((event->kind == NESO_EVENT_COMPILE_BEGIN) == (event->variant == NULL));
	return !(event->kind == NESO_EVENT_COMPILE_BEGIN && seen->refuse_compile) &&
	       !(event->kind == NESO_EVENT_LAUNCH_BEGIN && seen->refuse_launch);
}

static void hooks_see_and_refuse(void **state)
{
	(void)state;
	Seen seen = {.refuse_compile = true};
	neso_context_options options = context_options();
	options.event = take_event;
	options.event_data = &seen;
	Fixture f = open_fixture(&options, add_text, "add");
	Data d;
	neso_diagnostics *diagnostics;
	fill(&d);
	assert_int_equal(neso_kernel_launch(f.kernel, &d.launch, NULL, &diagnostics), NESO_ERROR_REFUSED);
	expect_code(diagnostics, "REFUSED");
	assert_int_equal(seen.kinds[NESO_EVENT_COMPILE_END], 0);
	seen.refuse_compile = false;
	seen.refuse_launch = true;
	assert_int_equal(neso_kernel_launch(f.kernel, &d.launch, NULL, NULL), NESO_ERROR_REFUSED);
	assert_int_equal(seen.kinds[NESO_EVENT_COMPILE_END], 1);
	assert_true(d.out[0] == -1);
	seen.refuse_launch = false;
	assert_int_equal(neso_kernel_launch(f.kernel, &d.launch, NULL, NULL), NESO_OK);
	assert_int_equal(seen.kinds[NESO_EVENT_COMPILE_BEGIN], 2);
	assert_int_equal(seen.kinds[NESO_EVENT_LAUNCH_BEGIN], 2);
	assert_int_equal(seen.kinds[NESO_EVENT_LAUNCH_END], 1);
	assert_non_null(strstr(seen.key, "add("));
	close_fixture(&f);
}

static void output_of_kernels_goes_to_the_log(void **state)
{
	(void)state;
	static const char text[] = FILE_HEAD
		"@triton.jit\ndef k(x):\n    tl.static_print('compiling')\n    tl.device_print('x is', x)\n";
	Seen seen = {0};
	neso_context_options options = context_options();
	options.log = take_log;
	options.log_data = &seen;
	Fixture f = open_fixture(&options, text, "k");
	neso_arg arg = neso_arg_int("x", 77);
	neso_launch launch = neso_launch_of(&arg, 1, 1, 1, 1);
	assert_int_equal(neso_kernel_launch(f.kernel, &launch, NULL, NULL), NESO_OK);
	assert_non_null(strstr(seen.log, "compiling\n"));
	assert_non_null(strstr(seen.log, "x is"));
	assert_non_null(strstr(seen.log, "77"));
	close_fixture(&f);
}

static bool resolve(void *data, const neso_name_request *request, neso_value *value)
{
	Seen *seen = data;
	seen->asked++;
	assert_string_equal(request->path, "test.py");
	if (strcmp(request->name, "OFFSET") == 0) {
		*value = neso_value_int(5);
		return true;
	}
	if (strcmp(request->name, "scale") == 0) {
		value->kind = NESO_VALUE_FUNCTION;
		value->path = "elsewhere.py";
		value->source = FILE_HEAD "@triton.jit\ndef triple(x):\n    return x * 3\n";
		value->text = "triple";
		return true;
	}
	return false;
}

static void the_host_answers_for_names(void **state)
{
	(void)state;
	static const char text[] = FILE_HEAD "@triton.jit\ndef k(p, x):\n    tl.store(p, scale(x) + OFFSET)\n";
	Seen seen = {0};
	neso_context_options options = context_options();
	options.resolve = resolve;
	options.resolve_data = &seen;
	Fixture f = open_fixture(&options, text, "k");
	int32_t out = 0;
	neso_arg args[] = {neso_arg_buffer("p", NESO_INT32, &out, 4, NESO_READ_WRITE), neso_arg_int("x", 10)};
	neso_launch launch = neso_launch_of(args, 2, 1, 1, 1);
	neso_diagnostics *diagnostics;
	neso_status status = neso_kernel_launch(f.kernel, &launch, NULL, &diagnostics);
	if (status != NESO_OK)
		print_error("%s", neso_diagnostics_text(diagnostics));
	neso_diagnostics_free(diagnostics);
	assert_int_equal(status, NESO_OK);
	assert_int_equal(out, 35);
	assert_true(seen.asked >= 2);
	close_fixture(&f);
}

/* ---- values, dtypes ---- */

static void constants_of_every_kind_arrive(void **state)
{
	(void)state;
	static const char text[] = FILE_HEAD
		"@triton.jit\n"
		"def k(p, I: tl.constexpr, F: tl.constexpr, S: tl.constexpr, B: tl.constexpr, N: tl.constexpr,\n"
		"      D: tl.constexpr, T: tl.constexpr):\n"
		"    tl.static_assert(I == -7)\n"
		"    tl.static_assert(F == 0.1)\n"
		"    tl.static_assert(S == \"it's\")\n"
		"    tl.static_assert(B)\n"
		"    tl.static_assert(N is None)\n"
		"    tl.static_assert(D == tl.float16)\n"
		"    tl.static_assert(T[1] == 'two')\n"
		"    tl.store(p, I)\n";
	Fixture f = open_fixture(NULL, text, "k");
	int32_t out = 0;
	neso_value items[2] = {neso_value_int(1), neso_value_expr("'two'")};
	neso_value string = {.kind = NESO_VALUE_STRING, .text = "it's"}, yes = {.kind = NESO_VALUE_BOOL, .i = 1};
	neso_value none = {.kind = NESO_VALUE_NONE}, half = {.kind = NESO_VALUE_DTYPE, .dtype = NESO_FP16};
	neso_value tuple = {.kind = NESO_VALUE_TUPLE, .items = items, .count = 2};
	neso_arg args[] = {
		neso_arg_buffer("p", NESO_INT32, &out, 4, NESO_READ_WRITE), neso_arg_int("I", -7), neso_arg_float("F", 0.1),
		neso_arg_value("S", string), neso_arg_value("B", yes), neso_arg_value("N", none),
		neso_arg_value("D", half), neso_arg_value("T", tuple),
	};
	neso_launch launch = neso_launch_of(args, sizeof args / sizeof *args, 1, 1, 1);
	neso_diagnostics *diagnostics;
	neso_status status = neso_kernel_launch(f.kernel, &launch, NULL, &diagnostics);
	if (status != NESO_OK)
		print_error("%s", neso_diagnostics_text(diagnostics));
	neso_diagnostics_free(diagnostics);
	assert_int_equal(status, NESO_OK);
	assert_int_equal(out, -7);
	close_fixture(&f);
}

static void dtypes_convert(void **state)
{
	(void)state;
	const float in[] = {1.5f, -2.25f, 65536.f, 0.1f};
	uint16_t half[4];
	float back[4];
	int8_t small[4];
	uint8_t bytes[4];
	assert_int_equal(neso_dtype_of("float16"), NESO_FP16);
	assert_int_equal(neso_dtype_of("fp8e4nv"), NESO_FP8E4NV);
	assert_int_equal(neso_dtype_of("nonsense"), NESO_DTYPE_NONE);
	assert_string_equal(neso_dtype_name(NESO_BF16), "bf16");
	assert_null(neso_dtype_name((neso_dtype)99));
	assert_int_equal(neso_dtype_size(NESO_INT1), 1);
	assert_int_equal(neso_dtype_convert(NESO_FP16, half, NESO_FP32, in, 4), NESO_OK);
	assert_int_equal(half[0], 0x3e00);
	assert_int_equal(half[1], 0xc080);
	assert_int_equal(half[2], 0x7c00);
	assert_int_equal(half[3], 0x2e66);
	assert_int_equal(neso_dtype_convert(NESO_FP32, back, NESO_FP16, half, 2), NESO_OK);
	assert_true(back[0] == 1.5f && back[1] == -2.25f);
	assert_int_equal(neso_dtype_convert(NESO_INT8, small, NESO_FP32, in, 4), NESO_OK);
	assert_int_equal(small[0], 1);
	assert_int_equal(small[1], -2);
	assert_int_equal(small[2], 127);
	assert_int_equal(neso_dtype_convert(NESO_UINT8, bytes, NESO_INT8, small, 4), NESO_OK);
	assert_int_equal(bytes[1], 254);
	assert_int_equal(neso_dtype_convert(NESO_DTYPE_NONE, bytes, NESO_INT8, small, 4), NESO_ERROR_USAGE);
}

/* ---- IR text ---- */

static void note_name(void *data, neso_name_group group, const char *name)
{
	char *said = data;
	size_t len = strlen(said);
	snprintf(said + len, 400 - len, "%u%s ", (unsigned)group, name);
}

static void names_of_a_text_are_told(void **state)
{
	(void)state;
	static const char text[] = "def f(a, b: tl.constexpr = N, *rest) -> T:\n"
				   "    \"\"\"word\"\"\"\n"
				   "    x, (y, *z) = tl.load(a), G.h.i[b](key=K)\n"
				   "    for j in range(R):\n"
				   "        y += f'{W:{V}}' if (q := j) else [e for e in x.shape]\n"
				   "        W = q\n";
	char said[400] = "";
	assert_int_equal(neso_names(text, strlen(text), note_name, said), NESO_OK);
	assert_string_equal(said, "0a 0b 0rest 0x 0y 0z 0j 0q 0e 0W 0a 0b 0rest 1W "
				  "2x 2y 2z 2tl.load 2a 2G.h.i 2b 2K 2j 2range 2R 2q 2W 2V 2e 2x.shape "
				  "3tl.constexpr 3N 3T 4N ");
	assert_int_equal(neso_names("x = 1\n", 6, note_name, said), NESO_ERROR_SOURCE);
	static const char odd[] = "def f(a):\n    match a:\n        case {'k': 1, **b}:\n            pass\n";
	assert_int_equal(neso_names(odd, strlen(odd), note_name, said), NESO_ERROR_SOURCE);
	assert_int_equal(neso_names(NULL, 0, note_name, said), NESO_ERROR_USAGE);
}

static void passes_run_on_text(void **state)
{
	(void)state;
	Fixture f = open_fixture(NULL, add_text, "add");
	neso_variant *variant;
	char *raw, *out;
	neso_diagnostics *diagnostics;
	neso_ir_options options;
	const char *passes[] = {"inline"};
	memset(&options, 0, sizeof options);
	options.size = sizeof options;
	assert_int_equal(neso_kernel_compile(f.kernel, "*fp32,*fp32,*fp32,i32,16", NULL, &variant, NULL), NESO_OK);
	assert_int_equal(neso_variant_text(variant, "ttir-raw", &raw, NULL), NESO_OK);
	assert_int_equal(neso_ir_run(f.context, "raw.ttir", raw, strlen(raw), &options, &out, NULL), NESO_OK);
	assert_string_equal(out, raw);
	neso_text_free(out);
	options.passes = passes;
	options.pass_count = 1;
	options.no_locations = true;
	assert_int_equal(neso_ir_run(f.context, "raw.ttir", raw, strlen(raw), &options, &out, NULL), NESO_OK);
	assert_null(strstr(out, "tt.call"));
	assert_null(strstr(out, "loc("));
	neso_text_free(out);
	passes[0] = "inlyne";
	assert_int_equal(neso_ir_run(f.context, "raw.ttir", raw, strlen(raw), &options, &out, &diagnostics),
			 NESO_ERROR_ARGUMENT);
	expect_code(diagnostics, "PASS_UNKNOWN");
	passes[0] = "inline";
	options.stop_after = "inline";
	assert_int_equal(neso_ir_run(f.context, "raw.ttir", raw, strlen(raw), &options, &out, &diagnostics),
			 NESO_ERROR_ARGUMENT);
	expect_code(diagnostics, "PASS_STOP");
	neso_text_free(raw);
	neso_variant *without;
	setenv("NESO_SKIP_PASSES", "cse,inline", 1);
	assert_int_equal(neso_kernel_compile(f.kernel, "*fp32,*fp32,*fp32,i32,32", NULL, &without, &diagnostics), NESO_ERROR_SOURCE);
	expect_code(diagnostics, "PASS_SKIP");
	unsetenv("NESO_SKIP_PASSES");
	close_fixture(&f);
	assert_non_null(neso_ir_pass_name(0));
	assert_non_null(neso_ir_pass_doc(0));
	assert_null(neso_ir_pass_name(1000));
	assert_false(neso_ir_pass_optional(0)); /* structure */
	assert_false(neso_ir_pass_optional(1000));
}

static void a_context_outlives_its_owner_for_its_modules(void **state)
{
	(void)state;
	Fixture f = open_fixture(NULL, add_text, "add");
	Data d;
	fill(&d);
	neso_context_free(f.context);
	assert_int_equal(neso_kernel_launch(f.kernel, &d.launch, NULL, NULL), NESO_OK);
	expect_sum(&d);
	neso_module_free(f.module);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_launch_computes),
		cmocka_unit_test(arguments_go_by_position_too_and_defaults_count),
		cmocka_unit_test(a_compiled_variant_is_launched),
		cmocka_unit_test(the_text_of_a_stage_is_given),
		cmocka_unit_test(values_are_specialised_as_upstream_does),
		cmocka_unit_test(calls_find_what_was_compiled_for_such_ones),
		cmocka_unit_test(a_kernel_says_what_it_is),
		cmocka_unit_test(a_fault_has_place_and_text),
		cmocka_unit_test(nothing_to_say_is_null),
		cmocka_unit_test(unknown_kernels_are_told_apart),
		cmocka_unit_test(wrong_arguments_are_named),
		cmocka_unit_test(wrong_signatures_are_named),
		cmocka_unit_test(wrong_options_are_named),
		cmocka_unit_test(wrong_descriptors_are_named),
		cmocka_unit_test(a_run_that_fails_says_where),
		cmocka_unit_test(a_file_that_is_not_there_is_said),
		cmocka_unit_test(wrong_use_is_said),
		cmocka_unit_test(structs_of_other_versions_work),
		cmocka_unit_test(hooks_see_and_refuse),
		cmocka_unit_test(output_of_kernels_goes_to_the_log),
		cmocka_unit_test(the_host_answers_for_names),
		cmocka_unit_test(constants_of_every_kind_arrive),
		cmocka_unit_test(dtypes_convert),
		cmocka_unit_test(names_of_a_text_are_told),
		cmocka_unit_test(passes_run_on_text),
		cmocka_unit_test(a_context_outlives_its_owner_for_its_modules),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
