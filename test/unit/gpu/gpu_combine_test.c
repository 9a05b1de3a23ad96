/* Reductions and scans on random layouts: plans are run on simulated threads, one word for each, and compared with loops
 * over the tile. */
#include "unit.h"

#include "gpu/reduce/combine.h"
#include "layout_random.h"

/* ---- an engine of arrays: a value is a word of each thread ---- */

typedef struct Sim {
	Arena *arena;
	unsigned threads, lanes; /* numbers */
	unsigned shuffles, selects, combines, trips;
	bool warp_op;
	void (*op)(uint64_t *out, const uint64_t *a, const uint64_t *b); /* of one thread, all operands */
	unsigned operands;
} Sim;

static uint64_t *new_value(Sim *s)
{
	return ARENA_ARRAY(s->arena, uint64_t, s->threads);
}

static void sim_combine(void *data, void *const *a, void *const *b, void **out)
{
	Sim *s = data;
	uint64_t *made[8], x[8], y[8], z[8];
	s->combines++;
	for (unsigned k = 0; k < s->operands; k++)
		made[k] = new_value(s);
	for (unsigned t = 0; t < s->threads; t++) {
		for (unsigned k = 0; k < s->operands; k++) {
			x[k] = ((uint64_t *)a[k])[t];
			y[k] = ((uint64_t *)b[k])[t];
		}
		s->op(z, x, y);
		for (unsigned k = 0; k < s->operands; k++)
			made[k][t] = z[k];
	}
	for (unsigned k = 0; k < s->operands; k++)
		out[k] = made[k];
}

static void shuffle_by(Sim *s, void **values, uint32_t count, uint32_t lane_xor, const uint64_t *lane)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t *old = values[i], *made = new_value(s);
		s->shuffles++;
		for (unsigned t = 0; t < s->threads; t++) {
			unsigned own = t % s->lanes;
			made[t] = old[t - own + (lane ? lane[t] % s->lanes : own ^ lane_xor)];
		}
		values[i] = made;
	}
}

static void sim_shuffle(void *data, unsigned operand, void **values, uint32_t count, uint32_t lane_xor)
{
	(void)operand;
	shuffle_by(data, values, count, lane_xor, NULL);
}

static void sim_shuffle_from(void *data, unsigned operand, void **values, uint32_t count, void *lane)
{
	(void)operand;
	shuffle_by(data, values, count, 0, lane);
}

static bool sim_combine_warp(void *data, void ***values, uint32_t count)
{
	Sim *s = data;
	if (!s->warp_op)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t *made[8];
		for (unsigned k = 0; k < s->operands; k++)
			made[k] = new_value(s);
		for (unsigned t = 0; t < s->threads; t++) {
			uint64_t x[8], y[8], z[8];
			unsigned first = t - t % s->lanes;
			for (unsigned k = 0; k < s->operands; k++)
				x[k] = ((uint64_t *)values[k][i])[first];
			for (unsigned lane = 1; lane < s->lanes; lane++) {
				for (unsigned k = 0; k < s->operands; k++)
					y[k] = ((uint64_t *)values[k][i])[first + lane];
				s->op(z, x, y);
				memcpy(x, z, sizeof x);
			}
			for (unsigned k = 0; k < s->operands; k++)
				made[k][t] = x[k];
		}
		for (unsigned k = 0; k < s->operands; k++)
			values[k][i] = made[k];
	}
	return true;
}

static void *sim_select(void *data, unsigned operand, void *condition, void *yes, void *no)
{
	Sim *s = data;
	uint64_t *made = new_value(s);
	(void)operand;
	s->selects++;
	for (unsigned t = 0; t < s->threads; t++)
		made[t] = ((uint64_t *)condition)[t] ? ((uint64_t *)yes)[t] : ((uint64_t *)no)[t];
	return made;
}

