/* Conversions between layouts: executes the steps of a plan (layout/plan.h) on registers.
 *
 * Elements move as integers, packed into 32-bit words where they are narrower and go the same way.
 * Where nothing but names changes they stay what they are. */
#include "layout/f2.h"
#include "llvm/machine.h"
#include "llvm/memory/shared.h"

typedef struct Conversion {
	Lower *lw;
	const LayoutPlan *plan;
	LLVMValueRef word; /* of the thread */
	LLVMValueRef **held; /* of each repetition */
	uint32_t reps, count;
	uint64_t scratch;
	bool moved; /* held are not the source's registers any more */
} Conversion;

/* ---- within a thread ---- */

/* Pairs (i, i ^ distance) in their order, as many as fill a word at a time: all of these counts are
 * powers of two. */
void lower_exchange(Lower *lw, LLVMValueRef *held, uint32_t count, uint32_t distance, LLVMValueRef swaps,
		    unsigned bits)
{
	CONTRACT(bits && distance);
	unsigned per_word = bits < 32 ? 32 / bits : 1;
	uint32_t low[4], n = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (i < (i ^ distance))
			low[n++] = i;
		if (n == 0 || (n < per_word && i + 1 < count))
			continue;
		LLVMValueRef a[4], b[4];
		for (unsigned k = 0; k < n; k++) {
			a[k] = held[low[k]];
			b[k] = held[low[k] ^ distance];
		}
		LLVMValueRef x = lower_pack(lw, a, n, bits), y = lower_pack(lw, b, n, bits);
		lower_unpack(lw, LLVMBuildSelect(lw->b, swaps, y, x, ""), a, n, bits);
		lower_unpack(lw, LLVMBuildSelect(lw->b, swaps, x, y, ""), b, n, bits);
		for (unsigned k = 0; k < n; k++) {
			held[low[k]] = a[k];
			held[low[k] ^ distance] = b[k];
		}
		n = 0;
	}
}

static void run_rename(Conversion *c, const LayoutStep *step)
{
	for (uint32_t rep = 0; rep < c->reps; rep++) {
		LLVMValueRef *next = lower_array(c->lw, step->count);
		for (uint32_t i = 0; i < step->count; i++)
			next[i] = c->held[rep][step->rename[i]];
		c->held[rep] = next;
	}
	c->count = step->count;
	c->moved = true;
}

static void run_exchange(Conversion *c, const LayoutStep *step)
{
	LLVMValueRef swaps = lower_parity(c->lw, c->word, step->mask);
	for (uint32_t rep = 0; rep < c->reps; rep++)
		lower_exchange(c->lw, c->held[rep], step->count, step->distance, swaps,
			       c->plan->element_bits);
}

/* ---- between lanes ---- */

static LLVMValueRef shuffle_word(Lower *lw, LLVMValueRef word, LLVMValueRef lane, uint32_t own_xor)
{
	LLVMValueRef args[] = {lower_i32(lw, -1), word, lane ? lane : lower_i32(lw, own_xor),
			       lower_i32(lw, 31)};
	return machine_call(lw, lane ? MACHINE_shfl_idx : MACHINE_shfl_bfly, args, ARRAY_LEN(args));
}

LLVMValueRef lower_shuffle(Lower *lw, LLVMValueRef v, unsigned bits, LLVMValueRef lane, uint32_t own_xor)
{
	CONTRACT(bits);
	if (bits == 64) {
		LLVMValueRef half[2];
		lower_unpack(lw, v, half, 2, 32);
		half[0] = shuffle_word(lw, half[0], lane, own_xor);
		half[1] = shuffle_word(lw, half[1], lane, own_xor);
		return lower_pack(lw, half, 2, 32);
	}
	if (bits == 32)
		return shuffle_word(lw, v, lane, own_xor);
	LLVMValueRef wide = shuffle_word(lw, LLVMBuildZExt(lw->b, v, lw->t.i32, ""), lane, own_xor);
	return LLVMBuildTrunc(lw->b, wide, lower_int_type(lw, bits), "");
}

