/* Integers of 128 bits, which are two words: products of words, and their halves. */
#include "sim/decode/decode.h"

bool decode_is_wide(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 128;
}

static uint32_t word_op(SimDecoder *d, SimIntOp op, uint32_t a, uint32_t b)
{
	uint32_t out = d->slots++;
	sim_pure(d, d->ops->ints[op][3], 8, out, a, b, SIM_NONE, 0);
	return out;
}

static uint32_t word_carry(SimDecoder *d, SimIntCompare compares, uint32_t a, uint32_t b)
{
	uint32_t bit = d->slots++, out = d->slots++;
	sim_pure(d, d->ops->icmp[compares][3], 1, bit, a, b, SIM_NONE, 0);
	sim_pure(d, d->ops->zext[0][3], 8, out, bit, SIM_NONE, SIM_NONE, 0);
	return out;
}

static bool wide_shift(SimDecoder *d, LLVMValueRef v, const SimValue *a, SimValue *out)
{
	bool left = LLVMGetInstructionOpcode(v) == LLVMShl;
	uint32_t zero = sim_constant(d, 0, 8);
	uint64_t by;
	if (!constant_index(LLVMGetOperand(v, 1), &by) || by >= 128 || LLVMGetInstructionOpcode(v) == LLVMAShr)
		return sim_refuse(d, "this shift of 128 bits");
	uint32_t low = a->slots[0], high = a->slots[1], rest = sim_constant(d, by % 64, 8), back = sim_constant(d, 64 - by % 64, 8);
	if (by >= 64) {
		out->slots[left] = word_op(d, left ? OPS_shl : OPS_lshr, left ? low : high, rest);
		out->slots[!left] = zero;
		return true;
	}
	uint32_t over = word_op(d, left ? OPS_lshr : OPS_shl, left ? low : high, back); /* 0 for a shift by 64 */
	out->slots[left] = word_op(d, OPS_or, word_op(d, left ? OPS_shl : OPS_lshr, left ? high : low, rest), over);
	out->slots[!left] = word_op(d, left ? OPS_shl : OPS_lshr, left ? low : high, rest);
	return true;
}

bool decode_wide(SimDecoder *d, LLVMValueRef v)
{
	SimValue a = operand(d, v, 0), b = LLVMGetNumOperands(v) > 1 ? operand(d, v, 1) : a;
	SimValue out = {ARENA_ARRAY(d->scratch, uint32_t, 2), 2};
	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMAdd:
		out.slots[0] = word_op(d, OPS_add, a.slots[0], b.slots[0]);
		out.slots[1] = word_op(d, OPS_add, word_op(d, OPS_add, a.slots[1], b.slots[1]),
				       word_carry(d, OPS_CMP_uadd_over, a.slots[0], b.slots[0]));
		break;
	case LLVMSub:
		out.slots[0] = word_op(d, OPS_sub, a.slots[0], b.slots[0]);
		out.slots[1] = word_op(d, OPS_sub, word_op(d, OPS_sub, a.slots[1], b.slots[1]),
				       word_carry(d, OPS_CMP_usub_over, a.slots[0], b.slots[0]));
		break;
	case LLVMMul:
		out.slots[0] = word_op(d, OPS_mul, a.slots[0], b.slots[0]);
		out.slots[1] = word_op(d, OPS_add, word_op(d, OPS_umulh, a.slots[0], b.slots[0]),
				       word_op(d, OPS_add, word_op(d, OPS_mul, a.slots[0], b.slots[1]),
					       word_op(d, OPS_mul, a.slots[1], b.slots[0])));
		break;
	case LLVMZExt:
		if (LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(v, 0))) > 64)
			return sim_refuse(d, "a cast to 128 bits");
		out.slots[0] = d->slots++;
		sim_pure(d, d->ops->zext[index_of(sim_bytes(LLVMTypeOf(LLVMGetOperand(v, 0))))][3], 8, out.slots[0], a.slots[0], SIM_NONE,
			 SIM_NONE, 0);
		out.slots[1] = sim_constant(d, 0, 8);
		break;
	case LLVMShl:
	case LLVMLShr:
	case LLVMAShr:
		if (!wide_shift(d, v, &a, &out))
			return false;
		break;
	case LLVMAnd:
	case LLVMOr:
	case LLVMXor: {
		LLVMOpcode code = LLVMGetInstructionOpcode(v);
		for (unsigned k = 0; k < 2; k++)
			out.slots[k] = word_op(d, code == LLVMAnd ? OPS_and : code == LLVMOr ? OPS_or : OPS_xor, a.slots[k], b.slots[k]);
		break;
	}
	case LLVMSelect: return decode_select(d, v);
	default: return sim_refuse(d, "this operation on 128 bits");
	}
	sim_define(d, v, out);
	return true;
}

bool decode_wide_trunc(SimDecoder *d, LLVMValueRef v)
{
	LLVMTypeRef to = LLVMTypeOf(v);
	unsigned bytes = sim_bytes(to);
	SimValue a = operand(d, v, 0), out = sim_new(d, 1);
	uint32_t whole = d->slots++;
	sim_pure(d, d->ops->zext[3][index_of(bytes)], bytes, whole, a.slots[0], SIM_NONE, SIM_NONE, 0);
	sim_pure(d, d->ops->cut[index_of(bytes)], bytes, out.slots[0], whole, SIM_NONE, SIM_NONE, sim_bits(to));
	sim_define(d, v, out);
	return true;
}

/* A byte for each lane: of the high words, or of the low ones where those are equal. */
bool decode_wide_compare(SimDecoder *d, LLVMValueRef v)
{
	static const struct {
		SimIntCompare high, low;
	} of[] = {{OPS_CMP_eq, OPS_CMP_eq},   {OPS_CMP_ne, OPS_CMP_ne},   {OPS_CMP_ugt, OPS_CMP_ugt}, {OPS_CMP_ugt, OPS_CMP_uge},
		  {OPS_CMP_ult, OPS_CMP_ult}, {OPS_CMP_ult, OPS_CMP_ule}, {OPS_CMP_sgt, OPS_CMP_ugt}, {OPS_CMP_sgt, OPS_CMP_uge},
		  {OPS_CMP_slt, OPS_CMP_ult}, {OPS_CMP_slt, OPS_CMP_ule}};
	unsigned predicate = (unsigned)LLVMGetICmpPredicate(v) - (unsigned)LLVMIntEQ;
	SimValue a = operand(d, v, 0), b = operand(d, v, 1), out = sim_new(d, 1);
	uint32_t high = d->slots++, low = d->slots++, same = d->slots++, both = d->slots++;
	sim_pure(d, d->ops->icmp[of[predicate].high][3], 1, high, a.slots[1], b.slots[1], SIM_NONE, 0);
	sim_pure(d, d->ops->icmp[of[predicate].low][3], 1, low, a.slots[0], b.slots[0], SIM_NONE, 0);
	if (predicate < 2) {
		sim_pure(d, d->ops->ints[predicate ? OPS_or : OPS_and][0], 1, out.slots[0], high, low, SIM_NONE, 0);
	} else {
		sim_pure(d, d->ops->icmp[OPS_CMP_eq][3], 1, same, a.slots[1], b.slots[1], SIM_NONE, 0);
		sim_pure(d, d->ops->ints[OPS_and][0], 1, both, same, low, SIM_NONE, 0);
		sim_pure(d, d->ops->ints[OPS_or][0], 1, out.slots[0], high, both, SIM_NONE, 0);
	}
	sim_define(d, v, out);
	return true;
}
