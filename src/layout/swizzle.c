/* Conversions through shared memory: where each element goes, so that both sides use wide
 * instructions and no banks collide.
 *
 * Offsets are coordinates over a basis of the space that the source's threads hold: first the
 * vector V, which registers (or, for ldmatrix and stmatrix, lanes) of a side hold and one
 * instruction moves; then what completes a line of 128 bytes; then G, which tells lines apart. What
 * one wavefront touches on a side spans W (its vector, its lanes). It is free of conflicts when no
 * two of its words lie in one bank of different lines: W and G meet in 0 alone. Both W have at most
 * the dims of a line, so there is a G that avoids both: vectors outside W_source + W_destination,
 * then sums of one vector that is only in W_source and one only in W_destination. (Method of
 * "Linear Layouts", 2025.)
 *
 * Each way to choose V, and each pair of instructions that it allows, is a candidate; the predicted
 * costs decide. Where a tile is larger than what may be taken, registers that both sides have in
 * common become passes over one buffer. A tile that crosses blocks is stored to each block's own
 * memory and loaded from where it lies. */
#include "layout/swizzle.h"

enum { LINE_BITS = 1024 };

/* ---- what goes where ---- */

/* Rewrites an element wanted by the destination as one within `held` and a block. */
static uint64_t locate(const Swizzle *s, const F2Span *span, unsigned held_count, uint64_t wanted)
{
	const LayoutSide *src = &s->c->src;
	uint64_t combo;
	uint64_t rest = f2_span_reduce(span, wanted, &combo);
	ASSERT(rest == 0);
	uint64_t block = combo >> held_count;
	uint64_t at_block = f2_apply(src->thread + src->lanes + src->warps, src->blocks, block);
	return (wanted ^ at_block) | block << s->tile_bits;
}

static void locate_all(Swizzle *s)
{
	const LayoutSide *src = &s->c->src;
	unsigned in_block = src->lanes + src->warps;
	F2Span span = f2_span_none(), warp = f2_span_of(src->reg, src->registers);
	uint64_t all[64];
	unsigned n = f2_extend(&span, src->reg, src->registers, all, 64);
	n += f2_extend(&span, src->thread, in_block, all + n, 64);
	for (unsigned i = 0; i < n; i++)
		vectors_push(&s->held, all[i]);
	span = f2_span_of(all, n);
	F2Span local = span;
	f2_span_add_all(&span, src->thread + in_block, src->blocks);
	f2_span_add_all(&warp, src->thread, src->lanes);
	s->within_warps = true;
	for (unsigned i = 0; i < s->dst.registers; i++) {
		s->within_warps = s->within_warps && f2_span_has(&warp, s->dst.reg[i]);
		s->dst.reg[i] = locate(s, &span, n, s->dst.reg[i]);
		s->across_blocks = s->across_blocks || s->dst.reg[i] >> s->tile_bits;
	}
	for (unsigned i = 0; i < s->dst.threads; i++) {
		uint64_t wanted = s->dst.thread[i];
		uint64_t difference = i < s->dst.lanes ? wanted : wanted ^ src->thread[i];
		s->within_warps = s->within_warps && f2_span_has(&warp, difference);
		if (i >= in_block && f2_span_has(&local, difference)) {
			s->dst.thread[i] = difference | UINT64_C(1) << (s->tile_bits + i - in_block);
			continue;
		}
		s->dst.thread[i] = locate(s, &span, n, wanted);
		uint64_t own = i < in_block ? 0 : UINT64_C(1) << (i - in_block);
		s->across_blocks = s->across_blocks || s->dst.thread[i] >> s->tile_bits != own;
	}
	s->dst.span = f2_span_of(s->dst.reg, s->dst.registers);
	s->dst.pivots = (uint32_t)s->dst.span.pivots;
}

static Swizzle swizzle_of(LayoutConversion *c)
{
	Swizzle s = {.c = c, .src = c->src, .dst = c->dst};
	s.tile_bits = c->source->out_bits;
	locate_all(&s);
	s.common.n = f2_intersect(s.src.reg, s.src.registers, s.dst.reg, s.dst.registers, s.common.v);
	return s;
}

