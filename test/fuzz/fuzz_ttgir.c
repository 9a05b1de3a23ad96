/* Fuzzing TTGIR: any bytes are a module or are diagnosed; one that is read is verified with the layouts that its attributes say, and
 * goes through a few passes.
 *
 * driver.h says how to build it; its sources are src/base, src/ir, src/target, src/layout and src/gpu. */
#include "gpu/gpu.h"
#include "gpu/layout/verify.h"
#include "module.h"

static void fuzz_one(Arena *arena, const uint8_t *data, size_t size)
{
	FuzzModule f;
	GpuCx gpu;
	fuzz_module(&f, arena, "fuzz.ttgir", data, size);
	if (f.m && ir_verify(f.m, ir_module_level(f.m), &f.diags)) {
		gpu_cx_init(&gpu, &f.cx, target_find("sm_90a"), 4, 1, 3);
		ASSERT(gpu_verify(&gpu, f.m, &f.diags) || f.diags.errors);
		ir_print(&f.out, f.m, (IrPrintOptions){0});
	}
	diag_render_all(&f.out, &f.diags);
}

#ifndef NESO_FUZZER
static Str fuzz_mutate(Arena *arena, Str text, uint64_t *state)
{
	static const char *const words[] = {"register = [[1]]", "lane = []", "warp = [[0, 1]]", "block = []", "#ttg.linear<{", "}>", "[", "]", "0", "-1", "32",
					    "4294967296", "sizePerThread = [1, 4]", "#ttg.blocked<{", "threadsPerWarp", "order = [1, 0]", "tensor<", "x", ", #b>",
					    "#ttg.slice<{dim = 1, parent = ", "#ttg.dot_op<{opIdx = 0, parent = ", "kWidth = 2", "#ttg.nvidia_mma<{"};
	return edit_text(arena, text, words, ARRAY_LEN(words), state);
}

static Str fuzz_sample(Arena *arena)
{
	(void)arena;
	return STR("#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>\n"
		   "#l = #ttg.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]], block = []}>\n"
		   "module attributes {\"ttg.num-ctas\" = 1 : i32, \"ttg.num-warps\" = 4 : i32, ttg.target = \"cuda:90\", \"ttg.threads-per-warp\" = 32 : i32} {\n"
		   "  tt.func @f() {\n    %r = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #b>\n"
		   "    %c = ttg.convert_layout %r : tensor<256xi32, #b> -> tensor<256xi32, #l>\n    tt.return\n  }\n}\n");
}
#endif
