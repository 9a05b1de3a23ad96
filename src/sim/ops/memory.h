/* Memory, for operations that touch it. */
#ifndef NESO_SIM_OPS_MEMORY_H
#define NESO_SIM_OPS_MEMORY_H

#include "sim/sim_int.h"

typedef enum { MEMORY_EXCH, MEMORY_AND, MEMORY_OR, MEMORY_XOR, MEMORY_ADD, MEMORY_SUB, MEMORY_MIN, MEMORY_MAX, MEMORY_CAS } MemoryOp;
/* Floats in the order of SimFloat. F32_KEPT: its subnormal numbers stay in sums, as copies (TMA)
 * add. */
typedef enum {
	MEMORY_UNSIGNED,
	MEMORY_SIGNED,
	MEMORY_F16,
	MEMORY_BF16,
	MEMORY_F32,
	MEMORY_F64,
	MEMORY_F32_KEPT,
} MemoryType;

/* The old bits; atomic among host threads. `expected` of CAS. */
uint64_t memory_atomic(void *at, MemoryOp op, MemoryType type, unsigned bits, uint64_t v, uint64_t expected);

/* Where the CTA is careful: a load, an atomic operation before it is done, and after it has written. */
void memory_note_read(SimWarp *w, const SimInstr *i, unsigned lane, const void *at, uint32_t size);
void memory_note_atomic(SimWarp *w, const SimInstr *i, unsigned lane, const void *at, uint32_t size, SimOrder order);
/* An addition that is done, of a run that compares orders: `old` was there. */
void memory_note_sum(SimWarp *w, const void *at, MemoryType type, uint64_t old, uint64_t v);
void memory_note_written(SimWarp *w, const void *at, SimOrder order, bool changed);

/* i->parts of i->bytes each: a lane's results from memory; a lane's operands from the first one on to memory. In slots a
 * part takes i->size: bytes may be words of 16 bits there. */
void memory_to_slots(SimWarp *w, const SimInstr *i, unsigned lane, const uint8_t *from);
/* The latter to global memory, of `size` bytes. */
void memory_put(SimWarp *w, const SimInstr *i, unsigned first, unsigned lane, uint8_t *to, uint32_t size);
void memory_from_slots(SimWarp *w, const SimInstr *i, unsigned first, unsigned lane, uint8_t *to);

#endif
