/* Between range.c (what values are) and range_ops.c (arithmetic, single ops). */
#ifndef NESO_GPU_ANALYSIS_RANGE_INT_H
#define NESO_GPU_ANALYSIS_RANGE_INT_H

#include "gpu/analysis/range.h"

enum { UNSEEN, UNDER_WAY, UNKNOWN, KNOWN }; /* Range.state */
enum { NO_PATH = UINT32_MAX >> 4 /* elements have changed their places: no mask is theirs */ };
enum { WORD = 31, MOST = 62, ADDRESS = 57 /* bits of a virtual address */ };

static inline IrType range_i64(const Ranges *r)
{
	return ir_scalar(r->ir, TY_I64);
}

bool range_of(Ranges *r, const IrValue *v, Range *out);

/* Of a result: what the column `range` of ops.def names. False: not known. */
typedef bool RangeFn(Ranges *r, const IrValue *v, Range *out);
#define TILES(layout, cost, scratch, axis, range) RangeFn range_op_##range;
#define OP(name, text, levels, takes, gives, regions, traits, type, format, attrs, rules, tiles, doc) tiles
#include "ir/ops.def"
#undef OP
#undef TILES

bool range_transfer(Ranges *r, const IrValue *v, Range *out);

bool range_is_number(IrType elem);
IrValue *range_number(Ranges *r, int64_t value);
/* a OP b of numbers that do not leave 64 bits. */
IrValue *range_make(Ranges *r, IrOpKind kind, IrValue *a, IrValue *b);
/* From here on the interval lies within -2^bits ... 2^bits - 1, or `sound` is false. */
void range_hold_within(Ranges *r, Range *x, unsigned bits);
Range range_constant(Ranges *r, int64_t low, int64_t high);
Range range_add(Ranges *r, Range a, Range b);
Range range_subtract(Ranges *r, Range a, Range b);
Range range_multiply(Ranges *r, Range a, Range b);
Range range_join(Ranges *r, Range a, Range b);
/* What is added to a pointer. */
Range range_in_bytes(Ranges *r, IrType pointers, Range elements);
/* Through an op that moves elements: by which dims they are the access's. */
uint32_t range_path_through(const Ranges *r, const IrOp *op, uint32_t path);

#endif
