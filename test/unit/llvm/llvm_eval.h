/* For tests of lowering: builds LLVM IR by our own functions and evaluates it on the CPU, one call at a time.
 *
 * Each function is translated once into a list of steps. A value is an array of lanes: one for a scalar, more
 * for vectors and structs. Floats are computed in the host's arithmetic of the same format, f16 and bf16
 * through double and fp.h. Machine operations have a meaning here; an approximation is the exact value,
 * rounded. */
#ifndef NESO_TEST_LLVM_EVAL_H
#define NESO_TEST_LLVM_EVAL_H
#include "unit.h"

#include <math.h>
#include <string.h>

#include "base/float/fp.h"
#include "llvm/emit.h"
#include "llvm/lower_int.h"

__extension__ typedef unsigned __int128 Wide;
__extension__ typedef __int128 SignedWide;

enum { EVAL_LANES = 8, EVAL_OPERANDS = 4 };

typedef struct EvalValue {
	Wide lane[EVAL_LANES];
} EvalValue;

/* What a lane holds. */
typedef struct EvalType {
	LLVMTypeKind kind; /* of a lane */
	unsigned bits, lanes;
} EvalType;

typedef struct EvalStep {
	LLVMOpcode opcode;
	int predicate;
	EvalType type, from; /* of the result, of operand 0 */
	unsigned out, in[EVAL_OPERANDS], count, index; /* slots; index of a field */
	const char *callee;
	struct EvalFunction *function;
	unsigned block, targets[2]; /* of a branch; phi: the blocks of in[] */
	unsigned phi_blocks[EVAL_OPERANDS];
	const uint64_t *table; /* of a load */
} EvalStep;

typedef struct EvalFunction {
	EvalStep *steps;
	unsigned count, slots, params;
	unsigned *block_start; /* first step of each block */
	EvalValue *initial;    /* constants in their slots */
	EvalValue *values;
} EvalFunction;

typedef struct Eval {
	Arena arena;
	Emit emit;
	IrCx ir;
	IrModule *module;
	GpuCx gpu;
	Lower lw;
	LLVMValueRef names[4096]; /* translated values of the function, by slot */
	unsigned slots;
} Eval;

static inline void eval_open(Eval *e, const char *target)
{
	memset(e, 0, sizeof *e);
	arena_init(&e->arena, 0);
	ir_cx_init(&e->ir, &e->arena);
	e->module = ir_module_new(&e->ir);
	const TargetGpu *gpu = target_find(target);
	gpu_cx_init(&e->gpu, &e->ir, gpu, 4, 1, 3);
	emit_enter(&e->emit);
	assert_true(emit_open(&e->emit, gpu, gpu->ptx, false));
	emit_new_module(&e->emit, "eval");
	e->lw = (Lower){.arena = &e->arena, .gpu = &e->gpu, .module = e->module, .target = gpu, .cx = e->emit.cx,
			.mod = e->emit.mod, .b = e->emit.builder};
	lower_init(&e->lw);
}

static inline void eval_close(Eval *e)
{
	emit_close(&e->emit);
	emit_leave(&e->emit);
	arena_free(&e->arena);
}

/* ---- translation ---- */

static inline EvalType eval_type(LLVMTypeRef t)
{
	EvalType r = {LLVMGetTypeKind(t), 0, 1};
	if (r.kind == LLVMVectorTypeKind) {
		r = eval_type(LLVMGetElementType(t));
		r.lanes = LLVMGetVectorSize(t);
		return r;
	}
	switch (r.kind) {
	case LLVMIntegerTypeKind: r.bits = LLVMGetIntTypeWidth(t); break;
	case LLVMHalfTypeKind: case LLVMBFloatTypeKind: r.bits = 16; break;
	case LLVMFloatTypeKind: r.bits = 32; break;
	case LLVMDoubleTypeKind: case LLVMPointerTypeKind: r.bits = 64; break;
	case LLVMStructTypeKind: r.lanes = LLVMCountStructElementTypes(t); break;
	default: break;
	}
	return r;
}

static inline Wide eval_constant(LLVMValueRef v)
{
	if (LLVMIsAConstantInt(v))
		return LLVMConstIntGetZExtValue(v);
	if (LLVMIsAConstantFP(v)) {
		LLVMBool loses;
		double d = LLVMConstRealGetDouble(v, &loses);
		FpFormat f = LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMHalfTypeKind ? FP_F16 :
			     LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMBFloatTypeKind ? FP_BF16 :
			     LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMFloatTypeKind ? FP_F32 : FP_F64;
		return fp_from_double(f, d, FP_NEAREST_EVEN, false);
	}
	return 0; /* null, poison */
}

