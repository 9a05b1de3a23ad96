/* Instructions that make addresses, and that access memory. */
#include "sim/check/define.h"
#include "sim/decode/decode.h"

#include <llvm-c/Target.h>

bool decode_gep(SimDecoder *d, LLVMValueRef v)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(d->mod);
	LLVMTypeRef type = LLVMGetGEPSourceElementType(v);
	if (LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind)
		return sim_refuse(d, "vectors of addresses");
	unsigned bytes = sim_bytes(LLVMTypeOf(v)), count = (unsigned)LLVMGetNumOperands(v);
	SimPure *const *table = bytes == 4 ? d->ops->address32 : d->ops->address64;
	uint32_t at = operand(d, v, 0).slots[0];
	uint64_t offset = 0;
	for (unsigned i = 1; i < count; i++) {
		LLVMValueRef index = LLVMGetOperand(v, i);
		uint64_t known;
		if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
			if (!constant_index(index, &known))
				return sim_refuse(d, "a field by number");
			offset += LLVMOffsetOfElement(layout, type, (unsigned)known);
			type = LLVMStructGetTypeAtIndex(type, (unsigned)known);
			continue;
		}
		if (i > 1)
			type = LLVMGetElementType(type);
		uint64_t scale = LLVMABISizeOfType(layout, type);
		if (constant_index(index, &known)) {
			offset += (uint64_t)LLVMConstIntGetSExtValue(index) * scale;
			continue;
		}
		uint32_t by = filled(d, sim_value(d, index).slots[0], LLVMTypeOf(index)), next = d->slots++;
		sim_pure(d, table[index_of(sim_bytes(LLVMTypeOf(index)))], bytes, next, at, by, SIM_NONE,
			 scale);
		at = next;
	}
	SimValue out = {ARENA_ARRAY(d->scratch, uint32_t, 1), 1};
	out.slots[0] = at;
	if (offset) {
		out.slots[0] = d->slots++;
		sim_pure(d, d->ops->add_imm[index_of(bytes)], bytes, out.slots[0], at, SIM_NONE, SIM_NONE,
			 offset);
	}
	sim_define(d, v, out);
	return true;
}

static void lane_address(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	uint64_t *to = sim_result(w, i, 0);
	EACH_LANE(lane, mask)
	to[lane] = (uint64_t)(uintptr_t)(w->local + (size_t)lane * w->cta->run->kernel->local + i->imm);
}

static bool local_memory(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	lane_address(w, i, mask);
	return true;
}

bool decode_alloca(SimDecoder *d, LLVMValueRef v)
{
	uint64_t size = LLVMABISizeOfType(LLVMGetModuleDataLayout(d->mod), LLVMGetAllocatedType(v)), n;
	if (!constant_index(LLVMGetOperand(v, 0), &n) || size * n > 1 << 16)
		return sim_refuse(d, "memory of a thread whose size is not known");
	SimValue out = sim_new(d, 1);
	SimInstr *i = sim_emit(d, SIM_EFFECT, 1, 0);
	i->effect = local_memory;
	i->lane_bytes = 8;
	i->slots[0] = out.slots[0];
	i->imm = d->local;
	d->local += (uint32_t)(size * n + 15) & ~15u;
	sim_define(d, v, out);
	return true;
}

static SimInstr *memory_access(SimDecoder *d, LLVMValueRef pointer, SimEffect *global, SimEffect *shared,
			       const SimShape *shape, unsigned align, bool load, const uint32_t *parts)
{
	unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)), n = shape->count;
	if (space > 1 && space != 3 && space != 4) {
		sim_refuse(d, "memory of address space %u", space);
		return NULL;
	}
	for (uint32_t p = 0; p < n; p++) {
		if (sim_bytes(shape->part[p]) != sim_bytes(shape->part[0]) ||
		    (n > 1 && is_odd(shape->part[p]))) {
			sim_refuse(d, "a load or store of parts of several sizes");
			return NULL;
		}
	}
	unsigned bits = sim_bits(shape->part[0]);
	if ((bits + 7) / 8 != sim_bytes(shape->part[0])) {
		sim_refuse(d, "a load or store of %u bits", bits);
		return NULL;
	}
	uint32_t address = sim_value(d, pointer).slots[0];
	SimInstr *i = sim_emit(d, SIM_EFFECT, load ? n : 0, load ? 1 : n + 1);
	i->effect = space == 3 ? shared : global;
	i->define = space == 3 ? (load ? sim_define_load_shared : sim_define_store_shared)
		    : load     ? sim_define_load
			       : sim_define_store;
	i->bytes = i->size = i->lane_bytes = (uint8_t)sim_bytes(shape->part[0]);
	i->parts = (uint8_t)n;
	i->align = align;
	memcpy(i->slots + (load ? 0 : 1), parts, sizeof *parts * n);
	i->slots[load ? n : 0] = address;
	return i;
}

