/* Plans of conversions, on random layouts and on those that programs have: run element by element
 * (layout_machine.h), with all that they predict counted. */
#include <limits.h>

#include "layout_machine.h"
#include "layout_random.h"
#include "target/cost.h"

/* ---- random pairs ---- */

typedef struct Tally {
	unsigned kinds[4], matrices, conflicts, passes, clusters, picks, direct;
} Tally;

/* Exchanges among registers of what shuffles bring. */
static unsigned exchanges_last(const LayoutPlan *plan)
{
	bool shuffled = false;
	unsigned last = 0;
	for (uint32_t i = 0; i < plan->step_count; i++) {
		shuffled |= plan->steps[i].kind == LAYOUT_STEP_SHUFFLE;
		last += shuffled && plan->steps[i].kind == LAYOUT_STEP_EXCHANGE;
	}
	return last;
}

static void check_pair(LayoutContext *cx, const Layout *src, const Layout *dst, unsigned bits,
		       const LayoutTarget *target, Tally *tally)
{
	const LayoutPlan *plan = layout_plan(cx, src, dst, bits, target);
	Machine m = run_plan(cx->arena, plan);
	tally->kinds[plan->kind]++;
	if (plan->kind == LAYOUT_PLAN_SHUFFLE) {
		/* Threads move no more than they must, unless that saves exchanges of what they
		 * receive. */
		unsigned picked = picks_of(plan), least = least_moves(plan) * picked;
		assert_in_range(m.moved, least, 1u << exchanges_last(plan) == picked ? UINT_MAX : least);
		tally->direct += m.moved > least;
		tally->picks += picked > 1;
	}
	if (plan->kind <= LAYOUT_PLAN_REGISTERS)
		assert_int_equal(least_moves(plan), 0);
	if (plan->kind != LAYOUT_PLAN_SHARED) {
		plan = layout_plan_shared(cx, src, dst, bits, target);
		run_plan(cx->arena, plan);
	}
	LayoutBarrier barrier = LAYOUT_BARRIER_WARP;
	for (uint32_t i = 0; i < plan->step_count; i++) {
		if (plan->steps[i].kind == LAYOUT_STEP_BARRIER)
			barrier = plan->steps[i].barrier;
	}
	tally->matrices += plan->store.kind != LAYOUT_ACCESS_VECTOR || plan->load.kind != LAYOUT_ACCESS_VECTOR;
	tally->passes += plan->passes > 1;
	tally->clusters += barrier == LAYOUT_BARRIER_CLUSTER;
	tally->conflicts += plan->cost.excess_wavefronts > 0;
}

#define COSTS .costs = &target_costs[COSTS_SM_90]
static const LayoutTarget targets[] = {
	{COSTS}, {COSTS, .ldmatrix = true}, {COSTS, .ldmatrix = true, .stmatrix = true},
	{COSTS, .ldmatrix = true, .stmatrix = true, .shared_bytes = 2048}};

static unsigned random_bits(Random *r)
{
	return 8u << random_below(r, 4);
}

static unsigned registers_for(Random *r, unsigned tile, unsigned threads)
{
	return (tile > threads ? tile - threads : 0) + (random_below(r, 3) == 0 ? random_below(r, 3) : 0);
}

static void random_layouts_convert(void **state)
{
	Random r = {20251};
	Tally tally = {{0}, 0, 0, 0, 0, 0, 0};
	for (unsigned i = 0; i < 3000; i++) {
		Arena arena;
		LayoutContext cx;
		int64_t shape[4];
		arena_init(&arena, 0);
		layout_context_init(&cx, &arena);
		unsigned tile = random_below(&r, 12), warps = random_below(&r, 4), blocks = random_below(&r, 8) == 0;
		unsigned rank = random_shape(&r, tile, tile <= 9, shape);
		unsigned mix = random_below(&r, 2) * random_below(&r, 20), threads = 5 + warps + blocks;
		LayoutSpace space = layout_space_of_shape(shape, rank);
		unsigned from = registers_for(&r, tile, threads), to = registers_for(&r, tile, threads);
		const Layout *src = random_layout(&r, &cx, &space, from, warps, blocks, mix);
		const Layout *dst = random_layout(&r, &cx, &space, to, warps, blocks, mix);
		check_pair(&cx, src, dst, random_bits(&r), &targets[random_below(&r, 4)], &tally);
		arena_free(&arena);
	}
	assert_int_equal(tally.conflicts, 0);
	assert_true(tally.kinds[3] > 500 && tally.passes > 20 && tally.clusters > 20 && tally.picks > 5);
}

