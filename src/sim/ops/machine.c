/* Machine operations: calls by name, and those that are no memory accesses and no products. */
#include "sim/ops/machine.h"

#include "sim/half.h"
#include "sim/ops.h"
#include "sim/to_integer.h"

/* ---- calls ---- */

typedef struct Row {
	const char *name;
	const SimMachine *machine;
} Row;

static const Row rows[] = {
#define MACHINE(name, result, args, effects, nvptx, doc) {#name, &sim_machine_##name},
#define FAMILY(name, effects, expand, doc) {#name, &sim_machine_##name},
#include "target/nvidia/machine.def"
#undef MACHINE
#undef FAMILY
};

SimInstr *machine_effect(SimDecoder *d, LLVMValueRef call, SimEffect *effect, uint64_t imm)
{
	unsigned args = LLVMGetNumArgOperands(call), count = 0;
	SimShape shape = {0};
	SimValue *in = ARENA_ARRAY(d->scratch, SimValue, args + 1), out = {0};
	if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind && !sim_shape(d, LLVMTypeOf(call), &shape))
		return NULL;
	for (unsigned a = 0; a < args; a++) {
		in[a] = sim_value(d, LLVMGetOperand(call, a));
		count += in[a].count;
	}
	if (d->failed)
		return NULL;
	out = sim_new(d, shape.count);
	SimInstr *i = sim_emit(d, SIM_EFFECT, shape.count, count);
	memcpy(i->slots, out.slots, sizeof *out.slots * shape.count);
	count = shape.count;
	for (unsigned a = 0; a < args; a++)
		for (uint32_t p = 0; p < in[a].count; p++)
			i->slots[count++] = in[a].slots[p];
	i->effect = effect;
	i->imm = imm;
	i->lane_bytes = shape.count ? (uint8_t)sim_bytes(shape.part[0]) : 0;
	for (uint32_t p = 0; p < shape.count; p++)
		if (sim_bytes(shape.part[p]) != i->lane_bytes)
			i->lane_bytes = 0;
	sim_define(d, call, out);
	return i;
}

static bool decode_row(SimDecoder *d, LLVMValueRef call, const SimMachine *m, const char *suffix)
{
	if (m->decode || m->effect) {
		bool good = m->decode ? m->decode(d, call, suffix)
				      : machine_effect(d, call, m->effect, m->imm) != NULL;
		if (good && m->define)
			vec_last(&d->code).define = m->define;
		if (good && m->condition)
			vec_last(&d->code).condition = m->condition;
		if (good)
			vec_last(&d->code).hands_on |= m->hands_on;
		return good;
	}
	uint32_t in[3] = {sim_constant(d, 0, 8), SIM_NONE, SIM_NONE};
	unsigned args = LLVMGetNumArgOperands(call);
	SimValue out = sim_new(d, 1);
	ASSERT(args <= 3);
	for (unsigned a = 0; a < args; a++)
		in[a] = sim_value(d, LLVMGetOperand(call, a)).slots[0];
	sim_pure(d, m->pure, sim_bytes(LLVMTypeOf(call)), out.slots[0], in[0], in[1], in[2], m->imm);
	vec_last(&d->code).promise = m->promise;
	sim_define(d, call, out);
	return true;
}

bool sim_decode_machine(SimDecoder *d, LLVMValueRef call, const char *name)
{
	static const char prefix[] = "neso.";
	if (strcmp(name, "vprintf") == 0)
		return print_decode(d, call, NULL);
	if (strcmp(name, "__assertfail") == 0)
		return assert_decode(d, call, NULL);
	if (strncmp(name, prefix, sizeof prefix - 1) != 0)
		return sim_refuse(d, "the function '%s'", name);
	const char *rest = name + sizeof prefix - 1;
	size_t len = strcspn(rest, ".");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (strlen(rows[i].name) == len && memcmp(rows[i].name, rest, len) == 0)
			return decode_row(d, call, rows[i].machine, rest[len] ? rest + len + 1 : NULL);
	return sim_refuse(d, "the machine operation '%s'", name);
}

