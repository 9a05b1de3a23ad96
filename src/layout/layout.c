/* The layout type: spaces, hash-consing, evaluation, and what can be asked of one layout.
 *
 * A layout is normalised before it is interned (rep_order is 0 where nothing repeats, digits are numbered
 * from 1), so that equal maps are equal bytes and the table compares bytes. */
#include "layout/layout.h"

#include "layout/f2.h"

/* ---- spaces ---- */

/* Packed order: hardware names as in the enum, then tile dims from the last to the first. */
static unsigned sort_key(unsigned name)
{
	return name < LAYOUT_DIM0 ? name : LAYOUT_DIM0 + LAYOUT_NAME__COUNT - name;
}

LayoutSpace layout_space_none(void)
{
	LayoutSpace space;
	memset(&space, 0, sizeof space);
	return space;
}

void layout_space_add(LayoutSpace *space, unsigned name, unsigned bits, uint32_t reps)
{
	ASSERT(space->count < LAYOUT_MAX_RANK && name < LAYOUT_NAME__COUNT && bits < 64 && reps % 2 == 1);
	unsigned at = space->count;
	while (at > 0 && sort_key(space->dim[at - 1].name) > sort_key(name)) {
		space->dim[at] = space->dim[at - 1];
		at--;
	}
	ASSERT(at == 0 || space->dim[at - 1].name != name);
	space->dim[at] = (LayoutDim){.name = (uint8_t)name, .bits = (uint8_t)bits, .reps = reps};
	space->count++;
	/* Row-major: the lowest dim is the fastest digit. */
	uint8_t digit = 1;
	for (unsigned i = 0; i < space->count; i++)
		space->dim[i].rep_order = space->dim[i].reps > 1 ? digit++ : 0;
}

LayoutSpace layout_space_of_shape(const int64_t *shape, unsigned rank)
{
	LayoutSpace space = layout_space_none();
	for (unsigned k = 0; k < rank; k++) {
		ASSERT(shape[k] >= 1);
		unsigned bits = (unsigned)__builtin_ctzll((uint64_t)shape[k]);
		layout_space_add(&space, LAYOUT_DIM0 + k, bits, (uint32_t)(shape[k] >> bits));
	}
	return space;
}

LayoutSpace layout_space_of_threads(unsigned registers, unsigned lanes, unsigned warps, unsigned blocks,
				    uint32_t reps)
{
	LayoutSpace space = layout_space_none();
	layout_space_add(&space, LAYOUT_REGISTER, registers, reps);
	layout_space_add(&space, LAYOUT_LANE, lanes, 1);
	layout_space_add(&space, LAYOUT_WARP, warps, 1);
	layout_space_add(&space, LAYOUT_BLOCK, blocks, 1);
	return space;
}

bool layout_space_equal(const LayoutSpace *a, const LayoutSpace *b)
{
	if (a->count != b->count)
		return false;
	for (unsigned i = 0; i < a->count; i++) {
		const LayoutDim *x = &a->dim[i], *y = &b->dim[i];
		if (x->name != y->name || x->bits != y->bits || x->reps != y->reps || x->rep_order != y->rep_order)
			return false;
	}
	return true;
}

const LayoutDim *layout_space_find(const LayoutSpace *space, unsigned name)
{
	for (unsigned i = 0; i < space->count; i++) {
		if (space->dim[i].name == name)
			return &space->dim[i];
	}
	return NULL;
}

unsigned layout_space_bits(const LayoutSpace *space)
{
	unsigned bits = 0;
	for (unsigned i = 0; i < space->count; i++)
		bits += space->dim[i].bits;
	return bits;
}

uint32_t layout_space_reps(const LayoutSpace *space)
{
	uint32_t reps = 1;
	for (unsigned i = 0; i < space->count; i++)
		reps *= space->dim[i].reps;
	return reps;
}

unsigned layout_space_shift(const LayoutSpace *space, unsigned name)
{
	unsigned shift = 0;
	for (unsigned i = 0; i < space->count; i++) {
		if (space->dim[i].name == name)
			return shift;
		shift += space->dim[i].bits;
	}
	BUG("no such dim: %u", name);
}

/* Bits and lowest bit of a dim; NULL: not there. */
static const LayoutDim *place_of(const LayoutSpace *space, unsigned name, unsigned *shift)
{
	*shift = 0;
	for (unsigned i = 0; i < space->count; i++) {
		if (space->dim[i].name == name)
			return &space->dim[i];
		*shift += space->dim[i].bits;
	}
	return NULL;
}

