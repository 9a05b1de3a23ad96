/* Which arguments the address of an access may come from: then it must stay within what those
 * point to.
 *
 * A slot has a set of arguments, found by walking the code until nothing changes: of an address
 * and an index the address's, of a sum both operands', of a choice either one's. What comes from
 * elsewhere (an address that is loaded, or made of a number that is) may point anywhere. */
#include "sim/check/define.h"
#include "sim/decode/decode.h"

enum { MOST_ARGUMENTS = 63 };

typedef struct Origins {
	SimDecoder *d;
	uint64_t *of; /* by virtual slot */
	uint64_t *constant; /* by constant: an argument's */
	bool changed;
} Origins;

static uint64_t set_of(const Origins *o, uint32_t slot)
{
	return slot & SIM_CONSTANT ? o->constant[slot & ~SIM_CONSTANT] : o->of[slot];
}

static void add(Origins *o, uint32_t slot, uint64_t set)
{
	if (slot & SIM_CONSTANT || !(set & ~o->of[slot]))
		return;
	o->of[slot] |= set;
	o->changed = true;
}

static bool is_of(SimPure *fn, SimPure *const table[4])
{
	return fn == table[0] || fn == table[1] || fn == table[2] || fn == table[3];
}

/* Operands whose arguments a computation hands on, a bit each. */
static unsigned handed_on(const Origins *o, const SimInstr *i)
{
	const SimOps *ops = o->d->ops;
	switch ((SimRule)i->rule) {
	case RULE_SAME:
	case RULE_MOVE1:
	case RULE_ADDRESS: return 1;
	case RULE_MOVE2:
	case RULE_EITHER:
	case RULE_AND:
	case RULE_OR: return 3;
	case RULE_CARRY:
		return is_of(i->pure, ops->ints[OPS_mul]) ? 0 : is_of(i->pure, ops->ints[OPS_sub]) ? 1 : 3;
	case RULE_SELECT: return 6;
	default: return 0;
	}
}

static void walk(Origins *o)
{
	do {
		o->changed = false;
		for (uint32_t pc = 0; pc < o->d->code.len; pc++) {
			const SimInstr *i = &o->d->code.data[pc];
			unsigned operands = i->kind == SIM_PURE			   ? handed_on(o, i)
					    : i->kind == SIM_EFFECT && i->hands_on ? ~0u
										   : 0;
			for (unsigned k = 0; k < i->operands && operands; k++)
				for (unsigned r = 0; r < i->results && operands >> MIN(k, 31u) & 1; r++)
					add(o, i->slots[r], set_of(o, i->slots[i->results + k]));
		}
	} while (o->changed);
}

int sim_address_of(const SimInstr *i)
{
	if (i->kind != SIM_EFFECT)
		return -1;
	if (i->define == sim_define_copy)
		return 1;
	bool global = i->define == sim_define_load || i->define == sim_define_store ||
		      (i->define == sim_define_atomic && !(i->imm >> 16));
	return global ? 0 : -1;
}

void sim_decode_origins(SimDecoder *d, const uint32_t *arg_slots, uint32_t args)
{
	Origins o = {.d = d,
		     .of = ARENA_ARRAY(d->scratch, uint64_t, d->slots + 1),
		     .constant = ARENA_ARRAY(d->scratch, uint64_t, d->constants.len + 1)};
	for (uint32_t a = 0; a < args; a++)
		o.constant[arg_slots[a]] = a < MOST_ARGUMENTS ? UINT64_C(1) << a : SIM_ANYWHERE;
	walk(&o);
	/* Addresses made of what no argument is known for. */
	for (uint32_t k = 0; k < d->addresses.len; k++)
		if (!set_of(&o, d->addresses.data[k]))
			add(&o, d->addresses.data[k], SIM_ANYWHERE);
	walk(&o);
	for (uint32_t pc = 0; pc < d->code.len; pc++) {
		SimInstr *i = &d->code.data[pc];
		int address = sim_address_of(i);
		uint64_t set = address < 0 ? 0 : set_of(&o, i->slots[i->results + (unsigned)address]);
		i->arguments = set & SIM_ANYWHERE ? 0 : set;
	}
}
