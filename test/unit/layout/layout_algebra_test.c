/* The laws of the algebra of layouts on random maps, evaluated point by point; the text both ways. */
#include "unit.h"

#include <stdio.h>

#include "layout_random.h"

typedef struct Fixture {
	Arena arena;
	LayoutContext cx;
	Random random;
} Fixture;

static void start(Fixture *f, uint64_t seed)
{
	arena_init(&f->arena, 0);
	layout_context_init(&f->cx, &f->arena);
	f->random.state = seed;
}

/* Any map between small spaces, onto or not. */
static const Layout *any_map(Fixture *f, unsigned in_bits, unsigned out_bits)
{
	LayoutSpace in = layout_space_none(), out = layout_space_none();
	unsigned low = random_below(&f->random, in_bits + 1), first = random_below(&f->random, out_bits + 1);
	uint64_t bases[64];
	layout_space_add(&in, LAYOUT_LANE, in_bits - low, 1);
	layout_space_add(&in, LAYOUT_REGISTER, low, 1);
	layout_space_add(&out, LAYOUT_DIM0, first, 1);
	layout_space_add(&out, LAYOUT_DIM0 + 1, out_bits - first, 1);
	for (unsigned i = 0; i < in_bits; i++)
		bases[i] = random_next(&f->random) & ((UINT64_C(1) << out_bits) - 1);
	return layout_make(&f->cx, &in, &out, bases);
}

static void f2_agrees_with_counting(void **state)
{
	Random r = {5};
	for (unsigned round = 0; round < 2000; round++) {
		uint64_t a[6], b[6], common[6], kernel[6];
		unsigned na = random_below(&r, 6), nb = random_below(&r, 6), in_a[64] = {0}, both = 0, zeros = 0;
		for (unsigned i = 0; i < na; i++)
			a[i] = random_below(&r, 64);
		for (unsigned i = 0; i < nb; i++)
			b[i] = random_below(&r, 64);
		for (unsigned i = 0; i < 1u << na; i++) {
			in_a[f2_apply(a, na, i)] = 1;
			zeros += f2_apply(a, na, i) == 0;
		}
		F2Span of_b = f2_span_of(b, nb);
		for (unsigned v = 0; v < 64; v++)
			both += in_a[v] && f2_span_has(&of_b, v);
		unsigned n = f2_intersect(a, na, b, nb, common);
		assert_int_equal(1u << n, both);
		assert_int_equal(f2_rank(common, n), n);
		for (unsigned i = 0; i < n; i++)
			assert_true(in_a[common[i]] && f2_span_has(&of_b, common[i]));
		assert_int_equal(1u << f2_kernel(a, na, kernel), zeros);
		for (unsigned i = 0; 1u << i < zeros; i++)
			assert_int_equal(f2_apply(a, na, kernel[i]), 0);
		for (unsigned v = 0; v < 64; v++) {
			uint64_t combo, rest = f2_span_reduce(&of_b, v, &combo);
			assert_int_equal(f2_apply(b, nb, combo) ^ rest, v);
		}
	}
}

static void equal_maps_are_equal_pointers(void **state)
{
	Fixture f;
	start(&f, 1);
	const Layout *made[200];
	for (unsigned i = 0; i < 200; i++)
		made[i] = any_map(&f, 1 + i % 5, 1 + i % 4);
	for (unsigned i = 0; i < 200; i++) {
		const Layout *l = made[i];
		assert_ptr_equal(layout_make(&f.cx, &l->in, &l->out, l->bases), l);
		for (unsigned j = 0; j < i; j++) {
			bool same = layout_space_equal(&l->in, &made[j]->in) &&
				    layout_space_equal(&l->out, &made[j]->out) &&
				    memcmp(l->bases, made[j]->bases, 8 * l->in_bits) == 0;
			assert_int_equal(same, l == made[j]);
		}
	}
	arena_free(&f.arena);
}

