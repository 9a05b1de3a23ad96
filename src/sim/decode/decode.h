/* What the files of the decoder share besides decoder.h. */
#ifndef NESO_SIM_DECODE_DECODE_H
#define NESO_SIM_DECODE_DECODE_H

#include "sim/decoder.h"
#include "sim/ops.h"

/* decode_constant.c: the bits of a constant of one part; all parts as slots (none: diagnosed). */
bool sim_constant_bits(SimDecoder *d, LLVMValueRef v, uint64_t *out);
SimValue sim_constant_value(SimDecoder *d, LLVMValueRef v);

/* decode_rules.c: how bits that are not defined go through each computation; what LLVM's flags
 * promise of one. */
void sim_decode_rules(SimDecoder *d);
void decode_promise(SimDecoder *d, LLVMValueRef v, uint32_t first); /* of what was emitted from `first` on */

/* decode_origins.c: arguments that addresses come from. */
void sim_decode_origins(SimDecoder *d, const uint32_t *arg_slots, uint32_t args);
/* The operand that is an address of global memory; < 0: there is none. */
int sim_address_of(const SimInstr *i);

/* decode_wraps.c: numbers of 32 bits that addresses are made of promise to fit. */
void sim_decode_wraps(SimDecoder *d);

/* decode_slots.c: numbers of slots in all instructions, constants first; how many there are. */
uint32_t sim_place_slots(SimDecoder *d, uint32_t fixed);

/* decode_control.c: a function, into d->code; `called`: its end is a jump, and what it returns goes
 * to `result`. */
bool decode_function(SimDecoder *d, LLVMValueRef fn, const SimValue *args, SimValue result, bool called);

/* decode_memory.c */
bool decode_gep(SimDecoder *d, LLVMValueRef v);
bool decode_alloca(SimDecoder *d, LLVMValueRef v);
bool decode_load(SimDecoder *d, LLVMValueRef v);
bool decode_store(SimDecoder *d, LLVMValueRef v);
bool decode_atomic(SimDecoder *d, LLVMValueRef v, bool swap);
void decode_note_address(SimDecoder *d, LLVMValueRef v); /* one that comes from no argument that is known */

/* decode_value.c; part by part, and the value is defined. */
int decode_float(LLVMTypeRef part); /* a SimFloat, or -1 */
bool decode_integers(SimDecoder *d, LLVMValueRef v, SimIntOp op, unsigned count);
bool decode_floats(SimDecoder *d, LLVMValueRef v, SimPure *const *table, unsigned count, uint64_t imm);
bool decode_select(SimDecoder *d, LLVMValueRef v);
bool decode_to_integer(SimDecoder *d, LLVMValueRef v, SimPure *const (*table)[4]);

/* decode_odd.c: integers narrower than their lane, in slots whose other bits are zeros. */
uint32_t decode_fill(SimDecoder *d, uint32_t slot, unsigned bits); /* with the sign */
uint32_t decode_cut(SimDecoder *d, uint32_t slot, unsigned bits);
uint32_t decode_odd(SimDecoder *d, SimIntOp op, unsigned bits, const uint32_t in[3]);
/* As LLVM's NAME.with.overflow: the result, and a byte. */
void decode_odd_overflow(SimDecoder *d, SimIntCompare overflows, unsigned bits, uint32_t a, uint32_t b, uint32_t out[2]);

/* decode_wide.c: integers of 128 bits. */
bool decode_is_wide(LLVMTypeRef type);
bool decode_wide(SimDecoder *d, LLVMValueRef v);       /* of 128 bits */
bool decode_wide_trunc(SimDecoder *d, LLVMValueRef v); /* from 128 bits */
bool decode_wide_compare(SimDecoder *d, LLVMValueRef v);

/* nvvm.c: "llvm.nvvm." and this name. */
bool nvvm_decode(SimDecoder *d, LLVMValueRef call, const char *name);

/* A lane that holds so many bits. */
static inline unsigned bytes_of_bits(unsigned bits)
{
	return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

/* Of tables by size. */
static inline unsigned index_of(unsigned bytes)
{
	return base_log2(bytes);
}

/* Is an integer narrower than its lane? */
static inline bool is_odd(LLVMTypeRef part)
{
	return sim_bits(part) != 8 * sim_bytes(part);
}

static inline uint32_t filled(SimDecoder *d, uint32_t slot, LLVMTypeRef part)
{
	return is_odd(part) ? decode_fill(d, slot, sim_bits(part)) : slot;
}

static inline SimValue operand(SimDecoder *d, LLVMValueRef v, unsigned n)
{
	return sim_value(d, LLVMGetOperand(v, n));
}

static inline bool constant_index(LLVMValueRef v, uint64_t *out)
{
	if (!LLVMIsAConstantInt(v))
		return false;
	*out = LLVMConstIntGetZExtValue(v);
	return true;
}

#endif
