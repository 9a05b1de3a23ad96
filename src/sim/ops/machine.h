/* What machine operations (target/nvidia/machine.def) do: one sim_machine_NAME for each row, so that one without it fails at link. */
#ifndef NESO_SIM_OPS_MACHINE_H
#define NESO_SIM_OPS_MACHINE_H

#include "sim/check/define.h"
#include "sim/decoder.h"
#include "sim/ops.h"

/* Emits the call. `suffix` of a family, or NULL. */
typedef bool SimDecodeCall(SimDecoder *d, LLVMValueRef call, const char *suffix);

/* One of the first three. */
typedef struct SimMachine {
	SimPure *pure;
	SimEffect *effect;
	SimDecodeCall *decode;
	uint64_t imm;
	SimDefine *define; /* of an effect; NULL: sim_define_lanes */
	uint8_t condition; /* as in SimInstr */
	bool hands_on; /* likewise */
	const SimPromise *promise; /* of a pure one */
} SimMachine;

#define MACHINE(name, result, args, effects, nvptx, doc) extern const SimMachine sim_machine_##name;
#define FAMILY(name, effects, expand, doc) extern const SimMachine sim_machine_##name;
#include "target/nvidia/machine.def"
#undef MACHINE
#undef FAMILY

/* An effect with all parts of the call's results and operands as slots; the call is defined. NULL after diagnosing. */
SimInstr *machine_effect(SimDecoder *d, LLVMValueRef call, SimEffect *effect, uint64_t imm);

/* Lanes of an operation that needs all of the warp: false where some are missing, for which it waits, or that will not come. */
bool machine_whole(SimWarp *w, const SimInstr *i, uint32_t mask, const char *what);

/* Inline assembly: instructions on registers, without branches (asm.c). */
bool sim_decode_asm(SimDecoder *d, LLVMValueRef call, const char *text, size_t len);

/* One of alu.c's, by name: lanes of 4 or 8 bytes. False: there is none of that name. */
bool alu_emit(SimDecoder *d, const char *name, uint32_t result, unsigned result_bytes, const uint32_t *operands, const unsigned *bytes,
	      unsigned count);

/* The shape of a product's fragments (mma.c). */
SimMma mma_shape_of(const TargetProduct *p);

SimDecodeCall print_decode, assert_decode; /* print.c: vprintf, __assertfail */

#endif
