/* LLVM's intrinsics. */
#include "sim/decode.h"

typedef struct Intrinsic {
	const char *name;
	enum { OF_INTS, OF_FLOATS, OF_OVERFLOW, NOTHING } kind;
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
	{"assume", NOTHING, 0, 0, 0}, {"lifetime.start", NOTHING, 0, 0, 0}, {"lifetime.end", NOTHING, 0, 0, 0},
	{"experimental.noalias.scope.decl", NOTHING, 0, 0, 0},
};

static bool overflow(SimDecoder *d, LLVMValueRef v, const Intrinsic *in)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(v, 0));
	unsigned bytes = sim_bytes(type);
	if (!sim_bits(type) || is_odd(type))
		return sim_refuse(d, "this operation on such integers");
	SimValue a = operand(d, v, 0), b = operand(d, v, 1), out = sim_new(d, 2);
	sim_pure(d, d->ops->ints[in->op][index_of(bytes)], bytes, out.slots[0], a.slots[0], b.slots[0], SIM_NONE, 0);
	sim_pure(d, d->ops->icmp[in->compare][index_of(bytes)], 1, out.slots[1], a.slots[0], b.slots[0], SIM_NONE, 0);
	sim_define(d, v, out);
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
	if (named(name, "fma") || named(name, "fmuladd"))
		return decode_floats(d, v, d->ops->fma, 3, 0);
	if (named(name, "fabs"))
		return decode_floats(d, v, d->ops->fabs, 1, 0);
	if (named(name, "copysign"))
		return decode_floats(d, v, d->ops->copysign, 2, 0);
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
		case NOTHING: return true;
		}
	}
	return sim_refuse(d, "the intrinsic %s", name);
}
