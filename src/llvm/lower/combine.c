/* Building reductions and scans: each thing that a plan asks for is an instruction or a few. */
#include "llvm/lower/combine.h"

#include "llvm/machine.h"
#include "llvm/memory/shared.h"

static IrType elem_of(const Combine *c, unsigned operand)
{
	return c->wide ? ir_scalar(c->lw->gpu->ir, TY_F32) : ir_operand(c->op, operand)->type->elem;
}

/* Are these sums of products that nothing else uses? Then they are fused as the products of a plain sum would be. */
static bool sums_products(const Lower *lw, const IrOp *op)
{
	const IrOp *product = ir_operand(op, 0)->def;
	return op->kind == OP_REDUCE && lw->fp_fusion && op->operand_count == 1 && product &&
	       product->kind == OP_MULF && product->block == op->block && ir_has_one_use(ir_result(product, 0)) &&
	       !ir_get(product, lw->module->cx, ATTR_ROUNDED) && gpu_region_op(&op->regions[0]) == OP_ADDF;
}

static bool is_product(LLVMValueRef v)
{
	return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == LLVMFMul;
}

static void combine(void *data, void *const *a, void *const *b, void **out)
{
	Combine *c = data;
	uint32_t n = c->trips.operands;
	if (c->products && is_product(b[0])) {
		out[0] = lower_fma(c->lw, LLVMGetOperand(b[0], 0), LLVMGetOperand(b[0], 1), a[0]);
		return;
	}
	if (c->wide) {
		out[0] = lower_extreme(c, a[0], b[0]);
		return;
	}
	LLVMValueRef *args = lower_array(c->lw, 2 * n), *results = lower_array(c->lw, n);
	for (uint32_t k = 0; k < n; k++) {
		args[k] = a[k];
		args[n + k] = b[k];
		results[k] = a[k]; /* what a failed body leaves */
	}
	if (!c->lw->failed)
		lower_inline_region(c->lw, &c->op->regions[0], args, 2 * n, results);
	for (uint32_t k = 0; k < n; k++)
		out[k] = results[k];
}

/* ---- between lanes ---- */

/* Elements below 32 bits share words. */
static void shuffle_values(Combine *c, unsigned operand, void **values, uint32_t count, LLVMValueRef lane, uint32_t by)
{
	Lower *lw = c->lw;
	IrType elem = elem_of(c, operand);
	unsigned bits = lower_bits(elem), per_word = bits < 32 ? 32 / bits : 1;
	for (uint32_t i = 0; i < count; i += per_word) {
		uint32_t n = MIN(per_word, count - i);
		LLVMValueRef part[4];
		for (uint32_t k = 0; k < n; k++)
			part[k] = lower_to_bits(lw, values[i + k], elem);
		LLVMValueRef word = lower_shuffle(lw, lower_pack(lw, part, n, bits), bits * n, lane, by);
		lower_unpack(lw, word, part, n, bits);
		for (uint32_t k = 0; k < n; k++)
			values[i + k] = lower_from_bits(lw, part[k], elem);
	}
}

static void shuffle(void *data, unsigned operand, void **values, uint32_t count, uint32_t lane_xor)
{
	shuffle_values(data, operand, values, count, NULL, lane_xor);
}

static void shuffle_from(void *data, unsigned operand, void **values, uint32_t count, void *lane)
{
	shuffle_values(data, operand, values, count, lane, 0);
}

static bool warp_operation(IrOpKind kind, MachineOp *op, bool *is_signed)
{
	*is_signed = kind == OP_MINSI || kind == OP_MAXSI;
	switch (kind) {
	case OP_ADDI: *op = MACHINE_redux_add; return true;
	case OP_MINSI: *op = MACHINE_redux_min; return true;
	case OP_MAXSI: *op = MACHINE_redux_max; return true;
	case OP_MINUI: *op = MACHINE_redux_umin; return true;
	case OP_MAXUI: *op = MACHINE_redux_umax; return true;
	case OP_ANDI: *op = MACHINE_redux_and; return true;
	case OP_ORI: *op = MACHINE_redux_or; return true;
	case OP_XORI: *op = MACHINE_redux_xor; return true;
	default: return false;
	}
}

