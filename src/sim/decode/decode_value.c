/* Instructions without control flow. */
#include "sim/check/define.h"
#include "sim/decode/decode.h"

#include <llvm-c/Target.h>

int decode_float(LLVMTypeRef part)
{
	switch (LLVMGetTypeKind(part)) {
	case LLVMHalfTypeKind: return FLOAT_F16;
	case LLVMBFloatTypeKind: return FLOAT_BF16;
	case LLVMFloatTypeKind: return FLOAT_F32;
	case LLVMDoubleTypeKind: return FLOAT_F64;
	default: return -1;
	}
}

/* ---- arithmetic ---- */

/* The first `count` operands, with the first one again up to three, and where the result goes. */
static bool take_operands(SimDecoder *d, LLVMValueRef v, unsigned count, SimShape *shape,
			  SimValue in[3], SimValue *out)
{
	if (!sim_shape(d, LLVMTypeOf(v), shape))
		return false;
	*out = sim_new(d, shape->count);
	for (unsigned k = 0; k < 3; k++)
		in[k] = operand(d, v, k < count ? k : 0);
	return true;
}

/* An operation of up to three integers, part by part. */
bool decode_integers(SimDecoder *d, LLVMValueRef v, SimIntOp op, unsigned count)
{
	SimShape shape;
	SimValue in[3], out;
	if (!take_operands(d, v, count, &shape, in, &out))
		return false;
	unsigned bytes = sim_bytes(shape.part[0]);
	for (uint32_t p = 0; p < shape.count; p++) {
		uint32_t a[3] = {in[0].slots[p], in[1].slots[p], in[2].slots[p]};
		if (is_odd(shape.part[p]))
			out.slots[p] = decode_odd(d, op, sim_bits(shape.part[p]), a);
		else
			sim_pure(d, d->ops->ints[op][index_of(bytes)], bytes, out.slots[p], a[0], a[1], a[2], 0);
	}
	sim_define(d, v, out);
	return true;
}

/* `table` by float: of as many operands as it looks at. */
bool decode_floats(SimDecoder *d, LLVMValueRef v, SimPure *const *table, unsigned count, uint64_t imm)
{
	SimShape shape;
	SimValue in[3], out;
	if (!take_operands(d, v, count, &shape, in, &out))
		return false;
	for (uint32_t p = 0; p < shape.count; p++)
		sim_pure(d, table[decode_float(shape.part[p])], sim_bytes(shape.part[p]), out.slots[p], in[0].slots[p], in[1].slots[p],
			 in[2].slots[p], imm);
	sim_define(d, v, out);
	return true;
}

/* A byte for each part. */
static bool compare(SimDecoder *d, LLVMValueRef v, SimPure *const *table, bool real, bool fills)
{
	SimShape shape;
	if (!sim_shape(d, LLVMTypeOf(LLVMGetOperand(v, 0)), &shape))
		return false;
	SimValue a = operand(d, v, 0), b = operand(d, v, 1), out = sim_new(d, shape.count);
	for (uint32_t p = 0; p < shape.count; p++) {
		uint32_t x = a.slots[p], y = b.slots[p];
		if (fills) {
			x = filled(d, x, shape.part[p]);
			y = filled(d, y, shape.part[p]);
		}
		int kind = real ? decode_float(shape.part[p]) : (int)index_of(sim_bytes(shape.part[p]));
		sim_pure(d, table[kind], 1, out.slots[p], x, y, SIM_NONE, 0);
	}
	sim_define(d, v, out);
	return true;
}

static bool icmp(SimDecoder *d, LLVMValueRef v)
{
	static const SimIntCompare of[] = {OPS_CMP_eq,  OPS_CMP_ne,  OPS_CMP_ugt, OPS_CMP_uge, OPS_CMP_ult,
					   OPS_CMP_ule, OPS_CMP_sgt, OPS_CMP_sge, OPS_CMP_slt, OPS_CMP_sle};
	unsigned predicate = (unsigned)LLVMGetICmpPredicate(v) - (unsigned)LLVMIntEQ;
	return compare(d, v, d->ops->icmp[of[predicate]], false, predicate >= 6);
}

