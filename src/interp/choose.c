/* Which set of vector kernels this processor runs. */
#include "base/cpu.h"
#include "interp/interp.h"
#include "interp/kern/kern.h"

const Kernels *kernels_choose(const char *at_most)
{
#if defined(NESO_X86_KERNELS)
	static const Kernels *const sets[] = {&kernels_plain, &kernels_avx2, &kernels_avx512};
	return sets[cpu_set_at_most(at_most)];
#else
	(void)at_most;
	return &kernels_plain;
#endif
}

const char *interp_simd(void)
{
	return kernels_choose(NULL)->name;
}
