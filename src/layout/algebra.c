/* The algebra of layouts: composition, inverses, restriction.
 *
 * Each operation computes the bases of its result from the bases of its operands, a few XORs each, and
 * interns it. */
#include "layout/layout.h"

#include "layout/f2.h"

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
