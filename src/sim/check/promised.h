/* Promises about memory that LLVM relies on: loads of what nobody writes, arguments that share
 * memory with none. Kept where a kernel has them. */
#ifndef NESO_SIM_CHECK_PROMISED_H
#define NESO_SIM_CHECK_PROMISED_H

#include "sim/sim_int.h"

bool sim_promised_new(SimRun *run); /* false: no memory */
void sim_promised_free(SimRun *run);
/* An access of global memory by a lane, which is in a buffer. */
void sim_promised_access(SimWarp *w, const SimInstr *i, unsigned lane, uint64_t address, uint32_t size,
			 bool write);

#endif
