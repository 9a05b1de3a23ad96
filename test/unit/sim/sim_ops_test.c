/* The simulator's loops over lanes: every instruction set gives the same bits, and products those of a plain sum. */
#include "needs_llvm.h"

#ifdef NESO_HAVE_LLVM

#include <string.h>

#include "sim/half.h"
#include "sim/ops.h"

typedef union Slot {
	_Alignas(64) uint8_t byte[SIM_SLOT];
	uint16_t half[SIM_LANES];
	uint32_t word[SIM_LANES];
	float real[SIM_LANES];
	double wide[SIM_LANES];
} Slot;

static uint64_t state = 88172645463325252u;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Bits of all kinds, and numbers at which operations change: small ones, their negatives, highest bits, infinities. */
static void fill(Slot *slot, unsigned bytes)
{
	static const uint64_t special[] = {0, 1, 2, UINT64_MAX, (uint64_t)1 << 63, 0x7ff0000000000000u, 0xfff0000000000000u, 0x3ff0000000000000u,
					   0x7f8000007f800000u, 0xff800000ff800000u, 0x3f8000003f800000u, 0x7c007c007c007c00u,
					   0x8000800080008000u, 0x0001000100010001u, 31, 32, 63, 64};
	for (unsigned at = 0; at < SIM_SLOT; at += bytes) {
		uint64_t bits = next_random(), other = next_random();
		uint64_t v = other % 3 ? bits >> other % 64 : special[bits % (sizeof special / sizeof *special)];
		memcpy(slot->byte + at, &v, bytes);
	}
}

typedef struct Inputs {
	Slot a, b, c;
} Inputs;

static void same(const char *what, unsigned row, unsigned column, SimPure *plain, SimPure *best, const Inputs *in, uint64_t imm)
{
	static Slot x, y;
	memset(&x, 0, sizeof x);
	memset(&y, 0, sizeof y);
	plain(&x, &in->a, &in->b, &in->c, imm);
	best(&y, &in->a, &in->b, &in->c, imm);
	if (memcmp(&x, &y, sizeof x) != 0)
		fail_msg("%s[%u][%u] differs from the plain loop", what, row, column);
}

#define SAME(table, row, column, imm) same(#table, row, column, plain->table[row][column], best->table[row][column], &in, imm)
#define SAME_ROW(table, column, imm) same(#table, 0, column, plain->table[column], best->table[column], &in, imm)

static void compare_integers(const SimOps *plain, const SimOps *best, unsigned size)
{
	static Inputs in;
	unsigned bytes = 1u << size;
	fill(&in.a, bytes);
	fill(&in.b, bytes);
	fill(&in.c, bytes);
	for (unsigned op = 0; op < OPS_INT__COUNT; op++)
		SAME(ints, op, size, 0);
	for (unsigned op = 0; op < OPS_CMP__COUNT; op++)
		SAME(icmp, op, size, 0);
	for (unsigned to = 0; to < 4; to++) {
		SAME(zext, size, to, 0);
		SAME(sext, size, to, 0);
		SAME(sitofp, size, to, 0);
		SAME(uitofp, size, to, 0);
	}
	SAME_ROW(copy, size, 0);
	SAME_ROW(add_imm, size, next_random());
	SAME_ROW(address64, size, next_random() % 100);
	SAME_ROW(address32, size, next_random() % 100);
	for (unsigned bits = 1; bits <= 8 * bytes; bits++) {
		SAME_ROW(cut, size, bits);
		SAME_ROW(fill, size, bits);
	}
	for (unsigned lane = 0; lane < SIM_LANES; lane++)
		in.a.byte[lane] &= 1;
	SAME_ROW(select, size, 0);
}

