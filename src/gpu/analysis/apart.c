#include "gpu/analysis/apart.h"

enum { DEEP = 24, STEPS = 200 };

typedef struct Apart {
	const IrOp *load;
	const IrValue *root, *mask;
	bool met;
} Apart;

static const IrOp *loop_of(const IrValue *argument)
{
	const IrOp *op = argument->def || !argument->block ? NULL : argument->block->region->op;
	return op && op->kind == OP_FOR && argument->index ? op : NULL;
}

/* What pointers are steps from; NULL: not known. What a loop carries begins as it came in. */
static const IrValue *root_of(const IrValue *v)
{
	for (unsigned deep = 0; deep < DEEP; deep++) {
		const IrOp *op = v->def, *loop = loop_of(v);
		if (loop)
			v = ir_operand(loop, 3 + v->index - 1);
		else if (!op)
			return v;
		else if (ir_has_trait(op, TRAIT_MOVE) || op->kind == OP_ADDPTR || op->kind == OP_BITCAST)
			v = ir_operand(op, 0);
		else
			return op->kind == OP_LOAD || op->kind == OP_INT_TO_PTR ? v : NULL;
	}
	return NULL;
}

/* Are they computed alike, of the same values and what loops count and carry at the same place?
 * *steps more ops are looked at, then they are not. */
static bool is_alike(const IrValue *a, const IrValue *b, unsigned *steps)
{
	const IrOp *p = a->def, *q = b->def, *in, *other;
	if (a == b)
		return true;
	if (a->type != b->type || !*steps)
		return false;
	--*steps;
	if (!p && !q) {
		in = a->block ? a->block->region->op : NULL;
		other = b->block ? b->block->region->op : NULL;
		return in && other && in != other && a->index == b->index && in->kind == OP_FOR &&
		       other->kind == OP_FOR;
	}
	if (!p || !q || p->kind != q->kind || !ir_has_trait(p, TRAIT_PURE) || p->region_count ||
	    p->result_count != 1 || p->operand_count != q->operand_count || !ir_same_attrs(p, q))
		return false;
	for (uint32_t i = 0; i < p->operand_count; i++)
		if (!is_alike(ir_operand(p, i), ir_operand(q, i), steps))
			return false;
	return true;
}

static const IrValue *mask_of(const IrOp *load)
{
	return load->operand_count > 1 ? ir_operand(load, 1) : NULL;
}

static const IrOp *parent(const IrOp *op, bool loops)
{
	do
		op = ir_parent_op(op);
	while (op && op->kind != OP_FUNC && !(loops && (op->kind == OP_FOR || op->kind == OP_WHILE)));
	return op;
}

static bool look(void *data, IrOp *op)
{
	Apart *a = data;
	if (op->kind != OP_LOAD || op == a->load)
		return true;
	const IrValue *root = root_of(ir_operand(op, 0)), *mask = mask_of(op);
	if (root && a->root && root != a->root)
		return true;
	unsigned steps = STEPS;
	bool alike = mask && is_alike(mask, a->mask, &steps);
	/* In a loop another turn's mask is another mask. */
	bool turns = parent(op, true)->kind != OP_FUNC && parent(a->load, true)->kind != OP_FUNC;
	a->met = !alike || (turns && !is_alike(ir_operand(op, 0), ir_operand(a->load, 0), &steps));
	return !a->met;
}

/* Does the mask differ between elements of one address? */
static bool is_split(const AxisMap *axis, const IrValue *pointers, const IrValue *mask)
{
	const AxisInfo *p = axis_of(axis, pointers), *m = axis_of(axis, mask);
	for (unsigned d = 0; p && d < p->rank; d++)
		if (p->constancy[d] > (m ? m->constancy[d] : 1))
			return true;
	return false;
}

bool gpu_masked_apart(const AxisMap *axis, const IrOp *load)
{
	Apart a = {load, root_of(ir_operand(load, 0)), mask_of(load), false};
	if (!a.mask)
		return false;
	ir_walk((IrOp *)parent(load, false), false, look, &a);
	const IrValue *pointers = ir_operand(load, 0);
	return a.met || (ir_is_tensor(pointers->type) && is_split(axis, pointers, a.mask));
}