static inline unsigned eval_slot(Eval *e, EvalFunction *f, LLVMValueRef v)
{
	for (unsigned i = 0; i < e->slots; i++)
		if (e->names[i] == v)
			return i;
	assert_true(e->slots < ARRAY_LEN(e->names));
	unsigned slot = e->slots++;
	e->names[slot] = v;
	if (LLVMIsAConstant(v)) {
		EvalType t = eval_type(LLVMTypeOf(v));
		for (unsigned i = 0; i < t.lanes; i++)
			f->initial[slot].lane[i] = t.lanes == 1 || LLVMIsNull(v) || LLVMIsPoison(v) ? eval_constant(v) :
						   eval_constant(LLVMGetAggregateElement(v, i));
	}
	return slot;
}

static inline unsigned eval_block(LLVMValueRef fn, LLVMBasicBlockRef block)
{
	unsigned n = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b != block; b = LLVMGetNextBasicBlock(b))
		n++;
	return n;
}

static EvalFunction *eval_translate(Eval *e, LLVMValueRef fn);

static inline void eval_call(Eval *e, EvalStep *s, LLVMValueRef inst)
{
	LLVMValueRef callee = LLVMGetCalledValue(inst);
	size_t len;
	const char *name = LLVMGetValueName2(callee, &len);
	s->callee = arena_strndup(&e->arena, name, len);
	if (LLVMCountBasicBlocks(callee)) {
		Eval inner = *e;
		inner.slots = 0;
		s->function = eval_translate(&inner, callee);
		e->arena = inner.arena;
	}
}

static inline void eval_step(Eval *e, EvalFunction *f, EvalStep *s, LLVMValueRef fn, LLVMValueRef inst)
{
	*s = (EvalStep){.opcode = LLVMGetInstructionOpcode(inst), .type = eval_type(LLVMTypeOf(inst))};
	s->block = eval_block(fn, LLVMGetInstructionParent(inst));
	unsigned count = (unsigned)LLVMGetNumOperands(inst);
	if (s->opcode == LLVMBr) {
		for (unsigned i = 0; i < LLVMGetNumSuccessors(inst); i++)
			s->targets[i] = eval_block(fn, LLVMGetSuccessor(inst, i));
		s->count = LLVMIsConditional(inst) ? 1 : 0;
		if (s->count)
			s->in[0] = eval_slot(e, f, LLVMGetCondition(inst));
		return;
	}
	if (s->opcode == LLVMLoad) { /* only of the table of 2/pi: the index of its address */
		LLVMValueRef at = LLVMGetOperand(inst, 0), data = LLVMGetInitializer(LLVMGetOperand(at, 0));
		unsigned words = (unsigned)LLVMGetArrayLength2(LLVMTypeOf(data));
		uint64_t *table = ARENA_ARRAY(&e->arena, uint64_t, words);
		for (unsigned i = 0; i < words; i++)
			table[i] = LLVMConstIntGetZExtValue(LLVMGetAggregateElement(data, i));
		s->table = table;
		s->in[0] = eval_slot(e, f, LLVMGetOperand(at, 2));
		s->out = eval_slot(e, f, inst);
		return;
	}
	if (s->opcode == LLVMCall) {
		count = LLVMGetNumArgOperands(inst);
		eval_call(e, s, inst);
	}
	assert_true(count <= EVAL_OPERANDS);
	s->count = count;
	for (unsigned i = 0; i < count && s->opcode != LLVMGetElementPtr; i++) {
		s->in[i] = eval_slot(e, f, LLVMGetOperand(inst, i));
		if (s->opcode == LLVMPHI)
			s->phi_blocks[i] = eval_block(fn, LLVMGetIncomingBlock(inst, i));
	}
	if (count)
		s->from = eval_type(LLVMTypeOf(LLVMGetOperand(inst, 0)));
	if (s->opcode == LLVMICmp)
		s->predicate = (int)LLVMGetICmpPredicate(inst);
	if (s->opcode == LLVMFCmp)
		s->predicate = (int)LLVMGetFCmpPredicate(inst);
	if (s->opcode == LLVMExtractValue || s->opcode == LLVMInsertValue)
		s->index = LLVMGetIndices(inst)[0];
	s->out = eval_slot(e, f, inst);
}

