/* Planning and running reductions (combine.h).
 *
 * The image of a place without the axis says which result it belongs to. Among the independent
 * places, the kernel of that map is the directions along which places combine: those in registers
 * alone are terms of one thread, those that involve lanes are shuffle rounds, and what remains of
 * the axis crosses warps. The coordinate along the axis, modulo what thread and warp have
 * combined, numbers the partial results that are left. */
#include "gpu/reduce/combine.h"
#include "layout/f2.h"

/* A layout as columns: full images of registers, lanes, and all other bits, in this order. */
typedef struct Columns {
	const Layout *l;
	unsigned registers, lanes;
	uint64_t axis_mask;
	unsigned axis_shift, axis_bits;
} Columns;

static Columns columns_of(const Layout *l, unsigned axis)
{
	unsigned name = LAYOUT_DIM0 + axis;
	return (Columns){.l = l,
			 .registers = layout_in_bits(l, LAYOUT_REGISTER),
			 .lanes = layout_in_bits(l, LAYOUT_LANE),
			 .axis_mask = layout_space_mask(&l->out, name),
			 .axis_shift = layout_space_shift(&l->out, name),
			 .axis_bits = layout_out_bits(l, name)};
}

/* Directions that a fold combines along, and the registers that hold its results. */
typedef struct Directions {
	uint64_t terms[32]; /* as sums of registers */
	unsigned term_count;
	unsigned kept[32]; /* register bits, ascending */
	unsigned kept_count;
	uint64_t rounds[6]; /* sums of registers and lanes (lanes above) */
	unsigned round_bit[6], round_count;
	F2Span along; /* coordinates along the axis that are combined */
} Directions;

static void find_directions(const Columns *c, Directions *d)
{
	F2Span places = f2_span_none(), results = f2_span_none();
	unsigned column[64]; /* of results: which place */
	memset(d, 0, sizeof *d);
	d->along = f2_span_none();
	for (unsigned i = 0; i < c->registers + c->lanes; i++) {
		uint64_t image = c->l->bases[i], combo;
		bool lane = i >= c->registers;
		if (!lane && !f2_span_add(&places, image))
			continue; /* copies of other registers */
		uint64_t left = f2_span_reduce(&results, image & ~c->axis_mask, &combo);
		if (left) {
			column[results.added] = i;
			f2_span_add(&results, image & ~c->axis_mask);
			if (!lane)
				d->kept[d->kept_count++] = i;
			continue;
		}
		uint64_t direction = UINT64_C(1) << i, to = image;
		for (unsigned j = 0; j < results.added; j++) {
			if (combo >> j & 1) {
				direction ^= UINT64_C(1) << column[j];
				to ^= c->l->bases[column[j]];
			}
		}
		if (!f2_span_add(&d->along, to >> c->axis_shift))
			continue; /* copies of what another lane holds */
		if (lane) {
			d->round_bit[d->round_count] = i - c->registers;
			d->rounds[d->round_count++] = direction;
		} else {
			d->terms[d->term_count++] = direction;
		}
	}
}

/* Number of a register among those kept. */
static uint32_t compress(const Directions *d, uint64_t registers)
{
	uint32_t number = 0;
	for (unsigned i = 0; i < d->kept_count; i++)
		number |= (uint32_t)(registers >> d->kept[i] & 1) << i;
	return number;
}

/* What remains of a coordinate along the axis once the combined directions are taken out, as a
 * number without holes. */
static uint64_t partial_number(const Directions *d, const Columns *c, uint64_t image)
{
	uint64_t left = f2_span_reduce(&d->along, (image & c->axis_mask) >> c->axis_shift, NULL), number = 0;
	for (unsigned i = 0, at = 0; i < c->axis_bits; i++)
		if (!(d->along.leads >> i & 1))
			number |= (left >> i & 1) << at++;
	return number;
}

static LayoutDim *find_dim(LayoutSpace *space, unsigned name)
{
	return (LayoutDim *)layout_space_find(space, name);
}

/* After the fold: the axis has the partial results that other warps hold; rounds that halve move a
 * register bit to their lane bit. */