/* The destination is the source after changes within registers (kind 0), or within registers and lanes. */
static const Layout *nearby_layout(Random *r, LayoutContext *cx, const Layout *src, bool lanes)
{
	uint64_t bases[64];
	unsigned n = layout_in_bits(src, LAYOUT_REGISTER) + (lanes ? 5 : 0);
	memcpy(bases, src->bases, sizeof bases[0] * src->in_bits);
	if (random_below(r, 2))
		random_order(r, bases, n);
	random_mix(r, bases, n, random_below(r, 6));
	/* Threads may take other registers for theirs. */
	unsigned registers = layout_in_bits(src, LAYOUT_REGISTER);
	for (unsigned i = registers; i < src->in_bits && registers; i++) {
		if (random_below(r, 6) == 0)
			bases[i] ^= bases[random_below(r, registers)];
	}
	return layout_make(cx, &src->in, &src->out, bases);
}

static void nearby_layouts_stay_in_warps(void **state)
{
	Random r = {777};
	Tally tally = {{0}, 0, 0, 0, 0, 0, 0};
	LayoutTarget dear = {COSTS, .ldmatrix = true};
	for (unsigned i = 0; i < 3000; i++) {
		Arena arena;
		LayoutContext cx;
		int64_t shape[4];
		arena_init(&arena, 0);
		layout_context_init(&cx, &arena);
		unsigned tile = 3 + random_below(&r, 9), warps = random_below(&r, 4);
		unsigned rank = random_shape(&r, tile, tile <= 9, shape);
		LayoutSpace space = layout_space_of_shape(shape, rank);
		unsigned registers = registers_for(&r, tile, 5 + warps) + random_below(&r, 2);
		const Layout *src = random_layout(&r, &cx, &space, registers, warps, 0, random_below(&r, 8));
		bool lanes = i % 2;
		const Layout *dst = nearby_layout(&r, &cx, src, lanes);
		unsigned bits = random_bits(&r);
		const LayoutPlan *plan = layout_plan(&cx, src, dst, bits, &dear);
		if (!lanes)
			assert_in_range(plan->kind, LAYOUT_PLAN_NOTHING, LAYOUT_PLAN_REGISTERS);
		check_pair(&cx, src, dst, bits, &dear, &tally);
		arena_free(&arena);
	}
	assert_true(tally.kinds[0] > 20 && tally.kinds[1] > 500 && tally.kinds[2] > 300);
	assert_true(tally.direct > 0);
	assert_int_equal(tally.conflicts, 0);
}

/* ---- layouts as programs have them ---- */

static const LayoutTarget hopper = {COSTS, .ldmatrix = true, .stmatrix = true};

typedef struct Programs {
	Arena arena;
	LayoutContext cx;
} Programs;

static void start(Programs *p)
{
	arena_init(&p->arena, 0);
	layout_context_init(&p->cx, &p->arena);
}

static const LayoutPlan *plan_of(Programs *p, const Layout *src, const Layout *dst, unsigned bits)
{
	const LayoutPlan *plan = layout_plan(&p->cx, src, dst, bits, &hopper);
	run_plan(&p->arena, plan);
	return plan;
}

static const Layout *blocked(Programs *p, int64_t rows, int64_t columns, unsigned vec, unsigned lanes_across)
{
	const int64_t shape[] = {rows, columns};
	LayoutBlocked b = {.rank = 2, .size_per_thread = {1, vec}, .warps_per_cta = {4, 1}, .order = {1, 0},
			   .threads_per_warp = {32 / lanes_across, lanes_across}};
	return layout_blocked(&p->cx, shape, &b);
}

/* The accumulator of one dot as the first operand of the next needs nothing for 16 bits; for 8 bits lanes
 * differ. */
