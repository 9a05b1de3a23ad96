/* Declared variants through neso/declare.h: what a line stands for, strict mode, warm-up with
 * modules loaded (on a fake driver), recording from several processes, what is concluded for single
 * parameters, explain. */
#include "folder.h"
#include "nv_kit.h"

#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <neso/declare.h>

static const char text[] =
	"import triton\nimport triton.language as tl\n\n"
	"@triton.jit\n"
	"def add(x, y, out, n, stride, BLOCK: tl.constexpr, SHIFT: tl.constexpr = 0):\n"
	"    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
	"    m = i < n\n"
	"    tl.store(out + i * stride, tl.load(x + i, mask=m) + tl.load(y + i, mask=m) + SHIFT, mask=m)\n\n"
	"@triton.jit(specialize={'n': 'never_one, div8', 2: 'always_one'})\n"
	"def own(x: '*fp32, div8', n, stride, wide: 'i64, unaligned'):\n"
	"    tl.store(x, n + stride + wide)\n";

typedef struct Fixture {
	FakeCuda *fake;
	neso_context *context;
	neso_module *module;
	neso_kernel *add, *own;
	atomic_int compiles; /* warming has threads */
} Fixture;

static bool count_compiles(void *data, const neso_event *event)
{
	atomic_fetch_add(&((Fixture *)data)->compiles, event->kind == NESO_EVENT_COMPILE_BEGIN);
	return true;
}

static void begin_with(Fixture *f, neso_context_options *options)
{
	kit_find_codegen();
	memset(f, 0, sizeof *f);
	f->fake = kit_fake();
	f->fake->reset();
	options->libcuda = kit_library();
	assert_int_equal(neso_context_new(options, &f->context, NULL), NESO_OK);
	assert_int_equal(neso_module_load_text(f->context, "k.py", text, sizeof text - 1, &f->module, NULL),
			 NESO_OK);
	assert_int_equal(neso_module_find(f->module, "add", &f->add, NULL), NESO_OK);
	assert_int_equal(neso_module_find(f->module, "own", &f->own, NULL), NESO_OK);
}

static void begin(Fixture *f)
{
	neso_context_options options;
	neso_context_options_init(&options);
	options.event = count_compiles;
	options.event_data = f;
	begin_with(f, &options);
}

static void end(Fixture *f)
{
	neso_module_free(f->module);
	neso_context_free(f->context);
}

static void expect_code(neso_diagnostics *diagnostics, const char *code, const char *part)
{
	if (code)
		assert_string_equal(neso_diagnostics_get(diagnostics, 0)->code, code);
	if (!strstr(neso_diagnostics_text(diagnostics), part))
		fail_msg("expected '%s' in: %s", part, neso_diagnostics_text(diagnostics));
	neso_diagnostics_free(diagnostics);
}

static void expect(neso_diagnostics *diagnostics, const char *part)
{
	expect_code(diagnostics, NULL, part);
}

/* ---- what a line stands for ---- */

typedef struct Found {
	char all[4096];
	char axes[200], multiplier[40];
	uint64_t count, values;
	unsigned warps;
} Found;

static void collect(void *data, const neso_declared *variant)
{
	Found *found = data;
	size_t len = strlen(found->all);
	snprintf(found->all + len, sizeof found->all - len, "%s;", variant->signature);
	snprintf(found->axes, sizeof found->axes, "%s", variant->axes);
	snprintf(found->multiplier, sizeof found->multiplier, "%s",
		 variant->multiplier ? variant->multiplier : "");
	found->values = variant->multiplier_values;
	found->count = variant->count;
	found->warps += variant->options->num_warps;
}

static const char *declared(neso_kernel *kernel, const char *line)
{
	static Found found;
	neso_diagnostics *diagnostics;
	memset(&found, 0, sizeof found);
	neso_status status = neso_kernel_declared(kernel, line, NULL, collect, &found, &diagnostics);
	if (status != NESO_OK)
		fail_msg("%s", neso_diagnostics_text(diagnostics));
	neso_diagnostics_free(diagnostics);
	return found.all;
}

#define REST ", y: *fp32, out: *fp32, n: i32, stride=1, BLOCK=8)"
#define TAIL(head) head ",*fp32,*fp32,i32,1,8,0;"

