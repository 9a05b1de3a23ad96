/* Costs, for choosing layouts, in quarter cycles of an SM for one warp (the unit of
 * LayoutCost.total). They estimate throughput, not latency, and are good for comparisons only. */
#ifndef NESO_GPU_PLAN_PRICE_H
#define NESO_GPU_PLAN_PRICE_H

#include "gpu/analysis/axis.h"
#include "gpu/layout/encoding.h"
#include "target/cost.h"

/* A conversion. layout_plan says it exactly and takes some 50 us; this says it from ranks alone, is
 * 0 exactly where the layouts are equal, and within a small factor of the plan's otherwise. */
unsigned gpu_price_convert(const TargetCosts *costs, const Layout *from, const Layout *to,
			   unsigned element_bits);

/* What is known of the addresses of an access. */
typedef struct GpuAccess {
	unsigned element_bits;
	unsigned dim;    /* along which addresses go up */
	int64_t vector;  /* elements along it that one instruction may take */
	unsigned widest; /* bytes that one may; 0: 16 in loads and stores, an element in others */
	unsigned more;      /* what an instruction costs besides itself */
	bool sets_pace;     /* no products do: loads wait for memory side by side */
	int64_t contiguity; /* elements along it that lie side by side, or usually do (analysis/usual.h) */
	int64_t step;       /* or so far from one another, in elements of memory; 0: side by side */
	int64_t constancy[IR_MAX_RANK]; /* elements along a dim that have one address */
	int64_t shared[IR_MAX_RANK];    /* and one mask: a thread loads them once */
} GpuAccess;

/* Bytes that one atomic instruction may take: several
 * floats are added at once where the target can. */
unsigned gpu_atomic_bytes(const GpuCx *cx, const IrOp *op);

/* Of a tile of pointers; mask may be NULL. */
GpuAccess gpu_access_of(const AxisMap *map, const IrCx *ir, const IrValue *pointers, const IrValue *mask);

/* All of a tile's accesses by op (OP_LOAD, OP_STORE, atomics). */
unsigned gpu_price_access(const TargetCosts *costs, IrOpKind op, const GpuAccess *access,
			  const Layout *layout);
/* Combining two elements, or two of each operand, by the region of tt.reduce or tt.scan. */
unsigned gpu_body_price(const IrOp *op);
/* tt.reduce, tt.scan over tiles of this layout, all
 * operands together: in each thread, and across threads. */
typedef struct GpuReducePrice {
	unsigned within, across;
} GpuReducePrice;

GpuReducePrice gpu_price_reduce(const TargetCosts *costs, const IrOp *op, const Layout *layout,
				unsigned axis);
/* An elementwise op on tiles of this layout. runs: how many elements along each dim a thread
 * computes once, powers of two; NULL: each by itself. */
unsigned gpu_price_elementwise(const IrOp *op, const Layout *layout, const int64_t *runs);
/* Is it for the special function units of an SM? */
bool gpu_is_special(const IrOp *op);

#endif