uint64_t layout_space_mask(const LayoutSpace *space, unsigned name)
{
	unsigned shift;
	const LayoutDim *dim = place_of(space, name, &shift);
	return dim ? ((UINT64_C(1) << dim->bits) - 1) << shift : 0;
}

uint64_t layout_space_get(const LayoutSpace *space, uint64_t packed, unsigned name)
{
	unsigned shift;
	const LayoutDim *dim = place_of(space, name, &shift);
	ASSERT(dim);
	return packed >> shift & ((UINT64_C(1) << dim->bits) - 1);
}

uint64_t layout_space_put(const LayoutSpace *space, unsigned name, uint64_t value)
{
	unsigned shift;
	const LayoutDim *dim = place_of(space, name, &shift);
	ASSERT(dim && value >> dim->bits == 0);
	return value << shift;
}

void layout_space_rep_digits(const LayoutSpace *space, uint32_t rep, uint32_t *digits)
{
	for (unsigned i = 0; i < space->count; i++)
		digits[i] = 0;
	for (unsigned digit = 1; digit <= space->count; digit++) {
		for (unsigned i = 0; i < space->count; i++) {
			if (space->dim[i].rep_order == digit) {
				digits[i] = rep % space->dim[i].reps;
				rep /= space->dim[i].reps;
			}
		}
	}
}

uint32_t layout_space_rep_number(const LayoutSpace *space, const uint32_t *digits)
{
	uint32_t rep = 0;
	for (unsigned digit = space->count; digit >= 1; digit--) {
		for (unsigned i = 0; i < space->count; i++) {
			if (space->dim[i].rep_order == digit)
				rep = rep * space->dim[i].reps + digits[i];
		}
	}
	return rep;
}

/* Numbers the digits from 1 without gaps, keeping their order. */
static void normalise_reps(LayoutSpace *space)
{
	uint8_t next = 1;
	bool repeats = false;
	for (unsigned i = 0; i < space->count; i++) {
		if (space->dim[i].reps == 1)
			space->dim[i].rep_order = 0;
		else
			repeats = true;
	}
	LayoutSpace old = *space;
	for (unsigned order = 0; repeats && order <= LAYOUT_MAX_RANK; order++) {
		for (unsigned i = 0; i < space->count; i++) {
			if (old.dim[i].reps > 1 && old.dim[i].rep_order == order)
				space->dim[i].rep_order = next++;
		}
	}
	memset(&space->dim[space->count], 0, sizeof(LayoutDim) * (LAYOUT_MAX_RANK - space->count));
}

/* ---- interning ---- */

void layout_context_init(LayoutContext *cx, Arena *arena)
{
	memset(cx, 0, sizeof *cx);
	cx->arena = arena;
	cx->cap = 64;
	cx->buckets = ARENA_ARRAY(arena, Layout *, cx->cap);
}

static void context_grow(LayoutContext *cx)
{
	uint32_t cap = cx->cap * 4;
	Layout **buckets = ARENA_ARRAY(cx->arena, Layout *, cap);
	for (uint32_t i = 0; i < cx->cap; i++) {
		for (Layout *l = cx->buckets[i], *next; l; l = next) {
			next = l->next;
			l->next = buckets[l->hash % cap];
			buckets[l->hash % cap] = l;
		}
	}
	cx->buckets = buckets;
	cx->cap = cap;
}

/* Fields one by one: LayoutDim has padding. */
static uint64_t space_hash(const LayoutSpace *space, uint64_t seed)
{
	uint64_t words[LAYOUT_MAX_RANK + 1];
	for (unsigned i = 0; i < space->count; i++) {
		const LayoutDim *dim = &space->dim[i];
		words[i] = (uint64_t)dim->reps << 32 | (uint64_t)dim->rep_order << 16 |
			   (uint64_t)dim->bits << 8 | dim->name;
	}
	words[space->count] = seed;
	return str_hash(words, sizeof words[0] * (space->count + 1));
}