static void accumulator_to_operand(void **state)
{
	Programs p;
	const int64_t shape[] = {64, 64};
	const unsigned warps[] = {4, 1};
	start(&p);
	const Layout *c = layout_mma_accumulator(&p.cx, shape, 2, warps, 16);
	const Layout *a16 = layout_mma_operand(&p.cx, shape, 2, warps, 0, 16, 2);
	const Layout *a8 = layout_mma_operand(&p.cx, shape, 2, warps, 0, 16, 4);
	assert_int_equal(plan_of(&p, c, a16, 16)->kind, LAYOUT_PLAN_NOTHING);
	const LayoutPlan *plan = plan_of(&p, c, a8, 8);
	assert_int_equal(plan->kind, LAYOUT_PLAN_SHUFFLE);
	/* 32 bytes a thread are 8 words; half of each thread's elements come from its neighbour. */
	assert_true(plan->cost.shuffles <= 8);
	const Layout *w = layout_wgmma_accumulator(&p.cx, shape, warps, 64);
	assert_int_equal(plan_of(&p, w, layout_wgmma_operand(&p.cx, shape, warps, 2), 16)->kind, LAYOUT_PLAN_NOTHING);
	arena_free(&p.arena);
}

/* What is loaded in rows goes to operands by ldmatrix, .trans where K is the other dim, without conflicts. */
static void operands_by_ldmatrix(void **state)
{
	Programs p;
	const int64_t shape[] = {64, 64};
	const unsigned warps[] = {2, 2}, swap[] = {1, 0};
	start(&p);
	const Layout *rows = blocked(&p, 64, 64, 8, 8);
	const Layout *a = layout_mma_operand(&p.cx, shape, 2, warps, 0, 16, 2);
	const LayoutPlan *plan = plan_of(&p, rows, a, 16);
	assert_int_equal(plan->load.kind, LAYOUT_ACCESS_MATRIX);
	assert_int_equal(plan->load.matrix_bits, 2);
	assert_int_equal(plan->store.vector_bits, 3);
	assert_int_equal(plan->cost.excess_wavefronts, 0);
	/* 32 rows of 64 elements a warp: 8 times x4. 16 bytes a lane stored at once: 4 stores. */
	assert_int_equal(plan->cost.loads, 8);
	assert_int_equal(plan->cost.stores, 4);
	const Layout *b = layout_mma_operand(&p.cx, shape, 2, warps, 1, 16, 2);
	plan = plan_of(&p, rows, b, 16);
	assert_int_equal(plan->load.kind, LAYOUT_ACCESS_MATRIX_TRANS);
	assert_int_equal(plan->cost.excess_wavefronts, 0);
	plan = plan_of(&p, layout_transpose(&p.cx, rows, swap), b, 16);
	assert_true(plan->cost.loads == 8 && plan->load.wavefronts == 4 && plan->cost.excess_wavefronts == 0);
	/* And accumulators leave by stmatrix. */
	const Layout *c = layout_mma_accumulator(&p.cx, shape, 2, warps, 16);
	plan = layout_plan_shared(&p.cx, c, rows, 16, &hopper);
	run_plan(&p.arena, plan);
	assert_int_equal(plan->store.kind, LAYOUT_ACCESS_MATRIX);
	assert_int_equal(plan->load.vector_bits, 3);
	assert_int_equal(plan->cost.excess_wavefronts, 0);
	arena_free(&p.arena);
}

/* B of mma.sync from rows: ldmatrix.trans, although plain vectors are as wide, because their words would have to be put
 * together from elements of other k. */
static void words_of_neighbours_are_preferred(void **state)
{
	Programs p;
	int64_t shape[2] = {64, 256};
	start(&p);
	LayoutBlocked rows = {.rank = 2, .size_per_thread = {1, 8}, .threads_per_warp = {1, 32}, .warps_per_cta = {8, 1},
			      .order = {1, 0}};
	LayoutTarget target = {COSTS, .ldmatrix = true, .stmatrix = true};
	const Layout *from = layout_blocked(&p.cx, shape, &rows);
	const Layout *to = layout_mma_operand(&p.cx, shape, 2, (unsigned[]){2, 4}, 1, 16, 2);
	const LayoutPlan *plan = layout_plan(&p.cx, from, to, 16, &target);
	assert_int_equal(plan->load.kind, LAYOUT_ACCESS_MATRIX_TRANS);
	assert_int_equal(plan->cost.packs, 0);
	/* Without ldmatrix one side has to: 128 elements, two to a word. */
	target.ldmatrix = target.stmatrix = false;
	plan = layout_plan(&p.cx, from, to, 16, &target);
	assert_true(plan->cost.packs >= 32);
	arena_free(&p.arena);
}