static void *sim_parity(void *data, uint32_t mask)
{
	Sim *s = data;
	uint64_t *made = new_value(s);
	for (unsigned t = 0; t < s->threads; t++)
		made[t] = f2_parity(t & mask);
	return made;
}

static void *sim_at_least(void *data, void *position, uint32_t n)
{
	Sim *s = data;
	uint64_t *made = new_value(s);
	for (unsigned t = 0; t < s->threads; t++)
		made[t] = ((uint64_t *)position)[t] >= n;
	return made;
}

static void *sim_either(void *data, void *a, void *b)
{
	Sim *s = data;
	uint64_t *made = new_value(s);
	for (unsigned t = 0; t < s->threads; t++)
		made[t] = ((uint64_t *)a)[t] || ((uint64_t *)b)[t];
	return made;
}

static void *sim_position(void *data, const unsigned *bits, unsigned count, bool complement)
{
	Sim *s = data;
	uint64_t *made = new_value(s);
	for (unsigned t = 0; t < s->threads; t++)
		for (unsigned i = 0; i < count; i++)
			made[t] |= (uint64_t)((t >> bits[i] & 1) ^ complement) << i;
	return made;
}

static void *sim_lane_at(void *data, uint32_t keep, uint32_t set)
{
	Sim *s = data;
	uint64_t *made = new_value(s);
	for (unsigned t = 0; t < s->threads; t++)
		made[t] = (t % s->lanes & keep) | set;
	return made;
}

static void *sim_lane_next(void *data, uint32_t mask, bool more)
{
	Sim *s = data;
	uint64_t *made = new_value(s);
	uint32_t low = mask & -mask;
	for (unsigned t = 0; t < s->threads; t++) {
		uint32_t own = t % s->lanes;
		made[t] = ((more ? (own | ~mask) + low : (own & mask) - low) & mask) | (own & ~mask);
	}
	return made;
}

static uint64_t element_number(const Layout *l, uint32_t rep, uint64_t in)
{
	int64_t at[LAYOUT_MAX_RANK];
	uint64_t number = 0;
	layout_coordinates(l, rep, in, at);
	for (unsigned k = 0; k < layout_rank(l); k++)
		number = number * (uint64_t)layout_shape(l, k) + (uint64_t)at[k];
	return number;
}

static uint64_t tile_size(const Layout *l)
{
	uint64_t size = 1;
	for (unsigned k = 0; k < layout_rank(l); k++)
		size *= (uint64_t)layout_shape(l, k);
	return size;
}

static uint32_t register_count(const Layout *l)
{
	return layout_space_reps(&l->in) << layout_in_bits(l, LAYOUT_REGISTER);
}

/* Tile to threads. */
static void **spread(Sim *s, const Layout *l, const uint64_t *tile)
{
	unsigned registers = layout_in_bits(l, LAYOUT_REGISTER);
	void **values = ARENA_ARRAY(s->arena, void *, register_count(l));
	for (uint32_t r = 0; r < register_count(l); r++) {
		uint64_t *made = values[r] = new_value(s);
		for (uint64_t t = 0; t < s->threads; t++)
			made[t] = tile[element_number(l, r >> registers,
						      (r & ((UINT32_C(1) << registers) - 1)) | t << registers)];
	}
	return values;
}

/* Threads to tile: the first holder of each element; `same`: the others hold the same. */
static uint64_t *collect(Sim *s, const Layout *l, void **values, bool same)
{
	unsigned registers = layout_in_bits(l, LAYOUT_REGISTER);
	uint64_t *tile = ARENA_ARRAY(s->arena, uint64_t, tile_size(l));
	bool *seen = ARENA_ARRAY(s->arena, bool, tile_size(l));
	for (uint64_t t = 0; t < s->threads; t++) {
		for (uint32_t r = 0; r < register_count(l); r++) {
			uint64_t i = element_number(l, r >> registers,
						    (r & ((UINT32_C(1) << registers) - 1)) | t << registers);
			uint64_t v = ((uint64_t *)values[r])[t];
			if (seen[i] && same)
				assert_int_equal(tile[i], v);
			if (!seen[i])
				tile[i] = v;
			seen[i] = true;
		}
	}
	for (uint64_t i = 0; i < tile_size(l); i++)
		assert_true(seen[i]);
	return tile;
}

