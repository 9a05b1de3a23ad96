/* Integer arithmetic, addresses, comparison, selection, constants. */
#include "base/map.h"
#include "llvm/lower/affine.h"
#include "llvm/machine.h"

/* ---- one op over registers ---- */

/* The register whose element each register's is known to equal; NULL: of none. LLVM does not see
 * that indices which differ in their lowest bits have one quotient. */
static const uint32_t *equal_registers(Lower *lw, const IrValue *v, uint32_t count)
{
	bool index = count > 1 && ir_is_tensor(v->type) && ir_is_int(ir_elem(v->type));
	const AxisInfo *info = index ? axis_of(lw->axis, v) : NULL;
	uint64_t equal = 0, found;
	if (!info)
		return NULL;
	const Layout *l = gpu_layout(lw->gpu, v->type);
	for (unsigned d = 0; d < layout_rank(l); d++) {
		uint64_t size = UINT64_C(1) << layout_out_bits(l, LAYOUT_DIM0 + d);
		equal |= layout_space_put(&l->out, LAYOUT_DIM0 + d,
					  (uint64_t)(info->constancy[d] - 1) & (size - 1));
	}
	if (!equal)
		return NULL;
	unsigned bits = layout_in_bits(l, LAYOUT_REGISTER);
	uint32_t *first = ARENA_ARRAY(lw->arena, uint32_t, count);
	Map seen;
	map_init(&seen, lw->arena);
	for (uint32_t r = 0; r < count; r++) {
		uint64_t at = layout_apply(l, r & ((1u << bits) - 1)) & ~equal;
		uint64_t key = (at << 16 | r >> bits) + 1;
		if (!map_get(&seen, key, &found))
			map_put(&seen, key, found = r);
		first[r] = (uint32_t)found;
	}
	return first;
}

bool lower_elementwise(Lower *lw, IrOp *op, LowerElement *element)
{
	CONTRACT(op->result_count == 1);
	const IrValue *result = ir_result(op, 0);
	uint32_t count = lower_count(lw, result->type);
	LowerValue in[8];
	LLVMValueRef args[8], before[8];
	ASSERT(op->operand_count <= ARRAY_LEN(in) && op->result_count == 1);
	for (uint32_t i = 0; i < op->operand_count; i++) {
		in[i] = lower_get(lw, ir_operand(op, i));
		before[i] = NULL;
		ASSERT(in[i].count == count || in[i].count == 1);
	}
	bool pure = ir_has_trait(op, TRAIT_PURE | TRAIT_NOFX);
	const uint32_t *first = pure ? equal_registers(lw, result, count) : NULL;
	LLVMValueRef *regs = lower_array(lw, count);
	for (uint32_t r = 0; r < count; r++) {
		bool same = r > 0;
		for (uint32_t i = 0; i < op->operand_count; i++) {
			args[i] = in[i].regs[in[i].count == 1 ? 0 : r];
			same &= args[i] == before[i];
			before[i] = args[i];
		}
		/* Splats and broadcasts: what is equal is computed once. */
		if (same && pure)
			regs[r] = regs[r - 1];
		else if (first && first[r] != r)
			regs[r] = regs[first[r]];
		else
			regs[r] = element(lw, op, args);
	}
	lower_set(lw, result, regs, count);
	return true;
}