static const Layout *folded_layout(LayoutContext *cx, const Columns *c, const Directions *d,
				   const GpuFold *fold, unsigned axis)
{
	LayoutSpace in = c->l->in, out = c->l->out;
	LayoutDim *along = find_dim(&out, LAYOUT_DIM0 + axis), *registers = find_dim(&in, LAYOUT_REGISTER);
	uint64_t bases[64], place[64];
	unsigned halved = 0, count = 0;
	registers->reps /= along->reps;
	if (registers->reps == 1)
		registers->rep_order = 0;
	along->bits = (uint8_t)(c->axis_bits - f2_span_rank(&d->along));
	along->reps = 1;
	along->rep_order = 0;
	for (unsigned i = 0; i < d->kept_count; i++)
		place[count++] = c->l->bases[d->kept[i]];
	for (unsigned i = c->registers; i < c->l->in_bits; i++)
		place[count++] = c->l->bases[i];
	for (unsigned i = 0; i < count; i++) {
		bases[i] = layout_space_put(&out, LAYOUT_DIM0 + axis, partial_number(d, c, place[i]));
		for (unsigned j = 0; j < c->l->out.count; j++) {
			unsigned name = c->l->out.dim[j].name;
			if (name != LAYOUT_DIM0 + axis)
				bases[i] |= layout_space_put(&out, name,
							     layout_space_get(&c->l->out, place[i], name));
		}
	}
	for (unsigned i = 0; i < fold->rounds && fold->round[i].halve; i++) {
		halved++;
		bases[d->kept_count + fold->round[i].bit] ^= bases[d->kept_count - halved];
	}
	memmove(bases + d->kept_count - halved, bases + d->kept_count,
		sizeof bases[0] * (count - d->kept_count));
	registers->bits = (uint8_t)(d->kept_count - halved);
	const Layout *l = layout_make(cx, &in, &out, bases);
	return along->bits ? l : layout_slice(cx, l, axis);
}

/* The register bits of a result, spread over those that are kept, and of a term. */
static uint32_t term_register(const Directions *d, uint32_t result, uint32_t term)
{
	uint64_t number = 0;
	for (unsigned i = 0; i < d->kept_count; i++)
		number |= (uint64_t)(result >> i & 1) << d->kept[i];
	for (unsigned i = 0; i < d->term_count; i++)
		number ^= term >> i & 1 ? d->terms[i] : 0;
	return (uint32_t)number;
}

/* The repetition of the source that is number `along`
 * of the axis in repetition `rep` without the axis. */
static uint32_t source_rep(const LayoutSpace *out, unsigned axis, uint32_t rep, uint32_t along)
{
	LayoutSpace others = *out;
	uint32_t digits[LAYOUT_MAX_RANK];
	for (unsigned i = 0; i < others.count; i++) {
		if (others.dim[i].name == LAYOUT_DIM0 + axis)
			others.dim[i].reps = 1;
	}
	layout_space_rep_digits(&others, rep, digits);
	for (unsigned i = 0; i < others.count; i++) {
		if (others.dim[i].name == LAYOUT_DIM0 + axis)
			digits[i] = along;
	}
	return layout_space_rep_number(out, digits);
}

/* The registers of each result, along the axis. */
static void list_terms(LayoutContext *cx, const Columns *c, const Directions *d, unsigned axis, GpuFold *fold)
{
	const LayoutSpace *out = &c->l->out;
	uint32_t reps = layout_space_find(out, LAYOUT_DIM0 + axis)->reps,
		 others = layout_space_reps(out) / reps, *term;
	fold->results = others << d->kept_count;
	fold->terms = reps << d->term_count;
	fold->term = term = ARENA_ARRAY(cx->arena, uint32_t, (size_t)fold->results * fold->terms);
	for (uint32_t result = 0; result < fold->results; result++) {
		for (uint32_t along = 0; along < reps; along++) {
			uint32_t rep = source_rep(out, axis, result >> d->kept_count, along);
			for (uint32_t i = 0; i < UINT32_C(1) << d->term_count; i++)
				*term++ = rep << c->registers ^
					  term_register(d, result & ((UINT32_C(1) << d->kept_count) - 1), i);
		}
	}
}

/* Halving the results in a round costs two selects for each shuffle that it saves, and later
 * shuffles that give every lane all results, unless these go through shared memory anyway. */
static unsigned rounds_that_halve(const Directions *d, bool crosses)
{
	for (unsigned i = 0; i < d->round_count; i++) {
		if (compress(d, d->rounds[i]))
			return 0;
	}
	bool pays = crosses || d->round_count >= 3 || (d->round_count == 2 && d->kept_count >= 2);
	return pays ? MIN(d->round_count, d->kept_count) : 0;
}

