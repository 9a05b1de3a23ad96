/* Encodings: upstream's attributes and the layouts that they construct, back to attributes, stacked buffers, what does not
 * fit; what ops tie together. */
#include "gpu_kit.h"

#define B "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>"
#define LISTED \
	"#ttg.linear<{register = [[0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], " \
	"lane = [[0, 0], [0, 1], [0, 2], [0, 4], [0, 8]], warp = [[32, 0], [0, 32]], block = []}>"
#define M2 "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>"
#define M3 "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>"
#define M3B(warps)                                                            \
	"#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = " warps \
	", instrShape = [16, 32, 16]}>"

/* As Triton 3.6 converts them; it keeps registers that only hold copies. */
static const struct {
	const char *encoding, *shape, *linear;
} upstream[] = {
	/* clang-format off */
	{B, "16x32",
	 "register = [[0, 1], [0, 2]], "
	 "lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []"},
	{B, "64x64",
	 "register = [[0, 1], [0, 2], [0, 32], [16, 0], [32, 0]], "
	 "lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []"},
	{B, "4x8",
	 "register = [[0, 1], [0, 2]], "
	 "lane = [[0, 4], [0, 0], [0, 0], [1, 0], [2, 0]], warp = [[0, 0], [0, 0]], block = []"},
	{B, "1x128",
	 "register = [[0, 1], [0, 2], [0, 32], [0, 64]], "
	 "lane = [[0, 4], [0, 8], [0, 16], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]], block = []"},
	{B, "128x1",
	 "register = [[0, 0], [0, 0], [16, 0], [32, 0], [64, 0]], "
	 "lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []"},
	{"#ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>", "1024",
	 "register = [[1], [2], [512]], "
	 "lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []"},
	{"#ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>", "64",
	 "register = [[1], [2]], "
	 "lane = [[4], [8], [16], [32], [0]], warp = [[0], [0]], block = []"},
	{"#ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>", "512",
	 "register = [[1], [2]], "
	 "lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []"},
	{"#ttg.blocked<{sizePerThread = [2, 1, 4], threadsPerWarp = [2, 2, 8], warpsPerCTA = [1, 4, 1], order = [2, 0, 1]}>", "8x16x64",
	 "register = [[0, 0, 1], [0, 0, 2], [1, 0, 0], [0, 0, 32], [4, 0, 0], [0, 8, 0]], "
	 "lane = [[0, 0, 4], [0, 0, 8], [0, 0, 16], [2, 0, 0], [0, 1, 0]], warp = [[0, 2, 0], [0, 4, 0]], block = []"},
	{"#ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>", "64x32",
	 "register = [[1, 0], [2, 0], [32, 0], [0, 16]], "
	 "lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4], [0, 8]], block = []"},
	{"#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[1, 0]]}>", "64x64",
	 "register = [[0, 1], [0, 2], [0, 32], [16, 0]], "
	 "lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [[32, 0]]"},
	{"#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0], CGALayout = [[0, 0]]}>", "64x64",
	 "register = [[0, 1], [0, 2], [0, 32], [16, 0], [32, 0]], "
	 "lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = [[0, 0]]"},
	{"#ttg.slice<{dim = 0, parent = " B "}>", "64",
	 "register = [[1], [2], [32]], "
	 "lane = [[4], [8], [16], [0], [0]], warp = [[0], [0]], block = []"},
	{"#ttg.slice<{dim = 0, parent = " B "}>", "256",
	 "register = [[1], [2], [32], [64], [128]], "
	 "lane = [[4], [8], [16], [0], [0]], warp = [[0], [0]], block = []"},
	{"#ttg.slice<{dim = 0, parent = " B "}>", "2",
	 "register = [[1]], "
	 "lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]], block = []"},
	{"#ttg.slice<{dim = 1, parent = " B "}>", "64",
	 "register = [[16], [32]], "
	 "lane = [[0], [0], [0], [1], [2]], warp = [[4], [8]], block = []"},
	{"#ttg.slice<{dim = 1, parent = " B "}>", "256",
	 "register = [[16], [32], [64], [128]], "
	 "lane = [[0], [0], [0], [1], [2]], warp = [[4], [8]], block = []"},
	{"#ttg.slice<{dim = 1, parent = " B "}>", "2",
	 "register = [], "
	 "lane = [[0], [0], [0], [1], [0]], warp = [[0], [0]], block = []"},
	/* Bases that are listed: of a larger tile, of a smaller one, of both. */
	{LISTED, "32x32",
	 "register = [[0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], "
	 "lane = [[0, 0], [0, 1], [0, 2], [0, 4], [0, 8]], warp = [[0, 0], [0, 0]], block = []"},
	{LISTED, "16x16",
	 "register = [[1, 0], [2, 0], [4, 0], [8, 0]], "
	 "lane = [[0, 0], [0, 1], [0, 2], [0, 4], [0, 8]], warp = [[0, 0], [0, 0]], block = []"},
	{LISTED, "128x128",
	 "register = [[0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [64, 0], [0, 64]], "
	 "lane = [[0, 0], [0, 1], [0, 2], [0, 4], [0, 8]], warp = [[32, 0], [0, 32]], block = []"},
	{LISTED, "32x128",
	 "register = [[0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 64]], "
	 "lane = [[0, 0], [0, 1], [0, 2], [0, 4], [0, 8]], warp = [[0, 0], [0, 32]], block = []"},
	{M2, "32x32",
	 "register = [[0, 1], [8, 0], [0, 16]], "
	 "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8], [16, 0]], block = []"},
	{M2, "128x64",
	 "register = [[0, 1], [8, 0], [0, 16], [0, 32], [32, 0], [64, 0]], "
	 "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8], [16, 0]], block = []"},
	{M2, "16x8",
	 "register = [[0, 1], [8, 0]], "
	 "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [0, 0]], block = []"},
	{M3, "64x64",
	 "register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], "
	 "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []"},
	{M3, "128x128",
	 "register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64], [64, 0]], "
	 "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []"},
	{"#ttg.dot_op<{opIdx = 0, parent = " M2 ", kWidth = 2}>", "64x32",
	 "register = [[0, 1], [8, 0], [0, 8], [0, 16], [32, 0]], "
	 "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [16, 0]], block = []"},
	{"#ttg.dot_op<{opIdx = 0, parent = " M2 ", kWidth = 4}>", "64x32",
	 "register = [[0, 1], [0, 2], [8, 0], [0, 16], [32, 0]], "
	 "lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [16, 0]], block = []"},
	{"#ttg.dot_op<{opIdx = 1, parent = " M2 ", kWidth = 2}>", "32x64",
	 "register = [[1, 0], [8, 0], [16, 0], [0, 16], [0, 32]], "
	 "lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 0]], block = []"},
	{"#ttg.dot_op<{opIdx = 1, parent = " M2 ", kWidth = 4}>", "32x64",
	 "register = [[1, 0], [2, 0], [16, 0], [0, 16], [0, 32]], "
	 "lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 0]], block = []"},
	{"#ttg.dot_op<{opIdx = 0, parent = " M3 ", kWidth = 2}>", "64x32",
	 "register = [[0, 1], [8, 0], [0, 8], [0, 16]], "
	 "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]], block = []"},
	{"#ttg.dot_op<{opIdx = 0, parent = " M3B("[2, 2, 1]") ", kWidth = 2}>", "2x32x32",
	 "register = [[0, 0, 1], [0, 8, 0], [0, 0, 8], [0, 0, 16]], "
	 "lane = [[0, 0, 2], [0, 0, 4], [0, 1, 0], [0, 2, 0], [0, 4, 0]], "
	 "warp = [[0, 16, 0], [1, 0, 0]], block = []"},
	{"#ttg.slice<{dim = 1, parent = #ttg.dot_op<{opIdx = 0, parent = " M3B("[4, 1, 1]")
	 ", kWidth = 2}>}>",
	 "64x64",
	 "register = [[0, 1], [0, 8], [0, 16], [0, 32], [4, 0], [8, 0], [16, 0], [32, 0]], "
	 "lane = [[0, 2], [0, 4], [0, 0], [0, 0], [0, 0]], warp = [[1, 0], [2, 0]], block = []"},
	{"#ttg.dot_op<{opIdx = 0, parent = " B "}>", "32x8",
	 "register = [[0, 1], [0, 2], [0, 4], [16, 0]], "
	 "lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []"},
	{"#ttg.dot_op<{opIdx = 1, parent = " B "}>", "8x32",
	 "register = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], "
	 "lane = [[0, 4], [0, 8], [0, 16], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]], block = []"},
	/* clang-format on */
};

