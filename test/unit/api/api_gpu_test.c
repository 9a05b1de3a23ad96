/* GPUs through neso.h, on a fake driver: targets, memory, launches the long way and again, what a launch passes. What
 * compiles needs libneso-codegen.so and ptxas; without them those tests are skipped. */
#include "folder.h"
#include "nv_kit.h"

#include <sys/stat.h>
#include <unistd.h>

#include <neso/neso.h>

#include "fake/fake.h"

static const char text[] = "import triton\nimport triton.language as tl\n\n"
			   "@triton.jit\n"
			   "def kernel(x, n, a, B: tl.constexpr, ADD: tl.constexpr = 0):\n"
			   "    i = tl.program_id(0) * B + tl.arange(0, B)\n"
			   "    tl.store(x + i, tl.load(x + i, mask=i < n) * a + ADD, mask=i < n)\n";

typedef struct Fixture {
	FakeCuda *fake;
	neso_context *context;
	neso_module *module;
	neso_kernel *kernel;
	neso_compile_options options;
	char pad[48];
} Fixture;

static void begin(Fixture *f)
{
	kit_find_codegen();
	memset(f, 0, sizeof *f);
	f->fake = kit_fake();
	f->fake->reset();
	neso_context_options options;
	memset(&options, 0, sizeof options);
	options.size = sizeof options;
	options.libcuda = kit_library();
	assert_int_equal(neso_context_new(&options, &f->context, NULL), NESO_OK);
	assert_int_equal(neso_module_load_text(f->context, "scale.py", text, sizeof text - 1, &f->module, NULL), NESO_OK);
	assert_int_equal(neso_module_find(f->module, "kernel", &f->kernel, NULL), NESO_OK);
	f->options.size = sizeof f->options;
	f->options.target = "cuda";
}

static void end(Fixture *f)
{
	neso_module_free(f->module);
	neso_context_free(f->context);
}

/* The first diagnostic's code and part of its text. */
static void expect(neso_diagnostics *diagnostics, const char *part)
{
	if (!strstr(neso_diagnostics_text(diagnostics), part))
		fail_msg("expected '%s' in: %s", part, neso_diagnostics_text(diagnostics));
	neso_diagnostics_free(diagnostics);
}

static neso_status compile(Fixture *f, const char *target, neso_variant **variant, neso_diagnostics **diagnostics)
{
	f->options.target = target;
	return neso_kernel_compile(f->kernel, "*fp32:16,i32,fp32,64", &f->options, variant, diagnostics);
}

/* Skips the test where GPU code cannot be made. */
static void need_compiler(Fixture *f)
{
	neso_variant *variant;
	neso_diagnostics *diagnostics;
	neso_status status = compile(f, "sm_80", &variant, &diagnostics);
	bool missing = status != NESO_OK && (strstr(neso_diagnostics_text(diagnostics), "libneso-codegen") ||
					     strstr(neso_diagnostics_text(diagnostics), "ptxas"));
	if (status != NESO_OK && !missing)
		print_error("%s", neso_diagnostics_text(diagnostics));
	neso_diagnostics_free(diagnostics);
	f->options.target = "cuda";
	if (missing) {
		end(f);
		skip();
	}
	assert_int_equal(status, NESO_OK);
}

static bool has_ptxas(const Fixture *f)
{
	const char *ptxas = neso_context_info(f->context, "ptxas");
	return ptxas && strncmp(ptxas, "none", 4) != 0;
}

/* The fake driver's compiler makes code of any kind and says nothing of it: what looks at that needs a
 * ptxas. */
static void need_ptxas(Fixture *f)
{
	need_compiler(f);
	if (has_ptxas(f))
		return;
	end(f);
	skip();
}

/* ---- targets ---- */

