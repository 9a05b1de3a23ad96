/* The algebra of layouts: direct sum, composition, inverses, division, restriction.
 *
 * Each operation computes the bases of its result from the bases of its operands, a few XORs each, and
 * interns it. Bits move between spaces by name: `respace` rewrites a packed point of one space as one of
 * another. */
#include "layout/layout.h"

#include "layout/f2.h"

/* A packed point of `from` as a point of `to`: each dim's value is moved up by shift_of(dim name) bits. */
static uint64_t respace(const LayoutSpace *from, const LayoutSpace *to, uint64_t point, const LayoutSpace *above)
{
	uint64_t moved = 0;
	for (unsigned i = 0; i < from->count; i++) {
		const LayoutDim *dim = &from->dim[i];
		const LayoutDim *low = above ? layout_space_find(above, dim->name) : NULL;
		uint64_t value = layout_space_get(from, point, dim->name) << (low ? low->bits : 0);
		moved |= layout_space_put(to, dim->name, value);
	}
	return moved;
}

/* The dims of both; bits add, repetitions are b's. */
static LayoutSpace space_sum(const LayoutSpace *a, const LayoutSpace *b)
{
	LayoutSpace sum = *b;
	for (unsigned i = 0; i < a->count; i++) {
		if (!layout_space_find(b, a->dim[i].name))
			layout_space_add(&sum, a->dim[i].name, 0, 1);
	}
	for (unsigned i = 0; i < sum.count; i++) {
		const LayoutDim *low = layout_space_find(a, sum.dim[i].name);
		const LayoutDim *high = layout_space_find(b, sum.dim[i].name);
		sum.dim[i].bits = (uint8_t)(sum.dim[i].bits + (low ? low->bits : 0));
		sum.dim[i].rep_order = high ? high->rep_order : 0;
	}
	return sum;
}

const Layout *layout_product(LayoutContext *cx, const Layout *a, const Layout *b)
{
	ASSERT(layout_space_reps(&a->in) == 1);
	LayoutSpace in = space_sum(&a->in, &b->in), out = space_sum(&a->out, &b->out);
	uint64_t bases[64];
	unsigned at = 0;
	for (unsigned i = 0; i < in.count; i++) {
		unsigned name = in.dim[i].name;
		for (unsigned j = 0; j < layout_in_bits(a, name); j++)
			bases[at++] = respace(&a->out, &out, layout_basis(a, name, j), NULL);
		for (unsigned j = 0; j < layout_in_bits(b, name); j++)
			bases[at++] = respace(&b->out, &out, layout_basis(b, name, j), &a->out);
	}
	return layout_make(cx, &in, &out, bases);
}

const Layout *layout_compose(LayoutContext *cx, const Layout *outer, const Layout *inner)
{
	ASSERT(layout_space_equal(&outer->in, &inner->out));
	uint64_t bases[64];
	for (unsigned i = 0; i < inner->in_bits; i++)
		bases[i] = layout_apply(outer, inner->bases[i]);
	return layout_make(cx, &inner->in, &outer->out, bases);
}

const Layout *layout_invert(LayoutContext *cx, const Layout *l)
{
	if (l->in_bits != l->out_bits || !layout_is_onto(l))
		return NULL;
	return layout_pseudo_invert(cx, l);
}

const Layout *layout_pseudo_invert(LayoutContext *cx, const Layout *l)
{
	/* Unit vectors complete the image to the whole space; what they contribute maps to 0. */
	F2Span span = f2_span_of(l->bases, l->in_bits);
	uint64_t of_l = (UINT64_C(1) << l->in_bits) - 1;
	uint64_t bases[64];
	for (unsigned i = 0; i < l->out_bits; i++) {
		if (!f2_span_has(&span, UINT64_C(1) << i))
			f2_span_add(&span, UINT64_C(1) << i);
	}
	for (unsigned i = 0; i < l->out_bits; i++) {
		uint64_t combo;
		f2_span_reduce(&span, UINT64_C(1) << i, &combo);
		bases[i] = combo & of_l;
	}
	return layout_make(cx, &l->out, &l->in, bases);
}

