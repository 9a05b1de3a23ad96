/* tt.reshape, tt.trans, tt.cat, tt.join, tt.split: what a thread holds of the result is what it holds of the
 * operands, so nothing moves; registers that are copies in one of the layouts are found in the other
 * (lower_convert's renames). And tt.map_elementwise, whose body takes several neighbours at a time. */
#include "gpu/reduce/combine_ops.h"
#include "llvm/lower.h"

/* Operand 0 under the result's names: as the op makes it of its layout, or the other way round where that has no name
 * (sizes that are no powers of two). */
static bool rename_tile(Lower *lw, IrOp *op)
{
	const IrValue *result = ir_result(op, 0), *operand = ir_operand(op, 0);
	const Layout *from = gpu_layout(lw->gpu, operand->type), *to = gpu_layout(lw->gpu, result->type);
	const Layout *made = gpu_infer_result(lw->gpu, op, 0, 0, from);
	if (!made) {
		made = from;
		to = gpu_infer_operand(lw->gpu, op, 0, to);
	}
	ASSERT(to);
	LLVMValueRef *regs = lower_convert(lw, made, to, lower_get(lw, operand).regs, operand->type->elem, 0);
	lower_set(lw, result, regs, lower_count(lw, result->type));
	return true;
}

bool lower_RESHAPE(Lower *lw, IrOp *op)
{
	/* Elements may change places: each thread keeps what it has. */
	const IrValue *result = ir_result(op, 0), *operand = ir_operand(op, 0);
	const Layout *from = gpu_layout(lw->gpu, operand->type), *to = gpu_layout(lw->gpu, result->type);
	if (gpu_is_reordering(lw->gpu, op, from, to)) {
		LowerValue v = lower_get(lw, operand);
		lower_set(lw, result, v.regs, v.count);
		return true;
	}
	return rename_tile(lw, op);
}

bool lower_TRANS(Lower *lw, IrOp *op) { return rename_tile(lw, op); }

/* Both operands' registers as those of one tile: the new bit is the lowest, or the highest. */
static bool put_together(Lower *lw, IrOp *op, const Layout *made, bool lowest)
{
	const IrValue *result = ir_result(op, 0);
	LowerValue a = lower_get(lw, ir_operand(op, 0)), b = lower_get(lw, ir_operand(op, 1));
	LLVMValueRef *regs = lower_array(lw, 2 * a.count);
	ASSERT(made && a.count == b.count);
	for (uint32_t r = 0; r < a.count; r++) {
		regs[lowest ? 2 * r : r] = a.regs[r];
		regs[lowest ? 2 * r + 1 : a.count + r] = b.regs[r];
	}
	regs = lower_convert(lw, made, gpu_layout(lw->gpu, result->type), regs, result->type->elem, 0);
	lower_set(lw, result, regs, lower_count(lw, result->type));
	return true;
}

bool lower_JOIN(Lower *lw, IrOp *op)
{
	const Layout *from = gpu_layout(lw->gpu, ir_operand(op, 0)->type);
	return put_together(lw, op, layout_join(&lw->gpu->layouts, from), true);
}

bool lower_CAT(Lower *lw, IrOp *op)
{
	const Layout *from = gpu_layout(lw->gpu, ir_operand(op, 0)->type);
	return put_together(lw, op, layout_concat(&lw->gpu->layouts, from, 0), false);
}

bool lower_SPLIT(Lower *lw, IrOp *op)
{
	const IrValue *operand = ir_operand(op, 0);
	const Layout *half = gpu_layout(lw->gpu, ir_result(op, 0)->type);
	const Layout *whole = layout_join(&lw->gpu->layouts, half);
	LLVMValueRef *regs = lower_convert(lw, gpu_layout(lw->gpu, operand->type), whole, lower_get(lw, operand).regs,
					   operand->type->elem, 0);
	for (uint32_t k = 0; k < 2; k++) {
		uint32_t count = lower_count(lw, ir_result(op, k)->type);
		LLVMValueRef *out = lower_array(lw, count);
		for (uint32_t r = 0; r < count; r++)
			out[r] = regs[2 * r + k];
		lower_set(lw, ir_result(op, k), out, count);
	}
	return true;
}

/* ---- tt.map_elementwise ---- */

/* One call of the body: `pack` registers of each tile, bits[] telling neighbours apart. */
static bool map_group(Lower *lw, IrOp *op, uint32_t first, const uint32_t *bits, uint32_t pack, LLVMValueRef **in,
		      LLVMValueRef **out)
{
	LLVMValueRef *args = lower_array(lw, op->operand_count * pack);
	LLVMValueRef *made = lower_array(lw, op->result_count * pack);
	uint32_t at[32];
	for (uint32_t e = 0; e < pack; e++) {
		at[e] = first;
		for (uint32_t i = 0; (1u << i) < pack; i++)
			at[e] ^= e >> i & 1 ? bits[i] : 0;
	}
	for (uint32_t k = 0; k < op->operand_count; k++) {
		for (uint32_t e = 0; e < pack; e++)
			args[k * pack + e] = in[k][at[e]];
	}
	if (!lower_inline_region(lw, &op->regions[0], args, op->operand_count * pack, made))
		return false;
	for (uint32_t k = 0; k < op->result_count; k++) {
		for (uint32_t e = 0; e < pack; e++)
			out[k][at[e]] = made[k * pack + e];
	}
	return true;
}

bool lower_MAP_ELEMENTWISE(Lower *lw, IrOp *op)
{
	GpuMapPlan plan = gpu_map_plan(lw->gpu, op);
	const Layout *own = gpu_layout(lw->gpu, ir_operand(op, 0)->type);
	uint64_t scratch = gpu_shared_offset(lw->gpu, op);
	uint32_t count = layout_space_reps(&plan.layout->in) << layout_in_bits(plan.layout, LAYOUT_REGISTER), group = 0;
	LLVMValueRef **in = ARENA_ARRAY(lw->arena, LLVMValueRef *, op->operand_count);
	LLVMValueRef **out = ARENA_ARRAY(lw->arena, LLVMValueRef *, op->result_count);
	for (uint32_t k = 0; k < op->operand_count; k++) {
		const IrValue *v = ir_operand(op, k);
		in[k] = lower_convert(lw, own, plan.layout, lower_get(lw, v).regs, v->type->elem,
				      scratch + plan.offset[k]);
	}
	for (uint32_t k = 0; k < op->result_count; k++)
		out[k] = lower_array(lw, count);
	for (uint32_t i = 0; (1u << i) < plan.pack; i++)
		group |= plan.bits[i];
	for (uint32_t r = 0; r < count; r++) {
		if (!(r & group) && !map_group(lw, op, r, plan.bits, plan.pack, in, out))
			return false;
	}
	for (uint32_t k = 0; k < op->result_count; k++) {
		const IrValue *v = ir_result(op, k);
		LLVMValueRef *regs = lower_convert(lw, plan.layout, own, out[k], v->type->elem,
						   scratch + plan.offset[op->operand_count + k]);
		lower_set(lw, v, regs, lower_count(lw, v->type));
	}
	return true;
}

bool lower_MAP_RETURN(Lower *lw, IrOp *op)
{
	(void)lw;
	(void)op;
	return true; /* lower_inline_region reads its operands */
}
