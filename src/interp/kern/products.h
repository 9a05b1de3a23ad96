/* Matrix products: gemm.h for each element type, in the
 * vectors of the instruction set; a part of kern.c. */
#define GEMM_T float
#define GEMM_NAME gemm_f32
#if defined(__AVX512F__)
#define V __m512
#define VLEN 16
#define VLOAD(p) _mm512_loadu_ps(p)
#define VSTORE(p, v) _mm512_storeu_ps(p, v)
#define VSET(x) _mm512_set1_ps(x)
#define VFMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define GEMM_MR 4
#define GEMM_NV 4
#elif defined(__AVX2__)
#define V __m256
#define VLEN 8
#define VLOAD(p) _mm256_loadu_ps(p)
#define VSTORE(p, v) _mm256_storeu_ps(p, v)
#define VSET(x) _mm256_set1_ps(x)
#define VFMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define GEMM_MR 4
#define GEMM_NV 2
#elif defined(__aarch64__)
#define V float32x4_t
#define VLEN 4
#define VLOAD(p) vld1q_f32(p)
#define VSTORE(p, v) vst1q_f32(p, v)
#define VSET(x) vdupq_n_f32(x)
#define VFMA(a, b, c) vfmaq_f32(c, a, b)
#define GEMM_MR 4
#define GEMM_NV 4
#else
#define V float
#define VLEN 1
#define VLOAD(p) (*(p))
#define VSTORE(p, v) (*(p) = (v))
#define VSET(x) (x)
#define VFMA(a, b, c) fmaf(a, b, c)
#define GEMM_MR 2
#define GEMM_NV 4
#endif
#include "interp/kern/gemm.h"

#define GEMM_T double
#define GEMM_NAME gemm_f64
#if defined(__AVX512F__)
#define V __m512d
#define VLEN 8
#define VLOAD(p) _mm512_loadu_pd(p)
#define VSTORE(p, v) _mm512_storeu_pd(p, v)
#define VSET(x) _mm512_set1_pd(x)
#define VFMA(a, b, c) _mm512_fmadd_pd(a, b, c)
#define GEMM_MR 4
#define GEMM_NV 4
#elif defined(__AVX2__)
#define V __m256d
#define VLEN 4
#define VLOAD(p) _mm256_loadu_pd(p)
#define VSTORE(p, v) _mm256_storeu_pd(p, v)
#define VSET(x) _mm256_set1_pd(x)
#define VFMA(a, b, c) _mm256_fmadd_pd(a, b, c)
#define GEMM_MR 4
#define GEMM_NV 2
#else
#define V double
#define VLEN 1
#define VLOAD(p) (*(p))
#define VSTORE(p, v) (*(p) = (v))
#define VSET(x) (x)
#define VFMA(a, b, c) fma(a, b, c)
#define GEMM_MR 2
#define GEMM_NV 4
#endif
#include "interp/kern/gemm.h"

#define GEMM_T uint32_t
#define GEMM_NAME gemm_i32
#if defined(__AVX512F__)
#define V __m512i
#define VLEN 16
#define VLOAD(p) _mm512_loadu_si512(p)
#define VSTORE(p, v) _mm512_storeu_si512(p, v)
#define VSET(x) _mm512_set1_epi32((int)(x))
#define VFMA(a, b, c) _mm512_add_epi32(_mm512_mullo_epi32(a, b), c)
#define GEMM_MR 4
#define GEMM_NV 4
#elif defined(__AVX2__)
#define V __m256i
#define VLEN 8
#define VLOAD(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define VSTORE(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define VSET(x) _mm256_set1_epi32((int)(x))
#define VFMA(a, b, c) _mm256_add_epi32(_mm256_mullo_epi32(a, b), c)
#define GEMM_MR 4
#define GEMM_NV 2
#else
#define V uint32_t
#define VLEN 1
#define VLOAD(p) (*(p))
#define VSTORE(p, v) (*(p) = (v))
#define VSET(x) (x)
#define VFMA(a, b, c) ((a) * (b) + (c))
#define GEMM_MR 2
#define GEMM_NV 4
#endif
#include "interp/kern/gemm.h"