static bool combine_warp(void *data, void ***values, uint32_t count)
{
	Combine *c = data;
	Lower *lw = c->lw;
	IrType elem = elem_of(c, 0);
	MachineOp op;
	bool is_signed;
	if (!warp_operation(gpu_region_op(&c->op->regions[0]), &op, &is_signed))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		LLVMValueRef v = lower_to_bits(lw, values[0][i], elem);
		LLVMTypeRef type = LLVMTypeOf(v);
		v = is_signed ? LLVMBuildSExt(lw->b, v, lw->t.i32, "") : LLVMBuildZExt(lw->b, v, lw->t.i32, "");
		v = machine_call(lw, op, (LLVMValueRef[]){v, lower_i32(lw, -1)}, 2);
		values[0][i] = lower_from_bits(lw, LLVMBuildTrunc(lw->b, v, type, ""), elem);
	}
	return true;
}

/* ---- conditions, positions ---- */

static void *select(void *data, unsigned operand, void *condition, void *yes, void *no)
{
	Combine *c = data;
	(void)operand;
	return LLVMBuildSelect(c->lw->b, condition, yes, no, "");
}

static void *parity(void *data, uint32_t mask)
{
	Combine *c = data;
	return lower_parity(c->lw, c->word, mask);
}

static void *at_least(void *data, void *position, uint32_t n)
{
	Combine *c = data;
	if (n == 1)
		return LLVMBuildICmp(c->lw->b, LLVMIntNE, position, lower_i32(c->lw, 0), "");
	return LLVMBuildICmp(c->lw->b, LLVMIntUGE, position, lower_i32(c->lw, n), "");
}

static void *either(void *data, void *a, void *b)
{
	Combine *c = data;
	return LLVMBuildOr(c->lw->b, a, b, "");
}

static void *position(void *data, const unsigned *thread_bits, unsigned count, bool complement)
{
	Combine *c = data;
	uint64_t bases[LAYOUT_MAX_THREAD_BITS] = {0};
	unsigned used = 0;
	for (unsigned i = 0; i < count; i++) {
		bases[thread_bits[i]] = UINT64_C(1) << i;
		used = MAX(used, thread_bits[i] + 1);
	}
	LLVMValueRef v = lower_linear(c->lw, bases, used, c->word);
	return complement ? LLVMBuildXor(c->lw->b, v, lower_i32(c->lw, (1 << count) - 1), "") : v;
}

static void *lane_at(void *data, uint32_t keep, uint32_t set)
{
	Combine *c = data;
	Lower *lw = c->lw;
	LLVMValueRef lane = LLVMBuildAnd(lw->b, lower_lane(lw), lower_i32(lw, keep), "");
	return LLVMBuildOr(lw->b, lane, lower_i32(lw, set), "");
}

/* Bits outside of the mask let a borrow or carry pass: 0 for one, 1 for the other. */
static void *lane_next(void *data, uint32_t mask, bool more)
{
	Combine *c = data;
	Lower *lw = c->lw;
	LLVMValueRef lane = lower_lane(lw), one = lower_i32(lw, mask & -mask), next;
	if (more)
		next = LLVMBuildAdd(lw->b, LLVMBuildOr(lw->b, lane, lower_i32(lw, ~mask & 31), ""), one, "");
	else
		next = LLVMBuildSub(lw->b, LLVMBuildAnd(lw->b, lane, lower_i32(lw, mask), ""), one, "");
	next = LLVMBuildAnd(lw->b, next, lower_i32(lw, mask), "");
	if ((mask & 31) == 31)
		return next;
	return LLVMBuildOr(lw->b, next, LLVMBuildAnd(lw->b, lane, lower_i32(lw, ~mask & 31), ""), "");
}