/* The lane that the thread reads from, ^ other; NULL where that is the own lane ^ other. */
static LLVMValueRef lane_of(Conversion *c, const LayoutStep *step, uint32_t other)
{
	Lower *lw = c->lw;
	uint64_t bases[LAYOUT_MAX_THREAD_BITS] = {0};
	if (step->own_lane)
		return NULL;
	const Layout *l = c->plan->source;
	unsigned threads = layout_in_bits(l, LAYOUT_LANE) + layout_in_bits(l, LAYOUT_WARP) +
			   layout_in_bits(l, LAYOUT_BLOCK);
	for (unsigned i = 0; i < threads; i++)
		bases[i] = step->lane_map[i];
	LLVMValueRef lane = lower_linear(lw, bases, threads, c->word);
	return other ? LLVMBuildXor(lw->b, lane, lower_i32(lw, other), "") : lane;
}

/* Registers of the destination that are copies get their
 * value by the rename at the end; until then anything. */
static void fill_absent(Conversion *c, LLVMValueRef *held, uint32_t count)
{
	LLVMValueRef anything = LLVMGetPoison(lower_int_type(c->lw, c->plan->element_bits));
	for (uint32_t i = 0; i < count; i++) {
		if (!held[i])
			held[i] = anything;
	}
}

static void run_shuffle(Conversion *c, const LayoutStep *step)
{
	Lower *lw = c->lw;
	unsigned bits = c->plan->element_bits;
	for (uint32_t rep = 0; rep < c->reps; rep++) {
		LLVMValueRef *next = lower_array(lw, step->count), *old = c->held[rep];
		for (uint32_t i = 0; i < step->move_count; i += step->per_word) {
			const LayoutMove *moves = &step->moves[i];
			LLVMValueRef elements[4];
			for (unsigned e = 0; e < step->per_word; e++)
				elements[e] = old[moves[e].from];
			if (!step->own_lane || moves[0].lane != 0) {
				LLVMValueRef word = lower_pack(lw, elements, step->per_word, bits);
				word = lower_shuffle(lw, word, bits * step->per_word,
						     lane_of(c, step, moves[0].lane), moves[0].lane);
				lower_unpack(lw, word, elements, step->per_word, bits);
			}
			for (unsigned e = 0; e < step->per_word; e++)
				next[moves[e].to] = elements[e];
		}
		fill_absent(c, next, step->count);
		c->held[rep] = next;
	}
	c->count = step->count;
	c->moved = true;
}

/* ---- through shared memory ---- */

static void run_barrier(Conversion *c, LayoutBarrier barrier)
{
	switch (barrier) {
	case LAYOUT_BARRIER_WARP:
		MACHINE0(c->lw, warp_barrier);
		break;
	case LAYOUT_BARRIER_CTA:
		lower_barrier(c->lw);
		break;
	case LAYOUT_BARRIER_CLUSTER:
		MACHINE0(c->lw, cluster_barrier);
		break;
	}
}

static SharedPlace place_of(const Conversion *c, uint32_t rep, unsigned pass)
{
	const LayoutPlan *plan = c->plan;
	uint64_t region = plan->repetitions_take_turns ? 0 : rep;
	return (SharedPlace){
		.base = c->lw->shared_base,
		.bytes = c->scratch + (region << plan->pass_shift) * (plan->element_bits / 8),
		.pass = pass,
		.pass_shift = plan->pass_shift,
	};
}

/* Turn `turn` of the repetitions, which are counted as in
 * the source; all of them where they do not take turns. */
static void run_stores(Conversion *c, const LayoutStep *step, uint32_t turn)
{
	const LayoutAccess *a = &c->plan->store;
	LLVMValueRef active = lower_access_active(c->lw, a, c->word);
	LowerIf part = {0};
	if (active)
		part = lower_begin_if(c->lw, active);
	for (uint32_t rep = 0; rep < c->reps; rep++) {
		if (c->plan->repetitions_take_turns && rep != turn)
			continue;
		SharedPlace place = place_of(c, rep, step->pass);
		place.tile = c->moved ? NULL : c->plan->source;
		place.first = rep * c->count;
		lower_access_store(c->lw, a, &place, c->word, c->held[rep]);
	}
	if (active)
		lower_end_if(c->lw, part);
}

