/* Lookups in the table of matrix instructions, and the names of their calls.
 *
 *	mma_sync   mMnNkK.C.A.B.C
 *	wgmma      mMnNkK.C.A.B[.ra][.ta][.tb][.new][.xSTEPS]
 *
 * ra: A in registers; ta, tb: rows of A, B first; new:
 * nothing is added to; xS: so many steps along K. */
#include "target/mma.h"

#include <stdlib.h>

#include "base/str.h"

enum { REAL = 1, WHOLE = 0, WARP_GROUP = 4 * TARGET_WARP_SIZE, MOST_STEPS = 16 };

const TargetElementInfo target_elements[TARGET_ELEMENT__COUNT] = {
#define ELEMENT(name, text, bits, class) [TARGET_ELEMENT_##name] = {text, bits, class},
#include "target/nvidia/elements.def"
#undef ELEMENT
};

#define CC(capability) capability, 0
#define HAS(feature) 0, TARGET_##feature

static const TargetMma mmas[] = {
#define MMA(family, operand, accumulator, m, n, k, needs) \
	{TARGET_MMA_##family, TARGET_ELEMENT_##operand, TARGET_ELEMENT_##accumulator, m, n, k, needs},
#include "target/nvidia/mma.def"
#undef MMA
};

const TargetMma *target_mma(const TargetGpu *gpu, TargetMmaFamily family, TargetElement operand,
			    TargetElement accumulator)
{
	return target_mma_up_to(gpu, family, operand, accumulator, UINT32_MAX);
}

const TargetMma *target_mma_up_to(const TargetGpu *gpu, TargetMmaFamily family, TargetElement operand,
				  TargetElement accumulator, unsigned k)
{
	CONTRACT(k > 0);
	const TargetMma *best = NULL;
	for (size_t i = 0; i < ARRAY_LEN(mmas); i++) {
		const TargetMma *mma = &mmas[i];
		if (mma->family == family && mma->operand == operand && mma->accumulator == accumulator &&
		    mma->k <= k && mma->capability <= gpu->capability && target_has(gpu, mma->features) &&
		    (!best || mma->k > best->k || (mma->k == best->k && mma->m > best->m)))
			best = mma;
	}
	return best;
}

bool target_mma_takes_n(const TargetMma *mma, unsigned n)
{
	if (mma->family == TARGET_MMA_SYNC)
		return n == mma->n;
	return n >= 8 && n <= 256 && n % (!target_elements[mma->operand].is_real && n > 32 ? 16 : 8) == 0;
}

/* ---- names of calls ---- */

const char *target_product_name(Arena *arena, const TargetProduct *p)
{
	const TargetMma *mma = p->mma;
	const char *c = target_elements[mma->accumulator].name;
	ASSERT(target_mma_takes_n(mma, p->n) && p->steps);
	Text t;
	text_init(&t, arena);
	text_printf(&t, "m%un%uk%u.%s.%s.%s", mma->m, p->n, mma->k, c, target_elements[mma->operand].name,
		    target_elements[p->b].name);
	if (mma->family == TARGET_MMA_SYNC)
		text_printf(&t, ".%s", c);
	if (p->a_in_registers)
		text_str(&t, ".ra");
	for (unsigned i = 0; i < 2; i++)
		if (p->rows_first[i])
			text_str(&t, i ? ".tb" : ".ta");
	if (p->fresh)
		text_str(&t, ".new");
	if (p->steps > 1)
		text_printf(&t, ".x%u", p->steps);
	return t.data;
}

/* Takes `what` off the front. */
static bool take(const char **at, const char *what)
{
	size_t n = strlen(what);
	if (strncmp(*at, what, n) != 0)
		return false;
	*at += n;
	return true;
}

static bool take_number(const char **at, const char *before, unsigned *out)
{
	char *end;
	if (!take(at, before) || **at < '0' || **at > '9')
		return false;
	*out = (unsigned)strtoul(*at, &end, 10);
	*at = end;
	return true;
}

/* ".f16", up to the next dot. */
static bool take_element(const char **at, TargetElement *out)
{
	if (!take(at, "."))
		return false;
	size_t n = strcspn(*at, ".");
	for (unsigned i = 0; i < TARGET_ELEMENT__COUNT; i++) {
		if (strlen(target_elements[i].name) != n || memcmp(target_elements[i].name, *at, n) != 0)
			continue;
		*out = (TargetElement)i;
		*at += n;
		return true;
	}
	return false;
}

static bool may_be_mixed(TargetElement a, TargetElement b)
{
	return a == b || (target_elements[a].bits == 8 && target_elements[b].bits == 8 &&
			  target_elements[a].is_real == target_elements[b].is_real);
}

static const TargetMma *find_row(TargetMmaFamily family, unsigned m, unsigned n, unsigned k, TargetElement a,
				 TargetElement c)
{
	for (size_t i = 0; i < ARRAY_LEN(mmas); i++)
		if (mmas[i].family == family && mmas[i].m == m && mmas[i].k == k && mmas[i].operand == a &&
		    mmas[i].accumulator == c && target_mma_takes_n(&mmas[i], n))
			return &mmas[i];
	return NULL;
}

static bool read_wgmma(const char **at, TargetProduct *p)
{
	p->a_in_registers = take(at, ".ra");
	p->rows_first[0] = take(at, ".ta");
	p->rows_first[1] = take(at, ".tb");
	p->fresh = take(at, ".new");
	bool steps = !strncmp(*at, ".x", 2), wide = target_elements[p->mma->operand].bits == 16;
	return (!steps || take_number(at, ".x", &p->steps)) && p->steps && p->steps <= MOST_STEPS &&
	       (wide || !(p->rows_first[0] || p->rows_first[1])) && !(p->a_in_registers && p->rows_first[0]);
}

bool target_product_read(TargetMmaFamily family, const char *name, TargetProduct *out)
{
	unsigned m, k;
	TargetElement c, a, again;
	TargetProduct p = {.steps = 1};
	if (!take_number(&name, "m", &m) || !take_number(&name, "n", &p.n) || !take_number(&name, "k", &k) ||
	    !take_element(&name, &c) || !take_element(&name, &a) || !take_element(&name, &p.b))
		return false;
	p.mma = find_row(family, m, p.n, k, a, c);
	if (!p.mma || !may_be_mixed(a, p.b))
		return false;
	bool right =
		family == TARGET_MMA_SYNC ? take_element(&name, &again) && again == c : read_wgmma(&name, &p);
	*out = p;
	return right && !*name;
}

unsigned target_product_words(const TargetProduct *p, unsigned operand)
{
	CONTRACT(operand < 3);
	const TargetMma *mma = p->mma;
	unsigned elements = operand == 0 ? mma->m * mma->k : operand == 1 ? mma->k * p->n : mma->m * p->n;
	unsigned bits = target_elements[operand == 2   ? mma->accumulator
					: operand == 1 ? p->b
						       : mma->operand]
				.bits;
	unsigned threads = mma->family == TARGET_MMA_SYNC ? TARGET_WARP_SIZE : WARP_GROUP;
	return elements * bits / MAX(bits, 32u) / threads;
}