static void test_entries(void **state)
{
	(void)state;
	Fixture f;
	begin(&f);
	static const struct {
		const char *line, *signatures;
	} rows[] = {
		{"k.py:add(x: *fp32" REST, TAIL("*fp32")},
		{"k.py:add(x: *fp32:*" REST, TAIL("*fp32") TAIL("*fp32:16")},
		{"k.py:add(x: {*fp32, *fp16}:16" REST, TAIL("*fp32:16") TAIL("*fp16:16")},
		{"k.py:add(x: {None, *fp32:16}" REST, TAIL("None") TAIL("*fp32:16")},
		{"k.py:add(x: *fp32:8" REST, TAIL("*fp32")}, /* 8 does not count */
		{"k.py:add(x: {*fp32, *fp32:*, *fp32:16}" REST, TAIL("*fp32") TAIL("*fp32:16")},
		{"k.py:add(x: i32:*" REST, TAIL("i32") TAIL("i32:16") TAIL("1")},
		{"k.py:add(x: int:*" REST,
		 TAIL("i32") TAIL("i32:16") TAIL("1") TAIL("i64") TAIL("i64:16") TAIL("u64") TAIL("u64:16")},
		{"k.py:add(x: {i32, i64}:16" REST, TAIL("i32:16") TAIL("i64:16")},
		{"k.py:add(x: fp32:*" REST, TAIL("fp32") TAIL("fp32:16")},
		{"k.py:add(x: {7, 16, 1, 23}" REST, TAIL("i32") TAIL("i32:16") TAIL("1")},
		{"k.py:add(x: 2..15" REST, TAIL("i32")},
		{"k.py:add(x: 1..1000000" REST, TAIL("1") TAIL("i32") TAIL("i32:16")},
		{"k.py:add(x: 32..1000000 +32" REST, TAIL("i32:16")},
		{"k.py:add(x: 16..5000000000 +16" REST, TAIL("i32:16") TAIL("i64:16")},
		{"k.py:add(x: {0.5, True}" REST, TAIL("fp32") TAIL("i1")},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const char *got = declared(f.add, rows[i].line);
		if (i == 9) /* a float has no divisibility */
			assert_string_equal(got, TAIL("fp32"));
		else if (strcmp(got, rows[i].signatures) != 0)
			fail_msg("%s:\n%s\nnot %s", rows[i].line, got, rows[i].signatures);
	}
	assert_string_equal(
		declared(f.add, "k.py:add(x: *fp32, y: *fp32, out: *fp32, n: i32, stride: i32, BLOCK: {8, "
				"16..64 *2}, SHIFT: -1..1)"),
		"*fp32,*fp32,*fp32,i32,i32,8,-1;*fp32,*fp32,*fp32,i32,i32,8,0;*fp32,*fp32,*fp32,i32,i32,8,1;"
		"*fp32,*fp32,*fp32,i32,i32,16,-1;*fp32,*fp32,*fp32,i32,i32,16,0;*fp32,*fp32,*fp32,i32,i32,16,"
		"1;"
		"*fp32,*fp32,*fp32,i32,i32,32,-1;*fp32,*fp32,*fp32,i32,i32,32,0;*fp32,*fp32,*fp32,i32,i32,32,"
		"1;"
		"*fp32,*fp32,*fp32,i32,i32,64,-1;*fp32,*fp32,*fp32,i32,i32,64,0;*fp32,*fp32,*fp32,i32,i32,64,"
		"1;");
	end(&f);
}

static void test_counts(void **state)
{
	(void)state;
	Fixture f;
	Found found = {0};
	begin(&f);
	const char *line = "k.py:add(x: *fp32:*, y: *fp32:16, out: *fp32, n: i32:*, stride=1, BLOCK: {8, "
			   "16}) num_warps={2, 4, 8, 16} debug";
	assert_int_equal(neso_kernel_declared(f.add, line, NULL, collect, &found, NULL), NESO_OK);
	assert_int_equal(found.count, 48);
	assert_string_equal(found.axes, "x 2, n 3, BLOCK 2, num_warps 4");
	assert_string_equal(found.multiplier, "num_warps");
	assert_int_equal(found.values, 4);
	assert_int_equal(found.warps, 12 * (2 + 4 + 8 + 16));
	neso_declare_options few;
	neso_diagnostics *diagnostics;
	neso_declare_options_init(&few);
	few.most = 47;
	assert_int_equal(neso_kernel_declared(f.add, line, &few, collect, &found, &diagnostics),
			 NESO_ERROR_ARGUMENT);
	expect_code(diagnostics, "DECLARED_MANY",
		    "add can have 48 variants, and no more than 47 are enumerated: 'num_warps' "
		    "multiplies them by 4");
	few.file = "server.variants";
	few.line = 17;
	line = "k.py:add(x: *fp32, y: *fp32:16, out: *fp32, n: int:*, stride=1, BLOCK: {8, 16})";
	few.most = 3;
	assert_int_equal(neso_kernel_declared(f.add, line, &few, NULL, NULL, &diagnostics),
			 NESO_ERROR_ARGUMENT);
	expect(diagnostics, "server.variants:17:1: error: add can have 14 variants, and no more than 3 are "
			    "enumerated: 'n' multiplies "
			    "them by 7: do_not_specialize=['n'] leaves its types");
	end(&f);
}

