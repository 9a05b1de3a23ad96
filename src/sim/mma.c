/* mma.sync: fragments to matrices, products up K in order, and back.
 *
 * Lane 4 g + t holds row g (and g + 8) of A and C, column g of B; along K its words are t and t + 4 and so on, of as many
 * elements as fit 32 bits; columns of C are 2 t and 2 t + 1. Products of 16 bits and less, and of tf32, are exact in f32: sums
 * round once for each product. fp16 sums are rounded to fp16 at the end. tf32 reads the high 19 bits. Source: PTX ISA 8.8, "Matrix
 * Fragments for mma". */
#include <stdio.h>

#include "sim/half.h"
#include "sim/machine.h"

typedef enum { MMA_F16, MMA_BF16, MMA_TF32, MMA_E4M3, MMA_E5M2, MMA_S8, MMA_U8, MMA_F64 } MmaType;

typedef struct Mma {
	unsigned m, n, k, bits;
	MmaType a, b;
	bool half; /* C is fp16, two to a word */
} Mma;

static const struct {
	const char *name;
	MmaType type;
	unsigned bits;
} types[] = {{"f16", MMA_F16, 16}, {"bf16", MMA_BF16, 16}, {"tf32", MMA_TF32, 32}, {"e4m3", MMA_E4M3, 8},
	     {"e5m2", MMA_E5M2, 8}, {"s8", MMA_S8, 8}, {"u8", MMA_U8, 8}, {"f64", MMA_F64, 64}};

static float real_of(MmaType type, uint32_t bits)
{
	switch (type) {
	case MMA_F16: return half_from_f16((uint16_t)bits);
	case MMA_BF16: return half_from_bf16((uint16_t)bits);
	case MMA_TF32: return half_float(bits & 0xffffe000);
	case MMA_E4M3: return (float)fp_to_double(FP_E4M3FN, bits);
	default: return (float)fp_to_double(FP_E5M2, bits);
	}
}

static int32_t int_of(MmaType type, uint32_t bits)
{
	return type == MMA_S8 ? (int8_t)bits : (int32_t)bits;
}

/* Place of element e of word `word` in lane `lane`: row or column g, and along K. */
static unsigned along(const Mma *x, unsigned lane, unsigned step, unsigned e)
{
	unsigned per = x->bits < 32 ? 32 / x->bits : 1;
	return lane % 4 * per + e + 4 * per * step;
}

#define READ(M, T, get)                                                                                        \
	unsigned halves = x->m / 8, per = x->bits < 32 ? 32 / x->bits : 1;                                     \
	unsigned a_words = x->m * x->k / 32 / per, b_words = x->k * x->n / 32 / per;                           \
	for (unsigned q = 0; q < a_words + b_words; q++) {                                                     \
		const T *from = sim_operand(w, i, q);                                                          \
		bool is_a = q < a_words;                                                                       \
		unsigned step = is_a ? q / halves : q - a_words;                                               \
		for (unsigned lane = 0; lane < SIM_LANES; lane++) {                                            \
			unsigned g = lane / 4 + (is_a ? 8 * (q % halves) : 0);                                 \
			for (unsigned e = 0; e < per; e++) {                                                   \
				unsigned k = along(x, lane, step, e);                                          \
				T word = from[lane];                                                           \
				if (is_a)                                                                      \
					a[g][k] = get(x->a, word, e);                                          \
				else                                                                           \
					b[k][g] = get(x->b, word, e);                                          \
			}                                                                                      \
		}                                                                                              \
	}                                                                                                      \
	unsigned c_words = i->operands - a_words - b_words;

#define PART(word, e) (x->bits == 32 ? (word) : (word) >> ((e) * x->bits) & ((1u << x->bits) - 1))
#define REAL(type, word, e) real_of(type, PART(word, e))
#define INTEGER(type, word, e) int_of(type, PART(word, e))
#define DOUBLE(type, word, e) ((void)(type), (void)(e), (word))

static void multiply_f32(const float a[16][32], float b[32][8], float c[16][8], unsigned m, unsigned depth)
{
	for (unsigned r = 0; r < m; r++)
		for (unsigned k = 0; k < depth; k++)
			for (unsigned n = 0; n < 8; n++)
				c[r][n] += a[r][k] * b[k][n];
}