static void transposed_copies(void **state)
{
	Programs p;
	const unsigned swap[] = {1, 0};
	start(&p);
	for (unsigned bits = 8; bits <= 64; bits *= 2) {
		const Layout *rows = blocked(&p, 64, 64, 128 / bits, 4);
		const Layout *columns = layout_transpose(&p.cx, rows, swap);
		const LayoutPlan *plan = plan_of(&p, rows, columns, bits);
		assert_int_equal(plan->kind, LAYOUT_PLAN_SHARED);
		assert_int_equal(plan->cost.excess_wavefronts, 0);
		assert_int_equal(plan->cost.shared_bytes, 64 * 64 * bits / 8);
		/* One side at least is as wide as instructions are. */
		assert_true(plan->store.vector_bits == base_log2(128 / bits) ||
			    plan->load.vector_bits == base_log2(128 / bits) || plan->load.kind != LAYOUT_ACCESS_VECTOR);
	}
	arena_free(&p.arena);
}

/* The result of a reduction over columns, back to one value a thread: shuffles, and no copy stored twice. */
static void slices_convert(void **state)
{
	Programs p;
	const int64_t line[] = {64};
	LayoutBlocked one = {.rank = 1, .size_per_thread = {1}, .threads_per_warp = {32}, .warps_per_cta = {4}};
	start(&p);
	const Layout *sliced = layout_slice(&p.cx, blocked(&p, 64, 64, 4, 8), 1);
	const Layout *flat = layout_blocked(&p.cx, line, &one);
	plan_of(&p, sliced, flat, 32);
	const LayoutPlan *plan = layout_plan_shared(&p.cx, sliced, flat, 32, &hopper);
	run_plan(&p.arena, plan);
	assert_int_equal(plan->cost.shared_bytes, 64 * 4);
	assert_int_not_equal(plan->store.idle, 0);
	arena_free(&p.arena);
}

/* Values one a lane, of which each lane wants sixteen: each round brings one to where it stays. */
static void values_of_lanes_spread(void **state)
{
	Programs p;
	const int64_t line[] = {32};
	LayoutBlocked one = {.rank = 1, .size_per_thread = {1}, .threads_per_warp = {32},
			     .warps_per_cta = {4}};
	start(&p);
	const Layout *flat = layout_blocked(&p.cx, line, &one);
	const Layout *sliced = layout_slice(&p.cx, blocked(&p, 32, 64, 4, 8), 1);
	plan_of(&p, flat, sliced, 32);
	const LayoutPlan *plan = layout_plan(&p.cx, flat, sliced, 32, &hopper);
	assert_int_equal(plan->kind, LAYOUT_PLAN_SHUFFLE);
	assert_int_equal(plan->cost.selects, 0);
	arena_free(&p.arena);
}

static const Layout *parse(Programs *p, const char *text)
{
	const char *error;
	size_t at;
	const Layout *l = layout_parse(&p->cx, str_of(text), &error, &at);
	assert_non_null(l);
	return l;
}

