/* Axis analysis: contiguity, divisibility and constancy of an integer or pointer tile along each
 * of its dims.
 *
 * A forward dataflow over the structured IR, from constants, ranges, program ids, the attributes
 * tt.divisibility, tt.contiguity and tt.constancy (of arguments and of ops), and llvm.intr.assume.
 * It decides vector widths and the order in which memory is walked. */
#ifndef NESO_GPU_ANALYSIS_AXIS_H
#define NESO_GPU_ANALYSIS_AXIS_H

#include "ir/ir.h"

/* Along dim d, in aligned groups of so many elements:
 *	contiguity[d]    values go up by 1 (a pointer: by one element)
 *	divisibility[d]  the first value of such a group is a multiple of this (a pointer: its address, in bytes)
 *	constancy[d]     values are equal
 * All are powers of two, at least 1, and 1 when nothing is known. A scalar has rank 1, contiguity and constancy 1. */
typedef struct AxisInfo {
	unsigned rank;
	int64_t contiguity[IR_MAX_RANK], divisibility[IR_MAX_RANK], constancy[IR_MAX_RANK];
	bool known; /* every element is `value` */
	int64_t value;
	bool nonneg; /* as a signed integer no element is below 0: as long as indices do not overflow, integer arguments are
		      * not negative, and divisors positive */
} AxisInfo;

typedef struct AxisMap AxisMap;

/* Of all values of the module, in the arena. Ops added later have no entry. */
AxisMap *axis_analyse(const IrModule *module, Arena *arena);
/* The same as if more were known of the arguments of functions: by number those that are divisible by 16, or by `by` (NULL: none), and
 * one that is 1 (UINT32_MAX: none). */
typedef struct AxisSuppose {
	const bool *divisible;
	uint32_t count, one;
	int64_t by; /* 0: 16 */
} AxisSuppose;
AxisMap *axis_suppose(const IrModule *module, Arena *arena, const AxisSuppose *suppose);
/* Do both say the same of each value of the module? */
bool axis_same(const IrModule *module, const AxisMap *a, const AxisMap *b);
const AxisInfo *axis_of(const AxisMap *map, const IrValue *value); /* NULL: none */
/* What a tt.divisibility, tt.contiguity or tt.constancy, one number or one for each dim, says of a dim; at least 1. */
int64_t axis_hint(IrAttr hint, unsigned dim);

/* Elements in a row along `dim` that one access of these pointers may take at once: contiguous, aligned, and with a
 * mask (may be NULL) that is constant over them; a power of two. */
int64_t axis_vector(const AxisMap *map, const IrValue *pointers, const IrValue *mask, unsigned dim);

#endif
