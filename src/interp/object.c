/* Block pointers and tensor descriptors: a base with shape and strides, seen through a window. An access is that of an
 * affine tile of pointers, masked by a box: the elements inside the shape. Elements outside read zero (or NaN where
 * padding says so) and are not written. */
#include "interp/elem.h"
#include "interp/memory.h"

Object *object_new(Exec *x, Tile *out)
{
	out->form = FORM_OBJECT;
	out->data = exec_buf(x, sizeof(Object), &out->buf);
	Object *o = (Object *)(void *)out->data;
	memset(o, 0, sizeof *o);
	return o;
}

static const Object *object_of(const Tile *t)
{
	ASSERT(t->form == FORM_OBJECT);
	return (const Object *)(const void *)t->data;
}

const ObjectAccess *object_access(Decoder *d, const IrOp *op)
{
	ObjectAccess *a = ARENA_NEW(d->arena, ObjectAccess);
	IrAttr check = ir_get(op, d->cx, ATTR_BOUNDARY_CHECK);
	for (uint32_t k = 0; check && k < check->len; k++)
		a->checked |= 1u << check->ints[k];
	a->pad_nan = ir_get_int(op, d->cx, ATTR_PADDING, 0) == PAD_NAN;
	return a;
}

/* The window as pointers and mask. */
static void window(const Object *o, const Shape *shape, unsigned size, uint32_t checked, Tile *ptr, Tile *mask)
{
	tile_init(ptr, &(SlotType){.kind = TY_PTR, .size = 8, .bits = 64}, shape);
	tile_init(mask, &(SlotType){.kind = TY_I1, .size = 1, .bits = 1}, shape);
	ptr->form = FORM_AFFINE;
	ptr->origin = o->origin;
	ptr->base = o->base;
	mask->form = FORM_BOX;
	/* A descriptor may have more dimensions than the block: leading ones of size 1. */
	uint32_t extra = o->rank - shape->rank;
	bool outside = false;
	for (uint32_t d = 0; d < o->rank; d++) {
		ptr->base += (uint64_t)o->offset[d] * (uint64_t)o->stride[d] * size;
		bool check = checked >> d & 1;
		if (d < extra) {
			outside = outside || (check && (o->offset[d] < 0 || o->offset[d] >= o->shape[d]));
			continue;
		}
		uint32_t k = d - extra;
		int64_t low = check ? -o->offset[d] : 0, high = check ? o->shape[d] - o->offset[d] : shape->dim[k];
		ptr->step[k] = o->stride[d] * size;
		mask->stride[k] = MIN(MAX(low, 0), shape->dim[k]);
		mask->step[k] = MIN(MAX(high, 0), shape->dim[k]);
		outside = outside || mask->stride[k] >= mask->step[k];
	}
	tile_simplify(ptr);
	if (outside || !shape->rank)
		tile_splat(mask, !outside);
}

static uint64_t nan_bits(const Tile *t)
{
	switch (t->kind) {
	case TY_F64:
		return UINT64_C(0x7ff8000000000000);
	case TY_F32:
		return 0x7fc00000;
	case TY_F16:
		return 0x7e00;
	case TY_BF16:
		return 0x7fc0;
	case TY_F8E4M3FN:
		return 0x7f;
	case TY_F8E5M2:
		return 0x7e;
	default:
		return t->kind < TY_F8E4M3FN ? 0 : 0x80;
	}
}

static const Instr *load_window(Exec *x, const Instr *i, Tile *out, const Object *o, uint32_t checked, bool pad_nan)
{
	Tile ptr, mask, other;
	window(o, out->shape, out->size, checked, &ptr, &mask);
	tile_borrow(&other, out);
	tile_splat(&other, pad_nan ? nan_bits(out) : 0);
	return memory_load(x, i, out, &ptr, &mask, &other);
}

static const Instr *store_window(Exec *x, const Instr *i, const Object *o, const Tile *value, uint32_t checked)
{
	Tile ptr, mask;
	window(o, value->shape, value->size, checked, &ptr, &mask);
	return memory_store(x, i, &ptr, value, &mask);
}

const Instr *object_load(Exec *x, const Instr *i, Tile *out, const Tile *ptr)
{
	const ObjectAccess *a = i->aux;
	return load_window(x, i, out, object_of(ptr), a->checked, a->pad_nan);
}