const Layout *layout_make(LayoutContext *cx, const LayoutSpace *in, const LayoutSpace *out, const uint64_t *bases)
{
	LayoutSpace to = *out, from = *in;
	normalise_reps(&from);
	normalise_reps(&to);
	unsigned in_bits = layout_space_bits(&from), out_bits = layout_space_bits(&to);
	ASSERT(in_bits <= 63 && out_bits <= 63 && layout_space_reps(&from) == layout_space_reps(&to));
	for (unsigned i = 0; i < in_bits; i++)
		ASSERT(bases[i] >> out_bits == 0);
	uint64_t hash = space_hash(&to, space_hash(&from, str_hash(bases, sizeof bases[0] * in_bits)));
	for (Layout *l = cx->buckets[hash % cx->cap]; l; l = l->next) {
		if (l->hash == hash && layout_space_equal(&l->in, &from) && layout_space_equal(&l->out, &to) &&
		    memcmp(l->bases, bases, sizeof bases[0] * in_bits) == 0)
			return l;
	}
	if (cx->len >= cx->cap)
		context_grow(cx);
	Layout *l = arena_alloc(cx->arena, sizeof *l + sizeof bases[0] * in_bits);
	l->in = from;
	l->out = to;
	l->in_bits = in_bits;
	l->out_bits = out_bits;
	l->hash = hash;
	memcpy(l->bases, bases, sizeof bases[0] * in_bits);
	l->next = cx->buckets[hash % cx->cap];
	cx->buckets[hash % cx->cap] = l;
	cx->len++;
	return l;
}

/* ---- asking ---- */

static unsigned bits_of(const LayoutSpace *space, unsigned name)
{
	const LayoutDim *dim = layout_space_find(space, name);
	return dim ? dim->bits : 0;
}

unsigned layout_in_bits(const Layout *l, unsigned name)
{
	return bits_of(&l->in, name);
}

unsigned layout_out_bits(const Layout *l, unsigned name)
{
	return bits_of(&l->out, name);
}

unsigned layout_rank(const Layout *l)
{
	unsigned rank = 0;
	for (unsigned i = 0; i < l->out.count; i++)
		rank += l->out.dim[i].name >= LAYOUT_DIM0;
	return rank;
}

int64_t layout_shape(const Layout *l, unsigned dim)
{
	CONTRACT(dim < layout_rank(l));
	const LayoutDim *d = layout_space_find(&l->out, LAYOUT_DIM0 + dim);
	ASSERT(d);
	return (int64_t)d->reps << d->bits;
}

uint64_t layout_basis(const Layout *l, unsigned in, unsigned bit)
{
	ASSERT(bit < layout_in_bits(l, in));
	return l->bases[layout_space_shift(&l->in, in) + bit];
}

unsigned layout_bases(const Layout *l, unsigned in, uint64_t *out)
{
	unsigned bits = layout_in_bits(l, in);
	if (bits)
		memcpy(out, l->bases + layout_space_shift(&l->in, in), sizeof out[0] * bits);
	return bits;
}

uint64_t layout_apply(const Layout *l, uint64_t in)
{
	return f2_apply(l->bases, l->in_bits, in);
}

void layout_coordinates(const Layout *l, uint32_t rep, uint64_t in, int64_t *coordinates)
{
	uint32_t digits[LAYOUT_MAX_RANK];
	uint64_t point = layout_apply(l, in);
	layout_space_rep_digits(&l->out, rep, digits);
	for (unsigned i = 0; i < l->out.count; i++) {
		const LayoutDim *dim = &l->out.dim[i];
		if (dim->name >= LAYOUT_DIM0)
			coordinates[dim->name - LAYOUT_DIM0] =
				((int64_t)digits[i] << dim->bits) +
				(int64_t)layout_space_get(&l->out, point, dim->name);
	}
}

unsigned layout_vector(const Layout *l, unsigned dim, unsigned limit, uint32_t *registers)
{
	CONTRACT(dim < layout_rank(l));
	unsigned shift = layout_space_shift(&l->out, LAYOUT_DIM0 + dim), bits = layout_out_bits(l, LAYOUT_DIM0 + dim);
	unsigned count = layout_in_bits(l, LAYOUT_REGISTER), n = 0;
	F2Span span = f2_span_of(l->bases, count);
	for (; n < bits && n < limit; n++) {
		uint64_t unit = UINT64_C(1) << (shift + n), combo;
		if (f2_span_reduce(&span, unit, &combo))
			return n;
		for (unsigned i = count; i < l->in_bits; i++) {
			if (l->bases[i] & unit)
				return n;
		}
		registers[n] = (uint32_t)combo;
	}
	return n;
}

unsigned layout_image_rank(const Layout *l)
{
	return f2_rank(l->bases, l->in_bits);
}

bool layout_is_onto(const Layout *l)
{
	return layout_image_rank(l) == l->out_bits;
}

bool layout_is_one_to_one(const Layout *l)
{
	return layout_image_rank(l) == l->in_bits;
}

uint64_t layout_free_bits(const Layout *l, unsigned in)
{
	F2Span span = f2_span_of(l->bases, l->in_bits);
	uint64_t mask = layout_space_mask(&l->in, in);
	return mask ? (~span.pivots & mask) >> layout_space_shift(&l->in, in) : 0;
}
