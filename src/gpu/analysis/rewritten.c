#include "gpu/analysis/rewritten.h"

enum { DEEP = 16, FIRST_INDEX = 2 };

/* Elements of the tile along the dim of an index; dims of the tensor that the tile does not have
 * come first. */
static int64_t size_along(const IrOp *store, uint32_t operand)
{
	IrType tile = ir_operand(store, 1)->type;
	uint32_t before = store->operand_count - tile->rank;
	return operand < before ? 1 : tile->shape[operand - before];
}

static bool passes(const IrOp *op)
{
	return op->kind == OP_EXTSI || op->kind == OP_EXTUI || op->kind == OP_TRUNCI;
}

/* How far the value goes with each iteration: so many times the loop's step. False: not evenly. */
static bool slope_of(const IrValue *v, const IrOp *loop, unsigned depth, int64_t *slope)
{
	const IrOp *op = v->def;
	int64_t a, b;
	*slope = v == loop->regions[0].first->args[0];
	if (*slope || ir_is_defined_outside(v, loop))
		return true;
	if (!op || !depth)
		return false;
	if (passes(op))
		return slope_of(ir_operand(op, 0), loop, depth - 1, slope);
	if (op->kind == OP_MULI)
		return ir_constant_int(ir_operand(op, 1), &b) &&
		       slope_of(ir_operand(op, 0), loop, depth - 1, &a) &&
		       !__builtin_mul_overflow(a, b, slope);
	if (op->kind != OP_ADDI && op->kind != OP_SUBI)
		return false;
	if (!slope_of(ir_operand(op, 0), loop, depth - 1, &a) ||
	    !slope_of(ir_operand(op, 1), loop, depth - 1, &b))
		return false;
	bool overflows = op->kind == OP_ADDI ? __builtin_add_overflow(a, b, slope)
					     : __builtin_sub_overflow(a, b, slope);
	return !overflows;
}

/* Does it go on by a tile or more in each iteration? */
static bool goes_on(const IrValue *index, const IrOp *loop, int64_t size)
{
	int64_t slope, step, far;
	return loop->kind == OP_FOR && ir_constant_int(ir_operand(loop, 2), &step) &&
	       slope_of(index, loop, DEEP, &slope) && !__builtin_mul_overflow(slope, step, &far) &&
	       (far >= size || far <= -size);
}

static bool is_multiple(const IrValue *v, int64_t of, unsigned depth)
{
	const IrOp *op = v->def;
	int64_t number;
	if (of == 1)
		return true;
	if (ir_constant_int(v, &number))
		return number % of == 0;
	if (!op || !depth)
		return false;
	if (passes(op))
		return is_multiple(ir_operand(op, 0), of, depth - 1);
	bool both = op->kind == OP_ADDI || op->kind == OP_SUBI;
	if (!both && op->kind != OP_MULI)
		return false;
	bool first = is_multiple(ir_operand(op, 0), of, depth - 1);
	if (first != both)
		return first;
	return is_multiple(ir_operand(op, 1), of, depth - 1);
}

static bool are_multiples(const IrOp *store)
{
	for (uint32_t i = FIRST_INDEX; i < store->operand_count; i++)
		if (!is_multiple(ir_operand(store, i), size_along(store, i), DEEP))
			return false;
	return true;
}

GpuRewritten gpu_rewritten(const GpuCx *gpu, const IrOp *store, bool parts)
{
	uint32_t taken = 0; /* indices that tell iterations of a loop inside */
	for (const IrOp *op = ir_parent_op(store); op->block; op = ir_parent_op(op)) {
		if ((op->kind != OP_FOR && op->kind != OP_WHILE) || ir_get_bool(op, gpu->ir, ATTR_PROGRAMS))
			continue;
		uint32_t found = 0;
		for (uint32_t i = FIRST_INDEX; i < store->operand_count && !found && !parts; i++)
			if (!(taken & 1u << i) && goes_on(ir_operand(store, i), op, size_along(store, i)))
				found = 1u << i;
		if (!found || !ir_is_defined_outside(ir_operand(store, 0), op))
			return are_multiples(store) ? GPU_REWRITTEN_WHOLE : GPU_REWRITTEN_ANYWHERE;
		taken |= found;
	}
	return GPU_REWRITTEN_NOT;
}

/* The value and a number that is added to it. */
static const IrValue *sum_of(const IrValue *v, int64_t *number)
{
	*number = 0;
	if (v->def && v->def->kind == OP_ADDI && ir_constant_int(ir_operand(v->def, 1), number))
		return ir_operand(v->def, 0);
	return v;
}

bool gpu_stores_apart(const IrOp *one, const IrOp *other)
{
	bool apart = false;
	if (one == other || one->kind != OP_DESC_STORE || other->kind != OP_DESC_STORE ||
	    one->block != other->block || ir_operand(one, 0) != ir_operand(other, 0) ||
	    !are_multiples(one) || !are_multiples(other))
		return false;
	for (uint32_t i = FIRST_INDEX; i < one->operand_count && !apart; i++) {
		int64_t a, b, size = size_along(one, i);
		const IrValue *first = sum_of(ir_operand(one, i), &a);
		const IrValue *second = sum_of(ir_operand(other, i), &b);
		apart = first == second && a != b && (a - b >= size || b - a >= size);
	}
	return apart;
}