static EvalFunction *eval_translate(Eval *e, LLVMValueRef fn)
{
	EvalFunction *f = ARENA_NEW(&e->arena, EvalFunction);
	unsigned count = 0, blocks = LLVMCountBasicBlocks(fn), block = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			count++;
	f->steps = ARENA_ARRAY(&e->arena, EvalStep, count);
	f->block_start = ARENA_ARRAY(&e->arena, unsigned, blocks);
	f->initial = ARENA_ARRAY(&e->arena, EvalValue, ARRAY_LEN(e->names));
	f->params = LLVMCountParams(fn);
	e->slots = 0;
	for (unsigned i = 0; i < f->params; i++)
		eval_slot(e, f, LLVMGetParam(fn, i));
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b)) {
		f->block_start[block++] = f->count;
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			eval_step(e, f, &f->steps[f->count++], fn, i);
	}
	f->slots = e->slots;
	f->values = ARENA_ARRAY(&e->arena, EvalValue, f->slots);
	return f;
}

/* ---- arithmetic ---- */

static inline FpFormat eval_format(EvalType t)
{
	return t.kind == LLVMHalfTypeKind ? FP_F16 : t.kind == LLVMBFloatTypeKind ? FP_BF16 : t.kind == LLVMFloatTypeKind ? FP_F32 : FP_F64;
}

static inline double eval_double(EvalType t, Wide bits)
{
	return fp_to_double(eval_format(t), (uint64_t)bits);
}

/* A double that was rounded once already to at least twice the digits, or is exact. */
static inline Wide eval_round(EvalType t, double value)
{
	return fp_from_double(eval_format(t), value, FP_NEAREST_EVEN, false);
}

static inline Wide eval_mask(unsigned bits)
{
	return bits >= 128 ? ~(Wide)0 : ((Wide)1 << bits) - 1;
}

static inline SignedWide eval_signed(Wide v, unsigned bits)
{
	unsigned unused = 128 - bits;
	return (SignedWide)(v << unused) >> unused;
}

static inline Wide eval_float2(LLVMOpcode op, EvalType t, Wide a, Wide b)
{
	double x = eval_double(t, a), y = eval_double(t, b);
	if (t.kind == LLVMFloatTypeKind) {
		float p = (float)x, q = (float)y;
		float r = op == LLVMFAdd ? p + q : op == LLVMFSub ? p - q : op == LLVMFMul ? p * q : p / q;
		return eval_round(t, (double)r);
	}
	return eval_round(t, op == LLVMFAdd ? x + y : op == LLVMFSub ? x - y : op == LLVMFMul ? x * y : x / y);
}

static inline Wide eval_int2(LLVMOpcode op, unsigned bits, Wide a, Wide b)
{
	Wide r;
	switch (op) {
	case LLVMAdd: r = a + b; break;
	case LLVMSub: r = a - b; break;
	case LLVMMul: r = a * b; break;
	case LLVMAnd: r = a & b; break;
	case LLVMOr: r = a | b; break;
	case LLVMXor: r = a ^ b; break;
	case LLVMShl: assert_true(b < bits); r = a << b; break;
	case LLVMLShr: assert_true(b < bits); r = a >> b; break;
	case LLVMAShr: assert_true(b < bits); r = (Wide)(eval_signed(a, bits) >> b); break;
	case LLVMURem: assert_true(b != 0); r = a % b; break;
	default: fail_msg("no integer operation %d", (int)op); r = 0;
	}
	return r & eval_mask(bits);
}

static inline bool eval_icmp(int predicate, unsigned bits, Wide a, Wide b)
{
	SignedWide x = eval_signed(a, bits), y = eval_signed(b, bits);
	switch (predicate) {
	case LLVMIntEQ: return a == b;
	case LLVMIntNE: return a != b;
	case LLVMIntULT: return a < b;
	case LLVMIntULE: return a <= b;
	case LLVMIntUGT: return a > b;
	case LLVMIntUGE: return a >= b;
	case LLVMIntSLT: return x < y;
	case LLVMIntSLE: return x <= y;
	case LLVMIntSGT: return x > y;
	default: return x >= y;
	}
}