static void test_targets(void **state)
{
	(void)state;
	Fixture f;
	neso_variant *variant;
	neso_diagnostics *diagnostics;
	begin(&f);
	assert_int_equal(compile(&f, "sm_09", &variant, &diagnostics), NESO_ERROR_ARGUMENT);
	expect(diagnostics, "did you mean 'sm_");
	f.options.num_warps = 64; /* before anything is compiled, at the kernel */
	assert_int_equal(compile(&f, "sm_80", &variant, &diagnostics), NESO_ERROR_ARGUMENT);
	expect(diagnostics, "scale.py:5:1: error: num_warps is 64: a CTA has 2048 threads then, and can "
			    "have at most 1024");
	assert_int_equal(compile(&f, "interp", &variant, NULL), NESO_OK);
	f.options.num_warps = 0;
	f.fake->major = 5; /* DIAG_GPU_TOO_OLD */
	f.fake->minor = 2;
	assert_int_equal(compile(&f, "cuda", &variant, &diagnostics), NESO_ERROR_ARGUMENT);
	expect(diagnostics, "has compute capability 5.2, which no known target runs on");
	end(&f);
}

static void test_other_gpu(void **state)
{
	(void)state;
	Fixture f;
	begin(&f);
	need_ptxas(&f);
	f.fake->major = 8;
	f.fake->minor = 9;
	neso_arg args[4] = {neso_arg_int("n", 7), neso_arg_value("a", neso_value_float(2)), neso_arg_int("B", 64)};
	args[3] = neso_arg_buffer("x", NESO_FP32, (void *)0x1000, 256, NESO_READ_WRITE);
	neso_launch launch = neso_launch_of(args, 4, 1, 1, 1);
	neso_diagnostics *diagnostics;
	f.options.target = "sm_90"; /* DIAG_GPU_LAUNCH_TARGET */
	launch.options = &f.options;
	assert_int_equal(neso_kernel_launch(f.kernel, &launch, NULL, &diagnostics), NESO_ERROR_RUN);
	expect(diagnostics, "a variant for sm_90 cannot run on");
	end(&f);
}

/* Without an assembler there are texts, and no cubin; a launch by the same options makes one. */
static void test_ptx_only(void **state)
{
	(void)state;
	Fixture f;
	neso_variant *variant;
	neso_diagnostics *diagnostics;
	char *ptx = NULL, *sass = NULL;
	neso_variant_info info = {.size = sizeof info};
	begin(&f);
	need_ptxas(&f);
	f.options.ptx_only = true;
	assert_int_equal(compile(&f, "sm_90a", &variant, &diagnostics), NESO_OK);
	assert_non_null(strstr(neso_variant_key(variant), " ptx_only"));
	assert_int_equal(neso_variant_text(variant, "ptx", &ptx, NULL), NESO_OK);
	assert_non_null(strstr(ptx, ".entry kernel("));
	neso_text_free(ptx);
	assert_null(neso_variant_binary(variant, "cubin", NULL));
	assert_int_equal(neso_variant_text(variant, "sass", &sass, &diagnostics), NESO_ERROR_ARGUMENT);
	expect(diagnostics, "stage 'sass' is what an assembler makes, and this was compiled to PTX alone");
	assert_int_equal(neso_variant_get_info(variant, &info), NESO_OK);
	assert_null(info.assembler);
	assert_int_equal(info.threads, 128);
	neso_arg args[4] = {neso_arg_int("n", 7), neso_arg_value("a", neso_value_float(2)), neso_arg_int("B", 64)};
	args[3] = neso_arg_buffer("x", NESO_FP32, (void *)0x1000, 256, NESO_READ_WRITE);
	neso_launch launch = neso_launch_of(args, 4, 1, 1, 1);
	assert_int_equal(neso_variant_launch(variant, &launch, NULL, &diagnostics), NESO_ERROR_RUN); /* DIAG_GPU_LAUNCH_PTX */
	expect(diagnostics, "kernel was compiled to PTX alone (ptx_only), and has no cubin to launch");
	f.options.target = "cuda";
	launch.options = &f.options;
	if (neso_kernel_launch(f.kernel, &launch, NULL, &diagnostics) != NESO_OK)
		fail_msg("%s", neso_diagnostics_text(diagnostics));
	end(&f);
}

/* ---- devices and memory ---- */

