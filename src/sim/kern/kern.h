/* What is compiled once for each instruction set: SIM_SET is its name, a part of the names that leave a file. The rules of
 * interp/kern/kern.h hold: no contraction, fused operations only where the source says fma, fixed orders of summation. */
#ifndef NESO_SIM_KERN_KERN_H
#define NESO_SIM_KERN_KERN_H

#include "sim/ops.h"

#define SIM_JOIN(name, set) name##_##set
#define SIM_JOINED(name, set) SIM_JOIN(name, set)
#define SIM_NAME(name) SIM_JOINED(name, SIM_SET)
#define SIM_QUOTE(text) #text
#define SIM_TEXT(text) SIM_QUOTE(text)

extern const SimOps sim_ops_plain;
#if defined(NESO_X86_KERNELS)
extern const SimOps sim_ops_avx2, sim_ops_avx512;
#endif
#if defined(SIM_SET)
SimProduct SIM_NAME(sim_product);
#endif

#endif
