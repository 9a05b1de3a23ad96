/* licm: hoists pure ops whose operands are all defined outside of a loop.
 *
 * Needs: any verified module. Keeps: meaning; a loop without iterations computes them in vain,
 * which pure ops allow. Divisions are hoisted if the divisor is a constant that cannot fail. Loads
 * stay: what they read may change, and they may fail where the loop would not have run. Loops with
 * tt.disable_licm are left alone. Method: inner loops first, so that what leaves one may leave the
 * next; ops of the body in order, so that a chain moves at once. Ops inside branches stay. Linear
 * in module size times loop depth. */
#include "ir/pass.h"
#include "ir/rewrite/fold.h"

static bool cannot_fail(const IrOp *op)
{
	if (ir_is_pure(op))
		return true;
	if (!ir_has_trait(op, TRAIT_NOFX) || op->operand_count != 2)
		return false;
	IrAttr divisor = ir_constant_of(ir_operand(op, 1));
	if (!fold_is_constant(divisor) || !fold_is_splat(divisor))
		return false;
	uint64_t word = fold_word(divisor, 0);
	return word != 0 && word != fold_low(UINT64_MAX, ir_elem(ir_operand(op, 1)->type)->bits);
}

typedef struct Inside {
	const IrOp *loop, *op;
} Inside;

static bool operands_are_outside(void *data, IrOp *op)
{
	const Inside *in = data;
	for (uint32_t i = 0; i < op->operand_count; i++) {
		IrValue *v = ir_operand(op, i);
		if (!ir_is_defined_outside(v, in->loop) && (op == in->op || ir_is_defined_outside(v, in->op)))
			return false;
	}
	return true;
}

static bool is_invariant(IrOp *op, const IrOp *loop)
{
	if (ir_has_trait(op, TRAIT_TERM) || !cannot_fail(op))
		return false;
	Inside in = {loop, op};
	return operands_are_outside(&in, op) && ir_walk(op, false, operands_are_outside, &in);
}

typedef struct Licm {
	const IrCx *cx;
	bool *changed;
} Licm;

static bool visit(void *data, IrOp *loop)
{
	const Licm *in = data;
	bool is_loop = loop->kind == OP_FOR || loop->kind == OP_WHILE;
	if (!is_loop || ir_get_bool(loop, in->cx, ATTR_DISABLE_LICM))
		return true;
	for (uint32_t r = 0; r < loop->region_count; r++) {
		IrBlock *body = loop->regions[r].first;
		for (IrOp *op = body ? body->first : NULL, *next; op; op = next) {
			next = op->next;
			if (!is_invariant(op, loop))
				continue;
			ir_op_unlink(op);
			ir_op_insert_before(op, loop);
			*in->changed = true;
		}
	}
	return true;
}

bool pass_licm(PassCx *cx, bool *changed)
{
	Licm in = {cx->module->cx, changed};
	ir_walk(cx->module->op, true, visit, &in);
	return true;
}
