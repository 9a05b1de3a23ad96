/* Layouts in modules: what ops tie together, and what does not fit threads or shapes. */
#include "gpu_kit.h"

#define HEAD "module attributes {\"ttg.num-ctas\" = 1 : i32, \"ttg.num-warps\" = 4 : i32} {\n"
#define B "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>"
#define C "#ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>"
#define ROWS "#ttg.slice<{dim = 1, parent = " B "}>"
#define COLS "#ttg.slice<{dim = 0, parent = " B "}>"

static const char *verified(GpuKit *k, const char *text)
{
	IrModule *m = gpu_kit_read(k, text);
	assert_true(ir_verify(m, LEVEL_G, &k->diags));
	bool ok = gpu_verify(&k->cx, m, &k->diags);
	assert_int_equal(ok, k->diags.first == NULL);
	return ok ? "" : k->diags.first->text;
}

static const struct {
	const char *args, *op, *message;
} cases[] = {
	{"%x: tensor<16x32xf32, " B ">", "%y = \"tt.reduce\"(%x) <{axis = 1 : i32}> ({\n^bb0(%a: f32, %b: f32):\n%c = arith.addf "
	 "%a, %b : f32\ntt.reduce.return %c : f32\n}) : (tensor<16x32xf32, " B ">) -> tensor<16xf32, " ROWS ">", ""},
	{"%x: tensor<16x32xf32, " B ">", "%y = \"tt.reduce\"(%x) <{axis = 0 : i32}> ({\n^bb0(%a: f32, %b: f32):\n%c = arith.addf "
	 "%a, %b : f32\ntt.reduce.return %c : f32\n}) : (tensor<16x32xf32, " B ">) -> tensor<32xf32, " ROWS ">",
	 "tt.reduce: the layout of result 0 does not follow from that of operand 0"},
	{"%x: tensor<32xf32, " COLS ">", "%y = tt.expand_dims %x {axis = 0 : i32} : tensor<32xf32, " COLS "> -> tensor<1x32xf32, " B
	 ">\n%z = tt.broadcast %y : tensor<1x32xf32, " B "> -> tensor<16x32xf32, " B ">", ""},
	{"%x: tensor<1x32xf32, " B ">", "%y = tt.broadcast %x : tensor<1x32xf32, " B "> -> tensor<16x32xf32, " C ">",
	 "tt.broadcast: the layout of result 0 does not follow from that of operand 0"},
	{"%x: tensor<16x32xf32, " B ">", "%y = tt.trans %x {order = array<i32: 1, 0>} : tensor<16x32xf32, " B
	 "> -> tensor<32x16xf32, " C ">", ""},
	{"%x: tensor<16x32xf32, " B ">", "%y = tt.trans %x {order = array<i32: 1, 0>} : tensor<16x32xf32, " B
	 "> -> tensor<32x16xf32, " B ">", "tt.trans: the layout of result 0 does not follow from that of operand 0"},
	{"%x: tensor<16x32xf32, " B ">", "%y = ttg.convert_layout %x : tensor<16x32xf32, " B "> -> tensor<16x32xf32, " C ">", ""},
	{"%x: tensor<16x32xf32, " B ">, %i: tensor<16x32xi32, " C ">", "%y = tt.gather %x[%i] {axis = 0 : i32} : (tensor<16x32xf32, "
	 B ">, tensor<16x32xi32, " C ">) -> tensor<16x32xf32, " B ">",
	 "tt.gather: the layout of result 0 does not follow from that of operand 1"},
	{"%x: f32", "%y = tt.splat %x : f32 -> tensor<64xf32, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], "
	 "warpsPerCTA = [2], order = [0]}>>",
	 "tt.splat: the layout of result 0 is for 32 lanes, 2 warps and 1 CTAs; there are 32, 4 and 1"},
	{"%x: f32", "%y = tt.splat %x : f32 -> tensor<64xf32, " B ">",
	 "tt.splat: the layout of result 0, tensor<64xf32, " B ">, does not fit: a blocked layout needs sizePerThread, "
	 "threadsPerWarp, warpsPerCTA and order of its rank"},
};

static void layouts_follow_from_one_another(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		GpuKit k;
		gpu_kit_init(&k, 4, 1);
		const char *text = arena_printf(&k.arena, HEAD "tt.func public @f(%s) {\n%s\ntt.return\n}\n}\n", cases[i].args,
						cases[i].op);
		assert_string_equal(verified(&k, text), cases[i].message);
		gpu_kit_free(&k);
	}
}

/* DIAG_GPU_ENCODING, DIAG_GPU_THREADS, DIAG_GPU_AGREE are above, DIAG_GPU_MODULE is here. */
static void modules_say_their_warps(void **state)
{
	GpuKit k;
	gpu_kit_init(&k, 8, 1);
	assert_string_equal(verified(&k, HEAD "}\n"),
			    "the module must say that it runs on 8 warps: attribute 'ttg.num-warps'");
	gpu_kit_free(&k);
}

static void partitions_have_warps_of_their_own(void **state)
{
	GpuKit k;
	gpu_kit_init(&k, 4, 1);
#define TWO "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>"
	const char *text = HEAD "tt.func public @f(%x: f32) {\nttg.warp_specialize(%x)\ndefault {\nttg.warp_yield\n}\n"
				"partition0(%y: f32) num_warps(2) {\n%z = tt.splat %y : f32 -> tensor<64xf32, " TWO
				">\nttg.warp_return\n} : (f32) -> ()\ntt.return\n}\n}\n";
	assert_string_equal(verified(&k, text), "");
	gpu_kit_free(&k);
}

/* Each rule that goes both ways comes back to where it started. */
static void inference_is_its_own_inverse(void **state)
{
	static const char *const ops[] = {
		"%y = tt.expand_dims %x {axis = 1 : i32} : tensor<16x32xf32> -> tensor<16x1x32xf32>",
		"%y = tt.trans %x {order = array<i32: 1, 0>} : tensor<16x32xf32> -> tensor<32x16xf32>",
		"%y = tt.reshape %x : tensor<16x32xf32> -> tensor<4x128xf32>",
		"%y = tt.join %x, %x : tensor<16x32xf32> -> tensor<16x32x2xf32>",
		"%y = tt.cat %x, %x : tensor<16x32xf32> -> tensor<32x32xf32>",
		"%y = math.exp %x : tensor<16x32xf32>",
	};
	GpuKit k;
	gpu_kit_init(&k, 4, 1);
	for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
		IrModule *m = gpu_kit_read(&k, arena_printf(&k.arena, "tt.func public @f(%%x: tensor<16x32xf32>) {\n%s\ntt.return\n}\n",
							    ops[i]));
		IrOp *op = ir_func_body(ir_module_block(m)->first)->first;
		const Layout *l = gpu_blocked_layout(&k.cx, (int64_t[]){16, 32}, 2, (unsigned[]){1, 0}, 2, 4);
		const Layout *result = gpu_infer_result(&k.cx, op, 0, 0, l);
		assert_non_null(result);
		assert_ptr_equal(gpu_infer_operand(&k.cx, op, 0, result), l);
	}
	gpu_kit_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layouts_follow_from_one_another),
		cmocka_unit_test(modules_say_their_warps),
		cmocka_unit_test(partitions_have_warps_of_their_own),
		cmocka_unit_test(inference_is_its_own_inverse),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
