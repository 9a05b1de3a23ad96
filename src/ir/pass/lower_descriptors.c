/* lower-descriptors: lowers tensor descriptors to plain pointers, for targets without them.
 *
 * Needs, keeps: as rewrite-tensor-pointer. No value of type !tt.tensordesc is left; a function's
 * argument of such a type becomes pointer, shape (i64), strides (i64) and whether elements out of
 * bounds read as NaN (i1). Every access is masked to the shape in all dimensions; masked elements
 * read as zero, or as NaN for floats if the descriptor says so. Reductions become atomics. */
#include "ir/rewrite/explode.h"

#include <math.h>

/* Parts: 0 the base, then shape, strides, and last the padding flag. */

/* One with an encoding is a tensor map, and stays (gpu/layout/boxes.h). */
static bool is_descriptor(IrType type) { return type->kind == TY_TENSORDESC && !type->elem->encoding; }
static uint32_t rank_of(IrType handle) { return handle->elem->rank; }

static uint32_t part_types(Explode *e, IrType handle, IrType *types)
{
	uint32_t rank = rank_of(handle);
	types[0] = ir_ptr(e->m->cx, handle->elem->elem, 1);
	for (uint32_t i = 1; i <= 2 * rank; i++)
		types[i] = ir_scalar(e->m->cx, TY_I64);
	types[1 + 2 * rank] = ir_scalar(e->m->cx, TY_I1);
	return 2 + 2 * rank;
}

static bool makes(const IrOp *op)
{
	return op->kind == OP_MAKE_TENSOR_DESC;
}

static IrValue *token(const IrOp *op, uint32_t i)
{
	uint32_t rank = rank_of(op->results[0].type);
	return op->kind == OP_MAKE_TENSOR_DESC && i <= 2 * rank ? ir_operand(op, i) : NULL;
}

static void make(Explode *e, IrOp *op, const Parts *from, Parts *parts)
{
	(void)from;
	bool nan = ir_get_int(op, e->m->cx, ATTR_PADDING, PAD_ZERO) == PAD_NAN;
	parts->at[parts->count - 1] = irb_int(&e->b, ir_scalar(e->m->cx, TY_I1), nan);
}

/* The tile at the descriptor's operand 0; indices are operands from `first` on. */
static TileAccess access_of(Explode *e, const IrOp *op, uint32_t first)
{
	const Parts *p = explode_parts(e, ir_operand(op, 0));
	IrType tile = ir_operand(op, 0)->type->elem;
	IrType i64 = ir_scalar(e->m->cx, TY_I64);
	TileAccess t = {.tile = ir_tensor(e->m->cx, tile->elem, tile->shape, tile->rank, NULL), .base = p->at[0]};
	for (uint32_t d = 0; d < tile->rank; d++) {
		IrValue *at = ir_operand(op, first + d);
		t.shape[d] = p->at[1 + d];
		/* A descriptor's last dimension is contiguous: that is what makes wide accesses possible. */
		bool last = d + 1 == tile->rank;
		t.strides[d] = last ? irb_int(&e->b, i64, 1) : p->at[1 + tile->rank + d];
		t.offsets[d] = explode_as(e, at, ir_with_elem(e->m->cx, at->type, i64));
		t.check[d] = true;
	}
	return t;
}

/* Rows by number, columns in a range: the tile is as large as the numbers say. */
static TileAccess scattered_access(Explode *e, const IrOp *op)
{
	TileAccess t = access_of(e, op, 1);
	int64_t shape[2] = {ir_operand(op, 1)->type->shape[0], t.tile->shape[1]};
	t.tile = ir_tensor(e->m->cx, t.tile->elem, shape, 2, NULL);
	return t;
}

static IrValue *out_of_bounds(Explode *e, const IrOp *op, IrType tile)
{
	const Parts *p = explode_parts(e, ir_operand(op, 0));
	if (!ir_is_float(tile->elem))
		return irb_int(&e->b, tile, 0);
	IrValue *nan = irb_float(&e->b, tile, (double)NAN), *zero = irb_float(&e->b, tile, 0.0);
	return irb_3(&e->b, OP_SELECT, NULL, p->at[p->count - 1], nan, zero);
}

static void copy_attr(Explode *e, IrOp *to, const IrOp *from, IrAttrName name)
{
	ir_set(e->m, to, name, ir_get(from, e->m->cx, name));
}

static IrValue *in_shape_of(Explode *e, IrValue *v, IrType type)
{
	return v->type == type ? v : irb_1(&e->b, OP_RESHAPE, type, v);
}

static void use_load(Explode *e, IrOp *op, const TileAccess *t)
{
	IrValue *pointers = tile_pointers(&e->b, t), *mask = tile_mask(&e->b, t);
	IrValue *loaded = irb_3(&e->b, OP_LOAD, t->tile, pointers, mask, out_of_bounds(e, op, t->tile));
	copy_attr(e, loaded->def, op, ATTR_CACHE);
	copy_attr(e, loaded->def, op, ATTR_EVICT);
	/* A load may leave out dimensions of size 1. */
	loaded = in_shape_of(e, loaded, op->results[0].type);
	if (op->results[0].uses)
		ir_replace_uses(&op->results[0], loaded);
}

