/* What a warp-specialised loop's plan (roles.c) and its registers (roles_registers.c) share. */
#ifndef NESO_GPU_LOOP_ROLES_INT_H
#define NESO_GPU_LOOP_ROLES_INT_H

#include "gpu/loop/rotate.h"
#include "gpu/loop/roles.h"

/* The schedule with so many slots, and copies as far ahead as they let them be. */
void roles_set_slots(Schedule *s, unsigned slots);
/* As many CTAs as shared memory and registers leave to share an SM, and their registers.
 * flattened: copies go on from tile to tile, and take the memory that is left as slots. False: even
 * those of a single CTA are too few for what its threads hold. */
bool roles_find_registers(GpuCx *gpu, Arena *arena, GpuRoles *r, const GpuLoopCycles *one,
			  bool flattened);

#endif