static void test_wrong_lines(void **state)
{
	(void)state;
	Fixture f;
	begin(&f);
	static const struct {
		const char *line, *message;
	} rows[] = {
		{"add(x: *fp32)", "1:1: error: a declaration begins with FILE.py:KERNEL("},
		{"k.py:add(x: *fp32", "1:9: error: this bracket is not closed"},
		{"k.py:add(z: *fp32)", "1:10: error: add has no parameter 'z'"},
		{"k.py:add(x: *fp32, x: *fp32)", "1:20: error: 'x' stands here twice"},
		{"k.py:add(x: *fp32)", "nothing is said of the parameter 'y' of add"},
		{"k.py:add(x: *fp32:7" REST, "what follows ':' is 1, 8, 16, or *"},
		{"k.py:add(x: 5..1" REST, "a range is FROM..TO"},
		{"k.py:add(x: *fp32" REST " num_warp=4", "no option 'num_warp' (did you mean 'num_warps'?)"},
		{"k.py:add(x: *fp32" REST " num_warps=x", "num_warps wants a number, not 'x'"},
		{"k.py:add(x: *fp32" REST " debug=1", "debug takes no value"},
		{"k.py:add(x: *fp32" REST " debug debug", "the option 'debug' stands here twice"},
		{"k.py:add(x: *fp32, y: *fp32, out: *fp32, n: i32, stride=1, BLOCK: i32)",
		 "'BLOCK' is a constexpr: it has values"},
		{"control k.py:add(n: sometimes_one)", "'sometimes_one' says nothing of an argument"},
		{"control k.py:add(n: never_on)", "did you mean 'never_one'?"},
		{"control k.py:add(q: never_one)", "add has no parameter 'q'"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		neso_diagnostics *diagnostics;
		assert_int_not_equal(
			neso_kernel_declared(f.add, rows[i].line, NULL, NULL, NULL, &diagnostics), NESO_OK);
		const bool words =
			strstr(rows[i].message, "never_one") || strstr(rows[i].message, "sometimes_one");
		const bool parsed = rows[i].line[0] == 'k' || rows[i].line[0] == 'a';
		expect_code(diagnostics,
			    words    ? "CONTROL_WORD"
			    : parsed ? "DECLARATION"
				     : NULL,
			    rows[i].message);
	}
	end(&f);
}

/* ---- single parameters ---- */

static void test_own_rules(void **state)
{
	(void)state;
	Fixture f;
	begin(&f);
	assert_string_equal(declared(f.own, "k.py:own(x: *fp32:*, n: i32:*, stride: i32:*, wide: i32:*)"),
			    "*fp32,i32,1,i64;*fp32,i32:8,1,i64;*fp32,i32:16,1,i64;"
			    "*fp32:8,i32,1,i64;*fp32:8,i32:8,1,i64;*fp32:8,i32:16,1,i64;"
			    "*fp32:16,i32,1,i64;*fp32:16,i32:8,1,i64;*fp32:16,i32:16,1,i64;");
	neso_parameter p = {.size = sizeof p};
	assert_int_equal(neso_kernel_get_parameter(f.own, 3, &p), NESO_OK);
	assert_string_equal(p.dtype, "i64");
	assert_true(p.no_alignment && !p.div8 && !p.never_one);
	assert_int_equal(neso_kernel_get_parameter(f.own, 2, &p), NESO_OK);
	assert_true(p.always_one && !p.never_one);
	/* From outside, before the first variant alone. */
	assert_string_equal(declared(f.add, "k.py:add(x: *fp32" REST), TAIL("*fp32"));
	assert_int_equal(neso_kernel_control(f.add, "n", "never_one, i64", NULL), NESO_OK);
	assert_int_equal(neso_kernel_declared(f.add,
					      "control k.py:add(stride: always_one, x: div8, unaligned)",
					      NULL, NULL, NULL, NULL),
			 NESO_OK);
	assert_string_equal(
		declared(f.add, "k.py:add(x: *fp32:*, y: *fp32, out: *fp32, n: i32:*, stride: i32, BLOCK=8)"),
		"*fp32,*fp32,*fp32,i64,1,8,0;*fp32,*fp32,*fp32,i64:16,1,8,0;");
	neso_variant *variant;
	neso_diagnostics *diagnostics;
	assert_int_equal(neso_kernel_compile(f.add, "*fp32,*fp32,*fp32,i64,1,8", NULL, &variant, NULL),
			 NESO_OK);
	assert_int_equal(neso_kernel_control(f.add, "n", "never_one", NULL), NESO_OK); /* it is so */
	assert_int_equal(neso_kernel_control(f.add, "n", "div8", &diagnostics), NESO_ERROR_ARGUMENT);
	expect_code(diagnostics, "CONTROL_LATE", "add has been compiled or launched");
	end(&f);
}

/* Launches of `own` by value: which variant, and what comes out. */
static neso_status launch_own(Fixture *f, float *x, int64_t n, int64_t stride, int64_t wide, const char **key,
			      neso_diagnostics **diagnostics)
{
	neso_arg args[] = {neso_arg_buffer("x", NESO_FP32, x, 4, NESO_READ_WRITE), neso_arg_int("n", n),
			   neso_arg_int("stride", stride), neso_arg_int("wide", wide)};
	neso_launch l = neso_launch_of(args, 4, 1, 1, 1);
	neso_launch_result result;
	neso_launch_result_init(&result);
	neso_status status = neso_kernel_launch(f->own, &l, &result, diagnostics);
	*key = status == NESO_OK ? neso_variant_key(result.variant) : "";
	return status;
}

static void test_own_launches(void **state)
{
	(void)state;
	Fixture f;
	_Alignas(16) float memory[8] = {0};
	const char *key;
	neso_diagnostics *diagnostics;
	begin(&f);
	static const struct {
		int at;
		int64_t n;
		const char *key;
	} rows[] = {
		{0, 1, "own(x: *fp32:16, n: i32, stride=1, wide: i64)"},
		{2, 24, "own(x: *fp32:8, n: i32:8, stride=1, wide: i64)"},
		{1, 32, "own(x: *fp32, n: i32:16, stride=1, wide: i64)"},
		{2, 7, "own(x: *fp32:8, n: i32, stride=1, wide: i64)"},
	};
	for (int again = 0; again < 2; again++)
		for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
			assert_int_equal(launch_own(&f, memory + rows[i].at, rows[i].n, 1, 16, &key, NULL),
					 NESO_OK);
			assert_string_equal(key, rows[i].key);
			assert_true(memory[rows[i].at] == (float)(rows[i].n + 17));
		}
	assert_int_equal(f.compiles, 4);
	assert_int_equal(launch_own(&f, memory, 1, 2, 3, &key, &diagnostics), NESO_ERROR_ARGUMENT);
	expect_code(diagnostics, "ARG_NOT_ONE", "parameter 'stride' is always 1, but is given 2");
	end(&f);
}

