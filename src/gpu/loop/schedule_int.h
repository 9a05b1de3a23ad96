/* Inside schedules: the state of a loop while its schedule is decided. */
#ifndef NESO_GPU_LOOP_SCHEDULE_INT_H
#define NESO_GPU_LOOP_SCHEDULE_INT_H

#include "gpu/loop/schedule.h"

typedef struct ScheduleCx {
	GpuCx *gpu;
	Arena *arena;
	const IrModule *m;
	const AxisMap *axes;
	Schedule *s;
	bool turns; /* warps of their own turn tiles */
	bool has_dot, has_store, stopped; /* stopped: by more than stores */
	uint8_t *seen[SCHEDULE_DEEPEST + 2]; /* by value id: looked at, that many loads on */
	uint32_t values;
	unsigned deepest;
	RemarkCode why;
} ScheduleCx;

/* Can the value be computed iterations ahead? */
bool schedule_can_be_ahead(ScheduleCx *d, const IrValue *v);
/* Can the load, by what its address and mask come from? */
bool schedule_operands_can_be_ahead(ScheduleCx *d, const IrOp *load);
/* Can it, from scalars alone? */
bool schedule_is_scalar_ahead(ScheduleCx *d, const IrValue *v);
/* Of a loop that may be left: whether that is predicted, and by what. */
void schedule_leaving(ScheduleCx *d);
/* May the load be done in an iteration that may not come? */
bool schedule_is_harmless(ScheduleCx *d, const IrOp *load);
/* How far ahead copies are, with how many slots, once all loads are listed. */
void schedule_fit(ScheduleCx *d);
/* Tiles wait in registers while the loop computes: no more of them than what it carries leaves. */
void schedule_limit_registers(ScheduleCx *d);

#endif
