/* Template of a register-tiled matrix product, included once per element type with GEMM_T, GEMM_NAME, V, VLEN,
 * VLOAD, VSTORE, VSET, VFMA, GEMM_MR (rows) and GEMM_NV (vectors) of the register tile. */
#define GEMM_JOIN_(a, b) a##b
#define GEMM_JOIN(a, b) GEMM_JOIN_(a, b)

/* `rows` rows by `vectors` vectors of C; b is a panel of width vectors * VLEN. The bounds are constants after
 * inlining, so the accumulators live in registers. A tail of fewer than a vector's columns goes through `edge`. */
static inline __attribute__((always_inline)) void GEMM_JOIN(GEMM_NAME, _tile)(
	GEMM_T *c, size_t ldc, const GEMM_T *a, size_t lda, const GEMM_T *b, size_t n, size_t k,
	const unsigned rows, const unsigned vectors)
{
	V acc[GEMM_MR][GEMM_NV];
	GEMM_T edge[GEMM_MR][GEMM_NV * VLEN];
	bool whole = n >= (size_t)vectors * VLEN;
	for (unsigned i = 0; i < rows; i++)
		if (!whole)
			for (size_t j = 0; j < (size_t)vectors * VLEN; j++)
				edge[i][j] = j < n ? c[i * ldc + j] : 0;
	for (unsigned i = 0; i < rows; i++)
		for (unsigned v = 0; v < vectors; v++)
			acc[i][v] = whole ? VLOAD(c + i * ldc + v * VLEN) : VLOAD(&edge[i][v * VLEN]);
	for (size_t p = 0; p < k; p++) {
		V bv[GEMM_NV];
		for (unsigned v = 0; v < vectors; v++)
			bv[v] = VLOAD(b + v * VLEN);
		b += (size_t)vectors * VLEN;
		for (unsigned i = 0; i < rows; i++) {
			V av = VSET(a[i * lda + p]);
			for (unsigned v = 0; v < vectors; v++)
				acc[i][v] = VFMA(av, bv[v], acc[i][v]);
		}
	}
	for (unsigned i = 0; i < rows; i++)
		for (unsigned v = 0; v < vectors; v++) {
			if (whole)
				VSTORE(c + i * ldc + v * VLEN, acc[i][v]);
			else
				VSTORE(&edge[i][v * VLEN], acc[i][v]);
		}
	for (unsigned i = 0; i < rows; i++)
		if (!whole)
			for (size_t j = 0; j < n; j++)
				c[i * ldc + j] = edge[i][j];
}

static inline __attribute__((always_inline)) void GEMM_JOIN(GEMM_NAME, _panel)(
	GEMM_T *c, size_t ldc, const GEMM_T *a, size_t lda, const GEMM_T *b, size_t m, size_t n, size_t k,
	const unsigned vectors)
{
	size_t i = 0;
	for (; i + GEMM_MR <= m; i += GEMM_MR)
		GEMM_JOIN(GEMM_NAME, _tile)(c + i * ldc, ldc, a + i * lda, lda, b, n, k, GEMM_MR, vectors);
	for (; i < m; i++)
		GEMM_JOIN(GEMM_NAME, _tile)(c + i * ldc, ldc, a + i * lda, lda, b, n, k, 1, vectors);
}

static void GEMM_NAME(void *cv, size_t ldc, const void *av, size_t lda, const void *bv, size_t m, size_t n, size_t k)
{
	GEMM_T *c = cv;
	const GEMM_T *a = av, *b = bv;
	const size_t panel = GEMM_NV * VLEN;
	for (size_t j = 0; j < n; j += panel) {
		size_t width = n - j < panel ? n - j : panel, vectors = (width + VLEN - 1) / VLEN;
		switch (vectors) {
		case 1:
			GEMM_JOIN(GEMM_NAME, _panel)(c + j, ldc, a, lda, b, m, width, k, 1);
			break;
#if GEMM_NV > 2
		case 2:
			GEMM_JOIN(GEMM_NAME, _panel)(c + j, ldc, a, lda, b, m, width, k, 2);
			break;
		case 3:
			GEMM_JOIN(GEMM_NAME, _panel)(c + j, ldc, a, lda, b, m, width, k, 3);
			break;
#endif
		default:
			GEMM_JOIN(GEMM_NAME, _panel)(c + j, ldc, a, lda, b, m, width, k, GEMM_NV);
		}
		b += vectors * VLEN * k;
	}
}

enum { GEMM_JOIN(GEMM_NAME, _panel_width) = GEMM_NV * VLEN, GEMM_JOIN(GEMM_NAME, _vector) = VLEN };
#define GEMM_SET(name) {name, name##_panel_width, name##_vector}

#undef GEMM_T
#undef GEMM_NAME
#undef V
#undef VLEN
#undef VLOAD
#undef VSTORE
#undef VSET
#undef VFMA
#undef GEMM_MR
#undef GEMM_NV
#undef GEMM_JOIN
#undef GEMM_JOIN_
