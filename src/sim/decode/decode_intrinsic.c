/* LLVM's intrinsics. */
#include "sim/decode/decode.h"
#include "sim/check/define.h"
#include "sim/ops/memory.h"

typedef struct Intrinsic {
	const char *name;
	enum { OF_INTS, OF_FLOATS, OF_OVERFLOW, OF_PARTS, NOTHING } kind;
	unsigned op, count, compare;
} Intrinsic;

static const Intrinsic intrinsics[] = {
	{"smin", OF_INTS, OPS_smin, 2, 0}, {"smax", OF_INTS, OPS_smax, 2, 0}, {"umin", OF_INTS, OPS_umin, 2, 0},
	{"umax", OF_INTS, OPS_umax, 2, 0}, {"abs", OF_INTS, OPS_abs, 1, 0}, {"ctpop", OF_INTS, OPS_ctpop, 1, 0},
	{"ctlz", OF_INTS, OPS_ctlz, 1, 0}, {"cttz", OF_INTS, OPS_cttz, 1, 0}, {"bswap", OF_INTS, OPS_bswap, 1, 0},
	{"bitreverse", OF_INTS, OPS_bitreverse, 1, 0}, {"fshl", OF_INTS, OPS_fshl, 3, 0}, {"fshr", OF_INTS, OPS_fshr, 3, 0},
	{"uadd.sat", OF_INTS, OPS_uadd_sat, 2, 0}, {"usub.sat", OF_INTS, OPS_usub_sat, 2, 0},
	{"sadd.sat", OF_INTS, OPS_sadd_sat, 2, 0}, {"ssub.sat", OF_INTS, OPS_ssub_sat, 2, 0},
	{"uadd.with.overflow", OF_OVERFLOW, OPS_add, 2, OPS_CMP_uadd_over}, {"usub.with.overflow", OF_OVERFLOW, OPS_sub, 2, OPS_CMP_usub_over},
	{"umul.with.overflow", OF_OVERFLOW, OPS_mul, 2, OPS_CMP_umul_over}, {"sadd.with.overflow", OF_OVERFLOW, OPS_add, 2, OPS_CMP_sadd_over},
	{"ssub.with.overflow", OF_OVERFLOW, OPS_sub, 2, OPS_CMP_ssub_over}, {"smul.with.overflow", OF_OVERFLOW, OPS_mul, 2, OPS_CMP_smul_over},
	{"canonicalize", OF_FLOATS, OPS_canonicalize, 1, 0}, {"minnum", OF_FLOATS, OPS_minnum, 2, 0},
	{"maxnum", OF_FLOATS, OPS_maxnum, 2, 0}, {"minimum", OF_FLOATS, OPS_minimum, 2, 0}, {"maximum", OF_FLOATS, OPS_maximum, 2, 0},
	{"minimumnum", OF_FLOATS, OPS_minnum, 2, 0}, {"maximumnum", OF_FLOATS, OPS_maxnum, 2, 0},
	{"sqrt", OF_FLOATS, OPS_sqrt, 1, 0}, {"floor", OF_FLOATS, OPS_floor, 1, 0}, {"ceil", OF_FLOATS, OPS_ceil, 1, 0},
	{"trunc", OF_FLOATS, OPS_trunc, 1, 0}, {"rint", OF_FLOATS, OPS_rint, 1, 0}, {"nearbyint", OF_FLOATS, OPS_rint, 1, 0},
	{"roundeven", OF_FLOATS, OPS_rint, 1, 0}, {"round", OF_FLOATS, OPS_round, 1, 0}, {"exp2", OF_FLOATS, OPS_exp2, 1, 0},
	{"log2", OF_FLOATS, OPS_log2, 1, 0}, {"sin", OF_FLOATS, OPS_sin, 1, 0}, {"cos", OF_FLOATS, OPS_cos, 1, 0},
	{"tanh", OF_FLOATS, OPS_tanh, 1, 0},
	{"vector.reduce.add", OF_PARTS, OPS_add, 1, 0}, {"vector.reduce.mul", OF_PARTS, OPS_mul, 1, 0},
	{"vector.reduce.and", OF_PARTS, OPS_and, 1, 0}, {"vector.reduce.or", OF_PARTS, OPS_or, 1, 0},
	{"vector.reduce.xor", OF_PARTS, OPS_xor, 1, 0}, {"vector.reduce.smin", OF_PARTS, OPS_smin, 1, 0},
	{"vector.reduce.smax", OF_PARTS, OPS_smax, 1, 0}, {"vector.reduce.umin", OF_PARTS, OPS_umin, 1, 0},
	{"vector.reduce.umax", OF_PARTS, OPS_umax, 1, 0},
	{"lifetime.start", NOTHING, 0, 0, 0}, {"lifetime.end", NOTHING, 0, 0, 0},
	{"experimental.noalias.scope.decl", NOTHING, 0, 0, 0},
};