/* Bits of LLVM's predicates: 1 equal, 2 greater, 4 less, 8 unordered. */
static inline bool eval_fcmp(int predicate, double x, double y)
{
	int bit = x != x || y != y ? 8 : x == y ? 1 : x > y ? 2 : 4;
	return (predicate & bit) != 0;
}

static inline Wide eval_cast(const EvalStep *s, Wide v)
{
	switch (s->opcode) {
	case LLVMTrunc: return v & eval_mask(s->type.bits);
	case LLVMZExt: return v;
	case LLVMSExt: return (Wide)eval_signed(v, s->from.bits) & eval_mask(s->type.bits);
	case LLVMFPExt: case LLVMFPTrunc: return eval_round(s->type, eval_double(s->from, v));
	case LLVMUIToFP:
		return s->type.kind == LLVMFloatTypeKind ? eval_round(s->type, (double)(float)(uint64_t)v) : eval_round(s->type, (double)(uint64_t)v);
	case LLVMSIToFP: {
		int64_t i = (int64_t)eval_signed(v, s->from.bits);
		return s->type.kind == LLVMFloatTypeKind ? eval_round(s->type, (double)(float)i) : eval_round(s->type, (double)i);
	}
	case LLVMFPToUI: {
		double d = trunc(eval_double(s->from, v));
		return d >= 0 && d < 0x1p63 ? (Wide)(uint64_t)d & eval_mask(s->type.bits) : eval_mask(s->type.bits);
	}
	case LLVMFPToSI: {
		double d = trunc(eval_double(s->from, v));
		return fabs(d) < 0x1p63 ? (Wide)(int64_t)d & eval_mask(s->type.bits) : 0;
	}
	default: fail_msg("no cast %d", (int)s->opcode); return 0;
	}
}

/* Lanes of other widths over the same bits. */
static inline EvalValue eval_bitcast(const EvalStep *s, const EvalValue *v)
{
	EvalValue out = {{0}};
	for (unsigned bit = 0; bit < s->from.bits * s->from.lanes; bit++) {
		Wide b = v->lane[bit / s->from.bits] >> (bit % s->from.bits) & 1;
		out.lane[bit / s->type.bits] |= b << (bit % s->type.bits);
	}
	return out;
}

/* ---- calls ---- */

static inline float eval_f32(Wide bits)
{
	return (float)fp_to_double(FP_F32, (uint64_t)bits);
}

static inline Wide eval_bits(float f)
{
	return fp_from_double(FP_F32, (double)f, FP_NEAREST_EVEN, false);
}

static inline bool eval_is(const EvalStep *s, const char *prefix)
{
	return strncmp(s->callee, prefix, strlen(prefix)) == 0;
}

static inline Wide eval_intrinsic(const EvalStep *s, const Wide *a)
{
	EvalType t = s->type;
	double x = eval_double(t, a[0]), y = s->count > 1 ? eval_double(t, a[1]) : 0;
	bool is_f32 = t.kind == LLVMFloatTypeKind;
	if (eval_is(s, "llvm.fma."))
		return is_f32 ? eval_bits(fmaf((float)x, (float)y, eval_f32(a[2]))) : eval_round(t, fma(x, y, eval_double(t, a[2])));
	if (eval_is(s, "llvm.fabs."))
		return a[0] & eval_mask(t.bits - 1);
	if (eval_is(s, "llvm.copysign."))
		return (a[0] & eval_mask(t.bits - 1)) | (a[1] & ~eval_mask(t.bits - 1));
	if (eval_is(s, "llvm.floor."))
		return eval_round(t, floor(x));
	if (eval_is(s, "llvm.trunc."))
		return eval_round(t, trunc(x));
	if (eval_is(s, "llvm.sqrt."))
		return eval_round(t, sqrt(x));
	if (eval_is(s, "llvm.minnum."))
		return eval_round(t, fmin(x, y));
	if (eval_is(s, "llvm.fshl."))
		return a[2] ? ((a[0] << a[2]) | (a[1] >> (t.bits - a[2]))) & eval_mask(t.bits) : a[0];
	fail_msg("no meaning of %s", s->callee);
	return 0;
}

static inline Wide eval_prmt(const Wide *a)
{
	Wide bytes = a[0] | a[1] << 32, out = 0;
	for (unsigned i = 0; i < 4; i++)
		out |= (bytes >> (8 * (unsigned)(a[2] >> (4 * i) & 7)) & 0xff) << (8 * i);
	return out;
}