static void test_memory(void **state)
{
	(void)state;
	Fixture f;
	begin(&f);
	uint32_t count = 0;
	neso_gpu gpu = {.size = sizeof gpu};
	assert_int_equal(neso_gpu_count(f.context, &count, NULL), NESO_OK);
	assert_int_equal(count, f.fake->devices);
	assert_int_equal(neso_gpu_get(f.context, 0, &gpu, NULL), NESO_OK);
	assert_string_equal(gpu.target, "sm_90a");
	neso_diagnostics *diagnostics;
	assert_int_equal(neso_gpu_get(f.context, count, &gpu, &diagnostics), NESO_ERROR_USAGE);
	expect(diagnostics, "there is no GPU");
	void *p, *q;
	int in[4] = {1, 2, 3, 4}, out[4] = {0};
	assert_int_equal(neso_gpu_alloc(f.context, sizeof in, &p, NULL), NESO_OK);
	assert_int_equal(neso_gpu_alloc(f.context, sizeof in, &q, NULL), NESO_OK);
	assert_true(neso_gpu_is_device(f.context, p));
	assert_false(neso_gpu_is_device(f.context, in));
	assert_int_equal(neso_gpu_copy(f.context, p, in, sizeof in, NULL, NULL), NESO_OK);
	assert_int_equal(neso_gpu_copy(f.context, q, p, sizeof in, NULL, NULL), NESO_OK);
	assert_int_equal(neso_gpu_copy(f.context, out, q, sizeof in, NULL, NULL), NESO_OK);
	assert_memory_equal(in, out, sizeof in);
	neso_gpu_free(f.context, p);
	neso_gpu_free(f.context, q);
	assert_int_equal(f.fake->bytes, 0);
	end(&f);
}

/* ---- launches ---- */

static void launch(Fixture *f, uint64_t x, int64_t n, double a, int64_t block, bool *compiled)
{
	neso_arg args[4] = {neso_arg_buffer(NULL, NESO_FP32, (void *)(uintptr_t)x, 1 << 20, NESO_READ_WRITE),
			    neso_arg_int(NULL, n), neso_arg_value("a", neso_value_float(a)), neso_arg_int("B", block)};
	neso_launch l = neso_launch_of(args, 4, 3, 1, 1);
	l.options = &f->options;
	l.stream = (void *)0x77;
	neso_launch_result result = {.size = sizeof result};
	neso_diagnostics *diagnostics;
	f->fake->arg_count = 3;
	neso_status status = neso_kernel_launch(f->kernel, &l, &result, &diagnostics);
	if (status != NESO_OK)
		print_error("%s", neso_diagnostics_text(diagnostics));
	neso_diagnostics_free(diagnostics);
	assert_int_equal(status, NESO_OK);
	assert_non_null(result.variant);
	*compiled = result.compiled;
	const FakeLaunch *last = &f->fake->last;
	float as_float = (float)a;
	uint32_t bits;
	memcpy(&bits, &as_float, sizeof bits);
	assert_int_equal(last->args[0], x);
	assert_int_equal((uint32_t)last->args[1], (uint32_t)n);
	assert_int_equal((uint32_t)last->args[2], bits);
	assert_ptr_equal(last->stream, (void *)0x77);
	assert_int_equal(last->grid[0], 3);
	assert_int_equal(last->block[0], 128);
}

/* Calls that differ only in values find the function that is there; those that specialise otherwise do not. */
static void test_launches(void **state)
{
	(void)state;
	Fixture f;
	begin(&f);
	need_compiler(&f);
	static const struct {
		uint64_t x;
		int64_t n;
		double a;
		int64_t block;
		bool compiles;
	} calls[] = {
		{0x1000, 7, 2.0, 64, true},   {0x2000, 7, 2.0, 64, false},  {0x2000, 9, 0.5, 64, false},
		{0x2000, 48, 0.5, 64, true},  {0x1000, 64, -1.0, 64, false}, {0x1004, 9, 1.0, 64, true},
		{0x1000, 1, 1.0, 128, true},  {0x1000, 9, 1.0, 128, true},   {0x2008, 11, 3.0, 64, false},
		{0x1000, 1ll << 33, 3.0, 64, true}, {0x1000, 7, 2.0, 64, false},
	};
	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
		if (calls[i].n == 1)
			continue; /* it becomes a constant, and the function has an argument less */
		bool compiled;
		launch(&f, calls[i].x, calls[i].n, calls[i].a, calls[i].block, &compiled);
		assert_int_equal(compiled, calls[i].compiles);
	}
	assert_int_equal(f.fake->launches, 10);
	end(&f);
}

