/* What ptxas sees as a sign of an operand's half; see halves.h. */
#include "llvm/halves.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum {
	DEEP = 12, /* values that a sign is looked for behind */
	MOST_OPERANDS = 3,
};

/* As an operand's modifier has it: the sign is dropped, then turned. */
typedef enum Sign { AS_IT_IS, NEGATED, ABSOLUTE, NEGATED_ABSOLUTE } Sign;

static const Sign turned[] = {[AS_IT_IS] = NEGATED,
			      [NEGATED] = AS_IT_IS,
			      [ABSOLUTE] = NEGATED_ABSOLUTE,
			      [NEGATED_ABSOLUTE] = ABSOLUTE};

static bool is_half(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMHalfTypeKind || LLVMGetTypeKind(type) == LLVMBFloatTypeKind;
}

static bool is_pair(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMVectorTypeKind && LLVMGetVectorSize(type) == 2 &&
	       is_half(LLVMGetElementType(type));
}

static unsigned bits_of(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type);
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind: return 16;
	case LLVMVectorTypeKind: return LLVMGetVectorSize(type) * bits_of(LLVMGetElementType(type));
	default: return 0;
	}
}

static bool constant_bits(LLVMValueRef v, uint64_t *bits)
{
	if (!LLVMIsAConstantInt(v) || bits_of(LLVMTypeOf(v)) > 64)
		return false;
	*bits = LLVMConstIntGetZExtValue(v);
	return true;
}

static bool is_fabs(LLVMValueRef call)
{
	static const char name[] = "llvm.fabs";
	LLVMValueRef fn = LLVMGetCalledValue(call);
	return fn && LLVMIsAFunction(fn) &&
	       LLVMGetIntrinsicID(fn) == LLVMLookupIntrinsicID(name, sizeof name - 1);
}

static Sign sign_at(LLVMValueRef v, unsigned at, unsigned deep);

/* Of a word that is made of two by shifts. */
static Sign sign_of_or(LLVMValueRef v, unsigned at, unsigned deep)
{
	for (unsigned i = 0; i < 2; i++) {
		LLVMValueRef part = LLVMGetOperand(v, i);
		uint64_t shift = 0;
		bool shifted = LLVMIsAInstruction(part) && LLVMGetInstructionOpcode(part) == LLVMShl &&
			       constant_bits(LLVMGetOperand(part, 1), &shift) && shift == 16;
		LLVMValueRef from = shifted ? LLVMGetOperand(part, 0) : part;
		bool widened = LLVMIsAInstruction(from) && LLVMGetInstructionOpcode(from) == LLVMZExt;
		LLVMValueRef half = widened ? LLVMGetOperand(from, 0) : NULL;
		if (half && shifted == (at == 1) && bits_of(LLVMTypeOf(half)) == 16)
			return sign_at(half, 0, deep);
	}
	return AS_IT_IS;
}

/* Halves that one element of a vector has; 0: it is none, or less than one. */
static unsigned halves_of(LLVMTypeRef vector)
{
	bool is_vector = LLVMGetTypeKind(vector) == LLVMVectorTypeKind;
	return is_vector ? bits_of(LLVMGetElementType(vector)) / 16 : 0;
}

/* What a constant has at half `at`. */
static bool half_of_constant(LLVMValueRef v, unsigned at, unsigned *half)
{
	uint64_t bits;
	unsigned each = LLVMIsConstant(v) ? halves_of(LLVMTypeOf(v)) : 0;
	LLVMValueRef element = each ? LLVMGetAggregateElement(v, at / each) : NULL;
	if (!constant_bits(element ? element : v, &bits))
		return false;
	*half = (unsigned)(bits >> 16 * (element ? at % each : at)) & 0xffff;
	return true;
}

/* Signs that are turned, set or dropped as bits. */
static Sign sign_of_bits(LLVMValueRef v, LLVMOpcode op, unsigned at, unsigned deep)
{
	unsigned half;
	if (!half_of_constant(LLVMGetOperand(v, 1), at, &half))
		return op == LLVMOr ? sign_of_or(v, at, deep) : AS_IT_IS;
	Sign sign = sign_at(LLVMGetOperand(v, 0), at, deep);
	if (half == (op == LLVMAnd ? 0xffff : 0)) /* it is left as it is */
		return sign;
	switch (op) {
	case LLVMXor: return half == 0x8000 ? turned[sign] : AS_IT_IS;
	case LLVMAnd: return half == 0x7fff ? ABSOLUTE : AS_IT_IS;
	default: return half == 0x8000 ? NEGATED_ABSOLUTE : AS_IT_IS;
	}
}

