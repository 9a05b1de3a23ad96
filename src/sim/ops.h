/* Operations on all lanes. Tables by type: of integers by log2 of their bytes, of floats by SimFloat. */
#ifndef NESO_SIM_OPS_OPS_H
#define NESO_SIM_OPS_OPS_H

#include "sim/sim_int.h"
#include "target/mma.h"

typedef enum { FLOAT_F16, FLOAT_BF16, FLOAT_F32, FLOAT_F64, FLOAT__COUNT } SimFloat;

/* INT_OP(name, expression of x, y, z: unsigned, sx, sy: signed, BITS, imm) */
#define SIM_INT_OPS                                                                               \
	INT_OP(add, x + y)                                                                        \
	INT_OP(sub, x - y)                                                                        \
	INT_OP(mul, (T)((uint64_t)x * y))                                                         \
	INT_OP(udiv, y ? x / y : (T)-1)                                                           \
	INT_OP(urem, y ? x % y : x)                                                               \
	INT_OP(sdiv, !y ? (T)-1 : sy == -1 ? (T)(0 - x) : (T)(sx / sy))                           \
	INT_OP(srem, !y ? x : sy == -1 ? (T)0 : (T)(sx % sy))                                     \
	INT_OP(shl, y >= BITS ? 0 : (T)(x << (y & (BITS - 1))))                                   \
	INT_OP(lshr, y >= BITS ? 0 : (T)(x >> (y & (BITS - 1))))                                  \
	INT_OP(ashr, (T)(sx >> (y >= BITS ? BITS - 1 : y)))                                       \
	INT_OP(and, x & y)                                                                        \
	INT_OP(or, x | y)                                                                         \
	INT_OP(xor, x ^ y)                                                                        \
	INT_OP(smin, sx < sy ? x : y)                                                             \
	INT_OP(smax, sx > sy ? x : y)                                                             \
	INT_OP(umin, x < y ? x : y)                                                               \
	INT_OP(umax, x > y ? x : y)                                                               \
	INT_OP(abs, sx < 0 ? (T)(0 - x) : x)                                                      \
	INT_OP(ctpop, (T)__builtin_popcountll(x))                                                 \
	INT_OP(ctlz, (T)(x ? __builtin_clzll(x) - (64 - BITS) : BITS))                            \
	INT_OP(cttz, (T)(x ? __builtin_ctzll(x) : BITS))                                          \
	INT_OP(bswap, (T)(__builtin_bswap64(x) >> (64 - BITS)))                                   \
	INT_OP(bitreverse, (T)(ops_reverse(x) >> (64 - BITS)))                                    \
	INT_OP(fshl, (T)(z % BITS ? x << z % BITS | y >> (BITS - z % BITS) : x))                  \
	INT_OP(fshr, (T)(z % BITS ? x << (BITS - z % BITS) | y >> z % BITS : y))                  \
	INT_OP(uadd_sat, (T)(x + y) < x ? (T)-1 : (T)(x + y))                                     \
	INT_OP(usub_sat, x < y ? 0 : x - y)                                                       \
	INT_OP(sadd_sat, ops_saturate((Wide)sx + sy, BITS))                                   \
	INT_OP(ssub_sat, ops_saturate((Wide)sx - sy, BITS))                                   \
	INT_OP(umulh, (T)((UnsignedWide)x * y >> BITS))

