/* Masks are conjunctions of comparisons, broadcast to the tile's shape. A comparison of increasing
 * indices with an invariant bound is true up to the bound; all other parts of the mask must be the
 * same for the elements of a copy. The count is bound - index, computed in the shape of the
 * comparison, which is a row's and not the tile's. */
#include "gpu/analysis/prefix.h"

#include "ir/enums.h"

typedef struct Comparison {
	IrValue *index, *bound;
	bool closed; /* the bound itself is wanted */
} Comparison;

static int64_t constancy(const AxisMap *map, const IrValue *v, unsigned dim)
{
	const AxisInfo *info = axis_of(map, v);
	return info && dim < info->rank ? info->constancy[dim] : 1;
}

static bool read_comparison(const IrOp *op, const IrCx *cx, Comparison *out)
{
	IrValue *l = ir_operand(op, 0), *r = ir_operand(op, 1);
	unsigned bits = ir_elem(l->type)->bits;
	if (bits != 32 && bits != 64)
		return false;
	switch (ir_get_int(op, cx, ATTR_PREDICATE, CMPI_EQ)) {
	case CMPI_SLT:
	case CMPI_ULT: *out = (Comparison){l, r, false}; return true;
	case CMPI_SLE:
	case CMPI_ULE: *out = (Comparison){l, r, true}; return true;
	case CMPI_SGT:
	case CMPI_UGT: *out = (Comparison){r, l, false}; return true;
	case CMPI_SGE:
	case CMPI_UGE: *out = (Comparison){r, l, true}; return true;
	default: return false;
	}
}

static bool brings_to_shape(const IrOp *op)
{
	return op->kind == OP_BROADCAST || op->kind == OP_EXPAND_DIMS || op->kind == OP_CONVERT_LAYOUT;
}

/* Where dim of the result comes from in the operand of
 * such an op; false: every element along it is the same. */
static bool comes_from(const IrOp *op, const IrCx *cx, unsigned dim, unsigned *out)
{
	*out = dim;
	if (op->kind == OP_CONVERT_LAYOUT)
		return true;
	if (op->kind == OP_BROADCAST)
		return ir_operand(op, 0)->type->shape[dim] == op->results[0].type->shape[dim];
	unsigned axis = (unsigned)ir_get_int(op, cx, ATTR_AXIS, 0);
	*out = dim - (dim > axis);
	return dim != axis;
}

static int64_t part_vector(const AxisMap *map, const IrCx *cx, const IrValue *mask, unsigned dim)
{
	int64_t same = constancy(map, mask, dim), n = 1;
	const IrOp *op = mask->def;
	Comparison c;
	unsigned from;
	if (!op || !ir_is_tensor(mask->type))
		return same;
	if (op->kind == OP_ANDI) {
		n = MIN(part_vector(map, cx, ir_operand(op, 0), dim),
			part_vector(map, cx, ir_operand(op, 1), dim));
	} else if (brings_to_shape(op)) {
		if (comes_from(op, cx, dim, &from))
			n = part_vector(map, cx, ir_operand(op, 0), from);
	} else if (op->kind == OP_CMPI && read_comparison(op, cx, &c)) {
		const AxisInfo *index = axis_of(map, c.index);
		n = index && dim < index->rank ? MIN(index->contiguity[dim], constancy(map, c.bound, dim))
					       : 1;
	}
	return MAX(n, same);
}

int64_t prefix_vector(const AxisMap *map, const IrCx *cx, const IrValue *pointers, const IrValue *mask,
		      unsigned dim)
{
	CONTRACT(dim < pointers->type->rank);
	int64_t n = axis_vector(map, pointers, NULL, dim);
	return mask ? MIN(n, part_vector(map, cx, mask, dim)) : n;
}

/* ---- counting ---- */

static IrValue *least(const Prefix *p, IrValue *a, IrValue *b)
{
	return irb_2(p->b, OP_MINUI, NULL, a, b);
}

/* Where the comparison is true, bound - index does not overflow as an unsigned number. */
static IrValue *count_comparison(const Prefix *p, const Comparison *c)
{
	IrValue *index = p->at(p->data, c->index), *bound = p->at(p->data, c->bound);
	IrType type = index->type, i32 = ir_scalar(p->gpu->ir, TY_I32);
	IrValue *most = irb_int(p->b, type, p->n - c->closed);
	IrValue *v = least(p, irb_2(p->b, OP_SUBI, NULL, bound, index), most);
	if (c->closed)
		v = irb_2(p->b, OP_ADDI, NULL, v, irb_int(p->b, type, 1));
	return ir_elem(type)->bits > 32 ? irb_1(p->b, OP_TRUNCI, ir_with_elem(p->gpu->ir, type, i32), v) : v;
}

static IrValue *count_part(const Prefix *p, const IrValue *mask, unsigned dim)
{
	const IrCx *cx = p->gpu->ir;
	const IrOp *op = mask->def;
	unsigned from;
	if (constancy(p->axes, mask, dim) >= p->n)
		return NULL;
	if (op->kind == OP_ANDI) {
		IrValue *a = count_part(p, ir_operand(op, 0), dim),
			*b = count_part(p, ir_operand(op, 1), dim);
		return a && b ? least(p, a, b) : a ? a : b;
	}
	if (op->kind == OP_CMPI) {
		Comparison c;
		bool known = read_comparison(op, cx, &c);
		ASSERT(known);
		return known ? count_comparison(p, &c) : NULL;
	}
	if (!comes_from(op, cx, dim, &from))
		return NULL;
	IrValue *v = count_part(p, ir_operand(op, 0), from);
	if (!v)
		return NULL;
	v = irb_1(p->b, op->kind, ir_with_elem(p->gpu->ir, mask->type, ir_scalar(p->gpu->ir, TY_I32)), v);
	if (op->kind == OP_EXPAND_DIMS)
		ir_set(p->b->m, v->def, ATTR_AXIS, ir_get(op, p->gpu->ir, ATTR_AXIS));
	return v;
}

IrValue *prefix_count(const Prefix *p, const IrValue *mask)
{
	CONTRACT(p->n > 0);
	return count_part(p, mask, p->dim);
}