/* ---- trips ---- */

/* One store, one barrier, one load: several operands can share the barrier. */
static bool is_plain_trip(const LayoutPlan *plan)
{
	static const LayoutStepKind kinds[] = {LAYOUT_STEP_STORE, LAYOUT_STEP_BARRIER, LAYOUT_STEP_LOAD};
	if (plan->kind != LAYOUT_PLAN_SHARED || plan->repetitions_take_turns || plan->passes > 1 ||
	    plan->step_count < 3)
		return false;
	for (uint32_t i = 0; i < plan->step_count; i++) {
		if (plan->steps[i].kind != (i < ARRAY_LEN(kinds) ? kinds[i] : LAYOUT_STEP_RENAME))
			return false;
	}
	return plan->steps[1].barrier == LAYOUT_BARRIER_CTA;
}

typedef struct Trip {
	const LayoutPlan *plan;
	IrType elem;
	uint64_t scratch;
	void **values;
} Trip;

static SharedPlace place_of(const Combine *c, const Trip *t, uint32_t rep)
{
	return (SharedPlace){.base = c->lw->shared_base,
			     .bytes = t->scratch + ((uint64_t)rep << t->plan->pass_shift) * (t->plan->element_bits / 8),
			     .pass_shift = t->plan->pass_shift};
}

static void store_trip(Combine *c, const Trip *t)
{
	const Layout *l = t->plan->source;
	uint32_t count = UINT32_C(1) << layout_in_bits(l, LAYOUT_REGISTER);
	LLVMValueRef *held = lower_array(c->lw, count);
	for (uint32_t rep = 0; rep < layout_space_reps(&l->in); rep++) {
		SharedPlace place = place_of(c, t, rep);
		for (uint32_t i = 0; i < count; i++)
			held[i] = lower_to_bits(c->lw, t->values[rep * count + i], t->elem);
		lower_access_store(c->lw, &t->plan->store, &place, c->word, held);
	}
}

static void load_trip(Combine *c, Trip *t)
{
	const LayoutPlan *plan = t->plan;
	const Layout *l = plan->destination;
	const uint32_t count = UINT32_C(1) << layout_in_bits(l, LAYOUT_REGISTER), reps = layout_space_reps(&l->in);
	t->values = ARENA_ARRAY(c->lw->arena, void *, count * reps);
	for (uint32_t rep = 0; rep < reps; rep++) {
		LLVMValueRef *held = lower_array(c->lw, count);
		SharedPlace place = place_of(c, t, layout_plan_source_rep(plan->source, l, rep));
		lower_access_load(c->lw, &plan->load, &place, c->word, held);
		for (uint32_t s = 3; s < plan->step_count; s++) {
			LLVMValueRef *next = lower_array(c->lw, count);
			for (uint32_t i = 0; i < count; i++)
				next[i] = held[plan->steps[s].rename[i]];
			held = next;
		}
		for (uint32_t i = 0; i < count; i++)
			t->values[rep * count + i] = lower_from_bits(c->lw, held[i], t->elem);
	}
}

static void share_trip(Combine *c, Trip *trips, unsigned n)
{
	Lower *lw = c->lw;
	for (unsigned k = 0; k < n;) {
		LLVMValueRef active = lower_access_active(lw, &trips[k].plan->store, c->word);
		uint32_t idle = trips[k].plan->store.idle;
		LowerIf part = lower_begin_if(lw, active);
		for (; k < n && trips[k].plan->store.idle == idle; k++)
			store_trip(c, &trips[k]);
		lower_end_if(lw, part);
	}
	lower_barrier(lw);
	for (unsigned k = 0; k < n; k++)
		load_trip(c, &trips[k]);
}

