/* Numbers of 32 bits that addresses are made of, and that 32 bits do not hold: an offset that wraps
 * round is within the array now and then, and no bounds tell.
 *
 * Walks back from the addresses of accesses, through sums, products, shifts, casts and choices, and
 * stops at what cuts a number on purpose (`and`, remainders, shifts to the right). What is found
 * there is not defined where neither the signed nor the unsigned number fits. */
#include "sim/check/define.h"
#include "sim/decode/decode.h"

enum { WORD = 2 /* of the tables by size: 4 bytes */ };

typedef struct Wraps {
	SimDecoder *d;
	bool *wanted; /* by virtual slot: an address is made of it */
	bool changed;
} Wraps;

static bool is_wanted(const Wraps *w, uint32_t slot)
{
	return !(slot & SIM_CONSTANT) && w->wanted[slot];
}

static void want(Wraps *w, const SimInstr *i, unsigned operand)
{
	uint32_t slot = i->slots[i->results + operand];
	if (operand >= i->operands || slot & SIM_CONSTANT || w->wanted[slot])
		return;
	w->wanted[slot] = w->changed = true;
}

static bool is_cast(const SimOps *ops, SimPure *fn)
{
	for (unsigned from = 0; from < 4; from++)
		for (unsigned to = 0; to < 4; to++)
			if (fn == ops->zext[from][to] || fn == ops->sext[from][to])
				return true;
	return false;
}

static bool is_shift(const SimOps *ops, SimPure *fn)
{
	for (unsigned k = 0; k < 4; k++)
		if (fn == ops->ints[OPS_shl][k])
			return true;
	return false;
}

/* Operands that a number of the result is made of, a bit each. */
static unsigned handed_on(const SimOps *ops, const SimInstr *i)
{
	switch ((SimRule)i->rule) {
	case RULE_SAME: return 1;
	case RULE_MOVE1: return is_cast(ops, i->pure) || is_shift(ops, i->pure);
	case RULE_OR:
	case RULE_CARRY:
	case RULE_ADDRESS: return 3;
	case RULE_SELECT: return 6;
	default: return 0;
	}
}

static void walk(Wraps *w)
{
	do {
		w->changed = false;
		for (uint32_t pc = w->d->code.len; pc-- > 0;) {
			const SimInstr *i = &w->d->code.data[pc];
			if (i->kind != SIM_PURE || !is_wanted(w, i->slots[0]))
				continue;
			unsigned operands = handed_on(w->d->ops, i);
			for (unsigned k = 0; k < 3; k++)
				if (operands >> k & 1)
					want(w, i, k);
		}
	} while (w->changed);
}

/* NULL: it does not wrap, or says itself that it does not. */
static SimPure *wraps(const SimOps *ops, const SimInstr *i)
{
	static const struct {
		SimIntOp op;
		SimIntCompare over;
	} of[] = {{OPS_add, OPS_CMP_add_over},
		  {OPS_sub, OPS_CMP_sub_over},
		  {OPS_mul, OPS_CMP_mul_over},
		  {OPS_shl, OPS_CMP_shl_over}};
	for (size_t k = 0; k < ARRAY_LEN(of) && !i->promise; k++)
		if (i->pure == ops->ints[of[k].op][WORD])
			return ops->icmp[of[k].over][WORD];
	return NULL;
}

void sim_decode_wraps(SimDecoder *d)
{
	Wraps w = {.d = d, .wanted = ARENA_ARRAY(d->scratch, bool, d->slots + 1)};
	for (uint32_t pc = 0; pc < d->code.len; pc++) {
		const SimInstr *i = &d->code.data[pc];
		int address = sim_address_of(i);
		if (address >= 0)
			want(&w, i, (unsigned)address);
	}
	walk(&w);
	for (uint32_t pc = 0; pc < d->code.len; pc++) {
		SimInstr *i = &d->code.data[pc];
		SimPure *over = i->kind == SIM_PURE && is_wanted(&w, i->slots[0]) ? wraps(d->ops, i) : NULL;
		if (!over)
			continue;
		SimPromise *kept = ARENA_NEW(d->arena, SimPromise);
		*kept = (SimPromise){.broken = {over}, .count = 1, .why = ORIGIN_WRAP};
		i->promise = kept;
	}
}
