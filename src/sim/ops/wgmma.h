/* Inside wgmma*.c. */
#ifndef NESO_SIM_OPS_WGMMA_H
#define NESO_SIM_OPS_WGMMA_H

#include "sim/ops.h"

enum { WGMMA_MOST_N = 256, WGMMA_A_WORDS = 4, WGMMA_B_WORDS = 2, WGMMA_PART = 16 };

typedef struct Words {
	_Alignas(64) uint32_t lane[SIM_LANES];
} Words;

typedef struct Wgmma {
	SimMma shape; /* m16n8kK */
	SimProduct *multiply;
	unsigned n, count, each; /* accumulators, and those of eight columns */
	unsigned steps, first;   /* along K; operand of A: behind the accumulators, where there are any */
	bool words;              /* A comes in them */
	bool rows_first[2];      /* of A, of B */
} Wgmma;

/* Parts of `rows` rows from `first` on: along K the rows one after the other; along rows first
 * those of a k. */
typedef struct Parts {
	uint32_t at[2 * WGMMA_MOST_N];
	unsigned count;
} Parts;

/* What this warp reads of A, if that is in memory, and of B. */
void wgmma_find_parts(const SimWarp *w, const Wgmma *x, uint64_t a, uint64_t b, Parts *of_a, Parts *of_b);
/* `a`: words of A, which are read here where it is in memory. The product is added to *from where
 * `added`. */
void wgmma_multiply(SimWarp *w, const Wgmma *x, const Parts *of_a, const Parts *of_b, Words *a, bool added,
		    void *const *to, const void *const *from);
/* As wgmma_multiply, of the bits that are not defined. */
void wgmma_multiply_hollow(SimWarp *w, const Wgmma *x, const Parts *of_a, const Parts *of_b, Words *a,
			   bool added, Words *accumulators);
bool wgmma_any_hollow(SimWarp *w, const Parts *parts, uint32_t *origin); /* is a bit of them not defined? */

#endif