static void run_loads(Conversion *c, const LayoutStep *step, uint32_t turn, LLVMValueRef **loaded,
		      bool cluster)
{
	const LayoutPlan *plan = c->plan;
	for (uint32_t rep = 0; rep < c->reps; rep++) {
		uint32_t from = layout_plan_source_rep(plan->source, plan->destination, rep);
		if (plan->repetitions_take_turns && from != turn)
			continue;
		SharedPlace place = place_of(c, from, step->pass);
		place.cluster = cluster;
		place.tile = plan->destination;
		place.first = rep << layout_in_bits(plan->destination, LAYOUT_REGISTER);
		lower_access_load(c->lw, &plan->load, &place, c->word, loaded[rep]);
	}
}

static LayoutBarrier barrier_of(const LayoutPlan *plan)
{
	for (uint32_t i = 0; i < plan->step_count; i++) {
		if (plan->steps[i].kind == LAYOUT_STEP_BARRIER)
			return plan->steps[i].barrier;
	}
	return LAYOUT_BARRIER_CTA;
}

/* The steps from the first store to the last load, for each turn. */
static void run_shared(Conversion *c, const LayoutStep *steps, uint32_t count)
{
	const LayoutPlan *plan = c->plan;
	uint32_t turns = plan->repetitions_take_turns ? c->reps : 1;
	uint32_t wanted = 1u << layout_in_bits(plan->destination, LAYOUT_REGISTER);
	LayoutBarrier barrier = barrier_of(plan);
	LLVMValueRef **loaded = arena_alloc(c->lw->arena, sizeof *loaded * c->reps);
	for (uint32_t rep = 0; rep < c->reps; rep++) {
		loaded[rep] = lower_array(c->lw, wanted);
		for (uint32_t i = 0; i < wanted;
		     i++) /* copies are not loaded, but exchanged with the others */
			loaded[rep][i] = LLVMGetPoison(lower_int_type(c->lw, plan->element_bits));
	}
	/* What a warp shares with itself no other barrier has to wait for. */
	if (barrier == LAYOUT_BARRIER_WARP)
		run_barrier(c, barrier);
	for (uint32_t turn = 0; turn < turns; turn++) {
		if (turn > 0)
			run_barrier(c, barrier);
		for (uint32_t i = 0; i < count; i++) {
			if (steps[i].kind == LAYOUT_STEP_STORE)
				run_stores(c, &steps[i], turn);
			else if (steps[i].kind == LAYOUT_STEP_LOAD)
				run_loads(c, &steps[i], turn, loaded, barrier == LAYOUT_BARRIER_CLUSTER);
			else
				run_barrier(c, steps[i].barrier);
		}
	}
	/* Others read this block's memory: it is free for what comes next when they are done. */
	if (barrier == LAYOUT_BARRIER_CLUSTER)
		run_barrier(c, barrier);
	c->held = loaded;
	c->count = wanted;
}

static uint32_t shared_steps(const LayoutPlan *plan, uint32_t from)
{
	uint32_t last = from;
	for (uint32_t i = from; i < plan->step_count; i++) {
		if (plan->steps[i].kind == LAYOUT_STEP_LOAD)
			last = i;
	}
	return last + 1 - from;
}

/* ---- whole plans ---- */

static void run_steps(Conversion *c)
{
	const LayoutPlan *plan = c->plan;
	for (uint32_t i = 0; i < plan->step_count; i++) {
		const LayoutStep *step = &plan->steps[i];
		if (step->kind == LAYOUT_STEP_RENAME) {
			run_rename(c, step);
		} else if (step->kind == LAYOUT_STEP_EXCHANGE) {
			run_exchange(c, step);
		} else if (step->kind == LAYOUT_STEP_SHUFFLE) {
			run_shuffle(c, step);
		} else {
			uint32_t n = shared_steps(plan, i);
			run_shared(c, step, n);
			i += n - 1;
		}
	}
}

/* Elements whose bits need not be seen: whole words, and predicates, that at most trade places. */
static bool stays_native(const LayoutPlan *plan, IrType elem)
{
	bool renames = true;
	for (uint32_t i = 0; i < plan->step_count; i++)
		renames = renames && plan->steps[i].kind == LAYOUT_STEP_RENAME;
	return renames ||
	       (plan->kind <= LAYOUT_PLAN_REGISTERS && (plan->element_bits >= 32 || elem->kind == TY_I1));
}

