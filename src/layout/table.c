/* A layout as a table of who holds which element: what `neso layout` shows, and the quickest way to see a
 * mistake.
 *
 * Every place is evaluated once and noted at its element; then the elements are written in rows of the last
 * dim. Of a distributed layout a cell names warp, lane and register (and the block of a cluster), of a shared
 * one the offset. */
#include "layout/layout.h"

typedef struct Place {
	uint32_t rep;
	uint64_t in;
	struct Place *next; /* of the same element, ascending */
} Place;

typedef struct Table {
	const Layout *l;
	unsigned rank;
	int64_t shape[LAYOUT_MAX_RANK];
	Place **first, **last; /* by row-major index */
} Table;

static void note_place(Table *table, Arena *arena, uint32_t rep, uint64_t in)
{
	int64_t at[LAYOUT_MAX_RANK], index = 0;
	Place *place = ARENA_NEW(arena, Place);
	layout_coordinates(table->l, rep, in, at);
	for (unsigned k = 0; k < table->rank; k++)
		index = index * table->shape[k] + at[k];
	place->rep = rep;
	place->in = in;
	if (table->last[index])
		table->last[index]->next = place;
	else
		table->first[index] = place;
	table->last[index] = place;
}

static void print_place(Text *t, const Layout *l, const Place *place)
{
	const LayoutSpace *in = &l->in;
	unsigned high = layout_in_bits(l, layout_space_find(in, LAYOUT_OFFSET) ? LAYOUT_OFFSET : LAYOUT_REGISTER);
	unsigned long long rep = (unsigned long long)place->rep << high;
	if (layout_in_bits(l, LAYOUT_BLOCK))
		text_printf(t, "b%llu.", (unsigned long long)layout_space_get(in, place->in, LAYOUT_BLOCK));
	if (layout_space_find(in, LAYOUT_OFFSET)) {
		text_printf(t, "%llu", rep + layout_space_get(in, place->in, LAYOUT_OFFSET));
		return;
	}
	text_printf(t, "w%llu.l%llu:r%llu", (unsigned long long)layout_space_get(in, place->in, LAYOUT_WARP),
		    (unsigned long long)layout_space_get(in, place->in, LAYOUT_LANE),
		    rep + layout_space_get(in, place->in, LAYOUT_REGISTER));
}

/* [0, 1, :] before each row of a tile of more than one dim. */
static void print_row_head(Text *t, const Table *table, int64_t row)
{
	int64_t at[LAYOUT_MAX_RANK];
	for (unsigned k = table->rank - 1; k-- > 0; row /= table->shape[k])
		at[k] = row % table->shape[k];
	text_char(t, '[');
	for (unsigned k = 0; k + 1 < table->rank; k++)
		text_printf(t, "%lld, ", (long long)at[k]);
	text_str(t, ":]");
}

void layout_print_table(Text *t, const Layout *l)
{
	Table table = {.l = l, .rank = layout_rank(l)};
	int64_t size = 1;
	ASSERT(table.rank >= 1);
	for (unsigned k = 0; k < table.rank; k++)
		size *= table.shape[k] = layout_shape(l, k);
	table.first = ARENA_ARRAY(t->arena, Place *, size);
	table.last = ARENA_ARRAY(t->arena, Place *, size);
	for (uint64_t in = 0; in < UINT64_C(1) << l->in_bits; in++) {
		for (uint32_t rep = 0; rep < layout_space_reps(&l->in); rep++)
			note_place(&table, t->arena, rep, in);
	}
	int64_t columns = table.shape[table.rank - 1];
	for (int64_t index = 0; index < size; index++) {
		if (index % columns == 0)
			print_row_head(t, &table, index / columns);
		text_char(t, ' ');
		for (const Place *place = table.first[index]; place; place = place->next) {
			if (place != table.first[index])
				text_char(t, '|');
			print_place(t, l, place);
		}
		if (!table.first[index])
			text_char(t, '-');
		if (index % columns == columns - 1)
			text_char(t, '\n');
	}
}