const Instr *object_store(Exec *x, const Instr *i, const Tile *ptr, const Tile *value)
{
	const ObjectAccess *a = i->aux;
	return store_window(x, i, object_of(ptr), value, a->checked);
}

/* ---- block pointers ---- */

static int64_t scalar_in(Exec *x, const Instr *i, unsigned k)
{
	return (int64_t)instr_in(x, i, k)->base;
}

static const Instr *run_make_tensor_ptr(Exec *x, const Instr *i)
{
	const Tile *base = instr_in(x, i, 0);
	uint32_t rank = (i->in - 1u) / 3;
	Object *o = object_new(x, tile_out(x, i, 0));
	o->base = base->base;
	o->origin = base->origin;
	o->rank = rank;
	for (uint32_t d = 0; d < rank; d++) {
		o->shape[d] = scalar_in(x, i, 1 + d);
		o->stride[d] = scalar_in(x, i, 1 + rank + d);
		o->offset[d] = scalar_in(x, i, 1 + 2 * rank + d);
	}
	return i + 1;
}

bool interp_MAKE_TENSOR_PTR(Decoder *d, const IrOp *op) { return decode_plain(d, op, run_make_tensor_ptr); }

static const Instr *run_advance(Exec *x, const Instr *i)
{
	const Object *from = object_of(instr_in(x, i, 0));
	Object *o = object_new(x, tile_out(x, i, 0));
	*o = *from;
	for (uint32_t d = 0; d < o->rank; d++)
		o->offset[d] = (int32_t)(uint32_t)((uint64_t)o->offset[d] + (uint64_t)scalar_in(x, i, 1 + d));
	return i + 1;
}

bool interp_ADVANCE(Decoder *d, const IrOp *op) { return decode_plain(d, op, run_advance); }

/* ---- descriptors ---- */

static const Instr *run_make_desc(Exec *x, const Instr *i)
{
	const Tile *base = instr_in(x, i, 0);
	uint32_t rank = (i->in - 1u) / 2;
	Object *o = object_new(x, tile_out(x, i, 0));
	o->base = base->base;
	o->origin = base->origin;
	o->pad_nan = i->imm == PAD_NAN;
	o->rank = rank;
	for (uint32_t d = 0; d < rank; d++) {
		o->shape[d] = scalar_in(x, i, 1 + d);
		o->stride[d] = scalar_in(x, i, 1 + rank + d);
	}
	return i + 1;
}

bool interp_MAKE_TENSOR_DESC(Decoder *d, const IrOp *op)
{
	decode_instr(d, op, run_make_desc)->imm = ir_get_int(op, d->cx, ATTR_PADDING, 0);
	return true;
}

/* A copy of the descriptor with the indices that follow operand `first`. */
static Object at_indices(Exec *x, const Instr *i, unsigned first)
{
	Object o = *object_of(instr_in(x, i, 0));
	for (uint32_t d = 0; d < o.rank && first + d < i->in; d++)
		o.offset[d] = scalar_in(x, i, first + d);
	return o;
}

static const Instr *run_desc_load(Exec *x, const Instr *i)
{
	Object o = at_indices(x, i, 1);
	return load_window(x, i, tile_out(x, i, 0), &o, UINT32_MAX, o.pad_nan);
}

bool interp_DESC_LOAD(Decoder *d, const IrOp *op)
{
	d->reads++;
	decode_instr(d, op, run_desc_load);
	return true;
}

static const Instr *run_desc_store(Exec *x, const Instr *i)
{
	Object o = at_indices(x, i, 2);
	return store_window(x, i, &o, instr_in(x, i, 1), UINT32_MAX);
}

bool interp_DESC_STORE(Decoder *d, const IrOp *op) { return decode_plain(d, op, run_desc_store); }

static const IrRmw desc_rmws[] = {
	[DESC_ADD] = RMW_ADD, [DESC_MIN] = RMW_MIN, [DESC_MAX] = RMW_MAX,
	[DESC_AND] = RMW_AND, [DESC_OR] = RMW_OR,   [DESC_XOR] = RMW_XOR,
};

/* Minimum and maximum of unsigned integers are told by the descriptor's type. */
static IrRmw desc_rmw(int64_t kind, bool is_unsigned)
{
	return is_unsigned && kind == DESC_MIN ? RMW_UMIN : is_unsigned && kind == DESC_MAX ? RMW_UMAX : desc_rmws[kind];
}