static void compare_floats(const SimOps *plain, const SimOps *best, SimFloat kind)
{
	static const unsigned bytes[] = {2, 2, 4, 8};
	static Inputs in;
	fill(&in.a, bytes[kind]);
	fill(&in.b, bytes[kind]);
	fill(&in.c, bytes[kind]);
	for (unsigned op = 0; op < OPS_FLOAT__COUNT; op++)
		SAME(floats, op, kind, 0);
	for (unsigned op = OPS_FCMP_oeq; op < OPS_FCMP__COUNT; op++)
		SAME(fcmp, op, kind, 0);
	SAME_ROW(fma, kind, 0);
	SAME_ROW(fabs, kind, 0);
	SAME_ROW(fneg, kind, 0);
	SAME_ROW(copysign, kind, 0);
	SAME_ROW(class, kind, next_random() & 1023);
	for (unsigned to = 0; to < 4; to++) {
		SAME(fcast, kind, to, 0);
		SAME(fptosi, kind, to, 0);
		SAME(fptoui, kind, to, 0);
	}
}

static void test_sets(void **data)
{
	static const char *const names[] = {"avx2", "avx512"};
	(void)data;
	const SimOps *plain = sim_ops_choose("plain");
	assert_string_equal(plain->name, "plain");
	for (unsigned set = 0; set < 2; set++) {
		const SimOps *best = sim_ops_choose(names[set]);
		for (unsigned round = 0; round < 50 && best != plain; round++) {
			for (unsigned size = 0; size < 4; size++)
				compare_integers(plain, best, size);
			for (unsigned kind = 0; kind < FLOAT__COUNT; kind++)
				compare_floats(plain, best, (SimFloat)kind);
		}
	}
}

/* ---- products ---- */

/* Element e of a word of `lane`. */
static uint64_t element(const Slot *slot, unsigned lane, unsigned bits, unsigned e)
{
	uint64_t v = 0;
	unsigned bytes = bits / 8, per = bits < 32 ? 32 / bits : 1;
	memcpy(&v, slot->byte + (lane * per + e) * bytes, bytes);
	return v;
}

static double value_of(TargetElement type, uint64_t bits)
{
	double wide;
	memcpy(&wide, &bits, 8);
	switch (type) {
	case TARGET_ELEMENT_F16: return (double)half_from_f16((uint16_t)bits);
	case TARGET_ELEMENT_BF16: return (double)half_from_bf16((uint16_t)bits);
	case TARGET_ELEMENT_TF32: return (double)half_float((uint32_t)bits & 0xffffe000);
	case TARGET_ELEMENT_E4M3: return fp_to_double(FP_E4M3FN, (uint32_t)bits);
	case TARGET_ELEMENT_E5M2: return fp_to_double(FP_E5M2, (uint32_t)bits);
	case TARGET_ELEMENT_S8: return (int8_t)bits;
	case TARGET_ELEMENT_U8: return (uint8_t)bits;
	default: return wide;
	}
}

/* Where element e of word q lies: row of A (column of B), and along K. */
static void place(const SimMma *x, bool is_a, unsigned q, unsigned lane, unsigned e, unsigned *row, unsigned *k)
{
	unsigned per = x->bits < 32 ? 32 / x->bits : 1, halves = is_a ? x->m / 8 : 1;
	*row = lane / 4 + 8 * (q % halves);
	*k = lane % 4 * per + e + 4 * per * (q / halves);
}

/* Sums as a warp's row: of one element of C. */
static uint64_t plain_sum(const SimMma *x, const double *a, const double *b, uint64_t c)
{
	if (x->a == TARGET_ELEMENT_F64) {
		double sum;
		memcpy(&sum, &c, 8);
		for (unsigned k = 0; k < x->k; k++)
			sum = fma(a[k], b[k], sum);
		memcpy(&c, &sum, 8);
		return c;
	}
	if (x->a == TARGET_ELEMENT_S8 || x->a == TARGET_ELEMENT_U8) {
		uint32_t sum = (uint32_t)c;
		for (unsigned k = 0; k < x->k; k++)
			sum += (uint32_t)(int32_t)(a[k] * b[k]);
		return sum;
	}
	float sum = x->half ? half_from_f16((uint16_t)c) : half_float((uint32_t)c);
	for (unsigned k = 0; k < x->k; k++)
		sum += (float)a[k] * (float)b[k];
	return x->half ? half_to_f16(sum) : sum == sum ? half_bits(sum) : 0x7fffffff;
}

