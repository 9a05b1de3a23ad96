/* Pointers and masks of a tile: base + sum over dimensions of index * stride, and 0 <= index < shape. */
#include "ir/rewrite/explode.h"

/* A tile of rank 1 along dimension d, as a tile of full rank. */
static IrValue *along(IrBuilder *b, IrValue *v, uint32_t d, uint32_t rank)
{
	IrCx *cx = b->m->cx;
	int64_t length = v->type->shape[0], shape[IR_MAX_RANK];
	for (uint32_t axis = 0, have = 1; axis < rank; axis++) {
		if (axis == d)
			continue;
		have++;
		uint32_t at = axis < d ? have - 1 : d; /* where the long dimension is now */
		for (uint32_t i = 0; i < have; i++)
			shape[i] = i == at ? length : 1;
		v = irb_1(b, OP_EXPAND_DIMS, ir_tensor(cx, v->type->elem, shape, have, NULL), v);
		ir_set(b->m, v->def, ATTR_AXIS, ir_attr_i32(cx, axis));
	}
	return v;
}

/* The indices in dimension d: full rank, size 1 elsewhere. */
static IrValue *indices(IrBuilder *b, const TileAccess *t, uint32_t d)
{
	IrCx *cx = b->m->cx;
	IrValue *offset = t->offsets[d];
	if (!ir_is_tensor(offset->type)) {
		int64_t length = t->tile->shape[d];
		IrType wide = ir_tensor(cx, ir_scalar(cx, TY_I64), &length, 1, NULL);
		offset = irb_splat(b, offset, wide);
		if (length > 1) {
			IrType narrow = ir_tensor(cx, ir_scalar(cx, TY_I32), &length, 1, NULL);
			IrValue *range = irb_0(b, OP_MAKE_RANGE, narrow);
			ir_set(b->m, range->def, ATTR_START, ir_attr_i32(cx, 0));
			ir_set(b->m, range->def, ATTR_END, ir_attr_i32(cx, length));
			offset = irb_2(b, OP_ADDI, NULL, offset, irb_1(b, OP_EXTSI, wide, range));
		}
	}
	return along(b, offset, d, t->tile->rank);
}

static IrValue *to_shape(IrBuilder *b, const TileAccess *t, IrValue *v)
{
	IrType type = ir_with_elem(b->m->cx, t->tile, v->type->elem);
	return v->type == type ? v : irb_1(b, OP_BROADCAST, type, v);
}

IrValue *tile_pointers(IrBuilder *b, const TileAccess *t)
{
	IrValue *pointers = irb_splat(b, t->base, t->tile);
	for (uint32_t d = 0; d < t->tile->rank; d++) {
		IrValue *at = indices(b, t, d);
		IrValue *step = irb_2(b, OP_MULI, NULL, at, irb_splat(b, t->strides[d], at->type));
		pointers = irb_2(b, OP_ADDPTR, NULL, pointers, to_shape(b, t, step));
	}
	return pointers;
}

IrValue *tile_mask(IrBuilder *b, const TileAccess *t)
{
	IrValue *mask = NULL;
	for (uint32_t d = 0; d < t->tile->rank; d++) {
		if (!t->check[d])
			continue;
		IrValue *at = indices(b, t, d);
		IrValue *low = irb_cmpi(b, CMPI_SGE, at, irb_int(b, at->type, 0));
		IrValue *high = irb_cmpi(b, CMPI_SLT, at, irb_splat(b, t->shape[d], at->type));
		IrValue *inside = to_shape(b, t, irb_2(b, OP_ANDI, NULL, low, high));
		mask = mask ? irb_2(b, OP_ANDI, NULL, mask, inside) : inside;
	}
	return mask;
}
