/* Files of a CUDA toolkit that are found by its folder. */
#ifndef NESO_BASE_TOOLKIT_H
#define NESO_BASE_TOOLKIT_H

#include "base/option/option.h"

/* libdevice.10.bc: TRITON_LIBDEVICE_PATH, else in $CUDA_HOME, $CUDA_PATH and /usr/local/cuda. NULL: there is
 * none. */
const char *toolkit_libdevice(Arena *arena);

#endif
