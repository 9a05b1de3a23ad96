/* Constant folding by values: each case gives the bits of the operands and of the result. */
#include "ir_pass_kit.h"

#include <math.h>

#include "ir/rewrite/fold.h"

typedef struct Case {
	IrOpKind op;
	IrTypeKind from, to;
	int predicate; /* of comparisons, rounding of conversions; -1: none */
	uint64_t a, b, c;
	uint64_t want;
	bool folded;
} Case;

#define I32(op, a, b, want) {OP_##op, TY_I32, TY_I32, -1, (uint32_t)(a), (uint32_t)(b), 0, (uint32_t)(want), true}
#define I32_NOT(op, a, b) {OP_##op, TY_I32, TY_I32, -1, (uint32_t)(a), (uint32_t)(b), 0, 0, false}
#define CAST(op, from, to, a, want) {OP_##op, TY_##from, TY_##to, -1, (a), 0, 0, (want), true}
#define CAST_NOT(op, from, to, a) {OP_##op, TY_##from, TY_##to, -1, (a), 0, 0, 0, false}
#define CMP(op, type, predicate, a, b, want) {OP_##op, TY_##type, TY_I1, predicate, (a), (b), 0, (want), true}
#define F(op, type, a, b, want) {OP_##op, TY_##type, TY_##type, -1, (a), (b), 0, (want), true}

#define F32_NAN 0x7fc00000u
#define F32_INF 0x7f800000u
#define F32_ONE 0x3f800000u
#define F32_NEG0 0x80000000u

