/* Masks that may end anywhere along the contiguous dim (offs < n, n unknown). cp.async can read
 * fewer bytes than it writes, and zero-fills the rest, so a copy may still take several elements
 * if it is told how many are wanted. */
#ifndef NESO_GPU_ANALYSIS_PREFIX_H
#define NESO_GPU_ANALYSIS_PREFIX_H

#include "gpu/analysis/axis.h"
#include "gpu/layout/encoding.h"

/* As axis_vector, but within so many elements the mask may go from true to false, once. */
int64_t prefix_vector(const AxisMap *map, const IrCx *cx, const IrValue *pointers, const IrValue *mask, unsigned dim);

/* The value that stands for `v` where the count is computed. */
typedef IrValue *PrefixAt(void *data, IrValue *v);

typedef struct Prefix {
	const AxisMap *axes; /* of the module as the mask is in it */
	GpuCx *gpu;
	IrBuilder *b;
	unsigned dim;
	int64_t n; /* elements of a copy: at most prefix_vector */
	PrefixAt *at;
	void *data;
} Prefix;

/* For each element that the mask lets through: how many from it on, at most n, as a tile of i32 in the mask's layout. NULL: the mask
 * is the same for n neighbours, so all of them. */
IrValue *prefix_count(const Prefix *p, const IrValue *mask);

#endif
