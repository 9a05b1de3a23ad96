/* Is what is stored made of what was loaded from the same place? Two threads that do so at once
 * lose an update, though they may store the same.
 *
 * Walks the operands of the value, up to a number of them, through computations and choices; a
 * place is the same where the address is the same value. What is not found can hide a lost update,
 * never make one up. */
#include "sim/decode/decode.h"

enum { MOST = 64 };

typedef struct Walk {
	LLVMValueRef address, seen[MOST];
	unsigned count;
} Walk;

static bool is_global_load(LLVMValueRef v)
{
	size_t len;
	if (!LLVMIsACallInst(v) || !LLVMIsAFunction(LLVMGetCalledValue(v)))
		return false;
	return strncmp(LLVMGetValueName2(LLVMGetCalledValue(v), &len), "neso.ld_global", 14) == 0;
}

static void add_operands(Walk *walk, LLVMValueRef v)
{
	for (int k = 0; k < LLVMGetNumOperands(v); k++) {
		LLVMValueRef operand = LLVMGetOperand(v, (unsigned)k);
		bool known = !LLVMIsAInstruction(operand) || walk->count == MOST;
		for (unsigned n = 0; n < walk->count && !known; n++)
			known = walk->seen[n] == operand;
		if (!known)
			walk->seen[walk->count++] = operand;
	}
}

bool sim_updates(LLVMValueRef value, LLVMValueRef address)
{
	Walk walk = {.address = address, .seen = {value}, .count = LLVMIsAInstruction(value) != NULL};
	for (unsigned n = 0; n < walk.count; n++) {
		LLVMValueRef v = walk.seen[n];
		bool loads = LLVMIsALoadInst(v) || is_global_load(v);
		if (loads && LLVMGetOperand(v, 0) == address)
			return true;
		if (!loads && !LLVMIsACallInst(v) && !LLVMIsAPHINode(v))
			add_operands(&walk, v);
	}
	return false;
}