/* One that comes from no argument that is known. */
void decode_note_address(SimDecoder *d, LLVMValueRef v)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
	if (LLVMGetTypeKind(vector ? LLVMGetElementType(type) : type) != LLVMPointerTypeKind)
		return;
	SimValue value = sim_value(d, v);
	for (uint32_t k = 0; k < value.count; k++)
		vec_push(d->scratch, &d->addresses, value.slots[k]);
}

static bool is_invariant(const SimDecoder *d, LLVMValueRef v)
{
	static const char name[] = "invariant.load";
	LLVMContextRef cx = LLVMGetModuleContext(d->mod);
	return LLVMHasMetadata(v) && LLVMGetMetadata(v, LLVMGetMDKindIDInContext(cx, name, sizeof name - 1));
}

bool decode_load(SimDecoder *d, LLVMValueRef v)
{
	SimShape shape;
	if (!sim_shape(d, LLVMTypeOf(v), &shape))
		return false;
	SimValue out = sim_new(d, shape.count);
	sim_define(d, v, out);
	SimInstr *i = memory_access(d, LLVMGetOperand(v, 0), sim_load, sim_load_shared, &shape,
				    LLVMGetAlignment(v), true, out.slots);
	decode_note_address(d, v);
	if (i)
		i->loads = i->cached = i->effect == sim_load;
	if (i && i->effect == sim_load && is_invariant(d, v))
		i->invariant = d->invariant = true;
	if (i && LLVMGetVolatile(v)) {
		i->order = SIM_VOLATILE;
		i->cached = false;
		d->ordered = true;
	}
	return i != NULL;
}

bool decode_store(SimDecoder *d, LLVMValueRef v)
{
	SimShape shape;
	LLVMValueRef value = LLVMGetOperand(v, 0);
	if (!sim_shape(d, LLVMTypeOf(value), &shape))
		return false;
	SimInstr *i = memory_access(d, LLVMGetOperand(v, 1), sim_store, sim_store_shared, &shape,
				    LLVMGetAlignment(v), false, sim_value(d, value).slots);
	if (i)
		i->updates = sim_updates(value, LLVMGetOperand(v, 1));
	return i != NULL;
}

bool decode_atomic(SimDecoder *d, LLVMValueRef v, bool swap)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(v, 1));
	unsigned operands = swap ? 3 : 2, results = swap ? 2 : 1;
	SimValue out = sim_new(d, results);
	uint32_t in[3];
	for (unsigned k = 0; k < operands; k++)
		in[k] = operand(d, v, k).slots[0];
	SimInstr *i = sim_emit(d, SIM_EFFECT, results, operands);
	i->effect = swap ? sim_cmpxchg : sim_rmw;
	i->define = sim_define_atomic;
	i->bytes = i->size = (uint8_t)sim_bytes(type);
	i->parts = 1;
	i->align = i->bytes;
	bool shared = LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(v, 0))) == 3;
	d->ordered |= !shared;
	i->imm = (swap ? 0 : (uint64_t)LLVMGetAtomicRMWBinOp(v) | (uint64_t)(decode_float(type) + 1) << 8) |
		 (uint64_t)shared << 16;
	memcpy(i->slots, out.slots, sizeof *out.slots * results);
	memcpy(i->slots + results, in, sizeof *in * operands);
	sim_define(d, v, out);
	return true;
}
