/* Parts of tiles from an op's operands to its results and back: dim by dim, and for reshapes by the
 * place of a half in row-major order. */
#include "gpu/plan/parts_ops.h"

/* Of dims: says nothing of the other side; cannot be. */
enum { OPEN = -1, NEVER = -2 };

unsigned gpu_part_bits_of(GpuPart part, unsigned dim)
{
	unsigned n = 0;
	for (unsigned bit = 0; bit < GPU_PART_BITS; bit++)
		n += gpu_part_dim(part, bit) == (int)dim;
	return n;
}

unsigned gpu_part_copies(const GpuParts *p, GpuPart part)
{
	unsigned mask = 0;
	for (unsigned bit = 0; bit < p->bits; bit++)
		mask |= (unsigned)(gpu_part_dim(part, bit) < 0) << bit;
	return mask;
}

IrType gpu_part_type(GpuCx *cx, IrType type, GpuPart part)
{
	CONTRACT(gpu_part_is_tile(type));
	IrType tile = type->kind == TY_TENSORDESC ? type->elem : type;
	int64_t shape[IR_MAX_RANK];
	for (uint32_t d = 0; d < tile->rank; d++)
		shape[d] = tile->shape[d] >> gpu_part_bits_of(part, d);
	IrType own = ir_tensor(cx->ir, tile->elem, shape, tile->rank, tile->encoding);
	return type->kind == TY_TENSORDESC ? ir_tensordesc_signed(cx->ir, own, (IrSign)type->space) : own;
}

bool gpu_part_merge(const GpuParts *p, GpuPart a, GpuPart b, GpuPart *out)
{
	*out = 0;
	for (unsigned bit = 0; bit < p->bits; bit++) {
		int x = gpu_part_dim(a, bit), y = gpu_part_dim(b, bit);
		if (x >= 0 && y >= 0 && x != y)
			return false;
		if (x >= 0 || y >= 0)
			*out |= gpu_part_of_bit(bit, (unsigned)(x >= 0 ? x : y));
	}
	return true;
}

/* ---- ops ---- */

/* Results, and operands that are tiles, have one shape. */
static bool keeps_shape(const IrOp *op)
{
	switch (op->kind) {
	case OP_LOAD:
	case OP_STORE:
	case OP_ATOMIC_RMW:
	case OP_ATOMIC_CAS:
	case OP_SCAN:
	case OP_MAP_ELEMENTWISE:
	case OP_EXTERN:
	case OP_INLINE_ASM:
	case OP_POISON:
	case OP_SPLIT:
		return true;
	default:
		return ir_has_trait(op, TRAIT_ELEM);
	}
}

static bool is_descriptor_access(const IrOp *op)
{
	return op->kind == OP_DESC_LOAD || op->kind == OP_DESC_STORE || op->kind == OP_DESC_REDUCE;
}

bool gpu_part_knows(const GpuParts *p, const IrOp *op)
{
	switch (op->kind) {
	case OP_EXTERN:
	case OP_INLINE_ASM:
	case OP_MAP_ELEMENTWISE:
		return ir_is_pure(op);
	case OP_LOAD:
		return !ir_is_volatile(op);
	case OP_CONSTANT: {
		IrAttr value = ir_get(op, p->gpu->ir, ATTR_VALUE);
		return value && (value->kind != ATTR_KIND_DENSE || value->splat);
	}
	case OP_MAKE_RANGE:
	case OP_SPLAT:
	case OP_UNSPLAT:
	case OP_EXPAND_DIMS:
	case OP_BROADCAST:
	case OP_RESHAPE:
	case OP_TRANS:
	case OP_JOIN:
	case OP_CAT:
	case OP_GATHER:
	case OP_REDUCE:
	case OP_HISTOGRAM:
	case OP_DOT:
	case OP_DOT_SCALED:
	case OP_MAKE_TENSOR_DESC:
	case OP_DESC_GATHER:
	case OP_DESC_SCATTER:
		return true;
	default:
		return keeps_shape(op) || is_descriptor_access(op);
	}
}

/* The side of the product that an operand of a dot belongs to: 0 rows, 1 columns, 2 the result; and
 * whether it is its scales, which have K second. */
