/* See lower/affine.h. A sum keeps the zero bits of one side below the lowest bit that the other side may have: that is what
 * makes base + constant free of wrap-around, and lets it pass through sign extension. */
#include "llvm/lower/affine.h"

#include "base/map.h"

/* ---- facts ---- */

static Map *facts(Lower *lw)
{
	if (!lw->affine) {
		lw->affine = ARENA_NEW(lw->arena, Map);
		map_init(lw->affine, lw->arena);
	}
	return lw->affine;
}

LowerAffine lower_affine(const Lower *lw, LLVMValueRef v)
{
	if (LLVMIsAConstantInt(v))
		return (LowerAffine){.base = LLVMConstNull(LLVMTypeOf(v)), .offset = LLVMConstIntGetSExtValue(v), .zero = ~(uint64_t)0};
	const LowerAffine *known = lw->affine ? map_get_ptr(lw->affine, v) : NULL;
	return known ? *known : (LowerAffine){.base = v};
}

static void note(Lower *lw, LLVMValueRef v, LowerAffine a)
{
	map_put_ptr(facts(lw), v, arena_copy(lw->arena, &a, sizeof a));
}

static bool is_pointer(LLVMValueRef v)
{
	return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind;
}

static int64_t wrapped(LLVMTypeRef type, int64_t v)
{
	unsigned bits = LLVMGetIntTypeWidth(type);
	return bits >= 64 ? v : (int64_t)((uint64_t)v << (64 - bits)) >> (64 - bits);
}

LLVMValueRef lower_affine_value(Lower *lw, LowerAffine a)
{
	LLVMTypeRef type = LLVMTypeOf(a.base);
	if (!is_pointer(a.base))
		a.offset = wrapped(type, a.offset);
	if (!a.offset) {
		if (a.zero && !LLVMIsAConstant(a.base) && !map_get_ptr(facts(lw), a.base))
			note(lw, a.base, a);
		return a.base;
	}
	if (LLVMIsAConstant(a.base) && !is_pointer(a.base))
		return LLVMBuildAdd(lw->b, a.base, LLVMConstInt(type, (uint64_t)a.offset, true), "");
	LLVMValueRef v;
	if (is_pointer(a.base)) {
		LLVMValueRef index = lower_i64(lw, a.offset);
		v = LLVMBuildGEP2(lw->b, lw->t.i8, a.base, &index, 1, "");
	} else if (lower_affine_is_exact(a)) {
		v = LLVMBuildOr(lw->b, a.base, LLVMConstInt(type, (uint64_t)a.offset, true), "");
		if (LLVMIsAInstruction(v))
			LLVMSetIsDisjoint(v, true);
	} else {
		v = LLVMBuildAdd(lw->b, a.base, LLVMConstInt(type, (uint64_t)a.offset, true), "");
	}
	note(lw, v, a);
	return v;
}

/* ---- ops ---- */

LowerAffineOp lower_affine_op(const Lower *lw, const IrOp *op)
{
	LowerAffineOp out = {.op = op, .divisible = {1, 1}};
	for (uint32_t i = 0; i < op->operand_count && i < 2; i++) {
		const IrValue *value = ir_operand(op, i);
		const AxisInfo *info = lw->axis ? axis_of(lw->axis, value) : NULL;
		/* Of an element anywhere: the first of a contiguous group is divisible, so all are where groups are single. */
		bool single = info != NULL;
		for (unsigned d = 0; info && d < info->rank; d++)
			single &= info->contiguity[d] == 1;
		if (single && info->rank)
			out.divisible[i] = info->divisibility[0];
	}
	IrType elem = ir_elem(ir_result(op, 0)->type);
	if (elem->kind == TY_PTR)
		out.bytes = lower_bits(elem->elem) / 8;
	return out;
}

struct LowerAffineMade {
	struct LowerAffineMade *next;
	LLVMValueRef a, b, sum;
};

/* Which list depends on addresses, what is found does not. */
static unsigned list_of(LLVMValueRef a, LLVMValueRef b)
{
	uint64_t x = (uint64_t)(uintptr_t)a * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)(uintptr_t)b;
	return (unsigned)((x * UINT64_C(0x9e3779b97f4a7c15)) >> 58);
}

