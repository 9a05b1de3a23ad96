/* Vector instructions of this processor. */
#ifndef NESO_BASE_CPU_H
#define NESO_BASE_CPU_H

/* Each has those before it. AVX2: with FMA and F16C; AVX512: F, BW, VL, DQ. */
typedef enum { CPU_PLAIN, CPU_AVX2, CPU_AVX512 } CpuSet;


/* The same, or at most the one of this name ("plain", "avx2", "avx512"); NULL, or another name: no limit. */
CpuSet cpu_set_at_most(const char *name);

#endif
