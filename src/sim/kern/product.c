/* mma.sync on the words of a warp: fragments to matrices, products up K in order, and back.
 *
 * Lane 4 g + t holds row g (and g + 8) of A and C, column g of B; along K its words are t and t + 4 and so on, of as many
 * elements as fit 32 bits; columns of C are 2 t and 2 t + 1. So a word of A or B, lane after lane, is a block of eight rows (of
 * eight columns of B), row by row. Products of 16 bits and less, and of tf32, are exact in f32: sums round once for each product. fp16 sums
 * are rounded to fp16 at the end. tf32 reads the high 19 bits. Source: PTX ISA 8.8, "Matrix Fragments for mma". */
#include "sim/half.h"
#include "sim/kern/kern.h"

enum { ROWS = 16, COLUMNS = 8, DEPTH = 32 };

/* ---- a word to elements ---- */

static inline float from_tf32(uint32_t x)
{
	return half_float(x & 0xffffe000);
}

/* The exponent moves into place by a product, which makes normal numbers of those without a leading one. */
static inline float from_e4m3(uint8_t x)
{
	uint32_t size = x & 127u, sign = (uint32_t)(x & 128u) << 24;
	float v = half_float(size << 20) * 0x1p120f;
	return half_float((size == 127 ? 0x7fc00000 : half_bits(v)) | sign);
}

static inline float from_e5m2(uint8_t x)
{
	return half_from_f16((uint16_t)(x << 8));
}

/* Eight rows of a word's elements, to rows `DEPTH` elements apart. */
#define SPREAD(name, T, E, get)                                                                   \
	static void name(E *to, const void *slot)                                                 \
	{                                                                                         \
		enum { WIDE = sizeof(T) < 4 ? 16 / sizeof(T) : 4 };                               \
		T in[8 * WIDE];                                                                   \
		E out[8 * WIDE];                                                                  \
		memcpy(in, slot, sizeof in);                                                      \
		for (unsigned i = 0; i < 8 * WIDE; i++)                                           \
			out[i] = get(in[i]);                                                      \
		for (unsigned row = 0; row < 8; row++)                                            \
			memcpy(to + row * DEPTH, out + row * WIDE, WIDE * sizeof *to);            \
	}
#define SAME(x) (x)
#define SIGNED(x) ((uint32_t)(x))
SPREAD(spread_f16, uint16_t, float, half_from_f16)
SPREAD(spread_bf16, uint16_t, float, half_from_bf16)
SPREAD(spread_tf32, uint32_t, float, from_tf32)
SPREAD(spread_e4m3, uint8_t, float, from_e4m3)
SPREAD(spread_e5m2, uint8_t, float, from_e5m2)
SPREAD(spread_s8, int8_t, uint32_t, SIGNED)
SPREAD(spread_u8, uint8_t, uint32_t, SAME)
SPREAD(spread_f64, double, double, SAME)

static void spread_real(TargetElement type, float *to, const void *slot)
{
	switch (type) {
	case TARGET_ELEMENT_F16: spread_f16(to, slot); break;
	case TARGET_ELEMENT_BF16: spread_bf16(to, slot); break;
	case TARGET_ELEMENT_TF32: spread_tf32(to, slot); break;
	case TARGET_ELEMENT_E4M3: spread_e4m3(to, slot); break;
	default: spread_e5m2(to, slot);
	}
}

static void spread_int(TargetElement type, uint32_t *to, const void *slot)
{
	if (type == TARGET_ELEMENT_S8)
		spread_s8(to, slot);
	else
		spread_u8(to, slot);
}

static void spread_double(TargetElement type, double *to, const void *slot)
{
	(void)type;
	spread_f64(to, slot);
}

/* ---- products ---- */

/* A row of eight; the compilers' own vectors, as they would vectorise the sum along K, by shuffles. */
typedef float Real8 __attribute__((vector_size(32)));
typedef uint32_t Int8 __attribute__((vector_size(32)));
typedef struct Double8 {
	double of[COLUMNS];
} Double8;

/* A row by row, B column by column into rows of its own. */
#define GATHER(E, Row, spread)                                                                    \
	E a[ROWS][DEPTH], columns[COLUMNS][DEPTH];                                                \
	Row b[DEPTH];                                                                             \
	unsigned halves = x->m / 8, wide = x->bits < 32 ? 128 / x->bits : 4;                      \
	for (unsigned q = 0; q < x->a_words; q++)                                                 \
		spread(x->a, &a[8 * (q % halves)][q / halves * wide], from[q]);                   \
	for (unsigned q = 0; q < x->b_words; q++)                                                 \
		spread(x->b, &columns[0][q * wide], from[x->a_words + q]);                        \
	for (unsigned k = 0; k < x->k; k++)                                                       \
		for (unsigned n = 0; n < COLUMNS; n++)                                            \
			((E *)&b[k])[n] = columns[n][k];                                          \
	const void *const *c_from = from + x->a_words + x->b_words;