static bool can_compile(Fixture *f)
{
	neso_variant *variant;
	neso_compile_options options;
	neso_compile_options_init(&options);
	options.target = "sm_80";
	return neso_kernel_compile(f->add, "*fp32,*fp32,*fp32,i32,3,8", &options, &variant, NULL) == NESO_OK;
}

/* ---- what 8 divides, of what strides or bounds tiles ---- */

static const char striding[] =
	"import triton\nimport triton.language as tl\n\n"
	"@triton.jit\n"
	"def helper(x, width):\n    return x + width\n\n"
	"@triton.jit(do_not_specialize=['still'])\n"
	"def k(x, row, end, wrap, handed, added, till, seed, still, typed: tl.int64,\n"
	"      BLOCK: tl.constexpr):\n"
	"    i = tl.arange(0, BLOCK)\n"
	"    at = x + i * row.to(tl.int64) + added + (i % wrap) * still * typed\n"
	"    for n in range(0, till):\n"
	"        at += helper(n, handed)\n"
	"    tl.store(at, tl.rand(seed, i), mask=(0 <= i) & (i < end - 3))\n";

static void test_which_strides(void **state)
{
	(void)state;
	static const bool counts[] = {false, true,  true,  true, true, false,
				      false, false, false, true, false};
	neso_context *context;
	neso_module *module;
	neso_kernel *kernel;
	assert_int_equal(neso_context_new(NULL, &context, NULL), NESO_OK);
	assert_int_equal(
		neso_module_load_text(context, "s.py", striding, sizeof striding - 1, &module, NULL),
		NESO_OK);
	assert_int_equal(neso_module_find(module, "k", &kernel, NULL), NESO_OK);
	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
		neso_parameter p = {.size = sizeof p};
		assert_int_equal(neso_kernel_get_parameter(kernel, i, &p), NESO_OK);
		if (p.div8_int != counts[i])
			fail_msg("%s: %d", p.name, p.div8_int);
		assert_false(p.div8);
	}
	assert_int_equal(neso_kernel_control(kernel, "row", "unaligned", NULL), NESO_OK);
	neso_parameter row = {.size = sizeof row};
	assert_int_equal(neso_kernel_get_parameter(kernel, 1, &row), NESO_OK);
	assert_false(row.div8_int);
	neso_module_free(module);
	neso_context_free(context);
}

/* Calls in turns, each of which is compared with the one before it. */
static void test_strides_by_8(void **state)
{
	(void)state;
	static const struct {
		int64_t n, stride;
		const char *key;
	} rows[] = {
		{24, 2, "n: i32:8, stride: i32,"},  {24, 2, "n: i32:8, stride: i32,"},
		{40, 2, "n: i32:8, stride: i32,"},  {7, 2, "n: i32, stride: i32,"},
		{24, 2, "n: i32:8, stride: i32,"},  {32, 2, "n: i32:16, stride: i32,"},
		{8, 8, "n: i32:8, stride: i32:8,"}, {7, 8, "n: i32, stride: i32:8,"},
		{0, 8, "n: i32:16, stride: i32:8,"}, {1, 8, "n=1, stride: i32:8,"},
		{7, 3, "n: i32, stride: i32,"},	    {8, 3, "n: i32:8, stride: i32,"},
	};
	for (int on_gpu = 0; on_gpu < 2; on_gpu++) {
		Fixture f;
		static _Alignas(64) float x[64], y[64], out[512];
		neso_compile_options options;
		neso_compile_options_init(&options);
		begin(&f);
		if (on_gpu && !can_compile(&f)) {
			end(&f);
			return;
		}
		options.target = on_gpu ? "cuda" : "interp";
		if (on_gpu)
			assert_int_equal(neso_gpu_use(f.context, 0, NULL), NESO_OK);
		for (size_t i = 0; i < 3 * sizeof rows / sizeof rows[0]; i++) {
			const size_t at = i % (sizeof rows / sizeof rows[0]);
			neso_arg args[] = {neso_arg_buffer(NULL, NESO_FP32, x, sizeof x, NESO_READ),
					   neso_arg_buffer(NULL, NESO_FP32, y, sizeof y, NESO_READ),
					   neso_arg_buffer(NULL, NESO_FP32, out, sizeof out,
							   NESO_READ_WRITE),
					   neso_arg_int(NULL, rows[at].n),
					   neso_arg_int(NULL, rows[at].stride),
					   neso_arg_int("BLOCK", 64)};
			neso_launch l = neso_launch_of(args, 6, 1, 1, 1);
			neso_launch_result result;
			neso_launch_result_init(&result);
			for (int k = 0; k < 64; k++) {
				x[k] = (float)k;
				y[k] = 1;
			}
			memset(out, 0, sizeof out);
			l.options = &options;
			assert_int_equal(neso_kernel_launch(f.add, &l, &result, NULL), NESO_OK);
			if (!strstr(neso_variant_key(result.variant), rows[at].key))
				fail_msg("%zu: %s, not %s", i, neso_variant_key(result.variant),
					 rows[at].key);
			for (int64_t k = 0; k < 64 && !on_gpu; k++)
				assert_true(out[k * rows[at].stride] ==
					    (k < rows[at].n ? (float)k + 1 : 0));
		}
		end(&f);
	}
}

