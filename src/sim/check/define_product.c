/* Definedness of products of matrices: a row of the result is not defined where its row of A is
 * not, a column where its column of B is not. Which those are, the product itself says: of
 * matrices that are 1 where an element is not defined, by matrices of ones. */
#include "sim/check/define.h"
#include "sim/check/define_product.h"

enum { MOST_WORDS = 8, MOST_RESULTS = 4 };

typedef struct Words {
	_Alignas(64) uint8_t of[MOST_WORDS][SIM_SLOT];
} Words;

static uint64_t one_of(TargetElement type)
{
	switch (type) {
	case TARGET_ELEMENT_F16: return 0x3c00;
	case TARGET_ELEMENT_BF16: return 0x3f80;
	case TARGET_ELEMENT_TF32: return 0x3f800000;
	case TARGET_ELEMENT_E4M3: return 0x38;
	case TARGET_ELEMENT_E5M2: return 0x3c;
	case TARGET_ELEMENT_F64: return UINT64_C(0x3ff0000000000000);
	default: return 1;
	}
}

/* 1 for each element some of whose bits are set; all of them, where there are no bits. */
static void mark(TargetElement type, const uint8_t *bits, uint8_t *out)
{
	unsigned bytes = target_elements[type].bits < 8 ? 1
			 : type == TARGET_ELEMENT_TF32	? 4
							: target_elements[type].bits / 8;
	unsigned size = bytes == 8 ? SIM_SLOT : SIM_LANES * 4;
	uint64_t one = one_of(type);
	memset(out, 0, SIM_SLOT);
	for (unsigned at = 0; at < size; at += bytes) {
		uint64_t element = 0;
		if (bits)
			memcpy(&element, bits + at, bytes);
		if (!bits || element)
			memcpy(out + at, &one, bytes);
	}
}

static void count(const SimMma *x, SimProduct *multiply, const uint8_t *const *a, const uint8_t *const *b,
		  Words *out)
{
	Words left, right;
	_Alignas(64) static const uint8_t zeros[SIM_SLOT];
	void *to[MOST_RESULTS];
	const void *from[2 * MOST_WORDS + MOST_RESULTS];
	for (unsigned k = 0; k < x->a_words; k++) {
		mark(x->a, a ? a[k] : NULL, left.of[k]);
		from[k] = left.of[k];
	}
	for (unsigned k = 0; k < x->b_words; k++) {
		mark(x->b, b ? b[k] : NULL, right.of[k]);
		from[x->a_words + k] = right.of[k];
	}
	for (unsigned k = 0; k < x->c_words; k++) {
		to[k] = out->of[k];
		from[x->a_words + x->b_words + k] = zeros;
	}
	multiply(x, to, from);
}

void sim_product_undefined(const SimMma *x, SimProduct *multiply, const uint8_t *const *a,
			   const uint8_t *const *b, const uint8_t *const *c, uint8_t *const *out)
{
	ASSERT(x->a_words <= MOST_WORDS && x->b_words <= MOST_WORDS && x->c_words <= MOST_RESULTS);
	Words rows, columns;
	unsigned bytes = x->a == TARGET_ELEMENT_F64 ? 8
			 : x->half		    ? 2
						    : 4,
		 size = bytes == 8 ? SIM_SLOT : SIM_LANES * 4;
	count(x, multiply, a, NULL, &rows);
	count(x, multiply, NULL, b, &columns);
	for (unsigned k = 0; k < x->c_words; k++) {
		for (unsigned at = 0; at < size; at += bytes) {
			uint64_t any = 0, old = 0;
			memcpy(&any, rows.of[k] + at, bytes);
			memcpy(&old, columns.of[k] + at, bytes);
			any |= old;
			memcpy(&old, c[k] + at, bytes);
			memset(out[k] + at, any | old ? 0xff : 0, bytes);
		}
	}
}
