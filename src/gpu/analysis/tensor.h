/* The tensor in global memory that a tile of pointers is a part of, as a tensor map can say it:
 * base and strides are arguments of the kernel, or constants; one dim is contiguous; sizes are
 * arguments, where a mask says so.
 *
 * Only what the key of a variant says is relied on: a base and strides that are known to be
 * multiples of 16 bytes. Indices of arguments alone are none of these, as they may be negative,
 * which a map does not reach. What a launch finds all the same, a stride below 0 or a size of 0, is
 * for it to refuse. Indices are taken not to overflow; those that 64 bits hold alone are `far`: a
 * map, whose coordinates have 32, has such a dim where there is an end below 2^31, or where the
 * stride is so large (TENSOR_MAP_FAR_STRIDE) that no memory has 2^31 of it. */
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

/* Of a tt.load or tt.store of a tile of rank 1 or 2. False: there is none, as search->why says.
 * Indices that wrap at the end go on instead, where nobody sees what is computed of the elements
 * behind it (unseen.h). */
bool tensor_of(TensorSearch *search, const IrOp *access, Tensor *out);

#endif
