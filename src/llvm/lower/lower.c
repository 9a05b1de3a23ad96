/* The core of lowering: the table of hooks, and what values, types and constants are in LLVM.
 *
 * Functions and control flow are in lower/function.c, loop.c and control.c, who a thread is in
 * lower/thread.c, each op's hook in the file of its kind. */
#include <llvm-c/DebugInfo.h>

#include "base/stop.h"
#include "ir/diag.h"
#include "llvm/lower_int.h"

static LowerFn *const hooks[OP__COUNT] = {
#define OP(name, ...) [OP_##name] = lower_##name,
#include "ir/ops.def"
#undef OP
};

void lower_init(Lower *lw)
{
	LLVMContextRef cx = lw->cx;
	lw->t = (LowerTypes){
		.i1 = LLVMInt1TypeInContext(cx),
		.i8 = LLVMInt8TypeInContext(cx),
		.i16 = LLVMInt16TypeInContext(cx),
		.i32 = LLVMInt32TypeInContext(cx),
		.i64 = LLVMInt64TypeInContext(cx),
		.f16 = LLVMHalfTypeInContext(cx),
		.bf16 = LLVMBFloatTypeInContext(cx),
		.f32 = LLVMFloatTypeInContext(cx),
		.f64 = LLVMDoubleTypeInContext(cx),
		.void_ = LLVMVoidTypeInContext(cx),
		.global = LLVMPointerTypeInContext(cx, 1),
		.shared = LLVMPointerTypeInContext(cx, 3),
	};
	lw->values = ARENA_ARRAY(lw->arena, LowerValue, lw->module->next_value);
}

static bool lower_op(Lower *lw, IrOp *op)
{
	const IrOp *outer = lw->op;
	lower_line(lw, op->loc);
	lw->op = op;
	bool good = hooks[op->kind](lw, op);
	if (good && lw->predictions)
		lower_promises(lw, op);
	lw->op = outer;
	return good;
}

bool lower_block(Lower *lw, IrBlock *block)
{
	/* Who began the module raises what ends it, when what LLVM was given is put away. */
	for (IrOp *op = block->first; op && !ir_has_trait(op, TRAIT_TERM); op = op->next)
		if (!stop_goes_on(NULL) || !lower_op(lw, op))
			return false;
	return true;
}

bool lower_diag(Lower *lw, IrLoc loc, DiagCode code, ...)
{
	va_list args;
	va_start(args, code);
	ir_diag_v(lw->diags, loc, code, args);
	va_end(args);
	lw->failed = true;
	return false;
}

/* ---- types ---- */

LLVMTypeRef lower_int_type(Lower *lw, unsigned bits)
{
	switch (bits) {
	case 1: return lw->t.i1;
	case 8: return lw->t.i8;
	case 16: return lw->t.i16;
	case 32: return lw->t.i32;
	case 64: return lw->t.i64;
	default: return LLVMIntTypeInContext(lw->cx, bits);
	}
}

LLVMTypeRef lower_type(Lower *lw, IrType elem)
{
	switch (elem->kind) {
	case TY_F16: return lw->t.f16;
	case TY_BF16: return lw->t.bf16;
	case TY_F32: return lw->t.f32;
	case TY_F64: return lw->t.f64;
	case TY_PTR: return elem->space == 3 ? lw->t.shared : lw->t.global;
	case TY_TENSOR: return lower_type(lw, elem->elem);
	case TY_MEMDESC: return lw->t.shared;
	case TY_TENSORDESC: return LLVMPointerTypeInContext(lw->cx, 0);
	case TY_TOKEN: return lw->t.i32;
	default: break;
	}
	ASSERT(ir_is_int(elem) || (ir_is_float(elem) && elem->bits == 8));
	return lower_int_type(lw, elem->bits);
}

unsigned lower_bits(IrType elem)
{
	return elem->kind == TY_PTR ? 64 : elem->bits < 8 ? 8 : elem->bits;
}

uint32_t lower_count(Lower *lw, IrType type)
{
	if (!ir_is_tensor(type))
		return 1;
	const Layout *layout = gpu_layout(lw->gpu, type);
	return layout_space_reps(&layout->in) << layout_in_bits(layout, LAYOUT_REGISTER);
}

/* ---- values ---- */

LLVMValueRef *lower_array(Lower *lw, uint32_t count)
{
	return ARENA_ARRAY(lw->arena, LLVMValueRef, count ? count : 1);
}