/* NULL when the pair was not combined before. */
static LLVMValueRef made(const LowerAffineOp *op, LLVMValueRef a, LLVMValueRef b)
{
	const struct LowerAffineMade *m = op->made[list_of(a, b)];
	while (m && (m->a != a || m->b != b))
		m = m->next;
	return m ? m->sum : NULL;
}

static LLVMValueRef remember(Lower *lw, LowerAffineOp *op, LLVMValueRef a, LLVMValueRef b, LLVMValueRef sum)
{
	struct LowerAffineMade **list = &op->made[list_of(a, b)], *m = ARENA_NEW(lw->arena, struct LowerAffineMade);
	*m = (struct LowerAffineMade){*list, a, b, sum};
	*list = m;
	return sum;
}

static uint64_t low_zeros(int64_t divisible)
{
	uint64_t d = (uint64_t)divisible;
	return base_is_pow2(d) ? d - 1 : 0;
}

/* Bits that are 0 in x + y, where all bits below `aligned` of y are 0: those below of x. With both sides known by
 * trailing zeros only, their common ones. */
static uint64_t zero_of_sum(uint64_t x, uint64_t y)
{
	uint64_t low_x = x & ~(x + 1), low_y = y & ~(y + 1); /* trailing ones of the masks */
	return (x & low_y) | (y & low_x);
}

/* The value as one that keeps its constant apart; without one its zero bits may still be known. */
static LowerAffine operand(const Lower *lw, const LowerAffineOp *op, unsigned i, LLVMValueRef v)
{
	LowerAffine a = lower_affine(lw, v);
	if (!a.offset)
		a.zero |= low_zeros(op->divisible[i]);
	return a;
}

LLVMValueRef lower_affine_add(Lower *lw, LowerAffineOp *op, LLVMValueRef a, LLVMValueRef b)
{
	LowerAffine x = operand(lw, op, 0, a), y = operand(lw, op, 1, b);
	LLVMTypeRef type = LLVMTypeOf(a);
	LowerAffine sum = {.offset = wrapped(type, (int64_t)((uint64_t)x.offset + (uint64_t)y.offset)),
			   .zero = zero_of_sum(x.zero, y.zero)};
	sum.base = made(op, x.base, y.base);
	if (!sum.base)
		sum.base = remember(lw, op, x.base, y.base, LLVMBuildAdd(lw->b, x.base, y.base, ""));
	return lower_affine_value(lw, sum);
}

LLVMValueRef lower_affine_subtract(Lower *lw, LowerAffineOp *op, LLVMValueRef a, LLVMValueRef b)
{
	LowerAffine x = operand(lw, op, 0, a), y = operand(lw, op, 1, b);
	LLVMTypeRef type = LLVMTypeOf(a);
	/* Of bits above those that are 0 in both a borrow says nothing. */
	uint64_t low = x.zero & y.zero;
	LowerAffine difference = {.offset = wrapped(type, (int64_t)((uint64_t)x.offset - (uint64_t)y.offset)),
				  .zero = low & ~(low + 1)};
	if (LLVMIsNull(y.base)) {
		difference.base = x.base;
		difference.zero = x.zero;
		return lower_affine_value(lw, difference);
	}
	difference.base = made(op, x.base, y.base);
	if (!difference.base)
		difference.base = remember(lw, op, x.base, y.base, LLVMBuildSub(lw->b, x.base, y.base, ""));
	return lower_affine_value(lw, difference);
}

static bool is_extended(LLVMValueRef v)
{
	return LLVMIsASExtInst(v) && LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(v, 0))) == 32;
}

/* A sum whose constant passed through the extension, once more as the extension of a sum: products
 * of two extensions are one instruction. */
static LLVMValueRef as_extension(Lower *lw, LLVMValueRef v)
{
	LowerAffine a = lower_affine(lw, v);
	if (!is_extended(a.base) || !lower_affine_is_exact(a) || a.offset < 0 || a.offset > INT32_MAX)
		return v;
	LLVMValueRef narrow = LLVMGetOperand(a.base, 0);
	LLVMValueRef sum = LLVMBuildOr(lw->b, narrow, lower_i32(lw, (int32_t)a.offset), "");
	if (LLVMIsAInstruction(sum) && sum != narrow)
		LLVMSetIsDisjoint(sum, true);
	return LLVMBuildSExt(lw->b, sum, LLVMTypeOf(v), "");
}