static void compare_product(const SimMma *x)
{
	static Slot slots[16], out[4];
	static double a[16][32], b[8][32];
	const void *from[16];
	void *to[4];
	for (unsigned q = 0; q < x->a_words + x->b_words + x->c_words; q++) {
		fill(&slots[q], x->bits == 64 ? 8 : x->bits == 32 ? 4 : x->bits / 8);
		from[q] = &slots[q];
	}
	for (unsigned q = 0; q < x->a_words + x->b_words; q++) {
		bool is_a = q < x->a_words;
		for (unsigned lane = 0; lane < SIM_LANES; lane++) {
			for (unsigned e = 0; e < (x->bits < 32 ? 32 / x->bits : 1); e++) {
				unsigned row, k;
				place(x, is_a, is_a ? q : q - x->a_words, lane, e, &row, &k);
				*(is_a ? &a[row][k] : &b[row][k]) = value_of(is_a ? x->a : x->b, element(&slots[q], lane, x->bits, e));
			}
		}
	}
	for (unsigned q = 0; q < x->c_words; q++)
		to[q] = &out[q];
	static const char *const names[] = {"plain", "avx2", "avx512"};
	for (unsigned set = 0; set < 3; set++) {
		memset(out, 0, sizeof out);
		sim_ops_choose(names[set])->product(x, to, from);
		for (unsigned q = 0; q < x->c_words; q++) {
			const Slot *c = &slots[x->a_words + x->b_words + q];
			for (unsigned lane = 0; lane < SIM_LANES; lane++) {
				for (unsigned e = 0; e < (x->half ? 2 : 1); e++) {
					unsigned bits = x->half ? 16 : x->bits == 64 ? 64 : 32;
					unsigned row = lane / 4 + 8 * (x->half ? q : q / 2), n = lane % 4 * 2 + (x->half ? e : q % 2);
					uint64_t got = element(&out[q], lane, bits, e);
					uint64_t want = plain_sum(x, a[row], b[n], element(c, lane, bits, e));
					if (got != want)
						fail_msg("%s m%uk%u, types %d and %d, row %u, column %u: 0x%llx, not 0x%llx", names[set], x->m,
							 x->k, (int)x->a, (int)x->b, row, n, (unsigned long long)got,
							 (unsigned long long)want);
				}
			}
		}
	}
}

static void test_products(void **data)
{
	static const SimMma shapes[] = {
		{16, 8, 16, 16, TARGET_ELEMENT_F16, TARGET_ELEMENT_F16, false, 4, 2, 4},  {16, 8, 16, 16, TARGET_ELEMENT_F16, TARGET_ELEMENT_F16, true, 4, 2, 2},
		{16, 8, 8, 16, TARGET_ELEMENT_F16, TARGET_ELEMENT_F16, false, 2, 1, 4},   {16, 8, 16, 16, TARGET_ELEMENT_BF16, TARGET_ELEMENT_BF16, false, 4, 2, 4},
		{16, 8, 8, 32, TARGET_ELEMENT_TF32, TARGET_ELEMENT_TF32, false, 4, 2, 4}, {16, 8, 32, 8, TARGET_ELEMENT_E4M3, TARGET_ELEMENT_E5M2, false, 4, 2, 4},
		{16, 8, 32, 8, TARGET_ELEMENT_E5M2, TARGET_ELEMENT_E4M3, true, 4, 2, 2},  {16, 8, 32, 8, TARGET_ELEMENT_S8, TARGET_ELEMENT_U8, false, 4, 2, 4},
		{16, 8, 32, 8, TARGET_ELEMENT_U8, TARGET_ELEMENT_S8, false, 4, 2, 4},     {8, 8, 4, 64, TARGET_ELEMENT_F64, TARGET_ELEMENT_F64, false, 1, 1, 2},
		{16, 8, 16, 64, TARGET_ELEMENT_F64, TARGET_ELEMENT_F64, false, 8, 4, 4},
	};
	(void)data;
	for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++)
		for (unsigned round = 0; round < 20; round++)
			compare_product(&shapes[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_sets), cmocka_unit_test(test_products)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