/* Halves of a word that moves, or is cut. */
static Sign sign_of_moved(LLVMValueRef v, LLVMOpcode op, unsigned at, unsigned deep)
{
	uint64_t shift = 0;
	LLVMValueRef from = LLVMGetOperand(v, 0);
	bool moves = op == LLVMShl || op == LLVMLShr;
	if (moves && (!constant_bits(LLVMGetOperand(v, 1), &shift) || shift % 16))
		return AS_IT_IS;
	unsigned by = (unsigned)shift / 16;
	if (op == LLVMShl && at < by)
		return AS_IT_IS;
	at = op == LLVMShl ? at - by : at + by;
	return 16 * (at + 1) <= bits_of(LLVMTypeOf(from)) ? sign_at(from, at, deep) : AS_IT_IS;
}

static Sign sign_of_constant(LLVMValueRef v, unsigned at)
{
	LLVMBool inexact;
	unsigned half;
	if (LLVMIsAConstantFP(v))
		return signbit(LLVMConstRealGetDouble(v, &inexact)) ? NEGATED : AS_IT_IS;
	return half_of_constant(v, at, &half) && half & 0x8000 ? NEGATED : AS_IT_IS;
}

static Sign sign_of_instruction(LLVMValueRef v, unsigned at, unsigned deep)
{
	uint64_t index;
	unsigned each;
	LLVMOpcode op = LLVMGetInstructionOpcode(v);
	bool of_halves = is_half(LLVMTypeOf(v)) || is_pair(LLVMTypeOf(v));
	switch (op) {
	case LLVMFNeg: return of_halves ? turned[sign_at(LLVMGetOperand(v, 0), at, deep)] : AS_IT_IS;
	case LLVMBitCast: return sign_at(LLVMGetOperand(v, 0), at, deep);
	case LLVMXor:
	case LLVMAnd:
	case LLVMOr: return sign_of_bits(v, op, at, deep);
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMShl:
	case LLVMLShr: return sign_of_moved(v, op, at, deep);
	case LLVMCall: return of_halves && is_fabs(v) ? ABSOLUTE : AS_IT_IS;
	case LLVMInsertElement:
		each = halves_of(LLVMTypeOf(v));
		if (!each || !constant_bits(LLVMGetOperand(v, 2), &index))
			return AS_IT_IS;
		return index == at / each ? sign_at(LLVMGetOperand(v, 1), at % each, deep)
					  : sign_at(LLVMGetOperand(v, 0), at, deep);
	case LLVMExtractElement:
		each = halves_of(LLVMTypeOf(LLVMGetOperand(v, 0)));
		if (!each || !constant_bits(LLVMGetOperand(v, 1), &index))
			return AS_IT_IS;
		return sign_at(LLVMGetOperand(v, 0), (unsigned)index * each + at, deep);
	case LLVMShuffleVector: {
		each = halves_of(LLVMTypeOf(v));
		int from = each ? LLVMGetMaskValue(v, at / each) : -1;
		unsigned size = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(v, 0)));
		if (from < 0)
			return AS_IT_IS;
		return sign_at(LLVMGetOperand(v, (unsigned)from >= size),
			       (unsigned)from % size * each + at % each, deep);
	}
	default: return AS_IT_IS;
	}
}

/* The sign of a value's half `at`. */
static Sign sign_at(LLVMValueRef v, unsigned at, unsigned deep)
{
	if (!deep)
		return AS_IT_IS;
	if (LLVMIsAInstruction(v))
		return sign_of_instruction(v, at, deep - 1);
	unsigned each = LLVMIsConstant(v) ? halves_of(LLVMTypeOf(v)) : 0;
	LLVMValueRef element = each ? LLVMGetAggregateElement(v, at / each) : NULL;
	return sign_of_constant(element ? element : v, element ? at % each : at);
}

static bool is_constant(LLVMValueRef v)
{
	return LLVMIsConstant(v) && !LLVMIsUndef(v);
}

static bool has_two_signs(LLVMValueRef pair)
{
	return !is_constant(pair) && sign_at(pair, 0, DEEP) != sign_at(pair, 1, DEEP);
}

/* ---- one half at a time ---- */