static const Case cases[] = {
	/* wrap-around */
	I32(ADDI, INT32_MAX, 1, INT32_MIN),
	I32(SUBI, INT32_MIN, 1, INT32_MAX),
	I32(MULI, 0x10001, 0x10001, 0x20001),
	{OP_MULI, TY_I64, TY_I64, -1, UINT64_C(0x8000000000000001), 3, 0, UINT64_C(0x8000000000000003), true},
	{OP_ADDI, TY_I8, TY_I8, -1, 0xff, 2, 0, 1, true},
	{OP_ADDI, TY_I1, TY_I1, -1, 1, 1, 0, 0, true},
	/* division */
	I32(DIVSI, -7, 2, -3),
	I32(REMSI, -7, 2, -1),
	I32(REMSI, 7, -2, 1),
	I32(DIVUI, -7, 2, 0x7ffffffc),
	I32(REMUI, -7, 16, 9),
	I32(FLOORDIVSI, -7, 2, -4),
	I32(FLOORDIVSI, 7, -2, -4),
	I32(FLOORDIVSI, -8, 2, -4),
	I32(CEILDIVSI, 7, 2, 4),
	I32(CEILDIVSI, -7, 2, -3),
	I32(CEILDIVSI, -8, -2, 4),
	I32_NOT(DIVSI, 1, 0),
	I32_NOT(REMSI, 1, 0),
	I32_NOT(DIVUI, 1, 0),
	I32_NOT(REMUI, 1, 0),
	I32_NOT(DIVSI, INT32_MIN, -1),
	I32_NOT(REMSI, INT32_MIN, -1),
	{OP_DIVSI, TY_I64, TY_I64, -1, UINT64_C(1) << 63, UINT64_MAX, 0, 0, false},
	/* shifts and bits */
	I32(SHLI, 3, 31, INT32_MIN),
	I32(SHRSI, INT32_MIN, 31, -1),
	I32(SHRUI, INT32_MIN, 31, 1),
	I32_NOT(SHLI, 1, 32),
	I32_NOT(SHRSI, 1, 32),
	I32_NOT(SHRUI, 1, -1),
	I32(ANDI, 0xff00ff, 0x0ff0f0, 0x0f00f0),
	I32(ORI, 0xf0, 0x0f, 0xff),
	I32(XORI, -1, 1, -2),
	I32(MINSI, -1, 1, -1),
	I32(MINUI, -1, 1, 1),
	I32(MAXSI, -1, 1, 1),
	I32(MAXUI, -1, 1, -1),
	I32(ABSI, INT32_MIN, 0, INT32_MIN),
	I32(ABSI, -5, 0, 5),
	I32(MULHIUI, -1, -1, -2),
	{OP_MULHIUI, TY_I64, TY_I64, -1, UINT64_MAX, UINT64_MAX, 0, UINT64_MAX - 1, true},
	{OP_MULHIUI, TY_I64, TY_I64, -1, UINT64_C(0x123456789abcdef0), UINT64_C(0xfedcba9876543210), 0,
	 UINT64_C(0x121fa00ad77d7422), true},
	/* comparisons */
	CMP(CMPI, I32, CMPI_SLT, 0xffffffff, 0, 1),
	CMP(CMPI, I32, CMPI_ULT, 0xffffffff, 0, 0),
	CMP(CMPI, I32, CMPI_SGE, 5, 5, 1),
	CMP(CMPI, I32, CMPI_UGT, 5, 5, 0),
	CMP(CMPI, I32, CMPI_NE, 5, 6, 1),
	CMP(CMPF, F32, CMPF_OEQ, F32_NAN, F32_NAN, 0),
	CMP(CMPF, F32, CMPF_UNE, F32_NAN, F32_NAN, 1),
	CMP(CMPF, F32, CMPF_OEQ, 0, F32_NEG0, 1),
	CMP(CMPF, F32, CMPF_OLT, F32_NEG0, 0, 0),
	CMP(CMPF, F32, CMPF_ULT, F32_NAN, 0, 1),
	CMP(CMPF, F32, CMPF_OLT, F32_NAN, 0, 0),
	CMP(CMPF, F32, CMPF_ORD, F32_ONE, F32_INF, 1),
	CMP(CMPF, F32, CMPF_UNO, F32_ONE, F32_NAN, 1),
	CMP(CMPF, F32, CMPF_ONE, F32_ONE, 0, 1),
	CMP(CMPF, F32, CMPF_UEQ, F32_ONE, 0, 0),
	/* floats */
	F(ADDF, F32, F32_NEG0, 0, 0),
	F(ADDF, F32, F32_NEG0, F32_NEG0, F32_NEG0),
	F(ADDF, F32, 0x4b800000, F32_ONE, 0x4b800000), /* 2^24 + 1: ties to even */
	F(SUBF, F32, F32_INF, F32_INF, F32_NAN),
	F(MULF, F32, 0x7f7fffff, 0x40000000, F32_INF),
	F(MULF, F32, 0x00000001, 0x3f000000, 0), /* half of the least subnormal */
	F(DIVF, F32, F32_ONE, 0, F32_INF),
	F(DIVF, F32, F32_ONE, F32_NEG0, 0xff800000),
	F(DIVF, F32, F32_ONE, 0x40400000, 0x3eaaaaab),
	F(ADDF, F16, 0x7bff, 0x7bff, 0x7c00),
	F(ADDF, F16, 0x6800, 0x3c00, 0x6800), /* 2048 + 1 */
	F(MULF, BF16, 0x3f81, 0x3f81, 0x3f82),
	F(REMF, F32, 0xc0e00000, 0x40000000, 0xbf800000), /* -7 rem 2 */
	F(NEGF, F32, 0, 0, F32_NEG0),
	F(ABSF, F32, F32_NEG0, 0, 0),
	F(MINIMUMF, F32, F32_ONE, F32_NAN, F32_NAN),
	F(MAXIMUMF, F32, F32_NAN, F32_ONE, F32_NAN),
	F(MINNUMF, F32, F32_ONE, F32_NAN, F32_ONE),
	F(MAXNUMF, F32, F32_NAN, F32_ONE, F32_ONE),
	F(MAXNUMF, F32, F32_NEG0, 0, 0),
	F(MINNUMF, F32, 0, F32_NEG0, F32_NEG0),
	F(FLOOR, F32, 0xbf000000, 0, 0xbf800000),
	F(CEIL, F32, 0xbf000000, 0, F32_NEG0),
	F(PRECISE_SQRT, F32, 0x40000000, 0, 0x3fb504f3),
	{OP_FMA, TY_F32, TY_F32, -1, 0x3f800001, 0x3f800001, 0xbf800002, 0x28800000, true},
	{OP_CLAMPF, TY_F32, TY_F32, -1, 0x40400000, 0, F32_ONE, F32_ONE, true},
	/* conversions */
	CAST(EXTSI, I8, I32, 0x80, 0xffffff80),
	CAST(EXTUI, I8, I32, 0x80, 0x80),
	CAST(EXTSI, I1, I32, 1, 0xffffffff),
	CAST(TRUNCI, I32, I8, 0x1ff, 0xff),
	CAST(SITOFP, I32, F32, 0xffffffff, 0xbf800000),
	CAST(UITOFP, I32, F32, 0xffffffff, 0x4f800000),
	CAST(SITOFP, I64, F32, UINT64_C(0x4000004000000001), 0x5e800001), /* above a tie: one rounding */
	CAST(SITOFP, I64, F32, UINT64_C(0x4000004000000000), 0x5e800000),
	CAST(UITOFP, I1, F32, 1, F32_ONE),
	CAST(SITOFP, I1, F32, 1, 0xbf800000),
	CAST(FPTOSI, F32, I32, 0xbfc00000, 0xffffffff), /* -1.5 */
	CAST(FPTOSI, F32, I32, F32_NAN, 0),
	CAST(FPTOSI, F32, I32, 0x4f800000, 0x7fffffff),
	CAST(FPTOSI, F32, I32, 0xff800000, 0x80000000),
	CAST(FPTOUI, F32, I8, 0xbf800000, 0),
	CAST(FPTOUI, F32, I8, 0x43960000, 0x2c), /* 300: the low half of 16 bits, as when it runs */
	CAST(FPTOUI, F32, I8, 0x47c35000, 0xff), /* 100000 */
	CAST(FPTOSI, F32, I8, 0xc3960000, 0xd4), /* -300 */
	CAST(FPTOSI, F32, I16, 0x47c35000, 0x7fff),
	CAST(FPTOSI, F32, I64, F32_NAN, UINT64_C(1) << 63),
	CAST(FPTOUI, F64, I32, UINT64_C(0x7ff8000000000000), 0x80000000),
	CAST(FPTOUI, F32, I64, F32_INF, UINT64_MAX),
	CAST(EXTF, F16, F32, 0x7c01, F32_NAN),
	CAST(EXTF, F16, F32, 0x0001, 0x33800000),
	CAST(TRUNCF, F32, F16, 0x477fefff, 0x7bff),
	CAST(TRUNCF, F32, F16, 0x477ff000, 0x7c00), /* 65520 */
	CAST(TRUNCF, F32, BF16, 0x3f808000, 0x3f80),
	CAST(TRUNCF, F32, BF16, 0x3f818000, 0x3f82),
	CAST(TRUNCF, F64, F32, UINT64_C(0x3ff0000010000000), F32_ONE),
	CAST(FP_TO_FP, F32, F8E4M3FN, 0x3fc00000, 0x3c),
	CAST(FP_TO_FP, F32, F8E4M3FN, 0x3f880000, 0x38), /* 1.0625: tie to even */
	CAST(FP_TO_FP, F8E5M2, F32, 0x3c, F32_ONE),
	CAST_NOT(FP_TO_FP, F32, F8E4M3FN, 0x44000000), /* 512: saturates or not, by target */
	CAST_NOT(FP_TO_FP, F32, F8E4M3FN, F32_NAN),
	CAST_NOT(FP_TO_FP, F32, F8E5M2, F32_INF),
	CAST_NOT(FP_TO_FP, F32, F8E4M3B11FNUZ, 0x3f880000),
	{OP_FP_TO_FP, TY_F32, TY_F16, ROUND_RTZ, 0x3f803000, 0, 0, 0, false},
	{OP_FP_TO_FP, TY_F32, TY_F16, ROUND_RTZ, 0x3fc00000, 0, 0, 0x3e00, true},
	CAST(BITCAST, F32, I32, F32_NEG0, F32_NEG0),
	CAST(ARITH_BITCAST, I16, BF16, 0x3f80, 0x3f80),
	/* functions with a tolerance: the nearest value */
	F(EXP, F32, F32_ONE, 0, 0x402df854),
	F(EXP2, F32, 0xc0000000, 0, 0x3e800000),
	F(LOG2, F16, 0x4c00, 0, 0x4400),
	F(LOG, F32, F32_NEG0, 0, 0xff800000),
	F(RSQRT, F32, 0x40800000, 0, 0x3f000000),
	F(SIN, F32, F32_INF, 0, F32_NAN),
	{OP_EXP, TY_F64, TY_F64, -1, UINT64_C(0x3ff0000000000000), 0, 0, 0, false},
};