static void sim_convert(void *data, const Layout *from, const Layout *to, void ***values, unsigned trip)
{
	Sim *s = data;
	(void)trip;
	if (from == to)
		return;
	s->trips++;
	for (unsigned k = 0; k < s->operands; k++)
		values[k] = spread(s, to, collect(s, from, values[k], false));
}

static GpuEngine engine_of(Sim *s, bool commutes)
{
	return (GpuEngine){.data = s,
			   .operands = s->operands,
			   .commutes = commutes,
			   .combine = sim_combine,
			   .shuffle = sim_shuffle,
			   .shuffle_from = sim_shuffle_from,
			   .combine_warp = sim_combine_warp,
			   .select = sim_select,
			   .parity = sim_parity,
			   .at_least = sim_at_least,
			   .either = sim_either,
			   .position = sim_position,
			   .lane_at = sim_lane_at,
			   .lane_next = sim_lane_next,
			   .convert = sim_convert,
			   .arena = s->arena};
}

/* ---- functions that combine ---- */

static void op_add(uint64_t *out, const uint64_t *a, const uint64_t *b)
{
	out[0] = a[0] + b[0];
}

/* Not commutative: which one stays shows the order. */
static void op_first(uint64_t *out, const uint64_t *a, const uint64_t *b)
{
	(void)b;
	out[0] = a[0];
}

/* Affine maps one after the other: associative, not commutative. */
static void op_affine(uint64_t *out, const uint64_t *a, const uint64_t *b)
{
	out[0] = a[0] * b[0];
	out[1] = a[1] * b[0] + b[1];
}

/* ---- random tiles ---- */

typedef struct Case {
	Arena arena;
	LayoutContext cx;
	int64_t shape[4];
	unsigned rank, axis;
	const Layout *layout;
	uint64_t *tile[2];
	Sim sim;
} Case;

/* `plain`: no bases that are sums. */
static void new_case(Case *c, Random *r, bool plain)
{
	memset(c, 0, sizeof *c);
	arena_init(&c->arena, 0);
	layout_context_init(&c->cx, &c->arena);
	unsigned bits = random_below(r, 10), warps = random_below(r, 4), blocks = random_below(r, 8) == 0;
	c->rank = random_shape(r, bits, bits <= 8, c->shape);
	c->axis = random_below(r, c->rank);
	unsigned threads = 5 + warps + blocks;
	unsigned registers = (bits > threads ? bits - threads : 0) + random_below(r, 3);
	LayoutSpace space = layout_space_of_shape(c->shape, c->rank);
	unsigned mix = plain ? 0 : random_below(r, 20);
	c->layout = random_layout(r, &c->cx, &space, registers, warps, blocks, mix);
	c->sim = (Sim){.arena = &c->arena, .threads = 1u << threads, .lanes = 32};
	for (unsigned k = 0; k < 2; k++) {
		c->tile[k] = ARENA_ARRAY(&c->arena, uint64_t, tile_size(c->layout));
		for (uint64_t i = 0; i < tile_size(c->layout); i++)
			c->tile[k][i] = random_next(r);
	}
}

/* Elements of a row along the axis: the row's first one, how many rows there are within, their distance. */
static uint64_t stride_of(const Case *c)
{
	uint64_t stride = 1;
	for (unsigned k = c->axis + 1; k < c->rank; k++)
		stride *= (uint64_t)c->shape[k];
	return stride;
}

