/* Vector kernels of the interpreter: loops over runs of elements, compiled once per instruction set from the same
 * source (kern.c) and chosen when a kernel is prepared. A run's operands have unit stride, or are one element
 * (the `s` forms). `out` may be the same memory as an operand, never a shifted one.
 *
 * Rules that all instruction sets share, so that results do not depend on the machine: no contraction, fused
 * operations only where the source says fma, fixed orders of summation. */
#ifndef NESO_INTERP_KERN_KERN_H
#define NESO_INTERP_KERN_KERN_H

#include "base/base.h"

/* Element classes with kernels of their own. The small floats are computed as f32. */
typedef enum { KT_8, KT_16, KT_32, KT_64, KT__INT, KT_F32 = KT__INT, KT_F64, KT__COUNT } KernType;

typedef void KernUnary(void *out, const void *a, size_t n);
typedef void KernBinary(void *out, const void *a, const void *b, size_t n);
typedef void KernTernary(void *out, const void *a, const void *b, const void *c, size_t n);

typedef struct KernBinarySet {
	KernBinary *vv, *vs, *sv;
} KernBinarySet;

typedef enum {
#define INT_BINARY(name, expr) KB_##name,
#include "interp/kern/kern.def"
	KB__INT,
	KB__BEFORE_FLOAT = KB__INT - 1,
#define FLOAT_BINARY(name, expr) KB_##name,
#include "interp/kern/kern.def"
	KB__COUNT
} KernBinaryOp;

typedef enum {
#define INT_UNARY(name, expr) KU_##name,
#include "interp/kern/kern.def"
	KU__INT,
	KU__BEFORE_FLOAT = KU__INT - 1,
#define FLOAT_UNARY(name, e32, e64) KU_##name,
#include "interp/kern/kern.def"
	KU__COUNT
} KernUnaryOp;

typedef enum { KX_FMA, KX_FMA_HALF, KX_CLAMP, KX_CLAMP_NAN, KX__COUNT } KernTernaryOp;

/* Formats of floats that are converted from and to f32. */
typedef enum { KF_F16, KF_BF16, KF_E4M3FN, KF_E5M2, KF_E4M3B11FNUZ, KF_E4M3FNUZ, KF_E5M2FNUZ, KF__COUNT } KernFormat;

/* C[m][n] += A[m][k] * B[k][n]. A: k contiguous, rows lda elements apart. B: panels of `panel` columns, each k
 * rows, the last one padded to whole vectors with zeros. C: rows ldc elements apart. Each sum runs over k
 * upwards and starts with C; float products are fused. */
typedef void KernGemm(void *c, size_t ldc, const void *a, size_t lda, const void *b, size_t m, size_t n, size_t k);
typedef struct KernGemmSet {
	KernGemm *run;
	uint32_t panel, vector; /* elements */
} KernGemmSet;

typedef struct Kernels {
	const char *name;
	KernBinarySet binary[KB__COUNT][KT__COUNT];
	KernUnary *unary[KU__COUNT][KT__COUNT];
	KernTernary *ternary[KX__COUNT][KT__COUNT];
	KernBinarySet cmpi[10][KT__INT]; /* IrCmpI; u8 results */
	KernBinarySet cmpf[16][2];       /* IrCmpF */
	/* mask (u8), a, b; [size][a is one element][b is one element] */
	KernTernary *select[4][2][2];
	KernUnary *widen[4][4][2];     /* [from][to][signed]: extension, or the low bits */
	KernUnary *int_to_fp[4][2][2]; /* [from][f64][signed] */
	KernUnary *fp_to_int[2][4][2]; /* [f64][to][signed] */
	KernUnary *to_f32[KF__COUNT], *from_f32[KF__COUNT];
	KernUnary *f32_to_f64, *f64_to_f32;
	void (*fill)(void *out, uint64_t bits, unsigned size, size_t n);
	void (*iota)(void *out, uint64_t base, uint64_t step, unsigned size, size_t n);
	/* Elements `stride` bytes apart to or from a dense run. */
	void (*gather)(void *out, const void *in, int64_t stride, unsigned size, size_t n);
	void (*scatter)(void *out, int64_t stride, const void *in, unsigned size, size_t n);
	KernGemmSet gemm_f32, gemm_f64, gemm_i32;
} Kernels;

extern const Kernels kernels_plain;
#if defined(NESO_X86_KERNELS)
extern const Kernels kernels_avx2, kernels_avx512;
#endif
/* The best set for this processor, or at most the one named. */
const Kernels *kernels_choose(const char *at_most);

#endif
