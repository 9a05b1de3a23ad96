/* The table of GPUs: rows agree with one another, lookups find what the contract says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "target/target.h"

static void rows_are_consistent(void **state)
{
	(void)state;
	size_t n;
	const TargetGpu *gpus = target_all(&n);
	assert_true(n >= 10);
	for (size_t i = 0; i < n; i++) {
		const TargetGpu *gpu = &gpus[i], *base = target_base(gpu);
		assert_true(i == 0 || gpus[i - 1].capability <= gpu->capability);
		assert_true(base->suffix == 0 && base->capability == gpu->capability && base->ptx <= gpu->ptx);
		assert_true(target_has(gpu, base->features));
		assert_ptr_equal(target_find(gpu->name), gpu);
		assert_true(gpu->shared_cta <= gpu->shared_sm && gpu->warps % 16 == 0);
		assert_int_equal(gpu->name[strlen(gpu->name) - 1] == 'a', gpu->suffix == 'a');
		/* What the instruction set adds stays: mma of bf16 from 8.0 on; that of fp8 is an instruction of some. */
		assert_int_equal(target_mma(gpu, TARGET_MMA_SYNC, TARGET_ELEMENT_BF16, TARGET_ELEMENT_F32) != NULL,
				 target_has(gpu, TARGET_BF16));
		assert_int_equal(target_mma(gpu, TARGET_MMA_SYNC, TARGET_ELEMENT_E4M3, TARGET_ELEMENT_F32) != NULL,
				 target_has(gpu, TARGET_MMA_FP8));
		assert_true(target_has(gpu, TARGET_FP8) || !target_has(gpu, TARGET_MMA_FP8));
		assert_int_equal(target_mma(gpu, TARGET_MMA_WGMMA, TARGET_ELEMENT_F16, TARGET_ELEMENT_F32) != NULL,
				 strcmp(gpu->name, "sm_90a") == 0);
	}
}

static void known_figures(void **state)
{
	(void)state;
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
	assert_null(target_find("sm_91"));
	assert_string_equal(target_nearest("sm90a"), "sm_90a");
}

static void devices_find_their_target(void **state)
{
	(void)state;
	assert_string_equal(target_for_device(80)->name, "sm_80");
	assert_string_equal(target_for_device(90)->name, "sm_90a");
	assert_string_equal(target_for_device(100)->name, "sm_100a");
	/* Not known: never a suffix, which loads on nothing else. */
	assert_string_equal(target_for_device(88)->name, "sm_87");
	assert_string_equal(target_for_device(95)->name, "sm_90");
	assert_string_equal(target_for_device(130)->name, "sm_121");
	assert_null(target_for_device(70));
	assert_true(target_runs_cubin(target_find("sm_80"), 86));
	assert_false(target_runs_cubin(target_find("sm_86"), 80));
	assert_false(target_runs_cubin(target_find("sm_80"), 90));
	assert_false(target_runs_cubin(target_find("sm_90a"), 91));
	assert_true(target_loads_ptx(target_find("sm_80"), 90));
	assert_false(target_loads_ptx(target_find("sm_90a"), 100));
}

static void matrix_instructions(void **state)
{
	(void)state;
	const TargetGpu *a100 = target_find("sm_80"), *h100 = target_find("sm_90a");
	const TargetMma *mma = target_mma(a100, TARGET_MMA_SYNC, TARGET_ELEMENT_F16, TARGET_ELEMENT_F32);
	assert_true(mma->m == 16 && mma->n == 8 && mma->k == 16);
	mma = target_mma(a100, TARGET_MMA_SYNC, TARGET_ELEMENT_F64, TARGET_ELEMENT_F64);
	assert_true(mma->m == 8 && mma->k == 4);
	mma = target_mma(h100, TARGET_MMA_SYNC, TARGET_ELEMENT_F64, TARGET_ELEMENT_F64);
	assert_true(mma->m == 16 && mma->k == 16);
	assert_null(target_mma(a100, TARGET_MMA_SYNC, TARGET_ELEMENT_E4M3, TARGET_ELEMENT_F32));
	assert_null(target_mma(h100, TARGET_MMA_SYNC, TARGET_ELEMENT_E4M3, TARGET_ELEMENT_F32));
	assert_non_null(target_mma(target_find("sm_89"), TARGET_MMA_SYNC, TARGET_ELEMENT_E5M2, TARGET_ELEMENT_F32));
	mma = target_mma(h100, TARGET_MMA_WGMMA, TARGET_ELEMENT_BF16, TARGET_ELEMENT_F32);
	assert_true(mma->m == 64 && mma->k == 16);
	assert_true(target_mma_takes_n(mma, 80) && target_mma_takes_n(mma, 256) && !target_mma_takes_n(mma, 264));
	mma = target_mma(h100, TARGET_MMA_WGMMA, TARGET_ELEMENT_S8, TARGET_ELEMENT_S32);
	assert_true(target_mma_takes_n(mma, 24) && !target_mma_takes_n(mma, 40) && target_mma_takes_n(mma, 48));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_consistent),
		cmocka_unit_test(known_figures),
		cmocka_unit_test(devices_find_their_target),
		cmocka_unit_test(matrix_instructions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
