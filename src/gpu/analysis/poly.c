#include "gpu/analysis/poly.h"

const Poly *poly_of_term(Arena *arena, const PolyTerm *term)
{
	Poly *p = ARENA_NEW(arena, Poly);
	if (term->scale)
		p->terms[p->count++] = *term;
	return p;
}

const Poly *poly_of_int(Arena *arena, int64_t value)
{
	return poly_of_term(arena, &(PolyTerm){.scale = value});
}

const Poly *poly_of_value(Arena *arena, const IrValue *value)
{
	return poly_of_term(arena, &(PolyTerm){.scale = 1, .of = {value}, .count = 1});
}

static int compare(const PolyTerm *a, const PolyTerm *b)
{
	if (a->count != b->count)
		return a->count < b->count ? -1 : 1;
	for (uint32_t i = 0; i < a->count; i++)
		if (a->of[i] != b->of[i])
			return a->of[i]->id < b->of[i]->id ? -1 : 1;
	return 0;
}

enum { NO_GROUP = POLY_FACTORS + 1 /* of a scale that factors of several groups made */ };

/* Nothing is known to have been multiplied in 32 bits. */
static void set_apart(PolyTerm *t)
{
	for (uint8_t i = 0; i < POLY_FACTORS; i++)
		t->group[i] = i < t->count ? i : 0;
	t->scale_group = NO_GROUP;
}

bool poly_term_is_word(const PolyTerm *t)
{
	bool same = true;
	for (uint32_t i = 1; i < t->count; i++)
		same &= t->group[i] == t->group[0];
	return same && (t->count == 0 || t->scale == 1 || t->scale == -1 || t->scale_group == t->group[0]);
}

/* Adds the term in its place. False: there are too many. */
static bool add_term(Poly *p, const PolyTerm *term, int64_t scale)
{
	PolyTerm t = *term;
	uint32_t at = 0;
	if (__builtin_mul_overflow(t.scale, scale, &t.scale))
		return false;
	while (at < p->count && compare(&p->terms[at], &t) < 0)
		at++;
	if (at < p->count && compare(&p->terms[at], &t) == 0) {
		PolyTerm *same = &p->terms[at];
		if (__builtin_add_overflow(same->scale, t.scale, &same->scale))
			return false;
		/* In how many bits they were added is not known. */
		if (t.count)
			set_apart(same);
		if (!same->scale)
			memmove(same, same + 1, (--p->count - at) * sizeof *same);
		return true;
	}
	if (!t.scale)
		return true;
	if (p->count == POLY_TERMS)
		return false;
	memmove(&p->terms[at + 1], &p->terms[at], (p->count++ - at) * sizeof t);
	p->terms[at] = t;
	return true;
}

const Poly *poly_add(Arena *arena, const Poly *a, const Poly *b, int64_t scale)
{
	if (!a || !b)
		return NULL;
	Poly *sum = ARENA_NEW(arena, Poly);
	*sum = *a;
	for (uint32_t i = 0; i < b->count; i++)
		if (!add_term(sum, &b->terms[i], scale))
			return NULL;
	return sum;
}

static bool is_one(int64_t scale)
{
	return scale == 1 || scale == -1;
}

/* How many groups its factors and its scale have. */
static uint8_t groups_of(const PolyTerm *t)
{
	uint8_t n = t->scale_group < NO_GROUP && !is_one(t->scale) ? t->scale_group + 1 : 0;
	for (uint32_t i = 0; i < t->count; i++)
		n = MAX(n, (uint8_t)(t->group[i] + 1));
	return n;
}

/* The product of two terms, in 64 bits where wide; false: it has too many factors. */
static bool multiply_terms(const PolyTerm *a, const PolyTerm *b, bool wide, PolyTerm *out)
{
	uint32_t i = 0, k = 0;
	*out = (PolyTerm){.count = a->count + b->count};
	if (out->count > POLY_FACTORS || __builtin_mul_overflow(a->scale, b->scale, &out->scale))
		return false;
	/* In 32 bits both joined one group. */
	uint8_t past = wide ? groups_of(a) : 0;
	for (uint32_t n = 0; n < out->count; n++) {
		bool first = k == b->count || (i < a->count && a->of[i]->id <= b->of[k]->id);
		out->group[n] = first ? a->group[i] : b->group[k] + past;
		out->of[n] = first ? a->of[i++] : b->of[k++];
	}
	if (is_one(b->scale) && a->scale_group < NO_GROUP)
		out->scale_group = a->scale_group;
	else if (is_one(a->scale) && b->scale_group < NO_GROUP)
		out->scale_group = b->scale_group + past;
	else if (a->scale_group < NO_GROUP && a->scale_group == b->scale_group + past)
		out->scale_group = a->scale_group;
	else
		out->scale_group = NO_GROUP;
	return true;
}

const Poly *poly_multiply(Arena *arena, const Poly *a, const Poly *b, bool wide)
{
	PolyTerm t;
	if (!a || !b)
		return NULL;
	Poly *product = ARENA_NEW(arena, Poly);
	for (uint32_t i = 0; i < a->count; i++)
		for (uint32_t k = 0; k < b->count; k++) {
			if (!multiply_terms(&a->terms[i], &b->terms[k], wide, &t) ||
			    !add_term(product, &t, 1))
				return NULL;
		}
	return product;
}

const Poly *poly_divide(Arena *arena, const Poly *p, int64_t by)
{
	CONTRACT(by);
	if (!p || !by)
		return NULL;
	Poly *parts = ARENA_NEW(arena, Poly);
	*parts = *p;
	for (uint32_t i = 0; i < p->count; i++) {
		if (p->terms[i].scale % by)
			return NULL;
		parts->terms[i].scale /= by;
	}
	return parts;
}

bool poly_same(const Poly *a, const Poly *b)
{
	bool same = a && b && a->count == b->count;
	for (uint32_t i = 0; same && i < a->count; i++)
		same = a->terms[i].scale == b->terms[i].scale && compare(&a->terms[i], &b->terms[i]) == 0;
	return same;
}

bool poly_is_int(const Poly *p, int64_t *out)
{
	if (!p || p->count > 1 || (p->count && p->terms[0].count))
		return false;
	*out = p->count ? p->terms[0].scale : 0;
	return true;
}

bool poly_is_invariant(const Poly *p, const IrOp *loop)
{
	for (uint32_t i = 0; i < p->count; i++)
		for (uint32_t k = 0; k < p->terms[i].count; k++)
			if (!ir_is_defined_outside(p->terms[i].of[k], loop))
				return false;
	return true;
}