/* What was compiled for a call is found by such calls in its context, and launched by them afterwards. */
static void test_find(void **state)
{
	(void)state;
	Fixture f;
	begin(&f);
	need_compiler(&f);
	neso_arg args[4] = {neso_arg_buffer(NULL, NESO_FP32, (void *)0x1000, 1 << 20, NESO_READ_WRITE),
			    neso_arg_int(NULL, 7), neso_arg_value("a", neso_value_float(2)),
			    neso_arg_int("B", 64)};
	neso_launch l = neso_launch_of(args, 4, 1, 1, 1);
	neso_variant *variant, *other;
	bool compiled;
	l.options = &f.options;
	assert_null(neso_kernel_find(f.kernel, &l)); /* there is no context yet */
	assert_int_equal(neso_kernel_compile_for(f.kernel, &l, &variant, NULL), NESO_OK);
	bool in_context = !has_ptxas(&f); /* the driver compiled, in the first GPU's context */
	assert_int_equal(neso_kernel_find(f.kernel, &l) != NULL, in_context);
	assert_int_equal(neso_gpu_use(f.context, 0, NULL), NESO_OK);
	assert_int_equal(neso_kernel_find(f.kernel, &l) != NULL, in_context);
	assert_int_equal(neso_kernel_compile_for(f.kernel, &l, &other, NULL), NESO_OK);
	assert_ptr_equal(other, variant);
	for (int i = 0; i < 3; i++) { /* the second is launched the long way, and kept for the third */
		assert_ptr_equal(neso_kernel_find(f.kernel, &l), variant);
		launch(&f, 0x3000, 9, 0.5, 64, &compiled);
		assert_false(compiled);
	}
	assert_int_equal(neso_gpu_use(f.context, 1, NULL), NESO_OK);
	assert_null(neso_kernel_find(f.kernel, &l));
	f.options.target = "sm_80";
	assert_null(neso_kernel_find(f.kernel, &l));
	end(&f);
}

typedef struct AgainCall {
	const char *what;
	bool compiles;
	neso_arg args[4];
	unsigned warps;
	const char *target;
} AgainCall;

/* What is like the call right before is launched without a search; each of these differs from it in one thing that decides, or
 * in none, and is launched twice. */
