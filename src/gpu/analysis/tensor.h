/* The tensor in global memory that a tile of pointers is part of, in the form that a tensor map
 * needs: base and strides are arguments of the kernel or constants; one dim is contiguous; sizes
 * are arguments where a mask says so.
 *
 * Only facts in the variant's key are relied on: a base and strides that are known to be multiples
 * of 16 bytes. Indices that depend on arguments alone are no such facts, as they may be negative,
 * which a map cannot reach. What a launch may still find, a negative stride or a size of 0, it
 * refuses itself. Indices are assumed not to overflow. A dim whose index needs 64 bits is `far`:
 * map coordinates have 32, so a map has such a dim only where its end is below 2^31, or where the
 * stride is so large (TENSOR_MAP_FAR_STRIDE) that no memory holds 2^31 of it. */
#ifndef NESO_GPU_ANALYSIS_TENSOR_H
#define NESO_GPU_ANALYSIS_TENSOR_H

#include "gpu/analysis/axis.h"
#include "gpu/analysis/strided.h"
#include "target/tensor_map.h"

/* The value of argument `arg` of the kernel times `scale`; arg below 0: `scale` itself. */
typedef struct TensorTerm {
	int64_t arg, scale;
} TensorTerm;

typedef struct TensorDim {
	TensorTerm size, stride;
	const Poly *at; /* where the tile begins */
	bool ends;      /* `at` and `size` are what a mask, or a wrap, says */
	bool from;      /* the mask leaves out what is below 0 */
	bool far;       /* `at` is multiplied in 64 bits: with an end it may be behind INT32_MAX */
} TensorDim;

typedef struct Tensor {
	const IrValue *base;
	TensorDim dims[TENSOR_MAP_RANK]; /* the tile's first; of each other one the tile has one */
	unsigned rank, count; /* of the tile; with the others */
	unsigned last; /* the contiguous one */
} Tensor;

typedef struct TensorSearch {
	Arena *arena;
	const IrModule *module;
	const AxisMap *axes;
	const IrBlock *body; /* of the kernel */
	const char *why;     /* there is none */
} TensorSearch;

/* Of a tt.load, tt.store or tt.atomic_rmw of a tile of rank 1 or 2. False: there is none, as
 * search->why says.
 * Indices that wrap at the end go on instead, where nobody sees what is computed of the elements
 * behind it (unseen.h). */
bool tensor_of(TensorSearch *search, const IrOp *access, Tensor *out);

#endif