static unsigned side_of(const GpuParts *p, const IrOp *op, uint32_t i, bool *scales)
{
	*scales = i > 2;
	if (i <= 2)
		return i;
	return i == 3 && ir_get_bool(op, p->gpu->ir, ATTR_HAS_LHS_SCALE) ? 0 : 1;
}

/* Dim of the result <-> dim of an operand of a dot. */
static int dot_result_dim(const GpuParts *p, const IrOp *op, uint32_t i, int d)
{
	int rank = (int)ir_operand(op, i)->type->rank;
	bool scales;
	unsigned side = side_of(p, op, i, &scales);
	if (side == 2 || d < rank - 2)
		return d;
	int own = scales ? rank - 2 : rank - 2 + (int)side;
	return d == own ? rank - 2 + (int)side : NEVER;
}

static int dot_operand_dim(const GpuParts *p, const IrOp *op, uint32_t i, int d)
{
	int rank = (int)ir_operand(op, i)->type->rank;
	bool scales;
	unsigned side = side_of(p, op, i, &scales);
	if (side == 2 || d < rank - 2)
		return d;
	return d != rank - 2 + (int)side ? OPEN : scales ? rank - 2 : d;
}

static IrAttr ints(const GpuParts *p, const IrOp *op, IrAttrName name)
{
	return ir_get(op, p->gpu->ir, name);
}

static int axis_of(const GpuParts *p, const IrOp *op)
{
	return (int)ir_get_int(op, p->gpu->ir, ATTR_AXIS, 0);
}

/* Dims of a descriptor's block in front of those of the tiles that are moved. */
static int dims_before(const IrOp *op)
{
	IrType tile = op->kind == OP_DESC_LOAD ? op->results[0].type : ir_operand(op, 1)->type;
	return (int)(ir_operand(op, 0)->type->elem->rank - tile->rank);
}

/* Dim of the results (of an op without: of the tile that it stores) for dim `d` of operand i. */
static int result_dim(const GpuParts *p, const IrOp *op, uint32_t i, int d)
{
	int axis = axis_of(p, op), rank = (int)ir_operand(op, i)->type->rank;
	switch (op->kind) {
	case OP_EXPAND_DIMS: return d >= axis ? d + 1 : d;
	case OP_TRANS: {
		IrAttr order = ints(p, op, ATTR_ORDER);
		for (uint32_t k = 0; k < order->len; k++)
			if (order->ints[k] == d)
				return (int)k;
		return NEVER;
	}
	case OP_REDUCE: return d == axis ? NEVER : d > axis ? d - 1 : d;
	case OP_SCAN: return d == axis ? NEVER : d;
	case OP_GATHER: return d != axis ? d : i == 1 ? d : NEVER;
	case OP_SPLIT: return d == rank - 1 ? NEVER : d;
	case OP_JOIN: return d;
	case OP_UNSPLAT:
	case OP_CAT:
	case OP_HISTOGRAM: return NEVER;
	case OP_DOT:
	case OP_DOT_SCALED: return dot_result_dim(p, op, i, d);
	case OP_DESC_LOAD:
	case OP_DESC_STORE:
	case OP_DESC_REDUCE: return i == 0 ? d - dims_before(op) : d;
	case OP_DESC_GATHER:
	case OP_DESC_SCATTER: return d; /* row numbers are dim 0; a row's columns dim 1 */
	default: return d;
	}
}

/* Dim of operand i for dim `d` of the results. */
static int operand_dim(const GpuParts *p, const IrOp *op, uint32_t i, int d)
{
	int axis = axis_of(p, op);
	IrType type = ir_operand(op, i)->type;
	switch (op->kind) {
	case OP_EXPAND_DIMS: return d == axis ? NEVER : d > axis ? d - 1 : d;
	case OP_BROADCAST: return type->shape[d] == 1 && op->results[0].type->shape[d] > 1 ? OPEN : d;
	case OP_TRANS: return (int)ints(p, op, ATTR_ORDER)->ints[d];
	case OP_REDUCE: return d >= axis ? d + 1 : d;
	case OP_SCAN: return d == axis ? NEVER : d;
	case OP_GATHER: return d == axis && i == 0 ? OPEN : d;
	case OP_JOIN: return d == (int)type->rank ? NEVER : d;
	case OP_CAT:
	case OP_HISTOGRAM: return NEVER;
	case OP_DOT:
	case OP_DOT_SCALED: return dot_operand_dim(p, op, i, d);
	case OP_DESC_LOAD:
	case OP_DESC_STORE:
	case OP_DESC_REDUCE: return i == 0 ? d + dims_before(op) : d;
	case OP_DESC_GATHER:
	case OP_DESC_SCATTER: return i == 3 || d == (i == 0) ? d : OPEN;
	default: return d;
	}
}