static const Instr *run_desc_reduce(Exec *x, const Instr *i)
{
	Object o = at_indices(x, i, 2);
	const Tile *value = instr_in(x, i, 1);
	Tile ptr, mask;
	window(&o, value->shape, value->size, UINT32_MAX, &ptr, &mask);
	int64_t index[IR_MAX_RANK] = {0};
	const Shape *shape = value->shape;
	for (int64_t k = 0; k < shape->numel; k++) {
		if (tile_element(&mask, index)) {
			uint64_t address = tile_element(&ptr, index);
			if (exec_find_buffer(x, address, value->size, ptr.origin, true) < 0 || address % value->size)
				return exec_fault_access(x, i, "atomic update", address, value->size, true, ptr.origin,
							 shape, k);
			atomic_update(x, address, value, (IrRmw)i->imm, tile_element(value, index));
		}
		for (uint32_t d = shape->rank; d-- > 0 && ++index[d] == shape->dim[d];)
			index[d] = 0;
	}
	return i + 1;
}

bool interp_DESC_REDUCE(Decoder *d, const IrOp *op)
{
	int64_t kind = ir_get_int(op, d->cx, ATTR_REDUCE_KIND, DESC_ADD);
	if (kind == DESC_INC || kind == DESC_DEC)
		return decode_refuse(d, op, "a descriptor reduction of kind inc or dec");
	d->reads++;
	decode_instr(d, op, run_desc_reduce)->imm = desc_rmw(kind, ir_operand(op, 0)->type->space == SIGN_UNSIGNED);
	return true;
}

/* Rows listed one by one: pointers and mask of a [rows, columns] tile, written out. */
static void listed_rows(Exec *x, const Object *o, const Tile *rows, int64_t column, const Shape *shape, unsigned size,
			Tile *ptr, Tile *mask)
{
	tile_init(ptr, &(SlotType){.kind = TY_PTR, .size = 8, .bits = 64}, shape);
	tile_init(mask, &(SlotType){.kind = TY_I1, .size = 1, .bits = 1}, shape);
	ptr->origin = o->origin;
	tile_alloc(x, ptr);
	tile_alloc(x, mask);
	int64_t n = shape->dim[1];
	uint64_t *address = (uint64_t *)(void *)ptr->data;
	for (int64_t r = 0; r < shape->dim[0]; r++) {
		int64_t row = (int64_t)tile_element_at(rows, r);
		for (int64_t c = 0; c < n; c++) {
			int64_t at = column + c;
			mask->data[r * n + c] = row >= 0 && row < o->shape[0] && at >= 0 && at < o->shape[1];
			address[r * n + c] = o->base + (uint64_t)(row * o->stride[0] + at * o->stride[1]) * size;
		}
	}
}

static const Instr *run_desc_gather(Exec *x, const Instr *i)
{
	const Object *o = object_of(instr_in(x, i, 0));
	Tile *out = tile_out(x, i, 0), ptr, mask, other;
	listed_rows(x, o, instr_in(x, i, 1), scalar_in(x, i, 2), out->shape, out->size, &ptr, &mask);
	tile_borrow(&other, out);
	tile_splat(&other, o->pad_nan ? nan_bits(out) : 0);
	const Instr *next = memory_load(x, i, out, &ptr, &mask, &other);
	tile_drop(&ptr);
	tile_drop(&mask);
	return next;
}

bool interp_DESC_GATHER(Decoder *d, const IrOp *op)
{
	d->reads++;
	decode_instr(d, op, run_desc_gather);
	return true;
}

static const Instr *run_desc_scatter(Exec *x, const Instr *i)
{
	const Object *o = object_of(instr_in(x, i, 0));
	const Tile *value = instr_in(x, i, 3);
	Tile ptr, mask;
	listed_rows(x, o, instr_in(x, i, 1), scalar_in(x, i, 2), value->shape, value->size, &ptr, &mask);
	const Instr *next = memory_store(x, i, &ptr, value, &mask);
	tile_drop(&ptr);
	tile_drop(&mask);
	return next;
}

bool interp_DESC_SCATTER(Decoder *d, const IrOp *op) { return decode_plain(d, op, run_desc_scatter); }