/* ---- strict mode ---- */

static uint32_t seed = 1;
static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)(seed >> 8) * below >> 24);
}

typedef struct Memory {
	_Alignas(64) float x[64], y[64], out[64];
} Memory;

static neso_status launch_add(Fixture *f, Memory *m, int x_at, int y_at, int64_t n, int64_t stride,
			      int64_t block, const neso_compile_options *options,
			      neso_diagnostics **diagnostics)
{
	neso_arg args[] = {neso_arg_buffer(NULL, NESO_FP32, m->x + x_at, 128, NESO_READ),
			   neso_arg_buffer(NULL, NESO_FP32, m->y + y_at, 128, NESO_READ),
			   neso_arg_buffer(NULL, NESO_FP32, m->out, 256, NESO_READ_WRITE),
			   neso_arg_int(NULL, n),
			   neso_arg_int(NULL, stride),
			   neso_arg_int("BLOCK", block)};
	neso_launch l = neso_launch_of(args, 6, 1, 1, 1);
	l.options = options;
	return neso_kernel_launch(f->add, &l, NULL, diagnostics);
}

static const char strict_line[] =
	"k.py:add(x: *fp32:*, y: *fp32:*, out: *fp32:16, n: i32:*, stride: i32:*, BLOCK: {4, 8})\n";

/* All alignments, and being 1 or not, of what was declared: none of 10^5 launches compiles. What
 * was not is an error that names it. */
static void test_strict(void **state)
{
	(void)state;
	Fixture f;
	static Memory m;
	neso_warm_result warm = {.size = sizeof warm};
	neso_diagnostics *diagnostics;
	begin(&f);
	assert_int_equal(neso_context_warm(f.context, "k.variants", strict_line, NULL, &warm, NULL), NESO_OK);
	assert_int_equal(warm.variants, 72);
	assert_int_equal(warm.compiled, 72);
	assert_int_equal(f.compiles, 72);
	assert_int_equal(neso_context_set_strict(f.context, NESO_STRICT_ON), NESO_OK);
	static const int64_t strides[] = {1, 2, 0, 16, 5};
	for (int i = 0; i < 100000; i++) {
		int64_t n = (int64_t[]){1, 2, 3, 0, 16, 4}[draw(6)], stride = strides[draw(5)],
			block = draw(2) ? 4 : 8;
		n = stride > 5 && n > 3 ? 3 : n;
		neso_status status =
			launch_add(&f, &m, (int)draw(8), (int)draw(8), n, stride, block, NULL, &diagnostics);
		if (status != NESO_OK)
			fail_msg("launch %d: %s", i, neso_diagnostics_text(diagnostics));
		neso_diagnostics_free(diagnostics);
	}
	assert_int_equal(f.compiles, 72);
	assert_int_equal(launch_add(&f, &m, 0, 0, 4, 1, 2, NULL, &diagnostics), NESO_ERROR_MISS);
	assert_string_equal(neso_diagnostics_get(diagnostics, 0)->code, "STRICT_MISS");
	const char *said = neso_diagnostics_text(diagnostics);
	assert_non_null(
		strstr(said, "add is not compiled for this call, and strict mode compiles nothing: BLOCK: "));
	assert_non_null(strstr(said, "before, now 2"));
	assert_non_null(strstr(said, "the nearest variant is add(x: *fp32:16, y: *fp32:16, out: *fp32:16, n: "
				     "i32, stride=1, BLOCK="));
	const char *line = strstr(said, "this line declares it: ");
	assert_non_null(line);
	line += strlen("this line declares it: ");
	char copy[200];
	snprintf(copy, sizeof copy, "%.*s\n", (int)strcspn(line, "\n"), line);
	assert_string_equal(
		copy,
		"k.py:add(x: *fp32:16, y: *fp32:16, out: *fp32:16, n: i32, stride=1, BLOCK=2, SHIFT=0)\n");
	neso_diagnostics_free(diagnostics);
	assert_int_equal(f.compiles, 72);
	/* The line does what it says. */
	assert_int_equal(neso_context_warm(f.context, "k.variants", copy, NULL, &warm, NULL), NESO_OK);
	assert_int_equal(warm.compiled, 1);
	assert_int_equal(launch_add(&f, &m, 0, 0, 2, 1, 2, NULL, NULL), NESO_OK);
	end(&f);
}

