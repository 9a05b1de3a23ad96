/* What shape operations of the tile language do to a layout: they move the data nowhere, they only rename
 * outputs.
 *
 * A packed point is the row-major index of the F2 tile, so a reshape keeps every basis and changes the output
 * space alone. The other operations rename, add or drop output dims; `Renaming` says for each old name its
 * new one. */
#include "layout/layout.h"

enum { DROPPED = 255 };

typedef struct Renaming {
	uint8_t to[LAYOUT_NAME__COUNT];
} Renaming;

static Renaming same_names(void)
{
	Renaming names;
	for (unsigned i = 0; i < LAYOUT_NAME__COUNT; i++)
		names.to[i] = (uint8_t)i;
	return names;
}

/* The tile dims from `from` on move by `by` places. */
static Renaming shifted_names(unsigned from, int by)
{
	Renaming names = same_names();
	for (unsigned k = from; k < LAYOUT_MAX_RANK; k++) {
		int to = (int)k + by;
		names.to[LAYOUT_DIM0 + k] = to < 0 || to >= LAYOUT_MAX_RANK ? DROPPED : (uint8_t)(LAYOUT_DIM0 + to);
	}
	return names;
}

static LayoutDim *find_dim(LayoutSpace *space, unsigned name)
{
	return (LayoutDim *)layout_space_find(space, name);
}

static LayoutSpace rename_space(const LayoutSpace *space, const Renaming *names)
{
	LayoutSpace renamed = layout_space_none();
	for (unsigned i = 0; i < space->count; i++) {
		unsigned to = names->to[space->dim[i].name];
		if (to != DROPPED)
			layout_space_add(&renamed, to, space->dim[i].bits, space->dim[i].reps);
	}
	for (unsigned i = 0; i < space->count; i++) {
		unsigned to = names->to[space->dim[i].name];
		if (to != DROPPED)
			find_dim(&renamed, to)->rep_order = space->dim[i].rep_order;
	}
	return renamed;
}

/* Where the bits of each dim go; places are found once, not for every basis. */
static void rename_points(const Layout *l, const LayoutSpace *out, const Renaming *names, uint64_t *bases)
{
	uint64_t mask[LAYOUT_MAX_RANK];
	unsigned from[LAYOUT_MAX_RANK], to[LAYOUT_MAX_RANK], count = 0, shift = 0;
	for (unsigned j = 0; j < l->out.count; j++) {
		const LayoutDim *dim = &l->out.dim[j];
		if (names->to[dim->name] != DROPPED && dim->bits) {
			mask[count] = (UINT64_C(1) << dim->bits) - 1;
			from[count] = shift;
			to[count++] = layout_space_shift(out, names->to[dim->name]);
		}
		shift += dim->bits;
	}
	for (unsigned i = 0; i < l->in_bits; i++) {
		bases[i] = 0;
		for (unsigned j = 0; j < count; j++)
			bases[i] |= (l->bases[i] >> from[j] & mask[j]) << to[j];
	}
}

const Layout *layout_transpose(LayoutContext *cx, const Layout *l, const unsigned *order)
{
	unsigned rank = layout_rank(l), seen = 0;
	Renaming names = same_names();
	uint64_t bases[64];
	for (unsigned k = 0; k < rank; k++) {
		ASSERT(order[k] < rank && !(seen >> order[k] & 1));
		seen |= 1u << order[k];
		names.to[LAYOUT_DIM0 + order[k]] = (uint8_t)(LAYOUT_DIM0 + k);
	}
	LayoutSpace out = rename_space(&l->out, &names);
	rename_points(l, &out, &names, bases);
	return layout_make(cx, &l->in, &out, bases);
}

/* The one dim of [from, to) that repeats, -1 for none, -2 where a longer dim stands before it. */
static int repeated_dim(const int64_t *shape, unsigned from, unsigned to)
{
	bool outermost = true;
	int found = -1;
	for (unsigned k = from; k < to; k++) {
		int64_t odd = shape[k] >> __builtin_ctzll((uint64_t)shape[k]);
		if (odd > 1) {
			if (!outermost)
				return -2;
			found = (int)k;
		}
		outermost = outermost && shape[k] == 1;
	}
	return found;
}

