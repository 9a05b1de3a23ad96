/* The table of GPUs: rows agree with one another, lookups find what the contract says. */
#include "unit.h"

#include <string.h>

#include "target/cost.h"
#include "target/mma.h"

static void rows_are_consistent(void **state)
{
	size_t n;
	const TargetGpu *gpus = target_all(&n);
	assert_true(n >= 10);
	for (size_t i = 0; i < n; i++) {
		const TargetGpu *gpu = &gpus[i], *base = target_base(gpu);
		assert_true(i == 0 || gpus[i - 1].capability <= gpu->capability);
		assert_true(base->suffix == 0 && base->capability == gpu->capability &&
			    base->ptx <= gpu->ptx);
		assert_true(target_has(gpu, base->features));
		assert_ptr_equal(target_find(gpu->name), gpu);
		assert_int_equal(target_processors(gpu)->capability, gpu->capability);
		assert_true(gpu->shared_cta <= gpu->shared_sm && gpu->warps % 16 == 0);
		assert_int_equal(gpu->name[strlen(gpu->name) - 1] == 'a', gpu->suffix == 'a');
		/* What the instruction set adds stays: mma of bf16 from 8.0 on; that of fp8 is an
		 * instruction of some. */
		assert_int_equal(target_mma(gpu, TARGET_MMA_SYNC, TARGET_ELEMENT_BF16, TARGET_ELEMENT_F32) !=
					 NULL,
				 target_has(gpu, TARGET_BF16));
		assert_int_equal(target_mma(gpu, TARGET_MMA_SYNC, TARGET_ELEMENT_E4M3, TARGET_ELEMENT_F32) !=
					 NULL,
				 target_has(gpu, TARGET_MMA_FP8));
		assert_true(target_has(gpu, TARGET_FP8) || !target_has(gpu, TARGET_MMA_FP8));
		assert_int_equal(target_mma(gpu, TARGET_MMA_WGMMA, TARGET_ELEMENT_F16, TARGET_ELEMENT_F32) !=
					 NULL,
				 strcmp(gpu->name, "sm_90a") == 0);
	}
}

/* A target has the column of the highest capability that is not above its own. */
static void costs_are_of_the_generation(void **state)
{
	assert_ptr_equal(target_costs_of(75), &target_costs[COSTS_SM_75]);
	assert_ptr_equal(target_costs_of(89), &target_costs[COSTS_SM_80]);
	assert_ptr_equal(target_costs_of(90), &target_costs[COSTS_SM_90]);
	assert_ptr_equal(target_costs_of(103), &target_costs[COSTS_SM_100]);
	assert_ptr_equal(target_costs_of(121), &target_costs[COSTS_SM_100]);
	for (size_t i = 0; i < COSTS__COUNT; i++) {
		const TargetCosts *c = &target_costs[i];
		assert_true(c->issue && c->shuffle >= c->issue && c->wavefront >= c->issue);
		assert_true(c->warp_barrier < c->cta_barrier && c->cta_barrier < c->cluster_barrier);
		assert_true(c->load_sector && c->store_sector && c->store_part && c->store_lone &&
			    c->atomic_sector && c->line);
	}
}

static void known_figures(void **state)
{
	assert_int_equal(target_find("sm_80")->shared_cta, 163 * 1024);
	assert_int_equal(target_find("sm_86")->shared_cta, 99 * 1024);
	assert_int_equal(target_find("sm_89")->ctas, 24);
	assert_int_equal(target_find("sm_90a")->shared_cta, 232448); /* what the driver reports for an H100 */
	assert_int_equal(target_find("sm_90a")->warps * TARGET_WARP_SIZE, 2048);
	assert_int_equal(target_find("sm_120")->warps * TARGET_WARP_SIZE, 1536);
	assert_true(target_has(target_find("sm_80"), TARGET_CP_ASYNC | TARGET_TF32));
	assert_false(target_has(target_find("sm_80"), TARGET_TMA));
	assert_true(target_has(target_find("sm_90"), TARGET_TMA | TARGET_CLUSTER | TARGET_STMATRIX));
	assert_false(target_has(target_find("sm_90"), TARGET_WGMMA));
	assert_null(target_find("sm_1"));
	assert_string_equal(target_nearest("sm90a"), "sm_90a");
}