static uint32_t operand_count(IrOpKind kind) { return ir_op_info[kind].operands_min; }

static void one_case(const Case *test, bool tile)
{
	Kit k;
	kit_init(&k);
	kit_func(&k, "f", false, NULL, 0, NULL, 0);
	IrType from = kit_type(&k, test->from), to = kit_type(&k, test->to);
	if (tile) {
		from = kit_tile(&k, test->from, 8);
		to = kit_tile(&k, test->to, 8);
	}
	uint64_t words[3] = {test->a, test->b, test->c};
	IrValue *operands[3];
	for (uint32_t i = 0; i < operand_count(test->op); i++)
		operands[i] = irb_constant(&k.b, fold_splat(&k.cx, from, words[i]));
	IrOp *op = irb_op(&k.b, test->op, operands, operand_count(test->op), &to, 1, 0);
	if (test->predicate >= 0)
		ir_set(k.m, op, test->op == OP_FP_TO_FP ? ATTR_ROUNDING : ATTR_PREDICATE,
		       ir_attr_i32(&k.cx, test->predicate));
	IrOp *keep = kit_keep(&k, &op->results[0]);
	kit_return(&k);
	kit_run(&k, pass_fold);
	IrAttr got = ir_constant_of(ir_operand(keep, 0));
	if (!test->folded && got)
		fail_msg("%s of %#llx was folded", ir_op_info[test->op].text, (unsigned long long)test->a);
	if (test->folded && (!got || fold_word(got, 0) != test->want || fold_type(&k.cx, got) != to))
		fail_msg("%s of %#llx, %#llx: want %#llx, got %#llx", ir_op_info[test->op].text,
			 (unsigned long long)test->a, (unsigned long long)test->b, (unsigned long long)test->want,
			 got ? (unsigned long long)fold_word(got, 0) : 0ull);
	kit_free(&k);
}

