/* Along which dim neighbours usually lie side by side in memory, where nothing is certain.
 *
 * Indices of pixels are quotients and remainders by sizes that are no powers of two: `i % width`
 * goes up by one along a row, and nobody can say where the row ends. That does not justify a
 * vector access, but it says along which dim lanes should go. */
#ifndef NESO_GPU_ANALYSIS_USUAL_H
#define NESO_GPU_ANALYSIS_USUAL_H

#include "gpu/analysis/axis.h"

typedef struct UsualRow {
	bool any;    /* is there such a dim? */
	unsigned dim;
	bool beside; /* neighbours usually are neighbours in memory; false: nearer than others */
	int64_t step; /* elements of memory from one neighbour to the next; 0: not known */
} UsualRow;

/* Of a tile of pointers. */
UsualRow usual_row(const AxisMap *map, const IrCx *ir, const IrValue *pointers);

#endif