/* result: what the fold is wanted to give, or NULL. */
static GpuFold plan_fold(LayoutContext *cx, const Layout *from, unsigned axis, bool halve,
			 const Layout *result)
{
	GpuFold fold = {.from = from};
	Columns c = columns_of(from, axis);
	Directions d;
	find_directions(&c, &d);
	bool crosses = f2_span_rank(&d.along) < c.axis_bits;
	unsigned halving = halve ? rounds_that_halve(&d, crosses) : 0;
	list_terms(cx, &c, &d, axis, &fold);
	fold.rounds = d.round_count;
	fold.kept_bits = d.kept_count;
	fold.whole_warp = c.lanes == 5 && d.round_count == 5;
	for (unsigned i = 0; i < d.round_count; i++) {
		GpuRound *round = &fold.round[i];
		*round = (GpuRound){.lane = (uint32_t)(d.rounds[i] >> c.registers),
				    .reg = compress(&d, d.rounds[i]),
				    .bit = d.round_bit[i],
				    .halve = i < halving};
		fold.whole_warp = fold.whole_warp && !round->reg && !round->halve;
	}
	fold.to = folded_layout(cx, &c, &d, &fold, axis);
	/* Where every lane is to have all results, each is read from the lane that has it. */
	GpuFold whole = fold;
	bool single = halving > 0;
	for (unsigned i = 0; i < fold.rounds; i++) {
		whole.round[i].halve = false;
		single = single && base_is_pow2(fold.round[i].lane);
	}
	if (single && folded_layout(cx, &c, &d, &whole, axis) == result) {
		fold.spreads = true;
		fold.to = result;
	}
	return fold;
}

/* Cycles from the barrier until all warps have a result, where each thread reads 2^most of the
 * 2^bits partial results and combines them, and lanes the others by shuffles. All warps do that
 * at once, so it waits for what shared memory and the unit that shuffles give the SM, and no
 * less than for one warp's own way. */
static unsigned cycles_of_partials(const GpuReduceBody *body, unsigned bits, unsigned most,
				   unsigned results, unsigned warps)
{
	enum { READ = 33, EXCHANGE = 27, STEP = 4, ISSUED = 4 };
	unsigned words = MAX(body->exchange / 8, 1u) * results, rounds = bits - most;
	unsigned reads = MAX(warps * words << most, (unsigned)READ);
	unsigned exchanges = rounds * MAX(warps * words, (unsigned)EXCHANGE);
	unsigned combined = ((1u << most) - 1 + rounds) * body->combine;
	return reads + exchanges + combined * MAX(STEP, warps * results / ISSUED);
}

/* Of 2^bits partial results those that a thread combines itself, as a power of two: few bytes,
 * and as few as are soonest combined. */
static unsigned bits_of_thread(const GpuReduceBody *body, unsigned bits, unsigned results, unsigned warps)
{
	unsigned most = MIN(bits, base_log2(32 / body->element_bytes)), best = most;
	unsigned least = cycles_of_partials(body, bits, most, results, warps);
	for (unsigned i = most; i-- > 0;) {
		unsigned cycles = cycles_of_partials(body, bits, i, results, warps);
		best = cycles < least ? i : best;
		least = MIN(least, cycles);
	}
	return best;
}

/* As each thread reads the 2^bits partial results of `result`'s elements: in registers, then in
 * lanes that hold copies otherwise. */
