/* Plans of tensor maps: what they come to for a launch's arguments, what no map can say, and plans as text. */
#include "unit.h"

#include <string.h>

#include "target/tensor_map.h"

/* A matrix of fp16: base, rows (i32), columns (i64), row stride (i32), padding. */
static const char letters[] = "p4841";

typedef struct Args {
	uint64_t base;
	int32_t rows;
	int64_t columns;
	int32_t stride;
	uint8_t nan;
} Args;

static Args args_of(uint64_t base, int32_t rows, int64_t columns, int32_t stride, bool nan)
{
	return (Args){.base = base, .rows = rows, .columns = columns, .stride = stride, .nan = nan};
}

static const TensorMapPlan plan = {
	.type = TENSOR_MAP_F16, .rank = 2, .swizzle = 128, .base = 0, .fill = 4,
	.shape = {{1, 1}, {2, 1}}, .strides = {{3, 2}, {-1, 1}}, .box = {64, 64},
};

static const char *values_of(const TensorMapPlan *p, Args *a, TensorMapValues *out)
{
	void *params[] = {&a->base, &a->rows, &a->columns, &a->stride, &a->nan};
	return tensor_map_values(p, letters, params, out);
}

static void values(void **state)
{
	TensorMapValues v;
	Args a = args_of(0x1000, 30, 70, 40, true);
	assert_null(values_of(&plan, &a, &v));
	assert_int_equal(v.address, 0x1000);
	assert_int_equal(v.dims[0], 70);
	assert_int_equal(v.dims[1], 30);
	assert_int_equal(v.strides[0], 160); /* twice the argument, in bytes */
	assert_int_equal(v.nan, 1);
	TensorMapPlan zeros = plan, nans = plan;
	zeros.fill = TENSOR_MAP_ZERO;
	nans.fill = TENSOR_MAP_NAN;
	assert_null(values_of(&zeros, &a, &v));
	assert_int_equal(v.nan, 0);
	a.nan = 0;
	assert_null(values_of(&nans, &a, &v));
	assert_int_equal(v.nan, 1);
}

static void limits(void **state)
{
	static const struct {
		uint64_t base;
		int32_t rows;
		int64_t columns;
		int32_t stride;
		const char *why;
	} cases[] = {
		{0x1008, 30, 70, 40, "its address is no multiple of 16"},
		{0x1000, 0, 70, 40, "a size is not 1 to 2^32"},
		{0x1000, -1, 70, 40, "a size is not 1 to 2^32"},
		{0x1000, 30, (INT64_C(1) << 32) + 1, 40, "a size is not 1 to 2^32"},
		{0x1000, 30, 70, 41, "a stride is no multiple of 16 bytes, or not below 2^40"},
		{0x1000, 30, 70, -40, "a stride is no multiple of 16 bytes, or not below 2^40"},
	};
	TensorMapValues v;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		Args a = args_of(cases[i].base, cases[i].rows, cases[i].columns, cases[i].stride, false);
		assert_string_equal(values_of(&plan, &a, &v), cases[i].why);
	}
	Args most = args_of(0x1000, 1, INT64_C(1) << 32, 0, true);
	assert_null(values_of(&plan, &most, &v));
	TensorMapPlan far = plan, bytes = plan;
	far.strides[0].scale = INT64_C(1) << 39;
	most.stride = 8;
	assert_string_equal(values_of(&far, &most, &v), "a stride is no multiple of 16 bytes, or not below 2^40");
	bytes.type = TENSOR_MAP_U8;
	most.stride = 16;
	assert_string_equal(values_of(&bytes, &most, &v), "its elements have no NaN that a map knows");
	/* Rows counted in 64 bits, of which there is no end. */
	TensorMapPlan rows = plan;
	rows.shape[0] = (TensorMapTerm){-1, TENSOR_MAP_FAR_END};
	Args wide = args_of(0x1000, 0, 70, TENSOR_MAP_FAR_STRIDE / 4, true);
	Args narrow = args_of(0x1000, 0, 70, TENSOR_MAP_FAR_STRIDE / 4 - 8, true);
	assert_null(values_of(&rows, &wide, &v));
	assert_string_equal(values_of(&rows, &narrow, &v),
			    "an index computed in 64 bits may not fit into 32, "
			    "where a stride is below 256 bytes");
	rows.shape[0].scale = TENSOR_MAP_NO_END;
	assert_null(values_of(&rows, &narrow, &v));
	/* Stores end at a multiple of 16 bytes. */
	TensorMapPlan written = plan;
	Args odd = args_of(0x1000, 30, 70, 40, true), even = args_of(0x1000, 30, 72, 40, true);
	written.written = true;
	assert_null(values_of(&plan, &odd, &v));
	assert_null(values_of(&written, &even, &v));
	assert_string_equal(values_of(&written, &odd, &v),
			    "it is written, and its last size is no multiple of 16 bytes: what is stored ends at such a multiple");
}

static void text(void **state)
{
	Arena arena;
	Text t;
	const TensorMapPlan *back;
	size_t count;
	arena_init(&arena, 0);
	text_init(&t, &arena);
	TensorMapPlan two[2] = {plan, {.type = TENSOR_MAP_S32, .rank = 1, .written = true, .base = 7, .fill = TENSOR_MAP_NAN, .shape = {{-1, 4096}}, .strides = {{-1, 1}}, .box = {256}}};
	tensor_map_write(&t, two, 2);
	assert_string_equal(t.data, "0,4,6,128,2,1,1,2,1,3,2,-1,1,64,64;7,-2,3,0,1,-1,4096,-1,1,256,1");
	assert_true(tensor_map_read(&arena, t.data, &back, &count));
	assert_int_equal(count, 2);
	assert_memory_equal(back, two, sizeof two);
	assert_true(tensor_map_read(&arena, "", &back, &count));
	assert_int_equal(count, 0);
	static const char *const bad[] = {
		";", "0", "x", "0,4,6,128,2,1,1,2,1,3,2,-1,1,64", "0,4,6,128,2,1,1,2,1,3,2,-1,1,64,64,2", "0,4,6,128,2,1,1,2,1,3,2,-1,1,64,64,1,1", "0,4,6,128,6,1,1",
		"0,4,6,128,2,1,1,2,1,3,2,-1,1,64,512", "0,4,99,128,2,1,1,2,1,3,2,-1,1,64,64", "-1,4,6,128,2,1,1,2,1,3,2,-1,1,64,64",
		"7,-2,3,0,1,-1,4096,-1,1,256;",
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(tensor_map_read(&arena, bad[i], &back, &count));
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(limits), cmocka_unit_test(text)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
