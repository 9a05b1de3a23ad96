/* PTX in inline assembly: what the device library shares with it. */
#ifndef NESO_INTERP_PTX_H
#define NESO_INTERP_PTX_H

#include "base/base.h"

/* prmt.b32 in its default mode: each result byte is chosen by four bits of the selector. */
uint32_t ptx_prmt(uint32_t a, uint32_t b, uint32_t selector);

#endif
