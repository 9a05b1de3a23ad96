/* Loops with a small known trip count: all their copies are issued in front of the loop.
 *
 * An example is a loop over the columns of a chunk in two steps. A ring of the usual depth would
 * have slots that no iteration reads, and each iteration would compute the addresses of copies
 * that are never issued. */
#include "gpu/loop/rotate.h"
#include "gpu/loop/schedule.h"

uint64_t schedule_trips(const IrOp *loop)
{
	CONTRACT(loop->kind == OP_FOR);
	int64_t bound[3];
	for (uint32_t i = 0; i < ARRAY_LEN(bound); i++)
		if (!ir_constant_int(ir_operand(loop, i), &bound[i]))
			return 0;
	if (bound[2] <= 0 || bound[1] <= bound[0] || bound[1] > INT32_MAX || bound[0] < INT32_MIN)
		return 0;
	return (uint64_t)((bound[1] - bound[0] + bound[2] - 1) / bound[2]);
}

void schedule_whole(Schedule *s)
{
	uint64_t trips = schedule_trips(s->loop);
	if (s->rule || s->left || s->counted || schedule_is_rotated(s) || !trips || trips > s->slots)
		return;
	s->bytes = s->bytes / s->slots * trips;
	s->whole = true;
	s->slots = s->ahead = (unsigned)trips;
	s->pending = s->ahead - 1;
	s->kept = 0;
	s->meets = s->apart = s->reused = false;
	for (uint32_t i = 0; i < s->loads.len; i++)
		if (s->loads.data[i].kind == SCHEDULE_COPIED)
			s->loads.data[i].ahead = s->ahead;
}
