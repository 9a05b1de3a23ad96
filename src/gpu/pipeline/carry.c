/* An op cannot get more results than it was created with, so a loop that carries more is a new op
 * around the same block. */
#include "gpu/pipeline/carry.h"

IrOp *gpu_carry(IrModule *m, Arena *scratch, IrOp *loop, const GpuCarried *more, uint32_t count)
{
	CONTRACT(loop->kind == OP_FOR && loop->region_count);
	CONTRACT(loop->region_count);
	IrBlock *body = loop->regions[0].first;
	uint32_t n = loop->operand_count + count, results = loop->result_count + count;
	IrValue **operands = ARENA_ARRAY(scratch, IrValue *, n);
	IrType *types = ARENA_ARRAY(scratch, IrType, results + 1);
	for (uint32_t i = 0; i < loop->operand_count; i++)
		operands[i] = ir_operand(loop, i);
	for (uint32_t i = 0; i < loop->result_count; i++)
		types[i] = loop->results[i].type;
	for (uint32_t i = 0; i < count; i++) {
		CONTRACT(more[i].init->type == more[i].arg->type && more[i].next->type == more[i].arg->type);
		operands[loop->operand_count + i] = more[i].init;
		types[loop->result_count + i] = more[i].arg->type;
		ir_operand_add(m, body->last, more[i].next);
	}
	IrOp *made = ir_op_new(m, OP_FOR, loop->loc, operands, n, types, results, 1);
	for (uint32_t i = 0; i < loop->attr_count; i++)
		ir_set_named(m, made, loop->attrs[i].name, loop->attrs[i].value);
	ir_op_insert_before(made, loop);
	ir_block_unlink(body);
	ir_block_append(&made->regions[0], body);
	for (uint32_t i = 0; i < loop->result_count; i++)
		ir_replace_uses(&loop->results[i], &made->results[i]);
	ir_op_erase(loop);
	return made;
}