static LLVMValueRef multiply(Lower *lw, LLVMValueRef a, LLVMValueRef b)
{
	if (is_extended(lower_affine(lw, a).base) && is_extended(lower_affine(lw, b).base)) {
		a = as_extension(lw, a);
		b = as_extension(lw, b);
	}
	return LLVMBuildMul(lw->b, a, b, "");
}

LLVMValueRef lower_affine_multiply(Lower *lw, LowerAffineOp *op, LLVMValueRef a, LLVMValueRef b)
{
	if (LLVMIsAConstantInt(a) && !LLVMIsAConstantInt(b)) {
		LLVMValueRef c = a;
		a = b;
		b = c;
	}
	LowerAffine x = lower_affine(lw, a);
	if (!LLVMIsAConstantInt(b))
		return multiply(lw, a, b);
	if (LLVMIsAConstant(x.base) || LLVMIsNull(b))
		return LLVMBuildMul(lw->b, a, b, "");
	LLVMTypeRef type = LLVMTypeOf(a);
	uint64_t factor = (uint64_t)LLVMConstIntGetSExtValue(b);
	unsigned shift = (unsigned)__builtin_ctzll(factor);
	LowerAffine product = {.offset = wrapped(type, (int64_t)((uint64_t)x.offset * factor)),
			       .zero = ((uint64_t)1 << shift) - 1};
	if (base_is_pow2(factor))
		product.zero |= x.zero << shift;
	product.base = made(op, x.base, b);
	if (!product.base)
		product.base = remember(lw, op, x.base, b, LLVMBuildMul(lw->b, x.base, b, ""));
	return lower_affine_value(lw, product);
}

LLVMValueRef lower_affine_extend(Lower *lw, LowerAffineOp *op, LLVMValueRef v, LLVMTypeRef type)
{
	LowerAffine a = lower_affine(lw, v);
	if (LLVMIsAConstant(v) || !lower_affine_is_exact(a))
		return LLVMBuildSExt(lw->b, v, type, "");
	unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(v));
	uint64_t own = bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
	LLVMValueRef wide = made(op, a.base, a.base);
	if (!wide)
		wide = remember(lw, op, a.base, a.base, LLVMBuildSExt(lw->b, a.base, type, ""));
	/* The bits that extension adds are those of the sign. */
	a.zero &= own;
	a.zero |= a.zero >> (bits - 1) ? ~own : 0;
	a.base = wide;
	return lower_affine_value(lw, a);
}

LLVMValueRef lower_affine_address(Lower *lw, LowerAffineOp *op, LLVMValueRef pointer, LLVMValueRef index)
{
	CONTRACT(pointer && index);
	LowerAffine p = lower_affine(lw, pointer), i = operand(lw, op, 1, index);
	/* The index is extended: only what does not wrap may be taken apart before. */
	bool narrow = LLVMGetIntTypeWidth(LLVMTypeOf(index)) < 64;
	if (narrow && !lower_affine_is_exact(i))
		i = (LowerAffine){.base = index};
	LowerAffine sum = {.offset = (int64_t)((uint64_t)p.offset + (uint64_t)i.offset * op->bytes)};
	sum.base = made(op, p.base, i.base);
	if (!sum.base)
		sum.base = remember(lw, op, p.base, i.base,
				    LLVMIsNull(i.base) ? p.base : lower_offset(lw, p.base, i.base, op->bytes));
	return lower_affine_value(lw, sum);
}

/* ---- loops ---- */

static bool is_uniform(const IrValue *v)
{
	if (!ir_is_tensor(v->type))
		return true;
	if (!v->def)
		return false;
	IrAttr constant = ir_constant_of(v);
	return v->def->kind == OP_SPLAT || (constant && constant->kind == ATTR_KIND_DENSE && constant->splat);
}

bool lower_affine_steps(const IrValue *arg, const IrValue *yielded)
{
	IrType elem = ir_elem(arg->type);
	if (!ir_is_tensor(arg->type) || (!ir_is_int(elem) && elem->kind != TY_PTR))
		return false;
	for (const IrValue *v = yielded; v != arg;) {
		const IrOp *op = v->def;
		if (!op || (op->kind != OP_ADDPTR && op->kind != OP_ADDI))
			return false;
		if (is_uniform(ir_operand(op, 1)))
			v = ir_operand(op, 0);
		else if (op->kind == OP_ADDI && is_uniform(ir_operand(op, 0)))
			v = ir_operand(op, 1);
		else
			return false;
	}
	return true;
}
