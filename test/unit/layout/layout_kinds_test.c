/* The constructors against tables of elements, written from the definitions: the fragment figures of the PTX
 * ISA (in its words: groupID = lane / 4, threadID_in_group = lane % 4), the nesting of blocked layouts, the
 * address bits of swizzles. */
#include "unit.h"

#include "layout_random.h"

static Arena arena;
static LayoutContext cx;

static int set_up(void **state)
{
	arena_init(&arena, 0);
	layout_context_init(&cx, &arena);
	return 0;
}

static int tear_down(void **state)
{
	arena_free(&arena);
	return 0;
}

static void place(const Layout *l, unsigned reg, unsigned lane, unsigned warp, int64_t *at)
{
	uint64_t in = layout_space_put(&l->in, LAYOUT_REGISTER, reg) | layout_space_put(&l->in, LAYOUT_LANE, lane) |
		      layout_space_put(&l->in, LAYOUT_WARP, warp);
	layout_coordinates(l, 0, in, at);
}

typedef struct Point {
	int64_t row, column;
} Point;

typedef Point (*Fragment)(int i, int group, int thread);

/* One instruction's tile: each register of each lane where the figure has it. */
static void check_fragment(const Layout *l, unsigned registers, Fragment fragment)
{
	assert_int_equal(1u << layout_in_bits(l, LAYOUT_REGISTER), registers);
	for (unsigned i = 0; i < registers; i++) {
		for (unsigned lane = 0; lane < 32; lane++) {
			int64_t at[2];
			Point p = fragment((int)i, (int)lane / 4, (int)lane % 4);
			place(l, i, lane, 0, at);
			assert_int_equal(at[0], p.row);
			assert_int_equal(at[1], p.column);
		}
	}
}

static Point accumulator_16x8(int i, int group, int thread)
{
	return (Point){i < 2 ? group : group + 8, thread * 2 + (i & 1)};
}

static Point accumulator_8x8(int i, int group, int thread)
{
	return (Point){group, thread * 2 + (i & 1)};
}

