/* Float arithmetic: sums, products, comparison.
 *
 * Contraction: a product whose every use is a sum or a difference of the same block becomes llvm.fma there when fusion is
 * on. Products carry no fast-math flag, so NVPTX writes them with .rn, which ptxas keeps apart.
 *
 * f16 and bf16 go two registers at a time: one instruction for both. Neighbours mostly come
 * from one word of memory and go back to one, so the vectors cost nothing to make. */
#include "llvm/lower.h"

static LLVMRealPredicate float_predicate(int64_t predicate)
{
	switch ((IrCmpF)predicate) {
	case CMPF_FALSE: return LLVMRealPredicateFalse;
	case CMPF_OEQ: return LLVMRealOEQ;
	case CMPF_OGT: return LLVMRealOGT;
	case CMPF_OGE: return LLVMRealOGE;
	case CMPF_OLT: return LLVMRealOLT;
	case CMPF_OLE: return LLVMRealOLE;
	case CMPF_ONE: return LLVMRealONE;
	case CMPF_ORD: return LLVMRealORD;
	case CMPF_UEQ: return LLVMRealUEQ;
	case CMPF_UGT: return LLVMRealUGT;
	case CMPF_UGE: return LLVMRealUGE;
	case CMPF_ULT: return LLVMRealULT;
	case CMPF_ULE: return LLVMRealULE;
	case CMPF_UNE: return LLVMRealUNE;
	case CMPF_UNO: return LLVMRealUNO;
	case CMPF_TRUE: return LLVMRealPredicateTrue;
	}
	BUG("comparison %d", (int)predicate);
}

LLVMValueRef lower_fma(Lower *lw, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c)
{
	LLVMTypeRef type = LLVMTypeOf(a);
	bool pair = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
	const char *name = arena_printf(lw->arena, "llvm.fma.%s%s", pair ? "v2" : "",
					lower_type_suffix(lw, pair ? LLVMGetElementType(type) : type));
	return lower_intrinsic(lw, name, type, (LLVMValueRef[]){a, b, c}, 3);
}

/* ---- two at a time ---- */

static bool goes_in_pairs(const Lower *lw, IrType type, uint32_t count)
{
	IrTypeKind elem = ir_elem(type)->kind;
	return count % 2 == 0 && (elem == TY_F16 || (elem == TY_BF16 && target_has(lw->target, TARGET_BF16)));
}

/* Before sm_90 bf16 has no sum and no product but those of fma. */
static bool has_fma_alone(const Lower *lw, LLVMValueRef v)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	return lw->target->capability < 90 && LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
	       LLVMGetElementType(type) == lw->t.bf16;
}

static LLVMValueRef both(Lower *lw, double value)
{
	LLVMValueRef c = LLVMConstReal(lw->t.bf16, value);
	return LLVMConstVector((LLVMValueRef[]){c, c}, 2);
}

static LLVMValueRef join(Lower *lw, const LLVMValueRef *regs)
{
	LLVMValueRef v = LLVMGetPoison(LLVMVectorType(LLVMTypeOf(regs[0]), 2));
	for (int i = 0; i < 2; i++)
		v = LLVMBuildInsertElement(lw->b, v, regs[i], lower_i32(lw, i), "");
	return v;
}

static void part(Lower *lw, LLVMValueRef v, LLVMValueRef *regs)
{
	for (int i = 0; i < 2; i++)
		regs[i] = LLVMBuildExtractElement(lw->b, v, lower_i32(lw, i), "");
}

static bool elementwise(Lower *lw, IrOp *op, LowerElement *element)
{
	const IrValue *result = ir_result(op, 0);
	uint32_t count = lower_count(lw, result->type);
	if (!goes_in_pairs(lw, result->type, count))
		return lower_elementwise(lw, op, element);
	LLVMValueRef *regs = lower_array(lw, count), args[3];
	ASSERT(op->operand_count <= ARRAY_LEN(args));
	for (uint32_t r = 0; r < count; r += 2) {
		for (uint32_t i = 0; i < op->operand_count; i++)
			args[i] = join(lw, lower_get(lw, ir_operand(op, i)).regs + r);
		part(lw, element(lw, op, args), regs + r);
	}
	lower_set(lw, result, regs, count);
	return true;
}

