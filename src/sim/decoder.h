/* What decoding shares with the instructions that it makes: values as slots, and the instructions
 * so far. */
#ifndef NESO_SIM_DECODER_H
#define NESO_SIM_DECODER_H

#include "sim/ops.h"

typedef struct SimValue {
	uint32_t *slots;
	uint32_t count;
} SimValue;

typedef struct SimDecoder {
	Arena *arena, *scratch; /* of the kernel; of decoding */
	const SimOps *ops;
	DiagList *diags;
	LLVMModuleRef mod;
	const char *kernel_name;
	bool failed;
	VEC(SimInstr) code;
	VEC(uint64_t) constants;
	VEC(uint8_t) constant_bytes;
	VEC(uint8_t) constant_undefined;
	VEC(SimLoc) locs;
	VEC(SimRange) texts;
	uint32_t slots;  /* virtual ones so far; constants have the high bit */
	Map loc_of;      /* metadata -> SimLoc */
	Map tiles;       /* metadata -> SimElements */
	LayoutContext layouts;
	Map data_of;     /* global -> address */
	Map constant_of; /* value, bytes -> slot */
	VEC(uint32_t) addresses; /* that are loaded, or made of numbers */
	uint32_t undefined[4]; /* slots of what is not defined, by log2 of a lane's bytes; 0: none yet */
	Map values;      /* LLVMValueRef -> SimValue, of the function being decoded */
	uint32_t loc;
	LLVMValueRef at; /* instruction being decoded */
	uint32_t local, depth;
	bool ordered;
	bool invariant; /* there is a load of what nobody writes */
} SimDecoder;

#define SIM_CONSTANT 0x80000000u
#define SIM_ANYWHERE (UINT64_C(1) << 63)

/* A type as slots: how many, and the bytes of each. */
typedef struct SimShape {
	uint32_t count;
	LLVMTypeRef part[128];
} SimShape;

bool sim_shape(SimDecoder *d, LLVMTypeRef type, SimShape *out);
unsigned sim_bits(LLVMTypeRef part);  /* of an integer, float or pointer; 0: none that is known */
unsigned sim_bytes(LLVMTypeRef part); /* of a lane */
bool sim_refuse(SimDecoder *d, const char *format, ...) PRINTF_LIKE(2, 3);
SimValue sim_value(SimDecoder *d, LLVMValueRef v);
SimValue sim_new(SimDecoder *d, uint32_t count);
void sim_define(SimDecoder *d, LLVMValueRef v, SimValue value);
uint32_t sim_constant(SimDecoder *d, uint64_t bits, unsigned bytes);
uint32_t sim_undefined(SimDecoder *d, unsigned bytes); /* 0, which checks take for anything */
SimInstr *sim_emit(SimDecoder *d, SimKind kind, unsigned results, unsigned operands);
void sim_pure(SimDecoder *d, SimPure *fn, unsigned size, uint32_t result, uint32_t a, uint32_t b, uint32_t c,
	      uint64_t imm);
#define SIM_NONE UINT32_MAX

/* decode_updates.c: is the value made of what was loaded from the address? */
bool sim_updates(LLVMValueRef value, LLVMValueRef address);

/* Of one part; NULL where there is none. */
const SimElements *sim_take_elements(SimDecoder *d,
				     LLVMValueRef node); /* tile.c: what the metadata says, or NULL */
bool sim_decode_value(SimDecoder *d, LLVMValueRef v);              /* decode_value.c: without control flow */
bool sim_decode_intrinsic(SimDecoder *d, LLVMValueRef v, const char *name); /* llvm.* */
bool sim_decode_machine(SimDecoder *d, LLVMValueRef v,
			const char *name); /* neso.*, and functions of the driver */

#endif
