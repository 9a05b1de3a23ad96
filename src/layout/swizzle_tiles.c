/* Vectors that one instruction moves through shared memory, and what a wavefront of each
 * instruction touches. */
#include "layout/swizzle.h"

enum { WIDEST_BITS = 128 };

void vectors_extend(F2Span *span, Vectors *list, const uint64_t *vecs, unsigned n, unsigned limit)
{
	if (list->n < limit)
		list->n += f2_extend(span, vecs, n, list->v + list->n, limit - list->n);
}

/* Only what lies in one block's memory: images without their block. */
void vectors_extend_images(const Swizzle *s, F2Span *span, Vectors *list, const uint64_t *vecs, unsigned n,
			  unsigned limit)
{
	uint64_t within[64];
	for (unsigned i = 0; i < n; i++)
		within[i] = vecs[i] & ((UINT64_C(1) << s->tile_bits) - 1);
	vectors_extend(span, list, within, n, limit);
}

unsigned swizzle_log2(unsigned bits, unsigned element_bits)
{
	return bits > element_bits ? base_log2(bits / element_bits) : 0;
}

/* Registers of a side that lie within one block's memory. */
static Vectors local_registers(const Swizzle *s, const LayoutSide *side)
{
	Vectors local = {.n = 0};
	for (unsigned i = 0; i < side->registers; i++) {
		if (side->reg[i] && side->reg[i] >> s->tile_bits == 0)
			vectors_push(&local, side->reg[i]);
	}
	return local;
}

/* Registers in common, then registers of one side: the vector of plain loads and stores. What
 * shares a word is part of it even when no register makes it: lanes that meet in a word do not
 * conflict. */
void swizzle_vector(const Swizzle *s, const LayoutSide *side, Vectors *vec)
{
	unsigned widest = swizzle_log2(WIDEST_BITS, s->c->element_bits);
	unsigned word = swizzle_log2(WORD_BITS, s->c->element_bits);
	Vectors local = local_registers(s, side);
	F2Span span = f2_span_none(), common = f2_span_of(s->common.v, s->common.n);
	vec->n = 0;
	/* In the order of this side's registers: words of neighbours. */
	for (unsigned i = 0; i < local.n; i++)
		if (f2_span_has(&common, local.v[i]))
			vectors_extend(&span, vec, &local.v[i], 1, widest);
	vectors_extend(&span, vec, s->common.v, s->common.n, widest);
	vectors_extend(&span, vec, local.v, local.n, widest);
	vectors_extend_images(s, &span, vec, side->thread, side->lanes, word);
	vectors_extend(&span, vec, s->held.v, s->held.n, word);
}

/* ldmatrix and stmatrix reach the own block's memory alone. */
static bool in_own_block(const Swizzle *s, const LayoutSide *side)
{
	uint64_t images = 0;
	for (unsigned i = 0; i < side->registers; i++)
		images |= side->reg[i];
	for (unsigned i = 0; i < side->lanes; i++)
		images |= side->thread[i];
	return images >> s->tile_bits == 0;
}

/* The row of ldmatrix or stmatrix on a side: a word of registers, then lanes 0 and 1; .trans:
 * lanes 2 to 4. */
bool swizzle_matrix_row(const Swizzle *s, const LayoutSide *side, bool trans, Vectors *vec)
{
	unsigned word = swizzle_log2(WORD_BITS, s->c->element_bits);
	F2Span span = f2_span_none();
	if (side->lanes != 5 || s->c->element_bits > 32 || (trans && s->c->element_bits != 16) ||
	    !in_own_block(s, side))
		return false;
	if (trans) {
		vec->n = f2_extend(&span, side->thread + 2, 3, vec->v, 3);
		return vec->n == 3;
	}
	Vectors local = local_registers(s, side);
	vec->n = f2_extend(&span, s->common.v, s->common.n, vec->v, word);
	vec->n += f2_extend(&span, local.v, local.n, vec->v + vec->n, word - vec->n);
	if (vec->n != word)
		return false;
	vec->n += f2_extend(&span, side->thread, 2, vec->v + vec->n, 2);
	return vec->n == word + 2;
}

/* How much of the vector the side's registers make: what plain loads and stores take at once. */
static unsigned widest_prefix(const LayoutSide *side, const Vectors *vec)
{
	unsigned wide = 0;
	while (wide < vec->n && f2_span_has(&side->span, vec->v[wide]))
		wide++;
	return wide;
}

/* What one wavefront of a plain load or store touches. */
Tile swizzle_vector_tile(const Swizzle *s, const LayoutSide *side, const Vectors *vec, unsigned wide)
{
	unsigned word = swizzle_log2(WORD_BITS, s->c->element_bits);
	unsigned bits = s->c->element_bits << wide, lanes = bits <= 32 ? 5 : bits == 64 ? 4 : 3;
	Tile tile = {.kind = LAYOUT_ACCESS_VECTOR, .vector_bits = wide};
	uint64_t lane[8];
	F2Span span = f2_span_none();
	for (unsigned i = 0; i < side->lanes; i++)
		lane[i] = side->thread[i] & ((UINT64_C(1) << s->tile_bits) - 1);
	tile.span.n = f2_extend(&span, vec->v, MIN(vec->n, MAX(wide, word)), tile.span.v, 64);
	tile.span.n += f2_extend(&span, lane, MIN(lanes, side->lanes), tile.span.v + tile.span.n, 64);
	return tile;
}

/* The same of ldmatrix or stmatrix; false where this row does not fit the side. */
static bool matrix_tile(const Swizzle *s, const LayoutSide *side, const Vectors *vec, bool trans, Tile *tile)
{
	Vectors row;
	uint64_t rows[3] = {side->thread[2], side->thread[3], side->thread[4]};
	if (!swizzle_matrix_row(s, side, trans, &row) || row.n != vec->n)
		return false;
	F2Span span = f2_span_of(vec->v, vec->n);
	if (trans) {
		unsigned pair = 0;
		while (pair < side->registers && f2_span_has(&span, side->reg[pair]))
			pair++;
		if (pair == side->registers || memcmp(row.v, vec->v, sizeof row.v[0] * 3) != 0)
			return false;
		rows[0] = side->reg[pair];
		rows[1] = side->thread[0];
		rows[2] = side->thread[1];
	} else {
		/* The lanes must be the same; the registers of a word may be any of the side's. */
		for (unsigned i = 0; i < row.n; i++) {
			bool fits =
				i + 2 < row.n ? f2_span_has(&side->span, vec->v[i]) : row.v[i] == vec->v[i];
			if (!fits)
				return false;
		}
	}
	tile->kind = trans ? LAYOUT_ACCESS_MATRIX_TRANS : LAYOUT_ACCESS_MATRIX;
	tile->vector_bits = 0;
	tile->span = *vec;
	tile->span.n += f2_extend(&span, rows, 3, tile->span.v + vec->n, 3);
	return true;
}

/* The instructions of this side that can use the vector; how many. */
unsigned swizzle_tiles(const Swizzle *s, const LayoutSide *side, const Vectors *vec, bool matrices,
		       Tile *tiles)
{
	unsigned n = 0;
	CONTRACT(vec->n <= ARRAY_LEN(vec->v));
	tiles[n++] = swizzle_vector_tile(s, side, vec, widest_prefix(side, vec));
	if (matrices && matrix_tile(s, side, vec, false, &tiles[n]))
		n++;
	if (matrices && matrix_tile(s, side, vec, true, &tiles[n]))
		n++;
	return n;
}