/* ---- sums ---- */

static bool is_sum(const IrOp *op)
{
	return op->kind == OP_ADDF || op->kind == OP_SUBF;
}

/* May this operand be computed together with the sum that uses it? Only when every use can, so that the product is gone. */
static const IrOp *fused_product(const Lower *lw, const IrOp *sum, uint32_t operand)
{
	const IrOp *product = ir_operand(sum, operand)->def;
	if (!lw->fp_fusion || !product || product->kind != OP_MULF || product->block != sum->block ||
	    ir_get(product, lw->module->cx, ATTR_ROUNDED))
		return NULL;
	for (const IrUse *use = product->results[0].uses; use; use = use->next)
		if (!is_sum(use->owner) || use->owner->block != sum->block)
			return NULL;
	return product;
}

/* Is it 2^23 and an integer below that, as bytes and few bits of words become floats
 * (llvm/lower/cast.c)? */
static bool is_above_power(LLVMValueRef v)
{
	LLVMValueRef call = LLVMIsABitCastInst(v) ? LLVMGetOperand(v, 0) : NULL;
	LLVMValueRef fn = call && LLVMIsACallInst(call) ? LLVMGetCalledValue(call) : NULL;
	size_t len;
	const char *name = fn && LLVMIsAFunction(fn) ? LLVMGetValueName2(fn, &len) : "";
	bool bytes = strcmp(name, "neso.prmt") == 0;
	if (!bytes && strcmp(name, "neso.and_or") != 0)
		return false;
	LLVMValueRef power = LLVMGetOperand(call, bytes ? 1 : 2), rest = LLVMGetOperand(call, bytes ? 2 : 1);
	if (!LLVMIsAConstantInt(power) || !LLVMIsAConstantInt(rest) ||
	    LLVMConstIntGetZExtValue(power) != 0x4b000000)
		return false;
	uint64_t n = LLVMConstIntGetZExtValue(rest);
	return bytes ? (n & ~UINT64_C(3)) == 0x7440 : n <= 0x7fffff;
}

/* (2^23 + x - p) - c, where x and c are integers: both numbers are taken off at once, which is
 * exact as well. NULL: it is none. */
static LLVMValueRef sum_from_power(Lower *lw, bool minus, LLVMValueRef a, LLVMValueRef b)
{
	LLVMBool inexact;
	if (LLVMTypeOf(a) != lw->t.f32 || !LLVMIsAInstruction(a) || LLVMGetInstructionOpcode(a) != LLVMFSub)
		return NULL;
	LLVMValueRef whole = LLVMGetOperand(a, 0), less = LLVMGetOperand(a, 1);
	if (!LLVMIsAConstantFP(b) || !LLVMIsAConstantFP(less) || !is_above_power(whole))
		return NULL;
	double power = LLVMConstRealGetDouble(less, &inexact), c = LLVMConstRealGetDouble(b, &inexact);
	bool whole_number = c >= -0x1p20 && c <= 0x1p20 && c == (double)(int64_t)c;
	if (!whole_number || power < 0x1p23 || power > 0x1p23 + 128)
		return NULL;
	return LLVMBuildFSub(lw->b, whole, LLVMConstReal(lw->t.f32, minus ? power + c : power - c), "");
}

/* With fusion on ptxas may join a sum with the scaling that ends an approximation (a power of two), so a sum is written without
 * .rn then; a product that is left keeps it, and is never joined. */
static LLVMValueRef plain_sum(Lower *lw, bool minus, LLVMValueRef a, LLVMValueRef b)
{
	if (has_fma_alone(lw, a))
		return lower_fma(lw, b, both(lw, minus ? -1 : 1), a);
	LLVMValueRef v = sum_from_power(lw, minus, a, b);
	if (v)
		return v;
	v = minus ? LLVMBuildFSub(lw->b, a, b, "") : LLVMBuildFAdd(lw->b, a, b, "");
	if (lw->fp_fusion && LLVMIsAInstruction(v))
		LLVMSetFastMathFlags(v, LLVMFastMathAllowContract);
	return v;
}

