/* Matrix instructions: their rows (nvidia/mma.def), their element types (nvidia/elements.def), and
 * the calls of LLIR that stand for them.
 *
 * A row is the id of an instruction: who plans, lowers, simulates or explains a product passes it
 * on. In LLIR it has a name, neso.mma_sync.NAME or neso.wgmma.NAME (nvidia/machine.def); only mma.c
 * writes and reads it. */
#ifndef NESO_TARGET_MMA_H
#define NESO_TARGET_MMA_H

#include "target/target.h"

typedef enum TargetElement {
#define ELEMENT(name, text, bits, class) TARGET_ELEMENT_##name,
#include "target/nvidia/elements.def"
#undef ELEMENT
	TARGET_ELEMENT__COUNT
} TargetElement;

typedef struct TargetElementInfo {
	const char *name; /* as PTX writes it */
	unsigned bits;
	bool is_real;
} TargetElementInfo;

extern const TargetElementInfo target_elements[TARGET_ELEMENT__COUNT];

typedef enum TargetMmaFamily { TARGET_MMA_SYNC, TARGET_MMA_WGMMA } TargetMmaFamily;

typedef struct TargetMma {
	TargetMmaFamily family;
	TargetElement operand, accumulator;
	unsigned m, n, k;
	unsigned capability, features; /* that a GPU must have */
} TargetMma;

/* The instruction with the largest K for these types; NULL where the GPU has none. */
const TargetMma *target_mma(const TargetGpu *gpu, TargetMmaFamily family, TargetElement operand,
			    TargetElement accumulator);
/* The same among those with K of at most `k`. */
const TargetMma *target_mma_up_to(const TargetGpu *gpu, TargetMmaFamily family, TargetElement operand,
				  TargetElement accumulator, unsigned k);
/* Is this N one that the instruction takes? */
bool target_mma_takes_n(const TargetMma *mma, unsigned n);

/* A call of a matrix instruction. What follows `n` is wgmma's alone. */
typedef struct TargetProduct {
	const TargetMma *mma;
	TargetElement b;      /* of B; that of A is the row's operand */
	unsigned n;           /* columns: the row's, or a multiple of it */
	bool a_in_registers;
	bool rows_first[2];   /* A, B in memory: neighbours lie along rows, not along K */
	bool fresh;           /* nothing is added to */
	unsigned steps;       /* along K, in one call; at least 1 */
} TargetProduct;

/* NAME of the call. */
const char *target_product_name(Arena *arena, const TargetProduct *p);
/* Its reverse; false: there is no such product. */
bool target_product_read(TargetMmaFamily family, const char *name, TargetProduct *out);
/* Words of 32 bits (64 of f64) that a thread holds of A, B, C (0, 1, 2) of one step. */
unsigned target_product_words(const TargetProduct *p, unsigned operand);

#endif
