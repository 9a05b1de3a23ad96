/* The simulator: runs the LLIR of a kernel on the CPU, a warp at a time, and checks what it does.
 *
 * A kernel is decoded once from the module in which machine operations are still calls (llvm/machine.h), and launched any
 * number of times, from any thread; the decoded form is immutable. Memory is the host's. Each access of global memory is held
 * against the launch's buffers before it is made, each access of shared memory against the kernel's bytes. */
#ifndef NESO_SIM_SIM_H
#define NESO_SIM_SIM_H

#include <llvm-c/Core.h>

#include "base/diag/diag.h"
#include "sim/launch.h"

typedef struct SimKernel SimKernel;

/* How many programs are there at once on a GPU: at least 1; what its instructions cost. */
typedef struct SimResidency {
	unsigned programs;
	const struct TargetCosts *costs;
	const char *gpu, *limit; /* its name; what keeps an SM from holding more, as in TargetOccupancy */
} SimResidency;

/* Decodes the kernel of this name: threads of a CTA, CTAs of a cluster. NULL after diagnosing what the simulator does not know, at its source line. Everything
 * lies in the arena, nothing of the module is kept. */
const SimKernel *sim_decode(Arena *arena, LLVMModuleRef mod, const char *kernel, unsigned threads,
			    unsigned ctas, unsigned shared, SimResidency resident, DiagList *diags);

/* Runs all programs of the grid. False after diagnosing a fault; findings of the checks are errors too. */
bool sim_run(const SimKernel *kernel, const SimLaunch *launch, unsigned scratch_bytes, DiagList *diags);

#endif
