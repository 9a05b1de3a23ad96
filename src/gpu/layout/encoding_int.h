/* Between encoding.c and encoding_read.c. */
#ifndef NESO_GPU_LAYOUT_ENCODING_INT_H
#define NESO_GPU_LAYOUT_ENCODING_INT_H

#include "gpu/layout/encoding.h"

/* The layout that an attribute constructs on a shape; NULL and a sentence where it is none or does not fit. `padded`
 * (may be NULL) gets the padding of shared memory. Element bits matter for nvmma_shared. */
const Layout *encoding_distributed(GpuCx *cx, IrAttr attr, const int64_t *shape, unsigned rank, const char **error);
const Layout *encoding_shared(GpuCx *cx, IrAttr attr, const int64_t *shape, unsigned rank, unsigned element_bits,
			      LayoutPadded *padded, const char **error);

#endif