static bool overflow(SimDecoder *d, LLVMValueRef v, const Intrinsic *in)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(v, 0));
	unsigned bytes = sim_bytes(type);
	if (!sim_bits(type))
		return sim_refuse(d, "this operation on such integers");
	SimValue a = operand(d, v, 0), b = operand(d, v, 1), out = sim_new(d, 2);
	if (is_odd(type)) {
		decode_odd_overflow(d, (SimIntCompare)in->compare, sim_bits(type), a.slots[0], b.slots[0], out.slots);
		sim_define(d, v, out);
		return true;
	}
	sim_pure(d, d->ops->ints[in->op][index_of(bytes)], bytes, out.slots[0], a.slots[0], b.slots[0], SIM_NONE, 0);
	sim_pure(d, d->ops->icmp[in->compare][index_of(bytes)], 1, out.slots[1], a.slots[0], b.slots[0], SIM_NONE, 0);
	sim_define(d, v, out);
	return true;
}

/* llvm.ucmp, llvm.scmp: 1, 0 or -1. */
static bool three_way(SimDecoder *d, LLVMValueRef v, bool is_signed)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(v, 0)), to = LLVMTypeOf(v);
	unsigned bytes = sim_bytes(type), wide = sim_bytes(to);
	if (!sim_bits(type) || !sim_bits(to))
		return sim_refuse(d, "a comparison of vectors in three ways");
	uint32_t a = operand(d, v, 0).slots[0], b = operand(d, v, 1).slots[0], bit[2], word[2];
	if (is_signed && is_odd(type)) {
		a = decode_fill(d, a, sim_bits(type));
		b = decode_fill(d, b, sim_bits(type));
	}
	for (unsigned k = 0; k < 2; k++) {
		SimIntCompare op = is_signed ? (k ? OPS_CMP_slt : OPS_CMP_sgt) : k ? OPS_CMP_ult : OPS_CMP_ugt;
		bit[k] = d->slots++;
		word[k] = d->slots++;
		sim_pure(d, d->ops->icmp[op][index_of(bytes)], 1, bit[k], a, b, SIM_NONE, 0);
		sim_pure(d, d->ops->zext[0][index_of(wide)], wide, word[k], bit[k], SIM_NONE, SIM_NONE, 0);
	}
	SimValue out = sim_new(d, 1);
	sim_pure(d, d->ops->ints[OPS_sub][index_of(wide)], wide, out.slots[0], word[0], word[1], SIM_NONE, 0);
	if (is_odd(to))
		out.slots[0] = decode_cut(d, out.slots[0], sim_bits(to));
	sim_define(d, v, out);
	return true;
}

/* Conversions to a width that the GPU has not: to 64 bits, held within the limits; NaN gives 0. */
static bool to_odd_saturated(SimDecoder *d, LLVMValueRef v, bool is_signed)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	int kind = decode_float(LLVMTypeOf(LLVMGetOperand(v, 0)));
	unsigned bits = sim_bits(type);
	if (kind < 0 || !bits)
		return sim_refuse(d, "this conversion");
	uint64_t high = (is_signed ? UINT64_C(1) << (bits - 1) : UINT64_C(1) << bits) - 1;
	uint32_t from = operand(d, v, 0).slots[0], whole = d->slots++, low = d->slots++, held = d->slots++, nan = d->slots++, out = d->slots++;
	sim_pure(d, (is_signed ? d->ops->fptosi : d->ops->fptoui)[kind][3], 8, whole, from, SIM_NONE, SIM_NONE, 0);
	sim_pure(d, d->ops->ints[is_signed ? OPS_smin : OPS_umin][3], 8, low, whole, sim_constant(d, high, 8), SIM_NONE, 0);
	sim_pure(d, d->ops->ints[is_signed ? OPS_smax : OPS_umax][3], 8, held, low, sim_constant(d, is_signed ? ~high : 0, 8), SIM_NONE, 0);
	sim_pure(d, d->ops->fcmp[OPS_FCMP_uno][kind], 1, nan, from, from, SIM_NONE, 0);
	sim_pure(d, d->ops->select[3], 8, out, nan, sim_constant(d, 0, 8), held, 0);
	SimValue result = sim_new(d, 1);
	sim_pure(d, d->ops->zext[3][index_of(sim_bytes(type))], sim_bytes(type), result.slots[0], out, SIM_NONE, SIM_NONE, 0);
	result.slots[0] = decode_cut(d, result.slots[0], bits);
	sim_define(d, v, result);
	return true;
}