static IrType type_of(GpuKit *k, const char *shape, const char *encoding)
{
	return gpu_kit_type(k, arena_printf(&k->arena, "tensor<%sxf32, %s>", shape, encoding));
}

static void attributes_construct_what_upstream_says(void **state)
{
	GpuKit k;
	gpu_kit_init(&k, 4, 1);
	for (size_t i = 0; i < ARRAY_LEN(upstream); i++) {
		const char *linear = arena_printf(&k.arena, "#ttg.linear<{%s}>", upstream[i].linear);
		const Layout *want = gpu_layout(&k.cx, type_of(&k, upstream[i].shape, linear));
		const Layout *found = gpu_layout(&k.cx, type_of(&k, upstream[i].shape, upstream[i].encoding));
		if (layout_strip_registers(&k.cx.layouts, want) != found)
			print_message("%s of %s: %s\n", upstream[i].encoding, upstream[i].shape,
				      gpu_kit_layout_text(&k, found));
		assert_ptr_equal(layout_strip_registers(&k.cx.layouts, want), found);
	}
	gpu_kit_free(&k);
}

static void layouts_become_attributes_and_come_back(void **state)
{
	GpuKit k;
	gpu_kit_init(&k, 4, 1);
	IrType blocked = type_of(&k, "16x32", B);
	const Layout *l = gpu_layout(&k.cx, blocked);
	IrType linear = gpu_with_layout(&k.cx, blocked, l);
	assert_string_equal(ir_type_text(&k.arena, linear),
			    "tensor<16x32xf32, #ttg.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], "
			    "[1, 0], [2, 0]], warp = [[4, 0], [8, 0]], block = []}>>");
	/* A context that has never seen the layout reads the text. */
	GpuKit other;
	gpu_kit_init(&other, 4, 1);
	IrType again = gpu_kit_type(&other, ir_type_text(&k.arena, linear));
	assert_string_equal(gpu_kit_layout_text(&other, gpu_layout(&other.cx, again)), gpu_kit_layout_text(&k, l));
	gpu_kit_free(&other);
	gpu_kit_free(&k);
}