static void images_are_counted(void **state)
{
	Fixture f;
	start(&f, 2);
	for (unsigned i = 0; i < 1000; i++) {
		const Layout *l = any_map(&f, random_below(&f.random, 8), random_below(&f.random, 7));
		unsigned held[128] = {0}, kept[128] = {0}, image = 0;
		uint64_t free_registers = layout_free_bits(l, LAYOUT_REGISTER);
		uint64_t free_lanes = layout_free_bits(l, LAYOUT_LANE);
		for (uint64_t x = 0; x < UINT64_C(1) << l->in_bits; x++) {
			uint64_t y = layout_apply(l, x);
			held[y]++;
			kept[y] += !(layout_space_get(&l->in, x, LAYOUT_REGISTER) & free_registers) &&
				   !(layout_space_get(&l->in, x, LAYOUT_LANE) & free_lanes);
		}
		for (unsigned y = 0; y < 1u << l->out_bits; y++) {
			image += held[y] > 0;
			/* Setting the free bits to 0 keeps exactly one place of each element. */
			assert_int_equal(kept[y], held[y] > 0);
		}
		assert_int_equal(image, 1u << layout_image_rank(l));
		assert_int_equal(layout_is_onto(l), image == 1u << l->out_bits);
		assert_int_equal(layout_is_one_to_one(l), image == 1u << l->in_bits);
	}
	arena_free(&f.arena);
}

/* The same bits on both sides. */
static bool is_identity(const Layout *l)
{
	for (unsigned i = 0; i < l->in_bits; i++)
		if (l->bases[i] != UINT64_C(1) << i)
			return false;
	return l->in_bits == l->out_bits;
}

static void inverses_undo(void **state)
{
	Fixture f;
	unsigned inverted = 0;
	start(&f, 3);
	for (unsigned i = 0; i < 1000; i++) {
		const Layout *l = any_map(&f, random_below(&f.random, 7), random_below(&f.random, 7));
		const Layout *p = layout_pseudo_invert(&f.cx, l), *inverse = layout_invert(&f.cx, l);
		const Layout *lpl = layout_compose(&f.cx, l, layout_compose(&f.cx, p, l));
		assert_ptr_equal(lpl, l);
		if (layout_is_onto(l))
			assert_true(is_identity(layout_compose(&f.cx, l, p)));
		assert_int_equal(inverse != NULL, layout_is_onto(l) && layout_is_one_to_one(l));
		if (inverse) {
			inverted++;
			assert_true(is_identity(layout_compose(&f.cx, inverse, l)));
			assert_ptr_equal(layout_invert(&f.cx, inverse), l);
		}
		/* Takes the lowest inputs: bits that only choose among copies stay 0. */
		for (unsigned k = 0; k < l->out_bits; k++)
			assert_int_equal(layout_space_get(&l->in, p->bases[k], LAYOUT_REGISTER) &
						 layout_free_bits(l, LAYOUT_REGISTER), 0);
	}
	assert_true(inverted > 50);
	arena_free(&f.arena);
}

static void restriction_drops_dims(void **state)
{
	Fixture f;
	start(&f, 5);
	for (unsigned i = 0; i < 300; i++) {
		const Layout *l = any_map(&f, 5, 5);
		const Layout *r = layout_restrict(&f.cx, l, 1u << LAYOUT_LANE, 1u << (LAYOUT_DIM0 + 1));
		for (uint64_t lane = 0; lane < UINT64_C(1) << layout_in_bits(l, LAYOUT_LANE); lane++) {
			uint64_t point = layout_apply(l, layout_space_put(&l->in, LAYOUT_LANE, lane));
			assert_int_equal(layout_apply(r, lane), layout_space_get(&l->out, point, LAYOUT_DIM0 + 1));
		}
		const Layout *s = layout_strip_registers(&f.cx, l);
		assert_int_equal(layout_image_rank(s), layout_image_rank(l));
		for (unsigned k = 0; k < layout_in_bits(s, LAYOUT_REGISTER); k++)
			assert_true(layout_basis(s, LAYOUT_REGISTER, k) != 0);
	}
	arena_free(&f.arena);
}