static void scalars_and_splats(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		one_case(&cases[i], false);
		one_case(&cases[i], true);
	}
}

static void dense_tiles_element_by_element(void **state)
{
	Kit k;
	kit_init(&k);
	kit_func(&k, "f", false, NULL, 0, NULL, 0);
	IrType tile = kit_tile(&k, TY_I32, 4);
	uint64_t a[4] = {1, 2, 0xffffffff, 4};
	IrValue *x = irb_constant(&k.b, ir_attr_dense(&k.cx, tile, a, 4));
	IrValue *sum = irb_2(&k.b, OP_ADDI, NULL, x, irb_int(&k.b, tile, 10));
	IrValue *below = irb_cmpi(&k.b, CMPI_ULT, x, irb_int(&k.b, tile, 3));
	IrOp *keep = kit_keep(&k, sum), *keep_below = kit_keep(&k, below);
	kit_return(&k);
	assert_true(kit_run(&k, pass_fold));
	IrAttr got = ir_constant_of(ir_operand(keep, 0)), flags = ir_constant_of(ir_operand(keep_below, 0));
	static const uint64_t sums[4] = {11, 12, 9, 14}, bits[4] = {1, 1, 0, 0};
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(fold_word(got, i), sums[i]);
		assert_int_equal(fold_word(flags, i), bits[i]);
	}
	kit_free(&k);
}