static void repeated_tiles_keep_their_order(void **state)
{
	GpuKit k;
	gpu_kit_init(&k, 1, 1);
	int64_t shape[2] = {24, 40};
	const Layout *l = gpu_default_layout(&k.cx, shape, 2, 1);
	const Layout *t = layout_transpose(&k.cx.layouts, l, (unsigned[]){1, 0});
	IrType tile = ir_tensor(&k.ir, ir_scalar(&k.ir, TY_F32), (int64_t[]){40, 24}, 2, NULL);
	IrType type = gpu_with_layout(&k.cx, tile, t);
	GpuKit other;
	gpu_kit_init(&other, 1, 1);
	IrType again = gpu_kit_type(&other, ir_type_text(&k.arena, type));
	assert_string_equal(gpu_kit_layout_text(&other, gpu_layout(&other.cx, again)), gpu_kit_layout_text(&k, t));
	gpu_kit_free(&other);
	gpu_kit_free(&k);
}

static const char *memory_text(GpuKit *k, const char *type)
{
	return gpu_kit_layout_text(k, gpu_layout(&k->cx, gpu_kit_type(k, type)));
}

static void memory_has_layouts_of_offsets(void **state)
{
	GpuKit k;
	gpu_kit_init(&k, 4, 1);
#define SWIZZLED "#ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>"
	assert_string_equal(memory_text(&k, "!ttg.memdesc<4x8xf16, " SWIZZLED ", #ttg.shared_memory>"),
			    "{offset = [[0, 1], [0, 2], [0, 4], [1, 2], [2, 4]]} -> {dim0 = 4, dim1 = 8}");
	/* Three buffers, one after the other; a part has the layout of the whole. */
	assert_string_equal(memory_text(&k, "!ttg.memdesc<3x4x8xf16, " SWIZZLED ", #ttg.shared_memory, mutable>"),
			    "{offset*3 = [[0, 0, 1], [0, 0, 2], [0, 0, 4], [0, 1, 2], [0, 2, 4]]} -> {dim0 = 3*1, dim1 = 4, dim2 = 8}");
	assert_string_equal(memory_text(&k, "!ttg.memdesc<4x4xf16, " SWIZZLED ", #ttg.shared_memory, mutable, 4x8>"),
			    "{offset = [[0, 1], [0, 2], [0, 4], [1, 2], [2, 4]]} -> {dim0 = 4, dim1 = 8}");
	LayoutPadded padded;
	assert_true(gpu_padded(&k.cx, gpu_kit_type(&k, "!ttg.memdesc<4x8xf16, #ttg.padded_shared<[8:+2] {order = [1, 0], "
						      "shape = [4, 8]}>, #ttg.shared_memory, mutable>"),
			       &padded));
	assert_int_equal(layout_padded_offset(&padded, 17), 21);
	IrType type = gpu_kit_type(&k, "!ttg.memdesc<4x8xf16, " SWIZZLED ", #ttg.shared_memory>");
	assert_string_equal(ir_type_text(&k.arena, gpu_with_layout(&k.cx, type, gpu_layout(&k.cx, type))),
			    "!ttg.memdesc<4x8xf16, #ttg.shared_linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 2], [2, 4]]}, "
			    "alignment = 16>, #ttg.shared_memory>");
	gpu_kit_free(&k);
}