/* ---- shapes ---- */

static const Layout *random_tile(Fixture *f, int64_t *shape, unsigned *rank)
{
	unsigned bits = random_below(&f->random, 9);
	*rank = random_shape(&f->random, bits, true, shape);
	LayoutSpace tile = layout_space_of_shape(shape, *rank);
	return random_layout(&f->random, &f->cx, &tile, bits, 1, 0, random_below(&f->random, 10));
}

/* Calls check on the coordinates of each place of both layouts, which have equal places. */
static void for_each_place(const Layout *a, const Layout *b, void (*check)(const int64_t *, const int64_t *, void *),
			   void *data)
{
	uint32_t reps = layout_space_reps(&a->in);
	assert_true(layout_space_equal(&a->in, &b->in));
	for (uint32_t rep = 0; rep < reps; rep++) {
		for (uint64_t x = 0; x < UINT64_C(1) << a->in_bits; x++) {
			int64_t at_a[LAYOUT_MAX_RANK], at_b[LAYOUT_MAX_RANK];
			layout_coordinates(a, rep, x, at_a);
			layout_coordinates(b, rep, x, at_b);
			check(at_a, at_b, data);
		}
	}
}

static void check_transposed(const int64_t *a, const int64_t *b, void *data)
{
	const unsigned *order = data;
	for (unsigned k = 0; order[k] < 4; k++)
		assert_int_equal(b[k], a[order[k]]);
}

static void transposes_move_coordinates(void **state)
{
	Fixture f;
	start(&f, 6);
	for (unsigned i = 0; i < 500; i++) {
		int64_t shape[4];
		unsigned rank, order[5] = {0, 1, 2, 3, 9}, back[4];
		const Layout *l = random_tile(&f, shape, &rank);
		for (unsigned k = rank; k > 1; k--) {
			unsigned j = random_below(&f.random, k), swap = order[k - 1];
			order[k - 1] = order[j];
			order[j] = swap;
		}
		order[rank] = 9;
		const Layout *t = layout_transpose(&f.cx, l, order);
		for_each_place(l, t, check_transposed, order);
		for (unsigned k = 0; k < rank; k++)
			back[order[k]] = k;
		assert_ptr_equal(layout_transpose(&f.cx, t, back), l);
	}
	arena_free(&f.arena);
}

typedef struct Shapes {
	const int64_t *a, *b;
	unsigned ra, rb;
} Shapes;

static void check_reshaped(const int64_t *a, const int64_t *b, void *data)
{
	const Shapes *s = data;
	int64_t ia = 0, ib = 0;
	for (unsigned k = 0; k < s->ra; k++)
		ia = ia * s->a[k] + a[k];
	for (unsigned k = 0; k < s->rb; k++)
		ib = ib * s->b[k] + b[k];
	assert_int_equal(ia, ib);
}

static void reshapes_keep_the_index(void **state)
{
	Fixture f;
	unsigned refused = 0, repeated = 0;
	start(&f, 7);
	for (unsigned i = 0; i < 800; i++) {
		int64_t shape[4], other[5];
		unsigned rank, other_rank = 1 + random_below(&f.random, 5);
		const Layout *l = random_tile(&f, shape, &rank);
		int64_t size = 1;
		for (unsigned k = 0; k < rank; k++)
			size *= shape[k];
		for (unsigned k = 0; k < other_rank; k++)
			other[k] = 1;
		for (int64_t p = 2; size > 1; size /= p) {
			while (size % p)
				p++;
			other[random_below(&f.random, other_rank)] *= p;
		}
		const Layout *r = layout_reshape(&f.cx, l, other, other_rank);
		if (!r) {
			refused++;
			assert_true(layout_space_reps(&l->in) > 1);
			continue;
		}
		repeated += layout_space_reps(&l->in) > 1;
		Shapes shapes = {shape, other, rank, other_rank};
		for_each_place(l, r, check_reshaped, &shapes);
		assert_ptr_equal(layout_reshape(&f.cx, r, shape, rank), l);
	}
	assert_true(refused > 20 && repeated > 20);
	arena_free(&f.arena);
}