static void convert(void *data, const Layout *from, const Layout *to, void ***values, unsigned trip)
{
	Combine *c = data;
	Lower *lw = c->lw;
	unsigned n = c->trips.operands;
	Trip *trips = ARENA_ARRAY(lw->arena, Trip, n);
	uint64_t scratch = gpu_shared_offset(lw->gpu, c->op);
	bool shared = true;
	if (from == to)
		return;
	for (unsigned k = 0; k < n; k++) {
		IrType elem = elem_of(c, k);
		trips[k] = (Trip){gpu_convert_plan(lw->gpu, from, to, elem), elem,
				  scratch + c->trips.offset[trip * n + k], values[k]};
		shared = shared && is_plain_trip(trips[k].plan);
	}
	if (shared) {
		share_trip(c, trips, n);
		for (unsigned k = 0; k < n; k++)
			values[k] = trips[k].values;
		return;
	}
	for (unsigned k = 0; k < n; k++)
		values[k] = (void **)lower_convert(lw, from, to, (LLVMValueRef *)values[k], trips[k].elem,
						   trips[k].scratch);
}

/* ---- the op's operands and results ---- */

void ***lower_combine_begin(Combine *c, Lower *lw, IrOp *op)
{
	*c = (Combine){.lw = lw, .op = op, .trips = gpu_trips(lw->gpu, op), .products = sums_products(lw, op)};
	const IrOp *made = ir_operand(op, 0)->def;
	c->pairs = gpu_reduces_pairs(lw->gpu, op);
	c->magnitudes = c->pairs && made && made->kind == OP_ABSF;
	c->word = lower_thread_word(lw, gpu_layout(lw->gpu, ir_operand(op, 0)->type));
	c->engine = (GpuEngine){.data = c,
				.operands = op->operand_count,
				.commutes = gpu_region_commutes(&op->regions[0], lw->arena),
				.combine = combine,
				.shuffle = shuffle,
				.shuffle_from = shuffle_from,
				.fold = c->pairs ? lower_fold_pairs : NULL,
				.combine_warp = op->kind == OP_REDUCE && gpu_reduces_in_hardware(lw->gpu, op) ?
							combine_warp : NULL,
				.select = select,
				.parity = parity,
				.at_least = at_least,
				.either = either,
				.position = position,
				.lane_at = lane_at,
				.lane_next = lane_next,
				.convert = convert,
				.arena = lw->arena};
	void ***values = ARENA_ARRAY(lw->arena, void **, op->operand_count);
	for (uint32_t k = 0; k < op->operand_count; k++) {
		LowerValue v = lower_get(lw, c->magnitudes ? ir_operand(made, 0) : ir_operand(op, k));
		values[k] = ARENA_ARRAY(lw->arena, void *, v.count);
		memcpy(values[k], v.regs, sizeof *values[k] * v.count);
	}
	return values;
}

/* An f32 that is a number of the narrow type, or a NaN. */
static LLVMValueRef narrowed(Lower *lw, LLVMValueRef v, IrType elem)
{
	if (elem->kind != TY_BF16)
		return LLVMBuildFPTrunc(lw->b, v, lower_type(lw, elem), "");
	LLVMValueRef word = LLVMBuildBitCast(lw->b, v, lw->t.i32, "");
	word = LLVMBuildLShr(lw->b, word, lower_i32(lw, 16), "");
	return LLVMBuildBitCast(lw->b, LLVMBuildTrunc(lw->b, word, lw->t.i16, ""), lw->t.bf16, "");
}

void lower_combine_end(Combine *c, void ***values)
{
	if (c->wide) {
		const IrValue *result = ir_result(c->op, 0);
		for (uint32_t i = 0; i < lower_count(c->lw, result->type); i++)
			values[0][i] = narrowed(c->lw, values[0][i], ir_elem(result->type));
	}
	for (uint32_t k = 0; k < c->op->result_count; k++) {
		const IrValue *result = ir_result(c->op, k);
		lower_set(c->lw, result, (LLVMValueRef *)values[k], lower_count(c->lw, result->type));
	}
}