#define ELEMENTWISE(name, ...)                                                                    \
	static LLVMValueRef element_##name(Lower *lw, const IrOp *op, const LLVMValueRef *a)      \
	{                                                                                         \
		(void)op;                                                                         \
		return __VA_ARGS__;                                                               \
	}                                                                                         \
	bool lower_##name(Lower *lw, IrOp *op)                                                    \
	{                                                                                         \
		return lower_elementwise(lw, op, element_##name);                                 \
	}

/* ---- integers ---- */

static LLVMValueRef min_max(Lower *lw, const char *name, const LLVMValueRef *a)
{
	LLVMTypeRef type = LLVMTypeOf(a[0]);
	const char *full = arena_printf(lw->arena, "llvm.%s.%s", name, lower_type_suffix(lw, type));
	return lower_intrinsic2(lw, full, type, a[0], a[1]);
}

/* The divisor, 1 where it is 0. A division by 0 gives all ones, as ptxas' own sequences do, and
 * the interpreter; LLVM takes it that there is none: elements that a mask left out, zeroes,
 * would then show that the mask leaves nothing out. */
static LLVMValueRef divisor(Lower *lw, LLVMValueRef b)
{
	LLVMTypeRef type = LLVMTypeOf(b);
	LLVMValueRef none = LLVMBuildICmp(lw->b, LLVMIntEQ, b, LLVMConstNull(type), "");
	return LLVMBuildSelect(lw->b, none, LLVMConstInt(type, 1, false), b, "");
}

/* A number that is not 0, or max(x, one that is above 0). */
static bool is_not_zero(LLVMValueRef b)
{
	size_t len;
	if (LLVMIsAConstantInt(b))
		return LLVMConstIntGetZExtValue(b) != 0;
	LLVMValueRef fn = LLVMIsACallInst(b) ? LLVMGetCalledValue(b) : NULL;
	const char *name = fn && LLVMIsAFunction(fn) ? LLVMGetValueName2(fn, &len) : "";
	if (strncmp(name, "llvm.smax.", 10) != 0 && strncmp(name, "llvm.umax.", 10) != 0)
		return false;
	LLVMValueRef least = LLVMGetOperand(b, 1);
	return LLVMIsAConstantInt(least) && LLVMConstIntGetSExtValue(least) > 0;
}

/* What was divided by divisor(b): all ones where that is 0, by an operation that the simulator
 * knows for what it is. */
static LLVMValueRef divided(Lower *lw, LLVMValueRef b, LLVMValueRef result)
{
	LLVMTypeRef type = LLVMTypeOf(b);
	unsigned bits = LLVMGetIntTypeWidth(type);
	if (is_not_zero(b))
		return result;
	if (bits >= 16)
		return bits == 16   ? MACHINE2(lw, by_zero_16, b, result)
		       : bits == 32 ? MACHINE2(lw, by_zero_32, b, result)
				    : MACHINE2(lw, by_zero_64, b, result);
	LLVMTypeRef wide = lower_int_type(lw, 16);
	LLVMValueRef out = MACHINE2(lw, by_zero_16, LLVMBuildZExt(lw->b, b, wide, ""),
				    LLVMBuildZExt(lw->b, result, wide, ""));
	return LLVMBuildTrunc(lw->b, out, type, "");
}

/* a / b rounded away from what the hardware does where there is a remainder: up (by 1) or down (by -1). */
static LLVMValueRef rounded_division(Lower *lw, const LLVMValueRef *a, bool up)
{
	LLVMTypeRef type = LLVMTypeOf(a[0]);
	LLVMValueRef zero = LLVMConstNull(type);
	LLVMValueRef quotient = LLVMBuildSDiv(lw->b, a[0], divisor(lw, a[1]), "");
	LLVMValueRef rest = LLVMBuildSub(lw->b, a[0], LLVMBuildMul(lw->b, quotient, a[1], ""), "");
	LLVMValueRef inexact = LLVMBuildICmp(lw->b, LLVMIntNE, rest, zero, "");
	LLVMValueRef signs = LLVMBuildICmp(lw->b, LLVMIntSLT, LLVMBuildXor(lw->b, a[0], a[1], ""), zero, "");
	if (up)
		signs = LLVMBuildNot(lw->b, signs, "");
	LLVMValueRef adjust = LLVMBuildAnd(lw->b, inexact, signs, "");
	LLVMValueRef one = LLVMBuildZExt(lw->b, adjust, type, "");
	return divided(lw, a[1],
		       up ? LLVMBuildAdd(lw->b, quotient, one, "") : LLVMBuildSub(lw->b, quotient, one, ""));
}

static LLVMValueRef high_product(Lower *lw, const LLVMValueRef *a)
{
	LLVMTypeRef type = LLVMTypeOf(a[0]);
	unsigned bits = LLVMGetIntTypeWidth(type);
	LLVMTypeRef wide = lower_int_type(lw, 2 * bits);
	LLVMValueRef product = LLVMBuildMul(lw->b, LLVMBuildZExt(lw->b, a[0], wide, ""),
					    LLVMBuildZExt(lw->b, a[1], wide, ""), "");
	return LLVMBuildTrunc(lw->b, LLVMBuildLShr(lw->b, product, LLVMConstInt(wide, bits, false), ""), type, "");
}

static LLVMValueRef absolute(Lower *lw, LLVMValueRef a)
{
	LLVMTypeRef type = LLVMTypeOf(a);
	const char *name = arena_printf(lw->arena, "llvm.abs.%s", lower_type_suffix(lw, type));
	return lower_intrinsic2(lw, name, type, a, lower_i1(lw, false));
}

/* Sums, differences and products of indices keep constants apart. `first`: registers that are known
 * to be equal, or NULL. */
typedef LLVMValueRef AffineFn(Lower *lw, LowerAffineOp *op, LLVMValueRef a, LLVMValueRef b);

static bool affine_of(Lower *lw, IrOp *op, AffineFn *combine, const uint32_t *first)
{
	const IrValue *result = ir_result(op, 0);
	uint32_t count = lower_count(lw, result->type);
	LowerValue a = lower_get(lw, ir_operand(op, 0)), b = lower_get(lw, ir_operand(op, 1));
	LowerAffineOp affine = lower_affine_op(lw, op);
	LLVMValueRef *regs = lower_array(lw, count);
	for (uint32_t r = 0; r < count; r++) {
		bool same = r && a.regs[r] == a.regs[r - 1] && b.regs[r] == b.regs[r - 1];
		if (same || (first && first[r] != r))
			regs[r] = regs[same ? r - 1 : first[r]];
		else
			regs[r] = combine(lw, &affine, a.regs[r], b.regs[r]);
	}
	lower_set(lw, result, regs, count);
	return true;
}

static bool affine_elementwise(Lower *lw, IrOp *op, AffineFn *combine)
{
	return affine_of(lw, op, combine, NULL);
}

bool lower_ADDI(Lower *lw, IrOp *op)
{
	return affine_elementwise(lw, op, lower_affine_add);
}

/* Of rows and columns many elements of a thread have one difference. */
bool lower_SUBI(Lower *lw, IrOp *op)
{
	const IrValue *result = ir_result(op, 0);
	const uint32_t *first = equal_registers(lw, result, lower_count(lw, result->type));
	return affine_of(lw, op, lower_affine_subtract, first);
}

bool lower_MULI(Lower *lw, IrOp *op)
{
	return affine_elementwise(lw, op, lower_affine_multiply);
}

/* One sum in each address, from the 32-bit index: in LLVM's, the index is widened and multiplied in
 * front of the loop that does not change it, and is held there in two registers. */
static LLVMValueRef address_of(Lower *lw, LowerAffineOp *op, LLVMValueRef pointer, LLVMValueRef index)
{
	return LLVMIsConstant(index) ? lower_affine_address(lw, op, pointer, index)
				     : MACHINE3(lw, address, pointer, index, lower_i32(lw, op->bytes));
}

bool lower_ADDPTR(Lower *lw, IrOp *op)
{
	bool wide = ir_get_bool(op, lw->module->cx, ATTR_WIDE) && ir_elem(ir_operand(op, 1)->type)->bits == 32;
	return affine_elementwise(lw, op, wide ? address_of : lower_affine_address);
}

ELEMENTWISE(DIVSI, divided(lw, a[1], LLVMBuildSDiv(lw->b, a[0], divisor(lw, a[1]), "")))
ELEMENTWISE(DIVUI, divided(lw, a[1], LLVMBuildUDiv(lw->b, a[0], divisor(lw, a[1]), "")))
ELEMENTWISE(REMSI, divided(lw, a[1], LLVMBuildSRem(lw->b, a[0], divisor(lw, a[1]), "")))
ELEMENTWISE(REMUI, divided(lw, a[1], LLVMBuildURem(lw->b, a[0], divisor(lw, a[1]), "")))
ELEMENTWISE(CEILDIVSI, rounded_division(lw, a, true))
ELEMENTWISE(FLOORDIVSI, rounded_division(lw, a, false))
ELEMENTWISE(ANDI, LLVMBuildAnd(lw->b, a[0], a[1], ""))
ELEMENTWISE(ORI, LLVMBuildOr(lw->b, a[0], a[1], ""))
ELEMENTWISE(XORI, LLVMBuildXor(lw->b, a[0], a[1], ""))
ELEMENTWISE(SHLI, LLVMBuildShl(lw->b, a[0], a[1], ""))
ELEMENTWISE(SHRSI, LLVMBuildAShr(lw->b, a[0], a[1], ""))
ELEMENTWISE(SHRUI, LLVMBuildLShr(lw->b, a[0], a[1], ""))
ELEMENTWISE(MINSI, min_max(lw, "smin", a))
ELEMENTWISE(MAXSI, min_max(lw, "smax", a))
ELEMENTWISE(MINUI, min_max(lw, "umin", a))
ELEMENTWISE(MAXUI, min_max(lw, "umax", a))
ELEMENTWISE(ABSI, absolute(lw, a[0]))
ELEMENTWISE(MULHIUI, high_product(lw, a))
ELEMENTWISE(SELECT, LLVMBuildSelect(lw->b, a[0], a[1], a[2], ""))

static LLVMIntPredicate int_predicate(int64_t predicate)
{
	switch ((IrCmpI)predicate) {
	case CMPI_EQ: return LLVMIntEQ;
	case CMPI_NE: return LLVMIntNE;
	case CMPI_SLT: return LLVMIntSLT;
	case CMPI_SLE: return LLVMIntSLE;
	case CMPI_SGT: return LLVMIntSGT;
	case CMPI_SGE: return LLVMIntSGE;
	case CMPI_ULT: return LLVMIntULT;
	case CMPI_ULE: return LLVMIntULE;
	case CMPI_UGT: return LLVMIntUGT;
	case CMPI_UGE: return LLVMIntUGE;
	}
	BUG("comparison %d", (int)predicate);
}

static LLVMValueRef element_CMPI(Lower *lw, const IrOp *op, const LLVMValueRef *a)
{
	return LLVMBuildICmp(lw->b, int_predicate(ir_get_int(op, lw->module->cx, ATTR_PREDICATE, 0)), a[0], a[1], "");
}

uint32_t *lower_first_of_equal(Lower *lw, const IrValue *v)
{
	const AxisInfo *info = ir_is_tensor(v->type) && lw->axis ? axis_of(lw->axis, v) : NULL;
	bool equal = false;
	for (unsigned d = 0; info && d < info->rank; d++)
		equal |= info->constancy[d] > 1;
	if (!equal)
		return NULL;
	const Layout *layout = gpu_layout(lw->gpu, v->type);
	uint32_t count = lower_count(lw, v->type);
	unsigned bits = layout_in_bits(layout, LAYOUT_REGISTER);
	uint32_t *first = ARENA_ARRAY(lw->arena, uint32_t, count);
	Map seen;
	map_init(&seen, lw->arena);
	for (uint32_t r = 0; r < count; r++) {
		int64_t at[LAYOUT_MAX_RANK];
		uint64_t key = 0, found;
		layout_coordinates(layout, r >> bits, r & ((1u << bits) - 1), at);
		for (unsigned d = 0; d < info->rank; d++)
			key = key * (uint64_t)layout_shape(layout, d) + (uint64_t)(at[d] & -info->constancy[d]);
		first[r] = map_get(&seen, key, &found) ? (uint32_t)found : r;
		if (first[r] == r)
			map_put(&seen, key, r);
	}
	return first;
}

/* A mask that is equal over what is loaded at once is one comparison. */
bool lower_CMPI(Lower *lw, IrOp *op)
{
	const IrValue *result = ir_result(op, 0);
	const uint32_t *first = lower_first_of_equal(lw, result);
	if (!first)
		return lower_elementwise(lw, op, element_CMPI);
	uint32_t count = lower_count(lw, result->type);
	LowerValue a = lower_get(lw, ir_operand(op, 0)), b = lower_get(lw, ir_operand(op, 1));
	LLVMValueRef *regs = lower_array(lw, count);
	for (uint32_t r = 0; r < count; r++)
		regs[r] = first[r] < r ? regs[first[r]] :
			  element_CMPI(lw, op, (LLVMValueRef[]){a.regs[r], b.regs[r]});
	lower_set(lw, result, regs, count);
	return true;
}

/* ---- constants ---- */

static LLVMValueRef constant_of_bits(Lower *lw, IrType elem, uint64_t bits)
{
	LLVMTypeRef type = lower_type(lw, elem);
	if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind)
		return LLVMConstInt(type, bits, false);
	return LLVMConstBitCast(LLVMConstInt(lower_int_type(lw, elem->bits), bits, false), type);
}