static void devices_find_their_target(void **state)
{
	assert_string_equal(target_for_device(80)->name, "sm_80");
	assert_string_equal(target_for_device(90)->name, "sm_90a");
	assert_string_equal(target_for_device(100)->name, "sm_100a");
	/* Not known: never a suffix, which loads on nothing else. */
	assert_string_equal(target_for_device(95)->name, "sm_90");
	assert_string_equal(target_for_device(130)->name, "sm_121");
	assert_null(target_for_device(70));
	assert_true(target_runs_cubin(target_find("sm_80"), 86));
	assert_false(target_runs_cubin(target_find("sm_86"), 80));
	assert_false(target_runs_cubin(target_find("sm_80"), 90));
	assert_false(target_runs_cubin(target_find("sm_90a"), 91));
}

static void matrix_instructions(void **state)
{
	const TargetGpu *a100 = target_find("sm_80"), *h100 = target_find("sm_90a");
	const TargetMma *mma = target_mma(a100, TARGET_MMA_SYNC, TARGET_ELEMENT_F16, TARGET_ELEMENT_F32);
	assert_true(mma->m == 16 && mma->n == 8 && mma->k == 16);
	mma = target_mma(a100, TARGET_MMA_SYNC, TARGET_ELEMENT_F64, TARGET_ELEMENT_F64);
	assert_true(mma->m == 8 && mma->k == 4);
	mma = target_mma(h100, TARGET_MMA_SYNC, TARGET_ELEMENT_F64, TARGET_ELEMENT_F64);
	assert_true(mma->m == 16 && mma->k == 16);
	assert_null(target_mma(a100, TARGET_MMA_SYNC, TARGET_ELEMENT_E4M3, TARGET_ELEMENT_F32));
	assert_null(target_mma(h100, TARGET_MMA_SYNC, TARGET_ELEMENT_E4M3, TARGET_ELEMENT_F32));
	assert_non_null(
		target_mma(target_find("sm_89"), TARGET_MMA_SYNC, TARGET_ELEMENT_E5M2, TARGET_ELEMENT_F32));
	mma = target_mma(h100, TARGET_MMA_WGMMA, TARGET_ELEMENT_BF16, TARGET_ELEMENT_F32);
	assert_true(mma->m == 64 && mma->k == 16);
	assert_true(target_mma_takes_n(mma, 80) && target_mma_takes_n(mma, 256) &&
		    !target_mma_takes_n(mma, 264));
	mma = target_mma(h100, TARGET_MMA_WGMMA, TARGET_ELEMENT_S8, TARGET_ELEMENT_S32);
	assert_true(target_mma_takes_n(mma, 24) && !target_mma_takes_n(mma, 40) &&
		    target_mma_takes_n(mma, 48));
}

