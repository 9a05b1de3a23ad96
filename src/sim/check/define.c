/* Definedness of registers: how bits go through computations, and uses of them (define.h). */
#include "sim/check/define.h"

#include <stdlib.h>

/* ---- what is kept ---- */

SimDefined *sim_defined_new(const SimKernel *k)
{
	SimDefined *d = heap_aligned(64, sizeof *d);
	if (!d)
		return NULL;
	memset(d, 0, sizeof *d);
	d->lanes = heap_zeroed(sizeof *d->lanes * k->slot_count);
	d->origin = heap_zeroed(sizeof *d->origin * k->slot_count);
	d->bits = heap_aligned(64, (size_t)k->slot_count * SIM_SLOT);
	if (d->lanes && d->origin && d->bits)
		return d;
	sim_defined_free(d);
	return NULL;
}

void sim_defined_free(SimDefined *d)
{
	if (!d)
		return;
	free(d->lanes);
	free(d->origin);
	free(d->bits);
	free(d);
}

void sim_defined_start(SimWarp *w)
{
	const SimKernel *k = w->cta->run->kernel;
	SimDefined *d = w->defined;
	memset(d->lanes, 0, sizeof *d->lanes * k->slot_count);
	d->live = sim_hollow_global(w->cta->run, w->cta);
	for (uint32_t s = 0; s < k->fixed; s++) {
		if (!k->constant_undefined[s])
			continue;
		d->lanes[s] = SIM_ALL;
		d->origin[s] = 0;
		memset(d->bits + (size_t)s * SIM_SLOT, 0xff, SIM_SLOT);
		d->live = true;
	}
}

static inline uint8_t *bits_of(const SimWarp *w, uint32_t slot)
{
	return w->defined->bits + (size_t)slot * SIM_SLOT;
}

const uint8_t *sim_undefined_bits(const SimWarp *w, uint32_t slot, unsigned bytes)
{
	_Alignas(64) static const uint8_t none[SIM_SLOT];
	uint32_t lanes = w->defined->lanes[slot];
	if (!lanes)
		return none;
	uint8_t *bits = bits_of(w, slot);
	EACH_LANE(lane, ~lanes)
	memset(bits + lane * bytes, 0, bytes);
	return bits;
}

void sim_set_undefined(SimWarp *w, uint32_t slot, unsigned bytes, uint32_t lanes, uint32_t origin)
{
	SimDefined *d = w->defined;
	if (!lanes)
		return;
	if (!bytes) /* of a size that is not known */
		memset(bits_of(w, slot), 0xff, SIM_SLOT);
	EACH_LANE(lane, lanes)
	memset(bits_of(w, slot) + lane * bytes, 0xff, bytes);
	d->lanes[slot] |= lanes;
	d->origin[slot] = origin;
	d->live = true;
}

void sim_put_undefined(SimWarp *w, uint32_t slot, unsigned bytes, uint32_t mask, const uint8_t *bits,
		       uint32_t origin)
{
	SimDefined *d = w->defined;
	uint32_t lanes = 0;
	EACH_LANE(lane, mask)
	{
		uint64_t one = 0;
		memcpy(&one, bits + lane * bytes, bytes);
		memcpy(bits_of(w, slot) + lane * bytes, &one, bytes);
		lanes |= (uint32_t)(one != 0) << lane;
	}
	d->lanes[slot] = (d->lanes[slot] & ~mask) | lanes;
	if (lanes) {
		d->origin[slot] = origin;
		d->live = true;
	}
}

/* ---- findings ---- */

static const char *sim_origin_text(uint32_t origin)
{
	switch ((SimOrigin)(origin >> 28)) {
	case ORIGIN_MASK: return "a load leaves it out, as its mask is false there";
	case ORIGIN_MEMORY: return "it is loaded from memory that nothing has written";
	case ORIGIN_PROMISE: return "it is computed there and is not what the code promises of it";
	case ORIGIN_WRAP: return "computed here, it does not fit";
	case ORIGIN_DIVISION: return "it is a quotient or a remainder by zero";
	default: return "the code says nothing of it";
	}
}