/* Elements that differ are read from a table in constant memory, by their row-major number. */
static LLVMValueRef *constant_table(Lower *lw, IrAttr value, const Layout *layout)
{
	IrType elem = value->type->elem;
	LLVMTypeRef unit = lower_int_type(lw, lower_bits(elem));
	LLVMValueRef *words = lower_array(lw, value->len);
	for (uint32_t i = 0; i < value->len; i++)
		words[i] = LLVMConstInt(unit, value->words[i], false);
	LLVMTypeRef type = LLVMArrayType2(unit, value->len);
	LLVMValueRef table = LLVMAddGlobalInAddressSpace(lw->mod, type, "table", 1);
	LLVMSetInitializer(table, LLVMConstArray2(unit, words, value->len));
	LLVMSetGlobalConstant(table, true);
	LLVMSetLinkage(table, LLVMInternalLinkage);
	LLVMSetAlignment(table, 16);
	unsigned rank = layout_rank(layout);
	uint32_t count = lower_count(lw, value->type);
	LLVMValueRef *coords = lower_coordinates(lw, layout), *regs = lower_array(lw, count);
	for (uint32_t r = 0; r < count; r++) {
		LLVMValueRef at = lower_i32(lw, 0);
		for (unsigned d = 0; d < rank; d++)
			at = LLVMBuildAdd(lw->b, LLVMBuildMul(lw->b, at, lower_i32(lw, value->type->shape[d]), ""),
					  coords[r * rank + d], "");
		LLVMValueRef address = LLVMBuildInBoundsGEP2(lw->b, unit, table, &at, 1, "");
		regs[r] = lower_from_bits(lw, LLVMBuildLoad2(lw->b, unit, address, ""), elem);
	}
	return regs;
}

