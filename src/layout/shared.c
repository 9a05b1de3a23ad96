/* Shared-memory layouts: offset (in elements) -> tile.
 *
 * Walking the offset bits upwards, each stands for the next bit of the tile in memory order; a swizzle adds
 * to a row bit the chunks that rows with this bit are XORed with. Repetitions of tiles whose sizes are no
 * powers of two are outermost. */
#include "layout/kinds.h"

typedef struct Memory {
	LayoutSpace tile;
	uint64_t bases[64];
	unsigned count;
} Memory;

static uint64_t unit(const LayoutSpace *tile, unsigned dim, unsigned bit)
{
	return layout_space_put(tile, LAYOUT_DIM0 + dim, UINT64_C(1) << bit);
}

static void lay_bits(Memory *m, unsigned dim, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		m->bases[m->count++] = unit(&m->tile, dim, i);
}

static unsigned dim_bits(const Memory *m, unsigned dim)
{
	return layout_space_find(&m->tile, LAYOUT_DIM0 + dim)->bits;
}

static const Layout *finish(const Memory *m, LayoutContext *cx)
{
	LayoutSpace in = layout_space_none();
	layout_space_add(&in, LAYOUT_OFFSET, m->count, layout_space_reps(&m->tile));
	return layout_make(cx, &in, &m->tile, m->bases);
}

const Layout *layout_shared_plain(LayoutContext *cx, const int64_t *shape, unsigned rank, const unsigned *order)
{
	Memory m = {.tile = layout_space_of_shape(shape, rank)};
	for (unsigned i = 0; i < rank; i++)
		lay_bits(&m, order[i], 0, dim_bits(&m, order[i]));
	return finish(&m, cx);
}

/* The row bits of a tile whose columns are contiguous, each with what it XORs into the column. */
static void lay_swizzled_rows(Memory *m, unsigned row, unsigned column, unsigned columns, unsigned vec,
			      unsigned per_phase, unsigned max_phase)
{
	ASSERT(base_is_pow2(vec) && base_is_pow2(per_phase) && base_is_pow2(max_phase));
	for (unsigned i = 0; i < dim_bits(m, row); i++) {
		uint64_t chunk = ((UINT64_C(1) << i) / per_phase) % max_phase * vec % columns;
		m->bases[m->count++] =
			unit(&m->tile, row, i) | layout_space_put(&m->tile, LAYOUT_DIM0 + column, chunk);
	}
}

const Layout *layout_shared_swizzled(LayoutContext *cx, const int64_t *shape, unsigned rank,
				     const unsigned *order, unsigned vec, unsigned per_phase, unsigned max_phase)
{
	ASSERT(rank >= 2);
	Memory m = {.tile = layout_space_of_shape(shape, rank)};
	unsigned columns = 1u << dim_bits(&m, order[0]);
	lay_bits(&m, order[0], 0, dim_bits(&m, order[0]));
	lay_swizzled_rows(&m, order[1], order[0], columns, vec, per_phase, max_phase);
	for (unsigned i = 2; i < rank; i++)
		lay_bits(&m, order[i], 0, dim_bits(&m, order[i]));
	return finish(&m, cx);
}

const Layout *layout_shared_tma(LayoutContext *cx, const int64_t *shape, unsigned rank, unsigned element_bits,
				unsigned swizzle, bool transposed)
{
	Memory m = {.tile = layout_space_of_shape(shape, rank)};
	unsigned column = transposed ? rank - 2 : rank - 1, row = transposed ? rank - 1 : rank - 2;
	unsigned columns = swizzle * 8 / element_bits;
	ASSERT(rank >= 2 && (swizzle == 16 || swizzle == 32 || swizzle == 64 || swizzle == 128));
	ASSERT(dim_bits(&m, column) >= base_log2(columns));
	/* 8 lines of 128 bytes make the pattern: 128 / swizzle rows share a line, swizzle / 16 chunks are in
	 * a row. */
	lay_bits(&m, column, 0, base_log2(columns));
	lay_swizzled_rows(&m, row, column, columns, 128 / element_bits, 128 / swizzle, swizzle / 16);
	lay_bits(&m, column, base_log2(columns), dim_bits(&m, column));
	for (unsigned k = rank - 2; k-- > 0;)
		lay_bits(&m, k, 0, dim_bits(&m, k));
	return finish(&m, cx);
}

uint64_t layout_padded_offset(const LayoutPadded *padded, uint64_t offset)
{
	uint64_t moved = offset;
	for (unsigned i = 0; i < padded->count; i++)
		moved += offset / padded->pads[i].interval * padded->pads[i].pad;
	return moved;
}

uint64_t layout_padded_size(const LayoutPadded *padded)
{
	const Layout *l = padded->linear;
	uint64_t size = (uint64_t)layout_space_reps(&l->in) << l->in_bits;
	return layout_padded_offset(padded, size - 1) + 1;
}
