/* Tiles whose sizes are no powers of two. The IR's tile has each size rounded up to one; what is
 * beyond the size is padding, whose values mean nothing. Here is what keeps it from being seen:
 * masks of accesses, neutral values for reductions, zeros for products, and elements moved where
 * a new shape puts them elsewhere. Ops that work on one element after the other need nothing. */
#include <math.h>
#include "front/tile/sem.h"
#include "front/tile/sem_reduce.h"
#include "ir/rewrite/fold.h"

/* ---- types ---- */

int64_t tl_padded_size(int64_t n)
{
	return n <= 1 ? n : INT64_C(1) << (64 - __builtin_clzll((uint64_t)n - 1));
}

bool tl_is_padded(TlType t)
{
	for (uint32_t i = 0; t->kind == TL_BLOCK && i < t->rank; i++)
		if (!base_is_pow2((uint64_t)t->shape[i]))
			return true;
	return false;
}

void sem_note_padding(FrontLower *low, IrOp *op, TlType t, int64_t columns)
{
	Text text;
	if (!tl_is_padded(t) && base_is_pow2((uint64_t)(columns ? columns : 1)))
		return;
	text_init(&text, low->arena);
	for (uint32_t i = 0; i < t->rank; i++)
		text_printf(&text, "%s%lld", i ? "x" : "", (long long)t->shape[i]);
	if (columns)
		text_printf(&text, "x%lld", (long long)columns);
	ir_set(low->m, op, ATTR_PADDED, ir_attr_string(low->cx, (Str){text.data, text.len}));
}

/* The type with its padding as elements. */
static TlType whole(FrontLower *low, TlType t)
{
	int64_t shape[IR_MAX_RANK];
	for (uint32_t i = 0; i < t->rank; i++)
		shape[i] = tl_padded_size(t->shape[i]);
	return tl_block(low, t->elem, shape, t->rank);
}

const Val *sem_whole(FrontLower *low, const Val *v)
{
	return sem_make(low, sem_ir(v), whole(low, sem_type(v)));
}

bool sem_check_pow2(FrontLower *low, const char *what, const int64_t *shape, uint32_t rank)
{
	for (uint32_t i = 0; i < rank; i++)
		if (shape[i] <= 0 || !base_is_pow2((uint64_t)shape[i])) {
			lower_error(low, DIAG_TILE_SHAPE_POW2, what, i, (long long)shape[i]);
			return false;
		}
	return true;
}

static bool refuses(FrontLower *low, const char *what, const Val *v)
{
	if (v && sem_is_seq(v))
		for (uint32_t i = 0; i < v->seq.len; i++)
			if (refuses(low, what, v->seq.items[i]))
				return true;
	TlType t = v && sem_is_tensor(v) ? sem_type(v) : NULL;
	if (!t || !tl_is_padded(t->kind == TL_DESC ? t->elem : t))
		return false;
	lower_error(low, DIAG_TILE_PADDED, what, sem_describe(low, v));
	return true;
}

bool sem_no_padding(FrontLower *low, const char *what, const Val *const *args, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (refuses(low, what, args[i]))
			return false;
	return true;
}

/* ---- masks ---- */

/* 0, 1, ... along the axis of a tile of this shape. */
static const Val *positions(FrontLower *low, const int64_t *shape, uint32_t rank, uint32_t axis)
{
	const Val *row = sem_arange(low, val_int(low, 0), val_int(low, shape[axis]));
	for (uint32_t i = 0; i < axis; i++)
		row = sem_expand_dims(low, row, 0);
	for (uint32_t i = axis + 1; i < rank; i++)
		row = sem_expand_dims(low, row, i);
	return sem_broadcast_to(low, "padding", row, shape, rank);
}