/* A row of C plus the products of the row of A. */
#define MULTIPLY(name, E, Row, add)                                                               \
	static void name(E *c, const E *a, const Row *b, unsigned depth)                          \
	{                                                                                         \
		Row now;                                                                          \
		memcpy(&now, c, sizeof now);                                                      \
		for (unsigned k = 0; k < depth; k++)                                              \
			add(now, a[k], b[k]);                                                     \
		memcpy(c, &now, sizeof now);                                                      \
	}
#define ADD(now, a, b) now += (a) * (b)
#define ADD_FUSED(now, a, b)                                                                      \
	for (unsigned n = 0; n < COLUMNS; n++)                                                    \
		now.of[n] = fma(a, (b).of[n], now.of[n])
MULTIPLY(multiply_real, float, Real8, ADD)
MULTIPLY(multiply_int, uint32_t, Int8, ADD)
MULTIPLY(multiply_double, double, Double8, ADD_FUSED)

/* Words 2 h and 2 h + 1 of C hold its even and its odd columns, rows 8 h and on. */
#define JOIN(E)                                                                                   \
	E c[ROWS][COLUMNS];                                                                       \
	for (unsigned h = 0; h < x->c_words / 2; h++) {                                           \
		const E *even = c_from[2 * h], *odd = c_from[2 * h + 1];                          \
		for (unsigned lane = 0; lane < SIM_LANES; lane++) {                               \
			(&c[8 * h][0])[2 * lane] = even[lane];                                    \
			(&c[8 * h][0])[2 * lane + 1] = odd[lane];                                 \
		}                                                                                 \
	}
#define PART(E, put)                                                                              \
	for (unsigned h = 0; h < x->c_words / 2; h++) {                                           \
		E *even = to[2 * h], *odd = to[2 * h + 1];                                        \
		for (unsigned lane = 0; lane < SIM_LANES; lane++) {                               \
			even[lane] = put((&c[8 * h][0])[2 * lane]);                               \
			odd[lane] = put((&c[8 * h][0])[2 * lane + 1]);                            \
		}                                                                                 \
	}

static void product_f32(const SimMma *x, void *const *to, const void *const *from)
{
	GATHER(float, Real8, spread_real)
	JOIN(float)
	for (unsigned r = 0; r < x->m; r++)
		multiply_real(c[r], a[r], b, x->k);
	PART(float, half_clean)
}

/* C in fp16: a word is eight rows, as of A. */
static void product_f16(const SimMma *x, void *const *to, const void *const *from)
{
	GATHER(float, Real8, spread_real)
	for (unsigned h = 0; h < x->c_words; h++) {
		float rows[8][DEPTH];
		uint16_t out[8][COLUMNS];
		spread_f16(rows[0], c_from[h]);
		for (unsigned r = 0; r < 8; r++) {
			multiply_real(rows[r], a[8 * h + r], b, x->k);
			for (unsigned n = 0; n < COLUMNS; n++)
				out[r][n] = half_to_f16(rows[r][n]);
		}
		memcpy(to[h], out, sizeof out);
	}
}

static void product_s32(const SimMma *x, void *const *to, const void *const *from)
{
	GATHER(uint32_t, Int8, spread_int)
	JOIN(uint32_t)
	for (unsigned r = 0; r < x->m; r++)
		multiply_int(c[r], a[r], b, x->k);
	PART(uint32_t, SAME)
}

static void product_f64(const SimMma *x, void *const *to, const void *const *from)
{
	GATHER(double, Double8, spread_double)
	JOIN(double)
	for (unsigned r = 0; r < x->m; r++)
		multiply_double(c[r], a[r], b, x->k);
	PART(double, SAME)
}

void SIM_NAME(sim_product)(const SimMma *x, void *const *to, const void *const *from)
{
	if (x->a == TARGET_ELEMENT_F64)
		product_f64(x, to, from);
	else if (x->a == TARGET_ELEMENT_S8 || x->a == TARGET_ELEMENT_U8)
		product_s32(x, to, from);
	else if (x->half)
		product_f16(x, to, from);
	else
		product_f32(x, to, from);
}
