/* Folding of whole ops: elementwise ones element by element (once, when all operands are splats), and those that
 * move elements. Constants are hash-consed attributes, so equal results are one pointer. */
#include "ir/rewrite/fold.h"

IrType fold_type(const IrCx *cx, IrAttr constant)
{
	return constant->kind == ATTR_KIND_BOOL ? ir_scalar(cx, TY_I1) : constant->type;
}

uint64_t fold_word(IrAttr a, uint32_t i)
{
	switch (a->kind) {
	case ATTR_KIND_BOOL:
		return a->i != 0;
	case ATTR_KIND_INT:
		return fold_low((uint64_t)a->i, a->type->bits);
	case ATTR_KIND_FLOAT:
		return a->bits;
	case ATTR_KIND_DENSE:
		return a->words[a->splat ? 0 : i];
	default:
		BUG("attribute of kind %d is no constant", (int)a->kind);
	}
}

IrAttr fold_splat(IrCx *cx, IrType type, uint64_t word)
{
	if (ir_is_tensor(type))
		return ir_attr_splat(cx, type, word);
	if (ir_is_float(type))
		return ir_attr_float_bits(cx, type, word);
	return type->kind == TY_I1 ? ir_attr_bool(cx, word & 1) : ir_attr_int(cx, type, (int64_t)word);
}

/* ---- elementwise ---- */

static IrAttr fold_elementwise(IrCx *cx, Arena *scratch, const IrOp *op, const IrAttr *operands, FoldFn *fn)
{
	IrType type = op->results[0].type;
	uint32_t n = op->operand_count;
	if (n == 0 || n > 3 || !ir_is_scalar(ir_elem(type)))
		return NULL;
	FoldCell cell = {.op = op, .cx = cx, .to = ir_elem(type)};
	cell.from = ir_elem(fold_type(cx, operands[n - 1]));
	cell.width = cell.from->bits;
	bool splat = true;
	for (uint32_t i = 0; i < n; i++)
		splat &= fold_is_splat(operands[i]);
	int64_t count = splat ? 1 : ir_numel(type);
	if (count > FOLD_MAX_ELEMENTS)
		return NULL;
	uint64_t *words = ARENA_ARRAY(scratch, uint64_t, count);
	for (uint32_t i = 0; i < count; i++) {
		cell.a = fold_word(operands[0], i);
		cell.b = n > 1 ? fold_word(operands[1], i) : 0;
		cell.c = n > 2 ? fold_word(operands[2], i) : 0;
		if (!fn(&cell, &words[i]))
			return NULL;
	}
	return splat ? fold_splat(cx, type, words[0]) : ir_attr_dense(cx, type, words, (uint32_t)count);
}

/* ---- moving elements ---- */

static bool same_order(const IrOp *op, const IrCx *cx, IrType from, IrType to, uint32_t *source)
{
	(void)cx;
	(void)from;
	if (op->kind == OP_RESHAPE && ir_get_bool(op, cx, ATTR_ALLOW_REORDER))
		return false;
	for (uint32_t i = 0; i < ir_numel(to); i++)
		source[i] = i;
	return true;
}

/* Walks the result in row-major order; stride[d] is the step in the source along result dimension d. */
static void walk(IrType to, const int64_t *stride, uint32_t *source)
{
	int64_t at[IR_MAX_RANK] = {0}, from = 0;
	for (uint32_t i = 0; i < ir_numel(to); i++) {
		source[i] = (uint32_t)from;
		for (uint32_t d = to->rank; d-- > 0;) {
			from += stride[d];
			if (++at[d] < to->shape[d])
				break;
			from -= stride[d] * to->shape[d];
			at[d] = 0;
		}
	}
}

static void strides_of(IrType type, int64_t *stride)
{
	int64_t step = 1;
	for (uint32_t d = type->rank; d-- > 0;) {
		stride[d] = step;
		step *= type->shape[d];
	}
}

static bool broadcast_source(const IrOp *op, const IrCx *cx, IrType from, IrType to, uint32_t *source)
{
	(void)op;
	(void)cx;
	int64_t stride[IR_MAX_RANK];
	strides_of(from, stride);
	for (uint32_t d = 0; d < to->rank; d++)
		if (from->shape[d] != to->shape[d])
			stride[d] = 0;
	walk(to, stride, source);
	return true;
}

