/* Integers narrower than their lane: i1 to i63 but for 8, 16 and 32, as LLVM's passes make them.
 *
 * They are computed in the lane, whose other bits are zeros before and after: an operation for which the sign or the place of
 * the highest bit counts gets operands filled with the sign, or its answer is moved; then what passes the width is cut. */
#include "sim/decode/decode.h"

static uint32_t to_bits(SimDecoder *d, SimPure *const *table, uint32_t slot, unsigned bits)
{
	unsigned bytes = bytes_of_bits(bits);
	uint32_t out = d->slots++;
	sim_pure(d, table[index_of(bytes)], bytes, out, slot, SIM_NONE, SIM_NONE, bits);
	return out;
}

uint32_t decode_fill(SimDecoder *d, uint32_t slot, unsigned bits)
{
	return to_bits(d, d->ops->fill, slot, bits);
}

uint32_t decode_cut(SimDecoder *d, uint32_t slot, unsigned bits)
{
	return to_bits(d, d->ops->cut, slot, bits);
}

static uint32_t lane_op(SimDecoder *d, SimIntOp op, unsigned bytes, uint32_t a, uint32_t b)
{
	uint32_t out = d->slots++;
	sim_pure(d, d->ops->ints[op][index_of(bytes)], bytes, out, a, b, SIM_NONE, 0);
	return out;
}

static uint32_t compare(SimDecoder *d, SimIntCompare op, unsigned bytes, uint32_t a, uint32_t b)
{
	uint32_t out = d->slots++;
	sim_pure(d, d->ops->icmp[op][index_of(bytes)], 1, out, a, b, SIM_NONE, 0);
	return out;
}

static uint32_t number(SimDecoder *d, uint64_t bits, unsigned bytes)
{
	return sim_constant(d, bits & UINT64_MAX >> (64 - 8 * bytes), bytes);
}

/* The two words side by side, moved by c % bits. A shift by the whole width leaves zeros, as the lane is wider. */
static uint32_t funnel(SimDecoder *d, bool left, unsigned bits, const uint32_t in[3])
{
	unsigned bytes = bytes_of_bits(bits);
	uint32_t width = number(d, bits, bytes), by = lane_op(d, OPS_urem, bytes, in[2], width);
	uint32_t back = lane_op(d, OPS_sub, bytes, width, by);
	uint32_t high = lane_op(d, OPS_shl, bytes, in[0], left ? by : back), low = lane_op(d, OPS_lshr, bytes, in[1], left ? back : by);
	return decode_cut(d, lane_op(d, OPS_or, bytes, high, low), bits);
}

/* Sums of filled numbers fit the lane; what passes the limits becomes them. */
static uint32_t saturate(SimDecoder *d, SimIntOp op, unsigned bits, const uint32_t in[3])
{
	unsigned bytes = bytes_of_bits(bits);
	uint64_t high = (UINT64_C(1) << (bits - 1)) - 1;
	uint32_t sum = lane_op(d, op, bytes, decode_fill(d, in[0], bits), decode_fill(d, in[1], bits));
	sum = lane_op(d, OPS_smin, bytes, sum, number(d, high, bytes));
	return decode_cut(d, lane_op(d, OPS_smax, bytes, sum, number(d, ~high, bytes)), bits);
}

uint32_t decode_odd(SimDecoder *d, SimIntOp op, unsigned bits, const uint32_t in[3])
{
	unsigned bytes = bytes_of_bits(bits), left = 8 * bytes - bits;
	uint32_t a = in[0], b = in[1];
	switch (op) {
	case OPS_sdiv:
	case OPS_srem:
	case OPS_smin:
	case OPS_smax:
	case OPS_abs:
		a = decode_fill(d, a, bits);
		b = decode_fill(d, b, bits);
		break;
	case OPS_ashr: a = decode_fill(d, a, bits); break;
	case OPS_ctlz: return lane_op(d, OPS_sub, bytes, lane_op(d, op, bytes, a, a), number(d, left, bytes));
	case OPS_cttz: return lane_op(d, op, bytes, lane_op(d, OPS_or, bytes, a, number(d, UINT64_C(1) << bits, bytes)), a);
	case OPS_bswap:
	case OPS_bitreverse: return lane_op(d, OPS_lshr, bytes, lane_op(d, op, bytes, a, a), number(d, left, bytes));
	case OPS_fshl:
	case OPS_fshr: return funnel(d, op == OPS_fshl, bits, in);
	case OPS_uadd_sat:
		return lane_op(d, OPS_umin, bytes, lane_op(d, OPS_add, bytes, a, b), number(d, UINT64_MAX >> (64 - bits), bytes));
	case OPS_sadd_sat: return saturate(d, OPS_add, bits, in);
	case OPS_ssub_sat: return saturate(d, OPS_sub, bits, in);
	case OPS_umulh:
		return decode_cut(d, lane_op(d, OPS_or, bytes, lane_op(d, OPS_lshr, bytes, lane_op(d, OPS_mul, bytes, a, b), number(d, bits, bytes)),
					     lane_op(d, OPS_shl, bytes, lane_op(d, op, bytes, a, b), number(d, left, bytes))), bits);
	default: break;
	}
	return decode_cut(d, lane_op(d, op, bytes, a, b), bits);
}

/* The result, cut, and whether it is another than without a limit of bits. */
void decode_odd_overflow(SimDecoder *d, SimIntCompare overflows, unsigned bits, uint32_t a, uint32_t b, uint32_t out[2])
{
	unsigned bytes = bytes_of_bits(bits);
	bool is_signed = overflows == OPS_CMP_sadd_over || overflows == OPS_CMP_ssub_over || overflows == OPS_CMP_smul_over;
	SimIntOp op = overflows == OPS_CMP_uadd_over || overflows == OPS_CMP_sadd_over ? OPS_add :
		      overflows == OPS_CMP_usub_over || overflows == OPS_CMP_ssub_over ? OPS_sub : OPS_mul;
	a = is_signed ? decode_fill(d, a, bits) : a;
	b = is_signed ? decode_fill(d, b, bits) : b;
	uint32_t whole = lane_op(d, op, bytes, a, b);
	out[0] = decode_cut(d, whole, bits);
	uint32_t differs = compare(d, OPS_CMP_ne, bytes, whole, is_signed ? decode_fill(d, out[0], bits) : out[0]);
	out[1] = lane_op(d, OPS_or, 1, differs, compare(d, overflows, bytes, a, b));
}
