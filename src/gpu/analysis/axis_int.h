/* Between axis.c (dataflow: control, hints, assumptions) and axis_ops.c (what single ops do). */
#ifndef NESO_GPU_ANALYSIS_AXIS_INT_H
#define NESO_GPU_ANALYSIS_AXIS_INT_H

#include "gpu/analysis/axis.h"

enum { AXIS_MOST_BITS = 40 };
#define AXIS_MOST (INT64_C(1) << AXIS_MOST_BITS) /* larger powers of two make no difference to anyone */

/* What the dataflow has of each operand: never NULL. */
typedef struct AxisArgs {
	const AxisInfo *a[3];
} AxisArgs;

/* Nothing known of a value of this type. */
AxisInfo axis_nothing(IrType type);
/* Of a value whose elements all are `value`. */
AxisInfo axis_all(IrType type, int64_t value);
/* The largest power of two that divides a dim; 1 of a scalar. */
int64_t axis_size(IrType type, unsigned dim);
/* By how much a contiguous value goes up: 1, of a pointer the bytes of what it points to. */
int64_t axis_step(IrType type);
/* What the first elements of aligned groups of n elements are multiples of. */
int64_t axis_first(const AxisInfo *info, IrType type, unsigned dim, int64_t n);
/* What every element is a multiple of. */
int64_t axis_every(const AxisInfo *info, IrType type);
AxisInfo axis_join(const AxisInfo *a, const AxisInfo *b, IrType type);
int64_t axis_low_bit(int64_t x); /* the largest power of two that divides x, at most AXIS_MOST */

/* An op without regions, with what is known of its operands; the hints of the op are not looked at. */
typedef struct AxisOp {
	const IrOp *op;
	const IrCx *cx;
	const AxisInfo *a, *b, *c;
	IrType ta, tb, type; /* of operands 0 and 1, and of the result; NULL: there is none */
} AxisOp;

/* What is known of the result (of each, they are alike): what the column `axis` of ops.def names. */
typedef AxisInfo AxisFn(const AxisOp *x);
#define TILES(layout, cost, scratch, axis, range) AxisFn axis_op_##axis;
#define OP(name, text, levels, takes, gives, regions, traits, type, format, attrs, rules, tiles, doc) tiles
#include "ir/ops.def"
#undef OP
#undef TILES

AxisInfo axis_transfer(const IrOp *op, const IrCx *cx, const AxisArgs *args);

#endif
