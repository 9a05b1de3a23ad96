/* Which set of vector kernels this processor runs. */
#include <string.h>
#if defined(NESO_X86_KERNELS)
#include <cpuid.h>
#endif

#include "interp/interp.h"
#include "interp/kern/kern.h"

#if defined(NESO_X86_KERNELS)
/* Not every compiler's __builtin_cpu_supports knows this one. */
static bool has_f16c(void)
{
	unsigned a, b, c = 0, d;
	return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
#endif

const Kernels *kernels_choose(const char *at_most)
{
#if defined(NESO_X86_KERNELS)
	bool plain = at_most && strcmp(at_most, "plain") == 0, avx2_only = at_most && strcmp(at_most, "avx2") == 0;
	__builtin_cpu_init();
	bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
	bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
		      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
	if (!plain && !avx2_only && avx512)
		return &kernels_avx512;
	if (!plain && avx2)
		return &kernels_avx2;
#else
	(void)at_most;
#endif
	return &kernels_plain;
}

const char *interp_simd(void)
{
	return kernels_choose(NULL)->name;
}