static void test_again(void **state)
{
	(void)state;
	Fixture f;
	begin(&f);
	need_compiler(&f);
	const neso_arg x = neso_arg_buffer(NULL, NESO_FP32, (void *)0x1000, 1 << 20, NESO_READ_WRITE);
	const neso_arg odd = neso_arg_buffer(NULL, NESO_FP32, (void *)0x1004, 1 << 20, NESO_READ_WRITE);
	const neso_arg half = neso_arg_buffer(NULL, NESO_FP16, (void *)0x1000, 1 << 20, NESO_READ_WRITE);
	const neso_arg a = neso_arg_value("a", neso_value_float(2)), whole = neso_arg_value("a", neso_value_int(2));
	const neso_arg b = neso_arg_int("B", 64), n = neso_arg_int(NULL, 7), named = neso_arg_int("n", 7);
	neso_arg large = neso_arg_int(NULL, -7), wide = n;
	wide.dtype = NESO_INT64;
	large.value.is_unsigned = true;
	char target[] = "sm_90";
	const AgainCall calls[] = {
		{"first", true, {x, n, a, b}, 0, "cuda"},
		{"unaligned", true, {odd, n, a, b}, 0, "cuda"},
		{"another element type", true, {half, n, a, b}, 0, "cuda"},
		{"as the first", false, {x, n, a, b}, 0, "cuda"},
		{"by 16", true, {x, neso_arg_int(NULL, 32), a, b}, 0, "cuda"},
		{"negative", false, {x, neso_arg_int(NULL, -7), a, b}, 0, "cuda"},
		{"uint64", true, {x, large, a, b}, 0, "cuda"},
		{"64 bits by its type", true, {x, wide, a, b}, 0, "cuda"},
		{"64 bits by its value", false, {x, neso_arg_int(NULL, 1ll << 40 | 1), a, b}, 0, "cuda"},
		{"an integer for a float", true, {x, n, whole, b}, 0, "cuda"},
		{"by name", false, {x, named, a, b}, 0, "cuda"},
		{"names in another order", false, {x, b, named, a}, 0, "cuda"},
		{"another constant", true, {x, n, a, neso_arg_int("B", 128)}, 0, "cuda"},
		{"warps", true, {x, n, a, b}, 8, "cuda"},
		{"another target", true, {x, n, a, b}, 0, target},
		{"as the first", false, {x, n, a, b}, 0, "cuda"},
	};
	const uint32_t small = 0x40000000; /* 2.0f */
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		neso_launch l = neso_launch_of(calls[i].args, 4, 1, 1, 1);
		neso_launch_result result = {.size = sizeof result};
		l.options = &f.options;
		f.options.num_warps = calls[i].warps;
		f.options.target = calls[i].target;
		f.fake->arg_count = 3;
		for (int again = 0; again < 2; again++) {
			assert_int_equal(neso_kernel_launch(f.kernel, &l, &result, NULL), NESO_OK);
			if (result.compiled != (calls[i].compiles && !again))
				fail_msg("%s: compiled %d, time %d", calls[i].what, result.compiled, again);
			const uint64_t *args = f.fake->last.args;
			assert_int_equal(args[0], (uintptr_t)calls[i].args[0].address);
			assert_int_equal((uint32_t)args[2], calls[i].args[2].value.kind == NESO_VALUE_INT &&
								    calls[i].args[2].value.i == 2 ? 2 : small);
			assert_int_equal(f.fake->last.block[0], calls[i].warps ? 256 : 128);
		}
	}
	/* The text at the same place is another. */
	neso_launch l = neso_launch_of(calls[0].args, 4, 1, 1, 1);
	neso_launch_result result = {.size = sizeof result};
	l.options = &f.options;
	f.options.num_warps = 0;
	f.options.target = target;
	assert_int_equal(neso_kernel_launch(f.kernel, &l, &result, NULL), NESO_OK);
	memcpy(target, "sm_09", sizeof target);
	assert_int_equal(neso_kernel_launch(f.kernel, &l, &result, NULL), NESO_ERROR_ARGUMENT);
	end(&f);
}

/* Numeric constexprs under the policy `generic`: one compilation, and later calls pass what they give. */
static void test_generic(void **state)
{
	(void)state;
	Fixture f;
	begin(&f);
	need_compiler(&f);
	f.options.constexpr_policy = NESO_POLICY_GENERIC;
	int compiled = 0;
	for (int add = -500; add < 500; add++) {
		neso_arg args[5] = {neso_arg_buffer(NULL, NESO_FP32, (void *)0x1000, 1 << 20, NESO_READ_WRITE), neso_arg_int(NULL, 7),
				    neso_arg_value("a", neso_value_float(2)), neso_arg_int("B", 64), neso_arg_int("ADD", add)};
		neso_launch l = neso_launch_of(args, 5, 3, 1, 1);
		neso_launch_result result = {.size = sizeof result};
		l.options = &f.options;
		f.fake->arg_count = 4;
		assert_int_equal(neso_kernel_launch(f.kernel, &l, &result, NULL), NESO_OK);
		compiled += result.compiled;
		float as_float = (float)add; /* next to a tile of fp32 it is one */
		uint32_t bits;
		memcpy(&bits, &as_float, sizeof bits);
		assert_int_equal((uint32_t)f.fake->last.args[3], bits);
		assert_int_equal((uint32_t)f.fake->last.args[1], 7);
	}
	assert_int_equal(compiled, 1);
	assert_int_equal(neso_kernel_variant_count(f.kernel), 2); /* and need_compiler's */
	end(&f);
}