static unsigned operands_of(LLVMValueRef v)
{
	return LLVMIsACallInst(v) ? LLVMGetNumArgOperands(v) : (unsigned)LLVMGetNumOperands(v);
}

/* Arithmetic on nothing but pairs of halves. */
static bool is_of_pairs(LLVMValueRef v)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(v);
	LLVMValueRef fn = op == LLVMCall ? LLVMGetCalledValue(v) : NULL;
	bool intrinsic = fn && LLVMIsAFunction(fn) && LLVMGetIntrinsicID(fn) &&
			 LLVMIntrinsicIsOverloaded(LLVMGetIntrinsicID(fn));
	bool plain = op == LLVMFAdd || op == LLVMFSub || op == LLVMFMul || op == LLVMFNeg;
	if (!is_pair(LLVMTypeOf(v)) || !(plain || intrinsic))
		return false;
	for (unsigned i = 0; i < operands_of(v); i++)
		if (LLVMTypeOf(LLVMGetOperand(v, i)) != LLVMTypeOf(v))
			return false;
	return true;
}

/* Sums and products that may become one instruction count as one. */
static bool may_go_wrong(LLVMValueRef v)
{
	bool flags = LLVMCanValueUseFastMathFlags(v);
	unsigned found = flags && LLVMGetFastMathFlags(v) & LLVMFastMathAllowContract;
	for (unsigned i = 0; i < operands_of(v); i++)
		found += has_two_signs(LLVMGetOperand(v, i));
	return found > 1;
}

static LLVMValueRef half_of(LLVMBuilderRef b, LLVMValueRef pair, unsigned at)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(pair)));
	return LLVMBuildExtractElement(b, pair, LLVMConstInt(i32, at, false), "");
}

static LLVMValueRef on_half(LLVMBuilderRef b, LLVMModuleRef module, LLVMValueRef v, unsigned at)
{
	LLVMValueRef args[MOST_OPERANDS];
	LLVMTypeRef half = LLVMGetElementType(LLVMTypeOf(v));
	unsigned count = operands_of(v);
	for (unsigned i = 0; i < count; i++)
		args[i] = half_of(b, LLVMGetOperand(v, i), at);
	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMFAdd: return LLVMBuildFAdd(b, args[0], args[1], "");
	case LLVMFSub: return LLVMBuildFSub(b, args[0], args[1], "");
	case LLVMFMul: return LLVMBuildFMul(b, args[0], args[1], "");
	case LLVMFNeg: return LLVMBuildFNeg(b, args[0], "");
	default: {
		unsigned id = LLVMGetIntrinsicID(LLVMGetCalledValue(v));
		LLVMValueRef fn = LLVMGetIntrinsicDeclaration(module, id, &half, 1);
		return LLVMBuildCall2(b, LLVMGlobalGetValueType(fn), fn, args, count, "");
	}
	}
}

static void take_apart(LLVMBuilderRef b, LLVMModuleRef module, LLVMValueRef v)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(v)));
	LLVMValueRef both = LLVMGetPoison(LLVMTypeOf(v));
	LLVMPositionBuilderBefore(b, v);
	for (unsigned i = 0; i < 2; i++) {
		LLVMValueRef half = on_half(b, module, v, i);
		if (LLVMIsAInstruction(half) && LLVMCanValueUseFastMathFlags(half))
			LLVMSetFastMathFlags(half, LLVMGetFastMathFlags(v));
		both = LLVMBuildInsertElement(b, both, half, LLVMConstInt(i32, i, false), "");
	}
	LLVMReplaceAllUsesWith(v, both);
	LLVMInstructionEraseFromParent(v);
}

static void block_apart(LLVMBuilderRef b, LLVMModuleRef module, LLVMBasicBlockRef block)
{
	for (LLVMValueRef v = LLVMGetFirstInstruction(block), next; v; v = next) {
		next = LLVMGetNextInstruction(v);
		if (is_of_pairs(v) && operands_of(v) <= MOST_OPERANDS && may_go_wrong(v))
			take_apart(b, module, v);
	}
}

void halves_apart(LLVMModuleRef module)
{
	LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
	for (LLVMValueRef fn = LLVMGetFirstFunction(module); fn; fn = LLVMGetNextFunction(fn))
		for (LLVMBasicBlockRef at = LLVMGetFirstBasicBlock(fn); at; at = LLVMGetNextBasicBlock(at))
			block_apart(b, module, at);
	LLVMDisposeBuilder(b);
}