static const Layout *reading_layout(LayoutContext *cx, const Layout *result, unsigned axis, unsigned bits,
				    const GpuReduceBody *body, unsigned warps)
{
	const Layout *wide = layout_expand(cx, layout_strip_registers(cx, result), axis);
	unsigned name = LAYOUT_DIM0 + axis, lanes = layout_in_bits(wide, LAYOUT_LANE);
	uint64_t free_lanes = layout_free_bits(wide, LAYOUT_LANE), bases[64];
	unsigned results = layout_space_reps(&wide->in) << layout_in_bits(wide, LAYOUT_REGISTER);
	unsigned in_registers = bits_of_thread(body, bits, results, warps);
	unsigned in_lanes = MIN(bits - in_registers, (unsigned)__builtin_popcountll(free_lanes));
	in_registers = bits - in_lanes;
	LayoutSpace in = wide->in, out = wide->out;
	find_dim(&out, name)->bits = (uint8_t)bits;
	find_dim(&in, LAYOUT_REGISTER)->bits =
		(uint8_t)(layout_in_bits(wide, LAYOUT_REGISTER) + in_registers);
	for (unsigned i = 0; i < in_registers; i++)
		bases[i] = layout_space_put(&out, name, UINT64_C(1) << i);
	unsigned first_lane = in_registers + layout_in_bits(wide, LAYOUT_REGISTER), next = in_registers;
	for (unsigned i = 0; i < wide->in_bits; i++) {
		uint64_t *basis = &bases[in_registers + i];
		*basis = 0;
		for (unsigned j = 0; j < wide->out.count; j++)
			*basis |= layout_space_put(
				&out, wide->out.dim[j].name,
				layout_space_get(&wide->out, wide->bases[i], wide->out.dim[j].name));
	}
	for (unsigned i = 0; i < lanes && next < bits; i++) {
		if (free_lanes >> i & 1)
			bases[first_lane + i] |= layout_space_put(&out, name, UINT64_C(1) << next++);
	}
	ASSERT(next == bits);
	return layout_make(cx, &in, &out, bases);
}

/* Each warp that reads all partial results of all results reads much where both are many: then
 * warps that would hold copies of `result` do a part each, and the results are handed round by
 * another trip. That costs a barrier and the results once more, so it pays from this many values of
 * a thread on. */
enum { SHARED_OUT_FROM = 32 };

static const Layout *shared_out(LayoutContext *cx, const Layout *result, unsigned partial_bits)
{
	const Layout *l = layout_strip_registers(cx, result);
	unsigned registers = layout_in_bits(l, LAYOUT_REGISTER), lanes = layout_in_bits(l, LAYOUT_LANE);
	uint64_t free_warps = layout_free_bits(l, LAYOUT_WARP), bases[64];
	uint64_t values = (uint64_t)layout_space_reps(&l->in) << (registers + partial_bits);
	if (values < SHARED_OUT_FROM || f2_rank(l->bases, registers) < registers)
		return result;
	memcpy(bases, l->bases, sizeof bases[0] * l->in_bits);
	unsigned kept = registers;
	for (unsigned w = 0; w < layout_in_bits(l, LAYOUT_WARP) && kept; w++) {
		if (free_warps >> w & 1)
			bases[registers + lanes + w] = bases[--kept];
	}
	memmove(bases + kept, bases + registers, sizeof bases[0] * (l->in_bits - registers));
	LayoutSpace in = l->in;
	find_dim(&in, LAYOUT_REGISTER)->bits = (uint8_t)kept;
	return kept == registers ? result : layout_make(cx, &in, &l->out, bases);
}

/* Threads that hold copies hold them in the same registers, in lanes of the same order: otherwise
 * copies would be combined in another order, and might differ in their bits. */
static const Layout *with_plain_copies(LayoutContext *cx, const Layout *l)
{
	F2Span span = f2_span_none();
	uint64_t bases[64];
	for (unsigned i = 0; i < l->in_bits; i++) {
		bool copies = !f2_span_add(&span, l->bases[i]) && i >= layout_in_bits(l, LAYOUT_REGISTER);
		bases[i] = copies ? 0 : l->bases[i];
	}
	return layout_make(cx, &l->in, &l->out, bases);
}

GpuReducePlan gpu_plan_reduce(LayoutContext *cx, const Layout *source, unsigned axis, const Layout *result,
			      const GpuReduceBody *body)
{
	CONTRACT(axis < layout_rank(source) && layout_is_onto(source));
	CONTRACT(body->element_bytes);
	const Layout *start = with_plain_copies(cx, source);
	if (!result)
		result = layout_slice(cx, source, axis);
	GpuReducePlan plan = {.source = source, .first = plan_fold(cx, start, axis, !body->warp_op, result)};
	unsigned left = layout_rank(plan.first.to) == layout_rank(source) ?
				layout_out_bits(plan.first.to, LAYOUT_DIM0 + axis) : 0;
	plan.crosses = left > 0;
	plan.result = result;
	if (plan.crosses) {
		plan.read = reading_layout(cx, shared_out(cx, result, left), axis, left, body,
					   1u << layout_in_bits(source, LAYOUT_WARP));
		plan.second = plan_fold(cx, plan.read, axis, false, NULL);
		ASSERT(layout_rank(plan.second.to) == layout_rank(result));
	}
	return plan;
}

