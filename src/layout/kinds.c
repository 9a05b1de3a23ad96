/* Distributed layouts of the tile language and of the tensor instructions.
 *
 * Each is written as a list of bits: which bit of which tile dim the next register, lane, warp or block bit
 * stands for. `Fill` collects them, keeps how much of each dim is used up, and drops what lies beyond the
 * tile (registers) or makes it a copy (lanes, warps, blocks). The fragments are those of the figures in the
 * PTX ISA, chapter "Warp Level Matrix Multiply-Accumulate Instructions" and "Asynchronous Warpgroup Level
 * Matrix Instructions". */
#include "layout/kinds.h"

typedef struct Fill {
	LayoutContext *cx;
	LayoutSpace tile;
	unsigned bits[LAYOUT_MAX_RANK]; /* of each dim, within one CTA */
	unsigned used[LAYOUT_MAX_RANK];
	uint64_t bases[LAYOUT_DIM0][64];
	unsigned count[LAYOUT_DIM0];
} Fill;

static void fill_start(Fill *f, LayoutContext *cx, const int64_t *shape, unsigned rank)
{
	memset(f, 0, sizeof *f);
	f->cx = cx;
	f->tile = layout_space_of_shape(shape, rank);
	for (unsigned k = 0; k < rank; k++)
		f->bits[k] = layout_space_find(&f->tile, LAYOUT_DIM0 + k)->bits;
}

static void fill_push(Fill *f, unsigned in, uint64_t basis)
{
	ASSERT(f->count[in] < 48);
	f->bases[in][f->count[in]++] = basis;
}

/* The next `count` bits of `in` stand for the next unused bits of the dim. */
static void fill(Fill *f, unsigned in, unsigned dim, unsigned count)
{
	for (; count; count--, f->used[dim]++) {
		if (f->used[dim] < f->bits[dim])
			fill_push(f, in, layout_space_put(&f->tile, LAYOUT_DIM0 + dim, UINT64_C(1) << f->used[dim]));
		else if (in != LAYOUT_REGISTER)
			fill_push(f, in, 0);
	}
}

/* Bits that only make copies. */
static void fill_copies(Fill *f, unsigned in, unsigned count)
{
	while (count--)
		fill_push(f, in, 0);
}

/* What is left of the dim goes to registers. */
static void fill_rest(Fill *f, unsigned dim)
{
	if (f->used[dim] < f->bits[dim])
		fill(f, LAYOUT_REGISTER, dim, f->bits[dim] - f->used[dim]);
}

static const Layout *fill_finish(Fill *f)
{
	LayoutSpace in = layout_space_of_threads(f->count[LAYOUT_REGISTER], f->count[LAYOUT_LANE],
						 f->count[LAYOUT_WARP], f->count[LAYOUT_BLOCK],
						 layout_space_reps(&f->tile));
	uint64_t bases[64];
	unsigned at = 0;
	for (unsigned name = 0; name < LAYOUT_DIM0; name++) {
		for (unsigned i = 0; i < f->count[name]; i++)
			bases[at++] = f->bases[name][i];
	}
	return layout_make(f->cx, &in, &f->tile, bases);
}

static unsigned log2_of(unsigned n)
{
	ASSERT(base_is_pow2(n));
	return base_log2(n);
}

const Layout *layout_blocked(LayoutContext *cx, const int64_t *shape, const LayoutBlocked *b)
{
	Fill f;
	bool cluster = b->ctas[0] != 0;
	fill_start(&f, cx, shape, b->rank);
	for (unsigned k = 0; k < b->rank && cluster; k++) {
		unsigned split = log2_of(b->cta_split[k]);
		ASSERT(b->cta_split[k] <= b->ctas[k]);
		f.bits[k] = f.bits[k] > split ? f.bits[k] - split : 0;
	}
	for (unsigned i = 0; i < b->rank; i++)
		fill(&f, LAYOUT_REGISTER, b->order[i], log2_of(b->size_per_thread[b->order[i]]));
	for (unsigned i = 0; i < b->rank; i++)
		fill(&f, LAYOUT_LANE, b->order[i], log2_of(b->threads_per_warp[b->order[i]]));
	for (unsigned i = 0; i < b->rank; i++)
		fill(&f, LAYOUT_WARP, b->order[i], log2_of(b->warps_per_cta[b->order[i]]));
	for (unsigned i = 0; i < b->rank; i++)
		fill_rest(&f, b->order[i]);
	for (unsigned i = 0; i < b->rank && cluster; i++) {
		unsigned k = b->cta_order[i], split = log2_of(b->cta_split[k]);
		f.used[k] = f.bits[k];
		f.bits[k] = layout_space_find(&f.tile, LAYOUT_DIM0 + k)->bits;
		fill(&f, LAYOUT_BLOCK, k, split);
		fill_copies(&f, LAYOUT_BLOCK, log2_of(b->ctas[k]) - split);
	}
	return fill_finish(&f);
}

