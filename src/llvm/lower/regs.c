/* Lists of registers: what blocks, calls and functions take and give. */
#include "llvm/lower/regs.h"

Regs regs_of_types(Lower *lw, const IrValue *values, uint32_t count)
{
	uint32_t total = 0;
	for (uint32_t i = 0; i < count; i++)
		total += lower_count(lw, values[i].type);
	Regs r = {lower_array(lw, total), ARENA_ARRAY(lw->arena, LLVMTypeRef, total + 1), total};
	for (uint32_t i = 0, at = 0; i < count; i++)
		for (uint32_t k = 0, n = lower_count(lw, values[i].type); k < n; k++)
			r.types[at++] = lower_type(lw, values[i].type);
	return r;
}

Regs regs_of_operands(Lower *lw, const IrOp *op, uint32_t first)
{
	uint32_t total = 0;
	for (uint32_t i = first; i < op->operand_count; i++)
		total += lower_get(lw, ir_operand(op, i)).count;
	Regs r = {lower_array(lw, total), ARENA_ARRAY(lw->arena, LLVMTypeRef, total + 1), 0};
	for (uint32_t i = first; i < op->operand_count; i++) {
		LowerValue v = lower_get(lw, ir_operand(op, i));
		for (uint32_t k = 0; k < v.count; k++) {
			r.types[r.count] = LLVMTypeOf(v.regs[k]);
			r.data[r.count++] = v.regs[k];
		}
	}
	return r;
}

static uint32_t give_value(Lower *lw, const IrValue *value, const Regs *r, uint32_t at)
{
	uint32_t count = lower_count(lw, value->type);
	ASSERT(at + count <= r->count);
	lower_set(lw, value, r->data + at, count);
	return at + count;
}

void regs_give_results(Lower *lw, const IrOp *op, const Regs *r)
{
	CONTRACT(r->count >= op->result_count);
	for (uint32_t i = 0, at = 0; i < op->result_count; i++)
		at = give_value(lw, ir_result(op, i), r, at);
}

void regs_give_args(Lower *lw, const IrBlock *block, uint32_t first, const Regs *r)
{
	for (uint32_t i = first, at = 0; i < block->arg_count; i++)
		at = give_value(lw, block->args[i], r, at);
}

Regs regs_phis(Lower *lw, const Regs *like)
{
	Regs r = {lower_array(lw, like->count), like->types, like->count};
	for (uint32_t i = 0; i < like->count; i++)
		r.data[i] = LLVMBuildPhi(lw->b, like->types[i], "");
	return r;
}

void regs_incoming(const Regs *phis, const Regs *values, LLVMBasicBlockRef from)
{
	ASSERT(phis->count == values->count);
	for (uint32_t i = 0; i < phis->count; i++)
		LLVMAddIncoming(phis->data[i], &values->data[i], &from, 1);
}
