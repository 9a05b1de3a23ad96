/* What no text can say: broken links between objects, levels. The rules of ops are pinned by test/ir/verify_*.mlir. */
#include "ir/text/asm.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "ir_pass_kit.h"

static void begin(Kit *k)
{
	kit_init(k);
	IrType args[] = {kit_type(k, TY_I32), kit_tile(k, TY_F32, 4)};
	kit_func(k, "f", false, args, 2, NULL, 0);
}

static IrOp *add(Kit *k)
{
	IrValue *x = kit_arg(k, 0);
	return irb_2(&k->b, OP_ADDI, NULL, x, x)->def;
}

/* Exactly one diagnostic, with this text, at the place of the kit's ops. */
static void finds(Kit *k, IrLevel level, DiagCode code, const char *text)
{
	assert_false(ir_verify(k->m, level, &k->diags));
	assert_int_equal(k->diags.errors, 1);
	assert_int_equal(k->diags.first->code, code);
	assert_string_equal(k->diags.first->text, text);
	kit_free(k);
}

static void a_good_module_has_no_faults(void **state)
{
	Kit k;
	begin(&k);
	kit_keep(&k, ir_result(add(&k), 0));
	kit_return(&k);
	assert_true(ir_verify(k.m, LEVEL_TG, &k.diags));
	assert_true(ir_verify(k.m, LEVEL_T, &k.diags));
	assert_int_equal(k.diags.errors, 0);
	kit_free(&k);
}

static void a_use_outside_of_the_list_is_found(void **state)
{
	Kit k;
	begin(&k);
	IrOp *op = add(&k);
	kit_return(&k);
	kit_arg(&k, 0)->uses = NULL;
	op->operands[0].link = NULL;
	op->operands[1].link = &op->operands[1].next;
	assert_false(ir_verify(k.m, LEVEL_T, &k.diags));
	assert_int_equal(k.diags.errors, 2);
	assert_string_equal(k.diags.first->text, "arith.addi: operand 0 is not in its value's list of uses");
	kit_free(&k);
}

static void an_operand_without_value_is_found(void **state)
{
	Kit k;
	begin(&k);
	ir_operand_set(add(&k), 1, NULL);
	kit_return(&k);
	finds(&k, LEVEL_T, DIAG_VERIFY_STRUCTURE, "arith.addi: operand 1 has no value");
}

static void a_missing_location_is_found(void **state)
{
	Kit k;
	begin(&k);
	add(&k)->loc = NULL;
	kit_return(&k);
	finds(&k, LEVEL_T, DIAG_VERIFY_STRUCTURE, "arith.addi: there is no location");
}

static void a_stray_result_is_found(void **state)
{
	Kit k;
	begin(&k);
	add(&k)->results[0].index = 3;
	kit_return(&k);
	finds(&k, LEVEL_T, DIAG_VERIFY_STRUCTURE, "arith.addi: result 0 does not know its operation");
}

static void a_wrong_number_of_regions_is_found(void **state)
{
	Kit k;
	begin(&k);
	irb_op(&k.b, OP_BARRIER, NULL, 0, NULL, 0, 1);
	kit_return(&k);
	finds(&k, LEVEL_T, DIAG_VERIFY_MUST, "gpu.barrier: the number of regions must be 0; found 1");
}

static void layouts_belong_to_one_level(void **state)
{
	Kit k;
	begin(&k);
	IrAttr layout = ir_attr_custom(&k.cx, ir_sym(&k.cx, "ttg.blocked"), NULL, 0);
	IrType tile = ir_tensor(&k.cx, kit_type(&k, TY_I32), (int64_t[]){4}, 1, layout);
	irb_1(&k.b, OP_SPLAT, tile, kit_arg(&k, 0));
	kit_return(&k);
	assert_true(ir_verify(k.m, LEVEL_G, &k.diags));
	finds(&k, LEVEL_T, DIAG_VERIFY_MUST,
	      "tt.splat: result 0 must be without a layout before layouts are chosen; found tensor<4xi32, #ttg.blocked>");
	begin(&k);
	irb_1(&k.b, OP_SPLAT, kit_tile(&k, TY_I32, 4), kit_arg(&k, 0));
	kit_return(&k);
	finds(&k, LEVEL_G, DIAG_VERIFY_MUST, "tt.splat: result 0 must be with a layout; found tensor<4xi32>");
}

static void ops_belong_to_levels(void **state)
{
	Kit k;
	begin(&k);
	IrBlock *end = ir_block_new(k.m, &k.func->regions[0]);
	IrOp *br = irb_op(&k.b, OP_BR, NULL, 0, NULL, 0, 0);
	br->succ[0] = end;
	br->succ_count = 1;
	k.b = ir_at_end(k.m, end, k.b.loc);
	kit_return(&k);
	assert_true(ir_verify(k.m, LEVEL_T, &k.diags));
	finds(&k, LEVEL_G, DIAG_VERIFY_LEVEL, "cf.br: not allowed after layouts are chosen");
	begin(&k);
	irb_0(&k.b, OP_ASYNC_COMMIT, k.cx.token);
	kit_return(&k);
	finds(&k, LEVEL_T, DIAG_VERIFY_LEVEL, "ttg.async_commit_group: not allowed before layouts are chosen");
}

/* Each op of the table has a rule, and each letter is known: an op without operands of the right number is
 * a fault, not a crash. */
static void every_op_can_be_verified(void **state)
{
	for (int kind = 0; kind < OP__COUNT; kind++) {
		Kit k;
		begin(&k);
		IrType types[3] = {kit_type(&k, TY_I32), kit_type(&k, TY_I32), kit_type(&k, TY_I32)};
		IrValue *x = kit_arg(&k, 0), *operands[8] = {x, x, x, x, x, x, x, x};
		const IrOpInfo *info = &ir_op_info[kind];
		irb_op(&k.b, (IrOpKind)kind, operands, MIN(info->operands_min, 8u), types, MIN(info->results_min, 3u),
		       info->regions_min);
		kit_return(&k);
		ir_verify(k.m, LEVEL_T, &k.diags);
		kit_free(&k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_module_has_no_faults),
		cmocka_unit_test(a_use_outside_of_the_list_is_found),
		cmocka_unit_test(an_operand_without_value_is_found),
		cmocka_unit_test(a_missing_location_is_found),
		cmocka_unit_test(a_stray_result_is_found),
		cmocka_unit_test(a_wrong_number_of_regions_is_found),
		cmocka_unit_test(layouts_belong_to_one_level),
		cmocka_unit_test(ops_belong_to_levels),
		cmocka_unit_test(every_op_can_be_verified),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