static bool fcmp(SimDecoder *d, LLVMValueRef v)
{
	static const SimFloatCompare of[] = {0, OPS_FCMP_oeq, OPS_FCMP_ogt, OPS_FCMP_oge, OPS_FCMP_olt, OPS_FCMP_ole,
					     OPS_FCMP_one, OPS_FCMP_ord, OPS_FCMP_uno, OPS_FCMP_ueq, OPS_FCMP_ugt,
					     OPS_FCMP_uge, OPS_FCMP_ult, OPS_FCMP_ule, OPS_FCMP_une};
	LLVMRealPredicate predicate = LLVMGetFCmpPredicate(v);
	if (predicate == LLVMRealPredicateFalse || predicate == LLVMRealPredicateTrue) {
		SimShape shape;
		if (!sim_shape(d, LLVMTypeOf(v), &shape))
			return false;
		SimValue out = sim_new(d, shape.count);
		for (uint32_t p = 0; p < shape.count; p++)
			out.slots[p] = sim_constant(d, predicate == LLVMRealPredicateTrue, 1);
		sim_define(d, v, out);
		return true;
	}
	return compare(d, v, d->ops->fcmp[of[predicate]], true, false);
}

bool decode_select(SimDecoder *d, LLVMValueRef v)
{
	SimShape shape;
	if (!sim_shape(d, LLVMTypeOf(v), &shape))
		return false;
	SimValue c = operand(d, v, 0), a = operand(d, v, 1), b = operand(d, v, 2), out = sim_new(d, shape.count);
	for (uint32_t p = 0; p < shape.count; p++) {
		unsigned bytes = sim_bytes(shape.part[p]);
		sim_pure(d, d->ops->select[index_of(bytes)], bytes, out.slots[p], c.slots[c.count == shape.count ? p : 0], a.slots[p],
			 b.slots[p], 0);
	}
	sim_define(d, v, out);
	return true;
}

/* ---- casts ---- */

/* table[from][to] */
#define CAST(linkage, fn, from_index, to_index, fills, cuts)                                       \
	linkage bool fn(SimDecoder *d, LLVMValueRef v, SimPure *const (*table)[4])                  \
	{                                                                                          \
		SimShape from, to;                                                                 \
		if (!sim_shape(d, LLVMTypeOf(LLVMGetOperand(v, 0)), &from) || !sim_shape(d, LLVMTypeOf(v), &to)) \
			return false;                                                              \
		SimValue in = operand(d, v, 0), out = sim_new(d, to.count);                        \
		for (uint32_t p = 0; p < to.count; p++) {                                          \
			LLVMTypeRef f = from.part[p], t = to.part[p];                              \
			uint32_t a = (fills) ? filled(d, in.slots[p], f) : in.slots[p];              \
			sim_pure(d, table[from_index][to_index], sim_bytes(t), out.slots[p], a, SIM_NONE, SIM_NONE, 0); \
			if (!(cuts) || !is_odd(t))                                                 \
				continue;                                                          \
			out.slots[p] = decode_cut(d, out.slots[p], sim_bits(t));                   \
		}                                                                                  \
		sim_define(d, v, out);                                                             \
		return true;                                                                       \
	}
CAST(static, resize, index_of(sim_bytes(f)), index_of(sim_bytes(t)), table == d->ops->sext, true)
CAST(static, float_cast, (unsigned)decode_float(f), (unsigned)decode_float(t), false, false)
CAST(static, from_integer, index_of(sim_bytes(f)), (unsigned)decode_float(t), table == d->ops->sitofp, false)
CAST(, decode_to_integer, (unsigned)decode_float(f), index_of(sim_bytes(t)), false, true)

typedef struct Repack {
	unsigned from, to; /* bytes of a part; of repack_bits: bits */
} Repack;

/* Parts of one size to parts of another: the same bytes, lane by lane. */
static bool repack(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const Repack *r = i->data;
	EACH_LANE(lane, mask) {
		uint8_t bytes[512];
		for (unsigned k = 0; k < i->operands; k++)
			memcpy(bytes + k * r->from, (const uint8_t *)sim_operand(w, i, k) + lane * r->from, r->from);
		for (unsigned k = 0; k < i->results; k++)
			memcpy((uint8_t *)sim_result(w, i, k) + lane * r->to, bytes + k * r->to, r->to);
	}
	return true;
}

/* The same for parts narrower than their lanes: bit after bit, from the low end. */
static bool repack_bits(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const Repack *r = i->data;
	EACH_LANE(lane, mask) {
		uint8_t bits[64 * 64] = {0};
		for (unsigned k = 0; k < i->operands * r->from; k++) {
			const uint8_t *from = (const uint8_t *)sim_operand(w, i, k / r->from) + lane * bytes_of_bits(r->from);
			bits[k] = from[k % r->from / 8] >> k % r->from % 8 & 1;
		}
		for (unsigned k = 0; k < i->results; k++) {
			uint64_t part = 0;
			for (unsigned b = 0; b < r->to; b++)
				part |= (uint64_t)bits[k * r->to + b] << b;
			memcpy((uint8_t *)sim_result(w, i, k) + lane * bytes_of_bits(r->to), &part, bytes_of_bits(r->to));
		}
	}
	return true;
}