/* Gives the repeated dims of the new space the digits of those dims that they come from. Both shapes are cut
 * into the shortest runs of equal product; within a run only the outermost dim may repeat. */
static bool reshape_reps(const Layout *l, const int64_t *old, unsigned old_rank, const int64_t *shape,
			 unsigned rank, LayoutSpace *out)
{
	unsigned i = 0, j = 0;
	while (i < old_rank || j < rank) {
		unsigned i0 = i, j0 = j;
		int64_t a = i < old_rank ? old[i++] : 1, b = j < rank ? shape[j++] : 1;
		while (a != b) {
			if (a < b)
				a *= old[i++];
			else
				b *= shape[j++];
		}
		int from = repeated_dim(old, i0, i), to = repeated_dim(shape, j0, j);
		if (from == -2 || to == -2)
			return false;
		if (from >= 0)
			find_dim(out, LAYOUT_DIM0 + (unsigned)to)->rep_order =
				layout_space_find(&l->out, LAYOUT_DIM0 + (unsigned)from)->rep_order;
	}
	return true;
}

const Layout *layout_reshape(LayoutContext *cx, const Layout *l, const int64_t *shape, unsigned rank)
{
	int64_t old[LAYOUT_MAX_RANK], old_size = 1, size = 1;
	unsigned old_rank = layout_rank(l);
	for (unsigned k = 0; k < old_rank; k++)
		old_size *= old[k] = layout_shape(l, k);
	for (unsigned k = 0; k < rank; k++)
		size *= shape[k];
	ASSERT(old_size == size && rank <= LAYOUT_MAX_RANK);
	LayoutSpace out = layout_space_of_shape(shape, rank);
	if (!reshape_reps(l, old, old_rank, shape, rank, &out))
		return NULL;
	return layout_make(cx, &l->in, &out, l->bases);
}

const Layout *layout_slice(LayoutContext *cx, const Layout *l, unsigned axis)
{
	CONTRACT(axis < layout_rank(l));
	const LayoutDim *gone = layout_space_find(&l->out, LAYOUT_DIM0 + axis);
	Renaming names = shifted_names(axis + 1, -1);
	LayoutSpace in = l->in;
	uint64_t bases[64];
	ASSERT(gone && layout_space_find(&in, LAYOUT_REGISTER));
	names.to[LAYOUT_DIM0 + axis] = DROPPED;
	LayoutSpace out = rename_space(&l->out, &names);
	rename_points(l, &out, &names, bases);
	in.dim[0].reps /= gone->reps;
	return layout_strip_registers(cx, layout_make(cx, &in, &out, bases));
}

const Layout *layout_expand(LayoutContext *cx, const Layout *l, unsigned axis)
{
	ASSERT(axis <= layout_rank(l) && layout_rank(l) < LAYOUT_MAX_RANK);
	Renaming names = shifted_names(axis, 1);
	uint64_t bases[64];
	LayoutSpace renamed = rename_space(&l->out, &names), out = renamed;
	layout_space_add(&out, LAYOUT_DIM0 + axis, 0, 1);
	for (unsigned i = 0; i < renamed.count; i++)
		find_dim(&out, renamed.dim[i].name)->rep_order = renamed.dim[i].rep_order;
	rename_points(l, &out, &names, bases);
	return layout_make(cx, &l->in, &out, bases);
}

/* Room for a bit of `register` at place `at` and a larger tile dim; the new register's basis is
 * the caller's. */
static void insert_register_bits(const Layout *l, unsigned at, unsigned count, const LayoutSpace *out,
				 uint64_t *bases)
{
	Renaming names = same_names();
	uint64_t moved[64];
	rename_points(l, out, &names, moved);
	memcpy(bases, moved, sizeof bases[0] * at);
	memset(bases + at, 0, sizeof bases[0] * count);
	memcpy(bases + at + count, moved + at, sizeof bases[0] * (l->in_bits - at));
}