static Point a_16x16_b16(int i, int group, int thread)
{
	bool upper = (i >= 0 && i < 2) || (i >= 4 && i < 6);
	return (Point){upper ? group : group + 8, thread * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
}

static Point b_16x8_b16(int i, int group, int thread)
{
	return (Point){thread * 2 + (i & 1) + (i >= 2 ? 8 : 0), group};
}

static Point a_16x8_b16(int i, int group, int thread)
{
	return (Point){i < 2 ? group : group + 8, thread * 2 + (i & 1)};
}

static Point a_16x32_b8(int i, int group, int thread)
{
	bool upper = (i >= 0 && i < 4) || (i >= 8 && i < 12);
	return (Point){upper ? group : group + 8, thread * 4 + (i & 3) + (i >= 8 ? 16 : 0)};
}

static Point b_32x8_b8(int i, int group, int thread)
{
	return (Point){thread * 4 + (i & 3) + (i >= 4 ? 16 : 0), group};
}

static Point a_16x8_b32(int i, int group, int thread)
{
	return (Point){i == 0 || i == 2 ? group : group + 8, i < 2 ? thread : thread + 4};
}

static Point b_8x8_b32(int i, int group, int thread)
{
	return (Point){i == 0 ? thread : thread + 4, group};
}

static Point a_8x4_f64(int i, int group, int thread)
{
	(void)i;
	return (Point){group, thread};
}

static Point b_4x8_f64(int i, int group, int thread)
{
	(void)i;
	return (Point){thread, group};
}

static Point a_16x16_f64(int i, int group, int thread)
{
	return (Point){i % 2 == 0 ? group : group + 8, i % 2 == 0 ? i * 2 + thread : i * 2 - 2 + thread};
}

static Point b_16x8_f64(int i, int group, int thread)
{
	return (Point){thread + i * 4, group};
}

static const Layout *operand(unsigned number, int64_t rows, int64_t columns, unsigned instr_m, unsigned k_width)
{
	const int64_t shape[] = {rows, columns};
	const unsigned warps[] = {1, 1};
	return layout_mma_operand(&cx, shape, 2, warps, number, instr_m, k_width);
}

static const Layout *accumulator(int64_t rows, int64_t columns, unsigned instr_m)
{
	const int64_t shape[] = {rows, columns};
	const unsigned warps[] = {1, 1};
	return layout_mma_accumulator(&cx, shape, 2, warps, instr_m);
}

static void mma_fragments(void **state)
{
	check_fragment(accumulator(16, 8, 16), 4, accumulator_16x8);
	check_fragment(accumulator(8, 8, 8), 2, accumulator_8x8);
	check_fragment(operand(0, 16, 16, 16, 2), 8, a_16x16_b16);
	check_fragment(operand(1, 16, 8, 16, 2), 4, b_16x8_b16);
	check_fragment(operand(0, 16, 8, 16, 2), 4, a_16x8_b16);
	check_fragment(operand(0, 16, 32, 16, 4), 16, a_16x32_b8);
	check_fragment(operand(1, 32, 8, 16, 4), 8, b_32x8_b8);
	check_fragment(operand(0, 16, 8, 16, 1), 4, a_16x8_b32); /* tf32, and f64 of m16n8k8 */
	check_fragment(operand(1, 8, 8, 16, 1), 2, b_8x8_b32);
	check_fragment(operand(0, 8, 4, 8, 1), 1, a_8x4_f64);
	check_fragment(operand(1, 4, 8, 8, 1), 1, b_4x8_f64);
	check_fragment(operand(0, 16, 16, 16, 1), 8, a_16x16_f64);
	check_fragment(operand(1, 16, 8, 16, 1), 4, b_16x8_f64);
}

/* Warps stand next to one another, the last dim fastest, and the whole repeats: N first. */
static void mma_tiles_repeat(void **state)
{
	const int64_t shape[] = {128, 64}, a_shape[] = {128, 32}, b_shape[] = {32, 64};
	const unsigned warps[] = {2, 4};
	const Layout *c = layout_mma_accumulator(&cx, shape, 2, warps, 16);
	const Layout *a = layout_mma_operand(&cx, a_shape, 2, warps, 0, 16, 2);
	const Layout *b = layout_mma_operand(&cx, b_shape, 2, warps, 1, 16, 2);
	for (unsigned warp = 0; warp < 8; warp++) {
		int64_t row = warp / 4 * 16, column = warp % 4 * 8, at[2];
		for (unsigned lane = 0; lane < 32; lane++) {
			int group = (int)lane / 4, thread = (int)lane % 4;
			for (unsigned i = 0; i < 32; i++) {
				Point p = accumulator_16x8((int)i % 4, group, thread);
				place(c, i, lane, warp, at);
				assert_int_equal(at[0], p.row + row + i / 8 * 32);
				assert_int_equal(at[1], p.column + column + i / 4 % 2 * 32);
			}
			for (unsigned i = 0; i < 64; i++) {
				Point p = a_16x16_b16((int)i % 8, group, thread);
				place(a, i, lane, warp, at);
				assert_int_equal(at[0], p.row + row + i / 16 * 32);
				assert_int_equal(at[1], p.column + i / 8 % 2 * 16);
			}
			for (unsigned i = 0; i < 16; i++) {
				Point p = b_16x8_b16((int)i % 4, group, thread);
				place(b, i, lane, warp, at);
				assert_int_equal(at[0], p.row + i / 4 % 2 * 16);
				assert_int_equal(at[1], p.column + column + i / 8 * 32);
			}
		}
	}
	/* Warps that an operand does not divide among themselves hold copies. */
	assert_int_equal(layout_free_bits(a, LAYOUT_WARP), 3);
	assert_int_equal(layout_free_bits(b, LAYOUT_WARP), 4);
	/* A batch goes before; its warps count slowest. */
	const int64_t batched[] = {4, 16, 8};
	const unsigned batch_warps[] = {2, 1, 1};
	const Layout *d = layout_mma_accumulator(&cx, batched, 3, batch_warps, 16);
	int64_t at[3];
	place(d, 4, 5, 1, at);
	assert_true(at[0] == 3 && at[1] == 1 && at[2] == 2);
}

static void wgmma_fragments(void **state)
{
	const int64_t shape[] = {128, 64}, odd[] = {64, 80}, a_shape[] = {64, 32};
	const unsigned one[] = {4, 1}, two[] = {8, 1};
	const Layout *c = layout_wgmma_accumulator(&cx, shape, one, 64);
	const Layout *c2 = layout_wgmma_accumulator(&cx, shape, two, 64);
	const Layout *c80 = layout_wgmma_accumulator(&cx, odd, one, 80);
	const Layout *a = layout_wgmma_operand(&cx, a_shape, one, 2);
	int64_t at[2];
	for (unsigned warp = 0; warp < 8; warp++) {
		for (unsigned lane = 0; lane < 32; lane++) {
			int group = (int)lane / 4, thread = (int)lane % 4;
			for (unsigned i = 0; i < 64; i++) {
				int64_t row = warp % 4 * 16 + lane / 4 + (i % 4 >= 2 ? 8 : 0);
				int64_t column = i / 4 * 8 + lane % 4 * 2 + (i & 1);
				if (warp < 4) {
					place(c, i, lane, warp, at);
					assert_int_equal(at[0], row + i / 32 * 64);
					assert_int_equal(at[1], column % 64);
				}
				if (i < 32) {
					place(c2, i, lane, warp, at);
					assert_int_equal(at[0], row + warp / 4 * 64);
					assert_int_equal(at[1], column);
				}
				if (warp < 4 && i < 40) {
					uint64_t in = layout_space_put(&c80->in, LAYOUT_REGISTER, i % 8) |
						      layout_space_put(&c80->in, LAYOUT_LANE, lane) |
						      layout_space_put(&c80->in, LAYOUT_WARP, warp);
					layout_coordinates(c80, i / 8, in, at);
					assert_int_equal(at[0], row);
					assert_int_equal(at[1], column);
				}
			}
			for (unsigned i = 0; i < 16 && warp < 4; i++) {
				Point p = a_16x16_b16((int)i % 8, group, thread);
				place(a, i, lane, warp, at);
				assert_int_equal(at[0], p.row + warp * 16);
				assert_int_equal(at[1], p.column + i / 8 * 16);
			}
		}
	}
}

/* Where a blocked layout puts a register of a thread, by its definition: counts nested from thread to warp to
 * CTA. */
static void blocked_place(const LayoutBlocked *b, const int64_t *shape, unsigned reg, unsigned lane, unsigned warp,
			  int64_t *at)
{
	int64_t covered[4], inner[4], rest = reg;
	for (unsigned i = 0; i < b->rank; i++) {
		unsigned k = b->order[i];
		inner[k] = rest % b->size_per_thread[k];
		rest /= b->size_per_thread[k];
		covered[k] = (int64_t)b->size_per_thread[k] * b->threads_per_warp[k] * b->warps_per_cta[k];
	}
	for (unsigned i = 0; i < b->rank; i++) {
		unsigned k = b->order[i];
		int64_t repeats = shape[k] > covered[k] ? shape[k] / covered[k] : 1, per_thread = b->size_per_thread[k];
		int64_t in_warp = lane % b->threads_per_warp[k], in_cta = warp % b->warps_per_cta[k];
		lane /= b->threads_per_warp[k];
		warp /= b->warps_per_cta[k];
		at[k] = (inner[k] + per_thread * (in_warp + b->threads_per_warp[k] * in_cta) +
			 covered[k] * (rest % repeats)) % shape[k];
		rest /= repeats;
	}
}

static void blocked_layouts(void **state)
{
	Random r = {99};
	for (unsigned round = 0; round < 400; round++) {
		LayoutBlocked b = {.rank = 1 + random_below(&r, 3)};
		int64_t shape[4], at[4], expected[4];
		uint64_t order[4] = {0, 1, 2, 3};
		random_order(&r, order, b.rank);
		for (unsigned k = 0; k < b.rank; k++) {
			b.order[k] = (unsigned)order[k];
			b.size_per_thread[k] = 1u << random_below(&r, 3);
			b.threads_per_warp[k] = b.warps_per_cta[k] = 1;
		}
		for (unsigned i = 0; i < 5; i++)
			b.threads_per_warp[random_below(&r, b.rank)] *= 2;
		for (unsigned i = 0; i < 2; i++)
			b.warps_per_cta[random_below(&r, b.rank)] *= 2;
		/* At least what a thread holds, so that registers are not cut. */
		for (unsigned k = 0; k < b.rank; k++)
			shape[k] = b.size_per_thread[k] << random_below(&r, 5);
		const Layout *l = layout_blocked(&cx, shape, &b);
		assert_true(layout_is_onto(l));
		assert_int_equal(layout_free_bits(l, LAYOUT_REGISTER), 0);
		for (unsigned reg = 0; reg < 1u << layout_in_bits(l, LAYOUT_REGISTER); reg++) {
			for (unsigned t = 0; t < 128; t += 1 + random_below(&r, 7)) {
				blocked_place(&b, shape, reg, t % 32, t / 32, expected);
				place(l, reg, t % 32, t / 32, at);
				for (unsigned k = 0; k < b.rank; k++)
					assert_int_equal(at[k], expected[k]);
			}
		}
	}
}

static void blocked_over_a_cluster(void **state)
{
	const int64_t shape[] = {64, 32};
	LayoutBlocked b = {.rank = 2, .size_per_thread = {1, 1}, .threads_per_warp = {1, 32}, .warps_per_cta = {4, 1},
			   .order = {1, 0}, .ctas = {2, 2}, .cta_split = {2, 1}, .cta_order = {1, 0}};
	const Layout *l = layout_blocked(&cx, shape, &b);
	assert_int_equal(layout_in_bits(l, LAYOUT_BLOCK), 2);
	/* The block's low bit copies (columns are not split), the high bit takes the lower half of the
	 * rows. */
	assert_int_equal(layout_basis(l, LAYOUT_BLOCK, 0), 0);
	assert_int_equal(layout_space_get(&l->out, layout_basis(l, LAYOUT_BLOCK, 1), LAYOUT_DIM0), 32);
	assert_int_equal(layout_in_bits(l, LAYOUT_REGISTER), 3);
	assert_int_equal(layout_free_bits(l, LAYOUT_BLOCK), 1);
}

/* ---- shared memory ---- */

static uint64_t offset_of(const Layout *shared, int64_t row, int64_t column)
{
	const Layout *inverse = layout_invert(&cx, shared);
	assert_non_null(inverse);
	return layout_apply(inverse, layout_space_put(&inverse->in, LAYOUT_DIM0, (uint64_t)row) |
				     layout_space_put(&inverse->in, LAYOUT_DIM0 + 1, (uint64_t)column));
}

static void check_swizzle(const Layout *l, unsigned vec, unsigned per_phase, unsigned max_phase)
{
	for (unsigned row = 0; row < 16; row += 3) {
		unsigned phase = row / per_phase % max_phase;
		for (unsigned column = 0; column < 64; column += 5)
			assert_int_equal(offset_of(l, row, column),
					 row * 64 + ((column / vec) ^ phase) * vec + column % vec);
	}
}

static void plain_and_swizzled(void **state)
{
	const int64_t shape[] = {16, 64};
	const unsigned by_row[] = {1, 0}, by_column[] = {0, 1};
	const Layout *rows = layout_shared_plain(&cx, shape, 2, by_row);
	const Layout *columns = layout_shared_plain(&cx, shape, 2, by_column);
	for (unsigned vec = 1; vec <= 8; vec *= 2) {
		for (unsigned per_phase = 1; per_phase <= 4; per_phase *= 2) {
			for (unsigned max_phase = 1; max_phase <= 8; max_phase *= 2) {
				check_swizzle(layout_shared_swizzled(&cx, shape, 2, by_row, vec, per_phase, max_phase),
					      vec, per_phase, max_phase);
			}
		}
	}
	assert_int_equal(offset_of(rows, 3, 5), 3 * 64 + 5);
	assert_int_equal(offset_of(columns, 3, 5), 5 * 16 + 3);
}

/* TMA XORs address bits 4-6 with bits 7-9, as many of them as the swizzle has chunks of 16 bytes. */
static void tma_swizzles(void **state)
{
	for (unsigned bits = 8; bits <= 32; bits *= 2) {
		for (unsigned swizzle = 16; swizzle <= 128; swizzle *= 2) {
			for (unsigned transposed = 0; transposed < 2; transposed++) {
				const int64_t shape[] = {transposed ? 256 : 32, transposed ? 32 : 256};
				const Layout *l = layout_shared_tma(&cx, shape, 2, bits, swizzle, transposed);
				unsigned columns = swizzle * 8 / bits;
				for (unsigned row = 0; row < 32; row += 3) {
					for (unsigned column = 0; column < 256; column += 7) {
						unsigned box = column / columns * 32 * swizzle;
						unsigned byte = row * swizzle + column % columns * bits / 8;
						byte ^= (byte >> 7 & (swizzle / 16 - 1)) << 4;
						uint64_t offset = transposed ? offset_of(l, column, row)
									     : offset_of(l, row, column);
						assert_int_equal(offset * bits / 8, box + byte);
					}
				}
			}
		}
	}
}

static void padded_offsets(void **state)
{
	const int64_t shape[] = {8, 64};
	const unsigned order[] = {1, 0};
	LayoutPadded padded = {.linear = layout_shared_plain(&cx, shape, 2, order), .count = 2,
			       .pads = {{64, 4}, {128, 8}}};
	uint64_t at = 0;
	for (uint64_t i = 0; i < 512; i++, at++) {
		if (i && i % 64 == 0)
			at += 4;
		if (i && i % 128 == 0)
			at += 8;
		assert_int_equal(layout_padded_offset(&padded, i), at);
	}
	assert_int_equal(layout_padded_size(&padded), at);
}

/* Sizes that are no powers of two: each element has exactly one offset. */
static void repeated_tiles_are_covered(void **state)
{
	const int64_t shape[] = {24, 80};
	const unsigned order[] = {1, 0};
	uint8_t seen[24][80] = {{0}};
	const Layout *l = layout_shared_swizzled(&cx, shape, 2, order, 4, 1, 4);
	assert_int_equal(layout_space_reps(&l->in), 15);
	for (uint32_t rep = 0; rep < 15; rep++) {
		for (uint64_t offset = 0; offset < UINT64_C(1) << l->in_bits; offset++) {
			int64_t at[2];
			layout_coordinates(l, rep, offset, at);
			assert_int_equal(seen[at[0]][at[1]]++, 0);
		}
	}
	assert_int_equal(15u << l->in_bits, 24 * 80);
}

static void tables_show_holders(void **state)
{
	Text t;
	const char *error;
	size_t at;
	text_init(&t, &arena);
	layout_print_table(&t, layout_parse(&cx, STR("{register = [[0, 1]], lane = [[1, 0], [0, 0]], warp = [[0, 2]], "
						     "block = []} -> {dim0 = 2, dim1 = 4}"), &error, &at));
	assert_string_equal(t.data, "[0, :] w0.l0:r0|w0.l2:r0 w0.l0:r1|w0.l2:r1 w1.l0:r0|w1.l2:r0 w1.l0:r1|w1.l2:r1\n"
				    "[1, :] w0.l1:r0|w0.l3:r0 w0.l1:r1|w0.l3:r1 w1.l1:r0|w1.l3:r0 w1.l1:r1|w1.l3:r1\n");
	text_init(&t, &arena);
	const int64_t shape[] = {3, 4};
	const unsigned order[] = {0, 1};
	layout_print_table(&t, layout_shared_plain(&cx, shape, 2, order));
	assert_string_equal(t.data, "[0, :] 0 1 2 3\n[1, :] 4 5 6 7\n[2, :] 8 9 10 11\n");
	text_init(&t, &arena);
	layout_print_table(&t, layout_parse(&cx, STR("{register*3 = [[1]], lane = [], warp = [], block = []} -> "
						     "{dim0 = 3*2}"), &error, &at));
	assert_string_equal(t.data, "[:] w0.l0:r0 w0.l0:r1 w0.l0:r2 w0.l0:r3 w0.l0:r4 w0.l0:r5\n");
	text_init(&t, &arena);
	layout_print_table(&t, layout_parse(&cx, STR("{offset = [[2]], block = [[1]]} -> {dim0 = 8}"), &error, &at));
	assert_string_equal(t.data, "[:] b0.0 b1.0 b0.1 b1.1 - - - -\n");
}

static void vectors_along_a_dim(void **state)
{
	uint32_t registers[8];
	const int64_t shape[] = {64, 64};
	LayoutBlocked b = {.rank = 2, .size_per_thread = {2, 4}, .threads_per_warp = {4, 8}, .warps_per_cta = {4, 1},
			   .order = {1, 0}};
	const Layout *l = layout_blocked(&cx, shape, &b), *c = accumulator(16, 16, 16);
	assert_int_equal(layout_vector(l, 1, 8, registers), 2);
	assert_true(registers[0] == 1 && registers[1] == 2);
	assert_int_equal(layout_vector(l, 1, 1, registers), 1);
	assert_int_equal(layout_vector(l, 0, 8, registers), 1);
	assert_int_equal(registers[0], 4);
	assert_int_equal(layout_vector(c, 1, 8, registers), 1);
	assert_int_equal(layout_vector(c, 0, 8, registers), 0);
	/* A lane that shifts the order of its registers spoils the vector. */
	const char *error;
	size_t at;
	const Layout *shifted = layout_parse(&cx, STR("{register = [[1], [2]], lane = [[6]], warp = [], "
						      "block = []} -> {dim0 = 8}"), &error, &at);
	assert_int_equal(layout_vector(shifted, 0, 8, registers), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mma_fragments),
		cmocka_unit_test(mma_tiles_repeat),
		cmocka_unit_test(wgmma_fragments),
		cmocka_unit_test(blocked_layouts),
		cmocka_unit_test(blocked_over_a_cluster),
		cmocka_unit_test(plain_and_swizzled),
		cmocka_unit_test(tma_swizzles),
		cmocka_unit_test(padded_offsets),
		cmocka_unit_test(repeated_tiles_are_covered),
		cmocka_unit_test(tables_show_holders),
		cmocka_unit_test(vectors_along_a_dim),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
