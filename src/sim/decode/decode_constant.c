/* Constants: the bits of numbers and addresses, and data that lies with the kernel. */
#include "sim/decode/decode.h"

#include <llvm-c/Target.h>

__extension__ typedef unsigned __int128 UnsignedWide;

uint32_t sim_constant(SimDecoder *d, uint64_t bits, unsigned bytes)
{
	CONTRACT(bytes && bytes <= 8);
	uint64_t known, key = bits * 0x9e3779b97f4a7c15u ^ bytes;
	if (map_get(&d->constant_of, key, &known) && d->constants.data[known] == bits && d->constant_bytes.data[known] == bytes)
		return SIM_CONSTANT | (uint32_t)known;
	uint32_t at = d->constants.len;
	vec_push(d->arena, &d->constants, bits);
	vec_push(d->arena, &d->constant_bytes, (uint8_t)bytes);
	vec_push(d->arena, &d->constant_undefined, 0);
	map_put(&d->constant_of, key, at);
	return SIM_CONSTANT | at;
}

uint32_t sim_undefined(SimDecoder *d, unsigned bytes)
{
	unsigned size = base_log2(bytes);
	if (!d->undefined[size]) {
		d->undefined[size] = SIM_CONSTANT | d->constants.len;
		vec_push(d->arena, &d->constants, 0);
		vec_push(d->arena, &d->constant_bytes, (uint8_t)bytes);
		vec_push(d->arena, &d->constant_undefined, 1);
	}
	return d->undefined[size];
}

static LLVMTargetDataRef layout_of(const SimDecoder *d)
{
	return LLVMGetModuleDataLayout(d->mod);
}

static bool refuse_constant(SimDecoder *d, LLVMValueRef v)
{
	char *text = LLVMPrintValueToString(v);
	sim_refuse(d, "the constant %s", text);
	LLVMDisposeMessage(text);
	return false;
}

static bool is_bitcast(LLVMValueRef v)
{
	return LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMBitCast;
}

static bool is_vector(LLVMValueRef v)
{
	return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind;
}

/* Elements lie as in memory. */
static bool write_constant(SimDecoder *d, LLVMValueRef v, uint8_t *out)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	if (LLVMIsAConstantAggregateZero(v) || LLVMIsUndef(v))
		return true;
	if (is_bitcast(v))
		return write_constant(d, LLVMGetOperand(v, 0), out);
	if (kind == LLVMVectorTypeKind && sim_bits(LLVMGetElementType(type)) % 8)
		return refuse_constant(d, v);
	if (kind == LLVMArrayTypeKind || kind == LLVMVectorTypeKind || kind == LLVMStructTypeKind) {
		uint64_t n = kind == LLVMArrayTypeKind ? LLVMGetArrayLength2(type) :
			     kind == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : LLVMCountStructElementTypes(type);
		for (unsigned i = 0; i < n; i++) {
			LLVMValueRef part = LLVMGetAggregateElement(v, i);
			if (!part)
				return refuse_constant(d, v);
			uint64_t offset = kind == LLVMStructTypeKind ? LLVMOffsetOfElement(layout_of(d), type, i) :
					  i * LLVMABISizeOfType(layout_of(d), LLVMTypeOf(part));
			if (!write_constant(d, part, out + offset))
				return false;
		}
		return true;
	}
	uint64_t bits;
	if (!sim_constant_bits(d, v, &bits))
		return false;
	memcpy(out, &bits, sim_bytes(type));
	return true;
}

/* Shared memory begins at 0; constant data lies with the kernel. */
static bool global_address(SimDecoder *d, LLVMValueRef global, uint64_t *out)
{
	*out = 0;
	if (LLVMGetPointerAddressSpace(LLVMTypeOf(global)) == 3 || map_get(&d->data_of, map_key(global), out))
		return true;
	LLVMValueRef data = LLVMIsAGlobalVariable(global) ? LLVMGetInitializer(global) : NULL;
	size_t len;
	if (!data)
		return sim_refuse(d, "the address of '%s'", LLVMGetValueName2(global, &len));
	uint64_t size = LLVMABISizeOfType(layout_of(d), LLVMTypeOf(data));
	uint8_t *bytes = arena_alloc_raw(d->arena, size + 16, 16);
	memset(bytes, 0, size + 16);
	*out = (uint64_t)(uintptr_t)bytes;
	vec_push(d->arena, &d->texts, (SimRange){*out, size});
	map_put(&d->data_of, map_key(global), *out);
	return write_constant(d, data, bytes);
}

static bool eval_gep(SimDecoder *d, LLVMValueRef v, uint64_t *out)
{
	LLVMTypeRef type = LLVMGetGEPSourceElementType(v);
	if (!sim_constant_bits(d, LLVMGetOperand(v, 0), out))
		return false;
	int count = LLVMGetNumOperands(v);
	for (int i = 1; i < count; i++) {
		uint64_t index;
		if (!sim_constant_bits(d, LLVMGetOperand(v, (unsigned)i), &index))
			return false;
		unsigned bits = sim_bits(LLVMTypeOf(LLVMGetOperand(v, (unsigned)i)));
		index = (uint64_t)((int64_t)(index << (64 - bits)) >> (64 - bits));
		if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
			*out += LLVMOffsetOfElement(layout_of(d), type, (unsigned)index);
			type = LLVMStructGetTypeAtIndex(type, (unsigned)index);
			continue;
		}
		if (i > 1)
			type = LLVMGetElementType(type);
		*out += index * LLVMABISizeOfType(layout_of(d), type);
	}
	return true;
}

