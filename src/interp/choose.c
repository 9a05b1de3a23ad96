/* Which set of vector kernels this processor runs. */
#include <string.h>

#include "interp/interp.h"
#include "interp/kern/kern.h"

const Kernels *kernels_choose(const char *at_most)
{
#if defined(NESO_X86_KERNELS)
	bool plain = at_most && strcmp(at_most, "plain") == 0, avx2_only = at_most && strcmp(at_most, "avx2") == 0;
	__builtin_cpu_init();
	bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
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
