/* mma.sync: which product a call asks for; the product itself is in kern/product.c. */
#include "sim/ops/machine.h"
#include "sim/ops.h"

/* m16n8k16 of f64 has the most: 8 words of A, 4 of B and of C. */
enum { MAX_WORDS = 4, MAX_OPERANDS = 16 };

typedef struct Mma {
	SimMma shape;
	SimProduct *multiply;
} Mma;

static bool mma(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const Mma *x = i->data;
	void *to[MAX_WORDS];
	const void *from[MAX_OPERANDS];
	if (!machine_whole(w, i, mask, "mma.sync"))
		return false;
	for (unsigned q = 0; q < i->results; q++)
		to[q] = sim_result(w, i, q);
	for (unsigned q = 0; q < i->operands; q++)
		from[q] = sim_operand(w, i, q);
	x->multiply(&x->shape, to, from);
	return true;
}

SimMma mma_shape_of(const TargetProduct *p)
{
	const TargetMma *mma = p->mma;
	return (SimMma){
		.m = mma->m,
		.n = p->n,
		.k = mma->k,
		.bits = target_elements[mma->operand].bits,
		.a = mma->operand,
		.b = p->b,
		.half = mma->accumulator == TARGET_ELEMENT_F16,
		.a_words = target_product_words(p, 0),
		.b_words = target_product_words(p, 1),
		.c_words = target_product_words(p, 2),
	};
}

static bool decode_mma(SimDecoder *d, LLVMValueRef call, const char *suffix)
{
	Mma *product = ARENA_NEW(d->arena, Mma);
	SimMma *x = &product->shape;
	TargetProduct p;
	if (!suffix || !target_product_read(TARGET_MMA_SYNC, suffix, &p))
		return sim_refuse(d, "the product '%s'", suffix ? suffix : "");
	*x = mma_shape_of(&p);
	unsigned operands = x->a_words + x->b_words + x->c_words;
	ASSERT(x->c_words <= MAX_WORDS && operands <= MAX_OPERANDS);
	product->multiply = d->ops->product;
	SimInstr *i = machine_effect(d, call, mma, 0);
	if (!i)
		return false;
	i->data = product;
	return (i->results == x->c_words && i->operands == operands) || sim_refuse(d, "the product '%s' of so many words", suffix);
}
const SimMachine sim_machine_mma_sync = {.decode = decode_mma};
