/* Warp-specialised loops: a producer warp issues the copies, and a further warpgroup may transpose
 * tiles of 8-bit elements. The plan that `warp-specialize` executes.
 *
 *	producer, in each iteration:   wait until slot n is free; announce its bytes; issue copies
 *	consumers:                     wait until slot n is full; products, from slot n;
 *	                               wait: only these are in flight; free slot n - 1
 *
 * A slot of the rings has two mbarriers in shared memory. `there` counts the bytes that copies
 * bring; `free` counts the warps that have read it. Both sides count slots themselves, round and
 * round, with a parity that flips each time the count wraps. The producer's first waits find the
 * preceding phase complete.
 *
 * Where an outer loop is specialised (`root`), counts continue from each run of the inner loop to
 * the next: the copies of the next tile are issued while the consumers store this one. The slots
 * that products read last are freed behind the inner loop. A tile that products of the inner loop
 * use in every iteration, like attention's queries, comes the same way, to one of two buffers in
 * turns; if there is memory for one only, it is free behind the inner loop. */
#ifndef NESO_GPU_LOOP_ROLES_H
#define NESO_GPU_LOOP_ROLES_H

#include "gpu/loop/schedule.h"

enum { GPU_ROLE_WARPS = 4 /* that a partition takes: registers move between warp groups */ };

/* Cycles of an iteration, of all CTAs that share an SM. */
typedef struct GpuRoleCycles {
	/* of tensor cores, shared memory, units for exponentials, schedulers */
	unsigned tensor, shared, special, issue;
	unsigned copies; /* of the SM's part of the L2's bandwidth */
	unsigned together, roles; /* an iteration in one instruction stream; with roles */
} GpuRoleCycles;

typedef struct GpuRoles {
	Schedule s;
	IrOp *root; /* the loop, or one around it */
	unsigned behind; /* a slot is free when products of so many iterations later have been issued */
	IrOp **tiles; /* loads of the root's body that the partition copies, one for each of its runs */
	uint32_t tile_count;
	unsigned tile_slots; /* places of each */
	uint64_t beside; /* bytes of shared memory that what stands around the loop takes meanwhile */
	unsigned pieces_ahead; /* of tiles that the root stores: they have memory at once */
	unsigned ctas; /* that are to share an SM */
	unsigned own,
		other; /* registers of a thread of the kernel's warps, of the partition's; 0: as they are */
	GpuRoleCycles cycles;
	RemarkCode rule; /* LOOP_ROLES, or why not; NONE: nobody asks */
	const char *why; /* of LOOP_ROLES_NOT */
	bool loses; /* that is what it could have, and would be slower by */
} GpuRoles;

/* Of a tt.dot of bytes whose operands both lie across K, in a loop, as the only product there: will
 * warps of their own turn the smaller one, where copies come by TMA? The larger one then comes from
 * registers. */
bool gpu_may_turn(GpuCx *gpu, const IrOp *dot);
/* Of a tt.dot in a loop whose first operand threads compute from another product, as attention's
 * weights: will warps of their own turn the bytes of the second one, which lie across K? */
bool gpu_may_turn_values(GpuCx *gpu, const IrOp *dot);
/* May an iteration of `around` store what `loop`, which is it or inside, loads in the next one?
 * Programs do not. */
bool gpu_stores_reach(const GpuCx *gpu, const IrOp *around, const IrOp *loop);
/* Does the loop, or one around it, ask for roles, or all loops (gpu->roles)? Then what becomes of
 * it; in the arena. */
void gpu_roles(GpuCx *gpu, const IrModule *m, Arena *arena, const AxisMap *axes, IrOp *loop, GpuRoles *out);
/* As remarks, with those of the schedule where the loop has roles. */
void gpu_roles_remark(GpuCx *gpu, Arena *arena, const GpuRoles *r);

#endif