/* What IR text asks of its arguments is looked at in every call. */
static void test_hints(void **state)
{
	(void)state;
	static const char ir[] = "module {\n  tt.func public @k(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, "
				 "%n: i32 {tt.divisibility = 8 : i32}) {\n    tt.return\n  }\n}\n";
	Fixture f;
	begin(&f);
	need_compiler(&f);
	neso_module *module;
	neso_kernel *kernel;
	assert_int_equal(neso_module_load_ir(f.context, "k.ttir", ir, sizeof ir - 1, &module, NULL), NESO_OK);
	assert_int_equal(neso_module_find(module, "k", &kernel, NULL), NESO_OK);
	static const struct {
		uint64_t x;
		int n;
		bool good;
	} calls[] = {{0x1000, 8, true}, {0x1000, 8, true}, {0x1000, 12, false}, {0x1000, 16, true}, {0x1008, 8, false}};
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		neso_arg args[2] = {neso_arg_buffer(NULL, NESO_FP32, (void *)(uintptr_t)calls[i].x, 256, NESO_READ_WRITE),
				    neso_arg_int(NULL, calls[i].n)};
		neso_launch l = neso_launch_of(args, 2, 1, 1, 1);
		neso_diagnostics *diagnostics;
		l.options = &f.options;
		assert_int_equal(neso_kernel_launch(kernel, &l, NULL, &diagnostics),
				 calls[i].good ? NESO_OK : NESO_ERROR_ARGUMENT);
		if (!calls[i].good)
			expect(diagnostics, calls[i].n == 12 ? "divisible by 8" : "an address divisible by 16");
	}
	neso_module_free(module);
	end(&f);
}

/* By bare values: the slots say what goes where; what the driver refuses is said once, by name. */
static void test_ready(void **state)
{
	(void)state;
	Fixture f;
	begin(&f);
	need_ptxas(&f);
	neso_variant *variant;
	neso_ready *ready;
	neso_diagnostics *diagnostics;
	assert_int_equal(neso_kernel_compile(f.kernel, "*fp32:16,i32,fp32,64", NULL, &variant, NULL), NESO_OK);
	assert_int_equal(neso_variant_ready(variant, &ready, &diagnostics), NESO_ERROR_USAGE);
	expect(diagnostics, "for the interpreter");
	assert_int_equal(neso_gpu_context(f.context), 0);
	assert_int_equal(compile(&f, "sm_90a", &variant, NULL), NESO_OK);
	assert_int_equal(neso_variant_ready(variant, &ready, NULL), NESO_OK);
	assert_true(neso_gpu_context(f.context) != 0);
	size_t count;
	const neso_slot *slots = neso_ready_slots(ready, &count);
	assert_int_equal(count, 3);
	assert_true(slots[0].dtype == NESO_DTYPE_NONE && slots[1].dtype == NESO_INT32 && slots[2].dtype == NESO_FP32);
	for (uint32_t i = 0; i < 3; i++)
		assert_true(slots[i].parameter == i && slots[i].part == NESO_PART_VALUE);
	uint64_t x = 0x4000;
	int64_t n = 21;
	float a = 1.5f;
	void *values[4] = {&x, &n, &a};
	const uint32_t grid[3] = {5, 1, 1}, none[3] = {5, 0, 1}, large[3] = {1, 1 << 20, 1};
	f.fake->arg_count = 3;
	f.fake->arg_bytes[2] = sizeof a;
	assert_int_equal(neso_ready_launch(ready, grid, (void *)0x33, values, &diagnostics), NESO_OK);
	assert_null(diagnostics);
	assert_int_equal(f.fake->last.args[0], x);
	assert_int_equal(f.fake->last.args[2], 0x3fc00000); /* 1.5f */
	assert_int_equal(f.fake->last.grid[0], 5);
	assert_ptr_equal(f.fake->last.stream, (void *)0x33);
	assert_int_equal(neso_ready_launch(ready, none, NULL, values, NULL), NESO_OK);
	assert_int_equal(f.fake->launches, 1);
	assert_int_equal(neso_ready_launch(ready, large, NULL, values, &diagnostics), NESO_ERROR_RUN);
	expect(diagnostics, "1048576 programs");
	f.fake->fail_call = "cuLaunchKernel";
	f.fake->fail_result = 719;
	assert_int_equal(neso_ready_launch(ready, grid, NULL, values, &diagnostics), NESO_ERROR_RUN);
	expect(diagnostics, "CUDA_ERROR_LAUNCH_FAILED");
	neso_ready_free(ready);
	end(&f);
}