#define PURE_OP(name, fn) const SimMachine sim_machine_##name = {.pure = fn};
#define EFFECT_OP(name, fn, n) const SimMachine sim_machine_##name = {.effect = fn, .imm = n};
#define SHUFFLE_OP(name, n)                                                                                  \
	const SimMachine sim_machine_##name = {                                                              \
		.effect = shuffle, .imm = n, .define = define_shuffle, .hands_on = true};
#define DEFINE_OP(name, fn, n, definer)                                                                      \
	const SimMachine sim_machine_##name = {.effect = fn, .imm = n, .define = definer};

/* ---- who am I ---- */

static bool tid(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	uint32_t *to = sim_result(w, i, 0);
	EACH_LANE(lane, mask)
		to[lane] = w->index % w->cta->run->kernel->cta_warps * SIM_LANES + lane;
	return true;
}

/* The CTAs of a cluster lie along axis 0. */
enum { CTAID, COUNT = 4, CLUSTER = 8, RANK = 16 };

static bool position(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	uint32_t *to = sim_result(w, i, 0), axis = i->imm & 3, ctas = axis || i->imm & CLUSTER ? 1 : w->cta->run->kernel->ctas;
	uint32_t v = i->imm == RANK ? w->rank : i->imm & COUNT ? w->cta->run->launch->grid[axis] * ctas :
		     w->cta->program[axis] * ctas + (ctas > 1 ? w->rank : 0);
	EACH_LANE(lane, mask)
		to[lane] = v;
	return true;
}
EFFECT_OP(tid_x, tid, 0)
EFFECT_OP(ctaid_x, position, CTAID)
EFFECT_OP(ctaid_y, position, CTAID + 1)
EFFECT_OP(ctaid_z, position, CTAID + 2)
EFFECT_OP(nctaid_x, position, COUNT)
EFFECT_OP(nctaid_y, position, COUNT + 1)
EFFECT_OP(nctaid_z, position, COUNT + 2)
EFFECT_OP(clusterid_x, position, CLUSTER)
EFFECT_OP(clusterid_y, position, CLUSTER + 1)
EFFECT_OP(clusterid_z, position, CLUSTER + 2)
EFFECT_OP(nclusterid_x, position, CLUSTER + COUNT)
EFFECT_OP(nclusterid_y, position, CLUSTER + COUNT + 1)
EFFECT_OP(nclusterid_z, position, CLUSTER + COUNT + 2)
EFFECT_OP(cluster_rank, position, RANK)

/* ---- between lanes ---- */

bool machine_whole(SimWarp *w, const SimInstr *i, uint32_t mask, const char *what)
{
	if (mask == SIM_ALL)
		return true;
	if (w->last_chance)
		return sim_fault(w, i, -1, DIAG_SIM_CONVERGENCE, "%s, which more lanes of the warp must come to, has 0x%08x of them", what,
				 mask);
	w->wait = WAIT_MEET;
	return false;
}

/* Who a lane takes its value from: itself where the clamp does not let it. Source: PTX, "shfl". */
static uint32_t shuffled_from(const SimInstr *i, uint32_t lane, uint32_t which, uint32_t clamp)
{
	uint32_t part = clamp >> 8 & 31, last = (lane & part) | (clamp & 31 & ~part);
	uint32_t from = i->imm ? lane ^ (which & 31) : (lane & part) | (which & 31 & ~part);
	return from <= last ? from : lane;
}

/* members, value, lane or mask, clamp */
static bool shuffle(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const uint32_t *members = sim_operand(w, i, 0), *value = sim_operand(w, i, 1), *which = sim_operand(w, i, 2),
		       *clamp = sim_operand(w, i, 3);
	uint32_t *to = sim_result(w, i, 0), out[SIM_LANES];
	uint32_t wanted = members[__builtin_ctz(mask)];
	if ((wanted & mask) != wanted)
		return machine_whole(w, i, mask, "a shuffle");
	EACH_LANE(lane, mask) {
		uint32_t from = shuffled_from(i, lane, which[lane], clamp[lane]);
		if (!(mask >> from & 1))
			return machine_whole(w, i, mask, "a shuffle");
		out[lane] = value[from];
	}
	EACH_LANE(lane, mask)
		to[lane] = out[lane];
	return true;
}

