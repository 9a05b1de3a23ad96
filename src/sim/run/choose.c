/* Which set of loops over lanes this processor runs. */
#include "base/cpu.h"
#include "sim/kern/kern.h"

const SimOps *sim_ops_choose(const char *at_most)
{
#if defined(NESO_X86_KERNELS)
	static const SimOps *const sets[] = {&sim_ops_plain, &sim_ops_avx2, &sim_ops_avx512};
	return sets[cpu_set_at_most(at_most)];
#else
	(void)at_most;
	return &sim_ops_plain;
#endif
}
