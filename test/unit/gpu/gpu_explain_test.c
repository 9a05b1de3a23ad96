/* Remarks of TTGIR: conversions, shared memory, dots whose layouts nobody would choose, where registers are needed most; their
 * order and merging; what the assembler said, by place. Those that kernels lead to are in test/why. */
#include <stdio.h>

#include "gpu/explain/explain.h"
#include "gpu/loop/schedule.h"
#include "gpu_kit.h"
#include "nv/nv.h"

static const char layouts[] =
	"#a = #ttg.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>\n"
	"#renamed = #ttg.linear<{register = [[2], [1]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>\n"
	"#lanes = #ttg.linear<{register = [[1], [4]], lane = [[2], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>\n"
	"#warps = #ttg.linear<{register = [[128], [256]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}>\n"
	"#swaps = #ttg.linear<{register = [[1], [2]], lane = [[5], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>\n"
	"#rows = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>\n"
	"#columns = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [1, 4], order = [0, 1]}>\n"
	"#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>\n"
	"#smem = #ttg.shared_memory\n"
	"module attributes {\"ttg.num-ctas\" = 1 : i32, \"ttg.num-warps\" = 4 : i32, ttg.target = \"cuda:90\", "
	"\"ttg.threads-per-warp\" = 32 : i32} {\n";

static const char *lines_of(Arena *arena, RemarkList *list)
{
	Text t;
	text_init(&t, arena);
	text_str(&t, "");
	remark_sort(list);
	for (uint32_t i = 0; i < list->all.len; i++) {
		const Remark *r = &list->all.data[i];
		text_printf(&t, "%u %s %s: %s\n", r->at.line, remark_kind(r->code), remark_rule(r->code), r->text);
	}
	return t.data;
}

/* Of a function's body as it stands, and after passes. */
static void check(const char *body, const char *const *passes, size_t count, unsigned ctas, const char *wanted)
{
	GpuKit k;
	RemarkList list;
	gpu_kit_init(&k, 4, ctas);
	remark_init(&list, &k.arena);
	k.cx.remarks = &list;
	IrModule *m = gpu_kit_read(&k, count ? body : arena_printf(&k.arena, "%s%s}\n", layouts, body));
	PassOptions options = {.verify = true, .host = &k.cx, .find = gpu_pass_by_name, .check = gpu_check,
			       .open_analyses = gpu_analyses_open};
	assert_true(pass_run_list(m, passes, count, &options, &k.diags));
	list.all.len = 0;
	gpu_explain(&k.cx, m);
	const char *lines = lines_of(&k.arena, &list);
	if (!strstr(lines, wanted))
		print_message("%s", lines);
	assert_non_null(strstr(lines, wanted));
	gpu_kit_free(&k);
}

static void conversions_say_how(void **state)
{
	static const char *const rows[][2] = {
		{"renamed", ""},
		{"swaps", "conversion registers: 512xi32 from tt.load to tt.store: within each thread, 4 selects a warp\n"},
		{"lanes", "conversion shuffles: 512xi32 from tt.load to tt.store: 2 shuffles and 8 selects a warp\n"},
		{"warps", "conversion shared: 512xi32 from tt.load to tt.store: through 2048 bytes of shared memory, 1 stores and 1 loads a "
			  "warp in 8 wavefronts\n"},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char body[1200];
		snprintf(body, sizeof body,
			 "tt.func public @f(%%x: !tt.ptr<i32>) {\n"
			 "  %%r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #a>\n"
			 "  %%xs = tt.splat %%x : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>, #a>\n"
			 "  %%p = tt.addptr %%xs, %%r : tensor<512x!tt.ptr<i32>, #a>, tensor<512xi32, #a>\n"
			 "  %%v = tt.load %%p : tensor<512x!tt.ptr<i32>, #a>\n"
			 "  %%w = ttg.convert_layout %%v : tensor<512xi32, #a> -> tensor<512xi32, #%s>\n"
			 "  %%q = tt.splat %%x : !tt.ptr<i32> -> tensor<512x!tt.ptr<i32>, #%s>\n"
			 "  tt.store %%q, %%w : tensor<512x!tt.ptr<i32>, #%s>\n"
			 "  tt.return\n}\n", rows[i][0], rows[i][0], rows[i][0]);
		check(body, NULL, 0, 1, rows[i][1]);
	}
}

static const char through_memory[] =
	"tt.func public @f(%x: !tt.ptr<i32>) {\n"
	"  %m = ttg.local_alloc : () -> !ttg.memdesc<32x32xi32, #plain, #smem, mutable>\n"
	"  %z = arith.constant dense<1> : tensor<32x32xi32, #rows>\n"
	"  ttg.local_store %z, %m : tensor<32x32xi32, #rows> -> !ttg.memdesc<32x32xi32, #plain, #smem, mutable>\n"
	"  %v = ttg.local_load %m : !ttg.memdesc<32x32xi32, #plain, #smem, mutable> -> tensor<32x32xi32, #columns>\n"
	"  %q = tt.splat %x : !tt.ptr<i32> -> tensor<32x32x!tt.ptr<i32>, #columns>\n"
	"  tt.store %q, %v : tensor<32x32x!tt.ptr<i32>, #columns>\n"
	"  tt.return\n}\n";