static bool mma_f32(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const Mma *x = i->data;
	float a[16][32], b[32][8], c[16][8];
	if (!machine_whole(w, i, mask, "mma.sync"))
		return false;
	READ(float, uint32_t, REAL)
	for (unsigned q = 0; q < c_words; q++) {
		const uint32_t *from = sim_operand(w, i, a_words + b_words + q);
		for (unsigned lane = 0; lane < SIM_LANES; lane++) {
			unsigned g = lane / 4, t = lane % 4 * 2;
			if (x->half) {
				c[g + 8 * q][t] = half_from_f16((uint16_t)from[lane]);
				c[g + 8 * q][t + 1] = half_from_f16((uint16_t)(from[lane] >> 16));
			} else {
				c[g + 8 * (q / 2)][t + q % 2] = half_float(from[lane]);
			}
		}
	}
	multiply_f32(a, b, c, x->m, x->k);
	for (unsigned q = 0; q < c_words; q++) {
		uint32_t *to = sim_result(w, i, q);
		for (unsigned lane = 0; lane < SIM_LANES; lane++) {
			unsigned g = lane / 4, t = lane % 4 * 2;
			float v = x->half ? 0 : c[g + 8 * (q / 2)][t + q % 2];
			if (x->half)
				to[lane] = half_to_f16(c[g + 8 * q][t]) | (uint32_t)half_to_f16(c[g + 8 * q][t + 1]) << 16;
			else
				to[lane] = v == v ? half_bits(v) : 0x7fffffff;
		}
	}
	return true;
}

static bool mma_s32(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const Mma *x = i->data;
	int32_t a[16][32], b[32][8];
	if (!machine_whole(w, i, mask, "mma.sync"))
		return false;
	READ(int32_t, uint32_t, INTEGER)
	for (unsigned q = 0; q < c_words; q++) {
		const uint32_t *from = sim_operand(w, i, a_words + b_words + q);
		uint32_t *to = sim_result(w, i, q);
		for (unsigned lane = 0; lane < SIM_LANES; lane++) {
			unsigned g = lane / 4 + 8 * (q / 2), n = lane % 4 * 2 + q % 2;
			uint32_t sum = from[lane];
			for (unsigned k = 0; k < x->k; k++)
				sum += (uint32_t)(a[g][k] * b[k][n]);
			to[lane] = sum;
		}
	}
	return true;
}

static bool mma_f64(SimWarp *w, const SimInstr *i, uint32_t mask)
{
	const Mma *x = i->data;
	double a[16][32], b[32][8];
	if (!machine_whole(w, i, mask, "mma.sync"))
		return false;
	READ(double, double, DOUBLE)
	for (unsigned q = 0; q < c_words; q++) {
		const double *from = sim_operand(w, i, a_words + b_words + q);
		double *to = sim_result(w, i, q);
		for (unsigned lane = 0; lane < SIM_LANES; lane++) {
			unsigned g = lane / 4 + 8 * (q / 2), n = lane % 4 * 2 + q % 2;
			double sum = from[lane];
			for (unsigned k = 0; k < x->k; k++)
				sum = fma(a[g][k], b[k][n], sum);
			to[lane] = sum;
		}
	}
	return true;
}

static bool find_type(Str name, MmaType *type, unsigned *bits)
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
	Mma *x = ARENA_NEW(d->arena, Mma);
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
	if (!find_type(part[1], &x->a, &x->bits) || !find_type(part[2], &x->b, &bits) || bits != x->bits || x->m > 16 || x->n != 8 ||
	    x->k > 32 || x->m < 8)
		return sim_refuse(d, "the product '%s'", suffix);
	x->half = str_is(part[0], "f16");
	SimEffect *fn = x->a == MMA_F64 ? mma_f64 : x->a == MMA_S8 || x->a == MMA_U8 ? mma_s32 : mma_f32;
	SimInstr *i = machine_effect(d, call, fn, 0);
	if (i)
		i->data = x;
	return i != NULL;
}
const SimMachine sim_machine_mma_sync = {.decode = decode_mma};