/* What a sum is made of: a + b, or with a product left * right + rest. */
typedef struct Sum {
	bool minus, product_is_second;
	const IrOp *product; /* NULL: none */
	LowerValue a, b, left, right;
} Sum;

static LLVMValueRef operand(Lower *lw, LowerValue v, uint32_t r, bool pair)
{
	return pair ? join(lw, v.regs + r) : v.regs[r];
}

static LLVMValueRef sum_of(Lower *lw, const Sum *s, uint32_t r, bool pair)
{
	if (!s->product)
		return plain_sum(lw, s->minus, operand(lw, s->a, r, pair), operand(lw, s->b, r, pair));
	LLVMValueRef left = operand(lw, s->left, r, pair), right = operand(lw, s->right, r, pair);
	LLVMValueRef rest = operand(lw, s->product_is_second ? s->a : s->b, r, pair);
	if (s->minus && s->product_is_second)
		left = LLVMBuildFNeg(lw->b, left, "");
	else if (s->minus)
		rest = LLVMBuildFNeg(lw->b, rest, "");
	return lower_fma(lw, left, right, rest);
}

static bool lower_sum(Lower *lw, IrOp *op, bool minus)
{
	const IrValue *result = ir_result(op, 0);
	uint32_t count = lower_count(lw, result->type);
	Sum s = {.minus = minus, .product = fused_product(lw, op, 0)};
	if (!s.product) {
		s.product_is_second = true;
		s.product = fused_product(lw, op, 1);
	}
	s.a = lower_get(lw, ir_operand(op, 0));
	s.b = lower_get(lw, ir_operand(op, 1));
	if (s.product) {
		s.left = lower_get(lw, ir_operand(s.product, 0));
		s.right = lower_get(lw, ir_operand(s.product, 1));
	}
	bool pair = goes_in_pairs(lw, result->type, count);
	LLVMValueRef *regs = lower_array(lw, count);
	for (uint32_t r = 0; r < count; r += pair ? 2 : 1) {
		LLVMValueRef v = sum_of(lw, &s, r, pair);
		if (pair)
			part(lw, v, regs + r);
		else
			regs[r] = v;
	}
	lower_set(lw, result, regs, count);
	return true;
}

bool lower_ADDF(Lower *lw, IrOp *op) { return lower_sum(lw, op, false); }
bool lower_SUBF(Lower *lw, IrOp *op) { return lower_sum(lw, op, true); }

/* ---- the rest ---- */

static LLVMValueRef element_MULF(Lower *lw, const IrOp *op, const LLVMValueRef *a)
{
	(void)op;
	if (has_fma_alone(lw, a[0]))
		return lower_fma(lw, a[0], a[1], both(lw, -0.0));
	return LLVMBuildFMul(lw->b, a[0], a[1], "");
}

static LLVMValueRef element_NEGF(Lower *lw, const IrOp *op, const LLVMValueRef *a)
{
	(void)op;
	return LLVMBuildFNeg(lw->b, a[0], "");
}

static LLVMValueRef element_FMA(Lower *lw, const IrOp *op, const LLVMValueRef *a)
{
	(void)op;
	return lower_fma(lw, a[0], a[1], a[2]);
}

static LLVMValueRef element_CMPF(Lower *lw, const IrOp *op, const LLVMValueRef *a)
{
	int64_t predicate = ir_get_int(op, lw->module->cx, ATTR_PREDICATE, 0);
	return LLVMBuildFCmp(lw->b, float_predicate(predicate), a[0], a[1], "");
}

bool lower_MULF(Lower *lw, IrOp *op) { return elementwise(lw, op, element_MULF); }
bool lower_NEGF(Lower *lw, IrOp *op) { return elementwise(lw, op, element_NEGF); }
bool lower_FMA(Lower *lw, IrOp *op) { return elementwise(lw, op, element_FMA); }
bool lower_CMPF(Lower *lw, IrOp *op) { return lower_elementwise(lw, op, element_CMPF); }
