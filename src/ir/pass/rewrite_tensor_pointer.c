/* rewrite-tensor-pointer: lowers block pointers to plain pointers.
 *
 * Needs: functions that take block pointers are inlined or get every part as an argument. No
 * tt.make_tensor_ptr, tt.advance or value of type !tt.ptr<tensor<...>> is left. A block pointer is
 * base, shape, strides and offsets, all 64 bits wide, so offset arithmetic cannot wrap. A load or
 * store through one builds the tile of pointers, a mask for the dimensions of its boundaryCheck,
 * and, where `padding` says so, the value for masked elements. Loops carry the offsets, and the
 * other parts only if they vary. */
#include "ir/rewrite/explode.h"

#include <math.h>

/* Parts: 0 the base, then shape, strides, offsets. */

static uint32_t rank_of(IrType handle) { return handle->elem->rank; }

static uint32_t part_types(Explode *e, IrType handle, IrType *types)
{
	types[0] = ir_ptr(e->m->cx, handle->elem->elem, handle->space);
	for (uint32_t i = 1; i <= 3 * rank_of(handle); i++)
		types[i] = ir_scalar(e->m->cx, TY_I64);
	return 1 + 3 * rank_of(handle);
}

static bool makes(const IrOp *op)
{
	return op->kind == OP_MAKE_TENSOR_PTR || op->kind == OP_ADVANCE;
}

static IrValue *token(const IrOp *op, uint32_t i)
{
	uint32_t rank = rank_of(op->results[0].type);
	return op->kind == OP_MAKE_TENSOR_PTR && i <= 2 * rank ? ir_operand(op, i) : NULL;
}

static void make(Explode *e, IrOp *op, const Parts *from, Parts *parts)
{
	IrType i64 = ir_scalar(e->m->cx, TY_I64);
	uint32_t rank = rank_of(op->results[0].type);
	for (uint32_t d = 0; d < rank; d++) {
		IrValue **offset = &parts->at[1 + 2 * rank + d];
		if (op->kind == OP_MAKE_TENSOR_PTR)
			*offset = explode_as(e, ir_operand(op, 1 + 2 * rank + d), i64);
		else
			*offset = irb_2(&e->b, OP_ADDI, NULL, from->at[1 + 2 * rank + d],
					explode_as(e, ir_operand(op, 1 + d), i64));
	}
}

static TileAccess access_of(Explode *e, const IrOp *op, const Parts *p)
{
	IrType tile = ir_operand(op, 0)->type->elem;
	TileAccess t = {.tile = tile, .base = p->at[0]};
	for (uint32_t d = 0; d < tile->rank; d++) {
		t.shape[d] = p->at[1 + d];
		t.strides[d] = p->at[1 + tile->rank + d];
		t.offsets[d] = p->at[1 + 2 * tile->rank + d];
	}
	IrAttr check = ir_get(op, e->m->cx, ATTR_BOUNDARY_CHECK);
	for (uint32_t i = 0; check && check->kind == ATTR_KIND_INTS && i < check->len; i++)
		if (check->ints[i] >= 0 && check->ints[i] < tile->rank)
			t.check[check->ints[i]] = true;
	return t;
}

static IrValue *padding(Explode *e, const IrOp *op, IrType tile)
{
	int64_t pad = ir_get_int(op, e->m->cx, ATTR_PADDING, 0);
	bool is_float = ir_is_float(tile->elem);
	if (pad != PAD_ZERO && pad != PAD_NAN)
		return NULL;
	if (!is_float)
		return ir_is_int(tile->elem) ? irb_int(&e->b, tile, 0) : NULL;
	return irb_float(&e->b, tile, pad == PAD_NAN ? (double)NAN : 0.0);
}

static bool use(Explode *e, IrOp *op)
{
	if ((op->kind != OP_LOAD && op->kind != OP_STORE) || op->operand_count != (op->kind == OP_STORE ? 2 : 1))
		return false;
	TileAccess t = access_of(e, op, explode_parts(e, ir_operand(op, 0)));
	IrValue *operands[3];
	uint32_t n = 0;
	operands[n++] = tile_pointers(&e->b, &t);
	if (op->kind == OP_STORE)
		operands[n++] = ir_operand(op, 1);
	IrValue *mask = tile_mask(&e->b, &t);
	if (mask)
		operands[n++] = mask;
	IrValue *other = mask && op->kind == OP_LOAD ? padding(e, op, t.tile) : NULL;
	if (other)
		operands[n++] = other;
	IrType type = t.tile;
	IrOp *made = irb_op(&e->b, op->kind, operands, n, &type, op->result_count, 0);
	for (uint32_t i = 0; i < op->attr_count; i++)
		ir_set_named(e->m, made, op->attrs[i].name, op->attrs[i].value);
	ir_set(e->m, made, ATTR_BOUNDARY_CHECK, NULL);
	ir_set(e->m, made, ATTR_PADDING, NULL);
	if (op->result_count && op->results[0].uses)
		ir_replace_uses(&op->results[0], &made->results[0]);
	ir_op_erase(op);
	return true;
}

bool pass_rewrite_tensor_pointer(PassCx *cx, bool *changed)
{
	static const ExplodeHooks hooks = {ir_is_block_ptr, part_types, token, makes, make, use};
	return explode_run(cx, &hooks, changed);
}