static void moved_elements(void **state)
{
	Kit k;
	kit_init(&k);
	kit_func(&k, "f", false, NULL, 0, NULL, 0);
	IrType i32 = kit_type(&k, TY_I32);
	uint64_t words[6] = {0, 1, 2, 3, 4, 5};
	IrType t23 = ir_tensor(&k.cx, i32, (int64_t[]){2, 3}, 2, NULL);
	IrType t32 = ir_tensor(&k.cx, i32, (int64_t[]){3, 2}, 2, NULL);
	IrType t213 = ir_tensor(&k.cx, i32, (int64_t[]){2, 1, 3}, 3, NULL);
	IrType t243 = ir_tensor(&k.cx, i32, (int64_t[]){2, 4, 3}, 3, NULL);
	IrValue *x = irb_constant(&k.b, ir_attr_dense(&k.cx, t23, words, 6));
	IrValue *turned = irb_1(&k.b, OP_TRANS, t32, x);
	ir_set(k.m, turned->def, ATTR_ORDER, ir_attr_ints(&k.cx, i32, (int64_t[]){1, 0}, 2));
	IrValue *thick = irb_1(&k.b, OP_EXPAND_DIMS, t213, x);
	ir_set(k.m, thick->def, ATTR_AXIS, ir_attr_i32(&k.cx, 1));
	IrValue *wide = irb_1(&k.b, OP_BROADCAST, t243, thick);
	IrOp *keep_turned = kit_keep(&k, turned), *keep_wide = kit_keep(&k, wide);
	kit_return(&k);
	kit_run(&k, pass_fold);
	IrAttr got = ir_constant_of(ir_operand(keep_turned, 0));
	static const uint64_t want[6] = {0, 3, 1, 4, 2, 5};
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(fold_word(got, i), want[i]);
	got = ir_constant_of(ir_operand(keep_wide, 0));
	for (uint32_t i = 0; i < 24; i++)
		assert_int_equal(fold_word(got, i), i / 12 * 3 + i % 3);
	kit_free(&k);
}

static void constants_are_united_at_the_start(void **state)
{
	Kit k;
	kit_init(&k);
	IrType i32 = kit_type(&k, TY_I32);
	kit_func(&k, "f", false, &i32, 1, NULL, 0);
	IrValue *a = irb_2(&k.b, OP_ADDI, NULL, kit_arg(&k, 0), irb_int(&k.b, i32, 7));
	IrValue *b = irb_2(&k.b, OP_MULI, NULL, a, irb_int(&k.b, i32, 7));
	IrValue *c = irb_2(&k.b, OP_MULI, NULL, irb_int(&k.b, i32, 3), irb_int(&k.b, i32, 4));
	IrOp *keep = kit_keep(&k, irb_2(&k.b, OP_ADDI, NULL, b, c));
	kit_return(&k);
	kit_run(&k, pass_fold);
	assert_int_equal(kit_count(&k, OP_CONSTANT), 2);
	IrOp *first = ir_func_body(k.func)->first;
	assert_true(first->kind == OP_CONSTANT && first->next->kind == OP_CONSTANT);
	IrOp *add = ir_operand(keep, 0)->def;
	int64_t twelve = 0;
	assert_true(ir_constant_int(ir_operand(add, 1), &twelve));
	assert_int_equal(twelve, 12);
	assert_false(kit_run(&k, pass_fold));
	kit_free(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scalars_and_splats),
		cmocka_unit_test(dense_tiles_element_by_element),
		cmocka_unit_test(moved_elements),
		cmocka_unit_test(constants_are_united_at_the_start),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