/* Comparisons give a byte. */
#define SIM_INT_COMPARES                                                                          \
	INT_CMP(eq, x == y)                                                                       \
	INT_CMP(ne, x != y)                                                                       \
	INT_CMP(ugt, x > y)                                                                       \
	INT_CMP(uge, x >= y)                                                                      \
	INT_CMP(ult, x < y)                                                                       \
	INT_CMP(ule, x <= y)                                                                      \
	INT_CMP(sgt, sx > sy)                                                                     \
	INT_CMP(sge, sx >= sy)                                                                    \
	INT_CMP(slt, sx < sy)                                                                     \
	INT_CMP(sle, sx <= sy)                                                                    \
	INT_CMP(uadd_over, (T)(x + y) < x)                                                        \
	INT_CMP(usub_over, x < y)                                                                 \
	INT_CMP(umul_over, (UnsignedWide)x * y >> BITS != 0)                                 \
	INT_CMP(sadd_over, ops_overflows((Wide)sx + sy, BITS))                                \
	INT_CMP(ssub_over, ops_overflows((Wide)sx - sy, BITS))                                \
	INT_CMP(smul_over, ops_overflows((Wide)sx * sy, BITS))                                \
	/* Neither the signed nor the unsigned number fits. */                                \
	INT_CMP(add_over, (T)(x + y) < x && ops_overflows((Wide)sx + sy, BITS))               \
	INT_CMP(sub_over, x < y && ops_overflows((Wide)sx - sy, BITS))                        \
	INT_CMP(mul_over, (UnsignedWide)x * y >> BITS != 0 && ops_overflows((Wide)sx * sy, BITS)) \
	INT_CMP(shl_over, y < BITS && (T)((T)(x << (y & (BITS - 1))) >> (y & (BITS - 1))) != x && \
			  ((SignedT)(T)(x << (y & (BITS - 1))) >> (y & (BITS - 1))) != sx)    \
	/* What flags rule out (decode_rules.c); imm: bits of the result of a cast. */        \
	INT_CMP(shift_over, y >= BITS)                                                        \
	INT_CMP(ushl_over, y < BITS && (T)((T)(x << (y & (BITS - 1))) >> (y & (BITS - 1))) != x) \
	INT_CMP(sshl_over, y < BITS && ((SignedT)(T)(x << (y & (BITS - 1))) >> (y & (BITS - 1))) != sx) \
	INT_CMP(shift_rest, y < BITS && (x & (T)(((T)1 << (y & (BITS - 1))) - 1)) != 0)       \
	INT_CMP(udiv_rest, y && x % y != 0)                                                   \
	INT_CMP(sdiv_rest, y && sy != -1 && sx % sy != 0)                                     \
	INT_CMP(both, (x & y) != 0)                                                           \
	INT_CMP(negative, sx < 0)                                                             \
	INT_CMP(ucut_over, imm < BITS && x >> (imm & (BITS - 1)) != 0)                        \
	INT_CMP(scut_over, imm && imm < BITS && ops_cut_differs(x, imm, BITS))

/* FLOAT_OP(name, expression of x, y, z: what it is computed in (float, double)), rounded once more for 16-bit floats */
#define SIM_FLOAT_OPS                                                                             \
	FLOAT_OP(fadd, x + y)                                                                     \
	FLOAT_OP(fsub, x - y)                                                                     \
	FLOAT_OP(fmul, x * y)                                                                     \
	FLOAT_OP(fdiv, x / y)                                                                     \
	FLOAT_OP(frem, (C)fmod((double)x, (double)y))                                             \
	FLOAT_OP(canonicalize, x)                                                                 \
	FLOAT_OP(minnum, x != x ? y : y != y ? x : x == y ? (signbit(x) ? x : y) : x < y ? x : y) \
	FLOAT_OP(maxnum, x != x ? y : y != y ? x : x == y ? (signbit(x) ? y : x) : x > y ? x : y) \
	FLOAT_OP(minimum, x != x ? x : y != y ? y : x == y ? (signbit(x) ? x : y) : x < y ? x : y) \
	FLOAT_OP(maximum, x != x ? x : y != y ? y : x == y ? (signbit(x) ? y : x) : x > y ? x : y) \
	FLOAT_OP(sqrt, (C)sqrt((double)x))                                                        \
	FLOAT_OP(floor, (C)floor((double)x))                                                      \
	FLOAT_OP(ceil, (C)ceil((double)x))                                                        \
	FLOAT_OP(trunc, (C)trunc((double)x))                                                      \
	FLOAT_OP(rint, (C)rint((double)x))                                                        \
	FLOAT_OP(round, (C)round((double)x))                                                      \
	FLOAT_OP(exp2, (C)exp2((double)x))                                                        \
	FLOAT_OP(log2, (C)log2((double)x))                                                        \
	FLOAT_OP(sin, (C)sin((double)x))                                                          \
	FLOAT_OP(cos, (C)cos((double)x))                                                          \
	FLOAT_OP(tanh, (C)tanh((double)x))

#define SIM_FLOAT_COMPARES                                                                        \
	FLOAT_CMP(oeq, x == y)                                                                    \
	FLOAT_CMP(ogt, x > y)                                                                     \
	FLOAT_CMP(oge, x >= y)                                                                    \
	FLOAT_CMP(olt, x < y)                                                                     \
	FLOAT_CMP(ole, x <= y)                                                                    \
	FLOAT_CMP(one, x < y || x > y)                                                            \
	FLOAT_CMP(ord, x == x && y == y)                                                          \
	FLOAT_CMP(uno, x != x || y != y)                                                          \
	FLOAT_CMP(ueq, !(x < y || x > y))                                                         \
	FLOAT_CMP(ugt, !(x <= y))                                                                 \
	FLOAT_CMP(uge, !(x < y))                                                                  \
	FLOAT_CMP(ult, !(x >= y))                                                                 \
	FLOAT_CMP(ule, !(x > y))                                                                  \
	FLOAT_CMP(une, x != y)

