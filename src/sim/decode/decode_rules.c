/* What checks are told of each computation: how bits that are not defined go through it
 * (check/define.h), and what flags of LLVM's instructions promise of its operands. */
#include "sim/check/define.h"
#include "sim/decode/decode.h"
#include "sim/ops/machine.h"

/* ---- rules ---- */

typedef struct Rules {
	SimDecoder *d;
	Map of;    /* function -> rule, bytes of operands */
	Map reals; /* function -> floats of its result, of its operands */
} Rules;

static void set(Rules *r, SimPure *fn, SimRule rule, unsigned from)
{
	map_put(&r->of, (uint64_t)(uintptr_t)fn, (uint64_t)rule << 8 | from);
}

/* Of integers of all sizes. */
static void set_all(Rules *r, SimPure *const table[4], SimRule rule, bool sized)
{
	for (unsigned k = 0; k < 4; k++)
		set(r, table[k], rule, sized ? 1u << k : 0);
}

static void set_integers(Rules *r)
{
	static const struct {
		SimIntOp op;
		SimRule rule;
	} of[] = {{OPS_add, RULE_CARRY},	{OPS_sub, RULE_CARRY},
		  {OPS_mul, RULE_CARRY},	{OPS_shl, RULE_MOVE1},
		  {OPS_lshr, RULE_MOVE1},	{OPS_ashr, RULE_MOVE1},
		  {OPS_and, RULE_AND},		{OPS_or, RULE_OR},
		  {OPS_xor, RULE_EITHER},	{OPS_bswap, RULE_MOVE1},
		  {OPS_bitreverse, RULE_MOVE1}, {OPS_fshl, RULE_MOVE2},
		  {OPS_fshr, RULE_MOVE2}};
	for (size_t k = 0; k < ARRAY_LEN(of); k++)
		set_all(r, r->d->ops->ints[of[k].op], of[k].rule, false);
	static const SimRule of_compare[] = {
		RULE_EQUAL,   RULE_EQUAL,	   RULE_GREATER,     RULE_LESS,	       RULE_LESS,
		RULE_GREATER, RULE_GREATER_SIGNED, RULE_LESS_SIGNED, RULE_LESS_SIGNED, RULE_GREATER_SIGNED};
	for (unsigned op = OPS_CMP_eq; op <= OPS_CMP_sle; op++)
		set_all(r, r->d->ops->icmp[op], of_compare[op], true);
}

static void set_moves(Rules *r)
{
	const SimOps *ops = r->d->ops;
	set_all(r, ops->copy, RULE_SAME, false);
	set_all(r, ops->cut, RULE_MOVE1, false);
	set_all(r, ops->fill, RULE_MOVE1, false);
	set_all(r, ops->select, RULE_SELECT, false);
	set_all(r, ops->add_imm, RULE_CARRY, false);
	set_all(r, ops->address32, RULE_ADDRESS, true);
	set_all(r, ops->address64, RULE_ADDRESS, true);
	for (unsigned from = 0; from < 4; from++) {
		for (unsigned to = 0; to < 4; to++) {
			set(r, ops->zext[from][to], RULE_MOVE1, 1u << from);
			set(r, ops->sext[from][to], RULE_MOVE1, 1u << from);
		}
	}
	for (unsigned k = 0; k < FLOAT__COUNT; k++) {
		set(r, ops->fneg[k], RULE_SAME, 0);
		set(r, ops->fabs[k], RULE_SAME, 0);
	}
	set(r, sim_machine_prmt.pure, RULE_MOVE2, 0);
	set(r, sim_machine_cvt_rz_f16x2.pure, RULE_HALVES, 0);
	set(r, sim_machine_cvt_rz_bf16x2.pure, RULE_HALVES, 0);
}

static void set_real(Rules *r, SimPure *fn, unsigned to, unsigned from)
{
	map_put(&r->reals, (uint64_t)(uintptr_t)fn, (uint64_t)(to + 1) << 8 | (from + 1));
}

static void set_reals(Rules *r)
{
	const SimOps *ops = r->d->ops;
	for (unsigned kind = 0; kind < FLOAT__COUNT; kind++) {
		for (unsigned op = 0; op < OPS_FLOAT__COUNT; op++)
			set_real(r, ops->floats[op][kind], kind, kind);
		set_real(r, ops->fma[kind], kind, kind);
		for (unsigned to = 0; to < FLOAT__COUNT; to++)
			set_real(r, ops->fcast[kind][to], to, kind);
	}
	const SimMachine *of[] = {&sim_machine_ex2,	 &sim_machine_ex2_ftz,	 &sim_machine_lg2,
				  &sim_machine_sqrt_ftz, &sim_machine_rsqrt_ftz, &sim_machine_div_full,
				  &sim_machine_div_rn,	 &sim_machine_sqrt_rn,
				  &sim_machine_rcp_ftz};
	for (size_t k = 0; k < ARRAY_LEN(of); k++)
		set_real(r, of[k]->pure, FLOAT_F32, FLOAT_F32);
	set_real(r, sim_machine_rsqrt_f64.pure, FLOAT_F64, FLOAT_F64);
}

