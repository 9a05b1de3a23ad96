/* Definedness: which bits of each value are not defined, and where a use of them decides
 * something.
 *
 * A slot has a mask of the lanes in which some bit is not defined, the bits of those lanes, and
 * where the first of them came from. As good as always the masks are 0, and that costs an `or`
 * an instruction; the bits are looked at where they are not. Not defined are: what a load leaves
 * whose mask is off, LLVM's undef and poison, what breaks a promise of the code (a sum that
 * overflows though it is said not to), a quotient by zero, and what is loaded from memory that
 * nothing has written. Arithmetic carries it on, bit by bit where that matters; `and`, `or` and
 * choices get rid of it where the others decide. A finding is a use that decides an address, a
 * mask, a branch or what global memory holds. */
#ifndef NESO_SIM_CHECK_DEFINE_H
#define NESO_SIM_CHECK_DEFINE_H

#include "sim/check/coverage.h"

/* Why a value is not defined. */
typedef enum SimOrigin {
	ORIGIN_CODE,
	ORIGIN_MASK,
	ORIGIN_MEMORY,
	ORIGIN_PROMISE,
	ORIGIN_DIVISION,
	ORIGIN_WRAP
} SimOrigin;
#define SIM_ORIGIN(why, instr) ((uint32_t)(why) << 28 | (instr)->site)

typedef struct SimDefined {
	uint32_t *lanes; /* by slot: not defined */
	uint32_t *origin; /* by slot, where lanes is not 0: SIM_ORIGIN */
	uint8_t *bits; /* by slot as the registers; of lanes in `lanes` alone */
	bool live; /* there may be such lanes */
	_Alignas(64) uint8_t scratch[3][SIM_SLOT];
} SimDefined;

/* What flags of an instruction promise of its operands: each gives a byte for each lane, which
 * is 1 where it is broken. */
struct SimPromise {
	SimPure *broken[3];
	uint64_t imm[3];
	unsigned count;
	SimOrigin why; /* ORIGIN_PROMISE, if it is the code's */
};

/* How bits go through a computation. */
typedef enum SimRule {
	RULE_WHOLE, /* all of the result, if any bit of an operand */
	RULE_MOVE1, /* they go where the first operand's bits go; the others must be defined */
	RULE_MOVE2, /* the first two operands' */
	RULE_SAME, /* as the first operand's */
	RULE_EITHER, /* either operand's */
	RULE_AND,
	RULE_OR,
	RULE_CARRY, /* from the lowest such bit of either operand up */
	RULE_ADDRESS, /* a base and an index */
	RULE_HALVES, /* each half of the result, if any bit of its operand: the first one's the low half */
	RULE_SELECT,
	RULE_EQUAL, /* a comparison that other bits may decide */
	RULE_LESS, /* likewise, x < y or not; */
	RULE_GREATER, /* x > y or not; */
	RULE_LESS_SIGNED,
	RULE_GREATER_SIGNED
} SimRule;

SimDefined *sim_defined_new(const SimKernel *kernel); /* NULL: no memory */
void sim_defined_free(SimDefined *defined);
void sim_defined_start(SimWarp *w);
/* A computation some of whose operands are not defined. */
void sim_define_mixed(SimWarp *w, const SimInstr *i, uint32_t mask);
void sim_define_promise(SimWarp *w, const SimInstr *i, uint32_t mask);
/* nan.c: does a NaN arise, or an infinity? */
void sim_watch_real(SimWarp *w, const SimInstr *i, uint32_t mask);
SimDefine sim_define_lanes; /* of effects without a rule of their own */

/* Of a slot with lanes of so many bytes: its bits, zeros where all are defined. */
const uint8_t *sim_undefined_bits(const SimWarp *w, uint32_t slot, unsigned bytes);
/* Whole lanes; 0 bytes: not known. */
void sim_set_undefined(SimWarp *w, uint32_t slot, unsigned bytes, uint32_t lanes, uint32_t origin);
/* All lanes of the mask anew; `bits` may be those of the slot itself. */
void sim_put_undefined(SimWarp *w, uint32_t slot, unsigned bytes, uint32_t mask, const uint8_t *bits,
		       uint32_t origin);

/* A finding, if the operand is not defined in one of the lanes: "the address". */
void sim_use(SimWarp *w, const SimInstr *i, unsigned operand, uint32_t lanes, const char *what);
void sim_use_slot(SimWarp *w, const SimInstr *i, uint32_t slot, uint32_t lanes, const char *what);
/* Where that is known already. */
void sim_use_origin(SimWarp *w, const SimInstr *i, uint32_t lanes, uint32_t origin, const char *what);
void sim_use_all(SimWarp *w, const SimInstr *i, uint32_t mask, const char *what); /* of all operands */
void sim_use_shared(SimWarp *w, const SimInstr *i, unsigned lane, uint32_t offset, uint32_t size,
		    const char *what);

/* After a computation. */
static inline void sim_define_pure(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	SimDefined *d = w->defined;
	const uint32_t *s = i->slots;
	sim_see(w, i);
	if (d->live) {
		if (UNLIKELY((d->lanes[s[1]] | d->lanes[s[2]] | d->lanes[s[3]]) & mask))
			sim_define_mixed(w, i, mask);
		else
			d->lanes[s[0]] &= ~mask;
	}
	if (i->promise)
		sim_define_promise(w, i, mask);
	if (UNLIKELY(i->real && w->cta->run->launch->watch & SIM_WATCH_NAN))
		sim_watch_real(w, i, mask);
}

/* ---- memory ---- */

/* Bits of memory that are not defined, a byte for each of its bytes, and by words of four where
 * they came from. */
typedef struct SimHollow {
	uint8_t *shared, *scratch, *local; /* NULL: all of it is; local: of all warps */
	uint32_t *origin; /* of shared memory */
	bool in_shared; /* there may be some */
} SimHollow;

SimHollow *sim_hollow_new(const SimRun *run); /* NULL: no memory */
void sim_hollow_free(SimHollow *hollow);
void sim_hollow_start(SimCta *cta);
bool sim_hollow_buffers(SimRun *run); /* bits of arrays that nothing has written; false: no memory */
void sim_hollow_buffers_free(SimRun *run);
/* May memory that is no CTA's shared one have such bits? */
bool sim_hollow_global(const SimRun *run, const SimCta *cta);

/* Bits of global memory, of a thread's own and of the scratch: NULL where all are defined. */
uint8_t *sim_hollow_at(SimWarp *w, uint64_t address, uint32_t size);
/* Bits of a CTA's shared memory; for writing it is made. NULL: all are defined, or no memory. */
uint8_t *sim_hollow_shared(SimWarp *w, uint32_t offset, bool write);
/* Bits of `size` bytes of the warp's shared memory. */
void sim_hollow_put(SimWarp *w, uint32_t offset, const uint8_t *bits, uint32_t size, uint32_t origin);

SimDefine sim_define_load, sim_define_store, sim_define_load_shared, sim_define_store_shared,
	sim_define_atomic, sim_define_copy;
SimDefine sim_define_assume;
SimDefine sim_define_nothing; /* results are defined, whatever the operands are */
SimDefine
	/* An effect that only moves bits: done once more, on the bits that are not defined. */
	sim_define_moves;

#endif
