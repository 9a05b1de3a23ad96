/* Slots of a warp: virtual ones become places in its registers, which values that live within one block take in turns. */
#include "sim/decode/decode.h"

typedef struct Life {
	uint32_t first, last, block;
	bool seen, wide; /* wide: in several blocks */
	uint8_t bytes;   /* of a lane */
} Life;

static bool ends_block(const SimInstr *i)
{
	return i->kind >= SIM_JUMP;
}

/* Blocks here are stretches without control: what an edge copies is one of its own. */
static Life *find_lives(SimDecoder *d)
{
	Life *lives = ARENA_ARRAY(d->scratch, Life, d->slots + 1);
	uint8_t *starts = ARENA_ARRAY(d->scratch, uint8_t, d->code.len + 2);
	for (uint32_t pc = 0; pc < d->code.len; pc++) {
		const SimInstr *i = &d->code.data[pc];
		if (!ends_block(i))
			continue;
		starts[pc + 1] = 1;
		if (i->kind != SIM_RETURN)
			starts[i->to[0]] = 1;
		if (i->kind == SIM_BRANCH)
			starts[i->to[1]] = 1;
	}
	for (uint32_t pc = 0, block = 0; pc < d->code.len; pc++) {
		const SimInstr *i = &d->code.data[pc];
		block += starts[pc];
		for (unsigned k = 0; k < (unsigned)i->results + i->operands; k++) {
			if (i->slots[k] & SIM_CONSTANT)
				continue;
			Life *l = &lives[i->slots[k]];
			/* What is read before it is written comes from elsewhere. */
			l->wide |= l->seen ? l->block != block : k >= i->results;
			if (!l->seen)
				*l = (Life){pc, pc, block, true, l->wide, i->kind == SIM_PURE ? i->size : i->lane_bytes};
			l->wide |= !l->bytes;
			l->last = pc;
		}
	}
	return lives;
}

uint32_t sim_place_slots(SimDecoder *d, uint32_t fixed)
{
	Life *lives = find_lives(d);
	uint32_t *place = ARENA_ARRAY(d->scratch, uint32_t, d->slots + 1), next = fixed;
	VEC(uint32_t) free[4] = {{0}}; /* by log2 of a lane's bytes */
	for (uint32_t s = 0; s < d->slots; s++)
		if (lives[s].wide)
			place[s] = next++;
	for (uint32_t pc = 0; pc < d->code.len; pc++) {
		SimInstr *i = &d->code.data[pc];
		unsigned n = (unsigned)i->results + i->operands;
		for (unsigned k = 0; k < n; k++) {
			uint32_t s = i->slots[k];
			if (s & SIM_CONSTANT || lives[s].wide || lives[s].first != pc || place[s])
				continue;
			unsigned size = base_log2(lives[s].bytes);
			place[s] = free[size].len ? free[size].data[--free[size].len] : next++;
		}
		for (unsigned k = 0; k < n; k++) {
			uint32_t s = i->slots[k];
			if (s & SIM_CONSTANT) {
				i->slots[k] = s & ~SIM_CONSTANT;
				continue;
			}
			i->slots[k] = place[s];
			if (!lives[s].wide && lives[s].last == pc) {
				vec_push(d->scratch, &free[base_log2(lives[s].bytes)], place[s]);
				lives[s].last = UINT32_MAX; /* once, where it stands twice */
			}
		}
	}
	return next;
}