static void slices_and_expansions(void **state)
{
	Fixture f;
	start(&f, 8);
	for (unsigned i = 0; i < 500; i++) {
		int64_t shape[4], at[4], sliced[4];
		unsigned rank;
		const Layout *l = random_tile(&f, shape, &rank);
		unsigned axis = random_below(&f.random, rank);
		const Layout *s = layout_slice(&f.cx, l, axis), *e = layout_expand(&f.cx, s, axis);
		assert_int_equal(layout_rank(s), rank - 1);
		assert_int_equal(layout_rank(e), rank);
		assert_ptr_equal(layout_slice(&f.cx, e, axis), s);
		for (unsigned k = 0; k < rank; k++)
			assert_int_equal(layout_shape(e, k), k == axis ? 1 : shape[k]);
		/* A thread holds of the slice what it held of the tile, seen without the axis. */
		unsigned registers = layout_in_bits(l, LAYOUT_REGISTER), left = layout_in_bits(s, LAYOUT_REGISTER);
		for (uint64_t t = 0; t < 64; t += 1 + random_below(&f.random, 8)) {
			layout_coordinates(l, 0, t << registers, at);
			layout_coordinates(s, 0, t << left, sliced);
			for (unsigned k = 0; k < rank - 1; k++)
				assert_int_equal(sliced[k], at[k + (k >= axis)]);
		}
		assert_true(layout_is_onto(s));
		const Layout *b = layout_broadcast(&f.cx, e, axis, shape[axis]);
		assert_true(layout_is_onto(b));
		assert_int_equal(layout_shape(b, axis), shape[axis]);
		assert_int_equal(layout_space_reps(&b->in), layout_space_reps(&l->in));
	}
	arena_free(&f.arena);
}

static void join_split_concat(void **state)
{
	Fixture f;
	start(&f, 9);
	for (unsigned i = 0; i < 300; i++) {
		int64_t shape[4], at[5], joined[5];
		unsigned rank, bit = 99;
		const Layout *l = random_tile(&f, shape, &rank);
		const Layout *j = layout_join(&f.cx, l);
		assert_ptr_equal(layout_split(&f.cx, j, &bit), l);
		assert_int_equal(bit, 0);
		for (uint64_t x = 0; x < UINT64_C(1) << l->in_bits; x++) {
			for (unsigned half = 0; half < 2; half++) {
				layout_coordinates(l, 0, x, at);
				layout_coordinates(j, 0, x << 1 | half, joined);
				assert_int_equal(joined[rank], half);
				for (unsigned k = 0; k < rank; k++)
					assert_int_equal(joined[k], at[k]);
			}
		}
		unsigned axis = random_below(&f.random, rank), top = layout_in_bits(l, LAYOUT_REGISTER);
		const Layout *c = layout_concat(&f.cx, l, axis);
		bool repeats = layout_space_find(&l->out, LAYOUT_DIM0 + axis)->reps > 1;
		assert_int_equal(c == NULL, repeats);
		if (c) {
			assert_int_equal(layout_shape(c, axis), 2 * shape[axis]);
			layout_coordinates(c, 0, UINT64_C(1) << top, at);
			assert_int_equal(at[axis], shape[axis]);
			assert_true(layout_is_onto(c));
		}
	}
	/* The last dim in a lane cannot be split. */
	const char *error;
	size_t offset;
	const Layout *lane = layout_parse(&f.cx, STR("{register = [[1, 0]], lane = [[0, 1]]} -> {dim0 = 2, dim1 = 2}"),
					  &error, &offset);
	unsigned bit;
	assert_non_null(lane);
	assert_null(layout_split(&f.cx, lane, &bit));
	arena_free(&f.arena);
}