bool fold_source_TRANS(const IrOp *op, const IrCx *cx, IrType from, IrType to, uint32_t *source)
{
	int64_t own[IR_MAX_RANK], stride[IR_MAX_RANK];
	IrAttr order = ir_get(op, cx, ATTR_ORDER);
	if (!order || order->kind != ATTR_KIND_INTS || order->len != to->rank)
		return false;
	strides_of(from, own);
	for (uint32_t d = 0; d < to->rank; d++)
		stride[d] = own[order->ints[d]];
	walk(to, stride, source);
	return true;
}

#define MOVES(name, fn) \
	bool fold_source_##name(const IrOp *op, const IrCx *cx, IrType from, IrType to, uint32_t *source) \
	{ \
		return fn(op, cx, from, to, source); \
	}
MOVES(SPLAT, broadcast_source)
MOVES(BROADCAST, broadcast_source)
MOVES(EXPAND_DIMS, same_order)
MOVES(RESHAPE, same_order)

static IrAttr fold_move(IrCx *cx, Arena *scratch, const IrOp *op, IrAttr operand, FoldSourceFn *fn)
{
	IrType to = op->results[0].type;
	if (fold_is_splat(operand))
		return fold_splat(cx, to, fold_word(operand, 0));
	int64_t count = ir_numel(to);
	if (count > FOLD_MAX_ELEMENTS)
		return NULL;
	uint32_t *source = ARENA_ARRAY(scratch, uint32_t, count);
	if (!fn(op, cx, operand->type, to, source))
		return NULL;
	uint64_t *words = ARENA_ARRAY(scratch, uint64_t, count);
	for (uint32_t i = 0; i < count; i++)
		words[i] = fold_word(operand, source[i]);
	return ir_attr_dense(cx, to, words, (uint32_t)count);
}

/* ---- all elements at once ---- */

static IrAttr splat_of(IrCx *cx, const IrOp *op, IrAttr operand)
{
	return fold_is_splat(operand) ? fold_splat(cx, op->results[0].type, fold_word(operand, 0)) : NULL;
}

IrAttr fold_whole_UNSPLAT(IrCx *cx, const IrOp *op, const IrAttr *operands)
{
	return fold_splat(cx, op->results[0].type, fold_word(operands[0], 0));
}

IrAttr fold_whole_MAKE_RANGE(IrCx *cx, const IrOp *op, const IrAttr *operands)
{
	IrType type = op->results[0].type;
	(void)operands;
	if (ir_numel(type) != 1)
		return NULL;
	return fold_splat(cx, type, fold_low((uint64_t)ir_get_int(op, cx, ATTR_START, 0), type->elem->bits));
}

IrAttr fold_whole_GATHER(IrCx *cx, const IrOp *op, const IrAttr *operands)
{
	return splat_of(cx, op, operands[0]);
}

IrAttr fold_whole_JOIN(IrCx *cx, const IrOp *op, const IrAttr *operands)
{
	return operands[0] == operands[1] ? splat_of(cx, op, operands[0]) : NULL;
}

IrAttr fold_whole_CAT(IrCx *cx, const IrOp *op, const IrAttr *operands)
{
	return fold_whole_JOIN(cx, op, operands);
}

/* ---- the entry points ---- */

#define RULES(verify, fold, neutral) FOLD_##fold
#define FOLD_none(name) {0}
#define FOLD_cells(name) {.cells = fold_##name}
#define FOLD_moves(name) {.source = fold_source_##name}
#define FOLD_whole(name) {.whole = fold_whole_##name}
static const struct {
	FoldFn *cells;
	FoldSourceFn *source;
	FoldWholeFn *whole;
} hooks[OP__COUNT] = {
#define OP(name, text, levels, takes, gives, regions, traits, type, format, attrs, rules, ...) \
	[OP_##name] = rules(name),
#include "ir/ops.def"
#undef OP
};

FoldFn *fold_cells(IrOpKind kind)
{
	return hooks[kind].cells;
}

bool fold_knows(IrOpKind kind)
{
	return hooks[kind].cells || hooks[kind].source || hooks[kind].whole;
}

IrAttr fold_op(IrCx *cx, Arena *scratch, const IrOp *op, const IrAttr *operands)
{
	if (hooks[op->kind].cells)
		return fold_elementwise(cx, scratch, op, operands, hooks[op->kind].cells);
	if (hooks[op->kind].source)
		return fold_move(cx, scratch, op, operands[0], hooks[op->kind].source);
	return hooks[op->kind].whole ? hooks[op->kind].whole(cx, op, operands) : NULL;
}