unsigned gpu_reduce_trips(const GpuReducePlan *plan, const Layout *from[3], const Layout *to[3])
{
	from[0] = plan->source;
	to[0] = plan->first.from;
	from[1] = plan->first.to;
	to[1] = plan->crosses ? plan->read : plan->result;
	from[2] = plan->second.to;
	to[2] = plan->result;
	return plan->crosses ? 3 : 2;
}

/* ---- running ---- */

enum { MAX_OPERANDS = 64 };

static void combine_at(const GpuEngine *e, void ***values, uint32_t into, uint32_t with)
{
	void *a[MAX_OPERANDS], *b[MAX_OPERANDS], *out[MAX_OPERANDS];
	for (unsigned k = 0; k < e->operands; k++) {
		a[k] = values[k][into];
		b[k] = values[k][with];
	}
	e->combine(e->data, a, b, out);
	for (unsigned k = 0; k < e->operands; k++)
		values[k][into] = out[k];
}

/* The terms of each result to one: values become one array of results. */
static void combine_terms(const GpuFold *fold, const GpuEngine *e, void ***values)
{
	uint32_t chains = fold->terms % 4 == 0 ? 4 : fold->terms % 2 == 0 ? 2 : 1;
	void **terms[MAX_OPERANDS], **results[MAX_OPERANDS];
	for (unsigned k = 0; k < e->operands; k++) {
		terms[k] = ARENA_ARRAY(e->arena, void *, fold->terms);
		results[k] = ARENA_ARRAY(e->arena, void *, fold->results);
	}
	if (e->fold && e->fold(e->data, values[0], fold->term, fold->terms, fold->results, results[0])) {
		values[0] = results[0];
		return;
	}
	for (uint32_t i = 0; i < fold->results; i++) {
		for (unsigned k = 0; k < e->operands; k++) {
			for (uint32_t j = 0; j < fold->terms; j++)
				terms[k][j] = values[k][fold->term[i * fold->terms + j]];
		}
		for (uint32_t j = chains; j < fold->terms; j++)
			combine_at(e, terms, j % chains, j);
		for (uint32_t step = 1; step < chains; step *= 2) {
			for (uint32_t j = 0; j < chains; j += 2 * step)
				combine_at(e, terms, j, j + step);
		}
		for (unsigned k = 0; k < e->operands; k++)
			results[k][i] = terms[k][0];
	}
	for (unsigned k = 0; k < e->operands; k++)
		values[k] = results[k];
}

/* Each lane sends what it does not go on with, and combines what it keeps with what it gets. `bits`
 * register bits are left; the highest goes. */
static uint32_t halve(const GpuRound *round, const GpuEngine *e, void ***values, uint32_t count,
		      unsigned bits)
{
	uint32_t high = UINT32_C(1) << (bits - 1);
	void *upper = e->parity(e->data, UINT32_C(1) << round->bit);
	for (unsigned k = 0; k < e->operands; k++) {
		void **keep = ARENA_ARRAY(e->arena, void *, count), **send = keep + count / 2;
		for (uint32_t i = 0; i < count / 2; i++) {
			uint32_t low = (i & ~(high - 1)) << 1 | (i & (high - 1));
			keep[i] = e->select(e->data, k, upper, values[k][low | high], values[k][low]);
			send[i] = e->select(e->data, k, upper, values[k][low], values[k][low | high]);
		}
		e->shuffle(e->data, k, send, count / 2, round->lane);
		values[k] = keep;
	}
	for (uint32_t i = 0; i < count / 2; i++)
		combine_at(e, values, i, i + count / 2);
	return count / 2;
}

/* Both lanes of a pair get the same bits: the one whose bit is 0 comes first for both, unless order
 * does not matter. */