/* A part of a vector that is a cast of another. */
static bool eval_part(SimDecoder *d, LLVMValueRef v, uint64_t *out)
{
	LLVMValueRef vector = LLVMGetOperand(v, 0);
	uint64_t size = LLVMABISizeOfType(layout_of(d), LLVMTypeOf(vector)), at;
	unsigned bytes = sim_bytes(LLVMTypeOf(v));
	uint8_t *data = arena_alloc(d->scratch, size + 16);
	if (sim_bits(LLVMTypeOf(v)) != 8 * bytes || bytes > sizeof *out)
		return refuse_constant(d, v);
	if (!sim_constant_bits(d, LLVMGetOperand(v, 1), &at) || !write_constant(d, vector, data))
		return false;
	if (at >= LLVMGetVectorSize(LLVMTypeOf(vector)))
		return refuse_constant(d, v);
	memcpy(out, data + at * bytes, bytes);
	return true;
}

bool sim_constant_bits(SimDecoder *d, LLVMValueRef v, uint64_t *out)
{
	*out = 0;
	if (LLVMIsUndef(v) || LLVMIsAConstantPointerNull(v) || LLVMIsNull(v))
		return true;
	if (LLVMIsAConstantInt(v)) {
		*out = LLVMConstIntGetZExtValue(v);
		return true;
	}
	if (LLVMIsAConstantFP(v)) {
		LLVMTypeRef bits = LLVMIntTypeInContext(LLVMGetModuleContext(d->mod), sim_bits(LLVMTypeOf(v)));
		*out = LLVMConstIntGetZExtValue(LLVMConstBitCast(v, bits));
		return true;
	}
	if (LLVMIsAGlobalValue(v))
		return global_address(d, v, out);
	if (is_bitcast(v) && is_vector(LLVMGetOperand(v, 0)))
		return sim_bits(LLVMTypeOf(v)) <= 64 ? write_constant(d, v, (uint8_t *)out) : refuse_constant(d, v);
	if (LLVMIsAConstantExpr(v)) {
		switch (LLVMGetConstOpcode(v)) {
		case LLVMGetElementPtr: return eval_gep(d, v, out);
		case LLVMExtractElement: return eval_part(d, v, out);
		case LLVMBitCast:
		case LLVMAddrSpaceCast:
		case LLVMPtrToInt:
		case LLVMIntToPtr:
		case LLVMTrunc:
			if (!sim_constant_bits(d, LLVMGetOperand(v, 0), out))
				return false;
			*out &= UINT64_MAX >> (64 - sim_bits(LLVMTypeOf(v)));
			return true;
		case LLVMAdd:
		case LLVMSub: {
			uint64_t a, b;
			if (!sim_constant_bits(d, LLVMGetOperand(v, 0), &a) || !sim_constant_bits(d, LLVMGetOperand(v, 1), &b))
				return false;
			*out = (LLVMGetConstOpcode(v) == LLVMAdd ? a + b : a - b) & UINT64_MAX >> (64 - sim_bits(LLVMTypeOf(v)));
			return true;
		}
		default: break;
		}
	}
	return refuse_constant(d, v);
}

/* The parts of a vector that is a cast of another: as that lies in memory. */
static bool cast_parts(SimDecoder *d, LLVMValueRef v, const SimShape *shape, uint32_t *slots)
{
	uint64_t size = LLVMABISizeOfType(layout_of(d), LLVMTypeOf(v));
	unsigned bytes = sim_bytes(shape->part[0]);
	uint8_t *data = arena_alloc(d->scratch, size + 16);
	if (sim_bits(shape->part[0]) != 8 * bytes)
		return refuse_constant(d, v);
	if (!write_constant(d, v, data))
		return false;
	for (uint32_t i = 0; i < shape->count; i++) {
		uint64_t bits = 0;
		memcpy(&bits, data + (size_t)i * bytes, bytes);
		slots[i] = sim_constant(d, bits, bytes);
	}
	return true;
}

SimValue sim_constant_value(SimDecoder *d, LLVMValueRef v)
{
	SimShape shape;
	SimValue none = {0};
	if (!sim_shape(d, LLVMTypeOf(v), &shape))
		return none;
	SimValue out = {0};
	out.count = shape.count;
	out.slots = ARENA_ARRAY(d->scratch, uint32_t, shape.count + 1);
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(v));
	bool whole = kind == LLVMVectorTypeKind || kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind;
	bool two = shape.count == 2 && kind == LLVMIntegerTypeKind;
	if (kind == LLVMVectorTypeKind && is_bitcast(v))
		return cast_parts(d, v, &shape, out.slots) ? out : none;
	for (uint32_t i = 0; i < shape.count && two; i++) {
		uint64_t bits = 0;
		if (LLVMIsAConstantInt(v)) {
			char *text = LLVMPrintValueToString(v);
			const char *digits = strchr(text, ' ') + 1;
			UnsignedWide sum = 0;
			for (const char *c = digits + (*digits == '-'); *c; c++)
				sum = sum * 10 + (unsigned)(*c - '0');
			sum = *digits == '-' ? 0 - sum : sum;
			bits = (uint64_t)(sum >> 64 * i);
			LLVMDisposeMessage(text);
		}
		out.slots[i] = sim_constant(d, bits, 8);
	}
	for (uint32_t i = 0; i < shape.count && !two; i++) {
		uint64_t bits = 0;
		bool empty = whole && (LLVMIsUndef(v) || LLVMIsNull(v));
		LLVMValueRef part = whole && !empty ? LLVMGetAggregateElement(v, i) : v;
		if (LLVMIsUndef(v) || (part && LLVMIsUndef(part))) {
			out.slots[i] = sim_undefined(d, sim_bytes(shape.part[i]));
			continue;
		}
		if (!empty && !(part ? sim_constant_bits(d, part, &bits) : refuse_constant(d, v)))
			return none;
		out.slots[i] = sim_constant(d, bits, sim_bytes(shape.part[i]));
	}
	return out;
}