void sim_decode_rules(SimDecoder *d)
{
	Rules r = {.d = d};
	uint64_t known;
	map_init(&r.of, d->scratch);
	set_integers(&r);
	set_moves(&r);
	map_init(&r.reals, d->scratch);
	set_reals(&r);
	for (uint32_t pc = 0; pc < d->code.len; pc++) {
		SimInstr *i = &d->code.data[pc];
		if (i->kind == SIM_PURE && map_get(&r.reals, (uint64_t)(uintptr_t)i->pure, &known)) {
			i->real = (uint8_t)(known >> 8);
			i->real_from = (uint8_t)known;
		}
		if (i->kind != SIM_PURE || !map_get(&r.of, (uint64_t)(uintptr_t)i->pure, &known))
			continue;
		i->rule = (uint8_t)(known >> 8);
		i->from = (uint8_t)known;
	}
}

/* ---- promises ---- */

static void promise(SimPromise *p, SimPure *broken, uint64_t imm)
{
	ASSERT(p->count < ARRAY_LEN(p->broken));
	p->broken[p->count] = broken;
	p->imm[p->count++] = imm;
}

/* No signed or unsigned overflow. */
static void promise_sum(SimDecoder *d, LLVMValueRef v, SimPromise *p, unsigned size,
			SimIntCompare unsigned_over, SimIntCompare signed_over)
{
	if (LLVMGetNUW(v))
		promise(p, d->ops->icmp[unsigned_over][size], 0);
	if (LLVMGetNSW(v))
		promise(p, d->ops->icmp[signed_over][size], 0);
}

static void promise_shift(SimDecoder *d, LLVMValueRef v, SimPromise *p, unsigned size)
{
	promise(p, d->ops->icmp[OPS_CMP_shift_over][size], 0);
	if (LLVMGetInstructionOpcode(v) == LLVMShl)
		promise_sum(d, v, p, size, OPS_CMP_ushl_over, OPS_CMP_sshl_over);
	else if (LLVMGetExact(v))
		promise(p, d->ops->icmp[OPS_CMP_shift_rest][size], 0);
}

static void promise_cast(SimDecoder *d, LLVMValueRef v, SimPromise *p)
{
	unsigned size = index_of(sim_bytes(LLVMTypeOf(LLVMGetOperand(v, 0)))), bits = sim_bits(LLVMTypeOf(v));
	if (LLVMGetInstructionOpcode(v) != LLVMTrunc) {
		if (LLVMGetNNeg(v))
			promise(p, d->ops->icmp[OPS_CMP_negative][size], 0);
		return;
	}
	if (LLVMGetNUW(v))
		promise(p, d->ops->icmp[OPS_CMP_ucut_over][size], bits);
	if (LLVMGetNSW(v))
		promise(p, d->ops->icmp[OPS_CMP_scut_over][size], bits);
}

static void promise_division(SimDecoder *d, LLVMValueRef v, SimPromise *p, unsigned size)
{
	bool is_signed = LLVMGetInstructionOpcode(v) == LLVMSDiv;
	if (LLVMGetExact(v))
		promise(p, d->ops->icmp[is_signed ? OPS_CMP_sdiv_rest : OPS_CMP_udiv_rest][size], 0);
}

static SimPromise promise_of(SimDecoder *d, LLVMValueRef v, unsigned size)
{
	SimPromise p = {.why = ORIGIN_PROMISE};
	switch (LLVMGetInstructionOpcode(v)) {
	case LLVMAdd: promise_sum(d, v, &p, size, OPS_CMP_uadd_over, OPS_CMP_sadd_over); break;
	case LLVMSub: promise_sum(d, v, &p, size, OPS_CMP_usub_over, OPS_CMP_ssub_over); break;
	case LLVMMul: promise_sum(d, v, &p, size, OPS_CMP_umul_over, OPS_CMP_smul_over); break;
	case LLVMShl:
	case LLVMLShr:
	case LLVMAShr: promise_shift(d, v, &p, size); break;
	case LLVMUDiv:
	case LLVMSDiv: promise_division(d, v, &p, size); break;
	case LLVMOr:
		if (LLVMGetIsDisjoint(v))
			promise(&p, d->ops->icmp[OPS_CMP_both][size], 0);
		break;
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMUIToFP: promise_cast(d, v, &p); break;
	default: break;
	}
	return p;
}

/* Integers narrower than their lane are computed by several instructions, and nothing is
 * promised of those. */
void decode_promise(SimDecoder *d, LLVMValueRef v, uint32_t first)
{
	if (!LLVMGetNumOperands(v) || d->code.len == first)
		return;
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(v, 0)), to = LLVMTypeOf(v);
	type = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
	to = LLVMGetTypeKind(to) == LLVMVectorTypeKind ? LLVMGetElementType(to) : to;
	if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || !sim_bits(type) || !sim_bits(to) ||
	    is_odd(type) || is_odd(to))
		return;
	SimPromise p = promise_of(d, v, index_of(sim_bytes(type)));
	if (!p.count)
		return;
	SimPromise *kept = ARENA_NEW(d->arena, SimPromise);
	*kept = p;
	for (uint32_t pc = first; pc < d->code.len; pc++)
		if (d->code.data[pc].kind == SIM_PURE)
			d->code.data[pc].promise = kept;
}
