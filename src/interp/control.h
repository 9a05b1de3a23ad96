/* Control flow of decoded programs: jumps, loops, calls. */
#ifndef NESO_INTERP_CONTROL_H
#define NESO_INTERP_CONTROL_H

#include "interp/exec.h"

InstrFn control_body_end, control_call;

Instr *decode_emit(Decoder *d, const IrOp *op, InstrFn *fn, const uint32_t *slots, uint32_t in, uint32_t out);
void decode_release(Decoder *d, const IrOp *op);
void decode_kill_operands(Decoder *d, Instr *i, const IrOp *op);
bool decode_block(Decoder *d, const IrBlock *block);
CallFrame *decode_frame(Decoder *d, const IrOp *func);

/* While decoding, a jump's target is the index of an instruction (plus one); the list still moves. */
static inline const Instr *decode_target(uint32_t index)
{
	return (const Instr *)((uintptr_t)index + 1);
}
static inline size_t decode_target_index(const Instr *target)
{
	return (size_t)(uintptr_t)target - 1;
}

#endif