static void memory_says_its_conflicts(void **state)
{
	check(through_memory, NULL, 0, 1,
	      "memory ldmatrix: written: by stmatrix, 2 a warp, in 8 wavefronts\n"
	      "15 memory bank-conflicts: read: 8 instructions a warp, in 256 wavefronts, 248 of them because of bank conflicts\n");
}

static const char product[] =
	"tt.func public @f(%%x: !tt.ptr<%s>, %%c: !tt.ptr<%s>) {\n"
	"  %%r = tt.make_range {start = 0 : i32, end = %d : i32} : tensor<%dxi32>\n"
	"  %%a = tt.reshape %%r : tensor<%dxi32> -> tensor<32x%dxi32>\n"
	"  %%b = tt.reshape %%r : tensor<%dxi32> -> tensor<%dx32xi32>\n"
	"  %%xa = tt.splat %%x : !tt.ptr<%s> -> tensor<32x%dx!tt.ptr<%s>>\n"
	"  %%xb = tt.splat %%x : !tt.ptr<%s> -> tensor<%dx32x!tt.ptr<%s>>\n"
	"  %%pa = tt.addptr %%xa, %%a : tensor<32x%dx!tt.ptr<%s>>, tensor<32x%dxi32>\n"
	"  %%pb = tt.addptr %%xb, %%b : tensor<%dx32x!tt.ptr<%s>>, tensor<%dx32xi32>\n"
	"  %%va = tt.load %%pa : tensor<32x%dx!tt.ptr<%s>>\n"
	"  %%vb = tt.load %%pb : tensor<%dx32x!tt.ptr<%s>>\n"
	"  %%z = arith.constant dense<0> : tensor<32x32x%s>\n"
	"  %%d = tt.dot %%va, %%vb, %%z : tensor<32x%dx%s> * tensor<%dx32x%s> -> tensor<32x32x%s>\n"
	"  %%pc = tt.splat %%c : !tt.ptr<%s> -> tensor<32x32x!tt.ptr<%s>>\n"
	"  tt.store %%pc, %%d : tensor<32x32x!tt.ptr<%s>>\n"
	"  tt.return\n}\n";

/* Dots that no kernel's front end lets through, or no pass lays out so. */
static void odd_dots_say_why(void **state)
{
	static const char *const passes[] = {"convert-ttir-to-ttgir", "coalesce", "accelerate-matmul", "remove-layout-conversions"};
	char body[4000];
	const char *e = "i8", *c = "i32";
	for (int k = 8; k <= 32; k *= 4) {
		int n = 32 * k;
		snprintf(body, sizeof body, product, e, c, n, n, n, k, n, k, e, k, e, e, k, e, k, e, k, k, e, k, k, e, k, e, c, k, e,
			 k, e, c, c, c, c);
		if (k == 8)
			check(body, passes, 4, 1, "dot small-k: 64 multiply-adds a thread, operands from registers: K is 8, and the smallest instruction for i8 takes 16\n");
		else
			check(body, passes, 4, 2, "dot mma: mma.sync.m16n8k32.s32.s8.s8.s32, 1 times a warp");
		/* As the first pass lays it out, no instruction fits. */
		if (k == 32)
			check(body, passes, 1, 1, "dot layout: ");
	}
}

static void registers_peak_where_most_is_held(void **state)
{
	check("tt.func public @f(%x: !tt.ptr<f32>) {\n"
	      "  %p = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #a>\n"
	      "  %u = tt.load %p : tensor<512x!tt.ptr<f32>, #a>\n"
	      "  %v = tt.load %p : tensor<512x!tt.ptr<f32>, #a>\n"
	      "  %w = tt.load %p : tensor<512x!tt.ptr<f32>, #a>\n"
	      "  %s = arith.addf %v, %w : tensor<512xf32, #a>\n"
	      "  %t = arith.addf %s, %u : tensor<512xf32, #a>\n"
	      "  tt.store %p, %t : tensor<512x!tt.ptr<f32>, #a>\n"
	      "  tt.return\n}\n", NULL, 0, 1, "16 registers peak: tiles take most registers here: some 12 of a thread\n");
}

