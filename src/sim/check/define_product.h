/* Definedness of products of matrices. */
#ifndef NESO_SIM_CHECK_DEFINE_PRODUCT_H
#define NESO_SIM_CHECK_DEFINE_PRODUCT_H

#include "sim/ops.h"

/* Bits that are not defined of words of A, B and C as a product takes them, to those of the
 * words it gives; `out` may be those of C. */
void sim_product_undefined(const SimMma *x, SimProduct *multiply, const uint8_t *const *a,
			   const uint8_t *const *b, const uint8_t *const *c, uint8_t *const *out);

#endif