/* ---- the basis of offsets ---- */

/* Vectors of a that complete span(b) to span(a, b). The last of a come first: lanes, whose sums
 * with others do not reach into the vector, as long as there are any. */
static Vectors only_in(const Vectors *a, const Vectors *b)
{
	Vectors only = {.n = 0};
	F2Span span = f2_span_of(b->v, b->n);
	for (unsigned i = a->n; i-- > 0;)
		vectors_extend(&span, &only, &a->v[i], 1, 64);
	return only;
}

/* G: lines that neither side's wavefront can confuse. `span` holds W_source, W_destination and what
 * passes take. */
static Vectors line_vectors(const Swizzle *s, const Candidate *cand, const Vectors *space, F2Span span,
			    unsigned count)
{
	Vectors lines = {.n = 0};
	Vectors src_only = only_in(&cand->src.span, &cand->dst.span);
	Vectors dst_only = only_in(&cand->dst.span, &cand->src.span);
	vectors_extend_images(s, &span, &lines, s->dst.thread + s->dst.lanes, s->dst.warps, count);
	vectors_extend(&span, &lines, s->src.thread + s->src.lanes, s->src.warps, count);
	vectors_extend_images(s, &span, &lines, s->dst.reg, s->dst.registers, count);
	vectors_extend(&span, &lines, s->src.reg, s->src.registers, count);
	vectors_extend(&span, &lines, space->v, space->n, count);
	for (unsigned i = 0; i < MIN(src_only.n, dst_only.n) && lines.n < count; i++)
		vectors_push(&lines, src_only.v[i] ^ dst_only.v[i]);
	return lines;
}

/* Registers in common that no thread, vector or wavefront of either side touches: they can be
 * passes. */
static Vectors pass_vectors(const Swizzle *s, const Candidate *cand, unsigned wanted)
{
	Vectors passes = {.n = 0}, ignored = {.n = 0};
	F2Span span = f2_span_none();
	vectors_extend(&span, &ignored, cand->vec.v, cand->vec.n, 64);
	vectors_extend(&span, &ignored, cand->src.span.v, cand->src.span.n, 64);
	vectors_extend(&span, &ignored, cand->dst.span.v, cand->dst.span.n, 64);
	vectors_extend(&span, &ignored, s->src.thread, s->src.lanes + s->src.warps, 64);
	vectors_extend_images(s, &span, &ignored, s->dst.thread, s->dst.threads, 64);
	vectors_extend(&span, &passes, s->common.v, s->common.n, wanted);
	return passes;
}

/* Takes from each vector its part in the passes, so that it lies in `space`. */
static void drop_passes(Vectors *lines, const Vectors *space, const Vectors *passes)
{
	F2Span span = f2_span_of(space->v, space->n);
	f2_span_add_all(&span, passes->v, passes->n);
	for (unsigned i = 0; i < lines->n; i++) {
		uint64_t combo;
		f2_span_reduce(&span, lines->v[i], &combo);
		lines->v[i] ^= f2_apply(passes->v, passes->n, combo >> space->n);
	}
}