/* Bits come from the lane that the value comes from. */
static void define_shuffle(SimWarp *w, const SimInstr *i, uint32_t mask, bool done)
{
	uint32_t from = i->slots[i->results + 1];
	_Alignas(64) uint32_t out[SIM_LANES] = {0};
	if (!done) {
		sim_use(w, i, 0, mask, "the lanes of a shuffle");
		sim_use(w, i, 2, mask, "the lane of a shuffle");
		sim_use(w, i, 3, mask, "the clamp of a shuffle");
		return;
	}
	sim_define_nothing(w, i, mask, true);
	if (!w->defined->lanes[from])
		return;
	const uint32_t *bits = (const uint32_t *)(const void *)sim_undefined_bits(w, from, 4),
		       *which = sim_operand(w, i, 2), *clamp = sim_operand(w, i, 3);
	EACH_LANE(lane, mask)
	out[lane] = bits[shuffled_from(i, lane, which[lane], clamp[lane])];
	sim_put_undefined(w, i->slots[0], 4, mask, (const uint8_t *)out, w->defined->origin[from]);
}
SHUFFLE_OP(shfl_idx, 0)
SHUFFLE_OP(shfl_bfly, 1)

static bool uniform(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const uint32_t *value = sim_operand(w, i, 0);
	uint32_t *to = sim_result(w, i, 0), first = value[0];
	if (!machine_whole(w, i, mask, "a shuffle"))
		return false;
	for (unsigned lane = 0; lane < SIM_LANES; lane++)
		to[lane] = first;
	return true;
}

static void define_uniform(SimWarp *w, const SimInstr *i, uint32_t mask, bool done)
{
	SimDefined *d = w->defined;
	uint32_t from = i->slots[1];
	if (!done)
		return;
	sim_define_nothing(w, i, mask, true);
	if (d->lanes[from] & 1)
		sim_set_undefined(w, i->slots[0], 4, mask, d->origin[from]);
}
DEFINE_OP(warp_uniform, uniform, 0, define_uniform)

enum { REDUX_ADD, REDUX_MIN, REDUX_MAX, REDUX_UMIN, REDUX_UMAX, REDUX_AND, REDUX_OR, REDUX_XOR };

static uint32_t combine(uint64_t op, uint32_t a, uint32_t b)
{
	switch (op) {
	case REDUX_ADD: return a + b;
	case REDUX_MIN: return (int32_t)a < (int32_t)b ? a : b;
	case REDUX_MAX: return (int32_t)a > (int32_t)b ? a : b;
	case REDUX_UMIN: return a < b ? a : b;
	case REDUX_UMAX: return a > b ? a : b;
	case REDUX_AND: return a & b;
	case REDUX_OR: return a | b;
	default: return a ^ b;
	}
}

/* Each lane gets the result over its members. */
static bool redux(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const uint32_t *value = sim_operand(w, i, 0), *members = sim_operand(w, i, 1);
	uint32_t *to = sim_result(w, i, 0), out[SIM_LANES];
	EACH_LANE(lane, mask) {
		uint32_t of = members[lane];
		if ((of & mask) != of || !of)
			return machine_whole(w, i, mask, "a reduction of the warp");
		bool first = true;
		for (unsigned from = 0; from < SIM_LANES; from++) {
			if (!(of >> from & 1))
				continue;
			out[lane] = first ? value[from] : combine(i->imm, out[lane], value[from]);
			first = false;
		}
	}
	EACH_LANE(lane, mask)
		to[lane] = out[lane];
	return true;
}

/* All of a result, if any of a member's bits. */
static void define_redux(SimWarp *w, const SimInstr *i, uint32_t mask, bool done)
{
	SimDefined *d = w->defined;
	uint32_t from = i->slots[1], out = 0;
	const uint32_t *members = sim_operand(w, i, 1);
	if (!done) {
		sim_use(w, i, 1, mask, "the lanes of a reduction");
		return;
	}
	sim_define_nothing(w, i, mask, true);
	EACH_LANE(lane, mask)
	out |= (uint32_t)((members[lane] & d->lanes[from]) != 0) << lane;
	sim_set_undefined(w, i->slots[0], 4, out, d->origin[from]);
}
DEFINE_OP(redux_add, redux, REDUX_ADD, define_redux)
DEFINE_OP(redux_min, redux, REDUX_MIN, define_redux)
DEFINE_OP(redux_max, redux, REDUX_MAX, define_redux)
DEFINE_OP(redux_umin, redux, REDUX_UMIN, define_redux)
DEFINE_OP(redux_umax, redux, REDUX_UMAX, define_redux)
DEFINE_OP(redux_and, redux, REDUX_AND, define_redux)
DEFINE_OP(redux_or, redux, REDUX_OR, define_redux)
DEFINE_OP(redux_xor, redux, REDUX_XOR, define_redux)