/* The packed conversions: four f16 or f32 to or from fp8. */
static inline EvalValue eval_fp8(const EvalStep *s, const Wide *a)
{
	FpFormat f = strstr(s->callee, "e4m3") ? FP_E4M3FN : FP_E5M2;
	EvalValue out = {{0}};
	for (unsigned i = 0; i < 4; i++) {
		unsigned half = 16 * (i & 1);
		if (eval_is(s, "neso.f32"))
			out.lane[0] |= (Wide)fp_from_double(f, (double)eval_f32(a[i]), FP_NEAREST_EVEN, true) << (8 * i);
		else if (eval_is(s, "neso.f16"))
			out.lane[0] |= (Wide)fp_from_double(f, fp_to_double(FP_F16, (uint64_t)(a[i / 2] >> half & 0xffff)),
							    FP_NEAREST_EVEN, true) << (8 * i);
		else
			out.lane[i / 2] |= (Wide)fp_from_double(FP_F16, fp_to_double(f, (uint64_t)(a[0] >> (8 * i) & 0xff)),
								FP_NEAREST_EVEN, false) << half;
	}
	return out;
}

static inline EvalValue eval_machine(const EvalStep *s, const Wide *a)
{
	EvalValue out = {{0}};
	if (eval_is(s, "neso.prmt")) {
		out.lane[0] = eval_prmt(a);
	} else if (strstr(s->callee, "e4m3") || strstr(s->callee, "e5m2")) {
		out = eval_fp8(s, a);
	} else if (eval_is(s, "neso.f32_to_") || eval_is(s, "neso.f64_to_")) {
		bool wide = eval_is(s, "neso.f64_");
		double d = wide ? fp_to_double(FP_F64, (uint64_t)a[0]) : (double)eval_f32(a[0]);
		if (strstr(s->callee, "_to_u"))
			out.lane[0] = (Wide)(uint64_t)(d > 0 ? d : 0);
		else
			out.lane[0] = (Wide)(int64_t)d & eval_mask(s->type.bits);
	} else if (eval_is(s, "neso.cvt_rz_f32_f64")) {
		out.lane[0] = fp_from_double(FP_F32, fp_to_double(FP_F64, (uint64_t)a[0]), FP_TOWARD_ZERO, false);
	} else if (eval_is(s, "neso.cvt_rz_")) {
		FpFormat f = strstr(s->callee, "bf16") ? FP_BF16 : FP_F16;
		for (unsigned i = 0; i < 2; i++)
			out.lane[0] |= (Wide)fp_from_double(f, (double)eval_f32(a[i]), FP_TOWARD_ZERO, false) << (16 * i);
	} else if (eval_is(s, "neso.div_")) {
		out.lane[0] = eval_bits(eval_f32(a[0]) / eval_f32(a[1]));
	} else if (eval_is(s, "neso.ex2")) {
		out.lane[0] = eval_bits((float)exp2((double)eval_f32(a[0])));
	} else if (eval_is(s, "neso.alu.rcp.approx.ftz.f64")) {
		out.lane[0] = eval_round(s->type, 1 / eval_double(s->type, a[0])) & ~(Wide)0xffffffff;
	} else if (eval_is(s, "neso.rsqrt_f64")) { /* a rough one, as the hardware's */
		out.lane[0] = eval_round(s->type, 1 / sqrt(eval_double(s->type, a[0]))) & ~(Wide)0xfffffff;
	} else {
		fail_msg("no meaning of %s", s->callee);
	}
	return out;
}

static EvalValue eval_run(const EvalFunction *f, const Wide *args);

static inline EvalValue eval_do_call(const EvalStep *s, const EvalValue *values)
{
	Wide args[EVAL_OPERANDS];
	for (unsigned i = 0; i < s->count; i++)
		args[i] = values[s->in[i]].lane[0];
	if (s->function)
		return eval_run(s->function, args);
	if (eval_is(s, "neso."))
		return eval_machine(s, args);
	return (EvalValue){{eval_intrinsic(s, args)}};
}

/* ---- running ---- */