const Val *sem_valid(FrontLower *low, TlType t, int axis)
{
	const Val *valid = NULL;
	for (uint32_t i = 0; t->kind == TL_BLOCK && i < t->rank; i++) {
		if (base_is_pow2((uint64_t)t->shape[i]) || (axis >= 0 && (uint32_t)axis != i))
			continue;
		const Val *in = sem_compare(low, CMP_LT, positions(low, t->shape, t->rank, i),
					    val_int(low, t->shape[i]));
		valid = valid ? sem_binary(low, BIN_AND, valid, in) : in;
	}
	return valid;
}

const Val *sem_mask_padding(FrontLower *low, TlType t, const Val *mask)
{
	const Val *valid = sem_valid(low, t, -1);
	return !valid ? mask : !mask ? valid : sem_binary(low, BIN_AND, mask, valid);
}

const Val *sem_fill_padding(FrontLower *low, const Val *v, int axis, const Val *with)
{
	const Val *valid = sem_is_poison(v) ? NULL : sem_valid(low, sem_type(v), axis);
	return valid ? sem_select(low, valid, v, with) : v;
}

const Val *sem_safe_divisor(FrontLower *low, const Val *v)
{
	const IrOp *def = sem_ir(v)->def;
	IrAttr constant = ir_constant_of(sem_ir(v));
	bool same = constant ? fold_is_splat(constant) : def && def->kind == OP_SPLAT;
	if (!tl_is_padded(sem_type(v)) || same)
		return v;
	return sem_fill_padding(low, v, -1, sem_const_int(low, 1, sem_elem(v)));
}

/* ---- reductions ---- */

/* The op that the block computes of its first two arguments and ends with; NULL: it does more. */
static const IrOp *only_op(FrontLower *low, const IrBlock *block)
{
	const IrOp *op = block->first;
	if (!op || !op->next || op->next->next || op->operand_count != 2 || op->result_count != 1)
		return NULL;
	if (ir_operand(op->next, 0) != ir_result(op, 0) || op->next->operand_count != 1)
		return NULL;
	if (op->kind == OP_CALL) {
		IrAttr callee = ir_get(op, low->cx, ATTR_CALLEE);
		const IrOp *func = callee ? ir_find_func(low->m, callee->text) : NULL;
		return func && func->regions[0].first ? only_op(low, func->regions[0].first) : NULL;
	}
	const IrValue *l = ir_operand(op, 0), *r = ir_operand(op, 1);
	bool of_both = block->arg_count == 2 && l != r && (l == block->args[0] || l == block->args[1]) &&
		       (r == block->args[0] || r == block->args[1]);
	return of_both ? op : NULL;
}

static const Val *int_neutral(FrontLower *low, IrOpKind kind, TlType t)
{
	unsigned bits = tl_bits(t);
	switch (kind) {
	case OP_ADDI: case OP_ORI: case OP_XORI: case OP_MAXUI:
		return sem_const_int(low, 0, t);
	case OP_MULI:
		return sem_const_int(low, 1, t);
	case OP_ANDI: case OP_MINUI:
		return sem_const_int(low, -1, t);
	case OP_MAXSI:
		return bits < 8 ? NULL : sem_const_int(low, INT64_MIN >> (64 - bits), t);
	case OP_MINSI:
		return bits < 8 ? NULL : sem_const_int(low, INT64_MAX >> (64 - bits), t);
	default:
		return NULL;
	}
}

/* What leaves every other operand as it is: x + -0.0 is x, also for x = 0; a maximum that drops
 * NaN drops it here. */
static const Val *float_neutral(FrontLower *low, IrOpKind kind, TlType t)
{
	switch (kind) {
	case OP_ADDF:
		return sem_const(low, val_float(low, -0.0), t);
	case OP_MULF:
		return sem_const(low, val_float(low, 1), t);
	case OP_MAXNUMF: case OP_MINNUMF:
		return sem_const(low, val_float(low, (double)NAN), t);
	case OP_MAXIMUMF:
		return sem_const(low, val_float(low, -(double)INFINITY), t);
	case OP_MINIMUMF:
		return sem_const(low, val_float(low, (double)INFINITY), t);
	default:
		return NULL;
	}
}

