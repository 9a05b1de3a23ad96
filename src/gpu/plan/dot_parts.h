/* Inside the plan of a dot (dot.c): what multiply-adds (dot_fma.c) and mma.sync share. */
#ifndef NESO_GPU_PLAN_DOT_PARTS_H
#define NESO_GPU_PLAN_DOT_PARTS_H

#include "gpu/plan/dot.h"
#include "layout/plan_parts.h"

enum { A, B, C };

typedef struct Side {
	const Layout *l;
	unsigned registers, row, column; /* tile dims */
	F2Span span;                     /* of the registers, in order */
} Side;

typedef struct Dot {
	GpuCx *cx;
	Side side[3];
	unsigned rank, m, n, batch; /* dims of c */
	int64_t k;
	const TargetMma *mma;
	unsigned k_width; /* neighbours along K of a thread, of mma */
	/* Rows (A) or columns (B) that lanes 4, 8 and 16 tell apart: 1, 2 and 4 of the instruction.
	 * They are these of the tile, or twice these, and the instruction's 8 is then the tile's
	 * 1. */
	unsigned stretch[2];
} Dot;

uint64_t dot_at(const Layout *l, unsigned dim, uint64_t value);
/* A point of c as rows of a (K 0) or columns of b. */
uint64_t dot_part_of_c(const Dot *d, unsigned operand, uint64_t point);
unsigned dot_k_dim(const Dot *d, unsigned operand);
/* Do warps and blocks (for FMA lanes too) hold in a and b what their part of c needs, and all of
 * K? */
bool dot_threads_agree(const Dot *d, unsigned first);
/* The register that holds a point, given that the rest of the thread's bits are 0. */
bool dot_find_register(const Side *s, uint64_t point, uint32_t *out);
GpuDotPlan *dot_new_plan(Arena *arena, GpuDotKind kind, uint32_t steps, uint32_t a, uint32_t b, uint32_t c);

/* dot_fma.c */

/* Do threads hold all of K for their part of c? */
bool dot_is_in_registers(const Dot *d);
GpuDotPlan *dot_plan_fma(const Dot *d, Arena *arena);
bool dot_fits_shared(const Dot *d);
const GpuDotPlan *dot_plan_shared(const Dot *d, Arena *arena, const IrOp *op);
/* Bytes of shared memory that an operand is put into. */
uint64_t dot_shared_bytes(const Dot *d, const IrOp *op, unsigned operand);
/* Of operands in registers: are they read from slots that rounds may read instead? */
bool dot_is_in_place(const Dot *d, const IrOp *op);
const GpuDotPlan *dot_plan_in_place(const Dot *d, Arena *arena, const IrOp *op);

#endif