/* Every warp holds all, eight of its lanes what it wants, each four of them: four rounds, of which lanes pick one. */
static void lanes_that_share_pick(void **state)
{
	Programs p;
	start(&p);
	const Layout *src = parse(&p, "{register = [[32], [64]], lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]], "
				      "block = []} -> {dim0 = 128}");
	const Layout *dst = parse(&p, "{register = [], lane = [[4], [8], [16], [32], [64]], warp = [[1], [2]], "
				      "block = []} -> {dim0 = 128}");
	const LayoutPlan *plan = plan_of(&p, src, dst, 32);
	assert_int_equal(plan->kind, LAYOUT_PLAN_SHUFFLE);
	assert_int_equal(plan->cost.shuffles, 4);
	assert_int_equal(picks_of(plan), 4);
	/* When the lanes hold copies, each reads from a copy of its own: one round. */
	src = parse(&p, "{register = [[8], [16]], lane = [[1], [2], [4], [0], [0]], warp = [], "
			"block = []} -> {dim0 = 32}");
	dst = parse(&p, "{register = [], lane = [[1], [2], [4], [8], [16]], warp = [], "
			"block = []} -> {dim0 = 32}");
	plan = plan_of(&p, src, dst, 32);
	assert_int_equal(plan->kind, LAYOUT_PLAN_REGISTERS);
	dst = parse(&p, "{register = [], lane = [[8], [16], [1], [2], [4]], warp = [], "
			"block = []} -> {dim0 = 32}");
	plan = plan_of(&p, src, dst, 32);
	assert_int_equal(plan->kind, LAYOUT_PLAN_SHUFFLE);
	assert_int_equal(plan->cost.shuffles, 1);
	arena_free(&p.arena);
}

/* 80, 112 and 176 columns: the same plan for each repetition, and one buffer in turn where all would be too
 * much. */
static void odd_sizes_convert(void **state)
{
	Programs p;
	const unsigned warps[] = {4, 1};
	const int64_t widths[] = {80, 112, 176};
	start(&p);
	for (unsigned i = 0; i < 3; i++) {
		const int64_t shape[] = {64, widths[i]};
		const Layout *c = layout_wgmma_accumulator(&p.cx, shape, warps, (unsigned)widths[i]);
		const Layout *rows = blocked(&p, 64, widths[i], 4, 4);
		const LayoutPlan *plan = layout_plan_shared(&p.cx, c, rows, 32, &hopper);
		run_plan(&p.arena, plan);
		assert_int_equal(plan->cost.shared_bytes, 64 * widths[i] * 4);
		assert_int_equal(plan->cost.excess_wavefronts, 0);
		LayoutTarget small = {COSTS, .ldmatrix = true, .shared_bytes = 4096};
		plan = layout_plan_shared(&p.cx, c, rows, 32, &small);
		run_plan(&p.arena, plan);
		assert_int_equal(plan->cost.shared_bytes, 4096);
		assert_true(plan->repetitions_take_turns);
		const Layout *a = layout_wgmma_operand(&p.cx, shape, warps, 2);
		assert_int_equal(plan_of(&p, c, a, 16)->kind, LAYOUT_PLAN_NOTHING);
	}
	arena_free(&p.arena);
}

/* Loads from shared memory whose layout others decided (TMA, pipelined copies): what comes is what the layout
 * says. */
static void check_local_load(Programs *p, const Layout *shared, const Layout *held, unsigned bits, LayoutAccess *access)
{
	const Layout *address = layout_compose(&p->cx, layout_invert(&p->cx, shared), held);
	layout_plan_access(address, false, bits, &hopper, access);
	LayoutPlan plan = {.kind = LAYOUT_PLAN_SHARED, .source = held, .destination = held, .element_bits = bits};
	plan.load = *access;
	plan.offset_bits = plan.pass_shift = shared->in_bits;
	Machine m = machine_of(&p->arena, &plan);
	for (uint64_t offset = 0; offset < UINT64_C(1) << shared->in_bits; offset++)
		m.memory[offset] = (uint32_t)layout_apply(shared, offset);
	m.loaded = new_elements(&m, m.loaded_count);
	run_access(&m, access, 0, 0);
	m.held = m.loaded;
	m.count = m.loaded_count;
	uint32_t swap[LAYOUT_MAX_THREAD_BITS], copies[1 << 12];
	memcpy(swap, access->swap, sizeof swap);
	layout_access_copies(address, copies);
	unsigned registers = layout_in_bits(held, LAYOUT_REGISTER);
	for (unsigned t = 0; t < m.threads; t++) {
		for (uint32_t i = 0; i < m.count; i++)
			assert_int_equal(*element(&m, m.held, m.count, 0, t, copies[i] ^ sum(swap, t)),
					 element_number(held, 0, i | (uint64_t)t << registers));
	}
}