/* A context that is new gets the module loaded again; the fast path does not mix them up. */
static void test_contexts(void **state)
{
	(void)state;
	Fixture f;
	begin(&f);
	need_compiler(&f);
	bool compiled;
	launch(&f, 0x1000, 7, 2, 64, &compiled);
	void *first = f.fake->last.context;
	void *made = f.fake->context_new(0);
	launch(&f, 0x1000, 7, 2, 64, &compiled);
	assert_false(compiled);
	assert_ptr_equal(f.fake->last.context, made);
	assert_ptr_not_equal(made, first);
	assert_int_equal(f.fake->loads, 2);
	launch(&f, 0x1000, 7, 2, 64, &compiled);
	assert_int_equal(f.fake->loads, 2);
	f.fake->context_destroy(made);
	end(&f);
}

static void test_texts(void **state)
{
	(void)state;
	static const char *const stages[][2] = {
		{"ttir", "tt.store"}, {"ttgir", "#ttg.linear"}, {"llir", "define"}, {"ptx", ".visible .entry kernel"}};
	Fixture f;
	begin(&f);
	need_ptxas(&f);
	neso_variant *variant;
	assert_int_equal(compile(&f, "sm_80", &variant, NULL), NESO_OK);
	for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
		char *got;
		assert_int_equal(neso_variant_text(variant, stages[i][0], &got, NULL), NESO_OK);
		assert_non_null(strstr(got, stages[i][1]));
		neso_text_free(got);
	}
	size_t size;
	const char *cubin = neso_variant_binary(variant, "cubin", &size);
	assert_true(size > 100 && memcmp(cubin, "\x7f" "ELF", 4) == 0);
	neso_variant_info info = {.size = sizeof info};
	assert_int_equal(neso_variant_get_info(variant, &info), NESO_OK);
	assert_string_equal(info.target, "sm_80");
	assert_int_equal(info.threads, 128);
	assert_true(info.registers > 4 && info.spill_stores == 0);
	assert_true(info.seconds[5] > 0);
	end(&f);
}

/* ---- compiling that is ended ---- */

typedef struct Asked {
	unsigned times, until;
} Asked;

static bool go_on(void *data)
{
	Asked *asked = data;
	return ++asked->times < asked->until;
}

/* An assembler that works for a minute. */
static void write_slow_assembler(char path[64])
{
	static const char script[] = "#!/bin/sh\ncase $1 in --version) echo 'Cuda compilation tools, release 12.8, V12.8.93'; exit;; esac\n"
				     "sleep 60 & wait\n";
	int fd = test_file(path, 64, "slow");
	assert_true(fd >= 0);
	assert_int_equal(write(fd, script, sizeof script - 1), sizeof script - 1);
	assert_int_equal(fchmod(fd, 0755), 0);
	close(fd);
}