static bool bitcast(SimDecoder *d, LLVMValueRef v)
{
	SimShape from, to;
	if (!sim_shape(d, LLVMTypeOf(LLVMGetOperand(v, 0)), &from) || !sim_shape(d, LLVMTypeOf(v), &to))
		return false;
	SimValue in = operand(d, v, 0);
	if (from.count == to.count && sim_bits(from.part[0]) == sim_bits(to.part[0])) {
		sim_define(d, v, in);
		return true;
	}
	bool odd = is_odd(from.part[0]) || is_odd(to.part[0]);
	SimValue out = sim_new(d, to.count);
	Repack *r = ARENA_NEW(d->arena, Repack);
	*r = odd ? (Repack){sim_bits(from.part[0]), sim_bits(to.part[0])} : (Repack){sim_bytes(from.part[0]), sim_bytes(to.part[0])};
	SimInstr *i = sim_emit(d, SIM_EFFECT, to.count, from.count);
	i->effect = odd ? repack_bits : repack;
	i->define = sim_define_moves;
	i->hands_on = true;
	i->from = (uint8_t)sim_bytes(from.part[0]);
	i->lane_bytes = (uint8_t)sim_bytes(to.part[0]);
	i->data = r;
	memcpy(i->slots, out.slots, sizeof *out.slots * to.count);
	memcpy(i->slots + to.count, in.slots, sizeof *in.slots * from.count);
	sim_define(d, v, out);
	return true;
}

/* ---- parts ---- */

static SimValue copy_of(SimDecoder *d, SimValue v)
{
	SimValue out = {ARENA_ARRAY(d->scratch, uint32_t, v.count + 1), v.count};
	memcpy(out.slots, v.slots, sizeof *v.slots * v.count);
	return out;
}

static bool extract(SimDecoder *d, LLVMValueRef v, uint64_t index)
{
	SimValue in = operand(d, v, 0), out = {ARENA_ARRAY(d->scratch, uint32_t, 1), 1};
	out.slots[0] = in.slots[MIN(index, in.count - 1)];
	sim_define(d, v, out);
	return true;
}

/* By a number that is known only when it runs: one comparison and choice for each part. */
static bool extract_any(SimDecoder *d, LLVMValueRef v)
{
	SimValue in = operand(d, v, 0), at = operand(d, v, 1), out = {ARENA_ARRAY(d->scratch, uint32_t, 1), 1};
	unsigned bytes = sim_bytes(LLVMTypeOf(v)), wide = sim_bytes(LLVMTypeOf(LLVMGetOperand(v, 1)));
	uint32_t found = in.slots[0];
	for (uint32_t p = 1; p < in.count; p++) {
		uint32_t is = d->slots++, next = d->slots++;
		sim_pure(d, d->ops->icmp[OPS_CMP_eq][index_of(wide)], 1, is, at.slots[0], sim_constant(d, p, wide), SIM_NONE, 0);
		sim_pure(d, d->ops->select[index_of(bytes)], bytes, next, is, in.slots[p], found, 0);
		found = next;
	}
	out.slots[0] = found;
	sim_define(d, v, out);
	return true;
}

static bool insert(SimDecoder *d, LLVMValueRef v, uint64_t index)
{
	SimValue out = copy_of(d, operand(d, v, 0)), part = operand(d, v, 1);
	if (index < out.count)
		out.slots[index] = part.slots[0];
	sim_define(d, v, out);
	return true;
}

static bool shuffle(SimDecoder *d, LLVMValueRef v)
{
	SimValue a = operand(d, v, 0), b = operand(d, v, 1);
	unsigned n = LLVMGetNumMaskElements(v);
	SimValue out = {ARENA_ARRAY(d->scratch, uint32_t, n + 1), n};
	for (unsigned i = 0; i < n; i++) {
		int from = LLVMGetMaskValue(v, i);
		out.slots[i] = from < 0 ? sim_undefined(d, sim_bytes(LLVMGetElementType(LLVMTypeOf(v))))
			       : (uint32_t)from < a.count ? a.slots[from]
							  : b.slots[(uint32_t)from - a.count];
	}
	sim_define(d, v, out);
	return true;
}

static bool extract_value(SimDecoder *d, LLVMValueRef v)
{
	return LLVMGetNumIndices(v) == 1 ? extract(d, v, LLVMGetIndices(v)[0]) : sim_refuse(d, "a part of a part of a value");
}

static bool insert_value(SimDecoder *d, LLVMValueRef v)
{
	return LLVMGetNumIndices(v) == 1 ? insert(d, v, LLVMGetIndices(v)[0]) : sim_refuse(d, "a part of a part of a value");
}

/* ---- all of them ---- */