/* llvm.vector.reduce.NAME: all parts one after the other. */
static bool reduce(SimDecoder *d, LLVMValueRef v, SimIntOp op)
{
	SimValue in = operand(d, v, 0), out = sim_new(d, 1);
	LLVMTypeRef part = LLVMTypeOf(v);
	unsigned bytes = sim_bytes(part);
	out.slots[0] = in.slots[0];
	for (uint32_t p = 1; p < in.count; p++) {
		uint32_t with[3] = {out.slots[0], in.slots[p], in.slots[p]};
		if (is_odd(part)) {
			out.slots[0] = decode_odd(d, op, sim_bits(part), with);
			continue;
		}
		out.slots[0] = d->slots++;
		sim_pure(d, d->ops->ints[op][index_of(bytes)], bytes, out.slots[0], with[0], with[1], SIM_NONE, 0);
	}
	sim_define(d, v, out);
	return true;
}

/* Bits of an f16. */
static bool from_f16(SimDecoder *d, LLVMValueRef v)
{
	int to = decode_float(LLVMTypeOf(v));
	if (to < 0)
		return sim_refuse(d, "a conversion of vectors");
	SimValue out = sim_new(d, 1);
	sim_pure(d, d->ops->fcast[FLOAT_F16][to], sim_bytes(LLVMTypeOf(v)), out.slots[0], operand(d, v, 0).slots[0], SIM_NONE, SIM_NONE, 0);
	sim_define(d, v, out);
	return true;
}

/* imm bytes from one address to another. */
static bool copy_bytes(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const uint64_t *to = sim_operand(w, i, 0), *from = sim_operand(w, i, 1);
	uint32_t size = (uint32_t)i->imm;
	EACH_LANE(lane, mask) {
		const void *source = sim_global(w, i, lane, from[lane], size, 1, false);
		void *target = source ? sim_global(w, i, lane, to[lane], size, 1, true) : NULL;
		if (!target)
			return false;
		memmove(target, source, size);
	}
	return true;
}

static void define_bytes(SimWarp *w, const SimInstr *i, uint32_t mask, bool done)
{
	const uint64_t *to = sim_operand(w, i, 0), *from = sim_operand(w, i, 1);
	uint32_t size = (uint32_t)i->imm;
	if (!done)
		sim_use_all(w, i, mask, "an address");
	EACH_LANE(lane, done ? mask : 0)
	{
		const uint8_t *source = sim_hollow_at(w, from[lane], size);
		uint8_t *target = sim_hollow_at(w, to[lane], size);
		if (target && source)
			memmove(target, source, size);
		else if (target)
			memset(target, 0, size);
	}
}

/* Of data that lies with the kernel to a thread's own memory, as the device library has it. */
static bool copy_memory(SimDecoder *d, LLVMValueRef v)
{
	LLVMValueRef to = LLVMGetOperand(v, 0), from = LLVMGetOperand(v, 1), size = LLVMGetOperand(v, 2);
	uint64_t bytes;
	if (!constant_index(size, &bytes) || bytes > 1 << 16 || LLVMGetPointerAddressSpace(LLVMTypeOf(to)) == 3 ||
	    LLVMGetPointerAddressSpace(LLVMTypeOf(from)) == 3)
		return sim_refuse(d, "this copy of memory");
	uint32_t in[2] = {sim_value(d, to).slots[0], sim_value(d, from).slots[0]};
	SimInstr *i = sim_emit(d, SIM_EFFECT, 0, 2);
	memcpy(i->slots, in, sizeof in);
	i->effect = copy_bytes;
	i->define = define_bytes;
	i->imm = bytes;
	return true;
}