static void exchange(const GpuRound *round, const GpuEngine *e, bool ordered, void ***values, uint32_t count)
{
	void **others[MAX_OPERANDS], *upper = ordered ? e->parity(e->data, UINT32_C(1) << round->bit) : NULL;
	for (unsigned k = 0; k < e->operands; k++) {
		others[k] = ARENA_ARRAY(e->arena, void *, count);
		for (uint32_t i = 0; i < count; i++)
			others[k][i] = values[k][i ^ round->reg];
		e->shuffle(e->data, k, others[k], count, round->lane);
	}
	for (uint32_t i = 0; i < count; i++) {
		void *a[MAX_OPERANDS], *b[MAX_OPERANDS], *out[MAX_OPERANDS];
		for (unsigned k = 0; k < e->operands; k++) {
			a[k] = upper ? e->select(e->data, k, upper, others[k][i], values[k][i])
				     : values[k][i];
			b[k] = upper ? e->select(e->data, k, upper, values[k][i], others[k][i])
				     : others[k][i];
		}
		e->combine(e->data, a, b, out);
		for (unsigned k = 0; k < e->operands; k++)
			values[k][i] = out[k];
	}
}

static bool single_lanes(const GpuFold *fold, uint32_t *mask)
{
	*mask = 0;
	for (unsigned i = 0; i < fold->rounds; i++) {
		const GpuRound *round = &fold->round[i];
		if (round->reg || !base_is_pow2(round->lane))
			return false;
		if (!round->halve)
			*mask |= round->lane;
	}
	return true;
}

/* The lanes that halved the results read all of them:
 * result i from the lane whose bits say i's halved bits. */
static void spread_results(const GpuFold *fold, const GpuEngine *e, void ***values, unsigned bits)
{
	uint32_t mask = 0;
	for (unsigned i = 0; i < fold->rounds; i++)
		mask |= fold->round[i].halve ? fold->round[i].lane : 0;
	for (unsigned k = 0; k < e->operands; k++) {
		void **all = ARENA_ARRAY(e->arena, void *, fold->results);
		uint32_t low = UINT32_C(1) << bits, reps = fold->results >> fold->kept_bits;
		void **part = ARENA_ARRAY(e->arena, void *, (size_t)reps << bits);
		for (uint32_t high = 0; high < UINT32_C(1) << (fold->kept_bits - bits); high++) {
			uint32_t set = 0;
			for (unsigned i = 0; i < fold->kept_bits - bits; i++)
				set |= high >> (fold->kept_bits - bits - 1 - i) & 1 ? fold->round[i].lane : 0;
			memcpy(part, values[k], sizeof *part * reps << bits);
			e->shuffle_from(e->data, k, part, reps << bits, e->lane_at(e->data, ~mask & 31, set));
			for (uint32_t i = 0; i < reps << bits; i++)
				all[i >> bits << fold->kept_bits | high << bits | (i & (low - 1))] = part[i];
		}
		values[k] = all;
	}
}

static void run_fold(const GpuFold *fold, const GpuEngine *e, void ***values, bool all_need_it)
{
	combine_terms(fold, e, values);
	uint32_t count = fold->results, mask;
	unsigned bits = fold->kept_bits;
	if (fold->whole_warp && e->combine_warp && e->combine_warp(e->data, values, count))
		return;
	/* Where (a, b) and (b, a) may differ in their bits: order each pair, or let lanes differ
	 * and hand round the result of the first. Where one lane alone is read, nothing is
	 * needed. */
	bool single = single_lanes(fold, &mask), differ = !e->commutes && all_need_it;
	for (unsigned i = 0; i < fold->rounds; i++) {
		if (fold->round[i].halve)
			count = halve(&fold->round[i], e, values, count, bits--);
		else
			exchange(&fold->round[i], e, differ && !single, values, count);
	}
	if (differ && single && mask) {
		void *first = e->lane_at(e->data, ~mask & 31, 0);
		for (unsigned k = 0; k < e->operands; k++)
			e->shuffle_from(e->data, k, values[k], count, first);
	}
	if (fold->spreads)
		spread_results(fold, e, values, bits);
}

void gpu_run_reduce(const GpuReducePlan *plan, const GpuEngine *engine, void ***values)
{
	ASSERT(engine->operands <= MAX_OPERANDS);
	engine->convert(engine->data, plan->source, plan->first.from, values, 0);
	run_fold(&plan->first, engine, values, !plan->crosses);
	if (plan->crosses) {
		engine->convert(engine->data, plan->first.to, plan->read, values, 1);
		run_fold(&plan->second, engine, values, true);
		engine->convert(engine->data, plan->second.to, plan->result, values, 2);
	} else {
		engine->convert(engine->data, plan->first.to, plan->result, values, 1);
	}
}