/* ---- barriers, fences ---- */

static bool barrier(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	(void)mask;
	w->wait = i->imm && w->cta->run->kernel->ctas > 1 ? WAIT_CLUSTER : WAIT_CTA;
	sim_meeting(w->cta, w->rank, w->wait == WAIT_CLUSTER)->arriving = i->site;
	return false;
}

static bool warp_barrier(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	(void)i;
	if (mask == SIM_ALL) {
		w->sync++;
		sim_race_meet(w);
		return true;
	}
	w->wait = WAIT_WARP;
	return false;
}

static bool fence(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (i->imm && w->cta->run->races)
		sim_race_fence(w, mask);
	return true;
}
EFFECT_OP(barrier, barrier, 0)
EFFECT_OP(cluster_barrier, barrier, 1)
EFFECT_OP(cluster_barrier_relaxed, barrier, 1)
EFFECT_OP(cluster_barrier_roles, barrier, 1 | SIM_OF_ROLES)
EFFECT_OP(warp_barrier, warp_barrier, 0)
EFFECT_OP(fence_cta, fence, 0)
EFFECT_OP(fence_gpu, fence, 1)
EFFECT_OP(fence_sys, fence, 1)

/* ---- lane by lane ---- */

static inline double rsqrt_of(double x)
{
	return 1 / sqrt(x);
}
OPS_LANEWISE(do_ex2, float, float, half_clean((float)exp2((double)x)))
OPS_LANEWISE(do_ex2_ftz, float, float, half_clean(half_flush((float)exp2((double)half_flush(x)))))
OPS_LANEWISE(do_lg2, float, float, half_clean((float)log2((double)x)))
OPS_LANEWISE(do_sqrt_ftz, float, float, half_clean((float)sqrt((double)half_flush(x))))
OPS_LANEWISE(do_rsqrt_ftz, float, float, half_clean(half_flush((float)rsqrt_of((double)half_flush(x)))))
OPS_LANEWISE(do_rcp_ftz, float, float, half_clean(half_flush(1 / half_flush(x))))
OPS_LANEWISE(do_rsqrt_f64, double, double, rsqrt_of(x))
OPS_LANEWISE(do_div, float, float, half_clean(x / y))
OPS_LANEWISE(do_sqrt, float, float, half_clean(sqrtf(x)))
OPS_LANEWISE(do_policy, uint64_t, uint64_t, 0)
PURE_OP(ex2, do_ex2)
PURE_OP(ex2_ftz, do_ex2_ftz)
PURE_OP(lg2, do_lg2)
PURE_OP(sqrt_ftz, do_sqrt_ftz)
PURE_OP(rsqrt_ftz, do_rsqrt_ftz)
PURE_OP(rcp_ftz, do_rcp_ftz)
PURE_OP(rsqrt_f64, do_rsqrt_f64)
PURE_OP(div_full, do_div)
PURE_OP(div_rn, do_div)
PURE_OP(sqrt_rn, do_sqrt)
PURE_OP(policy_evict_first, do_policy)
PURE_OP(policy_evict_last, do_policy)

static uint32_t permuted(uint32_t a, uint32_t b, uint32_t which)
{
	uint64_t bytes = (uint64_t)b << 32 | a;
	uint32_t out = 0;
	for (unsigned k = 0; k < 4; k++) {
		uint32_t nibble = which >> (4 * k) & 15, byte = (uint32_t)(bytes >> 8 * (nibble & 7)) & 255;
		if (nibble & 8)
			byte = byte & 128 ? 255 : 0;
		out |= byte << (8 * k);
	}
	return out;
}