/* l's space with tile's bits taken off each dim; false where a dim is too small. */
static bool space_quotient(const LayoutSpace *l, const LayoutSpace *tile, LayoutSpace *quotient)
{
	*quotient = *l;
	for (unsigned i = 0; i < tile->count; i++) {
		if (!layout_space_find(l, tile->dim[i].name))
			return false;
	}
	for (unsigned i = 0; i < l->count; i++) {
		const LayoutDim *dim = layout_space_find(tile, l->dim[i].name);
		unsigned bits = dim ? dim->bits : 0;
		if (bits > l->dim[i].bits)
			return false;
		quotient->dim[i].bits = (uint8_t)(l->dim[i].bits - bits);
	}
	return true;
}

/* A point of l's outputs as one of the quotient's; false where it has bits within the tile. */
static bool point_quotient(const Layout *l, const LayoutSpace *tile, const LayoutSpace *quotient, uint64_t point,
			   uint64_t *result)
{
	*result = 0;
	for (unsigned i = 0; i < l->out.count; i++) {
		unsigned name = l->out.dim[i].name;
		const LayoutDim *dim = layout_space_find(tile, name);
		unsigned bits = dim ? dim->bits : 0;
		uint64_t value = layout_space_get(&l->out, point, name);
		if (value & ((UINT64_C(1) << bits) - 1))
			return false;
		*result |= layout_space_put(quotient, name, value >> bits);
	}
	return true;
}

const Layout *layout_divide(LayoutContext *cx, const Layout *l, const Layout *tile)
{
	ASSERT(layout_space_reps(&tile->in) == 1);
	LayoutSpace in, out;
	uint64_t bases[64];
	unsigned at = 0;
	if (!space_quotient(&l->in, &tile->in, &in) || !space_quotient(&l->out, &tile->out, &out))
		return NULL;
	for (unsigned i = 0; i < l->in.count; i++) {
		unsigned name = l->in.dim[i].name, low = layout_in_bits(tile, name);
		for (unsigned j = 0; j < l->in.dim[i].bits; j++) {
			uint64_t basis = layout_basis(l, name, j);
			if (j < low) {
				if (basis != respace(&tile->out, &l->out, layout_basis(tile, name, j), NULL))
					return NULL;
			} else if (!point_quotient(l, &tile->out, &out, basis, &bases[at++])) {
				return NULL;
			}
		}
	}
	return layout_make(cx, &in, &out, bases);
}

static LayoutSpace space_restrict(const LayoutSpace *space, uint32_t names)
{
	LayoutSpace kept = layout_space_none();
	for (unsigned i = 0; i < space->count; i++) {
		if (names >> space->dim[i].name & 1)
			layout_space_add(&kept, space->dim[i].name, space->dim[i].bits, 1);
	}
	return kept;
}

const Layout *layout_restrict(LayoutContext *cx, const Layout *l, uint32_t in_names, uint32_t out_names)
{
	LayoutSpace in = space_restrict(&l->in, in_names), out = space_restrict(&l->out, out_names);
	uint64_t bases[64];
	unsigned at = 0;
	for (unsigned i = 0; i < in.count; i++) {
		for (unsigned j = 0; j < in.dim[i].bits; j++) {
			uint64_t basis = layout_basis(l, in.dim[i].name, j), kept = 0;
			for (unsigned k = 0; k < out.count; k++) {
				unsigned name = out.dim[k].name;
				kept |= layout_space_put(&out, name, layout_space_get(&l->out, basis, name));
			}
			bases[at++] = kept;
		}
	}
	return layout_make(cx, &in, &out, bases);
}

const Layout *layout_strip_registers(LayoutContext *cx, const Layout *l)
{
	LayoutSpace in = l->in;
	uint64_t bases[64];
	unsigned at = 0, stripped = 0;
	for (unsigned i = 0; i < l->in_bits; i++) {
		if (i < layout_in_bits(l, LAYOUT_REGISTER) && l->bases[i] == 0)
			stripped++;
		else
			bases[at++] = l->bases[i];
	}
	if (stripped == 0)
		return l;
	/* `register` is the lowest dim of every space that has it. */
	in.dim[0].bits = (uint8_t)(in.dim[0].bits - stripped);
	return layout_make(cx, &in, &l->out, bases);
}