static void use_store(Explode *e, const TileAccess *t, IrValue *value)
{
	IrValue *pointers = tile_pointers(&e->b, t);
	IrValue *operands[3] = {pointers, in_shape_of(e, value, t->tile), tile_mask(&e->b, t)};
	irb_op(&e->b, OP_STORE, operands, 3, NULL, 0, 0);
}

static int64_t atomic_of(int64_t kind, bool is_float, bool is_unsigned)
{
	switch ((IrDescReduce)kind) {
	case DESC_ADD:
		return is_float ? RMW_FADD : RMW_ADD;
	case DESC_MIN:
		return is_unsigned ? RMW_UMIN : RMW_MIN;
	case DESC_MAX:
		return is_unsigned ? RMW_UMAX : RMW_MAX;
	case DESC_AND:
		return RMW_AND;
	case DESC_OR:
		return RMW_OR;
	case DESC_XOR:
		return RMW_XOR;
	default:
		return 0;
	}
}

static void atomic(Explode *e, int64_t rmw, IrValue *pointers, IrValue *value, IrValue *mask)
{
	IrOp *made = irb_3(&e->b, OP_ATOMIC_RMW, value->type, pointers, value, mask)->def;
	ir_set(e->m, made, ATTR_RMW_OP, ir_attr_i32(e->m->cx, rmw));
	ir_set(e->m, made, ATTR_SEM, ir_attr_i32(e->m->cx, SEM_RELEASE));
	ir_set(e->m, made, ATTR_SCOPE, ir_attr_i32(e->m->cx, SCOPE_GPU));
}

/* Floats are in the order of their bits as signed integers where the value is not negative, and in the opposite order as
 * unsigned ones where it is. */
static void float_minmax(Explode *e, bool is_max, IrValue *pointers, IrValue *value, IrValue *mask)
{
	IrCx *cx = e->m->cx;
	IrType bits = ir_with_elem(cx, value->type, ir_int(cx, value->type->elem->bits));
	IrType places = ir_with_elem(cx, value->type, ir_ptr(cx, bits->elem, 1));
	IrValue *at = irb_1(&e->b, OP_BITCAST, places, pointers), *word = irb_1(&e->b, OP_BITCAST, bits, value);
	IrValue *zero = irb_int(&e->b, bits, 0), *negative = irb_2(&e->b, OP_CMPI, NULL, word, zero);
	ir_set(e->m, negative->def, ATTR_PREDICATE, ir_attr_int(cx, ir_scalar(cx, TY_I64), CMPI_SLT));
	IrValue *all = irb_int(&e->b, negative->type, 1), *positive = irb_2(&e->b, OP_XORI, NULL, negative, all);
	atomic(e, is_max ? RMW_MAX : RMW_MIN, at, word, irb_2(&e->b, OP_ANDI, NULL, mask, positive));
	atomic(e, is_max ? RMW_UMIN : RMW_UMAX, at, word, irb_2(&e->b, OP_ANDI, NULL, mask, negative));
}

static bool use_reduce(Explode *e, IrOp *op, const TileAccess *t)
{
	bool is_float = ir_is_float(t->tile->elem);
	bool is_unsigned = ir_operand(op, 0)->type->space == SIGN_UNSIGNED;
	int64_t rmw = atomic_of(ir_get_int(op, e->m->cx, ATTR_REDUCE_KIND, 0), is_float, is_unsigned);
	bool is_order = rmw == RMW_MIN || rmw == RMW_MAX;
	if (!rmw || (is_float && rmw != RMW_FADD && !is_order))
		return false;
	IrValue *pointers = tile_pointers(&e->b, t), *mask = tile_mask(&e->b, t);
	IrValue *value = in_shape_of(e, ir_operand(op, 1), t->tile);
	if (is_float && is_order)
		float_minmax(e, rmw == RMW_MAX, pointers, value, mask);
	else
		atomic(e, rmw, pointers, value, mask);
	return true;
}

static bool use(Explode *e, IrOp *op)
{
	TileAccess t;
	switch (op->kind) {
	case OP_DESC_LOAD:
		t = access_of(e, op, 1);
		use_load(e, op, &t);
		break;
	case OP_DESC_GATHER:
		t = scattered_access(e, op);
		use_load(e, op, &t);
		break;
	case OP_DESC_STORE:
		t = access_of(e, op, 2);
		use_store(e, &t, ir_operand(op, 1));
		break;
	case OP_DESC_SCATTER:
		t = scattered_access(e, op);
		use_store(e, &t, ir_operand(op, 3));
		break;
	case OP_DESC_REDUCE:
		t = access_of(e, op, 2);
		if (!use_reduce(e, op, &t))
			return false;
		break;
	default:
		return false;
	}
	ir_op_erase(op);
	return true;
}

bool pass_lower_descriptors(PassCx *cx, bool *changed)
{
	static const ExplodeHooks hooks = {is_descriptor, part_types, token, makes, make, use};
	return explode_run(cx, &hooks, changed);
}