/* Rules of schedules that no kernel is known to lead to. */
static void a_schedule_becomes_remarks(void **state)
{
	GpuKit k;
	RemarkList list;
	gpu_kit_init(&k, 4, 1);
	remark_init(&list, &k.arena);
	k.cx.remarks = &list;
	IrModule *m = gpu_kit_read(&k, "tt.func public @f() {\n  tt.return\n}\n");
	IrOp *op = ir_func_body(ir_module_block(m)->first)->first;
	ScheduledLoad loads[] = {
		{.load = op, .kind = SCHEDULE_REGISTERS, .ahead = 1, .rule = REMARK_LOAD_MEMORY, .why = remark_clause(REMARK_LOAD_MEMORY)},
		{.load = op, .kind = SCHEDULE_REGISTERS, .ahead = 1, .rule = REMARK_LOAD_TILE, .why = remark_clause(REMARK_LOAD_TILE)},
	};
	Schedule s = {.loop = op, .stages = 3, .loads = {.data = loads, .len = 2, .cap = 2}};
	schedule_remark(&k.cx, &k.arena, &s);
	assert_string_equal(lines_of(&k.arena, &list),
			    "2 loop registers: no copies\n"
			    "2 load memory: registers 1 ahead: no layout of shared memory takes 4 bytes at once\n"
			    "2 load tile: registers 1 ahead: a tile of pointers or bits, or of a size that is no power of two\n");
	list.all.len = 0;
	schedule_remark(&k.cx, &k.arena, &(Schedule){.loop = op, .rule = REMARK_LOOP_EFFECTS});
	assert_string_equal(lines_of(&k.arena, &list), "2 loop effects: as it is: a function or assembly with effects is inside\n");
	/* No two layouts are known between which the planner leaves conflicts. */
	list.all.len = 0;
	gpu_remark_of(&k.cx, op, "so: ", REMARK_CONVERT_CONFLICTS, "a to b", 64ull, 1u, 2u, 12u, 4u);
	assert_string_equal(lines_of(&k.arena, &list),
			    "2 conversion bank-conflicts: so: a to b: through 64 bytes of shared memory, 1 stores and 2 loads a warp in 12 "
			    "wavefronts, 4 of them because of bank conflicts\n");
	gpu_kit_free(&k);
}

static void equal_remarks_are_one(void **state)
{
	Arena arena;
	RemarkList list;
	arena_init(&arena, 0);
	remark_init(&list, &arena);
	assert_null(remark_add(NULL, "a", (LineCol){1, 1}, REMARK_LOAD_COPIED, 1, 2, 3, 4ull));
	remark_add_text(&list, "b.py", (LineCol){3, 1}, REMARK_PTXAS_WARNING, "late");
	remark_figure(remark_add_text(&list, "a.py", (LineCol){9, 1}, REMARK_PTXAS_WARNING, "nine"), "n", 1);
	remark_figure(remark_add_text(&list, "a.py", (LineCol){9, 1}, REMARK_PTXAS_WARNING, "nine"), "n", 2);
	remark_add_text(&list, "a.py", (LineCol){2, 1}, REMARK_PTXAS_WARNING, "two");
	remark_add_text(&list, NULL, (LineCol){0, 0}, REMARK_PTXAS_WARNING, "nowhere");
	remark_add_text(&list, "b.py", (LineCol){3, 1}, REMARK_PTXAS_WARNING, "late");
	remark_sort(&list);
	static const char *const texts[] = {"nowhere", "two", "nine", "nine", "late"};
	assert_int_equal(list.all.len, ARRAY_LEN(texts));
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		assert_string_equal(list.all.data[i].text, texts[i]);
	assert_int_equal(list.all.data[4].times, 2);
	assert_int_equal(list.all.data[3].figures[0].value, 2);
	arena_free(&arena);
}

/* By the line tables of the PTX; what names a function alone is at the kernel. */
static void the_assembler_s_words_have_places(void **state)
{
	static const char ptx[] = ".entry kernel(\n)\n{\n\t.loc\t1 24 9\n\twgmma;\n}\n\t.file\t1 \"/k.py\"\n";
	static const char said[] =
		"ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized in the function 'kernel'\n"
		"ptxas kernel.ptx, line 5; warning : odd\n"
		"ptxas info    : Used 168 registers\n";
	Arena arena;
	RemarkList list;
	arena_init(&arena, 0);
	remark_init(&list, &arena);
	nv_report_remarks(str_of(said), str_of(ptx), "/k.py", (LineCol){3, 1}, &list);
	assert_string_equal(lines_of(&arena, &list),
			    "3 ptxas performance-loss: (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized in "
			    "the function 'kernel'\n24 ptxas warning: odd\n");
	arena_free(&arena);
}

static void occupancy_is_the_least_of_limits(void **state)
{
	TargetOccupancy fit;
	target_occupancy(target_find("sm_80"), 32, 0, 4, &fit);
	assert_int_equal(fit.ctas, 16);
	assert_string_equal(fit.limit, "warps");
	target_occupancy(target_find("sm_80"), 168, 0, 4, &fit);
	assert_int_equal(fit.ctas, 3);
	assert_string_equal(fit.limit, "registers");
	target_occupancy(target_find("sm_80"), 32, 100 * 1024, 4, &fit);
	assert_int_equal(fit.ctas, 1);
	assert_string_equal(fit.limit, "shared memory");
	target_occupancy(target_find("sm_80"), 16, 0, 1, &fit);
	assert_int_equal(fit.ctas, 32);
	assert_string_equal(fit.limit, "CTAs");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conversions_say_how),
		cmocka_unit_test(memory_says_its_conflicts),
		cmocka_unit_test(odd_dots_say_why),
		cmocka_unit_test(registers_peak_where_most_is_held),
		cmocka_unit_test(a_schedule_becomes_remarks),
		cmocka_unit_test(equal_remarks_are_one),
		cmocka_unit_test(the_assembler_s_words_have_places),
		cmocka_unit_test(occupancy_is_the_least_of_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
