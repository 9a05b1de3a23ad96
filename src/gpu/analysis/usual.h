/* Along which dim neighbours usually lie side by side in memory, where nothing is known for
 * certain.
 *
 * Indices of pixels are quotients and remainders by sizes that no power of two divides: `i %
 * width` goes up by one all along a row, and nobody can say where the row ends. That is no
 * ground for an access of several elements at once, but it says which way lanes should go. */
#ifndef NESO_GPU_ANALYSIS_USUAL_H
#define NESO_GPU_ANALYSIS_USUAL_H

#include "gpu/analysis/axis.h"

typedef struct UsualRow {
	bool any;    /* is there such a dim? */
	unsigned dim;
	bool beside; /* neighbours usually are neighbours in memory; false: nearer than others */
} UsualRow;

/* Of a tile of pointers. */
UsualRow usual_row(const AxisMap *map, const IrCx *ir, const IrValue *pointers);

#endif
