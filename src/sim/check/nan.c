/* Where NaN and infinities arise: computations that give one of operands that are none. */
#include <math.h>
#include <stdio.h>

#include "sim/check/define.h"
#include "sim/half.h"
#include "sim/ops.h"

static double real_of(const void *slot, unsigned lane, unsigned kind)
{
	const uint16_t *half = slot;
	switch ((SimFloat)(kind - 1)) {
	case FLOAT_F16: return (double)half_from_f16(half[lane]);
	case FLOAT_BF16: return (double)half_from_bf16(half[lane]);
	case FLOAT_F32: return (double)((const float *)slot)[lane];
	default: return ((const double *)slot)[lane];
	}
}

/* Operands that are there: those that are not stand for the first one. */
static unsigned operands_of(const SimInstr *i)
{
	return i->slots[3] != i->slots[1] ? 3 : i->slots[2] != i->slots[1] ? 2 : 1;
}

static bool arises(const SimWarp *w, const SimInstr *i, unsigned lane, double result)
{
	for (unsigned k = 1; k <= 3; k++) {
		double x = real_of(sim_slot(w, i->slots[k]), lane, i->real_from);
		if (isnan(x) || (isinf(x) && isinf(result)))
			return false;
	}
	return true;
}

void sim_watch_real(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	uint32_t lanes = 0;
	EACH_LANE(lane, mask & ~w->defined->lanes[i->slots[0]]) {
		double result = real_of(sim_slot(w, i->slots[0]), lane, i->real);
		lanes |= (uint32_t)(!isfinite(result) && arises(w, i, lane, result)) << lane;
	}
	if (!lanes)
		return;
	unsigned first = (unsigned)__builtin_ctz(lanes), count = operands_of(i);
	double result = real_of(sim_slot(w, i->slots[0]), first, i->real);
	char text[128];
	size_t at = 0;
	for (unsigned k = 1; k <= count && at < sizeof text; k++)
		at += (size_t)snprintf(text + at, sizeof text - at, k > 1 ? ", %g" : "%g",
				       real_of(sim_slot(w, i->slots[k]), first, i->real_from));
	SimParty who = sim_party(w, i, first, SIM_NO_BYTE);
	who.lanes = lanes;
	sim_finding(w->cta->run, who, NULL, DIAG_SIM_NAN, "%s arises here, of %s",
		    isnan(result) ? "a NaN" : "an infinity", text);
}