static SimParty origin_party(const SimWarp *w, uint32_t origin, uint32_t lanes)
{
	uint32_t site = origin & ((1u << 28) - 1);
	return (SimParty){.site = site,
			  .lanes = site ? lanes : 0,
			  .pid = w->cta->pid,
			  .warp = (uint8_t)w->index,
			  .lane = (uint8_t)__builtin_ctz(lanes),
			  .byte = SIM_NO_BYTE};
}

void sim_use_origin(SimWarp *w, const SimInstr *i, uint32_t lanes, uint32_t origin, const char *what)
{
	SimParty who = sim_party(w, i, (unsigned)__builtin_ctz(lanes), 0),
		 other = origin_party(w, origin, lanes);
	who.lanes = lanes;
	SimOrigin why = (SimOrigin)(origin >> 28);
	DiagCode code = why == ORIGIN_DIVISION ? DIAG_SIM_DIVISION
			: why == ORIGIN_WRAP   ? DIAG_SIM_WRAP
					       : DIAG_SIM_UNDEFINED;
	if (code == DIAG_SIM_DIVISION) /* at the line that divides */
		sim_finding(w->cta->run, other, &who, code, "what it gives decides %s", what);
	else
		sim_finding(w->cta->run, who, &other, code, "%s; %s", what, sim_origin_text(origin));
}

void sim_use_slot(SimWarp *w, const SimInstr *i, uint32_t slot, uint32_t lanes, const char *what)
{
	SimDefined *d = w->defined;
	lanes &= d->lanes[slot];
	if (LIKELY(!lanes))
		return;
	sim_use_origin(w, i, lanes, d->origin[slot], what);
	if (slot >= w->cta->run->kernel->fixed)
		d->lanes[slot] &= ~lanes; /* once is enough */
}

void sim_use(SimWarp *w, const SimInstr *i, unsigned operand, uint32_t lanes, const char *what)
{
	sim_use_slot(w, i, i->slots[i->results + operand], lanes, what);
}

void sim_use_all(SimWarp *w, const SimInstr *i, uint32_t mask, const char *what)
{
	for (unsigned k = 0; k < i->operands; k++)
		sim_use(w, i, k, mask, what);
}

/* ---- computations ---- */

static inline uint64_t lane_of(const uint8_t *slot, unsigned lane, unsigned bytes)
{
	uint64_t v = 0;
	memcpy(&v, slot + (size_t)lane * bytes, bytes);
	return v;
}

/* All bits from the lowest one up. */
static inline uint64_t upward(uint64_t bits)
{
	return bits | (0 - bits);
}

static inline uint64_t sign_bit(unsigned bytes)
{
	return UINT64_C(1) << (8 * bytes - 1);
}

/* Is x < y, or is it not, whatever the bits are that are not defined? */
static bool less_decided(uint64_t x, uint64_t ux, uint64_t y, uint64_t uy, uint64_t flip)
{
	/* The sign's weight is turned round: then both are plain numbers. */
	x ^= flip;
	y ^= flip;
	uint64_t x_low = x & ~ux, x_high = x | ux, y_low = y & ~uy, y_high = y | uy;
	return x_high < y_low || x_low >= y_high;
}

typedef struct Lane {
	uint64_t x, y, ux, uy;
} Lane;