/* A name says all of a call, and nothing else is one. */
static void products_have_names(void **state)
{
	static const struct {
		TargetMmaFamily family;
		const char *name;
		unsigned words[3];
	} good[] = {
		{TARGET_MMA_SYNC, "m16n8k16.f32.f16.f16.f32", {4, 2, 4}},
		{TARGET_MMA_SYNC, "m16n8k16.f16.f16.f16.f16", {4, 2, 2}},
		{TARGET_MMA_SYNC, "m8n8k4.f64.f64.f64.f64", {1, 1, 2}},
		{TARGET_MMA_SYNC, "m16n8k32.s32.s8.u8.s32", {4, 2, 4}},
		{TARGET_MMA_SYNC, "m16n8k32.f32.e5m2.e4m3.f32", {4, 2, 4}},
		{TARGET_MMA_WGMMA, "m64n80k16.f32.bf16.bf16.ra.tb", {4, 0, 40}},
		{TARGET_MMA_WGMMA, "m64n256k16.f16.f16.f16.ta.tb.new.x4", {4, 0, 64}},
		{TARGET_MMA_WGMMA, "m64n24k32.s32.u8.s8.x2", {4, 0, 12}},
	};
	static const struct {
		TargetMmaFamily family;
		const char *name;
	} bad[] = {
		{TARGET_MMA_SYNC, ""},
		{TARGET_MMA_SYNC, "m16n8k16.f32.f16.f16"},
		{TARGET_MMA_SYNC, "m16n8k16.f32.f16.f16.f16"},
		{TARGET_MMA_SYNC, "m16n8k16.f32.f16.bf16.f32"},
		{TARGET_MMA_SYNC, "m16n8k64.f32.f16.f16.f32"},
		{TARGET_MMA_SYNC, "m16n16k16.f32.f16.f16.f32"},
		{TARGET_MMA_SYNC, "m16n8k16.f32.f16.f16.f32.x2"},
		{TARGET_MMA_SYNC, "m-16n8k16.f32.f16.f16.f32"},
		{TARGET_MMA_SYNC, "m16n8k16.f32.f1.f16.f32"},
		{TARGET_MMA_WGMMA, "m64n264k16.f32.f16.f16"},
		{TARGET_MMA_WGMMA, "m64n40k32.s32.s8.s8"},
		{TARGET_MMA_WGMMA, "m64n64k16.f32.f16.f16.x0"},
		{TARGET_MMA_WGMMA, "m64n64k16.f32.f16.f16.x17"},
		{TARGET_MMA_WGMMA, "m64n64k16.f32.f16.f16.x"},
		{TARGET_MMA_WGMMA, "m64n64k8.f32.tf32.tf32.tb"},
		{TARGET_MMA_WGMMA, "m64n64k16.f32.f16.f16.ra.ta"},
		{TARGET_MMA_WGMMA, "m64n64k16.f32.f16.f16.tb.ta"},
	};
	Arena arena = {0};
	TargetProduct p;
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		assert_true(target_product_read(good[i].family, good[i].name, &p));
		assert_string_equal(target_product_name(&arena, &p), good[i].name);
		for (unsigned k = 0; k < 3; k++)
			assert_true(!good[i].words[k] || target_product_words(&p, k) == good[i].words[k]);
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_false(target_product_read(bad[i].family, bad[i].name, &p));
	arena_free(&arena);
}

/* CTAs of several programs pay where a launch has more programs than SMs; where these are
 * uneven, and nothing is known of how, where it has many more. */
static void grids_of_many(void **state)
{
	(void)state;
	static const struct {
		uint32_t grid[3], ctas[2][3];
		bool many, uneven;
	} of[] = {
		{{132, 1, 1}, {{132, 1, 1}, {132, 1, 1}}, false, false},
		{{133, 1, 1}, {{132, 1, 1}, {132, 1, 1}}, true, false},
		{{529, 1, 1}, {{132, 1, 1}, {132, 1, 1}}, true, true},
		{{8, 64, 1}, {{2, 64, 1}, {132, 1, 1}}, true, false},
		{{32, 8, 4}, {{4, 8, 4}, {132, 1, 1}}, true, true},
		{{8, 1, 1}, {{8, 1, 1}, {8, 1, 1}}, false, false},
		{{1, 4096, 1}, {{1, 4096, 1}, {132, 1, 1}}, true, true},
		{{4, 140, 1}, {{1, 140, 1}, {132, 1, 1}}, true, true},
		{{4, 33, 1}, {{4, 33, 1}, {4, 33, 1}}, false, false},
		{{1, 65535, 65535}, {{1, 65535, 65535}, {1, 65535, 65535}}, false, false},
		{{0x7fffffff, 1, 1}, {{0x7fffffff, 1, 1}, {0x7fffffff, 1, 1}}, false, false},
	};
	for (size_t i = 0; i < ARRAY_LEN(of); i++) {
		for (unsigned all = 0; all < 2; all++) {
			uint32_t ctas[3];
			target_persistent_grid(of[i].grid, 132, all, ctas);
			for (unsigned axis = 0; axis < 3; axis++)
				assert_int_equal(ctas[axis], of[i].ctas[all][axis]);
		}
		assert_int_equal(target_is_many(of[i].grid, 132, false), of[i].many);
		assert_int_equal(target_is_many(of[i].grid, 132, true), of[i].uneven);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_consistent),
		cmocka_unit_test(costs_are_of_the_generation),
		cmocka_unit_test(known_figures),
		cmocka_unit_test(devices_find_their_target),
		cmocka_unit_test(matrix_instructions),
		cmocka_unit_test(products_have_names),
		cmocka_unit_test(grids_of_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
