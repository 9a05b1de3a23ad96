/* Which loads of a loop are started before the iteration that uses them, how, and how many iterations ahead: what
 * `pipeline` carries out. Data of its own: it can be checked and printed without the loop being touched.
 *
 *	copied      ttg.async_copy_global_to_local into a ring of slots in shared memory, `ahead` iterations ahead. The copies of
 *	            an iteration are one group; at the start of iteration i the groups of i + 1 ... i + ahead - 1 may be under
 *	            way, so ahead - 1 may stay pending. One slot more than that keeps what is being read: ahead + 1
 *	registers   loaded into registers one iteration ahead of its use
 *	plain       where it stands
 *
 * What the address of such a load depends on is computed as far ahead as the load is issued; a load on the way there
 * (its address comes from memory) goes through registers and is issued one iteration earlier still. */
#ifndef NESO_GPU_PLAN_SCHEDULE_H
#define NESO_GPU_PLAN_SCHEDULE_H

#include "base/vec.h"
#include "gpu/analysis/axis.h"
#include "gpu/gpu.h"
#include "gpu/memory/memory.h"

enum { SCHEDULE_DEEPEST = 3 /* loads from which an address may come, one after another */ };

typedef enum ScheduleKind { SCHEDULE_PLAIN, SCHEDULE_REGISTERS, SCHEDULE_COPIED } ScheduleKind;

typedef struct ScheduledLoad {
	IrOp *load;
	ScheduleKind kind;
	unsigned ahead;       /* 0: plain */
	unsigned indirection; /* loads that its address comes from, one after another */
	const Layout *memory; /* of a slot; copied alone */
	uint64_t bytes;       /* likewise */
	unsigned width;       /* likewise: bytes of one copy at most */
	unsigned dim;         /* likewise: along which they lie */
	RemarkCode rule;      /* LOAD_COPIED, or the rule that says why not */
	const char *why;      /* not copied: what that rule says */
} ScheduledLoad;

typedef struct Schedule {
	IrOp *loop;
	unsigned stages;  /* as asked for */
	unsigned ahead;   /* of what is copied; 0: nothing is */
	unsigned slots;   /* of each ring; 0: there is none */
	unsigned pending; /* groups that may be under way when an iteration starts */
	uint64_t bytes, limit; /* of all rings, and what there is for them */
	RemarkCode rule;  /* NONE, or the rule that leaves the loop as it is; then there are no loads */
	VEC(ScheduledLoad) loads;
} Schedule;

/* Of a loop that asks for stages (tt.num_stages, or the kernel's where it holds a dot); false: it does not, or has no load
 * that counts, as out->rule says. In the arena. */
bool schedule_loop(GpuCx *gpu, const IrModule *m, Arena *arena, const AxisMap *axes, IrOp *loop, Schedule *out);
/* Does what is loaded in a loop reach operand 0 or 1 of a dot there, directly or through pure ops? */
bool schedule_reaches_dot(const IrModule *m, Arena *arena, const IrOp *load);
/* Will the load be copied, as long as its layout has neighbours in one thread? Its mask may then end within a copy (prefix.h). */
bool schedule_may_copy(GpuCx *gpu, const IrModule *m, Arena *arena, IrOp *load);
/* Would it be scheduled, but for the stores in it? */
bool schedule_waits_for_stores(GpuCx *gpu, const IrModule *m, Arena *arena, IrOp *loop);
/* NULL, or what is wrong: slots that are overwritten while they are read, groups that are not waited for, addresses that are
 * not there yet, too many bytes. */
const char *schedule_fault(Arena *arena, const Schedule *s);
/* An array of texts: the loop, then each load. The same as remarks, to the context's list: of any loop that
 * schedule_loop looked at. */
IrAttr schedule_attr(GpuCx *gpu, Arena *arena, const Schedule *s);
void schedule_remark(GpuCx *gpu, Arena *arena, const Schedule *s);

/* Memory for a tile that loads from global memory write by `width` bytes at once, and the loop reads in the layouts that the
 * uses of `load` want: where both together cost least. NULL: none takes copies of at least 4 bytes; *width is what
 * it takes. */
const Layout *schedule_memory(GpuCx *gpu, const IrOp *load, unsigned *width);
/* What the mask of the load leaves out is not zero, which is what copies put there: a select follows the tile's reading. */
bool schedule_fills(const IrOp *load);
/* The layout in which a user of a loaded tile takes it: through a conversion, or a transposition and a conversion; NULL: as
 * it was loaded. */
const Layout *schedule_wanted(GpuCx *gpu, const IrOp *user);

#endif