/* Do branches, selects or loops that are left hand it on to a product of warp groups, to be added
 * to? `handed`: by one of them already. A counted loop alone does no harm. */
static bool starts_product(const IrValue *v, bool handed, unsigned deep)
{
	bool found = false;
	for (const IrUse *u = v->uses; u && deep && !found; u = u->next) {
		const IrOp *op = u->owner, *around = op->block ? ir_parent_op(op) : NULL;
		uint32_t at = (uint32_t)(u - op->operands);
		switch (op->kind) {
		case OP_WARP_GROUP_DOT: found = handed && at == 2; break;
		case OP_SELECT: found = starts_product(&op->results[0], true, deep - 1); break;
		case OP_FOR:
			found = at > 2 &&
				(starts_product(op->regions[0].first->args[at - 2], handed, deep - 1) ||
				 starts_product(&op->results[at - 3], handed, deep - 1));
			break;
		case OP_WHILE: found = starts_product(op->regions[0].first->args[at], true, deep - 1); break;
		case OP_CONDITION:
			found = at &&
				(starts_product(around->regions[1].first->args[at - 1], true, deep - 1) ||
				 starts_product(&around->results[at - 1], true, deep - 1));
			break;
		case OP_YIELD:
			if (around->kind == OP_FOR || around->kind == OP_IF)
				found = starts_product(&around->results[at], handed || around->kind == OP_IF,
						       deep - 1);
			if (around->kind == OP_FOR)
				found |= starts_product(around->regions[0].first->args[1 + at], handed,
							deep - 1);
			if (around->kind == OP_WHILE)
				found = starts_product(around->regions[0].first->args[at], true, deep - 1);
			break;
		default: break;
		}
	}
	return found;
}