static void test_ended(void **state)
{
	(void)state;
	char path[64];
	Fixture f;
	neso_variant *variant;
	neso_diagnostics *diagnostics;
	begin(&f);
	neso_compile_options_init(&f.options);
	neso_module_free(f.module);
	neso_context_free(f.context);
	write_slow_assembler(path);
	neso_context_options options;
	neso_context_options_init(&options);
	options.libcuda = kit_library();
	options.ptxas = path;
	assert_int_equal(neso_context_new(&options, &f.context, NULL), NESO_OK);
	assert_int_equal(neso_module_load_text(f.context, "scale.py", text, sizeof text - 1, &f.module, NULL), NESO_OK);
	assert_int_equal(neso_module_find(f.module, "kernel", &f.kernel, NULL), NESO_OK);

	f.options.compile_timeout = 0.3;
	neso_status status = compile(&f, "sm_80", &variant, &diagnostics);
	if (status != NESO_ERROR_STOPPED && strstr(neso_diagnostics_text(diagnostics), "libneso-codegen")) {
		neso_diagnostics_free(diagnostics);
		unlink(path);
		end(&f);
		skip();
	}
	assert_int_equal(status, NESO_ERROR_STOPPED);
	assert_null(variant);
	expect(diagnostics, "scale.py:5:1: error: compiling 'kernel' was ended: it took more than 0.3 s");

	Asked asked = {.until = 4};
	f.options.compile_timeout = -1;
	f.options.poll = go_on;
	f.options.poll_data = &asked;
	assert_int_equal(compile(&f, "sm_80", &variant, &diagnostics), NESO_ERROR_STOPPED);
	assert_int_equal(asked.times, 4);
	expect(diagnostics, "scale.py:5:1: error: compiling 'kernel' was stopped");

	/* Who a launch asks is asked as well. */
	asked.times = 0;
	f.options.poll = NULL;
	f.options.target = "sm_80";
	neso_arg args[] = {neso_arg_buffer("x", NESO_FP32, NULL, 0, NESO_READ_WRITE), neso_arg_int("n", 8),
			   neso_arg_float("a", 2), neso_arg_int("B", 64)};
	neso_launch launch = neso_launch_of(args, 4, 1, 1, 1);
	launch.options = &f.options;
	launch.poll = go_on;
	launch.poll_data = &asked;
	assert_int_equal(neso_kernel_compile_for(f.kernel, &launch, &variant, &diagnostics), NESO_ERROR_STOPPED);
	assert_int_equal(asked.times, 4);
	expect(diagnostics, "was stopped");

	/* What was ended is tried again when it is asked for again. */
	f.options.poll = NULL;
	launch.poll = NULL;
	f.options.ptx_only = true;
	assert_int_equal(compile(&f, "sm_80", &variant, &diagnostics), NESO_OK);
	neso_diagnostics_free(diagnostics);
	unlink(path);
	end(&f);
}

/* Of a variant that the cache has, neither IR nor PTX stays; its texts are there all the same. */
static void test_memory_of_variants(void **state)
{
	enum { FIRST = 4, ALL = 24, MOST = 24 << 10 /* bytes */ };
	(void)state;
	Fixture f;
	begin(&f);
	need_ptxas(&f);
	size_t before = 0;
	neso_variant *variant = NULL;
	for (int i = 0; i < ALL; i++) {
		char signature[64];
		snprintf(signature, sizeof signature, "*fp32:16,i32,fp32,64,%d", 100 + i);
		if (i == FIRST)
			before = kit_heap();
		f.options.target = "sm_80";
		assert_int_equal(neso_kernel_compile(f.kernel, signature, &f.options, &variant, NULL),
				 NESO_OK);
	}
	const size_t each = (kit_heap() - before) / (ALL - FIRST);
	if (each > MOST)
		fail_msg("%zu bytes for each variant", each);
	for (int i = 0; i < 2; i++) {
		char *said = NULL;
		assert_int_equal(neso_variant_text(variant, i ? "ptx" : "ttir", &said, NULL), NESO_OK);
		assert_non_null(strstr(said, i ? ".target sm_80" : "tt.func"));
		neso_text_free(said);
	}
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_targets), cmocka_unit_test(test_other_gpu),
		cmocka_unit_test(test_ptx_only),
		cmocka_unit_test(test_memory),	cmocka_unit_test(test_launches),
		cmocka_unit_test(test_find),	cmocka_unit_test(test_contexts),
		cmocka_unit_test(test_texts),	cmocka_unit_test(test_ready),
		cmocka_unit_test(test_generic), cmocka_unit_test(test_again),
		cmocka_unit_test(test_hints),	cmocka_unit_test(test_ended),
		cmocka_unit_test(test_memory_of_variants),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