/* Bytes of an operand of mma.sync with columns 0, 2, 4 ... 14 to an instruction, 1 to another register. */
static const Layout *bytes_in_pairs(Programs *p, const Layout *l)
{
	uint64_t bases[64], mask = layout_space_mask(&l->out, LAYOUT_DIM0 + 1);
	for (unsigned i = 0; i < l->in_bits; i++) {
		uint64_t at = layout_space_get(&l->out, l->bases[i], LAYOUT_DIM0 + 1);
		at = at < 16 ? 2 * at : at == 16 ? 1 : at; /* warps stand for 8 */
		bases[i] = (l->bases[i] & ~mask) | layout_space_put(&l->out, LAYOUT_DIM0 + 1, at);
	}
	return layout_make(&p->cx, &l->in, &l->out, bases);
}

/* Bytes of A of wgmma, rows 0, 2, 4 ... 14 to lanes, 1 to a register. */
static const Layout *rows_in_pairs(Programs *p, const Layout *l)
{
	uint64_t bases[64], mask = layout_space_mask(&l->out, LAYOUT_DIM0);
	for (unsigned i = 0; i < l->in_bits; i++) {
		uint64_t at = layout_space_get(&l->out, l->bases[i], LAYOUT_DIM0);
		at = at < 8 ? 2 * at : at == 8 ? 1 : at;
		bases[i] = (l->bases[i] & ~mask) | layout_space_put(&l->out, LAYOUT_DIM0, at);
	}
	return layout_make(&p->cx, &l->in, &l->out, bases);
}

/* The same elements; registers that tell rows apart are the last ones. */
static const Layout *rows_last(Programs *p, const Layout *l)
{
	uint64_t bases[64];
	unsigned registers = layout_in_bits(l, LAYOUT_REGISTER), n = 0;
	memcpy(bases, l->bases, sizeof bases[0] * l->in_bits);
	for (unsigned rows = 0; rows < 2; rows++) {
		for (unsigned i = 0; i < registers; i++) {
			if ((layout_space_get(&l->out, l->bases[i], LAYOUT_DIM0) != 0) == rows)
				bases[n++] = l->bases[i];
		}
	}
	return layout_make(&p->cx, &l->in, &l->out, bases);
}

static void local_loads(void **state)
{
	Programs p;
	LayoutAccess access;
	const int64_t shape[] = {64, 64};
	const unsigned warps[] = {2, 2}, order[] = {1, 0};
	start(&p);
	const Layout *a = layout_mma_operand(&p.cx, shape, 2, warps, 0, 16, 2);
	const Layout *b = layout_mma_operand(&p.cx, shape, 2, warps, 1, 16, 2);
	const Layout *swizzled = layout_shared_swizzled(&p.cx, shape, 2, order, 8, 1, 8);
	const Layout *tma = layout_shared_tma(&p.cx, shape, 2, 16, 128, false);
	const Layout *const stored[] = {swizzled, tma};
	for (unsigned i = 0; i < 2; i++) {
		check_local_load(&p, stored[i], a, 16, &access);
		assert_int_equal(access.kind, LAYOUT_ACCESS_MATRIX);
		assert_int_equal(access.wavefronts, access.least);
		check_local_load(&p, stored[i], b, 16, &access);
		assert_int_equal(access.kind, LAYOUT_ACCESS_MATRIX_TRANS);
		assert_int_equal(access.wavefronts, access.least);
	}
	const Layout *bytes = bytes_in_pairs(&p, layout_mma_operand(&p.cx, shape, 2, warps, 1, 16, 4));
	check_local_load(&p, layout_shared_swizzled(&p.cx, shape, 2, order, 16, 2, 4), bytes, 8, &access);
	assert_int_equal(access.kind, LAYOUT_ACCESS_MATRIX_TRANS);
	assert_int_equal(access.vector_bits, 2);
	check_local_load(&p, layout_shared_swizzled(&p.cx, shape, 2, order, 16, 2, 4), b, 8, &access);
	assert_int_equal(access.kind, LAYOUT_ACCESS_VECTOR);
	/* Without a swizzle eight rows share their banks; a matrix is read from four. */
	check_local_load(&p, layout_shared_plain(&p.cx, shape, 2, order), a, 16, &access);
	assert_int_equal(access.wavefronts, 2 * access.least);
	/* Rows 0, 1, 4, 5, ... 13, as a lane takes four, are in different banks by such turns. */
	const unsigned along[] = {4, 1};
	const Layout *across = rows_in_pairs(&p, layout_wgmma_operand(&p.cx, shape, along, 4));
	tma = layout_shared_tma(&p.cx, shape, 2, 8, 64, true);
	check_local_load(&p, tma, across, 8, &access);
	assert_int_equal(access.kind, LAYOUT_ACCESS_MATRIX_TRANS);
	assert_int_equal(access.wavefronts, access.least);
	/* Rows 0, 2, 4 ... 14 of 64 bytes are in half of the banks, odd ones in the other. */
	tma = layout_shared_tma(&p.cx, shape, 2, 8, 64, false);
	check_local_load(&p, tma, rows_last(&p, across), 8, &access);
	assert_int_equal(access.kind, LAYOUT_ACCESS_MATRIX);
	assert_int_equal(access.wavefronts, access.least);
	check_local_load(&p, swizzled, blocked(&p, 64, 64, 8, 8), 16, &access);
	assert_int_equal(access.kind, LAYOUT_ACCESS_VECTOR);
	assert_int_equal(access.vector_bits, 3);
	assert_int_equal(access.wavefronts, access.least);
	arena_free(&p.arena);
}

