/* Which part of each tile a CTA of a cluster computes by itself.
 *
 * A program with several CTAs (num_ctas) can be split along rows or columns of its products: each
 * CTA then has smaller tiles, and nothing is exchanged. A part says for each bit of the CTA's
 * number along which dim it halves a tile: CTAs that differ in the bit have different halves, or
 * the same whole where the bit halves nothing. A tile may be needed in several parts (a range that
 * is both rows and columns), and is computed once for each.
 *
 * Method: products are split along M or N; what is computed from them is split the same way (the
 * natural part, propagated forward to a fixed point); stores take the natural part of what they
 * store; from there the parts that are needed are propagated back to the inputs. Where a part
 * needs another CTA's data (a reduction across CTAs), the split is refused. */
#ifndef NESO_GPU_PLAN_PARTS_H
#define NESO_GPU_PLAN_PARTS_H

#include "base/vec.h"
#include "gpu/layout/encoding.h"

/* A byte for each bit of the CTA's number, the lowest first: 1 + the dim that it halves, 0: none.
 * Of bits of one dim the higher one chooses the larger halves. */
typedef uint32_t GpuPart;

enum { GPU_PART_BITS = 4 };

typedef VEC(GpuPart) GpuPartList;

typedef struct GpuParts {
	GpuCx *gpu;
	Arena *arena;
	const IrOp *func;
	unsigned bits;       /* of a CTA's number */
	unsigned m_bits;     /* so many of them, the lowest, cut M of products, the others N */
	GpuPart *natural;    /* by value id: what forward propagation found */
	GpuPartList *wanted; /* by value id */
	int64_t cost;        /* of loading operands, and of products that lose their instruction */
	const char *why;     /* what stands against it; NULL: nothing */
} GpuParts;

/* The best cut of a function's products among 2^bits CTAs; false: there is none, and out->why says
 * the reason of the one that was tried first. */
bool gpu_parts_find(GpuCx *cx, Arena *arena, const IrOp *func, uint32_t values, unsigned bits, GpuParts *out);

/* -1: it halves none. */
static inline int gpu_part_dim(GpuPart part, unsigned bit)
{
	return (int)(part >> 8 * bit & 0xff) - 1;
}
static inline GpuPart gpu_part_of_bit(unsigned bit, unsigned dim)
{
	return (GpuPart)(dim + 1) << 8 * bit;
}
/* Bits of the CTA's number that halve the dim. */
unsigned gpu_part_bits_of(GpuPart part, unsigned dim);
/* Bits of the CTA's number (a mask) that halve nothing: CTAs that differ in these hold copies. */
unsigned gpu_part_copies(const GpuParts *p, GpuPart part);
/* Is it a tile, or a descriptor of tiles? */
static inline bool gpu_part_is_tile(IrType type)
{
	return type->kind == TY_TENSOR || type->kind == TY_TENSORDESC;
}
/* What a CTA has of such a type. */
IrType gpu_part_type(GpuCx *cx, IrType type, GpuPart part);
/* The part that a result (of a store: the op itself) needs of operand `i`; false: it cannot be
 * had. */
bool gpu_part_operand(const GpuParts *p, const IrOp *op, uint32_t i, GpuPart part, GpuPart *out);
/* Does the op change memory? It is done once for each of its parts then. */
bool gpu_part_is_sink(const IrOp *op);
/* The part in which such an op is done. */
GpuPart gpu_part_of_sink(const GpuParts *p, const IrOp *op);

#endif