static uint32_t dot4(uint32_t a, uint32_t b, uint32_t c)
{
	for (unsigned k = 0; k < 4; k++)
		c += (uint32_t)((int8_t)(a >> 8 * k) * (int8_t)(b >> 8 * k));
	return c;
}
OPS_LANEWISE(do_prmt, uint32_t, uint32_t, permuted(x, y, z))
OPS_LANEWISE(do_and_or, uint32_t, uint32_t, (x & y) | z)
OPS_LANEWISE(do_unseen, uint32_t, uint32_t, x)
OPS_LANEWISE(do_dp4a, uint32_t, uint32_t, dot4(x, y, z))
PURE_OP(prmt, do_prmt)
PURE_OP(and_or, do_and_or)
PURE_OP(unseen, do_unseen)
PURE_OP(dp4a, do_dp4a)

/* ---- casts ---- */

/* NaN as the GPU's conversions make it. */
static uint32_t narrow(FpFormat format, double x, FpRounding rounding, bool saturate)
{
	if (x != x)
		return format == FP_F16 || format == FP_BF16 ? 0x7fff : 0x7f;
	return (uint32_t)fp_from_double(format, x, rounding, saturate);
}

static double toward_zero(double x)
{
	uint32_t bits;
	float f = (float)x;
	if (x == x && fabs((double)f) > fabs(x)) {
		bits = half_bits(f) - 1;
		f = half_float(bits);
	}
	return (double)f;
}
OPS_LANEWISE(do_rz_f16, uint32_t, float,
      narrow(FP_F16, (double)x, FP_TOWARD_ZERO, false) | narrow(FP_F16, (double)y, FP_TOWARD_ZERO, false) << 16)
OPS_LANEWISE(do_rz_bf16, uint32_t, float,
      narrow(FP_BF16, (double)x, FP_TOWARD_ZERO, false) | narrow(FP_BF16, (double)y, FP_TOWARD_ZERO, false) << 16)
OPS_LANEWISE(do_rz_f32, float, double, half_clean((float)toward_zero(x)))
PURE_OP(cvt_rz_f16x2, do_rz_f16)
PURE_OP(cvt_rz_bf16x2, do_rz_bf16)
PURE_OP(cvt_rz_f32_f64, do_rz_f32)