static void random_local_loads(void **state)
{
	Random r = {4242};
	for (unsigned i = 0; i < 500; i++) {
		Programs p;
		LayoutAccess access;
		start(&p);
		const int64_t shape[] = {INT64_C(1) << random_below(&r, 5), INT64_C(1) << random_below(&r, 6)};
		LayoutSpace tile = layout_space_of_shape(shape, 2), in = layout_space_none();
		unsigned bits = layout_space_bits(&tile), warps = random_below(&r, 3);
		uint64_t bases[16];
		for (unsigned k = 0; k < bits; k++)
			bases[k] = UINT64_C(1) << k;
		random_order(&r, bases, bits);
		random_mix(&r, bases, bits, random_below(&r, 12));
		layout_space_add(&in, LAYOUT_OFFSET, bits, 1);
		const Layout *shared = layout_make(&p.cx, &in, &tile, bases);
		const Layout *held = random_layout(&r, &p.cx, &tile, registers_for(&r, bits, 5 + warps), warps, 0,
						   random_below(&r, 8));
		check_local_load(&p, shared, held, random_bits(&r), &access);
		arena_free(&p.arena);
	}
}

static void plans_print(void **state)
{
	Programs p;
	Text t;
	start(&p);
	const unsigned swap[] = {1, 0};
	const Layout *rows = blocked(&p, 32, 32, 4, 8);
	text_init(&t, &p.arena);
	layout_plan_print(&t, plan_of(&p, rows, layout_transpose(&p.cx, rows, swap), 32));
	assert_string_equal(t.data, "shared: 4096 bytes, 8 stores, 2 loads, 16 wavefronts, 0 of them conflicts\n"
				    "  store pass 0: 8 x v1.b32, 1 wavefronts each (least 1)\n"
				    "  barrier cta\n"
				    "  load pass 0: 2 x v4.b32, 4 wavefronts each (least 4)\n");
	const LayoutPlan *plan = plan_of(&p, rows, layout_transpose(&p.cx, rows, swap), 32);
	assert_ptr_equal(plan_of(&p, rows, layout_transpose(&p.cx, rows, swap), 32), plan);
	assert_ptr_not_equal(plan_of(&p, rows, layout_transpose(&p.cx, rows, swap), 64), plan);
	arena_free(&p.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_layouts_convert),
		cmocka_unit_test(nearby_layouts_stay_in_warps),
		cmocka_unit_test(accumulator_to_operand),
		cmocka_unit_test(operands_by_ldmatrix),
		cmocka_unit_test(words_of_neighbours_are_preferred),
		cmocka_unit_test(transposed_copies),
		cmocka_unit_test(slices_convert),
		cmocka_unit_test(values_of_lanes_spread),
		cmocka_unit_test(lanes_that_share_pick),
		cmocka_unit_test(odd_sizes_convert),
		cmocka_unit_test(local_loads),
		cmocka_unit_test(random_local_loads),
		cmocka_unit_test(plans_print),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