/* llvm.assume; checks hold it against what is there. */
static bool assume(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const uint8_t *condition = sim_operand(w, i, 0);
	uint32_t broken = 0;
	if (!w->defined)
		return true;
	EACH_LANE(lane, mask)
		broken |= (uint32_t)!(condition[lane] & 1) << lane;
	broken &= ~w->defined->lanes[i->slots[0]];
	if (!broken)
		return true;
	SimParty who = sim_party(w, i, (unsigned)__builtin_ctz(broken), SIM_NO_BYTE);
	who.lanes = broken;
	sim_finding(w->cta->run, who, NULL, DIAG_SIM_PROMISE, "what is assumed here does not hold");
	return true;
}

static bool decode_assume(SimDecoder *d, LLVMValueRef v)
{
	LLVMValueRef condition = LLVMGetOperand(v, 0);
	if (LLVMIsAConstantInt(condition) && LLVMConstIntGetZExtValue(condition))
		return true; /* of an operand bundle */
	uint32_t in = sim_value(d, condition).slots[0];
	SimInstr *i = sim_emit(d, SIM_EFFECT, 0, 1);
	i->slots[0] = in;
	i->effect = assume;
	i->define = sim_define_assume;
	return true;
}

/* "llvm.NAME.TYPE": does it have this NAME? */
static bool named(const char *name, const char *wanted)
{
	size_t len = strlen(wanted);
	return strncmp(name + 5, wanted, len) == 0 && (name[5 + len] == '.' || !name[5 + len]);
}

bool sim_decode_intrinsic(SimDecoder *d, LLVMValueRef v, const char *name)
{
	if (strncmp(name, "llvm.nvvm.", 10) == 0)
		return nvvm_decode(d, v, name + 10);
	if (named(name, "assume"))
		return decode_assume(d, v);
	if (named(name, "memcpy"))
		return copy_memory(d, v);
	if (named(name, "convert.from.fp16"))
		return from_f16(d, v);
	if (named(name, "fma") || named(name, "fmuladd"))
		return decode_floats(d, v, d->ops->fma, 3, 0);
	if (named(name, "fabs"))
		return decode_floats(d, v, d->ops->fabs, 1, 0);
	if (named(name, "copysign"))
		return decode_floats(d, v, d->ops->copysign, 2, 0);
	if (named(name, "ucmp") || named(name, "scmp"))
		return three_way(d, v, name[5] == 's');
	if ((named(name, "fptosi.sat") || named(name, "fptoui.sat")) && is_odd(LLVMTypeOf(v)))
		return to_odd_saturated(d, v, named(name, "fptosi.sat"));
	if (named(name, "fptosi.sat"))
		return decode_to_integer(d, v, d->ops->fptosi);
	if (named(name, "fptoui.sat"))
		return decode_to_integer(d, v, d->ops->fptoui);
	if (named(name, "is.fpclass")) {
		SimValue a = operand(d, v, 0), out = sim_new(d, 1);
		int kind = decode_float(LLVMTypeOf(LLVMGetOperand(v, 0)));
		if (kind < 0)
			return sim_refuse(d, "%s", name);
		sim_pure(d, d->ops->class[kind], 1, out.slots[0], a.slots[0], SIM_NONE, SIM_NONE,
			 LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1)));
		sim_define(d, v, out);
		return true;
	}
	for (size_t k = 0; k < ARRAY_LEN(intrinsics); k++) {
		const Intrinsic *in = &intrinsics[k];
		if (!named(name, in->name))
			continue;
		switch (in->kind) {
		case OF_INTS: return decode_integers(d, v, (SimIntOp)in->op, in->count);
		case OF_FLOATS: return decode_floats(d, v, d->ops->floats[in->op], in->count, 0);
		case OF_OVERFLOW: return overflow(d, v, in);
		case OF_PARTS: return reduce(d, v, (SimIntOp)in->op);
		case NOTHING: return true;
		}
	}
	return sim_refuse(d, "the intrinsic %s", name);
}
