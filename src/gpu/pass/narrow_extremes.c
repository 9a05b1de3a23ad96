/* narrow-extremes: the greatest or smallest of a tile that was widened is taken of what it was before, and widened.
 *
 *	max(f32(x))  is  f32(max(x))        of x in fp16 or bf16; max(|f32(x)|) likewise
 *
 * Needs: TTIR. Keeps: values, but which NaN it is. Order and equality are the same in both formats, and every number of the
 * narrow one is one of the wide one. So two numbers are compared at once (lower/pairs.c), and until the extreme is
 * known half of the registers hold the tile. */
#include "gpu/choose/choose.h"
#include "gpu/gpu.h"
#include "gpu/reduce/combine_ops.h"

typedef struct Narrow {
	PassCx *cx;
	VEC(IrOp *) list;
} Narrow;

static bool is_extreme(const IrOp *reduce)
{
	switch (gpu_region_op(&reduce->regions[0])) {
	case OP_MAXNUMF:
	case OP_MINNUMF:
	case OP_MAXIMUMF:
	case OP_MINIMUMF: return true;
	default: return false;
	}
}

/* Where magnitudes are taken of the tile, the op that takes them, and nothing else needs them. */
static IrOp *magnitudes(const IrValue *tile)
{
	IrOp *op = tile->def;
	return op && op->kind == OP_ABSF && ir_has_one_use(tile) ? op : NULL;
}

/* The tile before it was widened from 16 bits; NULL: it was not. */
static IrValue *before(const IrValue *tile)
{
	const IrOp *op = tile->def;
	IrValue *from = op && op->kind == OP_EXTF ? ir_operand(op, 0) : NULL;
	IrTypeKind kind = from ? ir_elem(from->type)->kind : TY_F32;
	return (kind == TY_F16 || kind == TY_BF16) && ir_elem(tile->type)->kind == TY_F32 ? from : NULL;
}

static bool visit(void *data, IrOp *op)
{
	Narrow *n = data;
	if (op->kind == OP_REDUCE && op->operand_count == 1 && is_extreme(op) && !gpu_is_loop_sum(op)) {
		const IrValue *tile = ir_operand(op, 0);
		const IrOp *abs = magnitudes(tile);
		if (before(abs ? ir_operand(abs, 0) : tile))
			vec_push(n->cx->scratch, &n->list, op);
	}
	return true;
}

static void narrow(Narrow *n, IrOp *op)
{
	IrModule *m = n->cx->module;
	IrCx *ir = gpu_of(n->cx)->ir;
	IrOp *abs = magnitudes(ir_operand(op, 0));
	IrValue *from = before(abs ? ir_operand(abs, 0) : ir_operand(op, 0)), *result = &op->results[0];
	IrType elem = ir_elem(from->type), wide = result->type;
	if (abs) {
		IrBuilder b = ir_at(m, op);
		b.loc = abs->loc;
		from = irb_1(&b, OP_ABSF, from->type, from);
	}
	ir_operand_set(op, 0, from);
	if (abs)
		ir_op_erase(abs);
	IrBlock *body = op->regions[0].first;
	for (uint32_t i = 0; i < body->arg_count; i++)
		body->args[i]->type = elem;
	body->first->results[0].type = elem;
	result->type = ir_is_tensor(wide) ? ir_with_elem(ir, wide, elem) : elem;
	IrBuilder b = ir_at(m, op->next);
	b.loc = op->loc;
	IrValue *widened = irb_1(&b, OP_EXTF, wide, result);
	ir_replace_uses(result, widened);
	ir_operand_set(widened->def, 0, result);
}

bool pass_narrow_extremes(PassCx *cx, bool *changed)
{
	Narrow n = {.cx = cx};
	if (!target_has(gpu_of(cx)->target, TARGET_BF16))
		return true;
	ir_walk(cx->module->op, true, visit, &n);
	for (uint32_t i = 0; i < n.list.len; i++)
		narrow(&n, n.list.data[i]);
	*changed |= n.list.len > 0;
	return true;
}