/* The basis: V, the rest of a line, G, passes. */
static Vectors offset_basis(const Swizzle *s, const Candidate *cand, const Vectors *passes)
{
	unsigned line = swizzle_log2(LINE_BITS, s->c->element_bits), dims = s->held.n - passes->n;
	Vectors space = {.n = 0}, basis = {.n = 0};
	F2Span span = f2_span_of(passes->v, passes->n), start = span;
	/* All but the passes; threads first, so that their offsets have no part in the passes. */
	vectors_extend(&span, &space, cand->vec.v, cand->vec.n, 64);
	vectors_extend(&span, &space, cand->src.span.v, cand->src.span.n, 64);
	vectors_extend(&span, &space, cand->dst.span.v, cand->dst.span.n, 64);
	vectors_extend_images(s, &span, &space, s->dst.thread, s->dst.threads, 64);
	vectors_extend(&span, &space, s->src.thread, s->src.lanes + s->src.warps, 64);
	vectors_extend(&span, &space, s->held.v, s->held.n, 64);
	ASSERT(space.n == dims);
	F2Span tiles = start;
	f2_span_add_all(&tiles, cand->src.span.v, cand->src.span.n);
	f2_span_add_all(&tiles, cand->dst.span.v, cand->dst.span.n);
	f2_span_add_all(&tiles, cand->vec.v, cand->vec.n);
	Vectors lines = {.n = 0};
	if (dims > line)
		lines = line_vectors(s, cand, &space, tiles, dims - line);
	drop_passes(&lines, &space, passes);
	F2Span taken = start;
	f2_span_add_all(&taken, lines.v, lines.n);
	vectors_extend(&taken, &basis, cand->vec.v, cand->vec.n, 64);
	vectors_extend(&taken, &basis, cand->dst.span.v, cand->dst.span.n, 64);
	vectors_extend(&taken, &basis, cand->src.span.v, cand->src.span.n, 64);
	vectors_extend(&taken, &basis, space.v, space.n, 64);
	for (unsigned i = 0; i < lines.n; i++)
		vectors_push(&basis, lines.v[i]);
	for (unsigned i = 0; i < passes->n; i++)
		vectors_push(&basis, passes->v[i]);
	ASSERT(basis.n == s->held.n);
	return basis;
}

/* register, lane, warp, block -> offset, block. */
static const Layout *address_of(const Swizzle *s, const LayoutSide *side, const Vectors *basis, bool is_source)
{
	F2Span span = f2_span_of(basis->v, basis->n);
	LayoutSpace in = layout_space_of_threads(side->registers, side->lanes, side->warps, side->blocks, 1);
	LayoutSpace out = layout_space_none();
	layout_space_add(&out, LAYOUT_OFFSET, basis->n, 1);
	layout_space_add(&out, LAYOUT_BLOCK, side->blocks, 1);
	uint64_t bases[64], tile_mask = (UINT64_C(1) << s->tile_bits) - 1;
	for (unsigned i = 0; i < side->registers + side->threads; i++) {
		uint64_t image = i < side->registers ? side->reg[i] : side->thread[i - side->registers];
		unsigned first_block = side->registers + side->lanes + side->warps;
		if (is_source && i >= first_block)
			image = UINT64_C(1) << (s->tile_bits + i - first_block);
		uint64_t offset;
		uint64_t rest = f2_span_reduce(&span, image & tile_mask, &offset);
		ASSERT(rest == 0);
		bases[i] = offset | image >> s->tile_bits << basis->n;
	}
	return layout_make(s->c->cx, &in, &out, bases);
}

/* ---- choosing ---- */

static LayoutBarrier barrier_of(const Swizzle *s, const LayoutPlan *plan)
{
	if (s->across_blocks)
		return LAYOUT_BARRIER_CLUSTER;
	return s->within_warps && plan->store.idle >> s->src.lanes == 0 ? LAYOUT_BARRIER_WARP : LAYOUT_BARRIER_CTA;
}

static void predict(const Swizzle *s, LayoutPlan *plan)
{
	LayoutCost cost = {0};
	unsigned width = s->c->element_bits;
	unsigned stores = layout_access_instructions(&plan->store), loads = layout_access_instructions(&plan->load);
	uint32_t turns = plan->repetitions_take_turns ? s->c->reps : 1;
	cost.stores = stores;
	cost.loads = loads;
	cost.store_wavefronts = stores * plan->store.wavefronts;
	cost.load_wavefronts = loads * plan->load.wavefronts;
	cost.excess_wavefronts = stores * (plan->store.wavefronts - plan->store.least) +
				 loads * (plan->load.wavefronts - plan->load.least);
	cost.selects = layout_access_swaps(&plan->store) * layout_exchange_selects(1u << s->src.registers, width) +
		       layout_access_swaps(&plan->load) * layout_exchange_selects(1u << s->dst.registers, width);
	cost.idle_bits = (unsigned)__builtin_popcount(plan->store.idle >> s->src.lanes);
	cost.packs = layout_access_packs(&plan->store) + layout_access_packs(&plan->load);
	cost.barriers = 2 * plan->passes * turns - 1;
	cost.shared_bytes = ((UINT64_C(1) << plan->pass_shift) * width / 8) * (s->c->reps / turns);
	layout_cost_finish(&cost, s->c->target, s->c->reps, barrier_of(s, plan));
	plan->cost = cost;
}