/* A layout for the result that is not the source's. */
static const Layout *other_result(Case *c, Random *r, const Layout *natural)
{
	unsigned warps = layout_in_bits(natural, LAYOUT_WARP), blocks = layout_in_bits(natural, LAYOUT_BLOCK);
	unsigned threads = 5 + warps + blocks, bits = natural->out_bits;
	unsigned registers = (bits > threads ? bits - threads : 0) + random_below(r, 2);
	return random_layout(r, &c->cx, &natural->out, registers, warps, blocks, random_below(r, 8));
}

/* A sum of 32 bits. */
static const GpuReduceBody addition = {4, 1, 8, false};

static void reduce_case(Random *r, unsigned number)
{
	Case c;
	new_case(&c, r, number % 3 == 0);
	bool add = number % 2, warp_op = add && random_below(r, 3) == 0;
	c.sim.operands = 1;
	c.sim.op = add ? op_add : op_first;
	c.sim.warp_op = warp_op;
	const Layout *wanted = layout_slice(&c.cx, c.layout, c.axis);
	if (random_below(r, 2))
		wanted = other_result(&c, r, wanted);
	if (random_below(r, 4) == 0)
		wanted = NULL;
	GpuReduceBody body = {4u << random_below(r, 2), random_below(r, 20), 8 * (1 + random_below(r, 3)),
			      warp_op};
	GpuReducePlan plan = gpu_plan_reduce(&c.cx, c.layout, c.axis, wanted, &body);
	GpuEngine engine = engine_of(&c.sim, add);
	void **values = spread(&c.sim, c.layout, c.tile[0]);
	gpu_run_reduce(&plan, &engine, &values);
	uint64_t *got = collect(&c.sim, plan.result, values, true), stride = stride_of(&c);
	uint64_t size = (uint64_t)c.shape[c.axis], rows = tile_size(c.layout) / size;
	assert_int_equal(tile_size(plan.result), rows);
	for (uint64_t row = 0; row < rows; row++) {
		uint64_t first = row / stride * stride * size + row % stride, sum = 0;
		bool found = false;
		for (uint64_t i = 0; i < size; i++) {
			sum += c.tile[0][first + i * stride];
			found = found || got[row] == c.tile[0][first + i * stride];
		}
		if (add)
			assert_int_equal(got[row], sum);
		else
			assert_true(found);
	}
	arena_free(&c.arena);
}

static void random_reductions(void **state)
{
	Random r = {4711};
	for (unsigned i = 0; i < 2000; i++)
		reduce_case(&r, i);
}

static void scan_case(Random *r, unsigned number)
{
	Case c;
	new_case(&c, r, number % 3 != 0);
	c.sim.operands = 2;
	c.sim.op = op_affine;
	bool reverse = number % 2;
	GpuScanPlan plan = gpu_plan_scan(&c.cx, c.layout, c.axis, reverse);
	GpuEngine engine = engine_of(&c.sim, false);
	void **values[2] = {spread(&c.sim, c.layout, c.tile[0]), spread(&c.sim, c.layout, c.tile[1])};
	gpu_run_scan(&plan, &engine, values);
	uint64_t *got[2] = {collect(&c.sim, c.layout, values[0], true), collect(&c.sim, c.layout, values[1], true)};
	uint64_t stride = stride_of(&c), size = (uint64_t)c.shape[c.axis], rows = tile_size(c.layout) / size;
	for (uint64_t row = 0; row < rows; row++) {
		uint64_t first = row / stride * stride * size + row % stride, sum[2] = {1, 0};
		for (uint64_t i = 0; i < size; i++) {
			uint64_t at = first + (reverse ? size - 1 - i : i) * stride;
			uint64_t next[2] = {c.tile[0][at], c.tile[1][at]}, out[2];
			op_affine(out, sum, next);
			memcpy(sum, out, sizeof sum);
			assert_int_equal(got[0][at], sum[0]);
			assert_int_equal(got[1][at], sum[1]);
		}
	}
	arena_free(&c.arena);
}

static void random_scans(void **state)
{
	Random r = {815};
	for (unsigned i = 0; i < 2000; i++)
		scan_case(&r, i);
}