/* ---- text ---- */

static void text_reads_back(void **state)
{
	Fixture f;
	start(&f, 10);
	for (unsigned i = 0; i < 500; i++) {
		int64_t shape[4];
		unsigned rank, order[4] = {3, 1, 0, 2};
		const Layout *l = i % 2 ? any_map(&f, 6, 6) : random_tile(&f, shape, &rank);
		if (i % 2 == 0 && rank == 4)
			l = layout_transpose(&f.cx, l, order);
		const char *error;
		size_t at;
		for (unsigned inverse = 0; inverse < 2; inverse++) {
			Text t;
			text_init(&t, &f.arena);
			layout_print(&t, l);
			assert_ptr_equal(layout_parse(&f.cx, (Str){t.data, t.len}, &error, &at), l);
			assert_null(error);
			l = layout_pseudo_invert(&f.cx, l);
		}
	}
	arena_free(&f.arena);
}

static void text_is_canonical(void **state)
{
	Fixture f;
	Text t;
	start(&f, 11);
	const int64_t shape[] = {16, 80};
	LayoutBlocked blocked = {.rank = 2, .size_per_thread = {1, 4}, .threads_per_warp = {8, 4},
				 .warps_per_cta = {2, 1}, .order = {1, 0}};
	text_init(&t, &f.arena);
	layout_print(&t, layout_blocked(&f.cx, shape, &blocked));
	assert_string_equal(t.data, "{register*5 = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], "
				    "warp = [[8, 0]], block = []} -> {dim0 = 16, dim1 = 5*16}");
	arena_free(&f.arena);
}

static void bad_text_is_refused(void **state)
{
	static const struct {
		const char *text, *error;
		size_t at;
	} cases[] = {
		{"", "expected '{'", 0},
		{"{register = [[1]]", "expected '}'", 17},
		{"{register = [[1]]} -> {dim0 = 3}", "a size is a power of two, times an odd repetition count", 31},
		{"{register = [[2]]} -> {dim0 = 2}", "a basis lies outside its output dim", 32},
		{"{register = [[1, 1]]} -> {dim0 = 2}", "a basis has not as many numbers as there are output dims", 35},
		{"{reg = []} -> {}", "expected register, offset, lane, warp, block or dimN", 1},
		{"{lane = [], lane = []} -> {}", "this dim was given before", 16},
		{"{register*2 = []} -> {}", "a repetition count is odd and below 65536", 11},
		{"{register*3 = []} -> {dim0 = 5*1}", "inputs and outputs do not repeat equally often", 33},
		{"{register*9 = []} -> {dim0 = 3@1*1, dim1 = 3@1*1}", "two dims have the same repetition order", 49},
		{"{} -> {dim24 = 1}", "a tile has at most 24 dims", 12},
		{"{} -> {} x", "expected the end of the layout", 9},
		{"{} -> {dim0 = 99999999999999999999}", "the number is too large", 24},
	};
	Fixture f;
	start(&f, 12);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *error = NULL;
		size_t at = 0;
		assert_null(layout_parse(&f.cx, str_of(cases[i].text), &error, &at));
		assert_string_equal(error, cases[i].error);
		assert_int_equal(at, cases[i].at);
	}
	arena_free(&f.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(f2_agrees_with_counting),
		cmocka_unit_test(equal_maps_are_equal_pointers),
		cmocka_unit_test(images_are_counted),
		cmocka_unit_test(inverses_undo),
		cmocka_unit_test(restriction_drops_dims),
		cmocka_unit_test(transposes_move_coordinates),
		cmocka_unit_test(reshapes_keep_the_index),
		cmocka_unit_test(slices_and_expansions),
		cmocka_unit_test(join_split_concat),
		cmocka_unit_test(text_reads_back),
		cmocka_unit_test(text_is_canonical),
		cmocka_unit_test(bad_text_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
