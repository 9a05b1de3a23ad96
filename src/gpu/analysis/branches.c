#include "gpu/analysis/branches.h"

#include "ir/enums.h"

enum { DEPTH = 8, LEAVES = 16 };

/* What is no constant and not computed further, of what a value is made of. */
typedef struct Leaves {
	const IrValue *of[LEAVES];
	unsigned count;
} Leaves;

static void add_leaves(Leaves *l, const IrValue *v, unsigned depth)
{
	const IrOp *op = v->def;
	if (op && !op->operand_count && op->kind != OP_PROGRAM_ID && op->kind != OP_CTA_RANK)
		return; /* a constant */
	bool computed = op && depth && !op->region_count && op->operand_count && op->kind != OP_LOAD;
	for (uint32_t i = 0; computed && i < op->operand_count; i++)
		add_leaves(l, ir_operand(op, i), depth - 1);
	for (unsigned i = 0; i < l->count; i++)
		computed |= l->of[i] == v;
	if (!computed && l->count < LEAVES)
		l->of[l->count++] = v;
}

static bool share_leaves(const IrValue *a, const IrValue *b)
{
	Leaves of_a = {0}, of_b = {0};
	add_leaves(&of_a, a, DEPTH);
	add_leaves(&of_b, b, DEPTH);
	for (unsigned i = 0; i < of_a.count; i++)
		for (unsigned k = 0; k < of_b.count; k++)
			if (of_a.of[i] == of_b.of[k])
				return true;
	return false;
}

/* Does it grow with the loop's index, and change by that alone? */
static bool follows(const IrValue *v, const IrOp *loop, unsigned depth)
{
	const IrOp *op = v->def;
	if (!op)
		return v == loop->regions[0].first->args[0];
	if (!depth || op->kind != OP_ADDI)
		return false;
	const IrValue *a = ir_operand(op, 0), *b = ir_operand(op, 1);
	return (follows(a, loop, depth - 1) && ir_is_defined_outside(b, loop)) ||
	       (follows(b, loop, depth - 1) && ir_is_defined_outside(a, loop));
}

static const IrOp *loop_around(const IrOp *op)
{
	for (op = ir_parent_op(op); op && op->kind != OP_FOR; op = ir_parent_op(op))
		if (op->kind == OP_WHILE || op->kind == OP_FUNC)
			return NULL;
	return op;
}

/* 1: the comparison says that its first operand is the greater one, -1: the second one; else 0. */
static int greater(const IrCx *ir, const IrOp *compare)
{
	switch ((IrCmpI)ir_get_int(compare, ir, ATTR_PREDICATE, 0)) {
	case CMPI_SGT:
	case CMPI_SGE: return 1;
	case CMPI_SLT:
	case CMPI_SLE: return -1;
	default: return 0;
	}
}

int branch_seldom(const IrCx *ir, const IrOp *branch)
{
	const IrOp *loop = loop_around(branch), *compare = ir_operand(branch, 0)->def;
	if (!loop || !compare || compare->kind != OP_CMPI)
		return -1;
	const IrValue *a = ir_operand(compare, 0), *b = ir_operand(compare, 1);
	int late = greater(ir, compare); /* does it hold from some iteration on, or up to it (-1)? */
	if (follows(b, loop, DEPTH)) {
		const IrValue *other = a;
		a = b, b = other, late = -late;
	}
	if (!late || !follows(a, loop, DEPTH) || !ir_is_defined_outside(b, loop))
		return -1;
	bool at_end = share_leaves(b, ir_operand(loop, 1)), at_start = share_leaves(b, ir_operand(loop, 0));
	return at_end == at_start ? -1 : at_end == (late > 0) ? 0 : 1;
}
