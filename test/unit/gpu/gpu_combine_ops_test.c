/* What lowering and allocation share of ops that move data: which functions commute, where a gather in a warp reads. */
#include "gpu_kit.h"

#include "gpu/reduce/combine_ops.h"
#include "layout_random.h"

/* ---- functions that commute bit for bit ---- */

static const struct {
	const char *args, *body, *results;
	bool commutes;
	IrOpKind kind;
} functions[] = {
	{"%a: f32, %b: f32", "%c = arith.addf %a, %b : f32", "%c : f32", true, OP_ADDF},
	{"%a: f32, %b: f32", "%c = arith.maxnumf %b, %a : f32", "%c : f32", true, OP_MAXNUMF},
	{"%a: f32, %b: f32", "%c = arith.subf %a, %b : f32", "%c : f32", false, OP_SUBF},
	{"%a: f32, %b: f32", "%c = arith.subf %b, %a : f32", "%c : f32", false, OP__COUNT},
	{"%a: i32, %b: i32", "%t = arith.andi %a, %b : i32\n%u = arith.xori %b, %a : i32\n%c = arith.addi %u, %t : i32", "%c : i32", true,
	 OP__COUNT},
	{"%a: i32, %b: i32", "%c = arith.addi %a, %a : i32", "%c : i32", false, OP__COUNT},
	/* (a < b) and (b > a) are one thing. */
	{"%a: i32, %b: i32", "%p = arith.cmpi slt, %a, %b : i32\n%q = arith.cmpi slt, %b, %a : i32\n%t = arith.ori %p, %q : i1\n"
	 "%c = arith.extui %t : i1 to i32", "%c : i32", true, OP__COUNT},
	{"%a: i32, %b: i32", "%p = arith.cmpi slt, %a, %b : i32\n%c = arith.select %p, %a, %b : i32", "%c : i32", false, OP__COUNT},
	{"%a: f32, %i: i32, %b: f32, %j: i32", "%p = arith.cmpf ogt, %a, %b : f32\n%c = arith.select %p, %a, %b : f32\n"
	 "%k = arith.select %p, %i, %j : i32", "%c, %k : f32, i32", false, OP__COUNT},
	{"%a: f32, %i: i32, %b: f32, %j: i32", "%c = arith.addf %a, %b : f32\n%k = arith.addi %j, %i : i32", "%c, %k : f32, i32",
	 true, OP__COUNT},
	/* Sums of each other's: the results change places, and so are not the same. */
	{"%a: i32, %i: i32, %b: i32, %j: i32", "%c = arith.addi %a, %j : i32\n%k = arith.addi %i, %b : i32", "%c, %k : i32, i32",
	 false, OP__COUNT},
};

static void functions_commute(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
		GpuKit k;
		gpu_kit_init(&k, 4, 1);
		bool two = strchr(functions[i].results, ',') != NULL;
		const char *elem = strstr(functions[i].args, "f32") ? "f32" : "i32";
		const char *tiles = two ? arena_printf(&k.arena, "tensor<64x%s>, tensor<64xi32>", elem) :
					  arena_printf(&k.arena, "tensor<64x%s>", elem);
		const char *text = arena_printf(
			&k.arena,
			"tt.func public @f(%%x: tensor<64x%s>, %%y: tensor<64xi32>) {\n"
			"%%r%s = \"tt.reduce\"(%%x%s) <{axis = 0 : i32}> ({\n^bb0(%s):\n%s\ntt.reduce.return %s\n}) : (%s) -> %s%s%s\n"
			"tt.return\n}\n",
			elem, two ? ":2" : "", two ? ", %y" : "", functions[i].args, functions[i].body, functions[i].results,
			tiles, two ? "(" : "", two ? arena_printf(&k.arena, "%s, i32", elem) : elem, two ? ")" : "");
		IrModule *m = gpu_kit_read(&k, text);
		const IrRegion *region = &ir_func_body(ir_module_block(m)->first)->first->regions[0];
		assert_int_equal(gpu_region_commutes(region, &k.arena), functions[i].commutes);
		assert_int_equal(gpu_region_op(region), functions[i].kind);
		gpu_kit_free(&k);
	}
}

/* ---- gathers within warps ---- */