#define INT_OP(name, expression) OPS_##name,
typedef enum { SIM_INT_OPS OPS_INT__COUNT } SimIntOp;
#undef INT_OP
#define INT_CMP(name, expression) OPS_CMP_##name,
typedef enum { SIM_INT_COMPARES OPS_CMP__COUNT } SimIntCompare;
#undef INT_CMP
#define FLOAT_OP(name, expression) OPS_##name,
typedef enum { SIM_FLOAT_OPS OPS_FLOAT__COUNT } SimFloatOp;
#undef FLOAT_OP
#define FLOAT_CMP(name, expression) OPS_FCMP_##name,
typedef enum { SIM_FLOAT_COMPARES OPS_FCMP__COUNT } SimFloatCompare;
#undef FLOAT_CMP

/* mma.sync: C + A B of fragments, as the lanes of a warp hold them in words of slots (kern/product.c). */
typedef struct SimMma {
	unsigned m, n, k, bits; /* bits of an element of A and B */
	TargetElement a, b;
	bool half;              /* C is fp16, two to a word; otherwise f32, s32 or f64 */
	unsigned a_words, b_words, c_words;
} SimMma;

/* `from`: words of A, of B, of C. `to` may be the words of C. */
typedef void SimProduct(const SimMma *x, void *const *to, const void *const *from);

/* The loops, compiled once for each instruction set and chosen when a kernel is decoded; results are the same. */
typedef struct SimOps {
	const char *name;
	SimPure *const (*ints)[4], *const (*icmp)[4];
	SimPure *const (*floats)[FLOAT__COUNT], *const (*fcmp)[FLOAT__COUNT];
	SimPure *const *fma;
	/* Bits: sign bit cleared, flipped, taken from y. */
	SimPure *const *fabs, *const *fneg, *const *copysign;
	SimPure *const *class;                    /* imm: LLVM's mask of classes */
	SimPure *const (*fcast)[FLOAT__COUNT];    /* from, to */
	SimPure *const (*sitofp)[FLOAT__COUNT], *const (*uitofp)[FLOAT__COUNT];
	SimPure *const (*fptosi)[4], *const (*fptoui)[4]; /* saturating, NaN as the GPU */
	SimPure *const *copy;
	SimPure *const *select;                   /* a: condition */
	SimPure *const (*zext)[4], *const (*sext)[4]; /* from, to; to narrower: cut */
	/* To imm bits: the rest cleared, or filled with the sign. */
	SimPure *const *cut, *const *fill;
	/* a + b * imm; b of the size of the table's index as a signed number. */
	SimPure *const *address64, *const *address32;
	SimPure *const *add_imm;
	SimProduct *product;
} SimOps;

/* The best set for this processor, or at most the one named ("plain", "avx2"). */
const SimOps *sim_ops_choose(const char *at_most);

/* A SimPure: to each lane the value of the expression, of x, y, z: the lanes of its arguments of type A, and imm. */
#define OPS_LANEWISE(name, R, A, expression)                                                              \
	static void name(void *d, const void *a, const void *b, const void *c, uint64_t imm)              \
	{                                                                                                 \
		R *to = d;                                                                                \
		const A *first = a, *second = b, *third = c;                                              \
		(void)imm;                                                                                \
		for (unsigned lane = 0; lane < SIM_LANES; lane++) {                                       \
			A x = first[lane], y = second[lane], z = third[lane];                             \
			(void)x; (void)y; (void)z;                                                        \
			R r = (R)(expression);                                                            \
			to[lane] = r;                                                                     \
		}                                                                                         \
	}

static inline uint64_t ops_reverse(uint64_t x)
{
	x = (x >> 1 & 0x5555555555555555u) | (x & 0x5555555555555555u) << 1;
	x = (x >> 2 & 0x3333333333333333u) | (x & 0x3333333333333333u) << 2;
	x = (x >> 4 & 0x0f0f0f0f0f0f0f0fu) | (x & 0x0f0f0f0f0f0f0f0fu) << 4;
	return __builtin_bswap64(x);
}

#endif