static bool rename_as(SimDecoder *d, LLVMValueRef v)
{
	sim_define(d, v, operand(d, v, 0));
	return true;
}

bool sim_decode_value(SimDecoder *d, LLVMValueRef v)
{
	uint64_t index;
	if (decode_is_wide(LLVMTypeOf(v)))
		return decode_wide(d, v);
	if (LLVMGetInstructionOpcode(v) == LLVMICmp && decode_is_wide(LLVMTypeOf(LLVMGetOperand(v, 0))))
		return decode_wide_compare(d, v);
	if (LLVMGetNumOperands(v) && decode_is_wide(LLVMTypeOf(LLVMGetOperand(v, 0))))
		return LLVMGetInstructionOpcode(v) == LLVMTrunc ? decode_wide_trunc(d, v) : sim_refuse(d, "this operation on 128 bits");
	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMAdd: return decode_integers(d, v, OPS_add, 2);
	case LLVMSub: return decode_integers(d, v, OPS_sub, 2);
	case LLVMMul: return decode_integers(d, v, OPS_mul, 2);
	case LLVMUDiv: return decode_integers(d, v, OPS_udiv, 2);
	case LLVMSDiv: return decode_integers(d, v, OPS_sdiv, 2);
	case LLVMURem: return decode_integers(d, v, OPS_urem, 2);
	case LLVMSRem: return decode_integers(d, v, OPS_srem, 2);
	case LLVMShl: return decode_integers(d, v, OPS_shl, 2);
	case LLVMLShr: return decode_integers(d, v, OPS_lshr, 2);
	case LLVMAShr: return decode_integers(d, v, OPS_ashr, 2);
	case LLVMAnd: return decode_integers(d, v, OPS_and, 2);
	case LLVMOr: return decode_integers(d, v, OPS_or, 2);
	case LLVMXor: return decode_integers(d, v, OPS_xor, 2);
	case LLVMFAdd: return decode_floats(d, v, d->ops->floats[OPS_fadd], 2, 0);
	case LLVMFSub: return decode_floats(d, v, d->ops->floats[OPS_fsub], 2, 0);
	case LLVMFMul: return decode_floats(d, v, d->ops->floats[OPS_fmul], 2, 0);
	case LLVMFDiv: return decode_floats(d, v, d->ops->floats[OPS_fdiv], 2, 0);
	case LLVMFRem: return decode_floats(d, v, d->ops->floats[OPS_frem], 2, 0);
	case LLVMFNeg: return decode_floats(d, v, d->ops->fneg, 1, 0);
	case LLVMICmp: return icmp(d, v);
	case LLVMFCmp: return fcmp(d, v);
	case LLVMSelect: return decode_select(d, v);
	case LLVMIntToPtr:
		if (!resize(d, v, d->ops->zext))
			return false;
		decode_note_address(d, v);
		return true;
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMPtrToInt:
	case LLVMAddrSpaceCast: return resize(d, v, d->ops->zext);
	case LLVMSExt: return resize(d, v, d->ops->sext);
	case LLVMFPTrunc:
	case LLVMFPExt: return float_cast(d, v, d->ops->fcast);
	case LLVMSIToFP: return from_integer(d, v, d->ops->sitofp);
	case LLVMUIToFP: return from_integer(d, v, d->ops->uitofp);
	case LLVMFPToSI: return decode_to_integer(d, v, d->ops->fptosi);
	case LLVMFPToUI: return decode_to_integer(d, v, d->ops->fptoui);
	case LLVMBitCast: return bitcast(d, v);
	case LLVMFreeze: return rename_as(d, v);
	case LLVMExtractValue: return extract_value(d, v);
	case LLVMInsertValue: return insert_value(d, v);
	case LLVMExtractElement:
		return constant_index(LLVMGetOperand(v, 1), &index) ? extract(d, v, index) : extract_any(d, v);
	case LLVMInsertElement:
		return constant_index(LLVMGetOperand(v, 2), &index) ? insert(d, v, index) :
								      sim_refuse(d, "a vector's element by number");
	case LLVMShuffleVector: return shuffle(d, v);
	case LLVMGetElementPtr: return decode_gep(d, v);
	case LLVMAlloca: return decode_alloca(d, v);
	case LLVMLoad: return decode_load(d, v);
	case LLVMStore: return decode_store(d, v);
	case LLVMAtomicRMW: return decode_atomic(d, v, false);
	case LLVMAtomicCmpXchg: return decode_atomic(d, v, true);
	case LLVMFence: return true;
	default: break;
	}
	char *text = LLVMPrintValueToString(v);
	sim_refuse(d, "the instruction%s", text);
	LLVMDisposeMessage(text);
	return false;
}
