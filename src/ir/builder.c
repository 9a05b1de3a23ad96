/* The builder: ops at a position, result types by the op's rule, constants. */
#include "ir/ir.h"

IrBuilder ir_at_end(IrModule *m, IrBlock *block, IrLoc loc)
{
	return (IrBuilder){.m = m, .block = block, .loc = loc};
}

IrBuilder ir_at(IrModule *m, IrOp *before)
{
	CONTRACT(before->block);
	return (IrBuilder){.m = m, .block = before->block, .before = before, .loc = before->loc};
}

IrOp *irb_op(IrBuilder *b, IrOpKind kind, IrValue *const *operands, uint32_t operand_count,
	     const IrType *results, uint32_t result_count, uint32_t region_count)
{
	CONTRACT(operand_count >= ir_op_info[kind].operands_min &&
		 operand_count <= ir_op_info[kind].operands_max);
	CONTRACT(result_count <= ir_op_info[kind].results_max);
	IrOp *op =
		ir_op_new(b->m, kind, b->loc, operands, operand_count, results, result_count, region_count);
	if (b->before)
		ir_op_insert_before(op, b->before);
	else
		ir_op_append(b->block, op);
	return op;
}

static IrType by_rule(IrBuilder *b, IrOpKind kind, IrValue *const *operands, uint32_t n)
{
	switch ((IrTypeRule)ir_op_info[kind].type) {
	case RULE_SAME:
		ASSERT(n >= 1);
		return operands[0]->type;
	case RULE_BOOL:
		ASSERT(n >= 1);
		return ir_with_elem(b->m->cx, operands[0]->type, ir_scalar(b->m->cx, TY_I1));
	case RULE_LAST:
		return operands[n - 1]->type;
	case RULE_SECOND:
		ASSERT(n >= 2);
		return operands[1]->type;
	case RULE_ANY:
		break;
	}
	BUG("%s needs a result type", ir_op_info[kind].text);
}

static IrValue *one(IrBuilder *b, IrOpKind kind, IrType type, IrValue *const *operands, uint32_t n)
{
	if (!type)
		type = by_rule(b, kind, operands, n);
	return ir_result(irb_op(b, kind, operands, n, &type, 1, 0), 0);
}

IrValue *irb_0(IrBuilder *b, IrOpKind kind, IrType type)
{
	return one(b, kind, type, NULL, 0);
}

IrValue *irb_1(IrBuilder *b, IrOpKind kind, IrType type, IrValue *a)
{
	return one(b, kind, type, &a, 1);
}

IrValue *irb_2(IrBuilder *b, IrOpKind kind, IrType type, IrValue *a, IrValue *c)
{
	return one(b, kind, type, (IrValue *[]){a, c}, 2);
}

IrValue *irb_3(IrBuilder *b, IrOpKind kind, IrType type, IrValue *a, IrValue *c, IrValue *d)
{
	return one(b, kind, type, (IrValue *[]){a, c, d}, 3);
}

IrValue *irb_constant(IrBuilder *b, IrAttr value)
{
	IrType type = value->kind == ATTR_KIND_BOOL ? ir_scalar(b->m->cx, TY_I1) : value->type;
	IrOp *op = irb_op(b, OP_CONSTANT, NULL, 0, &type, 1, 0);
	ir_set(b->m, op, ATTR_VALUE, value);
	return ir_result(op, 0);
}

IrValue *irb_int(IrBuilder *b, IrType type, int64_t value)
{
	CONTRACT(ir_is_int(ir_elem(type)));
	IrCx *cx = b->m->cx;
	IrType elem = ir_elem(type);
	if (ir_is_tensor(type)) {
		uint64_t mask = elem->bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << elem->bits) - 1;
		return irb_constant(b, ir_attr_splat(cx, type, (uint64_t)value & mask));
	}
	return irb_constant(b,
			    elem->kind == TY_I1 ? ir_attr_bool(cx, value & 1) : ir_attr_int(cx, type, value));
}

IrValue *irb_float(IrBuilder *b, IrType type, double value)
{
	CONTRACT(ir_is_float(ir_elem(type)));
	IrCx *cx = b->m->cx;
	if (ir_is_tensor(type))
		return irb_constant(b, ir_attr_splat(cx, type, ir_float_bits(type->elem, value)));
	return irb_constant(b, ir_attr_float(cx, type, value));
}

static IrValue *compare(IrBuilder *b, IrOpKind kind, int predicate, IrValue *l, IrValue *r)
{
	IrValue *result = irb_2(b, kind, NULL, l, r);
	ir_set(b->m, result->def, ATTR_PREDICATE, ir_attr_i32(b->m->cx, predicate));
	return result;
}

IrValue *irb_cmpi(IrBuilder *b, IrCmpI predicate, IrValue *l, IrValue *r)
{
	CONTRACT(l->type == r->type);
	return compare(b, OP_CMPI, (int)predicate, l, r);
}

IrValue *irb_cmpf(IrBuilder *b, IrCmpF predicate, IrValue *l, IrValue *r)
{
	CONTRACT(l->type == r->type);
	return compare(b, OP_CMPF, (int)predicate, l, r);
}

IrValue *irb_splat(IrBuilder *b, IrValue *scalar, IrType like)
{
	CONTRACT(ir_is_tensor(like));
	CONTRACT(!ir_is_tensor(scalar->type));
	return irb_1(b, OP_SPLAT, ir_with_elem(b->m->cx, like, scalar->type), scalar);
}

bool ir_constant_int(const IrValue *value, int64_t *out)
{
	IrAttr a = ir_constant_of(value);
	if (!a)
		return false;
	if (a->kind == ATTR_KIND_BOOL || a->kind == ATTR_KIND_INT) {
		*out = a->i;
		return true;
	}
	if (a->kind != ATTR_KIND_DENSE || !a->splat || !ir_is_int(a->type->elem))
		return false;
	unsigned unused = 64 - a->type->elem->bits;
	*out = (int64_t)(a->words[0] << unused) >> unused;
	if (a->type->elem->bits == 1)
		*out &= 1;
	return true;
}
