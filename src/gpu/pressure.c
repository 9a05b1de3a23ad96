/* Estimates of registers. */
#include "gpu/pressure.h"

unsigned gpu_words(GpuCx *cx, IrType type)
{
	unsigned bits = MAX(ir_elem(type)->bits, 8u);
	if (!ir_is_tensor(type))
		return bits > 32 ? 2 : 1;
	const Layout *l = layout_strip_registers(&cx->layouts, gpu_layout(cx, type));
	uint64_t elements = (uint64_t)layout_space_reps(&l->in) << layout_in_bits(l, LAYOUT_REGISTER);
	return (unsigned)((elements * bits + 31) / 32);
}

/* Is it what a program computes with, and not where it finds it? */
static bool is_data(const IrValue *v)
{
	IrType elem = ir_elem(v->type);
	bool cheap = v->def && (ir_has_trait(v->def, TRAIT_CONST) || v->def->kind == OP_SPLAT || v->def->kind == OP_BROADCAST);
	return ir_is_tensor(v->type) && !cheap && (ir_is_float(elem) || (v->def && v->def->kind == OP_LOAD));
}

/* What loads are not moved over, by us or by who comes after. */
static bool parts(const IrOp *op)
{
	return op->region_count || op->kind == OP_CONVERT_LAYOUT || op->kind == OP_GATHER || op->kind == OP_HISTOGRAM ||
	       (op->kind != OP_LOAD && ir_has_trait(op, TRAIT_WRITE | TRAIT_SYNC | TRAIT_READ | TRAIT_TERM));
}

/* The op of the block that `user` is, or is inside of; NULL: it is outside. */
static const IrOp *within(const IrOp *user, const IrBlock *block)
{
	while (user && user->block != block)
		user = ir_parent_op(user);
	return user;
}

/* Is the value, which is there before `first`, used by it or behind it? Marked ops stand behind. */
static bool needed(const IrValue *v, const IrBlock *block, const bool *behind)
{
	for (const IrUse *use = v->uses; use; use = use->next) {
		const IrOp *at = within(use->owner, block);
		if (at && behind[at->id])
			return true;
	}
	return false;
}

unsigned gpu_crowd(GpuCx *cx, const IrOp *load)
{
	const IrBlock *block = load->block;
	const IrOp *first = load;
	uint32_t most = 0;
	unsigned words = 0;
	while (first->prev && !parts(first->prev))
		first = first->prev;
	for (const IrOp *op = block->first; op; op = op->next)
		most = MAX(most, op->id + 1);
	bool *behind = ARENA_ARRAY(cx->arena, bool, most);
	for (const IrOp *op = first; op; op = op->next)
		behind[op->id] = true;
	for (const IrOp *op = first; op && !parts(op); op = op->next)
		if (op->kind == OP_LOAD && ir_is_tensor(op->results[0].type))
			words += gpu_words(cx, op->results[0].type);
	for (uint32_t i = 0; i < block->arg_count; i++)
		if (is_data(block->args[i]) && needed(block->args[i], block, behind))
			words += gpu_words(cx, block->args[i]->type);
	for (const IrOp *op = block->first; op != first; op = op->next)
		for (uint32_t i = 0; i < op->result_count; i++)
			if (is_data(&op->results[i]) && needed(&op->results[i], block, behind))
				words += gpu_words(cx, op->results[i].type);
	return words;
}
