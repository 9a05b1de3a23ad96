/* mma.sync: which product a call asks for; the product itself is in kern/product.c. */
#include "sim/check/define_product.h"
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

static void define_mma(SimWarp *w, const SimInstr *i, uint32_t mask, bool done)
{
	const Mma *x = i->data;
	unsigned bytes = x->shape.a == TARGET_ELEMENT_F64 ? 8 : 4;
	const uint8_t *in[MAX_OPERANDS];
	_Alignas(64) uint8_t bits[MAX_WORDS][SIM_SLOT];
	uint8_t *out[MAX_WORDS];
	uint32_t mixed = 0, origin = 0;
	for (unsigned q = 0; q < i->operands && done; q++) {
		uint32_t slot = i->slots[i->results + q];
		origin = w->defined->lanes[slot] && !mixed ? w->defined->origin[slot] : origin;
		mixed |= w->defined->lanes[slot];
		in[q] = sim_undefined_bits(w, slot, bytes);
	}
	sim_define_nothing(w, i, mask, done);
	if (!mixed)
		return;
	for (unsigned q = 0; q < i->results; q++)
		out[q] = bits[q];
	sim_product_undefined(&x->shape, x->multiply, in, in + x->shape.a_words,
			      in + x->shape.a_words + x->shape.b_words, out);
	for (unsigned q = 0; q < i->results; q++)
		sim_put_undefined(w, i->slots[q], bytes, mask, bits[q], origin);
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
	i->define = define_mma;
	return (i->results == x->c_words && i->operands == operands) || sim_refuse(d, "the product '%s' of so many words", suffix);
}
const SimMachine sim_machine_mma_sync = {.decode = decode_mma};