/* ---- what they cost ---- */

static const Layout *blocked(Case *c, const char *text)
{
	const char *error = NULL;
	size_t at;
	memset(c, 0, sizeof *c);
	arena_init(&c->arena, 0);
	layout_context_init(&c->cx, &c->arena);
	const Layout *l = layout_parse(&c->cx, (Str){text, strlen(text)}, &error, &at);
	assert_null(error);
	c->sim = (Sim){.arena = &c->arena,
		       .threads = 1u << (5 + layout_in_bits(l, LAYOUT_WARP)),
		       .lanes = 32,
		       .operands = 1,
		       .op = op_add};
	return l;
}

/* A row of 1024 over 4 warps: 7 sums and 5 shuffles in a warp, one trip, 3 sums. */
static void row_of_four_warps(void **state)
{
	Case c;
	const Layout *l = blocked(&c, "{register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], "
				      "warp = [[128], [256]], block = []} -> {dim0 = 1024}");
	uint64_t *tile = ARENA_ARRAY(&c.arena, uint64_t, 1024);
	void **values = spread(&c.sim, l, tile);
	GpuEngine engine = engine_of(&c.sim, true);
	GpuReducePlan plan = gpu_plan_reduce(&c.cx, l, 0, NULL, &addition);
	gpu_run_reduce(&plan, &engine, &values);
	assert_int_equal(c.sim.shuffles, 5);
	assert_int_equal(c.sim.combines, 7 + 5 + 3);
	assert_int_equal(c.sim.selects, 0);
	assert_int_equal(c.sim.trips, 1);
	arena_free(&c.arena);
}

/* The parts of 8 and of 16 warps: each thread combines four and two of them, as what shared memory
 * gives all warps takes longer then than their shuffles, and two of what takes long. */
static void parts_by_what_combining_takes(void **state)
{
	static const struct {
		const char *layout;
		GpuReduceBody body;
		unsigned warp_bits, terms, rounds;
	} cases[] = {
		{"{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64], [128]], "
		 "block = []} -> {dim0 = 256}", {4, 1, 8, false}, 3, 4, 1},
		{"{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64], [128], [256]], "
		 "block = []} -> {dim0 = 512}", {4, 1, 8, false}, 4, 2, 3},
		{"{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64], [128], [256]], "
		 "block = []} -> {dim0 = 512}", {4, 12, 16, false}, 4, 2, 3},
	};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		Case c;
		const Layout *l = blocked(&c, cases[i].layout);
		uint64_t *tile = ARENA_ARRAY(&c.arena, uint64_t, 32u << cases[i].warp_bits);
		void **values = spread(&c.sim, l, tile);
		GpuEngine engine = engine_of(&c.sim, true);
		GpuReducePlan plan = gpu_plan_reduce(&c.cx, l, 0, NULL, &cases[i].body);
		gpu_run_reduce(&plan, &engine, &values);
		assert_int_equal(c.sim.shuffles, 5 + cases[i].rounds);
		assert_int_equal(c.sim.combines, 5 + cases[i].terms - 1 + cases[i].rounds);
		assert_int_equal(c.sim.trips, 1);
		arena_free(&c.arena);
	}
}

/* Eight rows over 32 lanes: halving takes 4 + 2 + 1 + 1 + 1 shuffles, and 8 to give all rows to all lanes; not 40. */
static void rows_are_halved(void **state)
{
	Case c;
	const Layout *l = blocked(&c, "{register = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], "
				      "warp = [[8, 0], [16, 0]], block = []} -> {dim0 = 32, dim1 = 32}");
	uint64_t *tile = ARENA_ARRAY(&c.arena, uint64_t, 1024);
	void **values = spread(&c.sim, l, tile);
	GpuEngine engine = engine_of(&c.sim, true);
	GpuReducePlan plan = gpu_plan_reduce(&c.cx, l, 1, NULL, &addition);
	gpu_run_reduce(&plan, &engine, &values);
	assert_int_equal(c.sim.shuffles, 4 + 2 + 1 + 1 + 1 + 8);
	assert_int_equal(c.sim.combines, 4 + 2 + 1 + 1 + 1);
	assert_int_equal(c.sim.trips, 0);
	arena_free(&c.arena);
}