/* ptxas 12.8 and 12.9 take sums that begin with a constant for that constant in some loops and
 * branches, and everywhere if it is not 0 (to 0 a product does not add): of shuffles of sums
 * nothing was left, or the product itself went. So it does not see what the number is, nor that
 * registers have the same. */
static void hide_constant(Lower *lw, const IrValue *v, uint64_t bits, LLVMValueRef *regs,
			  uint32_t count)
{
	enum { DEEP = 6, WORD = 32 };
	IrType elem = ir_elem(v->type);
	if (!ir_is_tensor(v->type) || elem->bits != WORD || !starts_product(v, bits != 0, DEEP))
		return;
	LLVMValueRef zero = MACHINE1(lw, unseen, lower_i32(lw, 0)), number = lower_to_bits(lw, regs[0], elem);
	for (uint32_t r = 0; r < count; r++) {
		/* fp32 sums that begin with 0 cost registers if each begins with another one. */
		uint32_t apart = bits != 0 || ir_is_int(elem) ? r % WORD : 0;
		LLVMValueRef other = LLVMBuildShl(lw->b, zero, lower_i32(lw, apart), "");
		regs[r] = lower_from_bits(lw, LLVMBuildOr(lw->b, number, other, ""), elem);
	}
}

bool lower_CONSTANT(Lower *lw, IrOp *op)
{
	const IrValue *result = ir_result(op, 0);
	IrAttr value = ir_get(op, lw->module->cx, ATTR_VALUE);
	uint32_t count = lower_count(lw, result->type);
	if (value->kind == ATTR_KIND_DENSE && !value->splat) {
		lower_set(lw, result, constant_table(lw, value, gpu_layout(lw->gpu, result->type)), count);
		return true;
	}
	uint64_t bits = value->kind == ATTR_KIND_DENSE ? value->words[0] :
			value->kind == ATTR_KIND_FLOAT ? value->bits : (uint64_t)value->i;
	LLVMValueRef *regs = lower_array(lw, count);
	regs[0] = constant_of_bits(lw, ir_elem(result->type), bits);
	for (uint32_t r = 1; r < count; r++)
		regs[r] = regs[0];
	hide_constant(lw, result, bits, regs, count);
	lower_set(lw, result, regs, count);
	return true;
}