typedef struct Swaps {
	bool store, load;
} Swaps;

/* A vector whose elements are no neighbours among the registers. Operands of mma are registers in
 * a row, as ldmatrix gives them: ptxas moves what comes otherwise, again at each mma. */
static bool scatters(const LayoutAccess *load)
{
	bool scattered = false;
	for (unsigned i = 0; i < load->vector_bits && load->kind == LAYOUT_ACCESS_VECTOR; i++)
		scattered = scattered || load->vector[i] != UINT32_C(1) << i;
	return scattered;
}

/* Plans the candidate; *best becomes it when it is cheaper, or takes less where that is too
 * much. */
static Swaps try_candidate(const Swizzle *s, const Candidate *cand, LayoutPlan *best)
{
	LayoutPlan plan = *best;
	const Tile *src = &cand->src, *dst = &cand->dst;
	unsigned bits = s->c->element_bits;
	uint64_t bytes = (UINT64_C(1) << s->held.n) * bits / 8, limit = s->c->target->shared_bytes;
	unsigned wanted = 0;
	plan.repetitions_take_turns = limit && bytes * s->c->reps > limit && s->c->reps > 1;
	uint64_t needed = plan.repetitions_take_turns ? bytes : bytes * s->c->reps;
	while (limit && needed >> wanted > limit)
		wanted++;
	Vectors passes = pass_vectors(s, cand, wanted);
	Vectors basis = offset_basis(s, cand, &passes);
	plan.offset_bits = basis.n;
	plan.pass_shift = basis.n - passes.n;
	plan.passes = 1u << passes.n;
	plan.store_address = address_of(s, &s->src, &basis, true);
	plan.load_address = address_of(s, &s->dst, &basis, false);
	if (!layout_plan_access_as(plan.store_address, true, bits, src->kind, src->vector_bits, plan.pass_shift,
				   &plan.store) ||
	    !layout_plan_access_as(plan.load_address, false, bits, dst->kind, dst->vector_bits, plan.pass_shift,
				   &plan.load))
		return (Swaps){false, false};
	predict(s, &plan);
	bool fits = !limit || plan.cost.shared_bytes <= limit;
	bool best_fits = !limit || best->cost.shared_bytes <= limit;
	bool as_operand = plan.load.kind == LAYOUT_ACCESS_MATRIX && scatters(&best->load);
	bool cheaper = plan.cost.total < best->cost.total ||
		       (as_operand && plan.cost.total == best->cost.total);
	bool better = fits ? !best_fits || cheaper
			   : !best_fits && plan.cost.shared_bytes < best->cost.shared_bytes;
	if (!best->store_address || better)
		*best = plan;
	return (Swaps){layout_access_swaps(&plan.store) > 0, layout_access_swaps(&plan.load) > 0};
}

/* Narrower vectors can spare exchanges. */
static void try_narrower(const Swizzle *s, Candidate cand, LayoutPlan *best)
{
	Tile widest_src = cand.src;
	for (;;) {
		Swaps swaps = try_candidate(s, &cand, best);
		bool load_swaps = swaps.load;
		while (swaps.store && cand.src.vector_bits > 0) {
			cand.src = swizzle_vector_tile(s, &s->src, &cand.vec, cand.src.vector_bits - 1);
			swaps = try_candidate(s, &cand, best);
		}
		if (!load_swaps || cand.dst.vector_bits == 0)
			return;
		cand.src = widest_src;
		cand.dst = swizzle_vector_tile(s, &s->dst, &cand.vec, cand.dst.vector_bits - 1);
	}
}

