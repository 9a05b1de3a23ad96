/* A loop that is there twice (two_loops.h). */
#include "gpu/pass/two_loops.h"

/* Those of the loop's results that somebody takes: others would tie the layouts of both loops. */
static void yield(IrModule *m, IrRegion *region, IrOp *loop, const uint32_t *taken, uint32_t count)
{
	IrBlock *block = ir_block_new(m, region);
	ir_op_append(block, loop);
	IrBuilder b = ir_at_end(m, block, loop->loc);
	IrOp *end = irb_op(&b, OP_YIELD, NULL, 0, NULL, 0, 0);
	for (uint32_t i = 0; i < count; i++)
		ir_operand_add(m, end, &loop->results[taken[i]]);
}

IrOp *gpu_two_loops(PassCx *cx, IrOp *loop, IrValue *when)
{
	IrModule *m = cx->module;
	IrMapping map;
	ir_mapping_init(&map, cx->scratch);
	IrOp *copy = ir_clone(m, loop, &map, NULL, NULL);
	IrType *types = ARENA_ARRAY(cx->scratch, IrType, loop->result_count + 1);
	uint32_t *taken = ARENA_ARRAY(cx->scratch, uint32_t, loop->result_count + 1), count = 0;
	for (uint32_t i = 0; i < loop->result_count; i++) {
		if (!loop->results[i].uses)
			continue;
		types[count] = loop->results[i].type;
		taken[count++] = i;
	}
	IrBuilder b = ir_at(m, loop);
	IrOp *choice = irb_op(&b, OP_IF, &when, 1, types, count, 2);
	for (uint32_t i = 0; i < count; i++)
		ir_replace_uses(&loop->results[taken[i]], &choice->results[i]);
	ir_op_unlink(loop);
	yield(m, &choice->regions[0], copy, taken, count);
	yield(m, &choice->regions[1], loop, taken, count);
	return copy;
}

void gpu_one_loop(IrOp *loop)
{
	IrOp *choice = ir_parent_op(loop);
	CONTRACT(choice->kind == OP_IF);
	const IrOp *end = loop->block->last;
	for (uint32_t i = 0; i < end->operand_count; i++)
		ir_replace_uses(&choice->results[i], ir_operand(end, i));
	ir_op_erase(loop->block->last);
	ir_op_unlink(loop);
	ir_op_insert_before(loop, choice);
	ir_op_erase(choice);
}