static inline Wide eval_lane(const EvalStep *s, const EvalValue *values, unsigned lane)
{
	Wide a = values[s->in[0]].lane[lane], b = s->count > 1 ? values[s->in[1]].lane[lane] : 0;
	switch (s->opcode) {
	case LLVMFAdd: case LLVMFSub: case LLVMFMul: case LLVMFDiv: return eval_float2(s->opcode, s->type, a, b);
	case LLVMFNeg: return a ^ (Wide)1 << (s->type.bits - 1);
	case LLVMICmp: return eval_icmp(s->predicate, s->from.bits, a, b);
	case LLVMFCmp: return eval_fcmp(s->predicate, eval_double(s->from, a), eval_double(s->from, b));
	case LLVMTrunc: case LLVMZExt: case LLVMSExt: case LLVMFPExt: case LLVMFPTrunc: case LLVMUIToFP: case LLVMSIToFP: case LLVMFPToUI:
	case LLVMFPToSI: return eval_cast(s, a);
	default: return eval_int2(s->opcode, s->type.bits, a, b);
	}
}

static inline EvalValue eval_value(const EvalStep *s, const EvalValue *values, unsigned came_from)
{
	EvalValue out = values[s->in[0]];
	switch (s->opcode) {
	case LLVMPHI:
		for (unsigned i = 0; i < s->count; i++)
			if (s->phi_blocks[i] == came_from)
				return values[s->in[i]];
		fail_msg("a phi without the block");
		return out;
	case LLVMSelect: return values[s->in[out.lane[0] ? 1 : 2]];
	case LLVMBitCast: return eval_bitcast(s, &out);
	case LLVMFreeze: return out;
	case LLVMInsertElement: out.lane[values[s->in[2]].lane[0]] = values[s->in[1]].lane[0]; return out;
	case LLVMExtractElement: out.lane[0] = out.lane[values[s->in[1]].lane[0]]; return out;
	case LLVMInsertValue: out.lane[s->index] = values[s->in[1]].lane[0]; return out;
	case LLVMExtractValue: out.lane[0] = out.lane[s->index]; return out;
	case LLVMCall: return eval_do_call(s, values);
	case LLVMLoad: out.lane[0] = s->table[out.lane[0]]; return out;
	default: break;
	}
	EvalValue r = {{0}};
	for (unsigned i = 0; i < s->type.lanes; i++)
		r.lane[i] = eval_lane(s, values, i);
	return r;
}

static EvalValue eval_run(const EvalFunction *f, const Wide *args)
{
	EvalValue *v = f->values, phis[64];
	memcpy(v, f->initial, f->slots * sizeof *v);
	for (unsigned i = 0; i < f->params; i++)
		v[i].lane[0] = args[i];
	unsigned came_from = 0;
	for (unsigned at = 0;;) {
		const EvalStep *s = &f->steps[at];
		if (s->opcode == LLVMRet)
			return v[s->in[0]];
		if (s->opcode == LLVMBr) {
			came_from = s->block;
			at = f->block_start[s->targets[s->count && !v[s->in[0]].lane[0]]];
			continue;
		}
		if (s->opcode == LLVMGetElementPtr) {
			at++;
			continue;
		}
		if (s->opcode == LLVMPHI) { /* all phis of a block at once */
			unsigned n = 0;
			for (; s[n].opcode == LLVMPHI; n++)
				phis[n] = eval_value(&s[n], v, came_from);
			for (unsigned i = 0; i < n; i++)
				v[s[i].out] = phis[i];
			at += n;
			continue;
		}
		v[s->out] = eval_value(s, v, came_from);
		at++;
	}
}

/* ---- building ---- */

typedef LLVMValueRef EvalBody(Eval *e, LLVMValueRef fn, const void *data);

/* A function of these types, whose result `body` builds. */
static inline EvalFunction *eval_build(Eval *e, LLVMTypeRef result, const LLVMTypeRef *types, unsigned count, EvalBody *body,
				       const void *data)
{
	Lower *lw = &e->lw;
	LLVMTypeRef type = LLVMFunctionType(result, (LLVMTypeRef *)(uintptr_t)types, count, false);
	lw->fn = LLVMAddFunction(lw->mod, "eval", type);
	LLVMPositionBuilderAtEnd(lw->b, lower_new_block(lw, ""));
	LLVMBuildRet(lw->b, body(e, lw->fn, data));
	if (!emit_verify(&e->emit))
		fail_msg("%s", e->emit.error);
	return eval_translate(e, lw->fn);
}

#endif