static void test_strict_levels(void **state)
{
	(void)state;
	Fixture f;
	static Memory m;
	neso_compile_options options;
	neso_compile_options_init(&options);
	begin(&f);
	options.strict = NESO_STRICT_ON;
	assert_int_equal(launch_add(&f, &m, 0, 0, 2, 1, 4, &options, NULL), NESO_ERROR_MISS);
	assert_int_equal(launch_add(&f, &m, 0, 0, 2, 1, 4, NULL, NULL), NESO_OK);
	assert_int_equal(launch_add(&f, &m, 0, 0, 2, 1, 4, &options, NULL), NESO_OK);
	assert_int_equal(neso_kernel_set_strict(f.add, NESO_STRICT_ON), NESO_OK);
	assert_int_equal(launch_add(&f, &m, 0, 0, 1, 1, 4, NULL, NULL), NESO_ERROR_MISS);
	options.strict = NESO_STRICT_OFF;
	assert_int_equal(launch_add(&f, &m, 0, 0, 1, 1, 4, &options, NULL), NESO_OK);
	assert_int_equal(neso_kernel_set_strict(f.add, NESO_STRICT_OFF), NESO_OK);
	assert_int_equal(neso_context_set_strict(f.context, NESO_STRICT_ON), NESO_OK);
	assert_int_equal(launch_add(&f, &m, 1, 0, 1, 1, 4, NULL, NULL), NESO_OK);
	assert_int_equal(neso_kernel_set_strict(f.add, NESO_STRICT_DEFAULT), NESO_OK);
	assert_int_equal(launch_add(&f, &m, 1, 1, 1, 1, 4, NULL, NULL), NESO_ERROR_MISS);
	assert_int_equal(neso_context_set_strict(f.context, NESO_STRICT_DEFAULT), NESO_OK);
	setenv("NESO_STRICT", "1", 1);
	assert_int_equal(launch_add(&f, &m, 1, 1, 1, 1, 4, NULL, NULL), NESO_ERROR_MISS);
	unsetenv("NESO_STRICT");
	assert_int_equal(launch_add(&f, &m, 1, 1, 1, 1, 4, NULL, NULL), NESO_OK);
	/* A call that compiles ahead may always. */
	neso_variant *variant;
	assert_int_equal(neso_context_set_strict(f.context, NESO_STRICT_ON), NESO_OK);
	assert_int_equal(neso_kernel_compile(f.add, "*fp32,*fp32,*fp32,i32,i32,8", NULL, &variant, NULL),
			 NESO_OK);
	end(&f);
}

/* ---- on a GPU ---- */

/* The first launch of what was warmed compiles nothing and loads nothing; strict mode takes what
 * the cache has. */
static void test_warm_gpu(void **state)
{
	(void)state;
	Fixture f;
	static Memory m;
	neso_warm_result warm = {.size = sizeof warm};
	neso_warm_options options;
	neso_compile_options launch;
	neso_compile_options_init(&launch);
	neso_warm_options_init(&options);
	launch.target = options.target = "cuda";
	begin(&f);
	if (!can_compile(&f)) {
		end(&f);
		skip();
	}
	assert_int_equal(neso_gpu_use(f.context, 0, NULL), NESO_OK);
	static const char lines[] =
		"k.py:add(x: *fp32:16, y: *fp32:16, out: *fp32:16, n: i32, stride={1, 3}, BLOCK: {16, 32}) "
		"no_gpu_limits\n" /* as launches on the CPU are recorded: of a GPU it says nothing */
		"k.py:add(x: *fp32, y: *fp32, out: *fp32, n: i32, stride=1, BLOCK=16) target=interp\n"
		"other.py:sub(x: i32)\n";
	assert_int_equal(neso_context_warm(f.context, "k.variants", lines, &options, &warm, NULL), NESO_OK);
	assert_int_equal(warm.variants, 4);
	assert_int_equal(warm.loaded, 4);
	assert_int_equal(warm.skipped, 2);
	assert_int_equal(f.fake->loads, 4);
	const int compiles = f.compiles;
	launch.strict = NESO_STRICT_ON;
	for (int i = 0; i < 100000; i++)
		assert_int_equal(launch_add(&f, &m, (int)draw(4) * 16, (int)draw(4) * 16, 2 + 2 * draw(7),
					    draw(2) ? 1 : 3, draw(2) ? 16 : 32, &launch, NULL),
				 NESO_OK);
	assert_int_equal(f.fake->loads, 4);
	/* Multiples of 8 were looked for as such, once for each kind of call; what is declared
	 * serves. */
	assert_int_equal(f.compiles, compiles + 4);
	assert_int_equal(f.fake->launches, 100000);
	neso_diagnostics *diagnostics;
	assert_int_equal(launch_add(&f, &m, 1, 0, 2, 1, 16, &launch, &diagnostics), NESO_ERROR_MISS);
	expect(diagnostics, "x: aligned to 16 bytes before, now it is not");
	end(&f);
	/* Another context has none of them, and finds them where they are kept. */
	begin(&f);
	assert_int_equal(neso_gpu_use(f.context, 0, NULL), NESO_OK);
	const char *ptxas = neso_context_info(f.context, "ptxas");
	if (ptxas && strncmp(ptxas, "none", 4) != 0) {
		assert_int_equal(launch_add(&f, &m, 0, 0, 3, 1, 16, &launch, NULL), NESO_OK);
		assert_int_equal(launch_add(&f, &m, 1, 0, 3, 1, 16, &launch, &diagnostics), NESO_ERROR_MISS);
		expect(diagnostics, "target=sm_");
	}
	end(&f);
}