static void try_vector(const Swizzle *s, const Vectors *vec, LayoutPlan *best)
{
	Tile src[MAX_KINDS], dst[MAX_KINDS];
	unsigned src_count = swizzle_tiles(s, &s->src, vec, s->c->target->stmatrix, src);
	unsigned dst_count = swizzle_tiles(s, &s->dst, vec, s->c->target->ldmatrix, dst);
	for (unsigned i = 0; i < src_count; i++) {
		for (unsigned j = 0; j < dst_count; j++) {
			Candidate cand = {*vec, src[i], dst[j]};
			try_narrower(s, cand, best);
		}
	}
}

static void add_steps(Swizzle *s, const LayoutPlan *plan)
{
	LayoutConversion *c = s->c;
	LayoutBarrier barrier = barrier_of(s, plan);
	uint32_t src_count = 1u << s->src.registers, dst_count = 1u << s->dst.registers;
	c->steps.len = 0;
	layout_add_exchanges(c, src_count, plan->store.swap, plan->store.thread_bits);
	for (unsigned pass = 0; pass < plan->passes; pass++) {
		if (pass > 0)
			layout_add_step(c, LAYOUT_STEP_BARRIER)->barrier = barrier;
		LayoutStep *store = layout_add_step(c, LAYOUT_STEP_STORE);
		store->pass = pass;
		store->count = src_count;
		layout_add_step(c, LAYOUT_STEP_BARRIER)->barrier = barrier;
		LayoutStep *load = layout_add_step(c, LAYOUT_STEP_LOAD);
		load->pass = pass;
		load->count = dst_count;
	}
	layout_add_exchanges(c, dst_count, plan->load.swap, plan->load.thread_bits);
	uint32_t *copies = ARENA_ARRAY(c->cx->arena, uint32_t, dst_count);
	layout_access_copies(plan->load_address, copies);
	layout_add_rename(c, copies, dst_count, dst_count);
}

/* Where whole vectors of both sides would meet in banks, so that single words are cheapest: pairs
 * of them leave more of the banks to lanes. */
static void try_pairs(Swizzle *s, LayoutPlan *plan)
{
	const LayoutSide *const sides[] = {&s->dst, &s->src};
	if (s->c->element_bits < WORD_BITS || plan->store.kind != LAYOUT_ACCESS_VECTOR || plan->store.vector_bits ||
	    plan->load.kind != LAYOUT_ACCESS_VECTOR || plan->load.vector_bits)
		return;
	for (unsigned i = 0; i < 2; i++) {
		Vectors vec;
		swizzle_vector(s, sides[i], &vec);
		if (vec.n > 1) {
			vec.n = 1;
			try_vector(s, &vec, plan);
		}
	}
}

void layout_plan_through_shared(LayoutConversion *c, LayoutPlan *plan)
{
	CONTRACT(c->source && c->destination);
	Swizzle s = swizzle_of(c);
	const LayoutSide *const sides[] = {&s.dst, &s.src};
	Vectors vec;
	plan->kind = LAYOUT_PLAN_SHARED;
	for (unsigned i = 0; i < 2; i++) {
		swizzle_vector(&s, sides[i], &vec);
		try_vector(&s, &vec, plan);
		if (i == 0 ? !c->target->ldmatrix : !c->target->stmatrix)
			continue;
		for (unsigned trans = 0; trans < 2; trans++) {
			if (swizzle_matrix_row(&s, sides[i], trans, &vec))
				try_vector(&s, &vec, plan);
		}
	}
	try_pairs(&s, plan);
	add_steps(&s, plan);
}

const Layout *layout_plan_memory(LayoutContext *cx, const LayoutPlan *plan)
{
	const Layout *l = layout_compose(cx, plan->source, layout_pseudo_invert(cx, plan->store_address));
	uint32_t tile = 0;
	for (unsigned k = 0; k < layout_rank(l); k++)
		tile |= 1u << (LAYOUT_DIM0 + k);
	l = layout_restrict(cx, l, 1u << LAYOUT_OFFSET, tile);
	CONTRACT(layout_is_onto(l) && layout_is_one_to_one(l));
	return l;
}