static uint64_t lane_rule(const SimInstr *i, const Lane *l)
{
	switch ((SimRule)i->rule) {
	case RULE_SAME: return l->ux;
	case RULE_EITHER: return l->ux | l->uy;
	case RULE_AND: return (l->ux | l->uy) & (l->ux | l->x) & (l->uy | l->y);
	case RULE_OR: return (l->ux | l->uy) & (l->ux | ~l->x) & (l->uy | ~l->y);
	case RULE_CARRY: return upward(l->ux | l->uy);
	case RULE_ADDRESS: return upward(l->ux | (l->uy ? (l->uy & (0 - l->uy)) * i->imm : 0));
	case RULE_HALVES: return (l->ux ? 0xffffu : 0) | (l->uy ? 0xffff0000u : 0);
	case RULE_EQUAL: return ((l->x ^ l->y) & ~(l->ux | l->uy)) == 0;
	case RULE_LESS: return !less_decided(l->x, l->ux, l->y, l->uy, 0);
	case RULE_GREATER: return !less_decided(l->y, l->uy, l->x, l->ux, 0);
	case RULE_LESS_SIGNED: return !less_decided(l->x, l->ux, l->y, l->uy, sign_bit(i->from));
	case RULE_GREATER_SIGNED: return !less_decided(l->y, l->uy, l->x, l->ux, sign_bit(i->from));
	default: return UINT64_MAX;
	}
}

/* Bytes of a lane of the first and the second operand. */
static void operand_bytes(const SimInstr *i, unsigned *first, unsigned *second)
{
	*first = i->rule == RULE_ADDRESS || !i->from ? i->size : i->from;
	*second = i->from ? i->from : i->size;
}

static void by_lane(SimWarp *w, const SimInstr *i, uint32_t mixed, uint8_t *out)
{
	unsigned first, second;
	operand_bytes(i, &first, &second);
	const uint32_t *s = i->slots;
	const uint8_t *x = sim_slot(w, s[1]), *y = sim_slot(w, s[2]);
	const uint8_t *ux = sim_undefined_bits(w, s[1], first), *uy = sim_undefined_bits(w, s[2], second);
	EACH_LANE(lane, mixed)
	{
		Lane l = {lane_of(x, lane, first), lane_of(y, lane, second), lane_of(ux, lane, first),
			  lane_of(uy, lane, second)};
		uint64_t bits = lane_rule(i, &l);
		memcpy(out + lane * i->size, &bits, i->size);
	}
}

/* The same computation on the bits. */
static void by_moving(SimWarp *w, const SimInstr *i, uint32_t mixed, uint8_t *out)
{
	const uint32_t *s = i->slots;
	unsigned bytes = i->from ? i->from : i->size, moved = i->rule == RULE_MOVE2 ? 2 : 1;
	uint32_t whole = 0;
	const void *in[3];
	for (unsigned k = 0; k < 3; k++) {
		in[k] = k < moved ? (const void *)sim_undefined_bits(w, s[1 + k], bytes)
				  : sim_slot(w, s[1 + k]);
		/* An operand that is not there stands for the first one. */
		if (k >= moved && s[1 + k] != s[1])
			whole |= w->defined->lanes[s[1 + k]];
	}
	i->pure(out, in[0], in[1], in[2], i->imm);
	EACH_LANE(lane, whole & mixed)
	memset(out + lane * i->size, 0xff, i->size);
}

/* Where the condition is not defined, only bits in which both are the same. */
static void by_choice(SimWarp *w, const SimInstr *i, uint32_t mixed, uint8_t *out)
{
	const uint32_t *s = i->slots;
	const uint8_t *x = sim_slot(w, s[2]), *y = sim_slot(w, s[3]);
	const uint8_t *ux = sim_undefined_bits(w, s[2], i->size), *uy = sim_undefined_bits(w, s[3], i->size);
	i->pure(out, sim_slot(w, s[1]), ux, uy, i->imm);
	EACH_LANE(lane, w->defined->lanes[s[1]] & mixed)
	for (unsigned k = lane * i->size; k < (lane + 1) * i->size; k++)
		out[k] = (uint8_t)(ux[k] | uy[k] | (x[k] ^ y[k]));
}

static uint32_t first_origin(const SimWarp *w, const SimInstr *i, uint32_t lanes)
{
	const SimDefined *d = w->defined;
	for (unsigned k = 1; k <= 3; k++)
		if (d->lanes[i->slots[k]] & lanes)
			return d->origin[i->slots[k]];
	return 0;
}