/* ---- recording ---- */

static char *read_whole(const char *path, char *to, size_t room)
{
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	to[fread(to, 1, room - 1, file)] = '\0';
	fclose(file);
	return to;
}

static void child(const char *path, int which)
{
	Fixture f;
	static Memory m;
	neso_context_options options;
	neso_context_options_init(&options);
	options.record = path;
	begin_with(&f, &options);
	for (int i = 0; i < 40; i++)
		launch_add(&f, &m, i % 2, 0, i % 3 ? 1 : 2, 1, 1 << ((i + which) % 5), NULL, NULL);
	end(&f);
	_exit(0);
}

/* Eight processes, each with variants of its own and common ones: each line is there once, sorted,
 * and declares what was launched. */
static void test_record(void **state)
{
	(void)state;
	char path[64], all[8192], before[200] = "";
	int fd = test_file(path, sizeof path, "record");
	assert_true(fd >= 0);
	close(fd);
	for (int i = 0; i < 8; i++)
		if (fork() == 0)
			child(path, i);
	for (int i = 0, status; i < 8; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	read_whole(path, all, sizeof all);
	int lines = 0;
	for (char *line = strtok(all, "\n"); line; line = strtok(NULL, "\n")) {
		if (*line == '#')
			continue;
		assert_int_equal(strncmp(line, "k.py:add(x: *fp32", 17), 0);
		assert_true(strcmp(before, line) < 0);
		snprintf(before, sizeof before, "%s", line);
		lines++;
	}
	assert_int_equal(lines, 20); /* 2 alignments, n of 1 and 2, 5 blocks */
	/* What the file says is all that the next run needs. */
	Fixture f;
	static Memory m;
	neso_warm_result warm = {.size = sizeof warm};
	begin(&f);
	read_whole(path, all, sizeof all);
	assert_int_equal(neso_context_warm(f.context, "k.variants", all, NULL, &warm, NULL), NESO_OK);
	assert_int_equal(warm.variants, 20);
	neso_context_set_strict(f.context, NESO_STRICT_ON);
	for (int i = 0; i < 40; i++)
		assert_int_equal(launch_add(&f, &m, i % 2, 0, i % 3 ? 1 : 2, 1, 1 << i % 5, NULL, NULL),
				 NESO_OK);
	end(&f);
	remove(path);
}

/* From the middle of a run on: what was launched before counts. A file that cannot be written is a
 * warning. */
static void test_record_late(void **state)
{
	(void)state;
	Fixture f;
	static Memory m;
	char path[64], all[4096];
	neso_variant *variant;
	neso_diagnostics *diagnostics;
	int fd = test_file(path, sizeof path, "record");
	assert_true(write(fd, "# mine\n\nk.py:add(mine)\n", 23) == 23);
	close(fd);
	begin(&f);
	assert_int_equal(neso_kernel_compile(f.add, "*fp32,*fp32,*fp32,i32,7,8", NULL, &variant, NULL),
			 NESO_OK); /* not launched */
	assert_int_equal(launch_add(&f, &m, 0, 0, 2, 1, 4, NULL, NULL), NESO_OK);
	assert_int_equal(neso_context_record(f.context, path, NULL), NESO_OK);
	assert_int_equal(launch_add(&f, &m, 1, 0, 2, 1, 4, NULL, NULL), NESO_OK);
	assert_int_equal(neso_context_record(f.context, NULL, NULL), NESO_OK);
	assert_int_equal(launch_add(&f, &m, 1, 1, 2, 1, 4, NULL, NULL), NESO_OK);
	assert_string_equal(
		read_whole(path, all, sizeof all),
		"# mine\n\nk.py:add(mine)\n"
		"k.py:add(x: *fp32, y: *fp32:16, out: *fp32:16, n: i32, stride=1, BLOCK=4, SHIFT=0)\n"
		"k.py:add(x: *fp32:16, y: *fp32:16, out: *fp32:16, n: i32, stride=1, BLOCK=4, SHIFT=0)\n");
	char *line;
	assert_int_equal(neso_variant_declaration(variant, &line, NULL), NESO_OK);
	assert_string_equal(line,
			    "k.py:add(x: *fp32, y: *fp32, out: *fp32, n: i32, stride=7, BLOCK=8, SHIFT=0)");
	neso_text_free(line);
	assert_int_equal(neso_context_record(f.context, "/proc/nowhere/x", &diagnostics), NESO_ERROR_SOURCE);
	expect_code(diagnostics, "RECORD_FILE", "launches are not recorded to /proc/nowhere/x: ");
	end(&f);
	remove(path);
}

/* ---- explain ---- */

static void test_explain(void **state)
{
	(void)state;
	Fixture f;
	static Memory m;
	char *said;
	begin(&f);
	for (int i = 0; i < 6; i++)
		assert_int_equal(launch_add(&f, &m, 0, 0, 2, 1, i % 2 ? 4 : 8, NULL, NULL), NESO_OK);
	neso_kernel_set_strict(f.add, NESO_STRICT_ON);
	assert_int_equal(launch_add(&f, &m, 0, 0, 2, 1, 2, NULL, NULL), NESO_ERROR_MISS);
	assert_int_equal(neso_context_explain(f.context, "text", &said, NULL), NESO_OK);
	assert_non_null(strstr(said, "add  k.py:5\n    2 variants: 2 compiled in "));
	assert_non_null(strstr(said, "0 from the cache; 6 launches; 1 refused by strict mode\n    'BLOCK' "
				     "multiplies them: 2 values\n"));
	assert_non_null(strstr(said, ": BLOCK: 8 before, now 4; 3 launches\n"));
	neso_text_free(said);
	assert_int_equal(neso_context_explain(f.context, "json", &said, NULL), NESO_OK);
	assert_non_null(
		strstr(said, "\"missed\": 1, \"launches\": 6, \"multiplier\": \"BLOCK\", \"values\": 2"));
	neso_text_free(said);
	assert_int_equal(neso_context_explain(f.context, "prometheus", &said, NULL), NESO_OK);
	assert_non_null(strstr(
		said,
		"# TYPE neso_launches_total counter\nneso_launches_total{kernel=\"add\",path=\"k.py\"} 6\n"));
	assert_non_null(
		strstr(said, "neso_multiplier_values{kernel=\"add\",path=\"k.py\",parameter=\"BLOCK\"} 2\n"));
	neso_text_free(said);
	neso_diagnostics *diagnostics;
	assert_int_equal(neso_context_explain(f.context, "xml", &said, &diagnostics), NESO_ERROR_USAGE);
	expect(diagnostics, "knows text, json and prometheus, not 'xml'");
	end(&f);
}

static size_t ask(const char *path, const char *question, char *to, size_t room)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
	assert_int_equal(write(fd, question, strlen(question)), (ssize_t)strlen(question));
	size_t len = 0;
	ssize_t n;
	while (len < room - 1 && (n = read(fd, to + len, room - 1 - len)) > 0)
		len += (size_t)n;
	to[len] = '\0';
	close(fd);
	return len;
}

