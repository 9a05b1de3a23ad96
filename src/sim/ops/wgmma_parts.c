/* Matrices of a warp group's product in shared memory, and the product.
 *
 * They are cut in parts of 16 bytes, which are a row of a fragment's words. A descriptor has the
 * address, the leading and the stride distance (bits 0, 16, 32: sixteens of bytes), and the swizzle
 * (bits 62, 63: none, 128, 64, 32 bytes). With T elements in 16 bytes and S in the swizzle (T
 * without one) element (row, k) is at
 *
 *	along K first      row % 8 * (S bytes) + row / 8 * stride + k;
 *	                   without a swizzle k / T * leading
 *	along rows first   row % S + k % 8 * (S bytes);
 *	                   with a swizzle row / S * leading + k / 8 * stride,
 *	                   without row / T * stride + k / 8 * leading
 *
 * and 16-byte parts change places by the address, as in tensor.c. */
#include "sim/check/define_product.h"
#include "sim/ops/machine.h"
#include "sim/ops/wgmma.h"

static uint32_t part_at(uint64_t descriptor, unsigned row, unsigned k, unsigned bytes, bool rows_first)
{
	static const unsigned spans[] = {16, 128, 64, 32};
	uint32_t base = (uint32_t)(descriptor & 0x3fff) * 16,
		 leading = (uint32_t)(descriptor >> 16 & 0x3fff) * 16,
		 stride = (uint32_t)(descriptor >> 32 & 0x3fff) * 16;
	unsigned mode = (unsigned)(descriptor >> 62), span = spans[mode], of_span = span / bytes;
	uint32_t at;
	if (!rows_first)
		at = row % 8 * span + row / 8 * stride +
		     (mode ? k * bytes : k * bytes / WGMMA_PART * leading);
	else
		at = row % of_span * bytes + k % 8 * span +
		     (mode ? row / of_span * leading + k / 8 * stride
			   : row / of_span * stride + k / 8 * leading);
	at += base;
	return mode ? at ^ (at >> 7 & (span / WGMMA_PART - 1)) << 4 : at;
}

static void list_parts(const Wgmma *x, uint64_t descriptor, unsigned first, unsigned rows, bool rows_first,
		       Parts *out)
{
	unsigned bytes = x->shape.bits / 8, each = WGMMA_PART / bytes;
	out->count = 0;
	ASSERT(rows * x->shape.k * bytes <= ARRAY_LEN(out->at) * WGMMA_PART);
	for (unsigned row = 0; row < rows; row += rows_first ? each : 1)
		for (unsigned k = 0; k < x->shape.k; k += rows_first ? 1 : each)
			out->at[out->count++] = part_at(descriptor, first + row, k, bytes, rows_first);
}

/* Words of eight rows each: word `2 * (half of K)` and, of A, one more for rows 8 to 15. */
static void put_part(const Wgmma *x, Words *words, unsigned per_half, unsigned number, bool rows_first,
		     const uint8_t *from)
{
	if (!rows_first) {
		unsigned row = number / 2, half = number % 2;
		memcpy((uint8_t *)words[half * per_half + row / 8].lane + row % 8 * WGMMA_PART, from,
		       WGMMA_PART);
		return;
	}
	/* Eight rows of 16 bits at one k. */
	unsigned group = number / x->shape.k, k = number % x->shape.k;
	uint8_t *to = (uint8_t *)words[k / 8 * per_half + group].lane;
	for (unsigned row = 0; row < 8; row++)
		memcpy(to + row * WGMMA_PART + k % 8 * 2, from + 2 * row, 2);
}

void wgmma_find_parts(const SimWarp *w, const Wgmma *x, uint64_t a, uint64_t b, Parts *of_a, Parts *of_b)
{
	of_a->count = 0;
	if (!x->words)
		list_parts(x, a, w->index % 4 * 16, 16, x->rows_first[0], of_a);
	list_parts(x, b, 0, x->n, x->rows_first[1], of_b);
}

void wgmma_multiply(SimWarp *w, const Wgmma *x, const Parts *of_a, const Parts *of_b, Words *a, bool added,
		    void *const *to, const void *const *from)
{
	static const Words zeros;
	const uint8_t *shared = w->shared;
	unsigned parts = of_b->count / (x->n / 8); /* of eight columns */
	for (unsigned p = 0; p < of_a->count; p++)
		put_part(x, a, 2, p, x->rows_first[0], shared + of_a->at[p]);
	for (unsigned j = 0; j < x->n / 8; j++) {
		Words b[WGMMA_B_WORDS];
		const void *in[WGMMA_A_WORDS + WGMMA_B_WORDS + 4];
		for (unsigned p = 0; p < parts; p++)
			put_part(x, b, 1, p, x->rows_first[1], shared + of_b->at[j * parts + p]);
		for (unsigned k = 0; k < WGMMA_A_WORDS; k++)
			in[k] = &a[k];
		for (unsigned k = 0; k < WGMMA_B_WORDS; k++)
			in[WGMMA_A_WORDS + k] = &b[k];
		for (unsigned k = 0; k < x->each; k++)
			in[WGMMA_A_WORDS + WGMMA_B_WORDS + k] = added ? from[j * x->each + k] : &zeros;
		x->multiply(&x->shape, to + j * x->each, in);
	}
}

bool wgmma_any_hollow(SimWarp *w, const Parts *parts, uint32_t *origin)
{
	for (unsigned p = 0; p < parts->count; p++) {
		const uint8_t *bits = sim_hollow_shared(w, parts->at[p], false);
		for (unsigned k = 0; bits && k < WGMMA_PART; k++) {
			if (!bits[k])
				continue;
			*origin = w->cta->hollow->origin[(w->base + parts->at[p] + k) / 4];
			return true;
		}
	}
	return false;
}

/* As `multiply`, of the bits that are not defined. */
void wgmma_multiply_hollow(SimWarp *w, const Wgmma *x, const Parts *of_a, const Parts *of_b, Words *a,
			    bool added, Words *accumulators)
{
	static const Words zeros;
	const uint8_t *shared = sim_hollow_shared(w, 0, true);
	unsigned parts = of_b->count / (x->n / 8);
	for (unsigned p = 0; p < of_a->count && shared; p++)
		put_part(x, a, 2, p, x->rows_first[0], shared + of_a->at[p]);
	for (unsigned j = 0; j < x->n / 8 && shared; j++) {
		Words b[WGMMA_B_WORDS];
		const uint8_t *of[2][WGMMA_A_WORDS], *sum[4];
		uint8_t *to[4];
		for (unsigned p = 0; p < parts; p++)
			put_part(x, b, 1, p, x->rows_first[1], shared + of_b->at[j * parts + p]);
		for (unsigned k = 0; k < WGMMA_A_WORDS; k++)
			of[0][k] = (const uint8_t *)&a[k];
		for (unsigned k = 0; k < WGMMA_B_WORDS; k++)
			of[1][k] = (const uint8_t *)&b[k];
		for (unsigned k = 0; k < x->each; k++) {
			to[k] = (uint8_t *)&accumulators[j * x->each + k];
			sum[k] = added ? to[k] : (const uint8_t *)&zeros;
		}
		sim_product_undefined(&x->shape, x->multiply, of[0], of[1], sum, to);
	}
}