/* ---- reshapes ---- */

/* Where a bit of a dim's index stands in the row-major index; the dims are powers of two. */
static unsigned place_of(IrType type, unsigned dim, unsigned bit)
{
	for (uint32_t d = dim + 1; d < type->rank; d++)
		bit += base_log2((uint64_t)type->shape[d]);
	return bit;
}

static bool bit_at(IrType type, unsigned place, unsigned *dim, unsigned *bit)
{
	for (uint32_t d = type->rank; d-- > 0;) {
		unsigned own = base_log2((uint64_t)type->shape[d]);
		if (place < own) {
			*dim = d;
			*bit = place;
			return true;
		}
		place -= own;
	}
	return false;
}

static bool are_powers(IrType type)
{
	for (uint32_t d = 0; d < type->rank; d++)
		if (!base_is_pow2((uint64_t)type->shape[d]))
			return false;
	return true;
}

/* The bit of its dim's index that a bit of the CTA's number is. */
static unsigned index_bit(IrType type, GpuPart part, unsigned bit)
{
	unsigned dim = (unsigned)gpu_part_dim(part, bit), below = 0;
	for (unsigned k = 0; k < bit; k++)
		below += gpu_part_dim(part, k) == (int)dim;
	return base_log2((uint64_t)type->shape[dim]) - gpu_part_bits_of(part, dim) + below;
}

static bool reshaped(const GpuParts *p, IrType from, IrType to, GpuPart part, GpuPart *out)
{
	*out = 0;
	if (part && (!are_powers(from) || !are_powers(to)))
		return false;
	unsigned place[GPU_PART_BITS] = {0}, dim, bit;
	for (unsigned k = 0; k < p->bits; k++) {
		if (gpu_part_dim(part, k) < 0)
			continue;
		place[k] = place_of(from, (unsigned)gpu_part_dim(part, k), index_bit(from, part, k));
		if (!bit_at(to, place[k], &dim, &bit))
			return false;
		*out |= gpu_part_of_bit(k, dim);
	}
	/* They must be the highest ones of their dims there too, in the same order. */
	for (unsigned k = 0; k < p->bits; k++)
		if (gpu_part_dim(part, k) >= 0 &&
		    place_of(to, (unsigned)gpu_part_dim(*out, k), index_bit(to, *out, k)) != place[k])
			return false;
	return true;
}

/* ---- parts ---- */

static bool lead(const GpuParts *p, const IrOp *op, uint32_t i, GpuPart part, GpuPart *out,
		 int (*dim_of)(const GpuParts *, const IrOp *, uint32_t, int))
{
	*out = 0;
	for (unsigned bit = 0; bit < p->bits; bit++) {
		int d = gpu_part_dim(part, bit);
		if (d < 0)
			continue;
		int to = dim_of(p, op, i, d);
		if (to == NEVER)
			return false;
		if (to >= 0)
			*out |= gpu_part_of_bit(bit, (unsigned)to);
	}
	return true;
}

bool gpu_part_result(const GpuParts *p, const IrOp *op, uint32_t i, GpuPart part, GpuPart *out)
{
	if (op->kind == OP_RESHAPE)
		return reshaped(p, ir_operand(op, 0)->type, op->results[0].type, part, out);
	return lead(p, op, i, part, out, result_dim);
}

bool gpu_part_operand(const GpuParts *p, const IrOp *op, uint32_t i, GpuPart part, GpuPart *out)
{
	*out = 0;
	if (!gpu_part_is_tile(ir_operand(op, i)->type))
		return true;
	if (op->kind == OP_RESHAPE)
		return reshaped(p, op->results[0].type, ir_operand(op, 0)->type, part, out);
	return lead(p, op, i, part, out, operand_dim);
}