/* ---- mma.sync ---- */

/* The warps of an accumulator, or of an operand that does not have dim `absent` (rank: has all): last dim
 * fastest. */
static void fill_warps(Fill *f, unsigned rank, const unsigned *warps, unsigned absent)
{
	for (unsigned k = rank; k-- > 0;) {
		if (k == absent)
			fill_copies(f, LAYOUT_WARP, log2_of(warps[k]));
		else
			fill(f, LAYOUT_WARP, k, log2_of(warps[k]));
	}
}

static void fill_rest_all(Fill *f, unsigned rank)
{
	for (unsigned k = rank; k-- > 0;)
		fill_rest(f, k);
}

/* c[i] of lane t: column 2 (t % 4) + i % 2, row t / 4 + 8 (i / 2). */
static void fill_accumulator(Fill *f, unsigned m, unsigned n, unsigned instr_m)
{
	fill(f, LAYOUT_REGISTER, n, 1);
	fill(f, LAYOUT_LANE, n, 2);
	fill(f, LAYOUT_LANE, m, 3);
	if (instr_m == 16)
		fill(f, LAYOUT_REGISTER, m, 1);
}

/* k_width neighbours along K, four lanes along K, eight lanes (then, for A, a register) along the
 * other dim. */
static void fill_operand(Fill *f, unsigned k, unsigned other, unsigned k_width, bool two_rows)
{
	fill(f, LAYOUT_REGISTER, k, log2_of(k_width));
	fill(f, LAYOUT_LANE, k, 2);
	fill(f, LAYOUT_LANE, other, 3);
	if (two_rows)
		fill(f, LAYOUT_REGISTER, other, 1);
}

const Layout *layout_mma_accumulator(LayoutContext *cx, const int64_t *shape, unsigned rank,
				     const unsigned *warps, unsigned instr_m)
{
	Fill f;
	ASSERT((rank == 2 || rank == 3) && (instr_m == 8 || instr_m == 16));
	fill_start(&f, cx, shape, rank);
	fill_accumulator(&f, rank - 2, rank - 1, instr_m);
	fill_warps(&f, rank, warps, rank);
	fill_rest_all(&f, rank);
	return fill_finish(&f);
}

const Layout *layout_mma_operand(LayoutContext *cx, const int64_t *shape, unsigned rank, const unsigned *warps,
				 unsigned operand, unsigned instr_m, unsigned k_width)
{
	Fill f;
	ASSERT((rank == 2 || rank == 3) && operand < 2 && (instr_m == 8 || instr_m == 16));
	unsigned k = operand == 0 ? rank - 1 : rank - 2, other = operand == 0 ? rank - 2 : rank - 1;
	fill_start(&f, cx, shape, rank);
	fill_operand(&f, k, other, k_width, operand == 0 && instr_m == 16);
	fill_warps(&f, rank, warps, k);
	fill_rest(&f, k);
	fill_rest_all(&f, rank);
	return fill_finish(&f);
}

/* ---- wgmma ---- */

/* The four warps of a warpgroup hold 16 rows each; further warps go along M, then along N. */
static void fill_warpgroups(Fill *f, const unsigned *warps, bool has_n)
{
	fill(f, LAYOUT_WARP, 0, log2_of(warps[0]));
	if (has_n)
		fill(f, LAYOUT_WARP, 1, log2_of(warps[1]));
	else
		fill_copies(f, LAYOUT_WARP, log2_of(warps[1]));
}

const Layout *layout_wgmma_accumulator(LayoutContext *cx, const int64_t *shape, const unsigned *warps,
				       unsigned instr_n)
{
	Fill f;
	ASSERT(instr_n % 8 == 0 && instr_n <= 256 && (warps[1] == 1 || base_is_pow2(instr_n)));
	fill_start(&f, cx, shape, 2);
	fill_accumulator(&f, 0, 1, 16);
	fill(&f, LAYOUT_REGISTER, 1, (unsigned)__builtin_ctz(instr_n) - 3);
	fill_warpgroups(&f, warps, true);
	fill_rest_all(&f, 2);
	return fill_finish(&f);
}

const Layout *layout_wgmma_operand(LayoutContext *cx, const int64_t *shape, const unsigned *warps, unsigned k_width)
{
	Fill f;
	fill_start(&f, cx, shape, 2);
	fill_operand(&f, 1, 0, k_width, true);
	fill_warpgroups(&f, warps, false);
	fill_rest(&f, 1);
	fill_rest(&f, 0);
	return fill_finish(&f);
}