static LowerKind kind_of(IrType type)
{
	switch (type->kind) {
	case TY_TENSOR: return LOWER_TILE;
	case TY_MEMDESC: return LOWER_MEMORY;
	case TY_TENSORDESC: return LOWER_TENSOR;
	default: return LOWER_SCALAR;
	}
}

LowerValue lower_get(Lower *lw, const IrValue *value)
{
	CONTRACT(value->id < lw->module->next_value);
	LowerValue *v = &lw->values[value->id];
	ASSERT(v->kind);
	return *v;
}

void lower_set(Lower *lw, const IrValue *value, LLVMValueRef *regs, uint32_t count)
{
	CONTRACT(value->id < lw->module->next_value);
	IrType type = value->type;
	ASSERT(count && count == lower_count(lw, type));
	CONTRACT(LLVMTypeOf(regs[0]) == lower_type(lw, ir_elem(type)));
	lw->values[value->id] = (LowerValue){kind_of(type), type, regs, count};
}

void lower_set_scalar(Lower *lw, const IrValue *value, LLVMValueRef v)
{
	LLVMValueRef *regs = lower_array(lw, 1);
	regs[0] = v;
	lower_set(lw, value, regs, 1);
}

LLVMValueRef lower_i32(Lower *lw, int64_t value)
{
	return LLVMConstInt(lw->t.i32, (uint64_t)value, true);
}

LLVMValueRef lower_i64(Lower *lw, int64_t value)
{
	return LLVMConstInt(lw->t.i64, (uint64_t)value, true);
}

LLVMValueRef lower_i1(Lower *lw, bool value)
{
	return LLVMConstInt(lw->t.i1, value, false);
}

LLVMValueRef lower_to_bits(Lower *lw, LLVMValueRef v, IrType elem)
{
	elem = ir_elem(elem);
	if (elem->kind == TY_I1)
		return LLVMBuildZExt(lw->b, v, lw->t.i8, "");
	LLVMTypeRef to = lower_int_type(lw, lower_bits(elem));
	if (elem->kind == TY_PTR)
		return LLVMBuildPtrToInt(lw->b, v, to, "");
	return LLVMBuildBitCast(lw->b, v, to, "");
}

LLVMValueRef lower_from_bits(Lower *lw, LLVMValueRef v, IrType elem)
{
	elem = ir_elem(elem);
	if (elem->kind == TY_I1)
		return LLVMBuildICmp(lw->b, LLVMIntNE, v, LLVMConstInt(lw->t.i8, 0, false), "");
	if (elem->kind == TY_PTR)
		return LLVMBuildIntToPtr(lw->b, v, lower_type(lw, elem), "");
	return LLVMBuildBitCast(lw->b, v, lower_type(lw, elem), "");
}

/* ---- building ---- */

LLVMValueRef lower_intrinsic(Lower *lw, const char *name, LLVMTypeRef result, const LLVMValueRef *args,
			     unsigned count)
{
	CONTRACT(result && (count == 0 || args));
	LLVMTypeRef types[8];
	ASSERT(count <= ARRAY_LEN(types));
	for (unsigned i = 0; i < count; i++)
		types[i] = LLVMTypeOf(args[i]);
	LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
	LLVMValueRef fn = LLVMGetNamedFunction(lw->mod, name);
	if (!fn)
		/* an intrinsic's own attributes come with its name */
		fn = LLVMAddFunction(lw->mod, name, type);
	ASSERT(LLVMGlobalGetValueType(fn) == type);
	return LLVMBuildCall2(lw->b, type, fn, (LLVMValueRef *)(uintptr_t)args, count, "");
}

const char *lower_type_suffix(Lower *lw, LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMHalfTypeKind: return "f16";
	case LLVMBFloatTypeKind: return "bf16";
	case LLVMFloatTypeKind: return "f32";
	case LLVMDoubleTypeKind: return "f64";
	case LLVMIntegerTypeKind: return arena_printf(lw->arena, "i%u", LLVMGetIntTypeWidth(type));
	default: BUG("a type without suffix");
	}
}

LLVMAttributeRef lower_range(Lower *lw, unsigned bits, uint64_t from, uint64_t to)
{
	CONTRACT(from < to);
	unsigned kind = LLVMGetEnumAttributeKindForName("range", 5);
	return LLVMCreateConstantRangeAttribute(lw->cx, kind, bits, &from, &to);
}