static LLVMValueRef *convert(Lower *lw, const LayoutPlan *plan, LLVMValueRef *regs, IrType elem,
			     uint64_t scratch)
{
	Conversion c = {.lw = lw, .plan = plan, .scratch = scratch};
	bool native = stays_native(plan, elem);
	LayoutPlan whole_elements = *plan;
	if (native) {
		whole_elements.element_bits = MAX(plan->element_bits, 32u); /* one at a time */
		c.plan = &whole_elements;
	}
	c.word = lower_thread_word(lw, plan->source);
	c.reps = layout_space_reps(&plan->source->in);
	c.count = 1u << layout_in_bits(plan->source, LAYOUT_REGISTER);
	c.held = arena_alloc(lw->arena, sizeof *c.held * c.reps);
	for (uint32_t rep = 0; rep < c.reps; rep++) {
		c.held[rep] = lower_array(lw, c.count);
		for (uint32_t i = 0; i < c.count; i++) {
			LLVMValueRef v = regs[rep * c.count + i];
			c.held[rep][i] = native ? v : lower_to_bits(lw, v, elem);
		}
	}
	run_steps(&c);
	LLVMValueRef *out = lower_array(lw, c.reps * c.count);
	for (uint32_t rep = 0; rep < c.reps; rep++) {
		/* Within a warp registers keep the place that the source gave their repetition. */
		uint32_t from = plan->kind == LAYOUT_PLAN_SHARED ?
				rep : layout_plan_source_rep(plan->source, plan->destination, rep);
		for (uint32_t i = 0; i < c.count; i++) {
			LLVMValueRef v = c.held[from][i];
			out[rep * c.count + i] = native ? v : lower_from_bits(lw, v, elem);
		}
	}
	return out;
}

LLVMValueRef *lower_convert(Lower *lw, const Layout *from, const Layout *to, LLVMValueRef *regs, IrType elem,
			    uint64_t scratch)
{
	CONTRACT(layout_space_equal(&from->out, &to->out));
	CONTRACT(from && to && regs);
	return convert(lw, gpu_convert_plan(lw->gpu, from, to, elem), regs, elem, scratch);
}

LLVMValueRef *lower_convert_shared(Lower *lw, const Layout *from, const Layout *to, LLVMValueRef *regs,
				   IrType elem, uint64_t scratch)
{
	return convert(lw, gpu_convert_plan_shared(lw->gpu, from, to, elem), regs, elem, scratch);
}

uint32_t *lower_register_copies(Lower *lw, const Layout *layout)
{
	unsigned bits = layout_in_bits(layout, LAYOUT_REGISTER);
	uint64_t reg[32], copy_of[32];
	F2Span span = f2_span_none();
	layout_bases(layout, LAYOUT_REGISTER, reg);
	for (unsigned i = 0; i < bits; i++) {
		copy_of[i] = UINT64_C(1) << i;
		if (!f2_span_add(&span, reg[i]))
			f2_span_reduce(&span, reg[i], &copy_of[i]);
	}
	uint32_t *copies = ARENA_ARRAY(lw->arena, uint32_t, (size_t)1 << bits);
	for (uint32_t r = 0; r < UINT32_C(1) << bits; r++)
		copies[r] = (uint32_t)f2_apply(copy_of, bits, r);
	return copies;
}

/* Indices that are equal, as pages of neighbouring tokens are, are one to what is computed from
 * them; nobody asks other lanes for the rest then. */
static void join_equal(Lower *lw, const IrValue *result, LLVMValueRef *regs)
{
	const uint32_t *first = ir_is_int(result->type->elem) ? lower_first_of_equal(lw, result) : NULL;
	for (uint32_t r = 0; first && r < lower_count(lw, result->type); r++)
		regs[r] = regs[first[r]];
}

bool lower_CONVERT_LAYOUT(Lower *lw, IrOp *op)
{
	IrType from = ir_operand(op, 0)->type, to = op->results[0].type;
	LowerValue v = lower_get(lw, ir_operand(op, 0));
	LLVMValueRef *regs = lower_convert(lw, gpu_layout(lw->gpu, from), gpu_layout(lw->gpu, to), v.regs,
					   from->elem, gpu_shared_offset(lw->gpu, op));
	join_equal(lw, ir_result(op, 0), regs);
	lower_set(lw, ir_result(op, 0), regs, lower_count(lw, to));
	return true;
}
