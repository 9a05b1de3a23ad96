/* Constant folding: the value of an op with constant operands, exactly as it would be at run time.
 *
 * (For functions with a tolerance, exp and the like, the nearest value.) An op is not folded where
 * its result is undefined (division by zero, overflow of a signed division, a shift by the width
 * or more), where targets differ (conversions to fp8 beyond its range), or where it would create a
 * dense constant of more than FOLD_MAX_ELEMENTS different elements. */
#ifndef NESO_IR_REWRITE_FOLD_H
#define NESO_IR_REWRITE_FOLD_H

#include "ir/ir.h"

enum { FOLD_MAX_ELEMENTS = 4096 };

/* One element of each operand (the bits, high bits 0), and what the op says about them. */
typedef struct FoldCell {
	const IrOp *op;
	const IrCx *cx;
	IrType from, to; /* element types of the last operand and of the result */
	unsigned width;  /* bits of `from` */
	uint64_t a, b, c;
} FoldCell;

/* False: not folded. *out has its high bits 0. */
typedef bool FoldFn(const FoldCell *cell, uint64_t *out);

/* Fills the number of the source element of each result element; false: not known. */
typedef bool FoldSourceFn(const IrOp *op, const IrCx *cx, IrType from, IrType to, uint32_t *source);
/* The constant that the result of a scalar or tensor type is, or NULL. */
typedef IrAttr FoldWholeFn(IrCx *cx, const IrOp *op, const IrAttr *operands);

/* The hooks that the column of ops.def asks for. */
#define FOLD_none(name)
#define FOLD_cells(name) FoldFn fold_##name;
#define FOLD_moves(name) FoldSourceFn fold_source_##name;
#define FOLD_whole(name) FoldWholeFn fold_whole_##name;
#define RULES(verify, fold, neutral) FOLD_##fold
#define OP(name, text, levels, takes, gives, regions, traits, type, format, attrs, rules, ...) rules(name)
#include "ir/ops.def"
#undef OP
#undef RULES
#undef FOLD_none
#undef FOLD_cells
#undef FOLD_moves
#undef FOLD_whole

FoldFn *fold_cells(IrOpKind kind); /* of one element; NULL: folded otherwise, or not */
/* Is the op of a kind that fold_op may know? */
bool fold_knows(IrOpKind kind);
/* The constant that result 0 is, given those of all operands; NULL when it is not folded. */
IrAttr fold_op(IrCx *cx, Arena *scratch, const IrOp *op, const IrAttr *operands);

/* ---- constants ---- */

/* The low `bits` bits of x. */
static inline uint64_t fold_low(uint64_t x, unsigned bits)
{
	return bits == 64 ? x : x & ((UINT64_C(1) << bits) - 1);
}
static inline int64_t fold_signed(uint64_t x, unsigned bits)
{
	return (int64_t)(x << (64 - bits)) >> (64 - bits);
}
static inline bool fold_is_constant(IrAttr a)
{
	return a && (a->kind == ATTR_KIND_BOOL || a->kind == ATTR_KIND_INT || a->kind == ATTR_KIND_FLOAT ||
		     a->kind == ATTR_KIND_DENSE);
}
IrType fold_type(const IrCx *cx, IrAttr constant);
uint64_t fold_word(IrAttr constant, uint32_t i); /* bits of element i (of the scalar) */
static inline bool fold_is_splat(IrAttr a)       /* one value in all elements */
{
	return a->kind != ATTR_KIND_DENSE || a->splat;
}
/* Is it a constant whose elements are all 0, with the bits of +0? */
static inline bool fold_is_zero(const IrValue *v)
{
	IrAttr a = ir_constant_of(v);
	return a && fold_is_constant(a) && fold_is_splat(a) && fold_word(a, 0) == 0;
}
/* A constant of scalar or tensor type with this value in all elements. */
IrAttr fold_splat(IrCx *cx, IrType type, uint64_t word);

#endif