/* Two neighbours in two lanes, as sorting compares them: one shuffle. */
static void pairs_take_one_shuffle(void **state)
{
	Case c;
	const Layout *l = blocked(&c, "{register = [[1, 0]], lane = [[0, 1], [2, 0], [4, 0], [8, 0], [16, 0]], "
				      "warp = [], block = []} -> {dim0 = 32, dim1 = 2}");
	uint64_t *tile = ARENA_ARRAY(&c.arena, uint64_t, 64);
	void **values = spread(&c.sim, l, tile);
	GpuEngine engine = engine_of(&c.sim, true);
	GpuReducePlan plan = gpu_plan_reduce(&c.cx, l, 1, layout_slice(&c.cx, l, 1), &addition);
	gpu_run_reduce(&plan, &engine, &values);
	assert_int_equal(c.sim.shuffles, 2);
	assert_int_equal(c.sim.combines, 2);
	assert_int_equal(c.sim.trips, 0);
	arena_free(&c.arena);
}

/* Eight results to a thread, each in parts of eight warps: every warp adds up one of the eight, and hands it round. */
static void many_parts_are_shared_out(void **state)
{
	Case c;
	const Layout *l = blocked(&c, "{register = [[0, 1], [0, 2], [0, 128], [8, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], "
				      "warp = [[1, 0], [2, 0], [4, 0]], block = []} -> {dim0 = 16, dim1 = 256}");
	uint64_t *tile = ARENA_ARRAY(&c.arena, uint64_t, 4096);
	for (unsigned i = 0; i < 4096; i++)
		tile[i] = i * i;
	void **values = spread(&c.sim, l, tile);
	GpuEngine engine = engine_of(&c.sim, true);
	GpuReducePlan plan = gpu_plan_reduce(&c.cx, l, 0, NULL, &addition);
	gpu_run_reduce(&plan, &engine, &values);
	uint64_t *got = collect(&c.sim, plan.result, values, true);
	for (unsigned column = 0; column < 256; column++) {
		uint64_t sum = 0;
		for (unsigned row = 0; row < 16; row++)
			sum += tile[row * 256 + column];
		assert_int_equal(got[column], sum);
	}
	assert_int_equal(c.sim.trips, 2);
	assert_int_equal(c.sim.combines, 8 + 7);
	arena_free(&c.arena);
}

/* 4 in a thread, 32 lanes, 4 warps: 3 sums and 5 + 1 shuffles in a warp, one trip. */
static void scan_of_a_row(void **state)
{
	Case c;
	const Layout *l = blocked(&c, "{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], "
				      "warp = [[128], [256]], block = []} -> {dim0 = 512}");
	uint64_t *tile = ARENA_ARRAY(&c.arena, uint64_t, 512);
	void **values = spread(&c.sim, l, tile);
	GpuEngine engine = engine_of(&c.sim, true);
	GpuScanPlan plan = gpu_plan_scan(&c.cx, l, 0, false);
	gpu_run_scan(&plan, &engine, &values);
	assert_int_equal(c.sim.shuffles, 6);
	assert_int_equal(c.sim.trips, 1);
	assert_true(c.sim.combines <= 3 + 5 + 2 + 1 + 4);
	arena_free(&c.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_reductions),
		cmocka_unit_test(random_scans),
		cmocka_unit_test(row_of_four_warps),
		cmocka_unit_test(parts_by_what_combining_takes),
		cmocka_unit_test(rows_are_halved),
		cmocka_unit_test(pairs_take_one_shuffle),
		cmocka_unit_test(many_parts_are_shared_out),
		cmocka_unit_test(scan_of_a_row),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
