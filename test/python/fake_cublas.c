/* Stands in libcublasLt's place: products of fp32 in the host's memory, by columns, as the
 * descriptors say. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct {
	uint64_t rows, columns;
	int64_t ld;
	int type;
} Layout;
typedef struct {
	int compute, scale, trans[2];
} Desc;

static size_t *workspace_of(void *preference)
{
	return preference;
}

int cublasLtCreate(void **handle) { return !(*handle = malloc(1)); }
int cublasLtDestroy(void *handle) { return free(handle), 0; }
int cublasLtMatmulDescCreate(Desc **out, int compute, int scale)
{
	*out = malloc(sizeof **out);
	**out = (Desc){compute, scale, {0, 0}};
	return 0;
}
int cublasLtMatmulDescDestroy(Desc *desc) { return free(desc), 0; }
int cublasLtMatmulDescSetAttribute(Desc *desc, int attribute, const void *value, size_t size)
{
	if (size != 4 || attribute < 3 || attribute > 4)
		return 7;
	desc->trans[attribute - 3] = *(const int *)value;
	return 0;
}
int cublasLtMatrixLayoutCreate(Layout **out, int type, uint64_t rows, uint64_t columns, int64_t ld)
{
	*out = malloc(sizeof **out);
	**out = (Layout){rows, columns, ld, type};
	return 0;
}
int cublasLtMatrixLayoutDestroy(Layout *layout) { return free(layout), 0; }
int cublasLtMatmulPreferenceCreate(void **out) { return !(*out = calloc(1, sizeof(size_t))); }
int cublasLtMatmulPreferenceDestroy(void *preference) { return free(preference), 0; }
int cublasLtMatmulPreferenceSetAttribute(void *preference, int attribute, const void *value, size_t size)
{
	if (attribute != 1 || size != sizeof(size_t))
		return 7;
	*workspace_of(preference) = *(const size_t *)value;
	return 0;
}
int cublasLtMatmulAlgoGetHeuristic(void *handle, Desc *desc, Layout *a, Layout *b, Layout *c, Layout *d,
				   void *preference, int wanted, uint64_t *found, int *count)
{
	(void)handle, (void)desc, (void)c, (void)d;
	found[0] = 42;
	int good = wanted == 1 && a->rows == b->rows && a->rows < 1000;
	*count = good && *workspace_of(preference) == 64;
	return 0;
}

static float at(const float *m, const Layout *l, int turned, uint64_t row, uint64_t column)
{
	return turned ? m[row * (uint64_t)l->ld + column] : m[column * (uint64_t)l->ld + row];
}

int cublasLtMatmul(void *handle, Desc *desc, const float *alpha, const float *a, Layout *la, const float *b,
		   Layout *lb, const float *beta, const float *c, Layout *lc, float *d, Layout *ld,
		   const uint64_t *algo, void *workspace, size_t bytes, void *stream)
{
	(void)handle, (void)workspace, (void)stream;
	if (algo[0] != 42 || bytes != 64 || desc->compute != 77 ||
	    la->type || lb->type || lc->type || ld->type)
		return 7;
	uint64_t depth = desc->trans[0] ? la->rows : la->columns;
	for (uint64_t j = 0; j < ld->columns; j++) {
		for (uint64_t i = 0; i < ld->rows; i++) {
			float sum = 0;
			for (uint64_t k = 0; k < depth; k++)
				sum += at(a, la, desc->trans[0], i, k) * at(b, lb, desc->trans[1], k, j);
			d[j * (uint64_t)ld->ld + i] = *alpha * sum + (*beta ? *beta * at(c, lc, 0, i, j) : 0);
		}
	}
	return 0;
}
