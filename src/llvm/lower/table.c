/* Chains of branches that look a number up: `if x == 15: ... elif x == 14: ...`, a constant each.
 *
 * They are read from a table in constant memory instead: one load for what takes a comparison and
 * a branch for each number in front. x is the same in all threads of a program, and so is the
 * address. */
#include "llvm/lower_int.h"

enum {
	LEAST = 4,     /* numbers of a chain that is worth it */
	MOST = 256,    /* entries */
	SPARSE = 4,    /* entries to a number */
	LONGEST = 256, /* steps of a chain */
};

typedef struct Chain {
	const IrValue *x; /* NULL: no comparison was met yet */
	unsigned count;
	int64_t numbers[LONGEST];
	uint64_t values[LONGEST]; /* bits; the first of a number holds */
	uint64_t otherwise;
} Chain;

static bool constant_bits(const Lower *lw, const IrValue *value, uint64_t *bits)
{
	if (!value->def || value->def->kind != OP_CONSTANT || ir_is_tensor(value->type))
		return false;
	IrAttr constant = ir_get(value->def, lw->module->cx, ATTR_VALUE);
	*bits = constant->kind == ATTR_KIND_FLOAT ? constant->bits : (uint64_t)constant->i;
	return constant->kind == ATTR_KIND_FLOAT || constant->kind == ATTR_KIND_INT;
}

/* `condition` compares the chain's x with another number; then the value is `bits`. */
static bool add(const Lower *lw, Chain *c, const IrValue *condition, uint64_t bits)
{
	const IrOp *compare = condition->def;
	if (!compare || compare->kind != OP_CMPI || c->count == LONGEST || ir_is_tensor(condition->type) ||
	    ir_get_int(compare, lw->module->cx, ATTR_PREDICATE, CMPI_NE) != CMPI_EQ)
		return false;
	const IrValue *x = ir_operand(compare, 0);
	if ((c->x && c->x != x) || !ir_constant_int(ir_operand(compare, 1), &c->numbers[c->count]))
		return false;
	c->x = x;
	c->values[c->count++] = bits;
	return true;
}

/* What a block yields that computes nothing but comparisons and the choice that it yields; NULL:
 * it does more. */
static const IrValue *yielded(const IrBlock *block)
{
	const IrOp *yield = ir_terminator(block);
	const IrValue *value = ir_operand(yield, 0);
	for (const IrOp *op = block->first; op != yield; op = op->next) {
		bool chosen = op == value->def && (op->kind == OP_IF || op->kind == OP_SELECT);
		if (!chosen && op->kind != OP_CMPI && op->kind != OP_CONSTANT)
			return NULL;
	}
	return value;
}

static bool follow(const Lower *lw, Chain *c, const IrOp *op)
{
	for (;;) {
		const IrValue *yes, *no;
		uint64_t bits;
		if (op->kind == OP_SELECT) {
			yes = ir_operand(op, 1);
			no = ir_operand(op, 2);
		} else {
			if (op->kind != OP_IF || op->result_count != 1 || !op->regions[1].first)
				return false;
			yes = yielded(op->regions[0].first);
			no = yielded(op->regions[1].first);
		}
		if (!yes || !no || !constant_bits(lw, yes, &bits) || !add(lw, c, ir_operand(op, 0), bits))
			return false;
		if (constant_bits(lw, no, &c->otherwise))
			return true;
		if (!no->def)
			return false;
		op = no->def;
	}
}

/* The first and the last number of the table. From 0 on and to the end of a power of two, where
 * that is near: then what is known of x often says that it is inside. */
static bool span_of(const Chain *c, int64_t *first, int64_t *last)
{
	*first = *last = c->numbers[0];
	for (unsigned i = 1; i < c->count; i++) {
		*first = MIN(*first, c->numbers[i]);
		*last = MAX(*last, c->numbers[i]);
	}
	if ((uint64_t)*last - (uint64_t)*first >= MOST)
		return false;
	if (*first > 0 && *last < MOST && (uint64_t)*last < (uint64_t)SPARSE * c->count)
		*first = 0;
	if (*first == 0)
		for (int64_t size = 1; size <= MOST; size *= 2)
			if (size > *last) {
				*last = size - 1;
				break;
			}
	return (uint64_t)(*last - *first) < (uint64_t)SPARSE * c->count;
}

static LLVMValueRef table_of(Lower *lw, const Chain *c, IrType elem, int64_t first, uint32_t size)
{
	LLVMTypeRef unit = lower_int_type(lw, lower_bits(elem)), type = LLVMArrayType2(unit, size);
	LLVMValueRef *entries = lower_array(lw, size);
	for (uint32_t i = 0; i < size; i++)
		entries[i] = LLVMConstInt(unit, c->otherwise, false);
	for (unsigned i = c->count; i-- > 0;)
		entries[c->numbers[i] - first] = LLVMConstInt(unit, c->values[i], false);
	LLVMValueRef table = LLVMAddGlobalInAddressSpace(lw->mod, type, "chain", 4); /* .const */
	LLVMSetInitializer(table, LLVMConstArray2(unit, entries, size));
	LLVMSetGlobalConstant(table, true);
	LLVMSetLinkage(table, LLVMInternalLinkage);
	LLVMSetAlignment(table, 16);
	return table;
}

bool lower_as_table(Lower *lw, IrOp *op)
{
	Chain *c = ARENA_NEW(lw->arena, Chain);
	const IrValue *result = op->result_count == 1 ? ir_result(op, 0) : NULL;
	int64_t first, last;
	if (!result || ir_is_tensor(result->type) || !follow(lw, c, op) || result->type->bits < 8 ||
	    lower_bits(c->x->type) < 8 || c->count < LEAST || !span_of(c, &first, &last))
		return false;
	uint32_t size = (uint32_t)(last - first) + 1;
	LLVMTypeRef unit = lower_int_type(lw, lower_bits(result->type));
	LLVMValueRef table = table_of(lw, c, result->type, first, size), x = lower_scalar(lw, c->x);
	LLVMTypeRef type = LLVMTypeOf(x);
	LLVMValueRef at = LLVMBuildSub(lw->b, x, LLVMConstInt(type, (uint64_t)first, true), "");
	LLVMValueRef zero = LLVMConstInt(type, 0, false), inside = NULL;
	if (LLVMGetIntTypeWidth(type) > 8 || size < MOST)
		inside = LLVMBuildICmp(lw->b, LLVMIntULT, at, LLVMConstInt(type, size, false), "");
	at = inside ? LLVMBuildSelect(lw->b, inside, at, zero, "") : at;
	at = LLVMBuildIntCast2(lw->b, at, lw->t.i64, false, "");
	LLVMValueRef address = LLVMBuildInBoundsGEP2(lw->b, unit, table, &at, 1, "");
	LLVMValueRef found = LLVMBuildLoad2(lw->b, unit, address, "");
	if (inside)
		found = LLVMBuildSelect(lw->b, inside, found, LLVMConstInt(unit, c->otherwise, false), "");
	LLVMValueRef *regs = lower_array(lw, 1);
	regs[0] = lower_from_bits(lw, found, result->type);
	lower_set(lw, result, regs, 1);
	return true;
}