bool sem_fill_neutral(FrontLower *low, IrOp *op, TlType input, const Val *valid)
{
	const IrOp *only = op->operand_count == 1 ? only_op(low, op->regions[0].first) : NULL;
	if (!only || tl_is_fp8(input->elem) || input->elem->kind != TL_SCALAR)
		return false;
	IrBuilder outer = low->b;
	low->b.before = op;
	const Val *neutral = tl_is_float(input->elem) ? float_neutral(low, only->kind, input->elem)
						      : int_neutral(low, only->kind, input->elem);
	if (neutral) {
		const Val *v = sem_make(low, ir_operand(op, 0), input);
		ir_operand_set(op, 0, sem_ir(sem_select(low, valid, v, neutral)));
	}
	low->b = outer;
	return neutral != NULL;
}

/* ---- shapes ---- */

/* Row-major numbers of the elements of a shape, in a tile of it. */
static const Val *numbers(FrontLower *low, const int64_t *shape, uint32_t rank)
{
	const Val *sum = NULL;
	int64_t stride = 1;
	for (uint32_t i = rank; i-- > 0; stride *= shape[i]) {
		const Val *at = positions(low, shape, rank, i);
		at = sem_arith(low, BIN_MUL, at, val_int(low, stride), false);
		sum = sum ? sem_arith(low, BIN_ADD, sum, at, false) : at;
	}
	return sum;
}

/* Where in the padded tile the elements of these row-major numbers are. */
static const Val *places(FrontLower *low, const Val *number, const int64_t *shape, uint32_t rank)
{
	const Val *sum = NULL;
	int64_t stride = 1;
	for (uint32_t i = rank; i-- > 0; stride *= tl_padded_size(shape[i])) {
		const Val *size = val_int(low, shape[i]);
		const Val *at = i ? sem_binary(low, BIN_MOD, number, size) : number;
		at = sem_arith(low, BIN_MUL, at, val_int(low, stride), false);
		sum = sum ? sem_arith(low, BIN_ADD, sum, at, false) : at;
		number = i ? sem_binary(low, BIN_FLOORDIV, number, size) : number;
	}
	return sum;
}

static int64_t place_of(int64_t number, const int64_t *shape, uint32_t rank)
{
	int64_t place = 0, stride = 1;
	for (uint32_t i = rank; i-- > 0; number /= shape[i], stride *= tl_padded_size(shape[i]))
		place += number % shape[i] * stride;
	return place;
}

/* Is every element of the one shape at the same place of the padded tile as in the other? */
static bool same_places(TlType from, TlType to)
{
	if (tl_numel(from) != tl_numel(to))
		return false;
	for (int64_t n = 0; n < tl_numel(from); n++)
		if (place_of(n, from->shape, from->rank) != place_of(n, to->shape, to->rank))
			return false;
	return true;
}

const Val *sem_repack(FrontLower *low, const Val *v, TlType to)
{
	TlType from = sem_type(v), flat_from = whole(low, from), flat_to = whole(low, to);
	int64_t count = tl_numel(flat_from), wanted = tl_numel(flat_to);
	v = sem_whole(low, v);
	if (count != wanted || !same_places(from, to)) {
		const Val *at = places(low, numbers(low, to->shape, to->rank), from->shape, from->rank);
		at = sem_fill_padding(low, at, -1, val_int(low, 0));
		at = sem_reshape(low, "padding", sem_whole(low, at), &wanted, 1, false);
		v = sem_gather(low, sem_reshape(low, "padding", v, &count, 1, false), at, val_int(low, 0));
		if (sem_is_poison(v))
			return v;
	}
	if (to->kind != TL_BLOCK)
		return sem_unsplat(low, "tl.reshape", v);
	v = sem_reshape(low, "padding", v, flat_to->shape, flat_to->rank, false);
	return sem_is_poison(v) ? v : sem_make(low, sem_ir(v), to);
}
