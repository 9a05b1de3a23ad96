/* Greatest and smallest of floats of 16 bits within a thread: two at once, in a word.
 *
 * Pairs are two terms of one result, or one term of two results that are neighbours: whichever
 * lie in a word as they were loaded. The order of combination does not show: an extreme is one
 * of its terms. Between lanes it is an f32, which a register holds by itself. */
#include "llvm/lower/combine.h"

#include "llvm/memory/shared.h"

typedef struct Pairs {
	Combine *c;
	IrType elem;
	LLVMTypeRef type; /* two elements */
	const char *name, *suffix;
	void **values;
} Pairs;

static const char *extreme_name(IrOpKind kind)
{
	switch (kind) {
	case OP_MAXNUMF: return "llvm.maxnum";
	case OP_MINNUMF: return "llvm.minnum";
	case OP_MAXIMUMF: return "llvm.maximum";
	case OP_MINIMUMF: return "llvm.minimum";
	default: return NULL;
	}
}

static LLVMValueRef call(const Pairs *p, const char *name, bool pair, const LLVMValueRef *args,
			 unsigned count)
{
	Lower *lw = p->c->lw;
	name = arena_printf(lw->arena, "%s.%s%s", name, pair ? "v2" : "", p->suffix);
	return lower_intrinsic(lw, name, LLVMTypeOf(args[0]), args, count);
}

static LLVMValueRef pair_of(const Pairs *p, uint32_t first, uint32_t second)
{
	Lower *lw = p->c->lw;
	LLVMValueRef part[] = {lower_to_bits(lw, p->values[first], p->elem),
			       lower_to_bits(lw, p->values[second], p->elem)};
	LLVMValueRef pair = LLVMBuildBitCast(lw->b, lower_pack(lw, part, 2, 16), p->type, "");
	return p->c->magnitudes ? call(p, "llvm.fabs", true, &pair, 1) : pair;
}

static LLVMValueRef single(const Pairs *p, uint32_t at)
{
	LLVMValueRef v = p->values[at];
	return p->c->magnitudes ? call(p, "llvm.fabs", false, &v, 1) : v;
}

/* As the plan does: in four chains, where there are as many. */
static LLVMValueRef extreme_of(const Pairs *p, bool pair, LLVMValueRef *v, uint32_t count)
{
	uint32_t chains = count % 4 == 0 ? 4 : count % 2 == 0 ? 2 : 1;
	for (uint32_t j = chains; j < count; j++)
		v[j % chains] = call(p, p->name, pair, (LLVMValueRef[]){v[j % chains], v[j]}, 2);
	for (uint32_t step = 1; step < chains; step *= 2)
		for (uint32_t j = 0; j < chains; j += 2 * step)
			v[j] = call(p, p->name, pair, (LLVMValueRef[]){v[j], v[j + step]}, 2);
	return v[0];
}

static LLVMValueRef part(const Pairs *p, LLVMValueRef pair, unsigned i)
{
	Lower *lw = p->c->lw;
	return LLVMBuildExtractElement(lw->b, pair, lower_i32(lw, (int32_t)i), "");
}

static bool are_neighbours(uint32_t first, uint32_t second)
{
	return first % 2 == 0 && second == first + 1;
}

static LLVMValueRef of_one_result(const Pairs *p, const uint32_t *term, uint32_t count, LLVMValueRef *v)
{
	uint32_t pairs = 0, singles = 0;
	LLVMValueRef last[3];
	for (uint32_t j = 0; j + 1 < count; j += 2)
		v[pairs++] = pair_of(p, term[j], term[j + 1]);
	if (pairs) {
		LLVMValueRef both = extreme_of(p, true, v, pairs);
		last[singles++] = part(p, both, 0);
		last[singles++] = part(p, both, 1);
	}
	if (count % 2)
		last[singles++] = single(p, term[count - 1]);
	return extreme_of(p, false, last, singles);
}

/* Are the terms of each two results neighbours, and not those of each one? */
static bool lie_beside(const uint32_t *term, uint32_t terms, uint32_t results)
{
	if (results % 2 || (terms > 1 && are_neighbours(term[0], term[1])))
		return false;
	for (uint32_t i = 0; i < results; i += 2)
		for (uint32_t j = 0; j < terms; j++)
			if (!are_neighbours(term[i * terms + j], term[(i + 1) * terms + j]))
				return false;
	return true;
}

LLVMValueRef lower_extreme(Combine *c, LLVMValueRef a, LLVMValueRef b)
{
	Pairs p = {.c = c, .suffix = "f32"};
	return call(&p, extreme_name(gpu_region_op(&c->op->regions[0])), false, (LLVMValueRef[]){a, b}, 2);
}

bool lower_fold_pairs(void *data, void **values, const uint32_t *term, uint32_t terms, uint32_t results,
		      void **out)
{
	Combine *c = data;
	Lower *lw = c->lw;
	if (!c->pairs)
		return false;
	IrType narrow = ir_operand(c->op, 0)->type->elem;
	LLVMTypeRef elem = lower_type(lw, narrow);
	Pairs p = {.c = c,
		   .elem = narrow,
		   .type = LLVMVectorType(elem, 2),
		   .name = extreme_name(gpu_region_op(&c->op->regions[0])),
		   .suffix = lower_type_suffix(lw, elem),
		   .values = values};
	LLVMValueRef *v = lower_array(lw, terms);
	bool beside = lie_beside(term, terms, results);
	for (uint32_t i = 0; i < results && !beside; i++)
		out[i] = of_one_result(&p, term + i * terms, terms, v);
	for (uint32_t i = 0; i < results && beside; i += 2) {
		for (uint32_t j = 0; j < terms; j++)
			v[j] = pair_of(&p, term[i * terms + j], term[(i + 1) * terms + j]);
		LLVMValueRef both = extreme_of(&p, true, v, terms);
		out[i] = part(&p, both, 0);
		out[i + 1] = part(&p, both, 1);
	}
	for (uint32_t i = 0; i < results; i++)
		out[i] = lower_widen(lw, out[i]);
	c->pairs = false;
	c->wide = true;
	return true;
}