LLVMValueRef lower_offset(Lower *lw, LLVMValueRef base, LLVMValueRef index, unsigned bytes)
{
	LLVMTypeRef unit = bytes == 1 ? lw->t.i8 : bytes == 2 ? lw->t.i16 : bytes == 4 ? lw->t.i32 :
			   bytes == 8 ? lw->t.i64 : LLVMArrayType2(lw->t.i8, bytes);
	return LLVMBuildGEP2(lw->b, unit, base, &index, 1, "");
}

LLVMValueRef lower_shared_at(Lower *lw, uint64_t offset)
{
	if (!offset)
		return lw->shared_base;
	LLVMValueRef index = lower_i32(lw, (int64_t)offset);
	return LLVMBuildInBoundsGEP2(lw->b, lw->t.i8, lw->shared_base, &index, 1, "");
}

LLVMBasicBlockRef lower_new_block(Lower *lw, const char *name)
{
	return LLVMAppendBasicBlockInContext(lw->cx, lw->fn, name);
}

/* Properties of the loop whose backward branch this is. */
static void describe_loop(Lower *lw, LLVMValueRef branch, const char *const *names, unsigned count)
{
	CONTRACT(LLVMGetInstructionOpcode(branch) == LLVMBr && count <= 2);
	static const char kind[] = "llvm.loop";
	/* A loop's node is told apart by naming itself. */
	LLVMMetadataRef self = LLVMTemporaryMDNode(lw->cx, NULL, 0), parts[3] = {self};
	for (unsigned i = 0; i < count; i++) {
		LLVMMetadataRef text = LLVMMDStringInContext2(lw->cx, names[i], strlen(names[i]));
		parts[i + 1] = LLVMMDNodeInContext2(lw->cx, &text, 1);
	}
	LLVMMetadataRef loop = LLVMMDNodeInContext2(lw->cx, parts, count + 1);
	LLVMMetadataReplaceAllUsesWith(self, loop);
	LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(lw->cx, kind, sizeof kind - 1),
			LLVMMetadataAsValue(lw->cx, loop));
}

void lower_keep_rolled(Lower *lw, LLVMValueRef branch)
{
	describe_loop(lw, branch, &(const char *){"llvm.loop.unroll.disable"}, 1);
}

void lower_end_loop(Lower *lw, const IrOp *loop, LLVMValueRef branch, bool rolled)
{
	const char *names[2];
	unsigned count = 0;
	if (rolled)
		names[count++] = "llvm.loop.unroll.disable";
	if (ir_get_bool(loop, lw->module->cx, ATTR_DISABLE_LICM))
		names[count++] = "llvm.licm.disable";
	if (count)
		describe_loop(lw, branch, names, count);
}

LowerIf lower_begin_if(Lower *lw, LLVMValueRef cond)
{
	CONTRACT(!cond || LLVMTypeOf(cond) == lw->t.i1);
	if (!cond)
		return (LowerIf){NULL, NULL};
	LowerIf part = {.then = lower_new_block(lw, "then")};
	part.after = lower_new_block(lw, "after");
	LLVMBuildCondBr(lw->b, cond, part.then, part.after);
	LLVMPositionBuilderAtEnd(lw->b, part.then);
	return part;
}

void lower_end_if(Lower *lw, LowerIf part)
{
	if (!part.after)
		return;
	LLVMBuildBr(lw->b, part.after);
	/* Blocks that were made inside stand before what comes after. */
	LLVMMoveBasicBlockAfter(part.after, LLVMGetInsertBlock(lw->b));
	LLVMPositionBuilderAtEnd(lw->b, part.after);
}

bool lower_inline_region(Lower *lw, IrRegion *region, const LLVMValueRef *args, uint32_t count,
			 LLVMValueRef *results)
{
	CONTRACT(region->first && region->first->arg_count == count);
	IrBlock *block = region->first;
	ASSERT(block && !block->next && block->arg_count == count);
	for (uint32_t i = 0; i < count; i++)
		lower_set_scalar(lw, block->args[i], args[i]);
	if (!lower_block(lw, block))
		return false;
	const IrOp *end = ir_terminator(block);
	ASSERT(end);
	for (uint32_t i = 0; i < end->operand_count; i++)
		results[i] = lower_scalar(lw, ir_operand(end, i));
	return true;
}