static void misfits_have_a_reason(void **state)
{
	static const char *const cases[][2] = {
		{"tensor<4x8xf32>", "it has no layout"},
		{"tensor<4x8xf32, #ttg.linear<{register = [[0, 24]], lane = [], warp = [], block = []}>>",
		 "a basis lies outside of the tile"},
		{"tensor<4x8xf32, #ttg.linear<{register = [[1]], lane = [], warp = [], block = []}>>",
		 "each basis needs one number for each dimension"},
		{"tensor<4x8xf32, #ttg.linear<{register = [[0, 4]], lane = [], warp = [], block = []}>>",
		 "its bases do not reach every element of the tile"},
		{"tensor<8xf32, " B ">",
		 "a blocked layout needs sizePerThread, threadsPerWarp, warpsPerCTA and order of its rank"},
		{"tensor<8xf32, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [128], order = [0]}>>",
		 "it has more lanes, warps or CTAs than a kernel can have"},
		{"!ttg.memdesc<8x32xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>, "
		 "#ttg.shared_memory>",
		 "a row of the tile is shorter than what is swizzled"},
		{"tensor<8xf32, #ttg.slice<{dim = 3, parent = " B "}>>", "a slice needs its parent and one of its dimensions"},
		{"tensor<8x8xf32, #ttg.amd_mfma<{version = 3}>>", "it is no layout of a tile that is known for these GPUs"},
		{"tensor<8x8xf32, #ttg.nvidia_mma<{versionMajor = 5, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = "
		 "[16, 8]}>>",
		 "no matrix instruction that is known has such a layout"},
		{"tensor<4x32x32xf32, " M3B("[4, 1, 1]") ">",
		 "no matrix instruction that is known has such a layout"},
		{"tensor<4x32x32xf16, #ttg.dot_op<{opIdx = 0, parent = " M3B("[1, 1, 4]") ", kWidth = 2}>>",
		 "no matrix instruction that is known has such an operand"},
	};
	GpuKit k;
	gpu_kit_init(&k, 4, 1);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *error = NULL;
		assert_null(gpu_layout_checked(&k.cx, gpu_kit_type(&k, cases[i][0]), &error));
		assert_string_equal(error, cases[i][1]);
	}
	gpu_kit_free(&k);
}

static void usual_layouts_share_the_tile_among_threads(void **state)
{
	GpuKit k;
	gpu_kit_init(&k, 4, 1);
	assert_string_equal(gpu_kit_layout_text(&k, gpu_default_layout(&k.cx, (int64_t[]){8, 64}, 2, 4)),
			    "{register = [[2, 0], [4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], "
			    "warp = [[0, 32], [1, 0]], block = []} -> {dim0 = 8, dim1 = 64}");
	assert_string_equal(gpu_kit_layout_text(&k, gpu_blocked_layout(&k.cx, (int64_t[]){8, 8}, 2, (unsigned[]){0, 1}, 4, 4)),
			    "{register = [[1, 0], [2, 0]], lane = [[4, 0], [0, 1], [0, 2], [0, 4], [0, 0]], "
			    "warp = [[0, 0], [0, 0]], block = []} -> {dim0 = 8, dim1 = 8}");
	gpu_kit_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attributes_construct_what_upstream_says),
		cmocka_unit_test(layouts_become_attributes_and_come_back),
		cmocka_unit_test(repeated_tiles_keep_their_order),
		cmocka_unit_test(memory_has_layouts_of_offsets),
		cmocka_unit_test(misfits_have_a_reason),
		cmocka_unit_test(usual_layouts_share_the_tile_among_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