static IrOp *gather_of(GpuKit *k, const Layout *source, const Layout *indices, unsigned axis)
{
	int64_t shape[2][LAYOUT_MAX_RANK];
	const Layout *layouts[] = {source, indices};
	IrType types[2];
	IrModule *m = gpu_kit_read(k, "tt.func public @f() {\n  tt.return\n}\n");
	IrBlock *body = ir_func_body(ir_module_block(m)->first);
	IrValue *operands[2];
	for (unsigned i = 0; i < 2; i++) {
		unsigned rank = layout_rank(layouts[i]);
		for (unsigned d = 0; d < rank; d++)
			shape[i][d] = layout_shape(layouts[i], d);
		IrType plain = ir_tensor(&k->ir, ir_int(&k->ir, 32), shape[i], rank, NULL);
		types[i] = gpu_with_layout(&k->cx, plain, layouts[i]);
		operands[i] = ir_block_arg_add(m, body, types[i], k->ir.unknown);
	}
	IrOp *op = ir_op_new(m, OP_GATHER, k->ir.unknown, operands, 2, &types[1], 1, 0);
	ir_set(m, op, ATTR_AXIS, ir_attr_int(&k->ir, ir_int(&k->ir, 32), (int64_t)axis));
	return op;
}

static uint32_t linear(const uint32_t *by, unsigned count, uint64_t word)
{
	uint32_t sum = 0;
	for (unsigned i = 0; i < count; i++)
		sum ^= word >> i & 1 ? by[i] : 0;
	return sum;
}

/* Every thread, register and index: what is read is the element of that index. */
static void check_gather(const Layout *source, const Layout *indices, unsigned axis, const GpuGatherPlan *plan)
{
	unsigned registers = layout_in_bits(source, LAYOUT_REGISTER), own = layout_in_bits(indices, LAYOUT_REGISTER);
	unsigned threads = layout_in_bits(source, LAYOUT_WARP) + 5, bits = layout_out_bits(source, LAYOUT_DIM0 + axis);
	for (uint64_t t = 0; t < UINT64_C(1) << threads; t++) {
		for (uint32_t r = 0; r < UINT32_C(1) << own; r++) {
			int64_t at[LAYOUT_MAX_RANK], got[LAYOUT_MAX_RANK];
			layout_coordinates(indices, 0, r | t << own, at);
			for (uint32_t index = 0; index < UINT32_C(1) << bits; index++) {
				uint32_t lane = linear(plan->lane_lane, 5, t & 31) ^ linear(plan->index_lane, bits, index) ^
						plan->register_lane[r];
				uint32_t from = plan->register_from[r] ^
						linear(plan->pick, plan->pick_bits, linear(plan->index_pick, bits, index));
				assert_true(lane < 32 && from < UINT32_C(1) << registers);
				layout_coordinates(source, 0, from | (t & ~UINT64_C(31)) << registers | (uint64_t)lane << registers,
						   got);
				for (unsigned d = 0; d < layout_rank(source); d++)
					assert_int_equal(got[d], d == axis ? (int64_t)index : at[d]);
			}
		}
	}
}

static void gathers_read_the_right_element(void **state)
{
	Random r = {99};
	unsigned within = 0;
	for (unsigned i = 0; i < 1500; i++) {
		GpuKit k;
		int64_t shape[4];
		unsigned warps = random_below(&r, 3), bits = 4 + random_below(&r, 5);
		gpu_kit_init(&k, 1u << warps, 1);
		unsigned rank = random_shape(&r, bits, false, shape), axis = random_below(&r, rank);
		unsigned threads = 5 + warps, more = random_below(&r, 2);
		unsigned registers = (bits > threads ? bits - threads : 0) + more;
		LayoutSpace space = layout_space_of_shape(shape, rank);
		const Layout *source = random_layout(&r, &k.cx.layouts, &space, registers, warps, 0, random_below(&r, 4));
		const Layout *indices = random_below(&r, 2) ? source : random_layout(&r, &k.cx.layouts, &space, registers, warps, 0, 0);
		GpuGatherPlan plan = gpu_gather_plan(&k.cx, gather_of(&k, source, indices, axis));
		if (plan.within_warp)
			check_gather(source, indices, axis, &plan);
		within += plan.within_warp;
		gpu_kit_free(&k);
	}
	assert_true(within > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_commute),
		cmocka_unit_test(gathers_read_the_right_element),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