#define TO_INTEGER_OPS(bits) \
	OPS_LANEWISE(do_f32_to_s##bits, uint##bits##_t, float, to_integer_signed((double)x, bits, false)) \
	OPS_LANEWISE(do_f32_to_u##bits, uint##bits##_t, float, to_integer_unsigned((double)x, bits, false)) \
	OPS_LANEWISE(do_f64_to_s##bits, uint##bits##_t, double, to_integer_signed(x, bits, true)) \
	OPS_LANEWISE(do_f64_to_u##bits, uint##bits##_t, double, to_integer_unsigned(x, bits, true)) \
	PURE_OP(f32_to_s##bits, do_f32_to_s##bits) \
	PURE_OP(f32_to_u##bits, do_f32_to_u##bits) \
	PURE_OP(f64_to_s##bits, do_f64_to_s##bits) \
	PURE_OP(f64_to_u##bits, do_f64_to_u##bits)
TO_INTEGER_OPS(16)
TO_INTEGER_OPS(32)
TO_INTEGER_OPS(64)

/* Two bytes to f16. */
static bool from_fp8(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const uint16_t *from = sim_operand(w, i, 0);
	uint32_t *to = sim_result(w, i, 0);
	EACH_LANE(lane, mask) {
		uint32_t word = 0;
		for (unsigned h = 0; h < 2; h++)
			word |= (uint32_t)half_to_f16_d(fp_to_double((FpFormat)i->imm, from[lane] >> (8 * h) & 255)) << (16 * h);
		to[lane] = word;
	}
	return true;
}

static void define_from_fp8(SimWarp *w, const SimInstr *i, uint32_t mask, bool done)
{
	const uint8_t *bits = sim_undefined_bits(w, i->slots[1], 2);
	_Alignas(64) uint8_t out[SIM_SLOT] = {0};
	for (unsigned n = 0; n < 2 * SIM_LANES && done; n++)
		memset(out + 2 * n, bits[n] ? 0xff : 0, 2);
	if (done)
		sim_put_undefined(w, i->slots[0], 4, mask, out, w->defined->origin[i->slots[1]]);
}
DEFINE_OP(e4m3_to_f16, from_fp8, FP_E4M3FN, define_from_fp8)

static bool half_to_fp8(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const uint32_t *from[2] = {sim_operand(w, i, 0), sim_operand(w, i, 1)};
	uint32_t *to = sim_result(w, i, 0);
	EACH_LANE(lane, mask) {
		uint32_t out = 0;
		for (unsigned k = 0; k < 4; k++) {
			double x = (double)half_from_f16((uint16_t)(from[k / 2][lane] >> (16 * (k & 1))));
			out |= narrow((FpFormat)i->imm, x, FP_NEAREST_EVEN, true) << (8 * k);
		}
		to[lane] = out;
	}
	return true;
}

/* Byte k comes of 16 bits, or of a float. imm has the format alone: which it is, the operands
 * say. */
static void define_to_fp8(SimWarp *w, const SimInstr *i, uint32_t mask, bool done)
{
	_Alignas(64) uint8_t out[SIM_SLOT] = {0};
	uint32_t origin = 0;
	for (unsigned k = 0; k < 4 && done; k++) {
		uint32_t slot = i->slots[i->operands == 2 ? 1 + k / 2 : 1 + k];
		const uint8_t *bits = sim_undefined_bits(w, slot, 4);
		origin = w->defined->lanes[slot] & mask ? w->defined->origin[slot] : origin;
		for (unsigned lane = 0; lane < SIM_LANES; lane++) {
			uint32_t word;
			memcpy(&word, bits + 4 * lane, 4);
			word = i->operands == 2 ? word >> (16 * (k & 1)) & 0xffff : word;
			out[4 * lane + k] = word ? 0xff : 0;
		}
	}
	if (done)
		sim_put_undefined(w, i->slots[0], 4, mask, out, origin);
}
DEFINE_OP(f16_to_e4m3, half_to_fp8, FP_E4M3FN, define_to_fp8)
DEFINE_OP(f16_to_e5m2, half_to_fp8, FP_E5M2, define_to_fp8)

static bool float_to_fp8(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	uint32_t *to = sim_result(w, i, 0);
	EACH_LANE(lane, mask) {
		uint32_t out = 0;
		for (unsigned k = 0; k < 4; k++) {
			const float *from = sim_operand(w, i, k);
			out |= narrow((FpFormat)i->imm, (double)from[lane], FP_NEAREST_EVEN, true) << (8 * k);
		}
		to[lane] = out;
	}
	return true;
}
DEFINE_OP(f32_to_e4m3, float_to_fp8, FP_E4M3FN, define_to_fp8)
DEFINE_OP(f32_to_e5m2, float_to_fp8, FP_E5M2, define_to_fp8)

/* ---- addresses ---- */

static bool decode_address(SimDecoder *d, LLVMValueRef call, const char *suffix)
{
	(void)suffix;
	SimValue out = sim_new(d, 1);
	uint32_t base = sim_value(d, LLVMGetOperand(call, 0)).slots[0];
	uint32_t index = sim_value(d, LLVMGetOperand(call, 1)).slots[0];
	uint64_t bytes = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 2));
	sim_pure(d, d->ops->address64[2], 8, out.slots[0], base, index, SIM_NONE, bytes);
	sim_define(d, call, out);
	return true;
}
const SimMachine sim_machine_address = {.decode = decode_address};

/* ---- division: the divisor, what was divided by it ---- */

OPS_LANEWISE(do_by_zero_16, uint16_t, uint16_t, x ? y : UINT16_MAX)
OPS_LANEWISE(do_by_zero_32, uint32_t, uint32_t, x ? y : UINT32_MAX)
OPS_LANEWISE(do_by_zero_64, uint64_t, uint64_t, x ? y : UINT64_MAX)
OPS_LANEWISE(is_zero_16, uint8_t, uint16_t, x == 0)
OPS_LANEWISE(is_zero_32, uint8_t, uint32_t, x == 0)
OPS_LANEWISE(is_zero_64, uint8_t, uint64_t, x == 0)
#define BY_ZERO_OP(bits)                                                                                     \
	static const SimPromise divides_##bits = {                                                           \
		.broken = {is_zero_##bits}, .count = 1, .why = ORIGIN_DIVISION};                             \
	const SimMachine sim_machine_by_zero_##bits = {.pure = do_by_zero_##bits, .promise = &divides_##bits};
BY_ZERO_OP(16)
BY_ZERO_OP(32)
BY_ZERO_OP(64)
