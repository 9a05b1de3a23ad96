/* Vector instructions, from the processor itself. */
#include "base/cpu.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

/* Not every compiler's __builtin_cpu_supports knows this one. */
static bool has_f16c(void)
{
	unsigned a, b, c = 0, d;
	return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}

static CpuSet cpu_set(void)
{
	__builtin_cpu_init();
	if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !has_f16c())
		return CPU_PLAIN;
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
	       __builtin_cpu_supports("avx512dq") ? CPU_AVX512 : CPU_AVX2;
}
#else
static CpuSet cpu_set(void)
{
	return CPU_PLAIN;
}
#endif

CpuSet cpu_set_at_most(const char *name)
{
	static const char *const names[] = {"plain", "avx2", "avx512"};
	CpuSet have = cpu_set();
	for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0 && (CpuSet)i < have)
			return (CpuSet)i;
	return have;
}