const Layout *layout_broadcast(LayoutContext *cx, const Layout *l, unsigned axis, int64_t size)
{
	ASSERT(layout_shape(l, axis) == 1 && size >= 1);
	unsigned bits = (unsigned)__builtin_ctzll((uint64_t)size), registers = layout_in_bits(l, LAYOUT_REGISTER);
	uint32_t reps = (uint32_t)(size >> bits);
	LayoutSpace in = l->in, out = l->out;
	LayoutDim *dim = find_dim(&out, LAYOUT_DIM0 + axis);
	uint64_t bases[64];
	dim->bits = (uint8_t)bits;
	dim->reps = reps;
	dim->rep_order = LAYOUT_MAX_RANK; /* the slowest digit */
	in.dim[0].bits = (uint8_t)(registers + bits);
	in.dim[0].reps *= reps;
	in.dim[0].rep_order = 1;
	insert_register_bits(l, registers, bits, &out, bases);
	for (unsigned i = 0; i < bits; i++)
		bases[registers + i] = layout_space_put(&out, dim->name, UINT64_C(1) << i);
	return layout_make(cx, &in, &out, bases);
}

const Layout *layout_join(LayoutContext *cx, const Layout *l)
{
	unsigned last = layout_rank(l);
	const Layout *wide = layout_expand(cx, l, last);
	LayoutSpace in = wide->in, out = wide->out;
	uint64_t bases[64];
	find_dim(&out, LAYOUT_DIM0 + last)->bits = 1;
	in.dim[0].bits++;
	insert_register_bits(wide, 0, 1, &out, bases);
	bases[0] = layout_space_put(&out, LAYOUT_DIM0 + last, 1);
	return layout_make(cx, &in, &out, bases);
}

const Layout *layout_split(LayoutContext *cx, const Layout *l, unsigned *bit)
{
	CONTRACT(layout_rank(l) > 0);
	unsigned last = layout_rank(l) - 1, registers = layout_in_bits(l, LAYOUT_REGISTER), at = registers;
	ASSERT(layout_rank(l) >= 1 && layout_shape(l, last) == 2);
	uint64_t last_bit = layout_space_put(&l->out, LAYOUT_DIM0 + last, 1);
	for (unsigned i = 0; i < l->in_bits; i++) {
		if (!(l->bases[i] & last_bit))
			continue;
		if (i >= registers || l->bases[i] != last_bit || at != registers)
			return NULL;
		at = i;
	}
	if (at == registers)
		return NULL;
	Renaming names = same_names();
	names.to[LAYOUT_DIM0 + last] = DROPPED;
	LayoutSpace in = l->in, out = rename_space(&l->out, &names);
	uint64_t bases[64];
	rename_points(l, &out, &names, bases);
	memmove(bases + at, bases + at + 1, sizeof bases[0] * (l->in_bits - at - 1));
	in.dim[0].bits--;
	*bit = at;
	return layout_make(cx, &in, &out, bases);
}

const Layout *layout_concat(LayoutContext *cx, const Layout *l, unsigned axis)
{
	CONTRACT(axis < layout_rank(l));
	unsigned registers = layout_in_bits(l, LAYOUT_REGISTER);
	LayoutSpace in = l->in, out = l->out;
	LayoutDim *dim = find_dim(&out, LAYOUT_DIM0 + axis);
	uint64_t bases[64];
	ASSERT(dim);
	if (dim->reps > 1)
		return NULL;
	dim->bits++;
	in.dim[0].bits++;
	insert_register_bits(l, registers, 1, &out, bases);
	bases[registers] = layout_space_put(&out, dim->name, UINT64_C(1) << (dim->bits - 1));
	return layout_make(cx, &in, &out, bases);
}