/* The socket answers while the process works, a child that is forked does not take it away, and it
 * is gone at the end. */
static void test_explain_socket(void **state)
{
	(void)state;
	Fixture f;
	static Memory m;
	char folder[64], path[100], real[100], got[8192];
	neso_context_options options;
	neso_diagnostics *diagnostics;
	neso_context *second;
	assert_non_null(test_folder(folder, sizeof folder, "explain"));
	snprintf(path, sizeof path, "%s/{pid}", folder);
	snprintf(real, sizeof real, "%s/%ld", folder, (long)getpid());
	neso_context_options_init(&options);
	options.explain = path;
	begin_with(&f, &options);
	ask(real, "text\n", got, sizeof got);
	assert_string_equal(got, "nothing was compiled\n");
	assert_int_equal(launch_add(&f, &m, 0, 0, 2, 1, 4, NULL, NULL), NESO_OK);
	ask(real, "json\n", got, sizeof got);
	assert_non_null(
		strstr(got, "[{\"kernel\": \"add\", \"path\": \"k.py\", \"line\": 5, \"compiled\": 1"));
	ask(real, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", got, sizeof got);
	assert_int_equal(strncmp(got, "HTTP/1.0 200 OK\r\n", 17), 0);
	assert_non_null(strstr(got, "neso_variants{kernel=\"add\",path=\"k.py\"} 1\n"));
	ask(real, "xml\n", got, sizeof got);
	assert_string_equal(got, "error: known are text, json and prometheus, not 'xml'\n");
	/* One process after another may have a path, and not two at once. */
	options.explain = real;
	assert_int_equal(neso_context_new(&options, &second, &diagnostics), NESO_OK);
	expect_code(diagnostics, "EXPLAIN_SOCKET", "nobody can ask at ");
	neso_context_free(second);
	int status;
	if (fork() == 0) {
		end(&f);
		_exit(0);
	}
	assert_true(wait(&status) > 0);
	assert_int_equal(status, 0);
	ask(real, "text\n", got, sizeof got);
	end(&f);
	assert_int_not_equal(access(real, F_OK), 0);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_entries),	       cmocka_unit_test(test_counts),
		cmocka_unit_test(test_wrong_lines),    cmocka_unit_test(test_own_rules),
		cmocka_unit_test(test_own_launches),   cmocka_unit_test(test_strict),
		cmocka_unit_test(test_which_strides),  cmocka_unit_test(test_strides_by_8),
		cmocka_unit_test(test_strict_levels),  cmocka_unit_test(test_warm_gpu),
		cmocka_unit_test(test_record),	       cmocka_unit_test(test_record_late),
		cmocka_unit_test(test_explain),	       cmocka_unit_test(test_explain_socket),
	};
	return cmocka_run_group_tests_name("declare", tests, NULL, NULL);
}