static uint32_t true_bytes(const uint8_t *of)
{
	uint32_t mask = 0;
	for (unsigned lane = 0; lane < SIM_LANES; lane++)
		mask |= (uint32_t)(of[lane] & 1) << lane;
	return mask;
}

/* A choice most often gets rid of it: told by the lanes alone. */
static bool is_chosen_away(const SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const uint32_t *s = i->slots, *lanes = w->defined->lanes;
	if (i->rule != RULE_SELECT || lanes[s[1]] & mask)
		return false;
	uint32_t yes = true_bytes(sim_slot(w, s[1]));
	return !(((yes & lanes[s[2]]) | (~yes & lanes[s[3]])) & mask);
}

void sim_define_mixed(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	SimDefined *d = w->defined;
	const uint32_t *s = i->slots;
	uint32_t mixed = (d->lanes[s[1]] | d->lanes[s[2]] | d->lanes[s[3]]) & mask;
	uint8_t *out = d->scratch[0];
	if (is_chosen_away(w, i, mask)) {
		d->lanes[s[0]] &= ~mask;
		return;
	}
	if (i->rule == RULE_WHOLE) {
		uint32_t origin = first_origin(w, i, mixed);
		d->lanes[s[0]] &= ~mask;
		sim_set_undefined(w, s[0], i->size, mixed, origin);
		return;
	}
	if (i->rule == RULE_SELECT)
		by_choice(w, i, mixed, out);
	else if (i->rule == RULE_MOVE1 || i->rule == RULE_MOVE2)
		by_moving(w, i, mixed, out);
	else
		by_lane(w, i, mixed, out);
	d->lanes[s[0]] &= ~mask;
	sim_put_undefined(w, s[0], i->size, mixed, out, first_origin(w, i, mixed));
}

void sim_define_promise(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	SimDefined *d = w->defined;
	const uint32_t *s = i->slots;
	const SimPromise *p = i->promise;
	uint32_t broken = 0;
	for (unsigned k = 0; k < p->count; k++) {
		uint64_t eight[SIM_LANES / 8];
		p->broken[k](d->scratch[1], sim_slot(w, s[1]), sim_slot(w, s[2]), sim_slot(w, s[3]),
			     p->imm[k]);
		memcpy(eight, d->scratch[1], sizeof eight);
		if (UNLIKELY(eight[0] | eight[1] | eight[2] | eight[3]))
			broken |= true_bytes(d->scratch[1]) & mask;
	}
	if (UNLIKELY(broken))
		sim_set_undefined(w, s[0], i->size, broken, SIM_ORIGIN(p->why, i));
}

/* ---- effects ---- */

/* Lane by lane, all of the results of a lane some of whose operands' bits are not defined; what
 * gives no results is a use. */
void sim_define_lanes(SimWarp *w, const SimInstr *i, uint32_t mask, bool done)
{
	SimDefined *d = w->defined;
	uint32_t any = 0, origin = 0;
	if (!done) {
		if (!i->results)
			sim_use_all(w, i, mask, "an operand");
		return;
	}
	for (unsigned k = 0; k < i->operands; k++) {
		uint32_t lanes = d->lanes[i->slots[i->results + k]] & mask;
		if (lanes && !any)
			origin = d->origin[i->slots[i->results + k]];
		any |= lanes;
	}
	for (unsigned k = 0; k < i->results; k++) {
		d->lanes[i->slots[k]] &= ~mask;
		sim_set_undefined(w, i->slots[k], i->lane_bytes, any, origin);
	}
}

void sim_define_assume(SimWarp *w, const SimInstr *i, uint32_t mask, bool done)
{
	if (!done)
		sim_use_all(w, i, mask, "what is assumed");
}

void sim_define_nothing(SimWarp *w, const SimInstr *i, uint32_t mask, bool done)
{
	for (unsigned k = 0; k < i->results && done; k++)
		w->defined->lanes[i->slots[k]] &= ~mask;
}
