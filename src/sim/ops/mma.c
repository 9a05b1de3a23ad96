/* mma.sync: which product a call asks for; the product itself is in kern/product.c. */
#include <stdio.h>

#include "sim/ops/machine.h"
#include "sim/ops.h"

/* m16n8k16 of f64 has the most: 8 words of A, 4 of B and of C. */
enum { MAX_WORDS = 4, MAX_OPERANDS = 16 };

typedef struct Mma {
	SimMma shape;
	SimProduct *multiply;
} Mma;

static const struct {
	const char *name;
	MmaType type;
	unsigned bits;
} types[] = {{"f16", MMA_F16, 16}, {"bf16", MMA_BF16, 16}, {"tf32", MMA_TF32, 32}, {"e4m3", MMA_E4M3, 8},
	     {"e5m2", MMA_E5M2, 8}, {"s8", MMA_S8, 8}, {"u8", MMA_U8, 8}, {"f64", MMA_F64, 64}};

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

bool mma_find_type(Str name, MmaType *type, unsigned *bits)
{
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		if (str_is(name, types[i].name)) {
			*type = types[i].type;
			*bits = types[i].bits;
			return true;
		}
	}
	return false;
}

static bool decode_mma(SimDecoder *d, LLVMValueRef call, const char *suffix)
{
	Mma *product = ARENA_NEW(d->arena, Mma);
	SimMma *x = &product->shape;
	int len = 0;
	unsigned bits;
	if (!suffix || sscanf(suffix, "m%un%uk%u.%n", &x->m, &x->n, &x->k, &len) != 3 || !len)
		return sim_refuse(d, "the product '%s'", suffix ? suffix : "");
	Str part[4] = {0};
	for (unsigned p = 0; p < 4; p++) {
		size_t n = strcspn(suffix + len, ".");
		part[p] = (Str){suffix + len, n};
		len += (int)n + (suffix[len + (int)n] == '.');
	}
	if (!mma_find_type(part[1], &x->a, &x->bits) || !mma_find_type(part[2], &x->b, &bits) || bits != x->bits || x->m > 16 || x->n != 8 ||
	    x->k > 32 || x->m < 8)
		return sim_refuse(d, "the product '%s'", suffix);
	unsigned per = x->bits < 32 ? 32 / x->bits : 1;
	x->half = str_is(part[0], "f16");
	x->a_words = x->m * x->k / SIM_LANES / per;
	x->b_words = x->k * x->n / SIM_LANES / per;
	x->c_words = x->m * x->n / SIM_LANES / (x->half ? 2 : 1);
	product->multiply = d->ops->product;
	if (x->c_words > MAX_WORDS || x->a_words + x->b_words + x->c_words > MAX_OPERANDS)
		return sim_refuse(d, "the product '%s'", suffix);
	SimInstr *i = machine_effect(d, call, mma, 0);
	if (!i)
		return false;
	i->data = product;
	return (i->results == x->c_words && i->operands == x->a_words + x->b_words + x->c_words) ||
	       sim_refuse(d, "the product '%s' of so many words", suffix);
}
const SimMachine sim_machine_mma_sync = {.decode = decode_mma};
